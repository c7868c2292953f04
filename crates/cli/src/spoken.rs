//! A command that a person wrote on our own command line, without quotes or with them.

use std::ffi::OsString;

use clap::Command;
use text::words::shell_word;

/// The command whose words these are. One word is a command already; of several, each that a shell
/// would read otherwise is quoted.
pub fn command(words: &[String]) -> String {
    match words {
        [one] => one.clone(),
        words => words
            .iter()
            .map(|word| shell_word(word))
            .collect::<Vec<_>>()
            .join(" "),
    }
}

/// The command line with `--` before the command that it asks about, so that the command's own
/// options are not taken for ours. Nothing if it asks about none.
pub fn set_apart(line: &[OsString], ours: &Command, asking: &[&str]) -> Option<Vec<OsString>> {
    let name = line.get(1)?.to_str()?;
    let asked = ours.find_subcommand(name)?;
    if !asking.contains(&name) || line.iter().any(|word| word == "--") {
        return None;
    }
    let takes_value = |word: &str| {
        let mut options = asked.get_arguments().filter(|one| one.get_long().is_some());
        options.any(|one| {
            let long = one.get_long().unwrap_or_default();
            word.strip_prefix("--") == Some(long) && one.get_action().takes_values()
        })
    };
    let mut at = 2;
    while let Some(word) = line.get(at).and_then(|word| word.to_str()) {
        match word {
            word if !word.starts_with('-') => break,
            word if takes_value(word) => at += 2,
            _ => at += 1,
        }
    }
    let (before, command) = line.split_at_checked(at)?;
    (!command.is_empty()).then(|| [before, &["--".into()], command].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_the_command_that_they_were() {
        let of = |words: &[&str]| {
            command(
                &words
                    .iter()
                    .map(|word| (*word).to_owned())
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(of(&["rm -rf data && ls"]), "rm -rf data && ls");
        assert_eq!(of(&["rm", "-rf", "data"]), "rm -rf data");
        assert_eq!(
            of(&["git", "commit", "-m", "it's a b"]),
            r"git commit -m 'it'\''s a b'"
        );
        assert_eq!(of(&["rm", "*", ""]), "rm '*' ''");
    }
}
