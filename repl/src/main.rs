//! The native program.

use std::process::ExitCode;

/// Simplification allocates many small sums; the C library's allocator takes a fifth of that time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(affinor_repl::run_program(std::env::args_os().collect()))
}
