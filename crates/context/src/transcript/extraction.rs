//! What a transcript tells about its session, ready to be shown. Must not know how it was found.

use super::todos::Todos;
use model::Time;

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extraction {
    /// The session; empty if the file does not say.
    pub session: String,
    /// Where it worked; empty if the file does not say.
    pub cwd: String,
    /// The version of the host; empty if the file does not say.
    pub version: String,
    /// Whose file it is, if it is a subagent's.
    pub subagent: Option<String>,
    /// The first prompt of a human.
    pub intent: Option<Prompt>,
    /// The last prompts of a human, oldest first.
    pub prompts: Vec<Prompt>,
    /// What the worker asked since the last of them; told with the prompts.
    pub question: String,
    /// The skill used last in the turns looked at.
    pub skill: Option<Skill>,
    /// What is to be done.
    pub todos: Todos,
    /// Calls that went wrong in the turns looked at, oldest first.
    pub errors: Vec<Failure>,
    /// The last calls of the turns looked at, oldest first.
    pub tools: Vec<ToolUse>,
    /// Files that file tools changed, the one that was changed last at the end.
    pub files: Vec<ChangedFile>,
    /// What a human decided, oldest first.
    pub decisions: Vec<Decision>,
    /// How much was looked at.
    pub seen: ReadStats,
}

/// A human's words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prompt {
    /// The words, cleaned and cut.
    pub text: String,
    /// When; zero if the file does not say.
    pub time: Time,
    /// What the worker had asked, where the words are too short to mean something alone.
    pub asked: String,
}

/// A skill that was used.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Skill {
    /// Its name.
    pub name: String,
    /// How many turns ago: 0 is the present one.
    pub turns_ago: u64,
}

/// A call that went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Failure {
    /// The tool, by its neutral name; empty if its call is not in what was read.
    pub tool: String,
    /// What was asked for.
    pub what: String,
    /// What the worker was told, cut.
    pub text: String,
    /// Whether it was stopped, and never ran.
    pub stopped: bool,
    /// The subagent that called, if one did.
    pub subagent: String,
    /// When it was called.
    pub time: Time,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CallOutcome {
    /// Not yet, as far as was read.
    #[default]
    Open,
    /// Well, or at least without an error.
    Done,
    /// With an error.
    Failed,
    /// It was stopped, and never ran.
    Stopped,
}

impl CallOutcome {
    /// Its name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
        }
    }
}

/// One call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolUse {
    /// The tool, by its neutral name.
    pub tool: String,
    /// What was asked for, cut.
    pub what: String,
    /// How it ended.
    pub outcome: CallOutcome,
    /// The subagent that called, if one did.
    pub subagent: String,
    /// When it was called.
    pub time: Time,
}

/// A file that was changed by a file tool. What shell commands change is not known here.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangedFile {
    /// Its path, as the host gave it.
    pub path: String,
    /// How often it was changed.
    pub times: u64,
    /// When it was changed last.
    pub time: Time,
}

/// What a human decided.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Decision {
    /// The word that marks it.
    pub marker: &'static str,
    /// The sentence, in the human's words.
    pub quote: String,
    /// When it was said.
    pub time: Time,
}

/// How much was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadStats {
    /// Records: lines, or messages of a document.
    pub records: u64,
    /// Records that could not be read, and were passed over.
    pub torn: u64,
    /// Prompts of a human.
    pub prompts: u64,
    /// Prompts of machines: notifications, injected context, summaries.
    pub machine_prompts: u64,
    /// Calls.
    pub calls: u64,
    /// Calls that went wrong.
    pub failed: u64,
    /// What subagents said and did, and was left out.
    pub of_subagents: u64,
    /// Where reading began, in bytes; 0 is the whole file. What is counted lies behind it.
    pub from: u64,
    /// How long the file was, in bytes.
    pub length: u64,
    /// Whether the file could be read to its end.
    pub broken: bool,
    /// Items dropped, or cut shorter, to keep to a budget.
    pub left_out: u64,
}
