//! Commands that print of a file of secrets the names alone, never a value: `cut -d= -f1 .env`,
//! `grep -oE '^[A-Z_]+' .env`, `jq keys credentials.json`.

use crate::{Arg, Invocation};

/// Whether a command prints names without their values.
pub(super) fn are_all(invocation: &Invocation) -> bool {
    let args = &invocation.args;
    args.iter().all(Arg::is_known)
        && match invocation.program.as_str() {
            "cut" => cuts_before_the_sign(args),
            "grep" | "egrep" => matches_names(args),
            "jq" => asks_for_keys(args),
            _ => false,
        }
}

/// `cut -d= -f1`, in any spelling.
fn cuts_before_the_sign(args: &[Arg]) -> bool {
    let (mut delimiter, mut fields) = (None, None);
    let mut words = args.iter().map(|arg| arg.text.as_str());
    while let Some(word) = words.next() {
        if let Some(value) = word.strip_prefix("--delimiter=") {
            delimiter = Some(value);
        } else if let Some(value) = word.strip_prefix("--fields=") {
            fields = Some(value);
        } else if word.starts_with("--") && word != "--only-delimited" {
            return false;
        } else if let Some(letters) = word.strip_prefix('-').filter(|rest| !rest.is_empty()) {
            let letters = letters.trim_start_matches(['s', 'n', 'z']);
            let kind = letters.get(..1).unwrap_or_default();
            let value = || letters.get(1..).filter(|value| !value.is_empty());
            match kind {
                "d" => delimiter = value().or_else(|| words.next()),
                "f" => fields = value().or_else(|| words.next()),
                "" => {}
                _ => return false,
            }
        }
    }
    delimiter == Some("=") && fields == Some("1")
}

/// `grep -o` with a pattern for a name at the start of a line.
fn matches_names(args: &[Arg]) -> bool {
    let words = args.iter().map(|arg| arg.text.as_str());
    let (options, rest): (Vec<&str>, Vec<&str>) = words.partition(|word| word.starts_with('-'));
    let is_plain = |word: &&str| {
        let letters = word.strip_prefix('-').unwrap_or_default();
        !letters.is_empty() && letters.chars().all(|letter| "oEhHn".contains(letter))
    };
    let only = |word: &&str| word.contains('o');
    let pattern = rest.first().copied().unwrap_or_default();
    options.iter().all(is_plain) && options.iter().any(only) && is_name_pattern(pattern)
}

/// `^[A-Z_]+`, perhaps with the sign behind it.
fn is_name_pattern(pattern: &str) -> bool {
    let pattern = pattern.strip_suffix('=').unwrap_or(pattern);
    let inner = pattern
        .strip_prefix("^[")
        .and_then(|rest| rest.strip_suffix("]+").or_else(|| rest.strip_suffix("]*")));
    let class = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    inner.is_some_and(|inner| !inner.is_empty() && (inner == "^=" || inner.chars().all(class)))
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
    use crate::testing::Fixture;

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
