//! Losses that only the real Codex CLI can make: by its patches, and by tools of a server.

use serde_json::{Value, json};

use super::driver::DRIVER;
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
    begin: Vec::new,
    losses: own,
};

fn arguments() -> Vec<String> {
    let server = shell::root().join("e2e/src/mcp.py").display().to_string();
    let config = format!(
        "mcp_servers.lab={{command=\"python3\", args=[{server:?}], \
         default_tools_approval_mode=\"approve\"}}"
    );
    vec!["-c".to_owned(), config]
}

fn own(sandbox: &Sandbox) -> Vec<Loss> {
    let folder = |kind: &str| sandbox.home.join(kind);
    let remove = |name: &str| {
        let path = folder("server").join(name);
        Turn::Call("mcp__lab.remove", json!({"path": path}))
    };
    let note = Turn::Call(
        "mcp__lab.note",
        json!({"title": folder("server").join("ran")}),
    );
    let patch = |what: &str, name: &str| {
        let path = folder("tool").join(name);
        let text = format!("*** Begin Patch\n*** {what}: {}\n", path.display());
        let lines = if what == "Add File" { "+made\n" } else { "" };
        let text = [&text, lines, "*** End Patch\n"].concat();
        Turn::Call("apply_patch", Value::String(text))
    };
    vec![
        Loss {
            kind: "server",
            canary: "notes.md".to_owned(),
            loses: vec![remove("notes.md")],
            alike: vec![remove("README.md"), note],
        },
        Loss {
            kind: "tool",
            canary: "notes.md".to_owned(),
            loses: vec![patch("Delete File", "notes.md")],
            alike: vec![patch("Delete File", "README.md"), patch("Add File", "ran")],
        },
    ]
}
