//! What a program shows of secrets, and deletes at an address. Names in the program, no more.

use super::tokens::{Piece, Token};
use crate::address::is_loopback;
use crate::world::is_secret_variable;

/// Names of calls that print what they are given.
pub(super) const PRINTING: &[&str] = &[
    "IO.puts",
    "STDOUT.puts",
    "cat",
    "console.dir",
    "console.error",
    "console.log",
    "echo",
    "io.write",
    "p",
    "pp",
    "pprint",
    "pprint.pprint",
    "print",
    "printf",
    "println",
    "process.stdout.write",
    "puts",
    "say",
    "sys.stdout.write",
    "var_dump",
];

/// Names of what a file of secrets was loaded into.
pub(super) const LOADED: &[&str] = &["Deno.env", "ENV", "_ENV", "os.environ", "process.env"];

/// Last parts of names of calls that make names, or their number, of what they are given.
const NAMING: &[&str] = &["keys", "len", "list", "size", "sorted"];

/// What of a loaded file of secrets a program prints: the name of a variable, or nothing for all.
/// Everything is printed if `prints_all`.
pub(super) fn shown(tokens: &[Token], prints_all: bool) -> Option<String> {
    let lists_names = |token: &Token| match token {
        Token::Name(name) => NAMING.contains(&last_part(name)),
        _ => false,
    };
    if tokens.iter().any(lists_names) {
        return None;
    }
    let holders = holders(tokens);
    let mut depth = usize::from(prints_all);
    let mut before = "";
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Sign('(') if depth > 0 || PRINTING.contains(&before) => depth += 1,
            Token::Sign(')') => depth = depth.saturating_sub(1),
            Token::Name(_) if is_asked(tokens, at) => {}
            Token::Name(name) if depth > 0 || PRINTING.contains(&before) => {
                if holders.contains(&name.as_str()) || super::calls::fits(name, VALUES) {
                    match tokens.get(at + 1..) {
                        Some([Token::Sign('['), Token::Text(key), ..]) => {
                            return is_secret_variable(key).then(|| key.clone());
                        }
                        _ => return Some(String::new()),
                    }
                }
                let after = tokens.get(at + 1..).unwrap_or_default();
                if let Some(name) = variable(name, after) {
                    let holds_one = name.is_empty() || is_secret_variable(&name);
                    let is_told = holds_one && !tokens.iter().any(only_asks);
                    return is_told.then_some(name);
                }
                let rest = LOADED.iter().find_map(|of| name.strip_prefix(of));
                let member = rest.map(|rest| rest.trim_start_matches('.'));
                if let Some(member) = member
                    && (member.is_empty() || is_secret_variable(member))
                {
                    return Some(member.to_owned());
                }
            }
            Token::Made(pieces) if depth > 0 => {
                if let Some(name) = pieces.iter().find_map(put_in) {
                    return is_secret_variable(&name).then_some(name);
                }
            }
            _ => {}
        }
        before = match token {
            Token::Name(name) => name,
            _ => "",
        };
    }
    None
}

/// Whether a value is only asked about.
fn only_asks(token: &Token) -> bool {
    matches!(token, Token::Name(name) if ASKING.contains(&name.as_str()))
}

/// `!!x`, `x ? 'set' : 'missing'`
fn is_asked(tokens: &[Token], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    before == Some(&Token::Sign('!')) || tokens.get(at + 1) == Some(&Token::Sign('?'))
}

/// The call that gives what a file of secrets holds.
const VALUES: &str = "dotenv_values";

/// Other names of it, and of what it gave: `import dotenv_values as d`, `d = dotenv_values()`.
fn holders(tokens: &[Token]) -> Vec<&str> {
    let named = tokens.windows(3).filter_map(|three| match three {
        [Token::Name(call), Token::Name(by), Token::Name(own)] if call == VALUES && by == "as" => {
            Some(own.as_str())
        }
        [Token::Name(own), Token::Sign('='), Token::Name(call)]
            if super::calls::fits(call, VALUES) =>
        {
            Some(own.as_str())
        }
        _ => None,
    });
    named.collect()
}

/// Names and signs by which a value is only asked about.
const ASKING: &[&str] = &[
    "Boolean", "bool", "if", "in", "is", "not", "typeof", "unless",
];

/// Calls that give what they are given, as a text or as a table.
const AS_TEXT: &[&str] = &[
    "JSON.stringify",
    "Object.entries",
    "String",
    "dict",
    "json.dumps",
    "repr",
    "str",
    "util.inspect",
];

/// Arguments by their names that say how something is shown.
const FORMATS: &[&str] = &["default", "end", "flush", "indent", "sep", "sort_keys"];

/// Ends of names by which the whole environment is given as another table.
const WHOLE: &[&str] = &["", ".copy", ".inspect", ".items", ".toObject", ".to_h"];

/// What a call does with what it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    Prints,
    /// Gives it on, as a group does.
    Gives,
    Takes,
}

/// The variables of the environment that a program prints, each by its own name, all of them by an
/// empty one; of a program that asks what they are like nothing is said.
pub(super) fn printed(tokens: &[Token], prints_all: bool) -> Vec<String> {
    let asks = |token: &Token| match token {
        Token::Name(name) => only_asks(token) || NAMING.contains(&last_part(name)),
        Token::Sign(sign) => matches!(sign, '!' | '?' | '='),
        _ => false,
    };
    let mut found = Vec::new();
    let mut open: Vec<Call> = vec![Call::Prints; usize::from(prints_all)];
    // What is given to the innermost call that is neither a text nor a group.
    let is_shown = |open: &[Call]| {
        let mut calls = open.iter().rev();
        calls.find(|call| **call != Call::Gives) == Some(&Call::Prints)
    };
    let mut before = "";
    let is_format = |at: usize| match at.checked_sub(1).and_then(|at| tokens.get(at)) {
        Some(Token::Name(name)) => FORMATS.contains(&name.as_str()),
        _ => false,
    };
    let mut each = tokens.iter().enumerate();
    if each.any(|(at, token)| asks(token) && !is_format(at)) {
        return found;
    }
    for (at, token) in tokens.iter().enumerate() {
        let prints = PRINTING.contains(&before);
        match token {
            Token::Sign('(') => {
                open.push(match before {
                    _ if prints => Call::Prints,
                    name if name.is_empty() || AS_TEXT.contains(&name) => Call::Gives,
                    _ => Call::Takes,
                });
            }
            Token::Sign(')') => {
                open.pop();
            }
            Token::Name(name) if prints || is_shown(&open) => {
                let after = tokens.get(at + 1..).unwrap_or_default();
                found.extend(variable(name, after));
            }
            Token::Made(pieces) if prints || is_shown(&open) => {
                found.extend(pieces.iter().filter_map(put_in));
            }
            _ => {}
        }
        before = match token {
            Token::Name(name) => name,
            _ => "",
        };
    }
    found
}

/// The variable that is put into a text.
pub(super) fn put_in(piece: &Piece) -> Option<String> {
    let Piece::Code(tokens) = piece else {
        return None;
    };
    match tokens.as_slice() {
        [Token::Name(name), after @ ..] => variable(name, after),
        _ => None,
    }
}

/// The variable that `process.env.X`, `os.environ["X"]` or `os.getenv("X")` gives, whole.
pub(super) fn variable(name: &str, after: &[Token]) -> Option<String> {
    let member = LOADED.iter().find_map(|of| name.strip_prefix(of));
    let reads =
        matches!(last_part(name), "getenv") || matches!(member, Some("" | ".get" | ".fetch"));
    match (member, after) {
        // `$ENV{X}` of Perl.
        (
            Some(""),
            [
                Token::Sign('{'),
                Token::Name(key) | Token::Text(key),
                Token::Sign('}'),
                ..,
            ],
        ) => Some(key.clone()),
        (_, [Token::Sign('[' | '('), Token::Text(key), _, rest @ ..]) if reads => {
            let is_part = matches!(rest.first(), Some(Token::Sign('[' | '.')))
                || matches!(rest.first(), Some(Token::Name(name)) if name.starts_with('.'));
            (!is_part).then(|| key.clone())
        }
        (
            Some(member),
            [Token::Sign('('), Token::Sign(')'), ..] | [Token::Sign(')' | ','), ..] | [],
        ) if WHOLE.contains(&member) => Some(String::new()),
        (Some(member), _) if !matches!(after.first(), Some(Token::Sign('[' | '('))) => {
            member.strip_prefix('.').map(str::to_owned)
        }
        _ => None,
    }
}

/// Last parts of names of calls that open a database.
const OPENING: &[&str] = &[
    "Database",
    "DatabaseSync",
    "SQLite3.Database.new",
    "connect",
    "create_engine",
];

/// Whether every database that a program opens is in memory.
pub(super) fn is_scratch(tokens: &[Token], is_temporary: impl Fn(&str) -> bool) -> bool {
    let mut opened = tokens.windows(3).filter_map(|place| match place {
        [Token::Name(name), Token::Sign('('), text]
            if OPENING.iter().any(|end| super::calls::fits(name, end)) =>
        {
            Some(text.text().unwrap_or_default())
        }
        _ => None,
    });
    let is_memory = |text: &str| {
        text.contains(":memory:")
            || text.contains("mode=memory")
            || text == "sqlite://"
            || is_temporary(text.strip_prefix("sqlite:///").unwrap_or(text))
    };
    let first = opened.next();
    first.is_some_and(|text| is_memory(&text)) && opened.all(|text| is_memory(&text))
}

/// Names of calls that delete a record through an address.
const DELETING: &[&str] = &[
    "axios.delete",
    "httpx.delete",
    "requests.delete",
    "session.delete",
];

/// Names of calls that send a request of any method.
const REQUESTING: &[&str] = &[
    "axios",
    "axios.request",
    "fetch",
    "got",
    "httpx.request",
    "requests.request",
    "session.request",
    "urllib.request.Request",
];

/// Furthest that the method of a request stands from the name of the call, in tokens.
const REQUEST_TOKENS_MAX: usize = 24;

/// The address on another machine at which a program has something deleted.
pub(super) fn deleted_at(tokens: &[Token]) -> Option<String> {
    let calls = tokens.iter().enumerate().filter_map(|(at, token)| {
        let name = token.name()?;
        let rest = tokens.get(at + 1..)?;
        let deletes = super::calls::is_one_of(name, DELETING);
        let requests = super::calls::is_one_of(name, REQUESTING);
        (rest.first() == Some(&Token::Sign('(')) && (deletes || requests))
            .then_some((deletes, rest))
    });
    calls
        .filter_map(|(deletes, rest)| {
            let rest = rest.get(..REQUEST_TOKENS_MAX.min(rest.len()))?;
            let texts: Vec<String> = rest.iter().filter_map(Token::text).collect();
            let is_method = |text: &String| text.eq_ignore_ascii_case("DELETE");
            let address = texts.iter().find(|text| text.contains("://"))?;
            (deletes || texts.iter().any(is_method)).then(|| address.clone())
        })
        .find(|address| !is_loopback(address))
}

/// Words that repeat what follows.
const LOOPS: &[&str] = &["each", "for", "forEach", "map", "while"];

/// Whether a program deletes one record after another through an address.
pub(super) fn deletes_one_by_one(tokens: &[Token]) -> bool {
    let has = |known: &[&str]| {
        let mut names = tokens.iter().filter_map(Token::name);
        names.any(|name| super::calls::is_one_of(name, known))
    };
    has(DELETING) && has(LOOPS)
}

pub(super) fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}
