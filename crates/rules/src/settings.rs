//! Settings of concerns: a file holds one table of them, with a constant for each key.
//!
//! Owns the kinds of keys, what is set, and [`TABLES`], by which all tables are read, shown and
//! stored alike. Must not know: what a setting is for, but in the table's own file.

pub mod approvals;
pub mod breaker;
pub mod compliance;
pub mod hydration;
pub mod journal;
pub mod memory;
pub mod messages;
pub mod patterns;
pub mod plan;
pub mod review;
pub mod test_evidence;
pub mod undo;
pub mod work;

use std::ops::RangeInclusive;

use crate::rule::{List, Text};

/// All tables, in the order in which people are shown them.
pub const TABLES: &[Table] = &[
    approvals::TABLE,
    undo::TABLE,
    hydration::TABLE,
    compliance::TABLE,
    memory::TABLE,
    messages::TABLE,
    work::TABLE,
    plan::TABLE,
    review::TABLE,
    breaker::TABLE,
    patterns::TABLE,
    journal::TABLE,
    test_evidence::TABLE,
];

/// One table of settings.
#[derive(Debug, Clone)]
pub struct Table {
    /// Its name in a file of settings.
    pub name: &'static str,
    /// What it is for; a line break where the reference has one.
    pub about: &'static str,
    /// Its keys.
    pub keys: &'static [AnyKey],
    /// Whether it can let a call pass that is asked about else. That a stranger says so is told
    /// before what else is ignored of theirs.
    pub loosens: bool,
}

impl Table {
    /// A table with nothing in it, for all that one does not say otherwise.
    pub const PLAIN: Self = Self {
        name: "",
        about: "",
        keys: &[],
        loosens: false,
    };

    /// Whether a key is one of its own.
    #[must_use]
    pub fn has(&self, id: &str) -> bool {
        self.keys.iter().any(|key| key.id() == id)
    }
}

/// What one layer sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The key's id.
    pub key: Text,
    /// Its value.
    pub value: Value,
}

/// A key that knows the type of its value.
pub trait Key {
    /// What it is set to.
    type Value;

    /// The table and the name in it, as one would write them: `table.name`.
    fn id(&self) -> &'static str;

    /// What holds if nobody sets it.
    fn usual(&self) -> Self::Value;

    /// The value, if it is of this kind.
    fn of(value: &Value) -> Option<Self::Value>;
}

/// Yes or no.
#[derive(Debug, Clone)]
pub struct Toggle {
    id: &'static str,
    usual: bool,
}

impl Toggle {
    /// A key with what holds if nobody sets it.
    #[must_use]
    pub const fn new(id: &'static str, usual: bool) -> Self {
        Self { id, usual }
    }

    fn usual(&self) -> bool {
        self.usual
    }
}

/// A whole number.
#[derive(Debug, Clone)]
pub struct Number {
    id: &'static str,
    usual: u32,
    /// The least and the most.
    pub range: RangeInclusive<u32>,
}

impl Number {
    /// A key with what holds if nobody sets it, and its least and most.
    #[must_use]
    pub const fn new(id: &'static str, usual: u32, range: RangeInclusive<u32>) -> Self {
        Self { id, usual, range }
    }

    fn usual(&self) -> u32 {
        self.usual
    }
}

/// A text; nobody sets it = it is empty.
#[derive(Debug, Clone)]
pub struct Line {
    id: &'static str,
    /// What is wrong with a text that is not empty.
    pub refuse: fn(&str) -> Option<Refusal>,
}

impl Line {
    /// A key with what must not stand there.
    #[must_use]
    pub const fn new(id: &'static str, refuse: fn(&str) -> Option<Refusal>) -> Self {
        Self { id, refuse }
    }

    fn usual(&self) -> Text {
        Text::Borrowed("")
    }
}

/// Why a text is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub help: &'static str,
}

/// Refuses what is no directory, absolute or below the home.
fn elsewhere(path: &str) -> Option<Refusal> {
    let is_fixed = path.starts_with('/') || path.starts_with("~/");
    (!is_fixed).then(|| Refusal {
        what: format!("{path:?} depends on where the agent is"),
        help: "begin it with / or ~/",
    })
}

/// Longest instruction, in characters: it is told with prompts and refusals.
const INSTRUCTION_CHARS_MAX: usize = 200;

/// Refuses what does not say where the call stands that starts a helper, names anything else, or
/// is long.
fn unstarted(text: &str) -> Option<Refusal> {
    let rest = text.replacen("{start}", "", 1);
    let what = if rest == text {
        "it does not say {start}, where the call stands that starts the helper"
    } else if rest.contains(['{', '}']) {
        "there is nothing in braces but {start}, once"
    } else if text.chars().count() > INSTRUCTION_CHARS_MAX {
        "it is longer than 200 characters"
    } else {
        return None;
    };
    Some(Refusal {
        what: what.to_owned(),
        help: "say it in one or two sentences, with {start} in them",
    })
}

/// Several texts.
#[derive(Debug, Clone)]
pub struct Lines {
    id: &'static str,
    usual: &'static [Text],
}

impl Lines {
    /// A key with what holds if nobody sets it.
    #[must_use]
    pub const fn new(id: &'static str, usual: &'static [Text]) -> Self {
        Self { id, usual }
    }

    fn usual(&self) -> List<Text> {
        List::Borrowed(self.usual)
    }
}

/// Each kind of key, with what its values are.
macro_rules! kinds {
    ($($kind:ident: $value:ty),* $(,)?) => {
        /// The value of a key.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Value { $(
            #[doc = concat!("Of a [`", stringify!($kind), "`].")]
            $kind($value),
        )* }

        /// A key of whatever kind.
        #[derive(Debug, Clone)]
        pub enum AnyKey { $(
            #[doc = concat!("A [`", stringify!($kind), "`].")]
            $kind($kind),
        )* }

        impl AnyKey {
            /// Its id.
            #[must_use]
            pub fn id(&self) -> &'static str {
                match self { $(Self::$kind(key) => key.id,)* }
            }

            /// Its name in its table.
            #[must_use]
            pub fn name(&self) -> &'static str {
                self.id().rsplit('.').next().unwrap_or_default()
            }

            /// What holds if nobody sets it.
            #[must_use]
            pub fn usual(&self) -> Value {
                match self { $(Self::$kind(key) => Value::$kind(key.usual()),)* }
            }
        }

        $(
            impl $kind {
                /// What a layer says that sets it to a value.
                #[must_use]
                pub fn set_to(&self, value: $value) -> Setting {
                    let key = Text::Borrowed(self.id);
                    Setting { key, value: Value::$kind(value) }
                }
            }

            impl Key for $kind {
                type Value = $value;

                fn id(&self) -> &'static str {
                    self.id
                }

                fn usual(&self) -> $value {
                    self.usual()
                }

                fn of(value: &Value) -> Option<$value> {
                    match value {
                        Value::$kind(value) => Some(value.clone()),
                        _ => None,
                    }
                }
            }
        )*
    };
}

kinds! {
    Toggle: bool,
    Number: u32,
    Line: Text,
    Lines: List<Text>,
}
