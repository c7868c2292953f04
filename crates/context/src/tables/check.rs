//! Do the tables agree with one another and with what guardrails are derived from? Must not know
//! where they come from, but for whether people wrote them.

use std::collections::HashMap;

use super::{
    Name, Principle, Rulebook, SkillCard, Trigger, Warning, Workflows, base, principles, reminders,
    rules, workflows,
};
use crate::guidance::{SIMPLE, all_derived};

/// What is wrong in a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableFinding {
    /// The table.
    pub table: Name,
    /// The line, from 1.
    pub line: usize,
    /// What, in words.
    pub what: String,
    /// Whether something is said that cannot hold; else it could merely not be read, or is odd.
    pub is_contradiction: bool,
}

/// All tables, read.
#[derive(Debug, Clone, Default)]
pub struct TableSet {
    /// Rows of REMINDERS.md.
    pub triggers: Vec<Trigger>,
    /// RULES.md.
    pub rules: Rulebook,
    /// AXIOMS.md.
    pub axioms: Vec<Principle>,
    /// HEURISTICS.md.
    pub heuristics: Vec<Principle>,
    /// WORKFLOWS.md.
    pub workflows: Workflows,
    /// What could not be read.
    pub warnings: Vec<(Name, Warning)>,
    /// The tables that people wrote, as opposed to ours.
    pub written: Vec<Name>,
}

impl TableSet {
    /// Reads the tables; `text` gives each one's text, if people wrote one.
    #[must_use]
    pub fn read(text: &dyn Fn(Name) -> Option<String>) -> Self {
        let mut set = Self::default();
        for (_, name) in Name::NAMES {
            let own = text(*name);
            if own.is_some() {
                set.written.push(*name);
            }
            let text = own.as_deref().unwrap_or_else(|| name.default_text());
            let warnings = set.take(*name, text);
            let warnings = warnings.into_iter().map(|warning| (*name, warning));
            set.warnings.extend(warnings);
        }
        set
    }

    fn take(&mut self, name: Name, text: &str) -> Vec<Warning> {
        fn put<T>(place: &mut T, (value, warnings): (T, Vec<Warning>)) -> Vec<Warning> {
            *place = value;
            warnings
        }
        match name {
            Name::Reminders => put(&mut self.triggers, reminders(text)),
            Name::Rules => put(&mut self.rules, rules(text)),
            Name::Axioms => put(&mut self.axioms, principles(text)),
            Name::Heuristics => put(&mut self.heuristics, principles(text)),
            Name::Workflows => put(&mut self.workflows, workflows(text)),
        }
    }

    fn is_written(&self, name: Name) -> bool {
        self.written.contains(&name)
    }
}

/// Everything that is wrong. `skills` are those that are installed, as far as it is known.
#[must_use]
pub fn check(set: &TableSet, skills: &[SkillCard]) -> Vec<TableFinding> {
    let unread = set.warnings.iter().map(|(table, warning)| TableFinding {
        table: *table,
        line: warning.line,
        what: warning.what.clone(),
        is_contradiction: false,
    });
    let mut found: Vec<TableFinding> = unread.collect();
    registry(set, &mut found);
    mapping(set, skills, &mut found);
    ids_of_principles(set, &mut found);
    references(set, &mut found);
    skills_exist(set, skills, &mut found);
    routes(set, skills, &mut found);
    found.sort_by_key(|finding| (finding.table, finding.line));
    found
}

fn wrong(table: Name, line: usize, what: String) -> TableFinding {
    TableFinding {
        table,
        line,
        what,
        is_contradiction: true,
    }
}

/// Says each id that stands twice, at its second place.
fn twice<'i>(ids: impl Iterator<Item = (&'i str, usize)>, mut say: impl FnMut(usize, &str, usize)) {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for (id, line) in ids {
        match seen.get(id) {
            Some(first) => say(line, id, *first),
            None => drop(seen.insert(id, line)),
        }
    }
}

fn registry(set: &TableSet, found: &mut Vec<TableFinding>) {
    let table = Name::Rules;
    let ids = set
        .rules
        .guardrails
        .iter()
        .map(|one| (one.id.as_str(), one.line));
    twice(ids, |line, id, first| {
        let what = format!("guardrail `{id}` is registered in line {first} already");
        found.push(wrong(table, line, what));
    });
    for (key, value, id) in all_derived() {
        if set.rules.guardrail(id).is_none() {
            let what = format!("{key} {value} gives guardrail `{id}`, which is not registered");
            found.push(wrong(table, 1, what));
        }
    }
}

fn mapping(set: &TableSet, skills: &[SkillCard], found: &mut Vec<TableFinding>) {
    let table = Name::Rules;
    let rows = &set.rules.mapping;
    twice(
        rows.iter().map(|row| (row.task.as_str(), row.line)),
        |line, task, first| {
            let what = format!("task type `{task}` is mapped in line {first} already");
            found.push(wrong(table, line, what));
        },
    );
    for row in rows {
        if row.ids.is_empty() {
            let what = format!("task type `{}` is mapped to nothing", row.task);
            found.push(wrong(table, row.line, what));
        }
        for id in &row.ids {
            if set.rules.guardrail(id).is_none() {
                let what = format!(
                    "`{}` names guardrail `{}`, which is not registered",
                    row.task,
                    base(id)
                );
                found.push(wrong(table, row.line, what));
            }
            // Ours name skills that need not be there.
            let skill = id.strip_prefix("require_skill:");
            let skill = skill.filter(|_| set.is_written(table));
            if let Some(skill) = skill.filter(|skill| !is_known(set, skills, skill)) {
                let what = format!("`{}` requires skill `{skill}`, which is unknown", row.task);
                found.push(wrong(table, row.line, what));
            }
        }
    }
    if !rows.is_empty() && set.rules.of_task(SIMPLE).is_empty() {
        let what = format!("task type `{SIMPLE}`, on which a broken answer falls back, has none");
        found.push(wrong(table, 1, what));
    }
}

/// A skill of a plugin is found nowhere else, so its name is taken for good.
fn is_known(set: &TableSet, skills: &[SkillCard], name: &str) -> bool {
    let is_trigger = set.triggers.iter().any(|trigger| trigger.skill == name);
    is_trigger || name.contains(':') || skills.iter().any(|skill| skill.name == name)
}

fn ids_of_principles(set: &TableSet, found: &mut Vec<TableFinding>) {
    let axioms = set.axioms.iter().map(|one| (Name::Axioms, one));
    let heuristics = set.heuristics.iter().map(|one| (Name::Heuristics, one));
    let mut seen: HashMap<&str, (Name, usize)> = HashMap::new();
    for (table, one) in axioms.chain(heuristics) {
        // Ours and somebody's may be counted alike: each is meant for the other's place.
        let is_ours = !set.is_written(table);
        match seen.get(one.id.as_str()) {
            Some((first, line)) if *first == table || set.is_written(*first) != is_ours => {
                let what = format!(
                    "id `{}` stands in {} line {line} already",
                    one.id,
                    first.file()
                );
                found.push(wrong(table, one.line, what));
            }
            _ => drop(seen.insert(&one.id, (table, one.line))),
        }
    }
    let all = set.axioms.iter().chain(&set.heuristics);
    let mut titles: HashMap<&str, &str> = HashMap::new();
    for one in all.clone() {
        let other = titles.insert(&one.title, &one.id);
        if let Some(other) = other.filter(|other| *other != one.id) {
            let table = match set.axioms.iter().any(|axiom| std::ptr::eq(axiom, one)) {
                true => Name::Axioms,
                false => Name::Heuristics,
            };
            found.push(TableFinding {
                table,
                line: one.line,
                what: format!("`{}` and `{other}` have the same title", one.id),
                is_contradiction: false,
            });
        }
    }
}

/// What guardrails come from exists, where all three tables have one author.
fn references(set: &TableSet, found: &mut Vec<TableFinding>) {
    let tables = [Name::Rules, Name::Axioms, Name::Heuristics];
    let written = tables.iter().filter(|name| set.is_written(**name)).count();
    if !matches!(written, 0 | 3) {
        return;
    }
    let principles = set.axioms.iter().chain(&set.heuristics);
    let known: Vec<String> = principles.map(|one| plain(&one.id)).collect();
    let index = set.rules.index.iter().map(|one| plain(&one.id));
    let known: Vec<String> = known.into_iter().chain(index).collect();
    for guardrail in &set.rules.guardrails {
        let ids = guardrail.heuristic.split([',', ' ', '`']);
        for id in ids.filter(|id| id.chars().any(|c| c.is_ascii_digit())) {
            if !known.contains(&plain(id)) {
                let what = format!(
                    "guardrail `{}` comes from `{id}`, which is unknown",
                    guardrail.id
                );
                found.push(wrong(Name::Rules, guardrail.line, what));
            }
        }
    }
}

/// `A#23` and `A23` are one id.
fn plain(id: &str) -> String {
    id.chars().filter(|c| *c != '#').collect()
}

fn skills_exist(set: &TableSet, skills: &[SkillCard], found: &mut Vec<TableFinding>) {
    if skills.is_empty() || !set.is_written(Name::Reminders) {
        return;
    }
    for trigger in &set.triggers {
        let name = trigger.skill.as_str();
        let is_installed = name.contains(':') || skills.iter().any(|skill| skill.name == name);
        if !is_installed {
            let what = format!("no skill `{name}` is installed");
            found.push(wrong(Name::Reminders, trigger.line, what));
        }
    }
}

fn routes(set: &TableSet, skills: &[SkillCard], found: &mut Vec<TableFinding>) {
    let table = Name::Workflows;
    let bases = set.workflows.bases.iter();
    twice(
        bases.map(|one| (one.name.as_str(), one.line)),
        |line, name, first| {
            let what = format!("base `{name}` stands in line {first} already");
            found.push(wrong(table, line, what));
        },
    );
    for route in &set.workflows.routes {
        let target = route.target.as_str();
        let is_base = set.workflows.bases.iter().any(|base| base.name == target);
        if !target.is_empty() && !is_base && !is_known(set, skills, target) {
            found.push(TableFinding {
                table,
                line: route.line,
                what: format!("the route leads to `{target}`, which is no base and no skill"),
                is_contradiction: false,
            });
        }
    }
}
