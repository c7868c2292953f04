//! All gates together: every finding kept, the strictest counts.

use model::{
    Actor, Call, Decision, Effect, Event, EventKind, FaultCause, Finding, Level, Mode, Profile,
    Saved, Session, Snapshot, Weighed, fnv64,
};
use rules::{Rules, Surface, settings};

use crate::gate::{Gate, GateInput};
use crate::stack::fault;
use crate::words::{self, Manner};
use crate::{effects, stack};

/// How many calls pass before the same advice is given again.
pub const ADVICE_PAUSE_CALLS: u64 = 20;

/// What all gates say about an event.
#[must_use]
pub fn decide(event: &Event<'_>, known: &Snapshot, rules: &Rules) -> Decision {
    decide_with(stack::STACK, event, known, rules)
}

/// What some gates say about an event.
#[must_use]
pub fn decide_with(stack: &[Gate], event: &Event<'_>, known: &Snapshot, rules: &Rules) -> Decision {
    let input = GateInput {
        event,
        known,
        rules,
    };
    let surfaces = surfaces(event);
    let mut findings = Vec::new();
    for gate in stack {
        let found = (gate.check)(&input);
        if found.is_empty() {
            continue;
        }
        let mode = gate.mode_in(rules, &surfaces).value;
        findings.extend(found.into_iter().map(|finding| weigh(finding, mode)));
    }
    override_stops(&mut findings, known);
    findings.sort_by_key(|weighed| std::cmp::Reverse(weighed.finding.level));
    let mut decision = Decision {
        findings,
        effects: Vec::new(),
    };
    let said = suppress_repeats(&mut decision, &known.session);
    decision.effects = effects::of(event, known, decision.level());
    decision.effects.extend(said);
    if matches!(event.kind, EventKind::Stop { .. }) && stops_by_fault(&decision) {
        decision.effects.push(Effect::Said(fault::held_up_key()));
    }
    decision
}

/// Whether a failure of our own is among what stops the event.
fn stops_by_fault(decision: &Decision) -> bool {
    let mut findings = decision.findings.iter().map(|weighed| &weighed.finding);
    findings.any(|finding| finding.fault && finding.level > Level::Allow)
}

/// Where the call comes from, the most telling first.
fn surfaces(event: &Event<'_>) -> Vec<Surface> {
    let actor = match event.actor {
        Actor::Sub { .. } => Surface::Subagent,
        Actor::Main | Actor::Unknown => Surface::Main,
    };
    let unattended = (!event.attended).then_some(Surface::Unattended);
    unattended.into_iter().chain([actor]).collect()
}

/// A finding in the mode of its gate. In `warn`, what would have stopped the call becomes advice.
fn weigh(mut finding: Finding, mode: Mode) -> Weighed {
    if mode == Mode::Warn && finding.level > Level::Allow {
        finding.advice = words::of(&finding, Manner::Advised);
    }
    Weighed {
        finding,
        mode,
        overridden: false,
    }
}

/// A human's yes to this very call lifts what can be lifted through its channel: all of it, or
/// nothing. Where undo was promised and failed, it is another question.
fn override_stops(findings: &mut [Weighed], known: &Snapshot) {
    let Some(grant) = &known.grant else { return };
    let fits = |finding: &Finding| {
        let kept = !finding.fault || finding.rule != FaultCause::Undo.name() || !grant.recoverable;
        finding.overridable.is_some_and(|needs| needs <= grant.by) && kept
    };
    let mut stops: Vec<&mut Weighed> = findings
        .iter_mut()
        .filter(|weighed| weighed.counts() && weighed.finding.level > Level::Allow)
        .collect();
    if stops.iter().all(|weighed| fits(&weighed.finding)) {
        stops
            .iter_mut()
            .for_each(|weighed| weighed.overridden = true);
    }
}

/// Whether what the call would lose is to be kept before it goes on: it will run now, or after a
/// question that the host asks itself. Where everything is only watched, nothing is kept.
#[must_use]
pub fn wants_saving(
    event: &Event<'_>,
    known: &Snapshot,
    decision: &Decision,
    rules: &Rules,
) -> bool {
    let backups = known.analysis.actions.iter().any(|a| !a.backups.is_empty());
    let may_run = match decision.level() {
        Level::Allow => true,
        Level::Ask => event.asks || rules.setting(&settings::undo::ALLOW).value,
        Level::Deny => false,
    };
    let is_watched = rules.profile().value == Profile::Observe;
    event.is_before_call() && backups && may_run && !is_watched && known.saved == Saved::NotTried
}

/// Takes out advice that this session has heard lately; notes what is said now. Words of the
/// failure table are said once a session.
fn suppress_repeats(decision: &mut Decision, session: &Session) -> Vec<Effect> {
    let mut said: Vec<u64> = Vec::new();
    for weighed in &mut decision.findings {
        let finding = &mut weighed.finding;
        if finding.advice.is_empty() || weighed.mode == Mode::Off {
            continue;
        }
        let key = match (finding.fault, finding.said_as) {
            (true, _) => fnv64(finding.tag().as_bytes()),
            (false, 0) => fnv64(finding.advice.as_bytes()),
            (false, key) => key,
        };
        let once = finding.fault || finding.said_as != 0;
        if said.contains(&key) || is_repeat(session, key, once) {
            finding.advice.clear();
        } else {
            said.push(key);
        }
    }
    said.into_iter().map(Effect::Said).collect()
}

fn is_repeat(session: &Session, key: u64, once: bool) -> bool {
    let recent = |at: u64| once || session.calls.saturating_sub(at) < ADVICE_PAUSE_CALLS;
    let mut said = session.said.iter();
    said.any(|(hash, at)| *hash == key && recent(*at))
}

/// The neutral name of the tool of an event; empty if it is about no call.
pub(crate) fn tool(event: &Event<'_>) -> &'static str {
    event.call().map_or("", Call::tool)
}
