//! The tables of cases in `cases/`: a line of text, then a line with the tree.
//!
//! In the text, `⏎` is a line end, `⇥` a tab, `␍` a carriage return, `␀` a NUL, `⟨ff⟩` a byte.

#![expect(clippy::disallowed_methods, reason = "a test may read its cases")]

use std::fs;
use std::path::Path;

/// What stands before the tree.
const TREE: &str = "  = ";

/// One case.
pub struct Case {
    /// File and line.
    pub place: String,
    /// The script.
    pub text: Vec<u8>,
    /// Its tree, rendered.
    pub tree: String,
}

/// The cases of all tables.
pub fn all() -> Vec<Case> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let mut files: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|file| file.unwrap())
        .collect();
    files.sort_by_key(|file| file.file_name());
    let tables = files.iter().map(|file| {
        let name = file.file_name().into_string().unwrap();
        table(&name, &fs::read_to_string(file.path()).unwrap())
    });
    tables.flatten().collect()
}

fn table(name: &str, table: &str) -> Vec<Case> {
    let lines: Vec<&str> = table.lines().collect();
    let pairs = lines.chunks(2).enumerate().map(|(count, pair)| {
        let place = format!("{name}:{}", 2 * count + 1);
        let [text, tree] = pair else {
            panic!("{place}: no tree");
        };
        let tree = tree
            .strip_prefix(TREE)
            .unwrap_or_else(|| panic!("{place}: no tree"));
        Case {
            text: bytes(text),
            tree: tree.to_owned(),
            place,
        }
    });
    pairs.collect()
}

/// The bytes that a line of a table stands for.
pub fn bytes(line: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = line.chars();
    while let Some(letter) = rest.next() {
        match letter {
            '⏎' => out.push(b'\n'),
            '⇥' => out.push(b'\t'),
            '␍' => out.push(b'\r'),
            '␀' => out.push(0),
            '⟨' => {
                let code: String = rest.by_ref().take_while(|letter| *letter != '⟩').collect();
                out.push(u8::from_str_radix(&code, 16).unwrap());
            }
            _ => out.extend(letter.to_string().bytes()),
        }
    }
    out
}
