//! What a program writes into files that it made: a later command of the call may run them.

use super::program::Reader;
use super::value::Value;
use crate::Arg;

/// Longest text that is kept, in bytes.
const TEXT_MAX: usize = 32 * 1024;

impl<'r> Reader<'r, '_> {
    /// Keeps in mind what a file that was just written says, after what this program wrote to it
    /// before. What decides about settings is read elsewhere.
    pub(super) fn save(&mut self, file: &Value<'r>, text: &Value<'r>) {
        let target = self.world.target(&file.word());
        let path = target.path.as_str();
        let is_ours = target.is_known() && self.world.is_written(path);
        if !is_ours || (self.world.place.settings.is_one)(path) {
            return;
        }
        let is_begun = self.saved.iter().any(|saved| saved == path);
        if !is_begun {
            self.saved.push(path.to_owned());
        }
        let before = match is_begun {
            true => self.world.text(path).known().cloned(),
            false => Some(String::new()),
        };
        let said = match text {
            Value::Text(text) if !text.contains(Arg::HOLE) => Some(text.as_str()),
            _ => None,
        };
        let whole = before.zip(said).map(|(before, said)| before + said);
        let whole = whole.filter(|whole| whole.len() <= TEXT_MAX);
        self.world.wrote(path, whole);
    }
}
