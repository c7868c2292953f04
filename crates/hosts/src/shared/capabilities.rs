//! What a host can be told, how it shows who acts, and how it fails, in closed words. Replies rest
//! on them, and `docs/hosts.md` is made of them. Must not know any host's names.

/// What a host can be told and tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// How all this is known.
    pub evidence: Evidence,
    /// Which calls a refusal stops.
    pub refuses: Refuses,
    /// Whether it can be made to ask its human about a call.
    pub asks: bool,
    /// Whether the worker hears advice that comes before its call.
    pub advises_before: bool,
    /// Whether the worker hears advice that comes with a prompt.
    pub advises_at_prompt: bool,
    /// Whether a call can be made to run with another input.
    pub rewrites: bool,
    /// Whether the worker can be kept from ending its turn.
    pub holds_stop: bool,
    /// Whether a session that runs takes up hooks that are registered meanwhile.
    pub rereads: bool,
    /// Whether its human sees why a call was refused without our saying it to them.
    pub shows_refusals: bool,
    /// When its human can be told what the worker does not hear.
    pub notices: Notices,
    /// What is taken for a human who sits there.
    pub attended: Attended,
    /// How a subagent's calls show.
    pub subagents: Subagents,
    /// What carries a subagent's last message.
    pub final_message: FinalMessage,
    /// What becomes of a call whose hook does not do its work.
    pub broken: Broken,
    /// What it lets pass by us, beside what its other fields say.
    pub holes: &'static [Hole],
}

/// How something about a host is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// Its client was driven end to end.
    Driven,
    /// Its makers' page says so.
    Page,
}

/// Which calls a refusal stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refuses {
    /// All that its worker and its subagents make.
    All,
    /// Shell commands, writes and calls of servers.
    Acting,
    /// The main worker's.
    Main,
}

/// When a host's human can be told what the worker does not hear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notices {
    /// Never.
    Never,
    /// At the end of a turn.
    AtStop,
    /// At every event that is answered.
    Always,
}

/// What is taken for a human who sits there. The edge takes it back where the host does not write
/// to a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attended {
    /// Nothing.
    Never,
    /// That the host runs in a terminal.
    Terminal,
    /// That the host says so.
    Reported,
}

/// How a subagent's calls show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subagents {
    /// Each of its events names it.
    Named,
    /// They come as a session of their own, which names the one above it.
    OwnSession,
    /// Nothing tells them from the main worker's, but its start and its end are told.
    BetweenStartAndEnd,
    /// Nothing tells them from the main worker's.
    Indistinct,
    /// They come to no hook.
    Unseen,
}

/// What carries a subagent's last message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FinalMessage {
    /// Nothing.
    None,
    /// An event of its own.
    OwnEvent,
    /// The result of the call that started it.
    SpawnResult,
}

/// What becomes of a call whose hook does not do its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Broken {
    /// The hook is not there, or ends badly.
    pub missing: Then,
    /// The hook does not answer in the host's time.
    pub late: Then,
    /// The hook says what is no answer.
    pub garbage: Then,
}

/// What becomes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// It does not run.
    Stops,
    /// It runs.
    Runs,
}

/// What a host lets pass by us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Hole {
    /// What its human types as a command runs unasked.
    HumansCommands,
    /// A project's settings can switch all hooks off.
    ProjectSwitch,
    /// Its administrator's or its human's settings have hooks off at first.
    OffAtFirst,
    /// Another hook's input runs in the place of the one that was judged.
    OthersInput,
    /// What a project brings runs in the host's own process.
    SameProcess,
    /// Its server runs commands for whoever reaches it.
    OpenServer,
    /// What a subagent is told can come in a form that nobody else reads.
    SealedSpawn,
    /// Hooks belong to one agent of several.
    OneAgent,
    /// A second file of hooks is read in the place of ours.
    OtherFile,
    /// Of several rules the first that fits counts.
    FirstRule,
    /// What a call did is not told.
    NoResults,
}

impl Capabilities {
    /// A host of which a page says that it starts a hook through a shell before a call, and nothing
    /// else.
    pub(crate) const BY_PAGE: Self = Self {
        evidence: Evidence::Page,
        refuses: Refuses::All,
        asks: false,
        advises_before: false,
        advises_at_prompt: false,
        rewrites: false,
        holds_stop: false,
        rereads: false,
        shows_refusals: false,
        notices: Notices::Never,
        attended: Attended::Never,
        subagents: Subagents::Indistinct,
        final_message: FinalMessage::None,
        broken: Broken {
            missing: Then::Stops,
            late: Then::Runs,
            garbage: Then::Runs,
        },
        holes: &[],
    };

    /// A host whose client was driven, and that leaves nothing out.
    pub(crate) const DRIVEN: Self = Self {
        evidence: Evidence::Driven,
        asks: false,
        advises_before: true,
        advises_at_prompt: true,
        rewrites: true,
        holds_stop: true,
        notices: Notices::Always,
        attended: Attended::Terminal,
        subagents: Subagents::Named,
        final_message: FinalMessage::OwnEvent,
        ..Self::BY_PAGE
    };
}
