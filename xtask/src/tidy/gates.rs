//! A gate is named in its two files, in settings and in docs: nobody else decides by its name,
//! be it a text (`"hydration"`) or a path (`hydration::GATE`).

use super::SourceFile;

/// Where the gates and their pages are.
const STACK: &str = "crates/gates/src/stack";

/// Files that may name one, each with the reason.
pub const NAMED_IN: &[(&str, &str)] = &[
    (
        "crates/rules/src/layer.rs",
        "the one gate whose mode a project may raise is part of the settings",
    ),
    (
        "crates/actions/src/families/kubernetes.rs",
        "a word of kubectl",
    ),
    ("crates/cli/src/commands.rs", "another name of `rules`"),
    ("crates/model/src/command_line.rs", "names of commands"),
    (
        "crates/cli/src/commands/doctor/proof.rs",
        "its trial breaks a rule, so the mode of the rules' gate counts",
    ),
    (
        "crates/cli/src/commands/explain/screen.rs",
        "a rule is shown without the gate that holds all rules",
    ),
    ("crates/store/src/journal/line.rs", "a key of the journal"),
    ("crates/model/src/helper.rs", "the name of a helper"),
    (
        "crates/store/src/codec/before.rs",
        "names of sections that older records have no names for",
    ),
    ("crates/edge/src/concerns/compliance.rs", "a command"),
    (
        "crates/edge/src/concerns/reviews/guard.rs",
        "answers by the table of failures, which is a gate's",
    ),
    (
        "crates/cli/src/commands/review.rs",
        "a key of what scripts read",
    ),
    (
        "crates/cli/src/commands/review/look.rs",
        "a key of what scripts read",
    ),
    (
        "crates/cli/src/concerns/reviews.rs",
        "a key of what scripts read",
    ),
    (
        "crates/gates/src/decide.rs",
        "what fails there is answered by the table of failures",
    ),
    (
        "crates/edge/src/fallback.rs",
        "answers by the table of failures, which is a gate's",
    ),
    (
        "crates/edge/src/run.rs",
        "answers by the table of failures, which is a gate's",
    ),
    (
        "crates/hook/src/run.rs",
        "answers by the table of failures, which is a gate's",
    ),
];

/// Where a constant may be called like its gate, and name it, to be switched as the gate is.
const CONCERNS: &str = "/src/concerns/";

/// Where a table may be called like the gate that asks for what is set in it.
const TABLES: &str = "crates/rules/src/settings/";

/// A section of a record is called like the gate that asks for it.
const SECTION: &str = "const NAME: &'static str = ";

/// Ids are found by their pages.
pub fn ids_stay_home(files: &[SourceFile]) -> Vec<String> {
    let ids: Vec<&str> = files.iter().filter_map(|file| id(&file.path)).collect();
    let home = |path: &str| path.starts_with(STACK) || !path.starts_with("crates/");
    let others = files.iter();
    let others = others.filter(|file| file.is_rust() && !file.is_test() && !home(&file.path));
    let mut complaints = Vec::new();
    let mut excused: Vec<&str> = Vec::new();
    for file in others {
        let path = file.path.as_str();
        let found = named(file, &ids);
        if NAMED_IN.iter().any(|(excuse, _)| *excuse == path) {
            excused.extend((!found.is_empty()).then_some(path));
        } else {
            complaints.extend(found);
        }
    }
    let idle = NAMED_IN.iter().filter(|(path, _)| {
        let is_there = files.iter().any(|file| file.path == *path);
        is_there && !excused.contains(path)
    });
    complaints.extend(idle.map(|(path, _)| format!("{path} names no gate: it needs no excuse")));
    complaints
}

/// Where a file names a gate.
fn named(file: &SourceFile, ids: &[&str]) -> Vec<String> {
    let is_concern = file.path.contains(CONCERNS);
    let is_table = file.path.starts_with(TABLES);
    let code = file.product_lines().filter(|(_, line)| {
        let line = line.trim_start();
        !line.starts_with("//") && !line.starts_with(SECTION)
    });
    let mut found = Vec::new();
    for (number, line) in code {
        let named = ids.iter().filter(|id| {
            // The rows of its constant.
            let is_row = is_concern && is_row(line) || is_table && is_name(line);
            !is_row && (is_used(line, id) || is_quoted(line, id))
        });
        found.extend(named.map(|id| format!("{}:{number}: `{id}`", file.path)));
    }
    found
}

/// The gate whose page this is.
fn id(path: &str) -> Option<&str> {
    let name = path.strip_prefix(STACK)?.strip_prefix('/')?;
    name.strip_suffix(".md").filter(|id| !id.contains('/'))
}

/// Whether a line is a row of a concern's constant: its id, or the gates that switch it on.
fn is_row(line: &str) -> bool {
    let rows = ["id: ", "gates: &[", "asks: &[", "&gates::"];
    rows.iter().any(|row| line.trim_start().starts_with(row))
}

/// Whether a line is what a table is called.
fn is_name(line: &str) -> bool {
    line.trim_start().starts_with("name: ")
}

/// Whether a line has the id as a text, alone or before a rule's.
fn is_quoted(line: &str, id: &str) -> bool {
    let texts = ["\"", "/"].map(|end| format!("\"{id}{end}"));
    texts.iter().any(|text| line.contains(text))
}

/// Whether a line has the gate as a path: its constant, or anything of its module. What is brought
/// in among others (`use gates::{a, b};`) is seen where it is used.
fn is_used(line: &str, id: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(id).any(|(at, _)| {
        let (before, rest) = line.split_at(at);
        let after = rest.get(id.len()..).unwrap_or_default();
        let is_whole = !before.ends_with(is_word) && !after.starts_with(is_word);
        is_whole && (after.starts_with("::GATE") || before.ends_with("stack::"))
    })
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
        assert_eq!(seen("crates/hook/tests/a.rs", "g(\"watch\")\n"), 0);
        assert_eq!(seen(lib, "if id == gates::stack::watch::GATE.id {\n"), 1);
        assert_eq!(seen(lib, "if id == watch::GATE.id {\n"), 1);
        assert_eq!(seen(lib, "use gates::stack::watch;\n"), 1);
        assert_eq!(seen(lib, "my_watch::GATE, watch::other, watchers\n"), 0);
        let concern = "crates/edge/src/concerns/watch.rs";
        assert_eq!(seen(concern, "id: \"watch\",\n"), 0);
        assert_eq!(seen(concern, "gates: &[&gates::stack::watch::GATE],\n"), 0);
        assert_eq!(
            seen(concern, "if gates::stack::watch::GATE.id == id {\n"),
            1
        );
        assert_eq!(seen(concern, "g(\"watch\")\n"), 1);
        let table = "crates/rules/src/settings/watch.rs";
        assert_eq!(seen(table, "name: \"watch\",\n"), 0);
        assert_eq!(seen(table, "g(\"watch\")\n"), 1);
        assert_eq!(seen(lib, "name: \"watch\",\n"), 1);
        let excused = NAMED_IN[0].0;
        assert_eq!(seen(excused, "g(\"watch\")\n"), 0);
        assert_eq!(seen(excused, "g(1)\n"), 1, "an excuse that nobody needs");
    }
}
