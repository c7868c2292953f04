//! Commands that show the names or the number of settings in a file and none of their values:
//! `cut -d= -f1`, `grep -oE '^[A-Z_]+'`, `sed 's/=.*/=***/'`, `awk -F= '{print $1}'`.

use crate::Invocation;

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
        "cut" => cuts(&words),
        "grep" | "egrep" | "rg" | "ggrep" => finds_names(&words),
        "sed" | "gsed" => replaces(&words),
        "awk" | "gawk" | "mawk" => prints_first(&words),
        _ => false,
    }
}

/// The value of an option, attached or behind it.
fn value<'w>(words: &[&'w str], letter: &str) -> Option<&'w str> {
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

fn cuts(words: &[&str]) -> bool {
    let is_turned = words.iter().any(|word| word.starts_with("--co"));
    !is_turned && value(words, "-d") == Some("=") && matches!(value(words, "-f"), Some("1" | "-1"))
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
    let by_equals = matches!(value(words, "-F"), Some("=" | "[=]"));
    by_equals
        && matches!(
            program.as_str(),
            "{print$1}" | "NF{print$1}" | "/=/{print$1}" | "/^[A-Z]/{print$1}"
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Arg;

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
}
