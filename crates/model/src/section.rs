//! Records as lists of sections: each concern keeps its own, with its own version, and what a
//! program does not know it carries along unread.
//!
//! Owns the format of a section and of a step, as bytes and as fields. Knows no concern.

mod bytes;
mod step;

pub use bytes::{Field, Reader, Writer};
pub use step::{AnyStep, FieldValue, Fields, LogField, Logged, SAMPLES, Step, StepError, Telling};

/// What one concern remembers in a record.
pub trait Section: Field + Default + Clone + PartialEq + std::fmt::Debug {
    /// Names it in records and in the journal, for ever.
    const NAME: &'static str;
    /// The version that this program writes.
    const VERSION: u16;
    /// The oldest version whose programs understand what this one writes.
    const MIN_READER: u16;

    /// Reads it as some version wrote it; `None` if the bytes are not that. What a later version
    /// appended stays in `input`. Every version so far had the present form, unless it says
    /// otherwise here.
    fn read_version(version: u16, input: &mut Reader<'_>) -> Option<Self> {
        let _ = version;
        input.field()
    }

    /// Reads it from a record in which it had no section of its own yet.
    fn read_before(sections: &Sections) -> Option<Self> {
        let _ = sections;
        None
    }
}

/// Why a section cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreadable {
    /// A newer program wrote it and says that this one must not read it.
    Newer,
    /// Its bytes are not what its version says.
    Damaged,
}

/// A section as it stands in a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawSection {
    /// Whose it is.
    pub name: String,
    /// The version that wrote it.
    pub version: u16,
    /// The oldest version that may read it.
    pub min_reader: u16,
    /// What was written.
    pub bytes: Vec<u8>,
}

/// The sections of a record, known or not, in the order in which they came.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sections(Vec<RawSection>);

impl Sections {
    /// Every section.
    pub fn iter(&self) -> impl Iterator<Item = &RawSection> {
        self.0.iter()
    }

    /// A section by its name.
    #[must_use]
    pub fn raw(&self, name: &str) -> Option<&RawSection> {
        self.0.iter().find(|raw| raw.name == name)
    }

    /// Puts a section into its place, or at the end.
    pub fn put_raw(&mut self, section: RawSection) {
        match self.0.iter_mut().find(|raw| raw.name == section.name) {
            Some(known) => *known = section,
            None => self.0.push(section),
        }
    }

    /// What a concern remembers; a fresh section if there is none.
    ///
    /// # Errors
    /// As [`Unreadable`] says.
    pub fn read<T: Section>(&self) -> Result<T, Unreadable> {
        let Some(raw) = self.raw(T::NAME) else {
            return Ok(T::read_before(self).unwrap_or_default());
        };
        if raw.min_reader > T::VERSION {
            return Err(Unreadable::Newer);
        }
        T::read_version(raw.version, &mut Reader(&raw.bytes)).ok_or(Unreadable::Damaged)
    }

    /// What a concern remembers; a fresh section where there is none, or none that can be read:
    /// whoever loads a record asks [`Sections::read`] and says so.
    #[must_use]
    pub fn get<T: Section>(&self) -> T {
        self.read().unwrap_or_default()
    }

    /// Puts what a concern remembers. What a later version appended to it stays.
    pub fn put<T: Section>(&mut self, value: &T) {
        let mut out = Writer::default();
        value.write(&mut out);
        let mut raw = RawSection {
            name: T::NAME.to_owned(),
            version: T::VERSION,
            min_reader: T::MIN_READER,
            bytes: out.0,
        };
        if let Some(known) = self.raw(T::NAME)
            && known.version > T::VERSION
        {
            let mut input = Reader(&known.bytes);
            if T::read_version(known.version, &mut input).is_some() {
                raw.version = known.version;
                raw.min_reader = known.min_reader;
                raw.bytes.extend_from_slice(input.0);
            }
        }
        self.put_raw(raw);
    }
}

#[cfg(test)]
mod tests;
