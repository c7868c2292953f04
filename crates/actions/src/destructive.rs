//! Words that name a destructive action, as text. Whoever could not read a text asks here whether
//! it could hide one. Must not know what any of them does.

/// Programs that destroy what they are given.
const PROGRAMS: &[&str] = &[
    "del", "del-cli", "dd", "mkfs", "rd", "rimraf", "rm", "rmdir", "shred", "srm", "trash",
    "truncate", "unlink", "wipefs",
];

/// Calls of other languages that do.
const CALLS: &[&str] = &[
    "remove_tree",
    "removeSync",
    "rmSync",
    "rm_f",
    "rm_r",
    "rm_rf",
    "rmdirSync",
    "rmtree",
    "unlinkSync",
];

/// Commands of git that can.
const GIT: &[&str] = &[
    "branch",
    "checkout",
    "clean",
    "filter-branch",
    "push",
    "rebase",
    "reset",
    "restore",
    "stash",
    "switch",
    "update-ref",
];

/// Programs that destroy or overwrite with the right words, or start what does.
const ABLE: &[&str] = &[
    "bash", "cp", "dash", "env", "find", "git", "mv", "node", "perl", "php", "python", "python3",
    "rsync", "ruby", "sed", "sh", "sudo", "tee", "xargs", "zsh",
];

/// The gate's own programs, of which some commands are for people alone.
const GATE: &[&str] = &[
    "tollgate",
    "tollgate-hook",
    "tollgate-desk",
    "tollgate-proxy",
];

/// Whether a text contains the name of a destructive action as a word of its own.
pub(crate) fn named_in(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let mut before = "";
    text.split(|c| !is_part(c))
        .filter(|word| !word.is_empty())
        .any(|word| {
            let last = std::mem::replace(&mut before, word);
            PROGRAMS.contains(&word)
                || word.starts_with("mkfs.")
                || word == "-delete"
                || last == "git" && GIT.contains(&word)
                || CALLS.contains(&word.rsplit('.').next().unwrap_or_default())
        })
}

/// Where the first word of a command that destroys stands in a line of another language.
pub(crate) fn start_in(line: &str) -> Option<usize> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let mut at = 0;
    let mut words = Vec::new();
    for word in line.split(|c| !is_part(c)) {
        words.push((at, word));
        // What parts the words is one letter each.
        let end = at + word.len();
        at = end + line.get(end..)?.chars().next().map_or(0, char::len_utf8);
    }
    let destroys = |(at, (start, word)): (usize, &(usize, &str))| {
        let next = words.get(at + 1).map_or("", |(_, next)| next);
        let name = word.rsplit('/').next().unwrap_or_default();
        let is_one = PROGRAMS.contains(&name)
            || name == "git" && GIT.contains(&next)
            || name == "find" && line.contains("-delete");
        is_one.then_some(*start)
    };
    words.iter().enumerate().find_map(destroys)
}

/// Whether a program text in any language calls what deletes, by the usual names.
pub(crate) fn called_in(text: &str) -> bool {
    let calls = ["remove(", "delete(", "delete ", "unlink(", "removedirs("];
    calls.iter().any(|call| text.contains(call))
}

/// Whether a program of this name destroys, or can.
pub(crate) fn can_be_done_by(program: &str) -> bool {
    PROGRAMS.contains(&program) || ABLE.contains(&program) || GATE.contains(&program)
}

/// The program that destroys whose name fits.
pub(crate) fn program_that(fits: impl Fn(&str) -> bool) -> Option<&'static str> {
    let mut all = PROGRAMS.iter().chain(ABLE).chain(GATE).copied();
    all.find(|name| fits(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deeds_are_whole_words() {
        for text in [
            "rm x",
            "a;rm",
            "x /bin/rm y",
            "git reset --hard",
            "find . -delete",
            "fs.rmSync(d)",
        ] {
            assert!(named_in(text), "{text}");
        }
        for text in [
            "",
            "form",
            "rm-old",
            "git status",
            "alarm",
            "delete",
            "reset",
        ] {
            assert!(!named_in(text), "{text}");
        }
    }
}
