//! `tollgate completions`: what a shell completes after `tollgate`.

use std::process::ExitCode;

use clap_complete::Shell;

use crate::exit;

#[derive(clap::Args)]
pub struct Args {
    /// For which shell; without it, the one in SHELL
    shell: Option<Shell>,
}

/// Prints the script; a shell that nobody named and that is not known gets bash's.
pub fn run(args: &Args, mut command: clap::Command) -> ExitCode {
    let shell = args.shell.or_else(Shell::from_env).unwrap_or(Shell::Bash);
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "tollgate", &mut script);
    crate::show::print(format_args!("{}", String::from_utf8_lossy(&script)));
    ExitCode::from(exit::OK)
}
