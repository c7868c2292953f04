//! A settings text with one member changed, as programs do it that read all of it and print it
//! anew. Must not know any host's names.

use model::{MemberChange, MemberEdit};
use text::json::{self, Object, text::quote};

/// What stands where nothing does.
const NOTHING: &str = "null";

/// The text after the change; nothing if it is not known what it says then.
pub(crate) fn edited(text: &str, edit: &MemberEdit) -> Option<String> {
    let is_removal = edit.change == MemberChange::Remove;
    if !is_removal {
        json::value(&edit.value).ok()?;
    }
    json::object(text).ok()?;
    changed(text.trim(), &edit.path, edit)
}

/// A value with what a path leads to in it changed.
fn changed(raw: &str, path: &[String], edit: &MemberEdit) -> Option<String> {
    let Some((name, rest)) = path.split_first() else {
        return match edit.change {
            MemberChange::Set => Some(edit.value.trim().to_owned()),
            MemberChange::Append => appended(raw, &edit.value),
            MemberChange::Remove => None,
        };
    };
    let is_removal = edit.change == MemberChange::Remove;
    let object = match raw {
        NOTHING if is_removal => return Some(raw.to_owned()),
        NOTHING => Object::default(),
        raw => json::object(raw).ok()?,
    };
    let at = object.position(name);
    let mut parts = Vec::new();
    for (index, member) in object.members.iter().enumerate() {
        let is_meant = Some(index) == at;
        // Of two members of one name it is not known what becomes of the first.
        if !is_meant && member.name.is_text(name) {
            return None;
        }
        let value = match is_meant {
            true if rest.is_empty() && is_removal => continue,
            true => changed(member.value.raw, rest, edit)?,
            false => member.value.raw.to_owned(),
        };
        parts.push([member.name.raw, ": ", &value].concat());
    }
    if at.is_none() && !is_removal {
        let mut part = String::new();
        quote(name, &mut part);
        parts.push([&part, ": ", &changed(NOTHING, rest, edit)?].concat());
    }
    Some(format!("{{ {} }}", parts.join(", ")))
}

/// A list with more at its end, or an object with other members.
fn appended(raw: &str, value: &str) -> Option<String> {
    if let Ok(object) = json::object(value) {
        let mut text = raw.to_owned();
        for member in &object.members {
            let path = [member.name.text()?.into_owned()];
            let set = MemberEdit {
                path: Vec::new(),
                change: MemberChange::Set,
                value: member.value.raw.to_owned(),
            };
            text = changed(&text, &path, &set)?;
        }
        return Some(text);
    }
    let items = |text| json::value(text).ok()?.items();
    let mut all = match raw {
        NOTHING => Vec::new(),
        raw => items(raw)?,
    };
    all.extend(items(value)?);
    let all: Vec<&str> = all.iter().map(|item| item.raw).collect();
    Some(format!("[{}]", all.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_changed_and_the_rest_stays() {
        let text = r#"{"model": "a", "hooks": {"Stop": []}, "permissions": {"allow": ["x"]}}"#;
        let edit = |path: &str, change, value: &str| {
            let path = path.split('.').map(str::to_owned).collect();
            let value = value.to_owned();
            edited(
                text,
                &MemberEdit {
                    path,
                    change,
                    value,
                },
            )
        };
        for (path, change, value, expected) in [
            ("model", MemberChange::Set, "\"b\"", r#""model": "b""#),
            (
                "permissions.allow",
                MemberChange::Append,
                "[\"y\"]",
                r#""allow": ["x", "y"]"#,
            ),
            (
                "permissions.deny",
                MemberChange::Append,
                "[1]",
                r#""deny": [1]"#,
            ),
            ("a.b", MemberChange::Set, "{}", r#""a": { "b": {} }"#),
            (
                "permissions",
                MemberChange::Append,
                r#"{"defaultMode": "plan"}"#,
                r#""allow": ["x"], "defaultMode": "plan""#,
            ),
            (
                "hooks",
                MemberChange::Remove,
                "",
                r#""model": "a", "permissions""#,
            ),
            (
                "gone.x",
                MemberChange::Remove,
                "",
                r#""hooks": {"Stop": []}"#,
            ),
        ] {
            let after = edit(path, change, value).unwrap();
            assert!(after.contains(expected), "{after}");
            assert!(json::object(&after).is_ok(), "{after}");
        }
        for (path, change, value) in [
            ("model", MemberChange::Append, "[1]"),
            ("model.x", MemberChange::Set, "1"),
            ("model", MemberChange::Set, ".hooks"),
            ("model", MemberChange::Set, "\"\\(.hooks)\""),
        ] {
            assert_eq!(edit(path, change, value), None, "{path} {value}");
        }
        let twice = MemberEdit {
            path: vec!["a".to_owned()],
            change: MemberChange::Set,
            value: "1".to_owned(),
        };
        assert_eq!(edited("{\"a\": 1, \"a\": 2}", &twice), None);
        assert_eq!(edited("", &twice), None);
    }
}
