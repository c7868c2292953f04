//! Texts that become prompts.

use crate::{Invocation, World};
use model::{Action, ResourceKind, Verb, code_in};

/// Text that becomes a prompt, now or later: in a human's place the worker would say yes with it.
/// Not all hosts tell a prompt that they typed for their worker from a human's.
pub(super) fn answers(world: &mut World<'_>, invocation: &Invocation, text: &str) {
    if code_in(text).is_some() {
        world.act(
            invocation,
            Action::new(Verb::Tamper, ResourceKind::Gate, "owner-command"),
        );
    }
}
