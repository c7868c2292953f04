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

/// What a call intends: the names that it makes, and those that the worker then knows.
fn intended(actions: Vec<Action>) -> (Vec<u64>, Vec<u64>) {
    let found = effects(EventKind::ToolBefore(shell("x")), actions);
    let mut found = found.into_iter().filter_map(|effect| match effect {
        Effect::Intends {
            created_paths,
            read_paths,
        } => Some((created_paths, read_paths)),
        _ => None,
    });
    found.next().unwrap_or_default()
}

#[test]
fn only_files_here_whose_whole_content_is_known_are_known_afterwards() {
    let of = |flags: &[Flag]| write("/p/a", flags);
    let no = |action: Action| Action {
        name: String::new(),
        ..action
    };
    let kind = |kind, action| Action { kind, ..action };
    let unsure = |certainty, action| Action {
        certainty,
        ..action
    };
    let verb = |verb, action| Action { verb, ..action };
    let new = || of(&[Flag::Creates]);
    for (action, makes, knows) in [
        (new(), true, true),
        (of(&[Flag::Creates, Flag::Append]), true, true),
        (of(&[Flag::Truncate]), false, true),
        (of(&[Flag::Truncate, Flag::Append]), false, false),
        (of(&[Flag::Append]), false, false),
        (of(&[]), false, false),
        (of(&[Flag::Creates, Flag::Elsewhere]), false, false),
        (no(new()), false, false),
        (kind(ResourceKind::Autorun, new()), true, true),
        (kind(ResourceKind::Git, new()), true, false),
        (unsure(model::Certainty::Guessed, new()), true, true),
        (unsure(model::Certainty::Unknown, new()), false, false),
        (verb(Verb::Delete, new()), false, false),
        (verb(Verb::Read, of(&[Flag::Truncate])), false, false),
    ] {
        let path = |on: bool| Vec::from_iter(on.then_some(fnv64(b"/p/a")));
        let found = intended(vec![action.clone()]);
        assert_eq!(found, (path(makes), path(knows)), "{action:?}");
    }
}

#[test]
fn what_is_written_twice_is_remembered_once_and_in_order() {
    let names = ["/p/c", "/p/a", "/p/b", "/p/a"];
    let actions = names.map(|name| write(name, &[Flag::Creates])).to_vec();
    let mut expected = ["/p/a", "/p/b", "/p/c"].map(|name| fnv64(name.as_bytes()));
    expected.sort_unstable();
    let (made, known) = intended(actions);
    assert_eq!((made, known), (expected.to_vec(), expected.to_vec()));
}

#[test]
fn only_its_own_move_brings_a_file() {
    let of = |mut action: Action, argv: &[&str]| {
        action.argv = argv.iter().map(|word| (*word).to_owned()).collect();
        action
    };
    let from = |verb| Action::new(verb, ResourceKind::File, "/p/old");
    let to = || write("/p/new", &[Flag::Creates]);
    let mv: &[&str] = &["mv", "/p/old", "/p/new"];
    for (source, target, is_new) in [
        (of(from(Verb::Move), mv), of(to(), mv), false),
        (of(from(Verb::Move), &["mv", "a", "b"]), of(to(), mv), true),
        (of(from(Verb::Read), mv), of(to(), mv), true),
        (from(Verb::Move), to(), true),
    ] {
        let (made, known) = intended(vec![source.clone(), target]);
        assert_eq!(
            (made.len(), known.len()),
            (is_new.into(), is_new.into()),
            "{source:?}"
        );
    }
}

#[test]
fn what_a_move_brings_is_as_new_and_as_known_as_what_it_moves() {
    let with = |mut action: Action| {
        action.argv = ["mv", "/p/old", "/p/new"].map(str::to_owned).to_vec();
        action
    };
    let moved = with(Action::new(Verb::Move, ResourceKind::File, "/p/old"));
    let arrived = with(write("/p/new", &[Flag::Creates]));
    let old = || vec![fnv64(b"/p/old")];
    let new = || vec![fnv64(b"/p/new")];
    for (created_paths, read_paths, expected) in [
        (old(), Vec::new(), Some((new(), Vec::new()))),
        (Vec::new(), old(), Some((Vec::new(), new()))),
        (vec![1], vec![2], None),
    ] {
        let mut known = Snapshot::default();
        known.analysis.actions = vec![moved.clone(), arrived.clone()];
        known.place.created_paths = created_paths;
        known.place.read_paths = read_paths;
        let kind = EventKind::ToolBefore(shell("x"));
        let decision = decide(&event(kind), &known, &builtin_only());
        let intends = decision
            .effects
            .into_iter()
            .find_map(|effect| match effect {
                Effect::Intends {
                    created_paths,
                    read_paths,
                } => Some((created_paths, read_paths)),
                _ => None,
            });
        assert_eq!(intends, expected);
    }
}

#[test]
fn what_is_asked_about_may_still_run() {
    let mut lost = Action::new(Verb::Discard, ResourceKind::Git, "/p");
    lost.loss = model::Fact::Known(model::Loss {
        other: vec!["4 commits on no other branch".into()],
        ..model::Loss::default()
    });
    let new = write("/p/new", &[Flag::Creates]);
    let found = effects(EventKind::ToolBefore(shell("x")), vec![lost, new]);
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(found[0], Effect::Counted { level: Level::Ask });
}

#[test]
fn what_a_read_shows_is_the_file_that_was_read() {
    let read = |path: &'static str| Call::Read { path: path.into() };
    let file = |verb, name| Action::new(verb, ResourceKind::File, name);
    let seen = |call, actions| {
        let mut found = effects(EventKind::ToolAfter { call }, actions);
        assert_eq!(found.remove(0), Effect::Happened);
        found
    };
    let hash = |path: &str| Effect::Seen(vec![fnv64(path.as_bytes())]);
    // Through a link: what it leads to.
    let real = vec![file(Verb::Read, "/p/real"), file(Verb::Write, "/p/other")];
    assert_eq!(seen(read("/p/link"), real), [hash("/p/real")]);
    assert_eq!(seen(read("/p/a"), Vec::new()), [hash("/p/a")]);
    assert_eq!(seen(read("a"), Vec::new()), [Effect::Seen(Vec::new())]);
    let unknown = Action {
        certainty: model::Certainty::Unknown,
        ..file(Verb::Read, "/p/x")
    };
    assert_eq!(seen(read("a"), vec![unknown]), [Effect::Seen(Vec::new())]);
    // A command shows what it likes.
    assert_eq!(seen(shell("cat /p/a"), vec![file(Verb::Read, "/p/a")]), []);
}

#[test]
fn other_events_change_nothing() {
    let prompt = EventKind::Prompt {
        text: "go on".into(),
        machine: false,
    };
    for kind in [
        prompt,
        EventKind::SessionEnd,
        EventKind::PermissionRequest(shell("x")),
    ] {
        let name = kind.name();
        let made = write("/p/new", &[Flag::Creates]);
        assert_eq!(effects(kind, vec![made]), [], "{name}");
    }
}
