//! What the journals of sessions say about coaching and discipline.

use std::collections::{HashMap, VecDeque};

use context::hydration::TOKEN_BYTES;
use model::Reason;
use work::discipline::{ComplianceStep, HintStep, HydrationStep, SkillStep, Standing, TaskStep};

use super::share::{ENOUGH, Share};
use crate::records::journal::Record;

/// Calls within which a skill that was named should be loaded.
const BYPASS_CALLS: u64 = 10;
/// Prompts without which no reason is switched off.
const USELESS_PROMPTS: u64 = 200;

/// How often something went wrong where a line was told, and where it was withheld.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Worth {
    pub told: Share,
    pub withheld: Share,
}

impl Worth {
    fn of(&mut self, withheld: bool) -> &mut Share {
        match withheld {
            true => &mut self.withheld,
            false => &mut self.told,
        }
    }

    /// Whether it went no better where the line was told, with cases enough to say so.
    fn is_useless(&self) -> bool {
        let enough = self.told.all + self.withheld.all >= USELESS_PROMPTS;
        enough && self.withheld.all * 10 >= ENOUGH && self.told.rate() >= self.withheld.rate()
    }

    pub fn verdict(&self) -> &'static str {
        if !self.told.is_enough() || !self.withheld.is_enough() {
            return "not enough yet to say whether it helps";
        }
        let ((low, high), (from, to)) = (self.told.interval(), self.withheld.interval());
        match (high < from, low > to) {
            (true, _) => "it helps",
            (_, true) => "it does harm",
            _ => "no difference can be shown",
        }
    }
}

/// All that is counted.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    pub sessions: u64,
    pub prompts: u64,
    /// Skills that were named and not loaded soon.
    pub bypass: Worth,
    /// Prompts after which a call failed that had failed before.
    pub repeated: Worth,
    /// Drifts after which the skill was loaded soon.
    pub drifts: Share,
    pub held_hydration: u64,
    pub held_compliance: u64,
    pub let_go: u64,
    /// OK, WARN, BLOCK.
    pub checks: [u64; 3],
    pub requests: u64,
    bytes: u64,
    micros: u64,
    /// By reason: whether what it was said for went wrong.
    reasons: HashMap<&'static str, Worth>,
}

/// A skill that was named and is not loaded yet.
struct Named {
    skill: String,
    /// The call after which it is too late.
    until: u64,
    /// Whether the line was withheld; nothing for a drift.
    withheld: Option<bool>,
}

/// One session, as far as it was read.
#[derive(Default)]
struct Play {
    calls: u64,
    named: VecDeque<Named>,
    /// What was told at the present prompt: reasons, and whether it was withheld.
    told: Option<(Vec<&'static str>, bool)>,
    failed: HashMap<String, u64>,
    failed_twice: bool,
}

/// A session that is being counted, record by record, the oldest first.
pub struct Session<'a> {
    counts: &'a mut Counts,
    play: Play,
    /// Whether it is held to anything.
    is_held: bool,
}

impl Session<'_> {
    /// Whether a line may be of a record that counts: most are not.
    pub fn may_count(line: &str) -> bool {
        ["\"steps\":", "\"discipline\":", "\"tool_failed\""]
            .iter()
            .any(|key| line.contains(key))
    }

    /// The next record.
    pub fn take(&mut self, record: &Record) {
        self.is_held |= self.counts.steps(record, &mut self.play);
        if record.text("event") == "tool_failed" {
            self.play.fail(record.text("summary"));
        }
    }

    /// There are no more.
    pub fn end(mut self) {
        self.counts.end_prompt(&mut self.play);
        while let Some(named) = self.play.named.pop_front() {
            self.counts.settle(&named, false);
        }
        self.counts.sessions += u64::from(self.is_held);
    }
}

impl Play {
    fn fail(&mut self, call: &str) {
        let count = self.failed.entry(call.to_owned()).or_default();
        *count += 1;
        self.failed_twice |= *count == 2;
    }
}

impl Counts {
    /// Tokens of a request, on average.
    pub fn tokens(&self) -> u64 {
        self.bytes / TOKEN_BYTES as u64 / self.requests.max(1)
    }

    /// Time that a request took, on average.
    pub fn micros_each(&self) -> u64 {
        self.micros / self.requests.max(1)
    }

    /// The reasons for which a hint has proved to be of no use.
    pub fn useless(&self) -> Vec<&'static str> {
        let useless = self.reasons.iter().filter(|(_, worth)| worth.is_useless());
        let mut names: Vec<&str> = useless.map(|(name, _)| *name).collect();
        names.sort_unstable();
        names
    }

    /// Counts a session from its beginning.
    pub fn session(&mut self) -> Session<'_> {
        Session {
            counts: self,
            play: Play::default(),
            is_held: false,
        }
    }

    /// What one record says; whether the session is kept to its task at all.
    fn steps(&mut self, record: &Record, play: &mut Play) -> bool {
        let mut is_held = false;
        for step in record.steps() {
            is_held = true;
            match step {
                TaskStep::Prompted { .. } => {
                    self.end_prompt(play);
                    self.prompts += 1;
                }
                TaskStep::Called { .. } => {
                    play.calls += 1;
                    while let Some(named) = play.named.pop_front_if(|n| n.until < play.calls) {
                        self.settle(&named, false);
                    }
                }
            }
        }
        for step in record.steps() {
            is_held = true;
            match step {
                HydrationStep::Armed { bytes, .. } => {
                    self.requests += 1;
                    self.bytes += bytes;
                    self.micros += record.number("micros");
                }
                HydrationStep::Held { .. } => self.held_hydration += 1,
                HydrationStep::Released {} => self.let_go += 1,
                HydrationStep::Reset {}
                | HydrationStep::Started { .. }
                | HydrationStep::Runs { .. }
                | HydrationStep::Answered { .. } => {}
            }
        }
        for step in record.steps() {
            is_held = true;
            match step {
                ComplianceStep::Held { .. } => self.held_compliance += 1,
                ComplianceStep::Checked { standing, .. } => match standing {
                    Standing::Ok => self.checks[0] += 1,
                    Standing::Warn => self.checks[1] += 1,
                    Standing::Block => self.checks[2] += 1,
                },
                ComplianceStep::Reset {} | ComplianceStep::Counted {} => {}
            }
        }
        for HintStep::Hinted { why, withheld, .. } in record.steps() {
            is_held = true;
            hinted(&why, withheld, play);
        }
        for step in record.steps() {
            is_held = true;
            self.skill(step, play);
        }
        is_held
    }

    fn skill(&mut self, step: SkillStep, play: &mut Play) {
        match step {
            SkillStep::Drifted { name } => play.named.push_back(Named {
                skill: name.to_lowercase(),
                until: play.calls + BYPASS_CALLS,
                withheld: None,
            }),
            SkillStep::Loaded { name } => {
                let skill = name.to_lowercase();
                let (loaded, rest): (Vec<Named>, Vec<Named>) =
                    play.named.drain(..).partition(|named| named.skill == skill);
                play.named = rest.into();
                loaded.iter().for_each(|named| self.settle(named, true));
            }
        }
    }

    /// A skill was loaded in time, or not.
    fn settle(&mut self, named: &Named, is_loaded: bool) {
        match named.withheld {
            None => self.drifts.add(is_loaded),
            Some(withheld) => {
                self.bypass.of(withheld).add(!is_loaded);
                let worth = self.reasons.entry(Reason::Skill.name()).or_default();
                worth.of(withheld).add(!is_loaded);
            }
        }
    }

    /// What was told at a prompt is compared with what came of it.
    fn end_prompt(&mut self, play: &mut Play) {
        let failed = std::mem::take(&mut play.failed_twice);
        play.failed.clear();
        let Some((reasons, withheld)) = play.told.take() else {
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

/// Lines were worth saying: `skill: rust`, `error`.
fn hinted(why: &[String], withheld: bool, play: &mut Play) {
    let mut reasons = Vec::new();
    for part in why {
        let (name, what) = part.split_once(": ").unwrap_or((part.as_str(), ""));
        let mut names = Reason::NAMES.iter().map(|(name, _)| *name);
        reasons.extend(names.find(|known| *known == name));
        if name == Reason::Skill.name() {
            play.named.push_back(Named {
                skill: what.to_lowercase(),
                until: play.calls + BYPASS_CALLS,
                withheld: Some(withheld),
            });
        }
    }
    play.told = Some((reasons, withheld));
}

#[cfg(test)]
mod tests {
    use super::*;

    use model::section::AnyStep;
    use model::{EventKind, Time};

    use crate::records::journal::tests::{event_record, shell};

    /// A record as the store writes it.
    fn record(event: &str, command: &str, steps: &[AnyStep]) -> Record {
        let call = shell(command);
        let kind = match event {
            "prompt" => EventKind::Prompt {
                text: "x".to_owned(),
                machine: false,
            },
            "tool_after" => EventKind::ToolAfter { call },
            "tool_failed" => EventKind::ToolFailed {
                call,
                error: String::new(),
            },
            _ => EventKind::ToolBefore(call),
        };
        let record = event_record(kind, steps);
        assert_eq!(record.text("event"), event);
        record
    }

    impl Counts {
        fn add(&mut self, records: &[Record]) {
            let mut session = self.session();
            for record in records {
                assert!(Session::may_count(&record.text), "{}", record.text);
                session.take(record);
            }
            session.end();
        }
    }

    fn prompt(steps: &[AnyStep]) -> Record {
        let prompted = TaskStep::Prompted {
            text: "x".into(),
            scope: true,
        };
        record("prompt", "", &[&[prompted.into()], steps].concat())
    }

    fn called() -> AnyStep {
        AnyStep::from(TaskStep::Called {
            line: "ls".into(),
            error: String::new(),
            touched: String::new(),
        })
    }

    fn loaded(name: &str) -> AnyStep {
        SkillStep::Loaded { name: name.into() }.into()
    }

    fn hint(withheld: bool, why: &[&str]) -> AnyStep {
        AnyStep::from(HintStep::Hinted {
            why: why.iter().map(|why| (*why).to_owned()).collect(),
            lines: Vec::new(),
            withheld,
        })
    }

    fn calls(count: usize) -> Vec<Record> {
        (0..count)
            .map(|_| record("tool_after", "ls", &[called()]))
            .collect()
    }

    #[test]
    fn a_skill_that_is_loaded_in_time_is_no_bypass() {
        let mut counts = Counts::default();
        let load = || record("tool_before", "", &[loaded("Rust-Dev")]);
        let told = || prompt(&[hint(false, &["skill: rust-dev"])]);
        counts.add(&[vec![told()], calls(9), vec![load()], calls(30)].concat());
        counts.add(&[vec![told()], calls(12), vec![load()]].concat());
        counts.add(
            &[
                vec![prompt(&[hint(true, &["skill: rust-dev", "error"])])],
                calls(2),
            ]
            .concat(),
        );
        assert_eq!(counts.bypass.told, Share { some: 1, all: 2 });
        assert_eq!(counts.bypass.withheld, Share { some: 1, all: 1 });
        assert_eq!(counts.prompts, 3);
    }

    #[test]
    fn the_same_failure_twice_counts_for_its_prompt() {
        let mut counts = Counts::default();
        let fails = |name| record("tool_failed", name, &[called()]);
        counts.add(&[
            prompt(&[hint(false, &["error"])]),
            fails("make"),
            fails("make"),
            fails("make"),
            prompt(&[hint(false, &["error"])]),
            fails("make"),
            fails("test"),
        ]);
        assert_eq!(counts.repeated.told, Share { some: 1, all: 2 });
    }

    #[test]
    fn what_does_not_help_is_found_out_and_not_before_there_is_enough() {
        let mut counts = Counts::default();
        for number in 0..250 {
            let hint = hint(number % 5 == 0, &["skill: rust"]);
            // Nobody ever loads it, told or not.
            counts.add(&[vec![prompt(&[hint])], calls(12)].concat());
            assert_eq!(counts.useless().is_empty(), number < 199, "{number}");
        }
        assert_eq!(counts.useless(), ["skill"]);
        assert_eq!(
            counts.bypass.verdict(),
            "not enough yet to say whether it helps"
        );
    }

    #[test]
    fn costs_and_demands_are_counted() {
        let mut counts = Counts::default();
        let armed = HydrationStep::Armed {
            request: "/r".into(),
            bytes: 4_000,
            time: Time(1),
        };
        let held = [
            AnyStep::from(HydrationStep::Held { time: Time(2) }),
            ComplianceStep::Held { time: Time(3) }.into(),
        ];
        let checked = ComplianceStep::Checked {
            standing: Standing::Warn,
            words: String::new(),
            time: Time(4),
        };
        let drifted = SkillStep::Drifted {
            name: "rust".into(),
        };
        counts.add(&[
            prompt(&[armed.into()]),
            record("tool_before", "x", &held),
            record("tool_after", "x", &[checked.into()]),
            record("tool_before", "x", &[drifted.into()]),
            record("tool_before", "x", &[loaded("rust")]),
        ]);
        assert_eq!((counts.tokens(), counts.micros_each()), (1_000, 2_000));
        assert_eq!((counts.held_hydration, counts.held_compliance), (1, 1));
        assert_eq!(counts.checks, [0, 1, 0]);
        assert_eq!(counts.drifts, Share { some: 1, all: 1 });
    }
}
