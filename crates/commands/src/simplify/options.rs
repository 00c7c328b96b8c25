//! The options of `simplify`.

use crate::arguments::Argument;
use crate::option::{Flag, Setting, positive, text};
use crate::output::clipped;
use affinor::text::ErrorKind;

pub const CERTIFICATE: Flag =
    Flag::new("certificate", "print a certificate of the equality, for `replay`");

/// How certificates are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A line of JSON, for `replay`.
    Json,
    /// A file for Rocq.
    Rocq,
}

pub const FORMAT: Setting<Form> = Setting::new(
    "format",
    "FORMAT",
    "how certificates are written: json, for `replay`, or rocq, a file that coqc checks",
    |_, given| match given.text.as_str() {
        "json" => Ok(Form::Json),
        "rocq" => Ok(Form::Rocq),
        other => {
            let message = format!("unknown format `{}`", clipped(other));
            let failure = given.wrong(ErrorKind::Name, message);
            Err(failure.hint("certificates are written as json or rocq"))
        }
    },
)
.among(|| vec!["json", "rocq"]);

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
);

pub(super) const FULL: Flag =
    Flag::new("full", "also show the purpose, conditions and source of each rule");

pub(super) const JSON: Flag = Flag::new("json", "as one line of JSON");
