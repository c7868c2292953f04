//! The channels through which a person is told, as they are kept: where each leads, what it may
//! say, what it is signed with, and what could not be delivered.

use anyhow::{Context, Result, ensure};
use model::Time;
use serde::{Deserialize, Serialize};
use store::Store;

/// The version of their file, and the oldest that may read it.
const VERSION: u64 = 1;
/// Most messages that are kept of those that could not be delivered.
const DEAD_MAX: usize = 20;

/// All that is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Channels {
    v: u64,
    min_reader: u64,
    /// The channels, oldest first.
    pub channels: Vec<Channel>,
    /// What could not be delivered, oldest first.
    #[serde(default)]
    pub dead: Vec<DeadLetter>,
    /// When messages were sent of late.
    #[serde(default)]
    pub sent: Vec<u64>,
    /// When all that waits is told at once, because messages were too many; 0 if it is not due.
    #[serde(default)]
    pub digest: u64,
}

/// One channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Channel {
    /// What its owner calls it.
    pub name: String,
    /// Where it leads.
    #[serde(flatten)]
    pub way: Way,
    /// Whether it may say which call waits, not only how many.
    #[serde(default)]
    pub full: bool,
    /// The address under which its reader reaches the desk; empty = the desk's own.
    #[serde(default)]
    pub link: String,
}

/// Where a channel leads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum Way {
    /// The desktop of this machine.
    Desktop,
    /// A POST that is signed.
    Webhook {
        /// To where.
        url: String,
        /// What it is signed with.
        secret: String,
    },
    /// A topic of ntfy.
    Ntfy {
        /// Its address.
        url: String,
    },
    /// An incoming webhook of Slack.
    Slack {
        /// Its address.
        url: String,
    },
    /// Mail.
    Mail {
        /// The server: `smtps://host`, `smtp://host:587`.
        server: String,
        /// Who writes.
        from: String,
        /// Who is written to.
        to: String,
        /// Who the server knows us as; empty = nobody.
        user: String,
        /// Their password.
        password: String,
    },
}

impl Way {
    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Desktop => "desktop",
            Self::Webhook { .. } => "webhook",
            Self::Ntfy { .. } => "ntfy",
            Self::Slack { .. } => "slack",
            Self::Mail { .. } => "mail",
        }
    }

    /// To where, without what is secret in it: the path of an address often is.
    #[must_use]
    pub fn place(&self) -> String {
        let machine = |url: &str| {
            let parts: Vec<&str> = url.splitn(4, '/').take(3).collect();
            parts.join("/")
        };
        match self {
            Self::Desktop => "this machine".to_owned(),
            Self::Webhook { url, .. } | Self::Ntfy { url } | Self::Slack { url } => machine(url),
            Self::Mail { to, server, .. } => format!("{to} by {}", machine(server)),
        }
    }
}

/// A message that could not be delivered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadLetter {
    /// The channel.
    pub channel: String,
    /// When it was given up.
    pub at: u64,
    /// Why.
    pub why: String,
    /// What it said.
    pub text: String,
}

impl Channels {
    /// Those of a store.
    ///
    /// # Errors
    /// If their file cannot be read, or is a later version's.
    pub fn of(store: &Store) -> Result<Self> {
        let text = store.channels()?;
        if text.is_empty() {
            return Ok(Self {
                v: VERSION,
                min_reader: VERSION,
                channels: Vec::new(),
                dead: Vec::new(),
                sent: Vec::new(),
                digest: 0,
            });
        }
        let all: Self = serde_json::from_str(&text)
            .context("desk/channels.json is damaged; remove it, and add your channels again")?;
        let is_known = all.min_reader <= VERSION;
        ensure!(
            is_known,
            "desk/channels.json is of a later Tollgate; update this one"
        );
        Ok(all)
    }

    /// Changes them while nobody else does.
    ///
    /// # Errors
    /// As [`Self::of`], if they cannot be kept, or what is done fails.
    pub fn change<T>(store: &Store, change: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let _claim = store.claim_channels()?;
        let mut all = Self::of(store)?;
        let done = change(&mut all)?;
        store.set_channels(&serde_json::to_string_pretty(&all)?)?;
        Ok(done)
    }

    /// Keeps a message that could not be delivered.
    pub fn bury(&mut self, letter: DeadLetter) {
        self.dead.push(letter);
        let over = self.dead.len().saturating_sub(DEAD_MAX);
        self.dead.drain(..over);
    }
}

/// Most messages in a while; what is more is told at once at its end.
const SENT_MAX: usize = 3;
/// That while, in milliseconds.
const WHILE_MS: u64 = 10 * 60 * 1_000;

/// What becomes of news that are due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// They are sent now.
    Now,
    /// They are told with all that waits then.
    Later(Time),
    /// Somebody else tells of them with all that waits.
    Covered,
}

impl Channels {
    /// What becomes of news at a time, which is remembered.
    pub fn turn(&mut self, now: Time) -> Turn {
        self.sent.retain(|sent| sent + WHILE_MS > now.0);
        if self.digest > now.0 {
            return Turn::Covered;
        }
        let oldest = self.sent.first().copied();
        match oldest.filter(|_| self.sent.len() >= SENT_MAX) {
            Some(oldest) => {
                self.digest = oldest + WHILE_MS;
                Turn::Later(Time(self.digest))
            }
            None => {
                self.sent.push(now.0);
                Turn::Now
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn none() -> Channels {
        Channels {
            v: VERSION,
            min_reader: VERSION,
            channels: Vec::new(),
            dead: Vec::new(),
            sent: Vec::new(),
            digest: 0,
        }
    }

    #[test]
    fn more_than_three_in_ten_minutes_are_told_at_once() {
        let mut all = none();
        let minute = 60_000;
        for at in [0, 1, 2] {
            assert_eq!(all.turn(Time(at * minute + 1)), Turn::Now, "{at}");
        }
        let end = WHILE_MS + 1;
        assert_eq!(all.turn(Time(3 * minute)), Turn::Later(Time(end)));
        assert_eq!(all.turn(Time(4 * minute)), Turn::Covered);
        assert_eq!(all.turn(Time(end - 1)), Turn::Covered);
        // If who should have told of all was ended, the next does.
        assert_eq!(all.turn(Time(end)), Turn::Now);
        assert!(matches!(all.turn(Time(end + 1)), Turn::Later(_)));
    }

    #[test]
    fn what_is_not_delivered_is_kept_up_to_a_number() {
        let mut all = none();
        for at in 0..30 {
            all.bury(DeadLetter {
                channel: "x".to_owned(),
                at,
                why: String::new(),
                text: String::new(),
            });
        }
        let kept: Vec<u64> = all.dead.iter().map(|letter| letter.at).collect();
        assert_eq!(kept, (10..30).collect::<Vec<u64>>());
    }

    #[test]
    fn a_place_is_shown_without_what_is_secret_in_it() {
        let slack = Way::Slack {
            url: "https://hooks.slack.example/services/T0/B0/secret".to_owned(),
        };
        assert_eq!(slack.place(), "https://hooks.slack.example");
        let mail = Way::Mail {
            server: "smtps://mail.example:465".to_owned(),
            from: "a@b.example".to_owned(),
            to: "c@d.example".to_owned(),
            user: "a".to_owned(),
            password: "p".to_owned(),
        };
        assert_eq!(mail.place(), "c@d.example by smtps://mail.example:465");
        let text = serde_json::to_string(&slack).unwrap();
        assert!(text.contains("\"kind\":\"slack\""), "{text}");
        assert_eq!(serde_json::from_str::<Way>(&text).unwrap(), slack);
    }
}
