//! The few lines that are said without a hydrator, each for one of five reasons. What a machine or
//! a repository said is shown as a quotation with its source. Pure and short: it runs in the hook.

use model::{Hint, Reason, one_line};
use work::discipline::skills::is_same;
use work::discipline::{Skills, Task};

/// All that is said at once, in bytes.
pub const HINT_BYTES_MAX: usize = 520;

/// Most of a prompt or a failure that is quoted, in characters.
const QUOTE_CHARS_MAX: usize = 140;
/// Longest path that is named, in characters.
const PATH_CHARS_MAX: usize = 80;
/// Most paths that are named.
const PATHS_MAX: usize = 5;
/// Shortest rest that is still worth a line, in bytes.
const LINE_BYTES_MIN: usize = 90;
/// How much of a prompt is looked at for an error, in bytes.
const PROMPT_BYTES_MAX: usize = 64 * 1024;

/// What an error looks like when somebody pastes it.
const ERROR_SIGNS: &[&str] = &[
    "Traceback (most recent call last)",
    "error[E",
    "panicked at",
    "panic: ",
    "goroutine 1 [running]",
    "Exception in thread",
    "Unhandled exception",
    "UnhandledPromiseRejection",
    "Uncaught ",
    "Caused by:",
    "Segmentation fault",
    "core dumped",
    "fatal error:",
    "undefined reference to",
    ": error: ",
    "error TS",
    "npm ERR!",
    "AssertionError",
    "Error: ",
];

/// A skill that fits what is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SkillFit<'a> {
    /// Its name.
    pub skill: &'a str,
    /// When its table says to use it.
    pub when: &'a str,
    /// The file that says so.
    pub source: &'a str,
}

/// What is known besides the session's record.
#[derive(Debug, Clone, Copy, Default)]
pub struct HintFacts<'a> {
    /// The session goes on after its context was cut, and this was not yet said.
    pub resumed: bool,
    /// A skill of the table fits the prompt.
    pub skill: Option<SkillFit<'a>>,
    /// What failed before in this project and is about to be done.
    pub patterns: &'a [&'a str],
    /// Uncommitted paths that this session did not make.
    pub foreign: &'a [String],
    /// What else is said with it, in bytes.
    pub taken: usize,
}

/// What is worth saying about a prompt, the most urgent first; nothing where no reason applies.
#[must_use]
pub fn hints(task: &Task, skills: &Skills, prompt: &str, facts: &HintFacts<'_>) -> Vec<Hint> {
    let said = [
        (
            Reason::Resumed,
            facts.resumed.then(|| resumed(task)).flatten(),
        ),
        (Reason::ErrorTrace, error_sign(prompt).map(verify_first)),
        (
            Reason::Skill,
            facts.skill.and_then(|fit| skill(skills, fit)),
        ),
        (Reason::Pattern, pattern(facts.patterns)),
        (Reason::ForeignWork, foreign(facts.foreign, prompt)),
    ];
    let mut left = HINT_BYTES_MAX.saturating_sub(facts.taken);
    let mut hints = Vec::new();
    for (reason, text) in said {
        let Some(text) = text.filter(|_| left >= LINE_BYTES_MIN) else {
            continue;
        };
        let text = within(&text, left);
        left -= (text.len() + 1).min(left);
        hints.push(Hint { reason, text });
    }
    hints
}

/// What the session was about, in the words of the human.
fn resumed(task: &Task) -> Option<String> {
    if task.origin.is_empty() {
        return None;
    }
    let mut text = format!(
        "The context was cut. From this session's record: first request {}",
        quoted(&task.origin)
    );
    if task.intent != task.origin {
        text.push_str(&format!("; latest {}", quoted(&task.intent)));
    }
    if let Some(error) = task.errors.last() {
        text.push_str(&format!("; last failure {}", quoted(error)));
    }
    if !task.touched.is_empty() {
        let newest: Vec<&String> = task.touched.iter().rev().collect();
        text.push_str(&format!("; files changed {}", listed(&newest)));
    }
    text.push('.');
    Some(text)
}

fn skill(skills: &Skills, fit: SkillFit<'_>) -> Option<String> {
    let is_loaded = |known: &String| is_same(known, fit.skill);
    if is_same(&skills.active, fit.skill) || skills.loaded.iter().any(is_loaded) {
        return None;
    }
    let source = one_line(fit.source, PATH_CHARS_MAX);
    let (name, when) = (quoted(fit.skill), quoted(fit.when));
    Some(format!(
        "{source} names the skill {name} for {when}; it is not loaded in this session."
    ))
}

fn verify_first(sign: &str) -> String {
    format!(
        "The prompt shows an error ({}): quote it exactly and reproduce it before changing \
         anything, then show that it is gone.",
        quoted(sign)
    )
}

fn pattern(patterns: &[&str]) -> Option<String> {
    let first = patterns.first()?;
    Some(format!(
        "From this project's record, what failed before: {}.",
        quoted(first)
    ))
}

/// The text on one line, cut to so many bytes.
fn within(text: &str, bytes_max: usize) -> String {
    let mut chars = bytes_max;
    loop {
        let line = one_line(text, chars);
        if line.len() <= bytes_max {
            return line;
        }
        chars = chars.saturating_sub(line.len() - bytes_max).min(chars - 1);
    }
}

/// What the prompt names is to be changed, whoever's it is.
fn foreign(paths: &[String], prompt: &str) -> Option<String> {
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let unnamed = paths.iter().filter(|path| !prompt.contains(&name(path)));
    let paths: Vec<&String> = unnamed.collect();
    if paths.is_empty() {
        return None;
    }
    Some(format!(
        "From git: uncommitted changes that this session did not make: {}. Leave them as they are \
         unless the user asks otherwise.",
        listed(&paths)
    ))
}

/// The first paths, and how many more.
fn listed(paths: &[&String]) -> String {
    let shown: Vec<String> = paths
        .iter()
        .take(PATHS_MAX)
        .map(|path| quoted_within(path, PATH_CHARS_MAX))
        .collect();
    let more = paths.len() - shown.len();
    let mut text = shown.join(", ");
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    text
}

fn quoted(text: &str) -> String {
    quoted_within(text, QUOTE_CHARS_MAX)
}

/// Between quotation marks, which it cannot contain itself.
fn quoted_within(text: &str, chars_max: usize) -> String {
    let tame: String = one_line(text, chars_max)
        .chars()
        .map(|c| {
            if matches!(c, '"' | '“' | '”' | '\u{2028}' | '\u{2029}') {
                '\''
            } else {
                c
            }
        })
        .collect();
    format!("\"{tame}\"")
}

/// What shows that a prompt holds an error, as it stands there.
fn error_sign(prompt: &str) -> Option<&str> {
    let mut end = prompt.len().min(PROMPT_BYTES_MAX);
    while !prompt.is_char_boundary(end) {
        end -= 1;
    }
    let prompt = prompt.get(..end).unwrap_or_default();
    let lines = prompt.lines().map(str::trim);
    lines
        .into_iter()
        .find(|line| ERROR_SIGNS.iter().any(|sign| line.contains(sign)) || is_frame(line))
}

/// A line of a stack: `at name (file:12:3)`, `File "x.py", line 3`.
fn is_frame(line: &str) -> bool {
    let ends_in_number = |text: &str| {
        let number = text.rsplit(':').next().unwrap_or_default();
        text.contains(':') && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
    };
    let at = line
        .strip_prefix("at ")
        .and_then(|rest| rest.strip_suffix(')'));
    let inside = at
        .and_then(|rest| rest.rsplit_once('('))
        .map(|(_, inside)| inside);
    let is_python = line.starts_with("File \"") && line.contains("\", line ");
    inside.is_some_and(ends_in_number) || is_python
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn task() -> Task {
        Task {
            origin: "move the parser into a crate".to_owned(),
            intent: "keep the old name".to_owned(),
            errors: vec!["cargo test: exit 101 \"E0432\"".to_owned()],
            touched: vec!["src/parse.rs".to_owned()],
            ..Task::default()
        }
    }

    fn reasons(hints: &[Hint]) -> Vec<Reason> {
        hints.iter().map(|hint| hint.reason).collect()
    }

    #[test]
    fn without_a_reason_nothing_is_said() {
        let said = hints(
            &task(),
            &Skills::default(),
            "rename the field",
            &HintFacts::default(),
        );
        assert_eq!(said, []);
        let resumed = HintFacts {
            resumed: true,
            ..HintFacts::default()
        };
        assert_eq!(
            hints(&Task::default(), &Skills::default(), "x", &resumed),
            []
        );
    }

    #[test]
    fn after_a_cut_the_request_comes_back() {
        let resumed = HintFacts {
            resumed: true,
            ..HintFacts::default()
        };
        let said = hints(&task(), &Skills::default(), "go on", &resumed);
        assert_eq!(reasons(&said), [Reason::Resumed]);
        assert_eq!(
            said[0].text,
            "The context was cut. From this session's record: first request \"move the parser \
             into a crate\"; latest \"keep the old name\"; last failure \"cargo test: exit 101 \
             'E0432'\"; files changed \"src/parse.rs\"."
        );
    }

    #[test]
    fn a_skill_is_named_until_it_is_loaded() {
        let fit = SkillFit {
            skill: "rust-dev",
            when: "Any Rust work",
            source: "REMINDERS.md",
        };
        let facts = HintFacts {
            skill: Some(fit),
            ..HintFacts::default()
        };
        let mut skills = Skills::default();
        let said = hints(&task(), &skills, "clippy", &facts);
        assert_eq!(
            said[0].text,
            "REMINDERS.md names the skill \"rust-dev\" for \"Any Rust work\"; it is not loaded in \
             this session."
        );
        skills.loaded = vec!["Rust-Dev".into()];
        skills.active = "other".into();
        assert_eq!(hints(&task(), &skills, "clippy", &facts), []);
    }

    #[test]
    fn errors_are_known_by_their_signs() {
        for prompt in [
            "why?\nTraceback (most recent call last):\n  File \"a.py\", line 3, in f",
            "error[E0382]: borrow of moved value",
            "thread 'main' panicked at src/main.rs:3:5",
            "Exception in thread \"main\" java.lang.Error",
            "    at Object.run (/app/index.js:10:15)",
            "    at com.acme.Main.main(Main.java:12)",
            "a.c:3:1: error: expected ';'",
        ] {
            let said = hints(
                &Task::default(),
                &Skills::default(),
                prompt,
                &HintFacts::default(),
            );
            assert_eq!(reasons(&said), [Reason::ErrorTrace], "{prompt}");
        }
        for prompt in [
            "handle errors in a.rs",
            "look at it (a:b)",
            "at noon (12:30) we ship: x",
        ] {
            assert_eq!(
                hints(
                    &Task::default(),
                    &Skills::default(),
                    prompt,
                    &HintFacts::default()
                ),
                []
            );
        }
    }

    #[test]
    fn the_work_of_others_is_counted() {
        let foreign: Vec<String> = (0..7).map(|n| format!("f{n}.rs")).collect();
        let facts = HintFacts {
            foreign: &foreign,
            ..HintFacts::default()
        };
        let said = hints(&Task::default(), &Skills::default(), "x", &facts);
        assert!(
            said[0].text.contains("\"f4.rs\" and 2 more. Leave"),
            "{said:?}"
        );
    }

    proptest! {
        #[test]
        fn whatever_is_known_it_stays_short_and_on_its_line(
            origin in any::<String>(), error in any::<String>(), path in any::<String>(),
            prompt in any::<String>(), skill in any::<String>(),
        ) {
            let task = Task {
                origin: origin.repeat(9),
                intent: prompt.repeat(9),
                errors: vec![error],
                touched: vec![path.clone()],
                ..Task::default()
            };
            let foreign = vec![path.repeat(5); 9];
            let patterns = [&*origin];
            let facts = HintFacts {
                resumed: true,
                skill: Some(SkillFit { skill: &skill, when: &path, source: &origin }),
                patterns: &patterns,
                foreign: &foreign,
                taken: 0,
            };
            let said = hints(&task, &Skills::default(), &format!("panicked at {prompt}"), &facts);
            let bytes: usize = said.iter().map(|hint| hint.text.len()).sum();
            prop_assert!(bytes <= HINT_BYTES_MAX);
            for hint in &said {
                prop_assert!(!hint.text.contains('\n'));
            }
        }
    }
}
