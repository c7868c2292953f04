//! The gate that guards the gates, by itself.

use model::{
    Action, Call, Event, EventKind, HooksLeft, Level, ResourceKind, Snapshot, Verb, fnv64,
};

use super::{event, found_by, shell};

const GATE: &str = "self_protection";

/// The tags of what is refused where a call does one thing.
fn refused(action: Action) -> Vec<String> {
    let mut known = Snapshot::default();
    known.place.secrets = vec!["/s/tollgate/codes".into(), "key".into()];
    known.analysis.actions = vec![action];
    let found = found_by(GATE, &event(EventKind::ToolBefore(shell("x"))), &known);
    assert!(found.iter().all(|finding| finding.level == Level::Deny));
    found.iter().map(model::Finding::tag).collect()
}

#[test]
fn the_gate_itself_is_looked_at_and_not_touched() {
    for (verb, kind, is_refused) in [
        (Verb::Write, ResourceKind::Gate, true),
        (Verb::Delete, ResourceKind::Gate, true),
        (Verb::Tamper, ResourceKind::Gate, true),
        (Verb::Tamper, ResourceKind::Program, true),
        (Verb::Read, ResourceKind::Gate, false),
        (Verb::Write, ResourceKind::File, false),
        (Verb::Read, ResourceKind::File, false),
    ] {
        let found = refused(Action::new(verb, kind, "/x"));
        let expected = Vec::from_iter(is_refused.then_some("self_protection/path"));
        assert_eq!(found, expected, "{verb:?} {kind:?}");
    }
}

#[test]
fn settings_whose_text_is_not_known_are_asked_about() {
    for (verb, name, expected) in [
        (
            Verb::Write,
            "/h/settings.json",
            ("settings-edit", Level::Ask),
        ),
        (Verb::Write, "/h/other.json", ("path", Level::Deny)),
        (Verb::Delete, "/h/settings.json", ("path", Level::Deny)),
        (Verb::Tamper, "/h/settings.json", ("path", Level::Deny)),
    ] {
        let mut known = Snapshot::default();
        known.place.settings.is_one = |path| path == "/h/settings.json";
        known.analysis.actions = vec![Action::new(verb, ResourceKind::Gate, name)];
        let before = event(EventKind::ToolBefore(shell("x")));
        let found = found_by(GATE, &before, &known).remove(0);
        assert_eq!(
            (found.rule.as_ref(), found.level),
            expected,
            "{verb:?} {name}"
        );
    }
}

#[test]
fn what_holds_codes_is_read_by_nobody_judged() {
    let file = ResourceKind::File;
    for (verb, kind, name, is_refused) in [
        (Verb::Read, file, "/s/tollgate/codes", true),
        (Verb::Read, file, "/s/tollgate/codes/A7F3", true),
        (Verb::Read, file, "/s/tollgate", true),
        (Verb::Read, file, "/s/tollgate/codes-of-others", false),
        (Verb::Read, file, "/s/tollgate/journal", false),
        (Verb::Read, file, "/s", false),
        (Verb::Read, file, "key", true),
        // No path is known: it is not the state of everything.
        (Verb::Read, file, "", false),
        (Verb::Write, file, "/s/tollgate/codes", false),
        (Verb::Read, ResourceKind::Url, "/s/tollgate/codes", false),
    ] {
        let found = refused(Action::new(verb, kind, name));
        let expected = Vec::from_iter(is_refused.then_some("self_protection/secret"));
        assert_eq!(found, expected, "{verb:?} {kind:?} {name:?}");
    }
}

#[test]
fn each_part_is_refused_in_its_own_words() {
    let said = |verb, name| {
        let mut known = Snapshot::default();
        known.place.secrets = vec!["/s/codes".into()];
        known.analysis.actions = vec![Action::new(verb, ResourceKind::Gate, name)];
        if verb == Verb::Read {
            known.analysis.actions[0].kind = ResourceKind::File;
        }
        let before = event(EventKind::ToolBefore(shell("x")));
        let finding = found_by(GATE, &before, &known).remove(0);
        assert_eq!(finding.overridable, None);
        (finding.tag(), finding.reason, finding.alternative)
    };
    let [settings, nothing] = ["/p/.tollgate", ""].map(|name| said(Verb::Write, name));
    for (found, rule, reason, alternative) in [
        (
            said(Verb::Tamper, "owner-command"),
            "owner-command",
            "for the owner of tollgate",
            "in their own terminal",
        ),
        (
            said(Verb::Tamper, "switch"),
            "switch",
            "switch tollgate off",
            "when they start the host",
        ),
        (
            said(Verb::Tamper, "forge"),
            "forge",
            "in the host's place",
            "tollgate check",
        ),
        (
            said(Verb::Tamper, "process"),
            "process",
            "end tollgate",
            "Leave these processes alone",
        ),
        (
            settings,
            "path",
            "/p/.tollgate belongs to",
            "the user can change it",
        ),
        (
            nothing,
            "path",
            "the target belongs to",
            "the user can change it",
        ),
        (
            said(Verb::Read, "/s/codes"),
            "secret",
            "/s/codes holds what only the user is told",
            "tollgate session show",
        ),
    ] {
        assert_eq!(found.0, format!("self_protection/{rule}"));
        assert!(found.1.contains(reason), "{found:?}");
        assert!(found.2.contains(alternative), "{found:?}");
    }
}

#[test]
fn nothing_is_refused_once_it_has_happened() {
    let mut known = Snapshot::default();
    known.analysis.actions = vec![Action::new(Verb::Tamper, ResourceKind::Gate, "switch")];
    let call = || shell("x");
    for (kind, count) in [
        (EventKind::ToolBefore(call()), 1),
        (EventKind::PermissionRequest(call()), 1),
        (EventKind::ToolAfter { call: call() }, 0),
    ] {
        let name = kind.name();
        assert_eq!(found_by(GATE, &event(kind), &known).len(), count, "{name}");
    }
}

#[test]
fn settings_that_leave_our_hooks_out_are_not_applied() {
    for (path, hooks, said) in [
        ("/h/settings.json", HooksLeft::Kept, None),
        ("/h/settings.json", HooksLeft::Unknown, None),
        (
            "/h/settings.json",
            HooksLeft::Removed,
            Some("/h/settings.json would no longer call tollgate's hooks"),
        ),
        (
            "",
            HooksLeft::Removed,
            Some("the settings would no longer call tollgate's hooks"),
        ),
    ] {
        let path = path.to_owned();
        let kind = EventKind::SettingsChange { path, hooks };
        let found = found_by(GATE, &event(kind), &Snapshot::default());
        let reason = found.first().map(|finding| finding.reason.as_str());
        assert_eq!(reason, said, "{hooks:?}");
        for finding in found {
            assert_eq!(finding.tag(), "self_protection/settings");
            assert_eq!(finding.level, Level::Deny);
            assert!(finding.alternative.contains("tollgate uninstall"));
        }
    }
}

#[test]
fn a_switch_that_the_host_was_not_started_with_is_told_once() {
    let said = "POLICY_GATE_ENABLED=false does not switch tollgate off: the host was not started \
                with it. Leave the switch alone. [self_protection/environment]";
    let known = |value: &str, heard: &[u64]| {
        let mut known = Snapshot::default();
        let variable = ("POLICY_GATE_ENABLED".to_owned(), value.to_owned());
        known.place.env = vec![variable].into();
        known.session.said = heard.iter().map(|key| (*key, 0)).collect();
        known
    };
    let read = || Call::Read { path: "a".into() };
    for (host, call, value, heard, speaks) in [
        ("test", shell("x"), "false", None, true),
        ("test", shell("x"), "false", Some("something else"), true),
        ("test", shell("x"), "false", Some(said), false),
        ("test", shell("x"), "true", None, false),
        ("test", read(), "false", None, false),
        // Nobody's hook: somebody tries a call out.
        ("", shell("x"), "false", None, false),
        ("", read(), "false", None, false),
    ] {
        let name = format!("{host} {call:?} {value} {heard:?}");
        let event = Event {
            host,
            ..event(EventKind::ToolBefore(call))
        };
        let heard = heard.map(|words| fnv64(words.as_bytes()));
        let known = known(value, &Vec::from_iter(heard));
        let found = found_by(GATE, &event, &known);
        assert_eq!(found.len(), usize::from(speaks), "{name}");
        for finding in found {
            assert_eq!(
                (finding.level, finding.advice.as_str()),
                (Level::Allow, said)
            );
            assert!(
                finding
                    .reason
                    .starts_with("POLICY_GATE_ENABLED=false was put")
            );
        }
    }
}
