//! Matches both sides of a rule at once: is a given step an instance of it?
//!
//! The caller knows both sides of the step, so the rule is not searched for in a term; it is only checked whether it permits the
//! step. Each side is a list of terms with bounds: for a rewrite, one unbounded term; for an equivalence, a term per comparison.
//! The side that leaves the least to guess is matched first and its bindings determine the others: in `min(m*x + z, m*y + z) =>
//! m*min(x, y) + z` the right side.
//!
//! The sides are matched as given; nothing is normalized to make them match.

use super::choice::BoundSlots;
use super::clause::{Clause, Left, NO_ENDS, Stated, bounded};
use super::matcher::Scheme;
use super::pattern::pattern;
use super::search::{Flow, Found, Goal, Goals, Next, ON, Search, all_of, bits};
use super::{Number, Terms, definitions};
use crate::rule::{Condition, Rule, Statement};
use serde::{Deserialize, Serialize};

/// A rule, compiled to match both of its sides.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sides {
    /// Clauses of both sides, in matching order.
    clauses: Vec<Clause>,
    scheme: Scheme,
}

impl Sides {
    /// Compiles a rewrite or an equivalence; `None` if matching does not bind all of its variables, or a side is not an index
    /// map.
    #[must_use]
    pub fn new(rule: &Rule) -> Option<Sides> {
        let clauses = match &rule.statement {
            Statement::Rewrite(left, right) => {
                let defined = definitions(rule);
                let clause = |side, term| {
                    let pattern = pattern(term, &defined)?;
                    Some(Clause { side, pattern, ends: [None, None] })
                };
                vec![clause(0, left)?, clause(1, right)?]
            }
            Statement::Equivalence(left, right) => {
                let mut clauses = Vec::new();
                for (side, comparisons) in [left, right].into_iter().enumerate() {
                    clauses.extend(bounded(side, comparisons)?);
                }
                clauses
            }
            Statement::Fact(_) => return None,
        };
        Sides::matching(rule, clauses).ok()
    }

    /// Compiles only the left side of an equivalence.
    pub(super) fn left(rule: &Rule, comparisons: &[Condition]) -> Result<Sides, String> {
        let clauses = bounded(0, comparisons)
            .ok_or("its left-hand side is not a conjunction of bounds on index expressions")?;
        Sides::matching(rule, clauses)
    }

    fn matching(rule: &Rule, mut open: Vec<Clause>) -> Result<Sides, String> {
        let mut bound = BoundSlots::of(rule);
        let mut clauses = Vec::with_capacity(open.len());
        while let Some(next) =
            (0..open.len()).min_by_key(|index| bound.guesses(&open[*index].pattern))
        {
            let clause = open.remove(next);
            bound.read(&clause.pattern);
            clauses.push(clause);
        }
        for clause in &clauses {
            bound.read(&clause.pattern);
            clause.ends.iter().flatten().for_each(|end| bound.integer(end, 1));
        }
        let scheme = Scheme::of(rule, bound)?;
        Ok(Sides { clauses, scheme })
    }

    /// Returns the operations on the left and on the right, one bit each.
    #[must_use]
    pub fn operators(&self) -> [u8; 2] {
        [0, 1].map(|side| {
            let clauses = self.clauses.iter().filter(|clause| clause.side == side);
            clauses.fold(0, |all, clause| all | clause.pattern.operators())
        })
    }

    /// Returns the clauses, in matching order.
    pub(super) fn clauses(&self) -> &[Clause] {
        &self.clauses
    }

    /// Calls `found` with each binding under which the sides are the given ones, until it breaks.
    pub fn search<T: Terms>(
        &self,
        terms: &mut T,
        stated: [&[Stated<T::Atom>]; 2],
        found: Found<'_, T>,
    ) {
        if stated[0].len() + stated[1].len() == self.clauses.len() {
            let mut search = Search::new(&self.scheme, terms, found);
            let left = stated.map(|list| (list, all_of(list.len())));
            let _ = search.clauses(&self.clauses, left, None);
        }
    }
}

impl<'m, T: Terms> Search<'_, 'm, T> {
    /// Matches clauses with the remaining statements.
    pub(super) fn clauses(
        &mut self,
        clauses: &'m [Clause],
        left: Left<'m, T::Atom>,
        next: Next<'_, 'm, T::Atom>,
    ) -> Flow {
        let Some((clause, others)) = clauses.split_first() else {
            return self.solve(next);
        };
        let (list, open) = left[clause.side];
        for index in bits(open) {
            let Stated { sum, ends } = &list[index];
            let mut same = clause.ends.iter().zip(ends.iter().zip(NO_ENDS));
            if !same.all(|(end, (value, none))| end.is_some() == (*value != none)) {
                continue;
            }
            let mut left = left;
            left[clause.side].1 &= !(1 << index);
            let rest = Goals { goal: Goal::Clauses(others, left), next };
            // The term comes first: it may bind constants of a bound.
            let goal = Goal::Ends(clause, *ends);
            let goals = Goals { goal, next: Some(&rest) };
            self.forms(&clause.pattern, std::slice::from_ref(sum), Some(&goals))?;
        }
        ON
    }

    /// Matches the bounds of a clause.
    pub(super) fn ends(
        &mut self,
        clause: &'m Clause,
        ends: [i64; 2],
        next: Next<'_, 'm, T::Atom>,
    ) -> Flow {
        let mark = self.mark();
        let mut ends = clause.ends.iter().zip(ends);
        let flow = match ends.all(|(end, value)| {
            end.as_ref().is_none_or(|end| self.resolve(end, Number::Integer(value)))
        }) {
            true => self.solve(next),
            false => ON,
        };
        self.back(mark);
        flow
    }
}
