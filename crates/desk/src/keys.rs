//! The pair that a passphrase opens: how its private half is locked, opened and used. Asks nobody
//! for a passphrase, and keeps none.

use anyhow::{Context, Result, anyhow, bail};
use argon2::{Algorithm, Argon2, Params, Version};
use chacha20poly1305::aead::{Aead, KeyInit};
use chacha20poly1305::{ChaCha20Poly1305, Key, Nonce};
use ed25519_compact::{KeyPair, Noise, SecretKey, Seed};
use edge::surroundings;
use serde_json::{Value, json};
use text::hex;

/// What a guess at a passphrase costs: 64 MiB, three passes.
const MEMORY_KIB: u32 = 64 * 1024;
const PASSES: u32 = 3;

/// A pair as it is kept.
pub struct Pair {
    /// Its public half.
    pub public: [u8; 32],
    /// Its private half, locked.
    pub private: String,
}

/// A new pair that a passphrase opens.
///
/// # Errors
/// If the system gives no random numbers.
pub fn made(passphrase: &str) -> Result<Pair> {
    let seed: [u8; 32] = random()?;
    Ok(Pair {
        public: *KeyPair::from_seed(Seed::new(seed)).pk,
        private: lock(&seed, passphrase)?.to_string(),
    })
}

/// The private half, opened.
///
/// # Errors
/// If the passphrase is another, or what is kept is damaged.
pub fn unlocked(private: &str, passphrase: &str) -> Result<SecretKey> {
    let locked: Value = serde_json::from_str(private).context("the key file is damaged")?;
    let seed = unlock(&locked, passphrase)?;
    Ok(KeyPair::from_seed(Seed::new(seed)).sk)
}

/// What whoever says yes here is called.
#[must_use]
pub fn person() -> String {
    let named = ["USER", "LOGNAME"]
        .iter()
        .find_map(|name| surroundings::env(name));
    named.unwrap_or_else(|| "you".to_owned())
}

/// A signature of a statement, as hex.
#[must_use]
pub fn sign(secret: &SecretKey, statement: &str) -> String {
    hex::encode(&*secret.sign(statement, Some(Noise::new([0; Noise::BYTES]))))
}

fn lock(seed: &[u8; 32], passphrase: &str) -> Result<Value> {
    let (salt, nonce): ([u8; 16], [u8; 12]) = (random()?, random()?);
    let cipher = cipher(passphrase, &salt)?;
    let sealed = cipher.encrypt(&Nonce::from(nonce), seed.as_slice());
    let sealed = sealed.map_err(|_| anyhow!("the key could not be encrypted"))?;
    Ok(json!({
        "version": 1, "kdf": "argon2id", "memory_kib": MEMORY_KIB, "passes": PASSES,
        "cipher": "chacha20-poly1305",
        "salt": hex::encode(&salt), "nonce": hex::encode(&nonce), "sealed": hex::encode(&sealed),
    }))
}

fn unlock(locked: &Value, passphrase: &str) -> Result<[u8; 32]> {
    let field = |name: &str| {
        locked
            .get(name)
            .and_then(Value::as_str)
            .and_then(hex::decode)
    };
    let parts = (field("salt"), field("nonce"), field("sealed"));
    let (Some(salt), Some(nonce), Some(sealed)) = parts else {
        bail!("the key file is damaged");
    };
    let nonce: [u8; 12] = nonce
        .try_into()
        .map_err(|_| anyhow!("the key file is damaged"))?;
    let opened = cipher(passphrase, &salt)?.decrypt(&Nonce::from(nonce), sealed.as_slice());
    let seed = opened.ok().and_then(|seed| seed.try_into().ok());
    seed.context("wrong passphrase")
}

fn cipher(passphrase: &str, salt: &[u8]) -> Result<ChaCha20Poly1305> {
    let cost = Params::new(MEMORY_KIB, PASSES, 1, Some(32)).map_err(|why| anyhow!("{why}"))?;
    let mut key = [0; 32];
    Argon2::new(Algorithm::Argon2id, Version::V0x13, cost)
        .hash_password_into(passphrase.as_bytes(), salt, &mut key)
        .map_err(|why| anyhow!("{why}"))?;
    Ok(ChaCha20Poly1305::new(&Key::from(key)))
}

/// Fresh bytes from the system.
///
/// # Errors
/// If it gives none.
pub fn random<const COUNT: usize>() -> Result<[u8; COUNT]> {
    let mut bytes = [0; COUNT];
    for part in bytes.chunks_mut(16) {
        let fresh = edge::random().context("the system gives no random numbers")?;
        part.copy_from_slice(fresh.get(..part.len()).unwrap_or_default());
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_passphrase_opens_it() {
        let seed = [7; 32];
        let locked = lock(&seed, "correct horse").unwrap();
        assert_eq!(unlock(&locked, "correct horse").unwrap(), seed);
        assert!(unlock(&locked, "correct horsE").is_err());
        assert!(!locked.to_string().contains(&hex::encode(&seed)));
        for damage in ["salt", "nonce", "sealed"] {
            let mut other = locked.clone();
            other[damage] = "00".into();
            assert!(unlock(&other, "correct horse").is_err(), "{damage}");
        }
    }
}
