//! Ways for files: what goes is put aside, what is named too broadly is looked at first.

use model::{Action, Fact, Flag, LostKind, ResourceKind, Zone};

use super::spelling::{first, instead, path, quoted};
use super::{Stop, git};

/// Most things that are named one by one.
const NAMED_MAX: usize = 4;

/// What is put aside instead of deleted.
pub(super) fn delete(stop: &Stop<'_>, action: &Action) -> Option<String> {
    if action.program == "git worktree" {
        return git::discard(stop, action);
    }
    aside(stop, true)
}

/// What is put aside before something else takes its name.
pub(super) fn overwrite(stop: &Stop<'_>, action: &Action) -> Option<String> {
    let way = aside(stop, false)?;
    // A tool has its name for a word, and no others.
    let is_tool = action.argv.len() == 1 && stop.is_all();
    Some(if is_tool {
        format!("Edit it in place, or keep it. {way}")
    } else {
        way
    })
}

/// The files or directories that are put aside: the targets, or where those are made in the call
/// itself, what is lost with them.
fn things(stop: &Stop<'_>) -> Option<Vec<String>> {
    let project = &stop.place.project;
    let mut things: Vec<String> = Vec::new();
    for action in stop.actions {
        if action.kind == ResourceKind::Unknown || action.zone == Zone::Unknown {
            return None;
        }
        let Fact::Known(loss) = &action.loss else {
            return None;
        };
        let name = &action.name;
        let whole = |file: &str| match file.strip_prefix('/') {
            Some(_) => file.to_owned(),
            None => format!("{project}/{}", file.trim_end_matches('/')),
        };
        let is_below = |file: &str| {
            let rest = file.strip_prefix(name.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let files: Vec<String> = loss.files.iter().map(|file| whole(&file.path)).collect();
        let is_inside = name.starts_with(project.as_str());
        let of_name = files.is_empty() || !is_inside || files.iter().all(|file| is_below(file));
        if of_name {
            things.push(name.clone());
        } else if loss.files_total as usize == files.len() {
            things.extend(files);
        } else {
            return None;
        }
    }
    let mut seen: Vec<String> = Vec::new();
    for thing in things {
        if !seen.contains(&thing) {
            seen.push(thing);
        }
    }
    (seen.len() <= NAMED_MAX).then_some(seen)
}

/// Puts things aside under other names, or all of it into a stash.
fn aside(stop: &Stop<'_>, is_whole: bool) -> Option<String> {
    let stays = |action: &Action| {
        let name = &action.name;
        let is_touchy = action.flags.has(Flag::Secret) || action.kind == ResourceKind::Autorun;
        let is_system = matches!(action.zone, Zone::System | Zone::Root | Zone::HomeRoot);
        let is_touchy = is_touchy || (stop.place.settings.is_one)(name);
        is_touchy || is_system || name.contains("/.ssh/") || name.contains("/.env")
    };
    if stop.actions.iter().any(|action| stays(action)) {
        // Even another name for it is the user's to give.
        return None;
    }
    let things = things(stop).unwrap_or_default();
    // `~/.bashrc`: what programs look for under this name.
    let home = stop.place.home.as_str();
    let is_setting = |thing: &String| {
        let below_home = thing.strip_prefix(home);
        below_home.is_some_and(|rest| rest.starts_with("/."))
    };
    let is_secret = |thing: &String| thing.contains("/.env");
    if things
        .iter()
        .any(|thing| is_setting(thing) || is_secret(thing))
    {
        return None;
    }
    let shown: Option<Vec<String>> = things.iter().map(|one| path(one, stop.place)).collect();
    match shown.unwrap_or_default().as_slice() {
        [one] if one == "." => stash(stop),
        [one] if is_whole && is_kept_by_git(stop, false) && is_inside(stop, &things) => {
            stop.keep(&format!("git stash push -u -- {one}"), is_whole)
        }
        [one] => stop.keep(&format!("mv -n {one} {}", beside(one)), is_whole),
        [] => stash(stop),
        many => {
            let command = format!("mkdir kept && mv -n {} kept", many.join(" "));
            stop.keep(&command, is_whole).or_else(|| stash(stop))
        }
    }
}

/// All that is not committed, where git can keep all that would be lost.
fn stash(stop: &Stop<'_>) -> Option<String> {
    let is_known = stop
        .actions
        .iter()
        .all(|action| action.loss.known().is_some());
    let names: Vec<String> = stop.actions.iter().map(|one| one.name.clone()).collect();
    let is_here = names.iter().all(|name| name == &stop.place.project) || is_inside(stop, &names);
    let is_kept = is_known && is_here && is_kept_by_git(stop, true);
    is_kept
        .then(|| first("git stash push -u", "then repeat"))
        .flatten()
}

/// Whether all of it lies in the project.
fn is_inside(stop: &Stop<'_>, things: &[String]) -> bool {
    let root = format!("{}/", stop.place.project);
    things.iter().all(|thing| thing.starts_with(&root))
}

/// The name beside a name, quoted as that is.
pub(super) fn beside(shown: &str) -> String {
    match shown.strip_suffix('\'') {
        Some(open) => format!("{}.bak'", open.trim_end_matches('/')),
        None => format!("{}.bak", shown.trim_end_matches('/')),
    }
}

/// Whether a stash holds all that goes: changes of what git tracks, or also what is new.
fn is_kept_by_git(stop: &Stop<'_>, with_new: bool) -> bool {
    let losses = stop.actions.iter().filter_map(|action| action.loss.known());
    let kinds: Vec<LostKind> = losses
        .flat_map(|loss| loss.files.iter().map(|file| file.kind))
        .collect();
    let is_kept = |kind: &LostKind| match kind {
        LostKind::Modified | LostKind::Staged | LostKind::Added => true,
        LostKind::Untracked => with_new,
        LostKind::Solved | LostKind::Ignored | LostKind::Outside => false,
    };
    !kinds.is_empty() && kinds.iter().all(is_kept)
}

/// What lies there is looked at, and then named.
pub(super) fn name_it(stop: &Stop<'_>, action: &Action) -> Option<String> {
    let dir = action
        .name
        .trim_end_matches(['*', '.'])
        .trim_end_matches('/');
    let shown = match dir {
        "" if action.name.starts_with('/') => "/".to_owned(),
        "" => return None,
        dir => path(dir, stop.place)?,
    };
    first(
        &format!("ls -A {shown}"),
        "then name the one thing that has to go",
    )
}

/// All history in one file, since nothing else holds what was not pushed.
pub(super) fn delete_history(stop: &Stop<'_>, action: &Action) -> Option<String> {
    let dir = action.name.strip_suffix("/.git")?;
    let (_, name) = dir.rsplit_once('/')?;
    git::bundle(dir, name, stop.place).and_then(|command| first(&command, "then ask the user"))
}

/// What the words come to, before anything of it is deleted.
pub(super) fn show_unknown(_: &Stop<'_>, action: &Action) -> Option<String> {
    let mut words = action.text.split(' ').filter(|word| !word.is_empty());
    if words.next()? != "rm"
        || action
            .text
            .contains(['|', ';', '<', '>', '(', '&', '…', '{'])
    {
        return None;
    }
    let names: Vec<&str> = words.filter(|word| !word.starts_with('-')).collect();
    let command = format!("ls -d {}", names.join(" "));
    first(&command, "then name what has to go")
}

/// The right for the group alone.
pub(super) fn for_the_group(stop: &Stop<'_>, action: &Action) -> Option<String> {
    let target = action.argv.last()?;
    let shown = if target.starts_with('/') {
        path(target, stop.place)?
    } else {
        quoted(target)?
    };
    instead(&format!("chmod -R g+w {shown}"), ", for the group alone")
}
