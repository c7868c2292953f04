//! The hook: the process that a host starts on every event. It reads the payload, hands it to the
//! edge, and says what comes of it, whatever breaks. It decides nothing itself.

pub mod process;
mod run;

pub use edge::Decide;
pub use run::{run, run_for, run_with};
