//! The reads of an op, defined after *Operation semantics*: a relation between the index `d` of an element of the
//! result and the index `i` of an element of an operand.
//!
//! A definition is data ([`Definition`]): equations between sums of indices, in the direction that needs no division.
//! `slice` is `i = start + stride * d`, `pad` is `d = low + (interior + 1) * i`, `reshape` equates both positions.
//! Index maps are checked against these definitions, which are therefore trusted: they share no code with the maps, and each is
//! a few lines next to the sentence of the semantics that it formalizes.
//!
//! Modules in dependency order: `relation` and `access` (the data type), `solve` (elimination of loop indices), `used` and
//! `combiner` (computations that combine elements), `named`, `op` and `sized` (the input of definitions), one file for each family of ops,
//! `evaluate` (the reads of one element), `as_map` (for provers), `interpret` and `values` (dependences in a whole small
//! module), `compose` (fusions, calls, conditionals), `fixed` (values that do not depend on parameters), `iterate` (loops),
//! `theorem` (theorems proved in `rocq/`).
//!
//! ```
//! use affinor_definition as definition;
//! use affinor_hlo as hlo;
//!
//! let module = hlo::read(b"p = f32[9] parameter(0) \n s = f32[4] slice(p), slice={[1:9:2]}")?;
//! let entry = &module[module.entry()];
//! let slice = definition::of(&module, entry, &entry[entry.root()]).unwrap();
//! assert_eq!(slice.accesses()[0].reads.conditions().len(), 1); // i - 2 * d - 1 = 0
//! # Ok::<(), affinor_maps::text::Error>(())
//! ```

mod access;
mod as_map;
mod collective;
mod combiner;
mod compose;
mod contraction;
mod custom;
mod elementwise;
mod evaluate;
mod fiber;
mod fixed;
mod interpret;
mod iterate;
mod movement;
mod named;
mod offsets;
mod op;
mod opaque;
mod passing;
mod points;
mod position;
mod relation;
mod scan;
mod sized;
mod solve;
mod theorem;
mod triangle;
mod used;
mod values;
mod window;

pub use access::{Access, Certainty, Definition, Role};
pub use compose::Definitions;
pub use evaluate::{Lookup, elements};
pub use interpret::{Dependence, Interpreter, Known, ParameterElement};
pub use iterate::MANY;
pub use named::NamedSizes;
pub use op::NoDefinition;
pub use relation::{Condition, Index, Relation, Source, Sum, TuplePath, Value};
pub use theorem::{Theorem, theorem};

use affinor_hlo::module::{Computation, Instruction, InstructionId, Module};
use affinor_hlo::opcode::Opcode;
use affinor_hlo::opcode_table::opcode_table;
use named::Given;
use op::Op;

/// Returns the reads of `instruction`, which is in `computation` of `module`.
///
/// # Errors
/// [`NoDefinition::Invalid`] if the instruction contradicts its shapes or attributes, with the position in the text;
/// [`NoDefinition::Unknown`] if no relation describes its op.
pub fn of(
    module: &Module,
    computation: &Computation,
    instruction: &Instruction,
) -> Result<Definition, NoDefinition> {
    placed(&Op { module, computation, instruction, given: None })
}

/// Returns the reads of an instruction, for all values of the names in the sizes of its computation's arrays.
///
/// # Errors
/// As [`of`]; `Unknown` as well if the definition computes with a size that is named.
pub fn of_named(
    module: &Module,
    (computation, id): (&Computation, InstructionId),
    sizes: &NamedSizes,
) -> Result<Definition, NoDefinition> {
    let given = Some(Given { sizes, instruction: id });
    let op = Op { module, computation, instruction: &computation[id], given };
    op.with_equal_sizes(&placed(&op)?)
}

/// Returns the definition of an op; an error has a position.
fn placed(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let instruction = op.instruction;
    definition(op).map_err(|error| match error {
        NoDefinition::Invalid(mut error) => {
            error.span.get_or_insert_with(|| instruction.name_span());
            NoDefinition::Invalid(error)
        }
        unknown => unknown,
    })
}

macro_rules! definitions {
    (($op:ident, $callee:ident) $($variant:ident = $name:literal, $count:expr, $map:expr, $definition:expr
        $(, shape $shape:expr)? $(, values $values:ident)? $(, typed $typed:expr)?;)*) => {
        fn definition($op: &Op<'_>) -> Result<Definition, NoDefinition> {
            match $op.instruction.opcode() {
                $(Opcode::$variant => $definition,)*
                Opcode::Other(_) => unstated($op),
            }
        }
    };
}

opcode_table!(definitions);

/// Returns the definition of an op that reads no elements, or has no result elements.
fn nothing() -> Result<Definition, NoDefinition> {
    Ok(Definition::default())
}

/// Returns the error for an op whose computations are composed (`compose`, `iterate`).
fn composed(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    Err(op.unknown("it is composed of other ops"))
}

fn unstated(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    Err(op.unknown("no definition is stated"))
}
