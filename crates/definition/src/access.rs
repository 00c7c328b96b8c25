//! The parts of a definition: relations between arrays, with their certainty.
//!
//! Law: the accesses contain all reads of an op. The elements of an access are read for all values of the operands, for some,
//! or perhaps for none: only in the first two cases would a smaller access be wrong.

use super::relation::{Relation, TuplePath};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Whether the elements of a relation are certainly read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Certainty {
    /// The elements are read for all values of the operands.
    Certain,
    /// Each element is read for some values of the operands.
    Possible {
        /// The condition that reads depend on.
        reason: Arc<str>,
    },
    /// An upper bound of the reads.
    Bound {
        /// The unknown property.
        reason: Arc<str>,
    },
}

impl Certainty {
    /// Creates [`Certainty::Bound`] with this reason.
    pub(super) fn bound(reason: impl Into<Arc<str>>) -> Certainty {
        let reason = reason.into();
        Certainty::Bound { reason }
    }

    /// Creates [`Certainty::Possible`] with this reason.
    fn possible(reason: &str) -> Certainty {
        let reason = reason.into();
        Certainty::Possible { reason }
    }

    /// Returns the certainty of two accesses in sequence. If both depend on values, these may never agree, so the result is a
    /// bound.
    #[must_use]
    pub fn then(&self, other: &Certainty) -> Certainty {
        match (self, other) {
            (Certainty::Certain, other) | (other, Certainty::Certain) => other.clone(),
            (Certainty::Possible { reason }, _) => Certainty::bound(reason.clone()),
            (bound, _) => bound.clone(),
        }
    }

    /// Returns the certainty if it is unknown whether the op runs, and on which values.
    #[must_use]
    pub fn inside(&self) -> Certainty {
        match self {
            Certainty::Possible { reason } => Certainty::bound(reason.clone()),
            other => other.clone(),
        }
    }

    /// Weakens the certainty to at most `Possible`, because of `reason`.
    #[must_use]
    pub fn at_best_possible(&self, reason: &str) -> Certainty {
        match self {
            Certainty::Certain => Certainty::possible(reason),
            other => other.clone(),
        }
    }
}

/// The purpose of a read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The output is computed from the element.
    Data,
    /// The element selects the elements that the output is computed from.
    Choice,
}

/// The reads of one array of the output from one array of an operand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// The part of the output that reads.
    pub output: TuplePath,
    /// The operand's index.
    pub operand: usize,
    /// The part of the operand that is read.
    pub path: TuplePath,
    /// The elements read.
    pub reads: Relation,
    /// Exceptions: an output element that has an element in this relation reads nothing through `reads`.
    pub unless: Option<Relation>,
    /// Whether the elements are certainly read.
    pub certainty: Certainty,
    /// The purpose of the read.
    pub role: Role,
}

impl Access {
    /// Creates a certain access of the whole output to operand `operand`.
    #[must_use]
    pub fn new(operand: usize, reads: Relation) -> Access {
        Access {
            output: Vec::new(),
            operand,
            path: Vec::new(),
            reads,
            unless: None,
            certainty: Certainty::Certain,
            role: Role::Data,
        }
    }

    /// Returns whether the access is an upper bound with all elements, which claims nothing.
    #[must_use]
    pub fn is_bounded_by_nothing(&self) -> bool {
        matches!(self.certainty, Certainty::Bound { .. })
            && self.unless.is_none()
            && self.reads.conditions().is_empty()
    }

    /// Sets the part of the output.
    #[must_use]
    pub fn of_output(mut self, path: &[usize]) -> Access {
        self.output = path.to_vec();
        self
    }

    /// Sets the part of the operand.
    #[must_use]
    pub fn of_part(mut self, path: &[usize]) -> Access {
        self.path = path.to_vec();
        self
    }

    /// Excludes output elements that have an element in `other`.
    #[must_use]
    pub fn unless(mut self, other: Relation) -> Access {
        self.unless = Some(other);
        self
    }

    /// Marks the access as a choice.
    #[must_use]
    pub fn as_choice(mut self) -> Access {
        self.role = Role::Choice;
        self
    }

    /// Marks the access as an upper bound.
    #[must_use]
    pub fn at_most(mut self, reason: &str) -> Access {
        self.certainty = Certainty::bound(reason);
        self
    }

    /// Returns the access unchanged if `exact`, otherwise as an upper bound.
    pub(super) fn at_most_unless(self, exact: bool, reason: &str) -> Access {
        match exact {
            true => self,
            false => self.at_most(reason),
        }
    }

    /// Marks the elements as each read for some values of the operands.
    #[must_use]
    pub fn possibly(mut self, reason: &str) -> Access {
        self.certainty = Certainty::possible(reason);
        self
    }
}

/// The reads of an op: a pair of arrays without an access is not read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Definition {
    accesses: Vec<Access>,
    /// Parts of operands whose values do not depend on parameters, and were replaced by sums.
    fixed: BTreeSet<(usize, TuplePath)>,
}

impl Definition {
    /// Returns all accesses; their union contains the reads.
    #[must_use]
    pub fn accesses(&self) -> &[Access] {
        &self.accesses
    }

    /// Sets the parts of operands that were replaced by sums.
    pub(super) fn with_fixed(self, fixed: BTreeSet<(usize, TuplePath)>) -> Definition {
        Definition { fixed, ..self }
    }

    /// Returns whether the values of a part of an operand do not depend on parameters, and were substituted in the accesses.
    #[must_use]
    pub fn has_fixed(&self, operand: usize, path: &TuplePath) -> bool {
        self.fixed.contains(&(operand, path.clone()))
    }
}

impl FromIterator<Access> for Definition {
    fn from_iter<T: IntoIterator<Item = Access>>(accesses: T) -> Definition {
        Definition { accesses: accesses.into_iter().collect(), fixed: BTreeSet::new() }
    }
}
