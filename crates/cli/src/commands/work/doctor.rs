//! Whether the files of items are whole, and whether the work makes sense.

use std::collections::HashSet;
use std::process::ExitCode;

use anyhow::Result;
use board::items::{Held, View};
use ledger::items::{Event, Graph};
use text::words;

use super::Desk;
use crate::checkup::Checkup;

pub fn run(desk: &Desk, json: bool) -> Result<ExitCode> {
    let mut checkup = Checkup::new(&desk.here);
    let held = desk.board.items(desk.backend)?;
    let (odd, unread) = held.odd(&desk.board);
    checkup.unreadable(&odd, &unread);
    match &held {
        Held::Own(segments) => {
            let mut known = HashSet::new();
            for (path, bytes) in &segments.files {
                let events = ledger::read_lines(bytes, Event::read).records;
                checkup.gaps(path, events.iter().map(|event| event.line));
                known.extend(events.iter().map(|event| event.id));
            }
            checkup.cuts(&desk.board.cut_items(&known));
        }
        Held::Beads(file) => {
            for id in file.doubled() {
                checkup.say(format!("{id} stands in several lines; the newest counts"));
            }
        }
    }
    let count = held.view(|view| {
        nonsense(view)
            .into_iter()
            .for_each(|what| checkup.say(what));
        view.issues.len() as u64
    });
    Ok(checkup.end(json, &words::count(count, "work item")))
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
