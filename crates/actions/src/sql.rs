//! Statements that destroy, in SQL and in the language of a document database. Text in, names out.

mod conditions;

use conditions::is_unconditional;

/// What a text of statements would destroy: `table users`, `database app`. What the text made
/// itself, and what it takes back at its end, is no loss.
#[must_use]
pub fn destroyed(text: &str) -> Vec<String> {
    let mut names = read(text, Quotes::Texts);
    // A quote in a quoted name hides what follows from who takes it for the start of a text.
    if text.contains(['"', '`', '[']) {
        let more = read(text, Quotes::Names);
        let more = more.into_iter().filter(|name| !names.contains(name));
        let more: Vec<String> = more.collect();
        names.extend(more);
    }
    names.extend(in_blocks(text));
    names.extend(in_texts(text));
    names.extend(of_documents(text));
    names
}

/// What a text of statements opens to others: a table whose rows were guarded, a role that nothing
/// stops any more.
#[must_use]
pub fn opened(text: &str) -> Vec<String> {
    let statements = split(text, Quotes::Texts).into_iter();
    let found = statements.filter_map(|statement| {
        let words: Vec<&str> = statement.iter().map(String::as_str).collect();
        let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
        let is_free = || {
            lower
                .iter()
                .any(|word| matches!(*word, "bypassrls" | "superuser"))
        };
        match lower.as_slice() {
            ["alter", "table", .., "disable", "row", "level", "security"]
            | [
                "alter",
                "table",
                ..,
                "no",
                "force",
                "row",
                "level",
                "security",
            ] => Some(format!("table {}", name(&words, 2))),
            ["alter" | "create", "role" | "user", ..] if is_free() => {
                Some(format!("role {}", name(&words, 2)))
            }
            _ => None,
        }
    });
    found.collect()
}

/// Databases that a text of statements makes, as their end would name them; one that may be there
/// already is not counted.
#[must_use]
pub fn databases_made(text: &str) -> Vec<String> {
    let statements = split(text, Quotes::Texts).into_iter();
    let found = statements.filter_map(|statement| {
        let words: Vec<&str> = statement.iter().map(String::as_str).collect();
        let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        let is_new = !lower.iter().any(|word| word == "exists");
        match lower.as_slice() {
            [create, database, ..] if create == "create" && database == "database" && is_new => {
                Some(format!("database {}", name(&words, 2)))
            }
            _ => None,
        }
    });
    found.collect()
}

/// Which quotes a reading knows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    /// Those of texts alone: `'…'`.
    Texts,
    /// Those of names too: `"…"`, `` `…` ``, `[…]`.
    Names,
}

/// What the statements of a text would destroy.
fn read(text: &str, quotes: Quotes) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut made: Vec<String> = Vec::new();
    let mut begun = None;
    for statement in split(text, quotes) {
        let words: Vec<&str> = statement.iter().map(String::as_str).collect();
        let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
        match lower.as_slice() {
            ["begin", ..] | ["start", "transaction", ..] => begun = Some(names.len()),
            ["commit", ..] => begun = None,
            ["rollback"] => names.truncate(begun.take().unwrap_or(names.len())),
            // What stood there goes, if it did.
            ["create", "or", "replace", "table", ..] => {}
            // It may be there already.
            ["create", ..] if lower.contains(&"exists") => {}
            ["create", ..] => made.extend(created(&words, &lower)),
            _ => {}
        }
        if let Some(name) = of_statement(&words, &lower)
            && !names.contains(&name)
            && !made.contains(&name)
        {
            names.push(name);
        }
    }
    names
}

/// Things whose end takes data with it.
const HOLDERS: &[&str] = &[
    "bucket",
    "collection",
    "database",
    "keyspace",
    "measurement",
    "owned",
    "schema",
    "series",
    "stream",
    "table",
    "tablespace",
    "user",
    "warehouse",
];

/// `create table x`, `create temporary table x`: as its end would name it.
fn created(words: &[&str], lower: &[&str]) -> Option<String> {
    let at = lower.iter().position(|word| HOLDERS.contains(word))?;
    let holder = lower.get(at).filter(|_| at <= 3)?;
    Some(format!("{holder} {}", name(words, at + 1)))
}

fn of_statement(words: &[&str], lower: &[&str]) -> Option<String> {
    let has = |word: &str| lower.contains(&word);
    let is_whole = || is_unconditional(lower);
    match lower {
        ["explain", rest @ ..] => measured(words.get(1..)?, rest),
        ["create", "or", "replace", "table", ..] => Some(format!("table {}", name(words, 4))),
        ["drop", holder, ..] if HOLDERS.contains(holder) => {
            Some(format!("{holder} {}", name(words, 2)))
        }
        ["remove", "table" | "database" | "namespace", ..] => {
            Some(format!("table {}", name(words, 2)))
        }
        ["truncate", next, ..] if !next.starts_with('-') => {
            Some(format!("table {}", name(words, 1)))
        }
        ["delete", "from", ..] if is_whole() => Some(format!("table {}", name(words, 2))),
        ["delete", _, "from", ..] if is_whole() => Some(format!("table {}", name(words, 1))),
        ["update", ..] if has("set") && is_whole() => Some(format!("table {}", name(words, 1))),
        ["alter", "table", _, "delete", ..] if is_whole() => {
            Some(format!("table {}", name(words, 2)))
        }
        ["alter", "table", ..] if has("drop") && !has("constraint") && !has("index") => {
            Some(format!("columns of table {}", name(words, 2)))
        }
        ["with", ..] => within(words),
        ["copy", ..] if starts_program(lower) => Some("what a program may reach".into()),
        ["exec" | "execute", called, ..] if RUNNING.iter().any(|own| called.ends_with(own)) => {
            Some("what a program may reach".into())
        }
        ["select", ..]
            if lower
                .iter()
                .any(|word| RUNNING.iter().any(|own| word.starts_with(own))) =>
        {
            Some("what a program may reach".into())
        }
        ["select", ..] => forgotten(lower),
        // A graph: every node, unless the pattern says which.
        ["match", ..] if has("delete") && !has("where") && !words.concat().contains('{') => {
            Some("every node that matches".into())
        }
        _ => None,
    }
}

/// Procedures and functions that start a program where the database runs.
const RUNNING: &[&str] = &["xp_cmdshell", "sys_exec(", "sys_eval("];

/// Functions of a server by which it forgets what it keeps.
const FORGETTING: &[&str] = &[
    "lo_unlink(",
    "pg_drop_replication_slot(",
    "pg_file_unlink(",
    "pg_replication_origin_drop(",
    "pg_stat_reset(",
    "pg_stat_statements_reset(",
];

/// `SELECT pg_stat_reset()`
fn forgotten(lower: &[&str]) -> Option<String> {
    let mut words = lower.iter();
    let called = words.find_map(|word| FORGETTING.iter().find(|own| word.contains(**own)))?;
    Some(format!("what {} takes", called.trim_end_matches('(')))
}

/// What may stand between `EXPLAIN` and its statement.
const OPTIONS: &[&str] = &[
    "analyse", "analyze", "buffers", "costs", "false", "format", "json", "off", "on", "settings",
    "summary", "text", "timing", "true", "verbose", "wal", "yaml",
];

/// `EXPLAIN ANALYZE DELETE …`, `EXPLAIN (ANALYZE, BUFFERS) DELETE …`: what is measured is carried
/// out.
fn measured(words: &[&str], lower: &[&str]) -> Option<String> {
    let plain = |word: &str| word.trim_matches(['(', ')', ',']).to_owned();
    let is_option = |word: &&&str| OPTIONS.contains(&plain(word).as_str());
    let options = lower.iter().take_while(is_option).count();
    let is_run = lower
        .iter()
        .take(options)
        .any(|word| word.contains("analy"));
    let statement = (words.get(options..)?, lower.get(options..)?);
    is_run.then(|| of_statement(statement.0, statement.1))?
}

/// Statements in texts that another statement carries out: `EXEC('…')`, `sp_executesql N'…'`,
/// `PREPARE s FROM '…'`.
fn in_texts(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let starts = |statement: &str| {
        let first = statement.trim_start();
        ["exec ", "exec(", "execute ", "execute(", "prepare "]
            .iter()
            .any(|begin| first.starts_with(begin))
    };
    if !lower.split(';').any(starts) {
        return Vec::new();
    }
    let texts = text.split('\'').skip(1).step_by(2);
    texts.flat_map(|text| read(text, Quotes::Texts)).collect()
}

/// `COPY … TO PROGRAM '…'`
fn starts_program(lower: &[&str]) -> bool {
    let mut pairs = lower.windows(2);
    pairs.any(|pair| matches!(pair, ["to" | "from", program] if program.starts_with("program")))
}

/// `WITH x AS (DELETE FROM t RETURNING 1) UPDATE …`: what stands in parentheses, and what is around
/// them, is a statement of its own.
fn within(words: &[&str]) -> Option<String> {
    let mut open = vec![String::new()];
    let mut found = None;
    for letter in words.join(" ").chars() {
        match letter {
            '(' => open.push(String::new()),
            ')' if open.len() > 1 => found = found.or(open.pop().and_then(|part| alone(&part))),
            letter => open.last_mut()?.push(letter),
        }
    }
    // In front stands what the parts in parentheses are called.
    let outer = open.first()?;
    let changes = outer.split_whitespace().position(|word| {
        let word = word.to_lowercase();
        matches!(word.as_str(), "delete" | "update")
    });
    let outer: Vec<&str> = outer.split_whitespace().collect();
    found.or_else(|| alone(&outer.get(changes?..)?.join(" ")))
}

/// What one statement takes.
fn alone(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    of_statement(&words, &lower)
}

/// `DO $$ … EXECUTE 'DROP TABLE x' … $$`: statements in the text of a block.
fn in_blocks(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let is_block = lower.trim_start().starts_with("do ") && lower.contains("execute");
    let plain = lower.replace(['\'', '"', '(', ')', ';'], " ");
    let words: Vec<&str> = plain.split_whitespace().collect();
    let mut places = words.windows(2).filter(|_| is_block);
    let drops = |place: &[&str]| match place {
        ["drop", holder] => HOLDERS.contains(holder),
        ["truncate", _] => true,
        _ => false,
    };
    places.any(drops).then(|| "what the block names".to_owned())
}

/// The first word from a place that is no keyword.
fn name<'w>(words: &[&'w str], from: usize) -> &'w str {
    const KEYWORDS: &[&str] = &["by", "concurrently", "exists", "if", "not", "only", "table"];
    let rest = words.iter().skip(from);
    let named = rest.copied().find(|word| {
        let word = word.to_lowercase();
        !KEYWORDS.contains(&word.as_str())
    });
    let named = named.map_or("", |word| word.split('(').next().unwrap_or_default());
    named.trim_matches(['"', '`', ',', '(', ')'])
}

/// Statements as words, without comments; quoted text is one word.
fn split(text: &str, quotes: Quotes) -> Vec<Vec<String>> {
    let mut statements = vec![Vec::new()];
    let mut word = String::new();
    // Whether this stands in a comment that is carried out: `/*!50000 DROP TABLE t */` (MySQL).
    let mut is_carried_out = false;
    let mut letters = text.chars().peekable();
    let flush = |word: &mut String, statements: &mut Vec<Vec<String>>| {
        if !word.is_empty()
            && let Some(last) = statements.last_mut()
        {
            last.push(std::mem::take(word));
        }
    };
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => {
                word.push('\'');
                while letters.next_if(|letter| *letter != '\'').is_some() {}
                letters.next();
            }
            '"' | '`' | '[' if quotes == Quotes::Names => {
                let end = if letter == '[' { ']' } else { letter };
                let letters = letters.by_ref();
                word.extend(letters.take_while(|letter| *letter != end));
            }
            '-' if letters.peek() == Some(&'-') => {
                flush(&mut word, &mut statements);
                while letters.next_if(|letter| *letter != '\n').is_some() {}
            }
            '*' if is_carried_out && letters.next_if_eq(&'/').is_some() => {
                is_carried_out = false;
                flush(&mut word, &mut statements);
            }
            '/' if letters.next_if_eq(&'*').is_some() => {
                flush(&mut word, &mut statements);
                letters.next_if_eq(&'M');
                if letters.next_if_eq(&'!').is_some() {
                    is_carried_out = true;
                    while letters.next_if(char::is_ascii_digit).is_some() {}
                    continue;
                }
                let mut before = ' ';
                for letter in letters.by_ref() {
                    if before == '*' && letter == '/' {
                        break;
                    }
                    before = letter;
                }
            }
            ';' => {
                flush(&mut word, &mut statements);
                statements.push(Vec::new());
            }
            letter if letter.is_whitespace() => flush(&mut word, &mut statements),
            letter => word.push(letter),
        }
    }
    flush(&mut word, &mut statements);
    statements
}

/// Calls of a document database's shell.
fn of_documents(text: &str) -> Option<String> {
    const CALLS: &[&str] = &[
        ".deleteMany({})",
        ".drop()",
        ".dropDatabase(",
        ".remove({})",
        ".dropUser(",
        "._drop(",
        "._dropDatabase(",
        "dropDatabase:1",
    ];
    let mut dense = text.to_owned();
    dense.retain(|c| !c.is_whitespace() && !matches!(c, '"' | '\''));
    match CALLS.iter().find(|call| dense.contains(**call)) {
        Some(found) => Some(format!("what {} takes", found.trim_matches(['.', '(']))),
        None => of_pipeline(&dense),
    }
}

/// What the last stage of a pipeline writes over: `{$out:users}` a whole collection, `{$merge:…}`
/// the documents that match, unless it keeps them.
fn of_pipeline(dense: &str) -> Option<String> {
    let (_, stages) = dense.split_once(".aggregate(")?;
    let kept = ["whenMatched:keepExisting", "whenMatched:fail"];
    let (_, into) = match stages.split_once("{$out:") {
        Some(found) => found,
        None if kept.iter().any(|kept| stages.contains(kept)) => return None,
        None => stages.split_once("{$merge:")?,
    };
    let of = |name: &str| into.split_once(name).map(|(_, rest)| rest);
    let named = of("coll:").or_else(|| of("into:")).unwrap_or(into);
    let ends = |letter: char| matches!(letter, ',' | '{' | '}' | ')');
    let name = named.split(ends).next().unwrap_or_default();
    Some(format!("collection {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn destroying_statements_are_named() {
        for (text, expected) in [
            ("SELECT 1", vec![]),
            ("DROP TABLE poc_stage;", vec!["table poc_stage"]),
            (
                "DROP SCHEMA public CASCADE; CREATE SCHEMA public;",
                vec!["schema public"],
            ),
            ("drop table if exists \"a\"", vec!["table a"]),
            ("TRUNCATE TABLE users", vec!["table users"]),
            ("truncate -s 0 run.log", vec![]),
            ("DELETE FROM users", vec!["table users"]),
            ("DELETE FROM users WHERE id = 1", vec![]),
            ("select 'drop table x'", vec![]),
            ("-- drop table x\nselect 1", vec![]),
            ("/* drop table x; */ select 1; truncate t", vec!["table t"]),
            ("UPDATE users SET a = 1", vec!["table users"]),
            ("DROP INDEX i", vec![]),
            ("drop/**/table/**/t", vec!["table t"]),
            ("SELECT 1; /*!50000 DROP TABLE t */", vec!["table t"]),
            ("/*M!100100 TRUNCATE t */", vec!["table t"]),
            ("/*!40101 SET NAMES utf8 */; SELECT 1", vec![]),
            ("DELETE--x\nFROM t", vec!["table t"]),
            ("EXPLAIN (ANALYZE, BUFFERS) DELETE FROM t", vec!["table t"]),
            ("EXPLAIN VERBOSE DELETE FROM t", vec![]),
            ("EXPLAIN ANALYZE DELETE FROM t WHERE id = 1", vec![]),
            ("EXEC sp_executesql N'DROP TABLE t'", vec!["table t"]),
            ("PREPARE s FROM 'TRUNCATE t'; EXECUTE s", vec!["table t"]),
            ("EXEC sp_rename 'a', 'b'", vec![]),
            ("DELETE t FROM t JOIN u ON t.id = u.id", vec!["table t"]),
            ("SELECT pg_stat_reset()", vec!["what pg_stat_reset takes"]),
            ("SELECT * FROM pg_stat_user_tables", vec![]),
            ("ALTER TABLE t DROP COLUMN c", vec!["columns of table t"]),
            ("DELETE FROM users WHERE 1=1", vec!["table users"]),
            ("delete from users where true", vec!["table users"]),
            ("BEGIN; DELETE FROM users; ROLLBACK;", vec![]),
            ("BEGIN; DELETE FROM users; COMMIT;", vec!["table users"]),
            ("CREATE TABLE t(x int); DROP TABLE t", vec![]),
            (
                "drop table if exists t; create table t(x int)",
                vec!["table t"],
            ),
            ("EXPLAIN DELETE FROM users", vec![]),
            ("EXPLAIN ANALYZE DELETE FROM users", vec!["table users"]),
            (
                "DO $$ BEGIN EXECUTE 'DROP TABLE x'; END $$",
                vec!["what the block names"],
            ),
            ("DROP OWNED BY app", vec!["owned app"]),
            ("ALTER TABLE e DELETE WHERE 1", vec!["table e"]),
            ("ALTER TABLE e DELETE WHERE day < 3", vec![]),
            ("MATCH (n) DETACH DELETE n", vec!["every node that matches"]),
            ("MATCH (n:User {id: 1}) DETACH DELETE n", vec![]),
            ("truncate -s 0 notes", vec![]),
        ] {
            assert_eq!(destroyed(text), expected, "{text}");
        }
    }

    #[test]
    fn what_a_document_store_is_told_is_named() {
        for (text, expected) in [
            ("db.users.deleteMany({})", vec!["what deleteMany({}) takes"]),
            (
                "db.users.deleteMany( { } )",
                vec!["what deleteMany({}) takes"],
            ),
            (
                "db.runCommand({\"dropDatabase\": 1})",
                vec!["what dropDatabase:1 takes"],
            ),
            (
                "db.a.aggregate([{$match: {}}, {$out: 'users'}])",
                vec!["collection users"],
            ),
            (
                "db.a.aggregate([{\"$out\": {db: 'x', coll: 'users'}}])",
                vec!["collection users"],
            ),
            (
                "db.a.aggregate([{$merge: {into: 'users', whenMatched: 'replace'}}])",
                vec!["collection users"],
            ),
            (
                "db.a.aggregate([{$merge: {into: 'users', whenMatched: 'keepExisting'}}])",
                vec![],
            ),
            ("db.a.aggregate([{$count: 'out'}])", vec![]),
        ] {
            assert_eq!(destroyed(text), expected, "{text}");
        }
    }

    #[test]
    fn a_condition_that_leaves_no_row_out_is_none() {
        for (text, is_whole) in [
            ("DELETE FROM t WHERE id > 0", true),
            ("DELETE FROM t WHERE (id >= 1 AND id IS NOT NULL)", true),
            ("DELETE FROM t WHERE t.id <> -1;", true),
            ("DELETE FROM t WHERE name LIKE '%'", false),
            ("DELETE FROM t WHERE id IS NOT NULL OR 1", true),
            ("DELETE FROM t WHERE day < 3 OR (1 = 1)", true),
            ("DELETE FROM t WHERE day < 3 OR id = 4", false),
            ("DELETE FROM t WHERE 1 < 2", true),
            ("DELETE FROM t WHERE 2 < 1", false),
            ("DELETE FROM t WHERE id = id", true),
            ("DELETE FROM t WHERE a = b", false),
            ("DELETE FROM t WHERE NOT false", true),
            ("DELETE FROM t WHERE NOT (1 = 2)", true),
            ("DELETE FROM t WHERE NOT done", false),
            ("DELETE FROM t WHERE a IS NULL OR a IS NOT NULL", true),
            ("DELETE FROM t WHERE a IS NULL OR b IS NOT NULL", false),
            ("DELETE FROM t WHERE id IN (SELECT id FROM t)", true),
            (
                "DELETE FROM t WHERE id IN (SELECT id FROM t WHERE x = 1)",
                false,
            ),
            ("DELETE FROM t WHERE id IN (SELECT id FROM old)", false),
            ("UPDATE t SET a = (SELECT b FROM u WHERE u.id = t.id)", true),
            ("DELETE FROM t WHERE true RETURNING *", true),
            ("DELETE FROM t WHERE created_at < now()", true),
            ("DELETE FROM t WHERE t.inserted <= CURRENT_TIMESTAMP", true),
            (
                "DELETE FROM t WHERE created_at < now() - interval '30 days'",
                false,
            ),
            ("DELETE FROM t WHERE expires_at < now()", false),
            ("DELETE FROM t WHERE id > 500", false),
            ("DELETE FROM t WHERE id > 0 AND day < 3", false),
            ("DELETE FROM t WHERE ends IS NOT NULL", false),
            ("DELETE FROM t WHERE id > 0 LIMIT 10", false),
            ("UPDATE t SET a = NULL, b = NULL WHERE a IS NOT NULL", true),
            ("UPDATE t SET b = NULL WHERE a IS NOT NULL", false),
            ("UPDATE t SET a = NULL WHERE id = 3", false),
        ] {
            assert_eq!(!destroyed(text).is_empty(), is_whole, "{text}");
        }
    }

    #[test]
    fn statements_behind_others_and_programs_are_named() {
        for (text, expected) in [
            ("WITH x AS (SELECT 1) DELETE FROM t", vec!["table t"]),
            (
                "WITH x AS (SELECT 1) UPDATE users SET a = 1",
                vec!["table users"],
            ),
            (
                "WITH d AS (DELETE FROM notes RETURNING 1) SELECT count(*) FROM d",
                vec!["table notes"],
            ),
            (
                "WITH d AS (DELETE FROM notes WHERE id = 3 RETURNING *) SELECT * FROM d",
                vec![],
            ),
            (
                "WITH old AS (SELECT id FROM t WHERE day < 3) DELETE FROM t WHERE id IN (SELECT id FROM old)",
                vec![],
            ),
            ("WITH x AS (SELECT 1 AS deleted) SELECT * FROM x", vec![]),
            (
                "WITH x AS (SELECT 1) UPDATE t SET a = (SELECT b FROM x) WHERE id = 1",
                vec![],
            ),
            ("SELECT [a'];DELETE FROM t --'", vec!["table t"]),
            ("SELECT \"a'\";DROP TABLE t --'", vec!["table t"]),
            ("SELECT \"drop\", [delete from] FROM t", vec![]),
            ("SELECT tags['a'], ARRAY['x;y'] FROM t", vec![]),
            (
                "COPY (SELECT 1) TO PROGRAM 'id'",
                vec!["what a program may reach"],
            ),
            ("COPY t TO STDOUT WITH CSV", vec![]),
            (
                "EXEC master..xp_cmdshell 'dir'",
                vec!["what a program may reach"],
            ),
        ] {
            assert_eq!(destroyed(text), expected, "{text}");
        }
    }
}
