//! What the hydrator answers: the form that it is asked for, and how its answer is read. What is
//! not understood becomes `none` with a note; no answer can make up a guardrail. Must not know how
//! the hydrator was asked.

mod answer;
mod told;

pub use told::{TOLD_BYTES_MAX, told};

use model::one_line;
use work::discipline::{Guidance, SKILLS_MAX};

use crate::tables::{Rulebook, base};
use answer::Answer;

/// One of the three things that are decided about a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dimension {
    /// Its key in an answer.
    pub key: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// Each value with when it is meant; the last is `none`.
    pub values: &'static [(&'static str, &'static str)],
}

/// The three, in the order in which they are decided.
pub const DIMENSIONS: [Dimension; 3] = [
    Dimension {
        key: "gate",
        title: "Gate",
        values: &[
            (
                "plan-mode",
                "the framework itself, infrastructure, several files, or a matter for approval",
            ),
            ("none", "anything else"),
        ],
    },
    Dimension {
        key: "pre-work",
        title: "Pre-work",
        values: &[
            (
                "verify-first",
                "something fails: an error, a red test, a report",
            ),
            (
                "research-first",
                "the place, the library or the subject is unfamiliar",
            ),
            ("none", "anything else"),
        ],
    },
    Dimension {
        key: "approach",
        title: "Approach",
        values: &[
            (
                "tdd",
                "new functionality, or a change of structure that could alter behaviour",
            ),
            ("direct", "a fix, settings, documents"),
            ("none", "a question: nothing is changed"),
        ],
    },
];

/// What a value of a dimension brings with it (S4.11).
const DERIVED: &[(&str, &str, &[&str])] = &[
    ("gate", "plan-mode", &["plan_mode", "critic_review"]),
    (
        "pre-work",
        "verify-first",
        &["quote_errors_exactly", "fix_within_design"],
    ),
    ("approach", "tdd", &["require_acceptance_test"]),
    ("approach", "tdd", IMPLEMENTATION),
    ("approach", "direct", IMPLEMENTATION),
    ("approach", "none", &["answer_only"]),
];
/// What every change brings with it.
const IMPLEMENTATION: &[&str] = &["verify_before_complete", "use_todowrite"];
/// The guardrail that names a skill behind its colon.
const REQUIRE_SKILL: &str = "require_skill";
/// The kind of tasks whose guardrails hold when an answer cannot be read.
pub const SIMPLE: &str = "simple";
/// How it is gone about then.
const SIMPLE_APPROACH: &str = "direct";

/// Longest answer that is read, in bytes.
const ANSWER_BYTES_MAX: usize = 32 * 1024;
/// Longest note, in characters.
const NOTE_CHARS_MAX: usize = 160;
/// Longest name of a skill, in characters.
const NAME_CHARS_MAX: usize = 80;

/// The guardrails that a value of a dimension brings with it.
pub fn derived_by(key: &str, value: &str) -> impl Iterator<Item = &'static str> {
    let rows = DERIVED
        .iter()
        .filter(move |(of, one, _)| *of == key && *one == value);
    rows.flat_map(|(_, _, ids)| ids.iter().copied())
}

/// Every guardrail that is derived, with what it is derived from.
pub fn all_derived() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let rows = DERIVED.iter();
    let rows = rows.flat_map(|(key, value, ids)| ids.iter().map(|id| (*key, *value, *id)));
    rows.chain([("a", "skill", REQUIRE_SKILL)])
}

/// The form of the answer, as the hydrator is asked for it.
#[must_use]
pub fn form() -> &'static str {
    FORM
}

const FORM: &str = "\
**Gate**: plan-mode, or none
**Pre-work**: verify-first, research-first, or none
**Approach**: tdd, direct, or none
**Skill(s)**: names, or none
**Guardrails**: ids, or none
### Relevant Context
- facts that the work needs, each with its file and line
### Session State
- what was asked before and still holds
### Guidance
What to do first, and what to watch for.
";

/// Reads an answer. What it does not say is `none`; of its guardrails, and of those that its
/// workflow brings along, only those hold that `rules` registers. A skill that there is not, as
/// `is_skill` says, is left out, and the note says so. Where it does not say how to go about it,
/// the task is a simple one (S4.18): `none` is for questions alone.
#[must_use]
pub fn read(answer: &str, rules: &Rulebook, is_skill: &dyn Fn(&str) -> bool) -> Guidance {
    let end = answer.floor_char_boundary(ANSWER_BYTES_MAX);
    let whole = answer;
    let answer = Answer::read(answer.get(..end).unwrap_or_default(), rules);
    let mut notes = Vec::new();
    let mut is_told = false;
    let [gate, pre_work, mut approach] = DIMENSIONS.map(|dimension| {
        let said = answer.value(dimension.key);
        is_told |= said.is_some();
        value_of(&dimension, said, &mut notes)
    });
    if !is_told {
        return simple(rules, whole);
    }
    let says_none = |said: &str| letters(first_words(said)) == "none";
    let is_simple = approach == "none" && !answer.value("approach").is_some_and(says_none);
    if is_simple {
        SIMPLE_APPROACH.clone_into(&mut approach);
        notes.push("the guardrails of `simple` hold".to_owned());
    }
    let mut guidance = Guidance {
        gate,
        pre_work,
        approach,
        skills: skills(&answer.skills, is_skill, &mut notes),
        ..Guidance::default()
    };
    let of_simple = rules.of_task(SIMPLE);
    let of_simple = of_simple
        .into_iter()
        .filter(|_| is_simple)
        .map(str::to_owned);
    let named: Vec<String> = answer.guardrails.iter().cloned().chain(of_simple).collect();
    guidance.guardrails = guardrails(&guidance, &named, (rules, &mut notes));
    guidance.note = one_line(&notes.join("; "), NOTE_CHARS_MAX);
    guidance
}

/// What holds when an answer could not be read.
fn simple(rules: &Rulebook, answer: &str) -> Guidance {
    let guardrails: Vec<String> = rules
        .of_task(SIMPLE)
        .into_iter()
        .map(str::to_owned)
        .collect();
    let said = answer.lines().map(str::trim).find(|line| !line.is_empty());
    let said = said.map_or(String::new(), |line| {
        format!(" (it says \"{}\")", one_line(&line.replace('"', "'"), 60))
    });
    let note = match guardrails.is_empty() {
        false => format!("the answer names no workflow{said}; the guardrails of `simple` hold"),
        true => format!(
            "the answer names no workflow{said}, and RULES.md maps no guardrails to `simple`"
        ),
    };
    let none = || "none".to_owned();
    Guidance {
        gate: none(),
        pre_work: none(),
        approach: SIMPLE_APPROACH.to_owned(),
        skills: Vec::new(),
        guardrails,
        note,
    }
}

fn value_of(dimension: &Dimension, said: Option<&str>, notes: &mut Vec<String>) -> String {
    let Some(said) = said else {
        notes.push(format!("no {}", dimension.key));
        return "none".to_owned();
    };
    let wanted = letters(first_words(said));
    let mut values = dimension.values.iter().map(|(value, _)| *value);
    if let Some(value) = values.find(|value| letters(value) == wanted) {
        return value.to_owned();
    }
    if !is_none(said) {
        let said = one_line(said, 40);
        notes.push(format!("unknown {} `{said}`", dimension.key));
    }
    "none".to_owned()
}

/// A value without what explains it.
fn first_words(said: &str) -> &str {
    let said = said.trim_start_matches(['[', '<', '"', '\'', '`', '*', ' ']);
    let ends = [
        " (", " - ", " – ", " — ", ",", ";", ":", "]", ">", "\"", "`", ". ", "*",
    ];
    let cut = ends.iter().filter_map(|end| said.find(end)).min();
    said.get(..cut.unwrap_or(said.len())).unwrap_or(said)
}

/// Letters and digits alone, in lower case.
fn letters(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

fn is_none(said: &str) -> bool {
    matches!(
        letters(first_words(said)).as_str(),
        "" | "none" | "no" | "na" | "null" | "nil" | "notapplicable" | "direct" | "nonerequired"
    )
}

fn skills(
    said: &[String],
    is_skill: &dyn Fn(&str) -> bool,
    notes: &mut Vec<String>,
) -> Vec<String> {
    let mut skills: Vec<String> = Vec::new();
    for name in said {
        let name = name.trim_start_matches('/');
        if is_none(name) || skills.iter().any(|known| known == name) {
            continue;
        }
        if crate::tables::is_id(name) && name.chars().count() <= NAME_CHARS_MAX {
            match is_skill(name) {
                true => skills.push(name.to_owned()),
                false => notes.push(format!("there is no skill `{}`", one_line(name, 40))),
            }
        } else {
            notes.push(format!("`{}` is no skill's name", one_line(name, 40)));
        }
    }
    skills.truncate(SKILLS_MAX);
    skills
}

fn guardrails(
    guidance: &Guidance,
    named: &[String],
    (rules, notes): (&Rulebook, &mut Vec<String>),
) -> Vec<String> {
    let dimensions = [
        ("gate", &guidance.gate),
        ("pre-work", &guidance.pre_work),
        ("approach", &guidance.approach),
    ];
    let derived = dimensions
        .iter()
        .flat_map(|(key, value)| derived_by(key, value));
    let first_skill = guidance.skills.first();
    let required = first_skill.map(|skill| format!("{REQUIRE_SKILL}:{skill}"));
    let mut ids: Vec<String> = Vec::new();
    let derived = derived.map(str::to_owned).chain(required);
    for id in derived.filter(|id| rules.guardrail(id).is_some()) {
        put(&mut ids, id);
    }
    for id in named.iter().filter(|id| !is_none(id)) {
        match known_id(id, rules) {
            // Which skill is required was said by naming the skill.
            Some(id) if base(&id) == REQUIRE_SKILL => {
                let skill = id.split_once(':').map_or("", |(_, skill)| skill);
                if guidance.skills.iter().any(|known| known == skill) {
                    put(&mut ids, id);
                }
            }
            Some(id) => put(&mut ids, id),
            None => notes.push(format!("unknown guardrail `{}`", one_line(id, 40))),
        }
    }
    ids.truncate(SKILLS_MAX);
    ids
}

fn put(ids: &mut Vec<String>, id: String) {
    if !ids.contains(&id) {
        ids.push(id);
    }
}

/// The id as it is registered, with its value, however it is spelled.
fn known_id(id: &str, rules: &Rulebook) -> Option<String> {
    let wanted = letters(base(id));
    let mut registered = rules.guardrails.iter();
    let found = registered.find(|guardrail| letters(&guardrail.id) == wanted)?;
    let value = id.split_once(':').map(|(_, value)| value);
    let value = value.filter(|value| crate::tables::is_id(value) && !is_none(value));
    Some(match value {
        Some(value) => format!("{}:{value}", found.id),
        None => found.id.clone(),
    })
}

#[cfg(test)]
mod tests;
