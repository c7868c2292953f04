//! Which directories Copilot CLI trusts. In any other it starts without the project's hooks.

use crate::Scope;
use crate::shared::folders::Folders;
use text::json;

pub(super) const FOLDERS: Folders = Folders {
    file: &["$COPILOT_HOME/config.json", "~/.copilot/config.json"],
    trusts,
    are_all: |_| false,
    scopes: &[Scope::Project],
    env: &["COPILOT_ALLOW_ALL=true"],
    by_hand: "start copilot there in a terminal and trust the folder, or run \
        tollgate init --agent copilot --scope user",
};

/// A directory is trusted with all below it.
fn trusts(text: &str, dir: &str) -> Option<bool> {
    // The client writes remarks above the object.
    let is_remark = |line: &&str| line.trim_start().starts_with("//");
    let bare: Vec<&str> = text.lines().filter(|line| !is_remark(line)).collect();
    let bare = bare.join("\n");
    let config = json::object(&bare).ok()?;
    let trusted = config.get("trustedFolders")?.items()?;
    let covers = |above: &str| {
        let rest = dir.strip_prefix(above.trim_end_matches('/'));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let mut trusted = trusted.iter().filter_map(|folder| folder.text());
    trusted.any(|folder| covers(&folder)).then_some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_are_passed_over_and_what_is_below_is_trusted() {
        let text = "// Managed.\n{\"trustedFolders\": [\"/home/dev/app/\", \"/srv\", 7]}\n";
        let check = |dir: &str, expected: Option<bool>| {
            assert_eq!(trusts(text, dir), expected, "{dir}");
        };
        check("/home/dev/app", Some(true));
        check("/home/dev/app/sub", Some(true));
        check("/home/dev/apple", None);
        check("/home/dev", None);
        check("/srv/x", Some(true));
        assert_eq!(trusts("{}", "/srv"), None);
        assert_eq!(trusts("no", "/srv"), None);
    }
}
