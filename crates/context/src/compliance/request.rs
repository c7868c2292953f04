//! The request for a compliance check, made of a template. What comes from the worker or the
//! repository stands between fences that it cannot write. Must not know how the text gets to the
//! checker.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Value;
use minijinja::{AutoEscape, Environment, Error, UndefinedBehavior, context};
use model::one_line;
use work::discipline::skills::is_same;
use work::discipline::trail::Line;
use work::discipline::{Asked, CALL_CHARS_MAX, Compliance, Guidance, Skills, Standing, Task};

use super::VERDICT;
use crate::tables::{Principle, Rulebook, Trigger, matching};

/// The template's name, also in a directory of the user's own.
pub const TEMPLATE_NAME: &str = "compliance.j2";
/// The template that holds where the user has none.
pub const TEMPLATE: &str = include_str!("../../../../assets/templates/compliance.j2");
/// How the last line of every request begins; the word follows that the verdict repeats.
pub const SENTINEL: &str = "END OF REQUEST";

/// Longest words of a table, in characters.
const WORDS_CHARS_MAX: usize = 300;
/// Longest todo item, in characters.
const TODO_CHARS_MAX: usize = 160;
/// Most todo items and most principles that are shown.
const TODOS_MAX: usize = 20;
const PRINCIPLES_MAX: usize = 6;
/// Longest request, in bytes.
const REQUEST_BYTES_MAX: usize = 32 * 1024;

/// What a request is made of. Secrets are replaced before.
#[derive(Debug, Clone, Copy)]
pub struct ComplianceInput<'a> {
    /// What the verdict must repeat.
    pub nonce: &'a str,
    /// What the session was asked, and what it did.
    pub task: &'a Task,
    /// Its skills.
    pub skills: &'a Skills,
    /// What the hydrator said of the latest prompt.
    pub guidance: &'a Guidance,
    /// How the last check ended.
    pub compliance: &'a Compliance,
    /// RULES.md.
    pub rules: &'a Rulebook,
    /// Principles of all tables.
    pub principles: &'a [Principle],
    /// REMINDERS.md.
    pub triggers: &'a [Trigger],
    /// The worker's todo items, if they are known.
    pub todos: Option<&'a [String]>,
    /// Whether any of the tables may be the repository's or the worker's, so that its words are
    /// data.
    pub from_repository: bool,
}

/// How words begin that make a principle matter to a way of working; the empty way is every one.
const MATTERS: &[(&str, &[&str])] = &[
    ("tdd", &["acceptance", "test first", "test-first", "tdd"]),
    ("verify-first", &["verif", "quote", "reproduc", "evidence"]),
    ("research-first", &["research", "source", "assum"]),
    ("plan-mode", &["plan", "approv"]),
    ("", &["scope", "what was asked", "authority", "permission"]),
];

/// The principles that matter to a way of working, best first.
#[must_use]
pub fn relevant<'p>(
    guidance: &Guidance,
    asked: &[Asked],
    principles: &'p [Principle],
) -> Vec<&'p Principle> {
    let declared = asked.iter().flat_map(|one| one.way.split([' ', '=']));
    let mut ways = vec![&*guidance.approach, &*guidance.pre_work, &*guidance.gate];
    ways.extend(declared.filter(|word| MATTERS.iter().any(|(way, _)| way == word)));
    ways.push("");
    let words = ways.into_iter().flat_map(|way| {
        let rows = MATTERS.iter().filter(move |(of, _)| *of == way);
        rows.flat_map(|(_, words)| *words)
    });
    let mut found: Vec<&Principle> = Vec::new();
    for word in words {
        for principle in principles {
            let says = [&*principle.title, " ", &*principle.rule]
                .concat()
                .to_lowercase();
            let is_new = !found.iter().any(|known| known.id == principle.id);
            if is_new && begins_word(&says, word) {
                found.push(principle);
            }
        }
    }
    found.truncate(PRINCIPLES_MAX);
    found
}

/// Whether a word of the text begins so: an explanation is no plan.
fn begins_word(text: &str, begin: &str) -> bool {
    text.match_indices(begin).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        !before.is_some_and(char::is_alphanumeric)
    })
}

/// Makes the request. `templates` are names and texts; the one called [`TEMPLATE_NAME`] is made,
/// the others can be included by it.
///
/// # Errors
/// What is wrong with the word to be repeated or with a template, with its name and line.
pub fn request(templates: &[(&str, &str)], input: &ComplianceInput<'_>) -> Result<String, String> {
    let nonce = input.nonce;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !(8..=64).contains(&nonce.len()) || !nonce.chars().all(is_plain) {
        return Err("the word to be repeated needs 8 to 64 letters, digits, - and _".to_owned());
    }
    let mut environment = Environment::new();
    environment.set_syntax(syntax().map_err(|error| said(&error))?);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    let own = [(TEMPLATE_NAME, TEMPLATE)];
    for (name, text) in own.iter().chain(templates) {
        environment
            .add_template(name, text)
            .map_err(|error| said(&error))?;
    }
    let template = environment
        .get_template(TEMPLATE_NAME)
        .map_err(|error| said(&error))?;
    let text = template
        .render(values(input))
        .map_err(|error| said(&error))?;
    let forms = Standing::NAMES
        .iter()
        .map(|(name, _)| format!("{VERDICT}{name} {nonce}"));
    for form in forms {
        if !text.contains(&form) {
            return Err(format!(
                "{TEMPLATE_NAME} does not show the form `{VERDICT}…`: `{form}`"
            ));
        }
    }
    if text.len() > REQUEST_BYTES_MAX {
        return Err(format!(
            "{TEMPLATE_NAME} makes more than {REQUEST_BYTES_MAX} bytes"
        ));
    }
    Ok(format!("{}\n\n{SENTINEL} {nonce}\n", text.trim_end()))
}

/// Lines that hold nothing but a block tag leave nothing behind.
fn syntax() -> Result<SyntaxConfig, Error> {
    let mut syntax = SyntaxConfig::builder();
    syntax.trim_blocks(true).lstrip_blocks(true).build()
}

/// A template's error, with its place.
fn said(error: &Error) -> String {
    let name = error.name().unwrap_or(TEMPLATE_NAME);
    let line = error
        .line()
        .map_or(String::new(), |line| format!(" line {line}"));
    let what = error.kind();
    match error.detail() {
        Some(detail) => format!("{name}{line}: {what}: {detail}"),
        None => format!("{name}{line}: {what}"),
    }
}

fn values(input: &ComplianceInput<'_>) -> Value {
    let (task, guidance) = (input.task, input.guidance);
    let data = |text: &str, chars_max: usize| fenced(text, input.nonce, chars_max);
    let all = |lines: &[String], chars_max: usize| -> Vec<String> {
        lines.iter().map(|line| data(line, chars_max)).collect()
    };
    let way = |value: &str| {
        let value = if value.is_empty() { "none" } else { value };
        data(value, CALL_CHARS_MAX)
    };
    let asked = asked(task, guidance);
    let principles = relevant(guidance, &asked, input.principles);
    let principles = principles.into_iter().map(|one| {
        let (id, title) = (
            data(&one.id, CALL_CHARS_MAX),
            data(&one.title, CALL_CHARS_MAX),
        );
        context! { id, title, rule => data(&one.rule, WORDS_CHARS_MAX) }
    });
    let mut ids: Vec<&String> = asked.iter().flat_map(|one| &one.guardrails).collect();
    ids.sort_unstable();
    ids.dedup();
    let guardrails = ids.into_iter().filter_map(|id| {
        let instruction = &input.rules.guardrail(id)?.instruction;
        let instruction = data(instruction, WORDS_CHARS_MAX);
        Some(context! { id => data(id, CALL_CHARS_MAX), instruction })
    });
    let previous = match input.compliance.standing {
        Standing::Ok => String::new(),
        standing => format!(
            "{}: {}",
            standing.name(),
            data(&input.compliance.words, 200)
        ),
    };
    context! {
        nonce => input.nonce,
        sentinel => format!("{SENTINEL} {}", input.nonce),
        asked => asked.iter().enumerate().map(|(at, one)| told(input, at, one)).collect::<Vec<_>>(),
        left_out => task.trail.left_out,
        has_tdd => asked.iter().any(|one| one.way.contains("approach=tdd")),
        origin => data(if is_among(&task.origin, &asked) { "" } else { &task.origin }, usize::MAX),
        intent => data(&task.intent, usize::MAX),
        prompts => task.prompts,
        gate => way(&guidance.gate),
        pre_work => way(&guidance.pre_work),
        approach => way(&guidance.approach),
        skill => data(&input.skills.active, CALL_CHARS_MAX),
        calls_since => input.compliance.calls,
        calls => all(&task.recent, CALL_CHARS_MAX),
        errors => all(&task.errors, WORDS_CHARS_MAX),
        touched => all(&task.touched, WORDS_CHARS_MAX),
        principles => principles.collect::<Vec<_>>(),
        guardrails => guardrails.collect::<Vec<_>>(),
        has_todos => input.todos.is_some(),
        todos => all(input.todos.map_or(&[], first), TODO_CHARS_MAX),
        bypassed => bypassed(input),
        previous,
        from_repository => input.from_repository,
    }
}

/// Every request since the last check; a record of before they were kept has one.
fn asked(task: &Task, guidance: &Guidance) -> Vec<Asked> {
    if !task.trail.asked.is_empty() {
        return task.trail.asked.clone();
    }
    let line = |text: &String| Line {
        text: text.clone(),
        times: 1,
        failed: 0,
    };
    vec![Asked {
        text: task.intent.clone(),
        scope: true,
        way: match guidance.approach.as_str() {
            "" => String::new(),
            _ => guidance.way(),
        },
        guardrails: guidance.guardrails.clone(),
        calls: task.recent.iter().map(line).collect(),
        ..Asked::default()
    }]
}

fn is_among(origin: &str, asked: &[Asked]) -> bool {
    asked.iter().any(|one| {
        let text = one.text.trim_end_matches('…');
        !text.is_empty() && origin.starts_with(text)
    })
}

/// A request as the checker is told of it.
fn told(input: &ComplianceInput<'_>, at: usize, one: &Asked) -> Value {
    let data = |text: &str, chars_max: usize| fenced(text, input.nonce, chars_max);
    let text = match one.text.as_str() {
        "" => "(what was done before the first request)",
        text => text,
    };
    let way = match one.way.as_str() {
        "" if one.scope => "no workflow was declared",
        "" => "as for the request before",
        way => way,
    };
    let calls = one.calls.iter().map(|line| {
        let text = data(&line.text, CALL_CHARS_MAX);
        match (line.times, line.failed) {
            (1, 0) => text,
            (1, _) => format!("{text} (failed)"),
            (times, 0) => format!("{text} × {times}"),
            (times, failed) => format!("{text} × {times}, failed {failed}"),
        }
    });
    let decisions = one.decisions.iter().map(|line| data(line, WORDS_CHARS_MAX));
    context! {
        number => at + 1,
        text => data(text, usize::MAX),
        way => data(way, WORDS_CHARS_MAX),
        guardrails => data(&one.guardrails.join(", "), WORDS_CHARS_MAX),
        more => one.more,
        calls => calls.collect::<Vec<_>>(),
        decisions => decisions.collect::<Vec<_>>(),
    }
}

fn first(todos: &[String]) -> &[String] {
    todos.get(..TODOS_MAX).unwrap_or(todos)
}

/// Todo items that belong to a skill which was not loaded.
fn bypassed(input: &ComplianceInput<'_>) -> Vec<Value> {
    let data = |text: &str| fenced(text, input.nonce, TODO_CHARS_MAX);
    let todos = first(input.todos.unwrap_or_default());
    let found = todos.iter().filter_map(|todo| {
        let trigger = matching(input.triggers, todo, &[])?;
        let mut loaded = input.skills.loaded.iter();
        let is_loaded = loaded.any(|known| is_same(known, &trigger.skill));
        let (skill, when) = (data(&trigger.skill), data(&trigger.when));
        (!is_loaded).then(|| context! { todo => data(todo), skill, when })
    });
    found.collect()
}

/// Text on one line that cannot end the fence around it: the word that the fence repeats is taken
/// out, should it ever have got there.
fn fenced(text: &str, nonce: &str, chars_max: usize) -> String {
    one_line(text, chars_max).replace(nonce, "[…]")
}

#[cfg(test)]
mod tests;
