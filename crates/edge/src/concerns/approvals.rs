//! Approvals at the edge: which yes fits a call, the question that a refusal becomes, and the code
//! that a human types. The steps themselves are in `work`.

use gates::words::approvals::{self as words, ApprovalChannel};
use hosts::{Notices, PROBE_SESSION};
use model::{
    Analysis, Binding, Call, Caller, Effect, Event, EventKind, Facts, FaultCause, Grant,
    GrantLevel, Level, Loss, Snapshot, Verb, code_in, fnv64,
};
use rules::settings;
use text::{Redactor, glob, path};
use work::approvals::evidence::Evidence;
use work::approvals::{
    self as steps, Answered, Answerer, Approval, ApprovalState, ApprovalStep, Approvals, Asking,
    Held, Question, Seen,
};
use work::change::Change;

use crate::concerns::repeats;
use crate::concerns::shape::{Concern, EventContext, Outcome, Steps};
use crate::facts::Identities;
use crate::judge::Judged;
use crate::{keys, provenance, sys};

/// Longest name of a held call in a notice, in characters.
const CALL_CHARS_MAX: usize = 60;

/// What the human hears when no question is made any more.
const GUESSED: &str = "tollgate: codes were guessed at in this session, so nothing can be approved \
                       in it any more. If it was you, start a new session.";

/// Devices that show what stands on the machine's own screens.
const SCREENS: &str = "/dev/vcs";

/// How often the human hears of the same call.
const NOTICES_MAX: u64 = 2;

/// Questions to a human, and their yes.
pub const CONCERN: Concern = Concern {
    id: "approvals",
    before: Some(before),
    inform: Some(inform),
    after: Some(after),
    ..Concern::PLAIN
};

/// A code that stands in what the host sends was seen by the worker: what it was for is void. A
/// prompt is another matter ([`prompted`]): it may be the answer.
fn before(context: &EventContext<'_>, known: &mut Snapshot) -> Steps {
    let is_prompt = matches!(context.event.kind, EventKind::Prompt { .. });
    if is_prompt {
        return Steps::default();
    }
    let approvals = Approvals::of(&known.session);
    let seen = steps::expose(&approvals, context.wire.bytes, context.event.time);
    Steps::lasting(seen.into_iter().map(effect).collect())
}

/// The yes that fits the call, proof included.
fn inform(context: &EventContext<'_>, snapshot: &mut Snapshot, facts: &Facts) -> Steps {
    let event = context.event;
    if !event.is_before_call() {
        return Steps::default();
    }
    let approvals = Approvals::of(&snapshot.session);
    if !approvals.list.is_empty() {
        snapshot.grant = match fitting_of(&approvals, event, snapshot, facts) {
            Some(grant) => Some(grant).filter(|grant| is_proven(context, &approvals, grant)),
            None => by_root(context, &approvals, snapshot, facts),
        };
    }
    Steps::default()
}

/// The yes in the record that fits the call of an event, if there is one. Whether it is one at all
/// may need a proof, which is not looked at.
#[must_use]
pub fn fitting(event: &Event<'_>, known: &Snapshot, facts: &Facts) -> Option<Grant> {
    fitting_of(&Approvals::of(&known.session), event, known, facts)
}

fn fitting_of(
    approvals: &Approvals,
    event: &Event<'_>,
    known: &Snapshot,
    facts: &Facts,
) -> Option<Grant> {
    let is_stranger = known.caller.is_stranger();
    let may_fit = |one: &Approval| may_fit(one, event);
    if !event.is_before_call() || is_stranger || !approvals.list.iter().any(may_fit) {
        return None;
    }
    let question = question(event, known, facts)?;
    steps::grant(approvals, &question)
}

/// Whether it is worth a digest of the call to see if an approval fits it.
fn may_fit(approval: &Approval, event: &Event<'_>) -> bool {
    match approval.state {
        ApprovalState::Granted => true,
        ApprovalState::Spent => event.call_id.is_empty() || approval.call == call_hash(event),
        ApprovalState::Pending | ApprovalState::Refused | ApprovalState::Void => false,
    }
}

fn question(event: &Event<'_>, known: &Snapshot, facts: &Facts) -> Option<Question> {
    let Snapshot {
        caller, analysis, ..
    } = known;
    let identities = Identities::default();
    let seen = Seen {
        analysis,
        facts,
        contents: &|path| identities.of(path),
        repositories: &identities.of_repositories(analysis, facts),
    };
    Some(Question {
        digest: steps::digest(event.call()?, &event.cwd, &seen)?,
        loss: steps::loss(&seen),
        call: call_hash(event),
        binding: caller.binding(),
        ended: ended(known),
        again: event.call_id.is_empty() && matches!(event.kind, EventKind::PermissionRequest(_)),
        time: event.time,
    })
}

/// The host processes of this session that are no more, if its host was started by a person.
fn ended(known: &Snapshot) -> Vec<Binding> {
    let is_persons = known.caller.binding().is_some_and(|host| !host.nested);
    let bound = known.session.bindings.iter().filter(|_| is_persons);
    let ended = bound.filter(|one| !provenance::lives(one));
    ended.copied().collect()
}

fn call_hash(event: &Event<'_>) -> u64 {
    match event.call_id.as_str() {
        "" => 0,
        id => fnv64(id.as_bytes()),
    }
}

/// Whether a yes of the record is one: what came by key has to be signed with one of the user's.
fn is_proven(context: &EventContext<'_>, approvals: &Approvals, grant: &Grant) -> bool {
    let mut all = approvals.list.iter().rev();
    let Some(approval) = all.find(|known| known.id == grant.id) else {
        return false;
    };
    let is_signed = || {
        let machine = keys::machine();
        let statement = steps::statement(&machine, &context.event.session, approval);
        let evidence = Evidence::read(&approval.proof);
        let keys = context.store.map(keys::of).unwrap_or_default();
        evidence.is_some_and(|evidence| evidence.proves(&statement, &keys))
    };
    grant.by != GrantLevel::Key || is_signed()
}

/// Root's word for a call that waits. Where nothing stops the call, it changes nothing.
fn by_root(
    context: &EventContext<'_>,
    approvals: &Approvals,
    known: &Snapshot,
    facts: &Facts,
) -> Option<Grant> {
    let waits = |one: &Approval| one.state == ApprovalState::Pending;
    if !approvals.list.iter().any(waits) {
        return None;
    }
    let store = context.store.filter(|store| store.has_root_said())?;
    let question = question(context.event, known, facts)?;
    let approval = steps::awaits_root(approvals, &question)?;
    let machine = keys::machine();
    let statement = steps::statement(&machine, &context.event.session, approval);
    let spoke = store.root_said(&approval.digest, &statement);
    spoke.then(|| steps::to_grant(approval, GrantLevel::Sudo))
}

/// What follows for approvals: a question is asked, a yes is spent, a code is answered.
fn after(context: &EventContext<'_>, judged: &Judged) -> Outcome {
    let event = context.event;
    if let EventKind::Prompt { text, .. } = &event.kind {
        return prompted(context, judged, text);
    }
    let seen = judged.steps.all().filter_map(voided);
    let mut outcome = Outcome {
        notices: seen.map(code_exposed).collect(),
        ..Outcome::default()
    };
    if event.is_before_call() {
        let approvals = Approvals::of(&judged.snapshot.session);
        outcome.extend(before_call(context, judged, &approvals));
        outcome.extend(read_back(context, judged, &approvals));
    }
    outcome
}

/// What the host keeps of what it showed the human may hold a code: a call that could read it, in
/// whatever coding, ends every code that is open.
fn read_back(context: &EventContext<'_>, judged: &Judged, approvals: &Approvals) -> Outcome {
    let event = context.event;
    let reads = || {
        // All that lies with it is kept too, but where work lies there as well.
        let dir = path::parent(&event.transcript);
        let kept = match path::is_within(&event.cwd, dir) {
            true => event.transcript.as_str(),
            false => dir,
        };
        let actions = &judged.snapshot.analysis.actions;
        let is_read = actions.iter().any(|action| {
            let is_kept = |kept: &str| {
                let is_within = path::is_within(&action.name, kept);
                is_within || path::is_within(kept, &action.name) || fits(&action.name, kept)
            };
            let is_screen = action.name.starts_with(SCREENS);
            let is_told = !event.transcript.is_empty() && is_kept(kept);
            action.verb == Verb::Read && (is_told || is_screen)
        });
        is_read || !kept.is_empty() && is_named(event, kept)
    };
    let open = steps::expose_all(approvals, event.time);
    if open.is_empty() || !reads() {
        return Outcome::default();
    }
    Outcome {
        notices: open.iter().map(code_exposed).collect(),
        effects: open.into_iter().map(effect).collect(),
        ..Outcome::default()
    }
}

/// Whether a pattern of what is read may stand for a path, or for a directory above it.
fn fits(pattern: &str, path: &str) -> bool {
    let mut above = path::ancestors(path).chain([path]);
    glob::is_glob(pattern) && above.any(|path| glob::DOTGLOB.matches_path(pattern, path))
}

/// Whether a command names a path, for whoever in it reads what is listed.
fn is_named(event: &Event<'_>, path: &str) -> bool {
    match &event.kind {
        EventKind::ToolBefore(Call::Shell { command, .. }) => command.contains(path),
        _ => false,
    }
}

/// The question that a step of this event ended.
fn voided(effect: &Effect) -> Option<&Change<Approval>> {
    match effect {
        Effect::Step(step) => step.get::<ApprovalStep>().map(|step| &step.0),
        _ => None,
    }
}

fn effect(change: Change<Approval>) -> Effect {
    Effect::Step(ApprovalStep(change).into())
}

fn code_exposed(change: &Change<Approval>) -> String {
    let id = &change.to.id;
    format!(
        "tollgate: the agent may have seen the code of {id}, or guesses at it, so it is void. If \
         the call is still wanted, let the agent repeat it."
    )
}

/// A yes is spent, or a question asked.
fn before_call(context: &EventContext<'_>, judged: &Judged, approvals: &Approvals) -> Outcome {
    let event = context.event;
    let overridden = judged.decision.findings.iter().any(|one| one.overridden);
    if let Some(grant) = judged.snapshot.grant.as_ref().filter(|_| overridden) {
        let spent = steps::spend(approvals, grant, call_hash(event), event.time);
        return Outcome::remember(spent.map(effect).into_iter().collect());
    }
    if event.session == PROBE_SESSION {
        // A trial of the gate is nobody's question.
        return Outcome::default();
    }
    let level = judged.decision.level();
    let host_asks = level == Level::Ask && event.asks;
    let Some(needs) = judged.decision.overridable().filter(|_| !host_asks) else {
        return Outcome::default();
    };
    let mut faults = judged.snapshot.faults.iter();
    if faults.any(|fault| fault.cause == FaultCause::State) {
        // Nobody would know of the question when its answer comes.
        return Outcome::default();
    }
    if steps::is_guessed_at(approvals) {
        return Outcome {
            notices: vec![GUESSED.to_owned()],
            ..Outcome::default()
        };
    }
    match asked(context, judged, approvals, needs) {
        Some(asking) => put(context, judged, approvals, asking),
        None => Outcome::default(),
    }
}

/// The question that was made, and what the human hears of it.
fn put(
    context: &EventContext<'_>,
    judged: &Judged,
    approvals: &Approvals,
    asking: Asking,
) -> Outcome {
    let approval = asking.change.to.clone();
    let mut outcome = Outcome::remember(vec![effect(asking.change)]);
    if approval.times_held <= NOTICES_MAX {
        let channel = channel(context, &judged.snapshot.caller);
        let is_shown = context.host.capabilities.shows_refusals;
        let code = asking.code.as_deref();
        let question = words::question(&approval, code, channel, is_shown);
        outcome.notices.push(question);
    }
    let shown = judged.decision.shown();
    let times = repeats::times(context.event, judged);
    let said = steps::refused_with(approvals, &approval.digest, context.event.time);
    outcome.reason = shown.map(|finding| {
        let held = words::held(finding, &approval.id, times);
        [held, said.map_or(String::new(), words::refused)].concat()
    });
    let webhook = || context.rules.setting(&settings::approvals::WEBHOOK).value;
    let desktop = || context.rules.setting(&settings::approvals::DESKTOP).value;
    let channels = || context.store.is_some_and(store::Store::has_channels);
    outcome.held = Some(approval.id.clone());
    // Where the human wants to be told of a new question, they are.
    let is_sent = approval.times_held == 1 && (!webhook().is_empty() || desktop() || channels());
    let session = || context.event.session.clone();
    let words = ["notify", "tell"].map(str::to_owned).into_iter();
    let command = is_sent.then(|| words.chain([session(), approval.id]).collect());
    outcome.commands.extend(command);
    outcome
}

/// The question that a call becomes. `None` if a yes could not be bound to it.
fn asked(
    context: &EventContext<'_>,
    judged: &Judged,
    approvals: &Approvals,
    needs: GrantLevel,
) -> Option<Asking> {
    let (event, known) = (context.event, &judged.snapshot);
    let question = question(event, known, &judged.facts)?;
    let shown = judged.decision.shown()?;
    let mut redactor = Redactor::default();
    let what = event.call()?.summary(4 * steps::WHAT_CHARS_MAX);
    let what = model::one_line(&redactor.text(&what), CALL_CHARS_MAX);
    let why = redactor.text(&why(&known.analysis, &shown.reason));
    let held = Held {
        what: &what,
        why: &why,
        tag: &shown.tag(),
        fault: if shown.fault { &shown.rule } else { "" },
        needs,
        recoverable: gates::recoverable(&known.analysis),
        minutes: context.rules.setting(&settings::approvals::MINUTES).value,
        told: has_code(needs) && channel(context, &known.caller) != ApprovalChannel::Nobody,
    };
    let (half, other) = (sys::random()?, sys::random()?);
    let mut random = [0; 32];
    let bytes = half.into_iter().chain(other);
    random
        .iter_mut()
        .zip(bytes)
        .for_each(|(to, from)| *to = from);
    Some(steps::ask(approvals, &question, &held, &random))
}

/// What would be lost, or where nothing is, why the call was held.
fn why(analysis: &Analysis, reason: &str) -> String {
    let mut sum = Loss::default();
    let losses = analysis.actions.iter().filter_map(|one| one.loss.known());
    losses.for_each(|loss| sum.add(loss));
    if sum.is_nothing() {
        reason.to_owned()
    } else {
        sum.in_words()
    }
}

/// Whether it is a code that lets such a call run.
fn has_code(needs: GrantLevel) -> bool {
    matches!(needs, GrantLevel::Prompt | GrantLevel::Terminal)
}

/// How the human can say yes from where they are. What a host says at which nobody sits ends with
/// the program that started it, which may be a worker's.
fn channel(context: &EventContext<'_>, caller: &Caller) -> ApprovalChannel {
    let tells = context.host.capabilities.notices == Notices::Always;
    match caller.binding() {
        _ if !tells || !context.event.attended => ApprovalChannel::Nobody,
        Some(binding) if binding.nested => ApprovalChannel::Nobody,
        Some(_) => ApprovalChannel::Prompt,
        None => ApprovalChannel::Terminal,
    }
}

/// A prompt may be an answer. One that holds a code and is none shows it to the worker.
fn prompted(context: &EventContext<'_>, judged: &Judged, text: &str) -> Outcome {
    let (event, known) = (context.event, &judged.snapshot);
    let approvals = Approvals::of(&known.session);
    if approvals.list.is_empty() {
        return Outcome::default();
    }
    let code = code_in(text).filter(|_| provenance::is_human(event, &known.caller));
    let Some(code) = code else {
        let seen = steps::expose(&approvals, context.wire.bytes, event.time);
        return Outcome {
            notices: seen.iter().map(code_in_prompt).collect(),
            effects: seen.into_iter().map(effect).collect(),
            ..Outcome::default()
        };
    };
    let who = Answerer {
        by: GrantLevel::Prompt,
        binding: known.caller.binding(),
        time: event.time,
    };
    let (told, effects) = answer_notice(steps::answer(&approvals, None, &code, &who));
    Outcome {
        effects,
        notices: Some(told.notice)
            .filter(|notice| !notice.is_empty())
            .into_iter()
            .collect(),
        advice: told.advice.into_iter().collect(),
        ..Outcome::default()
    }
}

fn code_in_prompt(change: &Change<Approval>) -> String {
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

fn answer_notice(answered: Answered) -> (Told, Vec<Effect>) {
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
            let steps = steps::steps_of_yes(*change).into_iter();
            (told, steps.map(Effect::Step).collect())
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
