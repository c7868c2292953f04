//! `tollgate init`: puts the gate in front of an agent, shows what it changes, and proves that it
//! works.

use std::fs;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use hosts::{HOSTS, Host, Installation, Launch, Scope};
use store::outside;

use super::doctor;
use crate::here::Here;
use crate::{diff, exit, show, sources};

/// How scopes are spelled on the command line.
const SCOPES: &[(&str, Scope)] =
    &[("user", Scope::User), ("project", Scope::Project), ("managed", Scope::Managed)];

#[derive(clap::Args)]
pub struct Args {
    /// Which agent; without it, every one that is found
    #[arg(long, value_name = "HOST")]
    agent: Vec<String>,
    /// Whose settings: user, project, managed
    #[arg(long, value_name = "SCOPE", default_value = "user", value_parser = scope)]
    scope: Scope,
    /// What is on: observe (only watches), guard
    #[arg(long, value_name = "PROFILE", value_parser = ["observe", "guard"])]
    profile: Option<String>,
    /// Show what would change, change nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long, short = 'y')]
    yes: bool,
    /// For clients that ignore the wish to fail closed: start the hook through a shell
    #[arg(long)]
    through_shell: bool,
    /// The hook program to install; normally the one beside this program
    #[arg(long, value_name = "FILE", hide = true)]
    hook_from: Option<PathBuf>,
}

pub fn scope(name: &str) -> Result<Scope> {
    let found = SCOPES.iter().find(|(known, _)| *known == name);
    found.map(|(_, scope)| *scope).context("user, project or managed")
}

/// One settings file and what becomes of it.
struct Change {
    host: &'static Host,
    path: String,
    old: Option<String>,
    new: String,
    problems: Vec<hosts::Problem>,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    let hosts = chosen(&here, args)?;
    let hook = here.state.join("bin/tollgate-hook");
    let launch = if args.through_shell { Launch::Shell } else { Launch::Direct };
    let mut changes = Vec::new();
    for host in hosts {
        changes.push(change(&here, host, args.scope, &hook, launch)?);
    }
    println!("Profile: {}", args.profile.as_deref().unwrap_or("guard"));
    for change in &changes {
        describe(change);
    }
    if args.dry_run {
        println!("Nothing was changed (--dry-run).");
        return Ok(ExitCode::from(exit::OK));
    }
    if !args.yes && !confirmed()? {
        println!("Nothing was changed.");
        return Ok(ExitCode::from(exit::OK));
    }
    install_programs(&here, args.hook_from.as_deref())?;
    if let Some(profile) = &args.profile {
        set_profile(&here, profile)?;
    }
    for change in &changes {
        if let Some(backup) = outside::replace(change.path.as_ref(), &change.new)? {
            println!("{}: changed, was kept as {}", change.path, backup.display());
        }
    }
    let mut alive = true;
    for change in &changes {
        alive &= doctor::prove(&here, change.host, &change.path);
    }
    super::replay::last_days(&here);
    println!("Off for a while: tollgate off --for 30m.  Remove: tollgate uninstall.");
    Ok(ExitCode::from(if alive { exit::OK } else { exit::FAILED }))
}

/// The hosts that were named, or those whose settings directory is there.
fn chosen(here: &Here, args: &Args) -> Result<Vec<&'static Host>> {
    let mut chosen = Vec::new();
    for name in &args.agent {
        let host = hosts::find(name).with_context(|| {
            format!("no host is called `{name}`; known: {}", super::check::names())
        })?;
        chosen.push(host);
    }
    if args.agent.is_empty() {
        chosen.extend(HOSTS.iter().filter(|host| is_installed(here, host)));
        let found: Vec<&str> = chosen.iter().map(|host| host.title).collect();
        if chosen.is_empty() {
            let known: Vec<&str> = HOSTS.iter().map(|host| host.title).collect();
            bail!("no agent was found here (looked for: {}); name one with --agent", known.join(", "));
        }
        println!("Found: {}.", found.join(", "));
    }
    Ok(chosen)
}

fn is_installed(here: &Here, host: &Host) -> bool {
    let settings = host.settings_file(Scope::User, &here.roots());
    let dir = settings.as_deref().map(Path::new).and_then(Path::parent);
    dir.is_some_and(Path::is_dir)
}

fn change(here: &Here, host: &'static Host, scope: Scope, hook: &Path, launch: Launch) -> Result<Change> {
    let Some(path) = host.settings_file(scope, &here.roots()) else {
        bail!("{} has no settings file for this scope here", host.title);
    };
    let old = match fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(error).with_context(|| format!("cannot read {path}")),
    };
    let hook = hook.to_string_lossy();
    let installation = Installation { hook: &hook, launch };
    let edit = (host.install)(old.as_deref(), &installation)
        .with_context(|| format!("{path} was left as it is"))?;
    let new = edit.text.or_else(|| old.clone()).unwrap_or_default();
    Ok(Change { host, path, old, new, problems: edit.problems })
}

fn describe(change: &Change) {
    let old = change.old.as_deref().unwrap_or_default();
    let lines = diff::lines(old, &change.new);
    if lines.is_empty() {
        println!("{}: already as it should be", change.path);
    } else {
        let kind = if change.old.is_none() { " (new)" } else { "" };
        println!("Will change {}{kind}:", change.path);
        for line in lines {
            println!("  {line}");
        }
    }
    for problem in &change.problems {
        println!("{} {}: {problem}", show::warn("note:"), change.path);
    }
}

/// Whether a person says yes. Without a terminal nobody can, so nothing is changed.
fn confirmed() -> Result<bool> {
    if !std::io::stdin().is_terminal() {
        bail!("there is no terminal to ask at; say --yes to change it, --dry-run to only look");
    }
    print!("Change it? [y/N] ");
    std::io::stdout().flush()?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Copies the programs to the stable place that hosts are told of.
fn install_programs(here: &Here, hook_from: Option<&Path>) -> Result<()> {
    let store = here.store()?;
    let own = std::env::current_exe().context("where this program is, is not known")?;
    let beside = own.with_file_name("tollgate-hook");
    let hook = hook_from.unwrap_or(&beside);
    if !hook.is_file() {
        bail!("{} is not there; build it with: cargo build --release --bins", hook.display());
    }
    store.install_program("tollgate-hook", hook)?;
    store.install_program("tollgate", &own)?;
    Ok(())
}

/// Writes the profile into the user's settings, if they do not name one.
fn set_profile(here: &Here, profile: &str) -> Result<()> {
    let path = PathBuf::from(&here.dirs.user).join("config.toml");
    let old = fs::read_to_string(&path).unwrap_or_default();
    let mut lines: Vec<String> = old.lines().map(str::to_owned).collect();
    let line = format!("profile = \"{profile}\"");
    match lines.iter().position(|line| line.trim_start().starts_with("profile")) {
        Some(at) => lines.splice(at..=at, [line]).for_each(drop),
        None => lines.insert(0, line),
    }
    outside::replace(&path, &format!("{}\n", lines.join("\n")))?;
    let store = here.store()?;
    sources::compile(here, &store, &sources::read(here))?;
    Ok(())
}
