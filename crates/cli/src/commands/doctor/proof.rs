//! The proof that a gate is alive: a call that must be refused, sent through the very command that
//! a host's settings register, the way the host would.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use edge::surroundings;
use hosts::{Host, Launch, PROBE_SESSION, Probe, Registered, Reply};
use model::{Level, Mode, one_line};
use rules::Surface;

use super::shell;
use crate::here::Here;
use crate::records::journal;
use crate::{process, show};

/// What every gate refuses.
const REFUSED: &str = "rm -rf ~/";
/// Longest time that a hook may take; hosts wait about as long.
const TIME_MAX: Duration = Duration::from_secs(10);
/// Longest part of an answer that is quoted, in characters.
const QUOTE_CHARS_MAX: usize = 80;

/// What a registered hook did with a call that must be refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// It refused it.
    Refused {
        /// How long that took, the start of its process included.
        micros: u64,
    },
    /// It let it through, as the profile says, and noted that it would have refused it.
    Watched,
}

impl Proof {
    /// In words.
    pub fn words(self) -> String {
        match self {
            Self::Refused { micros } => {
                format!("a refused call stayed undone ({})", show::micros(micros))
            }
            Self::Watched => "a call was seen that guard would have refused".to_owned(),
        }
    }
}

/// Tries a registered hook.
///
/// # Errors
/// If it cannot be started, does not answer, or lets the call through against the rules.
pub fn prove(here: &Here, host: &Host, ours: &Registered) -> Result<Proof> {
    // Each trial is a call of its own: the same call twice counts once.
    let command = format!("{REFUSED} # trial {}", surroundings::now().0);
    let payload = (host.probe)(&Probe {
        command: &command,
        cwd: &here.place.project,
    });
    let mut program = program(here, host, ours);
    let outcome = process::run(&mut program, &payload, TIME_MAX)
        .with_context(|| format!("the hook {} does not run", ours.hook))?;
    let code = outcome.status.code().unwrap_or(-1);
    let reply = Reply {
        stdout: outcome.stdout,
        stderr: outcome.stderr,
        code,
    };
    if (host.understood)(&reply) > Level::Allow {
        let micros = u64::try_from(outcome.time.as_micros()).unwrap_or(u64::MAX);
        return Ok(Proof::Refused { micros });
    }
    let store = here.store()?;
    if store.switched_off(surroundings::now()).is_some() {
        bail!("the gate is switched off");
    }
    let bundle = here.rules_bundle();
    let policy = gates::find("policy").context("there is no gate of that id")?;
    let mode = policy.mode_in(&bundle.rules, &[Surface::Main]).value;
    let records = journal::of(&store, PROBE_SESSION)?;
    let seen = records
        .iter()
        .rev()
        .find(|record| record.text("summary") == command);
    let would = seen.is_some_and(|record| record.level("would_be") > Level::Allow);
    ensure!(
        mode != Mode::Block && would,
        "the registered hook let `{REFUSED}` through: {}",
        answer(&reply)
    );
    Ok(Proof::Watched)
}

/// What a hook answered, to be quoted.
fn answer(reply: &Reply) -> String {
    let text = [&reply.stdout, &reply.stderr]
        .into_iter()
        .find(|text| !text.is_empty());
    let Some(text) = text else {
        return format!("exit {} and not a word", reply.code);
    };
    let text = one_line(&String::from_utf8_lossy(text), QUOTE_CHARS_MAX);
    format!("exit {}, {text:?}", reply.code)
}

/// The command as the host would start it.
fn program(here: &Here, host: &Host, ours: &Registered) -> Command {
    let is_direct = ours.launch == Launch::Direct || cfg!(not(unix));
    // What is not as we write it is not run as it stands: it may hold more than our hook.
    let is_exact = ours.works && !ours.command.is_empty();
    let mut program = match () {
        () if is_direct => Command::new(&ours.hook),
        () if is_exact => shell::of(here, host.shell),
        () => {
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", "\"$0\" \"$@\" || exit 2", &ours.hook]);
            shell
        }
    };
    if is_exact && !is_direct {
        program.args(["-c", &ours.command]);
    } else {
        program.args([host.id, host.before_call]);
    }
    here.become_subject(&mut program);
    let dir = std::path::Path::new(&here.place.project);
    program.current_dir(if dir.is_dir() {
        dir
    } else {
        std::path::Path::new("/")
    });
    program
}
