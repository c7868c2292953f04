//! What comes from an address, and where it is put: `Invoke-WebRequest -OutFile`,
//! `Start-BitsTransfer`, `DownloadFile`. Programs that are started by their path.

use super::operands::listed;
use super::paths::{last_name, path};
use super::words::{EVALUATING, is_part_of_word, says};
use crate::effects::{self, Change, Write};
use crate::{Arg, Invocation, Target, World};
use model::{Action, Flag, ResourceKind, Verb};

/// Parameters whose value is the address.
const ADDRESS: &[&str] = &["-source", "-uri"];

/// Parameters whose value is the file that is written.
const FILE: &[&str] = &["-destination", "-o", "-out", "-outf", "-outfile"];

/// Parameters that no value follows.
const ALONE: &[&str] = &[
    "-allowunencryptedauthentication",
    "-asynchronous",
    "-disablekeepalive",
    "-noproxy",
    "-passthru",
    "-preserveauthorizationonredirect",
    "-resume",
    "-skipcertificatecheck",
    "-skipheadervalidation",
    "-skiphttperrorcheck",
    "-usebasicparsing",
    "-usedefaultcredentials",
    "-verbose",
];

/// What is fetched, and the file that it is put into.
#[derive(Debug, Default)]
pub(super) struct Fetched {
    pub(super) url: Option<Arg>,
    file: Option<Arg>,
}

impl Fetched {
    pub(super) fn of(args: &[Arg]) -> Self {
        let mut found = Self::default();
        let mut rest = Vec::new();
        let mut words = args.iter();
        while let Some(word) = words.next() {
            let lower = word.text.to_lowercase();
            if ADDRESS.contains(&&*lower) {
                found.url = words.next().cloned();
            } else if FILE.contains(&&*lower) {
                found.file = words.next().cloned();
            } else if lower.starts_with('-') {
                let has_value = !ALONE.contains(&&*lower) && !lower.contains(':');
                has_value.then(|| words.next());
            } else {
                rest.extend(listed(word));
            }
        }
        let mut rest = rest.into_iter();
        found.url = found.url.or_else(|| rest.next());
        found.file = found.file.or_else(|| rest.next());
        found
    }
}

/// Fetches what a command names, into the file that it names.
pub(super) fn fetch(world: &mut World<'_>, invocation: &Invocation) {
    let fetched = Fetched::of(&invocation.args);
    let url = fetched.url.map(|url| url.text).unwrap_or_default();
    world.act(invocation, Action::new(Verb::Fetch, ResourceKind::Url, url));
    if let Some(file) = fetched.file {
        let target = path(world, &file);
        put(world, invocation, &target);
    }
}

/// Puts what was fetched into a file.
pub(super) fn put(world: &mut World<'_>, invocation: &Invocation, target: &Target) {
    let text = Arg::foreign(Arg::DOWNLOADED).text;
    let mut write = Write::new(target, Change::Replace(Some(text)));
    write.action.flags = write.action.flags.with(Flag::Downloaded);
    effects::write(world, invocation, write);
}

/// Starts what this call has fetched, be it by its whole path; `false` if it is none.
pub(super) fn starts(world: &mut World<'_>, invocation: &Invocation, word: &Arg) -> bool {
    let target = path(world, word);
    let text = if world.is_written(&target.path) {
        world
            .text(&target.path)
            .known()
            .map(|text| Arg::derived(&**text))
    } else {
        None
    };
    let fetched = text.filter(Arg::is_hidden);
    if let Some(text) = &fetched {
        effects::execute_unknown(world, invocation, text);
    }
    fetched.is_some()
}

/// The program that a word names, as a path that is none of Windows: `.\tool.exe`; of one that lies
/// at a place of the machine, its name.
pub(super) fn program(word: &Arg) -> Arg {
    let mut found = word.clone();
    found.text = match text::path::drive(&word.text) {
        Some(_) => last_name(&word.text).to_owned(),
        None if word.text.starts_with("\\\\") => word.text.clone(),
        None => word.text.replace('\\', "/"),
    };
    found
}

/// `iex (iwr https://…)`: what is evaluated comes from an address.
pub(super) fn is_evaluated(text: &str) -> bool {
    const FETCHING: &[&str] = &[
        "curl",
        "downloadstring",
        "invoke-restmethod",
        "invoke-webrequest",
        "irm",
        "iwr",
        "wget",
    ];
    let lower = text.to_lowercase();
    let fetches = |text: &str| text.contains("://") && says(text, FETCHING);
    // A pipe is followed by itself, but in the brackets of what is evaluated.
    if !lower.contains('|') {
        return says(&lower, EVALUATING) && fetches(&lower);
    }
    EVALUATING.iter().any(|word| {
        let mut places = lower.match_indices(word);
        places.any(|(at, word)| {
            let (before, rest) = lower.split_at(at);
            let rest = rest.get(word.len()..).unwrap_or_default();
            let is_word = !before.ends_with(is_part_of_word) && !rest.starts_with(is_part_of_word);
            is_word && fetches(argument(rest))
        })
    })
}

/// A text up to where its command ends.
fn argument(text: &str) -> &str {
    let mut depth = 0_usize;
    let end = text.find(|c: char| {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' if depth == 0 => return true,
            ')' | '}' => depth -= 1,
            _ => {}
        }
        depth == 0 && matches!(c, '|' | ';' | '\n')
    });
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}
