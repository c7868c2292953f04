//! The gate in front of work that is only planned: plan mode is left with an assessed plan, nothing
//! is changed before, and a critic does not see what the worker knows.

use model::{
    Action, Actor, Call, EventKind, Finding, GrantLevel, Helper, Level, PermissionMode,
    ResourceKind, Verb, Zone,
};
use rules::glob_matches;
use work::discipline;
use work::plan::exit::{self, Leaving};
use work::plan::{Plan, view};

use crate::gate::{self, Gate, GateInput};

/// A plan is no work, and is left when it is good.
pub const GATE: Gate = Gate {
    id: "plan_gate",
    summary: "Holds changes while a plan is made, and its end until it was assessed.",
    page: include_str!("plan_gate.md"),
    mode: gate::always,
    check,
};

/// What a refusal of the end begins with.
const OPENING: &str = "[RODIN] ";

/// Programs that do what a text says that nobody here reads to its end. A version may follow.
const INTERPRETERS: &[&str] = &[
    "ash",
    "awk",
    "bash",
    "bun",
    "dash",
    "deno",
    "elixir",
    "fish",
    "gawk",
    "groovy",
    "guile",
    "ipython",
    "irb",
    "julia",
    "ksh",
    "lua",
    "luajit",
    "node",
    "nodejs",
    "osascript",
    "perl",
    "php",
    "powershell",
    "pwsh",
    "pypy",
    "python",
    "racket",
    "raku",
    "rscript",
    "ruby",
    "scala",
    "sh",
    "tclsh",
    "ts-node",
    "tsx",
    "zsh",
    "zx",
];

fn check(input: &GateInput<'_>) -> Vec<Finding> {
    let (EventKind::ToolBefore(call) | EventKind::PermissionRequest(call)) = &input.event.kind
    else {
        return Vec::new();
    };
    let found = match call {
        Call::PlanExit { .. } => leaving(input),
        Call::Spawn { .. } => unready(input),
        _ => peeking(input, call).or_else(|| working(input)),
    };
    found.into_iter().collect()
}

/// The end of a plan that was not assessed, or of another one than was.
fn leaving(input: &GateInput<'_>) -> Option<Finding> {
    let (seen, plan) = (&input.known.plan, Plan::of(&input.known.session));
    if !plan.needs_verdict(seen.required) {
        return None;
    }
    let leaving = Leaving {
        handed: &seen.handed,
        plan: &seen.plan,
        is_same_text: seen.is_same_text,
        gaps: &seen.gaps,
    };
    let refusal = exit::refused(&plan, &leaving)?;
    let reason = [OPENING, &refusal.reason].concat();
    let mut finding = Finding::new(GATE.id, refusal.rule, Level::Deny, reason);
    let how = match seen.critic.as_str() {
        "" => "have the user run tollgate plan assess --with another agent.".to_owned(),
        critic => format!(
            "use the skill plan-gate, which starts {critic}; or run tollgate plan assess --with \
             another agent."
        ),
    };
    finding.alternative = match refusal.way.as_str() {
        "" => format!("To fix: {how}"),
        way => format!("To fix: {way} Then {how}"),
    };
    Some(finding)
}

/// The critic or the validator is started before there is something for it to look at.
fn unready(input: &GateInput<'_>) -> Option<Finding> {
    let wants = &input.known.plan.wants;
    if wants.is_empty() {
        return None;
    }
    let reason = format!("{OPENING}the plan cannot be assessed yet");
    let mut finding = Finding::new(GATE.id, "first", Level::Deny, reason);
    finding.alternative = format!("To fix: {wants}");
    Some(finding)
}

/// The critic looks at what is kept from it.
fn peeking(input: &GateInput<'_>, call: &Call<'_>) -> Option<Finding> {
    let Actor::Sub { kind, .. } = &input.event.actor else {
        return None;
    };
    let is_named = Helper::meant_by(kind) == Some(Helper::Critic);
    let session = &input.known.session;
    if !is_named && discipline::helper(input.event, session) != Some(Helper::Critic) {
        return None;
    }
    let mut actions = input.known.analysis.actions.iter();
    let hidden = &input.known.plan.hidden;
    let hides = |action: &Action| {
        let name = action.name.trim_end_matches('/');
        name.contains(view::DIR) || hidden.iter().any(|path| holds(name, path))
    };
    let is_told = match call {
        Call::Shell { command, .. } => command.contains(view::DIR) || command.contains(view::GAPS),
        _ => false,
    };
    if !is_told && !actions.any(hides) {
        return None;
    }
    let reason = "what the plan's author knows is kept from its critic";
    let mut finding = Finding::new(GATE.id, "hidden", Level::Deny, reason);
    "Judge the plan in your prompt; look elsewhere in the project, directory by directory."
        .clone_into(&mut finding.alternative);
    Some(finding)
}

/// Whether a path is another, or a directory above it.
fn holds(dir: &str, path: &str) -> bool {
    let rest = path.strip_prefix(dir);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Something is changed, or handed to others, while a plan is made.
fn working(input: &GateInput<'_>) -> Option<Finding> {
    if input.event.mode != PermissionMode::Plan {
        return None;
    }
    let mut actions = input.known.analysis.actions.iter();
    let action = actions.find(|action| is_work(input, action))?;
    let what = match action.name.as_str() {
        "" => action.program.as_str(),
        name => name,
    };
    let reason = format!("this is plan mode, and it would {} {what}", deed(action));
    let mut finding = Finding::new(GATE.id, "work", Level::Ask, reason);
    "Put it into the plan, and do it when the plan is left.".clone_into(&mut finding.alternative);
    finding.overridable = Some(GrantLevel::Prompt);
    Some(finding)
}

/// Whether a deed is more than looking. What a known program does that nobody reads (a test, a
/// build) is none; what an interpreter does may be anything.
fn is_work(input: &GateInput<'_>, action: &Action) -> bool {
    match action.verb {
        Verb::Read | Verb::Fetch | Verb::Unknown => false,
        Verb::Execute => is_interpreter(&action.program),
        Verb::Write | Verb::Delete | Verb::Move | Verb::Reown => {
            let is_file = matches!(action.kind, ResourceKind::File | ResourceKind::Autorun);
            let is_scratch = matches!(action.zone, Zone::Temp | Zone::Sink);
            !is_file || !is_scratch && !is_writable(input, &action.name)
        }
        _ => true,
    }
}

/// Whether a file belongs to the plan itself.
fn is_writable(input: &GateInput<'_>, name: &str) -> bool {
    let mut globs = input.known.plan.writable.iter();
    globs.any(|glob| glob_matches(glob, name, &input.known.place))
}

fn is_interpreter(program: &str) -> bool {
    let program = program.split(' ').next().unwrap_or_default();
    let program = program.rsplit('/').next().unwrap_or_default();
    let bare = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS
        .iter()
        .any(|known| bare.eq_ignore_ascii_case(known))
}

/// A deed in a verb.
fn deed(action: &Action) -> &'static str {
    match action.verb {
        Verb::Execute => "run",
        Verb::OpenChannel => "open",
        Verb::Reown => "change the rights of",
        Verb::Send => "send data to",
        Verb::Publish => "publish to",
        Verb::Deploy => "change",
        Verb::Kill => "end",
        Verb::Tamper => "change",
        Verb::Bypass => "skip checks of",
        Verb::Elevate => "gain rights by",
        Verb::Delegate => "hand work to",
        other => other.name(),
    }
}
