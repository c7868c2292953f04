//! What must have come of single calls, whatever the client: each looks at a stage on which they
//! were played, and says what went wrong.

use std::fs;

use anyhow::{Result, ensure};

use crate::Gate;
use crate::stage::{Run, Stage};

/// A command that destroys the only copy, and leaves a witness that it ran.
pub const DESTROY: &str = "rm -rf ~/keep; touch ran";
/// A command that does no harm, and leaves a witness that it ran.
pub const HARMLESS: &str = "touch ran";
/// A command that loses what is not committed, and leaves a witness that it ran.
pub const RESET: &str = "git reset --hard && touch ran";

/// The worker made `new.txt` and changed it, ran a command, and called a server: all of it
/// happened, and nobody heard of the gate.
pub fn passed(stage: &Stage, run: &Run) -> Result<()> {
    for name in ["ran", "new.txt", "noted"] {
        ensure!(stage.has(name), "no `{name}` ({})", stage.root.display());
    }
    let text = fs::read_to_string(stage.project.join("new.txt"))?;
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
pub fn stopped(stage: &Stage, run: &Run) -> Result<()> {
    ensure!(!stage.has("ran"), "it ran");
    kept(stage)?;
    ensure!(
        run.heard.contains("[policy/files."),
        "the model was not told why ({})",
        stage.root.display()
    );
    Ok(())
}

/// The only copy is where it was.
pub fn kept(stage: &Stage) -> Result<()> {
    ensure!(
        stage.home.join("keep/only-copy.txt").exists(),
        "the only copy is gone"
    );
    Ok(())
}

/// What was not committed is there, and the model was told what it would have lost.
pub fn uncommitted(stage: &Stage, run: &Run) -> Result<()> {
    let text = fs::read_to_string(stage.project.join("a.txt"))?;
    ensure!(text.contains("nowhere else"), "the change is gone");
    ensure!(!stage.has("ran"), "it ran");
    ensure!(
        run.heard.contains("a.txt"),
        "the model was not told what would be lost"
    );
    Ok(())
}

/// A call ran although the gate stands in the settings, as `docs/hosts.md` says, and `doctor` says
/// that the hooks are switched off.
pub fn unasked(stage: &Stage, gate: &Gate) -> Result<()> {
    let at = stage.root.display();
    ensure!(
        stage.has("ran"),
        "the gate was asked; docs/hosts.md says that it is not ({at})"
    );
    let said = stage.tollgate(gate, &["doctor"])?;
    ensure!(
        said.contains("switched off"),
        "doctor says nothing: {said} ({at})"
    );
    Ok(())
}

/// The notes that `echo new > notes.md` would have overwritten.
pub fn notes(stage: &Stage) -> Result<()> {
    let text = fs::read_to_string(stage.project.join("notes.md"))?;
    ensure!(text == "the only notes\n", "they were overwritten");
    Ok(())
}
