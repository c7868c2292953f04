//! One simple command about to run, with its words resolved as far as they are known.

use crate::destructive;
use model::{Certainty, Flags};

/// Longest text that is put together, in bytes; a longer one is not known.
const TEXT_MAX: usize = 256 * 1024;

/// One word of a command after expansion.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Arg {
    /// Its text. Where a part is not known it stands as [`Arg::HOLE`].
    pub text: String,
    /// How sure the text is. `Unknown` = it has a hole (an unset variable, a command's output).
    pub sure: Certainty,
    /// Whether unquoted glob characters are in it (quoted ones are escaped with `\` in `text`
    /// only when this is set).
    pub glob: bool,
}

impl Arg {
    /// Stands in [`Arg::text`] for a part that is not known.
    pub const HOLE: char = '\u{fffc}';
    /// Stands behind a hole whose content comes from the network.
    pub(crate) const DOWNLOADED: char = '\u{fff9}';
    /// Stands behind a hole whose content comes out of a decoder or filter.
    pub(crate) const DECODED: char = '\u{fffa}';
    /// Stands behind a hole that is too long to be read and names something destructive.
    pub(crate) const TOO_LONG: char = '\u{fffb}';
    /// Stands behind a hole that is the time, or a number that is another one each time.
    pub(crate) const MOMENT: char = '\u{fff8}';
    /// Stands behind a hole that is the day, the hour or the minute: an earlier call may have named
    /// something by it.
    pub(crate) const DAY: char = '\u{fff7}';
    /// What stands for such a time or number as a part of a name.
    pub(crate) const STAMP: &str = "0000000000";
    /// What stands for such a day.
    pub(crate) const DAY_STAMP: &str = "0000-00-00";
    /// What stands behind a hole and tells of it.
    pub(crate) const MARKS: [char; 5] = [
        Self::DOWNLOADED,
        Self::DECODED,
        Self::TOO_LONG,
        Self::MOMENT,
        Self::DAY,
    ];

    /// A literal word.
    #[must_use]
    pub fn literal(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            sure: Certainty::Literal,
            glob: false,
        }
    }

    /// Whether the text is known in full.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.sure != Certainty::Unknown
    }

    /// A word of which nothing is known.
    #[must_use]
    pub fn unknown() -> Self {
        Self {
            text: Self::HOLE.to_string(),
            sure: Certainty::Unknown,
            glob: false,
        }
    }

    /// A text of which only is known where it comes from ([`Arg::DOWNLOADED`],
    /// [`Arg::DECODED`], [`Arg::MOMENT`], [`Arg::DAY`]).
    #[must_use]
    pub(crate) fn foreign(mark: char) -> Self {
        Self::derived(String::from_iter([Self::HOLE, mark]))
    }

    /// A word that follows from something else.
    #[must_use]
    pub fn derived(text: impl Into<String>) -> Self {
        let text = text.into();
        let sure = if text.contains(Self::HOLE) {
            Certainty::Unknown
        } else {
            Certainty::Derived
        };
        Self {
            text,
            sure,
            glob: false,
        }
    }

    /// Two texts, one after the other.
    #[must_use]
    pub fn followed_by(mut self, next: &Self) -> Self {
        if self.text.len() + next.text.len() > TEXT_MAX {
            return Self::too_long(&[&self.text, &next.text]);
        }
        self.text.push_str(&next.text);
        self.sure = self.sure.max(next.sure);
        self
    }

    /// What stands for a text that is longer than what is read.
    pub(crate) fn too_long(parts: &[&str]) -> Self {
        let names_deed = |part: &&str| {
            part.contains(Self::TOO_LONG)
                || destructive::named_in(part)
                || destructive::called_in(part)
        };
        match parts.iter().any(names_deed) {
            true => Self::foreign(Self::TOO_LONG),
            false => Self::unknown(),
        }
    }

    /// Whether nothing of the text is known.
    pub(crate) fn is_hidden(&self) -> bool {
        let is_hole = |c| c == Self::HOLE || Self::MARKS.contains(&c);
        self.text.contains(Self::HOLE) && self.text.trim().chars().all(is_hole)
    }

    /// `copy-$(date +%s)`, `/tmp/x.$RANDOM`: a name with the time in it. What is the time alone, or
    /// a text with the time in it, is not known.
    #[must_use]
    pub(crate) fn named_now(self) -> Self {
        const STAMPS: [(char, &str); 2] = [(Arg::MOMENT, Arg::STAMP), (Arg::DAY, Arg::DAY_STAMP)];
        if !self.text.contains(STAMPS.map(|(mark, _)| mark)) {
            return self;
        }
        let name = STAMPS
            .iter()
            .fold(self.text.clone(), |name, (mark, stamp)| {
                name.replace(&String::from_iter([Self::HOLE, *mark]), stamp)
            });
        let is_name = !self.glob
            && !self.is_hidden()
            && !name.contains(|c: char| c == Self::HOLE || c.is_whitespace());
        match is_name {
            true => Self::derived(name),
            false => Self {
                text: self.text.replace(STAMPS.map(|(mark, _)| mark), ""),
                ..self
            },
        }
    }

    /// Words joined with spaces into one text, globs as they are written.
    pub(crate) fn joined(words: &[Self]) -> Self {
        let mut text = Self::default();
        for (count, word) in words.iter().enumerate() {
            if count > 0 {
                text.text.push(' ');
            }
            text = text.followed_by(word);
        }
        text
    }
}

/// Where a command's standard input comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Input {
    /// Nothing of interest (the session's own input).
    #[default]
    Inherited,
    /// This text (a here-document, a here-string, `echo … |`, `printf … |`).
    Text(Arg),
    /// This file.
    File(Arg),
    /// What a download prints (`curl … |`).
    Download(String),
    /// An archive or a patch that a command makes (`tar c . |`).
    Packed(Packed),
    /// The output of another command, not known.
    Unknown,
}

/// What the content of files is packed as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PackedAs {
    /// An archive of them as they are (`tar c`).
    Files,
    /// An archive of files by their names, from a directory that is not known (`tar c -C $X bin`).
    Unplaced,
    /// An archive of what git tracks, as it was committed (`git archive`).
    Committed,
    /// A patch of what is not staged (`git diff`).
    PatchOfFiles,
    /// A patch of what is staged (`git diff --cached`).
    PatchOfIndex,
    /// A patch of both (`git diff HEAD`).
    PatchOfBoth,
    /// A patch that takes changes back (`git diff -R`).
    PatchBack,
}

impl PackedAs {
    /// The patch the other way round.
    #[must_use]
    pub fn turned(self) -> Self {
        match self {
            Self::Files | Self::Unplaced | Self::Committed => self,
            Self::PatchOfFiles | Self::PatchOfIndex | Self::PatchOfBoth => Self::PatchBack,
            Self::PatchBack => Self::PatchOfBoth,
        }
    }
}

/// Content of files that one command packs and another may unpack or keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    /// As what.
    pub form: PackedAs,
    /// The directory that its names are relative to; absolute, or empty if it is not known.
    pub dir: String,
    /// Files and directories in it; none = all.
    pub names: Vec<String>,
}

/// One simple command about to run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Invocation {
    /// The program's name without directory (`git` for `/usr/bin/git`), lower case kept as is.
    pub program: String,
    /// The words after the program.
    pub args: Vec<Arg>,
    /// Assignments before it and exported variables set in this call.
    pub env: Vec<(String, Arg)>,
    /// Its standard input.
    pub input: Input,
    /// As written, one line.
    pub text: String,
    /// What stands between the call and this command, outermost first.
    pub via: Vec<String>,
    /// Elevated, Elsewhere, Script, Background, Mass (in a loop, under xargs) as they apply.
    pub flags: Flags,
    /// The least sure of what led here (a script read from disk is Derived).
    pub sure: Certainty,
}

impl Invocation {
    /// The words that are no options, as the shell's own commands take them.
    pub(crate) fn operands(&self) -> impl Iterator<Item = &Arg> {
        let mut options_end = false;
        self.args.iter().filter(move |arg| {
            let is_option = !options_end && arg.text.len() > 1 && arg.text.starts_with(['-', '+']);
            options_end |= arg.text == "--";
            !is_option
        })
    }

    /// The value given to a variable for this command, if it is set in this call.
    #[must_use]
    pub fn var(&self, name: &str) -> Option<&Arg> {
        let found = self.env.iter().rev().find(|(key, _)| key == name);
        found.map(|(_, value)| value)
    }
}
