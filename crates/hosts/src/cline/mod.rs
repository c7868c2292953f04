//! Cline, by its page; never driven. Everything that knows its wire names, words and files is in
//! this folder.

mod ending;
mod events;
mod tools;
mod wire;

use crate::shared::plain::PLAIN;
use crate::{Capabilities, Hole, Host, Launch, Scope};

/// Cline 3.36 and later.
pub(crate) const HOST: Host = Host {
    id: "cline",
    title: "Cline",
    decode: events::decode,
    ending: ending::ending,
    class: events::class,
    reply: wire::reply,
    before_call: wire::BEFORE_CALL,
    event_name: wire::event_name,
    probe: wire::probe,
    understood: wire::understood,
    program: "cline",
    launch: Launch::Shell,
    fails_closed: |_| true,
    capabilities: Capabilities {
        // Words before a call reach the worker with its next request.
        advises_before: true,
        advises_at_prompt: true,
        holes: &[Hole::OffAtFirst],
        ..Capabilities::BY_PAGE
    },
    owns: &[
        "~/Documents/Cline/Hooks/**",
        "~/Documents/Cline/Rules/Hooks/**",
        "{project}/.clinerules/hooks/**",
        "{project}/**/.clinerules/hooks/**",
    ],
    settings: &[
        (Scope::User, "~/Documents/Cline/Hooks/PreToolUse"),
        (Scope::Project, "{project}/.clinerules/hooks/PreToolUse"),
    ],
    install: wire::install,
    uninstall: wire::uninstall,
    inspect: wire::inspect,
    scripts: wire::scripts,
    ..PLAIN
};
