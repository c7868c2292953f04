//! Processes that a worker started, however they left it: found by their parents, and by the mark
//! of the run that they inherited. All of them end.

use std::fs;
use std::process::Child;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use edge::processes;

use crate::sys::{self, Signal};

/// The variable that marks what belongs to a run.
pub const MARK: &str = "TOLLGATE_RUN";
/// How long they may take to end once they are asked to.
pub const LEAVE_TIME: Duration = Duration::from_secs(4);
/// The same for what is left behind once the worker itself has ended: it has nothing to finish.
pub const LEFT_TIME: Duration = Duration::from_millis(200);
/// How long is looked for those that are born meanwhile.
const END_TIME: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(10);

/// Children of ours that are no part of the work, and go on.
static SPARED: Mutex<Vec<u64>> = Mutex::new(Vec::new());

/// Lets a child go on whatever is ended, until it ends by itself.
pub fn spare(mut child: Child) {
    let spared = || SPARED.lock().unwrap_or_else(PoisonError::into_inner);
    let number = u64::from(child.id());
    spared().push(number);
    thread::spawn(move || {
        let _ = child.wait();
        spared().retain(|one| *one != number);
    });
}

/// The numbers of all processes that are seen.
fn all() -> Vec<u64> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name());
    let numbers = names.filter_map(|name| name.to_string_lossy().parse().ok());
    numbers.collect()
}

/// Those below this process, zombies aside.
pub fn below_us() -> Vec<u64> {
    let own = u64::from(std::process::id());
    let seen = all().into_iter().filter_map(processes::look);
    let seen: Vec<(u64, u64)> = seen.map(|one| (one.number, one.parent)).collect();
    let spared = SPARED.lock().unwrap_or_else(PoisonError::into_inner);
    let mut below = vec![own];
    let mut at = 0;
    while let Some(&parent) = below.get(at) {
        let children = seen.iter().filter(|(_, above)| *above == parent);
        let children = children.map(|(number, _)| *number);
        let children: Vec<u64> = children.filter(|one| !spared.contains(one)).collect();
        below.extend(children.into_iter().filter(|child| *child != own));
        at += 1;
    }
    below.retain(|number| *number != own && !is_zombie(*number));
    below
}

/// Those that carry the mark of a run, this process and those above it aside.
pub fn marked(run: &str) -> Vec<u64> {
    let mark = format!("{MARK}={run}");
    let own = u64::from(std::process::id());
    let above = processes::look(own).map(|own| processes::ancestors(&own));
    let above = above.unwrap_or_default();
    let is_ours = |number: &u64| *number == own || above.iter().any(|one| one.number == *number);
    let carries = |number: &u64| {
        let block = processes::environment(*number).unwrap_or_default();
        block
            .split(|byte| *byte == 0)
            .any(|entry| entry == mark.as_bytes())
    };
    let found = all().into_iter().filter(|number| !is_ours(number));
    found
        .filter(|number| !is_zombie(*number) && carries(number))
        .collect()
}

fn is_zombie(number: u64) -> bool {
    let stat = fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(')').map(|(_, rest)| rest.trim_start());
    state.is_none_or(|state| state.starts_with(['Z', 'X']))
}

/// Ends what `find` finds: asked first, and ended after a while; how many there were.
pub fn sweep(leave: Duration, find: impl Fn() -> Vec<u64>) -> u64 {
    sys::reap();
    let first = find();
    let count = first.len() as u64;
    if first.is_empty() {
        return 0;
    }
    for number in first {
        sys::signal(number, Signal::Ask);
    }
    wait(&find, leave);
    let end = Instant::now() + END_TIME;
    // One that is ended may have started another just before.
    while Instant::now() < end {
        let left = find();
        if left.is_empty() {
            break;
        }
        for number in left {
            sys::signal(number, Signal::End);
        }
        thread::sleep(PAUSE);
        sys::reap();
    }
    count
}

fn wait(find: &impl Fn() -> Vec<u64>, time: Duration) {
    let end = Instant::now() + time;
    while Instant::now() < end {
        sys::reap();
        if find().is_empty() {
            return;
        }
        thread::sleep(PAUSE);
    }
}
