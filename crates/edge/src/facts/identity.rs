//! What stands at a path now, so that something else of the same name is told from it: what a
//! human said yes to is compared with it. Looks, and judges nothing.

use std::cell::Cell;
use std::fs::{self, File, Metadata};
use std::io::Read;
use std::path::Path;

use model::{Action, Analysis, BackupItem, Facts, Verb, fnv64};
use sha2::{Digest as _, Sha256};
use text::hex;

/// Most bytes of one file that are hashed, and of all together; what is larger is known by its
/// size and times.
const FILE_BYTES_MAX: u64 = 256 * 1_024;
const BYTES_MAX: u64 = 4 * 1_024 * 1_024;

/// Tells what stands at paths; one for a call.
#[derive(Debug)]
pub struct Identities {
    left: Cell<u64>,
}

impl Default for Identities {
    fn default() -> Self {
        Self {
            left: Cell::new(BYTES_MAX),
        }
    }
}

impl Identities {
    /// What stands at a path: a small file's content, else which file it is, how large and since
    /// when; empty if nothing is there.
    #[must_use]
    pub fn of(&self, path: &str) -> String {
        let path = path.trim_end_matches('/');
        let Ok(about) = fs::symlink_metadata(path) else {
            return String::new();
        };
        if about.is_symlink() {
            let target = fs::read_link(path).unwrap_or_default();
            return format!("link {}", target.display());
        }
        let hashed = about.is_file() && about.len() <= FILE_BYTES_MAX.min(self.left.get());
        let content = hashed.then(|| self.content(path)).flatten();
        content.unwrap_or_else(|| by_inode(&about))
    }

    fn content(&self, path: &str) -> Option<String> {
        let mut bytes = Vec::new();
        let file = File::open(path).ok()?;
        file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).ok()?;
        let left = self.left.get();
        self.left.set(left.saturating_sub(bytes.len() as u64));
        let is_whole = bytes.len() as u64 <= FILE_BYTES_MAX;
        is_whole.then(|| hex::encode(&Sha256::digest(&bytes)))
    }

    /// What the repositories say that a call is about: where its remotes are, what its stashes and
    /// the refs are that it would move. Empty for every other call.
    #[must_use]
    pub fn of_repositories(&self, analysis: &Analysis, facts: &Facts) -> String {
        let mut said = Vec::new();
        let refs = analysis.actions.iter().flat_map(|action| &action.backups);
        let refs: Vec<_> = refs
            .filter_map(|stake| match stake {
                BackupItem::Ref(key) => Some(key.name.as_str()),
                _ => None,
            })
            .collect();
        let sends = analysis.actions.iter().any(is_push);
        if refs.is_empty() && !sends {
            return String::new();
        }
        let repos = facts
            .repos
            .values()
            .filter_map(|fact| fact.known()?.as_ref());
        for repo in repos {
            let mut names = vec!["logs/refs/stash".to_owned(), "packed-refs".to_owned()];
            names.extend(refs.iter().map(|name| format!("refs/heads/{name}")));
            if sends {
                names.push("config".to_owned());
                names.push(format!("refs/remotes/{}", repo.upstream));
            }
            let dir = Path::new(&repo.common_dir);
            let found = names
                .iter()
                .map(|name| self.of(&dir.join(name).to_string_lossy()));
            said.extend(found);
        }
        format!("{:x}", fnv64(said.join("\n").as_bytes()))
    }
}

fn is_push(action: &Action) -> bool {
    matches!(action.verb, Verb::Publish | Verb::Rewrite | Verb::Send)
}

#[cfg(unix)]
fn by_inode(about: &Metadata) -> String {
    use std::os::unix::fs::MetadataExt;
    format!(
        "{} {} {} {}.{}",
        about.dev(),
        about.ino(),
        about.len(),
        about.mtime(),
        about.mtime_nsec()
    )
}

#[cfg(not(unix))]
fn by_inode(about: &Metadata) -> String {
    format!("{} {:?}", about.len(), about.modified().ok())
}
