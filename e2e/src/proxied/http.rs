//! A server of files that is reached by HTTP, and the proxy before it.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::Child;
use std::sync::Mutex;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::WAIT;
use crate::Gate;
use crate::http::{self, Request, Response};
use crate::sandbox::Sandbox;

/// A proxy that ends with the value.
pub struct Proxy {
    child: Child,
    /// Where clients reach the server through it.
    pub address: String,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Proxy {
    /// Starts a server that writes files and writes down what reaches it, and a proxy before it.
    ///
    /// # Errors
    /// If one cannot be started.
    pub fn start(sandbox: &Sandbox, gate: &Gate) -> Result<Self> {
        let seen = Mutex::new(File::create(sandbox.root.join("seen"))?);
        let port = http::serve(move |request| answer(request, &seen))?;
        let upstream = format!("http://127.0.0.1:{port}/mcp");
        let words = [
            "proxy",
            "--name",
            "files",
            "--wait",
            WAIT,
            "--listen",
            "127.0.0.1:0",
        ];
        let words = [&words[..], &["--upstream", &upstream]].concat();
        let mut child = sandbox.start(gate, &words)?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("no output")?).read_line(&mut line)?;
        Ok(Self {
            child,
            address: line.trim().to_owned(),
        })
    }
}

fn answer(request: &Request, seen: &Mutex<File>) -> Response {
    let Some(method) = request.body.get("method").and_then(Value::as_str) else {
        // It has nothing to say that belongs to no question.
        return Response::empty("405 Method Not Allowed");
    };
    if let Ok(mut seen) = seen.lock() {
        let _ = writeln!(seen, "{}", request.body);
    }
    let Some(id) = request.body.get("id") else {
        return Response::empty("202 Accepted");
    };
    let parameter = |path: &str| request.body.pointer(path).cloned().unwrap_or_default();
    let result = match method {
        "initialize" => json!({"protocolVersion": parameter("/params/protocolVersion"),
            "capabilities": {"tools": {}}, "serverInfo": {"name": "files", "version": "1"}}),
        "tools/list" => json!({"tools": [{"name": "write_file",
            "description": "Writes a file.", "inputSchema": {"type": "object",
            "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
            "required": ["path", "content"]}}]}),
        "tools/call" => {
            let word = |name: &str| {
                let word = parameter(&format!("/params/arguments/{name}"));
                word.as_str().unwrap_or_default().to_owned()
            };
            let written = fs::write(PathBuf::from(word("path")), word("content"));
            json!({"content": [{"type": "text", "text": format!("{written:?}")}]})
        }
        _ => json!({}),
    };
    Response::json(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
}
