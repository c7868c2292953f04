//! Compressed files: `gzip` and its kin.

use super::relocate::Landing;
use crate::Target;
use crate::command_context::CommandContext;
use crate::options::{Options, Spec, attached, flag, value};
use model::{Flags, Verb};

const SQUEEZE: Spec = Spec::gnu(&[
    flag("stdout c to-stdout"),
    flag("decompress d uncompress"),
    flag("keep k"),
    flag("force f"),
    flag("list l"),
    flag("test t"),
    flag("recursive r"),
    flag("rm"),
    value("suffix S"),
    attached("threads T"),
    value("output o"),
    value("dictionary D"),
    flag("n N q v a 1 2 3 4 5 6 7 8 9 0 e z 19 fast best quiet verbose no-name name compress"),
]);

/// Endings of compressed files, by the programs that make them, parted by spaces.
const ENDINGS: &[(&str, &str)] = &[
    ("brotli", ".br"),
    ("bunzip2 bzip2 pbzip2", ".bz2"),
    ("gunzip gzip pigz unpigz", ".gz"),
    ("lz4 unlz4", ".lz4"),
    ("lzip", ".lz"),
    ("lzma unlzma", ".lzma"),
    ("unxz xz", ".xz"),
    ("unzstd zstd", ".zst"),
];

/// Those that leave what they were given unless they are told to take it away.
const KEEPING: &[&str] = &["brotli", "lz4", "unlz4", "unzstd", "zstd"];

/// `gzip`, `bzip2`, `xz`, `zstd`
pub fn squeeze(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &SQUEEZE);
    let expands = options.has("decompress");
    convert(context, &options, expands);
}

/// `gunzip`, `bunzip2`, `unxz`
pub fn expand(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &SQUEEZE);
    convert(context, &options, true);
}

/// The content goes on under another name.
fn convert(context: &mut CommandContext<'_, '_>, options: &Options, expands: bool) {
    if options.asks_for_help() {
        return;
    }
    if options.has_any(&["stdout", "list", "test"]) {
        return context.read_all(&options.operands);
    }
    if let Some(output) = options.value("output") {
        context.read_all(&options.operands);
        let target = context.target(output);
        return match options.has("force") {
            true => context.replace(&target, Flags::NONE, None),
            false => context.create(&target, Flags::NONE, None),
        };
    }
    let program = context.invocation.program.as_str();
    let mut endings = ENDINGS.iter();
    let ending = endings.find(|(names, _)| names.split(' ').any(|name| name == program));
    let ending = ending.map_or("", |(_, ending)| ending);
    let keeps_source = options.has("keep") || (KEEPING.contains(&program) && !options.has("rm"));
    for hit in context.all_hits(&options.operands) {
        for from in hit.paths() {
            let path = if expands {
                from.path
                    .strip_suffix(ending)
                    .unwrap_or(&from.path)
                    .to_owned()
            } else {
                format!("{}{ending}", from.path)
            };
            let to = Target {
                path,
                ..from.clone()
            };
            let landing = Landing {
                target: to,
                inside: false,
                // Without `-f` a name that is taken is refused.
                keeps: !options.has("force"),
            };
            if keeps_source {
                context.act(CommandContext::action(Verb::Read, from));
                landing.write(context);
            } else {
                landing.take(context, from);
            }
        }
    }
}
