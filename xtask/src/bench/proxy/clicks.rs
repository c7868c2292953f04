//! How soon a click on the desk's page is heard where a call waits in the proxy: a no, from the
//! click on, and a yes from the page's answer on, since a passphrase takes its time on purpose.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use super::super::quantile;
use super::{Place, Server};

/// Clicks of each kind that are measured.
const CLICKS: usize = 20;
const PASSPHRASE: &str = "correct horse battery";
/// What exists nowhere else.
const ONLY: &str = "only.md";

/// The desk's pages, and somebody who has opened them.
struct Pages {
    child: Child,
    host: String,
    cookie: String,
}

impl Drop for Pages {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What 95 of 100 noes and yeses take until the client hears of them, in milliseconds.
pub fn heard(place: &Place) -> Result<(f64, f64)> {
    std::fs::write(place.project.join(ONLY), "nowhere else\n")?;
    say_passphrase(place)?;
    let pages = Pages::open(place)?;
    let mut server = Server::start(&mut place.proxied())?;
    let (mut noes, mut yeses) = (Vec::new(), Vec::new());
    for number in 0..CLICKS {
        for is_yes in [false, true] {
            let millis = click((&pages, &mut server), (number, is_yes))?;
            match is_yes {
                true => yeses.push(millis),
                false => noes.push(millis),
            }
        }
    }
    noes.sort_by(f64::total_cmp);
    yeses.sort_by(f64::total_cmp);
    Ok((quantile(&noes, 0.95), quantile(&yeses, 0.95)))
}

/// Makes the passphrase that says yes.
fn say_passphrase(place: &Place) -> Result<()> {
    let mut command = Command::new(place.desk.with_file_name("tollgate"));
    place.surround(&mut command).args(["key", "create"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()?;
    let mut input = child.stdin.take().context("no input")?;
    input.write_all(format!("{PASSPHRASE}\n").as_bytes())?;
    drop(input);
    ensure!(child.wait()?.success(), "no passphrase was made");
    Ok(())
}

/// One call is held and answered; how long that takes to be heard.
fn click((pages, server): (&Pages, &mut Server), (number, is_yes): (usize, bool)) -> Result<f64> {
    let call = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\
         \"write_file\",\"arguments\":{{\"path\":\"{ONLY}\",\"content\":\"{is_yes}{number}\"}},\
         \"_meta\":{{\"progressToken\":1}}}}}}\n"
    );
    server.input.write_all(call.as_bytes())?;
    let mut line = String::new();
    server.output.read_line(&mut line)?;
    ensure!(line.contains("waiting for a person"), "not held: {line}");
    let (path, form) = pages.form(if is_yes { "approve" } else { "refuse" })?;
    let begun = Instant::now();
    let answered = std::thread::scope(|scope| -> Result<f64> {
        let said = scope.spawn(|| -> Result<Instant> {
            let said = pages.ask("POST", &path, &form)?;
            ensure!(said.contains(" 200 "), "the page said: {said}");
            Ok(Instant::now())
        });
        line.clear();
        server.output.read_line(&mut line)?;
        let heard = Instant::now();
        let said = said
            .join()
            .map_err(|_| anyhow::anyhow!("the click broke"))??;
        let from = if is_yes { said } else { begun };
        Ok(heard.saturating_duration_since(from).as_secs_f64() * 1e3)
    });
    let wanted = if is_yes {
        "\"result\":{}"
    } else {
        "a person refused"
    };
    ensure!(line.contains(wanted), "not heard: {line}");
    answered
}

impl Pages {
    fn open(place: &Place) -> Result<Self> {
        let mut command = Command::new(&place.desk);
        place.surround(&mut command).arg("serve");
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("no output")?).read_line(&mut line)?;
        let after = line.split_once("http://").context("no address")?.1;
        let host: String = after.chars().take_while(|c| !c.is_whitespace()).collect();
        let host = host.trim_end_matches(['.', '/']).to_owned();
        let mut pages = Self {
            child,
            host,
            cookie: String::new(),
        };
        let mut command = Command::new(&place.desk);
        place.surround(&mut command).args(["open", "--print"]);
        let said = String::from_utf8_lossy(&command.output()?.stdout).into_owned();
        let key = said.split_once("#t=").context("no key")?.1;
        let key = key.split_whitespace().next().unwrap_or_default();
        let said = pages.ask("POST", "/open", &format!("key={key}"))?;
        let cookie = said.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("set-cookie").then_some(value)
        });
        let cookie = cookie.context("no cookie")?.split(';').next();
        pages.cookie = cookie.unwrap_or_default().to_owned();
        Ok(pages)
    }

    /// The form of the only request that waits, as its page sends it.
    fn form(&self, answer: &str) -> Result<(String, String)> {
        let now = self.ask("GET", "/", "")?;
        let path = now.split_once("href=\"/a/").context("nothing waits")?.1;
        let path = path.split('"').next().unwrap_or_default();
        let path = format!("/a/{path}/{answer}");
        let page = self.ask("GET", path.trim_end_matches(&format!("/{answer}")), "")?;
        let form = page.split_once(&format!("action=\"{path}\""));
        let form = form.context("no form")?.1;
        let field = |name: &str| {
            let value = form.split_once(&format!("name=\"{name}\" value=\""));
            let value = value.and_then(|(_, rest)| rest.split('"').next());
            format!("{name}={}&", value.unwrap_or_default())
        };
        let fields = match answer {
            "refuse" => [field("token"), "words=".to_owned()].concat(),
            _ => {
                let passphrase = PASSPHRASE.replace(' ', "+");
                [
                    field("token"),
                    field("shown"),
                    format!("passphrase={passphrase}"),
                ]
                .concat()
            }
        };
        Ok((path, fields))
    }

    fn ask(&self, method: &str, path: &str, form: &str) -> Result<String> {
        let port = self.host.rsplit(':').next().unwrap_or_default();
        let mut stream = TcpStream::connect(("127.0.0.1", port.parse()?))?;
        let host = &self.host;
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n\
             Sec-Fetch-Site: same-origin\r\nCookie: {}\r\nConnection: close\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{form}",
            self.cookie,
            form.len()
        )?;
        let mut said = String::new();
        stream.read_to_string(&mut said)?;
        Ok(said)
    }
}
