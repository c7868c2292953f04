//! What a plan's critic and its validator are told, and what their answers change.

use model::{Digest, Effect, Helper};
use work::digest::digest;
use work::discipline::Standing;
use work::plan::answers::{self, Coverage};
use work::plan::{self, FINDINGS_BYTES_MAX, Plan, PlanStatus, Subject, gaps, prompts};
use work::tickets::{self, Ticket, Tickets};

use super::{asked, is_on};
use crate::concerns::discipline::effect;
use crate::concerns::shape::EventContext;
use crate::concerns::tickets::{Answer, Decided, Failed, Repeats, Verdict};
use crate::judge::Judged;
use crate::plans;

/// What a verdict of a subagent of the session says of where it comes from.
const SOURCE: &str = "in-session";

/// The critic: sees the plan and nothing that the worker knows of it.
pub const CRITIC: Verdict = Verdict {
    helper: Helper::Critic,
    due: |context, judged| due(context, judged, Helper::Critic),
    material: |session| material(&Plan::of(session), false),
    prompt: |_, judged, nonce| {
        let plan = Plan::of(&judged.snapshot.session);
        let text = text_of(&plan.plan_file)?;
        Ok(prompts::critic(&text, nonce))
    },
    read: critique,
    step: criticised,
};

/// The validator: sees the gaps, and the findings as we took them.
pub const VALIDATOR: Verdict = Verdict {
    helper: Helper::Validator,
    due: |context, judged| due(context, judged, Helper::Validator),
    material: |session| material(&Plan::of(session), true),
    prompt: |_, judged, nonce| {
        let plan = Plan::of(&judged.snapshot.session);
        let gaps = text_of(&plan.gaps_file)?;
        Ok(prompts::validator(&gaps, &plan.findings, nonce))
    },
    read: coverage,
    step: validated,
};

fn due(context: &EventContext<'_>, judged: &Judged, helper: Helper) -> Option<Ticket> {
    let call = context.event.call()?;
    if asked(context, call) != Some(helper) || !is_on(context) {
        return None;
    }
    let kind = context.host.kind_of(helper)?;
    let plan = Plan::of(&judged.snapshot.session);
    if plan.plan_file.is_empty() {
        return None;
    }
    let subject = tickets::Subject {
        purpose: match helper {
            Helper::Critic => "what the plan hides",
            _ => "whether known gaps cover what the critic found",
        },
        kind,
        dir: &judged.snapshot.place.project,
        base: "",
    };
    let all = Tickets::of(&judged.snapshot.session);
    Some(tickets::unregistered(&all, &subject, context.event.time))
}

fn text_of(path: &str) -> Result<String, Failed> {
    match plans::text_of(path.as_ref()) {
        Ok(Some(text)) => Ok(text),
        Ok(None) => Err(Failed::Plan(format!("{path} is missing"))),
        Err(why) => Err(Failed::Plan(why)),
    }
}

/// What a verdict is about, as it is now: the plan; for the validator also gaps and findings.
fn material(plan: &Plan, is_whole: bool) -> Result<Digest, String> {
    let read = |path: &str| match plans::text_of(path.as_ref())? {
        Some(text) => Ok(text),
        None => Err(format!("{path} is missing")),
    };
    let text = read(&plan.plan_file)?;
    if !is_whole {
        return Ok(digest(&[text.as_bytes()]));
    }
    let gaps = read(&plan.gaps_file)?;
    Ok(digest(&[
        text.as_bytes(),
        gaps.as_bytes(),
        plan.findings.as_bytes(),
    ]))
}

fn critique(last: &str, repeats: &Repeats<'_>) -> Answer {
    let critique = answers::critique(last, repeats)?;
    let text = critique.text();
    if text.len() > FINDINGS_BYTES_MAX {
        return Err("its findings are longer than anybody reads".to_owned());
    }
    Ok((Standing::Ok, text))
}

fn coverage(last: &str, repeats: &Repeats<'_>) -> Answer {
    Ok(match answers::coverage(last, repeats)? {
        Coverage::Pass => (Standing::Ok, String::new()),
        Coverage::Fail(reason) => (Standing::Block, reason),
    })
}

fn subject<'a>(plan: &'a Plan, decided: &Decided<'_>) -> Subject<'a> {
    Subject {
        plan: &plan.plan_hash,
        gaps: &plan.gaps_hash,
        source: SOURCE,
        time: decided.ticket.changed,
    }
}

/// What no answer changes: it fails closed. An answer that does not count takes no pass away that
/// another gave.
fn none(who: &str, decided: &Decided<'_>) -> Vec<Effect> {
    let plan = Plan::of(decided.session);
    if !decided.is_void || plan.status == PlanStatus::Pass {
        return Vec::new();
    }
    let why = format!("The {who} gave no verdict: {}", decided.ticket.why);
    vec![effect(plan::no_verdict(&why, &subject(&plan, decided)))]
}

fn criticised(decided: &Decided<'_>) -> Vec<Effect> {
    let Some((_, text)) = &decided.said else {
        return none("critic", decided);
    };
    let plan = Plan::of(decided.session);
    let Ok(critique) = answers::findings(text) else {
        return none("critic", decided);
    };
    let known = plans::text_of(plan.gaps_file.as_ref()).ok().flatten();
    let gaps = gaps::read(&known.unwrap_or_default());
    let steps = plan::criticised(&critique, &gaps, &subject(&plan, decided));
    steps.into_iter().map(effect).collect()
}

fn validated(decided: &Decided<'_>) -> Vec<Effect> {
    let Some((standing, reason)) = &decided.said else {
        return none("validator", decided);
    };
    let plan = Plan::of(decided.session);
    let coverage = match standing {
        Standing::Ok => Coverage::Pass,
        _ => Coverage::Fail(reason.clone()),
    };
    vec![effect(plan::validated(&coverage, &subject(&plan, decided)))]
}
