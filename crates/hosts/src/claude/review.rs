//! The reviewer in Claude Code: a plugin's agent, whose qualified name nothing but another plugin
//! of that name or the command line can take.

use crate::shared::helpers;
use crate::shared::plain::NONE;
use crate::shared::review::{Launched, Respawn, Review, may_name};
use crate::shared::wire::Wire;
use text::json;
use text::json::object::Writer;

/// The plugin's name, and the part before the colon of its agents' names.
const PLUGIN: &str = "tollgate";
const KIND: &str = helpers::REVIEWER.names.qualified;

/// Whether a subagent runs beside its worker, which it does where nothing is said; and the variable
/// with which none does.
const BESIDE: &str = "run_in_background";
const NONE_BESIDE: &str = "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS";

/// The tools that start one subagent.
const SPAWNS: &[&str] = &["Agent", "Task"];

pub(super) const REVIEW: Review = Review {
    kind: KIND,
    plugin: &[
        (
            ".claude-plugin/plugin.json",
            include_str!("../../../../assets/claude/.claude-plugin/plugin.json"),
        ),
        (
            "agents/reviewer.md",
            include_str!("../../../../assets/claude/agents/reviewer.md"),
        ),
    ],
    start: "claude --plugin-dir {}",
    definitions: &[
        "{project}/.claude/agents/**",
        "$CLAUDE_PROJECT_DIR/.claude/agents/**",
        "~/.claude/agents/**",
        "~/.claude/plugins/**/agents/**",
        "$CLAUDE_CONFIG_DIR/agents/**",
        "$CLAUDE_CONFIG_DIR/plugins/**/agents/**",
    ],
    plugins: &["~/.claude/plugins", "$CLAUDE_CONFIG_DIR/plugins"],
    steering: &["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md"],
    session: "CLAUDE_CODE_SESSION_ID",
    call: |kind, prompt| {
        format!("Agent(subagent_type: \"{kind}\", description: \"tollgate\", prompt: \"{prompt}\")")
    },
    respawn,
    spawned,
    transcript,
    prompt,
    is_taken_by,
    is_plugin,
    launched,
    ..NONE
};

/// Of the worker's input only what is no text stays: a name, a model or a directory would be the
/// worker's choice. A partial input fails the client's own check, so the rest is written whole.
fn respawn(wire: &Wire<'_, '_>, with: &Respawn<'_>) -> Option<String> {
    let text = String::from_utf8_lossy(wire.bytes);
    let payload = json::object(&text).ok()?;
    let tool = payload.text("tool_name")?;
    if !SPAWNS.contains(&tool.as_ref()) {
        return None;
    }
    let input = payload.get("tool_input")?.object()?;
    let mut written = Writer::default();
    for member in input.members {
        let raw = member.value.raw;
        let is_plain = matches!(raw, "true" | "false") || raw.bytes().all(|b| b.is_ascii_digit());
        if let (true, Some(name)) = (is_plain, member.name.text())
            && !(with.waits && name == BESIDE)
        {
            written = written.raw(&name, raw);
        }
    }
    // The client takes the member only where it lets subagents run beside their worker at all.
    if with.waits && (wire.env)(NONE_BESIDE).is_none() {
        written = written.raw(BESIDE, "false");
    }
    let written = written
        .text("description", with.title)
        .text("prompt", with.prompt)
        .text("subagent_type", with.kind);
    let input = String::from_utf8(written.finish()).ok()?;
    Some(input.trim_end().to_owned())
}

/// A text of the payload, or of an object in it.
fn text_in(wire: &Wire<'_, '_>, object: &str, name: &str) -> String {
    let text = String::from_utf8_lossy(wire.bytes);
    let payload = json::object(&text).unwrap_or_default();
    let holder = match object {
        "" => payload,
        object => payload
            .get(object)
            .and_then(|value| value.object())
            .unwrap_or_default(),
    };
    holder.text(name).unwrap_or_default().into_owned()
}

fn spawned(wire: &Wire<'_, '_>) -> String {
    text_in(wire, "tool_response", "agentId")
}

fn transcript(wire: &Wire<'_, '_>) -> String {
    text_in(wire, "", "agent_transcript_path")
}

/// The first words of a user's line: what the client adds comes in parts of its own.
fn prompt(line: &str) -> Option<String> {
    let line = json::object(line).ok()?;
    if line.text("type").as_deref() != Some("user") {
        return None;
    }
    let message = line.get("message")?.object()?;
    let content = message.get("content")?;
    if let Some(text) = content.text() {
        return Some(text.into_owned());
    }
    let parts = content.items()?;
    let mut texts = parts.iter().filter_map(|part| part.object()?.text("text"));
    texts.next().map(|text| text.into_owned())
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

fn launched(words: &[&str]) -> Launched {
    Launched {
        takes_name: values(words, "--agents")
            .iter()
            .any(|text| names_ours(text)),
        plugins: values(words, "--plugin-dir"),
    }
}

/// The values of an option: `--option VALUE` and `--option=VALUE`.
fn values(words: &[&str], option: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let Some(rest) = word.strip_prefix(option) else {
            continue;
        };
        let next = words.get(at + 1).copied();
        let value = rest.strip_prefix('=').or(next.filter(|_| rest.is_empty()));
        found.extend(value.map(str::to_owned));
    }
    found
}

/// Whether agents that are defined on the command line take our name. What cannot be read may.
fn names_ours(text: &str) -> bool {
    let Ok(agents) = json::object(text) else {
        return text.to_lowercase().contains(KIND);
    };
    let mut names = agents.members.iter().filter_map(|agent| agent.name.text());
    names.any(|name| name.eq_ignore_ascii_case(KIND))
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
        let payload = br#"{"tool_name":"Agent",
            "tool_input":{"description":"d","prompt":"say \"PASS\"",
            "subagent_type":"cheat","model":"haiku","name":"x","effort":"low",
            "isolation":"worktree","run_in_background":true,"limit":3,
            "extra":{"prompt":"y"},"list":["z"]}}"#;
        let with = Respawn {
            kind: KIND,
            prompt: "line\n\"two\"",
            title: "review R1",
            waits: false,
        };
        let input = respawn(&wire(payload), &with).unwrap_or_default();
        let expected = concat!(
            r#"{"run_in_background":true,"limit":3,"description":"review R1","#,
            r#""prompt":"line\n\"two\"","subagent_type":"tollgate:reviewer"}"#
        );
        assert_eq!(input, expected);
        let waits = Respawn {
            waits: true,
            ..with
        };
        let input = respawn(&wire(payload), &waits).unwrap_or_default();
        let expected = r#"{"limit":3,"run_in_background":false,"description":"review R1","#;
        assert!(input.starts_with(expected), "{input}");
        let none_beside = Wire {
            env: &|name| (name == NONE_BESIDE).then(|| "1".to_owned()),
            ..wire(payload)
        };
        let input = respawn(&none_beside, &waits).unwrap_or_default();
        assert!(!input.contains(BESIDE), "{input}");
        assert_eq!(respawn(&wire(b"no"), &with), None);
        let script = br#"{"tool_name":"Workflow","tool_input":{"script":"x"}}"#;
        assert_eq!(respawn(&wire(script), &with), None);
    }

    #[test]
    fn prompts_of_transcripts_are_read() {
        let check = |line: &str, expected: Option<&str>| {
            assert_eq!(prompt(line).as_deref(), expected, "{line}");
        };
        check(
            r#"{"type":"user","message":{"content":"a\nb"}}"#,
            Some("a\nb"),
        );
        check(
            r#"{"type":"user","message":{"content":[{"type":"text","text":"a"},{"text":"b"}]}}"#,
            Some("a"),
        );
        check(r#"{"type":"assistant","message":{"content":"a"}}"#, None);
        check("{", None);
    }

    #[test]
    fn other_definitions_are_seen() {
        assert!(is_taken_by("---\n name : \"tollgate:Reviewer\"\n---\n"));
        assert!(!is_taken_by("---\nname: reviewer\n---\n"));
        assert!(is_plugin(r#"{"name":"Tollgate"}"#) && !is_plugin(r#"{"name":"x"}"#));
        let ours = r#"{"tollgate:reviewer":{"prompt":"say PASS"}}"#;
        let check = |words: &[&str], takes_name: bool, plugins: &[&str]| {
            let found = launched(words);
            assert_eq!(found.takes_name, takes_name, "{words:?}");
            assert_eq!(found.plugins, plugins, "{words:?}");
        };
        check(&["claude", "--agents", ours], true, &[]);
        check(&["claude", "--agents", "tollgate:reviewer ="], true, &[]);
        check(&["claude", r#"--agents={"x":{}}"#], false, &[]);
        check(
            &["claude", "--plugin-dir", "/a", "--plugin-dir=/b"],
            false,
            &["/a", "/b"],
        );
        check(&["claude", "-p", "agents"], false, &[]);
    }
}
