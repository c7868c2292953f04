//! Tools that send a request over HTTP by its method. It is read as the command that would send
//! it. Must not know what is done about it.

use super::arguments::{Argument, plain};
use super::named::ForeignTool;
use model::Verb;

/// Methods of HTTP, in small letters.
const METHODS: &[&str] = &["delete", "get", "head", "options", "patch", "post", "put"];

/// Arguments that name the method.
const METHOD_NAMES: &[&str] = &["method", "httpmethod", "requestmethod", "verb"];

/// Arguments that name the whole address.
const ADDRESSES: &[&str] = &["url", "uri", "endpoint", "address", "requesturl", "apiurl"];

/// Arguments that name its path alone: the host is the server's.
const PATHS: &[&str] = &["path", "endpoint", "route", "uri", "url"];

/// What a request carries.
const BODIES: &[&str] = &["body", "data", "json", "payload", "requestbody"];

/// Words in the names of tools that send what they are told to.
const SENDING: &[&str] = &[
    "api", "call", "curl", "execute", "fetch", "http", "invoke", "proxy", "query", "request",
    "requests", "rest", "send", "url", "web",
];

/// Words that say that nothing is sent: what answers in a server's place, and what is written down.
const WRITTEN_DOWN: &[&str] = &[
    "doc",
    "docs",
    "example",
    "history",
    "intercept",
    "log",
    "mock",
    "preview",
    "route",
    "schema",
    "spec",
    "stub",
    "validate",
];

/// A request that a tool sends.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// The words of the command that would send it.
    Line(Vec<String>),
    /// Something is taken away at a path of the server's own.
    Deletes,
    /// Nothing is taken away there.
    Other,
}

/// The request that a tool sends, if it sends one.
pub(super) fn read(tool: &ForeignTool<'_>) -> Option<Request> {
    let method = method(tool)?;
    let value = |names: &[&str]| {
        let own = tool
            .args
            .iter()
            .find(|own| names.contains(&own.name.as_str()));
        own.map(|own| own.value)
    };
    let address = value(ADDRESSES).filter(|address| is_address(address));
    let Some(address) = address else {
        let ends = |own: &Argument<'_>| PATHS.iter().any(|name| own.name.ends_with(name));
        let is_path = tool.args.iter().any(ends);
        return is_path.then_some(match method.as_str() {
            "delete" => Request::Deletes,
            _ => Request::Other,
        });
    };
    let mut line = vec!["curl".to_owned(), "-X".to_owned(), method.to_uppercase()];
    let is_body = |own: &&Argument<'_>| {
        let first = own.full.split('.').next().map(plain);
        first.is_some_and(|first| BODIES.contains(&first.as_str()))
    };
    for body in tool.args.iter().filter(is_body) {
        line.extend(["--data-raw".to_owned(), body.value.to_owned()]);
    }
    line.extend(["--".to_owned(), address.to_owned()]);
    Some(Request::Line(line))
}

/// The method, as an argument says it beside a name that sends, or as the whole name does.
fn method(tool: &ForeignTool<'_>) -> Option<String> {
    let is = |words: &[&str], word: &String| words.contains(&word.as_str());
    if tool.words.iter().any(|word| is(WRITTEN_DOWN, word)) {
        return None;
    }
    let of = |own: &&Argument<'_>| METHOD_NAMES.contains(&own.name.as_str());
    let said = tool
        .args
        .iter()
        .find(of)
        .map(|own| own.value.to_lowercase());
    let said = said.filter(|said| METHODS.contains(&said.as_str()));
    let sends = tool.words.iter().any(|word| is(SENDING, word));
    // `create_request` writes one down.
    if said.is_some() && sends && tool.verb() != Some(Verb::Write) {
        return said;
    }
    let mut others = tool.words.iter().filter(|word| !is(METHODS, word));
    let named = tool.words.iter().find(|word| is(METHODS, word));
    let is_whole = others.all(|word| is(SENDING, word) || tool.server.contains(word));
    let has_address = tool.value("url").is_some_and(is_address);
    named.filter(|_| is_whole && has_address).cloned()
}

fn is_address(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}
