//! What becomes of a request: calls are judged, and held where a person is asked; everything else
//! goes to the server as it is, and what the server says comes back as it comes.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use hosts::proxied::{self, Frame, Kind, Message, Refusal, Tool, ToolCall};
use proxy::calls::{Calls, Next};
use ureq::http;
use ureq::tls::{TlsConfig, TlsProvider};

use super::listed::Listed;
use super::message::{Request, Status, passes};

/// How often a silent stream is kept alive.
const ALIVE_TIME: Duration = Duration::from_secs(15);
/// How much is handed on at once.
const PART_BYTES: usize = 16 * 1024;
/// The code of a request that is none.
const INVALID: i32 = -32_600;

/// A server that is reached through us.
pub struct Relay {
    upstream: String,
    /// Where we listen.
    pub address: SocketAddr,
    /// What a client has to know.
    pub word: String,
    calls: Calls,
    agent: ureq::Agent,
}

/// Whether the connection may be used again.
type GoesOn = io::Result<bool>;

impl Relay {
    pub fn new(upstream: &str, (address, word): (SocketAddr, String), calls: Calls) -> Self {
        let provider = match cfg!(target_os = "linux") {
            true => TlsProvider::Rustls,
            false => TlsProvider::NativeTls,
        };
        let agent = ureq::Agent::config_builder()
            .tls_config(TlsConfig::builder().provider(provider).build())
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_global(None)
            .build();
        Self {
            upstream: upstream.to_owned(),
            address,
            word,
            calls,
            agent: agent.into(),
        }
    }

    /// Answers a request.
    pub fn answer(&self, request: &Request, stream: &mut TcpStream) -> GoesOn {
        if request.method != "POST" {
            return self.pass(request, stream);
        }
        match proxied::frame(request.body.trim_ascii()) {
            Frame::Doubtful => {
                let words = "tollgate: this message could be a call and cannot be read for sure, \
                             so it was not sent on. Send one plain JSON object.";
                json(stream, 400, &proxied::failure("", INVALID, words))
            }
            Frame::Other => self.pass(request, stream),
            Frame::One(message) => self.message(request, &message, stream),
            Frame::Many(messages) => self.messages(request, &messages, stream),
        }
    }

    fn message(&self, request: &Request, message: &Message<'_>, stream: &mut TcpStream) -> GoesOn {
        match &message.kind {
            Kind::Call(call) => self.call(request, (message, call), stream),
            Kind::Cancel(id) => match self.calls.cancel(&scoped(request, id)) {
                true => self.pass(request, stream),
                false => Status::ACCEPTED.answer(stream).map(|()| true),
            },
            kind => {
                if let Kind::Hello(client) = kind {
                    self.calls.greeted(client);
                }
                match kind {
                    Kind::List => self.pass_looking(request, vec![message.id], stream),
                    _ => self.pass(request, stream),
                }
            }
        }
    }

    fn call(
        &self,
        request: &Request,
        (message, call): (&Message<'_>, &ToolCall<'_>),
        stream: &mut TcpStream,
    ) -> GoesOn {
        let id = scoped(request, message.id);
        let own = Message {
            id: &id,
            ..message.clone()
        };
        let (number, next) = self.calls.begin(&own, call);
        match next {
            Next::Send if self.calls.forward(number) => {
                let done = self.pass(request, stream);
                match &done {
                    Ok(_) => self.calls.answered(&id),
                    Err(_) => self.calls.lose(number),
                }
                done
            }
            Next::Say(why) => json(stream, 200, &refusal(message.id, &why)),
            Next::Wait => self.hold(request, (number, message), stream),
            Next::Send | Next::Nothing => Status::ACCEPTED.answer(stream).map(|()| true),
        }
    }

    /// Holds a call, with a stream that says so, until it is clear what becomes of it.
    fn hold(
        &self,
        request: &Request,
        (number, message): (u64, &Message<'_>),
        stream: &mut TcpStream,
    ) -> GoesOn {
        let Kind::Call(call) = &message.kind else {
            return Ok(false);
        };
        let id = scoped(request, message.id);
        stream.write_all(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n\
              Connection: close\r\n\r\n: held\n\n",
        )?;
        let told = stream.try_clone()?;
        let tell = |times, words: &str| {
            let frame = match call.token {
                "" => b": waiting\n\n".to_vec(),
                token => event(&proxied::progress(token, times, words)),
            };
            // Nobody waits any more for a call whose client is gone.
            if is_gone(&told) || (&told).write_all(&frame).is_err() {
                self.calls.cancel(&id);
            }
        };
        let next = self.calls.wait(number, call, tell);
        match next {
            Next::Send if is_gone(stream) => {
                self.calls.cancel(&id);
                Ok(false)
            }
            Next::Send if self.calls.forward(number) => {
                let done = self.pass_into(request, stream);
                match &done {
                    Ok(()) => self.calls.answered(&id),
                    Err(_) => self.calls.lose(number),
                }
                done.map(|()| false)
            }
            Next::Say(why) => {
                stream.write_all(&event(&refusal(message.id, &why)))?;
                Ok(false)
            }
            Next::Send | Next::Wait | Next::Nothing => Ok(false),
        }
    }

    /// An array of messages goes on as a whole, or not at all.
    fn messages(
        &self,
        request: &Request,
        messages: &[Message<'_>],
        stream: &mut TcpStream,
    ) -> GoesOn {
        let mut sent = Vec::new();
        let mut held = Vec::new();
        for message in messages {
            let id = scoped(request, message.id);
            match &message.kind {
                Kind::Call(call) => {
                    let own = Message {
                        id: &id,
                        ..message.clone()
                    };
                    match self.calls.begin(&own, call) {
                        (number, Next::Send) => sent.push((number, id, message.id)),
                        (_, Next::Say(why)) => held.push((message.id, why)),
                        (_, Next::Wait) => {
                            self.calls.cancel(&id);
                            let why = "Not run; waiting for a person. Call it alone, unchanged.";
                            held.push((message.id, why.to_owned()));
                        }
                        (_, Next::Nothing) => {}
                    }
                }
                Kind::Cancel(cancelled) => {
                    self.calls.cancel(&scoped(request, cancelled));
                }
                _ => {}
            }
        }
        if held.is_empty() {
            sent.retain(|(number, ..)| self.calls.forward(*number));
            let lists = messages.iter().filter(|one| one.kind == Kind::List);
            let done = self.pass_looking(request, lists.map(|one| one.id).collect(), stream);
            for (number, id, _) in &sent {
                match &done {
                    Ok(_) => self.calls.answered(id),
                    Err(_) => self.calls.lose(*number),
                }
            }
            return done;
        }
        let why = "Not run: another call of the same array was not let go. Send calls one by one.";
        for (_, id, raw) in sent {
            self.calls.cancel(&id);
            held.push((raw, why.to_owned()));
        }
        let answers = held.iter().map(|(id, why)| refusal(id, why));
        let mut answers: Vec<Vec<u8>> = answers.collect();
        let others = messages.iter().filter(|one| {
            !one.id.is_empty() && !matches!(one.kind, Kind::Call(_) | Kind::Answer(_))
        });
        answers.extend(others.map(|one| proxied::failure(one.id, INVALID, why)));
        let answers: Vec<&[u8]> = answers.iter().map(|one| one.trim_ascii_end()).collect();
        json(
            stream,
            200,
            &[b"[", answers.join(&b","[..]).as_slice(), b"]"].concat(),
        )
    }

    /// What the server answers to a request.
    fn ask(&self, request: &Request) -> Result<http::Response<ureq::Body>, ureq::Error> {
        let mut asked = http::Request::builder()
            .method(request.method.as_str())
            .uri(&self.upstream);
        for (name, value) in request.headers.iter().filter(|(name, _)| passes(name)) {
            asked = asked.header(name.as_str(), value.as_slice());
        }
        match request.method.as_str() {
            "POST" | "PUT" | "PATCH" => self.agent.run(asked.body(request.body.as_slice())?),
            _ => self.agent.run(asked.body(())?),
        }
    }

    /// Hands a request on, and its answer back.
    fn pass(&self, request: &Request, stream: &mut TcpStream) -> GoesOn {
        self.pass_looking(request, Vec::new(), stream)
    }

    /// The same; what answers questions for tools, by their ids, is looked at on its way.
    fn pass_looking(&self, request: &Request, lists: Vec<&str>, stream: &mut TcpStream) -> GoesOn {
        let Ok(answer) = self.ask(request) else {
            Status::UPSTREAM.answer(stream)?;
            return Err(io::ErrorKind::ConnectionRefused.into());
        };
        let (head, body) = answer.into_parts();
        let reason = head.status.canonical_reason().unwrap_or("");
        let mut said = format!("HTTP/1.1 {} {reason}\r\n", head.status.as_u16()).into_bytes();
        for (name, value) in head
            .headers
            .iter()
            .filter(|(name, _)| passes(name.as_str()))
        {
            let parts: [&[u8]; 4] = [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"];
            said.extend(parts.concat());
        }
        let is_stream = is_events(&head.headers);
        said.extend(b"Transfer-Encoding: chunked\r\n\r\n");
        stream.write_all(&said)?;
        let parts = parts_of(body);
        let hidden = |tools: &[Tool<'_>]| self.calls.listed(tools);
        let mut list = (!lists.is_empty()).then(|| Listed::new(lists, is_stream, &hidden));
        pipe(
            &parts,
            is_stream.then_some(ALIVE_TIME),
            &mut |part| match &mut list {
                Some(list) => chunk(stream, &list.part(part)),
                None => chunk(stream, part),
            },
        )?;
        if let Some(list) = list {
            chunk(stream, &list.end())?;
        }
        stream.write_all(b"0\r\n\r\n")?;
        Ok(true)
    }

    /// Hands a held request on, and its answer into the stream that is open.
    fn pass_into(&self, request: &Request, stream: &mut TcpStream) -> io::Result<()> {
        let answer = self.ask(request);
        let answer = answer.map_err(|_| io::Error::from(io::ErrorKind::ConnectionRefused))?;
        let (head, body) = answer.into_parts();
        let parts = parts_of(body);
        if is_events(&head.headers) {
            return pipe(&parts, Some(ALIVE_TIME), &mut |part| stream.write_all(part));
        }
        let mut whole = Vec::new();
        pipe(&parts, None, &mut |part| {
            whole.extend(part);
            Ok(())
        })?;
        stream.write_all(&event(&whole))
    }
}

/// An id that is told apart from those of other sessions.
fn scoped(request: &Request, id: &str) -> String {
    let session = request.header("mcp-session-id").unwrap_or_default();
    format!("{session} {id}")
}

fn refusal(id: &str, why: &str) -> Vec<u8> {
    proxied::refusal(Refusal { id, why })
}

/// A message as an event of a stream.
fn event(frame: &[u8]) -> Vec<u8> {
    let frame = frame.trim_ascii_end();
    // A line break inside would end it: JSON has none but as a blank.
    let line: Vec<u8> = frame
        .iter()
        .map(|byte| {
            if matches!(byte, b'\n' | b'\r') {
                b' '
            } else {
                *byte
            }
        })
        .collect();
    [b"event: message\ndata: ", line.as_slice(), b"\n\n"].concat()
}

fn json(stream: &mut TcpStream, code: u16, body: &[u8]) -> GoesOn {
    let words = if code == 200 { "OK" } else { "Bad Request" };
    let head = format!(
        "HTTP/1.1 {code} {words}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(&[head.as_bytes(), body].concat())?;
    Ok(true)
}

fn is_events(headers: &http::HeaderMap) -> bool {
    let kind = headers
        .get("content-type")
        .and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/event-stream"))
}

/// Whether the other side has closed a connection.
fn is_gone(stream: &TcpStream) -> bool {
    let _ = stream.set_nonblocking(true);
    let seen = stream.peek(&mut [0]);
    let _ = stream.set_nonblocking(false);
    match seen {
        Ok(read) => read == 0,
        Err(error) => error.kind() != io::ErrorKind::WouldBlock,
    }
}

/// What a server says, as it comes.
fn parts_of(body: ureq::Body) -> Receiver<io::Result<Vec<u8>>> {
    let (sender, parts) = sync_channel(4);
    thread::spawn(move || {
        let mut from = body.into_reader();
        loop {
            let mut part = vec![0; PART_BYTES];
            let read = from.read(&mut part).map(|read| {
                part.truncate(read);
                part
            });
            let ends = read.as_ref().map_or(true, Vec::is_empty);
            if sender.send(read).is_err() || ends {
                break;
            }
        }
    });
    parts
}

/// Writes a part of a body; one without bytes would end it.
fn chunk(stream: &mut TcpStream, part: &[u8]) -> io::Result<()> {
    if part.is_empty() {
        return Ok(());
    }
    let head = format!("{:x}\r\n", part.len());
    stream.write_all(&[head.as_bytes(), part, b"\r\n"].concat())
}

/// Hands parts on until there are no more. A stream of events that is silent for so long is kept
/// alive by comments, which only stand between events.
fn pipe(
    parts: &Receiver<io::Result<Vec<u8>>>,
    alive: Option<Duration>,
    write: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let (mut is_between, mut last) = (true, Instant::now());
    loop {
        let silent = alive.unwrap_or(ALIVE_TIME);
        match parts.recv_timeout(silent.saturating_sub(last.elapsed())) {
            Ok(Ok(part)) if part.is_empty() => return Ok(()),
            Ok(Ok(part)) => {
                write(&part)?;
                is_between = part.ends_with(b"\n\n") || part.ends_with(b"\r\n\r\n");
                last = Instant::now();
            }
            Ok(Err(error)) => return Err(error),
            Err(RecvTimeoutError::Timeout) => {
                if alive.is_some() && is_between {
                    write(b": alive\n\n")?;
                }
                last = Instant::now();
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What arrives of parts, each after a silence.
    fn piped(said: &'static [&str], alive: Option<Duration>) -> String {
        let (sender, parts) = sync_channel(4);
        let silence = Duration::from_millis(70);
        thread::spawn(move || {
            for part in said {
                thread::sleep(silence);
                sender.send(Ok(part.as_bytes().to_vec())).unwrap();
            }
        });
        let mut out = Vec::new();
        pipe(&parts, alive, &mut |part| {
            out.extend(part);
            Ok(())
        })
        .unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_silent_stream_is_kept_alive_between_its_events_alone() {
        let said = &["data: 1\n\n", "data: ", "2\n\n"];
        let alive = Some(Duration::from_millis(20));
        let out = piped(said, alive);
        assert!(out.starts_with(": alive\n\n"), "{out:?}");
        assert_eq!(out.replace(": alive\n\n", ""), "data: 1\n\ndata: 2\n\n");
        let between = out.split("data: 1\n\n").nth(1).unwrap();
        assert!(between.starts_with(": alive\n\n"), "{out:?}");
        assert!(out.ends_with("data: 2\n\n"), "{out:?}");
        assert_eq!(piped(said, None), said.concat());
        assert_eq!(ALIVE_TIME, Duration::from_secs(15));
    }
}
