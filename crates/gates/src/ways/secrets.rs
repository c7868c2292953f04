//! Ways for secrets and for what was downloaded: names without values, a file that can be read
//! before it is run.

use model::{Action, ResourceKind, Verb};

use super::Stop;
use super::spelling::{first, instead, path, quoted};

/// Endings of files that hold one `NAME=value` a line.
const SETTINGS: &[&str] = &[
    ".env",
    ".envrc",
    ".npmrc",
    ".pypirc",
    ".ini",
    ".cfg",
    ".conf",
    ".properties",
    ".boto",
    ".s3cfg",
    "/.aws/config",
    "/.aws/credentials",
];

/// The names in a file of secrets, without their values; else whether it is there.
pub(super) fn read(stop: &Stop<'_>, action: &Action) -> Option<String> {
    let name = action.name.as_str();
    if action.kind == ResourceKind::Process {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let variable = name
            .strip_prefix('$')
            .filter(|rest| rest.chars().all(is_word))?;
        let command = format!("test -n \"${variable}\"");
        return instead(&command, ", which says whether it is set");
    }
    if action.kind != ResourceKind::File || !name.starts_with('/') {
        return None;
    }
    let shown = path(name, stop.place)?;
    let (_, base) = name.rsplit_once('/')?;
    let names = ", which shows the names alone";
    if base.starts_with(".env") || SETTINGS.iter().any(|end| name.ends_with(end)) {
        return instead(&format!("cut -s -d= -f1 {shown}"), names);
    }
    if base.ends_with(".json") {
        return instead(&format!("jq keys {shown}"), names);
    }
    instead(&format!("ls -l {shown}"), ", which shows that it is there")
}

/// The download as a file that can be read before it is run.
pub(super) fn downloaded(stop: &Stop<'_>, _: &Action) -> Option<String> {
    let is_fetch = |one: &&Action| one.verb == Verb::Fetch && one.kind == ResourceKind::Url;
    let fetched = stop.all.iter().find(is_fetch)?;
    let url = quoted(&fetched.name).filter(|url| !url.starts_with('-'))?;
    let end = ARCHIVES.iter().find(|end| fetched.name.ends_with(*end));
    let (end, then) = match end {
        Some(end) => (
            *end,
            "then unpack it, read what it runs, and run what is right",
        ),
        None => (".txt", "then read it, and run what is right"),
    };
    first(&format!("curl -fsSLo download{end} {url}"), then)
}

/// Ends of names of archives.
const ARCHIVES: &[&str] = &[
    ".tar", ".tar.bz2", ".tar.gz", ".tar.xz", ".tbz2", ".tgz", ".txz", ".zip",
];
