//! What a reviewer of a run answers, round by round: later rounds are narrower than the first.

use model::Digest;

use super::events::Outcome;
use crate::reviews::{place, severity, short};
use crate::tickets::verdict::{self, FINDING, VERDICT, Verdict};

/// How a line begins that says how something earlier stands; a number, a colon and a mark follow.
pub const EARLIER: &str = "### EARLIER-";
/// How the line begins with how many were open and how many are.
pub const TRAJECTORY: &str = "### TRAJECTORY: ";
/// Most findings of one answer.
const FINDINGS_MAX: usize = 40;

/// Something that was found in a run's work.
#[derive(Debug, Clone, PartialEq, Eq, Default, PartialOrd, Ord)]
#[cfg_attr(feature = "lines", derive(serde::Serialize, serde::Deserialize))]
pub struct Finding {
    /// `critical`, `high`, `medium`, `low`; empty if the reviewer did not say.
    pub severity: String,
    /// What kind of thing it is, in the reviewer's word: `bug`, `security`.
    pub class: String,
    /// The file, from the top of the work; empty if none was named.
    pub file: String,
    /// The line; 0 if none was named.
    pub line: u64,
    /// What, in a few words.
    pub title: String,
    /// A command that fails because of it; empty if none was named.
    pub witness: String,
    /// Which of the earlier ones it asks to undo; 0 if none.
    pub undoes: u64,
}

impl Finding {
    /// `high src/a.rs:12 the title (witness: cargo test zero)`.
    #[must_use]
    pub fn in_words(&self) -> String {
        let place = match self.line {
            0 => self.file.clone(),
            line => format!("{}:{line}", self.file),
        };
        let witness = match self.witness.is_empty() {
            true => String::new(),
            false => format!("(witness: {})", self.witness),
        };
        let parts = [self.severity.as_str(), &place, &self.title, &witness];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(" ")
    }

    fn is_high(&self) -> bool {
        matches!(self.severity.as_str(), "critical" | "high")
    }
}

/// Lines of a file that changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changed {
    /// The file, from the top of the work.
    pub file: String,
    /// The first of them.
    pub begin: u64,
    /// The last of them.
    pub end: u64,
}

/// What the answer is held against.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The hash of the word that the verdict must repeat.
    pub nonce: &'a Digest,
    /// What was open, as the reviewer was told; nothing in the first round.
    pub earlier: &'a [Finding],
    /// What changed since the round before.
    pub changed: &'a [Changed],
}

/// What an answer says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Pass or fail.
    pub outcome: Outcome,
    /// What holds the work up.
    pub open: Vec<Finding>,
    /// What does not.
    pub notes: Vec<Finding>,
    /// Whether a finding asks to undo what an earlier one asked for.
    pub is_contested: bool,
}

/// How something earlier stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Settled,
    Open,
}

/// Reads an answer.
///
/// # Errors
/// What is wrong with it. It is then no verdict.
pub fn read(text: &str, asked: &Asked<'_>) -> Result<Answer, &'static str> {
    let verdict = verdict::read(text, asked.nonce)?;
    let new = match verdict {
        Verdict::Pass => Vec::new(),
        // A finding without a form of its own would be lost.
        Verdict::Fail(_) => findings(text),
    };
    let marks = marks(text, asked.earlier.len())?;
    let still = asked.earlier.iter().zip(&marks);
    let still = still.filter(|(_, mark)| **mark == Mark::Open);
    let mut open: Vec<Finding> = still.map(|(finding, _)| finding.clone()).collect();
    if verdict == Verdict::Pass && !open.is_empty() {
        return Err("it passes although it says that something earlier is open");
    }
    hold_to_trajectory(text, (asked.earlier.len(), open.len() + new.len()))?;
    let is_first = asked.earlier.is_empty();
    let (blocking, notes): (Vec<Finding>, Vec<Finding>) = new
        .into_iter()
        .partition(|finding| is_first || blocks(finding, asked.changed));
    let is_contested = blocking.iter().any(|finding| {
        let at = usize::try_from(finding.undoes).unwrap_or(0);
        (1..=asked.earlier.len()).contains(&at)
    });
    open.extend(blocking);
    Ok(Answer {
        outcome: if open.is_empty() {
            Outcome::Pass
        } else {
            Outcome::Fail
        },
        open,
        notes,
        is_contested,
    })
}

/// Whether something new in a later round holds the work up.
fn blocks(finding: &Finding, changed: &[Changed]) -> bool {
    let is_here = |lines: &Changed| {
        lines.file == finding.file && (lines.begin..=lines.end).contains(&finding.line)
    };
    finding.is_high() && changed.iter().any(is_here)
}

/// Whether the same is open, whatever its order and the reviewer's words about its weight.
#[must_use]
pub fn are_same(one: &[Finding], other: &[Finding]) -> bool {
    let keys = |list: &[Finding]| {
        let keys = list
            .iter()
            .map(|one| (one.file.clone(), one.title.to_lowercase()));
        let mut keys: Vec<(String, String)> = keys.collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    };
    !one.is_empty() && keys(one) == keys(other)
}

/// The findings of an answer.
#[must_use]
pub fn findings(text: &str) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for line in text.lines() {
        if line.starts_with(VERDICT) {
            break;
        }
        if let Some((_, title)) = line.strip_prefix(FINDING).and_then(|l| l.split_once(':')) {
            found.push(Finding {
                title: short(title),
                ..Finding::default()
            });
            continue;
        }
        let (Some(finding), Some((key, value))) = (found.last_mut(), line.split_once(':')) else {
            continue;
        };
        match key.trim().to_lowercase().as_str() {
            "severity" if finding.severity.is_empty() => finding.severity = weight(value),
            "class" if finding.class.is_empty() => finding.class = short(value).to_lowercase(),
            "where" if finding.file.is_empty() => (finding.file, finding.line) = place(value),
            "witness" if finding.witness.is_empty() => {
                finding.witness = short(value.trim().trim_matches('`'));
            }
            "undoes" if finding.undoes == 0 => finding.undoes = number(value),
            _ => {}
        }
    }
    found.truncate(FINDINGS_MAX);
    found
}

fn weight(value: &str) -> String {
    let value = value.trim().to_lowercase();
    match value.starts_with("critical") {
        true => "critical".to_owned(),
        false => severity(&value),
    }
}

fn number(value: &str) -> u64 {
    let digits = value.chars().skip_while(|c| !c.is_ascii_digit());
    let digits: String = digits.take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

/// How each of the earlier ones stands.
fn marks(text: &str, count: usize) -> Result<Vec<Mark>, &'static str> {
    let mut marks = vec![None; count];
    for line in text.lines() {
        let Some((at, mark)) = line.strip_prefix(EARLIER).and_then(|l| l.split_once(':')) else {
            continue;
        };
        let at = usize::try_from(number(at)).unwrap_or(0);
        let place = at.checked_sub(1).and_then(|at| marks.get_mut(at));
        let place = place.ok_or("it marks an earlier finding that there is not")?;
        let mark = match mark.trim().to_lowercase().as_str() {
            "fixed" | "withdrawn" => Mark::Settled,
            "open" => Mark::Open,
            _ => return Err("it marks an earlier finding neither fixed, open nor withdrawn"),
        };
        if place.replace(mark).is_some() {
            return Err("it marks an earlier finding twice");
        }
    }
    let all: Option<Vec<Mark>> = marks.into_iter().collect();
    all.ok_or("it does not say of each earlier finding whether it is fixed, open or withdrawn")
}

/// `### TRAJECTORY: n -> m`, if it is there, is what the rest says.
fn hold_to_trajectory(text: &str, counted: (usize, usize)) -> Result<(), &'static str> {
    let mut lines = text.lines();
    let Some(said) = lines.find_map(|line| line.strip_prefix(TRAJECTORY)) else {
        return Ok(());
    };
    let (before, after) = said
        .split_once("->")
        .or_else(|| said.split_once('→'))
        .ok_or("the line with the trajectory has another form")?;
    let at = |text: &str| text.trim().parse::<usize>().ok();
    match (at(before), at(after)) == (Some(counted.0), Some(counted.1)) {
        true => Ok(()),
        false => Err("the trajectory is not what its marks and findings add up to"),
    }
}
