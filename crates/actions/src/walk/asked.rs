//! Tests that ask git: `git diff --quiet`, `[ -z "$(git status --porcelain)" ]`. The question runs
//! nothing here; only its answer is looked for. And commands in a test that may be read twice.

use super::shape;
use crate::families::git::{Told, finds_work};
use crate::machine::{Answer, Frame};
use crate::{Invocation, World, words};
use shell::{Command, CommandKind, Item, Part, Pipeline, Word};

/// Most words of a question.
const WORDS_MAX: usize = 16;

/// Whether a command visibly fails, since it finds work that is not committed.
pub(super) fn fails(world: &mut World<'_>, frame: &Frame<'_>, command: &Command<'_>) -> bool {
    let question = question(world, frame, command);
    question.is_some_and(|question| finds_work(world, &question, Told::ByFailure))
}

/// Filters that print something where they are fed something.
const PASSING: &[&str] = &[
    "cat",
    "grep .",
    "grep -q .",
    "grep ^",
    "grep -q ^",
    "grep -q '.'",
    "head -1",
    "head -n 1",
    "head -n1",
    "sort",
    "tr -d ' '",
    "uniq",
    "xargs",
];

/// Filters that print how many lines they are fed.
const COUNTING: &[&str] = &["grep -c .", "grep -c ^", "grep -c ''", "wc -l"];

/// What is known of a word that is what commands print which visibly find work.
pub(super) fn answer(world: &mut World<'_>, frame: &Frame<'_>, word: &Word<'_>) -> Option<Answer> {
    if let Some(name) = variable(word) {
        return world.now.shell.vars.get(&name)?.answer;
    }
    let item = substituted(frame, word)?;
    item.rest.is_empty().then_some(())?;
    printed(world, frame, &item.first)
}

/// What is known of what a pipeline prints, if it begins with a question that finds work.
pub(super) fn printed(
    world: &mut World<'_>,
    frame: &Frame<'_>,
    pipeline: &Pipeline<'_>,
) -> Option<Answer> {
    let (first, filters) = pipeline.stages.split_first()?;
    let question = question(world, frame, first)?;
    let mut answer = Answer::Words;
    for filter in filters {
        let text = frame.text(filter.span).replace('"', "'");
        match text.trim() {
            text if COUNTING.contains(&text) => answer = Answer::Count,
            text if PASSING.contains(&text) => {}
            _ => return None,
        }
    }
    finds_work(world, &question, Told::ByWords).then_some(answer)
}

/// The variable that a word is, if there is nothing else in it.
fn variable(word: &Word<'_>) -> Option<String> {
    let [Part::Parameter(parameter)] = inside(word) else {
        return None;
    };
    let name = String::from_utf8_lossy(&parameter.name).into_owned();
    parameter.operator.is_empty().then_some(name)
}

/// Whether the command in a word only prints its words, so that it may be read twice: `$(echo x)`.
pub(super) fn only_prints(frame: &Frame<'_>, word: &Word<'_>) -> bool {
    let Some(command) = inner(frame, word) else {
        return false;
    };
    let CommandKind::Simple { assignments, .. } = &command.kind else {
        return false;
    };
    let prints = |name: &[u8]| matches!(name, b"echo" | b"printf" | b"basename" | b"dirname");
    let is_deep = frame.text(word.span).matches('(').count() > 1;
    assignments.is_empty()
        && command.redirects.is_empty()
        && !is_deep
        && shape::program(command).is_some_and(prints)
}

/// The only command that stands in a word, if there is nothing else: `"$(…)"`.
fn inner<'c, 's>(frame: &Frame<'_>, word: &'c Word<'s>) -> Option<&'c Command<'s>> {
    let item = substituted(frame, word)?;
    match item.first.stages.as_slice() {
        [only] if item.rest.is_empty() => Some(only),
        _ => None,
    }
}

/// The only item that stands in a word, if there is nothing else.
fn substituted<'c, 's>(frame: &Frame<'_>, word: &'c Word<'s>) -> Option<&'c Item<'s>> {
    let [Part::Command { body, .. }] = inside(word) else {
        return None;
    };
    let [item] = body.items.as_slice() else {
        return None;
    };
    // What stands in backticks is not where it says.
    let is_plain = !item.background && !frame.text(word.span).contains('`');
    is_plain.then_some(item)
}

/// The parts of a word, without the quotes around all of them.
fn inside<'c, 's>(word: &'c Word<'s>) -> &'c [Part<'s>] {
    match word.parts.as_slice() {
        [Part::DoubleQuoted(parts)] => parts,
        parts => parts,
    }
}

/// A call of git whose words are plain, and whose output goes nowhere else.
fn question(world: &mut World<'_>, frame: &Frame<'_>, command: &Command<'_>) -> Option<Invocation> {
    let CommandKind::Simple { assignments, words } = &command.kind else {
        return None;
    };
    let is_error = |fd: Option<&[u8]>| fd == Some(b"2".as_slice());
    let mut redirects = command.redirects.iter();
    let is_plain = shape::program(command) == Some(b"git")
        && assignments.is_empty()
        && words.len() <= WORDS_MAX
        && redirects.all(|redirect| is_error(redirect.fd.as_deref()))
        && !world.now.shell.functions.contains_key("git");
    if !is_plain {
        return None;
    }
    let mut args = Vec::new();
    for word in words.iter().skip(1) {
        // What runs in a word runs once.
        if frame.text(word.span).contains(['(', '`']) {
            return None;
        }
        args.push(words::text(world, frame, word));
    }
    Some(Invocation {
        program: "git".to_owned(),
        args,
        ..frame.said(command.span)
    })
}
