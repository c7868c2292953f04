//! What Claude Code's transcript says that its model took.

use model::Time;
use text::date::millis;

use crate::shared::judge::sum;
use crate::shared::usage::Usage;
use text::json;

/// The usage that a line tells: a message is written in several lines, each with all of it.
pub(super) fn usage(line: &str) -> Option<Usage> {
    let line = json::object(line).ok()?;
    if line.text("type").as_deref() != Some("assistant") {
        return None;
    }
    let message = line.get("message")?.object()?;
    let usage = message.get("usage")?.object()?;
    // What is read from a cache was counted when it was put there.
    let names = [
        "input_tokens",
        "output_tokens",
        "cache_creation_input_tokens",
    ];
    Some(Usage {
        message: message.text("id")?.into_owned(),
        tokens: sum(&usage, &names)?,
        time: Time(line.text("timestamp").and_then(|t| millis(&t)).unwrap_or(0)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_is_read_where_there_is_some() {
        let line = r#"{"type":"assistant","timestamp":"1970-01-01T00:00:02.000Z","message":
            {"id":"m1","usage":{"input_tokens":7,"output_tokens":2,
            "cache_creation_input_tokens":100,"cache_read_input_tokens":5000}}}"#;
        let expected = Usage {
            message: "m1".to_owned(),
            tokens: 109,
            time: Time(2_000),
        };
        assert_eq!(usage(line), Some(expected));
        for other in [
            "",
            r#"{"type":"user","message":{"id":"m1","usage":{"input_tokens":7}}}"#,
            r#"{"type":"assistant","message":{"id":"m1"}}"#,
        ] {
            assert_eq!(usage(other), None, "{other}");
        }
    }
}
