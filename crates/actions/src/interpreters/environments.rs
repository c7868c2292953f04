//! Whole environments that a program prints: at once, or each variable in its turn of a loop. Of a
//! program that asks what they are like nothing is said.

use super::records::{LOADED, PRINTING};
use super::tokens::{Piece, Token};

/// Calls that print the whole environment by themselves, or give it where what a program gives is
/// printed.
const SHOWING: &[&str] = &["Sys.getenv", "phpinfo"];

/// Calls that print what they are given as a table.
const PRINTING_TABLES: &[&str] = &["print_r", "var_dump", "var_export"];

/// Words that choose some of all, or ask what one is like.
const CHOOSING: &[&str] = &[
    "filter", "grep", "if", "next", "select", "typeof", "unless", "when",
];

/// Words between the names of a loop and what it goes through.
const THROUGH: &[&str] = &["as", "in", "of"];

/// Ends of names that go through what stands before them.
const GOING: &[&str] = &["each", "each_pair", "forEach", "items", "map"];

/// Whether a program prints all that is in its environment.
pub(super) fn prints_all(tokens: &[Token]) -> bool {
    if shows(tokens) {
        return true;
    }
    let names = names_of_loop(tokens);
    let is_choice = |token: &Token| {
        let last = token
            .name()
            .map(|name| name.rsplit('.').next().unwrap_or(name));
        last.is_some_and(|last| CHOOSING.contains(&last))
    };
    !tokens.iter().any(is_choice) && !names.is_empty() && prints_each(tokens, &names)
}

fn shows(tokens: &[Token]) -> bool {
    tokens.windows(3).any(|place| match place {
        [Token::Name(name), Token::Sign('('), Token::Sign(')')] => SHOWING.contains(&name.as_str()),
        [Token::Name(name), Token::Sign('('), Token::Name(given)] => {
            PRINTING_TABLES.contains(&name.as_str()) && is_whole(given)
        }
        _ => false,
    })
}

/// Whether a name stands for all variables, or gives them.
fn is_whole(name: &str) -> bool {
    let all = name.split_once(".to_").map_or(name, |(all, _)| all);
    LOADED.contains(&all) || name == "getenv" || name == "_SERVER"
}

/// Whether a name goes through all variables.
fn goes_through(name: &str) -> bool {
    let (all, last) = name.rsplit_once('.').unwrap_or((name, ""));
    is_whole(name) || is_whole(all) && GOING.contains(&last)
}

/// The names that a variable and its value have in a loop over all of them.
fn names_of_loop(tokens: &[Token]) -> Vec<&str> {
    for (at, token) in tokens.iter().enumerate() {
        if !token.name().is_some_and(goes_through) {
            continue;
        }
        let before = tokens.get(..at).unwrap_or_default();
        let line = before
            .rsplit(|token| token.is_end())
            .next()
            .unwrap_or_default();
        let after = tokens.get(at + 1..).unwrap_or_default();
        let names = names_around(line, after);
        if !names.is_empty() {
            return names;
        }
    }
    Vec::new()
}

fn names_around<'t>(line: &'t [Token], after: &'t [Token]) -> Vec<&'t str> {
    let is_loop = |token: &Token| matches!(token.name(), Some("for" | "foreach"));
    let names = |tokens: &'t [Token]| -> Vec<&'t str> {
        let names = tokens.iter().filter_map(Token::name);
        names
            .filter(|name| !matches!(*name, "const" | "let" | "my" | "var"))
            .collect()
    };
    let is_word = |token: &Token| token.name().is_some_and(|word| THROUGH.contains(&word));
    // `foreach ($_ENV as $k => $v)`
    if let [Token::Name(word), rest @ ..] = after
        && word == "as"
    {
        let end = rest.iter().position(|token| *token == Token::Sign(')'));
        return names(rest.get(..end.unwrap_or(0)).unwrap_or_default());
    }
    let start = line.iter().rposition(is_loop);
    if let Some(start) = start {
        let head = line.get(start + 1..).unwrap_or_default();
        return match head.iter().position(is_word) {
            Some(word) => names(head.get(..word).unwrap_or_default()),
            // `… for sort keys %ENV`
            None => vec!["_"],
        };
    }
    // `{ |k, v| … }`, `do |k, v| … end`
    let bar = Token::Sign('|');
    let mut bars = after.iter().enumerate().filter(|(_, token)| **token == bar);
    if let (Some((first @ 1..=2, _)), Some((last, _))) = (bars.next(), bars.next()) {
        return names(after.get(first + 1..last).unwrap_or_default());
    }
    // `Object.entries(process.env).forEach(([k, v]) => …)`
    let arrow = after
        .windows(2)
        .position(|two| two == [Token::Sign('='), Token::Sign('>')]);
    let head = arrow
        .and_then(|arrow| after.get(..arrow))
        .unwrap_or_default();
    let open = head.iter().rposition(|token| *token == Token::Sign('['));
    names(open.and_then(|open| head.get(open..)).unwrap_or_default())
}

/// Whether a value is printed: by its own name, or by that of its variable.
fn prints_each(tokens: &[Token], names: &[&str]) -> bool {
    let is_value = |name: &str| names.len() > 1 && names.last() == Some(&name);
    let holds = |tokens: &[Token]| {
        let of_key = tokens.windows(3).any(|place| match place {
            [Token::Name(all), Token::Sign('[' | '{'), Token::Name(key)] => {
                is_whole(all) && names.first() == Some(&key.as_str())
            }
            _ => false,
        });
        of_key || tokens.iter().filter_map(Token::name).any(is_value)
    };
    let puts_in = |token: &Token| match token {
        Token::Made(pieces) => pieces.iter().any(|piece| match piece {
            Piece::Code(tokens) => holds(tokens),
            Piece::Text(_) => false,
        }),
        _ => false,
    };
    let prints = |name: &str| PRINTING.contains(&name);
    let calls = tokens.iter().enumerate();
    let mut calls = calls.filter(|(_, token)| token.name().is_some_and(prints));
    calls.any(|(at, _)| {
        let rest = tokens.get(at + 1..).unwrap_or_default();
        let end = rest.iter().position(Token::is_end).unwrap_or(rest.len());
        let given = rest.get(..end).unwrap_or_default();
        holds(given) || given.iter().any(puts_in)
    })
}

#[cfg(test)]
mod tests {
    use super::super::language::{Language, NODE, PERL, PHP, PYTHON, RUBY};
    use super::super::tokens::tokens;
    use super::prints_all;

    #[test]
    fn values_are_told_from_names() {
        let cases: &[(&Language, &str, bool)] = &[
            (&PYTHON, "for k, v in os.environ.items(): print(k, v)", true),
            (
                &PYTHON,
                "for k, v in os.environ.items():\n  print(f'{k}={v}')",
                true,
            ),
            (
                &PYTHON,
                "for k in os.environ: print(k, os.environ[k])",
                true,
            ),
            (&PYTHON, "for k in os.environ: print(k)", false),
            (&PYTHON, "for k, v in os.environ.items(): print(k)", false),
            (&PYTHON, "k = 'PATH'\nprint(os.environ[k])", false),
            (&PYTHON, "for k, v in d.items(): print(k, v)", false),
            (
                &NODE,
                "for (const k in process.env) console.log(k, process.env[k])",
                true,
            ),
            (
                &NODE,
                "Object.entries(process.env).forEach(([k, v]) => console.log(k, v))",
                true,
            ),
            (
                &NODE,
                "Object.entries(process.env).forEach(([k, v]) => console.log(k))",
                false,
            ),
            (&RUBY, "ENV.each { |k, v| puts \"#{k}=#{v}\" }", true),
            (&RUBY, "ENV.each { |k, v| puts k }", false),
            (&PERL, "print \"$_=$ENV{$_}\\n\" for sort keys %ENV", true),
            (&PERL, "print \"$_\\n\" for sort keys %ENV", false),
            (&PHP, "print_r(getenv());", true),
            (&PHP, "foreach ($_ENV as $k => $v) echo \"$k=$v\\n\";", true),
            (&PHP, "echo getenv('PATH');", false),
        ];
        for (language, text, expected) in cases {
            assert_eq!(prints_all(&tokens(text, language)), *expected, "{text}");
        }
    }
}
