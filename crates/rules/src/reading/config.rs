//! Settings in TOML, and the commented reference made from the same table.

use std::borrow::Cow;

use model::{Call, Mode, Profile};

use super::diagnostic::{Mistakes, Problem, all, did_you_mean};
use super::node::{Node, parse};
use crate::layer::{HostSwitch, Layer, ModeSwitch, Surface, Switch};
use crate::rules::SKIP_TOOLS;
use crate::settings::{AnyKey, Setting, TABLES, Table, Value};

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

/// A part of a file that is of no concern: its name, what it says, what the reference shows for it,
/// and how it is read.
struct Part {
    name: &'static str,
    about: &'static str,
    shown: fn(&Vocabulary<'_>) -> String,
    set: fn(&mut Draft<'_>, Node<'_>) -> Result<(), Problem>,
}

/// The parts before the tables of concerns, plain values before tables as TOML wants it.
const FIRST: &[Part] = &[
    Part {
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
    Part {
        name: "skip_tools",
        about: "Tools (neutral names) that the rules do not look at. Add \"read\" to leave files \
                that are\nread unjudged, secrets included.",
        shown: |_| format!("skip_tools = {SKIP_TOOLS:?}\n"),
        set: |draft, node| {
            draft.layer.skip_tools = Some(node.texts_among(Call::TOOLS, "tool")?);
            Ok(())
        },
    },
    Part {
        name: "protect",
        about: "Globs of paths that no call may change: project-relative, absolute, or with ~/. \
                Without\na slash: that name anywhere.",
        shown: |_| "protect = []\n".to_owned(),
        set: |draft, node| {
            draft.layer.protect = node.texts()?;
            Ok(())
        },
    },
    Part {
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
    Part {
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
];

/// The parts after them.
const LAST: &[Part] = &[Part {
    name: "hosts",
    about: "Knobs of one host. `ask`: whether its own prompt may be used for what needs a \
                person.",
    shown: |words| {
        let host = |id: &&str| format!("[hosts.{id}]\nask = true\n");
        words.hosts.iter().map(host).collect()
    },
    set: read_hosts,
}];

/// Reads one file of settings. The layer's source and packs are for the caller to fill in.
///
/// # Errors
/// All mistakes, with their places.
pub fn read_config(text: &str, file: &str, words: &Vocabulary<'_>) -> Result<Layer, Mistakes> {
    let read = parse(text, |root| {
        let mut draft = Draft {
            layer: Layer::default(),
            words: *words,
        };
        all(root.entries()?.into_iter().map(|(name, at, value)| {
            if let Some(table) = TABLES.iter().find(|table| table.name == name) {
                return read_table(table, &mut draft.layer, value);
            }
            let known = FIRST.iter().chain(LAST).find(|part| part.name == name);
            let known = known.ok_or_else(|| unknown("setting", name, at, names()))?;
            (known.set)(&mut draft, value)
        }))?;
        draft.layer.source.file = Cow::Owned(file.to_owned());
        Ok(draft.layer)
    });
    read.map_err(|problems| Mistakes::in_file(problems, file, text))
}

/// The names of all parts, in the order in which people are shown them.
fn names() -> impl Iterator<Item = &'static str> + Clone {
    let part = |part: &'static Part| part.name;
    let tables = TABLES.iter().map(|table| table.name);
    FIRST
        .iter()
        .map(part)
        .chain(tables)
        .chain(LAST.iter().map(part))
}

/// A settings file that says what is so anyway, with a comment on each setting.
#[must_use]
pub fn reference(words: &Vocabulary<'_>) -> String {
    let part = |part: &Part| commented(part.about, &(part.shown)(words));
    let table = |table: &Table| commented(table.about, &shown(table));
    let mut out = String::from("# Settings of Tollgate. What stands here is what holds anyway.\n");
    out.extend(FIRST.iter().map(part));
    out.extend(TABLES.iter().map(table));
    out.extend(LAST.iter().map(part));
    out
}

fn commented(about: &str, shown: &str) -> String {
    let about = about.lines().map(|line| format!("# {line}\n"));
    format!("\n{}{shown}", about.collect::<String>())
}

/// A concern's table with what holds if nobody sets it.
fn shown(table: &Table) -> String {
    let key = |key: &AnyKey| {
        let value = match key.usual() {
            Value::Toggle(on) => on.to_string(),
            Value::Number(number) => number.to_string(),
            Value::Line(text) => format!("{text:?}"),
            Value::Lines(texts) => format!("{texts:?}"),
        };
        format!("{} = {value}\n", key.name())
    };
    let keys: String = table.keys.iter().map(key).collect();
    format!("[{}]\n{keys}", table.name)
}

fn read_table(table: &Table, layer: &mut Layer, node: Node<'_>) -> Result<(), Problem> {
    all(node.entries()?.into_iter().map(|(name, at, value)| {
        let names = table.keys.iter().map(AnyKey::name);
        let known = table.keys.iter().find(|key| key.name() == name);
        let known = known.ok_or_else(|| unknown("key", name, at, names))?;
        let setting = Setting {
            key: Cow::Borrowed(known.id()),
            value: read_value(known, value)?,
        };
        layer.settings.to_mut().push(setting);
        Ok(())
    }))
}

fn read_value(key: &AnyKey, node: Node<'_>) -> Result<Value, Problem> {
    match key {
        AnyKey::Toggle(_) => node.boolean().map(Value::Toggle),
        AnyKey::Number(number) => node.number(number.range.clone()).map(Value::Number),
        AnyKey::Lines(_) => node.texts().map(Value::Lines),
        AnyKey::Line(line) => {
            let text = node.owned()?;
            let refused = (!text.is_empty()).then(|| (line.refuse)(&text)).flatten();
            match refused {
                Some(why) => Err(Problem::new(node.at, why.what, why.help)),
                None => Ok(Value::Line(text)),
            }
        }
    }
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
