//! The input of a tool call, and what hosts have in common in reading one. Must not know any host's
//! names.

use model::{ARGS_CUT, CONTENT_BYTES_MAX, Call, Content};
use std::borrow::Cow;
use text::json::{Object, Value};

/// How many text arguments are handed on of a tool that we do not know, and how long.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ArgLimits {
    /// Most of them.
    pub args: usize,
    /// The longest, in bytes.
    pub bytes: usize,
}

/// What a hook hands on.
const ARG_LIMITS: ArgLimits = ArgLimits {
    args: 64,
    bytes: 4 * 1024,
};
/// Most values that are looked at for text arguments.
const ARG_VALUES_MAX: usize = 1_024;
/// Deepest level at which text arguments are looked for.
const ARG_DEPTH_MAX: usize = 8;

/// The parts of one call.
pub(crate) struct Input<'t> {
    /// The tool, as the host spells it.
    pub tool: Cow<'t, str>,
    /// The host's own record of an MCP server's name, if it keeps one.
    pub server: Option<Cow<'t, str>>,
    /// The whole input.
    pub value: Value<'t>,
    /// Its members.
    pub args: Object<'t>,
}

/// The name of an argument that is missing, or holds no text.
pub(crate) type Missing = &'static str;

/// Makes a call of one tool's input.
pub(crate) type InputReader = for<'t> fn(&Input<'t>) -> Result<Call<'t>, Missing>;

/// The call of a tool with this input, by a host's table of tools. `server` is the host's own
/// record of an MCP server's name, which the tool's name only spells approximately.
pub(crate) fn call_of<'t>(
    tools: &[(&str, InputReader)],
    tool: Option<Cow<'t, str>>,
    value: Option<Value<'t>>,
    server: Option<Cow<'t, str>>,
) -> Call<'t> {
    let Some(tool) = tool.filter(|tool| !tool.is_empty()) else {
        return malformed(Cow::Borrowed(""), "the tool's name is missing");
    };
    let read = tools.iter().find(|(name, _)| *name == tool);
    let read = read.map_or(other as InputReader, |(_, read)| *read);
    let Some((value, args)) = value.and_then(|value| Some((value, value.object()?))) else {
        return malformed(tool, "the tool's input is missing or no object");
    };
    let input = Input {
        tool,
        server,
        value,
        args,
    };
    match read(&input) {
        Ok(call) => call,
        Err(name) => malformed(input.tool, &format!("{name} is missing or no text")),
    }
}

fn malformed<'t>(name: Cow<'t, str>, what: &str) -> Call<'t> {
    Call::Malformed {
        name,
        what: what.to_owned(),
    }
}

impl<'t> Input<'t> {
    /// A text that the tool cannot do without.
    pub fn need(&self, name: Missing) -> Result<Cow<'t, str>, Missing> {
        self.args.text(name).ok_or(name)
    }

    /// A text that the tool can do without.
    pub fn maybe(&self, name: &str) -> Cow<'t, str> {
        self.args.text(name).unwrap_or_default()
    }

    /// The first of these texts that is there.
    pub fn first(&self, names: &[&'static str]) -> Result<Cow<'t, str>, Missing> {
        let found = names.iter().find_map(|name| self.args.text(name));
        found.ok_or_else(|| names.first().copied().unwrap_or_default())
    }

    /// Content that the tool cannot do without.
    pub fn content(&self, name: Missing) -> Result<Content<'t>, Missing> {
        self.args.get(name).and_then(content).ok_or(name)
    }
}

/// Text to be written, decoded only if it is short.
pub(crate) fn content(value: Value<'_>) -> Option<Content<'_>> {
    let bytes = value.quoted()?.len();
    Some(Content {
        bytes,
        text: (bytes <= CONTENT_BYTES_MAX).then(|| value.text()).flatten(),
    })
}

/// Text that was decoded already, as content.
pub(crate) fn content_of(text: Cow<'_, str>) -> Content<'_> {
    Content {
        bytes: text.len(),
        text: (text.len() <= CONTENT_BYTES_MAX).then_some(text),
    }
}

/// A tool that does nothing outside the session.
pub(crate) fn harmless<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    Ok(Call::Harmless {
        name: input.tool.clone(),
    })
}

/// A tool of an MCP server, or one that we do not know.
pub(crate) fn other<'t>(input: &Input<'t>) -> Result<Call<'t>, Missing> {
    let args = text_args(input.value);
    Ok(match mcp_name(&input.tool, input.server.as_deref()) {
        Some((server, tool)) => Call::Mcp {
            server: Cow::Owned(server),
            tool: Cow::Owned(tool),
            args,
        },
        None => Call::Other {
            name: input.tool.clone(),
            args,
        },
    })
}

/// Server and tool of `mcp__SERVER__TOOL`. The client's record of the server wins over the
/// spelling in the name, where everything but letters, digits, `_` and `-` became `_`.
fn mcp_name(name: &str, server: Option<&str>) -> Option<(String, String)> {
    let rest = name.strip_prefix("mcp__")?;
    let recorded = server.and_then(|server| {
        let spelled = server.replace(|c: char| !is_name_char(c), "_");
        let tool = rest.strip_prefix(&spelled)?.strip_prefix("__")?;
        Some((server.to_owned(), tool.to_owned()))
    });
    recorded.or_else(|| {
        let (spelled, tool) = rest.split_once("__")?;
        Some((server.unwrap_or(spelled).to_owned(), tool.to_owned()))
    })
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// All texts, numbers and truths in a value, with their names joined by dots; list items are named
/// by number. A mark says that something was left out.
pub(crate) fn text_args(value: Value<'_>) -> Vec<(String, String)> {
    text_args_within(value, ARG_LIMITS)
}

/// [`text_args`] with other limits.
pub(crate) fn text_args_within(value: Value<'_>, limits: ArgLimits) -> Vec<(String, String)> {
    let mut gathered = Arguments {
        limits,
        ..Arguments::default()
    };
    gather(&mut gathered, (value, String::new(), 0));
    if gathered.is_cut {
        gathered.args.push((ARGS_CUT.to_owned(), String::new()));
    }
    gathered.args
}

impl Default for ArgLimits {
    fn default() -> Self {
        ARG_LIMITS
    }
}

#[derive(Default)]
struct Arguments {
    limits: ArgLimits,
    args: Vec<(String, String)>,
    values: usize,
    is_cut: bool,
}

fn gather(gathered: &mut Arguments, (value, name, depth): (Value<'_>, String, usize)) {
    let ArgLimits {
        args: args_max,
        bytes: bytes_max,
    } = gathered.limits;
    let is_full = gathered.args.len() == args_max || gathered.values == ARG_VALUES_MAX;
    if depth > ARG_DEPTH_MAX || is_full {
        gathered.is_cut = true;
        return;
    }
    gathered.values += 1;
    if let Some(text) = value.text().or_else(|| value.scalar().map(Cow::Borrowed)) {
        gathered.is_cut |= text.len() > bytes_max;
        gathered.args.push((name, cut(&text, bytes_max).to_owned()));
        return;
    }
    let joined = |part: &str| match name.as_str() {
        "" => part.to_owned(),
        name => format!("{name}.{part}"),
    };
    for member in value.object().unwrap_or_default().members {
        let part = member.name.text().unwrap_or_default();
        let name = joined(cut(&part, bytes_max));
        gather(gathered, (member.value, name, depth + 1));
    }
    for (number, item) in value.items().unwrap_or_default().into_iter().enumerate() {
        let name = joined(&number.to_string());
        gather(gathered, (item, name, depth + 1));
    }
}

/// The text, cut at a character boundary to at most `bytes_max` bytes.
pub(crate) fn cut(text: &str, bytes_max: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes_max))
        .unwrap_or_default()
}
