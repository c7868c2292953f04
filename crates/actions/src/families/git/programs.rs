//! Settings and variables by which git runs other programs, or leaves its hooks out.
//!
//! Owns the two tables and what a command with such a setting does. Knows no subcommand.

use super::clean::is_false;
use super::command::Git;
use crate::{Arg, World};
use model::{ResourceKind, Verb};
use text::glob;
use text::path::join;

/// Keys whose value git runs, lower case, as globs (git-config(1)).
const RUN: &[&str] = &[
    "core.fsmonitor",
    "core.sshcommand",
    "core.gitproxy",
    "core.alternaterefscommand",
    "diff.external",
    "diff.*.command",
    "diff.*.textconv",
    "difftool.*.cmd",
    "mergetool.*.cmd",
    "merge.*.driver",
    "filter.*.clean",
    "filter.*.smudge",
    "filter.*.process",
    "gpg.program",
    "gpg.*.program",
    "gpg.ssh.defaultkeycommand",
    "interactive.difffilter",
    "include.path",
    "includeif.*.path",
    "init.templatedir",
    "uploadpack.packobjectshook",
    "remote.*.uploadpack",
    "remote.*.receivepack",
    "remote.*.vcs",
    "submodule.*.update",
    "sendemail.sendmailcmd",
    "sendemail.tocmd",
    "sendemail.cccmd",
    "tar.*.command",
    "trailer.*.command",
    "trailer.*.cmd",
    "browser.*.cmd",
    "man.*.cmd",
    "guitool.*.cmd",
    "imap.tunnel",
    "protocol.ext.allow",
];

/// Keys that name a tool; a bare word in them is an everyday choice (`vim`, `less`, `store`).
const TOOL: &[&str] = &[
    "alias.*",
    "core.editor",
    "core.pager",
    "core.askpass",
    "sequence.editor",
    "credential.helper",
    "credential.*.helper",
    "pager.*",
    "gui.*",
    "web.browser",
];

/// Keys whose value is a shell command, run when the setting is given for one command.
const SHELL: &[&str] = &[
    "core.fsmonitor",
    "core.sshcommand",
    "core.editor",
    "core.pager",
    "credential.helper",
    "credential.*.helper",
    "sequence.editor",
    "diff.external",
    "diff.*.textconv",
    "filter.*.clean",
    "filter.*.smudge",
    "filter.*.process",
    "merge.*.driver",
    "pager.*",
    "interactive.difffilter",
];

/// Variables whose value is a shell command that git runs (git(1), "Environment Variables").
const VARIABLES: &[&str] = &[
    "GIT_SSH_COMMAND",
    "GIT_SSH",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_PAGER",
    "GIT_EXTERNAL_DIFF",
    "GIT_ASKPASS",
    "GIT_PROXY_COMMAND",
    "SSH_ASKPASS",
    "EDITOR",
    "VISUAL",
    "PAGER",
];

/// When a variable makes a hook runner skip its checks.
#[derive(Clone, Copy)]
enum Skips {
    /// By any value.
    Any,
    /// By a value that means false.
    False,
    /// By a value that means true.
    True,
}

/// Switches of the hook runners that are in use (husky, lefthook, pre-commit, overcommit,
/// simple-git-hooks, yorkie).
const SWITCHES: &[(&str, Skips)] = &[
    ("HUSKY", Skips::False),
    ("HUSKY_SKIP_HOOKS", Skips::True),
    ("HUSKY_SKIP_INSTALL", Skips::True),
    ("LEFTHOOK", Skips::False),
    ("LEFTHOOK_EXCLUDE", Skips::Any),
    ("SKIP", Skips::Any),
    ("PRE_COMMIT_ALLOW_NO_CONFIG", Skips::True),
    ("OVERCOMMIT_DISABLE", Skips::True),
    ("SKIP_SIMPLE_GIT_HOOKS", Skips::True),
    ("SKIP_YORKIE", Skips::True),
];

/// The hooks that may refuse what a command does, and that `--no-verify` leaves out (githooks(5)).
fn checks_of(command: &str) -> &'static [&'static str] {
    match command {
        "commit" => &["pre-commit", "commit-msg"],
        "merge" | "pull" => &["pre-merge-commit", "commit-msg"],
        "push" => &["pre-push"],
        "rebase" => &["pre-rebase"],
        "am" => &["applypatch-msg", "pre-applypatch"],
        _ => &["pre-commit", "commit-msg", "pre-rebase"],
    }
}

fn is_among(key: &str, keys: &[&str]) -> bool {
    keys.iter()
        .any(|glob| glob::DOTGLOB.matches_name(glob, key))
}

/// Whether a setting makes git run what its value names.
pub(super) fn runs(key: &str, value: &str) -> bool {
    let harmless = is_false(value) || ["true", "yes", "on", "1"].contains(&value);
    let bare = |letter: char| letter.is_alphanumeric() || "-_. =".contains(letter);
    if harmless {
        false
    } else if key.starts_with("alias.") {
        value.starts_with('!')
    } else if is_among(key, TOOL) {
        !value.chars().all(bare)
    } else {
        is_among(key, RUN)
    }
}

impl Git<'_> {
    /// What the settings and variables of this command run.
    pub(super) fn run_programs(&self, world: &mut World<'_>) {
        for name in VARIABLES {
            if let Some(value) = self.invocation.var(name) {
                self.run_value(world, name, value);
            }
        }
        for setting in &self.settings {
            if is_among(&setting.key, SHELL) && !is_switch(&setting.value.text) {
                self.run_value(world, &setting.key, &setting.value);
            }
        }
    }

    /// A bare word is a program that is opaque in any case; anything longer is read.
    fn run_value(&self, world: &mut World<'_>, label: &str, value: &Arg) {
        let bare = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
        // The variable still stands in the environment of what it runs.
        let inside = self.invocation.via.iter().any(|step| step == label);
        if !inside && value.is_known() && !value.text.chars().all(bare) {
            // A helper is git's own by its name, but behind this mark.
            let text = value.text.trim_start_matches('!');
            let text = Arg {
                text: text.to_owned(),
                ..value.clone()
            };
            world.script(self.invocation, label, &text);
        }
    }

    /// Notes that hooks are left out: by an option of the command, a setting, or the environment.
    /// Where the repository is known to have none that this command would run, nothing is.
    pub(super) fn skipped_hooks(&self, world: &mut World<'_>, by_option: bool) {
        let redirected = self.setting("core.hookspath").is_some();
        let switched = SWITCHES.iter().any(|(name, skips)| {
            let value = self.invocation.var(name);
            value.is_some_and(|value| skips.by(&value.text))
        });
        if (by_option || redirected || switched) && self.is_checked(world) {
            self.bypass(world);
        }
    }

    /// Whether the repository may have a hook that checks what this command does.
    fn is_checked(&self, world: &mut World<'_>) -> bool {
        let standing = self.standing(world);
        if standing.is_nowhere() {
            return false;
        }
        let Some(repo) = standing.repo() else {
            return true;
        };
        let dir = match self.recorded(world, "core.hookspath") {
            Some(value) => match value.text.strip_prefix("~/") {
                Some(rest) => join(&world.place().home, rest),
                None => join(&repo.root, &value.text),
            },
            None => join(&repo.common_dir, "hooks"),
        };
        // Every hook in husky's own folder only runs the one of its name beside that folder.
        let dir = dir.strip_suffix("/_").unwrap_or(&dir);
        let hooks = checks_of(&self.name).iter();
        hooks.fold(false, |found, hook| {
            found | !world.is_missing(&join(dir, hook))
        })
    }

    /// Notes that hooks are left out.
    pub(super) fn bypass(&self, world: &mut World<'_>) {
        let action = self.action(Verb::Bypass, ResourceKind::Git, "hooks");
        self.act(world, action);
    }
}

fn is_switch(value: &str) -> bool {
    is_false(value) || value == "true"
}

impl Skips {
    fn by(self, value: &str) -> bool {
        match self {
            Self::Any => !value.is_empty(),
            Self::False => is_false(value),
            Self::True => !is_false(value),
        }
    }
}
