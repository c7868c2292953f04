//! Who wrote a record. What it says is what the system showed, never what the writer claims.

use serde::{Deserialize, Serialize};

/// In what part somebody wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The model at work in a session.
    Worker,
    /// A helper that the model started.
    Subagent,
    /// Somebody at a terminal.
    Person,
    /// We ourselves, about something that happened.
    Gate,
    /// A program that no session is known of: a script, a service.
    #[default]
    #[serde(other)]
    Program,
}

impl Role {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Worker => "worker",
            Self::Subagent => "subagent",
            Self::Person => "person",
            Self::Program => "program",
            Self::Gate => "gate",
        }
    }
}

/// Who wrote a record.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Author {
    /// The host of an agent, the login name of a person, the program's name else.
    pub agent: String,
    /// The model at work, where it is known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// In what part.
    #[serde(default)]
    pub role: Role,
    /// The session's id; empty if there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
}

impl Author {
    /// What others know the author by: an agent with the beginning of its session, a person by
    /// name.
    #[must_use]
    pub fn name(&self) -> String {
        match self.session.get(..8).or(Some(&*self.session)) {
            Some(start) if !start.is_empty() => [&*self.agent, "-", start].concat(),
            _ => self.agent.clone(),
        }
    }
}
