//! The wire on which Qwen Code asks its model: chat completions, streamed.

use serde_json::{Value, json};

use crate::clients::api::{Asked, Script, Turn};
use crate::clients::http::{Request, Response};

/// Answers one request.
pub fn answer(request: &Request, script: &Script) -> Response {
    if !request.path.ends_with("/chat/completions") {
        return Response::not_found(&json!({"error": {"message": "not served"}}));
    }
    let message = message(&request.body, script);
    let finish = match message.get("tool_calls") {
        Some(_) => "tool_calls",
        None => "stop",
    };
    let streamed = request.body.get("stream").and_then(Value::as_bool);
    let object = match streamed {
        Some(true) => "chat.completion.chunk",
        _ => "chat.completion",
    };
    let whole = |part: &str, message: &Value, finish: Option<&str>| {
        json!({
            "id": "scripted", "created": 0, "model": request.body.get("model"),
            "object": object,
            "choices": [{"index": 0, part: message, "finish_reason": finish}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
        })
    };
    if streamed != Some(true) {
        return Response::json(&whole("message", &message, Some(finish)));
    }
    let chunks = [
        whole("delta", &message, None),
        whole("delta", &json!({}), Some(finish)),
    ];
    let chunks = chunks.map(|chunk| format!("data: {chunk}\n\n"));
    Response::events(chunks.concat() + "data: [DONE]\n\n")
}

/// What the model says next in the lane that the request belongs to.
fn message(body: &Value, script: &Script) -> Value {
    let nothing = Value::Null;
    let conversation = body.get("messages").unwrap_or(&nothing);
    let is_users = |message: &&Value| message.get("role").is_some_and(|role| role == "user");
    let mut messages = conversation.as_array().into_iter().flatten();
    let first = messages.find(is_users).map(Value::to_string);
    let tools = body.get("tools").and_then(Value::as_array);
    let (number, turn) = script.next(&Asked {
        body,
        conversation,
        first: &first.unwrap_or_default(),
        offers_tools: tools.is_some_and(|tools| !tools.is_empty()),
    });
    match turn {
        Turn::Call(tool, input) => json!({"role": "assistant", "content": null, "tool_calls": [
            {"index": 0, "id": format!("call_scripted_{number}"), "type": "function",
                "function": {"name": tool, "arguments": input.to_string()}}]}),
        Turn::Say(text) => json!({"role": "assistant", "content": text}),
        _ => json!({"role": "assistant", "content": "ok"}),
    }
}
