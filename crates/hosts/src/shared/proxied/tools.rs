//! The list of a server's tools, as the server answers it.

use std::borrow::Cow;
use std::ops::Range;
use text::json::{self, Object, Value};

/// A tool as its server describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool<'a> {
    /// What it is called by.
    pub name: Cow<'a, str>,
    /// What a model reads of it.
    pub description: Cow<'a, str>,
    /// The form of its arguments, as JSON.
    pub schema: &'a str,
}

/// The tools in the result of an answer.
#[must_use]
pub fn tools(result: &str) -> Vec<Tool<'_>> {
    let result = json::object(result).ok();
    let items = result.and_then(|result| result.get("tools")?.items());
    let items = items.unwrap_or_default().into_iter();
    items.filter_map(|item| tool(&item.object()?)).collect()
}

fn tool<'a>(object: &Object<'a>) -> Option<Tool<'a>> {
    Some(Tool {
        name: object.text("name")?,
        description: object.text("description").unwrap_or_default(),
        schema: object.get("inputSchema").map_or("", |schema| schema.raw),
    })
}

/// The answer without the tools that are hidden; every other byte stays.
#[must_use]
pub fn without(frame: &str, is_hidden: impl Fn(&str) -> bool) -> Option<String> {
    let list = json::object(frame).ok()?;
    let list = list.get("result")?.object()?.get("tools")?;
    let items = list.items()?;
    let is_kept = |item: &&Value<'_>| {
        let name = item.object().and_then(|item| item.text("name"));
        !name.is_some_and(|name| is_hidden(&name))
    };
    let kept: Vec<&str> = items.iter().filter(is_kept).map(|item| item.raw).collect();
    let Range { start, end } = list.span();
    let (before, after) = (frame.get(..start)?, frame.get(end..)?);
    Some([before, "[", &kept.join(","), "]", after].concat())
}
