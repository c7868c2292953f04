//! A person with a browser: the page lives, a passkey is added and says yes; what a worker's own
//! browser can do.

use std::time::Instant;

use crate::chromium::Browser;
use crate::desk::{Desk, PASSPHRASE, RESET};

impl Browser {
    /// A browser of somebody at this machine.
    pub fn of(desk: &Desk) -> Option<Self> {
        Self::start(&desk.machine.at("tmp"))
    }

    /// Opens the desk as `tollgate open` does.
    pub fn enter(&mut self, desk: &Desk) {
        self.go(&format!("http://localhost:{}/#t={}", desk.port, desk.key()));
        self.sees("History");
    }

    /// Goes to the page of one request.
    pub fn look_at(&mut self, desk: &Desk, id: &str) {
        let address = desk.address(id);
        self.go(&format!("http://localhost:{}{address}", desk.port));
    }
}

/// Adds the passkey of a browser, as the owner lets it.
fn add_passkey(browser: &mut Browser, desk: &Desk, passphrase: &str) {
    let add = desk
        .machine
        .tollgate("key add-passkey laptop --print")
        .stdin(passphrase);
    let said = add.shows(&["/passkey#r=", "good once"]).run();
    let link = said
        .split_whitespace()
        .find(|word| word.contains("#r="))
        .unwrap();
    browser.go(link);
    browser.sees("Add a passkey");
    browser.press("Add a passkey");
}

#[test]
fn a_passkey_lets_a_call_run_once() {
    let desk = Desk::with("", "key");
    let Some(mut browser) = Browser::of(&desk) else {
        return;
    };
    browser.plug_in(true);
    browser.enter(&desk);
    add_passkey(&mut browser, &desk, "");
    browser.sees("The passkey laptop is known");
    desk.machine
        .tollgate("key show")
        .shows(&["passkey", "laptop"])
        .run();
    browser.go(&format!("http://localhost:{}/", desk.port));
    browser.sees("Nothing waits for you.");
    // The page lives: nobody loads it anew.
    let begin = Instant::now();
    let id = desk.held("rm notes.txt");
    browser.sees(&id);
    println!(
        "held to seen, the hook included: {} ms",
        begin.elapsed().as_millis()
    );
    browser.look_at(&desk, &id);
    browser.sees("Approve once with a passkey");
    browser.press("Approve once with a passkey");
    browser.sees("may run once");
    assert_eq!(desk.approval(&id)["by"], "key");
    assert!(desk.is_let_through("rm notes.txt"));
    desk.machine
        .write("home/app/notes.txt", "nowhere else again\n");
    assert!(!desk.is_let_through("rm notes.txt"));
}

#[test]
fn a_passkey_that_is_forgotten_proves_nothing_any_more() {
    let desk = Desk::with("", "key");
    let Some(mut browser) = Browser::of(&desk) else {
        return;
    };
    browser.plug_in(true);
    browser.enter(&desk);
    add_passkey(&mut browser, &desk, "");
    browser.sees("The passkey laptop is known");
    let id = desk.held("rm notes.txt");
    browser.look_at(&desk, &id);
    browser.sees("Approve once with a passkey");
    browser.press("Approve once with a passkey");
    browser.sees("may run once");
    desk.machine
        .tollgate("key remove-passkey laptop")
        .shows(&["forgotten:"])
        .run();
    assert!(!desk.is_let_through("rm notes.txt"));
}

#[test]
fn a_workers_own_browser_adds_no_passkey_and_approves_nothing() {
    let desk = Desk::with_passphrase();
    let Some(mut browser) = Browser::of(&desk) else {
        return;
    };
    // It has a cookie, an authenticator of its own, and the page.
    browser.plug_in(true);
    browser.enter(&desk);
    let id = desk.held(RESET);
    // The owner's command wants the passphrase before it gives out a link.
    let add = desk
        .machine
        .tollgate("key add-passkey mine --print")
        .stdin("a guess");
    add.status(4).complains(&["it takes your passphrase"]).run();
    browser.go(&format!(
        "http://localhost:{}/passkey#r={}",
        desk.port,
        "0".repeat(64)
    ));
    browser.sees("Add a passkey");
    browser.press("Add a passkey");
    browser.sees("only tollgate key add-passkey");
    browser.look_at(&desk, &id);
    browser.sees("Approve once");
    assert!(!browser.text().contains("with a passkey"));
    // Once its host is known, it may not even refuse: the browser is below this process.
    let (store, host) = desk.opened_by_a_host();
    browser.press("Refuse");
    browser.sees("an agent, or another user, may not answer here");
    store.forget_host(host).unwrap();
    assert_eq!(desk.approval(&id)["state"], "waits");
}

#[test]
fn what_is_answered_elsewhere_is_seen_on_every_page() {
    let desk = Desk::new();
    let Some(mut browser) = Browser::of(&desk) else {
        return;
    };
    browser.enter(&desk);
    let id = desk.held(RESET);
    browser.look_at(&desk, &id);
    browser.sees("waits");
    let refuse = desk
        .machine
        .tollgate(&format!("refuse {id} --say 'commit it first'"));
    refuse.shows(&["refused:"]).run();
    browser.sees("refused: commit it first");
    // What is typed there is not lost by that.
    assert_eq!(
        browser.value("document.querySelectorAll('form').length > 0"),
        true
    );
}

#[test]
fn nobody_is_taken_for_the_owner_who_is_not_verified() {
    let desk = Desk::with_passphrase();
    let Some(mut browser) = Browser::of(&desk) else {
        return;
    };
    browser.plug_in(false);
    browser.enter(&desk);
    add_passkey(&mut browser, &desk, PASSPHRASE);
    browser.sees("The passkey did not answer");
    desk.machine.tollgate("key show").shows(&[""]).run();
}

#[test]
fn a_page_that_frames_the_desk_sees_nothing_of_it() {
    let desk = Desk::new();
    let Some(mut browser) = Browser::of(&desk) else {
        return;
    };
    browser.enter(&desk);
    let id = desk.held(RESET);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let page = format!(
        "<iframe src=\"http://localhost:{}/\" onload=\"document.title='loaded'\"></iframe>",
        desk.port
    );
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            serve(stream, &page);
        }
    });
    browser.go(&format!("http://localhost:{port}/"));
    let script = "new Promise((done) => setTimeout(() => done(document.title), 1500))";
    assert_eq!(browser.value(script), "loaded");
    let framed = "(() => { try { return document.querySelector('iframe').contentDocument?.body\
                  ?.innerText ?? 'closed'; } catch { return 'closed'; } })()";
    let seen = browser.value(framed);
    assert!(!seen.as_str().unwrap().contains(&id), "{seen}");
    // Nor does a script of that page, though the browser has the cookie.
    let fetched = format!(
        "fetch('http://localhost:{}/', {{credentials: 'include'}})\
         .then((said) => said.text(), (error) => 'refused')",
        desk.port
    );
    assert_eq!(browser.value(&fetched), "refused");
    let posted = format!(
        "fetch('http://localhost:{}{}/refuse', {{method: 'POST', mode: 'no-cors', \
         credentials: 'include', body: new URLSearchParams({{words: 'x', token: ''}})}})\
         .then(() => 'sent', () => 'refused')",
        desk.port,
        desk.address(&id)
    );
    browser.value(&posted);
    assert_eq!(desk.approval(&id)["state"], "waits");
}

/// Answers one request with a page.
fn serve(mut stream: std::net::TcpStream, page: &str) {
    use std::io::{Read, Write};

    let mut request = [0; 4_096];
    let _ = stream.read(&mut request);
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n";
    let _ = write!(stream, "{head}content-length: {}\r\n\r\n{page}", page.len());
}
