//! The program `tollgate-proxy`: what `tollgate proxy` hands over to where the server is a program.
//! One runs for each server as long as its client does, so that it is small.

use std::process::ExitCode;

fn main() -> ExitCode {
    proxy::main()
}
