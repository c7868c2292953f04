//! A host's names, its own and those of its wire, stand in the crate `hosts` and nowhere else.

use super::SourceFile;
use super::purity::{crate_of, offending};

/// The crate that knows hosts; each has a folder there.
const HOME: &str = "hosts";

/// Names that are ordinary words of code too: those count in texts alone.
const ORDINARY: &[(&str, &str)] = &[("cursor", "a place in bytes that are read")];

/// Names on a host's wire.
const WIRE: &[&str] = &[
    "hookEventName",
    "hook_event_name",
    "permissionDecision",
    "tool_name",
    "tool_input",
    "hookSpecificOutput",
    "additionalContext",
    "PreToolUse",
    "PostToolUse",
    "UserPromptSubmit",
    "stop_hook_active",
];

fn outside(file: &&SourceFile) -> bool {
    crate_of(file).is_some_and(|name| name != HOME)
}

pub fn host_names(files: &[SourceFile]) -> Vec<String> {
    let hosts: Vec<&str> = files.iter().filter_map(host).collect();
    if hosts.is_empty() {
        return vec![format!("no folder of crates/{HOME}/src holds a host")];
    }
    let mut complaints = Vec::new();
    for file in files.iter().filter(outside) {
        for (number, line) in file.product_lines() {
            let named = hosts.iter().filter(|host| is_named(line, host));
            complaints.extend(named.map(|host| format!("{}:{number}: `{host}`", file.path)));
        }
    }
    complaints
}

/// The host whose constant a file holds: its folder's name.
fn host(file: &SourceFile) -> Option<&str> {
    let folder = file.path.strip_prefix("crates/hosts/src/")?;
    let folder = folder.strip_suffix("/mod.rs")?;
    let names_itself = file.text.contains(&format!("id: \"{folder}\""));
    names_itself.then_some(folder)
}

/// Whether a line of code has the name as a word: in a text, or in what an identifier is made of.
fn is_named(line: &str, host: &str) -> bool {
    if line.trim_start().starts_with("//") {
        return false;
    }
    let lower = line.to_lowercase();
    let has = |text: &str| {
        text.split(|c: char| !c.is_alphanumeric())
            .any(|word| word == host)
    };
    match ORDINARY.iter().any(|(name, _)| *name == host) {
        true => lower
            .replace("'\"'", "")
            .split('"')
            .skip(1)
            .step_by(2)
            .any(has),
        false => has(&lower),
    }
}

pub fn wire_names(files: &[SourceFile]) -> Vec<String> {
    let outside = files.iter().filter(outside);
    outside.flat_map(|file| offending(file, WIRE)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::file;

    #[test]
    fn a_host_away_from_home_is_caught() {
        let seen = |path: &str, line: &str| {
            let folder = |id: &str| {
                let text = format!("//! x\npub const HOST: Host = Host {{\n    id: \"{id}\",\n");
                file(&format!("crates/hosts/src/{id}/mod.rs"), &text)
            };
            let shared = file("crates/hosts/src/shared/mod.rs", "//! x\nmod json;\n");
            let code = file(path, &format!("//! claude\n{line}\n"));
            host_names(&[
                folder("claude"),
                folder("amp"),
                folder("cursor"),
                shared,
                code,
            ])
            .len()
        };
        for path in [
            "crates/gates/src/x.rs",
            "crates/work/src/x.rs",
            "crates/new/src/x.rs",
        ] {
            assert_eq!(seen(path, "fn f() { \"Claude Code\" }"), 1, "{path}");
            assert_eq!(seen(path, "fn claude_dir() {}"), 1, "{path}");
            assert_eq!(seen(path, "fn f() { \"cursor\" }"), 1, "{path}");
            assert_eq!(seen(path, "// claude"), 0, "{path}");
            assert_eq!(
                seen(path, "let cursor = shared(example, sample);"),
                0,
                "{path}"
            );
        }
        assert_eq!(seen("crates/hosts/src/x.rs", "fn f() { \"claude\" }"), 0);
        assert_eq!(seen("crates/hook/tests/x.rs", "fn f() { \"claude\" }"), 0);
        assert_eq!(
            host_names(&[]).len(),
            1,
            "a rule without hosts holds nothing"
        );
    }

    #[test]
    fn a_word_of_the_wire_is_caught() {
        let seen = |path: &str, text: &str| wire_names(&[file(path, text)]).len();
        assert_eq!(
            seen("crates/cli/src/x.rs", "//! x\nfn f() { \"tool_name\" }\n"),
            1
        );
        assert_eq!(seen("crates/cli/src/x.rs", "//! tool_name\n"), 0);
        assert_eq!(
            seen("crates/hosts/src/x.rs", "fn f() { \"tool_name\" }\n"),
            0
        );
    }
}
