//! The program of beads: asked for its items, and told changes in its own words.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use ledger::beads::{BeadsFile, Refusal, printed};
use ledger::items::Change;
use serde_json::Value;

/// What it is called.
pub const PROGRAM: &str = "bd";

/// Fields that it takes as options, by ours.
const OPTIONS: &[(&str, &str)] = &[
    ("title", "--title"),
    ("description", "--description"),
    ("design", "--design"),
    ("acceptance_criteria", "--acceptance"),
    ("notes", "--notes"),
    ("priority", "--priority"),
    ("issue_type", "--type"),
    ("assignee", "--assignee"),
    ("external_ref", "--external-ref"),
    ("estimated_minutes", "--estimate"),
    ("due_at", "--due"),
    ("defer_until", "--defer"),
];

/// All its items.
pub fn load(top: &Path) -> Result<BeadsFile> {
    let records = ask(top, &["list", "--all", "--limit", "0"])?;
    let mut text = records.join("\n");
    text.push('\n');
    Ok(BeadsFile::read(&text))
}

/// Makes one change. The item's id.
pub fn apply(top: &Path, change: &Change<'_>) -> Result<String> {
    let id = if change.new {
        create(top, change)?
    } else {
        change.item.to_string()
    };
    let status = change.set.text("status").into_owned();
    let reason = change.set.text("close_reason").into_owned();
    match &*status {
        "" => {}
        "closed" => {
            let words = ["close", &id, "--reason", or(&reason, "done")];
            ask(top, &words)?;
        }
        "in_progress" if change.claim.is_some() => {
            ask(top, &["update", &id, "--claim"])?;
        }
        status if change.new && status == "open" => {}
        status => {
            ask(top, &["update", &id, "--status", status])?;
        }
    }
    if !change.new {
        update(top, &id, change)?;
    }
    for one in &change.add.dependencies {
        ask(top, &["dep", "add", &id, &one.on(), "--type", &one.kind()])?;
    }
    for one in &change.remove.dependencies {
        ask(top, &["dep", "remove", &id, &one.on()])?;
    }
    for label in &change.add.labels {
        if !change.new {
            ask(top, &["label", "add", &id, label])?;
        }
    }
    for label in &change.remove.labels {
        ask(top, &["label", "remove", &id, label])?;
    }
    if !change.comment.is_empty() {
        ask(top, &["comments", "add", "--", &id, &change.comment])?;
    }
    Ok(id)
}

fn or<'a>(text: &'a str, usual: &'a str) -> &'a str {
    if text.is_empty() { usual } else { text }
}

/// The fields of a change as options.
fn options(change: &Change<'_>) -> Vec<String> {
    let mut words = Vec::new();
    for (key, raw) in change.set.fields() {
        let option = OPTIONS.iter().find(|(known, _)| *known == key);
        let Some((_, option)) = option else { continue };
        if change.claim.is_some() && key == "assignee" {
            continue;
        }
        let value = match raw.parsed() {
            Some(Value::String(text)) => text,
            Some(Value::Null) => String::new(),
            Some(other) => other.to_string(),
            None => continue,
        };
        words.push(format!("{option}={value}"));
    }
    words
}

fn create(top: &Path, change: &Change<'_>) -> Result<String> {
    let mut words = vec!["create".to_owned()];
    words.extend(options(change));
    if !change.add.labels.is_empty() {
        words.push(format!("--labels={}", change.add.labels.join(",")));
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let made = ask(top, &words)?;
    let made = made
        .first()
        .and_then(|record| serde_json::from_str::<Value>(record).ok());
    let id = made
        .as_ref()
        .and_then(|record| record.get("id"))
        .and_then(Value::as_str);
    id.map(str::to_owned)
        .context("bd made an item and did not say which")
}

fn update(top: &Path, id: &str, change: &Change<'_>) -> Result<()> {
    let options = options(change);
    if !options.is_empty() {
        let mut words = vec!["update", id];
        words.extend(options.iter().map(String::as_str));
        ask(top, &words)?;
    }
    Ok(())
}

/// What it prints to some words.
fn ask(top: &Path, words: &[&str]) -> Result<Vec<String>> {
    let mut program = Command::new(PROGRAM);
    program
        .current_dir(top)
        .arg("--json")
        .args(words)
        .stdin(Stdio::null());
    let done = match program.output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            bail!("bd is not installed; install it, or use --backend beads for its file")
        }
        done => done.context("bd could not be run")?,
    };
    let word = words.first().copied().unwrap_or_default();
    let refused = |Refusal(why): Refusal| {
        anyhow::anyhow!("bd {word} refused: {}", ledger::visible(why.trim()))
    };
    let said = String::from_utf8_lossy(&done.stdout);
    if done.status.success() {
        return printed(&said).map_err(refused);
    }
    let complaint = String::from_utf8_lossy(&done.stderr);
    for text in [&*complaint, &*said] {
        if let Err(why) = printed(text).map(drop)
            && text.trim_start().starts_with('{')
        {
            return Err(refused(why));
        }
    }
    Err(refused(Refusal(complaint.trim().to_owned())))
}
