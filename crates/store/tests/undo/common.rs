//! What the tests of undo share: a scratch store, a world beside it, and how both look.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::Time;
use store::undo::{Capture, Captured, Item, Limits, Plan, Restored, Wish};
use store::{Store, StoreError};

/// The project of most tests.
pub const PROJECT: &str = "p0123";

/// Enough for everything, however slow the machine.
pub const ROOMY: Limits = Limits {
    files: 2_000,
    bytes: 64 * 1024 * 1024,
    time: Duration::from_secs(60),
};

/// A store, and a directory to destroy things in.
pub struct Scratch {
    home: tempfile::TempDir,
}

impl Scratch {
    pub fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("world")).unwrap();
        Self { home }
    }

    pub fn state(&self) -> PathBuf {
        self.home.path().join("state")
    }

    pub fn store(&self) -> Store {
        Store::open(&self.state()).unwrap()
    }

    /// A path in the world, without a link in it.
    pub fn at(&self, name: &str) -> PathBuf {
        let world = self.home.path().canonicalize().unwrap().join("world");
        if name.is_empty() {
            world
        } else {
            world.join(name)
        }
    }

    /// Writes a file of the world, with the directories above it.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// The objects in the store.
    pub fn objects(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for dir in list(&self.state().join("undo/objects")) {
            found.extend(list(&dir));
        }
        found
    }
}

/// What is in a directory, sorted; nothing if there is none.
pub fn list(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}

pub fn path(path: &Path) -> Item {
    Item::Path(path.to_str().unwrap().to_owned())
}

pub fn tree(path: &Path) -> Item {
    Item::Tree(path.to_str().unwrap().to_owned())
}

pub fn try_capture(
    store: &Store,
    items: &[Item],
    limits: Limits,
    time: u64,
) -> Result<Captured, StoreError> {
    store.capture(&Plan {
        project: PROJECT,
        session: "s",
        call_id: "c",
        time: Time(time),
        dir: "/p",
        what: "rm -rf x",
        items,
        limits,
    })
}

pub fn capture(store: &Store, items: &[Item]) -> Captured {
    try_capture(store, items, ROOMY, 1_000).unwrap()
}

/// The capture with an id, as the store reads it back.
pub fn find(store: &Store, id: &str) -> Capture {
    let captures = store.captures(None).unwrap();
    let found = captures.whole.into_iter().find(|capture| capture.id == id);
    found.unwrap_or_else(|| panic!("no capture {id}: {:?}", captures.damaged))
}

pub fn restore(store: &Store, id: &str, wish: &Wish) -> Restored {
    let capture = find(store, id);
    let changes = store.compare(&capture, wish);
    store.restore(&capture, &changes, Time(2_000)).unwrap()
}

/// Restores everything, which must succeed.
pub fn restore_all(store: &Store, id: &str) -> Restored {
    let restored = restore(store, id, &Wish::default());
    assert_eq!(restored.failed, [], "{id}");
    restored
}

/// One thing of a world: kind and permissions, time, content or target.
pub type Look = (u32, (i64, i64), Vec<u8>);

/// A directory and all below it: bytes, modes, times, links.
pub fn snapshot(top: &Path) -> BTreeMap<PathBuf, Look> {
    let mut found = BTreeMap::new();
    let mut left = vec![top.to_owned()];
    while let Some(path) = left.pop() {
        let Ok(metadata) = fs::symlink_metadata(&path) else {
            continue;
        };
        let content = match () {
            () if metadata.is_symlink() => {
                let target = fs::read_link(&path).unwrap();
                target.as_os_str().as_encoded_bytes().to_vec()
            }
            () if metadata.is_file() => fs::read(&path).unwrap(),
            () => Vec::new(),
        };
        if metadata.is_dir() {
            left.extend(list(&path));
        }
        let time = (metadata.mtime(), metadata.mtime_nsec());
        found.insert(path, (metadata.mode(), time, content));
    }
    found
}

pub fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

pub fn is_root() -> bool {
    fs::metadata("/proc/self").unwrap().uid() == 0
}
