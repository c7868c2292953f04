//! Keys that the requests of a program carry to hosts whose they are not.

use super::calls::is_one_of;
use super::records::{put_in, variable};
use super::tokens::Token;
use crate::keys::{by_variable, foreign};

/// Names of calls that ask an address.
const ASKING: &[&str] = &[
    "axios",
    "axios.get",
    "axios.patch",
    "axios.post",
    "axios.put",
    "axios.request",
    "fetch",
    "got",
    "got.get",
    "got.post",
    "httpx.get",
    "httpx.post",
    "httpx.put",
    "httpx.request",
    "requests.get",
    "requests.patch",
    "requests.post",
    "requests.put",
    "requests.request",
    "urllib.request.Request",
    "urllib.request.urlopen",
];

/// Clients that may be pointed at other servers, which have keys of their own.
const CLIENTS: &[&str] = &[
    "Anthropic",
    "AsyncAnthropic",
    "AsyncOpenAI",
    "ChatOpenAI",
    "OpenAI",
    "anthropic.Anthropic",
    "openai.AsyncOpenAI",
    "openai.OpenAI",
];

/// Each key that a client is given for a server of another, by the variable that holds it, and the
/// host: its form may say whose it is.
pub(super) fn pointed(tokens: &[Token]) -> Vec<(String, String)> {
    let found = calls(tokens, CLIENTS).filter_map(named);
    found.filter(|(name, _)| !name.is_empty()).collect()
}

/// Each key that a call gives to a host of another, in words.
pub(super) fn given_away(tokens: &[Token]) -> Vec<String> {
    calls(tokens, ASKING).filter_map(astray).collect()
}

/// The arguments of each call of one of these.
fn calls<'t>(
    tokens: &'t [Token],
    names: &'static [&'static str],
) -> impl Iterator<Item = &'t [Token]> {
    tokens.iter().enumerate().filter_map(move |(at, token)| {
        let is_call = token.name().is_some_and(|name| is_one_of(name, names));
        let rest = tokens.get(at + 1..).filter(|_| is_call)?;
        (rest.first() == Some(&Token::Sign('('))).then(|| arguments(rest))
    })
}

/// What stands between the brackets that open here.
fn arguments(tokens: &[Token]) -> &[Token] {
    let mut depth = 0_usize;
    let end = tokens.iter().position(|token| {
        match token {
            Token::Sign('(') => depth += 1,
            Token::Sign(')') => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    tokens
        .get(..end.unwrap_or(tokens.len()))
        .unwrap_or_default()
}

fn astray(arguments: &[Token]) -> Option<String> {
    Some(match named(arguments)? {
        (name, host) if name.is_empty() => format!("the environment to {host}"),
        (name, host) => format!("${name} to {host}"),
    })
}

/// The variable of a service's key among the arguments of a call, and the host of another.
fn named(arguments: &[Token]) -> Option<(String, String)> {
    let texts = arguments.iter().filter_map(Token::text);
    let host = texts.into_iter().find_map(|text| foreign(&text))?;
    let name = arguments.iter().enumerate().find_map(|(at, token)| {
        let names = match token {
            Token::Name(name) => variable(name, arguments.get(at + 1..).unwrap_or_default()),
            Token::Made(pieces) => pieces.iter().find_map(put_in),
            _ => None,
        };
        // All variables of the environment are one without a name.
        names.filter(|name| {
            name.is_empty() || by_variable(name).is_some_and(|service| !service.is_at(&host))
        })
    })?;
    Some((name, host))
}
