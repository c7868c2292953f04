//! `tollgate work`: what is to be done, by whom, and what waits for what.

mod change;
mod doctor;
mod exchange;
mod look;

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use board::Board;
use board::items::{Backend, View};
use ledger::Author;
use ledger::items::Selection;

use crate::exit;
use crate::here::Here;

#[derive(clap::Args)]
pub struct Args {
    /// Where items are kept: tollgate, beads (its file), bd (the program)
    #[arg(long, value_parser = backend, value_name = "NAME", global = true)]
    backend: Option<Backend>,
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Makes an item; prints its id
    Create {
        /// What is to be done, on one line
        title: String,
        #[command(flatten)]
        fields: Box<change::Fields>,
        /// Only after this item; may be given again
        #[arg(long = "after", value_name = "ID")]
        after: Vec<String>,
        /// The item in which it was found
        #[arg(long, value_name = "ID")]
        found_in: Option<String>,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Changes items
    Update {
        /// Their ids, or enough of them
        #[arg(required = true)]
        ids: Vec<String>,
        /// Another title
        #[arg(long)]
        title: Option<String>,
        #[command(flatten)]
        fields: Box<change::Fields>,
        /// open, in_progress, blocked, deferred, or your own
        #[arg(long)]
        status: Option<String>,
        /// A label to take away; may be given again
        #[arg(long = "unlabel", value_name = "WORD")]
        unlabels: Vec<String>,
        /// Something to say to it
        #[arg(long, value_name = "TEXT")]
        comment: Option<String>,
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// Items with all that is known of them
    Show {
        /// Their ids, or enough of them
        #[arg(required = true)]
        ids: Vec<String>,
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// Items, the most urgent first; those that are not closed, unless --status says otherwise
    List {
        #[command(flatten)]
        which: Which,
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// Closes items
    Close {
        /// Their ids, or enough of them
        #[arg(required = true)]
        ids: Vec<String>,
        /// What came of it
        #[arg(long, default_value = "done")]
        reason: String,
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// Opens closed items again
    Reopen {
        /// Their ids, or enough of them
        #[arg(required = true)]
        ids: Vec<String>,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// Takes an item up; the exit status is 4 if somebody else was faster
    Claim {
        /// Its id, or enough of it
        id: String,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// What can be worked on now, the most urgent first
    Ready {
        #[command(flatten)]
        which: Which,
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// What waits, and for what
    Blocked {
        #[command(flatten)]
        which: Which,
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// Dependencies between items
    Dep {
        #[command(subcommand)]
        what: Dep,
    },
    /// Brings in a file of beads
    Import {
        /// The file
        #[arg(default_value = ".beads/issues.jsonl")]
        file: String,
    },
    /// Writes what differs into a file of beads
    Export {
        /// The file, below this project
        #[arg(default_value = ".beads/issues.jsonl")]
        file: String,
    },
    /// Are all files whole, and does the work make sense?
    Doctor {
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
}

#[derive(clap::Subcommand)]
enum Dep {
    /// The first item waits for the second
    Add {
        /// The one that waits
        id: String,
        /// What it waits for
        on: String,
        /// blocks, conditional-blocks, waits-for, parent-child; others hold nothing up
        #[arg(long = "type", value_name = "KIND", default_value = "blocks")]
        kind: String,
    },
    /// The first no longer waits for the second
    Remove {
        /// The one that waited
        id: String,
        /// What it waited for
        on: String,
    },
    /// What an item depends on, and what depends on it
    List {
        /// Its id, or enough of it
        id: String,
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
}

/// Which items.
#[derive(clap::Args)]
struct Which {
    /// Words of the title
    words: Vec<String>,
    /// Of this status; all for every one; may be given again
    #[arg(long)]
    status: Vec<String>,
    /// Of this type; may be given again
    #[arg(long = "type", value_name = "TYPE")]
    kind: Vec<String>,
    /// Of this priority, 0 to 4; may be given again
    #[arg(long, value_parser = ledger::items::priority, value_name = "N")]
    priority: Vec<u8>,
    /// Of this assignee; none for nobody's
    #[arg(long, value_name = "NAME")]
    assignee: Option<String>,
    /// Filed under this word; may be given again, and then under all
    #[arg(long = "label", value_name = "WORD")]
    labels: Vec<String>,
    /// Parts of this item
    #[arg(long, value_name = "ID")]
    parent: Option<String>,
    /// At most so many; 0 for all
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
}

impl Which {
    fn selection(&self) -> Selection {
        Selection {
            status: self.status.clone(),
            kind: self.kind.clone(),
            priority: self.priority.clone(),
            assignee: self.assignee.clone(),
            labels: self.labels.clone(),
            parent: self.parent.clone(),
            words: self.words.clone(),
        }
    }
}

fn backend(name: &str) -> Result<Backend, String> {
    Backend::named(name).ok_or_else(|| "it is one of tollgate, beads, bd".to_owned())
}

/// The board, the backend, and who asks.
struct Desk {
    here: Here,
    board: Board,
    backend: Backend,
}

impl Desk {
    fn open(named: Option<Backend>) -> Result<Self> {
        let here = Here::find(None)?;
        let board = Board::at(&here.place);
        let set = || {
            let bundle = here.rules_bundle();
            Backend::named(&bundle.rules.setting(&rules::settings::work::BACKEND).value)
        };
        let backend = named.or_else(set).unwrap_or_else(|| board.usual_backend());
        Ok(Self {
            here,
            board,
            backend,
        })
    }

    /// Looks at all items. Says too how many lines could not be read.
    fn look<R>(&self, look: impl FnOnce(&View<'_>) -> R) -> Result<(R, usize)> {
        let store = self.here.remembered().ok().flatten();
        self.board.look((self.backend, store.as_ref()), look)
    }

    fn author(&self) -> Author {
        board::author(self.here.remembered().ok().flatten().as_ref())
    }
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let desk = Desk::open(args.backend)?;
    match &args.what {
        What::Create {
            title,
            fields,
            after,
            found_in,
            json,
        } => {
            let new = change::New {
                title,
                fields,
                after,
                found_in: found_in.as_deref(),
            };
            change::create(&desk, &new, *json)
        }
        What::Update {
            ids,
            title,
            fields,
            status,
            unlabels,
            comment,
            json,
        } => {
            let more = change::More {
                fields,
                title: title.as_deref(),
                status: status.as_deref(),
                unlabels,
                comment: comment.as_deref(),
            };
            change::update(&desk, ids, &more, *json)
        }
        What::Show { ids, json } => look::show_all(&desk, ids, *json),
        What::List { which, json } => look::list(&desk, which, *json),
        What::Close { ids, reason, json } => change::close(&desk, ids, reason, *json),
        What::Reopen { ids, reason, json } => change::reopen(&desk, ids, reason.as_deref(), *json),
        What::Claim { id, json } => change::claim(&desk, id, *json),
        What::Ready { which, json } => look::ready(&desk, which, *json),
        What::Blocked { which, json } => look::blocked(&desk, which, *json),
        What::Dep { what } => match what {
            Dep::Add { id, on, kind } => change::depend(&desk, (id, on), kind),
            Dep::Remove { id, on } => change::undepend(&desk, id, on),
            Dep::List { id, json } => look::dependencies(&desk, id, *json),
        },
        What::Import { file } => exchange::import(&desk, file),
        What::Export { file } => exchange::export(&desk, file),
        What::Doctor { json } => doctor::run(&desk, *json),
    }
}

/// A time that a person gave: a day, or a moment.
fn time(word: &str) -> Result<String, String> {
    let day = format!("{word}T00:00:00Z");
    match (text::date::millis(word), text::date::millis(&day)) {
        (Some(_), _) => Ok(word.to_owned()),
        (None, Some(_)) => Ok(day),
        _ => Err("write 2026-11-12 or 2026-11-12T09:30:00Z".to_owned()),
    }
}

/// A word that is not empty and has no blanks.
fn word(what: &str, word: &str) -> Result<()> {
    let is_word = !word.is_empty()
        && word.chars().count() <= 60
        && word.chars().all(|c| !c.is_whitespace() && !c.is_control());
    if is_word {
        return Ok(());
    }
    bail!("{word:?} is no {what}; use one word of at most 60 letters")
}

fn not_here(desk: &Desk) -> Result<()> {
    if desk.backend == Backend::Own {
        return Ok(());
    }
    bail!("this is between tollgate's own items and a file; leave --backend out")
}

fn ok() -> Result<ExitCode> {
    Ok(ExitCode::from(exit::OK))
}

/// The folder and the name of a file below the project.
fn below(file: &str) -> Result<(&str, &str)> {
    let inside =
        !file.starts_with('/') && file.split('/').all(|part| part != ".." && !part.is_empty());
    let split = file.rsplit_once('/').filter(|_| inside);
    split.with_context(|| format!("{file:?} names no file in a folder of this project"))
}
