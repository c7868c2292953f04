//! Settings in TOML, and the commented reference made from the same table.

use std::borrow::Cow;

use model::{Call, Mode, Profile};

use super::diagnostic::{Diagnostic, Problem, did_you_mean};
use super::node::{Node, parse};
use crate::layer::{HostSwitch, Layer, ModeSwitch, Surface, Switch};
use crate::rules::{APPROVAL_MINUTES, COMPLIANCE_CALLS, HYDRATION_SKIP, SKIP_TOOLS};

/// The names that settings may use but that this crate does not know by itself.
#[derive(Debug, Clone, Copy)]
pub struct Vocabulary<'a> {
    /// Ids of the gates, each with its mode in the default profile.
    pub gates: &'a [(&'a str, Mode)],
    /// Ids of the hosts.
    pub hosts: &'a [&'a str],
    /// Ids of the built-in packs, each with its summary and whether it is on by default.
    pub packs: &'a [(&'a str, &'a str, bool)],
}

/// What is being read.
struct Draft<'a> {
    layer: Layer,
    words: Vocabulary<'a>,
}

/// One setting: its key, what it says, what the reference shows for it, and how it is read.
struct Setting {
    name: &'static str,
    about: &'static str,
    shown: fn(&Vocabulary<'_>) -> String,
    set: fn(&mut Draft<'_>, Node<'_>) -> Result<(), Problem>,
}

/// All settings, plain values before tables as TOML wants it.
const SETTINGS: &[Setting] = &[
    Setting {
        name: "profile",
        about: "What is on. `guard`: safety gates stop what they find. `observe`: everything is \
                judged\nand logged, nothing is said or stopped. `coach`: guard, and the agent is \
                told what helps it.\n`discipline`: coach, and the agent must have prompts \
                grounded and its work checked.",
        shown: |_| format!("profile = {:?}\n", Profile::default().name()),
        set: |draft, node| {
            draft.layer.profile = Some(node.named(Profile::NAMES, "profile")?);
            Ok(())
        },
    },
    Setting {
        name: "skip_tools",
        about: "Tools (neutral names) that the rules do not look at. Add \"read\" to leave files \
                that are\nread unjudged, secrets included.",
        shown: |_| format!("skip_tools = {SKIP_TOOLS:?}\n"),
        set: |draft, node| {
            draft.layer.skip_tools = Some(node.texts_among(Call::TOOLS, "tool")?);
            Ok(())
        },
    },
    Setting {
        name: "protect",
        about: "Globs of paths that no call may change: project-relative, absolute, or with ~/. \
                Without\na slash: that name anywhere.",
        shown: |_| "protect = []\n".to_owned(),
        set: |draft, node| {
            draft.layer.protect = node.texts()?;
            Ok(())
        },
    },
    Setting {
        name: "gates",
        about: "The mode of each gate: \"off\" judges and logs, \"warn\" says it as advice, \
                \"block\" stops.\nOr one mode per surface:\n\
                policy = { main = \"warn\", subagent = \"block\", unattended = \"block\" }",
        shown: |words| {
            let gate = |(id, mode): &(&str, Mode)| format!("{id} = {:?}\n", mode.name());
            format!(
                "[gates]\n{}",
                words.gates.iter().map(gate).collect::<String>()
            )
        },
        set: read_gates,
    },
    Setting {
        name: "packs",
        about: "Packs, or single rules by their full id (\"git.discard\"), switched on or off. \
                \"project\"\nstands for all packs of a project that is not trusted.",
        shown: |words| {
            let pack = |(id, summary, on): &(&str, &str, bool)| {
                let state = if *on { "on " } else { "off" };
                format!("# {state} {id}: {summary}\n")
            };
            let packs: String = words.packs.iter().map(pack).collect();
            format!("[packs]\n{packs}on = []\noff = []\n")
        },
        set: read_packs,
    },
    Setting {
        name: "approvals",
        about: "Questions to a person. `minutes`: how long a question stays open, and a yes good. \
                `webhook`:\nan address that gets each new question as JSON, with its code; \
                empty = nowhere.",
        shown: |_| format!("[approvals]\nminutes = {APPROVAL_MINUTES}\nwebhook = \"\"\n"),
        set: read_approvals,
    },
    Setting {
        name: "undo",
        about: "What a call would lose is kept before it runs. `allow`: let a loss that can be \
                brought back\npass instead of asking about it.",
        shown: |_| "[undo]\nallow = false\n".to_owned(),
        set: |draft, node| {
            for (key, at, value) in node.entries()? {
                match key {
                    "allow" => draft.layer.undo_allow = Some(value.boolean()?),
                    _ => return Err(unknown("key", key, at, ["allow"].into_iter())),
                }
            }
            Ok(())
        },
    },
    Setting {
        name: "hydration",
        about: "Grounding of prompts (profiles coach and discipline). `dir`: where requests are \
                written; empty =\nwith our own state. `skip`: beginnings of prompts that are \
                left as they are.",
        shown: |_| format!("[hydration]\ndir = \"\"\nskip = {HYDRATION_SKIP:?}\n"),
        set: |draft, node| {
            for (key, at, value) in node.entries()? {
                match key {
                    "dir" => draft.layer.hydration_dir = Some(value.directory()?),
                    "skip" => draft.layer.hydration_skip = Some(value.texts()?),
                    _ => return Err(unknown("key", key, at, ["dir", "skip"].into_iter())),
                }
            }
            Ok(())
        },
    },
    Setting {
        name: "compliance",
        about: "Checks of what the agent does against what it was asked (profiles coach and \
                discipline).\n`calls`: ordinary calls after which one is due.",
        shown: |_| format!("[compliance]\ncalls = {COMPLIANCE_CALLS}\n"),
        set: |draft, node| {
            for (key, at, value) in node.entries()? {
                match key {
                    "calls" => {
                        let calls = value.number(1..=COMPLIANCE_CALLS_MAX)?;
                        draft.layer.compliance_calls = Some(calls);
                    }
                    _ => return Err(unknown("key", key, at, ["calls"].into_iter())),
                }
            }
            Ok(())
        },
    },
    Setting {
        name: "memory",
        about: "Where facts are kept that were learned: the user's, and those of a project. \
                Absolute, or with ~/;\nempty = beside these settings.",
        shown: |_| "[memory]\nuser = \"\"\nproject = \"\"\n".to_owned(),
        set: |draft, node| {
            for (key, at, value) in node.entries()? {
                match key {
                    "user" => draft.layer.memory_user = Some(value.directory()?),
                    "project" => draft.layer.memory_project = Some(value.directory()?),
                    _ => return Err(unknown("key", key, at, ["user", "project"].into_iter())),
                }
            }
            Ok(())
        },
    },
    Setting {
        name: "hosts",
        about: "Knobs of one host. `ask`: whether its own prompt may be used for what needs a \
                person.",
        shown: |words| {
            let host = |id: &&str| format!("[hosts.{id}]\nask = true\n");
            words.hosts.iter().map(host).collect()
        },
        set: read_hosts,
    },
];

/// Reads one file of settings. The layer's source and packs are for the caller to fill in.
///
/// # Errors
/// The first mistake, with its place.
pub fn read_config(text: &str, file: &str, words: &Vocabulary<'_>) -> Result<Layer, Diagnostic> {
    let read = parse(text, |root| {
        let mut draft = Draft {
            layer: Layer::default(),
            words: *words,
        };
        for (name, at, value) in root.entries()? {
            let names = SETTINGS.iter().map(|setting| setting.name);
            let known = SETTINGS.iter().find(|setting| setting.name == name);
            let setting = known.ok_or_else(|| unknown("setting", name, at, names))?;
            (setting.set)(&mut draft, value)?;
        }
        draft.layer.source.file = Cow::Owned(file.to_owned());
        Ok(draft.layer)
    });
    read.map_err(|problem| problem.in_file(file, text))
}

/// A settings file that says what is so anyway, with a comment on each setting.
#[must_use]
pub fn reference(words: &Vocabulary<'_>) -> String {
    let mut out = String::from("# Settings of Tollgate. What stands here is what holds anyway.\n");
    for setting in SETTINGS {
        out.push('\n');
        for line in setting.about.lines() {
            out.push_str(&format!("# {line}\n"));
        }
        out.push_str(&(setting.shown)(words));
    }
    out
}

fn unknown<'n>(
    noun: &str,
    given: &str,
    at: usize,
    known: impl Iterator<Item = &'n str> + Clone,
) -> Problem {
    Problem::new(
        at,
        format!("unknown {noun} {given:?}"),
        did_you_mean(given, known),
    )
}

fn read_gates(draft: &mut Draft<'_>, node: Node<'_>) -> Result<(), Problem> {
    for (gate, at, value) in node.entries()? {
        let ids = draft.words.gates.iter().map(|(id, _)| *id);
        if !ids.clone().any(|id| id == gate) {
            return Err(unknown("gate", gate, at, ids));
        }
        let modes = draft.layer.modes.to_mut();
        let mut push = |surface, node: Node<'_>| {
            let mode = node.named(Mode::NAMES, "mode")?;
            let gate = Cow::Owned(gate.to_owned());
            modes.push(ModeSwitch {
                gate,
                surface,
                mode,
            });
            Ok(())
        };
        if value.is_text() {
            push(None, value)?;
            continue;
        }
        for (name, at, mode) in value.entries()? {
            let names = Surface::NAMES.iter().map(|(name, _)| *name);
            let found = Surface::NAMES.iter().find(|(known, _)| *known == name);
            let (_, surface) = found.ok_or_else(|| unknown("surface", name, at, names))?;
            push(Some(*surface), mode)?;
        }
    }
    Ok(())
}

fn read_packs(draft: &mut Draft<'_>, node: Node<'_>) -> Result<(), Problem> {
    for (name, at, ids) in node.entries()? {
        let on = match name {
            "on" => true,
            "off" => false,
            _ => return Err(unknown("key", name, at, ["on", "off"].into_iter())),
        };
        for id in ids.texts()?.iter().cloned() {
            draft.layer.switches.to_mut().push(Switch { id, on });
        }
    }
    Ok(())
}

/// Whether nobody on the way to a web address can read what is sent there.
fn is_private(address: &str) -> bool {
    let host = |rest: &str| {
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
        matches!(host, "localhost" | "127.0.0.1" | "[::1]")
    };
    address.starts_with("https://") || address.strip_prefix("http://").is_some_and(host)
}

/// Most ordinary calls between two checks.
const COMPLIANCE_CALLS_MAX: u32 = 1_000;

/// Longest time that a question stays open, in minutes.
const APPROVAL_MINUTES_MAX: u32 = 24 * 60;

fn read_approvals(draft: &mut Draft<'_>, node: Node<'_>) -> Result<(), Problem> {
    for (key, at, value) in node.entries()? {
        match key {
            "minutes" => {
                draft.layer.approval_minutes = Some(value.number(1..=APPROVAL_MINUTES_MAX)?);
            }
            "webhook" => {
                let address = value.owned()?;
                if !address.is_empty() && !is_private(&address) {
                    let what = format!("{address:?} would show codes to others on the way");
                    return Err(Problem::new(value.at, what, "begin it with https://"));
                }
                draft.layer.webhook = Some(address);
            }
            _ => return Err(unknown("key", key, at, ["minutes", "webhook"].into_iter())),
        }
    }
    Ok(())
}

fn read_hosts(draft: &mut Draft<'_>, node: Node<'_>) -> Result<(), Problem> {
    for (host, at, knobs) in node.entries()? {
        if !draft.words.hosts.contains(&host) {
            return Err(unknown("host", host, at, draft.words.hosts.iter().copied()));
        }
        for (key, _, value) in knobs.entries()? {
            draft.layer.hosts.to_mut().push(HostSwitch {
                host: Cow::Owned(host.to_owned()),
                key: Cow::Owned(key.to_owned()),
                on: value.boolean()?,
            });
        }
    }
    Ok(())
}
