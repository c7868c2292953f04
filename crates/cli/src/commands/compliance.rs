//! `tollgate compliance`: the request for a compliance check of a session. The hook starts it when
//! the worker starts the checker, and hands on what it prints.

mod outside;

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use context::compliance::{ComplianceInput, request};
use context::tables::{Name, TableSet};
use model::Session;
use retrieval::session_file;
use retrieval::tables::{Author, EffectiveTable, all, read};
use store::hardened;
use text::Redactor;
use work::discipline::{Compliance, Guidance, Skills, Task, Trail};

use crate::here::Here;
use crate::{exit, show};

/// Longest template that is read, in bytes.
const TEMPLATE_BYTES_MAX: u64 = 64 * 1024;
/// How long a nonce on standard input may be, in bytes.
const NONCE_BYTES_MAX: u64 = 128;

#[derive(clap::Args)]
pub struct Args {
    /// The session's id
    #[arg(long)]
    session: String,
    /// What the verdict must repeat; `-` reads it from standard input, where nobody sees it
    #[arg(
        long,
        required_unless_present = "run",
        default_value = "",
        hide_default_value = true
    )]
    nonce: String,
    /// Has the judge of the settings (`[compliance] with`) give the check, outside of the session
    #[arg(long, conflicts_with = "nonce")]
    run: bool,
    /// The session's own file, for what it still means to do
    #[arg(long, value_name = "PATH")]
    transcript: Option<String>,
    /// Whose session file it is
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    if args.run {
        return outside::run(&here, args);
    }
    let nonce = nonce(&args.nonce)?;
    let text = written(&here, args, &nonce)?;
    show::print(format_args!("{text}"));
    Ok(ExitCode::from(exit::OK))
}

/// The request, whose verdict repeats the nonce.
fn written(here: &Here, args: &Args, nonce: &str) -> Result<String> {
    let mut redactor = Redactor::default();
    let session = session(here, &args.session)?;
    let task = redacted(Task::of(&session), &mut redactor);
    let mut compliance = Compliance::of(&session);
    compliance.words = redactor.text(&compliance.words);
    // A session file that cannot be read leaves the todo items unknown, not empty.
    let todos = args.transcript.as_deref().filter(|path| !path.is_empty());
    let todos = todos.and_then(|path| session_file::todos(path, args.host.as_deref()).ok());
    let todos = todos.map(|todos| redactor.all(&todos));
    let tables = all(&here.tables())?;
    let TableSet {
        triggers,
        rules,
        axioms,
        heuristics,
        ..
    } = read(&tables);
    let input = ComplianceInput {
        nonce,
        task: &task,
        skills: &Skills::of(&session),
        guidance: &Guidance::of(&session),
        compliance: &compliance,
        rules: &rules,
        principles: &[axioms, heuristics].concat(),
        triggers: &triggers,
        todos: todos.as_deref(),
        from_repository: tables.iter().any(is_data),
    };
    let own = own_settings(here);
    let templates = templates(Path::new(own))?;
    let templates: Vec<(&str, &str)> = templates
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    let dir = here.short(format!("{own}/templates"));
    request(&templates, &input).map_err(|why| match templates.is_empty() {
        true => anyhow::anyhow!("{why}"),
        false => anyhow::anyhow!("{dir}: {why}"),
    })
}

/// Whether the words of a table that is shown may be the repository's or the worker's.
fn is_data(table: &EffectiveTable) -> bool {
    let is_theirs = match table.author {
        Author::Project => true,
        Author::User => hardened::layout().is_some(),
        Author::Ours => false,
    };
    is_theirs && table.name != Name::Workflows
}

/// Settings in which people speak in our voice. In a hardened install the worker's programs can
/// write the user's.
fn own_settings(here: &Here) -> &str {
    match hardened::layout() {
        Some(_) => &here.dirs.system,
        None => &here.dirs.user,
    }
}

fn nonce(given: &str) -> Result<String> {
    if given != "-" {
        return Ok(given.to_owned());
    }
    let mut text = String::new();
    std::io::stdin()
        .take(NONCE_BYTES_MAX)
        .read_to_string(&mut text)
        .context("cannot read the nonce from standard input")?;
    Ok(text.trim().to_owned())
}

fn session(here: &Here, id: &str) -> Result<Session> {
    let lost = || format!("no session {id} is remembered; tollgate log shows the ids");
    let store = here.remembered()?.with_context(lost)?;
    let loaded = store.session(id)?;
    if let Some(fault) = &loaded.fault {
        bail!("what is remembered of session {id} cannot be read: {fault:?}");
    }
    if loaded.sequence == 0 {
        bail!(lost());
    }
    Ok(loaded.value)
}

trait RedactAll {
    fn all(&mut self, lines: &[String]) -> Vec<String>;
}

impl RedactAll for Redactor {
    fn all(&mut self, lines: &[String]) -> Vec<String> {
        lines.iter().map(|line| self.text(line)).collect()
    }
}

/// What was asked and done, with every secret replaced.
fn redacted(task: Task, redactor: &mut Redactor) -> Task {
    Task {
        origin: redactor.text(&task.origin),
        intent: redactor.text(&task.intent),
        recent: redactor.all(&task.recent),
        errors: redactor.all(&task.errors),
        touched: redactor.all(&task.touched),
        trail: redacted_trail(task.trail, redactor),
        ..task
    }
}

fn redacted_trail(trail: Trail, redactor: &mut Redactor) -> Trail {
    let mut asked = trail.asked;
    for one in &mut asked {
        one.text = redactor.text(&one.text);
        one.way = redactor.text(&one.way);
        one.decisions = redactor.all(&one.decisions);
        for line in &mut one.calls {
            line.text = redactor.text(&line.text);
        }
    }
    Trail { asked, ..trail }
}

/// Templates of people's own. A project's count for nothing: they would be in our voice.
fn templates(settings: &Path) -> Result<BTreeMap<String, String>> {
    let dir = settings.join("templates");
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".j2") {
            let text = edge::facts::head_of(&entry.path(), TEMPLATE_BYTES_MAX);
            let text = text.map_err(|why| anyhow::anyhow!("cannot read a template: {why}"))?;
            found.insert(name, text);
        }
    }
    Ok(found)
}
