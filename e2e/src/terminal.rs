//! A real client at a terminal, with somebody who reads the screen and types.
//!
//! The terminal is a pseudo terminal of `script`; what the client paints goes to a file.

use std::fs;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::api::{Api, Lane};
use super::client::Client;
use super::sandbox::{self, Sandbox};

/// Longest wait for something on the screen or in the project.
const WAIT_TIME_MAX: Duration = Duration::from_secs(120);
/// How often it is looked for.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);
/// Pause between a line and its return key, so that the client does not take both for a paste.
const TYPING_PAUSE: Duration = Duration::from_millis(500);
/// Longest wait for a typed line to stand on the screen, where a client may paint it in pieces.
const ECHO_TIME_MAX: Duration = Duration::from_secs(5);
/// Wide enough that no notice of ours is broken.
const SIZE: &str = "stty rows 60 cols 240";

/// Stands for the model's port where it is not known yet.
pub const PORT: &str = "{PORT}";

/// A client that runs at a terminal.
pub struct Terminal {
    child: Child,
    keys: ChildStdin,
    screen: PathBuf,
    api: Api,
}

impl Terminal {
    /// Starts a client at a terminal of its own with these words and no others; in them [`PORT`]
    /// stands for where its model listens.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn open(
        sandbox: &Sandbox,
        client: &Client,
        words: &[&str],
        lanes: Vec<Lane>,
    ) -> Result<Self> {
        let api = Api::start(sandbox.driver.answer, lanes)?;
        let screen = sandbox.root.join("screen.txt");
        let port = api.port.to_string();
        let words = words.iter().map(|word| quoted(word.replace(PORT, &port)));
        let words: Vec<String> = words.collect();
        let program = quoted(client.program.display().to_string());
        let line = format!("{SIZE}; exec {program} {}", words.join(" "));
        let mut command = Command::new("script");
        command.args(["-qfec", &line, "/dev/null"]);
        sandbox.for_client(&mut command, api.port);
        command
            .env("TERM", "xterm-256color")
            .env_remove("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS")
            .stdin(Stdio::piped())
            .stdout(fs::File::create(&screen)?)
            .stderr(fs::File::create(sandbox.root.join("stderr.txt"))?)
            .process_group(0);
        let mut child = command.spawn().context("cannot start `script`")?;
        let keys = child.stdin.take().context("the terminal takes no keys")?;
        Ok(Self {
            child,
            keys,
            screen,
            api,
        })
    }

    /// What the client has painted so far, as text: whatever moves the cursor is a space.
    pub fn screen(&self) -> String {
        let bytes = fs::read(&self.screen).unwrap_or_default();
        plain(&String::from_utf8_lossy(&bytes))
    }

    /// How often the terminal's bell rang so far; the end of a title is none.
    pub fn bells(&self) -> usize {
        let bytes = fs::read(&self.screen).unwrap_or_default();
        bells(&String::from_utf8_lossy(&bytes))
    }

    /// What the model was told so far.
    pub fn heard(&self) -> String {
        self.api.heard()
    }

    /// Waits until something is found.
    ///
    /// # Errors
    /// If it is not found in time.
    pub fn wait<T>(&self, what: &str, find: impl Fn(&Self) -> Option<T>) -> Result<T> {
        let end = Instant::now() + WAIT_TIME_MAX;
        loop {
            if let Some(found) = find(self) {
                return Ok(found);
            }
            if Instant::now() > end {
                bail!("{what} ({})", self.screen.display());
            }
            std::thread::sleep(LOOK_INTERVAL);
        }
    }

    /// Waits until words stand on the screen.
    ///
    /// # Errors
    /// If they do not come.
    pub fn shows(&self, words: &str) -> Result<()> {
        self.wait(&format!("{words:?} is not shown"), |terminal| {
            terminal.screen().contains(words).then_some(())
        })
    }

    /// Types a line and presses return.
    ///
    /// # Errors
    /// If the client is gone.
    pub fn say(&mut self, line: &str) -> Result<()> {
        let shown = |terminal: &Self| terminal.screen().matches(line).count();
        let before = shown(self);
        self.press(line)?;
        // A client that is busy reads late, and would take what it finds then for a paste.
        let end = Instant::now() + ECHO_TIME_MAX;
        while shown(self) == before && Instant::now() < end {
            std::thread::sleep(LOOK_INTERVAL);
        }
        std::thread::sleep(TYPING_PAUSE);
        self.press("\r")
    }

    /// Presses keys.
    ///
    /// # Errors
    /// If the client is gone.
    pub fn press(&mut self, keys: &str) -> Result<()> {
        self.keys.write_all(keys.as_bytes())?;
        Ok(self.keys.flush()?)
    }

    /// Leaves the client; what the model was told in all.
    ///
    /// # Errors
    /// If it does not end.
    pub fn leave(mut self) -> Result<String> {
        for _ in 0..2 {
            self.press("\u{4}")?;
            std::thread::sleep(TYPING_PAUSE);
        }
        let end = Instant::now() + WAIT_TIME_MAX;
        while self.child.try_wait()?.is_none() {
            if Instant::now() > end {
                bail!("the client did not end ({})", self.screen.display());
            }
            std::thread::sleep(LOOK_INTERVAL);
        }
        Ok(self.api.heard())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        drop(fs::write(
            self.screen.with_file_name("heard.jsonl"),
            self.api.heard(),
        ));
        sandbox::kill(&mut self.child);
    }
}

fn quoted(word: impl AsRef<str>) -> String {
    format!("'{}'", word.as_ref().replace('\'', "'\\''"))
}

/// Bells in what was painted.
fn bells(painted: &str) -> usize {
    let mut pieces = painted.split("\u{1b}]");
    let first = pieces.next().unwrap_or_default();
    let rest: String = pieces.map(title_end).collect();
    [first, &rest].concat().matches('\u{7}').count()
}

/// Text without what steers a terminal.
fn plain(painted: &str) -> String {
    let mut text = String::new();
    let mut rest = painted;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        text.push_str(before);
        text.push(' ');
        let is_long = after.starts_with(['[', ']', 'P', '_']);
        rest = match after.strip_prefix(']') {
            Some(title) => title_end(title),
            None if is_long => {
                let mut letters = after.char_indices().skip(1);
                let end = letters.find(|(_, letter)| letter.is_ascii_alphabetic());
                end.and_then(|(at, _)| after.get(at + 1..)).unwrap_or("")
            }
            None => after.get(1..).unwrap_or(""),
        };
    }
    text.push_str(rest);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What stands after a title. It ends with a bell, or with an escape and a backslash.
fn title_end(title: &str) -> &str {
    let end = title.find(['\u{7}', '\u{1b}']);
    let rest = end.and_then(|at| title.get(at + 1..)).unwrap_or("");
    rest.strip_prefix('\\').unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_is_no_text() {
        let painted =
            "\u{1b}]0;title\u{7}\u{1b}[1mtollgate\u{1b}[1Cok\u{1b}[1Ckestrel-42\u{1b}[0m\r\n";
        assert_eq!(plain(painted), "tollgate ok kestrel-42");
        assert_eq!(plain("\u{1b}="), "");
        assert_eq!(plain("a\u{1b}]7501;x\u{1b}\\b\u{1b}]0;y\u{7}c"), "a b c");
        assert_eq!(
            bells("\u{7}a\u{1b}]0;title\u{7}b\u{7}\u{1b}]0;x\u{1b}\\\u{7}"),
            3
        );
        assert_eq!(bells(painted), 0);
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
