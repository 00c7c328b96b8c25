//! Indexing analysis: which elements of its operands does each element of an op's output read?
//!
//! One file for each family of ops states the family's law and builds its maps from sizes and
//! attributes; composing them through fusions and calls is the same for all.
//! Source of the maps: XLA, *Indexing analysis* and *Operation semantics*, corrected where they are wrong.

mod bitcast;
mod broadcast;
mod builder;
mod concatenate;
mod dot;
mod pad;
mod pointwise;
mod reads;
mod reduce;
mod reshape;
mod sequence;
mod slice;
#[cfg(test)]
mod testing;
mod transpose;

pub use reads::{
    Exactness, InstructionPlace, OperandMap, OperandReads, Reads, RuntimeVariable, TuplePath,
    ValueSource,
};
pub use sequence::Simplify;

/// Why an op's map could not be built.
#[derive(Clone, PartialEq, Eq, Debug)]
enum NoMap {
    /// The instruction contradicts its own shapes; the sentence says how.
    Invalid(String),
    /// The instruction may be right, but no map is known; the words say why.
    Unknown(String),
}

impl NoMap {
    fn invalid(message: impl Into<String>) -> NoMap {
        NoMap::Invalid(message.into())
    }
}
