//! Writes a board as years leave it: `DIR MESSAGES ITEMS`. For `cargo xtask bench --board`.

#![allow(clippy::expect_used, reason = "a failure ends it")]

use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;

use ledger::items::{Change, Dependency, Event};
use ledger::message::Message;
use ledger::{Author, Role, Stamp};

/// Length of a file.
const FILE_BYTES: usize = 8 * 1024 * 1024;
/// When the first message was posted.
const BEGIN: u64 = 1_700_000_000_000;
/// Milliseconds between two.
const APART: u64 = 60_000;
const TOPICS: &[&str] = &["build/linux", "build/mac", "plan", "review/notes", "tests"];

fn main() {
    let mut words = std::env::args().skip(1);
    let dir = words.next().expect("DIR MESSAGES ITEMS");
    let mut count = || {
        words
            .next()
            .and_then(|word| word.parse().ok())
            .expect("a number")
    };
    let (messages, items): (u64, u64) = (count(), count());
    for topic in TOPICS {
        fs::create_dir_all(Path::new(&dir).join(".tollgate/messages").join(topic))
            .expect("a directory");
    }
    fs::create_dir_all(Path::new(&dir).join(".tollgate/work")).expect("a directory");
    let begun = write(messages, message, |number, file| {
        let topic = TOPICS.get(usize::try_from(number).unwrap_or_default() % TOPICS.len());
        let topic = topic.copied().unwrap_or("tests");
        format!("{dir}/.tollgate/messages/{topic}/claude-{file:08}.{file:08}.jsonl")
    });
    begun.expect("the messages");
    let events = items + items / 4;
    let done = write(
        events,
        |number, line| event(number, line, items),
        |_, file| format!("{dir}/.tollgate/work/claude-{file:08}.{file:08}.jsonl"),
    );
    done.expect("the items");
}

/// Writes lines into files of the usual length; those of one file go to the topic of its number.
fn write(
    count: u64,
    line: impl Fn(u64, u64) -> (usize, String),
    path: impl Fn(u64, usize) -> String,
) -> std::io::Result<()> {
    let lanes = if count > 500_000 { TOPICS.len() } else { 1 };
    let mut files: Vec<(Option<BufWriter<fs::File>>, usize, u64)> =
        (0..lanes).map(|_| (None, 0, 0)).collect();
    let mut begun = 0;
    for number in 0..count {
        let lane = usize::try_from(number).unwrap_or_default() % lanes;
        let Some((file, bytes, lines)) = files.get_mut(lane) else {
            continue;
        };
        if file.is_none() || *bytes > FILE_BYTES {
            begun += 1;
            *file = Some(BufWriter::new(fs::File::create(path(number, begun))?));
            (*bytes, *lines) = (0, 0);
        }
        *lines += 1;
        let (length, text) = line(number, *lines);
        *bytes += length + 1;
        if let Some(file) = file {
            writeln!(file, "{text}")?;
        }
    }
    Ok(())
}

fn stamp(number: u64) -> Stamp {
    let mut chance = [7; 10];
    for (to, from) in chance.iter_mut().zip(number.to_be_bytes()) {
        *to ^= from;
    }
    Stamp::new(BEGIN + number * APART, chance)
}

fn author() -> Author {
    Author {
        agent: "claude".to_owned(),
        role: Role::Worker,
        session: "5e55104e-0000-4000-8000-000000000001".to_owned(),
        ..Author::default()
    }
}

fn message(number: u64, line: u64) -> (usize, String) {
    let id = stamp(number);
    let topic = TOPICS.get(usize::try_from(number).unwrap_or_default() % TOPICS.len());
    let body = format!(
        "run {number} is done: {} tests passed, {} to look at",
        number % 900,
        number % 7
    );
    let text = serde_json::json!({"topic": topic, "agent": "", "body": body, "id": id}).to_string();
    let message = Message::read(text.as_bytes())
        .expect("a message")
        .by(author());
    let ts = text::date::timestamp(id.millis());
    let text = Message {
        ts,
        line,
        ..message
    }
    .line();
    (text.len(), text)
}

fn event(number: u64, line: u64, items: u64) -> (usize, String) {
    let item = number % items;
    let mut change = Change::to(&format!("tg-{item:05}"));
    change.of = Some(stamp(item));
    if number < items {
        change.new = true;
        change.put(
            "title",
            &format!("Part {item} of the work that is to be done"),
        );
        change.put(
            "description",
            &"What there is to say about it. ".repeat(1 + number as usize % 8),
        );
        change.put_value("priority", &(item % 5).into());
        change.put(
            "issue_type",
            match item % 3 {
                0 => "task",
                1 => "bug",
                _ => "feature",
            },
        );
        change.add.labels.push(format!("area-{}", item % 40).into());
        if item % 3 == 1 {
            let on = Dependency::new(&format!("tg-{:05}", item - 1), "blocks");
            change.add.dependencies.push(on);
        }
    } else {
        change.put("status", "closed");
        change.put("close_reason", "done");
    }
    let event = Event {
        id: stamp(number),
        author: author(),
        change,
        line,
    };
    let text = event.line();
    (text.len(), text)
}
