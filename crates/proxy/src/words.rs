//! The words that start a proxy. `tollgate proxy` explains and checks them; what comes here is
//! read by hand, since a parser of arguments is larger than all else that is touched at the start.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};

/// How long a call waits for a person if nobody says more.
const WAIT: Duration = Duration::from_secs(crate::WAIT_SECONDS);

/// What a proxy was started with.
#[derive(Debug, PartialEq, Eq)]
pub struct Words {
    /// What the client calls the server.
    pub name: String,
    /// How long a call may wait for a person.
    pub wait: Duration,
    /// The server's program and its words.
    pub command: Vec<OsString>,
}

/// Reads the words after the program's own name.
///
/// # Errors
/// If one is not known, or no server is named.
pub fn read(mut words: impl Iterator<Item = OsString>) -> Result<Words> {
    let (mut name, mut wait) = (None, WAIT);
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("--") => break,
            Some("--name") => name = Some(next(&mut words, "--name")?),
            Some("--wait") => {
                let seconds = next(&mut words, "--wait")?;
                let seconds = seconds.parse().ok();
                wait = Duration::from_secs(seconds.context("--wait takes a number of seconds")?);
            }
            _ => bail!(
                "{} is not understood; write [--name NAME] [--wait SECONDS] -- COMMAND",
                word.display()
            ),
        }
    }
    let command: Vec<OsString> = words.collect();
    let program = command.first();
    let program = program.context("no server is named; write its command after `--`")?;
    let stem = Path::new(program).file_stem().unwrap_or(program);
    Ok(Words {
        name: name.unwrap_or_else(|| stem.to_string_lossy().into_owned()),
        wait,
        command,
    })
}

fn next(words: &mut impl Iterator<Item = OsString>, what: &str) -> Result<String> {
    let word = words
        .next()
        .with_context(|| format!("{what} lacks its word"))?;
    Ok(word.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<Words> {
        read(line.split(' ').map(OsString::from))
    }

    #[test]
    fn words_are_read_and_what_lacks_is_named() {
        let words = of("--name db --wait 7 -- npx -y --name x").unwrap();
        assert_eq!((words.name.as_str(), words.wait.as_secs()), ("db", 7));
        assert_eq!(words.command, ["npx", "-y", "--name", "x"]);
        let words = of("-- /opt/files.sh").unwrap();
        assert_eq!((words.name.as_str(), words.wait), ("files", WAIT));
        for (line, why) in [
            ("--name db --", "no server is named"),
            ("--nam db -- x", "--nam is not understood"),
            ("--wait soon -- x", "number of seconds"),
            ("--wait", "lacks its word"),
        ] {
            let error = of(line).unwrap_err().to_string();
            assert!(error.contains(why), "{line}: {error}");
        }
    }
}
