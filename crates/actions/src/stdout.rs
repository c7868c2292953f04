//! Output evaluation: what a command prints, where it can be said without running it. Everything
//! else is not known. Which program prints what is said in its own row.

mod caches;
mod filters;
mod listing;
mod selected;
mod settings;
mod stored;
mod values;

pub(crate) use caches::of as caches;
pub(crate) use filters::{cut, head, metered, rev, tac, tail, tr, unpacker, xxd};
pub(crate) use listing::ls;
pub(crate) use settings::{jq, may_be_settings, quoted};
pub(crate) use stored::{asked, dump, dump_that_drops, forge, managed, stored, unzip};
pub(crate) use values::picked;

use crate::machine::{MADE_UP, Output};
use crate::world::own;
use crate::{Arg, Input, Invocation, World};
use model::{Certainty, Fact};
use stored::{last_words, names_output};
use text::{glob, path};

/// Options by which a program decodes; the others always do.
const DECODING: &[(&str, &[&str])] = &[
    ("base32", &["-d", "-D", "--decode"]),
    ("gpg", &["-d", "--decrypt"]),
    ("openssl", &["-d"]),
    ("xxd", &["-r", "-rp", "-pr", "-revert"]),
];

/// Programs whose output nobody has read as what it is, unless it was downloaded.
pub(crate) fn decoder(world: &mut World<'_>, invocation: &Invocation) -> Output {
    world.expanded = only_file(invocation).map(|file| world.target(file).path);
    // A bare connection, whatever it is wrapped in.
    if invocation
        .args
        .first()
        .is_some_and(|arg| arg.text == "s_client")
    {
        return Output::Download(format!("tcp://{}", last_words(invocation)));
    }
    let program = invocation.program.as_str();
    let options = DECODING.iter().find(|(name, _)| *name == program);
    let given = |arg: &Arg| options.is_none_or(|(_, all)| all.contains(&arg.text.as_str()));
    if options.is_some() && !invocation.args.iter().any(given) {
        return Output::Unknown;
    }
    match Output::filtered(&invocation.input) {
        Output::Unknown => Output::Text(Arg::foreign(Arg::DECODED)),
        known => known,
    }
}

/// The one file that a command reads, by its name or as its input.
fn only_file(invocation: &Invocation) -> Option<&Arg> {
    let mut files = invocation
        .args
        .iter()
        .filter(|arg| !arg.text.starts_with('-'));
    let file = match (files.next(), files.next(), &invocation.input) {
        (Some(only), None, _) => only,
        (None, _, Input::File(file)) => file,
        _ => return None,
    };
    (file.is_known() && !file.glob).then_some(file)
}

/// What comes in over a connection.
pub(crate) fn remote(_: &mut World<'_>, invocation: &Invocation) -> Output {
    Output::Download(format!("tcp://{}", last_words(invocation)))
}

/// `which rm`, `command -v rm`: the path of a program.
fn place_of(invocation: &Invocation, option: &str) -> Output {
    let words: Vec<&Arg> = invocation
        .args
        .iter()
        .filter(|arg| arg.text != option)
        .collect();
    let is_asked = option.is_empty() || words.len() < invocation.args.len();
    match words.as_slice() {
        [name] if is_asked && name.is_known() && name.text.contains('/') => line((*name).clone()),
        [name] if is_asked && name.is_known() && !name.text.starts_with('-') => {
            line(Arg::derived(format!("/usr/bin/{}", name.text)))
        }
        _ => Output::Unknown,
    }
}

/// Most numbers that `seq` is spelled out to.
const SEQ_MAX: u64 = 256;

/// Nothing is printed.
pub(crate) fn nothing(_: &mut World<'_>, _: &Invocation) -> Output {
    Output::nothing()
}

/// The input is printed.
pub(crate) fn input(_: &mut World<'_>, invocation: &Invocation) -> Output {
    passed_on(&invocation.input)
}

/// `xargs` without a command prints its input.
pub(crate) fn xargs(world: &mut World<'_>, invocation: &Invocation) -> Output {
    if invocation.args.is_empty() {
        input(world, invocation)
    } else {
        Output::Unknown
    }
}

/// `basename path`
pub(crate) fn basename(_: &mut World<'_>, invocation: &Invocation) -> Output {
    of_path(invocation, |path| path::file_name(path).to_owned())
}

/// `dirname path`
pub(crate) fn dirname(_: &mut World<'_>, invocation: &Invocation) -> Output {
    of_path(invocation, directory)
}

/// `command -v program`
pub(crate) fn command(_: &mut World<'_>, invocation: &Invocation) -> Output {
    place_of(invocation, "-v")
}

/// `type -P program`
pub(crate) fn type_of(_: &mut World<'_>, invocation: &Invocation) -> Output {
    place_of(invocation, "-P")
}

/// `which program`
pub(crate) fn which(_: &mut World<'_>, invocation: &Invocation) -> Output {
    place_of(invocation, "")
}

/// `pwd`
pub(crate) fn pwd(world: &mut World<'_>, _: &Invocation) -> Output {
    let cwd = world.cwd();
    cwd.map_or(Output::Unknown, |cwd| line(Arg::derived(cwd)))
}

/// `whoami`
pub(crate) fn whoami(world: &mut World<'_>, _: &Invocation) -> Output {
    let user = world.place.var("USER");
    user.map_or(Output::Unknown, |user| line(Arg::derived(user)))
}

fn line(text: Arg) -> Output {
    Output::Text(text.followed_by(&Arg::literal("\n")))
}

fn passed_on(input: &Input) -> Output {
    match input {
        Input::Text(text) => Output::Text(text.clone()),
        Input::File(file) => Output::File(file.clone()),
        Input::Download(url) => Output::Download(url.clone()),
        Input::Packed(packed) => Output::Packed(packed.clone()),
        Input::Inherited | Input::Unknown => Output::Unknown,
    }
}

/// A word as it is printed: a glob is not known.
fn shown(arg: &Arg) -> Arg {
    if arg.glob && glob::is_glob(&arg.text) {
        Arg::unknown()
    } else {
        arg.clone()
    }
}

/// `echo words…`
pub(crate) fn echo(_: &mut World<'_>, invocation: &Invocation) -> Output {
    let mut words = invocation.args.as_slice();
    let (mut decodes, mut ends_line) = (false, true);
    while let [first, rest @ ..] = words {
        let letters = first.text.strip_prefix('-').unwrap_or_default();
        if letters.is_empty() || letters.contains(|c| !matches!(c, 'e' | 'n' | 'E')) {
            break;
        }
        decodes |= letters.contains('e');
        ends_line &= !letters.contains('n');
        words = rest;
    }
    let words: Vec<Arg> = words.iter().map(shown).collect();
    let mut text = Arg::joined(&words);
    if decodes {
        text.text = unescaped(&text.text);
    }
    if ends_line {
        line(text)
    } else {
        Output::Text(text)
    }
}

/// The text with `\n`, `\t`, `\xHH`, `\0NNN` and the like replaced.
pub(crate) fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars();
    loop {
        let before = rest.clone();
        let Some(character) = rest.next() else {
            return plain;
        };
        if character != '\\' {
            plain.push(character);
            continue;
        }
        match rest.next() {
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('r') => plain.push('\r'),
            Some('\\') => plain.push('\\'),
            Some('e') => plain.push('\u{1b}'),
            Some('x') => plain.push(number(&mut rest, 16, 2)),
            Some('u') => plain.push(number(&mut rest, 16, 4)),
            Some('U') => plain.push(number(&mut rest, 16, 8)),
            Some('0') => plain.push(number(&mut rest, 8, 3)),
            Some('1'..='7') => {
                // The digit just taken belongs to the number.
                rest = before.clone();
                rest.next();
                plain.push(number(&mut rest, 8, 3));
            }
            Some(other) => plain.extend(['\\', other]),
            None => plain.push('\\'),
        }
    }
}

/// The character of at most `digits_max` digits; a hole if it is none.
fn number(rest: &mut std::str::Chars<'_>, radix: u32, digits_max: usize) -> char {
    let mut value = 0;
    for _ in 0..digits_max {
        let mut ahead = rest.clone();
        match ahead.next().and_then(|c| c.to_digit(radix)) {
            Some(digit) => value = value * radix + digit,
            None => break,
        }
        *rest = ahead;
    }
    char::from_u32(value)
        .filter(char::is_ascii)
        .unwrap_or(Arg::HOLE)
}

/// `printf FORMAT words…` with `%s`, `%d`, `%b`, `%%`; the format repeats while words are left.
pub(crate) fn printf(_: &mut World<'_>, invocation: &Invocation) -> Output {
    let mut args = invocation.args.as_slice();
    if let [first, rest @ ..] = args
        && first.text == "--"
    {
        args = rest;
    }
    let [format, words @ ..] = args else {
        return Output::nothing();
    };
    if format.text == "-v" {
        return Output::nothing();
    }
    let mut words = words.iter().map(shown).peekable();
    let mut text = Arg {
        text: String::new(),
        ..format.clone()
    };
    text.glob = false;
    loop {
        let had_words = words.peek().is_some();
        let used = print_once(&format.text, &mut words, &mut text);
        if words.peek().is_none() || !used || !had_words {
            return Output::Text(text);
        }
    }
}

/// Prints a format once; whether it took a word.
fn print_once(format: &str, words: &mut impl Iterator<Item = Arg>, text: &mut Arg) -> bool {
    let mut used = false;
    let mut left = format;
    // What an escape stands for is printed as it is: `\x25s` takes no word.
    while let Some((plain, directive)) = left.split_once('%') {
        text.text.push_str(&unescaped(plain));
        let mut rest = directive.chars();
        match rest.find(|c| !matches!(c, '0'..='9' | '-' | '+' | ' ' | '.' | '#')) {
            Some('%') => text.text.push('%'),
            Some('s' | 'd' | 'i') => {
                let word = words.next().unwrap_or_default();
                *text = std::mem::take(text).followed_by(&word);
                used = true;
            }
            Some('b') => {
                let word = words.next().unwrap_or_default();
                let decoded = Arg {
                    text: unescaped(&word.text),
                    ..word
                };
                *text = std::mem::take(text).followed_by(&decoded);
                used = true;
            }
            _ => {
                words.next();
                *text = std::mem::take(text).followed_by(&Arg::unknown());
                used = true;
            }
        }
        left = rest.as_str();
    }
    text.text.push_str(&unescaped(left));
    used
}

/// `cat file`, or its input
pub(crate) fn cat(_: &mut World<'_>, invocation: &Invocation) -> Output {
    match invocation.args.as_slice() {
        [] => passed_on(&invocation.input),
        [only] if only.text == "-" => passed_on(&invocation.input),
        [only] if !only.text.starts_with('-') && !only.glob => Output::File(only.clone()),
        _ => Output::Unknown,
    }
}

/// The one word that is no option; nothing if there are none or several.
fn only_operand(invocation: &Invocation) -> Option<&Arg> {
    let mut words = invocation
        .args
        .iter()
        .filter(|arg| !arg.text.starts_with('-'));
    words.next().filter(|_| words.next().is_none())
}

fn of_path(invocation: &Invocation, part: fn(&str) -> String) -> Output {
    let Some(path) = only_operand(invocation) else {
        return Output::Unknown;
    };
    if path.text.ends_with(Arg::HOLE) && !path.text.contains('/') {
        return Output::Unknown;
    }
    line(Arg::derived(part(&path.text)))
}

fn directory(path: &str) -> String {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => "/".to_owned(),
        Some((dir, _)) => dir.to_owned(),
        None if path.starts_with('/') => "/".to_owned(),
        None => ".".to_owned(),
    }
}

/// `realpath x`, `readlink -f x`
pub(crate) fn resolved(world: &mut World<'_>, invocation: &Invocation) -> Output {
    let Some(path) = only_operand(invocation) else {
        return Output::Unknown;
    };
    let target = world.target(path);
    if target.sure == Certainty::Unknown {
        return Output::Unknown;
    }
    line(Arg::derived(world.settle(&target.path, true)))
}

/// `git rev-parse --show-toplevel` and the name of the present branch.
pub(crate) fn git(world: &mut World<'_>, invocation: &Invocation) -> Output {
    let words: Vec<&str> = invocation
        .args
        .iter()
        .map(|arg| arg.text.as_str())
        .collect();
    let asks_root = words == ["rev-parse", "--show-toplevel"];
    let asks_branch =
        words == ["branch", "--show-current"] || words == ["rev-parse", "--abbrev-ref", "HEAD"];
    if !asks_root && !asks_branch {
        return Output::Unknown;
    }
    let Some(cwd) = world.cwd().map(str::to_owned) else {
        return Output::Unknown;
    };
    match world.repo(&cwd) {
        Fact::Known(Some(repo)) if asks_root => line(Arg::derived(repo.root)),
        Fact::Known(Some(repo)) if !repo.branch.is_empty() => line(Arg::derived(repo.branch)),
        _ => Output::Unknown,
    }
}

/// `grep -rl pattern dir`: some files of the directory.
pub(crate) fn matching(world: &mut World<'_>, invocation: &Invocation) -> Output {
    // `grep -q NAME $p/cmdline`
    let lies_in_list = |arg: &Arg| arg.text.starts_with("/proc/") || arg.text.ends_with("/cmdline");
    if invocation.args.iter().any(lies_in_list) {
        let mut words = invocation.args.iter();
        world.now.shell.seeks_gate |= words.any(|word| own::means_process(&word.text));
    }
    let lists = |arg: &Arg| {
        let short = arg
            .text
            .strip_prefix('-')
            .filter(|rest| !rest.starts_with('-'));
        arg.text == "--files-with-matches" || short.is_some_and(|letters| letters.contains('l'))
    };
    if !invocation.args.iter().any(lists) {
        return selected::lines(invocation).unwrap_or(Output::Unknown);
    }
    let words = invocation
        .args
        .iter()
        .filter(|arg| !arg.text.starts_with('-'));
    match words.collect::<Vec<_>>().as_slice() {
        [_, dir] if !dir.glob => {
            let dir = dir.text.trim_end_matches('/');
            Output::Text(Arg::derived(format!("{dir}/{}\n", Arg::HOLE)))
        }
        _ => Output::Unknown,
    }
}

/// A new name that nothing has, as a directory or an empty file.
pub(crate) fn mktemp(world: &mut World<'_>, invocation: &Invocation) -> Output {
    let mut dir = None;
    let (mut is_dir, mut is_only_named, mut in_temp) = (false, false, false);
    let set = world.now.shell.vars.get("TMPDIR");
    let set = set.and_then(|var| var.values.first());
    let set = invocation
        .var("TMPDIR")
        .or(set)
        .filter(|dir| dir.is_known());
    let set = set.map(|dir| dir.text.clone());
    let is_usual = set.is_none();
    let usual = || world.place.var("TMPDIR").unwrap_or("/tmp").to_owned();
    let temp = set.unwrap_or_else(usual);
    let mut words = invocation.args.iter();
    let mut template = None;
    while let Some(word) = words.next() {
        match word.text.as_str() {
            "-p" => dir = words.next().map(|word| word.text.clone()),
            text if text.starts_with("--tmpdir=") => {
                dir = text.split_once('=').map(|(_, dir)| dir.to_owned());
            }
            "--directory" => is_dir = true,
            "--tmpdir" => in_temp = true,
            text if text.starts_with("--") => {}
            text if text.starts_with('-') => {
                is_dir |= text.contains('d');
                is_only_named |= text.contains('u');
                in_temp |= text.contains('t');
            }
            text => template = Some(text.to_owned()),
        }
    }
    in_temp |= template.is_none();
    let name = template.unwrap_or_else(|| "tmp.XXX".to_owned());
    // The number of the step tells one from another.
    let number = format!("{MADE_UP}{}", world.budget.steps);
    let (start, end) = name.rsplit_once('X').unwrap_or((name.as_str(), ""));
    let name = format!("{}{number}{end}", start.trim_end_matches('X'));
    let is_usual = is_usual && dir.is_none();
    let path = match dir.or_else(|| in_temp.then_some(temp)) {
        Some(dir) if !name.starts_with('/') => format!("{}/{name}", dir.trim_end_matches('/')),
        _ => name,
    };
    let made = Arg::derived(path);
    let target = world.target(&made);
    if !is_usual && target.is_known() && world.is_absent(path::parent(&target.path)) {
        return Output::Text(Arg::default());
    }
    match target.is_known() {
        true if is_dir => world.made_dir(&target.path),
        true if !is_only_named => world.wrote(&target.path, Some(String::new())),
        _ => {}
    }
    line(made)
}

/// `date +%s`: now, unless it is told of another time.
pub(crate) fn moment(_: &mut World<'_>, invocation: &Invocation) -> Output {
    const SECONDS: &[&str] = &["%N", "%S", "%T", "%X", "%c", "%r", "%s"];
    let is_form = |arg: &&Arg| arg.text.starts_with('+');
    let is_now = |arg: &Arg| is_form(&arg) || matches!(&*arg.text, "-u" | "--utc");
    if !invocation.args.iter().all(is_now) {
        return Output::Unknown;
    }
    let form = invocation.args.iter().find(is_form);
    let is_new = form.is_none_or(|form| SECONDS.iter().any(|second| form.text.contains(second)));
    Output::Text(Arg::foreign(if is_new { Arg::MOMENT } else { Arg::DAY }))
}

/// `seq first last`
pub(crate) fn seq(_: &mut World<'_>, invocation: &Invocation) -> Output {
    let numbers: Option<Vec<u64>> = invocation
        .args
        .iter()
        .map(|arg| arg.text.parse().ok())
        .collect();
    let (first, last) = match numbers.as_deref() {
        Some([last]) => (1, *last),
        Some([first, last]) => (*first, *last),
        _ => return Output::Unknown,
    };
    if last.saturating_sub(first) > SEQ_MAX {
        return Output::Unknown;
    }
    let lines: String = (first..=last).map(|number| format!("{number}\n")).collect();
    Output::Text(Arg::derived(lines))
}

/// `base64 -d`
pub(crate) fn base64(_: &mut World<'_>, invocation: &Invocation) -> Output {
    let decodes = |arg: &Arg| matches!(arg.text.as_str(), "-d" | "-D" | "--decode" | "-di");
    if !invocation.args.iter().any(decodes) {
        return Output::Unknown;
    }
    let bytes = match &invocation.input {
        Input::Text(text) if text.is_known() => decoded(&text.text),
        _ => None,
    };
    match (bytes, Output::filtered(&invocation.input)) {
        (Some(bytes), _) => Output::Text(Arg::derived(String::from_utf8_lossy(&bytes))),
        (None, Output::Unknown) => Output::Text(Arg::foreign(Arg::DECODED)),
        (None, known) => known,
    }
}

/// The bytes of a base64 text.
pub(crate) fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let (mut held, mut bits) = (0_u32, 0);
    for character in text.chars().filter(|c| !c.is_whitespace()) {
        let value = match character {
            'A'..='Z' => character as u32 - 'A' as u32,
            'a'..='z' => character as u32 - 'a' as u32 + 26,
            '0'..='9' => character as u32 - '0' as u32 + 52,
            '+' | '-' => 62,
            '/' | '_' => 63,
            '=' => break,
            _ => return None,
        };
        held = (held << 6 | value) & 0xff_ffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits & 0xff) as u8);
        }
    }
    Some(bytes)
}

/// Options of curl that send the output to a file or say something else than a download.
const CURL_TO_FILE: &[&str] = &[
    "-o",
    "--output",
    "-O",
    "--remote-name",
    "-J",
    "--remote-name-all",
];

/// `curl`: what is at the address, unless it goes to a file.
pub(crate) fn curl(_: &mut World<'_>, invocation: &Invocation) -> Output {
    let to_file = |arg: &&Arg| {
        let text = arg.text.as_str();
        CURL_TO_FILE.contains(&text)
            || text.starts_with("--output=")
            || text.starts_with('-') && !text.starts_with("--") && text.ends_with(['o', 'O'])
    };
    let is_printed = names_output(invocation, &["-o", "--output"]);
    if invocation.args.iter().any(|arg| to_file(&arg)) && !is_printed {
        return Output::nothing();
    }
    address(invocation)
}

/// `wget -O-`: what is at the address.
pub(crate) fn wget(_: &mut World<'_>, invocation: &Invocation) -> Output {
    let mut before = "";
    let to_output = invocation.args.iter().any(|arg| {
        let last = std::mem::replace(&mut before, arg.text.as_str());
        let is_short = arg.text.starts_with('-') && !arg.text.starts_with("--");
        is_short && arg.text.ends_with("O-")
            || arg.text == "-" && last.starts_with('-') && last.ends_with('O')
    });
    if to_output || names_output(invocation, &["-O", "--output-document"]) {
        address(invocation)
    } else {
        Output::nothing()
    }
}

fn address(invocation: &Invocation) -> Output {
    let mut words = invocation.args.iter();
    let found = words
        .clone()
        .find(|arg| arg.text.contains("://"))
        .or_else(|| words.rfind(|arg| !arg.text.starts_with('-')));
    found.map_or(Output::Unknown, |url| Output::Download(url.text.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes() {
        let bytes = decoded("cm0gLXJmIH4vZGF0YQ==").unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), "rm -rf ~/data");
        assert_eq!(decoded("%%"), None);
        assert_eq!(unescaped("a\\tb\\x41\\101\\q"), "a\tbAA\\q");
    }
}
