//! Codex CLI. Everything that knows its wire names, words and files is in this folder.

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
mod script;
mod server;
mod servers;
mod session_format;
mod tools;
mod transcript;
mod trust;

use crate::shared::plain::PLAIN;
use crate::shared::probe::text_of;
use crate::{Capabilities, Hole, Host, Launch, Limit, Patience, Provenance, Scope, Shell};

/// Codex CLI 0.171 and later: older ones did not enforce every refusal.
pub(crate) const HOST: Host = Host {
    id: "codex",
    title: "Codex CLI",
    decode: decode::decode,
    brings: &["apply_patch", "applypatch", "rg"],
    ending: ending::ending,
    status_in: Some(ending::status_in),
    class: events::class,
    reply: reply::reply,
    before_call: probe::BEFORE_CALL,
    probe: probe::payload,
    understood: probe::understood,
    program: "codex",
    // The client closes its end of the pipe before anybody can look.
    provenance: Provenance::Pipe,
    capabilities: Capabilities {
        holes: &[Hole::SealedSpawn, Hole::OthersInput],
        shows_refusals: true,
        ..Capabilities::DRIVEN
    },
    hides_input: true,
    launch: Launch::Shell,
    shell: Shell::Users,
    since: "0.171.0",
    fails_closed: probe::fails_closed,
    owns: OWNS,
    moves: &["CODEX_HOME"],
    starts_without_hooks: &[
        "hooks that are not trusted",
        "--disable hooks",
        "-c features.hooks=false",
        "a project that is not trusted, for that project's hooks",
        "TOLLGATE_ENABLED=false",
    ],
    settings: SETTINGS,
    looks_up: true,
    plugins: &[
        "$CODEX_HOME/plugins/**/hooks/hooks.json",
        "~/.codex/plugins/**/hooks/hooks.json",
    ],
    install: handlers::install,
    uninstall: handlers::uninstall,
    inspect: handlers::inspect,
    trust: Some(&trust::TRUST),
    transcripts: &[
        "$CODEX_HOME/sessions/**/rollout-*.jsonl",
        "~/.codex/sessions/**/rollout-*.jsonl",
    ],
    skills: &[
        "$CODEX_HOME/skills/*/SKILL.md",
        "~/.codex/skills/*/SKILL.md",
        "~/.agents/skills/*/SKILL.md",
        "{project}/.agents/skills/*/SKILL.md",
    ],
    transcript_line: transcript::line,
    session_format: Some(&session_format::SESSION_FORMAT),
    transcript_context: transcript::context,
    review: &review::REVIEW,
    helpers: Some(&helpers::HELPERS_HERE),
    last_words: |wire| text_of(wire.bytes, "last_assistant_message"),
    judge: Some(&judge::JUDGE),
    drive: Some(&server::DRIVE),
    free: crate::Free {
        files: &["/.codex/config.toml"],
        members: &[
            "file_opener",
            "hide_agent_reasoning",
            "history",
            "model",
            "model_reasoning_effort",
            "model_reasoning_summary",
            "model_verbosity",
            "personality",
            "show_raw_agent_reasoning",
            "tools",
            "tui",
        ],
        denials: &[],
        words: &["hook"],
    },
    ungated: &["--disable hooks", "features.hooks=false", "hooks=false"],
    patience: Patience {
        names: &["codex"],
        pipe: Limit::After(300),
        http: Limit::After(300),
        setting: Some(("tool_timeout_sec", 1)),
    },
    server_form: Some(crate::ServerForm::Table("mcp_servers")),
    project_servers: &[(
        ".codex/config.toml",
        crate::ServerForm::Table("mcp_servers"),
    )],
    server: servers::ours,
    ..PLAIN
};

/// Files whose change can switch hooks off, or take the trust from them, and our helpers.
const OWNS: &[&str] = &[
    "~/.codex/hooks.json",
    "~/.codex/config.toml",
    "~/.codex/*.config.toml",
    "~/.codex/plugins/**/hooks/**",
    "~/.codex/agents/tollgate_*",
    "$CODEX_HOME/hooks.json",
    "$CODEX_HOME/config.toml",
    "$CODEX_HOME/*.config.toml",
    "$CODEX_HOME/plugins/**/hooks/**",
    "$CODEX_HOME/agents/tollgate_*",
    "{project}/.codex/hooks.json",
    "{project}/.codex/config.toml",
    "{project}/**/.codex/hooks.json",
    "{project}/**/.codex/config.toml",
    "/etc/codex/**",
];

const SETTINGS: &[(Scope, &str)] = &[
    (Scope::User, "$CODEX_HOME/hooks.json"),
    (Scope::User, "~/.codex/hooks.json"),
    (Scope::Project, "{project}/.codex/hooks.json"),
];
