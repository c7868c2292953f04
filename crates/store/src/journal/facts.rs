//! Facts as they were collected, field by field, so that what was judged can be judged again. What
//! a file says is never kept, only its length and checksum. Knows no reader but the names.

use std::collections::BTreeMap;

use model::{
    Facts, Known, Loss, LostFile, PathFact, RefFact, RefKey, RepoFact, TreeFact, WorkFact, WorkKey,
};

use super::line::{Cleaner, LIST_MAX};
use crate::json::{Object, push_text};
use crate::sum::sum64;

/// Appends every fact by its kind, each with what it answers.
pub fn push(o: &mut Object<'_>, facts: &Facts, clean: &mut Cleaner) {
    let Facts {
        paths,
        trees,
        globs,
        texts,
        repos,
        work,
        refs,
    } = facts;
    push_kind(o, "paths", paths, clean);
    push_kind(o, "trees", trees, clean);
    push_kind(o, "globs", globs, clean);
    push_kind(o, "texts", texts, clean);
    push_kind(o, "repos", repos, clean);
    push_kind(o, "work", work, clean);
    push_kind(o, "refs", refs, clean);
    o.truth("inexact", clean.was_inexact());
}

/// Whether nothing was asked.
pub fn is_empty(facts: &Facts) -> bool {
    *facts == Facts::default()
}

fn push_kind<Q: Question, A: Answer<Q>>(
    o: &mut Object<'_>,
    kind: &str,
    answers: &BTreeMap<Q, Known<A>>,
    clean: &mut Cleaner,
) {
    note_total(o, kind, answers.len(), clean);
    o.list(
        kind,
        answers.iter().take(LIST_MAX),
        |out, (question, fact)| {
            Object::write(out, |o| {
                question.push(o, clean);
                match fact {
                    Known::Known(fact) => fact.push(question, o, clean),
                    Known::Unknown(why) => push_unknown(o, why, clean),
                }
            });
        },
    );
}

/// Why something was not learned; never nothing.
pub fn push_unknown(o: &mut Object<'_>, why: &str, clean: &mut Cleaner) {
    let why = if why.is_empty() { "?" } else { why };
    o.text("unknown", &clean.exact(why));
}

/// What was asked, as the first fields of its answer.
trait Question {
    fn push(&self, o: &mut Object<'_>, clean: &mut Cleaner);
}

impl Question for String {
    fn push(&self, o: &mut Object<'_>, clean: &mut Cleaner) {
        o.text("of", &clean.exact(self));
    }
}

impl Question for WorkKey {
    fn push(&self, o: &mut Object<'_>, clean: &mut Cleaner) {
        o.text("of", &clean.exact(&self.dir));
        push_texts(o, "paths", &self.paths, clean);
    }
}

impl Question for RefKey {
    fn push(&self, o: &mut Object<'_>, clean: &mut Cleaner) {
        o.text("of", &clean.exact(&self.dir));
        o.text("name", &clean.exact(&self.name));
        o.text("to", &clean.exact(&self.to));
    }
}

/// What was learned, as fields. Zeros and empty texts are left out.
trait Answer<Q> {
    fn push(&self, question: &Q, o: &mut Object<'_>, clean: &mut Cleaner);
}

impl Answer<String> for PathFact {
    fn push(&self, path: &String, o: &mut Object<'_>, clean: &mut Cleaner) {
        o.text("kind", self.kind.name());
        push_count(o, "bytes", self.bytes);
        push_count(o, "links", self.links);
        o.text("vcs", self.vcs.name());
        // Most paths are where they say.
        for (name, other) in [("real", &self.real), ("lexical", &self.lexical)] {
            if other != path {
                o.text(name, &clean.exact(other));
            }
        }
    }
}

impl Answer<String> for TreeFact {
    fn push(&self, _: &String, o: &mut Object<'_>, clean: &mut Cleaner) {
        push_count(o, "entries", self.entries);
        push_count(o, "bytes", self.bytes);
        o.truth("cut", self.cut);
        o.truth("generated", self.generated);
        push_loss(o, &self.loss, clean);
        push_texts(o, "lost", &self.lost, clean);
        push_texts(o, "bare", &self.bare, clean);
        push_texts(o, "repos", &self.repos, clean);
    }
}

impl Answer<String> for Vec<String> {
    fn push(&self, _: &String, o: &mut Object<'_>, clean: &mut Cleaner) {
        push_texts(o, "matches", self, clean);
    }
}

impl Answer<String> for String {
    fn push(&self, _: &String, o: &mut Object<'_>, _: &mut Cleaner) {
        o.number("bytes", self.len() as u64);
        o.hash("content", sum64(self.as_bytes()));
    }
}

impl Answer<String> for Option<RepoFact> {
    fn push(&self, _: &String, o: &mut Object<'_>, clean: &mut Cleaner) {
        let Some(repo) = self else {
            return o.truth("none", true);
        };
        for (name, text) in [
            ("root", &repo.root),
            ("common_dir", &repo.common_dir),
            ("branch", &repo.branch),
            ("head", &repo.head),
            ("upstream", &repo.upstream),
            ("default_branch", &repo.default_branch),
            ("under_way", &repo.under_way),
        ] {
            o.text(name, &clean.exact(text));
        }
        push_count(o, "stashes", repo.stashes.into());
    }
}

impl Answer<WorkKey> for WorkFact {
    fn push(&self, _: &WorkKey, o: &mut Object<'_>, clean: &mut Cleaner) {
        for (name, files) in [
            ("unstaged", &self.unstaged),
            ("staged", &self.staged),
            ("untracked", &self.untracked),
            ("ignored", &self.ignored),
        ] {
            push_files(o, name, files, clean);
        }
        push_texts(o, "conflicted", &self.conflicted, clean);
        o.truth("cut", self.cut);
    }
}

impl Answer<RefKey> for RefFact {
    fn push(&self, _: &RefKey, o: &mut Object<'_>, _: &mut Cleaner) {
        o.truth("exists", self.exists);
        push_count(o, "orphaned", self.orphaned.into());
    }
}

/// What would be lost, if anything.
pub fn push_loss(o: &mut Object<'_>, loss: &Loss, clean: &mut Cleaner) {
    if *loss == Loss::default() {
        return;
    }
    o.object("loss", |o| {
        push_count(o, "total", loss.files_total);
        push_count(o, "bytes", loss.bytes);
        push_files(o, "files", &loss.files, clean);
        push_texts(o, "other", &loss.other, clean);
        o.truth("more", loss.more);
    });
}

fn push_files(o: &mut Object<'_>, name: &str, files: &[LostFile], clean: &mut Cleaner) {
    note_total(o, name, files.len(), clean);
    o.list(name, files.iter().take(LIST_MAX), |out, file| {
        Object::write(out, |o| {
            o.text("path", &clean.exact(&file.path));
            o.text("kind", file.kind.name());
            if let Some((added, removed)) = file.lines {
                o.number("added", added.into());
                o.number("removed", removed.into());
            }
        });
    });
}

/// A list of texts as they stand.
pub fn push_texts(o: &mut Object<'_>, name: &str, texts: &[String], clean: &mut Cleaner) {
    note_total(o, name, texts.len(), clean);
    o.list(name, texts.iter().take(LIST_MAX), |out, text| {
        push_text(out, &clean.exact(text));
    });
}

/// How long a list is of which only the beginning is kept.
fn note_total(o: &mut Object<'_>, name: &str, count: usize, clean: &mut Cleaner) {
    if count > LIST_MAX {
        o.number(&[name, "_total"].concat(), count as u64);
        clean.note_cut();
    }
}

fn push_count(o: &mut Object<'_>, name: &str, count: u64) {
    if count > 0 {
        o.number(name, count);
    }
}
