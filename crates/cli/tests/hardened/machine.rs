//! A root directory with the hardened install in it, and a user who may not touch it. Both are gone
//! when the test ends.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The session that tests speak as.
pub const SESSION: &str = "5e55104e-0000-4000-8000-000000000001";
/// Where machines are: the user must be able to enter it, and nothing below it counts as temporary.
const MACHINES: &str = "/srv/tollgate-tests";
/// The table of users is locked while one is made.
static USERS: Mutex<()> = Mutex::new(());
/// Of larger files size and time are compared.
const LARGE: u64 = 1024 * 1024;
static NUMBER: AtomicU32 = AtomicU32::new(0);

pub struct Machine {
    dir: PathBuf,
    name: String,
    group: String,
    pub user: u32,
    user_group: u32,
    calls: AtomicU32,
}

/// Whether the test can run here; says so if not.
pub fn can_run() -> bool {
    let is_root = Path::new("/proc/self").metadata().unwrap().uid() == 0;
    if !is_root {
        println!("skipped: only root can make a hardened install");
        assert!(
            std::env::var_os("TOLLGATE_TEST_ROOT").is_none(),
            "this must run as root"
        );
    }
    is_root
}

impl Machine {
    /// A user and our programs, nothing installed.
    pub fn bare() -> Self {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let id = format!("{}n{number}", std::process::id());
        let (name, group) = (format!("tgu{id}"), format!("tgg{id}"));
        let dir = Path::new(MACHINES).join(&id);
        let _ = fs::remove_dir_all(&dir);
        for part in ["root", "home/app", "bin", "path"] {
            fs::create_dir_all(dir.join(part)).unwrap();
        }
        for open in [Path::new(MACHINES), &dir, &dir.join("root")] {
            fs::set_permissions(open, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let home = dir.join("home");
        let made = {
            let _one_at_a_time = USERS.lock().unwrap();
            let mut useradd = Command::new("useradd");
            useradd.args(["--system", "--user-group", "--no-create-home", "--home-dir"]);
            useradd.arg(&home).args(["--shell", "/bin/sh", &name]);
            (0..20).any(|_| {
                let made = useradd.status().is_ok_and(|status| status.success());
                if !made {
                    std::thread::sleep(Duration::from_millis(200));
                }
                made
            })
        };
        assert!(made, "no user could be made");
        let id = |flag: &str| -> u32 {
            let out = Command::new("id").args([flag, &name]).output().unwrap();
            text(&out.stdout).trim().parse().unwrap()
        };
        let (user, user_group) = (id("-u"), id("-g"));
        let machine = Self {
            dir,
            name,
            group,
            user,
            user_group,
            calls: AtomicU32::new(0),
        };
        for owned in ["home", "home/app"] {
            chown(machine.at(owned), Some(user), Some(user_group)).unwrap();
        }
        machine.copy(Path::new(env!("CARGO_BIN_EXE_tollgate")), "bin/tollgate");
        if let Some(hook) = std::env::var_os("TOLLGATE_TEST_HOOK") {
            machine.copy(Path::new(&hook), "bin/tollgate-hook");
        }
        machine.by_user("git init -q app").worked();
        machine
    }

    /// The install in its place.
    pub fn new() -> Self {
        let machine = Self::bare();
        let said = machine
            .by_root("init", &["--scope", "managed", "--yes"])
            .worked();
        assert!(said.contains("a refused call stayed undone"), "{said}");
        machine
    }

    /// Copied by another process: a file that this one wrote cannot always be started while other
    /// tests start theirs.
    fn copy(&self, from: &Path, to: &str) {
        let copied = Command::new("cp").arg(from).arg(self.at(to)).status();
        assert!(copied.unwrap().success());
    }

    pub fn at(&self, path: &str) -> PathBuf {
        self.dir.join(path)
    }

    /// A path of the installed machine, as text.
    pub fn place(&self, path: &str) -> String {
        self.at("root").join(path).display().to_string()
    }

    /// The state of the user.
    pub fn state(&self) -> String {
        self.place(&format!("var/lib/tollgate/{}", self.user))
    }

    pub fn hook(&self) -> String {
        self.place("usr/local/libexec/tollgate/tollgate-hook")
    }

    pub fn tollgate(&self) -> String {
        self.place("usr/local/bin/tollgate")
    }

    /// A file of root's.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A file of the user's.
    pub fn write_as_user(&self, path: &str, text: &str) {
        let path = self.at("home").join(path);
        let (dir, path) = (path.parent().unwrap().display(), path.display());
        let script = format!("mkdir -p '{dir}' && cat > '{path}'");
        self.by_user(&script).input(text).worked();
    }

    /// `tollgate COMMAND …` by root, with the program that is not installed, on this machine's root
    /// directory and group.
    pub fn by_root(&self, command: &str, words: &[&str]) -> Run {
        let mut root = Command::new(self.at("bin/tollgate"));
        root.arg(command).args(words);
        root.arg("--root").arg(self.at("root"));
        root.args(["--group", &self.group]);
        root.env("HOME", "/root").env_remove("SUDO_UID");
        self.run(root)
    }

    /// The installed `tollgate …` by root for the user, as through `sudo`.
    pub fn sudo(&self, words: &[&str]) -> Run {
        let mut root = Command::new(self.tollgate());
        root.args(words).env("SUDO_UID", self.user.to_string());
        self.run(root)
    }

    /// A program of the user's: a shell script.
    pub fn by_user(&self, script: &str) -> Run {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", script]);
        self.run(self.as_user(shell))
    }

    /// The installed `tollgate …` by the user.
    pub fn user_tollgate(&self, words: &[&str]) -> Run {
        let mut command = Command::new(self.tollgate());
        command.args(words);
        self.run(self.as_user(command))
    }

    /// The installed hook, started by the user, with an event.
    pub fn event(&self, event: &str, payload: &Value) -> Run {
        let mut hook = Command::new(self.hook());
        hook.args(["claude", event]);
        self.run(self.as_user(hook)).input(&payload.to_string())
    }

    /// The same where a person sits whom the host does not ask itself.
    pub fn call_of_a_person(&self, command: &str) -> Run {
        let mut payload = self.payload(command);
        payload["permission_mode"] = "bypassPermissions".into();
        let mut hook = Command::new(self.hook());
        hook.args(["claude", "PreToolUse"]);
        let mut hook = self.as_user(hook);
        hook.env("CLAUDE_CODE_SESSION_ATTENDED", "1");
        self.run(hook).input(&payload.to_string())
    }

    /// The installed hook, asked about a shell command.
    pub fn call(&self, command: &str) -> Run {
        self.event("PreToolUse", &self.payload(command))
    }

    /// The payload about a shell command; each is a call of its own.
    pub fn payload(&self, command: &str) -> Value {
        let number = self.calls.fetch_add(1, Ordering::Relaxed);
        json!({
            "hook_event_name": "PreToolUse",
            "session_id": SESSION,
            "transcript_path": self.at("home/transcript.jsonl"),
            "cwd": self.at("home/app"),
            "permission_mode": "default",
            "tool_name": "Bash",
            "tool_input": {"command": command},
            "tool_use_id": format!("toolu_{number}"),
        })
    }

    /// A command with the user's rights and nothing else.
    fn as_user(&self, mut command: Command) -> Command {
        command.uid(self.user).gid(self.user_group);
        command.env_clear();
        command.env("HOME", self.at("home"));
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin");
        command.current_dir(self.at("home"));
        command
    }

    fn run(&self, mut command: Command) -> Run {
        if command.get_current_dir().is_none() {
            command.current_dir(self.at("home/app"));
        }
        Run {
            command,
            input: Vec::new(),
        }
    }

    /// Everything below a directory: path, permissions, owner, group and content.
    pub fn snapshot(&self, dir: &str) -> Vec<String> {
        let mut all = Vec::new();
        let mut rest = vec![PathBuf::from(dir)];
        while let Some(path) = rest.pop() {
            let metadata = path.symlink_metadata().unwrap();
            let content = if metadata.is_dir() {
                let entries = fs::read_dir(&path).unwrap();
                rest.extend(entries.map(|entry| entry.unwrap().path()));
                Vec::new()
            } else if metadata.len() > LARGE {
                format!("{} {}", metadata.len(), metadata.mtime_nsec()).into_bytes()
            } else if metadata.is_file() {
                fs::read(&path).unwrap()
            } else {
                fs::read_link(&path)
                    .unwrap()
                    .as_os_str()
                    .as_encoded_bytes()
                    .to_vec()
            };
            let mut hash = DefaultHasher::new();
            content.hash(&mut hash);
            all.push(format!(
                "{} {:o} {}:{} {} {:x}",
                path.display(),
                metadata.mode(),
                metadata.uid(),
                metadata.gid(),
                metadata.nlink(),
                hash.finish()
            ));
        }
        all.sort();
        all
    }

    /// All that the user's journals hold.
    pub fn journal(&self) -> String {
        let dir = PathBuf::from(self.state()).join("journal");
        let entries = fs::read_dir(dir).into_iter().flatten();
        let texts = entries.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
        texts.collect()
    }

    /// Whether the group that the state belongs to is there.
    pub fn has_group(&self) -> bool {
        let groups = fs::read_to_string("/etc/group").unwrap();
        groups
            .lines()
            .any(|line| line.starts_with(&format!("{}:", self.group)))
    }

    /// The number of that group.
    pub fn state_group(&self) -> u32 {
        Path::new(&self.place("var/lib/tollgate"))
            .metadata()
            .unwrap()
            .gid()
    }

    pub fn user_group(&self) -> u32 {
        self.user_group
    }

    pub fn user_name(&self) -> &str {
        &self.name
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
        let _one_at_a_time = USERS.lock();
        for (tool, name) in [("userdel", &self.name), ("groupdel", &self.group)] {
            let _ = Command::new(tool).arg(name).stderr(Stdio::null()).status();
        }
        // Only if no other machine is there.
        let _ = fs::remove_dir(MACHINES);
    }
}

/// A program that is about to be run.
pub struct Run {
    command: Command,
    input: Vec<u8>,
}

impl Run {
    pub fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// In the project.
    pub fn in_app(mut self) -> Self {
        let home = self.command.get_current_dir().unwrap().to_owned();
        self.command.current_dir(home.join("app"));
        self
    }

    pub fn input(mut self, text: &str) -> Self {
        self.input = text.as_bytes().to_vec();
        self
    }

    pub fn output(mut self) -> Output {
        self.command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = self.command.spawn().unwrap();
        // It may end without reading.
        let _ = child.stdin.take().unwrap().write_all(&self.input);
        child.wait_with_output().unwrap()
    }

    /// What it printed; it must have succeeded.
    pub fn worked(self) -> String {
        let shown = format!("{:?}", self.command);
        let out = self.output();
        let all = text(&out.stdout) + &text(&out.stderr);
        assert!(out.status.success(), "{shown}: {} {all}", out.status);
        all
    }

    /// What it printed; it must have failed.
    pub fn failed(self) -> String {
        let shown = format!("{:?}", self.command);
        let out = self.output();
        let all = text(&out.stdout) + &text(&out.stderr);
        assert!(!out.status.success(), "{shown} should have failed: {all}");
        all
    }

    /// What it printed, however it ended.
    pub fn said(self) -> String {
        let out = self.output();
        text(&out.stdout) + &text(&out.stderr)
    }
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A pack that refuses one program.
pub fn pack(id: &str, program: &str) -> String {
    format!(
        "id = \"{id}\"\nsummary = \"Ours.\"\n\n[[rule]]\nid = \"out\"\nlevel = \"deny\"\n\
         reason = \"no {program} here\"\nmatch = [{{ call = \"{program} x\" }}]\n\
         not_match = [{{ call = \"ls\" }}]\n[rule.when]\nprogram = \"{program}\"\n"
    )
}

/// Waits for something that another process does.
pub fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
