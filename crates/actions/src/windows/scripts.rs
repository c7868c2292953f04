//! Files of commands: `pwsh -File x.ps1`, `.\x.ps1`, `x.bat`.

use crate::Arg;

/// Ends of files in the words of `cmd`.
const BATCHES: &[&str] = &[".bat", ".cmd"];

/// How PowerShell calls the file that it reads.
const ITSELF: &[&str] = &[
    "$MyInvocation.MyCommand.Definition",
    "$MyInvocation.MyCommand.Path",
    "$PSCommandPath",
];

/// Whether a path is one of a file of commands.
pub(super) fn is_one(file: &Arg) -> bool {
    is_batch(&file.text) || file.text.to_lowercase().ends_with(".ps1")
}

fn is_batch(file: &str) -> bool {
    let lower = file.to_lowercase();
    BATCHES.iter().any(|end| lower.ends_with(end))
}

/// What a file of commands has run, as far as it is known: where it lies, and what it sets, is
/// filled in.
pub(super) fn commands(path: &str, text: String) -> Option<String> {
    match is_batch(path) {
        true => batch(path, &text),
        false => Some(script(path, text)),
    }
}

/// The words that start a file of commands.
pub(super) fn starting(file: &Arg) -> Vec<Arg> {
    let words = match is_batch(&file.text) {
        true => ["cmd", "/c"],
        false => ["powershell", "-File"],
    };
    let words = words.into_iter().map(Arg::literal);
    words.chain([file.clone()]).collect()
}

/// A text of PowerShell with the words for where it lies filled in.
fn script(file: &str, mut text: String) -> String {
    let dir = text::path::parent(file);
    for name in ITSELF {
        text = replaced(&text, name, file);
    }
    replaced(&text, "$PSScriptRoot", dir)
}

/// A text of `cmd` with what it sets filled in; `None` if it jumps, for then nobody knows which of
/// its lines are run.
fn batch(file: &str, text: &str) -> Option<String> {
    let mut set: Vec<(String, String)> = Vec::new();
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut line = replaced(line, "%~dp0", &format!("{}/", text::path::parent(file)));
        for (name, value) in &set {
            line = replaced(&line, name, value);
        }
        // The variable of a loop.
        let line = line.replace("%%", "%");
        let bare = line.trim_start().trim_start_matches('@');
        let (word, rest) = bare.split_once(' ').unwrap_or((bare, ""));
        match &*word.to_lowercase() {
            "goto" => return None,
            "rem" => {}
            "set" => {
                let rest = rest.trim().trim_matches('"');
                if let Some((name, value)) = rest.split_once('=') {
                    set.retain(|(known, _)| !known.eq_ignore_ascii_case(&format!("%{name}%")));
                    set.push((format!("%{name}%"), value.to_owned()));
                }
            }
            _ if line.to_lowercase().contains(" goto ") => return None,
            _ => lines.push(line),
        }
    }
    Some(lines.join("\n"))
}

/// A text with a word replaced, however it is written.
fn replaced(text: &str, word: &str, by: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let mut found = String::new();
    let mut at = 0;
    for (start, _) in lower.match_indices(&word.to_ascii_lowercase()) {
        found.push_str(text.get(at..start).unwrap_or_default());
        found.push_str(by);
        at = start + word.len();
    }
    found.push_str(text.get(at..).unwrap_or_default());
    found
}
