//! The gate's own paths are walls: a command that names one, and of which nobody said what it does
//! there, changes it, unless it is known to look only.

mod kept;

use crate::effects;
use crate::families;
use crate::family::Program;
use crate::interpreters;
use crate::world::own;
use crate::{Arg, Input, Invocation, World};
use model::{Action, Certainty, CommandClass, CommandSpec, Fact, PathKind, ResourceKind, Verb};
use text::glob;

/// Commands that look at what they name, or keep it, besides the families of readers; what searches
/// do to what they find is read by their family.
const LOOKING: &[&str] = &[
    "bat",
    "bfs",
    "code",
    "delta",
    "fd",
    "fdfind",
    "find",
    "fzf",
    "gfind",
    "git",
    "hub",
    "jsonlint",
    "open",
    "shellcheck",
    "taplo",
    "tollgate",
    "tollgate-desk",
    "tollgate-hook",
    "tollgate-proxy",
    "xdg-open",
    "yamllint",
    "zed",
];

/// Options with which checkers write.
const WRITING: &[&str] = &["--fix", "--in-place", "--write", "-i", "-w"];

/// Commands that check what they name, unless they are told to write it.
const CHECKING: &[&str] = &[
    "ajv",
    "biome",
    "check-jsonschema",
    "eslint",
    "prettier",
    "yq",
];

/// What git writes outside of its own files: a subcommand, and where its words begin that are read.
const GIT_WRITES: &[&str] = &[
    "archive",
    "bundle",
    "clone",
    "config",
    "init",
    "submodule",
    "worktree",
];

/// Options of git with which other commands write a file.
const GIT_OUTPUTS: &[&str] = &["--output", "--output-directory", "-o"];

/// Starters that write a file of their own.
const LOCKING: &[&str] = &["flock", "gtime", "script", "time"];

/// Programs that read one file, and write the one that follows it.
const FILTERS: &[&str] = &["json.tool", "uniq", "xxd"];

/// Modules and options with which a program only looks.
const SHOWING: &[&str] = &["-R", "json.tool", "py_compile", "tomllib"];

/// What in the text of a script writes.
const WRITES: &[&str] = &[
    "\"a\"",
    "\"r+\"",
    "\"w\"",
    "'a'",
    "'r+'",
    "'w'",
    "O_CREAT",
    "O_RDWR",
    "O_TRUNC",
    "O_WRONLY",
    "chmod",
    "dump(",
    "put_contents",
    "rename",
    "symlink",
    "truncate",
    "unlink",
    "write",
];

/// What in the text of a script starts a program.
const STARTS: &[&str] = &["exec", "getline", "popen", "run(", "spawn", "system"];

/// The same, in languages that nobody reads.
const CALLS: &[&str] = &["Command", "cmd(", "shell"];

/// The gate's program as a path names it.
const GATE_PROGRAM: &str = "/bin/tollgate";

fn is_any_in(words: &[&str], text: &str) -> bool {
    words.iter().any(|word| text.contains(word))
}

/// What was made of a command.
pub(super) struct Seen<'p> {
    /// Its row in a family.
    pub(super) program: Option<&'p Program>,
    /// Whether it starts another command, which was looked at by itself.
    pub(super) is_starter: bool,
    /// Where its actions begin.
    pub(super) since: usize,
}

/// Says what a command does to the gate's own paths among its words, where its reader said nothing
/// of them.
pub(super) fn stand(world: &mut World<'_>, invocation: &Invocation, seen: &Seen<'_>) {
    let &Seen {
        program,
        is_starter,
        since,
    } = seen;
    if world.elsewhere {
        return;
    }
    if let Some(path) = kept::changed_by_git(world, invocation) {
        let tamper = Action::new(Verb::Tamper, ResourceKind::Gate, path);
        return world.act(invocation, tamper);
    }
    if only_looks(invocation, program) {
        return;
    }
    if let Some(path) = written_by_script(world, invocation, since) {
        return world.act(invocation, world.wrote_own(path));
    }
    if let Some(part) = part_touched(world, invocation) {
        return world.act(
            invocation,
            Action::new(Verb::Tamper, ResourceKind::Gate, part),
        );
    }
    // What a starter starts is looked at by itself.
    if is_starter && !LOCKING.contains(&invocation.program.as_str()) {
        return;
    }
    for arg in files(invocation) {
        for path in paths(arg) {
            if may_be_own(world, path)
                && let Some(path) = hit(world, path, arg.glob)
                && !is_said(world, since, &path)
            {
                return world.act(invocation, world.wrote_own(path));
            }
        }
    }
}

/// A path of the gate's that the text of a script names together with a word that writes, where
/// nobody understood the text so far as to say what it does.
fn written_by_script(world: &World<'_>, invocation: &Invocation, since: usize) -> Option<String> {
    let name = invocation.program.as_str();
    let is_awk = matches!(name, "awk" | "gawk" | "mawk" | "nawk");
    if !is_awk && !interpreters::is_one(name) || interpreters::is_shell(invocation) {
        return None;
    }
    let writes = |text: &str| {
        let prints = is_awk && (text.contains("print") && text.contains('>'));
        let starts = || text.contains(GATE_PROGRAM) && is_any_in(STARTS, text);
        prints || is_any_in(WRITES, text) || starts()
    };
    let mut texts = texts_of(invocation).filter(|text| writes(text));
    let path = texts.find_map(|text| own::named_in(world.place, text))?;
    let said = world.analysis.actions.get(since..).unwrap_or_default();
    let is_opened = texts_of(invocation).any(|text| {
        let mut ways = WRITES.iter().filter(|way| way.starts_with("O_"));
        ways.any(|way| text.contains(way))
    });
    let is_said = said.iter().any(|action| {
        let is_own = || own::has(world.place, &action.name);
        action.kind == ResourceKind::Gate || !(action.verb == Verb::Read && is_opened) && is_own()
    });
    (!is_said).then_some(path)
}

/// The texts that an interpreter is given as programs.
fn texts_of(invocation: &Invocation) -> impl Iterator<Item = &str> {
    let fed = match &invocation.input {
        Input::Text(text) => Some(text),
        _ => None,
    };
    let texts = invocation.args.iter().chain(fed);
    let texts = texts.map(|arg| arg.text.as_str());
    texts.filter(|text| text.contains(['(', '{', '>']))
}

/// Programs that reach into another process.
const ATTACHING: &[&str] = &["gdb", "lldb", "ltrace", "prlimit", "reptyr", "strace"];

/// Programs that type in a person's place.
const TYPING: &[&str] = &[
    "dotool", "kitten", "kitty", "screen", "wezterm", "wtype", "xdotool", "ydotool", "zellij",
];

/// Programs that put many files into a directory, under names that nobody here reads.
const PLACING: &[&str] = &["ar", "arj", "cabextract", "lha", "stow", "unar", "unrar"];

/// Programs that put something else where a directory was.
const COVERING: &[&str] = &["bindfs", "fusermount", "mount", "sshfs", "umount"];

/// What in a script types at a terminal in a person's place.
const INJECTING: &[&str] = &["TIOCSTI", "0x5412"];

/// What else of the gate's a command reaches by its words: the host's process, the switch, a
/// person's keyboard, the settings of a host by the host's own program.
fn part_touched(world: &mut World<'_>, invocation: &Invocation) -> Option<&'static str> {
    let name = invocation.program.as_str();
    let words = || invocation.args.iter().map(|arg| arg.text.as_str());
    // The parent of a judged shell is the host, or started by it.
    if ATTACHING.contains(&name) && invocation.text.contains("PPID") {
        return Some("process");
    }
    if COVERING.contains(&name) {
        let covered = |arg: &Arg| {
            let dir = world.target(arg);
            dir.is_known() && world.own_standing(&dir.path, |_| true).is_some()
        };
        if invocation.args.iter().any(covered) {
            return Some("the directory of its own files");
        }
    }
    if PLACING.contains(&name) {
        let cwd = world.cwd().map(|cwd| Arg::derived(cwd.to_owned()));
        let words = invocation.args.iter().flat_map(paths);
        let mut dirs = words.map(|word| Arg::literal(word.to_owned())).chain(cwd);
        let is_filled = |dir: Arg| {
            let dir = world.target(&dir);
            world.own_near(&dir).is_some()
        };
        if dirs.any(is_filled) {
            return Some("what lies in this directory");
        }
    }
    let is_read = || {
        world
            .analysis
            .actions
            .iter()
            .any(|one| one.kind == ResourceKind::Gate)
    };
    let is_program = interpreters::is_one(name) || families::program(name).is_none();
    if is_program && words().any(starts_gate) && !is_read() {
        return Some("owner-command");
    }
    let types = TYPING.contains(&name) && words().any(|word| word.contains("tollgate"));
    let injects = interpreters::is_one(name)
        && words().any(|word| INJECTING.iter().any(|way| word.contains(way)));
    if types || injects {
        return Some("owner-command");
    }
    let is_switch = |word: &str| effects::SWITCHES.contains(&word);
    if name.starts_with("set-") || words().any(|word| word.starts_with("set-")) {
        let sets = |word: &str| is_switch(word.split('=').next().unwrap_or_default());
        if words().any(sets) {
            return Some("switch");
        }
    }
    let is_host = world.place().agents.contains(&invocation.program);
    let changes = ["config", "plugin", "plugins", "hooks", "extensions"];
    let looks = ["get", "list", "ls", "show"];
    let speaks = |word: &str| !changes.contains(&word) && (world.place.settings.speaks)("", word);
    let mut behind = words().skip_while(|word| !changes.contains(word)).skip(1);
    let is_change = behind.next().is_some_and(|next| !looks.contains(&next));
    (is_host && is_change && words().any(speaks)).then_some("settings")
}

/// Whether a text of a language that nobody reads starts a program of ours with an owner's words
/// (`os:cmd("tollgate off")`).
fn starts_gate(text: &str) -> bool {
    let Some((_, after)) = text.split_once("tollgate").filter(|_| text.contains('(')) else {
        return false;
    };
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '-';
    let words = after.split(|letter| !is_part(letter));
    let words = words.filter(|word| !word.is_empty() && *word != "args");
    let path = CommandSpec::path(words);
    let is_owners = path
        .last()
        .is_some_and(|spec| spec.class == CommandClass::Owner);
    is_owners && (is_any_in(STARTS, text) || is_any_in(CALLS, text))
}

/// Whether a command is known to change nothing that it names.
fn only_looks(invocation: &Invocation, program: Option<&Program>) -> bool {
    let name = invocation.program.as_str();
    let has = |options: &[&str]| {
        invocation.args.iter().any(|arg| {
            let option = arg.text.split('=').next().unwrap_or_default();
            options.contains(&option)
        })
    };
    if name == "git" {
        let mut words = invocation.args.iter().map(|arg| arg.text.as_str());
        return !words.any(|word| GIT_WRITES.contains(&word)) && !has(GIT_OUTPUTS);
    }
    if CHECKING.contains(&name) {
        return !has(WRITING);
    }
    if FILTERS.contains(&name) {
        let is_word = |arg: &&Arg| !arg.text.starts_with('-');
        return invocation.args.iter().filter(is_word).count() < 2;
    }
    let shows = || {
        invocation
            .args
            .iter()
            .any(|arg| SHOWING.contains(&arg.text.as_str()))
    };
    LOOKING.contains(&name)
        || (interpreters::is_one(name) || name.starts_with("vi") || name == "nvim") && shows()
        || program.is_some_and(|program| program.is_looking())
}

/// The words that may be files: not the script that an interpreter runs.
fn files(invocation: &Invocation) -> impl Iterator<Item = &Arg> {
    let is_run = interpreters::is_one(&invocation.program);
    let script = invocation
        .args
        .iter()
        .position(|arg| !arg.text.starts_with('-'));
    let words = invocation.args.iter().enumerate();
    words.filter_map(move |(at, arg)| (!is_run || Some(at) != script).then_some(arg))
}

/// A word as paths: all of it, the value of `--option=path` and `of=path`, and of `-Cpath`.
fn paths(arg: &Arg) -> impl Iterator<Item = &str> {
    let text = arg.text.as_str();
    let value = text.split_once('=').map(|(_, value)| value);
    let attached = text.strip_prefix('-').and_then(|rest| {
        let at = rest.find(['/', '~'])?;
        rest.get(at..)
    });
    let whole = (!text.starts_with('-')).then_some(text);
    // `UNIX-LISTEN:path`
    let named = text.split_once(':').filter(|(kind, _)| {
        let is_part = |letter: char| letter.is_ascii_uppercase() || letter == '-';
        kind.len() > 2 && kind.chars().all(is_part)
    });
    let named = named.map(|(_, path)| path);
    whole.into_iter().chain(value).chain(attached).chain(named)
}

/// Whether it is worth a look: what is the gate's is hidden, or has one of few names.
fn may_be_own(world: &World<'_>, path: &str) -> bool {
    let is_path = !path.is_empty() && path.len() < 4_096 && !path.contains(char::is_whitespace);
    let is_hidden = path.starts_with('.') || path.contains("/.") || path.starts_with('~');
    let below_hidden = || world.cwd().is_some_and(|cwd| cwd.contains("/."));
    let is_named =
        || path.contains(".json") || path.contains("tollgate") || path.starts_with("/etc");
    let is_ours = || {
        let mut roots = world.place.own.globs.iter();
        roots.any(|(root, _)| path.starts_with(&**root))
    };
    is_path && (is_hidden || is_named() || below_hidden() || is_ours())
}

/// The path of the gate's that a word means; of a pattern, one that is there and fits.
fn hit(world: &mut World<'_>, path: &str, is_pattern: bool) -> Option<String> {
    let home = world.place.home.clone();
    let path = match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => [&home, rest].concat(),
        _ => path.to_owned(),
    };
    if let Some((dir, _)) = path.split_once(Arg::HOLE) {
        return below_dir(world, dir);
    }
    if is_pattern && glob::is_glob(&path) {
        return below_pattern(world, &path);
    }
    let target = world.target(&Arg::literal(path));
    if target.path.is_empty() || target.sure == Certainty::Unknown {
        return None;
    }
    if own::has(world.place, &target.path) {
        return Some(target.path);
    }
    match world.path(&target.path) {
        Fact::Known(fact) if fact.kind == PathKind::Link => {
            own::has(world.place, &fact.real).then_some(fact.real)
        }
        _ => None,
    }
}

/// A file of the gate's that is there and that a pattern fits.
fn below_pattern(world: &mut World<'_>, pattern: &str) -> Option<String> {
    let whole = match world.cwd() {
        Some(cwd) => text::path::join(cwd, pattern),
        None => pattern.to_owned(),
    };
    // What a search finds may be hidden, and lie anywhere.
    let is_search = whole.contains("**");
    let found = world.matches(&whole);
    if let (Fact::Known(found), false) = (found, is_search) {
        return found.into_iter().find(|path| own::has(world.place, path));
    }
    world.own_found(&whole)
}

/// Something of the gate's below a directory of which some files are meant that nobody knows. In a
/// project that is most often something else.
fn below_dir(world: &mut World<'_>, dir: &str) -> Option<String> {
    let dir = world.target(&Arg::literal(dir.trim_end_matches('/'))).path;
    let is_projects = text::path::is_within(&dir, &world.place.project);
    if dir.is_empty() || is_projects {
        return None;
    }
    world.own_standing(&dir, |_| true)
}

/// Whether something was said of a path, or against the gate, since then.
fn is_said(world: &World<'_>, since: usize, path: &str) -> bool {
    let said = world.analysis.actions.get(since..).unwrap_or_default();
    said.iter().any(|action| {
        // What they write was taken for what they read.
        let misreads = |list: &[&str]| list.contains(&action.program.as_str());
        let is_misread = action.verb == Verb::Read && (misreads(FILTERS) || misreads(CHECKING));
        let is_file = !is_misread
            && matches!(
                action.kind,
                ResourceKind::File | ResourceKind::Autorun | ResourceKind::Program
            );
        action.kind == ResourceKind::Gate || is_file && action.name == path
    })
}
