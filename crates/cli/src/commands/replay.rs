//! `tollgate replay`: what the gate would have done with the calls of the past. Those of the hosts'
//! own session files are judged against the world as it is now, so that is an impression; those of
//! our journals with what was known then.

mod judging;
pub mod past;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use hosts::HOSTS;
use model::{Level, one_line};
use rules::Rules;
use serde_json::json;
use store::Store;
use text::words;

use crate::here::Here;
use crate::records::index::Index;
use crate::{exit, show, sources, times};
use judging::{By, Judged, Judging, Verdict};
use past::SessionFile;

/// How far back session files are read.
const DAYS: u64 = 30;
/// Longest time for the look back of `init`.
const TIME_MAX: Duration = Duration::from_secs(10);
/// Most session files that `init` reads, newest first.
const FILES_MAX: usize = 1_000;
/// Most stopped calls, and sessions, that are shown.
const SHOWN_MAX: usize = 5;
/// Longest call that is shown, in characters.
const CALL_CHARS_MAX: usize = 76;
/// Where the reason of a shown call begins, in characters.
const WHY_INDENT: usize = 23;
/// Most rows that it takes.
const WHY_ROWS_MAX: usize = 2;

#[derive(clap::Args)]
pub struct Args {
    /// Session files; without any, those of your agents' last days
    #[arg(conflicts_with = "journal")]
    files: Vec<PathBuf>,
    /// The calls of our own journals, each with what was known of the world when it was made
    #[arg(long)]
    journal: bool,
    /// How many days back
    #[arg(long, default_value_t = DAYS)]
    days: u64,
    /// Only of this agent
    #[arg(long)]
    host: Option<String>,
    /// Show what would be answered otherwise with the settings, packs and index of a directory
    #[arg(long, value_name = "DIR")]
    against: Option<PathBuf>,
    /// Every call that would be stopped, as one JSON object a line
    #[arg(long)]
    json: bool,
}

/// What is found out of calls.
#[derive(Default)]
struct Counters {
    sessions: u64,
    calls: u64,
    /// Calls that would be stopped, or be answered otherwise: each once, with how often it came.
    stopped: BTreeMap<(Reverse<Level>, String, String), Stopped>,
    /// By gate and rule.
    by_rule: BTreeMap<String, Told>,
    /// By session: stopped calls.
    by_session: BTreeMap<String, u64>,
    lines: Vec<String>,
    /// Calls of which the journal does not say all.
    unread: u64,
}

/// How often a rule speaks.
#[derive(Default, Clone, Copy)]
struct Told {
    refused: u64,
    asked: u64,
    let_go: u64,
}

impl Told {
    fn one(level: Level) -> Self {
        Self {
            refused: u64::from(level == Level::Deny),
            asked: u64::from(level == Level::Ask),
            let_go: u64::from(level == Level::Allow),
        }
    }

    fn add(&mut self, more: Self) {
        self.refused += more.refused;
        self.asked += more.asked;
        self.let_go += more.let_go;
    }

    fn all(self) -> u64 {
        self.refused + self.asked + self.let_go
    }
}

/// A past call that would be stopped.
struct Stopped {
    verdict: Verdict,
    before: Option<Verdict>,
    time: u64,
    times: u64,
}

impl Counters {
    fn note(&mut self, judged: &Judged, before: Option<&Verdict>) {
        let Judged { now, call, .. } = judged;
        let row = self.by_rule.entry(now.tag.clone()).or_default();
        row.add(Told::one(now.level));
        *self.by_session.entry(judged.session.clone()).or_default() += 1;
        let key = (Reverse(now.level), now.tag.clone(), call.clone());
        let known = self.stopped.entry(key).or_insert_with(|| Stopped {
            verdict: now.clone(),
            before: before.cloned(),
            time: 0,
            times: 0,
        });
        known.times += 1;
        known.time = known.time.max(judged.time.0);
    }

    fn add(&mut self, other: Self) {
        self.sessions += other.sessions;
        self.calls += other.calls;
        for (key, more) in other.stopped {
            match self.stopped.get_mut(&key) {
                Some(known) => {
                    known.times += more.times;
                    known.time = known.time.max(more.time);
                }
                None => {
                    self.stopped.insert(key, more);
                }
            }
        }
        for (tag, counts) in other.by_rule {
            self.by_rule.entry(tag).or_default().add(counts);
        }
        for (session, count) in other.by_session {
            *self.by_session.entry(session).or_default() += count;
        }
        self.lines.extend(other.lines);
        self.unread += other.unread;
    }

    fn told(&self) -> Told {
        let mut all = Told::default();
        self.by_rule.values().for_each(|told| all.add(*told));
        all
    }
}

/// Has one call of the past judged; nothing where it is not known whole.
type JudgeOne<'a> = &'a dyn Fn(&mut Judging<'_>) -> Option<Judged>;

/// What is played.
struct Play<'h> {
    here: &'h Here,
    by: By,
    table: Arc<Vec<u8>>,
    /// What else it is held against: rules and an index.
    against: Option<(By, Arc<Vec<u8>>)>,
    is_json: bool,
    end: Option<Instant>,
}

impl Play<'_> {
    fn run(&self, files: &[SessionFile]) -> (Counters, bool) {
        self.play(files, |file, each| {
            for old in past::read(file) {
                each(&|judging| Some(judging.judge(file.host.id, old.call.clone())));
            }
        })
    }

    /// The calls of sessions, as our journals tell them.
    fn journals(&self, store: &Store, sessions: &[String], host: Option<&str>) -> Counters {
        let (counters, _) = self.play(sessions, |session, each| {
            let records = past::records(store, session).into_iter();
            let wanted = records.filter(|one| host.is_none_or(|host| one.text("host") == host));
            for record in wanted {
                each(&|judging| judging.recorded(&record));
            }
        });
        counters
    }

    /// Judges every call of every source, of which each session is one.
    fn play<T: Sync>(
        &self,
        sources: &[T],
        calls: impl Fn(&T, &mut dyn FnMut(JudgeOne<'_>)) + Sync,
    ) -> (Counters, bool) {
        let (here, table) = (self.here, &self.table);
        let make = || {
            let other = self
                .against
                .as_ref()
                .map(|(by, table)| Judging::new(here, by.clone(), Arc::clone(table)));
            let now = Judging::new(here, self.by.clone(), Arc::clone(table));
            (Counters::default(), now, other)
        };
        let (workers, is_late) = past::each(sources, self.end, make, |worker, source| {
            let (counters, now, other) = worker;
            let before = counters.calls;
            calls(source, &mut |judge| {
                if self.end.is_some_and(|end| Instant::now() > end) {
                    return;
                }
                counters.calls += 1;
                match judge(now) {
                    Some(judged) => {
                        let then = other.as_mut().and_then(judge);
                        self.consider(counters, judged, then);
                    }
                    None => counters.unread += 1,
                }
            });
            counters.sessions += u64::from(counters.calls > before);
        });
        let mut all = Counters::default();
        workers
            .into_iter()
            .for_each(|(counters, ..)| all.add(counters));
        (all, is_late)
    }

    fn consider(&self, counters: &mut Counters, judged: Judged, then: Option<Judged>) {
        let (told, before) = match then {
            Some(then) if then.now == judged.now => return,
            Some(then) => (then, Some(judged.now)),
            None if judged.now.level == Level::Allow => return,
            None => (judged, None),
        };
        if self.is_json {
            let Judged { now, .. } = &told;
            let line = json!({
                "agent_id": told.host, "session": told.session, "cwd": told.cwd,
                "timestamp": text::date::timestamp(told.time.0), "call": told.call,
                "level": now.level.name(), "finding": now.tag, "reason": now.why,
                "before": before.as_ref().map(|before| before.level.name()),
            });
            counters.lines.push(line.to_string());
        }
        counters.note(&told, before.as_ref());
    }
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    if let Some(id) = &args.host
        && hosts::find(id).is_none()
    {
        bail!("no agent is called {id}");
    }
    let store = here.remembered()?;
    let index = match &store {
        Some(store) => Index::load(store)?,
        None => Index::empty(),
    };
    let against = args.against.as_deref().map(|dir| other(&here, dir));
    let play = Play {
        here: &here,
        by: By::Place,
        table: Arc::new(patterns::compile(&index.entries().0)),
        against: against.transpose()?,
        is_json: args.json,
        end: None,
    };
    let begin = Instant::now();
    let counters = match (&store, args.journal) {
        (Some(store), true) => {
            let sessions = past::journals(store, args.days)?;
            play.journals(store, &sessions, args.host.as_deref())
        }
        (None, true) => Counters::default(),
        (_, false) if args.files.is_empty() => {
            play.run(&past::files(&here, args.host.as_deref(), args.days))
                .0
        }
        (_, false) => play.run(&named(args)?).0,
    };
    if args.json {
        counters.lines.iter().for_each(|line| say!("{line}"));
        return Ok(ExitCode::from(exit::OK));
    }
    if counters.calls == 0 {
        say!("No past calls were found; {}.", where_else(args));
        return Ok(ExitCode::from(exit::OK));
    }
    let seconds = begin.elapsed().as_secs_f64();
    let calls = words::count(counters.calls, "call");
    let sessions = words::count(counters.sessions, "session");
    let world = match args.journal {
        true => "with what was known when each was made",
        false => "as your files stand today",
    };
    say!("{calls} in {sessions}, judged {world}, in {seconds:.1} s.");
    if counters.unread > 0 {
        let unread = words::count(counters.unread, "call");
        say!("{unread} left out: the journal does not hold all of them (a secret, or too long).");
    }
    let Told { refused, asked, .. } = counters.told();
    match args.against {
        None => say!("Now {refused} would be refused and {asked} asked about."),
        Some(_) => say!(
            "Otherwise answered there: {}",
            words::count(counters.told().all(), "call")
        ),
    }
    tables(&counters);
    calls_of(&here, &counters, SHOWN_MAX * 4);
    Ok(ExitCode::from(exit::OK))
}

/// Where past calls may be found, if none were.
fn where_else(args: &Args) -> &'static str {
    match args.journal {
        true => "look further back with --days, or at your agents' own files without --journal",
        false => "name session files, or look further back with --days",
    }
}

/// The files that were named, each with the host that it is of.
fn named(args: &Args) -> Result<Vec<SessionFile>> {
    let mut files = Vec::new();
    for path in &args.files {
        let head =
            std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let head = head.get(..head.len().min(256 * 1024)).unwrap_or_default();
        let Some(found) = hosts::recognize(head, args.host.as_deref()) else {
            let known = HOSTS
                .iter()
                .map(|host| host.id)
                .collect::<Vec<_>>()
                .join(", ");
            bail!(
                "{} is no session file that is known; --host names whose it is: {known}",
                path.display()
            );
        };
        files.push(SessionFile {
            host: found.host,
            path: path.clone(),
        });
    }
    Ok(files)
}

/// The rules and the index of another directory.
fn other(here: &Here, dir: &Path) -> Result<(By, Arc<Vec<u8>>)> {
    if !dir.is_dir() {
        bail!("there is no directory {}", dir.display());
    }
    let read = sources::read_alone(here, dir);
    if let Some(mistake) = read.mistakes.first() {
        bail!("{mistake}");
    }
    let rules = Rules::new(gates::builtin(), read.layers);
    let index = match std::fs::read_to_string(dir.join("anti_pattern_index.json")) {
        Ok(text) => Index::read(&text)?,
        Err(_) => Index::empty(),
    };
    let table = patterns::compile(&index.entries().0);
    Ok((By::Rules(Arc::new(rules)), Arc::new(table)))
}

/// By gate and rule, and by session.
fn tables(counters: &Counters) {
    let mut rules: Vec<_> = counters.by_rule.iter().collect();
    rules.sort_by_key(|(_, told)| Reverse(told.all()));
    for (tag, Told { refused, asked, .. }) in rules {
        let tag = if tag.is_empty() { "let go" } else { tag };
        say!("  {refused:>6} refused {asked:>6} asked  {tag}");
    }
    let mut sessions: Vec<_> = counters.by_session.iter().collect();
    sessions.sort_by_key(|(_, count)| Reverse(**count));
    for (session, count) in sessions.iter().take(SHOWN_MAX) {
        say!("  {count:>6} in session {session}");
    }
}

/// Prints what would have been refused and asked; where to see the gate at work if there are no
/// session files.
pub fn last_days(here: &Here) {
    show::moment("Looking at your past sessions");
    let mut files = past::files(here, None, DAYS);
    files.truncate(FILES_MAX);
    let play = Play {
        here,
        by: By::BuiltIn,
        table: Arc::default(),
        against: None,
        is_json: false,
        end: Some(Instant::now() + TIME_MAX),
    };
    let (counters, is_late) = play.run(&files);
    if counters.calls == 0 {
        say!("No past sessions were found. See what the gate does: tollgate demo");
        return;
    }
    let calls = words::count(counters.calls, "call");
    let sessions = words::count(counters.sessions, "session");
    say!("Your last {DAYS} days: {calls} in {sessions}, judged as your files stand today.");
    let Told { refused, asked, .. } = counters.told();
    say!("Guard would have refused {refused}, asked about {asked}, and left the rest alone.");
    calls_of(here, &counters, SHOWN_MAX);
    if counters.stopped.len() > SHOWN_MAX {
        say!("  all of them: tollgate replay --json");
    }
    if is_late {
        say!(
            "  (not all of them: the look back ends after {} s)",
            TIME_MAX.as_secs()
        );
    }
}

/// The calls that would be stopped, the strictest and newest first.
fn calls_of(here: &Here, counters: &Counters, shown_max: usize) {
    let mut all: Vec<_> = counters.stopped.iter().collect();
    all.sort_by_key(|((level, ..), stopped)| (*level, Reverse(stopped.time)));
    for ((_, _, call), stopped) in all.iter().take(shown_max) {
        let word = |level| match level {
            Level::Deny => show::bad("refused"),
            Level::Ask => show::warn("asked  "),
            Level::Allow => show::good("let go "),
        };
        let call = one_line(&here.short(call), CALL_CHARS_MAX);
        let times = if stopped.times > 1 {
            format!("  ({}×)", stopped.times)
        } else {
            String::new()
        };
        let now = word(stopped.verdict.level);
        say!("  {now}  {}  {call}{times}", times::day(stopped.time));
        if let Some(before) = &stopped.before {
            show::paragraph(WHY_INDENT, &format!("so far: {}", before.level.name()), 1);
        }
        show::paragraph(WHY_INDENT, &here.short(&stopped.verdict.why), WHY_ROWS_MAX);
    }
    let more = all.len().saturating_sub(shown_max);
    if more > 0 {
        say!("  … and {} more", words::count(more as u64, "other call"));
    }
}
