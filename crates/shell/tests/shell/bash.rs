//! The parser against bash: what is well formed, and what words expand to.

use shell::{CommandKind, Part, ProblemKind, Word};

use crate::generate::{self, Choices};
use crate::{oracle, tables};

/// Scripts made of each kind.
const SCRIPTS: usize = 400;
/// Most texts in a hundred that may be left out for a reason below.
const LEFT_OUT_MAX: usize = 45;

/// Why a text may be judged differently from `bash -n`.
struct Exception {
    reason: &'static str,
    applies: fn(&str) -> bool,
}

const EXCEPTIONS: &[Exception] = &[
    Exception {
        reason: "bash reads backticks only when it runs them",
        applies: |text| text.contains('`'),
    },
    Exception {
        reason: "bash reads what is in a here-document only when it runs it",
        applies: |text| text.contains("<<"),
    },
    Exception {
        reason: "bash reads arithmetic, and what is not quite arithmetic, only when it runs it",
        applies: |text| ["((", "$["].iter().any(|sign| joined(text).contains(sign)),
    },
    Exception {
        reason: "`${ …; }` is read as bash 5.3 does; older ones fail when they run it",
        applies: |text| {
            ["${ ", "${\t", "${\n", "${|", "${\r"]
                .iter()
                .any(|sign| text.contains(sign))
        },
    },
    Exception {
        reason: "a carriage return before a line end is part of it, as on Windows",
        applies: |text| text.contains('\r'),
    },
    Exception {
        reason: "a text with NUL bytes always has a problem",
        applies: |text| text.contains('\0'),
    },
    Exception {
        reason: "with extended globs on, bash takes `$?(` for a `$` and a pattern",
        applies: |text| {
            ["$?(", "$*(", "$@(", "$!("]
                .iter()
                .any(|sign| joined(text).contains(sign))
        },
    },
    Exception {
        reason: "bash takes an array only right after another assignment",
        applies: |text| text.contains("=(") && text.contains(['<', '>']),
    },
    Exception {
        reason: "bash takes any word for the name of a coprocess, even a variable",
        applies: |text| text.contains("coproc"),
    },
    Exception {
        reason: "`!(…)` as a command negates when extended globs are off, which is how bash starts",
        applies: |text| text.contains("!("),
    },
    Exception {
        reason: "bash does not take `time` before a bracket for the reserved word in `$(`",
        applies: |text| joined(text).contains("time("),
    },
    Exception {
        reason: "what zsh puts behind a glob, and its loops over words in parentheses, are read",
        applies: |text| {
            let is_qualified = ["(N)", "(.)", "(/)", "(om[1])", "(.mh+1)"];
            is_qualified.iter().any(|sign| text.contains(sign)) || text.contains("for f (")
        },
    },
];

fn joined(text: &str) -> String {
    text.replace("\\\n", "")
}

/// Whether the parser finds the text well formed. A shell accepts an open here-document.
fn accepts(text: &[u8]) -> bool {
    let script = shell::parse(text);
    let mut kinds = script.problems.iter().map(|problem| problem.kind);
    kinds.all(|kind| kind == ProblemKind::HereDocumentUnterminated)
}

/// The texts on which bash and the parser differ for no listed reason; how many were left out.
fn differences(texts: &[Vec<u8>]) -> (Vec<String>, usize) {
    let mut left_out = 0;
    let mut differences = Vec::new();
    for text in texts {
        let ours = accepts(text);
        if ours == oracle::accepts(text) {
            continue;
        }
        let shown = String::from_utf8_lossy(text).into_owned();
        if EXCEPTIONS
            .iter()
            .any(|exception| (exception.applies)(&shown))
        {
            left_out += 1;
        } else {
            differences.push(format!(
                "we {}: {shown:?}",
                if ours { "accept" } else { "reject" }
            ));
        }
    }
    (differences, left_out)
}

fn check(texts: &[Vec<u8>]) {
    if !oracle::is_here() {
        eprintln!("not checked: no bash 5.2 on this machine");
        return;
    }
    let (differences, left_out) = differences(texts);
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(
        100 * left_out <= LEFT_OUT_MAX * texts.len(),
        "{left_out} of {}",
        texts.len()
    );
}

/// Texts from choices that are the same on every run.
pub fn generated(make: fn(&mut Choices<'_>) -> String, seed: u64, count: usize) -> Vec<Vec<u8>> {
    let mut state = seed;
    let mut byte = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state.to_le_bytes()[6]
    };
    (0..count)
        .map(|_| {
            let choices: Vec<u8> = (0..64).map(|_| byte()).collect();
            make(&mut Choices::new(&choices)).into_bytes()
        })
        .collect()
}

#[test]
fn the_tables() {
    let texts: Vec<_> = tables::all().into_iter().map(|case| case.text).collect();
    check(&texts);
}

#[test]
fn generated_scripts() {
    check(&generated(generate::script, 1, SCRIPTS));
}

#[test]
fn damaged_scripts() {
    check(&generated(generate::damaged, 2, SCRIPTS));
}

#[test]
fn token_soup() {
    check(&generated(generate::soup, 3, SCRIPTS));
}

#[test]
fn every_exception_is_needed() {
    let examples = [
        "echo `if`",
        "cat <<A\n$(\nA\n",
        "echo $((1 + 2) if)",
        "echo ${ a}",
        "if a; then\r\nb; fi",
        "a\0b",
        "$?(a)",
        "x= <a y=(2)",
        "coproc $x { a; }",
        "!(a)b",
        "$(time(1 + 2))",
        "ls *.log(N)",
    ];
    assert_eq!(examples.len(), EXCEPTIONS.len());
    for (example, exception) in examples.iter().zip(EXCEPTIONS) {
        assert!(
            (exception.applies)(example),
            "{example:?} is no example: {}",
            exception.reason
        );
        if oracle::is_here() {
            let differ = accepts(example.as_bytes()) != oracle::accepts(example.as_bytes());
            assert!(
                differ,
                "{example:?} needs no exception: {}",
                exception.reason
            );
        }
    }
}

/// Pieces of words that bash expands without reading anything from outside.
const PIECES: &[&str] = &[
    "a",
    "b",
    "1",
    "2",
    "{",
    "}",
    ",",
    "{",
    "}",
    ",",
    "..",
    "-",
    "0",
    "'",
    "\"",
    "\\",
    "'x,y'",
    "\"{\"",
    "\\,",
    "$'\\t'",
    "$'\\x41\\101\\u00e9'",
    "{a,b}",
    "{1..3}",
    "{c..a}",
    "{}",
    "=",
    ":",
    "{01..3}",
    "{1..9..4}",
    "\\\n",
    "$'\\U1f600'",
    "$'a\\0b'",
    "$'\\cx\\e'",
    "{,}",
    "z",
];

#[test]
fn words_expand_as_in_bash() {
    if !oracle::is_here() {
        eprintln!("not checked: no bash 5.2 on this machine");
        return;
    }
    let words: Vec<Vec<u8>> = generated(word_of_pieces, 4, SCRIPTS)
        .into_iter()
        .filter(|word| known_words(word).is_some() && !word.ends_with(b"\\"))
        .collect();
    assert!(
        words.len() > SCRIPTS / 3,
        "only {} words can be compared",
        words.len()
    );
    let mut script = b"set -f\nshow() { printf '%s\\0' \"$@\"; printf '\\1\\0'; }\n".to_vec();
    for word in &words {
        script.extend([b"show ", word.as_slice(), b"\n"].concat());
    }
    let (_, output, messages) = oracle::run(&[], &script);
    let shown: Vec<&[u8]> = output.split(|byte| *byte == 1).collect();
    assert_eq!(
        shown.len(),
        words.len() + 1,
        "{}",
        String::from_utf8_lossy(&messages)
    );
    for (word, shown) in words.iter().zip(shown) {
        let shown = shown.strip_prefix(b"\0").unwrap_or(shown);
        let mut ours = known_words(word).unwrap().join(&0);
        ours.push(0);
        assert_eq!(
            String::from_utf8_lossy(&ours),
            String::from_utf8_lossy(shown),
            "{:?}",
            String::from_utf8_lossy(word)
        );
    }
}

fn word_of_pieces(choices: &mut Choices<'_>) -> String {
    let count = 1 + choices.below(7);
    (0..count)
        .map(|_| PIECES[choices.below(PIECES.len())])
        .collect()
}

/// What the only argument of a command expands to; `None` if that is not known.
fn known_words(word: &[u8]) -> Option<Vec<Vec<u8>>> {
    let text = [b"show ", word].concat();
    let script = shell::parse(&text);
    let commands = script.commands();
    let [command] = commands.as_slice() else {
        return None;
    };
    match &command.kind {
        CommandKind::Simple { words, .. } if words.len() == 2 && script.problems.is_empty() => {
            expand(&words[1])
        }
        _ => None,
    }
}

fn expand(word: &Word<'_>) -> Option<Vec<Vec<u8>>> {
    let mut all = vec![Vec::new()];
    for part in &word.parts {
        let next = part_texts(part)?;
        all = all
            .iter()
            .flat_map(|before: &Vec<u8>| next.iter().map(|text| [&before[..], text].concat()))
            .collect();
    }
    // What is empty without quotes is no word.
    let quoted = |part: &Part<'_>| !matches!(part, Part::Brace(_));
    if !word.parts.iter().any(quoted) {
        all.retain(|text| !text.is_empty());
    }
    Some(all)
}

fn part_texts(part: &Part<'_>) -> Option<Vec<Vec<u8>>> {
    match part {
        Part::Literal(text) | Part::Quoted(text) => Some(vec![text.to_vec()]),
        Part::DoubleQuoted(parts) => {
            let texts: Option<Vec<_>> = parts.iter().map(part_texts).collect();
            Some(vec![texts?.concat().concat()])
        }
        Part::Brace(words) => {
            let texts: Option<Vec<_>> = words.iter().map(expand_alternative).collect();
            Some(texts?.concat())
        }
        _ => None,
    }
}

fn expand_alternative(word: &Word<'_>) -> Option<Vec<Vec<u8>>> {
    if word.parts.is_empty() {
        Some(vec![Vec::new()])
    } else {
        expand(word)
    }
}
