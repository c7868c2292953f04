//! Puts a frozen copy in the place of a directory, whole: who reads it meanwhile sees the old one
//! or the new one. What we did not put there is never removed.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use store::Store;

use super::frozen::{self, Manifest, Mark};
use crate::sys;

/// What a promotion did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Promoted {
    /// How many files are there now.
    pub files: usize,
    /// Where lies what was there and is not ours; nothing if there was none.
    pub kept: Option<PathBuf>,
}

/// Puts the frozen copy, if it still is what was checked, at `to`.
///
/// # Errors
/// If it changed, or cannot be put there.
pub fn promote(store: &Store, (from, checked): (&Path, &Manifest), to: &Path) -> Result<Promoted> {
    let to = std::path::absolute(to)?;
    let (above, name) = (to.parent(), to.file_name());
    let (Some(above), Some(name)) = (above, name) else {
        bail!("{} is no directory that can be replaced", to.display());
    };
    fs::create_dir_all(above).with_context(|| format!("cannot make {}", above.display()))?;
    // On the same disk, so that it can take the other's place in one step.
    let name = name.to_string_lossy().into_owned();
    let draft = tempfile::Builder::new()
        .prefix(&format!(".{name}."))
        .tempdir_in(above);
    let draft = draft.with_context(|| format!("cannot write beside {}", to.display()))?;
    let new = draft.path().join("new");
    fs::create_dir(&new)?;
    let copied = frozen::freeze(from, &new)?;
    ensure!(
        copied == *checked,
        "the checked copy was changed meanwhile, so it is not promoted; run it again"
    );
    let key = to.to_string_lossy();
    let before = known(store, &key);
    let files = checked.len();
    if !to.exists() {
        fs::rename(&new, &to).with_context(|| format!("cannot make {}", to.display()))?;
        remember(store, &key, checked)?;
        return Ok(Promoted { files, kept: None });
    }
    ensure!(to.is_dir(), "{} is no directory", to.display());
    if let Err(error) = sys::exchange(&new, &to) {
        bail!("{} cannot be replaced in one step: {error}", to.display());
    }
    // From here on it holds what was there before, which is not ours to lose.
    let draft = draft.keep();
    remember(store, &key, checked)?;
    // What stands at `new` now is what was there before.
    clear(&new, &before)?;
    let kept = match frozen::manifest(&new)?.is_empty() && !new.join(".git").exists() {
        true => None,
        false => {
            let kept = free(above, &name);
            fs::rename(&new, &kept)?;
            Some(kept)
        }
    };
    // Only directories without a file are left in it.
    fs::remove_dir_all(draft)?;
    Ok(Promoted { files, kept })
}

/// Removes what we put there, if it is as we put it.
fn clear(dir: &Path, ours: &Manifest) -> Result<()> {
    for (name, mark) in frozen::manifest(dir)? {
        if ours.get(&name) == Some(&mark) {
            fs::remove_file(dir.join(name))?;
        }
    }
    Ok(())
}

/// A name beside it that is not taken.
fn free(above: &Path, name: &str) -> PathBuf {
    let mut numbers = 1_u64..;
    let named = numbers
        .by_ref()
        .map(|number| above.join(format!("{name}.kept-{number}")));
    let mut free = named.filter(|path| path.symlink_metadata().is_err());
    free.next().unwrap_or_else(|| above.join(name))
}

/// What was promoted to a place the last time.
fn known(store: &Store, place: &str) -> Manifest {
    let text = store.promoted(place).ok().flatten().unwrap_or_default();
    let lines = text.lines().filter_map(|line| {
        let (hash, rest) = line.split_once(' ')?;
        let (kind, name) = rest.split_once(' ')?;
        let kind = ["file", "run", "link"]
            .into_iter()
            .find(|one| *one == kind)?;
        let hash = hash.to_owned();
        Some((name.to_owned(), Mark { kind, hash }))
    });
    lines.collect()
}

fn remember(store: &Store, place: &str, manifest: &Manifest) -> Result<()> {
    // A name with a line break is not ours to remove the next time.
    let plain = manifest.iter().filter(|(name, _)| !name.contains('\n'));
    let lines = plain.map(|(name, mark)| format!("{} {} {name}\n", mark.hash, mark.kind));
    Ok(store.set_promoted(place, &lines.collect::<String>())?)
}
