//! Reads what a critic and a validator answer. What is not exactly in the form that was asked for
//! is no answer.

use super::gaps::{Severity, blocks};
use crate::tickets::verdict::{self, FINDING, NO_ISSUES};

/// How the line begins that ends a critic's answer; the word that it was given follows.
pub const END: &str = "### END ";
/// What stands before a validator's reason.
pub const REASON: &str = "**Reason**:";

/// Most findings that an answer may have.
const FINDINGS_MAX: usize = 64;

/// One finding of the critic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its number.
    pub number: u64,
    /// What it is.
    pub title: String,
    /// How grave.
    pub severity: Severity,
    /// Why.
    pub description: String,
}

/// What a critic answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Critique {
    /// What it found; nothing, if it said so.
    pub findings: Vec<Finding>,
}

impl Critique {
    /// Whether something was found that a gap must cover.
    #[must_use]
    pub fn needs_gaps(&self) -> bool {
        let mut findings = self.findings.iter();
        findings.any(|finding| finding.severity > Severity::Low)
    }

    /// The findings in the form in which they came, and nothing else of the answer.
    #[must_use]
    pub fn text(&self) -> String {
        if self.findings.is_empty() {
            return format!("{NO_ISSUES}\n");
        }
        let findings = self.findings.iter().map(|finding| {
            format!(
                "{FINDING}{}: {}\n- **Severity**: {}\n- **Description**: {}\n",
                finding.number,
                finding.title,
                finding.severity.name(),
                finding.description
            )
        });
        findings.collect::<Vec<_>>().join("\n")
    }
}

/// Reads a critic's answer. `repeats` says of a word whether it is the one that was handed out; the
/// last line must repeat it, so that an answer that was cut, or that the plan talked it into, is
/// none.
///
/// # Errors
/// What is wrong with the answer.
pub fn critique(text: &str, repeats: &dyn Fn(&str) -> bool) -> Result<Critique, &'static str> {
    let mut ends = text.lines().filter_map(|line| line.strip_prefix(END));
    let word = ends.next().ok_or("its last line, `### END`, is missing")?;
    if ends.next().is_some() {
        return Err("there is more than one `### END` line");
    }
    if !repeats(word.trim()) {
        return Err("the `### END` line does not repeat the word that it was given");
    }
    let last = text.lines().rfind(|line| !line.trim().is_empty());
    if last.is_none_or(|line| !line.starts_with(END)) {
        return Err("something stands after the `### END` line");
    }
    findings(text)
}

/// The findings of a text, or that there are none.
///
/// # Errors
/// What is wrong with them.
pub fn findings(text: &str) -> Result<Critique, &'static str> {
    let is_clean = text.lines().any(|line| line.trim_end() == NO_ISSUES);
    let blocks = blocks(text, FINDING);
    let begun = text.lines().filter(|line| line.starts_with(FINDING));
    if begun.count() != blocks.len() {
        return Err("a finding has no number or no title");
    }
    match (is_clean, blocks.is_empty()) {
        (true, true) => {
            return Ok(Critique {
                findings: Vec::new(),
            });
        }
        (true, false) => return Err("it says that no issues were found, and has findings"),
        (false, true) => return Err("it has no finding and does not say that there is none"),
        (false, false) => {}
    }
    if blocks.len() > FINDINGS_MAX {
        return Err("it has more findings than anybody reads");
    }
    let mut findings: Vec<Finding> = Vec::new();
    for block in blocks {
        let severity = block.severity().ok_or("a finding has no severity")?;
        let description = block.field("Description").filter(|words| !words.is_empty());
        let finding = Finding {
            number: block.number,
            title: block.title.to_owned(),
            severity,
            description: description.ok_or("a finding has no description")?,
        };
        if findings.iter().any(|known| known.number == finding.number) {
            return Err("two findings have the same number");
        }
        findings.push(finding);
    }
    Ok(Critique { findings })
}

/// What a validator said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Coverage {
    /// Every finding that counts has a gap.
    Pass,
    /// What has none.
    Fail(String),
}

/// Reads a validator's answer; its verdict line repeats the word that was handed out.
///
/// # Errors
/// What is wrong with the answer.
pub fn coverage(text: &str, repeats: &dyn Fn(&str) -> bool) -> Result<Coverage, &'static str> {
    let (line, word) = verdict::line(text, repeats)?;
    let after = text.lines().skip_while(|other| *other != line).skip(1);
    let after: Vec<&str> = after.collect();
    let after = after.join("\n");
    let (_, reason) = after.split_once(REASON).ok_or("it gives no reason")?;
    let reason = reason.trim();
    match word {
        _ if reason.is_empty() => Err("it gives no reason"),
        "PASS" => Ok(Coverage::Pass),
        "FAIL" => Ok(Coverage::Fail(reason.to_owned())),
        _ => Err("the verdict is neither PASS nor FAIL"),
    }
}
