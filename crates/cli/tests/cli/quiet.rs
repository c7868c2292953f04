//! It speaks when it helps: what is told with a prompt, and in a session of ninety calls, counted by
//! a real tokenizer. `cargo test -p tollgate --test cli quiet -- --nocapture` prints the figures
//! that stand in `docs/profiles.md`.

use std::fs;
use std::io::Write;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use serde_json::{Value, json};
use tiktoken_rs::CoreBPE;

use super::common::{Machine, SESSION};
use super::discipline::{Session, context, is_denied, machine, said};

static TOKENIZER: LazyLock<CoreBPE> = LazyLock::new(|| tiktoken_rs::o200k_base().unwrap());

fn tokens(text: &str) -> usize {
    TOKENIZER.encode_ordinary(text).len()
}

/// Whether this process plays the host, whose verdicts count; else one is started for the same test.
fn is_host(test: &str) -> bool {
    if std::env::var_os("PLAYS_HOST").is_some() {
        return true;
    }
    let mut host = Command::new(std::env::current_exe().unwrap());
    host.args(["--exact", test, "--nocapture"])
        .env("PLAYS_HOST", "1");
    let out = host.env_remove("CLAUDECODE").output().unwrap();
    let said = String::from_utf8_lossy(&out.stdout) + String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success() && said.contains("1 passed"), "{said}");
    said.lines()
        .filter(|line| line.contains("calls"))
        .for_each(|line| println!("{line}"));
    false
}

/// A worker that does what it is told, and all that it was told.
struct Worker<'m> {
    machine: &'m Machine,
    told: Vec<String>,
    calls: usize,
    checks: usize,
    refusals: usize,
    unlifted: Vec<String>,
}

impl Worker<'_> {
    fn event(&mut self, name: &str, more: Value) -> Output {
        let mut payload = json!({
            "session_id": SESSION, "cwd": self.machine.at("home/app"),
            "permission_mode": "default", "hook_event_name": name,
        });
        payload
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let (ours, theirs) = UnixStream::pair().unwrap();
        let mut hook = self.machine.hook_command(name);
        hook.stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = hook.spawn().unwrap();
        drop(hook);
        let _ = (&ours).write_all(payload.to_string().as_bytes());
        let _ = ours.shutdown(Shutdown::Write);
        let out = child.wait_with_output().unwrap();
        let told = context(&out);
        self.told.extend(told.lines().map(str::to_owned));
        out
    }

    fn call(&mut self, event: &str, tool: &str, input: &Value) -> Output {
        let id = format!("toolu_quiet_{}", self.calls);
        let more = json!({"tool_name": tool, "tool_input": input, "tool_use_id": id,
            "tool_response": {}});
        self.event(event, more)
    }

    /// One call, with what its refusals ask for.
    fn act(&mut self, tool: &str, input: &Value) {
        self.calls += 1;
        for _ in 0..3 {
            let out = self.call("PreToolUse", tool, input);
            if !is_denied(&out) {
                self.call("PostToolUse", tool, input);
                return;
            }
            let why = said(&out)["hookSpecificOutput"]["permissionDecisionReason"].clone();
            let why = why.as_str().unwrap().to_owned();
            self.refusals += 1;
            self.calls += 1000;
            self.obey(&why);
            self.told.push(why);
        }
        self.unlifted.extend(self.told.last().cloned());
    }

    /// Starts the helper that a refusal names, and lets it answer.
    fn obey(&mut self, why: &str) {
        let start = why.split_once("Start Agent(subagent_type: \"");
        let Some((kind, _)) = start.and_then(|(_, rest)| rest.split_once('"')) else {
            return;
        };
        let kind = kind.to_owned();
        let input = json!({"subagent_type": kind, "description": "d", "prompt": "p"});
        let out = self.call("PreToolUse", "Agent", &input);
        let written = said(&out)["hookSpecificOutput"]["updatedInput"].clone();
        let prompt = written["prompt"].as_str().unwrap_or_default().to_owned();
        let agent = format!("a{}", self.calls);
        self.event(
            "SubagentStart",
            json!({"agent_id": agent, "agent_type": kind}),
        );
        let last = if kind.ends_with("compliance") {
            self.checks += 1;
            let (_, rest) = prompt.split_once("### VERDICT: OK ").unwrap();
            format!("### VERDICT: OK {}", rest.lines().next().unwrap())
        } else {
            "Gate: none\nPre-work: none\nApproach: direct\nSkill(s): none".to_owned()
        };
        let path = self.machine.at("agent.jsonl");
        let line = json!({"type": "user", "message": {"role": "user", "content": prompt}});
        fs::write(&path, format!("{line}\n")).unwrap();
        let ends = json!({"agent_id": agent, "agent_type": kind, "stop_hook_active": false,
            "agent_transcript_path": path, "last_assistant_message": last});
        self.event("SubagentStop", ends);
        self.call("PostToolUse", "Agent", &input);
    }

    /// Ninety calls for six prompts: test, read, edit in turn.
    fn day(&mut self) {
        self.event("SessionStart", json!({"source": "startup"}));
        for prompt in [
            "Always run the tests before you commit. Then add a --json flag to main.rs",
            "yes, go on",
            "It fails: thread 'main' panicked at src/main.rs:3:5",
            "thanks, looks good",
            "rename the flag to --lines and say so in README.md",
            "commit it",
        ] {
            self.event("UserPromptSubmit", json!({"prompt": prompt}));
            for number in 0..5 {
                let path = self
                    .machine
                    .at("home/app")
                    .join(format!("src/part{number}.rs"));
                self.act("Bash", &json!({"command": "cargo test"}));
                self.act("Read", &json!({"file_path": path}));
                let edit = json!({"file_path": path, "content": "x\n"});
                self.act("Write", &edit);
            }
            self.event("Stop", json!({"stop_hook_active": false}));
        }
    }
}

fn played<'m>(machine: &'m Machine) -> Worker<'m> {
    let mut worker = Worker {
        machine,
        told: Vec::new(),
        calls: 0,
        checks: 0,
        refusals: 0,
        unlifted: Vec::new(),
    };
    worker.day();
    worker
}

/// The row of `docs/profiles.md` that says this.
fn is_documented(row: &str) {
    println!("{row}");
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/profiles.md");
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains(row), "docs/profiles.md does not say: {row}");
}

#[test]
fn a_coached_session_of_ninety_calls_is_told_little_and_nothing_twice() {
    if !is_host("quiet::a_coached_session_of_ninety_calls_is_told_little_and_nothing_twice") {
        return;
    }
    let machine = machine("coach", "");
    let worker = played(&machine);
    let all = worker.told.join("\n");
    assert_eq!((worker.refusals, worker.checks), (0, 0), "{all}");
    let mut lines = worker.told.clone();
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), worker.told.len(), "{all}");
    for part in [
        "quote it exactly",
        "Always run the tests before you commit.",
    ] {
        assert!(all.contains(part), "{part}: {all}");
    }
    assert!(tokens(&all) <= 400, "{} tokens: {all}", tokens(&all));
    let (lines, tokens) = (worker.told.len(), tokens(&all));
    is_documented(&format!(
        "| `coach` | 90 calls | {lines} lines, {tokens} tokens | 0 | 0 |"
    ));
}

fn disciplined(count: &str, settings: &str) -> usize {
    let machine = machine("discipline", settings);
    let worker = played(&machine);
    assert_eq!(worker.unlifted, Vec::<String>::new());
    let all = worker.told.join("\n");
    let (lines, refusals, checks) = (worker.told.len(), worker.refusals, worker.checks);
    assert!(
        tokens(&all) < 400 * (checks + 4),
        "{} tokens: {all}",
        tokens(&all)
    );
    is_documented(&format!(
        "| `discipline`, {count} | 90 calls | {lines} lines | {refusals} | {checks} |"
    ));
    checks
}

#[test]
fn a_disciplined_session_of_ninety_calls_is_checked_by_changes() {
    if is_host("quiet::a_disciplined_session_of_ninety_calls_is_checked_by_changes") {
        let checks = disciplined(
            "20 changes",
            "[compliance]\nafter = 20\ncount = \"changes\"\n",
        );
        assert!((1..=5).contains(&checks), "{checks}");
    }
}

#[test]
fn a_disciplined_session_of_ninety_calls_is_checked_by_calls() {
    if is_host("quiet::a_disciplined_session_of_ninety_calls_is_checked_by_calls") {
        let checks = disciplined("7 calls", "");
        assert!((10..=13).contains(&checks), "{checks}");
    }
}

#[test]
fn all_that_is_told_with_a_prompt_is_150_tokens() {
    let machine = machine("discipline", "");
    machine.write("home/app/a-long-name-of-a-file-that-is-not-saved.rs", "x");
    let session = Session {
        machine: &machine,
        id: SESSION,
    };
    for prompt in [
        "Always use tabs. We decided to use SQLite. I prefer small commits. Fix the parser, which \
         fails: thread 'main' panicked at src/parser.rs:3:5",
        "It fails again: Traceback (most recent call last) in the other one",
        "and the third: Segmentation fault in cargo test with clippy",
    ] {
        let told = context(&session.prompt(prompt));
        assert!(told.contains("Agent(subagent_type"), "{told}");
        assert!(tokens(&told) <= 150, "{} tokens: {told}", tokens(&told));
        session.event("Stop", json!({"stop_hook_active": false}));
    }
}

#[test]
fn what_the_worker_hears_of_an_answer_is_150_tokens() {
    let machine = machine("discipline", "");
    machine.write(
        "home/.claude/skills/rust-dev/SKILL.md",
        "---\nname: rust-dev\n---\n",
    );
    let session = Session {
        machine: &machine,
        id: SESSION,
    };
    session.prompt("Rewrite the parser in main.rs and the build, which fails");
    session.spawns("tollgate:prompt-hydrator");
    let mut helper = json!({"agent_id": "h1", "agent_type": "tollgate:prompt-hydrator"});
    session.event("SubagentStart", helper.clone());
    helper["last_assistant_message"] = "Gate: plan-mode\nPre-work: verify-first\nApproach: tdd\n\
        Skill(s): rust-dev, wizardry\nGuardrails: follow_literally, criteria_gate, be_nice"
        .into();
    session.event("SubagentStop", helper);
    let told = context(&session.reads());
    assert!(told.contains("Load the skill rust-dev first."), "{told}");
    assert!(tokens(&told) <= 150, "{} tokens: {told}", tokens(&told));
    let kept = session.kept("hydration");
    assert_eq!(kept["active_skill"], "rust-dev", "{kept}");
}
