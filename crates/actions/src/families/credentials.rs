//! Programs that print passwords, keys and tokens: password stores, and clouds asked for a login.

use crate::command_context::CommandContext;
use crate::family::{Family, family};
use crate::starts::Starts;
use crate::stdout;
use crate::world::is_secret_variable;
use crate::wrappers::table;
use crate::{Invocation, World, effects};
use model::{Flags, ResourceKind};

/// The family.
pub const CREDENTIALS: Family = family! {
    "age" => decrypter,
    "ansible-vault" => store,
    "berglas" => store,
    "bw" => store,
    "chamber" => store; starts Starts::Rows(table::CHAMBER),
    "credstash" => store,
    "doppler" => store; starts Starts::Rows(table::DOPPLER),
    "ejson" => store,
    "gopass" => store,
    "gpg" => store; prints stdout::decoder,
    "infisical" => store; starts Starts::Rows(table::INFISICAL),
    "keyring" => store,
    "lpass" => store,
    "op" => store; starts Starts::Rows(table::OP),
    "openssl" => openssl; prints stdout::decoder,
    "pass" => store,
    "secret-tool" => store,
    "security" => store,
    "sops" => decrypter; starts Starts::Rows(table::SOPS),
};

/// Words, side by side among a program's words, after which it prints a secret.
const REVEALING: &[(&str, &[&str])] = &[
    (
        "aws",
        &[
            "configure export-credentials",
            "configure get aws_secret_access_key",
            "configure get aws_session_token",
            "ecr get-login-password",
            "secretsmanager get-secret-value",
            "sts assume-role",
            "sts get-session-token",
        ],
    ),
    (
        "az",
        &[
            "account get-access-token",
            "account show-connection-string",
            "ad sp create-for-rbac",
            "list-publishing-credentials",
            "list-publishing-profiles",
            "keyvault secret show",
            "keys list",
        ],
    ),
    ("ansible-vault", &["view", "decrypt"]),
    ("berglas", &["access"]),
    ("bw", &["get", "export"]),
    ("chamber", &["export", "read"]),
    ("credstash", &["get", "getall"]),
    ("doctl", &["auth token"]),
    ("doppler", &["secrets get", "secrets download"]),
    ("ejson", &["decrypt"]),
    ("firebase", &["functions:config:get"]),
    ("fly", &["auth token"]),
    ("flyctl", &["auth token"]),
    ("gcloud", &["versions access"]),
    ("gopass", &["show", "cat"]),
    ("gpg", &["--export-secret-keys", "--export-secret-subkeys"]),
    ("heroku", &["auth:token", "config", "config:get"]),
    ("infisical", &["export"]),
    ("keyring", &["get"]),
    ("lpass", &["show", "export"]),
    ("netlify", &["env:get", "env:list"]),
    ("op", &["read", "item get", "document get"]),
    ("pass", &["show"]),
    ("railway", &["variables"]),
    ("secret-tool", &["lookup", "search"]),
    (
        "security",
        &[
            "find-generic-password",
            "find-internet-password",
            "dump-keychain",
        ],
    ),
    ("vault", &["kv get", "read"]),
];

/// What is secret, as subcommands call it; in a longer name this stands last.
const SECRETS: &[&str] = &[
    "access-key",
    "access-keys",
    "api-key",
    "api-keys",
    "credential",
    "credentials",
    "password",
    "passwords",
    "secret",
    "secret-value",
    "secrets",
    "token",
    "tokens",
];

/// What a subcommand can make anew, and shows then.
const MADE: &[&str] = &["access-key", "api-key", "token", "tokens"];

/// Words by which a subcommand shows something.
const SHOWING: &[&str] = &[
    "access", "cat", "decrypt", "dump", "export", "fetch", "get", "print", "read", "reveal",
    "show", "view",
];

/// Words by which one makes something.
const MAKING: &[&str] = &["create", "generate", "issue", "new"];

/// Options by which what is secret is not left out.
const UNMASKING: &[&str] = &[
    "--expose-token",
    "--include-sensitive",
    "--reveal-secrets",
    "--show-passwords",
    "--show-secrets",
    "--show-sensitive",
    "--show-token",
    "--show-tokens",
    "--unmask",
];

/// Words of a subcommand that are looked at.
const SUBCOMMAND_MAX: usize = 4;

/// Whether an option has what is secret shown.
pub(super) fn unmasks(arg: &crate::Arg) -> bool {
    UNMASKING.contains(&arg.text.as_str())
}

/// The words by which a command is told to show something secret, whoever's program it is:
/// `secrets get`, `credentials:show`, `print-access-token`, `iam create-access-key`.
fn shown(args: &[crate::Arg]) -> Option<String> {
    if let Some(option) = args.iter().find(|arg| unmasks(arg)) {
        return Some(option.text.clone());
    }
    let is_plain = |arg: &&crate::Arg| {
        let mut bytes = arg.text.bytes();
        arg.is_known() && bytes.all(|byte| byte.is_ascii_lowercase() || b"-:_".contains(&byte))
    };
    let words = args.iter().take(SUBCOMMAND_MAX).take_while(is_plain);
    let words = words.map(|arg| arg.text.as_str());
    let words: Vec<&str> = words.take_while(|word| !word.starts_with('-')).collect();
    let parts = || words.iter().flat_map(|word| word.split(':'));
    // `get-random-password` makes one up that opens nothing.
    let is_one = |part: &str, known: &[&str]| {
        let mut ends = known.iter().filter_map(|known| part.strip_suffix(known));
        ends.any(|before| before.is_empty() || before.ends_with('-')) && !part.contains("random")
    };
    let verb = |part: &str, known: &[&str]| known.contains(&part.split('-').next().unwrap_or(part));
    let says = |verbs: &[&str], nouns: &[&str]| {
        parts().any(|part| verb(part, verbs)) && parts().any(|part| is_one(part, nouns))
    };
    (says(SHOWING, SECRETS) || says(MAKING, MADE)).then(|| words.join(" "))
}

/// A program that nobody knows: whether it is told to show something secret, which is on the list
/// then.
pub(crate) fn shows(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let phrase = phrase_of(invocation).map(str::to_owned);
    let Some(words) = phrase.or_else(|| shown(&invocation.args)) else {
        return false;
    };
    let words = format!("{} {words}", invocation.program);
    effects::show_output(world, invocation, &words);
    true
}

/// What is read where names and values are listed, parted by colons.
pub(super) const LISTED: &str = "the output of heroku config";

/// The words of a command after which its program prints a secret.
fn phrase_of(invocation: &Invocation) -> Option<&'static str> {
    let program = invocation.program.as_str();
    let args = &invocation.args;
    // `aws ssm get-parameter --name x --with-decryption`
    let decrypts = program == "aws" && args.iter().any(|arg| arg.text == "--with-decryption");
    // `railway variables --set A=1`
    let sets = args.iter().any(|arg| arg.text.starts_with("--set"));
    let row = REVEALING.iter().find(|(name, _)| *name == program && !sets);
    let phrases = row.map_or(&[][..], |(_, phrases)| phrases);
    let says = |phrase: &str| {
        let words: Vec<&str> = phrase.split(' ').collect();
        let mut places = args.windows(words.len());
        places.any(|place| {
            place
                .iter()
                .map(|arg| arg.text.as_str())
                .eq(words.iter().copied())
        })
    };
    let found = phrases.iter().copied().find(|phrase| says(phrase));
    found.or(decrypts.then_some("ssm get-parameter"))
}

/// Puts a read of a secret on the list if the command prints one; whether it does.
pub(super) fn reveals(context: &mut CommandContext<'_, '_>) -> bool {
    let program = context.invocation.program.as_str();
    let args = &context.invocation.args;
    let phrase = phrase_of(context.invocation);
    // `heroku config:get NODE_ENV`: a variable that is asked for by its name.
    let names_one = |arg: &crate::Arg| arg.is_known() && is_variable(&arg.text);
    let mut named = args.iter().skip(1).filter(|arg| names_one(arg)).peekable();
    if phrase.is_some_and(|phrase| phrase.ends_with(":get"))
        && named.peek().is_some()
        && named.all(|arg| !is_secret_variable(&arg.text))
    {
        return false;
    }
    let Some(phrase) = phrase else {
        return shows(context.world, context.invocation);
    };
    let words = format!("{program} {phrase}");
    effects::show_output(context.world, context.invocation, &words);
    true
}

/// Whether a word is spelled as variables are.
fn is_variable(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    text.starts_with(|c: char| c.is_ascii_uppercase()) && text.bytes().all(is_part)
}

/// What comes of it goes to the files that these options name.
fn writes(context: &mut CommandContext<'_, '_>, options: &[&str]) {
    let args = &context.invocation.args;
    for place in args.windows(2) {
        if let [option, file] = place
            && options.contains(&option.text.as_str())
            && file.text != "-"
        {
            let target = context.target(file);
            context.replace(&target, Flags::NONE, None);
        }
    }
}

/// `sops -d FILE`, `age -d FILE`: what is in it, unless it goes to a file.
fn decrypter(context: &mut CommandContext<'_, '_>) {
    writes(context, &["-o", "--output"]);
    let args = &context.invocation.args;
    let has = |known: &[&str]| args.iter().any(|arg| known.contains(&arg.text.as_str()));
    // For the other, `-i` names the key.
    let in_place = context.invocation.program == "sops" && has(&["-i", "--in-place"]);
    if !has(&["-d", "--decrypt", "decrypt"]) || has(&["-o", "--output"]) || in_place {
        return context.execute();
    }
    let words = format!("{} -d", context.invocation.program);
    effects::show_output(context.world, context.invocation, &words);
}

/// Words of a store of keys and passwords that take away what nobody else may have; an option may
/// be shortened as far as its first word here.
const TAKING: &[(&str, &[&str])] = &[
    ("bw", &["delete"]),
    (
        "doppler",
        &["configs delete", "projects delete", "secrets delete"],
    ),
    ("gopass", &["delete", "remove", "rm"]),
    (
        "gpg",
        &[
            "--delete-s",
            "--delete-secret-and-public-key",
            "--delete-secret-keys",
        ],
    ),
    ("keyring", &["del"]),
    ("lpass", &["rm"]),
    ("op", &["document delete", "item delete", "vault delete"]),
    ("pass", &["delete", "remove", "rm"]),
    ("secret-tool", &["clear"]),
    (
        "security",
        &[
            "delete-generic-password",
            "delete-identity",
            "delete-internet-password",
            "delete-keychain",
        ],
    ),
];

/// Whether a store loses what it holds.
fn takes(context: &CommandContext<'_, '_>) -> bool {
    let program = context.invocation.program.as_str();
    let Some((_, words)) = TAKING.iter().find(|(name, _)| *name == program) else {
        return false;
    };
    let (shortest, _) = words.split_first().unwrap_or((&"", &[]));
    let is_one = |word: &str| match word.starts_with("--") {
        true => word.starts_with(shortest) && words.iter().any(|known| known.starts_with(word)),
        false => words.contains(&word),
    };
    let texts = || context.invocation.args.iter().map(|arg| arg.text.as_str());
    let mut plain = texts().filter(|text| !text.starts_with('-'));
    let first = plain.next().unwrap_or_default();
    let two = [first, plain.next().unwrap_or_default()].join(" ");
    let mut options = texts().filter(|text| text.starts_with("--"));
    is_one(first) || is_one(&two) || options.any(is_one)
}

fn store(context: &mut CommandContext<'_, '_>) {
    writes(context, &["-o", "--out-file", "--output"]);
    if takes(context) {
        let lost = "what is kept there and perhaps nowhere else".to_owned();
        return context.destroy((ResourceKind::File, "keys"), Flags::NONE, lost);
    }
    if !reveals(context) {
        context.execute();
    }
}

/// `openssl rsa -in FILE` prints the private key, unless only its public half is asked for.
fn openssl(context: &mut CommandContext<'_, '_>) {
    const PRINTING: &[&str] = &[
        "base64", "dsa", "ec", "enc", "pkcs12", "pkcs8", "pkey", "rsa",
    ];
    const PUBLIC: &[&str] = &["-check", "-noout", "-nokeys", "-pubin", "-pubout"];
    writes(context, &["-out", "-keyout"]);
    let args = &context.invocation.args;
    let has = |known: &[&str]| args.iter().any(|arg| known.contains(&arg.text.as_str()));
    let first = args.first().map(|arg| arg.text.as_str());
    let is_coded = matches!(first, Some("enc" | "base64"));
    let prints = first.is_some_and(|word| PRINTING.contains(&word))
        && !has(PUBLIC)
        && !(is_coded && has(&["-out"]));
    let file = args.iter().skip_while(|arg| arg.text != "-in").nth(1);
    match file.filter(|_| prints).cloned() {
        Some(file) => context.read(&file),
        None => context.execute(),
    }
}
