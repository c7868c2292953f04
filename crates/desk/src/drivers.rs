//! Drivers: how a worker of each kind is told its task and heard. What a client's words mean is
//! known in `hosts`; here is what is the same for all of them.

pub mod client;
mod command;

use anyhow::{Result, bail, ensure};
use hosts::{HOSTS, Host};

use crate::worker::{Turn, TurnEnd};
use client::Client;

/// Who works.
#[derive(Debug, Clone)]
pub enum Driver {
    /// A client that we know how to drive.
    Client(Client),
    /// A command for the shell.
    Command(String),
}

/// The clients that can be driven.
pub fn clients() -> Vec<&'static str> {
    let able = HOSTS.iter().filter(|host| host.drive.is_some());
    able.map(|host| host.id).collect()
}

impl Driver {
    /// Who is meant by a word or a command line.
    ///
    /// # Errors
    /// If nobody is, or it is a client that cannot be driven.
    pub fn named(words: &str) -> Result<Self> {
        let words = words.trim();
        ensure!(
            !words.is_empty(),
            "nobody is named who could work; name one with --worker: {}, or a command",
            clients().join(", ")
        );
        let named = |host: &&&'static Host| host.id == words || host.program == words;
        match HOSTS.iter().find(named) {
            None => Ok(Self::Command(words.to_owned())),
            Some(host) => match host.drive {
                Some(drive) => Ok(Self::Client(Client { host, drive })),
                None => bail!(
                    "{} cannot be driven; name one of {}, or a command",
                    host.title,
                    clients().join(", ")
                ),
            },
        }
    }

    /// What people are told of it.
    #[must_use]
    pub fn title(&self) -> &str {
        match self {
            Self::Client(client) => client.host.title,
            Self::Command(_) => "a command",
        }
    }

    /// What it cannot tell, in words; empty if there is nothing of the kind.
    #[must_use]
    pub fn lacks(&self) -> &'static str {
        match self {
            Self::Client(_) => "",
            Self::Command(_) => {
                "its calls are not asked about, and its tokens are not known: checks and reviews \
                 are all that holds it"
            }
        }
    }

    /// Has it take a turn.
    ///
    /// # Errors
    /// If it cannot be started, or the run cannot be read.
    pub fn take(&self, turn: &Turn<'_>) -> Result<TurnEnd> {
        match self {
            Self::Client(client) => client.take(turn),
            Self::Command(words) => command::take(words, turn),
        }
    }
}
