//! Editing settings files: nothing but our own entries changes, and taking them out gives back
//! the bytes that were there.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by a panic, and fixtures are files"
)]

use hosts::{Edit, Host, Inspection, Installation, Launch, Problem, SettingsError};
use model::HooksLeft;
use proptest::prelude::*;
use serde_json::Value;

const HOOK: &str = "/home/dev/.local/state/tollgate/bin/tollgate-hook";

fn host() -> &'static Host {
    hosts::find("claude").expect("the host")
}

fn install_as(current: Option<&str>, hook: &str, launch: Launch) -> Result<Edit, SettingsError> {
    (host().install)(current, &Installation { hook, launch })
}

fn install(current: &str) -> String {
    let edit = install_as(Some(current), HOOK, Launch::Direct);
    let edit = edit.unwrap_or_else(|error| panic!("{current}: {error}"));
    edit.text.expect("a text")
}

fn uninstall(current: &str) -> Option<String> {
    let edit = (host().uninstall)(current);
    edit.unwrap_or_else(|error| panic!("{current}: {error}"))
        .text
}

fn inspect(text: &str) -> Inspection {
    let found = (host().inspect)(text);
    found.unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn a_new_file_is_short_enough_to_read() {
    let edit = install_as(None, HOOK, Launch::Direct).expect("installed");
    let text = edit.text.expect("a text");
    let expected = r#"{
  "hooks": {
    "PreToolUse": [ { "matcher": "*", "hooks": [{ "type": "command", "command": "HOOK", "args": ["claude", "PreToolUse"], "timeout": 20, "onFailure": "block" }] } ],
    "PermissionRequest": [ { "matcher": "*", "hooks": [{ "type": "command", "command": "HOOK", "args": ["claude", "PermissionRequest"], "timeout": 20, "onFailure": "block" }] } ],
    "PreSkillShellCommand": [ { "matcher": "*", "hooks": [{ "type": "command", "command": "HOOK", "args": ["claude", "PreSkillShellCommand"], "timeout": 20, "onFailure": "block" }] } ],
    "ConfigChange": [ { "matcher": "*", "hooks": [{ "type": "command", "command": "HOOK", "args": ["claude", "ConfigChange"], "timeout": 20, "onFailure": "block" }] } ],
    "PostToolUse": [ { "matcher": "*", "hooks": [{ "type": "command", "command": "HOOK", "args": ["claude", "PostToolUse"], "timeout": 10 }] } ],
    "PostToolUseFailure": [ { "matcher": "*", "hooks": [{ "type": "command", "command": "HOOK", "args": ["claude", "PostToolUseFailure"], "timeout": 10 }] } ],
    "SessionStart": [ { "matcher": "*", "hooks": [{ "type": "command", "command": "HOOK", "args": ["claude", "SessionStart"], "timeout": 10 }] }, { "matcher": "*", "hooks": [{ "type": "command", "command": "TOLLGATE", "args": ["watch", "claude", "SessionStart"], "timeout": 10 }] } ],
    "UserPromptSubmit": [ { "matcher": "*", "hooks": [{ "type": "command", "command": "HOOK", "args": ["claude", "UserPromptSubmit"], "timeout": 10 }] } ],
    "SubagentStart": [ { "matcher": "*", "hooks": [{ "type": "command", "command": "HOOK", "args": ["claude", "SubagentStart"], "timeout": 10 }] } ],
    "SubagentStop": [ { "matcher": "*", "hooks": [{ "type": "command", "command": "HOOK", "args": ["claude", "SubagentStop"], "timeout": 10 }] } ],
    "Stop": [ { "matcher": "*", "hooks": [{ "type": "command", "command": "HOOK", "args": ["claude", "Stop"], "timeout": 10 }] } ],
    "SessionEnd": [ { "matcher": "*", "hooks": [{ "type": "command", "command": "HOOK", "args": ["claude", "SessionEnd"], "timeout": 1 }] } ]
  }
}
"#;
    let own = HOOK.strip_suffix("-hook").expect("its name");
    let expected = expected.replace("HOOK", HOOK).replace("TOLLGATE", own);
    assert_eq!(text, expected);
    assert!(edit.changed && edit.problems.is_empty());
    assert_eq!(uninstall(&text), None);
    assert_eq!(install(" \n"), text);
}

/// Files as people and other tools write them.
const FILES: &[&str] = &[
    "{}",
    "{ }",
    "{\n}\n",
    "\u{feff}{}\n",
    "{\"model\":\"opus\"}",
    "{\"hooks\":{}}",
    "{\n  \"hooks\": { }\n}",
    "{\n  \"hooks\": {\n  }\n}\n",
    "{\n  \"model\": \"opus\",\n  \"permissions\": {\n    \"allow\": [\"Bash(ls:*)\"]\n  }\n}\n",
    "{\n\t\"model\": \"opus\"\n}",
    "{\r\n    \"model\": \"opus\",\r\n    \"env\": {\r\n    }\r\n}\r\n",
    "{\n  \"hooks\": {\n    \"PreToolUse\": []\n  },\n  \"z\": 1\n}\n",
    "{\n  \"hooks\": {\n    \"PreToolUse\": [  ],\n    \"Stop\": [ ]\n  }\n}\n",
    "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]}]}}",
    "{\n  \"a\": \"}\\\"{\",\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"say done\" }\n        ]\n      }\n    ],\n    \"PreToolUse\": [\n      { \"matcher\": \"Bash\", \"hooks\": [ { \"type\": \"command\", \"command\": \"other\" } ] },\n      { \"matcher\": \"Write\", \"hooks\": [] }\n    ]\n  }  ,\n\n  \"b\": [1,2 , 3]\n\n}",
];

/// The file without hooks of ours, as a value; empty lists that we never touch stay.
fn check_round_trip(file: &str, launch: Launch) {
    let edit = install_as(Some(file), HOOK, launch);
    let edit = edit.unwrap_or_else(|error| panic!("{file}: {error}"));
    let text = edit.text.expect("a text");
    assert!(edit.changed, "{file}");
    let found = inspect(&text);
    assert_eq!((found.missing, found.problems), (vec![], vec![]), "{text}");
    assert_eq!(found.unheard, Vec::<&str>::new(), "{text}");
    let again = install_as(Some(&text), HOOK, launch).expect("installed");
    assert_eq!(
        (again.text.as_deref(), again.changed),
        (Some(text.as_str()), false),
        "{text}"
    );
    assert_eq!(uninstall(&text).as_deref(), Some(file), "{text}");
    assert_eq!(uninstall(file).as_deref(), Some(file));
}

#[test]
fn uninstall_gives_back_the_bytes() {
    for file in FILES {
        check_round_trip(file, Launch::Direct);
        check_round_trip(file, Launch::Shell);
    }
}

#[test]
fn edits_keep_the_layout_around_them() {
    let text = install("{\n\t\"model\": \"opus\"\n}");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.first(), Some(&"{"));
    assert_eq!(lines.get(1), Some(&"\t\"model\": \"opus\","));
    assert_eq!(lines.get(2), Some(&"\t\"hooks\": {"));
    assert!(
        lines
            .get(3)
            .is_some_and(|line| line.starts_with("\t\t\"PreToolUse\": [ {"))
    );
    assert_eq!(lines.get(15), Some(&"\t}"));
    let text = install("{\r\n  \"a\": 1\r\n}\r\n");
    assert!(!text.replace("\r\n", "").contains('\n'), "{text}");
}

#[test]
fn a_moved_or_doubled_hook_is_registered_once() {
    let old = install_as(None, "/old/tollgate-hook", Launch::Direct).expect("installed");
    let old = old.text.expect("a text");
    assert_eq!(
        install(&old),
        install_as(None, HOOK, Launch::Direct)
            .expect("i")
            .text
            .expect("t")
    );
    let shell = install_as(Some(&old), "/it's/tollgate-hook", Launch::Shell).expect("installed");
    let shell = shell.text.expect("a text");
    let commands: Vec<_> = inspect(&shell).registered;
    assert!(
        commands
            .iter()
            .all(|ours| ours.works && ours.hook == "/it's/tollgate-hook")
    );
    assert!(
        shell.contains(r#""command": "'/it'\\''s/tollgate-hook' claude PreToolUse || exit 2""#)
    );
    let group = r#""PreToolUse": [ { "matcher": "*", "hooks": [{ "type": "command", "command": "/old/tollgate-hook" }] }, "#;
    let doubled = old.replace("\"PreToolUse\": [ ", group);
    assert_eq!(install(&doubled), install(&old));
}

#[test]
fn a_hook_that_shares_a_group_leaves_it_to_the_others() {
    let check = |before: &str, after: &str| {
        let mine = r#"{"type":"command","command":"/x/tollgate-hook","args":["claude","Stop"]}"#;
        let file =
            |handlers: &str| format!("{{\"hooks\":{{\"Stop\":[{{\"hooks\":[{handlers}]}}]}}}}");
        let after = uninstall(&file(&before.replace("MINE", mine))).map(|text| (text, file(after)));
        let (text, expected) = after.expect("something stays");
        assert_eq!(text, expected);
    };
    let other = r#"{"type":"command","command":"y"}"#;
    check(&format!("{other}, MINE"), other);
    check(&format!("MINE ,{other}"), other);
    check(
        &format!("{other},MINE,{other}"),
        &format!("{other},{other}"),
    );
}

#[test]
fn what_is_not_settings_is_refused_with_its_place() {
    let check = |text: &str, words: &str| {
        for error in [
            install_as(Some(text), HOOK, Launch::Direct).err(),
            (host().uninstall)(text).err(),
            (host().inspect)(text).err(),
        ] {
            let error = error
                .unwrap_or_else(|| panic!("{text} was taken"))
                .to_string();
            assert!(error.starts_with(words), "{error}");
        }
    };
    check(
        "{\n  // mine\n  \"a\": 1\n}",
        "line 2, column 3: not JSON: comments are not allowed",
    );
    check(
        "{\n  \"é\": 1,\n}",
        "line 3, column 1: not JSON: expected a name, is there a comma",
    );
    check(
        "{\n  \"é\": [1,]\n}",
        "line 2, column 11: not JSON: expected a value, is there a comma",
    );
    check(
        "{\"a\":1",
        "line 1, column 7: not JSON: the text ends before",
    );
    check("[]", "line 1, column 1: settings must be a JSON object");
    check(
        "{\n\"hooks\": []}",
        "line 2, column 10: \"hooks\" is not an object",
    );
    let text = "{\"hooks\":{\"PreToolUse\":{}}}";
    let error = install_as(Some(text), HOOK, Launch::Direct).expect_err("refused");
    assert!(
        error
            .to_string()
            .contains("the hooks for PreToolUse are not a list"),
        "{error}"
    );
}

#[test]
fn a_hook_must_have_an_absolute_path() {
    let check = |path: &str, taken: bool| {
        let edit = install_as(None, path, Launch::Direct);
        assert_eq!(edit.is_ok(), taken, "{path}");
    };
    check("/x/tollgate-hook", true);
    check("C:\\x\\tollgate-hook.exe", true);
    check("c:/x/tollgate-hook.exe", true);
    check("tollgate-hook", false);
    check("./tollgate-hook", false);
    check("", false);
}

/// Ways to disarm the hook without taking it out.
#[test]
fn a_weakened_hook_is_found_and_repaired() {
    let good = install("{}");
    let check = |from: &str, to: &str| {
        let bad = good.replacen(from, to, 1);
        assert_ne!(bad, good, "{from}");
        let found = inspect(&bad);
        assert!(!found.missing.is_empty(), "{to}");
        assert_eq!(found.left(Some(HOOK)), HooksLeft::Removed, "{to}");
        assert_eq!(install(&bad), good, "{to}");
    };
    check("\"matcher\": \"*\"", "\"matcher\": \"Bash\"");
    check("\"timeout\": 20", "\"timeout\": 0.01");
    check("\"onFailure\": \"block\"", "\"onFailure\": \"continue\"");
    check(", \"onFailure\": \"block\"", "");
    check("\"timeout\": 20", "\"timeout\": 20, \"async\": true");
    check(
        "\"timeout\": 20",
        "\"timeout\": 20, \"if\": \"Bash(git *)\"",
    );
    check(
        "\"args\": [\"claude\", \"PreToolUse\"]",
        "\"args\": [\"claude\", \"PostToolUse\"]",
    );
    check("\"args\": [\"claude\", \"PreToolUse\"]", "\"args\": []");
    check("\"type\": \"command\"", "\"type\": \"prompt\"");
    check(HOOK, "tollgate-hook");
    check(HOOK, "./bin/tollgate-hook");
}

/// What an older `init` wrote gates every call; it only hears less.
#[test]
fn an_older_registration_gates() {
    let good = install("{}");
    let newer = [
        "UserPromptSubmit",
        "SubagentStart",
        "SubagentStop",
        "Stop",
        "SessionEnd",
    ];
    let (kept, _) = good
        .split_once(",\n    \"UserPromptSubmit\"")
        .expect("the newer events");
    let old = format!("{kept}\n  }}}}");
    let found = inspect(&old);
    assert_eq!(
        (&*found.missing, &*found.unheard),
        (&[][..], &newer[..]),
        "{old}"
    );
    assert_eq!(found.left(Some(HOOK)), HooksLeft::Kept);
    assert_eq!(install(&old), good);
    let short = good.replace("\"timeout\": 1 ", "\"timeout\": 0.2 ");
    assert_eq!(inspect(&short).unheard, ["SessionEnd"]);
}

/// Who looks at the hook as a session starts gates nothing, and is no hook.
#[test]
fn the_other_program_of_ours_is_known_and_is_no_hook() {
    let own = HOOK.strip_suffix("-hook").expect("its name");
    let unwatched = ["the start of a session by tollgate itself"];
    for launch in [Launch::Direct, Launch::Shell] {
        let good = install_as(None, HOOK, launch).expect("installed");
        let good = good.text.expect("a text");
        let found = inspect(&good);
        let watch = found.watches.first().expect("one");
        assert!(watch.works && watch.hook == HOOK && watch.launch == launch);
        let file = json(&good);
        let mut groups = file["hooks"]["SessionStart"]
            .as_array()
            .expect("a list")
            .clone();
        let others = groups.pop().expect("ours");
        assert_eq!((groups.len(), found.watches.len()), (1, 1));
        let mut alone = file.clone();
        alone["hooks"] = serde_json::json!({"SessionStart": [others.clone()]});
        let left = inspect(&alone.to_string());
        assert!(left.registered.is_empty(), "it is no hook");
        let rest = uninstall(&alone.to_string()).expect("a text");
        assert!(!rest.contains("command"), "{rest}");
        let mut without = file.clone();
        without["hooks"]["SessionStart"] = groups.clone().into();
        let found = inspect(&without.to_string());
        assert_eq!(
            (&*found.missing, &*found.unheard),
            (&[][..], &unwatched[..])
        );
        for (from, to) in [
            ("watch", "wait"),
            (own, "tollgate"),
            ("\"timeout\":10", "\"timeout\":1"),
            ("\"type\":\"command\"", "\"type\":\"prompt\""),
        ] {
            let changed = others.to_string().replace(from, to);
            let mut file = file.clone();
            file["hooks"]["SessionStart"] = vec![groups[0].clone(), json(&changed)].into();
            assert_eq!(inspect(&file.to_string()).unheard, unwatched, "{changed}");
        }
    }
}

/// Of two members of one name the client reads the last.
#[test]
fn a_shadowed_hook_does_not_count() {
    let good = install("{}");
    let hooks = good.strip_suffix("\n  }}").expect("the end of the hooks");
    let bad = format!("{hooks}, \"\\u0050reToolUse\": [ ]}}}}");
    assert_eq!(inspect(&bad).missing, ["PreToolUse"]);
    assert_eq!(inspect(&bad).left(Some(HOOK)), HooksLeft::Removed);
    assert_eq!(inspect(&install(&bad)).missing, Vec::<&str>::new());
}

#[test]
fn what_a_changed_file_leaves() {
    let good = install("{\n  \"model\": \"opus\"\n}\n");
    let check = |text: &str, expected: Option<&str>, left: HooksLeft| {
        assert_eq!(inspect(text).left(expected), left, "{text}");
    };
    check(&good, Some(HOOK), HooksLeft::Kept);
    check(&good.replace("opus", "haiku"), Some(HOOK), HooksLeft::Kept);
    check(&good, Some("/other/tollgate-hook"), HooksLeft::Removed);
    check("{}", Some(HOOK), HooksLeft::Removed);
    check("{}", None, HooksLeft::Kept);
    check("{\"disableAllHooks\":true}", None, HooksLeft::Removed);
    check("{\"disableAllHooks\":false}", None, HooksLeft::Kept);
    let off = good.replace("\"model\"", "\"disableAllHooks\": true,\n  \"model\"");
    check(&off, Some(HOOK), HooksLeft::Removed);
    let edit = install_as(Some(&off), HOOK, Launch::Direct).expect("installed");
    assert_eq!(edit.problems, [Problem::HooksOff { line: 2 }]);
}

#[test]
fn an_entry_that_voids_the_file_is_found() {
    let check = |handler: &str, expected: Option<&str>| {
        let text = format!("{{\"hooks\":{{\n\"PreToolUse\":[{{\"hooks\":[{handler}]}}]}}}}");
        let found = inspect(&text)
            .problems
            .into_iter()
            .find_map(|problem| match problem {
                Problem::FileDiscarded { line, what } => Some((line, what)),
                _ => None,
            });
        assert_eq!(
            found,
            expected.map(|what| (2, what)).map(|(l, w)| (l, leak(w))),
            "{handler}"
        );
    };
    let value = "onFailure is neither \"block\" nor \"continue\"";
    check(
        r#"{"type":"command","command":"x","onFailure":"deny"}"#,
        Some(value),
    );
    check(
        r#"{"type":"command","command":"x","onFailure":"block"}"#,
        None,
    );
    check(r#"{"type":"command"}"#, Some("a hook has no command"));
    check("7", Some("a hook is not an object"));
    check(r#"{"type":"prompt","prompt":"x"}"#, None);
}

/// What a settings file can say about hooks besides its own.
#[test]
fn what_steers_hooks_is_found() {
    let problems = |text: &str| -> Vec<String> {
        let problems = inspect(text).problems;
        problems.iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        problems("{\n\"allowManagedHooksOnly\": true}"),
        ["line 2: the hooks of all other settings are ignored"]
    );
    assert_eq!(
        problems("{\"env\": {\n\"TOLLGATE_HOME\": \"/x\",\n\"EDITOR\": \"vi\", \"HOME\": \"/y\"}}"),
        [
            "line 2: sets TOLLGATE_HOME for all that the agent starts",
            "line 3: sets HOME for all that the agent starts"
        ]
    );
    let quiet = "{\"allowManagedHooksOnly\": false, \"env\": {\"A\": \"1\"}}";
    assert_eq!(problems(quiet), Vec::<String>::new());
}

fn leak(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

/// Settings as a value: other people's hooks and other members, also odd ones.
fn settings() -> impl Strategy<Value = Value> {
    let handler = "[a-z/ ]{0,8}".prop_map(|c| serde_json::json!({"type": "command", "command": c}));
    let group = prop::collection::vec(handler, 0..3)
        .prop_map(|handlers| serde_json::json!({"matcher": "Bash", "hooks": handlers}));
    let event = prop::sample::select(vec!["PreToolUse", "Stop", "PostToolUse", "SessionStart"]);
    let groups = prop::collection::vec(group, 0..3).prop_map(Value::from);
    let hooks = prop::collection::btree_map(event.prop_map(str::to_owned), groups, 0..4);
    let other = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        Just(serde_json::json!({"a": [1, {"b": "}"}], "hooks": {}})),
    ];
    let others = prop::collection::btree_map("[a-m]{1,5}", other, 0..4);
    (others, prop::option::of(hooks)).prop_map(|(others, hooks)| {
        let mut root: serde_json::Map<String, Value> = others.into_iter().collect();
        if let Some(hooks) = hooks {
            root.insert("hooks".to_owned(), hooks.into_iter().collect());
        }
        Value::Object(root)
    })
}

/// Everything in the value but handlers of ours and the lists that hold only them.
fn others(value: &Value) -> Value {
    let mut value = value.clone();
    let Some(hooks) = value.get_mut("hooks").and_then(Value::as_object_mut) else {
        return value;
    };
    for groups in hooks.values_mut().filter_map(Value::as_array_mut) {
        groups.retain(|group| !group.to_string().contains("/bin/tollgate"));
    }
    hooks.retain(|_, groups| groups.as_array().is_none_or(|groups| !groups.is_empty()));
    if hooks.is_empty() {
        value.as_object_mut().map(|root| root.remove("hooks"));
    }
    value
}

proptest! {
    #[test]
    fn any_settings_survive(settings in settings(), layout in 0..3, launch: bool) {
        let text = match layout {
            0 => settings.to_string(),
            1 => serde_json::to_string_pretty(&settings).expect("written") + "\n",
            _ => serde_json::to_string_pretty(&settings)
                .expect("written")
                .replace('\n', " \r\n\t"),
        };
        let launch = if launch { Launch::Direct } else { Launch::Shell };
        let installed = install_as(Some(&text), HOOK, launch).expect("installed");
        let installed = installed.text.expect("a text");
        prop_assert_eq!(others(&json(&installed)), others(&settings));
        let found = inspect(&installed);
        prop_assert!(found.missing.is_empty() && found.problems.is_empty());
        prop_assert_eq!(uninstall(&installed), Some(text));
    }

    #[test]
    fn any_text_is_no_panic(text: String) {
        let _ = install_as(Some(&text), HOOK, Launch::Direct);
        let _ = (host().uninstall)(&text);
        let _ = (host().inspect)(&text);
    }
}
