//! What a decision changes in a session's record. Pure; knows no files.

use model::section::StepError;
use model::{
    BINDINGS_MAX, Binding, Effect, Level, Pending, Project, SESSION_PATHS_MAX, SESSION_PENDING_MAX,
    Session,
};

/// Most paths that one call under way is remembered with, in each set.
pub const PENDING_PATHS_MAX: usize = 64;

/// Most pieces of advice that a session remembers; the oldest go first.
pub const SESSION_SAID_MAX: usize = 64;

/// Most events that a session remembers as handled; the oldest go first.
pub const SESSION_HANDLED_MAX: usize = 64;

/// Applies effects in order. `call` is the hash of the id of the call that they belong to.
///
/// # Errors
/// If a section is not as the decision saw it, or a newer program's. Then the session must not be
/// saved.
pub fn apply(session: &mut Session, call: u64, effects: &[Effect]) -> Result<(), StepError> {
    for effect in effects {
        match effect {
            Effect::Bound(binding) => bind(session, *binding),
            Effect::Intends {
                created_paths,
                read_paths,
            } => intend(session, call, created_paths, read_paths),
            Effect::Happened => happen(session, call),
            Effect::Seen(paths) => remember(&mut session.read_paths, paths, SESSION_PATHS_MAX),
            Effect::Said(advice) => say(session, *advice),
            Effect::Unsaid(advice) => session.said.retain(|(known, _)| known != advice),
            Effect::Counted { level } => count(session, *level),
            Effect::Step(step) => step.apply(&mut session.sections)?,
            // The project's record is another.
            Effect::Shared(_) => {}
        }
    }
    Ok(())
}

/// Makes the changes of a project's record.
///
/// # Errors
/// As [`apply`].
pub fn share(project: &mut Project, effects: &[Effect]) -> Result<(), StepError> {
    for effect in effects {
        if let Effect::Shared(step) = effect {
            step.apply(&mut project.sections)?;
        }
    }
    Ok(())
}

fn bind(session: &mut Session, binding: Binding) {
    let same = |known: &Binding| (known.process, known.start) == (binding.process, binding.start);
    // What was once known to be nested stays so.
    let nested = session
        .bindings
        .iter()
        .any(|known| same(known) && known.nested);
    session.bindings.retain(|known| !same(known));
    session.bindings.push(Binding {
        nested: nested || binding.nested,
        ..binding
    });
    // What a worker starts must not push its host out.
    while session.bindings.len() > BINDINGS_MAX {
        let nested = session.bindings.iter().position(|known| known.nested);
        session.bindings.remove(nested.unwrap_or_default());
    }
}

/// Puts `new` at the end of a set, once each; the oldest make room.
pub fn remember(set: &mut Vec<u64>, new: &[u64], count_max: usize) {
    let mut new = new.to_vec();
    new.sort_unstable();
    new.dedup();
    set.retain(|known| new.binary_search(known).is_err());
    set.append(&mut new);
    drop_oldest(set, count_max);
}

fn drop_oldest<T>(list: &mut Vec<T>, count_max: usize) {
    let surplus = list.len().saturating_sub(count_max);
    list.drain(..surplus);
}

fn intend(session: &mut Session, call: u64, created_paths: &[u64], read_paths: &[u64]) {
    let first = |paths: &[u64]| paths.iter().copied().take(PENDING_PATHS_MAX).collect();
    session.pending.retain(|pending| pending.call != call);
    session.pending.push(Pending {
        call,
        created_paths: first(created_paths),
        read_paths: first(read_paths),
    });
    drop_oldest(&mut session.pending, SESSION_PENDING_MAX);
}

fn happen(session: &mut Session, call: u64) {
    let found = session
        .pending
        .iter()
        .position(|pending| pending.call == call);
    let Some(pending) = found.map(|at| session.pending.remove(at)) else {
        return;
    };
    remember(
        &mut session.created_paths,
        &pending.created_paths,
        SESSION_PATHS_MAX,
    );
    remember(
        &mut session.read_paths,
        &pending.read_paths,
        SESSION_PATHS_MAX,
    );
}

fn say(session: &mut Session, advice: u64) {
    session.said.retain(|(known, _)| *known != advice);
    session.said.push((advice, session.calls));
    drop_oldest(&mut session.said, SESSION_SAID_MAX);
}

fn count(session: &mut Session, level: Level) {
    session.calls += 1;
    match level {
        Level::Allow => {}
        Level::Ask => session.asked += 1,
        Level::Deny => session.denied += 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(effects: &[(u64, Effect)]) -> Session {
        let mut session = Session::default();
        for (call, effect) in effects {
            apply(&mut session, *call, std::slice::from_ref(effect)).unwrap();
        }
        session
    }

    fn intends(created_paths: &[u64]) -> Effect {
        Effect::Intends {
            created_paths: created_paths.to_vec(),
            read_paths: vec![9],
        }
    }

    #[test]
    fn an_intention_counts_once_it_happened() {
        let session = after(&[(1, intends(&[5])), (2, intends(&[6]))]);
        assert!(session.created_paths.is_empty() && session.pending.len() == 2);
        let session = after(&[
            (1, intends(&[5])),
            (2, intends(&[6])),
            (2, Effect::Happened),
            (2, Effect::Happened),
            (3, Effect::Happened),
        ]);
        assert_eq!(
            (session.created_paths, session.read_paths),
            (vec![6], vec![9])
        );
        assert_eq!(session.pending.len(), 1);
    }

    #[test]
    fn calls_are_counted_by_level() {
        let levels = [Level::Allow, Level::Ask, Level::Deny, Level::Deny];
        let session = after(&levels.map(|level| (1, Effect::Counted { level })));
        assert_eq!((session.calls, session.asked, session.denied), (4, 1, 2));
    }

    #[test]
    fn advice_is_remembered_with_its_latest_call() {
        let counted = Effect::Counted {
            level: Level::Allow,
        };
        let session = after(&[(1, Effect::Said(7)), (1, counted), (2, Effect::Said(7))]);
        assert_eq!(session.said, [(7, 1)]);
    }

    #[test]
    fn a_nested_host_stays_nested() {
        let binding = |nested| {
            Effect::Bound(Binding {
                process: 7,
                start: 9,
                nested,
            })
        };
        let session = after(&[(1, binding(true)), (1, binding(false))]);
        assert!(session.bindings.len() == 1 && session.bindings[0].nested);
    }

    #[test]
    fn nested_hosts_do_not_push_the_first_one_out() {
        let binding = |process, nested| Binding {
            process,
            start: 9,
            nested,
        };
        let mut effects = vec![(1, Effect::Bound(binding(7, false)))];
        effects.extend((100..150).map(|process| (1, Effect::Bound(binding(process, true)))));
        let session = after(&effects);
        assert_eq!(session.bindings.len(), BINDINGS_MAX);
        assert_eq!(session.bindings.first(), Some(&binding(7, false)));
        assert_eq!(session.bindings.last(), Some(&binding(149, true)));
    }

    #[test]
    fn every_list_forgets_its_oldest() {
        let many: Vec<u64> = (0..5_000).collect();
        let mut effects = vec![(1, Effect::Seen(many.clone()))];
        effects.extend((0..100).map(|call| (call, intends(&many))));
        effects.extend((0..100).map(|advice| (1, Effect::Said(advice))));
        let session = after(&effects);
        assert_eq!(session.read_paths.len(), SESSION_PATHS_MAX);
        assert_eq!(session.read_paths.last(), Some(&4_999));
        assert_eq!(session.pending.len(), SESSION_PENDING_MAX);
        assert!(
            session
                .pending
                .iter()
                .all(|p| p.created_paths.len() == PENDING_PATHS_MAX)
        );
        assert_eq!(session.said.len(), SESSION_SAID_MAX);
    }
}
