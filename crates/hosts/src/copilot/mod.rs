//! GitHub Copilot CLI. Everything that knows its wire names, words and files is in this folder.
//!
//! Of the client's two dialects we speak the one with capital letters (`PreToolUse`).

mod decode;
mod ending;
mod events;
mod folders;
mod probe;
mod reply;
mod review;
mod session_format;
mod settings;
mod tools;
mod transcript;

use crate::shared::plain::PLAIN;
use crate::shared::servers;
use crate::{Attended, Capabilities, Hole, Host, Notices, Provenance, Scope, Shell, Subagents};

/// Copilot CLI 1.0.102 and later.
pub(crate) const HOST: Host = Host {
    id: "copilot",
    title: "Copilot CLI",
    decode: decode::decode,
    ending: ending::ending,
    class: events::class,
    reply: reply::reply,
    before_call: probe::BEFORE_CALL,
    probe: probe::payload,
    understood: probe::understood,
    program: "copilot",
    provenance: Provenance::Pipe,
    marks: &["COPILOT_CLI=1"],
    shell: Shell::Bash(&["--norc", "--noprofile"]),
    since: "1.0.102",
    fails_closed: probe::fails_closed,
    capabilities: Capabilities {
        asks: true,
        notices: Notices::Never,
        attended: Attended::Reported,
        subagents: Subagents::OwnSession,
        holes: &[Hole::ProjectSwitch, Hole::OthersInput],
        ..Capabilities::DRIVEN
    },
    owns: OWNS,
    moves: &["COPILOT_HOME"],
    starts_without_hooks: &[
        "a trusted project whose settings switch all hooks off",
        "TOLLGATE_ENABLED=false",
    ],
    settings: SETTINGS,
    also_reads: &[
        "$COPILOT_HOME/settings.json",
        "~/.copilot/settings.json",
        "{project}/.github/copilot/settings.json",
        "{project}/.github/copilot/settings.local.json",
        "{project}/.claude/settings.json",
        "{project}/.claude/settings.local.json",
    ],
    looks_up: true,
    borrows: &[
        "{project}/.claude/settings.json",
        "{project}/.claude/settings.local.json",
    ],
    plugins: &[
        "$COPILOT_HOME/hooks/*.json",
        "~/.copilot/hooks/*.json",
        "{project}/.github/hooks/*.json",
        "$COPILOT_HOME/installed-plugins/**/hooks.json",
        "~/.copilot/installed-plugins/**/hooks.json",
    ],
    install: settings::install,
    uninstall: settings::uninstall,
    inspect: settings::inspect,
    folders: Some(&folders::FOLDERS),
    transcripts: &[
        "$COPILOT_HOME/session-state/*/events.jsonl",
        "~/.copilot/session-state/*/events.jsonl",
    ],
    skills: &[
        "$COPILOT_HOME/skills/*/SKILL.md",
        "~/.copilot/skills/*/SKILL.md",
        "{project}/.github/skills/*/SKILL.md",
    ],
    transcript_line: transcript::line,
    session_format: Some(&session_format::SESSION_FORMAT),
    transcript_context: transcript::context,
    shares_call_ids: false,
    review: &review::REVIEW,
    server_form: Some(crate::ServerForm::Split("mcpServers")),
    project_servers: &[(".vscode/mcp.json", crate::ServerForm::Split("servers"))],
    server: |roots, program| {
        let files = [
            "$COPILOT_HOME/mcp-config.json",
            "~/.copilot/mcp-config.json",
        ];
        servers::usual(
            roots,
            &files,
            (program, "\"type\": \"local\", \"tools\": [\"*\"], "),
        )
    },
    ..PLAIN
};

/// Files whose change can switch hooks off. Those of a project count where the client trusts it,
/// and there they switch off the user's hooks too. What the client trusts is in its own `config`.
const OWNS: &[&str] = &[
    "~/.copilot/hooks/**",
    "~/.copilot/settings*.json",
    "~/.copilot/config.json",
    "~/.copilot/installed-plugins/**",
    "$COPILOT_HOME/hooks/**",
    "$COPILOT_HOME/settings*.json",
    "$COPILOT_HOME/config.json",
    "$COPILOT_HOME/installed-plugins/**",
    "{project}/.github/hooks/**",
    "{project}/.github/copilot/settings*.json",
    "{project}/**/.github/hooks/**",
    "{project}/**/.github/copilot/settings*.json",
    "$COPILOT_PROJECT_DIR/.github/hooks/**",
    "$COPILOT_PROJECT_DIR/.github/copilot/settings*.json",
    "/etc/github-copilot/**",
];

/// A file of our own in each place: the client reads every file there.
const SETTINGS: &[(Scope, &str)] = &[
    (Scope::User, "$COPILOT_HOME/hooks/tollgate.json"),
    (Scope::User, "~/.copilot/hooks/tollgate.json"),
    (Scope::Project, "{project}/.github/hooks/tollgate.json"),
    (Scope::Managed, "/etc/github-copilot/policy.d/tollgate.json"),
];
