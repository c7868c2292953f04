//! Rules about the text of single files.

use super::SourceFile;

/// Longest file without its tests, in lines.
const FILE_LINES_MAX: usize = 600;
/// Longest line, in characters.
const LINE_CHARS_MAX: usize = 100;

/// Files that may hold `unsafe`, each with the reason.
pub const UNSAFE_FILES: &[(&str, &str)] = &[
    ("crates/store/src/sys.rs", "flock, openat2, mmap"),
    (
        "crates/store/src/undo/sys.rs",
        "openat and its kin, clones, extended attributes",
    ),
    (
        "crates/runner/src/sys.rs",
        "process groups, and an end that is seen before it is waited for",
    ),
    (
        "crates/desk/src/sys.rs",
        "directories that change places, orphans, process groups by number",
    ),
    (
        "crates/proxy/src/sys.rs",
        "requests to end, and a wait for input that they end",
    ),
    (
        "crates/hook/src/process/fallback.rs",
        "signal handlers and static buffers",
    ),
    (
        "crates/edge/src/sys.rs",
        "clocks, the environment where it lies, the peer of standard input, chance",
    ),
    (
        "crates/edge/src/facts/sys.rs",
        "opening without waiting, poll, process groups",
    ),
    (
        "crates/hook/src/process/sys.rs",
        "signals, the alarm, plain writes, ending at once",
    ),
    (
        "crates/hook/src/process/heap.rs",
        "the allocator of a process that lives for a moment",
    ),
    (
        "crates/hook/src/process/memory.rs",
        "copying and comparing bytes",
    ),
    (
        "crates/hook/src/process/start.rs",
        "the arguments of a C main, closed streams",
    ),
    ("crates/hook/src/main.rs", "a C main, what libc does slowly"),
    (
        "crates/hook/tests/faults/broken.rs",
        "a map of a file that is cut short",
    ),
];

pub fn opens_with_a_comment(files: &[SourceFile]) -> Vec<String> {
    let rust = files.iter().filter(|file| file.is_rust());
    rust.filter(|file| !file.text.starts_with("//!"))
        .map(|file| format!("{}: line 1 is no `//!` comment", file.path))
        .collect()
}

/// A `mod.rs` lists what is in its folder; what does something stands in a file with a name.
pub fn nameless_logic(files: &[SourceFile]) -> Vec<String> {
    let indexes = files
        .iter()
        .filter(|file| file.path.ends_with("/mod.rs") && !file.is_test());
    let mut complaints = Vec::new();
    for file in indexes {
        for (number, line) in file.product_lines() {
            let code = line.trim_start();
            let words = code.trim_start_matches("pub ").trim_start_matches("const ");
            if words.starts_with("fn ") {
                complaints.push(format!("{}:{number}: logic in a `mod.rs`", file.path));
            }
        }
    }
    complaints
}

pub fn short_files(files: &[SourceFile]) -> Vec<String> {
    let rust = files
        .iter()
        .filter(|file| file.is_rust() && !file.is_test());
    rust.map(|file| (file, file.product_lines().count()))
        .filter(|(_, lines)| *lines > FILE_LINES_MAX)
        .map(|(file, lines)| format!("{}: {lines} lines, at most {FILE_LINES_MAX}", file.path))
        .collect()
}

pub fn short_lines(files: &[SourceFile]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files
        .iter()
        .filter(|file| file.is_rust() && !file.is_test())
    {
        for (number, line) in file.product_lines() {
            if line.chars().count() > LINE_CHARS_MAX && !line.contains("://") {
                complaints.push(format!(
                    "{}:{number}: longer than {LINE_CHARS_MAX}",
                    file.path
                ));
            }
        }
    }
    complaints
}

pub fn finished(files: &[SourceFile]) -> Vec<String> {
    let marks = [
        concat!("todo", "!("),
        concat!("unimplemented", "!("),
        concat!("#[ig", "nore"),
        concat!("#[should", "_panic"),
        concat!("FIX", "ME"),
        concat!("XX", "X:"),
        concat!("not yet ", "implemented"),
    ];
    find(files, |file| file.is_rust(), &marks)
}

pub fn portable(files: &[SourceFile]) -> Vec<String> {
    let marks = [
        concat!("/wo", "rk/main"),
        concat!("/wo", "rk/steering"),
        concat!("../sha", "red"),
        concat!("/root/", ".cargo"),
        concat!("registry", ".npmjs"),
        concat!("pypi", ".org"),
        concat!("index.crates", ".io"),
        concat!("static.crates", ".io"),
        concat!("deb.", "debian.org"),
    ];
    find(files, |file| !file.path.ends_with(".lock"), &marks)
}

pub fn listed_unsafe(files: &[SourceFile]) -> Vec<String> {
    let listed = |path: &str| UNSAFE_FILES.iter().any(|(file, _)| *file == path);
    let mut complaints = Vec::new();
    for file in files
        .iter()
        .filter(|file| file.is_rust() && !listed(&file.path))
    {
        for (number, line) in file
            .text
            .lines()
            .zip(1..)
            .map(|(line, number)| (number, line))
        {
            let code = line.trim_start();
            let marks = [
                concat!("unsafe", " {"),
                concat!("unsafe", " fn"),
                concat!("unsafe", " impl"),
            ];
            if !code.starts_with("//") && marks.iter().any(|mark| code.contains(mark)) {
                complaints.push(format!(
                    "{}:{number}: not in the list of such files",
                    file.path
                ));
            }
        }
    }
    complaints
}

fn find(files: &[SourceFile], of: fn(&SourceFile) -> bool, marks: &[&str]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| of(file)) {
        for (line, number) in file.text.lines().zip(1..) {
            if let Some(mark) = marks.iter().find(|mark| line.contains(**mark)) {
                complaints.push(format!("{}:{number}: `{mark}`", file.path));
            }
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::{Check, file};

    #[test]
    fn each_rule_catches_its_seed() {
        let long_line = format!("//! x\n// {}\n", "y".repeat(LINE_CHARS_MAX));
        let long_file = format!("//! x\n{}", "//\n".repeat(FILE_LINES_MAX));
        let unfinished = format!("//! x\nfn f() {{ {}) }}\n", concat!("todo", "!("));
        let machine = format!("see {}x\n", concat!("/wo", "rk/main/"));
        let raw = format!("//! x\nfn f() {{ {} }} }}\n", concat!("unsafe", " {"));
        let seeds: [(Check, &str, &str); 7] = [
            (opens_with_a_comment, "crates/a/src/lib.rs", "fn f() {}\n"),
            (
                nameless_logic,
                "crates/a/src/b/mod.rs",
                "//! x\npub fn f() {}\n",
            ),
            (short_lines, "crates/a/src/lib.rs", &long_line),
            (short_files, "crates/a/src/lib.rs", &long_file),
            (finished, "crates/a/src/lib.rs", &unfinished),
            (portable, "README.md", &machine),
            (listed_unsafe, "crates/a/src/lib.rs", &raw),
        ];
        for (rule, path, text) in seeds {
            assert_eq!(rule(&[file(path, text)]).len(), 1, "{path}: {text}");
            assert!(rule(&[file(path, "//! x\nmod f;\n")]).is_empty(), "{path}");
        }
    }
}
