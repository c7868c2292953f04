//! Where a text comes from that a program runs without spelling it out: names in the program that
//! fetch, and names that decode.

use super::calls::fits;
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
            Token::Name(name) => known.iter().any(|end| fits(name, end)),
            _ => false,
        })
    };
    Flags::NONE
        .with_if(Flag::Downloaded, has(FETCHING))
        .with_if(Flag::Decoded, has(DECODING))
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
        Token::Name(name) => CONNECTING.iter().any(|end| fits(name, end)),
        _ => false,
    });
    let is_shell = |token: &Token| match token {
        Token::Text(text) => SHELLS.contains(&text.trim_end_matches(" -i")),
        _ => false,
    };
    connects && tokens.iter().any(is_shell)
}
