//! What this process does otherwise than one that lives longer: it is to start and end at once, and
//! to answer whatever breaks. Knows nothing of what is answered.

pub mod fallback;
pub mod heap;
#[cfg(target_arch = "x86_64")]
pub mod memory;
#[cfg(unix)]
pub mod start;
#[cfg(unix)]
mod sys;
#[cfg(not(unix))]
#[path = "process/sys_elsewhere.rs"]
mod sys;
