//! Where a judge works: a directory of its own with a copy of the work as it stands (committed,
//! staged and untracked), and a git directory that borrows the objects of the user's. Git is not
//! run for it, and the user's own index is only read.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use edge::facts::{self, Budget, LookError, Material};
use edge::surroundings;
use model::CallEnv;
use store::{Store, hardened};

/// Where they are in our state, which the worker's tools do not reach.
const ROOMS: &str = "rooms";
/// Where they are in a home whose user does not reach the state.
const ROOMS_AT_HOME: &str = ".cache/tollgate/rooms";
/// After so long one is what a run has left behind that was ended.
const AGE_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// Why there is no copy.
#[derive(Debug)]
pub enum CopyError {
    /// The work cannot be looked at.
    Look(LookError),
    /// A file cannot be read or written.
    File(PathBuf, io::Error),
    /// The system gives no chance.
    NoRandom,
    /// No home is known.
    NoHome,
}

impl fmt::Display for CopyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Look(error) => error.fmt(f),
            Self::File(path, error) => write!(f, "{}: {error}", path.display()),
            Self::NoRandom => f.write_str("the system gives no chance"),
            Self::NoHome => f.write_str("no home directory is known; set HOME"),
        }
    }
}

/// A judge's directory; it goes when this does.
#[derive(Debug)]
pub struct Room {
    root: PathBuf,
    /// Top of the work tree that is judged; empty if there is none.
    of: PathBuf,
}

impl Room {
    /// One with nothing in it.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn empty(store: &Store) -> Result<Self, CopyError> {
        let random = edge::random().ok_or(CopyError::NoRandom)?;
        let rooms = rooms(store)?;
        fs::create_dir_all(&rooms).map_err(at(&rooms))?;
        sweep(&rooms);
        let room = Self {
            root: rooms.join(text::hex::encode(&random)),
            of: PathBuf::new(),
        };
        make_private(&room.root)?;
        for dir in [room.work(), room.own()] {
            make_private(&dir)?;
        }
        Ok(room)
    }

    /// One with a copy of a work tree.
    ///
    /// # Errors
    /// If the work cannot be read, or not be copied.
    pub fn with_copy(
        store: &Store,
        material: &Material,
        place: &CallEnv,
    ) -> Result<Self, CopyError> {
        let mut room = Self::empty(store)?;
        room.of = PathBuf::from(&material.root);
        let budget = &mut Budget::for_review();
        let files = facts::files_of(material, place, budget).map_err(CopyError::Look)?;
        let mut copier = Copier {
            from: &room.of,
            to: room.work(),
            inside: BTreeMap::new(),
        };
        for file in &files {
            copier.copy(file)?;
        }
        let budget = &mut Budget::for_review();
        if let Some(dirs) = facts::git_dirs(&material.root, place, budget) {
            borrow(&dirs, &material.head, &room.work().join(".git"))?;
        }
        Ok(room)
    }

    /// Gives what was put into it a git directory at a commit, which borrows the objects of the
    /// repository that it is judged for.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn borrow(&mut self, dirs: &facts::GitDirs, head: &str) -> Result<(), CopyError> {
        self.of = PathBuf::from(&dirs.root);
        borrow(dirs, head, &self.work().join(".git"))
    }

    /// Where it works.
    #[must_use]
    pub fn work(&self) -> PathBuf {
        self.root.join("work")
    }

    /// Removes one file of the copy.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn remove(&self, name: &str) -> Result<(), CopyError> {
        let path = self.work().join(name);
        fs::remove_file(&path).map_err(at(&path))
    }

    /// Gives it a file of its own.
    pub(crate) fn equip(&self, name: &str, text: &str) -> Result<(), CopyError> {
        let path = self.own().join(name);
        fs::write(&path, text).map_err(at(&path))
    }

    /// Removes the copies of files with these names.
    pub(crate) fn leave_out(&self, names: &[&str]) {
        let is_any = !names.is_empty();
        let mut dirs = Vec::from_iter(is_any.then(|| self.work()));
        while let Some(dir) = dirs.pop() {
            for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
                let name = entry.file_name();
                let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if is_dir && name != ".git" {
                    dirs.push(entry.path());
                } else if names.iter().any(|left_out| name == *left_out) {
                    // What stays is material that the prompt calls so.
                    let _ = fs::remove_file(entry.path());
                }
            }
        }
    }

    /// Removes what was copied of a directory of the work.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn leave_out_below(&self, dir: &Path) -> Result<(), CopyError> {
        let Ok(inside) = dir.strip_prefix(&self.of) else {
            return Ok(());
        };
        let copy = self.work().join(inside);
        match copy.is_dir() {
            true => fs::remove_dir_all(&copy).map_err(at(&copy)),
            false => Ok(()),
        }
    }

    /// Takes the right to write from all that is there, so that who only reads is not in doubt
    /// about it. Whoever may give it back, or needs none, is found by what it changed. Git's own
    /// directory is nothing that is judged, and clients note things there.
    pub(crate) fn close(&self) {
        rights(&self.work(), &|mode| mode & !0o222);
    }

    /// Where it finds the files that are made for it.
    #[must_use]
    pub fn own(&self) -> PathBuf {
        self.root.join("own")
    }

    /// Whether a path lies in what is judged, or in its copy.
    pub(crate) fn is_of_the_work(&self, path: &Path) -> bool {
        let is_judged = !self.of.as_os_str().is_empty() && path.starts_with(&self.of);
        is_judged || path.starts_with(&self.root)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // Of a directory that is closed nothing could be removed.
        rights(&self.work(), &|mode| mode | 0o200);
        // What cannot be removed is a temporary file.
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// Where rooms are. Some clients believe no file below a directory that others may write to.
fn rooms(store: &Store) -> Result<PathBuf, CopyError> {
    if hardened::layout().is_none() {
        return Ok(store.path().join(ROOMS));
    }
    let home = surroundings::env("HOME").filter(|home| home.starts_with('/'));
    Ok(Path::new(&home.ok_or(CopyError::NoHome)?).join(ROOMS_AT_HOME))
}

/// Removes what runs have left behind.
fn sweep(rooms: &Path) {
    for entry in fs::read_dir(rooms).into_iter().flatten().flatten() {
        let age = entry.metadata().and_then(|stat| stat.modified());
        let age = age.ok().and_then(|time| time.elapsed().ok());
        if age.is_some_and(|age| age > AGE_MAX) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn make_private(dir: &Path) -> Result<(), CopyError> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir).map_err(at(dir))
}

/// Changes the rights of a directory and of all below it; links stay as they are.
#[cfg(unix)]
fn rights(top: &Path, change: &dyn Fn(u32) -> u32) {
    use std::os::unix::fs::PermissionsExt;

    let mut paths = vec![top.to_owned()];
    while let Some(path) = paths.pop() {
        let Ok(stat) = fs::symlink_metadata(&path) else {
            continue;
        };
        if stat.is_symlink() || path == top.join(".git") {
            continue;
        }
        let mode = stat.permissions().mode();
        let changed = fs::Permissions::from_mode(change(mode));
        // What cannot be changed is looked at afterwards all the same.
        let _ = fs::set_permissions(&path, changed);
        if stat.is_dir() {
            let entries = fs::read_dir(&path).into_iter().flatten().flatten();
            paths.extend(entries.map(|entry| entry.path()));
        }
    }
}

/// Elsewhere who only reads is told so, and looked at afterwards.
#[cfg(not(unix))]
fn rights(_: &Path, _: &dyn Fn(u32) -> u32) {}

fn at(path: &Path) -> impl FnOnce(io::Error) -> CopyError {
    let path = path.to_owned();
    move |error| CopyError::File(path, error)
}

struct Copier<'a> {
    from: &'a Path,
    to: PathBuf,
    /// Whether directories really lie in the work tree: a link may lead out of it.
    inside: BTreeMap<PathBuf, bool>,
}

impl Copier<'_> {
    /// Copies a file or a link; what is neither, or is gone, is left out.
    fn copy(&mut self, relative: &str) -> Result<(), CopyError> {
        let source = self.from.join(relative);
        let target = self.to.join(relative);
        let parent = source.parent().unwrap_or(self.from);
        let Ok(stat) = fs::symlink_metadata(&source) else {
            return Ok(());
        };
        if !self.is_inside(parent) || !(stat.is_file() || stat.is_symlink()) {
            return Ok(());
        }
        if let Some(dir) = target.parent() {
            fs::create_dir_all(dir).map_err(at(dir))?;
        }
        if stat.is_symlink() {
            let link = fs::read_link(&source).map_err(at(&source))?;
            #[cfg(unix)]
            std::os::unix::fs::symlink(link, &target).map_err(at(&target))?;
            #[cfg(not(unix))]
            drop(link);
            return Ok(());
        }
        fs::copy(&source, &target).map_err(at(&source))?;
        Ok(())
    }

    fn is_inside(&mut self, dir: &Path) -> bool {
        let from = self.from;
        let known = self.inside.entry(dir.to_owned());
        *known.or_insert_with(|| fs::canonicalize(dir).is_ok_and(|real| real.starts_with(from)))
    }
}

/// A git directory at a commit, with the index of another and the objects where they are.
fn borrow(dirs: &facts::GitDirs, head: &str, target: &Path) -> Result<(), CopyError> {
    let write = |name: &str, text: &str| {
        let path = target.join(name);
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir).map_err(at(dir))?;
        }
        fs::write(&path, text).map_err(at(&path))
    };
    let is_long = head.len() > 40;
    let format = match is_long {
        true => "\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n",
        false => "\trepositoryformatversion = 0\n",
    };
    write("config", &["[core]\n\tbare = false\n", format].concat())?;
    let unborn = "ref: refs/heads/main\n";
    write("HEAD", if head.is_empty() { unborn } else { head })?;
    let objects = Path::new(&dirs.common_dir).join("objects");
    write(
        "objects/info/alternates",
        &format!("{}\n", objects.display()),
    )?;
    fs::create_dir_all(target.join("refs/heads")).map_err(at(target))?;
    let shared = fs::read_dir(&dirs.git_dir).into_iter().flatten().flatten();
    let shared = shared.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let shared = shared.filter(|name| name.starts_with("sharedindex."));
    let files = shared.chain(["index".to_owned()]);
    let own = files.map(|name| (Path::new(&dirs.git_dir).join(&name), name));
    let common = ["shallow", "info/exclude"];
    let common = common.map(|name| (Path::new(&dirs.common_dir).join(name), name.to_owned()));
    for (source, name) in own.chain(common) {
        let path = target.join(name);
        if source.is_file() {
            if let Some(dir) = path.parent() {
                fs::create_dir_all(dir).map_err(at(dir))?;
            }
            fs::copy(&source, &path).map_err(at(&source))?;
        }
    }
    Ok(())
}
