//! A host that plays calls and how they end.

use serde_json::{Value, json};

use crate::common::*;

/// A host that plays calls of one session after another.
pub struct Player<'m> {
    machine: &'m Machine,
    session: String,
    calls: u32,
}

impl<'m> Player<'m> {
    pub fn new(machine: &'m Machine, session: &str) -> Self {
        let player = Self {
            machine,
            session: session.to_owned(),
            calls: 0,
        };
        player.send("SessionStart", &json!({"source": "startup"}));
        player
    }

    fn send(&self, event: &str, more: &Value) -> String {
        let said = self.said(event, more);
        let context = &said["additionalContext"];
        context.as_str().unwrap_or_default().to_owned()
    }

    fn said(&self, event: &str, more: &Value) -> Value {
        let mut payload = json!({
            "session_id": self.session, "cwd": self.machine.at("home/app"),
            "permission_mode": "default", "hook_event_name": event,
        });
        let fields = payload.as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
        let out = self.machine.hook(event, &payload);
        // 2 is a refusal.
        assert!(matches!(out.status.code(), Some(0 | 2)), "{out:?}");
        let said: Value = serde_json::from_slice(&out.stdout).unwrap_or_default();
        said["hookSpecificOutput"].clone()
    }

    fn call(&self, command: &str) -> Value {
        let id = format!("{}-{}", self.session, self.calls);
        json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": id})
    }

    /// What the worker is told before a command.
    pub fn before(&mut self, command: &str) -> String {
        self.calls += 1;
        self.send("PreToolUse", &self.call(command))
    }

    /// The answer to a command: `deny`, `ask` or nothing, and why.
    pub fn judged(&mut self, command: &str) -> (String, String) {
        self.calls += 1;
        let said = self.said("PreToolUse", &self.call(command));
        let text = |key: &str| said[key].as_str().unwrap_or_default().to_owned();
        (
            text("permissionDecision"),
            [text("permissionDecisionReason"), text("additionalContext")].concat(),
        )
    }

    /// A file is written.
    pub fn writes(&mut self, path: &str) {
        self.calls += 1;
        let id = format!("{}-{}", self.session, self.calls);
        let path = self.machine.at("home/app").join(path);
        let mut payload = json!({"tool_name": "Write", "tool_use_id": id,
            "tool_input": {"file_path": path, "content": "new"}});
        self.send("PreToolUse", &payload);
        payload["tool_response"] = json!({"filePath": path});
        self.send("PostToolUse", &payload);
    }

    /// The session ends.
    pub fn ends(&self) {
        self.send("SessionEnd", &json!({"reason": "exit"}));
    }

    /// A command fails; what was told before it.
    pub fn fails(&mut self, command: &str, error: &str) -> String {
        let told = self.before(command);
        let mut payload = self.call(command);
        payload["error"] = error.into();
        payload["duration_ms"] = 1_500.into();
        self.send("PostToolUseFailure", &payload);
        told
    }

    /// A command goes well; what was told before it.
    pub fn works(&mut self, command: &str) -> String {
        let told = self.before(command);
        let mut payload = self.call(command);
        payload["tool_response"] = json!({"stdout": "fine", "stderr": ""});
        self.send("PostToolUse", &payload);
        told
    }
}

/// A machine with the gate and some programs.
pub fn machine() -> Machine {
    let machine = Machine::new();
    for program in ["npm", "pnpm", "pytest"] {
        machine.script(&format!("path/{program}"), "true");
    }
    machine.init();
    machine
}

/// What `npm test` says where it cannot start.
pub const BROKEN: &str = "Exit code 1\nError: Cannot find module '/x/vitest.mjs'";
