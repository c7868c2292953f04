//! Commands that read the repository, and what they write when told to (`--output`).

use super::command::Git;
use crate::machine::Output;
use crate::options::{Options, Spec, attached, flag, value};
use crate::wrappers::launch;
use crate::{Arg, Invocation, Packed, PackedAs, World, stdout};
use model::{Fact, LostFile, WorkKey};
use text::glob::is_glob;
use text::path;

/// Options of the reading commands that matter; the rest is skipped.
const READ: Spec = Spec {
    abbreviate: false,
    ..Spec::gnu(&[
        value("output"),
        value("extcmd x"),
        flag("no-prompt y"),
        value("contents"),
        value("format"),
    ])
};

const GREP: Spec = Spec {
    abbreviate: false,
    ..Spec::gnu(&[
        attached("open-files-in-pager O"),
        flag("no-index"),
        flag("files-with-matches name-only l"),
        flag("files-without-match L"),
        flag("count c"),
        flag("quiet q"),
        value("e f"),
    ])
};

const ARCHIVE: Spec = Spec::gnu(&[
    value("output o"),
    value("remote"),
    value("exec"),
    value("format"),
    value("prefix"),
    value("add-file"),
    value("add-virtual-file"),
    value("mtime"),
    flag("list l"),
    flag("verbose v"),
    flag("worktree-attributes"),
]);

const FORMAT_PATCH: Spec = Spec::gnu(&[
    value("output-directory o"),
    value("output"),
    flag("stdout"),
    flag("numbered n"),
    flag("no-numbered N"),
    flag("keep-subject k"),
    flag("signoff s"),
    flag("no-stat p"),
    flag("cover-letter"),
    flag("quiet q"),
    flag("zero-commit"),
    value("reroll-count v"),
    value("start-number"),
    value("subject-prefix"),
    value("to"),
    value("cc"),
    value("in-reply-to"),
    attached("attach"),
    attached("inline"),
    attached("thread"),
    attached("base"),
    attached("signature"),
]);

/// Commands that show the content of the paths they name.
const SHOW_CONTENT: &[&str] = &["diff", "blame", "annotate", "show", "cat-file"];

/// `git diff`, `git log`, `git show`, …
pub(super) fn look(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(if git.name == "grep" { &GREP } else { &READ });
    if read.asks_for_help() {
        return;
    }
    if let Some(file) = read.value("output") {
        git.write_file(world, file);
    }
    if SHOW_CONTENT.contains(&git.name.as_str()) {
        read_content(git, world, &read);
        let shown = read.value("contents").filter(|file| file.is_known());
        if let Some(file) = shown.and_then(|file| git.absolute(file)) {
            git.context(world).read(&file);
        }
    }
    if git.name == "difftool"
        && let Some(command) = read.value("extcmd")
    {
        world.script(git.invocation, "git difftool --extcmd", command);
    }
    if git.name == "grep" {
        read_outside(git, world, &read);
        if let Some(command) = read.value("open-files-in-pager") {
            open_in(git, world, &read, command);
        }
    }
}

/// `git grep --no-index`: files that are in no commit are gone through too.
fn read_outside(git: &Git<'_>, world: &mut World<'_>, read: &Options) {
    let counts = ["files-with-matches", "name-only", "files-without-match"];
    let counts = read.has_any(&counts) || read.has_any(&["count", "quiet"]);
    if counts || !read.has("no-index") {
        return;
    }
    let named = usize::from(!read.has_any(&["e", "f"]));
    for file in read.operands.iter().skip(named) {
        if let Some(file) = git.absolute(file).filter(Arg::is_known) {
            git.context(world).read(&file);
        }
    }
}

/// `git grep -O'text'`: a shell's text, to which the files that match are handed.
fn open_in(git: &Git<'_>, world: &mut World<'_>, read: &Options, command: &Arg) {
    let label = "git grep --open-files-in-pager";
    let sure = read.separator.unwrap_or(usize::MAX);
    let operands = read.operands.iter().enumerate();
    let mut paths: Vec<Arg> = operands
        .filter(|(index, word)| *index >= sure || git.names_path(world, word))
        .filter_map(|(_, word)| git.absolute(word))
        .collect();
    if paths.is_empty() {
        paths.extend(git.absolute(&Arg::literal(".")));
    }
    let text = command.clone().followed_by(&Arg::literal(" \"$@\""));
    let shell = [
        Arg::literal("sh"),
        Arg::literal("-c"),
        text,
        Arg::literal("sh"),
    ];
    let argv = launch::for_each_file(&paths, &shell);
    world.command(git.invocation, label, &argv);
}

/// Notes which files are shown, so that rules about secrets see them.
fn read_content(git: &Git<'_>, world: &mut World<'_>, read: &Options) {
    let sure = read.separator.unwrap_or(usize::MAX);
    for (index, word) in read.operands.iter().enumerate() {
        let (committed, path) = match word.text.split_once(':') {
            Some((revision, path)) if !revision.is_empty() => (true, path),
            _ => (false, word.text.as_str()),
        };
        let file = Arg {
            text: path.to_owned(),
            ..word.clone()
        };
        let shown = committed || index >= sure || git.names_path(world, &file);
        if let Some(file) = git.absolute(&file).filter(|_| shown && file.is_known()) {
            git.context(world).read(&file);
        }
    }
}

/// `git archive`
pub(super) fn archive(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&ARCHIVE);
    if read.asks_for_help() {
        return;
    }
    if let Some(file) = read.value("output") {
        git.write_file(world, file);
    }
    if let Some(command) = read.value("exec").filter(|_| read.has("remote")) {
        world.script(git.invocation, "git archive --exec", command);
    }
}

/// Subcommands that print what is read here.
const PRINTING: &[&str] = &[
    "archive",
    "branch",
    "diff",
    "for-each-ref",
    "ls-files",
    "tag",
];

/// What a git command prints: an archive, a patch, or what is known without the repository's
/// history.
pub(super) fn printed(world: &mut World<'_>, invocation: &Invocation) -> Output {
    let mut words = invocation.args.iter().map(|arg| arg.text.as_str());
    // Most commands need not be read for what they print.
    let git = match words.any(|word| PRINTING.contains(&word)) {
        true => Git::read(invocation, world),
        false => None,
    };
    let Some(git) = git else {
        return stdout::git(world, invocation);
    };
    let packed = match git.name.as_str() {
        "archive" => archived(&git, world),
        "diff" if git.args.iter().any(|arg| arg.text == "--name-only") => {
            return changed(&git, world);
        }
        "diff" => patch(&git, world),
        "ls-files" => return listed(&git, world),
        "for-each-ref" | "branch" | "tag" if git.args.iter().any(has_format) => {
            return composed(&git);
        }
        _ => return stdout::git(world, invocation),
    };
    packed.map_or(Output::Unknown, Output::Packed)
}

fn has_format(arg: &Arg) -> bool {
    arg.text.starts_with("--format")
}

const LS_FILES: Spec = Spec::full(&[
    flag("modified m"),
    flag("others o"),
    flag("deleted d"),
    flag("ignored i"),
    flag("directory"),
    flag("exclude-standard"),
    flag("z"),
]);

/// `git ls-files -m`, `git ls-files -o --exclude-standard`: what a command after it may take, from
/// where it is started. What is no loss to anybody is left out: files that are gone, and build
/// output.
fn listed(git: &Git<'_>, world: &mut World<'_>) -> Output {
    let read = git.options(&LS_FILES);
    let at = git.standing(world);
    let here = git.dir.clone().unwrap_or_default();
    let Some(here) = path::relative_to(&here, &at.root) else {
        return Output::Unknown;
    };
    let kinds = ["modified", "others", "deleted"];
    let is_one_kind = kinds.iter().filter(|kind| read.has(kind)).count() == 1;
    let is_plain = |word: &Arg| {
        let said = word.text.as_str();
        word.is_known() && !word.glob && !said.starts_with([':', '/', '.']) && !is_glob(said)
    };
    let is_read = read.unknown.is_empty() && read.operands.iter().all(is_plain);
    if !is_read || !is_one_kind || at.repo().is_none() {
        return Output::Unknown;
    }
    if read.has("deleted") {
        return Output::Text(Arg::derived(""));
    }
    let work = world.work(WorkKey {
        dir: at.root.clone(),
        paths: Vec::new(),
    });
    let Fact::Known(work) = work else {
        return Output::Unknown;
    };
    let only_ignored = read.has("ignored");
    let mut files = match (read.has("modified"), only_ignored) {
        (true, true) => return Output::Unknown,
        (true, false) => work.unstaged,
        (false, true) if !read.has("exclude-standard") => return Output::Unknown,
        (false, true) => work.ignored.clone(),
        (false, false) => work.untracked,
    };
    if read.has("others") && !read.has("exclude-standard") {
        files.extend(work.ignored);
    }
    let Some(files) = seen_from(here, &read.operands, files) else {
        return Output::Unknown;
    };
    let is_spelled = read.has("directory")
        || !only_ignored
        || files.iter().all(|file| !file.path.ends_with('/'));
    if work.cut || files.len() > LISTED_MAX || !is_spelled {
        return Output::Unknown;
    }
    let end = if read.has("z") { '\0' } else { '\n' };
    let names = files.iter().map(|file| format!("{}{end}", file.path));
    Output::Text(Arg::derived(names.collect::<String>()))
}

/// Of these files those that are asked for, by their names as seen from a directory of the
/// repository; `None` if some may lie below a directory in whose place none of its files stands.
fn seen_from(here: &str, asked: &[Arg], mut files: Vec<LostFile>) -> Option<Vec<LostFile>> {
    let prefix = match here {
        "" => String::new(),
        here => format!("{here}/"),
    };
    let is_above = |path: &str| {
        let mut asked = asked.iter();
        let is_named = asked.any(|word| format!("{prefix}{}", word.text).starts_with(path));
        path.ends_with('/') && (is_named || prefix.starts_with(path))
    };
    if files.iter().any(|file| is_above(&file.path)) {
        return None;
    }
    let is_asked = |name: &str| {
        let mut dirs = asked.iter().map(|word| word.text.trim_end_matches('/'));
        asked.is_empty() || dirs.any(|dir| path::is_within(name, dir))
    };
    files.retain_mut(|file| {
        let inside = file.path.strip_prefix(&prefix);
        let inside = inside.filter(|name| is_asked(name)).map(str::to_owned);
        inside.is_some_and(|name| {
            file.path = name;
            true
        })
    });
    Some(files)
}

const DIFF_NAMES: Spec = Spec {
    abbreviate: false,
    ..Spec::full(&[
        flag("name-only"),
        flag("cached staged"),
        flag("z"),
        value("diff-filter"),
    ])
};

/// `git diff --name-only`, `git diff HEAD --name-only`: what a command after it may take. Files
/// that are gone are left out.
fn changed(git: &Git<'_>, world: &mut World<'_>) -> Output {
    let read = git.options(&DIFF_NAMES);
    let at = git.standing(world);
    let is_top = git.dir.as_ref().is_ok_and(|dir| *dir == at.root);
    let from_head = match read.operands.as_slice() {
        [] => false,
        [only] if only.text == "HEAD" => true,
        _ => return Output::Unknown,
    };
    let filter = read.value("diff-filter").map_or("", |filter| &filter.text);
    let is_read = read.unknown.is_empty() && filter.chars().all(|c| "ACMRdtuxb".contains(c));
    // What this call did before may have changed the list.
    let is_same = world.now.overlay.leaves_alone(&at.root);
    if !is_read || !is_top || !is_same || at.repo().is_none() {
        return Output::Unknown;
    }
    let work = world.work(WorkKey {
        dir: at.root,
        paths: Vec::new(),
    });
    let Fact::Known(work) = work else {
        return Output::Unknown;
    };
    let mut names: Vec<String> = Vec::new();
    let staged = if read.has("cached") || from_head {
        work.staged
    } else {
        Vec::new()
    };
    let unstaged = if read.has("cached") {
        Vec::new()
    } else {
        work.unstaged
    };
    for file in unstaged.into_iter().chain(staged) {
        if !names.contains(&file.path) {
            names.push(file.path);
        }
    }
    if work.cut || names.len() > LISTED_MAX {
        return Output::Unknown;
    }
    let end = if read.has("z") { '\0' } else { '\n' };
    let lines = names.iter().map(|name| format!("{name}{end}"));
    Output::Text(Arg::derived(lines.collect::<String>()))
}

/// Most files that a listing is spelled out to.
const LISTED_MAX: usize = 256;

const FORMAT: Spec = Spec {
    abbreviate: false,
    ..Spec::gnu(&[value("format")])
};

/// `--format='git branch -D %(refname)'`: a listing that is made to be run. What stands for the
/// refs is not known.
fn composed(git: &Git<'_>) -> Output {
    let read = git.options(&FORMAT);
    let Some(format) = read.value("format").filter(|format| format.is_known()) else {
        return Output::Unknown;
    };
    let mut rest = format.text.as_str();
    if !rest.trim().contains(' ') {
        return Output::Unknown;
    }
    let mut text = String::new();
    while let Some((before, after)) = rest.split_once("%(") {
        text.push_str(before);
        text.push(Arg::HOLE);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    text.push_str(rest);
    text.push('\n');
    Output::Text(Arg::derived(text))
}

fn archived(git: &Git<'_>, world: &mut World<'_>) -> Option<Packed> {
    let read = git.options(&ARCHIVE);
    let at = git.standing(world);
    let is_ours = !read.has_any(&["output", "remote", "list", "prefix"]);
    at.repo().filter(|_| is_ours)?;
    let paths = read.operands.get(1..).unwrap_or_default();
    Some(Packed {
        form: PackedAs::Committed,
        dir: at.root,
        names: paths.iter().map(|path| path.text.clone()).collect(),
    })
}

/// Options of `git diff` that leave nothing out of a patch.
const WHOLE_PATCH: Spec = Spec::full(&[
    flag("cached staged"),
    flag("patch p u"),
    flag("binary"),
    flag("full-index"),
    flag("no-color"),
    flag("no-ext-diff"),
    flag("text a"),
    flag("R"),
    value("unified U"),
]);

/// A patch with which what `git diff` shows can be had back.
fn patch(git: &Git<'_>, world: &mut World<'_>) -> Option<Packed> {
    let read = git.options(&WHOLE_PATCH);
    let at = git.standing(world);
    at.repo()?;
    let mut words = read.operands.as_slice();
    let mut form = match read.has("cached") {
        true => PackedAs::PatchOfIndex,
        false => PackedAs::PatchOfFiles,
    };
    if let Some((first, rest)) = words.split_first()
        && first.text == "HEAD"
        && read.separator != Some(0)
    {
        words = rest;
        form = match form {
            PackedAs::PatchOfFiles => PackedAs::PatchOfBoth,
            other => other,
        };
    }
    let are_paths =
        read.separator.is_some() || words.iter().all(|word| git.names_path(world, word));
    let paths = git.paths(words, &at);
    let is_whole = read.unknown.is_empty() && are_paths && !paths.uncertain;
    is_whole.then(|| Packed {
        form: if read.has("R") { form.turned() } else { form },
        names: paths.bases(&at.root),
        dir: at.root,
    })
}

/// `git format-patch`: new files, named by their commits.
pub(super) fn format_patch(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&FORMAT_PATCH);
    if read.asks_for_help() {
        return;
    }
    if let Some(file) = read.value("output") {
        return git.write_file(world, file);
    }
    if read.has("stdout") {
        return;
    }
    let here = Arg::literal(".");
    let dir = read.value("output-directory").unwrap_or(&here);
    if let Some(target) = git.target(world, dir) {
        let target = git.context(world).filled(&target);
        git.context(world).edit(&target, model::Flags::NONE);
    }
}

const MERGE_FILE: Spec = Spec::gnu(&[
    flag("stdout p"),
    flag("quiet q"),
    flag("diff3"),
    flag("zdiff3"),
    flag("ours"),
    flag("theirs"),
    flag("union"),
    flag("object-id"),
    value("L"),
    value("marker-size"),
    value("diff-algorithm"),
]);

/// `git merge-file`: the first file becomes what is merged.
pub(super) fn merge_file(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&MERGE_FILE);
    if read.asks_for_help() {
        return;
    }
    if read.has_any(&["stdout", "object-id"]) {
        return;
    }
    let first = read.operands.first();
    if let Some(target) = first.and_then(|file| git.target(world, file)) {
        git.context(world)
            .edit_in_place(&target, model::Flags::NONE);
    }
}

/// Options of the commands below.
const PLUMBING: Spec = Spec::gnu(&[
    flag("in-place"),
    value("encoding"),
    value("export-marks"),
    value("if-exists"),
    value("if-missing"),
    value("import-marks"),
    value("keep"),
    value("max-input-size"),
    value("o"),
    value("quoted-cr"),
    value("refspec"),
    value("trailer"),
    value("where"),
]);

/// `git mailinfo`: the message and the patch go into two files.
pub(super) fn mailinfo(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&PLUMBING);
    if read.asks_for_help() {
        return;
    }
    for file in &read.operands {
        git.write_file(world, file);
    }
}

/// `git interpret-trailers --in-place`
pub(super) fn trailers(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&PLUMBING);
    if read.asks_for_help() {
        return;
    }
    for file in read.operands.iter().filter(|_| read.has("in-place")) {
        if let Some(target) = git.target(world, file) {
            git.context(world)
                .edit_in_place(&target, model::Flags::NONE);
        }
    }
}

/// `git fast-export --export-marks=FILE`
pub(super) fn fast_export(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&PLUMBING);
    if read.asks_for_help() {
        return;
    }
    if let Some(file) = read.value("export-marks") {
        git.write_file(world, file);
    }
}

/// `git index-pack -o FILE`
pub(super) fn index_pack(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&PLUMBING);
    if read.asks_for_help() {
        return;
    }
    if let Some(file) = read.value("o") {
        git.write_file(world, file);
    }
}
