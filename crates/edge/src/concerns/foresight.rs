//! Facts that need no memory: a program, a target, a directory that is not there, a lock that was
//! left behind. Looked up before a call with a few looks at files, each program once a session.
//! Decides nothing.

use actions::commands::commands;
use hosts::PROBE_SESSION;
use model::{Call, Dialect, Effect, EventKind, Facts, Foreseen, SimpleCommand, Snapshot, fnv64};
use text::path::join;
use work::observations::{ObservationStep, Observations};
use work::streaks::Streaks;

use crate::concerns::discipline::effect;
use crate::concerns::shape::{Concern, EventContext, Steps};
use crate::facts::targets::{self, Targets};
use crate::facts::{locks, programs};

/// Facts that need no memory.
pub const CONCERN: Concern = Concern {
    id: "foresight",
    inform: Some(inform),
    ..Concern::PLAIN
};

/// Longest command that is looked at, in bytes: of a longer one it costs more than it is worth.
const COMMAND_BYTES_MAX: usize = 2_000;

/// Programs that are everywhere, sorted: nobody looks for them, and a call of one is not read.
const EVERYWHERE: &[&str] = &[
    "awk", "basename", "bash", "cat", "chmod", "cp", "cut", "date", "df", "diff", "dirname", "du",
    "env", "find", "git", "grep", "head", "id", "ln", "ls", "mkdir", "mktemp", "mv", "ps", "pwd",
    "readlink", "rm", "rmdir", "sed", "sh", "sleep", "sort", "tail", "tee", "touch", "tr", "uname",
    "uniq", "wc", "which", "whoami", "xargs",
];

/// Words of the shell itself, and names that its start-up files commonly define.
const OWN_WORDS: &[&str] = &[
    ".",
    ":",
    "[",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "cd",
    "command",
    "compgen",
    "complete",
    "continue",
    "declare",
    "dirs",
    "disown",
    "echo",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "getopts",
    "hash",
    "help",
    "history",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "noglob",
    "popd",
    "printf",
    "pushd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "setopt",
    "shift",
    "shopt",
    "source",
    "suspend",
    "test",
    "time",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "unsetopt",
    "wait",
    "where",
    "whence",
    "conda",
    "mamba",
    "nvm",
    "rvm",
    "sdk",
    "pyenv",
    "asdf",
    "mise",
    "deactivate",
    "tollgate",
    "workon",
    "module",
    "ll",
    "la",
    "l",
    "z",
];

/// What does the same, by name; the first that is there is told.
const INSTEAD: &[(&str, &[&str])] = &[
    ("python", &["python3"]),
    ("python3", &["python"]),
    ("pip", &["pip3"]),
    ("pip3", &["pip"]),
    ("node", &["nodejs"]),
    ("docker", &["podman"]),
    ("make", &["gmake"]),
    ("fd", &["fdfind", "find"]),
    ("bat", &["batcat"]),
    ("rg", &["grep"]),
    ("timeout", &["gtimeout"]),
    ("docker-compose", &["docker"]),
];

/// Commands that put programs there, or say where they are.
const BRINGERS: &[&str] = &[
    "apt", "apt-get", "asdf", "brew", "bun", "bundle", "cargo", "conda", "corepack", "cp", "curl",
    "dnf", "apk", "gem", "go", "install", "mamba", "mise", "mv", "npm", "nvm", "pdm", "pip",
    "pip3", "pipenv", "pipx", "pnpm", "poetry", "pyenv", "rustup", "rye", "sdk", "uv", "volta",
    "wget", "yarn", "nix", "direnv", "ln",
];

/// Subcommands of git that take the lock of the index, sorted.
const LOCKING: &[&str] = &[
    "add",
    "am",
    "apply",
    "checkout",
    "cherry-pick",
    "commit",
    "merge",
    "mv",
    "pull",
    "rebase",
    "reset",
    "restore",
    "revert",
    "rm",
    "stash",
    "switch",
];

fn inform(context: &EventContext<'_>, snapshot: &mut Snapshot, _: &Facts) -> Steps {
    let EventKind::ToolBefore(
        call @ Call::Shell {
            command,
            dialect: Dialect::Posix,
        },
    ) = &context.event.kind
    else {
        return Steps::default();
    };
    // What costs least and tells most comes first: most calls end here.
    let is_nothing = command.len() > COMMAND_BYTES_MAX || is_plain_look(command);
    let is_deaf = !context.host.capabilities.advises_before;
    if is_nothing || is_deaf || context.event.session == PROBE_SESSION {
        return Steps::default();
    }
    let kept = Observations::of(&snapshot.session);
    let mut looking = Looking {
        context,
        snapshot,
        sought: kept.sought,
        found: Vec::new(),
        steps: Vec::new(),
    };
    let all = commands(call);
    for (at, one) in all.iter().enumerate() {
        let before = all.get(..at).unwrap_or_default();
        if one.is_plain && one.is_literal && !one.is_found {
            looking.look(one, before);
        }
    }
    let Looking { found, steps, .. } = looking;
    snapshot.foreseen.extend(found);
    Steps {
        lasting: Vec::new(),
        if_run: steps,
    }
}

/// Whether a call is one program that is everywhere, with plain words, and none that takes a lock:
/// most are.
fn is_plain_look(command: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" -_./=,:@'\"".contains(&byte);
    let mut words = command.split(' ');
    let first = words.next().unwrap_or_default();
    let locks = |word| LOCKING.binary_search(&word).is_ok();
    let is_locking = first == "git" && words.next().is_some_and(locks);
    EVERYWHERE.binary_search(&first).is_ok() && !is_locking && command.bytes().all(is_plain)
}

/// One call's looks.
struct Looking<'a> {
    context: &'a EventContext<'a>,
    snapshot: &'a Snapshot,
    sought: Vec<u64>,
    found: Vec<Foreseen>,
    steps: Vec<Effect>,
}

impl Looking<'_> {
    fn look(&mut self, one: &SimpleCommand, before: &[SimpleCommand]) {
        let dir = join(&self.context.event.cwd, &one.dir);
        let words: Vec<&str> = one.words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["cd", to] => self.directory(&dir, to, before),
            ["git", what, ..] if LOCKING.contains(what) => self.lock(&dir),
            [program, ..] if program.contains('/') => {}
            [program, rest @ ..] => {
                if self.program(program, &dir, before) {
                    self.target(program, rest, &dir);
                }
            }
            [] => {}
        }
    }

    /// Whether something is sought for the first time in this session.
    fn is_new(&mut self, what: &str, is_missing: impl FnOnce(&Self) -> bool) -> bool {
        let key = fnv64(what.as_bytes());
        if self.sought.contains(&key) {
            return false;
        }
        self.sought.push(key);
        let missing = is_missing(self);
        let step = ObservationStep::Sought {
            program: key,
            missing,
        };
        self.steps.push(effect(step));
        missing
    }

    /// Looks for a program; whether it may be there.
    fn program(&mut self, program: &str, dir: &str, before: &[SimpleCommand]) -> bool {
        let is_known = EVERYWHERE.contains(&program)
            || OWN_WORDS.contains(&program)
            || self.context.host.brings.contains(&program);
        let mentions = |one: &SimpleCommand| {
            BRINGERS.contains(&one.program())
                || one.words.iter().skip(1).any(|word| word.contains(program))
        };
        if is_known || before.iter().any(mentions) {
            return true;
        }
        let place = &self.snapshot.place;
        if place.var("PATH").is_none() || cfg!(windows) {
            return true;
        }
        let is_told = self.is_new(program, |looking| {
            programs::find(place, dir, program).is_none() && !looking.was_here(program)
        });
        if is_told {
            self.found.push(Foreseen::NoProgram {
                program: program.to_owned(),
                instead: self.instead(program, dir),
            });
        }
        !is_told
    }

    /// Whether the program has worked in this project though it is not on the `PATH`: a function or
    /// an alias of the shell.
    fn was_here(&self, program: &str) -> bool {
        let store = self.context.store;
        let project = store.and_then(|store| store.project(&self.context.project.id).ok());
        let project = project.map(|found| found.value).unwrap_or_default();
        Streaks::of(&project)
            .present
            .contains(&fnv64(program.as_bytes()))
    }

    fn instead(&self, program: &str, dir: &str) -> String {
        let place = &self.snapshot.place;
        let row = INSTEAD.iter().find(|(name, _)| *name == program);
        let mut names = row.map_or(&[][..], |(_, names)| names).iter();
        if let Some(name) = names.find(|name| programs::find(place, dir, name).is_some()) {
            return (*name).to_owned();
        }
        let below = |path: &str| {
            [dir, &place.project]
                .into_iter()
                .any(|top| programs::is_runnable(&join(top, path)))
        };
        let installed = ["node_modules/.bin/", ".venv/bin/", "venv/bin/"];
        let found = installed
            .iter()
            .map(|at| [at, program].concat())
            .find(|path| below(path));
        match found {
            Some(path) if path.starts_with("node") => ["npx ", program].concat(),
            found => found.unwrap_or_default(),
        }
    }

    fn directory(&mut self, dir: &str, to: &str, before: &[SimpleCommand]) {
        let is_made = |one: &SimpleCommand| !matches!(one.program(), "cd" | "ls" | "echo" | "pwd");
        let is_odd = to.starts_with(['-', '~', '$']) || before.iter().any(is_made);
        if is_odd || self.snapshot.place.var("CDPATH").is_some() {
            return;
        }
        let missing = std::fs::metadata(join(dir, to))
            .is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound);
        if missing {
            self.found
                .push(Foreseen::NoDirectory { dir: to.to_owned() });
        }
    }

    fn target(&mut self, program: &str, rest: &[&str], dir: &str) {
        let (target, offered): (&str, fn(&str) -> Option<Targets>) = match (program, rest) {
            ("npm" | "pnpm" | "yarn" | "bun", ["run" | "run-script", target, ..]) => {
                (target, targets::scripts)
            }
            ("make" | "gmake", [target]) if !target.contains('=') => (target, targets::make),
            ("just", [target, ..]) => (target, targets::just),
            _ => return,
        };
        if target.starts_with(['-', '$']) || target.contains(['/', '.', '*']) {
            return;
        }
        let mut known = None;
        let what = format!("{program} {target} {dir}");
        let is_told = self.is_new(&what, |_| {
            known = offered(dir);
            known
                .as_ref()
                .is_some_and(|known| !known.names.iter().any(|name| name == target))
        });
        if let (true, Some(Targets { file, names })) = (is_told, known) {
            self.found.push(Foreseen::NoTarget {
                target: target.to_owned(),
                file: file.to_owned(),
                known: names,
            });
        }
    }

    fn lock(&mut self, dir: &str) {
        if let Some(path) = locks::left(&self.snapshot.place, dir) {
            self.found.push(Foreseen::LeftLock { path });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_that_are_searched_are_sorted() {
        assert!(EVERYWHERE.is_sorted() && LOCKING.is_sorted());
    }

    #[test]
    fn most_calls_are_not_even_read() {
        for (command, expected) in [
            ("git status", true),
            ("ls -la src/a.rs", true),
            ("git commit -m x", false),
            ("git log | head", false),
            ("rg x", false),
            ("cat a; rg x", false),
        ] {
            assert_eq!(is_plain_look(command), expected, "{command}");
        }
    }
}
