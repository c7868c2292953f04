//! The check whether a session keeps to what it was asked: the verdict's form, and how it is read.
//! What is not exactly in the form is no verdict. Must not know who may give one.

#[cfg(feature = "templates")]
mod request;

#[cfg(feature = "templates")]
pub use request::{ComplianceInput, SENTINEL, TEMPLATE, TEMPLATE_NAME, relevant, request};

use model::one_line;
use work::discipline::Standing;

/// How the line with the verdict begins.
pub const VERDICT: &str = "### VERDICT: ";
/// How the line begins that says what is wrong.
pub const ISSUE: &str = "### ISSUE: ";
/// How the line begins that names what it is against.
pub const PRINCIPLE: &str = "### PRINCIPLE: ";
/// How the line begins that says what to do.
pub const CORRECTION: &str = "### CORRECTION: ";

/// What any line that could be meant as a verdict begins with, without blanks and in lower case.
const MEANT: &str = "###verdict";
/// Longest part of the words, in characters.
const PART_CHARS_MAX: usize = 200;

/// Reads a verdict and its words; those of `OK` are empty. `nonce_matches` says whether a word is
/// the one that the request gave.
///
/// # Errors
/// What is wrong with the answer. An answer that assesses nothing is never `OK`.
pub fn verdict(
    text: &str,
    nonce_matches: impl Fn(&str) -> bool,
) -> Result<(Standing, String), String> {
    let mut meant = text.lines().filter(|line| is_meant(line));
    let line = meant.next().ok_or("there is no verdict line")?;
    if meant.next().is_some() {
        return Err("there is more than one verdict line".to_owned());
    }
    if last_line(text) != Some(line.trim_end()) {
        return Err("the verdict is not the last line".to_owned());
    }
    let rest = line.trim_end().strip_prefix(VERDICT);
    let (word, repeated) = rest
        .and_then(|rest| rest.split_once(' '))
        .ok_or("the verdict line has another form")?;
    if !nonce_matches(repeated) {
        return Err("the verdict line does not repeat the word that it was given".to_owned());
    }
    let mut standings = Standing::NAMES.iter();
    let standing = standings.find(|(name, _)| *name == word);
    let (_, standing) = standing.ok_or("the verdict is neither OK, WARN nor BLOCK")?;
    let part = |begin: &str| part(text, begin);
    let said = (part(ISSUE), part(PRINCIPLE), part(CORRECTION));
    match (standing, said) {
        (Standing::Ok, (None, None, None)) => Ok((Standing::Ok, String::new())),
        (Standing::Ok, _) => Err("it says OK and names an issue".to_owned()),
        (_, (None, ..)) => Err(format!("it says {word} without an issue")),
        (_, (_, None, _)) => Err(format!("it says {word} without a principle")),
        (_, (.., None)) => Err(format!("it says {word} without a correction")),
        (_, (Some(issue), Some(principle), Some(correction))) => {
            Ok((*standing, format!("{issue} ({principle}): {correction}")))
        }
    }
}

fn is_meant(line: &str) -> bool {
    let letters = line.chars().filter(|c| !c.is_whitespace());
    let letters = letters.flat_map(char::to_lowercase);
    letters.take(MEANT.len()).eq(MEANT.chars())
}

/// The last line that says something; the end of a fence around the answer says nothing.
fn last_line(text: &str) -> Option<&str> {
    let lines = text.lines().rev().map(str::trim_end);
    let mut lines = lines.filter(|line| !line.is_empty() && *line != "```");
    lines.next()
}

/// What the first line that begins so says.
fn part(text: &str, begin: &str) -> Option<String> {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix(begin));
    let said = lines.find(|said| !said.trim().is_empty())?;
    Some(one_line(said, PART_CHARS_MAX))
}

#[cfg(test)]
mod tests;
