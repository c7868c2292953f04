//! A small HTTP server on loopback, enough to stand in for a model's API.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use anyhow::{Context, Result};
use serde_json::Value;

/// What a client asks.
pub struct Request {
    /// The path, without its query.
    pub path: String,
    /// The body, null if it is no JSON.
    pub body: Value,
    /// The body as it came.
    pub text: String,
}

/// What it is given.
pub struct Response {
    status: &'static str,
    kind: &'static str,
    body: String,
}

impl Response {
    /// A JSON document.
    pub fn json(value: &Value) -> Self {
        Self {
            status: "200 OK",
            kind: "application/json",
            body: value.to_string(),
        }
    }

    /// A stream of events, whole.
    pub fn events(body: String) -> Self {
        Self {
            status: "200 OK",
            kind: "text/event-stream",
            body,
        }
    }

    /// Plain text.
    pub fn text(body: &str) -> Self {
        Self {
            status: "200 OK",
            kind: "text/plain",
            body: body.to_owned(),
        }
    }

    /// A status without a body.
    pub fn empty(status: &'static str) -> Self {
        Self {
            status,
            ..Self::text("")
        }
    }

    /// Nothing is served there.
    pub fn not_found(value: &Value) -> Self {
        Self {
            status: "404 Not Found",
            ..Self::json(value)
        }
    }
}

/// Serves until the process ends, each connection in a thread of its own; the port.
///
/// # Errors
/// If no port can be had.
pub fn serve(answer: impl Fn(&Request) -> Response + Send + Sync + 'static) -> Result<u16> {
    let listener = TcpListener::bind("127.0.0.1:0").context("no loopback port")?;
    let port = listener.local_addr()?.port();
    let answer = Arc::new(answer);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = Arc::clone(&answer);
            std::thread::spawn(move || drop(converse(&stream, &*answer)));
        }
    });
    Ok(port)
}

fn converse(stream: &TcpStream, answer: &dyn Fn(&Request) -> Response) -> Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    while let Some(request) = read(&mut reader)? {
        send(stream, &answer(&request))?;
    }
    Ok(())
}

fn read(reader: &mut BufReader<TcpStream>) -> Result<Option<Request>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let target = line.split(' ').nth(1).unwrap_or_default();
    let path = target.split('?').next().unwrap_or_default();
    let mut length = 0;
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header)? == 0 || header.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = header.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some(Request {
        path: path.to_owned(),
        body: serde_json::from_slice(&body).unwrap_or_default(),
        text: String::from_utf8_lossy(&body).into_owned(),
    }))
}

fn send(mut stream: &TcpStream, response: &Response) -> Result<()> {
    let Response { status, kind, body } = response;
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    Ok(stream.flush()?)
}
