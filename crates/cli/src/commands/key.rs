//! `tollgate key`: the pair that signs for rules with `grant = "key"`. The private half is kept
//! encrypted with a passphrase; this file owns how.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail, ensure};
use argon2::{Algorithm, Argon2, Params, Version};
use chacha20poly1305::aead::{Aead, KeyInit};
use chacha20poly1305::{ChaCha20Poly1305, Key, Nonce};
use ed25519_compact::{KeyPair, Noise, SecretKey, Seed};
use serde_json::{Value, json};
use store::Store;
use text::hex;

use crate::here::Here;
use crate::{exit, show};

/// Shortest passphrase, in characters.
const PASSPHRASE_CHARS_MIN: usize = 8;

/// What a guess at a passphrase costs: 64 MiB, three passes.
const MEMORY_KIB: u32 = 64 * 1024;
const PASSES: u32 = 3;

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Makes a pair; a passphrase keeps the private half
    Create {
        /// In the place of the one that is there
        #[arg(long)]
        replace: bool,
    },
    /// The public half
    Show,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    match args.what {
        What::Create { replace } => create(&here.store()?, replace)?,
        What::Show => match here.remembered()?.and_then(|store| store.public_key()) {
            Some(public) => say!("{}", hex::encode(&public)),
            None => bail!("there is no key; tollgate key create makes one"),
        },
    }
    Ok(ExitCode::from(exit::OK))
}

fn create(store: &Store, replace: bool) -> Result<()> {
    ensure!(
        replace || store.key().is_none(),
        "there is a key already; --replace makes a new one"
    );
    let passphrase = passphrase("passphrase: ")?;
    ensure!(
        passphrase.chars().count() >= PASSPHRASE_CHARS_MIN,
        "a passphrase has at least {PASSPHRASE_CHARS_MIN} characters"
    );
    if io::stdin().is_terminal() {
        let again = self::passphrase("once more: ")?;
        ensure!(again == passphrase, "these are two passphrases");
    }
    let seed: [u8; 32] = random()?;
    let pair = KeyPair::from_seed(Seed::new(seed));
    let locked = lock(&seed, &passphrase)?;
    store.set_key(&pair.pk, &locked.to_string())?;
    say!(
        "{} public half {}",
        show::good("made:"),
        hex::encode(&*pair.pk)
    );
    Ok(())
}

/// The private half, once its passphrase was typed.
pub fn unlocked(store: &Store) -> Result<SecretKey> {
    let text = store.key();
    let text = text.context("this rule needs your key, and there is none: tollgate key create")?;
    let locked: Value = serde_json::from_str(&text).context("the key file is damaged")?;
    let seed = unlock(&locked, &passphrase("passphrase: ")?)?;
    Ok(KeyPair::from_seed(Seed::new(seed)).sk)
}

/// A signature of a statement, as hex.
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

/// A line that nobody sees; from standard input where that is no terminal.
fn passphrase(prompt: &str) -> Result<String> {
    if io::stdin().is_terminal() {
        return Ok(rpassword::prompt_password(prompt)?);
    }
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

/// Fresh bytes from the system.
fn random<const COUNT: usize>() -> Result<[u8; COUNT]> {
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
