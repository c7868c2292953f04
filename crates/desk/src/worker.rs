//! A worker's turn: its process with all that it starts, told its prompt, heard line by line, and
//! gone when the turn is over, whoever ended it.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use hosts::Passes;
use runner::Variables;
use text::Redactor;
use work::runs::State;

use crate::run::log::Log;
use crate::sys::{self, Signal};
use crate::{keep, processes};

/// How often is looked whether a person ended the run.
const LOOK: Duration = Duration::from_millis(200);
/// How long what stands between us and the worker may take to end both.
const KEEPER_TIME: Duration = Duration::from_millis(5_500);
/// How long is waited for what it complained of last; what goes on may hold the pipe open.
const LAST_WORDS_TIME: Duration = Duration::from_secs(1);
/// Most bytes that are kept of what it prints.
const PRINTED_BYTES_MAX: usize = 256 * 1024;
/// Longest line that is understood.
const LINE_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Most characters of what is told of a failure.
const WHY_CHARS_MAX: usize = 600;

/// What a turn is.
pub struct Turn<'a> {
    /// Of which run.
    pub log: &'a Log<'a>,
    /// Which.
    pub number: u64,
    /// What the worker is told.
    pub prompt: &'a str,
    /// What it finds in its environment.
    pub variables: &'a Variables,
    /// After so long it is ended, and what is there is looked at.
    pub time_max: Duration,
    /// After so long without a line it counts as stalled.
    pub silence: Duration,
    /// Who is told that it is, and that it is not any more.
    pub silent: &'a dyn Fn(bool) -> Result<()>,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TurnEnd {
    /// Why it failed; empty if it did not.
    pub why: String,
    /// What it took, where the worker says so.
    pub tokens: Option<u64>,
    /// Processes that it left behind.
    pub left: u64,
    /// Whether this process was asked to end meanwhile, or a person ended the run.
    pub is_stopped: bool,
    /// The held call that a person must answer first.
    pub waits: Option<String>,
    /// When the limit of its model passes that ended it.
    pub limited: Option<Passes>,
}

/// What a line of the worker's means.
pub enum Heard {
    /// Nothing that ends the turn.
    On,
    /// The turn is over.
    Over(TurnEnd),
}

/// A worker that runs.
pub struct Worker {
    child: Child,
    /// Where it is told more; nothing once that is closed.
    pub stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    complaints: Arc<Mutex<String>>,
    /// What listens to its complaints, until all that could complain has ended.
    listener: Option<JoinHandle<()>>,
    /// How much of those was there at the last look.
    complained: usize,
    printed: String,
}

impl Worker {
    /// Starts a command in a directory, with all that it starts in our hands.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(command: &[String], turn: &Turn<'_>) -> Result<Self> {
        sys::adopt_orphans();
        let own = std::env::current_exe().context("where this program is, is not known")?;
        let mut keeper = Command::new(own);
        keeper.arg("keep").arg("--").args(command);
        keeper.current_dir(Path::new(&turn.log.about.dir));
        keeper.env_clear().envs(turn.variables.for_command());
        keeper.env(processes::MARK, &turn.log.id);
        keeper
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut keeper, 0);
        let mut child = keeper.spawn().context("the worker cannot be started")?;
        let complaints = Arc::new(Mutex::new(String::new()));
        let listener = child.stderr.take().map(|pipe| {
            let complaints = Arc::clone(&complaints);
            thread::spawn(move || listen(pipe, |line| note(&complaints, &line)))
        });
        let (sender, lines) = mpsc::channel();
        if let Some(pipe) = child.stdout.take() {
            // Nobody listens any more once the turn is over.
            thread::spawn(move || listen(pipe, |line| drop(sender.send(line))));
        }
        Ok(Self {
            stdin: child.stdin.take(),
            child,
            lines,
            complaints,
            listener,
            complained: 0,
            printed: String::new(),
        })
    }

    /// Tells it something, and nothing more after it.
    pub fn tell_all(&mut self, text: &str) {
        if let Some(mut stdin) = self.stdin.take() {
            let text = text.to_owned();
            // Who does not read its prompt shows that by its work.
            thread::spawn(move || drop(stdin.write_all(text.as_bytes())));
        }
    }

    /// Tells it a line. One that does not listen any more shows that by its end.
    pub fn tell(&mut self, line: &str) {
        if let Some(stdin) = &mut self.stdin {
            let told = writeln!(stdin, "{line}").and_then(|()| stdin.flush());
            if told.is_err() {
                self.stdin = None;
            }
        }
    }

    /// Hears it until the turn is over, its process ends, its time is over, or a person ends the
    /// run. Then all of it is ended.
    ///
    /// # Errors
    /// If the events of the run cannot be read.
    pub fn hear(
        mut self,
        turn: &Turn<'_>,
        mut on_line: impl FnMut(&mut Self, &str) -> Heard,
    ) -> Result<TurnEnd> {
        let end = Instant::now() + turn.time_max;
        let mut looked = Instant::now();
        let mut over = None;
        let mut is_stopped = false;
        let mut quiet = Quiet::new(turn);
        loop {
            match self.lines.recv_timeout(LOOK / 4) {
                Ok(line) => {
                    quiet.hears()?;
                    self.print(&line);
                    if let Heard::Over(end) = on_line(&mut self, &line) {
                        over = Some(end);
                        break;
                    }
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if proxy::sys::is_asked() {
                is_stopped = true;
                break;
            }
            if looked.elapsed() > LOOK {
                looked = Instant::now();
                match self.complains() {
                    true => quiet.hears()?,
                    false => quiet.looks()?,
                }
                is_stopped = matches!(turn.log.run()?.state, State::Stopped | State::Discarded);
            }
            // A process that ended may have left another that holds its output.
            if is_stopped || Instant::now() >= end || self.child.try_wait()?.is_some() {
                break;
            }
        }
        let is_late = Instant::now() >= end;
        let status = self.finish(over.is_none() && !is_late && !is_stopped)?;
        self.keep_printed(turn);
        let left = self.left();
        let Some(over) = over else {
            let is_cut = is_late || is_stopped;
            return Ok(TurnEnd {
                why: if is_cut {
                    String::new()
                } else {
                    self.why(status)
                },
                is_stopped,
                left,
                ..TurnEnd::default()
            });
        };
        Ok(TurnEnd { left, ..over })
    }

    /// Whether it complained since the last look.
    fn complains(&mut self) -> bool {
        let complaints = self
            .complaints
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut self.complained, complaints.len());
        before != complaints.len()
    }

    /// Waits for the end if it ends by itself, and ends what is there.
    fn finish(&mut self, ends_itself: bool) -> Result<Option<i32>> {
        self.stdin = None;
        if !ends_itself {
            sys::signal(self.child.id().into(), Signal::Ask);
        }
        let end = Instant::now() + KEEPER_TIME;
        let status = loop {
            if let Some(status) = self.child.try_wait()? {
                break Some(status);
            }
            if Instant::now() > end {
                self.child.kill()?;
                break Some(self.child.wait()?);
            }
            thread::sleep(LOOK / 20);
        };
        // Only where it was ended itself is there anything left.
        processes::sweep(processes::LEFT_TIME, processes::below_us);
        while let Ok(line) = self.lines.recv_timeout(LOOK / 20) {
            self.print(&line);
        }
        // Its last words say how many it left behind.
        let end = Instant::now() + LAST_WORDS_TIME;
        let listener = self.listener.as_ref();
        while Instant::now() < end && !listener.is_none_or(JoinHandle::is_finished) {
            thread::sleep(LOOK / 20);
        }
        Ok(status.and_then(|status| status.code()))
    }

    fn print(&mut self, line: &str) {
        self.printed.push_str(line);
        self.printed.push('\n');
        if self.printed.len() > PRINTED_BYTES_MAX {
            let from = self.printed.ceil_char_boundary(PRINTED_BYTES_MAX / 2);
            self.printed.drain(..from);
        }
    }

    /// Keeps what it printed, without secrets, for people to read.
    fn keep_printed(&self, turn: &Turn<'_>) {
        let complaints = self
            .complaints
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let text = [&*self.printed, &*complaints].concat();
        let text = Redactor::default().text(&text);
        let name = format!("turn-{}.log", turn.number);
        // What cannot be written is missed by people alone.
        let _ = turn
            .log
            .store
            .keep_of_run(&turn.log.id, &name, text.as_bytes());
    }

    fn left(&self) -> u64 {
        let complaints = self
            .complaints
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let mut lines = complaints.lines().rev();
        let said = lines.find_map(|line| line.strip_prefix(keep::LEFT));
        said.and_then(|number| number.parse().ok()).unwrap_or(0)
    }

    /// Why it failed; empty if it ended well.
    fn why(&self, status: Option<i32>) -> String {
        let status = match status {
            Some(0) => return String::new(),
            Some(code) => format!("it ended with {code}"),
            None => "it was ended".to_owned(),
        };
        let complaints = self
            .complaints
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let ours = |line: &&str| !line.starts_with(keep::LEFT) && !line.trim().is_empty();
        let last: Vec<&str> = complaints.lines().rev().filter(ours).take(3).collect();
        let last: Vec<&str> = match last.is_empty() {
            true => self.printed.lines().rev().take(3).collect(),
            false => last,
        };
        let last: Vec<&str> = last.into_iter().rev().collect();
        let last = last.join(" / ");
        let colon = if last.is_empty() { "" } else { ": " };
        let text = Redactor::default().text(&format!("{status}{colon}{last}"));
        text.chars().take(WHY_CHARS_MAX).collect()
    }
}

/// How long nothing was heard.
struct Quiet<'a> {
    turn: &'a Turn<'a>,
    since: Instant,
    is_told: bool,
}

impl<'a> Quiet<'a> {
    fn new(turn: &'a Turn<'a>) -> Self {
        Self {
            turn,
            since: Instant::now(),
            is_told: false,
        }
    }

    fn hears(&mut self) -> Result<()> {
        self.since = Instant::now();
        match std::mem::take(&mut self.is_told) {
            true => (self.turn.silent)(false),
            false => Ok(()),
        }
    }

    fn looks(&mut self) -> Result<()> {
        if self.is_told || self.since.elapsed() < self.turn.silence {
            return Ok(());
        }
        self.is_told = true;
        (self.turn.silent)(true)
    }
}

/// Reads lines to the end.
fn listen(pipe: impl Read, mut on_line: impl FnMut(String)) {
    let mut reader = BufReader::new(pipe);
    loop {
        let mut bytes = Vec::new();
        let mut part = reader.by_ref().take(LINE_BYTES_MAX);
        match part.read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                let text = String::from_utf8_lossy(&bytes);
                on_line(text.trim_end_matches(['\n', '\r']).to_owned());
            }
        }
    }
}

fn note(complaints: &Mutex<String>, line: &str) {
    let mut text = complaints.lock().unwrap_or_else(PoisonError::into_inner);
    text.push_str(line);
    text.push('\n');
    if text.len() > PRINTED_BYTES_MAX {
        let from = text.ceil_char_boundary(PRINTED_BYTES_MAX / 2);
        text.drain(..from);
    }
}
