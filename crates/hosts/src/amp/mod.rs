//! Amp, by its page; never driven. Everything that knows its wire names, words and files is in this
//! folder.

mod tools;
mod wire;

use crate::shared::plain::PLAIN;
use crate::shared::status;
use crate::{Capabilities, Hole, Host, Launch, Scope};

/// Amp. It has no hooks: an ordered list of permissions names programs that decide.
pub(crate) const HOST: Host = Host {
    id: "amp",
    title: "Amp",
    decode: wire::decode,
    class: wire::class,
    reply: wire::reply,
    before_call: wire::BEFORE_CALL,
    event_name: |_| String::new(),
    probe: wire::probe,
    understood: status::understood,
    program: "amp",
    launch: Launch::Shell,
    fails_closed: |_| true,
    capabilities: Capabilities {
        holes: &[Hole::FirstRule, Hole::NoResults],
        ..Capabilities::BY_PAGE
    },
    owns: &[
        "~/.config/amp/**",
        "{project}/.amp/settings.json",
        "{project}/.amp/plugins/**",
        "{project}/**/.amp/settings.json",
        "{project}/**/.amp/plugins/**",
        "/etc/ampcode/**",
        "/Library/Application Support/ampcode/**",
    ],
    starts_without_hooks: &[
        "--dangerously-allow-all",
        "a version that reads plugins in the place of permissions",
    ],
    settings: &[
        (Scope::User, "~/.config/amp/settings.json"),
        (Scope::Project, "{project}/.amp/settings.json"),
    ],
    install: wire::install,
    uninstall: |text| wire::TABLE.uninstall(text),
    inspect: |text| wire::TABLE.inspect(text),
    scripts: wire::scripts,
    ..PLAIN
};
