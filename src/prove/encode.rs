//! Encodes linear forms for a solver: definitions of unknowns become facts.

use super::forms::{Definition, Forms};
use super::linear::{Linear, Unknown};
use super::problem::{Formula, Problem};
use crate::num::{Interval, PLUS_INFINITY};

/// Maximum number of values of a quotient that are split into cases.
const FEW: u64 = 4;

impl Forms {
    /// Encodes all unknowns with their definitions and intervals, and the domain's constraints.
    ///
    /// `None` if a coefficient overflows.
    pub(super) fn problem(&self) -> Option<Problem> {
        let mut facts = Vec::new();
        for unknown in self.unknowns() {
            let bounds = self.bounds(unknown);
            if bounds != Interval::ALL {
                facts.push(Formula::In(Linear::atom(unknown), bounds));
            }
            facts.extend(self.meaning(unknown)?);
            facts.extend(self.cases(unknown));
        }
        for (form, interval) in self.facts() {
            facts.push(Formula::In(form.clone(), *interval));
        }
        Some(Problem { unknowns: self.unknowns().count(), depth: self.depth(), facts })
    }

    /// Returns the maximum nesting depth of definitions.
    fn depth(&self) -> usize {
        let mut depths: Vec<usize> = Vec::new();
        for unknown in self.unknowns() {
            let below = self.definition(unknown).forms().iter();
            let below = below.flat_map(|form| form.terms()).map(|(x, _)| depths[x.index()]);
            depths.push(1 + below.max().unwrap_or(0));
        }
        depths.into_iter().max().unwrap_or(0)
    }

    /// Returns the definition of `unknown`, without division and minimum.
    pub(super) fn meaning(&self, unknown: Unknown) -> Option<Vec<Formula>> {
        let form = Linear::atom(unknown);
        match self.definition(unknown) {
            Definition::Variable(_) => Some(Vec::new()),
            Definition::Quotient { numerator, divisor } => {
                let remainder = numerator.plus(-divisor, &form)?;
                Some(vec![Formula::In(remainder, Interval::new(0, divisor - 1))])
            }
            Definition::Least(operands) => {
                let excesses: Option<Vec<Linear>> =
                    operands.iter().map(|x| x.plus(-1, &form)).collect();
                let excesses = excesses?;
                let is = |interval| {
                    let of = move |form: &Linear| Formula::In(form.clone(), interval);
                    excesses.iter().map(of).collect::<Vec<_>>()
                };
                let mut parts = is(Interval::new(0, PLUS_INFINITY));
                parts.push(Formula::Any(is(Interval::point(0))));
                Some(parts)
            }
        }
    }

    /// Returns a case split for a quotient with few values. It is implied by the bounds, and guides the solver's branching.
    fn cases(&self, unknown: Unknown) -> Option<Formula> {
        let bounds = self.bounds(unknown);
        let is_quotient = matches!(self.definition(unknown), Definition::Quotient { .. });
        let few = bounds.count().is_some_and(|count| (2..=FEW).contains(&count));
        let is = |value| Formula::In(Linear::atom(unknown), Interval::point(value));
        (is_quotient && few).then(|| Formula::Any((bounds.lo()..=bounds.hi()).map(is).collect()))
    }

    /// Returns the map's variables in a solver's model; `None` if one does not fit in 64 bits.
    pub(super) fn variables_in(&self, model: &[Option<i64>]) -> Option<Vec<i64>> {
        let value = |form: &Linear| match form.terms().first() {
            None => Some(form.constant),
            Some((unknown, _)) => model.get(unknown.index()).copied()?,
        };
        self.variables().iter().map(value).collect()
    }
}
