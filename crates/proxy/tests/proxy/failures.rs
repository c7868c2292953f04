//! What fails around a call, a test each: the state, the server, the client, the proxy itself.

use std::fs;
use std::io::Write;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::client::said;
use super::served::{Served, call, replaces};

#[test]
fn a_question_that_cannot_be_kept_is_a_fault_and_no_policy() {
    let served = Served::new();
    let mut client = served.client(&[]);
    client.send(&replaces(1));
    served.until(|| !served.questions().1.is_empty());
    served.answers(false);
    said(&client.next());
    let (session, _) = served.questions();
    let record = served.place.at(&format!("state/sessions/{session}.st"));
    let held = fs::File::options()
        .read(true)
        .write(true)
        .open(record)
        .unwrap();
    held.lock().unwrap();
    client.send(&replaces(2));
    let (why, is_error) = said(&client.next());
    assert!(is_error && why.contains("fault, not a policy"), "{why}");
    held.unlock().unwrap();
    assert_eq!(served.times_seen("write_file"), 0);
}

#[test]
fn a_server_that_dies_leaves_an_error_for_each_open_request_and_its_code() {
    let served = Served::new();
    let mut client = served.client(&[]);
    client.send(&replaces(1));
    served.until(|| !served.questions().1.is_empty());
    client.send(&call(2, "read_file", json!({"path": "sleeps"})));
    client.send(&json!({"jsonrpc": "2.0", "id": 3, "method": "sleeps"}));
    client.send(&json!({"jsonrpc": "2.0", "method": "dies"}));
    let mut answers = [client.next(), client.next(), client.next()];
    answers.sort_by_key(|answer| answer.find("\"id\":").map(|at| answer[at..].to_owned()));
    assert!(answers[0].contains("\"id\":1") && answers[0].contains("not run"));
    assert!(answers[1].contains("\"id\":2") && answers[1].contains("outcome unknown"));
    assert!(answers[2].contains("\"id\":3") && answers[2].contains("ended before"));
    assert_eq!(client.wait(), Some(7));
}

#[test]
fn a_client_that_leaves_ends_the_server_and_nothing_held_runs() {
    let served = Served::new();
    let stubborn = "trap 'echo asked >> \"$PLACE/seen\"; exit 3' TERM\n\
                    while read -r line; do echo \"$line\" >> \"$PLACE/seen\"; done\n\
                    while :; do sleep 0.05; done\n";
    served.place.write("server.sh", stubborn);
    let mut client = served.client(&[]);
    client.send(&replaces(1));
    served.until(|| !served.questions().1.is_empty());
    let begun = Instant::now();
    assert_eq!(client.leave(), Some(3));
    let took = begun.elapsed();
    assert!(
        took > Duration::from_millis(1_900) && took < Duration::from_secs(8),
        "{took:?}"
    );
    served.answers(true);
    assert_eq!(served.seen(), "asked\n");
}

#[test]
fn a_proxy_that_is_asked_to_end_lets_its_server_end() {
    let served = Served::new();
    let mut client = served.client(&[]);
    client.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "echo"}));
    client.next();
    let id = client.id().to_string();
    let mut kill = served.program("kill", &["-TERM", &id]);
    assert!(kill.status().unwrap().success());
    assert_eq!(client.wait(), Some(0));
    assert!(served.seen().ends_with("ended\n"));
}

#[test]
fn what_was_sent_on_before_the_proxy_was_killed_is_unknown_and_not_sent_again() {
    let served = Served::new();
    let sleeps = || call(1, "read_file", json!({"path": "sleeps"}));
    let mut client = served.client(&[]);
    client.send(&sleeps());
    served.until(|| served.times_seen("sleeps") == 1);
    client.kill();
    let mut command = served.command(&[]);
    let errors = served.place.at("errors");
    command.stderr(fs::File::create(&errors).unwrap());
    let mut client = super::client::Client::start(&mut command);
    served.until(|| {
        fs::read_to_string(&errors)
            .unwrap()
            .contains("outcome unknown: read_file")
    });
    assert_eq!(served.times_seen("sleeps"), 1);
    client.send(&sleeps());
    let (why, is_error) = said(&client.next());
    assert!(
        is_error && why.contains("outcome") && why.contains("unknown"),
        "{why}"
    );
    assert_eq!(served.times_seen("sleeps"), 1);
    // Who has looked may call it again.
    client.send(&sleeps());
    served.until(|| served.times_seen("sleeps") == 2);
}

#[test]
fn a_message_that_is_too_long_is_answered_and_the_next_one_arrives() {
    let served = Served::new();
    let mut client = served.client(&[]);
    let long = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"echo\",\"x\":\"{}\"}}",
        "x".repeat(17 * 1024 * 1024)
    );
    client.send_text(&long);
    let answer = client.next();
    assert!(
        answer.contains("\"id\":5") && answer.contains("16 MiB"),
        "{answer}"
    );
    client.send(&json!({"jsonrpc": "2.0", "id": 6, "method": "echo"}));
    assert!(client.next().contains("\"id\":6"));
    assert_eq!(served.times_seen("\"id\":5"), 0);
}

#[test]
fn a_server_that_cannot_be_started_is_named() {
    let served = Served::new();
    let words = ["--", "no-such-server", "--stdio"];
    let program = env!("CARGO_BIN_EXE_tollgate-proxy");
    let said = super::place::said(&mut served.program(program, &words));
    assert_eq!(said.code, Some(1));
    assert!(
        said.err.contains("no-such-server cannot be started") && said.out.is_empty(),
        "{said:?}"
    );
}

#[test]
fn fuzzed_frames_reach_the_server_as_they_are_or_not_at_all() {
    let served = Served::new();
    let mut client = served.client(&[]);
    let mut chance = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |below: u64| {
        chance ^= chance << 13;
        chance ^= chance >> 7;
        chance ^= chance << 17;
        chance % below
    };
    let whole = replaces(1).to_string();
    let mut sent = Vec::new();
    for _ in 0..400 {
        let mut bytes = whole.clone().into_bytes();
        for _ in 0..=next(4) {
            let at = usize::try_from(next(bytes.len() as u64)).unwrap();
            match next(3) {
                0 => bytes[at] = u8::try_from(next(256)).unwrap(),
                1 => bytes.insert(at, u8::try_from(next(128)).unwrap()),
                _ => {
                    bytes.remove(at);
                }
            }
        }
        bytes.retain(|byte| *byte != b'\n');
        sent.push(bytes);
    }
    served.place.write("fuzz", "");
    let input = client.input();
    for frame in &sent {
        input.write_all(frame).unwrap();
        input.write_all(b"\n").unwrap();
    }
    client.send(&json!({"jsonrpc": "2.0", "id": 77, "method": "echo"}));
    while !client.next().contains("\"echo\"") {}
    thread::sleep(Duration::from_millis(100));
    let seen = fs::read(served.place.at("seen")).unwrap();
    for line in seen
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
    {
        let is_sent = sent.iter().any(|frame| frame == line);
        let text = String::from_utf8_lossy(line);
        assert!(
            is_sent || text.contains("echo"),
            "changed on the way: {text}"
        );
        let parsed = serde_json::from_slice::<serde_json::Value>(line).ok();
        let replaces = parsed.is_some_and(|frame| {
            let params = &frame["params"];
            frame["method"] == "tools/call"
                && params["name"] == "write_file"
                && params["arguments"]["path"] == "notes.md"
        });
        assert!(!replaces, "sent on unasked: {text}");
    }
}

#[test]
fn a_proxy_that_is_killed_fifty_times_sends_no_call_twice() {
    let served = Served::new();
    let mut unknown = 0;
    for round in 0..50_u64 {
        let mut command = served.command(&[]);
        let errors = served.place.at("errors");
        command.stderr(fs::File::create(&errors).unwrap());
        let mut client = super::client::Client::start(&mut command);
        for number in 0..6 {
            let arguments = json!({"path": format!("r{round}-{number}.")});
            client.send(&call(number, "read_file", arguments));
        }
        thread::sleep(Duration::from_millis(3 + round * 7 % 40));
        client.kill();
        unknown += fs::read_to_string(&errors)
            .unwrap()
            .matches("outcome unknown")
            .count();
    }
    let seen = served.seen();
    let mut sent = 0;
    for round in 0..50 {
        for number in 0..6 {
            let times = seen.matches(&format!("r{round}-{number}.")).count();
            assert!(times <= 1, "r{round}-{number} was sent {times} times");
            sent += times;
        }
    }
    assert!(sent > 0, "nothing was sent at all");
    // What was sent on and not answered is known, each once a start.
    assert!(unknown > 0, "nothing was left unknown in {sent} calls");
}
