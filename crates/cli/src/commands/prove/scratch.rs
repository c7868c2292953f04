//! A copy of the project, ignored files and all, in which something is tried.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use model::Time;
use runner::Room;
use store::Store;

use crate::here::Here;
use crate::process;

/// How long a try may take, and the making of a copy.
const TRY_TIME_MAX: Duration = Duration::from_secs(120);
const COPY_TIME_MAX: Duration = Duration::from_secs(120);
/// Most files and bytes of a project that is copied.
const FILES_MAX: u64 = 300_000;
const BYTES_MAX: u64 = 4 * 1024 * 1024 * 1024;

/// Where something is tried.
pub struct Scratch {
    /// Goes with the value.
    _room: Option<Room>,
    top: PathBuf,
    dir: PathBuf,
    is_closed: bool,
}

/// What came of a try.
pub struct Done {
    pub is_good: bool,
    pub printed: String,
}

impl Scratch {
    /// The project itself, for what changes nothing.
    pub fn in_place(here: &Here, dir: &str) -> Self {
        let top = PathBuf::from(&here.place.project);
        Self {
            _room: None,
            dir: top.join(dir),
            top,
            is_closed: false,
        }
    }

    /// A copy.
    pub fn copy(here: &Here, store: &Store, dir: &str) -> Result<Self> {
        let from = Path::new(&here.place.project);
        if Path::new(dir).is_absolute() || dir.split('/').any(|part| part == "..") {
            bail!("it ran outside of the project; ask the user");
        }
        if !is_small(from) {
            bail!("the project is too large to be copied; ask the user");
        }
        let room = Room::empty(store).map_err(|error| anyhow::anyhow!("no copy: {error}"))?;
        let top = room.work();
        let mut copy = Command::new("cp");
        copy.arg("-a");
        if cfg!(target_os = "linux") {
            copy.arg("--reflink=auto");
        }
        copy.arg(from.join(".")).arg(&top);
        let done = process::run(&mut copy, b"", COPY_TIME_MAX).context("no copy")?;
        if !done.status.success() {
            bail!("no copy: {}", String::from_utf8_lossy(&done.stderr).trim());
        }
        // Another work tree of the repository: what git did here it would do to the real one.
        if top.join(".git").is_file() {
            let removed = room.remove(".git");
            removed.map_err(|error| anyhow::anyhow!("no copy: {error}"))?;
        }
        Ok(Self {
            dir: top.join(dir),
            top,
            _room: Some(room),
            is_closed: can_be_closed(),
        })
    }

    /// Runs words there; without the network where the system lets us.
    pub fn run(&self, words: &[String]) -> Result<Done> {
        let Some((program, rest)) = words.split_first() else {
            bail!("there is nothing to run");
        };
        let mut command = match self.is_closed {
            true => {
                let mut command = Command::new("unshare");
                command.args(["-rn", "--"]).arg(program);
                command
            }
            false => Command::new(program),
        };
        command.args(rest).current_dir(&self.dir);
        let done = process::run(&mut command, b"", TRY_TIME_MAX);
        Ok(match done {
            Ok(done) => Done {
                is_good: done.status.success(),
                printed: [done.stdout, b"\n".to_vec(), done.stderr]
                    .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
                    .concat(),
            },
            Err(error) => Done {
                is_good: false,
                printed: error.to_string(),
            },
        })
    }

    /// Takes the copy back to the last commit before a moment. Which that is.
    pub fn go_back(&self, moment: Time) -> Result<String> {
        let before = format!("--before={}", moment.0 / 1_000);
        let commit = self.git(&["rev-list", "-1", &before, "HEAD"])?;
        if commit.is_empty() {
            bail!("there is no commit from before the failure, so a test shows nothing");
        }
        self.git(&["checkout", "-q", "-f", "--detach", &commit])?;
        // What is not ignored and came later goes too; what was installed stays.
        self.git(&["clean", "-q", "-f", "-d"])?;
        Ok(commit.chars().take(10).collect())
    }

    fn git(&self, words: &[&str]) -> Result<String> {
        let mut git = Command::new("git");
        git.args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor="])
            .args(words)
            .current_dir(&self.top);
        let done = process::run(&mut git, b"", COPY_TIME_MAX)?;
        if !done.status.success() {
            bail!("git: {}", String::from_utf8_lossy(&done.stderr).trim());
        }
        Ok(String::from_utf8_lossy(&done.stdout).trim().to_owned())
    }
}

/// Whether a program can be started without the network.
fn can_be_closed() -> bool {
    let tried = Command::new("unshare")
        .args(["-rn", "--", "true"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    cfg!(target_os = "linux") && tried.is_ok_and(|status| status.success())
}

/// Whether a directory can be copied in reasonable time.
fn is_small(top: &Path) -> bool {
    let (mut files, mut bytes) = (0, 0);
    let mut dirs = vec![top.to_owned()];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
            let Ok(metadata) = entry.metadata() else {
                continue;
            };
            files += 1;
            bytes += metadata.len();
            if metadata.is_dir() {
                dirs.push(entry.path());
            }
        }
        if files > FILES_MAX || bytes > BYTES_MAX {
            return false;
        }
    }
    true
}
