//! The hosts: one folder each, which alone knows a host's wire names, words and settings.
//!
//! A host is a constant of function pointers, so it can hold no state. Decoding, replying and
//! editing settings are pure: bytes in, bytes out; the edge reads, writes and tells the time.
//! This crate must not know gates, rules, context or the store.
//!
//! **Invariants.** No reply is weaker than its answer: a host that cannot ask denies. No reply
//! raises Allow: advice and notices stop nothing. Decoding never panics and never guesses which
//! host or event it has: both are named on the command line.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods))]
#![cfg_attr(not(test), forbid(clippy::disallowed_types))]
#![cfg_attr(not(test), forbid(clippy::disallowed_macros))]

mod amp;
mod claude;
mod cline;
mod codex;
mod copilot;
mod crush;
mod cursor;
mod droid;
mod gemini;
mod kiro;
mod opencode;
mod qwen;
mod shared;
mod windsurf;

pub use shared::capabilities::{
    Attended, Broken, Capabilities, Evidence, FinalMessage, Hole, Notices, Refuses, Subagents, Then,
};
pub use shared::drive::{AskedCall, Drive, Move, Opening, Permission, SESSION};
pub use shared::folders::Folders;
pub use shared::free::{Free, SETTINGS_FILES};
pub use shared::helpers::{HelperFile, Helpers, OurDirs, OwnContent, Part, task_done_by_command};
pub use shared::judge::{Judge, OWN_DIR, Said, Unsaid};
pub use shared::limits::{Passes, limited};
pub use shared::paths::{OWNED, OWNED_VARIABLES, Roots, UNGATED};
pub use shared::patience::{Limit, Patience};
pub use shared::plans::Plans;
pub use shared::probe::{PROBE_SESSION, Probe};
pub use shared::provenance::Provenance;
pub use shared::proxied;
pub use shared::reply::{Answer, Asked, REASON_BYTES_MAX, Reply};
pub use shared::review::{Launched, Respawn, Review};
pub use shared::script::{Script, is_script};
pub use shared::session_format::{Recognized, SessionFormat, hosts_with_session_format, recognize};
pub use shared::settings::{
    Edit, Inspection, Installation, Launch, Problem, Registered, Scope, SettingsError, Shell,
};
pub use shared::transcript_source::TranscriptSource;
pub use shared::trust::{HookTrust, Trust};
pub use shared::usage::Usage;
pub use shared::wire::{PAYLOAD_BYTES_MAX, Wire, WireError};
pub use shared::wrapped::{NamedServer, ServerForm};

use model::{ContextDecoder, Ending, Event, EventClass, Level, LineDecoder};

/// Every host that we can stand before; the first is meant where none is named.
pub const HOSTS: &[&Host] = &[
    &claude::HOST,
    &amp::HOST,
    &cline::HOST,
    &codex::HOST,
    &copilot::HOST,
    &crush::HOST,
    &cursor::HOST,
    &droid::HOST,
    &gemini::HOST,
    &kiro::HOST,
    &opencode::HOST,
    &qwen::HOST,
    &windsurf::HOST,
];

/// The field by which hosts, and indexes of patterns, name a tool.
pub const TOOL_FIELD: &str = "tool_name";

/// What hosts call the tool that runs a command.
pub const SHELL_TOOLS: &[&str] = &[
    "Bash",
    "bash",
    "shell",
    "local_shell",
    "run_shell_command",
    "run_in_terminal",
    "execute",
];

/// Programs that start an agent, whether or not we can stand before it: who starts one in a
/// terminal of its own hands work to it.
pub const AGENT_PROGRAMS: &[&str] = &[
    "aider",
    "amp",
    "claude",
    "cline",
    "codex",
    "copilot",
    "crush",
    "cursor-agent",
    "droid",
    "gemini",
    "kiro-cli",
    "opencode",
    "qwen",
];

/// All that others may ask about one host. What a host has nothing of is left to `plain::PLAIN`.
#[derive(Debug)]
pub struct Host {
    /// Its id on our command line, in settings and in records.
    pub id: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// Reads one event. Fails only if the payload cannot be read at all or is another event than
    /// the command line names; whatever is unknown or missing inside it is data.
    pub decode: for<'a> fn(&Wire<'a, '_>) -> Result<Event<'a>, WireError>,
    /// The class of an event by its name on the command line, for faults before decoding.
    pub class: fn(&str) -> EventClass,
    /// How the call ended that an event after it is about. What the host does not say is not there.
    pub ending: fn(&Wire<'_, '_>) -> Ending,
    /// The exit status of a call, by its id, in a line of its session file: where the event after
    /// it does not say it.
    pub status_in: Option<fn(&str, &str) -> Option<i64>>,
    /// Says an answer in the host's words, in the strictest form that is not weaker than it.
    pub reply: fn(&Asked<'_>, &Answer<'_>) -> Reply,
    /// The name of the event before a call, as the host spells it.
    pub before_call: &'static str,
    /// The event that a payload says it is; empty if it does not say.
    pub event_name: fn(&[u8]) -> String,
    /// A payload that tries our hook with a shell command.
    pub probe: fn(&Probe<'_>) -> Vec<u8>,
    /// How the host takes a reply to a call that is about to run.
    pub understood: fn(&Reply) -> Level,
    /// The program that people start it with.
    pub program: &'static str,
    /// How the system shows that a call of our hook comes from it.
    pub provenance: Provenance,
    /// What it leaves in the environment of all that it starts, as `NAME=value`.
    pub marks: &'static [&'static str],
    /// Programs that its shell has though they are not on the `PATH`: it defines them itself.
    pub brings: &'static [&'static str],
    /// Whether what is typed into a program that runs already is shown to no hook.
    pub hides_input: bool,
    /// What it can be told, how it shows who acts, and how it fails.
    pub capabilities: Capabilities,
    /// How it starts our hook unless a person wants it otherwise.
    pub launch: Launch,
    /// What it hands our hook's command to, where it starts it through a shell.
    pub shell: Shell,
    /// The first version that is known to keep to all this; empty if none is known.
    pub since: &'static str,
    /// Whether a version of it closes the gate when the hook itself breaks.
    pub fails_closed: fn(&str) -> bool,
    /// Path templates of the files that switch its hooks, for [`Roots::expand`].
    pub owns: &'static [&'static str],
    /// Variables that move its settings and transcripts elsewhere.
    pub moves: &'static [&'static str],
    /// Ways to start it so that no hook of the user's is asked.
    pub starts_without_hooks: &'static [&'static str],
    /// Path templates of its settings files by scope; the first that expands counts.
    pub settings: &'static [(Scope, &'static str)],
    /// Path templates of other settings files that it reads, which we never write.
    pub also_reads: &'static [&'static str],
    /// Whether a project's settings count below its root too: it looks upwards for them.
    pub looks_up: bool,
    /// Path templates of other hosts' settings files whose hooks it starts by their command alone.
    pub borrows: &'static [&'static str],
    /// Path templates of files in which plugins bring hooks, with `*` and `**`.
    pub plugins: &'static [&'static str],
    /// Registers our hook in the text of a settings file.
    pub install: fn(Option<&str>, &Installation<'_>) -> Result<Edit, SettingsError>,
    /// Takes our hook out of the text of a settings file.
    pub uninstall: fn(&str) -> Result<Edit, SettingsError>,
    /// Looks at what the text of a settings file says about our hook.
    pub inspect: fn(&str) -> Result<Inspection, SettingsError>,
    /// The programs that it starts besides, by our hook's path and its settings file's.
    pub scripts: fn(&str, &str) -> Vec<Script>,
    /// How it is brought to trust our hook, if it runs none before that.
    pub trust: Option<&'static Trust>,
    /// Where it keeps which directories are trusted, if it calls no hook in others.
    pub folders: Option<&'static Folders>,
    /// Path templates of its transcripts, with `*` and `**`.
    pub transcripts: &'static [&'static str],
    /// Path templates of its skills' descriptions, with `*`.
    pub skills: &'static [&'static str],
    /// Where its plans lie, and whether it says that it makes one.
    pub plans: &'static Plans,
    /// Reads what one line of its transcripts tells about tool calls.
    pub transcript_line: LineDecoder,
    /// Reads what one line of its transcripts says of those that follow.
    pub transcript_context: ContextDecoder,
    /// How its session files are read for what a session was about, if they are.
    pub session_format: Option<&'static SessionFormat>,
    /// Whether its hooks are told the ids by which its transcripts call its calls.
    pub shares_call_ids: bool,
    /// How it is asked for the calls of its sessions, if nobody else can read them.
    pub transcript_source: Option<&'static TranscriptSource>,
    /// How a verdict is had from a subagent of it.
    pub review: &'static Review,
    /// What the worker said last, where the event of a stop says it; else empty.
    pub last_words: fn(&Wire<'_, '_>) -> String,
    /// What a human answered to questions of the worker's, as the result of the asking says it.
    pub answers: fn(&Wire<'_, '_>) -> Vec<String>,
    /// What a line of its transcripts says that its model took; nothing if they say none of it.
    pub usage: Option<fn(&str) -> Option<Usage>>,
    /// How it is started to judge work alone, if it can be.
    pub judge: Option<&'static Judge>,
    /// How it is driven from outside to do work, if it can be.
    pub drive: Option<&'static Drive>,
    /// Its settings files that hold more than hooks.
    pub free: Free,
    /// With which words its program runs without our hooks: `--option`, `--option value`, an option
    /// whose value lacks a word (`--option!word`), or what stands in the value of an option.
    pub ungated: &'static [&'static str],
    /// How it is given our helpers, commands and words, if it can be.
    pub helpers: Option<&'static Helpers>,
    /// How long it waits for a server of tools.
    pub patience: Patience,
    /// How its settings name what starts a server of tools; nothing if it is not known.
    pub server_form: Option<ServerForm>,
    /// The files in a project in which it finds more of them, and how they name what starts one.
    pub project_servers: &'static [(&'static str, ServerForm)],
    /// Where a user's servers of tools are named, and our own among them, by the path of the
    /// program that is it; nothing if it is not known.
    pub server: fn(&Roots<'_>, &str) -> Option<HelperFile>,
}

/// Names of events as hosts spell them.
const EVENT_NAMES: &[&str] = &[
    "AfterAgent",
    "AfterTool",
    "BeforeAgent",
    "BeforeTool",
    "ConfigChange",
    "PermissionRequest",
    "PostToolBatch",
    "PostToolUse",
    "PostToolUseFailure",
    "PreCompact",
    "PreSkillShellCommand",
    "PreToolUse",
    "SessionEnd",
    "SessionStart",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "TaskResume",
    "TaskStart",
    "UserPromptSubmit",
    "afterFileEdit",
    "afterShellExecution",
    "agentSpawn",
    "beforeMCPExecution",
    "beforeShellExecution",
    "beforeSubmitPrompt",
    "post_run_command",
    "post_write_code",
    "postToolUse",
    "pre_mcp_tool_use",
    "pre_read_code",
    "pre_run_command",
    "pre_user_prompt",
    "pre_write_code",
    "preToolUse",
    "prompt",
    "session_end",
    "session_start",
    "sessionEnd",
    "sessionStart",
    "stop",
    "subagent_start",
    "subagent_stop",
    "tool_after",
    "tool_failed",
    "userPromptSubmit",
];

impl Host {
    /// An event's name as this host spells it, if it differs only by case from one that is known.
    #[must_use]
    pub fn spelled<'n>(&self, name: &'n str) -> &'n str {
        if name == self.before_call || (self.class)(name) != EventClass::Lifecycle {
            return name;
        }
        let is_capital = |name: &str| name.starts_with(|first: char| first.is_ascii_uppercase());
        let own = is_capital(self.before_call);
        let fits = |known: &&&str| {
            let counts = (self.class)(known) != EventClass::Lifecycle;
            known.eq_ignore_ascii_case(name) && (counts || is_capital(known) == own)
        };
        let known = std::iter::once(&self.before_call).chain(EVENT_NAMES);
        known
            .filter(|_| !name.is_empty())
            .find(fits)
            .map_or(name, |known| *known)
    }

    /// The settings file of a scope, as an absolute path; nothing if the host has none there or
    /// its root is not known.
    #[must_use]
    pub fn settings_file(&self, scope: Scope, roots: &Roots<'_>) -> Option<String> {
        let templates = self.settings.iter().filter(|(of, _)| *of == scope);
        templates
            .filter_map(|(_, template)| roots.expand(template))
            .next()
    }
}

/// How long the client waits that calls itself so to a server of tools.
#[must_use]
pub fn patience_of(client: &str) -> Patience {
    let named = |host: &&&Host| {
        let mut names = host.patience.names.iter();
        names.any(|name| client.starts_with(name))
    };
    let found = HOSTS.iter().find(named);
    found.map_or(Patience::UNKNOWN, |host| host.patience)
}

/// The host with this id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Host> {
    HOSTS.iter().find(|host| host.id == id).copied()
}
