//! Programs that make one file of others: converters, compilers, key generators. Where that file
//! goes is said by an option or by a place among the words.

use crate::Arg;
use crate::Input;
use crate::command_context::CommandContext;
use crate::stdout::dump_that_drops;
use model::{Flags, PathKind};
use text::path;

/// How a program says where its product goes.
struct Product {
    program: &'static str,
    /// Options whose value is the product.
    options: &'static [&'static str],
    /// Which word, counted from one, is the product; zero = none, [`LAST`] = the last.
    operand: usize,
    /// Other options that have a value.
    values: &'static [&'static str],
}

const LAST: usize = usize::MAX;

const fn by(program: &'static str, options: &'static [&'static str]) -> Product {
    Product {
        program,
        options,
        operand: 0,
        values: &[],
    }
}

const fn at(operand: usize, product: Product) -> Product {
    Product { operand, ..product }
}

const fn with(values: &'static [&'static str], product: Product) -> Product {
    Product { values, ..product }
}

/// Compilers and linkers: what they make is made again by themselves.
const COMPILERS: &[&str] = &[
    "as", "c++", "cc", "clang", "clang++", "g++", "gcc", "gfortran", "ld", "nasm", "objcopy",
    "rustc", "strip",
];

/// What writes a database down as statements.
const DUMPS: &[&str] = &["mariadb-dump", "mysqldump", "pg_dump", "pg_dumpall"];

const OUTPUT: &[&str] = &["-o", "--output"];

const PRODUCTS: &[Product] = &[
    by("as", &["-o"]),
    by("asciidoctor", &["-o", "--out-file"]),
    by("bison", OUTPUT),
    by("c++", &["-o"]),
    by("cc", &["-o"]),
    by("clang", &["-o"]),
    by("clang++", &["-o"]),
    at(
        2,
        with(&["-D", "-I", "-U", "-x", "-include"], by("cpp", &["-o"])),
    ),
    at(LAST, by("avifenc", &["-o", "--output"])),
    at(LAST, by("convert", &[])),
    by("dot", &["-o"]),
    at(LAST, by("ffmpeg", &[])),
    by("flex", &["-o", "--outfile"]),
    by("g++", &["-o"]),
    by("gcc", &["-o"]),
    by("gfortran", &["-o"]),
    by("gs", &["-o", "-sOutputFile"]),
    at(LAST, by("heif-convert", OUTPUT)),
    by("iconv", OUTPUT),
    by("inkscape", &["-o", "--export-filename"]),
    at(
        2,
        with(&["-B", "-V", "-b", "-m", "-q", "--preset"], by("lame", &[])),
    ),
    by("ld", OUTPUT),
    at(LAST, by("magick", &[])),
    by("mariadb-dump", &["-r", "--result-file"]),
    by("mysqldump", &["-r", "--result-file"]),
    by("nasm", &["-o"]),
    at(
        2,
        with(
            &["-j", "-R", "-I", "-O", "-B", "-K", "-N"],
            by("objcopy", &[]),
        ),
    ),
    by("pandoc", OUTPUT),
    by("pdftk", &["output"]),
    at(
        2,
        with(&["-f", "-l", "-r", "-x", "-y"], by("pdftotext", &[])),
    ),
    at(LAST, by("pdfunite", &[])),
    at(LAST, by("qpdf", &[])),
    by("rsvg-convert", OUTPUT),
    by("pg_dump", &["-f", "--file"]),
    by("pg_dumpall", &["-f", "--file"]),
    by("protoc", &["-o", "--descriptor_set_out"]),
    at(2, by("ps2pdf", &[])),
    by("rustc", &["-o"]),
    at(
        2,
        with(&["--load-path", "-I", "--style", "-s"], by("sass", &[])),
    ),
    at(2, by("sox", &[])),
    by("strip", &["-o"]),
    by("tcpdump", &["-w"]),
    by("tsc", &["--outFile"]),
    at(3, by("typst", &[])),
    at(2, by("weasyprint", &[])),
    at(LAST, by("wkhtmltoimage", &[])),
    at(LAST, by("wkhtmltopdf", &[])),
    by("xmllint", OUTPUT),
    by("xsltproc", OUTPUT),
];

/// Programs that change the files they are given, each with the option that has it do so, if it
/// does so only with one.
const IN_PLACE: &[(&str, &str)] = &[
    ("exiftool", "-overwrite_original"),
    ("jpegoptim", ""),
    ("mogrify", ""),
    ("optipng", ""),
    ("qpdf", "--replace-input"),
];

/// Has the files that a program changes kept; whether it does so at all.
fn changes(context: &mut CommandContext<'_, '_>) -> bool {
    let program = context.invocation.program.as_str();
    let args = &context.invocation.args;
    let has = |option: &str| args.iter().any(|arg| arg.text.starts_with(option));
    let row = IN_PLACE.iter().find(|(name, _)| *name == program);
    if !row.is_some_and(|(_, option)| has(option)) {
        return false;
    }
    let files = args.iter().filter(|arg| !arg.text.starts_with('-'));
    let files: Vec<Arg> = files.cloned().collect();
    for hit in context.all_hits(&files) {
        for target in hit.paths() {
            if context.kind(target) == Some(PathKind::File) {
                context.edit_in_place(target, Flags::NONE);
            }
        }
    }
    true
}

/// Reads where the product goes.
pub fn product(context: &mut CommandContext<'_, '_>) {
    context.execute();
    if changes(context) {
        return;
    }
    let program = context.invocation.program.as_str();
    let Some(row) = PRODUCTS.iter().find(|row| row.program == program) else {
        return;
    };
    // It asks before it replaces, and nobody answers.
    let asks = program == "ffmpeg" && !context.invocation.args.iter().any(|arg| arg.text == "-y");
    if asks && matches!(context.invocation.input, Input::Inherited) {
        return;
    }
    for file in products(&context.invocation.args, row) {
        if file.text.is_empty() || file.text == "-" {
            continue;
        }
        let target = context.target(&file);
        let is_built = COMPILERS.contains(&program)
            && matches!(
                extension(&target.path),
                "" | "a" | "dylib" | "exe" | "o" | "out" | "so"
            );
        match is_built {
            true => context.edit(&target, Flags::NONE),
            false => {
                let text = dump_that_drops(context.invocation).filter(|_| DUMPS.contains(&program));
                context.replace(&target, Flags::NONE, text);
            }
        }
    }
}

fn extension(file: &str) -> &str {
    path::file_name(file)
        .rsplit_once('.')
        .map_or("", |(_, end)| end)
}

fn products(args: &[Arg], row: &Product) -> Vec<Arg> {
    let mut found = Vec::new();
    let mut operands = 0;
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if row.options.contains(&text) {
            found.extend(words.next().cloned());
        } else if row.values.contains(&text) {
            words.next();
        } else if let Some(value) = attached(text, row.options) {
            found.push(Arg {
                text: value.to_owned(),
                ..word.clone()
            });
        } else if !text.starts_with('-') {
            operands += 1;
            if operands == row.operand {
                found.push(word.clone());
            }
        }
    }
    let last = args.last().filter(|last| !last.text.starts_with('-'));
    if row.operand == LAST && operands > 1 {
        found.extend(last.cloned());
    }
    found
}

/// The value in `--output=x` and `-ox`.
fn attached<'t>(text: &'t str, options: &[&str]) -> Option<&'t str> {
    options.iter().find_map(|option| {
        let rest = text.strip_prefix(option)?;
        match option.starts_with("--") {
            true => rest.strip_prefix('='),
            false => Some(rest.strip_prefix('=').unwrap_or(rest)).filter(|rest| !rest.is_empty()),
        }
    })
}

/// Options of `ssh-keygen` that do something else than to make a key.
const KEYGEN_OTHERS: &[char] = &[
    'A', 'B', 'D', 'F', 'H', 'K', 'L', 'M', 'R', 'Y', 'c', 'e', 'i', 'l', 'p', 'r', 's', 'y',
];

/// `ssh-keygen -f file`: what is there is replaced only where something answers that it may be.
pub fn keygen(context: &mut CommandContext<'_, '_>) {
    let args = &context.invocation.args;
    let does_other = |arg: &Arg| {
        let letters = arg
            .text
            .strip_prefix('-')
            .filter(|rest| !rest.starts_with('-'));
        letters.is_some_and(|letters| letters.starts_with(KEYGEN_OTHERS))
    };
    let is_answered = !matches!(context.invocation.input, Input::Inherited);
    let file = args.iter().position(|arg| arg.text == "-f");
    let file = file.and_then(|at| args.get(at + 1)).cloned();
    let Some(file) = file.filter(|_| !args.iter().any(does_other)) else {
        return context.execute();
    };
    let target = context.target(&file);
    match is_answered {
        true => context.replace(&target, Flags::NONE, None),
        false => context.create(&target, Flags::NONE, None),
    }
}
