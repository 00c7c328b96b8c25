//! The values of sums of one variable, one by one.
//!
//! Intervals of terms are added as if terms were independent; a variable and its own quotient are not. Where a variable
//! has few values, those of every quotient, min and max of it are listed, and a sum of them has its true range.

use super::linear::{AtomId, Linear};
use super::store::{Definition, Store};
use super::table::{MAX_VALUES, Table, range_of};
use crate::num::{self, Interval};
use smallvec::SmallVec;
use std::rc::Rc;

impl Store {
    /// Lists the values of an operation, if it depends on one variable of few values.
    pub(super) fn table_of(&self, definition: &Definition) -> Option<Table> {
        let mut table = match definition {
            Definition::Variable(_) => return None,
            Definition::Quotient(numerator, _) => self.table(numerator)?,
            Definition::Least(operands) | Definition::Greatest(operands) => {
                let mut tables = operands.iter().filter(|x| x.as_constant().is_none());
                self.table(tables.next()?)?
            }
        };
        let values = Rc::make_mut(&mut table.values);
        match definition {
            Definition::Variable(_) => {}
            Definition::Quotient(_, divisor) => {
                for value in values {
                    *value = num::floordiv(*value, *divisor);
                }
            }
            Definition::Least(operands) | Definition::Greatest(operands) => {
                let is_least = matches!(definition, Definition::Least(_));
                for operand in operands {
                    let other = match operand.as_constant() {
                        Some(value) => Rc::from(vec![value; values.len()]),
                        None => {
                            let other = self.table(operand)?;
                            (other.variable == table.variable).then_some(other.values)?
                        }
                    };
                    for (value, other) in values.iter_mut().zip(other.iter()) {
                        *value = if is_least {
                            *other.min(value)
                        } else {
                            *other.max(value)
                        };
                    }
                }
            }
        }
        Some(table)
    }

    /// Lists the values of a sum, if its terms depend on one variable of few values.
    pub(super) fn table(&self, sum: &Linear) -> Option<Table> {
        let (first, _) = sum.terms().first()?;
        let variable = self.atom(*first).table.as_ref()?.variable;
        let values = self.values(sum.constant, sum.terms(), variable)?;
        Some(Table {
            variable,
            values: Rc::from(&values[..]),
        })
    }

    /// `constant + coefficient * atom + ..` at each value of the variable; `None` if one of them depends on another.
    fn values(
        &self,
        constant: i64,
        terms: &[(AtomId, i64)],
        variable: AtomId,
    ) -> Option<SmallVec<[i64; MAX_VALUES as usize]>> {
        let mut values = SmallVec::new();
        for (atom, coefficient) in terms {
            let table = self.atom(*atom).table.as_ref()?;
            if table.variable != variable {
                return None;
            }
            values.resize(table.values.len(), constant);
            for (value, x) in values.iter_mut().zip(table.values.iter()) {
                *value = coefficient.checked_mul(*x)?.checked_add(*value)?;
            }
        }
        Some(values)
    }

    /// Returns the interval sum of the parts of a sum that depend on the same variable; `None` if no two terms do.
    pub(super) fn range_by_values(&self, sum: &Linear) -> Option<Interval> {
        let variable = |atom: AtomId| self.atom(atom).table.as_ref().map(|table| table.variable);
        let (mut range, mut any) = (Interval::point(sum.constant), false);
        let mut left: SmallVec<[(AtomId, i64); 8]> = SmallVec::from_slice(sum.terms());
        while let Some(&(atom, coefficient)) = left.first() {
            let of = variable(atom);
            let is_alike = |(at, term): &(usize, (AtomId, i64))| match of {
                Some(_) => variable(term.0) == of,
                None => *at == 0,
            };
            type Terms = SmallVec<[(usize, (AtomId, i64)); 8]>;
            let (part, rest): (Terms, Terms) = left.into_iter().enumerate().partition(is_alike);
            let part: SmallVec<[_; 8]> = part.into_iter().map(|(_, term)| term).collect();
            let exact = of.filter(|_| part.len() > 1);
            let values = exact.and_then(|variable| self.values(0, &part, variable));
            any |= values.is_some();
            range = range.add(match values {
                Some(values) => range_of(&values),
                None if part.len() == 1 => self.atom(atom).range.scale(coefficient),
                None => return None, // a number that does not fit
            });
            left = rest.into_iter().map(|(_, term)| term).collect();
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
            let variable = Interval::new(first, first + number(1, MAX_VALUES - 1));
            let fuel = Fuel::new(1 << 24, &Interrupt::new());
            let mut store = Store::new(&[variable], &fuel);
            // Each sum with its value at each value of the variable.
            let points: Vec<i64> = (variable.lo()..=variable.hi()).collect();
            let mut sums = vec![(Linear::atom(AtomId(0)), points)];
            for _ in 0..number(1, 4) {
                let picked = number(0, sums.len() as i64 - 1) as usize;
                let other = number(0, sums.len() as i64 - 1) as usize;
                let (x, y) = (sums[picked].clone(), sums[other].clone());
                let (of, to) = match number(0, 2) {
                    0 => {
                        let c = number(2, 9);
                        let of = store.quotient_atom(&x.0, c);
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
                assert_eq!(store.range(&sum), range_of(&values), "{sum:?}");
                sums.push((sum, values));
            }
        }
    }
}
