//! Values as bytes and back. Little endian, lengths before lists and texts.

use crate::{Digest, Time};

/// Most items that room is made for before any of them is read.
const FORESEEN_MAX: usize = 64;

/// Bytes being written.
#[derive(Debug, Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    /// Appends a number.
    pub fn number(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    /// Appends bytes with their length.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// Appends with its length what `write` appends.
    pub fn part(&mut self, write: impl FnOnce(&mut Self)) {
        let at = self.0.len();
        self.number(0);
        let begin = self.0.len();
        write(self);
        let length = (self.0.len() - begin) as u64;
        if let Some(place) = self.0.get_mut(at..begin) {
            place.copy_from_slice(&length.to_le_bytes());
        }
    }

    /// Appends a list, each item by `item`.
    pub fn list<T>(&mut self, list: &[T], item: impl Fn(&mut Self, &T)) {
        self.number(list.len() as u64);
        list.iter().for_each(|entry| item(self, entry));
    }

    /// Appends a value by its place in its table of names.
    pub fn variant<T: PartialEq>(&mut self, names: &[(&str, T)], value: &T) {
        let place = names.iter().position(|(_, variant)| variant == value);
        self.number(place.map_or(u64::MAX, |place| place as u64));
    }

    /// Appends a list of numbers.
    pub fn numbers(&mut self, list: &[u64]) {
        self.number(list.len() as u64);
        self.0.reserve(size_of_val(list));
        list.iter().for_each(|number| self.number(*number));
    }
}

/// Bytes being read. Whatever they are, reading ends with `Some` or `None`.
#[derive(Debug)]
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    /// Takes a number.
    pub fn number(&mut self) -> Option<u64> {
        let (word, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*word))
    }

    /// Takes bytes with their length.
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    /// Takes a value by its place in its table of names.
    pub fn variant<T: Copy>(&mut self, names: &[(&str, T)]) -> Option<T> {
        let place = usize::try_from(self.number()?).ok()?;
        names.get(place).map(|(_, variant)| *variant)
    }

    /// Takes a text.
    pub fn text(&mut self) -> Option<String> {
        match self.bytes()? {
            b"" => Some(String::new()),
            bytes => String::from_utf8(bytes.to_vec()).ok(),
        }
    }

    /// Takes a list, each item by `item`. Every item has at least eight bytes, so a wild length
    /// ends at the end of the bytes.
    pub fn list<T>(&mut self, item: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let length = self.number()?;
        let foreseen = usize::try_from(length).map_or(FORESEEN_MAX, |all| all.min(FORESEEN_MAX));
        let mut list = Vec::new();
        if length > 0 {
            list.reserve_exact(foreseen);
        }
        for _ in 0..length {
            list.push(item(self)?);
        }
        Some(list)
    }

    /// Takes a list of numbers.
    pub fn numbers(&mut self) -> Option<Vec<u64>> {
        let length = usize::try_from(self.number()?).ok()?;
        let bytes = length.checked_mul(size_of::<u64>())?;
        let (numbers, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        let (numbers, _) = numbers.as_chunks();
        Some(numbers.iter().copied().map(u64::from_le_bytes).collect())
    }

    /// Takes what a type says of itself.
    pub fn field<T: Field>(&mut self) -> Option<T> {
        T::read(self)
    }
}

/// A value that has one form as bytes. At least eight of them.
pub trait Field: Sized {
    /// Appends it.
    fn write(&self, out: &mut Writer);
    /// Takes it.
    fn read(input: &mut Reader<'_>) -> Option<Self>;
}

impl Field for u64 {
    fn write(&self, out: &mut Writer) {
        out.number(*self);
    }

    fn read(input: &mut Reader<'_>) -> Option<Self> {
        input.number()
    }
}

impl Field for bool {
    fn write(&self, out: &mut Writer) {
        out.number(u64::from(*self));
    }

    fn read(input: &mut Reader<'_>) -> Option<Self> {
        match input.number()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl Field for Time {
    fn write(&self, out: &mut Writer) {
        out.number(self.0);
    }

    fn read(input: &mut Reader<'_>) -> Option<Self> {
        input.number().map(Self)
    }
}

impl Field for String {
    fn write(&self, out: &mut Writer) {
        out.bytes(self.as_bytes());
    }

    fn read(input: &mut Reader<'_>) -> Option<Self> {
        input.text()
    }
}

impl Field for Digest {
    fn write(&self, out: &mut Writer) {
        out.bytes(self);
    }

    fn read(input: &mut Reader<'_>) -> Option<Self> {
        input.bytes()?.try_into().ok()
    }
}

impl<T: Field> Field for Vec<T> {
    fn write(&self, out: &mut Writer) {
        out.list(self, |out, item| item.write(out));
    }

    fn read(input: &mut Reader<'_>) -> Option<Self> {
        input.list(T::read)
    }
}

/// Gives a struct its form as bytes: its fields in this order, each by its own form.
///
/// Every field has to be named, so that none is forgotten.
#[macro_export]
macro_rules! fields {
    ($name:ident { $($field:ident),* $(,)? }) => {
        impl $crate::section::Field for $name {
            fn write(&self, out: &mut $crate::section::Writer) {
                let Self { $($field),* } = self;
                $($crate::section::Field::write($field, out);)*
            }

            fn read(input: &mut $crate::section::Reader<'_>) -> Option<Self> {
                $(let $field = input.field()?;)*
                Some(Self { $($field),* })
            }
        }
    };
}

/// Gives an enum with a table `NAMES` its form as bytes (its place in the table, for ever) and as
/// a field (its name).
#[macro_export]
macro_rules! named {
    ($name:ident) => {
        impl $crate::section::Field for $name {
            fn write(&self, out: &mut $crate::section::Writer) {
                out.variant(Self::NAMES, self);
            }

            fn read(input: &mut $crate::section::Reader<'_>) -> Option<Self> {
                input.variant(Self::NAMES)
            }
        }

        impl $crate::section::LogField for $name {
            fn log(&self) -> $crate::section::FieldValue {
                $crate::section::FieldValue::Text(self.name().to_owned())
            }

            fn read_log(value: &$crate::section::FieldValue) -> Option<Self> {
                let $crate::section::FieldValue::Text(text) = value else {
                    return None;
                };
                let mut all = Self::NAMES.iter();
                all.find(|(name, _)| name == text).map(|(_, value)| *value)
            }

            fn sample(at: usize) -> Self {
                let mut all = Self::NAMES.iter().map(|(_, value)| *value).cycle();
                all.nth(at).unwrap_or_default()
            }
        }
    };
}
