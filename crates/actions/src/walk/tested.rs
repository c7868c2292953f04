//! Tests whose answer is plain before anything runs: `[ -f .env ] || cp .env.example .env` copies
//! nothing where the file is there.

use crate::machine::Frame;
use crate::{World, words};
use model::PathKind;
use shell::{Command, CommandKind, Pipeline, Word};

/// What a test at the beginning of a chain says; `None` if that is not known, or if it is no test.
pub(super) fn known(
    world: &mut World<'_>,
    frame: &Frame<'_>,
    pipeline: &Pipeline<'_>,
) -> Option<bool> {
    let [only] = pipeline.stages.as_slice() else {
        return None;
    };
    let (words, closing) = words_of(only)?;
    let mut said: Vec<String> = Vec::new();
    for word in words {
        // What runs in a word runs once, when the test does.
        if frame.text(word.span).contains(['(', '`']) {
            return None;
        }
        let text = words::text(world, frame, word);
        if !text.is_known() || text.glob && text::glob::is_glob(&text.text) {
            return None;
        }
        said.push(text.text);
    }
    let mut said: Vec<&str> = said.iter().map(String::as_str).collect();
    if let Some(name) = said.first().filter(|_| closing) {
        let is_bracket = *name == "[";
        if !is_bracket && *name != "test" {
            return None;
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
    let [test, path] = rest else {
        return None;
    };
    let target = world.target(&crate::Arg::derived(*path));
    if !target.is_known() || world.elsewhere {
        return None;
    }
    let kind = world.path(&target.path).known()?.kind;
    let holds = match *test {
        "-e" | "-a" => kind != PathKind::Missing,
        "-f" if kind != PathKind::Link => kind == PathKind::File,
        "-d" if kind != PathKind::Link => kind == PathKind::Dir,
        _ => return None,
    };
    Some(holds != (is_turned != pipeline.negated))
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
