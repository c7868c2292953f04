//! `tollgate uninstall`: takes the gate away again.

use std::fs;
use std::process::ExitCode;

use anyhow::{Context, Result};
use hosts::{HOSTS, Host, Scope};
use store::outside;

use super::init;
use crate::here::Here;
use crate::{diff, exit};

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
    let named = |host: &&&Host| args.agent.is_empty() || args.agent.iter().any(|id| id == host.id);
    for host in HOSTS.iter().filter(named) {
        if let Some(path) = host.settings_file(args.scope, &here.roots()) {
            remove(host, &path, args.dry_run)?;
        }
    }
    println!("State is kept in {}; remove it by hand if you want.", here.state.display());
    Ok(ExitCode::from(exit::OK))
}

fn remove(host: &Host, path: &str, dry_run: bool) -> Result<()> {
    let Ok(old) = fs::read_to_string(path) else {
        println!("{path}: not there");
        return Ok(());
    };
    let edit = (host.uninstall)(&old).with_context(|| format!("{path} was left as it is"))?;
    if !edit.changed {
        println!("{path}: holds nothing of ours");
        return Ok(());
    }
    for line in diff::lines(&old, edit.text.as_deref().unwrap_or_default()) {
        println!("  {line}");
    }
    if dry_run {
        println!("{path}: nothing was changed (--dry-run)");
        return Ok(());
    }
    match &edit.text {
        Some(text) => drop(outside::replace(path.as_ref(), text)?),
        None => outside::remove(path.as_ref())?,
    }
    println!("{path}: {} is no longer gated", host.title);
    Ok(())
}
