//! Every requirement of `docs/requirements.md` names what covers it.

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

/// A place is `planned`, `waived: reason`, or paths that exist.
fn wrong_place(row: &Row<'_>, files: &[SourceFile]) -> Vec<String> {
    if row.place == "planned" || row.place.starts_with("waived: ") {
        return Vec::new();
    }
    let exists = |path: &str| files.iter().any(|file| file.path == path);
    let paths = row
        .place
        .split(',')
        .map(|path| path.trim().trim_matches('`'));
    paths
        .filter(|path| !exists(path))
        .map(|path| format!("{}: `{path}` is no file of the project", row.id))
        .collect()
}

/// Pages and packs say what they cover; the list must point back at them.
fn claimed(files: &[SourceFile], rows: &[Row<'_>]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files {
        for id in claims(file) {
            let quoted = format!("`{}`", file.path);
            let names_it = |row: &Row<'_>| row.id == id && row.place.contains(&quoted);
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
        let lost = |id: &str| (id == "S1.2").then(|| format!("| {id} | words | `gone.md` |"));
        assert_eq!(
            covered(&[list(lost)]),
            ["S1.2: `gone.md` is no file of the project"]
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
}
