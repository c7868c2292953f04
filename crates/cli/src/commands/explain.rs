//! `tollgate explain`: what was seen, what it would have done, why it was stopped, how to go on.

mod screen;

use std::process::ExitCode;

use anyhow::{Result, bail};
use gates::words::{self, Manner};
use hosts::{Answer, Asked, Host};
use model::{Call, Dialect, Level, one_line};
use serde_json::{Value, json};
use store::{Entry, Store};

use super::check::names;
use crate::here::Here;
use crate::records::journal::{self, Backwards, Record};
use crate::{exit, show, spoken};

/// How many records are looked through for one that was stopped.
const LOOK_BACK_MAX: usize = 5_000;

#[derive(clap::Args)]
pub struct Args {
    /// `last`, a record's id from `tollgate log`, a request's id, or a command
    #[arg(value_name = "WHAT", default_value = "last")]
    what: Vec<String>,
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
    let here = Here::named(args.cwd.as_deref())?;
    let what = spoken::command(&args.what);
    match past(&here, &what)? {
        Some(record) if args.json => say!("{}", record.text),
        Some(record) => screen::tell(&here, &record),
        None if what == "last" => {
            bail!("no call was judged yet; to see one: tollgate demo, or tollgate check 'COMMAND'")
        }
        None if is_id(&what) => bail!("there is no record {what}; tollgate log lists them"),
        None if is_request(&what) => {
            bail!("there is no request {what}; tollgate approvals lists them")
        }
        None => live(&here, args, &what)?,
    }
    Ok(ExitCode::from(exit::OK))
}

/// Whether a word looks like a record's id (`5e55104e-12`) and like no command.
fn is_id(word: &str) -> bool {
    let Some((session, number)) = word.rsplit_once('-') else {
        return false;
    };
    let is_number = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
    is_number && !session.contains(char::is_whitespace)
}

/// Whether a word looks like a request's id (`K9K6`).
fn is_request(word: &str) -> bool {
    let is_letter = |at: usize, c: char| match at % 2 {
        0 => c.is_ascii_alphabetic(),
        _ => c.is_ascii_digit(),
    };
    word.len() == 4 && word.chars().enumerate().all(|(at, c)| is_letter(at, c))
}

/// The record that is meant; `last` is the newest that was stopped, else the newest.
fn past(here: &Here, what: &str) -> Result<Option<Record>> {
    let store = match here.remembered() {
        Ok(Some(store)) => store,
        Err(error) if what == "last" => return Err(error),
        _ => return Ok(None),
    };
    match what {
        "last" => last(&store),
        id if is_request(id) => asked_about(&store, &id.to_uppercase()),
        id => journal::find(&store, id),
    }
}

/// The newest call that became a request.
fn asked_about(store: &Store, id: &str) -> Result<Option<Record>> {
    let named = format!("\"{id}\"");
    for unread in Backwards::newest(store)?.take(LOOK_BACK_MAX) {
        let unread = unread?;
        if unread.line.text.contains(&named) && unread.line.word("event") == Some("tool_before") {
            let record = unread.record();
            if record
                .way_on()
                .is_some_and(|way| way.ends_with(&format!(" {id}")))
            {
                return Ok(Some(record));
            }
        }
    }
    Ok(None)
}

/// The newest record that was stopped, not too long ago; else the newest of a call.
fn last(store: &Store) -> Result<Option<Record>> {
    let mut newest = None;
    for unread in Backwards::newest(store)?.take(LOOK_BACK_MAX) {
        let unread = unread?;
        let is_call = || unread.line.word("event") == Some("tool_before");
        // What nobody objected to is not read as a whole.
        if !unread.line.text.contains("\"would_be\":\"allow\"") {
            let record = unread.record();
            if record.level("would_be") > Level::Allow {
                return Ok(Some(record));
            }
        }
        if newest.is_none() && unread.line.sequence.is_some() && is_call() {
            newest = Some(unread.record());
        }
    }
    Ok(newest)
}

/// Judges a command now and tells it like a record of the past, with what the host would be told.
fn live(here: &Here, args: &Args, command: &str) -> Result<()> {
    let Some(host) = hosts::find(&args.agent) else {
        bail!("no host is called `{}`; known: {}", args.agent, names());
    };
    let call = Call::Shell {
        command: command.into(),
        dialect: Dialect::Posix,
    };
    let event = here.event(call);
    let begin = std::time::Instant::now();
    let judged = here.judge(&event);
    let micros = u64::try_from(begin.elapsed().as_micros()).unwrap_or(u64::MAX);
    let (snapshot, facts) = (&judged.snapshot, &judged.facts);
    let record = Record::unwritten(&Entry {
        micros,
        ..Entry::judged(&event, snapshot, facts, &judged.decision)
    });
    let level = judged.decision.level();
    let reason = judged
        .decision
        .shown()
        .map(|finding| words::of(finding, Manner::of(level, true)));
    let reply = reply(host, level, &reason.unwrap_or_default());
    if args.json {
        let (printed, status) = (&reply.0, reply.1);
        let reply = json!({"host": host.id, "stdout": printed, "exit": status});
        let parsed = parsed(command);
        say!(
            "{}",
            json!({"parsed": parsed, "judged": record.fields, "reply": reply})
        );
        return Ok(());
    }
    screen::tell(here, &record);
    let printed = if reply.0.is_empty() {
        "nothing".to_owned()
    } else {
        reply.0
    };
    let told = format!("  {} is told: exit {}, {printed}", host.title, reply.1);
    say!("{}", one_line_indented(&told));
    Ok(())
}

fn one_line_indented(text: &str) -> String {
    format!("  {}", one_line(text, show::COLUMNS - 2))
}

/// What the host would be told: standard output and status.
fn reply(host: &Host, level: Level, reason: &str) -> (String, i32) {
    let asked = Asked {
        event: host.before_call,
        asks: true,
    };
    let reply = (host.reply)(
        &asked,
        &Answer {
            level,
            reason,
            ..Answer::default()
        },
    );
    (
        String::from_utf8_lossy(&reply.stdout).trim().to_owned(),
        reply.code,
    )
}

/// What the parser made of a command.
fn parsed(command: &str) -> Value {
    let script = shell::parse(command.as_bytes());
    let problem = |problem: &shell::Problem| {
        let what = format!("{:?}", problem.kind);
        json!({"what": what, "byte": problem.span.start})
    };
    let problems: Vec<Value> = script.problems.iter().map(problem).collect();
    json!({"commands": script.commands().len(), "problems": problems})
}
