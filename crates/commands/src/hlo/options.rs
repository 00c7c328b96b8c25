//! The options of `hlo`, some of them shared with `op`.

use crate::arguments::Argument;
use crate::custom::CUSTOM;
use crate::failure::Failure;
use crate::instruction::OPERAND;
use crate::option::{Flag, Setting, positive, text};
use crate::output::clipped;
use crate::table::Switch;
use affinor::text::ErrorKind;

/// The direction of maps.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The map from an output element to the operand elements that it reads.
    FromOutput,
    /// The map from an operand element to the output elements that read it.
    FromInput,
}

/// `--check`, shared with `op`.
pub const CHECK: Flag =
    Flag::new("check", "prove the maps against the definition of each operation");

pub const CERTIFICATE: Flag = Flag::new(
    "certificate",
    "print certificates that the maps follow from the reads stated for the ops, for `replay`",
)
.excluding(&[
    CHECK.switch,
    DIRECTION.switch,
    EXPLAIN.switch,
    FROM.switch,
    MEMORY.switch,
    NO_SIMPLIFY.switch,
    TILE.switch,
    TO.switch,
    UTILISATION.switch,
]);

/// `--direction`, shared with `op`.
pub const DIRECTION: Setting<Direction> = Setting::new(
    "direction",
    "DIRECTION",
    "`output-to-input` (the reads of an element) or `input-to-output` (the readers of an element)",
    direction,
)
.among(|| vec!["output-to-input", "input-to-output"]);

/// `--no-simplify`, shared with `op`.
pub const NO_SIMPLIFY: Flag = Flag::new("no-simplify", "do not simplify the maps");

pub const COMPUTATION: Setting<Argument> = Setting::new(
    "computation",
    "NAME",
    "only computations of this name; patterns and several as for --instruction",
    text,
);

pub const INSTRUCTION: Setting<Argument> = Setting::new(
    "instruction",
    "NAME",
    "only instructions of this name; `*` and `?` stand for any text and any character; may be given several times",
    text,
);

pub const OPCODE: Setting<Argument> = Setting::new(
    "opcode",
    "OPCODE",
    "only instructions of this opcode, or pattern; may be given several times",
    text,
);

/// `--explain`; `op` has another option of the same name.
pub const EXPLAIN: Flag = Flag::new(
    "explain",
    "explain the maps: the stages of an operation, the steps through a fusion",
);

pub const ENTRY: Flag = Flag::new(
    "entry",
    "only the entry computation: the composed maps from its result to its parameters",
)
.excluding(&[
    COMPUTATION.switch,
    INSTRUCTION.switch,
    OPCODE.switch,
    EXPLAIN.switch,
    THREADS.switch,
]);

pub const OUTPUT: Setting<Argument> = Setting::new(
    "output",
    "PART",
    "with --entry: only this part of the result, by its numbers (`1`, `{1,0}`) or by the name of its value; may be given several times",
    text,
)
.needing(&[ENTRY.switch]);

pub const PARAMETER: Setting<Argument> = Setting::new(
    "parameter",
    "NAME",
    "with --entry: only this parameter, by its name or its number from 0, as --operand; may be given several times",
    text,
)
.needing(&[ENTRY.switch]);

pub const FROM: Setting<Argument> = Setting::new(
    "from",
    "NAME",
    "the composed map from this instruction to that of --to, in either direction (default: the result of the computation)",
    text,
)
.excluding(BESIDE_ENDS);

pub const TO: Setting<Argument> = Setting::new(
    "to",
    "NAME",
    "the composed map to this instruction from that of --from, in either direction (default: the result of the computation)",
    text,
)
.excluding(BESIDE_ENDS);

/// The options that are invalid beside the two ends of a composed map.
const BESIDE_ENDS: &[Switch] = &[
    CHECK.switch,
    DIRECTION.switch,
    ENTRY.switch,
    EXPLAIN.switch,
    INSTRUCTION.switch,
    MEMORY.switch,
    OPCODE.switch,
    OPERAND.switch,
    THREADS.switch,
    TILE.switch,
    UTILISATION.switch,
];

pub const PARTS: Flag = Flag::new(
    "parts",
    "list the parts of each instruction: shape, layout, memory, operation, operands, attributes",
)
.beside_only(&[COMPUTATION.switch, INSTRUCTION.switch, OPCODE.switch, THREADS.switch]);

pub const MEMORY: Flag = Flag::new("memory", "also print each map between positions in memory");

pub const VALUES: Flag = Flag::new(
    "values",
    "the elements that the values can depend on: of a `select`, only the operand that a predicate known before run time chooses",
)
.excluding(&[
    CERTIFICATE.switch,
    CHECK.switch,
    EXPLAIN.switch,
    TILE.switch,
    UTILISATION.switch,
]);

pub const FREE: Flag = Flag::new(
    "free",
    "list reshapes, transposes, copies and bitcasts that move nothing, and the bytes that others move",
)
.beside_only(&[COMPUTATION.switch, INSTRUCTION.switch, OPCODE.switch, NO_SIMPLIFY.switch]);

pub const CORPUS: Setting<Argument> = Setting::new(
    "corpus",
    "DIR",
    "write the counts of each module of a directory to a line of `--out`; resume a stopped run",
    text,
)
.beside_only(&[CUSTOM.switch, NO_SIMPLIFY.switch, OUT.switch, THREADS.switch]);

pub const OUT: Setting<Argument> =
    Setting::new("out", "FILE", "with --corpus: the file to write", text);

pub const THREADS: Setting<u64> = Setting::new(
    "threads",
    "COUNT",
    "number of worker threads (default: all cores); answers stay in order",
    positive,
);

pub const UTILISATION: Flag = Flag::new(
    "utilisation",
    "report the share of each operand that is read, how often, and the elements that are never read",
)
.excluding(&[
    CHECK.switch,
    DIRECTION.switch,
    EXPLAIN.switch,
    MEMORY.switch,
    OPERAND.switch,
    TILE.switch,
    OUTPUT.switch,
    PARAMETER.switch,
]);

pub const REREAD: Flag = Flag::new(
    "reread",
    "with --utilisation: only fusions that read an element of an operand more than once, and only such operands",
)
.excluding(&[ENTRY.switch])
.needing(&[UTILISATION.switch]);

pub const TILE: Setting<Argument> = Setting::new(
    "tile",
    "N,M",
    "operand tiles read by an output tile of these sizes, or the reverse; `..,M`: 1 in each leading dimension; `layout:N,M`: in \
     the order of the layout; `N,M|K`: K along what is contracted or reduced; `N/M`: for each result of a tuple; `suggest`: sizes whose footprint is again a tile",
    text,
)
.excluding(&[CHECK.switch, EXPLAIN.switch, MEMORY.switch, ENTRY.switch, OPERAND.switch]);

fn direction(_: &Switch, given: &Argument) -> Result<Direction, Failure> {
    match given.text.as_str() {
        "output-to-input" => Ok(Direction::FromOutput),
        "input-to-output" => Ok(Direction::FromInput),
        other => Err(given
            .wrong(ErrorKind::Usage, format!("unknown direction `{}`", clipped(other)))
            .hint("write `output-to-input` or `input-to-output`")),
    }
}
