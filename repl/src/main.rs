//! The native program.

use std::process::ExitCode;

/// The allocator. Simplification allocates many small sums, and would spend a fifth of its time in the C library's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(affinor_repl::run_program(std::env::args_os().collect()))
}
