//! `git push` and `git send-email`: history is handed to others.

use super::command::{Git, Standing};
use super::loss::short;
use super::transfer::{helper, usual_remote};
use crate::options::{Options, Spec, attached, flag, value};
use crate::world::is_secret;
use crate::{Arg, World};
use model::{Action, Certainty, Flag, Flags, RefKey, ResourceKind, Verb};
use text::{Redactor, holds_token};

const PUSH: Spec = Spec::gnu(&[
    flag("force f"),
    attached("force-with-lease"),
    flag("force-if-includes"),
    flag("no-force-with-lease"),
    flag("delete d"),
    flag("dry-run n"),
    flag("mirror"),
    flag("all branches"),
    flag("tags"),
    flag("follow-tags"),
    flag("prune"),
    flag("set-upstream u"),
    flag("no-verify"),
    flag("verify"),
    flag("quiet q"),
    flag("verbose v"),
    flag("porcelain"),
    flag("progress"),
    flag("no-progress"),
    flag("atomic"),
    flag("thin"),
    flag("no-thin"),
    flag("ipv4 4"),
    flag("ipv6 6"),
    attached("signed"),
    attached("recurse-submodules"),
    value("push-option o"),
    value("receive-pack exec"),
    value("repo"),
]);

/// What one push does to one ref.
struct Push<'a> {
    git: &'a Git<'a>,
    at: &'a Standing,
    remote: String,
    flags: Flags,
}

/// `git push`
pub(super) fn push(git: &Git<'_>, world: &mut World<'_>) {
    let read = git.options(&PUSH);
    if read.asks_for_help() {
        return;
    }
    let at = git.standing(world);
    git.skipped_hooks(world, read.has("no-verify"));
    if let Some(command) = read.value("receive-pack") {
        world.script(git.invocation, "git push --receive-pack", command);
    }
    let (remote, refspecs) = match read.operands.split_first() {
        Some((remote, refspecs)) => (Some(remote), refspecs),
        None => (read.value("repo"), [].as_slice()),
    };
    let push = Push {
        git,
        at: &at,
        remote: remote.map_or_else(|| usual_remote(&at), |remote| remote.text.clone()),
        flags: flags(&read),
    };
    if let Some(url) = remote {
        helper(git, world, url);
    }
    if !read.has("dry-run") {
        let mut told = std::mem::take(&mut world.forced);
        told.extend(with_keys(world, &at));
        for path in told {
            let mut action = git.action(Verb::Read, ResourceKind::File, path);
            action.flags = action.flags.with(Flag::Secret).with(Flag::Sent);
            git.act(world, action);
        }
    }
    for refspec in refspecs {
        push.refspec(world, refspec);
    }
    let many = [("mirror", "*"), ("all", "*"), ("tags", "refs/tags/*")];
    for (_, name) in many
        .into_iter()
        .filter(|(option, _)| read.has(option))
        .take(1)
    {
        push.act(world, name, push.flags.with(Flag::Mass));
    }
    let is_tagged = read.has_any(&["tags", "follow-tags"]) || refspecs.iter().any(is_version);
    if is_tagged
        && !push
            .flags
            .has_any(Flags::NONE.with(Flag::DryRun).with(Flag::DeletesRef))
    {
        released(git, world, &at);
    }
    if refspecs.is_empty() && !read.has_any(&["mirror", "all", "tags"]) {
        push.as_configured(world);
    }
}

/// Most new files that are looked into.
const NEW_MAX: usize = 16;

/// Words in a path that say that what looks like a key is none.
const SAMPLES: &[&str] = &["example", "fixture", "mock", "sample", "snap", "template"];

/// New files that this call commits, and that a key stands in, or what is called a secret in a file
/// for secrets.
fn with_keys(world: &mut World<'_>, at: &Standing) -> Vec<String> {
    let new = world.new_in_commits(&at.root).into_iter().take(NEW_MAX);
    let is_sample = |path: &String| SAMPLES.iter().any(|word| path.contains(word));
    let new: Vec<String> = new.filter(|path| !is_sample(path)).collect();
    let holds = |path: &String| {
        let is_for_secrets = is_secret(path);
        let text = world.text(path);
        text.known()
            .is_some_and(|text| holds_token(text) || is_for_secrets && names_secret(text))
    };
    new.into_iter().filter(holds).collect()
}

/// Whether a value in a text is called a secret.
fn names_secret(text: &str) -> bool {
    Redactor::default().text(text) != text
}

/// Most workflows that are looked into.
const WORKFLOWS_MAX: usize = 8;

/// `v1.2.0`, `refs/tags/…`
fn is_version(refspec: &Arg) -> bool {
    let name = refspec.text.rsplit(':').next().unwrap_or_default();
    let number = name.strip_prefix('v').unwrap_or(name);
    let is_numbered = number.contains('.') && number.starts_with(|c: char| c.is_ascii_digit());
    name.starts_with("refs/tags/") || is_numbered
}

/// A tag is pushed where a workflow publishes what is tagged.
fn released(git: &Git<'_>, world: &mut World<'_>, at: &Standing) {
    let workflows = format!("{}/.github/workflows/*", text::glob::escape(&at.root));
    let found = world.matches(&workflows);
    let files = found.known().into_iter().flatten().take(WORKFLOWS_MAX);
    for file in files.cloned().collect::<Vec<_>>() {
        let text = world.text(&file);
        let publishes = text.known().is_some_and(|text| {
            let waits = text.contains("tags:") || text.contains("release:");
            waits
                && ["publish", "release", "deploy"]
                    .iter()
                    .any(|word| text.contains(word))
        });
        if publishes {
            let name = format!("release/{}", text::path::file_name(&file));
            let action = git.action(Verb::Publish, ResourceKind::Remote, name);
            return git.act(world, action);
        }
    }
}

fn flags(read: &Options) -> Flags {
    Flags::NONE
        .with_if(Flag::Force, read.has_any(&["force", "mirror"]))
        .with_if(Flag::ForceWithLease, read.has("force-with-lease"))
        .with_if(Flag::DryRun, read.has("dry-run"))
        .with_if(
            Flag::DeletesRef,
            read.has_any(&["delete", "prune", "mirror"]),
        )
}

impl Push<'_> {
    /// `source:target`, `+source:target`, `:target`, or one name for both.
    fn refspec(&self, world: &mut World<'_>, refspec: &Arg) {
        let text = refspec.text.as_str();
        let forced = text.starts_with('+') || text.contains(":+");
        let text = text.trim_start_matches('+');
        let (source, target) = text.split_once(':').unwrap_or((text, text));
        let target = short(target.trim_start_matches('+'));
        let target = if ["", "HEAD", "@"].contains(&target) {
            self.here()
        } else {
            target
        };
        let deletes = source.is_empty() && text.contains(':') && text != ":";
        let flags = self.flags.with_if(Flag::Force, forced);
        let flags = flags.with_if(Flag::DeletesRef, deletes);
        let flags = flags.with_if(Flag::Mass, target.contains('*') || text == ":");
        let target = if refspec.is_known() { target } else { "" };
        let flags = flags.with_if(Flag::Merged, self.is_merged(world, target, flags));
        let mut action = self.action(target, flags);
        if !refspec.is_known() {
            action.certainty = Certainty::Unknown;
        }
        self.git.act(world, action);
    }

    /// Whether a branch that is deleted on the remote holds nothing that another of its branches
    /// does not.
    fn is_merged(&self, world: &mut World<'_>, target: &str, flags: Flags) -> bool {
        if !flags.has(Flag::DeletesRef) || flags.has(Flag::Mass) || target.is_empty() {
            return false;
        }
        let tracked = format!("refs/remotes/{}/{target}", self.remote);
        let fact = self.git.reference(world, &tracked, RefKey::PUBLISHED);
        fact.known()
            .is_some_and(|fact| fact.exists && fact.orphaned == 0)
    }

    /// What is pushed where the command names nothing.
    fn as_configured(&self, world: &mut World<'_>) {
        let key = |name: &str| format!("remote.{}.{name}", self.remote);
        if self.git.is_set(world, &key("mirror")) {
            let flags = self.flags.with(Flag::Force).with(Flag::DeletesRef);
            return self.act(world, "*", flags.with(Flag::Mass));
        }
        match self.git.configured(world, &key("push")) {
            Some(refspec) => self.refspec(world, &refspec),
            None => self.present_branch(world),
        }
    }

    /// `push.default` is `simple` unless configured: the branch goes to one of the same name.
    fn present_branch(&self, world: &mut World<'_>) {
        let mut action = self.action(self.here(), self.flags);
        if self.at.branch.is_empty() {
            action.certainty = Certainty::Guessed;
        }
        self.git.act(world, action);
    }

    /// The present branch, or `HEAD` if it is not known.
    fn here(&self) -> &str {
        match self.at.branch.as_str() {
            "" => "HEAD",
            branch => branch,
        }
    }

    fn act(&self, world: &mut World<'_>, target: &str, flags: Flags) {
        let action = self.action(target, flags);
        self.git.act(world, action);
    }

    fn action(&self, target: &str, flags: Flags) -> Action {
        let name = format!("{}/{target}", self.remote);
        let mut action = self.git.action(Verb::Publish, ResourceKind::Remote, name);
        action.branch = if target == "HEAD" {
            String::new()
        } else {
            target.to_owned()
        };
        action.flags = flags;
        action
    }
}

/// `git send-email`, `git imap-send`
pub(super) fn send_email(git: &Git<'_>, world: &mut World<'_>) {
    let dry = git.args.iter().any(|arg| arg.text == "--dry-run");
    let mut action = git.action(Verb::Send, ResourceKind::Url, "mail");
    action.flags = action.flags.with_if(Flag::DryRun, dry);
    git.act(world, action);
}
