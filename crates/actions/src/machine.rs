//! The machine that commands run on, as data: what a shell process remembers, what a command
//! prints, what surrounds it, and how much may be walked. Must not know what any command means.

use crate::invocation::{Arg, Input, Invocation, Packed};
use model::{Certainty, Flag, Flags};
use shell::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Most script files that one reading opens.
pub(crate) const SCRIPT_FILES_MAX: usize = 16;

/// Most bytes of scripts that one reading opens.
pub(crate) const SCRIPT_BYTES_MAX: usize = 64 * 1024;

/// Deepest nesting of script files.
pub(crate) const SCRIPT_DEPTH_MAX: usize = 3;

/// Stands for the number of the shell, which is the same wherever a call says `$$`: one that no
/// process has. What is called by it was made in this call.
pub(crate) const SHELL_NUMBER: &str = "4194305";

/// Stands, with a number behind it, for the letters with which `mktemp` ends a name.
pub(crate) const MADE_UP: &str = "4194306";

/// How much was walked so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Budget {
    pub(crate) steps: usize,
    pub(crate) depth: usize,
    /// Script files opened.
    pub(crate) files: usize,
    /// Bytes of scripts opened.
    pub(crate) bytes: usize,
    /// Script files being read now, outermost first.
    pub(crate) running: Vec<String>,
}

/// A variable: one value, or those of an array.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Var {
    pub(crate) values: Vec<Arg>,
    pub(crate) is_exported: bool,
    pub(crate) is_array: bool,
    /// Files whose text it holds in a new form: what filters have printed of them.
    pub(crate) of: Vec<String>,
    /// Where its value is one of a few, depending on the way that was taken: all of them. The value
    /// itself is not known then.
    pub(crate) either: Vec<Arg>,
    /// What is known of a value that a question got as its answer.
    pub(crate) answer: Option<Answer>,
}

/// Most values that one variable is followed with.
const EITHER_MAX: usize = 4;

impl Var {
    /// A variable of one value.
    pub(crate) fn one(value: Arg) -> Self {
        Self {
            values: vec![value],
            ..Self::default()
        }
    }

    /// A variable of which nothing is known.
    pub(crate) fn unknown() -> Self {
        Self::one(Arg::unknown())
    }

    /// Its value is not known any more.
    fn forget(&mut self) {
        *self = Self {
            is_exported: self.is_exported,
            ..Self::unknown()
        };
    }

    /// Its value may be that of another as well.
    fn may_be(&mut self, other: &Self) {
        let mut either = self.possible();
        let others = other.possible();
        let is_known = !either.is_empty() && !others.is_empty();
        for value in others {
            if !either.contains(&value) {
                either.push(value);
            }
        }
        self.forget();
        if is_known && either.len() <= EITHER_MAX {
            self.either = either;
        }
    }

    /// The values that it may have; none if they are not known.
    fn possible(&self) -> Vec<Arg> {
        match self.values.as_slice() {
            _ if !self.either.is_empty() => self.either.clone(),
            [only] if only.is_known() && !self.is_array => vec![only.clone()],
            _ => Vec::new(),
        }
    }
}

/// A command that a shell runs when something happens to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trap {
    /// What has to happen, by its names.
    pub(crate) events: Vec<String>,
    pub(crate) action: Arg,
}

/// Of a variable whose value is not known: that it holds something all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Words.
    Words,
    /// A number above zero.
    Count,
}

/// How far a shell's normal course has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum End {
    /// `continue`
    Turn,
    /// `break`
    Loop,
    /// `return`
    Function,
    /// `exit`
    Shell,
}

/// What a shell process remembers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Shell {
    /// `None` if it is not known.
    pub(crate) cwd: Option<String>,
    pub(crate) cwd_before: Option<String>,
    pub(crate) dirs: Vec<Option<String>>,
    pub(crate) vars: BTreeMap<String, Var>,
    /// Variables of loops that stand for each name of a list nobody knows, with what is known of
    /// such a name.
    pub(crate) listed: BTreeMap<String, String>,
    /// Things of services that were made up to here, each by the words of who made it.
    pub(crate) founded: Vec<Vec<String>>,
    /// Whether a file of secrets was loaded into its variables.
    pub(crate) holds_secrets: bool,
    /// Variables that were given a secret which a program prints (`T=$(gh auth token)`).
    pub(crate) logins: BTreeSet<String>,
    /// Whether processes of the gate's were looked for by their names.
    pub(crate) seeks_gate: bool,
    /// `set -a`: whether programs that are started get its variables.
    pub(crate) exports_all: bool,
    /// Texts of function bodies.
    pub(crate) functions: BTreeMap<String, Rc<str>>,
    /// Names of the functions that started shells get.
    pub(crate) exported: BTreeSet<String>,
    /// `$1` and on; `None` if they are not known.
    pub(crate) params: Option<Vec<Arg>>,
    /// `$0`
    pub(crate) name: String,
    /// Whether something ran in it that nobody has read, so that any variable may be another.
    pub(crate) is_changed_unseen: bool,
    /// `set -e`
    pub(crate) stops_at_failure: bool,
    /// `set -x`, `set -v`: each line is shown before it runs.
    pub(crate) shows_lines: bool,
    /// `set -C`: `>` makes files and writes over none.
    pub(crate) keeps_files: bool,
    pub(crate) ended: Option<End>,
    /// What can be read from descriptors that this shell keeps open, by their numbers.
    pub(crate) kept_open: BTreeMap<String, Input>,
    /// A command that reads what is written to a descriptor that this shell keeps open.
    pub(crate) listener: Option<Rc<str>>,
    /// Commands that run when this process ends.
    pub(crate) traps: Vec<Trap>,
    /// Variables declared `local` in the functions that run, with their values before.
    pub(crate) locals: Vec<Vec<(String, Option<Var>)>>,
}

impl Shell {
    /// How variables begin that hold functions for shells started later.
    pub(crate) const FUNCTION: &str = "BASH_FUNC_";

    /// Takes a variable of the environment, or the function that it holds.
    pub(crate) fn inherit(&mut self, name: &str, value: &Arg) {
        let function = name.strip_prefix(Self::FUNCTION);
        let body = value.text.trim_start().strip_prefix("()");
        if let (Some(function), Some(body)) = (function, body) {
            let function = function.trim_end_matches(['%', '(', ')']);
            self.functions
                .insert(function.to_owned(), Rc::from(body.trim_start()));
            return;
        }
        let var = Var {
            is_exported: true,
            ..Var::one(value.clone())
        };
        self.vars.insert(name.to_owned(), var);
    }

    /// What holds whichever of two ways was taken.
    pub(crate) fn join(self, other: Self) -> Self {
        let mut vars = self.vars;
        for (name, var) in &mut vars {
            match other.vars.get(name) {
                Some(same) if same == var => {}
                Some(another) => var.may_be(another),
                None => var.forget(),
            }
        }
        for (name, mut var) in other.vars {
            var.forget();
            vars.entry(name).or_insert(var);
        }
        let mut functions = self.functions;
        for (name, body) in other.functions {
            let known = functions.entry(name).or_insert_with(|| body.clone());
            // Either of two bodies may run.
            if *known != body {
                *known = Rc::from(format!("{known}\n{body}"));
            }
        }
        Self {
            cwd: self.cwd.filter(|cwd| other.cwd.as_ref() == Some(cwd)),
            cwd_before: self.cwd_before,
            dirs: if self.dirs == other.dirs {
                self.dirs
            } else {
                Vec::new()
            },
            vars,
            listed: self.listed,
            founded: match self.founded == other.founded {
                true => self.founded,
                false => Vec::new(),
            },
            holds_secrets: self.holds_secrets || other.holds_secrets,
            logins: &self.logins | &other.logins,
            seeks_gate: self.seeks_gate || other.seeks_gate,
            exports_all: self.exports_all || other.exports_all,
            functions,
            exported: &self.exported | &other.exported,
            params: if self.params == other.params {
                self.params
            } else {
                None
            },
            name: self.name,
            is_changed_unseen: self.is_changed_unseen || other.is_changed_unseen,
            stops_at_failure: self.stops_at_failure && other.stops_at_failure,
            shows_lines: self.shows_lines || other.shows_lines,
            keeps_files: self.keeps_files && other.keeps_files,
            ended: self.ended.min(other.ended),
            kept_open: self.kept_open,
            listener: self.listener.or(other.listener),
            traps: if self.traps.len() < other.traps.len() {
                other.traps
            } else {
                self.traps
            },
            locals: self.locals,
        }
    }

    /// Variables may still be what they were before; where one of the two is not known, only if
    /// `is_open`. What had no value before has the one it was given.
    pub(crate) fn may_be_as(&mut self, before: &BTreeMap<String, Var>, is_open: bool) {
        for (name, var) in &mut self.vars {
            if let Some(old) = before.get(name).filter(|old| old != &var) {
                let mut both = var.clone();
                both.may_be(old);
                if is_open || !both.either.is_empty() {
                    *var = both;
                }
            }
        }
    }

    /// What a loop has changed may be anything: it runs any number of times.
    pub(crate) fn forget_changed(&mut self, before: &BTreeMap<String, Var>) {
        for (name, var) in &mut self.vars {
            if !var.either.is_empty() && before.get(name) != Some(var) {
                var.forget();
            }
        }
    }

    /// What was to be done when something happens is not done any more.
    pub(crate) fn untrap(&mut self, events: &[String]) {
        for trap in &mut self.traps {
            trap.events.retain(|event| !events.contains(event));
        }
        self.traps.retain(|trap| !trap.events.is_empty());
    }

    /// The shell of a call: `$0` and no parameters.
    pub(crate) fn begin_call(&mut self) {
        self.params = Some(Vec::new());
        "bash".clone_into(&mut self.name);
    }

    /// What a program started by this shell inherits.
    pub(crate) fn child(&self) -> Self {
        let exported = self.vars.iter().filter(|(_, var)| var.is_exported);
        let functions = self.functions.iter();
        let functions = functions.filter(|(name, _)| self.exported.contains(*name));
        Self {
            name: self.name.clone(),
            cwd: self.cwd.clone(),
            functions: functions
                .map(|(n, body)| (n.clone(), body.clone()))
                .collect(),
            exported: self.exported.clone(),
            holds_secrets: self.holds_secrets && self.exports_all,
            seeks_gate: self.seeks_gate,
            exports_all: self.exports_all,
            vars: exported.map(|(n, v)| (n.clone(), v.clone())).collect(),
            ..Self::default()
        }
    }
}

/// What a command prints, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Output {
    /// This text; may have holes.
    Text(Arg),
    /// What is in this file.
    File(Arg),
    /// What is at this address.
    Download(String),
    /// An archive or a patch.
    Packed(Packed),
    Unknown,
}

impl Output {
    /// No output.
    pub(crate) fn nothing() -> Self {
        Self::Text(Arg::default())
    }

    /// This output and then another.
    pub(crate) fn then(self, next: Self) -> Self {
        match (self, next) {
            (Self::Text(first), next) if first.text.is_empty() => next,
            (first, Self::Text(next)) if next.text.is_empty() => first,
            (Self::Text(first), Self::Text(next)) => Self::Text(first.followed_by(&next)),
            (download @ Self::Download(_), _) | (_, download @ Self::Download(_)) => download,
            _ => Self::Unknown,
        }
    }

    /// What a program makes of its input that is not read: what came from the network still does,
    /// and a text that was known is one that nobody can read any more.
    pub(crate) fn filtered(input: &Input) -> Self {
        match input {
            Input::Download(url) => Self::Download(url.clone()),
            Input::Text(text) if text.text.contains(Arg::DOWNLOADED) => {
                Self::Text(Arg::foreign(Arg::DOWNLOADED))
            }
            Input::Text(text) if !text.glob && !text.text.trim().is_empty() => {
                Self::Text(Arg::foreign(Arg::DECODED))
            }
            Input::Text(_)
            | Input::File(_)
            | Input::Packed(_)
            | Input::Inherited
            | Input::Unknown => Self::Unknown,
        }
    }

    /// As the input of the next command of a pipeline.
    pub(crate) fn into_input(self) -> Input {
        match self {
            Self::Text(text) => Input::Text(text),
            Self::File(file) => Input::File(file),
            Self::Download(url) => Input::Download(url),
            Self::Packed(packed) => Input::Packed(packed),
            Self::Unknown => Input::Unknown,
        }
    }

    /// As text, if it is known at least in parts.
    pub(crate) fn text(&self) -> Option<&Arg> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// Where process substitutions appear as files.
pub(crate) const PROCESS_DIR: &str = "/dev/fd/substitution-";

/// What surrounds a command: where its text stands, and what stands between it and the call.
#[derive(Debug, Clone, Default)]
pub(crate) struct Frame<'s> {
    /// The text that spans refer to; empty if they do not hold.
    pub(crate) source: &'s [u8],
    pub(crate) via: Vec<String>,
    pub(crate) flags: Flags,
    pub(crate) sure: Certainty,
    pub(crate) input: Input,
}

impl Frame<'_> {
    /// The text of a span; empty if spans do not hold here.
    pub(crate) fn text(&self, span: Span) -> String {
        let bytes = self.source.get(span.start..span.end).unwrap_or_default();
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// The frame of what an invocation starts.
    pub(crate) fn of(invocation: &Invocation, label: &str) -> Frame<'static> {
        let mut via = invocation.via.clone();
        if !label.is_empty() {
            via.push(label.to_owned());
        }
        Frame {
            source: &[],
            via,
            flags: invocation.flags,
            sure: invocation.sure,
            input: invocation.input.clone(),
        }
    }

    /// An invocation of nothing that stands here.
    pub(crate) fn invocation(&self) -> Invocation {
        Invocation {
            via: self.via.clone(),
            flags: self.flags,
            sure: self.sure,
            ..Invocation::default()
        }
    }

    /// An invocation of nothing, with the text of a span.
    pub(crate) fn said(&self, span: Span) -> Invocation {
        self.invocation_of(&self.text(span))
    }

    /// An invocation of nothing, with this text.
    pub(crate) fn invocation_of(&self, text: &str) -> Invocation {
        Invocation {
            text: text.to_owned(),
            ..self.invocation()
        }
    }

    /// This frame with one more flag.
    pub(crate) fn with(&self, flag: Flag) -> Self {
        Self {
            flags: self.flags.with(flag),
            ..self.clone()
        }
    }

    /// This frame with another standard input.
    pub(crate) fn fed(&self, input: Input) -> Self {
        Self {
            input,
            ..self.clone()
        }
    }
}

/// Which names a command is looked up in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    /// Functions, builtins, programs: what a shell does.
    All,
    /// Builtins and programs (`command x`).
    NoFunctions,
    /// Programs only (`sudo x`, `xargs x`).
    Programs,
}

/// A script that a command starts in a shell process of its own.
pub(crate) struct Script<'t> {
    /// What stands between the command and the script; empty = nothing.
    pub(crate) label: &'t str,
    pub(crate) text: &'t Arg,
    /// `$1` and on.
    pub(crate) params: &'t [Arg],
}

/// A command that another starts.
pub(crate) struct Started<'t> {
    /// What stands between the two; empty = nothing.
    pub(crate) label: &'t str,
    pub(crate) names: Names,
    pub(crate) argv: &'t [Arg],
}
