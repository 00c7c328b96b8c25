//! The answer of an operation: a layout with the basis of its check, or why there is none.

use crate::cute::claim::Claim;
use crate::cute::layout::Layout;
use affinor::num::Stopped;
use affinor::text::Error;

/// The basis of the check of an answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Basis {
    /// All elements were tried.
    Counted,
    /// It was proved for all elements at once.
    Proved,
}

/// An answer that has been checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Made {
    /// The layout.
    pub layout: Layout,
    /// The basis of the check.
    pub basis: Basis,
    /// Remarks: where CuTe's own test refuses, or its rule goes on beyond a layout.
    pub notes: Vec<String>,
    /// Equations that show it, as far as there are: the layout is right if each claim holds. Of swizzled layouts they are
    /// about the offsets before the swizzle, where the answer has it too.
    pub claims: Vec<Claim>,
}

impl Made {
    pub(super) fn new(layout: Layout, basis: Basis) -> Made {
        Made { layout, basis, notes: Vec::new(), claims: Vec::new() }
    }

    /// An answer that this claim shows.
    pub(super) fn shown_by(layout: Layout, basis: Basis, claim: Claim) -> Made {
        Made { claims: vec![claim], ..Made::new(layout, basis) }
    }

    /// Takes over the basis of an answer that this one was made from.
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

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// There is none, for this reason.
    #[error("{0}")]
    None(String),
    /// Neither was established.
    #[error("{0}")]
    Unknown(String),
    /// A size or an offset does not fit in 64 bits.
    #[error("a size or an offset does not fit in 64 bits")]
    Overflow,
    /// Ended by the user.
    #[error("interrupted")]
    Interrupted,
}

impl From<Error> for Refusal {
    /// Of a layout that is built from numbers that fit, only an offset may not.
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
