//! `tollgate validate`: a directory is copied, the copy is checked, and if it passes that very copy
//! is promoted. PASS, FAIL with reasons, or NOT JUDGED; what ran nothing never passes.

mod checks;
pub mod frozen;
mod lent;
mod promote;
pub mod spec;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use runner::{Room, Variables};
use serde_json::json;
use store::Store;
use text::words;
use work::runs::Outcome;

use crate::args::ValidateArgs;
use crate::say;
use checks::Ground;
use frozen::Manifest;
use spec::Spec;

/// What was said of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// In one word.
    pub outcome: Outcome,
    /// How much was looked at.
    pub ran: u64,
    /// What is wrong, or why it was not judged; each begins with the kind of the check.
    pub reasons: Vec<String>,
}

impl Verdict {
    /// One line for the verdict, one for each reason.
    pub fn in_words(&self) -> String {
        let mut text = format!("{}  ran = {}", self.outcome.name(), self.ran);
        for reason in &self.reasons {
            text.push_str(&format!("\n  {}", reason.replace('\n', "\n    ")));
        }
        text
    }
}

/// A copy that is checked.
pub struct Frozen {
    room: Room,
    manifest: Manifest,
    /// Where lies what commands need and the copy lacks, if anywhere.
    lender: Option<PathBuf>,
}

impl Frozen {
    /// Copies a directory.
    ///
    /// # Errors
    /// If that cannot be done.
    pub fn of(store: &Store, dir: &Path) -> Result<Self> {
        let named = || dir.display().to_string();
        ensure!(
            dir.is_dir(),
            "{} is no directory; name one with --staging",
            named()
        );
        let room = Room::empty(store).map_err(|error| anyhow::anyhow!("{error}"))?;
        let manifest = frozen::freeze(dir, &room.own())
            .with_context(|| format!("{} cannot be copied", named()))?;
        Ok(Self {
            room,
            manifest,
            lender: None,
        })
    }

    /// A copy that others fill.
    ///
    /// # Errors
    /// If it cannot be filled.
    pub fn filled(store: &Store, fill: impl FnOnce(&Path) -> Result<()>) -> Result<Self> {
        let room = Room::empty(store).map_err(|error| anyhow::anyhow!("{error}"))?;
        fill(&room.own())?;
        let manifest = frozen::manifest(&room.own())?;
        Ok(Self {
            room,
            manifest,
            lender: None,
        })
    }

    /// The same, with what commands need lent from a directory.
    pub fn lent_from(self, dir: &Path) -> Self {
        Self {
            lender: Some(dir.to_owned()),
            ..self
        }
    }

    /// What it holds.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Checks it.
    ///
    /// # Errors
    /// If it cannot be copied once more, for commands to run in.
    pub fn check(
        &self,
        spec: &Spec,
        against: Option<&Manifest>,
        variables: &Variables,
    ) -> Result<Verdict> {
        let scratch = self.room.work();
        frozen::freeze(&self.room.own(), &scratch)?;
        let lender = self.lender.as_deref();
        let lacks = lender.map(|from| lent::lend(spec, from, &scratch));
        let own = self.room.own();
        let ground = Ground {
            spec,
            frozen: &own,
            manifest: &self.manifest,
            scratch: &scratch,
            lacks: &lacks.unwrap_or_default(),
            against,
            variables,
        };
        let (mut ran, mut wrong, mut unjudged) = (0, Vec::new(), Vec::new());
        for check in &spec.checks {
            let found = checks::run(check, &ground);
            let named = |reason: &String| format!("{}: {reason}", check.name());
            ran += found.ran;
            wrong.extend(found.reasons.iter().map(named));
            unjudged.extend(found.unjudged.iter().map(named));
            if found.ran == 0 && found.unjudged.is_empty() {
                unjudged.push(named(&"it found nothing to look at".to_owned()));
            }
        }
        let outcome = match (wrong.is_empty(), unjudged.is_empty() && ran > 0) {
            (false, _) => Outcome::Fail,
            (true, true) => Outcome::Pass,
            (true, false) => Outcome::NotJudged,
        };
        wrong.extend(unjudged);
        Ok(Verdict {
            outcome,
            ran,
            reasons: wrong,
        })
    }
}

/// The command.
///
/// # Errors
/// If the specification or the directory cannot be used.
pub fn run(args: &ValidateArgs) -> Result<u8> {
    let spec = Spec::read(&args.spec)?;
    let store = crate::store()?;
    let variables = runner::own_variables();
    if args.selftest {
        return selftest(&store, &spec, &variables);
    }
    let staging = args.staging.as_deref().unwrap_or(Path::new("."));
    let frozen = Frozen::of(&store, staging)?;
    let in_spec = spec.against.as_ref().map(|path| spec.at(path));
    let there = args.promote.clone().filter(|path| path.is_dir());
    let against = args.against.clone().or(in_spec).or(there);
    let against = against.map(|dir| frozen::manifest(&dir)).transpose()?;
    let verdict = frozen.check(&spec, against.as_ref(), &variables)?;
    let promoted = match (&args.promote, verdict.outcome) {
        (Some(to), Outcome::Pass) => {
            let own = frozen.room.own();
            Some(promote::promote(&store, (&own, &frozen.manifest), to)?)
        }
        _ => None,
    };
    if args.json {
        say!(
            "{}",
            json!({
                "outcome": verdict.outcome, "ran": verdict.ran, "reasons": verdict.reasons,
                "promoted": promoted.as_ref().map(|promoted| promoted.files),
            })
        );
        return Ok(status(verdict.outcome));
    }
    say!("{}", verdict.in_words());
    if let (Some(promoted), Some(to)) = (promoted, &args.promote) {
        let files = words::count(promoted.files as u64, "file");
        say!("promoted: {files} to {}", to.display());
        if let Some(kept) = promoted.kept {
            say!("What was there and is not ours lies in {}.", kept.display());
        }
    }
    Ok(status(verdict.outcome))
}

fn status(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Pass => say::OK,
        Outcome::Fail => say::DENY,
        Outcome::NotJudged => say::FAILED,
    }
}

/// Whether a specification rejects nothing at all and what it must, and accepts its sample.
fn selftest(store: &Store, spec: &Spec, variables: &Variables) -> Result<u8> {
    let Some(sample) = &spec.sample else {
        bail!("the specification names no sample; add: sample = \"DIRECTORY\" that must pass");
    };
    let against = spec.against.as_ref().map(|path| spec.at(path));
    let against = against.map(|dir| frozen::manifest(&dir)).transpose()?;
    let empty = tempfile::tempdir().context("there is no place for temporary files")?;
    let mut cases = vec![(
        "an empty directory".to_owned(),
        empty.path().to_owned(),
        false,
    )];
    cases.push((sample.display().to_string(), spec.at(sample), true));
    let rejects = spec.rejects.iter();
    cases.extend(rejects.map(|dir| (dir.display().to_string(), spec.at(dir), false)));
    let mut is_good = true;
    for (name, dir, must_pass) in cases {
        let frozen = Frozen::of(store, &dir)?;
        let verdict = frozen.check(spec, against.as_ref(), variables)?;
        let held = match must_pass {
            true => verdict.outcome == Outcome::Pass,
            false => verdict.outcome == Outcome::Fail,
        };
        is_good &= held;
        let (as_it_should, outcome) = (if held { "ok" } else { "WRONG" }, verdict.outcome.name());
        say!("{as_it_should:<6} {name}: {outcome}, ran = {}", verdict.ran);
        if !held {
            say!("{}", verdict.in_words());
        }
    }
    Ok(if is_good { say::OK } else { say::DENY })
}
