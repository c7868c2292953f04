//! What was held and waits for a person: finding it, and having an answer remembered. What an
//! answer means is in `work`; who may give it is looked at by whoever asks here.

use anyhow::{Result, bail, ensure};
use ed25519_compact::SecretKey;
use edge::{provenance, surroundings};
use model::section::AnyStep;
use model::{Effect, GrantLevel, Session, Time};
use serde_json::{Value, json};
use store::{Committed, SessionChange, Store};
use work::approvals::evidence::{self, Evidence, Proof};
use work::approvals::{self as steps, Approval, ApprovalState, ApprovalStep, Approvals};
use work::change::Change;

use crate::keys;

/// How often an answer is tried while the agent's own hooks are faster.
const TRIES_MAX: usize = 8;

/// A question with the session that it belongs to.
pub struct Asked {
    /// The session's id.
    pub session: String,
    /// The session's record.
    pub record: Session,
    /// The question.
    pub approval: Approval,
}

impl Asked {
    /// The time by which its end counts.
    #[must_use]
    pub fn now(&self) -> Time {
        steps::now(&Approvals::of(&self.record), surroundings::now())
    }

    /// Whether it can still be answered, or its yes used.
    #[must_use]
    pub fn is_open(&self) -> bool {
        steps::is_open(&self.approval, self.now())
    }

    /// Whether the agent that asked has ended: nobody waits for the answer.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        let Approval { process, start, .. } = self.approval;
        let mut bindings = self.record.bindings.iter();
        let asked = bindings.find(|one| (one.process, one.start) == (process, start));
        asked.is_some_and(|asked| !provenance::lives(asked))
    }

    /// How it stands, in a word.
    #[must_use]
    pub fn state(&self) -> &'static str {
        match self.approval.state {
            ApprovalState::Pending | ApprovalState::Granted if !self.is_open() => "expired",
            ApprovalState::Pending => "waits",
            state => state.name(),
        }
    }

    /// Whether somebody has still to answer it.
    #[must_use]
    pub fn waits(&self) -> bool {
        self.approval.state == ApprovalState::Pending && self.is_open()
    }

    /// What a person said, if they did: yes or no.
    #[must_use]
    pub fn answer(&self) -> Option<bool> {
        match self.approval.state {
            ApprovalState::Granted | ApprovalState::Spent => Some(true),
            ApprovalState::Refused => Some(false),
            ApprovalState::Pending | ApprovalState::Void => None,
        }
    }

    /// What a program is told of a question. Its code is not known here.
    #[must_use]
    pub fn in_json(&self) -> Value {
        let Asked {
            approval, session, ..
        } = self;
        let is_pending = self.waits();
        json!({
            "id": approval.id, "session": session, "state": self.state(),
            "code_told": approval.code.is_told(),
            "what": approval.what, "why": approval.why, "tag": approval.tag,
            "needs": approval.needs.name(), "recoverable": approval.recoverable,
            "lost": approval.loss.total, "asked": approval.asked.0, "ends": approval.ends.0,
            "ended": self.has_ended(),
            "by": if is_pending { "" } else { approval.by.name() },
        })
    }

    /// What a yes is bound to.
    #[must_use]
    pub fn statement(&self) -> String {
        steps::statement(&edge::keys::machine(), &self.session, &self.approval)
    }

    /// A yes that is signed with the key that a passphrase opened.
    ///
    /// # Errors
    /// If the public half is another key's.
    pub fn signed(&self, store: &Store, secret: &SecretKey) -> Result<Change<Approval>> {
        let (by, at) = (keys::person(), surroundings::now());
        let signed = evidence::signed(&self.statement(), &by, at);
        let proof = Proof::Passphrase(keys::sign(secret, &signed));
        self.proven(store, &Evidence { by, at, proof })
    }

    /// A yes with its evidence, checked as the hook checks it when the yes is used.
    ///
    /// # Errors
    /// If it does not prove a yes to what this is about.
    pub fn proven(&self, store: &Store, evidence: &Evidence) -> Result<Change<Approval>> {
        ensure!(
            evidence.proves(&self.statement(), &edge::keys::of(store)),
            "what should prove the yes does not fit: the key that is registered is another"
        );
        let by = GrantLevel::Key;
        Ok(steps::granted(&self.approval, by, &evidence.to_text()))
    }

    /// Has a yes remembered, if the question still is what was shown.
    ///
    /// # Errors
    /// If it is not, or it cannot be remembered.
    pub fn grant(&self, store: &Store, yes: &Change<Approval>) -> Result<()> {
        change(store, &self.session, "approve", |record| {
            let same = Approvals::of(record).list.contains(&self.approval);
            ensure!(same, "the request has changed meanwhile; try again");
            Ok(steps::steps_of_yes(yes.clone()))
        })
    }

    /// Has a no remembered, with words for the agent or none.
    ///
    /// # Errors
    /// If it is over already, or cannot be remembered.
    pub fn refuse(&self, store: &Store, words: &str) -> Result<()> {
        let id = self.approval.id.as_str();
        change(store, &self.session, "refuse", |record| {
            let all = Approvals::of(record);
            match steps::refuse(&all, id, words, surroundings::now()) {
                Some(change) => Ok(vec![ApprovalStep(change).into()]),
                None => bail!("{id} is {} already", self.state()),
            }
        })
    }
}

/// Every question that is remembered, oldest first.
///
/// # Errors
/// If a record cannot be read.
pub fn all(store: &Store) -> Result<Vec<Asked>> {
    let mut found = Vec::new();
    for session in store.sessions()? {
        let record = store.session(&session)?.value;
        let approvals = Approvals::of(&record).list.into_iter();
        found.extend(approvals.map(|approval| Asked {
            session: session.clone(),
            record: record.clone(),
            approval,
        }));
    }
    found.sort_by_key(|asked| asked.approval.asked);
    Ok(found)
}

/// Has the store remember what follows from an answer, with a line in the journal. `steps` are
/// asked for again if the agent's own hooks were faster.
///
/// # Errors
/// If they say so, the agent is always faster, or it cannot be written.
pub fn change(
    store: &Store,
    session: &str,
    verb: &str,
    mut steps: impl FnMut(&Session) -> Result<Vec<AnyStep>>,
) -> Result<()> {
    for _ in 0..TRIES_MAX {
        let record = store.session(session)?.value;
        let steps = steps(&record)?.into_iter();
        let effects: Vec<Effect> = steps.map(Effect::Step).collect();
        if effects.is_empty() {
            return Ok(());
        }
        let committed = store.change(&SessionChange {
            session,
            time: surroundings::now(),
            by: "tollgate",
            verb,
            effects: &effects,
        })?;
        if committed != Committed::Overtaken {
            return Ok(());
        }
    }
    bail!("the agent is faster; try again when it waits")
}
