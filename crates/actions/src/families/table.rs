//! Families that are tables: subcommand and options say what happens, nothing is looked up.
//!
//! Owns how a row is matched. The rows are in the files of their families.

use crate::command_context::CommandContext;
use crate::{Arg, Input};
use model::{Certainty, Flag, Flags, ResourceKind, Verb};

/// What one subcommand does.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The subcommand: words side by side among the operands; `delete-*` = begins so; empty = any.
    pub words: &'static str,
    /// Options of which one must be given, parted by spaces; empty = none needed.
    pub with: &'static str,
    /// Whether a yes that waits on standard input does as well: the program asks before.
    pub answered: bool,
    /// What it does.
    pub verb: Verb,
    /// To what kind of thing.
    pub kind: ResourceKind,
    /// For [`Verb::Destroy`]: what goes, in words.
    pub lost: &'static str,
}

/// A row for a verb that destroys nothing.
pub const fn does(words: &'static str, verb: Verb, kind: ResourceKind) -> Row {
    Row {
        words,
        with: "",
        answered: false,
        verb,
        kind,
        lost: "",
    }
}

/// A row for a subcommand that destroys something.
pub const fn destroys(words: &'static str, kind: ResourceKind, lost: &'static str) -> Row {
    let verb = Verb::Destroy;
    Row {
        words,
        with: "",
        answered: false,
        verb,
        kind,
        lost,
    }
}

impl Row {
    /// The row holds only with one of these options.
    #[must_use]
    pub const fn with(self, with: &'static str) -> Self {
        Self { with, ..self }
    }

    /// The row holds only, or as well, where the program's question is answered with yes.
    #[must_use]
    pub const fn answered(self) -> Self {
        Self {
            answered: true,
            ..self
        }
    }
}

/// Spellings of "only show it".
const DRY_RUN: &[&str] = &[
    "-dryRunOutput",
    "--check",
    "--dry-run",
    "--dry_run",
    "--dryrun",
    "--plan",
    "--pretend",
    "--preview-only",
    "--sql",
    "--what-if",
];

/// Spellings of "only tell me how".
const HELP: &[&str] = &["--help", "-help"];

/// Acts by the row that matches first in the command; of several the first. Without one the
/// program is opaque.
pub fn read(context: &mut CommandContext<'_, '_>, rows: &[Row]) {
    let args = &context.invocation.args;
    let is_help = |arg: &Arg| HELP.contains(&arg.text.as_str());
    // Before something else it may be an option with a value.
    let ends_in_help = |last: &Arg| matches!(last.text.as_str(), "help" | "--version");
    let ends_in_help = args.last().is_some_and(ends_in_help);
    if args.iter().any(is_help) || ends_in_help {
        return;
    }
    let is_answered = is_answered(context);
    let fitting = rows
        .iter()
        .filter_map(|row| Some((row, after_words(args, row, is_answered)?)))
        // What holds of any is said of those that no other row fits.
        .map(|(row, (start, rest))| match row.words {
            "" => (row, (usize::MAX, rest)),
            _ => (row, (start, rest)),
        });
    // The subcommand stands first: `npm install publish` publishes nothing.
    let Some((row, (_, rest))) = fitting.min_by_key(|(_, (start, _))| *start) else {
        return context.execute();
    };
    for word in row.words.split_whitespace() {
        let spelled = args.iter().find(|arg| is_word(&arg.text, word));
        context.program = format!(
            "{} {}",
            context.program,
            spelled.map_or(word, |arg| &arg.text)
        );
    }
    let dry = args
        .iter()
        .any(|arg| DRY_RUN.iter().any(|spelling| is_option(arg, spelling)));
    let dry = dry
        || matches!(&*context.invocation.program, "cargo" | "gsutil")
            && args.iter().any(|arg| arg.text == "-n");
    let flags = Flags::NONE.with_if(Flag::DryRun, dry).with_if(
        Flag::Force,
        args.iter().any(|arg| is_option(arg, "--force")),
    );
    act(context, row, rest, flags);
}

fn act(context: &mut CommandContext<'_, '_>, row: &Row, rest: &[Arg], flags: Flags) {
    if row.verb == Verb::Execute {
        return context.execute();
    }
    let names = names(rest, row.verb == Verb::Install);
    if row.verb == Verb::Destroy {
        let name = names
            .first()
            .map_or(context.program.clone(), |arg| arg.text.clone());
        return context.destroy((row.kind, &name), flags, row.lost.to_owned());
    }
    if names.is_empty() {
        let name = context.program.clone();
        return context.act_on(row.verb, (row.kind, &name), flags);
    }
    for name in names {
        let mut action = model::Action::new(row.verb, row.kind, name.text.clone());
        action.flags = flags;
        if !name.is_known() {
            action.certainty = Certainty::Unknown;
        }
        context.act(action);
    }
}

/// What it is done to: the first word that is neither an option nor the value of one; for an
/// installation every word that is no option.
fn names(rest: &[Arg], all: bool) -> Vec<&Arg> {
    let mut names = Vec::new();
    let mut after_option = false;
    for arg in rest {
        let option = arg.text.starts_with('-');
        let is_address = arg.text.contains("://");
        if !option && (all || !after_option || is_address) {
            names.push(arg);
        }
        after_option = option && !arg.text.contains('=');
    }
    if !all {
        names.truncate(1);
    }
    names
}

/// Whether the first line that waits on standard input says yes: `yes |`, `echo y |`.
fn is_answered(context: &CommandContext<'_, '_>) -> bool {
    match &context.invocation.input {
        Input::Text(text) => {
            let answer = text.text.lines().next().unwrap_or_default().trim();
            matches!(answer.to_lowercase().as_str(), "y" | "yes")
        }
        _ => false,
    }
}

/// Where the row's subcommand starts and what stands after it, if the row matches.
fn after_words<'a>(args: &'a [Arg], row: &Row, is_answered: bool) -> Option<(usize, &'a [Arg])> {
    let mut needed = row.with.split_whitespace();
    let given = |spelling| args.iter().any(|arg| is_option(arg, spelling));
    let is_bound = !row.with.is_empty() || row.answered;
    if is_bound && !needed.any(given) && !(row.answered && is_answered) {
        return None;
    }
    let words: Vec<&str> = row.words.split_whitespace().collect();
    let mut starts = 0..=args.len();
    starts.find_map(|start| Some((start, follow(args.get(start..)?, &words)?)))
}

/// What is left after these words, options between them passed over.
fn follow<'a>(args: &'a [Arg], words: &[&str]) -> Option<&'a [Arg]> {
    let mut rest = args;
    for (at, word) in words.iter().enumerate() {
        let (first, mut after) = rest.split_first()?;
        let (mut first, mut was_option) = (first, false);
        // Options stand between the words, perhaps with a value.
        while at > 0 && !is_word(&first.text, word) {
            let is_option = first.text.starts_with('-');
            if !is_option && !was_option {
                return None;
            }
            was_option = is_option && !first.text.contains('=');
            (first, after) = after.split_first()?;
        }
        if !is_word(&first.text, word) {
            return None;
        }
        rest = after;
    }
    Some(rest)
}

fn is_word(text: &str, word: &str) -> bool {
    // `mix do ecto.drop, ecto.create`
    let text = text.strip_suffix(',').unwrap_or(text);
    // `:core:publish`: a task by the path of its project.
    let text = match text.strip_prefix(':') {
        Some(path) => path.rsplit(':').next().unwrap_or(path),
        None => text,
    };
    match word.strip_suffix('*') {
        Some(start) => text.starts_with(start),
        None => text == word,
    }
}

/// Whether a word is this option: `--force`, `--force=x`, `-f`, or `-f` in a cluster.
fn is_option(arg: &Arg, spelling: &str) -> bool {
    let text = arg.text.as_str();
    if text == spelling {
        return true;
    }
    if spelling.len() > 2 {
        let rest = text
            .strip_prefix(spelling)
            .and_then(|rest| rest.strip_prefix('='));
        return rest.is_some_and(|value| value != "false" && value != "none");
    }
    let letters = (text.strip_prefix('-'), spelling.strip_prefix('-'));
    match letters {
        (Some(cluster), Some(letter)) if letter.len() == 1 => {
            !cluster.starts_with('-')
                && cluster.contains(letter)
                && cluster.chars().all(|letter| letter.is_ascii_alphabetic())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rest(line: &str, row: &Row) -> Option<usize> {
        let args: Vec<Arg> = line.split_whitespace().map(Arg::literal).collect();
        after_words(&args, row, false).map(|(_, rest)| rest.len())
    }

    #[test]
    fn rows_match_subcommand_and_options() {
        let recursive = destroys("s3 rm", ResourceKind::Cloud, "x").with("--recursive -r");
        for (line, left) in [
            ("s3 rm s3://a --recursive", Some(2)),
            ("--profile prod s3 rm s3://a --recursive", Some(2)),
            ("s3 --quiet rm -r s3://a", Some(2)),
            ("s3 rm s3://a", None),
            ("s3 ls --recursive", None),
            ("s3 rm s3://a --recursive=false", None),
        ] {
            assert_eq!(rest(line, &recursive), left, "{line}");
        }
        let any = destroys("ec2 terminate-*", ResourceKind::Cloud, "x");
        assert_eq!(rest("ec2 terminate-instances --ids i", &any), Some(2));
        assert_eq!(
            rest("", &does("", Verb::Execute, ResourceKind::Program)),
            Some(0)
        );
    }
}
