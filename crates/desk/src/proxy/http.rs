//! The proxy over HTTP: a server that is reached by its address. It listens on this machine alone,
//! and to nobody but who has its word.

mod listed;
mod message;
mod relay;

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use proxy::calls::Calls;

use message::{Request, Status};
use relay::Relay;

/// How long a client may take for the head of a request, or be silent between two.
const IDLE_TIME: Duration = Duration::from_secs(300);

/// Listens until it is ended.
///
/// # Errors
/// If the address is none of this machine's own, or taken.
pub fn run(upstream: &str, listen: SocketAddr, (calls, word): (Calls, String)) -> Result<u8> {
    ensure!(
        listen.ip().is_loopback(),
        "{listen} is reached from other machines; listen on 127.0.0.1 or [::1]"
    );
    ensure!(
        upstream.starts_with("http://") || upstream.starts_with("https://"),
        "{upstream} is no address; write https://…"
    );
    let listener = TcpListener::bind(listen);
    let listener = listener.with_context(|| format!("{listen} cannot be listened on"))?;
    let address = listener.local_addr()?;
    say!("http://{address}/{word}");
    let relay = Arc::new(Relay::new(upstream, (address, word), calls));
    for stream in listener.incoming().flatten() {
        let relay = Arc::clone(&relay);
        thread::spawn(move || serve(&relay, stream));
    }
    Ok(crate::say::OK)
}

/// Answers the requests of a connection, one after the other.
fn serve(relay: &Relay, mut stream: TcpStream) {
    let _ = stream.set_read_timeout(Some(IDLE_TIME));
    let _ = stream.set_nodelay(true);
    let mut held = Vec::new();
    loop {
        let request = match Request::read(&mut stream, &mut held) {
            Ok(Some(request)) => request,
            Ok(None) => return,
            Err(status) => {
                let _ = status.answer(&mut stream);
                return;
            }
        };
        let done = match relay.may(&request) {
            Ok(()) => relay.answer(&request, &mut stream),
            Err(status) => status.answer(&mut stream).map(|()| !status.ends()),
        };
        if !done.is_ok_and(|goes_on| goes_on && request.goes_on()) {
            return;
        }
    }
}

impl Relay {
    /// Whether a request is let in.
    fn may(&self, request: &Request) -> Result<(), Status> {
        let port = self.address.port();
        let names = ["127.0.0.1", "localhost", "[::1]"];
        let is_ours = |host: &str| names.iter().any(|name| host == format!("{name}:{port}"));
        // A page that had its own name led here knows no better.
        if !request.header("host").is_some_and(is_ours) {
            return Err(Status::MISDIRECTED);
        }
        let foreign = |origin: &str| {
            origin
                .split_once("://")
                .is_none_or(|(_, host)| !is_ours(host))
        };
        let site = request.header("sec-fetch-site");
        let is_foreign = site.is_some_and(|site| !matches!(site, "same-origin" | "none"));
        if request.header("origin").is_some_and(foreign) || is_foreign {
            return Err(Status::FORBIDDEN);
        }
        let mut parts = request
            .path
            .split(['/', '?'])
            .filter(|part| !part.is_empty());
        match parts.next().is_some_and(|word| same(word, &self.word)) {
            true => Ok(()),
            false => Err(Status::NOT_FOUND),
        }
    }
}

/// Whether two words are the same; how long that takes tells nothing of where they differ.
fn same(one: &str, other: &str) -> bool {
    let pairs = one.bytes().zip(other.bytes());
    one.len() == other.len() && pairs.fold(0, |sum, (one, other)| sum | (one ^ other)) == 0
}
