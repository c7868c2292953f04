//! The reviewer in OpenCode: an agent that the bridge defines when OpenCode starts, after every
//! file that could define one of its name.

use crate::shared::helpers;
use crate::shared::plain::NONE;
use crate::shared::review::{Respawn, Review};
use crate::shared::wire::Wire;
use text::json;
use text::json::object::Writer;

/// The agent.
pub(super) const KIND: &str = helpers::REVIEWER.names.dashed;
/// What it is told before the prompt.
pub(super) const PROMPT: &str = include_str!("../../../../assets/helpers/reviewer.md");

pub(super) const REVIEW: Review = Review {
    kind: KIND,
    start: "opencode",
    definitions: &[
        "**/.opencode/agent/**",
        "**/.opencode/agents/**",
        "~/.config/opencode/agent/**",
        "~/.config/opencode/agents/**",
        "$XDG_CONFIG_HOME/opencode/agent/**",
        "$XDG_CONFIG_HOME/opencode/agents/**",
        "$OPENCODE_CONFIG_DIR/agent/**",
        "$OPENCODE_CONFIG_DIR/agents/**",
    ],
    steering: &["AGENTS.md", "CLAUDE.md", "CONTEXT.md"],
    session: "TOLLGATE_SESSION",
    call: |kind, prompt| {
        format!("task(subagent_type: \"{kind}\", description: \"tollgate\", prompt: \"{prompt}\")")
    },
    respawn,
    spawned: |wire| text_of(wire, "child_id"),
    ends_once: true,
    prompt_in,
    ..NONE
};

/// The bridge puts the new arguments in the place of all of the worker's.
fn respawn(wire: &Wire<'_, '_>, with: &Respawn<'_>) -> Option<String> {
    let text = String::from_utf8_lossy(wire.bytes);
    let payload = json::object(&text).ok()?;
    if !payload.get("tool_name")?.is_text("task") {
        return None;
    }
    payload.get("tool_input")?.object()?;
    let written = Writer::default()
        .text("description", with.title)
        .text("prompt", with.prompt)
        .text("subagent_type", with.kind);
    let input = String::from_utf8(written.finish()).ok()?;
    Some(input.trim_end().to_owned())
}

/// What the bridge saw a child be told, from its first prompt to its last.
fn prompt_in(wire: &Wire<'_, '_>) -> Option<String> {
    let told = text_of(wire, "prompt");
    (wire.event == "subagent_stop" && !told.is_empty()).then_some(told)
}

fn text_of(wire: &Wire<'_, '_>, name: &str) -> String {
    let text = String::from_utf8_lossy(wire.bytes);
    let payload = json::object(&text).unwrap_or_default();
    payload.text(name).unwrap_or_default().into_owned()
}
