//! A request on the human's own screen: what the desktop shows of itself, else the bell of the
//! terminal that the agent runs in. Never holds the code.

use std::collections::HashMap;
use std::process::{Command, Stdio};

use edge::processes;
use model::one_line;

use crate::asked::Asked;

/// Variables by which a program finds the desktop of whoever sits there.
const SCREEN: &[&str] = &[
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
    "XAUTHORITY",
];

/// Longest text that is shown, in characters.
const TEXT_CHARS_MAX: usize = 200;

/// Shows a text on the desktop that an agent's process was started on, or where none is known, we;
/// whether there is one.
pub fn show(process: u64, text: &str) -> bool {
    on_screen("tollgate", text, &screen(process))
}

/// Whether we were started on a desktop.
pub fn is_at_hand() -> bool {
    cfg!(target_os = "macos") || !screen(0).is_empty()
}

fn on_screen(title: &str, text: &str, screen: &HashMap<String, String>) -> bool {
    match cfg!(target_os = "macos") {
        true => shown("osascript", &script(title, text), screen),
        false => !screen.is_empty() && shown("notify-send", &notice(title, text), screen),
    }
}

/// Tells of a request. Who cannot be told this way sees it where the agent shows it.
pub fn tell(asked: &Asked) {
    let approval = &asked.approval;
    let title = format!(
        "tollgate holds {}",
        one_line(&approval.what, TEXT_CHARS_MAX)
    );
    let text = format!("{}. tollgate approve {}", approval.why, approval.id);
    let text = one_line(&text, TEXT_CHARS_MAX);
    let is_shown = on_screen(&title, &text, &screen(approval.process));
    if !is_shown && approval.process != 0 {
        ring(approval.process);
    }
}

/// Where the desktop is, as the agent's process was started with: what its project sets since then
/// counts for nothing. Where no process is known, as we were.
fn screen(process: u64) -> HashMap<String, String> {
    let started = processes::environment(process).filter(|_| process != 0);
    let Some(started) = started else {
        let own = SCREEN.iter().filter_map(|name| {
            let value = std::env::var(name).ok().filter(|value| !value.is_empty());
            Some(((*name).to_owned(), value?))
        });
        return own.collect();
    };
    let variables = started.split(|byte| *byte == 0);
    let variables = variables.filter_map(|line| str::from_utf8(line).ok()?.split_once('='));
    let screen = variables.filter(|(name, value)| SCREEN.contains(name) && !value.is_empty());
    let owned = screen.map(|(name, value)| (name.to_owned(), value.to_owned()));
    owned.collect()
}

fn notice(title: &str, text: &str) -> Vec<String> {
    let words = [
        "--app-name=tollgate",
        "--urgency=critical",
        "--",
        title,
        text,
    ];
    words.map(str::to_owned).to_vec()
}

/// The line for the desktop of macOS. A text is quoted so that nothing in it is a word of its own.
fn script(title: &str, text: &str) -> Vec<String> {
    let quoted = |text: &str| text.replace(['\\', '"'], "'");
    let line = format!(
        "display notification \"{}\" with title \"{}\"",
        quoted(text),
        quoted(title)
    );
    vec!["-e".to_owned(), line]
}

fn shown(program: &str, words: &[String], screen: &HashMap<String, String>) -> bool {
    let mut command = Command::new(program);
    command.args(words).envs(screen);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Rings the bell of the terminal that a process writes to.
fn ring(process: u64) {
    if !processes::is_at_terminal(process) {
        return;
    }
    let terminal = std::fs::read_link(format!("/proc/{process}/fd/1"));
    if let Ok(terminal) = terminal {
        // A bell that does not ring is no loss.
        let _ = store::outside::ring(&terminal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_a_word_of_a_script() {
        let words = script("rm \"a\"", "b\\\" & (do shell script \"x\")");
        assert_eq!(words[1].matches('"').count(), 4, "{words:?}");
        assert!(!words[1].contains('\\'), "{words:?}");
        assert_eq!(notice("-x", "y")[2], "--");
    }
}
