//! `find`: what it deletes, and the commands that it starts for what it finds.
//!
//! What it finds is said as globs where the tests are simple names (`find . -name '*.pyc'`), so
//! that only what matches counts as lost; every other test can only make it less.

mod condition;
mod deletion;
mod measured;
mod search;
mod start;

use self::condition::Doing;
use self::deletion::{Deletion, delete};
use self::search::{Search, Started, parse};
use self::start::start;
use crate::effects::{self, Write};
use crate::family::{Effects, Family, Program};
use crate::machine::Output;
use crate::options::{Options, Spec, flag, value};
use crate::{Arg, Invocation, World};

/// `find` and what behaves like it.
pub const FIND: Family = &[
    Program::new("bfs", Effects::Own(read)),
    Program::new("find", Effects::Own(read)).prints(printed),
    Program::new("gfind", Effects::Own(read)),
];

fn read(invocation: &Invocation, world: &mut World<'_>) {
    let search = parse(&invocation.args);
    for file in &search.writes {
        let target = world.target(file);
        effects::write(world, invocation, Write::redirected(&target, false));
    }
    if search.deletes {
        for root in &search.roots {
            let deletion = Deletion {
                search: &search,
                root,
                recursive: true,
                doing: Doing::Delete,
            };
            delete(world, invocation, &deletion);
        }
    }
    for command in &search.commands {
        let outside = world.now.shell.cwd.clone();
        let takes_found = command.words.iter().any(|word| word.text.contains("{}"));
        // Where it is found nobody knows: what is named besides lies there.
        if command.enters && !takes_found {
            world.now.shell.cwd = None;
        }
        start(world, invocation, &search, command);
        world.now.shell.cwd = outside;
    }
}

/// `fd`: its commands get what is found, at the end if no place is given.
pub const FD: Family = &[
    Program::new("fd", Effects::Own(read_fd)),
    Program::new("fdfind", Effects::Own(read_fd)),
];

const FD_OPTIONS: Spec = Spec::full(&[
    value("extension e"),
    value("type t"),
    value("max-depth d"),
    value("exclude E"),
    value("size S"),
    value("changed-within"),
    value("changed-before"),
    value("color c"),
    value("threads j"),
    value("base-directory C"),
    value("search-path"),
    flag("glob g"),
    flag("hidden H no-ignore I unrestricted u follow L absolute-path a list-details l"),
    flag("full-path p print0 0 ignore-case i case-sensitive s fixed-strings F quiet q 1"),
]);

/// The glob of what a regular expression finds in a name, if it says no more than letters, what
/// stands for any, and where it begins or ends.
fn as_glob(pattern: &str) -> Option<String> {
    let (begins, rest) = match pattern.strip_prefix('^') {
        Some(rest) => ("", rest),
        None => ("*", pattern),
    };
    let (ends, rest) = match rest.strip_suffix('$') {
        Some(rest) => ("", rest),
        None => ("*", rest),
    };
    let mut glob = begins.to_owned();
    let mut letters = rest.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '.' if letters.next_if_eq(&'*').is_some() => glob.push('*'),
            '.' => glob.push('?'),
            '\\' => glob.extend(letters.next_if_eq(&'.').or(letters.next_if_eq(&'-'))),
            letter if letter.is_alphanumeric() || matches!(letter, '_' | '-' | '~') => {
                glob.push(letter);
            }
            _ => return None,
        }
    }
    let says = glob.chars().any(char::is_alphanumeric);
    says.then(|| glob + ends)
}

fn read_fd(invocation: &Invocation, world: &mut World<'_>) {
    let starts = |arg: &Arg| matches!(arg.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch");
    let at = invocation.args.iter().position(starts);
    let Some((before, [_, command @ ..])) = at.and_then(|at| invocation.args.split_at_checked(at))
    else {
        return;
    };
    let options = Options::read(before, &FD_OPTIONS);
    let (pattern, roots) = match options.operands.split_first() {
        Some((pattern, roots)) => (Some(pattern), roots),
        None => (None, &[][..]),
    };
    let ends = options.values("extension");
    let ends: Vec<Arg> = ends
        .map(|end| Arg::derived(format!("*.{}", end.text.trim_start_matches('.'))))
        .collect();
    let names = match (ends.as_slice(), pattern) {
        ([], Some(pattern)) if options.has("glob") => vec![pattern.clone()],
        ([], Some(pattern)) if !options.has("full-path") => as_glob(&pattern.text)
            .map(Arg::derived)
            .into_iter()
            .collect(),
        _ => ends,
    };
    let kind = match options.value("type").map(|kind| kind.text.as_str()) {
        Some("f" | "file") => "f",
        Some("d" | "dir" | "directory") => "d",
        _ => "",
    };
    let depth = options
        .value("max-depth")
        .and_then(|depth| depth.text.parse().ok());
    let mut search = Search {
        roots: roots.to_vec(),
        names,
        kind: kind.to_owned(),
        depth_max: depth,
        ..Search::default()
    };
    if search.roots.is_empty() {
        search.roots.push(Arg::literal("."));
    }
    let mut command: Vec<Arg> = command
        .iter()
        .take_while(|arg| arg.text != ";")
        .cloned()
        .collect();
    if !command.iter().any(|arg| arg.text.contains('{')) {
        command.push(Arg::literal("{}"));
    }
    start(
        world,
        invocation,
        &search,
        &Started::by("-exec", command, 0),
    );
}

/// What the search prints, as one glob word; nothing is said of several roots.
fn printed(_: &mut World<'_>, invocation: &Invocation) -> Output {
    let search = parse(&invocation.args);
    match search.roots.as_slice() {
        _ if invocation.args.iter().any(|arg| arg.text == "-printf") => Output::Unknown,
        [root] if search.commands.is_empty() && !search.deletes => Output::Text(search.found(root)),
        _ => Output::Unknown,
    }
}
