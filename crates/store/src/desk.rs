//! What the desk's pages rest on: where they are, who may look at them, when somebody last did.
//! Files `desk/…`; every secret is kept as its hash, in a file's name. Decides nothing.

use std::time::{Duration, SystemTime};

use model::Time;

use crate::notes::Claim;
use crate::sys::How;
use crate::{Store, StoreError};

const DIR: &str = "desk";
/// Where the desk that runs can be reached.
const PLACE: &str = "desk.json";
/// Whose time says when somebody last looked.
const LOOKED: &str = "desk/looked";
/// Wrong passphrases of late: when each was typed.
const TRIES: &str = "desk/tries";
/// Channels through which people are told.
const CHANNELS: &str = "desk/channels.json";
const CHANNELS_LOCK: &str = "desk/channels.lock";
/// Whoever makes or removes a work tree does so alone.
const WORK_TREES_LOCK: &str = "desk/work-trees.lock";
/// Most bytes of the channels.
const CHANNELS_BYTES_MAX: u64 = 256 * 1024;
const ENDING: &str = ".token";

/// What a token lets whoever has it do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// Open the pages once.
    Open,
    /// Look and refuse.
    Look,
    /// Register a passkey once.
    Passkey,
}

impl TokenKind {
    fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Look => "look",
            Self::Passkey => "passkey",
        }
    }
}

/// The file of a token; none for what is no hash.
fn file(kind: TokenKind, hash: &str) -> Option<String> {
    let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| format!("{DIR}/{}-{hash}{ENDING}", kind.name()))
}

/// What a token's file says: when it ends, and what it is about.
fn read(text: &str, now: Time) -> Option<String> {
    let (ends, about) = text.split_once(' ')?;
    (now.0 < ends.parse().ok()?).then(|| about.to_owned())
}

impl Store {
    /// Keeps a token by its hash until it ends, with a line that it is about.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn keep_token(
        &self,
        kind: TokenKind,
        hash: &str,
        (ends, about): (Time, &str),
    ) -> Result<(), StoreError> {
        let name = file(kind, hash).ok_or_else(|| StoreError::NotPlain {
            path: self.path().join(DIR),
            what: "no hash of a token",
        })?;
        self.root
            .replace(&name, format!("{} {about}", ends.0).as_bytes())
    }

    /// What a token is about, if there is one and it has not ended.
    #[must_use]
    pub fn token(&self, kind: TokenKind, hash: &str, now: Time) -> Option<String> {
        read(&self.note(&file(kind, hash)?)?, now)
    }

    /// The same for a token that is good once: whoever takes it, nobody else has it.
    #[must_use]
    pub fn take_token(&self, kind: TokenKind, hash: &str, now: Time) -> Option<String> {
        let name = file(kind, hash)?;
        let taken = format!("{name}.{}.taken", std::process::id());
        self.root.rename(&name, &taken).ok()?;
        let text = self.note(&taken);
        // What stays is no token.
        let _ = self.root.remove(&taken);
        read(&text?, now)
    }

    /// Removes the tokens that have ended.
    ///
    /// # Errors
    /// If they cannot be listed or removed.
    pub fn sweep_tokens(&self, now: Time) -> Result<(), StoreError> {
        for name in self.root.names(DIR, ENDING)? {
            let name = format!("{DIR}/{name}{ENDING}");
            if self
                .note(&name)
                .is_none_or(|text| read(&text, now).is_none())
            {
                self.root.remove(&name)?;
            }
        }
        Ok(())
    }

    /// Where the desk can be reached, as it noted that.
    #[must_use]
    pub fn desk(&self) -> Option<String> {
        self.note(PLACE)
    }

    /// Notes where the desk can be reached, or that there is none.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn set_desk(&self, place: Option<&str>) -> Result<(), StoreError> {
        self.set_note(PLACE, place)
    }

    /// Somebody looks at a page now.
    ///
    /// # Errors
    /// If that cannot be noted.
    pub fn note_looking(&self) -> Result<(), StoreError> {
        let file = self.root.write(LOOKED, How::Append)?;
        file.set_modified(SystemTime::now())
            .map_err(self.root.failed("write", LOOKED))
    }

    /// How long ago somebody last looked at a page.
    #[must_use]
    pub fn looked_ago(&self) -> Option<Duration> {
        let (time, _) = self.root.modified(LOOKED)?;
        Some(SystemTime::now().duration_since(time).unwrap_or_default())
    }

    /// When wrong passphrases were typed of late.
    #[must_use]
    pub fn wrong_passphrases(&self) -> Vec<Time> {
        let text = self.note(TRIES).unwrap_or_default();
        text.lines()
            .filter_map(|line| line.parse().ok().map(Time))
            .collect()
    }

    /// Remembers when wrong passphrases were typed.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn set_wrong_passphrases(&self, times: &[Time]) -> Result<(), StoreError> {
        let lines: Vec<String> = times.iter().map(|time| format!("{}\n", time.0)).collect();
        self.set_note(TRIES, Some(&lines.concat()))
    }

    /// The channels through which people are told, as text; empty if there is none.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn channels(&self) -> Result<String, StoreError> {
        let bytes = self
            .root
            .load(CHANNELS, CHANNELS_BYTES_MAX)?
            .unwrap_or_default();
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Whether there is any.
    #[must_use]
    pub fn has_channels(&self) -> bool {
        self.root.modified(CHANNELS).is_some()
    }

    /// Claims the changing of channels until the result is dropped; waits for who is at it.
    ///
    /// # Errors
    /// If the file to lock cannot be made or locked.
    pub fn claim_channels(&self) -> Result<Claim, StoreError> {
        self.claim_alone(CHANNELS_LOCK)
    }

    /// Claims the making and removing of work trees until the result is dropped; waits for who is
    /// at it.
    ///
    /// # Errors
    /// If the file to lock cannot be made or locked.
    pub fn claim_work_trees(&self) -> Result<Claim, StoreError> {
        self.claim_alone(WORK_TREES_LOCK)
    }

    /// Waits until nobody else has a claim.
    pub(crate) fn claim_alone(&self, name: &str) -> Result<Claim, StoreError> {
        let file = self.root.write(name, How::Append)?;
        file.lock().map_err(self.root.failed("lock", name))?;
        Ok(Claim(file))
    }

    /// Keeps the channels that there are from now on.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn set_channels(&self, text: &str) -> Result<(), StoreError> {
        self.root.replace(CHANNELS, text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> (tempfile::TempDir, Store) {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("state")).unwrap();
        (dir, store)
    }

    #[test]
    fn a_token_that_is_good_once_is_taken_once() {
        let (_dir, store) = store();
        let hash = "ab".repeat(32);
        let keep = || store.keep_token(TokenKind::Open, &hash, (Time(10), "x y"));
        keep().unwrap();
        assert_eq!(store.token(TokenKind::Look, &hash, Time(5)), None);
        assert_eq!(
            store.token(TokenKind::Open, &hash, Time(5)),
            Some("x y".to_owned())
        );
        assert_eq!(
            store.take_token(TokenKind::Open, &hash, Time(5)),
            Some("x y".to_owned())
        );
        assert_eq!(store.take_token(TokenKind::Open, &hash, Time(5)), None);
        keep().unwrap();
        assert_eq!(store.take_token(TokenKind::Open, &hash, Time(10)), None);
        keep().unwrap();
        store.sweep_tokens(Time(9)).unwrap();
        assert!(store.token(TokenKind::Open, &hash, Time(9)).is_some());
        store.sweep_tokens(Time(10)).unwrap();
        assert_eq!(store.token(TokenKind::Open, &hash, Time(9)), None);
        for wrong in ["", "../x", &"zz".repeat(32)] {
            assert!(
                store
                    .keep_token(TokenKind::Open, wrong, (Time(1), ""))
                    .is_err()
            );
        }
    }

    #[test]
    fn what_the_desk_notes_comes_back() {
        let (_dir, store) = store();
        assert_eq!((store.desk(), store.looked_ago()), (None, None));
        store.set_desk(Some("{}")).unwrap();
        assert_eq!(store.desk().as_deref(), Some("{}"));
        store.set_desk(None).unwrap();
        assert_eq!(store.desk(), None);
        store.note_looking().unwrap();
        assert!(store.looked_ago().unwrap() < Duration::from_secs(5));
        store.set_wrong_passphrases(&[Time(3), Time(4)]).unwrap();
        assert_eq!(store.wrong_passphrases(), [Time(3), Time(4)]);
        assert_eq!(
            (store.channels().unwrap().as_str(), store.has_channels()),
            ("", false)
        );
        store.set_channels("[]").unwrap();
        drop(store.claim_channels().unwrap());
        assert_eq!(
            (store.channels().unwrap().as_str(), store.has_channels()),
            ("[]", true)
        );
        assert_eq!(store.passkeys(), "");
        store.set_passkeys("1 a\n").unwrap();
        assert_eq!(store.passkeys(), "1 a\n");
        assert!(store.set_passkeys(&"x".repeat(5_000)).is_err());
    }
}
