//! `tollgate tables`: which tables steer a session here, whether they agree, and WORKFLOWS.md made
//! of them.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use context::tables::{self, Name, TableFinding};
use retrieval::tables::{Author, EffectiveTable, all, read, skills, within};
use serde_json::json;
use text::words;
use work::discipline::skills::is_same;

use crate::here::Here;
use crate::{exit, show};

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Which file each table comes from
    List {
        /// One JSON object a table
        #[arg(long)]
        json: bool,
    },
    /// What does not agree; notes alone are no failure
    Check {
        /// A directory with tables, instead of those that hold here
        dir: Option<String>,
        /// Where skills lie, one directory each, instead of where the agents keep them
        #[arg(long, value_name = "DIR")]
        skills: Vec<String>,
        /// One JSON object a finding
        #[arg(long)]
        json: bool,
    },
    /// Prints a WORKFLOWS.md made of the workflow's dimensions, RULES.md and the skills
    Workflows {
        /// Where skills lie, one directory each, instead of where the agents keep them
        #[arg(value_name = "SKILLS")]
        skills: Vec<String>,
    },
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    match &args.what {
        What::List { json } => list(&here, *json),
        What::Check { dir, skills, json } => check(&here, dir.as_deref(), (skills, *json)),
        What::Workflows { skills } => workflows(&here, skills),
    }
}

fn list(here: &Here, json: bool) -> Result<ExitCode> {
    let tables = all(&here.tables())?;
    let set = read(&tables);
    for table in &tables {
        let size = match table.name {
            Name::Reminders => (set.triggers.len(), "trigger"),
            Name::Rules => (set.rules.guardrails.len(), "guardrail"),
            Name::Axioms => (set.axioms.len(), "principle"),
            Name::Heuristics => (set.heuristics.len(), "principle"),
            Name::Workflows => (set.workflows.routes.len(), "route"),
        };
        let (file, author) = (table.name.file(), table.author.word());
        if json {
            let line = json!({"table": file, "from": author, "path": table.path,
                "entries": size.0});
            say!("{line}");
            continue;
        }
        let size = words::count(size.0 as u64, size.1);
        let path = here.short(&table.path);
        let place = if path.is_empty() { "-" } else { &path };
        say!("{file:<13} {author:<9} {size:<14} {}", show::faint(place));
    }
    Ok(ExitCode::from(exit::OK))
}

fn check(
    here: &Here,
    dir: Option<&str>,
    (skill_dirs, json): (&[String], bool),
) -> Result<ExitCode> {
    are_dirs(skill_dirs)?;
    let tables = match dir {
        Some(dir) => within(dir)?,
        None => all(&here.tables())?,
    };
    let set = read(&tables);
    let skills = skills(&here.tables(), skill_dirs);
    let mut found = tables::check(&set, &skills);
    found.extend(out_of_date(&tables, tables::generate(&set.rules, &skills)));
    for finding in &found {
        let place = place(here, &tables, finding);
        let TableFinding {
            line,
            what,
            is_contradiction,
            ..
        } = finding;
        if json {
            let line = json!({"table": finding.table.file(), "path": place, "line": line,
                "what": what, "contradiction": is_contradiction});
            say!("{line}");
            continue;
        }
        let mark = match is_contradiction {
            true => show::bad("wrong:"),
            false => show::warn("note:"),
        };
        say!("{mark} {place}:{line}: {what}");
    }
    let wrong = found
        .iter()
        .filter(|finding| finding.is_contradiction)
        .count();
    if !json {
        let [wrong, notes] = [(wrong, "contradiction"), (found.len() - wrong, "note")]
            .map(|(number, noun)| words::count(number as u64, noun));
        let tables = words::count(tables.len() as u64, "table");
        say!(
            "{tables}, {}, {wrong}, {notes}",
            words::count(skills.len() as u64, "skill")
        );
        let triggers = set.triggers.len();
        let is_there = |trigger: &tables::Trigger| {
            let mut skills = skills.iter();
            skills.any(|card| is_same(&card.name, &trigger.skill))
        };
        if triggers > 0 && !set.triggers.iter().any(is_there) {
            say!(
                "none of the {triggers} rows of REMINDERS.md can take effect: no agent here has \
                 such a skill"
            );
        }
    }
    Ok(exit::if_good(wrong == 0))
}

/// A WORKFLOWS.md that we made of other tables than hold now.
fn out_of_date(tables: &[EffectiveTable], now: String) -> Option<TableFinding> {
    let mut tables = tables.iter();
    let table = tables.find(|table| table.name == Name::Workflows)?;
    let is_old = table.author != Author::Ours
        && tables::is_generated(&table.text)
        && table.text.trim_end() != now.trim_end();
    let what = "RULES.md or the skills have changed since; tollgate tables workflows makes it anew";
    is_old.then(|| TableFinding {
        table: table.name,
        line: 1,
        what: what.to_owned(),
        is_contradiction: false,
    })
}

fn place(here: &Here, tables: &[EffectiveTable], finding: &TableFinding) -> String {
    let mut tables = tables.iter();
    let table = tables.find(|table| table.name == finding.table);
    match table.map_or("", |table| table.path.as_str()) {
        "" => format!("built-in {}", finding.table.file()),
        path => here.short(path),
    }
}

fn are_dirs(dirs: &[String]) -> Result<()> {
    match dirs.iter().find(|dir| !Path::new(dir).is_dir()) {
        Some(dir) => bail!("there is no directory {dir}; name one that holds skills"),
        None => Ok(()),
    }
}

fn workflows(here: &Here, skill_dirs: &[String]) -> Result<ExitCode> {
    are_dirs(skill_dirs)?;
    let set = read(&all(&here.tables())?);
    let text = tables::generate(&set.rules, &skills(&here.tables(), skill_dirs));
    show::print(format_args!("{text}"));
    Ok(ExitCode::from(exit::OK))
}
