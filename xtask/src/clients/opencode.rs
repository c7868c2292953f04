//! What must hold with the real OpenCode.

mod broken;
mod driver;
mod grants;
mod session;

use std::fs;

use anyhow::{Result, ensure};
use serde_json::json;

use self::session::Played;
use super::api::{Lane, Turn};
use super::client::{Client, Stage};
use super::{Behaviour, Gate};

/// A command that destroys the only copy.
const DESTROY: &str = "rm -rf ~/keep";

/// All behaviours.
pub const BEHAVIOURS: &[Behaviour] = &[
    Behaviour {
        name: "harmless calls of every kind run, and the model hears nothing of the gate",
        play: |c, g| session::look(c, g, Played::passes),
    },
    Behaviour {
        name: "a denied command does not run",
        play: |c, g| session::look(c, g, |played| played.stopped("denied-shell")),
    },
    Behaviour {
        name: "uncommitted work is named, and survives",
        play: |c, g| session::look(c, g, Played::keeps_uncommitted),
    },
    Behaviour {
        name: "a write over the only copy does not happen",
        play: |c, g| session::look(c, g, Played::keeps_notes),
    },
    Behaviour {
        name: "the bridge cannot be rewritten, nor another plugin made, by shell or file tool",
        play: |c, g| session::look(c, g, Played::keeps_bridge),
    },
    Behaviour {
        name: "a denied command does not run: subagent",
        play: |c, g| session::look(c, g, |played| played.stopped("denied-sub")),
    },
    Behaviour {
        name: "a call of an MCP server is judged",
        play: |c, g| session::look(c, g, Played::judges_mcp),
    },
    Behaviour {
        name: "provenance: the client is bound by the socket that it gives the hook",
        play: |c, g| session::look(c, g, Played::bound),
    },
    Behaviour {
        name: "payloads are as the fixtures say",
        play: |c, g| session::look(c, g, Played::as_recorded),
    },
    Behaviour {
        name: "a denied patch changes nothing, a harmless one runs",
        play: patch,
    },
    Behaviour {
        name: "a hook that is missing, killed, hung, silent or prints garbage closes the gate",
        play: broken::all,
    },
    Behaviour {
        name: "the gate switched off lets everything run",
        play: broken::off,
    },
    Behaviour {
        name: "doctor finds a changed bridge, init makes it anew, uninstall takes it away",
        play: broken::changed,
    },
    Behaviour {
        name: "approval: a question becomes a refusal with an id, and a code lets it run once",
        play: grants::approval,
    },
    Behaviour {
        name: "approval: at a terminal the human is shown the code, and types it as a prompt",
        play: grants::prompt,
    },
    Behaviour {
        name: "a ticket: the reviewer starts with tollgate's prompt, and its verdict counts",
        play: grants::review,
    },
];

/// A stage with the gate in front of the client.
fn stage(name: &str, gate: &Gate) -> Result<Stage> {
    let stage = Stage::of(&driver::DRIVER, &format!("opencode-{name}"))?;
    stage.install_gate(&gate.tollgate, &gate.hook, &[])?;
    Ok(stage)
}

/// The model makes these calls one after the other, then says that it is done.
fn script(mark: &'static str, calls: Vec<Turn>) -> Lane {
    Lane {
        mark,
        turns: calls.into_iter().chain([Turn::Say("done")]).collect(),
    }
}

fn shell(command: impl Into<String>) -> Turn {
    let input = json!({"command": command.into(), "description": "work"});
    Turn::Call("bash", input)
}

fn patch(client: &Client, gate: &Gate) -> Result<()> {
    let stage = stage("patch", gate)?;
    fs::write(stage.project.join("notes.md"), "the only notes\n")?;
    let patch = |body: &str| {
        let text = format!("*** Begin Patch\n{body}\n*** End Patch");
        Turn::Call("apply_patch", json!({"patchText": text}))
    };
    let calls = vec![
        patch(
            "*** Add File: new.txt\n+one\n*** Update File: a.txt\n@@\n\
             -changed and nowhere else\n+changed again",
        ),
        patch("*** Delete File: notes.md"),
        patch("*** Add File: .opencode/plugins/x.js\n+export const X = async () => ({})"),
    ];
    let run = stage.play(client, &["-m", driver::PATCHING], vec![script("", calls)])?;
    let at = stage.root.display();
    ensure!(stage.has("new.txt"), "a harmless patch did not run ({at})");
    ensure!(stage.has("notes.md"), "the only notes are gone ({at})");
    ensure!(
        !stage.has(".opencode/plugins/x.js"),
        "a plugin was made ({at})"
    );
    ensure!(
        run.heard.contains("policy/files."),
        "no reason was heard ({at})"
    );
    Ok(())
}
