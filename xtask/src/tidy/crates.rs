//! Which crate may see which: the arrows of ARCHITECTURE.md, checked against Cargo's own view.

use serde_json::Value;

use super::SourceFile;
use crate::shell;

/// What each crate may depend on: crates of this workspace, then others.
const MAY_SEE: &[(&str, &[&str], &[&str])] = &[
    ("text", &[], &[]),
    ("model", &[], &[]),
    ("shell", &[], &[]),
    ("patterns", &["model"], &[]),
    ("actions", &["model", "text", "shell"], &[]),
    ("rules", &["model", "text"], &["strsim", "toml"]),
    ("gates", &["model", "rules", "patterns", "actions"], &[]),
    ("context", &["model"], &["minijinja"]),
    ("hosts", &["model", "text"], &[]),
    ("work", &["model", "text"], &["ed25519-compact", "sha2"]),
    ("store", &["model", "text"], &["libc", "sha2"]),
    (
        "hook",
        &[
            "model", "text", "actions", "patterns", "rules", "gates", "hosts", "store", "work",
            "context",
        ],
        &["libc", "miniz_oxide"],
    ),
    (
        "retrieval",
        &["model", "text", "context", "hosts", "store", "hook"],
        &[
            "anyhow",
            "grep-regex",
            "grep-searcher",
            "ignore",
            "serde_json",
        ],
    ),
];

pub fn direction(files: &[SourceFile]) -> Vec<String> {
    let _ = files;
    let metadata = ["metadata", "--format-version=1", "--no-deps", "--offline"];
    match shell::output("cargo", &metadata).map(|text| complaints(&text)) {
        Ok(complaints) => complaints,
        Err(error) => vec![error.to_string()],
    }
}

fn complaints(metadata: &str) -> Vec<String> {
    let Ok(metadata) = serde_json::from_str::<Value>(metadata) else {
        return vec!["`cargo metadata` printed no JSON".to_owned()];
    };
    let packages = metadata.get("packages").and_then(Value::as_array).cloned();
    let packages = packages.unwrap_or_default();
    let mut found = Vec::new();
    for (name, ours, others) in MAY_SEE {
        let package = format!("tollgate-{name}");
        let Some(package) = packages.iter().find(|one| word(one, "name") == package) else {
            found.push(format!("there is no crate {package}"));
            continue;
        };
        let dependencies = package.get("dependencies").and_then(Value::as_array);
        for dependency in dependencies.into_iter().flatten() {
            if !word(dependency, "kind").is_empty() {
                continue;
            }
            let target = word(dependency, "name");
            let allowed = match target.strip_prefix("tollgate-") {
                Some(crate_name) => ours.contains(&crate_name),
                None => others.contains(&target),
            };
            if !allowed {
                found.push(format!("crates/{name} may not depend on {target}"));
            }
        }
    }
    found
}

/// A text field of a JSON object; empty if it is none.
fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_arrow_is_caught() {
        let package = |name: &str, target: &str| {
            format!(
                r#"{{"name":"tollgate-{name}","dependencies":[{{"name":"{target}","kind":null}}]}}"#
            )
        };
        let all = |gates_target: &str| {
            let one = |name: &str| match name {
                "gates" => package(name, gates_target),
                _ => format!(r#"{{"name":"tollgate-{name}","dependencies":[]}}"#),
            };
            let list: Vec<String> = MAY_SEE.iter().map(|(name, ..)| one(name)).collect();
            format!(r#"{{"packages":[{}]}}"#, list.join(","))
        };
        assert!(complaints(&all("tollgate-model")).is_empty());
        let wrong = complaints(&all("tollgate-store"));
        assert_eq!(wrong, ["crates/gates may not depend on tollgate-store"]);
        assert_eq!(
            complaints(&all("tokio")),
            ["crates/gates may not depend on tokio"]
        );
    }
}
