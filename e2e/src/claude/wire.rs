//! The wire on which Claude Code asks its model: the Messages API.

use serde_json::{Value, json};

use crate::api::{Asked, Script, Turn};
use crate::http::{Request, Response};

/// Answers one request.
pub fn answer(request: &Request, script: &Script) -> Response {
    if request.path.ends_with("/count_tokens") {
        return Response::json(&json!({"input_tokens": 10}));
    }
    if !request.path.ends_with("/v1/messages") {
        let error = json!({"type": "not_found_error", "message": "-"});
        return Response::not_found(&json!({"type": "error", "error": error}));
    }
    let message = reply(&request.body, script);
    if request.body.get("stream").and_then(Value::as_bool) == Some(true) {
        Response::events(events(&message))
    } else {
        Response::json(&message)
    }
}

/// The next reply of the lane that the request belongs to.
fn reply(body: &Value, script: &Script) -> Value {
    let nothing = Value::Null;
    let conversation = body.get("messages").unwrap_or(&nothing);
    let first = conversation.as_array().and_then(|all| all.first());
    let tools = body.get("tools").and_then(Value::as_array);
    let (number, turn) = script.next(&Asked {
        body,
        conversation,
        first: &first.map(Value::to_string).unwrap_or_default(),
        offers_tools: tools.is_some_and(|tools| !tools.is_empty()),
    });
    let (content, stop) = match turn {
        Turn::Call(tool, input) => {
            let id = format!("toolu_scripted_{number:04}");
            let call = json!({"type": "tool_use", "id": id, "name": tool, "input": input});
            (call, "tool_use")
        }
        Turn::Say(text) => (json!({"type": "text", "text": text}), "end_turn"),
        _ => (json!({"type": "text", "text": "ok"}), "end_turn"),
    };
    json!({
        "id": format!("msg_scripted_{number:04}"), "type": "message", "role": "assistant",
        "model": body.get("model").cloned().unwrap_or_default(), "content": [content],
        "stop_reason": stop, "stop_sequence": null,
        "usage": {"input_tokens": 100, "output_tokens": 20,
            "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
    })
}

/// The message as the stream of events that a client expects.
fn events(message: &Value) -> String {
    let mut start = message.clone();
    let mut out = String::new();
    let mut event = |name: &str, data: Value| {
        out.push_str(&format!("event: {name}\ndata: {data}\n\n"));
    };
    if let Some(start) = start.as_object_mut() {
        start.insert("content".to_owned(), json!([]));
        start.insert("stop_reason".to_owned(), Value::Null);
    }
    event(
        "message_start",
        json!({"type": "message_start", "message": start}),
    );
    let blocks = message
        .get("content")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    for (index, block) in blocks.iter().enumerate() {
        let field = |name: &str| block.get(name).cloned().unwrap_or_default();
        let (shell, delta) = if field("type") == "text" {
            let delta = json!({"type": "text_delta", "text": field("text")});
            (json!({"type": "text", "text": ""}), delta)
        } else {
            let mut shell = block.clone();
            if let Some(shell) = shell.as_object_mut() {
                shell.insert("input".to_owned(), json!({}));
            }
            let input = field("input").to_string();
            (
                shell,
                json!({"type": "input_json_delta", "partial_json": input}),
            )
        };
        let kind = "content_block_start";
        event(
            kind,
            json!({"type": kind, "index": index, "content_block": shell}),
        );
        let kind = "content_block_delta";
        event(kind, json!({"type": kind, "index": index, "delta": delta}));
        let kind = "content_block_stop";
        event(kind, json!({"type": kind, "index": index}));
    }
    let stop = message.get("stop_reason").cloned().unwrap_or_default();
    let usage = message.get("usage").cloned().unwrap_or_default();
    let delta = json!({"stop_reason": stop, "stop_sequence": null});
    event(
        "message_delta",
        json!({"type": "message_delta", "delta": delta, "usage": usage}),
    );
    event("message_stop", json!({"type": "message_stop"}));
    out
}
