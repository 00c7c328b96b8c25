//! Both sides of a rule at once: is what is stated an instance of it?
//!
//! Where somebody knows already what shall become what, a rule is not looked for in a term but asked whether
//! it says so. Each side is a list of terms with bounds: of a rewrite one term, without bounds; of an
//! equivalence a term for each comparison. The one that leaves least to guess is matched first, and what it
//! tells decides the others: in `min(m*x + z, m*y + z) => m*min(x, y) + z` the right side.
//!
//! What is stated is taken as it stands; nothing is brought to another form to make it match.

use super::choice::Told;
use super::clause::{Clause, Left, NO_ENDS, Stated, bounded};
use super::matcher::Scheme;
use super::pattern::pattern;
use super::search::{Flow, Found, Goal, Goals, Next, ON, Search, all_of, bits};
use super::{Terms, definitions};
use crate::rule::{Condition, Rule, Statement};

/// A rule, compiled so that both of its sides are matched.
#[derive(Clone, Debug)]
pub struct Sides {
    /// Of both sides, in the order in which they are matched.
    clauses: Vec<Clause>,
    scheme: Scheme,
}

impl Sides {
    /// Compiles a rewrite or an equivalence; `None` if matching does not tell all of its variables, or a side is no
    /// index map.
    #[must_use]
    pub fn new(rule: &Rule) -> Option<Sides> {
        let clauses = match &rule.statement {
            Statement::Rewrite(left, right) => {
                let defined = definitions(rule);
                let clause = |side, term| {
                    let pattern = pattern(term, &defined)?;
                    Some(Clause {
                        side,
                        pattern,
                        ends: [None, None],
                    })
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

    /// Compiles the left side of an equivalence alone.
    pub(super) fn left(rule: &Rule, comparisons: &[Condition]) -> Result<Sides, String> {
        let clauses = bounded(0, comparisons)
            .ok_or("its left-hand side is not a conjunction of bounds on index expressions")?;
        Sides::matching(rule, clauses)
    }

    fn matching(rule: &Rule, mut open: Vec<Clause>) -> Result<Sides, String> {
        let mut told = Told::of(rule);
        let mut clauses = Vec::with_capacity(open.len());
        while let Some(next) =
            (0..open.len()).min_by_key(|index| told.guesses(&open[*index].pattern))
        {
            let clause = open.remove(next);
            told.read(&clause.pattern);
            clauses.push(clause);
        }
        for clause in &clauses {
            told.read(&clause.pattern);
            clause
                .ends
                .iter()
                .flatten()
                .for_each(|end| told.integer(end, 1));
        }
        let scheme = Scheme::of(rule, told)?;
        Ok(Sides { clauses, scheme })
    }

    /// The operations on the left and on the right, one bit for each.
    #[must_use]
    pub fn operators(&self) -> [u8; 2] {
        [0, 1].map(|side| {
            let clauses = self.clauses.iter().filter(|clause| clause.side == side);
            clauses.fold(0, |all, clause| all | clause.pattern.operators())
        })
    }

    /// The clauses, in the order in which they are matched.
    pub(super) fn clauses(&self) -> &[Clause] {
        &self.clauses
    }

    /// Calls `found` with values for all variables with which the sides are what is stated, until it breaks.
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
    /// The clauses are those of what is stated whose bit is set.
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
            let rest = Goals {
                goal: Goal::Clauses(others, left),
                next,
            };
            // The term first: what an end needs may stand in it.
            let goal = Goal::Ends(clause, *ends);
            let goals = Goals {
                goal,
                next: Some(&rest),
            };
            self.forms(&clause.pattern, std::slice::from_ref(sum), Some(&goals))?;
        }
        ON
    }

    /// The ends of a clause are these.
    pub(super) fn ends(
        &mut self,
        clause: &'m Clause,
        ends: [i64; 2],
        next: Next<'_, 'm, T::Atom>,
    ) -> Flow {
        let mark = self.mark();
        let mut ends = clause.ends.iter().zip(ends);
        let flow = match ends
            .all(|(end, value)| end.as_ref().is_none_or(|end| self.resolve(end, value)))
        {
            true => self.solve(next),
            false => ON,
        };
        self.back(mark);
        flow
    }
}
