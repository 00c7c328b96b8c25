//! The maps of ops whose arrays have sizes with names, for all values of these names at once.
//!
//! Law: with each parameter bound to a value, the maps are those of `indexing` for the same op with these numbers, at every
//! point; for sizes that no such op has, the domain is empty. `crates/commands/tests/commands/named_op.rs` compares both. What
//! an op requires of its sizes (equal products, a slice that ends in the array) is a constraint on parameters, unless it is
//! known to hold; a requirement that is known not to hold is an error.
//!
//! It covers the ops that move and fold elements at positions determined by sizes and attributes. Their maps are stated a
//! second time here: `indexing` chooses among forms of a map by arithmetic on numbers (which sizes divide which), so that
//! common cases need no simplification. Here each map has one form, and the simplifier finds the others.

mod facts;
mod folding;
mod movement;
mod op;
mod over;
mod points;

pub use facts::Facts;
pub use op::{NamedOp, NamedReads, NamedSlice};

use affinor::expr::Expr;
use affinor::text::{Error, ErrorKind};
use affinor_hlo::opcode::Opcode;
use affinor_hlo::opcode_table::opcode_table;
use op::wrong;

/// Derives the maps of an op. The op's requirements on the parameters are added to `facts`.
///
/// # Errors
/// Without a span, if the sizes contradict each other, or no map with names is known for such an op. Errors of attributes have
/// spans in the instruction's text.
pub fn reads(op: &NamedOp<'_>, facts: &mut Facts<'_>) -> Result<NamedReads, Error> {
    for size in op.operands.iter().flatten().chain(op.result.into_iter().flatten()) {
        facts.require_at_most(&Expr::constant(0), size, "a size")?;
    }
    match op.opcode {
        Opcode::Reshape | Opcode::Bitcast => movement::reshape(op, facts),
        Opcode::Transpose => movement::transpose(op, facts),
        Opcode::Reverse => movement::reverse(op, facts),
        Opcode::Broadcast => movement::broadcast(op, facts),
        Opcode::Slice => movement::slice(op, facts),
        Opcode::Concatenate => movement::concatenate(op, facts),
        Opcode::Pad => movement::pad(op, facts),
        Opcode::Iota => movement::iota(op),
        Opcode::Copy => movement::pointwise(op, facts),
        Opcode::Reduce => folding::reduce(op, facts),
        Opcode::Dot => folding::dot(op, facts),
        Opcode::CustomCall if op.instruction.backend_config("points").is_some() => {
            points::points(op, facts)
        }
        other if is_pointwise(other) => movement::pointwise(op, facts),
        other => Err(no_map(other)),
    }
}

macro_rules! pointwise {
    (($op:ident, $callee:ident) $($variant:ident = $name:literal, $count:expr, $map:expr, $definition:expr
        $(, shape $shape:expr)? $(, values $values:ident)? $(, typed $typed:expr)?;)*) => {
        /// Returns whether each element of the op's result is computed from the operand elements at its index, according to the
        /// table of opcodes.
        #[must_use]
        pub fn is_pointwise(opcode: &Opcode) -> bool {
            let column = match opcode {
                $(Opcode::$variant => stringify!($map),)*
                Opcode::Other(_) => "",
            };
            matches!(column.split("::").next().map(str::trim), Some("pointwise")) && *opcode != Opcode::Map
        }
    };
}

opcode_table!(pointwise);

fn no_map(opcode: &Opcode) -> Error {
    let reason = match opcode {
        Opcode::DynamicSlice | Opcode::DynamicUpdateSlice | Opcode::Gather | Opcode::Scatter => {
            "offsets known only at run time are forced into intervals, whose ends are numbers"
        }
        Opcode::Convolution | Opcode::ReduceWindow | Opcode::SelectAndScatter => {
            "the extent of a window is derived from numbers"
        }
        Opcode::BitcastConvert => "the ratio of element widths is derived from numbers",
        _ => "its map is derived for numbers only",
    };
    wrong(
        ErrorKind::Unsupported,
        format!("no map of `{opcode}` with names as sizes is known: {reason}"),
    )
    .hint("give its sizes as numbers")
}
