//! Reads a command's words by its option grammar: short clusters, long names, values, `--`.
//!
//! Knows no program: each family states its grammar as a [`Spec`]. Must not look at the world.

use crate::Arg;

/// Whether an option has a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// `-r`, `--recursive`.
    Nothing,
    /// `-t dir`, `-tdir`, `--target-directory dir`, `--target-directory=dir`.
    Value,
    /// Only attached: `-i.bak`, `--backup=numbered`.
    Attached,
}

/// One option of a grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opt {
    /// Its spellings without dashes, parted by spaces. The first is its name in [`Options`].
    /// One character = `-x`, more = `--xyz`.
    pub names: &'static str,
    /// Whether it has a value.
    pub takes: Takes,
}

/// An option without a value.
#[must_use]
pub const fn flag(names: &'static str) -> Opt {
    let takes = Takes::Nothing;
    Opt { names, takes }
}

/// An option with a value.
#[must_use]
pub const fn value(names: &'static str) -> Opt {
    let takes = Takes::Value;
    Opt { names, takes }
}

/// An option whose value, if any, is attached to it.
#[must_use]
pub const fn attached(names: &'static str) -> Opt {
    let takes = Takes::Attached;
    Opt { names, takes }
}

impl Opt {
    fn name(&self) -> &'static str {
        self.names.split(' ').next().unwrap_or_default()
    }

    fn spells(&self, name: &str) -> bool {
        self.names.split(' ').any(|own| own == name)
    }

    fn begins(&self, start: &str) -> bool {
        let mut long = self.names.split(' ').filter(|own| own.len() > 1);
        long.any(|own| own.starts_with(start))
    }
}

/// The option grammar of one program or subcommand.
///
/// ```
/// use actions::options::{Options, Spec, flag, value};
/// use actions::Arg;
///
/// const COPY: Spec = Spec::gnu(&[flag("recursive r R"), flag("force f"), value("target t")]);
///
/// let words = ["-rf", "a", "--tar=dir", "--", "-b"].map(Arg::literal);
/// let read = Options::read(&words, &COPY);
/// assert!(read.has("recursive") && read.has("force"));
/// assert_eq!(read.value("target").map(|arg| arg.text.as_str()), Some("dir"));
/// assert_eq!(read.operands, ["a", "-b"].map(Arg::literal));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// Its options.
    pub options: &'static [Opt],
    /// Whether options may follow operands.
    pub permute: bool,
    /// Whether a long name may be cut short while it stays unambiguous.
    pub abbreviate: bool,
    /// Whether long names have one dash (`-auto-approve`); then there are no clusters.
    pub one_dash: bool,
}

impl Spec {
    /// As GNU programs and git do: options anywhere, long names may be abbreviated.
    #[must_use]
    pub const fn gnu(options: &'static [Opt]) -> Self {
        Self {
            options,
            permute: true,
            abbreviate: true,
            one_dash: false,
        }
    }

    /// Options anywhere, names in full (kubectl, docker, npm, cargo).
    #[must_use]
    pub const fn full(options: &'static [Opt]) -> Self {
        Self {
            options,
            permute: true,
            abbreviate: false,
            one_dash: false,
        }
    }

    /// The first operand ends the options (a wrapper before its command, `git` before its
    /// subcommand).
    #[must_use]
    pub const fn leading(options: &'static [Opt]) -> Self {
        Self {
            options,
            permute: false,
            abbreviate: true,
            one_dash: false,
        }
    }

    /// Long names with one dash or two, options anywhere (terraform).
    #[must_use]
    pub const fn one_dash(options: &'static [Opt]) -> Self {
        Self {
            options,
            permute: true,
            abbreviate: false,
            one_dash: true,
        }
    }

    fn exact(&self, name: &str) -> Option<&'static Opt> {
        self.options.iter().find(|option| option.spells(name))
    }

    fn long(&self, name: &str) -> Option<&'static Opt> {
        let exact = self.exact(name).filter(|_| name.len() > 1 || self.one_dash);
        if exact.is_some() || !self.abbreviate || name.is_empty() {
            return exact;
        }
        let mut found = self.options.iter().filter(|option| option.begins(name));
        let first = found.next();
        if found.next().is_some() { None } else { first }
    }
}

/// The words of a command, sorted by its grammar.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Options in order, by the first of their names, with their values.
    pub seen: Vec<(&'static str, Option<Arg>)>,
    /// Everything that is neither an option nor a value of one.
    pub operands: Vec<Arg>,
    /// How many operands stand before `--`, if there is one.
    pub separator: Option<usize>,
    /// Words that look like options but are not in the grammar, or have a hole in their name.
    pub unknown: Vec<Arg>,
}

impl Options {
    /// Sorts words. A word that begins with a hole is taken for an operand.
    #[must_use]
    pub fn read(args: &[Arg], spec: &Spec) -> Self {
        let mut reader = Reader {
            spec,
            rest: args.iter(),
            read: Self::default(),
        };
        while let Some(arg) = reader.rest.next() {
            reader.word(arg);
        }
        reader.read
    }

    /// Whether an option is given, by the first of its names.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.seen.iter().any(|(own, _)| *own == name)
    }

    /// Whether one of these options is given.
    #[must_use]
    pub fn has_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.has(name))
    }

    /// Whether the program would only print its help or version. Only for grammars that lack
    /// these two options.
    #[must_use]
    pub fn asks_for_help(&self) -> bool {
        let help = |arg: &Arg| arg.text == "--help" || arg.text == "--version";
        self.unknown.iter().any(help)
    }

    /// The last value of an option.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&Arg> {
        let mut own = self.seen.iter().rev().filter(|(own, _)| *own == name);
        own.find_map(|(_, value)| value.as_ref())
    }

    /// All values of an option, in order.
    pub fn values<'a>(&'a self, name: &'a str) -> impl DoubleEndedIterator<Item = &'a Arg> {
        let own = self.seen.iter().filter(move |(own, _)| *own == name);
        own.filter_map(|(_, value)| value.as_ref())
    }

    /// The text of an operand, or an empty text.
    #[must_use]
    pub fn word(&self, index: usize) -> &str {
        self.operands.get(index).map_or("", |arg| arg.text.as_str())
    }
}

struct Reader<'a> {
    spec: &'a Spec,
    rest: std::slice::Iter<'a, Arg>,
    read: Options,
}

impl Reader<'_> {
    fn word(&mut self, arg: &Arg) {
        if arg.text == "--" {
            self.read.separator = Some(self.read.operands.len());
            self.operands_to_the_end();
        } else if let Some(name) = long_name(arg, self.spec) {
            self.long(arg, name);
        } else if let Some(cluster) = short_cluster(arg) {
            self.cluster(arg, cluster);
        } else {
            self.read.operands.push(arg.clone());
            if !self.spec.permute {
                self.operands_to_the_end();
            }
        }
    }

    fn operands_to_the_end(&mut self) {
        self.read.operands.extend(self.rest.by_ref().cloned());
    }

    fn long(&mut self, arg: &Arg, name: &str) {
        let (name, given) = match name.split_once('=') {
            Some((name, given)) => (name, Some(part_of(arg, given))),
            None => (name, None),
        };
        match self.spec.long(name) {
            Some(option) => self.take(option, given),
            None => self.read.unknown.push(arg.clone()),
        }
    }

    fn cluster(&mut self, arg: &Arg, cluster: &str) {
        let mut letters = cluster.chars();
        while let Some(letter) = letters.next() {
            let name = letter.encode_utf8(&mut [0; 4]).to_owned();
            let Some(option) = self.spec.exact(&name) else {
                // What follows may be its value: nothing more can be said of this word.
                self.read.unknown.push(arg.clone());
                return;
            };
            if option.takes != Takes::Nothing {
                let given = letters.as_str();
                let given = (!given.is_empty()).then(|| part_of(arg, given));
                return self.take(option, given);
            }
            self.take(option, None);
        }
    }

    fn take(&mut self, option: &'static Opt, given: Option<Arg>) {
        let given = match option.takes {
            Takes::Value => given.or_else(|| self.rest.next().cloned()),
            Takes::Nothing | Takes::Attached => given,
        };
        self.read.seen.push((option.name(), given));
    }
}

/// The long name in a word (with `=value`), if it has the form of a long option.
fn long_name<'a>(arg: &'a Arg, spec: &Spec) -> Option<&'a str> {
    let double = arg.text.strip_prefix("--");
    let single = || arg.text.strip_prefix('-').filter(|_| spec.one_dash);
    double.or_else(single).filter(|name| !name.is_empty())
}

fn short_cluster(arg: &Arg) -> Option<&str> {
    let cluster = arg.text.strip_prefix('-')?;
    (!cluster.is_empty()).then_some(cluster)
}

/// A part of a word, as sure as the word.
fn part_of(arg: &Arg, text: &str) -> Arg {
    Arg {
        text: text.to_owned(),
        sure: arg.sure,
        glob: arg.glob,
    }
}

#[cfg(test)]
mod tests;
