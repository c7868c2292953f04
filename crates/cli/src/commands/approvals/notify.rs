//! `tollgate notify`: the channels through which a person is told of what waits. How they are told
//! is in `desk::notify`.

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use desk::args::{NotifyAddArgs, NotifyVerb};
use desk::notify::channels::{Channel, Channels};
use desk::notify::{self, AtOnce};
use edge::surroundings;
use rules::settings;
use serde_json::json;

use crate::commands::key;
use crate::here::Here;
use crate::{exit, show};

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: NotifyVerb,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    match &args.what {
        NotifyVerb::Add(args) => add(&here, args),
        NotifyVerb::Test { name } => test(&here, name.as_deref()),
        NotifyVerb::List { json } => list(&here, *json),
        NotifyVerb::Remove { name } => {
            notify::remove(&here.store()?, name)?;
            say!("{} {name}", show::good("forgotten:"));
            Ok(ExitCode::from(exit::OK))
        }
        NotifyVerb::Tell { session, id } => tell(&here, session, id),
    }
}

fn tell(here: &Here, session: &str, id: &str) -> Result<ExitCode> {
    let rules = here.rules_bundle().rules;
    let store = here.remembered()?.context("nothing is remembered")?;
    let at_once = AtOnce {
        desktop: rules.setting(&settings::approvals::DESKTOP).value,
        webhook: rules
            .setting(&settings::approvals::WEBHOOK)
            .value
            .into_owned(),
        project: here.place.project.clone(),
    };
    notify::tell(&store, (session, id), &at_once)?;
    Ok(ExitCode::from(exit::OK))
}

fn add(here: &Here, args: &NotifyAddArgs) -> Result<ExitCode> {
    let rules = here.rules_bundle().rules;
    if args.kind == "desktop" && rules.setting(&settings::approvals::DESKTOP).value {
        bail!(
            "the desktop tells of each request at once already; to have it told later, and only \
             if nobody looks, first set desktop = false under [approvals]"
        );
    }
    let password = match args.user {
        Some(_) => key::passphrase("password: ")?,
        None => String::new(),
    };
    let said = notify::add(&here.store()?, args, password)?;
    said.iter().for_each(|line| say!("{line}"));
    Ok(ExitCode::from(exit::OK))
}

fn test(here: &Here, name: Option<&str>) -> Result<ExitCode> {
    let mut is_sent = true;
    for (name, sent) in notify::test(&here.store()?, name)? {
        match sent {
            Ok(()) => say!("{name}  {}", show::good("sent")),
            Err(why) => {
                is_sent = false;
                say!("{name}  {} {why:#}", show::bad("not sent:"));
            }
        }
    }
    let status = if is_sent { exit::OK } else { exit::FAILED };
    Ok(ExitCode::from(status))
}

fn list(here: &Here, in_json: bool) -> Result<ExitCode> {
    let rules = here.rules_bundle().rules;
    let is_told = rules.setting(&settings::approvals::DESKTOP).value;
    let all = here.remembered()?.as_ref().map(Channels::of).transpose()?;
    let (channels, dead) = all.map_or_else(Default::default, |all| (all.channels, all.dead));
    if in_json {
        for channel in &channels {
            let undelivered: Vec<_> = dead
                .iter()
                .filter(|one| one.channel == channel.name)
                .collect();
            say!(
                "{}",
                json!({
                    "name": channel.name, "kind": channel.way.kind(), "to": channel.way.place(),
                    "detail": detail(channel), "link": channel.link, "undelivered": undelivered,
                })
            );
        }
        return Ok(ExitCode::from(exit::OK));
    }
    if is_told {
        say!("desktop  at once, with each request (desktop = false under [approvals] ends it)");
    }
    for channel in &channels {
        let (kind, place) = (channel.way.kind(), channel.way.place());
        say!(
            "{}  {kind}, {place}, {}",
            show::strong(&channel.name),
            detail(channel)
        );
    }
    if channels.is_empty() {
        say!("no channel tells you elsewhere; tollgate notify add --help shows what can");
    }
    for letter in &dead {
        let ago = show::span(surroundings::now().0.saturating_sub(letter.at));
        let text = letter.text.lines().next().unwrap_or_default();
        say!(
            "{} {}, {ago} ago: {text} ({})",
            show::bad("not delivered:"),
            letter.channel,
            letter.why
        );
    }
    Ok(ExitCode::from(exit::OK))
}

fn detail(channel: &Channel) -> &'static str {
    if channel.full { "full" } else { "count" }
}
