//! The words of MCP between a client and a server: what our proxy reads of a frame, how it asks for
//! a verdict, and what it says itself. A client that asks through it is nobody's host.

mod answers;
mod event;
mod frames;
#[cfg(test)]
mod tests;
mod tools;

pub use answers::{Refusal, failure, progress, refusal};
pub use event::{ASKED, CALL, DENIED, Question, asked, asked_by_name};
pub use frames::{Frame, Kind, Message, ToolCall, frame, id_in_head, same_id};
pub use tools::{Tool, tools, without};

use crate::Host;
use crate::shared::plain::PLAIN;

/// What asks for a verdict on calls that go through the proxy. It is on no list of hosts: it has no
/// settings, starts no hook, and proves nothing of who called.
pub const PROXY: Host = Host {
    id: "mcp",
    title: "MCP",
    decode: event::decode,
    class: event::class,
    reply: event::reply,
    before_call: CALL,
    ..PLAIN
};
