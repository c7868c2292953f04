//! What the gates say of a call on its way to a server: the hook's own judgement, with all that it
//! remembers. Here is no rule.

use std::panic::{self, AssertUnwindSafe};
use std::sync::{Mutex, PoisonError};

use edge::facts::Budget;
use edge::fallback::{Fallback, Response};
use edge::judge::judge;
use edge::{Decide, Run, rules_bundle, surroundings};
use hosts::Wire;
use hosts::proxied::{self, ASKED, CALL, PROXY, Question, Tool, ToolCall};
use model::{Event, FaultCause, Finding, GrantLevel, Level, Snapshot, Time};
use store::Store;
use work::approvals::{self, Approval, ApprovalState, Approvals};

/// What was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It may be sent on.
    Go,
    /// Why it may not.
    No(String),
    /// A person is asked, by a question with this id.
    Ask(String),
}

/// Who asks, and in which session.
#[derive(Debug)]
pub struct Judge {
    /// What the client calls the server.
    pub server: String,
    /// The session that its calls belong to.
    pub session: String,
    /// What names the way that the server is started or reached.
    pub started_by: u64,
    /// What judges.
    pub decide: Decide,
    /// One at a time: what is looked up belongs to the whole process.
    turn: Mutex<()>,
}

impl Judge {
    /// One for a server in the present directory. Its session is the same the next time, so that a
    /// yes is found by the call that is made again.
    pub fn new((server, started_by): (&str, &str), decide: Decide) -> Self {
        let dir = std::env::current_dir().unwrap_or_default();
        let place = model::fnv64(dir.to_string_lossy().as_bytes());
        Self {
            server: server.to_owned(),
            session: model::session_id(&format!("mcp-{server}-{place:016x}")),
            started_by: model::fnv64([server, "\0", started_by].concat().as_bytes()),
            decide,
            turn: Mutex::default(),
        }
    }

    /// The verdict on a call. `id` names this one call, and never another; `change` says how its
    /// tool is described otherwise than at first.
    pub fn verdict(&self, call: &ToolCall<'_>, (id, change): (&str, &str)) -> Verdict {
        let payload = proxied::asked(call, self.question_of((id, change)));
        let run = Run {
            host: &PROXY,
            event: CALL,
            called: CALL,
            decide: self.decide,
            fallback: &Fallback::NONE,
        };
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        match panic::catch_unwind(AssertUnwindSafe(|| run.answer(payload))) {
            Ok(response) if response.is_unkept && response.reply.code == ASKED => {
                let what = "the question to a person could not be kept";
                read(run.refused(FaultCause::State, what))
            }
            Ok(response) => read(response),
            Err(_) => read(run.refused(FaultCause::Gate, "the gate broke")),
        }
    }

    fn question_of<'q>(&'q self, (id, change): (&'q str, &'q str)) -> Question<'q> {
        Question {
            server: &self.server,
            session: &self.session,
            id,
            change,
        }
    }

    /// A stable name of a call: the same for the hook of a host, if that sees it too.
    pub fn digest(&self, call: &ToolCall<'_>) -> u64 {
        let payload = proxied::asked(call, self.question_of(("", "")));
        let event = decoded(&payload);
        let call = event.as_ref().and_then(|event| event.call());
        call.map_or(0, store::call_digest)
    }

    /// Whether a tool is to be hidden from a model: it is refused by its name, whatever it is
    /// called with.
    pub fn hides(&self, store: &Store, tool: &Tool<'_>) -> bool {
        let payload = proxied::asked_by_name(&tool.name, self.question_of(("", "")));
        let Some(event) = decoded(&payload) else {
            return false;
        };
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        is_refused_by_name(store, &event)
    }

    /// How a question stands, with a person's words; nothing if it has ended or is not known any
    /// more, or root has spoken.
    pub fn question(&self, store: &Store, id: &str) -> Option<(ApprovalState, String)> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let record = store.session(&self.session).ok()?.value;
        let approval = asked(&Approvals::of(&record), id, surroundings::now())?;
        let Approval { state, needs, .. } = approval;
        let waits = state == ApprovalState::Pending && needs == GrantLevel::Sudo;
        let statement = || approvals::statement(&edge::keys::machine(), &self.session, &approval);
        let is_roots = waits && store.root_said(&approval.digest, &statement());
        (!is_roots).then_some((state, approval.words))
    }
}

/// Whether a rule refuses a call by the name of its tool, so that nothing else of it counts.
pub fn is_refused_by_name(store: &Store, event: &Event<'_>) -> bool {
    let here = std::env::current_dir().unwrap_or_default();
    let (place, project) = surroundings::look_around(&here.to_string_lossy());
    let dirs = surroundings::config_dirs(&place.home, &place.project);
    let bundle = rules_bundle::load(Some(store), &store::project_id(&project), &dirs);
    let known = Snapshot {
        place,
        ..Snapshot::default()
    };
    let judged = judge(event, known, &bundle.rules, &mut Budget::start());
    let is_by_name = |finding: &Finding| {
        let found = bundle.rules.find(&finding.rule);
        found.is_some_and(|found| found.rule.when.is_by_name())
    };
    judged.decision.level() == Level::Deny && judged.decision.shown().is_some_and(is_by_name)
}

/// A question that is known, unless it ended without an answer.
fn asked(all: &Approvals, id: &str, time: Time) -> Option<Approval> {
    let approval = all.list.iter().rev().find(|one| one.id == id)?;
    let is_over = approvals::now(all, time) >= approval.ends;
    let has_ended = approval.state == ApprovalState::Pending && is_over;
    (!has_ended).then(|| approval.clone())
}

/// A question as its event; nothing if it cannot be read.
fn decoded(payload: &[u8]) -> Option<Event<'_>> {
    let wire = Wire {
        event: CALL,
        bytes: payload,
        env: &|_| None,
        time: surroundings::now(),
    };
    (PROXY.decode)(&wire).ok()
}

fn read(response: Response) -> Verdict {
    if !response.refuses {
        return Verdict::Go;
    }
    let is_asked = response.reply.code == ASKED;
    // What is refused may leave a question too; a yes to it is for the next call.
    if !is_asked || response.held.is_empty() {
        let words = String::from_utf8_lossy(&response.reply.stdout);
        return Verdict::No(words.into_owned());
    }
    Verdict::Ask(response.held)
}

#[cfg(test)]
mod tests {
    use hosts::proxied::{Frame, Kind};

    use super::*;

    #[test]
    fn a_question_that_nobody_answered_in_time_is_asked_anew() {
        let of = |state| Approvals {
            list: vec![Approval {
                id: "A7F3".to_owned(),
                state,
                ends: Time(9),
                ..Approval::default()
            }],
            ..Approvals::default()
        };
        let waits = of(ApprovalState::Pending);
        assert!(asked(&waits, "A7F3", Time(8)).is_some());
        assert!(asked(&waits, "A7F3", Time(9)).is_none());
        assert!(asked(&waits, "B000", Time(8)).is_none());
        // What was answered stays answered.
        assert!(asked(&of(ApprovalState::Refused), "A7F3", Time(9)).is_some());
    }

    #[test]
    fn a_gate_that_breaks_is_a_fault_and_the_next_call_is_judged() {
        const FRAME: &[u8] = br#"{"id":1,"method":"tools/call","params":{"name":"read_file"}}"#;
        let judge = Judge::new(("filesystem", ""), |_, _, _| panic!("broken"));
        let Frame::One(message) = proxied::frame(FRAME) else {
            panic!();
        };
        let Kind::Call(call) = &message.kind else {
            panic!();
        };
        for id in ["a", "b"] {
            let Verdict::No(words) = judge.verdict(call, (id, "")) else {
                panic!();
            };
            assert!(words.contains("fault, not a policy decision"), "{words}");
        }
    }
}
