//! Statements that may run or not: afterwards a variable is what it was given there, or what it was
//! before. Only texts are told apart: paths, commands, statements.

use std::collections::BTreeMap;

use super::value::Value;

/// What variables were before statements that may not run.
pub(super) struct Branch<'r> {
    /// Where the statements end.
    pub(super) end: usize,
    before: Vec<(String, Value<'r>)>,
}

impl<'r> Branch<'r> {
    /// A branch that begins now.
    pub(super) fn new(end: usize, vars: &BTreeMap<String, Value<'r>>) -> Self {
        let texts = vars.iter().filter(|(_, value)| is_text(value));
        let before = texts.map(|(name, value)| (name.clone(), value.clone()));
        Self {
            end,
            before: before.collect(),
        }
    }

    /// Makes of what variables are now what they may be behind the branch.
    pub(super) fn join(self, vars: &mut BTreeMap<String, Value<'r>>) {
        for (name, old) in self.before {
            let Some(new) = vars.get_mut(&name) else {
                continue;
            };
            if *new == old || !is_text(new) {
                continue;
            }
            let mut all = new.alternatives();
            for one in old.alternatives() {
                if !all.contains(&one) {
                    all.push(one);
                }
            }
            *new = Value::each_of(all);
        }
    }
}

fn is_text(value: &Value<'_>) -> bool {
    match value {
        Value::Text(_) | Value::Path(_) => true,
        Value::Each(all) => all.iter().all(is_text),
        _ => false,
    }
}
