//! The picture in the README: a terminal with a held call, its reason, the yes and the undo. All of
//! it was said by the real programs in a scratch home; only ids and codes, which chance makes, are
//! always the same ones here.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::shell;

/// Where the picture lies.
pub const FILE: &str = "docs/terminal.svg";

/// Widest line, in characters.
const COLUMNS: usize = 92;
/// Size of a character and of a line, in the picture's units.
const CHARACTER: f64 = 8.4;
const LINE: usize = 21;
/// Room around the text.
const MARGIN: usize = 18;

/// What the agent tries.
const CALL: &str = "git reset --hard";
/// A file with work that is nowhere else.
const WORK: &str = "src/main.rs";

/// What stands for what chance made.
const ID: &str = "A7F3";
const CODE: &str = "kestrel-maple-42";
const CAPTURE: &str = "u-7F3A2K";

/// Who speaks in a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Voice {
    Agent,
    Gate,
    Human,
    Note,
}

impl Voice {
    fn class(self) -> &'static str {
        match self {
            Self::Agent => "a",
            Self::Gate => "g",
            Self::Human => "h",
            Self::Note => "n",
        }
    }
}

/// Draws it anew.
///
/// # Errors
/// If the programs do not build, or do not say what the picture is about.
pub fn draw() -> Result<()> {
    let picture = picture()?;
    fs::write(shell::root().join(FILE), picture).with_context(|| format!("cannot write {FILE}"))
}

/// Whether the picture shows what the programs say now.
///
/// # Errors
/// If it does not.
pub fn check() -> Result<()> {
    let drawn = fs::read_to_string(shell::root().join(FILE)).unwrap_or_default();
    let is_same = drawn == picture()?;
    ensure!(
        is_same,
        "{FILE} is out of date; make it with `cargo xtask pages`"
    );
    Ok(())
}

fn picture() -> Result<String> {
    let both = ["--bin", "tollgate", "--bin", "tollgate-hook"];
    shell::run("cargo", &[&["build", "--quiet"], &both[..]].concat())?;
    let scene = Scene::new()?;
    let lines = scene.play();
    drop(fs::remove_dir_all(&scene.root));
    Ok(svg(&lines?))
}

/// A scratch home with a project in the middle of work.
struct Scene {
    root: PathBuf,
    tollgate: PathBuf,
}

impl Scene {
    fn new() -> Result<Self> {
        // Not below a directory for temporary files: what is lost there is no loss.
        let root = shell::target().join("picture");
        drop(fs::remove_dir_all(&root));
        let scene = Self {
            tollgate: shell::target().join("debug/tollgate"),
            root: root.join("home"),
        };
        fs::create_dir_all(scene.project().join("src"))?;
        fs::create_dir_all(scene.root.join(".claude"))?;
        fs::write(scene.project().join(WORK), "fn main() {}\n")?;
        for words in [
            &["init", "--quiet"][..],
            &["add", "."],
            &["commit", "--quiet", "-m", "first"],
        ] {
            scene.run("git", words, "")?;
        }
        fs::write(
            scene.project().join(WORK),
            "fn main() {}\n// three hours of work\n",
        )?;
        scene.tollgate(&["init", "--yes", "--agent", "claude"])?;
        Ok(scene)
    }

    fn project(&self) -> PathBuf {
        self.root.join("app")
    }

    /// Runs a program there; what it printed.
    fn run(&self, program: &str, words: &[&str], input: &str) -> Result<String> {
        let mut command = Command::new(program);
        command.args(words).current_dir(self.project()).env_clear();
        command
            .env("HOME", &self.root)
            .env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command.env("CLAUDE_CODE_SESSION_ATTENDED", "1");
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "Dev");
            command.env(format!("GIT_{who}_EMAIL"), "dev@example.test");
        }
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command
            .spawn()
            .with_context(|| format!("cannot start {program}"))?;
        let mut stdin = child.stdin.take().context("no input")?;
        stdin.write_all(input.as_bytes())?;
        drop(stdin);
        Ok(String::from_utf8_lossy(&child.wait_with_output()?.stdout).into_owned())
    }

    fn tollgate(&self, words: &[&str]) -> Result<String> {
        self.run(&self.tollgate.display().to_string(), words, "")
    }

    /// What the hook answers to the agent's call, in a session that does not ask by itself.
    fn call(&self) -> Result<Value> {
        let payload = json!({
            "session_id": "5e55104e-0000-4000-8000-000000000001", "cwd": self.project(),
            "permission_mode": "bypassPermissions", "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": {"command": CALL}, "tool_use_id": "toolu_1",
        });
        let hook = self.root.join(".local/state/tollgate/bin/tollgate-hook");
        let said = self.run(
            &hook.display().to_string(),
            &["claude", "PreToolUse"],
            &payload.to_string(),
        )?;
        Ok(serde_json::from_str(&said).unwrap_or_default())
    }

    fn play(&self) -> Result<Vec<(Voice, String)>> {
        let answer = self.call()?;
        let text = |pointer: &str| {
            let found = answer.pointer(pointer).and_then(Value::as_str);
            found
                .map(str::to_owned)
                .with_context(|| format!("no {pointer} in {answer}"))
        };
        let reason = text("/hookSpecificOutput/permissionDecisionReason")?;
        let notice = text("/systemMessage")?;
        let mut words = notice.split_whitespace().rev();
        let (code, id) = (
            words.next().unwrap_or_default(),
            words.next().unwrap_or_default(),
        );
        ensure!(
            code.contains('-') && id.len() == ID.len(),
            "no code in {notice:?}"
        );
        let yes = self.tollgate(&["ok", code])?;
        let run = self.call()?;
        ensure!(
            run.pointer("/hookSpecificOutput/permissionDecision") != Some(&json!("deny")),
            "it stayed refused after the yes: {yes}{run}"
        );
        self.run("git", &["reset", "--hard", "--quiet"], "")?;
        let list = self.tollgate(&["undo", "list"])?;
        let capture = list.split_whitespace().find(|word| word.starts_with("u-"));
        let capture = capture.context("nothing was kept")?;
        let undone = self.tollgate(&["undo", "restore", "last"])?;
        let work = fs::read_to_string(self.project().join(WORK))?;
        ensure!(
            work.contains("three hours"),
            "the work did not come back: {undone}"
        );
        let same = |text: &str| {
            text.replace(id, ID)
                .replace(code, CODE)
                .replace(capture, CAPTURE)
        };
        let mut lines = vec![
            (Voice::Note, "the agent, in Claude Code".to_owned()),
            (Voice::Agent, format!("● Bash({CALL})")),
        ];
        let mut say = |voice, text: &str, most: usize| {
            let rows = text.lines().filter(|row| !row.trim().is_empty()).take(most);
            rows.for_each(|row| lines.push((voice, same(row))));
        };
        say(Voice::Gate, &format!("  ⎿ {reason}"), 1);
        say(Voice::Gate, &format!("  ⎿ {notice}"), 1);
        say(Voice::Note, "you, in a terminal", 1);
        say(Voice::Human, &format!("$ tollgate ok {code}"), 1);
        say(Voice::Gate, &yes, 2);
        say(
            Voice::Note,
            "the agent repeats the call, and it runs; later you want the work back",
            1,
        );
        say(Voice::Human, "$ tollgate undo restore last", 1);
        // What stood there until now has an id that chance made, too.
        let rows: Vec<&str> = undone
            .lines()
            .filter(|row| !row.contains("until now"))
            .collect();
        say(Voice::Gate, &rows.join("\n"), 8);
        Ok(lines)
    }
}

/// The lines as a picture of a terminal.
fn svg(lines: &[(Voice, String)]) -> String {
    let mut rows: Vec<(Voice, String)> = Vec::new();
    for (voice, text) in lines {
        if *voice == Voice::Note && !rows.is_empty() {
            rows.push((Voice::Note, String::new()));
        }
        rows.extend(wrapped(text).into_iter().map(|row| (*voice, row)));
    }
    let width = (COLUMNS as f64 * CHARACTER) as usize + 2 * MARGIN;
    let height = rows.len() * LINE + 2 * MARGIN;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n\
         <title>A held call, its reason, the yes and the undo</title>\n<style>\n\
         text {{ font: 14px ui-monospace, Menlo, Consolas, monospace; white-space: pre; }}\n\
         .a {{ fill: #79c0ff; }} .g {{ fill: #e6edf3; }} .h {{ fill: #7ee787; }} \
         .n {{ fill: #8b949e; }}\n</style>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"10\" fill=\"#0d1117\"/>\n"
    );
    for (number, (voice, row)) in rows
        .iter()
        .enumerate()
        .filter(|(_, (_, row))| !row.is_empty())
    {
        let (y, class) = (MARGIN + (number + 1) * LINE - 6, voice.class());
        let row = escaped(row);
        out.push_str(&format!(
            "<text x=\"{MARGIN}\" y=\"{y}\" class=\"{class}\" xml:space=\"preserve\">{row}</text>\n"
        ));
    }
    out.push_str("</svg>\n");
    out
}

/// A text in rows; those after the first are indented as the first is, and a little more.
fn wrapped(text: &str) -> Vec<String> {
    let indent = text.len() - text.trim_start().len() + if text.contains('⎿') { 2 } else { 0 };
    let mut rows = vec![String::new()];
    for (number, word) in text.split(' ').enumerate() {
        let used = rows.last().map_or(0, |row| row.chars().count());
        if used > indent && used + 1 + word.chars().count() > COLUMNS {
            rows.push(" ".repeat(indent));
        } else if number > 0 {
            rows.last_mut().into_iter().for_each(|row| row.push(' '));
        }
        rows.last_mut()
            .into_iter()
            .for_each(|row| row.push_str(word));
    }
    rows
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// The commands that a page tells a stranger to type, in the first block below a heading.
///
/// # Errors
/// If there is no such block.
pub fn commands(page: &Path, heading: &str) -> Result<Vec<String>> {
    let text = fs::read_to_string(page)?;
    let (_, below) = text
        .split_once(&format!("\n{heading}\n"))
        .with_context(|| format!("{} has no {heading}", page.display()))?;
    let block = below.split("```").nth(1).context("no commands there")?;
    let lines = block.lines().skip(1).map(str::trim);
    Ok(lines
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_and_indented() {
        let long = format!("  ⎿ {}", "word ".repeat(40));
        let rows = wrapped(long.trim_end());
        assert!(rows.len() > 1 && rows.iter().all(|row| row.chars().count() <= COLUMNS));
        assert!(
            rows[0].starts_with("  ⎿ word") && rows[1].starts_with("    "),
            "{rows:?}"
        );
        assert_eq!(wrapped("one two"), ["one two"]);
        assert_eq!(escaped("a<b>&c"), "a&lt;b&gt;&amp;c");
    }
}
