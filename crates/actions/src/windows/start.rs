//! Where the text stands that a program is given in the words of Windows: `cmd /c …`,
//! `powershell -Command …`. Must not know what it says.

use super::lexer;
use super::words::{EVALUATING, operation_of, says};
use crate::Arg;
use crate::stdout::decoded;

/// The text of `cmd /c rd /s /q X`.
pub(super) fn behind_switch(args: &[Arg]) -> Option<String> {
    let mut words = args.iter();
    let is_start = |word: &&Arg| matches!(word.text.to_lowercase().as_str(), "/c" | "//c" | "/k");
    words.find(is_start)?;
    Some(match words.as_slice() {
        [line] => line.text.clone(),
        // `cmd` takes the quotes away from a first word that is more than a program.
        [first, rest @ ..] if is_line(&first.text) => {
            format!("{} {}", first.text, Arg::joined(rest).text)
        }
        words => words
            .iter()
            .map(lexer::quoted)
            .collect::<Vec<_>>()
            .join(" "),
    })
}

fn is_line(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let is_known = words
        .next()
        .is_some_and(|word| operation_of(word).is_some());
    is_known && words.next().is_some()
}

/// Options of PowerShell that have a value and say nothing of what is run.
const VALUED: &[&str] = &[
    "-configurationname",
    "-custompipename",
    "-ep",
    "-ex",
    "-exec",
    "-executionpolicy",
    "-inputformat",
    "-outputformat",
    "-settingsfile",
    "-version",
    "-w",
    "-windowstyle",
    "-wd",
    "-workingdirectory",
];

/// What PowerShell is told to run.
pub(super) enum Told<'a> {
    Text(&'a [Arg]),
    Encoded(&'a Arg),
    File(&'a Arg),
    Input,
}

pub(super) fn told(args: &[Arg]) -> Option<Told<'_>> {
    let mut at = 0;
    loop {
        let (word, rest) = args.get(at..)?.split_first()?;
        let lower = word.text.to_lowercase();
        let begins = |name: &str| lower.len() > 1 && name.starts_with(&lower);
        let is_input = |rest: &[Arg]| rest.first().is_none_or(|next| next.text == "-");
        if VALUED.contains(&lower.as_str()) {
            at += 2;
        } else if begins("-command") || begins("-file") {
            return Some(match rest {
                rest if is_input(rest) => Told::Input,
                [file, ..] if begins("-file") => Told::File(file),
                rest => Told::Text(rest),
            });
        } else if begins("-encodedcommand") || matches!(&*lower, "-ec" | "-encoded") {
            return rest.first().map(Told::Encoded);
        } else if lower == "-" {
            return Some(Told::Input);
        } else if lower.starts_with('-') {
            at += 1;
        } else if lower.ends_with(".ps1") {
            return Some(Told::File(word));
        } else {
            return args.get(at..).map(Told::Text);
        }
    }
}

/// The text that `iex (… FromBase64String('…'))` evaluates; what is decoded from something else is
/// not known.
pub(super) fn evaluated_code(text: &str) -> Option<Option<String>> {
    const CALL: &str = "frombase64string";
    let lower = text.to_ascii_lowercase();
    let at = lower.find(CALL)?;
    if !says(&lower, EVALUATING) {
        return None;
    }
    let rest = text.get(at + CALL.len()..)?.trim_start_matches([' ', '(']);
    let quoted = rest.strip_prefix(['\'', '"']);
    let quoted = quoted.and_then(|rest| rest.split(['\'', '"']).next());
    Some(quoted.and_then(|code| match lower.contains("unicode") {
        true => text_of(code),
        false => String::from_utf8(decoded(code)?).ok(),
    }))
}

/// The text of `-EncodedCommand`: base64 over pairs of bytes, the lower first.
pub(super) fn text_of(encoded: &str) -> Option<String> {
    let bytes = decoded(encoded)?;
    let pairs = bytes.chunks_exact(2);
    let units: Vec<u16> = pairs
        .filter_map(|pair| Some(u16::from_le_bytes([*pair.first()?, *pair.get(1)?])))
        .collect();
    String::from_utf16(&units).ok()
}
