//! Processes as the system shows them: names, parents, what they were started with. Judges nobody.
//!
//! Only Linux shows them (`/proc`); elsewhere every look finds nothing.

use std::fs::File;
use std::io::Read;

use crate::sys;

/// Most bytes of a process's line that are read: more than the fields that are looked at take.
const LINE_BYTES_MAX: usize = 512;
/// Most bytes that are read of anything else; half an environment proves nothing.
const BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Most ancestors that are looked at.
const ANCESTORS_MAX: usize = 64;
/// Programs that hosts are scripts of.
const INTERPRETERS: &[&str] = &["node", "bun", "deno"];
/// Programs through which hosts start their hooks.
const SHELLS: &[&str] = &["sh", "dash", "bash", "zsh", "ash", "busybox"];

/// States of processes that have ended: proc(5).
const ENDED: &[&str] = &["Z", "X", "x"];

/// One process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub number: u64,
    /// What it calls itself: a hint, since it may choose that.
    pub name: String,
    /// The number of its parent.
    pub parent: u64,
    /// When it started, in the kernel's clock ticks since the machine did: with the number, it
    /// names one process for as long as the machine runs.
    pub start: u64,
}

impl Process {
    /// Whether hosts start hooks through it.
    #[must_use]
    pub fn is_shell(&self) -> bool {
        SHELLS.contains(&self.name.as_str())
    }
}

/// The process with this number. One that has ended is none, though nobody has fetched its end yet.
#[must_use]
pub fn look(number: u64) -> Option<Process> {
    let mut line = [0; LINE_BYTES_MAX];
    // One read: the system makes the line up anew for each.
    let count = open(number, "stat")?.read(&mut line).ok()?;
    parse(number, &String::from_utf8_lossy(line.get(..count)?))
}

/// `number (name) state parent …`, where the name may hold anything.
fn parse(number: u64, stat: &str) -> Option<Process> {
    let (name, rest) = stat.split_once('(')?.1.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace();
    if fields.next().is_none_or(|state| ENDED.contains(&state)) {
        return None;
    }
    Some(Process {
        number,
        name: name.to_owned(),
        parent: fields.next()?.parse().ok()?,
        // The 22nd field of all.
        start: fields.nth(17)?.parse().ok()?,
    })
}

/// The process that started this one.
#[must_use]
pub fn parent() -> Option<Process> {
    look(sys::parent())
}

/// All that are above a process, nearest first.
#[must_use]
pub fn ancestors(of: &Process) -> Vec<Process> {
    let above = std::iter::successors(look(of.parent), |process| look(process.parent));
    above.take(ANCESTORS_MAX).collect()
}

/// The environment that a process was started with, as `NAME=value` with NUL between; nothing if
/// the system does not show it.
#[must_use]
pub fn environment(number: u64) -> Option<Vec<u8>> {
    read(number, "environ")
}

/// The program that a process runs; nothing if the system does not show it.
#[must_use]
pub fn program(number: u64) -> Option<String> {
    let path = std::fs::read_link(format!("/proc/{number}/exe")).ok()?;
    Some(path.to_string_lossy().into_owned())
}

/// The words that a process was started with.
#[must_use]
pub fn command_line(number: u64) -> Option<Vec<String>> {
    let bytes = read(number, "cmdline")?;
    let words = bytes.split(|byte| *byte == 0);
    Some(
        words
            .map(|word| String::from_utf8_lossy(word).into_owned())
            .collect(),
    )
}

/// The processes that run a program, by its file's name: as it is, or as a script that an
/// interpreter was started with.
#[must_use]
pub fn running(program: &str) -> Vec<u64> {
    let Ok(all) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let numbers = all.flatten().filter_map(|entry| {
        let name = entry.file_name();
        name.to_str()?.parse::<u64>().ok()
    });
    let runs = |number: &u64| command_line(*number).is_some_and(|words| is_run(program, &words));
    numbers.filter(runs).collect()
}

/// Whether a command line runs a program.
fn is_run(program: &str, words: &[String]) -> bool {
    fn name(word: &str) -> &str {
        let name = text::path::file_name(word);
        let name = name.strip_suffix(".js").unwrap_or(name);
        name.strip_suffix(".exe").unwrap_or(name)
    }
    let mut words = words.iter();
    let first = words.next().map_or("", |word| name(word));
    // Options of the interpreter come before the script.
    let script = words.find(|word| !word.starts_with('-'));
    let is_script = || script.is_some_and(|word| name(word) == program);
    first == program || INTERPRETERS.contains(&first) && is_script()
}

/// The present directory of a process; nothing if the system does not show it.
#[must_use]
pub fn directory(number: u64) -> Option<String> {
    let path = std::fs::read_link(format!("/proc/{number}/cwd")).ok()?;
    Some(path.to_string_lossy().into_owned())
}

/// Whether what a process prints goes to a terminal; no if the system does not show it.
#[must_use]
pub fn is_at_terminal(number: u64) -> bool {
    let output = std::fs::read_link(format!("/proc/{number}/fd/1")).unwrap_or_default();
    let terminals = ["/dev/pts/", "/dev/tty", "/dev/console"];
    let output = output.to_string_lossy();
    terminals.iter().any(|start| output.starts_with(start))
}

/// What a process can be typed to at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Terminal {
    /// It has none.
    None,
    /// One that is the machine's own.
    Console,
    /// One that a program holds the other side of, by its number.
    Pseudo(u64),
}

/// Kinds of terminals as the kernel numbers them: those of programs, and the machine's own.
const PSEUDO_MAJORS: std::ops::RangeInclusive<u64> = 136..=143;
const CONSOLE_MAJORS: &[u64] = &[4, 204];
/// Terminals of one kind.
const MINORS: u64 = 256;
/// The user's clock ticks in a second, on every Linux.
const TICKS: u64 = 100;

/// The terminal that a process belongs to.
#[must_use]
pub fn terminal_of(number: u64) -> Terminal {
    let device = field(number, 4).unwrap_or_default();
    // Twelve bits of the kind between the low eight and the rest of the number.
    let major = device >> 8 & 0xfff;
    let minor = device & 0xff | device >> 12 & 0xf_ff00;
    if PSEUDO_MAJORS.contains(&major) {
        return Terminal::Pseudo((major - PSEUDO_MAJORS.start()) * MINORS + minor);
    }
    if CONSOLE_MAJORS.contains(&major) {
        return Terminal::Console;
    }
    Terminal::None
}

/// The process that began the session which a process belongs to.
#[must_use]
pub fn session_of(number: u64) -> Option<u64> {
    field(number, 3)
}

/// A number of a process's line, counted from its state.
fn field(number: u64, at: usize) -> Option<u64> {
    let line = read(number, "stat")?;
    let line = String::from_utf8_lossy(&line);
    let fields = line.rsplit_once(')')?.1;
    fields.split_ascii_whitespace().nth(at)?.parse().ok()
}

/// Every process that is seen to hold the other side of a terminal.
#[must_use]
pub fn holders(pseudo: u64) -> Vec<Process> {
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let holds = |number: &u64| holds(*number, pseudo);
    numbers.filter(holds).filter_map(look).collect()
}

fn holds(number: u64, pseudo: u64) -> bool {
    let files = std::fs::read_dir(format!("/proc/{number}/fd"));
    let mut files = files.into_iter().flatten().flatten();
    let index = format!("tty-index:\t{pseudo}");
    files.any(|file| {
        let target = std::fs::read_link(file.path()).unwrap_or_default();
        target.ends_with("ptmx") && {
            let name = file.file_name();
            let about = read(number, &format!("fdinfo/{}", name.to_string_lossy()));
            let about = about.unwrap_or_default();
            String::from_utf8_lossy(&about)
                .lines()
                .any(|line| line == index)
        }
    })
}

/// Whether the system does not show what a process has open: it is another user's, or has rights
/// of its own.
#[must_use]
pub fn is_hidden(number: u64) -> bool {
    std::fs::read_dir(format!("/proc/{number}/fd")).is_err()
}

/// When a process started, in milliseconds of the machine's clock.
#[must_use]
pub fn started(process: &Process) -> u64 {
    boot() * 1_000 + process.start * 1_000 / TICKS
}

/// When what we see of the machine began: its first process. Who made a world of their own for
/// us sees the machine's own start.
#[must_use]
pub fn began() -> u64 {
    let first = look(1).filter(|_| sees_all_users());
    first.map_or(boot() * 1_000, |first| started(&first))
}

/// When the machine started, in seconds.
fn boot() -> u64 {
    let text = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("btime "));
    line.and_then(|seconds| seconds.trim().parse().ok())
        .unwrap_or_default()
}

/// Whether this is the machine's own list of users: nobody without rights makes a world in which
/// processes are hidden from us, but with users of its own.
#[must_use]
pub fn sees_all_users() -> bool {
    let map = std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    let words: Vec<&str> = map.split_ascii_whitespace().collect();
    words == ["0", "0", "4294967295"]
}

/// How a process is confined: whether it may gain rights, and the filter on its system calls.
#[must_use]
pub fn confinement(number: u64) -> Option<Vec<String>> {
    let status = read(number, "status")?;
    let status = String::from_utf8_lossy(&status);
    let lines = status
        .lines()
        .filter(|line| line.starts_with("NoNewPrivs:") || line.starts_with("Seccomp:"));
    let lines: Vec<String> = lines.map(str::to_owned).collect();
    (lines.len() == 2).then_some(lines)
}

/// All that the system tells about a process under one name.
fn read(number: u64, what: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = open(number, what)?;
    let length = file.take(BYTES_MAX).read_to_end(&mut bytes).ok()?;
    ((length as u64) < BYTES_MAX).then_some(bytes)
}

/// The only look of this module.
fn open(number: u64, what: &str) -> Option<File> {
    let exists = cfg!(target_os = "linux") && number > 0;
    exists.then(|| File::open(["/proc/", &number.to_string(), "/", what].concat()).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_anything() {
        let rest = "S 7 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4711 9 9";
        for name in ["sh", "a) S 1 (b", "", "with space"] {
            let process = parse(42, &format!("42 ({name}) {rest}")).unwrap();
            assert_eq!((process.parent, process.start), (7, 4_711), "{name}");
            assert_eq!(process.name, name);
        }
        assert_eq!(parse(1, "1 (sh S 7"), None);
        assert_eq!(
            parse(1, &format!("1 (sh) {}", rest.replace('S', "Z"))),
            None
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_whose_end_nobody_fetched_is_none() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let number = child.id().into();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
        while look(number).is_some() {
            assert!(std::time::Instant::now() < deadline, "it does not end");
            std::thread::yield_now();
        }
        // Its number is still taken.
        assert!(std::path::Path::new(&format!("/proc/{number}")).exists());
        child.wait().unwrap();
    }

    #[test]
    fn a_program_is_known_by_its_file() {
        let is_run = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            is_run("codex", &words)
        };
        for line in [
            "codex",
            "/usr/bin/codex exec",
            "node /usr/lib/node_modules/@openai/codex/bin/codex.js",
            "node --max-old-space-size=4096 /opt/codex",
            "/opt/codex.exe",
        ] {
            assert!(is_run(line), "{line}");
        }
        for line in [
            "",
            "vim codex",
            "node build.js codex",
            "/opt/codex/bin/other",
        ] {
            assert!(!is_run(line), "{line}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_is_found_with_those_above_it() {
        let own = look(std::process::id().into()).unwrap();
        assert_eq!(Some(own.parent), parent().map(|parent| parent.number));
        let above = ancestors(&own);
        assert_eq!(
            above.first().map(|process| process.number),
            Some(own.parent)
        );
        assert!(above.iter().all(|process| process.start <= own.start));
        assert_eq!(look(u64::MAX), None);
        assert!(confinement(own.number).is_some());
    }
}
