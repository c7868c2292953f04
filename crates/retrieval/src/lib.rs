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
use context::hydration::{self, Budgets, Fence, Finding, Material, Request, SessionNotes, Term};
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
    pub memory: facts::Dirs,
    /// Where tables and the user's template are.
    pub tables: tables::Dirs,
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
struct Told {
    findings: Vec<Finding>,
    notes: Option<SessionNotes>,
    /// Whether there was more to look at.
    is_partial: bool,
}

/// A place to look in.
struct Source {
    name: &'static str,
    time_max: Duration,
    look: fn(&Job, Instant) -> Told,
}

const SOURCES: &[Source] = &[
    Source {
        name: "memory",
        time_max: Duration::from_millis(400),
        look: facts::look,
    },
    Source {
        name: "codebase",
        time_max: Duration::from_millis(1_200),
        look: codebase::look,
    },
    Source {
        name: "session",
        time_max: Duration::from_millis(600),
        look: session::look,
    },
    Source {
        name: "work items",
        time_max: Duration::from_millis(400),
        look: items::look,
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
    let (told, mut costs) = gather(&job, SOURCES, begin + TIME_MAX);
    let request = request(&job, told, &costs)?;
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
fn gather(job: &Arc<Job>, sources: &'static [Source], end: Instant) -> (Vec<Told>, Vec<Cost>) {
    let begin = Instant::now();
    let (sender, receiver) = mpsc::channel();
    for (at, source) in sources.iter().enumerate() {
        let (job, sender) = (Arc::clone(job), sender.clone());
        thread::spawn(move || {
            let begin = Instant::now();
            let told = (source.look)(&job, begin + source.time_max);
            // Who waits no longer does not want it.
            let _ = sender.send((at, told, micros_since(begin)));
        });
    }
    drop(sender);
    let mut all: Vec<Option<(Told, u64)>> = sources.iter().map(|_| None).collect();
    while let Ok((at, told, micros)) = receiver.recv_timeout(end - Instant::now().min(end)) {
        if let Some(place) = all.get_mut(at) {
            *place = Some((told, micros));
        }
    }
    let late = || {
        let told = Told {
            is_partial: true,
            ..Told::default()
        };
        (told, micros_since(begin))
    };
    let told = all.into_iter().map(|told| told.unwrap_or_else(late));
    let costs = told.zip(sources).map(|((told, micros), source)| {
        let cost = Cost {
            name: source.name,
            micros,
            found: told.findings.len(),
            tokens: 0,
            is_partial: told.is_partial,
        };
        (told, cost)
    });
    costs.unzip()
}

fn request(job: &Job, told: Vec<Told>, costs: &[Cost]) -> Result<Request> {
    let word = edge::random().context("the system gives no random numbers")?;
    let word = hex::encode(&word);
    let mut redactor = Redactor::default();
    let mut told = told.into_iter();
    let mut next = |redactor: &mut Redactor| {
        let told = told.next().unwrap_or_default();
        let findings = told.findings.into_iter().map(|finding| Finding {
            source: redactor.text(&finding.source),
            text: redactor.text(&finding.text),
        });
        (findings.collect::<Vec<_>>(), told.notes)
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
        warnings: late.chain(wrong).collect(),
    };
    hydration::request(&material).with_context(|| format!("{TEMPLATE} in your settings"))
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
fn template(dirs: &tables::Dirs) -> Option<String> {
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

    fn found(_: &Job, _: Instant) -> Told {
        Told {
            findings: vec![Finding::default()],
            ..Told::default()
        }
    }

    fn stuck(_: &Job, _: Instant) -> Told {
        thread::sleep(Duration::from_secs(600));
        Told::default()
    }

    fn broken(_: &Job, _: Instant) -> Told {
        std::panic::resume_unwind(Box::new("broken"))
    }

    const fn source(name: &'static str, look: fn(&Job, Instant) -> Told) -> Source {
        let time_max = Duration::from_secs(1);
        Source {
            name,
            time_max,
            look,
        }
    }

    #[test]
    fn what_is_late_or_broken_is_left_out_and_said() {
        const SOURCES: &[Source] = &[
            source("stuck", stuck),
            source("quick", found),
            source("broken", broken),
        ];
        let job = Arc::new(Job::default());
        let end = Instant::now() + Duration::from_secs(3);
        let (told, costs) = gather(&job, SOURCES, end);
        let counts: Vec<usize> = told.iter().map(|told| told.findings.len()).collect();
        assert_eq!(counts, [0, 1, 0]);
        let partial: Vec<bool> = costs.iter().map(|cost| cost.is_partial).collect();
        assert_eq!(partial, [true, false, true]);
    }
}
