//! Every package as a stranger gets it: installed where nothing of ours is, then `init`, `doctor`,
//! one call that must be refused, `uninstall`.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::{Arguments, Made, make, make_dir, packages, write};
use crate::ci::StepCounters;
use crate::machine::{MACHINES, Machine};
use crate::{bench, picture, shell};

/// A way to get our programs.
struct Way {
    name: &'static str,
    /// Installs from what was made into a directory; where the programs are then.
    install: fn(&Made, &Path) -> Result<PathBuf>,
}

const WAYS: &[Way] = &[
    Way {
        name: "tarball",
        install: tarball,
    },
    Way {
        name: "deb",
        install: deb,
    },
    Way {
        name: "npm",
        install: npm,
    },
    Way {
        name: "wheel",
        install: wheel,
    },
];

/// A client that is only asked for its version.
const CLIENT: &str = "#!/bin/sh\necho '2.1.332 (Claude Code)'\n";

/// A call that no profile but `observe` lets go.
const REFUSED: &str = "rm -rf ~/";

/// Makes all packages and tries each.
///
/// # Errors
/// If one does not do what it should.
pub fn all(counters: &mut StepCounters) -> Result<()> {
    let made = make(&Arguments {
        without_papers: true,
        ..Arguments::default()
    })?;
    let tried = made.at("tried");
    for way in WAYS {
        println!("-- {}", way.name);
        let place = Place::new(&tried.join(way.name))?;
        let bin = (way.install)(&made, &place.prefix)?;
        let done = place.first_hour(&bin, made.machine);
        done.with_context(|| format!("from the {}", way.name))?;
        counters.passed += 1;
    }
    for (name, root) in [
        ("claude", made.at("claude-marketplace/plugins/tollgate")),
        ("gemini", made.at("gemini-extension")),
    ] {
        println!("-- hooks of {name}");
        let place = Place::new(&tried.join(name))?;
        place
            .hooks_refuse(&root)
            .with_context(|| format!("as {name} installs it"))?;
        counters.passed += 1;
    }
    println!("-- the README's own lines");
    stranger(&Place::new(&tried.join("stranger"))?)?;
    picture::check()?;
    counters.passed += 2;
    Ok(())
}

/// Makes what runs on machines of other kinds, and tries the archive of each in emulation: what
/// installs packages refuses those that are not for this machine.
///
/// # Errors
/// If one does not do what it should.
pub fn elsewhere(counters: &mut StepCounters) -> Result<()> {
    for machine in MACHINES.iter().filter(|machine| !machine.is_here()) {
        println!("-- {}", machine.name);
        let made = make(&Arguments {
            without_papers: true,
            machine: Some(machine),
        })?;
        let place = Place::new(&made.at("tried/tarball"))?;
        let bin = tarball(&made, &place.prefix)?;
        let done = place.first_hour(&bin, machine);
        done.with_context(|| format!("on {}", machine.name))?;
        counters.passed += 1;
    }
    Ok(())
}

/// Heading under which the README says how to begin.
const BEGINNING: &str = "## The first hour";

/// Most commands from a clone to the first call that is stopped.
const COMMANDS_MAX: usize = 4;

/// Types what the README says, in a home of its own, and says yes where it is asked.
fn stranger(place: &Place) -> Result<()> {
    let lines = picture::commands(&shell::root().join("README.md"), BEGINNING)?;
    ensure!(lines.len() <= COMMANDS_MAX, "too many commands: {lines:?}");
    let said = lines.iter().map(|line| place.types(line));
    let said = said.collect::<Result<Vec<_>>>()?;
    let all = said.join("\n");
    for expected in [
        "a refused call stayed undone",
        "The gate is alive",
        "refused",
    ] {
        ensure!(all.contains(expected), "nothing said {expected:?}: {all}");
    }
    Ok(())
}

fn tarball(made: &Made, prefix: &Path) -> Result<PathBuf> {
    let file = made.at(&packages::tarball_name(made)).display().to_string();
    let into = prefix.display().to_string();
    shell::run("tar", &["-xzf", &file, "-C", &into, "--strip-components=1"])?;
    Ok(prefix.join("bin"))
}

fn deb(made: &Made, prefix: &Path) -> Result<PathBuf> {
    let known = prefix.join("var/lib/dpkg");
    for dir in ["info", "updates"] {
        make_dir(&known.join(dir))?;
    }
    write(&known.join("status"), "")?;
    let (root, file) = (
        format!("--root={}", prefix.display()),
        made.at(&packages::deb_name(made)),
    );
    let file = file.display().to_string();
    let force = "--force-not-root,script-chrootless,bad-path";
    shell::run("dpkg", &[&root, force, "--install", &file])?;
    Ok(prefix.join("usr/bin"))
}

fn npm(made: &Made, prefix: &Path) -> Result<PathBuf> {
    let file = made.at(&packages::npm_name()).display().to_string();
    let into = prefix.display().to_string();
    let offline = ["--offline", "--no-audit", "--no-fund", "--silent"];
    let install = ["install", "--global", "--prefix", &into, &file];
    shell::run("npm", &[&install[..], &offline].concat())?;
    Ok(prefix.join("bin"))
}

fn wheel(made: &Made, prefix: &Path) -> Result<PathBuf> {
    let file = made.at(&packages::wheel_name(made)).display().to_string();
    packages::python(prefix, &["--no-index", &file])?;
    Ok(prefix.join("bin"))
}

/// A home where nothing of ours is, with an agent, and a place to install to.
struct Place {
    home: PathBuf,
    prefix: PathBuf,
}

impl Place {
    fn new(root: &Path) -> Result<Self> {
        let place = Self {
            home: root.join("home"),
            prefix: root.join("prefix"),
        };
        make_dir(&place.prefix)?;
        write(&place.settings(), "{\n  \"model\": \"opus\"\n}\n")?;
        let client = place.home.join("bin/claude");
        write(&client, CLIENT)?;
        fs::set_permissions(&client, fs::Permissions::from_mode(0o755))?;
        make_dir(&place.home.join("work"))?;
        Ok(place)
    }

    fn settings(&self) -> PathBuf {
        self.home.join(".claude/settings.json")
    }

    /// From `init` to `uninstall`.
    fn first_hour(&self, bin: &Path, machine: &Machine) -> Result<()> {
        let before = fs::read(self.settings())?;
        for (words, says) in [
            (&["init", "--yes"][..], "a refused call stayed undone"),
            (&["doctor"], "The gate is alive"),
        ] {
            let said = self.run(&bin.join("tollgate"), words, "")?;
            let text = String::from_utf8_lossy(&said.stdout);
            let is_good = said.status.success() && text.contains(says);
            ensure!(is_good, "tollgate {} said: {text}{said:?}", words.join(" "));
            let slow = "starts slower";
            ensure!(!text.contains(slow), "the small hook is not there: {text}");
        }
        let settings: Value = serde_json::from_slice(&fs::read(self.settings())?)?;
        let hook = settings.pointer("/hooks/PreToolUse/0/hooks/0/command");
        let hook = hook
            .and_then(Value::as_str)
            .context("no hook is registered")?;
        self.refuses(Path::new(hook), "claude", "PreToolUse")?;
        // What an emulator takes says nothing of the program.
        if machine.is_here() {
            let ratio = bench::ratio(Path::new(hook), &self.home)?;
            println!("the hook that is registered takes {ratio:.2} times an empty static process");
        }
        let said = self.run(&bin.join("tollgate"), &["uninstall"], "")?;
        ensure!(said.status.success(), "tollgate uninstall said: {said:?}");
        let after = fs::read(self.settings())?;
        ensure!(before == after, "the settings are not as they were");
        Ok(())
    }

    /// The hooks of what an agent installs itself: the first before a call refuses one.
    fn hooks_refuse(&self, root: &Path) -> Result<()> {
        let text = fs::read_to_string(root.join("hooks/hooks.json"))?;
        let hooks: Value = serde_json::from_str(&text)?;
        let events = hooks.get("hooks").and_then(Value::as_object);
        let events = events.context("there are no hooks")?;
        let before = ["PreToolUse", "BeforeTool"];
        let event = before.iter().find(|event| events.contains_key(**event));
        let event = event.context("no hook is asked before a call")?;
        let own = ["${CLAUDE_PLUGIN_ROOT}/bin/", "${extensionPath}/bin/"];
        ensure!(own.iter().any(|own| text.contains(own)), "{text}");
        ensure!(!text.contains(".local/state"), "{text}");
        let host = if *event == "PreToolUse" {
            "claude"
        } else {
            "gemini"
        };
        self.refuses(&root.join("bin/tollgate-hook"), host, event)
    }

    fn refuses(&self, hook: &Path, host: &str, event: &str) -> Result<()> {
        let tool = if host == "gemini" {
            "run_shell_command"
        } else {
            "Bash"
        };
        let payload = json!({
            "session_id": "tried", "cwd": self.home.join("work"), "hook_event_name": event,
            "permission_mode": "default", "tool_name": tool,
            "tool_input": {"command": REFUSED}, "tool_use_id": "call_1",
            "timestamp": "2026-01-01T00:00:00Z", "transcript_path": "",
        });
        let said = self.run(hook, &[host, event], &payload.to_string())?;
        let text = String::from_utf8_lossy(&said.stdout);
        let is_refused = text.contains("deny") || said.status.code() == Some(2);
        ensure!(is_refused, "{REFUSED} was not refused: {said:?}");
        Ok(())
    }

    /// What a person types at a terminal in the clone; what they see then.
    fn types(&self, line: &str) -> Result<String> {
        println!("$ {line}");
        let own = self.home.join(".local/bin");
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!(
            "{}:{}:{path}",
            own.display(),
            self.home.join("bin").display()
        );
        let mut command = shell::command("script", &["-qec", line, "/dev/null"]);
        command
            .env("HOME", &self.home)
            .env("PATH", path)
            .env("SHELL", "/bin/bash");
        // Rust is where it is, whoever's home this is.
        let home = std::env::var("HOME").unwrap_or_default();
        for (name, usual) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
            let value = std::env::var(name).unwrap_or_else(|_| format!("{home}/{usual}"));
            command.env(name, value);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().context("cannot start script")?;
        if let Some(mut stdin) = child.stdin.take() {
            // Who asks nothing reads no answer.
            let _ = stdin.write_all(b"y\n");
        }
        let said = child.wait_with_output()?;
        Ok(String::from_utf8_lossy(&said.stdout).into_owned())
    }

    fn run(&self, program: &Path, words: &[&str], input: &str) -> Result<Output> {
        let bin = self.home.join("bin");
        let path = format!("{}:/usr/bin:/bin", bin.display());
        let mut command = Command::new(program);
        command
            .args(words)
            .env_clear()
            .current_dir(self.home.join("work"));
        command.env("HOME", &self.home).env("PATH", path);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let Some(mut stdin) = child.stdin.take() else {
            bail!("no input");
        };
        // It may end before it has read everything.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        Ok(child.wait_with_output()?)
    }
}
