//! The edge of the hook: reads the event, collects what must be known, lets the gates judge, has
//! the store remember, and answers. It decides nothing itself.

mod command;
pub mod concerns;
mod definitions;
mod edge;
mod environment;
pub mod facts;
pub mod fallback;
pub mod heap;
pub mod house;
pub mod installed;
pub mod judge;
pub mod last_word;
pub mod limits;
#[cfg(target_arch = "x86_64")]
pub mod memory;
pub mod overlay;
pub mod processes;
pub mod provenance;
mod run;
#[cfg(unix)]
pub mod start;
pub mod surroundings;
#[cfg(unix)]
mod sys;
#[cfg(not(unix))]
#[path = "sys_elsewhere.rs"]
mod sys;

pub use run::{Decide, run, run_for, run_with};
pub use sys::random;
