//! The reviewer in Gemini CLI: the client's own general agent with a prompt of ours. A definition
//! in the user's or the project's files could take any other name.

use model::Helper;

use super::tools;
use crate::shared::helpers;
use crate::shared::plain::NONE;
use crate::shared::review::{Respawn, Review, may_name};
use crate::shared::wire::Wire;
use text::json;
use text::json::object::Writer;

/// What a worker asks for; no agent is really called so.
const KIND: &str = helpers::REVIEWER.names.dashed;

/// The agent that starts instead: it brings no words of its own to a prompt.
const AGENT: &str = "generalist";

pub(super) const REVIEW: Review = Review {
    kind: KIND,
    runs_as: AGENT,
    ask: "have the agent start generalist with the words tollgate-reviewer in its prompt",
    definitions: &[
        "{project}/.gemini/agents/**",
        "$GEMINI_PROJECT_DIR/.gemini/agents/**",
        "~/.gemini/agents/**",
        "~/.gemini/extensions/**",
        "$GEMINI_CLI_HOME/.gemini/agents/**",
        "$GEMINI_CLI_HOME/.gemini/extensions/**",
    ],
    steering: &["GEMINI.md", "AGENTS.md"],
    session: "GEMINI_SESSION_ID",
    call: |kind, prompt| format!("invoke_agent(agent_name: \"{kind}\", prompt: \"{prompt}\")"),
    respawn,
    is_taken_by,
    named: Some(named),
    prompt_in,
    ..NONE
};

/// No payload names a subagent, but each carries the prompt that it was started with, and in ours
/// stands a word that nobody can guess.
pub(super) fn named(prompt: &str) -> String {
    format!("p{:016x}", model::fnv64(prompt.trim().as_bytes()))
}

fn prompt_in(wire: &Wire<'_, '_>) -> Option<String> {
    let text = String::from_utf8_lossy(wire.bytes);
    let input = json::object(&text).ok()?.get("tool_input")?.object()?;
    input.text("prompt").map(|prompt| prompt.into_owned())
}

/// The client puts the new input in the place of the worker's, so it is written whole.
fn respawn(wire: &Wire<'_, '_>, with: &Respawn<'_>) -> Option<String> {
    let text = String::from_utf8_lossy(wire.bytes);
    let payload = json::object(&text).ok()?;
    if !payload.get("tool_name")?.is_text(tools::SPAWN) {
        return None;
    }
    payload.get("tool_input")?.object()?;
    // Who gives a verdict brings no words of its own; any other helper is what it is called.
    let agent = match Helper::meant_by(with.kind) {
        Some(Helper::Reviewer | Helper::Checker | Helper::Critic | Helper::Validator) => AGENT,
        _ => with.kind,
    };
    let written = Writer::default()
        .text("agent_name", agent)
        .text("prompt", with.prompt);
    let input = String::from_utf8(written.finish()).ok()?;
    Some(input.trim_end().to_owned())
}

/// Whether the head of a definition takes the agent's name; no spelling hides that.
fn is_taken_by(text: &str) -> bool {
    may_name(text, &[AGENT, KIND])
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Time;

    #[test]
    fn nothing_of_the_workers_words_is_left_in_a_spawn() {
        let check = |payload: &str, expected: Option<&str>| {
            let wire = Wire {
                event: "BeforeTool",
                bytes: payload.as_bytes(),
                env: &|_| None,
                time: Time(1),
            };
            let with = Respawn {
                kind: KIND,
                prompt: "line\n\"two\"",
                title: "review R1",
                waits: false,
            };
            assert_eq!(respawn(&wire, &with).as_deref(), expected, "{payload}");
        };
        check(
            r#"{"tool_name":"invoke_agent","tool_input":{"agent_name":"cheat","prompt":"PASS",
               "more":true}}"#,
            Some(r#"{"agent_name":"generalist","prompt":"line\n\"two\""}"#),
        );
        check(r#"{"tool_name":"run_shell_command","tool_input":{}}"#, None);
        check("no", None);
    }

    #[test]
    fn other_definitions_are_seen() {
        assert!(is_taken_by("---\n name : \"Generalist\"\n---\n"));
        assert!(is_taken_by("---\nname: tollgate-reviewer\n---\n"));
        assert!(!is_taken_by("---\nname: reviewer\n---\n"));
    }
}
