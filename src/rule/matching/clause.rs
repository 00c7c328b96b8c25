//! Terms with bounds: as stated by the caller, and as they occur in a side of a rule.

use super::pattern::{Integer, Pattern, pattern};
use crate::num::{MINUS_INFINITY, PLUS_INFINITY, Sum};
use crate::rule::{Condition, Relation, Term};
use serde::{Deserialize, Serialize};

/// A term with bounds on its value.
#[derive(Clone, Debug)]
pub struct Stated<A: Copy> {
    /// The term.
    pub sum: Sum<A>,
    /// Lower and upper bound; [`MINUS_INFINITY`] and [`PLUS_INFINITY`] if unbounded.
    pub ends: [i64; 2],
}

/// The bounds of an unbounded term.
pub(super) const NO_ENDS: [i64; 2] = [MINUS_INFINITY, PLUS_INFINITY];

impl<A: Copy> Stated<A> {
    /// Creates a term without bounds.
    pub fn term(sum: Sum<A>) -> Stated<A> {
        Stated { sum, ends: NO_ENDS }
    }
}

/// A term of one side with its bounds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Clause {
    /// 0 on the left, 1 on the right.
    pub(super) side: usize,
    pub(super) pattern: Pattern,
    /// Lower and upper bound.
    pub(super) ends: [Option<Integer>; 2],
}

impl Clause {
    /// Returns whether a sum with these outermost operations (one bit each) can match the clause.
    pub(super) fn admits(&self, ends: [i64; 2], operators: u8) -> bool {
        let mut ends = self.ends.iter().zip(ends.iter().zip(NO_ENDS));
        self.pattern.outer_operators() & !operators == 0
            && ends.all(|(end, (value, none))| match end {
                None => *value == none,
                Some(Integer { term: Term::Integer(end), .. }) => end == value,
                Some(_) => *value != none,
            })
    }

    /// Returns the literal bound, if any: any other bound can be shifted to it.
    pub(super) fn literal_end(&self) -> Option<i64> {
        self.ends.iter().flatten().find_map(|end| match end.term {
            Term::Integer(end) => Some(end),
            _ => None,
        })
    }
}

/// The statements of both sides, with one bit for each that is not yet matched.
pub(super) type Left<'m, A> = [(&'m [Stated<A>], u64); 2];

/// Collects the terms of a conjunction of bounds, each once. If both sides are index maps, their difference is bounded.
pub(super) fn bounded(side: usize, comparisons: &[Condition]) -> Option<Vec<Clause>> {
    let mut terms: Vec<(Term, [Option<Integer>; 2])> = Vec::new();
    for Condition { lhs, relation, rhs } in comparisons {
        // An integer on the right is an upper bound.
        let (term, end, above) = match (lhs.has_expression(), rhs.has_expression()) {
            (_, false) => (lhs.clone(), rhs.clone(), true),
            (false, true) => (rhs.clone(), lhs.clone(), false),
            (true, true) => {
                let minus = Term::Product(Box::new(Term::Integer(-1)), Box::new(lhs.clone()));
                (Term::Sum(vec![rhs.clone(), minus]), Term::Integer(0), false)
            }
        };
        let step = if above { -1 } else { 1 };
        let ends = match relation {
            Relation::Equal => [Some(end.clone()), Some(end)],
            Relation::LessEqual if above => [None, Some(end)],
            Relation::LessEqual => [Some(end), None],
            Relation::Less => {
                let end = match end {
                    Term::Integer(end) => Term::Integer(end.checked_add(step)?),
                    end => Term::Sum(vec![end, Term::Integer(step)]),
                };
                if above { [None, Some(end)] } else { [Some(end), None] }
            }
        };
        let ends = ends.map(|end| end.map(Integer::new));
        match terms.iter_mut().find(|(known, _)| *known == term) {
            None => terms.push((term, ends)),
            Some((_, known)) => {
                for (known, end) in known.iter_mut().zip(ends) {
                    match (&known, end) {
                        (Some(_), Some(_)) => return None, // it is unknown which of the two is the tighter bound
                        (None, end) => *known = end,
                        _ => {}
                    }
                }
            }
        }
    }
    let clause = |(term, ends): (Term, _)| {
        let pattern = pattern(&term, &[])?;
        Some(Clause { side, pattern, ends })
    };
    terms.into_iter().map(clause).collect()
}
