//! One record told in one screen: what was seen, what it would have done, what was looked up, why
//! it was stopped, how to go on. Knows the journal's words, and people's.

use std::io::ErrorKind;

use edge::surroundings;
use model::section::Telling;
use model::{Fact, Level, one_line};
use serde_json::Value;

use crate::here::Here;
use crate::records::journal::fact_words::Told;
use crate::records::journal::{RUN, Record, facts, word};
use crate::show::{self, COLUMNS};

/// Most actions that are shown.
const ACTIONS_MAX: usize = 3;
/// Most facts that are shown.
const FACTS_MAX: usize = 3;
/// Most findings that are shown.
const FINDINGS_MAX: usize = 2;
/// Most steps that are shown.
const STEPS_MAX: usize = 3;
/// Most rows that the first of them takes; the others take one.
const ROWS_MAX: usize = 2;

/// Actions in words that need no manual; others are called what they are.
const ACTIONS: &[(&str, &str)] = &[
    ("discard", "discard uncommitted work in"),
    ("rewrite", "rewrite the history of"),
    ("publish", "publish to"),
    ("reown", "change owner or rights of"),
    ("destroy", "destroy data in"),
    ("execute", "run"),
    (
        "open_channel",
        "open a shell or interpreter whose input is not seen:",
    ),
    ("elevate", "gain rights:"),
    ("delegate", "hand work to"),
    ("tamper", "touch the gate itself:"),
    ("bypass", "skip checks:"),
    ("unknown", "do something unknown to"),
];

/// Actions of which people ask what is lost.
const LOSING: &[&str] = &["discard", "delete"];

/// Kinds of facts in the order in which they matter, with what they are called.
const FACTS: &[(&str, &str)] = &[
    ("work", "uncommitted work in"),
    ("tree", "all below"),
    ("repo", "the repository of"),
    ("ref", "the branch"),
    ("text", "the text of"),
    ("path", ""),
];

/// Answers that say nothing to people.
const EMPTY: &[&str] = &["missing", "exists 0 orphaned", "none"];

/// Tells a record on one screen.
pub fn tell(here: &Here, record: &Record) {
    if matches!(record.text("event"), "change" | RUN) {
        return done(here, record);
    }
    seen(here, record);
    actions(here, record);
    looked_up(here, record);
    why(here, record);
    ways(here, record);
    followed(here, record);
    let level = record.text("level");
    let time = show::micros(record.number("micros"));
    say!("{} {level}, decided in {time}", show::strong("Answer:"));
}

/// Tells what was done on the command line, which no gate judges.
fn done(here: &Here, record: &Record) {
    let ago = surroundings::now().0.saturating_sub(record.number("time"));
    heading("What was done");
    let (by, verb) = (record.text("by"), record.text("verb"));
    match record.text("run") {
        "" => item(here, &format!("{by} {verb}, on the command line")),
        run => {
            item(here, &format!("{by}: run {}", record.text("summary")));
            row(
                here,
                &format!(
                    "It is {} since: tollgate run show {run}",
                    record.text("state")
                ),
            );
        }
    }
    let about = format!("{} ago, record {}", show::span(ago), record.id());
    say!("  {}", show::faint(&about));
    followed(here, record);
}

/// What came of it: how plans, reviews and questions stand since.
fn followed(here: &Here, record: &Record) {
    let told = record.told().filter_map(|told| match told {
        Telling::Beside(words) | Telling::Happened(words) => Some(words),
        Telling::Silent => None,
    });
    let mut told = told.peekable();
    if told.peek().is_some() {
        heading("What came of it");
        items(here, told, STEPS_MAX);
    }
}

fn heading(text: &str) {
    say!("{}", show::strong(text));
}

fn item(here: &Here, text: &str) {
    show::paragraph(2, &here.short(text), ROWS_MAX);
}

fn row(here: &Here, text: &str) {
    say!("  {}", one_line(&here.short(text), COLUMNS - 2));
}

/// A list, of which only the first item is told at length.
fn items(here: &Here, texts: impl Iterator<Item = String>, texts_max: usize) {
    let mut count = 0;
    for (number, text) in texts.enumerate() {
        match number {
            0 => item(here, &text),
            _ if number < texts_max => row(here, &text),
            _ => {}
        }
        count = number + 1;
    }
    if count > texts_max {
        say!("  … and {} more", count - texts_max);
    }
}

fn seen(here: &Here, record: &Record) {
    let what = match record.text("summary") {
        "" if record.text("event") == "change" => record.text("verb"),
        "" => record.text("event"),
        summary => summary,
    };
    let mut about = vec![format!("in {}", record.text("cwd"))];
    if is_past(record) {
        let ago = surroundings::now().0.saturating_sub(record.number("time"));
        about.push(who(record.text("actor")));
        about.push(format!("{} ago", show::span(ago)));
        about.push(format!("record {}", record.id()));
    }
    heading(if is_past(record) {
        "What was seen"
    } else {
        "What is asked about"
    });
    item(here, what);
    let about = one_line(&here.short(about.join(", ")), COLUMNS - 2);
    say!("  {}", show::faint(&about));
    if let Some(who) = record.stranger() {
        let tampering = show::bad("Tampering:");
        say!(
            "  {tampering} {}; nothing that it says counts.",
            here.short(who)
        );
    }
    say!("  {}", outcome(record));
    kept(here, record);
}

/// What was kept before it ran, and what was not.
fn kept(here: &Here, record: &Record) {
    match record.text("saved") {
        "" => {}
        id => say!("  What it would lose is kept: tollgate undo restore {id}"),
    }
    match record.text("unsaved") {
        "" => {}
        unsaved => row(here, &format!("not kept: {unsaved}")),
    }
}

/// Whether it happened, rather than being asked about now.
fn is_past(record: &Record) -> bool {
    !record.session.is_empty()
}

fn outcome(record: &Record) -> String {
    let it = if is_past(record) {
        "It was"
    } else {
        "It would be"
    };
    match (record.level("level"), record.level("would_be")) {
        (Level::Allow, Level::Allow) => show::good(&format!("{it} let through.")),
        (Level::Allow, _) if record.was_granted() => {
            show::good(&format!("{it} let through{}.", because(record)))
        }
        (Level::Allow, _) => {
            let first = record.list("findings").first();
            let profile = first.map_or("guard", |first| show::holding_profile(word(first, "tag")));
            show::warn(&format!(
                "{it} let through; in profile {profile} it would be held."
            ))
        }
        (Level::Ask, _) if !record.could_ask() => show::bad(&format!(
            "{it} refused: a person should say yes first, and nobody was there to ask."
        )),
        (Level::Ask, _) => show::warn(&format!("{it} held: a person should say yes first.")),
        (Level::Deny, _) => show::bad(&format!("{it} refused.")),
    }
}

/// How the step is called that uses a yes.
const SPENT: &str = "spent";

/// By whose yes.
fn because(record: &Record) -> String {
    let spent = record.steps().into_iter().find(|step| step.step == SPENT);
    let id = spent.and_then(|step| step.get::<String>("id"));
    id.map_or(" because of your yes".to_owned(), |id| {
        format!(" because of your yes {id}")
    })
}

/// Who did it, in words.
fn who(actor: &str) -> String {
    match actor
        .strip_prefix("sub:")
        .and_then(|rest| rest.split_once(':'))
    {
        Some((_, "")) => "by a subagent".to_owned(),
        Some((_, kind)) => format!("by the subagent {kind}"),
        None => "by the worker".to_owned(),
    }
}

fn actions(here: &Here, record: &Record) {
    let actions = record.list("actions");
    if actions.is_empty() && record.list("unread").is_empty() {
        return;
    }
    heading("What it would do");
    items(here, actions.iter().map(action), ACTIONS_MAX);
    if let Some(unread) = record.list("unread").iter().find_map(Value::as_str) {
        row(here, &format!("not understood: {unread}"));
    }
}

fn action(action: &Value) -> String {
    let canonical = word(action, "do");
    let (verb, target) = canonical.split_once(' ').unwrap_or((canonical, ""));
    let loss = match facts::known_loss(action) {
        Some(Fact::Known(loss)) => loss.in_words(),
        Some(Fact::Unknown(_)) => "unknown".to_owned(),
        // Lines of older programs say it in words.
        None => word(action, "loss").to_owned(),
    };
    let loss = match loss.as_str() {
        "" if LOSING.contains(&verb) => "; nothing would be lost".to_owned(),
        "" => String::new(),
        "unknown" => "; what would be lost could not be learned".to_owned(),
        loss => format!("; lost: {loss}"),
    };
    let named = ACTIONS.iter().find(|(name, _)| *name == verb);
    let verb = named.map_or(verb, |(_, words)| words);
    let target = match bare(target) {
        "" => "what is not known before it runs",
        target => target,
    };
    format!("{verb} {target}{}{loss}", flags(action))
}

/// A file or repository without its kind, which its path shows.
fn bare(target: &str) -> &str {
    let kinds = ["file:", "git:", "gate:", "unknown:"];
    kinds
        .iter()
        .find_map(|kind| target.strip_prefix(kind))
        .unwrap_or(target)
}

fn flags(action: &Value) -> String {
    let flags = action
        .get("flags")
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    let names: Vec<&str> = flags.iter().filter_map(Value::as_str).collect();
    if names.is_empty() {
        String::new()
    } else {
        format!(" ({})", names.join(", "))
    }
}

fn looked_up(here: &Here, record: &Record) {
    let targets: Vec<&str> = record
        .list("actions")
        .iter()
        .filter_map(|action| target(action))
        .collect();
    let facts = record.facts();
    let mut told: Vec<(usize, String)> = facts
        .iter()
        .filter_map(|told| fact(told, &targets))
        .collect();
    if told.is_empty() {
        return;
    }
    told.sort();
    heading("What was looked up");
    for (_, text) in told.iter().take(FACTS_MAX) {
        row(here, text);
    }
}

fn target(action: &Value) -> Option<&str> {
    word(action, "do")
        .split_once(' ')
        .map(|(_, target)| bare(target))
}

/// A fact in words with its rank; nothing if it says nothing about the actions.
fn fact(told: &Told, targets: &[&str]) -> Option<(usize, String)> {
    let Told { kind, of, answer } = told;
    let rank = FACTS.iter().position(|(name, _)| name == kind)?;
    let (_, words) = FACTS.get(rank)?;
    let own = format!("{of} ");
    let silent = [" 0 bytes", "notasked", " stashes 0", own.as_str()];
    let answer = silent
        .iter()
        .fold(answer.clone(), |answer, part| answer.replace(part, ""));
    let answer = answer.trim();
    let is_about = *kind != "path" || targets.contains(&of.as_str());
    // A file that was looked for and is not there tells nothing either.
    let is_absent = answer.ends_with(&ErrorKind::NotFound.to_string());
    let says = !is_absent && !EMPTY.iter().any(|empty| answer.starts_with(empty));
    let of = of.trim();
    (is_about && says).then(|| (rank, format!("{words} {of}: {answer}").trim().to_owned()))
}

fn why(here: &Here, record: &Record) {
    let findings = record.list("findings");
    heading(match record.level("level") {
        Level::Allow => "What the gates say",
        Level::Ask if record.could_ask() => "Why it is held",
        Level::Ask | Level::Deny => "Why it is refused",
    });
    let advised = |finding: &&Value| word(finding, "reason").is_empty();
    let (advice, against): (Vec<&Value>, Vec<&Value>) = findings.iter().partition(advised);
    items(here, against.into_iter().map(finding), FINDINGS_MAX);
    for said in advice.into_iter().take(FINDINGS_MAX) {
        item(here, &format!("[{}] said:", word(said, "tag")));
        let words = match word(said, "advice") {
            "" => "nothing more: it had been said",
            words => words,
        };
        words.lines().for_each(|line| item(here, line));
    }
    if findings.is_empty() {
        say!("  nothing against it");
    }
    if let Some(fault) = record.list("faults").iter().find_map(Value::as_str) {
        row(here, &format!("not in order: {fault} (tollgate doctor)"));
    }
}

/// What a person does who wants a refused call to happen.
fn all_the_same(tag: &str) -> String {
    let gate = tag.split('/').next().unwrap_or(tag);
    let mut demanding = gates::stack::DISCIPLINE.iter();
    match demanding.any(|known| known.id == gate) {
        true => format!(
            "begin the next prompt with `.`, or switch it off for good: [gates] {gate} = \"off\""
        ),
        false => "run it yourself in a terminal".to_owned(),
    }
}

fn finding(finding: &Value) -> String {
    let mode = match word(finding, "mode") {
        "block" => String::new(),
        mode => format!(", in mode {mode}"),
    };
    format!(
        "{} [{}]{mode}",
        word(finding, "reason"),
        word(finding, "tag")
    )
}

fn ways(here: &Here, record: &Record) {
    let findings = record.list("findings");
    let Some(first) = findings.first() else {
        return;
    };
    heading("How to go on");
    let alternatives = findings.iter().map(|finding| word(finding, "alternative"));
    if let Some(way) = alternatives.into_iter().find(|way| !way.is_empty()) {
        item(here, way);
    }
    if record.level("level") > Level::Allow {
        match record.way_on() {
            Some(command) => say!("  If it should happen all the same: {command}"),
            None => {
                let way = all_the_same(word(first, "tag"));
                say!("  If it should happen all the same, {way}.");
            }
        }
    }
    let tag = word(first, "tag");
    let rule = tag.strip_prefix("policy/").unwrap_or(tag);
    let shown = rule.split('/').next().unwrap_or(rule);
    say!("  About the rule: tollgate rules show {shown}");
}
