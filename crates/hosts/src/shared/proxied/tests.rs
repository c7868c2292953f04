//! Frames as clients send them, and as somebody would who wants a call to pass unseen.

use super::*;
use crate::Wire;
use model::{Call, EventKind, Time};

fn kind(text: &str) -> Option<Kind<'_>> {
    match frame(text.as_bytes()) {
        Frame::One(message) => Some(message.kind),
        _ => None,
    }
}

#[test]
fn a_call_is_found_with_what_its_client_says_of_it() {
    let text = r#"{"jsonrpc":"2.0","id":7,"method":"tools\/call","params":{"name":"w","arguments":
        {"a":1},"_meta":{"progressToken":"t","claudecode/toolUseId":"toolu_1"}}}"#;
    let text = text.replace('\n', " ");
    let Some(Kind::Call(call)) = kind(&text) else {
        panic!("{:?}", frame(text.as_bytes()));
    };
    assert_eq!((call.tool.as_ref(), call.token), ("w", "\"t\""));
    assert_eq!(call.named, "toolu_1");
    let payload = asked(
        &call,
        Question {
            server: "files",
            session: "s-1",
            id: "c-1",
            change: "it is new",
        },
    );
    let wire = Wire {
        event: CALL,
        bytes: &payload,
        env: &|_| None,
        time: Time(1),
    };
    let event = (PROXY.decode)(&wire).unwrap();
    assert_eq!(
        (event.session.as_str(), event.call_id.as_str()),
        ("s-1", "c-1")
    );
    let EventKind::ToolBefore(Call::Mcp { server, tool, args }) = event.kind else {
        panic!("{:?}", event.kind);
    };
    assert_eq!((server.as_ref(), tool.as_ref()), ("files", "w"));
    let args: Vec<(&str, &str)> = args.iter().map(|(name, arg)| (&**name, &**arg)).collect();
    assert_eq!(args, [("a", "1"), (model::TOOL_CHANGED, "it is new")]);
}

#[test]
fn what_could_be_taken_for_a_call_is_doubtful() {
    let call = r#""method":"tools/call","params":{"name":"w","arguments":{}}"#;
    for text in [
        format!("{{\"method\":\"ping\",{call}}}"),
        format!("{{{call},\"params\":{{\"name\":\"r\"}}}}"),
        call.replace("method", "Method").replace("\"Me", "{\"Me") + "}",
        format!("{{{}}}", call.replace("params", "param\u{17f}")),
        format!(
            "{{{}}}",
            call.replace("\"name\":\"w\"", "\"name\":\"r\",\"Name\":\"w\"")
        ),
        format!(
            "{{{}}}",
            call.replace("\"arguments\"", "\"name\":\"x\",\"arguments\"")
        ),
        format!("{{{}}}", call.replace("\"name\":\"w\",", "")),
        format!("{{\"a\":\r{{{call}}}\r}}"),
        format!("{{{call}}} x"),
        format!("[{{{call}}},{{\"id\":1,\"Id\":2}}]"),
        "{\"method\":\"tools/c\\u0061ll\",}".to_owned(),
        format!(
            "{{\"deep\":{}{}, {call}}}",
            "[".repeat(300),
            "]".repeat(300)
        ),
    ] {
        assert_eq!(frame(text.as_bytes()), Frame::Doubtful, "{text}");
    }
    let mut bytes = format!("{{\"x\":\"\u{e9}\",{call}}}").into_bytes();
    bytes.retain(|byte| *byte != 0xc3);
    assert_eq!(frame(&bytes), Frame::Doubtful);
}

#[test]
fn everything_else_goes_its_way() {
    for text in ["", "hello", "{\"a\":", "12", "\u{0}".trim_matches('\u{0}')] {
        assert_eq!(frame(text.as_bytes()), Frame::Other, "{text}");
    }
    assert_eq!(kind(r#"{"id":1,"method":"tools/list"}"#), Some(Kind::List));
    let hello = r#"{"id":0,"method":"initialize","params":{"clientInfo":{"name":"c"}}}"#;
    assert_eq!(kind(hello), Some(Kind::Hello("c".into())));
    let hello = r#"{"id":0,"method":"server/discover","params":{"_meta":
        {"io.modelcontextprotocol/clientInfo":{"name":"c"}}}}"#
        .replace('\n', " ");
    assert_eq!(kind(&hello), Some(Kind::Hello("c".into())));
    let cancel = r#"{"method":"notifications/cancelled","params":{"requestId":"a"}}"#;
    assert_eq!(kind(cancel), Some(Kind::Cancel("\"a\"")));
    assert_eq!(
        kind(r#"{"id":1,"error":{"code":1}}"#),
        Some(Kind::Answer(""))
    );
    let Frame::Many(messages) = frame(br#"[{"id":1,"method":"ping"},{"method":"x"}]"#) else {
        panic!();
    };
    assert_eq!(messages[0].raw, r#"{"id":1,"method":"ping"}"#);
    assert!(same_id("\"a\"", "\"\\u0061\"") && same_id("1", "1") && !same_id("1", "\"1\""));
}

#[test]
fn what_we_say_is_a_frame() {
    let said = refusal(Refusal {
        id: "7",
        why: "no\u{1b}[2J \"x\"",
    });
    let wanted = r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"no [2J \"x\""}],"isError":true}}"#;
    assert_eq!(String::from_utf8(said).unwrap(), format!("{wanted}\n"));
    let said = String::from_utf8(progress("\"t\"", 2, "waits")).unwrap();
    assert!(
        said.contains(r#""progressToken":"t","progress":2,"message":"waits""#),
        "{said}"
    );
    let said = String::from_utf8(failure("", -32_600, "no")).unwrap();
    assert!(
        said.contains(r#""id":null,"error":{"code":-32600,"message":"no"}"#),
        "{said}"
    );
}

#[test]
fn a_hidden_tool_is_cut_out_and_every_other_byte_stays() {
    let list = r#"{"id":1, "result":{"tools":[ {"name":"a","description":"d\u0061"}, {"name":"b"} ],"x":1}} "#;
    let Frame::One(Message {
        kind: Kind::Answer(result),
        ..
    }) = frame(list.as_bytes())
    else {
        panic!();
    };
    let found = tools(result);
    assert_eq!(
        (found[0].name.as_ref(), found[0].description.as_ref()),
        ("a", "da")
    );
    let left = without(list, |name| name == "b").unwrap();
    let wanted = r#"{"id":1, "result":{"tools":[{"name":"a","description":"d\u0061"}],"x":1}} "#;
    assert_eq!(left, wanted);
    assert_eq!(tools("[]"), []);
    assert_eq!(without("{}", |_| true), None);
}
