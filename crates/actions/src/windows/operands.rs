//! The words behind a command of Windows: what is named, and how it is done. No file is looked at.

use crate::Arg;
use model::{Flag, Flags};

/// Parameters whose value is a path.
const PATH_PARAMETERS: &[&str] = &[
    "-path",
    "-literalpath",
    "-filepath",
    "-destination",
    "-destinationpath",
    "-name",
];

/// Parameters whose value is something else.
const VALUE_PARAMETERS: &[&str] = &[
    "-value",
    "-encoding",
    "-erroraction",
    "-ea",
    "-include",
    "-exclude",
    "-filter",
    "-itemtype",
    "-type",
    "-uri",
    "-outfile",
    "-inputobject",
    "-newname",
    "-driveletter",
    "-filesystem",
];

/// The words of a command that matter.
#[derive(Debug, Default)]
pub(super) struct Operands {
    pub(super) paths: Vec<Arg>,
    pub(super) recursive: bool,
    pub(super) force: bool,
    pub(super) only_shows: bool,
    /// What is there already is taken out of the way, or away.
    pub(super) replaces: bool,
    pub(super) makes_dir: bool,
    /// What is there stays: `-Append`, `-NoClobber`.
    pub(super) keeps: bool,
    /// The names that are meant, of all that is there.
    pub(super) filter: Option<String>,
    /// Whether some of what is there is left out.
    pub(super) leaves_out: bool,
    /// What is made in the place of a path of its own: `-Name`.
    pub(super) name: Option<Arg>,
    /// Of a directory, what is in it goes too.
    pub(super) is_whole: bool,
}

impl Operands {
    pub(super) fn of(args: &[Arg]) -> Self {
        let mut found = Self::default();
        let mut words = args.iter();
        while let Some(word) = words.next() {
            let lower = word.text.to_lowercase();
            // Where a shell would take one slash for a path, there are two.
            let switch = lower
                .strip_prefix('/')
                .map(|rest| rest.trim_start_matches('/'));
            let is_long = |rest: &&str| matches!(*rest, "mir" | "purge" | "mov" | "move");
            let switch = switch.filter(|rest| rest.len() <= 2 || is_long(rest));
            match lower.as_str() {
                _ if switch.is_some() => {
                    found.replaces |= switch.as_ref().is_some_and(is_long);
                    found.only_shows |= switch == Some("l");
                    found.recursive |= switch == Some("s");
                    found.force |= matches!(switch, Some("f" | "q"));
                }
                text if PATH_PARAMETERS.contains(&text) => {
                    let value = words.next().cloned();
                    if text == "-name" {
                        found.name.clone_from(&value);
                    }
                    found.paths.extend(value.iter().flat_map(listed));
                }
                text if VALUE_PARAMETERS.contains(&text) => {
                    let value = words.next();
                    found.leaves_out |= text == "-exclude";
                    if matches!(text, "-filter" | "-include") {
                        found.filter = value.map(|value| value.text.clone());
                    }
                    found.makes_dir |=
                        value.is_some_and(|v| v.text.eq_ignore_ascii_case("directory"));
                }
                "-whatif" => found.only_shows = true,
                text if text.starts_with("-app") || text.starts_with("-noc") => found.keeps = true,
                text if text.starts_with("-r") => found.recursive = true,
                text if text.starts_with("-fo") || text == "-f" => found.force = true,
                text if text.starts_with('-') => {}
                _ => found.paths.extend(listed(word)),
            }
        }
        found
    }

    /// The path that is made: `-Path docs -Name plan.md`.
    pub(super) fn made(&self) -> Option<Arg> {
        let is_dir = |path: &&Arg| self.name.as_ref().is_none_or(|name| name.text != path.text);
        let first = self.paths.iter().find(is_dir).or(self.paths.first())?;
        let name = self.name.as_ref().filter(|name| name.text != first.text);
        Some(match name {
            Some(name) => first
                .clone()
                .followed_by(&Arg::literal("/"))
                .followed_by(name),
            None => first.clone(),
        })
    }

    pub(super) fn flags(&self) -> Flags {
        Flags::NONE
            .with_if(Flag::Recursive, self.recursive)
            .with_if(Flag::Force, self.force)
            .with_if(Flag::DryRun, self.only_shows)
    }
}

/// The elements of a list: `a, b`.
pub(super) fn listed(word: &Arg) -> Vec<Arg> {
    let parts = word.text.split(',').filter(|part| !part.is_empty());
    let part = |part: &str| Arg {
        text: part.to_owned(),
        ..word.clone()
    };
    parts.map(part).collect()
}
