//! `tollgate log`: what was judged.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;

use crate::here::Here;
use crate::journal::{self, Record, word};
use crate::{exit, show};

/// How often a followed journal is looked at.
const FOLLOW_PAUSE: Duration = Duration::from_millis(300);
/// Lines shown if nothing else is asked for.
const LINES: usize = 20;

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Only sessions whose id starts so
    #[arg(long, value_name = "ID", default_value = "")]
    session: String,
    /// Only this level: allow, ask, deny
    #[arg(long, value_name = "LEVEL")]
    level: Option<String>,
    /// Only records with a finding whose tag contains this (`git.discard`, `fault`)
    #[arg(long, value_name = "TAG", default_value = "")]
    rule: String,
    /// Only this tool (`shell`, `write`)
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,
    /// How many of the newest
    #[arg(long, short = 'n', default_value_t = LINES)]
    lines: usize,
    /// The records as they stand, one JSON object a line
    #[arg(long)]
    json: bool,
    /// Go on as new ones come
    #[arg(long)]
    follow: bool,
}

#[derive(clap::Subcommand)]
enum What {
    /// Are all records whole, and none missing?
    Verify,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    let store = here.store()?;
    if let Some(What::Verify) = args.what {
        return verify(&store);
    }
    let records = journal::all(&store)?;
    let wanted: Vec<&Record> = records.iter().filter(|record| is_wanted(args, record)).collect();
    for record in wanted.iter().skip(wanted.len().saturating_sub(args.lines)) {
        print(args, record);
    }
    if wanted.is_empty() && !args.json {
        println!("nothing was judged yet that fits");
    }
    if args.follow {
        follow(args, &store)?;
    }
    Ok(ExitCode::from(exit::OK))
}

fn is_wanted(args: &Args, record: &Record) -> bool {
    let tags = record.list("findings").iter().map(|finding| word(finding, "tag"));
    let mut tags = tags.filter(|tag| tag.contains(&args.rule));
    record.session.starts_with(&args.session)
        && args.level.as_deref().is_none_or(|level| record.text("level") == level)
        && args.tool.as_deref().is_none_or(|tool| record.text("tool") == tool)
        && (args.rule.is_empty() || tags.next().is_some())
}

fn print(args: &Args, record: &Record) {
    if args.json {
        println!("{}", record.text);
        return;
    }
    if record.fields.is_null() {
        println!("{} a damaged line in session {}", show::bad("damaged"), record.session);
        return;
    }
    let level = match (record.text("level"), record.text("would_be")) {
        ("deny", _) => show::bad("refused"),
        ("ask", _) => show::warn("asked  "),
        (_, "deny" | "ask") => show::warn("would  "),
        _ => show::good("passed "),
    };
    let time = time_of_day(record.number("time"));
    let tag = record.list("findings").first().map_or("", |finding| word(finding, "tag"));
    println!(
        "{} {time} {level} {:<10} {} {}",
        show::faint(&format!("{:<13}", record.id())),
        record.text("event"),
        record.text("summary"),
        show::faint(tag),
    );
}

/// Hours, minutes and seconds of a day, UTC. Dates are in `--json`.
fn time_of_day(millis: u64) -> String {
    let seconds = millis / 1_000 % 86_400;
    format!("{:02}:{:02}:{:02}Z", seconds / 3_600, seconds / 60 % 60, seconds % 60)
}

fn follow(args: &Args, store: &store::Store) -> Result<()> {
    let mut followed: Vec<(String, store::Follow<'_>)> = Vec::new();
    loop {
        for session in store.journals()? {
            if !followed.iter().any(|(known, _)| *known == session) {
                let follow = store.follow(&session);
                followed.push((session, follow));
            }
        }
        for (session, follow) in &mut followed {
            for line in follow.next_lines()? {
                let record = Record::new(session, &line);
                if is_wanted(args, &record) {
                    print(args, &record);
                }
            }
        }
        std::thread::sleep(FOLLOW_PAUSE);
    }
}

fn verify(store: &store::Store) -> Result<ExitCode> {
    let (mut good, mut bad) = (0, 0);
    for session in store.journals()? {
        let report = store.verify(&session)?;
        good += report.good;
        let missing: u64 = report.gaps.iter().map(|(first, last)| last - first + 1).sum();
        bad += report.damaged + missing;
        if report.damaged + missing > 0 {
            println!("{} {session}: {} damaged, {missing} missing", show::bad("not whole"), report.damaged);
        }
    }
    println!("{good} records are whole, {bad} damaged or missing");
    println!("This is integrity, not proof: who may write the journal can also forge it.");
    Ok(ExitCode::from(if bad == 0 { exit::OK } else { exit::FAILED }))
}
