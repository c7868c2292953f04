//! Members that go out of an archive: it may be the only place where they are.

use crate::Target;
use crate::command_context::CommandContext;
use model::{Flags, PathKind};

/// Members go out of an archive that is there.
pub(super) fn take_out(context: &mut CommandContext<'_, '_>, archive: &Target) {
    if context.kind(archive) != Some(PathKind::Missing) {
        context.replace(archive, Flags::NONE, None);
    }
}

/// `ar d ARCHIVE MEMBER…`
pub fn ar(context: &mut CommandContext<'_, '_>) {
    let args = context.invocation.args.as_slice();
    match args {
        [operation, archive, _, ..] if operation.text.trim_start_matches('-').starts_with('d') => {
            let target = context.target(archive);
            take_out(context, &target);
        }
        _ => context.execute(),
    }
}
