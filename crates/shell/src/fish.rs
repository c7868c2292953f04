//! fish's language, said in that of a POSIX shell: blocks that `end`, `set`, `and` and `or`, lists
//! of values. What has no plain form there is not said at all.

mod words;

use std::collections::BTreeSet;
use words::{Token, tokens};

/// What is open at some place of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block {
    If,
    Loop,
    /// `begin`, `function`
    Group,
    /// `switch`, and whether an arm has begun.
    Switch(bool),
}

/// Deepest that substitutions are followed into.
const DEPTH_MAX: usize = 8;

/// A text of fish in the language of a POSIX shell; `None` if something in it has no plain form
/// there.
#[must_use]
pub fn in_posix(text: &str) -> Option<String> {
    translated(text, 0)
}

fn translated(text: &str, depth: usize) -> Option<String> {
    if depth > DEPTH_MAX {
        return None;
    }
    let tokens = tokens(text)?;
    let mut writer = Writer {
        tokens: &tokens,
        at: 0,
        out: String::new(),
        blocks: Vec::new(),
        opening: "",
        lists: BTreeSet::new(),
        depth,
    };
    while writer.at < tokens.len() {
        writer.command()?;
    }
    (writer.blocks.is_empty() && writer.opening.is_empty()).then_some(writer.out)
}

struct Writer<'t> {
    tokens: &'t [Token],
    at: usize,
    out: String,
    blocks: Vec<Block>,
    /// What stands between the condition that is open and its body.
    opening: &'static str,
    /// Variables that hold any number of values.
    lists: BTreeSet<String>,
    depth: usize,
}

impl Writer<'_> {
    fn peek(&self) -> Option<&str> {
        match self.tokens.get(self.at)? {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }

    fn take(&mut self) -> Option<String> {
        let word = self.peek()?.to_owned();
        self.at += 1;
        Some(word)
    }

    fn put(&mut self, text: &str) {
        if !self.out.is_empty() && !self.out.ends_with(char::is_whitespace) {
            self.out.push(' ');
        }
        self.out.push_str(text);
    }

    /// One command from its first word to the sign behind it, or a keyword.
    fn command(&mut self) -> Option<()> {
        let Some(first) = self.peek().map(str::to_owned) else {
            return self.sign();
        };
        let keyword = first.as_str();
        if !matches!(
            keyword,
            "if" | "while"
                | "for"
                | "begin"
                | "switch"
                | "function"
                | "else"
                | "case"
                | "end"
                | "and"
                | "or"
                | "not"
                | "set"
                | "alias"
        ) {
            return self.plain();
        }
        self.at += 1;
        match keyword {
            "if" => self.open(Block::If, "if", "; then :;"),
            "while" => self.open(Block::Loop, "while", "; do :;"),
            "for" => {
                self.open(Block::Loop, "for", "; do :;")?;
                let name = self.take()?;
                self.put(&name);
                (self.take()? == "in").then_some(())?;
                self.put("in");
                self.rest()
            }
            "begin" => {
                self.blocks.push(Block::Group);
                self.put("{ :;");
                Some(())
            }
            "switch" => {
                self.blocks.push(Block::Switch(false));
                self.put("case");
                let word = self.take()?;
                let word = self.word(&word)?;
                self.put(&word);
                self.put("in");
                self.skip_sign()
            }
            "function" => self.function(),
            "else" => self.otherwise(),
            "case" => self.arm(),
            "end" => self.end(),
            "and" => self.join("&&"),
            "or" => self.join("||"),
            "not" => {
                self.put("!");
                Some(())
            }
            "set" => self.set(),
            _ => self.alias(),
        }
    }

    fn open(&mut self, block: Block, keyword: &str, opening: &'static str) -> Option<()> {
        self.opening.is_empty().then_some(())?;
        self.blocks.push(block);
        self.opening = opening;
        self.put(keyword);
        Some(())
    }

    /// Words up to the next sign.
    fn rest(&mut self) -> Option<()> {
        loop {
            match self.tokens.get(self.at) {
                Some(Token::Word(word)) => {
                    let word = self.word(&word.clone())?;
                    self.put(&word);
                }
                Some(Token::Redirect(redirect)) => {
                    let redirect = redirect.clone();
                    self.put(&redirect);
                }
                _ => return Some(()),
            }
            self.at += 1;
        }
    }

    fn plain(&mut self) -> Option<()> {
        self.rest()
    }

    /// A sign between commands. Behind a condition it opens the body, unless the condition goes on.
    fn sign(&mut self) -> Option<()> {
        let token = self.tokens.get(self.at)?.clone();
        self.at += 1;
        match token {
            Token::End => {
                while self.tokens.get(self.at) == Some(&Token::End) {
                    self.at += 1;
                }
                if matches!(self.peek(), Some("and" | "or")) {
                    return Some(());
                }
                if self.opening.is_empty() {
                    self.end_command();
                } else {
                    let opening = std::mem::take(&mut self.opening);
                    self.out.push_str(opening);
                }
            }
            Token::Sign(sign) => self.put(sign),
            Token::Redirect(redirect) => {
                self.put(&redirect);
                return self.rest();
            }
            Token::Word(_) => return None,
        }
        Some(())
    }

    fn end_command(&mut self) {
        let out = self.out.trim_end();
        if !out.is_empty() && !out.ends_with([';', '&', '|']) && !out.ends_with(" in") {
            self.out.push(';');
        }
    }

    fn skip_sign(&mut self) -> Option<()> {
        match self.tokens.get(self.at) {
            Some(Token::End) => self.at += 1,
            None => {}
            Some(_) => return None,
        }
        Some(())
    }

    fn join(&mut self, sign: &str) -> Option<()> {
        let out = self.out.trim_end().trim_end_matches(';');
        let is_behind = !out.is_empty() && !out.ends_with(':');
        is_behind.then_some(())?;
        self.out.truncate(out.len());
        self.put(sign);
        Some(())
    }

    fn otherwise(&mut self) -> Option<()> {
        (self.blocks.last() == Some(&Block::If)).then_some(())?;
        self.end_command();
        if self.peek() == Some("if") {
            self.at += 1;
            self.opening = "; then :;";
            self.put("elif");
            return Some(());
        }
        self.put("else :;");
        self.skip_sign()
    }

    /// `case a 'b*'`: a quoted `*` stands for anything here too.
    fn arm(&mut self) -> Option<()> {
        let Some(Block::Switch(begun)) = self.blocks.last_mut() else {
            return None;
        };
        let begun = std::mem::replace(begun, true);
        if begun {
            self.end_command();
            self.out.push(';');
        }
        let mut patterns = Vec::new();
        while let Some(word) = self.take() {
            let bare = word.trim_matches(['\'', '"']);
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.*?/+".contains(c);
            patterns.push(match bare.chars().all(is_plain) && !bare.is_empty() {
                true => bare.to_owned(),
                false => self.word(&word)?,
            });
        }
        (!patterns.is_empty()).then_some(())?;
        self.put(&format!("{}) :;", patterns.join("|")));
        self.skip_sign()
    }

    fn end(&mut self) -> Option<()> {
        self.end_command();
        let closing = match self.blocks.pop()? {
            Block::If => "fi",
            Block::Loop => "done",
            Block::Group => "}",
            Block::Switch(false) => "esac",
            Block::Switch(true) => ";; esac",
        };
        if closing.starts_with(";;") {
            let out = self.out.trim_end().trim_end_matches(';').len();
            self.out.truncate(out);
        }
        self.put(closing);
        Some(())
    }

    /// `function name -a first second`
    fn function(&mut self) -> Option<()> {
        let name = self.take()?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        name.chars().all(is_name).then_some(())?;
        self.blocks.push(Block::Group);
        self.put(&format!("{name}() {{ :;"));
        let mut is_named = false;
        let mut number = 0;
        while let Some(word) = self.take() {
            match word.as_str() {
                "-a" | "--argument-names" => is_named = true,
                "-d" | "--description" => drop(self.take()),
                word if is_named && !word.starts_with('-') => {
                    number += 1;
                    self.put(&format!("{word}=\"${{{number}}}\";"));
                }
                _ => return None,
            }
        }
        self.skip_sign()
    }

    /// `alias name 'command'`
    fn alias(&mut self) -> Option<()> {
        self.put("alias");
        let name = self.peek()?.to_owned();
        if !name.contains('=') && !name.starts_with('-') {
            self.at += 1;
            let value = self.take()?;
            let value = self.word(&value)?;
            self.put(&format!("{name}={value}"));
        }
        self.rest()
    }

    /// `set -gx name value…`
    fn set(&mut self) -> Option<()> {
        let mut letters = String::new();
        while let Some(option) = self.peek().filter(|word| word.starts_with('-')) {
            let short = option.strip_prefix('-').unwrap_or(option);
            letters.push_str(match option {
                "--local" | "--global" | "--universal" | "--function" => "l",
                "--export" => "x",
                "--erase" => "e",
                "--query" => "q",
                "--append" => "a",
                _ if !short.starts_with('-') => short,
                _ => return None,
            });
            self.at += 1;
        }
        let is_known = |letter: char| "lgUfxeqa".contains(letter);
        letters.chars().all(is_known).then_some(())?;
        let Some(name) = self.take() else {
            self.put("set");
            return Some(());
        };
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        name.chars().all(is_name).then_some(())?;
        if letters.contains('e') {
            self.put(&format!("unset {name}"));
            return Some(());
        }
        if letters.contains('q') {
            self.put(&format!("test -n \"${{{name}}}\""));
            return self.peek().is_none().then_some(());
        }
        let mut values = Vec::new();
        let mut is_one = true;
        while let Some(word) = self.take() {
            is_one &= !word.contains(['(', '*', '{', '$']) || word.starts_with('"');
            values.push(self.word(&word)?);
        }
        is_one &= values.len() == 1;
        match (values.as_slice(), letters.contains('a')) {
            ([value], false) if is_one => {
                self.lists.remove(&name);
                let export = if letters.contains('x') { "export " } else { "" };
                self.put(&format!("{export}{name}={value}"));
            }
            (values, is_more) => {
                (!letters.contains('x')).then_some(())?;
                self.lists.insert(name.clone());
                let sign = if is_more { "+=" } else { "=" };
                self.put(&format!("{name}{sign}({})", values.join(" ")));
            }
        }
        Some(())
    }

    fn word(&self, word: &str) -> Option<String> {
        words::in_posix(word, &self.lists, |inner| {
            let inner = translated(inner, self.depth + 1)?;
            Some(format!("$({inner})"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::in_posix;

    #[test]
    fn blocks_and_variables_are_said_in_posix() {
        for (fish, posix) in [
            ("ls -l | wc", "ls -l | wc"),
            (
                "for f in *.md; echo $f; end",
                "for f in *.md; do :; echo \"$f\"; done",
            ),
            (
                "if test -f a; cat a; else; echo none; end",
                "if test -f a; then :; cat a; else :; echo none; fi",
            ),
            (
                "if test -f a; and test -f b\n rm a\nelse if x\n rm b\nend",
                "if test -f a && test -f b; then :; rm a; elif x; then :; rm b; fi",
            ),
            ("set d dist; rm -rf $d", "d=dist; rm -rf \"$d\""),
            ("set -gx A 1; run", "export A=1; run"),
            ("set l a b; rm $l", "l=(a b); rm \"${l[@]}\""),
            ("set l (ls); rm $l[2]", "l=($(ls)); rm \"${l[1]}\""),
            ("test -f x; and rm x; or ls", "test -f x && rm x || ls"),
            ("not test -f x; and ls", "! test -f x && ls"),
            ("begin; rm x; end > log", "{ :; rm x; } > log"),
            (
                "switch $x; case a 'b*'; rm x; case '*'; ls; end",
                "case \"$x\" in a|b*) :; rm x;; *) :; ls ;; esac",
            ),
            (
                "function f -a x; rm $x $argv; end; f y",
                "f() { :; x=\"${1}\"; rm \"$x\" \"$@\"; }; f y",
            ),
            (
                "echo 'it\\'s' \"a $HOME `b\"",
                "echo 'it'\\''s' \"a $HOME \\`b\"",
            ),
            ("while true; break; end", "while true; do :; break; done"),
            ("alias x 'rm -rf'; x a", "alias x='rm -rf'; x a"),
            ("rm (find . -name '*.o')", "rm $(find . -name '*.o')"),
            ("# a\nls # b", "ls"),
        ] {
            assert_eq!(in_posix(fish).as_deref(), Some(posix), "{fish}");
        }
    }

    #[test]
    fn what_has_no_plain_form_is_not_said() {
        for fish in [
            "rm **.md",
            "if true; rm x",
            "end",
            "echo $$x",
            "rm $l[1..3]",
            "and rm x",
            "function f --on-event x; rm y; end",
            "echo 'a",
            "echo \\x41",
        ] {
            assert_eq!(in_posix(fish), None, "{fish}");
        }
    }
}
