//! Claude Code as a driven worker: objects both ways, and it asks us where it would ask its human.

use crate::shared::drive::{AskedCall, Drive, Move, Opening, Permission};
use crate::shared::judge::{number, sum};
use crate::shared::limits::Passes;
use text::json::text::quoted;
use text::json::{self, Object};

pub(super) const DRIVE: Drive = Drive {
    first: &[
        "-p",
        "--input-format",
        "stream-json",
        "--output-format",
        "stream-json",
        "--verbose",
        "--permission-prompt-tool",
        "stdio",
        "--session-id",
        "{session}",
    ],
    again: &[
        "-p",
        "--input-format",
        "stream-json",
        "--output-format",
        "stream-json",
        "--verbose",
        "--permission-prompt-tool",
        "stdio",
        "--resume",
        "{session}",
    ],
    variables: &[
        // Nobody would wait for what goes on behind.
        ("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
    ],
    closes: false,
    open,
    heard,
    otherwise: None,
};

fn open(opening: &Opening<'_>) -> Vec<String> {
    vec![format!(
        r#"{{"type":"user","message":{{"role":"user","content":[{{"type":"text","text":{}}}]}}}}"#,
        quoted(opening.prompt)
    )]
}

fn heard(line: &str, opening: &Opening<'_>) -> Vec<Move> {
    let Ok(message) = json::object(line) else {
        return Vec::new();
    };
    match message.text("type").as_deref() {
        Some("control_request") => asked(&message, opening).into_iter().collect(),
        Some("rate_limit_event") => limited(&message).into_iter().collect(),
        Some("result") => ended(&message),
        _ => Vec::new(),
    }
}

/// What its model refuses is told with the time at which it goes on.
fn limited(message: &Object<'_>) -> Option<Move> {
    let info = message.get("rate_limit_info")?.object()?;
    let is_refused = info.text("status").as_deref() == Some("rejected");
    let is_refused = is_refused && !info.is_true("isUsingOverage");
    let at = number(&info, "resetsAt").map_or(Passes::Unsaid, Passes::At);
    is_refused.then_some(Move::Limited(at))
}

fn ended(result: &Object<'_>) -> Vec<Move> {
    let why = match result.is_true("is_error") {
        false => String::new(),
        true => match result.text("result").unwrap_or_default().trim() {
            "" => result.text("subtype").unwrap_or_default().into_owned(),
            text => text.to_owned(),
        },
    };
    let names = [
        "input_tokens",
        "output_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
    ];
    let usage = result.get("usage").and_then(|usage| usage.object());
    let tokens = usage.and_then(|usage| sum(&usage, &names));
    tokens
        .map(Move::Tokens)
        .into_iter()
        .chain([Move::Over(why)])
        .collect()
}

/// It asks whether a tool may be used; anything else it is told that we do not do.
fn asked(message: &Object<'_>, opening: &Opening<'_>) -> Option<Move> {
    let id = message.text("request_id")?.into_owned();
    let request = message.get("request")?.object()?;
    let answer = |kind: &str| {
        format!(
            r#"{{"type":"control_response","response":{{"subtype":"{kind}","request_id":{},"#,
            quoted(&id)
        )
    };
    if request.text("subtype").as_deref() != Some("can_use_tool") {
        let refused = [&answer("error"), r#""error":"not offered"}}"#].concat();
        return Some(Move::Tell(refused));
    }
    let input = request.get("input").map_or("{}", |input| input.raw);
    let tool = request.text("tool_name").unwrap_or_default().into_owned();
    let call = request.text("tool_use_id").unwrap_or_default().into_owned();
    let payload = format!(
        "{{\"session_id\":{},\"cwd\":{},\"permission_mode\":\"default\",\
         \"hook_event_name\":\"PreToolUse\",\"tool_name\":{},\"tool_input\":{input},\
         \"tool_use_id\":{}}}",
        quoted(opening.session),
        quoted(opening.dir),
        quoted(&tool),
        quoted(&call)
    );
    let begin = [&answer("success"), r#""response":"#].concat();
    Some(Move::Ask(Box::new(Permission {
        call: AskedCall::Event {
            event: "PreToolUse",
            payload,
        },
        yes: format!(r#"{begin}{{"behavior":"allow","updatedInput":{input}}}}}}}"#),
        no: (
            format!(r#"{begin}{{"behavior":"deny","message":"#),
            "}}}".to_owned(),
        ),
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPENING: Opening<'static> = Opening {
        prompt: "do it",
        dir: "/w",
        session: "s1",
        is_again: false,
    };

    #[test]
    fn a_question_is_answered_in_its_own_words() {
        let line = r#"{"type":"control_request","request_id":"r1","request":{
            "subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"},
            "tool_use_id":"t1"}}"#;
        let [Move::Ask(asked)] = &heard(line, &OPENING)[..] else {
            panic!("it is a question")
        };
        let AskedCall::Event { payload, .. } = &asked.call else {
            panic!("it is a call")
        };
        assert!(
            payload.contains(r#""tool_input":{"command":"ls"}"#),
            "{payload}"
        );
        for line in [&asked.yes, &asked.refused("say \"no\"")] {
            assert!(json::object(line).is_ok(), "{line}");
        }
        assert!(asked.refused("a \"b\"").contains(r#""message":"a \"b\""}"#));
        let other = line.replace("can_use_tool", "hook_callback");
        assert!(
            matches!(&heard(&other, &OPENING)[..], [Move::Tell(line)] if line.contains("error"))
        );
    }

    #[test]
    fn the_end_says_what_it_took() {
        let line = r#"{"type":"result","is_error":false,"result":"done",
            "usage":{"input_tokens":3,"output_tokens":4}}"#;
        let over = |why: &str| Move::Over(why.to_owned());
        assert_eq!(heard(line, &OPENING), [Move::Tokens(7), over("")]);
        let failed = r#"{"type":"result","is_error":true,"subtype":"error_max_turns"}"#;
        assert_eq!(heard(failed, &OPENING), [over("error_max_turns")]);
        assert_eq!(heard("text", &OPENING), []);
    }

    #[test]
    fn a_limit_says_when_it_passes() {
        let line = r#"{"type":"rate_limit_event","rate_limit_info":{"status":"rejected",
            "resetsAt":1751000000,"rateLimitType":"five_hour"}}"#;
        let at = Move::Limited(Passes::At(1_751_000_000));
        assert_eq!(heard(line, &OPENING), [at]);
        for goes_on in [
            line.replace("rejected", "allowed_warning"),
            line.replace("\"five_hour\"", "\"five_hour\",\"isUsingOverage\":true"),
        ] {
            assert_eq!(heard(&goes_on, &OPENING), [], "{goes_on}");
        }
    }
}
