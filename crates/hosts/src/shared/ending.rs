//! How a call ended, read from the payload of the event after it. What several hosts write alike is
//! here. Must not know any host's names.

use crate::shared::wire::Wire;
use model::{Ending, EndingWord};
use text::json::{self, Object, Value};

/// Lines of a report that tell nothing of the command.
const OWN_LINES: &[&str] = &["Error: (none)", "(empty)", "</untrusted_context>"];

/// Reads a payload.
pub(crate) fn read(wire: &Wire<'_, '_>, of: impl FnOnce(&Object<'_>) -> Ending) -> Ending {
    let text = String::from_utf8_lossy(wire.bytes);
    json::object(&text).map_or_else(|_| Ending::default(), |payload| of(&payload))
}

/// An ending with a status.
pub(crate) fn with_status(status: i64) -> Ending {
    Ending {
        status: Some(status),
        word: match status {
            0 => EndingWord::Well,
            _ => EndingWord::Failed,
        },
        ..Ending::default()
    }
}

/// An ending with nothing but a word.
pub(crate) fn of_word(word: EndingWord) -> Ending {
    Ending {
        word,
        ..Ending::default()
    }
}

/// A number of milliseconds.
pub(crate) fn millis(payload: &Object<'_>, name: &str) -> Option<u64> {
    number(&payload.get(name)?).and_then(|number| u64::try_from(number).ok())
}

/// A whole number; what stands behind a point does not count.
pub(crate) fn number(value: &Value<'_>) -> Option<i64> {
    let whole = value.raw.split('.').next()?;
    whole.parse().ok()
}

/// A text, or the texts of a list of parts.
pub(crate) fn text_of(value: &Value<'_>) -> String {
    if let Some(text) = value.text() {
        return text.into_owned();
    }
    let parts = value.items().unwrap_or_default();
    let text = |part: &Value<'_>| match part.text() {
        Some(text) => Some(text.into_owned()),
        None => part.object()?.text("text").map(|text| text.into_owned()),
    };
    parts.iter().filter_map(text).collect::<Vec<_>>().join("\n")
}

/// What stands behind a word at the beginning of a line (`Exit Code: 3`), as a number.
pub(crate) fn labelled(text: &str, label: &str) -> Option<i64> {
    let mut lines = text.lines().rev();
    lines.find_map(|line| line.trim().strip_prefix(label)?.trim().parse().ok())
}

/// The result of a shell as some clients write it for their model: `Output: …`, `Error: …`, and at
/// the end `Exit Code: 3` (left out by some for 0).
pub(crate) fn of_report(report: &str) -> Ending {
    let status = labelled(report, "Exit Code:").unwrap_or(0);
    let printed = report.split_once("Output: ").map_or("", |(_, rest)| rest);
    let is_about = |line: &&str| {
        let mut labels = ["Exit Code:", "Signal:", "Process Group PGID:"].iter();
        labels.any(|label| line.starts_with(label)) || OWN_LINES.contains(line)
    };
    let lines: Vec<&str> = printed.lines().filter(|line| !is_about(line)).collect();
    with_status(status).printed(&lines.join("\n"))
}
