//! Gemini CLI. Everything that knows its wire names, words and files is in this folder.

mod decode;
mod drive;
mod ending;
mod events;
mod folders;
mod helpers;
mod judge;
mod probe;
mod reply;
mod review;
mod session_format;
mod settings;
mod tools;
mod transcript;

use crate::shared::plain::PLAIN;
use crate::shared::probe::text_of;
use crate::shared::servers;
use crate::{
    Capabilities, FinalMessage, Hole, Host, Launch, Plans, Provenance, Scope, Shell, Subagents,
};
use crate::{Limit, Patience};

/// Gemini CLI 0.61 and later.
pub(crate) const HOST: Host = Host {
    id: "gemini",
    title: "Gemini CLI",
    decode: decode::decode,
    ending: ending::ending,
    class: events::class,
    before_call: probe::BEFORE_CALL,
    probe: probe::payload,
    understood: probe::understood,
    program: "gemini",
    provenance: Provenance::Peer,
    marks: &["GEMINI_CLI=1"],
    launch: Launch::Shell,
    shell: Shell::Bash(&[]),
    since: "0.61.0",
    fails_closed: probe::fails_closed,
    reply: reply::reply,
    capabilities: Capabilities {
        advises_before: false,
        subagents: Subagents::BetweenStartAndEnd,
        final_message: FinalMessage::SpawnResult,
        holes: &[Hole::HumansCommands, Hole::ProjectSwitch, Hole::OthersInput],
        ..Capabilities::DRIVEN
    },
    owns: OWNS,
    moves: &[
        "GEMINI_CLI_HOME",
        "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
        "GEMINI_CLI_SYSTEM_DEFAULTS_PATH",
        "GEMINI_CLI_TRUSTED_FOLDERS_PATH",
    ],
    starts_without_hooks: &[
        "a folder that is not trusted",
        "GEMINI_CLI_TRUST_WORKSPACE=false",
        "GEMINI_RESTRICTED_MODE=true",
        "TOLLGATE_ENABLED=false",
    ],
    settings: SETTINGS,
    also_reads: ALSO_READS,
    plugins: &[
        "$GEMINI_CLI_HOME/.gemini/extensions/*/hooks/hooks.json",
        "~/.gemini/extensions/*/hooks/hooks.json",
    ],
    install: settings::install,
    uninstall: settings::uninstall,
    inspect: settings::inspect,
    folders: Some(&folders::FOLDERS),
    transcripts: &[
        "$GEMINI_CLI_HOME/.gemini/tmp/*/chats/**/*.jsonl",
        "~/.gemini/tmp/*/chats/**/*.jsonl",
    ],
    skills: &[
        "$GEMINI_CLI_HOME/.gemini/skills/*/SKILL.md",
        "~/.gemini/skills/*/SKILL.md",
        "{project}/.gemini/skills/*/SKILL.md",
    ],
    plans: &Plans {
        dirs: &["$GEMINI_PLANS_DIR"],
        says_mode: false,
    },
    transcript_line: transcript::line,
    session_format: Some(&session_format::SESSION_FORMAT),
    transcript_context: transcript::context,
    shares_call_ids: false,
    review: &review::REVIEW,
    helpers: Some(&helpers::HELPERS_HERE),
    // All that was said in the turn.
    last_words: |wire| {
        let all = text_of(wire.bytes, "prompt_response");
        all.lines().last().unwrap_or_default().to_owned()
    },
    judge: Some(&judge::JUDGE),
    drive: Some(&drive::DRIVE),
    free: crate::Free {
        files: &["/.gemini/settings.json"],
        members: &["general", "model", "privacy", "theme", "ui", "vimMode"],
        denials: &[],
        words: &["hook"],
    },
    patience: Patience {
        names: &["gemini-cli"],
        pipe: Limit::After(600),
        http: Limit::After(600),
        setting: Some(("timeout", 1_000)),
    },
    server_form: Some(crate::ServerForm::Split("mcpServers")),
    project_servers: &[(
        ".gemini/settings.json",
        crate::ServerForm::Split("mcpServers"),
    )],
    server: |roots, program| {
        let files = [
            "$GEMINI_CLI_HOME/.gemini/settings.json",
            "~/.gemini/settings.json",
        ];
        servers::usual(roots, &files, (program, ""))
    },
    ..PLAIN
};

/// Files whose change can switch hooks off. Project settings count only in the directory that the
/// client was started in, which need not be the root of the work tree.
const OWNS: &[&str] = &[
    "~/.gemini/settings.json",
    "~/.gemini/hooks/**",
    "~/.gemini/.env",
    "~/.gemini/trustedFolders.json",
    "~/.gemini/trusted_hooks.json",
    "~/.gemini/extensions/**/hooks/**",
    "~/.gemini/extensions/tollgate/**",
    "$GEMINI_CLI_HOME/.gemini/settings.json",
    "$GEMINI_CLI_HOME/.gemini/hooks/**",
    "$GEMINI_CLI_HOME/.gemini/trustedFolders.json",
    "$GEMINI_CLI_HOME/.gemini/trusted_hooks.json",
    "$GEMINI_CLI_HOME/.gemini/extensions/**/hooks/**",
    "$GEMINI_CLI_HOME/.gemini/extensions/tollgate/**",
    "$GEMINI_CLI_SYSTEM_SETTINGS_PATH",
    "$GEMINI_CLI_SYSTEM_DEFAULTS_PATH",
    "$GEMINI_CLI_TRUSTED_FOLDERS_PATH",
    "{project}/.gemini/settings.json",
    "{project}/.gemini/hooks/**",
    "{project}/.gemini/.env",
    "{project}/**/.gemini/settings.json",
    "{project}/**/.gemini/hooks/**",
    "{project}/**/.gemini/.env",
    "$GEMINI_PROJECT_DIR/.gemini/settings.json",
    "$GEMINI_PROJECT_DIR/.gemini/hooks/**",
    "/etc/gemini-cli/**",
    "/Library/Application Support/GeminiCli/**",
    "C:/ProgramData/gemini-cli/**",
];

const SETTINGS: &[(Scope, &str)] = &[
    (Scope::User, "$GEMINI_CLI_HOME/.gemini/settings.json"),
    (Scope::User, "~/.gemini/settings.json"),
    (Scope::Project, "{project}/.gemini/settings.json"),
];

/// What root sets for everybody, above and below all others.
const ALSO_READS: &[&str] = if cfg!(target_os = "macos") {
    &[
        "$GEMINI_CLI_SYSTEM_SETTINGS_PATH",
        "/Library/Application Support/GeminiCli/settings.json",
        "/Library/Application Support/GeminiCli/system-defaults.json",
    ]
} else if cfg!(windows) {
    &[
        "$GEMINI_CLI_SYSTEM_SETTINGS_PATH",
        "C:/ProgramData/gemini-cli/settings.json",
        "C:/ProgramData/gemini-cli/system-defaults.json",
    ]
} else {
    &[
        "$GEMINI_CLI_SYSTEM_SETTINGS_PATH",
        "/etc/gemini-cli/settings.json",
        "/etc/gemini-cli/system-defaults.json",
    ]
};
