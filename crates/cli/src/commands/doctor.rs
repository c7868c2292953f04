//! `tollgate doctor`: is each host's gate alive? It does not trust the settings: it runs a refused
//! call through the very command that is registered.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use anyhow::{Context, Result};
use hosts::{HOSTS, Host, Launch, Probe, Registered, Reply};
use model::Level;
use serde_json::json;

use crate::here::Here;
use crate::{exit, show};

#[derive(clap::Args)]
pub struct Args {
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// How a check came out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Good,
    Warning,
    Broken,
}

/// One thing that was looked at.
struct Check {
    outcome: Outcome,
    what: String,
    fix: String,
}

impl Check {
    fn good(what: impl Into<String>) -> Self {
        Self { outcome: Outcome::Good, what: what.into(), fix: String::new() }
    }

    fn warning(what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { outcome: Outcome::Warning, what: what.into(), fix: fix.into() }
    }

    fn broken(what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { outcome: Outcome::Broken, what: what.into(), fix: fix.into() }
    }

    fn print(&self, json: bool) {
        let word = match self.outcome {
            Outcome::Good => "good",
            Outcome::Warning => "warning",
            Outcome::Broken => "broken",
        };
        if json {
            println!("{}", json!({"outcome": word, "what": self.what, "fix": self.fix}));
            return;
        }
        let mark = match self.outcome {
            Outcome::Good => show::good("good   "),
            Outcome::Warning => show::warn("warning"),
            Outcome::Broken => show::bad("broken "),
        };
        println!("{mark}  {}", self.what);
        if !self.fix.is_empty() {
            println!("         fix: {}", self.fix);
        }
    }
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    let mut checks = vec![state(&here), program(&here), switched(&here)];
    checks.extend(rules(&here));
    for host in HOSTS {
        checks.extend(of_host(&here, host));
    }
    checks.push(Check::good(tier()));
    for check in &checks {
        check.print(args.json);
    }
    let broken = checks.iter().filter(|check| check.outcome == Outcome::Broken).count();
    if !args.json {
        println!("{}", if broken == 0 { "The gate is alive." } else { "The gate is not whole." });
    }
    Ok(ExitCode::from(if broken == 0 { exit::OK } else { exit::FAILED }))
}

/// What this build promises on this system.
fn tier() -> &'static str {
    if cfg!(target_os = "linux") {
        "this system is in the first tier: everything is tested on it"
    } else if cfg!(target_os = "macos") {
        "this system is in the second tier: built, but not driven end to end"
    } else {
        "this system is in the third tier: file tools and POSIX shell calls are judged"
    }
}

fn state(here: &Here) -> Check {
    let path = here.state.display();
    match here.store().and_then(|store| Ok(store.probe()?)) {
        Ok(()) => Check::good(format!("state in {path} is private and writable")),
        Err(error) => Check::broken(
            format!("state: {error:#}"),
            "make the directory yours alone (chmod 700), or set TOLLGATE_HOME to another",
        ),
    }
}

fn program(here: &Here) -> Check {
    let hook = here.state.join("bin/tollgate-hook");
    let own = std::env::current_exe().map(|own| own.with_file_name("tollgate-hook"));
    let Ok(installed) = fs::read(&hook) else {
        return Check::broken(format!("there is no hook at {}", hook.display()), "tollgate init");
    };
    match own.and_then(fs::read) {
        Ok(newest) if newest != installed => Check::warning(
            format!("the hook at {} is not the one beside this program", hook.display()),
            "tollgate init, which replaces the copy",
        ),
        _ => Check::good(format!("the hook is at {}", hook.display())),
    }
}

fn switched(here: &Here) -> Check {
    let store = here.store().ok();
    match store.and_then(|store| store.switched_off(hook::surroundings::now())) {
        Some(off) => Check::warning(format!("the gate is switched off {}", off.reason), "tollgate on"),
        None => Check::good("the gate is switched on"),
    }
}

fn rules(here: &Here) -> Vec<Check> {
    let overlay = here.overlay();
    let faults = overlay.faults.iter();
    let mut checks: Vec<Check> = faults
        .map(|fault| Check::broken(fault.what.clone(), "tollgate rules test, then tollgate compile"))
        .collect();
    if checks.is_empty() {
        let count = overlay.rules.active().count();
        checks.push(Check::good(format!("{count} rules are loaded")));
    }
    checks
}

/// Every settings file of a host: what it registers, what disarms it, and whether it works.
fn of_host(here: &Here, host: &'static Host) -> Vec<Check> {
    let mut checks = Vec::new();
    let mut registered = 0;
    for path in hook::installed::settings_files(host, &here.roots()) {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let inspection = match (host.inspect)(&text) {
            Ok(inspection) => inspection,
            Err(error) => {
                let fix = "repair the file; the host ignores all of it as it is";
                checks.push(Check::broken(format!("{path}: {error}"), fix));
                continue;
            }
        };
        for problem in &inspection.problems {
            let what = format!("{path}: {problem}");
            checks.push(Check::broken(what, "take it out, or run tollgate init again"));
        }
        if inspection.registered.is_empty() {
            continue;
        }
        registered += 1;
        if !inspection.missing.is_empty() {
            let what = format!("{path}: not registered for {}", inspection.missing.join(", "));
            checks.push(Check::broken(what, "tollgate init"));
        }
        checks.extend(inspection.registered.iter().find(|one| one.event == host.before_call).map(
            |one| match refuses(here, host, one) {
                Ok(micros) => Check::good(format!(
                    "{}: a refused call through {path} stayed undone ({micros} µs)",
                    host.title
                )),
                Err(error) => Check::broken(format!("{}: {error:#}", host.title), "tollgate init"),
            },
        ));
    }
    if registered == 0 {
        let what = format!("{} is not gated from here", host.title);
        checks.push(Check::warning(what, format!("tollgate init --agent {}", host.id)));
    }
    checks.extend(client(host));
    checks
}

/// Whether the client that is installed closes the gate when the hook breaks.
fn client(host: &Host) -> Option<Check> {
    let out = Command::new(host.program).arg("--version").stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let version = text.split_whitespace().next().unwrap_or_default().to_owned();
    Some(if (host.fails_closed)(&version) {
        Check::good(format!("{} {version} closes the gate if the hook breaks", host.title))
    } else {
        Check::warning(
            format!("{} {version} lets calls through if the hook is killed or missing", host.title),
            "update it, or run tollgate init --through-shell",
        )
    })
}

/// Says whether a registered hook refuses what it must; for the end of `init`.
pub fn prove(here: &Here, host: &'static Host, path: &str) -> bool {
    let text = fs::read_to_string(path).unwrap_or_default();
    let inspection = (host.inspect)(&text).unwrap_or_default();
    let ours = inspection.registered.iter().find(|one| one.event == host.before_call);
    let proof = ours.context("the hook is not in the settings").and_then(|ours| refuses(here, host, ours));
    match proof {
        Ok(micros) => {
            println!("{}: {} ({micros} µs)", host.title, show::good("a refused call stayed undone"));
            true
        }
        Err(error) => {
            println!("{}: {} {error:#}", host.title, show::bad("the gate does not answer:"));
            false
        }
    }
}

/// Sends the registered command a call that must be refused; how long it took in microseconds.
fn refuses(here: &Here, host: &Host, registered: &Registered) -> Result<u128> {
    let probe = Probe { command: "rm -rf ~/", cwd: &here.place.project };
    let payload = (host.probe)(&probe);
    let mut command = match registered.launch {
        Launch::Direct => Command::new(&registered.hook),
        Launch::Shell => {
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", "\"$0\" \"$@\" || exit 2", &registered.hook]);
            shell
        }
    };
    command.args([host.id, host.before_call]);
    let dir = Path::new(&here.place.project);
    command.current_dir(if dir.is_dir() { dir } else { Path::new("/") });
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let begin = Instant::now();
    let mut child =
        command.spawn().with_context(|| format!("cannot start {}", registered.hook))?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(&payload)?;
    }
    let out = child.wait_with_output()?;
    let micros = begin.elapsed().as_micros();
    let reply =
        Reply { stdout: out.stdout, stderr: out.stderr, code: out.status.code().unwrap_or(-1) };
    let level = (host.understood)(&reply);
    anyhow::ensure!(
        level > Level::Allow,
        "the registered hook let `{}` through (exit {})",
        probe.command,
        reply.code
    );
    Ok(micros)
}
