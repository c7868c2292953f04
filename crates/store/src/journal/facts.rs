//! Facts in a few words each, as the journal keeps them. What a file says is never kept.

use model::{Facts, Known, PathFact, RefFact, RepoFact, TreeFact, WorkFact};

use crate::sum::sum64;

/// Question and answer, for every fact that was collected.
#[must_use]
pub fn short(facts: &Facts) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut add = |kind: &str, question: &str, answer: String| {
        all.push((format!("{kind} {question}"), answer));
    };
    for (path, fact) in &facts.paths {
        add("path", path, known(fact, |fact| path_words(path, fact)));
    }
    for (path, fact) in &facts.trees {
        add("tree", path, known(fact, tree_words));
    }
    for (glob, fact) in &facts.globs {
        add(
            "glob",
            glob,
            known(fact, |paths| format!("{} paths", paths.len())),
        );
    }
    for (path, fact) in &facts.texts {
        add("text", path, known(fact, |text| text_words(text)));
    }
    for (dir, fact) in &facts.repos {
        add(
            "repo",
            dir,
            known(fact, |repo| repo.as_ref().map_or("none".into(), repo_words)),
        );
    }
    for (key, fact) in &facts.work {
        add(
            "work",
            &format!("{} {}", key.dir, key.paths.join(" ")),
            known(fact, work_words),
        );
    }
    for (key, fact) in &facts.refs {
        let question = format!("{} {} {}", key.dir, key.name, key.to);
        add("ref", &question, known(fact, ref_words));
    }
    all
}

fn known<T>(fact: &Known<T>, words: impl FnOnce(&T) -> String) -> String {
    match fact {
        Known::Known(fact) => words(fact),
        Known::Unknown(why) => format!("unknown: {why}"),
    }
}

fn path_words(path: &str, fact: &PathFact) -> String {
    let kind = format!("{:?}", fact.kind).to_lowercase();
    let vcs = format!("{:?}", fact.vcs).to_lowercase();
    let real = if fact.real == path {
        String::new()
    } else {
        format!(" -> {}", fact.real)
    };
    format!("{kind} {} bytes {vcs}{real}", fact.bytes)
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

fn text_words(text: &str) -> String {
    format!("{} bytes {:016x}", text.len(), sum64(text.as_bytes()))
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
