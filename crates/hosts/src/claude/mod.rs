//! Claude Code. Everything that knows its wire names, words and files is in this folder.

mod answers;
mod decode;
mod drive;
mod ending;
mod events;
mod handlers;
mod helpers;
mod judge;
mod probe;
mod reply;
mod review;
mod session_format;
mod settings;
mod tools;
mod transcript;
mod usage;

use crate::shared::plain::PLAIN;
use crate::shared::probe::text_of;
use crate::shared::servers;
use crate::{
    Attended, Broken, Capabilities, Hole, Host, Limit, Patience, Plans, Provenance, Scope, Then,
};

/// Claude Code, 2.1.139 and later; what older clients lack is said where it matters.
pub(crate) const HOST: Host = Host {
    id: "claude",
    title: "Claude Code",
    decode: decode::decode,
    ending: ending::ending,
    class: events::class,
    before_call: probe::BEFORE_CALL,
    event_name: crate::shared::probe::hook_event_name,
    probe: probe::payload,
    understood: crate::shared::form::understood,
    program: "claude",
    provenance: Provenance::Peer,
    marks: &["CLAUDECODE=1"],
    brings: &["rg"],
    fails_closed: probe::fails_closed,
    reply: reply::reply,
    capabilities: Capabilities {
        asks: true,
        rereads: true,
        shows_refusals: true,
        attended: Attended::Reported,
        broken: Broken {
            late: Then::Stops,
            ..Capabilities::DRIVEN.broken
        },
        holes: &[Hole::HumansCommands, Hole::ProjectSwitch, Hole::OthersInput],
        ..Capabilities::DRIVEN
    },
    owns: OWNS,
    moves: &["CLAUDE_CONFIG_DIR"],
    starts_without_hooks: &[
        "--bare",
        "--safe-mode",
        "CLAUDE_CODE_SIMPLE=1",
        "--setting-sources without user",
        "TOLLGATE_ENABLED=false",
    ],
    settings: SETTINGS,
    also_reads: &["{project}/.claude/settings.local.json"],
    plugins: &[
        "$CLAUDE_CONFIG_DIR/plugins/**/hooks/hooks.json",
        "~/.claude/plugins/**/hooks/hooks.json",
    ],
    install: settings::install,
    uninstall: settings::uninstall,
    inspect: settings::inspect,
    transcripts: &[
        "$CLAUDE_CONFIG_DIR/projects/**/*.jsonl",
        "~/.claude/projects/**/*.jsonl",
    ],
    skills: &[
        "$CLAUDE_CONFIG_DIR/skills/*/SKILL.md",
        "~/.claude/skills/*/SKILL.md",
        "{project}/.claude/skills/*/SKILL.md",
        "$CLAUDE_CONFIG_DIR/plugins/cache/*/*/*/skills/*/SKILL.md",
        "~/.claude/plugins/cache/*/*/*/skills/*/SKILL.md",
    ],
    plans: &Plans {
        dirs: &["$CLAUDE_CONFIG_DIR/plans", "~/.claude/plans"],
        says_mode: true,
    },
    transcript_line: transcript::line,
    session_format: Some(&session_format::SESSION_FORMAT),
    review: &review::REVIEW,
    helpers: Some(&helpers::HELPERS_HERE),
    last_words: |wire| text_of(wire.bytes, "last_assistant_message"),
    answers: |wire| answers::answers(wire.bytes).unwrap_or_default(),
    usage: Some(usage::usage),
    judge: Some(&judge::JUDGE),
    drive: Some(&drive::DRIVE),
    free: crate::Free {
        files: &["/.claude/settings.json", "/.claude/settings.local.json"],
        members: &[
            "alwaysThinkingEnabled",
            "attribution",
            "cleanupPeriodDays",
            "effortLevel",
            "includeCoAuthoredBy",
            "language",
            "model",
            "outputStyle",
            "permissions",
            "spinnerTipsEnabled",
            "theme",
        ],
        denials: &[["permissions", "ask"], ["permissions", "deny"]],
        words: &["deny", "hook"],
    },
    ungated: &[
        "--bare",
        "--safe-mode",
        "--setting-sources!user",
        "disableAllHooks",
    ],
    patience: Patience {
        names: &["claude-code"],
        pipe: Limit::Never,
        http: Limit::Silent(300),
        setting: None,
    },
    server_form: Some(crate::ServerForm::Split("mcpServers")),
    project_servers: &[(".mcp.json", crate::ServerForm::Split("mcpServers"))],
    server: |roots, program| {
        let files = ["$CLAUDE_CONFIG_DIR/.claude.json", "~/.claude.json"];
        servers::usual(roots, &files, (program, "\"type\": \"stdio\", "))
    },
    ..PLAIN
};

/// Files whose change can switch hooks off. Project settings count only in the directory that the
/// client was started in, which need not be the root of the work tree.
const OWNS: &[&str] = &[
    "~/.claude/settings*.json",
    "~/.claude/hooks/**",
    "~/.claude/plugins/**/hooks/**",
    "$CLAUDE_CONFIG_DIR/settings*.json",
    "$CLAUDE_CONFIG_DIR/hooks/**",
    "$CLAUDE_CONFIG_DIR/plugins/**/hooks/**",
    "{project}/.claude/settings*.json",
    "{project}/.claude/hooks/**",
    "{project}/**/.claude/settings*.json",
    "{project}/**/.claude/hooks/**",
    "$CLAUDE_PROJECT_DIR/.claude/settings*.json",
    "$CLAUDE_PROJECT_DIR/.claude/hooks/**",
    "/etc/claude-code/**",
    "/Library/Application Support/ClaudeCode/**",
    "C:/Program Files/ClaudeCode/**",
];

const SETTINGS: &[(Scope, &str)] = &[
    (Scope::User, "$CLAUDE_CONFIG_DIR/settings.json"),
    (Scope::User, "~/.claude/settings.json"),
    (Scope::Project, "{project}/.claude/settings.json"),
    (Scope::Managed, MANAGED),
];

/// Settings that only root can write: the one place that a worker cannot reach.
const MANAGED: &str = if cfg!(target_os = "macos") {
    "/Library/Application Support/ClaudeCode/managed-settings.json"
} else if cfg!(windows) {
    "C:/Program Files/ClaudeCode/managed-settings.json"
} else {
    "/etc/claude-code/managed-settings.json"
};
