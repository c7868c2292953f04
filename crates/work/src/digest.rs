//! Digests of what somebody said or was shown, so that it is known again. Knows nobody who did.

use model::Digest;
use sha2::{Digest as _, Sha256};

/// The digest of some parts, each with its length, so that no two lists of parts are one text.
#[must_use]
pub fn digest(parts: &[&[u8]]) -> Digest {
    let mut sum = Sha256::new();
    for part in parts {
        sum.update((part.len() as u64).to_le_bytes());
        sum.update(part);
    }
    sum.finalize().into()
}

/// The plain SHA-256 of some bytes, as people's tools make it.
#[must_use]
pub fn sha256(bytes: &[u8]) -> Digest {
    Sha256::digest(bytes).into()
}

/// The digest of a prompt or a nonce. Blanks around it do not count: hosts trim.
#[must_use]
pub fn digest_of_text(text: &str) -> Digest {
    digest(&[text.trim().as_bytes()])
}
