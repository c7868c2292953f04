//! Fakes of everything that takes messages.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::desk::Desk;

/// Longest wait for a message: twenty seconds are its due.
pub const TOLD_TIME_MAX: Duration = Duration::from_secs(60);
pub const PAUSE: Duration = Duration::from_millis(50);

/// Takes messages, as text; what it answers is said by whoever starts it.
pub struct Fake {
    pub port: u16,
    taken: Arc<Mutex<Vec<String>>>,
}

impl Fake {
    pub fn start(take: impl Fn(TcpStream, usize) -> String + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let taken = Arc::new(Mutex::new(Vec::new()));
        let list = Arc::clone(&taken);
        std::thread::spawn(move || {
            for (number, stream) in listener.incoming().flatten().enumerate() {
                let text = take(stream, number);
                list.lock().unwrap().push(text);
            }
        });
        Self { port, taken }
    }

    /// One of the web, which answers with these statuses, the last for ever.
    pub fn web(statuses: &'static [&'static str]) -> Self {
        Self::start(move |stream, number| {
            let status = statuses.get(number).or(statuses.last()).unwrap();
            request(stream, status)
        })
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub fn taken(&self) -> Vec<String> {
        self.taken.lock().unwrap().clone()
    }

    /// The first message with these words.
    pub fn waits_for(&self, words: &str) -> String {
        let end = Instant::now() + TOLD_TIME_MAX;
        loop {
            let taken = self.taken();
            if let Some(found) = taken.iter().find(|text| text.contains(words)) {
                return found.clone();
            }
            assert!(Instant::now() < end, "no {words:?} in {taken:?}");
            std::thread::sleep(PAUSE);
        }
    }
}

/// A request with its whole body, answered with a status.
fn request(mut stream: TcpStream, status: &str) -> String {
    let mut bytes = Vec::new();
    let mut part = [0; 4_096];
    let text = loop {
        let count = stream.read(&mut part).unwrap_or(0);
        bytes.extend_from_slice(&part[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let length = text.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            let is_it = name.eq_ignore_ascii_case("content-length");
            is_it.then(|| value.trim().parse::<usize>().unwrap())
        });
        let body = text.split_once("\r\n\r\n").map(|(_, body)| body.len());
        if count == 0 || body.is_some() && body >= length {
            break text;
        }
    };
    let head = "content-length: 0\r\nconnection: close\r\n\r\n";
    let _ = write!(stream, "HTTP/1.1 {status}\r\n{head}");
    text
}

/// A server of mail for one message.
pub fn mail(stream: TcpStream, _: usize) -> String {
    let mut out = stream.try_clone().unwrap();
    let mut said = String::new();
    let mut is_body = false;
    out.write_all(b"220 fake\r\n").unwrap();
    for line in BufReader::new(stream).lines() {
        let line = line.unwrap_or_default();
        said.push_str(&line);
        said.push('\n');
        let answer = match (is_body, line.split(' ').next().unwrap_or_default()) {
            (true, ".") => {
                is_body = false;
                "250 taken"
            }
            (true, _) => continue,
            (false, "DATA") => {
                is_body = true;
                "354 go on"
            }
            (false, "QUIT") => {
                let _ = out.write_all(b"221 bye\r\n");
                break;
            }
            (false, _) => "250 fake",
        };
        out.write_all(format!("{answer}\r\n").as_bytes()).unwrap();
    }
    said
}

pub fn add(desk: &Desk, line: &str) -> String {
    let test = desk.machine.tollgate(&format!("notify add {line}"));
    test.shows(&["Try it: tollgate notify test"]).run()
}
