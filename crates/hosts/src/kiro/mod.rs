//! Kiro CLI (once Amazon Q), by its page; never driven. Everything that knows its wire names,
//! words and files is in this folder.

mod wire;

use crate::shared::plain::PLAIN;
use crate::shared::status;
use crate::{Capabilities, Hole, Host, Launch, Scope};

/// Kiro CLI. Hooks belong to one agent, so ours is an agent of its own.
pub(crate) const HOST: Host = Host {
    id: "kiro",
    title: "Kiro CLI",
    decode: wire::decode,
    class: wire::class,
    reply: wire::reply,
    before_call: wire::BEFORE_CALL,
    probe: wire::probe,
    understood: status::understood,
    program: "kiro-cli",
    launch: Launch::Shell,
    fails_closed: |_| true,
    capabilities: Capabilities {
        advises_at_prompt: true,
        holes: &[Hole::OneAgent],
        ..Capabilities::BY_PAGE
    },
    owns: &[
        "~/.kiro/agents/**",
        "~/.aws/amazonq/cli-agents/**",
        "{project}/.kiro/agents/**",
        "{project}/.amazonq/cli-agents/**",
        "{project}/**/.kiro/agents/**",
        "{project}/**/.amazonq/cli-agents/**",
    ],
    starts_without_hooks: &["any other agent than --agent tollgate"],
    settings: &[
        (Scope::User, "~/.kiro/agents/tollgate.json"),
        (Scope::Project, "{project}/.kiro/agents/tollgate.json"),
    ],
    install: |current, installation| wire::TABLE.install(current, installation),
    uninstall: |text| wire::TABLE.uninstall(text),
    inspect: |text| wire::TABLE.inspect(text),
    ..PLAIN
};
