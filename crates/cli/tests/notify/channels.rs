//! A person who looks elsewhere is told: through fakes of everything that takes messages.

use std::time::{Duration, Instant};

use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;

use crate::desk::{Desk, RESET};
use crate::fakes::{Fake, PAUSE, TOLD_TIME_MAX, add, mail};

fn header<'t>(text: &'t str, name: &str) -> &'t str {
    let line = text.lines().find_map(|line| {
        let (known, value) = line.split_once(": ")?;
        known.eq_ignore_ascii_case(name).then_some(value)
    });
    line.unwrap_or_else(|| panic!("no {name} in {text}"))
}

fn body(text: &str) -> &str {
    text.split_once("\r\n\r\n").unwrap().1
}

/// Whether a message of a webhook is signed, and says that one call waits.
fn is_signed(text: &str, secret: &str) {
    let signed = format!("{}.{}", header(text, "tollgate-timestamp"), body(text));
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(signed.as_bytes());
    let signature = text::hex::encode(&mac.finalize().into_bytes());
    let said = header(text, "tollgate-signature");
    assert_eq!(said, format!("sha256={signature}"));
    let told: Value = serde_json::from_str(body(text)).unwrap();
    let (event, waiting) = (&told["event"], &told["waiting"]);
    assert_eq!((event, waiting), (&"waiting".into(), &1.into()));
}

#[test]
fn who_looks_elsewhere_is_told_that_something_waits_and_not_what() {
    let desk = Desk::new();
    let webhook = Fake::web(&["503 Busy", "500 Broken", "204 No Content"]);
    let (ntfy, slack) = (Fake::web(&["200 OK"]), Fake::web(&["200 OK"]));
    let (full, mails) = (Fake::web(&["200 OK"]), Fake::start(mail));
    let said = add(
        &desk,
        &format!("webhook {}", webhook.url("/hook?token=hidden")),
    );
    let secret = said.split_whitespace().nth(1).unwrap().to_owned();
    add(&desk, &format!("ntfy {}", ntfy.url("/topic")));
    add(&desk, &format!("slack {}", slack.url("/services/hidden")));
    add(
        &desk,
        &format!("slack {} --name whole --detail full", full.url("/x")),
    );
    let server = format!("smtp://127.0.0.1:{}", mails.port);
    add(&desk, &format!("mail dev@example.test --server {server}"));
    let listed = desk.machine.tollgate("notify list");
    let listed = listed
        .shows(&["webhook", "ntfy", "slack", "whole", "full", "mail"])
        .run();
    assert!(
        !listed.contains("hidden") && !listed.contains(&secret),
        "{listed}"
    );
    let (id, begun) = (desk.held(RESET), Instant::now());
    let text = ntfy.waits_for("1 approval waiting on ");
    assert!(
        begun.elapsed() > Duration::from_secs(18),
        "{:?}",
        begun.elapsed()
    );
    let link = format!("http://localhost:{}/", desk.port);
    assert_eq!(header(&text, "x-click"), link);
    assert_eq!(header(&text, "x-actions"), format!("view, Open, {link}"));
    let mail = mails.waits_for("1 approval waiting on ");
    assert!(
        mail.contains("Subject: 1 approval waiting on ") && mail.contains(&link),
        "{mail}"
    );
    is_signed(&webhook.waits_for("tollgate-signature: "), &secret);
    // It is tried until it is taken.
    let end = Instant::now() + TOLD_TIME_MAX;
    while webhook.taken().len() < 3 {
        assert!(Instant::now() < end);
        std::thread::sleep(PAUSE);
    }
    for fake in [&webhook, &ntfy, &slack, &mails] {
        for text in fake.taken() {
            assert!(!text.contains(&id) && !text.contains("reset"), "{text}");
        }
    }
    // Who wants all of it is told which call, and never a code.
    let whole = full.waits_for(&id);
    assert!(whole.contains(RESET), "{whole}");
    let words = whole.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    assert!(!words.into_iter().any(work::approvals::is_code), "{whole}");
    // It is answered elsewhere: what can be taken back is.
    desk.machine
        .tollgate(&format!("refuse {id}"))
        .shows(&["refused:"])
        .run();
    ntfy.waits_for("nothing waits for you on ");
    webhook.waits_for("\"event\":\"answered\"");
    assert_eq!(slack.taken().len(), 1);
}

#[test]
fn who_looks_or_has_answered_is_not_told() {
    let desk = Desk::new();
    let fake = Fake::web(&["200 OK"]);
    add(&desk, &format!("slack {}", fake.url("/x")));
    let client = desk.enter();
    let token = client.get("/").field("/looking", "token");
    let id = desk.held(RESET);
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(26) {
        assert_eq!(client.post("/looking", &[("token", &token)]).status, 204);
        std::thread::sleep(Duration::from_secs(3));
    }
    assert_eq!(fake.taken(), [""; 0]);
    assert_eq!(client.refuse(&desk.address(&id), "").status, 200);
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(fake.taken(), [""; 0]);
}

#[test]
fn what_nobody_takes_is_kept_and_shown() {
    let desk = Desk::new();
    let (refusing, gone) = (Fake::web(&["410 Gone"]), Fake::web(&["503 Busy"]));
    add(
        &desk,
        &format!("slack {} --name refusing", refusing.url("/x")),
    );
    add(&desk, &format!("webhook {} --name gone", gone.url("/x")));
    let test = desk.machine.tollgate("notify test").status(1);
    test.shows(&["refusing", "not sent:", "it was refused: 410"])
        .run();
    assert_eq!((refusing.taken().len(), gone.taken().len()), (1, 5));
    desk.held(RESET);
    let end = Instant::now() + TOLD_TIME_MAX;
    loop {
        let listed = desk.machine.tollgate("notify list").shows(&["slack"]).run();
        let is_kept = |name: &str| listed.contains(&format!("not delivered: {name}"));
        if is_kept("refusing") && is_kept("gone") {
            assert!(
                listed.contains("5 times") && listed.contains("1 approval waiting"),
                "{listed}"
            );
            break;
        }
        assert!(Instant::now() < end, "{listed}");
        std::thread::sleep(PAUSE);
    }
    desk.machine
        .tollgate("notify remove gone")
        .shows(&["forgotten:"])
        .run();
    let listed = desk
        .machine
        .tollgate("notify list --json")
        .shows(&["refusing"])
        .run();
    assert!(!listed.contains("gone"), "{listed}");
}

#[test]
fn a_channel_that_would_be_overheard_is_none() {
    let desk = Desk::new();
    for (line, why) in [
        (
            "webhook http://example.test/x",
            "would show what is asked to others",
        ),
        ("ntfy", "where it leads is missing"),
        ("mail dev@example.test", "--server smtps://"),
        (
            "mail nobody --server smtps://mail.example.test",
            "no address of mail",
        ),
        (
            "desktop",
            "the desktop tells of each request at once already",
        ),
    ] {
        let test = desk
            .machine
            .tollgate(&format!("notify add {line}"))
            .status(1);
        test.complains(&[why]).run();
    }
    let test = desk.machine.tollgate("notify remove x").status(1);
    test.complains(&["no channel is called x", "tollgate notify list"])
        .run();
    let list = desk.machine.tollgate("notify list");
    list.shows(&["desktop  at once", "no channel tells you elsewhere"])
        .run();
}

#[test]
fn a_desktop_may_wait_like_any_other_channel() {
    let desk = Desk::new();
    let config = "[approvals]\ndesktop = false\n";
    desk.machine
        .write("home/.config/tollgate/config.toml", config);
    add(&desk, "desktop");
    let shown = desk.machine.at("shown");
    let script = format!("printf '%s\\n' \"$@\" > {}", shown.display());
    desk.machine.script("path/notify-send", &script);
    let test = || desk.machine.tollgate("notify test desktop");
    test()
        .status(1)
        .shows(&["not sent:", "no desktop is at hand"])
        .run();
    test()
        .env("DISPLAY", ":0")
        .shows(&["desktop", "sent"])
        .run();
    let said = desk.machine.read("shown");
    assert!(said.contains("reaches you here"), "{said}");
}

#[test]
fn after_three_messages_in_ten_minutes_the_rest_is_told_at_once() {
    let desk = Desk::new();
    let fake = Fake::web(&["200 OK"]);
    add(&desk, &format!("slack {}", fake.url("/x")));
    let held = |number: u32| {
        let name = format!("work-{number}.txt");
        desk.machine.write(&format!("home/app/{name}"), "hours");
        desk.held(&format!("rm {name}"))
    };
    (0..3).for_each(|number| drop(held(number)));
    let end = Instant::now() + TOLD_TIME_MAX;
    while fake.taken().len() < 3 {
        assert!(Instant::now() < end, "{:?}", fake.taken());
        std::thread::sleep(PAUSE);
    }
    // Nine minutes pass.
    let notes = "state/desk/channels.json";
    let mut all: Value = serde_json::from_str(&desk.machine.read(notes)).unwrap();
    let sent = all["sent"].as_array_mut().unwrap();
    assert_eq!(sent.len(), 3);
    for time in sent {
        *time = (time.as_u64().unwrap() - 9 * 60_000).into();
    }
    desk.machine.write(notes, all.to_string());
    let begun = Instant::now();
    held(3);
    held(4);
    std::thread::sleep(Duration::from_secs(25));
    assert_eq!(fake.taken().len(), 3, "{:?}", fake.taken());
    let told = fake.waits_for("5 approvals waiting on ");
    let waited = begun.elapsed();
    assert!(waited > Duration::from_secs(25), "{waited:?}: {told}");
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(fake.taken().len(), 4, "{:?}", fake.taken());
}
