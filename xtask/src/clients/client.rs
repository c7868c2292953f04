//! One run of a real client in a home and a project of its own.

use std::ffi::OsString;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::api::{Answer, Api, Lane};
use super::claude;
use crate::shell;

/// Longest run of a client, in seconds.
const RUN_SECONDS_MAX: u64 = 90;

/// What the client shows our model; it opens nothing.
pub const API_KEY: &str = "sk-ant-dummy-not-a-key";

/// How a client is driven. All of it is that client's own; the rest of a run is the same for all.
pub struct Driver {
    /// Its id for `tollgate init --agent`.
    pub agent: &'static str,
    /// Its user's settings, by their path below the home.
    pub settings: &'static str,
    /// Plays its model.
    pub answer: Answer,
    /// Adds what it looks for in its environment; the model listens on the port.
    pub environment: fn(&Stage, &mut Command, u16),
    /// What it is started with: to do what the stage's prompt says, with these arguments more,
    /// and to end.
    pub arguments: fn(&Stage, &[&str], u16) -> Vec<String>,
}

/// Where a client lives and which one it is.
pub struct Client {
    /// Its id in `clients.txt`.
    pub id: String,
    /// The version that is pinned.
    pub version: String,
    /// The program.
    pub program: PathBuf,
}

/// Installs a client into `target/` if it is not there, and says where it is.
///
/// # Errors
/// If it is not in `clients.txt`, or npm cannot install it.
pub fn install(id: &str) -> Result<Client> {
    let list = fs::read_to_string(shell::root().join("xtask/clients.txt"))?;
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    let words = lines.map(|line| line.split(' ').collect::<Vec<_>>());
    let found = words.into_iter().find(|words| words.first() == Some(&id));
    let Some([_, package, version, inside]) = found.as_deref() else {
        bail!("`{id}` is not in xtask/clients.txt");
    };
    let home = shell::root()
        .join("target/clients")
        .join(format!("{id}-{version}"));
    let program = home.join("node_modules").join(inside);
    if !program.exists() {
        fs::create_dir_all(&home)?;
        let prefix = home.display().to_string();
        let named = format!("{package}@{version}");
        shell::run(
            "npm",
            &[
                "install",
                "--no-audit",
                "--no-fund",
                "--prefix",
                &prefix,
                &named,
            ],
        )?;
    }
    if !program.exists() {
        bail!(
            "{named} holds no `{inside}` on this machine",
            named = package
        );
    }
    Ok(Client {
        id: id.to_owned(),
        version: (*version).to_owned(),
        program,
    })
}

/// A home, a project and a gate of their own.
pub struct Stage {
    /// How its client is driven.
    pub driver: &'static Driver,
    /// A directory with the client's program, where the gate itself has to find it.
    pub beside: Option<PathBuf>,
    /// Everything is below it.
    pub root: PathBuf,
    /// The project.
    pub project: PathBuf,
    /// The home.
    pub home: PathBuf,
    /// What the user asks the client.
    pub prompt: String,
}

impl Stage {
    /// A stage for Claude Code; see [`Self::of`].
    ///
    /// # Errors
    /// If it cannot be built.
    pub fn new(name: &str) -> Result<Self> {
        Self::of(&claude::DRIVER, name)
    }

    /// An empty stage with a repository in which one file has uncommitted changes.
    ///
    /// # Errors
    /// If it cannot be built.
    pub fn of(driver: &'static Driver, name: &str) -> Result<Self> {
        let root = shell::root().join("target/stage").join(name);
        let _ = fs::remove_dir_all(&root);
        let stage = Self {
            driver,
            beside: None,
            project: root.join("home/proj"),
            home: root.join("home"),
            prompt: "do the work".to_owned(),
            root,
        };
        let settings = stage.settings();
        fs::create_dir_all(settings.parent().unwrap_or(&stage.home))?;
        fs::create_dir_all(stage.home.join("keep"))?;
        fs::write(stage.home.join("keep/only-copy.txt"), "nowhere else\n")?;
        fs::create_dir_all(&stage.project)?;
        for arguments in [
            &["init", "-q", "-b", "main"][..],
            &["config", "user.name", "Dev"],
            &["config", "user.email", "dev@example.test"],
        ] {
            stage.git(arguments)?;
        }
        fs::write(stage.project.join("a.txt"), "committed\n")?;
        stage.git(&["add", "a.txt"])?;
        stage.git(&["commit", "-qm", "first"])?;
        fs::write(stage.project.join("a.txt"), "changed and nowhere else\n")?;
        Ok(stage)
    }

    fn git(&self, arguments: &[&str]) -> Result<()> {
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
    pub fn install_gate(&self, tollgate: &Path, hook: &Path, more: &[&str]) -> Result<()> {
        let mut init = Command::new(tollgate);
        init.args([
            "init",
            "--agent",
            self.driver.agent,
            "--scope",
            "user",
            "--yes",
            "--hook-from",
        ]);
        init.arg(hook).args(more).current_dir(&self.project);
        let out = self
            .surroundings(&mut init)
            .output()
            .context("cannot start tollgate")?;
        if !out.status.success() {
            bail!("tollgate init: {}", String::from_utf8_lossy(&out.stderr));
        }
        Ok(())
    }

    /// Runs `tollgate` as the user would, in the project; what it printed.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn tollgate(&self, tollgate: &Path, words: &[&str]) -> Result<String> {
        let mut command = Command::new(tollgate);
        command.args(words).current_dir(&self.project);
        let out = self.surroundings(&mut command).output()?;
        Ok(String::from_utf8_lossy(&out.stdout).into_owned())
    }

    /// The gate's installed copy of the hook.
    pub fn hook(&self) -> PathBuf {
        self.root.join("gate/bin/tollgate-hook")
    }

    /// The user's settings of the client.
    pub fn settings(&self) -> PathBuf {
        self.home.join(self.driver.settings)
    }

    /// Whether the named file stands in the project.
    pub fn has(&self, name: &str) -> bool {
        self.project.join(name).exists()
    }

    fn path(&self) -> OsString {
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
        (self.driver.environment)(self, self.surroundings(command), port);
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
        let mut command = Command::new(&client.program);
        command.args((self.driver.arguments)(self, arguments, api.port));
        self.for_client(&mut command, api.port)
            .stdin(Stdio::null())
            .stdout(fs::File::create(self.root.join("stdout.txt"))?)
            .stderr(fs::File::create(self.root.join("stderr.txt"))?)
            .process_group(0);
        let mut child = command.spawn().context("cannot start the client")?;
        let end = Instant::now() + Duration::from_secs(RUN_SECONDS_MAX);
        while child.try_wait()?.is_none() {
            if Instant::now() > end {
                child.kill()?;
                bail!(
                    "the client did not end within {RUN_SECONDS_MAX} s ({})",
                    self.root.display()
                );
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let printed = fs::read_to_string(self.root.join("stdout.txt"))?;
        Ok(Run {
            heard: api.heard(),
            printed,
        })
    }
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
