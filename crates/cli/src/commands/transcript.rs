//! `tollgate transcript extract`: what a host's own session file tells of a session.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use context::{Extraction, Prompt, Query, Section, TOKEN_BYTES, TURNS};
use model::TodoState;
use retrieval::session_file::SessionFile;
use serde_json::{Map, Value, json};
use text::words;

use crate::{exit, show};

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// What a session was about, from its agent's own file
    Extract(Extract),
}

#[derive(clap::Args)]
struct Extract {
    /// The session file, or an export of a session
    path: String,
    /// What is told: intent, prompts, skill, todos, errors, tools, files, decisions; all by default
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = section)]
    include: Vec<Section>,
    /// How many turns are looked back on; a turn begins with what a human said
    #[arg(long, value_name = "TURNS", default_value_t = TURNS)]
    max_turns: usize,
    /// Whose file it is, if it does not show
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
    /// What the session's subagents did, too
    #[arg(long)]
    subagents: bool,
    /// Leaves out what is worth least until the rest has about so many tokens of 4 bytes
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u32).range(10..))]
    tokens: Option<u32>,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

fn section(name: &str) -> Result<Section, String> {
    Section::named(name.trim()).ok_or_else(|| {
        let names = Section::ALL.map(Section::name).join(", ");
        format!("there are {names}")
    })
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let What::Extract(args) = &args.what;
    let sections = match args.include.as_slice() {
        [] => Section::ALL.as_slice(),
        some => some,
    };
    let query = Query {
        turns: args.max_turns,
        subagents: args.subagents,
        ..Query::of(sections)
    };
    let file = SessionFile::open(Path::new(&args.path), args.host.as_deref())?;
    let own = file.extract(&query)?;
    let session = own.session.clone();
    let mut all = vec![(args.path.clone(), own)];
    if args.subagents {
        let extractions = file.extract_subagents(&session, &query).into_iter();
        all.extend(
            extractions.map(|(file, extraction)| (file.to_string_lossy().into_owned(), extraction)),
        );
    }
    if let Some(tokens) = args.tokens {
        fit(&mut all, tokens as usize * TOKEN_BYTES);
    }
    if args.json {
        say!("{}", as_json(&all, file.recognized.host.id, &query));
    } else {
        print(&all);
    }
    for (file, extraction) in &all {
        complain(file, extraction);
    }
    Ok(ExitCode::from(exit::OK))
}

/// Divides a budget: half is the session's own, what it leaves is its subagents'.
fn fit(all: &mut [(String, Extraction)], bytes: usize) {
    let Some(((_, own), subagents)) = all.split_first_mut() else {
        return;
    };
    let shown = |extraction: &Extraction| extraction.to_string().len();
    let share = if subagents.is_empty() {
        bytes
    } else {
        bytes / 2
    };
    own.fit(share, &shown);
    let rest = bytes.saturating_sub(shown(own));
    let each = rest.checked_div(subagents.len()).unwrap_or(0);
    for (_, extraction) in subagents {
        let title = title(extraction).len() + 1;
        extraction.fit(each.saturating_sub(title), &shown);
    }
}

fn title(extraction: &Extraction) -> String {
    format!(
        "subagent {}",
        extraction.subagent.as_deref().unwrap_or_default()
    )
}

fn print(all: &[(String, Extraction)]) {
    for (number, (file, extraction)) in all.iter().enumerate() {
        let is_own = number == 0;
        if !is_own && !extraction.is_empty() {
            say!("{}", title(extraction).trim_end());
        }
        if extraction.is_empty() && is_own {
            let seen = &extraction.seen;
            let prompts = words::count(seen.prompts, "prompt");
            let calls = words::count(seen.calls, "call");
            say!("nothing of that is told in {file}: {prompts}, {calls}");
            if seen.of_subagents > 0 {
                say!("What subagents did was left out; --subagents tells it.");
            }
        }
        show::print(format_args!("{extraction}"));
    }
}

/// Says what was not read.
fn complain(file: &str, extraction: &Extraction) {
    let seen = &extraction.seen;
    if seen.torn > 0 {
        let records = words::count(seen.records, "record");
        let torn = seen.torn;
        show::failure(&format!(
            "{torn} of {records} in {file} could not be read and were passed over"
        ));
    }
    if seen.broken {
        show::failure(&format!("{file} could not be read to its end"));
    }
}

fn as_json(all: &[(String, Extraction)], host: &str, query: &Query) -> Value {
    let mut objects = all
        .iter()
        .map(|(file, extraction)| one_as_json(file, extraction, query));
    let mut own = objects.next().unwrap_or_default();
    let subagents: Vec<Value> = objects.map(Value::Object).collect();
    own.insert("host".to_owned(), json!(host));
    if query.subagents {
        own.insert("subagents".to_owned(), json!(subagents));
    }
    Value::Object(own)
}

fn one_as_json(file: &str, extraction: &Extraction, query: &Query) -> Map<String, Value> {
    let mut object = Map::new();
    let mut put = |name: &str, value: Value| object.insert(name.to_owned(), value);
    put("file", json!(file));
    put("session", json!(extraction.session));
    put("cwd", json!(extraction.cwd));
    put("version", json!(extraction.version));
    put("subagent", json!(extraction.subagent));
    for section in &query.sections {
        put(section.name(), section_as_json(*section, extraction));
    }
    let seen = &extraction.seen;
    put(
        "seen",
        json!({
            "records": seen.records, "torn": seen.torn, "prompts": seen.prompts,
            "machine_prompts": seen.machine_prompts, "calls": seen.calls, "failed": seen.failed,
            "of_subagents": seen.of_subagents, "from": seen.from, "length": seen.length,
            "broken": seen.broken, "left_out": seen.left_out,
        }),
    );
    object
}

fn section_as_json(section: Section, extraction: &Extraction) -> Value {
    match section {
        Section::Intent => json!(extraction.intent.as_ref().map(prompt)),
        Section::Prompts => extraction.prompts.iter().map(prompt).collect(),
        Section::Skill => json!(
            extraction
                .skill
                .as_ref()
                .map(|skill| json!({"name": skill.name, "turns_ago": skill.turns_ago}))
        ),
        Section::Todos => todos_as_json(extraction),
        Section::Errors => extraction
            .errors
            .iter()
            .map(|one| {
                json!({"tool": one.tool, "what": one.what, "text": one.text,
                    "stopped": one.stopped, "subagent": one.subagent, "time": one.time.0})
            })
            .collect(),
        Section::Tools => extraction
            .tools
            .iter()
            .map(|one| {
                json!({"tool": one.tool, "what": one.what, "outcome": one.outcome.name(),
                    "subagent": one.subagent, "time": one.time.0})
            })
            .collect(),
        Section::Files => extraction
            .files
            .iter()
            .map(|file| json!({"path": file.path, "times": file.times, "time": file.time.0}))
            .collect(),
        Section::Decisions => extraction
            .decisions
            .iter()
            .map(|one| json!({"marker": one.marker, "quote": one.quote, "time": one.time.0}))
            .collect(),
    }
}

fn prompt(prompt: &Prompt) -> Value {
    json!({"text": prompt.text, "time": prompt.time.0, "asked": prompt.asked})
}

fn todos_as_json(extraction: &Extraction) -> Value {
    let todos = &extraction.todos;
    let items = todos.items.iter().map(|item| {
        let state = match item.state {
            TodoState::Current => "in_progress",
            TodoState::Done => "done",
            TodoState::Pending | TodoState::Dropped => "pending",
        };
        json!({"text": item.text, "state": state})
    });
    json!({
        "pending": todos.pending, "in_progress": todos.current, "done": todos.done,
        "items": items.collect::<Vec<Value>>(),
    })
}
