//! Approvals at the edge: which yes fits a call, the question that a refusal becomes, and the code
//! that a human types. The steps themselves are in `work`.

use std::borrow::Cow;

use gates::words::{self, Way};
use hosts::PROBE_SESSION;
use model::{
    Approval, ApprovalState, Caller, Change, Effect, Event, EventKind, Facts, FaultCause, Grant,
    GrantLevel, Level, Loss, Reading, Session, code_in, fnv64,
};
use rules::Rules;
use store::Store;
use text::Redactor;
use work::approvals::{self as steps, Answered, Answerer, Held, Question};

use crate::judge::Judged;
use crate::{provenance, sys};

/// Longest name of a held call in a notice, in characters.
const CALL_CHARS_MAX: usize = 60;

/// What the human hears when no question is made any more.
const GUESSED: &str = "tollgate: codes were guessed at in this session, so nothing can be approved \
                       in it any more. If it was you, start a new session.";

/// How often the human hears of the same call.
const NOTICES_MAX: u64 = 2;

/// The yes that fits the call of an event, if there is one. One that needs a proof is looked at by
/// [`confirm`].
#[must_use]
pub fn fitting(
    event: &Event<'_>,
    (session, caller): (&Session, &Caller),
    reading: &Reading,
    facts: &Facts,
) -> Option<Grant> {
    let is_stranger = matches!(caller, Caller::Stranger(_));
    let mut answered = session.approvals.iter();
    if !answered.any(|one| may_fit(one, event)) || !event.is_before_call() || is_stranger {
        return None;
    }
    let question = question(event, caller, reading, facts)?;
    steps::grant(session, &question)
}

/// Whether it is worth a digest of the call to see if an approval fits it.
fn may_fit(approval: &Approval, event: &Event<'_>) -> bool {
    match approval.state {
        ApprovalState::Granted => true,
        ApprovalState::Spent => event.call_id.is_empty() || approval.call == call_hash(event),
        ApprovalState::Pending | ApprovalState::Refused | ApprovalState::Void => false,
    }
}

fn question(
    event: &Event<'_>,
    caller: &Caller,
    reading: &Reading,
    facts: &Facts,
) -> Option<Question> {
    Some(Question {
        digest: steps::digest(event.call()?, &event.cwd, reading, facts)?,
        loss: steps::loss(reading, facts),
        call: call_hash(event),
        binding: caller.binding(),
        again: event.call_id.is_empty() && matches!(event.kind, EventKind::PermissionRequest(_)),
        time: event.time,
    })
}

fn call_hash(event: &Event<'_>) -> u64 {
    match event.call_id.as_str() {
        "" => 0,
        id => fnv64(id.as_bytes()),
    }
}

/// The yes that fits the call of an event that was first judged without its session.
pub fn recall(event: &Event<'_>, judged: &mut Judged) {
    let known = &judged.snapshot;
    let who = (&known.session, &known.caller);
    judged.snapshot.grant = fitting(event, who, &known.reading, &judged.facts);
}

/// Looks at what the record of a session cannot say by itself: whether a signature is the user's,
/// whether root spoke, whether the code stands in the very call that uses it.
pub fn confirm(event: &Event<'_>, judged: &mut Judged, rules: &Rules, edge: (&Store, &[u8])) {
    let (store, _) = edge;
    let session = &judged.snapshot.session;
    if session.approvals.is_empty() || !event.is_before_call() {
        return;
    }
    let grant = match &judged.snapshot.grant {
        Some(grant) if is_false(session, grant, event, edge) => None,
        None if judged.decision.level() > Level::Allow => by_root(event, judged, store),
        _ => return,
    };
    if grant != judged.snapshot.grant {
        judged.snapshot.grant = grant;
        judged.again(event, rules, Vec::new());
    }
}

/// Whether a yes of the record is none.
fn is_false(session: &Session, grant: &Grant, event: &Event<'_>, edge: (&Store, &[u8])) -> bool {
    let (store, payload) = edge;
    let mut all = session.approvals.iter().rev();
    let Some(approval) = all.find(|known| known.id == grant.id) else {
        return true;
    };
    let seen = steps::expose(session, payload, event.time);
    let is_seen = seen.iter().any(|change| change.to.id == grant.id);
    let is_signed = || {
        let statement = steps::statement(&event.session, approval);
        let key = store.public_key();
        key.is_some_and(|key| steps::is_signed(&statement, &approval.proof, &key))
    };
    is_seen || grant.by == GrantLevel::Key && !is_signed()
}

/// Root's word for a call that waits for it.
fn by_root(event: &Event<'_>, judged: &Judged, store: &Store) -> Option<Grant> {
    let known = &judged.snapshot;
    let waits = known.session.approvals.iter();
    if !waits.clone().any(|one| one.needs == GrantLevel::Sudo) {
        return None;
    }
    let question = question(event, &known.caller, &known.reading, &judged.facts)?;
    let approval = steps::awaits_root(&known.session, &question)?;
    let statement = steps::statement(&event.session, approval);
    let spoke = store.root_said(&approval.digest, &statement);
    spoke.then(|| steps::to_grant(approval, GrantLevel::Sudo))
}

/// What follows for approvals from an event that was judged: a question is asked, a yes is spent,
/// a code is answered, a code that a worker could have read is void. Effects and words are added to
/// the judgement. `payload` is what the host sent.
pub fn follow(event: &Event<'_>, judged: &mut Judged, rules: &Rules, payload: &[u8]) {
    match &event.kind {
        EventKind::Prompt { text, .. } => {
            if !judged.snapshot.session.approvals.is_empty() {
                prompted(event, judged, (text, payload));
            }
        }
        _ => {
            let seen = steps::expose(&judged.snapshot.session, payload, event.time);
            judged.words.notice.extend(seen.iter().map(leaked));
            if event.is_before_call() {
                before_call(event, judged, rules, &seen);
            }
            judged.decision.effects.extend(seen.into_iter().map(effect));
        }
    }
}

fn effect(change: Change<Approval>) -> Effect {
    Effect::Approval(Box::new(change))
}

fn leaked(change: &Change<Approval>) -> String {
    let id = &change.to.id;
    format!(
        "tollgate: the agent has seen the code of {id}, so it is void. If the call is still \
         wanted, let the agent repeat it."
    )
}

/// A yes is spent, or a question asked.
fn before_call(event: &Event<'_>, judged: &mut Judged, rules: &Rules, seen: &[Change<Approval>]) {
    let lifted = judged.decision.findings.iter().any(|one| one.lifted);
    if let Some(grant) = judged.snapshot.grant.as_ref().filter(|_| lifted) {
        let session = &judged.snapshot.session;
        let spent = steps::spend(session, grant, call_hash(event), event.time);
        judged.decision.effects.extend(spent.map(effect));
        return;
    }
    if event.session == PROBE_SESSION {
        // A trial of the gate is nobody's question.
        return;
    }
    let level = judged.decision.level();
    let host_asks = level == Level::Ask && event.asks;
    let Some(needs) = judged.decision.lift().filter(|_| !host_asks) else {
        return;
    };
    let mut faults = judged.snapshot.faults.iter();
    if faults.any(|fault| fault.cause == FaultCause::State) {
        // Nobody would know of the question when its answer comes.
        return;
    }
    if steps::is_guessed_at(&judged.snapshot.session) {
        judged.words.notice.push(GUESSED.to_owned());
        return;
    }
    let Some(change) = asked(event, judged, (rules, needs), seen) else {
        return;
    };
    let approval = change.to.clone();
    judged.decision.effects.push(effect(change));
    if approval.seen <= NOTICES_MAX {
        let notice = words::question(&approval, way(event, &judged.snapshot.caller));
        judged.words.notice.push(notice);
    }
    judged.words.asked = Some(approval);
}

/// The question that a call becomes. `None` if a yes could not be bound to it.
fn asked(
    event: &Event<'_>,
    judged: &Judged,
    (rules, needs): (&Rules, GrantLevel),
    seen: &[Change<Approval>],
) -> Option<Change<Approval>> {
    let known = &judged.snapshot;
    let question = question(event, &known.caller, &known.reading, &judged.facts)?;
    let shown = judged.decision.shown()?;
    let mut redactor = Redactor::default();
    let what = event.call()?.summary(4 * steps::WHAT_CHARS_MAX);
    let what = model::one_line(&redactor.text(&what), CALL_CHARS_MAX);
    let why = redactor.text(&why(&known.reading, &shown.reason));
    let held = Held {
        what: &what,
        why: &why,
        tag: &shown.tag(),
        fault: if shown.fault { &shown.rule } else { "" },
        needs,
        recoverable: gates::recoverable(&known.reading),
        minutes: rules.approval_minutes().value,
    };
    let session = without(&known.session, seen);
    let random = sys::random()?;
    Some(steps::ask(&session, &question, &held, &random))
}

/// The session without questions that are void by now.
fn without<'a>(session: &'a Session, seen: &[Change<Approval>]) -> Cow<'a, Session> {
    if seen.is_empty() {
        return Cow::Borrowed(session);
    }
    let mut session = session.clone();
    for approval in &mut session.approvals {
        if let Some(change) = seen.iter().find(|change| change.to.id == approval.id) {
            approval.clone_from(&change.to);
        }
    }
    Cow::Owned(session)
}

/// What would be lost, or where nothing is, why the call was held.
fn why(reading: &Reading, reason: &str) -> String {
    let mut sum = Loss::default();
    let losses = reading.actions.iter().filter_map(|one| one.loss.known());
    losses.for_each(|loss| sum.add(loss));
    if sum.is_nothing() {
        reason.to_owned()
    } else {
        sum.in_words()
    }
}

/// How the human can say yes from where they are.
fn way(event: &Event<'_>, caller: &Caller) -> Way {
    match caller.binding() {
        // What a host says that a worker started ends with that worker.
        Some(binding) if binding.nested => Way::Hidden,
        Some(_) if event.attended => Way::Prompt,
        _ => Way::Terminal,
    }
}

/// A prompt may be an answer. One that holds a code and is none shows it to the worker.
fn prompted(event: &Event<'_>, judged: &mut Judged, (text, payload): (&str, &[u8])) {
    let session = &judged.snapshot.session;
    let code = code_in(text).filter(|_| provenance::is_human(event, &judged.snapshot.caller));
    let mut spoiled = Vec::new();
    let mut notice = String::new();
    let mut effects = Vec::new();
    if let Some(code) = code {
        let who = Answerer {
            by: GrantLevel::Prompt,
            binding: judged.snapshot.caller.binding(),
            time: event.time,
        };
        let (told, changes) = heard(steps::answer(session, None, &code, &who));
        notice = told.notice;
        judged.words.advice.extend(told.advice);
        effects = changes;
    } else {
        spoiled = steps::expose(session, payload, event.time);
    }
    judged.words.notice.extend(spoiled.iter().map(misplaced));
    effects.extend(spoiled.into_iter().map(effect));
    judged.decision.effects.extend(effects);
    if !notice.is_empty() {
        judged.words.notice.push(notice);
    }
}

fn misplaced(change: &Change<Approval>) -> String {
    let id = &change.to.id;
    format!(
        "tollgate: this did not count as a yes, and the agent has now seen the code of {id}, so \
         it is void. Let the agent repeat the call, and answer with nothing but tollgate ok CODE, \
         or in a terminal."
    )
}

/// What is said about an answer.
#[derive(Debug, Default)]
struct Told {
    notice: String,
    advice: Option<String>,
}

fn heard(answered: Answered) -> (Told, Vec<Effect>) {
    let only = |notice: &str| Told {
        notice: format!("tollgate: {notice}"),
        advice: None,
    };
    match answered {
        Answered::Granted(change) => {
            let (id, what) = (change.to.id.clone(), change.to.what.clone());
            let told = Told {
                notice: format!("tollgate: {id} may run once: {what}"),
                advice: Some(format!(
                    "{id} was approved once by the user; repeat the call."
                )),
            };
            (told, steps::effects_of_yes(*change))
        }
        Answered::Wrong(changes) => {
            let left = changes
                .iter()
                .map(|change| steps::TRIES_MAX - change.to.tries);
            let told = match left.min() {
                None => only("nothing waits for a code."),
                Some(0) => only("wrong code, for the third time: what was open is void."),
                Some(1) => only("no open request has this code; one try is left."),
                Some(_) => only("no open request has this code; two tries are left."),
            };
            (told, changes.into_iter().map(effect).collect())
        }
        Answered::TooWeak(change) => {
            let id = &change.to.id;
            let told = only(&format!(
                "{id} cannot be answered by a prompt, and the agent has now seen its code, so it \
                 is void. Let the agent repeat the call, and answer in a terminal."
            ));
            (told, vec![effect(*change)])
        }
        Answered::Over(state) => (
            only(&format!("this request is {} already.", state.name())),
            Vec::new(),
        ),
        Answered::Expired => {
            let told = only("this request has expired; let the agent repeat the call.");
            (told, Vec::new())
        }
        Answered::Unknown => (only("nothing waits for a code here."), Vec::new()),
    }
}

/// The question that was just made, where the human set up that they are told of one.
#[must_use]
pub fn to_be_sent<'a>(judged: &'a Judged, rules: &Rules) -> Option<&'a str> {
    let asked = judged.words.asked.as_ref();
    let new = asked.filter(|approval| approval.seen == 1);
    new.filter(|_| !rules.webhook().value.is_empty())
        .map(|approval| approval.id.as_str())
}
