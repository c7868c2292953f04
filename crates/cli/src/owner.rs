//! Commands for the owner alone: refused where an agent is above us, as far as the system shows.
//! It keeps out what a worker hides in a script, not a program that leaves its parents first.

use std::process::ExitCode;

use edge::provenance::{self, Worker};
use model::KeptFrom;

use crate::here::Here;
use crate::{exit, show};

/// The refusal of a command here, told; nothing if it may run.
pub fn refused(command: &str, kept_from: KeptFrom) -> Option<ExitCode> {
    let store = Here::find(None).and_then(|here| here.remembered());
    let worker = provenance::below_worker(store.ok().flatten().as_ref())?;
    let why = match worker {
        Worker::Marked(_) if kept_from == KeptFrom::Bound => return None,
        Worker::Below(host) => format!(
            "an agent runs this terminal (process {}, {}); run it in a terminal of your own",
            host.number, host.name
        ),
        Worker::Marked(mark) => {
            let name = mark.split('=').next().unwrap_or_default();
            format!(
                "{mark} is set, as in all that an agent starts; run it in a terminal of your own, \
                 or, if this is yours, after: unset {name}"
            )
        }
    };
    show::failure(&format!(
        "tollgate {command} is for you, not for an agent: {why}"
    ));
    Some(ExitCode::from(exit::DENY))
}
