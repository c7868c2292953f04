//! What is gathered from a stream. The decoder's lines are single words of the past: a prompt
//! `p TEXT`, an answer `a TEXT`, a call `c ID COMMAND`, its failure `f ID TEXT`, its end `e ID`, a
//! skill `s NAME`, a write `w PATH ID`, a list `t TEXT`, a call that makes one `list ID TEXT`.

use super::super::*;
use model::{
    Actor, Call, Content, Dialect, Past, PastCall, PastText, Time, Todo, TodoChange, TodoState,
    TranscriptContext,
};
use proptest::prelude::*;

fn record(line: &[u8]) -> Option<Vec<Past>> {
    let text = std::str::from_utf8(line).ok()?;
    let (kind, rest) = text.split_once(' ').unwrap_or((text, ""));
    let (id, more) = rest.split_once(' ').unwrap_or((rest, ""));
    Some(vec![match kind {
        "p" => Past::Prompt(said(rest)),
        "a" => Past::Answer(said(rest)),
        "m" => Past::Prompt(PastText {
            machine: true,
            ..said(rest)
        }),
        "c" => Past::Call(call(
            id,
            Call::Shell {
                command: more.to_owned().into(),
                dialect: Dialect::Posix,
            },
        )),
        "w" => Past::Call(call(
            more,
            Call::Write {
                path: id.to_owned().into(),
                content: Content::default(),
            },
        )),
        "f" => Past::Failed {
            call_id: id.to_owned(),
            text: more.to_owned(),
            stopped: false,
        },
        "e" => Past::Ended {
            call_id: id.to_owned(),
            taken: true,
        },
        "s" => Past::Skill {
            name: rest.to_owned(),
        },
        "t" => Past::Todos(TodoChange::All(vec![Todo {
            id: String::new(),
            text: rest.to_owned(),
            state: TodoState::Pending,
        }])),
        "list" => {
            let list = record(format!("t {more}").as_bytes()).unwrap_or_default();
            let call = Past::Call(call(id, Call::Todo));
            return Some([call].into_iter().chain(list).collect());
        }
        "filler" => return Some(Vec::new()),
        _ => return None,
    }])
}

fn said(text: &str) -> PastText {
    PastText {
        text: text.to_owned(),
        actor: Actor::Unknown,
        ..PastText::default()
    }
}

fn call(id: &str, call: Call<'static>) -> PastCall {
    PastCall {
        call_id: id.to_owned(),
        session: String::new(),
        actor: Actor::Unknown,
        cwd: String::new(),
        time: Time(1),
        version: String::new(),
        call,
    }
}

fn context(line: &[u8]) -> Option<TranscriptContext> {
    let cwd = line.strip_prefix(b"cwd ")?;
    Some(TranscriptContext {
        cwd: String::from_utf8_lossy(cwd).into_owned(),
        ..TranscriptContext::default()
    })
}

const FORMAT: Format = Format {
    frame: Frame::Lines,
    record,
    context,
};

/// What a text tells, and how many of its bytes were read for it.
fn extracted(text: &[u8], query: &Query) -> (Extraction, usize) {
    let mut all = 0;
    let mut read_at = |offset: u64, piece: &mut [u8]| {
        let rest = &text[usize::try_from(offset).unwrap().min(text.len())..];
        let count = rest.len().min(piece.len());
        piece[..count].copy_from_slice(&rest[..count]);
        all += count;
        Some(count)
    };
    let extraction = extract(FORMAT, query, text.len() as u64, &mut read_at);
    (extraction, all)
}

fn all(text: &str) -> Extraction {
    extracted(text.as_bytes(), &Query::of(&Section::ALL)).0
}

#[test]
fn turns_bound_what_is_recent() {
    let text = "p one\ns old\nc 1 ls\nf 1 gone\np two\np three\nc 2 pwd\ne 2\n";
    let of = |turns| {
        let query = Query {
            turns,
            ..Query::of(&Section::ALL)
        };
        let extraction = extracted(text.as_bytes(), &query).0;
        let skill = extraction.skill.map(|skill| skill.turns_ago);
        (
            extraction.prompts.len(),
            extraction.tools.len(),
            extraction.errors.len(),
            skill,
        )
    };
    assert_eq!(of(5), (3, 2, 1, Some(2)));
    assert_eq!(of(3), (3, 2, 1, Some(2)));
    assert_eq!(of(2), (2, 1, 0, None));
    assert_eq!(of(1), (1, 1, 0, None));
    assert_eq!(of(0), (0, 0, 0, None));
    assert_eq!(of(usize::MAX), (3, 2, 1, Some(2)));
}

#[test]
fn a_short_prompt_brings_the_question() {
    let extraction =
        all("a Done.\na Shall I push it?\nIt is green.\np yes\np do the other thing\n");
    let asked: Vec<&str> = extraction
        .prompts
        .iter()
        .map(|p| p.asked.as_str())
        .collect();
    assert_eq!(asked, ["Shall I push it?", ""]);
    let extraction = all("a I stopped here.\np go on\n");
    assert_eq!(extraction.prompts[0].asked, "I stopped here.");
    assert_eq!(all("p go on\n").prompts[0].asked, "");
}

#[test]
fn only_files_that_were_really_changed_are_told() {
    let text =
        "p x\nw /a 1\ne 1\nw /b 2\nf 2 no\ne 2\nw /c 3\nw /a 4\ne 4\nw /d 5\ne 5\nw /a 6\ne 6\n";
    let extraction = all(text);
    let files: Vec<(&str, u64)> = extraction
        .files
        .iter()
        .map(|f| (f.path.as_str(), f.times))
        .collect();
    assert_eq!(files, [("/d", 1), ("/a", 3)]);
}

#[test]
fn a_list_that_was_refused_is_not_the_list() {
    let text = "t first\nlist 1 second\nf 1 unsupported\ne 1\n";
    let extraction = all(text);
    let items: Vec<&str> = extraction
        .todos
        .items
        .iter()
        .map(|item| item.text.as_str())
        .collect();
    assert_eq!(items, ["first"]);
    let extraction = all("t first\nlist 1 second\ne 1\n");
    assert_eq!(extraction.todos.items[0].text, "second");
}

#[test]
fn our_own_words_are_nobodys_wish() {
    let extraction =
        all("p tollgate: no verdict\np tollgate ok kestrel-42\np tollgate is slow\nm x\n");
    assert_eq!(extraction.intent.unwrap().text, "tollgate is slow");
    assert_eq!(
        (extraction.seen.prompts, extraction.seen.machine_prompts),
        (1, 3)
    );
}

#[test]
fn words_cannot_end_a_block_or_fill_a_page() {
    let extraction = all(&format!("p ```\u{1b}[31mé{}\n", "ü".repeat(900)));
    let text = &extraction.prompts[0].text;
    assert!(
        text.starts_with("''' [31mé") && text.ends_with('…'),
        "{text}"
    );
    assert_eq!(text.chars().count(), 401);
    let extraction = all(&format!("c 1 x\nf 1 begin{}end\n", "é".repeat(900)));
    let text = &extraction.errors[0].text;
    assert!(text.starts_with("begin") && text.ends_with("end"), "{text}");
    assert!(text.chars().count() <= 300, "{}", text.chars().count());
}

#[test]
fn decisions_are_quoted_from_humans_alone() {
    let check = |said: &str, expected: &[(&str, &str)]| {
        let extraction = all(&format!("a always never\nm always x\np {said}\n"));
        let found: Vec<(&str, &str)> = extraction
            .decisions
            .iter()
            .map(|d| (d.marker, d.quote.as_str()))
            .collect();
        assert_eq!(found, expected, "{said}");
    };
    check("Always use tabs.", &[("always", "Always use tabs.")]);
    check(
        "Fix it. Let’s use serde here; never touch a.b/c.rs. Thanks",
        &[
            ("let's use", "Let’s use serde here;"),
            ("never", "never touch a.b/c.rs."),
        ],
    );
    check("Should we always do it?", &[]);
    check("The hallways were nevertheless dark", &[]);
    check("> always quoted", &[]);
    check(
        "I PREFER Rust instead of C",
        &[("instead of", "I PREFER Rust instead of C")],
    );
    check(
        "从现在 always 用 tabs",
        &[("always", "从现在 always 用 tabs")],
    );
    check("fix the test", &[]);
    for marker in MARKERS {
        assert_eq!(
            all(&format!("p We {marker} x\n")).decisions.len(),
            1,
            "{marker}"
        );
    }
}

#[test]
fn a_budget_leaves_out_what_is_worth_least() {
    let mut text = String::from("p the first wish of all, which is worth most\n");
    for number in 0..40 {
        text.push_str(&format!(
            "p wish {number} always é\nc {number} ls {number}\nw /file/{number} w{number}\n\
             e w{number}\nf {number} failed\nt do {number}\n"
        ));
    }
    let whole = all(&text);
    let size = |extraction: &Extraction| extraction.to_string().len();
    let mut last = usize::MAX;
    for bytes in [4_000, 1_200, 600, 300, 120, 60, 20, 0] {
        let mut extraction = whole.clone();
        assert!(extraction.fit(bytes, &size), "{bytes}");
        assert!(size(&extraction) <= bytes, "{bytes}");
        assert!(size(&extraction) <= last);
        last = size(&extraction);
        assert_eq!(extraction.seen.left_out > 0, size(&whole) > bytes);
        if bytes >= 300 {
            assert!(
                extraction.intent.is_some()
                    && extraction.prompts.len()
                        == whole.prompts.len().min(extraction.prompts.len())
                    && !extraction.prompts.is_empty(),
                "{bytes}: {extraction}"
            );
        }
        if bytes < 1_000 {
            assert!(extraction.files.is_empty(), "{bytes}: {extraction}");
        }
    }
}

#[test]
fn a_document_gives_its_objects() {
    let check = |text: &str, expected: &[&str]| {
        for cut in 0..text.len() {
            let mut frames = Frames::new(Frame::Document);
            let mut found = Vec::new();
            let mut give = |record: Record<'_>| match record {
                Record::Whole(bytes) => found.push(String::from_utf8_lossy(bytes).into_owned()),
                Record::TooLong => found.push("too long".to_owned()),
            };
            let (before, after) = text.as_bytes().split_at(cut);
            frames.push(before, &mut give);
            frames.push(after, &mut give);
            frames.end(&mut give);
            assert_eq!(found, expected, "{text} cut at {cut}");
        }
    };
    check(
        "{\"info\": {\"a\": 1}, \"messages\": [ {\"b\": [{}]}, {} ]}",
        &["{\"a\": 1}", "{\"b\": [{}]}", "{}"],
    );
    check(
        "{\"n\": \"} ] { \\\" {\", \"m\": [1, \"{\", {\"x\": \"}\\\\\"}]}",
        &["{\"x\": \"}\\\\\"}"],
    );
    check("{\"m\": [{\"a\": 1}, {\"b\"", &["{\"a\": 1}", "{\"b\""]);
    check("{}", &[]);
    check("]]}}{\"a\":{}}", &["{}"]);
}

fn line() -> impl Strategy<Value = String> {
    let filler = (0usize..6_000).prop_map(|n| format!("filler {}", "x".repeat(n)));
    prop_oneof![
        2 => "[a-z]{1,14}".prop_map(|text| format!("p {text}")),
        1 => "[a-z ?]{1,30}".prop_map(|text| format!("a {text}")),
        1 => Just("m machine".to_owned()),
        3 => ("[0-9]{1,6}", any::<bool>()).prop_map(|(id, fails)| match fails {
            true => format!("c {id} ls {id}\nf {id} no\ne {id}"),
            false => format!("c {id} ls {id}\ne {id}"),
        }),
        1 => Just("s skilled".to_owned()),
        1 => "[a-z]{1,9}".prop_map(|text| format!("t {text}")),
        1 => Just("{torn".to_owned()),
        20 => filler,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// What is read from the end alone is what the whole file tells.
    #[test]
    fn the_end_tells_what_the_whole_does(
        lines in prop::collection::vec(line(), 300..600),
        turns in 0usize..7,
        wanted in prop::sample::subsequence(
            vec![Section::Prompts, Section::Tools, Section::Errors, Section::Skill,
                Section::Todos, Section::Intent], 1..=6),
    ) {
        // No id comes twice: a call that is repeated is not told again.
        let lines = lines.iter().enumerate().map(|(number, line)| {
            line.lines().map(|line| match line.split_once(' ') {
                Some((kind @ ("c" | "f" | "e"), rest)) => format!("{kind} {number}-{rest}"),
                _ => line.to_owned(),
            }).collect::<Vec<_>>().join("\n")
        });
        let text = ["cwd /p".to_owned()].into_iter().chain(lines).collect::<Vec<_>>().join("\n");
        let query = Query { turns, ..Query::of(&wanted) };
        let part = extracted(text.as_bytes(), &query).0;
        let with_files = [wanted, vec![Section::Files]].concat();
        let whole = extracted(text.as_bytes(), &Query { turns, ..Query::of(&with_files) }).0;
        prop_assert_eq!(whole.seen.from, 0);
        let same = |extraction: &Extraction| Extraction {
            seen: ReadStats::default(),
            files: Vec::new(),
            ..extraction.clone()
        };
        prop_assert_eq!(same(&part), same(&whole), "from {}", part.seen.from);
    }
}

#[test]
fn no_more_is_read_than_is_needed() {
    let filler = format!("filler {}\n", "x".repeat(1_000)).repeat(20_000);
    let text = format!("cwd /p\np the origin\n{filler}p one thing to do\np two\nc 1 ls\ne 1\n");
    let query = Query {
        turns: 2,
        ..Query::of(&[Section::Intent, Section::Prompts, Section::Tools])
    };
    let (found, bytes) = extracted(text.as_bytes(), &query);
    assert_eq!(found.intent.as_ref().unwrap().text, "the origin");
    assert_eq!((found.prompts.len(), found.tools.len()), (2, 1));
    assert_eq!(found.cwd, "/p");
    assert!(found.seen.from > 19_000_000, "{:?}", found.seen);
    assert!(bytes < 2_000_000, "{bytes}");
    let limited = Query {
        bytes_max: Some(3_000_000),
        ..Query::of(&Section::ALL)
    };
    let (found, bytes) = extracted(text.as_bytes(), &limited);
    assert_eq!((found.prompts.len(), found.intent.is_some()), (2, true));
    assert!(found.seen.from > 0 && bytes < 8_000_000, "{bytes}");
}
