//! `tollgate trust`: lets a project's rules do more than tighten, as they stand now.

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::here::Here;
use crate::{exit, sources};

#[derive(clap::Args)]
pub struct Args {
    /// Take the trust back
    #[arg(long)]
    revoke: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    let dir = here.short(&here.dirs.project);
    let digest = sources::project_digest(&here).filter(|_| !args.revoke);
    if digest.is_none() && !args.revoke {
        bail!(
            "{dir} holds no rules, so there is nothing to trust; \
             tollgate rules new NAME --project begins a pack"
        );
    }
    let store = here.store()?;
    store.trust(&here.project, digest.as_deref())?;
    sources::compile(&here, &store, &sources::read(&here))?;
    match digest {
        None => say!("{dir} is not trusted any more: its rules may only forbid and ask"),
        Some(digest) => {
            say!("{dir} is trusted as it stands now; any change to it takes the trust away");
            say!("SHA-256 of its files: {digest}");
        }
    }
    Ok(ExitCode::from(exit::OK))
}
