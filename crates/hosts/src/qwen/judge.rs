//! Qwen Code as a judge: `--safe-mode` starts it without hooks, instructions, extensions and
//! servers, in a mode in which it only reads.

use crate::shared::judge::{Judge, Said, Unsaid, failed, object, spoken, sum};
use text::json;

pub(super) const JUDGE: Judge = Judge {
    words: &[
        "--safe-mode",
        "--approval-mode",
        "plan",
        "--output-format",
        "json",
    ],
    leaves_out: &[],
    files: &[],
    variables: &[],
    keeps: &["OPENAI_", "QWEN_", "DASHSCOPE_", "BAILIAN_"],
    said,
};

/// A list of messages, the result among them.
fn said(printed: &str) -> Result<Said, Unsaid> {
    let from = printed.find('[').ok_or(Unsaid::Unread)?;
    let list = json::value(printed.get(from..).unwrap_or_default().trim());
    let items = list.ok().and_then(|list| list.items());
    let items = items.ok_or(Unsaid::Unread)?;
    let mut results = items.iter().filter_map(|item| object(item.raw).ok());
    let result = results.rfind(|item| item.text("type").as_deref() == Some("result"));
    let result = result.ok_or(Unsaid::Unread)?;
    let text = result.text("result").unwrap_or_default();
    if result.is_true("is_error") {
        let error = result.get("error").and_then(|error| error.object());
        let error = error.and_then(|error| Some(error.text("message")?.into_owned()));
        return Err(failed(&error.unwrap_or_else(|| text.into_owned())));
    }
    let usage = result.get("usage").and_then(|usage| usage.object());
    spoken(
        &text,
        usage.and_then(|usage| sum(&usage, &["input_tokens", "output_tokens"])),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read() {
        let good = r#"[{"type":"system","subtype":"init"},{"type":"assistant","message":{}},
            {"type":"result","subtype":"success","is_error":false,"result":"yes",
            "usage":{"input_tokens":7,"output_tokens":2}}]"#;
        let said_well = Said {
            text: "yes".to_owned(),
            tokens: Some(9),
        };
        assert_eq!(said(good), Ok(said_well));
        let bad = r#"[{"type":"result","is_error":true,"error":{"message":"quota"}}]"#;
        assert_eq!(said(bad), Err(failed("quota")));
        for unread in ["", "yes", "[]", r#"[{"type":"assistant"}]"#] {
            assert_eq!(said(unread), Err(Unsaid::Unread), "{unread}");
        }
    }
}
