//! Writing what is not ours: hosts' settings, people's rule files, and the programs that hosts
//! start. As careful as with our own: the old content or the new one is there, whatever happens,
//! and the old one is kept.
//!
//! What a settings file held before we came into it is also kept in our own directory, with the
//! checksum of what we wrote: a file that nobody touched since goes back to the very bytes.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use model::fnv64;

use crate::{Store, StoreError, sum64};

/// What a kept older version ends in.
pub(crate) const BACKUP: &str = "tollgate-backup";
/// Most older versions that are kept beside a file; after that the last one is replaced.
const KEPT_MAX: usize = 9;
/// Largest file whose former content is kept, in bytes.
const BEFORE_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// The first word of a record of what a file held before.
const BEFORE: &str = "tollgate-before-1";

/// Whether something can be made in a directory: it is tried, and taken away again.
#[must_use]
pub fn can_make_in(dir: &Path) -> bool {
    let probe = dir.join(format!(".tollgate-probe-{}", std::process::id()));
    let is_made = fs::create_dir(&probe).is_ok();
    is_made && fs::remove_dir(&probe).is_ok()
}

/// Replaces a file's text and keeps the old one beside it; where it was kept, if there was one and
/// it differs. The file's permissions stay; a link stays and its target is replaced.
///
/// # Errors
/// If it cannot be written; then the old text stands.
pub fn replace(path: &Path, text: &str) -> Result<Option<PathBuf>, StoreError> {
    let path = real(path);
    let old = read(&path)?;
    if old.as_deref() == Some(text.as_bytes()) {
        return Ok(None);
    }
    let backup = old.map(|old| back_up(&path, &old)).transpose()?;
    put(&path, text.as_bytes(), permissions(&path))?;
    Ok(backup)
}

/// A file's text; nothing if it is not there.
///
/// # Errors
/// If it cannot be read, or is no text.
pub fn text(path: &Path) -> Result<Option<String>, StoreError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::system("read", path.to_owned())(error)),
    }
}

/// Makes a file that must not be there yet.
///
/// # Errors
/// If it is there, or cannot be written.
pub fn create(path: &Path, text: &str) -> Result<(), StoreError> {
    if path.exists() {
        let there = io::Error::new(io::ErrorKind::AlreadyExists, "it is there already");
        return Err(StoreError::system("make", path.to_owned())(there));
    }
    put(path, text.as_bytes(), None)
}

/// Puts a text where people look for it; nothing of what stood there is kept, and a link is
/// replaced and not followed.
///
/// # Errors
/// If it cannot be written.
pub fn show(path: &Path, text: &str) -> Result<(), StoreError> {
    put(path, text.as_bytes(), None)
}

/// Rings the bell of a terminal.
///
/// # Errors
/// If it cannot be written to.
pub fn ring(terminal: &Path) -> Result<(), StoreError> {
    let opened = fs::OpenOptions::new().write(true).open(terminal);
    let rung = opened.and_then(|mut terminal| terminal.write_all(b"\x07"));
    rung.map_err(StoreError::system("write to", terminal.to_owned()))
}

/// Moves a directory with all that is in it to where nothing is yet.
///
/// # Errors
/// If something is there, or it cannot be moved; it stays then.
pub fn move_dir(from: &Path, to: &Path) -> Result<(), StoreError> {
    if fs::symlink_metadata(to).is_ok() {
        let there = io::Error::new(io::ErrorKind::AlreadyExists, "something is there already");
        return Err(StoreError::system("move to", to.to_owned())(there));
    }
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent).map_err(StoreError::system("make", parent.to_owned()))?;
    }
    fs::rename(from, to).map_err(StoreError::system("move", from.to_owned()))
}

/// Removes a file; it is no error if there is none.
///
/// # Errors
/// If it cannot be removed.
pub fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(StoreError::system("remove", path.to_owned())(error))
        }
        _ => Ok(()),
    }
}

/// Removes the directories above a path that bear a name, or lie in one that does, and hold nothing
/// any more.
pub fn clear_above(path: &Path, name: &str) {
    let bears = |dir: &&Path| dir.iter().any(|part| part == name);
    let dirs = path.ancestors().skip(1).take_while(bears);
    // The first that is not empty, or cannot be removed, ends it.
    dirs.map(fs::remove_dir)
        .take_while(Result::is_ok)
        .for_each(drop);
}

/// How a change was taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undone {
    /// The file holds the bytes it held before, or is gone as it was before.
    Exact,
    /// Somebody changed it since, so only our part was taken out; where the rest was kept.
    Edited(Option<PathBuf>),
}

/// What a file held before we changed it.
struct Before {
    /// Checksum of what we wrote.
    written: u64,
    /// Its bytes; nothing if there was no file.
    bytes: Option<Vec<u8>>,
}

impl Store {
    /// Puts a copy of a program at its stable place, `bin/NAME`. A copy, not a link: package
    /// managers move what they installed. Replaced by rename, so a hook that runs goes on.
    ///
    /// # Errors
    /// If the program cannot be read or the copy not be written.
    pub fn install_program(&self, name: &str, from: &Path) -> Result<PathBuf, StoreError> {
        let mut source =
            fs::File::open(from).map_err(StoreError::system("read", from.to_owned()))?;
        let path = self.path().join("bin").join(name);
        put_with(&path, executable(), |file| {
            io::copy(&mut source, file).map(drop)
        })?;
        Ok(path)
    }

    /// Writes our part into somebody's file so that [`Store::undo_change`] can take it back to the
    /// byte. Where the old text was kept beside it, if it was not of our own making.
    ///
    /// # Errors
    /// If something cannot be written; then the old text stands.
    pub fn change_file(&self, path: &Path, text: &str) -> Result<Option<PathBuf>, StoreError> {
        let path = real(path);
        let old = read(&path)?;
        if old.as_deref() == Some(text.as_bytes()) {
            return Ok(None);
        }
        let ours = self
            .before(&path)
            .filter(|before| before.stands(old.as_deref()));
        let is_ours = ours.is_some();
        let bytes = ours.map_or(old, |before| before.bytes);
        let before = Before {
            written: sum64(text.as_bytes()),
            bytes,
        };
        self.root.replace(&before_file(&path), &before.render())?;
        if is_ours {
            put(&path, text.as_bytes(), permissions(&path))?;
            return Ok(None);
        }
        replace(&path, text)
    }

    /// Takes a change back. If the file is as we left it, it gets its former bytes; else it gets
    /// `without`, the text without our part, or goes if there is none.
    ///
    /// # Errors
    /// If something cannot be written.
    pub fn undo_change(&self, path: &Path, without: Option<&str>) -> Result<Undone, StoreError> {
        let link = path;
        let path = real(link);
        let old = read(&path)?;
        let undone = match self
            .before(&path)
            .filter(|before| before.stands(old.as_deref()))
        {
            Some(before) => {
                before.put_back(link, &path)?;
                Undone::Exact
            }
            None => Undone::Edited(match without {
                Some(text) => replace(&path, text)?,
                None => {
                    let backup = old.map(|old| back_up(&path, &old)).transpose()?;
                    remove(link)?;
                    backup
                }
            }),
        };
        self.root.remove(&before_file(&path))?;
        Ok(undone)
    }

    /// Whether our part was written into a file with [`Store::change`] and never taken back with
    /// [`Store::undo_change`]; what became of the file since then says nothing.
    #[must_use]
    pub fn has_changed(&self, path: &Path) -> bool {
        self.before(&real(path)).is_some()
    }

    /// Whether a file holds just what [`Store::change`] last wrote into it.
    #[must_use]
    pub fn is_as_changed(&self, path: &Path) -> bool {
        let path = real(path);
        let now = read(&path).ok().flatten();
        let before = self.before(&path);
        before.is_some_and(|before| before.stands(now.as_deref()))
    }

    /// The text that a file of ours held before we changed it; nothing if there was none.
    #[must_use]
    pub fn text_before(&self, path: &Path) -> Option<String> {
        let bytes = self.before(&real(path))?.bytes?;
        String::from_utf8(bytes).ok()
    }

    fn before(&self, path: &Path) -> Option<Before> {
        let bytes = self
            .root
            .load(&before_file(path), BEFORE_BYTES_MAX)
            .ok()??;
        Before::read(&bytes)
    }
}

impl Before {
    /// Whether a file still holds what we wrote.
    fn stands(&self, now: Option<&[u8]>) -> bool {
        now.is_some_and(|now| sum64(now) == self.written)
    }

    /// Gives a file its former bytes. The copy beside it has done its duty.
    fn put_back(&self, link: &Path, path: &Path) -> Result<(), StoreError> {
        let Some(bytes) = &self.bytes else {
            return remove(link);
        };
        put(path, bytes, permissions(path))?;
        let same = |backup: &PathBuf| fs::read(backup).is_ok_and(|backup| backup == *bytes);
        backup_names(path)
            .filter(same)
            .try_for_each(|backup| remove(&backup))
    }

    fn render(&self) -> Vec<u8> {
        let what = if self.bytes.is_some() {
            "file"
        } else {
            "nothing"
        };
        let mut record = format!("{BEFORE} {:016x} {what}\n", self.written).into_bytes();
        record.extend(self.bytes.iter().flatten());
        record
    }

    fn read(record: &[u8]) -> Option<Self> {
        let end = record.iter().position(|byte| *byte == b'\n')?;
        let (head, rest) = record.split_at_checked(end)?;
        let mut words = std::str::from_utf8(head).ok()?.split(' ');
        let is_known = words.next() == Some(BEFORE);
        let written = u64::from_str_radix(words.next()?, 16).ok()?;
        let bytes = match words.next()? {
            "file" => Some(rest.get(1..)?.to_vec()),
            _ => None,
        };
        is_known.then_some(Self { written, bytes })
    }
}

/// Where we keep what a file held.
fn before_file(path: &Path) -> String {
    format!("before/{:016x}", fnv64(path.as_os_str().as_encoded_bytes()))
}

/// The file behind a link, also one whose target is not there yet.
fn real(path: &Path) -> PathBuf {
    if let Ok(real) = fs::canonicalize(path) {
        return real;
    }
    match (fs::read_link(path), path.parent()) {
        (Ok(target), Some(above)) => above.join(target),
        _ => path.to_owned(),
    }
}

/// A file's bytes; nothing if it is not there.
fn read(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::system("read", path.to_owned())(error)),
    }
}

/// Keeps a file's content beside it, under the first name that is free or holds it already.
fn back_up(path: &Path, old: &[u8]) -> Result<PathBuf, StoreError> {
    let is_free = |backup: &PathBuf| match fs::read(backup) {
        Ok(there) => there == old,
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    let free = backup_names(path).find(is_free);
    let backup = free
        .or_else(|| backup_names(path).last())
        .unwrap_or_else(|| beside(path, BACKUP));
    put(&backup, old, permissions(path))?;
    Ok(backup)
}

/// The names under which older versions of a file are kept.
fn backup_names(path: &Path) -> impl Iterator<Item = PathBuf> {
    (1..=KEPT_MAX).map(move |number| match number {
        1 => beside(path, BACKUP),
        _ => beside(path, &format!("{BACKUP}-{number}")),
    })
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{name}.{ending}"))
}

fn permissions(path: &Path) -> Option<fs::Permissions> {
    fs::metadata(path)
        .ok()
        .map(|metadata| metadata.permissions())
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere there is no such bit")]
fn executable() -> Option<fs::Permissions> {
    Some(std::os::unix::fs::PermissionsExt::from_mode(0o755))
}

#[cfg(not(unix))]
fn executable() -> Option<fs::Permissions> {
    None
}

/// Gives a file these bytes. What begins like a program is one, and can be started.
fn put(path: &Path, bytes: &[u8], permissions: Option<fs::Permissions>) -> Result<(), StoreError> {
    let permissions = match bytes.starts_with(b"#!") {
        true => executable().or(permissions),
        false => permissions,
    };
    put_with(path, permissions, |file| file.write_all(bytes))
}

/// Writes a draft beside the file, makes it durable, and renames it.
fn put_with(
    path: &Path,
    permissions: Option<fs::Permissions>,
    write: impl FnOnce(&mut fs::File) -> io::Result<()>,
) -> Result<(), StoreError> {
    let fail = || StoreError::system("write", path.to_owned());
    if let Some(above) = path.parent() {
        fs::create_dir_all(above).map_err(fail())?;
    }
    let draft = beside(path, &format!("{}.draft", std::process::id()));
    let written = fs::File::create(&draft).and_then(|mut file| {
        write(&mut file)?;
        permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions))?;
        file.sync_all()
    });
    let renamed = written.and_then(|()| fs::rename(&draft, path));
    renamed.map_err(|error| {
        drop(fs::remove_file(&draft));
        fail()(error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch() -> (tempfile::TempDir, Store, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("state")).unwrap();
        let path = dir.path().join("a/settings.json");
        (dir, store, path)
    }

    #[test]
    fn the_old_text_is_kept() {
        let (_dir, _, path) = scratch();
        assert_eq!(replace(&path, "one").unwrap(), None);
        let first = replace(&path, "two").unwrap().unwrap();
        let second = replace(&path, "three").unwrap().unwrap();
        assert_eq!(fs::read_to_string(&first).unwrap(), "one");
        assert_eq!(fs::read_to_string(&second).unwrap(), "two");
        assert_eq!(fs::read_to_string(&path).unwrap(), "three");
        assert_eq!(replace(&path, "three").unwrap(), None);
        assert!(create(&path, "four").is_err());
        remove(&path).unwrap();
        remove(&path).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn a_change_is_taken_back_to_the_byte() {
        let (_dir, store, path) = scratch();
        for before in [None, Some(""), Some(" \n"), Some("{\r\n}"), Some("{}")] {
            if let Some(text) = before {
                replace(&path, text).unwrap();
            }
            assert!(!store.is_as_changed(&path));
            store.change_file(&path, "ours").unwrap();
            assert!(store.is_as_changed(&path));
            assert_eq!(store.change_file(&path, "ours").unwrap(), None);
            assert_eq!(store.change_file(&path, "ours, newer").unwrap(), None);
            assert_eq!(
                store.undo_change(&path, Some("guess")).unwrap(),
                Undone::Exact
            );
            assert_eq!(fs::read_to_string(&path).ok().as_deref(), before);
            let left = fs::read_dir(path.parent().unwrap()).unwrap().count();
            assert_eq!(left, usize::from(before.is_some()), "{before:?}");
            remove(&path).unwrap();
        }
    }

    #[test]
    fn what_somebody_changed_since_is_only_edited() {
        let (_dir, store, path) = scratch();
        replace(&path, "before").unwrap();
        store.change_file(&path, "ours").unwrap();
        fs::write(&path, "ours and theirs").unwrap();
        assert!(!store.is_as_changed(&path));
        let undone = store.undo_change(&path, Some("theirs")).unwrap();
        let Undone::Edited(Some(backup)) = undone else {
            panic!("{undone:?}")
        };
        assert_eq!(fs::read_to_string(backup).unwrap(), "ours and theirs");
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
    }

    #[test]
    fn empty_directories_of_a_name_go() {
        let (dir, _, _) = scratch();
        let at = |path: &str| dir.path().join(path);
        put(&at("x/ours/a/b/file"), b"", None).unwrap();
        put(&at("x/ours/kept"), b"", None).unwrap();
        remove(&at("x/ours/a/b/file")).unwrap();
        clear_above(&at("x/ours/a/b/file"), "ours");
        assert!(!at("x/ours/a").exists() && at("x/ours/kept").exists());
        remove(&at("x/ours/kept")).unwrap();
        clear_above(&at("x/ours/kept"), "ours");
        assert!(!at("x/ours").exists() && at("x").exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link() {
        let (dir, store, path) = scratch();
        let target = dir.path().join("dotfiles.json");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&target, &path).unwrap();
        replace(&path, "first").unwrap();
        store.change_file(&path, "ours").unwrap();
        assert!(path.symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&target).unwrap(), "ours");
        store.undo_change(&path, None).unwrap();
        assert!(path.symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&target).unwrap(), "first");
    }
}
