//! How a session keeps to what it was asked: what is remembered of it, how that changes, and what
//! gates may know besides. Who may cause which step is written in `work`.

use crate::{Time, one_line};

/// Longest prompt that is kept as a session's intent, in characters (S0.41).
pub const INTENT_CHARS_MAX: usize = 500;
/// Most recent calls, and most other short lines, that are remembered.
pub const RECENT_MAX: usize = 16;
/// Longest line about a call, in characters (S0.38).
pub const CALL_CHARS_MAX: usize = 80;
/// Most lines that are remembered as told.
const TOLD_MAX: usize = 64;
/// Most skills and guardrails that are remembered.
pub const SKILLS_MAX: usize = 16;
/// Longest line that is worth keeping, in characters.
const LEARNED_CHARS_MAX: usize = 300;
/// Longest other line, in characters.
const WORDS_CHARS_MAX: usize = 160;

/// The helpers that Tollgate brings along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Helper {
    /// Gives the verdict of a review.
    Reviewer,
    /// Grounds a prompt in what is known.
    Hydrator,
    /// Says whether the session keeps to what it was asked.
    Compliance,
    /// Writes down what was learned.
    Remember,
}

impl Helper {
    /// Every helper with the last part of its name, on every host.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("reviewer", Self::Reviewer),
        ("prompt-hydrator", Self::Hydrator),
        ("compliance", Self::Compliance),
        ("remember", Self::Remember),
    ];

    /// The last part of its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        crate::action::name_of(Self::NAMES, self)
    }

    /// The helper that a kind of subagent means, however a host or a worker spells it: with or
    /// without what stands before a colon, in any case, with any dashes. Never enough for a
    /// verdict.
    #[must_use]
    pub fn meant_by(kind: &str) -> Option<Self> {
        let plain = |name: &str| -> String {
            let letters = name.chars().filter(|c| c.is_alphanumeric());
            letters.flat_map(char::to_lowercase).collect()
        };
        let last = kind.rsplit([':', '/']).next().unwrap_or(kind);
        let kind = plain(last);
        let bare = kind.strip_prefix("tollgate").unwrap_or(&kind);
        let mut all = Self::NAMES.iter();
        let found = all.find(|(name, _)| plain(name) == bare);
        found.map(|(_, helper)| *helper)
    }
}

/// How the hydration of a prompt stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum HydrationState {
    /// Nothing is owed.
    #[default]
    Idle,
    /// The hydrator is to be started before other tools.
    Pending,
    /// It was started.
    Running,
    /// It answered.
    Done,
    /// The worker was let go without it.
    Released,
}

impl HydrationState {
    /// Every state with its name.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("idle", Self::Idle),
        ("pending", Self::Pending),
        ("running", Self::Running),
        ("done", Self::Done),
        ("released", Self::Released),
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        crate::action::name_of(Self::NAMES, self)
    }
}

/// What the hydrator said of a prompt (S4.7–S4.12).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Guidance {
    /// `plan-mode` or `none`.
    pub gate: String,
    /// `verify-first`, `research-first` or `none`.
    pub pre_work: String,
    /// `tdd`, `direct` or `none`.
    pub approach: String,
    /// The skills that it named, the first to be used first.
    pub skills: Vec<String>,
    /// Ids of guardrails.
    pub guardrails: Vec<String>,
    /// Why it is not as it was said, if something could not be read; else empty.
    pub note: String,
}

/// Refusals within so long are one: the calls of one message come at once.
const SAME_REFUSAL_MS: u64 = 2_000;

/// How often a demand held calls back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Held {
    /// How often.
    pub times: u64,
    /// When it last did.
    pub last: Time,
}

impl Held {
    fn again(&mut self, time: Time) {
        let is_same = self.times > 0 && time.0.abs_diff(self.last.0) < SAME_REFUSAL_MS;
        self.times += u64::from(!is_same);
        self.last = time;
    }
}

/// The hydration of the latest prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hydration {
    /// How it stands.
    pub state: HydrationState,
    /// The file with the request.
    pub request: String,
    /// Hash of the id of the call that started the hydrator.
    pub call: u64,
    /// The hydrator's id, once it runs.
    pub agent: String,
    /// When it was armed.
    pub armed: Time,
    /// When the hydrator last answered.
    pub done: Time,
    /// How often it held calls back since the prompt.
    pub held: Held,
    /// What it said.
    pub guidance: Guidance,
}

/// What a compliance check said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Standing {
    /// Nothing against it, or never checked.
    #[default]
    Ok,
    /// Goes on, with a warning.
    Warn,
    /// Stops until a human speaks.
    Block,
}

impl Standing {
    /// Every standing with its word in a verdict.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("OK", Self::Ok),
        ("WARN", Self::Warn),
        ("BLOCK", Self::Block),
    ];

    /// Its word in a verdict.
    #[must_use]
    pub fn name(self) -> &'static str {
        crate::action::name_of(Self::NAMES, self)
    }
}

/// Whether the session is checked against what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Compliance {
    /// Ordinary calls since the last verdict.
    pub calls: u64,
    /// When the last verdict was given.
    pub checked: Time,
    /// What it was.
    pub standing: Standing,
    /// Why, in the checker's words; shown as a quotation.
    pub words: String,
    /// How often calls were held back for want of a check since the last prompt or verdict.
    pub held: Held,
}

/// How a session keeps to what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Discipline {
    /// Prompts of a human so far.
    pub prompts: u64,
    /// The first of them.
    pub origin: String,
    /// The latest: the scope of what is done now.
    pub intent: String,
    /// Hash of the whole latest one.
    pub prompt: u64,
    /// The skill loaded last.
    pub skill: String,
    /// Skills loaded in this session, oldest first.
    pub skills: Vec<String>,
    /// Ordinary calls, each on a line, oldest first.
    pub recent: Vec<String>,
    /// What failed lately, each on a line, oldest first.
    pub errors: Vec<String>,
    /// Files changed lately, oldest first.
    pub touched: Vec<String>,
    /// Skills that a call belonged to while another was active, oldest first.
    pub drifts: Vec<String>,
    /// Hashes of lines that were worth saying, oldest first.
    pub told: Vec<u64>,
    /// The hydration of the latest prompt.
    pub hydration: Hydration,
    /// The check of what is done.
    pub compliance: Compliance,
    /// What is worth keeping, said since the worker last stopped, oldest first.
    pub learned: Vec<String>,
    /// The same from before: to be offered at the next prompt.
    pub offer: Vec<String>,
}

/// A change of what is remembered. Each belongs to one event, and is made once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A human said something.
    Prompted {
        /// All of it.
        text: String,
        /// Whether it says what is to be done, and not only to go on.
        scope: bool,
        /// What in it is worth keeping.
        learned: Vec<String>,
    },
    /// What a helper found is worth keeping.
    Learned(String),
    /// The hydrator is to be started before other tools.
    Armed {
        /// The file with the request.
        request: String,
        /// How long it is, in bytes.
        bytes: u64,
        /// When.
        time: Time,
    },
    /// The hydrator was started.
    Hydrating {
        /// Hash of the id of the call.
        call: u64,
    },
    /// It runs under this id.
    HydratorRuns {
        /// The subagent's id.
        agent: String,
    },
    /// It answered.
    Hydrated {
        /// What.
        guidance: Box<Guidance>,
        /// When.
        time: Time,
    },
    /// A call was held back until the hydrator is started.
    HeldForHydration(Time),
    /// The worker was let go without it.
    HydrationReleased,
    /// A call was held back until the session is checked.
    HeldForCompliance(Time),
    /// An ordinary call ended.
    Called {
        /// The call, on one line.
        line: String,
        /// What the host said, if it failed.
        error: String,
        /// The file that it changed, if it did.
        touched: String,
        /// Whether it counts for the next check.
        counts: bool,
    },
    /// A skill was loaded.
    Skill(String),
    /// A call belonged to this skill while another was active.
    Drifted(String),
    /// A check gave its verdict.
    Checked {
        /// What.
        standing: Standing,
        /// Why.
        words: String,
        /// When.
        time: Time,
    },
    /// The worker stopped: what was said until then is offered at the next prompt.
    Stopped,
    /// The worker was offered to write down what was learned.
    Offered,
    /// Lines were worth saying at a prompt.
    Hinted {
        /// Why each was, as `reason` or `reason: what`.
        why: Vec<String>,
        /// Hashes of the lines: each is worth saying once.
        lines: Vec<u64>,
        /// Whether they were kept back, so that their worth can be measured.
        withheld: bool,
    },
}

impl Step {
    /// The step as the journal keeps it.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self {
            Self::Prompted { scope: true, .. } => "prompted".to_owned(),
            Self::Prompted { .. } => "prompted to go on".to_owned(),
            Self::Learned(_) => "learned".to_owned(),
            Self::Armed { bytes, .. } => format!("armed {bytes}"),
            Self::Hydrating { .. } => "hydrating".to_owned(),
            Self::HydratorRuns { .. } => "hydrator runs".to_owned(),
            Self::Hydrated { guidance, .. } if guidance.note.is_empty() => "hydrated".to_owned(),
            Self::Hydrated { guidance, .. } => format!("hydrated: {}", guidance.note),
            Self::HeldForHydration(_) => "held for hydration".to_owned(),
            Self::HydrationReleased => "let go unhydrated".to_owned(),
            Self::HeldForCompliance(_) => "held for compliance".to_owned(),
            Self::Called { counts: true, .. } => "called".to_owned(),
            Self::Called { .. } => "called uncounted".to_owned(),
            Self::Skill(name) => format!("skill {name}"),
            Self::Drifted(name) => format!("drifted {name}"),
            Self::Checked { standing, .. } => format!("checked {}", standing.name()),
            Self::Stopped => "stopped".to_owned(),
            Self::Offered => "offered".to_owned(),
            Self::Hinted { why, withheld, .. } => {
                let did = if *withheld { "withheld" } else { "hinted" };
                format!("{did} {}", why.join(", "))
            }
        }
    }
}

impl Discipline {
    /// Makes a change.
    pub fn take(&mut self, step: &Step) {
        match step {
            Step::Prompted {
                text,
                scope,
                learned,
            } => self.prompted(text, *scope, learned),
            Step::Learned(line) => keep(&mut self.learned, line, LEARNED_CHARS_MAX),
            Step::Armed { request, time, .. } => {
                self.hydration.state = HydrationState::Pending;
                self.hydration.request.clone_from(request);
                self.hydration.armed = *time;
                self.hydration.call = 0;
                self.hydration.agent.clear();
            }
            Step::Hydrating { call } => {
                self.hydration.state = HydrationState::Running;
                self.hydration.call = *call;
                self.hydration.agent.clear();
            }
            Step::HydratorRuns { agent } => self.hydration.agent.clone_from(agent),
            Step::Hydrated { guidance, time } => {
                self.hydration.state = HydrationState::Done;
                self.hydration.done = *time;
                self.hydration.guidance = (**guidance).clone();
            }
            Step::HeldForHydration(time) => self.hydration.held.again(*time),
            Step::HydrationReleased => self.hydration.state = HydrationState::Released,
            Step::HeldForCompliance(time) => self.compliance.held.again(*time),
            Step::Called {
                line,
                error,
                touched,
                counts,
            } => {
                keep(&mut self.recent, line, CALL_CHARS_MAX);
                keep(&mut self.errors, error, WORDS_CHARS_MAX);
                keep(&mut self.touched, touched, usize::MAX);
                self.compliance.calls += u64::from(*counts);
            }
            Step::Skill(name) => {
                self.skill = one_line(name, CALL_CHARS_MAX);
                keep(&mut self.skills, name, CALL_CHARS_MAX);
            }
            Step::Drifted(name) => keep(&mut self.drifts, name, CALL_CHARS_MAX),
            Step::Checked {
                standing,
                words,
                time,
            } => {
                self.compliance = Compliance {
                    calls: 0,
                    checked: *time,
                    standing: *standing,
                    words: one_line(words, WORDS_CHARS_MAX),
                    held: Held::default(),
                };
            }
            Step::Stopped => {
                for line in std::mem::take(&mut self.learned) {
                    keep(&mut self.offer, &line, LEARNED_CHARS_MAX);
                }
            }
            Step::Offered => self.offer.clear(),
            Step::Hinted { lines, .. } => {
                self.told.extend(lines);
                let surplus = self.told.len().saturating_sub(TOLD_MAX);
                self.told.drain(..surplus);
            }
        }
    }

    fn prompted(&mut self, text: &str, scope: bool, learned: &[String]) {
        let short = one_line(text, INTENT_CHARS_MAX);
        if self.origin.is_empty() {
            self.origin.clone_from(&short);
        }
        if scope || self.intent.is_empty() {
            self.intent = short;
        }
        self.prompts += 1;
        self.prompt = crate::fnv64(text.as_bytes());
        for line in learned {
            keep(&mut self.learned, line, LEARNED_CHARS_MAX);
        }
        self.hydration.state = HydrationState::Idle;
        self.hydration.held = Held::default();
        self.compliance.held = Held::default();
        // A human has spoken: what stopped the worker until then is answered.
        if self.compliance.standing == Standing::Block {
            self.compliance.standing = Standing::Ok;
        }
    }
}

/// Puts a line at the end of a short list, once; the oldest make room.
fn keep(list: &mut Vec<String>, line: &str, chars_max: usize) {
    if line.is_empty() {
        return;
    }
    let line = one_line(line, chars_max);
    list.retain(|known| *known != line);
    list.push(line);
    let surplus = list.len().saturating_sub(RECENT_MAX);
    list.drain(..surplus);
}

/// Why a line of guidance is worth saying.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// The session goes on after its context was cut.
    Resumed,
    /// A skill fits that is not active.
    Skill,
    /// The prompt shows an error.
    ErrorTrace,
    /// Something that failed before in this project is about to be done.
    Pattern,
    /// There is uncommitted work that is not the worker's.
    ForeignWork,
}

impl Reason {
    /// Every reason with its name.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("resumed", Self::Resumed),
        ("skill", Self::Skill),
        ("error", Self::ErrorTrace),
        ("pattern", Self::Pattern),
        ("foreign-work", Self::ForeignWork),
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        crate::action::name_of(Self::NAMES, self)
    }
}

/// A line of guidance with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// Why it is worth saying.
    pub reason: Reason,
    /// What is said; names its source.
    pub text: String,
}

/// A call belongs to another skill than the active one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drift {
    /// The skill that fits.
    pub skill: String,
    /// When its table says to use it.
    pub when: String,
    /// The file that says so.
    pub source: String,
}

/// What the edge found out for the gates that keep a session to its task. Empty where they are
/// off.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Guide {
    /// What is worth saying now.
    pub hints: Vec<Hint>,
    /// The call belongs to another skill.
    pub drift: Option<Drift>,
    /// How a worker of this host starts the hydrator, with the request of this session.
    pub hydrator: String,
    /// How it starts the compliance check.
    pub compliance: String,
    /// How it starts the helper that writes down what was learned.
    pub remember: String,
    /// Ordinary calls after which a check is due; 0 = never.
    pub threshold: u64,
    /// What did not work: the request that could not be written.
    pub trouble: String,
    /// Whether the host names no actor for what the main worker does.
    pub unmarked: bool,
    /// Why the compliance check that would start is not ours; empty if it is.
    pub foreign: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_helper_is_meant_however_it_is_spelled() {
        for kind in [
            "tollgate:prompt-hydrator",
            "prompt-hydrator",
            "Prompt_Hydrator",
            "tollgate_prompt_hydrator",
            "plugin/tollgate:prompt-hydrator",
        ] {
            assert_eq!(Helper::meant_by(kind), Some(Helper::Hydrator), "{kind}");
        }
        for kind in ["", "hydrator-of-mine", "my-compliance", "complianceofficer"] {
            assert_eq!(Helper::meant_by(kind), None, "{kind}");
        }
    }

    #[test]
    fn a_prompt_gives_a_new_scope_and_keeps_the_first() {
        let mut session = Discipline::default();
        let prompted = |text: &str| Step::Prompted {
            text: text.into(),
            scope: text != "go on",
            learned: Vec::new(),
        };
        session.take(&prompted("first\nline"));
        session.take(&Step::Checked {
            standing: Standing::Block,
            words: "off the path".into(),
            time: Time(7),
        });
        session.take(&Step::HeldForCompliance(Time(9)));
        session.take(&prompted("second"));
        session.take(&prompted("go on"));
        assert_eq!(session.origin, "first line");
        assert_eq!(session.intent, "second");
        assert_eq!(session.compliance.standing, Standing::Ok);
        assert_eq!(session.compliance.held, Held::default());
        assert_eq!(session.compliance.checked, Time(7));
    }

    #[test]
    fn what_is_held_at_once_is_held_once() {
        let mut held = Held::default();
        for time in [10_000, 10_001, 10_900, 12_000, 15_000, 15_001] {
            held.again(Time(time));
        }
        assert_eq!(held.times, 2);
    }

    #[test]
    fn lists_forget_their_oldest_and_say_nothing_twice() {
        let mut session = Discipline::default();
        for number in 0..100 {
            session.take(&Step::Called {
                line: format!("call {}", number % 40),
                error: String::new(),
                touched: "a.rs".into(),
                counts: number % 2 == 0,
            });
        }
        assert_eq!(session.recent.len(), RECENT_MAX);
        assert_eq!(session.recent.last().map(String::as_str), Some("call 19"));
        assert_eq!(session.touched, ["a.rs"]);
        assert!(session.errors.is_empty());
        assert_eq!(session.compliance.calls, 50);
    }
}
