//! Values of elements, computed one by one for a sample of the parameters.
//!
//! Law: the values are those of real arithmetic, up to the rounding of 64-bit floats and the noise that is asked for; of the
//! parameters, those that [`given`] states. A value is unknown rather than wrong: of operations that are not followed, and of
//! results that are not determined.

use super::alike::{combiner, is_elementwise};
use super::folded::Folded;
use super::frames::At;
use super::parts::View;
use super::reals::{applied, given, is_representable, literal, noise_of};
use super::sample_parts::{Array, Way};
use super::values::Computed;
use crate::agreement::digits;
use affinor::expr::{IndexingMap, VariableKind};
use affinor::num::{Interrupt, product};
use affinor_hlo::element_type::ElementType;
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::{OperandMap, TuplePath, row_major};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Maximum number of elements that are computed or folded for one sample.
const STEPS: u64 = 1_000_000;

/// Number of steps after which an interrupt is looked for.
const POLLED: u64 = 1 << 12;

/// Maximum depth of operations.
const DEPTH: usize = 300;

/// Magnitude of the noise, relative to a value.
const NOISE: f64 = 1e-7;

impl Computed<'_> {
    /// Returns the element of a view at a point of the space.
    pub(super) fn sample(
        &mut self,
        side: usize,
        at: &At,
        maps: &[OperandMap],
        point: &[i64],
    ) -> Option<f64> {
        for map in maps {
            if let Some(index) = self.index_at(side, map, point, 0)? {
                return self.value_at(side, at, &index, 0);
            }
        }
        None
    }

    /// Returns the index to which a map leads; `Some(None)` outside of its domain, `None` if it is unknown.
    #[allow(clippy::option_option, reason = "unknown, outside, inside")]
    fn index_at(
        &mut self,
        side: usize,
        map: &OperandMap,
        point: &[i64],
        depth: usize,
    ) -> Option<Option<Vec<i64>>> {
        let domain = map.map.domain();
        let is_plain = domain.count(VariableKind::Dimension) == point.len()
            && domain.variables().len() == point.len() + map.runtime.len();
        is_plain.then_some(())?;
        let mut point = point.to_vec();
        point.resize(domain.variables().len(), 0);
        for runtime in &map.runtime {
            let at = self.source(side, &runtime.source)?;
            let index = runtime.index.iter().map(|x| x.eval(&point).ok());
            let index = index.collect::<Option<Vec<i64>>>()?;
            let value = self.value_at(side, &at, &index, depth)?;
            let value = (value as i64).clamp(runtime.clamp.lo(), runtime.clamp.hi());
            *point.get_mut(runtime.variable.index())? = value;
        }
        within(&map.map, &point)
    }

    /// Counts steps; `None` after too many, and after an interrupt.
    fn spend(&mut self, steps: u64) -> Option<()> {
        let before = self.values.steps;
        self.values.steps = before.saturating_add(steps);
        let interrupt = self.budget.interrupt.as_ref();
        // Looked at once in a while.
        let is_due = before / POLLED != self.values.steps / POLLED;
        if is_due && interrupt.is_some_and(Interrupt::is_triggered) {
            self.values.steps = STEPS + 1;
        }
        (self.values.steps <= STEPS).then_some(())
    }

    fn value_at(&mut self, side: usize, at: &At, index: &[i64], depth: usize) -> Option<f64> {
        let number = self.sampled_array(side, at);
        let array = self.arrays.all[number].clone()?;
        let mut position = 0;
        for (k, size) in index.iter().zip(&array.sizes) {
            (0..*size).contains(k).then_some(())?;
            position = position * size + k;
        }
        (index.len() == array.sizes.len() && depth < DEPTH).then_some(())?;
        let position = usize::try_from(position).ok()?;
        let elements = &mut self.values.elements;
        if elements.len() <= number {
            elements.resize(number + 1, BTreeMap::new());
        }
        if let Some(known) = elements[number].get(&position) {
            return *known;
        }
        self.spend(1)?;
        let found = self.computed_at(side, &array, (at, index, position), depth + 1);
        let found = found.filter(|x| is_representable(*x, array.of));
        let is_noisy = matches!(array.way, Way::Applied(_) | Way::Folded(..) | Way::Literal(_));
        let found = match self.values.noise {
            noise if noise > 0 && is_noisy && array.of.is_float() => {
                let number = noise_of(noise, (number + position) as u64);
                found.map(|x| x * (1.0 + NOISE * number))
            }
            _ => found,
        };
        self.values.elements[number].insert(position, found);
        found
    }

    fn computed_at(
        &mut self,
        side: usize,
        array: &Array,
        (at, index, position): (&At, &[i64], usize),
        depth: usize,
    ) -> Option<f64> {
        match &array.way {
            Way::Copied(views) => {
                for view in views {
                    for map in &view.maps {
                        if let Some(index) = self.index_at(side, map, index, depth)? {
                            return self.value_at(side, &view.at, &index, depth);
                        }
                    }
                }
                None
            }
            Way::Given(number) => given(self.values.sample, *number, position as u64, array.of),
            Way::Literal(values) => values.get(position).copied(),
            Way::Iota(dimension) => Some(*index.get(*dimension)? as f64),
            Way::Applied(operands) => {
                let mut values = Vec::with_capacity(operands.len());
                for (operand, is_scalar) in operands {
                    let index = if *is_scalar { &[] } else { index };
                    values.push(self.value_at(side, operand, index, depth)?);
                }
                applied(self.frames[side].instruction(at), array.of, &values)
            }
            Way::Folded(opcode, operands) => {
                self.folded_element(side, opcode, operands, index, depth)
            }
            Way::Unknown => None,
        }
    }

    fn folded_element(
        &mut self,
        side: usize,
        opcode: &Opcode,
        operands: &[Folded],
        index: &[i64],
        depth: usize,
    ) -> Option<f64> {
        let (first, over) = (operands.first()?, &operands.first()?.over);
        let is_of_products = *opcode == Opcode::Dot;
        let mut found = match operands {
            [_, start] if !is_of_products => self.value_at(side, &start.at, &[], depth)?,
            [_, _] => 0.0,
            _ => return None,
        };
        let factors = if is_of_products { operands } else { std::slice::from_ref(first) };
        let count = product(over.iter().copied())?.unsigned_abs();
        self.spend(count)?;
        for number in 0..count {
            let point = [index, &digits(number, over)].concat();
            let mut value = Some(1.0);
            for factor in factors {
                value = match (value, within(&factor.map, &point)?) {
                    (Some(value), Some(at)) => {
                        Some(value * self.value_at(side, &factor.at, &at, depth)?)
                    }
                    // Outside of an array, nothing is folded.
                    _ => None,
                };
            }
            if let Some(value) = value {
                found = match opcode {
                    Opcode::Add | Opcode::Dot => found + value,
                    Opcode::Multiply => found * value,
                    Opcode::Maximum => found.max(value),
                    Opcode::Minimum => found.min(value),
                    Opcode::And => f64::from(u8::from(found != 0.0 && value != 0.0)),
                    Opcode::Or => f64::from(u8::from(found != 0.0 || value != 0.0)),
                    _ => return None,
                };
            }
        }
        Some(found)
    }

    /// Returns the number of an array.
    fn sampled_array(&mut self, side: usize, at: &At) -> usize {
        if let Some(number) = self.arrays.numbers[side].get(at) {
            return *number;
        }
        let array = self.new_array(side, at).map(Rc::new);
        let number = self.arrays.all.len();
        self.arrays.all.push(array);
        self.arrays.numbers[side].insert(at.clone(), number);
        number
    }

    fn new_array(&mut self, side: usize, at: &At) -> Option<Array> {
        let shape = self.frames[side].instruction(at).shape().at(&at.place.1)?.as_array()?;
        let (sizes, of) = (shape.sizes()?, shape.element_type());
        // Positions of elements are representable.
        product(sizes.iter().copied())?;
        let whole = OperandMap::exact(row_major(&sizes, &sizes)?);
        let view = View { at: at.clone(), maps: vec![whole] };
        let leaves = self.leaves(side, &sizes, &view).ok()?;
        let is_copied = !leaves.iter().any(|leaf| leaf.at == *at);
        let way = match is_copied {
            true => Way::Copied(leaves),
            false => self.way(side, at),
        };
        Some(Array { sizes, of, way })
    }

    fn way(&mut self, side: usize, at: &At) -> Way {
        let op = self.frames[side].instruction(at);
        if let Some(number) = op.parameter_number() {
            let entry = self.frames[side].body(at.frame);
            let before = entry.parameters()[..number].iter();
            let before = before.map(|id| entry[*id].shape().arrays().len()).sum::<usize>();
            let own = op.shape().arrays();
            let own = own.iter().position(|(path, _)| *path == at.place.1);
            return match own.filter(|_| self.frames[side].is_entry(at.frame)) {
                Some(own) => Way::Given((before + own) as u64),
                None => Way::Unknown,
            };
        }
        let found = match op.opcode() {
            Opcode::Constant => literal(op).map(Way::Literal),
            Opcode::Iota => {
                let rank = op.shape().as_array().map_or(0, |array| array.rank());
                op.iota_dimension(rank).ok().map(Way::Iota)
            }
            Opcode::Dot | Opcode::Convolution => {
                self.folded(side, at).map(|operands| Way::Folded(Opcode::Dot, operands))
            }
            Opcode::Reduce | Opcode::ReduceWindow => combiner(self.frames[side].module, op)
                .filter(|(opcode, of)| {
                    let is_of_bits = matches!(opcode, Opcode::And | Opcode::Or);
                    !is_of_bits || *of == ElementType::Pred
                })
                .and_then(|(opcode, _)| Some(Way::Folded(opcode, self.folded(side, at)?))),
            _ => self.operands_of(side, at),
        };
        found.unwrap_or(Way::Unknown)
    }

    fn operands_of(&self, side: usize, at: &At) -> Option<Way> {
        let body = self.frames[side].body(at.frame);
        let op = self.frames[side].instruction(at);
        is_elementwise(body, op).then_some(())?;
        let rank = op.shape().as_array()?.rank();
        let operand = |id: &_| {
            let own = body[*id].shape().as_array()?.rank();
            let place = (*id, TuplePath::new());
            (own == 0 || own == rank).then_some((At { frame: at.frame, place }, own != rank))
        };
        op.operands().iter().map(operand).collect::<Option<_>>().map(Way::Applied)
    }
}

/// Returns the index to which a map leads; `Some(None)` outside of its domain, `None` on overflow.
#[allow(clippy::option_option, reason = "unknown, outside, inside")]
fn within(map: &IndexingMap, point: &[i64]) -> Option<Option<Vec<i64>>> {
    match map.domain().contains(point).ok()? {
        true => Some(Some(map.eval(point).ok()?)),
        false => Some(None),
    }
}
