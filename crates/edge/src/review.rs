//! What a reviewer is told of the work as it stands: the same for a subagent of the session and for
//! a judge outside of it.

use hosts::Host;
use model::CallEnv;
use work::tickets::{Ticket, prompt};

use crate::concerns::tickets::Failed;
use crate::definitions;
use crate::facts::{self, Budget, Material};
use crate::sys;

/// What is to be reviewed, and for whom.
#[derive(Debug, Clone, Copy)]
pub struct Assignment<'a> {
    /// The ticket.
    pub ticket: &'a Ticket,
    /// The id that it has from now on.
    pub id: &'a str,
    /// Whose worker did it.
    pub host: &'a Host,
    /// What the user said, in the user's words.
    pub words: &'a [String],
    /// What an earlier review found.
    pub issues: &'a [String],
    /// Where the reviewer finds the work, if that is not where it was done.
    pub seen_at: Option<&'a str>,
}

/// What a reviewer is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// All of it.
    pub text: String,
    /// The word that its verdict must repeat.
    pub nonce: String,
    /// What it is about, as it is now.
    pub material: Material,
}

impl Assignment<'_> {
    /// Looks at the work and writes what the reviewer is told.
    ///
    /// # Errors
    /// If the work cannot be looked at.
    pub fn instruct(self, place: &CallEnv, budget: &mut Budget) -> Result<Instruction, Failed> {
        let ticket = self.ticket;
        let nonce = nonce().ok_or(Failed::NoRandom)?;
        let material = facts::material(&ticket.dir, Some(&ticket.base), place, budget)
            .map_err(Failed::Look)?;
        let shown = facts::show(&material, &ticket.base, place, budget).map_err(Failed::Look)?;
        let text = prompt::write(&prompt::Brief {
            id: self.id,
            purpose: &ticket.purpose,
            words: self.words,
            issues: self.issues,
            nonce: &nonce,
            dir: self.seen_at.unwrap_or(&material.root),
            base: &ticket.base,
            files: &shown.files,
            steering: &steering(self.host, &material, &shown.files, place),
            quoted: &shown.quoted,
            cut: shown.cut,
        });
        Ok(Instruction {
            text,
            nonce,
            material,
        })
    }
}

/// A word that nobody can guess.
#[must_use]
pub fn nonce() -> Option<String> {
    Some(text::hex::encode(&sys::random()?))
}

/// Those of the changed files that steer agents.
fn steering(
    host: &Host,
    material: &Material,
    files: &[(String, String)],
    place: &CallEnv,
) -> Vec<String> {
    let globs = definitions::globs(host, place);
    let steers = |path: &str| {
        let full = [&material.root, "/", path].concat();
        let name = path.rsplit('/').next().unwrap_or(path);
        host.review.steering.contains(&name)
            || globs
                .iter()
                .any(|glob| rules::glob_matches(glob, &full, place))
    };
    let paths = files.iter().map(|(_, path)| path);
    paths.filter(|path| steers(path)).cloned().collect()
}
