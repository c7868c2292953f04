//! What is asked of the work tree before something is done to it: `git diff --quiet && …`,
//! `[ -z "$(git status --porcelain)" ] && …`.

use super::command::{Git, Standing};
use super::pathspec::Pathspecs;
use crate::options::{Options, Spec, attached, flag};
use crate::{Arg, Invocation, World};
use model::{Fact, LostFile, Verb, WorkFact, WorkKey};
use text::path::join;

/// How a command tells what it found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// It fails where there is something: `git diff --quiet`.
    ByFailure,
    /// It prints something: `git status --porcelain`.
    ByWords,
}

const STATUS: Spec = Spec {
    abbreviate: false,
    ..Spec::gnu(&[
        attached("porcelain"),
        attached("untracked-files u"),
        flag("short s"),
        flag("z"),
    ])
};

const DIFF: Spec = Spec {
    abbreviate: false,
    ..Spec::gnu(&[
        flag("cached staged"),
        flag("exit-code"),
        flag("name-only"),
        flag("name-status"),
        flag("numstat"),
        flag("quiet"),
        flag("shortstat"),
        flag("stat"),
    ])
};

const LS_FILES: Spec = Spec {
    abbreviate: false,
    ..Spec::gnu(&[
        flag("exclude-standard"),
        flag("modified m"),
        flag("others o"),
    ])
};

/// Whether a command visibly finds work that is not committed. That it finds none is never known
/// here: a file that is gone is on no list of what could be lost.
pub(crate) fn finds_work(world: &mut World<'_>, invocation: &Invocation, told: Told) -> bool {
    if has_changed(world) {
        return false;
    }
    let Some(git) = Git::read(invocation, world).filter(|git| git.settings.is_empty()) else {
        return false;
    };
    let (spec, choose): (_, Choose) = match git.name.as_str() {
        "status" => (&STATUS, in_status),
        "diff" | "diff-files" | "diff-index" => (&DIFF, in_diff),
        "ls-files" => (&LS_FILES, in_listing),
        _ => return false,
    };
    let read = git.options(spec);
    let is_quiet = read.has("quiet");
    let tells = match told {
        Told::ByFailure => is_quiet || read.has("exit-code"),
        Told::ByWords => !is_quiet,
    };
    if !tells || !read.unknown.is_empty() || !read.operands.iter().all(Arg::is_known) {
        return false;
    }
    let Some(paths) = named(&git, &read) else {
        return false;
    };
    let at = git.standing(world);
    let (Ok(dir), Some(_)) = (&git.dir, at.repo()) else {
        return false;
    };
    let paths = Pathspecs::read(paths, dir, &at.root);
    let key = WorkKey {
        dir: at.root.clone(),
        paths: paths.bases(&at.root),
    };
    let Fact::Known(work) = world.work(key) else {
        return false;
    };
    let found = choose(&read, work);
    found.iter().any(|file| is_meant(file, &paths, &at))
}

/// Takes the files that a command looks for.
type Choose = fn(&Options, WorkFact) -> Vec<LostFile>;

fn is_meant(file: &LostFile, paths: &Pathspecs, at: &Standing) -> bool {
    !paths.uncertain && paths.mean(&join(&at.root, &file.path))
}

/// Whether something of this call may have changed what there is to find.
fn has_changed(world: &World<'_>) -> bool {
    world.analysis.actions.iter().any(|action| {
        !matches!(action.verb, Verb::Read | Verb::Fetch) && action.program != "git fetch"
    })
}

/// The paths that are named; `None` where another word stands than the last commit.
fn named<'r>(git: &Git<'_>, read: &'r Options) -> Option<&'r [Arg]> {
    if matches!(git.name.as_str(), "status" | "ls-files") {
        return Some(&read.operands);
    }
    let at = read.separator.unwrap_or(read.operands.len());
    let (revisions, paths) = read.operands.split_at_checked(at)?;
    match revisions {
        [] if git.name != "diff-index" => Some(paths),
        [head] if head.text == "HEAD" => Some(paths),
        _ => None,
    }
}

fn in_status(read: &Options, work: WorkFact) -> Vec<LostFile> {
    let mut found = work.unstaged;
    found.extend(work.staged);
    let untracked = read.value("untracked-files");
    if untracked.is_none_or(|word| word.text != "no") {
        found.extend(work.untracked);
    }
    found
}

fn in_diff(read: &Options, work: WorkFact) -> Vec<LostFile> {
    if read.has("cached") {
        return work.staged;
    }
    let is_head = |word: &Arg| word.text == "HEAD";
    if !read.operands.first().is_some_and(is_head) || read.separator == Some(0) {
        return work.unstaged;
    }
    // What is staged may be taken back in the file itself.
    let is_in = |files: &[LostFile], file: &LostFile| files.iter().any(|f| f.path == file.path);
    let (unstaged, staged) = (work.unstaged, work.staged);
    let only = |files: &[LostFile], others: &[LostFile]| {
        let alone = files.iter().filter(|file| !is_in(others, file));
        alone.cloned().collect::<Vec<_>>()
    };
    let mut found = only(&unstaged, &staged);
    found.extend(only(&staged, &unstaged));
    found
}

fn in_listing(read: &Options, work: WorkFact) -> Vec<LostFile> {
    match (read.has("modified"), read.has("others")) {
        (true, false) => work.unstaged,
        (false, true) => work.untracked,
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Fixture;

    fn is_lossy(world: &Fixture, command: &str) -> bool {
        let actions = world.actions(command);
        actions.iter().any(|action| action.contains("loses"))
    }

    #[test]
    fn what_runs_only_where_nothing_is_changed_does_not_run() {
        let dirty = Fixture::new()
            .repo(".")
            .modified("a.rs")
            .staged("src/s.rs")
            .untracked("n.txt");
        for command in [
            "git diff --quiet && git reset --hard",
            "git diff --quiet && git diff --cached --quiet && git reset --hard || echo dirty",
            "git diff-index --quiet HEAD -- || exit 1; git reset --hard",
            "git diff --quiet HEAD -- a.rs 2>/dev/null || exit 1\ngit reset --hard",
            "if ! git diff --quiet; then echo dirty; else git reset --hard; fi",
            "if git diff --exit-code --stat; then git clean -fd; fi",
            "[ -z \"$(git status --porcelain)\" ] && git checkout -f other",
            "if [[ -n $(git status -s) ]]; then echo dirty; exit 1; fi; git clean -fd",
            "test -n \"$(git ls-files -o --exclude-standard)\" || git clean -fd",
            "[ \"$(git status --porcelain 2>/dev/null)\" = \"\" ] && git reset --hard",
            "git fetch; git diff --staged --quiet && git reset --hard",
        ] {
            assert!(!is_lossy(&dirty, command), "{command}");
        }
        for command in [
            "git diff --quiet || git reset --hard",
            "git diff --quiet -- src && git reset --hard",
            "git diff && git reset --hard",
            "git diff --quiet; git reset --hard",
            "! git diff --quiet && git reset --hard",
            "if git diff --quiet; then echo clean; else git reset --hard; fi",
            "[ -n \"$(git status --porcelain)\" ] && git checkout -f other",
            "[ -z \"$(git status --porcelain >/dev/null)\" ] && git reset --hard",
            "[ -z \"$(git diff --quiet)\" ] && git reset --hard",
            "git() { true; }; git diff --quiet && command git reset --hard",
            "./reset.sh; git diff --quiet && rm n.txt",
            "git checkout -- a.rs; git diff --quiet && rm n.txt",
            "git diff --quiet && true || git reset --hard",
            "[ -z \"$(git status --porcelain -uno)\" ] || git clean -fd",
        ] {
            assert!(is_lossy(&dirty, command), "{command}");
        }
        let untracked = Fixture::new().repo(".").untracked("n.txt");
        let command = "[ -z \"$(git status --porcelain -uno)\" ] && git clean -fd";
        assert!(is_lossy(&untracked, command));
    }
}
