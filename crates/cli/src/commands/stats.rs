//! `tollgate stats`: what coaching and discipline cost, and whether they help; how often a person
//! was asked. Everything is counted from the journals; what one prompt in five was not told is the
//! comparison, and what was left out of grounding and of checks.

use std::process::ExitCode;

use anyhow::Result;
use edge::{facts, surroundings};
use model::section::Section;
use serde_json::{Value, json};
use store::Store;
use text::words;
use work::discipline::{Task, TaskStep};

use crate::concerns::CONCERNS;
use crate::concerns::tally::{Held, Moment, Part, Tally};
use crate::here::Here;
use crate::records::journal::{Record, is_trial};
use crate::{exit, show};

/// How far back is counted, in milliseconds.
const BACK_MS: u64 = 90 * 24 * 60 * 60 * 1_000;

#[derive(clap::Args)]
pub struct Args {
    /// Only sessions of this project
    #[arg(long)]
    here: bool,
    /// One JSON object
    #[arg(long)]
    json: bool,
    /// Switches off what has proved to be of no use; says nothing
    #[arg(long, hide = true)]
    settle: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    let Some(store) = here.remembered()? else {
        say!("nothing is remembered yet; the first call of a gated agent begins it");
        return Ok(ExitCode::from(exit::OK));
    };
    let since = surroundings::now().0.saturating_sub(BACK_MS);
    let project = args
        .here
        .then(|| store::project_id(&facts::project_dir(&here.place.cwd)));
    let mut counts = Counts::new();
    for id in store.journals()?.iter().filter(|id| !is_trial(id)) {
        if let Some(project) = &project
            && store.session(id)?.value.project != *project
        {
            continue;
        }
        if is_recent(&store, id, since)? {
            let mut is_held = false;
            store.scan_journal(id, &mut |line| {
                if may_count(&line.text) {
                    is_held |= counts.take(&Moment::of(&Record::new(id, &line)));
                }
            })?;
            counts.end(is_held);
        }
    }
    let useless = counts.useless();
    if args.settle {
        store.set_useless_hints(&useless)?;
        return Ok(ExitCode::from(exit::OK));
    }
    let off = store.useless_hints();
    match args.json {
        true => say!("{}", as_json(&counts, &off)),
        false => print(&counts, &off),
    }
    Ok(ExitCode::from(exit::OK))
}

/// All that is counted.
struct Counts {
    sessions: u64,
    prompts: u64,
    /// Each with the section whose steps count.
    tallies: Vec<(&'static str, Box<dyn Tally>)>,
}

impl Counts {
    fn new() -> Self {
        let counted = CONCERNS.iter().filter_map(|concern| concern.counted);
        Self {
            sessions: 0,
            prompts: 0,
            tallies: counted
                .map(|counted| (counted.section, (counted.tally)()))
                .collect(),
        }
    }

    /// Counts the next record of a session; whether the session is held to anything.
    fn take(&mut self, moment: &Moment<'_>) -> bool {
        let is_prompt = |step: &TaskStep| matches!(step, TaskStep::Prompted { .. });
        self.prompts += moment.steps().filter(is_prompt).count() as u64;
        let mut is_held = moment.is_of(Task::NAME);
        for (section, tally) in &mut self.tallies {
            tally.take(moment);
            is_held |= moment.is_of(section);
        }
        is_held
    }

    /// The session is at its end.
    fn end(&mut self, is_held: bool) {
        self.sessions += u64::from(is_held);
        self.tallies.iter_mut().for_each(|(_, tally)| tally.end());
    }

    fn useless(&self) -> Vec<&'static str> {
        let tallies = self.tallies.iter();
        tallies.flat_map(|(_, tally)| tally.useless()).collect()
    }
}

/// Whether a line may be of a record that counts: most are not.
pub fn may_count(line: &str) -> bool {
    ["\"steps\":", "\"discipline\":", "\"tool_failed\""]
        .iter()
        .any(|key| line.contains(key))
}

/// Whether something came in a session since then.
fn is_recent(store: &Store, session: &str, since: u64) -> Result<bool> {
    let mut lines = store.journal_backward(session);
    while let Some(line) = lines.next_line()? {
        if let Some(time) = line.time() {
            return Ok(time.0 >= since);
        }
    }
    Ok(false)
}

fn as_json(counts: &Counts, off: &[String]) -> Value {
    let own = json!({"sessions": counts.sessions, "prompts": counts.prompts, "off": off});
    let all = counts.tallies.iter().map(|(_, tally)| tally.json());
    let all = std::iter::once(own)
        .chain(all)
        .filter_map(|part| match part {
            Value::Object(fields) => Some(fields),
            _ => None,
        });
    Value::Object(all.flatten().collect())
}

fn print(counts: &Counts, off: &[String]) {
    say!(
        "{} in {}",
        words::count(counts.prompts, "prompt"),
        words::count(counts.sessions, "session")
    );
    let lines = |part| {
        let tallies = counts.tallies.iter();
        tallies.flat_map(move |(_, tally)| tally.lines(part))
    };
    lines(Part::Help).for_each(|line| say!("{line}"));
    say!("{}", held(counts));
    let others = [Part::Found, Part::Cost].into_iter().flat_map(lines);
    others.for_each(|line| say!("{line}"));
    lines(Part::Off(off)).for_each(|line| say!("{}", show::warn(&line)));
}

/// `held back        3 for grounding, 1 for a check; let go 1`.
fn held(counts: &Counts) -> String {
    let tallies = counts.tallies.iter();
    let held: Vec<Held> = tallies.filter_map(|(_, tally)| tally.held()).collect();
    let each = held
        .iter()
        .map(|held| format!("{} {}", held.times, held.what_for));
    let each = each.collect::<Vec<String>>().join(", ");
    let let_go: u64 = held.iter().map(|held| held.let_go).sum();
    format!("held back        {each}; let go {let_go}")
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::concerns::tally::tests::{calls, prompt, record};

    #[test]
    fn a_session_counts_if_it_is_held_to_anything() {
        let mut counts = Counts::new();
        let loose = [record("tool_failed", "make", &[])];
        for records in [vec![prompt(&[]), prompt(&[])], calls(1), loose.to_vec()] {
            let held = records
                .iter()
                .map(|record| counts.take(&Moment::of(record)));
            let held: Vec<bool> = held.collect();
            counts.end(held.contains(&true));
        }
        assert_eq!((counts.sessions, counts.prompts), (2, 2));
        assert_eq!(
            held(&counts),
            "held back        0 for grounding, 0 for a check; let go 0"
        );
    }
}
