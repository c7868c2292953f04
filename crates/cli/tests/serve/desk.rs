//! A machine with a desk that runs, and a client that says exactly what a test wants it to say.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Child;
use std::sync::Arc;
use std::time::Duration;

use model::Binding;
use serde_json::Value;
use store::Store;

use crate::common::{Machine, SESSION};

pub const RESET: &str = "git reset --hard";
pub const PASSPHRASE: &str = "correct horse battery";

/// Longest wait for an answer.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(30);

/// A machine with a gate, work that is nowhere else, and a desk.
pub struct Desk {
    pub machine: Arc<Machine>,
    pub port: u16,
    child: Child,
}

impl Drop for Desk {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Desk {
    pub fn new() -> Self {
        Self::with("", "")
    }

    /// One whose user has a passphrase.
    pub fn with_passphrase() -> Self {
        Self::with(PASSPHRASE, "")
    }

    /// One whose rules want more for a command (`grant`).
    pub fn with(passphrase: &str, grant: &str) -> Self {
        let machine = Machine::named("serve");
        let beside = Path::new(env!("CARGO_BIN_EXE_tollgate")).with_file_name("tollgate-desk");
        assert!(beside.is_file(), "first: cargo build -p tollgate-desk");
        if fs::hard_link(&beside, machine.at("bin/tollgate-desk")).is_err() {
            fs::copy(&beside, machine.at("bin/tollgate-desk")).unwrap();
        }
        machine.init();
        machine.make_dirty();
        if !passphrase.is_empty() {
            let create = machine.tollgate("key create").stdin(passphrase);
            create.shows(&["made:"]).run();
        }
        if !grant.is_empty() {
            rule(&machine, grant);
        }
        let (child, port) = start(&machine);
        Self {
            machine: Arc::new(machine),
            port,
            child,
        }
    }

    /// Ends the desk at once.
    pub fn stop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// The same, and starts another.
    pub fn kill(&mut self) {
        self.stop();
        (self.child, self.port) = start(&self.machine);
    }

    /// Somebody who has opened the pages.
    pub fn enter(&self) -> Client {
        let client = self.client();
        let said = client.post("/open", &[("key", &self.key())]);
        assert_eq!(said.status, 303, "{said:?}");
        let cookie = said.header("set-cookie").unwrap().to_owned();
        let cookie = cookie.split(';').next().unwrap().to_owned();
        Client { cookie, ..client }
    }

    /// Somebody who has not.
    pub fn client(&self) -> Client {
        Client {
            port: self.port,
            cookie: String::new(),
        }
    }

    /// A key that opens the pages once.
    pub fn key(&self) -> String {
        let open = self.machine.tollgate("open --print");
        let said = open.shows(&["http://localhost:", "/#t=", "once"]).run();
        let key = said.split_once("#t=").unwrap().1;
        key.split_whitespace().next().unwrap().to_owned()
    }

    /// Asks the hook where the host would not ask; what it answers.
    pub fn call(&self, command: &str) -> Said {
        let mut payload = self.machine.payload(command);
        payload["permission_mode"] = "bypassPermissions".into();
        let out = self.machine.hook("PreToolUse", &payload);
        Said {
            status: out.status.code().unwrap(),
            told: String::from_utf8_lossy(&out.stderr).into_owned(),
        }
    }

    pub fn is_let_through(&self, command: &str) -> bool {
        self.call(command).status == 0
    }

    /// The id of a call that is held now.
    pub fn held(&self, command: &str) -> String {
        let said = self.call(command);
        assert_eq!(said.status, 2, "{said:?}");
        let id = said.told.split("request ").nth(1);
        let id = id.unwrap_or_else(|| panic!("no id in {said:?}"));
        id.chars().take(4).collect()
    }

    /// How approvals stand, by the command line.
    pub fn approval(&self, id: &str) -> Value {
        let all = self.machine.tollgate("approvals").json();
        let found = all.into_iter().find(|one| one["id"] == id);
        found.unwrap_or_else(|| panic!("no {id}"))
    }

    pub fn address(&self, id: &str) -> String {
        format!("/a/{SESSION}/{id}")
    }

    /// From now on this process, whose connections and browsers they are, is an agent's host; where
    /// that is remembered, and as what.
    pub fn opened_by_a_host(&self) -> (Store, Binding) {
        let own = edge::processes::look(std::process::id().into()).unwrap();
        let host = Binding {
            process: own.number,
            start: own.start,
            nested: false,
        };
        let store = Store::open(&self.machine.at("state")).unwrap();
        store.remember_host(host).unwrap();
        (store, host)
    }
}

/// Has every `rm` need a channel.
pub fn rule(machine: &Machine, grant: &str) {
    let pack = format!(
        "id = \"mine\"\nsummary = \"x\"\n[[rule]]\nid = \"all\"\nlevel = \"ask\"\n\
         grant = \"{grant}\"\nreason = \"{{command}} is grave\"\n[rule.when]\nprogram = [\"rm\"]\n"
    );
    machine.write("home/.config/tollgate/packs/mine.toml", pack);
    machine.tollgate("compile").shows(&[""]).run();
    machine.write("home/app/notes.txt", "nowhere else\n");
}

fn start(machine: &Machine) -> (Child, u16) {
    let mut child = machine.tollgate("serve").start();
    let mut lines = BufReader::new(child.stdout.as_mut().unwrap());
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    let port = line.split_once("http://localhost:");
    let port = port.unwrap_or_else(|| panic!("no port in {line:?}")).1;
    let port = port.split('.').next().unwrap().parse().unwrap();
    (child, port)
}

/// What the hook answered.
#[derive(Debug)]
pub struct Said {
    pub status: i32,
    pub told: String,
}

/// What the desk answered.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (known, value) = line.split_once(':')?;
            known.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    /// The value of a field of the form that is sent to an address.
    pub fn field(&self, action: &str, name: &str) -> String {
        let form = self.body.split_once(&format!("action=\"{action}\""));
        let form = form
            .unwrap_or_else(|| panic!("no form {action} in {}", self.body))
            .1;
        let input = form
            .split_once(&format!("name=\"{name}\" value=\""))
            .unwrap()
            .1;
        input.split('"').next().unwrap().to_owned()
    }
}

/// A browser, as far as the desk can tell.
#[derive(Debug, Clone)]
pub struct Client {
    pub port: u16,
    pub cookie: String,
}

impl Client {
    pub fn host(&self) -> String {
        format!("localhost:{}", self.port)
    }

    pub fn get(&self, path: &str) -> Answer {
        let (host, cookie) = (self.host(), self.cookie.clone());
        self.say(("GET", path), &[("host", &host), ("cookie", &cookie)], "")
    }

    /// A form, as a page of the desk sends it.
    pub fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let host = self.host();
        let origin = format!("http://{host}");
        let headers = [
            ("host", host.as_str()),
            ("origin", &origin),
            ("cookie", &self.cookie),
            ("sec-fetch-site", "same-origin"),
        ];
        self.say(("POST", path), &headers, &form(fields))
    }

    /// Exactly this.
    pub fn say(&self, line: (&str, &str), headers: &[(&str, &str)], body: &str) -> Answer {
        self.try_say(line, headers, body).unwrap()
    }

    /// The same to a desk that may end meanwhile.
    pub fn try_say(
        &self,
        (method, path): (&str, &str),
        headers: &[(&str, &str)],
        body: &str,
    ) -> Option<Answer> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        stream.set_read_timeout(Some(ANSWER_TIME_MAX)).ok()?;
        let mut text = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        for (name, value) in headers.iter().filter(|(_, value)| !value.is_empty()) {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if method != "GET" {
            let kind = "application/x-www-form-urlencoded";
            let length = body.len();
            text.push_str(&format!(
                "content-type: {kind}\r\ncontent-length: {length}\r\n"
            ));
        }
        text.push_str("\r\n");
        text.push_str(body);
        stream.write_all(text.as_bytes()).ok()?;
        let mut said = Vec::new();
        stream.read_to_end(&mut said).ok()?;
        let said = String::from_utf8_lossy(&said);
        let (head, body) = said.split_once("\r\n\r\n").unwrap_or((&said, ""));
        Some(Answer {
            status: head.split(' ').nth(1)?.parse().ok()?,
            head: head.to_owned(),
            body: body.to_owned(),
        })
    }

    /// Says no, as the page of an approval does.
    pub fn refuse(&self, address: &str, words: &str) -> Answer {
        let action = format!("{address}/refuse");
        let token = self.get(address).field(&action, "token");
        self.post(&action, &[("token", &token), ("words", words)])
    }

    /// Says yes with a passphrase, as the page of an approval does.
    pub fn approve(&self, address: &str, passphrase: &str) -> Answer {
        let action = format!("{address}/approve");
        let page = self.get(address);
        let (token, shown) = (page.field(&action, "token"), page.field(&action, "shown"));
        self.approve_with(&action, &[&token, &shown, passphrase])
    }

    pub fn approve_with(&self, action: &str, [token, shown, passphrase]: &[&str; 3]) -> Answer {
        let fields = [
            ("token", *token),
            ("shown", *shown),
            ("passphrase", *passphrase),
        ];
        self.post(action, &fields)
    }
}

/// Fields as a form sends them.
pub fn form(fields: &[(&str, &str)]) -> String {
    let escape = |text: &str| {
        let bytes = text.bytes().map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        });
        bytes.collect::<String>()
    };
    let fields = fields
        .iter()
        .map(|(name, value)| format!("{name}={}", escape(value)));
    fields.collect::<Vec<_>>().join("&")
}
