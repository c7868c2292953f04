//! A person who looks elsewhere is told of runs that need them.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::desk::Desk;
use crate::fakes::{Fake, add};

/// What no message may tell of.
const TASK: &str = "say zanzibar";
/// What a message is due after, and a little more.
const DUE: Duration = Duration::from_secs(26);

/// A run with a worker, which ends with this status; its id.
fn run(desk: &Desk, worker: &str, status: i32) -> String {
    let test = desk.machine.tollgate("run --worker").arg(worker);
    let said = test.arg(TASK).status(status).shows(&["run "]).run();
    let id = said.split_whitespace().nth(1).unwrap();
    id.to_owned()
}

fn body(text: &str) -> Value {
    serde_json::from_str(text.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[test]
fn a_run_that_is_ready_is_told_of_until_it_is_taken() {
    let desk = Desk::new();
    let (ntfy, webhook, full) = (
        Fake::web(&["200 OK"]),
        Fake::web(&["200 OK"]),
        Fake::web(&["200 OK"]),
    );
    add(&desk, &format!("ntfy {}", ntfy.url("/topic")));
    add(&desk, &format!("webhook {}", webhook.url("/hook")));
    let whole = format!("webhook {} --name whole --detail full", full.url("/x"));
    add(&desk, &whole);
    let id = run(&desk, "echo new > new.txt", 0);
    let begun = Instant::now();
    let text = ntfy.waits_for("1 run needs you on ");
    assert!(begun.elapsed() > Duration::from_secs(18));
    assert!(text.contains(&format!("http://localhost:{}/", desk.port)));
    let told = body(&webhook.waits_for("needs you"));
    let counts = (&told["event"], &told["waiting"], &told["runs"]);
    assert_eq!(counts, (&"waiting".into(), &0.into(), &1.into()));
    let needing = body(&full.waits_for("needs you"))["needing"].clone();
    assert_eq!(needing[0]["id"], id.as_str(), "{needing}");
    assert_eq!(needing[0]["task"], TASK, "{needing}");
    // What the address leads to shows it.
    let page = desk.enter().get("/").body;
    assert!(page.contains(&id) && page.contains("ready"), "{page}");
    desk.machine.git(&["merge", "-q", &format!("tg/{id}")]);
    ntfy.waits_for("nothing waits for you on ");
    let taken = [ntfy.taken(), webhook.taken()].concat();
    for text in &taken {
        assert!(!text.contains(&id) && !text.contains("zanzibar"), "{text}");
    }
    assert!(!desk.enter().get("/").body.contains(&id));
}

#[test]
fn a_run_that_escalates_or_falls_silent_is_told_of() {
    let desk = Desk::new();
    let ntfy = Fake::web(&["200 OK"]);
    add(&desk, &format!("ntfy {}", ntfy.url("/topic")));
    let id = run(&desk, "exit 7", 3);
    ntfy.waits_for("1 run needs you on ");
    desk.machine
        .tollgate(&format!("run stop {id}"))
        .shows(&["is stopped"])
        .run();
    ntfy.waits_for("nothing waits for you on ");
    let test = desk.machine.tollgate("run --budget silence=1 --worker");
    let mut child = test.arg("sleep 40; echo new > new.txt").arg(TASK).start();
    let end = Instant::now() + Duration::from_secs(38);
    while ntfy.taken().len() < 3 {
        assert!(Instant::now() < end, "{:?}", ntfy.taken());
        std::thread::sleep(Duration::from_millis(200));
    }
    let last = ntfy.taken().pop().unwrap();
    assert!(last.contains("1 run needs you on "), "{last}");
    child.wait().unwrap();
    // It is told that this is over.
    let end = Instant::now() + Duration::from_secs(15);
    while ntfy.taken().len() < 4 {
        assert!(Instant::now() < end, "{:?}", ntfy.taken());
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn who_looks_or_has_seen_or_taken_a_run_is_not_told() {
    let desk = Desk::new();
    let fake = Fake::web(&["200 OK"]);
    add(&desk, &format!("slack {}", fake.url("/x")));
    let seen = run(&desk, "echo new > seen.txt", 0);
    let show = desk.machine.tollgate(&format!("run show {seen}"));
    show.shows(&["ready"]).run();
    let taken = run(&desk, "echo new > taken.txt", 0);
    desk.machine.git(&["merge", "-q", &format!("tg/{taken}")]);
    std::thread::sleep(DUE);
    assert_eq!(fake.taken(), [""; 0]);
    let client = desk.enter();
    let token = client.get("/").field("/looking", "token");
    run(&desk, "echo new > looked.txt", 0);
    let begun = Instant::now();
    while begun.elapsed() < DUE {
        assert_eq!(client.post("/looking", &[("token", &token)]).status, 204);
        std::thread::sleep(Duration::from_secs(3));
    }
    assert_eq!(fake.taken(), [""; 0]);
}
