//! Where a text comes from that a program runs without spelling it out: names in the program that
//! fetch, and names that decode.

use super::tokens::Token;
use model::{Flag, Flags};

/// Last parts of names that get something from the network.
const FETCHING: &[&str] = &[
    "urlopen",
    "urlretrieve",
    "requests.get",
    "requests.post",
    "httpx.get",
    "fetch",
    "https.get",
    "http.get",
    "axios.get",
    "open-uri",
    "URI.open",
    "Net.HTTP.get",
    "LWP.Simple",
    "recv",
];

/// Last parts of names that make readable what was not.
const DECODING: &[&str] = &[
    "b16decode",
    "b32decode",
    "b64decode",
    "b85decode",
    "a85decode",
    "decode64",
    "decode_base64",
    "base64_decode",
    "str_rot13",
    "gzinflate",
    "atob",
    "unhexlify",
    "fromhex",
    "decompress",
    "codecs.decode",
    "Buffer.from",
];

/// What the names among these tokens say about a text that is made of them.
pub(super) fn origin(tokens: &[Token]) -> Flags {
    let has = |known: &[&str]| {
        tokens.iter().any(|token| match token {
            Token::Name(name) => known.iter().any(|end| is_or_ends(name, end)),
            _ => false,
        })
    };
    Flags::NONE
        .with_if(Flag::Downloaded, has(FETCHING))
        .with_if(Flag::Decoded, has(DECODING))
}

fn is_or_ends(name: &str, end: &str) -> bool {
    let rest = name.strip_suffix(end);
    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Names that open a connection.
const CONNECTING: &[&str] = &[
    "connect",
    "create_connection",
    "createConnection",
    "fsockopen",
    "net.Socket",
    "TCPSocket.new",
    "TCPSocket.open",
];

/// Shells as programs are told to start them.
const SHELLS: &[&str] = &["/bin/bash", "/bin/sh", "/bin/zsh", "bash", "cmd.exe", "sh"];

/// Whether a program connects to somewhere and starts a bare shell: who is there types into it.
pub(super) fn gives_shell(tokens: &[Token]) -> bool {
    let connects = tokens.iter().any(|token| match token {
        Token::Name(name) => CONNECTING.iter().any(|end| is_or_ends(name, end)),
        _ => false,
    });
    let is_shell = |token: &Token| match token {
        Token::Text(text) => SHELLS.contains(&text.trim_end_matches(" -i")),
        _ => false,
    };
    connects && tokens.iter().any(is_shell)
}

/// Last parts of names of calls that send a statement to a database.
const STATEMENTS: &[&str] = &[
    "exec",
    "execute",
    "executemany",
    "executescript",
    "query",
    "raw",
    "run",
    "unsafe",
];

/// Texts that are given to calls which send statements to a database.
pub(super) fn statements(tokens: &[Token]) -> impl Iterator<Item = String> {
    tokens.windows(3).filter_map(|place| match place {
        [Token::Name(name), Token::Sign('('), text] => {
            let sends = STATEMENTS.iter().any(|end| is_or_ends(name, end));
            text.text().filter(|_| sends)
        }
        _ => None,
    })
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
pub(super) fn is_scratch(tokens: &[Token]) -> bool {
    let mut opened = tokens.windows(3).filter_map(|place| match place {
        [Token::Name(name), Token::Sign('('), text]
            if OPENING.iter().any(|end| is_or_ends(name, end)) =>
        {
            Some(text.text().unwrap_or_default())
        }
        _ => None,
    });
    let is_memory = |text: &str| {
        text.contains(":memory:") || text.contains("mode=memory") || text == "sqlite://"
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

/// Words that repeat what follows.
const LOOPS: &[&str] = &["each", "for", "forEach", "map", "while"];

/// Whether a program deletes one record after another through an address.
pub(super) fn deletes_records(tokens: &[Token]) -> bool {
    let has = |known: &[&str]| {
        tokens.iter().any(|token| match token {
            Token::Name(name) => known.iter().any(|end| is_or_ends(name, end)),
            _ => false,
        })
    };
    has(DELETING) && has(LOOPS)
}
