//! Who can do what against us, and the tests that show it: a list of cells, and the tables and the
//! sentence that are made of it. Must not know what any test does.

use std::fs;

use anyhow::{Context, Result, ensure};
use toml::Table;

use crate::shell;
use crate::tidy::{SourceFile, objection};

/// The cells.
const LIST: &str = "xtask/threats.toml";

/// Where something stands that is made of them: the file, and the marks around it.
struct Place {
    file: &'static str,
    start: &'static str,
    end: &'static str,
}

const PAGE: Place = Place {
    file: "docs/security.md",
    start: "<!-- threats: made by `cargo xtask pages` -->\n",
    end: "<!-- end of threats -->",
};
const CLAIM: Place = Place {
    file: "README.md",
    start: "<!-- claim -->",
    end: "<!-- end of claim -->",
};

const PREVENTED: &str = "prevented";
const NOT: &str = "not";
const GRADES: &[&str] = &[PREVENTED, "noticed at once", "noticed later", NOT];

/// Who may try, in the list and in words.
const WHO: &[(&str, &str)] = &[
    ("tools", "The worker, by its tools"),
    (
        "program",
        "A program that the worker runs and that no hook reads",
    ),
    ("user", "Another user"),
];
/// What an install is called in the list and in words; the first is the default.
const INSTALLS: &[(&str, &str)] = &[
    ("", "default install"),
    ("passphrase", "with a passphrase"),
    ("hardened", "hardened install"),
];

#[derive(Debug, PartialEq, Eq)]
struct Cell {
    grade: String,
    words: String,
    tests: Vec<String>,
}

/// What may be tried, and a cell for everybody in every install; nothing where it is as in the
/// default install.
#[derive(Debug)]
struct Threat {
    what: String,
    cells: Vec<Vec<Option<Cell>>>,
}

/// Writes what is made of the list.
///
/// # Errors
/// If the list cannot be read, or a file has no place for it.
pub fn write() -> Result<()> {
    let read = |path: &str| fs::read_to_string(shell::root().join(path)).context(path.to_owned());
    let threats = threats(&read(LIST)?)?;
    for (place, made) in made(&threats) {
        let text = with(&read(place.file)?, &place, &made)?;
        fs::write(shell::root().join(place.file), text).context(place.file)?;
    }
    Ok(())
}

/// Whether page and README say what the list says, and tests show it.
pub fn shown(files: &[SourceFile]) -> Vec<String> {
    let text = |path: &str| {
        let file = files.iter().find(|file| file.path == path);
        file.map_or("", |file| file.text.as_str())
    };
    let threats = match threats(text(LIST)) {
        Ok(threats) => threats,
        Err(error) => return vec![format!("{LIST}: {error:#}")],
    };
    let mut complaints = Vec::new();
    for threat in &threats {
        for cell in threat.cells.iter().flatten().flatten() {
            let wrong = cell.tests.iter();
            let wrong = wrong.filter_map(|test| Some((test, objection(test, files)?)));
            complaints.extend(
                wrong.map(|(test, why)| format!("{LIST}: {}: `{test}` {why}", threat.what)),
            );
        }
    }
    for (place, made) in made(&threats) {
        let is_same =
            with(text(place.file), &place, &made).is_ok_and(|new| new == text(place.file));
        if !is_same {
            let file = place.file;
            complaints.push(format!("{file} is not what {LIST} says: cargo xtask pages"));
        }
    }
    complaints
}

fn made(threats: &[Threat]) -> [(Place, String); 2] {
    [(PAGE, tables(threats)), (CLAIM, claim(threats))]
}

/// A text with something else between its marks.
fn with(text: &str, place: &Place, made: &str) -> Result<String> {
    let &Place { file, start, end } = place;
    let parts = text.split_once(start);
    let parts = parts.and_then(|(before, rest)| Some((before, rest.split_once(end)?.1)));
    let (before, after) = parts.with_context(|| format!("{file}: no {start} … {end}"))?;
    Ok([before, start, made, end, after].concat())
}

fn threats(list: &str) -> Result<Vec<Threat>> {
    let list: Table = toml::from_str(list)?;
    let threats = list.get("threat").and_then(|threats| threats.as_array());
    let threats = threats.filter(|threats| !threats.is_empty());
    let threats = threats.context("no [[threat]]")?.iter();
    threats
        .map(|threat| self::threat(threat.as_table().context("no table")?))
        .collect()
}

fn threat(threat: &Table) -> Result<Threat> {
    let what = threat.get("what").and_then(|what| what.as_str());
    let what = what.context("a threat has no `what`")?.to_owned();
    let known = |key: &String| key == "what" || WHO.iter().any(|(who, _)| who == key);
    ensure!(threat.keys().all(known), "{what}: somebody nobody knows");
    let mut cells = Vec::new();
    for (who, _) in WHO {
        let place = || format!("{what}: {who}");
        let by = threat
            .get(*who)
            .and_then(|by| by.as_table())
            .with_context(place)?;
        let of = |install: &str| match install {
            "" => cell(by).map(Some),
            install => by
                .get(install)
                .and_then(|of| of.as_table())
                .map(cell)
                .transpose(),
        };
        let of = INSTALLS
            .iter()
            .map(|(install, _)| of(install).with_context(place));
        cells.push(of.collect::<Result<_>>()?);
    }
    Ok(Threat { what, cells })
}

fn cell(table: &Table) -> Result<Cell> {
    let text = |key: &str| {
        table
            .get(key)
            .and_then(|value| value.as_str())
            .unwrap_or_default()
    };
    let tests = table.get("tests").and_then(|tests| tests.as_array());
    let tests = tests.into_iter().flatten().filter_map(|test| test.as_str());
    let cell = Cell {
        grade: text("grade").to_owned(),
        words: text("words").to_owned(),
        tests: tests.map(str::to_owned).collect(),
    };
    ensure!(
        GRADES.contains(&cell.grade.as_str()),
        "no grade: {GRADES:?}"
    );
    ensure!(!cell.tests.is_empty(), "no test shows it");
    ensure!(
        cell.grade != NOT || !cell.words.is_empty(),
        "a `not` says what"
    );
    ensure!(!cell.words.contains(['|', '\n']), "words stand in a table");
    Ok(cell)
}

/// A table for everybody.
fn tables(threats: &[Threat]) -> String {
    let mut page = String::new();
    for (at, (_, who)) in WHO.iter().enumerate() {
        let heads: Vec<&str> = INSTALLS.iter().map(|(_, install)| *install).collect();
        page += &format!("\n**{who}**\n\n| what | {} |\n", heads.join(" | "));
        page += &format!("|{}\n", "---|".repeat(1 + heads.len()));
        for threat in threats {
            let cells = threat.cells.get(at).into_iter().flatten();
            let cells = cells.map(|cell| cell.as_ref().map_or("the same".to_owned(), in_words));
            page += &format!(
                "| {} | {} |\n",
                threat.what,
                cells.collect::<Vec<_>>().join(" | ")
            );
        }
    }
    page + "\n"
}

fn in_words(cell: &Cell) -> String {
    let tests: Vec<String> = cell.tests.iter().map(|test| format!("`{test}`")).collect();
    let separator = if cell.words.is_empty() { "" } else { ": " };
    let Cell { grade, words, .. } = cell;
    format!("{grade}{separator}{words} ({})", tests.join(", "))
}

/// How the README sums it up.
fn claim(threats: &[Threat]) -> String {
    let graded = |(who, install): (usize, usize), is_counted: &dyn Fn(&str) -> bool| {
        let graded = threats.iter().filter(|threat| {
            let cells = threat.cells.get(who).map_or(&[][..], Vec::as_slice);
            let cell = cells.get(install).and_then(Option::as_ref);
            let cell = cell.or(cells.first().and_then(Option::as_ref));
            cell.is_some_and(|cell| is_counted(&cell.grade))
        });
        graded.count()
    };
    let done = |place| graded(place, &|grade| grade != PREVENTED);
    let tools = (0..INSTALLS.len()).map(|install| done((0, install))).max();
    let noticed = graded((1, 0), &|grade| grade.starts_with("noticed"));
    format!(
        "Of the {all} known ways in which an agent could say yes itself, switch Tollgate off or \
         step over it, {tools} works by its tools, in any install. By a program that it runs and \
         that no hook reads, {hidden} work in the default install ({noticed} of them noticed), \
         and {hardened} in a hardened one.",
        all = threats.len(),
        tools = number(tools.unwrap_or_default()),
        hidden = number(done((1, 0))),
        noticed = number(noticed),
        hardened = number(done((1, 2))),
    )
}

fn number(count: usize) -> String {
    let words = [
        "none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    ];
    words
        .get(count)
        .map_or_else(|| count.to_string(), |word| (*word).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::file;

    const ONE: &str = "[[threat]]\nwhat = \"x\"\n\
        [threat.tools]\ngrade = \"prevented\"\ntests = [\"a:x.rs#shows\"]\n\
        [threat.program]\ngrade = \"noticed later\"\nwords = \"w\"\ntests = [\"a:x.rs#shows\"]\n\
        [threat.program.hardened]\ngrade = \"prevented\"\ntests = [\"a:x.rs#shows\"]\n\
        [threat.user]\ngrade = \"not\"\nwords = \"w\"\ntests = [\"a:x.rs#shows\"]\n";

    /// The files of a project with such a list, and what is made of it with marks around.
    fn project(list: &str) -> Vec<SourceFile> {
        let threats = threats(ONE).unwrap();
        let mut files = vec![file(LIST, list)];
        files.push(file("crates/a/src/x.rs", "#[test]\nfn shows() {}\n"));
        for (place, made) in made(&threats) {
            let text = ["a\n", place.start, &made, place.end, "\nb\n"].concat();
            files.push(file(place.file, &text));
        }
        files
    }

    #[test]
    fn what_the_list_says_is_shown_and_told() {
        assert_eq!(shown(&project(ONE)), [""; 0]);
        let page = tables(&threats(ONE).unwrap());
        let row =
            "| x | noticed later: w (`a:x.rs#shows`) | the same | prevented (`a:x.rs#shows`) |";
        assert!(page.contains(row), "{page}");
        let claim = claim(&threats(ONE).unwrap());
        for part in [
            "Of the 1 known ways",
            "none works by its tools",
            "one work in the default install (one of them",
            "and none in a",
        ] {
            assert!(claim.contains(part), "{claim}");
        }
    }

    #[test]
    fn a_list_without_a_test_and_a_page_that_says_something_else_are_caught() {
        let tests = "tests = [\"a:x.rs#shows\"]";
        for (from, to, expected) in [
            (tests, "", "x: tools: no test shows it"),
            (tests, "tests = []", "x: tools: no test shows it"),
            (tests, "tests = [\"a:x.rs#gone\"]", "x: `a:x.rs#gone` is no"),
            ("prevented", "so so", "x: tools: no grade"),
            ("prevented", "noticed later", "docs/security.md is not what"),
            ("\"x\"", "\"y\"", "docs/security.md is not what"),
            ("[threat.user]", "[threat.root]", "x: somebody nobody knows"),
            (
                "\"not\"\nwords = \"w\"",
                "\"not\"",
                "x: user: a `not` says what",
            ),
            (ONE, "", "no [[threat]]"),
        ] {
            let complaints = shown(&project(&ONE.replacen(from, to, 1)));
            let found = complaints.iter().any(|one| one.contains(expected));
            assert!(found, "{to}: {complaints:?}");
        }
        let without = |path: &str| {
            let mut files = project(ONE);
            files.retain(|file| file.path != path);
            shown(&files)
        };
        for path in [PAGE.file, CLAIM.file] {
            assert_eq!(without(path).len(), 1, "{path}");
        }
    }
}
