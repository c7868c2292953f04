//! What is remembered: session and project records, the journal, the bundle of user rules, the
//! owner's switch. Alone writes; decides nothing and knows no rule, no host and no wire format.
//!
//! Everything is below one private directory:
//! `sessions/<id>.st`, `projects/<id>.st` (records, `slots`), `journal/<session>.jsonl`
//! (`journal`), `bundles/<project>.bundle` (`bundle`), `switch` (`switch`),
//! `index/` (the index of patterns and its table, `index`), `hosts/<process>-<start>` (`hosts`),
//! `judges/<mark>-<process>-<start>` (`judges`), `runs/<id>/` and `promoted/` (`runs`), `boards/`
//! (`boards`), `bin/` (the hook's copy, for `init`).
//!
//! Invariants: what was acknowledged survives the death of any process; two writers equal some
//! order of the two; damage is found, never believed; nothing waits longer than a limit says.

#![deny(unsafe_code)]

mod boards;
mod bundle;
mod change;
mod codec;
mod commit;
mod coverage;
mod desk;
mod effects;
mod error;
mod files;
mod folder;
mod frame;
mod grants;
pub mod hardened;
mod hints;
mod history;
mod hosts;
mod index;
mod install_record;
mod journal;
mod json;
mod judges;
mod notes;
pub mod outside;
mod proxies;
mod runs;
mod seals;
mod shared;
mod slots;
mod switch;
#[cfg(unix)]
#[expect(unsafe_code, reason = "the system calls that std does not have")]
mod sys;
#[cfg(not(unix))]
#[path = "sys_elsewhere.rs"]
mod sys;
pub mod undo;

use std::path::{Path, PathBuf};

use model::{Project, Session, fnv64, hex64, session_id};

pub use bundle::{BUNDLE_BYTES_MAX, Bundle, BundleState, Source, Stamp};
pub use change::SessionChange;
#[cfg(fuzzing)]
pub use codec::check::check as check_record;
pub use commit::{Commit, Committed, SAME_EVENT_MS};
pub use coverage::Coverage;
pub use desk::TokenKind;
pub use error::StoreError;
pub use folder::Folder;
pub use grants::say_as_root;
pub use history::{InstallChange, Turn};
pub use index::IndexTable;
pub use install_record::{InstallRecord, install_record};
pub use journal::{
    Backward, Entry, Follow, JOURNAL_BYTES_MAX, JournalFile, JournalLimits, Line, Report,
    call_digest,
};
pub use model::sum64;
pub use notes::Claim;
pub use proxies::ProxyLog;
pub use runs::RunNote;
pub use seals::ProgramChange;
pub use shared::{FileEnd, SharedDir};
pub use slots::{LOCK_WAIT_MAX, Loaded, OpenRecord};
pub use switch::{OFF_MS_MAX, Off};

/// The directory of all state, open.
#[derive(Debug)]
pub struct Store {
    root: files::Root,
}

/// Where state is by default: `$TOLLGATE_HOME`, else `tollgate` in the XDG state directory, else
/// `.local/state/tollgate` in the home directory. A path that is not absolute counts as not set.
#[must_use]
pub fn default_root(
    tollgate_home: Option<&Path>,
    xdg_state: Option<&Path>,
    home: Option<&Path>,
) -> Option<PathBuf> {
    let absolute = |path: Option<&Path>| path.filter(|path| path.is_absolute()).map(Path::to_owned);
    absolute(tollgate_home)
        .or_else(|| Some(absolute(xdg_state)?.join("tollgate")))
        .or_else(|| Some(absolute(home)?.join(".local/state/tollgate")))
}

/// The id of the project that a directory names: the git common directory, or where the session
/// started.
#[must_use]
pub fn project_id(dir: &str) -> String {
    ["p", &hex64(fnv64(dir.as_bytes()))].concat()
}

fn session_file(session: &str) -> String {
    ["sessions/", &session_id(session), ".st"].concat()
}

fn project_file(project: &str) -> String {
    ["projects/", &session_id(project), ".st"].concat()
}

impl Store {
    /// Opens the directory, or makes it, for its owner only.
    ///
    /// # Errors
    /// If it is another user's, open to others, a link, or cannot be made.
    pub fn open(root: &Path) -> Result<Self, StoreError> {
        Ok(Self {
            root: files::Root::open(root)?,
        })
    }

    /// Opens the directory if it is there, for those who only look.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_existing(root: &Path) -> Result<Option<Self>, StoreError> {
        let root = files::Root::open_existing(root)?;
        Ok(root.map(|root| Self { root }))
    }

    /// Opens the directory of a user as root, to look and never to write.
    ///
    /// # Errors
    /// If it is somebody else's, open to others, or a link.
    pub fn open_as_root(root: &Path, user: u32) -> Result<Option<Self>, StoreError> {
        let root = files::Root::open_as_root(root, user)?;
        Ok(root.map(|root| Self { root }))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.root.path()
    }

    /// Where the installed copy of one of our programs lies.
    #[must_use]
    pub fn program(&self, name: &str) -> PathBuf {
        match hardened::layout() {
            Some(layout) => layout.programs().join(name),
            None => self.path().join("bin").join(name),
        }
    }

    /// A session's record, without waiting for anybody.
    ///
    /// # Errors
    /// If it cannot be read or is newer. A damaged one is fresh, with a fault.
    pub fn session(&self, id: &str) -> Result<Loaded<Session>, StoreError> {
        slots::load(&self.root, &session_file(id))
    }

    /// As [`Store::session`], with the record still open for [`Store::commit_opened`].
    ///
    /// # Errors
    /// As [`Store::session`].
    pub fn open_session(
        &self,
        id: &str,
    ) -> Result<(Loaded<Session>, Option<OpenRecord>), StoreError> {
        slots::load_to_change(&self.root, &session_file(id))
    }

    /// A project's record, without waiting for anybody.
    ///
    /// # Errors
    /// As [`Store::session`].
    pub fn project(&self, id: &str) -> Result<Loaded<Project>, StoreError> {
        slots::load(&self.root, &project_file(id))
    }

    /// The ids of all sessions that have a record, sorted.
    ///
    /// # Errors
    /// If they cannot be listed.
    pub fn sessions(&self) -> Result<Vec<String>, StoreError> {
        self.root.names("sessions", ".st")
    }

    /// The ids of all projects that have a record, sorted.
    ///
    /// # Errors
    /// If they cannot be listed.
    pub fn projects(&self) -> Result<Vec<String>, StoreError> {
        self.root.names("projects", ".st")
    }

    /// The ids of all sessions that have a journal, sorted.
    ///
    /// # Errors
    /// If they cannot be listed.
    pub fn journals(&self) -> Result<Vec<String>, StoreError> {
        journal::sessions(&self.root)
    }

    /// All sessions that have a journal, the one heard of last in front.
    ///
    /// # Errors
    /// If they cannot be listed.
    pub fn newest_journals(&self) -> Result<Vec<JournalFile>, StoreError> {
        journal::newest(&self.root)
    }

    /// A session's journal from its end, a part at a time.
    #[must_use]
    pub fn journal_backward(&self, session: &str) -> Backward<'_> {
        Backward::new(&self.root, &session_id(session))
    }

    /// All lines of a session's journal, oldest first, damaged ones included.
    ///
    /// # Errors
    /// If a part cannot be read. A missing journal has no lines.
    pub fn journal(&self, session: &str) -> Result<Vec<Line>, StoreError> {
        journal::read(&self.root, &session_id(session))
    }

    /// Hands on all lines of a session's journal, oldest first, without keeping them all.
    ///
    /// # Errors
    /// As [`Store::journal`].
    pub fn scan_journal(
        &self,
        session: &str,
        take: &mut dyn FnMut(Line),
    ) -> Result<(), StoreError> {
        journal::scan(&self.root, &session_id(session), take)
    }

    /// A session's journal as it grows. The first lines are those that its latest part holds.
    #[must_use]
    pub fn follow(&self, session: &str) -> Follow<'_> {
        Follow::new(&self.root, &session_id(session), 0)
    }

    /// A session's journal as it grows from here on.
    #[must_use]
    pub fn follow_from(&self, journal: &JournalFile) -> Follow<'_> {
        Follow::new(&self.root, &journal.session, journal.bytes)
    }

    /// Whether a session's journal is whole, up to what its record says.
    ///
    /// # Errors
    /// If the journal or the record cannot be read.
    pub fn verify(&self, session: &str) -> Result<Report, StoreError> {
        let sequence = self.session(session)?.sequence;
        journal::verify(&self.root, &session_id(session), sequence)
    }
}
