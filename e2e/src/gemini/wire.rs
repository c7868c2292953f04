//! The wire on which Gemini CLI asks its model: generated content.

use serde_json::{Value, json};

use crate::api::{Asked, Script, Turn};
use crate::http::{Request, Response};

/// What the client asks its model beside the conversation, all in one: which model is to answer,
/// and who speaks next.
const BESIDE: &str = "{\"model_choice\":\"flash\",\"reasoning\":\"-\",\"complexity_score\":1,\
                      \"complexity_reasoning\":\"-\",\"next_speaker\":\"user\"}";

/// Answers one request.
pub fn answer(request: &Request, script: &Script) -> Response {
    let verb = request.path.rsplit(':').next().unwrap_or_default();
    match verb {
        "countTokens" => Response::json(&json!({"totalTokens": 100})),
        "generateContent" => Response::json(&reply(&request.body, script)),
        "streamGenerateContent" => {
            let reply = reply(&request.body, script);
            Response::events(format!("data: {reply}\r\n\r\n"))
        }
        _ => Response::not_found(&json!({"error": {"code": 404, "message": "-"}})),
    }
}

/// The next reply of the lane that the request belongs to.
fn reply(body: &Value, script: &Script) -> Value {
    let nothing = Value::Null;
    let conversation = body.get("contents").unwrap_or(&nothing);
    let first = conversation.as_array().and_then(|all| all.first());
    let tools = body.get("tools").and_then(Value::as_array);
    let offers_tools = tools.is_some_and(|tools| !tools.is_empty());
    let (number, turn) = script.next(&Asked {
        body,
        conversation,
        first: &first.map(Value::to_string).unwrap_or_default(),
        offers_tools,
    });
    let part = match turn {
        _ if !offers_tools => json!({"text": BESIDE}),
        Turn::Call(tool, input) => json!({"functionCall": {"name": tool, "args": input}}),
        Turn::Say(text) => json!({"text": text}),
        _ => json!({"text": "ok"}),
    };
    json!({
        "candidates": [{"content": {"role": "model", "parts": [part]},
            "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 10,
            "totalTokenCount": 110},
        "modelVersion": "scripted", "responseId": format!("scripted-{number}"),
    })
}
