//! Calls of several sessions in several projects, all sent at once, and what must be true of the
//! answers and of what is kept, whatever is wrong with the machine.

use std::fs;
use std::ops::Range;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::World;
use crate::common::client::{self, Run};

/// How many hooks run at once.
pub const HOOKS: usize = 200;

/// Sessions that they belong to.
const SESSIONS: usize = 8;

/// Files in each project that git does not know.
const NOTES: usize = 20;

/// Projects that the sessions work in.
const PROJECTS: usize = 4;

/// What a machine that is busy with so many others takes to start a process and to let it end.
const BUSY_TIME_MAX: Duration = Duration::from_secs(6);

/// What must become of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It looks around.
    Reads,
    /// It does no harm. Only a failure that the table answers with a question may hold it.
    Harmless,
    /// It would destroy what exists nowhere else.
    Destroys,
    /// It is no call: nothing is stopped.
    Tells,
}

/// What is sent, over and over.
pub const CALLS: &[(&str, &str, Fate)] = &[
    ("PreToolUse", "Read", Fate::Reads),
    ("PreToolUse", "ls -la", Fate::Reads),
    ("PreToolUse", "git status", Fate::Reads),
    ("PreToolUse", "touch witness", Fate::Harmless),
    (
        "PreToolUse",
        "mkdir -p out && cp src/a.rs out/",
        Fate::Harmless,
    ),
    ("PreToolUse", "rm -rf notes", Fate::Destroys),
    ("PreToolUse", "git checkout -- .", Fate::Destroys),
    ("PreToolUse", "git reset --hard", Fate::Destroys),
    ("PreToolUse", "git clean -fd", Fate::Destroys),
    ("PreToolUse", "rm -rf ~/", Fate::Destroys),
    ("PostToolUse", "touch witness", Fate::Tells),
    ("UserPromptSubmit", "hello", Fate::Tells),
    ("Stop", "", Fate::Tells),
];

/// One event of the storm, with its answer.
#[derive(Debug)]
pub struct Sent {
    pub number: usize,
    pub event: &'static str,
    pub what: &'static str,
    pub fate: Fate,
    pub run: Run,
}

/// A world with several repositories in the middle of work.
pub fn ground(name: &str) -> World {
    let mut world = World::new(name);
    for number in 0..PROJECTS {
        world.cwd = project(&world, number);
        fs::create_dir_all(&world.cwd).unwrap();
        world.build("repo .");
        for line in ["tracked src/a.rs", "dirty src/b.rs", "dirty docs/guide.md"] {
            world.build(line);
        }
        for note in 0..NOTES {
            world.write(&format!("notes/{note}.md"), &format!("thought {note}\n"));
        }
    }
    allow_undo(&mut world);
    world
}

/// Has what is kept for undo be destroyed in one project.
pub fn allow_undo(world: &mut World) {
    world.cwd = project(world, UNDO_PROJECT);
    world.build("settings [undo]\nallow = true");
    world.cwd = project(world, 0);
}

/// In this project what is kept for undo may be destroyed.
const UNDO_PROJECT: usize = PROJECTS - 1;

pub fn project(world: &World, number: usize) -> PathBuf {
    world.root.join(format!("home/dev/p{number}"))
}

/// The id of a session.
fn session(number: usize) -> String {
    format!("00000000-0000-4000-8000-{number:012}")
}

/// What is sent as the `number`th event.
fn payload(world: &World, number: usize) -> Value {
    let (event, what, _) = CALLS[number % CALLS.len()];
    let project = project(world, number % PROJECTS);
    let mut payload = json!({
        "session_id": session(number % SESSIONS),
        "transcript_path": world.root.join("transcript.jsonl"),
        "cwd": project,
        "permission_mode": "default",
        "hook_event_name": event,
    });
    let more = match (event, what) {
        ("UserPromptSubmit", text) => json!({"prompt": format!("{text} {number}")}),
        ("Stop", _) => json!({"stop_hook_active": false}),
        (_, "Read") => json!({
            "tool_name": "Read",
            "tool_input": {"file_path": project.join("src/a.rs")},
            "tool_use_id": format!("toolu_{number}"),
        }),
        (_, command) => json!({
            "tool_name": "Bash",
            "tool_input": {"command": command},
            "tool_use_id": format!("toolu_{number}"),
        }),
    };
    let fields = payload.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    payload
}

/// Sends the `number`th event by the command that `hook` makes of the plain one.
pub fn send(world: &World, number: usize, hook: impl Fn(Command) -> Command) -> Sent {
    let (event, what, fate) = CALLS[number % CALLS.len()];
    let mut command = world.hook(event);
    command.current_dir(project(world, number % PROJECTS));
    let payload = payload(world, number);
    let run = client::send(&mut hook(command), payload.to_string().as_bytes());
    Sent {
        number,
        event,
        what,
        fate,
        run,
    }
}

/// Sends events at once.
pub fn storm(world: &World, numbers: Range<usize>) -> Vec<Sent> {
    std::thread::scope(|scope| {
        let runs: Vec<_> = numbers
            .map(|number| scope.spawn(move || send(world, number, |hook| hook)))
            .collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    })
}

/// The longest that an event may take, once it was read.
fn time_max(event: &str) -> Duration {
    Duration::from_millis(if event == "PreToolUse" { 1_500 } else { 800 })
}

/// How many calls that do no harm were held because the gate itself failed, or because there was no
/// time to look up what they would replace. A tool that reads never is; a shell command is known to
/// only read once it was judged.
pub fn check_answers(world: &World, sent: &[Sent]) -> usize {
    let mut held = 0;
    for one in sent {
        let outcome = one.run.outcome();
        assert!(one.run.is_readable(), "{one:?}");
        assert!(
            one.run.took < time_max(one.event) + BUSY_TIME_MAX,
            "{one:?}"
        );
        let runs = matches!(outcome, "-" | "adv");
        match one.fate {
            Fate::Destroys => assert!(!runs || is_kept(world, one), "destroyed: {one:?}"),
            Fate::Reads | Fate::Harmless if !runs && one.what != "Read" => {
                let words = one.run.words();
                let is_late = words.contains("was not looked up in time");
                assert!(is_late || words.contains("[fault/"), "{one:?}");
                held += 1;
            }
            Fate::Reads | Fate::Tells | Fate::Harmless => assert!(runs, "locked out: {one:?}"),
        }
    }
    held
}

/// Whether all that a call destroys was kept before, byte for byte.
fn is_kept(world: &World, one: &Sent) -> bool {
    if one.number % PROJECTS != UNDO_PROJECT || one.what.contains('~') {
        return false;
    }
    let store = world.store();
    let captures = store.captures(None).unwrap();
    assert!(captures.damaged.is_empty(), "{:?}", captures.damaged);
    let call = format!("toolu_{}", one.number);
    let mut found = captures.whole.iter();
    let Some(capture) = found.find(|capture| capture.call_id == call) else {
        return false;
    };
    assert!(one.run.words().contains(&capture.id), "{one:?}");
    let project = project(world, UNDO_PROJECT);
    let lost: Vec<PathBuf> = match one.what {
        "rm -rf notes" | "git clean -fd" => (0..NOTES)
            .map(|note| project.join(format!("notes/{note}.md")))
            .collect(),
        _ => ["src/b.rs", "docs/guide.md"]
            .map(|path| project.join(path))
            .into(),
    };
    capture.unsaved.is_empty()
        && lost.iter().all(|path| {
            let mut things = capture.things();
            let kept = things.find(|kept| kept.path == *path);
            let sum = kept.and_then(|kept| kept.kind.sum());
            sum.and_then(|sum| store.kept_bytes(sum).ok()) == fs::read(path).ok()
        })
}

/// How many calls were let through because all that they destroy was kept.
pub fn let_through(sent: &[Sent]) -> usize {
    let runs = |one: &&Sent| matches!(one.run.outcome(), "-" | "adv");
    let destroys = sent.iter().filter(|one| one.fate == Fate::Destroys);
    destroys.filter(runs).count()
}

/// Checks that what is kept is whole. Returns how many calls are remembered in all sessions.
pub fn check_records(world: &World) -> u64 {
    let (calls, repeated) = check_lines(world);
    assert_eq!(
        repeated, 0,
        "no hook was ended between a line and its record"
    );
    calls
}

/// The same where hooks may have been ended between a line and its record, and how often that was.
pub fn check_lines(world: &World) -> (u64, u64) {
    let store = world.store();
    let (mut calls, mut repeated) = (0, 0);
    for id in store.sessions().unwrap() {
        let loaded = store.session(&id).unwrap();
        assert_eq!(loaded.fault, None, "{id}");
        calls += loaded.value.calls;
        let report = store.verify(&id).unwrap();
        assert_eq!(report.damaged, 0, "{id}: {report:?}");
        repeated += report.repeated;
    }
    (calls, repeated)
}

/// Events that leave a line and are counted as calls.
pub fn counted(sent: &[Sent]) -> u64 {
    let counted = |one: &&Sent| one.event == "PreToolUse" && one.what != "Read";
    sent.iter().filter(counted).count() as u64
}

#[test]
fn two_hundred_at_once_lose_nothing_and_let_nothing_through() {
    let world = ground("load");
    let sent = storm(&world, 0..HOOKS);
    let slowest = sent.iter().map(|one| one.run.took).max().unwrap();
    let held = check_answers(&world, &sent);
    let kept = let_through(&sent);
    println!("{HOOKS} at once: slowest {slowest:?}, {held} calls held, {kept} kept for undo");
    assert!(kept > 0);
    assert_eq!(held, 0);
    let (calls, counted) = (check_records(&world), counted(&sent));
    // Who waits in vain for a lock has waited for long: the machine is too busy for so many.
    let waited = |one: &&Sent| one.run.took > Duration::from_millis(500);
    let waited = sent.iter().filter(waited).count();
    assert!(
        calls <= counted && calls + waited as u64 >= counted,
        "{calls} of {counted}"
    );
    let store = world.store();
    let lines: usize = store
        .sessions()
        .unwrap()
        .iter()
        .map(|id| {
            let report = store.verify(id).unwrap();
            assert!(report.gaps.is_empty(), "{report:?}");
            store.journal(id).unwrap().len()
        })
        .sum();
    // A quiet read leaves no line, and two stops of one session at once are one event.
    let silent = |one: &&Sent| one.what == "Read";
    let silent = sent.iter().filter(silent).count();
    let stops = sent.iter().filter(|one| one.event == "Stop").count();
    assert!(
        lines <= sent.len() - silent && lines >= sent.len() - silent - stops,
        "{lines}"
    );
}
