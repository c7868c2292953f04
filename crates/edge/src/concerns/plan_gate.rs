//! A session's plan: what is written of it is recorded, what is handed over is looked at, the
//! critic and the validator are given theirs. Which step follows is `work`'s to say. Costs nothing
//! where no plan is made.

mod verdicts;

use gates::words::{self, Manner};
use model::{
    Actor, Call, Content, Effect, Event, EventKind, Facts, Helper, Level, PermissionMode, Profile,
    Snapshot,
};
use rules::settings;
use work::plan::{Plan, PlanStatus, PlanStep, gaps, leakage};

use crate::concerns::discipline::effect;
use crate::concerns::shape::{Concern, EventContext, Outcome, Steps, View};
use crate::judge::Judged;
use crate::plans::{self, PlanDirs, PlanFile};

pub use verdicts::{CRITIC, VALIDATOR};

/// Plans.
pub const CONCERN: Concern = Concern {
    id: "plan_gate",
    asks: &[&gates::stack::plan_gate::GATE],
    before: Some(before),
    inform: Some(inform),
    after: Some(after),
    ..Concern::PLAIN
};

/// The skill that starts the gate in a session.
const SKILL: &str = "plan-gate";

/// Whether the gate may do anything here. It is asked only of events that are about a plan.
fn is_on(context: &EventContext<'_>) -> bool {
    context.asks(&CONCERN) != model::Mode::Off
}

/// Whether settings want a verdict about every plan.
fn is_required(context: &EventContext<'_>) -> bool {
    let is_wanted = || context.rules.setting(&settings::plan::REQUIRE).value;
    is_wanted() || context.rules.profile().value == Profile::Discipline
}

fn dirs(context: &EventContext<'_>, known: &Snapshot) -> PlanDirs {
    PlanDirs::of(context.host, &known.place, context.rules)
}

/// The critic or the validator that a spawn asks for, by its kind or in words, where the host can
/// be given one.
fn asked(context: &EventContext<'_>, call: &Call<'_>) -> Option<Helper> {
    let Call::Spawn { kind, prompt } = call else {
        return None;
    };
    let both = [Helper::Critic, Helper::Validator];
    let by_kind = Helper::meant_by(kind).filter(|helper| both.contains(helper));
    let own = |helper: &Helper| context.host.kind_of(*helper);
    let words = prompt.text.as_deref().unwrap_or_default();
    let by_words = || {
        let mut both = both.into_iter();
        both.find(|helper| own(helper).is_some_and(|kind| words.contains(kind)))
    };
    by_kind
        .or_else(by_words)
        .filter(|helper| own(helper).is_some())
}

fn before(context: &EventContext<'_>, known: &mut Snapshot) -> Steps {
    let event = context.event;
    match &event.kind {
        EventKind::ToolAfter {
            call: call @ (Call::Write { .. } | Call::Edit { .. } | Call::Patch { .. }),
        } if event.mode == PermissionMode::Plan || !context.host.plans.says_mode => {
            written(context, known, call)
        }
        EventKind::ToolBefore(Call::Skill { name }) if is_skill(name) => start(context, "skill"),
        EventKind::Prompt {
            text,
            machine: false,
        } if is_command(text) => start(context, "prompt"),
        EventKind::ToolBefore(call @ Call::Spawn { .. }) => match asked(context, call) {
            Some(helper) if is_on(context) => refreshed(context, known, helper),
            _ => Steps::default(),
        },
        _ => Steps::default(),
    }
}

/// Whether a skill is ours, however a host prefixes it.
fn is_skill(name: &str) -> bool {
    let bare = name.rsplit([':', '/']).next().unwrap_or(name);
    bare == SKILL || bare == "tollgate-plan-gate"
}

/// Whether a person starts the skill: `/tollgate:plan-gate`.
fn is_command(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    first.strip_prefix(['/', '$']).is_some_and(is_skill)
}

fn start(context: &EventContext<'_>, by: &str) -> Steps {
    if !is_on(context) {
        return Steps::default();
    }
    let by = by.to_owned();
    Steps::lasting(vec![effect(PlanStep::Started { by })])
}

/// A write ended: of the plan, or of this session's gaps. Another session's gaps are that one's
/// affair, which sees by itself that they changed.
fn written(context: &EventContext<'_>, known: &Snapshot, call: &Call<'_>) -> Steps {
    let (event, dirs) = (context.event, dirs(context, known));
    let paths: Vec<&str> = match call {
        Call::Write { path, .. } | Call::Edit { path, .. } => vec![path.as_ref()],
        Call::Patch { files } => files.iter().map(|file| file.path.as_ref()).collect(),
        _ => Vec::new(),
    };
    let mut steps = Vec::new();
    for path in paths {
        let path = text::path::join(&known.place.cwd, path);
        match dirs.kind(&path) {
            Some(PlanFile::Plan(file)) => steps.extend(planned(context, known, &file)),
            Some(PlanFile::Gaps { path, session }) if session == event.session => {
                steps.extend(listed(&path, event));
            }
            _ => {}
        }
    }
    if steps.is_empty() || !is_on(context) {
        return Steps::default();
    }
    Steps::lasting(steps.into_iter().map(effect).collect())
}

/// A plan is recorded, with the gaps that were written before it.
fn planned(context: &EventContext<'_>, known: &Snapshot, file: &str) -> Vec<PlanStep> {
    let event = context.event;
    let Ok(Some(text)) = plans::text_of(file.as_ref()) else {
        return Vec::new();
    };
    let hash = plans::hash(&text);
    let mut steps = vec![PlanStep::Planned {
        file: file.to_owned(),
        hash,
        time: event.time,
    }];
    let plan = Plan {
        plan_file: file.to_owned(),
        ..Plan::of(&known.session)
    };
    steps.extend(changed_gaps(context, known, &plan));
    steps
}

/// The gaps that lie there, if they are not as they are on record.
fn changed_gaps(context: &EventContext<'_>, known: &Snapshot, plan: &Plan) -> Option<PlanStep> {
    let event = context.event;
    let path = dirs(context, known).gaps(plan, &event.session)?;
    let step = listed(path.to_str()?, event)?;
    let is_known = matches!(&step, PlanStep::Listed { file, hash, .. }
        if *file == plan.gaps_file && *hash == plan.gaps_hash);
    (!is_known).then_some(step)
}

fn listed(path: &str, event: &Event<'_>) -> Option<PlanStep> {
    let text = plans::text_of(path.as_ref()).ok()??;
    Some(PlanStep::Listed {
        file: path.to_owned(),
        hash: plans::hash(&text),
        time: event.time,
    })
}

/// Who assesses sees what is there now: what was changed by other means is recorded first. The
/// validator needs the very plan that the critic saw.
fn refreshed(context: &EventContext<'_>, known: &Snapshot, helper: Helper) -> Steps {
    let plan = Plan::of(&known.session);
    let mut steps = Steps::default();
    if helper == Helper::Critic {
        let by = "critic".to_owned();
        steps.lasting.push(effect(PlanStep::Started { by }));
        let now = plans::text_of(plan.plan_file.as_ref()).ok().flatten();
        if let Some(text) = now.filter(|_| !plan.plan_file.is_empty()) {
            let hash = plans::hash(&text);
            if hash != plan.plan_hash {
                let (file, time) = (plan.plan_file.clone(), context.event.time);
                let step = PlanStep::Planned { file, hash, time };
                steps.if_run.push(effect(step));
            }
        }
    }
    if !plan.plan_file.is_empty() {
        steps
            .if_run
            .extend(changed_gaps(context, known, &plan).map(effect));
    }
    steps
}

fn inform(context: &EventContext<'_>, snapshot: &mut Snapshot, _: &Facts) -> Steps {
    let event = context.event;
    let (EventKind::ToolBefore(call) | EventKind::PermissionRequest(call)) = &event.kind else {
        return Steps::default();
    };
    match call {
        Call::PlanExit { plan, path } => look(context, snapshot, HandedOver { plan, path }),
        Call::Spawn { .. } => {
            if let Some(helper) = asked(context, call).filter(|_| is_on(context)) {
                snapshot.plan.wants = wants(context, snapshot, helper);
            }
        }
        _ if event.mode == PermissionMode::Plan => {
            snapshot.plan.writable = dirs(context, snapshot).writable(&event.session);
        }
        _ => {}
    }
    if let Actor::Sub { kind, .. } = &event.actor
        && Helper::meant_by(kind) == Some(Helper::Critic)
    {
        let mut hidden = dirs(context, snapshot).hidden();
        hidden.extend((!event.transcript.is_empty()).then(|| event.transcript.clone()));
        snapshot.plan.hidden = hidden;
    }
    Steps::default()
}

/// A plan, as the host hands it over.
#[derive(Clone, Copy)]
struct HandedOver<'a> {
    plan: &'a Content<'a>,
    path: &'a str,
}

impl HandedOver<'_> {
    /// Its text, empty if there is none; nothing if it is too long to be looked at.
    fn text(&self) -> Option<&str> {
        match &self.plan.text {
            None if self.plan.bytes > 0 => None,
            text => Some(text.as_deref().unwrap_or_default()),
        }
    }
}

/// What is handed over at the end of a plan, beside what is on record.
fn look(context: &EventContext<'_>, snapshot: &mut Snapshot, over: HandedOver<'_>) {
    let plan = Plan::of(&snapshot.session);
    let kind = context.host.kind_of(Helper::Critic);
    let call = kind.map(|kind| (context.host.review.call)(kind, "Criticise the plan."));
    let seen = &mut snapshot.plan;
    seen.required = is_required(context);
    seen.critic = call.unwrap_or_default();
    if !plan.needs_verdict(seen.required) {
        return;
    }
    seen.handed = plans::real_file(over.path);
    seen.plan = plans::look(&plan.plan_file);
    seen.gaps = plans::look(&plan.gaps_file);
    let now = plans::text_of(plan.plan_file.as_ref()).ok().flatten();
    // A host may cut what stands around a text.
    let same = |text: &str| now.as_deref().is_some_and(|now| now.trim() == text.trim());
    seen.is_same_text = match over.text() {
        Some("") => None,
        Some(text) => Some(same(text)),
        None => Some(false),
    };
}

fn wants(context: &EventContext<'_>, snapshot: &Snapshot, helper: Helper) -> String {
    let event = context.event;
    let wanting = plans::Wanting {
        plan: &Plan::of(&snapshot.session),
        dirs: &dirs(context, snapshot),
        session: &event.session,
        is_planning: event.mode == PermissionMode::Plan || !context.host.plans.says_mode,
    };
    wanting.first(helper)
}

/// What follows: what was handed over is recorded, doubts that the plan shows are written down,
/// people see how it stands.
fn after(context: &EventContext<'_>, judged: &Judged) -> Outcome {
    let event = context.event;
    let mut outcome = Outcome::default();
    match &event.kind {
        EventKind::ToolBefore(Call::PlanExit { plan, path }) => {
            outcome = handed_over(context, judged, HandedOver { plan, path });
        }
        EventKind::ToolBefore(call)
            if asked(context, call) == Some(Helper::Critic)
                && is_on(context)
                && judged.decision.level() == Level::Allow =>
        {
            write_down(context, judged, &mut outcome);
        }
        EventKind::ToolAfter { call }
            if asked(context, call).is_some() && Plan::is_in(&judged.snapshot.session) =>
        {
            outcome
                .advice
                .push(stands(&Plan::of(&judged.snapshot.session)));
        }
        _ => {}
    }
    show(context, judged, &mut outcome);
    outcome.reason = whole_words(judged);
    outcome
}

/// Why a plan is not left, or not assessed: in whole words each time, since what is to be done may
/// be another thing than the last time.
fn whole_words(judged: &Judged) -> Option<String> {
    let finding = judged.decision.shown()?;
    let is_own = CONCERN.owns(finding.gate) && finding.level == Level::Deny;
    is_own.then(|| words::of(finding, Manner::Denied))
}

/// How a plan stands, for the worker.
fn stands(plan: &Plan) -> String {
    let next = match plan.status {
        PlanStatus::Pass => "Leave plan mode.",
        PlanStatus::Pending => "tollgate plan status says what is next.",
        _ => "Write down the gaps that were missing, or mend the plan; then assess it again.",
    };
    format!("Plan {}: {}. {next}", plan.status.name(), plan.reason)
}

/// The end of a plan was refused: what the host handed over is what is to be assessed, wherever it
/// was written.
fn handed_over(context: &EventContext<'_>, judged: &Judged, over: HandedOver<'_>) -> Outcome {
    let mut outcome = Outcome::default();
    let plan = Plan::of(&judged.snapshot.session);
    let is_required = judged.snapshot.plan.required;
    if !plan.needs_verdict(is_required) || judged.decision.level() != Level::Deny {
        return outcome;
    }
    let event = context.event;
    let mut file = plans::real_file(over.path);
    let mut now = plans::text_of(file.as_ref()).ok().flatten();
    if let Some(text) = over
        .text()
        .filter(|text| file.is_empty() && !text.is_empty())
    {
        // A host without plan files: what it hands over is kept beside where they would be.
        let dirs = dirs(context, &judged.snapshot);
        let Some(dir) = dirs.beside(&Plan::default()) else {
            return outcome;
        };
        let path = dir.join(format!("{}.plan.md", event.session));
        file = path.display().to_string();
        now = Some(text.to_owned());
        let text = text.to_owned();
        outcome.views.push(View { path, text });
    }
    let Some(now) = now.filter(|_| !file.is_empty()) else {
        return outcome;
    };
    let (hash, time) = (plans::hash(&now), event.time);
    let is_known = file == plan.plan_file && hash == plan.plan_hash;
    let known = Plan {
        plan_file: file.clone(),
        ..plan
    };
    let planned = (!is_known).then_some(PlanStep::Planned { file, hash, time });
    let listed = changed_gaps(context, &judged.snapshot, &known);
    let steps = planned.into_iter().chain(listed);
    outcome.effects.extend(steps.map(effect));
    outcome
}

/// What the plan says of its own doubts becomes gaps, before the critic looks (S1.33–S1.36).
fn write_down(context: &EventContext<'_>, judged: &Judged, outcome: &mut Outcome) {
    let plan = Plan::of(&judged.snapshot.session);
    let text = plans::text_of(plan.plan_file.as_ref()).ok().flatten();
    let known = plans::text_of(plan.gaps_file.as_ref()).ok().flatten();
    let (Some(text), Some(known)) = (text, known) else {
        return;
    };
    let more = leakage::gaps(&text, &gaps::read(&known));
    if more.is_empty() {
        return;
    }
    let all = gaps::with(&known, &more);
    outcome.effects.push(effect(PlanStep::Listed {
        file: plan.gaps_file.clone(),
        hash: plans::hash(&all),
        time: context.event.time,
    }));
    outcome.advice.push(format!(
        "The plan shows doubts that were in no gap; they were added to {}.",
        plan.gaps_file
    ));
    outcome.views.push(View {
        path: plan.gaps_file.into(),
        text: all,
    });
}

/// People see how the plan stands, in the files beside it and where a verdict was given.
fn show(context: &EventContext<'_>, judged: &Judged, outcome: &mut Outcome) {
    let is_step =
        |effect: &&Effect| matches!(effect, Effect::Step(step) if step.get::<PlanStep>().is_some());
    let is_refused = context.event.is_before_call() && judged.decision.level() == Level::Deny;
    let made = judged.steps.all().filter(is_step).count();
    let follow: Vec<Effect> = outcome.effects.iter().filter(is_step).cloned().collect();
    if made == 0 && follow.is_empty() {
        return;
    }
    let mut session = judged.snapshot.session.clone();
    if is_refused && !judged.steps.if_run.is_empty() {
        // What would only be so if the call ran is not shown.
        return;
    }
    Steps::lasting(follow).make(&mut session);
    let plan = Plan::of(&session);
    let dirs = dirs(context, &judged.snapshot);
    let views = plans::views(&dirs, &plan, &context.event.session).into_iter();
    outcome
        .views
        .extend(views.map(|(path, text)| View { path, text }));
    let assessed = judged.steps.all().any(|effect| {
        matches!(effect, Effect::Step(step)
            if matches!(step.get::<PlanStep>(), Some(PlanStep::Assessed { .. })))
    });
    if assessed {
        let (status, reason) = (plan.status.name(), &plan.reason);
        outcome.notices.push(format!(
            "tollgate: plan {}: {status}: {reason}",
            plan.slug()
        ));
    }
}
