//! Reviews at the edge: what the user says is kept, what must be reviewed is registered, a stop
//! that is held up is counted, and a turn that was held often enough is let go. Knows no verdict.

mod guard;

use hosts::Host;
use model::{Actor, Effect, Event, EventKind, Facts, Level, Snapshot, Time, one_line};
use rules::Rules;
use rules::settings::review as settings;
use work::breaker::{Breaker, Counted, in_words};
use work::change::Change;
use work::reviews::{ReviewStep, Reviews, holding};
use work::tickets::{self, OUTSIDE, Subject, Ticket, TicketState, TicketStep, Tickets};

use crate::concerns::breaker;
use crate::concerns::shape::{Concern, EventContext, Outcome, Steps};
use crate::concerns::tickets::take_time;
use crate::facts::{self, Material};
use crate::judge::Judged;
use crate::provenance;

/// What reviews that settings ask for are for.
const REQUIRED: &str = "the work of this session, as [review] asks";

/// Stops until the work was reviewed.
pub const CONCERN: Concern = Concern {
    id: "reviews",
    before: Some(before),
    inform: Some(inform),
    after: Some(after),
    ..Concern::PLAIN
};

fn before(context: &EventContext<'_>, known: &mut Snapshot) -> Steps {
    let mut steps = guard::before(context, known);
    match &context.event.kind {
        EventKind::Prompt { text, .. } => {
            let registered = asked(context, known, text);
            let is_owed = registered.is_some();
            steps.extend(Steps::lasting(registered.into_iter().collect()));
            steps.extend(spoken(context, known, (text, is_owed)));
        }
        EventKind::SessionStart { source } if source != "compact" => {
            steps.extend(based(context, known));
        }
        EventKind::Stop { background: 0, .. } if is_main(context.event) => {
            steps.extend(stop(context, known));
        }
        _ => {}
    }
    steps
}

fn is_main(event: &Event<'_>) -> bool {
    !matches!(event.actor, Actor::Sub { .. })
}

/// Whether settings say that some work must be reviewed.
#[must_use]
pub fn is_asked_for(rules: &Rules) -> bool {
    // Nobody has set anything.
    !rules.layers().is_empty()
        && (!rules.setting(&settings::PATHS).value.is_empty()
            || rules.setting(&settings::LINES).value > 0)
}

/// A task that the user has done by our command ends with a review, whether or not the worker
/// registers one.
fn asked(context: &EventContext<'_>, known: &Snapshot, text: &str) -> Option<Effect> {
    let event = context.event;
    let is_theirs = matches!(event.kind, EventKind::Prompt { machine: false, .. })
        && is_main(event)
        && !known.caller.is_stranger();
    let task = hosts::task_done_by_command(text).filter(|_| is_theirs)?;
    let place = &known.place;
    let budget = &mut take_time(context);
    let material = facts::material(&place.project, None, place, budget).ok()?;
    let purpose = text::Redactor::default().text(task);
    let subject = Subject {
        purpose: &purpose,
        kind: kind(context.host),
        dir: &material.root,
        base: &material.head,
    };
    let made = tickets::register(&Tickets::of(&known.session), &subject, event.time);
    made.ok().flatten().map(changed)
}

/// The user's words are what a reviewer judges by, and begin a turn.
fn spoken(context: &EventContext<'_>, known: &Snapshot, (text, is_asked): (&str, bool)) -> Steps {
    let event = context.event;
    let is_machine = matches!(event.kind, EventKind::Prompt { machine: true, .. });
    let is_owed = || {
        let is_registered = is_asked || !Tickets::of(&known.session).list.is_empty();
        is_registered || is_asked_for(context.rules)
    };
    // What the host writes down is recalled when a review is registered.
    let is_written_down = !event.transcript.is_empty();
    if is_machine
        || !is_main(event)
        || provenance::speaks_for_itself(event, &known.caller)
        || is_written_down && !is_owed()
    {
        return Steps::default();
    }
    let text = text::Redactor::default().text(text);
    let begun = is_owed().then(breaker::begun);
    let steps = [step(ReviewStep::Spoke { text })].into_iter().chain(begun);
    Steps::lasting(steps.collect())
}

fn step(step: ReviewStep) -> Effect {
    Effect::Step(step.into())
}

/// Where the work of a session begins, if it may have to be reviewed.
fn based(context: &EventContext<'_>, known: &Snapshot) -> Steps {
    let is_known = !Reviews::of(&known.session).base.is_empty();
    if is_known || !is_asked_for(context.rules) {
        return Steps::default();
    }
    let place = &known.place;
    let material = facts::material(&place.project, None, place, &mut take_time(context));
    let commit = material.map(|material| material.head).unwrap_or_default();
    let is_there = !commit.is_empty();
    let based = is_there.then(|| step(ReviewStep::Based { commit }));
    Steps::lasting(based.into_iter().collect())
}

/// What a stop changes: see the order in the page of reviews.
fn stop(context: &EventContext<'_>, known: &Snapshot) -> Steps {
    let all = Tickets::of(&known.session);
    let kept = Reviews::of(&known.session);
    let is_required = is_asked_for(context.rules);
    if all.list.is_empty() && !is_required {
        return Steps::default();
    }
    let time = context.event.time;
    let mut changes: Vec<Change<Ticket>> = Vec::new();
    changes.extend(stale(context, known, &all).map(|ticket| tickets::renew(&all, ticket, time)));
    if is_required && changes.is_empty() {
        changes.extend(required(context, known));
    }
    let limits = breaker::limits(context.rules);
    let mut taken = Breaker::of(&known.session);
    let begun = kept.list.iter().filter(|review| review.open > 0);
    if let Some(begun) = begun.map(|review| review.began).min() {
        let more = breaker::taken_since(context, begun);
        taken.tokens = taken.tokens.saturating_add(more);
    }
    let counted = Counted {
        reviews: &kept,
        breaker: &taken,
        time,
    };
    let reached = |ticket: &Ticket| limits.reached(ticket, &counted);
    let owed = holding(&all).chain(changes.iter().map(|change| &change.to));
    let Some(cause) = owed.filter_map(reached).next() else {
        return Steps::lasting(changes.into_iter().map(changed).collect());
    };
    for change in &mut changes {
        change.to.state = TicketState::Released;
    }
    changes.extend(holding(&all).filter_map(|owed| tickets::release(owed, time)));
    for change in &mut changes {
        let before = change.from.as_ref().map_or("", |from| from.why.as_str());
        let before = match before {
            "" => String::new(),
            why => format!("; before that: {why}"),
        };
        let why = format!("the turn was let go: {}{before}", in_words(cause));
        change.to.why = one_line(&why, tickets::WHY_CHARS_MAX);
    }
    let steps = changes.into_iter().map(changed);
    Steps::lasting(steps.chain([breaker::tripped(cause)]).collect())
}

fn changed(change: Change<Ticket>) -> Effect {
    Effect::Step(TicketStep(change).into())
}

/// An approval of work that is not as it was then any more.
fn stale<'a>(context: &EventContext<'_>, known: &Snapshot, all: &'a Tickets) -> Option<&'a Ticket> {
    if context.rules.setting(&settings::STICKY).value {
        return None;
    }
    tickets::approved(all).find(|approved| has_changed(context, known, approved))
}

/// Whether the work is not as it was when it was approved. What cannot be looked at has.
fn has_changed(context: &EventContext<'_>, known: &Snapshot, ticket: &Ticket) -> bool {
    let base = Some(ticket.base.as_str());
    let material = facts::material(&ticket.dir, base, &known.place, &mut take_time(context));
    !material.is_ok_and(|material| material.digest == ticket.material)
}

/// The review that settings ask for, if the work is what they name and none was registered.
fn required(context: &EventContext<'_>, known: &Snapshot) -> Option<Change<Ticket>> {
    let all = Tickets::of(&known.session);
    if tickets::reviews(&all).any(|review| review.purpose == REQUIRED) {
        return None;
    }
    let place = &known.place;
    let base = Reviews::of(&known.session).base;
    let base = (!base.is_empty()).then_some(base.as_str());
    let budget = &mut take_time(context);
    let material = facts::material(&place.project, base, place, budget).ok()?;
    let base = base.unwrap_or(&material.head);
    let shown = facts::show(&material, base, place, budget).ok()?;
    if !is_meant(context, &material, &shown, known) {
        return None;
    }
    let subject = Subject {
        purpose: REQUIRED,
        kind: kind(context.host),
        dir: &material.root,
        base,
    };
    tickets::register(&all, &subject, context.event.time).ok()?
}

/// Whether settings name what has changed: one of the files, or so many lines.
fn is_meant(
    context: &EventContext<'_>,
    material: &Material,
    shown: &facts::Shown,
    known: &Snapshot,
) -> bool {
    let globs = context.rules.setting(&settings::PATHS).value;
    let full = |path: &str| [&material.root, "/", path].concat();
    let fits = |path: &str| {
        let mut globs = globs.iter();
        globs.any(|glob| {
            let glob = match glob.starts_with(['/', '~', '{', '*']) {
                true => glob.to_string(),
                false => [&material.root, "/", glob.as_ref()].concat(),
            };
            rules::glob_matches(&glob, &full(path), &known.place)
        })
    };
    let most = context.rules.setting(&settings::LINES).value;
    let is_change = |line: &&str| {
        let is_head = line.starts_with("+++") || line.starts_with("---");
        line.starts_with(['+', '-']) && !is_head
    };
    let lines = || shown.quoted.lines().filter(is_change).count();
    shown.files.iter().any(|(_, path)| fits(path))
        || most > 0 && (shown.cut || lines() >= usize::try_from(most).unwrap_or(usize::MAX))
}

/// The kind of reviewer that a host's reviews are registered with.
#[must_use]
pub fn kind(host: &Host) -> &'static str {
    match host.review.kind {
        "" => OUTSIDE,
        kind => kind,
    }
}

/// How the worker gets the verdict that is owed first; before work is handed to others, whether it
/// is still what was approved, and whether it must be reviewed at all.
fn inform(context: &EventContext<'_>, snapshot: &mut Snapshot, _: &Facts) -> Steps {
    if matches!(context.event.kind, EventKind::Stop { .. }) {
        let all = Tickets::of(&snapshot.session);
        let owed = holding(&all).next();
        snapshot.review.way = owed.map_or(String::new(), |owed| way(context.host, owed));
    }
    let mut actions = snapshot.analysis.actions.iter();
    let publishes = actions.any(|action| gates::conduct::publishes(action.verb));
    if !context.event.is_before_call() || !publishes {
        return Steps::default();
    }
    let all = Tickets::of(&snapshot.session);
    let stale = stale(context, snapshot, &all).map(|ticket| ticket.id.clone());
    snapshot.review.stale = stale.unwrap_or_default();
    let required = is_asked_for(context.rules).then(|| required(context, snapshot));
    Steps::lasting(required.flatten().map(changed).into_iter().collect())
}

/// How the worker gets a verdict, in the host's words.
#[must_use]
pub fn way(host: &Host, ticket: &Ticket) -> String {
    let review = host.review;
    let run = "tollgate review run";
    let before = match ticket.state {
        TicketState::Failed => "Fix that. ",
        _ => "",
    };
    if ticket.kind == OUTSIDE || ticket.kind != review.kind {
        return format!("{before}Get the verdict with: {run}");
    }
    let prompt = ["review ", &ticket.id].concat();
    match review.ask {
        "" => format!(
            "{before}Get the verdict: {}, or {run}",
            (review.call)(review.kind, &prompt)
        ),
        ask => format!("{before}To get the verdict, {ask}, or {run}"),
    }
}

/// A stop that is held up is counted; whoever is let go without a verdict is told so.
fn after(context: &EventContext<'_>, judged: &Judged) -> Outcome {
    if !matches!(context.event.kind, EventKind::Stop { .. }) {
        return Outcome::default();
    }
    let all = Tickets::of(&judged.snapshot.session);
    let is_held = judged.decision.level() == Level::Deny;
    if is_held && holding(&all).next().is_some() {
        return Outcome::remember(vec![step(ReviewStep::Held {})]);
    }
    Outcome {
        notices: judged.steps.all().filter_map(released).collect(),
        ..Outcome::default()
    }
}

/// What the user is told of a turn that was let go.
fn released(effect: &Effect) -> Option<String> {
    let Effect::Step(step) = effect else {
        return None;
    };
    let ticket = &step.get::<TicketStep>()?.0.to;
    (ticket.state == TicketState::Released).then(|| {
        format!(
            "tollgate: review {} of \"{}\": {}. This work is released-unreviewed, and publishing \
             it asks you. For a verdict: tollgate review run; to owe none: tollgate review drop {}",
            ticket.id, ticket.purpose, ticket.why, ticket.id
        )
    })
}

/// A reviewer was asked.
#[must_use]
pub fn began(ticket: &Ticket, id: &str, reviewer: &str, time: Time) -> Effect {
    step(ReviewStep::Began {
        purpose: ticket.purpose.clone(),
        ticket: id.to_owned(),
        reviewer: reviewer.to_owned(),
        time,
    })
}

/// What follows when a ticket came to a verdict, with these last words.
#[must_use]
pub fn judged(ticket: &Ticket, last: &str) -> Vec<Effect> {
    let judged = || step(ReviewStep::judged(ticket, last));
    match ticket.state {
        TicketState::Passed => vec![judged(), breaker::begun()],
        TicketState::Failed => vec![judged()],
        _ => Vec::new(),
    }
}
