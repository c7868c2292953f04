//! The files of runs, `runs/<id>/…`, and what was promoted where, `promoted/<place>.list`. Knows no
//! event and no file's form.

use std::fs::File;
use std::io::{Read, Write};
use std::time::{Duration, Instant};

use model::{Binding, fnv64};

use crate::journal;
use crate::sys::How;
use crate::{Store, StoreError};

const DIR: &str = "runs";
/// How the session is called that the journal keeps what happened to a run under.
const JOURNAL: &str = "run-";
/// The events of a run, one a line.
const EVENTS: &str = "events.jsonl";
/// The process that drives a run, as long as it is under way.
const DRIVER: &str = "driver";
/// Longest file of a run that is read.
const BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Longest wait for another process that writes an event.
const WAIT_MAX: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(2);

/// The name of a run's file; none for what is no id or no plain name.
fn file(run: &str, name: &str) -> Option<String> {
    let is_plain = |text: &str| {
        let mut letters = text.bytes();
        !text.is_empty()
            && !text.starts_with('.')
            && letters.all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    (is_plain(run) && is_plain(name)).then(|| format!("{DIR}/{run}/{name}"))
}

/// What happened to a run, as the journal is told of it.
#[derive(Debug, Clone, Copy)]
pub struct RunNote<'a> {
    /// The run's id.
    pub run: &'a str,
    /// When, in milliseconds since 1970.
    pub time: u64,
    /// Who caused it: `human`, `runner`.
    pub by: &'a str,
    /// How the run stands since.
    pub state: &'a str,
    /// Where its project is.
    pub dir: &'a str,
    /// What happened.
    pub words: &'a str,
}

impl Store {
    fn file_of_run(&self, run: &str, name: &str) -> Result<String, StoreError> {
        file(run, name).ok_or_else(|| StoreError::NotPlain {
            path: self.path().join(DIR).join(run).join(name),
            what: "no run's file",
        })
    }

    /// The ids of all runs, sorted.
    ///
    /// # Errors
    /// If they cannot be listed.
    pub fn runs(&self) -> Result<Vec<String>, StoreError> {
        self.root.names(DIR, "")
    }

    /// The events of a run as text, whole lines only; empty if there is no such run.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn events_of_run(&self, run: &str) -> Result<String, StoreError> {
        let bytes = self.load_of_run(run, EVENTS)?.unwrap_or_default();
        let end = bytes.iter().rposition(|byte| *byte == b'\n');
        let whole = bytes.get(..end.map_or(0, |end| end + 1));
        Ok(String::from_utf8_lossy(whole.unwrap_or_default()).into_owned())
    }

    /// Adds an event that `make` makes of all that happened so far, while nobody else does; nothing
    /// is added if it makes none. Whether one was added.
    ///
    /// # Errors
    /// If it cannot be written, or another process holds the file for too long.
    pub fn add_event_of_run(
        &self,
        run: &str,
        make: impl FnOnce(&str) -> Option<String>,
    ) -> Result<bool, StoreError> {
        let (mut file, name) = self.hold(run)?;
        let mut text = String::new();
        let read = (&file).take(BYTES_MAX).read_to_string(&mut text);
        read.map_err(self.root.failed("read", &name))?;
        // What a process left half that was ended is no event.
        let end = text.rfind('\n').map_or(0, |end| end + 1);
        let Some(line) = make(text.get(..end).unwrap_or_default()) else {
            return Ok(false);
        };
        let broken = if end < text.len() { "\n" } else { "" };
        let line = [broken, &line, "\n"].concat();
        let written = file.write_all(line.as_bytes());
        let written = written.and_then(|()| file.sync_data());
        written.map_err(self.root.failed("write", &name))?;
        Ok(true)
    }

    /// The file with the events of a run, which nobody else holds, and its name.
    fn hold(&self, run: &str) -> Result<(File, String), StoreError> {
        let name = self.file_of_run(run, EVENTS)?;
        let file = self.root.write(&name, How::Append)?;
        let begun = Instant::now();
        while file.try_lock().is_err() {
            if begun.elapsed() > WAIT_MAX {
                let path = self.root.at(&name);
                return Err(StoreError::Busy { path });
            }
            std::thread::sleep(PAUSE);
        }
        Ok((file, name))
    }

    /// Adds a line to the journal about what happened to a run, in a session of the run's own that
    /// has no record.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn note_run(&self, note: &RunNote<'_>) -> Result<(), StoreError> {
        let session = [JOURNAL, note.run].concat();
        let _held = self.hold(note.run)?;
        let sequence = journal::next_sequence(&self.root, &session, 0);
        let line = journal::render_run(note, &session, sequence);
        journal::append(&self.root, &session, sequence, &line).map(drop)
    }

    /// A file of a run; nothing if there is none.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn load_of_run(&self, run: &str, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.root.load(&self.file_of_run(run, name)?, BYTES_MAX)
    }

    /// Writes a file of a run.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn keep_of_run(&self, run: &str, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.root.replace(&self.file_of_run(run, name)?, bytes)
    }

    /// The process that said last that it drives a run, and has not said that it is done.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn driver_of_run(&self, run: &str) -> Result<Option<Binding>, StoreError> {
        let bytes = self.load_of_run(run, DRIVER)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let read = || {
            let (process, start) = text.split_once(' ')?;
            Some(Binding {
                process: process.parse().ok()?,
                start: start.parse().ok()?,
                nested: false,
            })
        };
        Ok(read())
    }

    /// Notes who drives a run, or that nobody has to.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn set_driver_of_run(&self, run: &str, driver: Option<Binding>) -> Result<(), StoreError> {
        match driver {
            Some(driver) => {
                let text = format!("{} {}", driver.process, driver.start);
                self.keep_of_run(run, DRIVER, text.as_bytes())
            }
            None => self.root.remove(&self.file_of_run(run, DRIVER)?),
        }
    }

    /// What was promoted to a place the last time, as it was written; nothing if nothing was.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn promoted(&self, place: &str) -> Result<Option<String>, StoreError> {
        let bytes = self.root.load(&list_of(place), BYTES_MAX)?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Notes what was promoted to a place.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn set_promoted(&self, place: &str, list: &str) -> Result<(), StoreError> {
        self.root.replace(&list_of(place), list.as_bytes())
    }
}

fn list_of(place: &str) -> String {
    format!("promoted/{:016x}.list", fnv64(place.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_added_one_by_one_and_half_ones_are_none() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("state")).unwrap();
        assert_eq!(store.events_of_run("7K2").unwrap(), "");
        let add = |line: &str| {
            let line = line.to_owned();
            store.add_event_of_run("7K2", |_| Some(line)).unwrap()
        };
        assert!(add("one"));
        let path = dir.path().join("state/runs/7K2/events.jsonl");
        std::fs::write(&path, "one\ntw").unwrap();
        assert_eq!(store.events_of_run("7K2").unwrap(), "one\n");
        let mut seen = String::new();
        let added = store.add_event_of_run("7K2", |before| {
            before.clone_into(&mut seen);
            None
        });
        assert!(!added.unwrap() && seen == "one\n");
        assert!(add("three"));
        assert_eq!(store.events_of_run("7K2").unwrap(), "one\ntw\nthree\n");
        assert_eq!(store.runs().unwrap(), ["7K2"]);
        for (run, name) in [
            ("", "a"),
            ("..", "a"),
            ("a/b", "c"),
            ("a", "../b"),
            ("a", ""),
        ] {
            assert!(store.keep_of_run(run, name, b"").is_err(), "{run} {name}");
        }
    }
}
