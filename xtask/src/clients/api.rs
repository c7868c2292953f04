//! A scripted stand-in for a model's Messages API, on loopback.
//!
//! It plays fixed replies to a real client and keeps every request, so that a test can drive the
//! client through a list of tool calls with no network and no credentials.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use serde_json::{Value, json};

/// One tool call that the model makes, or its last words.
#[derive(Clone)]
pub enum Turn {
    /// Call a tool.
    Call(&'static str, Value),
    /// Say this and end the turn.
    Say(&'static str),
}

/// What the model says in one conversation, told apart by a mark in its first prompt.
pub struct Lane {
    /// Text that the first user message contains; empty = any.
    pub mark: &'static str,
    /// The replies in order; past the end the model says `ok`.
    pub turns: Vec<Turn>,
}

#[derive(Default)]
struct Played {
    positions: Vec<usize>,
    requests: Vec<Value>,
}

/// A running server. It serves until the process ends.
pub struct Api {
    /// Its port on loopback.
    pub port: u16,
    played: Arc<Mutex<Played>>,
}

impl Api {
    /// Starts a server that plays these lanes, the first whose mark fits.
    ///
    /// # Errors
    /// If no port can be had.
    pub fn start(lanes: Vec<Lane>) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").context("no loopback port")?;
        let port = listener.local_addr()?.port();
        let played = Arc::new(Mutex::new(Played {
            positions: vec![0; lanes.len()],
            requests: Vec::new(),
        }));
        let (lanes, state) = (Arc::new(lanes), Arc::clone(&played));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (lanes, state) = (Arc::clone(&lanes), Arc::clone(&state));
                std::thread::spawn(move || drop(serve(&stream, &lanes, &state)));
            }
        });
        Ok(Self { port, played })
    }

    /// Everything the client told the model so far, as one text.
    pub fn heard(&self) -> String {
        let played = self.played.lock().unwrap_or_else(PoisonError::into_inner);
        played
            .requests
            .iter()
            .map(Value::to_string)
            .collect::<Vec<_>>()
            .join("\n")
    }
}

fn serve(stream: &TcpStream, lanes: &[Lane], state: &Mutex<Played>) -> Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    loop {
        let Some(request) = read_request(&mut reader)? else {
            return Ok(());
        };
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let path = request.path.split('?').next().unwrap_or_default();
        if path.ends_with("/count_tokens") {
            send(
                stream,
                "200 OK",
                "application/json",
                &json!({"input_tokens": 10}).to_string(),
            )?;
        } else if path.ends_with("/v1/messages") {
            let message = reply(&body, lanes, state);
            if body.get("stream").and_then(Value::as_bool) == Some(true) {
                send(stream, "200 OK", "text/event-stream", &events(&message))?;
            } else {
                send(stream, "200 OK", "application/json", &message.to_string())?;
            }
        } else {
            let error =
                json!({"type": "error", "error": {"type": "not_found_error", "message": "-"}});
            send(
                stream,
                "404 Not Found",
                "application/json",
                &error.to_string(),
            )?;
        }
    }
}

struct Request {
    path: String,
    body: Vec<u8>,
}

fn read_request(reader: &mut BufReader<TcpStream>) -> Result<Option<Request>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
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
    Ok(Some(Request { path, body }))
}

fn send(mut stream: &TcpStream, status: &str, kind: &str, body: &str) -> Result<()> {
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    Ok(stream.flush()?)
}

/// The next reply of the lane that the request belongs to.
fn reply(body: &Value, lanes: &[Lane], state: &Mutex<Played>) -> Value {
    let first = body
        .get("messages")
        .and_then(Value::as_array)
        .and_then(|all| all.first());
    let first = first.map(Value::to_string).unwrap_or_default();
    let offers_tools = body
        .get("tools")
        .and_then(Value::as_array)
        .is_some_and(|t| !t.is_empty());
    let mut played = state.lock().unwrap_or_else(PoisonError::into_inner);
    let number = played.requests.len();
    played.requests.push(body.clone());
    let lane = lanes
        .iter()
        .position(|lane| offers_tools && first.contains(lane.mark));
    let turn = lane.and_then(|lane| {
        let at = played.positions.get_mut(lane)?;
        *at += 1;
        lanes.get(lane)?.turns.get(*at - 1).cloned()
    });
    let (content, stop) = match turn {
        Some(Turn::Call(tool, input)) => {
            let id = format!("toolu_scripted_{number:04}");
            (
                json!([{"type": "tool_use", "id": id, "name": tool, "input": input}]),
                "tool_use",
            )
        }
        Some(Turn::Say(text)) => (json!([{"type": "text", "text": text}]), "end_turn"),
        None => (json!([{"type": "text", "text": "ok"}]), "end_turn"),
    };
    json!({
        "id": format!("msg_scripted_{number:04}"), "type": "message", "role": "assistant",
        "model": body.get("model").cloned().unwrap_or_default(), "content": content,
        "stop_reason": stop, "stop_sequence": null,
        "usage": {"input_tokens": 100, "output_tokens": 20,
            "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
    })
}

/// The message as the stream of events that a client expects.
fn events(message: &Value) -> String {
    let mut start = message.clone();
    let mut out = String::new();
    let mut event = |name: &str, data: Value| {
        out.push_str(&format!("event: {name}\ndata: {data}\n\n"));
    };
    if let Some(start) = start.as_object_mut() {
        start.insert("content".to_owned(), json!([]));
        start.insert("stop_reason".to_owned(), Value::Null);
    }
    event(
        "message_start",
        json!({"type": "message_start", "message": start}),
    );
    let blocks = message
        .get("content")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    for (index, block) in blocks.iter().enumerate() {
        let field = |name: &str| block.get(name).cloned().unwrap_or_default();
        let (shell, delta) = if field("type") == "text" {
            let delta = json!({"type": "text_delta", "text": field("text")});
            (json!({"type": "text", "text": ""}), delta)
        } else {
            let mut shell = block.clone();
            if let Some(shell) = shell.as_object_mut() {
                shell.insert("input".to_owned(), json!({}));
            }
            let input = field("input").to_string();
            (
                shell,
                json!({"type": "input_json_delta", "partial_json": input}),
            )
        };
        let kind = "content_block_start";
        event(
            kind,
            json!({"type": kind, "index": index, "content_block": shell}),
        );
        let kind = "content_block_delta";
        event(kind, json!({"type": kind, "index": index, "delta": delta}));
        let kind = "content_block_stop";
        event(kind, json!({"type": kind, "index": index}));
    }
    let stop = message.get("stop_reason").cloned().unwrap_or_default();
    let usage = message.get("usage").cloned().unwrap_or_default();
    let delta = json!({"stop_reason": stop, "stop_sequence": null});
    event(
        "message_delta",
        json!({"type": "message_delta", "delta": delta, "usage": usage}),
    );
    event("message_stop", json!({"type": "message_stop"}));
    out
}
