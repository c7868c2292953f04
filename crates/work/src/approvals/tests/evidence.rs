//! What proves a yes: every part of it counts, and nothing else does.

use model::Time;
use p256::ecdsa::signature::Signer;
use p256::ecdsa::{Signature as CurveSignature, SigningKey};
use text::base64;

use crate::approvals::evidence::*;
use crate::digest::sha256;

/// A message with its signature and key as published for the scheme (RFC 8032, 7.1, test 2).
const MESSAGE: &str = "r";
const KEY: &str = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";
const SIGNATURE: &str = "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da\
                         085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";

#[test]
fn a_signature_is_of_one_statement_by_one_key() {
    let key = text::hex::decode_array(KEY).unwrap();
    assert!(is_signed(MESSAGE, SIGNATURE, &key));
    assert!(!is_signed("s", SIGNATURE, &key));
    assert!(!is_signed(MESSAGE, SIGNATURE, &[1; 32]));
    for signature in [
        "",
        "92",
        SIGNATURE.trim_start_matches('9'),
        &SIGNATURE.replace("92a0", "92a1"),
    ] {
        assert!(!is_signed(MESSAGE, signature, &key), "{signature}");
    }
}

const STATEMENT: &str = "tollgate approval 2 m1 s1 A7F3 0102 9\n";

fn key(seed: u8) -> SigningKey {
    SigningKey::from_slice(&[seed; 32]).unwrap()
}

fn passkey(seed: u8) -> Passkey {
    let point = key(seed).verifying_key().to_sec1_point(false);
    let point: [u8; 64] = point.as_bytes()[1..].try_into().unwrap();
    Passkey::new("laptop", &[seed; 16], point, Time(7))
}

fn keys() -> Keys {
    Keys {
        passphrase: text::hex::decode_array(KEY),
        passkeys: vec![passkey(1), passkey(2)],
    }
}

/// What an authenticator and a browser make of a challenge, with one thing of it otherwise.
struct Signing {
    seed: u8,
    site: &'static str,
    flags: u8,
    client: String,
}

impl Signing {
    fn of(statement: &str) -> Self {
        let challenge = base64::encode_url(&challenge(statement, "dev", Time(5)));
        Self {
            seed: 1,
            site: RELYING_PARTY,
            flags: 0b101,
            client: format!(
                "{{\"type\":\"webauthn.get\",\"challenge\":\"{challenge}\",\
                 \"origin\":\"http://localhost:41873\",\"crossOrigin\":false}}"
            ),
        }
    }

    fn with(self, from: &str, to: &str) -> Self {
        assert!(self.client.contains(from));
        let client = self.client.replace(from, to);
        Self { client, ..self }
    }

    fn evidence(&self) -> Evidence {
        let counter = [0, 0, 0, 9];
        let authenticator = [&sha256(self.site.as_bytes())[..], &[self.flags], &counter].concat();
        let client = self.client.clone().into_bytes();
        let message = [authenticator.as_slice(), &sha256(&client)].concat();
        let signature: CurveSignature = key(self.seed).sign(&message);
        Evidence {
            by: "dev".to_owned(),
            at: Time(5),
            proof: Proof::Passkey(Assertion {
                key: passkey(1).id,
                authenticator,
                client,
                signature: signature.to_bytes().into(),
            }),
        }
    }

    fn proves(&self) -> bool {
        self.evidence().proves(STATEMENT, &keys())
    }
}

#[test]
fn a_passkey_proves_one_yes_to_one_statement() {
    let signing = Signing::of(STATEMENT);
    assert!(signing.proves());
    let evidence = signing.evidence();
    assert_eq!(Evidence::read(&evidence.to_text()), Some(evidence.clone()));
    assert!(!evidence.proves("tollgate approval 2 m2 s1 A7F3 0102 9\n", &keys()));
    for other in [
        Evidence {
            by: "eve".to_owned(),
            ..evidence.clone()
        },
        Evidence {
            at: Time(6),
            ..evidence.clone()
        },
    ] {
        assert!(!other.proves(STATEMENT, &keys()), "{other:?}");
    }
    assert!(!evidence.proves(STATEMENT, &Keys::default()));
}

#[test]
fn what_an_authenticator_says_must_all_fit() {
    let of = || Signing::of(STATEMENT);
    for (wrong, why) in [
        (Signing { seed: 2, ..of() }, "another key"),
        (
            Signing {
                site: "example.org",
                ..of()
            },
            "another site",
        ),
        (
            Signing {
                flags: 0b001,
                ..of()
            },
            "nobody was verified",
        ),
        (
            Signing {
                flags: 0b100,
                ..of()
            },
            "nobody was there",
        ),
        (
            of().with("webauthn.get", "webauthn.create"),
            "it was made, not used",
        ),
        (
            of().with("localhost:41873", "localhost:41873.evil.org"),
            "a longer name",
        ),
        (
            of().with("http://localhost", "https://localhost"),
            "another scheme",
        ),
        (
            of().with("localhost:41873", "evil.org:41873"),
            "another origin",
        ),
        (of().with(":41873", ":"), "no port"),
        (
            of().with("\"crossOrigin\":false", "\"crossOrigin\":true"),
            "a frame of another's",
        ),
        (Signing::of("another"), "another challenge"),
    ] {
        assert!(!wrong.proves(), "{why}");
    }
    // What a browser adds later, or leaves out.
    assert!(of().with("false}", "false,\"extra\":1}").proves());
    assert!(of().with(",\"crossOrigin\":false", "").proves());
}

#[test]
fn a_passphrase_proves_what_it_signed() {
    let pair = ed25519_compact::KeyPair::from_seed(ed25519_compact::Seed::new([9; 32]));
    let text = signed(STATEMENT, "dev", Time(5));
    let signature = pair.sk.sign(&text, None);
    let evidence = Evidence {
        by: "dev".to_owned(),
        at: Time(5),
        proof: Proof::Passphrase(text::hex::encode(&*signature)),
    };
    let own = Keys {
        passphrase: Some(*pair.pk),
        passkeys: Vec::new(),
    };
    assert!(evidence.proves(STATEMENT, &own));
    assert!(!evidence.proves(STATEMENT, &keys()));
    assert_eq!(Evidence::read(&evidence.to_text()), Some(evidence.clone()));
    assert_eq!(
        (evidence.how(), Signing::of("x").evidence().how()),
        ("passphrase", "passkey")
    );
    let later = Evidence {
        at: Time(6),
        ..evidence
    };
    assert!(!later.proves(STATEMENT, &own));
    for broken in [
        "",
        "abcd",
        "passphrase zz 5 ab",
        "passkey 00 5 a b c",
        "magic 00 5 ab",
    ] {
        assert_eq!(Evidence::read(broken), None, "{broken}");
    }
}

#[test]
fn passkeys_come_back_from_their_lines() {
    let lines = [
        passkey(1).line(),
        "2 of a later version\n".to_owned(),
        passkey(2).line(),
    ];
    assert_eq!(Passkey::read_all(&lines.concat()), [passkey(1), passkey(2)]);
    assert_ne!(passkey(1).id, passkey(2).id);
}
