//! A command as it is seen by who wants to hide what it does: where its verbs stand, and what must
//! not be done to it without changing what it means.

use shell::{Command, CommandKind, List, Part};

/// What a way to hide demands of a command, so that it still does the same.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Nothing in it is bash's alone: `sh` is to read it.
    Posix,
    /// It asks for no parameters, of which another script has others.
    NoParameters,
    /// It is one line.
    OneLine,
    /// It holds no `{}`, which `find` and `xargs` replace.
    NoBraces,
    /// It is a single command without redirections.
    Single,
    /// It sets no trap, which a trap does not run.
    NoTrap,
    /// It is the same when it is read twice: nothing in it is quoted or expanded.
    Plain,
    /// It does not look at all files of a folder: a script put there would be one more.
    NoFolder,
}

/// Names that are no programs, or mean something else where they stand behind another word.
const OF_THE_SHELL: &[&str] = &[
    "alias",
    "break",
    "builtin",
    "cd",
    "continue",
    "coproc",
    "declare",
    "dirs",
    "eval",
    "exec",
    "exit",
    "export",
    "function",
    "getopts",
    "hash",
    "history",
    "jobs",
    "let",
    "local",
    "mapfile",
    "nocorrect",
    "noglob",
    "popd",
    "pushd",
    "read",
    "readarray",
    "readonly",
    "repeat",
    "return",
    "select",
    "set",
    "setopt",
    "shift",
    "shopt",
    "source",
    "time",
    "trap",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
];

/// What `sh` does not read, or reads otherwise than bash.
const OF_BASH: &[&str] = &[
    "[[",
    "((",
    "<(",
    ">(",
    "=(",
    "<<<",
    "$'",
    "$\"",
    "&>",
    "|&",
    "{",
    "**",
    "+=",
    "/dev/tcp",
    "/dev/udp",
    "coproc",
    "declare",
    "disown",
    "echo -e",
    "function ",
    "let ",
    "local ",
    "mapfile",
    "noglob",
    "nocorrect",
    "popd",
    "pushd",
    "read",
    "repeat",
    "select ",
    "setopt",
    "shopt",
    "source ",
    "typeset",
    "zf_",
    "\\x",
    "=rm",
];

/// Parameters of a script, and what depends on who runs it.
const PARAMETERS: &[&str] = &[
    "$@", "$*", "$#", "$_", "$-", "${@", "${*", "${#}", "$BASH", "${BASH", "$PPID", "$LINENO",
];

/// What gives a name another meaning, which another spelling of it may not have.
const NAMING: &[&str] = &["alias", "hash -p", "printf -v"];

/// A command that can be hidden.
pub struct Sight<'a> {
    pub text: &'a str,
    /// Where its verbs stand.
    verbs: Vec<(usize, usize)>,
    is_single: bool,
}

impl<'a> Sight<'a> {
    /// `None` for what cannot be hidden without changing it: what is no well-formed text.
    pub fn new(text: &'a str) -> Option<Self> {
        let script = shell::parse(text.as_bytes());
        let is_whole = script.problems.is_empty() && !script.commands().is_empty();
        if !is_whole || text.contains(['\0', '\r']) || NAMING.iter().any(|part| text.contains(part))
        {
            return None;
        }
        let mut verbs = Vec::new();
        note_verbs(&script.body, text, &mut verbs);
        let commands = script.commands();
        let is_single = match commands.as_slice() {
            [only] => {
                let starts_with_verb = verbs.first().is_some_and(|(from, _)| *from == 0);
                only.redirects.is_empty() && starts_with_verb && only.span.end == text.len()
            }
            _ => false,
        };
        Some(Self {
            text,
            verbs,
            is_single,
        })
    }

    /// Whether a way may be gone that needs this.
    pub fn has(&self, needs: Needs) -> bool {
        let text = self.text;
        let digit = |pair: &[u8]| pair[0] == b'$' && pair[1].is_ascii_digit();
        match needs {
            Needs::Posix => !OF_BASH.iter().any(|part| text.contains(part)),
            Needs::NoParameters => {
                let mut braced = text.split("${").skip(1);
                !braced.any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
                    && !text.as_bytes().windows(2).any(digit)
                    && !PARAMETERS.iter().any(|part| text.contains(part))
            }
            Needs::OneLine => !text.contains('\n'),
            Needs::NoBraces => !text.contains("{}"),
            Needs::Single => self.is_single && self.verbs.len() == 1,
            Needs::NoTrap => !text.contains("trap"),
            Needs::Plain => !text.contains(|c: char| "'\"\\$`*?[]{}()<>|&;~#!\n".contains(c)),
            Needs::NoFolder => !["git", "*", " . ", "find", "."]
                .iter()
                .any(|part| text.split_whitespace().any(|word| word == *part)),
        }
    }

    /// The text with every verb replaced; `None` if there is none.
    pub fn with_verbs(&self, replace: impl Fn(usize, &str) -> String) -> Option<String> {
        let mut text = String::new();
        let mut end = 0;
        for (number, (from, to)) in self.verbs.iter().enumerate() {
            text.push_str(&self.text[end..*from]);
            text.push_str(&replace(number, &self.text[*from..*to]));
            end = *to;
        }
        text.push_str(&self.text[end..]);
        (!self.verbs.is_empty()).then_some(text)
    }

    /// The verbs as they are written.
    pub fn verbs(&self) -> impl Iterator<Item = &str> {
        self.verbs.iter().map(|(from, to)| &self.text[*from..*to])
    }
}

fn note_verbs(list: &List<'_>, text: &str, verbs: &mut Vec<(usize, usize)>) {
    for item in &list.items {
        let rest = item.rest.iter().map(|(_, pipeline)| pipeline);
        for pipeline in std::iter::once(&item.first).chain(rest) {
            for stage in &pipeline.stages {
                note_verb(stage, text, verbs);
            }
        }
    }
}

fn note_verb(command: &Command<'_>, text: &str, verbs: &mut Vec<(usize, usize)>) {
    match &command.kind {
        CommandKind::Simple { words, .. } => {
            let Some(first) = words.first() else { return };
            let name = text.get(first.span.start..first.span.end).unwrap_or("");
            let is_plain =
                |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-".contains(c);
            let is_name = name.len() > 1 && name.chars().all(is_plain);
            let is_literal = matches!(first.parts.as_slice(), [Part::Literal(_)]);
            let is_function = text.contains(&format!("{name}()"))
                || text.contains(&format!("{name} ()"))
                || text.contains(&format!("function {name}"));
            if is_literal && is_name && !is_function && !OF_THE_SHELL.contains(&name) {
                verbs.push((first.span.start, first.span.end));
            }
        }
        CommandKind::Subshell(list) | CommandKind::Group(list) => note_verbs(list, text, verbs),
        CommandKind::If {
            branches,
            otherwise,
        } => {
            for (condition, body) in branches {
                note_verbs(condition, text, verbs);
                note_verbs(body, text, verbs);
            }
            if let Some(list) = otherwise {
                note_verbs(list, text, verbs);
            }
        }
        CommandKind::Loop {
            condition, body, ..
        } => {
            note_verbs(condition, text, verbs);
            note_verbs(body, text, verbs);
        }
        CommandKind::For { body, .. } => note_verbs(body, text, verbs),
        _ => {}
    }
}
