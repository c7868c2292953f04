//! What several hosts share. Must not know any host's names.
//!
//! - **Events and calls**: `wire`, `events`, `ending`, `input`, `calls`.
//! - **Answers**: `reply`, `capabilities` (what a host can be told, as closed sets: replies keep to
//!   it, and the tables of `docs/hosts.md` are made of it), and the forms that several hosts took
//!   over from one another: `form`, `status`.
//! - **Settings**: `settings`, `nested`, `watch`, `level`, `members`, `wrapped`, `script`, `paths`,
//!   `trust`, `folders`; of what is none of ours in them `free`, `edited`, `toml`.
//! - **Sessions**: `session_format`, `transcript_source`, `usage`.
//! - **The rest**: `helpers`, `review`, `judge`, `drive`, `acp`, `limits`, `times`,
//!   `plans`, `probe`, `patience`, `provenance`, `proxied` (what goes through our proxy), and
//!   `plain`, the rest of a host's constant.

pub(crate) mod acp;
pub(crate) mod calls;
pub(crate) mod capabilities;
pub(crate) mod drive;
pub(crate) mod edited;
pub(crate) mod ending;
pub(crate) mod events;
pub(crate) mod folders;
pub(crate) mod form;
pub(crate) mod free;
pub(crate) mod helpers;
pub(crate) mod input;
pub(crate) mod judge;
pub(crate) mod level;
pub(crate) mod limits;
pub(crate) mod members;
pub(crate) mod nested;
pub(crate) mod paths;
pub(crate) mod patience;
pub(crate) mod plain;
pub(crate) mod plans;
pub(crate) mod probe;
pub(crate) mod provenance;
pub mod proxied;
pub(crate) mod reply;
pub(crate) mod review;
pub(crate) mod script;
pub(crate) mod servers;
pub(crate) mod session_format;
pub(crate) mod settings;
pub(crate) mod status;
pub(crate) mod times;
pub(crate) mod toml;
pub(crate) mod transcript_source;
pub(crate) mod trust;
pub(crate) mod usage;
pub(crate) mod watch;
pub(crate) mod wire;
pub(crate) mod wrapped;
