//! Ways for data: a copy first, or the same on a database that is made to be thrown away. And for
//! processes: the list, before one of them is ended.

use model::Action;

use super::Stop;
use super::spelling::{command, first, instead, path, quoted};

/// A copy of what would be destroyed, by the program that has it.
pub(super) fn destroy(stop: &Stop<'_>, deed: &Action) -> Option<String> {
    let words: Vec<&str> = deed.argv.iter().map(String::as_str).collect();
    let at = |name: &str| words.iter().position(|word| base(word) == name);
    if let Some(at) = at("psql").or_else(|| at("dropdb")) {
        let rest = connection(words.get(at + 1..)?, PSQL);
        return copied(&["pg_dump", "-f", "kept.sql"], &rest);
    }
    if let Some(at) = at("mysql").or_else(|| at("mariadb")) {
        let rest = connection(words.get(at + 1..)?, MYSQL);
        return copied(&["mysqldump", "--result-file=kept.sql"], &rest);
    }
    if let Some(at) = at("sqlite3").or_else(|| at("duckdb")) {
        let mut rest = words.get(at + 1..)?.iter();
        let file = rest.find(|word| !word.starts_with('-'))?;
        let file = if file.starts_with('/') {
            path(file, stop.place)?
        } else {
            quoted(file)?
        };
        let command = format!("cp -n {file} {}", super::files::beside(&file));
        return first(&command, "then ask the user");
    }
    if at("redis-cli").is_some() {
        return copied(&["redis-cli", "--rdb", "kept.rdb"], &[]);
    }
    if at("mongosh").or_else(|| at("mongo")).is_some() {
        return copied(&["mongodump", "--out", "kept"], &[]);
    }
    frameworks(deed, &words)
}

/// Options of a client that say which server and database are meant, each with a value.
const PSQL: &[&str] = &[
    "-h",
    "-p",
    "-U",
    "-d",
    "--host",
    "--port",
    "--username",
    "--dbname",
];
const MYSQL: &[&str] = &[
    "-h",
    "-P",
    "-u",
    "-D",
    "--host",
    "--port",
    "--user",
    "--database",
];

/// What says which server and database are meant.
fn connection<'a>(words: &[&'a str], options: &[&str]) -> Vec<&'a str> {
    let mut kept = Vec::new();
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        let is_long = |option: &&str| option.starts_with("--") && word.starts_with(*option);
        let is_joined = word.contains('=') && options.iter().any(|option| is_long(option));
        if options.contains(&word) {
            kept.push(word);
            kept.extend(words.next());
        } else if is_joined {
            kept.push(word);
        } else if word.starts_with('-') {
            // What it takes, if it takes something, names no database.
            if matches!(
                word,
                "-c" | "-f" | "-e" | "-v" | "--command" | "--file" | "--execute"
            ) {
                let _ = words.next();
            }
        } else {
            kept.push(word);
        }
    }
    kept
}

fn copied(words: &[&str], more: &[&str]) -> Option<String> {
    let words = words.iter().chain(more).copied();
    first(&command(words)?, "then ask the user")
}

/// Tools that know their database by themselves.
fn frameworks(deed: &Action, words: &[&str]) -> Option<String> {
    let has = |name: &str| words.iter().any(|word| base(word) == name);
    let line = |words: &[&str]| command(words.iter().copied());
    if has("prisma") {
        let by = if has("npx") { "npx prisma" } else { "prisma" };
        return match (has("reset"), has("push")) {
            (true, _) => instead(&format!("{by} migrate deploy"), ", which loses nothing"),
            (_, true) => instead(&format!("{by} db push"), ", which refuses to lose data"),
            _ => None,
        };
    }
    if has("manage.py") {
        let dump = ["python", "manage.py", "dumpdata", "-o", "kept.json"];
        return first(&line(&dump)?, "then ask the user");
    }
    if has("alembic") {
        return first("alembic current", "then ask the user");
    }
    if has("wp") {
        return first("wp db export kept.sql", "then ask the user");
    }
    if has("drush") {
        return first(
            "drush sql:dump --result-file=../kept.sql",
            "then ask the user",
        );
    }
    let is_task = words.iter().any(|word| word.starts_with("db:"));
    if is_task && (has("rails") || has("rake")) {
        let again = command(words.iter().copied())?;
        return instead(&format!("RAILS_ENV=test {again}"), " in the test database");
    }
    let _ = deed;
    None
}

/// The name of a program or a script, without its directory.
fn base(word: &str) -> &str {
    word.rsplit_once('/').map_or(word, |(_, base)| base)
}

/// The processes that are meant, each with its number.
pub(super) fn processes(_: &Stop<'_>, deed: &Action) -> Option<String> {
    let is_name = |word: &&String| !word.starts_with('-');
    let name = deed.argv.iter().skip(1).rfind(is_name);
    let is_named = matches!(
        deed.argv.first().map(|word| base(word)),
        Some("pkill" | "killall")
    );
    let command = match name.filter(|_| is_named) {
        Some(name) => command(["pgrep", "-af", name])?,
        None => "ps -ef".to_owned(),
    };
    first(&command, "then end the one process by its number")
}
