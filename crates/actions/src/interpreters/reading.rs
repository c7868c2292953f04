//! Files that a program reads: what is written over one that was read is an edit, unless only a
//! part of it was. Must not know the names of calls.

use super::effect::Effect;
use super::program::Reader;
use super::value::{Arguments, Value};
use crate::{Arg, effects};

/// Arguments by which a table is read without what makes its values.
const VALUES_ALONE: &[&str] = &["data_only", "values_only"];

impl<'r> Reader<'r, '_> {
    /// Reads a file with a call; of a workbook perhaps the values alone.
    pub(super) fn read_by(&mut self, effect: Effect, path: &Value<'r>, arguments: &Arguments<'r>) {
        let values = arguments.named(VALUES_ALONE);
        let is_part = effect == Effect::ReadPart || values.is_some_and(|said| says_yes(&said));
        self.read_file(path);
        if is_part {
            let parts: Vec<String> = path.alternatives().iter().map(Value::text).collect();
            let targets = parts
                .iter()
                .map(|part| self.world.target(&Arg::derived(part.as_str())));
            let targets: Vec<String> = targets.map(|target| target.path).collect();
            self.read.retain(|read| !targets.contains(read));
        }
    }

    pub(super) fn note_read(&mut self, path: &Value<'r>) {
        for one in path.alternatives() {
            match &one {
                Value::Pattern(pattern) => self.read.push(pattern.clone()),
                one => {
                    let target = self.world.target(&one.word());
                    self.read.push(target.path);
                }
            }
        }
    }

    pub(super) fn read_file(&mut self, path: &Value<'r>) {
        for one in path.alternatives() {
            self.note_read(&one);
            if let Value::Text(text) | Value::Path(text) = &one {
                let word = Arg::derived(text.as_str());
                effects::read_file(self.world, self.invocation, &word);
            }
        }
    }
}

fn says_yes(value: &Value<'_>) -> bool {
    matches!(value, Value::Name(said) if matches!(said.as_str(), "True" | "true"))
}
