//! A host's own file of one session: whose it is, and what it tells. The edge for
//! [`context::extract`].

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use context::{Extraction, Format, Frame, Query, Section};
use hosts::Recognized;
use model::TodoState;

use crate::files::expanded;

/// How much of a file is looked at to tell whose it is, in bytes.
const HEAD_BYTES: u64 = 256 * 1024;
/// Most subagents that are told of.
const SUBAGENTS_MAX: usize = 64;

/// Most bytes of a session file that are read for what is still to be done.
const TODO_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// What a session file tells; of this host's, if one is named.
///
/// # Errors
/// As [`SessionFile::open`].
pub fn extraction(path: &Path, host: Option<&str>, query: &Query) -> Result<Extraction> {
    SessionFile::open(path, host)?.extract(query)
}

/// What a session still means to do.
///
/// # Errors
/// As [`SessionFile::open`].
pub fn todos(path: &str, host: Option<&str>) -> Result<Vec<String>> {
    let query = Query {
        bytes_max: Some(TODO_BYTES_MAX),
        ..Query::of(&[Section::Todos])
    };
    let extraction = extraction(Path::new(path), host, &query)?;
    let items = extraction.todos.items.into_iter();
    let open = items.filter(|item| item.state != TodoState::Done);
    Ok(open.map(|item| item.text).collect())
}

/// A file that can be read.
#[derive(Debug)]
pub struct SessionFile {
    path: PathBuf,
    /// Whose it is.
    pub recognized: Recognized,
}

impl SessionFile {
    /// The file, if it is one of a host that we can read; of this host, if one is named.
    ///
    /// # Errors
    /// If it cannot be read, is empty, or is nobody's that we know.
    pub fn open(path: &Path, host: Option<&str>) -> Result<Self> {
        let shown = path.display();
        let readable = hosts::hosts_with_session_format();
        let names = readable.join(", ");
        if let Some(host) = host.filter(|host| !readable.contains(host)) {
            bail!("no session files of a host {host} can be read; there are {names}");
        }
        let kind = fs::metadata(path).with_context(|| format!("cannot read {shown}"))?;
        if !kind.is_file() {
            bail!("{shown} is not a file; name the session's file itself");
        }
        let file = File::open(path).with_context(|| format!("cannot read {shown}"))?;
        let mut head = Vec::new();
        file.take(HEAD_BYTES)
            .read_to_end(&mut head)
            .with_context(|| format!("cannot read {shown}"))?;
        if head.trim_ascii().is_empty() {
            bail!("{shown} is empty: its agent has not written to it yet");
        }
        let recognized = hosts::recognize(&head, host).with_context(|| {
            format!(
                "{shown} does not begin like a session file of {names}; \
                 if it is one, say whose: --host HOST"
            )
        })?;
        let path = path.to_owned();
        Ok(Self { path, recognized })
    }

    /// What it tells.
    ///
    /// # Errors
    /// If it cannot be read any more.
    pub fn extract(&self, query: &Query) -> Result<Extraction> {
        self.extract_from(&self.path, query)
    }

    /// What the files of its subagents tell, where its host keeps them beside it. `session` is what
    /// the file itself calls the session. One that is gone meanwhile tells nothing.
    #[must_use]
    pub fn extract_subagents(&self, session: &str, query: &Query) -> Vec<(PathBuf, Extraction)> {
        let files = self.subagents(session).into_iter();
        let extractions = files.filter_map(|file| {
            self.extract_from(&file, query)
                .ok()
                .map(|extraction| (file, extraction))
        });
        extractions.collect()
    }

    fn extract_from(&self, path: &Path, query: &Query) -> Result<Extraction> {
        let cannot = || format!("cannot read {}", path.display());
        let mut file = File::open(path).with_context(cannot)?;
        let length = file.metadata().with_context(cannot)?.len();
        let frame = match self.recognized.is_document {
            true => Frame::Document,
            false => Frame::Lines,
        };
        let format = Format {
            frame,
            record: self.recognized.format.record,
            context: self.recognized.host.transcript_context,
        };
        let mut read_at = |offset, piece: &mut [u8]| {
            file.seek(SeekFrom::Start(offset)).ok()?;
            loop {
                match file.read(piece) {
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    read => return read.ok(),
                }
            }
        };
        Ok(context::extract(format, query, length, &mut read_at))
    }

    fn subagents(&self, session: &str) -> Vec<PathBuf> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let dir = self.path.parent().map(text);
        // A file in the present directory has an empty parent.
        let dir = dir.filter(|dir| !dir.is_empty());
        let dir = dir.unwrap_or_else(|| ".".to_owned());
        let stem = text(&self.path.with_extension(""));
        let templates = self.recognized.format.subagents.iter();
        let mut files: Vec<PathBuf> = templates
            .filter(|template| !session.is_empty() || !template.contains("{session}"))
            .flat_map(|template| {
                let template = template.replace("{stem}", &stem).replace("{dir}", &dir);
                expanded(&template.replace("{session}", session))
            })
            .collect();
        files.sort();
        files.dedup();
        files.truncate(SUBAGENTS_MAX);
        files
    }
}
