//! Facts read back from a journal's line as they were collected. What a file said is not kept: its
//! text is unknown here, and the line says how long it was.

use std::collections::BTreeMap;

use model::{
    Fact, Facts, Loss, LostFile, LostKind, PathFact, PathKind, RefFact, RefKey, RepoFact,
    RevisionKey, TreeFact, Vcs, WorkFact, WorkKey,
};
use serde_json::Value;

use super::word;

/// What a line says was learned. Where it is marked `inexact`, a list was cut or a secret taken
/// out.
pub fn read(facts: &Value) -> Facts {
    Facts {
        paths: kind(facts, "paths", question, path),
        trees: kind(facts, "trees", question, tree),
        globs: kind(facts, "globs", question, |fact| {
            Fact::Known(texts(fact, "matches"))
        }),
        texts: kind(facts, "texts", question, |fact| {
            Fact::Unknown(format!("{} bytes that are not kept", number(fact, "bytes")))
        }),
        repos: kind(facts, "repos", question, |fact| {
            let none = truth(fact, "none");
            Fact::Known((!none).then(|| repo(fact)))
        }),
        work: kind(facts, "work", work_question, |fact| Fact::Known(work(fact))),
        refs: kind(facts, "refs", ref_question, |fact| {
            Fact::Known(reference(fact))
        }),
        archives: kind(facts, "archives", question, |fact| {
            Fact::Known(texts(fact, "matches"))
        }),
        obstacles: kind(facts, "obstacles", revision_question, |fact| {
            Fact::Known(files(fact, "files"))
        }),
    }
}

/// The answers of one kind.
fn kind<Q: Ord, A>(
    facts: &Value,
    name: &str,
    question: fn(&Value) -> Q,
    answer: impl Fn(&Value) -> Fact<A>,
) -> BTreeMap<Q, Fact<A>> {
    let known = |fact: &Value| match fact.get("unknown").and_then(Value::as_str) {
        Some(why) => Fact::Unknown(why.to_owned()),
        None => answer(fact),
    };
    let all = items(facts, name).iter();
    all.map(|fact| (question(fact), known(fact))).collect()
}

fn question(fact: &Value) -> String {
    text(fact, "of")
}

fn work_question(fact: &Value) -> WorkKey {
    WorkKey {
        dir: text(fact, "of"),
        paths: texts(fact, "paths"),
    }
}

fn ref_question(fact: &Value) -> RefKey {
    RefKey {
        dir: text(fact, "of"),
        name: text(fact, "name"),
        to: text(fact, "to"),
    }
}

fn revision_question(fact: &Value) -> RevisionKey {
    RevisionKey {
        dir: text(fact, "of"),
        revision: text(fact, "revision"),
    }
}

fn path(fact: &Value) -> Fact<PathFact> {
    let or_own = |name| {
        fact.get(name)
            .and_then(Value::as_str)
            .unwrap_or(word(fact, "of"))
    };
    Fact::Known(PathFact {
        kind: named(PathKind::NAMES, word(fact, "kind")).unwrap_or_default(),
        bytes: number(fact, "bytes"),
        real: or_own("real").to_owned(),
        lexical: or_own("lexical").to_owned(),
        links: number(fact, "links"),
        vcs: named(Vcs::NAMES, word(fact, "vcs")).unwrap_or(Vcs::Unknown),
        modified: number(fact, "modified"),
    })
}

fn tree(fact: &Value) -> Fact<TreeFact> {
    Fact::Known(TreeFact {
        entries: number(fact, "entries"),
        bytes: number(fact, "bytes"),
        cut: truth(fact, "cut"),
        loss: fact.get("loss").map(loss).unwrap_or_default(),
        lost: texts(fact, "lost"),
        bare: texts(fact, "bare"),
        repos: texts(fact, "repos"),
        generated: truth(fact, "generated"),
    })
}

fn repo(fact: &Value) -> RepoFact {
    RepoFact {
        root: text(fact, "root"),
        common_dir: text(fact, "common_dir"),
        branch: text(fact, "branch"),
        head: text(fact, "head"),
        upstream: text(fact, "upstream"),
        default_branch: text(fact, "default_branch"),
        stashes: small(fact, "stashes"),
        under_way: text(fact, "under_way"),
    }
}

fn work(fact: &Value) -> WorkFact {
    WorkFact {
        unstaged: files(fact, "unstaged"),
        staged: files(fact, "staged"),
        untracked: files(fact, "untracked"),
        ignored: files(fact, "ignored"),
        conflicted: texts(fact, "conflicted"),
        cut: truth(fact, "cut"),
    }
}

fn reference(fact: &Value) -> RefFact {
    RefFact {
        exists: truth(fact, "exists"),
        orphaned: small(fact, "orphaned"),
    }
}

/// What would be lost.
fn loss(loss: &Value) -> Loss {
    Loss {
        files: files(loss, "files"),
        files_total: number(loss, "total"),
        bytes: number(loss, "bytes"),
        other: texts(loss, "other"),
        more: truth(loss, "more"),
    }
}

/// What an action would lose; nothing where that is told in words, as older programs did.
pub fn known_loss(action: &Value) -> Option<Fact<Loss>> {
    match action.get("loss") {
        None => Some(Fact::Known(Loss::default())),
        Some(Value::String(_)) => None,
        Some(fields) => Some(match fields.get("unknown").and_then(Value::as_str) {
            Some(why) => Fact::Unknown(why.to_owned()),
            None => Fact::Known(loss(fields)),
        }),
    }
}

fn files(value: &Value, name: &str) -> Vec<LostFile> {
    let file = |file: &Value| LostFile {
        path: text(file, "path"),
        kind: named(LostKind::NAMES, word(file, "kind")).unwrap_or(LostKind::Outside),
        lines: file
            .get("added")
            .map(|_| (small(file, "added"), small(file, "removed"))),
    };
    items(value, name).iter().map(file).collect()
}

/// A value by its name in its table.
pub fn named<T: Copy>(names: &[(&str, T)], name: &str) -> Option<T> {
    let found = names.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| *value)
}

/// A list field.
pub fn items<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    let list = value.get(name).and_then(Value::as_array);
    list.map_or(&[], Vec::as_slice)
}

/// A list of texts.
pub fn texts(value: &Value, name: &str) -> Vec<String> {
    let texts = items(value, name).iter().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

fn text(value: &Value, name: &str) -> String {
    word(value, name).to_owned()
}

fn number(value: &Value, name: &str) -> u64 {
    value.get(name).and_then(Value::as_u64).unwrap_or_default()
}

fn small(value: &Value, name: &str) -> u32 {
    u32::try_from(number(value, name)).unwrap_or(u32::MAX)
}

fn truth(value: &Value, name: &str) -> bool {
    value.get(name).and_then(Value::as_bool).unwrap_or_default()
}
