//! Starting other programs and not waiting for ever.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How often a running program is looked at.
const PAUSE: Duration = Duration::from_millis(2);

/// How much of what a program prints is read at once, and how much of it may wait.
const PIECE_BYTES: usize = 64 * 1024;
const PIECES_MAX: usize = 16;

/// What came of a program.
pub struct Outcome {
    /// What it printed.
    pub stdout: Vec<u8>,
    /// What it complained.
    pub stderr: Vec<u8>,
    /// How it ended.
    pub status: ExitStatus,
    /// How long it took.
    pub time: Duration,
}

/// Runs a program with this input, and ends it after `time_max`.
///
/// # Errors
/// If it cannot be started, or took too long.
pub fn run(command: &mut Command, input: &[u8], time_max: Duration) -> io::Result<Outcome> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let begin = Instant::now();
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // It may answer before it has read everything.
        let _ = stdin.write_all(input);
    }
    let (stdout, stderr) = (reader(child.stdout.take()), reader(child.stderr.take()));
    let status = wait(&mut child, begin + time_max)?;
    let time = begin.elapsed();
    Ok(Outcome {
        stdout: text(stdout),
        stderr: text(stderr),
        status,
        time,
    })
}

/// Runs a program without input and hands on what it prints, piece by piece, as it comes. It is
/// ended after `time_max`.
///
/// # Errors
/// If it cannot be started, or took too long.
pub fn stream(
    command: &mut Command,
    take: &mut dyn FnMut(&[u8]),
    time_max: Duration,
) -> io::Result<ExitStatus> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let end = Instant::now() + time_max;
    let mut child = command.spawn()?;
    let pieces = pieces(child.stdout.take());
    loop {
        let left = end.saturating_duration_since(Instant::now());
        match pieces.recv_timeout(left) {
            Ok(piece) => take(&piece),
            // If it was for the time, that is said where it is waited for.
            Err(_) => break,
        }
    }
    wait(&mut child, end)
}

/// What a program prints, as it comes; few pieces wait to be taken.
fn pieces(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::sync_channel(PIECES_MAX);
    thread::spawn(move || {
        let Some(mut pipe) = pipe else {
            return;
        };
        let mut piece = vec![0; PIECE_BYTES];
        while let Ok(count @ 1..) = pipe.read(&mut piece) {
            let read = piece.get(..count).unwrap_or_default().to_vec();
            if sender.send(read).is_err() {
                break;
            }
        }
    });
    receiver
}

/// Tells a program these lines and waits for the line of its output that `hear` understands; then
/// it is ended. Its input stays open until then.
///
/// # Errors
/// If it cannot be started, ends or takes too long before it has said that line.
pub fn converse<T>(
    command: &mut Command,
    lines: &[String],
    hear: impl Fn(&str) -> Option<T>,
    time_max: Duration,
) -> io::Result<T> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let end = Instant::now() + time_max;
    let mut child = command.spawn()?;
    let mut stdin = child.stdin.take();
    if let Some(stdin) = &mut stdin {
        stdin.write_all(lines.concat().as_bytes())?;
        stdin.flush()?;
    }
    let said = said(child.stdout.take());
    let found = loop {
        let left = end.saturating_duration_since(Instant::now());
        match said.recv_timeout(left) {
            Ok(line) => {
                if let Some(found) = hear(&line) {
                    break Ok(found);
                }
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {
                break Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    "it did not answer in time",
                ));
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                break Err(io::Error::new(
                    io::ErrorKind::UnexpectedEof,
                    "it ended without an answer",
                ));
            }
        }
    };
    drop(stdin);
    // With its input closed it may end by itself; it is not waited for.
    drop(child.kill());
    child.wait()?;
    found
}

/// The lines that a program prints, as they come.
fn said(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let lines = pipe
            .into_iter()
            .flat_map(|pipe| BufReader::new(pipe).lines());
        for line in lines.map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

fn reader(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What came before a failure is all there is.
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

fn text(reader: JoinHandle<Vec<u8>>) -> Vec<u8> {
    reader.join().unwrap_or_default()
}

fn wait(child: &mut Child, end: Instant) -> io::Result<ExitStatus> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if Instant::now() > end {
            child.kill()?;
            child.wait()?;
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "it did not answer in time",
            ));
        }
        thread::sleep(PAUSE);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_comes_is_handed_on() {
        let shell = |script: &str, time_max: Duration| {
            let mut told = Vec::new();
            let mut command = Command::new("/bin/sh");
            let status = stream(
                command.args(["-c", script]),
                &mut |piece| told.extend_from_slice(piece),
                time_max,
            );
            (told, status.map(|status| status.code()))
        };
        let (told, status) = shell("printf abc; echo no >&2; exit 3", Duration::from_secs(20));
        assert_eq!((&*told, status.ok()), (&b"abc"[..], Some(Some(3))));
        let (_, late) = shell("exec sleep 30", Duration::ZERO);
        let late = late.map_err(|error| error.kind());
        assert_eq!(late, Err(io::ErrorKind::TimedOut));
    }

    #[test]
    fn programs_end() {
        let shell = |script: &str, seconds: u64| {
            let mut command = Command::new("/bin/sh");
            run(
                command.args(["-c", script]),
                b"in",
                Duration::from_secs(seconds),
            )
        };
        let outcome = shell("cat; echo no >&2; exit 3", 20).unwrap();
        assert_eq!(
            (&*outcome.stdout, &*outcome.stderr),
            (&b"in"[..], &b"no\n"[..])
        );
        assert_eq!(outcome.status.code(), Some(3));
        let late = shell("exec sleep 30", 0);
        assert_eq!(
            late.err().map(|error| error.kind()),
            Some(io::ErrorKind::TimedOut)
        );
    }
}
