//! One git command: its subcommand, where it acts, and the settings given for it alone.
//!
//! Owns the options before the subcommand and git's environment. Knows no subcommand.

use crate::options::{Options, Spec, attached, flag, value};
use crate::{Arg, Invocation, World};
use model::{Action, Certainty, Fact, Flag, RepoFact, ResourceKind, Verb};
use text::path::{is_within, join};

/// Most `GIT_CONFIG_KEY_<n>` that are looked at.
const CONFIG_COUNT_MAX: usize = 64;

/// git's own options; never abbreviated (git.c, `handle_options`).
const GLOBAL: Spec = Spec {
    permute: false,
    abbreviate: false,
    ..Spec::gnu(&[
        value("C"),
        value("c"),
        value("git-dir"),
        value("work-tree"),
        value("namespace"),
        value("super-prefix"),
        value("config-env"),
        value("attr-source"),
        value("shallow-file"),
        attached("exec-path"),
        attached("list-cmds"),
        flag("paginate p"),
        flag("no-pager P"),
        flag("bare"),
        flag("no-replace-objects"),
        flag("no-optional-locks"),
        flag("no-lazy-fetch"),
        flag("no-advice"),
        flag("literal-pathspecs"),
        flag("glob-pathspecs"),
        flag("noglob-pathspecs"),
        flag("icase-pathspecs"),
        flag("html-path"),
        flag("man-path"),
        flag("info-path"),
        flag("version v"),
        flag("help h"),
    ])
};

/// The options before the subcommand; it and its words are the operands.
pub(crate) fn options(invocation: &Invocation) -> Options {
    Options::read(&invocation.args, &GLOBAL)
}

/// A setting that holds for this command only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Setting {
    /// `core.hookspath`; lower case.
    pub(super) key: String,
    /// Its value; a key without `=` is `true`.
    pub(super) value: Arg,
}

/// One git command.
pub(super) struct Git<'i> {
    /// The command as it stands in the call.
    pub(super) invocation: &'i Invocation,
    /// The subcommand (`reset`).
    pub(super) name: String,
    /// The words after it.
    pub(super) args: Vec<Arg>,
    /// The directory it acts in; the reason if that is not known.
    pub(super) dir: Result<String, String>,
    /// Settings given on the command line or in the environment.
    pub(super) settings: Vec<Setting>,
}

/// The repository a command acts on, at this point of the call.
#[derive(Debug, Clone)]
pub(super) struct Standing {
    /// Top of the work tree, or the directory if the repository is not known yet.
    pub(super) root: String,
    /// The present branch; empty if detached or not known.
    pub(super) branch: String,
    /// What is known of it; `Known(None)` = there is none, or a new one: nothing can be lost.
    pub(super) fact: Fact<Option<RepoFact>>,
}

impl Standing {
    /// The name of a ref of this repository as a resource; the repository's if it is not known.
    pub(super) fn named(&self, reference: &str) -> String {
        if reference.is_empty() || reference.contains(Arg::HOLE) {
            return self.root.clone();
        }
        format!("{}#{reference}", self.root)
    }

    /// Whether the directory is known to be in no repository.
    pub(super) fn is_nowhere(&self) -> bool {
        matches!(self.fact, Fact::Known(None))
    }

    /// The fact, if there is a repository and it is known.
    pub(super) fn repo(&self) -> Option<&RepoFact> {
        self.fact.known().and_then(Option::as_ref)
    }
}

impl<'i> Git<'i> {
    /// Reads the words up to the subcommand. `None` = no subcommand (`git --version`).
    pub(super) fn read(invocation: &'i Invocation, world: &World<'_>) -> Option<Self> {
        let read = options(invocation);
        let (name, args) = read.operands.split_first()?;
        if read.has_any(&["version", "help"]) {
            return None;
        }
        let settings = settings(invocation, &read);
        Some(Self {
            invocation,
            name: name.text.clone(),
            args: args.to_vec(),
            dir: directory(&Ground::new(invocation, world, &read), world),
            settings,
        })
    }

    /// Reads a program that is a subcommand by its name (`git-reset`).
    pub(super) fn dashed(invocation: &'i Invocation, world: &World<'_>, name: &str) -> Self {
        let read = Options::default();
        Self {
            invocation,
            name: name.to_owned(),
            args: invocation.args.clone(),
            dir: directory(&Ground::new(invocation, world, &read), world),
            settings: settings(invocation, &read),
        }
    }

    /// A program of its own that works on a repository.
    pub(super) fn of_program(invocation: &'i Invocation, dir: Result<String, String>) -> Self {
        Self {
            invocation,
            name: invocation.program.clone(),
            args: Vec::new(),
            dir,
            settings: Vec::new(),
        }
    }

    /// The words after the subcommand, sorted.
    pub(super) fn options(&self, spec: &Spec) -> Options {
        Options::read(&self.args, spec)
    }

    /// The value of a setting given for this command, by its lower-case key.
    pub(super) fn setting(&self, key: &str) -> Option<&Arg> {
        let mut own = self.settings.iter().rev();
        own.find(|setting| setting.key == key)
            .map(|setting| &setting.value)
    }

    /// An action of this command.
    pub(super) fn action(&self, verb: Verb, kind: ResourceKind, name: impl Into<String>) -> Action {
        let mut action = Action::new(verb, kind, name);
        action.program = format!("git {}", self.name);
        action
    }

    /// The repository it acts on.
    pub(super) fn standing(&self, world: &mut World<'_>) -> Standing {
        let fact = match &self.dir {
            // A work tree that this call has made holds nothing that is not committed.
            Ok(dir) if is_made_in_call(world, dir) => Fact::Known(None),
            Ok(dir) => world.repo(dir),
            Err(why) => Fact::Unknown(why.clone()),
        };
        let repo = fact.known().and_then(Option::as_ref);
        let dir = || self.dir.clone().unwrap_or_default();
        let root = repo.map_or_else(dir, |repo| repo.root.clone());
        let recorded = repo.map_or("", |repo| repo.branch.as_str());
        let branch = branch_in_call(world, &root).unwrap_or_else(|| recorded.to_owned());
        Standing { root, branch, fact }
    }

    /// Notes an ordinary change of the repository that loses nothing.
    pub(super) fn change(&self, world: &mut World<'_>) {
        let standing = self.standing(world);
        let action = self.action(Verb::Write, ResourceKind::Git, standing.root);
        self.act(world, action);
    }

    /// Notes a change of the index that leaves the files as they are.
    pub(super) fn change_index(&self, world: &mut World<'_>, at: &Standing) {
        let mut action = self.action(Verb::Write, ResourceKind::Git, at.root.clone());
        action.flags = action.flags.with(Flag::KeepsFiles);
        self.act(world, action);
    }

    /// Notes that changes go out of the index and stay in the files.
    pub(super) fn unstage(&self, world: &mut World<'_>, at: &Standing) {
        self.change_index(world, at);
        world.unstaged(&at.root);
    }

    /// Puts an action on the list.
    pub(super) fn act(&self, world: &mut World<'_>, action: Action) {
        world.act(self.invocation, action);
    }
}

/// The branch that an earlier command of this call has checked out. The action list is the memory:
/// a checkout is a write of `root#branch`.
fn branch_in_call(world: &World<'_>, root: &str) -> Option<String> {
    let mut earlier = world.analysis.actions.iter().rev();
    let moved = earlier.find(|action| {
        let checks_out = ["git checkout", "git switch"].contains(&action.program.as_str());
        checks_out && action.verb == Verb::Write && action.kind == ResourceKind::Git
    })?;
    let (own, branch) = moved.name.split_once('#')?;
    (own == root).then(|| branch.to_owned())
}

/// Whether a directory lies in a work tree that this call has cloned, added or initialised.
fn is_made_in_call(world: &World<'_>, dir: &str) -> bool {
    let makes = |action: &Action| {
        let new = action.verb == Verb::Write && action.flags.has(Flag::Creates);
        new && action.kind == ResourceKind::Git && is_within(dir, &action.name)
    };
    world.analysis.actions.iter().any(makes)
}

/// What earlier commands of this call, by their names, did to this repository.
pub(super) fn earlier<'w>(
    world: &'w World<'_>,
    programs: &'static [&'static str],
    root: &str,
) -> impl Iterator<Item = &'w Action> {
    let inside = move |action: &&Action| {
        let own = action.name.split('#').next();
        programs.contains(&action.program.as_str()) && own == Some(root)
    };
    world.analysis.actions.iter().filter(inside)
}

/// Where the options and the environment say that git is to act.
struct Ground<'a> {
    enter: Vec<&'a Arg>,
    repository: Option<Arg>,
    work_tree: Option<Arg>,
}

impl<'a> Ground<'a> {
    fn new(invocation: &Invocation, world: &World<'_>, read: &'a Options) -> Self {
        let told = |option: &str, variable: &str| {
            let given = read.value(option).or_else(|| invocation.var(variable));
            let inherited = || world.place.var(variable).map(Arg::literal);
            given.cloned().or_else(inherited)
        };
        Self {
            enter: read.values("C").collect(),
            repository: told("git-dir", "GIT_DIR"),
            work_tree: told("work-tree", "GIT_WORK_TREE"),
        }
    }
}

/// The directory that a command acts in.
fn directory(ground: &Ground<'_>, world: &World<'_>) -> Result<String, String> {
    let start = world.cwd().ok_or("the present directory is not known")?;
    let mut dir = start.to_owned();
    for step in &ground.enter {
        dir = join(&dir, known(step)?);
    }
    let Some(repository) = &ground.repository else {
        let elsewhere = ground.work_tree.as_ref().map(known).transpose()?;
        let tree = elsewhere.map_or_else(|| dir.clone(), |path| join(&dir, path));
        return if tree == dir {
            Ok(dir)
        } else {
            Err(format!("the work tree of {dir} is put at {tree}"))
        };
    };
    let tree = match &ground.work_tree {
        Some(tree) => join(&dir, known(tree)?),
        None => dir.clone(),
    };
    let own = join(&dir, known(repository)?);
    if own == join(&tree, ".git") {
        Ok(tree)
    } else {
        Err(format!("{own} is given {tree} as its work tree"))
    }
}

fn known(arg: &Arg) -> Result<&str, String> {
    if arg.is_known() {
        Ok(&arg.text)
    } else {
        Err("the directory is not known".to_owned())
    }
}

/// Settings from `-c`, `--config-env` and the `GIT_CONFIG_…` variables.
fn settings(invocation: &Invocation, read: &Options) -> Vec<Setting> {
    let mut found = from_environment(invocation);
    for given in read.values("config-env") {
        if let Some((key, variable)) = given.text.split_once('=') {
            let value = invocation.var(variable).cloned().unwrap_or_else(hole);
            found.push(setting(key, value));
        }
    }
    found.extend(read.values("c").map(assignment));
    found
}

fn from_environment(invocation: &Invocation) -> Vec<Setting> {
    let mut found = Vec::new();
    if let Some(parameters) = invocation.var("GIT_CONFIG_PARAMETERS") {
        let text = parameters.text.replace('\'', "");
        found.extend(
            text.split_whitespace()
                .map(Arg::literal)
                .map(|word| assignment(&word)),
        );
    }
    let count = invocation.var("GIT_CONFIG_COUNT");
    let count = count.map_or(0, |arg| arg.text.parse().unwrap_or(CONFIG_COUNT_MAX));
    for index in 0..count.min(CONFIG_COUNT_MAX) {
        if let Some(key) = invocation.var(&format!("GIT_CONFIG_KEY_{index}")) {
            let value = invocation.var(&format!("GIT_CONFIG_VALUE_{index}"));
            found.push(setting(&key.text, value.cloned().unwrap_or_else(hole)));
        }
    }
    found
}

/// `key=value`, or `key` alone for true.
pub(super) fn assignment(arg: &Arg) -> Setting {
    let (key, value) = arg.text.split_once('=').unwrap_or((&arg.text, "true"));
    let value = Arg {
        text: value.to_owned(),
        ..arg.clone()
    };
    setting(key, value)
}

fn setting(key: &str, value: Arg) -> Setting {
    let key = key.to_lowercase();
    Setting { key, value }
}

fn hole() -> Arg {
    Arg {
        text: Arg::HOLE.to_string(),
        sure: Certainty::Unknown,
        glob: false,
    }
}
