//! A gate is named in its two files, in settings and in docs: nobody else decides by its name.

use super::SourceFile;

/// Where the gates and their pages are.
const STACK: &str = "crates/gates/src/stack";

/// Files that may name one, each with the reason.
const NAMED_IN: &[(&str, &str)] = &[
    (
        "crates/rules/src/layer.rs",
        "the one gate whose mode a project may raise is part of the settings",
    ),
    (
        "crates/actions/src/families/kubernetes.rs",
        "a word of kubectl",
    ),
    ("crates/cli/src/commands.rs", "another name of `rules`"),
    (
        "crates/cli/src/commands/doctor/proof.rs",
        "its trial breaks a rule, so the mode of the rules' gate counts",
    ),
    (
        "crates/cli/src/commands/explain/story.rs",
        "a rule is shown without the gate that holds all rules",
    ),
    ("crates/store/src/journal/line.rs", "a key of the journal"),
    (
        "crates/rules/src/reading/config.rs",
        "tables of settings for what a gate asks for",
    ),
    ("crates/model/src/discipline.rs", "the name of a helper"),
    ("crates/hook/src/concerns/tickets.rs", "a command"),
];

/// Where a constant may be called like the gate that switches it on.
const CONCERNS: &str = "crates/hook/src/concerns/";

/// Ids are found by their pages.
pub fn ids_stay_home(files: &[SourceFile]) -> Vec<String> {
    let ids: Vec<&str> = files.iter().filter_map(|file| id(&file.path)).collect();
    let may = |path: &str| {
        path.starts_with(STACK)
            || path.starts_with("xtask/")
            || NAMED_IN.iter().any(|(file, _)| *file == path)
    };
    let others = files.iter();
    let others = others.filter(|file| file.is_rust() && !file.is_test() && !may(&file.path));
    let mut complaints = Vec::new();
    for file in others {
        let is_concern = file.path.starts_with(CONCERNS);
        for (number, line) in file.product_lines() {
            if is_concern && line.trim_start().starts_with("id: ") {
                continue;
            }
            let named = ids.iter().filter(|id| is_named(line, id));
            complaints.extend(named.map(|id| format!("{}:{number}: `{id}`", file.path)));
        }
    }
    complaints
}

/// The gate whose page this is.
fn id(path: &str) -> Option<&str> {
    let name = path.strip_prefix(STACK)?.strip_prefix('/')?;
    name.strip_suffix(".md").filter(|id| !id.contains('/'))
}

/// Whether a line of code has the id as a text, alone or before a rule's.
fn is_named(line: &str, id: &str) -> bool {
    let is_code = !line.trim_start().starts_with("//");
    is_code
        && ["\"", "/"]
            .iter()
            .any(|end| line.contains(&format!("\"{id}{end}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::file;

    #[test]
    fn a_name_away_from_home_is_caught() {
        let seen = |path: &str, text: &str| {
            let page = file("crates/gates/src/stack/watch.md", "# watch\n");
            ids_stay_home(&[page, file(path, text)]).len()
        };
        let lib = "crates/hook/src/lib.rs";
        assert_eq!(seen(lib, "fn f() { g(\"watch\") }\n"), 1);
        assert_eq!(seen(lib, "fn f() { g(\"watch/rule\") }\n"), 1);
        assert_eq!(
            seen(
                lib,
                "// the gate \"watch\"\nfn f() { watch(\"the watch\") }\n"
            ),
            0
        );
        assert_eq!(
            seen("crates/gates/src/stack/watch.rs", "id: \"watch\",\n"),
            0
        );
        let concern = "crates/hook/src/concerns/a.rs";
        assert_eq!(seen(concern, "id: \"watch\",\n"), 0);
        assert_eq!(seen(concern, "f(\"watch\")\n"), 1);
        assert_eq!(seen("crates/hook/tests/a.rs", "g(\"watch\")\n"), 0);
    }
}
