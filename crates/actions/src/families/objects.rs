//! Objects of stores elsewhere that are copied from here, and to here.

use crate::Arg;
use crate::command_context::CommandContext;
use model::{Flag, Flags, ResourceKind, Verb};

/// Words after which things are copied, from here to a bucket as well.
const COPYING: &[&str] = &["cp", "mv", "rsync", "sync"];

/// `aws s3 cp FILE s3://…`: what is read here leaves this machine; the other way round, what comes
/// takes the place of what is here.
pub(super) fn carry(context: &mut CommandContext<'_, '_>) {
    let args = &context.invocation.args;
    let is_address = |arg: &&Arg| arg.text.contains("://");
    let copies = args
        .iter()
        .skip_while(|arg| !COPYING.contains(&arg.text.as_str()))
        .skip(1);
    let places: Vec<Arg> = copies
        .filter(|arg| !arg.text.starts_with('-'))
        .cloned()
        .collect();
    let [from, to, ..] = places.as_slice() else {
        return;
    };
    let has = |words: &[&str]| args.iter().any(|arg| words.contains(&arg.text.as_str()));
    let is_shown = has(&["--dry-run", "--dryrun", "-n"]);
    let flags = Flags::NONE.with_if(Flag::DryRun, is_shown);
    match (is_address(&from), is_address(&to)) {
        (false, true) => {
            context.read(from);
            context.act_on(Verb::Send, (ResourceKind::Url, &to.text), flags);
        }
        // Of a whole tree it is not known what comes.
        (true, false) if to.text != "-" && !has(&["--recursive", "-R", "-r", "rsync", "sync"]) => {
            context.fetch(&from.text, to, flags);
        }
        _ => {}
    }
}
