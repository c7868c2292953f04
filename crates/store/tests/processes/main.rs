//! Many processes at one store, and processes that are killed. This program is its own child:
//! with `STORE_CHILD` set it commits, else it starts children and counts what they left.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by a panic"
)]

#[allow(dead_code, reason = "the other tests use the rest")]
#[path = "../state/common.rs"]
mod common;
mod undo;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::*;
use store::{Committed, Store};

/// Says what a child shall do: `ROOT SESSION FIRST-ID COUNT`, COUNT 0 for until it is killed.
const CHILD: &str = "STORE_CHILD";

const STORM_THREADS: usize = 8;
const STORM_PROCESSES: usize = 500;
const KILLS: usize = 100;

/// A test of this program.
type Test = (&'static str, fn());

const TESTS: &[Test] = &[
    ("a_storm_loses_nothing_and_doubles_nothing", storm),
    ("a_doubled_registration_counts_once", doubled),
    ("a_killed_process_loses_nothing_acknowledged", killed),
    ("a_killed_capture_is_whole_or_not_there", undo::killed),
    ("captures_and_sweeps_at_once_lose_nothing", undo::swept),
];

fn main() {
    if let Ok(task) = std::env::var(CHILD) {
        return child(&task);
    }
    if let Ok(task) = std::env::var(undo::CHILD) {
        return undo::child(&task);
    }
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.iter().any(|arg| arg == "--list") {
        TESTS.iter().for_each(|(name, _)| println!("{name}: test"));
        return;
    }
    let filter = args.iter().find(|arg| !arg.starts_with('-'));
    let chosen = TESTS
        .iter()
        .filter(|(name, _)| filter.is_none_or(|f| name.contains(f.as_str())));
    for (name, test) in chosen {
        let start = Instant::now();
        test();
        println!(
            "test {name} ... ok ({:.1} s)",
            start.elapsed().as_secs_f32()
        );
    }
}

/// Commits, and prints each number that was acknowledged.
fn child(task: &str) {
    let words: Vec<&str> = task.split(' ').collect();
    let [root, session, first, count] = words[..] else {
        panic!("{task:?} is no task");
    };
    let store = Store::open(Path::new(root)).unwrap();
    let count: usize = count.parse().unwrap();
    let last = if count == 0 { usize::MAX } else { count };
    let mut out = std::io::stdout().lock();
    for number in 0..last {
        let event = event(session, &format!("{first}-{number}"), 1_000);
        match commit_with(&store, &event, &denied()).unwrap() {
            Committed::Done { sequence, .. } => writeln!(out, "{sequence}").unwrap(),
            Committed::Duplicate => writeln!(out, "duplicate").unwrap(),
            Committed::Overtaken => writeln!(out, "overtaken").unwrap(),
        }
        out.flush().unwrap();
    }
}

fn start(root: &Path, session: &str, first: &str, count: usize) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .env(
            CHILD,
            format!("{} {session} {first} {count}", root.display()),
        )
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits for a child that must succeed; the lines that it printed.
fn finish(child: Child) -> Vec<String> {
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "a child failed: {}", output.status);
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

fn check_whole(store: &Store, expected: u64) {
    let session = store.session("s").unwrap();
    assert_eq!(
        (session.value.calls, session.sequence),
        (expected, expected)
    );
    let report = store.verify("s").unwrap();
    assert_eq!(
        (report.good, report.damaged, report.repeated),
        (expected, 0, 0)
    );
    assert!(report.is_complete(), "{report:?}");
}

fn storm() {
    let scratch = Scratch::new();
    let root = scratch.root();
    let run = |thread: usize| {
        let runs = (0..STORM_PROCESSES).map(|run| {
            let begin = Instant::now();
            finish(start(&root, "s", &format!("{thread}.{run}"), 1));
            begin.elapsed()
        });
        runs.collect::<Vec<Duration>>()
    };
    let mut times: Vec<Duration> = std::thread::scope(|scope| {
        let run = &run;
        let threads = (0..STORM_THREADS).map(|thread| scope.spawn(move || run(thread)));
        let threads: Vec<_> = threads.collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    });
    times.sort();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100];
    println!(
        "storm: p50 {:?}, p99 {:?}, longest {:?}",
        at(50),
        at(99),
        at(100)
    );
    check_whole(&scratch.store(), (STORM_THREADS * STORM_PROCESSES) as u64);
    let project = scratch.store().project(&store::project_id(DIR)).unwrap();
    assert_eq!(project.value.sessions, 1);
}

fn doubled() {
    let scratch = Scratch::new();
    let root = scratch.root();
    for call in 0..30 {
        let twins = [0, 1, 2].map(|_| start(&root, "s", &format!("c{call}"), 1));
        let lines = twins.map(finish).concat();
        let duplicates = lines.iter().filter(|line| *line == "duplicate").count();
        assert_eq!((lines.len(), duplicates), (3, 2), "{lines:?}");
    }
    check_whole(&scratch.store(), 30);
}

fn killed() {
    let scratch = Scratch::new();
    let mut acknowledged = 0;
    for kill in 0..KILLS {
        let mut child = start(&scratch.root(), "s", &format!("k{kill}"), 0);
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (sender, receiver) = std::sync::mpsc::channel();
        let reader = std::thread::spawn(move || {
            for line in lines {
                let sequence: u64 = line.unwrap().parse().unwrap();
                sender.send(sequence).unwrap();
            }
        });
        // Wait until it is busy, then kill it at another moment each time.
        acknowledged = acknowledged.max(receiver.recv().unwrap());
        std::thread::sleep(Duration::from_micros(200 * kill as u64));
        child.kill().unwrap();
        child.wait().unwrap();
        reader.join().unwrap();
        acknowledged = receiver.iter().fold(acknowledged, u64::max);
        let store = scratch.store();
        let session = store.session("s").unwrap();
        assert_eq!(session.fault, None, "kill {kill}");
        let found = session.sequence;
        assert!(
            found >= acknowledged,
            "kill {kill}: {found} of {acknowledged}"
        );
        assert!(
            found <= acknowledged + 1,
            "kill {kill}: {found} after {acknowledged}"
        );
        assert_eq!(session.value.calls, found, "kill {kill}");
    }
    let report = scratch.store().verify("s").unwrap();
    println!("killed: {acknowledged} acknowledged, {report:?}");
    assert!(report.is_complete(), "{report:?}");
    assert!(
        report.damaged <= KILLS as u64 && report.repeated <= KILLS as u64,
        "{report:?}"
    );
}
