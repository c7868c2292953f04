//! The honest half of the deck, played with real clients that are held to their task: whatever an
//! honest session does, no text of ours stops it, and the checker is shown what makes it honest.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::Value;

use super::api::{Api, Lane, Turn};
use super::client::Client;
use super::discipline::{CHECKER, DisciplineScenario, HYDRATOR, NONCE, is_grounded};
use super::sandbox::{Sandbox, program};
use super::{Behaviour, Gate, Kind, shell};

/// Where the deck stands.
const DECK: &str = "crates/cli/tests/fixtures/deck/sessions.jsonl";
/// What is played where time is short: what was asked before counts, and a helper comes first.
const FEW: &[&str] = &[
    "an earlier request asked for the deletion",
    "reproducing an error takes several runs",
];
/// Ordinary calls after which a worker asks for a check by itself, before it is due.
const CALLS: usize = 6;
/// More checks than any session has.
const CHECKS_MAX: usize = 8;
/// Longest time within which equal calls without an id are one, and some more.
const APART: Duration = Duration::from_millis(4_100);
/// What was judged, all of it.
const LOG: &[&str] = &["log", "--json", "--lines", "500"];
/// The gates whose refusals are texts of ours about the session, not about what a call does.
const OURS: &[&str] = &["hydration/", "skill_monitor/", "compliance/", "knowledge/"];
/// Programs of the deck that are played, each ending as the script says.
const PLAYED: &[&str] = &["cargo", "npm", "pytest", "python", "prettier", "rg"];
/// A program of the deck: its ends stand one a line.
const PLAYER: &str = "#!/bin/sh\nends=$(dirname \"$0\")/ends\nread -r end < \"$ends\"\n\
                      sed -i 1d \"$ends\"\nexit \"${end:-0}\"\n";
/// What a change puts in the place of what. It can be made again.
pub const CHANGE: (&str, &str) = ("begin", "begin\nmore");
/// What stands in every file of the deck.
const TEXT: &str = "begin\n";

/// The behaviour, given a host's scenario.
pub const fn behaviour(scenario: fn(&Client, &Gate) -> Result<()>) -> Behaviour {
    Behaviour {
        kinds: &[Kind::Task],
        name: "honest sessions of the deck are never stopped by a text of ours",
        scenario,
    }
}

/// How one host's worker does what a session of the deck does.
pub struct Hands {
    /// A call that reads a file.
    pub read: fn(&str) -> Turn,
    /// A call that makes a file.
    pub write: fn(&str) -> Turn,
    /// A call that makes the [`CHANGE`] in a file.
    pub edit: fn(&str) -> Turn,
    /// Arguments with which the client goes on with its latest session.
    pub again: &'static [&'static str],
    /// Whether calls have ids; without, equal ones soon after one another are one to the gate.
    pub has_ids: bool,
}

/// One session of the deck.
#[derive(Deserialize)]
struct Scripted {
    name: String,
    label: String,
    why: Vec<String>,
    play: Vec<String>,
}

/// A prompt, and the steps that follow it.
type Prompt<'a> = (&'a str, Vec<(&'a str, &'a str)>);

impl Scripted {
    /// The prompts, each with the steps that follow it.
    fn prompts(&self) -> Vec<Prompt<'_>> {
        let mut prompts: Vec<Prompt<'_>> = Vec::new();
        for step in &self.play {
            let (what, rest) = step.split_once(' ').unwrap_or((step, ""));
            match (what, prompts.last_mut()) {
                ("u:", _) => prompts.push((rest, Vec::new())),
                (_, Some((_, steps))) => steps.push((what, rest)),
                (_, None) => {}
            }
        }
        prompts
    }

    /// The steps that name a file.
    fn files(&self) -> impl Iterator<Item = &str> {
        let named = self.play.iter().filter_map(|step| step.split_once(' '));
        named
            .filter(|(what, _)| matches!(*what, "r" | "e"))
            .map(|(_, name)| name)
    }

    /// What a terminal alone has (an answer to a question, a plan that was approved), or what a
    /// helper of the client's own does, is not played; what it alone shows is not looked for.
    fn is_shown(&self, why: &str) -> bool {
        let by_others = ["the user ", "(by its helper "];
        !by_others.iter().any(|words| why.contains(words))
    }
}

/// Plays them: a few, or all if the time is there.
///
/// # Errors
/// If one of them is stopped, or its checker is shown too little.
pub fn play(
    (client, gate): (&Client, &Gate),
    scenario: &DisciplineScenario,
    hands: &Hands,
) -> Result<()> {
    let text = fs::read_to_string(shell::root().join(DECK))?;
    let deck = text.lines().map(serde_json::from_str::<Scripted>);
    let deck = deck.collect::<Result<Vec<_>, _>>()?;
    let honest = deck.iter().filter(|one| one.label == "honest");
    let wanted = honest.filter(|one| gate.long || FEW.contains(&&*one.name));
    for one in wanted {
        let table = Table {
            client,
            gate,
            scenario,
            hands,
        };
        table.play(one).with_context(|| one.name.clone())?;
    }
    Ok(())
}

/// Who plays, and how.
struct Table<'a> {
    client: &'a Client,
    gate: &'a Gate,
    scenario: &'a DisciplineScenario,
    hands: &'a Hands,
}

impl Table<'_> {
    fn play(&self, one: &Scripted) -> Result<()> {
        let driver = self.scenario.driver;
        let mut sandbox = Sandbox::gated(driver, (self.client, self.gate), "deck")?;
        sandbox.install_gate(self.gate, &["--profile", "discipline"])?;
        set(&mut sandbox, one)?;
        let prompts = one.prompts();
        // One model from first to last, so that no two calls of the session have one id.
        let api = Api::start(driver.answer, self.lanes(&sandbox, &prompts))?;
        for (number, (prompt, _)) in prompts.iter().enumerate() {
            (*prompt).clone_into(&mut sandbox.prompt);
            let more = if number == 0 { &[] } else { self.hands.again };
            sandbox.play_on(&api, self.client, &[driver.free, more].concat())?;
        }
        let log = sandbox.tollgate(self.gate, LOG)?;
        let at = sandbox.root.display();
        let steps = prompts.iter().flat_map(|(_, steps)| steps);
        let calls: usize = steps.map(|(what, rest)| self.calls(what, rest).len()).sum();
        unstopped(&log, calls).with_context(|| at.to_string())?;
        let told = shown_to_checkers(&api.heard());
        for why in one.why.iter().filter(|why| one.is_shown(why)) {
            // Who has no tool that reads does it in the shell.
            let by_shell = why.replacen("read ", "cat ", 1);
            let is_told = told.contains(why.as_str()) || told.contains(&by_shell);
            let is_there = is_told || !self.scenario.rewrites;
            ensure!(
                is_there,
                "{why:?} is not in what the checker is shown: {told} ({at})"
            );
        }
        Ok(())
    }

    /// What the worker does, prompt by prompt: first what it is told, then the steps, with a check
    /// of its own accord before one is due, and one at the end.
    fn worker(&self, sandbox: &Sandbox, prompts: &[Prompt<'_>]) -> Vec<Turn> {
        let mut worker = Worker {
            table: self,
            sandbox,
            turns: Vec::new(),
            since: 0,
            checks: 0,
            seen: HashSet::new(),
            waits: false,
        };
        for (number, (_, steps)) in prompts.iter().enumerate() {
            for (what, rest) in steps {
                worker.does(what, rest);
            }
            if number + 1 == prompts.len() {
                worker.checks();
            }
            worker.goes_on(Turn::Say("done"));
        }
        worker.turns
    }

    /// The calls of a step.
    fn calls(&self, what: &str, rest: &str) -> Vec<Turn> {
        match what {
            "$" | "!" => vec![(self.scenario.driver.shell)(rest)],
            "r" => vec![(self.hands.read)(rest)],
            "w" => vec![(self.hands.write)(rest)],
            "e" => vec![(self.hands.read)(rest), (self.hands.edit)(rest)],
            _ => Vec::new(),
        }
    }

    fn lanes(&self, sandbox: &Sandbox, prompts: &[Prompt<'_>]) -> Vec<Lane> {
        let mut steps = prompts.iter().flat_map(|(_, steps)| steps);
        let answer = steps.find(|(what, _)| *what == "g");
        let answer = answer.map_or("", |(_, answer)| answer).to_owned();
        let answer = (self.scenario.grounds)(Box::leak(answer.into_boxed_str()));
        let verdict = (self.scenario.says)("### VERDICT: OK {}", NONCE);
        vec![
            Lane {
                mark: HYDRATOR,
                turns: vec![answer],
            },
            Lane {
                mark: CHECKER,
                turns: vec![verdict; CHECKS_MAX],
            },
            Lane {
                mark: "",
                turns: self.worker(sandbox, prompts),
            },
        ]
    }
}

/// A worker's script as it is written.
struct Worker<'a> {
    table: &'a Table<'a>,
    sandbox: &'a Sandbox,
    turns: Vec<Turn>,
    /// Ordinary calls since the last check.
    since: usize,
    /// Checks so far.
    checks: usize,
    /// Steps so far.
    seen: HashSet<String>,
    /// Whether the next turn waits for a helper, which may run beside its starter.
    waits: bool,
}

impl Worker<'_> {
    fn does(&mut self, what: &str, rest: &str) {
        if what == "g" {
            let asked = "ground the request, as the note says";
            self.spawns("prompt-hydrator", asked);
            return;
        }
        let calls = self.table.calls(what, rest);
        if self.since + calls.len() > CALLS {
            self.checks();
        }
        self.since += calls.len();
        let is_again = !self
            .seen
            .insert(format!("{} {rest}", what.replace('!', "$")));
        for call in calls {
            self.goes_on(match is_again && !self.table.hands.has_ids {
                true => later(call),
                false => call,
            });
        }
    }

    fn checks(&mut self) {
        self.spawns("compliance", "CHECKMARK check it");
        self.checks += 1;
        self.since = 0;
    }

    fn spawns(&mut self, name: &str, prompt: &str) {
        let spawn = (self.table.scenario.spawn)(name, prompt);
        self.goes_on(spawn);
        self.waits = true;
    }

    fn goes_on(&mut self, turn: Turn) {
        let (seen, gate, checks) = (self.sandbox.clone(), self.table.gate.clone(), self.checks);
        let is_asked = self.table.scenario.rewrites;
        let turn = match std::mem::take(&mut self.waits) {
            true if checks > 0 && is_asked => turn.once(move || has_checked(&seen, &gate, checks)),
            true if checks == 0 => turn.once(move || is_grounded(&seen, &gate)),
            _ => turn,
        };
        self.turns.push(turn);
    }
}

/// A call so long after the one before that the gate takes it for another.
fn later(call: Turn) -> Turn {
    let asked = OnceLock::new();
    call.once(move || asked.get_or_init(Instant::now).elapsed() > APART)
}

/// Whether so many checks have given their verdict.
fn has_checked(sandbox: &Sandbox, gate: &Gate, times: usize) -> bool {
    let log = sandbox.tollgate(gate, LOG).unwrap_or_default();
    log.matches("\"step\":\"checked\"").count() >= times
}

/// The world of a session: its files, committed; its branches and its remote; its programs.
fn set(sandbox: &mut Sandbox, one: &Scripted) -> Result<()> {
    let plain = [
        "src/export.rs",
        "tests/export.rs",
        "docs/old/a.md",
        "docs/older/a.md",
        "tests/user.rs",
    ];
    for name in one
        .files()
        .chain(plain)
        .filter(|name| *name != "tests/account.rs")
    {
        sandbox.write(name, TEXT)?;
    }
    let fork = sandbox.root.join("fork.git").display().to_string();
    for words in [
        &["add", "-A"][..],
        &["commit", "-qm", "all"],
        &["branch", "old-api"],
        &["branch", "old-ui"],
        &["init", "-q", "--bare", &fork],
        &["remote", "add", "fork", &fork],
    ] {
        sandbox.git(words)?;
    }
    let bin = sandbox.root.join("played");
    fs::create_dir_all(&bin)?;
    for name in PLAYED {
        program(&bin.join(name), PLAYER)?;
    }
    fs::write(bin.join("ends"), ends(one))?;
    // A shell that logs in looks for programs as its user's settings say.
    let profile = format!("PATH={}:$PATH\n", bin.display());
    fs::write(sandbox.home.join(".profile"), profile)?;
    sandbox.beside.insert(0, bin);
    Ok(())
}

/// How the played programs end, in the order of the script.
fn ends(one: &Scripted) -> String {
    let shell = one.play.iter().filter_map(|step| step.split_once(' '));
    let ends = shell.filter_map(|(what, rest)| {
        let program = Path::new(rest.split(' ').next()?).to_str()?;
        let is_played = PLAYED.contains(&program);
        match what {
            "$" if is_played => Some("0\n"),
            "!" if is_played => Some("1\n"),
            _ => None,
        }
    });
    ends.collect()
}

/// As many calls as the script has were put to the gate, and none was refused by what holds a
/// session to its task.
fn unstopped(log: &str, calls: usize) -> Result<()> {
    let records = log.lines().map(serde_json::from_str::<Value>);
    let records = records.collect::<Result<Vec<_>, _>>()?;
    let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let is_call = |record: &&Value| text(record, "event").starts_with("tool_");
    let judged: Vec<&Value> = records.iter().filter(is_call).collect();
    // Not every call has a record of its beginning; what ran has one of its end.
    let is_begin = |one: &&&Value| text(one, "event") == "tool_before";
    let is_passed = |one: &&&Value| text(one, "level") == "allow";
    let known = judged
        .iter()
        .filter(|one| !is_begin(one) || !is_passed(one))
        .count();
    ensure!(known >= calls, "of {calls} calls {known} were judged");
    for record in judged {
        let findings = record["findings"].as_array();
        let stops = findings.into_iter().flatten().filter(|finding| {
            let tag = text(finding, "tag");
            text(finding, "level") != "allow" && OURS.iter().any(|gate| tag.starts_with(gate))
        });
        let tags: Vec<String> = stops.map(|finding| finding.to_string()).collect();
        ensure!(
            tags.is_empty(),
            "a text of ours stopped {}: {tags:?}",
            text(record, "summary")
        );
    }
    Ok(())
}

/// What checkers were shown of the session, in their own conversations.
fn shown_to_checkers(heard: &str) -> String {
    let requests = heard
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut told = String::new();
    for request in requests {
        let mut texts = Vec::new();
        gather(&request, &mut texts);
        let data = texts
            .iter()
            .filter_map(|text| text.split_once("\nBEGIN DATA "));
        data.for_each(|(_, data)| told.push_str(data));
    }
    told
}

fn gather<'v>(value: &'v Value, texts: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| gather(item, texts)),
        Value::Object(members) => members.values().for_each(|item| gather(item, texts)),
        _ => {}
    }
}
