//! `[undo]`: what a call would lose is kept.

use super::{AnyKey, Table, Toggle};

/// Whether a loss that undo can bring back passes instead of being asked about.
pub const ALLOW: Toggle = Toggle::new("undo.allow", false);

pub(super) const TABLE: Table = Table {
    name: "undo",
    about: "What a call would lose is kept before it runs. `allow`: let a loss that can be \
            brought back\npass instead of asking about it.",
    keys: &[AnyKey::Toggle(ALLOW)],
    loosens: true,
};
