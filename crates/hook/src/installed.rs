//! Where a host registers us, read from its settings files.

use std::fs::File;
use std::io::Read;

use hosts::{Host, Inspection, Roots, Scope};
use model::HooksLeft;

use crate::{facts, surroundings};

/// Largest settings file that is read, in bytes.
const SETTINGS_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Every settings file that a host reads in a project.
#[must_use]
pub fn settings_files(host: &Host, roots: &Roots<'_>) -> Vec<String> {
    let scopes = [Scope::Managed, Scope::User, Scope::Project];
    let mut files: Vec<String> =
        scopes.iter().filter_map(|scope| host.settings_file(*scope, roots)).collect();
    files.extend(roots.expand_all(host.also_reads));
    files.dedup();
    files
}

/// What a settings file says about our hook; nothing if it is not there or cannot be read.
#[must_use]
pub fn inspect(host: &Host, path: &str) -> Option<Inspection> {
    let mut text = String::new();
    let file = File::open(path).ok()?;
    file.take(SETTINGS_BYTES_MAX).read_to_string(&mut text).ok()?;
    (host.inspect)(&text).ok()
}

/// What a change of a settings file leaves of our hooks: they are gone if it switches hooks off, or
/// if no settings file of the host registers us in full any more.
#[must_use]
pub fn left(host: &Host, cwd: &str, changed: &str) -> HooksLeft {
    let place = facts::place(cwd);
    let roots =
        Roots { home: &place.home, project: &place.project, env: &surroundings::env };
    let files = settings_files(host, &roots);
    let is_whole = |inspection: Inspection| {
        !inspection.registered.is_empty() && inspection.missing.is_empty()
    };
    let seen: Vec<Inspection> = files.iter().filter_map(|path| inspect(host, path)).collect();
    let off = inspect(host, changed).map_or(HooksLeft::Unknown, |seen| seen.left(None));
    let any_off = seen.iter().any(|seen| seen.left(None) == HooksLeft::Removed);
    if off == HooksLeft::Removed || any_off || !seen.into_iter().any(is_whole) {
        HooksLeft::Removed
    } else {
        HooksLeft::Kept
    }
}
