//! `perl -i`, `ruby -i`: files edited in place. What its program does besides is not read here.

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
        flag("p"),
        flag("n"),
        flag("a w W c s t T u U v V x X S f d D h"),
    ])
};

/// Programs that leave nothing of a line.
const EMPTYING: &[&str] = &[
    "s/.*//", "s/.*//s", "s/.*//g", "s/^.*$//", "s/.+//", "$_=''", "$_=\"\"", "undef $_",
];

/// `perl`, `ruby`
pub fn in_place(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &PERL);
    context.execute();
    if !options.has("in-place") {
        return;
    }
    // Without `p`, only what the program prints is left.
    let text = options.values("program").map(|code| code.text.as_str());
    let text = text.collect::<Vec<_>>().join("\n");
    let prints = options.has("p")
        || ["print", "puts", "say"]
            .iter()
            .any(|word| text.contains(word));
    let keeps = options
        .value("in-place")
        .is_some_and(|suffix| !suffix.text.is_empty());
    let empties = !keeps && (!prints && options.has("n") || EMPTYING.contains(&text.trim()));
    let skipped = usize::from(!options.has("program"));
    let files = options.operands.get(skipped..).unwrap_or_default();
    for hit in context.all_hits(files) {
        for target in hit.paths() {
            match empties {
                true => context.replace(target, Flags::NONE, None),
                false => context.edit_in_place(target, Flags::NONE),
            }
        }
    }
}
