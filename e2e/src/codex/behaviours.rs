//! What must hold of every call with the real Codex CLI.

use std::fs;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::driver::{self, DRIVER, FREE, exec};
use crate::altered::{self, Rewriter};
use crate::api::{Lane, Turn};
use crate::board::{Names, passed_on};
use crate::client::Client;
use crate::sandbox::{Run, Sandbox};
use crate::scenarios::{self, StopEvent};
use crate::verdicts::{self, DESTROY, HARMLESS, RESET, stopped};
use crate::{Behaviour, Gate, Kind};
use crate::{shell, tampering};

/// How it says that the worker stops.
const STOP: StopEvent = StopEvent {
    name: "Stop",
    like: "SubagentStop",
    arguments: &["--dangerously-bypass-hook-trust"],
};

/// A hook of somebody else's, before every shell command.
const OTHER: Rewriter = Rewriter {
    driver: &DRIVER,
    arguments: &["--dangerously-bypass-hook-trust"],
    register: |sandbox, command| {
        let answer = altered::updated_input(command);
        altered::beside_ours(sandbox, ("PreToolUse", "Bash"), &answer)
    },
};

/// All behaviours.
pub const BEHAVIOURS: &[Behaviour] = &[
    Behaviour {
        kinds: &[Kind::Coverage],
        name: altered::NAME,
        scenario: |c, g| altered::play((c, g), &OTHER).map(drop),
    },
    Behaviour {
        kinds: &[Kind::Harmless],
        name: "a harmless session runs, and the model hears nothing of the gate",
        scenario: harmless,
    },
    Behaviour {
        kinds: &[Kind::Shell],
        name: "a denied command does not run",
        scenario: |c, g| stops(c, g, "shell", exec(DESTROY)),
    },
    Behaviour {
        kinds: &[Kind::Write],
        name: "a denied write does not happen",
        scenario: overwrite,
    },
    Behaviour {
        kinds: &[Kind::Patch],
        name: "a denied patch is not applied",
        scenario: patch,
    },
    Behaviour {
        kinds: &[Kind::Loss],
        name: "uncommitted work is named, and survives",
        scenario: uncommitted,
    },
    Behaviour {
        kinds: &[Kind::Shell],
        name: "a denied command of a script does not run",
        scenario: script_mode,
    },
    Behaviour {
        kinds: &[Kind::Subagent],
        name: "a denied command does not run: subagent",
        scenario: subagent,
    },
    Behaviour {
        kinds: &[Kind::Server],
        name: "a call of an MCP server is judged",
        scenario: mcp,
    },
    Behaviour {
        kinds: &[Kind::Server],
        name: "board: what one session leaves by our tools, the next finds",
        scenario: board,
    },
    Behaviour {
        kinds: &[Kind::Shell],
        name: "a shell that waits for words is not opened",
        scenario: channel,
    },
    Behaviour {
        kinds: &[Kind::Settings],
        name: "settings cannot be rewritten through the shell or a patch",
        scenario: settings,
    },
    Behaviour {
        kinds: &[Kind::Stop],
        name: "a stop with a review owed is held up once, and then let go",
        scenario: |c, g| scenarios::stop((c, g), &DRIVER, &STOP),
    },
    Behaviour {
        kinds: &[Kind::Forgery],
        name: "what only a human may say is refused to the worker, and so is the hook",
        scenario: |c, g| scenarios::owner(c, g, &DRIVER),
    },
    Behaviour {
        kinds: &[Kind::Caller],
        name: "provenance: the client is the session's host",
        scenario: |c, g| scenarios::bound(c, g, &DRIVER),
    },
    Behaviour {
        kinds: &[Kind::Off],
        name: "without trust no hook is called, and doctor says so",
        scenario: untrusted,
    },
    Behaviour {
        kinds: &[Kind::Forgery],
        name: tampering::NAME,
        scenario: |c, g| tampering::play((c, g), &DRIVER),
    },
    Behaviour {
        kinds: &[Kind::Forgery],
        name: tampering::EDITED,
        scenario: |c, g| tampering::edited((c, g), &DRIVER, &EDIT),
    },
];

/// What people ask agents to do to their settings, and what they do not.
const EDIT: tampering::Edit = tampering::Edit {
    file: ".codex/config.toml",
    more: "\n[history]\npersistence = \"none\"\n",
    own: &[
        (
            "sed -i 's/\"none\"/\"save-all\"/' {file}",
            "persistence = \"save-all\"",
        ),
        (
            "printf '\\n[tui]\\nnotifications = true\\n' >> {file}",
            "notifications = true",
        ),
    ],
    ours: ("sed -i 's/trusted_hash/other/' {file}", "trusted_hash"),
};

/// A patch with this body.
pub fn patched(body: &str) -> Turn {
    let text = format!("*** Begin Patch\n{body}\n*** End Patch\n");
    Turn::Call("apply_patch", Value::String(text))
}

/// Plays a script to its end.
pub fn played(client: &Client, sandbox: &Sandbox, more: &[&str], lanes: Vec<Lane>) -> Result<Run> {
    let arguments = [FREE, more].concat();
    let run = sandbox.play(client, &arguments, lanes)?;
    ensure!(
        run.printed.contains("turn.completed"),
        "the client did not finish its turn ({})",
        sandbox.root.display()
    );
    Ok(run)
}

fn stops(client: &Client, gate: &Gate, name: &str, call: Turn) -> Result<()> {
    let sandbox = driver::sandbox(client, gate, name)?;
    let run = played(client, &sandbox, &[], Lane::only(vec![call]))?;
    stopped(&sandbox, &run)
}

fn harmless(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = driver::sandbox(client, gate, "harmless")?;
    let calls = vec![
        exec(HARMLESS),
        patched("*** Add File: note.txt\n+one"),
        exec("cat note.txt; git status"),
    ];
    let run = played(client, &sandbox, &[], Lane::only(calls))?;
    ensure!(
        sandbox.has("ran") && sandbox.has("note.txt"),
        "it did not run"
    );
    verdicts::unheard(&run)
}

fn overwrite(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = driver::sandbox(client, gate, "overwrite")?;
    sandbox.write("notes.md", "the only notes\n")?;
    let calls = vec![exec("echo new > notes.md")];
    played(client, &sandbox, &[], Lane::only(calls))?;
    verdicts::notes(&sandbox)
}

fn patch(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = driver::sandbox(client, gate, "patch")?;
    sandbox.write("notes.md", "the only notes\n")?;
    let body = "*** Add File: made.txt\n+x\n*** Delete File: notes.md";
    let shell = format!("apply_patch <<'EOF'\n*** Begin Patch\n{body}\n*** End Patch\nEOF\n");
    let calls = vec![patched(body), exec(&shell)];
    played(client, &sandbox, &[], Lane::only(calls))?;
    ensure!(sandbox.has("notes.md"), "the only notes are gone");
    ensure!(!sandbox.has("made.txt"), "a part of it was applied");
    let calls = vec![patched("*** Add File: made.txt\n+x")];
    played(client, &sandbox, &[], Lane::only(calls))?;
    ensure!(sandbox.has("made.txt"), "a harmless patch was stopped");
    Ok(())
}

fn uncommitted(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = driver::sandbox(client, gate, "uncommitted")?;
    let calls = vec![exec(RESET)];
    let run = played(client, &sandbox, &[], Lane::only(calls))?;
    verdicts::uncommitted(&sandbox, &run)
}

/// Newer models write a script whose calls are made one by one.
fn script_mode(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = driver::sandbox(client, gate, "script")?;
    let text = format!(
        "const out = await tools.exec_command({{cmd: {}}}); text(JSON.stringify(out));",
        json!(DESTROY)
    );
    let calls = vec![Turn::Call("exec", Value::String(text))];
    let model = ["-c", "model=\"gpt-6.2-sol\""];
    let run = played(client, &sandbox, &model, Lane::only(calls))?;
    stopped(&sandbox, &run)
}

fn subagent(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = driver::sandbox(client, gate, "subagent")?;
    let spawn = json!({"message": "SUBMARK run one command", "agent_type": "worker"});
    let lanes = vec![
        Lane::of("SUBMARK", vec![exec(DESTROY)]),
        Lane {
            mark: "",
            turns: vec![
                Turn::Call("multi_agent_v1.spawn_agent", spawn),
                Turn::Say("done").once_heard("[policy/files."),
            ],
        },
    ];
    let run = played(client, &sandbox, &[], lanes)?;
    ensure!(run.heard.contains("SUBMARK"), "no subagent was started");
    stopped(&sandbox, &run)
}

fn mcp(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = driver::sandbox(client, gate, "mcp")?;
    let server = shell::root().join("e2e/src/mcp.py");
    let config = format!(
        "mcp_servers.lab={{command=\"python3\", args=[{:?}], \
         default_tools_approval_mode=\"approve\"}}",
        server.display().to_string()
    );
    let dear = sandbox.home.join("keep/only-copy.txt");
    let cheap = sandbox.project.join("made.txt");
    fs::write(&cheap, "")?;
    let calls = [&dear, &cheap]
        .map(|path| Turn::Call("mcp__lab.remove", json!({"path": path})))
        .to_vec();
    let run = played(client, &sandbox, &["-c", &config], Lane::only(calls))?;
    verdicts::kept(&sandbox)?;
    ensure!(!cheap.exists(), "the server did not run at all");
    ensure!(
        run.heard.contains("[policy/files."),
        "the model was not told why"
    );
    Ok(())
}

/// Our own tools, as a person registers them.
fn board(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = driver::sandbox(client, gate, "board")?;
    let config = format!(
        "mcp_servers.tollgate={{command={:?}, args=[\"mcp\"], env={{TOLLGATE_HOME={:?}}}, \
         default_tools_approval_mode=\"approve\"}}",
        gate.tollgate.display().to_string(),
        // It hands servers few variables.
        sandbox.root.join("gate").display().to_string()
    );
    let names = Names {
        host: "codex",
        post: "mcp__tollgate.msg_post",
        read: "mcp__tollgate.msg_read",
        claim: "mcp__tollgate.work_claim",
        close: "mcp__tollgate.work_close",
        ready: "mcp__tollgate.work_ready",
    };
    passed_on(&sandbox, gate, &names, &|calls| {
        played(client, &sandbox, &["-c", &config], Lane::only(calls))
    })
}

/// What is typed into a running shell is shown to no hook, so the shell must not start.
fn channel(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = driver::sandbox(client, gate, "channel")?;
    let start = json!({"cmd": "bash", "tty": true, "yield_time_ms": 500});
    let typed = json!({"session_id": 1, "chars": "touch ran\n", "yield_time_ms": 500});
    let calls = vec![
        Turn::Call("exec_command", start),
        Turn::Call("write_stdin", typed),
    ];
    let run = played(client, &sandbox, &[], Lane::only(calls))?;
    ensure!(!sandbox.has("ran"), "words were typed into a shell");
    ensure!(
        run.heard.contains("as an argument"),
        "the model was not told the way"
    );
    Ok(())
}

fn settings(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = driver::sandbox(client, gate, "settings")?;
    let kept = ["hooks.json", "config.toml"].map(|name| sandbox.home.join(".codex").join(name));
    let before: Vec<_> = kept.iter().map(fs::read).collect::<Result<_, _>>()?;
    let file = sandbox.settings();
    let calls = vec![
        exec("echo '{}' > ~/.codex/hooks.json"),
        exec("sed -i s/sha256/sha1/ ~/.codex/config.toml"),
        patched(&format!("*** Delete File: {}", file.display())),
        exec(DESTROY),
    ];
    let run = played(client, &sandbox, &[], Lane::only(calls))?;
    let after: Vec<_> = kept.iter().map(fs::read).collect::<Result<_, _>>()?;
    ensure!(after == before, "the settings were changed");
    stopped(&sandbox, &run)
}

fn untrusted(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = driver::sandbox(client, gate, "untrusted")?;
    let said = sandbox.tollgate(gate, &["doctor"])?;
    ensure!(said.contains("trusts the hooks"), "doctor said: {said}");
    fs::write(sandbox.home.join(".codex/config.toml"), "")?;
    let said = sandbox.tollgate(gate, &["doctor"])?;
    ensure!(
        said.contains("does not trust the hooks for PreToolUse"),
        "doctor said: {said}"
    );
    played(client, &sandbox, &[], Lane::only(vec![exec(HARMLESS)]))?;
    ensure!(sandbox.has("ran"), "it did not run");
    Ok(())
}
