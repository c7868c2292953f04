//! Where the sections of a program lie, as the linker tells it, and which of them a profile
//! touched.

use std::collections::{BTreeMap, BTreeSet};

/// The sections of a program by their address.
pub struct Layout(BTreeMap<u64, Section>);

/// One function or constant.
struct Section {
    name: String,
    bytes: u64,
}

impl Layout {
    /// Reads the linker's account, which names a section and tells where it lies in one line or in
    /// two. Left out is what has no place of its own: constants that were put into others.
    pub fn read(map: &str) -> Self {
        let mut found = BTreeMap::new();
        let mut above = None;
        for line in map.lines().filter(|line| line.starts_with(' ')) {
            let name = match line.split_whitespace().next() {
                Some(word) if word.starts_with('.') => Some(word),
                _ => above.take(),
            };
            let mut numbers = line.split_whitespace().filter_map(hexadecimal);
            above = None;
            match (name, numbers.next(), numbers.next()) {
                (name, None, _) => above = name,
                (Some(name), Some(at), Some(bytes)) if at > 0 => {
                    let name = name.to_owned();
                    found.insert(at, Section { name, bytes });
                }
                _ => {}
            }
        }
        Self(found)
    }

    /// The names of the sections of a kind that these addresses lie in, sorted.
    pub fn named(&self, kind: &str, addresses: impl Iterator<Item = u64>) -> BTreeSet<&str> {
        let sections = addresses.filter_map(|at| self.at(at));
        sections
            .map(|section| section.name.as_str())
            .filter(|name| name.starts_with(kind))
            .collect()
    }

    fn at(&self, at: u64) -> Option<&Section> {
        let (start, section) = self.0.range(..=at).next_back()?;
        (at < start + section.bytes).then_some(section)
    }
}

fn hexadecimal(word: &str) -> Option<u64> {
    u64::from_str_radix(word.strip_prefix("0x")?, 16).ok()
}

/// The address of an instruction that a line of callgrind's counts: `0x400010 0 1`.
pub fn run_at(line: &str) -> Option<u64> {
    hexadecimal(line.split_once(' ')?.0)
}

/// The address that a line of lackey's reads: ` L 0080cf40,8`.
pub fn read_at(line: &str) -> Option<u64> {
    let (address, _) = line.strip_prefix(" L ")?.split_once(',')?;
    u64::from_str_radix(address.trim(), 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str = "
.rodata         0x0000000000400000      0x100
 .rodata..Lanon.ab.1
                0x0000000000400010       0x20 /a/b.o
 .rodata.cst16  0x0000000000400030       0x10 /a/b.o
                0x0000000000400034                inner
 .rodata.states 0x0000000000400040        0x8 /a/b.o
 .rodata..Lanon.ab.2
                0x0000000000000000        0x8 /a/b.o
 .text.run      0x0000000000400050        0x8 /a/b.o
";

    #[test]
    fn sections_are_found_by_address() {
        let layout = Layout::read(MAP);
        let check = |at: u64, name: Option<&str>| {
            let section = layout.at(at).map(|section| section.name.as_str());
            assert_eq!(section, name, "{at:x}");
        };
        check(0x40_0000, None);
        check(0x40_0010, Some(".rodata..Lanon.ab.1"));
        check(0x40_002f, Some(".rodata..Lanon.ab.1"));
        check(0x40_0034, Some(".rodata.cst16"));
        check(0x40_0047, Some(".rodata.states"));
        check(0x40_0048, None);
        check(0x40_0050, Some(".text.run"));
        let named = layout.named(".text.", [0x40_0010, 0x40_0051].into_iter());
        assert_eq!(Vec::from_iter(named), [".text.run"]);
    }

    #[test]
    fn lines_tell_addresses() {
        assert_eq!(run_at("0x400010 0 1"), Some(0x40_0010));
        assert_eq!(run_at("calls=1 0x400010 0"), None);
        assert_eq!(read_at(" L 00400010,8"), Some(0x40_0010));
        assert_eq!(read_at(" S 00400010,8"), None);
        assert_eq!(read_at("I  00400010,3"), None);
    }
}
