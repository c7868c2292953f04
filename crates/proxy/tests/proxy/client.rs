//! A client of the proxy, and a server of tools behind it that writes down what reaches it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::served::{PATIENCE, Served};

/// A server that answers every call with `RAN`, and does what it is told besides.
pub const SERVER: &str = r#"
while IFS= read -r line; do
  printf '%s\n' "$line" >> "$PLACE/seen"
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"dies"'*) exit 7 ;;
    *'"sleeps"'*) ;;
    *'"tools/call"'*)
      printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"RAN"}]}}\n' "$id" ;;
    *'"tools/list"'*)
      printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$(cat "$PLACE/tools")" ;;
    *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{}}\n' "$id" ;;
    *'"echo"'*) printf '%s\n' "$line" ;;
  esac
done
echo ended >> "$PLACE/seen"
"#;

/// A proxy that runs, seen by its client.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    frames: Receiver<String>,
}

impl Served {
    /// How often a text stands in what reached the server.
    pub fn times_seen(&self, text: &str) -> usize {
        self.seen().matches(text).count()
    }

    /// A program in the project.
    pub fn program(&self, program: &str, words: &[&str]) -> Command {
        let mut command = self.place.command(program, words);
        command.current_dir(self.place.at("proj"));
        command.env("PLACE", self.place.at(""));
        command
    }

    pub fn command(&self, more: &[&str]) -> Command {
        let server = self.place.at("server.sh");
        if !server.exists() {
            self.place.write("server.sh", SERVER);
        }
        let server = server.to_str().unwrap();
        let mut words = vec!["--name", "filesystem"];
        words.extend(more);
        words.extend(["--", "sh", server]);
        let mut command = self.program(env!("CARGO_BIN_EXE_tollgate-proxy"), &words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command
    }

    pub fn client(&self, more: &[&str]) -> Client {
        Client::start(&mut self.command(more))
    }
}

/// The text of an answer, and whether it is an error for the model.
pub fn said(answer: &str) -> (String, bool) {
    let answer: Value = serde_json::from_str(answer).unwrap();
    let text = answer["result"]["content"][0]["text"].as_str();
    let text = text.unwrap_or_else(|| panic!("{answer}")).to_owned();
    (text, answer["result"]["isError"] == true)
}

impl Client {
    pub fn start(command: &mut Command) -> Self {
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        let (sender, frames) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).split(b'\n') {
                let line = String::from_utf8_lossy(&line.unwrap()).into_owned();
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self {
            child,
            input,
            frames,
        }
    }

    pub fn send(&mut self, frame: &Value) {
        self.send_text(&frame.to_string());
    }

    pub fn send_text(&mut self, frame: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(frame.as_bytes()).unwrap();
        input.write_all(b"\n").unwrap();
    }

    pub fn input(&mut self) -> &mut ChildStdin {
        self.input.as_mut().unwrap()
    }

    pub fn next(&self) -> String {
        self.frames.recv_timeout(PATIENCE).expect("nothing came")
    }

    /// Whether nothing comes for a while.
    pub fn is_quiet(&self) -> bool {
        self.frames
            .recv_timeout(Duration::from_millis(300))
            .is_err()
    }

    /// Closes the input and waits for the end.
    pub fn leave(mut self) -> Option<i32> {
        self.input.take();
        self.child.wait().unwrap().code()
    }

    pub fn wait(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.input.take();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
