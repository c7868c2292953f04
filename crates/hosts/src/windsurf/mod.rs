//! Windsurf's Cascade, by its page; never driven. Everything that knows its wire names, words and
//! files is in this folder.

mod wire;

use crate::shared::plain::PLAIN;
use crate::shared::status;
use crate::{Capabilities, Host, Launch, Refuses, Scope};

/// Windsurf.
pub(crate) const HOST: Host = Host {
    id: "windsurf",
    title: "Windsurf",
    decode: wire::decode,
    class: wire::class,
    reply: wire::reply,
    before_call: wire::BEFORE_CALL,
    event_name: wire::event_name,
    probe: wire::probe,
    understood: status::understood,
    program: "windsurf",
    launch: Launch::Shell,
    fails_closed: |_| true,
    capabilities: Capabilities {
        refuses: Refuses::Acting,
        ..Capabilities::BY_PAGE
    },
    owns: &[
        "~/.codeium/windsurf/hooks.json",
        "~/.codeium/windsurf-next/hooks.json",
        "{project}/.windsurf/hooks.json",
        "{project}/**/.windsurf/hooks.json",
        "/etc/windsurf/**",
        "/Library/Application Support/Windsurf/hooks.json",
    ],
    settings: &[
        (Scope::User, "~/.codeium/windsurf/hooks.json"),
        (Scope::Project, "{project}/.windsurf/hooks.json"),
    ],
    install: |current, installation| wire::TABLE.install(current, installation),
    uninstall: |text| wire::TABLE.uninstall(text),
    inspect: |text| wire::TABLE.inspect(text),
    ..PLAIN
};
