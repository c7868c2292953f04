//! What a human does about a held call, in a terminal: sees it, says yes or no, signs, is told from
//! afar.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Output;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::Machine;

const RESET: &str = "git reset --hard";

/// Longest wait for a message that another process sends.
const MESSAGE_TIME_MAX: Duration = Duration::from_secs(60);

/// A machine with a gate and with work that is nowhere else.
fn machine() -> Machine {
    let machine = Machine::new();
    machine.init();
    machine.make_dirty();
    machine
}

/// Asks the hook where the host would not ask.
fn call(machine: &Machine, command: &str) -> Output {
    let mut payload = machine.payload(command);
    payload["permission_mode"] = "bypassPermissions".into();
    machine.hook("PreToolUse", &payload)
}

fn notice(answer: &Output) -> String {
    let said: Value = serde_json::from_slice(&answer.stdout).unwrap_or_default();
    said["systemMessage"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

/// Id and code of a call that is held now; the code is empty where none was told.
fn held(machine: &Machine, command: &str) -> (String, String) {
    let answer = call(machine, command);
    assert_eq!(answer.status.code(), Some(2), "{answer:?}");
    let notice = notice(&answer);
    let words: Vec<&str> = notice.split_whitespace().collect();
    let at = words.iter().rposition(|word| *word == "approve").unwrap();
    let word = |at: usize| words.get(at).copied().unwrap_or_default().to_owned();
    (word(at + 1), word(at + 2))
}

fn is_let_through(machine: &Machine, command: &str) -> bool {
    call(machine, command).status.code() == Some(0)
}

fn grants(machine: &Machine, level: &str) {
    let pack = format!(
        "id = \"mine\"\nsummary = \"x\"\n[[rule]]\nid = \"all\"\nlevel = \"ask\"\n\
         grant = \"{level}\"\nreason = \"{{command}} is grave\"\n[rule.when]\nprogram = [\"rm\"]\n"
    );
    machine.write("home/.config/tollgate/packs/mine.toml", pack);
    machine.tollgate("compile").shows(&[""]).run();
    machine.write("home/app/notes.txt", "nowhere else\n");
}

#[test]
fn a_code_lets_a_call_run_once() {
    let machine = machine();
    machine
        .tollgate("approvals")
        .shows(&["nothing waits for you"])
        .run();
    let (id, code) = held(&machine, RESET);
    machine
        .tollgate("approvals")
        .shows(&[&id, "waits", RESET, "main.rs", "ends in"])
        .shows(&[&format!("tollgate approve {id} CODE")])
        .run();
    let listed = machine.tollgate("approvals").json();
    assert_eq!(listed[0]["code_told"], true);
    assert!(!listed[0].to_string().contains(&code), "{listed:?}");
    assert_eq!(listed[0]["needs"], "prompt");
    let approve = |code: &str| machine.tollgate(&format!("approve {id} {code}"));
    approve("")
        .status(1)
        .complains(&["the code is missing"])
        .run();
    approve("wrong-code-10")
        .status(1)
        .complains(&["2 tries left"])
        .run();
    let other = machine.tollgate("approve Z9Z9 wrong-code-10").status(1);
    other.complains(&["no request is called Z9Z9"]).run();
    let yes = approve(&code).shows(&["granted:", &id, "may run once: git reset --hard"]);
    yes.shows(&["Tell the agent to repeat the call."]).run();
    approve(&code)
        .status(1)
        .complains(&["granted already"])
        .run();
    assert!(is_let_through(&machine, RESET));
    assert!(!is_let_through(&machine, RESET));
    let listed = machine.tollgate("approvals").json();
    assert_eq!(
        (&listed[0]["state"], &listed[0]["by"]),
        (&"spent".into(), &"terminal".into())
    );
    let log: Vec<Value> = machine.tollgate("log").json();
    let steps: Vec<&Value> = log.iter().map(|one| &one["steps"][0]).collect();
    for step in ["granted", "spent"] {
        let is_it = |one: &&&Value| one["of"] == "approvals" && one["step"] == step;
        let found: Vec<_> = steps.iter().filter(is_it).collect();
        assert_eq!(found.len(), 1, "{steps:?}");
        assert_eq!(found[0]["id"], id);
        assert_eq!(found[0]["by"], "terminal");
    }
    let shown = [
        &*format!("{id} granted by terminal"),
        &*format!("{id} spent by terminal"),
    ];
    machine.tollgate("log").shows(&shown).run();
    assert!(!log.iter().any(|line| line.to_string().contains(&code)));
}

#[test]
fn three_wrong_codes_and_a_no_end_it() {
    let machine = machine();
    let (id, code) = held(&machine, RESET);
    let approve = |code: &str| machine.tollgate(&format!("approve {id} {code}")).status(1);
    approve("wrong-code-10").complains(&["2 tries left"]).run();
    approve("wrong-code-10").complains(&["1 try left"]).run();
    approve("wrong-code-10")
        .complains(&["for the third time"])
        .run();
    approve(&code).complains(&["void already"]).run();
    let (id, code) = held(&machine, RESET);
    let no = machine.tollgate(&format!("refuse {id}"));
    no.shows(&["refused:", &id, RESET]).run();
    let late = machine.tollgate(&format!("approve {id} {code}")).status(1);
    late.complains(&["refused already"]).run();
    assert!(!is_let_through(&machine, RESET));
}

#[test]
fn what_a_worker_starts_does_not_see_codes() {
    let machine = machine();
    let (id, _) = held(&machine, RESET);
    for line in [
        "approvals",
        "approvals --json",
        &format!("refuse {id}"),
        "key create",
    ] {
        let command = machine.tollgate(line).env("CLAUDECODE", "1");
        command
            .status(4)
            .complains(&["is for you, not for an agent"])
            .run();
    }
}

#[test]
fn a_key_signs_what_its_rule_asks_for() {
    let machine = machine();
    grants(&machine, "key");
    let rm = "rm notes.txt";
    let answer = call(&machine, rm);
    assert!(
        notice(&answer).contains("with your key: tollgate approve "),
        "{answer:?}"
    );
    let (id, _) = held(&machine, rm);
    let approve = || machine.tollgate(&format!("approve {id}"));
    let none = approve().status(1).shows(&["rm notes.txt"]);
    none.complains(&["there is none: tollgate key create"])
        .run();
    machine
        .tollgate("key show")
        .status(1)
        .complains(&["there is no key"])
        .run();
    let create = |line: &str| machine.tollgate(line).stdin("correct horse\n");
    let short = machine.tollgate("key create").stdin("short\n").status(1);
    short.complains(&["at least 8 characters"]).run();
    create("key create").shows(&["made: public half "]).run();
    let again = machine
        .tollgate("key create")
        .stdin("correct horse\nother horse\n");
    again.status(1).complains(&["there is a key already"]).run();
    machine.tollgate("key show").shows(&[""]).run();
    assert!(!machine.read("state/key").contains("correct"));
    let wrong = approve().stdin("wrong horse\n").status(1);
    wrong
        .shows(&["rm notes.txt"])
        .complains(&["wrong passphrase"])
        .run();
    assert!(!is_let_through(&machine, rm));
    let yes = approve().stdin("correct horse\n");
    yes.shows(&["granted:", &id]).run();
    // A yes of another key than the one that is there now is none.
    let replace = || machine.tollgate("key create --replace");
    let other = replace().stdin("wrong horse\nother horse\n").status(4);
    other
        .complains(&["it takes your passphrase", "wrong passphrase"])
        .run();
    let replace = replace().stdin("correct horse\ncorrect horse\n");
    replace.shows(&["made:"]).run();
    assert!(!is_let_through(&machine, rm));
    let (id, _) = held(&machine, rm);
    let yes = machine
        .tollgate(&format!("approve {id}"))
        .stdin("correct horse\n");
    yes.shows(&["granted:"]).run();
    assert!(is_let_through(&machine, rm));
    // The host's own question about that call; it does not say which one it means.
    let mut asks = machine.payload(rm);
    asks["hook_event_name"] = "PermissionRequest".into();
    asks["permission_mode"] = "bypassPermissions".into();
    asks.as_object_mut().unwrap().remove("tool_use_id");
    let asked = machine.hook("PermissionRequest", &asks);
    assert!(asked.stdout.is_empty(), "{asked:?}");
    assert!(!is_let_through(&machine, rm));
}

#[cfg(unix)]
#[test]
fn root_says_what_only_root_may() {
    use std::os::unix::fs::MetadataExt;
    let machine = machine();
    grants(&machine, "sudo");
    let rm = "rm notes.txt";
    let (id, _) = held(&machine, rm);
    let approve = machine.tollgate(&format!("approve {id} wrong-code-10"));
    if std::fs::metadata(machine.at("state")).unwrap().uid() != 0 {
        approve
            .status(1)
            .complains(&["needs root: sudo tollgate approve"])
            .run();
        return;
    }
    approve.shows(&["rm notes.txt", "granted:", &id]).run();
    assert!(is_let_through(&machine, rm));
    assert!(!is_let_through(&machine, rm), "once");
    // Another user cannot have said it.
    let (id, _) = held(&machine, rm);
    machine
        .tollgate(&format!("approve {id}"))
        .shows(&["granted:"])
        .run();
    for grant in std::fs::read_dir(machine.at("state/grants")).unwrap() {
        std::os::unix::fs::chown(grant.unwrap().path(), Some(1_000), None).unwrap();
    }
    assert!(!is_let_through(&machine, rm));
}

/// Answers one request with a status; what was sent.
fn serve(listener: &TcpListener, status: &str) -> Option<String> {
    let begin = Instant::now();
    let mut stream = loop {
        match listener.accept() {
            Ok((stream, _)) => break stream,
            Err(_) if begin.elapsed() > MESSAGE_TIME_MAX => return None,
            Err(_) => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    stream.set_nonblocking(false).unwrap();
    let text = request(&mut stream);
    write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    )
    .unwrap();
    Some(text)
}

/// A request with its whole body.
fn request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut part = [0; 4_096];
    loop {
        let count = stream.read(&mut part).unwrap();
        bytes.extend_from_slice(&part[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let length = text.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("content-length")
                .then(|| value.trim().parse::<usize>().unwrap())
        });
        let body = text.split_once("\r\n\r\n").map(|(_, body)| body.len());
        if count == 0 || body.is_some() && body >= length {
            return text;
        }
    }
}

#[test]
fn a_webhook_is_told_and_tried_again() {
    let machine = machine();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = format!("http://{}/held", listener.local_addr().unwrap());
    let config = format!("[approvals]\nwebhook = \"{address}\"\n");
    machine.write("home/.config/tollgate/config.toml", config);
    machine.tollgate("compile").shows(&[""]).run();
    let (id, code) = held(&machine, RESET);
    assert!(serve(&listener, "503 Busy").is_some());
    let text = serve(&listener, "204 No Content").unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /held HTTP/1.1"), "{head}");
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["id"], id);
    assert!(!code.is_empty() && !text.contains(&code), "{text}");
    assert_eq!(body["what"], RESET);
    assert_eq!(body["level"], "prompt");
    for field in ["why", "project", "session"] {
        assert!(!body[field].as_str().unwrap().is_empty(), "{field}: {body}");
    }
    assert!(body["ends"].as_u64() > body["asked"].as_u64());
    // What is asked again is no news.
    assert_eq!(call(&machine, RESET).status.code(), Some(2));
    std::thread::sleep(Duration::from_millis(300));
    assert!(listener.accept().is_err());
    let open = "[approvals]\nwebhook = \"http://example.test/held\"\n";
    machine.write("home/.config/tollgate/config.toml", open);
    let refused = machine.tollgate("rules test").status(1);
    refused
        .shows(&["would show what is asked to others on the way"])
        .run();
}

#[test]
fn who_says_yes_to_the_same_again_and_again_is_offered_a_rule() {
    let machine = machine();
    let yes = |text: &str| {
        machine.write("home/app/main.rs", text);
        let (id, code) = held(&machine, RESET);
        let approve = machine.tollgate(&format!("approve {id} {code}"));
        approve.shows(&["granted"]).run();
        assert!(is_let_through(&machine, RESET));
    };
    let list = || machine.tollgate("approvals").shows(&[RESET]).run();
    (0..2).for_each(|number| yes(&format!("work {number}\n")));
    assert!(!list().contains("make a rule?"));
    yes("work 3\n");
    let listed = list();
    let command = "tollgate rules new less-git-discard --instead-of git.discard --but-not \"git \
                   reset\"";
    let words = "you said yes 3 times in a row to `git reset` (git.discard); make a rule?";
    assert!(
        listed.contains(words) && listed.contains(command),
        "{listed}"
    );
    // Nothing was done by itself. What is offered is a rule that is read, once it is wanted.
    let line = command.trim_start_matches("tollgate ").replace('"', "'");
    machine
        .tollgate(&line)
        .shows(&["never about `git reset`", "off = [\"git.discard\"]"])
        .run();
    machine.tollgate("rules test").shows(&["1"]).run();
    machine.write("home/app/main.rs", "more work\n");
    assert!(!is_let_through(&machine, RESET), "the rule itself is on");
    let config = "[packs]\noff = [\"git.discard\"]\n";
    machine.write("home/.config/tollgate/config.toml", config);
    machine.write("home/app/main.rs", "other work\n");
    assert!(!is_let_through(&machine, "git checkout -- ."));
    assert!(is_let_through(&machine, RESET));
}

#[test]
fn what_was_said_yes_to_below_one_directory_is_offered_no_wider() {
    let machine = machine();
    for number in 0..3 {
        let command = format!("rm drafts/{number}.md");
        machine.write(&format!("home/app/drafts/{number}.md"), "only here\n");
        let (id, code) = held(&machine, &command);
        let approve = machine.tollgate(&format!("approve {id} {code}"));
        approve.shows(&["granted"]).run();
        assert!(is_let_through(&machine, &command));
    }
    let listed = machine.tollgate("approvals").shows(&[""]).run();
    assert!(listed.contains("to `rm` below drafts ("), "{listed}");
    let command = listed
        .lines()
        .find(|line| line.contains("rules new"))
        .unwrap();
    assert!(
        command.ends_with("--but-not \"rm\" --below \"drafts\""),
        "{command}"
    );
    let line = command
        .trim()
        .trim_start_matches("tollgate ")
        .replace('"', "");
    let made = machine.tollgate(&line);
    made.shows(&["never about `rm` below drafts"]).run();
    let rule = line
        .split(' ')
        .skip_while(|word| *word != "--instead-of")
        .nth(1);
    let config = format!("[packs]\noff = [\"{}\"]\n", rule.unwrap());
    machine.write("home/.config/tollgate/config.toml", config);
    machine.tollgate("rules test").shows(&[""]).run();
    machine.write("home/app/drafts/new.md", "only here\n");
    machine.write("home/app/notes/new.md", "only here\n");
    assert!(is_let_through(&machine, "rm drafts/new.md"));
    assert!(!is_let_through(&machine, "rm notes/new.md"));
    assert!(!is_let_through(
        &machine,
        "find drafts -name new.md -delete"
    ));
}
