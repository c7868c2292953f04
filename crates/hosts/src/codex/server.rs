//! Codex CLI's server as a driven worker: JSON-RPC, an object a line. It asks us before each
//! command and each change of files; a change is asked about by the id that it was told to begin
//! with.

use super::drive::EXEC;
use crate::shared::drive::{AskedCall, Drive, Move, Opening, Permission};
use crate::shared::judge::number;
use crate::shared::limits::{self, Passes};
use text::json::text::quoted;
use text::json::{self, Object};

pub(super) const DRIVE: Drive = Drive {
    first: WORDS,
    again: WORDS,
    variables: &[],
    closes: false,
    open,
    heard,
    otherwise: Some(&EXEC),
};

const WORDS: &[&str] = &["app-server"];
/// Numbers of our own requests.
const START: &str = "0";
const THREAD: &str = "1";
const TURN: &str = "2";
/// What it may do without asking is look; what it does is kept to its work tree all the same.
const MANNERS: &str = r#""approvalPolicy":"untrusted","sandbox":"workspace-write""#;
/// Errors that are a limit of the model's.
const LIMITS: &[&str] = &[
    "usageLimitExceeded",
    "rateLimitExceeded",
    "serverOverloaded",
];
/// From this share of a window on it is what holds it up.
const FULL_PERCENT: u64 = 100;

fn request(id: &str, method: &str, params: &str) -> Move {
    Move::Tell(format!(
        r#"{{"id":{id},"method":"{method}","params":{params}}}"#
    ))
}

fn open(_: &Opening<'_>) -> Vec<String> {
    let params = r#"{"clientInfo":{"name":"tollgate","title":"Tollgate","version":"1"}}"#;
    vec![format!(
        r#"{{"id":{START},"method":"initialize","params":{params}}}"#
    )]
}

fn heard(line: &str, opening: &Opening<'_>) -> Vec<Move> {
    let Ok(message) = json::object(line) else {
        return Vec::new();
    };
    let id = message.get("id").map(|id| id.raw).unwrap_or_default();
    let params = message.get("params").and_then(|params| params.object());
    match (message.text("method"), params) {
        (None, _) => answered(id, &message, opening),
        (Some(method), Some(params)) if id.is_empty() => told(&method, &params),
        (Some(method), Some(params)) => vec![asked(&method, id, &params)],
        _ => Vec::new(),
    }
}

fn answered(id: &str, message: &Object<'_>, opening: &Opening<'_>) -> Vec<Move> {
    if let Some(error) = message.get("error").and_then(|error| error.object()) {
        let why = error.text("message").unwrap_or_default().into_owned();
        return vec![Move::Over(format!("it answers with an error: {why}"))];
    }
    match id {
        START => {
            let ready = Move::Tell(r#"{"method":"initialized"}"#.to_owned());
            let dir = quoted(opening.dir);
            vec![
                ready,
                match opening.is_again {
                    true => {
                        let session = quoted(opening.session);
                        let params = format!(r#"{{"threadId":{session},"cwd":{dir},{MANNERS}}}"#);
                        request(THREAD, "thread/resume", &params)
                    }
                    false => {
                        let params = format!(r#"{{"cwd":{dir},{MANNERS}}}"#);
                        request(THREAD, "thread/start", &params)
                    }
                },
            ]
        }
        THREAD => {
            let thread = || {
                let result = message.get("result")?.object()?;
                let thread = result.get("thread")?.object()?;
                Some(thread.text("id")?.into_owned())
            };
            let Some(thread) = thread() else {
                return vec![Move::Over("it began no session".to_owned())];
            };
            let input = format!(r#"[{{"type":"text","text":{}}}]"#, quoted(opening.prompt));
            let params = format!(r#"{{"threadId":{},"input":{input}}}"#, quoted(&thread));
            vec![Move::Session(thread), request(TURN, "turn/start", &params)]
        }
        _ => Vec::new(),
    }
}

fn told(method: &str, params: &Object<'_>) -> Vec<Move> {
    match method {
        "thread/tokenUsage/updated" => used(params).into_iter().collect(),
        "account/rateLimits/updated" => limit(params).into_iter().collect(),
        "item/started" => begins(params).into_iter().collect(),
        "turn/completed" => ended(params),
        _ => Vec::new(),
    }
}

fn used(params: &Object<'_>) -> Option<Move> {
    let usage = params.get("tokenUsage")?.object()?;
    let count = |name: &str| number(&usage.get(name)?.object()?, "totalTokens");
    Some(Move::TokensOfSession {
        all: count("total")?,
        last: count("last").unwrap_or(0),
    })
}

/// When the window ends that is used up. That alone ends no turn.
fn limit(params: &Object<'_>) -> Option<Move> {
    let limits = params.get("rateLimits")?.object()?;
    let windows = ["primary", "secondary"].into_iter();
    let full = windows.filter_map(|name| {
        let window = limits.get(name)?.object()?;
        let is_full = number(&window, "usedPercent")? >= FULL_PERCENT;
        number(&window, "resetsAt").filter(|_| is_full)
    });
    // Of two that are full the later one counts.
    full.max().map(|at| Move::Limited(Passes::At(at)))
}

fn begins(params: &Object<'_>) -> Option<Move> {
    let item = params.get("item")?.object()?;
    if item.text("type").as_deref() != Some("fileChange") {
        return None;
    }
    let changes = item.get("changes")?.items()?;
    let calls = changes
        .iter()
        .map(|change| change.object().map(|one| changed(&one)));
    Some(Move::Begins {
        id: item.text("id")?.into_owned(),
        // What cannot be read is nothing that may be done.
        calls: calls
            .collect::<Option<Vec<Option<AskedCall>>>>()?
            .into_iter()
            .collect::<Option<_>>()?,
    })
}

/// What a change of a file is.
fn changed(change: &Object<'_>) -> Option<AskedCall> {
    let path = change.text("path")?.into_owned();
    let kind = change.get("kind")?.object()?;
    Some(match kind.text("type").as_deref() {
        Some("add") => AskedCall::Write(path),
        Some("update") => match kind.text("move_path") {
            None => AskedCall::Write(path),
            Some(to) => AskedCall::Shell(format!("mv -- {} {}", word(&path), word(&to))),
        },
        _ => AskedCall::Shell(format!("rm -- {}", word(&path))),
    })
}

/// A word for a shell.
fn word(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn ended(params: &Object<'_>) -> Vec<Move> {
    let turn = params.get("turn").and_then(|turn| turn.object());
    let Some(turn) = turn else {
        return vec![Move::Over("it does not say how it ended".to_owned())];
    };
    let status = turn.text("status").unwrap_or_default();
    let error = turn.get("error").and_then(|error| error.object());
    let why = error.as_ref().and_then(|error| error.text("message"));
    let kind = error
        .as_ref()
        .and_then(|error| error.text("codexErrorInfo"));
    let why = match (&*status, why) {
        ("completed", _) => String::new(),
        (_, Some(why)) => why.into_owned(),
        (status, None) => format!("it stopped: {status}"),
    };
    let mut moves = Vec::new();
    if kind.is_some_and(|kind| LIMITS.contains(&&*kind)) && crate::limited(&why).is_none() {
        moves.push(Move::Limited(limits::passes(&why)));
    }
    moves.push(Move::Over(why));
    moves
}

/// A request of its own. What is no question for leave is something that we do not do.
fn asked(method: &str, id: &str, params: &Object<'_>) -> Move {
    let result = |result: &str| format!(r#"{{"id":{id},"result":{result}}}"#);
    let item = params.text("itemId").unwrap_or_default().into_owned();
    let call = match method {
        "item/commandExecution/requestApproval" => command(params, &item),
        "item/fileChange/requestApproval" => AskedCall::Begun(item),
        // Nobody is there to fill in a form, and nothing more than was said is given.
        "mcpServer/elicitation/request" => {
            return Move::Tell(result(r#"{"action":"decline"}"#));
        }
        "item/permissions/requestApproval" => {
            return Move::Tell(result(r#"{"permissions":{}}"#));
        }
        _ => {
            let error = r#"{"code":-32601,"message":"not offered"}"#;
            return Move::Tell(format!(r#"{{"id":{id},"error":{error}}}"#));
        }
    };
    Move::Ask(Box::new(Permission {
        call,
        yes: result(r#"{"decision":"accept"}"#),
        no: (result(r#"{"decision":"decline"}"#), String::new()),
    }))
}

/// A command, as the client's own hook is told of it.
fn command(params: &Object<'_>, item: &str) -> AskedCall {
    let Some(command) = params.text("command") else {
        return AskedCall::Begun(item.to_owned());
    };
    let text = |name: &str| quoted(&params.text(name).unwrap_or_default());
    // Of one that is wrapped into its shell the hook is told what is inside.
    let inner = || {
        let actions = params.get("commandActions")?.items()?;
        let [action] = &actions[..] else { return None };
        Some(action.object()?.text("command")?.into_owned())
    };
    let command = inner().unwrap_or_else(|| command.into_owned());
    AskedCall::Event {
        event: "PreToolUse",
        payload: format!(
            "{{\"session_id\":{},\"cwd\":{},\"hook_event_name\":\"PreToolUse\",\
             \"permission_mode\":\"default\",\"tool_name\":\"Bash\",\
             \"tool_input\":{{\"command\":{}}},\"tool_use_id\":{}}}",
            text("threadId"),
            text("cwd"),
            quoted(&command),
            quoted(item)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPENING: Opening<'static> = Opening {
        prompt: "do \"it\"",
        dir: "/w",
        session: "t0",
        is_again: false,
    };

    fn moves(line: &str) -> Vec<Move> {
        heard(line, &OPENING)
    }

    fn asks(line: &str) -> Permission {
        match &moves(line)[..] {
            [Move::Ask(asked)] => (**asked).clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_turn_is_begun_or_gone_on_with() {
        let said = moves(r#"{"id":0,"result":{"userAgent":"x"}}"#);
        assert!(matches!(&said[1], Move::Tell(line) if line.contains(r#""thread/start""#)));
        let again = Opening {
            is_again: true,
            ..OPENING
        };
        let said = heard(r#"{"id":0,"result":{}}"#, &again);
        let Move::Tell(line) = &said[1] else { panic!() };
        assert!(
            line.contains(r#""thread/resume","params":{"threadId":"t0""#),
            "{line}"
        );
        let said = moves(r#"{"id":1,"result":{"thread":{"id":"t1","turns":[]}}}"#);
        assert_eq!(said[0], Move::Session("t1".to_owned()));
        assert!(matches!(&said[1], Move::Tell(line) if line.contains(r#""do \"it\"""#)));
    }

    #[test]
    fn a_command_is_asked_about_as_its_hook_is_told_of_it() {
        let line = r#"{"id":7,"method":"item/commandExecution/requestApproval","params":{
            "threadId":"t1","itemId":"call_1","cwd":"/w","command":"/bin/bash -lc 'rm a \"b\"'",
            "commandActions":[{"type":"unknown","command":"rm a \"b\""}]}}"#;
        let asked = asks(line);
        let AskedCall::Event { payload, .. } = &asked.call else {
            panic!("{asked:?}")
        };
        assert!(json::object(payload).is_ok(), "{payload}");
        assert!(
            payload.contains(r#"{"command":"rm a \"b\""},"tool_use_id":"call_1""#),
            "{payload}"
        );
        assert_eq!(asked.yes, r#"{"id":7,"result":{"decision":"accept"}}"#);
        assert_eq!(
            asked.refused("x"),
            r#"{"id":7,"result":{"decision":"decline"}}"#
        );
    }

    #[test]
    fn a_change_is_asked_about_by_what_it_was_told_to_begin_with() {
        let line = r#"{"method":"item/started","params":{"item":{"type":"fileChange","id":"c2",
            "changes":[{"path":"/w/a","kind":{"type":"update","move_path":null}},
            {"path":"/w/it's","kind":{"type":"delete"}},{"path":"/w/n","kind":{"type":"add"}}]}}}"#;
        let calls = vec![
            AskedCall::Write("/w/a".to_owned()),
            AskedCall::Shell(r"rm -- '/w/it'\''s'".to_owned()),
            AskedCall::Write("/w/n".to_owned()),
        ];
        let id = "c2".to_owned();
        assert_eq!(moves(line), [Move::Begins { id, calls }]);
        let line =
            r#"{"id":1,"method":"item/fileChange/requestApproval","params":{"itemId":"c2"}}"#;
        assert_eq!(asks(line).call, AskedCall::Begun("c2".to_owned()));
        let form = r#"{"id":2,"method":"mcpServer/elicitation/request","params":{}}"#;
        assert!(matches!(&moves(form)[..], [Move::Tell(line)] if line.contains("decline")));
    }

    #[test]
    fn the_end_says_why_and_what_it_took() {
        let line = r#"{"method":"thread/tokenUsage/updated","params":{"tokenUsage":{
            "total":{"totalTokens":330},"last":{"totalTokens":110}}}}"#;
        assert_eq!(
            moves(line),
            [Move::TokensOfSession {
                all: 330,
                last: 110
            }]
        );
        let line = r#"{"method":"turn/completed","params":{"turn":{"status":"completed"}}}"#;
        assert_eq!(moves(line), [Move::Over(String::new())]);
        let line = r#"{"method":"turn/completed","params":{"turn":{"status":"failed","error":{
            "message":"no more for now","codexErrorInfo":"usageLimitExceeded"}}}}"#;
        let over = Move::Over("no more for now".to_owned());
        assert_eq!(moves(line), [Move::Limited(Passes::Unsaid), over]);
        let line = r#"{"method":"account/rateLimits/updated","params":{"rateLimits":{"primary":
            {"usedPercent":100,"resetsAt":1751000000},"secondary":{"usedPercent":7}}}}"#;
        assert_eq!(moves(line), [Move::Limited(Passes::At(1_751_000_000))]);
        assert_eq!(moves(&line.replace("100", "99")), []);
    }
}
