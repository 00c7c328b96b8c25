//! Normal forms of min and max, by the rules of `min_max.rules`.
//!
//! Redundant operands are dropped, the common part of all operands is moved out, a nested min is flattened if that removes an
//! operand, and a clamp has its upper bound outside. Two operands keep only their difference, without a negative coefficient, so
//! that their min is one atom however both were shifted or scaled. Each of these steps is a query to the rules (`question.rs`),
//! and is skipped if no rule permits it.
//!
//! Not done here: choosing the smallest form of a min (`propose.rs`).

use super::engine::Engine;
use super::linear::Linear;
use super::question::Question;
use super::store::Definition;
use crate::num;

/// Maximum recursion depth of the normalization of min and max.
const MAX_NESTED_LATTICES: u32 = 24;

/// `factor * atom + rest`, where `atom` is a min or max.
pub(super) struct Scaled {
    pub(super) factor: i64,
    pub(super) operands: Vec<Linear>,
    pub(super) rest: Linear,
    /// Whether the whole is the minimum of its scaled operands.
    pub(super) least: bool,
}

impl Scaled {
    /// Returns the operands, scaled.
    pub(super) fn expanded(&self) -> Option<Vec<Linear>> {
        let scaled = |x: &Linear| self.rest.plus(self.factor, x);
        self.operands.iter().map(scaled).collect()
    }
}

impl Engine<'_> {
    /// Builds the minimum (or maximum) of `operands` as a sum.
    pub fn min_max(
        &mut self,
        operands: impl IntoIterator<Item = Linear>,
        least: bool,
    ) -> Option<Linear> {
        let mut list: Vec<Linear> = operands.into_iter().collect();
        list.sort();
        list.dedup();
        if let [only] = list.as_slice() {
            return Some(only.clone());
        }
        let key = (least, list.clone());
        if let Some(value) = self.mins_and_maxes.get(&key) {
            return Some(value.clone());
        }
        if self.nested_mins_and_maxes >= MAX_NESTED_LATTICES {
            self.stop("nested mins and maxes");
            return self.one_of(list, least);
        }
        if !self.spend_terms(size_of(&list)) {
            return self.one_of(list, least);
        }
        self.nested_mins_and_maxes += 1;
        let value = self.normal_min_max(list, least);
        self.nested_mins_and_maxes -= 1;
        let value = value?;
        self.mins_and_maxes.insert(key, value.clone());
        Some(value)
    }

    fn normal_min_max(&mut self, mut list: Vec<Linear>, least: bool) -> Option<Linear> {
        self.drop_bounded(&mut list, least);
        while self.flatten(&mut list, least) || self.join_quotients(&mut list, least) {
            self.drop_bounded(&mut list, least);
        }
        if let [only] = list.as_slice() {
            return Some(only.clone());
        }
        if !least && let Some(clamp) = self.with_upper_end_outside(&list) {
            return Some(clamp);
        }
        // If the common part overflows, the operands stay as they are.
        match self.without_common_part(&list, least) {
            Some(value) => Some(value),
            None => self.one_of(list, least),
        }
    }

    /// Drops each operand that another one makes redundant; keeps the first of equal operands.
    fn drop_bounded(&mut self, list: &mut Vec<Linear>, least: bool) {
        for index in (0..list.len()).rev() {
            if !self.spend_terms(size_of(list)) {
                return;
            }
            let goes = list[index].clone();
            let others = (0..list.len()).filter(|other| *other != index);
            let Some(stays) = others.map(|other| list[other].clone()).find(|stays| {
                let (lower, upper) = if least { (stays, &goes) } else { (&goes, stays) };
                self.is_ordered(lower, upper)
            }) else {
                continue;
            };
            let others = list.iter().filter(|x| **x != stays && **x != goes);
            let rest = self.one_of(others.cloned().collect(), least);
            let mut question = Question::default();
            let both = [stays.clone(), goes].into_iter().chain(rest.clone());
            let both = question.min_max(least, both);
            let one = question.min_max(least, std::iter::once(stays).chain(rest));
            if self.becomes(&question, both, one) {
                list.remove(index);
            }
        }
    }

    /// Returns whether the ranges establish `lower <= upper`.
    pub(super) fn is_ordered(&mut self, lower: &Linear, upper: &Linear) -> bool {
        let difference = upper.plus(-1, lower);
        difference.is_some_and(|difference| self.store.is_at_least(&difference, 0))
    }

    /// Flattens an operand that is itself a min (or max), if that does not add an operand; returns whether it did.
    fn flatten(&mut self, list: &mut Vec<Linear>, least: bool) -> bool {
        for index in 0..list.len() {
            if !self.spend_terms(size_of(list)) {
                return false;
            }
            let Some(inner) = self.scaled_min_max(&list[index]) else {
                continue;
            };
            let (true, Some(expanded)) = (inner.least == least, inner.expanded()) else {
                continue;
            };
            let others: Vec<Linear> = [&list[..index], &list[index + 1..]].concat();
            let is_free = inner.factor == 1 && inner.rest.terms().is_empty();
            let goes = |engine: &mut Self, x: &Linear, y: &Linear| match least {
                true => engine.is_ordered(x, y),
                false => engine.is_ordered(y, x),
            };
            let loses = is_free
                || expanded
                    .iter()
                    .any(|x| others.iter().any(|y| goes(self, x, y) || goes(self, y, x)));
            if !loses || !self.is_scaled(&inner, others) {
                continue;
            }
            list.remove(index);
            list.extend(expanded);
            list.sort();
            list.dedup();
            return true;
        }
        false
    }

    /// Decomposes a sum with one min or max in it.
    fn scaled_min_max(&self, sum: &Linear) -> Option<Scaled> {
        let mut mins_and_maxes = self.store.mins_and_maxes_of(sum);
        let (atom, factor, least) = mins_and_maxes.next()?;
        if mins_and_maxes.next().is_some() {
            return None;
        }
        let operands = self.store.min_max_operands(atom)?;
        Some(Scaled {
            factor,
            operands: operands.to_vec(),
            rest: sum.without(atom),
            least: least == (factor > 0),
        })
    }

    /// Returns whether the rules permit replacing `inner` among `others` by its scaled operands, one operand at a time.
    pub(super) fn is_scaled(&mut self, inner: &Scaled, others: Vec<Linear>) -> bool {
        if inner.factor == 1 && inner.rest.is_zero() {
            return true;
        }
        // One instance per operand, each with all operands.
        let work = (inner.operands.len() + others.len()) * size_of(&inner.operands);
        let Some(expanded) = inner.expanded().filter(|_| self.spend_terms(work)) else {
            return false;
        };
        let others = self.one_of(others, inner.least);
        (1..expanded.len()).all(|next| {
            let beside = expanded[next + 1..].iter().chain(&others).cloned();
            let beside = self.one_of(beside.collect(), inner.least);
            self.is_scaled_by_one(inner, next, beside) == Some(true)
        })
    }

    /// Returns whether scaling distributes over one more operand: the min or max of the scaled operand at `next` and the scaled
    /// min or max of the operands before it is the scaled min or max of all of these.
    fn is_scaled_by_one(
        &mut self,
        inner: &Scaled,
        next: usize,
        beside: Option<Linear>,
    ) -> Option<bool> {
        let scaled = |x: &Linear| inner.rest.plus(inner.factor, x);
        // A negative factor turns a min of the operands into a max of the scaled ones.
        let inner_least = inner.least == (inner.factor > 0);
        let operand = &inner.operands[next];
        let so_far = self.one_of(inner.operands[..next].to_vec(), inner_least)?;
        let mut question = Question::default();
        let apart = [scaled(&so_far)?, scaled(operand)?];
        let apart = question.min_max(inner.least, apart.into_iter().chain(beside.clone()));
        let joined = question.min_max(inner_least, [so_far, operand.clone()]);
        let joined = std::iter::once(scaled(&joined)?).chain(beside);
        let joined = question.min_max(inner.least, joined);
        Some(self.becomes(&question, apart, joined))
    }

    /// `max(min(x, y), z) => min(max(x, z), y)`, where z never exceeds y.
    fn with_upper_end_outside(&mut self, list: &[Linear]) -> Option<Linear> {
        for index in 0..list.len() {
            let Some(inner) = self.scaled_min_max(&list[index]) else {
                continue;
            };
            if !inner.least {
                continue;
            }
            let rest: Vec<Linear> = [&list[..index], &list[index + 1..]].concat();
            let bound = self.one_of(rest.clone(), false)?;
            let (upper, below): (Vec<Linear>, Vec<Linear>) =
                inner.expanded()?.into_iter().partition(|x| self.is_ordered(&bound, x));
            let (Some(x), Some(y)) =
                (self.one_of(below.clone(), true), self.one_of(upper.clone(), true))
            else {
                continue;
            };
            let mut question = Question::default();
            let cut = question.min_max(true, [x.clone(), y.clone()]);
            let clamp = question.min_max(false, [cut, bound.clone()]);
            let raised = question.min_max(false, [x, bound]);
            let other_way = question.min_max(true, [raised, y]);
            if !self.is_scaled(&inner, Vec::new()) || !self.becomes(&question, clamp, other_way) {
                continue;
            }
            let below = self.min_max(below, true)?;
            let raised = self.min_max(rest.into_iter().chain([below]), false)?;
            return self.min_max(upper.into_iter().chain([raised]), true);
        }
        None
    }

    /// Moves the common part of all operands out, so that `min(d0 + 3, d0 + d1)` shares its atom with `min(3, d1)`.
    fn without_common_part(&mut self, list: &[Linear], least: bool) -> Option<Linear> {
        let base = common_part(list)?;
        let rest: Option<Vec<Linear>> = list.iter().map(|x| x.plus(-1, &base)).collect();
        let rest = rest?;
        let factor = common_factor(&rest);
        let inner = Scaled {
            factor,
            operands: rest.iter().map(|x| x.split_multiples(factor).0).collect(),
            rest: base,
            least,
        };
        if factor == 1 && inner.rest.is_zero() {
            return self.one_of(inner.operands, least);
        }
        if !self.is_scaled(&inner, Vec::new()) {
            return self.one_of(list.to_vec(), least);
        }
        // Without the common part, an operand may itself be a min.
        let value = self.min_max(inner.operands, least)?;
        inner.rest.plus(factor, &value)
    }

    /// Returns the min or max of the operands without normalization: an atom, or the only operand; `None` without operands.
    pub(super) fn one_of(&mut self, mut list: Vec<Linear>, least: bool) -> Option<Linear> {
        let is_same = |store: &super::store::Store, x: &Linear| {
            let atom = x.as_atom()?;
            let same = match store.atom(atom).definition {
                Definition::Least(_) => least,
                Definition::Greatest(_) => !least,
                _ => false,
            };
            same.then(|| store.min_max_operands(atom).map(<[Linear]>::to_vec))?
        };
        let mut flat = Vec::with_capacity(list.len());
        for x in list.drain(..) {
            match is_same(&self.store, &x) {
                Some(inner) => flat.extend(inner),
                None => flat.push(x),
            }
        }
        flat.sort();
        flat.dedup();
        match flat.as_slice() {
            [] => None,
            [only] => Some(only.clone()),
            _ => Some(Linear::atom(self.store.min_max_atom(flat, least))),
        }
    }
}

/// Counts the terms and constants of some sums.
pub(super) fn size_of(list: &[Linear]) -> usize {
    list.iter().map(|x| x.terms().len() + 1).sum()
}

/// Returns the common part of all operands: for two operands, the least coefficient of each atom; for more, the equal terms; and
/// the constant of the first operand that has terms left.
fn common_part(operands: &[Linear]) -> Option<Linear> {
    let mut base = match operands {
        [x, y] => {
            let in_both = x.terms().iter().map(|(atom, c)| (*atom, (*c).min(y.coefficient(*atom))));
            let only_in_second = y.terms().iter().filter(|(atom, _)| x.coefficient(*atom) == 0);
            let only_in_second = only_in_second.map(|(atom, c)| (*atom, (*c).min(0)));
            Linear::new(0, in_both.chain(only_in_second))?
        }
        _ => {
            let (first, others) = operands.split_first()?;
            let terms = first.terms().iter().copied();
            let shared =
                terms.filter(|(atom, c)| others.iter().all(|x| x.coefficient(*atom) == *c));
            Linear::new(0, shared)?
        }
    };
    let mut left = Vec::with_capacity(operands.len());
    for x in operands {
        let rest = x.plus(-1, &base)?;
        let first = rest.terms().first().map(|(atom, _)| *atom);
        left.extend(first.map(|atom| (atom, rest.constant)));
    }
    base.constant = left.into_iter().min().map_or(0, |(_, constant)| constant);
    Some(base)
}

/// Returns the greatest common divisor of all coefficients and constants; 1 if all are 0.
fn common_factor(operands: &[Linear]) -> i64 {
    let mut factor = 0;
    for x in operands {
        let numbers = x.terms().iter().map(|(_, c)| *c).chain([x.constant]);
        for number in numbers.filter(|number| *number != 0) {
            match num::gcd(factor, number) {
                Some(common) => factor = common,
                None => return 1,
            }
        }
    }
    factor.max(1)
}
