//! A run on the disk: what it was told, and its events. Its state is always the fold of those, made
//! anew, since a person may say something while the runner works.

use std::cell::Cell;

use anyhow::{Context, Result, bail, ensure};
use edge::{processes, provenance, surroundings};
use model::Binding;
use serde::{Deserialize, Serialize};
use store::{RunNote, Store};
use work::runs::{Event, Kind, Run};

/// The version of its files, and the oldest program that understands them.
const VERSION: u64 = 1;
/// The file with what a run was told.
const ABOUT: &str = "run.json";
/// The file with the specification that it is held to.
pub const SPEC: &str = "validate.toml";
/// Letters of ids: none looks like another.
const LETTERS: &[u8] = b"23456789ABCDEFGHJKMNPQRSTVWXYZ";
const ID_LENGTH: usize = 3;

/// What a run was told when it began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// The version that wrote it.
    pub v: u64,
    /// The oldest version that may read it.
    pub min_reader: u64,
    /// What is to be done, in the user's words.
    pub task: String,
    /// Who works.
    pub worker: String,
    /// Who reviews.
    pub reviewers: Vec<String>,
    /// The top of the user's work tree.
    pub project: String,
    /// Where the worker works.
    pub dir: String,
    /// Whether that is the user's own.
    pub is_here: bool,
    /// Where the specification lay; empty if there is none.
    pub spec_dir: String,
    /// The work item that it is for; empty if it is for none.
    #[serde(default)]
    pub item: String,
    /// The branch with the same work on an older commit; empty if there is none.
    #[serde(default)]
    pub over: String,
    /// When it began, in milliseconds since 1970.
    pub begun: u64,
}

impl About {
    /// What a run of this version is told.
    pub const PLAIN: Self = Self {
        v: VERSION,
        min_reader: VERSION,
        task: String::new(),
        worker: String::new(),
        reviewers: Vec::new(),
        project: String::new(),
        dir: String::new(),
        is_here: false,
        spec_dir: String::new(),
        item: String::new(),
        over: String::new(),
        begun: 0,
    };
}

/// A run.
#[derive(Debug)]
pub struct Log<'a> {
    /// Where it is kept.
    pub store: &'a Store,
    /// Its id.
    pub id: String,
    /// What it was told.
    pub about: About,
    /// How much of its events this process wrote, or read when it began to drive it.
    known: Cell<Option<usize>>,
}

impl<'a> Log<'a> {
    /// A new one.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin(store: &'a Store, about: About, spec: Option<&str>) -> Result<Self> {
        let known = store.runs()?;
        let mut id = String::new();
        while id.is_empty() || known.contains(&id) {
            let random = edge::random().context("the system gives no chance")?;
            let letters = random.iter().take(ID_LENGTH).map(|byte| {
                let at = usize::from(*byte) % LETTERS.len();
                char::from(LETTERS.get(at).copied().unwrap_or(b'X'))
            });
            id = letters.collect();
        }
        if let Some(spec) = spec {
            store.keep_of_run(&id, SPEC, spec.as_bytes())?;
        }
        let known = Cell::new(None);
        let log = Self {
            store,
            id,
            about,
            known,
        };
        log.keep_about()?;
        Ok(log)
    }

    /// Writes what it was told.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn keep_about(&self) -> Result<()> {
        let text = serde_json::to_string_pretty(&self.about)?;
        Ok(self.store.keep_of_run(&self.id, ABOUT, text.as_bytes())?)
    }

    /// One that is there.
    ///
    /// # Errors
    /// If it is not, or a newer program wrote it.
    pub fn open(store: &'a Store, id: &str) -> Result<Self> {
        let id = id.to_uppercase();
        let bytes = store.load_of_run(&id, ABOUT).ok().flatten();
        let bytes = bytes.with_context(|| format!("there is no run {id}; tollgate run list"))?;
        let about: About = serde_json::from_slice(&bytes)
            .with_context(|| format!("what run {id} was told cannot be read"))?;
        if about.min_reader > VERSION {
            bail!("run {id} was made by a newer Tollgate; use that one");
        }
        let known = Cell::new(None);
        Ok(Self {
            store,
            id,
            about,
            known,
        })
    }

    /// All events so far. A line of a kind that only a newer program knows is passed over.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn events(&self) -> Result<Vec<Event>> {
        Ok(understood(&self.store.events_of_run(&self.id)?))
    }

    /// How it stands.
    ///
    /// # Errors
    /// If its events cannot be read.
    pub fn run(&self) -> Result<Run> {
        Ok(Run::of(&self.events()?))
    }

    /// Makes a step, if it may be made now: of what happened meanwhile everything counts. How the
    /// run stands then, and whether the step was made.
    ///
    /// # Errors
    /// If it cannot be written, or if another than the one that drives the run wrote what a person
    /// does not say.
    pub fn add(&self, kind: Kind) -> Result<(Run, bool)> {
        let event = Event {
            time: surroundings::now().0,
            kind,
        };
        let line = serde_json::to_string(&event)?;
        let mut run = Run::default();
        let mut is_ours = true;
        let made = self.store.add_event_of_run(&self.id, |before| {
            let foreign = self.known.get().map(|known| before.get(known..));
            is_ours = foreign.is_none_or(|text| text.is_some_and(is_said_by_a_person));
            run = Run::of(&understood(before));
            let is_made = is_ours && run.apply(&event);
            let length = before.len() + if is_made { line.len() + 1 } else { 0 };
            self.known.set(self.known.get().map(|_| length));
            is_made.then_some(line)
        })?;
        ensure!(
            is_ours,
            "somebody wrote into the events of run {} while it was driven, so it ends here; look \
             at them: {}",
            self.id,
            self.store.path().join("runs").join(&self.id).display()
        );
        if made {
            self.note(&event, &run);
            if run.state.rests() {
                self.store.set_driver_of_run(&self.id, None)?;
            }
        }
        Ok((run, made))
    }

    /// Tells the journal too. The run's own file is what counts, so that this is in nobody's way.
    fn note(&self, event: &Event, run: &Run) {
        let by = if event.kind.is_of_a_person() {
            "human"
        } else {
            "runner"
        };
        let _ = self.store.note_run(&RunNote {
            run: &self.id,
            time: event.time,
            by,
            state: run.state.name(),
            dir: &self.about.project,
            words: &format!("{} {}", self.id, event.kind.in_words()),
        });
    }

    /// Notes that this process drives it.
    ///
    /// # Errors
    /// If another one does.
    pub fn take_up(&self) -> Result<()> {
        if let Some(process) = self.runner() {
            bail!(
                "run {} is driven by process {process}; tollgate run attach {}, or stop it first",
                self.id,
                self.id
            );
        }
        let own = processes::look(std::process::id().into());
        let own = own.map(|own| Binding {
            process: own.number,
            start: own.start,
            nested: false,
        });
        self.known
            .set(Some(self.store.events_of_run(&self.id)?.len()));
        Ok(self.store.set_driver_of_run(&self.id, own)?)
    }

    /// The process that drives it, if one does.
    pub fn runner(&self) -> Option<u64> {
        let driver = self.store.driver_of_run(&self.id).ok().flatten()?;
        let is_own = driver.process == u64::from(std::process::id());
        (provenance::lives(&driver) && !is_own).then_some(driver.process)
    }
}

/// Whether all events of a text are such as people cause, who do so from another process.
fn is_said_by_a_person(text: &str) -> bool {
    let is_whole = text.is_empty() || text.ends_with('\n');
    let events = understood(text);
    let is_persons = |event: &Event| {
        matches!(
            event.kind,
            Kind::Stopped | Kind::Discarded | Kind::Answered { .. }
        )
    };
    is_whole && events.len() == text.lines().count() && events.iter().all(is_persons)
}

fn understood(text: &str) -> Vec<Event> {
    let lines = text.lines();
    lines
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}
