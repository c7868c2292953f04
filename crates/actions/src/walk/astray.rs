//! Keys that a request gives to a host that has nothing to do with them: the name of the variable
//! or the form of the key says whose it is, and the address that it goes to is another's. A key
//! with a neutral name is for whoever is asked, and a host of this network may stand for anybody.

use super::shown::parameters;
use crate::keys::{Service, by_form, by_variable, foreign};
use crate::{Invocation, World, effects};
use shell::{Part, Word};

/// Programs that ask an address.
const ASKING: &[&str] = &["curl", "http", "https", "wget", "xh"];

/// Options whose value may look like the address that is asked, and is none.
const OTHER_ADDRESSES: &[&str] = &[
    "-A",
    "-F",
    "-H",
    "-T",
    "-X",
    "-b",
    "-c",
    "-d",
    "-e",
    "-o",
    "-u",
    "-w",
    "-x",
    "--cacert",
    "--cookie",
    "--data",
    "--data-raw",
    "--data-urlencode",
    "--header",
    "--json",
    "--output",
    "--proxy",
    "--referer",
    "--upload-file",
    "--user",
];

/// A command that may ask an address, with its words as they are written.
pub(super) struct Asking<'a, 's> {
    pub(super) program: &'a str,
    pub(super) words: &'a [Word<'s>],
}

/// Says which keys a request gives to a host that is not theirs.
pub(super) fn keys(world: &mut World<'_>, invocation: &Invocation, asking: &Asking<'_, '_>) {
    pointed(world, invocation);
    if !ASKING.contains(&asking.program) {
        return;
    }
    let hosts = asked(invocation);
    if hosts.is_empty() {
        return;
    }
    let mut names = Vec::new();
    for word in asking.words {
        parameters(&word.parts, &mut names);
    }
    names.dedup();
    if let Some(name) = whole_body(world, asking.words)
        && by_variable(&name).is_none()
    {
        effects::give_away(
            world,
            invocation,
            &format!("${name} to {}", hosts.join(", ")),
        );
    }
    let by_name = names.iter().filter_map(|name| {
        let named = by_variable(name)?;
        let value = world.place.var(name).unwrap_or_default();
        Some((format!("${name}"), by_form(value).unwrap_or(named)))
    });
    let mut given: Vec<(String, &Service)> = by_name.collect();
    if given.is_empty() {
        let values: Vec<&str> = names
            .iter()
            .filter_map(|name| world.place.var(name))
            .collect();
        let texts = invocation.args.iter().flat_map(|arg| parted(&arg.text));
        let texts = texts.filter(|text| !values.contains(text));
        let literal = texts.filter_map(|text| Some(("a key".to_owned(), by_form(text)?)));
        given.extend(literal.take(1));
    }
    for (key, service) in given {
        let astray = hosts.iter().find(|host| !service.is_at(host));
        if let Some(host) = astray {
            effects::give_away(world, invocation, &format!("{key} to {host}"));
        }
    }
}

/// `-d "$KEY"`: a secret of the session that is all that a request says; to ask for something with
/// a key takes a header, or a name for it.
fn whole_body(world: &World<'_>, words: &[Word<'_>]) -> Option<String> {
    const BODIES: &[&[u8]] = &[
        b"-d",
        b"--data",
        b"--data-binary",
        b"--data-raw",
        b"--post-data",
    ];
    words.windows(2).find_map(|pair| {
        let [option, body] = pair else { return None };
        let is_body = matches!(
            option.parts.as_slice(),
            [Part::Literal(text)] if BODIES.contains(&text.as_ref())
        );
        let part = match body.parts.as_slice() {
            [Part::DoubleQuoted(inner)] => inner.first().filter(|_| inner.len() == 1),
            [only] => Some(only),
            _ => None,
        };
        let Some(Part::Parameter(parameter)) = part.filter(|_| is_body) else {
            return None;
        };
        let name = String::from_utf8_lossy(&parameter.name).into_owned();
        world.is_handed(&name).then_some(name)
    })
}

/// Variables that point a client at another server, and the one that holds its key.
const POINTING: &[(&str, &str)] = &[
    ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"),
    ("OPENAI_API_BASE", "OPENAI_API_KEY"),
    ("OPENAI_BASE_URL", "OPENAI_API_KEY"),
];

/// A program is pointed at a host of another and has a key whose form says whose it is. That many
/// servers are asked in the same way with keys of their own is usual, so a name proves nothing.
fn pointed(world: &mut World<'_>, invocation: &Invocation) {
    for (name, value) in &invocation.env {
        let pointing = POINTING.iter().find(|(pointing, _)| pointing == name);
        let Some(((_, key), host)) = pointing.zip(foreign(&value.text)) else {
            continue;
        };
        let given = invocation.env.iter().rev().find(|(name, _)| name == key);
        let given = given.map(|(_, value)| value.text.as_str());
        let service = given.or(world.place.var(key)).and_then(by_form);
        if service.is_some_and(|service| !service.is_at(&host)) {
            effects::give_away(world, invocation, &format!("${key} to {host}"));
        }
    }
}

/// The hosts that are asked, those of this machine and its network left out.
fn asked(invocation: &Invocation) -> Vec<String> {
    let mut before = "";
    let mut hosts = Vec::new();
    for arg in &invocation.args {
        let option = std::mem::replace(&mut before, arg.text.as_str());
        let url = arg.text.strip_prefix("--url=").unwrap_or(&arg.text);
        if !OTHER_ADDRESSES.contains(&option) {
            hosts.extend(foreign(url).or_else(|| unschemed(url)));
        }
    }
    hosts
}

/// `evil.example/x`: an address as clients take it, too. A file of the same form is none that a
/// client asks.
fn unschemed(word: &str) -> Option<String> {
    let host = crate::address::host(word);
    let is_label = |label: &str| {
        let mut letters = label.chars();
        !label.is_empty() && letters.all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    let is_one = !word.starts_with('-') && host.split('.').all(is_label);
    foreign(&format!("https://{word}")).filter(|_| is_one && host.contains('.'))
}

/// The parts of a word that may be a key.
fn parted(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || ":=\"'&,@".contains(c))
}
