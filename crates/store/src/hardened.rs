//! The hardened install: programs of root that run with the group of the state, and state that no
//! other program of the user can reach. Owns where its parts lie and when this process has the
//! group's rights. Knows nothing of what the files hold.
//!
//! A setgid process begins with the group in force. [`begin`] lays it down at once; [`rights`]
//! takes it up for as long as one system call on the state needs it. So whatever else the process
//! reads, writes or starts, it does with the user's own rights, and a program that it starts has
//! no way back to the group.
//!
//! In any other install nothing is asked of the system here.

mod build;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub use build::Link;

use crate::sys;

/// Where the programs lie, below the root directory.
const PROGRAMS: &str = "usr/local/libexec/tollgate";
/// Where people find the program that they type.
const LINK: &str = "usr/local/bin/tollgate";
/// Where the state of every user lies.
const STATES: &str = "var/lib/tollgate";
/// Where root keeps settings and rules.
const CONFIG: &str = "etc/tollgate";
/// Read, write and search for the owner and the group, nothing for others.
#[cfg(unix)]
pub(crate) const DIR_MODE: u32 = 0o770;
/// Read and write for the owner and the group, nothing for others.
#[cfg(unix)]
pub(crate) const FILE_MODE: u32 = 0o660;
/// Permissions that new files never get.
const UMASK: u32 = 0o007;

/// Where the parts of a hardened install lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    root: PathBuf,
}

impl Layout {
    /// The layout below a root directory: `/`, but for tests.
    #[must_use]
    pub fn below(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
        }
    }

    /// The layout that a program at this path belongs to; nothing if it lies elsewhere. Who copies
    /// it to a directory of such a name gets a world of his own, without the group.
    #[must_use]
    pub fn of_program(program: &Path) -> Option<Self> {
        // Every hook asks; nearly none lies there.
        let bytes = program.as_os_str().as_encoded_bytes();
        let end = bytes.iter().rposition(|byte| *byte == b'/')?;
        bytes.get(..end)?.strip_suffix(PROGRAMS.as_bytes())?;
        let dir = program.parent()?;
        let is_ours = program.is_absolute() && dir.ends_with(PROGRAMS);
        let root = dir.ancestors().nth(Path::new(PROGRAMS).iter().count())?;
        is_ours.then(|| Self::below(root))
    }

    /// The directory of the programs.
    #[must_use]
    pub fn programs(&self) -> PathBuf {
        self.root.join(PROGRAMS)
    }

    /// The link in people's path.
    #[must_use]
    pub fn link(&self) -> PathBuf {
        self.root.join(LINK)
    }

    /// The directory of every user's state.
    #[must_use]
    pub fn states(&self) -> PathBuf {
        self.root.join(STATES)
    }

    /// The state of a user.
    #[must_use]
    pub fn state(&self, user: u32) -> PathBuf {
        self.states().join(user.to_string())
    }

    /// Root's settings and rules.
    #[must_use]
    pub fn config(&self) -> PathBuf {
        self.root.join(CONFIG)
    }

    /// A path of the whole system, below this root.
    #[must_use]
    pub fn place(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }
}

/// What this process is part of.
#[derive(Debug)]
struct Install {
    layout: Layout,
    /// The group that reaches the state; nothing if the system withheld it.
    group: Option<u32>,
}

static INSTALL: OnceLock<Install> = OnceLock::new();

thread_local! {
    /// How many guards are alive in this thread.
    static RAISED: Cell<u32> = const { Cell::new(0) };
}

/// The absolute path that this program was started by, as the kernel noted it; nothing where it was
/// started by another, or on systems that note none. Asks nobody.
#[must_use]
pub fn started_as() -> Option<&'static Path> {
    sys::started_as().filter(|path| path.is_absolute())
}

/// To be called before anything else: finds out whether this program is part of a hardened install
/// and lays the group down. `program` is where it lies; without it, where the system says that it
/// was started from, which costs no call.
pub fn begin(program: Option<&Path>) {
    let given = sys::is_privileged();
    let layout = match program {
        Some(path) => Layout::of_program(path),
        // A program with the group must know for certain who it is.
        None if given => std::env::current_exe()
            .ok()
            .and_then(|path| Layout::of_program(&path)),
        None => sys::started_as().and_then(Layout::of_program),
    };
    let Some(layout) = layout else {
        if given {
            sys::drop_group();
        }
        return;
    };
    let group = given.then(|| sys::lay_down_group(&layout.states()));
    let group = group.flatten();
    if given && group.is_none() {
        sys::drop_group();
    }
    let _ = INSTALL.set(Install { layout, group });
}

/// Makes this process, which is root's, part of a hardened install that it is about to make; what
/// is part of one already stays so. Root needs no group: what it makes there gets the group of the
/// directory.
pub fn join(layout: &Layout) {
    let _ = INSTALL.set(Install {
        layout: layout.clone(),
        group: None,
    });
}

/// Whether this process is root's.
#[must_use]
pub fn is_root() -> bool {
    cfg!(unix) && sys::user() == 0
}

/// Where the parts of the install that this program belongs to lie; nothing in any other install.
#[must_use]
pub fn layout() -> Option<&'static Layout> {
    INSTALL.get().map(|install| &install.layout)
}

/// Where the state of the user who started this process lies in its hardened install; nothing in
/// any other install.
#[must_use]
pub fn own_state() -> Option<PathBuf> {
    layout().map(|layout| layout.state(sys::user()))
}

/// Whether the system withheld the group from this process, so that the state is closed to it.
#[must_use]
pub fn is_withheld() -> bool {
    INSTALL
        .get()
        .is_some_and(|install| install.group.is_none() && !is_root())
}

/// The rights of the group, for as long as it lives.
#[derive(Debug)]
#[must_use]
pub struct Rights {
    /// The group and permissions to go back to; nothing if nothing was changed.
    before: Option<(u32, u32)>,
}

/// Takes up the group's rights in this thread. For calls on the state alone.
pub fn rights() -> Rights {
    let Some(install) = INSTALL.get() else {
        return Rights { before: None };
    };
    let depth = RAISED.get();
    RAISED.set(depth + 1);
    let is_first = depth == 0;
    let before = is_first.then(|| {
        let group = install.group.unwrap_or_else(sys::group);
        (sys::set_file_group(group), sys::set_umask(UMASK))
    });
    Rights { before }
}

impl Drop for Rights {
    fn drop(&mut self) {
        if INSTALL.get().is_some() {
            RAISED.set(RAISED.get().saturating_sub(1));
        }
        if let Some((group, umask)) = self.before.take() {
            sys::set_umask(umask);
            sys::set_file_group(group);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_knows_its_install_by_its_place() {
        let root = |program: &str| Layout::of_program(Path::new(program)).map(|found| found.root);
        let hook = "/usr/local/libexec/tollgate/tollgate-hook";
        assert_eq!(root(hook), Some(PathBuf::from("/")));
        assert_eq!(
            root(&format!("/srv/x{hook}")),
            Some(PathBuf::from("/srv/x"))
        );
        for other in [
            "/home/w/.local/state/tollgate/bin/tollgate-hook",
            "usr/local/libexec/tollgate/tollgate-hook",
            "/usr/local/libexec/tollgate-2/tollgate-hook",
            "/usr/local/libexec/tollgate/sub/tollgate-hook",
            "/xusr/local/libexec/tollgate/tollgate-hook",
            "tollgate-hook",
            "",
        ] {
            assert_eq!(root(other), None, "{other}");
        }
    }

    #[test]
    fn parts_lie_below_the_root() {
        let layout = Layout::below(Path::new("/"));
        assert_eq!(layout.state(1000), Path::new("/var/lib/tollgate/1000"));
        assert_eq!(layout.place("/etc/x.json"), Path::new("/etc/x.json"));
        let scratch = Layout::below(Path::new("/srv/x"));
        assert_eq!(scratch.place("/etc/x.json"), Path::new("/srv/x/etc/x.json"));
        assert_eq!(scratch.link(), Path::new("/srv/x/usr/local/bin/tollgate"));
    }

    #[test]
    fn elsewhere_rights_change_nothing() {
        let rights = rights();
        assert_eq!(rights.before, None);
        assert!(layout().is_none() && !is_withheld());
    }
}
