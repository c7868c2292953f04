//! `[plan]`: plans are assessed before they are left.

use super::{AnyKey, Line, Table, Toggle, elsewhere};

/// Whether every plan is to be assessed, whatever the profile (S1.32).
pub const REQUIRE: Toggle = Toggle::new("plan.require", false);

/// Where plans lie besides where the agent puts them by itself.
pub const DIR: Line = Line::new("plan.dir", elsewhere);

pub(super) const TABLE: Table = Table {
    name: "plan",
    about: "Plans are assessed before plan mode is left. `require`: every plan, whatever the \
            profile\n(discipline wants that anyway). `dir`: where plans lie, if the agent was told \
            to put them\nelsewhere.",
    keys: &[AnyKey::Toggle(REQUIRE), AnyKey::Line(DIR)],
    ..Table::PLAIN
};
