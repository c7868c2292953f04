//! Messages: what agents and people leave each other, as files that survive everything.

use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use model::{Binding, Effect};
use serde_json::Value;
use store::Store;

use crate::common::{Machine, SESSION, files};

/// Binds this test's process, which starts all commands, as the host of a session.
fn bind(machine: &Machine) {
    machine.init();
    machine.bash("true");
    let own = edge::processes::look(std::process::id().into()).unwrap();
    let host = Binding {
        process: own.number,
        start: own.start,
        nested: false,
    };
    let store = Store::open(&machine.at("state")).unwrap();
    store.remember_host(host).unwrap();
    store.note_said(SESSION, &[Effect::Bound(host)]).unwrap();
}

fn message_files(machine: &Machine) -> Vec<(PathBuf, Vec<u8>)> {
    let all = files(&machine.at("home/app/.tollgate"));
    let is_one = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "jsonl");
    all.into_iter().filter(|(path, _)| is_one(path)).collect()
}

fn id(out: &str) -> String {
    assert_eq!(out.trim().len(), 26, "{out}");
    out.trim().to_owned()
}

#[test]
fn messages_are_posted_read_and_answered_by_topic() {
    let machine = Machine::new();
    let tollgate = |line: &str| machine.tollgate(line);
    tollgate("msg read").shows(&["no messages"]).run();
    let first = id(&tollgate("msg post build/linux 'needs make 4'")
        .shows(&["0"])
        .run());
    let post = tollgate("msg post build - --meta '{\"files\":[\"a\"]}'");
    post.stdin("two\nlines").shows(&["0"]).run();
    tollgate("msg post plan 'elsewhere'").shows(&["0"]).run();
    // Enough of an id is enough.
    let end = &first[18..];
    let answer = tollgate(&format!("msg reply {end} 'it is there'")).json();
    assert_eq!(
        (&answer[0]["re"], &answer[0]["topic"]),
        (&Value::from(&*first), &"build/linux".into())
    );
    let read = tollgate("msg read build");
    read.shows(&[
        "build/linux",
        "needs make 4",
        "build",
        "two\n",
        "lines",
        "answers",
        "it is there",
    ])
    .run();
    let bodies = |line: &str| -> Vec<String> {
        let all = tollgate(line).json();
        all.iter()
            .map(|one| one["body"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        bodies("msg read build"),
        ["needs make 4", "two\nlines", "it is there"]
    );
    assert_eq!(bodies("msg read build --exact"), ["two\nlines"]);
    assert_eq!(bodies("msg read --limit 2"), ["elsewhere", "it is there"]);
    assert_eq!(bodies(&format!("msg read --since {first}")).len(), 3);
    assert_eq!(bodies("msg read build --since 1h").len(), 3);
    tollgate("msg read --since 2999-01-01")
        .shows(&["no messages"])
        .run();
    tollgate("msg topics")
        .shows(&["build", "1 message", "build/linux", "2 messages", "plan"])
        .run();
    tollgate("msg search linux").shows(&["needs make 4"]).run();
    tollgate("msg doctor")
        .shows(&["4 messages in 3 files, all whole"])
        .run();
    let odd = tollgate("msg post 'a b' x").status(1);
    odd.complains(&["is no topic", "letters, digits"]).run();
    tollgate("msg post a ''")
        .status(1)
        .complains(&["says something"])
        .run();
    tollgate("msg reply zzzz x")
        .status(1)
        .complains(&["there is no message zzzz"])
        .run();
    tollgate("msg read --since soon")
        .status(1)
        .complains(&["is no time", "2h"])
        .run();
}

#[test]
fn who_wrote_is_what_the_system_shows() {
    let machine = Machine::new();
    // Whatever the environment claims.
    let claims = machine
        .tollgate("msg post a 'as nobody'")
        .env("CLAUDE_CODE_SESSION_ID", SESSION);
    let nobody = claims.json();
    assert_eq!(
        (&nobody[0]["role"], nobody[0].get("session")),
        (&"program".into(), None)
    );
    bind(&machine);
    let worker = machine.tollgate("msg post a 'as worker'").json();
    let worker = &worker[0];
    assert_eq!(
        (&worker["agent"], &worker["role"]),
        (&"claude".into(), &"worker".into())
    );
    assert_eq!(worker["session"], SESSION);
    let other =
        machine.tollgate("msg post a 'still' --meta '{\"session\":\"x\",\"role\":\"gate\"}'");
    let other = other.env("CLAUDE_CODE_SESSION_ID", "someone-else").json();
    assert_eq!(
        (&other[0]["session"], &other[0]["role"]),
        (&SESSION.into(), &"worker".into())
    );
    let read = machine.tollgate("msg read a");
    read.shows(&["(a program)", "claude (worker, session 5e55104e)"])
        .run();
    // Each writes to a file of its own.
    assert_eq!(message_files(&machine).len(), 2);
}

#[test]
fn a_person_is_shown_as_a_person() {
    let machine = Machine::new();
    let said = machine.at("home/said");
    let post = format!("{} msg post a hello", machine.at("bin/tollgate").display());
    let mut script = std::process::Command::new("script");
    script
        .args(["-qec", &post, said.to_str().unwrap()])
        .current_dir(machine.at("home/app"));
    script
        .env("HOME", machine.at("home"))
        .env("TOLLGATE_HOME", machine.at("state"));
    for host in hosts::HOSTS {
        for mark in host.marks {
            script.env_remove(mark.split('=').next().unwrap());
        }
    }
    script.env("USER", "ann").stdin(std::process::Stdio::null());
    assert!(script.output().unwrap().status.success());
    machine
        .tollgate("msg read a")
        .shows(&["a ann (a person)", "hello"])
        .run();
}

#[test]
fn verdicts_are_posted_by_nobody_else() {
    let machine = Machine::new();
    for topic in ["review:x", "review:x/y"] {
        let post = machine
            .tollgate(&format!("msg post {topic} approved"))
            .status(1);
        post.complains(&["holds verdicts that tollgate writes itself", "review/notes"])
            .run();
    }
    let board = board::Board::at(&edge::surroundings::place(
        machine.at("home/app").to_str().unwrap(),
    ));
    let posted = board
        .post_review(SESSION, "approved: all well", serde_json::Map::new())
        .unwrap();
    let read = machine.tollgate(&format!("msg read review:{SESSION}"));
    read.shows(&["review:", "tollgate,", "approved: all well"])
        .run();
    // Nor is a file written to in another way, and git goes on as ever.
    for (command, status, shown) in [
        (
            "check 'echo x >> .tollgate/messages/a/x.jsonl'",
            4,
            "belongs to tollgate",
        ),
        ("check 'rm -r .tollgate/messages'", 4, "belongs to tollgate"),
        (
            "check 'git add .tollgate && git commit -m messages && git pull --rebase'",
            0,
            "let through",
        ),
        (
            "check 'tollgate msg post a b; tollgate work ready'",
            0,
            "let through",
        ),
    ] {
        machine
            .tollgate(command)
            .status(status)
            .shows(&[shown])
            .run();
    }
    // Answering it would be posting there.
    let reply = machine
        .tollgate(&format!("msg reply {} 'no'", posted.id))
        .status(1);
    reply.complains(&["tollgate writes itself"]).run();
}

#[test]
fn what_would_deceive_a_terminal_is_shown_and_long_bodies_are_kept_whole() {
    let machine = Machine::new();
    let post = machine
        .tollgate("msg post a")
        .arg("x\u{1b}[2J\u{202e}y")
        .shows(&["0"]);
    post.run();
    machine
        .tollgate("msg read a")
        .shows(&["x\\u{1b}[2J\\u{202e}y"])
        .run();
    let long = "word and ".repeat(20_000);
    machine
        .tollgate("msg post big -")
        .stdin(&long)
        .shows(&["0"])
        .run();
    let kept = machine.tollgate("msg read big").json();
    assert_eq!(kept[0]["body"], *long);
    let sha256 = kept[0]["attachment"]["sha256"].as_str().unwrap();
    let file = format!("home/app/.tollgate/attachments/{sha256}");
    assert_eq!(machine.read(&file), long);
    machine.write(&file, "something else");
    let doctor = machine.tollgate("msg doctor").status(1);
    doctor.shows(&["is not what was attached"]).run();
    let huge = "x".repeat(8 * 1024 * 1024 + 1);
    let post = machine.tollgate("msg post big -").stdin(huge).status(1);
    post.complains(&["longer than 8388608 bytes"]).run();
}

#[test]
fn files_that_a_merge_or_a_crash_spoiled_lose_nothing_else() {
    let machine = Machine::new();
    for text in ["one", "two", "three"] {
        machine
            .tollgate(&format!("msg post a {text}"))
            .shows(&["0"])
            .run();
    }
    let (path, bytes) = message_files(&machine).remove(0);
    let text = String::from_utf8(bytes).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let spoiled = format!(
        "<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs\n{}\n{{\"id\":\"01",
        lines[0], lines[0], lines[2]
    );
    fs::write(&path, spoiled).unwrap();
    let read = machine.tollgate("msg read a");
    read.shows(&["one", "three"])
        .complains(&["4 lines could not be read"])
        .run();
    let doctor = machine.tollgate("msg doctor").status(1);
    let parts = [
        "line 1 is left of a merge",
        "line 3 is left",
        "line 5 is left",
        "line 7 is cut off",
        "lines 2–2 of its writer are missing",
    ];
    doctor.shows(&parts).run();
    // Who writes next ends the torn line, and a writer that was renamed is read all the same.
    machine.tollgate("msg post a four").shows(&["0"]).run();
    fs::rename(&path, path.with_file_name("somebody.jsonl")).unwrap();
    let read = machine.tollgate("msg read a");
    read.shows(&["one", "three", "four"])
        .complains(&["could not be read"])
        .run();
}

#[test]
fn what_a_commit_holds_is_never_written_to_again() {
    let machine = Machine::new();
    let post = |text: &str| {
        machine
            .tollgate(&format!("msg post a {text}"))
            .shows(&["0"])
            .run()
    };
    post("one");
    post("two");
    assert_eq!(message_files(&machine).len(), 1);
    let before = message_files(&machine);
    machine.git(&["add", "."]);
    machine.git(&["commit", "-qm", "messages"]);
    post("three");
    let after = message_files(&machine);
    assert!(after.len() == 2 && after.contains(&before[0]));
    // Another commit that does not hold the new file changes nothing.
    machine.write("home/app/other", "x");
    machine.git(&["add", "other"]);
    machine.git(&["commit", "-qm", "other"]);
    post("four");
    assert_eq!(message_files(&machine).len(), 2);
}

#[test]
fn posts_are_committed_where_a_person_wants_it_and_nothing_else_is() {
    let machine = Machine::new();
    machine.make_dirty();
    machine.git(&["config", "user.name", "Dev"]);
    machine.git(&["config", "user.email", "dev@example.test"]);
    machine.write("home/app/staged", "x");
    machine.git(&["add", "staged"]);
    let status = || {
        let mut git = std::process::Command::new("git");
        let git = git
            .args(["status", "--porcelain"])
            .current_dir(machine.at("home/app"));
        String::from_utf8(git.output().unwrap().stdout).unwrap()
    };
    machine.tollgate("msg post a one").shows(&["0"]).run();
    assert!(status().contains("?? .tollgate/"));
    machine.write(
        "home/.config/tollgate/config.toml",
        "[messages]\ncommit = true\n",
    );
    machine.tollgate("msg post a two").shows(&["0"]).run();
    assert_eq!(status(), " M main.rs\nA  staged\n".to_owned());
    // Not in the middle of something.
    machine.write("home/app/.git/MERGE_HEAD", "");
    let post = machine.tollgate("msg post a three").shows(&["0"]);
    post.complains(&["posted; not committed, because a merge is under way"])
        .run();
    fs::remove_file(machine.at("home/app/.git/MERGE_HEAD")).unwrap();
    assert!(status().contains("?? .tollgate/messages/a/"));
    // A person's own hook may refuse; the message stands.
    machine.script(
        "home/app/.git/hooks/pre-commit",
        "echo not today >&2; exit 1",
    );
    let post = machine.tollgate("msg post a four").shows(&["0"]);
    post.complains(&["posted; not committed: git commit refused: not today"])
        .run();
    machine
        .tollgate("msg read a")
        .shows(&["one", "two", "three", "four"])
        .run();
}

#[test]
fn whoever_watches_hears_of_new_ones_until_the_awaited_comes() {
    let machine = Machine::new();
    let asked = id(&machine
        .tollgate("msg post a 'who knows?'")
        .shows(&["0"])
        .run());
    let watch = machine.tollgate(&format!("msg watch a --until {asked} --timeout 60s --json"));
    let mut child = watch.start();
    std::thread::sleep(Duration::from_millis(300));
    machine
        .tollgate("msg post b 'not here'")
        .shows(&["0"])
        .run();
    machine
        .tollgate("msg post a/b 'not yet'")
        .shows(&["0"])
        .run();
    machine
        .tollgate(&format!("msg reply {asked} 'I do'"))
        .shows(&["0"])
        .run();
    assert!(child.wait().unwrap().success());
    let mut out = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut out)
        .unwrap();
    let bodies: Vec<String> = out
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["body"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(bodies, ["not yet", "I do"]);
    let watch = machine
        .tollgate("msg watch --until never --timeout 1s")
        .status(1);
    watch.run();
}

/// What is told to bring something back, done.
fn bring_back(machine: &Machine, told: &str) {
    let command = told.split('`').nth(1).expect("a command");
    let command = command.replace("[ROOT]", machine.root.to_str().unwrap());
    let done = Command::new("sh")
        .args(["-c", &command])
        .current_dir(machine.at("home/app"))
        .status()
        .unwrap();
    assert!(done.success(), "{command}");
}

#[test]
fn what_a_merge_cut_off_is_told_and_comes_back() {
    let machine = Machine::new();
    for number in 1..=5 {
        machine
            .tollgate(&format!("msg post a 'message {number}'"))
            .shows(&["0"])
            .run();
        machine
            .tollgate(&format!("work create 'item {number}'"))
            .shows(&["tg-"])
            .run();
    }
    machine.git(&["add", "-A"]);
    machine.git(&["commit", "-q", "-m", "more"]);
    machine
        .tollgate("msg doctor")
        .shows(&["5 messages in 1 file, all whole"])
        .run();
    machine
        .tollgate("work doctor")
        .shows(&["5 work items, all whole"])
        .run();
    // Whole lines are gone at the end: no line is torn, and no number between others is missing.
    for folder in ["messages", "work"] {
        let (path, bytes) = files(&machine.at("home/app/.tollgate").join(folder)).remove(0);
        let text = String::from_utf8(bytes).unwrap();
        let kept: Vec<&str> = text.split_inclusive('\n').take(2).collect();
        fs::write(path, kept.concat()).unwrap();
    }
    machine.git(&["commit", "-q", "-a", "-m", "a bad merge"]);
    for line in ["msg doctor", "work doctor"] {
        let told = machine.tollgate(line).status(1);
        let told = told
            .shows(&[
                "git has seen it with 5 records, of which 3 are nowhere now",
                "git show",
            ])
            .run();
        bring_back(&machine, &told);
        machine.tollgate(line).shows(&["all whole"]).run();
    }
    assert_eq!(machine.tollgate("msg read a").json().len(), 5);
    assert_eq!(machine.tollgate("work list").json().len(), 5);
}

#[test]
fn files_that_a_merge_left_out_are_told() {
    let machine = Machine::new();
    machine.git(&["commit", "-q", "--allow-empty", "-m", "begin"]);
    machine.git(&["checkout", "-q", "-b", "side"]);
    machine
        .tollgate("msg post a 'of the side'")
        .shows(&["0"])
        .run();
    machine.git(&["add", "-A"]);
    machine.git(&["commit", "-q", "-m", "side"]);
    machine.git(&["checkout", "-q", "-"]);
    machine.git(&["commit", "-q", "--allow-empty", "-m", "here"]);
    machine.tollgate("msg doctor").shows(&["all whole"]).run();
    machine.git(&["merge", "-q", "-s", "ours", "side"]);
    let doctor = machine.tollgate("msg doctor").status(1);
    let told = doctor.shows(&["1 record, of which 1 is nowhere now"]).run();
    bring_back(&machine, &told);
    machine.tollgate("msg read a").shows(&["of the side"]).run();
}

#[test]
fn an_answer_tells_of_what_is_gone() {
    let machine = Machine::new();
    let post = |line: &str| {
        let id = machine.tollgate(line).shows(&["0"]).run();
        id.trim().to_owned()
    };
    let gone = post("msg post a 'what was asked'");
    let (path, bytes) = message_files(&machine).remove(0);
    machine.git(&["add", "-A"]);
    let answer = post(&format!("msg reply {gone} 'what was said'"));
    machine.tollgate("msg doctor").shows(&["all whole"]).run();
    fs::write(&path, "").unwrap();
    let doctor = machine.tollgate("msg doctor").status(1);
    doctor
        .shows(&[&answer, "answers", &gone, "which is not here"])
        .run();
    fs::write(&path, bytes).unwrap();
    machine.tollgate("msg doctor").shows(&["all whole"]).run();
}
