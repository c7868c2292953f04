//! What the words of a program that nobody knows say that it takes away elsewhere. Words in, words
//! out; whose program it is, and what is done about it, is not known here.

mod words;

use crate::Arg;
use crate::address::is_loopback;
use crate::services::{SMALL, name_words};
use words::*;

/// Whether a program that nobody knows is told to take something away without asking.
fn is_forced(words: &[&str], args: &[Arg]) -> bool {
    let is_strong = words.iter().take(3).any(|word| STRONG.contains(word));
    let is_meant = args.iter().any(|arg| FORCING.contains(&&*arg.text));
    is_strong && is_meant && !words.iter().any(|word| MADE_AGAIN.contains(word))
}

/// How many words may stand before the verb.
pub(super) const WORDS_MAX: usize = 5;

/// Whether a word says that nothing is done. Elsewhere `-n` may be a name: `delete -n nightly`.
pub(super) fn is_calm(program: &str, args: &[Arg]) -> bool {
    args.iter()
        .enumerate()
        .any(|(at, arg)| match arg.text.as_str() {
            "-n" => {
                let next = args.get(at + 1).map_or("-", |next| next.text.as_str());
                CALM_BY_LETTER.contains(&program)
                    || next.starts_with('-')
                    || verb_in(next).is_some()
            }
            text => CALM.contains(&text),
        })
}

/// The words that take something away. `own` are the verbs that a provider's program has besides;
/// `None` if it is no provider's. Of a program of the project's own (`is_near`) less is believed.
pub(super) fn taken(
    program: &str,
    args: &[Arg],
    own: Option<&str>,
    is_near: bool,
) -> Option<String> {
    if is_calm(program, args) || TEST_RUNNERS.contains(&program) {
        return None;
    }
    let words: Vec<&str> = args
        .iter()
        .filter(|arg| !arg.text.starts_with('-') && arg.is_known())
        .map(|arg| arg.text.as_str())
        .take(WORDS_MAX)
        .collect();
    if own.is_none() && args.iter().any(|arg| ANEW.contains(&&*arg.text)) {
        let mut pairs = words
            .iter()
            .zip(words.iter().skip(1).map(Some).chain([None]));
        if let Some((word, after)) = pairs.find(|(word, after)| starts_database(word, *after)) {
            return Some(
                [*word, after.unwrap_or(&"")]
                    .join(" ")
                    .trim_end()
                    .to_owned(),
            );
        }
    }
    let is_urged = args.iter().any(|arg| URGING.contains(&&*arg.text));
    for (at, word) in words.iter().enumerate() {
        if LOOKS.contains(word) || own.is_none() && MAKES.contains(word) {
            return None;
        }
        let said = Said {
            before: at.checked_sub(1).and_then(|at| words.get(at)).copied(),
            word,
            after: words.get(at + 1).copied(),
            is_urged,
            is_near,
        };
        let is_own = own.is_some_and(|own| own.split_whitespace().any(|verb| verb == *word));
        let found = !said.is_of_cache()
            && match own {
                _ if is_own => true,
                Some(_) => verb_in(word).is_some(),
                None if verb_in(word) == Some(None) && is_forced(&words, args) => true,
                None => said.takes(program),
            };
        if found {
            return Some(match said.before {
                Some(before) => format!("{before} {word}"),
                None => (*word).to_owned(),
            });
        }
    }
    match own {
        None if !is_near => by_option(args),
        _ => None,
    }
}

/// `init-db`, `db:setup`, `init database`: whether a database is made.
fn starts_database(word: &str, after: Option<&&str>) -> bool {
    const DATABASE: &[&str] = &["database", "databases", "db", "dbs"];
    let mut parts: Vec<&str> = word.split(['-', ':', '_']).collect();
    if let [_] = parts.as_slice() {
        parts.extend(after);
    }
    let has = |known: &[&str]| parts.iter().any(|part| known.contains(part));
    has(DATABASE) && has(STARTING)
}

/// The plain words in front of a command, of which its subcommand is made: at most three. None, if
/// one of them says that it only looks.
pub(super) fn plain_words(args: &[Arg]) -> Vec<String> {
    let words = args.iter().filter(|arg| !arg.text.starts_with('-'));
    let is_plain = |arg: &&Arg| {
        let mut bytes = arg.text.bytes();
        arg.is_known() && bytes.all(|byte| byte.is_ascii_lowercase() || byte == b'-')
    };
    let words: Vec<&str> = words
        .take_while(is_plain)
        .map(|arg| arg.text.as_str())
        .take(SUBCOMMAND_MAX)
        .collect();
    match words.iter().any(|word| LOOKS.contains(word)) {
        true => Vec::new(),
        false => words.iter().flat_map(|word| name_words(word)).collect(),
    }
}

/// Whether a word says that something is made.
pub(super) fn makes(word: &str) -> bool {
    MAKES.contains(&word)
}

/// How many words a subcommand is made of.
const SUBCOMMAND_MAX: usize = 3;

/// A word of a command, with what stands beside it.
struct Said<'a> {
    before: Option<&'a str>,
    word: &'a str,
    after: Option<&'a str>,
    /// Whether nobody is to be asked.
    is_urged: bool,
    is_near: bool,
}

impl Said<'_> {
    /// A cache is filled again by itself, whoever's it is.
    fn is_of_cache(&self) -> bool {
        let mut parts = [self.before, self.after, verb_in(self.word).flatten()]
            .into_iter()
            .flatten();
        parts.any(|part| matches!(part, "cache" | "caches"))
    }

    /// What a program that nobody knows says it takes away.
    fn takes(&self, program: &str) -> bool {
        let mut beside = [self.before, self.after].into_iter().flatten();
        match verb_in(self.word) {
            Some(Some(noun)) => is_noun(noun) || !self.is_near && self.is_final(noun),
            Some(None) => {
                let is_named = beside.any(is_noun);
                is_named || !self.is_near && (self.is_meant(program) || self.is_of_all(program))
            }
            None if self.is_near => false,
            None if EMPTYING.contains(&self.word) => beside.any(keeps_data),
            None => self.is_urged && OVERWRITING.contains(&self.word) && self.before.is_some(),
        }
    }

    /// `page:delete 15`: a last word on whatever the program keeps.
    fn is_final(&self, noun: &str) -> bool {
        let verb = STRONG
            .iter()
            .any(|verb| self.word.to_lowercase().contains(verb));
        verb && self.after.is_some() && names_a_kind(noun)
    }

    /// `anycloud destroy`: a word that is said of what was put up, and of nothing less.
    fn is_of_all(&self, program: &str) -> bool {
        const OF_ALL: &[&str] = &[
            "decommission",
            "deprovision",
            "destroy",
            "nuke",
            "obliterate",
        ];
        let is_own = OWN_LISTS.iter().any(|list| program.contains(list));
        OF_ALL.contains(&self.word) && self.before.is_none() && self.after.is_none() && !is_own
    }

    /// `page delete 15`, `delete "iPhone 15"`: the same as two words, and as one alone.
    fn is_meant(&self, program: &str) -> bool {
        let is_own = || OWN_LISTS.iter().any(|list| program.contains(list));
        let is_here = |after: &str| after.starts_with(['.', '/', '~']);
        let named = |after: &str| !is_small(after) && !is_here(after) && after != "all";
        let is_grouped = || self.is_urged && self.before.is_some();
        (STRONG.contains(&self.word) || is_grouped())
            && !is_own()
            && self.after.is_some_and(named)
            && self.before.is_none_or(names_a_kind)
    }
}

/// Whether a word is a plain noun that something in a program's keeping is called by.
fn names_a_kind(word: &str) -> bool {
    let is_plain = word
        .bytes()
        .all(|byte| byte.is_ascii_alphabetic() || byte == b'-' || byte == b'_');
    is_plain && word.len() > 1 && !is_small(word)
}

/// Whether a word names what is made again, or is small: a last word on it is no loss.
pub(super) fn is_small(word: &str) -> bool {
    let mut lists = [SMALL, SMALL_HERE, MADE_AGAIN].into_iter();
    lists.any(|list| is_one_of(word, list))
}

fn keeps_data(word: &str) -> bool {
    is_one_of(word, DATA)
}

/// `--drop-all`, `sync out ftp://host/www --delete`: an option that is the verb.
fn by_option(args: &[Arg]) -> Option<String> {
    let name = |arg: &Arg| {
        let (name, value) = arg.text.split_once('=').unwrap_or((&arg.text, "true"));
        (value != "false").then(|| name.to_owned())
    };
    let is_far = |arg: &Arg| {
        let address = arg.text.split_once("://");
        let is_named = |rest: &str| !is_loopback(rest) && !rest.is_empty();
        !arg.text.starts_with('-') && address.is_some_and(|(_, rest)| is_named(rest))
    };
    let mut names = args.iter().filter_map(name);
    let is_sent = args.iter().any(is_far);
    names.find(|name| {
        DELETING.contains(&name.as_str()) || is_sent && MIRRORING.contains(&name.as_str())
    })
}

/// Whether a word is a verb that takes away; with the noun that it is made of besides:
/// `apps:destroy`, `delete-bucket`, `DeleteInstance`.
pub(super) fn verb_in(word: &str) -> Option<Option<&str>> {
    if VERBS.contains(&word) {
        return Some(None);
    }
    for sign in [':', '-', '.'] {
        if let Some((first, second)) = word.rsplit_once(sign) {
            if VERBS.contains(&second) {
                return Some(Some(first));
            }
            if VERBS.contains(&first) {
                return Some(Some(second));
            }
        }
    }
    let camel = ["Delete", "Terminate", "Destroy", "Remove"];
    let noun = camel.iter().find_map(|verb| word.strip_prefix(verb))?;
    let starts_upper = noun.starts_with(|c: char| c.is_ascii_uppercase());
    starts_upper.then_some(Some(noun))
}

fn is_noun(word: &str) -> bool {
    is_one_of(word, NOUNS)
}

/// Whether a word, or the last part of it, is one of these in the singular or the plural.
fn is_one_of(word: &str, known: &[&str]) -> bool {
    let word = word.to_lowercase();
    let last = word.rsplit(['-', ':', '_']).next().unwrap_or_default();
    let single = last
        .strip_suffix("ies")
        .map(|stem| format!("{stem}y"))
        .or_else(|| last.strip_suffix('s').map(str::to_owned));
    known.contains(&last) || single.is_some_and(|single| known.contains(&single.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn what(line: &str) -> Option<String> {
        let mut words = line.split_whitespace();
        let program = words.next().unwrap_or_default();
        let args: Vec<Arg> = words.map(Arg::literal).collect();
        taken(
            program,
            &args,
            super::super::services::own_verbs(program),
            false,
        )
    }

    #[test]
    fn deletes_are_known_by_verb_and_noun() {
        for line in [
            "vultr-cli instance delete 4c9e",
            "anycloud servers remove x",
            "anycloud delete database x",
            "anycloud apps:destroy x",
            "anycloud DeleteInstance --id x",
            "virsh undefine vm",
            "restic -r /srv/r forget latest",
            "minikube delete",
            "minikube delete -p nightly",
            "crane delete registry.example/api:1",
            "azd down --purge",
            "anybase destroy",
            "anybase destroy everything --yes",
            "anybase destroy everything",
            "anycli page delete 15",
            "anycli page:delete 15",
            "anysim delete iPhone-15",
            "anymail batch delete 18f1 18f2",
            "anysheets table clear 14Jn 30 --force",
            "anycli db reset",
            "anypod remove pod 4x9k",
            "anysync out ftp://host.example/www --delete",
            "anystore --drop-all",
            "anycli entities push --yes",
            "anycli agent rm reviewer --force",
            "anypipe init-db --force",
            "anypipe db:setup --drop",
            "anypipe init database --reset",
            "wal-g delete everything FORCE --confirm",
        ] {
            assert!(what(line).is_some(), "{line}");
        }
        for line in [
            "vultr-cli instance list",
            "vultr-cli instance delete --help",
            "anycli cache delete",
            "anycli remove button",
            "scw help instance server delete",
            "kamal app logs",
            "anycli list deleted apps",
            "claude mcp remove files",
            "crane manifest alpine",
            "anytool cache purge --force",
            "hf cache delete --yes",
            "huggingface-cli delete-cache",
            "minikube cache delete alpine",
            "anytool add purge --force-color",
            "anytool add delete button",
            "anytool label delete 5",
            "todo delete 5",
            "anytool delete",
            "anytool run delete x",
            "anytool clear",
            "anytool form reset",
            "anysync out ftp://localhost/www --delete",
            "anysync out www --delete",
            "anystore --drop-all=false",
            "anycli entities push",
            "anycli push --force",
            "anycli agent rm reviewer",
            "anycli component rm Button --force",
            "anypipe init-db",
            "anypipe init --force",
            "anypipe init project --force",
            "anypipe create table x --force",
        ] {
            assert_eq!(what(line), None, "{line}");
        }
    }
}
