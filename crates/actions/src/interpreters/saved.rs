//! What a program writes, and what its files say then: a later command of the call may run them.

use super::program::Reader;
use super::value::Value;
use crate::effects::{self, Change, Rename, Taken, Write};
use crate::{Arg, Target};
use model::{Certainty, Flag, Verb};

/// Longest text that is kept, in bytes.
const TEXT_MAX: usize = 32 * 1024;

/// Most files of a loop that get a new name one by one.
const RENAMED_MAX: usize = 16;

impl<'r> Reader<'r, '_> {
    /// A write to a path that is not known says nothing: programs write files all the time.
    pub(super) fn write(&mut self, path: &Value<'r>, appends: bool) {
        for one in path.alternatives() {
            if one.is_unknown() {
                self.written.push(one.text());
                continue;
            }
            let is_read = matches!(&one, Value::Pattern(pattern) if self.read.contains(pattern));
            for target in self.world.targets(&one.word()) {
                self.write_one(&target, appends, is_read);
            }
        }
    }

    fn write_one(&mut self, target: &Target, appends: bool, is_read: bool) {
        if target.sure == Certainty::Unknown {
            return;
        }
        let is_edit = is_read || self.read.contains(&target.path);
        let change = match (appends, is_edit) {
            (true, _) => Change::Append(None),
            (false, true) => Change::Edit,
            (false, false) => Change::Replace(None),
        };
        let mut write = Write::new(target, change);
        // An edit puts the whole content anew.
        write.action.flags = write.action.flags.with_if(Flag::Truncate, !appends);
        effects::write(self.world, self.invocation, write);
    }

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

    /// A file may get another name, if it is one of those that are picked.
    fn rename_perhaps(&mut self, from: &Arg, to: &Value<'r>) {
        let (from, to) = (self.world.target(from), self.world.target(&to.word()));
        self.world.act(self.invocation, from.action(Verb::Move));
        self.world.may_be_moved(&from.path, &to.path);
    }

    /// A file gets another name.
    pub(super) fn rename(&mut self, from: &Value<'r>, to: &Value<'r>) {
        // In a loop each of them gets the name in its turn.
        if let (Value::Pattern(_), Value::Text(_) | Value::Path(_)) = (from, to)
            && !to.is_unknown()
            && let Some(all) = self.world.spelled(&from.word())
            && all.len() <= RENAMED_MAX
        {
            for one in all {
                match self.picks {
                    true => self.rename_perhaps(&one, to),
                    false => self.rename(&Value::Path(one.text), to),
                }
            }
            return;
        }
        if !matches!(
            (from, to),
            (
                Value::Text(_) | Value::Path(_),
                Value::Text(_) | Value::Path(_)
            )
        ) && !to.is_unknown()
            && !from.is_unknown()
        {
            return self.run_words("mv", &[], &[from.clone(), to.clone()]);
        }
        let (from, to) = (
            self.world.target(&from.word()),
            self.world.target(&to.word()),
        );
        if to.sure == Certainty::Unknown {
            return self.world.act(self.invocation, from.action(Verb::Move));
        }
        let is_edit = self.read.contains(&to.path);
        let renamed = Rename {
            from: &from,
            to: &to,
            taken: if is_edit {
                Taken::Edited
            } else {
                Taken::Replaced
            },
        };
        effects::rename(self.world, self.invocation, &renamed);
    }
}
