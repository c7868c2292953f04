//! The words that workers and people read about a finding. Everything is one line, without control
//! characters, and at most [`WORDS_CHARS_MAX`] long.

use model::{Action, CallEnv, Fact, Finding, Flag, Level, Loss, one_line};
use rules::{Listed, RULE_TEXT_CHARS_MAX, Rule};

use crate::ways::command_in;

pub mod approvals;

/// Longest message, in characters.
pub const WORDS_CHARS_MAX: usize = 400;

/// Longest value of `{command}`, in characters.
const COMMAND_CHARS_MAX: usize = 80;

/// Longest value of `{loss}`, in characters.
const LOSS_CHARS_MAX: usize = 120;

/// Longest way out, in characters.
const WAY_CHARS_MAX: usize = 300;

/// What is left for a reason and the words around it, in characters.
const REASON_CHARS_MIN: usize = 40;

/// What our own failures begin with.
const FAULT_OPENING: &str = "tollgate fault, not a policy decision: ";

/// The reason for a refusal that was given before.
const SAME: &str = "the same call, the same answer";

/// How a finding is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// The call is refused.
    Denied,
    /// The end of a turn is held up.
    Held,
    /// A person is asked.
    Asked,
    /// A person would have to be asked, but cannot be from here: refused.
    CannotAsk,
    /// Nothing is stopped.
    Advised,
}

impl Manner {
    /// How a decision of a level is told, where a person can or cannot be asked.
    #[must_use]
    pub fn of(level: Level, can_ask: bool) -> Self {
        match level {
            Level::Ask if can_ask => Self::Asked,
            Level::Ask => Self::CannotAsk,
            Level::Allow | Level::Deny => Self::Denied,
        }
    }

    fn opening(self) -> &'static str {
        match self {
            Self::Denied | Self::CannotAsk => "Not run: ",
            Self::Held => "Not finished: ",
            Self::Asked => "",
            Self::Advised => "Careful: ",
        }
    }

    /// What a refusal ends with that could have been a question, after these words.
    fn closing(self, alternative: &str) -> &'static str {
        match self {
            Self::CannotAsk if says_to_ask(alternative) => "",
            Self::CannotAsk if command_in(alternative).is_some() => " Or ask the user.",
            Self::CannotAsk => " Ask the user first.",
            _ => "",
        }
    }
}

/// Whether words already send the worker to the user.
fn says_to_ask(words: &str) -> bool {
    words.to_lowercase().contains("ask the user")
}

/// A finding in words: `Not run: {reason}. {alternative} [policy/git.discard]`.
#[must_use]
pub fn of(finding: &Finding, manner: Manner) -> String {
    if finding.fault {
        return fault(finding, "");
    }
    let closing = manner.closing(&finding.alternative);
    around(manner.opening(), &finding.reason, &rest(finding, closing))
}

/// A refusal, the `times`-th of the same call for the same reason: the second says only what to do,
/// a later one to stop.
#[must_use]
pub fn refused(finding: &Finding, manner: Manner, times: u64) -> String {
    match times {
        _ if finding.fault || finding.is_demand => of(finding, manner),
        0 | 1 => of(finding, manner),
        2 => {
            let closing = manner.closing(&finding.alternative);
            around(manner.opening(), SAME, &rest(finding, closing))
        }
        _ => stop_trying(finding, times, ""),
    }
}

/// The one line that ends it.
fn stop_trying(finding: &Finding, times: u64, request: &str) -> String {
    let tag = one_line(&finding.tag(), COMMAND_CHARS_MAX);
    let what = "stop trying this and ask the user";
    format!("Not run: refused {times} times; {what}{request}. [{tag}]")
}

/// Whether a text is what we said ourselves: some hosts hand it back as if a human had typed it.
#[must_use]
pub fn is_ours(text: &str) -> bool {
    let text = text.trim();
    let begins = [
        FAULT_OPENING,
        Manner::Denied.opening(),
        Manner::Held.opening(),
    ];
    let tag = text.rsplit_once(" [").map_or("", |(_, tag)| tag);
    begins.iter().any(|begin| text.starts_with(begin)) && tag.ends_with(']')
}

/// Somebody else's words, marked as such.
pub(crate) fn quoted(words: &str) -> String {
    format!("\"{}\"", words.replace('"', "'"))
}

/// All that follows the reason. A way out may name a long path, and is of no use without its end:
/// the reason gives way first.
fn rest(finding: &Finding, closing: &str) -> String {
    let tag = one_line(&finding.tag(), COMMAND_CHARS_MAX);
    let mut rest = String::from(".");
    if !finding.alternative.is_empty() {
        let taken = tag.chars().count() + closing.chars().count() + REASON_CHARS_MIN;
        let left = WORDS_CHARS_MAX.saturating_sub(taken).min(WAY_CHARS_MAX);
        // A call that is cut lifts nothing.
        let left = if finding.is_demand { usize::MAX } else { left };
        rest.push(' ');
        rest.push_str(&one_line(&finding.alternative, left));
    }
    if !closing.is_empty() && !rest.ends_with(['.', '!', '?', '…']) {
        rest.push('.');
    }
    rest.push_str(closing);
    rest.push_str(&format!(" [{tag}]"));
    rest
}

/// The fixed words of a failure. They name no rule.
fn fault(finding: &Finding, more: &str) -> String {
    let (next, tag) = (&finding.alternative, finding.tag());
    let rest = [". Next: ", next, more, ". [", &tag, "]"].concat();
    around(FAULT_OPENING, &finding.reason, &rest)
}

/// The middle gives way if the whole is too long.
fn around(before: &str, middle: &str, after: &str) -> String {
    let fixed = before.chars().count() + after.chars().count();
    let left = WORDS_CHARS_MAX.saturating_sub(fixed);
    let middle = one_line(middle.trim_end_matches('.'), left);
    [before, &middle, after].concat()
}

/// The finding of a rule about some actions; the first is named, losses are added up.
pub(crate) fn of_rule(
    listed: &Listed<'_>,
    actions: &[&Action],
    place: &CallEnv,
) -> (String, String) {
    let fill = |text: &str| filled(text, actions, place);
    let Rule {
        id,
        reason,
        alternative,
        ..
    } = listed.rule;
    if listed.trusted {
        return (fill(reason), fill(alternative));
    }
    let said = one_line(&fill(reason), RULE_TEXT_CHARS_MAX);
    let reason = format!("project rule {id:?} (untrusted) says: {said}");
    let way_out = "The user can read that rule, and switch it off in their settings.";
    (reason, way_out.to_owned())
}

/// A text of a rule with its placeholders filled in.
fn filled(text: &str, actions: &[&Action], place: &CallEnv) -> String {
    let Some(first) = actions.first() else {
        return text.to_owned();
    };
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, tail) = after.split_once('}').unwrap_or((after, ""));
        out.push_str(before);
        out.push_str(&value(name, first, actions, place));
        rest = tail;
    }
    out.push_str(rest);
    out
}

fn value(name: &str, first: &Action, actions: &[&Action], place: &CallEnv) -> String {
    match name {
        "command" => command(first, place),
        "target" => targets(actions, place),
        "loss" => losses(actions),
        "program" => one_line(&first.program, COMMAND_CHARS_MAX),
        "branch" => or(
            &one_line(&first.branch, COMMAND_CHARS_MAX),
            "an unknown branch",
        ),
        "machine" if first.flags.has(Flag::Elsewhere) => "the other machine".to_owned(),
        "machine" => "this machine".to_owned(),
        _ => String::new(),
    }
}

/// The command as written; a file tool has none.
fn command(action: &Action, place: &CallEnv) -> String {
    if action.text.is_empty() {
        let shown = format!("{} {}", action.program, short(&action.name, place));
        return one_line(&shown, COMMAND_CHARS_MAX);
    }
    one_line(&action.text, COMMAND_CHARS_MAX)
}

fn or(text: &str, otherwise: &str) -> String {
    let text = if text.is_empty() { otherwise } else { text };
    text.to_owned()
}

/// The first target and how many more there are.
fn targets(actions: &[&Action], place: &CallEnv) -> String {
    let mut names: Vec<&str> = actions.iter().map(|action| action.name.as_str()).collect();
    names.dedup();
    let first = names.first().copied().unwrap_or_default();
    let shown = one_line(short(first, place), COMMAND_CHARS_MAX);
    let shown = or(&shown, "a target that is not known");
    match names.len() {
        0 | 1 => shown,
        count => format!("{shown} and {} more", count - 1),
    }
}

/// A path relative to the project, if it is inside.
fn short<'a>(path: &'a str, place: &CallEnv) -> &'a str {
    let inside = path.strip_prefix(place.project.as_str());
    let inside = inside.and_then(|tail| tail.strip_prefix('/'));
    inside.filter(|tail| !tail.is_empty()).unwrap_or(path)
}

/// A text that is cut to a length and keeps the bracket at its end.
fn within_brackets(text: &str, chars_max: usize) -> String {
    match text.strip_suffix(')') {
        Some(inside) if text.chars().count() >= chars_max => {
            format!("{})", one_line(inside, chars_max - 1))
        }
        _ => one_line(text, chars_max),
    }
}

fn losses(actions: &[&Action]) -> String {
    let mut sum = Loss::default();
    let mut unknown = None;
    for action in actions {
        match &action.loss {
            Fact::Known(loss) => sum.add(loss),
            Fact::Unknown(why) => unknown = Some(why),
        }
    }
    match unknown {
        Some(why) if sum.is_nothing() => one_line(
            &format!("what could not be checked ({why})"),
            LOSS_CHARS_MAX,
        ),
        _ => or(
            &within_brackets(&sum.in_words(), LOSS_CHARS_MAX),
            "nothing that is known",
        ),
    }
}
