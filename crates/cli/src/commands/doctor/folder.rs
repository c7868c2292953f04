//! Whether a host that goes by trusted directories would call the hook here.

use std::fs;

use hosts::Host;

use super::Check;
use crate::here::Here;
use crate::settings::Seen;

/// Looks at the present directory, if hooks hang on whether it is trusted.
pub fn of(here: &Here, host: &Host, files: &[Seen]) -> Option<Check> {
    let folders = host.folders?;
    let is_gated = files.iter().any(|file| file.registered(host).is_some());
    let are_all = files.iter().any(|file| {
        let text = fs::read_to_string(&file.path).unwrap_or_default();
        (folders.are_all)(&text)
    });
    if !is_gated || are_all {
        return None;
    }
    let roots = here.roots();
    let mut paths = folders.file.iter().filter_map(|file| roots.expand(file));
    let path = paths.next()?;
    let text = fs::read_to_string(&path).unwrap_or_default();
    let (title, dir) = (host.title, &here.place.cwd);
    Some(match (folders.trusts)(&text, dir) {
        Some(true) => Check::good(format!("{title} trusts {dir}")),
        Some(false) => Check::broken(
            format!("{title} does not trust {dir}, and calls no hook there [{path}]"),
            folders.by_hand.to_owned(),
        ),
        None => Check::warning(
            format!("{title} does not know {dir} yet; until it is trusted it calls no hook there"),
            folders.by_hand,
        ),
    })
}
