//! What holds for every text, and how long reading may take.

use proptest::prelude::*;
use shell::{DEPTH_MAX, Node, ProblemKind, SOURCE_BYTES_MAX};

use crate::check::check;
use crate::generate::{self, Choices};
use crate::render;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        check(&bytes);
    }

    #[test]
    fn any_bytes_of_syntax(text in "[a{}()$`'\"\\\\;&|<>!#~*?,.=\\[\\] \n1]{0,120}") {
        check(text.as_bytes());
    }

    #[test]
    fn scripts(choices in proptest::collection::vec(any::<u8>(), 0..80)) {
        check(generate::script(&mut Choices::new(&choices)).as_bytes());
    }

    #[test]
    fn damaged_scripts(choices in proptest::collection::vec(any::<u8>(), 0..80)) {
        check(generate::damaged(&mut Choices::new(&choices)).as_bytes());
    }

    #[test]
    fn token_soup(choices in proptest::collection::vec(any::<u8>(), 0..80)) {
        check(generate::soup(&mut Choices::new(&choices)).as_bytes());
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        max_global_rejects: 100_000,
        ..ProptestConfig::default()
    })]

    #[test]
    fn joined_lines_change_nothing(
        choices in proptest::collection::vec(any::<u8>(), 0..60),
        places in proptest::collection::vec(any::<prop::sample::Index>(), 1..4),
    ) {
        let script = generate::script(&mut Choices::new(&choices));
        // Where a joined line is text, cuts a glob in two, or makes a parameter unread.
        prop_assume!(!script.contains(['\'', '\\', '#', '`', '~']));
        prop_assume!(!["<<", "[ab]", "[1]", "a[", "$\"", "${"].iter().any(|sign| script.contains(sign)));
        let mut letters: Vec<String> = script.chars().map(String::from).collect();
        for place in places {
            let letter = place.get_mut(&mut letters);
            letter.push_str("\\\n");
        }
        let joined = letters.concat();
        let trees = [&script, &joined].map(|text| {
            render::script(&shell::parse(text.as_bytes())).replace("''", "")
        });
        prop_assert_eq!(&trees[0], &trees[1], "{:?}", joined);
    }
}

/// Texts that a careless parser reads again and again, or nests too deep for its stack.
const TRAPS: &[&str] = &[
    "$(",
    "`",
    "\"",
    "'",
    "$'",
    "((",
    "$((",
    "(",
    "{",
    "{ ",
    "{a,",
    "${x:-",
    "${a[",
    "${x/",
    "<(",
    "[[",
    "[",
    "[[ (",
    "[[ ! ",
    "if ",
    "if a; then ",
    "while ",
    "case x in ",
    "case x in a) ",
    "for i in ",
    "cat <<A ",
    "cat <<A\n",
    "cat <<A\n\\",
    "$(cat <<A\n",
    "$(cat <<A;",
    "<<-A\n\t",
    "cat <<A\n$(",
    "@(",
    "@($(",
    "a=(",
    "a[",
    "a[$(",
    "\\`",
    "\\\\`",
    "$[",
    "$[$[",
    "\"$(",
    "\"${",
    "f() ",
    "! ",
    "time ",
    "coproc ",
    "function f ",
    "{1..1024}",
    "{1..1024},{",
    "*",
    "a ",
    "a;",
    "a|",
    "a&&",
    "~:",
    "a=~:",
    "\\\n",
    "$\\\n",
    "#\n",
    "[]",
    "[[:",
    "$((\")",
    "$((' ",
    "$((`",
    "$((# '\n))",
    "x=`\\`",
    "$(((",
    "}",
    ")",
    ";;",
    "&",
    "\0",
    "\r",
    "\r\n",
    "${#",
    "${!",
    "${$",
    "${ ",
    "${|",
    "declare a=(",
    "<<'A'\n",
    "<<\"",
    "$\"",
    "{a..b}",
    "{}",
    "{a}",
    "a{",
    "{a..",
    "$x{",
    "{,a}~",
    "~{",
    "{$,",
    "[$x",
    "a]",
    "=~",
];

#[test]
fn time_is_bounded_by_length() {
    for trap in TRAPS {
        for count in [1, 50, 3000] {
            check(trap.repeat(count).as_bytes());
        }
        // What opens may also close in the wrong order.
        let closers = [")", "}", "]", "`", "\"", "))", " fi", "\nA\n"];
        for closer in closers {
            check(format!("{}{}", trap.repeat(100), closer.repeat(100)).as_bytes());
        }
    }
}

#[test]
fn long_texts_take_few_steps_a_byte() {
    let words = "abcdefgh ".repeat(100_000);
    let quoted = format!("echo '{}'", "x y\n".repeat(250_000));
    let here = format!(
        "cat <<EOF\n{}EOF\n",
        "some $text in a line\n".repeat(20_000)
    );
    for text in [words, quoted, here] {
        let (script, steps) = shell::parse_counted(text.as_bytes());
        assert!(script.problems.is_empty());
        assert!(
            steps <= 4 * text.len(),
            "{steps} steps for {} bytes",
            text.len()
        );
    }
}

#[test]
fn nesting_is_read_up_to_the_limit() {
    let nested = |count: usize| format!("{}{}", "$(".repeat(count), ")".repeat(count));
    assert!(
        shell::parse(nested(DEPTH_MAX).as_bytes())
            .problems
            .is_empty()
    );
    let text = nested(DEPTH_MAX + 1);
    let script = shell::parse(text.as_bytes());
    assert_eq!(script.problems[0].kind, ProblemKind::TooDeep);
}

#[test]
fn a_small_stack_is_enough() {
    let small = std::thread::Builder::new().stack_size(1 << 20);
    let reader = small.spawn(|| {
        for trap in TRAPS {
            check(trap.repeat(200).as_bytes());
        }
    });
    reader.unwrap().join().unwrap();
}

#[test]
fn a_text_over_the_limit_is_read_up_to_it() {
    let mut text = b"rm x\n".to_vec();
    text.resize(SOURCE_BYTES_MAX + 1, b'#');
    let script = shell::parse(&text);
    assert_eq!(script.problems[0].kind, ProblemKind::TooLong);
    assert_eq!(script.commands().len(), 1);
}

#[test]
fn a_script_is_walked_in_the_order_of_the_text() {
    let script = shell::parse(b"a $(b) <(c) >$(d); if e; then f \"$(g)\"; fi; h() { i; }");
    let mut names = Vec::new();
    script.body.walk(&mut |node| {
        if let Node::Word(word) = node {
            names.extend(
                word.as_literal()
                    .map(|name| String::from_utf8_lossy(&name).into_owned()),
            );
        }
    });
    assert_eq!(names.concat(), "abcdefghi");
}

#[test]
fn a_word_is_literal_if_nothing_in_it_expands() {
    let literal = [
        ("a", "a"),
        ("'a b'c\"d\"\\e", "a bcde"),
        ("$'\\x41'", "A"),
        ("''", ""),
    ];
    for (text, expected) in literal {
        assert!(
            first_word(text, |word| word.is_literal(expected.as_bytes())),
            "{text}"
        );
    }
    for text in ["$a", "*", "\"$a\"", "~", "{a,b}", "$(a)", "`a`", "<(a)"] {
        assert!(
            first_word(text, |word| word.as_literal().is_none()),
            "{text}"
        );
    }
}

fn first_word(text: &str, holds: impl Fn(&shell::Word<'_>) -> bool) -> bool {
    let script = shell::parse(text.as_bytes());
    let mut first = None;
    script.body.walk(&mut |node| {
        if let Node::Word(word) = node {
            first.get_or_insert(holds(word));
        }
    });
    first.unwrap()
}
