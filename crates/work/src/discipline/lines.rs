//! Short lists of lines: the oldest make room, and nothing is said twice.

use model::one_line;

/// Most recent calls, and most other short lines, that are remembered.
pub const RECENT_MAX: usize = 16;

/// Longest line about a call, in characters (S0.38).
pub const CALL_CHARS_MAX: usize = 80;

/// Puts a line at the end of a short list, once; the oldest make room.
pub(super) fn keep(list: &mut Vec<String>, line: &str, chars_max: usize) {
    if line.is_empty() {
        return;
    }
    let line = one_line(line, chars_max);
    list.retain(|known| *known != line);
    list.push(line);
    let surplus = list.len().saturating_sub(RECENT_MAX);
    list.drain(..surplus);
}
