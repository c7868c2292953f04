//! The gaps that a worker writes down, and how findings and they are spelled:
//!
//! ```text
//! ### GAP-1: title
//! - **Severity**: high
//! - **Description**: words
//! ```

/// How grave a gap or a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// A minor issue; it changes no verdict.
    Low,
    /// It makes the result worse.
    Medium,
    /// The plan cannot be carried out.
    High,
}

impl Severity {
    /// Every severity with its name.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("low", Self::Low),
        ("medium", Self::Medium),
        ("high", Self::High),
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        model::name_of(Self::NAMES, self)
    }

    /// The severity of a name, in any case.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        let mut names = Self::NAMES.iter();
        let found = names.find(|(known, _)| known.eq_ignore_ascii_case(name.trim()));
        found.map(|(_, severity)| *severity)
    }
}

/// A gap that is written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// Its number.
    pub number: u64,
    /// What it is.
    pub title: String,
    /// How grave.
    pub severity: Severity,
    /// What is to be known of it.
    pub description: String,
}

/// How the head of a gap begins.
pub const GAP: &str = "### GAP-";

/// An entry below a head: its number, its title, the lines until the next head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block<'a> {
    pub(super) number: u64,
    pub(super) title: &'a str,
    pub(super) lines: Vec<&'a str>,
}

/// The entries of a text whose heads begin like this, each at the begin of a line.
pub(super) fn blocks<'a>(text: &'a str, begin: &str) -> Vec<Block<'a>> {
    let mut blocks: Vec<Block<'a>> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        if let Some((number, title)) = head(line, begin) {
            blocks.push(Block {
                number,
                title,
                lines: Vec::new(),
            });
            is_open = true;
        } else if line.starts_with('#') {
            is_open = false;
        } else if let (true, Some(block)) = (is_open, blocks.last_mut()) {
            block.lines.push(line);
        }
    }
    blocks
}

/// Number and title of a head: `### GAP-2: title`.
pub(super) fn head<'a>(line: &'a str, begin: &str) -> Option<(u64, &'a str)> {
    let (number, title) = line.strip_prefix(begin)?.split_once(':')?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    let number = is_number.then(|| number.parse().ok()).flatten()?;
    let title = title.trim();
    (!title.is_empty()).then_some((number, title))
}

impl Block<'_> {
    /// What stands behind a bold word: `- **Severity**: high`. The words may go on below.
    pub(super) fn field(&self, name: &str) -> Option<String> {
        let lead = format!("**{name}**:");
        let mut lines = self.lines.iter();
        let first = lines.find_map(|line| bullet(line).strip_prefix(lead.as_str()))?;
        let more = lines.take_while(|line| !bullet(line).starts_with("**"));
        let words = [first].into_iter().chain(more.copied());
        let words: Vec<&str> = words
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect();
        Some(words.join("\n"))
    }

    /// How grave it is, as it says.
    pub(super) fn severity(&self) -> Option<Severity> {
        Severity::of(&self.field("Severity")?)
    }
}

/// A line without the dash before it.
fn bullet(line: &str) -> &str {
    let line = line.trim();
    line.strip_prefix("- ").unwrap_or(line)
}

/// The gaps of a file. What has no severity that can be read is taken for a medium one: a worker
/// that writes down a gap has written it down.
#[must_use]
pub fn read(text: &str) -> Vec<Gap> {
    let gaps = blocks(text, GAP).into_iter().map(|block| Gap {
        number: block.number,
        title: block.title.to_owned(),
        severity: block.severity().unwrap_or(Severity::Medium),
        description: block.field("Description").unwrap_or_default(),
    });
    gaps.collect()
}

/// What does not stand in the form, for people.
#[must_use]
pub fn faults(text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for block in blocks(text, GAP) {
        let number = block.number;
        if block.severity().is_none() {
            faults.push(format!("GAP-{number} has no severity: high, medium or low"));
        }
        if block
            .field("Description")
            .is_none_or(|words| words.is_empty())
        {
            faults.push(format!("GAP-{number} has no description"));
        }
    }
    faults
}

/// The number that the next gap of a file has: one more than the highest.
#[must_use]
pub fn next_number(text: &str) -> u64 {
    let numbers = text.lines().filter_map(|line| head(line, GAP));
    let highest = numbers.map(|(number, _)| number).max();
    highest.unwrap_or_default().saturating_add(1)
}

/// A file with more gaps at its end, numbered on from the highest. What was there stays as it is.
#[must_use]
pub fn with(text: &str, more: &[Gap]) -> String {
    let mut all = text.to_owned();
    let mut number = next_number(text);
    for gap in more {
        let gap_before = match all.as_str() {
            "" => "",
            text if text.ends_with("\n\n") => "",
            text if text.ends_with('\n') => "\n",
            _ => "\n\n",
        };
        all += &format!(
            "{gap_before}{GAP}{number}: {}\n- **Severity**: {}\n- **Description**: {}\n",
            gap.title,
            gap.severity.name(),
            gap.description
        );
        number = number.saturating_add(1);
    }
    all
}
