//! A file is written, whoever does it: a redirection, a tool, a patch, a program.
//!
//! Owns what a write says (flags, loss, what undo has to keep) and what later commands of the call
//! find at the path. Both may lie apart: a redirection opens its file before the command runs and
//! fills it with what the command prints.

use crate::world::Held;
use crate::{Invocation, Packed, PackedAs, Target, World};
use model::{Action, Certainty, Fact, Flag, Loss, PathKind, ResourceKind, Verb, Zone};
use text::path;

/// What becomes of a file's content.
#[derive(Debug, Clone)]
pub(crate) enum Change<'t> {
    /// It is replaced as a whole, by this text if it is known.
    Replace(Option<String>),
    /// It is replaced by what another file holds.
    Copy(&'t Target),
    /// The path becomes another name of a file: what empties the one empties the other.
    Share(&'t Target),
    /// The path becomes a link to a file, which leads nowhere once that is gone.
    Link(&'t Target),
    /// This text is added to its end.
    Append(Option<&'t str>),
    /// If nothing is there, it is made, with this text if it is known; what is there stays.
    Make(Option<String>),
    /// A part of it changes.
    Edit,
    /// It stays, as far as is known.
    Keep,
    /// What goes was added up by who knows the files.
    Counted(Fact<Loss>),
}

/// A write that is about to be said.
pub(crate) struct Write<'t> {
    pub(crate) target: &'t Target,
    pub(crate) change: Change<'t>,
    /// The action as far as the writer says it.
    pub(crate) action: Action,
}

impl<'t> Write<'t> {
    /// A write of which nothing else is said.
    pub(crate) fn new(target: &'t Target, change: Change<'t>) -> Self {
        Self {
            target,
            change,
            action: target.action(Verb::Write),
        }
    }

    /// A redirection of what was made of the file itself.
    pub(crate) fn rewritten(target: &'t Target) -> Self {
        let mut write = Self::new(target, Change::Edit);
        write.action.flags = write.action.flags.with(Flag::Truncate);
        write.action.argv = vec![">".to_owned(), target.path.clone()];
        write
    }

    /// A write by `>` or `>>`, or what amounts to it: the text is not known.
    pub(crate) fn redirected(target: &'t Target, appends: bool) -> Self {
        let change = match appends {
            true => Change::Append(None),
            false => Change::Replace(None),
        };
        let mut write = Self::new(target, change);
        write.action.argv = vec![">".to_owned(), target.path.clone()];
        write
    }
}

/// Writes a file. Writing to a sink is nothing.
pub(crate) fn write(world: &mut World<'_>, invocation: &Invocation, write: Write<'_>) {
    let target = write.target;
    if target.zone == Zone::Sink {
        return;
    }
    let copied = match &write.change {
        Change::Copy(from) => Some(*from),
        _ => None,
    };
    let change = match (open(world, invocation, write), copied) {
        // What settings say afterwards matters, be it an edit.
        (Change::Edit, Some(from)) if (world.place.settings.is_one)(&target.path) => {
            Change::Copy(from)
        }
        (change, _) => change,
    };
    fill(world, target, change);
}

/// Puts a write on the list; what becomes of the content has still to be told by [`fill`].
pub(crate) fn open<'t>(
    world: &mut World<'_>,
    invocation: &Invocation,
    write: Write<'t>,
) -> Change<'t> {
    let Write {
        target,
        mut change,
        mut action,
    } = write;
    if let Change::Copy(from) = &change
        && world.rewrites.is_draft_of(&from.path, &target.path)
    {
        change = Change::Edit;
    }
    match &mut change {
        Change::Replace(_) | Change::Copy(_) | Change::Share(_) | Change::Link(_) => {
            action.flags = action.flags.with(Flag::Truncate);
            action.loss = world.loss_of_overwrite(target);
            // Writing the same again loses nothing.
            if let Change::Copy(from) = &change
                && loses_some(&action.loss)
                && (world.is_put_back(&from.path, &target.path) || world.is_equal(from, target))
            {
                action.loss = Fact::Known(Loss::default());
            }
        }
        Change::Append(_) => action.flags = action.flags.with(Flag::Append),
        Change::Edit => world.back_up_change(target),
        Change::Make(_) | Change::Keep => {}
        Change::Counted(loss) => {
            action.loss = std::mem::replace(loss, Fact::Known(Loss::default()));
        }
    }
    world.act(invocation, action);
    // A second name makes nothing: what it stands for is as old as it was.
    if matches!(change, Change::Share(_))
        && let Some(action) = world.analysis.actions.last_mut()
    {
        action.flags = action.flags.without(Flag::Creates);
    }
    change
}

/// Whether something is known to be lost.
pub(crate) fn loses_some(loss: &Fact<Loss>) -> bool {
    loss.known().is_some_and(|loss| !loss.is_nothing())
}

/// Actions on files of which only a directory is known that holds them all: what would be lost is
/// at most all that is in it, and what is git's own is so whichever it is.
pub(crate) fn bound(world: &mut World<'_>, since: usize, dir: &Target) {
    if dir.path.is_empty() {
        return;
    }
    let is_unknown = |action: &Action| {
        action.verb == Verb::Write && action.name.is_empty() && action.kind == ResourceKind::File
    };
    let of_git = path::ancestors(&dir.path)
        .chain(std::iter::once(dir.path.as_str()))
        .any(|dir| path::file_name(dir) == ".git");
    for at in since..world.analysis.actions.len() {
        let found = world
            .analysis
            .actions
            .get(at)
            .filter(|action| is_unknown(action));
        let Some(replaces) = found.map(|action| action.flags.has(Flag::Truncate)) else {
            continue;
        };
        let whole = Target {
            sure: Certainty::Derived,
            ..dir.clone()
        };
        let loss = replaces.then(|| world.loss_of_delete(&whole, true));
        if let Some(action) = world.analysis.actions.get_mut(at) {
            action.loss = loss.unwrap_or_else(|| action.loss.clone());
            if of_git {
                action.name.clone_from(&dir.path);
            }
        }
    }
}

/// Tells what a file holds from here on. What was edited still holds most of what it held: that is
/// the graver reading, for a script that is run next as for a file that is deleted next.
pub(crate) fn fill(world: &mut World<'_>, target: &Target, change: Change<'_>) {
    let path = target.path.as_str();
    if !target.is_known() {
        return;
    }
    let is_name = matches!(change, Change::Share(_));
    match change {
        Change::Replace(text) => world.wrote(path, text),
        Change::Copy(_) if world.is_no_directory(path::parent(path)) => {}
        Change::Copy(from) if from.is_known() => world.copied(&from.path, path),
        Change::Share(from) | Change::Link(from) if from.is_known() => {
            let shared = world.path(&from.path);
            // Below a directory each file is shared, which is more than one link.
            match shared
                .known()
                .is_some_and(|fact| fact.kind == PathKind::Dir)
            {
                true => world.wrote(path, None),
                false => world.linked(path, &from.path),
            }
            if is_name {
                world.named(path, &from.path);
            }
        }
        Change::Share(_) | Change::Link(_) => world.wrote(path, None),
        Change::Append(text) => world.appended(path, text),
        Change::Make(text) if world.is_missing(path) => world.wrote(path, text),
        Change::Edit if world.is_missing(path) => world.wrote(path, None),
        Change::Copy(_) | Change::Make(_) | Change::Edit | Change::Keep | Change::Counted(_) => {}
    }
}

/// A patch of uncommitted work is in a file now: with it the work can be had back, as long as the
/// file is there.
pub(crate) fn keep_patch(world: &mut World<'_>, packed: &Packed, file: &Target) {
    let held = match packed.form {
        PackedAs::PatchOfFiles => Held::Files,
        PackedAs::PatchOfIndex => Held::Index,
        PackedAs::PatchOfBoth => Held::Both,
        PackedAs::Files | PackedAs::Unplaced | PackedAs::Committed | PackedAs::PatchBack => return,
    };
    if file.is_known() {
        world.saved_in_patch(packed, &file.path, held);
    }
}
