//! Edits a settings file of Claude Code as text: every byte outside our own entries stays.
//!
//! Layout is memory. A bracket that we add is followed by a blank; into a bracket that was there
//! and empty we write without one. So taking out our entries knows which brackets go with them,
//! and gives back the very bytes that were there before.

use super::handlers::{self, Need, ROWS, Row};
use crate::json::{self, Member, Object, Value};
use crate::settings::{
    Edit, Inspection, Installation, Problem, Registered, SettingsError, line_and_column,
};
use std::ops::Range;

/// What stands before a member of a file that we lay out ourselves.
const GAP: &str = "\n  ";

/// Most of our entries that are taken out of one file.
const REMOVED_MAX: usize = 1_024;

/// Registers our hook; see [`crate::Host::install`]. A file that has just what is wanted is left
/// as it is, whatever its layout.
pub(super) fn install(
    current: Option<&str>,
    installation: &Installation<'_>,
) -> Result<Edit, SettingsError> {
    if !is_absolute(installation.hook) {
        return Err(SettingsError::RelativeHook {
            path: installation.hook.to_owned(),
        });
    }
    let current = current.filter(|text| !text.trim().is_empty());
    let Some(text) = current else {
        let text = with_every_row(String::new(), installation)?;
        return edit_of("", Some(text));
    };
    if is_installed(text, installation)? {
        return edit_of(text, Some(text.to_owned()));
    }
    let bare = without_ours(text)?.unwrap_or_default();
    let text_after = with_every_row(bare, installation)?;
    edit_of(text, Some(text_after))
}

/// Takes our hook out; see [`crate::Host::uninstall`].
pub(super) fn uninstall(text: &str) -> Result<Edit, SettingsError> {
    let bare = without_ours(text)?;
    edit_of(text, bare)
}

fn edit_of(before: &str, after: Option<String>) -> Result<Edit, SettingsError> {
    let problems = match &after {
        Some(text) => inspect(text)?.problems,
        None => Vec::new(),
    };
    Ok(Edit {
        changed: after.as_deref() != Some(before),
        text: after,
        problems,
    })
}

/// Looks for our hook; see [`crate::Host::inspect`].
pub(super) fn inspect(text: &str) -> Result<Inspection, SettingsError> {
    let root = root(text)?;
    let line = |value: Value<'_>| line_and_column(text, value.start).0;
    let mut found = Inspection::default();
    if let Some(off) = root.get("disableAllHooks").filter(|off| off.raw == "true") {
        found.problems.push(Problem::HooksOff { line: line(off) });
    }
    if let Some(only) = root
        .get("allowManagedHooksOnly")
        .filter(|only| only.raw == "true")
    {
        found
            .problems
            .push(Problem::OthersIgnored { line: line(only) });
    }
    let variables = root
        .get("env")
        .and_then(|env| env.object())
        .unwrap_or_default();
    for variable in &variables.members {
        let name = variable.name.text().unwrap_or_default();
        if handlers::STEERING.contains(&&*name) {
            found.problems.push(Problem::Steered {
                line: line(variable.name),
                name: name.into_owned(),
            });
        }
    }
    for entry in entries(text, &root)? {
        found.note(&entry, line(entry.handler));
    }
    for row in ROWS {
        found.count(row);
    }
    Ok(found)
}

impl Inspection {
    /// Notes whether an event has one working registration, as it should.
    fn count(&mut self, row: &Row) {
        let event = row.event;
        let works = |ours: &&Registered| ours.works && ours.event == event;
        match self.registered.iter().filter(works).count() {
            0 if row.need == Need::Hear => self.unheard.push(event),
            0 => self.missing.push(event),
            1 => {}
            _ => self.problems.push(Problem::Twice {
                event: event.to_owned(),
            }),
        }
    }

    fn note(&mut self, entry: &Entry<'_>, line: usize) {
        let handler = entry.handler.object();
        if let Some(what) = handlers::unusable(&entry.event, handler.as_ref()) {
            self.problems.push(Problem::FileDiscarded { line, what });
        }
        let handler = handler.unwrap_or_default();
        let Some(ours) = handlers::ours(&handler) else {
            return;
        };
        let works = handlers::works(&entry.event, &entry.group, &handler);
        let event = entry.event.clone();
        if !works {
            let event = event.clone();
            self.problems.push(Problem::Weakened { line, event });
        }
        self.registered.push(Registered {
            event,
            hook: ours.hook,
            launch: ours.launch,
            works,
            line,
        });
    }
}

/// Whether the file registers this very installation, once for each event and no more.
fn is_installed(text: &str, installation: &Installation<'_>) -> Result<bool, SettingsError> {
    let found = inspect(text)?;
    let as_wanted = |registered: &Registered| {
        let Installation { hook, launch } = *installation;
        registered.works && registered.hook == hook && registered.launch == launch
    };
    Ok(found.missing.is_empty()
        && found.unheard.is_empty()
        && found.registered.len() == ROWS.len()
        && found.registered.iter().all(as_wanted))
}

/// One handler in a settings file, and the lists around it, innermost first.
struct Entry<'a> {
    event: String,
    group: Object<'a>,
    handler: Value<'a>,
    around: [Level; 4],
}

/// One list or object, its elements, and which of them leads to the handler.
#[derive(Clone)]
struct Level {
    container: Range<usize>,
    elements: Vec<Range<usize>>,
    index: usize,
}

/// Every handler of the file. An entry that the client would drop is passed over.
fn entries<'a>(text: &'a str, root: &Object<'a>) -> Result<Vec<Entry<'a>>, SettingsError> {
    let Some(hooks) = hooks_of(text, root)? else {
        return Ok(Vec::new());
    };
    let events = hooks.object().unwrap_or_default();
    let root_level = members_level(document(text)?, root, root.position("hooks"));
    let of_event = |(index, event): (usize, &Member<'a>)| {
        let name = event.name.text()?;
        let hooks_level = members_level(hooks, &events, Some(index));
        // Of two members for one event the client reads the last.
        let counts = events.position(&name) == Some(index);
        counts.then(|| entries_of_event(event, [hooks_level, root_level.clone()]))
    };
    let all = events.members.iter().enumerate().filter_map(of_event);
    Ok(all.flatten().collect())
}

/// Every handler of one event, which lies in the given levels.
fn entries_of_event<'a>(event: &Member<'a>, outer: [Level; 2]) -> Vec<Entry<'a>> {
    let mut entries = Vec::new();
    let name = event.name.text().unwrap_or_default();
    let groups = event.value.items().unwrap_or_default();
    for (group_index, group) in groups.iter().enumerate() {
        let group = group.object().unwrap_or_default();
        let Some(list) = group.get("hooks") else {
            continue;
        };
        let handlers = list.items().unwrap_or_default();
        for (index, handler) in handlers.iter().enumerate() {
            let [hooks_level, root_level] = outer.clone();
            entries.push(Entry {
                event: name.clone().into_owned(),
                group: group.clone(),
                handler: *handler,
                around: [
                    items_level(list, &handlers, index),
                    items_level(event.value, &groups, group_index),
                    hooks_level,
                    root_level,
                ],
            });
        }
    }
    entries
}

fn items_level(container: Value<'_>, items: &[Value<'_>], index: usize) -> Level {
    Level {
        container: container.span(),
        elements: items.iter().map(Value::span).collect(),
        index,
    }
}

fn members_level(container: Value<'_>, object: &Object<'_>, index: Option<usize>) -> Level {
    let members = object.members.iter();
    let spans = members.map(|member| member.name.start..member.value.span().end);
    Level {
        container: container.span(),
        elements: spans.collect(),
        index: index.unwrap_or_default(),
    }
}

fn document(text: &str) -> Result<Value<'_>, SettingsError> {
    json::value(text).map_err(|flaw| SettingsError::not_json(text, flaw))
}

fn root(text: &str) -> Result<Object<'_>, SettingsError> {
    let value = document(text)?;
    let wrong = || SettingsError::wrong_shape(text, value.start, "settings must be a JSON object");
    value.object().ok_or_else(wrong)
}

/// The object of hooks, if there is one.
fn hooks_of<'a>(text: &str, root: &Object<'a>) -> Result<Option<Value<'a>>, SettingsError> {
    match root.get("hooks") {
        Some(hooks) if !hooks.raw.starts_with('{') => Err(SettingsError::wrong_shape(
            text,
            hooks.start,
            "\"hooks\" is not an object",
        )),
        hooks => Ok(hooks),
    }
}

/// The text without any entry of ours; nothing if nothing is left of it.
fn without_ours(text: &str) -> Result<Option<String>, SettingsError> {
    let mut text = text.to_owned();
    for _ in 0..REMOVED_MAX {
        let root = root(&text)?;
        let entries = entries(&text, &root)?;
        let ours = entries.into_iter().find(|entry| {
            let handler = entry.handler.object();
            handler.is_some_and(|handler| handlers::ours(&handler).is_some())
        });
        let Some(entry) = ours else {
            break;
        };
        match without(&text, &entry.around) {
            Some(rest) => text = rest,
            None => return Ok(None),
        }
    }
    Ok(Some(text))
}

/// The text without one entry and the brackets that we had put around it.
fn without(text: &str, around: &[Level]) -> Option<String> {
    let [handlers, outer @ ..] = around else {
        return None;
    };
    // A group without handlers means nothing, so it goes whoever made it.
    let innermost = (handlers.elements.len() > 1).then_some(handlers);
    let stays = |level: &&Level| level.elements.len() > 1 || !is_ours(text, level);
    let level = innermost.or_else(|| outer.iter().find(stays))?;
    let cut = level.cut()?;
    let (before, after) = (text.get(..cut.start)?, text.get(cut.end..)?);
    Some(format!("{before}{after}"))
}

/// Whether we made a container: then a blank follows its bracket.
fn is_ours(text: &str, level: &Level) -> bool {
    let after_bracket = text.as_bytes().get(level.container.start + 1);
    after_bracket.is_some_and(u8::is_ascii_whitespace)
}

impl Level {
    /// What to cut so that the element goes, with one comma and the blanks beside it.
    fn cut(&self) -> Option<Range<usize>> {
        let element = self.elements.get(self.index)?;
        let before = self.index.checked_sub(1).and_then(|i| self.elements.get(i));
        let after = self.elements.get(self.index + 1);
        Some(match (before, after) {
            (Some(before), _) => before.end..element.end,
            (None, Some(after)) => element.start..after.start,
            (None, None) => element.clone(),
        })
    }
}

fn with_every_row(text: String, installation: &Installation<'_>) -> Result<String, SettingsError> {
    ROWS.iter().try_fold(text, |text, row| {
        with_row(&text, row, &row.group(installation))
    })
}

/// The text with one more entry, in the list of its event.
fn with_row(text: &str, row: &Row, group: &str) -> Result<String, SettingsError> {
    let member = format!("\"{}\": [ {group} ]", row.event);
    if text.is_empty() {
        return Ok(format!("{{{GAP}{}\n}}\n", hooks_member(&member, GAP)));
    }
    let root = root(text)?;
    let Some(hooks) = hooks_of(text, &root)? else {
        let level = members_level(document(text)?, &root, None);
        let gap = level.gap(text).unwrap_or(GAP);
        return Ok(level.append(text, &hooks_member(&member, gap)));
    };
    let events = hooks.object().unwrap_or_default();
    let Some(list) = events.get(row.event) else {
        return Ok(members_level(hooks, &events, None).append(text, &member));
    };
    let Some(groups) = list.items() else {
        let what = format!("the hooks for {} are not a list", row.event);
        return Err(SettingsError::wrong_shape(text, list.start, what));
    };
    Ok(items_level(list, &groups, 0).append(text, group))
}

/// The member `hooks` with a first event in it, laid out for a file whose members follow `gap`.
fn hooks_member(member: &str, gap: &str) -> String {
    let Some(unit) = gap.rsplit_once('\n').map(|(_, unit)| unit) else {
        return format!("\"hooks\": {{ {member} }}");
    };
    format!("\"hooks\": {{{gap}{unit}{member}{gap}}}")
}

impl Level {
    /// What stands between the opening bracket and the first element.
    fn gap<'t>(&self, text: &'t str) -> Option<&'t str> {
        let first = self.elements.first()?;
        text.get(self.container.start + 1..first.start)
    }

    /// The text with one more element at the end, laid out like the first.
    fn append(&self, text: &str, element: &str) -> String {
        let (at, lead) = match (self.elements.last(), self.gap(text)) {
            (Some(last), Some(gap)) => (last.end, format!(",{gap}")),
            _ => (self.container.start + 1, String::new()),
        };
        let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
        format!("{before}{lead}{element}{after}")
    }
}

pub(super) fn is_absolute(path: &str) -> bool {
    match path.as_bytes() {
        [b'/', ..] => true,
        [drive, b':', b'/' | b'\\', ..] => drive.is_ascii_alphabetic(),
        _ => false,
    }
}
