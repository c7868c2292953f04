//! Requests and answers of HTTP/1.1, as far as the proxy speaks it.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use proxy::FRAME_BYTES_MAX;

/// Longest head of a request.
const HEAD_BYTES_MAX: usize = 64 * 1024;
/// Most headers.
const HEADERS_MAX: usize = 100;
/// How much is read at once.
const PART_BYTES: usize = 16 * 1024;
/// Headers that are about one connection, or about what we say ourselves.
const OWN: &[&str] = &[
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "origin",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, Vec<u8>)>,
    pub body: Vec<u8>,
}

/// An answer of our own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status(pub u16, pub &'static str);

impl Status {
    pub const ACCEPTED: Self = Self(202, "Accepted");
    pub const BAD: Self = Self(400, "Bad Request");
    pub const FORBIDDEN: Self = Self(403, "Forbidden");
    pub const NOT_FOUND: Self = Self(404, "Not Found");
    pub const TOO_LARGE: Self = Self(413, "Content Too Large");
    pub const MISDIRECTED: Self = Self(421, "Misdirected Request");
    pub const UPSTREAM: Self = Self(502, "Bad Gateway");

    /// Whether nothing more is read of the connection.
    pub fn ends(self) -> bool {
        self != Self::ACCEPTED
    }

    /// Says it.
    pub fn answer(self, stream: &mut TcpStream) -> io::Result<()> {
        let Self(code, words) = self;
        let close = if self.ends() {
            "Connection: close\r\n"
        } else {
            ""
        };
        let head = format!("HTTP/1.1 {code} {words}\r\n{close}Content-Length: 0\r\n\r\n");
        stream.write_all(head.as_bytes())
    }
}

/// Whether a header goes from one side to the other.
pub fn passes(name: &str) -> bool {
    !OWN.contains(&name.to_ascii_lowercase().as_str())
}

impl Request {
    /// The next request of a connection; nothing if there is none. `held` is what was read of it.
    ///
    /// # Errors
    /// What is answered to a request that cannot be read.
    pub fn read(stream: &mut TcpStream, held: &mut Vec<u8>) -> Result<Option<Self>, Status> {
        let (head, mut request) = loop {
            if let Some(found) = parse(held)? {
                break found;
            }
            if held.len() > HEAD_BYTES_MAX {
                return Err(Status::TOO_LARGE);
            }
            if !more(stream, held) {
                return Ok(None);
            }
        };
        held.drain(..head);
        let encoding = request
            .header("transfer-encoding")
            .map(str::to_ascii_lowercase);
        let lengths = request.headers.iter();
        let lengths = lengths.filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
        let lengths = lengths.count();
        request.body = match encoding.as_deref() {
            Some("chunked") if lengths == 0 => chunks(stream, held)?,
            None if lengths < 2 => {
                let length = request.header("content-length").unwrap_or("0");
                let length: usize = length.trim().parse().map_err(|_| Status::BAD)?;
                take(stream, held, length)?
            }
            // Two ways to say how long it is could be read in two ways.
            _ => return Err(Status::BAD),
        };
        Ok(Some(request))
    }

    /// A header, if it is a text.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.and_then(|(_, value)| std::str::from_utf8(value).ok())
    }

    /// Whether the connection stays open after it.
    pub fn goes_on(&self) -> bool {
        !self
            .header("connection")
            .is_some_and(|word| word.eq_ignore_ascii_case("close"))
    }
}

fn parse(held: &[u8]) -> Result<Option<(usize, Request)>, Status> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
    let mut parsed = httparse::Request::new(&mut headers);
    let status = parsed.parse(held).map_err(|_| Status::BAD)?;
    let httparse::Status::Complete(head) = status else {
        return Ok(None);
    };
    let headers = parsed.headers.iter();
    let headers = headers.map(|header| (header.name.to_owned(), header.value.to_vec()));
    let request = Request {
        method: parsed.method.unwrap_or_default().to_owned(),
        path: parsed.path.unwrap_or_default().to_owned(),
        headers: headers.collect(),
        body: Vec::new(),
    };
    Ok(Some((head, request)))
}

/// Reads some more. Whether there was any.
fn more(stream: &mut TcpStream, held: &mut Vec<u8>) -> bool {
    let before = held.len();
    held.resize(before + PART_BYTES, 0);
    let read = stream.read(held.get_mut(before..).unwrap_or_default());
    let read = read.unwrap_or(0);
    held.truncate(before + read);
    read > 0
}

fn take(stream: &mut TcpStream, held: &mut Vec<u8>, length: usize) -> Result<Vec<u8>, Status> {
    if length > FRAME_BYTES_MAX {
        return Err(Status::TOO_LARGE);
    }
    while held.len() < length {
        if !more(stream, held) {
            return Err(Status::BAD);
        }
    }
    Ok(held.drain(..length).collect())
}

fn chunks(stream: &mut TcpStream, held: &mut Vec<u8>) -> Result<Vec<u8>, Status> {
    let mut body = Vec::new();
    loop {
        let (head, size) = loop {
            match httparse::parse_chunk_size(held).map_err(|_| Status::BAD)? {
                httparse::Status::Complete(found) => break found,
                httparse::Status::Partial if more(stream, held) => {}
                httparse::Status::Partial => return Err(Status::BAD),
            }
        };
        held.drain(..head);
        let size = usize::try_from(size).map_err(|_| Status::TOO_LARGE)?;
        if body.len().saturating_add(size) > FRAME_BYTES_MAX {
            return Err(Status::TOO_LARGE);
        }
        body.extend(take(stream, held, size)?);
        // Trailers are none of ours: there is nothing after the last chunk but its end.
        if take(stream, held, 2)? != b"\r\n" {
            return Err(Status::BAD);
        }
        if size == 0 {
            return Ok(body);
        }
    }
}
