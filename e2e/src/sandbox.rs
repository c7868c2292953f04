//! One run of a real client in a home and a project of its own.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::Gate;
use super::api::{Answer, Api, Lane, Turn};
use super::client::{self, Client};
use crate::shell;

/// Longest run of a client, in seconds.
const RUN_SECONDS_MAX: u64 = 240;

/// What the client shows our model; it opens nothing.
pub const API_KEY: &str = "sk-ant-dummy-not-a-key";

/// How a client is driven. All of it is that client's own; the rest of a run is the same for all.
pub struct Driver {
    /// Its id for `tollgate init --agent`.
    pub agent: &'static str,
    /// Its user's settings, by their path below the home.
    pub settings: &'static str,
    /// Writes what its user has set before the gate comes.
    pub prepare: fn(&Sandbox) -> Result<()>,
    /// Plays its model.
    pub answer: Answer,
    /// Adds what it looks for in its environment; the model listens on the port.
    pub environment: fn(&Sandbox, &mut Command, u16),
    /// Has its user's settings lead it to the model, for where the gate starts it. Nothing where
    /// its environment does.
    pub lead: fn(&Sandbox, u16) -> Result<()>,
    /// What it is started with: to do what the sandbox's prompt says, with these arguments more,
    /// and to end.
    pub arguments: fn(&Sandbox, &[&str], u16) -> Vec<String>,
    /// The arguments with which everything runs and nothing is asked, but for the gate.
    pub free: &'static [&'static str],
    /// Its shell tool, called with a command.
    pub shell: fn(&str) -> Turn,
}

/// A home, a project and a gate of their own.
#[derive(Clone)]
pub struct Sandbox {
    /// How its client is driven.
    pub driver: &'static Driver,
    /// Directories whose programs come before all others: that of the client's, where the gate
    /// itself has to find it.
    pub beside: Vec<PathBuf>,
    /// Clients that the gate may start as judges, and where the model of each listens.
    judges: Vec<(&'static Driver, u16)>,
    /// Everything is below it.
    pub root: PathBuf,
    /// The project.
    pub project: PathBuf,
    /// The home.
    pub home: PathBuf,
    /// What the user asks the client.
    pub prompt: String,
}

thread_local! {
    /// Where sandboxes were built in this thread.
    static BUILT: RefCell<Vec<PathBuf>> = const { RefCell::new(Vec::new()) };
}

/// Where this thread has built sandboxes since it was last asked.
pub fn built() -> Vec<PathBuf> {
    BUILT.take()
}

/// Where the sandbox of this name is built.
pub fn place(driver: &Driver, name: &str) -> PathBuf {
    let sandboxes = shell::root().join("target/sandbox");
    sandboxes.join(driver.agent).join(name)
}

impl Sandbox {
    /// An empty sandbox with a repository in which one file has uncommitted changes.
    ///
    /// # Errors
    /// If it cannot be built.
    pub fn of(driver: &'static Driver, name: &str) -> Result<Self> {
        let root = place(driver, name);
        let _ = fs::remove_dir_all(&root);
        BUILT.with_borrow_mut(|built| built.push(root.clone()));
        let sandbox = Self {
            driver,
            beside: Vec::new(),
            judges: Vec::new(),
            project: root.join("home/proj"),
            home: root.join("home"),
            prompt: "do the work".to_owned(),
            root,
        };
        let settings = sandbox.settings();
        fs::create_dir_all(settings.parent().unwrap_or(&sandbox.home))?;
        fs::create_dir_all(sandbox.home.join("keep"))?;
        fs::write(sandbox.home.join("keep/only-copy.txt"), "nowhere else\n")?;
        fs::create_dir_all(&sandbox.project)?;
        for arguments in [
            &["init", "-q", "-b", "main"][..],
            &["config", "user.name", "Dev"],
            &["config", "user.email", "dev@example.test"],
        ] {
            sandbox.git(arguments)?;
        }
        sandbox.write("a.txt", "committed\n")?;
        sandbox.git(&["add", "a.txt"])?;
        sandbox.git(&["commit", "-qm", "first"])?;
        sandbox.write("a.txt", "changed and nowhere else\n")?;
        (driver.prepare)(&sandbox)?;
        Ok(sandbox)
    }

    /// The same with the gate in front of the client, and the client where the gate finds it.
    ///
    /// # Errors
    /// If it cannot be built.
    pub fn gated(
        driver: &'static Driver,
        (client, gate): (&Client, &Gate),
        name: &str,
    ) -> Result<Self> {
        Self::of(driver, name)?.with_gate(client, gate)
    }

    /// A sandbox that was prepared further, with the gate and the client as in [`Self::gated`].
    ///
    /// # Errors
    /// If the gate cannot be installed.
    pub fn with_gate(mut self, client: &Client, gate: &Gate) -> Result<Self> {
        let beside = client.program.parent().map(Path::to_path_buf);
        self.beside.extend(beside);
        self.install_gate(gate, &[])?;
        Ok(self)
    }

    /// Writes what the user of another client has set.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn prepare_for(&self, driver: &'static Driver) -> Result<()> {
        let theirs = Self {
            driver,
            ..self.clone()
        };
        fs::create_dir_all(theirs.settings().parent().unwrap_or(&theirs.home))?;
        (driver.prepare)(&theirs)
    }

    /// Has a client stand where the gate finds it as a judge, whose model listens on the port.
    ///
    /// # Errors
    /// If it cannot be put there.
    pub fn judged_by(
        &mut self,
        (driver, client): (&'static Driver, &Client),
        port: u16,
    ) -> Result<()> {
        let bin = self.root.join("bin");
        fs::create_dir_all(&bin)?;
        start_as(&bin.join(driver.agent), &client.program)?;
        if !self.beside.contains(&bin) {
            self.beside.push(bin);
        }
        (driver.lead)(self, port)?;
        self.judges.push((driver, port));
        Ok(())
    }

    /// Runs git in the project.
    ///
    /// # Errors
    /// If it fails.
    pub fn git(&self, arguments: &[&str]) -> Result<()> {
        let status = Command::new("git")
            .args(arguments)
            .current_dir(&self.project)
            .status()?;
        if !status.success() {
            bail!("git {arguments:?} failed");
        }
        Ok(())
    }

    /// Puts the gate in front of the client, as a user would.
    ///
    /// # Errors
    /// If `tollgate init` fails.
    pub fn install_gate(&self, gate: &Gate, more: &[&str]) -> Result<()> {
        let words = ["init", "--agent", self.driver.agent];
        let hook = gate.hook.display().to_string();
        let end = ["--scope", "user", "--yes", "--hook-from", &hook];
        let out = self.run(gate, &[&words, &end[..], more].concat())?;
        if !out.status.success() {
            bail!("tollgate init: {}", String::from_utf8_lossy(&out.stderr));
        }
        Ok(())
    }

    /// Runs `tollgate` as the user would, in the project; what it printed.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn tollgate(&self, gate: &Gate, words: &[&str]) -> Result<String> {
        let out = self.run(gate, words)?;
        Ok(String::from_utf8_lossy(&out.stdout).into_owned())
    }

    /// The same with what it said beside.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn told(&self, gate: &Gate, words: &[&str]) -> Result<String> {
        let out = self.run(gate, words)?;
        let said = [out.stdout, out.stderr].concat();
        Ok(String::from_utf8_lossy(&said).into_owned())
    }

    /// The same with the passphrase, which the human has and the worker has not.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn told_by_owner(&self, gate: &Gate, words: &[&str]) -> Result<String> {
        let mut command = Command::new(&gate.tollgate);
        command.args(words).current_dir(&self.project);
        let mut command = self.surroundings(&mut command);
        command = command.stdin(Stdio::piped());
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(b"correct horse\n")?;
        }
        let out = child.wait_with_output()?;
        let said = [out.stdout, out.stderr].concat();
        Ok(String::from_utf8_lossy(&said).into_owned())
    }

    /// Starts `tollgate` for as long as it runs; what it prints can be read.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(&self, gate: &Gate, words: &[&str]) -> Result<Child> {
        let mut command = Command::new(&gate.tollgate);
        command.args(words).current_dir(&self.project);
        let command = self.surroundings(&mut command).stdin(Stdio::null());
        Ok(command.stdout(Stdio::piped()).spawn()?)
    }

    fn run(&self, gate: &Gate, words: &[&str]) -> Result<Output> {
        let mut command = Command::new(&gate.tollgate);
        command.args(words).current_dir(&self.project);
        let out = self.surroundings(&mut command).output();
        out.context("cannot start tollgate")
    }

    /// Has no turn held up for a review: what a ticket comes to is looked at as it is at the end.
    ///
    /// # Errors
    /// If it cannot be set.
    pub fn hold_no_turn(&self) -> Result<()> {
        let config = self.home.join(".config/tollgate");
        fs::create_dir_all(&config)?;
        Ok(fs::write(
            config.join("config.toml"),
            "[gates]\nreviews = \"off\"\n",
        )?)
    }

    /// Writes a file of the project.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, name: &str, text: &str) -> Result<()> {
        let path = self.project.join(name);
        fs::create_dir_all(path.parent().unwrap_or(&self.project))?;
        Ok(fs::write(path, text)?)
    }

    /// The gate's installed copy of the hook.
    pub fn hook(&self) -> PathBuf {
        self.root.join("gate/bin/tollgate-hook")
    }

    /// Has something else stand where the hook was, or nothing.
    ///
    /// # Errors
    /// If there is no hook, or it cannot be replaced.
    pub fn replace_hook(&self, text: Option<&str>) -> Result<()> {
        let hook = self.hook();
        fs::remove_file(&hook).with_context(|| format!("no hook at {}", hook.display()))?;
        text.map_or(Ok(()), |text| program(&hook, text))
    }

    /// The user's settings of the client.
    pub fn settings(&self) -> PathBuf {
        self.home.join(self.driver.settings)
    }

    /// Whether the named file stands in the project.
    pub fn has(&self, name: &str) -> bool {
        self.project.join(name).exists()
    }

    /// Where programs are looked for.
    pub fn path(&self) -> OsString {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let dirs = self.beside.iter().cloned();
        let all = dirs.chain(std::env::split_paths(&path));
        std::env::join_paths(all).unwrap_or(path)
    }

    fn surroundings<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env_clear()
            .env("PATH", self.path())
            .env("HOME", &self.home)
            .env("TMPDIR", "/tmp")
            .env("TOLLGATE_HOME", self.root.join("gate"))
            .env("LANG", "C.UTF-8")
            .env("TERM", "dumb")
            .env("SHELL", "/bin/bash")
    }

    /// What a client finds around it: our model, and no way out of this machine.
    pub fn for_client<'a>(&self, command: &'a mut Command, port: u16) -> &'a mut Command {
        self.surroundings(command);
        for (driver, port) in &self.judges {
            (driver.environment)(self, command, *port);
        }
        (self.driver.environment)(self, command, port);
        command
            // Every connection but loopback fails at once.
            .env("HTTP_PROXY", "http://127.0.0.1:9")
            .env("HTTPS_PROXY", "http://127.0.0.1:9")
            .env("NO_PROXY", "127.0.0.1,localhost")
            .current_dir(&self.project)
    }

    /// Runs the client on a script until it ends; gives what it printed and what the model heard.
    ///
    /// # Errors
    /// If it cannot be started or does not end in time.
    pub fn play(&self, client: &Client, arguments: &[&str], lanes: Vec<Lane>) -> Result<Run> {
        let api = Api::start(self.driver.answer, lanes)?;
        self.play_on(&api, client, arguments)
    }

    /// The same with a model that runs already.
    ///
    /// # Errors
    /// As [`Self::play`].
    pub fn play_on(&self, api: &Api, client: &Client, arguments: &[&str]) -> Result<Run> {
        self.play_within(api, (client, arguments), RUN_SECONDS_MAX)
    }

    /// The same for a run that may take so many seconds.
    ///
    /// # Errors
    /// As [`Self::play`].
    pub fn play_within(
        &self,
        api: &Api,
        (client, arguments): (&Client, &[&str]),
        seconds: u64,
    ) -> Result<Run> {
        let mut command = Command::new(&client.program);
        command.args((self.driver.arguments)(self, arguments, api.port));
        self.for_client(&mut command, api.port)
            .stdin(Stdio::null())
            .stdout(fs::File::create(self.root.join("stdout.txt"))?)
            .stderr(fs::File::create(self.root.join("stderr.txt"))?)
            .process_group(0);
        let mut child = command.spawn().context("cannot start the client")?;
        let end = Instant::now() + Duration::from_secs(seconds);
        while child.try_wait()?.is_none() {
            if Instant::now() > end {
                kill(&mut child);
                fs::write(self.root.join("heard.jsonl"), api.heard())?;
                bail!(
                    "the client did not end within {seconds} s ({})",
                    self.root.display()
                );
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let printed = fs::read_to_string(self.root.join("stdout.txt"))?;
        fs::write(self.root.join("heard.jsonl"), api.heard())?;
        Ok(Run {
            heard: api.heard(),
            printed,
        })
    }
}

/// Ends a process that leads a group, and its group.
pub fn kill(child: &mut Child) {
    let group = format!("-{}", child.id());
    // Whoever is gone already does not mind.
    drop(Command::new("kill").args(["-9", "--", &group]).output());
    drop(child.kill());
    drop(child.wait());
}

/// A program under the name that its users start it by.
fn start_as(path: &Path, program: &Path) -> Result<()> {
    let node = match program.extension() {
        None => String::new(),
        Some(_) => format!("{} ", client::install("node-22")?.program.display()),
    };
    let text = format!("#!/bin/sh\nexec {node}{} \"$@\"\n", program.display());
    fs::write(path, text)?;
    Ok(fs::set_permissions(
        path,
        fs::Permissions::from_mode(0o755),
    )?)
}

/// Bytes after which the gate reads no more of a program, and some more.
const PROGRAM_BYTES: usize = 128 * 1024;

/// Writes a program.
///
/// # Errors
/// If it cannot be written.
pub fn program(path: &Path, text: &str) -> Result<()> {
    // Longer than what the gate reads of a program: what it does is its own affair.
    fs::write(path, [text, &"\n".repeat(PROGRAM_BYTES)].concat())?;
    let mode = fs::Permissions::from_mode(0o755);
    Ok(fs::set_permissions(path, mode)?)
}

/// What a run left.
pub struct Run {
    /// What the model was told, in all requests.
    pub heard: String,
    /// What the client printed, one JSON object a line.
    pub printed: String,
}

impl Run {
    /// The client's account of how it ended.
    pub fn result(&self) -> Value {
        let lines = self.printed.lines().rev();
        let mut values = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let is_result = |value: &Value| value.get("type").is_some_and(|kind| kind == "result");
        values.find(is_result).unwrap_or_default()
    }
}
