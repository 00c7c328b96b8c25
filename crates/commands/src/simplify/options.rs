//! The options of `simplify`.

use crate::arguments::Argument;
use crate::option::{Flag, Setting, positive, text};

pub const CERTIFICATE: Flag =
    Flag::new("certificate", "print a certificate of the equality, for `replay`");

pub(super) const CHECK: Flag = Flag::new("check", "prove that the result equals the input");

pub(super) const EXPLAIN: Flag =
    Flag::new("explain", "list the rules that lead from the input to the result");

pub(super) const GIVEN: Setting<Argument> = Setting::new(
    "given",
    "NAME=VALUE,..",
    "simplify for these values of variables, as after `bind`",
    text,
);

pub(super) const DROP_UNUSED: Flag =
    Flag::new("drop-unused", "leave out variables that neither results nor constraints use");

pub(super) const JSONL: Setting<Argument> = Setting::new(
    "jsonl",
    "FILE",
    "simplify each line of a JSON lines file (`-` is standard input)",
    text,
);

pub const THREADS: Setting<u64> = Setting::new(
    "threads",
    "COUNT",
    "with --jsonl: number of worker threads (default 1); answers stay in order",
    positive,
)
.needing(&[JSONL.switch]);

pub(super) const FULL: Flag =
    Flag::new("full", "also show the purpose, conditions and source of each rule");

pub(super) const JSON: Flag = Flag::new("json", "as one line of JSON");
