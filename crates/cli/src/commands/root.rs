//! Root who answers for the user that said `sudo`, where the state is that user's own. Only looks;
//! what root says is a file beside the user's.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use edge::presence::{self, Presence};
use edge::surroundings;
use store::{Store, hardened};

use crate::install::hardened::entry;

/// Where a user's state is, below the home.
const STATE: &str = ".local/state/tollgate";

/// The state of the user that said `sudo`, opened to look; nothing if nobody did, or in a hardened
/// install, where state is no user's own.
pub fn other_users_state() -> Result<Option<(PathBuf, Store)>> {
    if hardened::layout().is_some() || !hardened::is_root() {
        return Ok(None);
    }
    let user = surroundings::env("SUDO_UID").and_then(|id| id.parse::<u32>().ok());
    let Some(user) = user.filter(|user| *user != 0) else {
        return Ok(None);
    };
    let given = surroundings::env("TOLLGATE_HOME").map(PathBuf::from);
    let state = match given.filter(|dir| dir.is_absolute()) {
        Some(state) => state,
        None => {
            let entry = entry("passwd", &user.to_string());
            let entry = entry.with_context(|| format!("there is no user {user}"))?;
            let home = entry.split(':').nth(5).unwrap_or_default().to_owned();
            PathBuf::from(home).join(STATE)
        }
    };
    let store = Store::open_as_root(&state, user)?;
    let store = store.with_context(|| format!("there is no state in {}", state.display()))?;
    Ok(Some((state, store)))
}

/// Whether root is shown to be who sits there: `sudo` asked for a password that an agent does not
/// have.
///
/// # Errors
/// If it did not, or an agent is above us.
pub fn is_password_asked(store: &Store) -> Result<()> {
    if let Presence::Worker(_) = presence::look(Some(store)) {
        bail!("an agent runs this terminal; run it in a terminal of your own");
    }
    let user = surroundings::env("SUDO_UID").unwrap_or_default();
    let mut asks = Command::new("sudo");
    asks.args(["-n", "-u", &format!("#{user}"), "sudo", "-k", "-n", "true"]);
    asks.stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let is_free = asks.status().is_ok_and(|status| status.success());
    ensure!(
        !is_free,
        "sudo asks for no password here, so it shows nothing; use the code, or make a passphrase: \
         tollgate key create"
    );
    Ok(())
}
