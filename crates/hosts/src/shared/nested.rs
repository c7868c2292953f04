//! Edits a settings file in which hooks are registered by event, as text: every byte outside our
//! own entries stays. Must not know any host's names: a host brings a [`HookTable`].
//!
//! Layout is memory. A bracket that we add is followed by a blank; into a bracket that was there
//! and empty we write without one. So taking out our entries knows which brackets go with them,
//! and gives back the very bytes that were there before.

use crate::shared::level::{JsonLevel, is_ours, items_level, members_level};
use crate::shared::settings::{
    Edit, Inspection, Installation, Launch, Problem, Registered, SettingsError, line_and_column,
};
use crate::shared::watch;
use text::json::{self, Member, Object, Value};

/// What stands before a member of a file that we lay out ourselves.
const GAP: &str = "\n  ";

/// Most of our entries that are taken out of one file.
const REMOVED_MAX: usize = 1_024;

/// The file name by which our hook is recognised.
pub(crate) const PROGRAM: &str = "tollgate-hook";

/// Follows the hook's command in a shell, where the host takes only exit 2 with words on standard
/// error for a stop and a broken hook must be one.
pub(crate) const OR_STOP: &str = " || { echo 'tollgate fault, not a policy decision: the hook gave \
    no answer, so this call was not let through. Next: run tollgate doctor.' >&2; exit 2; }";

/// How one host registers hooks: `{"hooks": {EVENT: [group, …]}}`.
pub(crate) struct HookTable {
    /// The events that we register for.
    pub rows: &'static [HookRow],
    /// The event at which our other program is started, too, and looks whether the hook is ours.
    pub watch: Option<HookRow>,
    /// Whether the host reads its settings with comments in them.
    pub has_comments: bool,
    /// The member that lists our group for the one event that there is, where a file has such a
    /// list in the place of `hooks`. Of its groups the first that fits counts, so ours goes first.
    pub list: Option<&'static str>,
    /// The member of a group that lists its handlers; nothing if a group is a handler itself.
    pub handlers: Option<&'static str>,
    /// A member that a file must have besides, as JSON; empty if none.
    pub first: &'static str,
    /// Our whole group for an event, on one line.
    pub group: fn(&HookRow, &Installation<'_>) -> String,
    /// Recognises a handler as ours, however it was changed.
    pub ours: fn(&Object<'_>) -> Option<OwnHandler>,
    /// Recognises a handler that starts our other program.
    pub watches: fn(&Object<'_>) -> Option<OwnHandler>,
    /// Whether a handler of ours, in its group, gates its event: for every subject, not in the
    /// background, in time, and failing closed where it should and can.
    pub works: fn(&HookRow, &Object<'_>, &Object<'_>) -> bool,
    /// Why the host would discard the whole file for a handler of this event, if it would.
    pub unusable: fn(&str, Option<&Object<'_>>) -> Option<&'static str>,
    /// Notes what else in the file keeps hooks from working, or steers them.
    pub note: fn(&str, &Object<'_>, &mut Inspection),
}

/// A host that registers nothing: the rest of a table.
pub(crate) const BARE: HookTable = HookTable {
    rows: &[],
    watch: None,
    has_comments: false,
    list: None,
    handlers: None,
    first: "",
    group: |_, _| String::new(),
    ours: |_| None,
    watches: |_| None,
    works: |_, _, _| false,
    unusable: |_, _| None,
    note: |_: &str, _: &Object<'_>, _: &mut Inspection| {},
};

/// One event that we register for.
pub(crate) struct HookRow {
    /// The event, as the host spells it.
    pub event: &'static str,
    /// When the host gives up on us, in seconds.
    pub timeout_s: u32,
    /// What is lost without it.
    pub need: Need,
    /// Whether it starts our other program in the place of the hook.
    pub is_watch: bool,
}

/// What is lost if an event is not registered, or if its hook fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// Actions would pass: a hook that fails must stop what the event is about.
    Stop,
    /// The gate would misjudge.
    Know,
    /// The gate judges as well; only what a human says, a helper's verdict or the end of a session
    /// goes unheard.
    Hear,
}

/// A row of a table.
pub(crate) const fn row(event: &'static str, timeout_s: u32, need: Need) -> HookRow {
    HookRow {
        event,
        timeout_s,
        need,
        is_watch: false,
    }
}

/// A handler of ours, as found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OwnHandler {
    /// The hook's path.
    pub hook: String,
    /// How it is started.
    pub launch: Launch,
}

/// Whether a path is that of our hook, by its last name.
pub(crate) fn is_hook(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    name == PROGRAM || name.strip_suffix(".exe") == Some(PROGRAM)
}

/// Whether a path is found from everywhere. Any other is found by the present directory or by
/// PATH, and both are the project's.
pub(crate) fn is_absolute(path: &str) -> bool {
    match path.as_bytes() {
        [b'/', ..] => true,
        [drive, b':', b'/' | b'\\', ..] => drive.is_ascii_alphabetic(),
        _ => false,
    }
}

/// A word as `/bin/sh` reads it whole.
pub(crate) fn shell_word(word: &str) -> String {
    let quoted = word.replace('\'', r"'\''");
    format!("'{quoted}'")
}

/// The hook's path in a command for `/bin/sh` that begins with it as [`shell_word`] writes it.
pub(crate) fn first_shell_word(command: &str) -> Option<String> {
    let quoted = command.strip_prefix('\'')?;
    let word = quoted.split("' ").next()?.replace(r"'\''", "'");
    is_hook(&word).then_some(word)
}

impl HookTable {
    /// Registers our hook; see [`crate::Host::install`]. A file that has just what is wanted is
    /// left as it is, whatever its layout.
    pub fn install(
        &self,
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
            let text = self.with_every_row(String::new(), installation)?;
            return self.edit_of("", Some(text));
        };
        self.check(text)?;
        if self.is_installed(text, installation)? {
            return self.edit_of(text, Some(text.to_owned()));
        }
        let bare = self.without_ours(text)?.unwrap_or_default();
        let text_after = self.with_every_row(bare, installation)?;
        self.edit_of(text, Some(text_after))
    }

    /// Takes our hook out; see [`crate::Host::uninstall`].
    pub fn uninstall(&self, text: &str) -> Result<Edit, SettingsError> {
        self.check(text)?;
        let bare = self.without_ours(text)?;
        self.edit_of(text, bare)
    }

    /// Whether the host reads the text at all.
    fn check(&self, text: &str) -> Result<(), SettingsError> {
        let read = match self.has_comments {
            true => json::commented(text),
            false => json::value(text),
        };
        read.map(drop)
            .map_err(|flaw| SettingsError::not_json(text, flaw))
    }

    fn edit_of(&self, before: &str, after: Option<String>) -> Result<Edit, SettingsError> {
        let problems = match &after {
            Some(text) => self.inspect(text)?.problems,
            None => Vec::new(),
        };
        Ok(Edit {
            changed: after.as_deref() != Some(before),
            text: after,
            problems,
        })
    }

    /// Looks for our hook; see [`crate::Host::inspect`].
    pub fn inspect(&self, text: &str) -> Result<Inspection, SettingsError> {
        self.check(text)?;
        let root = root(text)?;
        let mut found = Inspection::default();
        (self.note)(text, &root, &mut found);
        for entry in self.entries(text, &root)? {
            let line = line_and_column(text, entry.handler.start).0;
            self.note_entry(&entry, line, &mut found);
        }
        for row in self.rows {
            found.count(row);
        }
        if self.watch.is_some() && !found.watches.iter().any(|watch| watch.works) {
            found.unheard.push(watch::UNWATCHED);
        }
        Ok(found)
    }

    fn note_entry(&self, entry: &HandlerEntry<'_>, line: usize, found: &mut Inspection) {
        let handler = entry.handler.object();
        if let Some(what) = (self.unusable)(&entry.event, handler.as_ref()) {
            found.problems.push(Problem::FileDiscarded { line, what });
        }
        let handler = handler.unwrap_or_default();
        if let Some(watch) = self.watch_of(entry, &handler, line) {
            return found.watches.push(watch);
        }
        let Some(ours) = (self.ours)(&handler) else {
            // The first row is what every host asks before a call; some know it by a small letter
            // too.
            let is_before_call = self
                .rows
                .first()
                .is_some_and(|row| row.event.eq_ignore_ascii_case(&entry.event));
            let command = started(&handler).filter(|_| is_before_call);
            found.others.extend(command.map(|command| (command, line)));
            return;
        };
        let row = self.rows.iter().find(|row| row.event == entry.event);
        let is_found = is_absolute(&ours.hook);
        let is_first = entry.around.first().is_none_or(|level| level.index == 0);
        let counts = is_found && (self.list.is_none() || is_first);
        let works = counts && row.is_some_and(|row| (self.works)(row, &entry.group, &handler));
        let event = entry.event.clone();
        if !works {
            let event = event.clone();
            found.problems.push(Problem::Weakened { line, event });
        }
        let command = started(&handler).filter(|_| ours.launch == Launch::Shell);
        found.registered.push(Registered {
            event,
            hook: ours.hook,
            launch: ours.launch,
            command: command.unwrap_or_default(),
            works,
            line,
        });
    }

    /// A registration of our other program.
    fn watch_of(
        &self,
        entry: &HandlerEntry<'_>,
        handler: &Object<'_>,
        line: usize,
    ) -> Option<Registered> {
        let row = self.watch.as_ref()?;
        let OwnHandler { hook, launch } = (self.watches)(handler)?;
        let is_here = is_absolute(&hook) && row.event == entry.event;
        Some(Registered {
            event: entry.event.clone(),
            works: is_here && (self.works)(row, &entry.group, handler),
            hook,
            launch,
            command: String::new(),
            line,
        })
    }

    /// Whether the file registers this very installation, once for each event and no more.
    fn is_installed(
        &self,
        text: &str,
        installation: &Installation<'_>,
    ) -> Result<bool, SettingsError> {
        let found = self.inspect(text)?;
        let as_wanted = |registered: &Registered| {
            let Installation { hook, launch } = *installation;
            registered.works && registered.hook == hook && registered.launch == launch
        };
        Ok(found.missing.is_empty()
            && found.unheard.is_empty()
            && found.registered.len() == self.rows.len()
            && found.registered.iter().all(as_wanted)
            && found.watches.len() == usize::from(self.watch.is_some())
            && found.watches.iter().all(as_wanted))
    }

    /// Every handler of the file. An entry that the host would drop is passed over.
    fn entries<'a>(
        &self,
        text: &'a str,
        root: &Object<'a>,
    ) -> Result<Vec<HandlerEntry<'a>>, SettingsError> {
        if let Some(list) = self.list {
            return self.entries_of_list(text, root, list);
        }
        let Some(hooks) = hooks_of(text, root)? else {
            return Ok(Vec::new());
        };
        let events = hooks.object().unwrap_or_default();
        let root_level = members_level(document(text)?, root, root.position("hooks"));
        let of_event = |(index, event): (usize, &Member<'a>)| {
            let name = event.name.text()?;
            let hooks_level = members_level(hooks, &events, Some(index));
            // Of two members for one event the host reads the last.
            let counts = events.position(&name) == Some(index);
            let outer = [hooks_level, root_level.clone()];
            counts.then(|| self.entries_of_event((&*name, event.value), &outer))
        };
        let all = events.members.iter().enumerate().filter_map(of_event);
        Ok(all.flatten().collect())
    }

    /// Every handler of a list that stands in the place of `hooks`.
    fn entries_of_list<'a>(
        &self,
        text: &'a str,
        root: &Object<'a>,
        list: &str,
    ) -> Result<Vec<HandlerEntry<'a>>, SettingsError> {
        let event = self.rows.first().map_or("", |row| row.event);
        let Some(groups) = root.get(list) else {
            return Ok(Vec::new());
        };
        let root_level = members_level(document(text)?, root, root.position(list));
        Ok(self.entries_of_event((event, groups), &[root_level]))
    }

    /// Every handler of one event's list, which lies in the given levels.
    fn entries_of_event<'a>(
        &self,
        (name, list): (&str, Value<'a>),
        outer: &[JsonLevel],
    ) -> Vec<HandlerEntry<'a>> {
        let mut entries = Vec::new();
        let groups = list.items().unwrap_or_default();
        for (group_index, group) in groups.iter().enumerate() {
            let members = group.object().unwrap_or_default();
            let mut around = vec![items_level(list, &groups, group_index)];
            around.extend(outer.iter().cloned());
            let mut push = |handler: Value<'a>, inner: Option<JsonLevel>| {
                entries.push(HandlerEntry {
                    event: name.to_owned(),
                    group: members.clone(),
                    handler,
                    inner,
                    around: around.clone(),
                });
            };
            let Some(list) = self.handlers.map(|name| members.get(name)) else {
                push(*group, None);
                continue;
            };
            let Some(list) = list else {
                continue;
            };
            let handlers = list.items().unwrap_or_default();
            for (index, handler) in handlers.iter().enumerate() {
                push(*handler, Some(items_level(list, &handlers, index)));
            }
        }
        entries
    }

    /// The text without any entry of ours; nothing if nothing is left of it.
    fn without_ours(&self, text: &str) -> Result<Option<String>, SettingsError> {
        let mut text = text.to_owned();
        for _ in 0..REMOVED_MAX {
            let root = root(&text)?;
            let entries = self.entries(&text, &root)?;
            let ours = entries.into_iter().find(|entry| {
                let handler = entry.handler.object();
                handler.is_some_and(|handler| {
                    (self.ours)(&handler)
                        .or_else(|| (self.watches)(&handler))
                        .is_some()
                })
            });
            let Some(entry) = ours else {
                break;
            };
            match without(&text, &entry) {
                Some(rest) => text = rest,
                None => return Ok(None),
            }
        }
        let is_bare = !self.first.is_empty() && text == self.bare();
        Ok((!is_bare).then_some(text))
    }

    /// A file of ours without hooks.
    fn bare(&self) -> String {
        format!("{{{GAP}{}\n}}\n", self.first)
    }

    fn with_every_row(
        &self,
        text: String,
        installation: &Installation<'_>,
    ) -> Result<String, SettingsError> {
        let text = match text.is_empty() && !self.first.is_empty() {
            true => self.bare(),
            false => text,
        };
        let mut rows = self.rows.iter().chain(&self.watch);
        rows.try_fold(text, |text, row| {
            let group = (self.group)(row, installation);
            match self.list {
                Some(list) => with_first(&text, list, &group),
                None => with_row(&text, row, &group),
            }
        })
    }
}

/// What a handler starts.
fn started(handler: &Object<'_>) -> Option<String> {
    let mut commands = ["command", "bash"].iter();
    let command = commands.find_map(|name| handler.text(name))?;
    Some(command.into_owned())
}

impl Inspection {
    /// Notes whether an event has one working registration, as it should.
    fn count(&mut self, row: &HookRow) {
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
}

/// One handler in a settings file, and the lists around it, innermost first.
struct HandlerEntry<'a> {
    event: String,
    group: Object<'a>,
    handler: Value<'a>,
    /// The list of the group's handlers, where a group has one.
    inner: Option<JsonLevel>,
    around: Vec<JsonLevel>,
}

pub(crate) fn document(text: &str) -> Result<Value<'_>, SettingsError> {
    json::commented(text).map_err(|flaw| SettingsError::not_json(text, flaw))
}

pub(crate) fn root(text: &str) -> Result<Object<'_>, SettingsError> {
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

/// The text without one entry and the brackets that we had put around it.
fn without(text: &str, entry: &HandlerEntry<'_>) -> Option<String> {
    // A group without handlers means nothing, so it goes whoever made it.
    let inner = entry.inner.as_ref();
    let innermost = inner.filter(|level| level.elements.len() > 1);
    let stays = |level: &&JsonLevel| level.elements.len() > 1 || !is_ours(text, level);
    let level = innermost.or_else(|| entry.around.iter().find(stays))?;
    let cut = level.cut()?;
    let (before, after) = (text.get(..cut.start)?, text.get(cut.end..)?);
    Some(format!("{before}{after}"))
}

/// The text with one more entry, in the list of its event.
fn with_row(text: &str, row: &HookRow, group: &str) -> Result<String, SettingsError> {
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

/// The text with one more entry, before all others of the list that stands in the place of `hooks`.
fn with_first(text: &str, list: &str, group: &str) -> Result<String, SettingsError> {
    let member = format!("\"{list}\": [ {group} ]");
    if text.is_empty() {
        return Ok(format!("{{{GAP}{member}\n}}\n"));
    }
    let root = root(text)?;
    let Some(groups) = root.get(list) else {
        return Ok(members_level(document(text)?, &root, None).append(text, &member));
    };
    let Some(items) = groups.items() else {
        let what = format!("\"{list}\" is not a list");
        return Err(SettingsError::wrong_shape(text, groups.start, what));
    };
    Ok(items_level(groups, &items, 0).prepend(text, group))
}

/// The member `hooks` with a first event in it, laid out for a file whose members follow `gap`.
fn hooks_member(member: &str, gap: &str) -> String {
    let Some(unit) = gap.rsplit_once('\n').map(|(_, unit)| unit) else {
        return format!("\"hooks\": {{ {member} }}");
    };
    format!("\"hooks\": {{{gap}{unit}{member}{gap}}}")
}
