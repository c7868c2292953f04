//! The wire of chat completions, on which several clients ask a model of their user's own.

use serde_json::{Value, json};

use super::api::{Asked, Script, Turn};
use super::http::{Request, Response};

/// Answers one request.
pub fn answer(request: &Request, script: &Script) -> Response {
    if request.path.ends_with("/models") {
        let model = json!({"id": "scripted", "object": "model"});
        return Response::json(&json!({"object": "list", "data": [model]}));
    }
    if !request.path.ends_with("/chat/completions") {
        return Response::not_found(&json!({"error": {"message": "not served"}}));
    }
    let (number, message) = message(&request.body, script);
    let end = match message.get("tool_calls") {
        Some(_) => "tool_calls",
        None => "stop",
    };
    let streams = request.body.get("stream").and_then(Value::as_bool) == Some(true);
    let (object, part) = match streams {
        true => ("chat.completion.chunk", "delta"),
        false => ("chat.completion", "message"),
    };
    let whole = |message: &Value, end: Option<&str>| {
        json!({
            "id": format!("scripted-{number}"), "created": 1, "object": object,
            "model": request.body.get("model"),
            "choices": [{"index": 0, part: message, "finish_reason": end}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
        })
    };
    if !streams {
        return Response::json(&whole(&message, Some(end)));
    }
    let chunks = [whole(&message, None), whole(&json!({}), Some(end))];
    let chunks = chunks.map(|chunk| format!("data: {chunk}\n\n"));
    Response::events(chunks.concat() + "data: [DONE]\n\n")
}

/// The number of a request, and what the model says next in the lane that it belongs to.
fn message(body: &Value, script: &Script) -> (usize, Value) {
    let nothing = Value::Null;
    let conversation = body.get("messages").unwrap_or(&nothing);
    let role = |message: &Value, role: &str| message.get("role").is_some_and(|is| is == role);
    let messages = conversation.as_array().into_iter().flatten();
    // What hooks add may stand before the prompt in a message of its own.
    let before = messages.take_while(|message| !role(message, "assistant"));
    let users = before.filter(|message| role(message, "user"));
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
