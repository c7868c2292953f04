//! Tcl's language, said in that of a shell as far as it touches files, programs, variables and what
//! runs when. A condition is a command whose answer nobody knows.

/// Deepest that bodies and substitutions are followed into.
const DEPTH_MAX: usize = 8;

/// A condition of which nothing is known.
const ASKED: &str = "expr 1";

/// A text of Tcl in the language of a shell.
pub(super) fn in_shell(text: &str) -> String {
    let mut out = String::new();
    script(text, 0, &mut out);
    out
}

/// A word as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Word<'t> {
    /// `{…}`
    Braced(&'t str),
    /// `"…"`
    Quoted(&'t str),
    Bare(&'t str),
}

fn script(text: &str, depth: usize, out: &mut String) {
    if depth > DEPTH_MAX {
        return;
    }
    for words in commands(text) {
        if let Some(said) = command(&words, depth, out) {
            out.push_str(&said);
            out.push('\n');
            continue;
        }
        // What stands in braces may be run, unless the command only makes a value of it.
        let name = words.first().map_or("", |word| word.text());
        let is_run = !is_known(name) && name != "set";
        let bodies = words.iter().skip(1);
        let bodies = bodies.filter(|word| is_run && matches!(word, Word::Braced(_)));
        for body in bodies {
            script(body.text(), depth + 1, out);
        }
    }
}

/// The words of each command.
fn commands(text: &str) -> Vec<Vec<Word<'_>>> {
    let mut all = vec![Vec::new()];
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let after = rest.get(letter.len_utf8()..).unwrap_or_default();
        let is_first = all.last().is_some_and(Vec::is_empty);
        match letter {
            '\n' | ';' => {
                all.push(Vec::new());
                rest = after;
            }
            '\\' if after.starts_with('\n') => rest = after.get(1..).unwrap_or_default(),
            '#' if is_first => rest = after.split_once('\n').map_or("", |(_, rest)| rest),
            letter if letter.is_whitespace() => rest = after,
            _ => {
                let (word, behind) = word(rest);
                all.last_mut()
                    .into_iter()
                    .for_each(|own| own.push(word.clone()));
                rest = behind;
            }
        }
    }
    all.retain(|words| !words.is_empty());
    all
}

/// The word that a text begins with, and what stands behind it.
fn word(text: &str) -> (Word<'_>, &str) {
    let (open, close) = match text.chars().next() {
        Some('{') => ('{', '}'),
        Some('"') => ('"', '"'),
        _ => (' ', ' '),
    };
    let (mut braces, mut brackets) = (0_usize, 0_usize);
    let mut letters = text.char_indices().skip(usize::from(open != ' '));
    while let Some((at, letter)) = letters.next() {
        let inner = || text.get(1..at).unwrap_or_default();
        let behind = || text.get(at + letter.len_utf8()..).unwrap_or_default();
        match letter {
            '\\' => drop(letters.next()),
            '"' if open == '"' && brackets == 0 => return (Word::Quoted(inner()), behind()),
            '}' if open == '{' && braces == 0 => return (Word::Braced(inner()), behind()),
            '{' if close != '"' => braces += 1,
            '}' => braces = braces.saturating_sub(1),
            '[' if open != '{' => brackets += 1,
            ']' => brackets = brackets.saturating_sub(1),
            letter
                if open == ' '
                    && braces + brackets == 0
                    && (letter.is_whitespace() || letter == ';') =>
            {
                return (
                    Word::Bare(text.get(..at).unwrap_or_default()),
                    text.get(at..).unwrap_or_default(),
                );
            }
            _ => {}
        }
    }
    (Word::Bare(text), "")
}

/// A command, after what is run in its words.
fn command(words: &[Word<'_>], depth: usize, out: &mut String) -> Option<String> {
    let name = words.first().map_or("", |word| word.text());
    let rest = words.get(1..).unwrap_or_default();
    let mut values =
        || -> Vec<String> { rest.iter().map(|word| value(word, depth, out)).collect() };
    match (name, rest) {
        ("set", [name, _]) => Some(format!("{}={}", plain(name.text())?, values().get(1)?)),
        ("cd", [_]) => Some(format!("cd {}", values().first()?)),
        ("exec", _) => {
            let values = values();
            let is_option = |word: &&String| word.starts_with('-');
            let command: Vec<String> = values
                .into_iter()
                .skip_while(|word| is_option(&word))
                .collect();
            Some(command.join(" "))
        }
        ("file", [what, ..]) => {
            let what = what.text().to_owned();
            file(&what, values().get(1..)?)
        }
        ("open", _) => opened(&values()),
        ("foreach", [name, list, body]) if plain(name.text()).is_some() => {
            let list = match list {
                Word::Braced(list) => list
                    .split_whitespace()
                    .map(quoted)
                    .collect::<Vec<_>>()
                    .join(" "),
                _ => values().get(1)?.clone(),
            };
            let name = plain(name.text())?;
            Some(format!(
                "for {name} in {list}; do :\n{}done",
                body_of(body, depth)
            ))
        }
        ("while" | "for", [.., body]) => {
            Some(format!("while {ASKED}; do :\n{}done", body_of(body, depth)))
        }
        ("if", _) => branches(rest, depth, out),
        ("proc", [name, params, body]) => {
            let params = params.text().split_whitespace().enumerate();
            let params: String = params
                .filter_map(|(at, name)| Some(format!("{}=\"${{{}}}\"\n", plain(name)?, at + 1)))
                .collect();
            let name = plain(name.text())?;
            Some(format!("{name}() {{ :\n{params}{}}}", body_of(body, depth)))
        }
        ("eval" | "uplevel", _) if rest.iter().all(|word| !matches!(word, Word::Braced(_))) => {
            // Its words are those of a command.
            let inner: Vec<&str> = rest.iter().map(Word::text).collect();
            let inner = inner.join(" ");
            let inner = inner.trim_start_matches("[list ").trim_end_matches(']');
            script(inner, depth + 1, out);
            None
        }
        // A procedure of its own, or something that touches nothing.
        (name, _) => {
            let has_body = rest.iter().any(|word| matches!(word, Word::Braced(_)));
            let values = values();
            let said = format!("{} {}", plain(name)?, values.join(" "));
            Some(said).filter(|_| !is_known(name) && !has_body)
        }
    }
}

/// `if {condition} {body} else {body}`
fn branches(rest: &[Word<'_>], depth: usize, out: &mut String) -> Option<String> {
    let asked = condition_of(rest.first()?, depth, out);
    let bodies = rest.iter().skip(1);
    let bodies = bodies.filter(|word| matches!(word, Word::Braced(_)));
    let bodies: Vec<String> = bodies.map(|body| body_of(body, depth)).collect();
    let (first, others) = bodies.split_first()?;
    let others = others.iter();
    let others: String = others
        .map(|body| format!("elif {ASKED}; then :\n{body}"))
        .collect();
    Some(format!("if {asked}; then :\n{first}{others}fi"))
}

/// Commands of the language that touch no file.
fn is_known(name: &str) -> bool {
    const KNOWN: &[&str] = &[
        "append", "array", "break", "close", "continue", "dict", "error", "exit", "expr", "flush",
        "format", "gets", "global", "glob", "incr", "info", "join", "lappend", "lindex", "list",
        "llength", "lsort", "pwd", "puts", "read", "regexp", "regsub", "return", "split", "string",
        "unset", "upvar", "variable",
    ];
    KNOWN.contains(&name)
}

impl<'t> Word<'t> {
    fn text(&self) -> &'t str {
        match self {
            Self::Braced(text) | Self::Quoted(text) | Self::Bare(text) => text,
        }
    }
}

fn body_of(body: &Word<'_>, depth: usize) -> String {
    let mut inner = String::new();
    script(body.text(), depth + 1, &mut inner);
    inner
}

/// `{[file exists x]}`: what a condition asks, where that is a test of a file.
fn condition_of(condition: &Word<'_>, depth: usize, out: &mut String) -> String {
    let text = condition.text().trim();
    let (negated, asked) = match text.strip_prefix('!') {
        Some(rest) => ("! ", rest.trim()),
        None => ("", text),
    };
    let inner = asked
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let words = inner.map(commands).unwrap_or_default();
    let test = match words.first().map(Vec::as_slice) {
        Some([Word::Bare("file"), Word::Bare(what), path]) => {
            let flag = match *what {
                "exists" => "-e",
                "isdirectory" => "-d",
                "isfile" => "-f",
                _ => "",
            };
            Some((flag, value(path, depth, out))).filter(|(flag, _)| !flag.is_empty())
        }
        _ => None,
    };
    match test {
        Some((flag, path)) => format!("{negated}test {flag} {path}"),
        None => {
            substituted(text, depth, out);
            ASKED.to_owned()
        }
    }
}

/// `file delete -force x`
fn file(what: &str, values: &[String]) -> Option<String> {
    let is_forced = values.iter().any(|word| word == "-force");
    let paths: Vec<&str> = values
        .iter()
        .map(String::as_str)
        .filter(|word| !matches!(*word, "-force" | "--"))
        .collect();
    let keeps = if is_forced { "-f" } else { "-n" };
    let paths = paths.join(" ");
    match what {
        "delete" => Some(format!("rm -rf {paths}")),
        "rename" => Some(format!("mv {keeps} {paths}")),
        "copy" => Some(format!("cp -r {keeps} {paths}")),
        "mkdir" => Some(format!("mkdir -p {paths}")),
        _ => None,
    }
}

/// `open notes.md w`, `open "|command"`
fn opened(values: &[String]) -> Option<String> {
    let first = values.first()?;
    let bare = first.trim_matches(['"', '\'']);
    if let Some(command) = bare.strip_prefix('|') {
        return Some(command.trim().to_owned());
    }
    let mode = values
        .get(1)
        .map_or("r", |mode| mode.trim_matches(['"', '\'']));
    match mode.chars().next() {
        Some('w') => Some(format!(": > {first}")),
        Some('a') => Some(format!(": >> {first}")),
        _ => Some(format!("cat {first}")),
    }
}

/// A name that a shell can have.
fn plain(name: &str) -> Option<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (!name.is_empty() && name.chars().all(is_part)).then_some(name)
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn value(word: &Word<'_>, depth: usize, out: &mut String) -> String {
    match word {
        Word::Braced(text) => quoted(text),
        Word::Quoted(text) => format!("\"{}\"", substituted(text, depth, out)),
        Word::Bare(text) => match text
            .strip_prefix('[')
            .and_then(|text| text.strip_suffix(']'))
        {
            Some(inner) => given(inner, depth, out),
            None if text.contains(['$', '[']) => format!("\"{}\"", substituted(text, depth, out)),
            None => (*text).to_owned(),
        },
    }
}

/// What a command between brackets gives; what it does is said before.
fn given(inner: &str, depth: usize, out: &mut String) -> String {
    let all = commands(inner);
    let words = all.first().map(Vec::as_slice).unwrap_or_default();
    let rest = words.get(1..).unwrap_or_default();
    let mut values =
        || -> Vec<String> { rest.iter().map(|word| value(word, depth, out)).collect() };
    match words.first().map_or("", |word| word.text()) {
        "glob" => {
            let values = values();
            let at = values
                .iter()
                .position(|word| word == "-directory" || word == "-dir");
            let dir = at.and_then(|at| values.get(at + 1));
            let dir = dir.map(|dir| format!("{dir}/")).unwrap_or_default();
            let patterns = values.iter().enumerate().filter(|(number, word)| {
                !word.starts_with('-') && at.is_none_or(|at| *number != at + 1)
            });
            let patterns: Vec<String> = patterns
                .map(|(_, pattern)| format!("{dir}{}", pattern.trim_matches(['"', '\''])))
                .collect();
            patterns.join(" ")
        }
        "file" if words.get(1).is_some_and(|word| word.text() == "join") => {
            values().get(1..).unwrap_or_default().join("/")
        }
        "list" => values().join(" "),
        _ => {
            script(inner, depth + 1, out);
            "\"$(expr 1)\"".to_owned()
        }
    }
}

/// A text with what its brackets give; variables are spelled as a shell spells them.
fn substituted(text: &str, depth: usize, out: &mut String) -> String {
    let mut said = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['[', '`']) {
        let (before, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
        said.push_str(before);
        if after.starts_with('`') {
            said.push_str("\\`");
            rest = after.get(1..).unwrap_or_default();
            continue;
        }
        let (word, behind) = word(after);
        let inner = word.text().trim_start_matches('[');
        let inner = inner.split_once(']').map_or(inner, |(inner, _)| inner);
        if depth < DEPTH_MAX {
            said.push_str(given(inner, depth + 1, out).trim_matches('"'));
        }
        let closed = after.find(']').and_then(|at| after.get(at + 1..));
        rest = closed.unwrap_or(behind);
    }
    said.push_str(rest);
    said
}

#[cfg(test)]
mod tests {
    use super::in_shell;

    #[test]
    fn tcl_is_said_as_a_shell_says_it() {
        for (tcl, shell) in [
            ("exec rm x", "rm x\n"),
            (
                "set d drafts\nfile delete -force $d",
                "d=drafts\nrm -rf \"$d\"\n",
            ),
            (
                "foreach f [glob drafts/*] { file delete $f }",
                "for f in drafts/*; do :\nrm -rf \"$f\"\ndone\n",
            ),
            (
                "foreach f {a b} {file delete $f}",
                "for f in 'a' 'b'; do :\nrm -rf \"$f\"\ndone\n",
            ),
            (
                "if {[file exists x]} {exec rm x} else {puts no}",
                "if test -e x; then :\nrm x\nelif expr 1; then :\nfi\n",
            ),
            ("set f [open x w]; close $f", ": > x\nf=\"$(expr 1)\"\n"),
            ("puts [exec rm x]", "rm x\n"),
            (
                "proc p {d} {file delete $d}\np x",
                "p() { :\nd=\"${1}\"\nrm -rf \"$d\"\n}\np x\n",
            ),
            ("catch {file rename -force a b}", "mv -f a b\n"),
            ("# file delete x\nputs {file delete x}", ""),
            ("exec sh -c {rm x}", "sh -c 'rm x'\n"),
        ] {
            assert_eq!(in_shell(tcl), shell, "{tcl}");
        }
    }
}
