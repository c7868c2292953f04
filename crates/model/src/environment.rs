//! The variables that a process was started with. They are many and few are asked for, so none is
//! taken apart before that.

use std::borrow::Cow;

/// Variables by name. Where a name stands twice, the first counts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Environment {
    /// Each as `NAME=value`, in UTF-8.
    entries: Vec<Cow<'static, [u8]>>,
}

impl Environment {
    /// The names of all variables.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let entries = self.entries.iter();
        entries.filter_map(|entry| std::str::from_utf8(entry).ok()?.split('=').next())
    }

    /// The value of a variable.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let name = name.as_bytes();
        let mut entries = self.entries.iter();
        let value = entries.find_map(|entry| {
            // Most differ there.
            let may_be = entry.first() == name.first();
            may_be.then(|| entry.strip_prefix(name)?.strip_prefix(b"="))?
        });
        str::from_utf8(value?).ok()
    }

    /// The variables of some names, and few others: names and values.
    pub fn among(&self, names: Names) -> impl Iterator<Item = (&str, &str)> {
        let entries = self.entries.iter();
        let entries = entries.filter(move |entry| names.may_begin(entry));
        entries.filter_map(|entry| str::from_utf8(entry).ok()?.split_once('='))
    }

    /// Adds a variable.
    pub fn push(&mut self, (name, value): (String, String)) {
        let entry = [&name, "=", &value].concat();
        self.entries.push(Cow::Owned(entry.into_bytes()));
    }
}

impl FromIterator<&'static [u8]> for Environment {
    /// Of entries, each as `NAME=value`; what is not UTF-8 is replaced.
    fn from_iter<I: IntoIterator<Item = &'static [u8]>>(entries: I) -> Self {
        let entries = entries.into_iter().map(|entry| match entry.is_ascii() {
            true => Cow::Borrowed(entry),
            false => Cow::Owned(String::from_utf8_lossy(entry).into_owned().into_bytes()),
        });
        Self {
            entries: entries.collect(),
        }
    }
}

impl From<Vec<(String, String)>> for Environment {
    fn from(variables: Vec<(String, String)>) -> Self {
        let mut all = Self::default();
        variables
            .into_iter()
            .for_each(|variable| all.push(variable));
        all
    }
}

/// A set of names, by how they begin. May say yes to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Names(u64);

impl Names {
    /// No names.
    pub const NONE: Self = Self(0);

    /// The set with a name as well.
    #[must_use]
    pub const fn with(self, name: &str) -> Self {
        Self(self.0 | Self::bit(name.as_bytes()))
    }

    fn may_begin(self, text: &[u8]) -> bool {
        self.0 & Self::bit(text) != 0
    }

    /// Differs for most pairs of first letters.
    const fn bit(text: &[u8]) -> u64 {
        match text {
            [first, second, ..] => 1 << (first.wrapping_mul(7).wrapping_add(*second) % 64),
            _ => u64::MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_found_by_whole_names() {
        let mut all = Environment::from_iter(["A=1", "AB=2=3", "A=4", "odd"].map(str::as_bytes));
        all.push(("C".to_owned(), String::new()));
        for (name, value) in [
            ("A", Some("1")),
            ("AB", Some("2=3")),
            ("C", Some("")),
            ("", None),
            ("B", None),
            ("odd", None),
            ("od", None),
        ] {
            assert_eq!(all.get(name), value, "{name}");
        }
    }

    #[test]
    fn few_other_variables_are_among_some_names() {
        let all = ["A=1", "BC=2", "BCD=3", "DE=4", "odd"].map(str::as_bytes);
        let all = Environment::from_iter(all);
        let among = |names: Names| all.among(names).collect::<Vec<(&str, &str)>>();
        let found = among(Names::NONE.with("BCX").with("od"));
        assert_eq!(found, [("BC", "2"), ("BCD", "3")]);
        assert_eq!(among(Names::NONE.with("A")).len(), 4);
        assert_eq!(among(Names::NONE), []);
    }

    #[test]
    fn what_is_not_utf8_is_replaced() {
        let all = Environment::from_iter([&b"A=\xff"[..], "B=\u{e9}".as_bytes()]);
        assert_eq!(all.get("A"), Some("\u{fffd}"));
        assert_eq!(all.get("B"), Some("\u{e9}"));
    }
}
