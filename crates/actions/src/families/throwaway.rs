//! What is made to be thrown away: databases and services of tests, in memory, or at an address of
//! this machine that the command itself names. Words only; nothing is looked up.

use crate::address::is_loopback;
use crate::{Arg, Invocation};
use model::Flag;

/// Parts of names that say "for tests".
const TEST_WORDS: &[&str] = &[
    "ci", "e2e", "sandbox", "scratch", "spec", "specs", "temp", "test", "testing", "tests", "tmp",
];

/// Parts of names that say "others work with it".
const LIVE_WORDS: &[&str] = &["live", "prd", "prod", "production", "staging"];

/// Variables that name the surroundings a program works in.
const SURROUNDINGS: &[&str] = &[
    "APP_ENV",
    "ASPNETCORE_ENVIRONMENT",
    "DB_DATABASE",
    "DB_NAME",
    "DJANGO_SETTINGS_MODULE",
    "ENV",
    "ENVIRONMENT",
    "FLASK_ENV",
    "HANAMI_ENV",
    "LARAVEL_ENV",
    "MIX_ENV",
    "MYSQL_DATABASE",
    "NODE_ENV",
    "PGDATABASE",
    "RACK_ENV",
    "RAILS_ENV",
];

/// Variables that say where a database is.
const ADDRESSES: &[&str] = &[
    "AWS_ENDPOINT_URL",
    "DATABASE_URL",
    "DB_HOST",
    "DB_URL",
    "MONGODB_URI",
    "MYSQL_HOST",
    "PGHOST",
    "REDIS_URL",
];

/// Options whose value names the surroundings.
const SURROUNDING_OPTIONS: &[&str] = &[
    "--connection",
    "--database",
    "--db",
    "--dbname",
    "--env",
    "--environment",
    "--settings",
    "--stage",
    "-d",
    "-D",
    "-e",
];

/// Options whose value is a host or an address.
const ADDRESS_OPTIONS: &[&str] = &[
    "--bootstrap-server",
    "--database-url",
    "--db-url",
    "--dburl",
    "--endpoint",
    "--endpoint-url",
    "--host",
    "--server",
    "--uri",
    "--url",
    "-H",
    "-S",
    "-U",
    "-h",
    "-u",
];

/// Options whose value names somebody: `ci` is what builds and tests for everyone.
const WHO_OPTIONS: &[&str] = &[
    "--account",
    "--group-name",
    "--iam-account",
    "--role-name",
    "--service-account",
    "--user",
    "--user-name",
    "--username",
];

/// Whether a command says that what it works on is for tests, in memory or on this machine.
pub(super) fn is_throwaway(invocation: &Invocation) -> bool {
    // An address of "this machine" is another one there.
    let is_near = !invocation.flags.has(Flag::Elsewhere);
    let says = Said::by(invocation);
    !says.live && (says.test || says.near && is_near)
}

/// Whether a command says that others work with what it works on.
pub(super) fn is_live(invocation: &Invocation) -> bool {
    Said::by(invocation).live
}

/// What the words of a command say.
#[derive(Default)]
struct Said {
    test: bool,
    near: bool,
    live: bool,
}

impl Said {
    fn by(invocation: &Invocation) -> Self {
        let mut says = Self::default();
        for name in SURROUNDINGS {
            says.surroundings(invocation.var(name));
        }
        for name in ADDRESSES {
            says.address(invocation.var(name));
        }
        let mut before = "";
        for arg in &invocation.args {
            let option = std::mem::replace(&mut before, &arg.text);
            let (name, value) = match arg.text.split_once('=') {
                Some((name, value)) if !arg.text.contains("://") || name.starts_with('-') => {
                    (name, value)
                }
                _ => (option, arg.text.as_str()),
            };
            let value = Arg {
                text: value.to_owned(),
                ..arg.clone()
            };
            if WHO_OPTIONS.contains(&name) {
                continue;
            }
            let is_variable = SURROUNDINGS.contains(&name);
            if is_variable || SURROUNDING_OPTIONS.contains(&name) {
                says.surroundings(Some(&value));
            }
            if ADDRESSES.contains(&name) || ADDRESS_OPTIONS.contains(&name) {
                says.address(Some(&value));
            }
            if arg.text == "--local" {
                says.near = true;
            }
            if arg.text.contains("://") {
                says.address(Some(arg));
            } else if is_plain(&arg.text) {
                says.surroundings(Some(arg));
            } else if arg.text.contains(":memory:") {
                says.test = true;
            }
        }
        says
    }

    fn surroundings(&mut self, word: Option<&Arg>) {
        let Some(word) = word else {
            return;
        };
        self.test |= has_part(&word.text, TEST_WORDS) || word.text.contains(":memory:");
        self.live |= has_part(&word.text, LIVE_WORDS);
    }

    fn address(&mut self, word: Option<&Arg>) {
        let Some(word) = word else {
            return;
        };
        self.live |= has_part(&word.text, LIVE_WORDS);
        self.near |= is_loopback(&word.text);
        let name = word.text.rsplit('/').next().unwrap_or_default();
        let name = name.split('?').next().unwrap_or_default();
        self.test |= word.text.contains("://") && has_part(name, TEST_WORDS);
        let is_file = word.text.starts_with("file:") || word.text.starts_with("sqlite:");
        self.test |=
            is_file && (has_part(&word.text, TEST_WORDS) || word.text.contains(":memory:"));
    }
}

/// A bare name, as databases have: no path, no option, no sentence.
fn is_plain(text: &str) -> bool {
    let mut letters = text.chars();
    letters.clone().next().is_some_and(char::is_alphanumeric)
        && letters.all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
}

/// Whether a file's name says that it is for tests.
pub(super) fn is_for_tests(file: &str) -> bool {
    let name = text::path::file_name(file);
    has_part(name, TEST_WORDS) && !has_part(name, LIVE_WORDS)
}

/// Whether a name says that others work with what it names.
pub(super) fn is_live_name(name: &str) -> bool {
    has_part(name, LIVE_WORDS)
}

fn has_part(text: &str, known: &[&str]) -> bool {
    let mut parts = text.split(|c: char| !c.is_ascii_alphanumeric());
    parts.any(|part| known.contains(&part.to_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(line: &str) -> bool {
        let args = line.split_whitespace().map(Arg::literal).collect();
        is_throwaway(&Invocation {
            args,
            ..Invocation::default()
        })
    }

    #[test]
    fn tests_memory_and_this_machine_are_told_from_the_rest() {
        for line in [
            "-h localhost shop",
            "--host=127.0.0.1",
            "-d shop_test -c x",
            "app_test",
            "postgres://u:p@localhost:5433/app",
            "postgres://db.example/app_test?sslmode=off",
            "--settings=app.settings.test flush",
            "db:drop RAILS_ENV=test",
            "--env=testing",
            "--endpoint-url http://localhost:4566 s3",
            ":memory: x",
            "-u redis://127.0.0.1:6379/15 x",
            "-h [::1] x",
        ] {
            assert!(said(line), "{line}");
        }
        for line in [
            "shop",
            "-h db.example shop",
            "-h localhost -d shop_prod",
            "postgres://db.example/app",
            "-f test.sql shop",
            "latest",
            "contest",
            "-c test/x",
            "postgres://localhost.evil.example/app",
            "postgres://test.example/app",
            "iam delete-user --user-name ci",
        ] {
            assert!(!said(line), "{line}");
        }
    }

    #[test]
    fn elsewhere_this_machine_is_another() {
        let args = ["-h", "localhost", "shop"].map(Arg::literal).to_vec();
        let flags = model::Flags::NONE.with(Flag::Elsewhere);
        let there = Invocation {
            args,
            flags,
            ..Invocation::default()
        };
        assert!(!is_throwaway(&there));
    }
}
