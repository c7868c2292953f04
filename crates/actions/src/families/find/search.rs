//! What a search asks for.

use super::condition::{Condition, OPEN};
use crate::Arg;
use crate::world::own;
use model::Certainty;
use text::{glob, path};

/// Tests and actions that are followed by one word, besides those read here and those of which
/// nothing more is known.
const WITH_VALUE: &[&str] = &[
    "-D",
    "-ipath",
    "-iwholename",
    "-mindepth",
    "-mmin",
    "-mtime",
    "-newer",
    "-newermt",
    "-path",
    "-printf",
    "-regextype",
    "-wholename",
];

/// Operators that widen what a name test says.
const WIDENING: &[&str] = &[","];

/// Operators that turn the next test round.
const NEGATING: &[&str] = &["!", "-not"];

/// Operators after which another way to be found begins.
const OTHERWISE: &[&str] = &["-o", "-or"];

/// What is done with what is found; without one of them all is printed.
const DOING: &[&str] = &[
    "-delete", "-exec", "-execdir", "-ok", "-okdir", "-print", "-print0",
];

/// What a search asks for.
#[derive(Debug, Default)]
pub(super) struct Search {
    pub(super) roots: Vec<Arg>,
    /// The patterns of `-name` and `-iname`, of which one fits what is found.
    pub(super) names: Vec<Arg>,
    /// Paths and names that it does not go into (`-path X -prune`).
    pub(super) skips: Vec<String>,
    pub(super) kind: String,
    pub(super) depth_max: Option<usize>,
    /// Whether all that is found is empty, or a link.
    pub(super) is_empty: bool,
    /// All of it, in its order.
    pub(super) condition: Condition,
    /// Whether there are alternatives or groups.
    pub(super) is_branched: bool,
    /// Whether the tests are more than names, kinds and depths put together with "and".
    pub(super) is_widened: bool,
    pub(super) deletes: bool,
    /// Whether links are followed to what they lead to.
    pub(super) follows: bool,
    pub(super) commands: Vec<Started>,
    pub(super) writes: Vec<Arg>,
}

/// A command that is started for what is found.
#[derive(Debug, Default)]
pub(super) struct Started {
    pub(super) words: Vec<Arg>,
    /// Whether it is started in the directory of what is found.
    pub(super) enters: bool,
    /// Which of the search's commands it is.
    pub(super) number: usize,
}

impl Started {
    pub(super) fn by(option: &str, words: Vec<Arg>, number: usize) -> Self {
        let enters = option.ends_with("dir");
        Self {
            words,
            enters,
            number,
        }
    }
}

/// Where it searches, and what it asks for.
fn roots(args: &[Arg]) -> (Vec<Arg>, &[Arg]) {
    let is_option = |arg: &&Arg| matches!(arg.text.as_str(), "-H" | "-L" | "-P");
    let options = args.iter().take_while(is_option).count();
    let args = args.get(options..).unwrap_or_default();
    let is_root =
        |arg: &&Arg| !arg.text.starts_with('-') && !matches!(arg.text.as_str(), "(" | "!");
    let count = args.iter().take_while(is_root).count();
    let (roots, tests) = args.split_at_checked(count).unwrap_or_default();
    match roots {
        [] => (vec![Arg::literal(".")], tests),
        roots => (roots.to_vec(), tests),
    }
}

/// Whether links are followed: of the options before the roots, the last one counts.
fn follows(args: &[Arg]) -> bool {
    let mut words = args.iter().map(|arg| arg.text.as_str());
    let leading = words
        .clone()
        .take_while(|word| matches!(*word, "-H" | "-L" | "-P"));
    leading.last() == Some("-L") || words.any(|word| word == "-follow")
}

pub(super) fn parse(args: &[Arg]) -> Search {
    let (roots, tests) = roots(args);
    let mut search = Search {
        roots,
        follows: follows(args),
        condition: Condition::read(tests),
        ..Search::default()
    };
    let mut words = tests.iter().peekable();
    let (mut is_named, mut is_negated) = (false, false);
    // `-path X -prune -o …`: nothing is found on that way, if the other says what is done.
    let (mut is_pruned, mut before) = (false, 0);
    let mut passed: Vec<String> = Vec::new();
    let says_what = args.iter().any(|arg| DOING.contains(&arg.text.as_str()));
    while let Some(word) = words.next() {
        let was_negated = std::mem::replace(&mut is_negated, NEGATING.contains(&&*word.text));
        match word.text.as_str() {
            // Not in a group of names: whatever has none of them.
            "(" => {
                search.is_widened |= was_negated;
                search.is_branched = true;
            }
            "-empty" => search.is_empty |= !was_negated,
            "-size" => {
                let size = words.next();
                let is_nothing = size.is_some_and(|size| size.text == "0");
                search.is_empty |= is_nothing && !was_negated;
            }
            "-xtype" => search.leads_nowhere(words.next(), was_negated),
            "-type" if was_negated => drop(words.next()),
            "-path" | "-wholename" if !was_negated => {
                passed.extend(words.next().map(|arg| arg.text.clone()));
            }
            "-name" | "-iname" => {
                let pattern = words.next();
                passed.extend(pattern.map(|arg| arg.text.clone()));
                // What is deleted by then is not asked for its name.
                search.is_widened |= search.deletes && !is_named;
                // Of what must not have a name, nothing is known but that it is less.
                if !was_negated {
                    is_named = true;
                    search
                        .names
                        .extend(pattern.map(|own| named_by(&word.text, own)));
                }
            }
            "-type" => search.kind = words.next().map(|arg| arg.text.clone()).unwrap_or_default(),
            "-maxdepth" => search.depth_max = words.next().and_then(|arg| arg.text.parse().ok()),
            "-delete" => search.deletes = true,
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let is_end = |arg: &&Arg| matches!(arg.text.as_str(), ";" | "+");
                let command = words.by_ref().take_while(|arg| !is_end(arg)).cloned();
                let command = command.collect();
                let number = search.commands.len();
                let command = Started::by(&word.text, command, number);
                search.commands.push(command);
            }
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                search.writes.extend(words.next().cloned());
                words.next_if(|_| word.text == "-fprintf");
            }
            text if WITH_VALUE.contains(&text) || OPEN.contains(&text) => drop(words.next()),
            text if WIDENING.contains(&text) => search.is_widened = true,
            "-prune" => is_pruned = says_what,
            text if OTHERWISE.contains(&text) => {
                let way = (before, std::mem::take(&mut is_named));
                before = search.otherwise(std::mem::take(&mut is_pruned), way, &mut passed);
            }
            _ => {}
        }
    }
    search.is_widened |= !search.names.is_empty() && !is_named;
    search
}

impl Search {
    /// `-xtype l`: a link that leads nowhere.
    fn leads_nowhere(&mut self, kind: Option<&Arg>, is_negated: bool) {
        self.is_empty |= kind.is_some_and(|kind| kind.text == "l") && !is_negated;
    }

    /// Another way to be found begins. Gives the number of names on the ways before it.
    fn otherwise(
        &mut self,
        is_pruned: bool,
        (before, is_named): (usize, bool),
        passed: &mut Vec<String>,
    ) -> usize {
        if is_pruned {
            self.names.truncate(before);
            self.skips.append(passed);
            self.kind.clear();
            return before;
        }
        passed.clear();
        self.is_widened |= !is_named;
        self.is_branched = true;
        self.names.len()
    }

    /// Whether what goes holds nothing: it is empty, a link, or a directory, which only goes when
    /// it is empty unless a command takes all that is in it.
    pub(super) fn loses_nothing(&self, takes_trees: bool) -> bool {
        let is_hollow = match self.kind.as_str() {
            "l" => true,
            "d" => !takes_trees,
            _ => false,
        };
        !self.is_branched && !self.is_widened && (self.is_empty || is_hollow)
    }

    /// Whether what goes is no link that leads somewhere either.
    pub(super) fn takes_empty(&self) -> bool {
        self.is_empty || self.kind == "d"
    }

    /// The globs, below a root, of what is found; empty if only the root itself says it.
    pub(super) fn globs(&self, root: &str) -> Vec<String> {
        if self.is_widened || !self.names.iter().all(Arg::is_known) {
            return Vec::new();
        }
        let names = self.names.iter().flat_map(|name| globs_of(&name.text));
        self.globs_below(root, names.collect())
    }

    fn globs_below(&self, root: &str, names: Vec<String>) -> Vec<String> {
        let root = root.trim_end_matches('/');
        let levels = match self.depth_max {
            Some(depth @ 1..=3) => (0..depth).map(|level| "*/".repeat(level)).collect(),
            _ => vec!["**/".to_owned()],
        };
        let below = levels.iter().flat_map(|level| {
            names
                .iter()
                .map(move |name| format!("{root}/{level}{name}"))
        });
        below.collect()
    }

    /// One glob, below a root, of what is found: of several names a group.
    fn one_glob(&self, root: &str) -> Option<String> {
        let first = self.globs(root).into_iter().next()?;
        let names = self.names.iter().flat_map(|name| globs_of(&name.text));
        let names: Vec<String> = names.collect();
        match self.names.len() {
            1 => Some(first),
            _ if names.iter().any(|name| name.contains(['|', '(', ')'])) => None,
            _ => {
                let level = if self.depth_max == Some(1) { "" } else { "**/" };
                let root = root.trim_end_matches('/');
                Some(format!("{root}/{level}@({})", names.join("|")))
            }
        }
    }

    /// Whether the search does not come to a path below its root.
    pub(super) fn skips(&self, root: &str, path: &str) -> bool {
        let Some(rest) = path::rest_below(path, root) else {
            return false;
        };
        let mut parts = rest
            .match_indices('/')
            .map(|(at, _)| at)
            .chain([rest.len()]);
        parts.any(|end| {
            let part = rest.get(..end).unwrap_or_default();
            self.skips.iter().any(|skip| match skip.contains('/') {
                true => {
                    let below = self
                        .roots
                        .iter()
                        .find_map(|root| skip.strip_prefix(&root.text));
                    let below = below.unwrap_or(skip).trim_start_matches('/');
                    glob::DOTGLOB.matches_path(below, part)
                }
                false => glob::DOTGLOB.matches_name(skip, path::file_name(part)),
            })
        })
    }

    /// Whether no name and no depth says what is found.
    pub(super) fn is_open(&self) -> bool {
        self.names.is_empty() && self.depth_max.is_none() && !self.is_widened
    }

    /// The one pattern of names, if there is no other.
    pub(super) fn only_name(&self) -> Option<String> {
        let is_only = self.names.len() == 1;
        self.globs("").into_iter().next().filter(|_| is_only)
    }

    /// A program of the gate's that is looked for by its name.
    pub(super) fn gate_program(&self) -> Option<&'static str> {
        let mut names = self.names.iter().filter(|name| name.is_known());
        names.find_map(|name| own::program_named(&name.text))
    }

    /// What is found below a root, as one word: a glob, or a hole in the root.
    pub(super) fn found(&self, root: &Arg) -> Arg {
        let escaped = if root.glob {
            root.text.clone()
        } else {
            glob::escape(&root.text)
        };
        match self.one_glob(&escaped) {
            Some(glob) if root.is_known() => Arg {
                text: glob,
                sure: root.sure.max(Certainty::Derived),
                glob: true,
            },
            _ => {
                let root = root.text.trim_end_matches('/');
                match self.gate_program() {
                    Some(name) => Arg::derived(format!("{root}/{}/{name}", Arg::HOLE)),
                    None => Arg::derived(format!("{root}/{}", Arg::HOLE)),
                }
            }
        }
    }
}

/// The pattern of a test by name.
fn named_by(test: &str, pattern: &Arg) -> Arg {
    match test {
        "-iname" => Arg {
            text: glob::in_either_case(&pattern.text),
            ..pattern.clone()
        },
        _ => pattern.clone(),
    }
}

/// A pattern of `-name` as globs: its `*` matches a leading dot, that of a glob does not.
fn globs_of(name: &str) -> Vec<String> {
    let mut names = vec![name.to_owned()];
    if let Some(rest) = name.strip_prefix('*') {
        names.push(format!(".*{rest}"));
        if rest.starts_with('.') {
            names.push(rest.to_owned());
        }
    }
    names
}
