//! What the proxy says itself, to a client: frames with their line breaks.

use crate::shared::reply::said;
use text::json::object::Writer;
use text::json::text::quoted;

/// Why a call did not run, for the model: it must read it, so it is a result and no error of the
/// protocol, which many clients hide.
#[derive(Debug, Clone, Copy)]
pub struct Refusal<'a> {
    /// The call's id as JSON.
    pub id: &'a str,
    /// In words.
    pub why: &'a str,
}

fn message(id: &str) -> Writer {
    Writer::default().text("jsonrpc", "2.0").raw("id", id)
}

/// The answer to a call that did not run.
#[must_use]
pub fn refusal(refusal: Refusal<'_>) -> Vec<u8> {
    let text = Writer::default()
        .text("type", "text")
        .text("text", &said(refusal.why));
    let result = Writer::default()
        .raw("content", &format!("[{}]", text.json()))
        .raw("isError", "true");
    message(refusal.id).object("result", &result).finish()
}

/// That a call waits, for a client that asked to be told.
#[must_use]
pub fn progress(token: &str, number: u64, words: &str) -> Vec<u8> {
    let params = Writer::default()
        .raw("progressToken", token)
        .raw("progress", &number.to_string())
        .text("message", words);
    let line = Writer::default()
        .text("jsonrpc", "2.0")
        .text("method", "notifications/progress")
        .object("params", &params);
    line.finish()
}

/// That a request failed, in the protocol's own form. An id that is not known is null.
#[must_use]
pub fn failure(id: &str, code: i32, words: &str) -> Vec<u8> {
    let id = if id.is_empty() { "null" } else { id };
    let error = format!("{{\"code\":{code},\"message\":{}}}", quoted(&said(words)));
    message(id).raw("error", &error).finish()
}
