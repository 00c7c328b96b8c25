//! Tables of the values of sums of one variable.
//!
//! Intervals of terms are added as if terms were independent; a variable and its own quotient are not. If a variable has few
//! values, the values of every quotient, min and max of it are tabulated, and a sum of them has its exact range.

use super::linear::{AtomId, Linear};
use super::store::{Definition, Store};
use super::table::{MAX_VALUES, Table, range_of};
use crate::num::{self, Interval};
use crate::rule::matching::Number;
use smallvec::SmallVec;
use std::cell::OnceCell;

/// Maximum weight of an atom whose values are tabulated, which is done recursively.
const MAX_WEIGHT: u32 = 200;

type Values = SmallVec<[i64; MAX_VALUES as usize]>;

impl Store {
    /// Creates an empty table, if an atom depends on one variable with few values.
    pub(super) fn table_of(
        &self,
        id: AtomId,
        definition: &Definition,
        (range, weight): (Interval, u32),
    ) -> Option<Table> {
        let variable = match definition {
            Definition::Variable(_) => {
                let is_short = range.count().is_some_and(|count| count <= MAX_VALUES);
                is_short.then_some(id)?
            }
            _ if weight > MAX_WEIGHT => return None,
            Definition::Quotient(numerator, Number::Integer(_)) => {
                self.only_variable([numerator])?
            }
            Definition::Quotient(_, Number::Named(_)) | Definition::Product(_) => return None,
            Definition::Least(operands) | Definition::Greatest(operands) => {
                self.only_variable(operands)?
            }
        };
        Some(Table { variable, values: OnceCell::new() })
    }

    fn variable_of(&self, atom: AtomId) -> Option<AtomId> {
        self.atom(atom).table.as_ref().map(|table| table.variable)
    }

    /// Returns the variable of all terms, if they depend on a single variable with few values.
    fn only_variable<'a>(&self, sums: impl IntoIterator<Item = &'a Linear>) -> Option<AtomId> {
        let mut terms = sums.into_iter().flat_map(|sum| sum.terms());
        let variable = self.variable_of(terms.next()?.0)?;
        terms.all(|(atom, _)| self.variable_of(*atom) == Some(variable)).then_some(variable)
    }

    /// Returns the interval of the tabulated values of a min or max, if at least two of its operands are not constant.
    pub(super) fn range_of_choice(&self, atom: AtomId) -> Option<Interval> {
        let (Definition::Least(operands) | Definition::Greatest(operands)) =
            &self.atom(atom).definition
        else {
            return None;
        };
        let open = operands.iter().filter(|x| x.as_constant().is_none());
        (open.count() > 1).then(|| range_of(self.values_of(atom)?))?
    }

    fn values_of(&self, atom: AtomId) -> Option<&[i64]> {
        let table = self.atom(atom).table.as_ref()?;
        let list = || Some(self.list(atom)?.into_boxed_slice());
        table.values.get_or_init(list).as_deref()
    }

    fn list(&self, atom: AtomId) -> Option<Vec<i64>> {
        let range = self.atom(self.variable_of(atom)?).range;
        let (definition, count) = (&self.atom(atom).definition, range.count()? as usize);
        let sum = |sum: &Linear| self.values(sum.constant, sum.terms().iter(), count);
        match definition {
            Definition::Variable(_) => Some((range.lo()..=range.hi()).collect()),
            Definition::Product(_) => None,
            Definition::Quotient(numerator, divisor) => {
                let divisor = divisor.integer()?;
                let values = sum(numerator)?.into_iter();
                Some(values.map(|value| num::floordiv(value, divisor)).collect())
            }
            Definition::Least(operands) | Definition::Greatest(operands) => {
                let is_least = matches!(definition, Definition::Least(_));
                let (first, others) = operands.split_first()?;
                let mut values = sum(first)?;
                for operand in others {
                    for (value, other) in values.iter_mut().zip(sum(operand)?) {
                        *value = if is_least { other.min(*value) } else { other.max(*value) };
                    }
                }
                Some(values.into_vec())
            }
        }
    }

    /// Evaluates `constant + coefficient * atom + ..` at each of `count` values of their variable.
    fn values<'a>(
        &self,
        constant: i64,
        terms: impl Iterator<Item = &'a (AtomId, i64)>,
        count: usize,
    ) -> Option<Values> {
        let mut values = SmallVec::from_elem(constant, count);
        for (atom, coefficient) in terms {
            for (value, x) in values.iter_mut().zip(self.values_of(*atom)?) {
                *value = coefficient.checked_mul(*x)?.checked_add(*value)?;
            }
        }
        Some(values)
    }

    /// Returns the interval sum of the parts of a sum that depend on the same variable; `None` if no two terms do.
    pub(super) fn range_by_values(&self, sum: &Linear) -> Option<Interval> {
        let mut seen = 0u64;
        let is_alone = sum.terms().iter().all(|(atom, _)| {
            let bit = self.variable_of(*atom).map_or(0, |id| 1 << (id.0 % 64));
            let is_new = seen & bit == 0;
            seen |= bit;
            is_new
        });
        if is_alone {
            return None;
        }
        let (mut range, mut any) = (Interval::point(sum.constant), false);
        for (index, (atom, coefficient)) in sum.terms().iter().enumerate() {
            let (earlier, others) = sum.terms().split_at(index);
            let plain = self.atom(*atom).range.scale(*coefficient);
            let Some(variable) = self.variable_of(*atom) else {
                range = range.add(plain);
                continue;
            };
            let is_alike = |(atom, _): &&(AtomId, i64)| self.variable_of(*atom) == Some(variable);
            if earlier.iter().any(|term| is_alike(&term)) {
                continue;
            }
            let alike = others.iter().filter(is_alike);
            if alike.clone().count() == 1 {
                range = range.add(plain);
                continue;
            }
            let count = self.atom(variable).range.count()? as usize;
            range = range.add(range_of(&self.values(0, alike, count)?)?);
            any = true;
        }
        any.then_some(range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::{Fuel, Interrupt};

    /// The range of a sum of one variable is from its least value to its greatest.
    #[test]
    fn ranges_of_sums_of_one_variable_are_exact() {
        let mut state = 0x5EED_u64;
        let mut number = |lo: i64, hi: i64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            lo + ((state >> 33) % (hi - lo + 1) as u64) as i64
        };
        for _ in 0..3_000 {
            let first = number(-20, 20);
            let variable = Interval::new(first, first + number(1, MAX_VALUES as i64 - 1));
            let fuel = Fuel::new(1 << 24, &Interrupt::new());
            let mut store = Store::new(&[variable], &fuel);
            // Each sum, with its value at each value of the variable.
            let points: Vec<i64> = (variable.lo()..=variable.hi()).collect();
            let mut sums = vec![(Linear::atom(AtomId(0)), points)];
            for _ in 0..number(1, 4) {
                let picked = number(0, sums.len() as i64 - 1) as usize;
                let other = number(0, sums.len() as i64 - 1) as usize;
                let (x, y) = (sums[picked].clone(), sums[other].clone());
                let (of, to) = match number(0, 2) {
                    0 => {
                        let c = number(2, 9);
                        let of = store.quotient_atom(&x.0, c.into());
                        (of, x.1.iter().map(|x| num::floordiv(*x, c)).collect())
                    }
                    kind if x.0 != y.0 => {
                        let is_least = kind == 1;
                        let mut operands = vec![x.0, y.0];
                        operands.sort();
                        let of = store.min_max_atom(operands, is_least);
                        let pairs = x.1.iter().zip(&y.1);
                        let join = |(x, y): (&i64, &i64)| match is_least {
                            true => *x.min(y),
                            false => *x.max(y),
                        };
                        (of, pairs.map(join).collect::<Vec<i64>>())
                    }
                    _ => continue,
                };
                let (base, values) = &sums[number(0, sums.len() as i64 - 1) as usize];
                let (k, m) = (number(-4, 4), number(-4, 4));
                let sum = base.scaled(k).and_then(|sum| sum.plus_atom(m, of));
                let sum = sum.expect("small numbers").with_constant(0);
                let constant = base.constant * k;
                let values = values.iter().zip(&to);
                let values: Vec<i64> = values.map(|(x, y)| k * x - constant + m * y).collect();
                if sum.terms().is_empty() {
                    continue;
                }
                assert_eq!(Some(store.range(&sum)), range_of(&values), "{sum:?}");
                sums.push((sum, values));
            }
        }
    }
}
