//! What one session leaves on the board by our tools, and the next finds there.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::Gate;
use super::api::Turn;
use super::sandbox::{Run, Sandbox};

/// How a client names our tools.
pub struct Names {
    /// The host's id.
    pub host: &'static str,
    pub post: &'static str,
    pub read: &'static str,
    pub claim: &'static str,
    pub close: &'static str,
    pub ready: &'static str,
}

/// What the worker tells the reviewer.
const BODY: &str = "the tests need make 4";

/// A worker posts, takes an item up and closes it; a later session reads that, and finds the item
/// ready that waited. The board says which client wrote, in which session.
///
/// # Errors
/// If it is not so.
pub fn passed_on(
    sandbox: &Sandbox,
    gate: &Gate,
    names: &Names,
    play: &dyn Fn(Vec<Turn>) -> Result<Run>,
) -> Result<()> {
    let made =
        |words: &[&str]| -> Result<String> { Ok(sandbox.tollgate(gate, words)?.trim().to_owned()) };
    let first = made(&["work", "create", "Measure it"])?;
    let second = made(&["work", "create", "Write it down", "--after", &first])?;
    let worker = play(vec![
        Turn::Call(names.post, json!({"topic": "build", "body": BODY})),
        Turn::Call(names.claim, json!({"id": first})),
        Turn::Call(names.close, json!({"id": first, "reason": "measured"})),
    ])?;
    let told = worker.heard.contains("measured");
    ensure!(
        told,
        "the worker heard nothing of its item ({})",
        sandbox.root.display()
    );
    let reviewer = play(vec![
        Turn::Call(names.read, json!({"topic": "build"})),
        Turn::Call(names.ready, json!({})),
    ])?;
    for words in [BODY, &*second] {
        let told = reviewer.heard.contains(words);
        ensure!(
            told,
            "the next session did not read {words:?} ({})",
            sandbox.root.display()
        );
    }
    let read = sandbox.tollgate(gate, &["msg", "read", "build", "--json"])?;
    let message: Value = serde_json::from_str(read.trim())?;
    let is_its = word(&message, "agent") == names.host && word(&message, "role") == "worker";
    let session = word(&message, "session");
    ensure!(
        is_its && !session.is_empty(),
        "the board says that somebody else wrote: {message}"
    );
    let shown = sandbox.tollgate(gate, &["work", "show", &first, "--json"])?;
    let item: Value = serde_json::from_str(shown.trim())?;
    let is_done = word(&item, "status") == "closed" && word(&item, "closed_by_session") == session;
    ensure!(is_done, "the item is not closed by that session: {item}");
    Ok(())
}

/// A text of a record; empty if it has none.
fn word<'v>(record: &'v Value, key: &str) -> &'v str {
    record.get(key).and_then(Value::as_str).unwrap_or_default()
}
