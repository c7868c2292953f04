//! `rsync`: a copy that may delete what the source lacks, and may go to another machine.

use super::overlap::{self, Overlap};
use super::relocate::Landing;
use crate::command_context::{CommandContext, base_name};
use crate::families::network;
use crate::options::{Options, Spec, attached, flag, value};
use crate::{Arg, Target};
use model::{Fact, Flag, Flags, Loss, PathKind, ResourceKind, Verb};
use text::path;

const RSYNC: Spec = Spec {
    abbreviate: false,
    ..Spec::gnu(&[
        flag("archive a r recursive"),
        flag("dry-run n"),
        flag("delete del delete-before delete-during delete-delay delete-after delete-excluded"),
        flag("delete-missing-args"),
        flag("remove-source-files"),
        flag("ignore-existing"),
        flag("existing ignore-non-existing"),
        flag("backup b"),
        flag("list-only"),
        flag("daemon server"),
        value("rsh e"),
        value("rsync-path"),
        value("filter f"),
        value("exclude"),
        value("exclude-from"),
        value("include"),
        value("include-from"),
        value("files-from"),
        value("backup-dir"),
        value("suffix"),
        value("block-size B"),
        value("temp-dir T"),
        value("compare-dest copy-dest link-dest"),
        value("chmod"),
        value("chown"),
        value("max-delete"),
        value("max-size"),
        value("min-size"),
        value("partial-dir"),
        value("timeout"),
        value("contimeout"),
        value("modify-window"),
        value("password-file"),
        value("bwlimit"),
        value("log-file"),
        value("log-file-format"),
        value("out-format"),
        value("port"),
        value("sockopts"),
        value("remote-option M"),
        value("protocol"),
        value("iconv"),
        value("usermap"),
        value("groupmap"),
        value("compress-level"),
        value("read-batch"),
        value("write-batch"),
        value("address"),
        value("debug"),
        attached("info"),
        flag("v q c R u l L k K H p E A X o g t O J N S W x z h P F y D C I i m d 4 6 U s 8 0"),
        flag("verbose quiet checksum relative update links copy-links perms executability acls"),
        flag("xattrs owner group devices specials times sparse whole-file one-file-system"),
        flag("size-only compress progress partial stats human-readable itemize-changes"),
        flag("inplace append append-verify dirs hard-links numeric-ids force mkpath fuzzy"),
        flag("prune-empty-dirs cvs-exclude ignore-errors no-motd super safe-links"),
        flag("no-perms no-owner no-group no-times no-recursive no-implied-dirs no-links"),
    ])
};

/// `rsync`
pub fn rsync(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &RSYNC);
    if options.asks_for_help() || options.has_any(&["daemon", "list-only"]) {
        return;
    }
    let given = context.invocation.var("RSYNC_RSH");
    if let Some(shell) = options.value("rsh").or(given) {
        // The host is added by rsync: what is given here is a program with options.
        let line = Arg {
            text: format!("{} host true", shell.text),
            ..shell.clone()
        };
        context.world.script(context.invocation, "rsync -e", &line);
    }
    let Some((destination, sources)) = options.operands.split_last() else {
        return;
    };
    if let Some(log) = options.value("log-file") {
        let target = context.target(log);
        context.edit(&target, Flags::NONE.with(Flag::Append));
    }
    if is_remote(&destination.text) {
        return send(context, sources, destination, &options);
    }
    let to = context.target(destination);
    for source in sources {
        receive(context, source, &to, &options);
    }
}

/// `host:path`, `user@host:path`, `host::module`, `rsync://…`; not `./a:b`.
fn is_remote(text: &str) -> bool {
    if text.starts_with("rsync://") {
        return true;
    }
    text.split_once(':')
        .is_some_and(|(host, _)| !host.is_empty() && !host.contains('/'))
}

fn send(context: &mut CommandContext<'_, '_>, sources: &[Arg], to: &Arg, options: &Options) {
    context.read_all(sources);
    let flags = Flags::NONE
        .with_if(Flag::DryRun, options.has("dry-run"))
        .with_if(Flag::Recursive, options.has("archive"));
    context.act_on(Verb::Send, (ResourceKind::Url, &to.text), flags);
    if options.has("delete") {
        network::mirror(context, sources, (to, flags));
    }
    if !flags.has(Flag::DryRun) {
        network::write_there(context, to);
    }
    if options.has("remove-source-files") && !flags.has(Flag::DryRun) {
        remove_sources(context, sources);
    }
}

/// The content is at the destination by then.
fn remove_sources(context: &mut CommandContext<'_, '_>, sources: &[Arg]) {
    for hit in context.all_hits(sources) {
        context.act(CommandContext::action(Verb::Move, &hit.target));
    }
}

fn receive(context: &mut CommandContext<'_, '_>, source: &Arg, to: &Target, options: &Options) {
    let dry = options.has("dry-run");
    let flags = Flags::NONE.with_if(Flag::DryRun, dry);
    let remote = is_remote(&source.text);
    if remote {
        context.act_on(Verb::Fetch, (ResourceKind::Url, &source.text), flags);
    } else {
        context.read(source);
    }
    let path = source.text.rsplit(':').next().filter(|_| remote);
    let from = context.target(&path.map_or(source.clone(), Arg::derived));
    // Without a slash at its end the directory itself lands inside the destination.
    let contents = source.text.ends_with('/') || source.text.ends_with("/.");
    let whole = contents || source.text == ".";
    let landed = landing(context, &from, to, whole);
    let mirrors = options.has("delete");
    let overlap = Overlap {
        replaces: !options.has_any(&["ignore-existing", "backup"]),
        mirrors,
    };
    let loss = if dry {
        Fact::Known(Loss::default())
    } else if context.kind(&landed) == Some(PathKind::File) && overlap.replaces {
        context.world.loss_of_overwrite(&landed)
    } else if remote {
        remote_loss(context, &landed, mirrors)
    } else {
        overlap.loss(context, &from, &landed)
    };
    let into = if context.kind(&landed) == Some(PathKind::File) {
        landed.clone()
    } else {
        context.filled(&landed)
    };
    if mirrors {
        let mut action = CommandContext::action(Verb::Delete, &landed);
        action.flags = flags.with(Flag::Recursive).with(Flag::Mass);
        action.loss = loss;
        context.act(action);
        context.edit(&into, flags);
    } else {
        context.put(&into, flags, loss);
    }
    if !dry && remote && context.kind(&landed) != Some(PathKind::Dir) {
        context
            .world
            .wrote(&landed.path, Some(Arg::foreign(Arg::DOWNLOADED).text));
    }
    if !dry && !remote {
        overlap::guarded(context, &from, &landed);
    }
    let moves = options.has("remove-source-files");
    if !dry && !remote {
        arrived(context, &from, &landed, options);
    }
    if moves && !dry && !remote {
        remove_sources(context, std::slice::from_ref(source));
    }
}

/// What has come to where nothing was is a copy or, without its source, the thing itself.
fn arrived(context: &mut CommandContext<'_, '_>, from: &Target, to: &Target, options: &Options) {
    let is_whole =
        !options.has_any(&["filter", "exclude", "exclude-from", "include", "files-from"])
            && options.has("archive");
    let is_room = to.is_known()
        && context.kind(to) == Some(PathKind::Missing)
        && !context.world.is_no_directory(path::parent(&to.path));
    if is_room && from.is_known() && is_whole {
        match options.has("remove-source-files") {
            true => context.world.moved(&from.path, &to.path),
            false => context.world.copied(&from.path, &to.path),
        }
    }
}

/// What a machine that is not looked at would replace is not known, unless it deletes.
fn remote_loss(context: &mut CommandContext<'_, '_>, landed: &Target, mirrors: bool) -> Fact<Loss> {
    if mirrors {
        context.world.loss_of_delete(landed, true)
    } else {
        Fact::Known(Loss::default())
    }
}

fn landing(
    context: &mut CommandContext<'_, '_>,
    from: &Target,
    to: &Target,
    whole: bool,
) -> Target {
    let mut is_dir = |target| context.kind(target) == Some(PathKind::Dir);
    let inside = !whole && !base_name(&from.path).is_empty() && (is_dir(to) || is_dir(from));
    let landing = Landing {
        target: to.clone(),
        inside,
        keeps: false,
    };
    landing.of(context, from)
}
