//! A concern stays in its own rooms: outside files that carry its name, few may know its modules
//! and the types of its state.

use super::SourceFile;

/// Where concerns are, one file each.
const CONCERNS: &str = "crates/edge/src/concerns/";

/// Files there that are none: what they share.
const SHARED: &[&str] = &["shape", "discipline"];

/// Where the state of concerns is declared.
const STATE: &str = "crates/work/src/";

/// Most product files that may name one outside its own.
const NAMED_IN_MAX: usize = 8;

/// Rooms of a concern that are not called like it.
const ROOMS: &[(&str, &str)] = &[
    ("hydration", "crates/retrieval/"),
    ("hydration", "crates/context/src/guidance"),
    ("hydration", "crates/cli/src/commands/hydrate.rs"),
    ("observations", "crates/work/src/learning.rs"),
    ("observations", "crates/cli/examples/"),
    ("observations", "crates/cli/src/commands/learn"),
    ("observations", "crates/cli/src/commands/replay/"),
    ("observations", "crates/edge/src/concerns/strikes.rs"),
    ("tickets", "crates/cli/src/commands/review"),
    ("tickets", "crates/cli/src/concerns/reviews.rs"),
    ("tickets", "crates/edge/src/review.rs"),
    ("tickets", "crates/edge/src/concerns/reviews.rs"),
    ("tickets", "crates/gates/src/stack/reviews.rs"),
    ("tickets", "crates/work/src/breaker.rs"),
    ("tickets", "crates/work/src/reviews.rs"),
    ("tickets", "crates/edge/src/concerns/plan_gate/"),
    ("tickets", "crates/work/src/plan/"),
    ("tickets", "crates/work/src/runs"),
    ("reviews", "crates/work/src/runs"),
    ("tickets", "crates/desk/src/run/"),
    ("approvals", "crates/desk/src/run/person.rs"),
    ("approvals", "crates/desk/src/drivers/client.rs"),
    ("approvals", "crates/desk/src/asked.rs"),
    ("approvals", "crates/desk/src/serve"),
    ("approvals", "crates/desk/src/notify"),
    ("approvals", "crates/edge/src/keys.rs"),
    ("approvals", "crates/cli/src/commands/key.rs"),
    ("approvals", "crates/proxy/src/"),
];

/// Concerns whose state others take in, each with the reason: rooms of other concerns may name it.
const SHARED_STATE: &[(&str, &str)] = &[(
    "skills",
    "what is loaded is part of what is checked, grounded and hinted at",
)];

/// Concerns that are named in too many files.
pub fn stay_in_their_rooms(files: &[SourceFile]) -> Vec<String> {
    let ids: Vec<&str> = files.iter().filter_map(|file| id(&file.path)).collect();
    let mut complaints = Vec::new();
    for &id in &ids {
        let types = types_of(id, files);
        let is_shared = SHARED_STATE.iter().any(|(shared, _)| *shared == id);
        let owners = if is_shared { ids.as_slice() } else { &[] };
        let others = files.iter().filter(|file| {
            let path = file.path.as_str();
            is_other(file, id) && !owners.iter().any(|owner| is_room_of(path, owner))
        });
        let naming = others.filter(|file| names(file, id, &types));
        let naming: Vec<&str> = naming.map(|file| file.path.as_str()).collect();
        if naming.len() > NAMED_IN_MAX {
            let (count, list) = (naming.len(), naming.join(", "));
            complaints.push(format!("`{id}` is named in {count} files: {list}"));
        }
    }
    complaints
}

/// The concern whose file this is.
fn id(path: &str) -> Option<&str> {
    let name = path.strip_prefix(CONCERNS)?.strip_suffix(".rs")?;
    let is_one = !name.contains('/') && !SHARED.contains(&name);
    is_one.then_some(name)
}

/// The name without the plural.
fn stem(id: &str) -> &str {
    id.strip_suffix('s').unwrap_or(id)
}

/// Whether a file is product code and not a concern's own.
fn is_other(file: &SourceFile, id: &str) -> bool {
    let path = file.path.as_str();
    let is_product = file.is_rust() && !file.is_test() && path.starts_with("crates/");
    is_product && !is_room_of(path, id)
}

/// Whether a file is in a concern's own rooms.
fn is_room_of(path: &str, id: &str) -> bool {
    let mut rooms = ROOMS.iter();
    path.contains(stem(id)) || rooms.any(|(owner, room)| *owner == id && path.starts_with(room))
}

/// The types that a concern's state is made of.
fn types_of<'a>(id: &str, files: &'a [SourceFile]) -> Vec<&'a str> {
    let own = |path: &str| path.starts_with(STATE) && path.contains(stem(id));
    let own = files.iter().filter(|file| own(&file.path));
    let lines = own.flat_map(SourceFile::product_lines);
    let declared = lines.filter_map(|(_, line)| {
        let line = line.trim_start();
        let rest = line.strip_prefix("pub struct ");
        let rest = rest.or_else(|| line.strip_prefix("pub enum "))?;
        rest.split(|c: char| !is_word(c)).next()
    });
    let stem = stem(id);
    // Only what is called like it: other words mean other things elsewhere.
    let like = |name: &&str| name.to_lowercase().starts_with(stem);
    declared.filter(like).collect()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether code of a file names a concern: its module in a path, or one of its types.
fn names(file: &SourceFile, id: &str, types: &[&str]) -> bool {
    let mut lines = file.product_lines();
    lines.any(|(_, line)| {
        let code = line.split("//").next().unwrap_or_default();
        // Every second part is a text.
        let mut parts = code.split('"').step_by(2);
        parts.any(|part| has_path(part, id) || types.iter().any(|name| has_word(part, name)))
    })
}

/// Whether a line has a whole word.
fn has_word(line: &str, word: &str) -> bool {
    places(line, word).next().is_some()
}

/// Whether a line has a module in a path, or declares it.
fn has_path(line: &str, id: &str) -> bool {
    places(line, id).any(|(before, after)| {
        let is_in_path = before.ends_with("::") || after.starts_with("::");
        is_in_path || before.ends_with("mod ") || after.starts_with(" as ")
    })
}

/// What stands before and after each whole word.
fn places<'a>(line: &'a str, word: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    line.match_indices(word).filter_map(|(at, _)| {
        let (before, rest) = line.split_at(at);
        let after = rest.get(word.len()..).unwrap_or_default();
        let is_whole = !before.ends_with(is_word) && !after.starts_with(is_word);
        is_whole.then_some((before, after))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::file;

    fn seen(line: &str, count: usize) -> usize {
        let mut files = vec![
            file("crates/edge/src/concerns/watchers.rs", "//! x\n"),
            file("crates/work/src/watchers.rs", "pub struct WatcherState {\n"),
        ];
        let others = 0..count;
        files.extend(others.map(|number| file(&format!("crates/a/src/n{number}.rs"), line)));
        stay_in_their_rooms(&files).len()
    }

    #[test]
    fn a_concern_that_is_known_everywhere_is_caught() {
        for line in [
            "use work::watchers::f;\n",
            "let x = WatcherState::default();\n",
            "mod watchers;\n",
        ] {
            assert_eq!(seen(line, NAMED_IN_MAX), 0, "{line}");
            assert_eq!(seen(line, NAMED_IN_MAX + 1), 1, "{line}");
        }
        for line in [
            "// watchers::f\n",
            "let watchers = 1;\n",
            "f(\"watchers::f\");\n",
            "struct MyWatcherState;\n",
        ] {
            assert_eq!(seen(line, 20), 0, "{line}");
        }
    }

    #[test]
    fn its_own_files_may() {
        let own = (0..20).map(|number| {
            let path = format!("crates/a/src/watchers/n{number}.rs");
            file(&path, "use work::watchers::f;\n")
        });
        let mut files: Vec<SourceFile> = own.collect();
        files.push(file("crates/edge/src/concerns/watchers.rs", "//! x\n"));
        assert_eq!(stay_in_their_rooms(&files), Vec::<String>::new());
    }
}
