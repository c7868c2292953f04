//! A client of the proxy, and a server of tools behind it that writes down what reaches it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use model::{Effect, GrantLevel, Time};
use serde_json::{Value, json};
use store::{SessionChange, Store};
use work::approvals::{self, Approval, ApprovalState, Approvals};

use crate::world::World;

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

/// How long a frame may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// A world with a server in it.
pub struct Served {
    pub world: World,
}

/// A proxy that runs, seen by its client.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    frames: Receiver<String>,
}

impl Served {
    pub fn new() -> Self {
        let world = World::new();
        world.place.write("server.sh", SERVER);
        // Only here: who replaces it has to ask.
        world.place.write("proj/notes.md", "nowhere else\n");
        Self { world }
    }

    pub fn command(&self, more: &[&str]) -> Command {
        let server = self.world.place.at("server.sh");
        let server = server.to_str().unwrap();
        let mut words = vec!["proxy", "--name", "filesystem"];
        words.extend(more);
        words.extend(["--", "sh", server]);
        let mut command = self.world.desk_command(&words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command
    }

    pub fn client(&self, more: &[&str]) -> Client {
        Client::start(&mut self.command(more))
    }

    /// What reached the server.
    pub fn seen(&self) -> String {
        self.world.place.read("seen")
    }

    /// How often a text stands in what reached the server.
    pub fn times_seen(&self, text: &str) -> usize {
        self.seen().matches(text).count()
    }

    pub fn store(&self) -> Store {
        Store::open(&self.world.place.at("state")).unwrap()
    }

    /// The session of the proxy and its questions.
    pub fn questions(&self) -> (String, Vec<Approval>) {
        let store = self.store();
        let sessions = store.sessions().unwrap().into_iter();
        let mut own = sessions.filter(|session| session.starts_with("mcp-filesystem-"));
        let session = own.next().unwrap_or_default();
        let record = store.session(&session).unwrap().value;
        (session, Approvals::of(&record).list)
    }

    /// A person's word in a terminal, on the only question that waits.
    pub fn answers(&self, yes: bool) {
        let (session, all) = self.questions();
        let mut waits = all.iter().filter(|one| one.state == ApprovalState::Pending);
        let asked = waits.next().expect("nothing waits");
        let change = match yes {
            true => approvals::granted(asked, GrantLevel::Terminal, ""),
            false => {
                let record = self.store().session(&session).unwrap().value;
                approvals::refuse(&Approvals::of(&record), &asked.id, "", asked.asked).unwrap()
            }
        };
        let steps = approvals::steps_of_yes(change).into_iter();
        let effects: Vec<Effect> = steps.map(Effect::Step).collect();
        let change = SessionChange {
            session: &session,
            time: Time(1),
            by: "tollgate",
            verb: "approve",
            effects: &effects,
        };
        self.store().change(&change).unwrap();
    }

    /// The same, once a question waits.
    pub fn answers_soon(&self, yes: bool) {
        self.until(|| {
            let (_, all) = self.questions();
            all.iter().any(|one| one.state == ApprovalState::Pending)
        });
        self.answers(yes);
    }

    /// Waits until something is so.
    pub fn until(&self, is_so: impl Fn() -> bool) {
        let begun = Instant::now();
        while !is_so() {
            assert!(begun.elapsed() < PATIENCE, "{}", self.seen());
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// A call of a tool that replaces what exists nowhere else.
pub fn replaces(id: u64) -> Value {
    call(
        id,
        "write_file",
        json!({"path": "notes.md", "content": "mine"}),
    )
}

pub fn call(id: u64, tool: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
           "params": {"name": tool, "arguments": arguments}})
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
