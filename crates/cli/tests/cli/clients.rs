//! `doctor` and `doctor --coverage` for the agents beside the first: what each alone does so that
//! no hook is asked, and where each says what it did.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::common::Machine;

/// A machine with one agent beside the first, which is under the gate in a scope.
fn gated(agent: &str, version: &str, scope: &str) -> Machine {
    let machine = Machine::new();
    machine.script(&format!("path/{agent}"), &format!("echo '{version}'"));
    let init = machine.tollgate(&format!("init --yes --agent {agent} --scope {scope}"));
    init.shows(&["a refused call stayed undone"]).run();
    machine
}

/// Milliseconds since 1970 in some seconds; the calls of tests are after the gate was put up.
fn millis(seconds: u64) -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    u64::try_from(now.as_millis()).unwrap() + 1_000 * (seconds + 1)
}

/// The same as agents spell it.
fn timestamp(seconds: u64) -> String {
    let out = std::process::Command::new("date")
        .args(["-u", "+%Y-%m-%dT%H:%M:%S.999Z", "-d"])
        .arg(format!("@{}", millis(seconds) / 1_000))
        .output()
        .unwrap();
    String::from_utf8(out.stdout).unwrap().trim().to_owned()
}

/// A Copilot session in the project that made these calls, each some seconds after its start.
fn copilot_session(machine: &Machine, session: &str, commands: &[(&str, u64)]) {
    // The agent writes the kind first.
    let line = |kind: &str, data: Value, seconds: u64| {
        let time = timestamp(seconds);
        format!("{{\"type\":\"{kind}\",\"data\":{data},\"timestamp\":\"{time}\"}}\n")
    };
    let mut text = line(
        "session.start",
        json!({"sessionId": session, "copilotVersion": "1.0.102",
            "context": {"cwd": machine.at("home/app")}}),
        0,
    );
    for (number, (command, seconds)) in commands.iter().enumerate() {
        let id = format!("call_{number}_{session}");
        text += &line(
            "tool.execution_start",
            json!({"toolCallId": id, "toolName": "bash", "arguments": {"command": command}}),
            *seconds,
        );
        text += &line(
            "tool.execution_complete",
            json!({"toolCallId": id, "success": true}),
            *seconds,
        );
    }
    let path = format!("home/.copilot/session-state/{session}/events.jsonl");
    machine.write(&path, text);
}

fn copilot_judges(machine: &Machine, session: &str, command: &str) {
    let payload = json!({"hook_event_name": "PreToolUse", "session_id": session,
        "cwd": machine.at("home/app"), "tool_name": "Bash", "tool_input": {"command": command}});
    machine.hook_of(("copilot", "PreToolUse"), &payload, &[]);
}

#[test]
fn calls_without_ids_are_counted_by_what_they_are() {
    let machine = gated("copilot", "GitHub Copilot CLI 1.0.102.", "user");
    // Two that come close together are noted as one.
    let calls = [
        ("touch a", 0),
        ("touch a", 1),
        ("touch a", 30),
        ("touch b", 40),
        ("ls", 50),
    ];
    copilot_session(&machine, "s-1", &calls);
    for command in ["touch a", "touch b"] {
        copilot_judges(&machine, "s-1", command);
    }
    // What was judged in one session is not judged in another.
    copilot_session(&machine, "s-2", &[("touch a", 60), ("touch b", 70)]);
    let doctor = machine.tollgate("doctor --coverage").status(1);
    doctor
        .shows(&[
            "broken   copilot in ~/app: 7 calls, 3 seen, 4 missed\n",
            "1 session never asked the hook: Copilot CLI was started with a trusted project whose",
            "1 session asked the hook for some calls only",
            "7 calls, 3 judged, 4 missed",
        ])
        .run();
}

/// An agent that answers for its data base: these rows, below the name of their column. What it was
/// asked is noted.
fn opencode(machine: &Machine, rows: &str) {
    let asked = machine.at("asked").display().to_string();
    machine.script(
        "path/opencode",
        &format!(
            "if [ \"$1\" = --version ]; then echo 1.18.33; exit; fi\n\
             printf '%s\\n' \"$@\" >> {asked}; pwd >> {asked}\n\
             cat <<'ROWS'\nline\n{rows}ROWS"
        ),
    );
}

/// A call that a session of OpenCode made, as its data base tells it.
fn row(machine: &Machine, (session, root): (&str, &str), id: &str, command: &str) -> String {
    let row = json!({"session": session, "root": root, "cwd": machine.at("home/app"),
        "version": "1.18.33", "time": millis(0), "tool": "bash", "call": id,
        "status": "completed", "input": {"command": command}});
    format!("{row}\n")
}

const DATABASE: &str = "home/.local/share/opencode/opencode.db";

#[test]
fn an_agent_is_asked_for_what_only_it_can_read() {
    let machine = gated("opencode", "1.18.33", "user");
    let rows = [
        row(&machine, ("ses_1", "ses_1"), "call_1", "touch a"),
        row(&machine, ("ses_2", "ses_1"), "call_2", "touch 'b\nc'"),
        row(&machine, ("ses_3", "ses_3"), "call_1", "touch d"),
    ];
    opencode(&machine, &rows.concat());
    let nothing = machine.tollgate("doctor --coverage");
    nothing.shows(&["No agent changed anything"]).run();
    assert!(!machine.at("asked").exists(), "it has done nothing");
    machine.write(DATABASE, "");
    let payload = |id: &str, session: &str, parent: &str| {
        json!({"hook_event_name": "tool_before", "session_id": session, "parent_id": parent,
            "cwd": machine.at("home/app"), "call_id": id, "tool_name": "bash",
            "tool_input": {"command": "touch x"}})
    };
    for judged in [
        payload("call_1", "ses_1", ""),
        payload("call_2", "ses_2", "ses_1"),
    ] {
        machine.hook_of(("opencode", "tool_before"), &judged, &[]);
    }
    // Some models number the calls of each session anew: the third is not the first.
    let doctor = machine.tollgate("doctor --coverage").status(1);
    doctor
        .shows(&[
            "broken   opencode in ~/app: 3 calls, 2 seen, 1 missed\n",
            "touch d\n",
            "1 session never asked the hook: OpenCode was started with --pure",
        ])
        .run();
    let asked = machine.read("asked");
    assert!(asked.starts_with("--pure\ndb\nwith recursive"), "{asked}");
    assert!(asked.ends_with("order by p.time_created\n/\n"), "{asked}");
}

#[test]
fn an_agent_that_cannot_be_asked_is_said() {
    let machine = gated("opencode", "1.18.33", "user");
    machine.write(DATABASE, "");
    for (body, why) in [
        (
            "echo 'no such table: part' >&2; exit 1",
            "does not tell its calls in a form that is known",
        ),
        (
            "echo line; echo '<html>'; echo '{\"a\": 1}'",
            "does not tell its calls in a form that is",
        ),
    ] {
        machine.script("path/opencode", body);
        let doctor = machine.tollgate("doctor --coverage");
        doctor
            .shows(&[
                "warning  opencode: calls not counted: OpenCode",
                why,
                "fix: look at its sessions yourself: opencode session list, opencode export ID",
            ])
            .run();
        let found = machine.tollgate("doctor --coverage").json();
        assert_eq!(found[0]["outcome"], "warning");
    }
    fs::remove_file(machine.at("path/opencode")).unwrap();
    let doctor = machine.tollgate("doctor --coverage");
    let doctor = doctor.env("PATH", machine.at("path"));
    doctor
        .shows(&["calls not counted: OpenCode could not be asked (opencode)"])
        .run();
}

/// An agent that knows these hooks, as JSON, and that is under the gate as far as it goes.
fn codex(hooks: &str) -> Machine {
    let machine = Machine::new();
    machine.script(
        "path/codex",
        &format!(
            "if [ \"$1\" = --version ]; then echo codex-cli 0.171.0; exit; fi\n\
             while read -r line; do case \"$line\" in *hooks/list*)\n\
             echo '{{\"id\":2,\"result\":{{\"data\":[{{\"hooks\":{hooks}}}]}}}}';; esac; done"
        ),
    );
    let init = machine.tollgate("init --yes --agent codex").status(1);
    init.shows(&["not called: Codex CLI does not trust the hooks"])
        .run();
    machine
}

#[test]
fn an_agent_that_switches_hooks_off_sees_none() {
    let machine = codex("[]");
    let doctor = machine.tollgate("doctor").status(1);
    doctor
        .shows(&[
            "a refused call stayed undone",
            "broken   Codex CLI does not see the hooks in ~/.codex/hooks.json: its own settings",
            "fix: tollgate init --agent codex --scope user, or start codex in a terminal",
        ])
        .run();
}

#[test]
fn calls_inside_a_script_are_counted() {
    let machine = codex("[]");
    let time = timestamp(0);
    let line = |kind: &str, payload: Value| {
        format!("{{\"timestamp\":\"{time}\",\"type\":\"{kind}\",\"payload\":{payload}}}\n")
    };
    let app = machine.at("home/app");
    let item = |item: Value| line("event_msg", json!({"type": "item_completed", "item": item}));
    let text = [
        line(
            "session_meta",
            json!({"session_id": "s", "cwd": app, "cli_version": "0.171.0"}),
        ),
        line(
            "response_item",
            json!({"type": "custom_tool_call", "call_id": "call_1", "name": "exec",
                "input": "await tools.exec_command({cmd: 'touch a'})"}),
        ),
        item(
            json!({"type": "CommandExecution", "id": "exec-1", "cwd": format!("file://{}",
            app.display()), "command": ["/bin/bash", "-lc", "touch a"], "status": "completed"}),
        ),
        item(json!({"type": "FileChange", "id": "exec-2", "changes":
            {app.join("b").display().to_string(): {"type": "add", "content": "b\n"}}})),
        line(
            "response_item",
            json!({"type": "custom_tool_call_output", "call_id": "call_1"}),
        ),
    ];
    machine.write(
        "home/.codex/sessions/2026/11/28/rollout-1.jsonl",
        text.concat(),
    );
    let payload = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": app,
        "tool_name": "Bash", "tool_input": {"command": "touch a"}, "tool_use_id": "exec-1"});
    machine.hook_of(("codex", "PreToolUse"), &payload, &[]);
    let doctor = machine.tollgate("doctor --coverage").status(1);
    doctor
        .shows(&[
            "broken   codex in ~/app: 2 calls, 1 seen, 1 missed\n",
            "write ",
            "/app/b\n",
        ])
        .run();
}

#[test]
fn a_projects_hooks_need_a_trusted_folder() {
    let machine = gated("copilot", "GitHub Copilot CLI 1.0.102.", "project");
    let red = [
        "broken   Copilot CLI does not trust ~/app, and calls no hook of its settings",
        "[~/.copilot/config.json]",
        "fix: start copilot there in a terminal and trust the folder, or run tollgate init",
        "not whole",
    ];
    machine.tollgate("doctor").status(1).shows(&red).run();
    let allowed = machine.tollgate("doctor").env("COPILOT_ALLOW_ALL", "true");
    allowed
        .shows(&["Copilot CLI trusts ~/app, where COPILOT_ALLOW_ALL=true is set as it is here"])
        .run();
    copilot_session(&machine, "s-1", &[("touch a", 0)]);
    let coverage = machine.tollgate("doctor --coverage").status(1);
    coverage
        .shows(&[
            "1 call, 0 seen, 1 missed",
            "why: Copilot CLI does not trust ~/app",
        ])
        .run();
    let home = machine.at("home").display().to_string();
    let trusted = format!("// Managed.\n{{\"trustedFolders\": [{home:?}]}}\n");
    machine.write("home/.copilot/config.json", trusted);
    // The agent finds a project's hooks from below too.
    let below = machine.tollgate("doctor").cwd("home/app/sub");
    let below = below.shows(&["Copilot CLI trusts ~/app/sub"]).run();
    assert!(!below.contains("started here is not gated"), "{below}");
    let user = gated("copilot", "GitHub Copilot CLI 1.0.102.", "user");
    let user = user.tollgate("doctor").shows(&["alive"]).run();
    assert!(!user.contains("does not trust"), "{user}");
}

#[test]
fn a_folder_that_is_not_trusted_has_no_hooks_at_all() {
    let machine = gated("gemini", "0.61.0", "project");
    let unknown = machine.tollgate("doctor");
    unknown
        .shows(&[
            "warning  Gemini CLI does not know ~/app yet",
            "/permissions",
        ])
        .run();
    let app = machine.at("home/app").display().to_string();
    let rules = json!({app: "DO_NOT_TRUST"}).to_string();
    machine.write("home/.gemini/trustedFolders.json", rules);
    let red = machine.tollgate("doctor").status(1);
    red.shows(&["broken   Gemini CLI does not trust ~/app"])
        .run();
}

#[test]
fn hooks_of_another_agent_that_are_started_bare_are_said() {
    let machine = Machine::new();
    machine.script("path/copilot", "echo 'GitHub Copilot CLI 1.0.102.'");
    let init = machine.tollgate("init --yes --agent claude --scope project");
    init.shows(&["shared with everybody", "stayed undone"])
        .run();
    machine
        .tollgate("doctor")
        .shows(&[
            "Copilot CLI is here and not gated",
            "warning  Copilot CLI starts the hooks of ~/app/.claude/settings.json too, without",
            "fix: tollgate uninstall --agent claude --scope project, then tollgate init",
        ])
        .run();
}

#[test]
fn an_old_agent_and_one_that_is_started_without_hooks_are_said() {
    let old = gated("gemini", "0.40.0", "user");
    old.tollgate("doctor")
        .shows(&[
            "warning  Gemini CLI 0.40.0 is older than 0.61.0",
            "fix: update it",
        ])
        .run();
    let silent = gated("opencode", "1.18.33", "user");
    let doctor = silent
        .tollgate("doctor")
        .env("OPENCODE_PURE", "1")
        .status(1);
    doctor
        .shows(&[
            "broken   OPENCODE_PURE=1 here: OpenCode started from here asks no hook",
            "fix: unset OPENCODE_PURE",
        ])
        .run();
    silent.tollgate("doctor").shows(&["alive"]).run();
}

/// The commands that the agent's settings hand to a shell before a call.
fn command(machine: &Machine, (file, event): (&str, &str)) -> String {
    let settings: Value = serde_json::from_str(&machine.read(file)).unwrap();
    let group = &settings["hooks"][event][0];
    let inner = &group["hooks"][0]["command"];
    let command = inner.as_str().or_else(|| group["bash"].as_str());
    command.unwrap().to_owned()
}

#[test]
fn the_hook_is_tried_as_the_agent_starts_it() {
    let witness = "printf '%s\\n' \"$@\" > \"$HOME/shell\"; exec /bin/bash \"$@\"";
    for (agent, version, file, event, flags) in [
        (
            "gemini",
            "0.61.0",
            "home/.gemini/settings.json",
            "BeforeTool",
            "",
        ),
        (
            "qwen",
            "0.24.4",
            "home/.qwen/settings.json",
            "PreToolUse",
            "",
        ),
        (
            "copilot",
            "1.0.102",
            "home/.copilot/hooks/tollgate.json",
            "PreToolUse",
            "--norc\n--noprofile\n",
        ),
    ] {
        let machine = Machine::new();
        machine.script(&format!("path/{agent}"), &format!("echo {version}"));
        machine.script("path/bash", witness);
        let init = format!("init --yes --through-shell --agent {agent}");
        machine.tollgate(&init).shows(&["stayed undone"]).run();
        machine.tollgate("doctor").shows(&["stayed undone"]).run();
        let command = command(&machine, (file, event));
        let told = machine.read("home/shell");
        assert_eq!(told, format!("{flags}-c\n{command}\n"), "{agent}");
        // More than our hook is not run to try it.
        let more = format!("{agent} {event}; touch \\\"$HOME/pwned\\\"; true");
        let text = machine.read(file);
        let changed = text.replacen(&format!("{agent} {event}"), &more, 1);
        assert_ne!(text, changed);
        machine.write(file, changed);
        let doctor = machine.tollgate("doctor").status(1);
        doctor
            .shows(&["was changed so that it does not stop"])
            .run();
        assert!(!machine.at("home/pwned").exists(), "{agent}");
    }
}

#[test]
fn an_agent_that_keeps_no_record_is_said() {
    let machine = gated("crush", "crush version v0.90.0", "user");
    machine
        .tollgate("doctor --coverage")
        .shows(&[
            "warning  crush: calls not counted: Crush keeps no record of them that is known",
            "fix: compare what it shows you with what was judged: tollgate log",
            "No agent changed anything in the last 24 hours",
        ])
        .run();
}
