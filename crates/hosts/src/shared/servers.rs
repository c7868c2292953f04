//! The server of tools for agents in a host's settings: one member of ours among the servers that a
//! user named. What somebody changed in it stays. Must not know any host's names.

use crate::Roots;
use crate::shared::helpers::{HelperFile, OwnContent, Part, dir};
use crate::shared::members;
use crate::shared::settings::SettingsError;
use text::json;
use text::json::text::quoted;

/// What the server is called among the others.
pub(crate) const NAME: &str = "tollgate";
/// The word of our command line that starts it.
pub(crate) const WORD: &str = "mcp";
/// Where most hosts keep the servers.
const SERVERS: &str = "mcpServers";

/// Our server under `mcpServers`, in the first of these files that a machine has a place for.
/// `more` are members that the host wants besides.
pub(crate) fn usual(
    roots: &Roots<'_>,
    files: &[&str],
    (program, more): (&str, &str),
) -> Option<HelperFile> {
    let program = quoted(program);
    Some(HelperFile {
        path: dir(roots, files)?,
        content: OwnContent::Part(Part {
            ours: format!("{{ {more}\"command\": {program}, \"args\": [\"{WORD}\"] }}"),
            put: |text, ours| put(text, [SERVERS, NAME], ours),
            take: |text, ours| take(text, [SERVERS, NAME], ours),
        }),
    })
}

/// The text with our member, unless there is one of that name already.
pub(crate) fn put(text: &str, names: [&str; 2], ours: &str) -> Result<String, SettingsError> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    match members::get(text, names[0], names[1])? {
        Some(_) => Ok(text.to_owned()),
        None => members::put(text, names, ours),
    }
}

/// The text without our member; nothing if nothing is left. One that starts something else stays.
pub(crate) fn take(
    text: &str,
    names: [&str; 2],
    ours: &str,
) -> Result<Option<String>, SettingsError> {
    match members::get(text, names[0], names[1])? {
        Some(theirs) if holds(theirs, ours) => members::take(text, names),
        _ => Ok(Some(text.to_owned())),
    }
}

/// Whether an object holds all that ours does, however the host has laid it out since.
fn holds(theirs: &str, ours: &str) -> bool {
    let (Ok(theirs), Ok(ours)) = (json::object(theirs), json::object(ours)) else {
        return false;
    };
    let mut members = ours.members.iter();
    members.all(|member| {
        let name = member.name.text().unwrap_or_default();
        let found = theirs.get(&name);
        found.is_some_and(|found| dense(found.raw) == dense(member.value.raw))
    })
}

/// JSON without the blanks between its parts.
fn dense(raw: &str) -> String {
    let (mut is_text, mut is_escaped) = (false, false);
    let kept = raw.chars().filter(|letter| {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = is_text,
            '"' => is_text = !is_text,
            letter if letter.is_whitespace() => return is_text,
            _ => {}
        }
        true
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: &str = r#"{ "command": "/s/bin/tollgate", "args": ["mcp"] }"#;
    const NAMES: [&str; 2] = [SERVERS, NAME];

    #[test]
    fn it_comes_and_goes_and_leaves_every_other_byte() {
        for text in [
            "{}\n",
            "{ \"theme\": \"dark\" }\n",
            "{\n  \"mcpServers\": {\n    \"db\": { \"command\": \"npx\" }\n  }\n}\n",
        ] {
            let with = put(text, NAMES, OURS).unwrap();
            assert!(with.contains("/s/bin/tollgate"), "{with}");
            assert_eq!(put(&with, NAMES, OURS).unwrap(), with);
            let without = take(&with, NAMES, OURS).unwrap();
            assert_eq!(without.unwrap_or_else(|| "{}\n".to_owned()), text);
        }
        let alone = put("", NAMES, OURS).unwrap();
        let left = take(&alone, NAMES, OURS).unwrap();
        assert_eq!(left.as_deref(), Some("{}\n"));
    }

    #[test]
    fn what_somebody_made_of_it_is_theirs() {
        let laid_out = "{\"mcpServers\":{\"tollgate\":{\"type\":\"stdio\",\
                        \"command\":\"/s/bin/tollgate\",\"args\":[\"mcp\"],\"env\":{}}}}";
        assert!(
            !take(laid_out, NAMES, OURS)
                .unwrap()
                .unwrap_or_default()
                .contains("tollgate")
        );
        let theirs = laid_out.replace("/s/bin/tollgate", "docker");
        assert_eq!(take(&theirs, NAMES, OURS).unwrap(), Some(theirs.clone()));
        assert_eq!(put(&theirs, NAMES, OURS).unwrap(), theirs);
        assert!(put("[]", NAMES, OURS).is_err());
        assert!(put("{\"mcpServers\": 1}", NAMES, OURS).is_err());
    }

    #[test]
    fn blanks_count_in_texts_alone() {
        assert_eq!(dense("{ \"a b\\\" \" : [ 1 ] }"), "{\"a b\\\" \":[1]}");
    }
}
