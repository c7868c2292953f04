//! Why something about the world cannot be known. A closed set; the words are for people.

use model::TOO_LATE;
use std::fmt;
use std::io::ErrorKind;
use std::process::ExitStatus;

/// Why something cannot be known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LookError {
    /// The time for looking at files is over.
    OutOfTime,
    /// The time for asking git is over.
    OutOfTimeForGit,
    /// More paths were asked for than are looked at.
    TooManyLooks(u32),
    /// Git was run as often as it may be.
    NoGitRunLeft,
    /// The system says no.
    Io {
        /// The path that it is about.
        path: String,
        /// What it says.
        kind: ErrorKind,
    },
    /// A path does not begin at the root.
    NotAbsolute(String),
    /// A glob does not begin at the root.
    RelativeGlob(String),
    /// Links lead on and on.
    TooManyLinks(String),
    /// It is a directory, a pipe or a device.
    NotRegular(String),
    /// A file is longer than is read.
    TooLong {
        /// The file.
        path: String,
        /// What is read at most.
        bytes_max: u64,
    },
    /// A file is no archive that is read here.
    NoArchive(String),
    /// A glob matches more than is listed.
    TooManyMatches {
        /// The glob.
        glob: String,
        /// What is listed at most.
        max: usize,
    },
    /// A directory holds more than is looked at.
    TooMuchIn(String),
    /// A directory holds more, deeper, than is looked at.
    TooMuchBelow(String),
    /// It cannot be read.
    Unreadable(String),
    /// It is in no repository.
    NoRepository(String),
    /// It is in no work tree.
    NoWorkTree(String),
    /// What is to be reviewed is in no work tree.
    NotUnderGit(String),
    /// A repository has no work tree.
    Bare(String),
    /// It lies in a repository's own directory.
    GitDir(String),
    /// Git's own files say something that only git understands.
    Form(Form),
    /// Git's own files lead to nothing.
    LeadsNowhere(&'static str),
    /// The configuration includes a file that cannot be found as git finds it.
    Includes(String),
    /// A name is not the name of a ref.
    NotRef(String),
    /// So many commits are not looked at.
    TooManyCommits(usize),
    /// So many files that differ are not looked at.
    TooManyFiles,
    /// There is no git that is not the project's own.
    NoGit,
    /// A program did not start.
    NotStarted {
        /// Its name.
        program: String,
        /// What the system says.
        kind: ErrorKind,
    },
    /// A program has no output.
    NoOutput,
    /// Git ended with a failure.
    GitRefused(ExitStatus),
    /// Git was ended.
    GitTooSlow,
    /// Git said something else than a number of commits.
    NoCount,
}

/// What only git understands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The index ends before its header does.
    IndexShort,
    /// The index ends within an entry.
    IndexCut,
    /// The index ends within an extension.
    ExtensionCut,
    /// The index has another version.
    IndexVersion,
    /// The index has more entries than are read.
    IndexLong,
    /// The index holds directories.
    IndexSparse,
    /// The index lies in more than one file.
    IndexSplit,
    /// The refs are in no files.
    Refs,
    /// The configuration includes file after file.
    Includes,
    /// A filter's name would end its own setting.
    Filter,
}

impl Form {
    fn words(self) -> &'static str {
        match self {
            Self::IndexShort => "the index is too short",
            Self::IndexCut => "the index is cut short",
            Self::ExtensionCut => "an extension of the index is cut short",
            Self::IndexVersion => "the index has a form that only git reads",
            Self::IndexLong => "the index has too many entries",
            Self::IndexSparse => "the index is sparse; only git reads it",
            Self::IndexSplit => "the index is split or sparse; only git reads it",
            Self::Refs => "the refs are in a form that only git reads",
            Self::Includes => "the repository's configuration includes too many files",
            Self::Filter => "the repository names a filter that cannot be shut off",
        }
    }
}

impl From<Form> for LookError {
    fn from(form: Form) -> Self {
        Self::Form(form)
    }
}

impl fmt::Display for LookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfTime => f.write_str(TOO_LATE),
            Self::OutOfTimeForGit => write!(f, "{TOO_LATE} by git"),
            Self::TooManyLooks(max) => write!(f, "{TOO_LATE}: more than {max} paths"),
            Self::NoGitRunLeft => write!(f, "{TOO_LATE}: git ran too often"),
            Self::Io { path, kind } => write!(f, "{path}: {kind}"),
            Self::NotAbsolute(path) => write!(f, "{path} is not an absolute path"),
            Self::RelativeGlob(glob) => write!(f, "{glob} is not absolute"),
            Self::TooManyLinks(path) => write!(f, "{path} leads through too many links"),
            Self::NotRegular(path) => write!(f, "{path} is not a regular file"),
            Self::TooLong { path, bytes_max } => {
                write!(f, "{path} is longer than {bytes_max} bytes")
            }
            Self::NoArchive(path) => write!(f, "{path} is no archive that is read"),
            Self::TooManyMatches { glob, max } => write!(f, "{glob} matches more than {max} paths"),
            Self::TooMuchIn(dir) => write!(f, "there is too much in {dir}"),
            Self::TooMuchBelow(dir) => write!(f, "there is too much below {dir}"),
            Self::Unreadable(path) => write!(f, "{path} cannot be read"),
            Self::NoRepository(dir) => write!(f, "{dir} is in no repository"),
            Self::NoWorkTree(dir) => write!(f, "{dir} is in no work tree"),
            Self::NotUnderGit(dir) => write!(f, "{dir} is in no work tree of git"),
            Self::GitDir(top) => write!(f, "{top} has no work tree"),
            Self::Bare(top) => write!(f, "{top} is a repository without a work tree"),
            Self::Form(form) => f.write_str(form.words()),
            Self::LeadsNowhere(what) => write!(f, "{what} leads nowhere"),
            Self::Includes(path) => {
                write!(f, "the repository's configuration includes {path}")
            }
            Self::NotRef(name) => write!(f, "`{name}` is not the name of a ref"),
            Self::TooManyCommits(count) => write!(f, "{count} commits are too many"),
            Self::TooManyFiles => f.write_str("too many files differ from the last commit"),
            Self::NoGit => f.write_str("git was not found outside the project"),
            Self::NotStarted { program, kind } => write!(f, "{program} did not start: {kind}"),
            Self::NoOutput => f.write_str("it has no output"),
            Self::GitRefused(status) => write!(f, "git refused to answer ({status})"),
            Self::GitTooSlow => write!(f, "{TOO_LATE}: git took too long"),
            Self::NoCount => f.write_str("git gave no number of commits"),
        }
    }
}

impl std::error::Error for LookError {}
