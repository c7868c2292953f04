//! Subagents of hosts that mark none of their calls: between the start of one and its end, every
//! call is taken for one of its. That is not always so: the main worker may call something at the
//! same moment. What is no gate's business to keep anybody from holds for both alike.
//!
//! What is under way stands among what was said in the session, where it is bounded, counts once,
//! and waits for no lock of its own. A lost end counts until the turn ends.

use hosts::{Host, Subagents};
use model::{Actor, Call, Effect, Event, EventKind, Helper, Level, Session, fnv64};

use crate::concerns::shape::{Concern, EventContext, Outcome};
use crate::judge::Judged;

/// Subagents under way, where the host does not say.
pub const CONCERN: Concern = Concern {
    id: "subagents",
    after: Some(after),
    ..Concern::PLAIN
};

/// Marks what stands for a subagent, in the upper half of its number.
const MARK: u64 = 0x7375_6261_0000_0000;
/// The upper half of a number.
const UPPER: u64 = 0xffff_ffff_0000_0000;
/// Where the number of a helper of ours stands, from 1; 0 is any other subagent.
const HELPER_SHIFT: u32 = 24;

/// A number for a subagent, by its kind and its prompt.
fn number(kind: &str, prompt: &str) -> u64 {
    let helper = Helper::meant_by(kind);
    let mut names = Helper::NAMES.iter();
    let place = helper.and_then(|helper| names.position(|(_, known)| *known == helper));
    let helper = place.map_or(0, |place| place as u64 + 1);
    let rest = fnv64(prompt.trim().as_bytes()) & ((1 << HELPER_SHIFT) - 1);
    MARK | (helper << HELPER_SHIFT) | rest
}

/// The kind of a subagent, if it is a helper of ours; else empty.
fn kind(number: u64) -> &'static str {
    let helper = (number & !UPPER) >> HELPER_SHIFT;
    let place = usize::try_from(helper)
        .ok()
        .and_then(|at| at.checked_sub(1));
    let named = place.and_then(|place| Helper::NAMES.get(place));
    named.map_or("", |(name, _)| name)
}

/// The subagents that are under way, oldest first.
fn under_way(session: &Session) -> impl Iterator<Item = u64> {
    let numbers = session.said.iter().map(|(number, _)| *number);
    numbers.filter(|number| number & UPPER == MARK)
}

fn is_blind(host: &Host) -> bool {
    host.capabilities.subagents == Subagents::BetweenStartAndEnd
}

/// Says of a call that nobody is named for whose it is, as far as that is known. The start of a
/// subagent is not taken for another's: a subagent starts none.
pub fn recognise(host: &Host, event: &mut Event<'_>, session: &Session) {
    let is_call = event
        .call()
        .is_some_and(|call| !matches!(call, Call::Spawn { .. }));
    if !is_blind(host) || !is_call || event.actor != Actor::Unknown {
        return;
    }
    let mut running = under_way(session);
    let Some(first) = running.next() else { return };
    let is_alike = running.all(|other| kind(other) == kind(first));
    event.actor = Actor::Sub {
        id: format!("{:x}", first & !UPPER),
        kind: if is_alike { kind(first) } else { "" }.to_owned(),
    };
}

/// Remembers that a subagent starts, and that it ended. At the end of a turn none is under way.
fn after(context: &EventContext<'_>, judged: &Judged) -> Outcome {
    let (event, session) = (context.event, &judged.snapshot.session);
    if !is_blind(context.host) {
        return Outcome::default();
    }
    Outcome::remember(match &event.kind {
        EventKind::ToolBefore(Call::Spawn { kind, prompt }) => {
            let runs = judged.decision.level() == Level::Allow;
            let prompt = prompt.text.as_deref().unwrap_or_default();
            let number = number(kind, prompt);
            runs.then_some(Effect::Said(number)).into_iter().collect()
        }
        EventKind::SubagentStop { .. } => ended(event, session)
            .map(Effect::Unsaid)
            .into_iter()
            .collect(),
        EventKind::Prompt { .. }
        | EventKind::Stop { .. }
        | EventKind::SessionStart { .. }
        | EventKind::SessionEnd => under_way(session).map(Effect::Unsaid).collect(),
        _ => Vec::new(),
    })
}

/// Which of those under way it was: one of its kind, else the oldest. Its prompt may have become
/// another when it started.
fn ended(event: &Event<'_>, session: &Session) -> Option<u64> {
    let ended = match &event.actor {
        Actor::Sub { kind, .. } => number(kind, ""),
        Actor::Main | Actor::Unknown => MARK,
    };
    let alike = under_way(session).find(|number| kind(*number) == kind(ended));
    alike.or_else(|| under_way(session).next())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(numbers: &[u64]) -> Session {
        Session {
            said: numbers.iter().map(|number| (*number, 0)).collect(),
            ..Session::default()
        }
    }

    fn event(kind: EventKind<'static>, actor: Actor) -> Event<'static> {
        let wire = hosts::Wire {
            event: "BeforeTool",
            bytes: br#"{"tool_name":"run_shell_command","tool_input":{"command":"ls"}}"#,
            env: &|_| None,
            time: model::Time(1),
        };
        let event = (host("gemini").decode)(&wire).unwrap().into_owned();
        Event {
            kind,
            actor,
            ..event
        }
    }

    fn host(id: &str) -> &'static Host {
        hosts::find(id).unwrap()
    }

    fn shell() -> EventKind<'static> {
        EventKind::ToolBefore(Call::Shell {
            command: "ls".into(),
            dialect: model::Dialect::Posix,
        })
    }

    #[test]
    fn a_call_is_a_subagents_while_one_runs() {
        let whose = |id: &str, numbers: &[u64]| {
            let mut event = event(shell(), Actor::Unknown);
            recognise(host(id), &mut event, &session(numbers));
            match event.actor {
                Actor::Sub { kind, .. } => kind,
                actor => format!("{actor:?}"),
            }
        };
        let plain = number("generalist", "go");
        let hydrator = number("tollgate:prompt-hydrator", "go");
        assert_eq!(whose("gemini", &[]), "Unknown");
        assert_eq!(whose("gemini", &[7, u64::MAX]), "Unknown");
        assert_eq!(whose("gemini", &[7, plain]), "");
        assert_eq!(whose("gemini", &[hydrator]), "prompt-hydrator");
        assert_eq!(whose("gemini", &[hydrator, plain]), "");
        assert_eq!(whose("cursor", &[plain]), "Unknown");
    }

    #[test]
    fn an_end_is_of_one_of_its_kind() {
        let (a, b) = (number("generalist", "a"), number("generalist", "b"));
        let hydrator = number("prompt-hydrator", "go");
        let gone = |agent: &str, numbers: &[u64]| {
            let stop = EventKind::SubagentStop {
                again: false,
                last: String::new(),
            };
            let actor = Actor::Sub {
                id: String::new(),
                kind: agent.to_owned(),
            };
            ended(&event(stop, actor), &session(numbers))
        };
        assert_eq!(gone("generalist", &[hydrator, a, b]), Some(a));
        assert_eq!(gone("prompt-hydrator", &[a, hydrator]), Some(hydrator));
        assert_eq!(gone("generalist", &[hydrator]), Some(hydrator));
        assert_eq!(gone("generalist", &[3]), None);
    }
}
