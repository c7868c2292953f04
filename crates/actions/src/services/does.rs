//! What is done to a service, and as what action it is told.

use model::{ResourceKind, Verb};

/// What a tool does to a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Does {
    /// Something is gone there.
    Destroys,
    /// What it holds is gone there.
    Empties,
    /// A proposal becomes part of what others have.
    Merges,
    /// A proposal is approved in the user's name.
    Approves,
    /// Something is published for everybody.
    Releases,
    /// A secret that is kept there is shown.
    Reveals,
    /// What others use is halted.
    Halts,
    /// Money goes to somebody.
    Pays,
}

impl Does {
    /// The action's verb, its kind, and the beginning of its name.
    pub(crate) const fn action(self) -> (Verb, ResourceKind, &'static str) {
        match self {
            Self::Destroys => (Verb::Destroy, ResourceKind::Cloud, ""),
            Self::Empties => (Verb::Destroy, ResourceKind::Db, ""),
            Self::Merges => (Verb::Publish, ResourceKind::Remote, "pull/"),
            Self::Approves => (Verb::Publish, ResourceKind::Remote, "approval/"),
            Self::Releases => (Verb::Publish, ResourceKind::Remote, "release/"),
            Self::Reveals => (Verb::Read, ResourceKind::Process, "the output of "),
            Self::Halts => (Verb::Deploy, ResourceKind::Cloud, "halt/"),
            Self::Pays => (Verb::Send, ResourceKind::Cloud, "payment/"),
        }
    }

    /// Whether what it is done to is never a file of this machine, whatever the arguments' names.
    pub(crate) const fn is_elsewhere(self) -> bool {
        matches!(self, Self::Halts | Self::Pays | Self::Releases)
    }
}
