//! What the pages show, and what is said there: no with a visit, yes with a passphrase.

use std::os::unix::fs::PermissionsExt;

use crate::desk::{Desk, PASSPHRASE, RESET};

#[test]
fn what_waits_is_shown_and_refused_with_words_for_the_agent() {
    let desk = Desk::new();
    let client = desk.enter();
    assert!(client.get("/").body.contains("Nothing waits for you."));
    let id = desk.held(RESET);
    let now = client.get("/");
    assert_eq!(now.status, 200);
    for part in [&*id, RESET, "main.rs", "Claude Code", "Ends in"] {
        assert!(now.body.contains(part), "no {part} in {}", now.body);
    }
    let address = desk.address(&id);
    let page = client.get(&address);
    let app = desk.machine.at("home/app");
    for part in [
        "policy/git.discard",
        "git stash push",
        app.to_str().unwrap(),
        "The whole call",
    ] {
        assert!(page.body.contains(part), "no {part} in {}", page.body);
    }
    let said = client.refuse(&address, "keep it, commit first");
    assert_eq!(said.status, 200, "{said:?}");
    assert_eq!(desk.approval(&id)["state"], "refused");
    let told = desk.call(RESET).told;
    assert!(
        told.contains("refused it before: \"keep it, commit first\""),
        "{told}"
    );
    let history = client.get("/history").body;
    assert!(
        history.contains("refused") && history.contains("keep it, commit first"),
        "{history}"
    );
    let again = client.post(
        &format!("{address}/refuse"),
        &[("token", ""), ("words", "")],
    );
    assert_eq!(again.status, 403);
}

#[test]
fn the_passphrase_lets_a_call_run_once() {
    let desk = Desk::with_passphrase();
    let client = desk.enter();
    let id = desk.held(RESET);
    let address = desk.address(&id);
    let wrong = client.approve(&address, "wrong horse battery");
    assert_eq!(wrong.status, 403, "{wrong:?}");
    assert!(!desk.is_let_through(RESET));
    let said = client.approve(&address, PASSPHRASE);
    assert_eq!(said.status, 200, "{said:?}");
    assert!(said.body.contains("may run once"));
    let page = client.get(&address).body;
    assert!(
        page.contains("granted") && page.contains("with a passphrase"),
        "{page}"
    );
    assert!(desk.is_let_through(RESET));
    desk.machine.git(&["commit", "-qam", "kept"]);
    desk.machine.make_dirty();
    assert!(!desk.is_let_through(RESET));
    assert_eq!(desk.approval(&id)["by"], "key");
    // People at the host hear of it.
    let status = desk
        .machine
        .tollgate("status")
        .shows(&["approved on the desk's page"]);
    status.run();
}

#[test]
fn a_yes_that_was_written_into_the_state_is_none() {
    let desk = Desk::with_passphrase();
    let id = desk.held(RESET);
    let store = store::Store::open(&desk.machine.at("state")).unwrap();
    let all = desk::asked::all(&store).unwrap();
    let asked = all.into_iter().find(|one| one.approval.id == id).unwrap();
    for proof in ["", "passphrase 646576 5 abcd", "passkey 646576 5 a b c d"] {
        let mut forged = work::approvals::granted(&asked.approval, model::GrantLevel::Key, proof);
        asked.grant(&store, &forged).unwrap();
        assert!(!desk.is_let_through(RESET), "{proof}");
        std::mem::swap(&mut forged.to, forged.from.as_mut().unwrap());
        desk::asked::change(&store, &asked.session, "test", |_| {
            Ok(vec![work::approvals::ApprovalStep(forged.clone()).into()])
        })
        .unwrap();
    }
}

#[test]
fn five_wrong_passphrases_are_the_last_for_a_while() {
    let mut desk = Desk::with_passphrase();
    let id = desk.held(RESET);
    let address = desk.address(&id);
    for _ in 0..4 {
        assert_eq!(desk.enter().approve(&address, "wrong horse").status, 403);
    }
    // Another desk, another visit: the same person.
    desk.kill();
    assert_eq!(desk.enter().approve(&address, "wrong horse").status, 403);
    assert_eq!(desk.enter().approve(&address, PASSPHRASE).status, 429);
    assert!(!desk.is_let_through(RESET));
}

#[test]
fn what_only_root_may_grant_is_not_granted_here() {
    let desk = Desk::with(PASSPHRASE, "sudo");
    let id = desk.held("rm notes.txt");
    let page = desk.enter().get(&desk.address(&id)).body;
    assert!(page.contains("sudo tollgate approve"), "{page}");
    assert!(!page.contains("name=\"passphrase\""), "{page}");
}

#[test]
fn secrets_are_private_and_hashed() {
    let desk = Desk::new();
    let key = desk.key();
    let client = desk.enter();
    let cookie = client.cookie.split_once('=').unwrap().1.to_owned();
    let place = desk.machine.at("state/desk.json");
    let mode = std::fs::metadata(&place).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(
        desk.machine
            .read("state/desk.json")
            .contains(&desk.port.to_string())
    );
    for (path, bytes) in crate::common::files(&desk.machine.at("state")) {
        let text = String::from_utf8_lossy(&bytes);
        let path = path.to_string_lossy();
        for secret in [&key, &cookie] {
            assert!(!text.contains(secret) && !path.contains(secret), "{path}");
        }
    }
    let cookie = desk.client().post("/open", &[("key", &key)]);
    let cookie = cookie.header("set-cookie").unwrap();
    for part in ["HttpOnly", "SameSite=Strict", "Max-Age=43200"] {
        assert!(cookie.contains(part), "{cookie}");
    }
}

#[test]
fn a_second_desk_says_that_one_runs_and_one_that_was_killed_is_no_hindrance() {
    let mut desk = Desk::new();
    let second = desk.machine.tollgate("serve").status(1);
    second
        .complains(&["a desk runs already", "tollgate open"])
        .run();
    let client = desk.enter();
    desk.kill();
    // Who had opened the pages still may look.
    let client = crate::desk::Client {
        port: desk.port,
        ..client
    };
    assert_eq!(client.get("/").status, 200);
}

#[test]
fn pages_are_small_and_have_what_they_name() {
    let desk = Desk::new();
    let client = desk.enter();
    desk.held(RESET);
    let now = client.get("/");
    assert!(now.body.len() < 20_000, "{}", now.body.len());
    let mut total = now.body.len();
    for file in ["/desk.css", "/desk.js", "/htmx.js", "/htmx-sse.js"] {
        assert!(now.body.contains(&format!("\"{file}\"")), "{file}");
        let said = client.get(file);
        assert_eq!(said.status, 200, "{file}");
        total += said.body.len();
    }
    println!("the page Now with all it names: {total} bytes");
    assert!(total < 75_000, "{total}");
}
