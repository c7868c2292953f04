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
    "credentials",
    ".s3cfg",
    "config",
];

/// The names in a file of secrets, without their values.
pub(super) fn read(stop: &Stop<'_>, deed: &Action) -> Option<String> {
    if deed.kind != ResourceKind::File || !deed.name.starts_with('/') {
        return None;
    }
    let shown = path(&deed.name, stop.place)?;
    let (_, base) = deed.name.rsplit_once('/')?;
    let is_settings = base.starts_with(".env") || SETTINGS.iter().any(|end| base.ends_with(end));
    if is_settings {
        let command = format!("cut -d= -f1 {shown}");
        return instead(&command, ", which shows the names alone");
    }
    if base.ends_with(".json") {
        return instead(&format!("jq keys {shown}"), ", which shows the names alone");
    }
    None
}

/// The download as a file that can be read before it is run.
pub(super) fn downloaded(stop: &Stop<'_>, _: &Action) -> Option<String> {
    let is_fetch = |one: &&Action| one.verb == Verb::Fetch && one.kind == ResourceKind::Url;
    let fetched = stop.all.iter().find(is_fetch)?;
    let url = quoted(&fetched.name).filter(|url| !url.starts_with('-'))?;
    first(
        &format!("curl -fsSLo download.txt {url}"),
        "then read it, and run what is right",
    )
}
