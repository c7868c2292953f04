//! What the edge finds out for the gates that keep a session to its task.

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
    /// What the skill holds its user to, in a few words; empty if it does not say so.
    pub constraints: String,
    /// Whether the human asked for the task to be done with its skills.
    pub is_asked: bool,
}

/// What the edge found out for the gate that holds up a stop until a review has passed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReviewInput {
    /// What the worker does to get the verdict that is owed first, in the host's words.
    pub way: String,
    /// The review whose approval is of other work than that which is about to be handed to others;
    /// empty if there is none.
    pub stale: String,
}

/// What the edge found out for the gates that keep a session to its task. Empty where they are
/// off.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DisciplineInput {
    /// What is worth saying now.
    pub hints: Vec<Hint>,
    /// The call belongs to another skill.
    pub drift: Option<Drift>,
    /// How a worker of this host starts the hydrator, with the request of this session.
    pub hydrator: String,
    /// The same without the request, which is put in when it starts.
    pub hydrator_again: String,
    /// What it answered, as the worker is told it; empty if it was told, or has not answered.
    pub answer: String,
    /// What is said with this prompt by what grounds it, in bytes.
    pub taken: usize,
    /// How long calls that change something wait for its answer, in milliseconds.
    pub wait_ms: u64,
    /// Whether the call is nothing but commands of our own for agents.
    pub is_own: bool,
    /// How a human has a prompt left as it is; empty if they cannot.
    pub unasked: String,
    /// How it starts the check of the session.
    pub check_call: String,
    /// How it starts the helper that writes down what was learned.
    pub remember: String,
    /// Calls after which a check is due; 0 = never.
    pub threshold: u64,
    /// Whether only those count that change something.
    pub by_changes: bool,
    /// Whether somebody outside of the session gives the check that is due.
    pub outside: bool,
    /// What did not work: the request that could not be written.
    pub trouble: String,
    /// Whether the host names no actor for what the main worker does.
    pub unmarked: bool,
    /// Why the check that would start is not ours; empty if it is.
    pub foreign: String,
}
