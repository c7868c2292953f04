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
pub(super) fn commands(path: &str, text: String, args: &[Arg]) -> String {
    match is_batch(path) {
        true => batch(path, &given(&text, args)),
        false => script(path, text),
    }
}

/// A text of `cmd` with what it is given in the place of `%1` and on.
fn given(text: &str, args: &[Arg]) -> String {
    let mut text = text.to_owned();
    for number in 1..=9 {
        let arg = args.get(number - 1);
        let value = match arg {
            Some(arg) if !arg.is_known() => continue,
            arg => arg.map_or("", |arg| arg.text.as_str()),
        };
        text = text.replace(&format!("%~{number}"), value);
        text = text.replace(&format!("%{number}"), value);
    }
    text
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

/// A text of `cmd` with what it sets filled in, without the lines that it jumps over. Where a jump
/// or a call may lead to a line, the line may be run.
fn batch(file: &str, text: &str) -> String {
    let mut set: Vec<(String, String)> = Vec::new();
    let mut lines = Vec::new();
    let mut jumps: Option<String> = None;
    for line in text.lines() {
        let mut line = replaced(line, "%~dp0", &format!("{}/", text::path::parent(file)));
        for (name, value) in &set {
            line = replaced(&line, name, value);
        }
        // The variable of a loop.
        let line = line.replace("%%", "%");
        let bare = line.trim_start().trim_start_matches('@');
        if let Some(label) = label(bare) {
            let is_meant = jumps.as_ref() == Some(&label) || is_called(text, &label);
            jumps = jumps.filter(|_| !is_meant);
            continue;
        }
        if jumps.is_some() {
            continue;
        }
        let (word, rest) = bare.split_once(' ').unwrap_or((bare, ""));
        match &*word.to_lowercase() {
            "goto" => jumps = Some(name_of_label(rest)),
            // What follows is run only where a label is called.
            "exit" if rest.trim_start().to_lowercase().starts_with("/b") => {
                jumps = Some(EOF.to_owned());
            }
            "rem" => {}
            "set" => {
                let rest = rest.trim().trim_matches('"');
                if let Some((name, value)) = rest.split_once('=') {
                    set.retain(|(known, _)| !known.eq_ignore_ascii_case(&format!("%{name}%")));
                    set.push((format!("%{name}%"), value.to_owned()));
                }
            }
            _ if line.to_lowercase().contains(" goto ") => {
                if holds(&line) == Some(true) {
                    jumps = line
                        .to_lowercase()
                        .split(" goto ")
                        .nth(1)
                        .map(name_of_label);
                }
            }
            _ => lines.push(line),
        }
    }
    super::loops::unrolled(&lines.join("\n"))
}

/// Where a file of commands ends; no label is called so.
const EOF: &str = "eof";

/// The name of the label that a line is.
fn label(line: &str) -> Option<String> {
    line.strip_prefix(':').map(name_of_label)
}

fn name_of_label(text: &str) -> String {
    let text = text.trim().trim_start_matches(':').to_lowercase();
    let mut words = text.split_whitespace();
    words.next().unwrap_or_default().to_owned()
}

/// Whether something else than a jump that stands alone leads to a label: `call :x`, `if … goto x`.
fn is_called(text: &str, label: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim().trim_start_matches('@').to_lowercase();
        let leads = |word: &str| {
            let mut behind = line.split(word).skip(1);
            behind.any(|rest| name_of_label(rest) == label)
        };
        let may_jump = !line.starts_with("goto") && holds(&line).is_none();
        leads("call ") || may_jump && leads("goto ")
    })
}

/// Whether two words are one, in a line that asks nothing else: `if "a"=="b" goto x`.
fn holds(line: &str) -> Option<bool> {
    let line = line.trim().trim_start_matches('@').to_lowercase();
    let condition = line.strip_prefix("if ")?.split(" goto ").next()?.trim();
    let condition = condition.strip_prefix("/i ").unwrap_or(condition).trim();
    let (is_turned, condition) = match condition.strip_prefix("not ") {
        Some(rest) => (true, rest),
        None => (false, condition),
    };
    let (one, other) = condition.split_once("==")?;
    let is_plain = !condition.contains('%') && !condition.contains('!');
    is_plain.then(|| (one.trim() == other.trim()) != is_turned)
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
