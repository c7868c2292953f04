//! Tickets at the edge: the spawn that is rewritten, the subagent that runs, its verdict. The steps
//! themselves are in `work`.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use hosts::Respawn;
use model::{
    Actor, Call, Caller, Digest, Effect, Event, EventKind, Helper, Level, Session, Snapshot, Time,
    fnv64,
};
use work::change::Change;
use work::digest::digest_of_text;
use work::discipline::Standing;
use work::reviews::Reviews;
use work::tickets::{self, End, Preparation, Ticket, TicketState, TicketStep, Tickets};

use crate::command::AskError;
use crate::concerns::shape::{Concern, EventContext, InputReason, NewInput, Outcome, Steps};
use crate::concerns::{VERDICTS, reviews};
use crate::definitions;
use crate::facts::{self, Budget, LookError};
use crate::judge::Judged;
use crate::review::{Assignment, nonce};

/// Most bytes of a subagent's transcript that are read for its prompt.
const TRANSCRIPT_MAX: u64 = 512 * 1024;

/// The same where one transcript holds the whole session.
const SHARED_TRANSCRIPT_MAX: u64 = 32 * 1024 * 1024;

/// How often a transcript is read again that does not hold the prompt yet, and after what pause.
const READS_MAX: u32 = 30;
const READ_PAUSE: Duration = Duration::from_millis(50);

/// What a reviewer is called that is a subagent of the session.
const IN_SESSION: &str = "in-session";

/// Longest time for the start or the end of a reviewer; hosts wait for longer.
const TIME_MAX: Duration = Duration::from_secs(5);

/// Verdicts that are owed, under way, given. Costs nothing where none was ever owed.
pub const CONCERN: Concern = Concern {
    id: "tickets",
    before: Some(before),
    after: Some(after),
    ..Concern::PLAIN
};

/// How the session stands and in what words, or why an answer is none.
pub type Answer = Result<(Standing, String), String>;

/// Whether a word is the nonce that was handed out.
pub type Repeats<'a> = dyn Fn(&str) -> bool + 'a;

/// A verdict that is not a review's: nobody registers it, and it is about the session.
pub struct Verdict {
    /// The helper that gives it.
    pub helper: Helper,
    /// The ticket that a spawn may serve, where one is wanted.
    pub due: fn(&EventContext<'_>, &Judged) -> Option<Ticket>,
    /// The digest of what it is about, as it is now; else why that is not known.
    pub material: fn(&Session) -> Result<Digest, String>,
    /// What the helper is told; the nonce is what its answer repeats.
    pub prompt: fn(&EventContext<'_>, &Judged, nonce: &str) -> Result<String, Failed>,
    /// Its answer, where it repeats the nonce; else why it is none.
    pub read: fn(&str, &Repeats<'_>) -> Answer,
    /// What its end changes in the session besides.
    pub step: fn(&Decided<'_>) -> Vec<Effect>,
}

/// The end of a helper that was to give a verdict.
pub struct Decided<'a> {
    /// Its ticket, as it is now.
    pub ticket: &'a Ticket,
    /// What it said, if that counts.
    pub said: Option<(Standing, String)>,
    /// Whether there will be no other answer.
    pub is_void: bool,
    /// The session that it is about.
    pub session: &'a Session,
}

/// The kind of verdict of a ticket; none for a review's.
fn verdict_of(ticket: &Ticket) -> Option<&'static Verdict> {
    let mut all = VERDICTS.iter().copied();
    all.find(|verdict| verdict.helper == ticket.role())
}

/// A subagent starts or ends: whatever is said of that, it did.
fn before(context: &EventContext<'_>, known: &mut Snapshot) -> Steps {
    let (event, all) = (context.event, &Tickets::of(&known.session));
    if all.list.is_empty() {
        return Steps::default();
    }
    let change = match (&event.kind, &event.actor) {
        (
            EventKind::ToolAfter {
                call: Call::Spawn { .. },
            },
            _,
        ) => {
            let agent = (context.host.review.spawned)(context.wire);
            let call = fnv64(event.call_id.as_bytes());
            tickets::spawned(all, call, &agent, event.time)
        }
        (EventKind::SubagentStart, Actor::Sub { id, kind }) => {
            tickets::started(all, id, kind, event.time)
        }
        (EventKind::SubagentStop { last, .. }, Actor::Sub { id, kind }) => {
            let ticket = tickets::awaiting(all, id).cloned();
            return ticket.map_or(Steps::default(), |ticket| {
                end(context, known, Ending { ticket, kind, last })
            });
        }
        _ => None,
    };
    Steps::lasting(change.map(effect).into_iter().collect())
}

fn effect(change: Change<Ticket>) -> Effect {
    Effect::Step(TicketStep(change).into())
}

/// What follows for tickets: the spawn that is rewritten, a message that invalidates a verdict, and
/// what the human hears of a verdict.
fn after(context: &EventContext<'_>, judged: &Judged) -> Outcome {
    let (event, all) = (context.event, &Tickets::of(&judged.snapshot.session));
    let is_spawn = matches!(event.kind, EventKind::ToolBefore(Call::Spawn { .. }));
    if all.list.is_empty() && !is_spawn {
        return Outcome::default();
    }
    let goes_on = judged.decision.level() == Level::Allow;
    match &event.kind {
        EventKind::ToolBefore(Call::Spawn { kind, prompt }) if goes_on => {
            let words = prompt.text.as_deref().unwrap_or_default();
            spawn(context, judged, &|ticket| {
                tickets::is_meant(ticket, kind, words)
            })
        }
        EventKind::ToolBefore(Call::Message { to, .. }) if goes_on => {
            let change = tickets::messaged(all, to, event.time);
            Outcome::remember(change.map(effect).into_iter().collect())
        }
        EventKind::SubagentStop { .. } => {
            let notices: Vec<String> = judged.steps.all().filter_map(told).collect();
            // Others read of it on the board.
            let post = || {
                ["msg", "verdicts", &*event.session]
                    .map(str::to_owned)
                    .to_vec()
            };
            Outcome {
                commands: (!notices.is_empty()).then(post).into_iter().collect(),
                notices,
                ..Outcome::default()
            }
        }
        _ => Outcome::default(),
    }
}

/// A spawn that asks for the reviewer becomes ours from the first word to the last.
fn spawn(
    context: &EventContext<'_>,
    judged: &Judged,
    is_meant: &dyn Fn(&Ticket) -> bool,
) -> Outcome {
    let review = context.host.review;
    let all = &Tickets::of(&judged.snapshot.session);
    let due = tickets::due(all).filter(|ticket| ticket.kind == review.kind);
    let due = due.filter(|ticket| is_meant(ticket)).cloned();
    let unasked = || {
        let mut others = VERDICTS.iter();
        others.find_map(|verdict| (verdict.due)(context, judged).filter(|ticket| is_meant(ticket)))
    };
    let Some(ticket) = due.or_else(unasked) else {
        return Outcome::default();
    };
    let id = tickets::id_when_prepared(all, &ticket);
    match rewritten(context, judged, (&ticket, &id)) {
        Ok(Rewritten { preparation, json }) => {
            let changes = tickets::prepare(all, &ticket, preparation);
            let is_review = ticket.role() == Helper::Reviewer;
            let began = || reviews::began(&ticket, &id, IN_SESSION, context.event.time);
            let began = is_review.then(began);
            Outcome {
                effects: changes.into_iter().map(effect).chain(began).collect(),
                advice: vec![begun(&ticket, &id)],
                input: Some(NewInput {
                    why: InputReason::Verdict,
                    json,
                }),
                ..Outcome::default()
            }
        }
        Err(failed) => {
            let why = failed.to_string();
            let is_open = matches!(ticket.state, TicketState::Wanted | TicketState::Prepared);
            let is_foreign = matches!(failed, Failed::Foreign(_));
            let is_void = is_foreign && is_open && ticket.role() == Helper::Reviewer;
            let void = || effect(tickets::void(&ticket, &why, context.event.time));
            Outcome {
                effects: is_void.then(void).into_iter().collect(),
                ..no_verdict(&id, &why)
            }
        }
    }
}

/// What the worker is told of a spawn that we wrote.
fn begun(ticket: &Ticket, id: &str) -> String {
    let kind = &ticket.kind;
    match ticket.role() {
        Helper::Reviewer => format!(
            "Review {id}: {kind} was started with tollgate's own prompt, not with yours. Change \
             no file and send it no message until it ends: either voids its verdict."
        ),
        _ => format!(
            "Check {id}: {kind} was started with tollgate's own prompt, not with yours. Send it no \
             message: that voids its verdict."
        ),
    }
}

/// A review is rare, and worth the time that a large work tree takes to look at.
pub fn take_time(context: &EventContext<'_>) -> Budget {
    (context.fallback.deadline)(TIME_MAX);
    Budget::for_review()
}

/// Says to both that what starts now gives no verdict.
fn no_verdict(id: &str, why: &str) -> Outcome {
    Outcome {
        advice: vec![format!(
            "Review {id} stays owed: this subagent gives no verdict ({why})."
        )],
        notices: vec![format!("tollgate: no verdict for review {id}: {why}")],
        ..Outcome::default()
    }
}

/// A prompt of ours.
struct Spoken<'a> {
    text: &'a str,
    nonce: &'a str,
    /// What it is about, as it is now.
    material: Digest,
}

/// A spawn that is ours, and what is kept of it.
struct Rewritten {
    preparation: Preparation,
    /// The host's input.
    json: String,
}

/// Why a spawn was not rewritten.
pub enum Failed {
    /// The reviewer that would start is not ours.
    Foreign(String),
    /// What it is about cannot be known.
    Look(LookError),
    /// Its prompt was not written.
    Ask(AskError),
    /// What it is about cannot be read.
    Plan(String),
    /// There is no state to read.
    NoState,
    /// There is no chance to be had.
    NoRandom,
    /// The host's words are none of those we know.
    Unread,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign(why) => write!(f, "reviewer definition is not ours: {why}"),
            Self::Look(why) => why.fmt(f),
            Self::Ask(why) => why.fmt(f),
            Self::Plan(why) => f.write_str(why),
            Self::NoState => f.write_str("there is no state to read"),
            Self::NoRandom => f.write_str("the system gives no chance"),
            Self::Unread => f.write_str("the spawn could not be read"),
        }
    }
}

/// The spawn with our prompt.
fn rewritten(
    context: &EventContext<'_>,
    judged: &Judged,
    (ticket, id): (&Ticket, &str),
) -> Result<Rewritten, Failed> {
    let budget = &mut take_time(context);
    let place = &judged.snapshot.place;
    let config = &context.dirs.user;
    let foreign = match ticket.role() {
        Helper::Reviewer => {
            definitions::foreign(context.host, place, &judged.snapshot.caller, config)
        }
        helper => definitions::foreign_helper(context.host, helper, place, config),
    };
    if let Some(why) = foreign {
        return Err(Failed::Foreign(why));
    }
    if let Some(verdict) = verdict_of(ticket) {
        let nonce = nonce().ok_or(Failed::NoRandom)?;
        let material = (verdict.material)(&judged.snapshot.session).map_err(Failed::Plan)?;
        let text = (verdict.prompt)(context, judged, &nonce)?;
        let spoken = Spoken {
            text: &text,
            nonce: &nonce,
            material,
        };
        return written(context, (ticket, id), &spoken);
    }
    let kept = Reviews::of(&judged.snapshot.session);
    let assignment = Assignment {
        ticket,
        id,
        host: context.host,
        words: &kept.words,
        issues: &kept.found(ticket),
        seen_at: None,
    };
    let instruction = assignment.instruct(place, budget)?;
    let spoken = Spoken {
        text: &instruction.text,
        nonce: &instruction.nonce,
        material: instruction.material.digest,
    };
    written(context, (ticket, id), &spoken)
}

/// The host's input with an instruction of ours.
fn written(
    context: &EventContext<'_>,
    (ticket, id): (&Ticket, &str),
    spoken: &Spoken<'_>,
) -> Result<Rewritten, Failed> {
    let text = spoken.text;
    let title = match ticket.role() {
        Helper::Reviewer => format!("review {id}"),
        Helper::Critic | Helper::Validator => format!("plan {id}"),
        _ => format!("check {id}"),
    };
    let with = Respawn {
        kind: &ticket.kind,
        prompt: text,
        title: &title,
        waits: true,
    };
    let json = (context.host.review.respawn)(context.wire, &with);
    let json = json.ok_or(Failed::Unread)?;
    let preparation = Preparation {
        nonce: digest_of_text(spoken.nonce),
        prompt: digest_of_text(text),
        material: spoken.material,
        call: fnv64(context.event.call_id.as_bytes()),
        agent: (context.host.review.named).map_or(String::new(), |named| named(text)),
        time: context.event.time,
    };
    Ok(Rewritten { preparation, json })
}

/// The end of a subagent that is to give a verdict.
struct Ending<'a> {
    ticket: Ticket,
    kind: &'a str,
    last: &'a str,
}

/// What the end of a subagent decides. If it is the reviewer's and cannot be read, the gate has the
/// reviewer answer once more.
fn end(context: &EventContext<'_>, known: &Snapshot, ending: Ending<'_>) -> Steps {
    let Ending { ticket, kind, last } = ending;
    let verdict = verdict_of(&ticket);
    let (material, check) = if let Some(verdict) = verdict {
        let repeats = |word: &str| digest_of_text(word) == ticket.nonce;
        let material = (verdict.material)(&known.session);
        (material, Some((verdict.read)(last, &repeats)))
    } else {
        let material = facts::material(
            &ticket.dir,
            Some(&ticket.base),
            &known.place,
            &mut take_time(context),
        );
        (
            material
                .map(|material| material.digest)
                .map_err(|why| why.to_string()),
            None,
        )
    };
    let runs_as = context.host.review.runs_as;
    let is_as_started = !runs_as.is_empty() && kind == runs_as;
    let end = End {
        kind: if is_as_started { &ticket.kind } else { kind },
        last,
        // Who started the host itself chose what answers in it.
        proven: matches!(known.caller, Caller::Host(binding) if !binding.nested),
        prompt: prompt_had(context).map_err(|why| why.to_string()),
        material,
        check: check.clone(),
        time: now(context.event, known.session.last),
    };
    let mut change = tickets::ended(&ticket, &end);
    if context.host.review.ends_once && change.to.state == TicketState::Running {
        change = tickets::void(&ticket, &change.to.why, end.time);
    }
    let counts = matches!(change.to.state, TicketState::Passed | TicketState::Failed);
    let said = check.and_then(Result::ok).filter(|_| counts);
    let decided = Decided {
        ticket: &change.to,
        said,
        is_void: change.to.state == TicketState::Void,
        session: &known.session,
    };
    let more = verdict.map(|verdict| (verdict.step)(&decided));
    let is_review = ticket.role() == Helper::Reviewer;
    let judged = is_review.then(|| reviews::judged(&change.to, last));
    let steps = [effect(change)].into_iter().chain(more.unwrap_or_default());
    Steps::lasting(steps.chain(judged.into_iter().flatten()).collect())
}

/// The session's clock does not run backwards.
fn now(event: &Event<'_>, last: Time) -> Time {
    Time(event.time.0.max(last.0))
}

/// Why it is not known which prompt a subagent had.
enum PromptError {
    NoTranscript,
    Look(LookError),
    NoPrompt,
}

impl fmt::Display for PromptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTranscript => f.write_str("the host does not say where its transcript is"),
            Self::Look(why) => why.fmt(f),
            Self::NoPrompt => f.write_str("its transcript holds no prompt"),
        }
    }
}

/// The digest of the prompt that the subagent of an event really had.
fn prompt_had(context: &EventContext<'_>) -> Result<Digest, PromptError> {
    let review = context.host.review;
    if let Some(prompt) = (review.prompt_in)(context.wire) {
        return Ok(digest_of_text(&prompt));
    }
    let path = (review.transcript)(context.wire);
    if path.is_empty() {
        return Err(PromptError::NoTranscript);
    }
    let id = match &context.event.actor {
        Actor::Sub { id, .. } if review.shares_transcript => id.as_str(),
        _ => "",
    };
    let read = || {
        let most = match review.shares_transcript {
            true => SHARED_TRANSCRIPT_MAX,
            false => TRANSCRIPT_MAX,
        };
        let text = facts::head_of(Path::new(&path), most).map_err(PromptError::Look)?;
        let mut own = text.lines().filter(|line| line.contains(id));
        Ok(own.find_map(review.prompt))
    };
    let mut found = read()?;
    // A host that writes all into one file may write it after it has asked us.
    for _ in 0..READS_MAX {
        if found.is_some() || !review.shares_transcript {
            break;
        }
        std::thread::sleep(READ_PAUSE);
        found = read()?;
    }
    let found = found.ok_or(PromptError::NoPrompt)?;
    Ok(digest_of_text(&found))
}

/// What the human is told of a step.
fn told(step: &Effect) -> Option<String> {
    let Effect::Step(step) = step else {
        return None;
    };
    let ticket = &step.get::<TicketStep>()?.0.to;
    let Ticket { id, why, .. } = ticket;
    if matches!(ticket.role(), Helper::Critic | Helper::Validator) {
        // The plan tells it itself.
        return None;
    }
    if ticket.role() != Helper::Reviewer {
        return match ticket.state {
            TicketState::Failed => Some(format!("tollgate: check {id} stopped the work: {why}")),
            TicketState::Void => Some(format!("tollgate: check {id} gives no verdict: {why}")),
            _ => None,
        };
    }
    Some(match ticket.state {
        TicketState::Passed => format!("tollgate: review {id} passed"),
        TicketState::Failed => format!("tollgate: review {id} failed: {why}"),
        TicketState::Void => format!("tollgate: review {id} gives no verdict: {why}"),
        _ => return None,
    })
}
