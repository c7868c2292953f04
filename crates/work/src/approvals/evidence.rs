//! The evidence of a yes that came by key: who gave it, how, when, and what proves it. Whoever uses
//! the yes checks it here. Must not know where keys are kept, nor how a page asks for them.

use ed25519_compact::{PublicKey, Signature};
use model::{Digest, Time};
use p256::ecdsa::signature::Verifier;
use p256::ecdsa::{Signature as CurveSignature, VerifyingKey};
use text::{base64, hex};

use crate::digest::sha256;

/// Whom a passkey is made for: pages of this machine, and no other.
pub const RELYING_PARTY: &str = "localhost";

/// What the origin of such a page begins with; its port follows.
const ORIGIN: &str = "http://localhost:";

/// Somebody touched the authenticator, and it knows who.
const PRESENT_AND_VERIFIED: u8 = 0b101;

/// Shortest data of an authenticator, in bytes.
const AUTHENTICATOR_BYTES_MIN: usize = 37;

/// A passkey that the owner registered: its public half.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passkey {
    /// A short name for programs, made of the credential.
    pub id: String,
    /// What its owner calls it.
    pub name: String,
    /// What the authenticator knows it by.
    pub credential: Vec<u8>,
    /// The point on the curve P-256 that is its public half.
    pub point: [u8; 64],
    /// When it was registered.
    pub added: Time,
}

impl Passkey {
    /// One for a credential.
    #[must_use]
    pub fn new(name: &str, credential: &[u8], point: [u8; 64], added: Time) -> Self {
        let sum = sha256(credential);
        Self {
            id: hex::encode(sum.get(..8).unwrap_or_default()),
            name: name.to_owned(),
            credential: credential.to_vec(),
            point,
            added,
        }
    }

    /// Those that a text lists, a line each. A line that is none is left out: it proves nothing.
    #[must_use]
    pub fn read_all(text: &str) -> Vec<Self> {
        text.lines().filter_map(Self::read).collect()
    }

    fn read(line: &str) -> Option<Self> {
        let mut words = line.splitn(5, ' ');
        let mut word = || words.next();
        let (version, credential, point) = (word()?, word()?, word()?);
        let (added, name) = (word()?.parse().ok()?, word()?);
        let credential = hex::decode(credential)?;
        let point = hex::decode_array(point)?;
        (version == "1").then(|| Self::new(name, &credential, point, Time(added)))
    }

    /// Its line.
    #[must_use]
    pub fn line(&self) -> String {
        format!(
            "1 {} {} {} {}\n",
            hex::encode(&self.credential),
            hex::encode(&self.point),
            self.added.0,
            self.name
        )
    }
}

/// The public halves of what a person can say yes with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Keys {
    /// Of the pair that a passphrase opens.
    pub passphrase: Option<Digest>,
    /// Of passkeys.
    pub passkeys: Vec<Passkey>,
}

/// What proves a yes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    /// A signature with the key that a passphrase opens, as hex.
    Passphrase(String),
    /// What an authenticator signed.
    Passkey(Assertion),
}

/// What an authenticator signed, as a browser hands it over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assertion {
    /// The passkey.
    pub key: String,
    /// What the authenticator says of itself, and of who touched it.
    pub authenticator: Vec<u8>,
    /// What the browser says of the page.
    pub client: Vec<u8>,
    /// The signature: its two numbers, one after the other.
    pub signature: [u8; 64],
}

/// The evidence of a yes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// Who.
    pub by: String,
    /// When.
    pub at: Time,
    /// How, and what proves it.
    pub proof: Proof,
}

impl Evidence {
    /// As it is kept with the yes.
    #[must_use]
    pub fn to_text(&self) -> String {
        let (by, at) = (hex::encode(self.by.as_bytes()), self.at.0);
        match &self.proof {
            Proof::Passphrase(signature) => format!("passphrase {by} {at} {signature}"),
            Proof::Passkey(Assertion {
                key,
                authenticator,
                client,
                signature,
            }) => {
                let [authenticator, client, signature] =
                    [&authenticator[..], &client[..], &signature[..]].map(hex::encode);
                format!("passkey {by} {at} {key} {authenticator} {client} {signature}")
            }
        }
    }

    /// The evidence that a text holds, if it holds any.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split(' ').collect();
        let (by, at, proof) = match words.as_slice() {
            ["passphrase", by, at, signature] => {
                (by, at, Proof::Passphrase((*signature).to_owned()))
            }
            ["passkey", by, at, key, authenticator, client, signature] => {
                let assertion = Assertion {
                    key: (*key).to_owned(),
                    authenticator: hex::decode(authenticator)?,
                    client: hex::decode(client)?,
                    signature: hex::decode_array(signature)?,
                };
                (by, at, Proof::Passkey(assertion))
            }
            _ => return None,
        };
        Some(Self {
            by: String::from_utf8(hex::decode(by)?).ok()?,
            at: Time(at.parse().ok()?),
            proof,
        })
    }

    /// How the yes was given, in a word.
    #[must_use]
    pub fn how(&self) -> &'static str {
        match self.proof {
            Proof::Passphrase(_) => "passphrase",
            Proof::Passkey(_) => "passkey",
        }
    }

    /// Whether it proves a yes to a statement, by one of these keys.
    #[must_use]
    pub fn proves(&self, statement: &str, keys: &Keys) -> bool {
        let signed = signed(statement, &self.by, self.at);
        match &self.proof {
            Proof::Passphrase(signature) => {
                let key = keys.passphrase.as_ref();
                key.is_some_and(|key| is_signed(&signed, signature, key))
            }
            Proof::Passkey(assertion) => {
                let mut known = keys.passkeys.iter();
                let key = known.find(|key| key.id == assertion.key);
                key.is_some_and(|key| assertion.is_of(key, &sha256(signed.as_bytes())))
            }
        }
    }
}

/// What is signed: what the yes is bound to, who gives it and when.
#[must_use]
pub fn signed(statement: &str, by: &str, at: Time) -> String {
    let (by, at) = (hex::encode(by.as_bytes()), at.0);
    format!("tollgate evidence 1 {by} {at}\n{statement}")
}

/// What an authenticator is asked to sign.
#[must_use]
pub fn challenge(statement: &str, by: &str, at: Time) -> Digest {
    sha256(signed(statement, by, at).as_bytes())
}

impl Assertion {
    /// Whether a key signed this challenge, for a page of this machine, after its owner showed who
    /// they are.
    fn is_of(&self, key: &Passkey, challenge: &Digest) -> bool {
        let said = &self.authenticator;
        let is_whole = said.len() >= AUTHENTICATOR_BYTES_MIN;
        let is_ours = said.starts_with(&sha256(RELYING_PARTY.as_bytes()));
        let flags = said.get(32).copied().unwrap_or_default();
        let is_verified = flags & PRESENT_AND_VERIFIED == PRESENT_AND_VERIFIED;
        is_whole && is_ours && is_verified && is_asked(&self.client, challenge) && {
            let message = [said.as_slice(), &sha256(&self.client)].concat();
            is_signed_on_curve(&message, &self.signature, &key.point)
        }
    }
}

/// Whether a browser says that a page of this machine asked for this challenge. Browsers write the
/// first fields in one order and form, so that who checks them needs no reader of JSON (WebAuthn,
/// 5.8.1.2).
fn is_asked(client: &[u8], challenge: &Digest) -> bool {
    let begin = format!(
        "{{\"type\":\"webauthn.get\",\"challenge\":\"{}\",\"origin\":\"{ORIGIN}",
        base64::encode_url(challenge)
    );
    let Some(rest) = client.strip_prefix(begin.as_bytes()) else {
        return false;
    };
    let port = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = rest.get(port..).unwrap_or_default();
    let is_end = |rest: &[u8]| matches!(rest.first(), Some(b'}' | b','));
    let own = [&b"\",\"crossOrigin\":false"[..], b"\""];
    let mut ends = own.iter().filter_map(|own| rest.strip_prefix(*own));
    let is_foreign = rest.starts_with(b"\",\"crossOrigin\":true");
    (1..=5).contains(&port) && !is_foreign && ends.any(is_end)
}

/// Whether a signature (hex) of a statement was made with the private half of a key.
#[must_use]
pub fn is_signed(statement: &str, signature: &str, key: &[u8; 32]) -> bool {
    let bytes = hex::decode(signature);
    let signature = bytes.and_then(|bytes| Signature::from_slice(&bytes).ok());
    signature.is_some_and(|signature| PublicKey::new(*key).verify(statement, &signature).is_ok())
}

/// The same on the curve P-256, as authenticators sign.
fn is_signed_on_curve(message: &[u8], signature: &[u8; 64], point: &[u8; 64]) -> bool {
    let mut whole = [4; 65];
    if let Some(rest) = whole.get_mut(1..) {
        rest.copy_from_slice(point);
    }
    let key = VerifyingKey::from_sec1_bytes(&whole);
    let signature = CurveSignature::from_slice(signature);
    match (key, signature) {
        (Ok(key), Ok(signature)) => key.verify(message, &signature).is_ok(),
        _ => false,
    }
}
