//! Tests whose answer is plain before anything runs: `[ -f .env ] || cp .env.example .env` copies
//! nothing where the file is there.

use super::{asked, shape};
use crate::machine::{Answer, Frame};
use crate::{Arg, World, words};
use model::PathKind;
use shell::{Command, CommandKind, List, Part, Pipeline, Word};
use text::glob::{DOTGLOB, Glob};

/// What a test at the beginning of a chain says; `None` if that is not known, or if it is no test.
pub(super) fn known(
    world: &mut World<'_>,
    frame: &Frame<'_>,
    pipeline: &Pipeline<'_>,
) -> Option<bool> {
    // What stands here may be a part of a script, which is given words one day.
    let is_given = world
        .now
        .shell
        .params
        .as_ref()
        .is_none_or(|all| !all.is_empty());
    let asks = |stage: &Command<'_>| {
        let text = frame.text(stage.span);
        let mut behind = text.split('$').skip(1);
        behind.any(|rest| {
            rest.trim_start_matches('{')
                .starts_with(|c: char| c.is_ascii_digit())
        })
    };
    if !is_given && pipeline.stages.iter().any(asks) {
        return None;
    }
    if enters(pipeline) {
        return has_entered(world).then_some(!pipeline.negated);
    }
    holds(world, frame, pipeline)
}

/// Whether a pipeline does nothing but go to a directory.
pub(super) fn enters(pipeline: &Pipeline<'_>) -> bool {
    let [only] = pipeline.stages.as_slice() else {
        return false;
    };
    matches!(shape::program(only), Some(b"cd" | b"pushd"))
}

/// Whether a directory is where the shell stands now. One that is not there yet may have been made
/// by what nobody has read.
fn has_entered(world: &mut World<'_>) -> bool {
    let here = world.now.shell.cwd.clone();
    let fact = here.map(|here| world.path(&here));
    fact.is_some_and(|fact| fact.known().is_some_and(|fact| fact.kind == PathKind::Dir))
}

/// Programs whose status is an answer, not a success.
const ASKING: &[&[u8]] = &[
    b"[", b"test", b"grep", b"egrep", b"fgrep", b"rg", b"command", b"which", b"type", b"hash",
    b"cmp", b"diff", b"pgrep",
];

/// Whether a command asks something, so that what stands behind `&&` may as well not run.
pub(super) fn asks(pipeline: &Pipeline<'_>) -> bool {
    let Some(last) = pipeline.stages.last() else {
        return false;
    };
    match &last.kind {
        CommandKind::Test(_) => true,
        _ => shape::program(last).is_some_and(|name| ASKING.contains(&name)),
    }
}

/// Programs whose answer is plain.
const TESTS: &[&str] = &["[", "test", "true", ":", "false"];

/// Stands for the words that git answers with; no word of a shell can be this.
const ANSWER: &str = "\0";

/// Stands for the number of its lines, which is above zero.
const COUNT: &str = "\0\0";

/// What a test says in the present world, with the words that are given to it there.
pub(super) fn holds(
    world: &mut World<'_>,
    frame: &Frame<'_>,
    pipeline: &Pipeline<'_>,
) -> Option<bool> {
    let [only] = pipeline.stages.as_slice() else {
        let last = pipeline.stages.last().and_then(shape::program);
        let is_told = last == Some(b"grep") && asked::printed(world, frame, pipeline).is_some();
        return is_told.then_some(!pipeline.negated);
    };
    if asked::fails(world, frame, only) {
        return Some(pipeline.negated);
    }
    let (words, closing) = words_of(only)?;
    // What nobody has read may have set them.
    if world.now.shell.is_changed_unseen && frame.text(only.span).contains('$') {
        return None;
    }
    let said = spelled(world, frame, (words, closing))?;
    let mut said: Vec<&str> = said.iter().map(String::as_str).collect();
    if let Some(name) = said.first().filter(|_| closing) {
        if world.now.shell.functions.contains_key(*name) {
            return None;
        }
        let is_bracket = *name == "[";
        match *name {
            "true" | ":" => return Some(!pipeline.negated),
            "false" => return Some(pipeline.negated),
            _ => {}
        }
        said.remove(0);
        if is_bracket && said.pop() != Some("]") {
            return None;
        }
    }
    let (is_turned, rest) = match said.as_slice() {
        ["!", rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let holds = match rest {
        [ANSWER | COUNT] | ["-n", ANSWER | COUNT] => true,
        ["-z", ANSWER | COUNT] => false,
        [ANSWER, test, ""] | ["", test, ANSWER] => compared(ANSWER, test, "")?,
        [COUNT, test, number] => counted(test, number)?,
        words if words.contains(&ANSWER) || words.contains(&COUNT) => return None,
        [test, path] => alone(world, test, path)?,
        [one, test, other] => {
            // Between double brackets a value may be a pattern, and capitals letters like others.
            let is_pattern = |text: &str| !closing && text::glob::is_glob(text);
            let differs_in_case = !closing && one != other && one.eq_ignore_ascii_case(other);
            if is_pattern(other) || differs_in_case {
                return None;
            }
            compared(one, test, other)?
        }
        _ => return None,
    };
    Some(holds != (is_turned != pipeline.negated))
}

/// The words of a test as they are there, `None` if one is not known.
fn spelled(
    world: &mut World<'_>,
    frame: &Frame<'_>,
    (words, closing): (&[Word<'_>], bool),
) -> Option<Vec<String>> {
    let mut said: Vec<String> = Vec::new();
    for word in words {
        // What runs in a word runs once, when the test does.
        let runs = frame.text(word.span).contains(['(', '`']);
        match asked::answer(world, frame, word) {
            Some(Answer::Words) => {
                said.push(ANSWER.to_owned());
                continue;
            }
            Some(Answer::Count) => {
                said.push(COUNT.to_owned());
                continue;
            }
            None if runs && !asked::only_prints(frame, word) => return None,
            None => {}
        }
        let now = runs.then(|| world.now.clone());
        let text = words::text(world, frame, word);
        if let Some(now) = now {
            world.now = now;
        }
        // Without quotes, an empty value is no word at all.
        let is_gone = text.text.is_empty() && closing && is_bare(word);
        if is_gone || !text.is_known() || text.glob && text::glob::is_glob(&text.text) {
            return None;
        }
        if closing && said.is_empty() && !TESTS.contains(&&*text.text) {
            return None;
        }
        said.push(text.text);
    }
    Some(said)
}

/// `-f path`, `-n text`
fn alone(world: &mut World<'_>, test: &str, path: &str) -> Option<bool> {
    match test {
        "-n" => return Some(!path.is_empty()),
        "-z" => return Some(path.is_empty()),
        _ => {}
    }
    let target = world.target(&Arg::derived(path));
    if !target.is_known() || world.elsewhere {
        return None;
    }
    let kind = world.path(&target.path).known()?.kind;
    match test {
        "-e" | "-a" => Some(kind != PathKind::Missing),
        "-f" if kind != PathKind::Link => Some(kind == PathKind::File),
        "-d" if kind != PathKind::Link => Some(kind == PathKind::Dir),
        _ => None,
    }
}

/// What a number above zero is, beside another.
fn counted(test: &str, number: &str) -> Option<bool> {
    let number = number.parse::<i64>().ok()?;
    match test {
        "-gt" | "-ne" | "!=" if number <= 0 => Some(true),
        "-eq" | "=" | "==" | "-le" if number <= 0 => Some(false),
        "-ge" if number <= 1 => Some(true),
        "-lt" if number <= 1 => Some(false),
        _ => None,
    }
}

/// `1 -gt 0`, `a = b`
fn compared(one: &str, test: &str, other: &str) -> Option<bool> {
    match test {
        "=" | "==" => return Some(one == other),
        "!=" => return Some(one != other),
        _ => {}
    }
    let (one, other) = (one.parse::<i64>().ok()?, other.parse::<i64>().ok()?);
    match test {
        "-eq" => Some(one == other),
        "-ne" => Some(one != other),
        "-gt" => Some(one > other),
        "-ge" => Some(one >= other),
        "-lt" => Some(one < other),
        "-le" => Some(one <= other),
        _ => None,
    }
}

/// The arm of a `case` that a known word leads to, if one does; `None` if that is not known.
pub(super) fn chosen<'c, 's>(
    world: &mut World<'_>,
    frame: &Frame<'_>,
    (word, arms): (&Arg, &'c [(Vec<Word<'s>>, List<'s>)]),
) -> Option<Option<&'c List<'s>>> {
    // Empty is also what a part of a script is not given yet.
    let is_unsure = world.now.shell.is_changed_unseen;
    if !word.is_known() || word.glob || word.text.is_empty() || is_unsure {
        return None;
    }
    let folded = Glob {
        folds_case: true,
        is_extended: true,
        ..DOTGLOB
    };
    for (patterns, body) in arms {
        for pattern in patterns {
            let said = frame.text(pattern.span);
            let is_run = said.contains(['(', '`']);
            let pattern = words::text(world, frame, pattern);
            // A value may be a pattern, too.
            let is_value = said.is_empty() || said.contains('$');
            if is_run || !pattern.is_known() || is_value && text::glob::is_glob(&pattern.text) {
                return None;
            }
            let (is_same, may_match) = match pattern.glob {
                false => {
                    let (pattern, word) = (&pattern.text, &word.text);
                    (pattern == word, pattern.eq_ignore_ascii_case(word))
                }
                true => (
                    DOTGLOB.matches_name(&pattern.text, &word.text),
                    folded.matches_name(&pattern.text, &word.text),
                ),
            };
            // A shell may be told that capitals are letters like others.
            match (is_same, may_match) {
                (true, _) => return Some(Some(body)),
                (false, true) => return None,
                (false, false) => {}
            }
        }
    }
    Some(None)
}

/// Whether a word stands without quotes.
fn is_bare(word: &Word<'_>) -> bool {
    let quotes = |part: &Part<'_>| matches!(part, Part::Quoted(_) | Part::DoubleQuoted(_));
    !word.parts.iter().any(quotes)
}

/// The words of a test, and whether the program's name stands among them.
fn words_of<'c, 's>(command: &'c Command<'s>) -> Option<(&'c [Word<'s>], bool)> {
    match &command.kind {
        CommandKind::Test(words) => Some((words, false)),
        CommandKind::Simple { assignments, words } if assignments.is_empty() => {
            (words.len() <= 5).then_some((words, true))
        }
        _ => None,
    }
}
