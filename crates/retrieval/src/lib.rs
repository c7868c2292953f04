//! Gathers what a prompt is grounded in: facts, files, work items, the session; each in a thread
//! of its own and within its own time. What is late is left out, and that is said.
//!
//! Runs nothing, and writes nothing but a fact that is to be kept. It knows what the sources hold,
//! not what a request says of it (`context` does), and nothing of any command.

mod codebase;
pub mod facts;
mod files;
mod items;
mod session;
pub mod session_file;
pub mod tables;

pub use files::expanded;

use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use context::hydration::{self, Budgets, Fence, Material, Request};
pub(crate) use context::hydration::{Passage, SessionNotes, Term, TermKind, TodoCounts};
use text::{Redactor, hex};

/// All sources together. The hook waits two seconds for the whole.
const TIME_MAX: Duration = Duration::from_millis(1_500);
/// The user's own form of the request, below their settings.
const TEMPLATE: &str = "templates/hydration.md";
/// Longest template, in bytes.
const TEMPLATE_BYTES_MAX: u64 = 64 * 1024;

/// A prompt and where it was said.
#[derive(Debug, Clone, Default)]
pub struct Ask {
    /// The prompt.
    pub prompt: String,
    /// The session; empty if there is none.
    pub session: String,
    /// The host's id; empty if that is not known.
    pub host: String,
    /// The host's file about the session; empty if there is none.
    pub transcript: String,
}

/// What a source cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cost {
    /// The source.
    pub name: &'static str,
    /// How long it took; of one that was late, how long it was waited for.
    pub micros: u64,
    /// How many things it found.
    pub found: usize,
    /// What it takes in the request.
    pub tokens: usize,
    /// Whether it did not come to its end.
    pub is_partial: bool,
}

/// A request and what it cost.
#[derive(Debug)]
pub struct Grounded {
    /// The request.
    pub text: String,
    /// Its sources.
    pub costs: Vec<Cost>,
    /// All of it.
    pub micros: u64,
}

impl Grounded {
    /// About how many tokens the request is.
    #[must_use]
    pub fn tokens(&self) -> usize {
        context::hydration::tokens(&self.text)
    }

    /// What did not come to its end.
    #[must_use]
    pub fn partial(&self) -> Vec<&'static str> {
        let late = self.costs.iter().filter(|cost| cost.is_partial);
        late.map(|cost| cost.name).collect()
    }
}

/// Where the sources lie.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// The project's directory.
    pub project: String,
    /// The user's home.
    pub home: String,
    /// Where facts are kept.
    pub memory: facts::FactDirs,
    /// Where tables and the user's template are.
    pub tables: tables::TableDirs,
    /// Where state is.
    pub state: PathBuf,
}

/// What the sources may know.
#[derive(Default)]
struct Job {
    ask: Ask,
    /// What the prompt speaks of.
    terms: Vec<Term>,
    places: Places,
}

/// What a source found.
#[derive(Default)]
struct Retrieved {
    passages: Vec<Passage>,
    notes: Option<SessionNotes>,
    /// Whether there was more to look at.
    is_partial: bool,
}

/// What looks into one source.
struct Retriever {
    name: &'static str,
    time_max: Duration,
    retrieve: fn(&Job, Instant) -> Retrieved,
}

const RETRIEVERS: &[Retriever] = &[
    Retriever {
        name: "memory",
        time_max: Duration::from_millis(400),
        retrieve: facts::retrieve,
    },
    Retriever {
        name: "codebase",
        time_max: Duration::from_millis(1_200),
        retrieve: codebase::retrieve,
    },
    Retriever {
        name: "session",
        time_max: Duration::from_millis(600),
        retrieve: session::retrieve,
    },
    Retriever {
        name: "work items",
        time_max: Duration::from_millis(400),
        retrieve: items::retrieve,
    },
];

/// The request for a prompt said here.
///
/// # Errors
/// If the user's template names a part that there is not, or the system gives no random numbers.
pub fn ground(places: Places, ask: Ask) -> Result<Grounded> {
    let begin = Instant::now();
    let job = Arc::new(Job {
        terms: hydration::terms(&ask.prompt),
        places,
        ask,
    });
    let (retrieved, mut costs) = gather(&job, RETRIEVERS, begin + TIME_MAX);
    let request = request(&job, retrieved, &costs)?;
    for (name, tokens) in &request.tokens {
        if let Some(cost) = costs.iter_mut().find(|cost| cost.name == *name) {
            cost.tokens = *tokens;
        }
    }
    Ok(Grounded {
        text: request.text,
        costs,
        micros: micros_since(begin),
    })
}

/// What all sources found in time, in their order.
fn gather(
    job: &Arc<Job>,
    retrievers: &'static [Retriever],
    end: Instant,
) -> (Vec<Retrieved>, Vec<Cost>) {
    let begin = Instant::now();
    let (sender, receiver) = mpsc::channel();
    for (at, retriever) in retrievers.iter().enumerate() {
        let (job, sender) = (Arc::clone(job), sender.clone());
        thread::spawn(move || {
            let begin = Instant::now();
            let retrieved = (retriever.retrieve)(&job, begin + retriever.time_max);
            // Who waits no longer does not want it.
            let _ = sender.send((at, retrieved, micros_since(begin)));
        });
    }
    drop(sender);
    let mut all: Vec<Option<(Retrieved, u64)>> = retrievers.iter().map(|_| None).collect();
    while let Ok((at, retrieved, micros)) = receiver.recv_timeout(end - Instant::now().min(end)) {
        if let Some(place) = all.get_mut(at) {
            *place = Some((retrieved, micros));
        }
    }
    let late = || {
        let retrieved = Retrieved {
            is_partial: true,
            ..Retrieved::default()
        };
        (retrieved, micros_since(begin))
    };
    let retrieved = all
        .into_iter()
        .map(|retrieved| retrieved.unwrap_or_else(late));
    let costs = retrieved
        .zip(retrievers)
        .map(|((retrieved, micros), retriever)| {
            let cost = Cost {
                name: retriever.name,
                micros,
                found: retrieved.passages.len(),
                tokens: 0,
                is_partial: retrieved.is_partial,
            };
            (retrieved, cost)
        });
    costs.unzip()
}

fn request(job: &Job, retrieved: Vec<Retrieved>, costs: &[Cost]) -> Result<Request> {
    let word = edge::random().context("the system gives no random numbers")?;
    let word = hex::encode(&word);
    let mut redactor = Redactor::default();
    let mut retrieved = retrieved.into_iter();
    let mut next = |redactor: &mut Redactor| {
        let retrieved = retrieved.next().unwrap_or_default();
        let passages = retrieved.passages.into_iter().map(|passage| Passage {
            source: redactor.text(&passage.source),
            text: redactor.text(&passage.text),
        });
        (passages.collect::<Vec<_>>(), retrieved.notes)
    };
    let (memory, _) = next(&mut redactor);
    let (files, _) = next(&mut redactor);
    let (_, notes) = next(&mut redactor);
    let (items, _) = next(&mut redactor);
    let template = template(&job.places.tables);
    let (skills, guardrails, wrong) = tables::shown(&job.places);
    let late = costs.iter().filter(|cost| cost.is_partial);
    let late = late.map(|cost| format!("{} was not looked through to its end.", cost.name));
    let material = Material {
        template: template.as_deref().unwrap_or(hydration::TEMPLATE),
        fence: Fence::new(word.get(..16).unwrap_or_default()),
        budgets: Budgets::default(),
        prompt: &redactor.text(&job.ask.prompt),
        session: tame(notes.unwrap_or_default(), &mut redactor),
        memory,
        files,
        items,
        skills: (&skills.source, &skills.rows),
        guardrails: (&guardrails.source, &guardrails.rows),
        form: context::guidance::form(),
        warnings: late.chain(wrong).chain(unkept(&job.places)).collect(),
    };
    hydration::request(&material).with_context(|| format!("{TEMPLATE} in your settings"))
}

/// That facts cannot be kept where they should be.
fn unkept(places: &Places) -> Option<String> {
    let dirs = [&places.memory.user, &places.memory.project];
    let odd = dirs.into_iter().find(|dir| dir.exists() && !dir.is_dir())?;
    let odd = text::path::with_tilde(&places.home, &odd.to_string_lossy());
    Some(format!("memory was not looked at: {odd} is no directory."))
}

/// The notes without secrets.
fn tame(notes: SessionNotes, redactor: &mut Redactor) -> SessionNotes {
    let mut all = |texts: Vec<String>| texts.iter().map(|text| redactor.text(text)).collect();
    let (prompts, open) = (all(notes.prompts), all(notes.open));
    SessionNotes {
        prompts,
        open,
        answer: redactor.text(&notes.answer),
        ..notes
    }
}

/// The user's own form of the request, if they wrote one. A project's would be its word in ours.
fn template(dirs: &tables::TableDirs) -> Option<String> {
    let user = Some(&dirs.user).filter(|dir| !dir.is_empty())?;
    let path = Path::new(user).join(TEMPLATE);
    edge::facts::head_of(&path, TEMPLATE_BYTES_MAX).ok()
}

fn micros_since(begin: Instant) -> u64 {
    u64::try_from(begin.elapsed().as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(_: &Job, _: Instant) -> Retrieved {
        Retrieved {
            passages: vec![Passage::default()],
            ..Retrieved::default()
        }
    }

    fn stuck(_: &Job, _: Instant) -> Retrieved {
        thread::sleep(Duration::from_secs(600));
        Retrieved::default()
    }

    fn broken(_: &Job, _: Instant) -> Retrieved {
        std::panic::resume_unwind(Box::new("broken"))
    }

    const fn retriever(name: &'static str, retrieve: fn(&Job, Instant) -> Retrieved) -> Retriever {
        let time_max = Duration::from_secs(1);
        Retriever {
            name,
            time_max,
            retrieve,
        }
    }

    #[test]
    fn what_is_late_or_broken_is_left_out_and_said() {
        const RETRIEVERS: &[Retriever] = &[
            retriever("stuck", stuck),
            retriever("quick", found),
            retriever("broken", broken),
        ];
        let job = Arc::new(Job::default());
        let end = Instant::now() + Duration::from_secs(3);
        let (retrieved, costs) = gather(&job, RETRIEVERS, end);
        let counts: Vec<usize> = retrieved
            .iter()
            .map(|retrieved| retrieved.passages.len())
            .collect();
        assert_eq!(counts, [0, 1, 0]);
        let partial: Vec<bool> = costs.iter().map(|cost| cost.is_partial).collect();
        assert_eq!(partial, [true, false, true]);
    }
}
