//! `perl -i`: files edited in place. What its program does besides is not read here.

use crate::command_context::CommandContext;
use crate::options::{Options, Spec, attached, flag, value};
use model::Flags;

const PERL: Spec = Spec {
    abbreviate: false,
    ..Spec::leading(&[
        value("program e E"),
        attached("in-place i"),
        attached("0"),
        attached("l"),
        attached("F"),
        attached("C"),
        attached("M m"),
        value("I"),
        flag("p n a w W c s t T u U v V x X S f d D h"),
    ])
};

/// `perl`
pub fn in_place(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &PERL);
    context.execute();
    if !options.has("in-place") {
        return;
    }
    let skipped = usize::from(!options.has("program"));
    let files = options.operands.get(skipped..).unwrap_or_default();
    for hit in context.all_hits(files) {
        for target in hit.paths() {
            context.edit_in_place(target, Flags::NONE);
        }
    }
}
