//! Normal forms of min and max, by the rules of `lattice.rules`.

use super::engine::Engine;
use super::kernel::Bindings;
use super::linear::Linear;
use super::record::{Firing, Target};
use crate::rule::RuleId;

impl Engine<'_> {
    /// The least (or greatest) of `operands` as a sum: operands that another one bounds under the
    /// domain go (`min-le`, `max-ge`), a common part of all leaves (`min-add`, `max-add`).
    pub fn lattice(
        &mut self,
        operands: impl IntoIterator<Item = Linear>,
        least: bool,
    ) -> Option<Linear> {
        let mut list: Vec<Linear> = operands.into_iter().collect();
        list.sort();
        list.dedup();
        let key = (least, list.clone());
        let mut firings = Vec::new();
        self.drop_bounded(&mut list, least, &mut firings);
        let value = match list.as_slice() {
            [only] => only.clone(),
            _ => self.without_common_part(list, least, &mut firings)?,
        };
        self.lattices.entry(key).or_insert(firings);
        Some(value)
    }

    /// Drops each operand beyond which another one never goes; of two equal ones the first stays.
    fn drop_bounded(&mut self, list: &mut Vec<Linear>, least: bool, firings: &mut Vec<usize>) {
        let known = self.rules.known();
        let (rule, among) = match least {
            true => (known.min_le, known.min_le_among),
            false => (known.max_ge, known.max_ge_among),
        };
        for index in (0..list.len()).rev() {
            let goes = list[index].clone();
            let others = (0..list.len()).filter(|other| *other != index);
            let Some(stays) = others.map(|other| list[other].clone()).find(|stays| {
                let (lower, upper) = if least {
                    (stays, &goes)
                } else {
                    (&goes, stays)
                };
                let difference = upper.plus(-1, lower);
                difference.is_some_and(|difference| self.store.range(&difference).lo() >= 0)
            }) else {
                continue;
            };
            if self
                .rules
                .is_left_out(if list.len() == 2 { rule } else { among })
            {
                continue;
            }
            let before = list.clone();
            list.remove(index);
            let rest = list.iter().filter(|x| **x != stays).cloned().collect();
            let (rule, expressions) = match self.one_of(rest, least) {
                None => (rule, vec![stays, goes]),
                Some(rest) => (among, vec![stays, goes, rest]),
            };
            self.fire_lattice(rule, expressions, before, least, firings);
        }
    }

    /// The common shift makes `min(d0 + 3, d0 + d1)` one atom with `min(3, d1)`.
    fn without_common_part(
        &mut self,
        list: Vec<Linear>,
        least: bool,
        firings: &mut Vec<usize>,
    ) -> Option<Linear> {
        let base = match self.may_shift(list.len(), least) {
            true => common_part(&list)?,
            false => Linear::default(),
        };
        let rest: Option<Vec<Linear>> = list.iter().map(|x| x.plus(-1, &base)).collect();
        let rest = rest?;
        if !base.is_zero() {
            self.shift_out(&list, &rest, &base, least, firings);
        }
        let atom = self.one_of(rest, least)?;
        base.plus(1, &atom)
    }

    /// May the rules fire that take a common part out of so many operands?
    fn may_shift(&self, count: usize, least: bool) -> bool {
        let known = self.rules.known();
        let (rule, among) = match least {
            true => (known.min_add, known.min_add_among),
            false => (known.max_add, known.max_add_among),
        };
        !self.rules.is_left_out(rule) && (count < 3 || !self.rules.is_left_out(among))
    }

    /// Fires the rules that take `base` out of all operands, one after the other.
    fn shift_out(
        &mut self,
        list: &[Linear],
        rest: &[Linear],
        base: &Linear,
        least: bool,
        firings: &mut Vec<usize>,
    ) {
        let known = self.rules.known();
        let (rule, among) = match least {
            true => (known.min_add, known.min_add_among),
            false => (known.max_add, known.max_add_among),
        };
        for next in 1..list.len() {
            let Some(so_far) = self.one_of(rest[..next].to_vec(), least) else {
                return;
            };
            let mut expressions = vec![so_far, base.clone(), rest[next].clone()];
            let others = self.one_of(list[next + 1..].to_vec(), least);
            let rule = if others.is_some() { among } else { rule };
            expressions.extend(others);
            self.fire_lattice(rule, expressions, list.to_vec(), least, firings);
        }
    }

    /// The min or max of some operands as it stands: none, the only one, or an atom.
    fn one_of(&mut self, mut list: Vec<Linear>, least: bool) -> Option<Linear> {
        list.sort();
        match list.as_slice() {
            [] => None,
            [only] => Some(only.clone()),
            _ => Some(Linear::atom(self.store.lattice_atom(list, least))),
        }
    }

    fn fire_lattice(
        &mut self,
        rule: RuleId,
        expressions: Vec<Linear>,
        of: Vec<Linear>,
        least: bool,
        firings: &mut Vec<usize>,
    ) {
        let bindings = Bindings::of(&[], expressions);
        self.note(rule, &bindings);
        firings.push(self.record.firings.len());
        self.record.firings.push(Firing {
            rule,
            bindings,
            target: Target::Lattice { of, least },
            result: None,
        });
    }
}

/// The terms that all operands share.
fn common_part(operands: &[Linear]) -> Option<Linear> {
    let (first, others) = operands.split_first()?;
    let terms = first.terms().iter().copied();
    let shared = terms.filter(|(atom, c)| others.iter().all(|x| x.coefficient(*atom) == *c));
    Linear::new(0, shared)
}
