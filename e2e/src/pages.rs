//! A person who answers in a browser: the real Chromium, with an authenticator that they touch.

#[allow(
    dead_code,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "it is the browser of the tests of pages, where a test fails by a panic"
)]
#[path = "../../crates/cli/tests/serve/chromium.rs"]
mod chromium;

use std::io::{BufRead, BufReader};
use std::process::Child;

use anyhow::{Context, Result};
// The browser is spoken to through it.
use tungstenite as _;

use super::Gate;
use super::sandbox::Sandbox;
use chromium::Browser;

/// The desk's pages, open in a browser.
pub struct Pages {
    serve: Child,
    address: String,
    browser: Browser,
}

impl Drop for Pages {
    fn drop(&mut self) {
        let _ = self.serve.kill();
        let _ = self.serve.wait();
    }
}

impl Pages {
    /// Opens the pages and adds a passkey, as who has the passphrase may; nothing where no browser
    /// is installed.
    ///
    /// # Errors
    /// If there are no pages.
    pub fn open(sandbox: &Sandbox, gate: &Gate) -> Result<Option<Self>> {
        let dir = sandbox.root.join("browser");
        std::fs::create_dir_all(&dir)?;
        let Some(mut browser) = Browser::start(&dir) else {
            return Ok(None);
        };
        let mut serve = sandbox.start(gate, &["serve"])?;
        let mut line = String::new();
        BufReader::new(serve.stdout.take().context("no output")?).read_line(&mut line)?;
        let (_, rest) = line.split_once("http://localhost:").context(line.clone())?;
        let port: String = rest.chars().take_while(char::is_ascii_digit).collect();
        let link = |said: &str| {
            let mut words = said.split_whitespace();
            words
                .find(|word| word.contains("localhost"))
                .map(str::to_owned)
        };
        browser.plug_in(true);
        let open = sandbox.told(gate, &["open", "--print"])?;
        browser.go(&link(&open).context(open)?);
        browser.sees("History");
        let add = sandbox.told_by_owner(gate, &["key", "add-passkey", "laptop", "--print"])?;
        browser.go(&link(&add).context(add)?);
        browser.press("Add a passkey");
        browser.sees("The passkey laptop is known");
        Ok(Some(Self {
            serve,
            address: format!("http://localhost:{port}"),
            browser,
        }))
    }

    /// Says yes to the request of a session, with a touch.
    pub fn approve(&mut self, (session, id): (&str, &str)) {
        let address = &self.address;
        self.browser.go(&format!("{address}/a/{session}/{id}"));
        self.browser.press("Approve once with a passkey");
        self.browser.sees("may run once");
    }
}
