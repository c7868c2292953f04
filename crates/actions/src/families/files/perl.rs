//! `perl -i`, `ruby -i`: files edited in place. What its program does besides is not read here.

use super::substitute::Parts;
use crate::Arg;
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
const EMPTYING: &[&str] = &["$_=''", "$_=\"\"", "undef $_"];

/// Patterns of all that a line holds, or a whole file.
const ALL: &[&str] = &[
    ".*\\n",
    ".+\\n",
    ".*",
    ".+",
    "[\\s\\S]*",
    "[\\s\\S]+",
    "(.|\\n)*",
    "(.|\\n)+",
];

/// Whether a program leaves nothing: `s/.*//s` and its kin, whatever their marks.
fn leaves_nothing(program: &str) -> bool {
    let program = program.trim().trim_end_matches(';').trim_end();
    // `BEGIN { undef $/ } s/.*//s`
    let program = match program
        .strip_prefix("BEGIN")
        .and_then(|rest| rest.split_once('}'))
    {
        Some((_, rest)) => rest.trim_start().trim_start_matches(';').trim_start(),
        None => program,
    };
    if EMPTYING.contains(&program) {
        return true;
    }
    let Some(parts) = Parts::of(program).filter(|parts| parts.other.is_empty()) else {
        return false;
    };
    let (pattern, flags) = (parts.pattern.as_str(), parts.after);
    let pattern = pattern.trim_start_matches("\\A").trim_start_matches('^');
    let pattern = pattern.trim_end_matches("\\z").trim_end_matches('$');
    ALL.contains(&pattern) && flags.chars().all(|flag| "gims".contains(flag))
}

/// Whether a program prints anything: what it prints `if 0` it never does.
fn prints(program: &str) -> bool {
    let program = program.trim().trim_end_matches(';').trim_end();
    let is_never = [
        "if 0",
        "if(0)",
        "if (0)",
        "if false",
        "unless 1",
        "unless true",
    ]
    .iter()
    .any(|end| program.ends_with(end));
    let mut words = ["print", "puts", "say"].iter();
    let is_alone = !program.contains(';');
    (!is_never || !is_alone) && words.any(|word| program.contains(word))
}

/// `-0777pi` is `-0777 -pi`: a number ends with its digits, not with its word.
fn parted(arg: &Arg) -> Vec<Arg> {
    let letters = arg.text.strip_prefix('-').unwrap_or_default();
    let number = letters.trim_start_matches(['a', 'n', 'p', 'w']);
    let rest = number.strip_prefix(['0', 'l']).unwrap_or_default();
    let rest = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
    if rest.is_empty() || !rest.starts_with(|letter: char| letter.is_ascii_lowercase()) {
        return vec![arg.clone()];
    }
    let first = arg.text.strip_suffix(rest).unwrap_or(&arg.text);
    [first.to_owned(), format!("-{rest}")]
        .map(|text| Arg {
            text,
            ..arg.clone()
        })
        .to_vec()
}

/// `perl`, `ruby`
pub fn in_place(context: &mut CommandContext<'_, '_>) {
    let args: Vec<Arg> = context.invocation.args.iter().flat_map(parted).collect();
    let options = Options::read(&args, &PERL);
    context.execute();
    if !options.has("in-place") {
        return;
    }
    // Without `p`, only what the program prints is left.
    let text = options.values("program").map(|code| code.text.as_str());
    let text = text.collect::<Vec<_>>().join("\n");
    let prints = options.has("p") || prints(&text);
    let keeps = options
        .value("in-place")
        .is_some_and(|suffix| !suffix.text.is_empty());
    let empties = !keeps && (!prints && options.has("n") || leaves_nothing(&text));
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
