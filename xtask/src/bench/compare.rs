//! What grants cost: the same call from a host that is proven and from one that is not, and in a
//! session with an open question and a copy kept for undo and in a fresh one. Only the differences
//! of one run mean anything.

use std::fs;
use std::io::{PipeReader, Write, pipe};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{Ground, ROUNDS, quantile, shuffled};

/// Rounds that are not counted: the first call of a session has more to do.
const WARM_UP: usize = 3;

/// How a payload comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Through {
    /// A socket whose other end is the host's.
    Socket,
    /// A pipe, which shows nobody.
    Pipe,
}

/// One side of a comparison.
struct Side {
    session: &'static str,
    through: Through,
    call: usize,
    micros: Vec<f64>,
}

/// Two sides of the same call.
struct Pair {
    name: String,
    dear: usize,
    cheap: usize,
}

const PROVEN: &str = "00000000-0000-4000-8000-0000000000a1";
const UNPROVEN: &str = "00000000-0000-4000-8000-0000000000a2";
const LADEN: &str = "00000000-0000-4000-8000-0000000000a3";
const FRESH: &str = "00000000-0000-4000-8000-0000000000a4";

/// Prints both comparisons.
pub fn run(ground: &Ground, hook: &Path) -> Result<()> {
    let bench = Bench { ground, hook };
    let calls = bench.calls();
    bench.burden()?;
    let mut sides = Vec::new();
    let mut pairs = Vec::new();
    for (call, (name, ..)) in calls.iter().enumerate() {
        let rows = [
            (
                "proven host",
                (PROVEN, Through::Socket),
                (UNPROVEN, Through::Pipe),
            ),
            (
                "question and copy",
                (LADEN, Through::Pipe),
                (FRESH, Through::Pipe),
            ),
        ];
        for (what, dear, cheap) in rows {
            pairs.push(Pair {
                name: format!("{name}, {what}"),
                dear: sides.len(),
                cheap: sides.len() + 1,
            });
            sides.extend([dear, cheap].map(|(session, through)| Side {
                session,
                through,
                call,
                micros: Vec::new(),
            }));
        }
    }
    for round in 0..ROUNDS + WARM_UP {
        for at in shuffled(round, sides.len()) {
            let Some(side) = sides.get_mut(at) else {
                continue;
            };
            let call = calls.get(side.call).context("no such call")?;
            let micros = bench.time(side, call, round)?;
            if round >= WARM_UP {
                side.micros.push(micros);
            }
        }
    }
    print(&mut sides, &pairs);
    Ok(())
}

fn print(sides: &mut [Side], pairs: &[Pair]) {
    let medians: Vec<f64> = sides
        .iter_mut()
        .map(|side| {
            side.micros.sort_by(f64::total_cmp);
            quantile(&side.micros, 0.5)
        })
        .collect();
    let median = |at: usize| medians.get(at).copied().unwrap_or(f64::NAN);
    println!(
        "{:<36} {:>8} {:>8} {:>8} {:>7}",
        "", "with µs", "without", "more µs", "ratio"
    );
    for pair in pairs {
        let (dear, cheap) = (median(pair.dear), median(pair.cheap));
        println!(
            "{:<36} {dear:>8.0} {cheap:>8.0} {:>8.1} {:>7.3}",
            pair.name,
            dear - cheap,
            dear / cheap
        );
    }
    println!("\n{ROUNDS} rounds, interleaved; medians.\n");
}

/// A name, a tool and its input.
type Call = (&'static str, &'static str, Value);

struct Bench<'a> {
    ground: &'a Ground,
    hook: &'a Path,
}

impl Bench<'_> {
    fn calls(&self) -> [Call; 3] {
        let content = "a line of text\n".repeat(2048 / 15);
        let read = self.ground.project.join("a.txt");
        let write = self.ground.project.join("new.txt");
        [
            ("Read", "Read", json!({"file_path": read})),
            ("git status", "Bash", json!({"command": "git status"})),
            (
                "Write, 2 KB",
                "Write",
                json!({"file_path": write, "content": content}),
            ),
        ]
    }

    fn payload(&self, session: &str, call: &Call, id: &str) -> Vec<u8> {
        let (_, tool, input) = call;
        let payload = json!({
            "session_id": session,
            "transcript_path": self.ground.root.join("none.jsonl"),
            "cwd": self.ground.project,
            "permission_mode": "default",
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": input,
            "tool_use_id": id,
        });
        payload.to_string().into_bytes()
    }

    fn command(&self) -> Command {
        let mut command = Command::new(self.hook);
        self.ground.surround(&mut command);
        command.args(["claude", "PreToolUse"]);
        command
    }

    /// Makes a session that has a question open and something kept for undo.
    fn burden(&self) -> Result<()> {
        let notes = self.ground.project.join("notes.md");
        fs::write(&notes, "nowhere else\n")?;
        let call = ("rm", "Bash", json!({"command": "rm notes.md"}));
        for attended in ["1", ""] {
            let id = format!("toolu_burden_{attended}");
            let payload = self.payload(LADEN, &call, &id);
            let mut command = self.command();
            command.env("CLAUDE_CODE_SESSION_ATTENDED", attended);
            command.stdin(input(Through::Pipe, &payload)?);
            command.status()?;
        }
        fs::remove_file(notes)?;
        let kept = self.ground.root.join("state/undo").exists();
        ensure!(
            kept,
            "nothing was kept for undo; the comparison would show nothing"
        );
        Ok(())
    }

    /// How long one call takes, in microseconds.
    fn time(&self, side: &Side, call: &Call, round: usize) -> Result<f64> {
        let id = format!("toolu_{:?}_{}_{round}", side.through, side.call);
        let payload = self.payload(side.session, call, &id);
        let mut command = self.command();
        command.stdin(input(side.through, &payload)?);
        let begin = Instant::now();
        let status = command.status()?;
        let micros = begin.elapsed().as_secs_f64() * 1e6;
        ensure!(status.success(), "{} was held: {status}", call.0);
        Ok(micros)
    }
}

/// An input that holds the whole payload already.
fn input(through: Through, payload: &[u8]) -> Result<Stdio> {
    match through {
        Through::Socket => {
            let (mut ours, theirs) = UnixStream::pair()?;
            ours.write_all(payload)?;
            ours.shutdown(Shutdown::Write)?;
            Ok(OwnedFd::from(theirs).into())
        }
        Through::Pipe => {
            let (theirs, mut ours): (PipeReader, _) = pipe()?;
            ours.write_all(payload)?;
            Ok(theirs.into())
        }
    }
}
