//! `doctor --coverage`: calls that the host's transcripts know and the journal does not, with the
//! reason where it can be seen.

use std::fs;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::common::{Machine, SESSION, SETTINGS};

/// A call of a past session.
struct Call<'a> {
    id: &'a str,
    tool: &'a str,
    input: Value,
    /// How the client begins its result; empty for a call that never ended.
    result: &'a str,
}

/// A shell command that ran.
fn bash<'a>(id: &'a str, command: &str) -> Call<'a> {
    Call {
        id,
        tool: "Bash",
        input: json!({"command": command}),
        result: "done",
    }
}

/// What the client writes down about calls, some seconds ago.
fn transcript(machine: &Machine, name: &str, dir: &str, calls: &[Call<'_>]) -> String {
    transcript_of(machine, (name, "2.1.332"), dir, calls)
}

fn transcript_of(
    machine: &Machine,
    (name, version): (&str, &str),
    dir: &str,
    calls: &[Call<'_>],
) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    // A helper works after the call that started it.
    let is_helper = name.contains('/');
    let now = now + Duration::from_secs(u64::from(is_helper));
    let mut lines = Vec::new();
    for call in calls {
        let line = |kind: &str, block: Value| {
            json!({"type": kind, "sessionId": name, "cwd": machine.at(dir), "version": version,
                "timestamp": timestamp(now), "message": {"content": [block]}})
            .to_string()
        };
        let asked = json!({"type": "tool_use", "id": call.id, "name": call.tool,
            "input": call.input});
        lines.push(line("assistant", asked));
        if !call.result.is_empty() {
            let said = json!({"type": "tool_result", "tool_use_id": call.id,
                "content": call.result});
            lines.push(line("user", said));
        }
    }
    let path = format!("home/.claude/projects/x/{name}.jsonl");
    machine.write(&path, lines.join("\n") + "\n");
    path
}

/// As the client spells a time; today is all that matters.
fn timestamp(time: Duration) -> String {
    let out = std::process::Command::new("date")
        .args(["-u", "+%Y-%m-%dT%H:%M:%S.999Z", "-d"])
        .arg(format!("@{}", time.as_secs()))
        .output()
        .unwrap();
    String::from_utf8(out.stdout).unwrap().trim().to_owned()
}

/// The hook judges this call of the session.
fn judged(machine: &Machine, id: &str, command: &str) {
    let mut payload = machine.payload(command);
    payload["tool_use_id"] = json!(id);
    machine.hook("PreToolUse", &payload);
}

/// A machine that was gated a while ago.
fn gated() -> Machine {
    let machine = Machine::new();
    machine.init();
    let old = SystemTime::now() - Duration::from_secs(600);
    let file = fs::File::open(machine.at(SETTINGS)).unwrap();
    file.set_modified(old).unwrap();
    machine
}

/// A session in the project whose one call nobody judged.
pub fn transcript_of_one_call(machine: &Machine) {
    transcript(machine, "s1", "home/app", &[bash("t1", "touch a")]);
}

#[test]
fn every_call_was_judged() {
    let machine = gated();
    let calls = [
        bash("t1", "touch a"),
        bash("t2", "git status"),
        Call {
            tool: "Read",
            input: json!({"file_path": "/etc/hosts"}),
            ..bash("t3", "")
        },
        Call {
            result: "<tool_use_error>String to replace not found in file.",
            tool: "Edit",
            input: json!({"file_path": "/x", "old_string": "a", "new_string": "b"}),
            ..bash("t4", "")
        },
        Call {
            result: "",
            ..bash("t5", "sleep 100")
        },
    ];
    transcript(&machine, SESSION, "home/app", &calls);
    for (id, command) in [("t1", "touch a"), ("t2", "git status")] {
        judged(&machine, id, command);
    }
    let status = machine.tollgate("status");
    status
        .shows(&["coverage", "not counted yet: tollgate doctor --coverage"])
        .run();
    let doctor = machine.tollgate("doctor --coverage");
    doctor
        .shows(&[
            "good     claude in ~/app: 2 calls, 2 seen\n",
            "The last 24 hours: 2 calls, 2 judged, 0 missed, 0 while the gate was not up.",
        ])
        .run();
    let status = machine.tollgate("status");
    status
        .shows(&["2 calls that change something: 2 judged, 0 missed, "])
        .run();
}

#[test]
fn a_session_without_hooks_is_noticed() {
    let machine = gated();
    let calls = [
        bash("t1", "touch a"),
        bash("t2", "rm -rf build"),
        bash("t3", "git push"),
    ];
    transcript(&machine, "bare", "home/app", &calls);
    let parent = [Call {
        tool: "Write",
        input: json!({"file_path": "/x/y", "content": "z"}),
        ..bash("t4", "")
    }];
    // A helper's transcript lies below its session's.
    transcript(&machine, "bare/subagents/agent-1", "home/app/sub", &parent);
    transcript(&machine, SESSION, "home/app", &[bash("t5", "touch b")]);
    judged(&machine, "t5", "touch b");
    let doctor = machine.tollgate("doctor --coverage").status(1);
    doctor
        .shows(&[
            "broken   claude in ~/app: 5 calls, 1 seen, 4 missed\n",
            "first 20",
            "touch a\n",
            "last  20",
            "write /x/y\n",
            "why: 2 sessions never asked the hook: Claude Code was started with --bare",
            "fix: start it without that, or sudo tollgate init --scope managed",
            "5 calls, 1 judged, 4 missed, 0 while",
        ])
        .run();
    let found = machine.tollgate("doctor --coverage").status(1).json();
    assert_eq!(found.len(), 1);
    let found = &found[0];
    assert_eq!((&found["calls"], &found["missed"]), (&json!(5), &json!(4)));
    assert_eq!(found["first"]["call"], "touch a");
    let status = machine.tollgate("status");
    status
        .shows(&[
            "broken",
            "4 calls not judged. claude: 5 calls in ~/app, 1 seen: 2 sessions",
        ])
        .shows(&["1 judged, 4 missed"])
        .run();
}

#[test]
fn the_next_session_hears_of_it_once() {
    let machine = gated();
    let start = || {
        let payload = json!({"session_id": SESSION, "cwd": machine.at("home/app"),
            "hook_event_name": "SessionStart", "source": "startup"});
        let out = machine.hook("SessionStart", &payload);
        String::from_utf8(out.stdout).unwrap()
    };
    transcript(&machine, "bare", "home/app", &[bash("t1", "touch a")]);
    assert_eq!(start(), "", "nothing is known yet");
    // That start has begun a count, which ends by itself.
    let end = SystemTime::now() + Duration::from_secs(60);
    while !machine.at("state/coverage").exists() {
        assert!(SystemTime::now() < end, "the count never ended");
        std::thread::sleep(Duration::from_millis(20));
    }
    let told = start();
    let words: Value = serde_json::from_str(&told).expect("one JSON object");
    let words = words["systemMessage"].as_str().unwrap();
    assert!(
        words.starts_with("tollgate: 1 call was not judged. claude: 1 call in "),
        "{words}"
    );
    assert_eq!(start(), "", "once is enough");
    let asked = fs::read_to_string(machine.at("state/coverage.asked")).unwrap();
    start();
    let again = fs::read_to_string(machine.at("state/coverage.asked")).unwrap();
    assert_eq!(asked, again, "once a day is enough");
}

#[test]
fn what_was_meant_is_explained() {
    let machine = Machine::new();
    transcript(&machine, "before", "home/app", &[bash("t1", "touch a")]);
    let never = machine.tollgate("doctor --coverage");
    never
        .shows(&["claude in ~/app: 1 call, 0 seen, 1 while not installed"])
        .run();
    // Times are kept in seconds by the transcript.
    std::thread::sleep(Duration::from_millis(1_100));
    machine.init();
    let off = machine.tollgate("off --for 30m --reason lunch");
    off.shows(&["off: nothing is judged"]).run();
    std::thread::sleep(Duration::from_millis(1_100));
    transcript(&machine, "off", "home/app", &[bash("t2", "touch b")]);
    std::thread::sleep(Duration::from_millis(1_100));
    machine.tollgate("on").shows(&["on: every call"]).run();
    machine
        .tollgate("uninstall")
        .shows(&["no longer gated", "stays"])
        .run();
    std::thread::sleep(Duration::from_millis(1_100));
    transcript(&machine, "after", "home/app", &[bash("t3", "touch c")]);
    let doctor = machine.tollgate("doctor --coverage");
    doctor
        .shows(&[
            "good     claude in ~/app: 3 calls, 0 seen, 1 while switched off, 2 while not installed",
            "warning  the gate was switched off from 20",
            " lunch\n",
            "3 calls, 0 judged, 0 missed, 3 while the gate was not up.",
        ])
        .run();
}

/// Something that keeps the hook from being asked, and what coverage says about it.
struct Planted {
    plant: fn(&Machine),
    /// Where the session was started.
    dir: &'static str,
    version: &'static str,
    found: &'static [&'static str],
}

const PLANTED: &[Planted] = &[
    Planted {
        plant: |machine| {
            let text = "{\n\"disableAllHooks\": true}";
            machine.write("home/app/.claude/settings.json", text);
        },
        dir: "home/app",
        version: "2.1.332",
        found: &[
            "why: ~/app/.claude/settings.json: line 2: all hooks are switched off",
            "fix: take out what line 2 says",
        ],
    },
    Planted {
        plant: |machine| fs::remove_file(machine.at(SETTINGS)).unwrap(),
        dir: "home/app",
        version: "2.1.332",
        found: &[
            "why: no settings file of Claude Code names the hook",
            "fix: tollgate init --agent claude",
        ],
    },
    Planted {
        plant: |machine| {
            let (user, project) = (machine.read(SETTINGS), "home/app/.claude/settings.json");
            fs::remove_file(machine.at(SETTINGS)).unwrap();
            machine.write(project, user);
        },
        dir: "home/app/sub",
        version: "2.1.332",
        found: &[
            "why: it was started in ~/app/sub, and ~/app/.claude/settings.json counts only",
            "fix: tollgate init --scope user",
        ],
    },
    Planted {
        plant: |machine| machine.script("state/bin/tollgate-hook", "exit 0"),
        dir: "home/app",
        version: "2.1.332",
        found: &["why: the registered hook let `rm -rf ~/` through: exit 0 and not a word"],
    },
    Planted {
        plant: |_| {},
        dir: "home/app",
        version: "2.1.197",
        found: &[
            "why: Claude Code 2.1.197 lets calls through if the hook fails or is late",
            "fix: update it, or tollgate init --through-shell",
        ],
    },
    Planted {
        plant: |machine| {
            fs::remove_dir_all(machine.at("state/journal")).unwrap();
            machine.write("state/journal", "");
        },
        dir: "home/app",
        version: "2.1.332",
        found: &[
            "why: calls may have been judged and not noted:",
            "fix: tollgate doctor",
        ],
    },
];

#[test]
fn the_reason_is_found() {
    for planted in PLANTED {
        let machine = gated();
        (planted.plant)(&machine);
        let calls = [bash("t1", "touch a")];
        transcript_of(&machine, ("s1", planted.version), planted.dir, &calls);
        let doctor = machine.tollgate("doctor --coverage").status(1);
        doctor
            .shows(&["1 call, 0 seen, 1 missed"])
            .shows(planted.found)
            .run();
    }
}
