//! The answer of an operation: a layout with the basis of its check, or the reason why no layout exists.

use crate::cute::claim::Claim;
use crate::cute::layout::Layout;
use affinor::num::Stopped;
use affinor::text::Error;

/// The basis of the check of an answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Basis {
    /// All elements were tried one by one.
    Counted,
    /// The answer was proved for all elements at once.
    Proved,
}

/// An answer that has been checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Made {
    /// The layout.
    pub layout: Layout,
    /// The basis of the check.
    pub basis: Basis,
    /// Remarks, for example if CuTe's own check refuses the operation, or its rule extends beyond a layout.
    pub notes: Vec<String>,
    /// Equations that establish the answer, as far as they exist: the layout is correct if each claim holds. For swizzled layouts
    /// they are about the offsets before the swizzle if the answer has the same swizzle.
    pub claims: Vec<Claim>,
}

impl Made {
    pub(super) fn new(layout: Layout, basis: Basis) -> Made {
        Made { layout, basis, notes: Vec::new(), claims: Vec::new() }
    }

    /// Creates an answer established by this claim.
    pub(super) fn shown_by(layout: Layout, basis: Basis, claim: Claim) -> Made {
        Made { claims: vec![claim], ..Made::new(layout, basis) }
    }

    /// Adopts the basis, claims and notes of an answer that this one was derived from.
    pub(super) fn resting_on(mut self, other: &Made) -> Made {
        self.basis = self.basis.min(other.basis);
        self.claims.extend(other.claims.iter().cloned());
        for note in &other.notes {
            if !self.notes.contains(note) {
                self.notes.push(note.clone());
            }
        }
        self
    }
}

/// The reason why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// No layout is the answer, for this reason.
    #[error("{0}")]
    None(String),
    /// It is unknown whether a layout is the answer.
    #[error("{0}")]
    Unknown(String),
    /// A size or an offset does not fit in 64 bits.
    #[error("a size or an offset does not fit in 64 bits")]
    Overflow,
    /// The user interrupted the operation.
    #[error("interrupted")]
    Interrupted,
}

impl From<Error> for Refusal {
    /// The numbers of an existing layout fit, so only an offset can overflow.
    fn from(_: Error) -> Refusal {
        Refusal::Overflow
    }
}

impl From<Stopped> for Refusal {
    fn from(stopped: Stopped) -> Refusal {
        match stopped {
            Stopped::Interrupted => Refusal::Interrupted,
            other => Refusal::Unknown(other.to_string()),
        }
    }
}
