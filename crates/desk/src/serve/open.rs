//! `tollgate open`, and where a passkey is added: a link that is good once, for the desk that runs.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use edge::provenance::{self, Worker};
use store::Store;

use super::{Place, tokens};
use crate::args::OpenArgs;
use crate::say;

/// Opens the desk's pages.
///
/// # Errors
/// If no desk runs, or the link cannot be made.
pub fn run(args: &OpenArgs) -> Result<u8> {
    let store = crate::store()?;
    owners(&store)?;
    let link = format!("{}/#t={}", place(&store)?, tokens::key(&store)?);
    show(&link, args.print, "once, within a minute");
    Ok(say::OK)
}

/// Opens the page on which a passkey of this name is added.
///
/// # Errors
/// If no desk runs, or the link cannot be made.
pub fn add_passkey(store: &Store, name: &str, print: bool) -> Result<()> {
    let place = place(store)?;
    let link = format!("{place}/passkey#r={}", tokens::passkey_key(store, name)?);
    show(
        &link,
        print,
        "once, within five minutes, where you have opened the desk before",
    );
    Ok(())
}

/// Refuses an agent: who opens the pages sees what waits, and may say no to it.
///
/// # Errors
/// If one is above this process.
pub fn owners(store: &Store) -> Result<()> {
    if let Some(Worker::Below(host)) = provenance::below_worker(Some(store)) {
        let (number, name) = (host.number, host.name);
        bail!("the desk is for you, not for an agent: process {number} ({name}) runs this");
    }
    Ok(())
}

fn place(store: &Store) -> Result<String> {
    let place = Place::of(store).context("no desk runs; in another terminal: tollgate serve")?;
    Ok(format!("http://localhost:{}", place.port))
}

fn show(link: &str, print: bool, how: &str) {
    let opener = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let mut command = Command::new(opener);
    command
        .arg(link)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let is_opened = !print && command.status().is_ok_and(|status| status.success());
    say!("{link}");
    let opened = if is_opened {
        "opened"
    } else {
        "open it in your browser"
    };
    say!("({opened}; good {how})");
}
