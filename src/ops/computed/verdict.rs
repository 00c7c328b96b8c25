//! The answer to whether two modules compute the same.

/// Whether two modules compute the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// They do.
    Same,
    /// Another operation, or another constant, stands at a matching place.
    Differs(Difference),
    /// Neither was found, for this reason.
    Open(String),
}

/// Two instructions at matching places that give different values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The name of the instruction in the old module.
    pub old: String,
    /// The name of the instruction in the new module.
    pub new: String,
    /// What differs, as a clause about the instruction: `it was subtract, and is add, of the same operands`.
    pub what: String,
}

impl Verdict {
    pub(super) fn open(reason: impl Into<String>) -> Verdict {
        Verdict::Open(reason.into())
    }

    pub(super) fn is_same(&self) -> bool {
        *self == Verdict::Same
    }
}
