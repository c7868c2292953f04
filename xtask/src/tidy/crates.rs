//! Which crate may see which: the arrows of ARCHITECTURE.md, checked against Cargo's own view.
//! What may be seen and is not is a complaint too: an arrow that nobody uses is no arrow.

use serde_json::Value;

use super::SourceFile;
use crate::shell;

/// What each crate may depend on: crates of this workspace, then others.
const MAY_SEE: &[(&str, &[&str], &[&str])] = &[
    ("text", &[], &[]),
    ("model", &[], &[]),
    ("shell", &[], &[]),
    ("patterns", &["model"], &["regex-automata"]),
    ("actions", &["model", "text", "shell"], &[]),
    ("rules", &["model", "text"], &["strsim", "toml"]),
    ("gates", &["model", "rules", "actions", "work"], &[]),
    ("context", &["model", "work"], &["minijinja"]),
    ("hosts", &["model", "text"], &[]),
    (
        "work",
        &["model", "text"],
        &["argon2", "ed25519-compact", "p256", "serde", "sha2"],
    ),
    ("ledger", &["text"], &["serde", "serde_json", "sha2"]),
    ("store", &["model", "text"], &["libc", "sha2"]),
    (
        "edge",
        &[
            "model", "text", "actions", "rules", "gates", "hosts", "store", "work", "context",
            "patterns",
        ],
        &["libc", "miniz_oxide", "sha2"],
    ),
    (
        "hook",
        &["model", "gates", "hosts", "store", "edge"],
        &["libc"],
    ),
    (
        "board",
        &["model", "text", "ledger", "hosts", "store", "edge"],
        &["anyhow", "memchr", "notify", "serde_json", "sha2"],
    ),
    (
        "retrieval",
        &[
            "model", "text", "context", "hosts", "store", "work", "edge", "ledger", "board",
        ],
        &[
            "anyhow",
            "grep-regex",
            "grep-searcher",
            "ignore",
            "serde_json",
        ],
    ),
    (
        "runner",
        &["model", "text", "hosts", "store", "edge"],
        &["libc"],
    ),
    (
        "proxy",
        &["model", "text", "gates", "hosts", "store", "work", "edge"],
        &[
            "anyhow",
            "dlmalloc",
            "libc",
            "notify",
            "serde",
            "serde_json",
        ],
    ),
    (
        "desk",
        &[
            "model", "text", "rules", "gates", "hosts", "store", "work", "edge", "runner", "proxy",
            "ledger", "board",
        ],
        &[
            "anyhow",
            "argon2",
            "axum",
            "chacha20poly1305",
            "clap",
            "ed25519-compact",
            "hmac",
            "httparse",
            "jsonschema",
            "lettre",
            "libc",
            "maud",
            "notify",
            "regex",
            "serde",
            "serde_json",
            "sha2",
            "tempfile",
            "tokio",
            "tokio-stream",
            "toml",
            "ureq",
        ],
    ),
    (
        "cli",
        &[
            "model",
            "text",
            "shell",
            "rules",
            "gates",
            "context",
            "hosts",
            "store",
            "work",
            "edge",
            "hook",
            "ledger",
            "board",
            "retrieval",
            "runner",
            "desk",
            "patterns",
        ],
        &[
            "anyhow",
            "clap",
            "clap_complete",
            "clap_mangen",
            "ed25519-compact",
            "memchr",
            "regex-automata",
            "regex-syntax",
            "rmcp",
            "rpassword",
            "serde_json",
            "sha2",
            "tokio",
        ],
    ),
];

/// Checks the arrows between crates.
pub fn direction(_: &[SourceFile]) -> Vec<String> {
    packages().map_or_else(|error| vec![error], |packages| arrows(&packages))
}

/// Checks that a crate uses what it depends on.
pub fn used(files: &[SourceFile]) -> Vec<String> {
    packages().map_or_else(|error| vec![error], |packages| unused(&packages, files))
}

/// A package of this workspace.
struct Package {
    /// Its folder from the root, such as `crates/model`.
    folder: String,
    /// What Cargo calls it.
    name: String,
    dependencies: Vec<Dependency>,
}

/// What a package depends on.
struct Dependency {
    /// What Cargo calls it.
    name: String,
    /// What the package's sources call it.
    used_as: String,
    /// Empty, `dev` or `build`.
    kind: String,
}

fn packages() -> Result<Vec<Package>, String> {
    let metadata = ["metadata", "--format-version=1", "--no-deps", "--offline"];
    let text = shell::output("cargo", &metadata).map_err(|error| error.to_string())?;
    read(&text).ok_or_else(|| "`cargo metadata` printed something else".to_owned())
}

/// What `cargo metadata` prints.
fn read(metadata: &str) -> Option<Vec<Package>> {
    let metadata = serde_json::from_str::<Value>(metadata).ok()?;
    let root = format!("{}/", word(&metadata, "workspace_root"));
    let list = |value: &Value, key: &str| value.get(key)?.as_array().cloned();
    let mut packages = Vec::new();
    for package in list(&metadata, "packages")? {
        let manifest = word(&package, "manifest_path");
        let folder = manifest.strip_prefix(&root)?.strip_suffix("/Cargo.toml")?;
        let dependencies = list(&package, "dependencies")?;
        let dependencies = dependencies.iter().map(|dependency| {
            let name = word(dependency, "name");
            let rename = word(dependency, "rename");
            let used_as = if rename.is_empty() { name } else { rename };
            Dependency {
                name: name.to_owned(),
                used_as: used_as.replace('-', "_"),
                kind: word(dependency, "kind").to_owned(),
            }
        });
        packages.push(Package {
            folder: folder.to_owned(),
            name: word(&package, "name").to_owned(),
            dependencies: dependencies.collect(),
        });
    }
    Some(packages)
}

/// A text field of a JSON object; empty if it is none.
fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn arrows(packages: &[Package]) -> Vec<String> {
    let mut found = Vec::new();
    let product = packages.iter().filter_map(|package| {
        let name = package.folder.strip_prefix("crates/")?;
        Some((name, package))
    });
    for (name, package) in product.clone() {
        let Some((_, ours, others)) = MAY_SEE.iter().find(|(crate_name, ..)| *crate_name == name)
        else {
            found.push(format!("nothing says what crates/{name} may depend on"));
            continue;
        };
        let seen = package
            .dependencies
            .iter()
            .filter(|one| one.kind.is_empty());
        let seen: Vec<&str> = seen.map(|dependency| dependency.name.as_str()).collect();
        let ours = ours.iter().map(|target| format!("tollgate-{target}"));
        let may: Vec<String> = ours
            .chain(others.iter().map(|&word| word.to_owned()))
            .collect();
        let wrong = seen
            .iter()
            .filter(|seen| !may.iter().any(|may| may == *seen));
        found.extend(wrong.map(|target| format!("crates/{name} may not depend on {target}")));
        let idle = may.iter().filter(|may| !seen.contains(&may.as_str()));
        found.extend(idle.map(|target| format!("crates/{name} may see {target} and does not")));
    }
    let is_there = |name: &str| product.clone().any(|(one, _)| one == name);
    let gone = MAY_SEE.iter().filter(|(name, ..)| !is_there(name));
    found.extend(gone.map(|(name, ..)| format!("there is no crates/{name}")));
    found
}

/// Dependencies whose name stands in no source of their package.
fn unused(packages: &[Package], files: &[SourceFile]) -> Vec<String> {
    let mut found = Vec::new();
    for package in packages {
        let folder = format!("{}/", package.folder);
        let sources = files.iter();
        let sources = sources.filter(|file| file.is_rust() && file.path.starts_with(&folder));
        let sources: Vec<&SourceFile> = sources.collect();
        for dependency in &package.dependencies {
            if !sources.iter().any(|file| names(file, &dependency.used_as)) {
                let (name, target) = (&package.name, &dependency.name);
                found.push(format!("{name} depends on {target} and does not use it"));
            }
        }
    }
    found
}

/// Whether code begins a path with a crate's name, or uses it whole.
fn names(file: &SourceFile, name: &str) -> bool {
    let lines = file.text.lines().map(str::trim_start);
    let code = lines.filter(|line| !line.starts_with("//"));
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    code.into_iter().any(|line| {
        line.match_indices(name).any(|(at, _)| {
            let before = line.get(..at).unwrap_or_default();
            let after = line.get(at + name.len()..).unwrap_or_default();
            let begins = !before.ends_with(is_word) && !before.ends_with("::");
            let is_whole = before.ends_with("use ") && matches!(after, ";" | " as _;");
            begins && (after.starts_with("::") || is_whole)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::file;

    /// A workspace in which every crate sees what it may, but for the one that is changed.
    fn packages_with(changed: &str, dependencies: &[&str]) -> Vec<Package> {
        let dependency = |name: &str| Dependency {
            name: name.to_owned(),
            used_as: name.replace('-', "_"),
            kind: String::new(),
        };
        let one = |(name, ours, others): &(&str, &[&str], &[&str])| {
            let ours = ours.iter().map(|target| format!("tollgate-{target}"));
            let may = ours.chain(others.iter().map(|&word| word.to_owned()));
            let may: Vec<Dependency> = may.map(|name| dependency(&name)).collect();
            let given = dependencies.iter().map(|name| dependency(name)).collect();
            Package {
                folder: format!("crates/{name}"),
                name: format!("tollgate-{name}"),
                dependencies: if *name == changed { given } else { may },
            }
        };
        MAY_SEE.iter().map(one).collect()
    }

    #[test]
    fn a_wrong_arrow_is_caught() {
        let complaints = |changed: &str, dependencies: &[&str]| {
            arrows(&packages_with(changed, dependencies)).join("; ")
        };
        assert_eq!(complaints("", &[]), "");
        for target in ["tollgate-store", "tokio"] {
            let wrong = complaints("shell", &[target]);
            assert_eq!(wrong, format!("crates/shell may not depend on {target}"));
        }
        let idle = complaints("actions", &["tollgate-model", "tollgate-text"]);
        assert_eq!(idle, "crates/actions may see tollgate-shell and does not");
        let mut more = packages_with("", &[]);
        more.pop();
        more.push(Package {
            folder: "crates/new".to_owned(),
            name: "tollgate-new".to_owned(),
            dependencies: Vec::new(),
        });
        let found = arrows(&more);
        let nothing = "nothing says what crates/new may depend on";
        assert_eq!(found, [nothing, "there is no crates/cli"]);
    }

    #[test]
    fn an_idle_dependency_is_caught() {
        let workspace = packages_with("shell", &["grep-regex"]);
        let seen = |path: &str, text: &str| {
            let all = unused(&workspace, &[file(path, text)]);
            let own = all
                .into_iter()
                .filter(|one| one.starts_with("tollgate-shell "));
            own.count()
        };
        let lib = "crates/shell/src/lib.rs";
        assert_eq!(seen(lib, "use grep_regex::RegexMatcher;\n"), 0);
        assert_eq!(seen(lib, "let a = grep_regex::f();\n"), 0);
        assert_eq!(seen("crates/shell/tests/a.rs", "use grep_regex;\n"), 0);
        assert_eq!(seen(lib, "// use grep_regex::x\n"), 1);
        assert_eq!(
            seen(lib, "use crate::grep_regex::x; let my_grep_regex = 1;\n"),
            1
        );
        assert_eq!(seen("crates/store/src/lib.rs", "use grep_regex::x;\n"), 1);
    }

    #[test]
    fn metadata_is_read() {
        let text = r#"{"workspace_root":"/w","packages":[{"name":"tollgate-hook",
            "manifest_path":"/w/crates/hook/Cargo.toml","dependencies":[
            {"name":"tollgate-model","rename":"model","kind":null},
            {"name":"grep-regex","rename":null,"kind":"dev"}]}]}"#;
        let packages = read(text).unwrap();
        let [package] = packages.as_slice() else {
            panic!("{}", packages.len());
        };
        assert_eq!(
            (&*package.folder, &*package.name),
            ("crates/hook", "tollgate-hook")
        );
        let all = package.dependencies.iter();
        let all: Vec<[&str; 3]> = all
            .map(|one| [&*one.name, &one.used_as, &one.kind])
            .collect();
        let expected = [
            ["tollgate-model", "model", ""],
            ["grep-regex", "grep_regex", "dev"],
        ];
        assert_eq!(all, expected);
        assert!(read("{}").is_none());
    }
}
