//! Pages that are made of what the program knows, or checked against it. `cargo xtask pages`
//! rewrites the first kind.

use std::fs;
use std::path::PathBuf;

use gates::stack::fault::{self, Answer};
use model::{Call, Certainty, EventClass, FaultCause, Flag, ResourceKind, Verb, Zone};
use rules::ActorKind;

/// Reads a page of `docs`.
fn page(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap()
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs")
        .join(name)
}

/// A page is what the program says it is.
pub fn is(name: &str, text: &str) {
    if std::env::var_os("UPDATE").is_some() {
        fs::write(path(name), text).unwrap();
    }
    let there = fs::read_to_string(path(name)).unwrap_or_default();
    assert!(
        there == text,
        "docs/{name} is out of date; `cargo xtask pages` rewrites it:\n{text}"
    );
}

const FAILURES: &str = "\
# When Tollgate itself fails

A failure is not a verdict, and its words never read like one:

```text
tollgate fault, not a policy decision: WHAT. EFFECT. Next: STEP. [fault/ID]
```

What is answered stands in one table in the program, of which this page is made; a test keeps it so.

| word | what happens |
|---|---|
| (nothing) | nothing is said; what the gates think of the call stands |
| advice | the call goes on; the worker is told once a session |
| **ask** | a human should say yes; where nobody can be asked, the call is refused |
| **refuse** | the call is refused |
| once | a stop is held up once a session, while a review is open and if that it was can be remembered; else nothing is said |

A *reading call* is a tool that only reads, or a shell command that is known to do nothing else: while
something is broken, looking around stays possible. Only a payload that nobody can read is refused
there too, since it may be anything. An *acting call* is every other one, a *plan's end* leaves plan
mode, *settings* is a change of the host's own settings.

Nobody is locked out: a human's yes to an **ask** about a failure lifts that failure until the session
ends. What could not be kept for undo is asked about each time, and a **refuse** cannot be lifted.

";

/// The columns, in the order of `fault::CLASSES`.
const COLUMNS: [(EventClass, &str); 8] = [
    (EventClass::ReadOnly, "reading call"),
    (EventClass::Mutating, "acting call"),
    (EventClass::Verdict, "plan's end"),
    (EventClass::Prompt, "prompt"),
    (EventClass::After, "after a call"),
    (EventClass::Stop, "stop"),
    (EventClass::Settings, "settings"),
    (EventClass::Lifecycle, "session"),
];

fn word(answer: Answer) -> &'static str {
    match answer {
        Answer::Silent => "",
        Answer::Advice => "advice",
        Answer::Ask => "**ask**",
        Answer::Deny => "**refuse**",
        Answer::Once => "once",
    }
}

fn row<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    let cells: Vec<&str> = cells.collect();
    format!("| {} |\n", cells.join(" | "))
}

#[test]
fn the_failure_table_is_on_its_page() {
    assert_eq!(COLUMNS.map(|(class, _)| class), fault::CLASSES);
    let mut text = String::from(FAILURES);
    text += &row(["what failed"]
        .into_iter()
        .chain(COLUMNS.map(|(_, name)| name)));
    text += &row(["---"; 9].into_iter());
    for (name, cause) in FaultCause::NAMES {
        let answers = fault::CLASSES.map(|class| word(fault::answer_of(*cause, class)));
        let name = format!("`{name}`");
        text += &row([name.as_str()].into_iter().chain(answers));
    }
    text += "\n| id | what it is | next step |\n|---|---|---|\n";
    for (name, cause) in FaultCause::NAMES {
        let name = format!("`{name}`");
        text += &row([
            name.as_str(),
            fault::meaning(*cause),
            fault::next_step(*cause),
        ]
        .into_iter());
    }
    is("failures.md", &text);
}

#[test]
fn the_readme_counts_what_is_tested() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |name: &str| fs::read_to_string(root.join(name)).unwrap();
    let cases = read("corpus/everyday.jsonl");
    let count = cases.lines().filter(|line| !line.trim().is_empty()).count();
    let said = format!("{count} everyday commands are a test");
    assert!(
        read("README.md").contains(&said),
        "README.md should say: {said}"
    );
}

#[test]
fn every_condition_and_all_its_words_are_explained() {
    let page = page("rules.md");
    let (_, words) = page.split_once("\n## Words\n").unwrap();
    let row = |name: &str| {
        let quoted = format!("`{name}`");
        let rows = words.lines().filter(|line| line.starts_with("| "));
        rows.map(|line| line.trim_matches('|').split_once('|').unwrap())
            .find(|(first, _)| first.contains(&quoted))
            .unwrap_or_else(|| panic!("docs/rules.md has no row for {name}"))
            .1
    };
    for name in rules::condition_names() {
        row(name);
    }
    let closed: [(&str, Vec<&str>); 7] = [
        ("verb", names(Verb::NAMES)),
        ("kind", names(ResourceKind::NAMES)),
        ("zone", names(Zone::NAMES)),
        ("flags", names(Flag::NAMES)),
        ("certainty_at_most", names(Certainty::NAMES)),
        ("actor", names(ActorKind::NAMES)),
        ("tool", Call::TOOLS.to_vec()),
    ];
    for (condition, values) in closed {
        let told: Vec<&str> = row(condition).split(',').map(str::trim).collect();
        assert_eq!(told, values, "docs/rules.md, `{condition}`");
    }
}

fn names<T>(named: &[(&'static str, T)]) -> Vec<&'static str> {
    named.iter().map(|(name, _)| *name).collect()
}
