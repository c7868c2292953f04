//! `tollgate rules`: what holds here, and rules of one's own.

use std::process::ExitCode;

use anyhow::{Result, bail};
use serde_json::json;

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
    Test,
    /// Begins a pack of your own
    New {
        /// Its name
        name: String,
        /// In this repository instead of your settings
        #[arg(long)]
        project: bool,
    },
    /// A commented reference of all settings
    Settings,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    match &args.what {
        What::List { json } => list(&here, *json),
        What::Show { id } => return one(&here, id),
        What::Test => return test(&here),
        What::New { name, project } => return new(&here, name, *project),
        What::Settings => print!("{}", sources::with_vocabulary(rules::reference)),
    }
    Ok(ExitCode::from(exit::OK))
}

fn list(here: &Here, json: bool) {
    let overlay = here.overlay();
    let mut pack = String::new();
    for listed in overlay.rules.list() {
        let rule = listed.rule;
        if json {
            let line = json!({"id": rule.id, "pack": listed.pack.id, "level": rule.level.name(),
                "on": listed.on, "trusted": listed.trusted, "file": listed.pack.file,
                "reason": rule.reason});
            println!("{line}");
            continue;
        }
        if pack != listed.pack.id {
            pack = listed.pack.id.to_string();
            println!("{}  {}", show::strong(&pack), show::faint(&listed.pack.summary));
        }
        let state = if listed.on { rule.level.name() } else { "off" };
        println!("  {state:<5} {:<28} {}", rule.id, show::faint(&rule.reason));
    }
}

fn one(here: &Here, id: &str) -> Result<ExitCode> {
    if let Some(gate) = gates::find(id) {
        print!("{}", gate.page);
        return Ok(ExitCode::from(exit::OK));
    }
    let overlay = here.overlay();
    let Some(listed) = overlay.rules.find(id) else {
        bail!("there is no rule or gate `{id}`; tollgate rules list shows all");
    };
    let rule = listed.rule;
    println!("{}  {}", show::strong(&rule.id), rule.level.name());
    println!("  because     {}", rule.reason);
    if !rule.alternative.is_empty() {
        println!("  instead     {}", rule.alternative);
    }
    println!("  if unknown  {}", rule.unknown.name());
    println!("  from        {} line {}", listed.pack.file, rule.line);
    let state = if listed.on { "on" } else { "off" };
    println!("  state       {state}; in config.toml: [packs] off = [{:?}]", rule.id);
    Ok(ExitCode::from(exit::OK))
}

fn test(here: &Here) -> Result<ExitCode> {
    let read = sources::read(here);
    let mut mistakes = read.mistakes.clone();
    mistakes.extend(read.packs.iter().flat_map(gates::examples::check));
    for notice in &read.notices {
        println!("{} {notice}", show::warn("note:"));
    }
    for mistake in &mistakes {
        println!("{} {mistake}", show::bad("wrong:"));
    }
    let examples: usize = read.packs.iter().map(|source| source.examples.len()).sum();
    let count = mistakes.len();
    println!("{} packs, {examples} examples, {count} mistakes", read.packs.len());
    Ok(ExitCode::from(if count == 0 { exit::OK } else { exit::FAILED }))
}

fn new(here: &Here, name: &str, project: bool) -> Result<ExitCode> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    if name.is_empty() || !name.chars().all(plain) {
        bail!("a pack's name has small letters, digits, - and _ only; `{name}` has others");
    }
    let dir = if project { &here.dirs.project } else { &here.dirs.user };
    let path = format!("{dir}/packs/{name}.toml");
    store::outside::create(path.as_ref(), &template(name))?;
    println!("{path}: edit it, then run tollgate rules test");
    Ok(ExitCode::from(exit::OK))
}

/// A pack that works as it stands.
fn template(name: &str) -> String {
    format!(
        r#"# A rule says when it holds, how strict it is, why, and what to do instead.
# `match` and `not_match` are checked whenever the rule is loaded.
# All conditions: tollgate rules settings, docs/rules.md.
id = "{name}"
summary = "What this pack is for"

[[rule]]
id = "no-recursive-chmod"
level = "ask"
reason = "{{command}} changes permissions of a whole tree"
alternative = "Name the files that need it."
[rule.when]
verb = ["reown"]
flags = ["recursive"]
[[rule.match]]
call = "chmod -R 777 ."
[[rule.not_match]]
call = "chmod +x run.sh"
"#
    )
}
