//! All that is in a work tree, as a tree of git's: nothing of the user's changes by that.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use edge::facts::{self, Unlooked};
use tempfile::TempPath;

use super::inner::Inner;
use super::{WorkTree, failed};

/// An index that is nobody's.
pub struct Index(TempPath);

/// What was captured.
#[derive(Debug)]
pub struct Captured {
    /// The tree.
    pub tree: String,
    /// What of it is a repository of its own, by its path.
    pub inner: Vec<Inner>,
}

impl Index {
    /// Its file.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl WorkTree {
    /// One of ours: empty, or a copy of the user's.
    pub(super) fn index(&self, is_copied: bool) -> Result<Index> {
        let file = tempfile::NamedTempFile::new().context("there is no room for an index")?;
        let path = file.into_temp_path();
        let own = PathBuf::from(&self.dirs.git_dir).join("index");
        match is_copied && own.is_file() {
            true => {
                fs::copy(&own, &path)?;
                // What was written in the moment in which the index was is looked at anew.
                let written = fs::metadata(&own)?.modified()?;
                fs::File::options()
                    .write(true)
                    .open(&path)?
                    .set_modified(written)?;
            }
            // An empty file is no index; no file is an empty one.
            false => fs::remove_file(&path)?,
        }
        Ok(Index(path))
    }

    /// What of an index git does not look at; nothing if only git can say.
    fn unlooked(&self, index: &Index) -> Option<Unlooked> {
        match fs::read(index.path()) {
            Ok(bytes) => facts::unlooked(&bytes, &self.dirs),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some(Unlooked::default()),
            Err(_) => None,
        }
    }

    /// What is staged, or what an index of others holds.
    ///
    /// # Errors
    /// If it is no tree: what is not merged is none.
    pub fn tree_of_index(&self, bytes: Option<&[u8]>) -> Result<String> {
        let index = self.index(bytes.is_none())?;
        if let Some(bytes) = bytes {
            fs::write(&index.0, bytes)?;
        }
        Ok(self.with(&index, &["write-tree"])?.trim().to_owned())
    }

    /// The tree of all that is there, but for what is ignored, since a commit. Neither the index
    /// nor a branch changes by it.
    ///
    /// # Errors
    /// If git cannot read it.
    pub fn capture(&self, base: &str) -> Result<Captured> {
        self.capture_with(base, &[])
    }

    /// The same, and these although they are ignored.
    ///
    /// # Errors
    /// If git cannot read it.
    pub fn capture_with(&self, base: &str, ignored: &[String]) -> Result<Captured> {
        let index = self.index(true)?;
        if self.unlooked(&index).is_none_or(|unlooked| unlooked.hides) {
            self.show_hidden(&index)?;
        }
        let without = self.add_all(&index)?;
        if !ignored.is_empty() {
            let names: String = ignored.iter().flat_map(|name| [name, "\0"]).collect();
            let words = [
                "--literal-pathspecs",
                "add",
                "--force",
                "--pathspec-from-file=-",
                "--pathspec-file-nul",
            ];
            self.run((Some(&index), None), &words, Some(&names))?;
        }
        let links = match self.unlooked(&index) {
            Some(unlooked) => unlooked.links,
            None => self.links_in(&index)?,
        };
        let inner = self.take_in(&index, base, links.into_iter().chain(without).collect())?;
        // What it names is in the user's index, or was just written: a look at each file's object
        // takes longer than all the rest.
        let words = ["write-tree", "--missing-ok"];
        let tree = self.with(&index, &words)?.trim().to_owned();
        Ok(Captured { tree, inner })
    }

    /// Adds all that is there; the repositories without a commit, which git does not add.
    fn add_all(&self, index: &Index) -> Result<Vec<String>> {
        let words = ["add", "--all", "."];
        let out = self.output((Some(index), None), &words, None)?;
        if out.status.success() {
            return Ok(Vec::new());
        }
        let inner = self.repositories()?;
        if inner.is_empty() {
            return Err(failed(&words, &out));
        }
        let excluded = inner
            .iter()
            .map(|name| format!(":(top,exclude,literal){name}"));
        let excluded: Vec<String> = excluded.collect();
        let excluded = excluded.iter().map(String::as_str);
        let words: Vec<&str> = words.into_iter().chain(excluded).collect();
        self.with(index, &words)?;
        Ok(inner)
    }

    fn links_in(&self, index: &Index) -> Result<Vec<String>> {
        let listed = self.with(index, &["ls-files", "--stage", "-z"])?;
        let links = listed.split('\0').filter_map(|entry| {
            let (about, path) = entry.split_once('\t')?;
            about.starts_with("160000 ").then(|| path.to_owned())
        });
        Ok(links.collect())
    }

    /// What is ignored, by its path; of a directory in which all is, the directory.
    ///
    /// # Errors
    /// If git cannot say.
    pub fn ignored(&self) -> Result<Vec<String>> {
        let words = [
            "ls-files",
            "--others",
            "--ignored",
            "--exclude-standard",
            "--directory",
            "-z",
        ];
        let names = self.git(&words)?;
        let names = names.split('\0').filter(|name| !name.is_empty());
        Ok(names.map(str::to_owned).collect())
    }

    /// What is a repository of its own and none that git knows as part of this one.
    ///
    /// # Errors
    /// If git cannot say.
    fn repositories(&self) -> Result<Vec<String>> {
        let names = self.git(&["ls-files", "--others", "--exclude-standard", "-z"])?;
        // Of these git names the directory alone.
        let names = names.split('\0').filter_map(|name| name.strip_suffix('/'));
        Ok(names.map(str::to_owned).collect())
    }

    /// Takes back in an index that git was told not to look at files.
    fn show_hidden(&self, index: &Index) -> Result<()> {
        let listed = self.with(index, &["ls-files", "-v", "-z"])?;
        let hidden = listed.split('\0').filter_map(|entry| {
            let (tag, path) = entry.split_once(' ')?;
            let is_hidden = tag == "S" || tag.starts_with(|c: char| c.is_ascii_lowercase());
            is_hidden.then_some([path, "\0"])
        });
        let hidden: String = hidden.flatten().collect();
        if hidden.is_empty() {
            return Ok(());
        }
        for how in ["--no-assume-unchanged", "--no-skip-worktree"] {
            let words = ["update-index", how, "-z", "--stdin"];
            self.run((Some(index), None), &words, Some(&hidden))?;
        }
        Ok(())
    }

    /// The tree of another directory with the same files.
    ///
    /// # Errors
    /// If git cannot read it.
    pub fn tree_of(&self, dir: &Path) -> Result<String> {
        let index = self.index(false)?;
        let at = (Some(&index), Some(dir));
        self.run(at, &["add", "--all", "--force", "."], None)?;
        let words = ["write-tree", "--missing-ok"];
        Ok(self.run(at, &words, None)?.trim().to_owned())
    }
}
