//! What families say over and over: delete this, replace that, read the other.
//!
//! Turns operands into actions with their zone, flags and loss, and keeps the overlay in step.
//! Knows no program and no option.

use crate::address::stays_here;
use crate::effects::{self, Change, Delete, Lost, Write};
use crate::{Arg, Input, Invocation, Target, World};
use model::{Action, Certainty, Fact, Flag, Flags, Loss, PathKind, ResourceKind, Verb, Zone};
pub use text::path::{file_name as base_name, parent};

/// Most matches of one glob that get an action each; more are one action on their directory.
pub const MATCHES_SHOWN_MAX: usize = 24;

/// Last parts of a glob that take everything in a directory.
const EVERYTHING: &[&str] = &["*", "**", ".*", "?*", ".[!.]*", ".??*"];

/// What an operand stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// One path, or the directory of many.
    pub target: Target,
    /// The many, if there are too many for an action each.
    pub parts: Vec<Target>,
    /// Whether the directory stands for what is in it and could not be listed.
    pub unlisted: bool,
    /// [`Flag::Mass`] if it is a glob of everything, or of too many, or not known.
    pub flags: Flags,
}

impl Hit {
    /// One path, as it is.
    #[must_use]
    pub fn one(target: Target) -> Self {
        Self {
            target,
            parts: Vec::new(),
            unlisted: false,
            flags: Flags::NONE,
        }
    }

    fn many(target: Target, parts: Vec<Target>) -> Self {
        Self {
            target,
            unlisted: parts.is_empty(),
            parts,
            flags: Flags::NONE.with(Flag::Mass),
        }
    }

    /// The paths that are hit.
    #[must_use]
    pub fn paths(&self) -> &[Target] {
        if self.parts.is_empty() {
            std::slice::from_ref(&self.target)
        } else {
            &self.parts
        }
    }
}

/// One command in the world as it is when it starts.
pub struct CommandContext<'a, 'w> {
    /// The command.
    pub invocation: &'a Invocation,
    /// The world.
    pub world: &'a mut World<'w>,
    /// Program and subcommand, as actions shall name it.
    pub program: String,
}

impl<'a, 'w> CommandContext<'a, 'w> {
    /// The command under its own name.
    pub fn new(invocation: &'a Invocation, world: &'a mut World<'w>) -> Self {
        Self {
            invocation,
            world,
            program: invocation.program.clone(),
        }
    }

    /// Puts an action on the list.
    pub fn act(&mut self, mut action: Action) {
        let is_release = action.verb == Verb::Publish && action.kind == ResourceKind::Package;
        if is_release && stays_here(self.invocation) {
            return self.execute();
        }
        if action.program.is_empty() {
            action.program.clone_from(&self.program);
        }
        // A path with a hole has no name at all; a name of another kind shows where the hole is.
        if action.kind != ResourceKind::File && action.name.contains(Arg::HOLE) {
            action.name = action.name.replace(Arg::HOLE, "…");
            action.certainty = Certainty::Unknown;
        }
        self.world.act(self.invocation, action);
    }

    /// Something of the gate's own is changed.
    pub fn tamper(&mut self, path: &str) {
        self.act_on(Verb::Tamper, (ResourceKind::Gate, path), Flags::NONE);
    }

    /// Nobody knows what lands in a directory: it may be what stands right in it and is the gate's
    /// own, and in a home anything of it.
    pub fn fill_blindly(&mut self, dir: &Target) {
        if let Some(path) = self.world.own_near(dir) {
            self.tamper(&path);
        }
    }

    /// Puts an action on the list that is done to something that is no file here.
    pub fn act_on(&mut self, verb: Verb, (kind, name): (ResourceKind, &str), flags: Flags) {
        let mut action = Action::new(verb, kind, name);
        action.flags = flags;
        self.act(action);
    }

    /// Puts an action on the list that destroys something, `lost` in words.
    pub fn destroy(&mut self, (kind, name): (ResourceKind, &str), flags: Flags, lost: String) {
        let mut action = Action::new(Verb::Destroy, kind, name);
        action.flags = flags;
        if !flags.has(Flag::DryRun) {
            action.loss = in_words(lost);
        }
        self.act(action);
    }

    /// An action that runs something whose effect is not read.
    pub fn execute(&mut self) {
        let program = self.invocation.program.clone();
        self.act_on(
            Verb::Execute,
            (ResourceKind::Program, &program),
            Flags::NONE,
        );
    }

    // ---- operands ------------------------------------------------------------------------------

    /// What an operand stands for; an empty word stands for nothing.
    pub fn hits(&mut self, arg: &Arg) -> Vec<Hit> {
        if arg.text.is_empty() {
            return Vec::new();
        }
        if arg.text.contains(Arg::HOLE) {
            let target = self.unknown(arg);
            let mut hit = Hit::one(target);
            hit.flags = hit.flags.with_if(Flag::Mass, arg.glob);
            return vec![hit];
        }
        if !arg.glob {
            return vec![Hit::one(self.world.target(arg))];
        }
        self.matches(arg)
    }

    /// Every path that these operands stand for.
    pub fn all_hits(&mut self, args: &[Arg]) -> Vec<Hit> {
        args.iter().flat_map(|arg| self.hits(arg)).collect()
    }

    fn matches(&mut self, arg: &Arg) -> Vec<Hit> {
        let (dir, last) = split_glob(&arg.text);
        let everything = EVERYTHING.contains(&last.as_str());
        let dir = self.world.target(&Arg {
            text: dir,
            sure: arg.sure,
            glob: false,
        });
        if everything && matches!(dir.zone, Zone::Root | Zone::HomeRoot) {
            return vec![Hit::many(dir, Vec::new())];
        }
        let found = self.world.targets(arg);
        if let [only] = found.as_slice()
            && only.sure == Certainty::Unknown
        {
            return vec![Hit::many(only.clone(), Vec::new())];
        }
        if found.len() > MATCHES_SHOWN_MAX {
            return vec![Hit::many(dir, found)];
        }
        let flags = Flags::NONE.with_if(Flag::Mass, everything);
        let one = |target| Hit {
            flags,
            ..Hit::one(target)
        };
        found.into_iter().map(one).collect()
    }

    /// A path that is not known: no name, so that no rule takes the known part for the target.
    pub fn unknown(&mut self, arg: &Arg) -> Target {
        let named = self.world.target(arg);
        // A program of the gate's, wherever that lies.
        if named.is_known() {
            return named;
        }
        Target {
            path: String::new(),
            zone: named.zone,
            sure: Certainty::Unknown,
        }
    }

    /// The path of an operand that is not a glob to be expanded.
    pub fn target(&mut self, arg: &Arg) -> Target {
        if arg.text.contains(Arg::HOLE) {
            self.unknown(arg)
        } else {
            self.world.target(arg)
        }
    }

    /// A name inside a directory.
    pub fn inside(&mut self, dir: &Target, name: &str) -> Target {
        if dir.path.is_empty() {
            return dir.clone();
        }
        let path = format!("{}/{name}", dir.path.trim_end_matches('/'));
        let mut target = self.world.target(&Arg::literal(path));
        target.sure = target.sure.max(dir.sure);
        target
    }

    /// A directory that things are put into: its zone is theirs, except at the root.
    pub fn filled(&self, dir: &Target) -> Target {
        let mut dir = dir.clone();
        if !dir.path.is_empty() && dir.zone != Zone::Root {
            dir.zone = self.world.zone(&format!("{}/x", dir.path));
        }
        dir
    }

    /// What is at a path; `None` if it is not known.
    pub fn kind(&mut self, target: &Target) -> Option<PathKind> {
        if target.sure == Certainty::Unknown || target.path.is_empty() {
            return None;
        }
        let fact = self.world.path(&target.path);
        fact.known().map(|fact| fact.kind)
    }

    /// Whether a path is a directory, or a link to one; `None` if it is not known.
    pub fn is_dir(&mut self, target: &Target) -> Option<bool> {
        if target.sure == Certainty::Unknown || target.path.is_empty() {
            return None;
        }
        let fact = self.world.path(&target.path);
        let fact = fact.known()?;
        if fact.kind != PathKind::Link || fact.real == target.path {
            return Some(fact.kind == PathKind::Dir);
        }
        let real = fact.real.clone();
        let fact = self.world.path(&real);
        fact.known().map(|fact| fact.kind == PathKind::Dir)
    }

    // ---- actions on files ----------------------------------------------------------------------

    /// An action on a path, not yet on the list. Of the many that a glob stands for it names the
    /// directory, even where not all of them are known.
    #[must_use]
    pub fn action(verb: Verb, target: &Target) -> Action {
        let mut action = Action::new(verb, ResourceKind::File, target.path.clone());
        action.zone = target.zone;
        action.certainty = target.sure;
        action
    }

    /// Reads a file.
    pub fn read(&mut self, arg: &Arg) {
        if arg.text.is_empty() || arg.text == "-" {
            return;
        }
        for path in self.world.secrets_hit(arg) {
            self.read(&Arg::derived(path));
        }
        let target = self.target(arg);
        if target.zone != Zone::Sink {
            self.act(Self::action(Verb::Read, &target));
        }
    }

    /// Reads files.
    pub fn read_all(&mut self, args: &[Arg]) {
        for arg in args {
            self.read(arg);
        }
    }

    /// Deletes what an operand stands for.
    pub fn delete(&mut self, hit: &Hit, flags: Flags) {
        let recursive = flags.has(Flag::Recursive);
        let is_one_dir = hit.parts.is_empty() && self.kind(&hit.target) == Some(PathKind::Dir);
        if !recursive && is_one_dir {
            return;
        }
        let mut action = self.named(Verb::Delete, &hit.target);
        action.flags = flags.and(hit.flags);
        let delete = Delete {
            targets: hit.paths(),
            lost: if recursive { Lost::Trees } else { Lost::Files },
            action,
        };
        effects::delete(self.world, self.invocation, delete);
    }

    /// Replaces a file's content as a whole; `text` is the new content, if known.
    pub fn replace(&mut self, target: &Target, flags: Flags, text: Option<String>) {
        let downloaded = flags.has(Flag::Downloaded);
        let text = text.or(downloaded.then(|| Arg::foreign(Arg::DOWNLOADED).text));
        self.write(target, flags, Change::Replace(text));
    }

    /// Puts what comes from elsewhere in the place of what is here, or into a directory under its
    /// own name.
    pub fn fetch(&mut self, from: &str, to: &Arg, flags: Flags) {
        let to = self.target(to);
        let target = match self.is_dir(&to) {
            Some(true) => self.inside(&to, base_name(from)),
            _ => to,
        };
        self.replace(&target, flags, None);
    }

    /// Shows a file of another machine.
    pub(crate) fn show_elsewhere(&mut self, path: &str) {
        let there = Invocation {
            flags: self.invocation.flags.with(Flag::Elsewhere),
            ..self.invocation.clone()
        };
        let argv = ["cat", path].map(Arg::derived);
        self.world.command(&there, &self.invocation.program, &argv);
    }

    /// Replaces a file by a copy of another.
    pub fn copy(&mut self, from: &Target, to: &Target, flags: Flags) {
        self.write(to, flags, Change::Copy(from));
    }

    /// Replaces a file by another name of a file or, below a directory, of all that is in it. No
    /// copy: what is emptied by one name is empty by the other.
    pub(crate) fn share(&mut self, to: &Target, change: Change<'_>) {
        self.write(to, Flags::NONE, change);
    }

    /// Changes a file without replacing it.
    pub fn edit(&mut self, target: &Target, flags: Flags) {
        self.write(target, flags, Change::Keep);
    }

    /// Changes what a file says, in place.
    pub fn edit_in_place(&mut self, target: &Target, flags: Flags) {
        self.write(target, flags, Change::Edit);
    }

    /// Adds to the end of a file.
    pub fn append(&mut self, target: &Target, text: Option<&str>) {
        self.write(target, Flags::NONE, Change::Append(text));
    }

    /// Makes a file if there is none, with this text if it is known; what is there stays.
    pub fn create(&mut self, target: &Target, flags: Flags, text: Option<String>) {
        self.write(target, flags, Change::Make(text));
    }

    /// Makes a directory if there is none.
    pub fn make_dir(&mut self, target: &Target) {
        let missing = self.kind(target) == Some(PathKind::Missing);
        self.edit(target, Flags::NONE);
        if !missing {
            return;
        }
        let mut path = target.path.as_str();
        while self.world.is_missing(path) {
            self.world.made_dir(path);
            path = parent(path);
        }
    }

    /// A write with a known loss.
    pub fn put(&mut self, target: &Target, flags: Flags, loss: Fact<Loss>) {
        self.write(target, flags, Change::Counted(loss));
    }

    fn write(&mut self, target: &Target, flags: Flags, change: Change<'_>) {
        let mut action = self.named(Verb::Write, target);
        action.flags = flags;
        let write = Write {
            target,
            change,
            action,
        };
        effects::write(self.world, self.invocation, write);
    }

    /// An action on a path under the name of this program.
    pub fn named(&self, verb: Verb, target: &Target) -> Action {
        let mut action = Self::action(verb, target);
        action.program.clone_from(&self.program);
        action
    }

    /// The text that comes in on standard input, if it is known.
    #[must_use]
    pub fn input_text(&self) -> Option<String> {
        match &self.invocation.input {
            Input::Text(arg) if arg.is_known() => Some(arg.text.clone()),
            _ => None,
        }
    }
}

/// A loss that is no list of files.
#[must_use]
pub fn in_words(lost: String) -> Fact<Loss> {
    Fact::Known(Loss {
        other: vec![lost],
        ..Loss::default()
    })
}

/// The directory of a glob, unescaped, and its last part. A directory that is a glob itself is
/// given up to its fixed part.
fn split_glob(text: &str) -> (String, String) {
    let (dir, last) = match text.rsplit_once('/') {
        Some(("", last)) => ("/", last),
        Some((dir, last)) => (dir, last),
        None => (".", text),
    };
    let is_glob = |part: &str| {
        let mut previous = ' ';
        part.chars().any(|letter| {
            let special = previous != '\\' && "*?[".contains(letter);
            previous = letter;
            special
        })
    };
    let fixed: Vec<&str> = dir.split('/').take_while(|part| !is_glob(part)).collect();
    let nested = fixed.len() < dir.split('/').count();
    let dir = match fixed.join("/").replace('\\', "") {
        fixed if fixed.is_empty() => if text.starts_with('/') { "/" } else { "." }.to_owned(),
        fixed => fixed,
    };
    let last = if nested {
        String::new()
    } else {
        last.to_owned()
    };
    (dir, last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_are_split_into_directory_and_last_part() {
        for (text, dir, last) in [
            ("*", ".", "*"),
            ("/*", "/", "*"),
            ("./*", ".", "*"),
            ("a/b/*.md", "a/b", "*.md"),
            ("/home/dev/*", "/home/dev", "*"),
            ("a*/b", ".", ""),
            ("/a/*/c/*", "/a", ""),
            ("/*/x", "/", ""),
            ("a\\[1\\]/*", "a[1]", "*"),
        ] {
            assert_eq!(
                split_glob(text),
                (dir.to_owned(), last.to_owned()),
                "{text}"
            );
        }
    }

    #[test]
    fn base_names() {
        for (path, name) in [("/a/b", "b"), ("/a/b/", "b"), ("/", ""), ("x", "x")] {
            assert_eq!(base_name(path), name);
        }
    }
}
