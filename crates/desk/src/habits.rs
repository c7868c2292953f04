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
    /// The directory below which all that it was about lies; empty if that is not known.
    pub below: String,
    /// How often in a row it was let through.
    pub yeses: usize,
}

impl Habit {
    /// The command that begins a rule which asks no more about such calls.
    #[must_use]
    pub fn command(&self) -> String {
        let Self { rule, program, .. } = self;
        let name = format!("less-{}", rule.replace('.', "-"));
        let below = match self.below.as_str() {
            "" => String::new(),
            below => format!(" --below \"{below}\""),
        };
        format!("tollgate rules new {name} --instead-of {rule} --but-not \"{program}\"{below}")
    }

    /// What a person is told.
    #[must_use]
    pub fn in_words(&self) -> String {
        let Self {
            rule,
            program,
            yeses,
            ..
        } = self;
        let below = match self.below.as_str() {
            "" => String::new(),
            below => format!(" below {below}"),
        };
        format!("you said yes {yeses} times in a row to `{program}`{below} ({rule}); make a rule?")
    }
}

/// What was let through in a row.
#[derive(Default)]
struct Row {
    yeses: usize,
    /// The directory of them all, as far as each says it.
    below: Option<String>,
}

impl Row {
    fn add(&mut self, dir: Option<String>) {
        self.below = match (self.yeses, self.below.take(), dir) {
            (0, _, dir) => dir,
            (_, Some(one), Some(other)) => common(&one, &other),
            _ => None,
        };
        self.yeses += 1;
    }
}

/// The habits that questions show, oldest question first. A no begins anew, and what takes more
/// than a plain yes is no habit.
#[must_use]
pub fn of(all: &[Asked]) -> Vec<Habit> {
    let mut rows: BTreeMap<(&str, String), Row> = BTreeMap::new();
    for asked in all {
        let approval = &asked.approval;
        let (Some(rule), Some(program)) = (rule(&approval.tag), program(&approval.what)) else {
            continue;
        };
        if approval.needs != GrantLevel::Prompt {
            continue;
        }
        let row = rows.entry((rule, program)).or_default();
        match asked.answer() {
            Some(true) => row.add(dir(&approval.what, &approval.why)),
            Some(false) => *row = Row::default(),
            None => {}
        }
    }
    let habits = rows.into_iter().filter(|(_, row)| row.yeses >= YESES);
    let habits = habits.map(|((rule, program), row)| Habit {
        rule: rule.to_owned(),
        program,
        below: row.below.unwrap_or_default(),
        yeses: row.yeses,
    });
    habits.collect()
}

/// The directory in which all that a plain command names lies, where each word says it by itself,
/// or is named so from the project in what would be lost.
fn dir(what: &str, why: &str) -> Option<String> {
    let mut words = what.split(' ');
    if words
        .next()
        .is_none_or(|program| WITH_VERBS.contains(&program))
    {
        return None;
    }
    let targets = words.filter(|word| !word.starts_with('-'));
    let mut all: Option<String> = None;
    for word in targets {
        let is_plain =
            !word.contains(['*', '?', '[', '{', '"', '\'', '\\']) && !word.contains("..");
        let is_whole = word.starts_with(['/', '~']);
        let is_said = || {
            ["(", ", "]
                .iter()
                .any(|mark| why.contains(&format!("{mark}{word} ")))
        };
        if !is_plain || !is_whole && !is_said() {
            return None;
        }
        let (above, _) = word.trim_end_matches('/').rsplit_once('/')?;
        all = Some(match all {
            None => above.to_owned(),
            Some(other) => common(above, &other)?,
        });
    }
    all.filter(|dir| is_narrow(dir))
}

/// The directory that holds two; nothing if that is most of what there is.
fn common(one: &str, other: &str) -> Option<String> {
    let parts = one.split('/').zip(other.split('/'));
    let same: Vec<&str> = parts
        .take_while(|(one, other)| one == other)
        .map(|(one, _)| one)
        .collect();
    Some(same.join("/")).filter(|dir| is_narrow(dir))
}

/// Whether a directory is less than the project, a home or a part of the system.
fn is_narrow(dir: &str) -> bool {
    let parts = dir
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .count();
    parts
        >= if dir.starts_with('/') {
            4
        } else if dir.starts_with('~') {
            2
        } else {
            1
        }
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
    use super::{Row, dir, program};

    #[test]
    fn what_all_lies_below_is_the_directory_that_they_share() {
        let why = "would delete files that exist nowhere else (drafts/a.md untracked, x.md new)";
        for (what, below) in [
            ("rm drafts/a.md", Some("drafts")),
            ("rm -f ~/notes/old/a ~/notes/old/b/c", Some("~/notes/old")),
            ("rm /home/dev/work/out/a", Some("/home/dev/work/out")),
            ("rm drafts/b.md", None),
            ("rm x.md", None),
            ("rm ~/a", None),
            ("rm /etc/a/b", None),
            ("rm drafts/*.md", None),
            ("rm ~/a/../../x/y", None),
            ("git checkout drafts/a.md", None),
            ("rm", None),
        ] {
            assert_eq!(dir(what, why).as_deref(), below, "{what}");
        }
        let mut row = Row::default();
        for (path, below) in [
            ("~/notes/old/a", Some("~/notes/old")),
            ("~/notes/new/b", Some("~/notes")),
            ("~/other/c", None),
            ("~/notes/new/b", None),
        ] {
            row.add(dir(&format!("rm {path}"), ""));
            assert_eq!(row.below.as_deref(), below, "{path}");
        }
        assert_eq!(row.yeses, 4);
    }

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
