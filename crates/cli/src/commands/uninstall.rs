//! `tollgate uninstall`: takes the gate away again.

use std::fs;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use hosts::{HOSTS, Host, Scope};
use store::outside::Undone;

use super::{check, init};
use crate::here::Here;
use crate::{diff, exit, settings, show};

#[derive(clap::Args)]
pub struct Args {
    /// Which agent; without it, all
    #[arg(long, value_name = "HOST")]
    agent: Vec<String>,
    /// Whose settings: user, project, managed
    #[arg(long, value_name = "SCOPE", default_value = "user", value_parser = init::scope)]
    scope: Scope,
    /// Show what would change, change nothing
    #[arg(long)]
    dry_run: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    for name in &args.agent {
        let known = hosts::find(name).is_some();
        ensure!(
            known,
            "no host is called `{name}`; known: {}",
            check::names()
        );
    }
    let named = |host: &&&Host| args.agent.is_empty() || args.agent.iter().any(|id| id == host.id);
    for host in HOSTS.iter().filter(named) {
        if let Some(path) = host.settings_file(args.scope, &here.roots()) {
            remove(&here, host, &path, args.dry_run)?;
        }
        if !args.dry_run {
            say_what_is_left(&here, host);
        }
    }
    let state = here.short(here.state.display());
    say!("What was remembered stays in {state}, with the hook: an agent that is running may still");
    say!("call it. Remove the directory when none is.");
    Ok(ExitCode::from(exit::OK))
}

fn remove(here: &Here, host: &Host, path: &str, dry_run: bool) -> Result<()> {
    let shown = here.short(path);
    let Ok(old) = fs::read_to_string(path) else {
        say!("{shown}: not there");
        return Ok(());
    };
    let edit = (host.uninstall)(&old).with_context(|| format!("{path} was left as it is"))?;
    if !edit.changed {
        say!("{shown}: holds nothing of ours");
        return Ok(());
    }
    if dry_run {
        for line in diff::lines(&old, edit.text.as_deref().unwrap_or_default()) {
            say!("  {line}");
        }
        say!("{shown}: nothing was changed (--dry-run)");
        return Ok(());
    }
    let how = match here
        .store()?
        .undo_change(path.as_ref(), edit.text.as_deref())?
    {
        Undone::Exact => "is as it was before tollgate init, to the byte".to_owned(),
        Undone::Edited(None) => "holds nothing of ours any more".to_owned(),
        Undone::Edited(Some(kept)) => format!(
            "holds nothing of ours any more; as it was: {}",
            kept.file_name().unwrap_or_default().to_string_lossy()
        ),
    };
    say!("{shown}: {how}");
    Ok(())
}

/// Whether the host is still gated, and by what.
fn say_what_is_left(here: &Here, host: &Host) {
    let files = settings::of(here, host).into_iter();
    let ours: Vec<_> = files
        .filter(|file| file.registered(host).is_some())
        .collect();
    if ours.is_empty() {
        say!("{} is {}", host.title, show::warn("no longer gated"));
    }
    for file in ours {
        let scope = settings::scope_of(here, host, &file.path);
        let path = here.short(&file.path);
        let title = host.title;
        say!("{title} is still gated by {path}: tollgate uninstall --scope {scope}");
    }
}
