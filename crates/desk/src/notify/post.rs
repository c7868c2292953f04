//! Sends to the outside: a POST, tried again where the other side fails or is not there.

use std::time::Duration;

use anyhow::{Result, bail};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use text::hex;
use ureq::tls::{TlsConfig, TlsProvider};

/// How often it is tried.
pub const TRIES: u32 = 5;
/// Longest time for one try.
const TRY_TIME_MAX: Duration = Duration::from_secs(10);
/// The pause after the first try; it doubles.
const PAUSE: Duration = Duration::from_millis(500);

/// What is sent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    /// To where.
    pub address: String,
    /// What kind of body.
    pub kind: &'static str,
    /// What is said beside it.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: String,
}

impl Request {
    /// JSON for an address.
    #[must_use]
    pub fn json(address: &str, body: String) -> Self {
        Self {
            address: address.to_owned(),
            kind: "application/json",
            headers: Vec::new(),
            body,
        }
    }

    /// Signs it, with the time, so that nobody can say it again later.
    ///
    /// # Errors
    /// If the secret is none.
    pub fn sign(mut self, secret: &str, seconds: u64) -> Result<Self> {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes())?;
        mac.update(format!("{seconds}.{}", self.body).as_bytes());
        let signature = hex::encode(&mac.finalize().into_bytes());
        let signature = ("Tollgate-Signature", format!("sha256={signature}"));
        self.headers
            .push(("Tollgate-Timestamp", seconds.to_string()));
        self.headers.push(signature);
        Ok(self)
    }

    /// Posts it. What the other side refuses, it refuses for good.
    ///
    /// # Errors
    /// If it was refused, or nobody took it.
    pub fn send(&self, tries: u32) -> Result<()> {
        repeated(tries, || self.try_once())
    }

    fn try_once(&self) -> Result<Sent> {
        let provider = if cfg!(target_os = "linux") {
            TlsProvider::Rustls
        } else {
            TlsProvider::NativeTls
        };
        let agent: ureq::Agent = ureq::Agent::config_builder()
            .tls_config(TlsConfig::builder().provider(provider).build())
            .timeout_global(Some(TRY_TIME_MAX))
            .max_redirects(0)
            .http_status_as_error(false)
            .build()
            .into();
        let mut request = agent.post(&self.address).content_type(self.kind);
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        Ok(match request.send(&self.body) {
            Ok(answer) if answer.status().is_success() => Sent::Yes,
            Ok(answer) if answer.status().is_client_error() => {
                bail!("it was refused: {}", answer.status())
            }
            Ok(answer) => Sent::NotYet(answer.status().to_string()),
            Err(error) => Sent::NotYet(error.to_string()),
        })
    }
}

/// What became of a try.
pub enum Sent {
    /// It was taken.
    Yes,
    /// It may be another time: why.
    NotYet(String),
}

/// Tries until it is sent, with longer and longer pauses.
///
/// # Errors
/// If it was refused, or nobody took it.
pub fn repeated(tries: u32, mut send: impl FnMut() -> Result<Sent>) -> Result<()> {
    let mut pause = PAUSE;
    let mut why = String::new();
    for round in 0..tries {
        if round > 0 {
            std::thread::sleep(pause);
            pause *= 2;
        }
        match send()? {
            Sent::Yes => return Ok(()),
            Sent::NotYet(said) => why = said,
        }
    }
    bail!("nobody took it, {tries} times: {why}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_signed_with_its_time() {
        let request = Request::json("http://localhost/", "{}".to_owned());
        let signed = request.clone().sign("key", 7).unwrap();
        let value = |at: usize| signed.headers[at].1.clone();
        assert_eq!(value(0), "7");
        // As another program makes it of `7.{}` and `key`.
        let known = "77bc83bd1f40422311e47918b203449aecf84b02c1568bb1b570ac2a474cc2d8";
        assert_eq!(value(1), format!("sha256={known}"));
        let other = request.sign("key", 8).unwrap();
        assert_ne!(other.headers[1], signed.headers[1]);
    }
}
