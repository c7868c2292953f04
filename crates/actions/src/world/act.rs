//! Putting actions on the list, and what follows from a path alone, whichever family named it:
//! files that someone will execute later, secrets, and what belongs to the gate itself.

use super::overlay::Entry;
use super::secrets::{is_secret, is_secret_dir};
use super::{World, own};
use crate::machine::SHELL_NUMBER;
use crate::{Arg, Invocation, Target};
use model::one_line;
use model::{Action, Call, Certainty, Content, Fact, Flag, Flags, Loss, PathKind, ResourceKind};
use model::{Verb, Zone};
use text::{glob, path};

/// Most actions of one call.
pub(crate) const ACTIONS_MAX: usize = 256;

/// Longest text of a simple command that is shown, in characters.
pub(crate) const TEXT_CHARS_MAX: usize = 400;

/// So much of a command is looked at to show it.
const TEXT_BYTES_MAX: usize = 4 * TEXT_CHARS_MAX;

/// Most words of a command that an action carries.
const ARGV_MAX: usize = 64;

/// Files that someone will execute later, as globs.
const AUTORUN: &[&str] = &[
    "/**/.git/hooks/*",
    "/**/.git/config",
    "/**/.git/modules/**/config",
    "/**/.husky/*",
    "/**/.githooks/*",
    "/**/.envrc",
    "/**/.github/workflows/*",
    "/**/.gitlab-ci.yml",
    "/**/.circleci/config.yml",
    "/**/Jenkinsfile",
    "/**/.vscode/tasks.json",
    "/**/.vscode/launch.json",
    "/**/.devcontainer/devcontainer.json",
    "/etc/cron*/**",
    "/etc/crontab",
    "/var/spool/cron/**",
    "/etc/systemd/system/**",
    "/etc/profile",
    "/etc/profile.d/*",
    "/etc/bash.bashrc",
    "/etc/zsh/*",
    "/etc/rc.local",
    "/Library/LaunchDaemons/*",
    "/Library/LaunchAgents/*",
];

/// Files in a home directory that someone will execute later.
const AUTORUN_HOME: &[&str] = &[
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".login",
    ".xinitrc",
    ".xprofile",
    ".xsession",
    ".inputrc",
    ".gitconfig",
    ".config/git/config",
    ".config/fish/**",
    ".config/autostart/*",
    ".config/systemd/user/**",
    ".ssh/rc",
    ".ssh/config",
    ".ssh/authorized_keys",
    ".npmrc",
    ".pypirc",
    ".vimrc",
    ".config/nvim/**",
    ".local/bin/*",
    "bin/*",
    "Library/LaunchAgents/*",
];

/// Most paths of the gate's that are looked for below one directory. Those that matter most come
/// first; who takes a home away is stopped for more than that.
const OWN_BELOW_MAX: usize = 24;

impl World<'_> {
    /// Puts an action on the list; what the invocation knows (text, argv, via, flags, certainty) is
    /// filled in. What follows from the path alone is added: [`Flag::Secret`], [`Flag::Creates`],
    /// [`ResourceKind::Autorun`], and a `tamper gate:…` beside an action that touches the gate.
    pub fn act(&mut self, invocation: &Invocation, action: Action) {
        let is_service = action.kind != ResourceKind::File;
        if is_service && action.verb == Verb::Destroy && action.name.contains(SHELL_NUMBER) {
            return;
        }
        if is_service && self.is_founded(invocation, &action) {
            return;
        }
        let mut action = filled_in(invocation, action);
        action.flags = action.flags.with_if(Flag::Elsewhere, self.elsewhere);
        if action.kind == ResourceKind::File && !self.elsewhere {
            self.add_from_path(&mut action);
        } else if action.kind == ResourceKind::File && action.verb == Verb::Read {
            action.flags = action.flags.with_if(Flag::Secret, is_secret(&action.name));
        }
        self.note_too_late(&action);
        let tamper = self.tamper(&action);
        self.back_up_on(&mut action);
        self.push(action);
        if let Some(tamper) = tamper {
            self.push(tamper);
        }
    }

    /// What is replaced or left behind is mostly known or no matter; where there was no time to
    /// look, it may be anything.
    fn note_too_late(&mut self, action: &Action) {
        let is_replaced = matches!(action.verb, Verb::Write | Verb::Move | Verb::Rewrite);
        let is_meant = is_replaced || action.kind == ResourceKind::Git;
        if let Fact::Unknown(why) = &action.loss
            && action.loss.is_too_late()
            && is_meant
            && !action.flags.has(Flag::DryRun)
        {
            self.unread(format!("what it would replace was {why}"));
        }
    }

    fn push(&mut self, action: Action) {
        if self.analysis.actions.len() >= ACTIONS_MAX {
            self.analysis.cut |= !is_harmless(&action);
            return;
        }
        // Reading the same file twice in a loop says nothing new.
        if action.verb == Verb::Read && self.analysis.actions.contains(&action) {
            return;
        }
        self.analysis.actions.push(action);
    }

    fn add_from_path(&mut self, action: &mut Action) {
        let is_secret = is_secret(&action.name)
            || action.verb == Verb::Read && is_secret_dir(&action.name)
            || self.origin(&action.name).is_some_and(is_secret);
        let is_secret =
            is_secret && !(action.verb == Verb::Read && self.is_no_secret(&action.name));
        // One more variable takes none away, and shows none.
        let adds_variable = action.verb == Verb::Write
            && action.flags.has(Flag::Append)
            && path::file_name(&action.name).starts_with(".env");
        // What was made a moment ago, of no secret, is nobody's yet.
        let is_change = matches!(action.verb, Verb::Write | Verb::Move);
        let is_fresh = is_secret
            && is_change
            && self
                .origin(&action.name)
                .is_none_or(|from| !self::is_secret(from))
            && (self.is_made(&action.name) || self.is_own_edit(&action.name));
        let is_secret = is_secret && !adds_variable && !is_fresh;
        action.flags = action.flags.with_if(Flag::Secret, is_secret);
        let changes = matches!(action.verb, Verb::Write | Verb::Move);
        if !changes || action.name.is_empty() {
            return;
        }
        if self.is_autorun(&action.name) {
            action.kind = ResourceKind::Autorun;
        }
        if action.verb == Verb::Write
            && let Fact::Known(fact) = self.path(&action.name)
        {
            let missing = fact.kind == PathKind::Missing;
            action.flags = action.flags.with_if(Flag::Creates, missing);
        }
    }

    fn is_autorun(&self, path: &str) -> bool {
        let fits = |globs: &[&str], path: &str| {
            globs
                .iter()
                .any(|glob| glob::DOTGLOB.matches_path(glob, path))
        };
        let in_home = path::rest_below(path, &self.place.home);
        fits(AUTORUN, path) || in_home.is_some_and(|rest| fits(AUTORUN_HOME, rest))
    }

    /// The action as one against the gate, if its target belongs to the gate.
    fn tamper(&mut self, action: &Action) -> Option<Action> {
        let name = match (action.verb, action.kind) {
            (Verb::Tamper, _) => return None,
            _ if action.flags.has(Flag::DryRun) => return None,
            (Verb::Kill, _) if own::means_process(&action.name) => "process".to_owned(),
            (
                Verb::Write | Verb::Delete | Verb::Move | Verb::Reown | Verb::Discard,
                ResourceKind::File | ResourceKind::Autorun,
            ) if !self.elsewhere => self.own_path_touched(action)?,
            _ => return None,
        };
        let mut tamper = action.clone();
        // What a settings file says afterwards may be none of ours.
        let is_settings = action.verb == Verb::Write && (self.place.settings.is_one)(&name);
        if !is_settings {
            tamper.verb = Verb::Tamper;
        }
        tamper.kind = ResourceKind::Gate;
        tamper.name = name;
        Some(tamper)
    }

    /// The path of the gate's that an action on a file would change.
    fn own_path_touched(&mut self, action: &Action) -> Option<String> {
        let place = self.place;
        if place.own.is_empty() || action.name.is_empty() {
            return None;
        }
        let mut names = vec![action.name.clone()];
        // A write goes through a link; a delete removes the link.
        if action.verb != Verb::Delete
            && let Fact::Known(fact) = self.path(&action.name)
            && fact.real != action.name
        {
            names.push(fact.real);
        }
        for name in &names {
            if own::has(place, name) {
                return Some(name.clone());
            }
        }
        let takes_tree = match action.verb {
            Verb::Delete | Verb::Move => true,
            Verb::Reown => action.flags.has(Flag::Recursive) && self.takes_access(&action.argv),
            _ => action.flags.has(Flag::Recursive),
        };
        if takes_tree && action.name.contains("**") {
            return self.own_found(&action.name);
        }
        if !takes_tree || action.certainty == Certainty::Unknown {
            return None;
        }
        names.iter().find_map(|name| self.own_path_below(name))
    }

    /// Whether a change of rights or owner leaves us unable to read or write.
    fn takes_access(&self, argv: &[String]) -> bool {
        let mut words = argv.iter().map(String::as_str);
        let program = words.next().unwrap_or_default();
        let how = words.find(|word| !word.starts_with("--") && *word != "-R");
        let how = how.unwrap_or_default();
        if program != "chmod" {
            let owner = how.split([':', '.']).next().unwrap_or_default();
            let is_ours = owner.is_empty()
                || owner.contains(Arg::HOLE)
                || self.place.var("USER") == Some(owner);
            return program == "chown" && !is_ours;
        }
        let digits = how.bytes().all(|digit| digit.is_ascii_digit());
        let of_owner = how.bytes().rev().nth(2).unwrap_or(b'0');
        let part_takes = |part: &str| match part.split_once(['-', '=']) {
            Some((who, what)) => {
                let is_for_us = who.is_empty() || who.contains(['u', 'a']);
                is_for_us && (part.contains('-') || !what.contains('r') || !what.contains('w'))
            }
            None => false,
        };
        digits && !matches!(of_owner, b'6' | b'7') || !digits && how.split(',').any(part_takes)
    }

    /// A path of the gate's that exists below a directory.
    fn own_path_below(&mut self, dir: &str) -> Option<String> {
        for own in own::in_dir(self.place, dir, OWN_BELOW_MAX) {
            let fixed = own.fixed();
            if !(path::is_below(&fixed, dir) || own.is_glob() && fixed == dir && dir != "/") {
                continue;
            }
            // What is not there cannot be hit. Of a glob, its directory has to be there.
            match self.path(&fixed) {
                Fact::Known(fact) if fact.kind == PathKind::Missing => {}
                Fact::Known(_) => return Some(fixed),
                Fact::Unknown(_) => {}
            }
        }
        None
    }

    /// A path of the gate's that is there, and that a search by this pattern finds, or a directory
    /// above it.
    pub(crate) fn own_found(&mut self, pattern: &str) -> Option<String> {
        let fits = |path: &str| {
            let above = path.match_indices('/').map(|(at, _)| path.get(..at));
            let above = above.flatten().chain([path]);
            { above }.any(|path| glob::DOTGLOB.matches_path(pattern, path))
        };
        self.own_standing(&glob::fixed_dir(pattern), fits)
    }

    /// The first path of the gate's below a directory that is there.
    pub(crate) fn own_standing(
        &mut self,
        dir: &str,
        fits: impl Fn(&str) -> bool,
    ) -> Option<String> {
        let own = own::in_dir(self.place, dir, OWN_BELOW_MAX).into_iter();
        let own = own.map(|own| (own.fixed(), own.is_glob().then(|| own.pattern())));
        let own: Vec<(String, Option<String>)> = own.collect();
        for (fixed, pattern) in own {
            let there = match pattern {
                // All that is in a directory: the directory says it.
                Some(pattern) if !pattern.ends_with("/**") => {
                    self.matches(&pattern).known().cloned().unwrap_or_default()
                }
                _ => vec![fixed],
            };
            let found = there.into_iter().find(|path| {
                let is_there = |fact: Fact<model::PathFact>| {
                    matches!(fact, Fact::Known(fact) if fact.kind != PathKind::Missing)
                };
                fits(path) && is_there(self.path(path))
            });
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Somebody writes at a path of the gate's, or does what nobody here reads.
    pub(crate) fn wrote_own(&self, path: String) -> Action {
        let verb = match (self.place.settings.is_one)(&path) {
            true => Verb::Write,
            false => Verb::Tamper,
        };
        Action::new(verb, ResourceKind::Gate, path)
    }

    /// After the whole call: a settings file that is written once, and says the same afterwards of
    /// all that concerns us, is a file like others; one that is known to say something else is not
    /// asked about, nor one that becomes a link, nor any in a call that speaks of hooks.
    pub(crate) fn settle_settings(&mut self, call: &Call<'_>) {
        let is_gates = |action: &Action| action.kind == ResourceKind::Gate;
        let gates = self
            .analysis
            .actions
            .iter()
            .filter(|action| is_gates(action));
        let written = gates.clone().filter(|action| action.verb == Verb::Write);
        let written: Vec<String> = written.map(|action| action.name.clone()).collect();
        let touched: Vec<String> = gates.map(|action| action.name.clone()).collect();
        for path in written {
            let is_link = matches!(self.now.overlay.at(&path), Some(Entry::Link(_)));
            let texts = self.texts_at(&path).filter(|_| !is_link);
            if texts.is_none() && !is_link && !self.speaks_of_hooks(call, &path) {
                continue;
            }
            let is_once = touched.iter().filter(|one| **one == path).count() == 1;
            let is_free = is_once
                && texts.is_some_and(|(before, after)| {
                    // What would take us out is no other edit where it finds nothing.
                    let is_aimed = before == after && self.speaks_of_hooks(call, &path);
                    !is_aimed && (self.place.settings.is_free)(&path, (&before, &after))
                });
            let actions = &mut self.analysis.actions;
            if is_free {
                actions.retain(|action| !is_gates(action) || action.name != path);
            }
            let of_it = actions
                .iter_mut()
                .filter(|action| is_gates(action) && action.name == path);
            of_it.for_each(|action| action.verb = Verb::Tamper);
        }
    }

    /// Whether the words of a call name what concerns us in a settings file, as its host calls it,
    /// whatever the call does with them. What other tools are given is not looked through, so it
    /// may.
    fn speaks_of_hooks(&self, call: &Call<'_>, path: &str) -> bool {
        let names = |text: &str| (self.place.settings.speaks)(path, text);
        let in_content = |content: &Content<'_>| content.text.as_deref().is_some_and(names);
        match call {
            Call::Shell { command, .. } => names(command),
            Call::Edit { old, new, .. } => [old, new].into_iter().any(in_content),
            Call::Write { content, .. } => in_content(content),
            Call::Patch { .. } => false,
            _ => true,
        }
    }

    /// What a file held before the call and holds after it, if the call gave it a text that is
    /// known.
    fn texts_at(&mut self, path: &str) -> Option<(String, String)> {
        let before = self.text_before(path)?;
        if !self.is_changed(path) {
            return None;
        }
        let after = self.text(path).known().cloned()?;
        Some((before, after))
    }

    /// What of the gate's stands right in a directory; in a home, anything of it.
    pub(crate) fn own_near(&mut self, dir: &Target) -> Option<String> {
        if !dir.is_known() || dir.path.is_empty() {
            return None;
        }
        let is_home = dir.path == self.place.home;
        let is_near = |path: &str| is_home || path::parent(path) == dir.path;
        self.own_standing(&dir.path, is_near)
    }

    /// Whether a path as it is given names something of the gate's.
    pub(crate) fn is_own(&mut self, path: &str) -> bool {
        let target = self.target(&Arg::literal(path));
        own::has(self.place, &target.path)
    }

    /// Whether a path as it is given names something of the gate's, or what someone will execute.
    pub(crate) fn is_protected(&mut self, path: &str) -> bool {
        let target = self.target(&Arg::literal(path));
        own::has(self.place, &target.path) || self.is_autorun(&target.path)
    }
}

/// Whether no rule that is about what is lost or changed for others would stop for it.
fn is_harmless(action: &Action) -> bool {
    let loses = |loss: &Fact<Loss>| !loss.known().is_some_and(Loss::is_nothing);
    let is_near = matches!(action.zone, Zone::Project | Zone::Temp | Zone::Home);
    match action.verb {
        Verb::Read => !action.flags.has(Flag::Secret),
        Verb::Execute => action.certainty != Certainty::Unknown && action.flags == Flags::NONE,
        Verb::Write | Verb::Delete | Verb::Move => {
            is_near && action.kind == ResourceKind::File && !loses(&action.loss)
        }
        Verb::Reown => is_near && !action.flags.has(Flag::Recursive),
        _ => false,
    }
}

/// The beginning of a command as people see it.
fn shown(text: &str) -> String {
    let start = text.get(..text.floor_char_boundary(TEXT_BYTES_MAX));
    let start = start.unwrap_or_default();
    if start.is_ascii() {
        return one_line(start, TEXT_CHARS_MAX);
    }
    let start = start.replace(Arg::HOLE, "…").replace(Arg::MARKS, "");
    one_line(&start, TEXT_CHARS_MAX)
}

fn filled_in(invocation: &Invocation, mut action: Action) -> Action {
    action.flags = action.flags.and(invocation.flags);
    action.certainty = action.certainty.max(invocation.sure);
    if action.program.is_empty() {
        action.program.clone_from(&invocation.program);
    }
    if action.argv.is_empty() && !invocation.program.is_empty() {
        let words = invocation.args.iter().take(ARGV_MAX);
        action.argv = std::iter::once(invocation.program.clone())
            .chain(words.map(|arg| arg.text.clone()))
            .collect();
    }
    if action.text.is_empty() {
        action.text = shown(&invocation.text);
    }
    if action.via.is_empty() {
        action.via.clone_from(&invocation.via);
    }
    action
}
