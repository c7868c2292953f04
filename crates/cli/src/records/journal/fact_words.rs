//! Facts in a few words each, for people.

use model::{Fact, Facts, LostFile, PathFact, RefFact, RepoFact, TreeFact, WorkFact};
use serde_json::Value;

use super::facts::{self, items};
use super::word;

/// A fact as people are told of it.
pub struct Told {
    /// What kind of question: `path`, `work`.
    pub kind: &'static str,
    /// What was asked about.
    pub of: String,
    /// What came out.
    pub answer: String,
}

/// Everything that a line says was looked up.
pub fn all(fields: &Value) -> Vec<Told> {
    let Facts {
        paths,
        trees,
        globs,
        texts: _,
        repos,
        work,
        refs,
        archives,
        obstacles,
    } = facts::read(fields);
    let mut all = Vec::new();
    let mut add = |kind, of: String, answer| all.push(Told { kind, of, answer });
    for (path, fact) in paths {
        let answer = known(&fact, |fact| path_words(&path, fact));
        add("path", path, answer);
    }
    for (path, fact) in trees {
        add("tree", path, known(&fact, tree_words));
    }
    for (glob, fact) in globs {
        let count = |paths: &Vec<String>| format!("{} paths", paths.len());
        add("glob", glob, known(&fact, count));
    }
    // What a file said is not kept, so this is all there is to tell.
    for text in items(fields, "texts") {
        let answer = match word(text, "unknown") {
            "" => format!(
                "{} bytes {}",
                text.get("bytes").unwrap_or(&Value::Null),
                word(text, "content")
            ),
            why => format!("unknown: {why}"),
        };
        add("text", word(text, "of").to_owned(), answer);
    }
    for (dir, fact) in repos {
        let words = |repo: &Option<RepoFact>| repo.as_ref().map_or("none".into(), repo_words);
        add("repo", dir, known(&fact, words));
    }
    for (key, fact) in work {
        let of = format!("{} {}", key.dir, key.paths.join(" "));
        add("work", of, known(&fact, work_words));
    }
    for (key, fact) in refs {
        let of = format!("{} {} {}", key.dir, key.name, key.to);
        add("ref", of, known(&fact, ref_words));
    }
    for (path, fact) in archives {
        let count = |names: &Vec<String>| format!("{} files", names.len());
        add("archive", path, known(&fact, count));
    }
    for (key, fact) in obstacles {
        let of = format!("{} {}", key.dir, key.revision);
        let count = |files: &Vec<LostFile>| format!("{} in the way", files.len());
        add("obstacles", of, known(&fact, count));
    }
    all
}

fn known<T>(fact: &Fact<T>, words: impl FnOnce(&T) -> String) -> String {
    match fact {
        Fact::Known(fact) => words(fact),
        Fact::Unknown(why) => format!("unknown: {why}"),
    }
}

fn path_words(path: &str, fact: &PathFact) -> String {
    let vcs = fact.vcs.name().replace('_', "");
    let real = if fact.real == path {
        String::new()
    } else {
        format!(" -> {}", fact.real)
    };
    format!("{} {} bytes {vcs}{real}", fact.kind.name(), fact.bytes)
}

fn tree_words(tree: &TreeFact) -> String {
    let marks = [(tree.cut, " cut"), (tree.generated, " generated")];
    let marks: String = marks
        .iter()
        .filter(|(on, _)| *on)
        .map(|(_, mark)| *mark)
        .collect();
    let (entries, bytes, repos) = (tree.entries, tree.bytes, tree.repos.len());
    let lost = tree.loss.files_total;
    format!("{entries} entries {bytes} bytes {lost} lost {repos} repos{marks}")
}

fn repo_words(repo: &RepoFact) -> String {
    let head = repo.head.get(..12).unwrap_or(&repo.head);
    let words = [
        &repo.root,
        &repo.branch,
        head,
        &repo.upstream,
        &repo.under_way,
    ];
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    format!("{} stashes {}", words.join(" "), repo.stashes)
}

fn work_words(work: &WorkFact) -> String {
    let counts = [
        ("unstaged", work.unstaged.len()),
        ("staged", work.staged.len()),
        ("untracked", work.untracked.len()),
        ("ignored", work.ignored.len()),
        ("conflicted", work.conflicted.len()),
    ];
    let some = counts.iter().filter(|(_, count)| *count > 0);
    let words: Vec<String> = some
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    let cut = if work.cut { " cut" } else { "" };
    if words.is_empty() {
        format!("clean{cut}")
    } else {
        format!("{}{cut}", words.join(" "))
    }
}

fn ref_words(fact: &RefFact) -> String {
    let exists = if fact.exists { "exists" } else { "missing" };
    format!("{exists} {} orphaned", fact.orphaned)
}
