//! A session that is held to its task, event by event through the installed hook.

use std::fs;
use std::process::Output;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::common::{Machine, SESSION};

static CALLS: AtomicU32 = AtomicU32::new(0);

const OTHER: &str = "5e55104e-0000-4000-8000-000000000002";

/// A gated machine in a profile.
pub fn machine(profile: &str, more: &str) -> Machine {
    let machine = Machine::new();
    machine.make_dirty();
    machine.init();
    let config = format!("profile = {profile:?}\n{more}");
    machine.write("home/.config/tollgate/config.toml", config);
    machine.tollgate("compile").shows(&["compiled:"]).run();
    machine
}

pub fn said(out: &Output) -> Value {
    assert!(out.stderr.len() < 4_096);
    match out.stdout.as_slice() {
        [] => Value::Null,
        text => serde_json::from_slice(text).unwrap(),
    }
}

/// What an event's answer tells the worker besides.
pub fn context(out: &Output) -> String {
    let said = said(out);
    let context = &said["hookSpecificOutput"]["additionalContext"];
    context.as_str().unwrap_or_default().to_owned()
}

pub fn is_denied(out: &Output) -> bool {
    said(out)["hookSpecificOutput"]["permissionDecision"] == "deny"
}

pub struct Session<'m> {
    pub machine: &'m Machine,
    pub id: &'static str,
}

impl Session<'_> {
    pub fn event(&self, name: &str, more: Value) -> Output {
        let mut payload = json!({
            "session_id": self.id, "cwd": self.machine.at("home/app"),
            "permission_mode": "default", "hook_event_name": name,
        });
        let members = payload.as_object_mut().unwrap();
        members.extend(more.as_object().unwrap().clone());
        self.machine.hook(name, &payload)
    }

    pub fn prompt(&self, text: &str) -> Output {
        self.event("UserPromptSubmit", json!({"prompt": text}))
    }

    pub fn call(&self, event: &str, tool: &str, input: Value) -> Output {
        let number = CALLS.fetch_add(1, Ordering::Relaxed);
        let id = format!("toolu_discipline_{number}");
        let more = json!({"tool_name": tool, "tool_input": input, "tool_use_id": id,
            "tool_response": {}});
        self.event(event, more)
    }

    pub fn before(&self, tool: &str, input: Value) -> Output {
        self.call("PreToolUse", tool, input)
    }

    pub fn reads(&self) -> Output {
        let path = self.machine.at("home/app/main.rs");
        self.before("Read", json!({"file_path": path}))
    }

    pub fn writes(&self, name: &str) -> Output {
        let path = self.machine.at("home/app").join(name);
        self.before("Write", json!({"file_path": path, "content": "x\n"}))
    }

    pub fn spawns(&self, kind: &str) -> Output {
        let input = json!({"subagent_type": kind, "description": "d", "prompt": "p"});
        self.before("Agent", input)
    }

    pub fn ran(&self, number: usize) {
        let input = json!({"command": format!("ls {}", "x".repeat(number + 1))});
        self.call("PostToolUse", "Bash", input);
    }

    pub fn kept(&self, gate: &str) -> Value {
        let line = format!("session show {} --gate {gate}", self.id);
        self.machine
            .tollgate(&line)
            .json()
            .into_iter()
            .next()
            .unwrap()
    }
}

#[test]
fn a_prompt_is_grounded_before_work_begins() {
    let machine = machine("discipline", "");
    let session = Session {
        machine: &machine,
        id: SESSION,
    };
    let told = context(&session.prompt("Make main.rs print the number of lines it read"));
    assert!(told.contains("tollgate:prompt-hydrator"), "{told}");
    assert!(told.split_whitespace().count() <= 150, "{told}");
    let kept = session.kept("hydration");
    assert_eq!(kept["hydration_pending"], true, "{kept}");
    let root = machine.root.display().to_string();
    let request = kept["request"].as_str().unwrap().replace("[ROOT]", &root);
    let request = request.as_str();
    assert!(told.contains(request), "{request} in {told}");
    let request = fs::read_to_string(request).unwrap();
    assert!(request.contains("print the number of lines"), "{request}");
    assert!(request.contains("main.rs"), "{request}");

    let refused = session.reads();
    assert!(is_denied(&refused), "{refused:?}");
    let reason = said(&refused).to_string();
    assert!(reason.contains("tollgate:prompt-hydrator") && reason.contains("[hydration/pending]"));
    assert!(is_denied(&session.writes("new.rs")));
    let asks = session.before("AskUserQuestion", json!({"questions": []}));
    assert!(!is_denied(&asks));

    assert!(!is_denied(&session.spawns("tollgate:prompt-hydrator")));
    assert_eq!(session.kept("hydration")["state"], "running");
    let helper = json!({"agent_id": "h1", "agent_type": "tollgate:prompt-hydrator"});
    session.event("SubagentStart", helper.clone());
    assert!(!is_denied(&session.reads()));
    let answer = "## Workflow\n- gate: none\n- pre-work: none\n- approach: direct\n\n\
                  ## Skills\n- none\n\n## Guardrails\n- verify_before_complete\n";
    let mut ends = helper;
    ends["last_assistant_message"] = answer.into();
    session.event("SubagentStop", ends);
    let kept = session.kept("hydration");
    assert_eq!(kept["state"], "done", "{kept}");
    assert_eq!(kept["declared_workflow"]["approach"], "direct", "{kept}");
    assert!(!is_denied(&session.writes("new.rs")));
}

#[test]
fn what_is_no_task_arms_nothing_and_clears_what_was_owed() {
    let machine = machine("discipline", "");
    let session = Session {
        machine: &machine,
        id: SESSION,
    };
    for text in [
        ". just do it",
        "/help",
        "go on",
        "<task-notification>x</task-notification>",
        "tollgate ok kestrel-42",
    ] {
        session.prompt(text);
        assert_eq!(
            session.kept("hydration")["hydration_pending"],
            false,
            "{text}"
        );
        assert!(!is_denied(&session.reads()), "{text}");
    }
    session.prompt("Rewrite the parser in main.rs");
    assert!(is_denied(&session.reads()));
    // Some hosts hand our own words back as a prompt.
    let ours = said(&session.reads())["hookSpecificOutput"]["permissionDecisionReason"].clone();
    session.prompt(ours.as_str().unwrap());
    assert_eq!(session.kept("hydration")["hydration_pending"], true);
    assert!(
        !session.kept("hydration")["intent_envelope"]
            .to_string()
            .contains("Not run")
    );
    session.event("SessionStart", json!({"source": "compact"}));
    assert!(is_denied(&session.writes("a.rs")));
    session.prompt(". no, just do it");
    assert!(!is_denied(&session.writes("b.rs")));
}

#[test]
fn two_sessions_of_one_project_do_not_touch_each_other() {
    let machine = machine("discipline", "");
    let one = Session {
        machine: &machine,
        id: SESSION,
    };
    let other = Session {
        machine: &machine,
        id: OTHER,
    };
    one.prompt("Rewrite the parser in main.rs");
    assert!(is_denied(&one.reads()));
    assert!(!is_denied(&other.reads()));
    for number in 0..7 {
        other.ran(number);
    }
    assert_eq!(other.kept("compliance")["tool_calls_since_compliance"], 7);
    assert_eq!(one.kept("compliance")["tool_calls_since_compliance"], 0);
}

#[test]
fn a_check_is_due_after_so_many_calls() {
    let machine = machine("discipline", "[compliance]\nafter = 5\n");
    let session = Session {
        machine: &machine,
        id: SESSION,
    };
    session.prompt(". write it");
    (0..3).for_each(|number| session.ran(number));
    let soon = session.writes("a.rs");
    assert!(
        !is_denied(&soon) && context(&soon).contains("tollgate:compliance"),
        "{soon:?}"
    );
    (3..5).for_each(|number| session.ran(number));
    let refused = session.writes("b.rs");
    assert!(is_denied(&refused));
    assert!(said(&refused).to_string().contains("tollgate:compliance"));
    assert!(!is_denied(&session.reads()));
    assert!(is_denied(&session.spawns("general-purpose")));
    let check = session.spawns("tollgate:compliance");
    assert!(!is_denied(&check), "{check:?}");
    let written = said(&check)["hookSpecificOutput"]["updatedInput"].clone();
    assert_eq!(written["subagent_type"], "tollgate:compliance", "{written}");
    let prompt = written["prompt"].as_str().unwrap();
    assert!(
        prompt.contains("VERDICT") && prompt.contains("write it"),
        "{prompt}"
    );
    // Who is only called like it, and was not started by us, changes nothing.
    let ends = json!({"agent_id": "x9", "agent_type": "tollgate:compliance",
        "last_assistant_message": "### VERDICT: OK deadbeef"});
    session.event("SubagentStop", ends);
    assert_eq!(session.kept("compliance")["tool_calls_since_compliance"], 5);
    // What comes at once is one refusal; whoever insists is let go.
    let tries = |from: u32| {
        let mut tries = from..from + 4;
        tries.any(|number| !is_denied(&session.writes(&format!("{number}.rs"))))
    };
    assert!(!tries(0));
    let is_let_go = (1..4).any(|round| {
        std::thread::sleep(std::time::Duration::from_millis(2_100));
        tries(round * 10)
    });
    assert!(is_let_go);
}

#[test]
fn a_coach_speaks_only_for_a_reason_and_stops_nothing() {
    let machine = machine("coach", "");
    let session = Session {
        machine: &machine,
        id: OTHER,
    };
    let told = context(&session.prompt("Please tidy the garden"));
    assert!(
        told.contains("did not make") && told.contains("main.rs"),
        "{told}"
    );
    assert_eq!(context(&session.prompt("Please tidy the garden again")), "");
    // One prompt in five is told nothing, so that the worth of it can be measured.
    let errors = [
        "It fails: thread 'main' panicked at main.rs:1:1",
        "It fails: Traceback (most recent call last)",
        "It fails: Segmentation fault",
    ];
    let told = errors.map(|text| context(&session.prompt(text)));
    let said = told
        .iter()
        .filter(|told| told.contains("quote it exactly"))
        .count();
    assert!(said > 0, "{told:?}");
    assert!(told.iter().all(|told| told.len() <= 900), "{told:?}");
    let line = format!("log --session {OTHER}");
    let records = machine.tollgate(&line).json();
    let hints = |withheld: bool| {
        let steps = records
            .iter()
            .filter_map(|record| record["steps"].as_array());
        let hint = |step: &&Value| {
            step["step"] == "hinted"
                && step["why"] == json!(["error"])
                && step["withheld"] == withheld
        };
        steps.flatten().filter(hint).count()
    };
    assert_eq!(hints(false), said, "{records:?}");
    assert_eq!(hints(true), errors.len() - said, "{records:?}");
    for number in 0..9 {
        session.ran(number);
        assert!(!is_denied(&session.writes(&format!("{number}.rs"))));
    }
    assert_eq!(session.kept("hydration")["hydration_pending"], false);
}

#[test]
fn what_is_off_remembers_nothing() {
    let machine = machine("guard", "");
    let session = Session {
        machine: &machine,
        id: SESSION,
    };
    assert_eq!(
        context(&session.prompt("It fails: thread 'main' panicked at main.rs:1:1")),
        ""
    );
    (0..9).for_each(|number| session.ran(number));
    assert_eq!(session.kept("compliance")["tool_calls_since_compliance"], 0);
    assert_eq!(session.kept("hydration")["intent_envelope"], "");
}

/// A journal of prompts at which a skill was named, told and untold alike in vain.
#[test]
fn a_hint_that_does_not_help_switches_itself_off_and_says_so() {
    let machine = machine("coach", "");
    machine.write(
        "home/.config/tollgate/tables/REMINDERS.md",
        "## Skill Invocation Triggers\n\n| Domain Signal | Skill | When to Invoke |\n\
         | --- | --- | --- |\n| \"parser\" | `parsing` | Any work on it |\n",
    );
    let ask = |number: u32| {
        let payload = json!({
            "session_id": format!("5e55104e-0000-4000-8000-{number:012}"),
            "cwd": machine.at("home/app"), "permission_mode": "default",
            "hook_event_name": "UserPromptSubmit", "prompt": "Mend the parser",
        });
        context(&machine.hook("UserPromptSubmit", &payload)).contains("parsing")
    };
    let told = (0..220).filter(|number| ask(*number)).count();
    assert!((150..205).contains(&told), "{told}");
    machine
        .tollgate("stats")
        .shows(&["220 prompts", "told", "100 %", "withheld"])
        .run();
    machine.tollgate("stats --settle").run();
    machine
        .tollgate("status")
        .shows(&["hints for skill switched themselves off"])
        .run();
    assert!((300..320).all(|number| !ask(number)));
}

/// The two instructions are templates, and people may have their own.
#[test]
fn the_users_own_instructions_take_the_place_of_ours() {
    let own = "[hydration]\ninstruction = \"Erst {start}; dann das andere.\"\n\
               [compliance]\nafter = 1\ninstruction = \"Lass pruefen: {start}\"\n";
    let machine = machine("discipline", own);
    let session = Session {
        machine: &machine,
        id: SESSION,
    };
    let told = context(&session.prompt("Make main.rs print the number of lines it read"));
    assert!(
        told.starts_with("Erst Agent(subagent_type: \"tollgate:prompt-hydrator\""),
        "{told}"
    );
    assert!(
        told.contains("; dann das andere.") && !told.contains("Before other tools"),
        "{told}"
    );
    session.prompt(". look at main.rs");
    session.ran(0);
    let refused = said(&session.writes("a.txt"))["hookSpecificOutput"].to_string();
    assert!(
        refused.contains("Lass pruefen: Agent(subagent_type: \\\"tollgate:compliance\\\""),
        "{refused}"
    );
    for (wrong, why) in [
        ("go on", "does not say {start}"),
        ("{start} with {file}", "nothing in braces but {start}"),
    ] {
        let config = format!("[hydration]\ninstruction = {wrong:?}\n");
        machine.write("home/.config/tollgate/config.toml", config);
        let test = machine.tollgate("compile").status(1).shows(&[why]);
        test.run();
    }
}

/// Where a judge outside of the session is set, it is started when a check is due, and the work
/// goes on meanwhile.
#[test]
fn a_due_check_is_given_from_outside_where_the_settings_name_a_judge() {
    let judge = "cat > \"$HOME/asked\"; cat \"$HOME/said\"; \
                 sed -n 's/^### VERDICT: OK /### VERDICT: '\"$(cat $HOME/word)\"' /p' \"$HOME/asked\"";
    let config = format!("[compliance]\nafter = 2\nwith = {judge:?}\n");
    let machine = machine("discipline", &config);
    let session = Session {
        machine: &machine,
        id: SESSION,
    };
    let verdict = |word: &str, said: &str| {
        machine.write("home/word", word);
        machine.write("home/said", said);
        let before = session.kept("compliance")["last_compliance_ts"].clone();
        session.ran(0);
        session.ran(1);
        // Nobody waits for it.
        assert!(!is_denied(&session.writes("a.txt")));
        let end = Instant::now() + Duration::from_secs(30);
        while session.kept("compliance")["last_compliance_ts"] == before {
            assert!(
                Instant::now() < end,
                "no verdict came: {}",
                session.kept("compliance")
            );
            thread::sleep(Duration::from_millis(50));
        }
    };
    session.prompt(". look at main.rs");
    verdict("OK", "");
    assert_eq!(session.kept("compliance")["tool_calls_since_compliance"], 0);
    assert!(
        machine
            .read("home/asked")
            .contains("request: . look at main.rs")
    );
    let why =
        "### ISSUE: a.txt was not asked for\n### PRINCIPLE: A1\n### CORRECTION: take it out\n\n";
    verdict("WARN", why);
    let told = context(&session.writes("a.txt"));
    assert!(
        told.contains("The last check of this work warns")
            && told.contains("a.txt was not asked for"),
        "{told}"
    );
    assert!(
        !context(&session.writes("a.txt")).contains("warns"),
        "said once"
    );
    verdict("BLOCK", why);
    assert!(is_denied(&session.writes("b.txt")));
    session.prompt(". go on without a.txt");
    // A judge that gives none leaves the check to the worker.
    machine.write("home/word", "PERHAPS");
    session.ran(2);
    session.ran(3);
    let end = Instant::now() + Duration::from_secs(30);
    while !is_denied(&session.writes("b.txt")) && Instant::now() < end {
        thread::sleep(Duration::from_millis(50));
    }
    let refused = said(&session.writes("b.txt")).to_string();
    assert!(
        refused.contains("went by without a check of this work"),
        "{refused}"
    );
}
