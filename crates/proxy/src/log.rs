//! What became of the calls of a proxy, in its file: a line a step. After a proxy was ended, the
//! next one of the same session finds there what was sent on and never answered.

use edge::{processes, surroundings};
use model::Binding;
use serde::{Deserialize, Serialize};
use store::{ProxyLog, Store};
use work::holds::{Hold, State, Step};

/// The version of a line, and the oldest program that understands it.
const VERSION: u64 = 1;
/// From this length on a file in which nothing is open begins anew.
const BYTES_MAX: u64 = 1024 * 1024;

/// A step of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Line {
    v: u64,
    min_reader: u64,
    /// Milliseconds since 1970.
    at: u64,
    /// The call.
    call: u64,
    /// What it is, by its name and arguments.
    digest: u64,
    tool: String,
    step: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    question: String,
}

/// A call that was sent on, and of which no answer will come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// What it is.
    pub digest: u64,
    /// Which tool it called.
    pub tool: String,
    /// When it was sent on, in milliseconds since 1970.
    pub at: u64,
}

/// A call, as its lines are headed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Head {
    /// Its number.
    pub call: u64,
    /// What it is.
    pub digest: u64,
    /// Which tool it calls.
    pub tool: String,
}

/// The file of this proxy.
#[derive(Debug, Default)]
pub struct Log {
    file: Option<ProxyLog>,
    /// Calls that are open in it.
    open: usize,
}

impl Log {
    /// The file of a new proxy, and what those before it left unknown.
    pub fn begin(store: &Store, session: &str) -> (Self, Vec<Lost>) {
        let own = processes::look(std::process::id().into());
        let own = own.map_or_else(Binding::default, |own| Binding {
            process: own.number,
            start: own.start,
            nested: false,
        });
        let mut old = store.proxy_logs(session).unwrap_or_default();
        old.retain(|(owner, _)| !edge::provenance::lives(owner));
        let lost: Vec<Lost> = old.iter().flat_map(|(_, text)| unknown(text)).collect();
        let mut log = Self {
            file: store.proxy_log(session, own).ok(),
            open: 0,
        };
        for (number, lost) in lost.iter().enumerate() {
            let head = Head {
                // Numbers of our own begin at 1.
                call: u64::MAX - number as u64,
                digest: lost.digest,
                tool: lost.tool.clone(),
            };
            log.write(&head, (&Step::Forwarded, lost.at));
            log.write(&head, (&Step::Lost, lost.at));
        }
        // What was unknown is said in our own by now.
        for (owner, _) in old {
            let _ = store.forget_proxy_log(session, owner);
        }
        (log, lost)
    }

    /// Notes a step. Whether it is there.
    pub fn add(&mut self, head: &Head, step: &Step) -> bool {
        match step {
            Step::Forwarded => self.open += 1,
            Step::Answered => self.open = self.open.saturating_sub(1),
            // It stays unknown, in this file.
            _ => {}
        }
        let is_written = self.write(head, (step, surroundings::now().0));
        if let Some(file) = &mut self.file
            && self.open == 0
            && file.bytes() > BYTES_MAX
        {
            let _ = file.clear();
        }
        is_written
    }

    /// Notes that what was unknown was told.
    pub fn told(&mut self, lost: &Lost) {
        let head = Head {
            call: 0,
            digest: lost.digest,
            tool: lost.tool.clone(),
        };
        self.write(&head, (&Step::Answered, lost.at));
    }

    fn write(&mut self, head: &Head, (step, at): (&Step, u64)) -> bool {
        let line = Line {
            v: VERSION,
            min_reader: VERSION,
            at,
            call: head.call,
            digest: head.digest,
            tool: head.tool.clone(),
            step: name(step).to_owned(),
            question: match step {
                Step::Asked(question) => question.clone(),
                _ => String::new(),
            },
        };
        let line = serde_json::to_string(&line).unwrap_or_default();
        let file = self.file.as_mut();
        file.is_some_and(|file| file.add(&line).is_ok())
    }
}

/// A step's name in a line.
fn name(step: &Step) -> &'static str {
    match step {
        Step::Allowed => "allowed",
        Step::Denied => "denied",
        Step::Asked(_) => "asked",
        Step::Refused => "refused",
        Step::TimeOver => "time over",
        Step::Cancelled => "cancelled",
        Step::Left => "left",
        Step::Forwarded => "forwarded",
        Step::Answered => "answered",
        Step::Lost => "lost",
    }
}

/// The calls of a proxy's file that were sent on and have no answer. What cannot be read is no
/// line: a process that was ended may have left half of one.
pub fn unknown(text: &str) -> Vec<Lost> {
    let mut open: Vec<(Line, Hold)> = Vec::new();
    for line in text.lines() {
        let Ok(line) = serde_json::from_str::<Line>(line) else {
            continue;
        };
        let at = open.iter().position(|(head, _)| match line.call {
            // What was told is told of every call that is the same.
            0 => head.digest == line.digest,
            call => head.call == call,
        });
        match (line.step.as_str(), at) {
            ("forwarded", None) => {
                let hold = Hold {
                    state: State::Forwarded,
                    ..Hold::default()
                };
                open.push((line, hold));
            }
            ("answered", Some(at)) => {
                open.remove(at);
            }
            _ => {}
        }
    }
    let lost = open.into_iter().map(|(head, _)| Lost {
        digest: head.digest,
        tool: head.tool,
        at: head.at,
    });
    lost.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_on_and_not_answered_is_unknown_until_it_was_told() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("state")).unwrap();
        let head = |call| Head {
            call,
            digest: 70 + call,
            tool: "write_file".to_owned(),
        };
        let (mut log, lost) = Log::begin(&store, "s");
        assert!(lost.is_empty());
        for call in [1, 2, 3] {
            assert!(log.add(&head(call), &Step::Forwarded));
        }
        log.add(&head(1), &Step::Answered);
        log.add(&head(3), &Step::Lost);
        let text = |store: &Store| store.proxy_logs("s").unwrap().remove(0).1;
        let half = format!("{}{{\"v\":1,\"call\":2,\"st", text(&store));
        let found: Vec<u64> = unknown(&half).iter().map(|lost| lost.digest).collect();
        assert_eq!(found, [72, 73]);
        log.told(&unknown(&half)[0]);
        let found: Vec<u64> = unknown(&text(&store))
            .iter()
            .map(|lost| lost.digest)
            .collect();
        assert_eq!(found, [73]);
    }
}
