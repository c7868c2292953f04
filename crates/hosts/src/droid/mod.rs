//! Factory's droid, by its page; never driven. Everything that knows its wire names, words and
//! files is in this folder.

mod events;
mod wire;

use crate::shared::form;
use crate::shared::plain::PLAIN;
use crate::{Capabilities, Hole, Host, Launch, Scope};

/// Factory's droid.
pub(crate) const HOST: Host = Host {
    id: "droid",
    title: "Factory droid",
    decode: events::decode,
    class: events::class,
    reply: wire::reply,
    before_call: wire::BEFORE_CALL,
    probe: wire::probe,
    understood: form::understood,
    program: "droid",
    launch: Launch::Shell,
    fails_closed: |_| true,
    capabilities: Capabilities {
        advises_at_prompt: true,
        holds_stop: true,
        holes: &[Hole::OtherFile],
        ..Capabilities::BY_PAGE
    },
    owns: &[
        "~/.factory/settings*.json",
        "~/.factory/hooks.json",
        "~/.factory/hooks/**",
        "{project}/.factory/settings*.json",
        "{project}/.factory/hooks.json",
        "{project}/.factory/hooks/**",
        "{project}/**/.factory/settings*.json",
        "{project}/**/.factory/hooks.json",
        "{project}/**/.factory/hooks/**",
    ],
    moves: &["FACTORY_HOME_OVERRIDE"],
    starts_without_hooks: &["a hooks.json beside the settings, which is read in their place"],
    settings: &[
        (Scope::User, "~/.factory/settings.json"),
        (Scope::Project, "{project}/.factory/settings.json"),
    ],
    also_reads: &["{project}/.factory/settings.local.json"],
    install: |current, installation| wire::TABLE.install(current, installation),
    uninstall: |text| wire::TABLE.uninstall(text),
    inspect: |text| wire::TABLE.inspect(text),
    ..PLAIN
};
