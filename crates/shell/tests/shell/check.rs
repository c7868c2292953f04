//! What holds for every text: the body of the fuzz target and of the property tests.

use shell::{
    Command, CommandKind, DEPTH_MAX, HereDocument, NODES_MAX, Node, PROBLEMS_MAX, Part, Script,
    Span, Word,
};

/// Most steps for each byte of a text: every level of nesting may look at it again.
const STEPS_PER_BYTE_MAX: usize = 3 * DEPTH_MAX;
/// Steps for a short text apart from that: what may be spent on looking ahead.
const STEPS_MAX: usize = 1 << 18;

/// Panics if something does not hold.
pub fn check(source: &[u8]) {
    let (script, steps) = shell::parse_counted(source);
    assert!(
        steps <= STEPS_MAX + STEPS_PER_BYTE_MAX * source.len(),
        "{steps} steps"
    );
    assert_eq!(script, shell::parse(source), "read twice, read alike");
    assert!(script.problems.len() <= PROBLEMS_MAX);
    for problem in &script.problems {
        inside(source, problem.span, "problem");
    }
    let mut nodes = 0;
    script.body.walk(&mut |node| {
        nodes += 1;
        node_holds(source, node);
    });
    // Each node counts, and a here-document or a word may hold one that is not counted.
    assert!(nodes <= 2 * NODES_MAX + 2, "{nodes} nodes");
    if script.problems.is_empty() {
        read_again(&script);
    }
}

fn inside(source: &[u8], span: Span, what: &str) {
    let Span { start, end } = span;
    assert!(
        start <= end && end <= source.len(),
        "{what} at {start}..{end}"
    );
}

fn within(outer: Span, inner: Span, what: &str) {
    let fits = outer.start <= inner.start && inner.end <= outer.end;
    assert!(fits, "{what} {inner:?} outside of {outer:?}");
}

fn node_holds(source: &[u8], node: Node<'_, '_>) {
    match node {
        Node::Command(command) => command_holds(source, command),
        Node::Redirect(redirect) => {
            inside(source, redirect.span, "redirection");
            if let Some(HereDocument { span, .. }) = &redirect.here {
                inside(source, *span, "here-document");
            }
        }
        Node::Word(word) => inside(source, word.span, "word"),
        Node::Part(part) => part_holds(source, part),
    }
}

fn command_holds(source: &[u8], command: &Command<'_>) {
    inside(source, command.span, "command");
    for redirect in &command.redirects {
        within(command.span, redirect.span, "redirection");
    }
    if let CommandKind::Simple { words, .. } = &command.kind {
        for word in words {
            within(command.span, word.span, "word");
        }
    }
}

fn part_holds(source: &[u8], part: &Part<'_>) {
    match part {
        Part::Unread(span) => inside(source, *span, "unread part"),
        Part::Command { span, .. } => inside(source, *span, "command substitution"),
        Part::Literal(text) | Part::Glob(text) => assert!(!text.is_empty(), "an empty part"),
        Part::Brace(words) => assert!(!words.is_empty(), "no alternatives"),
        Part::DoubleQuoted(parts) => {
            for part in parts {
                assert!(stands_in_quotes(part), "{part:?} inside double quotes");
            }
        }
        _ => {}
    }
}

fn stands_in_quotes(part: &Part<'_>) -> bool {
    matches!(
        part,
        Part::Quoted(_)
            | Part::Parameter(_)
            | Part::Command { .. }
            | Part::Arithmetic(_)
            | Part::Unread(_)
    )
}

/// The text of a word of a command, read alone, is that word.
fn read_again(script: &Script<'_>) {
    let here_documents = script.source.windows(2).any(|pair| pair == b"<<");
    // The spans in backticks are those of the whole part; a carriage return may end a line only
    // where the word is cut out.
    if here_documents
        || script
            .source
            .iter()
            .any(|byte| matches!(byte, b'`' | b'\r'))
    {
        return;
    }
    for command in script.commands() {
        let CommandKind::Simple { words, .. } = &command.kind else {
            continue;
        };
        for word in words.iter().skip(1) {
            let text = &script.source[word.span.start..word.span.end];
            let alone = [b"declare ", text].concat();
            let again = shell::parse(&alone);
            let found = again
                .commands()
                .into_iter()
                .next()
                .map(|command| &command.kind);
            let Some(CommandKind::Simple { words, .. }) = found else {
                panic!("{:?} is no word", String::from_utf8_lossy(text));
            };
            assert_eq!(words.len(), 2, "{:?}", String::from_utf8_lossy(text));
            assert_eq!(plain(word), plain(&words[1]));
        }
    }
}

/// The word's rendering: without spans.
fn plain(word: &Word<'_>) -> String {
    super::render::word(word)
}
