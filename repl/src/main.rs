//! The `affinor` command line and REPL.

fn main() {}
