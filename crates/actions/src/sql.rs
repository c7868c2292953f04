//! Statements that destroy, in SQL and in the language of a document database. Text in, names out.

/// What a text of statements would destroy: `table users`, `database app`.
#[must_use]
pub fn destroyed(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for statement in split(text) {
        let words: Vec<&str> = statement.iter().map(String::as_str).collect();
        if let Some(name) = of_statement(&words)
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    names.extend(of_documents(text));
    names
}

/// Things whose end takes data with it.
const HOLDERS: &[&str] = &[
    "table",
    "database",
    "schema",
    "tablespace",
    "keyspace",
    "user",
];

fn of_statement(words: &[&str]) -> Option<String> {
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    let has = |word: &str| lower.contains(&word);
    match lower.as_slice() {
        ["drop", holder, ..] if HOLDERS.contains(holder) => {
            Some(format!("{holder} {}", name(words, 2)))
        }
        // With an option it is the program of that name.
        ["truncate", next, ..] if next.starts_with('-') => None,
        ["truncate", ..] => Some(format!("table {}", name(words, 1))),
        ["delete", "from", ..] if !has("where") => Some(format!("table {}", name(words, 2))),
        ["update", ..] if has("set") && !has("where") => Some(format!("table {}", name(words, 1))),
        ["alter", "table", ..] if has("drop") && !has("constraint") && !has("index") => {
            Some(format!("columns of table {}", name(words, 2)))
        }
        ["with", ..] if has("delete") && !has("where") => Some("rows".into()),
        _ => None,
    }
}

/// The first word from a place that is no keyword.
fn name<'w>(words: &[&'w str], from: usize) -> &'w str {
    const KEYWORDS: &[&str] = &["if", "exists", "table", "only", "concurrently"];
    let rest = words.iter().skip(from);
    let named = rest.copied().find(|word| {
        let word = word.to_lowercase();
        !KEYWORDS.contains(&word.as_str())
    });
    named.map_or("", |word| word.trim_matches(['"', '`', ',', '(', ')']))
}

/// Statements as words, without comments; quoted text is one word.
fn split(text: &str) -> Vec<Vec<String>> {
    let mut statements = vec![Vec::new()];
    let mut word = String::new();
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
            '-' if letters.peek() == Some(&'-') => {
                while letters.next_if(|letter| *letter != '\n').is_some() {}
            }
            '/' if letters.peek() == Some(&'*') => {
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
        ".dropDatabase(",
        ".drop()",
        ".deleteMany({})",
        ".remove({})",
    ];
    let found = CALLS.iter().find(|call| text.contains(**call))?;
    Some(format!("what {} takes", found.trim_matches(['.', '('])))
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
            ("ALTER TABLE t DROP COLUMN c", vec!["columns of table t"]),
            ("db.users.deleteMany({})", vec!["what deleteMany({}) takes"]),
        ] {
            assert_eq!(destroyed(text), expected, "{text}");
        }
    }
}
