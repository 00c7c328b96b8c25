//! Uses one equation as a rewrite, wherever its left side occurs in a sum. Need not be trusted: it serves presentation
//! (`chain`), not the check.

use super::sum::{AtomId, Sum};
use super::values::{Atom, Values};
use rustc_hash::FxHashMap;

/// Replaces `atom` by `by`.
pub struct Rewrite {
    atom: AtomId,
    by: Sum,
}

impl Rewrite {
    /// Returns the rewrites given by `left = right`: the equation solved for each atom on the left that is not a variable, the
    /// largest atoms first.
    pub fn of(values: &Values<'_>, left: &Sum, right: &Sum) -> Vec<Rewrite> {
        let Some(difference) = left.plus(-1, right) else {
            return Vec::new();
        };
        let difference = difference.divided(difference.content(0));
        let solved = |(atom, _): &(AtomId, i128)| {
            let sign = difference.coefficient(*atom);
            let is_unit = sign == 1 || sign == -1;
            let by = Sum::atom(*atom).plus(sign.checked_neg()?, &difference)?;
            is_unit.then_some(Rewrite { atom: *atom, by })
        };
        let has_parts = |(atom, _): &&(AtomId, i128)| match values.atom(*atom) {
            Atom::Variable(_) => false,
            Atom::Quotient(..) | Atom::Extreme(..) | Atom::Product(_) => true,
        };
        let atoms = left.terms().iter().filter(has_parts);
        let mut all: Vec<Rewrite> = atoms.filter_map(solved).collect();
        all.sort_by_key(|rewrite| std::cmp::Reverse(values.order(rewrite.atom)));
        all
    }

    /// Replaces a variable by its value.
    pub fn of_variable(atom: AtomId, value: i64) -> Rewrite {
        let by = Sum::integer(i128::from(value));
        Rewrite { atom, by }
    }

    /// Rewrites `sum` at every depth. `None` if nothing changes, a number does not fit in 128 bits, or the fuel is spent.
    pub fn applied(&self, values: &mut Values<'_>, sum: &Sum) -> Option<Sum> {
        let new = self.sum(values, sum, &mut FxHashMap::default())?;
        (new != *sum).then_some(new)
    }

    fn sum(
        &self,
        values: &mut Values<'_>,
        sum: &Sum,
        done: &mut FxHashMap<AtomId, Sum>,
    ) -> Option<Sum> {
        values.spend(1 + sum.terms().len())?;
        let mut parts = Vec::with_capacity(sum.terms().len());
        for (atom, coefficient) in sum.terms() {
            parts.push((*coefficient, self.atom(values, *atom, done)?));
        }
        Sum::linear(sum.constant(), &parts)
    }

    fn atom(
        &self,
        values: &mut Values<'_>,
        atom: AtomId,
        done: &mut FxHashMap<AtomId, Sum>,
    ) -> Option<Sum> {
        if atom == self.atom {
            return Some(self.by.clone());
        }
        if let Some(known) = done.get(&atom) {
            return Some(known.clone());
        }
        let new = match values.atom(atom).clone() {
            Atom::Variable(_) => Sum::atom(atom),
            Atom::Quotient(of, divisor) => {
                let new = self.sum(values, &of, done)?;
                let divisor = self.sum(values, &divisor, done)?;
                if divisor.as_integer().is_some_and(|divisor| divisor < 1) {
                    return None;
                }
                values.quotient(new, divisor)
            }
            Atom::Product(factors) => {
                let (mut product, parts) = match values.cofactor(atom, self.atom) {
                    Some(rest) => (self.by.clone(), vec![rest]),
                    None => {
                        let factors = factors.iter().map(|factor| Sum::atom(*factor));
                        (Sum::integer(1), factors.collect())
                    }
                };
                for part in parts {
                    let part = self.sum(values, &part, done)?;
                    product = values.product(&product, &part).ok()?;
                }
                product
            }
            Atom::Extreme(least, list) => {
                let rest = self.without_own(values, least, &list);
                let kept = rest.as_ref().unwrap_or(&list);
                let mut new = Vec::with_capacity(kept.len() + 1);
                for x in kept {
                    new.push(self.sum(values, x, done)?);
                }
                new.extend(rest.map(|_| self.by.clone()));
                values.extreme(least, new)
            }
        };
        done.insert(atom, new.clone());
        Some(new)
    }

    /// Returns the operands of `list` without those of the left side, if the latter is a min or max whose operands all occur in
    /// the list.
    fn without_own(&self, values: &Values<'_>, least: bool, list: &[Sum]) -> Option<Vec<Sum>> {
        let Atom::Extreme(kind, operands) = values.atom(self.atom) else {
            return None;
        };
        values.spend(list.len() + operands.len())?;
        let is_own = |x: &&Sum| operands.binary_search(x).is_ok();
        let is_whole = *kind == least && list.iter().filter(is_own).count() == operands.len();
        is_whole.then(|| list.iter().filter(|x| !is_own(x)).cloned().collect())
    }
}
