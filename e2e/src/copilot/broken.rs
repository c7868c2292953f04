//! What becomes of a call whose hook is not there, or does not answer as it should.

use std::fs;

use anyhow::{Result, ensure};

use super::calls::sandbox;
use super::driver::shell;
use crate::Gate;
use crate::api::Lane;
use crate::client::Client;
use crate::sandbox::Sandbox;

/// Stands in for the hook: it does what the call's command names, and at last removes itself.
const HOOK: &str = "#!/bin/bash
payload=$(cat)
case $2,$payload in
  PreToolUse,*made-by-killed*) kill -9 $$;;
  PreToolUse,*made-by-crashed*) kill -SEGV $$;;
  PreToolUse,*made-by-failing*) exit 1;;
  PreToolUse,*made-by-silent*) exit 2;;
  PreToolUse,*made-by-hanging*) exec sleep 60;;
  PreToolUse,*made-by-garbage*) echo hello;;
  PreToolUse,*made-by-last*) rm \"$0\"; exit 1;;
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

/// One session in which the hook breaks in every way, one call after the other; then the same with
/// a shell around it.
pub fn all(client: &Client, gate: &Gate) -> Result<()> {
    for (name, more) in [("broken", &[][..]), ("broken-shell", &["--through-shell"])] {
        let sandbox = sandbox(name, gate, more)?;
        sandbox.replace_hook(Some(HOOK))?;
        shorten_timeouts(&sandbox)?;
        let calls = WAYS
            .iter()
            .map(|(way, _)| shell(&format!("touch made-by-{way}")));
        sandbox.play(client, &[], Lane::only(calls.collect()))?;
        for (way, runs) in WAYS {
            let ran = sandbox.has(&format!("made-by-{way}"));
            let at = sandbox.root.display();
            ensure!(ran == *runs, "{way}: ran = {ran} ({at})");
        }
    }
    Ok(())
}

/// A hung hook must be seen within a test's patience.
fn shorten_timeouts(sandbox: &Sandbox) -> Result<()> {
    let settings = fs::read_to_string(sandbox.settings())?;
    let short = settings.replace("\"timeoutSec\": 60", "\"timeoutSec\": 3");
    ensure!(short != settings, "no time-out in the settings");
    Ok(fs::write(sandbox.settings(), short)?)
}
