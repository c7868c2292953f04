//! What the edge finds out about a plan.

/// A file as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum FileLook {
    /// It is not there, or nobody looked.
    #[default]
    Missing,
    /// It is there and cannot be read.
    Unreadable(String),
    /// The SHA-256 of its bytes, as hex.
    Digest(String),
}

/// What was found out about the session's plan. Empty where nothing about it is asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlanInput {
    /// Whether settings want a verdict about every plan.
    pub required: bool,
    /// The file that the host hands over, as it really is; empty if it names none.
    pub handed: String,
    /// The plan file of the record.
    pub plan: FileLook,
    /// Whether the text that the host hands over is what that file holds; nothing if it hands over
    /// none.
    pub is_same_text: Option<bool>,
    /// The gaps file of the record.
    pub gaps: FileLook,
    /// Globs of what may be written while a plan is made: the plan itself, and its gaps.
    pub writable: Vec<String>,
    /// What is kept from the critic besides: files and directories.
    pub hidden: Vec<String>,
    /// What the assessment wants first; empty if nothing.
    pub wants: String,
    /// How a worker of this host starts the critic, and the validator.
    pub critic: String,
    /// See [`Self::critic`].
    pub validator: String,
}
