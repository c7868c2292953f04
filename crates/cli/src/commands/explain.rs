//! `tollgate explain`: what was seen, what it would have done, why it was stopped, how to go on.

use std::process::ExitCode;

use anyhow::{Result, bail};
use gates::words;
use hosts::{Answer, Asked};
use model::{Action, Call, Dialect, Flag, Known, Level, one_line};
use serde_json::Value;

use super::check::manner;
use crate::here::Here;
use crate::journal::{self, Record, word};
use crate::{exit, show};

/// Longest line, in characters.
const LINE_CHARS_MAX: usize = 160;
/// Most actions and facts that are shown.
const SHOWN_MAX: usize = 12;

#[derive(clap::Args)]
pub struct Args {
    /// `last`, a record's id from `tollgate log`, or a command
    #[arg(default_value = "last")]
    what: String,
    /// Where a command would run
    #[arg(long, value_name = "DIR")]
    cwd: Option<String>,
    /// Whose words the answer is shown in
    #[arg(long, value_name = "HOST", default_value = hosts::HOSTS[0].id)]
    agent: String,
    /// The record as it stands
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(args.cwd.as_deref())?;
    match past(&here, &args.what)? {
        Some(record) if args.json => println!("{}", record.text),
        Some(record) => recorded(&record),
        None if args.what == "last" => bail!("nothing was judged yet; try tollgate demo"),
        None => live(&here, args)?,
    }
    Ok(ExitCode::from(exit::OK))
}

/// The record that is meant; `last` is the newest that was stopped, else the newest.
fn past(here: &Here, what: &str) -> Result<Option<Record>> {
    let records = journal::all(&here.store()?)?;
    if what != "last" {
        return Ok(records.into_iter().rev().find(|record| record.id() == what));
    }
    let stopped = records.iter().rev().find(|record| record.text("would_be") != "allow");
    let judged = || records.iter().rev().find(|record| record.text("event") == "tool_before");
    Ok(stopped.or_else(judged).cloned())
}

fn heading(text: &str) {
    println!("{}", show::strong(text));
}

fn line(text: &str) {
    println!("  {}", one_line(text, LINE_CHARS_MAX));
}

fn recorded(record: &Record) {
    heading("Seen");
    line(&format!("{} {}: {}", record.text("event"), record.text("tool"), record.text("summary")));
    line(&format!("in {}, by {}, record {}", record.text("cwd"), record.text("actor"), record.id()));
    heading("It would have");
    let actions = record.list("actions");
    for action in actions.iter().take(SHOWN_MAX) {
        let loss = match word(action, "loss") {
            "" => String::new(),
            "unknown" => "; what would be lost could not be learned".to_owned(),
            loss => format!("; lost: {loss}"),
        };
        line(&format!("{}{}{loss}", word(action, "do"), flags_of(action)));
    }
    if actions.is_empty() {
        line("done nothing that is judged");
    }
    let facts = record.fields.get("facts").and_then(Value::as_object);
    if let Some(facts) = facts.filter(|facts| !facts.is_empty()) {
        heading("Looked up");
        for (question, answer) in facts.iter().take(SHOWN_MAX) {
            line(&format!("{question}: {}", answer.as_str().unwrap_or_default()));
        }
    }
    for unread in record.list("unread").iter().filter_map(Value::as_str).take(SHOWN_MAX) {
        line(&format!("not understood: {unread}"));
    }
    heading("Why");
    for finding in record.list("findings") {
        line(&format!("{} {}: {}", word(finding, "level"), word(finding, "tag"), word(finding, "reason")));
        if word(finding, "mode") != "block" {
            line(&format!("(this gate's mode is {})", word(finding, "mode")));
        }
    }
    if record.list("findings").is_empty() {
        line("no gate had anything against it");
    }
    heading("How to go on");
    let mut ways = record.list("findings").iter().map(|finding| word(finding, "alternative"));
    line(ways.find(|way| !way.is_empty()).unwrap_or("nothing is in the way"));
    if let Some(finding) = record.list("findings").first() {
        line(&format!("More about the rule: tollgate rules show {}", word(finding, "tag")));
        line("To let it happen: run it yourself, or tollgate off --for 5m.");
    }
    println!("{}: {} in {} µs", show::strong("Answer"), record.text("level"), record.number("micros"));
}

fn flags_of(action: &Value) -> String {
    let flags = action.get("flags").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let names: Vec<&str> = flags.iter().filter_map(Value::as_str).collect();
    if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) }
}

/// Judges a command now and shows every stage.
fn live(here: &Here, args: &Args) -> Result<()> {
    let Some(host) = hosts::find(&args.agent) else {
        bail!("no host is called `{}`; known: {}", args.agent, super::check::names());
    };
    let call = Call::Shell { command: args.what.as_str().into(), dialect: Dialect::Posix };
    let event = here.event(call);
    let judged = here.judge(&event);
    heading("Parsed");
    let script = shell::parse(args.what.as_bytes());
    for problem in &script.problems {
        line(&format!("{:?} at byte {}", problem.kind, problem.span.start));
    }
    line(&format!("{} commands", script.commands().len()));
    heading("It would");
    let reading = &judged.snapshot.reading;
    for action in reading.actions.iter().take(SHOWN_MAX) {
        line(&described(action));
    }
    if reading.actions.is_empty() {
        line("do nothing that is judged");
    }
    for unread in reading.unread.iter().take(SHOWN_MAX) {
        line(&format!("not understood: {unread}"));
    }
    heading("Looked up");
    for (question, answer) in store::facts_in_words(&judged.facts).iter().take(SHOWN_MAX) {
        line(&format!("{question}: {answer}"));
    }
    heading("Findings");
    for weighed in &judged.decision.findings {
        let finding = &weighed.finding;
        line(&format!("{} {}: {}", finding.level.name(), finding.tag(), finding.reason));
    }
    let level = judged.decision.level();
    let reason = judged.decision.shown().map(|finding| words::of(finding, manner(level)));
    let reason = reason.unwrap_or_default();
    heading("Answer");
    line(level.name());
    let asked = Asked { event: host.before_call, attended: true };
    let answer = Answer { level, reason: &reason, ..Answer::default() };
    let reply = (host.reply)(&asked, &answer);
    let printed = String::from_utf8_lossy(&reply.stdout).into_owned();
    println!("  to {}: exit {} {}", host.title, reply.code, printed.trim());
    if level > Level::Allow {
        println!("{reason}");
    }
    Ok(())
}

fn described(action: &Action) -> String {
    let flags: Vec<&str> = action.flags.iter().map(Flag::name).collect();
    let flags = if flags.is_empty() { String::new() } else { format!(" ({})", flags.join(", ")) };
    let loss = match &action.loss {
        Known::Known(loss) if loss.is_nothing() => String::new(),
        Known::Known(loss) => format!("; lost: {}", loss.in_words()),
        Known::Unknown(why) => format!("; what would be lost is not known: {why}"),
    };
    let via = if action.via.is_empty() { String::new() } else { format!(" via {}", action.via.join(" → ")) };
    format!("{}{flags} [{}]{via}{loss}", action.canonical(), action.certainty.name())
}
