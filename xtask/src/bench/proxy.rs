//! What the proxy adds to a call of a server that does nothing, the two side by side: the relay
//! alone, a call that is judged, an answer that is waited for, its memory, and its start. It is
//! the proxy as it is installed.

mod clicks;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::machine::HERE;
use crate::{hook, shell};

/// Calls that are measured, and as many that are not, before them.
const CALLS: usize = 1_000;
const WARM: usize = 200;
/// Starts that are measured.
const STARTS: usize = 30;
/// A server that answers every line at once.
pub const SERVER: &str =
    "while read -r line; do echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}'; done";
/// A frame that is not judged.
pub const PING: &str = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";

/// A server and its client.
struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start(command: &mut Command) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Self {
            input: child.stdin.take().context("no input")?,
            output: BufReader::new(child.stdout.take().context("no output")?),
            child,
        })
    }

    /// How long an answer takes, in microseconds.
    fn ask(&mut self, frame: &str) -> Result<f64> {
        let begun = Instant::now();
        self.input.write_all(frame.as_bytes())?;
        let mut line = String::new();
        ensure!(self.output.read_line(&mut line)? > 0, "the server ended");
        let micros = begun.elapsed().as_secs_f64() * 1e6;
        ensure!(line.contains("\"result\":{}"), "not let go: {line}");
        Ok(micros)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where it is measured.
struct Place {
    root: PathBuf,
    project: PathBuf,
    /// The desk, whose pages are clicked on; the command line stands beside it.
    desk: PathBuf,
    /// The proxy.
    proxy: PathBuf,
}

impl Place {
    fn plain(&self) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", SERVER]).current_dir(&self.project);
        command
    }

    fn proxied(&self) -> Command {
        let mut command = Command::new(&self.proxy);
        command.args(["--name", "bench", "--", "sh", "-c", SERVER]);
        self.surround(&mut command);
        command
    }

    /// As a client starts it: the command line hands over to what stands beside it.
    fn started(&self) -> Command {
        let mut command = Command::new(self.desk.with_file_name("tollgate"));
        command.args(["proxy", "--name", "bench", "--", "sh", "-c", SERVER]);
        self.surround(&mut command);
        command
    }

    fn surround<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .current_dir(&self.project)
            .env("HOME", &self.root)
            .env("TOLLGATE_HOME", self.root.join("state"))
    }
}

/// Prints the figures.
///
/// # Errors
/// If one is over its goal.
pub fn run(scratch: &Path, project: &Path) -> Result<()> {
    let build = [
        "build",
        "--release",
        "--bin",
        "tollgate",
        "--bin",
        "tollgate-desk",
    ];
    shell::run("cargo", &build)?;
    let place = Place {
        root: scratch.join("proxy"),
        project: project.to_owned(),
        desk: shell::target().join("release/tollgate-desk"),
        proxy: hook::build_proxy(HERE)?,
    };
    fs::copy(&place.proxy, place.desk.with_file_name("tollgate-proxy"))?;
    let _ = fs::remove_dir_all(&place.root);
    fs::create_dir_all(&place.root)?;
    let (mut plain, mut proxied) = (
        Server::start(&mut place.plain())?,
        Server::start(&mut place.proxied())?,
    );
    let relay = added(&mut plain, &mut proxied, |_| PING.to_owned())?;
    let judged = added(&mut plain, &mut proxied, call)?;
    let memory = memory(&proxied.child)?;
    let start = start(&place)?;
    let heard = clicks::heard(&place)?;
    println!("{:<44} {:>9} {:>9}", "the proxy adds", "is", "goal");
    let mut over = Vec::new();
    for (name, is, goal) in [
        ("relay, p50, microseconds", relay.0, 100.0),
        ("relay, p99, microseconds", relay.1, 500.0),
        ("a call that is judged, p50, microseconds", judged.0, 250.0),
        (
            "a call that is judged, p99, microseconds",
            judged.1,
            1_000.0,
        ),
        ("memory of its own after 2,400 calls, MB", memory.0, 4.0),
        ("all of its memory, MB", memory.1, 4.0),
        ("start, p50, milliseconds", start, 5.0),
        ("a no, from the click on, p95, milliseconds", heard.0, 50.0),
        ("a yes, from the page's answer on, p95, ms", heard.1, 50.0),
    ] {
        println!("{name:<44} {is:>9.1} {goal:>9.1}");
        if is > goal {
            over.push(name);
        }
    }
    ensure!(over.is_empty(), "over their goals: {}", over.join(", "));
    Ok(())
}

/// A call that is let go, unlike every other.
pub fn call(number: usize) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\
         \"get_weather\",\"arguments\":{{\"city\":\"c{number}\"}}}}}}\n"
    )
}

/// What the proxy adds at the middle and at the hundredth slowest.
fn added(
    plain: &mut Server,
    proxied: &mut Server,
    frame: impl Fn(usize) -> String,
) -> Result<(f64, f64)> {
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for number in 0..WARM + CALLS {
        let frame = frame(number);
        let times = (plain.ask(&frame)?, proxied.ask(&frame)?);
        if number >= WARM {
            without.push(times.0);
            with.push(times.1);
        }
    }
    without.sort_by(f64::total_cmp);
    with.sort_by(f64::total_cmp);
    let at = |share| super::quantile(&with, share) - super::quantile(&without, share);
    Ok((at(0.5), at(0.99)))
}

/// What a process holds for itself, and all that it holds, in megabytes.
fn memory(child: &Child) -> Result<(f64, f64)> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id()))?;
    let of = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name));
        let number = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
        number.unwrap_or_default() / 1024.0
    };
    Ok((of("RssAnon:"), of("VmRSS:")))
}

/// How much later the first answer comes, in milliseconds.
fn start(place: &Place) -> Result<f64> {
    let once = |command: &mut Command| {
        let begun = Instant::now();
        let mut server = Server::start(command)?;
        server.ask(PING)?;
        Ok(begun.elapsed().as_secs_f64() * 1e3)
    };
    let mut added = Vec::new();
    for _ in 0..STARTS {
        let plain: Result<f64> = once(&mut place.plain());
        let proxied: Result<f64> = once(&mut place.started());
        added.push(proxied? - plain?);
    }
    added.sort_by(f64::total_cmp);
    Ok(super::quantile(&added, 0.5))
}
