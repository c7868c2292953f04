//! Whether a skill was loaded after calls had drifted to it.

use serde_json::{Value, json};
use work::discipline::{SkillStep, TaskStep};

use crate::concerns::tally::awaited::Awaited;
use crate::concerns::tally::share::Share;
use crate::concerns::tally::{Moment, Part, Tally};

#[derive(Default)]
pub struct SkillTally {
    /// Drifts after which the skill was loaded soon.
    drifts: Share,
    drifted: Awaited<()>,
}

impl SkillTally {
    fn settle(&mut self, drifted: &[()], is_loaded: bool) {
        drifted.iter().for_each(|()| self.drifts.add(is_loaded));
    }
}

impl Tally for SkillTally {
    fn take(&mut self, moment: &Moment<'_>) {
        for step in moment.steps() {
            if let TaskStep::Called { .. } = step {
                let late = self.drifted.call();
                self.settle(&late, false);
            }
        }
        for step in moment.steps() {
            match step {
                SkillStep::Named { .. } => {}
                SkillStep::Drifted { name } => self.drifted.say(&name, ()),
                SkillStep::Loaded { name } => {
                    let loaded = self.drifted.come(&name);
                    self.settle(&loaded, true);
                }
            }
        }
    }

    fn end(&mut self) {
        let never = self.drifted.end();
        self.settle(&never, false);
    }

    fn lines(&self, part: Part<'_>) -> Vec<String> {
        match part {
            Part::Help => vec![
                "drifts after which the skill was loaded".to_owned(),
                format!("  {}", self.drifts.in_words()),
            ],
            Part::Found | Part::Cost | Part::Off(_) => Vec::new(),
        }
    }

    fn json(&self) -> Value {
        json!({"drift_followed": self.drifts.json()})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::concerns::tally::tests::{calls, loaded, play, record};

    #[test]
    fn a_drift_is_followed_or_not() {
        let mut tally = SkillTally::default();
        let drifted = || {
            let name = "Rust".into();
            record("tool_before", "x", &[SkillStep::Drifted { name }.into()])
        };
        let load = || record("tool_before", "x", &[loaded("rust")]);
        play(&mut tally, &[drifted(), load()]);
        assert_eq!(tally.drifts, Share { some: 1, all: 1 });
        play(
            &mut tally,
            &[vec![drifted()], calls(11), vec![load()]].concat(),
        );
        play(&mut tally, &[drifted()]);
        assert_eq!(tally.drifts, Share { some: 1, all: 3 });
    }
}
