//! The wire on which Copilot CLI asks a model of the user's own: chat completions.

use serde_json::{Value, json};

use crate::clients::api::{Asked, Script, Turn};
use crate::clients::http::{Request, Response};

/// Answers one request.
pub fn answer(request: &Request, script: &Script) -> Response {
    if request.path.ends_with("/models") {
        let model = json!({"id": "scripted", "object": "model"});
        return Response::json(&json!({"object": "list", "data": [model]}));
    }
    if !request.path.ends_with("/chat/completions") {
        return Response::not_found(&json!({"error": {"message": "-"}}));
    }
    let streams = request.body.get("stream").and_then(Value::as_bool) == Some(true);
    let (number, message) = reply(&request.body, script);
    let end = match message.get("tool_calls") {
        Some(_) => "tool_calls",
        None => "stop",
    };
    let whole = |kind: &str, choice: Value| {
        json!({"id": format!("scripted-{number}"), "created": 1, "model": "scripted",
            "object": kind, "choices": [choice],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}})
    };
    if !streams {
        let choice = json!({"index": 0, "message": message, "finish_reason": end});
        return Response::json(&whole("chat.completion", choice));
    }
    let chunk = |delta: &Value, end: Option<&str>| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": end});
        format!("data: {}\n\n", whole("chat.completion.chunk", choice))
    };
    let parts = [
        chunk(&message, None),
        chunk(&json!({}), Some(end)),
        "data: [DONE]\n\n".to_owned(),
    ];
    Response::events(parts.concat())
}

/// The next message of the lane that the request belongs to.
fn reply(body: &Value, script: &Script) -> (usize, Value) {
    let nothing = Value::Null;
    let conversation = body.get("messages").unwrap_or(&nothing);
    let role = |message: &Value| {
        message
            .get("role")
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    let messages = conversation.as_array().into_iter().flatten();
    // What hooks add stands before the prompt in a message of its own.
    let before = messages.take_while(|message| role(message).as_deref() != Some("assistant"));
    let users = before.filter(|message| role(message).as_deref() == Some("user"));
    let first: Vec<String> = users.map(Value::to_string).collect();
    let tools = body.get("tools").and_then(Value::as_array);
    let (number, turn) = script.next(&Asked {
        body,
        conversation,
        first: &first.join("\n"),
        offers_tools: tools.is_some_and(|tools| !tools.is_empty()),
    });
    let message = match turn {
        Turn::Call(tool, input) => {
            let function = json!({"name": tool, "arguments": input.to_string()});
            let call = json!({"index": 0, "id": format!("call_scripted_{number:04}"),
                "type": "function", "function": function});
            json!({"role": "assistant", "content": null, "tool_calls": [call]})
        }
        Turn::Say(text) => json!({"role": "assistant", "content": text}),
        _ => json!({"role": "assistant", "content": "ok"}),
    };
    (number, message)
}
