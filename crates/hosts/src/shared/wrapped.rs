//! Servers of tools in a host's settings that are started through our proxy: what starts them is
//! put behind ours, and comes out again to the byte. Must not know any host's names.

use std::ops::Range;

use crate::shared::nested::root;
use crate::shared::settings::SettingsError;
use text::json::{self, Object, Value, text::quoted};

/// The word of our command line that starts the proxy.
const WORD: &str = "proxy";
/// What stands in front of a server's own command, its name aside.
const MARKS: [&str; 2] = ["--name", "--"];
/// How many words of ours are in front of it.
const OURS: usize = 4;
/// The list of arguments that we made where there was none; nobody else spells it so.
const MADE: &str = ", \"args\":[";
/// The same in TOML.
const MADE_LINE: &str = "args=[";

/// How a host's settings name what starts a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerForm {
    /// An object with `command` and `args`, below this member.
    Split(&'static str),
    /// An object with one list `command`, below this member.
    List(&'static str),
    /// A table of TOML whose name begins so.
    Table(&'static str),
}

/// A server that a user named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedServer {
    /// What it is called.
    pub name: String,
    /// What starts it, without what is ours; empty if it is no program of this machine.
    pub command: Vec<String>,
    /// Whether it is started through our proxy.
    pub is_wrapped: bool,
}

/// A replacement of a part of a text.
struct Change {
    start: usize,
    end: usize,
    text: String,
}

/// Reads an entry: the whole text, the entry, its name and the program that is ours.
type Read = fn(&str, &Object<'_>, (&str, &str)) -> Option<Entry>;

/// A server's entry, with where its command lies.
struct Entry {
    server: NamedServer,
    /// What makes it ours, or takes ours out; nothing if there is nothing to do.
    changes: Vec<Change>,
}

impl ServerForm {
    /// The servers that a text names.
    ///
    /// # Errors
    /// If it cannot be read as what it should be.
    pub fn servers(self, text: &str) -> Result<Vec<NamedServer>, SettingsError> {
        let entries = self.entries(text, "")?.into_iter();
        Ok(entries.map(|entry| entry.server).collect())
    }

    /// The text in which a server is started through the proxy that is this program.
    ///
    /// # Errors
    /// As [`ServerForm::servers`].
    pub fn wrap(self, text: &str, name: &str, program: &str) -> Result<String, SettingsError> {
        let entries = self.entries(text, program)?.into_iter();
        let meant = entries.filter(|entry| entry.server.name == name && !entry.server.is_wrapped);
        Ok(changed(
            text,
            meant.flat_map(|entry| entry.changes).collect(),
        ))
    }

    /// The text in which no server is started through our proxy.
    ///
    /// # Errors
    /// As [`ServerForm::servers`].
    pub fn unwrap(self, text: &str) -> Result<String, SettingsError> {
        let entries = self.entries(text, "")?.into_iter();
        let ours = entries.filter(|entry| entry.server.is_wrapped);
        Ok(changed(
            text,
            ours.flat_map(|entry| entry.changes).collect(),
        ))
    }

    /// What a key of a server is set to, if that is a whole number.
    #[must_use]
    pub fn number(self, text: &str, of: (&str, &str)) -> Option<u64> {
        self.number_at(text, of).map(|(_, number)| number)
    }

    /// The text in which a key of a server that is set to less is set to this number.
    #[must_use]
    pub fn raised(self, text: &str, of: (&str, &str), to: u64) -> String {
        let mut raised = text.to_owned();
        if let Some((at, number)) = self.number_at(text, of)
            && number < to
        {
            raised.replace_range(at, &to.to_string());
        }
        raised
    }

    /// Where the number stands, too.
    fn number_at(self, text: &str, (name, key): (&str, &str)) -> Option<(Range<usize>, u64)> {
        let at = match self {
            Self::Table(head) => {
                let all = bodies(text, head);
                let (_, start, body) = all.into_iter().find(|(known, ..)| known == name)?;
                let value = value_of(body, key)?;
                let is_digit = |c: char| c.is_ascii_digit() || c == '_';
                let rest = body.get(value..)?;
                let length = rest.find(|c| !is_digit(c)).unwrap_or(rest.len());
                start + value..start + value + length
            }
            Self::Split(member) | Self::List(member) => {
                let servers = root(text).ok()?.get(member)?.object()?;
                let value = servers.get(name)?.object()?.get(key)?;
                value.scalar()?;
                value.start..value.span().end
            }
        };
        let digits = text.get(at.clone())?.replace('_', "");
        Some((at, digits.parse().ok()?))
    }

    fn entries(self, text: &str, program: &str) -> Result<Vec<Entry>, SettingsError> {
        if text.trim().is_empty() {
            return Ok(Vec::new());
        }
        let (member, read): (_, Read) = match self {
            Self::Table(head) => return Ok(tables(text, head, program)),
            Self::Split(member) => (member, split),
            Self::List(member) => (member, list),
        };
        let servers = root(text)?.get(member).and_then(|servers| servers.object());
        let members = servers.unwrap_or_default().members.into_iter();
        let entries = members.filter_map(|member| {
            let name = member.name.text()?;
            read(text, &member.value.object()?, (&name, program))
        });
        Ok(entries.collect())
    }
}

fn changed(text: &str, mut changes: Vec<Change>) -> String {
    changes.sort_by_key(|change| std::cmp::Reverse(change.start));
    let mut out = text.to_owned();
    for Change { start, end, text } in changes {
        out.replace_range(start..end, &text);
    }
    out
}

/// Our words in front of a command, as JSON, without brackets.
fn ours(name: &str) -> String {
    format!(
        "\"{WORD}\", \"{}\", {}, \"{}\"",
        MARKS[0],
        quoted(name),
        MARKS[1]
    )
}

fn is_ours(words: &[Value<'_>]) -> bool {
    let is = |at: usize, word: &str| words.get(at).is_some_and(|value| value.is_text(word));
    is(0, WORD) && is(1, MARKS[0]) && is(3, MARKS[1])
}

fn is_our_program(program: &str) -> bool {
    program.rsplit('/').next() == Some("tollgate")
}

fn texts(values: &[Value<'_>]) -> Vec<String> {
    let texts = values.iter().filter_map(Value::text);
    texts.map(std::borrow::Cow::into_owned).collect()
}

/// Takes the first words out of a list, up to this one, with the comma and the blank after it.
fn cut(text: &str, list: Value<'_>, last: &Value<'_>) -> Change {
    let after = text.get(last.span().end..).unwrap_or_default();
    let comma = match (after.starts_with(", "), after.starts_with(',')) {
        (true, _) => 2,
        (false, true) => 1,
        (false, false) => 0,
    };
    Change {
        start: list.start + 1,
        end: last.span().end + comma,
        text: String::new(),
    }
}

/// Puts words in front of a list.
fn put(list: Value<'_>, is_empty: bool, words: &str) -> Change {
    let comma = if is_empty { "" } else { ", " };
    Change {
        start: list.start + 1,
        end: list.start + 1,
        text: [words, comma].concat(),
    }
}

fn split(text: &str, object: &Object<'_>, (name, program): (&str, &str)) -> Option<Entry> {
    let Some(command) = object.get("command") else {
        return Some(elsewhere(name));
    };
    let list = object.get("args");
    let args = match list {
        Some(list) => list.items()?,
        None => Vec::new(),
    };
    let is_wrapped = is_our_program(&command.text()?) && is_ours(&args);
    let mut changes = Vec::new();
    let mut words = vec![command.text()?.into_owned()];
    words.extend(texts(&args));
    if is_wrapped {
        words.drain(..=OURS);
        let (list, own) = (list?, args.get(OURS)?);
        changes.push(replaced(command, own.raw.to_owned()));
        let before = list.start.checked_sub(MADE.len() - 1)?;
        let is_made = text.get(before..=list.start) == Some(MADE) && args.len() == OURS + 1;
        changes.push(match is_made {
            true => Change {
                start: before,
                end: list.span().end,
                text: String::new(),
            },
            false => cut(text, list, own),
        });
    } else {
        changes.push(replaced(command, quoted(program)));
        let words = format!("{}, {}", ours(name), command.raw);
        changes.push(match list {
            Some(list) => put(list, args.is_empty(), &words),
            None => Change {
                start: command.span().end,
                end: command.span().end,
                text: format!("{MADE}{words}]"),
            },
        });
    }
    Some(entry(name, words, (is_wrapped, changes)))
}

fn replaced(value: Value<'_>, text: String) -> Change {
    Change {
        start: value.start,
        end: value.span().end,
        text,
    }
}

fn list(text: &str, object: &Object<'_>, (name, program): (&str, &str)) -> Option<Entry> {
    let Some(list) = object.get("command") else {
        return Some(elsewhere(name));
    };
    let words = list.items()?;
    let first = words.first()?.text()?;
    let is_wrapped = is_our_program(&first) && is_ours(words.get(1..)?);
    let change = match is_wrapped {
        true => cut(text, list, words.get(OURS)?),
        false => put(list, false, &format!("{}, {}", quoted(program), ours(name))),
    };
    let mut command = texts(&words);
    if is_wrapped {
        command.drain(..=OURS);
    }
    Some(entry(name, command, (is_wrapped, vec![change])))
}

fn elsewhere(name: &str) -> Entry {
    entry(name, Vec::new(), (false, Vec::new()))
}

fn entry(name: &str, command: Vec<String>, (is_wrapped, changes): (bool, Vec<Change>)) -> Entry {
    Entry {
        server: NamedServer {
            name: name.to_owned(),
            command,
            is_wrapped,
        },
        changes,
    }
}

/// The tables of a TOML text whose names begin so, as far as their commands are spelled plainly.
fn tables(text: &str, head: &str, program: &str) -> Vec<Entry> {
    let read = |(name, start, body): (String, usize, &str)| {
        table(body, start, (&name, program)).unwrap_or_else(|| elsewhere(&name))
    };
    bodies(text, head).into_iter().map(read).collect()
}

/// What stands in these tables: the rest of each name, where it begins, and the lines.
fn bodies<'t>(text: &'t str, head: &str) -> Vec<(String, usize, &'t str)> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut open: Option<(String, usize)> = None;
    let mut close = |open: &mut Option<(String, usize)>, end: usize| {
        if let Some((name, start)) = open.take() {
            found.push((name, start, text.get(start..end).unwrap_or_default()));
        }
    };
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        if bare.starts_with('[') {
            close(&mut open, at);
            let name = bare
                .strip_prefix('[')
                .and_then(|rest| rest.strip_prefix(head));
            let name = name.and_then(|rest| rest.strip_prefix('.')?.split(']').next());
            let name = name.map(|name| name.trim().trim_matches(['"', '\'']).to_owned());
            // A table below a server is no server.
            let is_plain = |name: &String| !name.is_empty() && !name.contains('.');
            open = name.filter(is_plain).map(|name| (name, at + line.len()));
        }
        at += line.len();
    }
    close(&mut open, at);
    found
}

/// A table's body, by the lines `command = "…"` and `args = […]`.
fn table(body: &str, start: usize, (name, program): (&str, &str)) -> Option<Entry> {
    let command = value_of(body, "command")?;
    let list = value_of(body, "args");
    let raw = body.get(command..)?;
    let raw = raw.get(..string_end(raw)?)?;
    // Strings of both kinds are the same in a list; the simple ones are JSON's, too.
    let items = match list {
        Some(list) => list_items(body.get(list..)?)?,
        None => Vec::new(),
    };
    let args: Vec<String> = items.iter().map(|(_, raw)| plain(raw)).collect();
    let is = |at: usize, word: &str| args.get(at).is_some_and(|arg| arg == word);
    let is_ours = is(0, WORD) && is(1, MARKS[0]) && is(3, MARKS[1]);
    let is_wrapped = is_our_program(&plain(raw)) && is_ours;
    let change = |from: usize, to: usize, text: String| Change {
        start: start + from,
        end: start + to,
        text,
    };
    let mut changes = Vec::new();
    let mut words = vec![plain(raw)];
    words.extend(args.clone());
    if is_wrapped {
        words.drain(..=OURS);
        let ((at, own), list) = (items.get(OURS)?, list?);
        changes.push(change(command, command + raw.len(), own.clone()));
        let line = body.get(..list)?.rfind('\n').map_or(0, |end| end + 1);
        let is_made = body.get(line..=list) == Some(MADE_LINE) && items.len() == OURS + 1;
        let end = list + at + own.len();
        let after = body.get(end..)?;
        let comma = after.len() - after.trim_start_matches(',').trim_start_matches(' ').len();
        changes.push(match is_made {
            true => change(
                line,
                end + after.find('\n').map_or(after.len(), |at| at + 1),
                String::new(),
            ),
            false => change(list + 1, end + comma.min(2), String::new()),
        });
    } else {
        changes.push(change(command, command + raw.len(), quoted(program)));
        let words = format!("{}, {raw}", ours(name));
        let line_end = body
            .get(command..)?
            .find('\n')
            .map_or(body.len(), |at| command + at + 1);
        changes.push(match list {
            Some(list) if items.is_empty() => change(list + 1, list + 1, words),
            Some(list) => change(list + 1, list + 1, words + ", "),
            None => change(line_end, line_end, format!("{MADE_LINE}{words}]\n")),
        });
    }
    Some(entry(name, words, (is_wrapped, changes)))
}

/// Where the value of a key begins, which stands on a line of its own.
fn value_of(body: &str, key: &str) -> Option<usize> {
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        let rest = line.trim_start().strip_prefix(key).map(str::trim_start);
        if let Some(value) = rest.and_then(|rest| rest.strip_prefix('=')) {
            let value = value.trim_start();
            return Some(at + line.len() - value.len());
        }
        at += line.len();
    }
    None
}

/// The length of a string at the beginning of a text, with its quotes.
fn string_end(text: &str) -> Option<usize> {
    let quote = text
        .chars()
        .next()
        .filter(|quote| matches!(quote, '"' | '\''))?;
    if text.starts_with("\"\"\"") || text.starts_with("'''") {
        return None;
    }
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' if quote == '"' => is_escaped = true,
            '\n' => return None,
            letter if letter == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The strings of a list, each with where it begins; nothing if it holds anything else.
fn list_items(text: &str) -> Option<Vec<(usize, String)>> {
    let mut at = text.starts_with('[').then_some(1)?;
    let mut items = Vec::new();
    loop {
        let rest = text.get(at..)?;
        let next = rest.trim_start_matches([' ', '\t', '\n', '\r', ',']);
        at += rest.len() - next.len();
        if next.starts_with(']') {
            return Some(items);
        }
        let end = string_end(next)?;
        items.push((at, next.get(..end)?.to_owned()));
        at += end;
    }
}

/// What a string spells.
fn plain(raw: &str) -> String {
    let literal = raw
        .strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''));
    let spelled = || json::value(raw).ok()?.text().map(|text| text.into_owned());
    literal.map_or_else(|| spelled().unwrap_or_default(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "/s/bin/tollgate";

    fn there_and_back(form: ServerForm, text: &str, command: &[&str]) -> String {
        let found = form.servers(text).unwrap();
        let server = found.iter().find(|one| one.name == "db").unwrap();
        assert_eq!(
            (&server.command[..], server.is_wrapped),
            (&command.map_owned()[..], false)
        );
        let wrapped = form.wrap(text, "db", PROGRAM).unwrap();
        let found = form.servers(&wrapped).unwrap();
        let server = found.iter().find(|one| one.name == "db").unwrap();
        assert_eq!(
            (&server.command[..], server.is_wrapped),
            (&command.map_owned()[..], true)
        );
        assert_eq!(form.wrap(&wrapped, "db", PROGRAM).unwrap(), wrapped);
        assert_eq!(form.unwrap(&wrapped).unwrap(), text, "{wrapped}");
        assert_eq!(form.unwrap(text).unwrap(), text);
        wrapped
    }

    trait Owned {
        fn map_owned(&self) -> Vec<String>;
    }

    impl Owned for [&str] {
        fn map_owned(&self) -> Vec<String> {
            self.iter().map(|word| (*word).to_owned()).collect()
        }
    }

    #[test]
    fn a_command_and_its_arguments_come_out_again_to_the_byte() {
        let form = ServerForm::Split("mcpServers");
        for args in [
            r#""command": "npx", "args": ["-y", "x"]"#,
            "\"args\": [\n  \"-y\",\n  \"x\"\n], \"command\" :\"npx\"",
            r#""type":"stdio","command":"npx","args":["-y","x"],"env":{"A":"1"}"#,
        ] {
            let text = format!(
                "{{\"a\":1,\"mcpServers\":{{\"web\":{{\"url\":\"u\"}},\"db\":{{{args}}}}}}}\n"
            );
            let wrapped = there_and_back(form, &text, &["npx", "-y", "x"]);
            let value = json::value(&wrapped).unwrap();
            assert!(value.object().is_some(), "{wrapped}");
        }
        let bare = r#"{"mcpServers":{"db":{"command":"serve \"it\""}}}"#;
        there_and_back(form, bare, &["serve \"it\""]);
        there_and_back(
            form,
            &bare.replace("\"}", "\",\"args\": []}"),
            &["serve \"it\""],
        );
        let names: Vec<Vec<String>> = form
            .servers(r#"{"mcpServers":{"web":{"url":"u"}}}"#)
            .unwrap()
            .into_iter()
            .map(|server| server.command)
            .collect();
        assert_eq!(names, [Vec::<String>::new()]);
        assert!(form.servers("[]").is_err());
        assert!(form.servers("{}").unwrap().is_empty() && form.servers("").unwrap().is_empty());
    }

    #[test]
    fn a_command_that_is_one_list_comes_out_again_to_the_byte() {
        let form = ServerForm::List("mcp");
        for list in [
            r#"["npx", "-y"]"#,
            "[\n\"npx\",\n\"-y\"]",
            r#"["npx","-y"]"#,
        ] {
            let text = format!("{{\"mcp\":{{\"db\":{{\"type\":\"local\",\"command\":{list}}}}}}}");
            there_and_back(form, &text, &["npx", "-y"]);
        }
    }

    #[test]
    fn a_table_comes_out_again_to_the_byte() {
        let form = ServerForm::Table("mcp_servers");
        for body in [
            "command = \"npx\"\nargs = [\"-y\", \"x\"]\nenv = { A = \"1\" }\n",
            "args = [\n  '-y',\n  \"x\",\n]\ncommand = 'npx'\n",
            "startup_timeout_sec = 3\ncommand=\"npx\"\nargs=[ \"-y\",\"x\" ]\n",
        ] {
            let text = format!(
                "model = \"m\"\n[mcp_servers.db]\n{body}\n[mcp_servers.db.env]\nB = \"2\"\n"
            );
            there_and_back(form, &text, &["npx", "-y", "x"]);
        }
        let bare = "[mcp_servers.\"db\"]\ncommand = \"npx\"\n\n[other]\ncommand = \"y\"\n";
        let wrapped = there_and_back(form, bare, &["npx"]);
        assert!(
            wrapped.contains("args=[\"proxy\", \"--name\", \"db\", \"--\", \"npx\"]\n"),
            "{wrapped}"
        );
        there_and_back(
            form,
            "[mcp_servers.db]\ncommand = \"npx\"\nargs = []\n",
            &["npx"],
        );
        let odd = "[mcp_servers.db]\ncommand = \"npx\"\nargs = [1]\n";
        assert_eq!(form.wrap(odd, "db", PROGRAM).unwrap(), odd);
    }

    #[test]
    fn a_number_of_a_server_is_read_as_it_is_spelled() {
        let json = r#"{"mcp": {"db": {"command": ["x"], "timeout": 30000, "a": "7"}}}"#;
        let form = ServerForm::List("mcp");
        assert_eq!(form.number(json, ("db", "timeout")), Some(30_000));
        for wrong in [("db", "a"), ("db", "none"), ("web", "timeout")] {
            assert_eq!(form.number(json, wrong), None);
        }
        assert_eq!(form.number("no json", ("db", "timeout")), None);
        let raised = form.raised(json, ("db", "timeout"), 255_000);
        assert_eq!(raised, json.replace("30000", "255000"));
        assert_eq!(form.raised(json, ("db", "timeout"), 20_000), json);
        let toml = "[mcp_servers.web]\nurl = \"x\"\n[mcp_servers.db]\ncommand = \"x\"\n\
                    tool_timeout_sec = 1_200 # long\n";
        let form = ServerForm::Table("mcp_servers");
        assert_eq!(form.number(toml, ("db", "tool_timeout_sec")), Some(1_200));
        assert_eq!(form.number(toml, ("web", "tool_timeout_sec")), None);
        let raised = form.raised(toml, ("db", "tool_timeout_sec"), 1_201);
        assert_eq!(raised, toml.replace("1_200", "1201"));
    }
}
