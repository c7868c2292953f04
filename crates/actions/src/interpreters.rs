//! TEMPORARY
use crate::{Invocation, World};
pub(crate) fn interpret(_: &mut World<'_>, _: &Invocation) -> bool { false }
