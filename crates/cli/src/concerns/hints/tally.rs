//! What hints were worth: a hint that names a skill wants it loaded, any other wants that no call
//! fails again. One prompt in five is told nothing, and is what they are compared with.

use std::collections::HashMap;

use model::Reason;
use serde_json::{Value, json};
use work::discipline::{HintStep, SkillStep, TaskStep};

use crate::concerns::tally::awaited::Awaited;
use crate::concerns::tally::share::ENOUGH;
use crate::concerns::tally::worth::Worth;
use crate::concerns::tally::{Moment, Part, Tally};

#[derive(Default)]
pub struct HintTally {
    /// Skills that were named and not loaded soon.
    bypass: Worth,
    /// Prompts after which a call failed that had failed before.
    repeated: Worth,
    /// By reason, but for skills: whether what it was said for went wrong.
    reasons: HashMap<&'static str, Worth>,
    /// Skills that were named, and whether they were withheld.
    named: Awaited<bool>,
    /// What was told at the present prompt: reasons, and whether it was withheld.
    told: Option<(Vec<&'static str>, bool)>,
    /// How often each call failed since.
    failed: HashMap<String, u64>,
}

impl HintTally {
    /// Lines were worth saying: `skill: rust`, `error`.
    fn hinted(&mut self, why: &[String], withheld: bool) {
        let mut reasons = Vec::new();
        for part in why {
            let (name, what) = part.split_once(": ").unwrap_or((part.as_str(), ""));
            let mut names = Reason::NAMES.iter().map(|(name, _)| *name);
            reasons.extend(names.find(|known| *known == name));
            if name == Reason::Skill.name() {
                self.named.say(what, withheld);
            }
        }
        self.told = Some((reasons, withheld));
    }

    /// Skills were loaded in time, or not.
    fn settle(&mut self, named: Vec<bool>, is_loaded: bool) {
        for withheld in named {
            self.bypass.of(withheld).add(!is_loaded);
        }
    }

    /// What was told at a prompt is compared with what came of it.
    fn end_prompt(&mut self) {
        let failed = std::mem::take(&mut self.failed);
        let failed = failed.into_values().any(|times| times > 1);
        let Some((reasons, withheld)) = self.told.take() else {
            return;
        };
        self.repeated.of(withheld).add(failed);
        for reason in reasons
            .into_iter()
            .filter(|name| *name != Reason::Skill.name())
        {
            let worth = self.reasons.entry(reason).or_default();
            worth.of(withheld).add(failed);
        }
    }
}

impl Tally for HintTally {
    fn take(&mut self, moment: &Moment<'_>) {
        for step in moment.steps() {
            match step {
                TaskStep::Prompted { .. } => self.end_prompt(),
                TaskStep::Called { .. } => {
                    let late = self.named.call();
                    self.settle(late, false);
                }
                TaskStep::Grounded { .. } | TaskStep::Decided { .. } | TaskStep::Reviewed {} => {}
            }
        }
        for HintStep::Hinted { why, withheld, .. } in moment.steps() {
            self.hinted(&why, withheld);
        }
        for step in moment.steps() {
            if let SkillStep::Loaded { name } = step {
                let loaded = self.named.come(&name);
                self.settle(loaded, true);
            }
        }
        if let Some(call) = moment.failed {
            *self.failed.entry(call.to_owned()).or_default() += 1;
        }
    }

    fn end(&mut self) {
        self.end_prompt();
        let never = self.named.end();
        self.settle(never, false);
    }

    fn useless(&self) -> Vec<&'static str> {
        let skill = [(&Reason::Skill.name(), &self.bypass)];
        let all = self.reasons.iter().chain(skill);
        let useless = all.filter(|(_, worth)| worth.is_useless());
        let mut names: Vec<&str> = useless.map(|(name, _)| *name).collect();
        names.sort_unstable();
        names
    }

    fn lines(&self, part: Part<'_>) -> Vec<String> {
        let (bypass, repeated) = (
            "skills named and not loaded within 10 calls",
            "prompts after which the same call failed twice",
        );
        let off = |reason: &String| {
            format!("hints for {reason} are off: they did not help in {ENOUGH} prompts")
        };
        match part {
            Part::Help => [self.bypass.lines(bypass), self.repeated.lines(repeated)].concat(),
            Part::Off(reasons) => reasons.iter().map(off).collect(),
            Part::Found | Part::Cost => Vec::new(),
        }
    }

    fn json(&self) -> Value {
        json!({
            "skill_bypass": self.bypass.json(), "repeated_failures": self.repeated.json(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use model::section::AnyStep;

    use crate::concerns::tally::share::Share;
    use crate::concerns::tally::tests::{called, calls, loaded, play, prompt, record};

    fn hint(withheld: bool, why: &[&str]) -> AnyStep {
        AnyStep::from(HintStep::Hinted {
            why: why.iter().map(|why| (*why).to_owned()).collect(),
            lines: Vec::new(),
            withheld,
        })
    }

    #[test]
    fn a_skill_that_is_loaded_in_time_is_no_bypass() {
        let mut tally = HintTally::default();
        let load = || record("tool_before", "", &[loaded("Rust-Dev")]);
        let told = || prompt(&[hint(false, &["skill: rust-dev"])]);
        let withheld = || prompt(&[hint(true, &["skill: rust-dev", "error"])]);
        let in_time = [vec![told()], calls(9), vec![load()], calls(30)];
        play(&mut tally, &in_time.concat());
        play(
            &mut tally,
            &[vec![told()], calls(12), vec![load()]].concat(),
        );
        play(&mut tally, &[vec![withheld()], calls(2)].concat());
        assert_eq!(tally.bypass.told, Share { some: 1, all: 2 });
        assert_eq!(tally.bypass.withheld, Share { some: 1, all: 1 });
    }

    #[test]
    fn the_same_failure_twice_counts_for_its_prompt() {
        let mut tally = HintTally::default();
        let fails = |name| record("tool_failed", name, &[called()]);
        let records = [
            prompt(&[hint(false, &["error"])]),
            fails("make"),
            fails("make"),
            fails("make"),
            prompt(&[hint(false, &["error"])]),
            fails("make"),
            fails("test"),
        ];
        play(&mut tally, &records);
        assert_eq!(tally.repeated.told, Share { some: 1, all: 2 });
    }

    #[test]
    fn what_does_not_help_is_found_out_and_not_before_there_is_enough() {
        let mut tally = HintTally::default();
        for number in 0..250 {
            let hint = hint(number % 5 == 0, &["skill: rust"]);
            // Nobody ever loads it, told or not.
            play(&mut tally, &[vec![prompt(&[hint])], calls(12)].concat());
            assert_eq!(tally.useless().is_empty(), number < 199, "{number}");
        }
        assert_eq!(tally.useless(), ["skill"]);
        assert_eq!(
            tally.bypass.verdict(),
            "not enough yet to say whether it helps"
        );
    }
}
