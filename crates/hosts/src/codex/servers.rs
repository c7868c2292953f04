//! Our server of tools in Codex's settings: a table at the end of a TOML file. Every byte before it
//! stays.

use crate::Roots;
use crate::shared::helpers::{HelperFile, OwnContent, Part, dir};
use crate::shared::servers::{NAME, WORD};
use text::json::text::quoted;

const FILES: &[&str] = &["$CODEX_HOME/config.toml", "~/.codex/config.toml"];

pub(super) fn ours(roots: &Roots<'_>, program: &str) -> Option<HelperFile> {
    let program = quoted(program);
    Some(HelperFile {
        path: dir(roots, FILES)?,
        content: OwnContent::Part(Part {
            ours: format!("[mcp_servers.{NAME}]\ncommand = {program}\nargs = [\"{WORD}\"]\n"),
            put: |text, ours| Ok(put(text, ours)),
            take: |text, ours| Ok(take(text, ours)),
        }),
    })
}

/// The text with our table, unless there is one of that name already.
fn put(text: &str, ours: &str) -> String {
    if text.lines().any(is_head) {
        return text.to_owned();
    }
    let gap = match text {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    [text, gap, ours].concat()
}

/// The text without our table; nothing if nothing is left. What somebody changed in it stays.
fn take(text: &str, ours: &str) -> Option<String> {
    let Some((before, after)) = text.split_once(ours) else {
        return Some(text.to_owned());
    };
    // Members that were added below it are somebody's.
    let is_whole = after.trim_start().is_empty() || after.trim_start().starts_with(['[', '#']);
    let is_line = before.is_empty() || before.ends_with('\n');
    if !is_whole || !is_line {
        return Some(text.to_owned());
    }
    let before = before
        .strip_suffix('\n')
        .filter(|rest| rest.ends_with('\n'))
        .unwrap_or(before);
    let left = [before, after].concat();
    (!left.trim().is_empty()).then_some(left)
}

fn is_head(line: &str) -> bool {
    let names = line.trim().strip_prefix("[mcp_servers.");
    let names = names.and_then(|rest| rest.split(']').next());
    names.is_some_and(|name| name.trim().trim_matches(['"', '\'']) == NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: &str = "[mcp_servers.tollgate]\ncommand = \"/s/bin/tollgate\"\nargs = [\"mcp\"]\n";

    #[test]
    fn it_comes_and_goes_and_leaves_every_other_byte() {
        for text in [
            "model = \"x\"\n",
            "[profiles.a]\nmodel = \"y\"\n",
            "# a note\n\n[mcp_servers.db]\ncommand = \"npx\"\n",
        ] {
            let with = put(text, OURS);
            assert_eq!(with, format!("{text}\n{OURS}"));
            assert_eq!(put(&with, OURS), with);
            assert_eq!(take(&with, OURS).as_deref(), Some(text));
            // A client writes its own tables below.
            let below = format!("{with}\n[notice]\nhide = true\n");
            let left = take(&below, OURS).unwrap();
            assert_eq!(left, format!("{text}\n[notice]\nhide = true\n"));
        }
        assert_eq!(put("", OURS), OURS);
        assert_eq!(take(OURS, OURS), None);
        let open = put("a = 1", OURS);
        assert_eq!(open, format!("a = 1\n\n{OURS}"));
    }

    #[test]
    fn what_somebody_made_of_it_is_theirs() {
        for theirs in [
            "[mcp_servers.tollgate]\ncommand = \"docker\"\n".to_owned(),
            "[mcp_servers.\"tollgate\"]\ncommand = \"docker\"\n".to_owned(),
            format!("{OURS}env = {{ A = \"1\" }}\n"),
        ] {
            assert_eq!(put(&theirs, OURS), theirs);
            assert_eq!(take(&theirs, OURS).as_deref(), Some(theirs.as_str()));
        }
    }
}
