//! The command table: one line a command, one file each.

mod approvals;
mod check;
mod compile;
mod compliance;
mod demo;
mod doctor;
mod explain;
pub mod hydrate;
mod init;
mod key;
mod log;
mod memory;
mod notify;
mod replay;
mod review;
mod root;
mod rules;
mod session;
mod stats;
mod status;
mod switch;
mod tables;
pub mod transcript;
mod trust;
mod undo;
mod uninstall;

use std::process::ExitCode;

use anyhow::Result;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::owner::{self, Kept};
use crate::{exit, hardened, show};

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

/// Who a command is for, as `--help` groups them.
const CLASSES: &[(&str, &str, &[&str])] = &[
    (
        "look",
        "changes nothing",
        &[
            "status",
            "check",
            "explain",
            "log",
            "rules",
            "tables",
            "stats",
            "session",
            "transcript",
            "hydrate",
            "doctor",
            "demo",
        ],
    ),
    (
        "work",
        "for agents too",
        &["undo", "review", "memory", "compile"],
    ),
    (
        "owner",
        "for you alone: a worker's call of these is refused",
        &[
            "approvals",
            "approve",
            "refuse",
            "key",
            "init",
            "uninstall",
            "off",
            "on",
            "trust",
        ],
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
    /// Registers a review of the work, and shows what is owed
    Review(review::Args),
    /// What was kept before a call destroyed it, and how to get it back
    Undo(undo::Args),
    /// Facts that are kept between sessions
    Memory(memory::Args),
    /// Compiles your rules and settings; happens by itself after a change
    Compile(compile::Args),
    /// What waits for your word, with the codes
    Approvals(approvals::ListArgs),
    /// Lets a held call run once
    Approve(approvals::ApproveArgs),
    /// Says no to it
    Refuse(approvals::RefuseArgs),
    /// The key that signs for rules with `grant = "key"`
    Key(key::Args),
    /// Puts the gate in front of your agent
    Init(init::Args),
    /// Takes it away again
    Uninstall(uninstall::Args),
    /// Switches the gate off for a while
    Off(switch::OffArgs),
    /// Switches it on again
    On,
    /// Lets this project's rules do more than tighten
    Trust(trust::Args),
    /// The request for a compliance check
    #[command(hide = true)]
    Compliance(compliance::Args),
    /// Sends a request to your webhook
    #[command(hide = true)]
    Notify {
        /// The session's id.
        session: String,
        /// The request's id.
        id: String,
    },
    /// One event on stdin, one answer on stdout: what the agent calls
    #[command(hide = true)]
    Hook {
        /// The host's id.
        host: String,
        /// The event's name.
        event: String,
    },
}

/// Parses the command line and runs the command.
pub fn run() -> ExitCode {
    let matches = Line::command().help_template(template()).get_matches();
    let line = match Line::from_arg_matches(&matches) {
        Ok(line) => line,
        Err(error) => error.exit(),
    };
    let command = line
        .command
        .unwrap_or(Command::Status(status::Args::default()));
    let allowed = hardened::name_subject(line.user).and_then(|()| roots_alone(&matches));
    match allowed.and_then(|()| dispatch(command)) {
        Ok(code) => code,
        Err(error) => {
            show::failure(&format!("{error:#}"));
            ExitCode::from(exit::FAILED)
        }
    }
}

/// What a worker must not run even where no hook sees it, and how strictly that is kept. Whoever
/// puts the gate up or switches it on does no harm.
fn kept(command: &Command) -> Option<(&'static str, Kept)> {
    match command {
        Command::Init(args) if !args.is_dry() => Some(("init", Kept::FromBound)),
        Command::Uninstall(_) => Some(("uninstall", Kept::FromMarked)),
        Command::Approvals(_) => Some(("approvals", Kept::FromMarked)),
        Command::Refuse(_) => Some(("refuse", Kept::FromMarked)),
        Command::Key(_) => Some(("key", Kept::FromMarked)),
        Command::Off(_) => Some(("off", Kept::FromMarked)),
        Command::Trust(_) => Some(("trust", Kept::FromMarked)),
        Command::Undo(args) if args.drops() => Some(("undo drop", Kept::FromMarked)),
        Command::Review(args) if args.drops() => Some(("review drop", Kept::FromMarked)),
        _ => None,
    }
}

fn dispatch(command: Command) -> Result<ExitCode> {
    if let Some((name, kept)) = kept(&command)
        && let Some(refusal) = owner::refused(name, kept)
    {
        return Ok(refusal);
    }
    match command {
        Command::Status(args) => status::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Log(args) => log::run(&args),
        Command::Rules(args) => rules::run(&args),
        Command::Tables(args) => tables::run(&args),
        Command::Stats(args) => stats::run(&args),
        Command::Session(args) => session::run(&args),
        Command::Transcript(args) => transcript::run(&args),
        Command::Hydrate(args) => hydrate::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Review(args) => review::run(&args),
        Command::Undo(args) => undo::run(&args),
        Command::Memory(args) => memory::run(&args),
        Command::Compile(args) => compile::run(&args),
        Command::Approvals(args) => approvals::list(&args),
        Command::Approve(args) => approvals::approve(&args),
        Command::Refuse(args) => approvals::refuse(&args),
        Command::Key(args) => key::run(&args),
        Command::Compliance(args) => compliance::run(&args),
        Command::Notify { session, id } => notify::run(&session, &id),
        Command::Init(args) => init::run(&args),
        Command::Uninstall(args) => uninstall::run(&args),
        Command::Off(args) => switch::off(&args),
        Command::On => switch::on(),
        Command::Trust(args) => trust::run(&args),
        Command::Hook { host, event } => hook::run_for(&host, &event),
    }
}

/// Commands of the owner that a hardened install leaves to their user: what they need is not a
/// right but a code, or they only tighten.
const LEFT_TO_USERS: &[&str] = &["approve", "refuse", "init"];

/// Parts of other commands that are the owner's.
const OWNERS_PARTS: &[(&str, &str)] = &[("undo", "drop"), ("review", "drop"), ("key", "create")];

/// In a hardened install, refuses the owner's commands to everybody but root. `init` says itself
/// what it needs.
fn roots_alone(matches: &ArgMatches) -> Result<()> {
    let Some((name, inner)) = matches.subcommand() else {
        return Ok(());
    };
    let part = inner.subcommand_name().unwrap_or_default();
    let mut classes = CLASSES.iter().filter(|(class, ..)| *class == "owner");
    let is_owners = classes.any(|(_, _, names)| names.contains(&name));
    if OWNERS_PARTS.contains(&(name, part)) {
        hardened::owner_only(&format!("{name} {part}"))
    } else if is_owners && !LEFT_TO_USERS.contains(&name) {
        hardened::owner_only(name)
    } else {
        Ok(())
    }
}

/// The help text: commands grouped by who they are for.
fn template() -> String {
    let command = Line::command();
    let mut text = String::from("{about}\n\n{usage-heading} {usage}\n");
    for (class, meaning, names) in CLASSES {
        text.push_str(&format!("\n{class} ({meaning})\n"));
        for name in *names {
            let about = command
                .find_subcommand(name)
                .and_then(clap::Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            text.push_str(&format!("  {name:<10} {about}\n"));
        }
    }
    text.push_str(&format!("\n{{options}}\n\n{}", exit::manual()));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_class() {
        let command = Line::command();
        command.clone().debug_assert();
        let visible = command
            .get_subcommands()
            .filter(|command| !command.is_hide_set());
        for name in visible.map(clap::Command::get_name) {
            let classes = CLASSES.iter().filter(|(_, _, names)| names.contains(&name));
            assert_eq!(classes.count(), 1, "{name}");
        }
    }
}
