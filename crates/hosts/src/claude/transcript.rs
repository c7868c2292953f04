//! Reads a line of a Claude Code transcript. The format is not documented and changes, so a line
//! is read for tool calls and nothing else.

use super::tools;
use crate::json::{self, Object};
use model::{Actor, Past, PastCall, Time};

/// What stands in every line that is about a call.
const MARK: &str = "tool_use";

/// How the client begins what it says about a call that it does not take for one.
const NOT_TAKEN: &str = "<tool_use_error>";

/// What one line tells about calls; see [`crate::Host::transcript_line`].
pub(super) fn line(bytes: &[u8]) -> Option<Vec<Past>> {
    let text = String::from_utf8_lossy(bytes);
    if text.starts_with('{') && text.ends_with('}') && !text.contains(MARK) {
        // Most of a transcript is about something else, and long.
        return Some(Vec::new());
    }
    let line = json::object(&text).ok()?;
    let kind = line.text("type").unwrap_or_default();
    if !matches!(&*kind, "assistant" | "user") {
        return Some(Vec::new());
    }
    let message = line.get("message").and_then(|message| message.object());
    let blocks = message.and_then(|message| message.get("content")?.items());
    let blocks = blocks.unwrap_or_default();
    let blocks = blocks.iter().filter_map(|block| block.object());
    let past = blocks.filter_map(|block| match block.text("type").as_deref() {
        Some("tool_use") => Some(Past::Call(past_call(&line, &block))),
        Some("tool_result") => Some(ended(&block)),
        _ => None,
    });
    Some(past.collect())
}

fn ended(block: &Object<'_>) -> Past {
    let said = block.get("content").and_then(|content| content.text());
    Past::Ended {
        call_id: block.text("tool_use_id").unwrap_or_default().into_owned(),
        taken: !said.is_some_and(|said| said.starts_with(NOT_TAKEN)),
    }
}

fn past_call(line: &Object<'_>, block: &Object<'_>) -> PastCall {
    let call = tools::call_of(block.text("name"), block.get("input"), None);
    PastCall {
        call_id: block.text("id").unwrap_or_default().into_owned(),
        session: model::session_id(&line.text("sessionId").unwrap_or_default()),
        actor: actor(line),
        cwd: line.text("cwd").unwrap_or_default().into_owned(),
        version: line.text("version").unwrap_or_default().into_owned(),
        time: Time(line.text("timestamp").and_then(|t| millis(&t)).unwrap_or(0)),
        call: call.into_owned(),
    }
}

/// A side chain is a subagent's; older clients do not say whose.
fn actor(line: &Object<'_>) -> Actor {
    if !line.is_true("isSidechain") {
        return Actor::Main;
    }
    Actor::Sub {
        id: line.text("agentId").unwrap_or_default().into_owned(),
        kind: String::new(),
    }
}

/// Milliseconds since 1970 of `2026-11-27T21:21:13.895Z`.
fn millis(timestamp: &str) -> Option<u64> {
    let (date, time) = timestamp.strip_suffix('Z')?.split_once('T')?;
    let mut date = date.split('-').map(|part| part.parse::<u64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut time = time.split(':').map(|part| part.parse::<u64>().ok());
    let (hour, minute, second) = (time.next()??, time.next()??, time.next()??);
    let millis: u64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    let in_range = (1970..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    if !in_range {
        return None;
    }
    let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    Some(seconds * 1_000 + millis)
}

/// Days since 1970. Years are counted from March, so that the leap day is the last of its year.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let (year, month) = if month < 3 {
        (year.saturating_sub(1), month + 9)
    } else {
        (year, month.saturating_sub(3))
    };
    let of_years = year * 365 + year / 4 - year / 100 + year / 400;
    let of_months = (month * 153 + 2) / 5;
    // 719,468 days lie between 1 March of year 0 and 1 January 1970.
    (of_years + of_months + day).saturating_sub(1 + 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_read() {
        let check = |timestamp: &str, expected: Option<u64>| {
            assert_eq!(millis(timestamp), expected, "{timestamp}");
        };
        check("1970-01-01T00:00:00.000Z", Some(0));
        check("2000-02-29T12:00:00Z", Some(951_825_600_000));
        check("2026-11-27T21:21:13.895Z", Some(1_795_814_473_895));
        check("2026-11-27T21:21:13.8Z", Some(1_795_814_473_800));
        check("2026-13-01T00:00:00Z", None);
        check("99999999999999-01-01T00:00:00Z", None);
        check("18446744073709551615-01-01T00:00:00Z", None);
        check("yesterday", None);
        check("", None);
    }
}
