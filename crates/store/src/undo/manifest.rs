//! The manifest of a capture: what was kept, one line a thing. Owns the format; opens no file.
//!
//! A header, a line for each thing, a line for each thing that was not kept, and at the end a line
//! with a checksum of all before it: without that line there is no capture.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use model::Time;
use text::hex;

use super::fields::{Fields, read};
use super::sys;
use crate::json::Object;
use model::sum64;

/// The version of the format that this program writes, and the newest it reads.
const VERSION: u64 = 1;

/// How long after a call was judged its host may ask about it, in milliseconds.
const ONE_CALL_MS: u64 = 60_000;

/// A capture, as its manifest tells it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Capture {
    /// Its id.
    pub id: String,
    /// Id of the project.
    pub project: String,
    /// The session.
    pub session: String,
    /// The call.
    pub call_id: String,
    /// When.
    pub time: Time,
    /// Where the call ran.
    pub dir: String,
    /// The call on one line, without secrets.
    pub what: String,
    /// What was kept, by path.
    pub entries: Vec<BackupEntry>,
    /// What was not: the path, and why.
    pub unsaved: Vec<(String, String)>,
}

/// One thing that was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupEntry {
    /// Where it was; absolute, no part of it a link. Of a commit, the work tree's top.
    pub path: PathBuf,
    /// What it was.
    pub kind: Kind,
    /// Permission bits.
    pub mode: u32,
    /// Bytes.
    pub size: u64,
    /// When it was changed: seconds and nanoseconds since 1970.
    pub modified: (i64, u32),
    /// User and group.
    pub owners: (u32, u32),
    /// What all hard links of one file share; empty if it had only this name.
    pub twin: String,
    /// Extended attributes.
    pub attributes: Vec<(OsString, Vec<u8>)>,
}

/// What a thing was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A plain file.
    File {
        /// SHA-256 of its bytes, in hex.
        sum: String,
    },
    /// A symbolic link.
    Link {
        /// Where it pointed.
        target: OsString,
    },
    /// A directory that would have gone.
    Dir,
    /// A directory above something that was kept: made again only if it is missing.
    Above,
    /// A named pipe.
    Pipe,
    /// A socket; only that there was one.
    Socket,
    /// A device; only that there was one.
    Device,
    /// The index of a repository.
    Index {
        /// Top of the work tree.
        root: String,
        /// The commit that `HEAD` named; empty if it is not known.
        head: String,
        /// SHA-256 of its bytes, in hex.
        sum: String,
    },
    /// A commit that is kept reachable.
    Anchor {
        /// The directory that all work trees share.
        common_dir: String,
        /// The commit, in hex.
        commit: String,
        /// What pointed at it.
        name: String,
        /// What points at it now.
        reference: String,
    },
}

impl Kind {
    /// Its word in the manifest and for people.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::File { .. } => "file",
            Self::Link { .. } => "link",
            Self::Dir => "dir",
            Self::Above => "above",
            Self::Pipe => "pipe",
            Self::Socket => "socket",
            Self::Device => "device",
            Self::Index { .. } => "index",
            Self::Anchor { .. } => "commit",
        }
    }

    /// The name of its bytes, if it has any.
    #[must_use]
    pub fn sum(&self) -> Option<&str> {
        match self {
            Self::File { sum } | Self::Index { sum, .. } => Some(sum),
            _ => None,
        }
    }
}

impl BackupEntry {
    /// Without the name that its capture gave it.
    fn without_name(mut self) -> Self {
        if let Kind::Anchor { reference, .. } = &mut self.kind {
            reference.clear();
        }
        self
    }

    /// A commit of the repository with this work tree.
    pub(super) fn commit(root: &str, kind: Kind) -> Self {
        Self {
            path: PathBuf::from(root),
            kind,
            mode: 0,
            size: 0,
            modified: (0, 0),
            owners: (0, 0),
            twin: String::new(),
            attributes: Vec::new(),
        }
    }
}

impl Capture {
    /// What a person would count: what was kept, directories above it aside.
    pub fn things(&self) -> impl Iterator<Item = &BackupEntry> {
        self.entries
            .iter()
            .filter(|entry| entry.kind != Kind::Above)
    }

    /// Whether it was made for the call that another was made for, a moment later.
    pub(super) fn is_of_call(&self, later: &Self) -> bool {
        let since = later.time.0.checked_sub(self.time.0);
        // Some hosts ask their human about a call without saying which it is.
        let is_named_so = later.call_id.is_empty() || self.call_id == later.call_id;
        is_named_so
            && (&self.session, &self.dir, &self.what) == (&later.session, &later.dir, &later.what)
            && since.is_some_and(|millis| millis < ONE_CALL_MS)
    }

    /// Whether it keeps what another keeps, no more and no less.
    pub(super) fn keeps_as(&self, other: &Self) -> bool {
        let kept = |capture: &Self| -> Vec<BackupEntry> {
            let things = capture.things().cloned();
            things.map(BackupEntry::without_name).collect()
        };
        self.unsaved == other.unsaved && kept(self) == kept(other)
    }

    /// The bytes of all that was kept.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.entries.iter().map(|entry| entry.size).sum()
    }

    /// The manifest's text.
    #[must_use]
    pub fn render(&self) -> String {
        let mut out = String::new();
        line(&mut out, |o| {
            o.number("undo", VERSION);
            o.text("id", &self.id);
            o.number("time", self.time.0);
            o.text("project", &self.project);
            o.text("session", &self.session);
            o.text("call", &self.call_id);
            o.text("dir", &self.dir);
            o.text("what", &self.what);
        });
        for entry in &self.entries {
            line(&mut out, |o| render_entry(o, entry));
        }
        for (path, why) in &self.unsaved {
            line(&mut out, |o| {
                o.text("unsaved", path);
                o.text("why", why);
            });
        }
        let end = ending(&out, self.entries.len() + self.unsaved.len());
        out.push_str(&end);
        out
    }

    /// Reads a manifest.
    ///
    /// # Errors
    /// Why it is none: it was cut, changed, or is newer than this program.
    pub fn read(text: &[u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(text).map_err(|_| "it is no text")?;
        let body = text.strip_suffix('\n').ok_or("it was cut short")?;
        let (covered, last) = match body.rsplit_once('\n') {
            Some((before, last)) => (text.get(..=before.len()).unwrap_or_default(), last),
            None => return Err("it was cut short".to_owned()),
        };
        let expected = ending(covered, covered.lines().count().saturating_sub(1));
        if last != expected.trim_end() {
            return Err("it was cut short or changed".to_owned());
        }
        let mut lines = covered.lines();
        let head = lines.next().and_then(read).ok_or("it has no header")?;
        if head.number("undo").is_none_or(|version| version > VERSION) {
            return Err("a newer tollgate wrote it; run `tollgate init` again".to_owned());
        }
        let field = |name: &str| head.text(name).unwrap_or_default().to_owned();
        let mut capture = Self {
            id: field("id"),
            project: field("project"),
            session: field("session"),
            call_id: field("call"),
            time: Time(head.number("time").unwrap_or_default()),
            dir: field("dir"),
            what: field("what"),
            ..Self::default()
        };
        for (number, line) in lines.enumerate() {
            let wrong = || format!("its line {} cannot be read", number + 2);
            let fields = read(line).ok_or_else(wrong)?;
            match fields.text("unsaved") {
                Some(path) => {
                    let why = fields.text("why").unwrap_or_default();
                    capture.unsaved.push((path.to_owned(), why.to_owned()));
                }
                None => capture.entries.push(read_entry(&fields).ok_or_else(wrong)?),
            }
        }
        Ok(capture)
    }
}

/// The last line: how many there are between header and it, and the checksum of all before it.
fn ending(covered: &str, count: usize) -> String {
    let mut out = String::new();
    line(&mut out, |o| {
        o.number("complete", count as u64);
        o.hash("sum", sum64(covered.as_bytes()));
    });
    out
}

/// A path as people read it.
#[must_use]
pub fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Whether it is absolute and has no way up: all that a restore may write to.
fn is_plain(path: &Path) -> bool {
    let is_clean = |part| matches!(part, Component::RootDir | Component::Normal(_));
    let clean = path
        .components()
        .all(|part| is_clean(part) || (cfg!(windows) && matches!(part, Component::Prefix(_))));
    path.is_absolute() && clean
}

fn line(out: &mut String, fields: impl FnOnce(&mut Object<'_>)) {
    Object::write(out, fields);
    out.push('\n');
}

/// Text of the system, as text where it is text, else in hex.
fn os_text(o: &mut Object<'_>, key: &str, text: &std::ffi::OsStr) {
    match text.to_str() {
        Some(text) => o.text(key, text),
        None => o.text(&format!("{key}_hex"), &hex::encode(text.as_encoded_bytes())),
    }
}

fn read_os(fields: &Fields, key: &str) -> Option<OsString> {
    match fields.text(key) {
        Some(text) => Some(text.into()),
        None => sys::from_bytes(hex::decode(fields.text(&format!("{key}_hex"))?)?),
    }
}

fn render_entry(o: &mut Object<'_>, entry: &BackupEntry) {
    o.text("kind", entry.kind.word());
    os_text(o, "path", entry.path.as_os_str());
    match &entry.kind {
        Kind::File { sum } => o.text("sha256", sum),
        Kind::Link { target } => os_text(o, "target", target),
        Kind::Index { root, head, sum } => {
            o.text("sha256", sum);
            o.text("root", root);
            o.text("head", head);
        }
        Kind::Anchor {
            common_dir,
            commit,
            name,
            reference,
        } => {
            o.text("common_dir", common_dir);
            o.text("commit", commit);
            o.text("name", name);
            o.text("ref", reference);
            return;
        }
        Kind::Dir | Kind::Above | Kind::Pipe | Kind::Socket | Kind::Device => {}
    }
    o.number("mode", entry.mode.into());
    o.number("size", entry.size);
    let (seconds, nanos) = entry.modified;
    o.text("mtime", &format!("{seconds}.{nanos:09}"));
    o.number("user", entry.owners.0.into());
    o.number("group", entry.owners.1.into());
    o.text("twin", &entry.twin);
    let attributes = entry.attributes.iter();
    let attributes = attributes.map(|(name, value)| {
        format!(
            "{}={}",
            hex::encode(name.as_encoded_bytes()),
            hex::encode(value)
        )
    });
    o.text("attributes", &attributes.collect::<Vec<_>>().join(" "));
}

fn read_entry(fields: &Fields) -> Option<BackupEntry> {
    let path = PathBuf::from(read_os(fields, "path")?);
    if !is_plain(&path) {
        return None;
    }
    let text = |key: &str| fields.text(key).unwrap_or_default().to_owned();
    let sum = || {
        fields
            .text("sha256")
            .filter(|sum| is_sum(sum))
            .map(str::to_owned)
    };
    let kind = match fields.text("kind")? {
        "file" => Kind::File { sum: sum()? },
        "link" => Kind::Link {
            target: read_os(fields, "target")?,
        },
        "dir" => Kind::Dir,
        "above" => Kind::Above,
        "pipe" => Kind::Pipe,
        "socket" => Kind::Socket,
        "device" => Kind::Device,
        "index" => Kind::Index {
            root: text("root"),
            head: text("head"),
            sum: sum()?,
        },
        "commit" => Kind::Anchor {
            common_dir: text("common_dir"),
            commit: text("commit"),
            name: text("name"),
            reference: text("ref"),
        },
        _ => return None,
    };
    let small = |key: &str| u32::try_from(fields.number(key).unwrap_or_default()).ok();
    Some(BackupEntry {
        path,
        kind,
        mode: small("mode")? & 0o7777,
        size: fields.number("size").unwrap_or_default(),
        modified: fields.text("mtime").map_or(Some((0, 0)), read_time)?,
        owners: (small("user")?, small("group")?),
        twin: text("twin"),
        attributes: read_attributes(&text("attributes"))?,
    })
}

fn read_time(text: &str) -> Option<(i64, u32)> {
    let (seconds, nanos) = text.split_once('.')?;
    let nanos = nanos.parse().ok().filter(|nanos| *nanos < 1_000_000_000)?;
    Some((seconds.parse().ok()?, nanos))
}

fn read_attributes(text: &str) -> Option<Vec<(OsString, Vec<u8>)>> {
    let pairs = text.split(' ').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=')?;
            Some((sys::from_bytes(hex::decode(name)?)?, hex::decode(value)?))
        })
        .collect()
}

/// Whether it is a SHA-256 in hex.
fn is_sum(text: &str) -> bool {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    text.len() == 64 && text.bytes().all(is_digit)
}
