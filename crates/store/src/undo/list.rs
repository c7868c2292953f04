//! Which captures there are, and dropping one.

use std::path::{Path, PathBuf};

use super::capture::{DIR, dir, manifest};
use super::manifest::{Capture, Kind};
use super::{anchor, objects};
use crate::{Store, StoreError};

/// Largest manifest, in bytes.
const MANIFEST_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// What is kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Captures {
    /// The captures, oldest first.
    pub whole: Vec<Capture>,
    /// Manifests that cannot be read, and why.
    pub damaged: Vec<(PathBuf, String)>,
}

/// What became of a capture that was dropped.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dropped {
    /// Refs of ours that only git can remove, because git has packed them: the directory that all
    /// work trees share, the ref, the commit.
    pub left: Vec<(String, String, String)>,
}

impl Store {
    /// All captures of a project, or of all projects.
    ///
    /// # Errors
    /// If they cannot be listed.
    pub fn captures(&self, project: Option<&str>) -> Result<Captures, StoreError> {
        let mut found = Captures::default();
        let projects = match project {
            Some(project) => vec![project.to_owned()],
            None => self.undo_projects()?,
        };
        for project in &projects {
            for id in self.root.names(&format!("{DIR}/{project}"), "")? {
                match self.manifest(project, &id)? {
                    Some(Ok(capture)) => found.whole.push(capture),
                    Some(Err(why)) => found
                        .damaged
                        .push((self.root.at(&manifest(project, &id)), why)),
                    // Under way, or cut short by a crash: no capture.
                    None => {}
                }
            }
        }
        found
            .whole
            .sort_by(|a, b| (a.time, &a.id).cmp(&(b.time, &b.id)));
        Ok(found)
    }

    /// The names of the directories that hold captures.
    pub(super) fn undo_projects(&self) -> Result<Vec<String>, StoreError> {
        let names = self.root.names(DIR, "")?;
        let is_project = |name: &String| {
            !matches!(name.as_str(), "objects" | "drafts")
                && self.root.is_dir(&format!("{DIR}/{name}"))
        };
        Ok(names.into_iter().filter(is_project).collect())
    }

    /// The manifest of a capture; nothing if there is none.
    pub(super) fn manifest(
        &self,
        project: &str,
        id: &str,
    ) -> Result<Option<Result<Capture, String>>, StoreError> {
        let name = manifest(project, id);
        let bytes = match self.root.load(&name, MANIFEST_BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(error) => return Ok(Some(Err(error.to_string()))),
        };
        let read = |bytes: Vec<u8>| {
            let capture = Capture::read(&bytes)?;
            // A manifest that was copied elsewhere is not the capture of that place.
            if capture.id == id && capture.project == project {
                Ok(capture)
            } else {
                Err("it belongs to another capture".to_owned())
            }
        };
        Ok(bytes.map(read))
    }

    /// The capture that a host's own question about a call is to name: an earlier one of that call
    /// that holds the very same, in whose favour the new one is dropped, else the new one.
    ///
    /// # Errors
    /// If a capture cannot be read or removed.
    pub fn one_capture(&self, project: &str, id: &str) -> Result<String, StoreError> {
        let Some(Ok(new)) = self.manifest(project, id)? else {
            return Ok(id.to_owned());
        };
        for other in self.root.names(&format!("{DIR}/{project}"), "")? {
            if other == id {
                continue;
            }
            let Some(Ok(earlier)) = self.manifest(project, &other)? else {
                continue;
            };
            if earlier.is_of_call(&new) && earlier.keeps_as(&new) {
                // What git alone can remove of it is swept with the rest.
                self.drop_capture(&new)?;
                return Ok(other);
            }
        }
        Ok(new.id)
    }

    /// Removes a capture. Its bytes go with the next sweep, if no other capture has them too.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn drop_capture(&self, capture: &Capture) -> Result<Dropped, StoreError> {
        // Refs first: without the manifest nobody would know them.
        let left = unset_anchors(capture);
        let (project, id) = (&capture.project, &capture.id);
        self.root.remove(&manifest(project, id))?;
        self.root.remove_empty(&dir(project, id));
        self.root.remove_empty(&format!("{DIR}/{project}"));
        Ok(Dropped { left })
    }

    /// Removes a capture whose manifest cannot be read, as [`Captures::damaged`] names it. Refs of
    /// ours that it made stay: nobody knows them any more.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn drop_damaged(&self, path: &Path) -> Result<(), StoreError> {
        let found = self.captures(None)?;
        let is_damaged = found.damaged.iter().any(|(damaged, _)| damaged == path);
        let mut names = path.iter().rev().skip(1).filter_map(|name| name.to_str());
        if let (true, Some(id), Some(project)) = (is_damaged, names.next(), names.next()) {
            self.root.remove(&manifest(project, id))?;
            self.root.remove_empty(&dir(project, id));
            self.root.remove_empty(&format!("{DIR}/{project}"));
        }
        Ok(())
    }

    /// The kept bytes of a small file, checked.
    ///
    /// # Errors
    /// If they are gone or damaged, in words.
    pub fn kept_bytes(&self, sum: &str) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let copied = objects::copy_out(&self.root, sum, &mut bytes);
        copied.map(|()| bytes).map_err(|error| error.to_string())
    }
}

/// Removes the refs of a capture; those that only git can remove.
pub(super) fn unset_anchors(capture: &Capture) -> Vec<(String, String, String)> {
    let mut left = Vec::new();
    for entry in &capture.entries {
        if let Kind::Anchor {
            common_dir,
            commit,
            reference,
            ..
        } = &entry.kind
            && !anchor::unset(common_dir, reference, commit)
        {
            left.push((common_dir.clone(), reference.clone(), commit.clone()));
        }
    }
    left
}
