//! What commands need and no copy of a tree has, since git ignores it: copied from where the user
//! has it, so that what a command writes there stays in the copy.

use std::fs;
use std::io;
use std::path::Path;

use super::spec::Spec;

/// Copies what a specification needs, where it is not there; what is missing, in words.
pub fn lend(spec: &Spec, from: &Path, to: &Path) -> Vec<String> {
    let needs = spec.needs.iter().filter(|path| !to.join(path).exists());
    let copied = needs.map(|path| (path, copy(&from.join(path), &to.join(path))));
    let missing = copied.filter_map(|(path, copied)| Some((path, copied.err()?)));
    let words = missing.map(|(path, error)| {
        format!(
            "{} is needed, and cannot be taken from {} ({error}): make it there, or take it out \
             of `needs`",
            path.display(),
            from.display()
        )
    });
    words.collect()
}

/// Copies a file, a link or a directory with all that is in it.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let stat = fs::symlink_metadata(from)?;
    if let Some(dir) = to.parent() {
        fs::create_dir_all(dir)?;
    }
    if stat.is_symlink() {
        return std::os::unix::fs::symlink(fs::read_link(from)?, to);
    }
    if !stat.is_dir() {
        // What is neither a file nor a directory has no content.
        return match stat.is_file() {
            true => fs::copy(from, to).map(drop),
            false => Ok(()),
        };
    }
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name();
        copy(&from.join(&name), &to.join(&name))?;
    }
    Ok(())
}
