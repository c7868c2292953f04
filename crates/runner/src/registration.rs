//! How our own hook knows a judge of ours: a word that is used for one run and stands in its
//! environment, and our own process above it, which the kernel shows. Either alone is nothing.

use edge::{processes, provenance};
use model::Binding;
use store::Store;

/// A judge that is announced to our hook for as long as this lives.
#[derive(Debug)]
pub(crate) struct Registration<'a> {
    store: &'a Store,
    token: String,
    runner: Binding,
}

impl<'a> Registration<'a> {
    /// Announces a judge that this process is about to start.
    pub fn new(store: &'a Store) -> Result<Self, String> {
        let random = edge::random().ok_or("the system gives no chance")?;
        let token = text::hex::encode(&random);
        let runner =
            processes::look(std::process::id().into()).map_or_else(Binding::default, |process| {
                Binding {
                    process: process.number,
                    start: process.start,
                    nested: false,
                }
            });
        let mark = provenance::judge_mark(&token);
        store
            .remember_judge(&mark, runner)
            .map_err(|error| format!("it could not be announced to the hook: {error}"))?;
        Ok(Self {
            store,
            token,
            runner,
        })
    }

    /// The variable that holds the word.
    pub fn variable(&self) -> &'static str {
        provenance::JUDGE_VARIABLE
    }

    /// The word.
    pub fn token(&self) -> &str {
        &self.token
    }
}

impl Drop for Registration<'_> {
    fn drop(&mut self) {
        let mark = provenance::judge_mark(&self.token);
        // What stays behind names a process that has ended.
        let _ = self.store.forget_judge(&mark, self.runner);
    }
}
