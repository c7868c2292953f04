//! Approvals, as the command line shows them.

mod tally;

use edge::surroundings;
use model::section::{Fields, Logged, Section};
use model::{GrantLevel, Session, Time};
use work::approvals::{self, Approval, ApprovalState, ApprovalStep, Approvals};
use work::change::Change;

use super::shape::{Concern, Counted, InWords, Waiting};
use crate::records::journal::facts::named;

pub const CONCERN: Concern = Concern {
    in_words: Some(InWords {
        list: Approvals::NAME,
        read,
    }),
    waiting: Some(Waiting {
        count: waiting,
        noun: "question",
        command: "tollgate approvals",
    }),
    way_on: Some(way_on),
    counted: Some(Counted {
        section: Approvals::NAME,
        tally: || Box::new(tally::ApprovalTally::default()),
    }),
    ..Concern::PLAIN
};

fn waiting(session: &Session) -> u64 {
    let all = Approvals::of(session);
    let now = approvals::now(&all, surroundings::now());
    let waits = |approval: &&Approval| {
        approval.state == ApprovalState::Pending && approvals::is_open(approval, now)
    };
    all.list.iter().filter(waits).count() as u64
}

fn way_on(step: &Fields) -> Option<String> {
    let ApprovalStep(Change { to, .. }) = ApprovalStep::read_fields(step)?;
    (to.state == ApprovalState::Pending).then(|| format!("tollgate approve {}", to.id))
}

/// `A7F3 waits`, `A7F3 wrong code`, `A7F3 granted by terminal`, `A7F3 void`.
fn read(words: &str, _time: Time) -> Option<Fields> {
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
