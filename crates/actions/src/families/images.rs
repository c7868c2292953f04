//! Images and packages that are put into a registry, by programs that know nothing else. A table.

use crate::address::is_loopback;
use crate::command_context::CommandContext;
use model::{Flags, ResourceKind, Verb};

/// Which word behind a subcommand says where something goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goes {
    First,
    Last,
    /// The last one, if it says that it is a registry.
    Marked,
}

/// By program and subcommand.
const PUTTING: &[(&str, &str, Goes)] = &[
    ("crane", "append", Goes::Marked),
    ("crane", "copy", Goes::Last),
    ("crane", "cp", Goes::Last),
    ("crane", "push", Goes::Last),
    ("oras", "attach", Goes::First),
    ("oras", "copy", Goes::Last),
    ("oras", "cp", Goes::Last),
    ("oras", "push", Goes::First),
    ("regctl", "image copy", Goes::Last),
    ("regctl", "image cp", Goes::Last),
    ("regctl", "image import", Goes::First),
    ("skopeo", "copy", Goes::Marked),
];

/// Options with which a copy stays on this machine.
const STAYING: &[&str] = &["--dry-run", "--help", "--oci-layout", "--to-oci-layout"];

/// How an image in a registry is told from other places.
const MARK: &str = "docker://";

/// An image is put into a registry of others; `false` if it is none, or stays here.
pub(super) fn put_out(context: &mut CommandContext<'_, '_>) -> bool {
    let args = &context.invocation.args;
    let program = context.invocation.program.as_str();
    if args.iter().any(|arg| STAYING.contains(&arg.text.as_str())) {
        return false;
    }
    let words = args.iter().map(|arg| arg.text.as_str());
    let words: Vec<&str> = words.filter(|word| !word.starts_with('-')).collect();
    let found = PUTTING.iter().find_map(|(name, subcommand, goes)| {
        let own: Vec<&str> = subcommand.split(' ').collect();
        let rest = words.strip_prefix(own.as_slice())?;
        let place = match goes {
            Goes::First => rest.first(),
            Goes::Last | Goes::Marked => rest.last(),
        };
        let place = place.filter(|place| *goes != Goes::Marked || place.starts_with(MARK));
        (*name == program).then_some(*place?)
    });
    let Some(place) = found.filter(|place| !is_loopback(place)) else {
        return false;
    };
    let place = place.to_owned();
    context.act_on(Verb::Publish, (ResourceKind::Package, &place), Flags::NONE);
    true
}
