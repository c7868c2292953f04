//! `tollgate session show`: what is remembered about a session.

use std::process::ExitCode;

use anyhow::{Result, bail};
use edge::surroundings;
use model::{Session, Time};
use serde_json::{Value, json};
use work::discipline::{Compliance, Hydration, HydrationState, Knowledge, Skills, Standing, Task};

use crate::here::Here;
use crate::records::journal::is_trial;
use crate::{exit, show};

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// A session's record
    Show {
        /// The start of its id; without one, the newest
        id: Option<String>,
        /// Only what this gate keeps, as JSON
        #[arg(long, value_name = "GATE")]
        gate: Option<StatefulGate>,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
}

/// A gate that keeps something of a session.
#[derive(Clone, Copy, clap::ValueEnum)]
enum StatefulGate {
    Hydration,
    Compliance,
    Knowledge,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let What::Show { id, gate, json } = &args.what;
    let store = Here::find(None)?.remembered()?;
    let wanted = id.as_deref().unwrap_or_default();
    let is_meant = |id: &String| id.starts_with(wanted) && (!wanted.is_empty() || !is_trial(id));
    let mut found = Vec::new();
    for store in store.iter() {
        for id in store.sessions()?.into_iter().filter(is_meant) {
            let session = store.session(&id)?.value;
            found.push((session.last, id, session));
        }
    }
    let Some((_, id, session)) = found.into_iter().max_by_key(|(last, ..)| *last) else {
        match wanted {
            "" => bail!("no session is remembered; the first call of a gated agent begins one"),
            _ => bail!("no session is remembered with that id; tollgate log shows the ids"),
        }
    };
    if let Some(gate) = gate {
        let kept = gate_state(*gate, &session);
        match json {
            true => say!("{kept}"),
            false => say!("{kept:#}"),
        }
    } else if *json {
        say!("{}", as_json(&id, &session));
    } else {
        print(&id, &session);
    }
    Ok(ExitCode::from(exit::OK))
}

/// What a gate keeps, by the names that the documents of such gates use (S0.41, S0.44).
fn gate_state(gate: StatefulGate, session: &Session) -> Value {
    let (hydration, compliance) = (Hydration::of(session), Compliance::of(session));
    let (task, skills) = (Task::of(session), Skills::of(session));
    let (guidance, knowledge) = (&hydration.guidance, Knowledge::of(session));
    match gate {
        StatefulGate::Hydration => json!({
            "last_hydration_ts": hydration.done.0,
            "declared_workflow": {
                "gate": guidance.gate, "pre_work": guidance.pre_work, "approach": guidance.approach,
            },
            "active_skill": skills.active,
            "intent_envelope": task.intent,
            "guardrails": guidance.guardrails,
            "hydration_pending": hydration.state == HydrationState::Pending,
            "state": hydration.state.name(), "request": hydration.request,
            "skills": guidance.skills, "first_intent": task.origin,
            "held": hydration.held.times, "note": guidance.note,
        }),
        StatefulGate::Compliance => json!({
            "last_compliance_ts": compliance.checked.0,
            "tool_calls_since_compliance": compliance.calls,
            "last_drift_warning": match compliance.standing {
                Standing::Ok => None,
                _ => Some(&compliance.words),
            },
            "standing": compliance.standing.name(), "held": compliance.held.times,
            "skill_drifts": skills.drifts,
        }),
        StatefulGate::Knowledge => json!({
            "said": knowledge.learned, "to_offer": knowledge.offer,
            "recent": task.recent, "errors": task.errors,
            "files_changed": task.touched,
        }),
    }
}

fn as_json(id: &str, session: &Session) -> Value {
    json!({
        "session": id, "host": session.host, "project": session.project,
        "started": session.started.0, "last": session.last.0,
        "calls": session.calls, "asked": session.asked, "denied": session.denied,
        "paths_created": session.created_paths.len(), "paths_seen": session.read_paths.len(),
        "calls_under_way": session.pending.len(),
    })
}

fn print(id: &str, session: &Session) {
    let now = surroundings::now().0;
    let when = |time: Time| {
        let ago = show::span(now.saturating_sub(time.0));
        format!("{}, {ago} ago", text::date::day(time.0))
    };
    let paths = |paths: &[u64], noun| show::count(paths.len() as u64, noun);
    let calls = show::count(session.calls, "call");
    for (name, value) in [
        ("session", id.to_owned()),
        ("host", session.host.clone()),
        ("project", session.project.clone()),
        ("started", when(session.started)),
        ("last seen", when(session.last)),
        (
            "judged",
            format!(
                "{calls}, {} asked, {} refused",
                session.asked, session.denied
            ),
        ),
        (
            "under way",
            show::count(session.pending.len() as u64, "call"),
        ),
        ("made", paths(&session.created_paths, "path")),
        ("knows", paths(&session.read_paths, "path")),
    ] {
        say!("{name:<10} {value}");
    }
}
