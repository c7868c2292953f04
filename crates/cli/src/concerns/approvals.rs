//! Approvals, as the command line shows them.

use model::section::{Fields, Logged, Section};
use model::{GrantLevel, Time};
use work::approvals::{Approval, ApprovalState, ApprovalStep, Approvals};
use work::change::Change;

use super::shape::{Concern, InWords};
use crate::records::journal::facts::named;

pub const CONCERN: Concern = Concern {
    in_words: Some(InWords {
        list: Approvals::NAME,
        read,
    }),
};

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
