//! What `init` puts in its place, `uninstall` takes away and `doctor` looks after: programs, the
//! hosts' settings files, helpers, a client's trust, the hardened install.

pub mod hardened;
pub mod helpers;
pub mod profiles;
pub mod programs;
pub mod settings;
pub mod trusting;
