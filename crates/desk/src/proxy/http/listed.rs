//! A list of tools on its way back: what is in it is noted, and what a rule hides is left out.

use hosts::proxied::{self, Frame, Kind, Tool, same_id};
use proxy::FRAME_BYTES_MAX;

/// The answer to a question for tools, as it comes.
pub struct Listed<'c> {
    /// Notes the tools, and says which are hidden.
    hidden: &'c dyn Fn(&[Tool<'_>]) -> Vec<String>,
    /// The question's id, as its client spells it.
    id: &'c str,
    /// Whether it comes as events; else as one message.
    is_stream: bool,
    /// What came and did not go on yet.
    held: Vec<u8>,
    /// Whether it is known: the rest goes on as it comes.
    is_over: bool,
}

impl<'c> Listed<'c> {
    pub fn new(
        id: &'c str,
        is_stream: bool,
        hidden: &'c dyn Fn(&[Tool<'_>]) -> Vec<String>,
    ) -> Self {
        Self {
            hidden,
            id,
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

    /// The list without what is hidden; nothing for what is to arrive as it is.
    fn frame(&mut self, frame: &[u8]) -> Option<String> {
        let Frame::One(message) = proxied::frame(frame.trim_ascii()) else {
            return None;
        };
        let Kind::Answer(result) = message.kind else {
            return None;
        };
        if !same_id(self.id, message.id) {
            return None;
        }
        self.is_over = true;
        let hidden = (self.hidden)(&proxied::tools(result));
        if hidden.is_empty() {
            return None;
        }
        let text = std::str::from_utf8(frame).ok()?;
        proxied::without(text, |name| hidden.iter().any(|one| one == name))
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
        let mut list = Listed::new("4", is_stream, &hidden);
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
}
