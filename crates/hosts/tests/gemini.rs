//! Gemini CLI: how it takes replies, by its own acceptance rules; what it registers; what its
//! payloads and session files say.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by a panic, and fixtures are files"
)]

mod laws;

use hosts::{Answer, Host, Installation, Launch, Problem, Reply};
use laws::{Additions, Client, Outcome};
use model::{Actor, EventKind, HooksLeft, Level, Past};
use serde_json::Value;

const CLIENT: Client = Client {
    host: "gemini",
    takes,
    stoppable: &["BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent"],
    // Without a terminal a question hangs for ever.
    askable: &[],
    unstoppable: &[
        "SessionStart",
        "SessionEnd",
        "PreCompress",
        "Notification",
        "BeforeModel",
        "AfterModel",
        "BeforeToolSelection",
        "NewerEvent",
    ],
    rewritable: &["BeforeTool"],
};

/// Events whose answer may carry words for the worker without any other effect.
const CONTEXT: &[&str] = &["AfterTool", "BeforeAgent", "SessionStart"];

fn host() -> &'static Host {
    CLIENT.host()
}

/// Standard output is the answer, else standard error; JSON counts whatever the exit status is,
/// and any other text stops with a status of 2 or more.
fn takes(event: &str, reply: &Reply) -> Outcome {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
    let (out, err) = (text(&reply.stdout), text(&reply.stderr));
    let said = match out.trim() {
        "" => err.trim(),
        out => out,
    };
    let stops = CLIENT.stoppable.contains(&event);
    match serde_json::from_str::<Value>(said) {
        _ if said.is_empty() => Outcome::Runs(Additions::default()),
        Ok(Value::Object(answer)) => verdict(event, &answer),
        Err(_) if reply.code >= 2 && stops => Outcome::Stops(said.to_owned()),
        _ => Outcome::Void("plain text"),
    }
}

fn verdict(event: &str, answer: &serde_json::Map<String, Value>) -> Outcome {
    if let Some(flaw) = flaw(event, answer) {
        return Outcome::Void(flaw);
    }
    let text = |name: &str| answer.get(name).and_then(Value::as_str);
    let stops = CLIENT.stoppable.contains(&event);
    match text("decision") {
        Some("deny" | "block") if stops => Outcome::Stops(text("reason").unwrap_or("").to_owned()),
        Some("ask") => Outcome::Asks,
        Some(_) => Outcome::Void("we only ever deny"),
        None => {
            let specific = answer.get("hookSpecificOutput");
            let specific = |name: &str| specific.and_then(|specific| specific.get(name)).cloned();
            let context = specific("additionalContext");
            Outcome::Runs(Additions {
                context: context.and_then(|text| text.as_str().map(str::to_owned)),
                input: specific("tool_input"),
            })
        }
    }
}

/// What the client would pass over in silence, so that we must not rely on it.
fn flaw(event: &str, answer: &serde_json::Map<String, Value>) -> Option<&'static str> {
    const TOP: &[&str] = &["decision", "reason", "systemMessage", "hookSpecificOutput"];
    const SPECIFIC: &[&str] = &["hookEventName", "additionalContext", "tool_input"];
    let unknown = |object: &serde_json::Map<String, Value>, known: &[&str]| {
        object.keys().any(|name| !known.contains(&name.as_str()))
    };
    let mut own = Value::Object(answer.clone());
    // The input is the worker's own, in which anything may stand.
    let specific = own.pointer_mut("/hookSpecificOutput");
    let input = specific.and_then(|specific| specific.as_object_mut()?.remove("tool_input"));
    if unknown(answer, TOP) {
        return Some("a member that we never need");
    }
    if !laws::is_full(&own) {
        return Some("null or empty");
    }
    if answer.contains_key("decision") != answer.contains_key("reason") {
        return Some("a decision without its reason");
    }
    if input.as_ref().is_some_and(|input| !input.is_object()) {
        return Some("an input that is no object");
    }
    if input.is_some() && (event != "BeforeTool" || answer.contains_key("decision")) {
        return Some("an input where none is taken");
    }
    let specific = answer.get("hookSpecificOutput")?.as_object()?;
    if specific.get("hookEventName").and_then(Value::as_str) != Some(event) {
        return Some("hookEventName");
    }
    let advises = specific.contains_key("additionalContext");
    let is_lost = advises && !CONTEXT.contains(&event);
    (unknown(specific, SPECIFIC) || is_lost).then_some("words that reach nobody")
}

#[test]
fn exact_forms() {
    let check = |event: &str, level: Level, expected: &str| {
        let answer = Answer {
            level,
            reason: "Not run: a \"b\".",
            advice: "use b",
            notice: "held a",
            input: "",
        };
        let (reply, _) = CLIENT.say(event, true, &answer);
        let stdout = String::from_utf8(reply.stdout).expect("text");
        assert_eq!(stdout.trim_end(), expected, "{event} {level:?}");
        assert_eq!((reply.code, reply.stderr.len()), (0, 0), "{event}");
    };
    let deny = r#""decision":"deny","reason":"Not run: a \"b\".""#;
    let refuse = r#""decision":"deny","reason":"Not run: a \"b\". Nobody can be asked here, so this is a refusal: ask the user.""#;
    let notice = r#""systemMessage":"held a""#;
    let context = |event: &str| {
        format!(r#""hookSpecificOutput":{{"hookEventName":"{event}","additionalContext":"use b"}}"#)
    };
    check("BeforeTool", Level::Deny, &format!("{{{deny},{notice}}}"));
    check("BeforeTool", Level::Ask, &format!("{{{refuse},{notice}}}"));
    check("BeforeTool", Level::Allow, &format!("{{{notice}}}"));
    check("AfterAgent", Level::Deny, &format!("{{{deny},{notice}}}"));
    let both = format!("{{{deny},{},{notice}}}", context("AfterTool"));
    check("AfterTool", Level::Deny, &both);
    let advice = format!("{{{},{notice}}}", context("BeforeAgent"));
    check("BeforeAgent", Level::Allow, &advice);
    let advice = format!("{{{},{notice}}}", context("SessionStart"));
    check("SessionStart", Level::Allow, &advice);
    check("SessionEnd", Level::Deny, "");
    check("PreCompress", Level::Deny, "");
}

keeps_the_laws!(CLIENT);

#[test]
fn what_shows_the_lines_of_a_file_names_it() {
    let check = |tool: &str, input: &str, expected: &[&str]| {
        let event = CLIENT.call(tool, input);
        match event.call() {
            Some(model::Call::Search { files, .. }) => assert_eq!(files, expected, "{input}"),
            other => panic!("{other:?}"),
        }
    };
    let many = r#"{"include":["a", ".env"]}"#;
    check("read_many_files", many, &["a", ".env"]);
    let named = r#"{"pattern":"x", "dir_path":"s", "include_pattern":".env"}"#;
    check("grep_search", named, &["s/.env"]);
    check("grep_search", r#"{"pattern":"x", "dir_path":"s"}"#, &["s"]);
    check("grep_search", r#"{"pattern":"x"}"#, &[]);
    check("glob", r#"{"pattern":".env", "dir_path":"s"}"#, &[]);
}

#[test]
fn calls_that_captures_lack() {
    let check = |tool: &str, input: &str, expected: &str| {
        let event = CLIENT.call(tool, input);
        let call = event.call().expect("a call");
        let shown = format!("{} {}", call.tool(), call.summary(80));
        assert_eq!(shown, expected, "{tool} {input}");
    };
    check(
        "glob",
        r#"{"pattern":"*.rs","dir_path":"s"}"#,
        "search search *.rs s",
    );
    check("grep_search", r#"{"pattern":"x"}"#, "search search x");
    check("list_directory", r#"{"dir_path":"s"}"#, "search search  s");
    check(
        "read_many_files",
        r#"{"include":["a","b"]}"#,
        "search search a b",
    );
    check("web_fetch", r#"{"prompt":"see h"}"#, "fetch fetch see h");
    check("google_web_search", r#"{"query":"q"}"#, "fetch fetch q");
    check("read_mcp_resource", r#"{"uri":"u"}"#, "fetch fetch u");
    check("activate_skill", r#"{"name":"s"}"#, "skill skill s");
    check("write_todos", "{}", "todo todo");
    check("exit_plan_mode", "{}", "plan_exit plan_exit");
    check("enter_plan_mode", "{}", "plan_enter plan_enter");
    check("ask_user", "{}", "question question");
    check(
        "complete_task",
        r#"{"result":"x"}"#,
        "harmless complete_task",
    );
    check(
        "mcp_fs_write_file",
        r#"{"path":"/a"}"#,
        "mcp mcp fs write_file",
    );
    check("mcp_odd", "{}", "other mcp_odd");
    check("newer_tool", r#"{"a":1}"#, "other newer_tool");
    check(
        "run_shell_command",
        "{}",
        "malformed run_shell_command (command is missing or no text)",
    );
    check(
        "write_file",
        r#"{"file_path":"/a"}"#,
        "malformed write_file (content is missing or no text)",
    );
    check(
        "invoke_agent",
        r#"{"agent_name":"a","goal":"g"}"#,
        "spawn spawn a",
    );
}

/// A server's own record wins over the spelling of the name, and over nothing else.
#[test]
fn a_server_is_known_by_the_clients_record() {
    let of = |tool: &str| {
        let payload = format!(
            r#"{{"tool_name":"{tool}","tool_input":{{"command":"rm x"}},
               "mcp_context":{{"server_name":"my server","tool_name":"run it"}}}}"#
        );
        let event = CLIENT.decode("BeforeTool", &payload);
        event.call().expect("a call").summary(80)
    };
    assert_eq!(of("mcp_my_server_run_it"), "mcp my server run it");
    assert_eq!(of("run_shell_command"), "rm x");
}

#[test]
fn a_shell_command_runs_where_it_says() {
    let cwd = |tool: &str, dir: &str| {
        let input = format!(r#"{{"command":"ls","pattern":"x","dir_path":"{dir}"}}"#);
        CLIENT.call(tool, &input).cwd
    };
    assert_eq!(cwd("run_shell_command", "sub/./x/.."), "/p/sub");
    assert_eq!(cwd("run_shell_command", "/q"), "/q");
    assert_eq!(cwd("run_shell_command", ""), "/p");
    assert_eq!(cwd("grep_search", "sub"), "/p");
}

#[test]
fn nobody_is_told_apart_and_nobody_is_asked() {
    let event = CLIENT.call("run_shell_command", r#"{"command":"ls"}"#);
    assert_eq!(event.actor, Actor::Unknown);
    assert!(
        event.attended && !event.asks,
        "the edge looks for a terminal"
    );
    let prompt = CLIENT.decode("BeforeAgent", r#"{"prompt":"go"}"#);
    assert_eq!(prompt.actor, Actor::Main);
    let empty = CLIENT.decode("BeforeAgent", r#"{"prompt":" "}"#);
    assert!(matches!(
        empty.kind,
        EventKind::Prompt { machine: true, .. }
    ));
}

/// Its end is known by the prompt that it had, and only what it reached counts.
#[test]
fn the_end_of_a_subagent_is_the_result_of_its_spawn() {
    let ended = |prompt: &str, reason: &str, result: &str| {
        let payload = serde_json::json!({"tool_name": "invoke_agent",
            "tool_input": {"agent_name": "generalist", "prompt": prompt},
            "tool_response": {"returnDisplay": {"terminateReason": reason, "result": result}}});
        let event = CLIENT.decode("AfterTool", &payload.to_string());
        match (event.kind, event.actor) {
            (EventKind::SubagentStop { last, .. }, Actor::Sub { id, kind }) => (last, id, kind),
            other => panic!("{other:?}"),
        }
    };
    let (last, id, kind) = ended("do it", "GOAL", "{\"response\": \"a\\nb\"}");
    assert_eq!((last.as_str(), kind.as_str()), ("a\nb", "generalist"));
    let named = host().review.named.expect("named by the prompt");
    assert_eq!(id, named("do it"));
    assert_ne!(id, ended("do that", "GOAL", "x").1);
    assert_eq!(ended("do it", "GOAL", "plain").0, "plain");
    let two = "{\"a\": \"x\", \"b\": \"y\"}";
    assert_eq!(ended("do it", "GOAL", two).0, two);
    assert_eq!(ended("do it", "ABORTED", "### VERDICT: PASS x").0, "");
}

#[test]
fn a_result_with_an_error_is_a_failure() {
    let failed = |response: &str| {
        let payload = format!(
            r#"{{"tool_name":"run_shell_command","tool_input":{{"command":"x"}},
               "tool_response":{response}}}"#
        );
        match CLIENT.decode("AfterTool", &payload).kind {
            EventKind::ToolFailed { error, .. } => Some(error),
            EventKind::ToolAfter { .. } => None,
            other => panic!("{other:?}"),
        }
    };
    let error = r#"{"llmContent":"x","error":{"message":"no such file","type":"t"}}"#;
    assert_eq!(failed(error).as_deref(), Some("no such file"));
    assert_eq!(failed(r#"{"error":null}"#), None);
    assert_eq!(failed("7"), None);
}

const HOOK: &str = "/home/dev/.local/state/tollgate/bin/tollgate-hook";

#[test]
fn a_new_file_is_short_enough_to_read() {
    let stop = "{ echo 'tollgate fault, not a policy decision: the hook did not answer. This call \
                was not let through. Next: run tollgate doctor. [fault/gate]' >&2; exit 2; }";
    let row = |event: &str, or_else: &str, millis: u32| {
        format!(
            "    \"{event}\": [ {{ \"matcher\": \"*\", \"hooks\": [{{ \"name\": \"tollgate\", \
             \"type\": \"command\", \"command\": \"'{HOOK}' gemini {event} || {or_else}\", \
             \"timeout\": {millis} }}] }} ]"
        )
    };
    let rows = [
        row("BeforeTool", stop, 60_000),
        row("AfterTool", "exit 0", 10_000),
        row("SessionStart", "exit 0", 10_000),
        row("BeforeAgent", "exit 0", 10_000),
        row("AfterAgent", "exit 0", 10_000),
        row("SessionEnd", "exit 0", 5_000),
    ];
    let expected = format!("{{\n  \"hooks\": {{\n{}\n  }}\n}}\n", rows.join(",\n"));
    assert_eq!(CLIENT.installed(None, HOOK), expected);
    let gone = (host().uninstall)(&expected).expect("edited");
    assert_eq!(gone.text, None);
}

/// The client lays its settings out anew whenever it writes them.
#[test]
fn a_file_that_the_client_wrote_again_is_ours_still() {
    let text = CLIENT.installed(Some("{\"ui\": {\"theme\": \"x\"}}"), HOOK);
    let value: Value = serde_json::from_str(&text).expect("JSON");
    let pretty = serde_json::to_string_pretty(&value).expect("written");
    assert_eq!(CLIENT.installed(Some(&pretty), HOOK), pretty);
    let gone = (host().uninstall)(&pretty).expect("edited");
    let gone: Value = serde_json::from_str(&gone.text.expect("a text")).expect("JSON");
    assert_eq!(gone, serde_json::json!({"ui": {"theme": "x"}}));
}

/// Ways to disarm the hook without taking it out.
#[test]
fn a_weakened_hook_is_found_and_repaired() {
    let good = CLIENT.installed(Some("{}"), HOOK);
    let check = |from: &str, to: &str| {
        let bad = good.replacen(from, to, 1);
        assert_ne!(bad, good, "{from}");
        let found = (host().inspect)(&bad).expect("read");
        assert_eq!(found.left(Some(HOOK)), HooksLeft::Removed, "{to}");
        assert_eq!(CLIENT.installed(Some(&bad), HOOK), good, "{to}");
    };
    check("\"matcher\": \"*\"", "\"matcher\": \"shell\"");
    check("\"timeout\": 60000", "\"timeout\": 60");
    check("gemini BeforeTool", "gemini AfterTool");
    check("exit 2", "exit 1");
    check("\"type\": \"command\"", "\"type\": \"runtime\"");
    check(&format!("'{HOOK}'"), "tollgate-hook");
}

#[test]
fn what_keeps_the_hook_from_being_asked_is_found() {
    let check = |more: &str, expected: &[Problem]| {
        let text = CLIENT.installed(Some(&format!("{{\n{more}\n}}")), HOOK);
        let found = (host().inspect)(&text).expect("read");
        assert_eq!(found.problems, expected, "{more}");
        let is_off = expected
            .iter()
            .any(|problem| !matches!(problem, Problem::Steered { .. }));
        assert_eq!(found.left(Some(HOOK)) == HooksLeft::Removed, is_off);
    };
    check(
        "\"hooksConfig\": {\"enabled\": false}",
        &[Problem::HooksOff { line: 2 }],
    );
    check(
        "\"hooksConfig\": {\"enabled\": true, \"disabled\": [\"x\"]}",
        &[],
    );
    let list = "\"hooksConfig\": {\"disabled\": [\n\"other\",\n\"tollgate\"]}";
    check(list, &[Problem::HookOff { line: 4 }]);
    let variables = CLIENT.installed(None, HOOK).replace(
        "\"name\": \"tollgate\", ",
        "\"name\": \"tollgate\", \"env\": { \"TOLLGATE_ENABLED\": \"false\", \"A\": \"b\" }, ",
    );
    let found = (host().inspect)(&variables).expect("read");
    assert_eq!(found.problems.len(), 6, "{:?}", found.problems);
}

const SESSION: &[u8] = include_bytes!("../fixtures/gemini/0.61.0/transcript.jsonl");

#[test]
fn a_captured_session_gives_its_calls() {
    let mut calls = Vec::new();
    let mut ended = Vec::new();
    let mut take = |past| match past {
        Past::Call(call) => calls.push(call),
        Past::Ended { call_id, taken } => ended.push((call_id, taken)),
        _ => {}
    };
    let transcript = context::Transcript::new(host().transcript_line);
    let mut transcript = transcript.with_context_decoder(host().transcript_context);
    transcript.push(SESSION, &mut take);
    transcript.end(&mut take);
    let shown = calls.iter().map(|past| {
        let call = &past.call;
        format!("{} {} in {}", call.tool(), call.summary(60), past.cwd)
    });
    let expected = [
        "shell touch ran.txt; echo SHELL-OUT in /home/dev/proj",
        "write write note.txt in /home/dev/proj",
        "edit edit note.txt in /home/dev/proj",
        "read read note.txt in /home/dev/proj",
    ];
    assert_eq!(shown.collect::<Vec<_>>(), expected);
    let first = calls.first().expect("a call");
    assert_eq!(first.time.0 / 86_400_000, 20_784, "27 November 2026");
    assert_eq!(first.session, "00000000-0000-4000-8000-000000000002");
    assert_eq!(first.actor, Actor::Main);
    let all: Vec<_> = calls
        .iter()
        .map(|past| (past.call_id.clone(), true))
        .collect();
    assert_eq!(ended, all, "every call ended");
}

#[test]
fn a_subagents_file_says_so() {
    let first = br#"{"sessionId":"s-2","projectHash":"0","kind":"subagent","directories":["/p"]}"#;
    let context = (host().transcript_context)(first).expect("a context");
    let sub = Actor::Sub {
        id: "s-2".to_owned(),
        kind: String::new(),
    };
    assert_eq!((context.cwd.as_str(), context.actor), ("/p", Some(sub)));
    assert_eq!((host().transcript_context)(b"{}"), None);
}

#[test]
fn a_call_that_no_hook_saw_is_not_waited_for() {
    let ended = |status: &str, error: &str| {
        let line = serde_json::json!({"type": "gemini", "toolCalls": [{"id": "c", "name": "glob",
            "args": {"pattern": "x"}, "status": status, "result": [{"functionResponse":
            {"response": {"error": error}}}]}]});
        let told = (host().transcript_line)(line.to_string().as_bytes()).expect("read");
        told.into_iter().find_map(|past| match past {
            Past::Ended { taken, .. } => Some(taken),
            _ => None,
        })
    };
    assert_eq!(ended("success", ""), Some(true));
    assert_eq!(
        ended("error", "Tool execution blocked: Not run: x"),
        Some(true)
    );
    assert_eq!(
        ended("error", "params must have required property"),
        Some(false)
    );
    assert_eq!(ended("executing", ""), None);
}

/// A text as a client reads it that takes comments out.
fn without_comments(text: &str) -> Value {
    let mut bare = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => {
                let mut escaped = false;
                let end = rest.char_indices().skip(1).find(|(_, c)| {
                    let is_end = *c == '"' && !escaped;
                    escaped = *c == '\\' && !escaped;
                    is_end
                });
                let (whole, _) = rest.split_at(end.unwrap().0 + 1);
                bare.push_str(whole);
                whole.len()
            }
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => rest.find("*/").unwrap() + 2,
            other => {
                bare.push(other);
                other.len_utf8()
            }
        };
        rest = rest.split_at(length).1;
    }
    serde_json::from_str(&bare).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn comments_stay_where_they_are() {
    let hook = "/home/dev/.local/state/tollgate/bin/tollgate-hook";
    let installation = Installation {
        hook,
        launch: Launch::Direct,
    };
    for text in [
        "// mine\n{\n  \"theme\": \"dark\" // after\n}\n",
        "{\n  // first\n  \"theme\": \"dark\"\n}\n",
        "{ /* in front */ \"theme\": \"dark\" }",
        "{\n  /* nothing yet */\n}\n",
        "{ // nothing yet\n}",
        "{\"url\": \"http://x\", /* a { \" */ \"hooks\": {}} // end",
        "{\n  \"hooks\": {\n    // of tools\n    \"BeforeTool\": [\n      // theirs\n      {\"hooks\": []}\n    ]\n  }\n}\n",
    ] {
        let edit = (host().install)(Some(text), &installation).unwrap();
        let with = edit.text.unwrap();
        let read = without_comments(&with);
        assert!(read["hooks"]["BeforeTool"].is_array(), "{with}");
        let found = (host().inspect)(&with).unwrap();
        assert!(
            found.missing.is_empty() && found.problems.is_empty(),
            "{found:?}"
        );
        let again = (host().install)(Some(&with), &installation).unwrap();
        assert!(!again.changed, "{with}");
        let gone = (host().uninstall)(&with).unwrap().text.unwrap_or_default();
        let theirs: Vec<&str> = text.split("theirs").collect();
        // A list without handlers means nothing, so it goes.
        if theirs.len() == 1 {
            assert_eq!(gone, text);
        }
    }
    for wrong in [
        "{ /* no end }",
        "{ / \"a\": 1 }",
        "{\"a\": 1,} // one too many",
    ] {
        assert!(
            (host().install)(Some(wrong), &installation).is_err(),
            "{wrong}"
        );
    }
    let claude = hosts::find("claude").unwrap();
    assert!((claude.install)(Some("{} // mine"), &installation).is_err());
}
