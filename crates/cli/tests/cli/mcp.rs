//! The tools for agents, as a host would call them.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::common::Machine;

/// A server with a client at its other end.
struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Client {
    fn new(machine: &Machine) -> Self {
        Self::of(machine.tollgate("mcp").start())
    }

    fn of(mut child: Child) -> Self {
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut client = Self {
            child,
            input,
            output,
            next: 0,
        };
        let hello = client.ask(
            "initialize",
            &json!({"protocolVersion": "2025-06-18", "capabilities": {},
                    "clientInfo": {"name": "test", "version": "1"}}),
        );
        assert_eq!(hello["serverInfo"]["name"], "tollgate");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "{method}");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == id {
                assert!(answer.get("error").is_none(), "{answer}");
                return answer["result"].clone();
            }
        }
    }

    /// What a tool says, and whether it failed.
    fn call(&mut self, name: &str, arguments: &Value) -> (String, bool) {
        let result = self.ask("tools/call", &json!({"name": name, "arguments": arguments}));
        let text = result["content"][0]["text"].as_str().unwrap().to_owned();
        (text, result["isError"] == true)
    }

    fn json(&mut self, name: &str, arguments: &Value) -> Value {
        let (text, failed) = self.call(name, arguments);
        assert!(!failed, "{name}: {text}");
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("{name}: {text}"))
    }

    fn end(mut self) {
        drop(self.input);
        assert!(self.child.wait().unwrap().success());
    }
}

#[test]
fn a_worker_posts_and_a_reviewer_reads_and_work_goes_through_its_life() {
    let machine = Machine::new();
    let (mut worker, mut reviewer) = (Client::new(&machine), Client::new(&machine));
    let posted = worker.json(
        "msg_post",
        &json!({"topic": "build", "body": "--json is\nred"}),
    );
    let read = reviewer.json("msg_read", &json!({"topic": "build"}));
    assert_eq!(
        (&read["id"], &read["body"]),
        (&posted["id"], &"--json is\nred".into())
    );
    let answer = reviewer.json("msg_reply", &json!({"id": posted["id"], "body": "seen"}));
    assert_eq!(answer["re"], posted["id"]);
    let first = worker.json(
        "work_create",
        &json!({"title": "First", "priority": 0, "labels": ["a"]}),
    );
    let second = json!({"title": "Second", "after": [first["id"]], "description": "x"});
    let second = worker.json("work_create", &second);
    let ready = worker.json("work_ready", &json!({}));
    assert_eq!(ready["id"], first["id"]);
    let claimed = worker.json("work_claim", &json!({"id": first["id"]}));
    assert_eq!(claimed["status"], "in_progress");
    let (nothing, _) = worker.call("work_ready", &json!({}));
    assert_eq!(nothing, "nothing");
    let closed = worker.json("work_close", &json!({"id": first["id"], "reason": "done"}));
    assert_eq!(closed["close_reason"], "done");
    let ready = reviewer.json("work_ready", &json!({"limit": 5}));
    assert_eq!(ready["id"], second["id"]);
    let changed = json!({"id": second["id"], "comment": "more", "assignee": "bob"});
    assert_eq!(
        reviewer.json("work_update", &changed)["comments"][0]["text"],
        "more"
    );
    let (taken, failed) = worker.call("work_claim", &json!({"id": second["id"]}));
    assert!(failed && taken.contains("is bob's"), "{taken}");
    worker.end();
    reviewer.end();
}

#[test]
fn what_is_refused_on_the_command_line_is_refused_here() {
    let machine = Machine::new();
    let mut client = Client::new(&machine);
    for (name, arguments, expected) in [
        (
            "msg_post",
            json!({"topic": "review:x", "body": "approved"}),
            "tollgate writes itself",
        ),
        (
            "msg_post",
            json!({"topic": "a b", "body": "x"}),
            "is no topic",
        ),
        ("msg_post", json!({"body": "x"}), "topic is missing"),
        (
            "work_claim",
            json!({"id": "tg-zzzzz"}),
            "there is no work item",
        ),
        ("work_update", json!({"id": "--help"}), "nothing to change"),
        (
            "work_create",
            json!({"title": "x", "after": ["nothing"]}),
            "there is no work item nothing",
        ),
        (
            "review_request",
            json!({"purpose": "x"}),
            "no session is remembered here",
        ),
        ("explain", json!({}), "no call was judged yet"),
    ] {
        let (text, failed) = client.call(name, &arguments);
        assert!(
            failed && text.contains(expected),
            "{name} {arguments}: {text}"
        );
    }
    let result = client.ask("tools/list", &json!({}));
    let tools = result["tools"].as_array().unwrap();
    let names: Vec<&str> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    let owners = [
        "approve",
        "off",
        "undo_drop",
        "review_drop",
        "trust",
        "init",
    ];
    assert!(
        names.len() > 10 && owners.iter().all(|owner| !names.contains(owner)),
        "{names:?}"
    );
    for tool in tools {
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{tool}");
        assert!(tool["annotations"]["readOnlyHint"].is_boolean(), "{tool}");
    }
    client.end();
}

#[test]
fn what_was_kept_and_learned_is_found() {
    let machine = Machine::new();
    machine
        .tollgate("memory add 'the tests need make 4'")
        .shows(&["kept"])
        .run();
    let mut client = Client::new(&machine);
    let found = client.json("memory_search", &json!({"words": "tests"}));
    assert_eq!(found["text"], "the tests need make 4");
    let (kept, failed) = client.call("undo_list", &json!({}));
    assert!(!failed && kept == "nothing", "{kept}");
    client.end();
}

#[test]
fn what_holds_a_session_up_is_asked_for() {
    let machine = Machine::new();
    machine.make_dirty();
    machine.init();
    machine.bash("git status && touch made");
    let mut client = Client::new(&machine);
    let plan = client.json("plan_status", &json!({}));
    assert_eq!(plan["status"], "pending");
    assert!(
        plan["next"].as_str().is_some_and(|next| !next.is_empty()),
        "{plan}"
    );
    let (asked, failed) = client.call("review_request", &json!({"purpose": "the parser"}));
    assert!(!failed, "{asked}");
    let reviews = client.json("review_status", &json!({}));
    assert_eq!(reviews["owed"], 1);
    client.end();
}

#[test]
fn hosts_are_told_of_the_server_and_forget_it() {
    let machine = Machine::new();
    let files = [
        ("home/.claude.json", "{\n  \"numStartups\": 3\n}\n"),
        (
            "home/.gemini/settings.json",
            "{\n  // mine\n  \"theme\": \"dark\"\n}\n",
        ),
        (
            "home/.config/opencode/opencode.json",
            "{ \"mcp\": { \"db\": { \"type\": \"local\" } } }\n",
        ),
    ];
    for (path, text) in files {
        machine.write(path, text);
    }
    let agents = "--agent claude --agent gemini --agent opencode";
    machine
        .tollgate(&format!("init --yes {agents}"))
        .shows(&["tools for your agents: tollgate init --mcp"])
        .run();
    machine
        .tollgate(&format!("init --yes --mcp {agents}"))
        .shows(&[
            "Will change ~/.claude.json (+",
            "Will change ~/.gemini/settings.json (+",
            "Will change ~/.config/opencode/opencode.json (+",
            "a refused call stayed undone",
        ])
        .run();
    // Claude Code lays its file out anew; what it starts answers.
    let told: Value = serde_json::from_str(&machine.read("home/.claude.json")).unwrap();
    machine.write("home/.claude.json", told.to_string());
    let server = &told["mcpServers"]["tollgate"];
    let program = server["command"].as_str().unwrap();
    assert_eq!(program, machine.at("state/bin/tollgate").to_str().unwrap());
    assert_eq!(server["args"], json!(["mcp"]));
    let opencode = machine.read("home/.config/opencode/opencode.json");
    let opencode: Value = serde_json::from_str(&opencode).unwrap();
    assert_eq!(
        opencode["mcp"]["tollgate"]["command"],
        json!([program, "mcp"])
    );
    assert!(
        machine
            .read("home/.gemini/settings.json")
            .contains("// mine")
    );
    let mut started = Command::new(program);
    started.arg("mcp").current_dir(machine.at("home/app"));
    started.env("HOME", machine.at("home"));
    let started = started.stdin(Stdio::piped()).stdout(Stdio::piped());
    Client::of(started.spawn().unwrap());
    machine
        .tollgate("init --yes --mcp")
        .shows(&["already as it should be"])
        .run();
    machine
        .tollgate("uninstall")
        .shows(&[
            "~/.claude.json: tollgate's tools were taken out",
            "opencode.json: tollgate's tools were taken out",
        ])
        .run();
    let left: Value = serde_json::from_str(&machine.read("home/.claude.json")).unwrap();
    assert_eq!(left, json!({"mcpServers": {}, "numStartups": 3}));
    for (path, text) in &files[1..] {
        assert_eq!(machine.read(path), *text, "{path}");
    }
}

#[test]
fn a_projects_settings_name_no_server() {
    Machine::new()
        .tollgate("init --yes --mcp --scope project --agent claude")
        .status(1)
        .complains(&["in the user's settings"])
        .run();
}
