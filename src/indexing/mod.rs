//! Indexing analysis: which elements of its operands does each element of an op's output read?
//!
//! One file for each family of ops states the family's law and builds its maps from sizes and
//! attributes; composing them through fusions and calls is the same for all.
//! Source of the maps: XLA, *Indexing analysis* and *Operation semantics*, corrected where they are wrong.

mod analysis;
mod bitcast;
mod broadcast;
mod builder;
mod concatenate;
mod dot;
mod forward;
mod op;
mod operation;
mod pad;
mod pointwise;
mod reads;
mod reduce;
mod reducer;
mod reshape;
mod sequence;
mod slice;
#[cfg(test)]
mod testing;
mod transpose;
mod values;
mod walk;

pub use analysis::{Analysis, Limits};
pub use reads::{
    Exactness, InstructionPlace, OperandMap, OperandReads, Reads, RuntimeVariable, TuplePath,
    ValueSource,
};
pub use sequence::Simplify;
