//! The same over HTTP: what a server that is reached by its address answers, byte by byte.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::{Frames, PATIENCE, answer, everything_talk, untimed};
use crate::client::{self, Client};
use crate::sandbox::Sandbox;
use crate::scenarios::soon;
use crate::{Gate, claude};

/// Headers that are of one connection or one moment.
const OWN: &[&str] = &[
    "connection",
    "content-length",
    "date",
    "keep-alive",
    "mcp-session-id",
    "transfer-encoding",
];

/// A process that ends with the value.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The official server, with the proxy and without.
pub fn bytes(_: &Client, gate: &Gate) -> Result<()> {
    let sandbox = Sandbox::of(&claude::driver::DRIVER, "proxied-bytes-http")?;
    let node = client::install("node-22")?.program;
    let everything = client::install("server-everything")?.program;
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let server = Command::new(node)
        .arg(everything)
        .arg("streamableHttp")
        .env("PORT", port.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let _server = Running(server);
    soon("the server does not listen", || {
        TcpStream::connect(("127.0.0.1", port)).ok()
    })?;
    let address = format!("http://127.0.0.1:{port}/mcp");
    let listen = ["--upstream", &address, "--listen", "127.0.0.1:0"];
    let mut proxy = Running(sandbox.start(gate, &[&["proxy"], &listen[..]].concat())?);
    let mut line = String::new();
    BufReader::new(proxy.0.stdout.take().context("no output")?).read_line(&mut line)?;
    let without = Visitor::of(&address)?.talk()?;
    let with = Visitor::of(line.trim())?.talk()?;
    for (what, said) in &without {
        let same = with.get(what) == Some(said);
        ensure!(same, "{what}: the server's words differ through the proxy");
    }
    ensure!(
        without.len() == with.len(),
        "the proxy said more: {:?}",
        with.keys()
    );
    for wanted in ["sampling/createMessage", "elicitation/create", "roots/list"] {
        let asked = without.keys().any(|what| what.starts_with(wanted));
        ensure!(asked, "the server did not ask for {wanted}");
    }
    Ok(())
}

/// A client that says what it is told to say, and writes down what it hears.
#[derive(Clone)]
struct Visitor {
    host: String,
    path: String,
    session: String,
    heard: Arc<Mutex<Frames>>,
}

impl Visitor {
    fn of(address: &str) -> Result<Self> {
        let rest = address.strip_prefix("http://").context("no address")?;
        let (host, path) = rest.split_once('/').context("no path")?;
        Ok(Self {
            host: host.to_owned(),
            path: format!("/{path}"),
            session: String::new(),
            heard: Arc::default(),
        })
    }

    /// Says all of it; what was heard.
    fn talk(mut self) -> Result<Frames> {
        let talk = everything_talk();
        let (hello, rest) = talk.split_first().context("nothing to say")?;
        self.session = self.say("POST", &hello.to_string())?;
        let listener = self.clone();
        // What belongs to no question comes here.
        let stream = thread::spawn(move || listener.say("GET", ""));
        // Before that the server would say it to nobody.
        soon("the stream of the server does not begin", || {
            let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
            heard.contains_key("GET ").then_some(())
        })?;
        for message in rest {
            self.say("POST", &message.to_string())?;
        }
        self.say("DELETE", "")?;
        stream.join().ok().context("the stream broke")??;
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(heard.clone())
    }

    /// Sends a request and hears its answer to the end; the session that it names.
    fn say(&self, method: &str, body: &str) -> Result<String> {
        let mut stream = TcpStream::connect(&self.host)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let session = match self.session.as_str() {
            "" => String::new(),
            session => format!("Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: 2025-06-18\r\n"),
        };
        write!(
            stream,
            "{method} {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{session}\
             Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.path,
            self.host,
            body.len()
        )?;
        let mut input = BufReader::new(stream);
        let head = Head::read(&mut input)?;
        let what = format!("{method} {}", body.get(..60).unwrap_or(body));
        self.note(what.clone(), head.shown().into_bytes());
        let is_stream = head.header("content-type").starts_with("text/event-stream");
        let session = head.header("mcp-session-id").to_owned();
        let mut body = head.body(input);
        match is_stream {
            true => self.hear(BufReader::new(body))?,
            false => {
                let mut whole = Vec::new();
                body.read_to_end(&mut whole)?;
                self.note(what, whole);
            }
        }
        Ok(session)
    }

    /// Hears events to the end; what is asked in one is answered.
    fn hear(&self, input: impl BufRead) -> Result<()> {
        let mut event = Vec::new();
        for line in input.lines() {
            let line = line?;
            if !line.is_empty() {
                // Ids are made by chance, and comments keep a connection alive.
                match line.split_once(':') {
                    Some(("", _)) => {}
                    Some(("id", _)) => event.push("id: …".to_owned()),
                    _ => event.push(line),
                }
                continue;
            }
            let event = std::mem::take(&mut event);
            let data = event.iter().find_map(|line| line.strip_prefix("data: "));
            let Some(message) = data.and_then(|data| serde_json::from_str::<Value>(data).ok())
            else {
                continue;
            };
            let method = message.get("method").and_then(Value::as_str);
            let (method, id) = (method.unwrap_or_default(), message.get("id"));
            if !method.is_empty()
                && let Some(id) = id
            {
                self.say("POST", &answer(method, id).to_string())?;
            }
            // Words of a clock are its own.
            if method != "notifications/message" && method != "notifications/resources/updated" {
                let id = id.cloned().unwrap_or_default();
                self.note(
                    format!("{method} {id}"),
                    untimed(event.join("\n").into_bytes()),
                );
            }
        }
        Ok(())
    }

    fn note(&self, what: String, said: Vec<u8>) {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.entry(what).or_default().push(said);
    }
}

/// The head of an answer.
struct Head {
    status: String,
    headers: BTreeMap<String, String>,
}

impl Head {
    fn read(input: &mut impl BufRead) -> Result<Self> {
        let mut lines = Vec::new();
        for line in input.lines() {
            let line = line?;
            if line.is_empty() {
                break;
            }
            lines.push(line);
        }
        let mut lines = lines.into_iter();
        let status = lines.next().context("no answer")?;
        let headers = lines.filter_map(|line| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_ascii_lowercase(), value.trim().to_owned()))
        });
        Ok(Self {
            status,
            headers: headers.collect(),
        })
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// What of it is the server's own.
    fn shown(&self) -> String {
        let own = |name: &str| !OWN.contains(&name);
        let headers = self.headers.iter().filter(|(name, _)| own(name));
        let headers = headers.map(|(name, value)| format!("{name}: {value}\n"));
        format!("{}\n{}", self.status, headers.collect::<String>())
    }

    /// What follows it.
    fn body<'a>(&self, input: impl BufRead + 'a) -> Box<dyn Read + 'a> {
        let length = self.header("content-length").parse::<u64>();
        match (self.header("transfer-encoding"), length) {
            ("chunked", _) => Box::new(Chunks { input, left: 0 }),
            (_, Ok(length)) => Box::new(input.take(length)),
            _ => Box::new(input),
        }
    }
}

/// A body that comes in chunks.
struct Chunks<R> {
    input: R,
    /// How much of the present one has still to come.
    left: usize,
}

impl<R: BufRead> Read for Chunks<R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.left == 0 {
            let mut line = String::new();
            // A chunk ends with a line break of its own.
            while line.trim().is_empty() {
                line.clear();
                if self.input.read_line(&mut line)? == 0 {
                    return Ok(0);
                }
            }
            self.left = usize::from_str_radix(line.trim(), 16).unwrap_or(0);
            if self.left == 0 {
                return Ok(0);
            }
        }
        let most = into.len().min(self.left);
        let read = self.input.read(into.get_mut(..most).unwrap_or_default())?;
        self.left -= read;
        Ok(read)
    }
}
