//! Every requirement of `docs/requirements.md` names what covers it: a page whose rows are tests, a
//! test, or something of the sources that is in use.

use super::SourceFile;

/// Requirements in each group: S0.1 to S0.68, and so on.
const GROUPS: &[(u32, u32)] = &[(0, 68), (1, 62), (2, 37), (3, 42), (4, 47)];
const LIST: &str = "docs/requirements.md";

pub fn covered(files: &[SourceFile]) -> Vec<String> {
    let Some(list) = files.iter().find(|file| file.path == LIST) else {
        return vec![format!("{LIST} is missing")];
    };
    let rows: Vec<Row<'_>> = list.text.lines().filter_map(row).collect();
    let mut complaints = Vec::new();
    for (group, last) in GROUPS {
        for number in 1..=*last {
            let id = format!("S{group}.{number}");
            match rows.iter().filter(|row| row.id == id).count() {
                1 => {}
                count => complaints.push(format!("{id} stands {count} times in {LIST}")),
            }
        }
    }
    complaints.extend(rows.iter().flat_map(|row| wrong_place(row, files)));
    complaints.extend(claimed(files, &rows));
    complaints
}

struct Row<'a> {
    id: &'a str,
    place: &'a str,
}

/// `| S0.1 | words | place |`
fn row(line: &str) -> Option<Row<'_>> {
    let mut cells = line.trim().trim_matches('|').split('|').map(str::trim);
    let id = cells.next().filter(|cell| is_id(cell))?;
    let _words = cells.next().filter(|cell| !cell.is_empty())?;
    Some(Row {
        id,
        place: cells.next()?,
    })
}

fn is_id(word: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let rest = word.strip_prefix('S').and_then(|rest| rest.split_once('.'));
    rest.is_some_and(|(group, number)| digits(group) && digits(number))
}

/// What is wrong with what a row names: `planned`, `waived: reason`, or covers that hold.
fn wrong_place(row: &Row<'_>, files: &[SourceFile]) -> Vec<String> {
    if row.place == "planned" || row.place.starts_with("waived: ") {
        return Vec::new();
    }
    let covers = covers(row.place);
    let wrong = covers.filter_map(|cover| Some((cover, objection(cover, files)?)));
    wrong
        .map(|(cover, objection)| format!("{}: `{cover}` {objection}", row.id))
        .collect()
}

fn covers(place: &str) -> impl Iterator<Item = &str> {
    place.split(',').map(|cover| cover.trim().trim_matches('`'))
}

/// Why a cover covers nothing.
pub fn objection(cover: &str, files: &[SourceFile]) -> Option<&'static str> {
    let (place, name) = cover.split_once('#').unwrap_or((cover, ""));
    let Some(file) = find(place, files) else {
        return Some("is no file of the project");
    };
    let covers = match name {
        "" => is_table(&file.path),
        name => is_test(file, name) || is_in_use(file, name, files),
    };
    (!covers).then_some("is no table of tests, no test and nothing in use")
}

/// `crate:file`, in its folder or its sources; a path without a crate is one from the root.
fn find<'f>(place: &str, files: &'f [SourceFile]) -> Option<&'f SourceFile> {
    let paths = match place.split_once(':') {
        Some((tool @ ("e2e" | "xtask"), path)) => vec![format!("{tool}/src/{path}")],
        Some((name, path)) => vec![
            format!("crates/{name}/{path}"),
            format!("crates/{name}/src/{path}"),
        ],
        None => vec![place.to_owned()],
    };
    files.iter().find(|file| paths.contains(&file.path))
}

/// Whether tests play what stands in a file: the rows of a gate's page, the examples of a pack.
fn is_table(path: &str) -> bool {
    let is_page = path.starts_with("crates/gates/src/stack/") && path.ends_with(".md");
    is_page || (path.starts_with("packs/") && path.ends_with(".toml"))
}

/// Whether a file holds a test of that name.
fn is_test(file: &SourceFile, name: &str) -> bool {
    let mut is_marked = false;
    for line in file.text.lines().map(str::trim_start) {
        if is_marked && defines(line, name) {
            return true;
        }
        // Other attributes may stand between.
        is_marked = line == "#[test]" || (is_marked && line.starts_with("#["));
    }
    false
}

/// Whether product or tools define that name in a file, and something names it besides.
fn is_in_use(file: &SourceFile, name: &str, files: &[SourceFile]) -> bool {
    let code = |file: &SourceFile| {
        let lines = file.product_lines().map(|(_, line)| line.trim_start());
        let code = lines.filter(|line| !line.starts_with("//"));
        code.map(str::to_owned).collect::<Vec<_>>()
    };
    if file.is_test() || !code(file).iter().any(|line| defines(line, name)) {
        return false;
    }
    let sources = files
        .iter()
        .filter(|file| file.is_rust() && !file.is_test());
    let mut uses = sources.flat_map(code);
    uses.any(|line| has_word(&line, name) && !defines(&line, name))
}

/// Whether a line begins the definition of a name.
fn defines(line: &str, name: &str) -> bool {
    let kinds = ["fn", "const", "static", "struct", "enum", "trait", "type"];
    let start = ["pub ", "pub(crate) ", "pub(super) "].iter();
    let start = start.fold(line, |line, word| line.strip_prefix(word).unwrap_or(line));
    let mut words = start.split(|c: char| !is_of_word(c));
    words.next().is_some_and(|kind| kinds.contains(&kind)) && words.next() == Some(name)
}

fn has_word(line: &str, name: &str) -> bool {
    line.split(|c: char| !is_of_word(c))
        .any(|word| word == name)
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Pages and packs say what they cover; the list must point back at them.
fn claimed(files: &[SourceFile], rows: &[Row<'_>]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files {
        for id in claims(file) {
            let is_file =
                |cover: &str| find(cover, files).is_some_and(|found| found.path == file.path);
            let names_it = |row: &Row<'_>| row.id == id && covers(row.place).any(is_file);
            if !rows.iter().any(names_it) {
                complaints.push(format!("{} covers {id}, {LIST} does not say so", file.path));
            }
        }
    }
    complaints
}

/// The ids after `covers: ` on a gate's page, or in `covers = [ … ]` of a pack.
fn claims(file: &SourceFile) -> impl Iterator<Item = &str> {
    let start = match () {
        () if file.path.starts_with("crates/gates/") && file.path.ends_with(".md") => "covers: ",
        () if file.path.starts_with("packs/") => "covers = ",
        () => "\0",
    };
    let lines = file
        .text
        .lines()
        .filter_map(move |line| line.strip_prefix(start));
    let words = lines.flat_map(|line| line.split(|c: char| !(c.is_alphanumeric() || c == '.')));
    words.filter(|word| is_id(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::file;

    fn list(change: impl Fn(&str) -> Option<String>) -> SourceFile {
        let mut text = String::new();
        for (group, last) in GROUPS {
            for number in 1..=*last {
                let id = format!("S{group}.{number}");
                let line = change(&id).unwrap_or(format!("| {id} | words | planned |"));
                text.push_str(&line);
                text.push('\n');
            }
        }
        file(LIST, &text)
    }

    #[test]
    fn each_kind_of_gap_is_caught() {
        assert!(covered(&[list(|_| None)]).is_empty());
        let without = |id: &str| (id == "S0.5").then(String::new);
        assert_eq!(
            covered(&[list(without)]),
            ["S0.5 stands 0 times in docs/requirements.md"]
        );
        for (path, text) in [
            ("crates/gates/src/stack/x.md", "covers: S2.1\n"),
            ("packs/x.toml", "covers = [\"S2.1\"]\n"),
        ] {
            let claim = || file(path, text);
            assert_eq!(covered(&[list(|_| None), claim()]).len(), 1, "{path}");
            let back = |id: &str| (id == "S2.1").then(|| format!("| {id} | words | `{path}` |"));
            assert!(covered(&[list(back), claim()]).is_empty(), "{path}");
        }
    }

    #[test]
    fn a_cover_is_a_table_a_test_or_something_in_use() {
        let sources = "//! x\npub fn used() {}\nfn idle() {}\nconst A: u8 = 1;\n// idle()\n";
        let tests = "//! x\n#[test]\n#[cfg(unix)]\nfn it_holds() {}\nfn helper() { helper() }\n";
        let own = "//! x\nmod tests {\n    #[test]\n    fn inside() {}\n";
        let files = [
            file("crates/gates/src/stack/x.md", "# x\n"),
            file("packs/x.toml", "\n"),
            file("crates/gates/src/x.rs", sources),
            file("crates/gates/src/y.rs", own),
            file("crates/gates/tests/all.rs", tests),
            file(
                "crates/hook/src/y.rs",
                "//! x\nlet a = gates::used() + A;\n",
            ),
            file("e2e/src/x.rs", "//! x\nfn plays() {}\nplays;\n"),
        ];
        for cover in [
            "gates:stack/x.md",
            "packs/x.toml",
            "gates:x.rs#used",
            "gates:x.rs#A",
            "gates:y.rs#inside",
            "gates:tests/all.rs#it_holds",
            "crates/gates/tests/all.rs#it_holds",
            "e2e:x.rs#plays",
        ] {
            assert_eq!(objection(cover, &files), None, "{cover}");
        }
        for cover in [
            "gates:x.rs",
            "gates:tests/all.rs",
            "gates:x.rs#idle",
            "gates:x.rs#use",
            "gates:tests/all.rs#helper",
            "gates:gone.rs#used",
            "gone.md",
        ] {
            assert!(objection(cover, &files).is_some(), "{cover}");
            let row = |id: &str| (id == "S1.2").then(|| format!("| {id} | words | `{cover}` |"));
            let complaints = covered(&[list(row)]);
            assert!(
                complaints.iter().all(|one| one.starts_with("S1.2: ")),
                "{complaints:?}"
            );
            assert_eq!(complaints.len(), 1, "{cover}");
        }
    }
}
