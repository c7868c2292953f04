//! A client: started in its own words, told its prompt, and answered where it asks for leave. Done
//! is when it says so.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use hosts::{AskedCall, Drive, Host, Move, Opening, Passes, SESSION};
use model::fnv64;
use work::approvals::{ApprovalState, Approvals};

use crate::decide::{Question, Said};
use crate::git::WorkTree;
use crate::run::log::Log;
use crate::worker::{Heard, Turn, TurnEnd, Worker};

/// The file with the id of the client's session.
const SESSION_FILE: &str = "session";

/// A client that works.
#[derive(Debug, Clone, Copy)]
pub struct Client {
    /// Which.
    pub host: &'static Host,
    /// How it is driven.
    pub drive: &'static Drive,
}

impl Client {
    /// Has it take a turn.
    ///
    /// # Errors
    /// If it cannot be started, or the run cannot be read.
    pub fn take(&self, turn: &Turn<'_>) -> Result<TurnEnd> {
        let (end, is_understood) = self.take_so(turn)?;
        match self.drive.otherwise {
            // An older one ends at once at words that it does not know.
            Some(drive) if !is_understood && !end.why.is_empty() && !end.is_stopped => {
                Ok(Self { drive, ..*self }.take_so(turn)?.0)
            }
            _ => Ok(end),
        }
    }

    /// The same; and whether it said anything that is understood.
    fn take_so(&self, turn: &Turn<'_>) -> Result<(TurnEnd, bool)> {
        let known = session(turn.log)?;
        let is_again = known.is_some() && !self.drive.again.is_empty();
        let mut talk = Talk {
            client: *self,
            turn,
            is_again,
            session: match known {
                Some(known) => known,
                None => uuid().context("the system gives no chance")?,
            },
            tokens: None,
            tokens_before: None,
            limited: None,
            begun: BTreeMap::new(),
            is_understood: false,
        };
        let mut worker = Worker::start(&talk.command()?, turn)?;
        let lines = (self.drive.open)(&talk.opening());
        match self.drive.closes {
            true => worker.tell_all(&lines.join("\n")),
            false => lines.iter().for_each(|line| worker.tell(line)),
        }
        let mut end = worker.hear(turn, |worker, line| talk.hear(worker, line))?;
        end.tokens = talk.tokens;
        // One that goes on all the same has nothing to wait for.
        end.limited = hosts::limited(&end.why)
            .map(|passes| talk.limited.unwrap_or(passes))
            .or(talk.limited)
            .filter(|_| !end.why.is_empty());
        if !self.drive.again.is_empty() && (talk.is_understood || talk.is_again) {
            let store = turn.log.store;
            store.keep_of_run(&turn.log.id, SESSION_FILE, talk.session.as_bytes())?;
        }
        end.waits = held(turn.log, &talk.session).filter(|_| end.why.is_empty());
        Ok((end, talk.is_understood))
    }
}

/// One turn's talk with a client.
struct Talk<'a> {
    client: Client,
    turn: &'a Turn<'a>,
    is_again: bool,
    session: String,
    tokens: Option<u64>,
    /// What the session had taken when the turn began.
    tokens_before: Option<u64>,
    limited: Option<Passes>,
    /// What is about to be done, by its id.
    begun: BTreeMap<String, Vec<AskedCall>>,
    is_understood: bool,
}

impl Talk<'_> {
    fn opening(&self) -> Opening<'_> {
        Opening {
            prompt: self.turn.prompt,
            dir: &self.turn.log.about.dir,
            session: &self.session,
            is_again: self.is_again,
        }
    }

    /// What it is started with.
    fn command(&self) -> Result<Vec<String>> {
        let Client { host, drive } = self.client;
        let words = if self.is_again {
            drive.again
        } else {
            drive.first
        };
        let variables = drive.variables.iter();
        let variables = variables.map(|(name, value)| format!("{name}={value}"));
        let words = words
            .iter()
            .map(|word| word.replace(SESSION, &self.session));
        let begin = ["/usr/bin/env".to_owned()].into_iter().chain(variables);
        Ok(begin
            .chain([found(host, self.turn)?])
            .chain(words)
            .collect())
    }

    /// What the gates say of a call, or of all that it stands for.
    fn judged(&self, call: &AskedCall) -> Said {
        let made = made(self.turn);
        let one = |call: &AskedCall| {
            let question = Question {
                host: Some(self.client.host),
                session: &self.session,
                dir: &self.turn.log.about.dir,
                call,
                made: &made,
            };
            question.judged(self.turn.log.store)
        };
        let AskedCall::Begun(id) = call else {
            return one(call);
        };
        let Some(calls) = self.begun.get(id).filter(|calls| !calls.is_empty()) else {
            return Said::No("nothing said what this would do".to_owned());
        };
        let mut said = calls.iter().map(one);
        said.find(|said| *said != Said::Yes).unwrap_or(Said::Yes)
    }

    fn hear(&mut self, worker: &mut Worker, line: &str) -> Heard {
        for step in (self.client.drive.heard)(line, &self.opening()) {
            self.is_understood = true;
            match step {
                Move::Session(id) => self.session = id,
                // What it says last is the sum, or all there is.
                Move::Tokens(count) => self.tokens = Some(count),
                Move::TokensOfSession { all, last } => {
                    let before = *self.tokens_before.get_or_insert(all.saturating_sub(last));
                    self.tokens = Some(all.saturating_sub(before));
                }
                Move::Begins { id, calls } => {
                    self.begun.insert(id, calls);
                }
                Move::Limited(passes) => self.limited = Some(passes),
                Move::Tell(line) => worker.tell(&line),
                Move::Ask(asked) => worker.tell(&match self.judged(&asked.call) {
                    Said::Yes => asked.yes.clone(),
                    Said::No(why) => asked.refused(&why),
                }),
                Move::Over(why) => {
                    return Heard::Over(TurnEnd {
                        why,
                        ..TurnEnd::default()
                    });
                }
            }
        }
        Heard::On
    }
}

/// The client's session of a run, if it has one.
pub fn session(log: &Log<'_>) -> Result<Option<String>> {
    let bytes = log.store.load_of_run(&log.id, SESSION_FILE)?;
    let id = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    Ok(id.filter(|id| !id.is_empty()))
}

/// The oldest call of a session that a gate holds until a person has spoken.
fn held(log: &Log<'_>, id: &str) -> Option<String> {
    let session = log.store.session(id).ok()?.value;
    let all = Approvals::of(&session);
    let now = edge::surroundings::now();
    let mut open = all.list.iter().filter(|one| {
        one.state == ApprovalState::Pending && now < one.ends && is_of_a_call(log, id, &one.id)
    });
    open.next().map(|one| one.id.clone())
}

/// What is new or changed in a run's own work tree: it began with nothing of the kind, so the
/// worker made it.
fn made(turn: &Turn<'_>) -> Vec<u64> {
    let about = &turn.log.about;
    if about.is_here {
        return Vec::new();
    }
    let words = [
        "ls-files",
        "--others",
        "--modified",
        "--exclude-standard",
        "-z",
    ];
    let tree = WorkTree::around(Path::new(&about.dir));
    // Where that cannot be known, all counts as somebody's.
    let new = tree.and_then(|tree| Ok((tree.git(&words)?, tree.dirs.root)));
    let (new, top) = new.unwrap_or_default();
    let new = new.split('\0').filter(|name| !name.is_empty());
    new.map(|name| fnv64(format!("{top}/{name}").as_bytes()))
        .collect()
}

/// Whether a question held a call. A client also tells of its own question while we answer that,
/// and what is asked then may be about a call that has run already.
fn is_of_a_call(log: &Log<'_>, session: &str, question: &str) -> bool {
    let asked = format!("\"step\":\"asked\",\"id\":\"{question}\"");
    let mut journal = log.store.journal_backward(session);
    let mut lines = std::iter::from_fn(|| journal.next_line().ok().flatten());
    lines.any(|line| line.word("event") == Some("tool_before") && line.text.contains(&asked))
}

/// The client's program: of `PATH`, and none that lies in the work.
fn found(host: &Host, turn: &Turn<'_>) -> Result<String> {
    let path = turn.variables.get("PATH").unwrap_or_default();
    let about = &turn.log.about;
    let is_of_the_work = |real: &Path| {
        [&about.dir, &about.project]
            .iter()
            .any(|dir| real.starts_with(dir))
    };
    let dirs = path.split(':').filter(|dir| dir.starts_with('/'));
    let mut candidates = dirs.map(|dir| Path::new(dir).join(host.program));
    let found = candidates.find(|candidate| {
        let real = std::fs::canonicalize(candidate);
        real.is_ok_and(|real| real.is_file() && !is_of_the_work(&real))
    });
    let found = found.with_context(|| {
        format!(
            "{} is not installed: there is no {} in PATH",
            host.title, host.program
        )
    })?;
    Ok(found.to_string_lossy().into_owned())
}

/// An id of a form that clients take.
fn uuid() -> Option<String> {
    let mut bytes = edge::random()?;
    let [_, _, _, _, _, _, version, _, variant, ..] = &mut bytes;
    *version = *version & 0x0f | 0x40;
    *variant = *variant & 0x3f | 0x80;
    let hex = text::hex::encode(&bytes);
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    let parts = [
        part(0, 8),
        part(8, 12),
        part(12, 16),
        part(16, 20),
        part(20, 32),
    ];
    Some(parts.join("-"))
}
