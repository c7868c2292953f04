//! An archive is unpacked: which files it puts where, and what they replace.
//!
//! Knows no program and no option.

use super::overlap::{self, Overlap, at_risk};
use crate::command_context::CommandContext;
use crate::world::sum;
use crate::{Arg, Input, Packed, PackedAs, Target};
use model::{Certainty, Fact, Flags, Loss, LostKind, PathKind, Zone, fnv64};
use std::collections::BTreeSet;
use text::{glob, path};

/// Most files that are looked up one by one; of more, those that would be lost are looked for.
const LOOKED_UP_MAX: usize = 48;

/// How an archive is unpacked.
pub(super) struct Unpacking<'a> {
    dir: &'a Target,
    /// `None` = what comes in.
    archive: Option<&'a Arg>,
    /// Only these members; none = all.
    pub(super) only: &'a [Arg],
    /// So many directories of each name are left out.
    pub(super) strip: usize,
    /// What is there stays.
    pub(super) keeps: bool,
    /// Whether files may be replaced by what is not known at all.
    pub(super) is_blind: bool,
}

impl<'a> Unpacking<'a> {
    /// All of it, over what is there.
    pub(super) fn of(dir: &'a Target, archive: Option<&'a Arg>) -> Self {
        Self {
            dir,
            archive,
            only: &[],
            strip: 0,
            keeps: false,
            is_blind: false,
        }
    }

    /// Says what is written and what that replaces. An archive that cannot be looked into lands
    /// somewhere in the directory.
    pub(super) fn unpack(&self, context: &mut CommandContext<'_, '_>) {
        let mut target = context.filled(self.dir);
        self.guard(context);
        if self.is_downloaded(context) && self.dir.is_known() {
            context.world.downloaded_into(&self.dir.path);
        }
        let loss = match self.keeps || target.zone == Zone::Temp {
            true => Fact::Known(Loss::default()),
            false => self.loss(context),
        };
        target.sure = target.sure.max(Certainty::Derived);
        context.put(&target, Flags::NONE, loss);
    }

    /// Whether the archive was downloaded a moment ago.
    fn is_downloaded(&self, context: &mut CommandContext<'_, '_>) -> bool {
        let file = match (self.archive, &context.invocation.input) {
            (None, Input::Download(_)) => return true,
            (None, Input::Text(text)) => return text.text.contains(Arg::DOWNLOADED),
            (Some(file), _) | (None, Input::File(file)) => file.clone(),
            _ => return false,
        };
        let archive = context.target(&file);
        context.world.is_written(&archive.path)
            && matches!(context.world.text(&archive.path),
                Fact::Known(text) if text.contains(Arg::DOWNLOADED))
    }

    /// Names what of the gate's own the archive holds, or may hold.
    fn guard(&self, context: &mut CommandContext<'_, '_>) {
        let file = match (self.archive, &context.invocation.input) {
            (Some(file), _) | (None, Input::File(file)) => file.clone(),
            (None, Input::Packed(packed)) => return self.guard_packed(context, &packed.clone()),
            (None, _) => match expanded(context) {
                Some(file) => file,
                None => return context.fill_blindly(self.dir),
            },
        };
        let archive = context.target(&file);
        if context.kind(&archive) == Some(PathKind::Missing) {
            return;
        }
        match context.world.archive(&archive.path) {
            Fact::Known(names) => {
                for path in names.iter().filter_map(|name| self.lands(name)) {
                    if context.world.is_own(&path) {
                        let target = context.world.target(&Arg::derived(path));
                        context.edit(&target, Flags::NONE);
                    }
                }
            }
            Fact::Unknown(_) => context.fill_blindly(self.dir),
        }
    }

    fn guard_packed(&self, context: &mut CommandContext<'_, '_>, packed: &Packed) {
        if packed.form == PackedAs::Unplaced {
            return self.guard_named(context, &packed.names);
        }
        let from = context.world.target(&Arg::literal(packed.dir.clone()));
        if packed.names.is_empty() {
            return overlap::guarded(context, &from, self.dir);
        }
        for name in &packed.names {
            let (from, to) = (context.inside(&from, name), context.inside(self.dir, name));
            if context.world.is_own(&to.path) && from.path != to.path {
                context.edit(&to, Flags::NONE);
            }
            overlap::guarded(context, &from, &to);
        }
    }

    /// Files and trees of these names come from a place that nobody knows.
    fn guard_named(&self, context: &mut CommandContext<'_, '_>, names: &[String]) {
        for name in names {
            let to = context.inside(self.dir, name);
            if context.world.is_own(&to.path) {
                context.edit(&to, Flags::NONE);
            } else if let Some(path) = context.world.own_standing(&to.path, |_| true) {
                let own = context.world.target(&Arg::derived(path));
                context.edit(&own, Flags::NONE);
            }
        }
        let is_all = |name: &String| name.trim_matches(['.', '/']).is_empty();
        if names.is_empty() || names.iter().any(is_all) {
            context.fill_blindly(self.dir);
        }
    }

    fn loss(&self, context: &mut CommandContext<'_, '_>) -> Fact<Loss> {
        if self.dir.path.is_empty() || !self.dir.is_known() {
            return Fact::Unknown("where it lands is not known".into());
        }
        let file = match (self.archive, &context.invocation.input) {
            (Some(file), _) | (None, Input::File(file)) => file.clone(),
            (None, Input::Packed(packed)) if packed.form != PackedAs::Unplaced => {
                return self.loss_of_packed(context, &packed.clone());
            }
            (None, _) => match expanded(context) {
                Some(file) => file,
                None if self.is_blind => return blind(context, self.dir),
                None => return Fact::Unknown("what comes in is not known".into()),
            },
        };
        let archive = context.target(&file);
        if !archive.is_known() {
            return Fact::Unknown("which archive is not known".into());
        }
        match context.world.archive(&archive.path) {
            Fact::Known(names) => {
                let paths: BTreeSet<String> =
                    names.iter().filter_map(|name| self.lands(name)).collect();
                replaced(context, self.dir, &paths)
            }
            Fact::Unknown(_) if self.is_blind => blind(context, self.dir),
            Fact::Unknown(why) => Fact::Unknown(why),
        }
    }

    /// Where a member lands; `None` if it is none of those that are wanted.
    fn lands(&self, name: &str) -> Option<String> {
        let plain = name.trim_start_matches("./").trim_start_matches('/');
        let is_wanted = |only: &Arg| {
            let only = only.text.trim_start_matches("./").trim_end_matches('/');
            let is_below = plain
                .strip_prefix(only)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
            is_below || only.contains(Arg::HOLE) || glob::DOTGLOB.matches_name(only, plain)
        };
        if !self.only.is_empty() && !self.only.iter().any(is_wanted) {
            return None;
        }
        let mut parts = plain.splitn(self.strip + 1, '/');
        let rest = parts.nth(self.strip).filter(|rest| !rest.is_empty())?;
        Some(path::join(&self.dir.path, rest))
    }

    /// What was packed a moment ago is still where it was.
    fn loss_of_packed(&self, context: &mut CommandContext<'_, '_>, packed: &Packed) -> Fact<Loss> {
        let from = context.world.target(&Arg::literal(packed.dir.clone()));
        match packed.form {
            PackedAs::Committed if from.path == self.dir.path => {
                return taken_back(context, packed);
            }
            PackedAs::Files | PackedAs::Committed => {}
            _ => return Fact::Unknown("a patch is no archive".into()),
        }
        if packed.names.is_empty() {
            return Overlap::PUT.loss(context, &from, self.dir);
        }
        let mut losses = Vec::new();
        for name in &packed.names {
            let from = context.inside(&from, name);
            let to = context.inside(self.dir, name);
            if from.path == to.path {
                continue;
            }
            losses.push(match context.is_dir(&from) {
                Some(true) => Overlap::PUT.loss(context, &from, &to),
                _ => context.world.loss_of_overwrite(&to),
            });
        }
        sum(losses.into_iter())
    }
}

/// The archive whose content comes in from a program that expands it (`zcat a.tgz | tar x`).
fn expanded(context: &CommandContext<'_, '_>) -> Option<Arg> {
    match &context.invocation.input {
        Input::Text(text) if text.text.contains(Arg::DECODED) && text.is_hidden() => {
            context.world.expanded.clone().map(Arg::derived)
        }
        _ => None,
    }
}

/// What of these files is lost when others take their places.
fn replaced(
    context: &mut CommandContext<'_, '_>,
    dir: &Target,
    paths: &BTreeSet<String>,
) -> Fact<Loss> {
    if paths.len() <= LOOKED_UP_MAX {
        let each = paths.iter().map(|path| {
            let target = context.world.target(&Arg::derived(path.clone()));
            context.world.loss_of_overwrite(&target)
        });
        return sum(each.collect::<Vec<_>>().into_iter());
    }
    chosen(context, dir, |path, _| paths.contains(path))
}

/// Changes of what git tracks are taken back by a patch of them.
pub(super) fn take_back(context: &mut CommandContext<'_, '_>, packed: &Packed) {
    let loss = taken_back(context, packed);
    let dir = context.world.target(&Arg::literal(packed.dir.clone()));
    let dir = context.filled(&dir);
    context.put(&dir, Flags::NONE, loss);
}

/// What git tracks is as it was committed again.
fn taken_back(context: &mut CommandContext<'_, '_>, packed: &Packed) -> Fact<Loss> {
    let names: Vec<String> = packed
        .names
        .iter()
        .map(|name| path::join(&packed.dir, name))
        .collect();
    let dir = context.world.target(&Arg::literal(packed.dir.clone()));
    chosen(context, &dir, |path, kind| {
        // What is named is in the archive, whether git tracks it here or not.
        let is_named = names.iter().any(|name| path::is_within(path, name));
        is_named || names.is_empty() && kind == LostKind::Modified
    })
}

/// Anything may be replaced.
fn blind(context: &mut CommandContext<'_, '_>, dir: &Target) -> Fact<Loss> {
    chosen(context, dir, |_, _| true)
}

/// The loss of those files below a directory that exist nowhere else and are meant.
fn chosen(
    context: &mut CommandContext<'_, '_>,
    dir: &Target,
    is_meant: impl Fn(&String, LostKind) -> bool,
) -> Fact<Loss> {
    let files = match at_risk(context, dir) {
        Fact::Known(files) => files,
        Fact::Unknown(why) => return Fact::Unknown(why),
    };
    let mut loss = Loss::default();
    for found in files {
        let is_seen = context
            .world
            .place()
            .read_paths
            .contains(&fnv64(found.path.as_bytes()));
        if !is_meant(&found.path, found.file.kind) || is_seen {
            continue;
        }
        context.world.back_up_listed(&found.path);
        if !context.world.is_born(&found.path) {
            loss.add(&Loss {
                files: vec![found.file],
                files_total: 1,
                ..Loss::default()
            });
        }
    }
    Fact::Known(loss)
}
