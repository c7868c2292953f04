//! Programs that read a host's settings, change members of them and write them back: what the file
//! says then, where every statement of the program is of that kind. Any other is not known.

pub(super) mod node;

use super::tokens::Token;
use crate::stdout::quoted;
use model::{MemberChange, MemberEdit};

/// What may be imported.
const MODULES: &[&str] = &["json", "os", "pathlib", "sys", "Path", "import", "from"];

/// Names in what a file's path is made of.
const PATH_NAMES: &[&str] = &[
    "Path",
    "Path.home",
    "os.environ",
    "os.path.expanduser",
    "os.path.join",
    "pathlib.Path",
    "pathlib.Path.home",
];

/// What may be said of the layout that is written.
const LAYOUT: &[&str] = &["indent", "ensure_ascii", "False", "True"];

/// What a program changes of the one file that it reads and writes.
pub(super) fn edits(tokens: &[Token]) -> Option<Vec<MemberEdit>> {
    let mut program = Program::default();
    for statement in tokens.split(Token::is_end) {
        program.read(statement)?;
    }
    let Program {
        from, to, edits, ..
    } = program;
    (from.is_some() && from == to).then_some(edits)
}

/// What was said so far.
#[derive(Default)]
struct Program<'t> {
    /// Names that were given a value, and what they stand for.
    names: Vec<(&'t str, &'t [Token])>,
    /// The open file, by its name.
    handle: Option<(&'t str, &'t [Token])>,
    /// The name of what was read.
    document: Option<&'t str>,
    /// Where it was read from, and where it was written.
    from: Option<&'t [Token]>,
    to: Option<&'t [Token]>,
    edits: Vec<MemberEdit>,
}

impl<'t> Program<'t> {
    fn read(&mut self, statement: &'t [Token]) -> Option<()> {
        match statement {
            [] => Some(()),
            [Token::Name(first), rest @ ..] if first == "import" || first == "from" => {
                let is_known = |token: &Token| match token {
                    Token::Name(name) => MODULES.contains(&name.as_str()),
                    token => *token == Token::Sign(','),
                };
                rest.iter().all(is_known).then_some(())
            }
            [
                Token::Name(first),
                rest @ ..,
                Token::Name(word),
                Token::Name(name),
                Token::Sign(':'),
            ] if first == "with" && word == "as" => {
                self.handle = Some((name, opened(rest)?));
                Some(())
            }
            _ if self.to.is_some() => self
                .ends_line(statement)
                .or_else(|| said(statement, "print")),
            _ => self
                .write(statement)
                .or_else(|| self.edit(statement))
                .or_else(|| self.assign(statement)),
        }
    }

    /// `f.write("\n")` after the rest.
    fn ends_line(&self, statement: &[Token]) -> Option<()> {
        let (handle, _) = self.handle?;
        match statement {
            [
                Token::Name(call),
                Token::Sign('('),
                Token::Text(text),
                Token::Sign(')'),
            ] => (*call == [handle, ".write"].concat() && text.trim().is_empty()).then_some(()),
            _ => None,
        }
    }

    /// `name = …`
    fn assign(&mut self, statement: &'t [Token]) -> Option<()> {
        let [Token::Name(name), Token::Sign('='), value @ ..] = statement else {
            return None;
        };
        let is_plain = !name.contains('.') && !MODULES.contains(&name.as_str());
        let is_new = self.names.iter().all(|(known, _)| known != name);
        if !is_plain || !is_new || value.first() == Some(&Token::Sign('=')) {
            return None;
        }
        if let Some(from) = self.loaded(value) {
            self.document = Some(name);
            self.from = Some(from);
        } else if !is_path(value) {
            return None;
        }
        self.names.push((name, value));
        Some(())
    }

    /// The path behind `json.load(open(path))`, `json.load(f)`, `json.loads(path.read_text())`.
    fn loaded(&self, value: &'t [Token]) -> Option<&'t [Token]> {
        let [
            Token::Name(call),
            Token::Sign('('),
            inner @ ..,
            Token::Sign(')'),
        ] = value
        else {
            return None;
        };
        match (call.as_str(), inner) {
            ("json.load", [Token::Name(name)]) => self.of_handle(name),
            ("json.load", inner) => opened(inner),
            (
                "json.loads",
                [
                    path @ ..,
                    Token::Name(read),
                    Token::Sign('('),
                    Token::Sign(')'),
                ],
            ) => match (path, read.split_once('.')) {
                ([], Some((handle, "read"))) => self.of_handle(handle),
                ([], Some((path, "read_text"))) => self.named(path),
                (path, Some(("", "read"))) => opened(path),
                (path, Some(("", "read_text"))) => is_path(path).then_some(path),
                _ => None,
            },
            _ => None,
        }
    }

    fn of_handle(&self, name: &str) -> Option<&'t [Token]> {
        self.handle
            .filter(|(known, _)| *known == name)
            .map(|(_, path)| path)
    }

    /// A path by its name, as it is spelled where a file is opened.
    fn named(&self, name: &str) -> Option<&'t [Token]> {
        let mut names = self.names.iter();
        let (_, value) = names.find(|(known, _)| *known == name)?;
        Some(value)
    }

    /// `json.dump(d, open(path, "w"))`, `f.write(json.dumps(d))`, `path.write_text(json.dumps(d))`
    fn write(&mut self, statement: &'t [Token]) -> Option<()> {
        let [
            Token::Name(call),
            Token::Sign('('),
            inner @ ..,
            Token::Sign(')'),
        ] = statement
        else {
            return None;
        };
        let document = self.document?;
        if call == "json.dump" {
            let [Token::Name(what), Token::Sign(','), rest @ ..] = inner else {
                return None;
            };
            let to = match rest {
                [Token::Name(name), rest @ ..] if name != "open" => {
                    is_layout(rest).then(|| self.of_handle(name))?
                }
                rest => {
                    let end = closing(rest)?;
                    let (file, rest) = rest.split_at_checked(end + 1)?;
                    is_layout(rest).then(|| opened(file))?
                }
            };
            self.to = Some(to?).filter(|_| what == document);
            return self.to.map(drop);
        }
        let (receiver, method) = call.rsplit_once('.')?;
        let to = match method {
            "write" => self.of_handle(receiver),
            "write_text" => self.named(receiver),
            _ => None,
        };
        let [
            Token::Name(dumps),
            Token::Sign('('),
            Token::Name(what),
            rest @ ..,
        ] = inner
        else {
            return None;
        };
        let end = rest.iter().position(|token| *token == Token::Sign(')'))?;
        let (layout, rest) = rest.split_at_checked(end)?;
        let ends = match rest.get(1..)? {
            [] => true,
            [Token::Sign('+'), Token::Text(text)] => text.trim().is_empty(),
            _ => false,
        };
        let is_whole = dumps == "json.dumps" && what == document && is_layout(layout) && ends;
        self.to = to.filter(|_| is_whole);
        self.to.map(drop)
    }

    /// `d["a"]["b"] = …`, `d["a"].append(…)`, `del d["a"]`, `d.pop("a", None)`
    fn edit(&mut self, statement: &'t [Token]) -> Option<()> {
        let document = self.document?;
        let (is_removal, statement) = match statement {
            [Token::Name(first), rest @ ..] if first == "del" => (true, rest),
            statement => (false, statement),
        };
        let (mut path, mut rest) = match statement {
            [Token::Name(name), rest @ ..] if name == document => (Vec::new(), rest),
            [
                Token::Name(name),
                Token::Sign('('),
                Token::Text(key),
                rest @ ..,
            ] => {
                let rest = match name.strip_prefix(document)? {
                    ".setdefault" => after_default(rest)?,
                    ".pop" => return self.pop(key, rest),
                    _ => return None,
                };
                (vec![key.clone()], rest)
            }
            _ => return None,
        };
        loop {
            rest = match rest {
                [
                    Token::Sign('['),
                    Token::Text(key),
                    Token::Sign(']'),
                    rest @ ..,
                ] => {
                    path.push(key.clone());
                    rest
                }
                [
                    Token::Name(name),
                    Token::Sign('('),
                    Token::Text(key),
                    rest @ ..,
                ] if name == ".setdefault" => {
                    path.push(key.clone());
                    after_default(rest)?
                }
                _ => break,
            };
        }
        let (change, value) = change_of(rest, is_removal)?;
        (!path.is_empty()).then_some(())?;
        self.edits.push(MemberEdit {
            path,
            change,
            value,
        });
        Some(())
    }

    fn pop(&mut self, key: &str, rest: &[Token]) -> Option<()> {
        let is_plain = match rest {
            [Token::Sign(')')] => true,
            [Token::Sign(','), Token::Name(none), Token::Sign(')')] => none == "None",
            _ => false,
        };
        self.edits.push(MemberEdit {
            path: vec![key.to_owned()],
            change: MemberChange::Remove,
            value: String::new(),
        });
        is_plain.then_some(())
    }
}

/// `print("done")`, whatever a language calls it.
fn said(statement: &[Token], call: &str) -> Option<()> {
    let [Token::Name(print), words @ ..] = statement else {
        return None;
    };
    let is_plain = |token: &Token| matches!(token, Token::Text(_) | Token::Sign('(' | ')' | ','));
    (print == call && words.iter().all(is_plain)).then_some(())
}

/// What a statement does with the member that it names.
fn change_of(rest: &[Token], is_removal: bool) -> Option<(MemberChange, String)> {
    Some(match rest {
        [] if is_removal => (MemberChange::Remove, String::new()),
        _ if is_removal => return None,
        [Token::Sign('='), value @ ..] => (MemberChange::Set, literal(value)?),
        [Token::Sign('+'), Token::Sign('='), value @ ..] => (MemberChange::Append, literal(value)?),
        [
            Token::Name(name),
            Token::Sign('('),
            value @ ..,
            Token::Sign(')'),
        ] => {
            let value = literal(value)?;
            match name.as_str() {
                ".append" => (MemberChange::Append, format!("[{value}]")),
                ".extend" => (MemberChange::Append, value),
                _ => return None,
            }
        }
        _ => return None,
    })
}

/// What follows the value of `.setdefault("a", {})`: an empty one, which a change fills.
fn after_default(rest: &[Token]) -> Option<&[Token]> {
    match rest {
        [
            Token::Sign(','),
            Token::Sign('{' | '['),
            Token::Sign('}' | ']'),
            Token::Sign(')'),
            rest @ ..,
        ] => Some(rest),
        _ => None,
    }
}

/// The path of `open(path)`, `open(path, "w")`, `path.open()`.
fn opened(tokens: &[Token]) -> Option<&[Token]> {
    let [
        Token::Name(open),
        Token::Sign('('),
        inner @ ..,
        Token::Sign(')'),
    ] = tokens
    else {
        return None;
    };
    if open != "open" {
        return None;
    }
    let path = match inner {
        [path @ .., Token::Sign(','), Token::Text(mode)] => {
            ["r", "w"].contains(&mode.as_str()).then_some(path)?
        }
        path => path,
    };
    is_path(path).then_some(path)
}

/// Whether an expression is a path, from names, texts and what joins them.
fn is_path(tokens: &[Token]) -> bool {
    let is_called = |at: usize| tokens.get(at + 1) == Some(&Token::Sign('('));
    let is_part = |(at, token): (usize, &Token)| match token {
        Token::Name(name) => {
            let is_variable = !name.contains('.') && !is_called(at);
            PATH_NAMES.contains(&name.as_str()) || is_variable
        }
        Token::Text(_) => true,
        Token::Sign(sign) => "()/,[]+".contains(*sign),
        _ => false,
    };
    !tokens.is_empty() && tokens.iter().enumerate().all(is_part)
}

/// `, indent=2, ensure_ascii=False`
fn is_layout(tokens: &[Token]) -> bool {
    let is_part = |token: &Token| match token {
        Token::Name(name) => {
            let is_number = name.bytes().all(|letter| letter.is_ascii_digit());
            is_number || LAYOUT.contains(&name.as_str())
        }
        token => matches!(token, Token::Sign(',' | '=')),
    };
    tokens.iter().all(is_part)
}

/// Where the bracket is closed that is opened first.
fn closing(tokens: &[Token]) -> Option<usize> {
    let mut depth = 0_usize;
    tokens.iter().position(|token| {
        match token {
            Token::Sign('(') => depth += 1,
            Token::Sign(')') => depth = depth.saturating_sub(1),
            _ => return false,
        }
        depth == 0
    })
}

/// A value that is spelled out, as JSON.
fn literal(tokens: &[Token]) -> Option<String> {
    const WORDS: &[(&str, &str)] = &[("True", "true"), ("False", "false"), ("None", "null")];
    let json: Option<String> = tokens.iter().map(|token| spelled(token, WORDS)).collect();
    json.filter(|json| !json.is_empty())
}

/// A part of such a value, in a language that has these words for JSON's.
fn spelled(token: &Token, words: &[(&str, &str)]) -> Option<String> {
    match token {
        Token::Text(text) => quoted(text),
        Token::Name(name) if name.bytes().all(|letter| letter.is_ascii_digit()) => {
            Some(name.clone())
        }
        Token::Name(name) => {
            let mut words = words.iter();
            let (_, json) = words.find(|(own, _)| own == name)?;
            Some((*json).to_owned())
        }
        Token::Sign(sign) if "[]{},:".contains(*sign) => Some(sign.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::language::PYTHON;
    use super::super::tokens::tokens;
    use super::*;
    use crate::testing::in_words;

    fn read(text: &str) -> Option<Vec<String>> {
        let edits = edits(&tokens(text, &PYTHON))?;
        Some(in_words(edits))
    }

    #[test]
    fn a_plain_program_is_read() {
        let whole = "import json, os\np = os.path.expanduser('~/x')\nd = json.load(open(p))\n";
        let end = "\njson.dump(d, open(p, 'w'), indent=2)\n";
        for (edit, expected) in [
            ("d['model'] = 'opus'", "model Set \"opus\""),
            ("d['a']['b'].append('x')", "a/b Append [\"x\"]"),
            (
                "d.setdefault('a', {}).setdefault('b', []).extend(['x'])",
                "a/b Append [\"x\"]",
            ),
            (
                "d['a'] = {'b': [True, None, 1]}",
                "a Set {\"b\":[true,null,1]}",
            ),
            ("del d['a']['b']", "a/b Remove "),
            ("d.pop('a', None)", "a Remove "),
            ("d['a'] += ['x']", "a Append [\"x\"]"),
        ] {
            let text = [whole, edit, end].concat();
            assert_eq!(read(&text), Some(vec![expected.to_owned()]), "{edit}");
        }
        for text in [
            "import json\nwith open('a') as f:\n    d = json.load(f)\nd['m'] = 1\n\
             with open('a', 'w') as f:\n    json.dump(d, f, indent=2)\n    f.write('\\n')\n",
            "import json\nfrom pathlib import Path\np = Path.home() / '.x'\n\
             d = json.loads(p.read_text())\nd['m'] = 1\np.write_text(json.dumps(d, indent=2) + '\\n')\n",
        ] {
            // Where a path is named and where it is spelled out is not compared.
            let expected = Some(vec!["m Set 1".to_owned()]);
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_not_plain_is_not_known() {
        let whole =
            "import json\nd = json.load(open('a'))\nd['m'] = 1\njson.dump(d, open('a', 'w'))\n";
        assert!(read(whole).is_some());
        for (from, to) in [
            ("d['m'] = 1", "d[k] = 1"),
            ("d['m'] = 1", "d['m'] = f()"),
            ("d['m'] = 1", "d = {}"),
            ("d['m'] = 1", "d.clear()"),
            ("d['m'] = 1", "if x: d['m'] = 1"),
            ("d['m'] = 1", "import evil as json"),
            ("d['m'] = 1", "json.dump = print"),
            ("d['m'] = 1", "del d"),
            ("open('a'))\nd", "open('b'))\nd"),
            ("load(open('a'))", "load(open('a'), object_hook=f)"),
            ("json.dump(d,", "json.dump(e,"),
            ("open('a', 'w')", "open('a', 'a')"),
            (
                "json.dump(d, open('a', 'w'))",
                "json.dump(d, open('a', 'w'), default=f)",
            ),
            ("json.dump(d, open('a', 'w'))", "print(d)"),
            ("import json\n", "import os\nos.system('x')\nimport json\n"),
            ("'w'))\n", "'w'))\nd['n'] = 2\n"),
        ] {
            let text = whole.replacen(from, to, 1);
            assert_eq!(read(&text), None, "{text}");
        }
    }
}
