//! A list of tools on its way back: what is in it is noted, and what a rule hides is left out.

use hosts::proxied::{self, Frame, Kind, Message, Tool, same_id};
use proxy::FRAME_BYTES_MAX;

/// The answer to questions for tools, as it comes.
pub struct Listed<'c> {
    /// Notes the tools, and says which are hidden.
    hidden: &'c dyn Fn(&[Tool<'_>]) -> Vec<String>,
    /// The ids of questions that have no answer yet, as their client spells them.
    ids: Vec<&'c str>,
    /// Whether it comes as events; else as one message.
    is_stream: bool,
    /// What came and did not go on yet.
    held: Vec<u8>,
    /// Whether it is known: the rest goes on as it comes.
    is_over: bool,
}

impl<'c> Listed<'c> {
    pub fn new(
        ids: Vec<&'c str>,
        is_stream: bool,
        hidden: &'c dyn Fn(&[Tool<'_>]) -> Vec<String>,
    ) -> Self {
        Self {
            hidden,
            ids,
            is_stream,
            held: Vec::new(),
            is_over: false,
        }
    }

    /// What goes on once this has come.
    pub fn part(&mut self, part: &[u8]) -> Vec<u8> {
        self.held.extend(part);
        let mut out = Vec::new();
        while self.is_stream && !self.is_over {
            let Some(end) = end_of_event(&self.held) else {
                break;
            };
            let event: Vec<u8> = self.held.drain(..end).collect();
            out.extend(self.event(&event).unwrap_or(event));
        }
        if self.is_over || self.held.len() > FRAME_BYTES_MAX {
            self.is_over = true;
            out.append(&mut self.held);
        }
        out
    }

    /// What goes on at the end.
    pub fn end(mut self) -> Vec<u8> {
        let held = std::mem::take(&mut self.held);
        match self.is_stream || self.is_over {
            true => held,
            false => self.frame(&held).map_or(held, String::into_bytes),
        }
    }

    /// An event with another message in it; nothing for one that stays as it is.
    fn event(&mut self, event: &[u8]) -> Option<Vec<u8>> {
        let text = std::str::from_utf8(event).ok()?;
        let data = |line: &'_ str| {
            let data = line.strip_prefix("data:")?;
            Some(data.strip_prefix(' ').unwrap_or(data).to_owned())
        };
        let frame: Vec<String> = text.lines().filter_map(data).collect();
        let shorter = self.frame(frame.join("\n").as_bytes())?;
        let others = text
            .lines()
            .filter(|line| data(line).is_none() && !line.is_empty());
        let mut lines: Vec<String> = others.map(str::to_owned).collect();
        lines.extend(shorter.lines().map(|line| format!("data: {line}")));
        Some(format!("{}\n\n", lines.join("\n")).into_bytes())
    }

    /// The frame without what is hidden in it; nothing for one that is to arrive as it is.
    fn frame(&mut self, frame: &[u8]) -> Option<String> {
        let frame = frame.trim_ascii();
        let text = std::str::from_utf8(frame).ok()?;
        let messages = match proxied::frame(frame) {
            Frame::One(message) => vec![message],
            Frame::Many(messages) => messages,
            Frame::Other | Frame::Doubtful => return None,
        };
        let (mut shorter, mut at) = (String::new(), 0);
        for message in &messages {
            let Some(without) = self.message(message) else {
                continue;
            };
            // It borrows from the text.
            let start = message.raw.as_ptr().addr() - text.as_ptr().addr();
            shorter.push_str(text.get(at..start)?);
            shorter.push_str(&without);
            at = start + message.raw.len();
        }
        shorter.push_str(text.get(at..)?);
        (at > 0).then_some(shorter)
    }

    /// A message without what is hidden; nothing for one that stays as it is.
    fn message(&mut self, message: &Message<'_>) -> Option<String> {
        let Kind::Answer(result) = message.kind else {
            return None;
        };
        let mut ids = self.ids.iter();
        let asked = ids.position(|id| same_id(id, message.id))?;
        self.ids.remove(asked);
        self.is_over = self.ids.is_empty();
        let hidden = (self.hidden)(&proxied::tools(result));
        if hidden.is_empty() {
            return None;
        }
        proxied::without(message.raw, |name| hidden.iter().any(|one| one == name))
    }
}

/// Where the first event ends; nothing if it has not come whole.
fn end_of_event(held: &[u8]) -> Option<usize> {
    let ends = ["\n\n", "\r\n\r\n"].iter().filter_map(|end| {
        let at = held
            .windows(end.len())
            .position(|part| part == end.as_bytes());
        at.map(|at| at + end.len())
    });
    ends.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = r#"{"id":4,"result":{"tools":[{"name":"a"},{"name":"b"}]},"jsonrpc":"2.0"}"#;
    const SHORTER: &str = r#"{"id":4,"result":{"tools":[{"name":"a"}]},"jsonrpc":"2.0"}"#;

    /// What arrives of a text that comes in parts of so many bytes.
    fn arrives(text: &str, (is_stream, bytes): (bool, usize), hidden: &[&str]) -> String {
        let hidden = |tools: &[Tool<'_>]| {
            let names = tools.iter().map(|tool| tool.name.clone().into_owned());
            names
                .filter(|name| hidden.contains(&name.as_str()))
                .collect()
        };
        let mut list = Listed::new(vec!["4"], is_stream, &hidden);
        let mut out = Vec::new();
        for part in text.as_bytes().chunks(bytes) {
            out.extend(list.part(part));
        }
        out.extend(list.end());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_is_hidden_is_left_out_however_it_comes() {
        let events = |list: &str| {
            format!(
                ": hello\n\nevent: message\nid: 1\ndata: {{\"method\":\"x\"}}\n\nevent: message\n\
                 id: 2\ndata: {list}\n\nid: 3\ndata: {LIST}\n\nrest"
            )
        };
        for bytes in [1, 7, 4_096] {
            assert_eq!(arrives(LIST, (false, bytes), &["b"]), SHORTER);
            assert_eq!(arrives(LIST, (false, bytes), &[]), LIST);
            assert_eq!(arrives("no list", (false, bytes), &["b"]), "no list");
            let all = events(LIST);
            assert_eq!(arrives(&all, (true, bytes), &[]), all);
            assert_eq!(arrives(&all, (true, bytes), &["b"]), events(SHORTER));
        }
    }

    #[test]
    fn lists_in_an_array_are_lists() {
        let hidden = |tools: &[Tool<'_>]| {
            assert!(!tools.is_empty());
            vec!["b".to_owned()]
        };
        let other = LIST.replace("\"id\":4", "\"id\":\"x\"");
        let array = |list: &str, other: &str| {
            format!("[{{\"id\":9,\"result\":{{\"tools\":[]}}}}, {list},\n {other}]")
        };
        let (whole, wanted) = (
            array(LIST, &other),
            array(SHORTER, &SHORTER.replace("\"id\":4", "\"id\":\"x\"")),
        );
        for is_stream in [false, true] {
            let mut listed = Listed::new(vec!["4", "\"x\""], is_stream, &hidden);
            let said = match is_stream {
                true => format!("data: {}\n\n", whole.replace('\n', "\ndata: ")),
                false => whole.clone(),
            };
            let mut out = listed.part(said.as_bytes());
            out.extend(listed.end());
            let out = String::from_utf8(out).unwrap();
            assert_eq!(out.replace("data: ", "").trim_end(), wanted, "{is_stream}");
        }
        // A question that was asked alone may be answered so, too.
        let shorter = array(SHORTER, &other);
        let mut listed = Listed::new(vec!["4"], false, &hidden);
        assert_eq!(listed.part(whole.as_bytes()), b"");
        assert_eq!(String::from_utf8(listed.end()).unwrap(), shorter);
    }
}
