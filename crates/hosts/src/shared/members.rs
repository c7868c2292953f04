//! One member of an object in a settings file, as text: every byte outside it stays. Must not know
//! any host's names.

use crate::shared::level::{JsonLevel, is_ours, items_level, members_level};
use crate::shared::nested::{document, root};
use crate::shared::settings::SettingsError;
use text::json;

/// What `outer.inner` holds, as written; nothing if there is no such member.
pub(crate) fn get<'t>(
    text: &'t str,
    outer: &str,
    inner: &str,
) -> Result<Option<&'t str>, SettingsError> {
    Ok(find(text, [outer, inner])?.map(|value| value.raw))
}

fn find<'t>(
    text: &'t str,
    [outer, inner]: [&str; 2],
) -> Result<Option<json::Value<'t>>, SettingsError> {
    let root = root(text)?;
    let Some(object) = root.get(outer) else {
        return Ok(None);
    };
    let members = object.object().ok_or_else(|| wrong(text, object, outer))?;
    Ok(members.get(inner))
}

/// The text with an item, as JSON, in the list `outer.inner`.
pub(crate) fn put_item(text: &str, names: [&str; 2], item: &str) -> Result<String, SettingsError> {
    let Some(list) = find(text, names)? else {
        return put(text, names, &format!("[ {item} ]"));
    };
    let Some(items) = list.items() else {
        let what = format!("\"{}\" is not a list", names.join("."));
        return Err(SettingsError::wrong_shape(text, list.start, what));
    };
    if items.iter().any(|known| known.raw == item) {
        return Ok(text.to_owned());
    }
    Ok(items_level(list, &items, 0).append(text, item))
}

/// The text without that item, and without what we made for it; nothing if nothing is left.
pub(crate) fn take_item(
    text: &str,
    names: [&str; 2],
    item: &str,
) -> Result<Option<String>, SettingsError> {
    let found = find(text, names)?.and_then(|list| {
        let items = list.items()?;
        let at = items.iter().position(|known| known.raw == item)?;
        Some(items_level(list, &items, at))
    });
    let Some(level) = found else {
        return Ok(Some(text.to_owned()));
    };
    if level.is_last() && is_ours(text, &level) {
        return take(text, names);
    }
    Ok(Some(without(text, &level)))
}

/// The text without the element that a level leads to.
fn without(text: &str, level: &JsonLevel) -> String {
    let Some(cut) = level.cut() else {
        return text.to_owned();
    };
    let before = text.get(..cut.start).unwrap_or_default();
    let after = text.get(cut.end..).unwrap_or_default();
    [before, after].concat()
}

/// The text with `outer.inner` holding a value.
pub(crate) fn put(
    text: &str,
    [outer, inner]: [&str; 2],
    value: &str,
) -> Result<String, SettingsError> {
    let member = format!("\"{inner}\": {value}");
    let root = root(text)?;
    let Some(object) = root.get(outer) else {
        let member = format!("\"{outer}\": {{ {member} }}");
        return Ok(members_level(document(text)?, &root, None).append(text, &member));
    };
    let members = object.object().ok_or_else(|| wrong(text, object, outer))?;
    let Some(known) = members.get(inner) else {
        return Ok(members_level(object, &members, None).append(text, &member));
    };
    let span = known.span();
    let before = text.get(..span.start).unwrap_or_default();
    let after = text.get(span.end..).unwrap_or_default();
    Ok(format!("{before}{value}{after}"))
}

/// The text without `outer.inner`, and without `outer` if we made that; nothing if nothing is left.
pub(crate) fn take(text: &str, [outer, inner]: [&str; 2]) -> Result<Option<String>, SettingsError> {
    let root = root(text)?;
    let found = root.get(outer).and_then(|object| {
        let members = object.object()?;
        let at = members.position(inner)?;
        Some(members_level(object, &members, Some(at)))
    });
    let Some(level) = found else {
        return Ok(Some(text.to_owned()));
    };
    let whole = members_level(document(text)?, &root, root.position(outer));
    match level.is_last() && is_ours(text, &level) {
        false => Ok(Some(without(text, &level))),
        true if whole.is_last() && is_ours(text, &whole) => Ok(None),
        true => Ok(Some(without(text, &whole))),
    }
}

fn wrong(text: &str, value: json::Value<'_>, name: &str) -> SettingsError {
    SettingsError::wrong_shape(text, value.start, format!("\"{name}\" is not an object"))
}
