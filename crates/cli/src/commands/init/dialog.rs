//! What a person says to the changes that were shown.

use std::io::{BufRead, IsTerminal, Write};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::changes::FileChange;
use crate::here::Here;
use crate::show;

/// What programs show long texts with, where the user names none.
const PAGER: &str = "less -FRX";

/// A person's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    /// For every agent that was shown.
    Yes,
    /// For these alone, by their ids.
    Only(Vec<String>),
    /// For none.
    No,
}

/// What a person answers. Without a terminal nobody can, so nothing is changed.
pub(super) fn answer(here: &Here, changes: &[FileChange]) -> Result<Answer> {
    if !std::io::stdin().is_terminal() {
        bail!("there is no terminal to ask at; say --yes to change it, --dry-run to only look");
    }
    let mut agents: Vec<&str> = changes.iter().map(|change| change.host.id).collect();
    agents.dedup();
    let shown = || page(&in_full(here, changes));
    asked(&mut std::io::stdin().lock(), &agents, &shown)
}

/// Every change with the file's name above it.
fn in_full(here: &Here, changes: &[FileChange]) -> String {
    let mut text = String::new();
    for change in changes.iter().filter(|change| !change.lines.is_empty()) {
        text.push_str(&format!("--- {}\n", here.short(&change.path)));
        for line in &change.lines {
            text.push_str(&format!("{line}\n"));
        }
        text.push('\n');
    }
    text
}

/// Shows a text in the user's pager, else as it stands.
fn page(text: &str) {
    let pager = std::env::var("PAGER").unwrap_or_default();
    let pager = if pager.trim().is_empty() {
        PAGER
    } else {
        &pager
    };
    let paged = std::io::stdout().is_terminal() && through(pager, text).is_ok();
    if !paged {
        show::print(format_args!("{text}"));
    }
}

fn through(pager: &str, text: &str) -> Result<()> {
    let mut words = pager.split_whitespace();
    let program = words.next().context("no pager is named")?;
    let mut child = Command::new(program)
        .args(words)
        .stdin(Stdio::piped())
        .spawn()?;
    if let Some(mut input) = child.stdin.take() {
        // Whoever leaves the pager early has seen enough.
        let _ = input.write_all(text.as_bytes());
    }
    child.wait()?;
    Ok(())
}

/// Asks until the answer is one; `d` shows the changes in full. The end of input is a no.
fn asked(input: &mut impl BufRead, agents: &[&str], in_full: &dyn Fn()) -> Result<Answer> {
    let some = match agents {
        [_] | [] => String::new(),
        several => format!(", or only some: {}", several.join(" ")),
    };
    loop {
        show::print(format_args!("Do it? [y]es, [n]o, [d]iff in full{some}: "));
        std::io::stdout().flush()?;
        let mut answer = String::new();
        let length = input.read_line(&mut answer)?;
        let answer = answer.trim().to_lowercase();
        match answer.as_str() {
            "y" | "yes" => return Ok(Answer::Yes),
            "d" | "diff" => in_full(),
            _ if length == 0 => return Ok(Answer::No),
            "n" | "no" | "" => return Ok(Answer::No),
            names => match named(names, agents) {
                Ok(names) => return Ok(Answer::Only(names)),
                Err(unknown) => say!("{unknown} is neither an answer nor one of these agents"),
            },
        }
    }
}

/// The agents that are named, or the first word that is none.
fn named(words: &str, agents: &[&str]) -> Result<Vec<String>, String> {
    let words = words.split([' ', ',']).filter(|word| !word.is_empty());
    let known = |word: &str| match agents.contains(&word) {
        true => Ok(word.to_owned()),
        false => Err(word.to_owned()),
    };
    words.map(known).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_yes_is_a_yes() {
        let only = |names: &[&str]| {
            let names = names.iter().map(|name| (*name).to_owned());
            Answer::Only(names.collect())
        };
        for (typed, expected) in [
            ("y\n", Answer::Yes),
            ("YES\n", Answer::Yes),
            ("d\ny\n", Answer::Yes),
            ("what\ny\n", Answer::Yes),
            ("d\nn\n", Answer::No),
            ("n\n", Answer::No),
            ("\n", Answer::No),
            ("d\n", Answer::No),
            ("", Answer::No),
            ("first\n", only(&["first"])),
            ("Second, first\n", only(&["second", "first"])),
            ("second third\nn\n", Answer::No),
        ] {
            let input = &mut typed.as_bytes();
            let answer = asked(input, &["first", "second"], &|| {}).unwrap();
            assert_eq!(answer, expected, "{typed:?}");
        }
    }

    #[test]
    fn a_pager_that_is_not_there_hides_nothing() {
        assert!(through("tollgate-no-such-pager", "text").is_err());
        assert!(through("cat", "").is_ok());
    }
}
