//! Making and changing items. What is to change is decided under the board's lock.

use std::process::ExitCode;

use anyhow::{Result, bail, ensure};
use board::items::{Scope, View};
use edge::surroundings;
use ledger::items::{Change, Claim, Dependency, Graph, Issue, is_closed, is_id, is_known};
use serde_json::{Map, Value};

use super::look::{self, print_object};
use super::{Desk, ok, time, word};
use crate::commands::msg::said;
use crate::{exit, show};

/// Longest title, in characters.
const TITLE_CHARS_MAX: usize = 500;

/// What may be said of an item that is made or changed.
#[derive(clap::Args)]
pub struct Fields {
    /// task, bug, feature, epic, chore, decision, or your own
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// 0, the most urgent, to 4; 2 is the usual
    #[arg(long, value_parser = ledger::items::priority, value_name = "N")]
    priority: Option<u8>,
    /// All there is to say; - reads it from standard input
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// By what it is known to be done
    #[arg(long, value_name = "TEXT")]
    acceptance: Option<String>,
    /// How it is to be done
    #[arg(long, value_name = "TEXT")]
    design: Option<String>,
    /// What else is known
    #[arg(long, value_name = "TEXT")]
    notes: Option<String>,
    /// Who works on it; none for nobody
    #[arg(long, value_name = "NAME")]
    assignee: Option<String>,
    /// A word to file it under; may be given again
    #[arg(long = "label", value_name = "WORD")]
    labels: Vec<String>,
    /// The item that it is a part of
    #[arg(long, value_name = "ID")]
    parent: Option<String>,
    /// When it must be done: 2026-11-12, or with a time; none for no day
    #[arg(long, value_name = "DAY")]
    due: Option<String>,
    /// Not ready before then
    #[arg(long, value_name = "DAY")]
    defer: Option<String>,
    /// Minutes that it may take
    #[arg(long, value_name = "MINUTES")]
    estimate: Option<u32>,
    /// What it is called elsewhere, such as gh-12
    #[arg(long, value_name = "ID")]
    external_ref: Option<String>,
    /// An object for programs, as JSON
    #[arg(long, value_name = "JSON")]
    meta: Option<String>,
}

/// What only an item that is there already can be told.
pub struct More<'a> {
    pub fields: &'a Fields,
    pub title: Option<&'a str>,
    pub status: Option<&'a str>,
    pub unlabels: &'a [String],
    pub comment: Option<&'a str>,
}

impl Fields {
    fn put(&self, change: &mut Change<'static>) -> Result<()> {
        if let Some(kind) = &self.kind {
            word("type", kind)?;
            change.put("issue_type", kind);
        }
        if let Some(priority) = self.priority {
            change.put_value("priority", &priority.into());
        }
        let description = self.description.as_deref().map(said).transpose()?;
        for (key, text) in [
            ("description", &description),
            ("acceptance_criteria", &self.acceptance),
            ("design", &self.design),
            ("notes", &self.notes),
            ("external_ref", &self.external_ref),
        ] {
            if let Some(text) = text {
                change.put(key, text);
            }
        }
        for (key, text) in [("due_at", &self.due), ("defer_until", &self.defer)] {
            match text.as_deref() {
                None => {}
                Some("none") => change.put_value(key, &Value::Null),
                Some(day) => {
                    let day =
                        time(day).map_err(|why| anyhow::anyhow!("{day:?} is no day; {why}"))?;
                    change.put(key, &day);
                }
            }
        }
        match self.assignee.as_deref() {
            None => {}
            Some("none") => change.put_value("assignee", &Value::Null),
            Some(name) => change.put("assignee", name),
        }
        if let Some(minutes) = self.estimate {
            change.put_value("estimated_minutes", &minutes.into());
        }
        if let Some(meta) = &self.meta {
            let Ok(meta) = serde_json::from_str::<Map<String, Value>>(meta) else {
                bail!("--meta wants a JSON object, such as '{{\"ticket\": 7}}'");
            };
            change.put_value("metadata", &Value::Object(meta));
        }
        for label in &self.labels {
            word("label", label)?;
            change.add.labels.push(label.clone().into());
        }
        Ok(())
    }
}

fn title(text: &str) -> Result<&str> {
    let text = text.trim();
    let count = text.chars().count();
    let is_line = !text.contains(['\n', '\r']);
    ensure!(
        count > 0 && count <= TITLE_CHARS_MAX && is_line,
        "a title is one line of 1 to {TITLE_CHARS_MAX} letters; put the rest into --description"
    );
    Ok(text)
}

/// Adds a dependency to a change, if the other item is there and no circle closes.
fn wait_for(view: &View<'_>, change: &mut Change<'static>, on: &str, kind: &str) -> Result<()> {
    let on = view.find(on)?.id.to_string();
    word("type of dependency", kind)?;
    if ledger::items::BLOCKING.contains(&kind) {
        ensure!(change.item != on, "an item cannot wait for itself");
        let graph = Graph::of(&view.issues);
        if let Some(circle) = graph.circle(&change.item, &on) {
            bail!("that would close a circle: {}", circle.join(" → "));
        }
    }
    change.add.dependencies.push(Dependency::new(&on, kind));
    Ok(())
}

/// An item that is to be made.
pub struct New<'a> {
    pub title: &'a str,
    pub fields: &'a Fields,
    pub after: &'a [String],
    pub found_in: Option<&'a str>,
}

pub fn create(desk: &Desk, new: &New<'_>, json: bool) -> Result<ExitCode> {
    let New {
        title: text,
        fields,
        after,
        found_in,
    } = *new;
    let mut change = Change::to("");
    change.new = true;
    change.put("title", title(text)?);
    fields.put(&mut change)?;
    let links = after.len() + usize::from(fields.parent.is_some() || found_in.is_some());
    let nothing = Vec::new();
    let scope = if links == 0 {
        Scope::Some(&nothing)
    } else {
        Scope::All
    };
    let ids = desk
        .board
        .change(desk.backend, (&desk.author(), scope), |view| {
            for on in after {
                wait_for(view, &mut change, on, "blocks")?;
            }
            if let Some(parent) = &fields.parent {
                wait_for(view, &mut change, parent, "parent-child")?;
            }
            if let Some(found_in) = found_in {
                wait_for(view, &mut change, found_in, "discovered-from")?;
            }
            Ok(vec![change])
        })?;
    done(desk, &ids, json, |id| id.to_owned())
}

/// Ids of items that were changed, and of those that were so already.
struct Changed {
    ids: Vec<String>,
    same: Vec<String>,
}

/// Changes each of some items, and leaves those alone that are so already.
fn each(
    desk: &Desk,
    (ids, scope): (&[String], Scope<'_>),
    make: impl Fn(&View<'_>, &Issue<'_>) -> Result<Change<'static>>,
) -> Result<Changed> {
    let mut same = Vec::new();
    let ids = desk
        .board
        .change(desk.backend, (&desk.author(), scope), |view| {
            let mut changes = Vec::new();
            for id in ids {
                let issue = view.find(id)?;
                let change = make(view, issue)?;
                if view
                    .object(issue)
                    .is_some_and(|known| is_known(&change, &known))
                {
                    same.push(issue.id.to_string());
                } else {
                    changes.push(change);
                }
            }
            Ok(changes)
        })?;
    Ok(Changed { ids, same })
}

pub fn update(desk: &Desk, ids: &[String], more: &More<'_>, json: bool) -> Result<ExitCode> {
    let fields = more.fields;
    let mut told = Change::to("");
    fields.put(&mut told)?;
    if let Some(text) = more.title {
        told.put("title", title(text)?);
    }
    if let Some(status) = more.status {
        word("status", status)?;
        ensure!(
            status != "closed",
            "tollgate work close ID --reason … closes an item"
        );
        told.put("status", status);
    }
    told.remove.labels = more
        .unlabels
        .iter()
        .map(|label| label.clone().into())
        .collect();
    if let Some(comment) = more.comment {
        told.comment = said(comment)?.into();
    }
    ensure!(
        !told.is_empty() || fields.parent.is_some(),
        "nothing to change; tollgate work update --help shows what can be"
    );
    let scope = match fields.parent {
        Some(_) => Scope::All,
        None => Scope::Some(ids),
    };
    let changed = each(desk, (ids, scope), |view, issue| {
        let mut change = told.clone();
        change.item = issue.id.to_string().into();
        if is_closed(issue) && more.status.is_some() {
            open_again(&mut change);
        }
        match fields.parent.as_deref() {
            None => {}
            Some(parent) => {
                // What one change puts in and takes out is out.
                if let Some(known) = issue
                    .parent()
                    .filter(|known| !is_parent(view, known, parent))
                {
                    change
                        .remove
                        .dependencies
                        .push(Dependency::new(&known, "parent-child"));
                }
                if parent != "none" {
                    wait_for(view, &mut change, parent, "parent-child")?;
                }
            }
        }
        Ok(change)
    })?;
    say_changed(desk, &changed, json, "changed")
}

/// Whether a word names the item that something belongs to.
fn is_parent(view: &View<'_>, known: &str, word: &str) -> bool {
    word != "none" && view.find(word).is_ok_and(|issue| issue.id == known)
}

pub fn close(desk: &Desk, ids: &[String], reason: &str, json: bool) -> Result<ExitCode> {
    let now = text::date::timestamp(surroundings::now().0);
    let session = desk.author().session;
    let changed = each(desk, (ids, Scope::Some(ids)), |_, issue| {
        let mut change = Change::to(&issue.id);
        change.put("status", "closed");
        change.put("closed_at", &now);
        change.put("close_reason", reason);
        if !session.is_empty() {
            change.put("closed_by_session", &session);
        }
        Ok(change)
    })?;
    say_changed(desk, &changed, json, "closed")
}

fn open_again(change: &mut Change<'static>) {
    for key in ["closed_at", "close_reason", "closed_by_session"] {
        change.put_value(key, &Value::Null);
    }
}

pub fn reopen(desk: &Desk, ids: &[String], reason: Option<&str>, json: bool) -> Result<ExitCode> {
    let changed = each(desk, (ids, Scope::Some(ids)), |_, issue| {
        ensure!(is_closed(issue), "{} is not closed", issue.id);
        let mut change = Change::to(&issue.id);
        change.put("status", "open");
        open_again(&mut change);
        change.comment = reason.unwrap_or_default().to_owned().into();
        Ok(change)
    })?;
    say_changed(desk, &changed, json, "open again")
}

/// Takes an item up for who asks, if nobody else has it.
pub fn claim(desk: &Desk, id: &str, json: bool) -> Result<ExitCode> {
    let author = desk.author();
    let name = author.name();
    let mut taken = None;
    let named = [id.to_owned()];
    let ids = desk
        .board
        .change(desk.backend, (&author, Scope::Some(&named)), |view| {
            let issue = view.find(id)?;
            let is_free = issue.assignee.is_empty() || issue.assignee == *name;
            if is_closed(issue) || !is_free {
                taken = Some(match is_closed(issue) {
                    true => format!(
                        "{} is closed; tollgate work reopen opens it again",
                        issue.id
                    ),
                    false => format!(
                        "{} is {}'s ({}); tollgate work ready shows what is free",
                        issue.id, issue.assignee, issue.status
                    ),
                });
                return Ok(Vec::new());
            }
            let mut change = Change::to(&issue.id);
            change.put("assignee", &name);
            change.put("status", "in_progress");
            let over = view.assigned_by(&issue.id);
            change.claim = Some(Claim { over });
            Ok(vec![change])
        })?;
    if let Some(why) = taken {
        show::failure(&why);
        return Ok(ExitCode::from(exit::DENY));
    }
    done(desk, &ids, json, |id| format!("yours: {id}"))
}

pub fn depend(desk: &Desk, (id, on): (&str, &str), kind: &str) -> Result<ExitCode> {
    let changed = each(desk, (&[id.to_owned()], Scope::All), |view, issue| {
        let mut change = Change::to(&issue.id);
        wait_for(view, &mut change, on, kind)?;
        Ok(change)
    })?;
    say_changed(desk, &changed, false, "changed")
}

pub fn undepend(desk: &Desk, id: &str, on: &str) -> Result<ExitCode> {
    let changed = each(desk, (&[id.to_owned()], Scope::All), |view, issue| {
        let on = view
            .find(on)
            .map_or_else(|_| on.to_owned(), |issue| issue.id.to_string());
        let mut change = Change::to(&issue.id);
        let those = issue.dependencies.iter().filter(|one| one.on == on);
        let those = those.map(|one| Dependency::new(&on, &one.kind));
        change.remove.dependencies = those.collect();
        let is_there = !change.remove.dependencies.is_empty();
        ensure!(is_there, "{} does not depend on {on}", issue.id);
        Ok(change)
    })?;
    say_changed(desk, &changed, false, "changed")
}

/// Says what was changed, and what was so already.
fn say_changed(desk: &Desk, changed: &Changed, json: bool, verb: &str) -> Result<ExitCode> {
    let Changed { ids, same } = changed;
    let all = [&ids[..], &same[..]].concat();
    done(desk, &all, json, |id| {
        match same.iter().any(|same| same == id) {
            true => format!("nothing changed: {id} is so already"),
            false => format!("{verb}: {id}"),
        }
    })
}

/// Says what was done.
fn done(
    desk: &Desk,
    ids: &[String],
    json: bool,
    words: impl Fn(&str) -> String,
) -> Result<ExitCode> {
    if !json {
        ids.iter().for_each(|id| say!("{}", words(id)));
        return ok();
    }
    debug_assert!(ids.iter().all(|id| is_id(id)));
    desk.look(|view| {
        let graph = Graph::of(&view.issues);
        for id in ids {
            print_object(&look::full(view, &graph, id));
        }
    })?;
    ok()
}
