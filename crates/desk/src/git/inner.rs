//! Repositories inside of the work that nobody named as parts of it: a commit of the work would
//! hold a bare link to a commit that nobody else has. Their files are taken instead, up to a bound.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::Result;

use super::WorkTree;
use super::capture::Index;

/// Most files and bytes that are taken of one.
const FILES_MAX: usize = 10_000;
const BYTES_MAX: u64 = 64_000_000;

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inner {
    /// Its path from the top.
    pub path: String,
    /// Whether its files were taken; else it is too large.
    pub is_taken: bool,
}

impl Inner {
    /// What people and reviewers are told of it.
    #[must_use]
    pub fn in_words(&self) -> String {
        let path = &self.path;
        match self.is_taken {
            true => format!(
                "{path}/ is a repository of its own: its files are part of the work, its history \
                 is not"
            ),
            false => format!(
                "{path}/ is a repository of its own with more than {FILES_MAX} files or {} MB: \
                 nothing of it is part of the work",
                BYTES_MAX / 1_000_000
            ),
        }
    }
}

/// A file of one.
struct File {
    /// From the top of the work.
    path: String,
    mode: &'static str,
}

impl WorkTree {
    /// Puts the files of repositories in the place of the links to them, but for those that a
    /// commit has, and those that `.gitmodules` says where to find.
    pub(super) fn take_in(
        &self,
        index: &Index,
        base: &str,
        links: Vec<String>,
    ) -> Result<Vec<Inner>> {
        if links.is_empty() {
            return Ok(Vec::new());
        }
        let known = self.known(base)?;
        let links = links.into_iter().filter(|link| !known.contains(link));
        let mut all = Vec::new();
        let zero = "0".repeat(2 * self.dirs.hash_bytes);
        for path in links {
            let files = self.files_of(&path);
            let mut lines = format!("0 {zero}\t{path}\0");
            for (file, id) in self.hashed(files.as_deref().unwrap_or_default())? {
                lines.push_str(&format!("{} {id}\t{}\0", file.mode, file.path));
            }
            let words = ["update-index", "-z", "--index-info"];
            self.run((Some(index), None), &words, Some(&lines))?;
            let is_taken = files.is_some();
            all.push(Inner { path, is_taken });
        }
        Ok(all)
    }

    /// The links that a commit has, and the submodules that are named.
    fn known(&self, base: &str) -> Result<Vec<String>> {
        let listed = self.git(&["ls-tree", "-r", "-z", base])?;
        let links = listed.split('\0').filter_map(|entry| {
            let (about, path) = entry.split_once('\t')?;
            about.starts_with("160000 ").then(|| path.to_owned())
        });
        let words = [
            "config",
            "-z",
            "--file",
            ".gitmodules",
            "--get-regexp",
            r"\.path$",
        ];
        // Where there is no such file, none is named.
        let named = self.git(&words).unwrap_or_default();
        let named = named.split('\0').filter_map(|entry| entry.split_once('\n'));
        Ok(links
            .chain(named.map(|(_, path)| path.to_owned()))
            .collect())
    }

    /// The files of a repository, and of those inside of it; nothing if they are too many.
    fn files_of(&self, path: &str) -> Option<Vec<File>> {
        let (mut files, mut bytes) = (Vec::new(), 0);
        let mut dirs = vec![path.to_owned()];
        while let Some(dir) = dirs.pop() {
            for name in self.names_of(&dir) {
                let path = format!("{dir}/{name}");
                let Ok(stat) = fs::symlink_metadata(self.top().join(&path)) else {
                    continue;
                };
                if stat.is_dir() {
                    dirs.push(path);
                    continue;
                }
                let mode = match stat.permissions().mode() & 0o100 {
                    _ if stat.is_symlink() => "120000",
                    _ if !stat.is_file() => continue,
                    0 => "100644",
                    _ => "100755",
                };
                bytes += stat.len();
                files.push(File { path, mode });
                if files.len() > FILES_MAX || bytes > BYTES_MAX {
                    return None;
                }
            }
        }
        Some(files)
    }

    /// What lies in a directory: of a repository what it does not ignore, else all but git's own.
    fn names_of(&self, dir: &str) -> Vec<String> {
        let path = self.top().join(dir);
        let own = Self::around(&path).ok();
        let own = own.filter(|own| Path::new(&own.dirs.root) == path);
        let words = [
            "ls-files",
            "--cached",
            "--others",
            "--exclude-standard",
            "--deduplicate",
            "-z",
        ];
        if let Some(names) = own.and_then(|own| own.git(&words).ok()) {
            let names = names.split('\0').map(|name| name.trim_end_matches('/'));
            return names
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect();
        }
        let entries = fs::read_dir(&path).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        names.filter(|name| name != ".git").collect()
    }

    /// Files with the objects that hold them.
    fn hashed<'f>(&self, files: &'f [File]) -> Result<Vec<(&'f File, String)>> {
        let (links, plain): (Vec<&File>, Vec<&File>) =
            files.iter().partition(|file| file.mode == "120000");
        let mut all = Vec::new();
        if !plain.is_empty() {
            let names = plain.iter().map(|file| quoted(&file.path));
            let names: String = names.flat_map(|name| [name, "\n".to_owned()]).collect();
            let words = ["hash-object", "-w", "--no-filters", "--stdin-paths"];
            let ids = self.run((None, Some(self.top())), &words, Some(&names))?;
            all.extend(plain.into_iter().zip(ids.lines().map(str::to_owned)));
        }
        for link in links {
            let target = fs::read_link(self.top().join(&link.path))?;
            let target = String::from_utf8_lossy(target.as_os_str().as_bytes()).into_owned();
            let words = ["hash-object", "-w", "--stdin"];
            let id = self.run((None, None), &words, Some(&target))?;
            all.push((link, id.trim().to_owned()));
        }
        Ok(all)
    }
}

/// A path as git reads it on a line of its own.
fn quoted(path: &str) -> String {
    let letter = |letter: char| match letter {
        '"' | '\\' => format!("\\{letter}"),
        '\n' => "\\n".to_owned(),
        _ => letter.to_string(),
    };
    let letters: String = path.chars().map(letter).collect();
    format!("\"{letters}\"")
}
