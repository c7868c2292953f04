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
    let store = here.store()?;
    let Some(digest) = sources::project_digest(&here) else {
        bail!(
            "{} holds no config.toml and no packs; there is nothing to trust",
            here.dirs.project
        );
    };
    store.trust(&here.project, (!args.revoke).then_some(digest.as_str()))?;
    sources::compile(&here, &store, &sources::read(&here))?;
    let dir = here.short(&here.dirs.project);
    if args.revoke {
        say!("{dir} is not trusted any more: its rules may only forbid and ask");
    } else {
        say!("{dir} is trusted as it stands now; any change to it takes the trust away");
        say!("SHA-256 of its files: {digest}");
    }
    Ok(ExitCode::from(exit::OK))
}
