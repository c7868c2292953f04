//! Commands that show the names or the number of settings in a file and none of their values:
//! `cut -d= -f1`, `grep -oE '^[A-Z_]+'`, `sed 's/=.*/=***/'`, `awk -F= '{print $1}'`, `jq keys`.

use crate::options::{Options, Spec, flag, value};
use crate::{Arg, Invocation};

const CUT: Spec = Spec::gnu(&[
    value("delimiter d"),
    value("fields f"),
    value("bytes b"),
    value("characters c"),
    value("output-delimiter"),
    flag("complement"),
    flag("only-delimited s n z zero-terminated"),
]);

/// What `sed` replaces where it hides every value.
const VALUES: &[&str] = &[
    "=.*", "=.*$", "=.+", "=.+$", "=.\\+", "=.\\+$", "=[^ ]*", "=\\S*",
];

/// Whether nothing of the values in a file of settings is printed.
pub(crate) fn hides_values(invocation: &Invocation) -> bool {
    let words: Vec<&str> = invocation
        .args
        .iter()
        .map(|arg| arg.text.as_str())
        .collect();
    match invocation.program.as_str() {
        "cut" => cuts(&invocation.args),
        "grep" | "egrep" | "rg" | "ggrep" => finds_names(&words),
        "sed" | "gsed" => replaces(&words),
        "awk" | "gawk" | "mawk" => prints_first(&words),
        "jq" => invocation.args.iter().all(Arg::is_known) && asks_for_keys(&invocation.args),
        _ => false,
    }
}

/// The value of an option, attached or behind it.
fn value_of<'w>(words: &[&'w str], letter: &str) -> Option<&'w str> {
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.strip_prefix(letter) {
            Some("") => return rest.next().copied(),
            Some(value) => return Some(value),
            None => {}
        }
    }
    None
}

/// `cut -d= -f1`, in any spelling.
fn cuts(args: &[Arg]) -> bool {
    cuts_at("=", args)
}

/// `cut -d: -f1`: what stands before the first of these signs.
fn cuts_at(sign: &str, args: &[Arg]) -> bool {
    let read = Options::read(args, &CUT);
    let text = |name| read.value(name).map(|arg| arg.text.as_str());
    let takes_names = text("delimiter") == Some(sign) && matches!(text("fields"), Some("1" | "-1"));
    takes_names && !read.has_any(&["complement", "bytes", "characters"])
}

/// Whether only names are taken from a list whose names end with colons.
pub(crate) fn hides_listed(invocation: &Invocation) -> bool {
    invocation.program == "cut" && cuts_at(":", &invocation.args)
}

/// A pattern that ends before the value, of which only what matches is shown.
fn finds_names(words: &[&str]) -> bool {
    let is_option = |word: &&&str| word.starts_with('-') && word.len() > 1;
    let letters = words.iter().filter(is_option).flat_map(|word| word.chars());
    let shows_match = letters.clone().any(|letter| letter == 'o');
    if words.iter().filter(|word| **word == "-e").count() > 1 {
        return false;
    }
    let pattern = words.iter().find(|word| !word.starts_with('-'));
    let Some(rest) = pattern.and_then(|pattern| pattern.strip_prefix('^')) else {
        return false;
    };
    let rest = rest.trim_start_matches("export ");
    let name = |letter: char| letter.is_ascii_alphanumeric() || "_-[]+*\\()?".contains(letter);
    let rest = match rest.strip_prefix("[^=") {
        Some(rest) => rest.trim_start_matches([']', '+', '*', '\\']),
        None => rest.trim_start_matches(name),
    };
    shows_match && matches!(rest, "" | "=")
}

fn replaces(words: &[&str]) -> bool {
    let mut scripts = words.iter().filter(|word| !word.starts_with('-'));
    let Some(script) = scripts.next() else {
        return false;
    };
    let mut letters = script.chars();
    let (Some('s'), Some(mark)) = (letters.next(), letters.next()) else {
        return false;
    };
    let parts: Vec<&str> = letters.as_str().split(mark).collect();
    let [pattern, put, flags] = parts.as_slice() else {
        return false;
    };
    let is_plain = !put.contains(['&', '\\']) && matches!(*flags, "" | "g");
    let only_prints = !words
        .iter()
        .any(|word| word.starts_with("-n") || word.starts_with("-i"));
    is_plain && only_prints && VALUES.contains(pattern)
}

fn prints_first(words: &[&str]) -> bool {
    let mut rest = words.iter().skip_while(|word| word.starts_with("-F"));
    let program = match words {
        ["-F", _, ..] => words.get(2),
        _ => rest.next(),
    };
    let program: String = program
        .into_iter()
        .flat_map(|word| word.split_whitespace())
        .collect();
    let by_equals = matches!(value_of(words, "-F"), Some("=" | "[=]"));
    by_equals
        && matches!(
            program.as_str(),
            "{print$1}" | "NF{print$1}" | "/=/{print$1}" | "/^[A-Z]/{print$1}"
        )
}

/// `jq keys`.
fn asks_for_keys(args: &[Arg]) -> bool {
    let words = args.iter().map(|arg| arg.text.as_str());
    let (options, rest): (Vec<&str>, Vec<&str>) = words.partition(|word| word.starts_with('-'));
    let is_form = |word: &&str| {
        let letters = word.strip_prefix('-').unwrap_or_default();
        letters.chars().all(|letter| "rcSMC".contains(letter))
    };
    let keys = [
        "keys",
        "keys[]",
        "keys_unsorted",
        "keys_unsorted[]",
        "length",
    ];
    options.iter().all(is_form) && rest.first().is_some_and(|word| keys.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Fixture;

    #[test]
    fn names_are_no_values() {
        let hides = |line: &[&str]| {
            let (program, args) = line.split_first().unwrap();
            hides_values(&Invocation {
                program: (*program).to_owned(),
                args: args.iter().map(|word| Arg::literal(*word)).collect(),
                ..Invocation::default()
            })
        };
        for line in [
            &["cut", "-d=", "-f1", ".env"][..],
            &["cut", "-d", "=", "-f", "1", ".env"],
            &["grep", "-oE", "^[A-Z_]+", ".env"],
            &["grep", "-o", "^[A-Z_]*=", ".env"],
            &["grep", "-oE", "^[^=]+", ".env"],
            &["sed", "s/=.*/=***/", ".env"],
            &["sed", "-E", "s/=.+$/=x/", ".env"],
            &["awk", "-F=", "{print $1}", ".env"],
            &["awk", "-F", "=", "{ print $1 }", ".env"],
        ] {
            assert!(hides(line), "{line:?}");
        }
        for line in [
            &["cut", "-d=", "-f2", ".env"][..],
            &["cut", "-d=", "-f1-", ".env"],
            &["cut", "-c1-9", ".env"],
            &["grep", "-E", "^[A-Z_]+", ".env"],
            &["grep", "-oE", "^[A-Z_]+=.*", ".env"],
            &["grep", "-o", "SECRET=.*", ".env"],
            &["sed", "s/^A/B/", ".env"],
            &["sed", "s/=.*/&/", ".env"],
            &["sed", "-n", "s/=.*/x/p", ".env"],
            &["awk", "-F=", "{print $2}", ".env"],
            &["awk", "{print $1}", ".env"],
            &["cat", ".env"],
        ] {
            assert!(!hides(line), "{line:?}");
        }
    }

    /// Whether the values of a file of secrets are read.
    fn reads(command: &str) -> bool {
        let world = Fixture::new().file(".env", "A=1\n").file("a.json", "{}");
        let actions = world.read(command).actions;
        let mut names = actions.iter().map(|action| action.name.as_str());
        names.any(|name| name.ends_with("/.env") || name.ends_with("/a.json"))
    }

    #[test]
    fn names_alone_are_no_reading() {
        for command in [
            "cut -d= -f1 .env",
            "cut -sd= -f1 .env",
            "cut -s -d= -f1 .env",
            "cut -d '=' -f 1 .env",
            "cut --delimiter== --fields=1 .env",
            "grep -oE '^[A-Z_]+' .env",
            "grep -E -o '^[A-Za-z0-9_]+=' .env",
            "grep -o '^[^=]*' .env",
            "jq keys a.json",
            "jq -r 'keys[]' a.json",
        ] {
            assert!(!reads(command), "{command}");
        }
    }

    #[test]
    fn what_shows_a_value_is_one() {
        for command in [
            "cut -d= -f2 .env",
            "cut -d= -f1,2 .env",
            "cut -d= -f1- .env",
            "cut -d= --complement -f1 .env",
            "cut -d: -f1 .env",
            "cut -c1-80 .env",
            "cut -f1 .env",
            "grep -oE '^[A-Z_]+.*' .env",
            "grep -oE '[A-Z_]+' .env",
            "grep -E '^[A-Z_]+' .env",
            "grep -oE '^[A-Z_]+=.*' .env",
            "grep -oE '^[A-Z=]+' .env",
            "grep -oE -e '^[A-Z_]+' -e '.*' .env",
            "jq . a.json",
            "jq '.keys' a.json",
            "jq --arg keys x keys a.json",
        ] {
            assert!(reads(command), "{command}");
        }
    }
}
