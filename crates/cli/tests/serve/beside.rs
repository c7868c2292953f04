//! The hook is the same whether a desk runs or not, and however it ends: nothing is lost, nothing
//! waits, and no socket is opened.

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::common::SESSION;
use crate::desk::{Desk, PASSPHRASE, RESET};

const KILLS: usize = 50;
const CALLS: usize = 60;

/// How long calls take, one after the other.
fn times(desk: &Desk, count: usize) -> Vec<Duration> {
    let one = |_| {
        let begun = Instant::now();
        assert_eq!(desk.machine.bash("git status").status.code(), Some(0));
        begun.elapsed()
    };
    (0..count).map(one).collect()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// How many calls of the test's session the journal holds.
fn journalled(desk: &Desk) -> usize {
    let journal = desk.machine.read(&format!("state/journal/{SESSION}.jsonl"));
    let is_call = |line: &&str| line.contains("\"event\":\"tool_before\"");
    journal.lines().filter(is_call).count()
}

#[test]
fn a_desk_that_is_killed_fifty_times_loses_nothing() {
    let mut desk = Desk::with_passphrase();
    let alone = median(times(&desk, CALLS));
    let before = journalled(&desk);
    let machine = std::sync::Arc::clone(&desk.machine);
    let is_over = AtomicBool::new(false);
    let (calls, beside) = std::thread::scope(|scope| {
        let calling = scope.spawn(|| {
            let mut times = Vec::new();
            while !is_over.load(Ordering::Relaxed) {
                let begun = Instant::now();
                assert_eq!(machine.bash("git status").status.code(), Some(0));
                times.push(begun.elapsed());
            }
            (times.len(), median(times))
        });
        for round in 0..KILLS {
            // Somebody is in the middle of looking.
            let client = desk.enter();
            let looking = scope.spawn(move || {
                let (host, origin) = (client.host(), format!("http://{}", client.host()));
                let headers = [
                    ("host", host.as_str()),
                    ("origin", &origin),
                    ("cookie", &client.cookie),
                ];
                client.try_say(("POST", "/looking"), &headers, "token=");
                client.try_say(("GET", "/"), &headers, "");
            });
            std::thread::sleep(Duration::from_millis((round % 7) as u64));
            desk.kill();
            looking.join().unwrap();
        }
        is_over.store(true, Ordering::Relaxed);
        calling.join().unwrap()
    });
    assert_eq!(journalled(&desk), before + calls);
    desk.machine.tollgate("log verify").shows(&[""]).run();
    let after = median(times(&desk, CALLS));
    println!(
        "a call: {alone:?} before, {beside:?} while a desk died {KILLS} times, {after:?} then"
    );
    // What was asked before the last kill is answered after it.
    let id = desk.held(RESET);
    let client = desk.enter();
    desk.kill();
    let client = crate::desk::Client {
        port: desk.port,
        ..client
    };
    assert_eq!(client.approve(&desk.address(&id), PASSPHRASE).status, 200);
    assert!(desk.is_let_through(RESET));
}

/// The system calls of a kind that the hook's own process makes for one call.
fn system_calls(desk: &Desk, kind: &str, command: &str) -> Option<Vec<String>> {
    let strace = Command::new("strace").arg("-V").output();
    if !strace.is_ok_and(|said| said.status.success()) {
        println!("NOT CHECKED: no strace is installed (apt-get install strace)");
        return None;
    }
    let trace = desk.machine.at("tmp/trace");
    let hook = desk.machine.hook_command("PreToolUse");
    let mut traced = Command::new("strace");
    traced.args(["-e", kind, "-o"]).arg(&trace);
    traced.arg(hook.get_program()).args(hook.get_args());
    traced.env_clear();
    let variables = hook
        .get_envs()
        .filter_map(|(name, value)| Some((name, value?)));
    traced
        .envs(variables)
        .current_dir(desk.machine.at("home/app"));
    traced
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = traced.spawn().unwrap();
    let mut payload = desk.machine.payload(command);
    payload["permission_mode"] = "bypassPermissions".into();
    let mut input = child.stdin.take().unwrap();
    input.write_all(payload.to_string().as_bytes()).unwrap();
    drop(input);
    child.wait().unwrap();
    let text = std::fs::read_to_string(&trace).unwrap();
    assert!(text.contains("exited with"), "{text}");
    Some(text.lines().map(str::to_owned).collect())
}

#[test]
fn the_hook_opens_no_socket() {
    let desk = Desk::with_passphrase();
    let channel = desk
        .machine
        .tollgate("notify add slack http://127.0.0.1:1/x");
    channel.shows(&["Try it"]).run();
    let check = |command: &str, what: &str| {
        let Some(lines) = system_calls(&desk, "trace=network", command) else {
            return;
        };
        // Only who is at the other end of standard input is asked.
        let others = lines
            .iter()
            .filter(|line| line.contains('(') && !line.contains("(0, "));
        let others: Vec<&String> = others.collect();
        assert!(others.is_empty(), "{what}: {others:?}");
    };
    check("git status", "a call that is let go");
    check(RESET, "a call that is held");
    let id = desk.held(RESET);
    let said = desk.enter().approve(&desk.address(&id), PASSPHRASE);
    assert_eq!(said.status, 200, "{said:?}");
    check(RESET, "a call that a yes lets run");
    assert_eq!(desk.approval(&id)["state"], "spent");
}

#[test]
fn the_hook_does_the_same_whether_a_desk_runs_or_was_killed() {
    let mut desk = Desk::with_passphrase();
    let names = |desk: &Desk| -> Option<Vec<String>> {
        let lines = system_calls(desk, "trace=all", "git status")?;
        let name = |line: &String| line.split('(').next().unwrap_or_default().to_owned();
        Some(lines.iter().map(name).collect())
    };
    // The first calls of a session find less than the later ones.
    for _ in 0..3 {
        names(&desk);
    }
    let Some(beside) = names(&desk) else {
        return;
    };
    assert!(beside.len() > 20, "{beside:?}");
    let _looks = desk.enter();
    assert_eq!(names(&desk).as_ref(), Some(&beside), "somebody looks");
    desk.stop();
    assert_eq!(names(&desk).as_ref(), Some(&beside), "it was killed");
}
