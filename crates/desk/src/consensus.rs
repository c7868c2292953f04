//! `tollgate consensus`: several reviewers judge the same, and none sees another. What they found
//! is merged, its witnesses are run, and what they say together is told with every vote.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use edge::review::nonce;
use hosts::AskedCall;
use runner::{Answer, Room, Task, Variables, Who};
use serde_json::{Value, json};
use store::Store;
use work::digest::digest_of_text;
use work::runs::prompt::{Brief, Round};
use work::runs::rounds::{self, Asked};
use work::runs::votes::{Merged, Rule, Tally, Voice, Witness, tally};
use work::runs::{Finding, Outcome};

use crate::args::ConsensusArgs;
use crate::decide::{Question, Said};
use crate::git::WorkTree;
use crate::say;

/// How often one is asked whose answer cannot be read.
const ASKED_MAX: usize = 2;
/// Least voices: one is no consensus.
const VOICES_MIN: usize = 2;
/// Most bytes of material that are quoted.
const QUOTED_MAX: usize = 64 * 1024;
/// How long a witness may take.
const WITNESS_TIME: Duration = Duration::from_secs(120);
/// What a shell says of a command that it could not run.
const NOT_RUN: &[i32] = &[126, 127];

/// What is judged.
struct Material {
    tree: WorkTree,
    /// The commit or tree that it is counted from.
    base: String,
    /// What there is.
    captured: String,
    files: Vec<(String, String)>,
    quoted: String,
    cut: bool,
}

/// The command.
///
/// # Errors
/// If nobody can be asked, or there is nothing to judge.
pub fn run(args: &ConsensusArgs) -> Result<u8> {
    let store = crate::store()?;
    crate::run::of_a_person(&store)?;
    let mut names = args.with.clone();
    names.sort();
    names.dedup();
    ensure!(
        names.len() >= VOICES_MIN,
        "name at least two who are not the same: --with a,b (known: {}, or commands)",
        runner::clients().join(", ")
    );
    let voices = names.iter().map(|name| Who::named(name));
    let voices: Vec<Who> = voices
        .collect::<Result<_, _>>()
        .map_err(|why| anyhow!(why))?;
    let material = material(args)?;
    let variables = runner::own_variables();
    let hearing = Hearing {
        store: &store,
        args,
        material: &material,
        variables: &variables,
    };
    // At once: nobody could see what another says.
    let heard: Vec<Voice> = thread::scope(|scope| {
        let asked = names.iter().zip(&voices).map(|(name, who)| {
            let hearing = &hearing;
            (name, scope.spawn(move || hearing.ask(who)))
        });
        let asked: Vec<_> = asked.collect();
        asked
            .into_iter()
            .map(|(name, asked)| Voice {
                name: name.clone(),
                found: asked
                    .join()
                    .unwrap_or_else(|_| Err("it could not be asked".to_owned())),
            })
            .collect()
    });
    let rule = Rule::NAMES.iter().find(|(name, _)| *name == args.rule);
    let rule = rule.map(|(_, rule)| *rule).unwrap_or_default();
    let tally = tally(&heard, rule, |merged| hearing.witness(merged));
    told(args, &tally, names.len());
    Ok(match tally.outcome {
        Outcome::Pass => say::OK,
        Outcome::Fail => say::DENY,
        Outcome::NotJudged => say::FAILED,
    })
}

/// What is to be judged: a file, or what differs from a commit.
fn material(args: &ConsensusArgs) -> Result<Material> {
    let tree = WorkTree::around(Path::new("."))?;
    let base = tree.commit_of(&args.base)?;
    let captured = tree.capture(&base)?.tree;
    let (files, mut quoted) = match args.material.as_str() {
        "diff" => (tree.names(&base, &captured)?, tree.diff(&base, &captured)?),
        file => {
            let text = fs::read_to_string(file)
                .with_context(|| format!("cannot read {file}; say --material diff or a file"))?;
            (vec![("given".to_owned(), file.to_owned())], text)
        }
    };
    ensure!(
        !quoted.trim().is_empty(),
        "there is nothing to judge: nothing differs from {}",
        args.base
    );
    let cut = quoted.len() > QUOTED_MAX;
    quoted.truncate(quoted.floor_char_boundary(QUOTED_MAX));
    Ok(Material {
        tree,
        base,
        captured,
        files,
        quoted,
        cut,
    })
}

/// All that a voice and a witness need.
struct Hearing<'a> {
    store: &'a Store,
    args: &'a ConsensusArgs,
    material: &'a Material,
    variables: &'a Variables,
}

impl Hearing<'_> {
    /// A copy of what is judged.
    fn room(&self) -> Result<Room, String> {
        let material = self.material;
        let made = || -> Result<Room> {
            let mut room = Room::empty(self.store).map_err(|error| anyhow!("{error}"))?;
            material.tree.export(&material.captured, &room.work())?;
            let borrowed = room.borrow(&material.tree.dirs, &material.base);
            borrowed.map_err(|error| anyhow!("{error}"))?;
            Ok(room)
        };
        made().map_err(|error| format!("{error:#}"))
    }

    /// What one voice found, or why it is missing.
    fn ask(&self, who: &Who) -> Result<Vec<Finding>, String> {
        let room = self.room()?;
        let word = nonce().ok_or("the system gives no chance")?;
        let words = [self.args.task.clone()];
        let dir = room.work().to_string_lossy().into_owned();
        let material = self.material;
        let brief = Brief {
            id: "consensus",
            purpose: &self.args.task,
            words: &words,
            issues: &[],
            nonce: &word,
            dir: &dir,
            base: &material.base,
            files: &material.files,
            steering: &[],
            quoted: &material.quoted,
            cut: material.cut,
        };
        let round = Round {
            brief: &brief,
            earlier: &[],
            checks: "",
        };
        let prompt = round.text();
        let task = Task {
            prompt: &prompt,
            room: &room,
            variables: self.variables,
            time_max: Duration::from_secs(self.args.seconds),
            through: &[],
        };
        let asked = Asked {
            nonce: &digest_of_text(&word),
            earlier: &[],
            changed: &[],
        };
        let mut why = String::new();
        for _ in 0..ASKED_MAX {
            match runner::judge(self.store, who, &task).answer {
                Answer::Failed(why) => return Err(format!("it failed: {why}")),
                Answer::Unreadable(unread) => why = unread,
                Answer::Text(text) => match rounds::read(&text, &asked) {
                    Ok(answer) => return Ok(answer.open),
                    Err(unread) => unread.clone_into(&mut why),
                },
            }
        }
        Err(format!("its answer is no verdict: {why}"))
    }

    /// Runs the witnesses of a finding: one that fails shows it, and where all that ran went well
    /// it is refuted. What a gate would not let a worker run is not run.
    fn witness(&self, merged: &Merged) -> Witness {
        let ran: Vec<bool> = merged
            .witnesses
            .iter()
            .filter_map(|witness| self.fails(witness))
            .collect();
        match ran.as_slice() {
            [] => Witness::None,
            ran if ran.contains(&true) => Witness::Shown,
            _ => Witness::Refuted,
        }
    }

    fn fails(&self, witness: &str) -> Option<bool> {
        let room = self.room().ok()?;
        let dir = room.work();
        let question = Question {
            host: None,
            session: "witness",
            dir: &dir.to_string_lossy(),
            call: &AskedCall::Shell(witness.to_owned()),
            made: &[],
        };
        if question.judged(self.store) != Said::Yes {
            return None;
        }
        let mut command = Command::new("/bin/sh");
        command.args(["-c", witness]).current_dir(&dir);
        command.env_clear().envs(self.variables.for_command());
        let ended = runner::run(&mut command, "", WITNESS_TIME).ok()?;
        let code = ended.status?.code()?;
        (!NOT_RUN.contains(&code)).then_some(code != 0)
    }
}

/// Tells all votes.
fn told(args: &ConsensusArgs, tally: &Tally, asked: usize) {
    let heard = tally.heard;
    if args.json {
        let one = |merged: &Merged, why: &str| {
            json!({"finding": merged.finding, "by": merged.by, "votes": merged.by.len(),
                "witnesses": merged.witnesses, "why": why})
        };
        let blocking = tally.blocking.iter().map(|(merged, why)| one(merged, why));
        let others = tally.others.iter().map(|merged| one(merged, ""));
        let withdrawn = tally.withdrawn.iter().map(|merged| one(merged, "refuted"));
        let missing = tally.missing.iter();
        let missing = missing.map(|(name, why)| json!({"name": name, "why": why}));
        say!(
            "{}",
            json!({"outcome": tally.outcome, "asked": asked, "heard": heard,
                "blocking": blocking.collect::<Vec<Value>>(),
                "others": others.collect::<Vec<Value>>(),
                "withdrawn": withdrawn.collect::<Vec<Value>>(),
                "missing": missing.collect::<Vec<Value>>()})
        );
        return;
    }
    say!("{}  heard {heard} of {asked}", tally.outcome.name());
    let line = |merged: &Merged, what: &str| {
        let by = merged.by.join(", ");
        let votes = merged.by.len();
        say!(
            "  {what}: {}  [{votes} of {heard}: {by}]",
            merged.finding.in_words()
        );
    };
    for (merged, why) in &tally.blocking {
        line(merged, &format!("blocks, {why}"));
    }
    for merged in &tally.others {
        line(merged, "noted");
    }
    for merged in &tally.withdrawn {
        line(merged, "withdrawn, its witness does not fail");
    }
    for (name, why) in &tally.missing {
        say!("  missing: {name}: {why}");
    }
}
