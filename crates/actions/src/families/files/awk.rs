//! `awk`: literal commands and files in its program are read; the rest of it is opaque.

use std::collections::{BTreeMap, BTreeSet};

use super::super::masks;
use crate::command_context::CommandContext;
use crate::destructive;
use crate::options::{Options, Spec, attached, flag, value};
use crate::{Arg, Input, Invocation, shells};
use model::{Certainty, Flag, Flags};

const AWK: Spec = Spec::leading(&[
    value("field-separator F"),
    value("assign v"),
    value("file f"),
    value("exec E"),
    value("include i"),
    value("load l"),
    value("source e"),
    attached("dump-variables d"),
    attached("debug D"),
    attached("pretty-print o"),
    attached("profile p"),
    attached("lint L"),
    flag("sandbox S"),
    flag("bignum M"),
    flag("b c C n N P r s O t k"),
    flag("posix traditional re-interval characters-as-bytes csv"),
]);

/// `awk`
pub fn awk(context: &mut CommandContext<'_, '_>) {
    let options = Options::read(&context.invocation.args, &AWK);
    if options.asks_for_help() {
        return;
    }
    let (program, files) = program_and_files(context, &options);
    let tokens = given(context.invocation, files, tokens_of(&program.text));
    let mut known = constants(&tokens, &options);
    if let [only] = files {
        known.insert("FILENAME".to_owned(), only.text.clone());
    }
    for effect in effects_of(&joined(tokens, &known)) {
        let word = |text: String| Arg {
            text,
            sure: program.sure.max(Certainty::Derived),
            glob: false,
        };
        match effect {
            // Each line that it reads is run.
            Effect::Opaque if matches!(context.invocation.input, Input::Download(_)) => {
                crate::effects::execute_download(context.world, context.invocation);
            }
            Effect::Runs(command) => {
                let invocation = context.invocation;
                context.world.script(invocation, "awk", &word(command));
            }
            Effect::Writes(file) => {
                let target = context.target(&word(file));
                context.replace(&target, Flags::NONE, None);
            }
            Effect::Appends(file) => {
                let target = context.target(&word(file));
                context.append(&target, None);
            }
            Effect::Reads(file) => context.read(&word(file)),
            Effect::Shows(name) if context.world.is_handed(&name) => {
                crate::effects::read_variable(context.world, context.invocation, &name);
            }
            Effect::Shows(_) => {}
            Effect::Opaque if destructive::named_in(&program.text) => {
                let text = Arg::foreign(Arg::DECODED);
                crate::effects::execute_unknown(context.world, context.invocation, &text);
            }
            Effect::Opaque => context.execute(),
        }
    }
    let in_place = options
        .value("include")
        .is_some_and(|name| name.text == "inplace");
    if masks::hides_values(context.invocation) {
        context.world.hides_values = true;
        return;
    }
    for file in files {
        // `name=value` between files sets a variable.
        if file.text.contains('=') && !file.text.contains('/') {
            continue;
        }
        if in_place && !prints(&program.text) {
            let target = context.target(file);
            context.replace(&target, Flags::NONE, None);
        } else if in_place {
            let target = context.target(file);
            context.edit_in_place(&target, Flags::NONE.without(Flag::Mass));
        } else {
            context.read(file);
        }
    }
}

/// Whether `awk` with these words prints nothing.
pub(super) fn prints_nothing(args: &[Arg]) -> bool {
    let options = Options::read(args, &AWK);
    let is_spelled_out = !options.has_any(&["file", "exec", "source", "include"]);
    is_spelled_out && !options.word(0).is_empty() && !prints(options.word(0))
}

fn program_and_files<'o>(
    context: &mut CommandContext<'_, '_>,
    options: &'o Options,
) -> (Arg, &'o [Arg]) {
    let file = options.value("file").or_else(|| options.value("exec"));
    if let Some(file) = file {
        let is_input = matches!(&*file.text, "-" | "/dev/fd/0" | "/dev/stdin");
        let fed = match context.world.process_output(file) {
            Some(output) => output.into_input(),
            None if is_input => context.invocation.input.clone(),
            None => Input::Inherited,
        };
        match fed {
            Input::Download(_) => {
                crate::effects::execute_download(context.world, context.invocation);
            }
            Input::Text(text) => return (text, &options.operands),
            _ => {}
        }
        let target = context.target(file);
        let text = context.world.text(&target.path).known().cloned();
        let program = Arg {
            text: text.unwrap_or_default(),
            sure: Certainty::Derived,
            glob: false,
        };
        return (program, &options.operands);
    }
    if let Some(source) = options.value("source") {
        return (source.clone(), &options.operands);
    }
    match options.operands.split_first() {
        Some((program, files)) => (program.clone(), files),
        None => (Arg::default(), &[]),
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Effect {
    Runs(String),
    Writes(String),
    Appends(String),
    Reads(String),
    /// Prints a variable of the environment.
    Shows(String),
    /// Runs or writes what is not spelled out.
    Opaque,
}

/// A file with fewer lines is an ordinary one: what begins further down leaves nothing of it.
const FEW_LINES: u64 = 100;

/// A word of a program, as far as it matters here.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Text(String),
    Name(String),
    Mark(char),
}

/// Whether a program that edits in place leaves most of a file: it prints somewhere, or has a
/// pattern that stands alone, which prints what it matches.
fn prints(program: &str) -> bool {
    program.contains("print") || lone_patterns(program).iter().any(|own| leaves_most(own))
}

/// The patterns of a program that have no block of their own.
fn lone_patterns(program: &str) -> Vec<String> {
    let mut patterns = vec![String::new()];
    let (mut depth, mut in_text, mut is_escaped) = (0_usize, false, false);
    for letter in program.chars() {
        let quotes = letter == '"' && !is_escaped;
        in_text ^= quotes;
        is_escaped = letter == '\\' && !is_escaped;
        let ends = depth == 0 && !in_text && matches!(letter, ';' | '\n');
        match letter {
            '{' if !in_text => {
                depth += 1;
                patterns.pop();
            }
            '}' if !in_text => {
                depth = depth.saturating_sub(1);
                patterns.push(String::new());
            }
            _ if ends => patterns.push(String::new()),
            _ if depth == 0 => patterns
                .last_mut()
                .into_iter()
                .for_each(|own| own.push(letter)),
            _ => {}
        }
    }
    let patterns = patterns.iter().map(|own| own.trim().to_owned());
    patterns.filter(|own| !own.is_empty()).collect()
}

/// Whether a pattern lets some of a usual file through: not a number that is nothing, and no line
/// so far down that few files have it.
fn leaves_most(pattern: &str) -> bool {
    if matches!(pattern, "0" | "\"\"") {
        return false;
    }
    let bound = |signs: &str| {
        let rest = pattern.strip_prefix("NR")?.trim_start();
        let number = rest.strip_prefix(signs)?.trim_start_matches('=');
        number.trim().parse::<u64>().ok()
    };
    let from = bound(">").is_some_and(|line| line >= FEW_LINES);
    let only = bound("==").is_some() || bound("<").is_some_and(|line| line <= 1);
    !from && !only
}

/// Names that stand for one text in the whole program: set once, or by `-v name=text`.
fn constants(tokens: &[Token], options: &Options) -> BTreeMap<String, String> {
    let mut known = BTreeMap::new();
    for given in options.values("assign").filter(|given| given.is_known()) {
        if let Some((name, text)) = given.text.split_once('=') {
            known.insert(name.to_owned(), text.to_owned());
        }
    }
    let mut changed = BTreeSet::new();
    for (at, token) in tokens.iter().enumerate() {
        let (Token::Name(name), Some(Token::Mark('='))) = (token, tokens.get(at + 1)) else {
            continue;
        };
        let is_whole = !matches!(tokens.get(at + 3), Some(Token::Text(_) | Token::Name(_)));
        let set = match tokens.get(at + 2) {
            Some(Token::Text(text)) if is_whole => known.insert(name.clone(), text.clone()),
            _ => Some(String::new()),
        };
        if set.is_some() {
            changed.insert(name.clone());
        }
    }
    known.retain(|name, _| !changed.contains(name));
    known
}

/// `ENVIRON["C"]`, `ARGV[1]`: what the command itself gives, in the place of its name.
fn given(invocation: &Invocation, words: &[Arg], tokens: Vec<Token>) -> Vec<Token> {
    let mut known = Vec::new();
    let mut rest = tokens.as_slice();
    while let [first, after @ ..] = rest {
        let text = match rest {
            [
                Token::Name(of),
                Token::Mark('['),
                Token::Text(key) | Token::Name(key),
                Token::Mark(']'),
                ..,
            ] => match of.as_str() {
                "ARGV" => key
                    .parse()
                    .ok()
                    .and_then(|at: usize| words.get(at.checked_sub(1)?)),
                "ENVIRON" => invocation.var(key),
                _ => None,
            },
            _ => None,
        };
        match text.filter(|text| text.is_known()) {
            Some(text) => {
                known.push(Token::Text(text.text.clone()));
                rest = rest.get(4..).unwrap_or_default();
            }
            None => {
                known.push(first.clone());
                rest = after;
            }
        }
    }
    known
}

/// The program with its known names spelled out, and texts side by side as one.
fn joined(tokens: Vec<Token>, known: &BTreeMap<String, String>) -> Vec<Token> {
    let mut joined: Vec<Token> = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let is_set = matches!(tokens.peek(), Some(Token::Mark('=' | '(' | '[')));
        let token = match &token {
            Token::Name(name) if !is_set => known.get(name).cloned().map_or(token, Token::Text),
            _ => token,
        };
        match (joined.last_mut(), token) {
            (Some(Token::Text(before)), Token::Text(text)) => before.push_str(&text),
            (_, token) => joined.push(token),
        }
    }
    joined
}

fn effects_of(tokens: &[Token]) -> Vec<Effect> {
    let mut effects = Vec::new();
    let mut printing = false;
    let mut start = 0;
    let mut depth = 0_u32;
    for (at, token) in tokens.iter().enumerate() {
        let after = tokens.get(at + 1);
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        match token {
            Token::Name(name) if name == "print" || name == "printf" => {
                printing = true;
                start = at;
                depth = 0;
            }
            Token::Name(name) if name == "system" => {
                let is_whole = matches!(tokens.get(at + 3), Some(Token::Mark(')')));
                effects.push(run(tokens.get(at + 2).filter(|_| is_whole)));
            }
            Token::Mark('|') if is_name(after, "getline") => effects.push(run(before)),
            Token::Mark('|') if printing && depth == 0 => {
                let printed = tokens.get(start + 1..at).unwrap_or_default();
                effects.push(fed(printed, after));
            }
            Token::Mark('>') if printing && depth == 0 => {
                effects.push(write(tokens.get(at + 1..).unwrap_or_default()));
                printing = false;
            }
            Token::Name(name) if name == "ENVIRON" && printing => {
                effects.extend(shown(tokens.get(start..).unwrap_or_default(), at - start));
            }
            Token::Mark('<') if is_name(before, "getline") => {
                if let Some(Token::Text(file)) = after {
                    effects.push(Effect::Reads(file.clone()));
                }
            }
            Token::Mark('(') => depth += 1,
            Token::Mark(')') => depth = depth.saturating_sub(1),
            Token::Mark(';' | '}' | '\n') => printing = false,
            _ => {}
        }
    }
    effects
}

fn is_name(token: Option<&Token>, wanted: &str) -> bool {
    matches!(token, Some(Token::Name(name)) if name == wanted)
}

fn run(token: Option<&Token>) -> Effect {
    match token {
        Some(Token::Text(text)) => Effect::Runs(text.clone()),
        _ => Effect::Opaque,
    }
}

/// `print TEXT | COMMAND`: a shell runs what is printed.
fn fed(printed: &[Token], command: Option<&Token>) -> Effect {
    let is_shell = |text: &str| {
        let program = text.split_whitespace().next();
        program.is_some_and(shells::is_posix)
    };
    match (printed, command) {
        ([Token::Text(text)], Some(Token::Text(command))) if is_shell(command) => {
            Effect::Runs(text.clone())
        }
        (_, Some(Token::Text(command))) if is_shell(command) => Effect::Opaque,
        _ => run(command),
    }
}

/// What is written to the file that is named here; of a name that goes on, only how it begins is
/// known.
fn write(behind: &[Token]) -> Effect {
    let named = |file: &String, rest: &[Token]| match rest.first() {
        Some(Token::Name(_) | Token::Text(_) | Token::Mark('$' | '(')) => {
            format!("{file}{}", Arg::HOLE)
        }
        _ => file.clone(),
    };
    match behind {
        [Token::Text(file), rest @ ..] => Effect::Writes(named(file, rest)),
        [Token::Mark('>'), Token::Text(file), rest @ ..] => Effect::Appends(named(file, rest)),
        _ => Effect::Opaque,
    }
}

/// `print ENVIRON["NAME"]`: the variable, unless it is given to a function.
fn shown(printed: &[Token], at: usize) -> Option<Effect> {
    let [Token::Mark('['), Token::Text(name), Token::Mark(']'), ..] = printed.get(at + 1..)? else {
        return None;
    };
    let before = printed.get(1..at).unwrap_or_default();
    let is_given = before
        .windows(2)
        .any(|place| matches!(place, [Token::Name(_), Token::Mark('(')]));
    (!is_given).then(|| Effect::Shows(name.clone()))
}

fn tokens_of(program: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut letters = program.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => tokens.push(Token::Text(string(&mut letters))),
            '#' => while letters.next_if(|letter| *letter != '\n').is_some() {},
            '/' if regex_may_start(tokens.last()) => skip_regex(&mut letters),
            '|' if letters.next_if_eq(&'|').is_some() => tokens.push(Token::Mark('o')),
            '>' if letters.next_if_eq(&'=').is_some() => tokens.push(Token::Mark('g')),
            '\n' => tokens.push(Token::Mark('\n')),
            letter if letter.is_alphanumeric() || letter == '_' => {
                let mut name = String::from(letter);
                let part = |letter: &char| letter.is_alphanumeric() || *letter == '_';
                while let Some(letter) = letters.next_if(part) {
                    name.push(letter);
                }
                tokens.push(Token::Name(name));
            }
            letter if letter.is_whitespace() => {}
            mark => tokens.push(Token::Mark(mark)),
        }
    }
    tokens
}

fn string(letters: &mut std::iter::Peekable<std::str::Chars<'_>>) -> String {
    let mut text = String::new();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => break,
            '\\' => match letters.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some(first @ '0'..='7') => {
                    let mut digits = String::from(first);
                    while digits.len() < 3
                        && let Some(digit) = letters.next_if(|next| matches!(next, '0'..='7'))
                    {
                        digits.push(digit);
                    }
                    let letter = u8::from_str_radix(&digits, 8).unwrap_or_default();
                    text.push(char::from(letter));
                }
                Some(letter) => text.push(letter),
                None => break,
            },
            letter => text.push(letter),
        }
    }
    text
}

/// After a value a slash divides; anywhere else it starts a regular expression.
fn regex_may_start(last: Option<&Token>) -> bool {
    match last {
        Some(Token::Name(name)) => matches!(name.as_str(), "return" | "print" | "in"),
        Some(Token::Text(_) | Token::Mark(')' | ']')) => false,
        _ => true,
    }
}

fn skip_regex(letters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            '/' | '\n' => return,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_read_for_what_they_run_and_write() {
        let runs = |text: &str| Effect::Runs(text.into());
        for (program, expected) in [
            ("{print $1}", vec![]),
            ("BEGIN {system(\"rm -rf /\")}", vec![runs("rm -rf /")]),
            ("BEGIN { \"rm -rf /\" | getline }", vec![runs("rm -rf /")]),
            ("{ print $1 | \"sort -u\" }", vec![runs("sort -u")]),
            (
                "{ print > \"out.txt\" }",
                vec![Effect::Writes("out.txt".into())],
            ),
            (
                "{ print >> \"out.txt\" }",
                vec![Effect::Appends("out.txt".into())],
            ),
            (
                "BEGIN { getline < \"/etc/shadow\" }",
                vec![Effect::Reads("/etc/shadow".into())],
            ),
            ("{ print $0 > $1 }", vec![Effect::Opaque]),
            ("{ system(cmd) }", vec![Effect::Opaque]),
            ("$3 > 10 { print $1 }", vec![]),
            ("$3 >= 10 || /a|b/ { print ($1 > 2) }", vec![]),
            ("{ print \"a > b | c\" }", vec![]),
            ("# system(\"x\")", vec![]),
            (
                "BEGIN { print ENVIRON[\"X\"] }",
                vec![Effect::Shows("X".into())],
            ),
            ("BEGIN { print length(ENVIRON[\"X\"]) }", vec![]),
            (
                "{ print > \"out/\" $1 }",
                vec![Effect::Writes(format!("out/{}", Arg::HOLE))],
            ),
            (
                "{ x = 4 / 2; print x / 2 > \"f\" }",
                vec![Effect::Writes("f".into())],
            ),
        ] {
            let tokens = joined(tokens_of(program), &BTreeMap::new());
            assert_eq!(effects_of(&tokens), expected, "{program}");
        }
    }
}
