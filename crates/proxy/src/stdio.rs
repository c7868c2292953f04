//! The proxy over standard input and output: the server is a process below this one.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use hosts::proxied::{self, Frame, Kind, Message, Refusal, ToolCall, same_id};

use crate::calls::{Calls, Next};
use crate::lines::{Came, Lines};
use crate::{FAILED, failure, sys};

/// How long the server may take to end once its input has ended, and again once it is asked to.
const LEAVE_TIME: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(5);
/// The code of an error of the protocol that is a server's own.
const ENDED: i32 = -32_000;
/// The code of a request that is none.
const INVALID: i32 = -32_600;

/// Both ends of a proxy.
struct Relay {
    calls: Calls,
    client: Mutex<File>,
    /// The server's input; nothing once it is closed.
    server: Mutex<Option<ChildStdin>>,
    /// Requests that are no calls and have no answer.
    requests: Mutex<Vec<String>>,
    /// Those of them that ask for the tools.
    lists: Mutex<Vec<String>>,
    /// Whether we are about to end ourselves.
    ends: AtomicBool,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Relays until one side is gone.
///
/// # Errors
/// If the server cannot be started.
pub fn run(command: &[OsString], calls: Calls) -> Result<u8> {
    sys::heed_requests();
    let (program, words) = command.split_first().context("no command of a server")?;
    let mut server = Command::new(program)
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| {
            let program = program.to_string_lossy();
            format!("the server {program} cannot be started; check the command after `--`")
        })?;
    let (input, output) = (server.stdin.take(), server.stdout.take());
    let relay = Arc::new(Relay {
        calls,
        client: Mutex::new(File::from(io::stdout().as_fd().try_clone_to_owned()?)),
        server: Mutex::new(input),
        requests: Mutex::default(),
        lists: Mutex::default(),
        ends: AtomicBool::new(false),
    });
    let server = Arc::new(Mutex::new(server));
    let output = output.context("the server has no output")?;
    let pump = {
        let (relay, server) = (Arc::clone(&relay), Arc::clone(&server));
        thread::spawn(move || relay.pump(output, &server))
    };
    relay.read_client()?;
    relay.ends.store(true, Ordering::SeqCst);
    relay.calls.leave();
    locked(&relay.server).take();
    let code = end(&server);
    // What the server said last has to arrive.
    let _ = pump.join();
    Ok(code)
}

/// Waits for the server's end: asks for it after a while, and ends it after another.
fn end(server: &Mutex<Child>) -> u8 {
    let begun = Instant::now();
    let (mut is_asked, mut is_ended) = (false, false);
    loop {
        let mut server = locked(server);
        match server.try_wait() {
            Ok(None) => {}
            Ok(Some(status)) => return code(status),
            Err(_) => return FAILED,
        }
        if begun.elapsed() > LEAVE_TIME && !is_asked {
            is_asked = true;
            sys::ask_to_end(&server);
        }
        if begun.elapsed() > 2 * LEAVE_TIME && !is_ended {
            is_ended = true;
            let _ = server.kill();
        }
        drop(server);
        thread::sleep(PAUSE);
    }
}

fn code(status: std::process::ExitStatus) -> u8 {
    let code = status.code();
    code.map_or(0, |code| u8::try_from(code).unwrap_or(FAILED))
}

impl Relay {
    /// Takes the client's frames until it is gone, or somebody asks us to end.
    fn read_client(self: &Arc<Self>) -> Result<()> {
        let input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        let number = input.as_raw_fd();
        let mut lines = Lines::new(input);
        loop {
            match lines.next(|| sys::waits_for(number))? {
                Came::Frame(frame) => self.from_client(frame),
                Came::TooLong(head) => self.too_long(head),
                Came::End => return Ok(()),
            }
        }
    }

    fn from_client(self: &Arc<Self>, bytes: &[u8]) {
        let end = bytes.trim_ascii_end().len();
        let read = proxied::frame(bytes.get(..end).unwrap_or_default());
        match read {
            Frame::Other => self.to_server(bytes),
            Frame::Doubtful => {
                let words = "tollgate: this message could be a call and cannot be read for sure, \
                             so it was not sent on. Send one plain JSON object a line.";
                failure("a message that cannot be read for sure was not sent on");
                self.to_client(&proxied::failure("", INVALID, words));
            }
            Frame::One(message) => self.message(&message, bytes),
            Frame::Many(messages) => {
                let is_call = |one: &Message<'_>| matches!(one.kind, Kind::Call(_));
                if messages.iter().any(is_call) {
                    // Each is judged, so each goes its own way.
                    for one in &messages {
                        self.message(one, &[one.raw.as_bytes(), b"\n"].concat());
                    }
                } else {
                    messages.iter().for_each(|one| self.note(one));
                    self.to_server(bytes);
                }
            }
        }
    }

    fn message(self: &Arc<Self>, message: &Message<'_>, bytes: &[u8]) {
        match &message.kind {
            Kind::Call(call) => self.call(message, call, bytes),
            Kind::Cancel(id) => {
                // No call is sent on between the look and the word to the server.
                let mut server = locked(&self.server);
                if self.calls.cancel(id) {
                    write(&mut server, bytes);
                }
            }
            kind => {
                if let Kind::Hello(client) = kind {
                    self.calls.greeted(client);
                }
                self.note(message);
                self.to_server(bytes);
            }
        }
    }

    /// Remembers a request, to answer it if the server cannot.
    fn note(&self, message: &Message<'_>) {
        if !message.id.is_empty() && !matches!(message.kind, Kind::Answer(_)) {
            if message.kind == Kind::List {
                locked(&self.lists).push(message.id.to_owned());
            }
            locked(&self.requests).push(message.id.to_owned());
        }
    }

    fn call(self: &Arc<Self>, message: &Message<'_>, call: &ToolCall<'_>, bytes: &[u8]) {
        let (number, next) = self.calls.begin(message, call);
        if next != Next::Wait {
            return self.follow(number, next, (message.id, bytes));
        }
        let (relay, frame) = (Arc::clone(self), bytes.to_vec());
        thread::spawn(move || relay.hold(number, &frame));
    }

    /// Holds a call until it is clear what becomes of it.
    fn hold(&self, number: u64, bytes: &[u8]) {
        let Frame::One(message) = proxied::frame(bytes.trim_ascii_end()) else {
            return;
        };
        let Kind::Call(call) = &message.kind else {
            return;
        };
        let tell = |times, words: &str| {
            if !call.token.is_empty() {
                self.to_client(&proxied::progress(call.token, times, words));
            }
        };
        let next = self.calls.wait(number, call, tell);
        self.follow(number, next, (message.id, bytes));
    }

    fn follow(&self, number: u64, next: Next, (id, bytes): (&str, &[u8])) {
        match next {
            Next::Send => {
                let mut server = locked(&self.server);
                if self.calls.forward(number) && !write(&mut server, bytes) {
                    self.calls.lose(number);
                }
            }
            // What has no id wants no answer.
            Next::Say(why) if !id.is_empty() => {
                self.to_client(&proxied::refusal(Refusal { id, why: &why }));
            }
            Next::Say(_) | Next::Wait | Next::Nothing => {}
        }
    }

    /// Hands on what the server says until it is gone.
    fn pump(&self, output: ChildStdout, server: &Mutex<Child>) {
        let mut lines = Lines::new(output);
        loop {
            match lines.next(|| true) {
                Ok(Came::Frame(frame)) => {
                    match self.listed(frame) {
                        Some(shorter) => self.to_client(shorter.as_bytes()),
                        None => self.to_client(frame),
                    }
                    self.answers(frame.trim_ascii_end());
                }
                Ok(Came::TooLong(head)) => self.too_long(head),
                Ok(Came::End) | Err(_) => break,
            }
        }
        if self.ends.load(Ordering::SeqCst) {
            return;
        }
        let requests = std::mem::take(&mut *locked(&self.requests));
        let words = "the server of tools ended before it answered".to_owned();
        let requests = requests.into_iter().map(|id| (id, words.clone()));
        for (id, words) in requests.chain(self.calls.end_all()) {
            self.to_client(&proxied::failure(&id, ENDED, &words));
        }
        let code = end(server);
        failure("the server of tools has ended");
        std::process::exit(code.into());
    }

    /// A list of tools without those that are hidden; nothing for what is to arrive as it is.
    fn listed(&self, frame: &[u8]) -> Option<String> {
        if locked(&self.lists).is_empty() {
            return None;
        }
        let Frame::One(message) = proxied::frame(frame.trim_ascii_end()) else {
            return None;
        };
        let Kind::Answer(result) = message.kind else {
            return None;
        };
        let mut lists = locked(&self.lists);
        let at = lists.iter().position(|id| same_id(id, message.id))?;
        lists.swap_remove(at);
        drop(lists);
        let hidden = self.calls.listed(&proxied::tools(result));
        if hidden.is_empty() {
            return None;
        }
        let text = std::str::from_utf8(frame).ok()?;
        proxied::without(text, |name| hidden.iter().any(|one| one == name))
    }

    /// Notes what the server has answered.
    fn answers(&self, frame: &[u8]) {
        let messages = match proxied::frame(frame) {
            Frame::One(message) => vec![message],
            Frame::Many(messages) => messages,
            Frame::Other | Frame::Doubtful => return,
        };
        for message in messages {
            if let Kind::Answer(_) = message.kind {
                self.calls.answered(message.id);
                locked(&self.requests).retain(|id| !same_id(id, message.id));
            }
        }
    }

    /// A frame that is too long goes nowhere; whoever waits for it is told.
    fn too_long(&self, head: &[u8]) {
        let id = proxied::id_in_head(head).unwrap_or_default();
        failure("a message of more than 16 MiB was dropped");
        if !id.is_empty() {
            self.calls.answered(&id);
            locked(&self.requests).retain(|known| !same_id(known, &id));
        }
        let words = "tollgate: a message of more than 16 MiB was dropped; ask for less at once";
        self.to_client(&proxied::failure(&id, ENDED, words));
    }

    fn to_server(&self, bytes: &[u8]) {
        write(&mut locked(&self.server), bytes);
    }

    fn to_client(&self, bytes: &[u8]) {
        // If it is gone, its end is seen where it is read.
        let _ = locked(&self.client).write_all(bytes);
    }
}

/// Whether a frame was handed to the server.
fn write(server: &mut Option<ChildStdin>, bytes: &[u8]) -> bool {
    server
        .as_mut()
        .is_some_and(|server| server.write_all(bytes).is_ok())
}
