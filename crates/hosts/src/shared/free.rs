//! Edits of a host's settings that touch neither our hooks nor anything that is run. Must not know
//! any host's names.

use std::borrow::Cow;

use model::SettingsFiles;

use crate::shared::{edited, toml};
use crate::{HOSTS, Host};
use text::json;

/// What of a host's settings is its user's own.
#[derive(Debug, Clone, Copy)]
pub struct Free {
    /// How the paths of its settings files end that hold more than hooks.
    pub files: &'static [&'static str],
    /// Their members that neither concern us nor say what is run.
    pub members: &'static [&'static str],
    /// Lists below its members, each by the names that lead to it, that forbid something or ask
    /// about it: others may be added to them.
    pub denials: &'static [[&'static str; 2]],
    /// Parts of the words for what concerns us there, in small letters.
    pub words: &'static [&'static str],
}

impl Free {
    /// Of a host whose settings are all about hooks.
    pub(crate) const NONE: Self = Self {
        files: &[],
        members: &[],
        denials: &[],
        words: &[],
    };
}

/// What all hosts know of their settings files.
pub const SETTINGS_FILES: SettingsFiles = SettingsFiles {
    is_one,
    is_free,
    edited: edited::edited,
    speaks,
};

fn host_of(path: &str) -> Option<&'static Host> {
    let mut hosts = HOSTS.iter().copied();
    hosts.find(|host| host.free.files.iter().any(|end| path.ends_with(end)))
}

fn is_one(path: &str) -> bool {
    host_of(path).is_some()
}

/// What switches all hooks off may be named besides, and so may we.
fn speaks(path: &str, words: &str) -> bool {
    let words = words.to_lowercase();
    let says = |host: &Host| host.free.words.iter().any(|word| words.contains(word));
    let of_host = match host_of(path) {
        Some(host) => says(host),
        None => HOSTS.iter().any(|host| says(host)),
    };
    of_host || words.contains("tollgate")
}

fn is_free(path: &str, (before, after): (&str, &str)) -> bool {
    let Some(host) = host_of(path) else {
        return false;
    };
    let free = host.free.members;
    let held = |text| match path.ends_with(".toml") {
        true => toml::held(text, free),
        false => members(text, free),
    };
    // What is emptied was no edit of a member that is free.
    let says = match path.ends_with(".toml") {
        true => !after.trim().is_empty(),
        false => json::object(after).is_ok_and(|object| !object.members.is_empty()),
    };
    let keeps = || {
        let (now, mut then) = (denied(after, host), denied(before, host).into_iter());
        then.all(|denied| now.contains(&denied))
    };
    says && held(after).is_some_and(|after| held(before) == Some(after)) && keeps()
}

/// What is forbidden or asked about.
fn denied(text: &str, host: &Host) -> Vec<String> {
    let Ok(object) = json::object(text) else {
        return Vec::new();
    };
    let lists = host.free.denials.iter();
    let lists = lists.filter_map(|[member, list]| object.get(member)?.object()?.get(list)?.items());
    let denied = lists.flatten().filter_map(|item| item.text());
    denied.map(Cow::into_owned).collect()
}

/// The members of an object that are not free, in the order of their names; nothing if it is no
/// object. A file that is not there holds none.
fn members(text: &str, free: &[&str]) -> Option<Vec<(String, String)>> {
    if text.trim().is_empty() {
        return Some(Vec::new());
    }
    let object = json::object(text).ok()?;
    let mut held = Vec::new();
    for member in object.members {
        let name = member.name.text()?;
        if !free.contains(&name.as_ref()) {
            held.push((name.into_owned(), squeezed(member.value.raw)));
        }
    }
    held.sort();
    Some(held)
}

/// A value without the blanks between its parts.
fn squeezed(raw: &str) -> String {
    let (mut in_text, mut is_escaped) = (false, false);
    let keep = |letter: &char| {
        let keeps = in_text || !letter.is_whitespace();
        in_text ^= *letter == '"' && !is_escaped;
        is_escaped = in_text && *letter == '\\' && !is_escaped;
        keeps
    };
    raw.chars().filter(keep).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_host_has_its_words_for_what_concerns_us() {
        for (path, words, expected) in [
            ("/h/.claude/settings.json", "disableAllHooks", true),
            ("/h/.codex/config.toml", "[hooks.state]", true),
            ("/h/.gemini/settings.json", "theme", false),
            ("/h/.claude/settings.json", "model", false),
            ("", "hooks.enabled", true),
            ("", "tollgate", true),
            ("", "model", false),
        ] {
            assert_eq!(speaks(path, words), expected, "{path} {words}");
        }
    }

    #[test]
    fn an_edit_is_free_if_all_that_is_run_stays() {
        let path = "/h/.claude/settings.json";
        let hooks = r#""hooks":{"Stop":[{"command":"/x/tollgate-hook a \"b  c\""}]}"#;
        let before = format!("{{{hooks},\n  \"model\": \"a\"}}");
        let spread = hooks.replace("\":", "\" :\n   ");
        for (after, expected) in [
            (format!("{{{hooks}}}"), true),
            (format!("{{\"model\":\"b\",{spread}}}"), true),
            (
                format!("{{{hooks},\"permissions\":{{\"allow\":[\"Bash(ls)\"]}}}}"),
                true,
            ),
            (format!("{{{hooks},\"disableAllHooks\":true}}"), false),
            (format!("{{{hooks},\"env\":{{}}}}"), false),
            (format!("{{{hooks},\"apiKeyHelper\":\"x\"}}"), false),
            (
                format!("{{{},\"model\":\"b\"}}", hooks.replace("b  c", "b c")),
                false,
            ),
            (format!("{{{hooks},\"hoo\\u006bs\":{{}}}}"), false),
            ("{\"model\":\"b\"}".to_owned(), false),
            (before.replace('}', ""), false),
            (String::new(), false),
        ] {
            assert_eq!(is_free(path, (&before, &after)), expected, "{after}");
        }
        assert!(is_free(path, ("", "{\"permissions\":{}}")));
        assert!(!is_free(path, ("", "{\"hooks\":{}}")));
        assert!(!is_free(path, ("", "{}")) && !is_free(path, ("{\"model\":\"a\"}", " { } ")));
        let denies = |what: &str| format!("{{\"permissions\":{{\"deny\":[{what}]}}}}");
        assert!(is_free(path, (&denies("\"a\""), &denies("\"b\",\"a\""))));
        assert!(!is_free(path, (&denies("\"a\",\"b\""), &denies("\"b\""))));
        assert!(!is_free(path, (&denies("\"a\""), "{\"model\":\"b\"}")));
        assert!(is_one(path) && !is_one("/h/.claude/other.json"));
        let toml = "/h/.codex/config.toml";
        let hooks = "[features]\nhooks = true\n";
        let before = ["model = \"a\"\n", hooks].concat();
        assert!(is_one(toml) && is_free(toml, (&before, &before.replace("\"a\"", "\"b\""))));
        for after in ["", "model = \"b\"\n", &before.replace("true", "false")] {
            assert!(!is_free(toml, (&before, after)), "{after}");
        }
        assert!(!is_free("/h/other.json", ("{}", "{}")));
    }
}
