//! `tollgate log`: what was judged.

mod export;

use std::collections::HashMap;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use anyhow::{Result, bail};
use clap::builder::PossibleValuesParser;
use edge::surroundings;
use model::section::{Fields, Section, Telling};
use model::{Level, one_line};
use rules::settings;
use serde_json::json;
use store::{Follow, JournalFile, JournalLimits, Line, Store};
use text::words;
use work::altered;

use super::check;
use crate::here::Here;
use crate::records::journal::{self, Backwards, RUN, Record, Unread, word};
use crate::{exit, show, times};

/// How often a followed journal is looked at.
const FOLLOW_PAUSE: Duration = Duration::from_millis(300);
/// Lines shown if nothing else is asked for.
const LINES: usize = 20;
/// Longest summary that is shown, in characters.
const SUMMARY_CHARS_MAX: usize = 56;
/// Longest telling of what came of a record, in characters.
const BESIDE_CHARS_MAX: usize = 160;

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Only sessions whose id starts so, or is shown so
    #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
    session: String,
    /// Only what ended so: `refused`, `asked`, `granted`, `would` (it would be held in another
    /// profile), `passed` or `altered` (another hook's input ran); or this level
    #[arg(long, value_name = "LEVEL", value_parser = Shown::words())]
    level: Option<String>,
    /// Only since then: `2h`, `14:30`, `2026-11-12`
    #[arg(long, value_name = "TIME", value_parser = times::moment)]
    since: Option<u64>,
    /// Only records with a finding whose tag contains this (`git.discard`)
    #[arg(
        long,
        value_name = "TAG",
        default_value = "",
        hide_default_value = true
    )]
    rule: String,
    /// Only of this agent (`claude`)
    #[arg(long, value_name = "HOST")]
    agent: Option<String>,
    /// Only of this project
    #[arg(long)]
    here: bool,
    /// Only this tool (`shell`, `write`)
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,
    /// How many of the newest
    #[arg(long, short = 'n', default_value_t = LINES)]
    lines: usize,
    /// The records as they stand, one JSON object a line
    #[arg(long, global = true)]
    json: bool,
    /// Go on as new ones come
    #[arg(long, short = 'f')]
    follow: bool,
    /// Leaves out what is no call, and says whose each is
    #[arg(skip)]
    only_calls: bool,
}

#[derive(clap::Subcommand)]
enum What {
    /// Are all records whole, and none missing?
    Verify,
    /// What gates said of calls, the newest 5,000 as JSON lines (`policy_gate_log.jsonl`)
    Export,
    /// Takes out what is too old or too much; the hook starts it once a day
    #[command(hide = true)]
    Prune,
}

impl Args {
    /// Calls as they are judged, and nothing else.
    pub fn calls_as_they_come(wish: &Calls<'_>) -> Self {
        Self {
            what: None,
            session: String::new(),
            level: wish.level.map(str::to_owned),
            since: None,
            rule: String::new(),
            agent: wish.agent.map(str::to_owned),
            here: wish.here,
            tool: None,
            lines: wish.lines,
            json: wish.json,
            follow: true,
            only_calls: true,
        }
    }
}

/// Which calls are looked at as they come.
pub struct Calls<'a> {
    pub agent: Option<&'a str>,
    pub level: Option<&'a str>,
    pub here: bool,
    pub lines: usize,
    pub json: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    if matches!(args.what, Some(What::Prune)) {
        let rules = here.rules_bundle().rules;
        let number = |key| u64::from(rules.setting(key).value);
        let limits = JournalLimits {
            age: Duration::from_secs(number(&settings::journal::DAYS) * 24 * 60 * 60),
            bytes: number(&settings::journal::MEGABYTES) * 1024 * 1024,
        };
        here.store()?.prune_journals(SystemTime::now(), limits)?;
        return Ok(ExitCode::from(exit::OK));
    }
    if matches!(args.what, Some(What::Export)) {
        return export::run(&here);
    }
    if let Some(name) = args
        .agent
        .as_deref()
        .filter(|name| hosts::find(name).is_none())
    {
        bail!("no host is called `{name}`; known: {}", check::names());
    }
    if args.follow && args.what.is_none() {
        return follow(&here, args, &here.store()?);
    }
    let store = here.remembered()?;
    if let Some(What::Verify) = args.what {
        return verify(store.as_ref(), args.json);
    }
    let past = match (&store, args.session.as_str()) {
        (None, _) => None,
        (Some(store), "") => Some(Backwards::newest(store)?),
        (Some(store), word) => Some(Backwards::of_sessions(store, word)?),
    };
    let shown = newest(&here, args, past)?;
    shown
        .iter()
        .for_each(|one| print(&here, args, &one.record()));
    if shown.is_empty() && !args.json {
        say!("nothing was judged yet that fits");
    }
    Ok(ExitCode::from(exit::OK))
}

/// The newest records that are wanted, the oldest of them first.
fn newest(here: &Here, args: &Args, past: Option<Backwards<'_>>) -> Result<Vec<Unread>> {
    let mut found = Vec::new();
    let mut past = past.into_iter().flatten();
    while found.len() < args.lines
        && let Some(unread) = past.next()
    {
        let unread = unread?;
        let time = unread.line.time().map(|time| time.0);
        if time.is_some_and(|time| args.since.is_some_and(|since| time < since)) {
            break;
        }
        if may_be_wanted(args, &unread.line.text) && is_wanted(here, args, &unread.record()) {
            found.push(unread);
        }
    }
    found.reverse();
    Ok(found)
}

/// Whether a line may be that of a wanted record: most are not, and then they are not read as one.
fn may_be_wanted(args: &Args, line: &str) -> bool {
    let says = |name: &str, value: &str| line.contains(&format!("\"{name}\":\"{value}\""));
    let is_plain = args.rule.bytes().all(|byte| byte.is_ascii_graphic());
    let level = args.level.as_deref().and_then(named);
    level.is_none_or(|level| level == Level::Allow || says("level", level.name()))
        && args.tool.as_deref().is_none_or(|tool| says("tool", tool))
        && (!is_plain || line.contains(&args.rule))
}

fn is_wanted(here: &Here, args: &Args, record: &Record) -> bool {
    let is_call = matches!(record.text("event"), "tool_before" | RUN);
    if args.only_calls && !is_call && Shown::of(record) != Shown::Altered {
        return false;
    }
    if args.here && project_of(record) != here.project {
        return false;
    }
    let tags = record
        .list("findings")
        .iter()
        .map(|finding| word(finding, "tag"));
    let mut tags = tags.filter(|tag| tag.contains(&args.rule));
    let is_damaged = record.fields.is_null();
    // A host's own question is about a call that stands in the list already.
    let is_again =
        record.text("event") == "permission_request" && record.level("level") == Level::Ask;
    if is_again && !args.json {
        return false;
    }
    let is_agents = |agent: &str| record.text("host") == agent;
    args.agent.as_deref().is_none_or(is_agents)
        && journal::is_meant(&record.session, &args.session)
        && args
            .level
            .as_deref()
            .is_none_or(|level| !is_damaged && is_of(record, level))
        && args
            .tool
            .as_deref()
            .is_none_or(|tool| record.text("tool") == tool)
        && (args.rule.is_empty() || tags.next().is_some())
}

/// The project that a record's call was made in.
fn project_of(record: &Record) -> String {
    let place = surroundings::place(record.text("cwd"));
    store::project_id(&edge::facts::project_dir(&place.project))
}

/// What became of a call, in the words of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// It ran with another input than the one that was judged.
    Altered,
    Refused,
    Asked,
    Granted,
    Would,
    Passed,
}

impl Shown {
    const ALL: &[Self] = &[
        Self::Altered,
        Self::Refused,
        Self::Asked,
        Self::Granted,
        Self::Would,
        Self::Passed,
    ];

    fn of(record: &Record) -> Self {
        let is_altered = |step: &Fields| step.section == altered::Altered::NAME;
        match (record.level("level"), record.level("would_be")) {
            _ if record.steps().iter().any(is_altered) => Self::Altered,
            (Level::Deny, _) => Self::Refused,
            (Level::Ask, _) if record.could_ask() => Self::Asked,
            (Level::Ask, _) => Self::Refused,
            (Level::Allow, Level::Allow) => Self::Passed,
            (Level::Allow, _) if record.was_granted() => Self::Granted,
            (Level::Allow, _) => Self::Would,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Altered => "altered",
            Self::Refused => "refused",
            Self::Asked => "asked",
            Self::Granted => "granted",
            Self::Would => "would",
            Self::Passed => "passed",
        }
    }

    fn painted(self) -> String {
        let paint = match self {
            Self::Altered | Self::Refused => show::bad,
            Self::Asked | Self::Would => show::warn,
            Self::Granted | Self::Passed => show::good,
        };
        paint(&format!("{:<7}", self.word()))
    }

    /// What a level may be called: as the list shows it, or as the journal has it.
    pub fn words() -> PossibleValuesParser {
        let words = Self::ALL.iter().map(|shown| shown.word());
        let levels = [Level::Allow, Level::Ask, Level::Deny];
        PossibleValuesParser::new(words.chain(levels.map(Level::name)))
    }
}

/// The level that a word is the journal's name of.
fn named(word: &str) -> Option<Level> {
    let levels = [Level::Allow, Level::Ask, Level::Deny];
    levels.into_iter().find(|level| level.name() == word)
}

/// Whether a record is of a level, or ended so.
fn is_of(record: &Record, word: &str) -> bool {
    match named(word) {
        _ if record.text("event") == RUN => false,
        Some(level) => record.level("level") == level,
        None => Shown::of(record).word() == word,
    }
}

fn print(here: &Here, args: &Args, record: &Record) {
    if args.json {
        say!("{}", record.text);
        return;
    }
    if record.fields.is_null() {
        say!(
            "{} a damaged line in session {}",
            show::bad("damaged"),
            record.session
        );
        return;
    }
    let level = match record.text("event") {
        // Nobody judged it.
        RUN => format!("{:<7}", "run"),
        _ => Shown::of(record).painted(),
    };
    let time = times::short(record.number("time"));
    let tag = record
        .list("findings")
        .first()
        .map_or("", |finding| word(finding, "tag"));
    let (mut beside, happened) = told(record);
    if record.text("event") != "change" {
        beside.extend_from_slice(&happened);
    }
    let what = match (record.text("event"), record.text("summary")) {
        ("tool_before" | RUN, summary) => summary.to_owned(),
        ("other", _) => record.text("name").to_owned(),
        ("change", _) => changed(record, &happened),
        (event, summary) => format!("{event} {summary}"),
    };
    let what = one_line(&here.short(what), SUMMARY_CHARS_MAX);
    let id = show::faint(&format!("{:<12}", record.id()));
    let why = format!("{tag} {}", one_line(&beside.join(", "), BESIDE_CHARS_MAX));
    let whose = match args.only_calls {
        true => format!("{:<9} ", record.text("host")),
        false => String::new(),
    };
    say!(
        "{id} {time} {level} {whose}{what}  {}",
        show::faint(why.trim())
    );
    if let Some(who) = record.stranger() {
        say!("{:<12} {} {}", "", show::bad("tampering:"), here.short(who));
    }
}

/// What is to be told of a record's steps: beside what happened, and as what happened.
fn told(record: &Record) -> (Vec<String>, Vec<String>) {
    let (mut beside, mut happened) = (Vec::new(), Vec::new());
    for told in record.told() {
        match told {
            Telling::Beside(words) => beside.push(words),
            Telling::Happened(words) => happened.push(words),
            Telling::Silent => {}
        }
    }
    (beside, happened)
}

/// What was done on the command line: `approve`, `review R1 dropped`.
fn changed(record: &Record, happened: &[String]) -> String {
    [&[record.text("verb").to_owned()], happened]
        .concat()
        .join(" ")
}

/// Prints the newest records, and each that comes.
fn follow(here: &Here, args: &Args, store: &Store) -> Result<ExitCode> {
    let mut followed = Followed::from_now(store)?;
    let shown = newest(here, args, Some(Backwards::newest(store)?))?;
    for unread in &shown {
        print(here, args, &unread.record());
        followed.skip(unread);
    }
    loop {
        std::thread::sleep(FOLLOW_PAUSE);
        for unread in followed.more()? {
            let record = unread.record();
            if is_wanted(here, args, &record) {
                print(here, args, &record);
            }
        }
    }
}

/// All sessions' journals as they grow. Only what changed is opened.
struct Followed<'s> {
    store: &'s Store,
    sessions: HashMap<String, Session<'s>>,
}

/// One session that is followed.
struct Session<'s> {
    journal: JournalFile,
    follow: Follow<'s>,
    /// The last number that was shown already.
    shown: u64,
}

impl<'s> Followed<'s> {
    fn from_now(store: &'s Store) -> Result<Self> {
        let mut sessions = HashMap::new();
        for journal in store.newest_journals()? {
            let (follow, shown) = (store.follow_from(&journal), 0);
            let name = journal.session.clone();
            let session = Session {
                journal,
                follow,
                shown,
            };
            sessions.insert(name, session);
        }
        Ok(Self { store, sessions })
    }

    /// What was shown from the past does not come again.
    fn skip(&mut self, unread: &Unread) {
        if let Some(session) = self.sessions.get_mut(&unread.session) {
            session.shown = session.shown.max(unread.line.sequence.unwrap_or_default());
        }
    }

    /// The records that came since, in sessions that came since too.
    fn more(&mut self) -> Result<Vec<Unread>> {
        let mut found = Vec::new();
        let journals = self.store.newest_journals()?.into_iter();
        for journal in journals.filter(|journal| !journal::is_trial(&journal.session)) {
            let name = journal.session.clone();
            let session = self.sessions.entry(name).or_insert_with(|| Session {
                journal: JournalFile {
                    bytes: 0,
                    ..journal.clone()
                },
                follow: self.store.follow(&journal.session),
                shown: 0,
            });
            if session.journal == journal {
                continue;
            }
            session.journal = journal;
            let new = session.follow.next_lines()?.into_iter();
            let is_new = |line: &Line| line.sequence.is_none_or(|number| number > session.shown);
            found.extend(new.filter(is_new).map(|line| Unread {
                session: session.journal.session.clone(),
                line,
            }));
        }
        Ok(found)
    }
}

/// Every session that has a journal, with where it is.
fn sessions(store: Option<&Store>) -> Result<Vec<(&Store, String)>> {
    let Some(store) = store else {
        return Ok(Vec::new());
    };
    let with = |session| (store, session);
    Ok(store.journals()?.into_iter().map(with).collect())
}

fn verify(store: Option<&Store>, json: bool) -> Result<ExitCode> {
    let (mut good, mut bad) = (0, 0);
    for (store, session) in sessions(store)? {
        let report = store.verify(&session)?;
        let missing: u64 = report
            .gaps
            .iter()
            .map(|(first, last)| last - first + 1)
            .sum();
        let damaged = report.damaged;
        good += report.good;
        bad += damaged + missing;
        if json {
            let good = report.good;
            let line = json!({"session": session, "good": good, "damaged": damaged,
                "missing": missing});
            say!("{line}");
        } else if damaged + missing > 0 {
            let word = show::bad("not whole:");
            say!("{word} session {session}: {damaged} damaged, {missing} missing");
        }
    }
    if !json {
        say!(
            "{} whole, {bad} damaged or missing",
            words::count(good, "record")
        );
        say!("This is integrity, not proof: who may write the journal can also forge it.");
    }
    Ok(exit::if_good(bad == 0))
}
