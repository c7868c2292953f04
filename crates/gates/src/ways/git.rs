//! Ways for git: what is not committed is put into a stash, what would be left behind gets a name.

use model::{Action, CallEnv, Loss, LostKind};

use super::spelling::{command, first, instead, path, quoted};
use super::{Stop, files};

/// Sweeps, of which a stash may hold a part.
const CLEAN: &str = "git clean";

/// `git`, where the repository is; nothing if that cannot be said.
fn git(root: &str, place: &CallEnv) -> Option<String> {
    let rest = place.cwd.strip_prefix(root);
    let is_here = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if is_here || root.is_empty() {
        return Some("git".to_owned());
    }
    Some(format!("git -C {}", path(root, place)?))
}

/// The repository and the ref of an action.
fn parts(action: &Action) -> (&str, &str) {
    action.name.split_once('#').unwrap_or((&action.name, ""))
}

/// Everything that a repository has, in one file beside it.
pub(super) fn bundle(dir: &str, name: &str, place: &CallEnv) -> Option<String> {
    let git = git(dir, place)?;
    let file = quoted(&format!("../{name}.bundle"))?;
    Some(format!("{git} bundle create {file} --all"))
}

/// What is not committed goes into a stash.
pub(super) fn discard(stop: &Stop<'_>, action: &Action) -> Option<String> {
    let (root, _) = parts(action);
    if !root.starts_with('/') {
        return other_systems(action);
    }
    let losses = || stop.actions.iter().filter_map(|action| action.loss.known());
    let mut kinds = Vec::new();
    let mut others = Vec::new();
    for loss in losses() {
        kinds.extend(loss.files.iter().map(|file| file.kind));
        others.extend(loss.other.iter().map(String::as_str));
    }
    let git = git(root, stop.place)?;
    if kinds.is_empty() && !others.is_empty() {
        return stashes(&git, &others);
    }
    // Git stashes nothing while there is a conflict, and its file has to stay where it is.
    if kinds.contains(&LostKind::Solved) {
        return put_aside(stop, root, "cp -n");
    }
    if kinds.contains(&LostKind::Ignored) {
        return ignored(stop, action, root);
    }
    let is_named = |loss: &Loss| loss.files_total as usize == loss.files.len();
    if action.program == CLEAN && !losses().all(is_named) {
        return look_at_clean(action);
    }
    let is_tracked = |kind: &LostKind| {
        matches!(
            kind,
            LostKind::Modified | LostKind::Staged | LostKind::Added
        )
    };
    let untracked = !kinds.iter().all(is_tracked) || kinds.is_empty();
    let more = if untracked { " -u" } else { "" };
    first(&format!("{git} stash push{more}"), "then repeat")
}

/// A stash that goes gets a branch.
fn stashes(git: &str, others: &[&str]) -> Option<String> {
    match others {
        [one] if one.contains("stash@{") => {
            let (_, name) = one.split_once("stash@{")?;
            let (number, _) = name.split_once('}')?;
            let command = format!("{git} branch stash-kept stash@{{{number}}}");
            first(&command, "then ask the user")
        }
        all if all.iter().any(|one| one.contains("stash")) => {
            first(&format!("{git} stash list"), "then drop only what may go")
        }
        _ => None,
    }
}

/// Ignored files are in no stash of the usual kind: a sweep is looked at, single files are put
/// aside.
fn ignored(stop: &Stop<'_>, action: &Action, root: &str) -> Option<String> {
    if action.program == CLEAN {
        return look_at_clean(action);
    }
    put_aside(stop, root, "mv -n")
}

/// The files get a second place, or another.
fn put_aside(stop: &Stop<'_>, root: &str, puts: &str) -> Option<String> {
    let losses = stop.actions.iter().filter_map(|action| action.loss.known());
    let mut shown = Vec::new();
    for loss in losses {
        if loss.files_total as usize != loss.files.len() {
            return None;
        }
        for file in &loss.files {
            let whole = format!("{root}/{}", file.path.trim_end_matches('/'));
            shown.push(path(&whole, stop.place)?);
        }
    }
    if let Some(secret) = shown.iter().find(|one| one.contains(".env")) {
        let who = "only the user can move it: ask the user.";
        return Some(format!("{secret} is in the way, and {who}"));
    }
    let aside = format!("mkdir kept && {puts} {} kept", shown.join(" "));
    let command = match shown.as_slice() {
        [one] => format!("{puts} {one} {}", files::beside(one)),
        _ => aside,
    };
    first(&command, "then repeat")
}

/// The same sweep, which only says what it would take.
fn look_at_clean(action: &Action) -> Option<String> {
    let at = action.argv.iter().position(|word| word == "clean")?;
    let mut words = vec!["git"];
    words.extend(action.argv.get(1..at)?.iter().map(String::as_str));
    words.extend(["clean", "-n"]);
    let kept: Vec<String> = action
        .argv
        .get(at + 1..)?
        .iter()
        .filter_map(tamed)
        .collect();
    words.extend(kept.iter().map(String::as_str));
    first(&command(words)?, "then name the paths that may go")
}

/// A word of a sweep without what forces it.
fn tamed(word: &String) -> Option<String> {
    if word == "--force" || word == "--interactive" || word == "--quiet" {
        return None;
    }
    let is_short = word.starts_with('-') && !word.starts_with("--");
    if !is_short {
        return Some(word.clone());
    }
    let word = word.replace(['f', 'i', 'q', 'n'], "");
    (word != "-").then_some(word)
}

/// Version control of other kinds: what is changed is put on a shelf or into a patch, a sweep is
/// looked at.
fn other_systems(action: &Action) -> Option<String> {
    let look = "then name what may go";
    match action.program.as_str() {
        "hg purge" | "hg clean" => first("hg purge --print", look),
        "svn cleanup" => first("svn status --no-ignore", look),
        "brz clean-tree" | "bzr clean-tree" | "fossil clean" => {
            first(&format!("{} --dry-run", action.program), look)
        }
        "hg update" | "hg up" | "hg checkout" | "hg co" | "hg merge" | "hg revert" => {
            first("hg shelve", "then repeat")
        }
        "svn revert" => first("svn diff > kept.patch", "then repeat"),
        "brz revert" | "bzr revert" => {
            let program = action.argv.first()?;
            first(&format!("{program} shelve --all"), "then repeat")
        }
        _ => None,
    }
}

/// A forced push that looks first.
pub(super) fn force(_: &Stop<'_>, action: &Action) -> Option<String> {
    let (remote, branch) = pushed(action)?;
    instead(
        &command(["git", "push", "--force-with-lease", remote, branch])?,
        "",
    )
}

/// A push to another branch, which a person can look at.
pub(super) fn other_branch(_: &Stop<'_>, action: &Action) -> Option<String> {
    let (remote, branch) = pushed(action)?;
    let to = format!("HEAD:refs/heads/{branch}-new");
    instead(
        &command(["git", "push", remote, &to])?,
        ", for a person to look at",
    )
}

/// Remote and branch of a push that names one of each.
fn pushed(action: &Action) -> Option<(&str, &str)> {
    let branch = action.branch.as_str();
    let remote = action.name.strip_suffix(branch)?.strip_suffix('/')?;
    let is_one = !branch.is_empty() && !branch.contains('*') && !branch.starts_with("refs/");
    (is_one && !remote.is_empty() && !remote.starts_with('-')).then_some((remote, branch))
}

/// The same, with the checks.
pub(super) fn with_checks(_: &Stop<'_>, action: &Action) -> Option<String> {
    let words: Vec<&str> = action.argv.iter().map(String::as_str).collect();
    let ("git", is_commit) = (*words.first()?, words.contains(&"commit")) else {
        return None;
    };
    if words.contains(&"config") {
        return None;
    }
    let mut kept: Vec<&str> = Vec::new();
    for word in words {
        if word.to_lowercase().starts_with("core.hookspath=") {
            // With the option that stands before it.
            let _ = kept.pop();
        } else if word != "--no-verify" && !(is_commit && word == "-n") {
            kept.push(word);
        }
    }
    let is_shorter = kept.len() < action.argv.len() || !action.text.starts_with("git ");
    let again = command(kept).filter(|_| is_shorter)?;
    instead(&again, ", and mend what the checks find")
}

/// Commits that no branch would hold get one.
pub(super) fn orphan(stop: &Stop<'_>, action: &Action) -> Option<String> {
    let (root, reference) = parts(action);
    let git = git(root, stop.place)?;
    let program = action.program.as_str();
    if program.contains("filter") || program == "git lfs" || program.contains("bfg") {
        let (_, name) = root.rsplit_once('/')?;
        return first(&bundle(root, name, stop.place)?, "then ask the user");
    }
    if matches!(
        program,
        "git gc" | "git prune" | "git reflog" | "git repack"
    ) {
        return instead(&format!("{git} gc"), ", which keeps what is recent");
    }
    let short = reference.trim_start_matches("refs/heads/");
    let short = short.trim_start_matches("refs/");
    let is_named = !short.is_empty() && short != "HEAD" && !short.contains(['*', '{', ' ']);
    let command = if is_named {
        let name = quoted(short)?;
        format!("{git} branch {name}-kept {name}")
    } else {
        format!("{git} branch kept")
    };
    first(&command, "then repeat")
}
