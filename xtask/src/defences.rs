//! Each defence of what is ours is switched off once, in the sources: the corpus must see it. So
//! none stands there that nothing needs, and none goes without a word.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};

use crate::ci::StepCounters;
use crate::shell;

/// Where defences are listed: what it is called, the file, its text, and what stands there
/// instead, each in a line, with an empty line between them.
const LIST: &str = "xtask/defences.txt";

/// The parts of the corpus that are about what is ours: the first that sees it is enough.
const CASES: &[&str] = &["own-state", "own-roundabout", "own-attempts"];

struct Defence<'t> {
    name: &'t str,
    file: &'t str,
    text: &'t str,
    instead: &'t str,
}

/// Puts a file back as it was, whatever happens meanwhile.
struct Restored {
    path: PathBuf,
    text: String,
}

impl Drop for Restored {
    fn drop(&mut self) {
        if let Err(error) = fs::write(&self.path, &self.text) {
            eprintln!(
                "xtask: {} is left as it was tried: {error}",
                self.path.display()
            );
        }
    }
}

/// Switches each off, one after another.
///
/// # Errors
/// If one is gone, or nothing notices that it is off.
pub fn run(counters: &mut StepCounters) -> Result<()> {
    let list = fs::read_to_string(shell::root().join(LIST))?;
    let mut unnoticed = Vec::new();
    for defence in defences(&list)? {
        if is_noticed(&defence)? {
            counters.passed += 1;
        } else {
            unnoticed.push(defence.name);
        }
    }
    ensure!(
        unnoticed.is_empty(),
        "nothing needs: {}",
        unnoticed.join(", ")
    );
    Ok(())
}

fn is_noticed(defence: &Defence<'_>) -> Result<bool> {
    let path = shell::root().join(defence.file);
    let text = fs::read_to_string(&path).context(defence.file.to_owned())?;
    ensure!(
        text.matches(defence.text).count() == 1,
        "{}: stands not once in {}",
        defence.name,
        defence.file
    );
    let without = text.replace(defence.text, defence.instead);
    let _restored = Restored {
        path: path.clone(),
        text,
    };
    fs::write(&path, without)?;
    let tests = ["--package", "tollgate-hook", "--test", "corpus"];
    let build = [&["test", "--quiet", "--no-run"], tests.as_slice()].concat();
    shell::run("cargo", &build)?;
    let words = [&["test", "--quiet"], tests.as_slice()].concat();
    for cases in CASES {
        let mut command = shell::command("cargo", &words);
        if !command.env("CORPUS_ONLY", cases).output()?.status.success() {
            println!("{}: noticed in {cases}", defence.name);
            return Ok(true);
        }
    }
    println!("{}: not noticed", defence.name);
    Ok(false)
}

fn defences(list: &str) -> Result<Vec<Defence<'_>>> {
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    let lines: Vec<&str> = lines.filter(|line| !line.trim().is_empty()).collect();
    let mut found = Vec::new();
    for four in lines.chunks(4) {
        let &[name, file, text, instead] = four else {
            bail!("{LIST}: four lines make one");
        };
        found.push(Defence {
            name,
            file,
            text,
            instead,
        });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_defence_stands_once_where_it_is_listed() {
        let list = fs::read_to_string(shell::root().join(LIST)).unwrap();
        let all = defences(&list).unwrap();
        assert!(all.len() >= 10);
        for one in all {
            let text = fs::read_to_string(shell::root().join(one.file)).unwrap();
            assert_eq!(text.matches(one.text).count(), 1, "{}", one.name);
            assert_ne!(one.text, one.instead, "{}", one.name);
        }
        assert!(defences("a\nb\nc\n").is_err());
    }
}
