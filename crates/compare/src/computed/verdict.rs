//! The verdict on whether two modules compute the same.

use affinor_hlo::module::Instruction;

/// The verdict on whether two modules compute the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// They compute the same.
    Same,
    /// They compute the same up to rounding, if all floats are finite.
    Rounded,
    /// A different operation or constant is at a matching place.
    Differs(Difference),
    /// Neither was established, for this reason.
    Open(String),
}

/// Two instructions at matching places that are different functions, or different constants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The name of the instruction in the old module.
    pub old: String,
    /// The name of the instruction in the new module.
    pub new: String,
    /// The difference, as a clause about the instruction: `it was subtract, and is add, of the same operands`.
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

/// Reports a difference between `old` and `new`.
pub(super) fn differs([old, new]: [&Instruction; 2], what: String) -> Verdict {
    Verdict::Differs(Difference { old: old.name().to_owned(), new: new.name().to_owned(), what })
}

/// Reports two instructions about which nothing more is known.
pub(super) fn other_operation([old, new]: [&Instruction; 2]) -> Verdict {
    Verdict::open(format!(
        "`{}` ({}) and `{}` ({}) are not shown to be the same operation",
        old.name(),
        old.opcode(),
        new.name(),
        new.opcode()
    ))
}

/// Combines the verdicts on several parts: the same if all are the same; a difference if it is the only one, since another could
/// compensate for it; otherwise the first reason.
pub(super) fn only_difference(verdicts: Vec<Verdict>) -> Verdict {
    let mut others = verdicts.into_iter().filter(|verdict| !verdict.is_same());
    match (others.next(), others.next()) {
        (None, _) => Verdict::Same,
        (Some(only), None) => only,
        (Some(Verdict::Differs(_)), Some(_)) => {
            Verdict::open("several operands of an operation differ")
        }
        (Some(open), Some(_)) => open,
    }
}
