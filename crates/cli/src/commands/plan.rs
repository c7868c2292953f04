//! `tollgate plan`: has a plan assessed before plan mode is left, and shows how it stands. A
//! verdict comes from a critic and a validator, never from whoever asks.

mod assess;

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use edge::plans::{self, PlanDirs, Wanting};
use edge::surroundings;
use hosts::Host;
use model::{Effect, FileLook, Helper, one_line};
use serde_json::json;
use store::{Committed, SessionChange, Store};
use text::words;
use work::plan::gaps::{Gap, Severity};
use work::plan::{Plan, PlanStatus, PlanStep, gaps};

use super::review::{self, FoundReview, TRIES_MAX};
use crate::concerns::plan_gate::in_json;
use crate::here::Here;
use crate::{exit, show};

/// Longest title and description of a gap that is written down here, in characters.
const WORDS_CHARS_MAX: usize = 600;

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Args)]
struct Which {
    /// The start of the session's id; without one, this agent's, else the newest here
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

#[derive(clap::Args)]
struct GapArgs {
    /// What is not known, or may go wrong, in a few words
    #[arg(required_unless_present = "none")]
    title: Option<String>,
    /// What may come of it
    #[arg(required_unless_present = "none")]
    description: Option<String>,
    /// How grave: high blocks the work, medium makes its result worse, low is minor
    #[arg(long, value_parser = ["high", "medium", "low"], default_value = "medium")]
    severity: String,
    /// Says that nothing is known
    #[arg(long, conflicts_with_all = ["title", "description"])]
    none: bool,
    #[command(flatten)]
    which: Which,
}

#[derive(clap::Subcommand)]
enum What {
    /// Wants this session's plan assessed before plan mode is left; for agents too
    Start(Which),
    /// How a session's plan stands; the exit status is 4 until it has passed
    Status {
        #[command(flatten)]
        which: Which,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// The plan, its gaps, and what its critic found
    Show(Which),
    /// Writes down a gap that is known; for agents too
    Gap(GapArgs),
    /// Has an agent outside of the session assess the plan; without --with, says what is next
    Assess(assess::Args),
    /// Lets plan mode be left without a verdict; for you alone
    Drop(Which),
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    match &args.what {
        What::Start(which) => start(&here, which),
        What::Status { which, json } => status(&here, which, *json),
        What::Show(which) => show_it(&here, which),
        What::Gap(args) => write_down(&here, args),
        What::Assess(args) => assess::run(&here, args),
        What::Drop(which) => drop_it(&here, which),
    }
}

/// A session's plan, and what stands around it.
struct Standing {
    found: FoundReview,
    plan: Plan,
    dirs: PlanDirs,
}

impl Standing {
    fn of(here: &Here, which: &Which) -> Result<Self> {
        let Some(store) = here.remembered()? else {
            bail!("no session is remembered; the first call of a gated agent begins one");
        };
        Self::in_store(here, &store, which)
    }

    fn in_store(here: &Here, store: &Store, which: &Which) -> Result<Self> {
        let found = review::find(here, store, which.session.as_deref())?;
        let host = found
            .host()
            .context("the host of this session is not known")?;
        let dirs = PlanDirs::of(host, &here.place, &here.rules_bundle().rules);
        Ok(Self {
            plan: Plan::of(&found.session),
            found,
            dirs,
        })
    }

    fn wants(&self, helper: Helper) -> String {
        let wanting = Wanting {
            plan: &self.plan,
            dirs: &self.dirs,
            session: &self.found.id,
            is_planning: true,
        };
        wanting.first(helper)
    }

    /// Where the gaps are, or belong.
    fn gaps_file(&self) -> String {
        let path = self.dirs.gaps(&self.plan, &self.found.id);
        path.map_or(String::new(), |path| path.display().to_string())
    }

    fn is_touched(&self) -> bool {
        let touched = |file: &str, hash: &str| {
            let now = plans::look(file);
            !file.is_empty() && now != FileLook::Digest(hash.to_owned())
        };
        touched(&self.plan.plan_file, &self.plan.plan_hash)
            || touched(&self.plan.gaps_file, &self.plan.gaps_hash)
    }

    fn passes(&self) -> bool {
        self.plan.status == PlanStatus::Pass
            && !self.plan.plan_file.is_empty()
            && !self.is_touched()
    }

    /// Whether a critic or a validator is started next: outside is another way to that.
    fn is_started_next(&self) -> bool {
        let is_mended_first = self.plan.status == PlanStatus::Fail;
        !self.passes() && !is_mended_first && self.wants(Helper::Critic).is_empty()
    }

    /// What is to be done next, for whoever works on the plan.
    fn next(&self) -> String {
        let critic = self.wants(Helper::Critic);
        if self.passes() {
            return "leave plan mode".to_owned();
        }
        if !critic.is_empty() {
            return critic.trim_end_matches('.').to_owned();
        }
        let Some(host) = self.found.host() else {
            return String::new();
        };
        let is_compared = self.wants(Helper::Validator).is_empty()
            && self.plan.status == PlanStatus::Pending
            && !self.is_touched();
        match (is_compared, self.plan.status) {
            (true, _) => started(host, Helper::Validator),
            (false, PlanStatus::Fail) => {
                "write down the gaps that were missing, or mend the plan; then assess it again"
                    .to_owned()
            }
            _ => started(host, Helper::Critic),
        }
    }
}

/// The way that needs no helper in the session.
fn outside() -> String {
    let clients = runner::clients().join("|");
    format!("tollgate plan assess --with {clients}")
}

/// How a worker starts a helper.
fn started(host: &Host, helper: Helper) -> String {
    let prompt = match helper {
        Helper::Validator => "Compare.",
        _ => "Criticise the plan.",
    };
    match host.kind_of(helper) {
        Some(kind) => format!("start {}", (host.review.call)(kind, prompt)),
        None => "have another agent assess it".to_owned(),
    }
}

fn status(here: &Here, which: &Which, as_json: bool) -> Result<ExitCode> {
    let standing = Standing::of(here, which)?;
    let plan = &standing.plan;
    let code = if standing.passes() {
        exit::OK
    } else {
        exit::DENY
    };
    if as_json {
        let mut all = in_json(plan);
        if let Some(all) = all.as_object_mut() {
            all.insert("session".to_owned(), json!(standing.found.id));
            all.insert("changed_since".to_owned(), json!(standing.is_touched()));
            all.insert("next".to_owned(), json!(standing.next()));
            all.insert("gaps_path".to_owned(), json!(standing.gaps_file()));
        }
        say!("{all}");
        return Ok(ExitCode::from(code));
    }
    say!("session {}", standing.found.id);
    match plan.plan_file.as_str() {
        "" => say!("  plan  none was seen in this session"),
        file => say!("  plan  {}", here.short(file)),
    }
    let file = standing.gaps_file();
    let known = plans::text_of(file.as_ref()).ok().flatten();
    match &known {
        Some(text) => {
            let count = words::count(gaps::read(text).len() as u64, "gap");
            say!("  gaps  {} ({count})", here.short(&file));
            for fault in gaps::faults(text) {
                say!("        {fault}");
            }
        }
        None => say!("  gaps  none yet; they belong into {}", here.short(&file)),
    }
    let word = plan.status.name();
    let painted = match plan.status {
        PlanStatus::Pass if standing.is_touched() => show::warn("pass, but changed since"),
        PlanStatus::Pass => show::good(word),
        PlanStatus::Pending => show::warn(word),
        _ => show::bad(word),
    };
    if !plan.plan_file.is_empty() {
        say!("  {painted}");
        show::paragraph(8, &plan.reason, 3);
    }
    say!("  next  {}", here.short(standing.next()));
    if standing.is_started_next() {
        say!("  or    {}", outside());
    }
    Ok(ExitCode::from(code))
}

fn show_it(here: &Here, which: &Which) -> Result<ExitCode> {
    let standing = Standing::of(here, which)?;
    let plan = &standing.plan;
    if plan.plan_file.is_empty() {
        bail!("no plan was seen in session {}", standing.found.id);
    }
    let gaps = standing.gaps_file();
    for (what, file) in [("plan", &plan.plan_file), ("gaps", &gaps)] {
        let text = plans::text_of(file.as_ref());
        let text = text.map_err(|why| anyhow::anyhow!("{file}: {why}"))?;
        say!("== {what}: {} ==", here.short(file));
        say!("{}", text.as_deref().unwrap_or("(none)").trim_end());
        say!();
    }
    say!("== what the critic found ==");
    match plan.findings.as_str() {
        "" => say!("(it has not seen this plan)"),
        findings => say!("{}", findings.trim_end()),
    }
    say!();
    say!("{}: {}", plan.status.name(), plan.reason);
    Ok(ExitCode::from(exit::OK))
}

/// Adds a gap to the session's, or makes an empty list of them. The file may be edited as well; in
/// plan mode some agents let nothing be written but the plan.
fn write_down(here: &Here, args: &GapArgs) -> Result<ExitCode> {
    let standing = Standing::of(here, &args.which)?;
    let file = standing.gaps_file();
    if file.is_empty() {
        bail!("it is not known where this agent's plans lie; set [plan] dir in your settings");
    }
    let known = plans::text_of(file.as_ref()).map_err(|why| anyhow::anyhow!("{why}"))?;
    let known = known.unwrap_or_default();
    let gap = match (&args.title, &args.description) {
        (Some(title), Some(description)) => Some(Gap {
            number: gaps::next_number(&known),
            title: one_line(title, WORDS_CHARS_MAX),
            severity: Severity::of(&args.severity).unwrap_or(Severity::Medium),
            description: one_line(description, WORDS_CHARS_MAX),
        }),
        _ => None,
    };
    let all = gaps::with(&known, gap.as_slice());
    store::outside::show(file.as_ref(), &all)?;
    let step = PlanStep::Listed {
        file: file.clone(),
        hash: plans::hash(&all),
        time: surroundings::now(),
    };
    let standing = change(here, &args.which, &step)?;
    match gap {
        Some(gap) => say!(
            "GAP-{} is written down in {}",
            gap.number,
            here.short(&file)
        ),
        None => {
            let count = words::count(gaps::read(&all).len() as u64, "gap");
            say!("{count} in {}", here.short(&file));
        }
    }
    say!("next: {}", here.short(standing.next()));
    Ok(ExitCode::from(exit::OK))
}

fn start(here: &Here, which: &Which) -> Result<ExitCode> {
    let by = "command".to_owned();
    let standing = change(here, which, &PlanStep::Started { by })?;
    say!(
        "{} the plan of session {} is assessed before plan mode is left",
        show::good("started:"),
        standing.found.id
    );
    say!("next: {}", here.short(standing.next()));
    Ok(ExitCode::from(exit::OK))
}

fn drop_it(here: &Here, which: &Which) -> Result<ExitCode> {
    let standing = change(here, which, &PlanStep::Dropped {})?;
    say!(
        "plan mode may be left without a verdict in session {}",
        standing.found.id
    );
    say!("It holds until an assessment is started there again.");
    Ok(ExitCode::from(exit::OK))
}

/// Makes a step that another hook may be faster with; how it stands then.
fn change(here: &Here, which: &Which, step: &PlanStep) -> Result<Standing> {
    let store = here.store()?;
    let effects = [Effect::Step(step.clone().into())];
    for _ in 0..TRIES_MAX {
        let standing = Standing::in_store(here, &store, which)?;
        let committed = store.change(&SessionChange {
            session: &standing.found.id,
            time: surroundings::now(),
            by: "tollgate",
            verb: "plan",
            effects: &effects,
        })?;
        if committed != Committed::Overtaken {
            let standing = Standing::in_store(here, &store, which)?;
            let views = plans::views(&standing.dirs, &standing.plan, &standing.found.id);
            for (path, text) in views {
                store::outside::show(&path, &text)?;
            }
            return Ok(standing);
        }
    }
    bail!("the agent's own hooks were faster each time; try again")
}
