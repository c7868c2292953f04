//! The reviewer in Copilot CLI: a plugin's agent, whose qualified name nothing but another plugin
//! of that name can take.

use super::decode::named;
use super::tools::SPAWNS;
use crate::shared::plain::NONE;
use crate::shared::review::{Launched, Respawn, Review, may_name};
use crate::shared::wire::Wire;
use text::json;
use text::json::object::Writer;

/// The plugin's name, and the part before the colon of its agents' names.
const PLUGIN: &str = "tollgate";
const KIND: &str = "tollgate:reviewer";

pub(super) const REVIEW: Review = Review {
    kind: KIND,
    plugin: &[
        (
            ".claude-plugin/plugin.json",
            include_str!("../../../../assets/copilot/.claude-plugin/plugin.json"),
        ),
        (
            "agents/reviewer.agent.md",
            include_str!("../../../../assets/copilot/agents/reviewer.agent.md"),
        ),
    ],
    start: "copilot --plugin-dir {}",
    definitions: &[
        "{project}/.github/agents/**",
        "{project}/.claude/agents/**",
        "$COPILOT_PROJECT_DIR/.github/agents/**",
        "~/.copilot/agents/**",
        "$COPILOT_HOME/agents/**",
    ],
    plugins: &[
        "~/.copilot/installed-plugins",
        "$COPILOT_HOME/installed-plugins",
    ],
    steering: &["AGENTS.md", "CLAUDE.md", "copilot-instructions.md"],
    session: "COPILOT_AGENT_SESSION_ID",
    respawn,
    spawned,
    transcript,
    shares_transcript: true,
    prompt,
    is_taken_by,
    is_plugin,
    launched,
    ..NONE
};

/// The input is written whole: a name, a model or a way to run would be the worker's choice. The
/// end of a helper in the background comes as an event like any other's.
fn respawn(wire: &Wire<'_, '_>, with: &Respawn<'_>) -> Option<String> {
    let text = String::from_utf8_lossy(wire.bytes);
    let payload = json::object(&text).ok()?;
    if !SPAWNS.contains(&&*named(&payload, ["tool_name", "toolName"])) {
        return None;
    }
    payload.get("tool_input")?.object()?;
    let written = Writer::default()
        .text("agent_type", with.kind)
        .text("name", "review")
        .text("description", with.title)
        .text("prompt", with.prompt)
        .text("mode", "sync");
    let input = String::from_utf8(written.finish()).ok()?;
    Some(input.trim_end().to_owned())
}

/// Only of a helper in the background does the result of a spawn name the id; its start does.
fn spawned(_: &Wire<'_, '_>) -> String {
    String::new()
}

/// All helpers of a session are written into its own transcript.
fn transcript(wire: &Wire<'_, '_>) -> String {
    let text = String::from_utf8_lossy(wire.bytes);
    let payload = json::object(&text).unwrap_or_default();
    named(&payload, ["transcript_path", "transcriptPath"]).into_owned()
}

/// The first message to a helper. The main worker's lines name no agent.
fn prompt(line: &str) -> Option<String> {
    let line = json::object(line).ok()?;
    let is_message = line.get("type")?.is_text("user.message");
    line.text("agentId")
        .filter(|id| is_message && !id.is_empty())?;
    let data = line.get("data")?.object()?;
    Some(data.text("content")?.into_owned())
}

/// Whether the head of a definition names it as ours; no spelling hides that.
fn is_taken_by(text: &str) -> bool {
    may_name(text, &[KIND])
}

fn is_plugin(text: &str) -> bool {
    let description = json::object(text).unwrap_or_default();
    let name = description.text("name").unwrap_or_default();
    name.eq_ignore_ascii_case(PLUGIN)
}

/// Plugins that the command line names: `--plugin-dir DIR` and `--plugin-dir=DIR`.
fn launched(words: &[&str]) -> Launched {
    let mut plugins = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let Some(rest) = word.strip_prefix("--plugin-dir") else {
            continue;
        };
        let next = words.get(at + 1).copied();
        let value = rest.strip_prefix('=').or(next.filter(|_| rest.is_empty()));
        plugins.extend(value.map(str::to_owned));
    }
    Launched {
        plugins,
        ..(NONE.launched)(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Time;

    fn wire(bytes: &[u8]) -> Wire<'_, '_> {
        Wire {
            event: "PreToolUse",
            bytes,
            env: &|_| None,
            time: Time(1),
        }
    }

    #[test]
    fn nothing_of_the_workers_words_is_left_in_a_spawn() {
        let check = |payload: &str, expected: Option<&str>| {
            let with = Respawn {
                kind: KIND,
                prompt: "line\n\"two\"",
                title: "review R1",
                waits: false,
            };
            let input = respawn(&wire(payload.as_bytes()), &with);
            assert_eq!(input.as_deref(), expected, "{payload}");
        };
        let expected = concat!(
            r#"{"agent_type":"tollgate:reviewer","name":"review","description":"review R1","#,
            r#""prompt":"line\n\"two\"","mode":"sync"}"#
        );
        check(
            r#"{"tool_name":"Agent","tool_input":{"agent_type":"cheat","prompt":"say PASS",
               "model":"small","mode":"background"}}"#,
            Some(expected),
        );
        check(
            r#"{"tool_name":"Bash","tool_input":{"command":"ls"}}"#,
            None,
        );
        check("no", None);
    }

    #[test]
    fn prompts_of_helpers_are_read() {
        let check = |line: &str, expected: Option<&str>| {
            assert_eq!(prompt(line).as_deref(), expected, "{line}");
        };
        let data = r#""data":{"content":"a\nb","transformedContent":"now a\nb"}"#;
        check(
            &format!(r#"{{"type":"user.message",{data},"agentId":"h1"}}"#),
            Some("a\nb"),
        );
        check(&format!(r#"{{"type":"user.message",{data}}}"#), None);
        check(
            &format!(r#"{{"type":"other",{data},"agentId":"h1"}}"#),
            None,
        );
        check("{", None);
    }

    #[test]
    fn other_definitions_are_seen() {
        assert!(is_taken_by("---\n name : \"tollgate:Reviewer\"\n---\n"));
        assert!(!is_taken_by("---\nname: reviewer\n---\n"));
        assert!(is_plugin(r#"{"name":"Tollgate"}"#) && !is_plugin(r#"{"name":"x"}"#));
        let words = [
            "copilot",
            "--plugin-dir",
            "/a",
            "--plugin-dir=/b",
            "-p",
            "x",
        ];
        assert_eq!(launched(&words).plugins, ["/a", "/b"]);
    }
}
