//! Names that were said, and whether what they name comes soon.

use std::collections::VecDeque;

/// Calls within which it should come.
const CALLS_MAX: u64 = 10;

/// The names of one session that are awaited, the oldest first, each with a mark.
#[derive(Debug, Clone, Default)]
pub struct Awaited<T> {
    calls: u64,
    names: VecDeque<Name<T>>,
}

#[derive(Debug, Clone)]
struct Name<T> {
    name: String,
    /// The call after which it is too late.
    until: u64,
    mark: T,
}

impl<T: Default> Awaited<T> {
    /// A name was said.
    pub fn say(&mut self, name: &str, mark: T) {
        self.names.push_back(Name {
            name: name.to_lowercase(),
            until: self.calls + CALLS_MAX,
            mark,
        });
    }

    /// A call was made: the marks of what did not come in time.
    pub fn call(&mut self) -> Vec<T> {
        self.calls += 1;
        let mut late = Vec::new();
        while let Some(name) = self.names.pop_front_if(|name| name.until < self.calls) {
            late.push(name.mark);
        }
        late
    }

    /// It came: the marks with which it was said.
    pub fn come(&mut self, name: &str) -> Vec<T> {
        let name = name.to_lowercase();
        let (come, rest): (Vec<Name<T>>, Vec<Name<T>>) =
            self.names.drain(..).partition(|known| known.name == name);
        self.names = rest.into();
        come.into_iter().map(|name| name.mark).collect()
    }

    /// The session is at its end: the marks of what never came. The next one begins.
    pub fn end(&mut self) -> Vec<T> {
        let names = std::mem::take(self).names;
        names.into_iter().map(|name| name.mark).collect()
    }
}
