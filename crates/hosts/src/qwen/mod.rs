//! Qwen Code. Everything that knows its wire names, words and files is in this folder.

mod decode;
mod ending;
mod events;
mod handlers;
mod judge;
mod probe;
mod reply;
mod session_format;
mod tools;
mod transcript;

use crate::shared::form;
use crate::shared::plain::{NONE, PLAIN};
use crate::shared::probe::text_of;
use crate::shared::review::Review;
use crate::shared::servers;
use crate::{Capabilities, Hole, Host, Launch, Notices, Plans, Provenance, Scope, Shell};

/// Qwen Code, 0.24 and later.
pub(crate) const HOST: Host = Host {
    id: "qwen",
    title: "Qwen Code",
    decode: decode::decode,
    ending: ending::ending,
    class: events::class,
    before_call: probe::BEFORE_CALL,
    probe: probe::payload,
    understood: form::understood,
    program: "qwen",
    provenance: Provenance::Peer,
    marks: &["QWEN_CODE=1"],
    launch: Launch::Shell,
    shell: Shell::Bash(&[]),
    since: "0.24.4",
    // What is registered closes it on every version; see `handlers`.
    fails_closed: |_| true,
    reply: reply::reply,
    capabilities: Capabilities {
        advises_before: false,
        // A hook that does not also allow the call can change nothing in it.
        rewrites: false,
        // Elsewhere it keeps what is for the human in a log that nobody reads.
        notices: Notices::AtStop,
        holes: &[Hole::HumansCommands, Hole::ProjectSwitch],
        ..Capabilities::DRIVEN
    },
    owns: OWNS,
    moves: &[
        "QWEN_HOME",
        "QWEN_RUNTIME_DIR",
        "QWEN_CODE_SYSTEM_SETTINGS_PATH",
        "QWEN_CODE_SYSTEM_DEFAULTS_PATH",
        "QWEN_CODE_TRUSTED_FOLDERS_PATH",
    ],
    starts_without_hooks: &[
        "--bare",
        "--safe-mode",
        "QWEN_CODE_SIMPLE=1",
        "QWEN_CODE_SAFE_MODE=1",
        "either of them in a project's .env",
        "QWEN_HOME set to another directory",
        "TOLLGATE_ENABLED=false",
    ],
    settings: SETTINGS,
    also_reads: &[
        "/etc/qwen-code/settings.json",
        "/etc/qwen-code/system-defaults.json",
    ],
    plugins: &[
        "$QWEN_HOME/extensions/*/hooks/hooks.json",
        "~/.qwen/extensions/*/hooks/hooks.json",
    ],
    install: handlers::install,
    uninstall: handlers::uninstall,
    inspect: handlers::inspect,
    transcripts: &[
        "$QWEN_HOME/projects/**/*.jsonl",
        "~/.qwen/projects/**/*.jsonl",
    ],
    skills: &[
        "$QWEN_HOME/skills/*/SKILL.md",
        "~/.qwen/skills/*/SKILL.md",
        "{project}/.qwen/skills/*/SKILL.md",
    ],
    plans: &Plans {
        dirs: &["$QWEN_HOME/plans", "~/.qwen/plans"],
        says_mode: true,
    },
    transcript_line: transcript::line,
    session_format: Some(&session_format::SESSION_FORMAT),
    review: &REVIEW,
    last_words: |wire| text_of(wire.bytes, "last_assistant_message"),
    judge: Some(&judge::JUDGE),
    free: crate::Free {
        files: &["/.qwen/settings.json"],
        members: &["general", "model", "privacy", "theme", "ui", "vimMode"],
        denials: &[],
        words: &["hook"],
    },
    ungated: &["--safe-mode", "disableAllHooks"],
    server_form: Some(crate::ServerForm::Split("mcpServers")),
    project_servers: &[(
        ".qwen/settings.json",
        crate::ServerForm::Split("mcpServers"),
    )],
    server: |roots, program| {
        let files = ["$QWEN_HOME/settings.json", "~/.qwen/settings.json"];
        servers::usual(roots, &files, (program, ""))
    },
    ..PLAIN
};

/// A hook cannot change what a subagent is started with, so none gives a verdict. Commands are
/// told the session all the same.
const REVIEW: Review = Review {
    steering: &["QWEN.md", "AGENTS.md"],
    session: "QWEN_CODE_SESSION_ID",
    ..NONE
};

/// Files whose change can switch hooks off. A project's settings count only in a folder that the
/// list of trusted folders names, if that is switched on.
const OWNS: &[&str] = &[
    "~/.qwen/settings.json",
    "~/.qwen/.env",
    "~/.qwen/hooks/**",
    "~/.qwen/trustedFolders.json",
    "~/.qwen/extensions/**/hooks/**",
    "$QWEN_HOME/settings.json",
    "$QWEN_HOME/.env",
    "$QWEN_HOME/hooks/**",
    "$QWEN_HOME/trustedFolders.json",
    "$QWEN_HOME/extensions/**/hooks/**",
    "$QWEN_CODE_SYSTEM_SETTINGS_PATH",
    "$QWEN_CODE_SYSTEM_DEFAULTS_PATH",
    "$QWEN_CODE_TRUSTED_FOLDERS_PATH",
    "{project}/.qwen/settings.json",
    "{project}/.qwen/.env",
    "{project}/.qwen/hooks/**",
    "{project}/**/.qwen/settings.json",
    "{project}/**/.qwen/.env",
    "{project}/**/.qwen/hooks/**",
    "$QWEN_PROJECT_DIR/.qwen/settings.json",
    "$QWEN_PROJECT_DIR/.qwen/.env",
    "$QWEN_PROJECT_DIR/.qwen/hooks/**",
    "/etc/qwen-code/**",
];

const SETTINGS: &[(Scope, &str)] = &[
    (Scope::User, "$QWEN_HOME/settings.json"),
    (Scope::User, "~/.qwen/settings.json"),
    (Scope::Project, "{project}/.qwen/settings.json"),
];
