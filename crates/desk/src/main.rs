//! The program `tollgate-desk`: what `tollgate run` and its kin hand over to.

use std::process::ExitCode;

fn main() -> ExitCode {
    desk::main()
}
