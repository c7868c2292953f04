//! The real clients, driven end to end against a scripted model.
//!
//! The witness is always a file: a denied command must not have made it, an allowed one must have.

mod api;
mod claude;
mod claude_approvals;
mod claude_coverage;
mod claude_managed;
mod claude_provenance;
mod claude_redteam;
mod claude_terminal;
mod claude_tickets;
mod client;
mod codex;
mod copilot;
mod drift;
mod gemini;
mod http;
mod opencode;
mod qwen;
mod terminal;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::{ci, shell};

/// The programs under test.
pub struct Gate {
    /// `tollgate`.
    pub tollgate: PathBuf,
    /// `tollgate-hook`, as it is installed.
    pub hook: PathBuf,
}

/// One behaviour that must hold with a real client.
#[derive(Clone, Copy)]
pub struct Behaviour {
    /// What must hold, in words.
    pub name: &'static str,
    /// Plays it; the error says what went wrong.
    pub play: fn(&client::Client, &Gate) -> Result<()>,
}

/// The hosts whose real client is driven.
pub const HOSTS: &[&str] = &["claude", "codex", "gemini", "opencode", "copilot", "qwen"];

/// Runs all behaviours of a host; gives how many held.
///
/// # Errors
/// If one does not hold; all are tried first.
pub fn run(host: &str, only: &str) -> Result<u64> {
    let behaviours = match host {
        "claude" => [
            claude::BEHAVIOURS,
            claude_approvals::BEHAVIOURS,
            claude_coverage::BEHAVIOURS,
            claude_managed::BEHAVIOURS,
            claude_provenance::BEHAVIOURS,
            claude_redteam::BEHAVIOURS,
            claude_terminal::BEHAVIOURS,
            claude_tickets::BEHAVIOURS,
        ]
        .concat(),
        "codex" => codex::BEHAVIOURS.concat(),
        "copilot" => copilot::BEHAVIOURS.to_vec(),
        "opencode" => opencode::BEHAVIOURS.to_vec(),
        "qwen" => qwen::BEHAVIOURS.to_vec(),
        "gemini" => gemini::BEHAVIOURS.to_vec(),
        other => bail!(
            "no behaviours are written for `{other}`; known: claude, codex, copilot, gemini, \
             opencode, qwen"
        ),
    };
    shell::run("cargo", &["build", "--quiet", "--package", "tollgate"])?;
    let gate = Gate {
        tollgate: shell::target().join("debug/tollgate"),
        hook: ci::build_hook()?,
    };
    let client = client::install(host)?;
    println!("{} {}", client.id, client.version);
    let mut failed = 0;
    let mut held = 0;
    for behaviour in behaviours
        .iter()
        .filter(|behaviour| behaviour.name.contains(only))
    {
        match (behaviour.play)(&client, &gate) {
            Ok(()) => {
                held += 1;
                println!("  holds   {}", behaviour.name);
            }
            Err(error) => {
                failed += 1;
                println!("  BROKEN  {}: {error:#}", behaviour.name);
            }
        }
    }
    println!("clients: {host}: {held} hold, {failed} broken");
    if failed > 0 || held == 0 {
        bail!("{failed} behaviours are broken with {host}, {held} hold");
    }
    Ok(held)
}

/// Everything below a directory: for each path its mode and its bytes or where it points.
type Tree = BTreeMap<PathBuf, (u32, Vec<u8>)>;

/// What is below a directory.
fn tree(dir: &Path) -> Result<Tree> {
    let mut found = Tree::new();
    let mut left = vec![dir.to_path_buf()];
    while let Some(path) = left.pop() {
        let kind = fs::symlink_metadata(&path)?;
        let bytes = if kind.is_dir() {
            let entries = fs::read_dir(&path)?.map(|entry| Ok(entry?.path()));
            left.extend(entries.collect::<Result<Vec<_>>>()?);
            Vec::new()
        } else if kind.is_symlink() {
            fs::read_link(&path)?.into_os_string().into_encoded_bytes()
        } else {
            fs::read(&path)?
        };
        let name = path.strip_prefix(dir)?.to_path_buf();
        found.insert(name, (kind.permissions().mode(), bytes));
    }
    Ok(found)
}

/// Whether `undo` brings back every byte of the project's `work` that a call destroyed.
fn brought_back(stage: &client::Stage, gate: &Gate, call: &str, before: &Tree) -> Result<()> {
    let listed = stage.tollgate(&gate.tollgate, &["undo", "list", "--json"])?;
    let captures = listed.lines().map(serde_json::from_str::<Value>);
    let captures: Vec<Value> = captures.collect::<Result<_, _>>()?;
    let of_call = |one: &&Value| one.to_string().contains(call);
    let kept = captures.iter().rfind(of_call).and_then(|one| one.get("id"));
    let id = kept.and_then(Value::as_str);
    let id = id.with_context(|| format!("nothing was kept: {listed}"))?;
    let work = stage.project.join("work");
    if work.exists() {
        fs::remove_dir_all(&work)?;
    }
    stage.tollgate(&gate.tollgate, &["undo", "restore", id])?;
    let after = tree(&work)?;
    ensure!(after == *before, "other things came back: {after:?}");
    Ok(())
}
