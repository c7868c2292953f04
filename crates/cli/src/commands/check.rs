//! `tollgate check`: a verdict without effects.

use std::fs;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use edge::surroundings;
use gates::words::{self, Manner};
use hosts::Wire;
use model::{Call, Dialect, Event, EventKind, Level, Mode};
use rules::Surface;
use serde_json::json;

use crate::here::Here;
use crate::{exit, show, spoken};

/// Most rows that one message takes.
const WORDS_ROWS_MAX: usize = 6;

#[derive(clap::Args)]
pub struct Args {
    /// The command, as the worker would write it; quotes around it are not needed
    #[arg(required_unless_present = "call")]
    pub command: Vec<String>,
    /// A file with an event as the host would send it, instead of a command
    #[arg(long, value_name = "FILE", conflicts_with = "command")]
    pub call: Option<String>,
    /// Whose event it is
    #[arg(long, value_name = "HOST", default_value = hosts::HOSTS[0].id)]
    pub agent: String,
    /// Where it would run
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<String>,
    /// One JSON object
    #[arg(long)]
    pub json: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let payload = match &args.call {
        Some(file) => Some(fs::read(file).with_context(|| format!("cannot read {file}"))?),
        None => None,
    };
    let (here, event) = event(args, payload.as_deref())?;
    let judged = here.judge(&event);
    let decision = &judged.decision;
    let level = decision.level();
    // Where nothing is stopped, people still want to know what would be.
    let first = decision.findings.first().map(|weighed| &weighed.finding);
    let finding = decision
        .shown()
        .or(first.filter(|finding| finding.level > Level::Allow));
    let words = finding.map(|finding| words::of(finding, Manner::of(level, true)));
    if args.json {
        let findings: Vec<String> = decision
            .findings
            .iter()
            .map(|weighed| weighed.finding.tag())
            .collect();
        let actions = &judged.snapshot.analysis.actions;
        let actions: Vec<String> = actions.iter().map(model::Action::canonical).collect();
        let all = json!({"level": level.name(), "would_be": decision.would_be().name(),
            "words": words.unwrap_or_default(), "findings": findings, "actions": actions});
        say!("{all}");
    } else {
        say!("{}", show::level(level));
        if level < decision.would_be() {
            let profile = finding.map_or("guard", |one| show::holding_profile(&one.tag()));
            let held = format!("in profile {profile} it would be held:");
            say!("  {}", show::warn(&held));
        }
        if let Some(more) = untried(&here, &event) {
            say!("  {more}");
        }
        for text in words.iter().map(String::as_str).chain(decision.advice()) {
            show::paragraph(2, &here.short(text), WORDS_ROWS_MAX);
        }
    }
    Ok(exit::of(level))
}

/// What is said to a prompt in a session is not known of one that is only asked about.
fn untried(here: &Here, event: &Event<'_>) -> Option<&'static str> {
    let EventKind::Prompt { .. } = &event.kind else {
        return None;
    };
    let rules = here.rules_bundle().rules;
    let mode = |gate: &&gates::Gate| gate.mode_in(&rules, &[Surface::Main]).value;
    let strictest = gates::stack::DISCIPLINE
        .iter()
        .copied()
        .map(|gate| mode(&gate))
        .max();
    match strictest.unwrap_or(Mode::Off) {
        Mode::Off => None,
        Mode::Warn => Some("In a session the agent may be told what helps it; nothing is held."),
        Mode::Block => Some(
            "In a session the agent is told to ground a prompt that asks for something (tollgate \
             hydrate shows the request); other calls wait for that.",
        ),
    }
}

/// The event that is asked about, and where.
fn event<'a>(args: &'a Args, payload: Option<&'a [u8]>) -> Result<(Here, Event<'a>)> {
    let Some(host) = hosts::find(&args.agent) else {
        bail!("no host is called `{}`; known: {}", args.agent, names());
    };
    let Some(bytes) = payload else {
        let here = Here::named(args.cwd.as_deref())?;
        let call = Call::Shell {
            command: spoken::command(&args.command).into(),
            dialect: Dialect::Posix,
        };
        let event = here.event(call);
        return Ok((here, event));
    };
    let name = (host.event_name)(bytes);
    let time = surroundings::now();
    let wire = Wire {
        event: &name,
        bytes,
        env: &surroundings::env,
        time,
    };
    let event = (host.decode)(&wire)?;
    let file = args.call.as_deref().unwrap_or_default();
    if let EventKind::Other { name } = &event.kind {
        match name.as_str() {
            "" => bail!("{file} does not say which event it is"),
            name => bail!("{} has no event {name:?} that is judged", host.title),
        }
    }
    if event.cwd.is_empty() && args.cwd.is_none() {
        bail!("{file} does not say where (cwd); say it with --cwd DIR");
    }
    let here = match &args.cwd {
        Some(dir) => Here::named(Some(dir))?,
        None => Here::find(Some(&event.cwd))?,
    };
    Ok((here, event))
}

/// The ids of all hosts.
pub fn names() -> String {
    let ids: Vec<&str> = hosts::HOSTS.iter().map(|host| host.id).collect();
    ids.join(", ")
}
