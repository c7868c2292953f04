//! What must have come of single calls, whatever the client: each looks at a sandbox on which they
//! were played, and says what went wrong.

use std::fs;

use anyhow::{Result, ensure};

use crate::Gate;
use crate::sandbox::{Run, Sandbox};

/// A command that destroys the only copy, and leaves a witness that it ran.
pub const DESTROY: &str = "rm -rf ~/keep; touch ran";
/// A command that does no harm, and leaves a witness that it ran.
pub const HARMLESS: &str = "touch ran";
/// A command that loses what is not committed, and leaves a witness that it ran.
pub const RESET: &str = "git reset --hard && touch ran";

/// The worker made `new.txt` and changed it, ran a command, and called a server: all of it
/// happened, and nobody heard of the gate.
pub fn passed(sandbox: &Sandbox, run: &Run) -> Result<()> {
    for name in ["ran", "new.txt", "noted"] {
        ensure!(
            sandbox.has(name),
            "no `{name}` ({})",
            sandbox.root.display()
        );
    }
    let text = fs::read_to_string(sandbox.project.join("new.txt"))?;
    ensure!(text == "two\n", "the edit was not made: {text:?}");
    unheard(run)
}

/// The model heard nothing of the gate.
pub fn unheard(run: &Run) -> Result<()> {
    ensure!(
        !run.heard.contains("tollgate"),
        "the model was told of the gate"
    );
    Ok(())
}

/// Nothing was destroyed, and the model was told why.
pub fn stopped(sandbox: &Sandbox, run: &Run) -> Result<()> {
    ensure!(!sandbox.has("ran"), "it ran");
    kept(sandbox)?;
    ensure!(
        run.heard.contains("[policy/files."),
        "the model was not told why ({})",
        sandbox.root.display()
    );
    Ok(())
}

/// The only copy is where it was.
pub fn kept(sandbox: &Sandbox) -> Result<()> {
    ensure!(
        sandbox.home.join("keep/only-copy.txt").exists(),
        "the only copy is gone"
    );
    Ok(())
}

/// What was not committed is there, and the model was told what it would have lost.
pub fn uncommitted(sandbox: &Sandbox, run: &Run) -> Result<()> {
    let text = fs::read_to_string(sandbox.project.join("a.txt"))?;
    ensure!(text.contains("nowhere else"), "the change is gone");
    ensure!(!sandbox.has("ran"), "it ran");
    ensure!(
        run.heard.contains("a.txt"),
        "the model was not told what would be lost"
    );
    Ok(())
}

/// A call ran although the gate stands in the settings, as `docs/hosts.md` says, and `doctor` says
/// that the hooks are switched off.
pub fn unasked(sandbox: &Sandbox, gate: &Gate) -> Result<()> {
    let at = sandbox.root.display();
    ensure!(
        sandbox.has("ran"),
        "the gate was asked; docs/hosts.md says that it is not ({at})"
    );
    let said = sandbox.tollgate(gate, &["doctor"])?;
    ensure!(
        said.contains("switched off"),
        "doctor says nothing: {said} ({at})"
    );
    Ok(())
}

/// The notes that `echo new > notes.md` would have overwritten.
pub fn notes(sandbox: &Sandbox) -> Result<()> {
    let text = fs::read_to_string(sandbox.project.join("notes.md"))?;
    ensure!(text == "the only notes\n", "they were overwritten");
    Ok(())
}
