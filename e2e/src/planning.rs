//! What must hold while a client says that it plans, whatever the client: nothing is changed, and
//! looking passes.

use anyhow::{Result, ensure};

use super::api::Lane;
use super::client::Client;
use super::sandbox::Sandbox;
use super::{Behaviour, Driven, Gate, Kind};

/// How a client is started in plan mode.
pub trait Planning: Driven {
    /// The arguments.
    const PLAN: &'static [&'static str];
    /// Whether the gate is asked about what changes something, or the client itself refuses that
    /// before.
    const ASKS: bool;
}

/// The behaviour.
pub const fn behaviour<P: Planning>() -> Behaviour {
    Behaviour {
        kinds: &[Kind::Plan],
        name: "plan mode: nothing is changed, and looking passes",
        scenario: no_work::<P>,
    }
}

fn no_work<P: Planning>(client: &Client, gate: &Gate) -> Result<()> {
    let driver = P::DRIVER;
    let sandbox = Sandbox::gated(driver, (client, gate), "plan-mode")?;
    let calls = [
        "git status --short",
        "touch made-by-shell",
        "python3 -c 'open(\"made-by-python\", \"w\")'",
        "git push origin main",
        "cat a.txt",
    ];
    let calls = calls.map(driver.shell).to_vec();
    let run = sandbox.play(client, P::PLAN, Lane::only(calls))?;
    let at = sandbox.root.display();
    for name in ["made-by-shell", "made-by-python"] {
        ensure!(!sandbox.has(name), "{name} was made in plan mode ({at})");
    }
    for told in ["this is plan mode", "would publish"] {
        ensure!(
            run.heard.contains(told) == P::ASKS,
            "{told:?} was said, or not ({at})"
        );
    }
    let looked = "changed and nowhere else";
    ensure!(run.heard.contains(looked), "looking was held, too ({at})");
    Ok(())
}
