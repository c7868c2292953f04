//! What must hold of calls that go through the proxy, whatever the client: it has no hook here, so
//! that the proxy alone stands between it and the official server of files.

mod bytes;
mod given_up;
pub mod holds;
mod http;

use std::fs;
use std::marker::PhantomData;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::api::{Lane, Turn};
use super::client::{self, Client};
use super::pages::Pages;
use super::sandbox::{Driver, Run, Sandbox};
use super::scenarios::{self, soon};
use super::{Behaviour, Driven, Gate, Kind};

pub use bytes::BYTES;

/// How a client is told of a server and calls its tools.
pub struct Served {
    /// How it is driven.
    pub driver: &'static Driver,
    /// What it calls the tool `write_file` of the server `files`.
    pub write: &'static str,
    /// What its model does before it can call it.
    pub before: Option<fn() -> Turn>,
    /// Names the server by the words that start it; more arguments.
    pub serve: fn(&Sandbox, &[String]) -> Result<Vec<String>>,
    /// The same for a server that is reached by its address.
    pub serve_at: fn(&Sandbox, &str) -> Result<Vec<String>>,
    /// The same, with a client that waits for a call for so many seconds, and no longer.
    pub serve_impatient: fn(&Sandbox, &[String], u64) -> Result<Vec<String>>,
}

/// A client that is driven through the proxy.
pub trait ProxyDriven: Driven {
    /// How.
    const SERVED: &'static Served;
}

/// What must hold with a client before the proxy.
pub struct Proxied<D>(PhantomData<D>);

impl<D: ProxyDriven> Proxied<D> {
    /// All of it.
    pub const CALLS: &'static [Behaviour] = &[
        Behaviour {
            kinds: &[Kind::Proxy],
            name: "proxy: let go, refused, held until a touch, parked, and never run for nobody",
            scenario: |client, gate| calls(client, gate, (D::SERVED, false)),
        },
        Behaviour {
            kinds: &[Kind::Proxy],
            name: "proxy: a call that its client gives up never runs, and its repeat runs once",
            scenario: |client, gate| given_up::calls(client, gate, D::SERVED),
        },
        Behaviour {
            // Played with `--long` alone, so that it counts for nothing.
            kinds: &[],
            name: "proxy: the same over HTTP, with --long",
            scenario: |client, gate| match gate.long {
                true => calls(client, gate, (D::SERVED, true)),
                false => Ok(()),
            },
        },
    ];
}

/// How long a call waits here, in seconds.
const WAIT: &str = "6";
/// Files that exist nowhere else: one for each call that a person is asked about.
const ONLY: &[&str] = &["held.md", "parked.md", "left.md"];
/// What such a file holds.
pub const BEFORE: &str = "nowhere else\n";

fn calls(client: &Client, gate: &Gate, (served, is_http): (&Served, bool)) -> Result<()> {
    let name = if is_http { "proxied-http" } else { "proxied" };
    let sandbox = Sandbox::of(served.driver, name)?;
    for name in ONLY {
        sandbox.write(name, BEFORE)?;
    }
    scenarios::make_passphrase(&sandbox, gate)?;
    let own = sandbox.home.join(".config/tollgate/config.toml");
    // It listens as long as it is there.
    let proxy = is_http
        .then(|| http::Proxy::start(&sandbox, gate))
        .transpose()?;
    let arguments = match &proxy {
        Some(proxy) => (served.serve_at)(&sandbox, &proxy.address)?,
        None => (served.serve)(&sandbox, &command(&sandbox, gate, WAIT)?)?,
    };
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let arguments = [served.driver.free, &arguments].concat();
    let at = |name: &str| sandbox.project.join(name).display().to_string();
    let write =
        |path: String, text: &str| Turn::Call(served.write, json!({"path": path, "content": text}));
    let before = served.before.map(|turn| turn().once(is_listed(&sandbox)));
    let mut turns = Vec::from_iter(before);
    turns.extend([
        write(at("new.md"), "new"),
        write(own.display().to_string(), "[gates]"),
        write(at("held.md"), "held"),
        write(at("parked.md"), "parked"),
        write(at("parked.md"), "parked").once_there(sandbox.project.join("answered")),
        write(at("left.md"), "left"),
    ]);
    let pages = Pages::open(&sandbox, gate)?;
    let human = || {
        let (session, held) = waiting(&sandbox, gate, "held.md")?;
        ensure!(read(&sandbox, "held.md") == BEFORE, "it ran before a yes");
        match pages {
            Some(mut pages) => pages.approve((&session, &held)),
            None => approve(&sandbox, gate, &held)?,
        }
        soon("it did not run after the yes", || {
            (read(&sandbox, "held.md") == "held").then_some(())
        })?;
        let (_, parked) = waiting(&sandbox, gate, "parked.md")?;
        noted(&sandbox, "time over")?;
        approve(&sandbox, gate, &parked)?;
        ensure!(read(&sandbox, "parked.md") == BEFORE, "what was parked ran");
        sandbox.write("answered", "")?;
        soon("the repeat did not run", || {
            (read(&sandbox, "parked.md") == "parked").then_some(())
        })?;
        Ok(parked)
    };
    let worker = || sandbox.play(client, &arguments, Lane::only(turns));
    let (run, parked) = scenarios::with_human(human, worker)?;
    let (_, left) = waiting(&sandbox, gate, "left.md")?;
    approve(&sandbox, gate, &left)?;
    std::thread::sleep(Duration::from_millis(500));
    ensure!(read(&sandbox, "left.md") == BEFORE, "it ran for nobody");
    ensure!(sandbox.has("new.md"), "what does no harm did not run");
    ensure!(!own.exists(), "the gate's own settings were written");
    told(&sandbox, &run, &parked)
}

/// Whether the server was asked for its tools: it writes down what reaches it.
pub fn is_listed(sandbox: &Sandbox) -> impl Fn() -> bool + Send + Sync + 'static {
    let seen = sandbox.root.join("seen");
    move || {
        let seen = fs::read_to_string(&seen).unwrap_or_default();
        seen.contains("tools/list")
    }
}

/// The proxy before the server of files, which writes down what reaches it.
pub fn command(sandbox: &Sandbox, gate: &Gate, wait: &str) -> Result<Vec<String>> {
    let server = client::install("server-filesystem")?.program;
    let node = client::install("node-22")?.program;
    let noted = "tee -a \"$1\" | \"$2\" \"$3\" \"$4\"";
    let words = [
        "env",
        &format!("TOLLGATE_HOME={}", sandbox.root.join("gate").display()),
        &gate.tollgate.display().to_string(),
        "proxy",
        "--name",
        "files",
        "--wait",
        wait,
        "--",
        "sh",
        "-c",
        noted,
        "sh",
        &sandbox.root.join("seen").display().to_string(),
        &node.display().to_string(),
        &server.display().to_string(),
        &sandbox.home.display().to_string(),
    ];
    Ok(words.map(str::to_owned).to_vec())
}

/// Waits until the proxy has noted a step of a call.
pub fn noted(sandbox: &Sandbox, step: &str) -> Result<()> {
    let step = format!("\"step\":\"{step}\"");
    soon(&format!("no call is noted as {step}"), || {
        let sessions = fs::read_dir(sandbox.root.join("gate/proxies")).ok()?;
        let logs = sessions
            .flatten()
            .filter_map(|dir| fs::read_dir(dir.path()).ok());
        let texts = logs.flatten().flatten();
        let mut texts = texts.filter_map(|log| fs::read_to_string(log.path()).ok());
        texts.any(|text| text.contains(&step)).then_some(())
    })
}

/// What a file of the project holds.
pub fn read(sandbox: &Sandbox, name: &str) -> String {
    fs::read_to_string(sandbox.project.join(name)).unwrap_or_default()
}

/// The session and the id of the question about a file, once it waits.
pub fn waiting(sandbox: &Sandbox, gate: &Gate, name: &str) -> Result<(String, String)> {
    soon(&format!("no call about {name} waits for a human"), || {
        let requests = scenarios::requests(sandbox, gate).ok()?;
        let is_it = |request: &&Value| {
            let waits = request.get("state").is_some_and(|state| state == "waits");
            waits && request.to_string().contains(name)
        };
        let found = requests.iter().find(is_it)?;
        let word = |key: &str| Some(found.get(key)?.as_str()?.to_owned());
        Some((word("session")?, word("id")?))
    })
}

/// Says yes with the passphrase.
pub fn approve(sandbox: &Sandbox, gate: &Gate, id: &str) -> Result<()> {
    let said = sandbox.told_by_owner(gate, &["approve", id])?;
    ensure!(said.contains("may run once"), "the human was told: {said}");
    Ok(())
}

/// The model was told what became of its calls, and what ran reached the server once.
fn told(sandbox: &Sandbox, run: &Run, parked: &str) -> Result<()> {
    let waits = format!("waiting for a person ({parked})");
    ensure!(
        run.heard.contains(&waits),
        "the model was not told: {waits}"
    );
    ensure!(
        run.heard.contains("belongs to tollgate"),
        "the model was not told why"
    );
    let seen = fs::read_to_string(sandbox.root.join("seen")).context("no server was started")?;
    let times = |name: &str| {
        let calls = seen.lines().filter(|line| line.contains("tools/call"));
        calls.filter(|line| line.contains(name)).count()
    };
    for (name, wanted) in [
        ("new.md", 1),
        ("config.toml", 0),
        ("held.md", 1),
        ("parked.md", 1),
        ("left.md", 0),
    ] {
        let times = times(name);
        ensure!(
            times == wanted,
            "{name}: the server was asked {times} times"
        );
    }
    Ok(())
}
