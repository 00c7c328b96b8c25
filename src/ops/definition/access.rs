//! What a definition is made of: relations between arrays, and how sure it is that what they hold is read.
//!
//! Law: what an op reads is in its accesses. What one of them holds is read for all values of the operands, for
//! some, or perhaps for none: only the first two say that less would be wrong.

use super::relation::{Relation, TuplePath};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Is an element that the relation holds read for sure?
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Certainty {
    /// Whatever the values of the operands are.
    Certain,
    /// It depends on them: each element is read for some values.
    Possible {
        /// On what.
        reason: Arc<str>,
    },
    /// The relation holds all that is read, and may hold what never is.
    Bound {
        /// What is not known.
        reason: Arc<str>,
    },
}

impl Certainty {
    /// [`Certainty::Bound`] because of `reason`.
    pub(super) fn bound(reason: impl Into<Arc<str>>) -> Certainty {
        let reason = reason.into();
        Certainty::Bound { reason }
    }

    /// [`Certainty::Possible`] because of `reason`.
    fn possible(reason: &str) -> Certainty {
        let reason = reason.into();
        Certainty::Possible { reason }
    }

    /// That of an access of what is read through another one. Of two that depend on values, these may never agree.
    #[must_use]
    pub fn then(&self, other: &Certainty) -> Certainty {
        match (self, other) {
            (Certainty::Certain, other) | (other, Certainty::Certain) => other.clone(),
            (Certainty::Possible { reason }, _) => Certainty::bound(reason.clone()),
            (bound, _) => bound.clone(),
        }
    }

    /// That where whether the op is run at all, and on which values, is not known.
    #[must_use]
    pub fn inside(&self) -> Certainty {
        match self {
            Certainty::Possible { reason } => Certainty::bound(reason.clone()),
            other => other.clone(),
        }
    }

    /// That of what is at most read as surely as `self` says, because of `reason`.
    #[must_use]
    pub fn at_best_possible(&self, reason: &str) -> Certainty {
        match self {
            Certainty::Certain => Certainty::possible(reason),
            other => other.clone(),
        }
    }
}

/// What an element that is read is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The output is computed from it.
    Data,
    /// It chooses which elements the output is computed from.
    Choice,
}

/// What one array of the output reads of one array of an operand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// The part of the output.
    pub output: TuplePath,
    /// The operand's position.
    pub operand: usize,
    /// The part of the operand.
    pub path: TuplePath,
    /// The elements.
    pub reads: Relation,
    /// An output element that has an element in this relation reads nothing through `reads`.
    pub unless: Option<Relation>,
    /// Are they read for sure?
    pub certainty: Certainty,
    /// What for.
    pub role: Role,
}

impl Access {
    /// The whole output reads, for sure, what `reads` says of the whole operand number `operand`.
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

    /// Does it hold every element, as a bound? Then nothing is known of what is read.
    #[must_use]
    pub fn is_bounded_by_nothing(&self) -> bool {
        matches!(self.certainty, Certainty::Bound { .. })
            && self.unless.is_none()
            && self.reads.conditions().is_empty()
    }

    /// The same, of a part of the output.
    #[must_use]
    pub fn of_output(mut self, path: &[usize]) -> Access {
        self.output = path.to_vec();
        self
    }

    /// The same, of a part of the operand.
    #[must_use]
    pub fn of_part(mut self, path: &[usize]) -> Access {
        self.path = path.to_vec();
        self
    }

    /// The same, where `other` has no element.
    #[must_use]
    pub fn unless(mut self, other: Relation) -> Access {
        self.unless = Some(other);
        self
    }

    /// The same, to choose what is read.
    #[must_use]
    pub fn as_choice(mut self) -> Access {
        self.role = Role::Choice;
        self
    }

    /// The same, as a bound of what is read.
    #[must_use]
    pub fn at_most(mut self, reason: &str) -> Access {
        self.certainty = Certainty::bound(reason);
        self
    }

    /// The same if `exact`, else as a bound of what is read.
    pub(super) fn at_most_unless(self, exact: bool, reason: &str) -> Access {
        match exact {
            true => self,
            false => self.at_most(reason),
        }
    }

    /// The same, of elements that are each read for some values of the operands.
    #[must_use]
    pub fn possibly(mut self, reason: &str) -> Access {
        self.certainty = Certainty::possible(reason);
        self
    }
}

/// What an op reads: a pair of arrays that no access names is not read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Definition {
    accesses: Vec<Access>,
}

impl Definition {
    /// All accesses; together they are what is read.
    #[must_use]
    pub fn accesses(&self) -> &[Access] {
        &self.accesses
    }

    /// The pairs of a part of the output and a part of an operand that are named.
    #[must_use]
    pub fn pairs(&self) -> BTreeSet<(&[usize], usize, &[usize])> {
        let accesses = self.accesses.iter();
        accesses
            .map(|access| (&access.output[..], access.operand, &access.path[..]))
            .collect()
    }
}

impl FromIterator<Access> for Definition {
    fn from_iter<T: IntoIterator<Item = Access>>(accesses: T) -> Definition {
        Definition {
            accesses: accesses.into_iter().collect(),
        }
    }
}
