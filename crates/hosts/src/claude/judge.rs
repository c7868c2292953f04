//! Claude Code as a judge: `--safe-mode` starts it without hooks, project instructions, servers,
//! skills and plugins, and only reading tools exist.

use crate::shared::judge::{Judge, Said, Unsaid, failed, object, spoken, sum};

pub(super) const JUDGE: Judge = Judge {
    words: &[
        "-p",
        "--output-format",
        "json",
        "--safe-mode",
        "--strict-mcp-config",
        "--no-session-persistence",
        "--permission-mode",
        "dontAsk",
        "--tools",
        "Read,Grep,Glob",
    ],
    leaves_out: &[],
    files: &[],
    variables: &[
        ("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
    ],
    keeps: &[
        "ANTHROPIC_",
        "AWS_",
        "CLOUD_ML_",
        "GOOGLE_",
        "CLAUDE_CODE_USE_",
    ],
    said,
};

/// `{"type":"result","is_error":false,"result":"…","usage":{…}}`
fn said(printed: &str) -> Result<Said, Unsaid> {
    let result = object(printed)?;
    let text = result.text("result").unwrap_or_default();
    if result.is_true("is_error") {
        let why = match text.trim() {
            "" => result.text("subtype").unwrap_or_default(),
            _ => text,
        };
        return Err(failed(&why));
    }
    let usage = result.get("usage").and_then(|usage| usage.object());
    let names = [
        "input_tokens",
        "output_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
    ];
    spoken(&text, usage.and_then(|usage| sum(&usage, &names)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read() {
        let good = r####"{"type":"result","subtype":"success","is_error":false,
            "result":"### NO ISSUES FOUND\n### VERDICT: PASS w","session_id":"s",
            "usage":{"input_tokens":10,"output_tokens":5,"cache_read_input_tokens":100,
            "server_tool_use":{"web_search_requests":0}}}"####;
        let said_well = Said {
            text: "### NO ISSUES FOUND\n### VERDICT: PASS w".to_owned(),
            tokens: Some(115),
        };
        assert_eq!(said(good), Ok(said_well));
        let bad = r#"{"type":"result","subtype":"success","is_error":true,"result":"no key"}"#;
        assert_eq!(said(bad), Err(failed("no key")));
        let cut = r#"{"type":"result","subtype":"error_max_turns","is_error":true}"#;
        assert_eq!(said(cut), Err(failed("error_max_turns")));
        for unread in ["", "All good.", r#"{"type":"result","result":" "}"#] {
            assert_eq!(said(unread), Err(Unsaid::Unread), "{unread}");
        }
    }
}
