//! `tollgate compile`: rules and settings into the rules bundle that the hook reads.

use std::process::ExitCode;

use anyhow::Result;
use store::BundleState;

use crate::here::Here;
use crate::{exit, show, sources};

#[derive(clap::Args)]
pub struct Args {
    /// Do nothing if the compiled rules are as their files say
    #[arg(long)]
    if_stale: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    let store = here.store()?;
    // Many hooks may notice the same change; one compile is enough.
    let _claim = match args.if_stale {
        false => None,
        true => match store.claim_compile(&here.project)? {
            Some(_) if matches!(store.bundle(&here.project), BundleState::Fresh(_)) => {
                return Ok(ExitCode::from(exit::OK));
            }
            Some(claim) => Some(claim),
            None => return Ok(ExitCode::from(exit::OK)),
        },
    };
    let read = sources::read(&here);
    for notice in &read.notices {
        say!("{} {notice}", show::warn("note:"));
    }
    if let Some(mistake) = sources::compile(&here, &store, &read)? {
        say!("{} {mistake}", show::bad("not compiled:"));
        say!("The last good rules stay in force.");
        return Ok(ExitCode::from(exit::FAILED));
    }
    let rules: usize = read
        .packs
        .iter()
        .map(|source| source.pack.rules.len())
        .sum();
    let count = |number: usize, noun| show::count(number as u64, noun);
    let (layers, packs) = (
        count(read.layers.len(), "layer"),
        count(read.packs.len(), "pack"),
    );
    say!("compiled: {layers}, {packs}, {}", count(rules, "rule"));
    Ok(ExitCode::from(exit::OK))
}
