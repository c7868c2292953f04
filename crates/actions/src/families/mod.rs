//! One file a family of programs. A family reads an [`Invocation`](crate::Invocation) and puts
//! what it would do into the [`World`](crate::World).

use crate::{Invocation, World};

/// A family of programs.
pub struct Family {
    /// Its name (`files`, `git`).
    pub id: &'static str,
    /// The programs it knows, sorted.
    pub programs: &'static [&'static str],
    /// Reads one command of these programs.
    pub read: fn(&Invocation, &mut World<'_>),
}

/// All families. A program that no family knows is an opaque `execute`.
pub const FAMILIES: &[Family] = &[];
