//! Where a call runs, as far as it is known before anything is looked up.

use crate::{Environment, Own};

/// Variables that turn the gate off when the host itself was started with one of them set to
/// `false`.
pub const KILL_SWITCHES: &[&str] = &["TOLLGATE_ENABLED", "POLICY_GATE_ENABLED"];

/// Variables that keep strikes from being counted, in the same way: every pattern then warns.
pub const STRIKE_SWITCHES: &[&str] = &["STRIKE_TRACKING_ENABLED"];

/// What is known of settings files that hold more than what is ours. All places know the same.
#[derive(Clone, Copy)]
pub struct SettingsFiles {
    /// Whether a path is one.
    pub is_one: fn(&str) -> bool,
    /// Whether a text takes the place of another at such a path and touches nothing that concerns
    /// us, nor anything that is run.
    pub is_free: fn(&str, (&str, &str)) -> bool,
    /// A text of such a file with one member changed; nothing if it is not known what it says then.
    pub edited: fn(&str, &MemberEdit) -> Option<String>,
    /// Whether words are about hooks, as the host of a file calls them; without a file, as any
    /// does.
    pub speaks: fn(&str, &str) -> bool,
}

/// A change of one member of a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberEdit {
    /// The names of the members that lead to it, outermost first.
    pub path: Vec<String>,
    /// What becomes of it.
    pub change: MemberChange,
    /// What it is given, as the file would have it; empty if it goes.
    pub value: String,
}

/// What becomes of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberChange {
    /// It holds something else.
    Set,
    /// Its list has more at its end.
    Append,
    /// It goes.
    Remove,
}

impl Default for SettingsFiles {
    fn default() -> Self {
        Self {
            is_one: |_| false,
            is_free: |_, _| false,
            edited: |_, _| None,
            speaks: |_, _| false,
        }
    }
}

impl PartialEq for SettingsFiles {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for SettingsFiles {}

impl std::fmt::Debug for SettingsFiles {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str("SettingsFiles")
    }
}

/// Programs, each with words of its command line.
pub type Ungated = &'static [(&'static str, &'static [&'static str])];

/// The surroundings of a call: what the edge knows without touching the target.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallEnv {
    /// When the call came, in milliseconds since 1970; 0 if that is not known.
    pub time: u64,
    /// Current directory; absolute.
    pub cwd: String,
    /// Root of the project (the work tree's top, or the session's start directory); absolute.
    pub project: String,
    /// The user's home; absolute, or empty if it could not be learned.
    pub home: String,
    /// Directories for temporary files; absolute, real paths included (`/tmp`, `$TMPDIR`).
    pub temp: Vec<String>,
    /// Environment of the host process that commands inherit.
    pub env: Environment,
    /// Whether nobody is shown what is typed into a program that runs already.
    pub hides_input: bool,
    /// Whether the file system takes names that differ in case alone for the same.
    pub folds_case: bool,
    /// What belongs to the gate itself or switches it.
    pub own: Own,
    /// What only a human may read: where codes and keys are kept. Directories and files; absolute.
    pub secrets: Vec<String>,
    /// Names of the programs that are agents' command lines.
    pub agents: Vec<String>,
    /// Agents' programs, each with the words with which it runs without our hooks.
    pub ungated: Ungated,
    /// What is known of hosts' settings files.
    pub settings: SettingsFiles,
    /// Globs of files that define subagents. Filled in only where a review is owed.
    pub definitions: Vec<String>,
    /// Hashes ([`crate::fnv64`]) of paths this session created.
    pub created_paths: Vec<u64>,
    /// Hashes of paths whose present content this session has written or read.
    pub read_paths: Vec<u64>,
    /// Files that were as they are committed before this session changed them, as it left them.
    pub edits: Vec<EditedFile>,
    /// Paths that earlier calls of this session moved work to which is nowhere else.
    pub moved_paths: Vec<String>,
    /// Copies that earlier calls of this session made of such work.
    pub copied_paths: Vec<CopiedPath>,
}

/// A file as a session left it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EditedFile {
    /// Its path; absolute.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// When it was last written, in nanoseconds since 1970; 0 as long as that is not known.
    pub modified: u64,
    /// Hash of what names the call that changed it, to be told of its end.
    pub call: u64,
}

crate::fields!(EditedFile {
    path,
    bytes,
    modified,
    call,
});

/// A file or directory, and where a copy of it was put.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CopiedPath {
    /// What was copied; absolute.
    pub from: String,
    /// Where the copy is; absolute.
    pub to: String,
}

crate::fields!(CopiedPath { from, to });

impl CallEnv {
    /// The value of an environment variable.
    #[must_use]
    pub fn var(&self, name: &str) -> Option<&str> {
        self.env.get(name)
    }

    /// The switch that the environment turns off. Where a call is judged nevertheless, it was not
    /// the host that was started so.
    #[must_use]
    pub fn kill_switch(&self) -> Option<&'static str> {
        let is_off = |name: &&&str| self.var(name) == Some("false");
        KILL_SWITCHES.iter().find(is_off).copied()
    }
}

/// Which part of the machine a path lies in. The order is from harmless to grave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Zone {
    /// Inside a directory for temporary files, not that directory itself.
    Temp,
    /// Inside the project, not its root.
    Project,
    /// The project's root itself, or a directory above it.
    ProjectRoot,
    /// Inside the home directory, outside the project.
    Home,
    /// Somewhere else that is not the system's.
    Outside,
    /// A device file that does no harm (`/dev/null`, a terminal).
    Sink,
    /// The system's: `/etc`, `/usr`, `/dev/sda`, …
    System,
    /// The home directory itself, or all homes.
    HomeRoot,
    /// The root of a file system.
    Root,
    /// The path is not known.
    #[default]
    Unknown,
}

impl Zone {
    /// Every zone with the name that rules use for it.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("temp", Self::Temp),
        ("project", Self::Project),
        ("project-root", Self::ProjectRoot),
        ("home", Self::Home),
        ("outside", Self::Outside),
        ("sink", Self::Sink),
        ("system", Self::System),
        ("home-root", Self::HomeRoot),
        ("root", Self::Root),
        ("unknown", Self::Unknown),
    ];

    /// The name that rules use.
    #[must_use]
    pub fn name(self) -> &'static str {
        crate::action::name_of(Self::NAMES, self)
    }
}
