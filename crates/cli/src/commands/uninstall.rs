//! `tollgate uninstall`: takes the gate away again.

use std::fs;
use std::process::ExitCode;

use anyhow::{Result, ensure};
use edge::surroundings;
use hosts::{HOSTS, Host, Scope};
use store::InstallChange;
use store::hardened::{Layout, layout};
use store::outside::Undone;

use super::{check, init, proxy, switch};
use crate::here::Here;
use crate::install::hardened::{self, Elsewhere};
use crate::install::{helpers, programs, settings, trusting};
use crate::{diff, exit, show};

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
    /// With --scope managed: remove all that was remembered of every user, too
    #[arg(long)]
    purge: bool,
    #[command(flatten)]
    elsewhere: Elsewhere,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    if args.scope == Scope::Managed {
        hardened::enter(&args.elsewhere, args.dry_run)?;
    }
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
    let mut any = false;
    for host in HOSTS.iter().filter(named) {
        let mut is_ours = false;
        if let Some(path) = here.settings_file(host, args.scope) {
            is_ours = remove(&here, host, &path, args)?;
            remove_scripts(&here, host, &path, args.dry_run)?;
            if args.scope == Scope::User {
                helpers::remove(&here, host, &path, args.dry_run)?;
                helpers::remove_server(&here, host, &path, args.dry_run)?;
            }
        }
        if args.scope == Scope::User {
            any |= proxy::leave_projects(&here, host, args.dry_run)?;
        }
        any |= is_ours;
        if !args.dry_run {
            say_what_is_left(&here, host, is_ours);
        }
    }
    if !any && args.agent.is_empty() {
        say!("No agent's settings hold anything of ours.");
    }
    if let Some(layout) = layout().filter(|_| args.scope == Scope::Managed) {
        unbuild(layout, args)?;
        return Ok(ExitCode::from(exit::OK));
    }
    if args.agent.is_empty() && args.scope == Scope::User {
        restore_profile(&here, args.dry_run)?;
    }
    let state = here.short(here.state.display());
    say!("What was remembered stays in {state}, with the hook: an agent that is running may still");
    say!("call it. Remove the directory when none is.");
    Ok(ExitCode::from(exit::OK))
}

/// Takes away what the hardened install put on the machine.
fn unbuild(layout: &Layout, args: &Args) -> Result<()> {
    let (programs, states) = (layout.programs(), layout.states());
    let (programs, states) = (programs.display(), states.display());
    if args.dry_run {
        say!("{programs}: would be removed");
        return Ok(());
    }
    hardened::unbuild(layout, &args.elsewhere, args.purge)?;
    say!("{programs}: removed. An agent that is running may refuse its calls until it is started");
    say!("again.");
    match args.purge {
        true => say!("{states}: removed, with the group."),
        false => say!("What was remembered stays in {states}; --purge removes it."),
    }
    Ok(())
}

/// Takes our part out of a settings file; whether there was any. What one did not ask about and
/// holds nothing of ours is not worth a word.
fn remove(here: &Here, host: &Host, path: &str, args: &Args) -> Result<bool> {
    let shown = here.short(path);
    let is_asked = !args.agent.is_empty();
    let Ok(old) = fs::read_to_string(path) else {
        if is_asked {
            say!("{shown}: not there");
        }
        return Ok(false);
    };
    let (bare, is_changed) = helpers::without(here, host, (path, &old))?;
    if !is_changed {
        if is_asked {
            say!("{shown}: holds nothing of ours");
        }
        return Ok(false);
    }
    if args.dry_run {
        for line in diff::lines(&old, bare.as_deref().unwrap_or_default()) {
            say!("  {line}");
        }
        say!("{shown}: nothing was changed (--dry-run)");
        return Ok(true);
    }
    let store = here.shared_store()?;
    trusting::withdraw(here, &store, (host, path))?;
    switch::note(
        &store,
        surroundings::now(),
        InstallChange::Removed(path.to_owned()),
    );
    store.set_registered(&[(path.to_owned(), false)])?;
    let how = match undo(here, host, path, bare.as_deref())? {
        Undone::Exact => "is as it was before tollgate init, to the byte".to_owned(),
        Undone::Edited(None) => "holds nothing of ours any more".to_owned(),
        Undone::Edited(Some(backup)) => format!(
            "holds nothing of ours any more; as it was: {}",
            backup.file_name().unwrap_or_default().to_string_lossy()
        ),
    };
    say!("{shown}: {how}");
    Ok(true)
}

/// Takes away the programs of ours that the host started besides.
fn remove_scripts(here: &Here, host: &Host, settings: &str, dry_run: bool) -> Result<()> {
    let hook = programs::installed_hook(here);
    for script in (host.scripts)(&hook.to_string_lossy(), settings) {
        let text = fs::read_to_string(&script.path).unwrap_or_default();
        if !hosts::is_script(&text) {
            continue;
        }
        let shown = here.short(&script.path);
        if dry_run {
            say!("{shown}: nothing was changed (--dry-run)");
            continue;
        }
        let store = here.shared_store()?;
        store.undo_change(script.path.as_ref(), None)?;
        say!("{shown}: removed");
    }
    Ok(())
}

/// Takes our part out. What stood there before `init` may have been an older part of ours.
fn undo(here: &Here, host: &Host, path: &str, without: Option<&str>) -> Result<Undone> {
    let store = here.shared_store()?;
    let undone = store.undo_change(path.as_ref(), without)?;
    let before = fs::read_to_string(path).unwrap_or_default();
    match helpers::without(here, host, (path, &before)) {
        Ok((bare, true)) => Ok(store.undo_change(path.as_ref(), bare.as_deref())?),
        _ => Ok(undone),
    }
}

/// Gives the user's settings back as they were before `init` wrote the profile there, unless
/// somebody changed them since.
fn restore_profile(here: &Here, dry_run: bool) -> Result<()> {
    let path = init::profile_file(here)?;
    let store = here.remembered()?;
    let Some(store) = store.filter(|store| store.is_as_changed(&path)) else {
        return Ok(());
    };
    let shown = here.short(path.display());
    if dry_run {
        say!("{shown}: would be as it was before tollgate init");
        return Ok(());
    }
    store.undo_change(&path, None)?;
    say!("{shown}: is as it was before tollgate init, to the byte");
    Ok(())
}

/// Whether the host is still gated, and by what.
fn say_what_is_left(here: &Here, host: &Host, was_ours: bool) {
    let files = settings::of(here, host).into_iter();
    let ours: Vec<_> = files
        .filter(|file| file.registered(host).is_some())
        .collect();
    if ours.is_empty() && was_ours {
        say!("{} is {}", host.title, show::warn("no longer gated"));
    }
    for file in ours {
        let scope = settings::scope_of(here, host, &file.path);
        let path = here.short(&file.path);
        let title = host.title;
        say!("{title} is still gated by {path}: tollgate uninstall --scope {scope}");
    }
}
