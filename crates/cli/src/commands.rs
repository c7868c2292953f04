//! The command table: one line a command, one file each.

mod check;
mod compile;
mod demo;
mod doctor;
mod explain;
mod init;
mod log;
mod replay;
mod rules;
mod session;
mod status;
mod switch;
mod trust;
mod uninstall;

use std::process::ExitCode;

use anyhow::Result;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::{exit, show};

/// A gate between a coding agent and the world.
#[derive(Parser)]
#[command(name = "tollgate", version, disable_help_subcommand = true)]
struct Line {
    #[command(subcommand)]
    command: Option<Command>,
}

/// Who a command is for, as `--help` groups them.
const CLASSES: &[(&str, &str, &[&str])] = &[
    (
        "look",
        "changes nothing",
        &[
            "status", "check", "explain", "log", "rules", "session", "doctor", "demo",
        ],
    ),
    ("work", "for agents too", &["compile"]),
    (
        "owner",
        "for you alone: a worker's call of these is refused",
        &["init", "uninstall", "off", "on", "trust"],
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
    /// What is remembered about a session
    Session(session::Args),
    /// Is the gate alive? Tries it, and finds what disarms it
    Doctor(doctor::Args),
    /// Shows the gate at work on a recorded session; needs nothing installed
    Demo(demo::Args),
    /// Compiles your rules and settings; happens by itself after a change
    Compile(compile::Args),
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
    match dispatch(
        line.command
            .unwrap_or(Command::Status(status::Args::default())),
    ) {
        Ok(code) => code,
        Err(error) => {
            show::failure(&format!("{error:#}"));
            ExitCode::from(exit::FAILED)
        }
    }
}

fn dispatch(command: Command) -> Result<ExitCode> {
    match command {
        Command::Status(args) => status::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Log(args) => log::run(&args),
        Command::Rules(args) => rules::run(&args),
        Command::Session(args) => session::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Compile(args) => compile::run(&args),
        Command::Init(args) => init::run(&args),
        Command::Uninstall(args) => uninstall::run(&args),
        Command::Off(args) => switch::off(&args),
        Command::On => switch::on(),
        Command::Trust(args) => trust::run(&args),
        Command::Hook { host, event } => hook::run_for(&host, &event),
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
