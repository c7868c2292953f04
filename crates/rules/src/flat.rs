//! The flat form of values: bytes for the overlay bundle and, for what is compiled in, Rust source.
//!
//! One [`Flat`] implementation a type, records by one macro, so that both forms always have all
//! fields. Decoding trusts nothing: any damage is an error, and no length is believed before the
//! bytes are there.

use std::borrow::Cow;

use model::{Certainty, Flags, GrantLevel, Level, Mode, Profile, ResourceKind, Verb, Zone};

use crate::bundle::Damage;
use crate::layer::{HostSwitch, Layer, ModeSwitch, Scope, Source, Surface, Switch};
use crate::rule::{ActorKind, List, Pack, Rule, Text, When};
use crate::settings::{Setting, Value};

/// Most elements of one list.
pub(crate) const LIST_LEN_MAX: usize = 4_096;

/// Bytes being read.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.rest.is_empty()
    }

    /// What is left.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], Damage> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(Damage::Short)?;
        self.rest = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Damage> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(Damage::Short)?;
        self.rest = rest;
        Ok(*taken)
    }
}

/// A value with a flat form.
pub(crate) trait Flat: Sized {
    /// Appends the bytes.
    fn put(&self, out: &mut Vec<u8>);
    /// Reads what [`Flat::put`] wrote.
    fn get(from: &mut Reader<'_>) -> Result<Self, Damage>;
    /// An expression that makes this value at compile time, given `use` of all types here.
    #[cfg(feature = "toml")]
    fn spell(&self) -> String;
}

impl Flat for u32 {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend(self.to_le_bytes());
    }
    fn get(from: &mut Reader<'_>) -> Result<Self, Damage> {
        from.array().map(Self::from_le_bytes)
    }
    #[cfg(feature = "toml")]
    fn spell(&self) -> String {
        self.to_string()
    }
}

impl Flat for bool {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }
    fn get(from: &mut Reader<'_>) -> Result<Self, Damage> {
        match from.array()? {
            [0] => Ok(false),
            [1] => Ok(true),
            _ => Err(Damage::Value),
        }
    }
    #[cfg(feature = "toml")]
    fn spell(&self) -> String {
        self.to_string()
    }
}

impl Flat for Text {
    fn put(&self, out: &mut Vec<u8>) {
        put_len(self.len(), out);
        out.extend(self.as_bytes());
    }
    fn get(from: &mut Reader<'_>) -> Result<Self, Damage> {
        let count = u32::get(from)? as usize;
        let text = std::str::from_utf8(from.take(count)?).map_err(|_| Damage::Value)?;
        Ok(Cow::Owned(text.to_owned()))
    }
    #[cfg(feature = "toml")]
    fn spell(&self) -> String {
        format!("Cow::Borrowed({:?})", self.as_ref())
    }
}

impl Flat for Flags {
    fn put(&self, out: &mut Vec<u8>) {
        self.bits().put(out);
    }
    fn get(from: &mut Reader<'_>) -> Result<Self, Damage> {
        let flags = Self::from_bits(u32::get(from)?);
        let known = flags.iter().fold(Self::NONE, Self::with);
        if known == flags {
            Ok(flags)
        } else {
            Err(Damage::Value)
        }
    }
    #[cfg(feature = "toml")]
    fn spell(&self) -> String {
        let with = |text, flag| format!("{text}.with(Flag::{flag:?})");
        self.iter().fold("Flags::NONE".to_owned(), with)
    }
}

impl<T: Flat> Flat for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(value) = self {
            value.put(out);
        }
    }
    fn get(from: &mut Reader<'_>) -> Result<Self, Damage> {
        if bool::get(from)? {
            T::get(from).map(Some)
        } else {
            Ok(None)
        }
    }
    #[cfg(feature = "toml")]
    fn spell(&self) -> String {
        let spelled = self.as_ref().map(T::spell);
        spelled.map_or("None".to_owned(), |value| format!("Some({value})"))
    }
}

impl<T: Flat + Clone> Flat for List<T> {
    fn put(&self, out: &mut Vec<u8>) {
        put_len(self.len(), out);
        for value in self.iter() {
            value.put(out);
        }
    }
    fn get(from: &mut Reader<'_>) -> Result<Self, Damage> {
        let count = u32::get(from)? as usize;
        if count > LIST_LEN_MAX {
            return Err(Damage::Value);
        }
        let values: Result<Vec<T>, Damage> = (0..count).map(|_| T::get(from)).collect();
        values.map(Cow::Owned)
    }
    #[cfg(feature = "toml")]
    fn spell(&self) -> String {
        let values: Vec<String> = self.iter().map(T::spell).collect();
        format!("Cow::Borrowed(&[{}])", values.join(", "))
    }
}

/// A length; longer ones than can be read back are written as the largest, which is damage.
fn put_len(length: usize, out: &mut Vec<u8>) {
    u32::try_from(length).unwrap_or(u32::MAX).put(out);
}

/// An enum is the place of its variant in its table of names.
macro_rules! flat_enum {
    ($($type:ident: $names:expr),* $(,)?) => { $(
        impl Flat for $type {
            fn put(&self, out: &mut Vec<u8>) {
                let place = $names.iter().position(|(_, variant)| variant == self);
                out.push(place.and_then(|place| u8::try_from(place).ok()).unwrap_or(u8::MAX));
            }
            fn get(from: &mut Reader<'_>) -> Result<Self, Damage> {
                let [place] = from.array()?;
                let found = $names.get(usize::from(place));
                found.map(|(_, variant)| *variant).ok_or(Damage::Value)
            }
            #[cfg(feature = "toml")]
            fn spell(&self) -> String {
                format!(concat!(stringify!($type), "::{:?}"), self)
            }
        }
    )* };
}

flat_enum! {
    Verb: Verb::NAMES,
    ResourceKind: ResourceKind::NAMES,
    Zone: Zone::NAMES,
    Certainty: Certainty::NAMES,
    Level: Level::NAMES,
    Mode: Mode::NAMES,
    Profile: Profile::NAMES,
    ActorKind: ActorKind::NAMES,
    GrantLevel: GrantLevel::NAMES,
    Scope: Scope::NAMES,
    Surface: Surface::NAMES,
}

/// An enum that holds something is the number of its variant and what that holds.
macro_rules! flat_choice {
    ($($type:ident { $($number:literal: $variant:ident),* $(,)? })*) => { $(
        impl Flat for $type {
            fn put(&self, out: &mut Vec<u8>) {
                match self {
                    $(Self::$variant(value) => {
                        out.push($number);
                        value.put(out);
                    })*
                }
            }
            fn get(from: &mut Reader<'_>) -> Result<Self, Damage> {
                match from.array()? {
                    $([$number] => Flat::get(from).map(Self::$variant),)*
                    _ => Err(Damage::Value),
                }
            }
            #[cfg(feature = "toml")]
            fn spell(&self) -> String {
                match self {
                    $(Self::$variant(value) => {
                        let name = concat!(stringify!($type), "::", stringify!($variant));
                        format!("{name}({})", value.spell())
                    })*
                }
            }
        }
    )* };
}

flat_choice! {
    Value { 0: Toggle, 1: Number, 2: Line, 3: Lines }
}

/// A record is its fields in order.
macro_rules! flat_record {
    ($($type:ident { $($field:ident),* $(,)? })*) => { $(
        impl Flat for $type {
            fn put(&self, out: &mut Vec<u8>) {
                $(self.$field.put(out);)*
            }
            fn get(from: &mut Reader<'_>) -> Result<Self, Damage> {
                Ok(Self { $($field: Flat::get(from)?),* })
            }
            #[cfg(feature = "toml")]
            fn spell(&self) -> String {
                let fields = [$(format!("{}: {}", stringify!($field), self.$field.spell())),*];
                format!("{} {{ {} }}", stringify!($type), fields.join(", "))
            }
        }
    )* };
}

flat_record! {
    When {
        verbs, kinds, zones, not_zones, names, not_names, programs, not_programs, args, flags,
        not_flags, loss, certainty_at_most, branches, tools, actor, via,
    }
    Rule { id, level, reason, alternative, covers, unknown, grant, when, line }
    Pack { id, summary, on, file, rules }
    Source { scope, file, trusted }
    ModeSwitch { gate, surface, mode }
    Switch { id, on }
    HostSwitch { host, key, on }
    Setting { key, value }
    Layer {
        source, profile, modes, skip_tools, protect, switches, settings, hosts, packs,
    }
}
