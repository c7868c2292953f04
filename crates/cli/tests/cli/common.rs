//! A scratch machine, and commands run on it. What a test does not say about the output of a
//! command must be empty.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

/// The host's settings in a home.
pub const SETTINGS: &str = "home/.claude/settings.json";

/// The session that tests speak as.
pub const SESSION: &str = "5e55104e-0000-4000-8000-000000000001";

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// A machine of its own: `home` with a project `home/app`, `state`, `path` and `bin` with our
/// programs. It lies outside every directory for temporary files, since what is lost there is no
/// loss. Removed when the test ends.
pub struct Machine {
    pub root: PathBuf,
}

impl Machine {
    pub fn new() -> Self {
        Self::named("cli")
    }

    /// One whose paths all have a name in them.
    pub fn named(name: &str) -> Self {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let root = outside_temp().join(format!("{name}-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        for dir in ["home/.claude", "home/app/sub", "tmp", "bin", "path"] {
            fs::create_dir_all(root.join(dir)).unwrap();
        }
        let machine = Self {
            root: root.canonicalize().unwrap(),
        };
        for name in ["tollgate", "tollgate-hook"] {
            machine.program(name);
        }
        machine.script("path/claude", "echo '2.1.332 (Claude Code)'");
        machine.git(&["init", "-q"]);
        machine
    }

    /// Our program under one of its names. Linked: a file that was just written cannot always be
    /// started while other tests start theirs.
    fn program(&self, name: &str) {
        fs::hard_link(linkable(), self.at("bin").join(name)).unwrap();
    }

    pub fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap()
    }

    /// A shell script that can be run, written by another process for the same reason.
    pub fn script(&self, path: &str, body: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut shell = Command::new("sh");
        shell.args([
            "-c",
            "rm -f \"$0\"; printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$0\"; chmod +x \"$0\"",
        ]);
        assert!(shell.arg(path).arg(body).status().unwrap().success());
    }

    pub fn git(&self, arguments: &[&str]) {
        let mut git = Command::new("git");
        git.args(arguments)
            .current_dir(self.at("home/app"))
            .env("HOME", self.at("home"));
        git.env("GIT_CONFIG_NOSYSTEM", "1");
        for who in ["AUTHOR", "COMMITTER"] {
            git.env(format!("GIT_{who}_NAME"), "Dev");
            git.env(format!("GIT_{who}_EMAIL"), "dev@example.test");
        }
        let out = git.output().unwrap();
        assert!(
            out.status.success(),
            "{}",
            String::from_utf8_lossy(&out.stderr)
        );
    }

    /// A committed file with a change that is nowhere else.
    pub fn make_dirty(&self) {
        self.write("home/app/main.rs", "one\n");
        self.git(&["add", "."]);
        self.git(&["commit", "-qm", "first"]);
        self.write("home/app/main.rs", "one\nthree hours of work\n");
    }

    /// A command line, words between blanks; `'…'` holds a word together.
    pub fn tollgate(&self, line: &str) -> Test<'_> {
        Test::new(self, words(line))
    }

    /// Puts the gate in front of the host.
    pub fn init(&self) {
        let test = self.tollgate("init --yes");
        test.shows(&["Found: Claude Code 2.1.332", "a refused call stayed undone"])
            .run();
    }

    /// What the copy of the hook that settings name says about a shell command.
    pub fn bash(&self, command: &str) -> Output {
        self.hook("PreToolUse", &self.payload(command))
    }

    pub fn payload(&self, command: &str) -> Value {
        json!({
            "session_id": SESSION, "cwd": self.at("home/app"), "permission_mode": "default",
            "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": command},
            "tool_use_id": format!("toolu_{}", NUMBER.fetch_add(1, Ordering::Relaxed)),
        })
    }

    /// What a session is told with its next prompt.
    pub fn told_with_a_prompt(&self, session: &str) -> String {
        let mut prompt = self.payload("");
        prompt["session_id"] = session.into();
        prompt["hook_event_name"] = "UserPromptSubmit".into();
        prompt["prompt"] = "go on".into();
        let said = self.hook("UserPromptSubmit", &prompt);
        String::from_utf8(said.stdout).unwrap()
    }

    /// An event as it comes while a person sits at the host.
    pub fn hook(&self, event: &str, payload: &Value) -> Output {
        self.hook_with(event, payload, &[])
    }

    /// The same, with variables that a project's settings would set.
    pub fn hook_with(&self, event: &str, payload: &Value, variables: &[(&str, &str)]) -> Output {
        self.hook_of(("claude", event), payload, variables)
    }

    /// An event as this process, in the place of the host, sends it by the way that shows it.
    #[cfg(target_os = "linux")]
    pub fn hook_by_host(&self, event: &str, payload: &Value, variables: &[(&str, &str)]) -> Output {
        let (mut ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
        let mut hook = self.hook_command(event);
        hook.envs(variables.iter().copied());
        let theirs = Stdio::from(std::os::fd::OwnedFd::from(theirs));
        hook.stdin(theirs)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = hook.spawn().unwrap();
        drop(hook);
        ours.write_all(payload.to_string().as_bytes()).unwrap();
        drop(ours);
        child.wait_with_output().unwrap()
    }

    /// An event of any host.
    pub fn hook_of(
        &self,
        (host, event): (&str, &str),
        payload: &Value,
        variables: &[(&str, &str)],
    ) -> Output {
        let mut hook = self.hook_command_of(host, event);
        hook.envs(variables.iter().copied());
        sent(&mut hook, payload.to_string().as_bytes())
    }

    /// How the hook is called for an event.
    pub fn hook_command(&self, event: &str) -> Command {
        self.hook_command_of("claude", event)
    }

    fn hook_command_of(&self, host: &str, event: &str) -> Command {
        let mut hook = Command::new(self.at("state/bin/tollgate-hook"));
        self.surround(&mut hook)
            .args([host, event])
            .env("CLAUDE_CODE_SESSION_ATTENDED", "1")
            .current_dir(self.at("home/app"));
        hook
    }

    fn surround<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        let path = std::env::var("PATH").unwrap();
        command
            .env_clear()
            .env("PATH", format!("{}:{path}", self.at("path").display()));
        command
            .env("HOME", self.at("home"))
            .env("TOLLGATE_HOME", self.at("state"));
        command.env("TMPDIR", self.at("tmp"))
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    let words = parts.flat_map(|(number, part)| match number % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

/// One command and what is expected of it.
pub struct Test<'m> {
    machine: &'m Machine,
    command: Command,
    line: String,
    stdin: Vec<u8>,
    status: i32,
    stdout: Expected,
    stderr: Expected,
}

/// What an output must be: nothing, or something that holds these parts in this order.
#[derive(Default)]
struct Expected(Vec<String>);

impl<'m> Test<'m> {
    fn new(machine: &'m Machine, words: Vec<String>) -> Self {
        let mut command = Command::new(machine.at("bin/tollgate"));
        machine
            .surround(&mut command)
            .args(&words)
            .current_dir(machine.at("home/app"));
        let (stdout, stderr) = (Expected::default(), Expected::default());
        let line = words.join(" ");
        Self {
            machine,
            command,
            line,
            stdin: Vec::new(),
            status: 0,
            stdout,
            stderr,
        }
    }

    pub fn arg(mut self, word: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.arg(word);
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn cwd(mut self, dir: &str) -> Self {
        self.command.current_dir(self.machine.at(dir));
        self
    }

    pub fn stdin(mut self, text: impl AsRef<[u8]>) -> Self {
        self.stdin = text.as_ref().to_vec();
        self
    }

    /// The exit status; 0 if none is stated.
    pub fn status(mut self, status: i32) -> Self {
        self.status = status;
        self
    }

    /// Parts of standard output, in this order.
    pub fn shows(mut self, parts: &[&str]) -> Self {
        self.stdout
            .0
            .extend(parts.iter().map(|part| (*part).to_owned()));
        self
    }

    /// Parts of standard error, in this order.
    pub fn complains(mut self, parts: &[&str]) -> Self {
        self.stderr
            .0
            .extend(parts.iter().map(|part| (*part).to_owned()));
        self
    }

    /// Runs it; what it printed.
    pub fn run(mut self) -> String {
        let out = finish(start(&mut self.command), &self.stdin);
        let text = |bytes: Vec<u8>| {
            let root = self.machine.root.to_str().unwrap();
            String::from_utf8(bytes).unwrap().replace(root, "[ROOT]")
        };
        let (stdout, stderr) = (text(out.stdout), text(out.stderr));
        let all = format!("{}\nstdout:\n{stdout}stderr:\n{stderr}", self.line);
        assert_eq!(out.status.code(), Some(self.status), "{all}");
        self.stdout.check(&stdout, &all);
        self.stderr.check(&stderr, &all);
        stdout
    }

    /// Runs it; the JSON objects that it printed.
    pub fn json(mut self) -> Vec<Value> {
        self.command.arg("--json");
        let out = self.shows(&["{"]).run();
        out.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Starts it and lets it run.
    pub fn start(mut self) -> Child {
        start(&mut self.command)
    }
}

impl Expected {
    fn check(&self, text: &str, all: &str) {
        if self.0.is_empty() {
            assert_eq!(text, "", "{all}");
        }
        let mut rest = text;
        for part in &self.0 {
            let at = rest.find(part.as_str());
            let at = at.unwrap_or_else(|| panic!("no (further) {part:?} in: {all}"));
            rest = &rest[at + part.len()..];
        }
    }
}

/// A command that is told something, and what came of it.
pub fn sent(command: &mut Command, input: &[u8]) -> Output {
    finish(start(command), input)
}

fn start(command: &mut Command) -> Child {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn finish(mut child: Child, input: &[u8]) -> Output {
    // It may end before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// Every file below a directory with its content.
pub fn files(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push((path.clone(), fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

/// Our program where worlds can link it: as it was built, or one copy of it beside them, where they
/// lie in another file system.
fn linkable() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let built = Path::new(env!("CARGO_BIN_EXE_tollgate"));
        let name = format!("program-{}", std::process::id());
        let beside = outside_temp().join(name);
        let _ = fs::remove_file(&beside);
        if fs::hard_link(built, &beside).is_ok() {
            fs::remove_file(&beside).unwrap();
            return built.to_owned();
        }
        let copied = Command::new("cp").args([built, &beside]).status().unwrap();
        assert!(copied.success());
        beside
    })
}

/// A directory that is not below one for temporary files, nor inside this repository, whose
/// ignored `target` would count as build output.
fn outside_temp() -> PathBuf {
    let home = std::env::var("HOME").expect("tests need a home for worlds that are not temporary");
    Path::new(&home).join(".tollgate-tests")
}
