//! `tollgate compile`: rules and settings into the rules bundle that the hook reads.

use std::process::ExitCode;

use anyhow::Result;
use store::{BundleState, Store};
use text::words;

use crate::commands::learn;
use crate::here::Here;
use crate::records::index;
use crate::{exit, show, sources};

#[derive(clap::Args)]
pub struct Args {
    /// Do nothing if the compiled rules are as their files say
    #[arg(long)]
    if_stale: bool,
}

/// Whether rules and index are compiled as their files say.
fn is_fresh(here: &Here, store: &Store) -> bool {
    let is_index_fresh = match store.index_table() {
        Some(table) => table.is_fresh,
        None => store.index_stamp().stamp.is_none(),
    };
    is_index_fresh && matches!(store.bundle(&here.project), BundleState::Fresh(_))
}

/// Compiles the index of patterns, if there is one; learns it anew if it is gone.
fn index(here: &Here, store: &Store) -> Result<()> {
    let is_there = store.index_stamp().stamp.is_some();
    if !is_there && store.index_table().is_none() {
        return Ok(());
    }
    if !is_there {
        learn::from_journals(store, &here.rules_bundle().rules)?;
    }
    match index::compile(store) {
        Ok((count, refused)) => {
            say!("compiled: {}", words::count(count as u64, "pattern"));
            for one in refused {
                say!("{} {}: {}", show::bad("not used:"), one.id, one.why);
            }
        }
        // The last good table stays in force, and rules are compiled all the same.
        Err(error) => say!("{} {error:#}", show::bad("index not compiled:")),
    }
    Ok(())
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    let store = here.store()?;
    // Many hooks may notice the same change; one compile is enough.
    let _claim = match args.if_stale {
        false => None,
        true => match store.claim_compile(&here.project)? {
            Some(_) if is_fresh(&here, &store) => {
                return Ok(ExitCode::from(exit::OK));
            }
            Some(claim) => Some(claim),
            None => return Ok(ExitCode::from(exit::OK)),
        },
    };
    index(&here, &store)?;
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
    let count = |number: usize, noun| words::count(number as u64, noun);
    let (layers, packs) = (
        count(read.layers.len(), "layer"),
        count(read.packs.len(), "pack"),
    );
    say!("compiled: {layers}, {packs}, {}", count(rules, "rule"));
    Ok(ExitCode::from(exit::OK))
}
