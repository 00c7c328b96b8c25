//! Intervals of sums by evaluation, if their variables have few values together.
//!
//! Law: every value that the sum takes in the box lies in the interval, because each was computed.

use super::known::{Known, Steps};
use super::point::{MAX_DEPTH, Point};
use super::range::Facts;
use super::sum::{AtomId, Sum};
use super::values::{Atom, Values};
use crate::expr::VariableId;
use crate::num::Interval;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Maximum number of values of a variable that are tried for a part of a sum.
const MAX_VALUES: u64 = 64;

impl Facts {
    /// Returns whether a sum is nonnegative at each of at most `most` points, except those excluded by constraints.
    pub(super) fn is_natural_at_points(&self, values: &Values<'_>, sum: &Sum, most: u64) -> bool {
        let lowest = self.by_points(values, (sum, &self.constraints), most, |value| value >= 0);
        lowest.is_some()
    }

    /// Returns the interval of a sum over all values of its variables at which no constraint is negative; `None` if there are
    /// more than `most` points, a number overflows, or a value is not `wanted`.
    fn by_points(
        &self,
        values: &Values<'_>,
        (sum, constraints): (&Sum, &[Sum]),
        most: u64,
        wanted: impl Fn(i128) -> bool,
    ) -> Option<Interval> {
        let (mut variables, mut seen) = (BTreeSet::new(), FxHashSet::default());
        for of in constraints.iter().chain([sum]) {
            variables_of(values, of, MAX_DEPTH, &mut variables, &mut seen)?;
        }
        let mut axes = Vec::new();
        let mut count = 1u64;
        for id in variables {
            let bounds = self.variables.get(id.index()).copied()?;
            count = count.checked_mul(bounds.count()?).filter(|count| *count <= most)?;
            axes.push((id, bounds));
        }
        let mut at = Point {
            variables: axes.iter().map(|(id, bounds)| (*id, bounds.lo())).collect(),
            known: FxHashMap::default(),
        };
        let (mut lo, mut hi) = (i128::MAX, i128::MIN);
        for _ in 0..count {
            values.spend(1 + sum.terms().len())?;
            at.known.clear();
            let mut is_inside = true;
            for constraint in constraints {
                is_inside &= at.value(values, constraint)? >= 0;
            }
            if is_inside {
                let value = at.value(values, sum).filter(|value| wanted(*value))?;
                (lo, hi) = (lo.min(value), hi.max(value));
            }
            for (id, bounds) in &axes {
                let value = at.variables.get_mut(id)?;
                if *value < bounds.hi() {
                    *value += 1;
                    break;
                }
                *value = bounds.lo();
            }
        }
        let ends = (lo <= hi).then_some([lo, hi])?;
        let [lo, hi] = ends.map(|end| i64::try_from(end).ok());
        Some(Interval::new(lo?, hi?))
    }

    /// Returns the interval of a sum as the sum of the intervals of its parts. The terms that depend on the same single
    /// variable are one part, evaluated at the values of this variable if they are few.
    pub(super) fn by_values(
        &mut self,
        values: &Values<'_>,
        known: &Known,
        sum: &Sum,
        used: &mut Steps,
    ) -> Option<Interval> {
        let mut parts: Vec<(VariableId, Sum)> = Vec::new();
        let mut total = Interval::point(i64::try_from(sum.constant()).ok()?);
        for (atom, factor) in sum.terms() {
            let (mut variables, mut seen) = (BTreeSet::new(), FxHashSet::default());
            let term = Sum::atom(*atom).scaled(*factor)?;
            variables_of(values, &term, MAX_DEPTH, &mut variables, &mut seen)?;
            match variables.first().filter(|_| variables.len() == 1) {
                None => {
                    let range = self.of_atom(values, known, *atom, used);
                    total = total.add(range.scale(i64::try_from(*factor).ok()?));
                }
                Some(id) => match parts.iter_mut().find(|(known, _)| known == id) {
                    Some((_, part)) => *part = part.plus(1, &term)?,
                    None => parts.push((*id, term)),
                },
            }
        }
        for (_, part) in &parts {
            let is_plain = matches!(part.terms(), [(atom, _)] if matches!(values.atom(*atom), Atom::Variable(_)));
            let range = match is_plain {
                true => self.by_terms(values, known, part, used),
                false => match self.by_points(values, (part, &[]), MAX_VALUES, |_| true) {
                    Some(range) => range,
                    None => self.by_terms(values, known, part, used),
                },
            };
            total = total.add(range);
        }
        Some(total)
    }
}

/// Adds the variables of a sum to `variables`; `None` if it is nested too deeply.
fn variables_of(
    values: &Values<'_>,
    sum: &Sum,
    depth: u32,
    variables: &mut BTreeSet<VariableId>,
    seen: &mut FxHashSet<AtomId>,
) -> Option<()> {
    for (atom, _) in sum.terms() {
        values.spend(1)?;
        if !seen.insert(*atom) {
            continue;
        }
        let deeper = depth.checked_sub(1)?;
        match values.atom(*atom) {
            Atom::Variable(id) => drop(variables.insert(*id)),
            Atom::Quotient(of, by) => {
                variables_of(values, of, deeper, variables, seen)?;
                variables_of(values, by, deeper, variables, seen)?;
            }
            Atom::Product(factors) => {
                for factor in factors {
                    variables_of(values, &Sum::atom(*factor), deeper, variables, seen)?;
                }
            }
            Atom::Extreme(_, list) => {
                for x in list {
                    variables_of(values, x, deeper, variables, seen)?;
                }
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Expr;
    use crate::num::{Fuel, Interrupt};
    use crate::text::parse_map;

    /// Returns whether the first result of a map is found to be nonnegative at all points at which the others are.
    fn is_natural(text: &str, most: u64) -> bool {
        let map = parse_map(text).unwrap_or_else(|error| panic!("{error:?} in {text}"));
        let results: Vec<Expr> = map.results().to_vec();
        let mut values = Values::new(Fuel::new(1 << 24, &Interrupt::new()));
        let mut sums = Vec::new();
        for result in &results {
            sums.push(values.expr(result).expect("small numbers"));
        }
        let mut facts = Facts::default();
        facts.variables = map.domain().intervals().collect();
        facts.constraints = sums.split_off(1);
        facts.is_natural_at_points(&values, &sums[0], most)
    }

    #[test]
    fn comparisons_at_points() {
        for (text, most, expected) in [
            // True and false.
            ("(d0) -> (d0 - d0 floordiv 3 * 3), domain: d0 in [0, 99]", 100, true),
            ("(d0) -> (d0 mod 7 - d0 mod 3), domain: d0 in [0, 99]", 100, false),
            ("(d0) -> (d0 mod 4 - d0 mod 2), domain: d0 in [0, 99]", 100, true),
            (
                "(d0, d1) -> (max(d0, d1) * 2 - d0 - d1), domain: d0 in [-9, 9], d1 in [-9, 9]",
                361,
                true,
            ),
            (
                "(d0, d1) -> (max(d0, d1) * 2 - d0 - d1 - 1), domain: d0 in [-9, 9], d1 in [-9, 9]",
                361,
                false,
            ),
            // The last point of the box, and the first.
            ("(d0, d1) -> (17 - d0 - d1), domain: d0 in [0, 9], d1 in [0, 9]", 100, false),
            ("(d0, d1) -> (d0 + d1 - 1), domain: d0 in [0, 9], d1 in [0, 9]", 100, false),
            ("(d0, d1) -> (18 - d0 - d1), domain: d0 in [0, 9], d1 in [0, 9]", 100, true),
            // One point too many.
            ("(d0, d1) -> (18 - d0 - d1), domain: d0 in [0, 9], d1 in [0, 9]", 99, false),
            ("(d0, d1) -> (d0 + d1), domain: d0 in [0, 20000], d1 in [0, 0]", 20_000, false),
            ("(d0, d1) -> (d0 + d1), domain: d0 in [0, 19999], d1 in [0, 0]", 20_000, true),
            ("(d0) -> (d0), domain: d0 in [0, inf]", 20_000, false),
            // A constraint excludes the only point at which it fails, or another one.
            (
                "(d0, d1) -> (17 - d0 - d1, 26 - d0 - d1 * 2), domain: d0 in [0, 9], d1 in [0, 9]",
                100,
                true,
            ),
            (
                "(d0, d1) -> (17 - d0 - d1, d0 + d1 - 1), domain: d0 in [0, 9], d1 in [0, 9]",
                100,
                false,
            ),
            // No points remain, or a number overflows: nothing is shown.
            ("(d0) -> (d0, d0 - 100), domain: d0 in [0, 9]", 100, false),
        ] {
            assert_eq!(is_natural(text, most), expected, "{text}");
        }
    }
}
