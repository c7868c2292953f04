//! Filters whose output can be said where their input is known: a word that is turned round, put
//! into small letters or cut out is still that word. Must not know who reads it.

use super::{decoder, line, passed_on};
use crate::machine::Output;
use crate::{Arg, Input, Invocation, World};
use model::Zone;
use text::glob;

/// Longest input that is gone through, in bytes.
const TEXT_MAX: usize = 64 * 1024;

/// The input as text, where it is known in full and nothing else is read.
fn known_input(invocation: &Invocation) -> Option<&str> {
    match &invocation.input {
        Input::Text(text) if text.is_known() && !text.glob && text.text.len() <= TEXT_MAX => {
            Some(&text.text)
        }
        _ => None,
    }
}

/// The lines of a known input, changed one by one.
fn by_line(invocation: &Invocation, change: impl Fn(&str) -> Option<String>) -> Output {
    let changed: Option<Vec<String>> = known_input(invocation)
        .and_then(|text| text.lines().map(change).collect())
        .filter(|lines: &Vec<String>| !lines.is_empty());
    changed.map_or(Output::Unknown, |lines| {
        line(Arg::derived(lines.join("\n")))
    })
}

/// `rev`
pub(crate) fn rev(_: &mut World<'_>, invocation: &Invocation) -> Output {
    match invocation.args.as_slice() {
        [] => by_line(invocation, |line| Some(line.chars().rev().collect())),
        _ => Output::Unknown,
    }
}

/// `tac`
pub(crate) fn tac(_: &mut World<'_>, invocation: &Invocation) -> Output {
    match (invocation.args.as_slice(), known_input(invocation)) {
        ([], Some(text)) => {
            let lines: Vec<&str> = text.lines().rev().collect();
            line(Arg::derived(lines.join("\n")))
        }
        _ => Output::Unknown,
    }
}

/// `tr A-Z a-z`, `tr -d x`
pub(crate) fn tr(_: &mut World<'_>, invocation: &Invocation) -> Output {
    let words: Vec<&str> = invocation
        .args
        .iter()
        .map(|arg| arg.text.as_str())
        .collect();
    let Some(text) = known_input(invocation) else {
        return Output::Unknown;
    };
    let changed = match words.as_slice() {
        ["-d", gone] => set(gone).map(|gone| text.replace(gone.as_slice(), "")),
        [from, to] if !from.starts_with('-') => mapped(text, from, to),
        _ => None,
    };
    changed.map_or(Output::Unknown, |text| Output::Text(Arg::derived(text)))
}

fn mapped(text: &str, from: &str, to: &str) -> Option<String> {
    let (from, to) = (set(from)?, set(to)?);
    let last = to.last().copied()?;
    let change = |character: char| {
        // Of a character that is named twice the last counts.
        let at = from.iter().rposition(|one| *one == character);
        at.map_or(character, |at| to.get(at).copied().unwrap_or(last))
    };
    Some(text.chars().map(change).collect())
}

/// The characters that `a-z`, `[:upper:]` and the like stand for; `None` for other forms.
fn set(text: &str) -> Option<Vec<char>> {
    let text = text
        .replace("[:upper:]", "A-Z")
        .replace("[:lower:]", "a-z")
        .replace("[:digit:]", "0-9")
        .replace("\\n", "\n")
        .replace("\\t", "\t");
    if text.contains(['\\', '[', ']', Arg::HOLE]) {
        return None;
    }
    let mut all = Vec::new();
    let mut rest = text.chars();
    while let Some(first) = rest.next() {
        let mut ahead = rest.clone();
        match (ahead.next(), ahead.next()) {
            (Some('-'), Some(last)) if first <= last && last.is_ascii() => {
                all.extend(first..=last);
                rest = ahead;
            }
            _ => all.push(first),
        }
    }
    Some(all)
}

/// `cut -c2-`, `cut -d: -f1`
pub(crate) fn cut(_: &mut World<'_>, invocation: &Invocation) -> Output {
    let (mut by, mut list, mut between) = (' ', "", '\t');
    let mut words = invocation.args.iter().map(|arg| arg.text.as_str());
    while let Some(word) = words.next() {
        let Some((option, value)) = word
            .strip_prefix('-')
            .and_then(|word| word.split_at_checked(1))
        else {
            return Output::Unknown;
        };
        let value = match value {
            "" => words.next().unwrap_or_default(),
            value => value,
        };
        match option {
            "b" | "c" | "f" => (by, list) = (if option == "f" { 'f' } else { 'c' }, value),
            "d" => between = value.chars().next().unwrap_or(between),
            _ => return Output::Unknown,
        }
    }
    let Some((from, to)) = range(list) else {
        return Output::Unknown;
    };
    let parts = to.saturating_sub(from) + 1;
    by_line(invocation, |line| match by {
        'c' => Some(line.chars().skip(from - 1).take(parts).collect()),
        'f' if !line.contains(between) => Some(line.to_owned()),
        'f' => {
            let fields: Vec<&str> = line.split(between).skip(from - 1).take(parts).collect();
            Some(fields.join(between.encode_utf8(&mut [0; 4])))
        }
        _ => None,
    })
}

/// `2`, `2-`, `-3`, `2-3`; the first counts as 1.
fn range(list: &str) -> Option<(usize, usize)> {
    let number = |text: &str| text.parse::<usize>().ok().filter(|number| *number > 0);
    match list.split_once('-') {
        None => number(list).map(|only| (only, only)),
        Some(("", to)) => Some((1, number(to)?)),
        Some((from, "")) => Some((number(from)?, usize::MAX - 1)),
        Some((from, to)) => Some((number(from)?, number(to)?)),
    }
}

/// `head -n 1`, `head -1`
pub(crate) fn head(world: &mut World<'_>, invocation: &Invocation) -> Output {
    if let Some(some) = some_of_temp(world, invocation) {
        return some;
    }
    ends(invocation, |lines, count| {
        lines.get(..count.min(lines.len())).unwrap_or_default()
    })
}

/// `tail -n 1`, `tail -1`
pub(crate) fn tail(world: &mut World<'_>, invocation: &Invocation) -> Output {
    if let Some(some) = some_of_temp(world, invocation) {
        return some;
    }
    ends(invocation, |lines, count| {
        lines
            .get(lines.len().saturating_sub(count)..)
            .unwrap_or_default()
    })
}

/// `ls -t /tmp/backup-*.tgz | tail -n +6`: some of what a glob says, where nothing is dear.
fn some_of_temp(world: &World<'_>, invocation: &Invocation) -> Option<Output> {
    let Input::Text(text) = &invocation.input else {
        return None;
    };
    let is_glob = text.glob && text.is_known() && text.text.starts_with('/');
    let dir = glob::fixed_dir(&text.text);
    let is_temp = world.zone(&format!("{dir}/x")) == Zone::Temp;
    (is_glob && is_temp).then(|| Output::Text(text.clone()))
}

fn ends(
    invocation: &Invocation,
    some: for<'l, 't> fn(&'l [&'t str], usize) -> &'l [&'t str],
) -> Output {
    let words: Vec<&str> = invocation
        .args
        .iter()
        .map(|arg| arg.text.as_str())
        .collect();
    let count = match words.as_slice() {
        [] => Some(10),
        ["-n", count] | ["--lines", count] => count.parse().ok(),
        [only] => {
            let plain = only.trim_start_matches("-n").trim_start_matches('-');
            plain.parse().ok().filter(|_| only.starts_with('-'))
        }
        _ => None,
    };
    match (known_input(invocation), count) {
        (Some(text), Some(count)) => {
            let lines: Vec<&str> = text.lines().collect();
            line(Arg::derived(some(&lines, count).join("\n")))
        }
        // A part of a download is one too.
        _ => match &invocation.input {
            Input::Download(url) => Output::Download(url.clone()),
            _ => Output::Unknown,
        },
    }
}

/// `xxd -r -p`
pub(crate) fn xxd(world: &mut World<'_>, invocation: &Invocation) -> Output {
    let words: Vec<&str> = invocation
        .args
        .iter()
        .map(|arg| arg.text.as_str())
        .collect();
    let is_plain = matches!(
        words.as_slice(),
        ["-r", "-p"] | ["-p", "-r"] | ["-rp"] | ["-pr"] | ["-r", "-ps"] | ["-ps", "-r"]
    );
    let text = known_input(invocation).filter(|_| is_plain);
    match text.and_then(from_digits) {
        Some(text) => Output::Text(Arg::derived(text)),
        None => decoder(world, invocation),
    }
}

fn from_digits(text: &str) -> Option<String> {
    let digits: Option<Vec<u8>> = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect();
    let digits = digits?;
    let bytes = digits.chunks_exact(2).map(|pair| match pair {
        [high, low] => high << 4 | low,
        _ => 0,
    });
    String::from_utf8(bytes.collect()).ok()
}

/// `gzip -dc x.gz`, `zstd -d x.zst`, `7z x -so x.7z`: what a program prints that packs unless it is
/// told to unpack.
pub(crate) fn unpacker(world: &mut World<'_>, invocation: &Invocation) -> Output {
    let unpacks = |arg: &Arg| {
        let letters = arg.text.strip_prefix('-').unwrap_or_default();
        let is_cluster = !letters.starts_with('-') && letters.contains('d');
        is_cluster || matches!(arg.text.as_str(), "--decompress" | "--uncompress" | "-so")
    };
    match invocation.args.iter().any(unpacks) {
        true => decoder(world, invocation),
        false => Output::Unknown,
    }
}

/// `pv x.sql`, `pv`: what goes through a meter is what it was.
pub(crate) fn metered(_: &mut World<'_>, invocation: &Invocation) -> Output {
    let mut files = Vec::new();
    let mut before = "";
    for arg in &invocation.args {
        let option = std::mem::replace(&mut before, &arg.text);
        let is_value = matches!(
            option,
            "-s" | "-L" | "-i" | "-N" | "-F" | "-w" | "-B" | "-D"
        );
        if !is_value && !arg.text.starts_with('-') {
            files.push(arg);
        }
    }
    match files.as_slice() {
        [] => passed_on(&invocation.input),
        [only] if !only.glob => Output::File((*only).clone()),
        _ => Output::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_and_ranges() {
        assert_eq!(mapped("RM x", "A-Z", "a-z").as_deref(), Some("rm x"));
        assert_eq!(
            mapped("eZ", "A-Za-z", "N-ZA-Mn-za-m").as_deref(),
            Some("rM")
        );
        assert_eq!(
            mapped("ab", "[:lower:]", "[:upper:]").as_deref(),
            Some("AB")
        );
        assert_eq!(mapped("ab", "[=a=]", "x"), None);
        assert_eq!(range("2-"), Some((2, usize::MAX - 1)));
        assert_eq!(range("-3"), Some((1, 3)));
        assert_eq!(range("0"), None);
        assert_eq!(from_digits("726d").as_deref(), Some("rm"));
        assert_eq!(from_digits("7z"), None);
    }
}
