//! `tollgate plan assess`: a critic and a validator outside of the session give the verdict. The
//! worker may ask for it, and chooses neither a command nor the environment that it runs in.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use edge::facts::{self, Budget};
use edge::plans;
use edge::provenance;
use edge::surroundings;
use model::Helper;
use runner::{Answer, Room, Task, Variables, Who};
use store::Store;
use text::words;
use work::plan::answers::{self, Coverage, Critique};
use work::plan::{self, Plan, PlanStatus, PlanStep, Subject, gaps, leakage, prompts};

use super::{Standing, Which, change, outside};
use crate::commands::review::run::{chosen, cost, seconds};
use crate::here::Here;
use crate::{exit, show};

/// How often a judge is asked that gives no answer in the form (S1.16).
const TRIES_MAX: u32 = 2;

#[derive(clap::Args)]
pub struct Args {
    /// Who assesses: claude, codex, gemini, opencode, qwen, or a command that reads the prompt from
    /// standard input
    #[arg(long, value_name = "WHO")]
    with: Option<String>,
    /// After so many seconds each of the two is ended
    #[arg(long, value_name = "N", default_value_t = 600, value_parser = seconds())]
    seconds: u64,
    #[command(flatten)]
    which: Which,
}

pub fn run(here: &Here, args: &Args) -> Result<ExitCode> {
    let standing = Standing::of(here, &args.which)?;
    let Some(with) = &args.with else {
        return Ok(next(here, &standing));
    };
    if standing.passes() {
        return Ok(next(here, &standing));
    }
    let wants = standing.wants(Helper::Critic);
    if !wants.is_empty() {
        bail!(
            "the plan cannot be assessed yet; first {}",
            wants.trim_end_matches('.')
        );
    }
    let store = here.store()?;
    let worker = provenance::below_worker(Some(&store));
    let (who, variables) = chosen(&store, worker, with)?;
    let standing = recorded(here, &args.which, standing)?;
    let assessment = Assessment {
        here,
        store: &store,
        which: &args.which,
        who: &who,
        variables: &variables,
        time_max: Duration::from_secs(args.seconds),
        source: format!("outside: {}", who.name()),
    };
    assessment.run(&standing)
}

/// What is to be done next; nothing is done.
fn next(here: &Here, standing: &Standing) -> ExitCode {
    if standing.passes() {
        say!("{}: {}", show::good("pass"), standing.plan.reason);
        return ExitCode::from(exit::OK);
    }
    say!("next: {}", here.short(standing.next()));
    if standing.is_started_next() {
        say!("or:   {}", outside());
    }
    ExitCode::from(exit::DENY)
}

/// The plan and its gaps as they are now, with the doubts that the plan shows among them.
fn recorded(here: &Here, which: &Which, standing: Standing) -> Result<Standing> {
    let (mut standing, time) = (standing, surroundings::now());
    let file = standing.plan.plan_file.clone();
    let text = read(&file)?;
    let hash = plans::hash(&text);
    if hash != standing.plan.plan_hash {
        standing = change(here, which, &PlanStep::Planned { file, hash, time })?;
    }
    let file = standing.gaps_file();
    let known = read(&file)?;
    let more = leakage::gaps(&text, &gaps::read(&known));
    let all = gaps::with(&known, &more);
    if !more.is_empty() {
        store::outside::show(file.as_ref(), &all)?;
        let count = words::count(more.len() as u64, "gap");
        say!("the plan shows doubts that were in no gap; {count} added:");
        for gap in &more {
            say!("  {:<6} {}", gap.severity.name(), gap.title);
        }
    }
    let hash = plans::hash(&all);
    if file != standing.plan.gaps_file || hash != standing.plan.gaps_hash {
        standing = change(here, which, &PlanStep::Listed { file, hash, time })?;
    }
    Ok(standing)
}

fn read(file: &str) -> Result<String> {
    let text = plans::text_of(file.as_ref()).map_err(|why| anyhow!("{why}"))?;
    text.ok_or_else(|| anyhow!("{file} is missing"))
}

/// One assessment from outside.
struct Assessment<'a> {
    here: &'a Here,
    store: &'a Store,
    which: &'a Which,
    who: &'a Who,
    variables: &'a Variables,
    time_max: Duration,
    source: String,
}

impl Assessment<'_> {
    fn run(&self, standing: &Standing) -> Result<ExitCode> {
        let (plan, gaps) = (
            read(&standing.plan.plan_file)?,
            read(&standing.plan.gaps_file)?,
        );
        say!("{} criticises {}", self.who.title(), standing.plan.slug());
        let room = self.room(standing)?;
        let found = self.ask(&room, &|nonce| prompts::critic(&plan, nonce), &critique)?;
        let critique = match found {
            Ok(critique) => critique,
            Err(why) => return self.none("critic", &why, &standing.plan),
        };
        let standing = self.make(plan::criticised(
            &critique,
            &gaps::read(&gaps),
            &self.subject(&standing.plan),
        ))?;
        if standing.plan.status != PlanStatus::Pending {
            return Ok(self.told(&standing, &critique));
        }
        say!("{} compares what was found with the gaps", self.who.title());
        // Nobody who compares needs more than the two lists.
        let room = Room::empty(self.store)
            .map_err(|why| anyhow!("there is no room for the validator: {why}"))?;
        let findings = critique.text();
        let said = self.ask(
            &room,
            &|nonce| prompts::validator(&gaps, &findings, nonce),
            &coverage,
        )?;
        let step = match &said {
            Ok(coverage) => plan::validated(coverage, &self.subject(&standing.plan)),
            Err(why) => return self.none("validator", why, &standing.plan),
        };
        let standing = self.make(vec![step])?;
        Ok(self.told(&standing, &critique))
    }

    /// Where the critic works: a copy of the project without what the author knows of the plan.
    fn room(&self, standing: &Standing) -> Result<Room> {
        let budget = &mut Budget::for_review();
        let place = &self.here.place;
        let Ok(material) = facts::material(&place.project, None, place, budget) else {
            return Room::empty(self.store)
                .map_err(|why| anyhow!("there is no room for the critic: {why}"));
        };
        let room = Room::with_copy(self.store, &material, place)
            .map_err(|why| anyhow!("the project cannot be copied for the critic: {why}"))?;
        if let Some(beside) = standing.dirs.beside(&standing.plan) {
            room.leave_out_below(&beside)
                .map_err(|why| anyhow!("the gaps cannot be kept from the critic: {why}"))?;
        }
        Ok(room)
    }

    /// Asks until an answer has the form; once more at most. Why there is none, else.
    fn ask<T>(
        &self,
        room: &Room,
        prompt: &dyn Fn(&str) -> String,
        read: &dyn Fn(&str, &str) -> Result<T, &'static str>,
    ) -> Result<Result<T, String>> {
        let mut why = String::new();
        for number in 0..TRIES_MAX {
            let Some(random) = edge::random() else {
                bail!("the system gives no chance");
            };
            let nonce = text::hex::encode(&random);
            let judgement = runner::judge(
                self.store,
                self.who,
                &Task {
                    prompt: &prompt(&nonce),
                    room,
                    variables: self.variables,
                    time_max: self.time_max,
                    through: &[],
                },
            );
            say!("  {}", cost(self.who, &judgement));
            why = match &judgement.answer {
                Answer::Text(text) => match read(text, &nonce) {
                    Ok(answer) => return Ok(Ok(answer)),
                    Err(why) => why.to_owned(),
                },
                Answer::Unreadable(why) | Answer::Failed(why) => why.clone(),
            };
            if number + 1 < TRIES_MAX {
                say!("  no answer ({why}); asked once more");
            }
        }
        Ok(Err(why))
    }

    fn subject<'s>(&'s self, plan: &'s Plan) -> Subject<'s> {
        Subject {
            plan: &plan.plan_hash,
            gaps: &plan.gaps_hash,
            source: &self.source,
            time: surroundings::now(),
        }
    }

    fn make(&self, steps: Vec<PlanStep>) -> Result<Standing> {
        let mut standing = None;
        for step in steps {
            standing = Some(change(self.here, self.which, &step)?);
        }
        standing.ok_or_else(|| anyhow!("nothing came of it"))
    }

    /// It fails closed.
    fn none(&self, who: &str, why: &str, plan: &Plan) -> Result<ExitCode> {
        let why = format!("The {who} gave no verdict: {why}");
        let standing = self.make(vec![plan::no_verdict(&why, &self.subject(plan))])?;
        say!("{}: {}", show::bad("no verdict"), standing.plan.reason);
        Ok(ExitCode::from(exit::FAILED))
    }

    /// The verdict, and what is next where it is none to leave with.
    fn told(&self, standing: &Standing, critique: &Critique) -> ExitCode {
        for finding in &critique.findings {
            say!("  {:<6} {}", finding.severity.name(), finding.title);
            show::paragraph(9, &finding.description, 3);
        }
        let plan = &standing.plan;
        let (word, status) = match plan.status {
            PlanStatus::Pass => (show::good("pass"), exit::OK),
            PlanStatus::Fail => (show::bad("fail"), exit::DENY),
            _ => (show::warn("changed meanwhile: no verdict"), exit::FAILED),
        };
        say!("{word}: {}", plan.reason);
        if plan.status != PlanStatus::Pass {
            say!("next: {}", self.here.short(standing.next()));
        }
        ExitCode::from(status)
    }
}

fn critique(text: &str, nonce: &str) -> Result<Critique, &'static str> {
    answers::critique(text, &|word| word == nonce)
}

fn coverage(text: &str, nonce: &str) -> Result<Coverage, &'static str> {
    answers::coverage(text, &|word| word == nonce)
}
