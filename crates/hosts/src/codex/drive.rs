//! Codex CLI as a driven worker where it has no server: told its prompt at once, and it asks
//! nobody: its sandbox and our hooks are what holds it.

use crate::shared::drive::{Drive, Move, Opening};
use crate::shared::judge::sum;
use text::json;

pub(super) static EXEC: Drive = Drive {
    first: &[
        "exec",
        "--json",
        "--skip-git-repo-check",
        "--sandbox",
        "workspace-write",
        "-",
    ],
    again: &[
        "exec",
        "--json",
        "--skip-git-repo-check",
        "--sandbox",
        "workspace-write",
        "resume",
        "{session}",
        "-",
    ],
    variables: &[],
    closes: true,
    open: |opening| vec![opening.prompt.to_owned()],
    heard,
    otherwise: None,
};

fn heard(line: &str, _: &Opening<'_>) -> Vec<Move> {
    let Ok(message) = json::object(line) else {
        return Vec::new();
    };
    match message.text("type").as_deref() {
        Some("thread.started") => {
            let id = message.text("thread_id");
            id.map(|id| Move::Session(id.into_owned()))
                .into_iter()
                .collect()
        }
        Some("turn.completed") => {
            let usage = message.get("usage").and_then(|usage| usage.object());
            let names = ["input_tokens", "output_tokens"];
            let tokens = usage.and_then(|usage| sum(&usage, &names));
            let tokens = tokens.map(Move::Tokens);
            tokens
                .into_iter()
                .chain([Move::Over(String::new())])
                .collect()
        }
        Some("turn.failed") => {
            let error = message.get("error").and_then(|error| error.object());
            let why = error.and_then(|error| Some(error.text("message")?.into_owned()));
            vec![Move::Over(why.unwrap_or_else(|| "it failed".to_owned()))]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_events_are_read() {
        let opening = Opening {
            prompt: "do it",
            dir: "/w",
            session: "",
            is_again: false,
        };
        let moves = |line: &str| heard(line, &opening);
        let started = moves(r#"{"type":"thread.started","thread_id":"t1"}"#);
        assert_eq!(started, [Move::Session("t1".to_owned())]);
        let over = |why: &str| Move::Over(why.to_owned());
        let line = r#"{"type":"turn.completed","usage":{"input_tokens":2,"output_tokens":3}}"#;
        assert_eq!(moves(line), [Move::Tokens(5), over("")]);
        let line = r#"{"type":"turn.failed","error":{"message":"no credit"}}"#;
        assert_eq!(moves(line), [over("no credit")]);
        assert_eq!(moves(r#"{"type":"item.completed"}"#), []);
    }
}
