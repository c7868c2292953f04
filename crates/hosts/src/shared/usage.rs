//! What a host's transcript says that its model took. Must not know any host's names.

use model::Time;

/// The tokens of one message of the model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Usage {
    /// Which message: it may be told of more than once.
    pub message: String,
    /// How many tokens.
    pub tokens: u64,
    /// When.
    pub time: Time,
}
