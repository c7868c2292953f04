//! Statements that a program sends to databases: texts that are given to a call, and those that a
//! name stands for. Must not know what a statement does.

use super::tokens::Token;

/// Last parts of names of calls that send a statement to a database.
const SENDING: &[&str] = &[
    "Exec",
    "ExecContext",
    "command",
    "do",
    "exec",
    "exec_driver_sql",
    "execute",
    "executeBatch",
    "executeQuery",
    "executeRaw",
    "executeRawUnsafe",
    "executeSql",
    "executeStatement",
    "executeUpdate",
    "exec_query",
    "execute_batch",
    "execute_raw",
    "executemany",
    "executescript",
    "multi_query",
    "mysqli_multi_query",
    "mysqli_query",
    "none",
    "pg_query",
    "prepare",
    "query",
    "queryRaw",
    "queryRawUnsafe",
    "query_raw",
    "raw",
    "run",
    "runSql",
    "sql",
    "statement",
    "unprepared",
    "unsafe",
];

/// Calls that only mark a text as a statement.
const MARKING: &[&str] = &["SQL", "lit", "literal", "raw", "sql", "text"];

/// Names that send the template behind them.
const TAGS: &[&str] = &["executeRaw", "queryRaw", "sql"];

/// Keys of what is given to a call whose value is a statement.
const KEYS: &[&str] = &["query", "sql", "statement", "text"];

/// Words between a name and the list whose members it stands for, one after the other.
const MEMBERS: &[&str] = &["in", "of"];

/// Texts that are given to calls which send statements to a database.
pub(super) fn statements(tokens: &[Token]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let Token::Name(name) = token else {
            continue;
        };
        let name = last_part(name);
        match tokens.get(at + 1..).unwrap_or_default() {
            [Token::Sign('('), given @ ..] if SENDING.contains(&name) => {
                found.extend(given_texts(tokens, given));
            }
            [text, ..] if TAGS.contains(&name) => found.extend(text.text()),
            _ => {}
        }
    }
    found
}

/// The texts that the first arguments of a call are or stand for.
fn given_texts(tokens: &[Token], given: &[Token]) -> Vec<String> {
    match given {
        [Token::Name(mark), Token::Sign('('), rest @ ..] if MARKING.contains(&last_part(mark)) => {
            given_texts(tokens, rest)
        }
        [
            Token::Sign('{'),
            Token::Name(key),
            Token::Sign(':'),
            value,
            ..,
        ] if KEYS.contains(&key.as_str()) => value.text().into_iter().collect(),
        // What a statement is sent to may come first.
        [Token::Name(_), Token::Sign(','), text, ..] if text.text().is_some() => {
            text.text().into_iter().collect()
        }
        [
            Token::Name(name),
            Token::Sign(')' | ',') | Token::End | Token::Line(_),
            ..,
        ] => named(tokens, name),
        [text, ..] => text.text().into_iter().collect(),
        [] => Vec::new(),
    }
}

/// The texts that a name is given, by itself or as one of a list after the other.
fn named(tokens: &[Token], name: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if token.name() != Some(name) {
            continue;
        }
        match tokens.get(at + 1..).unwrap_or_default() {
            [
                Token::Sign('='),
                Token::Name(mark),
                Token::Sign('('),
                text,
                ..,
            ] if MARKING.contains(&last_part(mark)) => {
                found.extend(text.text());
            }
            [Token::Sign('='), text, ..] => found.extend(text.text()),
            [Token::Name(word), list @ ..] if MEMBERS.contains(&word.as_str()) => {
                found.extend(listed(tokens, list));
            }
            _ => {}
        }
    }
    found
}

/// The texts in a list, or in the one that a name stands for.
fn listed(tokens: &[Token], list: &[Token]) -> Vec<String> {
    match list {
        [Token::Sign('[' | '('), rest @ ..] => {
            let inside = rest.iter().take_while(|token| {
                let is_between = token.is_end() || **token == Token::Sign(',');
                is_between || token.text().is_some()
            });
            inside.filter_map(Token::text).collect()
        }
        [Token::Name(name), ..] => {
            let list = tokens.windows(3).position(|place| match place {
                [Token::Name(own), Token::Sign('='), Token::Sign('[' | '(')] => own == name,
                _ => false,
            });
            list.map_or_else(Vec::new, |at| {
                listed(&[], tokens.get(at + 2..).unwrap_or_default())
            })
        }
        _ => Vec::new(),
    }
}

fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::super::language::{NODE, PYTHON};
    use super::super::tokens::tokens;
    use super::statements;

    #[test]
    fn what_is_sent_is_found_by_text_and_by_name() {
        for text in [
            "cur.execute('S')",
            "cur.execute(text('S'))",
            "cur.execute(sql.SQL('S').format(x))",
            "q = 'S'\ncur.execute(q)",
            "q = text('S')\ncur.execute(q, {})",
            "for s in ['S', 'S']:\n  cur.execute(s)",
            "all = [\n 'S',\n]\nfor s in all:\n  cur.execute(s)",
        ] {
            let found = statements(&tokens(text, &PYTHON));
            assert!(found.iter().any(|found| found == "S"), "{text}: {found:?}");
        }
        for text in [
            "p.$executeRaw`S`",
            "const q = 'S'; c.query(q)",
            "c.query({text: 'S'})",
            "for (const s of ['S']) await c.query(s)",
        ] {
            let found = statements(&tokens(text, &NODE));
            assert!(found.iter().any(|found| found == "S"), "{text}: {found:?}");
        }
        for text in ["print('S')", "q = 'S'", "q = 'S'\nprint(q)", "x['sql']"] {
            assert!(statements(&tokens(text, &PYTHON)).is_empty(), "{text}");
        }
    }
}
