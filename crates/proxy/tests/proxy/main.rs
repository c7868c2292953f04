//! The proxy between a client and a server: what passes, what is held, and what never runs twice.

#![cfg(unix)]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test fails by a panic"
)]

mod client;
mod failures;
mod joined;
mod pins;
#[path = "../../../desk/tests/desk/place.rs"]
mod place;
mod served;

use std::time::{Duration, Instant};

use serde_json::json;
use work::approvals::ApprovalState;

use client::said;
use served::{Served, call, replaces};

#[test]
fn what_is_let_go_reaches_the_server_byte_by_byte() {
    let served = Served::new();
    let mut client = served.client(&[]);
    let frames = [
        r#"{"jsonrpc":"2.0", "id":1 ,"method":"initialize","params":{"clientInfo":{"name":"x"}}}"#,
        r#"{"method":"notifications/initialized","jsonrpc":"2.0"}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"echo","params":{"é":"\u00e9  "}}"#,
        r#"  {"id":3,"jsonrpc":"2.0","method":"tools/call","params":{"name":"read_file","arguments":{"path":"a.txt"}}}  "#,
        "no json at all",
    ];
    frames.iter().for_each(|frame| client.send_text(frame));
    assert_eq!(client.next(), r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    assert_eq!(client.next(), frames[2]);
    assert_eq!(said(&client.next()), ("RAN".to_owned(), false));
    assert_eq!(client.leave(), Some(0));
    assert_eq!(served.seen(), format!("{}\nended\n", frames.join("\n")));
}

#[test]
fn what_a_rule_refuses_is_told_to_the_model_and_never_sent() {
    let served = Served::new();
    let mut client = served.client(&[]);
    client.send(&call(
        1,
        "write_file",
        json!({"path": "/etc/passwd", "content": "x"}),
    ));
    let (why, is_error) = said(&client.next());
    assert!(is_error && why.contains("log in"), "{why}");
    client.send(&call(2, "read_file", json!({"path": "a.txt"})));
    assert_eq!(said(&client.next()).0, "RAN");
    assert_eq!(served.times_seen("write_file"), 0);
}

#[test]
fn a_held_call_runs_once_when_a_person_says_yes() {
    let served = Served::new();
    let mut client = served.client(&[]);
    let mut frame = replaces(1);
    frame["params"]["_meta"] = json!({"progressToken": "p"});
    client.send(&frame);
    let progress = client.next();
    let (_, questions) = served.questions();
    let wanted = format!("waiting for a person ({})", questions[0].id);
    assert!(progress.contains(&wanted), "{progress}");
    assert!(client.is_quiet() && served.times_seen("write_file") == 0);
    served.answers(true);
    assert_eq!(said(&client.next()).0, "RAN");
    assert_eq!(served.times_seen("write_file"), 1);
    // The yes was for once.
    client.send(&replaces(2));
    served.answers_soon(false);
    let (why, is_error) = said(&client.next());
    assert!(is_error && why.contains("a person refused"), "{why}");
    assert_eq!(served.times_seen("write_file"), 1);
}

#[test]
fn a_persons_words_of_refusal_reach_the_model() {
    let served = Served::new();
    let mut client = served.client(&[]);
    client.send(&replaces(1));
    served.until(|| !served.questions().1.is_empty());
    served.says(false, "commit \"notes\" first");
    let (why, is_error) = said(&client.next());
    let wanted = "a person refused this call";
    assert!(is_error && why.contains(wanted), "{why}");
    assert!(why.contains(r#"says: "commit \"notes\" first""#), "{why}");
    assert_eq!(served.times_seen("write_file"), 0);
}

#[test]
fn a_yes_is_heard_at_once() {
    let served = Served::new();
    let mut client = served.client(&[]);
    let mut times = Vec::new();
    for id in 1..=10 {
        client.send(&replaces(id));
        served.until(|| {
            let (_, all) = served.questions();
            all.iter().any(|one| one.state == ApprovalState::Pending)
        });
        served.answers(true);
        let begun = Instant::now();
        assert_eq!(said(&client.next()).0, "RAN");
        times.push(begun.elapsed());
    }
    times.sort_unstable();
    // Who only looks now and then needs half a second at the middle.
    assert!(times[5] < Duration::from_millis(250), "{times:?}");
}

#[test]
fn a_call_that_waits_too_long_is_parked_and_its_repeat_runs_once() {
    let served = Served::new();
    let mut client = served.client(&["--wait", "1"]);
    client.send(&replaces(1));
    let (why, is_error) = said(&client.next());
    let (_, questions) = served.questions();
    let id = &questions[0].id;
    let wanted = format!("waiting for a person ({id})");
    assert!(is_error && why.contains(&wanted), "{why}");
    assert!(why.contains("call again unchanged"), "{why}");
    served.answers(true);
    assert!(client.is_quiet() && served.times_seen("write_file") == 0);
    client.send(&call(
        2,
        "write_file",
        json!({"path": "notes.md", "content": "other"}),
    ));
    let (why, _) = said(&client.next());
    assert!(
        !why.contains(id.as_str()),
        "another call took the yes: {why}"
    );
    client.send(&replaces(3));
    assert_eq!(said(&client.next()).0, "RAN");
    assert_eq!(served.times_seen("\"mine\""), 1);
    client.send(&replaces(4));
    let (why, _) = said(&client.next());
    assert!(why.contains("waiting for a person"), "{why}");
    assert_eq!(served.times_seen("\"mine\""), 1);
}

#[test]
fn a_yes_that_comes_while_nobody_runs_is_found_by_the_next_proxy() {
    let served = Served::new();
    let mut client = served.client(&["--wait", "1"]);
    client.send(&replaces(1));
    said(&client.next());
    client.leave();
    served.answers(true);
    let mut client = served.client(&[]);
    client.send(&replaces(1));
    assert_eq!(said(&client.next()).0, "RAN");
    client.leave();
    let mut client = served.client(&["--wait", "1"]);
    client.send(&replaces(1));
    assert!(said(&client.next()).0.contains("waiting for a person"));
    assert_eq!(served.times_seen("write_file"), 1);
}

#[test]
fn a_cancelled_call_never_runs() {
    let served = Served::new();
    let mut client = served.client(&[]);
    client.send(&replaces(1));
    served.until(|| !served.questions().1.is_empty());
    client.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
                        "params": {"requestId": 1}}),
    );
    client.send(&json!({"jsonrpc": "2.0", "id": 9, "method": "echo"}));
    assert!(client.next().contains("echo"));
    served.answers(true);
    assert!(client.is_quiet());
    // The server never knew of it.
    assert_eq!(served.times_seen("notifications/cancelled"), 0);
    assert_eq!(served.times_seen("write_file"), 0);
    // What it knows of it hears of.
    client.send(&call(2, "read_file", json!({"path": "sleeps"})));
    client.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
                        "params": {"requestId": 2}}),
    );
    served.until(|| served.times_seen("notifications/cancelled") == 1);
}

#[test]
fn the_same_call_twice_at_once_is_one_question_and_runs_once() {
    let served = Served::new();
    let mut client = served.client(&[]);
    client.send(&replaces(1));
    served.until(|| !served.questions().1.is_empty());
    client.send(&replaces(2));
    assert!(client.is_quiet());
    assert_eq!(served.questions().1.len(), 1);
    served.answers(true);
    let mut answers = [said(&client.next()), said(&client.next())];
    answers.sort_by_key(|(_, is_error)| *is_error);
    assert_eq!(answers[0].0, "RAN");
    assert!(answers[1].0.contains("ran once"), "{answers:?}");
    assert_eq!(served.times_seen("write_file"), 1);
}

#[test]
fn a_repeat_takes_the_place_of_a_call_that_its_client_gave_up() {
    let served = Served::new();
    let mut client = served.client(&[]);
    client.send(&replaces(1));
    served.until(|| !served.questions().1.is_empty());
    client.send(&replaces(2));
    client.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
                        "params": {"requestId": 1}}),
    );
    assert!(client.is_quiet());
    served.answers(true);
    let answer = client.next();
    assert!(
        answer.contains("\"id\":2") && said(&answer).0 == "RAN",
        "{answer}"
    );
    assert_eq!(served.times_seen("write_file"), 1);
}

#[test]
fn more_loss_than_was_said_yes_to_asks_again() {
    let served = Served::new();
    let mut client = served.client(&[]);
    client.send(&replaces(1));
    served.until(|| !served.questions().1.is_empty());
    served
        .place
        .write("proj/notes.md", "more work of mine\nthat came since\n");
    served.answers(true);
    served.until(|| served.questions().1.len() == 2);
    assert!(client.is_quiet() && served.times_seen("write_file") == 0);
    served.answers(true);
    assert_eq!(said(&client.next()).0, "RAN");
}

#[test]
fn calls_in_one_array_are_judged_one_by_one() {
    let served = Served::new();
    let mut client = served.client(&["--wait", "1"]);
    client.send(&json!([
        call(1, "read_file", json!({"path": "a.txt"})),
        replaces(2),
        {"jsonrpc": "2.0", "id": 3, "method": "echo"},
    ]));
    let answers = [client.next(), client.next(), client.next()].join("\n");
    assert!(
        answers.contains("RAN") && answers.contains("echo"),
        "{answers}"
    );
    assert!(answers.contains("waiting for a person"), "{answers}");
    assert_eq!(served.times_seen("write_file"), 0);
}

#[test]
fn what_could_be_a_call_and_cannot_be_read_is_not_sent() {
    let served = Served::new();
    let mut client = served.client(&[]);
    for frame in [
        r#"{"id":1,"method":"ping","method":"tools/call","params":{"name":"write_file"}}"#,
        r#"{"id":1,"Method":"tools/call","params":{"name":"write_file"}}"#,
        "{\"id\":1,\"x\":\r{\"method\":\"tools/call\",\"params\":{\"name\":\"write_file\"}}\r}",
        r#"{"id":1,"method":"tools/call","params":{"name":"write_file"}} //"#,
    ] {
        client.send_text(frame);
        let answer = client.next();
        assert!(answer.contains("was not sent on"), "{frame}: {answer}");
    }
    assert_eq!(served.seen(), "");
}
