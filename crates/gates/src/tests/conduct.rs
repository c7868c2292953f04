//! What the gates share that keep a session to its task.

use actions::testing::Fixture;
use model::{
    Action, Actor, Analysis, Binding, Call, Caller, Content, EventKind, Fault, FaultCause, Helper,
    Mode, Profile, ResourceKind, Snapshot, Verb,
};

use super::{builtin_only, event, shell};
use crate::GateInput;
use crate::conduct::{
    CallRole, advises, demands, does_nothing_but_look, is_counted, may_demand, role,
};

fn helper() -> Actor {
    Actor::Sub {
        id: "a".into(),
        kind: "explore".into(),
    }
}

#[test]
fn a_demand_is_made_of_the_main_worker_where_it_is_remembered() {
    let stranger = || Caller::Stranger("by a shell".into());
    let host = || Caller::Host(Binding::default());
    for (actor, unmarked, cause, caller, may) in [
        (Actor::Main, false, None, Caller::Unproven, true),
        (Actor::Main, false, None, host(), true),
        (Actor::Main, true, None, host(), true),
        (Actor::Main, false, None, stranger(), false),
        (Actor::Unknown, false, None, host(), false),
        (Actor::Unknown, true, None, host(), true),
        (Actor::Unknown, true, None, stranger(), false),
        (helper(), false, None, host(), false),
        (helper(), true, None, host(), false),
        (Actor::Main, false, Some(FaultCause::State), host(), false),
        (Actor::Main, false, Some(FaultCause::Record), host(), false),
        (Actor::Main, false, Some(FaultCause::Journal), host(), true),
    ] {
        let name = format!("{actor:?} {unmarked} {cause:?} {caller:?}");
        let event = model::Event {
            actor,
            ..event(EventKind::ToolBefore(shell("x")))
        };
        let faults = cause.map(|cause| Fault {
            cause,
            what: "it broke".into(),
        });
        let mut known = Snapshot {
            caller,
            faults: faults.into_iter().collect(),
            ..Snapshot::default()
        };
        known.discipline.unmarked = unmarked;
        let input = GateInput {
            event: &event,
            known: &known,
            rules: &builtin_only(),
        };
        assert_eq!(may_demand(&input), may, "{name}");
    }
}

/// The reading of a call that does these things.
fn doing(verbs: &[Verb]) -> Analysis {
    let action = |verb: &Verb| Action::new(*verb, ResourceKind::Unknown, "x");
    Analysis {
        actions: verbs.iter().map(action).collect(),
        ..Analysis::default()
    }
}

fn spawn(kind: &str) -> Call<'_> {
    Call::Spawn {
        kind: kind.into(),
        prompt: Content::default(),
    }
}

/// What calls mean whose tool says what it does.
#[test]
fn every_tool_means_something_to_a_demand() {
    let read = || doing(&[Verb::Read]);
    let text = Content::default;
    for (call, analysis, expected) in [
        (Call::Todo, doing(&[]), CallRole::Session),
        (Call::PlanEnter, doing(&[]), CallRole::Session),
        (super::plan_exit(), doing(&[]), CallRole::Session),
        (Call::Question, doing(&[]), CallRole::Session),
        (spawn("explore"), doing(&[]), CallRole::Change),
        (
            spawn("x:reviewer"),
            doing(&[]),
            CallRole::Helper(Helper::Reviewer),
        ),
        (
            spawn("remember"),
            doing(&[]),
            CallRole::Helper(Helper::Remember),
        ),
        (Call::Read { path: "a".into() }, read(), CallRole::Look),
        (
            Call::Fetch { url: "u".into() },
            doing(&[Verb::Fetch]),
            CallRole::Look,
        ),
        (Call::Skill { name: "s".into() }, doing(&[]), CallRole::Look),
        (
            Call::Message {
                to: "a".into(),
                text: text(),
            },
            doing(&[]),
            CallRole::Change,
        ),
        (
            Call::Write {
                path: "a".into(),
                content: text(),
            },
            // Whatever it is read as: the tool writes.
            read(),
            CallRole::Change,
        ),
        (
            Call::Patch { files: Vec::new() },
            doing(&[]),
            CallRole::Change,
        ),
    ] {
        assert_eq!(role(&call, &analysis), expected, "{call:?} {analysis:?}");
    }
}

/// What calls mean that are judged by what they would do.
#[test]
fn a_command_or_another_tool_means_what_it_does() {
    let read = || doing(&[Verb::Read]);
    let named = |name: &'static str| Call::Other {
        name: name.into(),
        args: Vec::new(),
    };
    let mcp = || Call::Mcp {
        server: "s".into(),
        tool: "t".into(),
        args: Vec::new(),
    };
    for (call, analysis, expected) in [
        (shell("x"), read(), CallRole::Look),
        (
            shell("x"),
            doing(&[Verb::Read, Verb::Write]),
            CallRole::Change,
        ),
        (shell("x"), doing(&[Verb::Execute]), CallRole::Change),
        (mcp(), doing(&[]), CallRole::Unclear),
        (mcp(), doing(&[Verb::Unknown]), CallRole::Unclear),
        (mcp(), doing(&[Verb::Execute]), CallRole::Unclear),
        (
            mcp(),
            doing(&[Verb::Read, Verb::Execute]),
            CallRole::Unclear,
        ),
        (mcp(), doing(&[Verb::Read, Verb::Fetch]), CallRole::Look),
        (
            mcp(),
            doing(&[Verb::Execute, Verb::Write]),
            CallRole::Change,
        ),
        (mcp(), doing(&[Verb::Read, Verb::Delete]), CallRole::Change),
        (named("New"), doing(&[]), CallRole::Unclear),
        (named("New"), read(), CallRole::Look),
    ] {
        assert_eq!(role(&call, &analysis), expected, "{call:?} {analysis:?}");
    }
}

#[test]
fn a_command_looks_only_if_all_of_it_was_read() {
    let looks = |unread: &[&str], cut| {
        let analysis = Analysis {
            unread: unread.iter().map(|what| (*what).to_owned()).collect(),
            cut,
            ..doing(&[Verb::Read, Verb::Fetch])
        };
        does_nothing_but_look(&analysis)
    };
    assert!(looks(&[], false));
    assert!(!looks(&["$X"], false));
    assert!(!looks(&[], true));
    let read = |command: &str| Fixture::new().read(command);
    assert!(does_nothing_but_look(&read("git status && head a.txt")));
    assert!(!does_nothing_but_look(&read("head a.txt > b.txt")));
}

#[test]
fn profiles_add_advice_first_and_demands_last() {
    for (profile, advice, demand) in [
        (Profile::Observe, Mode::Off, Mode::Off),
        (Profile::Guard, Mode::Off, Mode::Off),
        (Profile::Coach, Mode::Warn, Mode::Warn),
        (Profile::Discipline, Mode::Warn, Mode::Block),
    ] {
        assert_eq!(advises(profile), advice, "{profile:?}");
        assert_eq!(demands(profile), demand, "{profile:?}");
    }
}

#[test]
fn what_counts_for_the_next_check() {
    let ours = Some(Helper::Reviewer);
    for (role, by, counts) in [
        (CallRole::Session, None, false),
        (CallRole::Helper(Helper::Checker), None, false),
        (CallRole::Look, None, true),
        (CallRole::Look, ours, false),
        (CallRole::Change, None, true),
        (CallRole::Change, ours, true),
        (CallRole::Unclear, None, true),
        (CallRole::Unclear, ours, true),
    ] {
        assert_eq!(is_counted(role, by), counts, "{role:?} by {by:?}");
    }
}

#[test]
fn gates_that_are_always_on_block_in_every_profile() {
    for profile in model::Profile::NAMES {
        assert_eq!(crate::gate::always(profile.1), model::Mode::Block);
    }
}
