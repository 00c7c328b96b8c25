//! Relations between an element of the output and an element of an operand.
//!
//! Law of a [`Relation`]: output element `d` reads operand element `i` iff there are loop indices in their intervals
//! with which every condition holds, where each value is the element of an operand at the index that it states,
//! clamped.
//!
//! A relation is valid by construction: conditions and indices of values use only existing indices, and all numbers fit into 64
//! bits. It has its own type of sums instead of [`affinor_maps::num::Sum`]: maps are checked against definitions, so the two must
//! not share arithmetic.

use affinor_hlo::module::{ComputationId, InstructionId};
use affinor_maps::num::Interval;
use affinor_maps::text::{Error, ErrorKind};
use std::ops::{Add, Mul, Sub};

/// A path in a nested tuple; empty for a value that is not a tuple.
pub type TuplePath = Vec<usize>;

/// A variable of a relation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Index {
    /// `d`: the index of the output element in this dimension.
    Output(usize),
    /// `i`: the index of the operand element in this dimension.
    Operand(usize),
    /// `s`: a loop index, by number.
    Loop(usize),
    /// A runtime value, by number.
    Value(usize),
}

/// `constant + coefficient * index + ..`. A sum with a coefficient beyond 64 bits is rejected when it is used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sum(Option<Parts>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct Parts {
    constant: i64,
    terms: Vec<(i64, Index)>,
}

/// Returns the output index `d` in dimension `dimension`.
pub(super) fn d(dimension: usize) -> Sum {
    Sum::from(Index::Output(dimension))
}

/// Returns the operand index `i` in dimension `dimension`.
pub(super) fn i(dimension: usize) -> Sum {
    Sum::from(Index::Operand(dimension))
}

impl From<Index> for Sum {
    fn from(index: Index) -> Sum {
        Sum(Some(Parts { constant: 0, terms: vec![(1, index)] }))
    }
}

impl From<i64> for Sum {
    fn from(constant: i64) -> Sum {
        Sum(Some(Parts { constant, terms: Vec::new() }))
    }
}

impl Mul<i64> for Sum {
    type Output = Sum;

    fn mul(self, factor: i64) -> Sum {
        let product = |parts: Parts| {
            let terms = parts.terms.into_iter();
            let terms = terms.map(|(c, index)| Some((c.checked_mul(factor)?, index)));
            Some(Parts {
                constant: parts.constant.checked_mul(factor)?,
                terms: terms.collect::<Option<_>>()?,
            })
        };
        Sum(self.0.and_then(product))
    }
}

impl<T: Into<Sum>> Add<T> for Sum {
    type Output = Sum;

    fn add(self, other: T) -> Sum {
        let (Some(mut parts), Some(other)) = (self.0, other.into().0) else {
            return Sum(None);
        };
        let Some(constant) = parts.constant.checked_add(other.constant) else {
            return Sum(None);
        };
        parts.constant = constant;
        for (coefficient, index) in other.terms {
            match parts.terms.iter_mut().find(|(_, known)| *known == index) {
                None => parts.terms.push((coefficient, index)),
                Some((total, _)) => match total.checked_add(coefficient) {
                    Some(sum) => *total = sum,
                    None => return Sum(None),
                },
            }
        }
        parts.terms.retain(|(coefficient, _)| *coefficient != 0);
        Sum(Some(parts))
    }
}

impl<T: Into<Sum>> Sub<T> for Sum {
    type Output = Sum;

    fn sub(self, other: T) -> Sum {
        self + other.into() * -1
    }
}

impl Sum {
    /// Returns the constant.
    #[must_use]
    pub fn constant(&self) -> i64 {
        self.0.as_ref().map_or(0, |parts| parts.constant)
    }

    /// Returns `(coefficient, index)` of each other summand; no index occurs twice, no coefficient is 0.
    #[must_use]
    pub fn terms(&self) -> &[(i64, Index)] {
        self.0.as_ref().map_or(&[], |parts| &parts.terms)
    }

    /// Substitutes sums for indices; `None` if an index has no substitute.
    pub(super) fn replaced(&self, place: &dyn Fn(Index) -> Option<Sum>) -> Option<Sum> {
        let start = Some(Sum::from(self.constant()));
        let terms = self.terms().iter();
        terms.fold(start, |sum, (coefficient, index)| Some(sum? + place(*index)? * *coefficient))
    }

    /// Returns whether loop index `number` occurs in the sum.
    pub(super) fn mentions(&self, number: usize) -> bool {
        self.coefficient(Index::Loop(number)) != 0
    }

    /// Returns the coefficient of an index; 0 if it does not occur.
    pub(super) fn coefficient(&self, index: Index) -> i64 {
        let mut terms = self.terms().iter();
        terms.find(|(_, own)| *own == index).map_or(0, |(coefficient, _)| *coefficient)
    }

    /// Substitutes sums for indices; if an index has no substitute, the result is a sum that is rejected when used.
    pub(super) fn replaced_or_refused(&self, place: &dyn Fn(Index) -> Option<Sum>) -> Sum {
        self.replaced(place).unwrap_or(Sum(None))
    }
}

/// `sum in bounds`; an equation if the bounds are `[0, 0]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition {
    sum: Sum,
    bounds: Interval,
}

impl Condition {
    /// Returns the bounded sum.
    #[must_use]
    pub fn sum(&self) -> &Sum {
        &self.sum
    }

    /// Returns the bounds of the sum.
    #[must_use]
    pub fn bounds(&self) -> Interval {
        self.bounds
    }

    /// Returns the same condition with its terms in the order of their indices and a positive first coefficient.
    pub(super) fn in_order(&self) -> Condition {
        let Some(parts) = &self.sum.0 else {
            return self.clone();
        };
        let mut terms = parts.terms.clone();
        terms.sort_by_key(|(_, index)| *index);
        let sum = Sum(Some(Parts { terms, ..parts.clone() }));
        let is_negative = sum.terms().first().is_some_and(|(c, _)| *c < 0);
        let turned = sum.clone() * -1;
        match is_negative && turned.0.is_some() {
            false => Condition { sum, ..self.clone() },
            true => Condition { sum: turned, bounds: self.bounds.scale(-1) },
        }
    }

    /// Compares two conditions in a total order.
    pub(super) fn compare(&self, other: &Condition) -> std::cmp::Ordering {
        let key = |condition: &Condition| {
            let (lo, hi) = (condition.bounds.lo(), condition.bounds.hi());
            let terms = condition.sum.terms().to_vec();
            (terms, condition.sum.constant(), lo, hi)
        };
        key(self).cmp(&key(other))
    }
}

/// A tensor whose elements are values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Source {
    /// The operand of this index.
    Operand(usize),
    /// A named size.
    Name(std::sync::Arc<str>),
    /// The result of an instruction inside a called computation, reached through these calls, outermost first.
    Inside {
        /// The computation and the id of the instruction.
        at: (ComputationId, InstructionId),
        /// The calls inside the called computation, outermost first.
        through: Vec<(ComputationId, InstructionId)>,
    },
}

/// A clamped element of an integer tensor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// The tensor.
    pub source: Source,
    /// The part of the tensor.
    pub path: TuplePath,
    /// The index of the element.
    pub index: Vec<Sum>,
    /// The value is `max(clamp.lo, min(clamp.hi, element))`.
    pub clamp: Interval,
    /// Whether the tensor may hold any values. Otherwise they do not depend on parameters, but were not evaluated.
    pub is_free: bool,
}

/// A relation between elements of the output and of an operand; see the head of this file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Relation {
    output: Vec<i64>,
    operand: Vec<i64>,
    loops: Vec<Interval>,
    values: Vec<Value>,
    conditions: Vec<Condition>,
}

/// Returns the indices of a dimension; a size of `i64::MAX` stands for one that conditions bound.
pub(super) fn indices(size: i64) -> Interval {
    match size {
        i64::MAX => Interval::at_least(0),
        size => Interval::of_size(size),
    }
}

impl Relation {
    /// Creates the full relation: every element of an output of sizes `output` with every element of an operand of
    /// sizes `operand`.
    #[must_use]
    pub fn new(output: &[i64], operand: &[i64]) -> Relation {
        Relation {
            output: output.to_vec(),
            operand: operand.to_vec(),
            loops: Vec::new(),
            values: Vec::new(),
            conditions: Vec::new(),
        }
    }

    /// Adds a loop index in `0..size`.
    pub fn over(&mut self, size: i64) -> Sum {
        self.over_interval(Interval::of_size(size))
    }

    /// Adds a loop index for each of `sizes`.
    pub(super) fn over_sizes(&mut self, sizes: &[i64]) -> Vec<Sum> {
        sizes.iter().map(|size| self.over(*size)).collect()
    }

    /// Adds a loop index for each of `intervals`.
    pub(super) fn over_all(&mut self, intervals: &[Interval]) -> Vec<Sum> {
        let intervals = intervals.iter();
        intervals.map(|bounds| self.over_interval(*bounds)).collect()
    }

    /// Adds a loop index in `bounds`.
    pub(super) fn over_interval(&mut self, bounds: Interval) -> Sum {
        self.loops.push(bounds);
        Sum::from(Index::Loop(self.loops.len() - 1))
    }

    /// Replaces value `number`.
    pub(super) fn set_value(&mut self, number: usize, value: Value) -> Result<(), Error> {
        for sum in &value.index {
            self.check(sum)?;
        }
        if let Some(slot) = self.values.get_mut(number) {
            *slot = value;
        }
        Ok(())
    }

    /// Marks value `number` as not free.
    pub(super) fn mark(&mut self, number: usize) {
        if let Some(value) = self.values.get_mut(number) {
            value.is_free = false;
        }
    }

    /// Returns the relation with `sum`, over indices and earlier values, substituted for value `number`.
    pub(super) fn without_value(&self, number: usize, sum: &Sum) -> Result<Relation, Error> {
        let mut changed = self.clone();
        changed.replace(&|index| match index {
            Index::Value(other) if other == number => Some(sum.clone()),
            other => Some(other.into()),
        })?;
        changed.values.remove(number);
        changed.replace(&|index| match index {
            Index::Value(other) if other > number => Some(Index::Value(other - 1).into()),
            other => Some(other.into()),
        })?;
        Ok(changed)
    }

    /// Returns an interval that contains the values of a sum over the indices.
    pub(super) fn range(&self, sum: &Sum) -> Interval {
        let bounds = |index: Index| match index {
            Index::Output(dimension) => indices(self.output[dimension]),
            Index::Operand(dimension) => indices(self.operand[dimension]),
            Index::Loop(number) => self.loops[number],
            Index::Value(number) => self.values[number].clamp,
        };
        let terms = sum.terms().iter();
        Interval::linear(sum.constant(), terms.map(|(c, index)| (*c, bounds(*index))))
    }

    /// Substitutes sums for indices in all conditions and values.
    pub(super) fn replace(&mut self, place: &dyn Fn(Index) -> Option<Sum>) -> Result<(), Error> {
        let conditions = self.conditions.iter_mut().map(|c| &mut c.sum);
        let indices = self.values.iter_mut().flat_map(|value| &mut value.index);
        for sum in conditions.chain(indices) {
            *sum = sum.replaced_or_refused(place);
        }
        let conditions = self.conditions.iter().map(|condition| &condition.sum);
        let mut all = conditions.chain(self.values.iter().flat_map(|value| &value.index));
        all.try_for_each(|sum| self.check(sum))
    }

    pub(super) fn remove_condition(&mut self, position: usize) -> Condition {
        self.conditions.remove(position)
    }

    /// Replaces all conditions, which must be over the same indices.
    pub(super) fn set_conditions(&mut self, conditions: Vec<Condition>) {
        self.conditions = conditions;
    }

    pub(super) fn remove_loop(&mut self, number: usize) {
        self.loops.remove(number);
    }

    /// Adds a value.
    ///
    /// # Errors
    /// As [`Relation::within`].
    pub fn value(&mut self, value: Value) -> Result<Sum, Error> {
        for sum in &value.index {
            self.check(sum)?;
        }
        self.values.push(value);
        Ok(Sum::from(Index::Value(self.values.len() - 1)))
    }

    /// Adds the condition `left = right`.
    ///
    /// # Errors
    /// As [`Relation::within`].
    pub fn equate(&mut self, left: Sum, right: Sum) -> Result<(), Error> {
        self.within(left - right, Interval::point(0))
    }

    /// Adds the condition `sum in bounds`.
    ///
    /// # Errors
    /// Kind `overflow` if a coefficient does not fit, `hlo` if an index does not exist: the op's shapes have fewer
    /// dimensions than its definition uses.
    pub fn within(&mut self, sum: Sum, bounds: Interval) -> Result<(), Error> {
        self.check(&sum)?;
        self.conditions.push(Condition { sum, bounds });
        Ok(())
    }

    fn check(&self, sum: &Sum) -> Result<(), Error> {
        let Some(parts) = &sum.0 else {
            return Err(Error::without_span(
                ErrorKind::Overflow,
                "the op's sizes give a position beyond 64 bits",
            ));
        };
        let is_there = |index: Index| match index {
            Index::Output(dimension) => dimension < self.output.len(),
            Index::Operand(dimension) => dimension < self.operand.len(),
            Index::Loop(number) => number < self.loops.len(),
            Index::Value(number) => number < self.values.len(),
        };
        if parts.terms.iter().all(|(_, index)| is_there(*index)) {
            return Ok(());
        }
        Err(Error::without_span(
            ErrorKind::Hlo,
            "the op's shapes have too few dimensions for its attributes",
        ))
    }

    /// Returns the sizes of the output.
    #[must_use]
    pub fn output(&self) -> &[i64] {
        &self.output
    }

    /// Returns the sizes of the operand.
    #[must_use]
    pub fn operand(&self) -> &[i64] {
        &self.operand
    }

    /// Returns the intervals of the loop indices.
    #[must_use]
    pub fn loops(&self) -> &[Interval] {
        &self.loops
    }

    /// Returns the runtime values. The index of each uses only earlier values.
    #[must_use]
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// Returns the conditions.
    #[must_use]
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }
}
