//! What a server says arrives byte by byte: the same words are spoken to the official servers with
//! the proxy and without, and both sides are compared.

mod http;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;
use std::{fs, thread};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use crate::client::{self, Client};
use crate::sandbox::Sandbox;
use crate::{Behaviour, Gate, Kind, claude};

/// With the official servers; the client is nobody's.
pub const BYTES: &[Behaviour] = &[
    Behaviour {
        kinds: &[Kind::Proxy],
        name: "proxy: what servers say arrives byte by byte, with it and without",
        scenario: bytes,
    },
    Behaviour {
        kinds: &[Kind::Proxy],
        name: "proxy: what a server says over HTTP arrives byte by byte, with it and without",
        scenario: http::bytes,
    },
];

/// How long a server may take for an answer.
const PATIENCE: Duration = Duration::from_secs(20);
/// How large the largest file is; a result holds it twice.
const LARGE_BYTES: usize = 5 * 1024 * 1024;

fn bytes(_: &Client, gate: &Gate) -> Result<()> {
    let sandbox = Sandbox::of(&claude::driver::DRIVER, "proxied-bytes")?;
    let node = client::install("node-22")?.program;
    let large = "0123456789abcdef".repeat(LARGE_BYTES / 16);
    sandbox.write("large.txt", &large)?;
    let files = client::install("server-filesystem")?.program;
    let everything = client::install("server-everything")?.program;
    let project = sandbox.project.display().to_string();
    for (server, args, talk) in [
        (files, vec![project.clone()], files_talk(&project)),
        (everything, vec!["stdio".to_owned()], everything_talk()),
    ] {
        let plain = [vec![node.clone(), server.clone()], paths(&args)].concat();
        let proxied = [
            paths(&[gate.tollgate.display().to_string()]),
            paths(&["proxy", "--name", "files", "--"].map(str::to_owned)),
            plain.clone(),
        ];
        let without = Spoken::with(&sandbox, &plain, &talk)?;
        let with = Spoken::with(&sandbox, &proxied.concat(), &talk)?;
        without
            .compare(&with)
            .context(server.display().to_string())?;
    }
    Ok(())
}

fn paths(words: &[String]) -> Vec<PathBuf> {
    words.iter().map(PathBuf::from).collect()
}

/// What the client says, in order; an answer to a request is waited for.
fn hello() -> Vec<Value> {
    vec![
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "clientInfo": {"name": "lab", "version": "1"},
            "capabilities": {"roots": {"listChanged": true}, "sampling": {}, "elicitation": {}}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
    ]
}

fn call(id: u64, tool: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
           "params": {"name": tool, "arguments": arguments, "_meta": {"progressToken": id}}})
}

fn files_talk(project: &str) -> Vec<Value> {
    let large = format!("{project}/large.txt");
    let mut talk = hello();
    talk.extend([
        call(2, "read_text_file", json!({"path": large})),
        call(3, "list_directory", json!({"path": project})),
        call(4, "read_text_file", json!({"path": "/etc/shadow-not-here"})),
        json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}),
        json!({"jsonrpc": "2.0", "id": 5, "method": "ping"}),
    ]);
    talk
}

fn everything_talk() -> Vec<Value> {
    let mut talk = hello();
    talk.extend([
        json!({"jsonrpc": "2.0", "id": 2, "method": "logging/setLevel",
               "params": {"level": "debug"}}),
        call(3, "echo", json!({"message": "h\u{e9} \u{2028} \"x\""})),
        call(
            4,
            "trigger-long-running-operation",
            json!({"duration": 1, "steps": 4}),
        ),
        call(
            5,
            "trigger-sampling-request",
            json!({"prompt": "say", "maxTokens": 10}),
        ),
        call(6, "trigger-elicitation-request", json!({})),
        call(7, "get-tiny-image", json!({})),
        call(8, "get-roots-list", json!({})),
        json!({"jsonrpc": "2.0", "id": 9, "method": "resources/list"}),
        json!({"jsonrpc": "2.0", "id": 10, "method": "prompts/list"}),
        json!({"jsonrpc": "2.0", "id": 11, "method": "resources/subscribe",
               "params": {"uri": "demo://resource/dynamic/text/1"}}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
               "params": {"requestId": 99, "reason": "never asked"}}),
        json!({"jsonrpc": "2.0", "id": 12, "method": "no/such/method"}),
    ]);
    talk
}

/// Frames by their method and id, in order.
type Frames = BTreeMap<String, Vec<Vec<u8>>>;

/// What was said by a server, and what reached it.
struct Spoken {
    /// Frames that answer or ask, by their kind and id, as bytes.
    said: Frames,
    /// All that reached the server.
    heard: Vec<u8>,
}

impl Spoken {
    fn with(sandbox: &Sandbox, words: &[PathBuf], talk: &[Value]) -> Result<Self> {
        let heard = sandbox.root.join("heard");
        drop(fs::remove_file(&heard));
        // What reaches the server itself is written down before it.
        let noted = "tee -a \"$0\" | \"$@\"";
        let at = words
            .iter()
            .position(|word| word.file_name().is_some_and(|name| name == "node"));
        let (ours, server) = words.split_at(at.unwrap_or_default());
        let noted = ["sh", "-c", noted].map(PathBuf::from);
        let words = [ours, &noted, std::slice::from_ref(&heard), server].concat();
        let (program, arguments) = words.split_first().context("no words")?;
        let mut child = Command::new(program)
            .args(arguments)
            .current_dir(&sandbox.project)
            .env("HOME", &sandbox.home)
            .env("TOLLGATE_HOME", sandbox.root.join("gate"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut input = child.stdin.take().context("no input")?;
        let output = child.stdout.take().context("no output")?;
        let (sender, frames) = channel();
        let reader = thread::spawn(move || {
            for frame in BufReader::new(output).split(b'\n').map_while(Result::ok) {
                if sender.send(frame).is_err() {
                    break;
                }
            }
        });
        let mut said = BTreeMap::new();
        for message in talk {
            input.write_all(format!("{message}\n").as_bytes())?;
            if let Some(id) = message.get("id") {
                until_answered(&frames, (&mut input, &mut said), id)?;
            }
        }
        drop(input);
        drop(frames);
        let status = child.wait()?;
        drop(reader.join());
        ensure!(status.success(), "it ended with {status}");
        let heard = fs::read(&heard)?;
        Ok(Self { said, heard })
    }

    fn compare(&self, with: &Self) -> Result<()> {
        ensure!(
            self.heard == with.heard,
            "the server heard {} bytes without the proxy and {} with it",
            self.heard.len(),
            with.heard.len()
        );
        for (what, frames) in &self.said {
            let same = with.said.get(what) == Some(frames);
            ensure!(same, "{what}: the server's words differ through the proxy");
        }
        ensure!(self.said.len() == with.said.len(), "the proxy said more");
        Ok(())
    }
}

/// Takes frames until a request is answered; what the server asks meanwhile is answered, always in
/// the same words.
fn until_answered(
    frames: &Receiver<Vec<u8>>,
    (input, said): (&mut ChildStdin, &mut Frames),
    id: &Value,
) -> Result<()> {
    loop {
        let frame = match frames.recv_timeout(PATIENCE) {
            Ok(frame) => frame,
            Err(RecvTimeoutError::Timeout) => bail!("no answer to {id}"),
            Err(RecvTimeoutError::Disconnected) => bail!("the server ended before {id}"),
        };
        let message: Value = serde_json::from_slice(&frame)?;
        let method = message
            .get("method")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let own = message.get("id").cloned().unwrap_or_default();
        if !method.is_empty() && !own.is_null() {
            input.write_all(format!("{}\n", answer(method, &own)).as_bytes())?;
        }
        let is_answer = method.is_empty() && own == *id;
        // Words of a clock are its own: when they come is no matter of the proxy.
        if !matches!(
            method,
            "notifications/message" | "notifications/resources/updated"
        ) {
            let key = format!("{method} {own}");
            said.entry(key).or_default().push(untimed(frame));
        }
        if is_answer {
            return Ok(());
        }
    }
}

/// What a client answers.
fn answer(method: &str, id: &Value) -> Value {
    let result = match method {
        "roots/list" => json!({"roots": [{"uri": "file:///", "name": "all"}]}),
        "sampling/createMessage" => json!({"role": "assistant", "model": "m",
            "content": {"type": "text", "text": "said"}}),
        "elicitation/create" => json!({"action": "decline"}),
        _ => json!({}),
    };
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// A frame without the times of day in it.
fn untimed(frame: Vec<u8>) -> Vec<u8> {
    let text = String::from_utf8_lossy(&frame);
    let is_timed = text.contains("createdAt") || text.contains("lastUpdated");
    match is_timed {
        true => Path::new("timed").as_os_str().as_encoded_bytes().to_vec(),
        false => frame,
    }
}
