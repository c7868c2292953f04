//! `tollgate rules`: what holds here, and rules of one's own.

mod narrower;
mod schema;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use serde_json::json;
use text::words;

use narrower::Less;

use crate::here::Here;
use crate::{exit, show, sources};

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Every rule, with its pack and whether it is on
    List {
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// One rule or gate in full
    Show {
        /// A rule (`git.discard`, `policy/git.discard`) or a gate (`policy`)
        id: String,
    },
    /// Checks your files, and every example in them
    Test {
        /// One JSON object a mistake
        #[arg(long)]
        json: bool,
    },
    /// Begins a pack of your own
    New {
        /// Its name
        name: String,
        /// In this repository instead of your settings
        #[arg(long)]
        project: bool,
        /// As a built-in rule is, to be made narrower (`git.discard`)
        #[arg(long, value_name = "RULE", requires = "but_not")]
        instead_of: Option<String>,
        /// A program that it is not about (`git reset`)
        #[arg(long, value_name = "PROGRAM", requires = "instead_of")]
        but_not: Option<String>,
        /// And that only below this directory (`drafts`, `~/notes`)
        #[arg(long, value_name = "DIR", requires = "but_not")]
        below: Option<String>,
    },
    /// A commented reference of all settings
    Settings {
        /// As a JSON schema for your editor: of config.toml, or of packs
        #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "config",
            value_parser = ["config", "pack"])]
        schema: Option<String>,
    },
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    match &args.what {
        What::List { json } => list(&here, *json),
        What::Show { id } => return one(&here, id),
        What::Test { json } => return test(&here, *json),
        What::New {
            name,
            project,
            instead_of,
            but_not,
            below,
        } => {
            let below = below.as_deref();
            let less = but_not.as_deref().map(|program| Less { program, below });
            let narrower = instead_of.as_deref().zip(less);
            return new(&here, name, *project, narrower);
        }
        What::Settings { schema: Some(file) } => {
            let schema = match file.as_str() {
                "pack" => schema::of_packs(),
                _ => schema::of_settings(),
            };
            say!("{schema:#}");
        }
        What::Settings { schema: None } => return Ok(reference()),
    }
    Ok(ExitCode::from(exit::OK))
}

/// Every setting with what holds if nobody sets it.
pub fn reference() -> ExitCode {
    show::print(format_args!(
        "{}",
        sources::with_vocabulary(rules::reference)
    ));
    ExitCode::from(exit::OK)
}

fn list(here: &Here, json: bool) {
    let bundle = here.rules_bundle();
    let mut pack = String::new();
    for listed in bundle.rules.list() {
        let rule = listed.rule;
        if json {
            let line = json!({"id": rule.id, "pack": listed.pack.id, "level": rule.level.name(),
                "on": listed.on, "trusted": listed.trusted, "file": listed.pack.file,
                "reason": rule.reason});
            say!("{line}");
            continue;
        }
        if pack != listed.pack.id {
            pack = listed.pack.id.to_string();
            say!(
                "{}  {}",
                show::strong(&pack),
                show::faint(&listed.pack.summary)
            );
        }
        let state = if listed.on { rule.level.name() } else { "off" };
        let whose = if listed.trusted { "" } else { "(untrusted) " };
        say!(
            "  {state:<5} {:<28} {whose}{}",
            rule.id,
            show::faint(&rule.reason)
        );
    }
}

/// A gate's page, without what only its makers need.
fn page(gate: &gates::Gate) -> ExitCode {
    let lines = gate.page.lines();
    for line in lines.filter(|line| !line.starts_with("covers:")) {
        say!("{line}");
    }
    ExitCode::from(exit::OK)
}

fn one(here: &Here, id: &str) -> Result<ExitCode> {
    if let Some(gate) = gates::find(id) {
        return Ok(page(gate));
    }
    let bundle = here.rules_bundle();
    let Some(listed) = bundle.rules.find(id) else {
        // What a refusal names may be a finding that is no rule (`self_protection/path`).
        if let Some(gate) = id.split_once('/').and_then(|(gate, _)| gates::find(gate)) {
            return Ok(page(gate));
        }
        bail!("there is no rule or gate `{id}`; tollgate rules list shows all");
    };
    let rule = listed.rule;
    say!("{}  {}", show::strong(&rule.id), rule.level.name());
    say!("  because     {}", rule.reason);
    if !rule.alternative.is_empty() {
        say!("  instead     {}", rule.alternative);
    }
    say!("  if unknown  {}", rule.unknown.name());
    say!("  from        {} line {}", listed.pack.file, rule.line);
    if !listed.trusted {
        say!("  trust       none: it comes with the project, so it can only ask and refuse");
    }
    let (state, other) = if listed.on {
        ("on", "off")
    } else {
        ("off", "on")
    };
    let file = here.short(format!("{}/config.toml", here.dirs.user));
    say!("  state       {state}; to switch it {other}, in {file}:");
    say!("                [packs]");
    say!("                {other} = [{:?}]", rule.id);
    Ok(ExitCode::from(exit::OK))
}

fn test(here: &Here, json: bool) -> Result<ExitCode> {
    let read = sources::read(here);
    let mut mistakes = read.mistakes.clone();
    mistakes.extend(read.packs.iter().flat_map(gates::examples::check));
    for mistake in mistakes.iter().filter(|_| json) {
        let rules::Diagnostic {
            file,
            line,
            column,
            what,
            help,
        } = mistake;
        let line = json!({"file": file, "line": line, "column": column, "what": what,
            "help": help});
        say!("{line}");
    }
    if !json {
        for notice in &read.notices {
            say!("{} {notice}", show::warn("note:"));
        }
        for mistake in &mistakes {
            say!("{} {mistake}", show::bad("wrong:"));
        }
        let examples: usize = read.packs.iter().map(|source| source.examples.len()).sum();
        let packs = words::count(read.packs.len() as u64, "pack");
        let examples = words::count(examples as u64, "example");
        say!(
            "{packs}, {examples}, {}",
            words::count(mistakes.len() as u64, "mistake")
        );
    }
    // What is right holds from now on, and need not be compiled by the next call.
    if mistakes.is_empty()
        && let Some(store) = here.remembered()?
    {
        sources::compile(here, &store, &read)?;
    }
    Ok(exit::if_good(mistakes.is_empty()))
}

fn new(
    here: &Here,
    name: &str,
    project: bool,
    narrower: Option<(&str, Less<'_>)>,
) -> Result<ExitCode> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    if name.is_empty() || !name.chars().all(plain) {
        bail!("a pack's name has small letters, digits, - and _ only; `{name}` has others");
    }
    let dir = if project {
        PathBuf::from(&here.dirs.project)
    } else {
        here.user_dir()?
    };
    let path = dir.join("packs").join(format!("{name}.toml"));
    let text = match narrower {
        None => rules::template(name),
        Some((rule, less)) => narrower::pack(name, rule, less).with_context(|| {
            format!("there is no built-in rule `{rule}`; tollgate rules list shows all")
        })?,
    };
    store::outside::create(&path, &text)?;
    if let Some((rule, less)) = narrower {
        let about = less.in_words();
        let config = here.short(format!("{}/config.toml", here.dirs.user));
        say!(
            "{}: asks as {rule} does, but never about {about}. Look whether that is what you \
             want.",
            here.short(path.display())
        );
        say!("It counts once {rule} itself is off, in {config}:");
        say!("  [packs]");
        say!("  off = [{rule:?}]");
        return Ok(ExitCode::from(exit::OK));
    }
    say!(
        "{}: edit it, then run tollgate rules test",
        here.short(path.display())
    );
    say!("What it would have stopped in your past sessions: tollgate replay");
    Ok(ExitCode::from(exit::OK))
}
