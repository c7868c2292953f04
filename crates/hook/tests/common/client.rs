//! The client's side of one run of the hook: sends bytes, waits, reads what came, and does what
//! the answer lets it do.

use std::ffi::OsStr;
use std::io::Write;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Answer, World};

/// The session of all payloads that are made here.
pub const SESSION: &str = "00000000-0000-4000-8000-000000000001";

/// One run of the hook, seen from outside.
#[derive(Debug)]
pub struct Run {
    pub answer: Answer,
    pub took: Duration,
}

impl Run {
    /// All that was said, on both streams.
    pub fn words(&self) -> String {
        format!("{}{}", self.answer.stdout, self.answer.stderr)
    }

    /// Whether standard output is what a client can read: nothing, or one JSON object.
    pub fn is_readable(&self) -> bool {
        let said = &self.answer.stdout;
        said.is_empty() || serde_json::from_str::<Value>(said).is_ok_and(|said| said.is_object())
    }

    /// What became of the event: `-` nothing was said, `adv` words, `ASK` or `DENY`.
    pub fn outcome(&self) -> &'static str {
        let said: Value = serde_json::from_str(&self.answer.stdout).unwrap_or_default();
        let specific = &said["hookSpecificOutput"];
        let decision = specific["permissionDecision"]
            .as_str()
            .or(said["decision"].as_str());
        match (decision, self.answer.code) {
            (Some("ask"), 0) => "ASK",
            (Some("deny" | "block"), _) | (None, 2) => "DENY",
            (None, 0) if specific["additionalContext"].is_string() => "adv",
            (None, 0) if self.answer.stdout.is_empty() => "-",
            other => panic!("no such answer: {other:?} {self:?}"),
        }
    }
}

/// Sends bytes and closes the pipe.
pub fn send(command: &mut Command, bytes: &[u8]) -> Run {
    send_slowly(command, bytes, usize::MAX, Duration::ZERO)
}

/// Sends bytes in pieces with pauses, and closes the pipe.
pub fn send_slowly(command: &mut Command, bytes: &[u8], piece: usize, pause: Duration) -> Run {
    let begin = Instant::now();
    let mut child = spawn(command);
    let mut stdin = child.stdin.take().unwrap();
    let out = std::thread::scope(|scope| {
        scope.spawn(move || {
            for part in bytes.chunks(piece) {
                // The hook may answer before it has read everything.
                if stdin.write_all(part).is_err() {
                    return;
                }
                std::thread::sleep(pause);
            }
        });
        child.wait_with_output().unwrap()
    });
    Run {
        answer: answer(out),
        took: begin.elapsed(),
    }
}

/// The same command at a terminal of its own: what it prints goes there. Its standard input stays
/// what it was, and what it says as an error comes out as standard output.
pub fn at_terminal(command: &Command) -> Command {
    const START: &str = "exec 3<&0 4>&1; \
        exec script -qec \"$AT_TERMINAL <&3 2>&4 3<&- 4>&-\" /dev/null </dev/null >/dev/null";
    let words = [command.get_program()]
        .into_iter()
        .chain(command.get_args());
    let quoted = |word: &OsStr| format!("'{}'", word.to_str().unwrap().replace('\'', "'\\''"));
    let line: Vec<String> = words.map(quoted).collect();
    let mut started = Command::new("/bin/sh");
    started.args(["-c", START]).env_clear();
    started.envs(command.get_envs().filter_map(|(k, v)| Some((k, v?))));
    started.env("AT_TERMINAL", format!("exec {}", line.join(" ")));
    if let Some(dir) = command.get_current_dir() {
        started.current_dir(dir);
    }
    started
}

/// Starts the hook with all streams piped.
pub fn spawn(command: &mut Command) -> Child {
    let command = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// What a process answered.
pub fn answer(out: Output) -> Answer {
    Answer {
        stdout: String::from_utf8(out.stdout).unwrap(),
        stderr: String::from_utf8(out.stderr).unwrap(),
        code: out.status.code().unwrap_or(-1),
    }
}

/// A payload of an event with what it says beside the fields of all events.
pub fn payload(world: &World, event: &str, more: Value) -> Value {
    let mut payload = json!({
        "session_id": SESSION,
        "transcript_path": world.root.join("transcript.jsonl"),
        "cwd": world.cwd,
        "permission_mode": "default",
        "hook_event_name": event,
    });
    let fields = payload.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    payload
}

/// A payload of a shell command that is about to run.
pub fn bash(world: &World, command: &str, id: &str) -> Value {
    let call = json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": id});
    payload(world, "PreToolUse", call)
}

/// A payload of a file that is about to be read.
pub fn read(world: &World, id: &str) -> Value {
    let input = json!({"file_path": world.cwd.join("a.txt")});
    let call = json!({"tool_name": "Read", "tool_input": input, "tool_use_id": id});
    payload(world, "PreToolUse", call)
}
