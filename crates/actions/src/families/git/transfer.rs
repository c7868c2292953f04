//! History comes in or goes to another place: `clone`, `fetch`, `remote`, `init`, `bundle`.

use super::branch;
use super::command::{Git, Standing, assignment};
use super::loss::short;
use super::programs::runs;
use crate::command_context::CommandContext;
use crate::options::{Options, Spec, attached, flag, value};
use crate::{Arg, World};
use model::{Certainty, Fact, Flag, Flags, PathKind, RefKey, ResourceKind, Verb};
use text::path::join;

const CLONE: Spec = Spec::gnu(&[
    flag("bare"),
    flag("mirror"),
    flag("local l"),
    flag("no-local"),
    flag("no-hardlinks"),
    flag("shared s"),
    flag("quiet q"),
    flag("verbose v"),
    flag("progress"),
    flag("no-checkout n"),
    flag("single-branch"),
    flag("no-single-branch"),
    flag("no-tags"),
    flag("tags"),
    flag("dissociate"),
    flag("sparse"),
    flag("shallow-submodules"),
    flag("remote-submodules"),
    flag("also-filter-submodules"),
    flag("reject-shallow"),
    flag("ipv4 4"),
    flag("ipv6 6"),
    attached("recurse-submodules recursive"),
    value("config c"),
    value("upload-pack u"),
    value("template"),
    value("reference"),
    value("reference-if-able"),
    value("origin o"),
    value("branch b"),
    value("revision"),
    value("depth"),
    value("shallow-since"),
    value("shallow-exclude"),
    value("jobs j"),
    value("filter"),
    value("bundle-uri"),
    value("separate-git-dir"),
    value("server-option"),
    value("ref-format"),
]);

const FETCH: Spec = Spec::gnu(&[
    flag("all"),
    flag("append a"),
    flag("atomic"),
    flag("force f"),
    flag("prune p"),
    flag("prune-tags P"),
    flag("tags t"),
    flag("no-tags n"),
    flag("keep k"),
    flag("multiple"),
    flag("dry-run"),
    flag("quiet q"),
    flag("verbose v"),
    flag("unshallow"),
    flag("update-head-ok u"),
    flag("progress"),
    flag("porcelain"),
    flag("ipv4 4"),
    flag("ipv6 6"),
    flag("heads h branches"),
    flag("refs"),
    flag("symref"),
    flag("exit-code"),
    flag("get-url"),
    attached("recurse-submodules"),
    value("upload-pack exec"),
    value("depth"),
    value("deepen"),
    value("shallow-since"),
    value("shallow-exclude"),
    value("jobs j"),
    value("refmap"),
    value("filter"),
    value("server-option o"),
    value("negotiation-tip"),
    value("sort"),
]);

const INIT: Spec = Spec::gnu(&[
    flag("quiet q"),
    flag("bare"),
    value("template"),
    value("separate-git-dir"),
    value("initial-branch b"),
    value("object-format"),
    value("ref-format"),
    attached("shared"),
]);

/// `git clone`
pub(super) fn clone(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&CLONE);
    if read.asks_for_help() {
        return;
    }
    let Some(url) = read.operands.first() else {
        return;
    };
    fetched(git, world, Some(url));
    upload_pack(git, world, &read);
    let mut settings = read.values("config").map(assignment);
    let runs_some = settings.any(|setting| runs(&setting.key, &setting.value.text));
    let bare = read.has_any(&["bare", "mirror"]);
    let dir = read
        .operands
        .get(1)
        .cloned()
        .unwrap_or_else(|| default_dir(url, bare));
    made(git, world, &dir);
    if runs_some || read.has("template") {
        let mut action = git.action(Verb::Write, ResourceKind::Autorun, "");
        if let Ok(base) = &git.dir {
            action.name = join(&join(base, &dir.text), ".git/config");
        }
        git.act(world, action);
    }
}

/// The last part of the address without `.git` (git-clone(1), "directory").
fn default_dir(url: &Arg, bare: bool) -> Arg {
    let text = url.text.trim_end_matches('/').trim_end_matches("/.git");
    let name = text.rsplit(['/', ':']).next().unwrap_or_default();
    let name = name.trim_end_matches(".git");
    let text = if bare {
        format!("{name}.git")
    } else {
        name.to_owned()
    };
    Arg {
        text,
        ..url.clone()
    }
}

/// `git init`
pub(super) fn init(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&INIT);
    if read.asks_for_help() {
        return;
    }
    let here = Arg::literal(".");
    let dir = read.operands.first().unwrap_or(&here);
    made(git, world, dir);
    // The history that was here is there from now on.
    if let Some(apart) = read.value("separate-git-dir")
        && let (Some(dir), Some(apart)) = (git.target(world, dir), git.target(world, apart))
    {
        let own = join(&dir.path, ".git");
        if !world.is_missing(&own) {
            world.moved(&own, &apart.path);
        }
    }
}

/// A directory that the command makes; git refuses one that holds something else.
pub(super) fn made(git: &Git<'_>, world: &mut World<'_>, dir: &Arg) {
    let Some(target) = git.target(world, dir).filter(|_| dir.is_known()) else {
        return git.change(world);
    };
    let new = world.path(&target.path);
    let new = new
        .known()
        .is_some_and(|fact| fact.kind == PathKind::Missing);
    let mut action = git.action(Verb::Write, ResourceKind::Git, target.path.clone());
    action.zone = target.zone;
    action.flags = Flags::NONE.with_if(Flag::Creates, new);
    git.act(world, action);
    if new && target.sure != Certainty::Unknown {
        world.wrote(&target.path, None);
    }
}

/// The remote of the upstream, else the one that clone sets up.
pub(super) fn usual_remote(at: &Standing) -> String {
    let upstream = at.repo().map_or("", |repo| repo.upstream.as_str());
    let remote = upstream.split_once('/').map_or("", |(remote, _)| remote);
    if remote.is_empty() { "origin" } else { remote }.to_owned()
}

/// `git fetch`, `git ls-remote`
pub(super) fn fetch(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&FETCH);
    if read.asks_for_help() {
        return;
    }
    fetched(git, world, read.operands.first());
    upload_pack(git, world, &read);
    if read.has("dry-run") || git.name == "ls-remote" {
        return;
    }
    if read.has("prune-tags") && git.name == "fetch" {
        branch::lose_tags(git, world);
    }
    move_by_refspecs(git, world, &read);
}

/// Branches of ours that `+source:target` of a fetch or pull puts where the remote has its own.
pub(super) fn move_by_refspecs(git: &Git<'_>, world: &mut World<'_>, read: &Options) {
    let Some((remote, refspecs)) = read.operands.split_first() else {
        return;
    };
    for refspec in refspecs {
        let plus = refspec.text.strip_prefix('+');
        let (source, target) = plus
            .unwrap_or(&refspec.text)
            .split_once(':')
            .unwrap_or_default();
        let forced = read.has("force") || plus.is_some();
        if !forced || target.is_empty() || target.starts_with("refs/remotes/") {
            continue;
        }
        let at = git.standing(world);
        let to = last_seen(git, world, (&remote.text, short(source)));
        match refspec.is_known() && !target.contains('*') {
            true => git.move_branch(world, &at, (short(target), &to)),
            false => git.move_branch(world, &at, (RefKey::BRANCHES, "")),
        }
    }
}

/// Where a branch of a remote was when it was last looked at; empty if it never was, so that
/// nothing of ours is known to be in it.
fn last_seen(git: &Git<'_>, world: &mut World<'_>, (remote, branch): (&str, &str)) -> String {
    let name = format!("{remote}/{branch}");
    let fact = git.reference(world, &name, "");
    match fact {
        Fact::Known(fact) if fact.exists => name,
        _ => String::new(),
    }
}

fn upload_pack(git: &Git<'_>, world: &mut World<'_>, read: &Options) {
    if let Some(command) = read.value("upload-pack") {
        world.script(git.invocation, "git --upload-pack", command);
    }
}

/// Notes that history comes from a remote (`None` = the usual one).
pub(super) fn fetched(git: &Git<'_>, world: &mut World<'_>, remote: Option<&Arg>) {
    let name = match remote {
        Some(remote) => remote.text.clone(),
        None => usual_remote(&git.standing(world)),
    };
    let mut action = git.action(Verb::Fetch, ResourceKind::Url, name);
    if let Some(remote) = remote {
        action.certainty = remote.sure;
        helper(git, world, remote);
    }
    git.act(world, action);
}

/// An address that is a command (`ext::sh -c …`, gitremote-helpers(7)).
pub(super) fn helper(git: &Git<'_>, world: &mut World<'_>, url: &Arg) {
    if let Some(command) = url.text.strip_prefix("ext::") {
        let command = Arg {
            text: command.to_owned(),
            ..url.clone()
        };
        world.script(git.invocation, "ext::", &command);
    }
}

/// `git remote`
pub(super) fn remote(git: &Git<'_>, world: &mut World<'_>) {
    let mut words = git.args.iter().filter(|arg| !arg.text.starts_with('-'));
    match words.next().map(|arg| arg.text.as_str()) {
        None | Some("show" | "get-url") => {}
        Some("update" | "prune") => fetched(git, world, words.next()),
        Some(_) => git.change(world),
    }
}

/// `git bundle`
pub(super) fn bundle(git: &Git<'_>, world: &mut World<'_>) {
    let mut words = git.args.iter().filter(|arg| !arg.text.starts_with('-'));
    if words.next().is_some_and(|arg| arg.text == "create")
        && let Some(file) = words.next()
    {
        git.write_file(world, file);
    }
}

impl<'i> Git<'i> {
    /// A path given in the directory of the command; `None` if that is not known.
    pub(super) fn target(&self, world: &mut World<'_>, arg: &Arg) -> Option<crate::Target> {
        let absolute = self.absolute(arg)?;
        Some(world.target(&absolute))
    }

    /// A word as an absolute path; `None` if the directory is not known.
    pub(super) fn absolute(&self, arg: &Arg) -> Option<Arg> {
        let dir = self.dir.as_ref().ok()?;
        let text = join(dir, &arg.text);
        Some(Arg {
            text,
            ..arg.clone()
        })
    }

    /// A file that the command writes as a whole, not known with what.
    pub(super) fn write_file(&self, world: &mut World<'_>, file: &Arg) {
        if file.text.is_empty() || file.text == "-" {
            return;
        }
        // Without a directory the path is not known.
        let hole = Arg {
            text: Arg::HOLE.to_string(),
            sure: Certainty::Unknown,
            glob: false,
        };
        let file = self.absolute(file).unwrap_or(hole);
        let mut context = self.context(world);
        let target = context.target(&file);
        context.replace(&target, Flags::NONE, None);
    }

    /// This command as a context for actions on files.
    pub(super) fn context<'s, 'w>(&'s self, world: &'s mut World<'w>) -> CommandContext<'s, 'w> {
        let mut context = CommandContext::new(self.invocation, world);
        context.program = format!("git {}", self.name);
        context
    }
}
