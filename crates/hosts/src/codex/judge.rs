//! Codex CLI as a judge: its sandbox lets nothing be written, hooks are off, and no instructions of
//! the project are read.

use crate::shared::judge::{Judge, Said, Unsaid, failed, lines, spoken, sum};

pub(super) const JUDGE: Judge = Judge {
    words: &[
        "exec",
        "--json",
        "--skip-git-repo-check",
        "--ephemeral",
        "--sandbox",
        "read-only",
        "--disable",
        "hooks",
        "-c",
        "project_doc_max_bytes=0",
        "-c",
        "mcp_servers={}",
        "-",
    ],
    leaves_out: &[],
    files: &[],
    variables: &[],
    keeps: &["OPENAI_", "CODEX_", "AZURE_"],
    said,
};

/// The last message of the agent, and the usage of all turns.
fn said(printed: &str) -> Result<Said, Unsaid> {
    let (mut text, mut tokens, mut ended) = (String::new(), None::<u64>, false);
    for line in lines(printed) {
        match line.text("type").unwrap_or_default().as_ref() {
            "item.completed" => {
                let item = line.get("item").and_then(|item| item.object());
                let item =
                    item.filter(|item| item.text("type").as_deref() == Some("agent_message"));
                if let Some(said) = item.and_then(|item| Some(item.text("text")?.into_owned())) {
                    text = said;
                }
            }
            "turn.completed" => {
                ended = true;
                let usage = line.get("usage").and_then(|usage| usage.object());
                let count = usage.and_then(|usage| sum(&usage, &["input_tokens", "output_tokens"]));
                tokens = tokens.into_iter().chain(count).reduce(u64::saturating_add);
            }
            "turn.failed" => {
                let error = line.get("error").and_then(|error| error.object());
                let error = error.and_then(|error| Some(error.text("message")?.into_owned()));
                return Err(failed(&error.unwrap_or_default()));
            }
            _ => {}
        }
    }
    match ended {
        true => spoken(&text, tokens),
        false => Err(Unsaid::Unread),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read() {
        let good = concat!(
            "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n{\"type\":\"turn.started\"}\n",
            "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"hm\"}}\n",
            "{\"type\":\"item.completed\",\"item\":{\"type\":\"reasoning\",\"text\":\"x\"}}\n",
            "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"yes\"}}\n",
            "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":7,\"output_tokens\":2}}\n",
        );
        let said_well = Said {
            text: "yes".to_owned(),
            tokens: Some(9),
        };
        assert_eq!(said(good), Ok(said_well));
        let failing = r#"{"type":"turn.failed","error":{"message":"quota"}}"#;
        assert_eq!(said(failing), Err(failed("quota")));
        let cut = good.replace("turn.completed", "turn.started");
        for unread in ["", "yes", cut.as_str()] {
            assert_eq!(said(unread), Err(Unsaid::Unread), "{unread}");
        }
    }
}
