//! Reads a reviewer's last words. What is not exactly in the form that was asked for is no verdict.

use model::Digest;

use crate::digest::digest_of_text;

/// How the line with the verdict begins.
pub const VERDICT: &str = "### VERDICT: ";
/// How a finding's line begins; a number, a colon and a title follow.
pub const FINDING: &str = "### FINDING-";
/// The line that says that nothing was found.
pub const NO_ISSUES: &str = "### NO ISSUES FOUND";

/// What any line that could be meant as a verdict begins with, without blanks and in lower case.
const MEANT: &str = "###verdict";

/// Most findings whose titles are kept.
const FINDINGS_MAX: usize = 8;

/// A verdict that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing against it.
    Pass,
    /// The titles of what was found.
    Fail(Vec<String>),
}

/// Reads a verdict. `nonce` is the hash of what its line must repeat.
///
/// # Errors
/// What is wrong with the answer.
pub fn read(last: &str, nonce: &Digest) -> Result<Verdict, &'static str> {
    let (_, word) = line(last, &|repeated| digest_of_text(repeated) == *nonce)?;
    let findings: Vec<String> = last.lines().filter_map(finding).collect();
    let is_clean = last.lines().any(|line| line.trim_end() == NO_ISSUES);
    match (word, is_clean, findings.is_empty()) {
        ("PASS", true, true) => Ok(Verdict::Pass),
        ("FAIL", false, false) => Ok(Verdict::Fail(findings)),
        ("PASS", ..) => Err("it passes without saying that no issues were found, or with findings"),
        ("FAIL", ..) => Err("it fails without a finding, or says that no issues were found"),
        _ => Err("the verdict is neither PASS nor FAIL"),
    }
}

/// The one line of an answer that could be meant as a verdict, and its word: what stands before the
/// word that the line must repeat, of which `repeats` knows whether it is that.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn line<'t>(
    text: &'t str,
    repeats: &dyn Fn(&str) -> bool,
) -> Result<(&'t str, &'t str), &'static str> {
    let mut meant = text.lines().filter(|line| is_meant(line));
    let line = meant.next().ok_or("there is no verdict line")?;
    if meant.next().is_some() {
        return Err("there is more than one verdict line");
    }
    let rest = line.trim_end().strip_prefix(VERDICT);
    let (word, repeated) = rest
        .and_then(|rest| rest.split_once(' '))
        .ok_or("the verdict line has another form")?;
    if !repeats(repeated) {
        return Err("the verdict line does not repeat the word that it was given");
    }
    Ok((line, word))
}

/// Whether a line could be meant as a verdict, however it is spelled.
fn is_meant(line: &str) -> bool {
    let letters = line.chars().filter(|c| !c.is_whitespace());
    let letters = letters.flat_map(char::to_lowercase);
    letters.take(MEANT.len()).eq(MEANT.chars())
}

/// The title of a finding: `### FINDING-2: the title`.
fn finding(line: &str) -> Option<String> {
    let (number, title) = line.strip_prefix(FINDING)?.split_once(':')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let title = title.trim();
    (is_number && !title.is_empty()).then(|| title.to_owned())
}

/// The titles, on one line.
#[must_use]
pub fn in_words(findings: &[String]) -> String {
    let first: Vec<&str> = findings
        .iter()
        .take(FINDINGS_MAX)
        .map(String::as_str)
        .collect();
    first.join("; ")
}
