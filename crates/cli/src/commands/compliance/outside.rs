//! The check of a session by a judge outside of it, beside the work. The hook starts it when one is
//! due; who judges is the user's setting, and the environment is the one that they started the
//! session's host with, so that a worker that starts it chooses neither.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use context::compliance::verdict;
use edge::facts::{self, Budget};
use edge::{provenance, review, surroundings};
use model::{Effect, Session, one_line};
use rules::settings;
use runner::{Answer, Room, Task, Variables, Who};
use store::{Committed, SessionChange, Store};
use work::discipline::{ComplianceStep, Standing, TaskStep};

use super::Args;
use crate::exit;
use crate::here::Here;

/// Longest time of a judge.
const JUDGE_TIME_MAX: Duration = Duration::from_secs(240);
/// How often a judge is asked whose answer is no verdict.
const TRIES_MAX: usize = 2;
/// How often the verdict is written down where others write at the same time.
const WRITES_MAX: usize = 8;
/// Longest words about why there is no verdict, in characters.
const WHY_CHARS_MAX: usize = 200;

pub(super) fn run(here: &Here, args: &Args) -> Result<ExitCode> {
    let with = here.rules_bundle().rules;
    let with = with.setting(&settings::compliance::WITH).value;
    if with.is_empty() {
        bail!("nobody is set who could judge: [compliance] with, in config.toml, names them");
    }
    let store = here.remembered()?.context("no session is remembered")?;
    let found = match judged(here, (&store, &with), args) {
        Ok(found) => found,
        Err(why) => Err(why.to_string()),
    };
    let (effects, status) = match found {
        Ok((standing, words)) => {
            let checked = ComplianceStep::Checked {
                standing,
                words,
                time: surroundings::now(),
            };
            let outside = ComplianceStep::FromOutside {};
            let effects = vec![
                Effect::Step(checked.into()),
                Effect::Step(outside.into()),
                Effect::Step(TaskStep::Reviewed {}.into()),
            ];
            say!("{}", standing.name());
            (effects, exit::OK)
        }
        Err(why) => {
            say!("no verdict: {why}");
            let why = one_line(&why, WHY_CHARS_MAX);
            let unanswered = ComplianceStep::Unanswered { why };
            (vec![Effect::Step(unanswered.into())], exit::FAILED)
        }
    };
    remember(&store, &args.session, &effects)?;
    Ok(ExitCode::from(status))
}

/// What the judge says; why there is no verdict, else.
fn judged(
    here: &Here,
    (store, with): (&Store, &str),
    args: &Args,
) -> Result<Result<(Standing, String), String>> {
    let who = Who::named(with).map_err(|why| anyhow!(why))?;
    let session = super::session(here, &args.session)?;
    let variables = variables(store, &session)?;
    let room = room(here, store)?;
    let mut why = String::new();
    for _ in 0..TRIES_MAX {
        let nonce = review::nonce().context("the system gives no chance")?;
        let prompt = super::written(here, args, &nonce)?;
        let task = Task {
            prompt: &prompt,
            room: &room,
            variables: &variables,
            time_max: JUDGE_TIME_MAX,
            through: &[],
        };
        why = match runner::judge(store, &who, &task).answer {
            Answer::Text(text) => match verdict(&text, |word| word == nonce) {
                Ok(found) => return Ok(Ok(found)),
                Err(why) => why,
            },
            Answer::Unreadable(why) => why,
            Answer::Failed(why) => return Ok(Err(why)),
        };
    }
    Ok(Err(why))
}

/// What the session's host was started with. Where the system never shows a host, what the hook
/// gives us is all there is.
fn variables(store: &Store, session: &Session) -> Result<Variables> {
    if let Some(block) = provenance::launch_environment_of(session) {
        return Ok(Variables::of_block(&block));
    }
    if session.bindings.is_empty() && provenance::below_worker(Some(store)).is_none() {
        return Ok(runner::own_variables());
    }
    bail!("the system does not show what the session's host was started with")
}

/// Where it works: a copy of the project, or an empty place where none can be made.
fn room(here: &Here, store: &Store) -> Result<Room> {
    let place = &here.place;
    let material = facts::material(&place.project, None, place, &mut Budget::for_review());
    let copied = material.map(|material| Room::with_copy(store, &material, place));
    match copied {
        Ok(Ok(room)) => Ok(room),
        _ => Room::empty(store).map_err(|why| anyhow!("there is no room for the judge: {why}")),
    }
}

fn remember(store: &Store, session: &str, effects: &[Effect]) -> Result<()> {
    for _ in 0..WRITES_MAX {
        let committed = store.change(&SessionChange {
            session,
            time: surroundings::now(),
            by: "tollgate",
            verb: "check",
            effects,
        })?;
        if committed != Committed::Overtaken {
            return Ok(());
        }
    }
    bail!("others write at the same time; the verdict could not be kept")
}
