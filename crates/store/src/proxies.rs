//! What became of calls that went through a proxy: `proxies/<session>/<process>-<start>.jsonl`, a
//! file for each proxy that runs, `pins/<server>.json`: how servers described their tools, and
//! `pins/places`: the files of projects in which a proxy was put before servers.
//! Knows no file's form.

use std::fs::File;
use std::io::Write;

use model::{Binding, session_id};

use crate::sys::How;
use crate::{Store, StoreError};

const DIR: &str = "proxies";
const ENDING: &str = ".jsonl";
/// The word of proxies over HTTP.
const WORD: &str = "pins/word";
/// Where proxies were put: a host and a path a line.
const PLACES: &str = "pins/places";
/// Who changes that list has it to themselves.
const PLACES_LOCK: &str = "pins/places.lock";
/// Longest file that is read.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

fn dir(session: &str) -> String {
    [DIR, "/", &session_id(session)].concat()
}

fn file(session: &str, owner: Binding) -> String {
    let Binding { process, start, .. } = owner;
    format!("{}/{process}-{start}{ENDING}", dir(session))
}

fn pins(server: u64) -> String {
    format!("pins/{server:016x}.json")
}

/// The file of a proxy that runs, open.
#[derive(Debug)]
pub struct ProxyLog {
    file: File,
    bytes: u64,
}

impl ProxyLog {
    /// Adds a line. It is there even if this process ends at once.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, line: &str) -> std::io::Result<()> {
        let line = [line, "\n"].concat();
        self.bytes += line.len() as u64;
        self.file.write_all(line.as_bytes())
    }

    /// How long it is, as far as this process wrote it.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Empties it: nothing in it is open any more.
    ///
    /// # Errors
    /// If that cannot be done.
    pub fn clear(&mut self) -> std::io::Result<()> {
        self.bytes = 0;
        self.file.set_len(0)
    }
}

impl Store {
    /// Opens the file of a proxy, which is made if it is missing.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn proxy_log(&self, session: &str, owner: Binding) -> Result<ProxyLog, StoreError> {
        let file = self.root.write(&file(session, owner), How::Append)?;
        Ok(ProxyLog { file, bytes: 0 })
    }

    /// The files of a session's proxies, with whom they belong to.
    ///
    /// # Errors
    /// If they cannot be listed or read.
    pub fn proxy_logs(&self, session: &str) -> Result<Vec<(Binding, String)>, StoreError> {
        let names = self.root.names(&dir(session), ENDING)?;
        let owner = |name: &String| {
            let (process, start) = name.split_once('-')?;
            Some(Binding {
                process: process.parse().ok()?,
                start: start.parse().ok()?,
                nested: false,
            })
        };
        let mut logs = Vec::new();
        for owner in names.iter().filter_map(owner) {
            let bytes = self.root.load(&file(session, owner), BYTES_MAX)?;
            let text = String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
            logs.push((owner, text));
        }
        Ok(logs)
    }

    /// The sessions that have such files, sorted.
    ///
    /// # Errors
    /// If they cannot be listed.
    pub fn proxied_sessions(&self) -> Result<Vec<String>, StoreError> {
        self.root.names(DIR, "")
    }

    /// How a server described its tools when they were first seen; nothing if they never were.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn pins(&self, server: u64) -> Result<Option<Vec<u8>>, StoreError> {
        self.root.load(&pins(server), BYTES_MAX)
    }

    /// Notes how a server describes its tools.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn set_pins(&self, server: u64, bytes: &[u8]) -> Result<(), StoreError> {
        self.root.replace(&pins(server), bytes)
    }

    /// The word by which clients show that they may use a proxy over HTTP: made the first time.
    ///
    /// # Errors
    /// If it cannot be read or written.
    pub fn proxy_word(&self, new: impl FnOnce() -> String) -> Result<String, StoreError> {
        if let Some(bytes) = self.root.load(WORD, 1_024)? {
            return Ok(String::from_utf8_lossy(&bytes).into_owned());
        }
        let word = new();
        self.root.replace(WORD, word.as_bytes())?;
        Ok(word)
    }

    /// The files of projects in which a proxy was put before servers of a host.
    ///
    /// # Errors
    /// If that cannot be read.
    pub fn proxied_files(&self, host: &str) -> Result<Vec<String>, StoreError> {
        let lines = self.places()?.into_iter();
        let paths = lines.filter_map(|line| {
            let (of, path) = line.split_once('\t')?;
            (of == host).then(|| path.to_owned())
        });
        Ok(paths.collect())
    }

    /// Notes that a proxy stands before servers that a file names, or stands there no more.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn set_proxied_file(&self, host: &str, (path, is): (&str, bool)) -> Result<(), StoreError> {
        let line = [host, "\t", path].concat();
        let _alone = self.claim_alone(PLACES_LOCK)?;
        let mut lines = self.places()?;
        lines.retain(|known| *known != line);
        if is && !path.contains('\n') {
            lines.push(line);
        }
        self.root.replace(PLACES, lines.join("\n").as_bytes())
    }

    fn places(&self) -> Result<Vec<String>, StoreError> {
        let bytes = self.root.load(PLACES, BYTES_MAX)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(text.lines().map(str::to_owned).collect())
    }

    /// Removes the file of a proxy that has ended.
    ///
    /// # Errors
    /// If that cannot be done.
    pub fn forget_proxy_log(&self, session: &str, owner: Binding) -> Result<(), StoreError> {
        self.root.remove(&file(session, owner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_that_are_noted_at_once_are_all_noted() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("state");
        Store::open(&root).unwrap();
        std::thread::scope(|scope| {
            for number in 0..8 {
                let root = &root;
                scope.spawn(move || {
                    let store = Store::open(root).unwrap();
                    for round in 0..8 {
                        let path = format!("/{number}/{round}");
                        store.set_proxied_file("a", (&path, true)).unwrap();
                    }
                });
            }
        });
        let noted = Store::open(&root).unwrap().proxied_files("a").unwrap();
        assert_eq!(noted.len(), 64, "{noted:?}");
    }

    #[test]
    fn where_proxies_stand_is_known_host_by_host() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("state")).unwrap();
        assert!(store.proxied_files("a").unwrap().is_empty());
        for (host, path, is) in [
            ("a", "/p/x y", true),
            ("b", "/p/x y", true),
            ("a", "/q", true),
            ("a", "/q", true),
            ("a", "/p/x y", false),
            ("b", "/none", false),
        ] {
            store.set_proxied_file(host, (path, is)).unwrap();
        }
        assert_eq!(store.proxied_files("a").unwrap(), ["/q"]);
        assert_eq!(store.proxied_files("b").unwrap(), ["/p/x y"]);
    }

    #[test]
    fn every_proxy_has_a_file_of_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("state")).unwrap();
        let owner = |process| Binding {
            process,
            start: 9,
            nested: false,
        };
        assert!(store.proxy_logs("a/b").unwrap().is_empty());
        let mut one = store.proxy_log("a/b", owner(1)).unwrap();
        one.add("x").unwrap();
        one.add("y").unwrap();
        assert_eq!(one.bytes(), 4);
        store.proxy_log("a/b", owner(2)).unwrap().add("z").unwrap();
        let logs = store.proxy_logs("a/b").unwrap();
        let wanted = [
            (owner(1), "x\ny\n".to_owned()),
            (owner(2), "z\n".to_owned()),
        ];
        assert_eq!(logs, wanted);
        one.clear().unwrap();
        one.add("w").unwrap();
        store.forget_proxy_log("a/b", owner(2)).unwrap();
        assert_eq!(
            store.proxy_logs("a/b").unwrap(),
            [(owner(1), "w\n".to_owned())]
        );
        assert_eq!(store.proxied_sessions().unwrap().len(), 1);
    }
}
