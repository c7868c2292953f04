//! Files that git does not track, where a revision has its own: ignored ones are written over
//! without a word, all of them where a command is forced.
//!
//! Knows no subcommand.

use super::command::{Git, Standing};
use super::pathspec::Pathspecs;
use crate::{Arg, World};
use model::{Fact, Flag, LOSS_SHOWN_MAX, Loss, LostKind, ResourceKind, RevisionKey, Verb};
use text::path::join;

/// What comes into the work tree.
pub(super) struct Incoming<'a> {
    /// A commit, or a range whose new files come.
    revision: String,
    /// Where.
    paths: &'a Pathspecs,
    /// Whether new files are written over too, and not only ignored ones.
    forced: bool,
}

impl<'a> Incoming<'a> {
    /// All files of a commit.
    pub(super) fn all_of(revision: &str, paths: &'a Pathspecs) -> Self {
        let revision = match revision {
            "-" => "@{-1}",
            other => other,
        };
        Self {
            revision: revision.to_owned(),
            paths,
            forced: false,
        }
    }

    /// What a commit has that is not in the history of ours.
    pub(super) fn merged(revision: &str, paths: &'a Pathspecs) -> Self {
        Self::all_of(&format!("HEAD...{revision}"), paths)
    }

    /// What a commit adds to the one before it, or takes away.
    pub(super) fn step(revision: &str, backwards: bool, paths: &'a Pathspecs) -> Self {
        let range = match (revision.split_once(".."), backwards) {
            (None, false) => format!("{revision}^..{revision}"),
            (None, true) => format!("{revision}..{revision}^"),
            (Some(_), false) => revision.to_owned(),
            (Some((from, to)), true) => format!("{to}..{from}"),
        };
        Self::all_of(&range, paths)
    }

    /// By force, if so.
    pub(super) fn forced_if(mut self, forced: bool) -> Self {
        self.forced = forced;
        self
    }
}

impl Git<'_> {
    /// Notes what would be written over. What is not known is not counted: git refuses most of it.
    pub(super) fn write_over(&self, world: &mut World<'_>, at: &Standing, incoming: &Incoming<'_>) {
        let revision = &incoming.revision;
        if at.repo().is_none() || revision.is_empty() || revision.contains(Arg::HOLE) {
            return;
        }
        let key = RevisionKey {
            dir: at.root.clone(),
            revision: revision.clone(),
        };
        let Fact::Known(mut files) = world.obstacles(key, &at.root) else {
            return;
        };
        files.retain(|file| {
            let is_taken = incoming.forced || file.kind == LostKind::Ignored;
            let path = join(&at.root, file.path.trim_end_matches('/'));
            is_taken && incoming.paths.mean(&path)
        });
        if files.is_empty() {
            return;
        }
        for file in &files {
            world.back_up_listed(&format!("{}/{}", at.root, file.path));
        }
        let files_total = files.len() as u64;
        files.truncate(LOSS_SHOWN_MAX);
        let mut action = self.action(Verb::Discard, ResourceKind::Git, at.root.clone());
        action.flags = action.flags.with_if(Flag::Force, incoming.forced);
        action.loss = Fact::Known(Loss {
            files,
            files_total,
            ..Loss::default()
        });
        self.act(world, action);
    }
}
