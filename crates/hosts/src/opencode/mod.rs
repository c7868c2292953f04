//! OpenCode. Everything that knows its wire names, words and files is in this folder.
//!
//! OpenCode starts no hooks. A plugin of ours, the *bridge*, runs inside it and hands each event on
//! in a form of our own, so the wire names here are the bridge's where OpenCode has none.

mod bridge;
mod decode;
mod drive;
mod ending;
mod events;
mod helpers;
mod judge;
mod probe;
mod reply;
mod review;
mod servers;
mod session_format;
mod tools;
mod transcript_source;

use crate::shared::plain::PLAIN;
use crate::{
    Attended, Broken, Capabilities, FinalMessage, Hole, Host, Plans, Provenance, Scope, Subagents,
    Then,
};
use crate::{Limit, Patience};

/// OpenCode 1.18 and later.
pub(crate) const HOST: Host = Host {
    id: "opencode",
    title: "OpenCode",
    decode: decode::decode,
    ending: ending::ending,
    class: events::class,
    before_call: events::BEFORE_CALL,
    probe: probe::payload,
    understood: probe::understood,
    program: "opencode",
    provenance: Provenance::Peer,
    marks: &["OPENCODE=1"],
    since: "1.18.0",
    looks_up: true,
    // The bridge does that for every version.
    fails_closed: |_| true,
    reply: reply::reply,
    capabilities: Capabilities {
        holds_stop: false,
        attended: Attended::Reported,
        subagents: Subagents::OwnSession,
        final_message: FinalMessage::SpawnResult,
        broken: Broken {
            missing: Then::Stops,
            late: Then::Stops,
            garbage: Then::Stops,
        },
        holes: &[
            Hole::HumansCommands,
            Hole::SameProcess,
            Hole::OpenServer,
            Hole::OthersInput,
        ],
        ..Capabilities::DRIVEN
    },
    owns: OWNS,
    moves: &["XDG_CONFIG_HOME", "OPENCODE_CONFIG_DIR", "OPENCODE_CONFIG"],
    starts_without_hooks: &["--pure", "OPENCODE_PURE=1", "TOLLGATE_ENABLED=false"],
    settings: SETTINGS,
    plugins: PLUGINS,
    install: bridge::install,
    uninstall: bridge::uninstall,
    inspect: bridge::inspect,
    review: &review::REVIEW,
    helpers: Some(&helpers::HELPERS_HERE),
    // Of exports: its sessions lie in a data base.
    transcript_context: session_format::context,
    session_format: Some(&session_format::SESSION_FORMAT),
    plans: &Plans {
        dirs: &[
            "{project}/.opencode/plans",
            "$XDG_DATA_HOME/opencode/plans",
            "~/.local/share/opencode/plans",
        ],
        says_mode: false,
    },
    skills: &[
        "~/.config/opencode/skills/*/SKILL.md",
        "{project}/.opencode/skills/*/SKILL.md",
    ],
    // Its sessions lie in a data base, so there are no transcripts.
    transcript_source: Some(&transcript_source::TRANSCRIPT_SOURCE),
    judge: Some(&judge::JUDGE),
    drive: Some(&drive::DRIVE),
    ungated: &["--pure"],
    patience: Patience {
        names: &["opencode"],
        pipe: Limit::Silent(60),
        http: Limit::Silent(60),
        setting: Some(("timeout", 1_000)),
    },
    server_form: Some(crate::ServerForm::List("mcp")),
    project_servers: &[("opencode.json", crate::ServerForm::List("mcp"))],
    server: servers::ours,
    ..PLAIN
};

/// Files whose change can take the bridge away, or bring code into the process that it runs in.
/// OpenCode looks for them in every directory from where it was started up to the work tree's root.
const OWNS: &[&str] = &[
    "~/.config/opencode/plugin/**",
    "~/.config/opencode/plugins/**",
    "~/.config/opencode/tool/**",
    "~/.config/opencode/tools/**",
    "~/.config/opencode/agent/tollgate-*",
    "~/.config/opencode/agents/tollgate-*",
    "~/.config/opencode/*.json",
    "~/.config/opencode/*.jsonc",
    "$XDG_CONFIG_HOME/opencode/plugin/**",
    "$XDG_CONFIG_HOME/opencode/plugins/**",
    "$XDG_CONFIG_HOME/opencode/tool/**",
    "$XDG_CONFIG_HOME/opencode/tools/**",
    "$XDG_CONFIG_HOME/opencode/agent/tollgate-*",
    "$XDG_CONFIG_HOME/opencode/agents/tollgate-*",
    "$XDG_CONFIG_HOME/opencode/*.json",
    "$XDG_CONFIG_HOME/opencode/*.jsonc",
    "$OPENCODE_CONFIG",
    "$OPENCODE_CONFIG_DIR/**",
    "**/.opencode/plugin/**",
    "**/.opencode/plugins/**",
    "**/.opencode/tool/**",
    "**/.opencode/tools/**",
    "**/.opencode/*.json",
    "**/.opencode/*.jsonc",
    "**/opencode.json",
    "**/opencode.jsonc",
    "/etc/opencode/**",
    "/Library/Application Support/opencode/**",
    "C:/ProgramData/opencode/**",
];

/// Where a second bridge may lie, and what others bring: OpenCode loads every script that it finds
/// there.
const PLUGINS: &[&str] = &[
    "~/.config/opencode/plugin/*.*s",
    "~/.config/opencode/plugins/*.*s",
    "$XDG_CONFIG_HOME/opencode/plugin/*.*s",
    "$XDG_CONFIG_HOME/opencode/plugins/*.*s",
    "~/.opencode/plugin/*.*s",
    "~/.opencode/plugins/*.*s",
    "$OPENCODE_CONFIG_DIR/plugin/*.*s",
    "$OPENCODE_CONFIG_DIR/plugins/*.*s",
    "{project}/.opencode/plugin/*.*s",
    "{project}/.opencode/plugins/*.*s",
];

const SETTINGS: &[(Scope, &str)] = &[
    (Scope::User, "$XDG_CONFIG_HOME/opencode/plugins/tollgate.js"),
    (Scope::User, "~/.config/opencode/plugins/tollgate.js"),
    (Scope::Project, "{project}/.opencode/plugins/tollgate.js"),
];
