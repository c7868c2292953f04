//! Commands made from input: `xargs` and `parallel`.

use super::grammar;
use crate::effects;
use crate::options::Options;
use crate::{Arg, Input, Invocation, World};
use model::{Fact, Flag};

/// Most input lines that are gone through one by one.
const LINES_MAX: usize = 16;

/// `… | xargs rm -rf`: the input's words are appended, or put in the place of `{}`.
pub(super) fn xargs(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let read = Options::read(&invocation.args, &grammar::XARGS);
    if read.operands.is_empty() {
        return true;
    }
    let input = match read.value("arg-file") {
        Some(file) => Input::File(file.clone()),
        None => invocation.input.clone(),
    };
    if let Input::File(file) = &input {
        effects::read_file(world, invocation, file);
    }
    let splits = match read.has_any(&["null", "delimiter"]) {
        true => Splits::Raw,
        false if read.has_any(&["replace-with", "replace"]) => Splits::Lines,
        false => Splits::Words,
    };
    let words = words_of(world, &input, splits);
    let place = read.value("replace-with").or(read.value("replace"));
    let place = place.map(|place| place.text.clone());
    let place = place.or(read.has("replace").then(|| "{}".to_owned()));
    let is_one = matches!(words.as_slice(), [only] if only.is_known() && !only.glob);
    let inner = Invocation {
        flags: invocation
            .flags
            .with_if(Flag::Mass, !(is_one && place.is_some())),
        // The input went into the words.
        input: Input::Inherited,
        ..invocation.clone()
    };
    match place {
        None => {
            let argv = [read.operands.as_slice(), &words].concat();
            let before = world.analysis.actions.len();
            world.command(&inner, "xargs", &argv);
            if let [only] = words.as_slice()
                && !only.is_known()
                && !argv.iter().any(|arg| arg.text.starts_with("-t"))
            {
                let dir = world.target(only);
                effects::bound(world, before, &dir);
            }
        }
        Some(place) => {
            let words = spelled(world, words);
            for word in words.iter().take(LINES_MAX) {
                let argv: Vec<Arg> = read
                    .operands
                    .iter()
                    .map(|arg| filled(arg, &place, word))
                    .collect();
                world.command(&inner, "xargs", &argv);
            }
        }
    }
    true
}

/// The words one by one, where they are few: what each does, the next one finds done.
fn spelled(world: &mut World<'_>, words: Vec<Arg>) -> Vec<Arg> {
    let [only] = words.as_slice() else {
        return words;
    };
    if !only.glob {
        return words;
    }
    let found = world.spelled(only);
    found
        .filter(|found| found.len() <= LINES_MAX)
        .unwrap_or(words)
}

/// What an input is split into.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Splits {
    Words,
    Lines,
    /// Lines in which a quote is a character like another.
    Raw,
}

/// The words that an input gives; one hole if they are not known.
fn words_of(world: &mut World<'_>, input: &Input, splits: Splits) -> Vec<Arg> {
    let (by_lines, is_raw) = (splits != Splits::Words, splits == Splits::Raw);
    let text = match input {
        Input::Download(_) => return vec![Arg::foreign(Arg::DOWNLOADED)],
        Input::Text(text) if text.glob => return vec![text.clone()],
        Input::Text(text) => text.clone(),
        Input::File(file) if file.text == "/dev/null" => return Vec::new(),
        Input::File(file) => {
            let target = world.target(file);
            match world.text(&target.path) {
                Fact::Known(text) => Arg::derived(text),
                Fact::Unknown(_) => return vec![Arg::unknown()],
            }
        }
        _ => return vec![Arg::unknown()],
    };
    let is_end = |c: char| matches!(c, '\n' | '\0') || !by_lines && c.is_whitespace();
    let words: Vec<Arg> = text
        .text
        .split(is_end)
        .filter(|word| !word.is_empty())
        .map(|word| match is_raw {
            true => Arg::derived(word),
            false => Arg::derived(word.trim_matches(['\'', '"'])),
        })
        .collect();
    if words.len() > LINES_MAX && by_lines {
        return vec![Arg::unknown()];
    }
    words
}

/// A word with the place holder replaced.
fn filled(arg: &Arg, place: &str, word: &Arg) -> Arg {
    if place.is_empty() || !arg.text.contains(place) {
        return arg.clone();
    }
    if arg.text == place {
        return word.clone();
    }
    Arg::derived(arg.text.replace(place, &word.text))
}

/// `parallel rm -rf {} ::: a b`, or with the values on standard input.
pub(super) fn parallel(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let read = Options::read(&invocation.args, &grammar::PARALLEL);
    let inner = Invocation {
        flags: invocation.flags.with(Flag::Mass),
        input: Input::Inherited,
        ..invocation.clone()
    };
    if read.has("dry-run") {
        return true;
    }
    let is_mark = |arg: &Arg| matches!(arg.text.as_str(), ":::" | ":::+" | "::::");
    let mut parts = read.operands.split(is_mark);
    let command = parts.next().unwrap_or_default();
    let from_files = read.operands.iter().any(|arg| arg.text == "::::");
    let given: Vec<Arg> = parts.flatten().cloned().collect();
    let values = match (read.operands.iter().any(is_mark), from_files) {
        (true, false) => given,
        (true, true) => vec![Arg::unknown()],
        (false, _) => words_of(world, &invocation.input, Splits::Raw),
    };
    let text = Arg::joined(command);
    let takes_place = text.text.contains('{');
    for value in values.iter().take(LINES_MAX) {
        let mut line = text.clone();
        if command.is_empty() {
            line = value.clone();
            world.script(&inner, "parallel", &line);
            continue;
        }
        // A value stays one word of the command.
        let value = &quoted(value);
        if takes_place {
            for place in ["{}", "{.}", "{/}", "{//}", "{1}"] {
                line = filled_in_text(&line, place, value);
            }
        } else {
            line = line.followed_by(&Arg::literal(" ")).followed_by(value);
        }
        world.script(&inner, "parallel", &line);
    }
    true
}

/// A word as it is written in a script.
fn quoted(word: &Arg) -> Arg {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:,@%=".contains(c) || c == Arg::HOLE;
    if word.glob || word.text.chars().all(is_plain) {
        return word.clone();
    }
    let quoted = word.text.replace('\'', "'\\''");
    Arg {
        text: format!("'{quoted}'"),
        ..word.clone()
    }
}

fn filled_in_text(line: &Arg, place: &str, value: &Arg) -> Arg {
    if !line.text.contains(place) {
        return line.clone();
    }
    Arg {
        text: line.text.replace(place, &value.text),
        sure: line.sure.max(value.sure),
        glob: false,
    }
}
