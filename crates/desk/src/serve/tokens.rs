//! What lets somebody look at the pages: a key that is good once, exchanged for a cookie. On the
//! disk is the hash of each.

use anyhow::Result;
use axum::http::{HeaderMap, header};
use edge::surroundings;
use model::Time;
use store::{Store, TokenKind};
use text::hex;
use work::digest::sha256;

use crate::keys;

/// How long a key may be exchanged, in milliseconds.
const OPEN_MS: u64 = 60 * 1_000;
/// How long a passkey may be registered, in milliseconds.
const REGISTER_MS: u64 = 5 * 60 * 1_000;
/// How long a cookie is good, in seconds.
const COOKIE_SECONDS: u64 = 12 * 60 * 60;
/// Its name.
const COOKIE: &str = "tollgate";

fn hash(token: &str) -> String {
    hex::encode(&sha256(token.as_bytes()))
}

fn fresh(store: &Store, kind: TokenKind, ends: u64, about: &str) -> Result<String> {
    let token = hex::encode(&keys::random::<32>()?);
    let ends = Time(surroundings::now().0 + ends);
    store.keep_token(kind, &hash(&token), (ends, about))?;
    Ok(token)
}

/// A key with which the pages can be opened once.
pub fn key(store: &Store) -> Result<String> {
    fresh(store, TokenKind::Open, OPEN_MS, "")
}

/// A key with which a passkey of this name can be registered once.
pub fn passkey_key(store: &Store, name: &str) -> Result<String> {
    fresh(store, TokenKind::Passkey, REGISTER_MS, name)
}

/// The name under which a key lets a passkey be registered, once.
pub fn take_passkey_name(store: &Store, key: &str) -> Option<String> {
    store.take_token(TokenKind::Passkey, &hash(key), surroundings::now())
}

/// The cookie that a key is exchanged for, as its header says it; nothing for a key that is none
/// any more.
pub fn exchanged(store: &Store, key: &str) -> Result<Option<String>> {
    let taken = store.take_token(TokenKind::Open, &hash(key), surroundings::now());
    if taken.is_none() {
        return Ok(None);
    }
    let token = fresh(store, TokenKind::Look, COOKIE_SECONDS * 1_000, "")?;
    Ok(Some(format!(
        "{COOKIE}={token}; HttpOnly; SameSite=Strict; Path=/; Max-Age={COOKIE_SECONDS}"
    )))
}

/// The cookie of a request, if it is one of ours.
pub fn cookie(store: &Store, headers: &HeaderMap) -> Option<String> {
    let lines = headers.get_all(header::COOKIE).iter();
    let lines = lines.filter_map(|line| line.to_str().ok());
    let mut parts = lines.flat_map(|line| line.split(';'));
    let now = surroundings::now();
    parts.find_map(|part| {
        let (name, value) = part.trim().split_once('=')?;
        let is_ours = name == COOKIE && store.token(TokenKind::Look, &hash(value), now).is_some();
        is_ours.then(|| value.to_owned())
    })
}

/// What a form of ours says beside the cookie, which no page of others can know.
pub fn form_token(cookie: &str) -> String {
    hash(&format!("form {cookie}"))
}
