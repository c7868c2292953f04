//! What each channel is told, in its own form, and how it is sent there.

use anyhow::{Context, Result, bail};
use edge::surroundings;
use lettre::address::Address;
use lettre::message::Mailbox;
use lettre::message::header::ContentType;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Tls, TlsParameters};
use lettre::{Message, SmtpTransport, Transport};
use serde_json::{Value, json};
use store::Store;
use text::hex;
use work::digest::sha256;

use super::channels::{Channel, Way};
use super::desktop;
use super::post::{self, Request, Sent};
use super::waiting::{Need, Waiting};
use crate::asked::Asked;

/// Most requests, and most runs, that a message names.
const NAMED_MAX: usize = 5;

/// What is told.
#[derive(Debug)]
pub struct News {
    /// What kind of news.
    kind: Kind,
    /// What this machine is called.
    machine: String,
    /// How many requests wait, and how many runs.
    count: (usize, usize),
    /// Each that waits: its id, the call, why; never its code.
    calls: Vec<String>,
    /// Requests, for programs.
    records: Vec<Value>,
    /// Runs, for programs.
    runs: Vec<Value>,
    /// Where the desk is; empty if none runs.
    place: String,
    /// The agent's process that asked first; 0 if none is known.
    process: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Waiting,
    Answered,
    Trial,
}

impl News {
    fn new(store: &Store, kind: Kind, waiting: &Waiting) -> Self {
        let call = |asked: &Asked| {
            let one = &asked.approval;
            format!("{}: {} ({}) [{}]", one.id, one.what, one.why, one.tag)
        };
        let run = |need: &Need| format!("run {} is {} [{}]", need.id, need.stands, need.task);
        let asked = waiting.asked.iter().take(NAMED_MAX);
        let runs = waiting.runs.iter().take(NAMED_MAX);
        Self {
            kind,
            machine: machine(),
            count: (waiting.asked.len(), waiting.runs.len()),
            calls: asked
                .clone()
                .map(call)
                .chain(runs.clone().map(run))
                .collect(),
            records: asked.map(Asked::in_json).collect(),
            runs: runs.map(|need| need.record.clone()).collect(),
            place: place(store),
            process: waiting
                .asked
                .first()
                .map_or(0, |asked| asked.approval.process),
        }
    }

    /// That these wait.
    pub fn waiting(store: &Store, waiting: &Waiting) -> Self {
        Self::new(store, Kind::Waiting, waiting)
    }

    /// That what was told of was answered, or ended; these still wait.
    pub fn answered(store: &Store, waiting: &Waiting) -> Self {
        Self::new(store, Kind::Answered, waiting)
    }

    /// A message that tries a channel.
    pub fn trial(store: &Store) -> Self {
        let nothing = Waiting {
            asked: Vec::new(),
            runs: Vec::new(),
        };
        Self::new(store, Kind::Trial, &nothing)
    }

    /// One line, of which nothing tells what is asked.
    fn headline(&self) -> String {
        let machine = &self.machine;
        if self.kind == Kind::Trial {
            return format!("Tollgate on {machine} reaches you here");
        }
        let asked = match self.count.0 {
            0 => String::new(),
            1 => "1 approval waiting".to_owned(),
            count => format!("{count} approvals waiting"),
        };
        let runs = match self.count.1 {
            0 => String::new(),
            1 => "1 run needs you".to_owned(),
            count => format!("{count} runs need you"),
        };
        let what = match (asked.as_str(), runs.as_str()) {
            ("", "") => "nothing waits for you",
            (asked, "") => asked,
            ("", runs) => runs,
            (asked, runs) => &format!("{asked} and {runs}"),
        };
        format!("{what} on {machine}")
    }

    /// Where it is looked at without a desk.
    fn look(&self) -> &'static str {
        match self.count {
            (_, 0) => "Look: tollgate approvals",
            (0, _) => "Look: tollgate run list",
            _ => "Look: tollgate approvals, and tollgate run list",
        }
    }

    /// All of it, for this machine's own screen.
    pub fn whole(&self) -> String {
        let mut lines = vec![self.headline()];
        lines.extend(self.calls.iter().cloned());
        lines.join("\n")
    }

    fn link<'a>(&'a self, channel: &'a Channel) -> &'a str {
        if channel.link.is_empty() {
            &self.place
        } else {
            &channel.link
        }
    }

    /// All that a channel is told, as text.
    pub fn text(&self, channel: &Channel) -> String {
        let mut lines = vec![self.headline()];
        if channel.full {
            lines.extend(self.calls.iter().cloned());
        }
        lines.push(match self.link(channel) {
            "" => self.look().to_owned(),
            link => link.to_owned(),
        });
        lines.join("\n")
    }

    /// Sends it.
    pub fn send(&self, channel: &Channel) -> Result<()> {
        match &channel.way {
            Way::Desktop => {
                let is_shown = desktop::show(self.process, &self.text(channel));
                is_shown.then_some(()).context("no desktop is at hand")
            }
            Way::Webhook { url, secret } => {
                let request = Request::json(url, self.record(channel).to_string());
                let seconds = surroundings::now().0 / 1_000;
                request.sign(secret, seconds)?.send(post::TRIES)
            }
            Way::Ntfy { url } => self.to_ntfy(channel, url).send(post::TRIES),
            Way::Slack { url } => {
                // In plain text Slack finds nothing of its own.
                let text = json!({"type": "plain_text", "text": self.text(channel)});
                let blocks = json!([{"type": "section", "text": text}]);
                let body = json!({"text": self.headline(), "blocks": blocks});
                Request::json(url, body.to_string()).send(post::TRIES)
            }
            Way::Mail { .. } => post::repeated(post::TRIES, || self.mail(channel)),
        }
    }

    fn record(&self, channel: &Channel) -> Value {
        let event = match self.kind {
            Kind::Waiting => "waiting",
            Kind::Answered => "answered",
            Kind::Trial => "test",
        };
        let mut record = json!({
            "event": event, "machine": self.machine,
            "waiting": self.count.0, "runs": self.count.1,
            "text": self.headline(), "link": self.link(channel),
        });
        if let (true, Some(fields)) = (channel.full, record.as_object_mut()) {
            fields.insert("requests".to_owned(), self.records.clone().into());
            fields.insert("needing".to_owned(), self.runs.clone().into());
        }
        record
    }

    /// What ntfy shows. It can open the desk and do nothing else: it sees all that it carries.
    fn to_ntfy(&self, channel: &Channel, url: &str) -> Request {
        let link = self.link(channel);
        let priority = if self.kind == Kind::Answered {
            "min"
        } else {
            "high"
        };
        let mut headers = vec![
            ("X-Title", "Tollgate".to_owned()),
            ("X-Priority", priority.to_owned()),
            // Later news take the place of these.
            ("X-Sequence-ID", sequence(&self.machine)),
        ];
        if !link.is_empty() {
            headers.push(("X-Click", link.to_owned()));
            headers.push(("X-Actions", format!("view, Open, {link}")));
        }
        Request {
            address: url.to_owned(),
            kind: "text/plain; charset=utf-8",
            headers,
            body: self.text(channel),
        }
    }

    fn mail(&self, channel: &Channel) -> Result<Sent> {
        let Way::Mail {
            server,
            from,
            to,
            user,
            password,
        } = &channel.way
        else {
            bail!("this is no mail");
        };
        let message = Message::builder()
            .from(Mailbox::new(Some("Tollgate".to_owned()), address(from)?))
            .to(Mailbox::new(None, address(to)?))
            .subject(self.headline())
            .header(ContentType::TEXT_PLAIN)
            .body(self.text(channel))?;
        let mut transport = mail_server(server)?;
        if !user.is_empty() {
            transport = transport.credentials(Credentials::new(user.clone(), password.clone()));
        }
        Ok(match transport.build().send(&message) {
            Ok(_) => Sent::Yes,
            Err(error) if error.is_permanent() => bail!("it was refused: {error}"),
            Err(error) => Sent::NotYet(error.to_string()),
        })
    }
}

/// Whether a channel is told: that something was answered only where it takes the place of what
/// stands there, or is for programs.
pub fn is_wanted(channel: &Channel, news: &News) -> bool {
    news.kind != Kind::Answered || replaces(channel)
}

/// Whether what a channel was told can take the place of what it was told before.
pub fn replaces(channel: &Channel) -> bool {
    matches!(channel.way, Way::Webhook { .. } | Way::Ntfy { .. })
}

/// What this machine is called.
fn machine() -> String {
    let files = ["/proc/sys/kernel/hostname", "/etc/hostname"];
    let mut known = files
        .iter()
        .filter_map(|file| std::fs::read_to_string(file).ok());
    let name = known.next().unwrap_or_default();
    match name.trim() {
        "" => "this machine".to_owned(),
        name => name.to_owned(),
    }
}

/// Where the desk can be reached from here.
#[cfg(unix)]
fn place(store: &Store) -> String {
    let place = crate::serve::Place::of(store);
    place.map_or(String::new(), |place| {
        format!("http://localhost:{}/", place.port)
    })
}

#[cfg(not(unix))]
fn place(_: &Store) -> String {
    String::new()
}

/// A name for all messages of this machine, which tells nobody what it is called.
fn sequence(machine: &str) -> String {
    let sum = sha256(machine.as_bytes());
    format!("tollgate-{}", hex::encode(sum.get(..8).unwrap_or_default()))
}

/// An address of mail.
///
/// # Errors
/// If it is none.
pub fn address(text: &str) -> Result<Address> {
    text.parse()
        .with_context(|| format!("{text:?} is no address of mail"))
}

/// The way to a server of mail; what is sent there is closed to others, but on this machine.
///
/// # Errors
/// If it is none.
pub fn mail_server(server: &str) -> Result<lettre::transport::smtp::SmtpTransportBuilder> {
    let parts = server.split_once("://");
    let usage = "the server is missing or no server of mail: --server smtps://mail.example.org";
    let (scheme, place) = parts.context(usage)?;
    let (host, port) = match place.trim_end_matches('/').rsplit_once(':') {
        Some((host, port)) => (host, Some(port.parse::<u16>().context(usage)?)),
        None => (place.trim_end_matches('/'), None),
    };
    let is_here = matches!(host, "localhost" | "127.0.0.1" | "[::1]");
    let builder = match scheme {
        "smtp" if is_here => SmtpTransport::builder_dangerous(host),
        "smtp" => SmtpTransport::starttls_relay(host)?,
        "smtps" => {
            let tls = TlsParameters::new(host.to_owned())?;
            SmtpTransport::builder_dangerous(host)
                .port(465)
                .tls(Tls::Wrapper(tls))
        }
        _ => bail!(usage),
    };
    Ok(match port {
        Some(port) => builder.port(port),
        None => builder,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn news(kind: Kind, count: (usize, usize)) -> News {
        News {
            kind,
            machine: "build-3".to_owned(),
            count,
            calls: vec!["A7F3: git push --force (drops 2 commits) [policy/x]".to_owned()],
            records: Vec::new(),
            runs: Vec::new(),
            place: "http://localhost:41873/".to_owned(),
            process: 0,
        }
    }

    fn channel(full: bool, link: &str) -> Channel {
        Channel {
            name: "x".to_owned(),
            way: Way::Desktop,
            full,
            link: link.to_owned(),
        }
    }

    #[test]
    fn what_leaves_the_machine_says_how_many_and_where_to_look() {
        let said = news(Kind::Waiting, (1, 0)).text(&channel(false, ""));
        assert_eq!(
            said,
            "1 approval waiting on build-3\nhttp://localhost:41873/"
        );
        let more = news(Kind::Waiting, (4, 0)).text(&channel(false, "https://desk.example/"));
        assert_eq!(
            more,
            "4 approvals waiting on build-3\nhttps://desk.example/"
        );
        let full = news(Kind::Waiting, (1, 0)).text(&channel(true, ""));
        assert!(full.contains("git push --force"), "{full}");
        for (count, line) in [
            ((0, 0), "nothing waits for you on build-3"),
            ((0, 1), "1 run needs you on build-3"),
            ((0, 2), "2 runs need you on build-3"),
            ((1, 2), "1 approval waiting and 2 runs need you on build-3"),
        ] {
            assert_eq!(news(Kind::Answered, count).headline(), line);
        }
        assert_eq!(
            news(Kind::Trial, (0, 0)).headline(),
            "Tollgate on build-3 reaches you here"
        );
    }

    #[test]
    fn servers_of_mail_are_private_or_here() {
        for good in [
            "smtp://localhost:2525",
            "smtps://mail.example.org",
            "smtp://mail.example.org:587",
        ] {
            assert!(mail_server(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "mail.example.org",
            "http://mail.example.org",
            "smtp://x:y",
        ] {
            assert!(mail_server(bad).is_err(), "{bad}");
        }
        assert!(address("a@b.example").is_ok() && address("a").is_err());
    }
}
