//! Lines that older programs wrote: facts and steps in words. Everything else reads what comes out
//! of here as it reads the lines of today.

use model::section::{Fields, Logged, Section};
use model::{GrantLevel, Time};
use serde_json::Value;
use work::approvals::{Approval, ApprovalState, ApprovalStep};
use work::change::Change;
use work::discipline::{
    ComplianceStep, HintStep, HydrationStep, KnowledgeStep, SkillStep, Standing, TaskStep,
};
use work::tickets::{Ticket, TicketState, TicketStep, Tickets};

use super::Record;
use super::fact_words::Told;
use super::facts::named;

/// Kinds of facts, as they are named in a line.
const FACTS: &[&str] = &["path", "tree", "glob", "text", "repo", "work", "ref"];

/// Where a line tells of an approval, and of how the session keeps to its task.
const APPROVALS: &str = "approvals";
const DISCIPLINE: &str = "discipline";

/// Whether these facts are in words.
pub fn is_old(facts: &Value) -> bool {
    let mut values = facts.as_object().into_iter().flat_map(|all| all.values());
    values.any(Value::is_string)
}

/// What was looked up: `"path /p/a": "file 12 bytes clean"`.
pub fn facts(facts: &Value) -> Vec<Told> {
    let all = facts.as_object().into_iter().flatten();
    let told = all.filter_map(|(question, answer)| {
        let (kind, of) = question.split_once(' ')?;
        Some(Told {
            kind: FACTS.iter().find(|known| **known == kind)?,
            of: of.to_owned(),
            answer: answer.as_str()?.to_owned(),
        })
    });
    told.collect()
}

/// The steps of a line, in its order. Words that are not known are left out.
pub fn steps(record: &Record) -> Vec<Fields> {
    let words = |key| record.list(key).iter().filter_map(Value::as_str);
    let time = Time(record.number("time"));
    let approvals = words(APPROVALS).filter_map(approval);
    let tickets = words(Tickets::NAME).filter_map(ticket);
    let discipline = words(DISCIPLINE).filter_map(|step| kept(step, time));
    approvals.chain(tickets).chain(discipline).collect()
}

/// `A7F3 waits`, `A7F3 wrong code`, `A7F3 granted by terminal`, `A7F3 void`.
fn approval(words: &str) -> Option<Fields> {
    let (id, how) = words.split_once(' ')?;
    let (state, by) = how.split_once(" by ").unwrap_or((how, ""));
    let (state, tries) = match state {
        "waits" => (ApprovalState::Pending, 0),
        "wrong code" => (ApprovalState::Pending, 1),
        state => (named(ApprovalState::NAMES, state)?, 0),
    };
    let to = Approval {
        id: id.to_owned(),
        state,
        tries,
        by: named(GrantLevel::NAMES, by).unwrap_or_default(),
        ..Approval::default()
    };
    Some(ApprovalStep(Change { from: None, to }).fields())
}

/// `R1 void: what is reviewed changed during the review`.
fn ticket(words: &str) -> Option<Fields> {
    let (id, how) = words.split_once(' ')?;
    let (state, why) = how.split_once(": ").unwrap_or((how, ""));
    let to = Ticket {
        id: id.to_owned(),
        state: named(TicketState::NAMES, state)?,
        why: why.to_owned(),
        ..Ticket::default()
    };
    Some(TicketStep(Change { from: None, to }).fields())
}

/// How the session kept to its task: `armed 2040`, `held for hydration`.
fn kept(words: &str, time: Time) -> Option<Fields> {
    let (word, rest) = words.split_once(' ').unwrap_or((words, ""));
    let name = rest.to_owned();
    Some(match (word, rest) {
        ("prompted", _) => prompted(rest.is_empty()),
        ("called", _) => called(),
        ("skill", _) => SkillStep::Loaded { name }.fields(),
        ("drifted", _) => SkillStep::Drifted { name }.fields(),
        ("held", "for compliance") => ComplianceStep::Held { time }.fields(),
        ("checked", standing) => checked(named(Standing::NAMES, standing)?, time),
        ("learned", _) => KnowledgeStep::Learned { line: name }.fields(),
        ("stopped", _) => KnowledgeStep::Stopped {}.fields(),
        ("offered", _) => KnowledgeStep::Offered {}.fields(),
        ("hinted" | "withheld", why) => hinted(why, word == "withheld"),
        _ => hydration(words, time)?.fields(),
    })
}

fn hydration(words: &str, time: Time) -> Option<HydrationStep> {
    let text = String::new;
    Some(match words.split_once(' ').unwrap_or((words, "")) {
        ("armed", bytes) => HydrationStep::Armed {
            request: text(),
            bytes: bytes.parse().ok()?,
            time,
        },
        ("hydrating", _) => HydrationStep::Started { call: 0 },
        ("hydrator", "runs") => HydrationStep::Runs { agent: text() },
        ("hydrated" | "hydrated:", note) => HydrationStep::Answered {
            guidance: Box::default(),
            note: note.to_owned(),
            time,
        },
        ("held", _) => HydrationStep::Held { time },
        ("let", _) => HydrationStep::Released {},
        _ => return None,
    })
}

fn prompted(scope: bool) -> Fields {
    let text = String::new();
    TaskStep::Prompted { text, scope }.fields()
}

fn called() -> Fields {
    TaskStep::Called {
        line: String::new(),
        error: String::new(),
        touched: String::new(),
    }
    .fields()
}

fn checked(standing: Standing, time: Time) -> Fields {
    ComplianceStep::Checked {
        standing,
        words: String::new(),
        time,
    }
    .fields()
}

/// `skill: rust, error`.
fn hinted(why: &str, withheld: bool) -> Fields {
    HintStep::Hinted {
        why: why.split(", ").map(str::to_owned).collect(),
        lines: Vec::new(),
        withheld,
    }
    .fields()
}
