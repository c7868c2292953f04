//! `[messages]`: notes between agents.

use super::{AnyKey, Table, Toggle};

/// Whether each post is committed.
pub const COMMIT: Toggle = Toggle::new("messages.commit", false);

pub(super) const TABLE: Table = Table {
    name: "messages",
    about: "Messages between agents. With commit = true each post is committed, and nothing else.",
    keys: &[AnyKey::Toggle(COMMIT)],
    ..Table::PLAIN
};
