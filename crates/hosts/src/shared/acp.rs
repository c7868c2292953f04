//! The agent client protocol over standard input and output: JSON-RPC, an object a line. A turn is
//! a session; its end is the answer to its prompt, which no clock of ours shortens. Must not know
//! any host's names.

use crate::shared::drive::{AskedCall, Move, Opening, Permission};
use text::json::text::quoted;
use text::json::{self, Object};

/// Numbers of our own requests.
const START: &str = "0";
const SESSION: &str = "1";
const PROMPT: &str = "2";

/// The first request: what we can do for it, which is nothing.
pub(crate) fn open(_: &Opening<'_>) -> Vec<String> {
    vec![request(
        START,
        "initialize",
        concat!(
            r#"{"protocolVersion":1,"clientInfo":{"name":"tollgate","version":"1"},"#,
            r#""clientCapabilities":{"terminal":false,"#,
            r#""fs":{"readTextFile":false,"writeTextFile":false}}}"#
        ),
    )]
}

fn request(id: &str, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

/// What a line means.
pub(crate) fn heard(line: &str, opening: &Opening<'_>) -> Vec<Move> {
    let Ok(message) = json::object(line) else {
        return Vec::new();
    };
    let id = message.get("id").map(|id| id.raw).unwrap_or_default();
    match message.text("method") {
        Some(method) if id.is_empty() => told(&method, &message),
        Some(method) => vec![asked(&method, id, &message)],
        None => answered(id, &message, opening),
    }
}

fn answered(id: &str, message: &Object<'_>, opening: &Opening<'_>) -> Vec<Move> {
    if let Some(error) = message.get("error").and_then(|error| error.object()) {
        let why = error.text("message").unwrap_or_default().into_owned();
        return vec![Move::Over(match why.is_empty() {
            true => "it answers with an error".to_owned(),
            false => why,
        })];
    }
    let result = message.get("result").and_then(|result| result.object());
    match id {
        START => {
            let params = format!(r#"{{"cwd":{},"mcpServers":[]}}"#, quoted(opening.dir));
            vec![Move::Tell(request(SESSION, "session/new", &params))]
        }
        SESSION => {
            let session = result.and_then(|result| Some(result.text("sessionId")?.into_owned()));
            let Some(session) = session else {
                return vec![Move::Over("it began no session".to_owned())];
            };
            let params = format!(
                r#"{{"sessionId":{},"prompt":[{{"type":"text","text":{}}}]}}"#,
                quoted(&session),
                quoted(opening.prompt)
            );
            let prompt = request(PROMPT, "session/prompt", &params);
            vec![Move::Session(session), Move::Tell(prompt)]
        }
        PROMPT => {
            let reason = result.and_then(|result| Some(result.text("stopReason")?.into_owned()));
            vec![Move::Over(match reason.as_deref() {
                Some("end_turn") => String::new(),
                Some(other) => format!("it stopped: {other}"),
                None => "it does not say how it ended".to_owned(),
            })]
        }
        _ => Vec::new(),
    }
}

/// Updates say what is used, where they do.
fn told(method: &str, message: &Object<'_>) -> Vec<Move> {
    let used = || {
        let params = message.get("params")?.object()?;
        let update = params.get("update")?.object()?;
        let usage = update.get("usage")?.object()?;
        usage.get("totalTokens")?.scalar()?.parse::<u64>().ok()
    };
    match method {
        "session/update" => used().map(Move::Tokens).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// A request of the client's. What is no question for leave is something that we do not do.
fn asked(method: &str, id: &str, message: &Object<'_>) -> Move {
    if method != "session/request_permission" {
        return Move::Tell(format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"not offered"}}}}"#
        ));
    }
    let params = message.get("params").and_then(|params| params.object());
    let choose = |kinds: &[&str]| {
        let options = params.as_ref()?.get("options")?.items()?;
        let options: Vec<Object<'_>> = options.iter().filter_map(|one| one.object()).collect();
        // By its kind: the first may be anything.
        let of = |kind: &&&str| {
            let mut options = options.iter();
            let found = options.find(|one| one.text("kind").as_deref() == Some(**kind))?;
            Some(found.text("optionId")?.into_owned())
        };
        kinds.iter().find_map(|kind| of(&kind))
    };
    let answer = |option: Option<String>| {
        let outcome = option.map_or_else(
            || r#"{"outcome":"cancelled"}"#.to_owned(),
            |option| format!(r#"{{"outcome":"selected","optionId":{}}}"#, quoted(&option)),
        );
        format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"outcome":{outcome}}}}}"#)
    };
    let call = params
        .as_ref()
        .and_then(|params| params.get("toolCall")?.object());
    Move::Ask(Box::new(Permission {
        call: call.map_or(AskedCall::Other(String::new()), |call| called(&call)),
        yes: answer(choose(&["allow_once"])),
        no: (
            answer(choose(&["reject_once", "reject_always"])),
            String::new(),
        ),
    }))
}

/// What a tool call is, as far as its kind and its input say.
fn called(call: &Object<'_>) -> AskedCall {
    let input = call.get("rawInput").and_then(|input| input.object());
    let of_input = |names: &[&str]| {
        let input = input.as_ref()?;
        let found = names.iter().find_map(|name| input.text(name))?;
        Some(found.into_owned())
    };
    let path = || {
        let places = call.get("locations")?.items()?;
        let place = places.first()?.object()?;
        Some(place.text("path")?.into_owned())
    };
    let title = || call.text("title").unwrap_or_default().into_owned();
    match call.text("kind").as_deref() {
        Some("execute") => match of_input(&["command", "cmd"]) {
            Some(command) => AskedCall::Shell(command),
            None => AskedCall::Other(title()),
        },
        Some("edit") => {
            let named = of_input(&["filepath", "file_path", "path"]).or_else(path);
            named.map_or_else(|| AskedCall::Other(title()), AskedCall::Write)
        }
        Some("read" | "search" | "think") => AskedCall::Read(
            of_input(&["filepath", "file_path", "path"])
                .or_else(path)
                .unwrap_or_default(),
        ),
        _ => AskedCall::Other(title()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPENING: Opening<'static> = Opening {
        prompt: "do \"it\"",
        dir: "/w",
        session: "",
        is_again: false,
    };

    #[test]
    fn a_turn_is_a_session_with_one_prompt() {
        let moves = |line: &str| heard(line, &OPENING);
        let [first] = &open(&OPENING)[..] else {
            panic!("one line begins it")
        };
        assert!(first.contains(r#""id":0,"method":"initialize""#), "{first}");
        let [Move::Tell(new)] = &moves(r#"{"jsonrpc":"2.0","id":0,"result":{}}"#)[..] else {
            panic!("a session is asked for")
        };
        assert!(
            new.contains(r#""session/new","params":{"cwd":"/w","mcpServers":[]}"#),
            "{new}"
        );
        let begun = moves(r#"{"id":1,"result":{"sessionId":"s1"}}"#);
        assert_eq!(begun[0], Move::Session("s1".to_owned()));
        assert!(matches!(&begun[1], Move::Tell(line) if line.contains(r#""do \"it\"""#)));
        let over = |why: &str| vec![Move::Over(why.to_owned())];
        assert_eq!(
            moves(r#"{"id":2,"result":{"stopReason":"end_turn"}}"#),
            over("")
        );
        let refused = moves(r#"{"id":2,"result":{"stopReason":"refusal"}}"#);
        assert_eq!(refused, over("it stopped: refusal"));
        assert_eq!(
            moves(r#"{"id":1,"error":{"message":"no key"}}"#),
            over("no key")
        );
        assert_eq!(moves("Loaded."), []);
        let unknown = moves(r#"{"id":7,"method":"fs/read_text_file","params":{}}"#);
        assert!(matches!(&unknown[..], [Move::Tell(line)] if line.contains("-32601")));
    }

    #[test]
    fn what_may_be_done_is_chosen_by_its_kind() {
        let line = r#"{"id":5,"method":"session/request_permission","params":{"toolCall":{
            "kind":"execute","title":"run","rawInput":{"command":"rm -rf x"}},"options":[
            {"optionId":"a","kind":"allow_always"},{"optionId":"b","kind":"reject_once"},
            {"optionId":"c","kind":"allow_once"}]}}"#;
        let [Move::Ask(asked)] = &heard(line, &OPENING)[..] else {
            panic!("it is a question")
        };
        assert_eq!(asked.call, AskedCall::Shell("rm -rf x".to_owned()));
        assert!(asked.yes.contains(r#""optionId":"c""#), "{}", asked.yes);
        assert!(asked.refused("no").contains(r#""optionId":"b""#));
        // Where no option is for once, nothing is chosen.
        let always = line.replace("allow_once", "other");
        let [Move::Ask(asked)] = &heard(&always, &OPENING)[..] else {
            panic!("it is a question")
        };
        assert!(asked.yes.contains("cancelled"), "{}", asked.yes);
        let edit = line
            .replace("execute", "edit")
            .replace("command", "filepath");
        let [Move::Ask(asked)] = &heard(&edit, &OPENING)[..] else {
            panic!("it is a question")
        };
        assert_eq!(asked.call, AskedCall::Write("rm -rf x".to_owned()));
    }
}
