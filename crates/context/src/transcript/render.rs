//! Shows what a transcript told as plain text, and makes it shorter until it fits a budget: first
//! what is worth least, oldest first.

use super::extraction::{CallOutcome, Extraction, Failure, Prompt, ToolUse};
use super::todos::Todos;
use model::TodoState;
use std::fmt::{self, Display, Formatter};

/// Bytes that a token has, about. Scripts other than Latin have fewer, so theirs are overestimated.
pub const TOKEN_BYTES: usize = 4;

/// Shortest text that is still worth showing, in characters.
const WORTH_CHARS: usize = 40;

impl Extraction {
    /// Whether nothing was found that was asked for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.intent.is_none()
            && self.prompts.is_empty()
            && self.skill.is_none()
            && self.todos.items.is_empty()
            && self.errors.is_empty()
            && self.tools.is_empty()
            && self.files.is_empty()
            && self.decisions.is_empty()
    }

    /// Leaves out what is worth least until `size` of the rest is at most `bytes_max`. Whether it
    /// is.
    pub fn fit(&mut self, bytes_max: usize, size: &dyn Fn(&Self) -> usize) -> bool {
        while size(self) > bytes_max {
            if !self.shed() {
                return false;
            }
        }
        true
    }

    /// Leaves out a part of what is worth least. False if nothing is left to leave out.
    fn shed(&mut self) -> bool {
        let dropped = drop_oldest(&mut self.files, 0)
            .or_else(|| drop_oldest(&mut self.tools, 0))
            .or_else(|| drop_oldest(&mut self.errors, 1))
            .or_else(|| drop_oldest(&mut self.decisions, 3))
            .or_else(|| self.drop_todo())
            .or_else(|| drop_oldest(&mut self.prompts, 1))
            .or_else(|| drop_oldest(&mut self.decisions, 0))
            .or_else(|| drop_oldest(&mut self.errors, 0))
            .or_else(|| self.shorten())
            .or_else(|| self.intent.take().map(|_| 1))
            .or_else(|| drop_oldest(&mut self.prompts, 0))
            .or_else(|| self.skill.take().map(|_| 1))
            .or_else(|| {
                let todos = std::mem::take(&mut self.todos);
                (todos != Todos::default()).then_some(1)
            });
        self.seen.left_out += dropped.unwrap_or(0);
        dropped.is_some()
    }

    /// Drops a thing that is done, else the last that is not begun; the counts stay.
    fn drop_todo(&mut self) -> Option<u64> {
        let items = &mut self.todos.items;
        let done = items.iter().position(|item| item.state == TodoState::Done);
        let is_open = |item: &model::Todo| item.state == TodoState::Pending;
        let at = done.or_else(|| items.iter().rposition(is_open));
        let at = at.or_else(|| items.len().checked_sub(1))?;
        items.remove(at);
        Some(1)
    }

    /// Halves the longest of the texts that are left.
    fn shorten(&mut self) -> Option<u64> {
        let prompts = self.prompts.iter_mut().chain(self.intent.as_mut());
        let texts = prompts.flat_map(|prompt| [&mut prompt.text, &mut prompt.asked]);
        let longest = texts.max_by_key(|text| text.len())?;
        let count = longest.chars().count();
        if count <= WORTH_CHARS {
            return None;
        }
        *longest = super::clean::clean(longest, count / 2);
        Some(1)
    }
}

/// Drops a quarter of a list from its start, down to `least`. How many, if any.
fn drop_oldest<T>(items: &mut Vec<T>, least: usize) -> Option<u64> {
    let over = items.len().saturating_sub(least);
    let count = over.min(over / 4 + 1);
    items.drain(..count);
    (count > 0).then_some(count as u64)
}

impl Display for Extraction {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        if let Some(intent) = &self.intent {
            writeln!(out, "intent")?;
            prompt(out, intent)?;
        }
        list(out, "prompts", &self.prompts, prompt)?;
        if let Some(skill) = &self.skill {
            let ago = match skill.turns_ago {
                0 => String::new(),
                1 => " (a turn ago)".to_owned(),
                ago => format!(" ({ago} turns ago)"),
            };
            writeln!(out, "skill\n  {}{ago}", skill.name)?;
        }
        self.show_todos(out)?;
        list(out, "errors", &self.errors, failure)?;
        list(out, "tools", &self.tools, tool)?;
        list(out, "files", &self.files, |out, file| match file.times {
            1 => writeln!(out, "  {}", file.path),
            times => writeln!(out, "  {} ({times} times)", file.path),
        })?;
        list(out, "decisions", &self.decisions, |out, decision| {
            let quote = decision.quote.replace('\n', " ");
            writeln!(out, "  \"{quote}\" [{}]", decision.marker)
        })
    }
}

impl Extraction {
    fn show_todos(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let todos = &self.todos;
        if todos.pending + todos.current + todos.done == 0 {
            return Ok(());
        }
        let (current, pending, done) = (todos.current, todos.pending, todos.done);
        writeln!(
            out,
            "todos: {current} under way, {pending} to do, {done} done"
        )?;
        for item in &todos.items {
            let mark = match item.state {
                TodoState::Current => '>',
                TodoState::Done => 'x',
                TodoState::Pending | TodoState::Dropped => '-',
            };
            writeln!(out, "  {mark} {}", item.text.replace('\n', " "))?;
        }
        Ok(())
    }
}

fn list<T>(
    out: &mut Formatter<'_>,
    title: &str,
    items: &[T],
    show: fn(&mut Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    if !items.is_empty() {
        writeln!(out, "{title}")?;
    }
    items.iter().try_for_each(|item| show(out, item))
}

/// A prompt with its lines indented, so that none of them looks like a line of ours.
fn prompt(out: &mut Formatter<'_>, prompt: &Prompt) -> fmt::Result {
    for (number, line) in prompt.text.lines().enumerate() {
        let mark = if number == 0 { "  - " } else { "    " };
        writeln!(out, "{mark}{line}")?;
    }
    if !prompt.asked.is_empty() {
        writeln!(out, "    (the agent had said: {})", prompt.asked)?;
    }
    Ok(())
}

fn failure(out: &mut Formatter<'_>, failure: &Failure) -> fmt::Result {
    let word = if failure.stopped { "stopped" } else { "failed" };
    let (call, text) = (call(&failure.tool, &failure.what), &failure.text);
    writeln!(out, "  {word} {call}{}: {text}", by(&failure.subagent))
}

fn tool(out: &mut Formatter<'_>, tool: &ToolUse) -> fmt::Result {
    let word = match tool.outcome {
        CallOutcome::Open => "open",
        CallOutcome::Done => "ok",
        CallOutcome::Failed => "failed",
        CallOutcome::Stopped => "stopped",
    };
    let call = call(&tool.tool, &tool.what);
    writeln!(out, "  {word:<7} {call}{}", by(&tool.subagent))
}

/// A call on one line; the words of most calls begin with the tool already.
fn call(tool: &str, what: &str) -> String {
    match tool {
        "" => "a call".to_owned(),
        "shell" => format!("shell: {what}"),
        _ => what.to_owned(),
    }
}

fn by(subagent: &str) -> String {
    match subagent {
        "" => String::new(),
        id => format!(" (by {id})"),
    }
}
