//! An action: what a call would do, to what, and what would be lost.

use crate::{CopiedPath, Fact, LostFile, Zone};

/// Looks up the name of a variant in its table.
#[must_use]
pub fn name_of<T: Copy + PartialEq>(names: &'static [(&'static str, T)], value: T) -> &'static str {
    let found = names.iter().find(|(_, variant)| *variant == value);
    found.map_or("?", |(name, _)| name)
}

/// What is done. A closed set (ARCHITECTURE.md, "Actions").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verb {
    /// Look at it.
    Read,
    /// Change or create it.
    Write,
    /// Remove it.
    Delete,
    /// Give it another name; may replace what has that name.
    Move,
    /// Change owner or permissions.
    Reown,
    /// Throw away uncommitted work.
    Discard,
    /// Change history that exists.
    Rewrite,
    /// Hand to others: push, publish a package or an image.
    Publish,
    /// Change running infrastructure.
    Deploy,
    /// Destroy data that is not a file here.
    Destroy,
    /// Add software.
    Install,
    /// Run a program whose effect is not read.
    Execute,
    /// Open a shell or interpreter whose input will not be seen.
    OpenChannel,
    /// Send data out.
    Send,
    /// Get data in.
    Fetch,
    /// Gain rights.
    Elevate,
    /// End processes.
    Kill,
    /// Hand work to another agent outside this session.
    Delegate,
    /// Change or switch off the gate.
    Tamper,
    /// Skip a check (`--no-verify`, `core.hooksPath=`).
    Bypass,
    /// Could not be understood.
    Unknown,
}

impl Verb {
    /// Every verb with the name that rules use for it.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("read", Self::Read),
        ("write", Self::Write),
        ("delete", Self::Delete),
        ("move", Self::Move),
        ("reown", Self::Reown),
        ("discard", Self::Discard),
        ("rewrite", Self::Rewrite),
        ("publish", Self::Publish),
        ("deploy", Self::Deploy),
        ("destroy", Self::Destroy),
        ("install", Self::Install),
        ("execute", Self::Execute),
        ("open_channel", Self::OpenChannel),
        ("send", Self::Send),
        ("fetch", Self::Fetch),
        ("elevate", Self::Elevate),
        ("kill", Self::Kill),
        ("delegate", Self::Delegate),
        ("tamper", Self::Tamper),
        ("bypass", Self::Bypass),
        ("unknown", Self::Unknown),
    ];

    /// The name that rules use.
    #[must_use]
    pub fn name(self) -> &'static str {
        name_of(Self::NAMES, self)
    }
}

/// What kind of thing an action is done to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum ResourceKind {
    /// A file or directory; the name is an absolute path.
    File,
    /// A file that someone will execute later (a git hook, an rc file, a CI file).
    Autorun,
    /// A git repository here; the name is its root, or `root#ref`.
    Git,
    /// A git remote; the name is `remote/branch`.
    Remote,
    /// A cluster object; the name is `kind/name`.
    K8s,
    /// A cloud resource.
    Cloud,
    /// A database.
    Db,
    /// An address.
    Url,
    /// A process.
    Process,
    /// A package.
    Package,
    /// A tool of an MCP server; the name is `server/tool`.
    Mcp,
    /// A program; the name is as it was called.
    Program,
    /// The gate itself.
    Gate,
    /// Not known.
    #[default]
    Unknown,
}

impl ResourceKind {
    /// Every kind with the name that rules use for it.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("file", Self::File),
        ("autorun", Self::Autorun),
        ("git", Self::Git),
        ("remote", Self::Remote),
        ("k8s", Self::K8s),
        ("cloud", Self::Cloud),
        ("db", Self::Db),
        ("url", Self::Url),
        ("process", Self::Process),
        ("package", Self::Package),
        ("mcp", Self::Mcp),
        ("program", Self::Program),
        ("gate", Self::Gate),
        ("unknown", Self::Unknown),
    ];

    /// The name that rules use.
    #[must_use]
    pub fn name(self) -> &'static str {
        name_of(Self::NAMES, self)
    }
}

/// How sure we are that this is what would happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Certainty {
    /// Spelled out in the call.
    #[default]
    Literal,
    /// Follows from what is spelled out (a variable, a file that was read).
    Derived,
    /// Likely.
    Guessed,
    /// Part of it could not be read.
    Unknown,
}

impl Certainty {
    /// Every certainty with the name that rules use for it.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("literal", Self::Literal),
        ("derived", Self::Derived),
        ("guessed", Self::Guessed),
        ("unknown", Self::Unknown),
    ];

    /// The name that rules use.
    #[must_use]
    pub fn name(self) -> &'static str {
        name_of(Self::NAMES, self)
    }
}

/// What would exist nowhere else afterwards.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Loss {
    /// The first files that would be lost, at most [`LOSS_SHOWN_MAX`].
    pub files: Vec<LostFile>,
    /// How many files in all.
    pub files_total: u64,
    /// Bytes in all, as far as counted.
    pub bytes: u64,
    /// Other things that would be lost, in words (`4 commits on no other branch`).
    pub other: Vec<String>,
    /// Whether there are more files than were counted.
    pub more: bool,
}

/// Most files that a loss names.
pub const LOSS_SHOWN_MAX: usize = 8;

impl Loss {
    /// Whether nothing would be lost.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.files_total == 0 && self.other.is_empty()
    }

    /// Adds another loss to this one.
    pub fn add(&mut self, more: &Self) {
        for file in &more.files {
            if self.files.len() < LOSS_SHOWN_MAX {
                self.files.push(file.clone());
            }
        }
        self.files_total += more.files_total;
        self.bytes += more.bytes;
        self.other.extend(more.other.iter().cloned());
        self.more |= more.more;
    }

    /// The loss in words: `4 files with uncommitted changes (src/a.rs +37 −2, …)`.
    #[must_use]
    pub fn in_words(&self) -> String {
        let mut parts = Vec::new();
        if self.files_total > 0 {
            let (noun, verb) = if self.files_total == 1 {
                ("file", "exists")
            } else {
                ("files", "exist")
            };
            let shown: Vec<String> = self.files.iter().take(3).map(LostFile::in_words).collect();
            let more = if self.files_total as usize > shown.len() {
                ", …"
            } else {
                ""
            };
            parts.push(format!(
                "{} {noun} that {verb} nowhere else ({}{more})",
                self.files_total,
                shown.join(", ")
            ));
        }
        if self.more {
            parts.push("more than could be counted".to_owned());
        }
        parts.extend(self.other.iter().cloned());
        parts.join("; ")
    }
}

/// Something that undo has to keep before an action.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BackupItem {
    /// One file or link; an absolute path.
    File(String),
    /// What [`crate::Facts::trees`] says would be lost below this absolute path, with the shape of
    /// its directories, and its repositories as plain files.
    Tree(String),
    /// What is staged in the repository of this work tree (its top; absolute).
    Index(String),
    /// The commits that would become unreachable.
    Ref(crate::RefKey),
}

/// A property of the way an action is done. A closed set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Flag {
    /// Whole directory trees.
    Recursive,
    /// Without asking, or against a refusal.
    Force,
    /// Forced, but only if the remote is as last seen.
    ForceWithLease,
    /// Only shows what it would do.
    DryRun,
    /// Many things at once (`--all`, a selector, a loop, a glob of everything).
    Mass,
    /// The words name a task that is tracked somewhere.
    Tracked,
    /// With another user's rights.
    Elevated,
    /// The target's new content is known and appended, not replaced.
    Append,
    /// The target is a secret by its name (`.env`, `id_rsa`).
    Secret,
    /// The target is replaced as a whole.
    Truncate,
    /// Read from a script file or from text written earlier, not from the call itself.
    Script,
    /// Input comes from the network.
    Downloaded,
    /// Only in memory or the index, files stay.
    KeepsFiles,
    /// Deletes a branch, tag or remote ref.
    DeletesRef,
    /// Under the rules of another machine or container.
    Elsewhere,
    /// In the background.
    Background,
    /// The target does not exist yet.
    Creates,
    /// Input comes out of a decoder or filter, so that nobody has read it as what it is.
    Decoded,
    /// A secret that is read, in a call that sends data away after it.
    Sent,
    /// Nobody will be shown what comes in through it.
    Hidden,
    /// All commits of the branch are in another branch of the same remote, as it was last seen.
    Merged,
    /// The tool is not described as it was when it was first seen.
    Changed,
}

impl Flag {
    /// Every flag with the name that rules use for it.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("recursive", Self::Recursive),
        ("force", Self::Force),
        ("force_with_lease", Self::ForceWithLease),
        ("dry_run", Self::DryRun),
        ("mass", Self::Mass),
        ("tracked", Self::Tracked),
        ("elevated", Self::Elevated),
        ("append", Self::Append),
        ("secret", Self::Secret),
        ("truncate", Self::Truncate),
        ("script", Self::Script),
        ("downloaded", Self::Downloaded),
        ("keeps_files", Self::KeepsFiles),
        ("deletes_ref", Self::DeletesRef),
        ("elsewhere", Self::Elsewhere),
        ("background", Self::Background),
        ("creates", Self::Creates),
        ("decoded", Self::Decoded),
        ("sent", Self::Sent),
        ("hidden", Self::Hidden),
        ("merged", Self::Merged),
        ("changed", Self::Changed),
    ];

    /// The name that rules use.
    #[must_use]
    pub fn name(self) -> &'static str {
        name_of(Self::NAMES, self)
    }
}

/// Flags of one action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Flags(u32);

impl Flags {
    /// No flag.
    pub const NONE: Self = Self(0);

    /// These flags and one more.
    #[must_use]
    pub const fn with(self, flag: Flag) -> Self {
        Self(self.0 | 1 << flag as u32)
    }

    /// These flags, and one more if `on`.
    #[must_use]
    pub fn with_if(self, flag: Flag, on: bool) -> Self {
        if on { self.with(flag) } else { self }
    }

    /// These flags without one.
    #[must_use]
    pub fn without(self, flag: Flag) -> Self {
        Self(self.0 & !(1 << flag as u32))
    }

    /// Both sets together.
    #[must_use]
    pub fn and(self, more: Self) -> Self {
        Self(self.0 | more.0)
    }

    /// Whether a flag is set.
    #[must_use]
    pub fn has(self, flag: Flag) -> bool {
        self.0 & 1 << flag as u32 != 0
    }

    /// Whether all of `wanted` are set.
    #[must_use]
    pub fn has_all(self, wanted: Self) -> bool {
        self.0 & wanted.0 == wanted.0
    }

    /// Whether one of `unwanted` is set.
    #[must_use]
    pub fn has_any(self, unwanted: Self) -> bool {
        self.0 & unwanted.0 != 0
    }

    /// The set flags, in the order of [`Flag::NAMES`].
    pub fn iter(self) -> impl Iterator<Item = Flag> {
        let all = Flag::NAMES.iter().map(|(_, flag)| *flag);
        all.filter(move |flag| self.has(*flag))
    }

    /// As a number, for the flat form of rules.
    #[must_use]
    pub fn bits(self) -> u32 {
        self.0
    }

    /// From a number.
    #[must_use]
    pub fn from_bits(bits: u32) -> Self {
        Self(bits)
    }
}

/// One action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// What is done.
    pub verb: Verb,
    /// To what kind of thing.
    pub kind: ResourceKind,
    /// To which: an absolute path for files, else as [`ResourceKind`] says. Empty if unknown.
    pub name: String,
    /// Where a file lies; [`Zone::Unknown`] for what is no file.
    pub zone: Zone,
    /// How.
    pub flags: Flags,
    /// How sure.
    pub certainty: Certainty,
    /// What would be lost. `Known(nothing)` for what destroys nothing.
    pub loss: Fact<Loss>,
    /// What undo has to keep before it: all that would exist nowhere else, what this session made
    /// itself included.
    pub backups: Vec<BackupItem>,
    /// Program and subcommand (`git reset`), or the neutral tool name (`write`).
    pub program: String,
    /// The words of the simple command, resolved as far as known; the name alone for file tools.
    pub argv: Vec<String>,
    /// The simple command as written, on one line, for showing.
    pub text: String,
    /// Branch that is rewritten or pushed to, if one is known; empty otherwise.
    pub branch: String,
    /// What stands between the call and this action (`sudo`, `bash -c`, `script x.sh`), outermost
    /// first.
    pub via: Vec<String>,
}

impl Action {
    /// An action with nothing known but its verb, kind and name.
    #[must_use]
    pub fn new(verb: Verb, kind: ResourceKind, name: impl Into<String>) -> Self {
        Self {
            verb,
            kind,
            name: name.into(),
            zone: Zone::Unknown,
            flags: Flags::NONE,
            certainty: Certainty::Literal,
            loss: Fact::Known(Loss::default()),
            backups: Vec::new(),
            program: String::new(),
            argv: Vec::new(),
            text: String::new(),
            branch: String::new(),
            via: Vec::new(),
        }
    }

    /// The canonical spelling: `delete file:/x`, as the journal and `explain` show it.
    #[must_use]
    pub fn canonical(&self) -> String {
        format!("{} {}:{}", self.verb.name(), self.kind.name(), self.name)
    }
}

/// What a call would do, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Analysis {
    /// The actions, in the order in which they would happen.
    pub actions: Vec<Action>,
    /// What could not be understood, in words, for `explain` and for the failure rule.
    pub unread: Vec<String>,
    /// Whether a limit cut the list short.
    pub cut: bool,
    /// Files that it changes which are as they are committed, or as this session left them after
    /// they were.
    pub edited_paths: Vec<String>,
    /// Paths that it moves work to which is nowhere else afterwards.
    pub moved_paths: Vec<String>,
    /// Copies that it makes of such work.
    pub copied_paths: Vec<CopiedPath>,
}
