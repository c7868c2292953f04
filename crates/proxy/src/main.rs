//! The program `tollgate-proxy`: what `tollgate proxy` hands over to where the server is a program.
//! One runs for each server as long as its client does, so that it is small.

use std::process::ExitCode;

/// That of the static C library takes a third of a judgement's time.
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    proxy::main()
}
