//! Secrets in text, replaced by typed placeholders before the text is written down.
//!
//! Shapes of well-known tokens, private keys, and values that are called a secret. It errs on the
//! side of replacing. Knows no files and no records.

/// A token that is known by how it begins.
struct Shape {
    kind: &'static str,
    begins: &'static str,
    /// Characters after the beginning, at least.
    length_min: usize,
    /// What it may hold besides letters and digits.
    also: &'static str,
}

const fn shape(
    kind: &'static str,
    begins: &'static str,
    length_min: usize,
    also: &'static str,
) -> Shape {
    Shape {
        kind,
        begins,
        length_min,
        also,
    }
}

const SHAPES: &[Shape] = &[
    shape("aws", "AKIA", 16, ""),
    shape("aws", "ASIA", 16, ""),
    shape("github", "ghp_", 16, ""),
    shape("github", "gho_", 16, ""),
    shape("github", "ghu_", 16, ""),
    shape("github", "ghs_", 16, ""),
    shape("github", "ghr_", 16, ""),
    shape("github", "github_pat_", 16, "_"),
    shape("gitlab", "glpat-", 16, "-_"),
    shape("key", "sk-", 16, "-_"),
    shape("stripe", "sk_live_", 16, ""),
    shape("stripe", "rk_live_", 16, ""),
    shape("slack", "xoxa-", 10, "-"),
    shape("slack", "xoxb-", 10, "-"),
    shape("slack", "xoxp-", 10, "-"),
    shape("slack", "xoxr-", 10, "-"),
    shape("slack", "xoxs-", 10, "-"),
    shape("google", "AIza", 30, "-_"),
    shape("npm", "npm_", 30, ""),
    shape("jwt", "eyJ", 20, "-_.="),
];

/// What shapes begin with: nearly every word is let go at its first letter.
const SHAPES_BEGIN: &[u8] = b"Aegnrsx";

/// Words that call what follows them a secret: after `=` or `:`, or after an option's space.
const NAMES: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "access_key",
    "access-key",
    "secret_key",
    "secret-key",
    "private_key",
    "private-key",
    "credential",
    "credentials",
];

/// What those words end with, in either case.
const NAMES_END: &str = "deglnsytDEGLNSYT";

/// Words before a secret in a header.
const SCHEMES: &[&str] = &["bearer ", "basic "];

/// What those words begin with, in either case.
const SCHEMES_BEGIN: &[u8] = b"bB";

const KEY_BEGINS: &str = "-----BEGIN ";
const KEY_NAME: &str = "PRIVATE KEY-----";
const KEY_ENDS: &str = "-----END ";

/// Replaces secrets; the same secret gets the same number as long as the value lives.
#[derive(Debug, Default)]
pub struct Redactor {
    known: Vec<(&'static str, String)>,
}

impl Redactor {
    /// The text with every secret replaced by `<secret:kind#number>`.
    pub fn text(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for (at, byte) in announced(text) {
            if at < from {
                continue;
            }
            let Some(found) = find(text, at, char::from(byte)) else {
                continue;
            };
            out.push_str(text.get(from..found.start).unwrap_or_default());
            let secret = text.get(found.start..found.end).unwrap_or_default();
            out.push_str(&self.placeholder(found.kind, secret));
            from = found.end;
        }
        out.push_str(text.get(from..).unwrap_or_default());
        out
    }

    /// The words of a command, with every secret replaced; an option may name the next word one.
    pub fn words(&mut self, words: &[String]) -> Vec<String> {
        let mut before = "";
        let mut cleaned = Vec::with_capacity(words.len());
        for word in words {
            let pair = || format!("{before} {word}");
            let is_named = before.starts_with('-') && find(&pair(), before.len(), ' ').is_some();
            cleaned.push(if is_named {
                self.placeholder("value", word)
            } else {
                self.text(word)
            });
            before = word;
        }
        cleaned
    }

    fn placeholder(&mut self, kind: &'static str, secret: &str) -> String {
        let is_same = |(known, value): &(&str, String)| *known == kind && value == secret;
        let at = self.known.iter().position(is_same).unwrap_or_else(|| {
            self.known.push((kind, secret.to_owned()));
            self.known.len() - 1
        });
        let number = self
            .known
            .iter()
            .take(at + 1)
            .filter(|(known, _)| *known == kind)
            .count();
        format!("<secret:{kind}#{number}>")
    }
}

/// Fewest different characters of a token that is no example.
const VARIED_MIN: usize = 8;

/// Whether a token of a known shape or a private key stands in a text, no example of one.
#[must_use]
pub fn holds_token(text: &str) -> bool {
    announced(text).any(|(at, byte)| {
        let found = text.get(at..).and_then(|rest| match byte {
            b'-' => private_key(rest, at),
            letter if letter.is_ascii_alphabetic() => shaped(rest, at),
            _ => None,
        });
        let token = found.and_then(|found| text.get(found.start..found.end));
        token.is_some_and(is_varied)
    })
}

fn is_varied(token: &str) -> bool {
    let kinds: std::collections::BTreeSet<u8> = token.bytes().collect();
    let is_key = token.starts_with(KEY_BEGINS);
    is_key || kinds.len() >= VARIED_MIN && token.bytes().any(|byte| byte.is_ascii_digit())
}

/// Where a secret is.
struct Found {
    kind: &'static str,
    start: usize,
    end: usize,
}

impl Found {
    /// The secret at `start`, `length` bytes long.
    fn new(kind: &'static str, start: usize, length: usize) -> Self {
        Self {
            kind,
            start,
            end: start + length,
        }
    }
}

/// The places in a text at which a secret may begin. What announces one is ASCII, which is no part
/// of another character.
fn announced(text: &str) -> impl Iterator<Item = (usize, u8)> {
    let mut before = b' ';
    text.bytes().enumerate().filter(move |(_, byte)| {
        let may_be = announces(before, *byte);
        before = *byte;
        may_be
    })
}

/// Whether a secret may begin at a character after another one: a word, or what follows a name.
fn announces(before: u8, byte: u8) -> bool {
    match byte {
        b'-' | b':' | b'=' | b' ' => true,
        letter => letter.is_ascii_alphabetic() && !before.is_ascii_alphanumeric(),
    }
}

/// The secret that `character`, which stands at `at`, announces.
fn find(text: &str, at: usize, character: char) -> Option<Found> {
    let (before, rest) = text.split_at_checked(at)?;
    match character {
        '-' => private_key(rest, at),
        ':' => login(rest, at).or_else(|| named(before, rest, at)),
        '=' | ' ' => named(before, rest, at),
        _ if before.ends_with(|c: char| c.is_ascii_alphanumeric()) => None,
        letter if letter.is_ascii_alphabetic() => shaped(rest, at).or_else(|| scheme(rest, at)),
        _ => None,
    }
}

/// A token of a known shape.
fn shaped(rest: &str, at: usize) -> Option<Found> {
    let first = rest.as_bytes().first()?;
    if !SHAPES_BEGIN.contains(first) {
        return None;
    }
    SHAPES.iter().find_map(|shape| {
        let tail = rest.strip_prefix(shape.begins)?;
        let part_of = |c: char| c.is_ascii_alphanumeric() || shape.also.contains(c);
        let length = tail.find(|c| !part_of(c)).unwrap_or(tail.len());
        let found = Found::new(shape.kind, at, shape.begins.len() + length);
        (length >= shape.length_min).then_some(found)
    })
}

/// A private key, to its end mark or to the end of the text.
fn private_key(rest: &str, at: usize) -> Option<Found> {
    let (label, _) = rest.strip_prefix(KEY_BEGINS)?.split_once(KEY_NAME)?;
    if label.contains('-') {
        return None;
    }
    let length = rest.find(KEY_ENDS).map_or(rest.len(), |end| {
        let tail = rest.get(end + KEY_ENDS.len()..).unwrap_or_default();
        let closing = tail.find("-----").map_or(tail.len(), |dashes| dashes + 5);
        end + KEY_ENDS.len() + closing
    });
    Some(Found::new("private-key", at, length))
}

/// `://user:password@`.
fn login(rest: &str, at: usize) -> Option<Found> {
    let address = rest.strip_prefix("://")?;
    let (authority, _) = address
        .split_once(['/', ' ', '"', '\''])
        .unwrap_or((address, ""));
    let (login, _) = authority.rsplit_once('@')?;
    let (user, password) = login.split_once(':')?;
    let start = at + 3 + user.len() + 1;
    is_value(password).then_some(Found::new("password", start, password.len()))
}

/// `Bearer …`, `Basic …`.
fn scheme(rest: &str, at: usize) -> Option<Found> {
    if !SCHEMES_BEGIN.contains(rest.as_bytes().first()?) {
        return None;
    }
    let begins = |name: &&&str| {
        rest.get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    let name = SCHEMES.iter().find(begins)?;
    let value = value_of(rest.get(name.len()..)?);
    // "basic auth" is prose; credentials are longer.
    let long_enough = value.len() >= 12 && is_value(value);
    long_enough.then_some(Found::new("header", at + name.len(), value.len()))
}

/// `password=…`, `"token": "…"`, `--password …`; `rest` begins with the sign or the space.
fn named(before: &str, rest: &str, at: usize) -> Option<Found> {
    let name = before.trim_end_matches(['"', '\'']);
    if !name.ends_with(|last: char| NAMES_END.contains(last)) {
        return None;
    }
    let word = || name.rsplit(char::is_whitespace).next().unwrap_or(name);
    if rest.starts_with(' ') && !word().starts_with('-') {
        return None;
    }
    let ends = |known: &&&str| {
        let start = name.len().checked_sub(known.len());
        start
            .and_then(|start| name.get(start..))
            .is_some_and(|n| n.eq_ignore_ascii_case(known))
    };
    NAMES.iter().find(ends)?;
    let tail = rest.trim_start_matches(['=', ':', ' ', '"', '\'']);
    let value = value_of(tail);
    let start = at + rest.len() - tail.len();
    is_value(value).then_some(Found::new("value", start, value.len()))
}

/// The text up to where a value ends.
fn value_of(text: &str) -> &str {
    let is_end = |c: char| c.is_whitespace() || "\"'`&;,|<>(){}".contains(c);
    text.split(is_end).next().unwrap_or_default()
}

/// Whether it is a value, not a variable, an option or nothing.
fn is_value(value: &str) -> bool {
    !value.is_empty() && !value.starts_with(['$', '%', '-', '/'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(Redactor::default().text(text), expected, "in {text:?}");
    }

    /// `begins` and enough letters to make it a token. Built here so that no file holds one.
    fn token(begins: &str) -> String {
        format!("{begins}{}", "A1b2C3d4E5f6G7h8".repeat(2))
    }

    #[test]
    fn first_and_last_letters_are_those_of_the_tables() {
        for shape in SHAPES {
            assert!(
                SHAPES_BEGIN.contains(&shape.begins.as_bytes()[0]),
                "{}",
                shape.begins
            );
        }
        for scheme in SCHEMES {
            let first = scheme.as_bytes()[0];
            assert!(SCHEMES_BEGIN.contains(&first), "{scheme}");
            assert!(
                SCHEMES_BEGIN.contains(&first.to_ascii_uppercase()),
                "{scheme}"
            );
        }
        for name in NAMES {
            assert!(
                name.ends_with(|last: char| NAMES_END.contains(last)),
                "{name}"
            );
            let name = name.to_uppercase();
            assert!(
                name.ends_with(|last: char| NAMES_END.contains(last)),
                "{name}"
            );
        }
    }

    #[test]
    fn tokens_are_replaced_by_their_kind() {
        for shape in SHAPES {
            let token = token(shape.begins);
            let kind = shape.kind;
            check(
                &format!("curl -u {token} x"),
                &format!("curl -u <secret:{kind}#1> x"),
            );
            check(&format!("A={token}"), &format!("A=<secret:{kind}#1>"));
            check(&format!("x{token}"), &format!("x{token}"));
        }
    }

    #[test]
    fn values_that_are_called_secrets_are_replaced() {
        check(
            "mysql --password=hunter2 db",
            "mysql --password=<secret:value#1> db",
        );
        check(
            "login --password hunter2 db",
            "login --password <secret:value#1> db",
        );
        check(
            "DB_PASSWORD='hunter2' run",
            "DB_PASSWORD='<secret:value#1>' run",
        );
        check(r#"{"token": "abc"}"#, r#"{"token": "<secret:value#1>"}"#);
        check("?token=abc&x=1", "?token=<secret:value#1>&x=1");
        check(
            "git clone https://me:pw@host/x",
            "git clone https://me:<secret:password#1>@host/x",
        );
        check(
            "curl -H 'Authorization: Bearer abcdefghijklmnop'",
            "curl -H 'Authorization: Bearer <secret:header#1>'",
        );
    }

    #[test]
    fn private_keys_are_replaced_whole() {
        let (begin, end) = (
            format!("{KEY_BEGINS}RSA {KEY_NAME}"),
            format!("{KEY_ENDS}RSA {KEY_NAME}"),
        );
        check(
            &format!("a {begin}\nxx\n{end} b"),
            "a <secret:private-key#1> b",
        );
        check(&format!("a {begin} xx yy"), "a <secret:private-key#1>");
        check(
            "-----BEGIN CERTIFICATE----- xx",
            "-----BEGIN CERTIFICATE----- xx",
        );
    }

    #[test]
    fn the_same_secret_has_the_same_number() {
        let mut redactor = Redactor::default();
        assert_eq!(
            redactor.text("pwd=a pwd=b"),
            "pwd=<secret:value#1> pwd=<secret:value#2>"
        );
        assert_eq!(redactor.text("pwd=b"), "pwd=<secret:value#2>");
        assert_eq!(redactor.text(&token("ghp_")), "<secret:github#1>");
    }

    #[test]
    fn an_option_names_the_next_word() {
        let words = ["login", "--password", "two words", "-x", "pwd=a"].map(str::to_owned);
        let expected = [
            "login",
            "--password",
            "<secret:value#1>",
            "-x",
            "pwd=<secret:value#2>",
        ];
        assert_eq!(Redactor::default().words(&words), expected);
    }

    #[test]
    fn what_holds_no_secret_stays() {
        for text in [
            "git commit -m 'basic auth works'",
            "echo $TOKEN --token=$TOKEN --password \"$PW\"",
            "grep -rn password src/",
            "cat token.txt && cd secrets/",
            "pip install sk-learn",
            "é password",
            "",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn tokens_are_told_from_examples() {
        assert!(holds_token("use sk_live_0a1b2c3d4e5f6a7b8c9d now"));
        assert!(holds_token(
            "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----"
        ));
        for text in [
            "ghp_xxxxxxxxxxxxxxxxxxxx",
            "token: abc",
            "sk-circle-fade-dot-bounce",
        ] {
            assert!(!holds_token(text), "{text}");
        }
    }
}
