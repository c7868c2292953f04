//! `tollgate undo`: what was kept before a call destroyed it, and how to get it back.

mod git;
mod restore;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, bail};
use edge::surroundings;
use model::one_line;
use serde_json::{Value, json};
use store::Store;
use store::undo::{Capture, Captures, Kind, Retention};
use text::words;

use crate::here::Here;
use crate::{exit, show, times};

/// Longest call that is shown in a list, in characters.
const CALL_CHARS_MAX: usize = 48;
/// Most entries that `show` prints without `--all`.
const ENTRIES: usize = 50;
/// Longest sweep that is asked for.
const SWEEP_TIME_MAX: Duration = Duration::from_secs(60);

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// What is kept for this project, newest last
    List {
        /// For all projects
        #[arg(long)]
        all: bool,
        /// One JSON object a capture
        #[arg(long)]
        json: bool,
    },
    /// What one capture holds, and what it does not
    Show {
        /// Its id from `tollgate undo list`; `last` is the newest
        #[arg(default_value = "last")]
        id: String,
        /// Every entry
        #[arg(long)]
        all: bool,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Puts it back; what stands in its place now is kept first
    Restore(restore::Args),
    /// Removes a capture for good (for you alone)
    Drop {
        /// Its id
        id: String,
    },
    /// Removes what is too old or too much; happens by itself
    #[command(hide = true)]
    Sweep,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    match &args.what {
        What::List { all, json } => list(&here, *all, *json),
        What::Show { id, all, json } => details(&here, id, *all, *json),
        What::Restore(args) => restore::run(&here, args),
        What::Drop { id } => remove(&here, id),
        What::Sweep => sweep(&here.store()?),
    }
    .map(ExitCode::from)
}

fn captures(here: &Here, project: Option<&str>) -> Result<Captures> {
    match here.remembered()? {
        Some(store) => Ok(store.captures(project)?),
        None => Ok(Captures::default()),
    }
}

fn list(here: &Here, all: bool, json: bool) -> Result<u8> {
    let project = (!all).then_some(here.project.as_str());
    let found = captures(here, project)?;
    if json {
        let ends = Ends::of(here, &found.whole)?;
        for capture in &found.whole {
            let mut value = as_json(capture, false);
            if let Some(fields) = value.as_object_mut() {
                fields.insert("became".to_owned(), ends.word(capture).into());
            }
            say!("{value}");
        }
        return Ok(damage(here, &found));
    }
    if found.whole.is_empty() {
        say!(
            "nothing is kept{}",
            if all { "" } else { " for this project" }
        );
        say!("What a call would destroy is kept before it runs, for 14 days.");
        return Ok(damage(here, &found));
    }
    let header = format!(
        "{:<9} {:<8} {:>7} {:>9}  {:<8} CALL",
        "ID", "AGE", "THINGS", "SIZE", "IT"
    );
    say!("{}", show::faint(&header));
    let ends = Ends::of(here, &found.whole)?;
    for capture in &found.whole {
        let end = ends.word(capture);
        let call = one_line(&here.short(&capture.what), CALL_CHARS_MAX);
        let (things, size) = (capture.things().count(), bytes(capture.bytes()));
        let age = age(capture);
        let not = match capture.unsaved.len() {
            0 => String::new(),
            count => show::warn(&format!("  ({count} not kept)")),
        };
        say!(
            "{:<9} {age:<8} {things:>7} {size:>9}  {end:<8} {call}{not}",
            capture.id
        );
    }
    say!();
    say!("What is in one: tollgate undo show ID. Get it back: tollgate undo restore ID");
    Ok(damage(here, &found))
}

/// What became of the calls that captures were made for, by the journals of their sessions.
struct Ends {
    /// Session and call, and whether it is known to have run.
    seen: HashMap<(String, String), bool>,
}

impl Ends {
    fn of(here: &Here, captures: &[Capture]) -> Result<Self> {
        let mut seen = HashMap::new();
        let Some(store) = here.remembered()? else {
            return Ok(Self { seen });
        };
        let sessions: BTreeSet<&String> = captures.iter().map(|one| &one.session).collect();
        let wanted: HashSet<&str> = captures.iter().map(|one| one.call_id.as_str()).collect();
        for session in sessions {
            let mut lines = store.journal_backward(session);
            let mut is_last = true;
            while let Some(line) = lines.next_line()? {
                let call = line.word("call_id").unwrap_or_default().to_owned();
                if wanted.contains(call.as_str()) && !call.is_empty() {
                    match line.word("event") {
                        Some("tool_after" | "tool_failed") => {
                            seen.insert((session.clone(), call), true);
                        }
                        // Nothing came after it yet: it may still run.
                        Some("tool_before" | "permission_request") if !is_last => {
                            seen.entry((session.clone(), call)).or_insert(false);
                        }
                        _ => {}
                    }
                }
                is_last = false;
            }
        }
        Ok(Self { seen })
    }

    /// Whether the call ran, in a word; nothing if that is not known.
    fn word(&self, capture: &Capture) -> &'static str {
        let call = (capture.session.clone(), capture.call_id.clone());
        match self.seen.get(&call) {
            Some(true) => "ran",
            Some(false) => "not run",
            None => "",
        }
    }
}

/// Says which manifests cannot be read; the status.
fn damage(here: &Here, found: &Captures) -> u8 {
    for (path, why) in &found.damaged {
        let path = here.short(path.display());
        show::failure(&format!("{path} cannot be read: {why}"));
    }
    if found.damaged.is_empty() {
        exit::OK
    } else {
        exit::FAILED
    }
}

/// The capture that is meant: of this project, else of any.
fn find(here: &Here, id: &str) -> Result<Capture> {
    let mut found = captures(here, None)?;
    let is_here = |capture: &Capture| capture.project == here.project;
    if id == "last" {
        let newest = found.whole.into_iter().rfind(is_here);
        return newest.ok_or_else(|| {
            anyhow::anyhow!("nothing is kept for this project; tollgate undo list --all")
        });
    }
    let wanted = id.to_uppercase();
    let wanted = wanted.strip_prefix("U-").unwrap_or(&wanted);
    let name = |capture: &Capture| capture.id.trim_start_matches("u-").to_owned();
    found
        .whole
        .retain(|capture| !wanted.is_empty() && name(capture).starts_with(wanted));
    if found.whole.iter().any(is_here) {
        found.whole.retain(is_here);
    }
    if found.whole.len() > 1 {
        found.whole.retain(|capture| name(capture) == wanted);
    }
    match (
        found.whole.pop(),
        found.whole.is_empty(),
        found.damaged.first(),
    ) {
        (Some(capture), true, _) => Ok(capture),
        (Some(_), false, _) => bail!("several captures begin with {id}; write the whole id"),
        (None, _, Some((path, why))) => {
            bail!(
                "there is no capture {id}, and {} cannot be read: {why}",
                path.display()
            )
        }
        (None, _, None) => bail!("there is no capture {id}; tollgate undo list --all shows them"),
    }
}

fn details(here: &Here, id: &str, all: bool, json: bool) -> Result<u8> {
    let capture = find(here, id)?;
    if json {
        say!("{}", as_json(&capture, true));
        return Ok(exit::OK);
    }
    let when = format!("{}, {} ago", times::day(capture.time.0), age(&capture));
    for (name, value) in [
        ("id", capture.id.clone()),
        ("when", when),
        ("call", here.short(&capture.what)),
        ("in", here.short(&capture.dir)),
        ("session", capture.session.clone()),
        (
            "kept",
            words::count(capture.things().count() as u64, "thing"),
        ),
        ("size", bytes(capture.bytes())),
    ] {
        say!("{name:<8} {value}");
    }
    say!();
    let entries: Vec<_> = capture.things().collect();
    let shown = if all { entries.len() } else { ENTRIES };
    for entry in entries.iter().take(shown) {
        let path = here.short(entry.path.display());
        let what = match &entry.kind {
            Kind::File { .. } => format!("{path}  {}", show::faint(&bytes(entry.size))),
            Kind::Link { target } => format!("{path} -> {}", target.to_string_lossy()),
            Kind::Anchor { name, commit, .. } => {
                format!("{name} of {path}  {}", show::faint(git::short(commit)))
            }
            Kind::Index { .. } => format!("{path}  {}", show::faint("what was staged")),
            _ => path,
        };
        say!("{:<7} {what}", entry.kind.word());
    }
    if entries.len() > shown {
        say!("… and {} more: --all", entries.len() - shown);
    }
    for (path, why) in capture
        .unsaved
        .iter()
        .take(if all { usize::MAX } else { ENTRIES })
    {
        say!("{} {}: {why}", show::warn("NOT KEPT"), here.short(path));
    }
    say!();
    say!("Get it back: tollgate undo restore {}", capture.id);
    Ok(exit::OK)
}

fn remove(here: &Here, id: &str) -> Result<u8> {
    let store = here.store()?;
    let is_damaged =
        |(path, _): &(PathBuf, String)| path.parent().is_some_and(|dir| dir.ends_with(id));
    if let Some((path, _)) = captures(here, None)?.damaged.into_iter().find(is_damaged) {
        store.drop_damaged(&path)?;
        sweep_objects(&store)?;
        say!("{id} is gone for good; it could not be read any more");
        return Ok(exit::OK);
    }
    let capture = find(here, id)?;
    let dropped = store.drop_capture(&capture)?;
    git::unset(&dropped.left)?;
    sweep_objects(&store)?;
    say!("{} is gone for good", capture.id);
    Ok(exit::OK)
}

fn sweep(store: &Store) -> Result<u8> {
    let (captures, objects) = sweep_objects(store)?;
    let captures = words::count(captures, "capture");
    say!(
        "removed {captures} and {}",
        words::count(objects, "file that none needs")
    );
    Ok(exit::OK)
}

/// Sweeps; how many captures and files went.
fn sweep_objects(store: &Store) -> Result<(u64, u64)> {
    let now = surroundings::now();
    let swept = store.sweep(now, Retention::default(), SWEEP_TIME_MAX)?;
    git::unset(&swept.left)?;
    Ok((swept.captures, swept.objects))
}

fn as_json(capture: &Capture, with_entries: bool) -> Value {
    let mut value = json!({
        "id": capture.id, "time": capture.time.0, "project": capture.project,
        "session": capture.session, "call_id": capture.call_id, "dir": capture.dir,
        "call": capture.what, "things": capture.things().count(), "bytes": capture.bytes(),
        "unsaved": capture.unsaved.len(),
    });
    if with_entries && let Some(fields) = value.as_object_mut() {
        let entries: Vec<Value> = capture.things().map(entry).collect();
        let unsaved: Vec<Value> = capture
            .unsaved
            .iter()
            .map(|(path, why)| json!({"path": path, "why": why}))
            .collect();
        fields.insert("entries".to_owned(), entries.into());
        fields.insert("unsaved".to_owned(), unsaved.into());
    }
    value
}

fn entry(entry: &store::undo::BackupEntry) -> Value {
    let path: &PathBuf = &entry.path;
    let mut value = json!({
        "kind": entry.kind.word(), "path": path.to_string_lossy(), "bytes": entry.size,
        "mode": format!("{:04o}", entry.mode),
    });
    let more = match &entry.kind {
        Kind::File { sum } | Kind::Index { sum, .. } => json!({"sha256": sum}),
        Kind::Link { target } => json!({"target": target.to_string_lossy()}),
        Kind::Anchor { commit, name, .. } => json!({"commit": commit, "name": name}),
        _ => json!({}),
    };
    if let (Some(fields), Some(more)) = (value.as_object_mut(), more.as_object()) {
        fields.extend(more.clone());
    }
    value
}

fn age(capture: &Capture) -> String {
    show::span(surroundings::now().0.saturating_sub(capture.time.0))
}

/// Bytes for people.
fn bytes(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} B"),
        10_000..10_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}
