//! The wire on which Codex CLI asks its model: the Responses API.

use serde_json::{Value, json};

use crate::api::{Asked, Script, Turn};
use crate::http::{Request, Response};

/// Answers one request.
pub fn answer(request: &Request, script: &Script) -> Response {
    if !request.path.ends_with("/responses") {
        return Response::not_found(&json!({"error": {"message": "not served"}}));
    }
    let body = &request.body;
    let nothing = Value::Null;
    let conversation = body.get("input").unwrap_or(&nothing);
    let (number, turn) = script.next(&Asked {
        body,
        conversation,
        first: &said_by_user(conversation),
        offers_tools: offers_tools(body, conversation),
    });
    let item = item(number, turn);
    let id = format!("resp_scripted_{number:04}");
    let usage = json!({"input_tokens": 100, "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 10, "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 110});
    let events = [
        json!({"type": "response.created", "response": {"id": id}}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed",
            "response": {"id": id, "output": [item], "usage": usage}}),
    ];
    let shown = events.iter().map(|event| {
        let name = event
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or_default();
        format!("event: {name}\ndata: {event}\n\n")
    });
    Response::events(shown.collect())
}

/// Whether the model may call anything. The sets of newer models stand in the conversation.
fn offers_tools(body: &Value, conversation: &Value) -> bool {
    let items = conversation.as_array().into_iter().flatten();
    let mut tools = items.chain([body]).filter_map(|one| one.get("tools"));
    tools.any(|tools| tools.as_array().is_some_and(|tools| !tools.is_empty()))
}

/// What users said in a conversation; a subagent's begins with what its starter said.
fn said_by_user(conversation: &Value) -> String {
    let items = conversation
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let is_user = |item: &&Value| item.get("role").is_some_and(|role| role == "user");
    let said: Vec<String> = items.iter().filter(is_user).map(Value::to_string).collect();
    said.join("\n")
}

/// One thing that the model does. A tool whose input is a text takes free text; a dot in its name
/// parts the namespace from it.
fn item(number: usize, turn: Turn) -> Value {
    let call = format!("call_scripted_{number:04}");
    match turn {
        Turn::Call(tool, Value::String(input)) => json!({
            "type": "custom_tool_call", "id": format!("ctc_{number}"), "call_id": call,
            "name": tool, "input": input, "status": "completed"}),
        Turn::Call(tool, input) => {
            let (space, name) = tool.rsplit_once('.').unwrap_or(("", tool));
            let mut item = json!({"type": "function_call", "id": format!("fc_{number}"),
                "call_id": call, "name": name, "arguments": input.to_string()});
            if let Some(item) = item.as_object_mut().filter(|_| !space.is_empty()) {
                item.insert("namespace".to_owned(), json!(space));
            }
            item
        }
        Turn::Say(text) => message(number, text),
        _ => message(number, "ok"),
    }
}

fn message(number: usize, text: &str) -> Value {
    json!({"type": "message", "id": format!("msg_{number}"), "role": "assistant",
        "content": [{"type": "output_text", "text": text, "annotations": []}]})
}
