//! WORKFLOWS.md: read, and made of the three dimensions, RULES.md and the skills' descriptions.
//! Must not know which files it is made of.

use super::Rulebook;
use super::markdown::{self, Warning};
use crate::guidance::{DIMENSIONS, derived_by};
use model::one_line;

/// A way of working that others build on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    /// What it is called.
    pub name: String,
    /// What is done.
    pub pattern: String,
    /// When it is left out.
    pub skip_when: String,
    /// The row's line, from 1.
    pub line: usize,
}

/// Where a kind of request goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// What shows it.
    pub signal: String,
    /// A workflow or a skill.
    pub target: String,
    /// The row's line, from 1.
    pub line: usize,
}

/// What a WORKFLOWS.md says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Workflows {
    /// Ways of working.
    pub bases: Vec<Base>,
    /// Where requests go.
    pub routes: Vec<Route>,
}

/// A skill as it describes itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SkillCard {
    /// Its id.
    pub name: String,
    /// When to use it.
    pub description: String,
}

/// Longest description that is shown, in characters.
const DESCRIPTION_CHARS_MAX: usize = 160;
/// Most rows of a kind that are read.
const ROWS_MAX: usize = 500;

/// Reads a WORKFLOWS.md.
#[must_use]
pub fn workflows(text: &str) -> (Workflows, Vec<Warning>) {
    let mut warnings = Vec::new();
    let text = markdown::bounded(text, &mut warnings);
    let mut found = Workflows::default();
    for table in markdown::tables(text, &mut warnings) {
        let rows = table.rows.iter().take(ROWS_MAX);
        let skip = table.column("skip");
        if let (Some(name), Some(pattern)) = (table.column("base"), table.column("pattern")) {
            found.bases.extend(rows.map(|row| Base {
                name: unlinked(row.cell(name)),
                pattern: row.cell(pattern).to_owned(),
                skip_when: skip.map_or("", |skip| row.cell(skip)).to_owned(),
                line: row.line,
            }));
        } else if let (Some(signal), Some(target)) = (table.column("signal"), table.column("route"))
        {
            found.routes.extend(rows.map(|row| Route {
                signal: row.cell(signal).to_owned(),
                target: unlinked(row.cell(target)),
                line: row.line,
            }));
        }
    }
    let nameless = found.bases.iter().filter(|base| base.name.is_empty());
    warnings.extend(nameless.map(|base| Warning::new(base.line, "the base has no name")));
    let lost = found.routes.iter().filter(|route| route.target.is_empty());
    warnings.extend(lost.map(|route| Warning::new(route.line, "the route leads nowhere")));
    if found == Workflows::default() {
        let what = "there is neither a table of bases nor one of routes";
        warnings.push(Warning::new(1, what));
    }
    (found, warnings)
}

/// A name without the marks of a link: `[[name]]`, `[[name|shown]]`, `` `name` ``.
fn unlinked(cell: &str) -> String {
    let inner = markdown::bare(cell).trim_start_matches("[[");
    let inner = inner.split("]]").next().unwrap_or(inner);
    let inner = inner.split('|').next().unwrap_or(inner);
    markdown::bare(inner).to_owned()
}

/// A skill's card from the front matter of its file.
#[must_use]
pub fn skill_card(text: &str) -> Option<SkillCard> {
    let values = markdown::front_matter(text);
    let of = |key: &str| {
        let mut values = values.iter();
        values
            .find(|(name, _)| *name == key)
            .map(|(_, value)| value.as_str())
    };
    let name = of("name").filter(|name| markdown::is_id(name))?;
    Some(SkillCard {
        name: name.to_owned(),
        description: one_line(of("description").unwrap_or_default(), DESCRIPTION_CHARS_MAX),
    })
}

/// Longest constraints of a skill, in characters.
const CONSTRAINTS_CHARS_MAX: usize = 160;
/// What the heading of a skill's constraints holds, and how a line begins that is one without it.
const CONSTRAINT_HEADINGS: &[&str] = &["constraint", "rule", "must", "never", "always"];
const CONSTRAINT_BEGINS: &[&str] = &["must ", "never ", "always ", "do not ", "don't "];

/// What a skill holds its user to (S0.33): the first lines of its list of constraints, or else the
/// first lines of any list that say what must be, or never.
#[must_use]
pub fn constraints(text: &str) -> String {
    let item = |line: &str| {
        let rest = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
        rest.map(|rest| rest.replace(['*', '`'], ""))
    };
    let (mut is_theirs, mut listed, mut loose) = (false, Vec::new(), Vec::new());
    for line in text.lines().map(str::trim) {
        let heading = line.strip_prefix('#').map(str::to_lowercase);
        if let Some(heading) = heading {
            is_theirs = CONSTRAINT_HEADINGS
                .iter()
                .any(|word| heading.contains(word));
        } else if let Some(said) = item(line) {
            let lower = said.to_lowercase();
            if is_theirs {
                listed.push(said);
            } else if CONSTRAINT_BEGINS
                .iter()
                .any(|begin| lower.starts_with(begin))
            {
                loose.push(said);
            }
        }
    }
    let lines = if listed.is_empty() { loose } else { listed };
    let lines: Vec<&str> = lines
        .iter()
        .take(3)
        .map(|line| line.trim_end_matches('.'))
        .collect();
    one_line(&lines.join("; "), CONSTRAINTS_CHARS_MAX)
}

/// Whether a WORKFLOWS.md was made by [`generate`].
#[must_use]
pub fn is_generated(text: &str) -> bool {
    text.starts_with(HEAD)
}

/// Writes a WORKFLOWS.md. Guardrails that RULES.md does not know are left out.
#[must_use]
pub fn generate(rules: &Rulebook, skills: &[SkillCard]) -> String {
    let mut text = String::from(HEAD);
    text.push_str("\n## Dimensions\n\nEach is judged from what is asked, not from single words.\n");
    for dimension in DIMENSIONS {
        text.push_str(&format!("\n### {}\n\n", dimension.title));
        text.push_str("| Value | When | Guardrails |\n| --- | --- | --- |\n");
        for (value, when) in dimension.values {
            let ids: Vec<&str> = derived_by(dimension.key, value)
                .filter(|id| rules.guardrail(id).is_some())
                .collect();
            text.push_str(&row(&[value, when, &listed(&ids)]));
        }
    }
    text.push_str(BASES);
    text.push_str("\n## Task types\n\n| Task Type | Guardrails Applied |\n| --- | --- |\n");
    for mapping in &rules.mapping {
        let ids: Vec<&str> = mapping.ids.iter().map(String::as_str).collect();
        text.push_str(&row(&[&mapping.task, &listed(&ids)]));
    }
    text.push_str("\n## Routes\n\n| Signal | Route to |\n| --- | --- |\n");
    let mut skills: Vec<&SkillCard> = skills.iter().collect();
    skills.sort();
    skills.dedup_by(|one, other| one.name == other.name);
    for skill in &skills {
        let link = format!("[[{}]]", skill.name);
        let signal = match skill.description.as_str() {
            "" => skill.name.as_str(),
            description => description,
        };
        text.push_str(&row(&[signal, &link]));
    }
    text.push_str(&row(&["anything else", "[[direct]]"]));
    text
}

fn listed(ids: &[&str]) -> String {
    let quoted: Vec<String> = ids.iter().map(|id| format!("`{id}`")).collect();
    match quoted.is_empty() {
        true => "none".to_owned(),
        false => quoted.join(", "),
    }
}

fn row(cells: &[&str]) -> String {
    let escaped = cells.iter().map(|cell| cell.replace('|', "\\|"));
    format!("| {} |\n", escaped.collect::<Vec<_>>().join(" | "))
}

const HEAD: &str = "\
---
name: workflows
type: reference
description: How a request is worked on. Made by tollgate tables workflows; do not edit.
---

# Workflows
";

const BASES: &str = "
## Base patterns

| Base | Pattern | Skip When |
| --- | --- | --- |
| [[plan-mode]] | plan, have it approved, then change files | one small change in one place |
| [[verify-first]] | quote the error, reproduce it, then fix it | nothing fails |
| [[research-first]] | read the code and its documents before a design | the place is known |
| [[tdd]] | a test that fails, the change, the test passes | nothing new that could be tested |
| [[direct]] | make the change, check it | behaviour changes |
| [[answer]] | reply and change nothing | something is to be done |

## Decision

```
Is anything to be changed?
├─ no ── approach: none
└─ yes ─ Does something fail that should not?
   ├─ yes ─ pre-work: verify-first
   └─ no ── Is the place or the library unknown?
      ├─ yes ─ pre-work: research-first
      └─ no ── pre-work: none
   Does it touch several parts, the build, or shared infrastructure?
   ├─ yes ─ gate: plan-mode
   └─ no ── gate: none
   Is there new behaviour, or behaviour that must not change?
   ├─ yes ─ approach: tdd
   └─ no ── approach: direct
```
";
