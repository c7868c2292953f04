//! The host processes that sessions are bound to, of all sessions together:
//! `hosts/<number>-<start>` with an ending that says whether a worker started it. Knows no process
//! that runs.

use model::Binding;

use crate::sys::How;
use crate::{Store, StoreError};

const DIR: &str = "hosts";
/// How the name of a host ends, by whether it is nested.
const ENDINGS: &[(bool, &str)] = &[(false, ".host"), (true, ".nested")];

fn file(binding: Binding, ending: &str) -> String {
    format!("{DIR}/{}-{}{ending}", binding.process, binding.start)
}

fn parse(name: &str, nested: bool) -> Option<Binding> {
    let (process, start) = name.split_once('-')?;
    Some(Binding {
        process: process.parse().ok()?,
        start: start.parse().ok()?,
        nested,
    })
}

impl Store {
    /// All that are listed; one that is nested and not is there twice.
    ///
    /// # Errors
    /// If they cannot be listed.
    pub fn hosts(&self) -> Result<Vec<Binding>, StoreError> {
        let names = self.root.names(DIR, "")?;
        let of = |(nested, ending): &(bool, &str)| {
            let names = names.iter().filter_map(|name| name.strip_suffix(*ending));
            let hosts = names.filter_map(|name| parse(name, *nested));
            hosts.collect::<Vec<_>>()
        };
        Ok(ENDINGS.iter().flat_map(of).collect())
    }

    /// Puts a host on the list.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn remember_host(&self, binding: Binding) -> Result<(), StoreError> {
        let ending = ENDINGS.iter().find(|(nested, _)| *nested == binding.nested);
        let ending = ending.map_or("", |(_, ending)| ending);
        self.root
            .write(&file(binding, ending), How::Append)
            .map(drop)
    }

    /// Takes a host off the list.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn forget_host(&self, binding: Binding) -> Result<(), StoreError> {
        let mut endings = ENDINGS.iter();
        endings.try_for_each(|(_, ending)| self.root.remove(&file(binding, ending)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_come_and_go() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("state")).unwrap();
        assert_eq!(store.hosts().unwrap(), []);
        let host = |process, nested| Binding {
            process,
            start: 7,
            nested,
        };
        for binding in [host(3, false), host(4, true), host(4, true)] {
            store.remember_host(binding).unwrap();
        }
        assert_eq!(store.hosts().unwrap(), [host(3, false), host(4, true)]);
        store.forget_host(host(4, false)).unwrap();
        store.forget_host(host(5, false)).unwrap();
        assert_eq!(store.hosts().unwrap(), [host(3, false)]);
    }
}
