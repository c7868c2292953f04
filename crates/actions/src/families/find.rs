//! `find`: what it deletes, and the commands that it starts for what it finds.
//!
//! What it finds is said as globs where the tests are simple names (`find . -name '*.pyc'`), so
//! that only what matches counts as lost; every other test can only make it less.

mod start;

use self::start::start;
use crate::effects::{self, Delete, Lost, Write};
use crate::family::{Effects, Family, Program};
use crate::machine::Output;
use crate::options::{Options, Spec, flag, value};
use crate::world::own;
use crate::{Arg, Invocation, Target, World};
use model::{Certainty, Fact, Flag, Flags, Loss, Verb, Zone};
use text::glob;

/// `find` and what behaves like it.
pub const FIND: Family = &[
    Program::new("bfs", Effects::Own(read)),
    Program::new("find", Effects::Own(read)).prints(printed),
    Program::new("gfind", Effects::Own(read)),
];

/// Tests and actions that are followed by one word, besides those read here.
const WITH_VALUE: &[&str] = &[
    "-amin",
    "-anewer",
    "-atime",
    "-cmin",
    "-cnewer",
    "-context",
    "-ctime",
    "-fstype",
    "-gid",
    "-group",
    "-ilname",
    "-inum",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-links",
    "-lname",
    "-mmin",
    "-mtime",
    "-newer",
    "-newermt",
    "-path",
    "-perm",
    "-printf",
    "-regex",
    "-regextype",
    "-samefile",
    "-uid",
    "-used",
    "-user",
    "-wholename",
    "-xtype",
    "-mindepth",
    "-D",
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
struct Search {
    roots: Vec<Arg>,
    /// The patterns of `-name` and `-iname`, of which one fits what is found.
    names: Vec<Arg>,
    kind: String,
    depth_max: Option<usize>,
    /// Whether all that is found is empty, or a link.
    is_empty: bool,
    /// Whether there are alternatives or groups.
    is_branched: bool,
    /// Whether the tests are more than names, kinds and depths put together with "and".
    is_widened: bool,
    deletes: bool,
    commands: Vec<Started>,
    writes: Vec<Arg>,
}

/// A command that is started for what is found.
#[derive(Debug, Default)]
struct Started {
    words: Vec<Arg>,
    /// Whether it is started in the directory of what is found.
    enters: bool,
}

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
        start(world, invocation, &search, &command.words);
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
    let extension = options.value("extension");
    let name = match (extension, pattern) {
        (Some(extension), _) => Some(Arg::derived(format!("*.{}", extension.text))),
        (None, pattern) => pattern.filter(|_| options.has("glob")).cloned(),
    };
    let names = name.into_iter().collect();
    let mut search = Search {
        roots: roots.to_vec(),
        names,
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
    start(world, invocation, &search, &command);
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

fn parse(args: &[Arg]) -> Search {
    let mut search = Search::default();
    let mut words = args.iter().peekable();
    let is_root =
        |arg: &&Arg| !arg.text.starts_with('-') && !matches!(arg.text.as_str(), "(" | "!");
    while let Some(option) = words.next_if(|arg| matches!(arg.text.as_str(), "-H" | "-L" | "-P")) {
        let _ = option;
    }
    while let Some(root) = words.next_if(is_root) {
        search.roots.push(root.clone());
    }
    if search.roots.is_empty() {
        search.roots.push(Arg::literal("."));
    }
    let (mut is_named, mut is_negated) = (false, false);
    // `-path X -prune -o …`: nothing is found on that way, if the other says what is done.
    let (mut is_pruned, mut before) = (false, 0);
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
                let size = words.next().map_or("", |arg| arg.text.as_str());
                search.is_empty |= size == "0" && !was_negated;
            }
            "-type" if was_negated => drop(words.next()),
            "-name" | "-iname" => {
                let pattern = words.next().cloned();
                // Of what must not have a name, nothing is known but that it is less.
                if !was_negated {
                    is_named = true;
                    search.names.extend(pattern);
                }
            }
            "-type" => search.kind = words.next().map(|arg| arg.text.clone()).unwrap_or_default(),
            "-maxdepth" => search.depth_max = words.next().and_then(|arg| arg.text.parse().ok()),
            "-delete" => search.deletes = true,
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let is_end = |arg: &&Arg| matches!(arg.text.as_str(), ";" | "+");
                let command = words.by_ref().take_while(|arg| !is_end(arg)).cloned();
                search.commands.push(Started {
                    enters: word.text.ends_with("dir"),
                    words: command.collect(),
                });
            }
            "-fprint" | "-fprint0" | "-fls" => search.writes.extend(words.next().cloned()),
            "-fprintf" => {
                search.writes.extend(words.next().cloned());
                words.next();
            }
            text if WITH_VALUE.contains(&text) => drop(words.next()),
            text if WIDENING.contains(&text) => search.is_widened = true,
            "-prune" => is_pruned = says_what,
            text if OTHERWISE.contains(&text) && std::mem::take(&mut is_pruned) => {
                search.names.truncate(before);
                search.kind.clear();
                is_named = false;
            }
            text if OTHERWISE.contains(&text) => {
                before = search.names.len();
                search.is_widened |= !std::mem::take(&mut is_named);
                search.is_branched = true;
            }
            _ => {}
        }
    }
    search.is_widened |= !search.names.is_empty() && !is_named;
    search
}

impl Search {
    /// Whether what goes holds nothing: it is empty, a link, or a directory, which only goes when
    /// it is empty unless a command takes all that is in it.
    fn loses_nothing(&self, takes_trees: bool) -> bool {
        let is_hollow = match self.kind.as_str() {
            "l" => true,
            "d" => !takes_trees,
            _ => false,
        };
        !self.is_branched && !self.is_widened && (self.is_empty || is_hollow)
    }

    /// The globs, below a root, of what is found; empty if only the root itself says it.
    fn globs(&self, root: &str) -> Vec<String> {
        if self.is_widened || !self.names.iter().all(Arg::is_known) {
            return Vec::new();
        }
        let root = root.trim_end_matches('/');
        let levels = match self.depth_max {
            Some(depth @ 1..=3) => (0..depth).map(|level| "*/".repeat(level)).collect(),
            _ => vec!["**/".to_owned()],
        };
        let names: Vec<String> = self
            .names
            .iter()
            .flat_map(|name| globs_of(&name.text))
            .collect();
        let below = levels.iter().flat_map(|level| {
            names
                .iter()
                .map(move |name| format!("{root}/{level}{name}"))
        });
        below.collect()
    }

    /// Whether no name and no depth says what is found.
    fn is_open(&self) -> bool {
        self.names.is_empty() && self.depth_max.is_none() && !self.is_widened
    }

    /// The one pattern of names, if there is no other.
    fn only_name(&self) -> Option<String> {
        let is_only = self.names.len() == 1;
        self.globs("").into_iter().next().filter(|_| is_only)
    }

    /// A program of the gate's that is looked for by its name.
    fn gate_program(&self) -> Option<&'static str> {
        let mut names = self.names.iter().filter(|name| name.is_known());
        names.find_map(|name| own::program_named(&name.text))
    }

    /// What is found below a root, as one word: a glob, or a hole in the root.
    fn found(&self, root: &Arg) -> Arg {
        let escaped = if root.glob {
            root.text.clone()
        } else {
            glob::escape(&root.text)
        };
        match self.globs(&escaped).into_iter().next() {
            Some(glob) if root.is_known() && self.names.len() == 1 => Arg {
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

/// What is found below a root, to be deleted.
struct Deletion<'a> {
    search: &'a Search,
    root: &'a Arg,
    recursive: bool,
}

/// Deletes what is found below a root. With `-delete` directories go only when they are empty, so
/// all that can be lost are files.
fn delete(world: &mut World<'_>, invocation: &Invocation, deletion: &Deletion<'_>) {
    let &Deletion {
        search,
        root,
        recursive,
    } = deletion;
    for target in world.targets(root) {
        let mut action = target.action(Verb::Delete);
        if search.loses_nothing(recursive && !search.deletes) {
            if !target.path.is_empty() {
                action.zone = world.zone(&format!("{}/x", target.path.trim_end_matches('/')));
            }
            let delete = Delete {
                targets: &[],
                lost: Lost::Counted(Fact::Known(Loss::default())),
                action,
            };
            effects::delete(world, invocation, delete);
            continue;
        }
        action.zone = below(world, &target, search);
        action.flags = Flags::NONE
            .with(Flag::Mass)
            .with_if(Flag::Recursive, recursive);
        let lost = loss(world, &target, search, recursive && !search.deletes);
        if let Some(name) = search.only_name().filter(|_| !action.name.is_empty()) {
            action.name = format!("{}{name}", target.path.trim_end_matches('/'));
        }
        let takes_all = search.globs("").is_empty();
        let delete = Delete {
            targets: if takes_all {
                std::slice::from_ref(&target)
            } else {
                &[]
            },
            lost: Lost::Counted(lost),
            action,
        };
        effects::delete(world, invocation, delete);
    }
}

/// Where what is found lies: the root itself only if nothing narrows the search.
fn below(world: &World<'_>, target: &Target, search: &Search) -> Zone {
    let is_narrowed = !search.globs("").is_empty() && target.zone != Zone::Root;
    if !is_narrowed || target.path.is_empty() {
        return target.zone;
    }
    world.zone(&format!("{}/x", target.path.trim_end_matches('/')))
}

/// Most trees that are found whose loss is added up one by one.
const TREES_MAX: usize = 24;

/// What would be lost of what is found; with `trees`, directories go with everything in them.
fn loss(world: &mut World<'_>, target: &Target, search: &Search, trees: bool) -> Fact<Loss> {
    if target.sure == Certainty::Unknown || target.zone == Zone::Temp {
        return world.loss_of_delete(target, true);
    }
    if below(world, target, search) == Zone::Temp {
        return Fact::Known(Loss::default());
    }
    let patterns = search.globs(&glob::escape(&target.path));
    if world.elsewhere && !patterns.is_empty() {
        let each = patterns.into_iter().map(|path| Target {
            path,
            ..target.clone()
        });
        return world.loss_of_deletes(&each.collect::<Vec<_>>(), true);
    }
    if patterns.is_empty() {
        return world.loss_of_delete(target, true);
    }
    // All are asked for before one answer is looked at: a round of questions, not one each.
    let answers: Vec<_> = patterns
        .iter()
        .map(|pattern| world.matches(pattern))
        .collect();
    let mut files = Vec::new();
    for answer in answers {
        match answer {
            Fact::Known(found) => files.extend(found),
            // The whole tree is the most that can go.
            Fact::Unknown(_) => return world.loss_of_delete(target, true),
        }
    }
    files.sort();
    files.dedup();
    if !trees {
        return world.loss_below(&target.path, &files);
    }
    if files.len() > TREES_MAX {
        return world.loss_of_delete(target, true);
    }
    let mut sum = Loss::default();
    for path in files {
        let found = world.target(&Arg::derived(path));
        match world.loss_of_delete(&found, true) {
            Fact::Known(loss) => sum.add(&loss),
            unknown => return unknown,
        }
    }
    Fact::Known(sum)
}
