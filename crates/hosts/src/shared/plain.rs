//! What a host has that brings nothing of its own: the rest of a [`Host`] constant. Must not know
//! any host's names.
//!
//! What every host must bring is here as nothing, too. A host that forgets it cannot be found by
//! its id, or reads no event, and the tests of the registry say so.

use crate::shared::settings::{Edit, Inspection, Launch, Shell};
use crate::shared::wire::WireError;
use crate::{Capabilities, Free, Host, Launched, Patience, Plans, Provenance, Reply, Review};
use model::{Ending, EventClass, Level};

/// The rest of a host.
pub(crate) const PLAIN: Host = Host {
    id: "",
    title: "",
    decode: |_| Err(WireError::Empty),
    class: |_| EventClass::Lifecycle,
    ending: |_| Ending::default(),
    status_in: None,
    reply: |_, _| Reply::default(),
    before_call: "",
    event_name: crate::shared::probe::hook_event_name,
    probe: |_| Vec::new(),
    understood: |_| Level::Allow,
    program: "",
    provenance: Provenance::Nothing,
    marks: &[],
    brings: &[],
    hides_input: false,
    capabilities: Capabilities::BY_PAGE,
    launch: Launch::Direct,
    shell: Shell::Posix,
    since: "",
    fails_closed: |_| false,
    owns: &[],
    moves: &[],
    starts_without_hooks: &[],
    settings: &[],
    also_reads: &[],
    looks_up: false,
    borrows: &[],
    plugins: &[],
    install: |current, _| {
        Ok(Edit {
            text: current.map(str::to_owned),
            changed: false,
            problems: Vec::new(),
        })
    },
    uninstall: |current| {
        Ok(Edit {
            text: Some(current.to_owned()),
            changed: false,
            problems: Vec::new(),
        })
    },
    inspect: |_| Ok(Inspection::default()),
    scripts: |_, _| Vec::new(),
    trust: None,
    folders: None,
    transcripts: &[],
    skills: &[],
    plans: &NO_PLANS,
    transcript_line: |_| Some(Vec::new()),
    transcript_context: |_| None,
    session_format: None,
    shares_call_ids: true,
    transcript_source: None,
    review: &NONE,
    last_words: |_| String::new(),
    answers: |_| Vec::new(),
    usage: None,
    judge: None,
    drive: None,
    free: Free::NONE,
    ungated: &[],
    helpers: None,
    patience: Patience::UNKNOWN,
    server_form: None,
    project_servers: &[],
    server: |_, _| None,
};

/// The host has no plans that are known.
pub(crate) const NO_PLANS: Plans = Plans {
    dirs: &[],
    says_mode: true,
};

/// No subagent of the host gives a verdict.
pub(crate) const NONE: Review = Review {
    kind: "",
    plugin: &[],
    start: "",
    runs_as: "",
    ask: "",
    definitions: &[],
    plugins: &[],
    steering: &[],
    session: "",
    call: |kind, prompt| format!("the subagent {kind} with the prompt \"{prompt}\""),
    respawn: |_, _| None,
    spawned: |_| String::new(),
    transcript: |_| String::new(),
    shares_transcript: false,
    ends_once: false,
    prompt: |_| None,
    is_taken_by: |_| false,
    is_plugin: |_| false,
    launched: |_| Launched {
        takes_name: false,
        plugins: Vec::new(),
    },
    named: None,
    prompt_in: |_| None,
};
