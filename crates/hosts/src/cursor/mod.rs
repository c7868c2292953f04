//! Cursor, by its page; never driven. Everything that knows its wire names, words and files is in
//! this folder.

mod ending;
mod events;
mod wire;

use crate::shared::plain::PLAIN;
use crate::shared::status;
use crate::{Host, Launch, Scope};

/// Cursor, 2 and later.
pub(crate) const HOST: Host = Host {
    id: "cursor",
    title: "Cursor",
    decode: events::decode,
    ending: ending::ending,
    class: events::class,
    reply: wire::reply,
    before_call: wire::BEFORE_CALL,
    probe: wire::probe,
    understood: status::understood,
    program: "cursor-agent",
    launch: Launch::Shell,
    fails_closed: |_| true,
    owns: &[
        "~/.cursor/hooks.json",
        "~/.cursor/hooks/**",
        "{project}/.cursor/hooks.json",
        "{project}/.cursor/hooks/**",
        "{project}/**/.cursor/hooks.json",
        "{project}/**/.cursor/hooks/**",
        "/etc/cursor/**",
        "/Library/Application Support/Cursor/hooks.json",
    ],
    settings: &[
        (Scope::User, "~/.cursor/hooks.json"),
        (Scope::Project, "{project}/.cursor/hooks.json"),
    ],
    install: |current, installation| wire::TABLE.install(current, installation),
    uninstall: |text| wire::TABLE.uninstall(text),
    inspect: |text| wire::TABLE.inspect(text),
    ..PLAIN
};
