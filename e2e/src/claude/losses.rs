//! Losses that only the real Claude Code can make: by its own tools, and by those of a server.

use serde_json::{Value, json};

use super::driver::{DRIVER, bash};
use crate::api::Turn;
use crate::losses::{self, Loss, Own};
use crate::sandbox::Sandbox;
use crate::{Behaviour, Kind, shell};

/// All behaviours.
pub const BEHAVIOURS: &[Behaviour] = &[Behaviour {
    kinds: &[Kind::Losses],
    name: losses::NAME,
    scenario: |c, g| losses::play((c, g), &OWN),
}];

const OWN: Own = Own {
    driver: &DRIVER,
    arguments,
    begin,
    losses: own,
};

fn arguments() -> Vec<String> {
    let server = shell::root().join("e2e/src/mcp.py");
    let servers = json!({"mcpServers": {"lab": {"command": "python3", "args": [server]}}});
    vec!["--mcp-config".to_owned(), servers.to_string()]
}

/// The client shows some tools only when they are asked for.
fn begin() -> Vec<Turn> {
    let query = "select:mcp__lab__remove,mcp__lab__note,EnterWorktree,ExitWorktree";
    vec![Turn::Call("ToolSearch", json!({"query": query}))]
}

/// Leaves a work tree of the client's own.
fn leave(how: Value) -> Turn {
    Turn::Call("ExitWorktree", how)
}

fn own(sandbox: &Sandbox) -> Vec<Loss> {
    let folder = |kind: &str| sandbox.home.join(kind);
    let remove = |name: &str| {
        let path = folder("server").join(name);
        Turn::Call("mcp__lab__remove", json!({"path": path}))
    };
    let note = Turn::Call(
        "mcp__lab__note",
        json!({"title": folder("server").join("ran")}),
    );
    vec![
        Loss {
            kind: "server",
            canary: "notes.md".to_owned(),
            loses: vec![remove("notes.md")],
            alike: vec![remove("README.md"), note],
        },
        Loss {
            kind: "tool",
            canary: "../proj/.claude/worktrees/side/notes.md".to_owned(),
            loses: vec![
                Turn::Call("EnterWorktree", json!({"name": "side"})),
                bash("mv ~/tool/notes.md ."),
                leave(json!({"action": "remove", "discard_changes": true})),
            ],
            alike: vec![leave(json!({"action": "keep"})), bash("touch ~/tool/ran")],
        },
    ]
}
