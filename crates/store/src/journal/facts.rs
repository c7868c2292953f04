//! Facts as they were collected, field by field, so that what was judged can be judged again. What
//! a file says is never kept, only its length and checksum. Every field is named, so that none is
//! forgotten. Knows no reader.

use std::collections::BTreeMap;

use model::{
    Fact, Facts, Loss, LostFile, PathFact, RefFact, RefKey, RepoFact, RevisionKey, TreeFact,
    WorkFact, WorkKey,
};

use super::line::{Cleaner, LIST_MAX};
use crate::json::{Object, push_text};
use model::sum64;

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
        archives,
        obstacles,
    } = facts;
    push_kind(o, "paths", paths, clean);
    push_kind(o, "trees", trees, clean);
    push_kind(o, "globs", globs, clean);
    push_kind(o, "texts", texts, clean);
    push_kind(o, "repos", repos, clean);
    push_kind(o, "work", work, clean);
    push_kind(o, "refs", refs, clean);
    push_kind(o, "archives", archives, clean);
    push_kind(o, "obstacles", obstacles, clean);
    o.truth("inexact", clean.was_inexact());
}

/// Whether nothing was asked.
pub fn is_empty(facts: &Facts) -> bool {
    *facts == Facts::default()
}

fn push_kind<Q: Question, A: Answer<Q>>(
    o: &mut Object<'_>,
    kind: &str,
    answers: &BTreeMap<Q, Fact<A>>,
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
                    Fact::Known(fact) => fact.push(question, o, clean),
                    Fact::Unknown(why) => push_unknown(o, why, clean),
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

impl Question for RevisionKey {
    fn push(&self, o: &mut Object<'_>, clean: &mut Cleaner) {
        o.text("of", &clean.exact(&self.dir));
        o.text("revision", &clean.exact(&self.revision));
    }
}

/// What was learned, as fields. Zeros and empty texts are left out.
trait Answer<Q> {
    fn push(&self, question: &Q, o: &mut Object<'_>, clean: &mut Cleaner);
}

impl Answer<String> for PathFact {
    fn push(&self, path: &String, o: &mut Object<'_>, clean: &mut Cleaner) {
        let Self {
            kind,
            bytes,
            real,
            lexical,
            links,
            vcs,
            modified,
        } = self;
        o.text("kind", kind.name());
        push_count(o, "bytes", *bytes);
        push_count(o, "links", *links);
        o.text("vcs", vcs.name());
        push_count(o, "modified", *modified);
        // Most paths are where they say.
        for (name, other) in [("real", real), ("lexical", lexical)] {
            if other != path {
                o.text(name, &clean.exact(other));
            }
        }
    }
}

impl Answer<String> for TreeFact {
    fn push(&self, _: &String, o: &mut Object<'_>, clean: &mut Cleaner) {
        let Self {
            entries,
            bytes,
            cut,
            loss,
            lost,
            bare,
            repos,
            generated,
        } = self;
        push_count(o, "entries", *entries);
        push_count(o, "bytes", *bytes);
        o.truth("cut", *cut);
        o.truth("generated", *generated);
        push_loss(o, loss, clean);
        push_texts(o, "lost", lost, clean);
        push_texts(o, "bare", bare, clean);
        push_texts(o, "repos", repos, clean);
    }
}

impl Answer<String> for Vec<String> {
    fn push(&self, _: &String, o: &mut Object<'_>, clean: &mut Cleaner) {
        push_texts(o, "matches", self, clean);
    }
}

impl Answer<RevisionKey> for Vec<LostFile> {
    fn push(&self, _: &RevisionKey, o: &mut Object<'_>, clean: &mut Cleaner) {
        push_files(o, "files", self, clean);
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
        let RepoFact {
            root,
            common_dir,
            branch,
            head,
            upstream,
            default_branch,
            stashes,
            under_way,
        } = repo;
        for (name, text) in [
            ("root", root),
            ("common_dir", common_dir),
            ("branch", branch),
            ("head", head),
            ("upstream", upstream),
            ("default_branch", default_branch),
            ("under_way", under_way),
        ] {
            o.text(name, &clean.exact(text));
        }
        push_count(o, "stashes", u64::from(*stashes));
    }
}

impl Answer<WorkKey> for WorkFact {
    fn push(&self, _: &WorkKey, o: &mut Object<'_>, clean: &mut Cleaner) {
        let Self {
            unstaged,
            staged,
            untracked,
            ignored,
            conflicted,
            cut,
        } = self;
        push_files(o, "unstaged", unstaged, clean);
        push_files(o, "staged", staged, clean);
        push_files(o, "untracked", untracked, clean);
        push_files(o, "ignored", ignored, clean);
        push_texts(o, "conflicted", conflicted, clean);
        o.truth("cut", *cut);
    }
}

impl Answer<RefKey> for RefFact {
    fn push(&self, _: &RefKey, o: &mut Object<'_>, _: &mut Cleaner) {
        let Self { exists, orphaned } = self;
        o.truth("exists", *exists);
        push_count(o, "orphaned", u64::from(*orphaned));
    }
}

/// What would be lost, if anything.
pub fn push_loss(o: &mut Object<'_>, loss: &Loss, clean: &mut Cleaner) {
    if *loss == Loss::default() {
        return;
    }
    let Loss {
        files,
        files_total,
        bytes,
        other,
        more,
    } = loss;
    o.object("loss", |o| {
        push_count(o, "total", *files_total);
        push_count(o, "bytes", *bytes);
        push_files(o, "files", files, clean);
        push_texts(o, "other", other, clean);
        o.truth("more", *more);
    });
}

fn push_files(o: &mut Object<'_>, name: &str, files: &[LostFile], clean: &mut Cleaner) {
    note_total(o, name, files.len(), clean);
    o.list(name, files.iter().take(LIST_MAX), |out, file| {
        Object::write(out, |o| {
            let LostFile { path, kind, lines } = file;
            o.text("path", &clean.exact(path));
            o.text("kind", kind.name());
            if let Some((added, removed)) = *lines {
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
