//! TEMPORARY
use crate::{Invocation, World};
pub(crate) fn run(_: &mut World<'_>, _: &Invocation, _: &str) {}
pub(crate) fn cmd(_: &mut World<'_>, _: &Invocation) -> bool { false }
pub(crate) fn program(_: &mut World<'_>, _: &Invocation) -> bool { false }
