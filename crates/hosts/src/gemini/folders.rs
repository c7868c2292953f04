//! Which directories Gemini CLI trusts. In any other it starts without hooks, the user's too.

use text::path::{is_within, parent};

use crate::Scope;
use crate::shared::folders::Folders;
use text::json;

pub(super) const FOLDERS: Folders = Folders {
    file: &[
        "$GEMINI_CLI_TRUSTED_FOLDERS_PATH",
        "$GEMINI_CLI_HOME/.gemini/trustedFolders.json",
        "~/.gemini/trustedFolders.json",
    ],
    trusts,
    are_all,
    scopes: &[Scope::User, Scope::Project, Scope::Managed],
    env: &["GEMINI_CLI_TRUST_WORKSPACE=true"],
    by_hand: "start gemini there in a terminal and trust the folder, or /permissions",
};

/// The longest rule that fits decides, as it is written: a rule for a parent counts by the length
/// of the directory that it names.
fn trusts(text: &str, dir: &str) -> Option<bool> {
    let rules = json::object(text).ok()?;
    let mut longest = None;
    for rule in rules.members {
        let path = rule.name.text().unwrap_or_default();
        let covered = match rule.value.text().as_deref() {
            Some("TRUST_PARENT") => parent(path.trim_end_matches('/')),
            Some("TRUST_FOLDER" | "DO_NOT_TRUST") => path.as_ref(),
            _ => continue,
        };
        let is_longer = longest.is_none_or(|(length, _)| path.len() > length);
        if is_within(dir, covered) && is_longer {
            longest = Some((path.len(), !rule.value.is_text("DO_NOT_TRUST")));
        }
    }
    longest.map(|(_, trusted)| trusted)
}

/// Folder trust is on unless a settings file switches it off.
fn are_all(text: &str) -> bool {
    let settings = json::object(text).unwrap_or_default();
    let security = settings.get("security").and_then(|part| part.object());
    let trust = security.and_then(|security| security.get("folderTrust")?.object());
    trust.is_some_and(|trust| trust.get("enabled").is_some_and(|on| on.raw == "false"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_rule_decides() {
        let rules = r#"{"/home/dev": "TRUST_FOLDER", "/home/dev/evil": "DO_NOT_TRUST",
            "/srv/a/b": "TRUST_PARENT", "/odd": 7}"#;
        let check = |dir: &str, expected: Option<bool>| {
            assert_eq!(trusts(rules, dir), expected, "{dir}");
        };
        check("/home/dev", Some(true));
        check("/home/dev/proj", Some(true));
        check("/home/dev/evil/x", Some(false));
        check("/home/devil", None);
        check("/srv/a/c", Some(true));
        check("/srv", None);
        check("/odd", None);
        assert_eq!(trusts("no", "/home/dev"), None);
    }

    #[test]
    fn folder_trust_can_be_off() {
        let off = r#"{"security":{"folderTrust":{"enabled":false}}}"#;
        assert!(are_all(off) && !are_all("{}") && !are_all(&off.replace("false", "true")));
    }
}
