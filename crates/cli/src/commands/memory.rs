//! `tollgate memory`: facts that are kept between sessions, as files that people can read and edit.

use std::io::{self, Read};
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use board::items::Scope;
use board::{Board, author};
use context::memory::{MemoryFact, MemoryFactKind};
use edge::{provenance, surroundings};
use ledger::items::Change;
use retrieval::facts::{self, StoredFact};
use serde_json::{Value, json};
use text::Redactor;

use crate::here::Here;
use crate::{exit, show};

/// Most of standard input that is read, in bytes.
const INPUT_BYTES_MAX: u64 = 64 * 1024;
/// Longest title of an observation, in characters.
const TITLE_CHARS_MAX: usize = 120;
/// Longest tag, in characters.
const TAG_CHARS_MAX: usize = 40;

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Keeps a fact: a preference with you, an observation as work, the rest with the project
    Add {
        /// What it says; - reads it from standard input
        text: String,
        /// What it is
        #[arg(long, value_parser = kind, value_name = "KIND", default_value = "preference")]
        #[arg(help = "What it is: preference, decision, tool, observation")]
        kind: MemoryFactKind,
        /// A word to file it under; may be given again
        #[arg(long = "tag", value_name = "WORD")]
        tags: Vec<String>,
        /// With the project, whatever it is
        #[arg(long, conflicts_with = "mine")]
        project: bool,
        /// With you, whatever it is
        #[arg(long)]
        mine: bool,
    },
    /// The facts that fit some words, the best first
    Search {
        /// The words
        #[arg(required = true)]
        words: Vec<String>,
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// All facts that hold here
    List {
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
}

fn kind(name: &str) -> Result<MemoryFactKind, String> {
    let names: Vec<&str> = MemoryFactKind::NAMES
        .iter()
        .map(|(name, _)| *name)
        .collect();
    MemoryFactKind::named(name).ok_or_else(|| format!("it is one of {}", names.join(", ")))
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    here.user_dir()?;
    let dirs = here.memory(&here.rules_bundle().rules);
    for dir in [&dirs.user, &dirs.project] {
        if dir.exists() && !dir.is_dir() {
            let place = here.short(dir.display());
            bail!("{place} is no directory, so nothing can be kept there; move it away");
        }
    }
    match &args.what {
        What::Add {
            text,
            kind,
            tags,
            project,
            mine,
        } => {
            if *kind == MemoryFactKind::Observation && !*project && !*mine {
                let fact = fact(&here, text, (*kind, tags))?;
                say!("kept as work item {}", observed(&here, &fact)?);
                return Ok(ExitCode::from(exit::OK));
            }
            let is_projects = *project || (kind.is_of_project() && !*mine);
            let dir = if is_projects {
                &dirs.project
            } else {
                &dirs.user
            };
            let fact = fact(&here, text, (*kind, tags))?;
            let (path, is_new) = facts::add(dir, &fact)?;
            let done = if is_new { "kept" } else { "known already" };
            say!("{done}: {}", here.short(path.display()));
        }
        What::Search { words, json } => {
            let (kept, _) = facts::all(&dirs, None);
            let best = facts::search(&kept, &words.join(" "));
            let found: Vec<&StoredFact> = best.into_iter().filter_map(|at| kept.get(at)).collect();
            tell(&here, &found, *json);
        }
        What::List { json } => {
            let (kept, _) = facts::all(&dirs, None);
            tell(&here, &kept.iter().collect::<Vec<_>>(), *json);
        }
    }
    Ok(ExitCode::from(exit::OK))
}

/// The fact that was said, without secrets, with who said it as far as the system shows.
fn fact(here: &Here, text: &str, (kind, tags): (MemoryFactKind, &[String])) -> Result<MemoryFact> {
    let text = match text {
        "-" => {
            let mut text = Vec::new();
            io::stdin().take(INPUT_BYTES_MAX).read_to_end(&mut text)?;
            String::from_utf8_lossy(&text).into_owned()
        }
        text => text.to_owned(),
    };
    for tag in tags {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
        let is_tag = !tag.is_empty() && tag.chars().count() <= TAG_CHARS_MAX;
        ensure!(
            is_tag && tag.chars().all(is_word),
            "{tag:?} is no tag; use one word of at most {TAG_CHARS_MAX} letters"
        );
    }
    let store = here.remembered().ok().flatten();
    let by = match provenance::below_worker(store.as_ref()) {
        Some(_) => "agent",
        None => "person",
    };
    Ok(MemoryFact {
        kind: Some(kind),
        tags: tags.to_vec(),
        created: text::date::day(surroundings::now().0),
        by: by.to_owned(),
        text: Redactor::default().text(text.trim()),
    })
}

/// Files what was seen of how work goes, where somebody can take it up. Its id.
fn observed(here: &Here, fact: &MemoryFact) -> Result<String> {
    let board = Board::at(&here.place);
    let store = here.remembered().ok().flatten();
    let mut change = Change::to("");
    change.new = true;
    change.put("title", &model::one_line(&fact.text, TITLE_CHARS_MAX));
    change.put("description", &fact.text);
    change.put("issue_type", "chore");
    change.put_value("priority", &Value::from(4));
    let labels = fact.tags.iter().cloned().chain(["observation".to_owned()]);
    change.add.labels = labels.map(Into::into).collect();
    let scope = (&author(store.as_ref()), Scope::Some(&[]));
    let mut ids = board.change(board.usual_backend(), scope, |_| Ok(vec![change]))?;
    ids.pop().context("nothing was written")
}

fn tell(here: &Here, kept: &[&StoredFact], json: bool) {
    for one in kept {
        if json {
            say!("{}", as_json(one));
            continue;
        }
        let kind = one.fact.kind.map_or("fact", MemoryFactKind::name);
        let by = [&one.fact.by, &one.fact.created].map(String::as_str);
        let by: Vec<&str> = by.into_iter().filter(|word| !word.is_empty()).collect();
        let about = format!("{} {kind}, {}", one.whose, here.short(one.path.display()));
        say!("{} {}", show::strong(&about), show::faint(&by.join(", ")));
        show::paragraph(2, &one.fact.text, 4);
    }
    if kept.is_empty() && !json {
        say!("nothing is kept that fits; tollgate memory add keeps something");
    }
}

fn as_json(kept: &StoredFact) -> Value {
    json!({
        "text": kept.fact.text,
        "kind": kept.fact.kind.map(MemoryFactKind::name),
        "tags": kept.fact.tags,
        "created": kept.fact.created,
        "by": kept.fact.by,
        "whose": kept.whose,
        "path": kept.path,
    })
}
