//! The decision in the host's words.

use gates::words::{self, Manner};
use hosts::{Answer, Asked, Host};
use model::{Event, EventKind, Finding, Level, Saved};

use super::Pipeline;
use crate::concerns::repeats;
use crate::concerns::shape::Outcome;
use crate::fallback::Response;
use crate::judge::Judged;
use crate::provenance;

/// Longest name of a call in a notice to the human, in characters.
const NOTICE_CHARS_MAX: usize = 60;

/// What the human hears of a call beside what their host shows them.
fn notice(host: &Host, event: &Event<'_>, judged: &Judged, finding: &Finding) -> String {
    let is_asked = judged.decision.level() == Level::Ask && event.asks;
    match (&event.kind, &judged.snapshot.saved) {
        // They read the reason in the question. Once they said yes, they may want to go back.
        (EventKind::ToolBefore(_), Saved::All(id) | Saved::Part { id, .. })
            if is_asked && !id.is_empty() =>
        {
            format!("to undo it: tollgate undo restore {id}")
        }
        (EventKind::ToolBefore(_) | EventKind::PermissionRequest(_), _)
            if is_asked || host.capabilities.shows_refusals =>
        {
            String::new()
        }
        _ => held(event, finding),
    }
}

/// What the human hears of a call that nobody can be asked about here.
fn held(event: &Event<'_>, finding: &Finding) -> String {
    let call = event.call().map(|call| call.summary(NOTICE_CHARS_MAX));
    let call = call.unwrap_or_else(|| event.kind.name().to_owned());
    let tag = finding.tag();
    format!("tollgate held {call} [{tag}]: tollgate explain last")
}

impl Pipeline<'_> {
    /// The decision in the host's words.
    pub(super) fn word(&self, event: &Event<'_>, judged: &Judged, outcome: &Outcome) -> Response {
        if judged.snapshot.caller.is_stranger() && !provenance::is_answered(event) {
            return self.run.silence();
        }
        let decision = &judged.decision;
        let asked = Asked::by(self.run.event, event);
        let own = outcome.advice.iter().map(String::as_str);
        let advice: Vec<&str> = decision.advice().chain(own).collect();
        let advice = advice.join("\n");
        let (mut reason, mut notice) = (String::new(), String::new());
        if let Some(finding) = decision.shown() {
            if let Some(other) = &outcome.reason {
                reason.clone_from(other);
            } else {
                let manner = match event.kind {
                    EventKind::Stop { .. } => Manner::Held,
                    _ => Manner::of(decision.level(), asked.asks),
                };
                reason = words::refused(finding, manner, repeats::times(event, judged));
                notice = self::notice(self.run.host, event, judged, finding);
            }
        }
        let faults = decision.findings.iter().map(|weighed| &weighed.finding);
        let faults = faults.filter(|finding| finding.fault && !finding.advice.is_empty());
        let faults = faults.map(|finding| &finding.advice);
        for more in faults.chain(&outcome.notices) {
            notice.push_str(if notice.is_empty() { "" } else { "\n" });
            notice.push_str(more);
        }
        let level = decision.level();
        let answer = Answer {
            level,
            reason: &reason,
            advice: &advice,
            notice: &notice,
            input: outcome.input.as_ref().map_or("", |input| &input.json),
        };
        Response {
            reply: (self.run.host.reply)(&asked, &answer),
            refuses: level > Level::Allow,
            held: outcome.held.clone().unwrap_or_default(),
            is_unkept: false,
        }
    }
}
