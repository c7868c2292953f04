//! What a host can be given besides the hook: helpers that a worker starts, commands that a person
//! types, and a skill that says what our words mean. One source for all hosts; a host says in which
//! files and in which form it finds them. Must not know any host's names.

use model::Helper;

use crate::shared::settings::SettingsError;
use crate::{Host, Roots};

/// How one host is given our helpers.
#[derive(Debug)]
pub struct Helpers {
    /// The kind of subagent that a worker starts for a helper, spelled as in the host's events.
    pub kind: fn(Helper) -> &'static str,
    /// The files that bring everything, by the roots of a machine and our own directories.
    pub files: fn(&Roots<'_>, &OurDirs<'_>) -> Vec<HelperFile>,
    /// The name that a definition of a subagent takes, by its file's path and its text.
    pub name_of: fn(&str, &str) -> Option<String>,
    /// Whether the text of a settings file switches them off.
    pub are_off: fn(&str) -> bool,
}

/// Directories of ours that hosts are told of; absolute.
#[derive(Debug, Clone, Copy)]
pub struct OurDirs<'a> {
    /// The user's settings.
    pub config: &'a str,
    /// Where context files for helpers are written.
    pub requests: &'a str,
}

/// A file by which a host finds what we bring.
#[derive(Debug, Clone)]
pub struct HelperFile {
    /// Where; absolute.
    pub path: String,
    /// What of it is ours.
    pub content: OwnContent,
}

/// What of a file is ours.
#[derive(Debug, Clone)]
pub enum OwnContent {
    /// All of it.
    Whole(String),
    /// A part of somebody's file.
    Part(Part),
}

/// A part of ours in somebody's file. Every byte around it stays.
#[derive(Debug, Clone)]
pub struct Part {
    /// What goes in.
    pub ours: String,
    /// The text with it, by the text as it is and by what goes in.
    pub put: fn(&str, &str) -> Result<String, SettingsError>,
    /// The text without it; nothing if nothing is left.
    pub take: fn(&str, &str) -> Result<Option<String>, SettingsError>,
}

impl Part {
    /// The text of the file with our part.
    ///
    /// # Errors
    /// If the file cannot be read as what it should be.
    pub fn put(&self, text: &str) -> Result<String, SettingsError> {
        (self.put)(text, &self.ours)
    }

    /// The text of the file without our part; nothing if nothing is left.
    ///
    /// # Errors
    /// As [`Part::put`].
    pub fn take(&self, text: &str) -> Result<Option<String>, SettingsError> {
        (self.take)(text, &self.ours)
    }
}

impl Host {
    /// The kind under which a helper of ours is started; nothing where the host is given none.
    #[must_use]
    pub fn kind_of(&self, helper: Helper) -> Option<&'static str> {
        self.helpers.map(|helpers| (helpers.kind)(helper))
    }

    /// The helper that a definition of a subagent takes the name of, if it takes one of ours.
    #[must_use]
    pub fn takes(&self, path: &str, text: &str) -> Option<Helper> {
        let helpers = self.helpers?;
        let name = (helpers.name_of)(path, text)?;
        let mut all = Helper::NAMES.iter().map(|(_, helper)| *helper);
        all.find(|helper| (helpers.kind)(*helper).eq_ignore_ascii_case(&name))
    }
}

/// What one helper is called, in the three spellings that hosts take.
pub(crate) struct HelperNames {
    /// With dashes.
    pub dashed: &'static str,
    /// With underscores.
    pub underscored: &'static str,
    /// As a part of a plugin.
    pub qualified: &'static str,
}

/// A helper in plain words.
pub(crate) struct HelperText {
    /// Which.
    pub helper: Helper,
    /// What it is called.
    pub names: HelperNames,
    /// What a worker is told about it, on one line.
    pub about: &'static str,
    /// What it is told itself.
    pub text: &'static str,
    /// Whether a small model does.
    pub is_small: bool,
    /// The one command that it may run besides reading; empty if it only reads.
    pub runs: &'static str,
}

/// A command or a skill in plain words.
pub(crate) struct NamedText {
    /// Its name.
    pub name: &'static str,
    /// What it is for, on one line.
    pub about: &'static str,
    /// Its words, before [`filled`].
    pub text: &'static str,
}

/// Gives the verdict of a review.
pub(crate) const REVIEWER: HelperText = HelperText {
    helper: Helper::Reviewer,
    names: HelperNames {
        dashed: "tollgate-reviewer",
        underscored: "tollgate_reviewer",
        qualified: "tollgate:reviewer",
    },
    about: "Reviews the work of this session for Tollgate. Started when a review is owed; \
            Tollgate writes its prompt.",
    text: include_str!("../../../../assets/helpers/reviewer.md"),
    is_small: false,
    runs: "",
};

/// Grounds a prompt.
pub(crate) const HYDRATOR: HelperText = HelperText {
    helper: Helper::Hydrator,
    names: HelperNames {
        dashed: "tollgate-prompt-hydrator",
        underscored: "tollgate_prompt_hydrator",
        qualified: "tollgate:prompt-hydrator",
    },
    about: "Grounds a request in what the project knows. Started when Tollgate asks for it, \
            with the context file that Tollgate names.",
    text: include_str!("../../../../assets/helpers/prompt-hydrator.md"),
    is_small: true,
    runs: "",
};

/// Checks a session against what it was asked.
pub(crate) const CHECKER: HelperText = HelperText {
    helper: Helper::Checker,
    names: HelperNames {
        dashed: "tollgate-compliance",
        underscored: "tollgate_compliance",
        qualified: "tollgate:compliance",
    },
    about: "Checks the work of this session against what was asked. Started when Tollgate \
            asks for it; Tollgate writes its prompt.",
    text: include_str!("../../../../assets/helpers/compliance.md"),
    is_small: true,
    runs: "",
};

/// Writes down what was learned.
pub(crate) const REMEMBER: HelperText = HelperText {
    helper: Helper::Remember,
    names: HelperNames {
        dashed: "tollgate-remember",
        underscored: "tollgate_remember",
        qualified: "tollgate:remember",
    },
    about: "Writes down what was learned, in the background. Started when Tollgate offers it, \
            with the user's preferences and decisions.",
    text: include_str!("../../../../assets/helpers/remember.md"),
    is_small: true,
    runs: "tollgate memory",
};

/// Looks for what a plan hides.
pub(crate) const CRITIC: HelperText = HelperText {
    helper: Helper::Critic,
    names: HelperNames {
        dashed: "tollgate-plan-critic",
        underscored: "tollgate_plan_critic",
        qualified: "tollgate:plan-critic",
    },
    about: "Looks for what a plan hides, for Tollgate. Started by the skill plan-gate; Tollgate \
            writes its prompt.",
    text: include_str!("../../../../assets/helpers/plan-critic.md"),
    is_small: false,
    runs: "",
};

/// Says whether known gaps cover what the critic found.
pub(crate) const VALIDATOR: HelperText = HelperText {
    helper: Helper::Validator,
    names: HelperNames {
        dashed: "tollgate-plan-validator",
        underscored: "tollgate_plan_validator",
        qualified: "tollgate:plan-validator",
    },
    about: "Compares a plan's known gaps with what its critic found, for Tollgate. Started by the \
            skill plan-gate; Tollgate writes its prompt.",
    text: include_str!("../../../../assets/helpers/plan-validator.md"),
    is_small: true,
    runs: "",
};

/// Every helper.
pub(crate) const HELPERS: &[HelperText] =
    &[REVIEWER, HYDRATOR, CHECKER, REMEMBER, CRITIC, VALIDATOR];

/// The words of a helper.
pub(crate) const fn text_of(helper: Helper) -> &'static HelperText {
    match helper {
        Helper::Reviewer => &REVIEWER,
        Helper::Hydrator => &HYDRATOR,
        Helper::Checker => &CHECKER,
        Helper::Remember => &REMEMBER,
        Helper::Critic => &CRITIC,
        Helper::Validator => &VALIDATOR,
    }
}

/// Every command that a person types.
pub(crate) const COMMANDS: &[NamedText] = &[
    NamedText {
        name: "do",
        about: "Do a task with its skills loaded, checkpoints, and a review at the end",
        text: include_str!("../../../../assets/commands/do.md"),
    },
    NamedText {
        name: "hydrate",
        about: "Ground a request in what the project knows, before any work",
        text: include_str!("../../../../assets/commands/hydrate.md"),
    },
    NamedText {
        name: "review",
        about: "Have the work reviewed, settle what is found, and end approved",
        text: include_str!("../../../../assets/commands/review.md"),
    },
    NamedText {
        name: "remember",
        about: "Keep what was preferred or decided for later sessions",
        text: include_str!("../../../../assets/commands/remember.md"),
    },
];

/// The task of a prompt by which a person has one done with its skills, checkpoints and a review
/// (`/do`): as they typed it, or as a host writes out what they typed.
#[must_use]
pub fn task_done_by_command(prompt: &str) -> Option<&str> {
    let prompt = prompt.trim_start();
    let forms = ["/tollgate:do", "/tollgate-do", "$tollgate-do"];
    let typed = forms.iter().find_map(|form| prompt.strip_prefix(form));
    let typed = typed.filter(|rest| rest.starts_with(char::is_whitespace));
    let written = || {
        let [command, ..] = COMMANDS else { return None };
        let (before, after) = command.text.split_once("{arguments}")?;
        let rest = prompt.strip_prefix(before.trim())?;
        let end = after.trim().lines().next().unwrap_or_default();
        Some(rest.split_once(end).map_or(rest, |(task, _)| task))
    };
    let task = typed.or_else(written)?.trim();
    (!task.is_empty()).then_some(task)
}

/// What our words mean.
pub(crate) const SKILL: NamedText = NamedText {
    name: "tollgate",
    about: "What Tollgate's answers to tool calls mean, and how to go on after one. Use when a \
            call was not run, when a request id or a review is named, before a command that may \
            destroy something, or to leave others a note or take up work.",
    text: include_str!("../../../../assets/skills/tollgate.md"),
};

/// How a plan is assessed.
pub(crate) const PLAN_GATE: NamedText = NamedText {
    name: "plan-gate",
    about: "Has a plan assessed before plan mode is left: a critic looks for what it hides, a \
            validator says whether that was known. Use in plan mode, when a plan is ready or its \
            end was refused.",
    text: include_str!("../../../../assets/skills/plan-gate.md"),
};

/// Every skill.
pub(crate) const SKILLS: &[NamedText] = &[SKILL, PLAN_GATE];

/// A few lines for a file that a host shows its workers always.
pub(crate) const NOTE: &str = include_str!("../../../../assets/skills/note.md");

/// Words with the host's own names in them; `arguments` stands for what a person types.
pub(crate) fn filled(text: &str, kind: fn(Helper) -> &'static str, arguments: &str) -> String {
    let text = text.replace("{arguments}", arguments);
    let names = Helper::NAMES.iter();
    names.fold(text, |text, (name, helper)| {
        text.replace(&format!("{{{name}}}"), kind(*helper))
    })
}

/// A text under a head of lines between dashes.
pub(crate) fn headed(head: &[(&str, &str)], text: &str) -> String {
    let lines = head.iter().map(|(key, value)| format!("{key}: {value}\n"));
    format!("---\n{}---\n\n{text}", lines.collect::<String>())
}

/// A skill, as a file below a directory.
pub(crate) fn skill(dir: &str, words: &NamedText, kind: fn(Helper) -> &'static str) -> HelperFile {
    let head = [("name", words.name), ("description", words.about)];
    let text = headed(&head, &filled(words.text, kind, ""));
    whole(dir, &format!("skills/{}/SKILL.md", words.name), text)
}

/// What the head of a definition says under a key; blanks and quotes do not hide it.
pub(crate) fn in_head(text: &str, key: &str, between: char) -> Option<String> {
    let mut values = text.lines().filter_map(|line| {
        let (name, value) = line.split_once(between)?;
        (name.trim() == key).then_some(value)
    });
    let value = values.next()?.trim().trim_matches(['"', '\'']);
    (!value.is_empty()).then(|| value.to_owned())
}

/// The last part of a path without its ending.
pub(crate) fn stem(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// A file that is ours alone.
pub(crate) fn whole(dir: &str, path: &str, text: String) -> HelperFile {
    HelperFile {
        path: format!("{dir}/{path}"),
        content: OwnContent::Whole(text),
    }
}

/// The first of these directories whose root is known.
pub(crate) fn dir(roots: &Roots<'_>, templates: &[&str]) -> Option<String> {
    let mut known = templates.iter().filter_map(|known| roots.expand(known));
    known.next()
}

/// A note of ours between two lines that mark it.
pub(crate) fn put_note(text: &str, note: &str) -> Result<String, SettingsError> {
    let bare = take_note(text, note)?.unwrap_or_default();
    let gap = match bare.as_str() {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    Ok(format!("{bare}{gap}{BEGIN}\n{note}{END}\n"))
}

/// The text without the note, and without the empty line that was put before it.
pub(crate) fn take_note(text: &str, _: &str) -> Result<Option<String>, SettingsError> {
    let parts = text.split_once(BEGIN).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(END)?;
        Some((before, after.strip_prefix('\n').unwrap_or(after)))
    });
    let Some((before, after)) = parts else {
        return Ok(Some(text.to_owned()));
    };
    let before = before.strip_suffix('\n').unwrap_or(before);
    let bare = format!("{before}{after}");
    Ok((!bare.is_empty()).then_some(bare))
}

const BEGIN: &str = "<!-- tollgate: written by tollgate init, removed by tollgate uninstall -->";
const END: &str = "<!-- /tollgate -->";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_goes_in_once_and_comes_out_whole() {
        for before in ["", "# Mine\n", "# Mine\n\nwords", "\n"] {
            let with = put_note(before, "ours\n").unwrap();
            assert!(
                with.contains("\nours\n") && with.starts_with(before),
                "{with}"
            );
            assert_eq!(put_note(&with, "ours\n").unwrap(), with);
            let newer = put_note(&with, "newer\n").unwrap();
            assert!(newer.contains("newer") && !newer.contains("ours\n"));
            let bare = take_note(&format!("{with}theirs\n"), "").unwrap().unwrap();
            assert!(bare.contains(before.trim()) && bare.ends_with("theirs\n"));
            assert!(!bare.contains("tollgate"), "{bare}");
        }
        assert_eq!(
            take_note("theirs\n", "").unwrap().as_deref(),
            Some("theirs\n")
        );
        assert_eq!(take_note(&put_note("", "x\n").unwrap(), "").unwrap(), None);
    }

    #[test]
    fn names_in_words_are_known_and_heads_can_be_read() {
        let texts = HELPERS.iter().map(|words| words.text);
        let named = COMMANDS.iter().chain(SKILLS).map(|named| named.text);
        for text in texts.chain(named).chain([NOTE]) {
            let filled = filled(text, Helper::name, "ARGUMENTS");
            assert!(!filled.contains(['{', '}']), "{filled}");
            assert!(text.ends_with('\n') && !text.contains("\"\"\""), "{text}");
        }
        let heads = HELPERS.iter().map(|words| words.about);
        for about in heads.chain(COMMANDS.iter().map(|named| named.about)) {
            assert!(!about.contains([':', '"', '\n', '#']), "{about}");
        }
        assert_eq!(HELPERS.len(), Helper::NAMES.len());
    }

    #[test]
    fn a_definition_is_known_by_its_name() {
        let text = headed(&[("name", "'Tollgate'"), ("tools", "Read")], "words\n");
        assert_eq!(in_head(&text, "name", ':').as_deref(), Some("Tollgate"));
        assert_eq!(in_head("name = \"x\"\n", "name", '=').as_deref(), Some("x"));
        assert_eq!(in_head(&text, "model", ':'), None);
        assert_eq!(stem("/a/b.c/tollgate-x.md"), "tollgate-x");
    }
}
