//! What an op reads, defined as *Operation semantics* says it: a relation between the index `d` of an
//! element of the result and the index `i` of an element of an operand.
//!
//! A definition is data ([`Definition`]): sums of indices that are equal, in the direction that needs no
//! division. `slice` says `i = start + stride * d`, `pad` says `d = low + (interior + 1) * i`, `reshape` says
//! that both have the same position. Index maps are judged by these definitions, so they are part of what
//! has to be trusted: they share no code with the maps, and each is a few lines beside the sentence of
//! the semantics that it says.
//!
//! Modules in dependency order: `relation` and `access` (what a definition is), `solve` (without the loop indices that equations
//! give), `used` and `combiner` (computations that combine elements), `op` (what it looks at), one file for each family of ops, `evaluate` (what one element reads), `as_map` (for provers), `interpret` and `values` (what an element of a
//! whole small module depends on), `compose` (fusions, calls, conditionals), `iterate` (loops).
//!
//! ```
//! use affinor::{hlo, ops::definition};
//!
//! let module = hlo::read(b"p = f32[9] parameter(0) \n s = f32[4] slice(p), slice={[1:9:2]}")?;
//! let entry = &module[module.entry()];
//! let slice = definition::of(&module, entry, &entry[entry.root()]).unwrap();
//! assert_eq!(slice.accesses()[0].reads.conditions().len(), 1); // i - 2 * d - 1 = 0
//! # Ok::<(), affinor::text::Error>(())
//! ```

mod access;
mod as_map;
mod collective;
mod combiner;
mod compose;
mod contraction;
mod elementwise;
mod evaluate;
mod fiber;
mod interpret;
mod iterate;
mod movement;
mod offsets;
mod op;
mod opaque;
mod passing;
mod position;
mod relation;
mod solve;
mod triangle;
mod used;
mod values;
mod window;

pub use access::{Access, Certainty, Definition, Role};
pub use compose::Definitions;
pub use evaluate::{Lookup, elements};
pub use interpret::{Dependence, Interpreter, Known, ParameterElement};
pub use op::NoDefinition;
pub use relation::{Condition, Index, Relation, Source, Sum, TuplePath, Value};

use crate::hlo::module::{Computation, Instruction, Module};
use crate::hlo::opcode::Opcode;
use crate::hlo::opcode_table::opcode_table;
use op::Op;

/// What `instruction`, which stands in `computation` of `module`, reads of its operands.
///
/// # Errors
/// [`NoDefinition::Invalid`] if it contradicts its shapes or attributes, with the place in the text;
/// [`NoDefinition::Unknown`] if no relation says what its op reads.
pub fn of(
    module: &Module,
    computation: &Computation,
    instruction: &Instruction,
) -> Result<Definition, NoDefinition> {
    let op = Op {
        module,
        computation,
        instruction,
    };
    definition(&op).map_err(|error| match error {
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

/// Of an op that is given no elements, or gives none.
fn nothing() -> Result<Definition, NoDefinition> {
    Ok(Definition::default())
}

/// Of an op whose computations are composed (`compose`, `iterate`).
fn composed(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    Err(op.unknown("it is composed of other ops"))
}

fn unstated(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    Err(op.unknown("no definition is stated"))
}
