//! What becomes of a call whose hook is not there, or does not answer as it should.

use std::fs;

use anyhow::{Result, ensure};

use super::calls::sandbox;
use super::driver::{YOLO, shell};
use crate::Gate;
use crate::api::Lane;
use crate::client::Client;
use crate::sandbox::Sandbox;

/// Stands in for the hook: it does what the call's command names, and at last removes itself.
const HOOK: &str = "#!/bin/bash
payload=$(cat)
case $2,$payload in
  BeforeTool,*made-by-killed*) kill -9 $$;;
  BeforeTool,*made-by-crashed*) kill -SEGV $$;;
  BeforeTool,*made-by-failing*) exit 1;;
  BeforeTool,*made-by-silent*) exit 2;;
  BeforeTool,*made-by-hanging*) exec sleep 60;;
  BeforeTool,*made-by-garbage*) echo hello;;
  BeforeTool,*made-by-nothing*) ;;
  BeforeTool,*made-by-last*) rm \"$0\"; exit 1;;
esac
exit 0
";

/// Each way to break, and whether the call runs then. What runs is what `docs/hosts.md` says; if
/// that ever fails, the client has become stricter and the page must say so.
const WAYS: &[(&str, bool)] = &[
    ("nothing", true),
    ("killed", false),
    ("crashed", false),
    ("failing", false),
    ("silent", false),
    ("hanging", true),
    ("garbage", true),
    ("last", false),
    ("missing", false),
];

/// One session in which the hook breaks in every way, one call after the other.
pub fn all(client: &Client, gate: &Gate) -> Result<()> {
    let sandbox = sandbox("broken", gate)?;
    sandbox.replace_hook(Some(HOOK))?;
    shorten_timeouts(&sandbox)?;
    let calls = WAYS
        .iter()
        .map(|(way, _)| shell(format!("touch made-by-{way}")));
    let run = sandbox.play(client, YOLO, Lane::only(calls.collect()))?;
    for (way, runs) in WAYS {
        let ran = sandbox.has(&format!("made-by-{way}"));
        ensure!(
            ran == *runs,
            "{way}: ran = {ran} ({})",
            sandbox.root.display()
        );
    }
    ensure!(
        run.heard.contains("[fault/gate]"),
        "the model was not told that the gate is broken"
    );
    Ok(())
}

/// A hung hook must be seen within a test's patience.
fn shorten_timeouts(sandbox: &Sandbox) -> Result<()> {
    let settings = fs::read_to_string(sandbox.settings())?;
    let short = settings.replace("\"timeout\": 60000", "\"timeout\": 3000");
    ensure!(short != settings, "no time-out in the settings");
    Ok(fs::write(sandbox.settings(), short)?)
}
