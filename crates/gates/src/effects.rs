//! What a decision makes the store remember.

use model::fnv64;
use model::{Action, Call, Effect, Event, EventKind, Flag, Level, ResourceKind, Snapshot, Verb};

/// The effects of an event that was answered with a level.
pub(crate) fn of(event: &Event<'_>, known: &Snapshot, level: Level) -> Vec<Effect> {
    match &event.kind {
        EventKind::ToolBefore(_) => before(known, level),
        EventKind::ToolAfter { call } => after(call, known),
        _ => Vec::new(),
    }
}

/// A call that may run intends what its writes say. What was asked may still be approved.
fn before(known: &Snapshot, level: Level) -> Vec<Effect> {
    let mut effects = vec![Effect::Counted { level }];
    if level == Level::Deny {
        return effects;
    }
    let writes = || {
        known
            .analysis
            .actions
            .iter()
            .filter(|action| is_write(action))
    };
    let place = &known.place;
    let made = |action: &&Action| {
        action.flags.has(Flag::Creates) && !is_moved(action, known, &place.created_paths)
    };
    // `git init DIR`, `git clone URL DIR` make a directory, and show nothing.
    let told = |action: &&Action| {
        action.kind != ResourceKind::Git
            && is_whole(action)
            && !is_moved(action, known, &place.read_paths)
    };
    let created_paths = hashes(writes().filter(made));
    let read_paths = hashes(writes().filter(told));
    if !created_paths.is_empty() || !read_paths.is_empty() {
        effects.push(Effect::Intends {
            created_paths,
            read_paths,
        });
    }
    effects
}

fn after(call: &Call<'_>, known: &Snapshot) -> Vec<Effect> {
    let mut effects = vec![Effect::Happened];
    if let Call::Read { path } = call {
        let actions = known.analysis.actions.iter();
        let reads = actions.filter(|action| action.verb == Verb::Read && is_here(action));
        let mut read_paths = hashes(reads);
        if read_paths.is_empty() && path.starts_with('/') {
            read_paths.push(fnv64(path.as_bytes()));
        }
        effects.push(Effect::Seen(read_paths));
    }
    effects
}

/// Whether what is written is an older file under a new name. A move makes nothing and shows
/// nothing, unless what it moves is among those that this session made or saw.
fn is_moved(action: &Action, known: &Snapshot, own: &[u64]) -> bool {
    let actions = &known.analysis.actions;
    let mut sources = actions
        .iter()
        .filter(|source| source.verb == Verb::Move && source.argv == action.argv);
    let is_own = |source: &Action| own.contains(&fnv64(source.name.as_bytes()));
    !action.argv.is_empty() && sources.any(|source| !is_own(source))
}

fn is_write(action: &Action) -> bool {
    action.verb == Verb::Write && is_here(action)
}

/// A file on this machine whose path is known.
fn is_here(action: &Action) -> bool {
    let file = matches!(
        action.kind,
        ResourceKind::File | ResourceKind::Autorun | ResourceKind::Git
    );
    let named = !action.name.is_empty() && action.certainty != model::Certainty::Unknown;
    file && named && !action.flags.has(Flag::Elsewhere)
}

/// Whether the worker knows all of the file afterwards.
fn is_whole(action: &Action) -> bool {
    let replaced = action.flags.has(Flag::Truncate) && !action.flags.has(Flag::Append);
    replaced || action.flags.has(Flag::Creates)
}

fn hashes<'a>(actions: impl Iterator<Item = &'a Action>) -> Vec<u64> {
    let mut hashes: Vec<u64> = actions
        .map(|action| fnv64(action.name.as_bytes()))
        .collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}
