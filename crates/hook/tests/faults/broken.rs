//! Ways to break while judging. What breaks is this test binary itself, started again to run the
//! hook with something else in the place of the gates; what cannot be broken from inside is done to
//! the real hook binary.

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hook::Decide;
use hosts::{Answer, Asked, Host, Reply, Wire, WireError};
use model::{Decision, Event, Snapshot};
use rules::Rules;
use serde_json::{Value, json};

use crate::common::World;
use crate::common::client::{self, Run, SESSION};

/// Says to this binary how it is to break. The product does not know it.
pub const HOW: &str = "BROKEN_HOOK";

/// The slowest answer: the longest deadline, and what a busy machine takes to start a process.
pub const ANSWER_TIME_MAX: Duration = Duration::from_millis(1_500 + 2_500);

/// One way to break, and the row of the failure table that answers it.
struct Break {
    name: &'static str,
    row: &'static [(&'static str, &'static str)],
    decide: Decide,
}

const GATE: &[(&str, &str)] = &[
    ("read", "-"),
    ("write", "ASK"),
    ("verdict", "DENY"),
    ("prompt", "adv"),
    ("after", "-"),
    ("stop", "-"),
    ("settings", "DENY"),
    ("session", "-"),
];

const TIME: &[(&str, &str)] = &[
    ("read", "-"),
    ("write", "ASK"),
    ("verdict", "DENY"),
    ("prompt", "-"),
    ("after", "-"),
    ("stop", "-"),
    ("settings", "DENY"),
    ("session", "-"),
];

const BREAKS: &[Break] = &[
    Break {
        name: "panic",
        row: GATE,
        decide: |_, _, _| panic!("a gate panics"),
    },
    Break {
        name: "overflow",
        row: GATE,
        decide: |_, _, _| overflow(),
    },
    Break {
        name: "allocation",
        row: GATE,
        decide: |_, _, _| allocate(),
    },
    Break {
        name: "truncated map",
        row: GATE,
        decide: |_, _, _| read_a_truncated_map(),
    },
    Break {
        name: "abort",
        row: GATE,
        decide: |_, _, _| std::process::abort(),
    },
    Break {
        name: "loop",
        row: TIME,
        decide: |_, _, _| endless(),
    },
    Break {
        name: "sleep",
        row: TIME,
        decide: |_, _, _| asleep(),
    },
];

fn overflow() -> Decision {
    fn deeper(depth: u64) -> u64 {
        let frame = black_box([depth; 512]);
        if depth == u64::MAX {
            0
        } else {
            deeper(depth + 1) + frame[7]
        }
    }
    panic!("the stack never ended: {}", deeper(0))
}

fn allocate() -> Decision {
    panic!(
        "there was room for {}",
        black_box(Vec::<u8>::with_capacity(1 << 62)).capacity()
    )
}

fn read_a_truncated_map() -> Decision {
    const BYTES: usize = 64 * 1024;
    let path = std::env::temp_dir().join(format!("map-{}", std::process::id()));
    let file = File::options()
        .create(true)
        .truncate(true)
        .read(true)
        .write(true)
        .open(path);
    let file = file.unwrap();
    file.set_len(BYTES as u64).unwrap();
    // SAFETY: a map of an open file; that reading it is not sound is the point.
    let byte = unsafe {
        use std::os::fd::AsRawFd;
        let (from, kind) = (std::ptr::null_mut(), libc::MAP_SHARED);
        let map = libc::mmap(from, BYTES, libc::PROT_READ, kind, file.as_raw_fd(), 0);
        file.set_len(0).unwrap();
        std::ptr::read_volatile(map.cast::<u8>().add(BYTES / 2))
    };
    panic!("the map still held {byte}")
}

fn endless() -> Decision {
    loop {
        std::hint::spin_loop();
    }
}

fn asleep() -> Decision {
    loop {
        std::thread::sleep(Duration::from_secs(60));
    }
}

fn panics_while_decoding<'a>(wire: &Wire<'a, '_>) -> Result<Event<'a>, WireError> {
    panic!("{wire:?} cannot be decoded")
}

type PutIntoWords = fn(&Asked<'_>, &Answer<'_>) -> Reply;

/// How putting an answer into words may break, too.
const WORDLESS: &[(&str, PutIntoWords)] = &[
    ("wordless panic", |_, _| panic!("no words")),
    ("wordless overflow", |_, _| {
        overflow();
        Reply::default()
    }),
    ("wordless abort", |_, _| std::process::abort()),
    ("wordless loop", |_, _| {
        endless();
        Reply::default()
    }),
];

fn panics_with_the_lock(_: &Event<'_>, _: &Snapshot, _: &Rules) -> Decision {
    let state = std::env::var("TOLLGATE_HOME").unwrap();
    let path = format!("{state}/sessions/{SESSION}.st");
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
        .unwrap();
    file.lock().unwrap();
    panic!("the session's record is locked")
}

/// Runs the hook that breaks in this way, for the event on the command line of the environment.
pub fn run_broken(how: &str) -> ! {
    let event = std::env::var("BROKEN_EVENT").unwrap();
    let host: &'static Host = hosts::find("claude").unwrap();
    if how == "decode" {
        let broken = Host {
            decode: panics_while_decoding,
            ..*host
        };
        hook::run_with(Box::leak(Box::new(broken)), &event, gates::decide);
    }
    if let Some((_, reply)) = WORDLESS.iter().find(|(name, _)| *name == how) {
        let broken = Host {
            reply: *reply,
            ..*host
        };
        hook::run_with(Box::leak(Box::new(broken)), &event, gates::decide);
    }
    let broken = BREAKS.iter().find(|broken| broken.name == how);
    hook::run_with(
        host,
        &event,
        broken.map_or(panics_with_the_lock, |broken| broken.decide),
    )
}

/// The command that runs this binary as a hook which breaks.
pub fn broken_hook(world: &World, test: &str, how: &str, event: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([
        "--exact",
        test,
        "--nocapture",
        "--test-threads=1",
        "--quiet",
    ]);
    let real = world.hook(event);
    command
        .env_clear()
        .current_dir(real.get_current_dir().unwrap());
    command.envs(
        real.get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    command.env(HOW, how).env("BROKEN_EVENT", event);
    command
}

/// Sends a payload to a hook that breaks. What the test runner itself prints is taken away.
pub fn send(command: &mut Command, payload: &Value) -> Run {
    let mut run = client::send(command, payload.to_string().as_bytes());
    let printed = run.answer.stdout.strip_prefix("\nrunning 1 test\n");
    run.answer.stdout = printed.unwrap_or_else(|| panic!("{run:?}")).to_owned();
    run
}

/// The event of a column of the failure table, with its payload. Every call would make a file.
pub fn event(world: &World, column: &str) -> (&'static str, Value) {
    let touch = json!({"command": "touch witness"});
    let call = |tool: &str, input: Value| json!({"tool_name": tool, "tool_input": input, "tool_use_id": "toolu_9"});
    let (event, more) = match column {
        "read" => (
            "PreToolUse",
            call("Read", json!({"file_path": world.cwd.join("a.txt")})),
        ),
        "write" => ("PreToolUse", call("Bash", touch)),
        "verdict" => ("PreToolUse", call("ExitPlanMode", json!({"plan": "do it"}))),
        "after" => ("PostToolUse", call("Bash", touch)),
        "prompt" => ("UserPromptSubmit", json!({"prompt": "hello"})),
        "stop" => ("Stop", json!({"stop_hook_active": false})),
        "settings" => (
            "ConfigChange",
            json!({"source": "user_settings", "file_path": "/nowhere.json"}),
        ),
        "session" => ("SessionStart", json!({"source": "startup"})),
        other => panic!("no such column: {other}"),
    };
    (event, client::payload(world, event, more))
}

/// Plays the client: the call runs only if the answer lets it. Whether it ran.
fn did_run(world: &World, run: &Run) -> bool {
    if matches!(run.outcome(), "-" | "adv") {
        let touch = Command::new("touch")
            .arg("witness")
            .current_dir(&world.cwd)
            .status();
        assert!(touch.unwrap().success());
    }
    world.cwd.join("witness").exists()
}

fn check(broken: &Break, column: &str, expected: &str, attended: bool) {
    let world = World::new("faults");
    let (event, payload) = event(&world, column);
    let test = "broken::a_broken_gate_is_answered_by_the_failure_table";
    let mut command = broken_hook(&world, test, broken.name, event);
    if attended {
        command.env("CLAUDE_CODE_SESSION_ATTENDED", "1");
    }
    let run = send(&mut command, &payload);
    // A question that nobody could answer is a refusal.
    let expected = if expected == "ASK" && !attended {
        "DENY"
    } else {
        expected
    };
    let case = format!(
        "{} before {column}, attended {attended}: {run:?}",
        broken.name
    );
    assert!(run.is_readable(), "{case}");
    assert_eq!(run.outcome(), expected, "{case}");
    assert_eq!(
        did_run(&world, &run),
        matches!(expected, "-" | "adv"),
        "{case}"
    );
    assert!(run.took < ANSWER_TIME_MAX, "{case}");
    if expected != "-" {
        assert!(
            run.words()
                .contains("tollgate fault, not a policy decision: "),
            "{case}"
        );
        assert!(run.words().contains("[fault/"), "{case}");
    }
    if expected == "DENY" && event == "PreToolUse" {
        assert_eq!(run.answer.decision().as_deref(), Some("deny"), "{case}");
        assert_eq!(run.answer.code, 2, "{case}");
        assert!(
            run.answer
                .stderr
                .contains("tollgate fault, not a policy decision"),
            "{case}"
        );
    }
}

#[test]
fn a_broken_gate_is_answered_by_the_failure_table() {
    if let Ok(how) = std::env::var(HOW) {
        run_broken(&how);
    }
    for broken in BREAKS {
        std::thread::scope(|scope| {
            for (column, expected) in broken.row {
                scope.spawn(move || {
                    check(broken, column, expected, false);
                    check(broken, column, expected, true);
                });
            }
        });
    }
}

#[test]
fn a_panic_while_decoding_is_answered_by_the_event_alone() {
    if let Ok(how) = std::env::var(HOW) {
        run_broken(&how);
    }
    let test = "broken::a_panic_while_decoding_is_answered_by_the_event_alone";
    for (column, expected) in GATE {
        let world = World::new("decode");
        let (event, payload) = event(&world, column);
        let run = send(&mut broken_hook(&world, test, "decode", event), &payload);
        // Which tool it is about was not read, so the answer is the one before any tool; and where
        // nothing is to be stopped, nothing is said.
        let expected = match (event, *expected) {
            ("PreToolUse", _) => "DENY",
            (_, "adv") => "-",
            (_, expected) => expected,
        };
        assert_eq!(run.outcome(), expected, "{column}: {run:?}");
        assert!(run.is_readable(), "{column}: {run:?}");
    }
}

#[test]
fn what_breaks_while_it_is_put_into_words_is_refused() {
    if let Ok(how) = std::env::var(HOW) {
        run_broken(&how);
    }
    let test = "broken::what_breaks_while_it_is_put_into_words_is_refused";
    for (how, _) in WORDLESS {
        for (column, expected) in [("write", "DENY"), ("after", "-")] {
            let world = World::new("wordless");
            let (event, payload) = event(&world, column);
            let run = send(&mut broken_hook(&world, test, how, event), &payload);
            assert_eq!(run.outcome(), expected, "{how}, {column}: {run:?}");
            assert!(run.is_readable(), "{how}, {column}: {run:?}");
            let is_said = run.answer.stderr.contains("tollgate fault");
            assert_eq!(is_said, expected == "DENY", "{how}, {column}: {run:?}");
        }
    }
}

#[test]
fn a_panic_leaves_no_lock_behind() {
    if let Ok(how) = std::env::var(HOW) {
        run_broken(&how);
    }
    let world = World::new("lock");
    let touch = client::bash(&world, "touch witness", "toolu_1");
    let first = client::send(&mut world.hook("PreToolUse"), touch.to_string().as_bytes());
    assert_eq!(first.outcome(), "-", "{first:?}");
    let test = "broken::a_panic_leaves_no_lock_behind";
    let run = send(&mut broken_hook(&world, test, "lock", "PreToolUse"), &touch);
    assert_eq!(run.outcome(), "DENY", "{run:?}");
    let again = client::bash(&world, "touch witness", "toolu_2");
    let run = client::send(&mut world.hook("PreToolUse"), again.to_string().as_bytes());
    assert_eq!(run.outcome(), "-", "{run:?}");
    let store = store::Store::open(&world.root.join("state")).unwrap();
    assert_eq!(store.session(SESSION).unwrap().value.calls, 2);
}

#[test]
fn a_lock_that_somebody_holds_changes_no_verdict() {
    let mut world = World::new("held");
    world.build("untracked notes.md");
    world.bash("ls");
    let path = world.root.join(format!("state/sessions/{SESSION}.st"));
    let held = File::options().write(true).open(path).unwrap();
    held.lock().unwrap();
    for (command, expected) in [("ls", "-"), ("rm -rf ~/", "DENY")] {
        let payload = client::bash(&world, command, "toolu_9");
        let run = client::send(
            &mut world.hook("PreToolUse"),
            payload.to_string().as_bytes(),
        );
        assert_eq!(run.outcome(), expected, "{run:?}");
        assert!(run.took < ANSWER_TIME_MAX, "{run:?}");
        assert!(!run.words().contains("tollgate fault"), "{run:?}");
    }
}

/// What the hook answers when the payload never ends, and somebody may lose patience with it.
fn wait_for(world: &World, event: &str, end_after: Option<Duration>) -> Run {
    let begin = Instant::now();
    let mut child = client::spawn(&mut world.hook(event));
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"{\"hook_event_name\": ").unwrap();
    if let Some(time) = end_after {
        std::thread::sleep(time);
        let kill = Command::new("kill")
            .args(["-TERM", &child.id().to_string()])
            .status();
        assert!(kill.unwrap().success());
    }
    let out = child.wait_with_output().unwrap();
    drop(stdin);
    Run {
        answer: client::answer(out),
        took: begin.elapsed(),
    }
}

#[test]
fn a_payload_that_never_ends_is_answered_in_time() {
    let world = World::new("endless");
    let world = &world;
    std::thread::scope(|scope| {
        for (event, expected) in [
            ("PreToolUse", "DENY"),
            ("UserPromptSubmit", "-"),
            ("Stop", "-"),
            ("ConfigChange", "DENY"),
        ] {
            for end_after in [None, Some(Duration::from_millis(500))] {
                scope.spawn(move || {
                    let run = wait_for(world, event, end_after);
                    assert!(run.is_readable(), "{event}: {run:?}");
                    assert_eq!(run.outcome(), expected, "{event}: {run:?}");
                    let limit = end_after.map_or(8, |_| 4);
                    assert!(run.took < Duration::from_secs(limit), "{event}: {run:?}");
                });
            }
        }
    });
}

/// A pipe has room for this much by default, in bytes.
const PIPE_BYTES: usize = 64 * 1024;

#[test]
fn an_answer_that_nobody_takes_is_not_said_twice() {
    let mut world = World::new("full");
    world.build("untracked notes.md");
    let (mut reader, mut writer) = std::io::pipe().unwrap();
    writer.write_all(&vec![b' '; PIPE_BYTES]).unwrap();
    let begin = Instant::now();
    let mut hook = world.hook("PreToolUse");
    hook.stdin(Stdio::piped())
        .stdout(writer)
        .stderr(Stdio::null());
    let mut child = hook.spawn().unwrap();
    drop(hook);
    let payload = client::bash(&world, "rm -rf ~/", "toolu_1").to_string();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(payload.as_bytes())
        .unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(2));
    assert!(begin.elapsed() < ANSWER_TIME_MAX);
    let mut said = String::new();
    reader.read_to_string(&mut said).unwrap();
    assert!(said.trim().is_empty(), "half an answer: {}", said.trim());
}

#[test]
fn an_answer_that_is_taken_late_is_whole() {
    let mut world = World::new("slow");
    world.build("untracked notes.md");
    let (mut reader, mut writer) = std::io::pipe().unwrap();
    writer.write_all(&vec![b' '; PIPE_BYTES]).unwrap();
    let mut hook = world.hook("PreToolUse");
    hook.stdin(Stdio::piped())
        .stdout(writer)
        .stderr(Stdio::null());
    let mut child = hook.spawn().unwrap();
    drop(hook);
    let payload = client::bash(&world, "rm -rf ~/", "toolu_1").to_string();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(payload.as_bytes())
        .unwrap();
    std::thread::sleep(Duration::from_millis(700));
    let mut said = String::new();
    reader.read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(2));
    let said: Value = serde_json::from_str(said.trim()).unwrap();
    assert_eq!(said["hookSpecificOutput"]["permissionDecision"], "deny");
}

#[test]
fn too_little_memory_is_no_hole() {
    let world = World::new("memory");
    let mut call = client::bash(&world, "touch witness", "toolu_1");
    call["padding"] = Value::String("x".repeat(12 * 1024 * 1024));
    let real = world.hook("PreToolUse");
    let mut limited = Command::new("sh");
    let script = "ulimit -v 24000; exec \"$0\" claude PreToolUse";
    limited
        .args(["-c", script])
        .arg(real.get_program())
        .env_clear();
    limited.envs(
        real.get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    let run = client::send(&mut limited, call.to_string().as_bytes());
    assert_eq!(run.outcome(), "DENY", "{run:?}");
    assert!(run.answer.stderr.contains("tollgate fault"), "{run:?}");
    fs::remove_file(world.cwd.join("witness")).unwrap_err();
}
