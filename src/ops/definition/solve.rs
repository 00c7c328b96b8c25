//! Relations over other indices, and without the loop indices that their equations give.
//!
//! Law: what is made of a relation here holds the same elements for each element of the output.

use super::relation::{Condition, Index, Relation, Sum, Value};
use crate::num::Interval;
use crate::text::Error;

/// Adds the values and conditions of `from` to `to`, with other indices.
pub(super) fn copy(
    from: &Relation,
    to: &mut Relation,
    place: &dyn Fn(Index) -> Option<Sum>,
) -> Result<(), Error> {
    for value in from.values() {
        let index = value.index.iter().map(|sum| sum.replaced_or_refused(place));
        to.value(Value {
            index: index.collect(),
            ..value.clone()
        })?;
    }
    for condition in from.conditions() {
        let sum = condition.sum().replaced_or_refused(place);
        to.within(sum, condition.bounds())?;
    }
    Ok(())
}

impl Relation {
    /// Without the loop indices that an equation gives as a sum which always lies in their interval.
    /// `others` are sums over its indices; they come back over those that are left.
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

    /// In a form that depends less on how the relation came about: without the loop indices that an equation gives,
    /// or that one condition alone bounds; their intervals become conditions. Conditions that always hold are left
    /// out, the others in order.
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
            let place = self
                .conditions()
                .iter()
                .position(|c| c.sum().mentions(number));
            if let Some(position) = place {
                // `c * s + rest in bounds` for some `s`: the rest lies in `bounds - c * s` for one of them.
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

    /// Is a loop index mentioned in one condition at most, with a coefficient that skips nothing?
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

    /// Puts `image` in the place of loop index `number`, also in `others`. The index is then not there any more; those
    /// behind it move up.
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

    /// Does each element that `other` holds belong to this relation, as far as the conditions show?
    pub(super) fn includes(&self, other: &Relation) -> bool {
        self.loops().is_empty()
            && self.values().is_empty()
            && (self.conditions().iter()).all(|condition| other.conditions().contains(condition))
    }

    /// An equation that can be solved for a loop index: its place, the loop, and what stands for it. Unless `wider`,
    /// that always lies in the interval of the loop.
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

    /// For each operand index the sum over the output's indices that it equals; `None` unless the equations
    /// say that.
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
