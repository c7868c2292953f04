//! Crush, by its page; never driven. Everything that knows its wire names, words and files is in
//! this folder.

mod wire;

use crate::shared::plain::PLAIN;
use crate::shared::status;
use crate::{Capabilities, Hole, Host, Launch, Refuses, Scope, Subagents};

/// Crush.
pub(crate) const HOST: Host = Host {
    id: "crush",
    title: "Crush",
    decode: wire::decode,
    class: wire::class,
    reply: wire::reply,
    before_call: wire::BEFORE_CALL,
    event_name: wire::event_name,
    probe: wire::probe,
    understood: status::understood,
    program: "crush",
    launch: Launch::Shell,
    fails_closed: |_| true,
    capabilities: Capabilities {
        refuses: Refuses::Main,
        subagents: Subagents::Unseen,
        holes: &[Hole::NoResults],
        ..Capabilities::BY_PAGE
    },
    owns: &[
        "$CRUSH_GLOBAL_CONFIG/crush.json",
        "~/.config/crush/crush.json",
        "{project}/crush.json",
        "{project}/.crush.json",
        "{project}/**/crush.json",
        "{project}/**/.crush.json",
    ],
    moves: &["CRUSH_GLOBAL_CONFIG"],
    settings: &[
        (Scope::User, "$CRUSH_GLOBAL_CONFIG/crush.json"),
        (Scope::User, "~/.config/crush/crush.json"),
        (Scope::Project, "{project}/crush.json"),
    ],
    also_reads: &["{project}/.crush.json"],
    install: |current, installation| wire::TABLE.install(current, installation),
    uninstall: |text| wire::TABLE.uninstall(text),
    inspect: |text| wire::TABLE.inspect(text),
    ..PLAIN
};
