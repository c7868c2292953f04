//! Which paths are the gate's own. Puts none of their globs together but those that a path may fit:
//! there are many, and most are about other places.

use crate::Arg;
use model::CallEnv;
use text::{glob, path};

/// How globs begin that are about every directory below a root.
const ANYWHERE: &str = "/**";

/// Of these, those about hidden files and directories.
const ANYWHERE_HIDDEN: &str = "/**/.";

/// Our programs, and how their names begin, be it in a pattern.
pub(crate) const PROGRAMS: &[&str] = &[
    "tollgate",
    "tollgate-desk",
    "tollgate-hook",
    "tollgate-proxy",
];
pub(crate) const PROGRAMS_START: &str = "toll";

/// Shortest path below a home that a text names on purpose.
const NAMED_MIN: usize = 10;

/// A glob of the gate's below a root, which is meant as it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OwnGlob<'a> {
    root: &'a str,
    glob: &'a str,
}

impl OwnGlob<'_> {
    /// Whether it may stand for more than one path.
    pub(crate) fn is_glob(self) -> bool {
        glob::is_glob(self.glob)
    }

    /// The path; of a glob, its directory.
    pub(crate) fn fixed(self) -> String {
        if self.is_glob() {
            glob::fixed_dir(&self.pattern())
        } else {
            [self.root, self.glob].concat()
        }
    }

    /// What the path begins with, up to its first special character.
    pub(crate) fn start(self) -> String {
        let plain = self.glob.split(['*', '?', '[']).next();
        [self.root, plain.unwrap_or_default()].concat()
    }

    /// All of it, as a glob.
    pub(crate) fn pattern(self) -> String {
        [&glob::escape(self.root), self.glob].concat()
    }
}

/// How our processes show in a list: what a pattern would have to hit.
const COMMAND_LINES: &[&str] = &[
    "tollgate proxy --name",
    "tollgate proxy --upstream",
    "tollgate run",
    "tollgate serve",
    "tollgate-desk run",
    "tollgate-desk serve",
    "tollgate-hook",
    "tollgate-proxy --name",
];

/// So many letters of a pattern say that it is about one of them, wherever they stand.
const TELLING_MIN: usize = 9;

/// Whether a pattern by which processes are looked for means ours (`toll.*`, `[t]ollgate`,
/// `proxy --name`). One that hits them among many others is not about them.
pub(crate) fn means_process(pattern: &str) -> bool {
    let alternatives = pattern.split('|');
    let mut alternatives = alternatives.map(|one| {
        let plain = one.replace(['[', ']', '^', '$', '(', ')', '\\', '\'', '"'], "");
        plain
            .replace(".*", "*")
            .replace(".+", "*")
            .replace('.', "?")
    });
    alternatives.any(|pattern| {
        if pattern.contains("tollgate") {
            return true;
        }
        let pattern = pattern.trim_matches(['*', '?', ' ']);
        let telling = pattern.chars().filter(|one| !matches!(one, '*' | '?'));
        let is_telling = pattern.starts_with(PROGRAMS_START) || telling.count() >= TELLING_MIN;
        let whole = ["*", pattern, "*"].concat();
        let mut lines = COMMAND_LINES.iter();
        is_telling && lines.any(|line| glob::SHELL.matches_name(&whole, line))
    })
}

/// Whether a path is one of the gate's.
pub(crate) fn has(place: &CallEnv, path: &str) -> bool {
    if place.folds_case {
        let path = path.to_lowercase();
        return place.find_own(
            |_| Some(()),
            |root, glob, ()| {
                let pattern = OwnGlob { root, glob }.pattern().to_lowercase();
                glob::DOTGLOB.matches_path(&pattern, &path)
            },
        );
    }
    // Nearly all that is meant anywhere lies in a hidden directory.
    let has_hidden = path.contains("/.");
    place.find_own(
        |root| path.strip_prefix(root),
        |_, glob, rest| {
            let may_be = has_hidden || !glob.starts_with(ANYWHERE_HIDDEN);
            may_be && may_match(glob, rest) && glob::DOTGLOB.matches_path(glob, rest)
        },
    )
}

/// Whether a path goes on after a root as a glob does: most differ in the first letter of a name,
/// which shows without a call.
fn may_match(glob: &str, rest: &str) -> bool {
    if let Some(tail) = glob.strip_prefix(ANYWHERE) {
        let fixed = tail.split(['*', '?', '[', '\\']).next();
        return rest.contains(fixed.unwrap_or_default());
    }
    match (glob.as_bytes(), rest.as_bytes()) {
        ([b'/', letter, ..], [_, other, ..]) => {
            letter == other || !letter.is_ascii_alphanumeric() && *letter != b'.'
        }
        _ => true,
    }
}

/// Whether a path lies in a directory that is ours with all that is in it, and no project's. Asks
/// no other glob.
pub(crate) fn is_in_root(place: &CallEnv, path: &str) -> bool {
    let mut roots = place.own.globs.iter().filter(|(_, glob)| glob == ANYWHERE);
    roots.any(|(root, _)| is_whole(place, root) && path::is_within(path, root))
}

/// The program of ours that a name stands for, or a pattern that says so much of it.
pub(crate) fn program_named(name: &str) -> Option<&'static str> {
    let mut programs = PROGRAMS.iter().copied();
    let is_meant = |program: &&str| glob::SHELL.matches_name(name, program);
    programs
        .find(is_meant)
        .filter(|_| name.starts_with(PROGRAMS_START))
}

/// Whether a name, as far as it is known, may be that of a program of ours.
pub(crate) fn may_be_program(name: &str) -> bool {
    let mut programs = PROGRAMS.iter();
    name.is_empty() || programs.any(|program| glob::SHELL.matches_name(name, program))
}

/// A program of ours that a word names whose directory is not known (`$DIR/bin/tollgate`).
pub(crate) fn program_in(place: &CallEnv, word: &Arg) -> Option<String> {
    let (dir, name) = word.text.rsplit_once('/')?;
    if !dir.contains(Arg::HOLE) {
        return None;
    }
    let program = program_named(name)?;
    let mut found = None;
    place.find_own(
        |_| Some(()),
        |root, glob, ()| {
            let dir = OwnGlob { root, glob }.fixed();
            let path = [dir.trim_end_matches('/'), "/bin/", program].concat();
            let is_own = glob.ends_with("/**") && !glob.starts_with(ANYWHERE_HIDDEN);
            found = (is_own && has(place, &path)).then_some(path);
            found.is_some()
        },
    );
    found
}

/// Whether all below a root is ours and goes with it: a project's own folder is, but a project may
/// be moved and copied with it.
fn is_whole(place: &CallEnv, root: &str) -> bool {
    let is_projects = !place.project.is_empty() && path::is_within(root, &place.project);
    !root.is_empty() && !is_projects
}

/// A path of the gate's that a text names as it lies below the home.
pub(crate) fn named_in(place: &CallEnv, text: &str) -> Option<String> {
    let mut named = None;
    let home = place.home.trim_end_matches('/');
    place.find_own(
        |_| Some(()),
        |root, glob, ()| {
            let own = OwnGlob { root, glob }.start();
            let below = own.strip_prefix(home).unwrap_or_default();
            let below = below.trim_matches('/');
            let at = (below.len() >= NAMED_MIN)
                .then(|| text.find(below))
                .flatten();
            let rest = at.and_then(|at| text.get(at..));
            let whole = rest.and_then(|rest| rest.split(['"', '\'', '`', ')', ' ', '\n']).next());
            named = whole.map(|whole| [home, "/", whole].concat());
            named.is_some()
        },
    );
    named
}

/// Globs of the gate's that begin with a directory as text, so many at most. Those that matter most
/// come first; those that may be anywhere are not meant, but what lies below a root of ours is.
pub(crate) fn in_dir<'p>(place: &'p CallEnv, dir: &str, count_max: usize) -> Vec<OwnGlob<'p>> {
    let mut found = Vec::new();
    place.find_own(
        |root| match dir.strip_prefix(root) {
            None => root.starts_with(dir).then_some(""),
            rest => rest,
        },
        |root, glob, rest| {
            // What is escaped shows only when it is taken apart.
            let is_meant = !glob.starts_with(ANYWHERE) || glob == ANYWHERE && is_whole(place, root);
            if is_meant && glob.starts_with(rest) || glob.contains('\\') {
                found.push(OwnGlob { root, glob });
            }
            found.len() >= count_max
        },
    );
    found
}
