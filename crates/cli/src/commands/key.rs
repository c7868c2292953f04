//! `tollgate key`: the pair that signs for rules with `grant = "key"`. The private half is kept
//! encrypted with a passphrase; how is in `desk::keys`.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use desk::keys;
use ed25519_compact::SecretKey;
use model::one_line;
use store::Store;
use text::hex;
use work::approvals::evidence::{Keys, Passkey};

use crate::exit;
use crate::here::Here;

/// Longest name of a passkey, in characters.
const NAME_CHARS_MAX: usize = 40;

/// Shortest passphrase, in characters.
const PASSPHRASE_CHARS_MIN: usize = 8;

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
    /// The public half, and the passkeys that are known
    Show,
    /// Opens the page of the desk on which a passkey is added (tollgate serve)
    AddPasskey {
        /// What you call it
        #[arg(default_value = "passkey")]
        name: String,
        /// Prints the link and opens nothing
        #[arg(long)]
        print: bool,
    },
    /// Forgets a passkey
    RemovePasskey {
        /// What you called it, or its id
        name: String,
    },
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    match args.what {
        What::Create { replace } => create(&here.store()?, replace)?,
        What::Show => show(here.remembered()?.as_ref())?,
        What::AddPasskey { ref name, print } => {
            let name = one_line(name, NAME_CHARS_MAX);
            ensure!(
                !name.is_empty(),
                "a passkey has a name: tollgate key add-passkey laptop"
            );
            add_passkey(&here.store()?, &name, print)?;
        }
        What::RemovePasskey { ref name } => remove_passkey(&here.store()?, name)?,
    }
    Ok(ExitCode::from(exit::OK))
}

fn show(store: Option<&Store>) -> Result<()> {
    let known = store.map(edge::keys::of).unwrap_or_default();
    if let Some(public) = &known.passphrase {
        say!("{}", hex::encode(public));
    }
    for passkey in &known.passkeys {
        say!("passkey {}  {}", passkey.id, passkey.name);
    }
    ensure!(
        known != Keys::default(),
        "there is no key; tollgate key create makes one"
    );
    Ok(())
}

#[cfg(unix)]
fn add_passkey(store: &Store, name: &str, print: bool) -> Result<()> {
    desk::serve::open::add_passkey(store, name, print)
}

#[cfg(not(unix))]
fn add_passkey(_: &Store, _: &str, _: bool) -> Result<()> {
    anyhow::bail!("passkeys are added on the desk's page, which needs Linux or macOS")
}

fn remove_passkey(store: &Store, name: &str) -> Result<()> {
    let mut known = Passkey::read_all(&store.passkeys());
    let before = known.len();
    known.retain(|one| one.name != name && one.id != name);
    ensure!(
        known.len() < before,
        "no passkey is called {name}; tollgate key show lists them"
    );
    let lines: Vec<String> = known.iter().map(Passkey::line).collect();
    store.set_passkeys(&lines.concat())?;
    say!("{} {name}", crate::show::good("forgotten:"));
    Ok(())
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
    let pair = keys::made(&passphrase)?;
    store.set_key(&pair.public, &pair.private)?;
    say!(
        "{} public half {}",
        crate::show::good("made:"),
        hex::encode(&pair.public)
    );
    Ok(())
}

/// The private half, once its passphrase was typed.
pub fn unlocked(store: &Store) -> Result<SecretKey> {
    let text = store.key();
    let text = text.context(
        "this rule needs your key, and there is none: tollgate key create, or answer with a \
         passkey: tollgate open",
    )?;
    keys::unlocked(&text, &passphrase("passphrase: ")?)
}

/// A line that nobody sees; from standard input where that is no terminal.
pub fn passphrase(prompt: &str) -> Result<String> {
    if io::stdin().is_terminal() {
        return Ok(rpassword::prompt_password(prompt)?);
    }
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}
