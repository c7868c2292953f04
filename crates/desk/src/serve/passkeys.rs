//! What browsers say of passkeys: the public half of one that was made, and the signature of one
//! that said yes. Whether a yes holds is said in `work`, by the very code that the hook runs.

use anyhow::{Context, Result, ensure};
use edge::surroundings;
use store::Store;
use text::hex;
use work::approvals::evidence::{Assertion, Passkey, RELYING_PARTY};
use work::digest::sha256;

/// Where in the authenticator's data its flags are, and the credential that was made.
const FLAGS_AT: usize = 32;
const LENGTH_AT: usize = 53;
const CREDENTIAL_AT: usize = 55;
/// Somebody was there, was verified, and a credential follows.
const MADE: u8 = 0b100_0101;
/// Longest credential, in bytes.
const CREDENTIAL_BYTES_MAX: usize = 1_023;
/// A key on P-256 as authenticators write it: a map of five, in the one order that they may.
const KEY_HEAD: &[u8] = &[0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 0x20];
const KEY_MIDDLE: &[u8] = &[0x22, 0x58, 0x20];
/// Length of a number of the curve.
const NUMBER: usize = 32;

/// Remembers a passkey that an authenticator made.
///
/// # Errors
/// If it is none that can be used here, or cannot be kept.
pub fn register(store: &Store, name: &str, authenticator: &[u8]) -> Result<Passkey> {
    let (credential, point) = made(authenticator)
        .context("this is no passkey on the curve P-256 whose owner was verified; try another")?;
    let passkey = Passkey::new(name, credential, point, surroundings::now());
    let known = store.passkeys();
    let all = Passkey::read_all(&known);
    ensure!(
        !all.iter().any(|one| one.id == passkey.id),
        "this passkey is known already"
    );
    store
        .set_passkeys(&(known + &passkey.line()))
        .context("remove one first: tollgate key remove-passkey NAME")?;
    Ok(passkey)
}

/// The credential and the point that an authenticator made.
fn made(data: &[u8]) -> Option<(&[u8], [u8; 64])> {
    let is_ours = data.starts_with(&sha256(RELYING_PARTY.as_bytes()));
    let is_verified = data.get(FLAGS_AT)? & MADE == MADE;
    let length: [u8; 2] = data.get(LENGTH_AT..CREDENTIAL_AT)?.try_into().ok()?;
    let length = usize::from(u16::from_be_bytes(length));
    let credential = data.get(CREDENTIAL_AT..CREDENTIAL_AT + length)?;
    let key = data.get(CREDENTIAL_AT + length..)?.strip_prefix(KEY_HEAD)?;
    let (x, rest) = key.split_at_checked(NUMBER)?;
    let y = rest.strip_prefix(KEY_MIDDLE)?.get(..NUMBER)?;
    let point: [u8; 64] = [x, y].concat().try_into().ok()?;
    let is_usable = is_ours && is_verified && (1..=CREDENTIAL_BYTES_MAX).contains(&length);
    is_usable.then_some((credential, point))
}

/// What a form says of an assertion, in hex.
#[derive(Debug, serde::Deserialize)]
pub struct Said {
    credential: String,
    authenticator: String,
    client: String,
    signature: String,
}

impl Said {
    /// The assertion, if it is one.
    pub fn assertion(&self) -> Option<Assertion> {
        let credential = hex::decode(&self.credential)?;
        Some(Assertion {
            key: Passkey::new("", &credential, [0; 64], Default::default()).id,
            authenticator: hex::decode(&self.authenticator)?,
            client: hex::decode(&self.client)?,
            signature: numbers(&hex::decode(&self.signature)?)?,
        })
    }
}

/// The two numbers of a signature, from the form in which browsers hand them over (DER).
fn numbers(signature: &[u8]) -> Option<[u8; 64]> {
    let [0x30, length, rest @ ..] = signature else {
        return None;
    };
    let (r, rest) = number(rest)?;
    let (s, after) = number(rest)?;
    let is_whole = usize::from(*length) + 2 == signature.len() && after.is_empty();
    let both: [u8; 64] = [r, s].concat().try_into().ok()?;
    is_whole.then_some(both)
}

fn number(text: &[u8]) -> Option<([u8; NUMBER], &[u8])> {
    let [2, length, rest @ ..] = text else {
        return None;
    };
    let (digits, after) = rest.split_at_checked(usize::from(*length))?;
    let digits = digits.strip_prefix(&[0]).unwrap_or(digits);
    let mut number = [0; NUMBER];
    let begin = NUMBER.checked_sub(digits.len())?;
    number.get_mut(begin..)?.copy_from_slice(digits);
    Some((number, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_two_numbers() {
        let short = [&[0x30, 7, 2, 2, 0, 0xff, 2, 1, 5][..]].concat();
        let mut expected = [0; 64];
        (expected[31], expected[63]) = (0xff, 5);
        assert_eq!(numbers(&short), Some(expected));
        for broken in [
            &short[..8],
            &[0x31, 7, 2, 2, 0, 0xff, 2, 1, 5],
            &[short.clone(), vec![0]].concat(),
        ] {
            assert_eq!(numbers(broken), None, "{broken:?}");
        }
    }

    fn data(flags: u8, site: &str) -> Vec<u8> {
        let head = [&sha256(site.as_bytes())[..], &[flags], &[0; 4], &[0; 16]].concat();
        let key = [KEY_HEAD, &[7; 32], KEY_MIDDLE, &[8; 32]].concat();
        [head, vec![0, 3, 1, 2, 3], key].concat()
    }

    #[test]
    fn a_passkey_is_read_if_its_owner_was_verified_for_us() {
        let point: [u8; 64] = [[7; 32], [8; 32]].concat().try_into().unwrap();
        let whole = data(MADE, RELYING_PARTY);
        assert_eq!(made(&whole), Some((&[1, 2, 3][..], point)));
        assert_eq!(made(&data(MADE, "example.org")), None);
        assert_eq!(made(&data(0b100_0001, RELYING_PARTY)), None);
        assert_eq!(made(&whole[..whole.len() - 1]), None);
        assert_eq!(made(&[]), None);
    }
}
