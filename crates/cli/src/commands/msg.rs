//! `tollgate msg`: messages between agents and people, in files of the repository.

mod doctor;
mod search;

use std::io::Read;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use board::git::Committed;
use board::{Board, MESSAGE_BYTES_MAX, Posted, Query, Watch, author};
use ledger::{Author, Message, Role, Stamp, visible};
use serde_json::{Map, Value};
use text::words;

use crate::here::Here;
use crate::{checkup, exit, show, times};

/// Most lines of a body that are shown in a list.
const LINES_MAX: usize = 12;

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Posts a message to a topic, such as build/linux
    Post {
        /// The topic
        topic: String,
        /// What to say; - reads it from standard input
        text: String,
        /// An object for programs, as JSON
        #[arg(long, value_name = "JSON")]
        meta: Option<String>,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Answers a message, in its topic
    Reply {
        /// The message's id, or enough of it
        id: String,
        /// What to say; - reads it from standard input
        text: String,
        /// An object for programs, as JSON
        #[arg(long, value_name = "JSON")]
        meta: Option<String>,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// The messages of a topic and of those below it, oldest first
    Read {
        /// The topic; all without one
        topic: Option<String>,
        #[command(flatten)]
        which: Which,
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// New messages as they come
    Watch {
        /// The topic; all without one
        topic: Option<String>,
        /// Also those since then, as for read
        #[arg(long, value_name = "WHEN")]
        since: Option<String>,
        /// End after the first message that answers this one or holds this text
        #[arg(long, value_name = "ID|TEXT")]
        until: Option<String>,
        /// End after this long (90s, 10m); the status is then 1 if --until was not met
        #[arg(long, value_name = "TIME")]
        timeout: Option<String>,
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// The topics, with how much is in each
    Topics {
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// The messages that fit some words, the best first
    Search {
        /// The words
        #[arg(required = true)]
        words: Vec<String>,
        /// Only in this topic and below it
        #[arg(long, value_name = "TOPIC")]
        topic: Option<String>,
        /// At most so many
        #[arg(long, value_name = "N", default_value_t = 10)]
        limit: usize,
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// Are all files whole? Names every line that is not
    Doctor {
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// Posts what reviews of a session found; happens by itself
    #[command(hide = true)]
    Verdicts {
        /// The session's id
        session: String,
    },
}

/// Which messages.
#[derive(clap::Args)]
struct Which {
    /// Since then: a while ago (90s, 10m, 2h, 3d), a time (2026-11-12, 2026-11-12T09:30:00Z), or
    /// after the message of this id
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Not those of topics below it
    #[arg(long)]
    exact: bool,
    /// The newest so many; 0 for all
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    let board = Board::at(&here.place);
    match &args.what {
        What::Post {
            topic,
            text,
            meta,
            json,
        } => {
            let post = Post {
                topic,
                text,
                meta: meta.as_deref(),
                re: None,
            };
            send(&here, &board, post, *json)
        }
        What::Reply {
            id,
            text,
            meta,
            json,
        } => {
            let answered = board.find(id)?;
            let post = Post {
                topic: &answered.topic,
                text,
                meta: meta.as_deref(),
                re: Some(answered.id),
            };
            send(&here, &board, post, *json)
        }
        What::Read { topic, which, json } => read(&board, topic.as_deref(), which, *json),
        What::Watch {
            topic,
            since,
            until,
            timeout,
            json,
        } => {
            let query = query(topic.as_deref(), since.as_deref().or(Some("0s")))?;
            let end = End {
                until: until.as_deref(),
                timeout: timeout.as_deref().map(length).transpose()?,
            };
            watch(&board, query, &end, *json)
        }
        What::Topics { json } => topics(&board, *json),
        What::Search {
            words,
            topic,
            limit,
            json,
        } => {
            let found = search::best(&board, (topic.as_deref(), *limit), &words.join(" "))?;
            found
                .iter()
                .for_each(|message| tell(&board, message, *json));
            if found.is_empty() && !json {
                say!("no message fits");
            }
            Ok(ExitCode::from(exit::OK))
        }
        What::Verdicts { session } => crate::concerns::verdicts::run(&here, session),
        What::Doctor { json } => doctor::run(&here, &board, *json),
    }
}

/// What is to be posted.
struct Post<'a> {
    topic: &'a str,
    text: &'a str,
    meta: Option<&'a str>,
    re: Option<Stamp>,
}

fn send(here: &Here, board: &Board, post: Post<'_>, json: bool) -> Result<ExitCode> {
    let text = said(post.text)?;
    let meta = match post.meta.map(serde_json::from_str) {
        None => Map::new(),
        Some(Ok(Value::Object(meta))) => meta,
        Some(_) => bail!("--meta wants a JSON object, such as '{{\"files\": [\"a.rs\"]}}'"),
    };
    let posted = Posted {
        topic: post.topic,
        body: &text,
        re: post.re,
        meta,
    };
    let store = here.remembered().ok().flatten();
    let message = board.post(posted, author(store.as_ref()))?;
    let bundle = here.rules_bundle();
    if bundle
        .rules
        .setting(&rules::settings::messages::COMMIT)
        .value
    {
        commit(board, &message);
    }
    if json {
        say!("{}", message.line());
    } else {
        say!("{}", message.id);
    }
    Ok(ExitCode::from(exit::OK))
}

/// Commits what was posted. The message stands whatever comes of it.
fn commit(board: &Board, message: &Message) {
    match board.commit_messages(&format!("Message to {}", message.topic)) {
        Ok(Committed::Done) => {}
        Ok(Committed::Later(what)) => {
            show::failure(&format!(
                "posted; not committed, because {what} is under way"
            ));
        }
        Err(error) => show::failure(&format!("posted; not committed: {error:#}")),
    }
}

/// A text of the command line, or standard input.
pub fn said(text: &str) -> Result<String> {
    if text != "-" {
        return Ok(text.to_owned());
    }
    let mut bytes = Vec::new();
    let limit = MESSAGE_BYTES_MAX as u64 + 1;
    std::io::stdin().take(limit).read_to_end(&mut bytes)?;
    String::from_utf8(bytes).context("standard input is no text (UTF-8)")
}

fn query(topic: Option<&str>, since: Option<&str>) -> Result<Query> {
    let topic = topic.unwrap_or_default();
    if let Some(fault) = ledger::message::fault_of_topic(topic.trim_end_matches('/'))
        && !topic.is_empty()
    {
        bail!("{topic:?} is no topic: {fault}");
    }
    let mut query = Query {
        topic: topic.to_owned(),
        ..Query::default()
    };
    if let Some(since) = since {
        match since.parse::<Stamp>() {
            Ok(id) => query.after = Some(id),
            Err(_) => query.since = Some(Stamp::first_of(times::moment(since)?)),
        }
    }
    Ok(query)
}

/// A length of time.
fn length(word: &str) -> Result<Duration> {
    times::span(word).map(Duration::from_millis)
}

fn read(board: &Board, topic: Option<&str>, which: &Which, json: bool) -> Result<ExitCode> {
    let query = Query {
        is_exact: which.exact,
        ..query(topic, which.since.as_deref())?
    };
    let found = board.read(&query);
    let skip = match which.limit {
        0 => 0,
        limit => found.messages.len().saturating_sub(limit),
    };
    let shown = found.messages.iter().skip(skip);
    shown.for_each(|message| tell(board, message, json));
    if found.messages.is_empty() && !json {
        say!("no messages; tollgate msg topics shows where there are some");
    }
    if skip > 0 && !json {
        let older = words::count(skip as u64, "older message");
        say!(
            "{}",
            show::faint(&format!("{older} not shown; --limit 0 shows all"))
        );
    }
    let odd: usize = found.odd.iter().map(|file| file.lines.len()).sum();
    checkup::hint(odd + found.unread.len(), "tollgate msg doctor");
    Ok(ExitCode::from(exit::OK))
}

/// When watching ends.
struct End<'a> {
    until: Option<&'a str>,
    timeout: Option<Duration>,
}

fn watch(board: &Board, mut query: Query, end: &End<'_>, json: bool) -> Result<ExitCode> {
    let End { until, timeout } = *end;
    let dir = board.messages_dir();
    let begun = Instant::now();
    // A day, where no end is named: whoever waits that long asks again.
    let end = begun + timeout.unwrap_or(Duration::from_secs(86_400));
    let mut watch = None;
    loop {
        if watch.is_none() && dir.is_dir() {
            watch = Some(Watch::new(&dir));
        }
        for message in board.read(&query).messages {
            tell(board, &message, json);
            query.after = query.after.max(Some(message.id));
            if until.is_some_and(|until| ends(&message, until)) {
                return Ok(ExitCode::from(exit::OK));
            }
        }
        let goes_on = match &watch {
            Some(watch) => watch.wait(end),
            None => {
                let left = end.saturating_duration_since(Instant::now());
                std::thread::sleep(left.min(Duration::from_millis(200)));
                !left.is_zero()
            }
        };
        if !goes_on {
            return Ok(exit::if_good(until.is_none()));
        }
    }
}

/// Whether a message is the one that was waited for.
fn ends(message: &Message, until: &str) -> bool {
    match until.parse::<Stamp>() {
        Ok(id) => message.re == Some(id),
        Err(_) => message.body.contains(until),
    }
}

fn topics(board: &Board, json: bool) -> Result<ExitCode> {
    let topics = board.topics();
    for one in &topics {
        let last = text::date::timestamp(one.last.millis());
        if json {
            let line = serde_json::json!({
                "topic": one.topic, "messages": one.messages, "last": last,
                "last_id": one.last.to_string(),
            });
            say!("{line}");
        } else {
            let count = words::count(one.messages, "message");
            let when = times::minute(one.last.millis());
            let topic = show::strong(&visible(&one.topic));
            say!("{topic}  {}", show::faint(&format!("{count}, last {when}")));
        }
    }
    if topics.is_empty() && !json {
        say!("no messages yet; tollgate msg post TOPIC TEXT posts one");
    }
    Ok(ExitCode::from(exit::OK))
}

/// One message, as a line for programs or a paragraph for people.
fn tell(board: &Board, message: &Message, json: bool) {
    let body = board.body(message);
    if json {
        let mut whole = message.clone();
        if let Ok(body) = body {
            whole.body = body;
        }
        say!("{}", whole.line());
        return;
    }
    let who = who(&message.author());
    let when = times::minute(message.id.millis());
    let re = message
        .re
        .map(|re| format!(", answers {re}"))
        .unwrap_or_default();
    let head = show::strong(&visible(&message.topic));
    say!(
        "{head} {}",
        show::faint(&format!("{who}, {when}, {}{re}", message.id))
    );
    let body = body.unwrap_or_else(|error| format!("{} ({error:#})", message.body));
    let body = visible(&body);
    let mut lines = body.lines();
    for line in lines.by_ref().take(LINES_MAX) {
        say!("    {line}");
    }
    let more = lines.count() as u64;
    if more > 0 {
        let more = words::count(more, "more line");
        say!("    {}", show::faint(&format!("{more}; --json shows all")));
    }
}

/// Who wrote something, in words.
pub fn who(author: &Author) -> String {
    let name = visible(&author.agent).into_owned();
    let session = author.session.get(..8).unwrap_or(&author.session);
    match author.role {
        Role::Person => format!("{name} (a person)"),
        Role::Gate => "tollgate".to_owned(),
        Role::Program => format!("{name} (a program)"),
        role if session.is_empty() => format!("{name} ({})", role.name()),
        role => format!("{name} ({}, session {})", role.name(), visible(session)),
    }
}
