//! Equations between sums, closed under linear algebra and congruence.
//!
//! Each row is an equation `sum = 0`, solved for its largest atom; no other row is solved for the same one. A sum is
//! *reduced* by substituting the solution of each atom that has one. Law: the difference of two sums reduces to zero
//! exactly when the equations imply, as linear equations over the rationals, that both are equal. The steps used are
//! reported as well.
//!
//! Quotients, mins and maxes of equal sums are made equal (*closed*). Min is commutative and associative, so some of its operands
//! may be replaced by a term equal to their min, and conversely. An equation that is solved for a factor of a product holds times
//! the other factors.

use super::sum::{AtomId, Sum};
use super::values::{Atom, Values, flattened};
use crate::num::gcd_wide;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Indices of the steps that a fact depends on.
pub type Steps = BTreeSet<usize>;

struct Row {
    /// `equation = 0`; the coefficient of the solved atom is positive.
    equation: Sum,
    steps: Steps,
}

/// `sum / scale` in lowest terms, with a positive scale: a reduced sum.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Reduced {
    /// The numerator.
    pub sum: Sum,
    /// The denominator.
    pub scale: i128,
}

/// Maximum number of forms of a min or max: they double with each part.
const MAX_WAYS: usize = 64;

/// The operands of one form of a min or max, and its dependencies.
type Way = (Vec<Sum>, Steps);

/// The equations that hold at every point of the domain.
#[derive(Default)]
pub struct Known {
    /// Rows by the atom they are solved for.
    rows: FxHashMap<AtomId, Row>,
    /// Numbers of rows and atoms after the last [`Known::close_by`], by whether it tried all forms.
    closed: [(usize, usize); 2],
    /// The atoms that rows are solved for, in order of their rows.
    solved: Vec<AtomId>,
    /// Products among the atoms seen so far.
    products: Vec<AtomId>,
    /// Number of atoms seen.
    seen: usize,
    /// Numbers of products and of rows that [`Known::multiply`] has already tried with each other.
    multiplied: (usize, usize),
}

impl Known {
    /// Adds `equation = 0`, which depends on `steps`; returns whether it is new. `None` if a number exceeds 128 bits,
    /// or the fuel is spent.
    pub fn add(
        &mut self,
        values: &Values<'_>,
        mut equation: Sum,
        mut steps: Steps,
    ) -> Option<bool> {
        loop {
            values.spend(1 + equation.terms().len() + steps.len())?;
            let atoms = equation.terms().iter().map(|(atom, _)| *atom);
            let Some(largest) = atoms.max_by_key(|atom| values.order(*atom)) else {
                return Some(false);
            };
            let Some(row) = self.rows.get(&largest) else {
                let sign = equation.coefficient(largest).signum();
                let equation = equation.scaled(sign)?.divided(equation.content(0));
                self.rows.insert(largest, Row { equation, steps });
                self.solved.push(largest);
                return Some(true);
            };
            equation = eliminated(&equation, largest, &row.equation)?.0;
            steps.extend(&row.steps);
        }
    }

    /// Reduces a sum; adds its dependencies to `used`.
    pub fn reduce(&self, values: &Values<'_>, sum: &Sum, used: &mut Steps) -> Option<Reduced> {
        let (mut sum, mut scale) = (sum.clone(), 1i128);
        loop {
            values.spend(1 + sum.terms().len() + used.len())?;
            let atoms = sum.terms().iter().map(|(atom, _)| *atom);
            let solved = atoms.filter(|atom| self.rows.contains_key(atom));
            let largest = solved.max_by_key(|atom| values.order(*atom));
            let Some((largest, row)) = largest.and_then(|a| Some((a, self.rows.get(&a)?))) else {
                return Some(Reduced { sum, scale });
            };
            let (next, factor) = eliminated(&sum, largest, &row.equation)?;
            scale = scale.checked_mul(factor)?;
            let common = next.content(scale);
            (sum, scale) = (next.divided(common), scale / common);
            used.extend(&row.steps);
        }
    }

    /// Returns the integer that a sum equals under the equations, if any.
    pub fn integer(&self, values: &Values<'_>, sum: &Sum, used: &mut Steps) -> Option<i128> {
        let mut steps = Steps::new();
        let reduced = self.reduce(values, sum, &mut steps)?;
        let value = reduced.sum.as_integer().filter(|_| reduced.scale == 1)?;
        used.extend(steps);
        Some(value)
    }

    /// Computes the congruence closure: equates quotients with the same divisor and equal numerators, and mins and
    /// maxes of equal sums, to a fixpoint. Returns whether an equation was added. Skips values beyond 128 bits.
    pub fn close(&mut self, values: &mut Values<'_>) -> bool {
        self.multiply(values) | self.close_by(values, false) || self.close_by(values, true)
    }

    /// Multiplies rows that are solved for factors of products by the other factors. Returns whether an equation was
    /// added.
    fn multiply(&mut self, values: &mut Values<'_>) -> bool {
        let is_product =
            |(id, atom): (AtomId, &Atom)| matches!(atom, Atom::Product(_)).then_some(id);
        let mut any = false;
        loop {
            let new = values.atoms().skip(self.seen).filter_map(is_product);
            self.products.extend(new);
            self.seen = values.atoms().count();
            let now = (self.products.len(), self.solved.len());
            let before = std::mem::replace(&mut self.multiplied, now);
            if now.0 == 0 || now == before {
                return any;
            }
            for product in 0..now.0 {
                let from = if product < before.0 { before.1 } else { 0 };
                for part in from..now.1 {
                    if values.spend(1).is_none() {
                        return any;
                    }
                    any |= self.multiply_row(values, self.products[product], self.solved[part])
                        == Some(true);
                }
            }
        }
    }

    /// Multiplies the row that is solved for `part` by the other factors of `product`, if any.
    fn multiply_row(
        &mut self,
        values: &mut Values<'_>,
        product: AtomId,
        part: AtomId,
    ) -> Option<bool> {
        if product == part {
            return None;
        }
        let cofactor = values.cofactor(product, part)?;
        let row = self.rows.get(&part)?;
        let steps = row.steps.clone();
        let equation = values.product(&row.equation, &cofactor).ok()?;
        self.add(values, equation, steps)
    }

    /// As `close`, with all forms of a min or max, or only with the likeliest, which are few and usually suffice.
    fn close_by(&mut self, values: &Values<'_>, all: bool) -> bool {
        let mut any = false;
        while self.closed[usize::from(all)] != (self.rows.len(), values.atoms().count()) {
            self.closed[usize::from(all)] = (self.rows.len(), values.atoms().count());
            let parts = self.parts(values);
            let mut seen: FxHashMap<Shape, (AtomId, Steps)> = FxHashMap::default();
            for (id, atom) in values.atoms() {
                let shapes = self.shapes(values, (&parts, all), atom);
                for (shape, mut steps) in shapes.unwrap_or_default() {
                    let equal = match shape {
                        Shape::Is(value) => value,
                        shape => match seen.get(&shape) {
                            Some((first, of_first)) => {
                                steps.extend(of_first);
                                Sum::atom(*first)
                            }
                            None => {
                                seen.insert(shape, (id, steps));
                                continue;
                            }
                        },
                    };
                    let difference = Sum::atom(id).plus(-1, &equal);
                    any |= difference.is_some_and(|x| self.add(values, x, steps) == Some(true));
                }
            }
        }
        any
    }

    /// Returns the shapes of an atom under the equations, in all known forms or in the likeliest, each with its dependencies.
    fn shapes(
        &self,
        values: &Values<'_>,
        parts: (&[Part], bool),
        atom: &Atom,
    ) -> Option<Vec<(Shape, Steps)>> {
        let mut steps = Steps::new();
        let only = match atom {
            Atom::Variable(id) => Shape::Variable(id.0),
            Atom::Quotient(of, divisor) => {
                let of = self.reduce(values, of, &mut steps)?;
                let divisor = self.reduce(values, divisor, &mut steps)?;
                let integer = |x: &Reduced| x.sum.as_integer().filter(|_| x.scale == 1);
                match (integer(&of), integer(&divisor)) {
                    (Some(value), Some(divisor)) if divisor >= 1 => {
                        Shape::Is(Sum::integer(value.div_euclid(divisor)))
                    }
                    (None, Some(1)) if of.scale == 1 => Shape::Is(of.sum),
                    _ => Shape::Quotient(of, divisor),
                }
            }
            // Equations of their factors are multiplied instead.
            Atom::Product(_) => return None,
            Atom::Extreme(least, list) => {
                let shape = |(flat, steps)| match <[Sum; 1]>::try_from(flat) {
                    Ok([only]) => (Shape::Is(only), steps),
                    Err(flat) => (Shape::Extreme(*least, flat), steps),
                };
                let ways = self.ways(values, parts, *least, list)?;
                return Some(ways.into_iter().map(shape).collect());
            }
        };
        Some(vec![(only, steps)])
    }

    /// Returns the operands of a min or max under the equations, in each form obtained by folding parts. Two parts that share
    /// an operand exclude each other, so there is no unique form.
    fn ways(
        &self,
        values: &Values<'_>,
        (parts, all): (&[Part], bool),
        least: bool,
        list: &[Sum],
    ) -> Option<Vec<Way>> {
        let parts = || parts.iter().filter(|part| part.least == least);
        let mut steps = Steps::new();
        let mut ways = vec![(self.operands(values, least, list, &mut steps)?, steps)];
        let add = |ways: &mut Vec<Way>, mut list: Vec<Sum>, from: &Steps, part: &Part| {
            values.spend(ways.len() * (1 + list.len()))?;
            list.sort();
            let is_new = |ways: &[Way], list: &[Sum]| ways.iter().all(|(known, _)| *known != list);
            if is_new(ways, &list) {
                let mut steps = from | &part.steps;
                let list = self.operands(values, least, &list, &mut steps);
                ways.extend(list.filter(|x| is_new(ways, x)).map(|x| (x, steps)));
            }
            Some(())
        };
        // Folds one part after the other: the likeliest form if there are too many.
        for part in parts() {
            let (list, steps) = ways.last().cloned()?;
            values.spend(1 + list.len() + part.operands.len())?;
            if let Some(other) = part.folded(&list) {
                add(&mut ways, other, &steps, part)?;
            }
        }
        let mut next = if all { 0 } else { ways.len() };
        while let Some((list, steps)) = ways.get(next).filter(|_| ways.len() < MAX_WAYS).cloned() {
            for part in parts() {
                values.spend(1 + list.len() + part.operands.len())?;
                let others = [part.folded(&list), part.unfolded(&list)];
                for other in others.into_iter().flatten() {
                    add(&mut ways, other, &steps, part)?;
                }
            }
            next += 1;
        }
        Some(ways)
    }

    /// Returns the operands of a min or max under the equations; flattens a nested min, even with an addend, which is added to
    /// each of its operands.
    fn operands(
        &self,
        values: &Values<'_>,
        least: bool,
        list: &[Sum],
        steps: &mut Steps,
    ) -> Option<Vec<Sum>> {
        let mut whole = Vec::with_capacity(list.len());
        let mut left = list.to_vec();
        while let Some(x) = left.pop() {
            values.spend(1 + whole.len())?;
            let reduced = self.reduce(values, &x, steps)?;
            // A fraction is kept: a min or max in it is not flattened.
            if reduced.scale != 1 {
                whole.push(x);
                continue;
            }
            match extreme_in(values, least, &reduced.sum) {
                Some((atom, inner)) => {
                    let added = reduced.sum.plus(-1, &Sum::atom(atom))?;
                    for x in inner {
                        left.push(x.plus(1, &added)?);
                    }
                }
                None => whole.push(reduced.sum),
            }
        }
        Some(flattened(values, least, whole))
    }

    /// Returns the mins and maxes that equal another value, which can replace their operands in a larger one.
    fn parts(&self, values: &Values<'_>) -> Vec<Part> {
        let part = |(id, atom): (AtomId, &Atom)| {
            let Atom::Extreme(least, list) = atom else {
                return None;
            };
            let mut steps = Steps::new();
            let operands = self.operands(values, *least, list, &mut steps)?;
            let value = self.reduce(values, &Sum::atom(id), &mut steps)?;
            // A part that equals itself, or another extreme with the same operands, is found through its operands.
            let is_other = match extreme_in(values, *least, &value.sum) {
                Some((of, _)) if of == id => false,
                Some(_) => {
                    let value = std::slice::from_ref(&value.sum);
                    self.operands(values, *least, value, &mut Steps::new())? != operands
                }
                None => true,
            };
            (value.scale == 1 && is_other).then_some(Part {
                least: *least,
                operands,
                value: value.sum,
                steps,
            })
        };
        values.atoms().filter_map(part).collect()
    }
}

/// A min or max, by its operands under the equations, and its value.
struct Part {
    least: bool,
    /// In order.
    operands: Vec<Sum>,
    value: Sum,
    steps: Steps,
}

impl Part {
    /// Folds: replaces the operands of this in a longer list of the same kind by its value, and drops a weaker integer,
    /// if that changes the list. A list has one integer, so this part's own may be hidden behind a stronger one.
    fn folded(&self, list: &[Sum]) -> Option<Vec<Sum>> {
        let integer = |list: &[Sum]| list.iter().find_map(Sum::as_integer);
        let (own, other) = (integer(&self.operands), integer(list));
        let beyond = |x: i128, y: i128| if self.least { x >= y } else { x <= y };
        let has_own = match (own, other) {
            (None, _) => true,
            (Some(own), Some(other)) => beyond(own, other),
            (Some(_), None) => false,
        };
        let is_own = |x: &Sum| self.operands.binary_search(x).is_ok();
        let mut others = self.operands.iter().filter(|x| x.as_integer().is_none());
        let is_whole = has_own && *list != self.operands && others.all(|x| list.contains(x));
        let mut new = is_whole.then(|| {
            let rest = list.iter().filter(|x| !is_own(x)).chain([&self.value]);
            rest.cloned().collect::<Vec<Sum>>()
        });
        let now = new.as_deref().unwrap_or(list);
        if let (Some(own), Some(other)) = (own, other)
            && beyond(other, own)
            && now.contains(&self.value)
        {
            let is_kept = |x: &&Sum| x.as_integer().is_none() || **x == self.value;
            new = Some(now.iter().filter(is_kept).cloned().collect());
        }
        new
    }

    /// Unfolds: replaces its value in a list by its operands, unless it is one of them; `None` if the value is not in
    /// the list.
    fn unfolded(&self, list: &[Sum]) -> Option<Vec<Sum>> {
        let at = list.iter().position(|x| *x == self.value)?;
        let is_own = self.operands.contains(&self.value);
        (!is_own).then(|| [&list[..at], &list[at + 1..], &self.operands].concat())
    }
}

/// An atom up to the equations.
#[derive(PartialEq, Eq, Hash)]
enum Shape {
    /// Equal to this.
    Is(Sum),
    Variable(u32),
    Quotient(Reduced, Reduced),
    Extreme(bool, Vec<Sum>),
}

/// Returns the only min (or max) in a sum, possibly with an addend, and its operands.
fn extreme_in<'v>(values: &'v Values<'_>, least: bool, sum: &Sum) -> Option<(AtomId, &'v [Sum])> {
    let mut found = sum.terms().iter().filter_map(|(id, factor)| match values.atom(*id) {
        Atom::Extreme(kind, list) if *kind == least && *factor == 1 => Some((*id, list.as_slice())),
        _ => None,
    });
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// Eliminates `atom` from `factor * sum` by `equation = 0`; returns the positive factor too.
fn eliminated(sum: &Sum, atom: AtomId, equation: &Sum) -> Option<(Sum, i128)> {
    let (here, there) = (sum.coefficient(atom), equation.coefficient(atom));
    let common = i128::try_from(gcd_wide(here.unsigned_abs(), there.unsigned_abs())).ok()?;
    let factor = there / common; // positive, as `there` is
    let times = (here / common).checked_neg()?;
    Some((sum.scaled(factor)?.plus(times, equation)?, factor))
}
