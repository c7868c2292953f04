//! Asking our own hook the way a host would. Must not know any host's names.

use text::json;

/// The session that such a call says it is of, so that it is not taken for somebody's.
pub const PROBE_SESSION: &str = "tollgate-doctor";

/// A call to send to a hook that is to be tried.
#[derive(Debug, Clone, Copy)]
pub struct Probe<'a> {
    /// The shell command.
    pub command: &'a str,
    /// Where it would run; absolute.
    pub cwd: &'a str,
}

/// A text of a payload; empty if there is none.
pub(crate) fn text_of(bytes: &[u8], name: &str) -> String {
    let text = String::from_utf8_lossy(bytes);
    let object = json::object(&text).unwrap_or_default();
    object.text(name).unwrap_or_default().into_owned()
}

/// The event that a payload says it is in `hook_event_name`; empty if it does not say.
pub(crate) fn hook_event_name(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let name = json::object(&text)
        .ok()
        .and_then(|object| Some(object.text("hook_event_name")?.into_owned()));
    name.unwrap_or_default()
}
