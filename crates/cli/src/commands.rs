//! The command table: one line a command, one file each.

mod approvals;
mod check;
mod compile;
mod completions;
mod compliance;
mod demo;
mod desk;
mod doctor;
mod explain;
mod failing;
pub mod hydrate;
mod index;
mod init;
pub mod key;
pub mod learn;
mod log;
mod manual;
mod mcp;
mod memory;
mod msg;
mod observations;
mod plan;
mod prove;
mod proxy;
mod replay;
mod review;
mod root;
mod rules;
mod session;
pub mod stats;
mod status;
mod strikes;
pub mod switch;
mod tables;
mod tail;
pub mod transcript;
mod trust;
mod undo;
mod uninstall;
mod watch;
mod work;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};

use edge::installed;
use model::{COMMANDS, CommandClass, CommandSpec, KeptFrom};

use crate::here::Here;
use crate::install::hardened;
use crate::{exit, owner, show, spoken};

/// A gate between a coding agent and the world.
#[derive(Parser)]
#[command(name = "tollgate", version, disable_help_subcommand = true)]
struct Line {
    /// Whose state, where root asks in a hardened install
    #[arg(long, value_name = "NAME", global = true, hide = true)]
    user: Option<String>,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Commands that ask about a command of somebody else's.
const ASKING: &[&str] = &["check", "explain"];

/// Whom a command is for, as `--help` groups them.
const CLASSES: &[(CommandClass, &str, &str)] = &[
    (CommandClass::Look, "look", "changes nothing"),
    (CommandClass::Work, "work", "for agents too"),
    (
        CommandClass::Owner,
        "owner",
        "for you alone: a worker's call of these is refused",
    ),
];

#[derive(Subcommand)]
enum Command {
    /// How things stand: gated or not, modes and their source, last seen, how fast
    Status(status::Args),
    /// What would be answered to a command; runs and remembers nothing
    #[command(after_help = exit::manual())]
    Check(check::Args),
    /// Why a call was stopped, and how to go on
    Explain(explain::Args),
    /// What was judged, newest last
    Log(log::Args),
    /// Calls as they are judged, one line each
    Tail(tail::Args),
    /// What keeps failing in this project: mend it once
    Failing(failing::Args),
    /// How calls ended, newest last
    Observations(observations::Args),
    /// The patterns that calls are held against: show, confirm, reject, add
    Index(index::Args),
    /// What would be answered now to the calls of your past sessions
    Replay(replay::Args),
    /// How often calls ran into a pattern, and what follows
    Strikes(strikes::Args),
    /// The rules that hold here; begin and test your own
    #[command(alias = "policy")]
    Rules(rules::Args),
    /// Which tables steer a session, and whether they agree
    Tables(tables::Args),
    /// What coaching and discipline cost, and whether they help
    Stats(stats::Args),
    /// What is remembered about a session
    Session(session::Args),
    /// What an agent's own session file tells of a session
    Transcript(transcript::Args),
    /// What a prompt would be grounded in, and what that costs
    Hydrate(hydrate::Args),
    /// Is the gate alive? Tries it, and finds what disarms it
    Doctor(doctor::Args),
    /// Shows the gate at work on a recorded session; needs nothing installed
    Demo(demo::Args),
    /// What your shell completes after `tollgate`, as a script for it
    Completions(completions::Args),
    /// Registers a review of the work, and shows what is owed
    Review(review::Args),
    /// Has a plan assessed before plan mode is left, and shows how it stands
    Plan(plan::Args),
    /// What was kept before a call destroyed it, and how to get it back
    Undo(undo::Args),
    /// Facts that are kept between sessions
    Memory(memory::Args),
    /// Messages between agents, and between agents and you
    Msg(msg::Args),
    /// What is to be done, by whom, and what waits for what
    Work(work::Args),
    /// The same verbs as tools for an agent (MCP, over standard input and output)
    Mcp,
    /// Checks a directory against a specification: PASS, FAIL with reasons, or NOT JUDGED
    Validate(::desk::args::ValidateArgs),
    /// Makes patterns of what keeps failing; happens by itself at the end of a session
    Learn(learn::Args),
    /// Shows that a command works by now that a learned pattern stops: runs it in a copy
    Prove(prove::Args),
    /// Compiles your rules and settings; happens by itself after a change
    Compile(compile::Args),
    /// Drives a worker until its work is ready, and shows the runs there are
    Run(::desk::args::RunArgs),
    /// Asks several reviewers who do not see each other, and says what they say together
    Consensus(::desk::args::ConsensusArgs),
    /// Shows what waits for you in your browser, and takes your answers there
    Serve,
    /// Opens the page of the desk that runs
    Open(::desk::args::OpenArgs),
    /// Stands between a client and a server of tools: its calls are judged, and held where a
    /// person is asked
    Proxy(::desk::args::ProxyArgs),
    /// What waits for your word; codes are told once, and stand nowhere
    Approvals(approvals::ListArgs),
    /// Lets a held call run once
    #[command(alias = "ok")]
    Approve(approvals::ApproveArgs),
    /// Says no to it
    Refuse(approvals::RefuseArgs),
    /// Channels that tell you of what waits where you are
    Notify(approvals::notify::Args),
    /// The key that signs for rules with `grant = "key"`
    Key(key::Args),
    /// Puts the gate in front of your agent
    #[command(alias = "install")]
    Init(init::Args),
    /// Takes it away again
    Uninstall(uninstall::Args),
    /// Switches the gate off for a while
    Off(switch::OffArgs),
    /// Switches it on again
    On,
    /// Lets this project's rules do more than tighten
    Trust(trust::Args),
    /// What a command is for and takes
    #[command(hide = true)]
    Help {
        /// The command's words.
        words: Vec<String>,
    },
    /// Which version this is
    #[command(hide = true)]
    Version,
    /// `rules settings`, by the word that people try
    #[command(hide = true)]
    Config,
    /// The request for a compliance check
    #[command(hide = true)]
    Compliance(compliance::Args),
    /// Writes the manual pages into a directory
    #[command(hide = true)]
    Man(manual::Args),
    /// One event on stdin, one answer on stdout: what the agent calls
    #[command(hide = true)]
    Hook {
        /// The host's id.
        host: String,
        /// The event's name.
        event: String,
    },
    /// At the start of a session, for the agent to call: whether the hook is still ours
    #[command(hide = true)]
    Watch {
        /// The host's id.
        host: String,
        /// The event's name.
        event: String,
    },
}

/// Runs the proxy as `tollgate proxy install` has clients start it; nothing if it is not there.
pub fn relay() -> Option<ExitCode> {
    desk::hand_over_plain_proxy().ok()
}

/// Parses the command line and runs the command.
pub fn run() -> ExitCode {
    let matches = match understood(std::env::args_os().collect()) {
        Ok(matches) => matches,
        Err(error) => error.exit(),
    };
    let line = match Line::from_arg_matches(&matches) {
        Ok(line) => line,
        Err(error) => error.exit(),
    };
    let command = line
        .command
        .unwrap_or(Command::Status(status::Args::default()));
    let words = words(&matches);
    let done = hardened::name_subject(line.user)
        .and_then(|()| roots_alone(&words))
        .and_then(|()| match refused(&words, &command) {
            Some(refusal) => Ok(refusal),
            None => {
                warn_of_others(words.first().copied());
                dispatch(command)
            }
        });
    match done {
        Ok(code) => code,
        Err(error) => {
            show::failure(&format!("{error:#}"));
            ExitCode::from(exit::FAILED)
        }
    }
}

/// The command line as it is meant: what is a usage error is tried once more with the command that
/// it asks about set apart, and a command's options are its own.
fn understood(line: Vec<OsString>) -> Result<ArgMatches, clap::Error> {
    let ours = || Line::command().help_template(template());
    ours().try_get_matches_from(&line).or_else(|error| {
        let apart = spoken::set_apart(&line, &ours(), ASKING);
        match apart.map(|line| ours().try_get_matches_from(line)) {
            Some(Ok(matches)) => Ok(matches),
            _ => Err(error),
        }
    })
}

/// The help of the command that these words name; nothing if there is none.
fn help_of(words: &[String]) -> Result<ExitCode> {
    let mut line = vec![String::from("tollgate")];
    line.extend(words.iter().cloned());
    line.push("--help".to_owned());
    match understood(line.into_iter().map(OsString::from).collect()) {
        Err(error) => error.exit(),
        Ok(_) => bail!("there is no help about {}", words.join(" ")),
    }
}

/// The words of the commands that were named, outermost first.
fn words(matches: &ArgMatches) -> Vec<&str> {
    let mut words = Vec::new();
    let mut level = matches.subcommand();
    while let Some((word, inner)) = level {
        words.push(word);
        level = inner.subcommand();
    }
    words
}

/// In a hardened install, refuses to everybody but root what is root's. `init` says itself what it
/// needs.
fn roots_alone(words: &[&str]) -> Result<()> {
    let path = CommandSpec::path(words.iter().copied());
    match path.last() {
        Some(spec) if spec.is_roots => hardened::owner_only(&words.join(" ")),
        _ => Ok(()),
    }
}

/// Commands that look at our copies themselves, or put them back.
const LOOKING: &[&str] = &["doctor", "init", "uninstall", "watch"];

/// Tells whoever calls us that another program stands where ours was.
fn warn_of_others(command: Option<&str>) {
    if command.is_some_and(|command| LOOKING.contains(&command)) {
        return;
    }
    let store = Here::find(None).and_then(|here| here.remembered());
    let Some(store) = store.ok().flatten() else {
        return;
    };
    for what in installed::changed_programs(&store) {
        show::failure(&format!("{what}; tollgate init puts it back"));
    }
}

/// Refuses what a worker must not run even where no hook sees it.
fn refused(words: &[&str], command: &Command) -> Option<ExitCode> {
    if matches!(command, Command::Init(args) if args.is_dry()) {
        return None;
    }
    if matches!(command, Command::Doctor(args) if args.changes()) {
        return owner::refused("doctor --fix", KeptFrom::UnprovenLater);
    }
    let path = CommandSpec::path(words.iter().copied());
    owner::refused(&words.join(" "), path.last()?.kept_from?)
}

fn dispatch(command: Command) -> Result<ExitCode> {
    match command {
        Command::Status(args) => status::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Log(args) => log::run(&args),
        Command::Tail(args) => tail::run(&args),
        Command::Failing(args) => failing::run(&args),
        Command::Observations(args) => observations::run(&args),
        Command::Index(args) => index::run(&args),
        Command::Strikes(args) => strikes::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Learn(args) => learn::run(&args),
        Command::Prove(args) => prove::run(&args),
        Command::Rules(args) => rules::run(&args),
        Command::Config => Ok(rules::reference()),
        Command::Tables(args) => tables::run(&args),
        Command::Stats(args) => stats::run(&args),
        Command::Session(args) => session::run(&args),
        Command::Transcript(args) => transcript::run(&args),
        Command::Hydrate(args) => hydrate::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Completions(args) => Ok(completions::run(&args, Line::command())),
        Command::Review(args) => review::run(&args),
        Command::Plan(args) => plan::run(&args),
        Command::Undo(args) => undo::run(&args),
        Command::Memory(args) => memory::run(&args),
        Command::Msg(args) => msg::run(&args),
        Command::Work(args) => work::run(&args),
        Command::Mcp => mcp::run(),
        Command::Validate(_) => desk::hand_over("validate"),
        Command::Run(_) => desk::hand_over("run"),
        Command::Consensus(_) => desk::hand_over("consensus"),
        Command::Serve => desk::hand_over_pages("serve"),
        Command::Open(_) => desk::hand_over_pages("open"),
        Command::Proxy(args) => match &args.what {
            Some(::desk::args::ProxyVerb::Install(args)) => proxy::install(args),
            Some(::desk::args::ProxyVerb::Uninstall(args)) => proxy::uninstall(args),
            None => desk::hand_over_proxy(&args.relay),
        },
        Command::Compile(args) => compile::run(&args),
        Command::Approvals(args) => approvals::list(&args),
        Command::Approve(args) => approvals::approve(&args),
        Command::Refuse(args) => approvals::refuse(&args),
        Command::Key(args) => key::run(&args),
        Command::Compliance(args) => compliance::run(&args),
        Command::Man(args) => manual::run(&args, Line::command()),
        Command::Help { words } => help_of(&words),
        Command::Version => {
            say!("tollgate {}", env!("CARGO_PKG_VERSION"));
            Ok(ExitCode::from(exit::OK))
        }
        Command::Notify(args) => approvals::notify::run(&args),
        Command::Init(args) => init::run(&args),
        Command::Uninstall(args) => uninstall::run(&args),
        Command::Off(args) => switch::off(&args),
        Command::On => switch::on(),
        Command::Trust(args) => trust::run(&args),
        Command::Hook { host, event } => hook::run_for(&host, &event),
        Command::Watch { host, event } => watch::run(&host, &event),
    }
}

/// The help text: commands grouped by who they are for.
fn template() -> String {
    let command = Line::command();
    let mut text = String::from("{about}\n\n{usage-heading} {usage}\n");
    for (class, name, meaning) in CLASSES {
        text.push_str(&format!("\n{name} ({meaning})\n"));
        for spec in COMMANDS.iter().filter(|spec| spec.class == *class) {
            let named = command.find_subcommand(spec.name);
            let Some(shown) = named.filter(|command| !command.is_hide_set()) else {
                continue;
            };
            let about = shown.get_about().map(ToString::to_string);
            let (name, about) = (spec.name, about.unwrap_or_default());
            text.push_str(&format!("  {name:<12} {about}\n"));
        }
    }
    text.push_str(&format!("\n{{options}}\n\n{}", exit::manual()));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of all commands, a part after what it is in, with the words that also name it.
    fn parsed(command: &clap::Command, before: &str, found: &mut Vec<String>) {
        for part in command.get_subcommands() {
            let mut aliases: Vec<&str> = part.get_all_aliases().collect();
            aliases.sort_unstable();
            let line = format!("{before} {}", part.get_name());
            found.push(format!("{line} {aliases:?}"));
            parsed(part, &line, found);
        }
    }

    fn listed(specs: &[CommandSpec], before: &str, found: &mut Vec<String>) {
        for spec in specs {
            let mut aliases = spec.aliases.to_vec();
            aliases.sort_unstable();
            let line = format!("{before} {}", spec.name);
            found.push(format!("{line} {aliases:?}"));
            listed(spec.parts, &line, found);
        }
    }

    #[test]
    fn the_table_of_commands_is_what_is_parsed() {
        let command = Line::command();
        command.clone().debug_assert();
        let (mut parses, mut lists) = (Vec::new(), Vec::new());
        parsed(&command, "", &mut parses);
        listed(COMMANDS, "", &mut lists);
        parses.sort_unstable();
        lists.sort_unstable();
        assert_eq!(parses, lists);
    }

    #[test]
    fn words_are_those_of_parts_too() {
        let words_of = |line: &str| {
            let matches = Line::command().try_get_matches_from(line.split(' '));
            words(&matches.unwrap()).join(" ")
        };
        assert_eq!(words_of("tollgate undo drop 3"), "undo drop");
        assert_eq!(words_of("tollgate policy list"), "rules list");
        assert_eq!(words_of("tollgate --user x on"), "on");
        assert_eq!(words_of("tollgate"), "");
    }

    #[test]
    fn a_command_that_is_asked_about_keeps_its_own_options() {
        let asked = |line: &str| {
            let matches = understood(line.split(' ').map(OsString::from).collect()).ok()?;
            let (_, asked) = matches.subcommand()?;
            let words: Vec<String> = asked.get_many("command")?.cloned().collect();
            Some((words.join(" "), asked.get_flag("json")))
        };
        let found = |words: &str, json| Some((words.to_owned(), json));
        assert_eq!(
            asked("tollgate check rm -rf data"),
            found("rm -rf data", false)
        );
        assert_eq!(
            asked("tollgate check --json rm -rf x"),
            found("rm -rf x", true)
        );
        assert_eq!(
            asked("tollgate check --cwd . rm -r x"),
            found("rm -r x", false)
        );
        assert_eq!(asked("tollgate check ls --json"), found("ls", true));
        assert_eq!(asked("tollgate check --nonsense"), None);
        assert_eq!(asked("tollgate log rm -rf data"), None);
    }
}
