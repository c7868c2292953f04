//! Ways for data: a copy first, or the same on a database that is made to be thrown away. And for
//! processes: the list, before one of them is ended.

use model::Action;

use super::Stop;
use super::spelling::{command, first, instead, path, quoted};

/// A copy of what would be destroyed, by the program that has it.
pub(super) fn destroy(stop: &Stop<'_>, action: &Action) -> Option<String> {
    let words: Vec<&str> = action.argv.iter().map(String::as_str).collect();
    let after = |names: &[&str]| {
        let at = words.iter().position(|word| names.contains(&base(word)));
        words.get(at? + 1..)
    };
    if let Some(rest) = after(&["psql", "dropdb"]) {
        return copied(
            &["pg_dump", "-f", "kept.sql"],
            &connection(rest, PSQL),
            action,
        );
    }
    if let Some(rest) = after(&["mysql", "mariadb"]) {
        let words = ["mysqldump", "--result-file=kept.sql"];
        return copied(&words, &connection(rest, MYSQL), action);
    }
    if let Some(rest @ [.., name]) = after(&["mysqladmin"]) {
        let words = ["mysqldump", "--result-file=kept.sql"];
        let server = server(rest, MYSQL);
        return copied(&words, &[server, vec![name]].concat(), action);
    }
    if let Some(rest) = after(&["sqlite3", "duckdb"]) {
        let file = rest.iter().find(|word| !word.starts_with('-'))?;
        let file = if file.starts_with('/') {
            path(file, stop.place)?
        } else {
            quoted(file)?
        };
        let command = format!("cp -n {file} {}", super::files::beside(&file));
        return first(&command, "then ask the user");
    }
    if let Some(rest) = after(&["redis-cli"]) {
        let server = [vec!["redis-cli"], server(rest, REDIS)].concat();
        return copied(&server, &["--rdb", "kept.rdb"], action);
    }
    if let Some(rest) = after(&["mongosh", "mongo"]) {
        let at = rest.iter().find(|word| word.starts_with("mongodb"));
        let server = at.map(|at| format!("--uri={at}"));
        let words = ["mongodump", "--out", "kept"];
        return copied(&words, &Vec::from_iter(server.as_deref()), action);
    }
    frameworks(&words, &action.text)
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

const REDIS: &[&str] = &["-h", "-p", "-n", "-u", "-s", "--user"];

/// The options that say which server is meant, without any other word.
fn server<'a>(words: &[&'a str], options: &[&str]) -> Vec<&'a str> {
    let kept = connection(words, options);
    let is_value = |at: usize| at > 0 && kept.get(at - 1).is_some_and(|one| options.contains(one));
    let kept = kept.iter().enumerate();
    let kept = kept.filter(|(at, word)| word.starts_with('-') || is_value(*at));
    kept.map(|(_, word)| *word).collect()
}

/// What says which server and database are meant.
fn connection<'a>(words: &[&'a str], options: &[&str]) -> Vec<&'a str> {
    let mut kept = Vec::new();
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        let is_long = |option: &&str| option.starts_with("--") && word.starts_with(*option);
        let is_joined = word.contains('=') && options.iter().any(is_long);
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

fn copied(words: &[&str], more: &[&str], action: &Action) -> Option<String> {
    let spelled = |word: &&str| match word.contains('\u{fffc}') {
        // What the words do not say is said by the variable that stood there.
        true => variable(&action.text),
        false => quoted(word),
    };
    let words: Option<Vec<String>> = words.iter().chain(more).map(spelled).collect();
    first(&words?.join(" "), "then ask the user")
}

/// The first word of a command that is a variable and nothing else.
fn variable(text: &str) -> Option<String> {
    let is_name = |name: &str| {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        !name.is_empty() && name.chars().all(is_word)
    };
    let mut words = text.split_whitespace().filter_map(|word| {
        let bare = word.trim_matches('"').strip_prefix('$')?;
        is_name(bare).then(|| format!("\"${bare}\""))
    });
    words.next()
}

/// Tools that know their database by themselves, and how each writes down what is there.
const DUMPS: &[(&str, &[&str])] = &[
    ("manage.py", &["dumpdata", "-o", "kept.json"]),
    ("alembic", &["current"]),
    ("wp", &["db", "export", "kept.sql"]),
    ("drush", &["sql:dump", "--result-file=../kept.sql"]),
];

fn frameworks(words: &[&str], text: &str) -> Option<String> {
    // As it was written, with what starts it: `npx`, `python`.
    let written: Vec<&str> = text.split_whitespace().collect();
    let by = |name: &str, more: &[&str]| {
        let is_it = |word: &&str| base(word) == name;
        let at = words.iter().position(is_it)?;
        let started = match written.iter().position(is_it) {
            Some(at) => written.iter().take(at + 1),
            None => words.iter().take(at + 1),
        };
        command(started.chain(more).copied())
    };
    let has = |name: &str| words.contains(&name);
    if has("reset")
        && let Some(deploy) = by("prisma", &["migrate", "deploy"])
    {
        return instead(&deploy, ", which loses nothing");
    }
    if has("push")
        && let Some(push) = by("prisma", &["db", "push"])
    {
        return instead(&push, ", which refuses to lose data");
    }
    let mut dumps = DUMPS.iter().filter_map(|(name, more)| by(name, more));
    first(&dumps.next()?, "then ask the user")
}

/// The name of a program or a script, without its directory.
fn base(word: &str) -> &str {
    word.rsplit_once('/').map_or(word, |(_, base)| base)
}

/// The processes that are meant, each with its number.
pub(super) fn processes(_: &Stop<'_>, action: &Action) -> Option<String> {
    let is_name = |word: &&String| !word.starts_with('-');
    let name = action.argv.iter().skip(1).rfind(is_name);
    let is_named = matches!(
        action.argv.first().map(|word| base(word)),
        Some("pkill" | "killall")
    );
    // A name behind `-u` is a user's.
    let is_plain = !action.argv.iter().any(|word| word.starts_with("-u"));
    let command = match name.filter(|_| is_named && is_plain) {
        Some(name) => command(["pgrep", "-af", name])?,
        None => "ps -ef".to_owned(),
    };
    first(&command, "then end the one process by its number")
}
