//! The real clients, each at the version that `e2e/clients.txt` names.

use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, bail};

use crate::shell;

/// Where a client lives and which one it is.
#[derive(Clone)]
pub struct Client {
    /// Its id in `clients.txt`.
    pub id: String,
    /// The version that is pinned.
    pub version: String,
    /// The program.
    pub program: PathBuf,
}

/// Installs a client into `target/` if it is not there, and says where it is.
///
/// # Errors
/// If it is not in `clients.txt`, or npm cannot install it.
pub fn install(id: &str) -> Result<Client> {
    let list = fs::read_to_string(shell::root().join("e2e/clients.txt"))?;
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    let words = lines.map(|line| line.split(' ').collect::<Vec<_>>());
    let found = words.into_iter().find(|words| words.first() == Some(&id));
    let Some([_, package, version, inside]) = found.as_deref() else {
        bail!("`{id}` is not in e2e/clients.txt");
    };
    // Of two scenarios that need it at once, one installs it.
    static INSTALLS: Mutex<()> = Mutex::new(());
    let _alone = INSTALLS.lock().unwrap_or_else(PoisonError::into_inner);
    let home = shell::root()
        .join("target/clients")
        .join(format!("{id}-{version}"));
    let program = home.join("node_modules").join(inside);
    if !program.exists() {
        fs::create_dir_all(&home)?;
        let prefix = home.display().to_string();
        let named = format!("{package}@{version}");
        shell::run(
            "npm",
            &[
                "install",
                "--no-audit",
                "--no-fund",
                "--prefix",
                &prefix,
                &named,
            ],
        )?;
    }
    if !program.exists() {
        bail!(
            "{named} holds no `{inside}` on this machine",
            named = package
        );
    }
    Ok(Client {
        id: id.to_owned(),
        version: (*version).to_owned(),
        program,
    })
}
