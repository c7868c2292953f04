//! A browser without a screen, driven over its own protocol, with an authenticator of its own. Where
//! none is installed the tests say so and pass; in CI one is installed.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

/// Names under which it is installed.
const PROGRAMS: &[&str] = &["chromium", "chromium-browser", "google-chrome"];
/// Longest wait for something to be seen.
const SEEN_TIME_MAX: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(30);

/// A browser with one page.
pub struct Browser {
    child: Child,
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    page: String,
    count: u64,
    /// What the page complained of.
    complaints: Vec<String>,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Browser {
    /// Starts one with a directory of its own; nothing where none is installed.
    pub fn start(dir: &Path) -> Option<Self> {
        let is_there = |name: &&&str| {
            let said = Command::new(name).arg("--version").output();
            said.is_ok_and(|said| said.status.success())
        };
        let Some(program) = PROGRAMS.iter().find(is_there) else {
            println!("NOT CHECKED: no Chromium is installed (apt-get install chromium)");
            return None;
        };
        let profile = dir.join("profile");
        let mut child = Command::new(program)
            .args([
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
            ])
            .args(["--disable-dev-shm-usage", "--remote-debugging-port=0"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg("about:blank")
            .env("HOME", dir)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let address = lines.find_map(|line| {
            let line = line.unwrap_or_default();
            line.strip_prefix("DevTools listening on ")
                .map(str::to_owned)
        });
        // It goes on saying things that nobody needs.
        std::thread::spawn(move || lines.for_each(drop));
        let (socket, _) = tungstenite::connect(address.unwrap()).unwrap();
        let mut browser = Self {
            child,
            socket,
            page: String::new(),
            count: 0,
            complaints: Vec::new(),
        };
        let target = browser.ask("Target.createTarget", &json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let attached = browser.ask("Target.attachToTarget", &attach);
        browser.page = attached["sessionId"].as_str().unwrap().to_owned();
        for part in ["Page", "Log", "Runtime"] {
            browser.ask(&format!("{part}.enable"), &json!({}));
        }
        browser.ask(
            "Emulation.setFocusEmulationEnabled",
            &json!({"enabled": true}),
        );
        Some(browser)
    }

    /// A command of its protocol, and what it answers.
    pub fn ask(&mut self, method: &str, parameters: &Value) -> Value {
        self.count += 1;
        let mut text = json!({"id": self.count, "method": method, "params": parameters});
        if !self.page.is_empty() {
            text["sessionId"] = self.page.as_str().into();
        }
        self.socket.send(Message::text(text.to_string())).unwrap();
        loop {
            let Message::Text(said) = self.socket.read().unwrap() else {
                continue;
            };
            let mut said: Value = serde_json::from_str(&said).unwrap();
            if said["id"] == self.count {
                assert!(said.get("error").is_none(), "{method}: {said}");
                return said["result"].take();
            }
            if matches!(
                said["method"].as_str(),
                Some("Log.entryAdded" | "Runtime.exceptionThrown")
            ) {
                self.complaints.push(said["params"].to_string());
            }
        }
    }

    /// An authenticator that its owner touches at once; it knows them, or does not.
    pub fn plug_in(&mut self, is_verified: bool) {
        self.ask("WebAuthn.enable", &json!({}));
        let options = json!({
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": true,
            "hasUserVerification": true, "isUserVerified": is_verified,
            "automaticPresenceSimulation": true,
        });
        self.ask(
            "WebAuthn.addVirtualAuthenticator",
            &json!({"options": options}),
        );
    }

    pub fn go(&mut self, address: &str) {
        let said = self.ask("Page.navigate", &json!({"url": address}));
        assert!(said.get("errorText").is_none(), "{address}: {said}");
    }

    /// What a script of the page is.
    pub fn value(&mut self, script: &str) -> Value {
        let parameters = json!({"expression": script, "returnByValue": true, "awaitPromise": true});
        let said = self.ask("Runtime.evaluate", &parameters);
        said["result"]["value"].clone()
    }

    pub fn text(&mut self) -> String {
        let text = self.value("document.body ? document.body.innerText : ''");
        text.as_str().unwrap_or_default().to_owned()
    }

    /// Waits until the page shows this.
    pub fn sees(&mut self, part: &str) {
        let end = Instant::now() + SEEN_TIME_MAX;
        loop {
            let text = self.text();
            if text.contains(part) {
                return;
            }
            let said = &self.complaints;
            assert!(Instant::now() < end, "no {part:?} in {text}: {said:?}");
            std::thread::sleep(PAUSE);
        }
    }

    /// Presses a button by what stands on it, once it is there.
    pub fn press(&mut self, button: &str) {
        let script = format!(
            "(() => {{ const found = [...document.querySelectorAll('button')]\
             .find((one) => one.textContent === {button:?} && one.offsetParent);\
             if (found) found.click(); return Boolean(found); }})()"
        );
        let end = Instant::now() + SEEN_TIME_MAX;
        while self.value(&script) != true {
            assert!(Instant::now() < end, "no {button}: {}", self.text());
            std::thread::sleep(PAUSE);
        }
    }
}
