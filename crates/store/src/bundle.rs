//! The rules bundle: user rules in compiled form, with the files they were compiled from. Knows the
//! envelope, not the rules.

use std::path::Path;
use std::time::UNIX_EPOCH;

use crate::frame::{self, Kind, Unopened};
use crate::{Store, StoreError};
use model::section::Reader;

/// Largest bundle, in bytes.
pub const BUNDLE_BYTES_MAX: u64 = 64 * 1024 * 1024;

const KIND: Kind = Kind::first(*b"bndl");

/// What a file was when rules were read from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// When it was changed, in nanoseconds since the epoch.
    pub modified: u64,
    /// Its size in bytes.
    pub size: u64,
}

/// A file that a bundle depends on. Name the directory of packs too: its time changes when a
/// pack is added or goes. Name files that are not there: they may come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its absolute path.
    pub path: String,
    /// How it was; `None` if it was not there.
    pub stamp: Option<Stamp>,
}

impl Source {
    /// Stamps a file as it is. Stamp first, then read: a change in between shows as stale.
    #[must_use]
    pub fn new(path: &str) -> Self {
        let metadata = Path::new(path).metadata().ok();
        let stamp = metadata.map(|metadata| {
            let modified = metadata.modified().ok();
            let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            let nanos = since.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(0));
            Stamp {
                modified: nanos,
                size: metadata.len(),
            }
        });
        Self {
            path: path.to_owned(),
            stamp,
        }
    }

    fn is_as_it_was(&self) -> bool {
        Self::new(&self.path) == *self
    }
}

/// A bundle's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    bytes: Vec<u8>,
    start: usize,
    /// What it was compiled from.
    pub sources: Vec<Source>,
}

impl Bundle {
    /// The compiled rules.
    #[must_use]
    pub fn payload(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }
}

/// How a project's bundle stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BundleState {
    /// There is none.
    None,
    /// It is what its sources say.
    Fresh(Bundle),
    /// A source has changed since; it still judges until it is compiled again.
    Stale(Bundle),
    /// It cannot be used; why.
    Corrupt(String),
    /// A newer program wrote it.
    Newer,
}

impl Store {
    /// The bundle of a project, checked as a whole and against its sources.
    #[must_use]
    pub fn bundle(&self, project: &str) -> BundleState {
        let bytes = match self.root.load(&bundle_file(project), BUNDLE_BYTES_MAX) {
            Ok(None) => return BundleState::None,
            Ok(Some(bytes)) => bytes,
            Err(error) => return BundleState::Corrupt(error.to_string()),
        };
        match open(bytes) {
            Ok(bundle) if bundle.sources.iter().all(Source::is_as_it_was) => {
                BundleState::Fresh(bundle)
            }
            Ok(bundle) => BundleState::Stale(bundle),
            Err(Unopened::Newer) => BundleState::Newer,
            Err(Unopened::Empty | Unopened::Damaged) => {
                let path = self.root.at(&bundle_file(project));
                let path = path.display();
                BundleState::Corrupt(format!("{path} is damaged; run `tollgate compile`"))
            }
        }
    }

    /// Replaces a project's bundle. Readers have the old one or the new one, never a mixture.
    ///
    /// # Errors
    /// If it cannot be written, or is over [`BUNDLE_BYTES_MAX`].
    pub fn write_bundle(
        &self,
        project: &str,
        payload: &[u8],
        sources: &[Source],
    ) -> Result<(), StoreError> {
        let frame = frame::seal(KIND, 0, |body| {
            body.list(sources, |out, source| {
                out.bytes(source.path.as_bytes());
                let stamp = source.stamp.unwrap_or(Stamp {
                    modified: 0,
                    size: u64::MAX,
                });
                out.number(stamp.modified);
                out.number(stamp.size);
            });
            body.0.extend(payload);
        });
        let name = bundle_file(project);
        if frame.len() as u64 > BUNDLE_BYTES_MAX {
            return Err(StoreError::TooLarge {
                path: self.root.at(&name),
            });
        }
        self.root.replace(&name, &frame)
    }

    /// Removes a project's bundle.
    ///
    /// # Errors
    /// If it is there and cannot be removed.
    pub fn remove_bundle(&self, project: &str) -> Result<(), StoreError> {
        self.root.remove(&bundle_file(project))
    }
}

fn bundle_file(project: &str) -> String {
    ["bundles/", &model::session_id(project), ".bundle"].concat()
}

fn open(bytes: Vec<u8>) -> Result<Bundle, Unopened> {
    let body = frame::open(KIND, &bytes)?.body;
    let mut input = Reader(body);
    let sources = input.list(|input| {
        let path = input.text()?;
        let stamp = Stamp {
            modified: input.number()?,
            size: input.number()?,
        };
        Some(Source {
            path,
            stamp: (stamp.size != u64::MAX).then_some(stamp),
        })
    });
    let sources = sources.ok_or(Unopened::Damaged)?;
    let start = bytes.len() - input.0.len();
    Ok(Bundle {
        bytes,
        start,
        sources,
    })
}
