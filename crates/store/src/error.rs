//! What can go wrong with state, in words for people. Decides nothing.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use model::{Fault, FaultCause};

/// Why state could not be read or written.
#[derive(Debug)]
pub enum StoreError {
    /// Someone else could read or change it.
    NotPrivate {
        /// The file or directory.
        path: PathBuf,
        /// What is wrong with it, and the next step.
        why: String,
    },
    /// It is not a plain file: a link, a directory, a pipe.
    NotPlain {
        /// The file.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// Another process holds the lock for too long.
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// A newer program wrote it.
    Newer {
        /// The file.
        path: PathBuf,
    },
    /// It has grown past its limit.
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// The hardened install's state is closed to this process: the system withheld the group.
    Withheld {
        /// The directory.
        path: PathBuf,
    },
    /// There is neither a home nor a setting that says where state is.
    NoHome,
    /// The system refused.
    System {
        /// What was tried: `read`, `write`, …
        doing: &'static str,
        /// On which file or directory.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

impl StoreError {
    /// For `map_err`: what was tried on which path.
    pub(crate) fn system(doing: &'static str, path: PathBuf) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::System {
            doing,
            path,
            source,
        }
    }

    /// The row of the failure table: state is not to be had.
    #[must_use]
    pub fn fault(&self) -> Fault {
        Fault {
            cause: FaultCause::State,
            what: self.to_string(),
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotPrivate { path, why } => write!(out, "{} {why}", path.display()),
            Self::NotPlain { path, what } => {
                let path = path.display();
                write!(out, "{path} is {what}, not a plain file; move it away")
            }
            Self::Busy { path } => {
                let path = path.display();
                write!(
                    out,
                    "{path} is locked by another process; try again, or end that process"
                )
            }
            Self::Newer { path } => {
                let path = path.display();
                write!(
                    out,
                    "{path} was written by a newer tollgate; run `tollgate init` again"
                )
            }
            Self::TooLarge { path } => {
                write!(
                    out,
                    "{} is over its size limit; move it away",
                    path.display()
                )
            }
            Self::Withheld { path } => {
                let path = path.display();
                write!(
                    out,
                    "{path} is closed: setgid has no effect here (no_new_privs, a user namespace, \
                     a nosuid mount); start the agent outside of it"
                )
            }
            Self::NoHome => write!(out, "no home directory is known; set HOME or TOLLGATE_HOME"),
            Self::System {
                doing,
                path,
                source,
            } => {
                let step = match is_anothers(path) {
                    true => next_step_elsewhere(source.kind()),
                    false => next_step(source.kind()),
                };
                let path = path.display();
                write!(out, "could not {doing} {path} ({source}); {step}")
            }
        }
    }
}

/// Without a source: the words hold the system's reason already, and who prints the whole chain
/// would say it twice.
impl std::error::Error for StoreError {}

/// Whether a path is beside a file that is not ours: what we keep of it bears our name.
fn is_anothers(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.contains(crate::outside::BACKUP)
}

/// What a person can do where somebody else's file cannot be changed.
fn next_step_elsewhere(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "its directory is not to be written to: if a tool makes this file, put the lines that \
             tollgate init --dry-run shows where that tool reads them"
        }
        kind => next_step(kind),
    }
}

/// What a person can do about a refusal of the system.
fn next_step(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "free some space there"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "set TOLLGATE_HOME to a directory that you own"
        }
        io::ErrorKind::NotADirectory => "move away what is in its place",
        io::ErrorKind::AlreadyExists => "choose another name, or move it away",
        _ => "run `tollgate doctor`",
    }
}
