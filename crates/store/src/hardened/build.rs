//! Making and unmaking the hardened install, as root: directories, programs, the link. Knows no
//! settings of hosts.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use super::Layout;
use crate::{StoreError, sys};

/// What everybody may enter and only root may change.
const DIR_MODE: u32 = 0o755;
/// What everybody may start, with the group's rights.
const PROGRAM_MODE: u32 = 0o2755;
/// What the group may enter and make things in, which then are the group's; nobody else.
const STATES_MODE: u32 = 0o3770;
/// What everybody may read.
const SETTINGS_MODE: u32 = 0o644;
/// Root, as a user and as a group.
const ROOT: u32 = 0;

/// What stands where the link in people's path should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// Nothing.
    Missing,
    /// Our link.
    Ours,
    /// Something else, which is left alone.
    Other,
}

impl Layout {
    /// Makes the directories of programs and of state.
    ///
    /// # Errors
    /// If one cannot be made, or is not root's.
    pub fn make_dirs(&self, group: u32) -> Result<(), StoreError> {
        make_dir(&self.programs(), DIR_MODE, ROOT)?;
        make_dir(&self.states(), STATES_MODE, group)
    }

    /// Puts a program in its place, to be started by everybody with the group's rights. Replaced by
    /// rename, so what runs goes on.
    ///
    /// # Errors
    /// If it cannot be read or written.
    pub fn install_program(&self, name: &str, from: &Path) -> Result<(), StoreError> {
        let group = self.group()?;
        let bytes = fs::read(from).map_err(StoreError::system("read", from.to_owned()))?;
        let path = self.programs().join(name);
        let draft = self.programs().join(format!(".{name}.draft"));
        drop(fs::remove_file(&draft));
        let written = fs::File::create_new(&draft).and_then(|mut file| {
            file.write_all(&bytes)?;
            sys::give(&draft, PROGRAM_MODE, group)?;
            file.sync_all()
        });
        let placed = written.and_then(|()| fs::rename(&draft, &path));
        placed.map_err(|error| {
            drop(fs::remove_file(&draft));
            StoreError::system("write", path)(error)
        })
    }

    /// Gives a program that is in its place the owner and permissions that it should have.
    ///
    /// # Errors
    /// If they cannot be set.
    pub fn settle_program(&self, name: &str) -> Result<(), StoreError> {
        let group = self.group()?;
        let path = self.programs().join(name);
        let settled = sys::give(&path, PROGRAM_MODE, group);
        settled.map_err(StoreError::system("set the owner of", path))
    }

    /// The group that reaches the state.
    ///
    /// # Errors
    /// If there is no state yet.
    pub fn group(&self) -> Result<u32, StoreError> {
        let states = self.states();
        let metadata = states.symlink_metadata();
        let metadata = metadata.map_err(StoreError::system("look at", states))?;
        Ok(sys::owning_group(&metadata))
    }

    /// What stands where the link should be.
    #[must_use]
    pub fn link_state(&self) -> Link {
        match fs::read_link(self.link()) {
            Ok(target) if target == self.programs().join("tollgate") => Link::Ours,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Link::Missing,
            _ => Link::Other,
        }
    }

    /// Makes the link in people's path, unless something is there.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn make_link(&self) -> Result<(), StoreError> {
        if self.link_state() != Link::Missing {
            return Ok(());
        }
        let link = self.link();
        if let Some(dir) = link.parent() {
            make_dir_if_missing(dir).map_err(StoreError::system("make", dir.into()))?;
        }
        let made = sys::link(&self.programs().join("tollgate"), &link);
        made.map_err(StoreError::system("make", link))
    }

    /// Lets everybody read a settings file, or it would count for nobody but root.
    ///
    /// # Errors
    /// If its permissions cannot be set.
    pub fn publish(&self, path: &Path) -> Result<(), StoreError> {
        let published = match path.parent() {
            Some(dir) => sys::give(dir, DIR_MODE, ROOT),
            None => Ok(()),
        };
        let published = published.and_then(|()| sys::give(path, SETTINGS_MODE, ROOT));
        published.map_err(StoreError::system("publish", path.to_owned()))
    }

    /// Takes the link and the programs away; also all state, if that is asked for.
    ///
    /// # Errors
    /// If something cannot be removed.
    pub fn remove(&self, with_state: bool) -> Result<(), StoreError> {
        if self.link_state() == Link::Ours {
            crate::outside::remove(&self.link())?;
        }
        remove_dir(&self.programs())?;
        if with_state {
            remove_dir(&self.states())?;
        }
        Ok(())
    }
}

/// Makes a directory of root's, or gives it the group and permissions that it should have.
fn make_dir(path: &Path, mode: u32, group: u32) -> Result<(), StoreError> {
    let made = make_dir_if_missing(path).and_then(|()| {
        if path.symlink_metadata()?.is_dir() {
            sys::give(path, mode, group)
        } else {
            Err(io::ErrorKind::NotADirectory.into())
        }
    });
    made.map_err(StoreError::system("make", path.to_owned()))
}

/// Makes a directory and those above it, for everybody to enter, whatever root's umask is; one that
/// is there stays as it is.
fn make_dir_if_missing(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(above) = path.parent() {
        make_dir_if_missing(above)?;
    }
    fs::create_dir(path)?;
    sys::give(path, DIR_MODE, ROOT)
}

fn remove_dir(path: &Path) -> Result<(), StoreError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(StoreError::system("remove", path.to_owned())(error))
        }
        _ => Ok(()),
    }
}
