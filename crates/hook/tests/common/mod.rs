//! Real worlds for tests of the real hook binary: a home, a project, a repository, files.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test that cannot go on must stop"
)]
#![allow(dead_code, reason = "each test binary uses its own part")]

pub mod client;
pub mod damage;
pub mod helper;
#[cfg(unix)]
pub mod host;
pub mod remember;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

/// A directory of its own with a home in it, removed when the test ends.
///
/// It lies outside every directory for temporary files: what is in one of those counts as
/// temporary, and a test about losing work would prove nothing there.
pub struct World {
    pub root: PathBuf,
    pub cwd: PathBuf,
    pub env: Vec<(String, String)>,
    created_paths: Vec<PathBuf>,
    calls: u32,
}

/// Where paths of a case's machine begin that are paths of a world here.
const MAPPED: &[&str] = &[
    "/home/dev",
    "/Users/dev",
    "/tmp/",
    "/srv/",
    "/var/lib/app",
    "/var/folders",
];

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// What the hook answered.
#[derive(Debug)]
pub struct Answer {
    pub stdout: String,
    pub stderr: String,
    pub code: i32,
}

impl Answer {
    /// `allow`, `ask` or `deny`, as the client would take it.
    pub fn level(&self) -> &'static str {
        let decision = self.decision();
        match (decision.as_deref(), self.code) {
            (_, 2) | (Some("deny"), _) => "deny",
            (Some("ask"), _) => "ask",
            _ => "allow",
        }
    }

    pub fn decision(&self) -> Option<String> {
        let value: Value = serde_json::from_str(&self.stdout).ok()?;
        let decision = &value["hookSpecificOutput"]["permissionDecision"];
        decision.as_str().map(str::to_owned)
    }

    pub fn reason(&self) -> String {
        let value: Value = serde_json::from_str(&self.stdout).unwrap_or_default();
        let reason = &value["hookSpecificOutput"]["permissionDecisionReason"];
        reason.as_str().unwrap_or_default().to_owned()
    }
}

impl World {
    pub fn new(name: &str) -> Self {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let unique = format!("{name}-{}-{number}", std::process::id());
        let root = outside_temp().join(unique);
        let _ = fs::remove_dir_all(&root);
        let cwd = root.join("home/dev/proj");
        for dir in ["home/dev/proj", "tmp", "srv"] {
            fs::create_dir_all(root.join(dir)).unwrap();
        }
        let root = root.canonicalize().unwrap();
        let cwd = root.join(
            cwd.strip_prefix(&root)
                .unwrap_or(Path::new("home/dev/proj")),
        );
        Self {
            root,
            cwd,
            env: Vec::new(),
            created_paths: Vec::new(),
            calls: 0,
        }
    }

    /// A path of the case's machine (`/home/dev/x`) as a path of this world.
    pub fn map(&self, text: &str) -> String {
        let root = self.root.to_str().unwrap();
        let mut mapped = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('/') {
            mapped.push_str(&rest[..at]);
            rest = &rest[at..];
            let here = MAPPED.iter().find(|prefix| rest.starts_with(**prefix));
            let starts_a_path = !mapped.ends_with(|c: char| c.is_alphanumeric() || c == '/');
            match here {
                Some(prefix) if starts_a_path && !mapped.ends_with("..") => {
                    mapped.push_str(root);
                    let neutral = prefix.replace("/Users/dev", "/home/dev");
                    mapped.push_str(&neutral);
                    rest = &rest[prefix.len()..];
                }
                _ => {
                    mapped.push('/');
                    rest = &rest[1..];
                }
            }
        }
        mapped.push_str(rest);
        mapped
    }

    /// Moves to another start directory, as the case spells it.
    pub fn start_in(&mut self, cwd: &str) {
        if cwd.starts_with('/') {
            self.cwd = PathBuf::from(self.map(cwd));
            fs::create_dir_all(&self.cwd).unwrap();
        }
    }

    /// Applies one line: `repo .`, `dirty a.rs`, `file notes.md some text`, …
    pub fn build(&mut self, line: &str) {
        let (what, rest) = line.split_once(' ').unwrap_or((line, ""));
        match what {
            "repo" => self.repository(rest),
            "in" => self.start_in(rest),
            "sh" => self.run(rest),
            "registered" => self.register(),
            "dir" => fs::create_dir_all(self.path(rest)).unwrap(),
            "file" => {
                let (path, text) = split_path(rest);
                self.write(&path, &format!("{}\n", text.replace("\\n", "\n")));
            }
            "rules" => {
                let text = rest.replace("\\n", "\n");
                self.compile(
                    "",
                    &format!("id = \"case\"\nsummary = \"Rules of a case\"\n{text}\n"),
                );
            }
            "settings" => self.compile(rest, ""),
            "link" => {
                let (path, target) = rest.split_once(' ').unwrap();
                std::os::unix::fs::symlink(self.map(target), self.path(path)).unwrap();
            }
            "born" => self.make_in_session(rest),
            "env" => {
                let (name, value) = rest.split_once(' ').unwrap();
                let value = self.map(value);
                self.env.push((name.to_owned(), value));
            }
            _ => self.build_in_repository(what, rest),
        }
    }

    /// Lines about what version control knows.
    fn build_in_repository(&self, what: &str, rest: &str) {
        match what {
            "tracked" => self.commit(rest, "committed\n"),
            "dirty" => {
                self.commit(rest, "committed\n");
                self.write(rest, "committed\nchanged and nowhere else\n");
            }
            "staged" => {
                self.write(rest, "staged and nowhere else\n");
                self.git(&["add", "-f", rest]);
            }
            "untracked" => self.write(rest, "nowhere else\n"),
            "ignored" => self.ignore(rest),
            "unpushed" => {
                for number in 0..rest.parse::<u32>().unwrap() {
                    self.commit(&format!("c{number}.txt"), &format!("{number}\n"));
                }
            }
            "unmerged" => {
                self.git(&["checkout", "-qb", rest]);
                self.commit("only-there.txt", "x\n");
                self.git(&["checkout", "-q", "main"]);
            }
            "stash" => {
                self.commit("stashed.txt", "a\n");
                self.write("stashed.txt", "b\n");
                self.git(&["stash", "push", "-q"]);
            }
            "conflict" => self.conflict(rest),
            "remote" => self.remote(rest == "behind"),
            other => panic!("no such world line: {other}"),
        }
    }

    /// Runs a line of shell in the start directory; it must succeed.
    fn run(&self, line: &str) {
        let mut bash = Command::new("bash");
        bash.args(["-euc", &self.map(line)]).current_dir(&self.cwd);
        bash.env("HOME", self.root.join("home/dev"));
        let out = with_identity(&mut bash).output().unwrap();
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "{line}: {said}");
    }

    /// Runs what was let through, whatever becomes of it.
    pub fn carry_out(&self, command: &str) {
        let mut bash = Command::new("bash");
        bash.args(["-c", &self.map(command)]).current_dir(&self.cwd);
        bash.env("HOME", self.root.join("home/dev"));
        bash.stdin(std::process::Stdio::null());
        with_identity(&mut bash).output().unwrap();
    }

    /// Has the host's settings call the hook, as `tollgate init` does.
    fn register(&self) {
        let installation = hosts::Installation {
            hook: &hook_program(),
            launch: hosts::Launch::Direct,
        };
        let edit = (hosts::find("claude").unwrap().install)(None, &installation).unwrap();
        self.write("/home/dev/.claude/settings.json", &edit.text.unwrap());
    }

    pub fn path(&self, text: &str) -> PathBuf {
        self.cwd.join(self.map(text))
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Compiles settings and a pack of rules into the rules bundle, as `tollgate compile` does.
    fn compile(&self, config: &str, pack: &str) {
        let words = rules::Vocabulary {
            gates: &gates::gate_ids(),
            hosts: &["claude"],
            packs: &[],
        };
        let mut layer = rules::read_config(config, "config.toml", &words).unwrap();
        layer.source.trusted = true;
        if !pack.is_empty() {
            layer
                .packs
                .to_mut()
                .push(rules::read_pack(pack, "case.toml").unwrap().pack);
        }
        let dir = edge::facts::project_dir(&self.project());
        let store = store::Store::open(&self.root.join("state")).unwrap();
        let payload = rules::encode(&[layer]);
        store
            .write_bundle(&store::project_id(&dir), &payload, &[])
            .unwrap();
    }

    /// The project as the hook sees it.
    fn project(&self) -> String {
        edge::facts::place(self.cwd.to_str().unwrap()).project
    }

    fn repository(&mut self, rest: &str) {
        let (dir, branch) = rest.split_once(' ').unwrap_or((rest, "main"));
        let dir = self.path(dir);
        fs::create_dir_all(&dir).unwrap();
        let dir = dir.canonicalize().unwrap();
        let run = |arguments: &[&str]| git_in(&dir, arguments);
        run(&["init", "-q", "-b", "main"]);
        fs::write(dir.join("README.md"), "read me\n").unwrap();
        run(&["add", "README.md"]);
        run(&["commit", "-qm", "first"]);
        if branch != "main" {
            run(&["checkout", "-qb", branch]);
        }
    }

    /// Adds a pattern to what git ignores.
    fn ignore(&self, pattern: &str) {
        let path = self.path(".gitignore");
        let mut text = fs::read_to_string(&path).unwrap_or_default();
        text.push_str(pattern);
        text.push('\n');
        fs::write(path, text).unwrap();
        self.git(&["add", ".gitignore"]);
        self.git(&["commit", "-qm", "ignore"]);
    }

    /// Writes a file as the worker would, before and after events included.
    fn make_in_session(&mut self, file: &str) {
        let path = self.path(file);
        let input = json!({"file_path": path, "content": "made here\n"});
        self.tool("Write", &input);
        self.write(file, "made here\n");
        self.created_paths.push(path);
        self.event("PostToolUse", "Write", &input);
    }

    /// A remote with our branch; with commits of others on it if we are behind.
    fn remote(&self, behind: bool) {
        let bare = self.root.join("srv/remote.git");
        let bare = bare.to_str().unwrap();
        self.git(&["init", "-q", "--bare", "-b", "main", bare]);
        self.git(&["remote", "add", "origin", bare]);
        if behind {
            self.git(&["commit", "-q", "--allow-empty", "-m", "of somebody else"]);
        }
        self.git(&["push", "-qu", "origin", "main"]);
        if behind {
            self.git(&["reset", "-q", "--hard", "HEAD~1"]);
        }
    }

    fn conflict(&self, rest: &str) {
        let (dir, file) = rest.split_once(' ').unwrap();
        let dir = self.path(dir);
        let run = |arguments: &[&str]| git_in(&dir, arguments);
        for (branch, text) in [("side", "side\n"), ("main", "main\n")] {
            run(&["checkout", "-q", "-B", branch, "main"]);
            fs::write(dir.join(file), text).unwrap();
            run(&["add", file]);
            run(&["commit", "-qm", branch]);
            if branch == "side" {
                run(&["checkout", "-q", "main"]);
            }
        }
        let mut rebase = Command::new("git");
        rebase
            .args(["rebase", "side"])
            .current_dir(&dir)
            .stdout(Stdio::null());
        with_identity(&mut rebase)
            .stderr(Stdio::null())
            .status()
            .unwrap();
    }

    fn commit(&self, path: &str, text: &str) {
        self.write(path, text);
        self.git(&["add", "-f", path]);
        self.git(&["commit", "-qm", &format!("add {path}")]);
    }

    pub fn git(&self, arguments: &[&str]) {
        git_in(&self.cwd, arguments);
    }

    /// Sends a call that is about to run, and gives the answer.
    pub fn tool(&mut self, tool: &str, input: &Value) -> Answer {
        self.event("PreToolUse", tool, input)
    }

    pub fn bash(&mut self, command: &str) -> Answer {
        self.tool("Bash", &json!({"command": command}))
    }

    /// Sends an event about a call. An event after a call has the call's own id.
    pub fn event(&mut self, event: &str, tool: &str, input: &Value) -> Answer {
        if event == "PreToolUse" {
            self.calls += 1;
        }
        let payload = json!({
            "session_id": "00000000-0000-4000-8000-000000000001",
            "transcript_path": self.root.join("transcript.jsonl"),
            "cwd": self.cwd,
            "permission_mode": "default",
            "hook_event_name": event,
            "tool_name": tool,
            "tool_input": input,
            "tool_response": {},
            "tool_use_id": format!("toolu_{}", self.calls),
        });
        self.raw(event, payload.to_string().as_bytes())
    }

    /// Sends bytes, and gives the answer.
    pub fn raw(&self, event: &str, bytes: &[u8]) -> Answer {
        let mut child = self
            .hook(event)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // The hook may answer before it has read everything.
        let _ = stdin.write_all(bytes);
        drop(stdin);
        let out = child.wait_with_output().unwrap();
        Answer {
            stdout: String::from_utf8(out.stdout).unwrap(),
            stderr: String::from_utf8(out.stderr).unwrap(),
            code: out.status.code().unwrap_or(-1),
        }
    }

    /// The hook binary in this world's surroundings.
    pub fn hook(&self, event: &str) -> Command {
        self.hook_of("claude", event)
    }

    /// The hook binary as a host calls it.
    pub fn hook_of(&self, host: &str, event: &str) -> Command {
        let mut command = Command::new(hook_program());
        command.args([host, event]).env_clear();
        command.env("PATH", std::env::var("PATH").unwrap());
        command.env("HOME", self.root.join("home/dev"));
        command.env("TMPDIR", self.root.join("tmp"));
        command.env("TOLLGATE_HOME", self.root.join("state"));
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        let cwd = if self.cwd.is_dir() {
            &self.cwd
        } else {
            &self.root
        };
        command.current_dir(cwd);
        command
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// `a.txt some text`; a path with spaces ends at its extension.
fn split_path(rest: &str) -> (String, &str) {
    if let Some(at) = rest.find(".pdf ") {
        return (rest[..at + 4].to_owned(), &rest[at + 5..]);
    }
    let (path, text) = rest.split_once(' ').unwrap_or((rest, ""));
    (path.to_owned(), text)
}

fn with_identity(command: &mut Command) -> &mut Command {
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "Dev");
        command.env(format!("GIT_{who}_EMAIL"), "dev@example.test");
    }
    command
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
}

/// Runs git for the test's own purposes; it must succeed.
pub fn git_in(dir: &Path, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.args(arguments).current_dir(dir);
    let out = with_identity(&mut git).output().unwrap();
    assert!(
        out.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&out.stderr)
    );
}

/// A directory that is not below one for temporary files, nor inside this repository, whose
/// ignored `target` would count as build output.
/// The hook under test: the one that was built with the tests, or the one that `xtask` names: as it
/// is installed.
pub fn hook_program() -> String {
    let named = std::env::var("TOLLGATE_TEST_HOOK");
    named.unwrap_or_else(|_| env!("CARGO_BIN_EXE_tollgate-hook").to_owned())
}

fn outside_temp() -> PathBuf {
    let home = std::env::var("HOME").unwrap();
    Path::new(&home).join(".tollgate-tests")
}
