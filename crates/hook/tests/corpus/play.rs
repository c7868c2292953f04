//! One case played: its world is made, its calls are sent, and the last answer is held against
//! what it wants.

use std::fs;
use std::time::Duration;

use serde_json::{Value, json};

use crate::cases::{Case, Want};
use crate::common::World;
use crate::common::client::{self, Run};
use crate::common::damage;

/// The slowest answer: the longest deadline, and what a busy machine takes to start a process.
const ANSWER_TIME_MAX: Duration = Duration::from_millis(1_500 + 2_500);
/// Longest reason of a denial or question, in characters.
const REASON_MAX: usize = 400;

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Silence,
    Words,
    /// A human may say yes. A host without one at hand is told no, and how a yes is had.
    Question,
    Refusal,
}

/// An answer, and what is wrong with its form.
pub struct Outcome {
    pub level: Level,
    pub reason: String,
    /// No verdict excuses these.
    pub faults: Vec<String>,
    /// What a stop offers in the place of the call.
    pub way: Option<Way>,
}

/// What a stop offers in the place of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// A command, which the gate lets through in the same world.
    Command,
    /// Words alone.
    Words,
    /// Nothing but a human can help.
    Human,
}

impl Outcome {
    /// Whether it is what a case wants.
    pub fn fits(&self, want: Want) -> bool {
        let goes = matches!(self.level, Level::Silence | Level::Words);
        match want {
            Want::Deny => self.level == Level::Refusal,
            Want::Stop => !goes,
            Want::Pass => goes,
            Want::Silence => self.level == Level::Silence,
            Want::AskAtMost => self.level != Level::Refusal,
            Want::Any => true,
        }
    }
}

/// The world of a case, before its calls.
pub fn world(case: &Case) -> World {
    let mut world = match case.text("spoiled") {
        "" => World::new("corpus"),
        _ => damage::used_world("corpus"),
    };
    for line in &case.lines {
        world.build(line);
    }
    world
}

/// Plays a case in its world; `session` is the session of its calls.
pub fn play(case: &Case, world: &World, session: &str) -> Outcome {
    let spoiled = case.text("spoiled");
    if !spoiled.is_empty() {
        assert!(damage::damage(world, spoiled), "{}", case.id);
    }
    let steps = case.value["steps"].as_array();
    let steps = steps.map_or(std::slice::from_ref(&case.value), Vec::as_slice);
    let mut player = Player {
        case,
        world,
        session,
        calls: 0,
        faults: Vec::new(),
    };
    let mut last = (Level::Silence, String::new());
    for step in steps {
        let now = player.step(step);
        // All of the steps are to be silent, where one is.
        if case.want != Want::Silence || last.0 == Level::Silence {
            last = now;
        }
        // What rests on a step that did not run has nothing to show.
        let is_stopped = matches!(last.0, Level::Question | Level::Refusal);
        if case.value["runs"] == true && is_stopped {
            break;
        }
    }
    let is_stop = matches!(last.0, Level::Question | Level::Refusal);
    let way = is_stop.then(|| player.way(&last.1));
    damage::unmount(world);
    Outcome {
        level: last.0,
        reason: last.1,
        faults: player.faults,
        way,
    }
}

/// Plays another command in the place of a case's own.
pub fn command(case: &Case, world: &World, session: &str, command: &str) -> Outcome {
    let mut player = Player {
        case,
        world,
        session,
        calls: 0,
        faults: Vec::new(),
    };
    let (level, reason) = player.step(&json!({"command": command}));
    Outcome {
        level,
        reason,
        faults: player.faults,
        way: None,
    }
}

struct Player<'a> {
    case: &'a Case,
    world: &'a World,
    session: &'a str,
    calls: usize,
    faults: Vec<String>,
}

impl Player<'_> {
    /// Sends one call and does what it may do.
    fn step(&mut self, step: &Value) -> (Level, String) {
        let event = self.event(step);
        self.calls += 1;
        let run = self.send(&event, &self.bytes(step, &event));
        let level = level(&run);
        if step["tool"] == "Write" && matches!(level, Level::Silence | Level::Words) {
            let input = self.mapped(&step["input"]);
            let path = self.world.path(input["file_path"].as_str().unwrap());
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, input["content"].as_str().unwrap()).unwrap();
            self.end(step);
        }
        let command = step["command"].as_str();
        let runs = self.case.value["runs"] == true;
        if let (true, Some(command), Level::Silence | Level::Words) = (runs, command, level) {
            self.world.carry_out(command);
            self.end(step);
        }
        let root = self.world.root.to_str().unwrap();
        let reason = reason(&run).replace(root, "");
        if reason.chars().count() > REASON_MAX && level != Level::Words {
            self.faults.push(format!("a long reason: {reason}"));
        }
        (level, reason)
    }

    /// Tells that a call has ended.
    fn end(&mut self, step: &Value) {
        let after = self.call(step, "PostToolUse");
        self.send("PostToolUse", after.to_string().as_bytes());
    }

    /// What a stop offers; a command goes through the gate in its turn, and must pass.
    fn way(&mut self, reason: &str) -> Way {
        let Some(command) = gates::command_in(reason) else {
            let is_human = reason.contains("nly the user can");
            return if is_human { Way::Human } else { Way::Words };
        };
        let input = self.mapped(&json!({"command": command}));
        let call = json!({
            "session_id": self.session,
            "tool_name": "Bash",
            "tool_input": input,
            "tool_use_id": "toolu_way",
        });
        let mut payload = client::payload(self.world, "PreToolUse", call);
        if let Some(cwd) = self.case.value["payload"]["cwd"].as_str() {
            payload["cwd"] = self.world.map(cwd).into();
        }
        let run = client::send(
            &mut self.world.hook_of("claude", "PreToolUse"),
            payload.to_string().as_bytes(),
        );
        if matches!(level(&run), Level::Question | Level::Refusal) {
            let said = self::reason(&run);
            self.faults
                .push(format!("no way forward: {command}: {said}"));
        }
        Way::Command
    }

    fn event(&self, step: &Value) -> String {
        let event = step["event"].as_str();
        let event = event.or(self.case.value["event"].as_str());
        event.unwrap_or("PreToolUse").to_owned()
    }

    fn send(&mut self, event: &str, bytes: &[u8]) -> Run {
        let host = self.case.value["host"].as_str().unwrap_or("claude");
        let mut hook = self.world.hook_of(host, event);
        // Which programs this machine has says nothing about a case.
        hook.env_remove("PATH");
        let run = client::send(&mut hook, bytes);
        if !run.is_readable() || !matches!(run.answer.code, 0 | 2) {
            self.faults.push(format!("no answer: {run:?}"));
        }
        if run.took > ANSWER_TIME_MAX {
            self.faults.push(format!("slow: {:?}", run.took));
        }
        run
    }

    /// What arrives at the hook.
    fn bytes(&self, step: &Value, event: &str) -> Vec<u8> {
        if let Some(hex) = step["hex"].as_str() {
            let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
            return (0..hex.len()).step_by(2).map(byte).collect();
        }
        if let Some(text) = step["text"].as_str() {
            return self.world.map(text).into_bytes();
        }
        match step.get("payload") {
            Some(payload) => self.mapped(payload).to_string().into_bytes(),
            None => self.call(step, event).to_string().into_bytes(),
        }
    }

    /// The payload of a call.
    fn call(&self, step: &Value, event: &str) -> Value {
        let (tool, input) = match step["command"].as_str() {
            Some(command) => ("Bash", json!({"command": self.filled(step, command)})),
            None => (step["tool"].as_str().unwrap(), step["input"].clone()),
        };
        let mut call = json!({
            "session_id": self.session,
            "tool_name": tool,
            "tool_input": self.mapped(&input),
            "tool_use_id": format!("toolu_{}", self.calls),
        });
        for (field, key) in [
            ("permission_mode", "mode"),
            ("agent_id", "agent"),
            ("agent_type", "agent_type"),
        ] {
            if let Some(text) = self.case.value[key].as_str() {
                call[field] = text.into();
            }
        }
        if event == "PostToolUse" {
            call["tool_response"] = json!({});
        }
        client::payload(self.world, event, call)
    }

    /// A command with its filler, which would be too long for a line of the corpus.
    fn filled(&self, step: &Value, command: &str) -> String {
        let filler = &step["filler"];
        let text = filler["text"].as_str().unwrap_or_default();
        let times = usize::try_from(filler["times"].as_u64().unwrap_or_default()).unwrap();
        match text {
            "" => command.to_owned(),
            _ => command.replace("{filler}", &text.repeat(times)),
        }
    }

    fn mapped(&self, value: &Value) -> Value {
        serde_json::from_str(&self.world.map(&value.to_string())).unwrap()
    }
}

/// The part of an answer that this kind of event has, and the text in it.
fn part(run: &Run, key: &str) -> Option<String> {
    let said: Value = serde_json::from_str(&run.answer.stdout).ok()?;
    let inner = said["hookSpecificOutput"][key].as_str();
    inner.or(said[key].as_str()).map(str::to_owned)
}

/// Whether a host is told in so many words not to run the call (Cline's `cancel`).
fn is_cancelled(run: &Run) -> bool {
    let said: Option<Value> = serde_json::from_str(&run.answer.stdout).ok();
    said.is_some_and(|said| said["cancel"] == true)
}

fn level(run: &Run) -> Level {
    let decision = part(run, "permissionDecision").or_else(|| part(run, "decision"));
    let decision = decision.or_else(|| is_cancelled(run).then(|| "deny".to_owned()));
    let asks = || reason(run).to_lowercase().contains("ask the user");
    match (decision.as_deref(), run.answer.code) {
        (Some("ask"), 0) => Level::Question,
        (Some("deny" | "block"), _) | (None, 2) if asks() => Level::Question,
        (Some("deny" | "block"), _) | (None, 2) => Level::Refusal,
        _ if run.answer.stdout.is_empty() => Level::Silence,
        _ => Level::Words,
    }
}

fn reason(run: &Run) -> String {
    let keys = [
        "permissionDecisionReason",
        "reason",
        "additionalContext",
        "errorMessage",
    ];
    let said = keys.iter().find_map(|key| part(run, key));
    said.unwrap_or_else(|| run.answer.stderr.clone())
}
