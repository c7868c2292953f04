//! The parser against another one (`rable`): the same programs, as they are written.

use rable::{Node as Other, NodeKind as Kind};
use shell::{CommandKind, Node};

use crate::bash::generated;
use crate::generate;
use crate::tables;

/// Scripts made.
const SCRIPTS: usize = 4000;
/// Fewest texts that the other parser must be asked about.
const ASKED_MIN: usize = 120;

/// Signs of what the other parser keeps as text, or reads otherwise, and why that is argued.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("`", "commands in backticks are not read"),
    (
        "((",
        "arithmetic is read as an expression, commands in it as text",
    ),
    ("${", "words after an operator are kept as text"),
    ("<<", "the body of a here-document is kept as text"),
    ("[[", "operands are kept as text"),
    ("\\\n", "joined lines are joined before words are cut out"),
    ("\r", "a carriage return stays in the word"),
    ("\0", "a NUL stays in the word"),
    ("a[", "an assignment to an element is a word"),
    ("=(", "an array is a word"),
    ("coproc", "a coprocess may get a name where bash has none"),
    ("time", "`time` alone is a word"),
    ("@(", "commands in an extended glob are kept as text"),
    ("in esac", "a `case` without arms is rejected"),
    ("$(echo $(echo $(", "the third level is kept as text"),
    ("(N)", "what zsh puts behind a glob is rejected"),
    ("for f (", "the loops of zsh are rejected"),
];

#[test]
fn the_same_programs_in_the_tables() {
    check(tables::all().into_iter().map(|case| case.text).collect());
}

#[test]
fn the_same_programs_in_generated_scripts() {
    check(generated(generate::script, 5, SCRIPTS));
}

fn check(texts: Vec<Vec<u8>>) {
    let well_formed: Vec<String> = texts
        .into_iter()
        .filter(|text| shell::parse(text).problems.is_empty())
        .filter_map(|text| String::from_utf8(text).ok())
        .collect();
    let asked: Vec<&String> = well_formed
        .iter()
        .filter(|text| !is_exception(text))
        .collect();
    let differences: Vec<String> = asked.iter().filter_map(|text| difference(text)).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(asked.len() >= ASKED_MIN, "only {} asked", asked.len());
}

#[test]
fn every_exception_is_needed() {
    let mut texts: Vec<Vec<u8>> = tables::all().into_iter().map(|case| case.text).collect();
    texts.extend(generated(generate::script, 5, SCRIPTS));
    let mut unneeded: Vec<&str> = EXCEPTIONS.iter().map(|(sign, _)| *sign).collect();
    for text in texts
        .into_iter()
        .filter_map(|text| String::from_utf8(text).ok())
    {
        let signs: Vec<_> = unneeded
            .iter()
            .filter(|sign| text.contains(**sign))
            .collect();
        let [sign] = signs.as_slice() else { continue };
        let all = EXCEPTIONS
            .iter()
            .filter(|(sign, _)| text.contains(sign))
            .count();
        if all == 1 && difference(&text).is_some() {
            let needed = **sign;
            unneeded.retain(|sign| *sign != needed);
        }
    }
    assert!(unneeded.is_empty(), "{unneeded:?}");
}

fn is_exception(text: &str) -> bool {
    EXCEPTIONS.iter().any(|(sign, _)| text.contains(sign))
}

fn difference(text: &str) -> Option<String> {
    let ours = programs(text);
    match rable::parse(text, true) {
        Ok(nodes) => {
            let mut theirs = Vec::new();
            nodes
                .iter()
                .for_each(|node| other_programs(node, &mut theirs));
            theirs.sort();
            (ours != theirs).then(|| format!("{text:?}: ours {ours:?}, theirs {theirs:?}"))
        }
        Err(error) => Some(format!("{text:?}: {error}")),
    }
}

/// The first word of each simple command, in no order.
fn programs(text: &str) -> Vec<String> {
    let script = shell::parse(text.as_bytes());
    let mut programs = Vec::new();
    script.body.walk(&mut |node| {
        let Node::Command(command) = node else { return };
        if let CommandKind::Simple { words, .. } = &command.kind {
            let first = words
                .first()
                .and_then(|word| text.get(word.span.start..word.span.end));
            programs.extend(first.map(str::to_owned));
        }
    });
    programs.sort();
    programs
}

fn other_programs(node: &Other, out: &mut Vec<String>) {
    if let Kind::Command { words, .. } = &node.kind
        && let Some(Kind::Word { value, .. }) = words.first().map(|word| &word.kind)
    {
        out.push(value.clone());
    }
    for child in children(node) {
        other_programs(child, out);
    }
}

/// The nodes right below a node.
fn children(node: &Other) -> Vec<&Other> {
    match &node.kind {
        Kind::Word { parts, .. } => parts.iter().collect(),
        Kind::Pipeline { commands, .. } => commands.iter().collect(),
        Kind::List { items } => items.iter().map(|item| &item.command).collect(),
        Kind::Function { body, .. } => vec![body],
        Kind::Redirect { target, .. } => vec![target],
        Kind::CommandSubstitution { command, .. } => vec![command],
        Kind::ProcessSubstitution { command, .. } => vec![command],
        Kind::Negation { pipeline } => vec![pipeline],
        _ => redirected_children(node),
    }
}

/// The same for what may be redirected.
fn redirected_children(node: &Other) -> Vec<&Other> {
    let mut all = Vec::new();
    let redirects = match &node.kind {
        Kind::Command {
            words,
            redirects,
            assignments,
        } => {
            all.extend(assignments.iter().chain(words));
            redirects
        }
        Kind::If {
            condition,
            then_body,
            else_body,
            redirects,
        } => {
            all.extend([&**condition, &**then_body]);
            all.extend(else_body.as_deref());
            redirects
        }
        Kind::While {
            condition,
            body,
            redirects,
        }
        | Kind::Until {
            condition,
            body,
            redirects,
        } => {
            all.extend([&**condition, &**body]);
            redirects
        }
        Kind::For {
            words,
            body,
            redirects,
            ..
        }
        | Kind::Select {
            words,
            body,
            redirects,
            ..
        } => {
            all.extend(words.iter().flatten());
            all.push(body);
            redirects
        }
        Kind::Case {
            word,
            patterns,
            redirects,
        } => {
            all.push(word);
            all.extend(
                patterns
                    .iter()
                    .flat_map(|arm| arm.patterns.iter().chain(&arm.body)),
            );
            redirects
        }
        Kind::Subshell { body, redirects } | Kind::BraceGroup { body, redirects } => {
            all.push(body);
            redirects
        }
        _ => return all,
    };
    all.extend(redirects);
    all
}
