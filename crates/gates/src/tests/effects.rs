//! What a decision makes the store remember.

use model::{Action, Call, Effect, EventKind, Flag, Level, ResourceKind, Snapshot, Verb, fnv64};

use super::{builtin_only, event, shell};
use crate::decide;

fn write(name: &str, flags: &[Flag]) -> Action {
    let mut action = Action::new(Verb::Write, ResourceKind::File, name);
    action.zone = model::Zone::Project;
    action.flags = flags.iter().fold(action.flags, |all, flag| all.with(*flag));
    action
}

fn effects(kind: EventKind<'_>, actions: Vec<Action>) -> Vec<Effect> {
    let mut known = Snapshot::default();
    known.analysis.actions = actions;
    decide(&event(kind), &known, &builtin_only()).effects
}

#[test]
fn a_call_that_may_run_intends_its_writes() {
    let actions = vec![
        write("/p/new", &[Flag::Creates, Flag::Truncate]),
        write("/p/old", &[Flag::Truncate]),
        write("/p/log", &[Flag::Append]),
        write("/p/far", &[Flag::Creates, Flag::Elsewhere]),
    ];
    let [new, old] = ["/p/new", "/p/old"].map(|path| fnv64(path.as_bytes()));
    let mut read_paths = vec![new, old];
    read_paths.sort_unstable();
    let found = effects(EventKind::ToolBefore(shell("x")), actions);
    let counted = Effect::Counted {
        level: Level::Allow,
    };
    assert_eq!(
        found,
        [
            counted,
            Effect::Intends {
                created_paths: vec![new],
                read_paths
            }
        ]
    );
}

#[test]
fn a_move_makes_nothing_new() {
    let mv = |mut action: Action| {
        action.argv = ["mv", "/p/old", "/p/new"].map(str::to_owned).to_vec();
        action
    };
    let moved = Action::new(Verb::Move, ResourceKind::File, "/p/old");
    let arrived = write("/p/new", &[Flag::Creates, Flag::Truncate]);
    let known = |own: Vec<u64>| {
        let mut known = Snapshot::default();
        known.analysis.actions = vec![mv(moved.clone()), mv(arrived.clone())];
        known.place.created_paths = own.clone();
        known.place.read_paths = own;
        known
    };
    let intends = |known: Snapshot| {
        let decision = decide(
            &event(EventKind::ToolBefore(shell("x"))),
            &known,
            &builtin_only(),
        );
        let mut effects = decision.effects.into_iter();
        effects.any(|effect| matches!(effect, Effect::Intends { .. }))
    };
    assert!(
        !intends(known(Vec::new())),
        "somebody's file under a new name"
    );
    assert!(
        intends(known(vec![fnv64(b"/p/old")])),
        "a file of this session"
    );
}

#[test]
fn a_call_that_is_refused_intends_nothing() {
    let mut root = Action::new(Verb::Delete, ResourceKind::File, "/");
    root.zone = model::Zone::Root;
    let new = write("/p/new", &[Flag::Creates]);
    let found = effects(EventKind::ToolBefore(shell("x")), vec![root, new]);
    assert_eq!(found, [Effect::Counted { level: Level::Deny }]);
}

#[test]
fn what_was_read_is_known_once_the_read_has_happened() {
    let read = || Call::Read { path: "a".into() };
    let action = Action::new(Verb::Read, ResourceKind::File, "/p/a");
    let before = effects(EventKind::ToolBefore(read()), vec![action.clone()]);
    assert_eq!(
        before,
        [Effect::Counted {
            level: Level::Allow
        }]
    );
    let after = effects(EventKind::ToolAfter { call: read() }, vec![action]);
    let read_paths = Effect::Seen(vec![fnv64(b"/p/a")]);
    assert_eq!(after, [Effect::Happened, read_paths]);
    let failed = EventKind::ToolFailed {
        call: read(),
        error: String::new(),
    };
    assert_eq!(effects(failed, Vec::new()), []);
}

#[test]
fn advice_is_given_once_in_a_while() {
    let fault = model::Fault {
        cause: model::FaultCause::Journal,
        what: "the journal is full".into(),
    };
    let mut known = Snapshot {
        faults: vec![fault],
        ..Snapshot::default()
    };
    let before = event(EventKind::ToolBefore(shell("x")));
    let first = decide(&before, &known, &builtin_only());
    assert_eq!(first.advice().count(), 1);
    let said: Vec<u64> = first
        .effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Said(hash) => Some(*hash),
            _ => None,
        })
        .collect();
    known.session.said = said.iter().map(|hash| (*hash, 0)).collect();
    known.session.calls = 1;
    let second = decide(&before, &known, &builtin_only());
    assert_eq!(second.advice().count(), 0);
    assert_eq!(second.findings.len(), 1, "the finding itself is kept");
}
