//! Tests that ask git: `git diff --quiet`, `[ -z "$(git status --porcelain)" ]`. The question runs
//! nothing here; only its answer is looked for. And commands in a test that may be read twice.

use super::shape;
use crate::families::git::{Told, finds_work};
use crate::machine::Frame;
use crate::{Invocation, World, words};
use shell::{Command, CommandKind, Part, Word};

/// Most words of a question.
const WORDS_MAX: usize = 16;

/// Whether a command visibly fails, since it finds work that is not committed.
pub(super) fn fails(world: &mut World<'_>, frame: &Frame<'_>, command: &Command<'_>) -> bool {
    let question = question(world, frame, command);
    question.is_some_and(|question| finds_work(world, &question, Told::ByFailure))
}

/// Whether a word is what a command prints that visibly finds work.
pub(super) fn is_answer(world: &mut World<'_>, frame: &Frame<'_>, word: &Word<'_>) -> bool {
    let inner = inner(frame, word);
    let question = inner.and_then(|command| question(world, frame, command));
    question.is_some_and(|question| finds_work(world, &question, Told::ByWords))
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
    let parts = match word.parts.as_slice() {
        [Part::DoubleQuoted(parts)] => parts,
        parts => parts,
    };
    let [Part::Command { body, .. }] = parts else {
        return None;
    };
    let (item, command) = shape::only(body)?;
    // What stands in backticks is not where it says.
    let is_plain = !item.background && !frame.text(word.span).contains('`');
    is_plain.then_some(command)
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
