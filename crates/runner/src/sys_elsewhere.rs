//! Where there are no process groups: the child alone is ended.

use std::process::{Child, Command};

/// Does nothing here.
pub fn own_group(_: &mut Command) {}

/// Nobody knows without waiting.
pub fn has_ended(_: &Child) -> bool {
    false
}

/// Does nothing here.
pub fn ask_group_to_end(_: &Child) {}

/// Does nothing here.
pub fn end_group(_: &Child) {}
