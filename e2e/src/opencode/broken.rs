//! A hook that fails, a gate that is off, a bridge that was changed.

use std::fs;

use anyhow::{Result, ensure};

use super::calls::{DESTROY, sandbox};
use super::driver::shell;
use crate::Gate;
use crate::api::Lane;
use crate::client::Client;

/// A hook that fails in the way that its call names, and at last takes itself away.
const FAILING: &str = r#"#!/bin/sh
case "$2 $(cat)" in
  tool_before*as-killed*) kill -9 $$ ;;
  tool_before*as-hung*) exec sleep 60 ;;
  tool_before*as-silent*) exit 0 ;;
  tool_before*as-status*) echo '{"go":true}'; exit 1 ;;
  tool_before*as-garbage*) echo 'go: true' ;;
  tool_before*as-other*) echo '{"decision":"allow"}' ;;
  tool_before*as-missing*) rm "$0"; echo '{"go":true}' ;;
  *) echo '{"go":true}' ;;
esac
"#;

/// Ways to fail, and what the model is told of each.
const WAYS: &[(&str, &str)] = &[
    ("killed", "ended with SIGKILL"),
    ("hung", "did not answer within 3 s"),
    ("silent", "gave no readable answer"),
    ("status", "ended with status 1"),
    ("garbage", "gave no readable answer"),
    ("other", "gave no verdict"),
];

/// Whatever goes wrong, the call does not run and the model is told that it was no policy.
pub fn all(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = sandbox("broken", gate)?;
    sandbox.replace_hook(Some(FAILING))?;
    let mut calls = vec![shell("touch answered")];
    let failing = WAYS.iter().map(|(way, _)| shell(format!("touch as-{way}")));
    calls.extend(failing);
    calls.extend([shell("touch as-missing"), shell("touch gone")]);
    let run = sandbox.play(client, &[], Lane::only(calls))?;
    let at = sandbox.root.display();
    ensure!(sandbox.has("answered"), "nothing ran at all ({at})");
    for (way, told) in WAYS {
        ensure!(!sandbox.has(&format!("as-{way}")), "{way}: it ran ({at})");
        ensure!(run.heard.contains(told), "{way}: not told why ({at})");
    }
    ensure!(sandbox.has("as-missing"), "the last answer was not taken");
    ensure!(!sandbox.has("gone"), "missing: it ran ({at})");
    ensure!(run.heard.contains("could not be started"), "missing ({at})");
    ensure!(run.heard.contains("[fault/bridge]"), "no fault ({at})");
    Ok(())
}

/// A gate that its owner switched off answers nonetheless.
pub fn off(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = sandbox("off", gate)?;
    sandbox.tollgate(gate, &["off", "--for", "30m"])?;
    let calls = vec![shell(DESTROY)];
    sandbox.play(client, &[], Lane::only(calls))?;
    let only = sandbox.home.join("keep/only-copy.txt");
    ensure!(
        !only.exists(),
        "it did not run ({})",
        sandbox.root.display()
    );
    Ok(())
}

/// Whoever changes the bridge is found out, and `init` makes it anew; `uninstall` leaves nothing.
pub fn changed(_: &Client, gate: &Gate) -> Result<()> {
    let sandbox = sandbox("changed", gate)?;
    let bridge = fs::read_to_string(sandbox.settings())?;
    let doctor = || sandbox.tollgate(gate, &["doctor"]);
    let said = doctor()?;
    ensure!(
        said.contains("OpenCode: a refused call stayed undone"),
        "doctor proves nothing: {said}"
    );
    fs::write(sandbox.settings(), bridge.replace("3000", "9000"))?;
    let said = doctor()?;
    ensure!(said.contains("was changed"), "doctor sees nothing: {said}");
    sandbox.install_gate(gate, &[])?;
    let again = fs::read_to_string(sandbox.settings())?;
    ensure!(again == bridge, "init did not make it anew");
    sandbox.tollgate(gate, &["uninstall"])?;
    ensure!(!sandbox.settings().exists(), "uninstall left the bridge");
    let theirs = "export const X = async () => ({})\n";
    fs::write(sandbox.settings(), theirs)?;
    let refused = sandbox.install_gate(gate, &[]);
    ensure!(refused.is_err(), "init took a stranger's plugin for ours");
    let kept = fs::read_to_string(sandbox.settings())?;
    ensure!(kept == theirs, "init changed a stranger's plugin");
    Ok(())
}
