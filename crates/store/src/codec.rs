//! Records as bytes and back: lists of sections. What the store itself keeps has sections here;
//! those of concerns are carried along, known or not. Knows no files and no concern.

use model::section::{Field, RawSection, Reader, Sections, Writer};
use model::{Project, Session};

use crate::frame::Kind;

mod before;
#[cfg(any(test, fuzzing))]
pub mod check;

/// A record that has a place in a two-slot file.
pub trait Record: Default + Clone {
    /// Names the kind in the envelope.
    const KIND: Kind;
    /// Appends the record.
    fn encode(&self, out: &mut Writer);
    /// Reads the record.
    fn decode(version: u16, input: &mut Reader<'_>) -> Result<Self, Undecoded>;
}

/// Why a record's body could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undecoded {
    /// A newer program wrote a section that the store has to understand.
    Newer,
    /// The bytes are not a record.
    Damaged,
}

/// The format since which records are lists of sections.
const SECTIONS: u16 = 2;

const fn records(id: [u8; 4]) -> Kind {
    Kind {
        id,
        version: SECTIONS,
        min_reader: SECTIONS,
    }
}

/// The version of the store's own sections. They are written whole, so one that says more needs
/// readers that know it.
const OWN_VERSION: u16 = 1;

/// Appends a section of the store's own.
fn put_own(out: &mut Writer, name: &str, write: impl FnOnce(&mut Writer)) {
    put(out, name, [OWN_VERSION; 2], write);
}

/// Appends a section: its name, its version and the oldest reader in one number, its bytes.
fn put(
    out: &mut Writer,
    name: &str,
    [version, min_reader]: [u16; 2],
    write: impl FnOnce(&mut Writer),
) {
    out.bytes(name.as_bytes());
    out.number(u64::from(version) | u64::from(min_reader) << 16);
    out.part(write);
}

fn put_all(out: &mut Writer, sections: &Sections) {
    for raw in sections.iter() {
        let versions = [raw.version, raw.min_reader];
        put(out, &raw.name, versions, |out| {
            out.0.extend_from_slice(&raw.bytes);
        });
    }
}

/// A section, as it stands in the bytes of a record.
struct StoredSection<'a> {
    name: &'a [u8],
    version: u16,
    min_reader: u16,
    bytes: &'a [u8],
}

impl<'a> StoredSection<'a> {
    fn take(input: &mut Reader<'a>) -> Option<Self> {
        let name = input.bytes()?;
        let [a, b, c, d, ..] = input.number()?.to_le_bytes();
        Some(Self {
            name,
            version: u16::from_le_bytes([a, b]),
            min_reader: u16::from_le_bytes([c, d]),
            bytes: input.bytes()?,
        })
    }

    /// Reads a section of the store's own.
    fn own(&self, read: impl FnOnce(&mut Reader<'a>) -> Option<()>) -> Result<(), Undecoded> {
        if self.min_reader > OWN_VERSION {
            return Err(Undecoded::Newer);
        }
        read(&mut Reader(self.bytes)).ok_or(Undecoded::Damaged)
    }

    /// Keeps a section of somebody else.
    fn keep(&self, sections: &mut Sections) -> Result<(), Undecoded> {
        let name = String::from_utf8(self.name.to_vec());
        sections.put_raw(RawSection {
            name: name.map_err(|_| Undecoded::Damaged)?,
            version: self.version,
            min_reader: self.min_reader,
            bytes: self.bytes.to_vec(),
        });
        Ok(())
    }
}

/// Hands on every section.
fn each<'a>(
    input: &mut Reader<'a>,
    mut take: impl FnMut(&StoredSection<'a>) -> Result<(), Undecoded>,
) -> Result<(), Undecoded> {
    while !input.0.is_empty() {
        take(&StoredSection::take(input).ok_or(Undecoded::Damaged)?)?;
    }
    Ok(())
}

impl Record for Session {
    const KIND: Kind = records(*b"sess");

    fn encode(&self, out: &mut Writer) {
        put_own(out, "session", |out| {
            out.number(self.started.0);
            out.number(self.last.0);
            out.bytes(self.project.as_bytes());
            out.bytes(self.host.as_bytes());
            let counts = [self.calls, self.asked, self.denied].into_iter();
            counts.for_each(|number| out.number(number));
        });
        put_own(out, "paths", |out| {
            out.numbers(&self.created_paths);
            out.numbers(&self.read_paths);
            self.pending.write(out);
        });
        put_own(out, "said", |out| {
            out.list(&self.said, |out, (advice, call)| {
                out.number(*advice);
                out.number(*call);
            });
            out.numbers(&self.handled);
        });
        put_own(out, "bindings", |out| self.bindings.write(out));
        put_all(out, &self.sections);
    }

    fn decode(version: u16, input: &mut Reader<'_>) -> Result<Self, Undecoded> {
        if version < SECTIONS {
            return before::session(input).ok_or(Undecoded::Damaged);
        }
        let mut session = Self::default();
        each(input, |found| match found.name {
            b"session" => found.own(|input| {
                session.started = input.field()?;
                session.last = input.field()?;
                session.project = input.text()?;
                session.host = input.text()?;
                session.calls = input.number()?;
                session.asked = input.number()?;
                session.denied = input.number()?;
                Some(())
            }),
            b"paths" => found.own(|input| {
                session.created_paths = input.numbers()?;
                session.read_paths = input.numbers()?;
                session.pending = input.field()?;
                Some(())
            }),
            b"said" => found.own(|input| {
                session.said = input.list(|input| Some((input.number()?, input.number()?)))?;
                session.handled = input.numbers()?;
                Some(())
            }),
            b"bindings" => found.own(|input| {
                session.bindings = input.field()?;
                Some(())
            }),
            _ => found.keep(&mut session.sections),
        })?;
        Ok(session)
    }
}

impl Record for Project {
    const KIND: Kind = records(*b"proj");

    fn encode(&self, out: &mut Writer) {
        put_own(out, "project", |out| {
            out.bytes(self.dir.as_bytes());
            out.number(self.last.0);
            out.number(self.sessions);
            out.numbers(&self.recent);
        });
        put_all(out, &self.sections);
    }

    fn decode(version: u16, input: &mut Reader<'_>) -> Result<Self, Undecoded> {
        let mut project = Self::default();
        let mut own = |input: &mut Reader<'_>| {
            project.dir = input.text()?;
            project.last = input.field()?;
            project.sessions = input.number()?;
            project.recent = input.numbers()?;
            Some(())
        };
        if version < SECTIONS {
            own(input).ok_or(Undecoded::Damaged)?;
            return Ok(project);
        }
        let mut sections = Sections::default();
        each(input, |found| match found.name {
            b"project" => found.own(&mut own),
            _ => found.keep(&mut sections),
        })?;
        project.sections = sections;
        Ok(project)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Binding, Pending, Time};
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn check<T: Record + PartialEq + std::fmt::Debug>(record: &T, own: usize) {
        let mut out = Writer::default();
        record.encode(&mut out);
        let read = |bytes: &[u8]| T::decode(SECTIONS, &mut Reader(bytes));
        assert_eq!(read(&out.0).as_ref(), Ok(record));
        // Whole sections less is what an older program wrote; anything else is damage.
        let whole = |length: usize| {
            let mut input = Reader(&out.0[..length]);
            let mut count = 0;
            while !input.0.is_empty() {
                match StoredSection::take(&mut input) {
                    Some(_) => count += 1,
                    None => return None,
                }
            }
            Some(count)
        };
        for length in 0..out.0.len() {
            let read = read(&out.0[..length]);
            assert_eq!(read.is_ok(), whole(length).is_some(), "cut at {length}");
        }
        assert!(whole(out.0.len()) >= Some(own));
    }

    prop_compose! {
        fn sections()(
            list in vec(("[a-z]{1,8}-theirs", any::<u16>(), any::<u16>(), vec(any::<u8>(), 0..40)), 0..4),
        ) -> Sections {
            let mut sections = Sections::default();
            for (name, version, min_reader, bytes) in list {
                sections.put_raw(RawSection { name, version, min_reader, bytes });
            }
            sections
        }
    }

    prop_compose! {
        fn session()(
            numbers in vec(any::<u64>(), 5),
            texts in (any::<String>(), any::<String>()),
            lists in vec(vec(any::<u64>(), 0..5), 3),
            pending in vec((any::<u64>(), vec(any::<u64>(), 0..4), vec(any::<u64>(), 0..4)), 0..4),
            said in vec(any::<(u64, u64)>(), 0..4),
            bindings in vec((any::<u64>(), any::<u64>(), any::<bool>()), 0..3),
            sections in sections(),
        ) -> Session {
            let pending = pending.into_iter();
            Session {
                started: Time(numbers[0]), last: Time(numbers[1]),
                project: texts.0, host: texts.1,
                calls: numbers[2], asked: numbers[3], denied: numbers[4],
                created_paths: lists[0].clone(), read_paths: lists[1].clone(), handled: lists[2].clone(),
                pending: pending.map(|(call, created_paths, read_paths)| Pending { call, created_paths, read_paths }).collect(),
                said,
                bindings: bindings.into_iter().map(|(process, start, nested)| Binding {
                    process, start, nested,
                }).collect(),
                sections,
            }
        }
    }

    proptest! {
        #[test]
        fn a_session_comes_back_with_what_nobody_here_knows(record in session()) {
            check(&record, 4);
        }

        #[test]
        fn a_project_comes_back(
            dir: String, last: u64, sessions: u64, recent in vec(any::<u64>(), 0..9),
            sections in sections(),
        ) {
            check(&Project { dir, last: Time(last), sessions, recent, sections }, 1);
        }

        #[test]
        fn a_record_with_damaged_bytes_is_refused_or_comes_back(
            record in session(), damaged in vec((any::<usize>(), any::<u8>()), 0..4), cut: usize,
        ) {
            let mut out = Writer::default();
            record.encode(&mut out);
            let mut bytes = out.0;
            for (at, byte) in damaged {
                let at = at % bytes.len();
                bytes[at] = byte;
            }
            if cut % 3 == 0 {
                bytes.truncate(cut % bytes.len());
            }
            prop_assert_eq!(super::check::check(&bytes), Ok(()));
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in vec(any::<u8>(), 0..400), version in 0..4_u16) {
            let session = Session::decode(version, &mut Reader(&bytes));
            let project = Project::decode(version, &mut Reader(&bytes));
            // Far more items than bytes must not have been believed.
            prop_assert!(!session.is_ok_and(|s| s.created_paths.len() * 8 > bytes.len()));
            prop_assert!(!project.is_ok_and(|p| p.dir.len() > bytes.len()));
            prop_assert_eq!(super::check::check(&bytes), Ok(()));
        }
    }

    #[test]
    fn a_newer_section_of_ours_makes_the_record_newer() {
        let mut out = Writer::default();
        put(&mut out, "paths", [2, 2], |out| out.0.extend(b"whatever"));
        assert_eq!(
            Session::decode(SECTIONS, &mut Reader(&out.0)),
            Err(Undecoded::Newer)
        );
        let mut out = Writer::default();
        put(&mut out, "nobody knows", [9, 9], |out| {
            out.0.extend(b"whatever")
        });
        let session = Session::decode(SECTIONS, &mut Reader(&out.0));
        assert_eq!(
            session.map(|session| session.sections.iter().count()),
            Ok(1)
        );
    }
}
