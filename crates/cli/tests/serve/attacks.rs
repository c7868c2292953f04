//! Everything that somebody who is not the person at the desk could try on its pages.

use crate::desk::{Answer, Client, Desk, PASSPHRASE, RESET, form, rule};

/// A POST with headers of one's own.
fn post(client: &Client, path: &str, headers: &[(&str, &str)], fields: &[(&str, &str)]) -> Answer {
    client.say(("POST", path), headers, &form(fields))
}

#[test]
fn another_name_for_this_machine_is_not_answered() {
    let desk = Desk::new();
    let client = desk.enter();
    let port = desk.port;
    for host in [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("127.0.0.1:{port}"),
        format!("[::1]:{port}"),
        "localhost".to_owned(),
        format!("localhost:{}", port ^ 1),
        format!("localhost.evil.example:{port}"),
        format!("LOCALHOST.:{port}"),
        String::new(),
    ] {
        let headers = [("host", host.as_str()), ("cookie", &client.cookie)];
        let said = client.say(("GET", "/"), &headers, "");
        let expected = if host.is_empty() {
            [400, 421]
        } else {
            [421, 421]
        };
        assert!(expected.contains(&said.status), "{host}: {said:?}");
    }
    let twice = [
        ("host", &*client.host()),
        ("host", "evil.example"),
        ("cookie", &client.cookie),
    ];
    assert_ne!(client.say(("GET", "/"), &twice, "").status, 200);
}

#[test]
fn a_page_of_others_neither_looks_nor_answers() {
    let desk = Desk::with_passphrase();
    let client = desk.enter();
    let id = desk.held(RESET);
    let address = desk.address(&id);
    let action = format!("{address}/refuse");
    let token = client.get(&address).field(&action, "token");
    let host = client.host();
    let own = format!("http://{host}");
    let fields = [("token", token.as_str()), ("words", "x")];
    for (origin, site) in [
        ("http://evil.example", "cross-site"),
        ("http://evil.example", ""),
        ("null", "cross-site"),
        ("null", ""),
        ("http://localhost:1", "same-site"),
        ("https://localhost", ""),
        (own.as_str(), "cross-site"),
        (own.as_str(), "same-site"),
        // Nothing shows where it comes from: no browser sends a form so.
        ("", ""),
        ("", "same-origin"),
    ] {
        let headers = [
            ("host", host.as_str()),
            ("cookie", &client.cookie),
            ("origin", origin),
            ("sec-fetch-site", site),
        ];
        let said = post(&client, &action, &headers, &fields);
        assert_eq!(said.status, 403, "{origin} {site}: {said:?}");
        if !origin.is_empty() && origin != own {
            assert_eq!(
                client.say(("GET", "/"), &headers, "").status,
                403,
                "{origin} {site}"
            );
        }
    }
    assert_eq!(desk.approval(&id)["state"], "waits");
    let socket = [
        ("host", host.as_str()),
        ("cookie", &client.cookie),
        ("origin", "http://evil.example"),
        ("upgrade", "websocket"),
        ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ("sec-websocket-version", "13"),
    ];
    assert_eq!(client.say(("GET", "/events"), &socket, "").status, 403);
    // A link that a person follows is looked at; a frame, a picture or a script's look is not.
    let look = |mode: &str, dest: &str| {
        let headers = [
            ("host", host.as_str()),
            ("cookie", &client.cookie),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", mode),
            ("sec-fetch-dest", dest),
        ];
        client.say(("GET", "/"), &headers, "").status
    };
    assert_eq!(look("navigate", "document"), 200);
    for (mode, dest) in [
        ("navigate", "iframe"),
        ("no-cors", "image"),
        ("cors", "empty"),
    ] {
        assert_eq!(look(mode, dest), 403, "{mode} {dest}");
    }
}

#[test]
fn what_a_page_may_not_do_is_said_with_every_answer() {
    let desk = Desk::new();
    let client = desk.enter();
    let foreign = [("host", "evil.example")];
    for said in [
        client.get("/"),
        client.get("/desk.js"),
        client.get("/nothing"),
        desk.client().get("/"),
        client.say(("GET", "/"), &foreign, ""),
    ] {
        let policy = said.header("content-security-policy").unwrap();
        for part in [
            "default-src 'none'",
            "script-src 'self'",
            "frame-ancestors 'none'",
        ] {
            assert!(policy.contains(part), "{policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(said.header("x-frame-options"), Some("DENY"));
        assert_eq!(said.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(said.header("access-control-allow-origin"), None);
    }
    let page = client.get("/").body;
    assert!(!page.contains("<script>") && !page.contains("style=") && !page.contains("onclick"));
}

#[test]
fn a_key_is_good_once_and_for_a_minute() {
    let desk = Desk::new();
    let key = desk.key();
    let client = desk.client();
    assert_eq!(client.post("/open", &[("key", &key)]).status, 303);
    assert_eq!(client.post("/open", &[("key", &key)]).status, 403);
    for wrong in ["", "00", "../../looked", &"0".repeat(64)] {
        assert_eq!(
            client.post("/open", &[("key", wrong)]).status,
            403,
            "{wrong}"
        );
    }
    // An old one: its file says when it ends.
    let key = desk.key();
    let dir = desk.machine.at("state/desk");
    for entry in std::fs::read_dir(&dir).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if name.starts_with("open-") {
            let text = std::fs::read_to_string(entry.path()).unwrap();
            let ends: u64 = text.split(' ').next().unwrap().parse().unwrap();
            let now = edge::surroundings::now().0;
            assert!(
                (now + 50_000..=now + 60_000).contains(&ends),
                "{ends} {now}"
            );
            std::fs::write(entry.path(), "5 ").unwrap();
        }
    }
    assert_eq!(client.post("/open", &[("key", &key)]).status, 403);
}

#[test]
fn who_has_no_visit_sees_nothing_and_says_nothing() {
    let desk = Desk::with_passphrase();
    let id = desk.held(RESET);
    let address = desk.address(&id);
    let stranger = desk.client();
    for cookie in [
        "",
        "tollgate=",
        "tollgate=00",
        &format!("tollgate={}", "0".repeat(64)),
    ] {
        let client = Client {
            cookie: cookie.to_owned(),
            ..stranger.clone()
        };
        for path in ["/", "/history", &address, "/events", "/passkey"] {
            let said = client.get(path);
            assert_eq!(said.status, 401, "{path}: {said:?}");
            assert!(!said.body.contains(&id), "{said:?}");
        }
        for action in ["refuse", "approve"] {
            let fields = [
                ("token", ""),
                ("words", ""),
                ("shown", ""),
                ("passphrase", PASSPHRASE),
            ];
            let said = client.post(&format!("{address}/{action}"), &fields);
            assert_eq!(said.status, 401, "{said:?}");
        }
    }
    assert_eq!(desk.approval(&id)["state"], "waits");
}

#[test]
fn a_cookie_that_a_worker_has_approves_nothing() {
    let desk = Desk::with_passphrase();
    let id = desk.held(RESET);
    let address = desk.address(&id);
    // All that curl with the cookie and the page's own tokens can say.
    let client = desk.enter();
    let page = client.get(&address);
    let action = format!("{address}/approve");
    let (token, shown) = (page.field(&action, "token"), page.field(&action, "shown"));
    for passphrase in ["", "guess", &token] {
        let said = client.approve_with(&action, &[&token, &shown, passphrase]);
        assert_ne!(said.status, 200, "{said:?}");
    }
    let action = format!("{address}/passkey");
    let mut fields = vec![
        ("token", token.as_str()),
        ("shown", &shown),
        ("by", "646576"),
    ];
    let now = edge::surroundings::now().0.to_string();
    fields.extend([
        ("at", now.as_str()),
        ("credential", "00"),
        ("authenticator", "00"),
    ]);
    fields.extend([("client", "00"), ("signature", "3006020101020101")]);
    assert_eq!(client.post(&action, &fields).status, 403);
    let fields = [
        ("token", token.as_str()),
        ("key", "00"),
        ("authenticator", "00"),
    ];
    assert_eq!(client.post("/passkey", &fields).status, 403);
    assert_eq!(desk.approval(&id)["state"], "waits");
    assert!(!desk.is_let_through(RESET));
}

#[test]
fn what_an_agent_started_is_refused_and_told() {
    let desk = Desk::with_passphrase();
    let id = desk.held(RESET);
    let client = desk.enter();
    let address = desk.address(&id);
    let action = format!("{address}/approve");
    let page = client.get(&address);
    let (token, shown) = (page.field(&action, "token"), page.field(&action, "shown"));
    let (store, host) = desk.opened_by_a_host();
    // It even has the passphrase.
    let said = client.approve_with(&action, &[&token, &shown, PASSPHRASE]);
    assert_eq!(said.status, 403, "{said:?}");
    assert!(said.body.contains("an agent, or another user"), "{said:?}");
    let refused = client.post(
        &format!("{address}/refuse"),
        &[("token", &token), ("words", "")],
    );
    assert_eq!(refused.status, 403);
    store.forget_host(host).unwrap();
    assert_eq!(desk.approval(&id)["state"], "waits");
    let told = [
        "tampering: the desk's page",
        "was posted to by process",
        "and refused",
    ];
    desk.machine.tollgate("status").shows(&told).run();
    desk.machine.tollgate("log").shows(&["tamper"]).run();
}

#[test]
fn a_form_without_the_token_of_this_visit_changes_nothing() {
    let desk = Desk::with_passphrase();
    let id = desk.held(RESET);
    let address = desk.address(&id);
    let (one, other) = (desk.enter(), desk.enter());
    let action = format!("{address}/refuse");
    let foreign = other.get(&address).field(&action, "token");
    for token in ["", "0", &foreign] {
        let said = one.post(&action, &[("token", token), ("words", "")]);
        assert_eq!(said.status, 403, "{token}");
    }
    assert_eq!(one.post(&action, &[("words", "")]).status, 422);
    assert_eq!(one.post("/looking", &[("token", &foreign)]).status, 403);
    assert_eq!(desk.approval(&id)["state"], "waits");
}

/// Texts that would be markup, script, an address, or would make a page or a terminal look
/// otherwise.
const PAYLOADS: &[&str] = &[
    "<script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</pre><img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)>",
    "'><body onload=alert(1)>",
    "<iframe src=javascript:alert(1)>",
    "<a href=\"javascript:alert(1)\">x</a>",
    "javascript:alert(1)//",
    "data:text/html,<script>alert(1)</script>",
    "<math><mtext><style><img src onerror=alert(1)>",
    "<details open ontoggle=alert(1)>",
    "<template><script>alert(1)</script></template>",
    "<base href=//evil.example>",
    "<meta http-equiv=refresh content=0;url=//evil.example>",
    "<form action=//evil.example><button>Approve once",
    "<input name=token value=evil>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<div hx-get=//evil.example hx-trigger=load>",
    "<div hx-on:click=alert(1)>",
    "<div sse-connect=//evil.example>",
    "{{constructor.constructor('alert(1)')()}}",
    "${alert(1)}",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;",
    "<!--",
    "--><script>alert(1)</script>",
    "]]><script>alert(1)</script>",
    "<plaintext>",
    "<xmp>",
    "\u{1b}[2J\u{1b}[1;1Hsafe",
    "\u{1b}]8;;http://evil.example\u{7}here\u{1b}]8;;\u{7}",
    "\u{9b}31mred",
    "\u{202e}gpj.exe",
    "\u{2066}left\u{2069}",
    "rm\u{200b} -rf",
    "a\u{feff}b",
    "\u{e0041}\u{e0042}tag",
    "a\u{2028}b\u{2029}c",
    "back\u{8}\u{8}\u{8}space",
    "soft\u{ad}hyphen",
];

/// What of a payload must not stand in a page as it is.
fn is_raw(page: &str, payload: &str) -> bool {
    let has_markup = payload.contains('<') && page.contains(payload);
    let odd = |letter: char| !matches!(letter, '\n' | '\t') && letter.is_control();
    let hidden = "\u{202e}\u{2066}\u{2069}\u{200b}\u{feff}\u{e0041}\u{2028}\u{ad}";
    has_markup || page.contains(|letter| odd(letter) || hidden.contains(letter))
}

#[test]
fn nothing_that_an_agent_wrote_is_anything_but_text() {
    assert_eq!(PAYLOADS.len(), 40);
    let desk = Desk::new();
    let client = desk.enter();
    let mut seen = String::new();
    for payload in PAYLOADS {
        let quoted = payload.replace('\'', "");
        let dir = desk.machine.at("home/app");
        // Its command, its session, its directory, its name, its file; each says it.
        let name = quoted.replace('/', "|");
        let mut payloads = vec![desk.machine.payload(&format!("{RESET} # '{quoted}'"))];
        let mut session = desk.machine.payload(RESET);
        session["session_id"] = (*payload).into();
        payloads.push(session);
        let mut cwd = desk.machine.payload(RESET);
        let below = dir.join(&name);
        if std::fs::create_dir_all(&below).is_ok() {
            cwd["cwd"] = below.to_str().unwrap().into();
            payloads.push(cwd);
        }
        let mut tool = desk.machine.payload("");
        tool["tool_name"] = format!("mcp__{payload}__{payload}").into();
        tool["tool_input"] = serde_json::json!({ *payload: payload });
        payloads.push(tool);
        let mut file = desk.machine.payload("");
        file["tool_name"] = "Write".into();
        let path = desk.machine.at("home/.claude").join(&name);
        file["tool_input"] = serde_json::json!({"file_path": path, "content": payload});
        payloads.push(file);
        for mut payload in payloads {
            payload["permission_mode"] = "bypassPermissions".into();
            desk.machine.hook("PreToolUse", &payload);
        }
        let mut pages = vec![client.get("/").body, client.get("/history").body];
        let links = pages[1].split("href=\"").skip(1);
        let links: Vec<String> = links
            .filter(|link| link.starts_with("/a/"))
            .map(|link| link.split('"').next().unwrap().to_owned())
            .collect();
        for link in links.iter().take(4) {
            let page = client.get(link);
            assert_eq!(page.status, 200, "{link}");
            pages.push(page.body);
        }
        for page in &pages {
            assert!(!is_raw(page, payload), "{payload:?} stands in {page}");
        }
        seen.extend(pages);
    }
    for shown in ["&lt;script&gt;", "U+202E", "&amp;lt;script", "U+E0041"] {
        assert!(seen.contains(shown), "{shown} was not shown");
    }
}

#[test]
fn of_two_who_approve_one_call_one_does() {
    let desk = Desk::with_passphrase();
    let id = desk.held(RESET);
    let address = desk.address(&id);
    let said: Vec<Answer> = std::thread::scope(|scope| {
        let one = || desk.enter().approve(&address, PASSPHRASE);
        let both = [scope.spawn(one), scope.spawn(one)];
        both.map(|one| one.join().unwrap()).into_iter().collect()
    });
    let mut statuses: Vec<u16> = said.iter().map(|one| one.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "{said:?}");
    // Who comes later is told by whom, and when.
    let late = said.iter().find(|one| one.status == 409).unwrap();
    assert!(late.body.contains("is granted already by"), "{late:?}");
    assert!(late.body.contains(", with a passphrase, "), "{late:?}");
    assert!(desk.is_let_through(RESET));
    // Another call of the same is another question.
    assert!(!desk.is_let_through(RESET));
    let late = desk.enter().get(&address).body;
    assert!(
        late.contains("spent") && late.contains("with a passphrase"),
        "{late}"
    );
}

#[test]
fn a_script_that_was_changed_meanwhile_is_another_call() {
    let desk = Desk::with_passphrase();
    desk.machine.write("home/app/x.sh", "git reset --hard\n");
    let id = desk.held("bash x.sh");
    let said = desk.enter().approve(&desk.address(&id), PASSPHRASE);
    assert_eq!(said.status, 200, "{said:?}");
    desk.machine
        .write("home/app/x.sh", "git reset --hard; git clean -fdx\n");
    assert!(!desk.is_let_through("bash x.sh"));
    desk.machine.write("home/app/x.sh", "git reset --hard\n");
    assert!(desk.is_let_through("bash x.sh"));
}

#[test]
fn a_page_that_shows_less_than_is_lost_by_now_approves_nothing() {
    let desk = Desk::with_passphrase();
    let id = desk.held(RESET);
    let (client, address) = (desk.enter(), desk.address(&id));
    let action = format!("{address}/approve");
    let page = client.get(&address);
    let (token, shown) = (page.field(&action, "token"), page.field(&action, "shown"));
    desk.machine.write("home/app/other.rs", "hours\n");
    desk.machine.git(&["add", "other.rs"]);
    assert_eq!(desk.held(RESET), id);
    let said = client.approve_with(&action, &[&token, &shown, PASSPHRASE]);
    assert_eq!(said.status, 409, "{said:?}");
    assert!(!desk.is_let_through(RESET));
}

#[test]
fn a_yes_from_before_a_rule_wanted_more_is_not_enough() {
    let desk = Desk::with(PASSPHRASE, "key");
    let id = desk.held("rm notes.txt");
    let said = desk.enter().approve(&desk.address(&id), PASSPHRASE);
    assert_eq!(said.status, 200, "{said:?}");
    rule(&desk.machine, "sudo");
    assert!(!desk.is_let_through("rm notes.txt"));
    rule(&desk.machine, "key");
    assert!(desk.is_let_through("rm notes.txt"));
}

#[test]
fn looking_changes_nothing() {
    let desk = Desk::with_passphrase();
    let id = desk.held(RESET);
    let client = desk.enter();
    let address = desk.address(&id);
    let files = || {
        let mut files = crate::common::files(&desk.machine.at("state"));
        files.retain(|(path, _)| !path.ends_with("state/coverage.asked"));
        files
    };
    let before = files();
    // What a scanner of links calls, and what acts only as a POST.
    for path in [
        "/",
        "/history",
        &address,
        &format!("{address}/refuse"),
        &format!("{address}/approve?passphrase={PASSPHRASE}").replace(' ', "+"),
        &format!("{address}/passkey"),
        "/open",
        "/looking",
        "/passkey",
        "/desk.js",
    ] {
        for method in ["GET", "HEAD", "OPTIONS"] {
            let host = client.host();
            let headers = [("host", host.as_str()), ("cookie", &client.cookie)];
            let said = client.say((method, path), &headers, "");
            assert!(said.status < 500, "{method} {path}: {said:?}");
        }
    }
    assert_eq!(files(), before);
    assert_eq!(desk.approval(&id)["state"], "waits");
}

#[test]
fn the_desk_itself_serves_no_agent_past_the_command_line() {
    let desk = Desk::new();
    desk.opened_by_a_host();
    for word in ["open", "serve"] {
        let said = std::process::Command::new(desk.machine.at("bin/tollgate-desk"))
            .arg(word)
            .env("TOLLGATE_HOME", desk.machine.at("state"))
            .output()
            .unwrap();
        let complaint = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(
            complaint.contains("for you, not for an agent"),
            "{complaint}"
        );
        assert_eq!((said.status.code(), said.stdout.len()), (Some(1), 0));
    }
}
