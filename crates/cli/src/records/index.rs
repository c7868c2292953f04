//! The index of patterns as people read and edit it: a text of JSON. What a program does not know
//! in it stays as it is. Compiles it into the table that the hook reads.

use anyhow::{Context, Result, bail};
use model::PatternAction;
use patterns::{Entry, Expression, Origin, Template};
use serde_json::{Map, Value, json};
use store::Store;

use super::expressions;

/// Longest reason and alternative, in characters.
pub const TEXT_CHARS_MAX: usize = 300;
/// Most entries that are compiled.
const ENTRIES_MAX: usize = 10_000;
/// Most expressions that are held against every command.
const BLIND_MAX: usize = 32;
/// The list of entries, and that of those that a person rejected.
const PATTERNS: &str = "patterns";
const REJECTED: &str = "rejected";

/// The index.
pub struct Index {
    value: Map<String, Value>,
}

/// One entry that is not compiled, and why.
pub struct Refused {
    /// Its name.
    pub id: String,
    /// Why.
    pub why: String,
}

impl Index {
    /// An index with nothing in it.
    pub fn empty() -> Self {
        let mut value = Map::new();
        value.insert("version".to_owned(), 1.into());
        value.insert(PATTERNS.to_owned(), json!([]));
        value.insert(REJECTED.to_owned(), json!([]));
        Self { value }
    }

    /// The index of a state; an empty one if there is none.
    ///
    /// # Errors
    /// If it cannot be read, or is no index.
    pub fn load(store: &Store) -> Result<Self> {
        match store.index_text()? {
            None => Ok(Self::empty()),
            Some(text) => Self::read(&text)
                .with_context(|| format!("{} is no index", store.index_path().display())),
        }
    }

    /// Reads an index: an object with `patterns`, or a bare list of entries.
    ///
    /// # Errors
    /// If it is something else.
    pub fn read(text: &str) -> Result<Self> {
        let mut index = Self::empty();
        match serde_json::from_str(text)? {
            Value::Array(list) => {
                index.value.insert(PATTERNS.to_owned(), Value::Array(list));
            }
            Value::Object(value) => index.value.extend(value),
            _ => bail!("an index is an object with \"patterns\", or a list of entries"),
        }
        for list in [PATTERNS, REJECTED] {
            if !index.value.get(list).is_some_and(Value::is_array) {
                bail!("\"{list}\" is no list");
            }
        }
        Ok(index)
    }

    /// The entries, as they are written.
    pub fn patterns(&self) -> &[Value] {
        let list = self.value.get(PATTERNS).and_then(Value::as_array);
        list.map_or(&[], Vec::as_slice)
    }

    /// The same, to be changed.
    pub fn patterns_mut(&mut self) -> &mut Vec<Value> {
        list_of(&mut self.value, PATTERNS)
    }

    /// What a person rejected: it is not learned again.
    pub fn rejected(&self) -> &[Value] {
        let list = self.value.get(REJECTED).and_then(Value::as_array);
        list.map_or(&[], Vec::as_slice)
    }

    /// The same, to be changed.
    pub fn rejected_mut(&mut self) -> &mut Vec<Value> {
        list_of(&mut self.value, REJECTED)
    }

    /// An entry by its name.
    ///
    /// # Errors
    /// If there is none.
    pub fn get(&self, id: &str) -> Result<&Value> {
        let found = self.patterns().iter().find(|one| text(one, "id") == id);
        found.with_context(|| format!("there is no pattern {id}; tollgate index list shows them"))
    }

    /// The same, to be changed.
    ///
    /// # Errors
    /// If there is none.
    pub fn get_mut(&mut self, id: &str) -> Result<&mut Map<String, Value>> {
        let mut all = self.patterns_mut().iter_mut();
        let found = all.find(|one| text(one, "id") == id);
        let found = found.and_then(Value::as_object_mut);
        found.with_context(|| format!("there is no pattern {id}; tollgate index list shows them"))
    }

    /// As text.
    ///
    /// # Errors
    /// Never, in truth: what was read as JSON can be written as such.
    pub fn text(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(&self.value)? + "\n")
    }

    /// What the hook is to know, and what is not taken.
    pub fn entries(&self) -> (Vec<Entry>, Vec<Refused>) {
        let (mut entries, mut refused) = (Vec::new(), Vec::new());
        let mut blind = 0;
        for one in self.patterns().iter().filter(|one| !is_retired(one)) {
            match entry(one) {
                Ok(entry) if is_blind(&entry) && blind == BLIND_MAX => {
                    refused.push(refusal(one, BLIND));
                }
                Ok(entry) if entries.len() < ENTRIES_MAX => {
                    blind += usize::from(is_blind(&entry));
                    entries.push(entry);
                }
                Ok(_) => refused.push(refusal(one, "the index has 10,000 entries already")),
                Err(why) => refused.push(refusal(one, &format!("{why:#}"))),
            }
        }
        (entries, refused)
    }
}

const BLIND: &str = "no text of three letters stands in all that it is about, so it is held \
                     against every command, and the index has 32 such patterns already";

/// Whether it is held against every command.
pub fn is_blind(entry: &Entry) -> bool {
    !entry.expression.is_none() && entry.expression.is_blind()
}

fn list_of<'a>(value: &'a mut Map<String, Value>, name: &str) -> &'a mut Vec<Value> {
    let list = value.entry(name).or_insert_with(|| json!([]));
    if !list.is_array() {
        *list = json!([]);
    }
    match list {
        Value::Array(list) => list,
        _ => unreachable!("it was made a list"),
    }
}

fn refusal(one: &Value, why: &str) -> Refused {
    Refused {
        id: text(one, "id").to_owned(),
        why: why.to_owned(),
    }
}

/// Changes the index while nobody else does, and compiles it.
///
/// # Errors
/// If the change fails, or it cannot be read or written.
pub fn change<T>(store: &Store, change: impl FnOnce(&mut Index) -> Result<T>) -> Result<T> {
    let _claim = store.claim_index()?;
    let mut index = Index::load(store)?;
    let done = change(&mut index)?;
    store.set_index_text(&index.text()?)?;
    compile(store)?;
    Ok(done)
}

/// Compiles the index into the table. How many entries, and what is not taken. Where the text is no
/// index, the last good table stays, and is not made again until the text changes.
///
/// # Errors
/// If the text is no index, or the table cannot be written.
pub fn compile(store: &Store) -> Result<(usize, Vec<Refused>)> {
    let stamp = store.index_stamp();
    let index = match Index::load(store) {
        Ok(index) => index,
        Err(error) => {
            store.keep_index_table(&stamp)?;
            return Err(error);
        }
    };
    let (entries, refused) = index.entries();
    store.write_index_table(&patterns::compile(&entries), &stamp)?;
    Ok((entries.len(), refused))
}

/// A text of an entry.
pub fn text<'a>(one: &'a Value, key: &str) -> &'a str {
    one.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A text of what an entry matches.
pub fn matched<'a>(one: &'a Value, key: &str) -> &'a str {
    one.get("match").map_or("", |one| text(one, key))
}

/// A number of an entry's `stats`.
pub fn stat(one: &Value, key: &str) -> u64 {
    let stats = one.get("stats").and_then(|stats| stats.get(key));
    stats.and_then(Value::as_u64).unwrap_or_default()
}

/// Whether it speaks no more.
pub fn is_retired(one: &Value) -> bool {
    !text(one, "retired").is_empty()
}

/// Where an entry comes from.
pub fn origin(one: &Value) -> Origin {
    let mut names = Origin::NAMES.iter();
    let found = names.find(|(name, _)| *name == text(one, "origin"));
    found.map_or(Origin::Written, |(_, origin)| *origin)
}

/// The most that an entry may do.
///
/// # Errors
/// If it says nothing that can be done.
pub fn action(one: &Value) -> Result<PatternAction> {
    let said = text(one, "action");
    let mut names = PatternAction::NAMES.iter();
    let found = names.find(|(name, _)| *name == said);
    let found = found.map(|(_, action)| *action);
    found.with_context(|| {
        let names: Vec<&str> = PatternAction::NAMES.iter().map(|(name, _)| *name).collect();
        format!("its action {said:?} is none of {}", names.join(", "))
    })
}

/// An entry as the hook needs it.
///
/// # Errors
/// If it cannot be matched, or says what cannot be done.
pub fn entry(one: &Value) -> Result<Entry> {
    let tool = matched(one, hosts::TOOL_FIELD);
    if !tool.is_empty() && !hosts::SHELL_TOOLS.contains(&tool) {
        bail!(
            "patterns are about commands: its {} must be Bash",
            hosts::TOOL_FIELD
        );
    }
    if !matches!(matched(one, "input_field"), "" | "command") {
        bail!("patterns are about commands: its input_field must be command");
    }
    let pattern = matched(one, "pattern");
    let (template, expression) = match Template::read(pattern) {
        Ok(template) => (template, Expression::default()),
        Err(_) => {
            let refused = || format!("its pattern {pattern:?} is refused");
            let expression = expressions::build(pattern).with_context(refused)?;
            (Template::default(), expression)
        }
    };
    let origin = origin(one);
    let action = action(one)?;
    if origin == Origin::Learned && action == PatternAction::Block {
        bail!("what was learned never blocks for good: its action can be block_autotest at most");
    }
    let recent = one
        .get("match")
        .and_then(|one| one.get("min_recent_failures"));
    let dir = one.get("dir").and_then(Value::as_str);
    let line = |key: &str| model::one_line(text(one, key), TEXT_CHARS_MAX);
    let id = text(one, "id");
    if id.is_empty() {
        bail!("it has no id");
    }
    Ok(Entry {
        id: id.to_owned(),
        origin,
        project: text(one, "project").to_owned(),
        seat: text(one, "seat").to_owned(),
        dir: dir.unwrap_or_default().to_owned(),
        is_everywhere: dir.is_none(),
        action_type: matched(one, "action_type").to_owned(),
        template,
        expression,
        min_recent_failures: recent.and_then(Value::as_u64).unwrap_or_default(),
        action,
        reason: line("reason"),
        alternative: line("alternative"),
    })
}
