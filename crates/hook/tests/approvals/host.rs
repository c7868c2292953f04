//! A host for tests: a process that makes the sockets which are its hooks' standard inputs. It is
//! this very test binary, started once more.

use std::io::{BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::common::client;
use crate::common::{Answer, World};

/// Makes this binary a host.
const IS_HOST: &str = "APPROVALS_HOST";
/// Begins what a host says to the test.
const SAYS: &str = "@@";

/// A host process.
pub struct Host {
    child: Child,
    out: BufReader<ChildStdout>,
    calls: u32,
}

impl Host {
    pub fn start(world: &World) -> Self {
        Self::start_with(world, &[("CLAUDE_CODE_SESSION_ATTENDED", "1")])
    }

    /// A host where nobody sits.
    pub fn headless(world: &World) -> Self {
        Self::start_with(world, &[])
    }

    pub fn start_with(world: &World, env: &[(&str, &str)]) -> Self {
        let mut host = Command::new(std::env::current_exe().unwrap());
        host.args(["--exact", "host::host", "--nocapture", "--test-threads=1"]);
        let hook = world.hook("");
        host.env_clear().current_dir(&world.cwd).env(IS_HOST, "1");
        let env_of_hook = hook.get_envs().filter_map(|(k, v)| Some((k, v?)));
        host.envs(env_of_hook).envs(env.iter().copied());
        let mut host = client::at_terminal(&host);
        host.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = host.spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Self {
            child,
            out,
            calls: 0,
        }
    }

    pub fn event(&mut self, world: &World, event: &str, more: Value) -> Answer {
        let mut payload = client::payload(world, event, more);
        if payload["permission_mode"] == "default" {
            // Here this client would not ask by itself.
            payload["permission_mode"] = "bypassPermissions".into();
        }
        let line = json!({"event": event, "payload": payload.to_string()});
        let stdin = self.child.stdin.as_mut().unwrap();
        writeln!(stdin, "{line}").unwrap();
        let said = loop {
            let mut line = String::new();
            assert_ne!(self.out.read_line(&mut line).unwrap(), 0, "the host ended");
            if let Some((_, said)) = line.split_once(SAYS) {
                break serde_json::from_str::<Value>(said).unwrap();
            }
        };
        let text = |name: &str| said[name].as_str().unwrap().to_owned();
        Answer {
            stdout: text("stdout"),
            stderr: text("stderr"),
            code: said["code"].as_i64().unwrap().try_into().unwrap(),
        }
    }

    pub fn bash(&mut self, world: &World, command: &str) -> Answer {
        let id = self.id("toolu");
        self.bash_as(world, command, &id)
    }

    /// An id that no other event has.
    fn id(&mut self, kind: &str) -> String {
        self.calls += 1;
        format!("{kind}_{}_{}", self.child.id(), self.calls)
    }

    pub fn bash_as(&mut self, world: &World, command: &str, id: &str) -> Answer {
        let input = json!({"command": command, "description": format!("try {id}")});
        let call = json!({"tool_name": "Bash", "tool_input": input, "tool_use_id": id});
        self.event(world, "PreToolUse", call)
    }

    pub fn prompt(&mut self, world: &World, text: &str) -> Answer {
        // Within two seconds the same prompt counts as one.
        let more = json!({"prompt": text, "tool_use_id": self.id("prompt")});
        self.event(world, "UserPromptSubmit", more)
    }

    pub fn result(&mut self, world: &World, output: &str) -> Answer {
        let more = json!({
            "tool_name": "Bash", "tool_input": {"command": "cat x"},
            "tool_response": {"stdout": output}, "tool_use_id": self.id("read"),
        });
        self.event(world, "PostToolUse", more)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// No test of its own: what a host does.
#[test]
fn host() {
    if std::env::var(IS_HOST).is_err() {
        return;
    }
    for line in std::io::stdin().lines() {
        let asked: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let payload = asked["payload"].as_str().unwrap();
        let all: Value = serde_json::from_str(payload).unwrap();
        let said = match all["all"].as_array() {
            Some(all) => at_once(all),
            None => call_hook(asked["event"].as_str().unwrap(), payload),
        };
        let said = json!({"stdout": said.stdout, "stderr": said.stderr, "code": said.code});
        // Standard output is the terminal.
        eprintln!("{SAYS}{said}");
    }
}

/// Runs the hook on an event.
fn call_hook(event: &str, payload: &str) -> Answer {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let mut hook = Command::new(super::common::hook_program());
    hook.args(["claude", event]).env_remove(IS_HOST);
    hook.stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = hook.spawn().unwrap();
    // Else the command still holds the other end.
    drop(hook);
    let _ = (&ours).write_all(payload.as_bytes());
    let _ = ours.shutdown(Shutdown::Write);
    client::answer(child.wait_with_output().unwrap())
}

/// Runs the hook on many calls at the same time; their levels, and what was said.
fn at_once(payloads: &[Value]) -> Answer {
    let said: Vec<Value> = std::thread::scope(|scope| {
        let run = |payload: &Value| {
            let payload = payload.as_str().unwrap().to_owned();
            scope.spawn(move || {
                let said = call_hook("PreToolUse", &payload);
                json!([said.level(), said.stdout])
            })
        };
        let running: Vec<_> = payloads.iter().map(run).collect();
        running.into_iter().map(|one| one.join().unwrap()).collect()
    });
    Answer {
        stdout: json!(said).to_string(),
        stderr: String::new(),
        code: 0,
    }
}
