//! The failure table, cell by cell: each cause is brought about for real, each class of event is
//! sent to the hook, and the whole answer is compared with a copy of the table that is kept here.
//! The words are fixed: a change of them is a change of this file.

use std::fs;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use gates::stack::fault::{Answer, CLASSES, answer_of, next_step};
use model::{FaultCause, one_line};
use serde_json::{Value, json};

use crate::broken::{self, ANSWER_TIME_MAX};
use crate::common::World;
use crate::common::client::{self, Run, SESSION};
use crate::common::damage::{damage, used_world};

/// The columns, by the names that [`broken::event`] knows.
const COLUMNS: [&str; 8] = [
    "read", "write", "verdict", "prompt", "after", "stop", "settings", "session",
];

/// An answer that took so long may be the one to time that ran out.
const BUSY_TIME_MIN: Duration = Duration::from_millis(300);

/// How often a cell is tried on a busy machine.
const BUSY_TRIES: u32 = 4;

/// One row of the table, written out again: what is answered in each column, how the cause is
/// brought about, and its words.
struct Row {
    id: &'static str,
    answers: [&'static str; 8],
    how: How,
    what: fn(&World) -> String,
    next: &'static str,
}

/// How a cause is brought about.
enum How {
    /// The payload ends too early.
    Cut,
    /// What is kept is damaged in this way before the event.
    Damaged(&'static str),
    /// The hook breaks in this way while it judges.
    Broken(&'static str),
    /// The session is bound to a host, and something else calls.
    Stranger,
    /// What would be lost cannot be kept.
    NotKept,
}

/// `-` nothing is said, `adv` advice, `ASK`, `DENY`, `once` a stop is held up once while a review
/// is open, and nothing is said while none is.
const ROWS: &[Row] = &[
    Row {
        id: "payload",
        answers: ["DENY", "DENY", "DENY", "-", "-", "-", "DENY", "-"],
        how: How::Cut,
        what: |_| {
            String::from("the payload is not a JSON object: the text ends inside a string (byte 2)")
        },
        next: "repeat the call; if it fails again, run tollgate doctor",
    },
    Row {
        id: "bundle_stale",
        answers: ["adv", "adv", "adv", "adv", "-", "-", "-", "adv"],
        how: How::Damaged("broken rules"),
        what: |_| String::from("db.toml: line 14: no such verb"),
        next: "run tollgate rules test, then tollgate compile",
    },
    Row {
        id: "bundle",
        answers: ["-", "ASK", "DENY", "adv", "-", "once", "DENY", "adv"],
        how: How::Damaged("flipped bundle"),
        what: |world| {
            let bundle = world.kept("bundle");
            format!("{} is damaged; run `tollgate compile`", bundle.display())
        },
        next: "run tollgate rules test, then tollgate compile",
    },
    Row {
        id: "state",
        answers: ["-", "-", "DENY", "adv", "-", "-", "-", "adv"],
        how: How::Damaged("newer record"),
        what: |world| {
            let record = world.kept("record");
            format!(
                "{} was written by a newer tollgate; run `tollgate init` again",
                record.display()
            )
        },
        next: "run tollgate doctor, which says what is wrong with the state directory",
    },
    Row {
        id: "record",
        answers: ["-", "-", "DENY", "adv", "-", "once", "-", "adv"],
        how: How::Damaged("flipped record"),
        what: |world| {
            let record = world.kept("record");
            format!(
                "{} was damaged; what it remembered is lost, a copy is kept beside it",
                record.display()
            )
        },
        next: "run tollgate doctor; the broken record was kept beside the new one",
    },
    Row {
        id: "journal",
        answers: ["adv", "adv", "adv", "adv", "-", "-", "adv", "adv"],
        how: How::Damaged("directory journal"),
        what: |world| {
            let journal = world.kept("journal");
            format!(
                "{} is a directory, not a plain file; move it away",
                journal.display()
            )
        },
        next: "run tollgate doctor; free some space if the disk is full",
    },
    Row {
        id: "gate",
        answers: ["-", "ASK", "DENY", "adv", "-", "once", "DENY", "-"],
        how: How::Broken("panic"),
        what: |_| String::from("the gate broke"),
        next: "run tollgate check on the call and report what it prints",
    },
    Row {
        id: "time",
        answers: ["-", "ASK", "DENY", "-", "-", "once", "DENY", "-"],
        how: How::Broken("sleep"),
        what: |_| String::from("judging took too long"),
        next: "repeat the call; if it fails again, run tollgate doctor",
    },
    Row {
        id: "caller",
        answers: ["-", "-", "DENY", "-", "-", "-", "DENY", "-"],
        how: How::Stranger,
        what: |_| {
            let number = std::process::id();
            let name = fs::read_to_string(format!("/proc/{number}/comm")).unwrap();
            format!(
                "called by process {number} ({}), which is the session's host, but not through a \
                 socket or pipe of its own: that shows nothing",
                name.trim_end()
            )
        },
        next: "let the host call its hooks itself; tollgate log shows who called",
    },
    Row {
        id: "undo",
        // Only a call can lose something, so no other column is ever asked.
        answers: ["-", "ASK", "DENY", "-", "-", "-", "-", "-"],
        how: How::NotKept,
        what: |world| {
            let state = world.state();
            let why = format!(
                "could not write {}/undo/lock (Not a directory (os error 20)); move away what is \
                 in its place",
                state.display()
            );
            one_line(&why, 100)
        },
        next: "make room, keep a copy yourself, or let the user say yes to the loss",
    },
];

/// What a level of the table means for the call.
fn effect(answer: &str) -> &'static str {
    match answer {
        "adv" => "Calls are still judged without it",
        "ASK" => "This call needs a person until it is fixed",
        _ => "This call was not let through",
    }
}

/// One cell of the table, for an event at which a human sits or does not.
struct Cell<'a> {
    row: &'a Row,
    column: &'static str,
    attended: bool,
}

impl Cell<'_> {
    fn expected(&self) -> &'static str {
        let mut cells = COLUMNS.iter().zip(self.row.answers);
        let found = cells.find(|(column, _)| *column == &self.column);
        match found.unwrap().1 {
            // No review is open here.
            "once" => "-",
            // The end of a plan loses nothing.
            _ if (self.row.id, self.column) == ("undo", "verdict") => "-",
            answer => answer,
        }
    }

    /// The event of the column. A read that nobody objects to leaves no line in the journal, so
    /// the journal's column is a shell command that only reads.
    fn event(&self, world: &World) -> (&'static str, Value) {
        if (self.row.id, self.column) == ("journal", "read") {
            return ("PreToolUse", client::bash(world, "ls -la", "toolu_9"));
        }
        if (self.row.id, self.column) == ("undo", "write") {
            return ("PreToolUse", client::bash(world, "rm notes.md", "toolu_9"));
        }
        broken::event(world, self.column)
    }

    fn run(&self, world: &mut World, event: &str, payload: &Value) -> Run {
        let mut bytes = payload.to_string().into_bytes();
        let mut hook: Command = match self.row.how {
            How::Broken(how) => {
                let test = "broken::a_broken_gate_is_answered_by_the_failure_table";
                broken::broken_hook(world, test, how, event)
            }
            _ => world.hook(event),
        };
        if self.attended {
            hook.env("CLAUDE_CODE_SESSION_ATTENDED", "1");
        }
        match self.row.how {
            How::Broken(_) => return broken::send(&mut hook, payload),
            How::Cut => bytes.truncate(2),
            How::Damaged(how) => assert!(damage(world, how)),
            How::Stranger => bind(world),
            How::NotKept => keep_nothing(world),
        }
        client::send(&mut hook, &bytes)
    }

    /// The fixed sentence; empty where nothing is said.
    fn sentence(&self, world: &World) -> String {
        let Row { id, what, next, .. } = self.row;
        match self.expected() {
            "-" => String::new(),
            answer => format!(
                "tollgate fault, not a policy decision: {}. {}. Next: {next}. [fault/{id}]",
                what(world),
                effect(answer)
            ),
        }
    }

    /// What is not as the table says. On a machine so busy that the time is over before anything
    /// else is wrong, it is tried again.
    fn check(&self) -> Option<String> {
        let mut last = None;
        for _ in 0..BUSY_TRIES {
            let (wrong, took) = self.check_once()?;
            if took < BUSY_TIME_MIN {
                return Some(wrong);
            }
            last = Some(wrong);
        }
        last
    }

    /// What is not as the table says, and how long it took.
    fn check_once(&self) -> Option<(String, Duration)> {
        let mut world = used_world("table");
        let (event, payload) = self.event(&world);
        let run = self.run(&mut world, event, &payload);
        let mut said = Said::of(&run);
        let expected = Said::expected(self, event, self.sentence(&world));
        said.notice = said
            .notice
            // What stopped, or which advice the worker got, is told to the human too.
            .filter(|notice| !notice.starts_with("tollgate held"))
            .filter(|notice| !notice.contains(" waits for you."))
            .filter(|notice| !notice.starts_with("tollgate fault"));
        if self.row.id == "undo" {
            said.take_advice();
        }
        if said == expected && run.took < ANSWER_TIME_MAX {
            return None;
        }
        let Self {
            row,
            column,
            attended,
        } = self;
        let wrong = format!(
            "{} before {column}, attended {attended}, in {:?}:\n{said:?}\ninstead of\n{expected:?}",
            row.id, run.took
        );
        Some((wrong, run.took))
    }
}

/// Has the session's events come from this very process.
fn bind(world: &World) {
    let payload = client::bash(world, "ls", "toolu_8").to_string();
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    let mut hook = world.hook("PreToolUse");
    hook.stdin(OwnedFd::from(theirs));
    hook.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = hook.spawn().unwrap();
    drop(hook);
    ours.write_all(payload.as_bytes()).unwrap();
    drop(ours);
    assert!(child.wait().unwrap().success());
    let bound = world.store().session(SESSION).unwrap().value.bindings;
    assert_eq!(bound.len(), 1, "{bound:?}");
}

/// Has rules only warn, and puts something in the way of what is kept.
fn keep_nothing(world: &mut World) {
    world.build("settings [gates]\npolicy = \"warn\"");
    fs::write(world.state().join("undo"), "in the way").unwrap();
}

/// All that the host hears.
#[derive(Debug, PartialEq, Eq, Default)]
struct Said {
    stdout: Value,
    stderr: String,
    code: i32,
    notice: Option<String>,
}

impl Said {
    fn of(run: &Run) -> Self {
        let text = &without_id(&run.answer.stdout);
        let mut stdout = Value::Null;
        if !text.is_empty() {
            stdout = serde_json::from_str(text).unwrap();
        }
        let fields = stdout.as_object_mut();
        let notice = fields.and_then(|fields| fields.remove("systemMessage"));
        if notice.is_some() && stdout.as_object().is_some_and(serde_json::Map::is_empty) {
            stdout = Value::Null;
        }
        Self {
            stdout,
            stderr: without_id(&run.answer.stderr),
            code: run.answer.code,
            notice: notice.map(|notice| notice.as_str().unwrap().to_owned()),
        }
    }

    /// Takes out what the rule that only warns says about the loss.
    fn take_advice(&mut self) {
        let specific = self.stdout.get_mut("hookSpecificOutput");
        let advice = specific
            .and_then(Value::as_object_mut)
            .and_then(|fields| fields.remove("additionalContext"));
        let says_so = |advice: Value| advice.as_str().unwrap().contains("it cannot be undone");
        assert!(advice.is_none_or(says_so));
    }

    /// The sentence in the host's form.
    fn expected(cell: &Cell<'_>, event: &str, sentence: String) -> Self {
        let answer = cell.expected();
        let tool = event == "PreToolUse";
        let specific = |value: Value| {
            let mut named = json!({"hookEventName": event});
            named
                .as_object_mut()
                .unwrap()
                .extend(value.as_object().unwrap().clone());
            json!({"hookSpecificOutput": named})
        };
        let decision = |decision: &str, reason: &str| {
            specific(json!({
                "permissionDecision": decision,
                "permissionDecisionReason": reason,
            }))
        };
        match answer {
            "-" => Self::default(),
            // The answer to a change of settings has no place for words.
            "adv" if cell.column == "settings" => Self::default(),
            "adv" => Self {
                stdout: specific(json!({"additionalContext": sentence})),
                ..Self::default()
            },
            "ASK" if cell.attended => Self {
                stdout: decision("ask", &sentence),
                ..Self::default()
            },
            "ASK" => {
                let nobody = "Nobody can be asked here, so this is a refusal: ask the user.";
                let sentence = match cell.row.how {
                    How::Broken(_) => format!("{sentence} {nobody}"),
                    _ => sentence.replace(". [fault/", ", or ask the user; request ID. [fault/"),
                };
                Self {
                    stdout: decision("deny", &sentence),
                    stderr: sentence,
                    code: 2,
                    notice: None,
                }
            }
            _ if tool => Self {
                stdout: decision("deny", &sentence),
                stderr: sentence,
                code: 2,
                notice: None,
            },
            _ => Self {
                stdout: json!({"decision": "block", "reason": sentence}),
                stderr: sentence,
                code: 2,
                notice: None,
            },
        }
    }
}

/// The id of a question is another one each time.
fn without_id(text: &str) -> String {
    let mut parts = text.split("request ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, rest| {
        format!("{text}request ID{}", &rest[4..])
    })
}

#[test]
fn every_cell_is_answered_in_its_words() {
    let run = |row, attended| {
        let cells = COLUMNS.map(|column| Cell {
            row,
            column,
            attended,
        });
        cells.iter().filter_map(Cell::check).collect::<Vec<_>>()
    };
    let wrong = std::thread::scope(|scope| {
        let both = ROWS.iter().flat_map(|row| [(row, false), (row, true)]);
        let runs: Vec<_> = both
            .map(|(row, attended)| scope.spawn(move || run(row, attended)))
            .collect();
        let wrong = runs.into_iter().flat_map(|run| run.join().unwrap());
        wrong.collect::<Vec<_>>()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whoever adds a cause or changes the table must come here too.
#[test]
fn no_cause_is_without_a_case() {
    for (id, cause) in FaultCause::NAMES {
        let row = ROWS.iter().find(|row| row.id == *id);
        let row = row.unwrap_or_else(|| panic!("the failure table has {id}, and no case shows it"));
        let table = CLASSES.map(|class| match answer_of(*cause, class) {
            Answer::Silent => "-",
            Answer::Advice => "adv",
            Answer::Ask => "ASK",
            Answer::Deny => "DENY",
            Answer::Once => "once",
        });
        assert_eq!(table, row.answers, "{id}");
        assert_eq!(next_step(*cause), row.next, "{id}");
    }
    assert_eq!(ROWS.len(), FaultCause::NAMES.len());
}
