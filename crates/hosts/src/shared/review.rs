//! What a host can do for a review: a subagent of ours that alone may give a verdict, how its
//! spawn is rewritten, and where to look whether it was really ours. Must not know any host's
//! names.

use crate::shared::wire::Wire;

/// What the spawn of a reviewer becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Respawn<'a> {
    /// The kind of subagent that starts.
    pub kind: &'a str,
    /// The prompt, from the first word to the last.
    pub prompt: &'a str,
    /// What people read about the spawn.
    pub title: &'a str,
    /// Whether the worker waits for its end, where the host lets us say so.
    pub waits: bool,
}

/// The reviewer of one host.
#[derive(Debug)]
pub struct Review {
    /// The kind of subagent whose verdict counts, spelled as in the host's events.
    pub kind: &'static str,
    /// The files that define it, by their path in a directory of their own.
    pub plugin: &'static [(&'static str, &'static str)],
    /// How the host is started so that it knows the reviewer; `{}` is that directory.
    pub start: &'static str,
    /// The kind that the host's events say it is, where that is another than [`Self::kind`]; else
    /// empty.
    pub runs_as: &'static str,
    /// What the worker does to start it, where its kind is not a name that the host knows; else
    /// empty.
    pub ask: &'static str,
    /// Path templates of what defines subagents, for [`crate::Roots::expand`].
    pub definitions: &'static [&'static str],
    /// Path templates of directories below which plugins are installed.
    pub plugins: &'static [&'static str],
    /// Names of files that steer the host's workers.
    pub steering: &'static [&'static str],
    /// The variable in which the host tells its commands the session.
    pub session: &'static str,
    /// How a worker is told to start a subagent of a kind with a prompt: the call, as it writes it.
    pub call: fn(&str, &str) -> String,
    /// The whole input of a spawn with which the reviewer starts instead, as the host's JSON.
    pub respawn: fn(&Wire<'_, '_>, &Respawn<'_>) -> Option<String>,
    /// The id of the subagent that the result of a spawn names; empty if it names none.
    pub spawned: fn(&Wire<'_, '_>) -> String,
    /// Where the transcript of the subagent lies that an event is about; empty if not said.
    pub transcript: fn(&Wire<'_, '_>) -> String,
    /// Whether the host writes what all subagents of a session do into one transcript.
    pub shares_transcript: bool,
    /// Whether a subagent cannot be made to go on when it ends, so that an answer that cannot be
    /// read is its last.
    pub ends_once: bool,
    /// The prompt that a line of such a transcript holds, if it holds one.
    pub prompt: fn(&str) -> Option<String>,
    /// Whether the text of a definition takes the reviewer's name.
    pub is_taken_by: fn(&str) -> bool,
    /// Whether a plugin's own description says that it is the reviewer's.
    pub is_plugin: fn(&str) -> bool,
    /// What the host's command line says about subagents.
    pub launched: fn(&[&str]) -> Launched,
    /// The id of a subagent that is known by its prompt alone, on hosts that give it no id and end
    /// it with the result of its spawn; nothing where the host says who starts and ends.
    pub named: Option<fn(&str) -> String>,
    /// The prompt that a subagent had, where the event of its end says it.
    pub prompt_in: fn(&Wire<'_, '_>) -> Option<String>,
}

/// What a host's command line says about subagents.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Launched {
    /// Whether it defines one that takes the reviewer's name.
    pub takes_name: bool,
    /// Directories of plugins that it names.
    pub plugins: Vec<String>,
}

/// Longest head of a definition; who writes a longer one hides something.
const HEAD_BYTES_MAX: usize = 12 * 1024;

/// Whether the head of a definition may name one of these: by whatever spelling of the format it
/// is in. What cannot be read may.
pub(crate) fn may_name(text: &str, names: &[&str]) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let Some(rest) = text.strip_prefix("---") else {
        return false;
    };
    let mut ends = rest.match_indices('\n').map(|(at, _)| at);
    let is_end = |at: &usize| {
        let line = rest.get(at + 1..).unwrap_or_default();
        let line = line.split('\n').next().unwrap_or_default().trim_end();
        matches!(line, "---" | "...")
    };
    let head = ends.find(is_end).and_then(|end| rest.get(..end));
    if head.unwrap_or(rest).len() > HEAD_BYTES_MAX {
        return true;
    }
    let head = plain(head.unwrap_or(rest));
    head.contains("!!binary") || names.iter().any(|name| is_named(&head, name))
}

/// Whether a head without blanks and quotes names something. A name that nobody uses by chance is
/// enough wherever it stands; another is meant where a name stands, or is put there by a mark.
fn is_named(head: &str, name: &str) -> bool {
    if name.contains("tollgate") {
        return head.contains(name);
    }
    let mut values = head.split("name:").skip(1);
    values.any(|value| {
        value.starts_with(name)
            || value.starts_with(['>', '|', '&', '*', '!']) && head.contains(name)
    })
}

/// A text without blanks and quotes, its escapes resolved, in small letters.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text.chars();
    while let Some(letter) = rest.next() {
        let letter = match letter {
            '\\' => escaped(&mut rest),
            letter => Some(letter),
        };
        let kept = letter.filter(|letter| !letter.is_whitespace() && !matches!(letter, '"' | '\''));
        plain.extend(kept.into_iter().flat_map(char::to_lowercase));
    }
    plain
}

/// What a backslash and what follows it stand for.
fn escaped(rest: &mut std::str::Chars<'_>) -> Option<char> {
    let length = match rest.next()? {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        other => return Some(other),
    };
    let digits: String = rest.by_ref().take(length).collect();
    char::from_u32(u32::from_str_radix(&digits, 16).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_spelling_of_a_head_hides_a_name() {
        let name = "tollgate:reviewer";
        let long = format!("---\nx: {}\nname: other\n---\n", "y".repeat(HEAD_BYTES_MAX));
        for (head, expected) in [
            ("---\nname: tollgate:reviewer\n---\n", true),
            ("---\r\nname: tollgate:reviewer\r\n---\r\n", true),
            ("\u{feff}---\nname: tollgate:reviewer\n---\n", true),
            ("---\nname: 'Tollgate:Reviewer'\n---\n", true),
            ("---\n\"name\": \"tollgate:reviewer\" # x\n---\n", true),
            ("---\n\"na\\x6de\": \"tollgate\\x3areviewer\"\n---\n", true),
            ("---\nname: \"\\u0074ollgate:reviewer\"\n---\n", true),
            ("---\nname: \"tollgate:\\\n  reviewer\"\n---\n", true),
            ("---\nname: >-\n  tollgate:reviewer\n---\n", true),
            ("---\nx: &a tollgate:reviewer\nname: *a\n---\n", true),
            ("---\n? name\n: tollgate:reviewer\n---\n", true),
            ("---\n{name: tollgate:reviewer}\n---\n", true),
            ("---\nname: !!binary dG9sbGdhdGU6cmV2aWV3ZXI=\n---\n", true),
            ("---\nname: tollgate:reviewer\n", true),
            (&long, true),
            ("---\nname: reviewer\n---\nlike tollgate:reviewer\n", false),
            ("# about tollgate:reviewer\n", false),
            ("", false),
        ] {
            assert_eq!(may_name(head, &[name]), expected, "{head}");
        }
        for (head, expected) in [
            ("---\nname: Generalist\n---\n", true),
            ("---\nx: &a generalist\nname: *a\n---\n", true),
            ("---\nname: x\ndescription: a generalist\n---\n", false),
        ] {
            assert_eq!(may_name(head, &["generalist"]), expected, "{head}");
        }
    }
}
