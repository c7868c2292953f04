//! `tollgate prove`: shows that a command works by now that a learned pattern stops. We run and we
//! judge; nobody is believed.

mod dry;
mod scratch;

use std::borrow::Cow;
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use edge::concerns::strikes::can_be_tried;
use edge::judge::Judged;
use edge::surroundings;
use model::section::AnyStep;
use model::{Call, Dialect, Level, Time, one_line};
use patterns::{Origin, Template};
use serde_json::Value;
use store::Store;
use work::observations::command_key;
use work::strikes::{StrikeStep, Strikes};

use crate::here::Here;
use crate::records::index::{self, Index};
use crate::{exit, show};
use scratch::Scratch;

/// How many proofs may fail in an hour before it takes a person.
const DENIALS_MAX: usize = 2;
/// An hour, in milliseconds.
const HOUR_MS: u64 = 60 * 60 * 1_000;
/// Longest end of what was printed that is shown, in characters.
const TAIL_CHARS_MAX: usize = 400;

#[derive(clap::Args)]
pub struct Args {
    /// The pattern's name, as the refusal says it
    id: String,
    /// A test that failed when the command last did, and passes now
    #[arg(last = true)]
    test: Vec<String>,
}

/// What is to be shown.
struct Claim {
    id: String,
    words: Vec<String>,
    seat: String,
    dir: String,
    failed: Time,
}

impl Claim {
    fn key(&self) -> u64 {
        command_key(&self.seat, &self.dir, &self.words)
    }
}

/// What came of trying.
enum Shown {
    /// It works; how that was shown.
    Proved(String),
    /// It does not, or that shows nothing; why, and what was printed last.
    Not(String, String),
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    let store = here.store()?;
    let claim = claim(&here, &store, &args.id)?;
    let strikes = Strikes::of(&store.project(&here.project)?.value);
    let now = surroundings::now();
    let since = Time(now.0.saturating_sub(HOUR_MS));
    if strikes.denials(&claim.id, since) >= DENIALS_MAX {
        show::failure(&format!(
            "{DENIALS_MAX} proofs of {} failed within an hour: ask the user, who can let it run \
             once, or reject the pattern (tollgate index reject {})",
            claim.id, claim.id
        ));
        return Ok(ExitCode::from(exit::DENY));
    }
    let shown = match args.test.is_empty() {
        true => by_itself(&here, &store, &claim)?,
        false => by_test(&here, &store, &claim, &args.test)?,
    };
    let step = match &shown {
        Shown::Proved(how) => StrikeStep::Proved {
            pattern: claim.id.clone(),
            command: claim.key(),
            how: how.clone(),
            time: now,
        },
        Shown::Not(..) => StrikeStep::Unproved {
            pattern: claim.id.clone(),
            time: now,
        },
    };
    store.share(&here.project, &[AnyStep::from(step)])?;
    Ok(match shown {
        Shown::Proved(how) => {
            say!("{} {how}", show::good("proved:"));
            say!(
                "`{}` can run now: three times in 30 minutes",
                claim.words.join(" ")
            );
            ExitCode::from(exit::OK)
        }
        Shown::Not(why, tail) => {
            say!("{} {why}", show::bad("not proved:"));
            if !tail.is_empty() {
                say!("  {}", show::faint(&tail));
            }
            ExitCode::from(exit::DENY)
        }
    })
}

/// The command that a learned pattern of this project is about.
fn claim(here: &Here, store: &Store, id: &str) -> Result<Claim> {
    let index = Index::load(store)?;
    let one = index.get(id)?;
    ensure!(
        index::origin(one) == Origin::Learned,
        "{id} was written by a person, and only a person lifts it: ask the user"
    );
    let project = index::text(one, "project");
    ensure!(
        project == here.project,
        "{id} is about another project than this one"
    );
    let template = Template::read(index::matched(one, "pattern"))
        .map_err(|unfit| anyhow::anyhow!("{id} cannot be read: {unfit}"))?;
    let words = template.words().context("its command is not spelled out")?;
    let failed = one.get("last_ms").and_then(Value::as_u64);
    Ok(Claim {
        id: id.to_owned(),
        words: words.into_iter().map(str::to_owned).collect(),
        seat: index::text(one, "seat").to_owned(),
        dir: index::text(one, "dir").to_owned(),
        failed: Time(failed.unwrap_or_default()),
    })
}

/// Words as a shell would be given them.
fn spelled(words: &[String]) -> String {
    let quoted = words
        .iter()
        .map(|word| format!("'{}'", word.replace('\'', "'\\''")));
    quoted.collect::<Vec<_>>().join(" ")
}

/// What the gates say of words, apart from what was learned.
fn judged(here: &Here, words: &[String]) -> Judged {
    let call = Call::Shell {
        command: Cow::Owned(spelled(words)),
        dialect: Dialect::Posix,
    };
    here.judge(&here.event(call))
}

/// Refuses to start what the gates would not let run, or what reaches beyond a copy.
fn check(here: &Here, words: &[String]) -> Result<()> {
    let shown = words.join(" ");
    let is_odd =
        |word: &String| word.contains(['$', '`', '*', '?', '<', '>', '…']) || word.starts_with('~');
    if words.iter().any(is_odd) {
        bail!(
            "`{shown}` cannot be run as it stands: the shell puts something into it; ask the user"
        );
    }
    if words.iter().any(|word| word.contains(&here.place.project)) {
        bail!("`{shown}` names files by their place here, not in a copy; ask the user");
    }
    let judged = judged(here, words);
    if judged.decision.level() > Level::Allow {
        bail!("`{shown}` would be held besides; ask the user");
    }
    if !can_be_tried(&judged.snapshot.analysis, &here.place.project) {
        bail!("`{shown}` does more than can be tried in a copy; ask the user");
    }
    Ok(())
}

/// The command itself: its dry run where it has one, else in a copy.
fn by_itself(here: &Here, store: &Store, claim: &Claim) -> Result<Shown> {
    if let Some(dry) = dry::run_of(&claim.words) {
        let scratch = Scratch::in_place(here, &claim.dir);
        let done = scratch.run(&dry)?;
        return Ok(match done.is_good {
            true => Shown::Proved(format!("`{}` went well", dry.join(" "))),
            false => Shown::Not(format!("`{}` failed", dry.join(" ")), tail(&done.printed)),
        });
    }
    check(here, &claim.words)?;
    let scratch = Scratch::copy(here, store, &claim.dir)?;
    let done = scratch.run(&claim.words)?;
    Ok(match done.is_good {
        true => Shown::Proved("it went well in a copy of the project".to_owned()),
        false => Shown::Not(
            "it failed in a copy of the project too".to_owned(),
            tail(&done.printed),
        ),
    })
}

/// A test that fails as the project was when the command last failed, and passes as it is.
fn by_test(here: &Here, store: &Store, claim: &Claim, test: &[String]) -> Result<Shown> {
    check(here, test)?;
    let shown = test.join(" ");
    let now = Scratch::copy(here, store, &claim.dir)?.run(test)?;
    if !now.is_good {
        let why = format!("`{shown}` fails as the project is now");
        return Ok(Shown::Not(why, tail(&now.printed)));
    }
    let before = Scratch::copy(here, store, &claim.dir)?;
    let commit = before.go_back(claim.failed)?;
    let then = before.run(test)?;
    Ok(match then.is_good {
        true => Shown::Not(
            format!("`{shown}` passes at {commit} too, from before the failure: it shows nothing"),
            String::new(),
        ),
        false => Shown::Proved(format!("`{shown}` fails at {commit} and passes now")),
    })
}

/// The end of what was printed, secrets taken out.
fn tail(printed: &str) -> String {
    let text = text::Redactor::default().text(printed.trim());
    let lines: Vec<&str> = text.lines().rev().take(4).collect();
    let lines: Vec<&str> = lines.into_iter().rev().collect();
    one_line(&lines.join(" / "), TAIL_CHARS_MAX)
}
