//! Showing items.

use std::process::ExitCode;

use anyhow::Result;
use board::items::View;
use edge::surroundings;
use ledger::items::{Graph, Issue, Selection, in_order, is_closed};
use ledger::{Object, Raw, visible};
use serde_json::{Value, json};
use text::words;

use super::{Desk, Which, ok};
use crate::{checkup, show, times};

/// Fields of an item that are shown as paragraphs.
const TEXTS: &[(&str, &str)] = &[
    ("description", ""),
    ("acceptance_criteria", "Done when: "),
    ("design", "How: "),
    ("notes", "Notes: "),
    ("close_reason", "Closed: "),
];
/// Most lines of such a paragraph.
const LINES_MAX: usize = 30;

/// An item's record, with what is in its way.
pub fn full(view: &View<'_>, graph: &Graph<'_, '_>, id: &str) -> Object<'static> {
    let issue = graph.find(id).and_then(|at| view.issues.get(at));
    let mut object = issue
        .and_then(|issue| view.object(issue))
        .unwrap_or_default();
    if let Some(at) = graph.find(id) {
        let blockers = graph.blockers(at);
        let names = blockers
            .iter()
            .map(|blocked| Value::from(blocked.by.clone()));
        let names: Vec<Value> = names.collect();
        if graph.is_blocked(at) && !names.is_empty() {
            object.set("blocked_by", Raw::value(&names.into()), &[]);
        }
    }
    object
}

pub fn print_object(object: &Object<'_>) {
    say!("{object}");
}

/// One item on one line.
fn line(issue: &Issue<'_>) -> String {
    let mut about = format!("P{} {}", issue.priority, issue.kind);
    if issue.status != "open" {
        about = format!("{about}, {}", issue.status);
    }
    if issue.claimed_by.len() > 1 {
        about = format!("{about}, claimed by {}", issue.claimed_by.join(" and "));
    } else if !issue.assignee.is_empty() {
        about = format!("{about}, {}", issue.assignee);
    }
    if !issue.labels.is_empty() {
        about = format!("{about}, {}", issue.labels.join(" "));
    }
    let title = visible(&issue.title).replace(['\n', '\t'], " ");
    format!(
        "{} {title} {}",
        show::strong(&visible(&issue.id)),
        show::faint(&visible(&about))
    )
}

/// Shows some of the items, as many as are wanted.
fn some<'i>(
    (view, which): (&View<'_>, &Which),
    all: impl Iterator<Item = &'i Issue<'i>>,
    json: bool,
) -> usize {
    let limit = if which.limit == 0 {
        usize::MAX
    } else {
        which.limit
    };
    let mut count = 0;
    for issue in all {
        count += 1;
        if count > limit {
            continue;
        }
        if json {
            print_object(&view.object(issue).unwrap_or_default());
        } else {
            say!("{}", line(issue));
        }
    }
    if count > limit && !json {
        let rest = words::count((count - limit) as u64, "more item");
        say!("{}", show::faint(&format!("{rest}; --limit 0 shows all")));
    }
    count
}

pub fn list(desk: &Desk, which: &Which, json: bool) -> Result<ExitCode> {
    let mut selection = which.selection();
    let is_all = selection.status.iter().any(|status| status == "all");
    let is_open = selection.status.is_empty();
    if is_all {
        selection.status.clear();
    }
    let ((), odd) = desk.look(|view| {
        let chosen = view
            .issues
            .iter()
            .filter(|issue| selection.has(issue) && (!is_open || !is_closed(issue)));
        let mut chosen: Vec<&Issue<'_>> = chosen.collect();
        chosen.sort_by(|a, b| in_order(a, b));
        let count = some((view, which), chosen.into_iter(), json);
        if count == 0 && !json {
            say!("no work item fits; tollgate work create TITLE makes one");
        }
    })?;
    checkup::hint(odd, "tollgate work doctor");
    ok()
}

pub fn ready(desk: &Desk, which: &Which, json: bool) -> Result<ExitCode> {
    let selection = Selection {
        status: Vec::new(),
        ..which.selection()
    };
    let ((), odd) = desk.look(|view| {
        let graph = Graph::of(&view.issues);
        let ready = graph.ready(surroundings::now().0).into_iter();
        let chosen = ready.filter(|issue| selection.has(issue));
        let count = some((view, which), chosen, json);
        if count == 0 && !json {
            say!("nothing is ready; tollgate work blocked shows what waits");
        }
    })?;
    checkup::hint(odd, "tollgate work doctor");
    ok()
}

pub fn blocked(desk: &Desk, which: &Which, json: bool) -> Result<ExitCode> {
    let selection = which.selection();
    desk.look(|view| {
        let graph = Graph::of(&view.issues);
        let chosen = view.issues.iter().enumerate().filter(|(at, issue)| {
            graph.is_blocked(*at) && !is_closed(issue) && selection.has(issue)
        });
        let limit = if which.limit == 0 {
            usize::MAX
        } else {
            which.limit
        };
        let mut count = 0;
        for (at, issue) in chosen.take(limit) {
            count += 1;
            if json {
                print_object(&full(view, &graph, &issue.id));
                continue;
            }
            say!("{}", line(issue));
            for blocker in graph.blockers(at) {
                say!("    {} {}", blocker.by, show::faint(blocker.why));
            }
        }
        if count == 0 && !json {
            say!("nothing waits for anything");
        }
    })?;
    ok()
}

pub fn show_all(desk: &Desk, ids: &[String], json: bool) -> Result<ExitCode> {
    let (shown, _) = desk.look(|view| -> Result<()> {
        let graph = Graph::of(&view.issues);
        for id in ids {
            let issue = view.find(id)?;
            let object = full(view, &graph, &issue.id);
            if json {
                print_object(&object);
            } else {
                print(issue, &object);
                around(view, &graph, issue);
            }
        }
        Ok(())
    })?;
    shown?;
    ok()
}

fn print(issue: &Issue<'_>, object: &Object<'_>) {
    say!("{}", line(issue));
    for (key, before) in TEXTS {
        let text = object.text(key);
        for (at, row) in visible(&text).lines().take(LINES_MAX).enumerate() {
            say!("    {}{row}", if at == 0 { before } else { "" });
        }
    }
    let comments = object.get("comments").and_then(Raw::parsed);
    for comment in comments.iter().filter_map(Value::as_array).flatten() {
        let part = |key| comment.get(key).and_then(Value::as_str).unwrap_or_default();
        let text = visible(part("text")).replace('\n', "\n      ");
        say!("    {}: {text}", visible(part("author")));
    }
    let by = object.text("created_by");
    let [made, changed] = [issue.made, issue.changed].map(times::minute);
    let dates = format!("made {made} by {by}, changed {changed}");
    say!("    {}", show::faint(&visible(&dates)));
}

/// What an item waits for, and what waits for it.
fn around(view: &View<'_>, graph: &Graph<'_, '_>, issue: &Issue<'_>) {
    for one in &issue.dependencies {
        let on = &*one.on;
        let state = graph.find(on).and_then(|at| view.issues.get(at));
        let state = state.map_or("not here", |other| &other.status);
        say!("    {} {} {}", one.kind, visible(on), show::faint(state));
    }
    for (other, kind) in dependents(view, &issue.id) {
        let title = visible(&other.title).into_owned();
        say!(
            "    {} {} {title}",
            show::faint(&format!("{kind} of")),
            other.id
        );
    }
}

fn dependents<'v>(
    view: &'v View<'_>,
    id: &'v str,
) -> impl Iterator<Item = (&'v Issue<'v>, String)> {
    view.issues.iter().flat_map(move |issue| {
        let all = issue.dependencies.iter().filter(move |one| one.on == id);
        all.map(move |one| (issue, one.kind.to_string()))
    })
}

pub fn dependencies(desk: &Desk, id: &str, json: bool) -> Result<ExitCode> {
    let (shown, _) = desk.look(|view| -> Result<()> {
        let graph = Graph::of(&view.issues);
        let issue = view.find(id)?;
        if !json {
            say!("{}", line(issue));
            around(view, &graph, issue);
            return Ok(());
        }
        for one in &issue.dependencies {
            say!(
                "{}",
                json!({"id": issue.id, "on": one.on, "type": one.kind})
            );
        }
        for (other, kind) in dependents(view, &issue.id) {
            say!("{}", json!({"id": other.id, "on": issue.id, "type": kind}));
        }
        Ok(())
    })?;
    shown?;
    ok()
}
