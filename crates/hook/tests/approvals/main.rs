//! A human's yes, from the refusal to the call that runs once, through the real hook; and in
//! `attacks` the ways in which a worker could try to say it for them.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test that cannot go on must stop"
)]

mod attacks;
#[path = "../common/mod.rs"]
mod common;
mod host;

use std::ops::Deref;

use common::client::SESSION;
use common::{Answer, World, damage};
use host::Host;
use model::{GrantLevel, Session};
use serde_json::{Value, json};
use store::Store;
use work::approvals::{Approval, ApprovalState, Approvals};

/// What is held: a change that is in no commit would go.
const RESET: &str = "git reset --hard";

fn notice(answer: &Answer) -> String {
    let said: Value = serde_json::from_str(&answer.stdout).unwrap_or_default();
    said["systemMessage"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

fn context(answer: &Answer) -> String {
    let said: Value = serde_json::from_str(&answer.stdout).unwrap_or_default();
    let context = &said["hookSpecificOutput"]["additionalContext"];
    context.as_str().unwrap_or_default().to_owned()
}

fn session(world: &World) -> Session {
    let store = Store::open(&world.root.join("state")).unwrap();
    store.session(SESSION).unwrap().value
}

fn approvals(world: &World) -> Vec<Approval> {
    Approvals::of(&session(world)).list
}

fn approval(world: &World) -> Approval {
    approvals(world).last().unwrap().clone()
}

/// A repository in the middle of work.
fn world(name: &str) -> World {
    let mut world = World::new(name);
    world.build("repo .");
    world.build("dirty a.txt");
    world
}

/// A question with the code that the human was told: it stands nowhere else.
struct Asked {
    approval: Approval,
    code: String,
}

impl Deref for Asked {
    type Target = Approval;

    fn deref(&self) -> &Approval {
        &self.approval
    }
}

/// The question that a refusal became.
fn asked(answer: &Answer, world: &World) -> Asked {
    let approval = approval(world);
    let code = told(answer);
    assert!(approval.code.fits(&code), "{answer:?}");
    Asked { approval, code }
}

/// The code that a notice tells; empty if it tells none.
fn told(answer: &Answer) -> String {
    let notice = notice(answer);
    let last = notice.split_whitespace().next_back().unwrap_or_default();
    let is_code = work::approvals::is_code(last);
    if is_code {
        last.to_owned()
    } else {
        String::new()
    }
}

/// A refused call, and the code that only the human was told.
fn held(host: &mut Host, world: &World, command: &str) -> Asked {
    let answer = host.bash(world, command);
    assert_eq!(answer.level(), "deny", "{answer:?}");
    let asked = asked(&answer, world);
    let said = answer.reason() + &answer.stderr;
    assert!(said.contains(&asked.id), "{said}");
    assert!(!said.contains(&asked.code), "the worker was told: {said}");
    asked
}

fn ok(asked: &Asked) -> String {
    format!("tollgate ok {}", asked.code)
}

#[test]
fn the_human_says_yes_and_the_call_runs_once() {
    let world = world("yes");
    let mut host = Host::start(&world);
    let asked = held(&mut host, &world, RESET);
    assert_eq!(asked.needs, GrantLevel::Prompt);
    let said = host.prompt(&world, &ok(&asked));
    let expected = format!(
        "{} was approved once by the user; repeat the call.",
        asked.id
    );
    assert_eq!(context(&said), expected);
    assert!(
        notice(&said).contains("may run once: git reset --hard"),
        "{said:?}"
    );
    // Another description, other quoting: the same call.
    let run = host.bash_as(&world, "git  'reset' --hard", "toolu_run");
    assert_eq!(run.level(), "allow", "{run:?}");
    assert_eq!(approval(&world).state, ApprovalState::Spent);
    // The same hook, registered twice; and the host's own question about it.
    assert_eq!(
        host.bash_as(&world, "git  'reset' --hard", "toolu_run")
            .level(),
        "allow"
    );
    let permission = json!({"tool_name": "Bash", "tool_input": {"command": RESET}});
    let asks = host.event(&world, "PermissionRequest", permission);
    assert!(asks.stdout.is_empty(), "{asks:?}");
    // The same call again asks again.
    let again = held(&mut host, &world, RESET);
    assert!(again.id != asked.id && again.code != asked.code);
    let state = std::fs::read(world.root.join(format!("state/sessions/{SESSION}.st"))).unwrap();
    for code in [&asked.code, &again.code] {
        let is_kept = state
            .windows(code.len())
            .any(|part| part == code.as_bytes());
        assert!(!is_kept, "a code is in the state");
    }
    assert_eq!(again.state, ApprovalState::Pending);
    let old = host.prompt(&world, &ok(&asked));
    assert!(notice(&old).contains("spent already"), "{old:?}");
    assert_eq!(host.bash(&world, RESET).level(), "deny");
}

#[test]
fn a_worker_that_repeats_itself_hears_less() {
    let world = world("repeat");
    let mut host = Host::start(&world);
    let asked = held(&mut host, &world, RESET);
    let second = host.bash(&world, RESET);
    assert!(
        second
            .reason()
            .starts_with("Not run: the same call, the same answer. First: `"),
        "{second:?}"
    );
    let still = format!("{} waits for the code that you were shown.", asked.id);
    assert!(notice(&second).contains(&still), "{second:?}");
    assert!(
        !second.stdout.contains(&asked.code),
        "it is told once: {second:?}"
    );
    let third = host.bash(&world, RESET);
    let short = format!(
        "Not run: refused 3 times; stop trying this and ask the user; request {}. \
         [policy/git.discard]",
        asked.id
    );
    assert_eq!((third.reason(), notice(&third)), (short, String::new()));
    assert_eq!(approvals(&world).len(), 1);
    host.prompt(&world, &ok(&asked));
    assert_eq!(host.bash(&world, RESET).level(), "allow");
}

#[test]
fn a_refusal_takes_more_than_a_prompt() {
    let world = world("deny");
    let mut host = Host::start(&world);
    let answer = host.bash(&world, "rm -rf ~/");
    assert_eq!(answer.level(), "deny");
    let asked = asked(&answer, &world);
    assert_eq!(asked.needs, GrantLevel::Terminal);
    let way = format!(
        "in a terminal: tollgate approve {} {}",
        asked.id, asked.code
    );
    assert!(notice(&answer).contains(&way), "{answer:?}");
    let said = host.prompt(&world, &ok(&asked));
    assert!(
        notice(&said).contains("cannot be answered by a prompt"),
        "{said:?}"
    );
    assert_eq!(approval(&world).state, ApprovalState::Void);
    let own = host.bash(&world, "tollgate off --for 30m");
    assert!(own.stderr.contains("[self_protection/"), "{own:?}");
    assert!(
        !own.stderr.contains("request "),
        "nobody can lift it: {own:?}"
    );
    assert_eq!(approvals(&world).len(), 1);
}

#[test]
fn where_the_host_asks_nothing_is_made_but_if_codes_are_wanted() {
    let mut world = world("host-asks");
    let asks = json!({
        "tool_name": "Bash", "tool_input": {"command": RESET}, "tool_use_id": "toolu_asks",
        "permission_mode": "acceptEdits",
    });
    let mut host = Host::start(&world);
    assert_eq!(
        host.event(&world, "PreToolUse", asks.clone()).level(),
        "ask"
    );
    assert!(approvals(&world).is_empty());
    world.build("settings hosts.claude.ask = false");
    let mut asks = asks;
    asks["tool_use_id"] = "toolu_code".into();
    let answer = host.event(&world, "PreToolUse", asks);
    assert_eq!(answer.level(), "deny", "{answer:?}");
    assert!(notice(&answer).contains("type: tollgate ok "), "{answer:?}");
}

#[test]
fn reads_that_are_held_can_be_allowed_too() {
    let mut world = world("reads");
    world.build(
        "rules [[rule]]\\nid = \"secret\"\\nlevel = \"ask\"\\n\
         reason = \"{target} is secret\"\\n[rule.when]\\nverb = \"read\"\\n\
         name = [\"**/secret.txt\"]",
    );
    world.write("secret.txt", "x");
    let mut host = Host::start(&world);
    let read = |host: &mut Host, id: &str| {
        let input = json!({"file_path": world.cwd.join("secret.txt")});
        let call = json!({"tool_name": "Read", "tool_input": input, "tool_use_id": id});
        host.event(&world, "PreToolUse", call)
    };
    let asked = asked(&read(&mut host, "toolu_r1"), &world);
    host.prompt(&world, &ok(&asked));
    assert_eq!(read(&mut host, "toolu_r2").level(), "allow");
    assert_eq!(read(&mut host, "toolu_r3").level(), "deny");
}

#[test]
fn nobody_is_locked_out_by_a_fault() {
    let mut world = world("fault");
    world.build("settings approvals.minutes = 9");
    assert!(damage::damage(&world, "flipped bundle"));
    let mut host = Host::start(&world);
    let answer = host.bash(&world, "touch new.txt");
    let asked = asked(&answer, &world);
    let words = format!(", or ask the user; request {}. [fault/bundle]", asked.id);
    assert!(answer.reason().ends_with(&words), "{answer:?}");
    assert_eq!(asked.tag, "fault/bundle");
    assert_eq!(host.bash(&world, "touch other.txt").level(), "deny");
    host.prompt(&world, &ok(&asked));
    for command in ["touch new.txt", "touch other.txt", "touch more.txt"] {
        let answer = host.bash(&world, command);
        assert_eq!(answer.level(), "allow", "{answer:?}");
    }
    assert_eq!(
        host.bash(&world, RESET).level(),
        "deny",
        "a rule is no fault"
    );
}
