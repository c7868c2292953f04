//! What undo does with directories of the state, beside what all of the store does with its files.

use std::fs::DirBuilder;
use std::io;
use std::path::Path;

use crate::files::Root;
use crate::{hardened, sys};

/// How often a directory that goes while it is made is made again.
const TRIES: u32 = 4;

impl Root {
    /// Makes a directory that must not be there yet, and those above it if they are missing.
    pub(super) fn claim_dir(&self, name: &str) -> io::Result<()> {
        let _rights = hardened::rights();
        let path = self.at(name);
        let mut made = private_dir(&path);
        for _ in 0..TRIES {
            match &made {
                // Missing, or removed by the end of another capture.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    path.parent().map_or(Ok(()), sys::make_dir)?;
                    made = private_dir(&path);
                }
                _ => break,
            }
        }
        made
    }

    /// Removes a directory if nothing is in it.
    pub(super) fn remove_empty(&self, name: &str) {
        let _rights = hardened::rights();
        drop(std::fs::remove_dir(self.at(name)));
    }

    /// Whether there is something under a name.
    pub(super) fn is_there(&self, name: &str) -> bool {
        let _rights = hardened::rights();
        self.at(name).symlink_metadata().is_ok()
    }

    /// Whether there is a directory under a name.
    pub(super) fn is_dir(&self, name: &str) -> bool {
        let _rights = hardened::rights();
        let metadata = self.at(name).symlink_metadata();
        metadata.is_ok_and(|metadata| metadata.is_dir())
    }

    /// Gives a file its name in another directory, made if it is missing.
    pub(super) fn move_to(&self, from: &str, to: &str) -> io::Result<()> {
        let _rights = hardened::rights();
        let (from, to) = (self.at(from), self.at(to));
        match std::fs::rename(&from, &to) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                to.parent().map_or(Ok(()), sys::make_dir)?;
                std::fs::rename(&from, &to)
            }
            renamed => renamed,
        }
    }
}

fn private_dir(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    {
        let mode = hardened::layout().map_or(0o700, |_| hardened::DIR_MODE);
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, mode);
    }
    builder.create(path)
}
