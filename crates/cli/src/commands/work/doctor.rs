//! Whether the files of items are whole, and whether the work makes sense.

use std::process::ExitCode;

use anyhow::Result;
use board::items::{Held, View};
use ledger::items::{Event, Graph};
use serde_json::json;

use super::Desk;
use crate::{exit, show};

/// Says in one line that something was passed over.
pub fn hint(odd: usize) {
    if odd > 0 {
        let what = show::count(odd as u64, "line");
        show::failure(&format!(
            "{what} could not be read; tollgate work doctor names them"
        ));
    }
}

pub fn run(desk: &Desk, json: bool) -> Result<ExitCode> {
    let held = desk.board.items(desk.backend)?;
    let mut complaints: Vec<String> = Vec::new();
    let (odd, unread) = held.odd(&desk.board);
    for file in odd {
        let path = desk.here.short(file.path.display());
        let lines = file.lines.iter();
        complaints
            .extend(lines.map(|line| format!("{path}: line {} {}", line.number, line.odd.words())));
    }
    for (path, why) in unread {
        complaints.push(format!(
            "{}: cannot be read: {why}",
            desk.here.short(path.display())
        ));
    }
    match &held {
        Held::Own(segments) => {
            for (path, bytes) in &segments.files {
                let path = desk.here.short(path.display());
                let events = ledger::read_lines(bytes, Event::read).records;
                let gaps = gaps(&events).into_iter();
                complaints.extend(gaps.map(|gap| format!("{path}: {gap}")));
            }
        }
        Held::Beads(file) => {
            let doubled = file.doubled().iter();
            complaints.extend(
                doubled.map(|id| format!("{id} stands in several lines; the newest counts")),
            );
        }
    }
    let count = held.view(|view| {
        complaints.extend(nonsense(view));
        view.issues.len() as u64
    });
    for what in &complaints {
        if json {
            say!("{}", json!({"what": what}));
        } else {
            say!("{} {what}", show::bad("✗"));
        }
    }
    if complaints.is_empty() && !json {
        say!(
            "{} {}, all whole",
            show::good("✓"),
            show::count(count, "work item")
        );
    }
    Ok(exit::if_good(complaints.is_empty()))
}

/// Numbers of lines that are missing between others.
fn gaps(events: &[Event<'_>]) -> Vec<String> {
    let mut found = Vec::new();
    let mut before = 0;
    for event in events.iter().filter(|event| event.line > 0) {
        if event.line > before + 1 {
            let missing = format!("{}–{}", before + 1, event.line - 1);
            found.push(format!("lines {missing} of its writer are missing"));
        }
        before = before.max(event.line);
    }
    found
}

fn nonsense(view: &View<'_>) -> Vec<String> {
    let mut found = Vec::new();
    let graph = Graph::of(&view.issues);
    for circle in graph.circles() {
        let circle = circle.join(" → ");
        found.push(format!(
            "these wait for each other: {circle}; tollgate work dep remove ends it"
        ));
    }
    for (id, on) in graph.dangling() {
        found.push(format!("{id} depends on {on}, which is not here"));
    }
    for issue in view
        .issues
        .iter()
        .filter(|issue| !issue.claimed_by.is_empty())
    {
        let names = issue.claimed_by.join(" and ");
        let id = &issue.id;
        found.push(format!(
            "{id} was taken up by {names} apart from one another; tollgate work update {id} \
             --assignee NAME decides"
        ));
    }
    if let Some(fold) = view.fold() {
        for doubled in fold.doubled() {
            let (id, later) = (&doubled.id, &doubled.later);
            found.push(format!(
                "{id} was given to two items; the later one is {later} since"
            ));
        }
        let unmade = fold.unmade();
        found.extend(
            unmade.map(|id| format!("{id} was changed, and the event that made it is missing")),
        );
    }
    found
}
