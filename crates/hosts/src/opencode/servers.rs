//! Our server of tools in OpenCode's settings: it names a command in one list, beside its kind.

use crate::Roots;
use crate::shared::helpers::{HelperFile, OwnContent, Part, dir};
use crate::shared::servers::{NAME, WORD, put, take};
use text::json::text::quoted;

const FILES: &[&str] = &[
    "$XDG_CONFIG_HOME/opencode/opencode.json",
    "~/.config/opencode/opencode.json",
];
/// Where it keeps its servers.
const SERVERS: &str = "mcp";

pub(super) fn ours(roots: &Roots<'_>, program: &str) -> Option<HelperFile> {
    let program = quoted(program);
    Some(HelperFile {
        path: dir(roots, FILES)?,
        content: OwnContent::Part(Part {
            ours: format!(
                "{{ \"type\": \"local\", \"command\": [{program}, \"{WORD}\"], \"enabled\": true }}"
            ),
            put: |text, ours| put(text, [SERVERS, NAME], ours),
            take: |text, ours| take(text, [SERVERS, NAME], ours),
        }),
    })
}
