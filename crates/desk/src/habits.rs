//! Calls of a kind that a person has said yes to again and again: a rule may say it for them. It is
//! offered as a command, and nothing is done by itself.

use std::collections::BTreeMap;

use gates::sources::SOURCES;
use model::GrantLevel;

use crate::asked::Asked;

/// How many yeses in a row make a habit.
const YESES: usize = 3;
/// Programs whose first word says what they do.
const WITH_VERBS: &[&str] = &[
    "aws",
    "cargo",
    "docker",
    "gcloud",
    "gh",
    "git",
    "helm",
    "kubectl",
    "npm",
    "podman",
    "terraform",
];

/// A kind of call that a person lets through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Habit {
    /// The rule that asks.
    pub rule: String,
    /// The program, with its verb.
    pub program: String,
    /// How often in a row it was let through.
    pub yeses: usize,
}

impl Habit {
    /// The command that begins a rule which asks no more about such calls.
    #[must_use]
    pub fn command(&self) -> String {
        let Self { rule, program, .. } = self;
        let name = format!("less-{}", rule.replace('.', "-"));
        format!("tollgate rules new {name} --instead-of {rule} --but-not \"{program}\"")
    }

    /// What a person is told.
    #[must_use]
    pub fn in_words(&self) -> String {
        let Self {
            rule,
            program,
            yeses,
        } = self;
        format!("you said yes {yeses} times in a row to `{program}` ({rule}); make a rule?")
    }
}

/// The habits that questions show, oldest question first. A no begins anew, and what takes more
/// than a plain yes is no habit.
#[must_use]
pub fn of(all: &[Asked]) -> Vec<Habit> {
    let mut counts: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for asked in all {
        let approval = &asked.approval;
        let (Some(rule), Some(program)) = (rule(&approval.tag), program(&approval.what)) else {
            continue;
        };
        if approval.needs != GrantLevel::Prompt {
            continue;
        }
        let count = counts.entry((rule, program)).or_default();
        match asked.answer() {
            Some(true) => *count += 1,
            Some(false) => *count = 0,
            None => {}
        }
    }
    let habits = counts.into_iter().filter(|(_, yeses)| *yeses >= YESES);
    let habits = habits.map(|((rule, program), yeses)| Habit {
        rule: rule.to_owned(),
        program,
        yeses,
    });
    habits.collect()
}

/// The built-in rule that a tag names.
fn rule(tag: &str) -> Option<&str> {
    let (_, rule) = tag.split_once('/')?;
    let file = format!("packs/{}.toml", rule.split_once('.')?.0);
    let is_built_in = SOURCES.iter().any(|(known, _)| *known == file);
    is_built_in.then_some(rule)
}

/// What a plain command starts; nothing of one that does more than one thing.
fn program(what: &str) -> Option<String> {
    let is_plain = |word: &str| {
        let letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        !word.is_empty() && !word.starts_with('-') && word.bytes().all(letter)
    };
    if what.contains(['|', '&', ';', '$', '`', '(', '<', '>', '…']) {
        return None;
    }
    let mut words = what.split(' ');
    let program = words.next().filter(|word| is_plain(word))?;
    let verb = words.next().filter(|word| is_plain(word));
    Some(match verb {
        Some(verb) if WITH_VERBS.contains(&program) => format!("{program} {verb}"),
        _ => program.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::program;

    #[test]
    fn a_kind_is_a_program_with_its_verb() {
        for (what, kind) in [
            ("git reset --hard HEAD", Some("git reset")),
            ("git -C x reset", Some("git")),
            ("rm notes.txt", Some("rm")),
            ("rm a && rm b", None),
            ("bash -c \"$X\"", None),
            ("./x y", None),
            ("", None),
        ] {
            assert_eq!(program(what).as_deref(), kind, "{what}");
        }
    }
}
