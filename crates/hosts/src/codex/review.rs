//! The reviewer in Codex CLI: a role that the command line defines. The client has no namespaces,
//! so a role of the same name in a file takes ours away, which is looked for.

use crate::shared::helpers;
use crate::shared::plain::NONE;
use crate::shared::review::{Launched, Respawn, Review};
use crate::shared::wire::Wire;
use text::json;
use text::json::object::Writer;

/// The reviewer's role.
const KIND: &str = helpers::REVIEWER.names.underscored;

/// The file that defines it, in a directory of ours.
const ROLE: &str = "roles/reviewer.toml";

/// The tool that starts a subagent with readable words. The other tool set's spawn takes words that
/// only the vendor can read, so nothing of ours can be put there.
const SPAWNS: &[&str] = &["spawn_agent", "multi_agent_v1spawn_agent"];

/// What a spawn came to may be said before or after the subagent's start is. Only the start counts:
/// a second one is a resumption. Whose start it was, its prompt shows in the end.
pub(super) const REVIEW: Review = Review {
    kind: KIND,
    plugin: &[(
        ROLE,
        include_str!("../../../../assets/codex/roles/reviewer.toml"),
    )],
    start: "codex -c 'agents.tollgate_reviewer={description=\"Reviews for Tollgate\", \
            config_file=\"{}/roles/reviewer.toml\"}'",
    definitions: &[
        "{project}/.codex/agents/**",
        "~/.codex/agents/**",
        "$CODEX_HOME/agents/**",
    ],
    steering: &["AGENTS.md", "AGENTS.override.md"],
    call: |kind, prompt| format!("spawn_agent(agent_type: \"{kind}\", message: \"{prompt}\")"),
    respawn,
    transcript,
    prompt,
    is_taken_by,
    launched,
    ..NONE
};

/// The input is written whole: history, parts and a model would be the worker's choice.
fn respawn(wire: &Wire<'_, '_>, with: &Respawn<'_>) -> Option<String> {
    let text = String::from_utf8_lossy(wire.bytes);
    let payload = json::object(&text).ok()?;
    let tool = payload.text("tool_name")?;
    if !SPAWNS.contains(&tool.as_ref()) {
        return None;
    }
    let written = Writer::default()
        .text("message", with.prompt)
        .text("agent_type", with.kind);
    let input = String::from_utf8(written.finish()).ok()?;
    Some(input.trim_end().to_owned())
}

fn text_of(wire: &Wire<'_, '_>, name: &str) -> String {
    let text = String::from_utf8_lossy(wire.bytes);
    let payload = json::object(&text).unwrap_or_default();
    payload.text(name).unwrap_or_default().into_owned()
}

fn transcript(wire: &Wire<'_, '_>) -> String {
    text_of(wire, "agent_transcript_path")
}

/// The first words of a user's line that the client did not write itself.
fn prompt(line: &str) -> Option<String> {
    let line = json::object(line).ok()?;
    let payload = line.get("payload")?.object()?;
    let is_user = payload.text("role").as_deref() == Some("user");
    if payload.text("type").as_deref() != Some("message") || !is_user {
        return None;
    }
    let parts = payload.get("content")?.items()?;
    let mut texts = parts.iter().filter_map(|part| part.object()?.text("text"));
    let own = |text: &str| text.starts_with("<environment_context") || text.starts_with("# AGENTS");
    texts.find(|text| !own(text)).map(|text| text.into_owned())
}

/// Whether the command line defines the role otherwise than by the file that we wrote for it. Who
/// says it twice says it otherwise.
fn launched(words: &[&str]) -> Launched {
    let names_role = |word: &&&str| word.contains(KIND);
    let named: Vec<_> = words.iter().filter(names_role).collect();
    let is_ours = |word: &str| {
        let file = word.split_once("config_file").map_or("", |(_, file)| file);
        let file = file.trim_start_matches([' ', '=', '"', '\'']);
        let path = file.split(['"', '\'']).next().unwrap_or_default();
        path.ends_with(&format!("/{ROLE}")) && word.matches("config_file").count() == 1
    };
    Launched {
        takes_name: named.len() > 1 || named.iter().any(|word| !is_ours(word)),
        plugins: Vec::new(),
    }
}

/// Whether the text of a definition takes the reviewer's name.
fn is_taken_by(text: &str) -> bool {
    let names = text.lines().filter_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == "name").then_some(value)
    });
    let mut names = names.map(|name| name.trim().trim_matches(['"', '\'']));
    names.any(|name| name.eq_ignore_ascii_case(KIND))
}
