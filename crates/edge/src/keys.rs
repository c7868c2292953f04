//! What a yes that came by key is checked against: the machine that it was given for, and the
//! public halves of the user's keys. Looked up only where such a yes is used.

use store::Store;
use work::approvals::evidence::{Keys, Passkey};

/// Where a system keeps a name of its own that no other machine has.
const MACHINE_FILES: &[&str] = &["/etc/machine-id", "/var/lib/dbus/machine-id"];

/// Longest such name, in bytes.
const MACHINE_BYTES_MAX: usize = 64;

/// What this machine calls itself, as one word; empty where the system says nothing.
#[must_use]
pub fn machine() -> String {
    let mut said = MACHINE_FILES.iter().map(std::fs::read_to_string);
    let said = said.find_map(Result::ok).unwrap_or_default();
    let name = said.trim();
    let is_word = name.len() <= MACHINE_BYTES_MAX && name.chars().all(char::is_alphanumeric);
    if is_word {
        name.to_owned()
    } else {
        String::new()
    }
}

/// The public halves of the user's keys.
#[must_use]
pub fn of(store: &Store) -> Keys {
    Keys {
        passphrase: store.public_key(),
        passkeys: Passkey::read_all(&store.passkeys()),
    }
}
