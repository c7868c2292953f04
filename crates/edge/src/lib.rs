//! The edge: collects what must be known of an event, lets the gates judge, has the store
//! remember, and says what is to be said. What the hook and the command line share. It decides
//! nothing itself, and knows nothing of the process that it runs in.

mod command;
pub mod concerns;
mod definitions;
mod environment;
pub mod facts;
pub mod fallback;
pub mod installation;
pub mod installed;
pub mod judge;
pub mod keys;
pub mod limits;
mod pipeline;
pub mod plans;
pub mod presence;
pub mod processes;
pub mod provenance;
pub mod review;
pub mod rules_bundle;
mod run;
pub mod surroundings;
#[cfg(unix)]
mod sys;
#[cfg(not(unix))]
#[path = "sys_elsewhere.rs"]
mod sys;

pub use run::{Decide, Run, misregistered};
pub use sys::random;
