//! The same for JavaScript: a program that parses a file, changes members and writes it back.

use super::{Token, closing, said, spelled};
use crate::stdout::quoted;
use model::{MemberChange, MemberEdit};

/// Words that declare names.
const DECLARING: &[&str] = &["const", "let", "var"];

/// Modules that may be loaded.
const MODULES: &[&str] = &["fs", "node:fs", "node:os", "node:path", "os", "path"];

/// Names in what a file's path is made of.
const PATH_NAMES: &[&str] = &[
    ".homedir",
    ".join",
    "os.homedir",
    "path.join",
    "path.resolve",
    "process.env.HOME",
    "require",
];

/// A member that is none.
const PROTOTYPE: &str = "__proto__";

/// What a program changes of the one file that it reads and writes.
pub(crate) fn edits(tokens: &[Token]) -> Option<Vec<MemberEdit>> {
    let mut program = Program::default();
    for statement in apart(tokens, Token::is_end)? {
        let statement: Vec<&Token> = statement.iter().filter(|one| !one.is_end()).collect();
        program.read(&statement)?;
    }
    let is_whole = program.from.is_some() && program.from == program.to;
    is_whole.then_some(program.edits)
}

/// The parts between tokens that stand outside of brackets.
fn apart(tokens: &[Token], is_mark: impl Fn(&Token) -> bool) -> Option<Vec<&[Token]>> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}') => depth = depth.checked_sub(1)?,
            token if depth == 0 && is_mark(token) => {
                parts.push(tokens.get(start..at)?);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(tokens.get(start..)?);
    (depth == 0).then_some(parts)
}

/// What was said so far.
#[derive(Default)]
struct Program {
    /// Names of modules and paths.
    names: Vec<String>,
    /// The name of what was read.
    document: Option<String>,
    /// Where it was read from, and where it was written.
    from: Option<Vec<Token>>,
    to: Option<Vec<Token>>,
    edits: Vec<MemberEdit>,
}

impl Program {
    fn read(&mut self, statement: &[&Token]) -> Option<()> {
        let owned: Vec<Token> = statement.iter().map(|one| (*one).clone()).collect();
        match owned.as_slice() {
            [] => Some(()),
            [Token::Text(text)] => (text == "use strict").then_some(()),
            [Token::Name(word), rest @ ..] if DECLARING.contains(&word.as_str()) => {
                let parts = apart(rest, |token| *token == Token::Sign(','))?;
                parts.into_iter().try_for_each(|part| self.declare(part))
            }
            [
                Token::Name(import),
                Token::Name(name),
                Token::Name(from),
                Token::Text(module),
            ] if import == "import" && from == "from" => self.load(name, module),
            [Token::Name(call), ..] if call == "console.log" => said(&owned, call),
            _ if self.to.is_some() => None,
            statement => self.write(statement).or_else(|| self.edit(statement)),
        }
    }

    fn is_new(&self, name: &str) -> bool {
        let is_own = self.document.as_deref() == Some(name) || ["JSON", "process"].contains(&name);
        !is_own && !name.contains('.') && !self.names.iter().any(|known| known == name)
    }

    fn load(&mut self, name: &str, module: &str) -> Option<()> {
        let is_known = MODULES.contains(&module) && module.trim_start_matches("node:") == name;
        (is_known && self.is_new(name)).then(|| self.names.push(name.to_owned()))
    }

    /// `name = …`
    fn declare(&mut self, part: &[Token]) -> Option<()> {
        let [Token::Name(name), Token::Sign('='), value @ ..] = part else {
            return None;
        };
        if let [
            Token::Name(require),
            Token::Sign('('),
            Token::Text(module),
            Token::Sign(')'),
        ] = value
            && require == "require"
        {
            return self.load(name, module);
        }
        if !self.is_new(name) || value.first() == Some(&Token::Sign('=')) {
            return None;
        }
        if let Some(from) = self.parsed(value) {
            self.document.is_none().then_some(())?;
            (self.document, self.from) = (Some(name.clone()), Some(from));
            return Some(());
        }
        // The names of modules stand for them.
        let is_free = !MODULES.contains(&name.as_str());
        (is_free && self.is_path(value)).then(|| self.names.push(name.clone()))
    }

    /// The path behind `JSON.parse(fs.readFileSync(path, "utf8"))`.
    fn parsed(&self, value: &[Token]) -> Option<Vec<Token>> {
        let [
            Token::Name(parse),
            Token::Sign('('),
            Token::Name(read),
            Token::Sign('('),
            inner @ ..,
            Token::Sign(')'),
            Token::Sign(')'),
        ] = value
        else {
            return None;
        };
        let path = match inner {
            [path @ .., Token::Sign(','), Token::Text(_)] => path,
            path => path,
        };
        let is_whole = parse == "JSON.parse" && read == "fs.readFileSync" && self.is_path(path);
        is_whole.then(|| path.to_vec())
    }

    /// Whether an expression is a path, from names, texts and what joins them.
    fn is_path(&self, tokens: &[Token]) -> bool {
        let is_part = |(at, token): (usize, &Token)| match token {
            Token::Name(name) if name == "require" => {
                let module = tokens.get(at + 2).and_then(Token::text);
                module.is_some_and(|module| MODULES.contains(&module.as_str()))
            }
            Token::Name(name) => PATH_NAMES.contains(&name.as_str()) || self.names.contains(name),
            Token::Text(_) => true,
            Token::Sign(sign) => "(),+".contains(*sign),
            _ => false,
        };
        !tokens.is_empty() && tokens.iter().enumerate().all(is_part)
    }

    /// `fs.writeFileSync(path, JSON.stringify(d, null, 2) + "\n")`
    fn write(&mut self, statement: &[Token]) -> Option<()> {
        let [
            Token::Name(call),
            Token::Sign('('),
            inner @ ..,
            Token::Sign(')'),
        ] = statement
        else {
            return None;
        };
        if call != "fs.writeFileSync" {
            return None;
        }
        let parts = apart(inner, |token| *token == Token::Sign(','))?;
        let (path, text) = match parts.as_slice() {
            [path, text] | [path, text, [Token::Text(_)]] => (*path, *text),
            _ => return None,
        };
        let [Token::Name(stringify), called @ ..] = text else {
            return None;
        };
        let (words, rest) = called.split_at_checked(closing(called)? + 1)?;
        let ends = match rest {
            [] => true,
            [Token::Sign('+'), Token::Text(text)] => text.trim().is_empty(),
            _ => false,
        };
        let [
            Token::Sign('('),
            Token::Name(what),
            layout @ ..,
            Token::Sign(')'),
        ] = words
        else {
            return None;
        };
        let is_layout = match layout {
            [] => true,
            [Token::Sign(','), Token::Name(null), Token::Sign(','), width] => {
                let is_blank = |text: &str| text.trim().is_empty();
                let is_width = match width {
                    Token::Name(width) => width.bytes().all(|digit| digit.is_ascii_digit()),
                    width => width.text().is_some_and(|text| is_blank(&text)),
                };
                null == "null" && is_width
            }
            _ => false,
        };
        let is_document = self.document.as_ref() == Some(what);
        let is_whole = stringify == "JSON.stringify" && is_document && is_layout && ends;
        self.to = (is_whole && self.is_path(path)).then(|| path.to_vec());
        self.to.as_ref().map(drop)
    }

    /// `d.a.b = …`, `d["a"].push(…)`, `delete d.a`
    fn edit(&mut self, statement: &[Token]) -> Option<()> {
        let (is_removal, statement) = match statement {
            [Token::Name(first), rest @ ..] if first == "delete" => (true, rest),
            statement => (false, statement),
        };
        let (mut path, mut rest) = self.member(statement)?;
        let (change, value) = match rest {
            [] if is_removal => (MemberChange::Remove, String::new()),
            _ if is_removal => return None,
            [Token::Sign('='), value @ ..] => (MemberChange::Set, literal(value)?),
            [Token::Sign('('), ..] if path.last().is_some_and(|last| last == "push") => {
                path.pop();
                let [Token::Sign('('), value @ .., Token::Sign(')')] = rest else {
                    return None;
                };
                rest = value;
                (MemberChange::Append, format!("[{}]", literal(rest)?))
            }
            _ => return None,
        };
        let is_plain = !path.is_empty() && !path.iter().any(|name| name == PROTOTYPE);
        is_plain.then(|| {
            self.edits.push(MemberEdit {
                path,
                change,
                value,
            });
        })
    }

    /// The member of what was read that a statement begins with, and what follows.
    fn member<'t>(&self, statement: &'t [Token]) -> Option<(Vec<String>, &'t [Token])> {
        let [Token::Name(first), rest @ ..] = statement else {
            return None;
        };
        let mut names = first.split('.');
        if names.next() != self.document.as_deref() {
            return None;
        }
        let mut path: Vec<String> = names.map(str::to_owned).collect();
        let mut rest = rest;
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
                [Token::Name(name), rest @ ..] if name.starts_with('.') => {
                    path.extend(name.split('.').skip(1).map(str::to_owned));
                    rest
                }
                rest => return Some((path, rest)),
            };
        }
    }
}

/// A value that is spelled out, as JSON.
fn literal(tokens: &[Token]) -> Option<String> {
    const WORDS: &[(&str, &str)] = &[("true", "true"), ("false", "false"), ("null", "null")];
    let mut json = String::new();
    let mut tokens = tokens.iter().filter(|token| !token.is_end()).peekable();
    while let Some(token) = tokens.next() {
        let is_key = tokens.peek() == Some(&&Token::Sign(':'));
        let ends = matches!(tokens.peek(), Some(Token::Sign(']' | '}')));
        match token {
            Token::Name(name) | Token::Text(name) if name == PROTOTYPE => return None,
            Token::Name(name) if is_key && !name.contains('.') => json.push_str(&quoted(name)?),
            // The last of a list may end in one.
            Token::Sign(',') if ends => {}
            token => json.push_str(&spelled(token, WORDS)?),
        }
    }
    (!json.is_empty()).then_some(json)
}

#[cfg(test)]
mod tests {
    use super::super::super::language::LANGUAGES;
    use super::super::super::tokens::tokens;
    use super::*;
    use crate::testing::in_words;

    fn read(text: &str) -> Option<Vec<String>> {
        let node = LANGUAGES.iter().find(|one| one.runs("node")).unwrap();
        Some(in_words(edits(&tokens(text, node))?))
    }

    const READ: &str = "const fs = require('fs'), f = process.env.HOME + '/x';\n\
        const d = JSON.parse(fs.readFileSync(f, 'utf8'));\n";
    const WRITE: &str = ";\nfs.writeFileSync(f, JSON.stringify(d, null, 2) + '\\n');\n";

    #[test]
    fn a_plain_program_is_read() {
        for (edit, expected) in [
            ("d.model = 'opus'", "model Set \"opus\""),
            ("d['a'].b = [1, true,]", "a/b Set [1,true]"),
            ("d.a.b.push('x')", "a/b Append [\"x\"]"),
            (
                "d.a = {\n  b: ['x'],\n  'c': null\n}",
                "a Set {\"b\":[\"x\"],\"c\":null}",
            ),
            ("delete d.a.b", "a/b Remove "),
        ] {
            let text = [READ, edit, WRITE].concat();
            assert_eq!(read(&text), Some(vec![expected.to_owned()]), "{text}");
        }
        let path = "path.join(require('os').homedir(), '.x', 's.json')";
        let text = format!(
            "'use strict'\nimport fs from 'fs'\nconst path = require('node:path')\n\
             const p = {path}\nlet c = JSON.parse(fs.readFileSync(p))\nc.m = 1\n\
             fs.writeFileSync(p, JSON.stringify(c), 'utf8')\nconsole.log('done')\n"
        );
        assert_eq!(read(&text), Some(vec!["m Set 1".to_owned()]), "{text}");
    }

    #[test]
    fn what_is_not_plain_is_not_known() {
        let whole = [READ, "d.m = 1", WRITE].concat();
        assert!(read(&whole).is_some());
        for (from, to) in [
            ("d.m = 1", "d[k] = 1"),
            ("d.m = 1", "d.m = f()"),
            ("d.m = 1", "d = {}"),
            ("d.m = 1", "if (x) d.m = 1"),
            ("d.m = 1", "d.__proto__ = {}"),
            ("d.m = 1", "d.toJSON = () => ({})"),
            ("d.m = 1", "const e = d; e.m = 1"),
            ("d.m = 1", "fs.writeFileSync = x"),
            ("d.m = 1", "Object.assign(d, x)"),
            ("d.m = 1", "d.a.splice(0)"),
            ("require('fs')", "require('./fs')"),
            ("fs = require('fs')", "fs = require('os')"),
            ("'utf8'))", "'utf8'), f)"),
            ("stringify(d, null", "stringify(d, ['m']"),
            ("stringify(d,", "stringify(e,"),
            ("Sync(f, JSON", "Sync('g', JSON"),
            ("+ '/x'", "+ g()"),
            ("'\\n');\n", "'\\n');\nd.n = 1;\n"),
            ("const d =", "const JSON ="),
        ] {
            let text = whole.replacen(from, to, 1);
            assert_ne!(text, whole, "{from}");
            assert_eq!(read(&text), None, "{text}");
        }
    }
}
