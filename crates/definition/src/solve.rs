//! Changes the indices of relations, and eliminates loop indices.
//!
//! Law: for each element of the output, the resulting relation has the same elements.

use super::relation::{Condition, Index, Relation, Sum, Value};
use affinor_maps::num::Interval;
use affinor_maps::text::Error;

/// Copies the values and conditions of `from` to `to`, with indices substituted.
pub(super) fn copy(
    from: &Relation,
    to: &mut Relation,
    place: &dyn Fn(Index) -> Option<Sum>,
) -> Result<(), Error> {
    for value in from.values() {
        let index = value.index.iter().map(|sum| sum.replaced_or_refused(place));
        to.value(Value { index: index.collect(), ..value.clone() })?;
    }
    for condition in from.conditions() {
        let sum = condition.sum().replaced_or_refused(place);
        to.within(sum, condition.bounds())?;
    }
    Ok(())
}

impl Relation {
    /// Eliminates loop indices that an equation determines as a sum which is always in their interval. Rewrites `others`, sums
    /// over the relation's indices, to the remaining indices.
    pub(super) fn without_solved_loops(
        mut self,
        mut others: Vec<Sum>,
    ) -> Result<(Relation, Vec<Sum>), Error> {
        while let Some((position, number, image)) = self.solved_loop(false) {
            self.remove_condition(position);
            self.put_for_loop(number, &image, &mut others)?;
        }
        Ok((self, others))
    }

    /// Normalizes the relation: eliminates loop indices that an equation determines, or that only one condition bounds,
    /// with their intervals as conditions; drops tautologies and sorts the conditions.
    pub(super) fn reduced(mut self) -> Result<Relation, Error> {
        while let Some((position, number, image)) = self.solved_loop(true) {
            let bounds = self.loops()[number];
            self.remove_condition(position);
            self.within(image.clone(), bounds)?;
            self.put_for_loop(number, &image, &mut [])?;
        }
        while let Some(number) = (0..self.loops().len()).find(|k| self.is_free(*k)) {
            let own = Sum::from(Index::Loop(number));
            let bounds = self.loops()[number];
            let place = self.conditions().iter().position(|c| c.sum().mentions(number));
            if let Some(position) = place {
                // `c * s + rest in bounds` for some `s`: the rest is in `bounds - c * s` for one of them.
                let condition = self.remove_condition(position);
                let coefficient = condition.sum().coefficient(Index::Loop(number));
                let rest = condition.sum().clone() - own * coefficient;
                let both = [(1, condition.bounds()), (-coefficient, bounds)];
                self.within(rest, Interval::linear(0, both.into_iter()))?;
            }
            self.put_for_loop(number, &Sum::from(bounds.lo()), &mut [])?;
        }
        let mut conditions: Vec<Condition> = Vec::new();
        for condition in self.conditions() {
            let condition = condition.in_order();
            let is_open = !condition.bounds().contains_all(self.range(condition.sum()));
            if is_open && !conditions.contains(&condition) {
                conditions.push(condition);
            }
        }
        conditions.sort_by(Condition::compare);
        self.set_conditions(conditions);
        Ok(self)
    }

    /// Returns whether a loop index occurs in at most one condition, with a coefficient that skips no value.
    fn is_free(&self, number: usize) -> bool {
        let mut sums = self.values().iter().flat_map(|value| &value.index);
        let own = self.conditions().iter().map(Condition::sum);
        let own: Vec<&Sum> = own.filter(|sum| sum.mentions(number)).collect();
        let is_unit = |sum: &&Sum| {
            let coefficient = sum.coefficient(Index::Loop(number));
            coefficient.checked_abs() == Some(1)
        };
        !self.loops()[number].is_empty()
            && self.loops()[number].is_bounded()
            && own.len() <= 1
            && own.iter().all(is_unit)
            && !sums.any(|sum| sum.mentions(number))
    }

    /// Substitutes `image` for loop index `number`, even in `others`, and removes the index; later indices are renumbered.
    fn put_for_loop(
        &mut self,
        number: usize,
        image: &Sum,
        others: &mut [Sum],
    ) -> Result<(), Error> {
        let moved = |index: Index| match index {
            Index::Loop(other) if other > number => Some(Index::Loop(other - 1).into()),
            other => Some(Sum::from(other)),
        };
        let image = image.replaced_or_refused(&moved);
        let place = |index: Index| match index {
            Index::Loop(other) if other == number => Some(image.clone()),
            other => moved(other),
        };
        self.remove_loop(number);
        for sum in others {
            *sum = sum.replaced_or_refused(&place);
        }
        self.replace(&place)
    }

    /// Returns whether the conditions show that this relation contains `other`.
    pub(super) fn includes(&self, other: &Relation) -> bool {
        self.loops().is_empty()
            && self.values().is_empty()
            && (self.conditions().iter()).all(|condition| other.conditions().contains(condition))
    }

    /// Finds an equation that is solvable for a loop index: its position, the loop, and the solution. Unless `wider`, the
    /// solution must always be in the interval of the loop.
    fn solved_loop(&self, wider: bool) -> Option<(usize, usize, Sum)> {
        for (position, condition) in self.conditions().iter().enumerate() {
            if condition.bounds() != Interval::point(0) {
                continue;
            }
            for (coefficient, index) in condition.sum().terms() {
                let Index::Loop(number) = index else {
                    continue;
                };
                if coefficient.checked_abs() != Some(1) {
                    continue;
                }
                let own = Sum::from(*index) * *coefficient;
                let image = (condition.sum().clone() - own) * -coefficient;
                if wider || self.loops()[*number].contains_all(self.range(&image)) {
                    return Some((position, *number, image));
                }
            }
        }
        None
    }

    /// Returns, for each operand index, the sum over output indices that it equals; `None` unless the equations determine it.
    pub(super) fn functional(&self) -> Option<Vec<Sum>> {
        if !self.values().is_empty() || !self.loops().is_empty() {
            return None;
        }
        let image = |k: usize| {
            let own = Index::Operand(k);
            self.conditions().iter().find_map(|condition| {
                let terms = condition.sum().terms();
                let (coefficient, _) = terms.iter().find(|(_, index)| *index == own)?;
                let rest = condition.sum().clone() - Sum::from(own) * *coefficient;
                let mut others = rest.terms().iter();
                let fixed = others.all(|(_, index)| matches!(index, Index::Output(_)));
                let solvable = condition.bounds() == Interval::point(0)
                    && coefficient.checked_abs() == Some(1);
                (fixed && solvable).then(|| rest * -coefficient)
            })
        };
        (0..self.operand().len()).map(image).collect()
    }
}
