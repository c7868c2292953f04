//! Rules about the docs: what they point at is there, and the long one stays readable.

use super::SourceFile;

/// Longest account of the architecture, in lines.
const ARCHITECTURE_LINES_MAX: usize = 400;
/// Papers that speak of files outside this project.
const ABOUT_OTHERS: &[&str] = &["docs/requirements.md"];
/// What a name in a doc begins with if it is a path from the root.
const ROOTS: &[&str] = &[
    "crates/", "docs/", "fuzz/", "packs/", "xtask/", "e2e/", ".ci/",
];
/// What a name in a doc ends in if it is some file of ours.
const ENDS: &[&str] = &[".rs", ".md"];

pub fn paths_exist(files: &[SourceFile]) -> Vec<String> {
    let mut complaints = Vec::new();
    for doc in files.iter().filter(|file| is_doc(&file.path)) {
        for (line, number) in prose(&doc.text) {
            let lost = named(line).filter(|name| !is_there(name, files));
            complaints.extend(lost.map(|name| format!("{}:{number}: no `{name}`", doc.path)));
            let lost = linked(line).filter(|link| !is_linked(&doc.path, link, files));
            complaints.extend(lost.map(|link| format!("{}:{number}: no ({link})", doc.path)));
        }
    }
    complaints
}

pub fn short_architecture(files: &[SourceFile]) -> Vec<String> {
    let long = files.iter().filter(|file| {
        file.path == "ARCHITECTURE.md" && file.text.lines().count() > ARCHITECTURE_LINES_MAX
    });
    long.map(|file| format!("{}: more than {ARCHITECTURE_LINES_MAX} lines", file.path))
        .collect()
}

fn is_doc(path: &str) -> bool {
    let is_ours = path.starts_with("docs/") || !path.contains('/');
    is_ours && path.ends_with(".md") && !ABOUT_OTHERS.contains(&path)
}

/// The lines outside fenced blocks, with their numbers from 1.
fn prose(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let mut fenced = false;
    text.lines().zip(1..).filter(move |(line, _)| {
        let is_fence = line.trim_start().starts_with("```");
        fenced ^= is_fence;
        !fenced && !is_fence
    })
}

/// What stands between backticks and looks like a path of this project.
fn named(line: &str) -> impl Iterator<Item = &str> {
    let quoted = line.split('`').skip(1).step_by(2);
    quoted.filter(|name| {
        let is_word = !name.contains(char::is_whitespace) && !name.starts_with(['~', '$']);
        let looks = ROOTS.iter().any(|root| name.starts_with(root))
            || ENDS.iter().any(|end| name.ends_with(end));
        is_word && looks
    })
}

/// Targets of links to files.
fn linked(line: &str) -> impl Iterator<Item = &str> {
    let targets = line
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://") && !target.starts_with('#'))
}

/// Whether a name is a file, a directory, or the end of a file's path. `<id>` and `*` stand for
/// anything within one part.
fn is_there(name: &str, files: &[SourceFile]) -> bool {
    let parts: Vec<&str> = name.trim_end_matches('/').split('/').collect();
    let is_rooted = ROOTS.iter().any(|root| name.starts_with(root));
    files.iter().any(|file| {
        let path: Vec<&str> = file.path.split('/').collect();
        let mut places = path.windows(parts.len().min(path.len())).enumerate();
        places.any(|(at, place)| {
            let ends = at + parts.len() == path.len();
            let stands = if is_rooted { at == 0 } else { ends };
            let fits = place.len() == parts.len();
            stands
                && fits
                && parts
                    .iter()
                    .zip(place)
                    .all(|(part, real)| fits_part(part, real))
        })
    })
}

/// Whether a part of a path is what a doc calls it.
fn fits_part(part: &str, real: &str) -> bool {
    let blank = |(begin, rest): (&str, &str), end: &str| {
        let after = rest.split_once(end).map_or("", |(_, after)| after);
        real.len() > begin.len() + after.len() && real.starts_with(begin) && real.ends_with(after)
    };
    match (part.split_once('<'), part.split_once('*')) {
        (Some(split), _) => blank(split, ">"),
        (None, Some(split)) => blank((split.0, split.1), "") || real.ends_with(split.1),
        (None, None) => part == real,
    }
}

/// Whether a link, seen from its doc, leads to a file.
fn is_linked(doc: &str, link: &str, files: &[SourceFile]) -> bool {
    let (target, _) = link.split_once('#').unwrap_or((link, ""));
    let dir = doc.rsplit_once('/').map_or("", |(dir, _)| dir);
    let mut parts: Vec<&str> = dir.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let path = parts.join("/");
    files.iter().any(|file| file.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::file;

    /// The complaints about a doc beside a few files.
    fn about(path: &str, text: &str) -> Vec<String> {
        let there = [
            "crates/a/src/lib.rs",
            "crates/a/src/stack/b.md",
            "packs/git.toml",
            "README.md",
        ];
        let mut files: Vec<SourceFile> = there.iter().map(|path| file(path, "")).collect();
        files.push(file(path, text));
        paths_exist(&files)
    }

    #[test]
    fn what_is_not_there_is_caught() {
        let lost = [
            "see `crates/b/src/lib.rs`",
            "see `crates/gone/`",
            "see `other.rs` and more",
            "see `crates/a/src/<id>.toml`",
            "see `packs/<id>.md`",
            "see [this](docs/gone.md)",
            "| x | `crates/a/src/stack/<id>.rs` |",
        ];
        for text in lost {
            assert_eq!(about("ARCHITECTURE.md", text).len(), 1, "{text}");
        }
    }

    #[test]
    fn what_is_there_passes() {
        let there = [
            "see `crates/a/src/lib.rs`, `crates/a/src/` and `crates/a`",
            "see `lib.rs`, `src/lib.rs`, `stack/<id>.md`, `packs/<id>.toml`, `packs/*.toml`",
            "see [this](README.md) and [that](https://example.test/gone.md)",
            "`cargo test crates/none.rs` and `~/.config/mine.md` are no paths of ours",
            "```\n`crates/gone.rs`\n```",
        ];
        for text in there {
            assert_eq!(
                about("ARCHITECTURE.md", text),
                Vec::<String>::new(),
                "{text}"
            );
        }
        assert!(about("docs/x.md", "see [up](../README.md)").is_empty());
        assert!(about("docs/requirements.md", "see `gone.md`").is_empty());
    }

    #[test]
    fn a_long_architecture_is_caught() {
        let long = |lines: usize| file("ARCHITECTURE.md", &"x\n".repeat(lines));
        assert_eq!(
            short_architecture(&[long(ARCHITECTURE_LINES_MAX + 1)]).len(),
            1
        );
        assert!(short_architecture(&[long(ARCHITECTURE_LINES_MAX)]).is_empty());
    }
}
