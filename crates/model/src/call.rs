//! The neutral tool call: what the worker asked its host to run.

use std::borrow::Cow;

use crate::patch::Patched;

/// Largest content that a decoder hands over; longer content is only counted.
pub const CONTENT_BYTES_MAX: usize = 256 * 1024;

/// Name of a last argument that says that some of the arguments were left out or cut.
pub const ARGS_CUT: &str = "…";

/// Name of a last argument that says how the tool is described otherwise than at first.
pub const TOOL_CHANGED: &str = "…changed";

/// Text to be written. Long text is not decoded: only its length is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Content<'a> {
    /// Length in bytes as sent (escapes included), for sizes.
    pub bytes: usize,
    /// The text, if it is at most [`CONTENT_BYTES_MAX`] long.
    pub text: Option<Cow<'a, str>>,
}

/// Which language a shell command is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// A POSIX-like shell (sh, bash, zsh).
    #[default]
    Posix,
    /// PowerShell.
    PowerShell,
}

/// A tool call in neutral words. A tool we do not know is [`Call::Other`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call<'a> {
    /// Run a shell command.
    Shell {
        /// The command text.
        command: Cow<'a, str>,
        /// Its language.
        dialect: Dialect,
    },
    /// Replace a file's whole content, or create it.
    Write {
        /// Target path as the host gave it.
        path: Cow<'a, str>,
        /// The new content.
        content: Content<'a>,
    },
    /// Change part of a file.
    Edit {
        /// Target path as the host gave it.
        path: Cow<'a, str>,
        /// The text that goes.
        old: Content<'a>,
        /// The text that comes.
        new: Content<'a>,
    },
    /// Change several files at once, by a patch that names them.
    Patch {
        /// What becomes of each, in order.
        files: Vec<Patched<'a>>,
    },
    /// Read a file.
    Read {
        /// Its path.
        path: Cow<'a, str>,
    },
    /// Search names or contents.
    Search {
        /// Where; empty for the current directory.
        path: Cow<'a, str>,
        /// What.
        pattern: Cow<'a, str>,
        /// Named files, or patterns of such, whose lines are shown; empty where only names are, or
        /// no file is named.
        files: Vec<Cow<'a, str>>,
    },
    /// Read from the network.
    Fetch {
        /// Address or query.
        url: Cow<'a, str>,
    },
    /// Start a subagent.
    Spawn {
        /// Its kind as the worker asked.
        kind: Cow<'a, str>,
        /// Its prompt.
        prompt: Content<'a>,
    },
    /// Send a message to a subagent, or schedule a prompt.
    Message {
        /// To whom; empty for a scheduled prompt.
        to: Cow<'a, str>,
        /// What.
        text: Content<'a>,
    },
    /// Change the todo list or a task.
    Todo,
    /// Load a skill.
    Skill {
        /// Its name.
        name: Cow<'a, str>,
    },
    /// Leave plan mode.
    PlanExit {
        /// The plan, as the host hands it over; empty if it does not.
        plan: Content<'a>,
        /// The file that the plan stands in; empty if the host does not say.
        path: Cow<'a, str>,
    },
    /// Enter plan mode.
    PlanEnter,
    /// Ask the human.
    Question,
    /// A tool of an MCP server.
    Mcp {
        /// The server, from the host's own record of it where there is one.
        server: Cow<'a, str>,
        /// The tool.
        tool: Cow<'a, str>,
        /// Arguments by name, in order, as texts; nested names joined with `.`. At most 64, each at
        /// most 4 KiB; [`ARGS_CUT`] at the end if that is not all.
        args: Vec<(String, String)>,
    },
    /// A tool we know to have no effect outside the session (listings, searches for tools).
    Harmless {
        /// The host's name for it.
        name: Cow<'a, str>,
    },
    /// A tool we do not know.
    Other {
        /// The host's name for it.
        name: Cow<'a, str>,
        /// As for [`Call::Mcp`].
        args: Vec<(String, String)>,
    },
    /// The call lacks what its tool needs, so it cannot be judged.
    Malformed {
        /// The host's name for the tool; empty if even that is missing.
        name: Cow<'a, str>,
        /// What is missing or of the wrong type.
        what: String,
    },
}

impl Content<'_> {
    /// The same content, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Content<'static> {
        Content {
            bytes: self.bytes,
            text: self.text.map(own),
        }
    }
}

/// The same text, borrowing nothing.
fn own(text: Cow<'_, str>) -> Cow<'static, str> {
    Cow::Owned(text.into_owned())
}

impl Call<'_> {
    /// The same call, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Call<'static> {
        match self {
            Self::Shell { command, dialect } => Call::Shell {
                command: own(command),
                dialect,
            },
            Self::Write { path, content } => Call::Write {
                path: own(path),
                content: content.into_owned(),
            },
            Self::Edit { path, old, new } => Call::Edit {
                path: own(path),
                old: old.into_owned(),
                new: new.into_owned(),
            },
            Self::Patch { files } => Call::Patch {
                files: files.into_iter().map(Patched::into_owned).collect(),
            },
            Self::Read { path } => Call::Read { path: own(path) },
            Self::Search {
                path,
                pattern,
                files,
            } => Call::Search {
                path: own(path),
                pattern: own(pattern),
                files: files.into_iter().map(own).collect(),
            },
            Self::Fetch { url } => Call::Fetch { url: own(url) },
            Self::Spawn { kind, prompt } => Call::Spawn {
                kind: own(kind),
                prompt: prompt.into_owned(),
            },
            Self::Message { to, text } => Call::Message {
                to: own(to),
                text: text.into_owned(),
            },
            Self::Todo => Call::Todo,
            Self::Skill { name } => Call::Skill { name: own(name) },
            Self::PlanExit { plan, path } => Call::PlanExit {
                plan: plan.into_owned(),
                path: own(path),
            },
            Self::PlanEnter => Call::PlanEnter,
            Self::Question => Call::Question,
            Self::Mcp { server, tool, args } => Call::Mcp {
                server: own(server),
                tool: own(tool),
                args,
            },
            Self::Harmless { name } => Call::Harmless { name: own(name) },
            Self::Other { name, args } => Call::Other {
                name: own(name),
                args,
            },
            Self::Malformed { name, what } => Call::Malformed {
                name: own(name),
                what,
            },
        }
    }

    /// Whether the call reads only, whatever its arguments are. A shell command is not.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        matches!(
            self,
            Self::Read { .. }
                | Self::Search { .. }
                | Self::Fetch { .. }
                | Self::Todo
                | Self::Question
                | Self::PlanEnter
                | Self::Harmless { .. }
        )
    }

    /// Every neutral name that [`Call::tool`] can give.
    pub const TOOLS: &'static [&'static str] = &[
        "shell",
        "write",
        "edit",
        "patch",
        "read",
        "search",
        "fetch",
        "spawn",
        "message",
        "todo",
        "skill",
        "plan_enter",
        "plan_exit",
        "question",
        "mcp",
        "harmless",
        "other",
        "malformed",
    ];

    /// The neutral name, as rules (`tool = […]`) and the journal spell it.
    #[must_use]
    pub fn tool(&self) -> &'static str {
        match self {
            Self::Shell { .. } => "shell",
            Self::Write { .. } => "write",
            Self::Edit { .. } => "edit",
            Self::Patch { .. } => "patch",
            Self::Read { .. } => "read",
            Self::Search { .. } => "search",
            Self::Fetch { .. } => "fetch",
            Self::Spawn { .. } => "spawn",
            Self::Message { .. } => "message",
            Self::Todo => "todo",
            Self::Skill { .. } => "skill",
            Self::PlanExit { .. } => "plan_exit",
            Self::PlanEnter => "plan_enter",
            Self::Question => "question",
            Self::Mcp { .. } => "mcp",
            Self::Harmless { .. } => "harmless",
            Self::Other { .. } => "other",
            Self::Malformed { .. } => "malformed",
        }
    }

    /// One line that shows the call to a person, at most `chars_max` characters.
    #[must_use]
    pub fn summary(&self, chars_max: usize) -> String {
        let text = match self {
            Self::Shell { command, .. } => command.to_string(),
            Self::Write { path, .. } => ["write ", path].concat(),
            Self::Edit { path, .. } => ["edit ", path].concat(),
            Self::Patch { files } => {
                let operations: Vec<String> = files.iter().map(Patched::summary).collect();
                operations.join(", ")
            }
            Self::Read { path } => ["read ", path].concat(),
            Self::Search { path, pattern, .. } => format!("search {pattern} {path}"),
            Self::Fetch { url } => ["fetch ", url].concat(),
            Self::Spawn { kind, .. } => ["spawn ", kind].concat(),
            Self::Message { to, .. } => ["message ", to].concat(),
            Self::Skill { name } => ["skill ", name].concat(),
            Self::Mcp { server, tool, .. } => format!("mcp {server} {tool}"),
            Self::Harmless { name } | Self::Other { name, .. } => name.to_string(),
            Self::Malformed { name, what } => format!("{name} ({what})"),
            Self::Todo | Self::PlanExit { .. } | Self::PlanEnter | Self::Question => {
                self.tool().to_owned()
            }
        };
        one_line(&text, chars_max)
    }
}

/// The text on one line, control characters shown as spaces, cut at a character boundary with `…`.
#[must_use]
pub fn one_line(text: &str, chars_max: usize) -> String {
    // Nearly every text is short and plain.
    if text.len() < chars_max && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.trim().to_owned();
    }
    let text = text.trim();
    let kept = first_chars(text, chars_max);
    let mut line = without_controls(kept);
    if kept.len() < text.len() {
        line.push('…');
    }
    line
}

/// A text of fewer than `chars_max` characters, or so much of it that one more has room.
fn first_chars(text: &str, chars_max: usize) -> &str {
    let room = chars_max.saturating_sub(1);
    let end = match text.is_ascii() {
        true => Some(room),
        false => text.char_indices().nth(room).map(|(at, _)| at),
    };
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

fn without_controls(text: &str) -> String {
    if !text.is_ascii() {
        return text.replace(char::is_control, " ");
    }
    let plain = |byte: u8| if byte.is_ascii_control() { b' ' } else { byte };
    let bytes: Vec<u8> = text.bytes().map(plain).collect();
    String::from_utf8(bytes).unwrap_or_default()
}
