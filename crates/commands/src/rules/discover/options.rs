//! The options of `rules discover`.

use crate::arguments::Argument;
use crate::option::{Flag, Setting, positive, text};

pub const CORPUS: Setting<Argument> = Setting::new(
    "corpus",
    "FILE",
    "with `discover`: expressions to make smaller, as `simplify --jsonl` reads them; may be given several times",
    text,
);

pub const FROM_NOTHING: Flag = Flag::new(
    "from-nothing",
    "with `discover`: begin without rules instead of with those in force",
);

pub const FUEL: Setting<u64> =
    Setting::new("fuel", "COUNT", "with `discover`: steps in all (default 400,000,000)", positive);

pub const SIZE: Setting<u64> = Setting::new(
    "size",
    "COUNT",
    "with `discover`: operations of the longest left side that is enumerated (default 3)",
    positive,
);

pub const SEED: Setting<u64> =
    Setting::new("seed", "NUMBER", "with `discover`: other points to distinguish terms", positive);

pub const STATE: Setting<Argument> = Setting::new(
    "state",
    "FILE",
    "with `discover`: keep how far the run is in this file, and go on from there",
    text,
);

pub const REPORT: Setting<Argument> =
    Setting::new("report", "FILE", "with `discover`: write a report of the run, in Markdown", text);

pub const TO: Setting<Argument> = Setting::new(
    "to",
    "FILE",
    "with `discover`: write the rules to a rule file, each with the part that it was learnt from",
    text,
);
