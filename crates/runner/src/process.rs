//! One process with all that it starts: told its prompt, heard, and ended when its time is over.

use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use crate::sys;

/// How often a running process is looked at.
const PAUSE: Duration = Duration::from_millis(20);
/// How long it may take to end once it is asked to.
const LEAVE_TIME: Duration = Duration::from_secs(2);
/// How long what it printed is waited for once all of it has ended.
const REST_TIME: Duration = Duration::from_secs(1);
/// Most bytes that are kept of what it prints, and of what it complains.
const OUTPUT_BYTES_MAX: u64 = 8 * 1024 * 1024;
const COMPLAINT_BYTES_MAX: u64 = 64 * 1024;

/// How a process ended.
#[derive(Debug)]
pub struct Ended {
    /// Nothing if its time was over.
    pub status: Option<ExitStatus>,
    /// What it printed.
    pub stdout: Vec<u8>,
    /// What it complained.
    pub stderr: Vec<u8>,
}

/// Runs a command in a process group of its own and ends all of it.
///
/// # Errors
/// If it cannot be started.
pub fn run(command: &mut Command, input: &str, time_max: Duration) -> Result<Ended, String> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    sys::own_group(command);
    let end = Instant::now() + time_max;
    let mut child = command
        .spawn()
        .map_err(|error| format!("it could not be started: {error}"))?;
    tell(&mut child, input);
    let stdout = hear(child.stdout.take(), OUTPUT_BYTES_MAX);
    let stderr = hear(child.stderr.take(), COMPLAINT_BYTES_MAX);
    let is_late = !wait(&child, end);
    if is_late {
        sys::ask_group_to_end(&child);
        wait(&child, Instant::now() + LEAVE_TIME);
    }
    // What it left behind would go on after the verdict.
    sys::end_group(&child);
    let status = child.wait().ok().filter(|_| !is_late);
    let rest = |heard: Receiver<Vec<u8>>| heard.recv_timeout(REST_TIME).unwrap_or_default();
    Ok(Ended {
        status,
        stdout: rest(stdout),
        stderr: rest(stderr),
    })
}

/// Whether it ended in time.
fn wait(child: &Child, end: Instant) -> bool {
    while !sys::has_ended(child) {
        if Instant::now() >= end {
            return false;
        }
        thread::sleep(PAUSE);
    }
    true
}

fn tell(child: &mut Child, input: &str) {
    let (stdin, input) = (child.stdin.take(), input.to_owned());
    thread::spawn(move || {
        if let Some(mut stdin) = stdin {
            // Who does not read its prompt shows that by its answer.
            let _ = stdin.write_all(input.as_bytes());
        }
    });
}

/// All that a pipe brings; what is beyond the limit is read and dropped.
fn hear(pipe: Option<impl Read + Send + 'static>, bytes_max: u64) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What came before a failure is all there is.
            let _ = pipe.by_ref().take(bytes_max).read_to_end(&mut bytes);
            let _ = std::io::copy(&mut pipe, &mut std::io::sink());
        }
        // Nobody waits for it any more, or it is taken.
        let _ = sender.send(bytes);
    });
    receiver
}
