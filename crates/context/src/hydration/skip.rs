//! Which prompts are left as they are: what a machine typed, commands, and words that only let the
//! worker go on. Whether a human spoke at all is known elsewhere, from the host.

use super::small::is_small_talk;

/// Tags that open what a host reports by itself.
const MACHINE_TAGS: &[&str] = &["<task-notification>", "<agent-notification>"];
/// Tags that a host puts before what was typed.
const SURROUNDINGS: &[(&str, &str)] = &[
    ("<system-reminder>", "</system-reminder>"),
    ("<ide_selection>", "</ide_selection>"),
    ("<ide_opened_file>", "</ide_opened_file>"),
];
/// Whether a prompt is to be grounded. `skip` are the beginnings of those that are not. A command
/// that hands on more than one word is: it is a prompt by another door.
#[must_use]
pub fn is_hydrated<S: AsRef<str>>(prompt: &str, skip: &[S]) -> bool {
    let words = without_surroundings(prompt);
    if words.is_empty() || is_machine(words) || is_continuation(words) {
        return false;
    }
    if words.contains("<command-name>") {
        let arguments = between(words, "<command-args>", "</command-args>");
        return arguments.is_some_and(has_several);
    }
    // How hosts write out the text of a command that was typed.
    if words.starts_with("# /") {
        return false;
    }
    let mut begins = skip
        .iter()
        .map(AsRef::as_ref)
        .filter(|begin| !begin.is_empty());
    match begins.find(|begin| words.starts_with(begin)) {
        Some("/") => has_several(
            words
                .split_once(char::is_whitespace)
                .map_or("", |(_, rest)| rest),
        ),
        Some(_) => false,
        None => true,
    }
}

/// Whether a prompt only lets the worker go on, answers its question, or is small talk: `yes`,
/// `go on, please`, `2`, `thanks`.
#[must_use]
pub fn is_continuation(prompt: &str) -> bool {
    is_small_talk(prompt)
}

/// What was typed, without what the host put before it.
fn without_surroundings(prompt: &str) -> &str {
    let mut words = prompt.trim();
    'again: loop {
        for (open, close) in SURROUNDINGS {
            if let Some((_, rest)) = words.strip_prefix(open).and_then(|w| w.split_once(close)) {
                words = rest.trim_start();
                continue 'again;
            }
        }
        return words;
    }
}

/// Whether a host reports something: its tag comes first, or after nothing but bracketed notes.
fn is_machine(words: &str) -> bool {
    let mut words = words;
    loop {
        if MACHINE_TAGS.iter().any(|tag| words.starts_with(tag)) {
            return true;
        }
        match words
            .strip_prefix('[')
            .and_then(|rest| rest.split_once(']'))
        {
            Some((_, rest)) => words = rest.trim_start(),
            None => return false,
        }
    }
}

fn has_several(arguments: &str) -> bool {
    arguments.split_whitespace().nth(1).is_some()
}

fn between<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(open)?;
    Some(rest.split_once(close).map_or(rest, |(inside, _)| inside))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SKIP: &[&str] = &["/", "."];

    #[test]
    fn prompts_that_are_left_as_they_are() {
        for prompt in [
            "",
            "  \n",
            "/compact",
            "/model opus",
            ".just do it as I say",
            "# /review the diff\n\nlong text of the command",
            "<command-name>/clear</command-name>\n<command-args></command-args>",
            "<command-name>/model</command-name><command-args>opus</command-args>",
            "<command-name>/clear</command-name>",
            "<task-notification>\nagent 3 is done\n</task-notification>",
            "[SYSTEM NOTIFICATION - not typed\nby a user] [2]\n<task-notification>done",
            "<agent-notification>x</agent-notification>",
            "<system-reminder>be nice</system-reminder>\n\nyes",
            "<system-reminder>be nice</system-reminder>",
            "continue",
            "Yes, go on.",
            "ok",
            "y",
            "2",
            "No!",
            "Looks good to me, thanks!",
            "go ahead please",
            "?!",
        ] {
            assert!(!is_hydrated(prompt, SKIP), "{prompt:?}");
        }
    }

    #[test]
    fn prompts_that_are_grounded() {
        for prompt in [
            "fix the login",
            "/do rewrite the parser",
            "<command-name>/do</command-name><command-args>rewrite the parser</command-args>",
            "why do I see <task-notification> in my log?",
            "[WIP] rename the field everywhere",
            "yes, and rename the field everywhere",
            "continue with the second half of the plan",
            "no, use the other table",
            "<system-reminder>be nice</system-reminder>\nfix the login",
            "stop using unwrap",
        ] {
            assert!(is_hydrated(prompt, SKIP), "{prompt:?}");
        }
    }

    #[test]
    fn beginnings_are_the_users_choice() {
        assert!(is_hydrated("./run.sh fails", &["/"]));
        assert!(!is_hydrated("!quick rename this", &["!"]));
        assert!(is_hydrated("quick rename this", &[""; 1]));
    }

    proptest! {
        #[test]
        fn blanks_around_a_prompt_change_nothing(prompt in "([/.#<>a-z \\[\\]]|é|yes){0,30}") {
            let padded = format!(" \n{prompt}\t ");
            prop_assert_eq!(is_hydrated(&prompt, SKIP), is_hydrated(&padded, SKIP));
        }
    }
}
