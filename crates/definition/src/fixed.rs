//! Values that do not depend on parameters: offsets and indices that are constants, iotas, or computed from these.
//!
//! Law: for the actual values of these tensors, the accesses have the same elements as before. The values are evaluated element
//! by element (`values`), and an access is split into parts in each of which they are a sum of the index, which is substituted
//! for them. Values that depend on no parameter but were not evaluated are marked as not free.

use super::access::{Access, Definition};
use super::compose::{Definitions, is_fixed};
use super::interpret::{Element, Interpreter, Origin, ParameterElement, Place, scalar};
use super::op::NoDefinition;
use super::relation::{Index, Relation, Source, Sum, TuplePath};
use affinor_hlo::module::{Computation, ComputationId, Instruction, InstructionId};
use affinor_hlo::opcode::{Opcode, Values};
use affinor_maps::num::Interval;
use affinor_maps::text::Error;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Maximum number of elements of a tensor that are evaluated.
const ELEMENTS: u64 = 10_000;

/// Maximum number of candidates tried to evaluate them.
const STEPS: u64 = 1_000_000;

/// Maximum number of parts of an access.
const PARTS: usize = 128;

/// The content of a tensor that holds a value.
enum Content {
    /// The values depend on parameters.
    Any,
    /// The values are a sum in each of these parts.
    Parts(Vec<Part>),
    /// The values were not evaluated.
    Unknown,
}

struct Part {
    conditions: Vec<(Sum, Interval)>,
    value: Sum,
}

impl Definitions<'_> {
    /// Returns the definition of an instruction, with sums substituted for values that do not depend on parameters.
    pub(super) fn with_fixed_values(
        &self,
        computation: &Computation,
        instruction: &Instruction,
        definition: Rc<Definition>,
    ) -> Result<Rc<Definition>, NoDefinition> {
        let has_values = |access: &Access| !values_of(access, 0).is_empty();
        if !definition.accesses().iter().any(has_values) {
            return Ok(definition);
        }
        let mut computations = self.module.computations();
        let own = computations.find(|(_, other)| std::ptr::eq(*other, computation));
        let mut instructions = computation.instructions();
        let at = instructions.find(|(_, other)| std::ptr::eq(*other, instruction));
        let (Some((own, _)), Some((at, _))) = (own, at) else {
            return Ok(definition);
        };
        let is_asked = Cell::new(false);
        let known = |_: &ParameterElement| {
            is_asked.set(true);
            None
        };
        let mut tensors = Tensors {
            interpreter: Interpreter::of(self.module, own, &known, STEPS),
            is_asked: &is_asked,
            at,
            fixed: BTreeSet::new(),
        };
        let mut found = Vec::new();
        for access in definition.accesses() {
            found.extend(tensors.split(access)?);
        }
        let definition: Definition = found.into_iter().collect();
        Ok(Rc::new(definition.with_fixed(tensors.fixed)))
    }
}

impl Definitions<'_> {
    /// Returns whether a loop may start from any state. It may not if a scalar of the state does not depend on parameters of
    /// the computation, or if the module states the trip count: then elements that are read for some states may never be read.
    pub(super) fn starts_anywhere(
        &self,
        computation: &Computation,
        instruction: &Instruction,
    ) -> bool {
        let mut computations = self.module.computations();
        let own = computations.find(|(_, other)| std::ptr::eq(*other, computation));
        let (Some((own, _)), Some(start)) = (own, instruction.operands().first()) else {
            return false;
        };
        let known = |_: &ParameterElement| None;
        let mut interpreter = Interpreter::of(self.module, own, &known, STEPS);
        let place = Place { frame: 0, instruction: *start };
        let leaves = instruction.shape().leaves().into_iter();
        let mut scalars = leaves.filter(|(_, leaf)| leaf.as_array().is_some_and(|a| a.rank() == 0));
        let is_known = |(path, _)| {
            let element = Element { path, ..scalar(place) };
            interpreter.value(&element).is_ok()
        };
        instruction.backend_config("known_trip_count").is_none() && !scalars.any(is_known)
    }
}

/// Returns the values of an access from number `first` on, those of its exceptions first; each with whether it belongs to the
/// exceptions.
fn values_of(access: &Access, first: usize) -> Vec<(bool, usize)> {
    let count =
        |relation: Option<&Relation>| relation.map_or(0, |relation| relation.values().len());
    let exceptions = (0..count(access.unless.as_ref())).map(|number| (true, number));
    let own = (0..count(Some(&access.reads))).map(|number| (false, number));
    exceptions.chain(own).skip(first).collect()
}

/// The tensors that hold the values of one instruction.
struct Tensors<'a> {
    interpreter: Interpreter<'a>,
    /// Set when an element of a parameter is looked up.
    is_asked: &'a Cell<bool>,
    at: InstructionId,
    /// The operands whose values were replaced by sums.
    fixed: BTreeSet<(usize, TuplePath)>,
}

impl Tensors<'_> {
    fn split(&mut self, access: &Access) -> Result<Vec<Access>, NoDefinition> {
        let mut done = Vec::new();
        let mut pending = vec![(access.clone(), 0)];
        while let Some((mut access, next)) = pending.pop() {
            let Some((of_exceptions, number)) = values_of(&access, next).first().copied() else {
                done.push(access);
                continue;
            };
            let relation = match (&mut access.unless, of_exceptions) {
                (Some(exceptions), true) => exceptions,
                _ => &mut access.reads,
            };
            match self.content(relation, number) {
                Content::Parts(parts) => {
                    let conditions = parts.iter().flat_map(|part| &part.conditions);
                    let sums: Vec<Sum> = conditions.map(|(sum, _)| sum.clone()).collect();
                    let fits = done.len() + pending.len() + parts.len() <= PARTS;
                    // Exceptions can be split by the output only, as the access is.
                    if fits && (!of_exceptions || is_fixed(&sums)) {
                        let value = &relation.values()[number];
                        if let Source::Operand(operand) = value.source {
                            self.fixed.insert((operand, value.path.clone()));
                        }
                        for part in parts.iter().rev() {
                            pending.extend(
                                part.of(&access, of_exceptions, number)?.map(|x| (x, next)),
                            );
                        }
                        continue;
                    }
                    relation.mark(number);
                }
                Content::Unknown => relation.mark(number),
                Content::Any => {}
            }
            pending.push((access, next + 1));
        }
        Ok(done)
    }

    /// Returns the instruction whose values are evaluated, in the frame whose parameters end the search.
    fn own(&self) -> Place {
        Place { frame: 0, instruction: self.at }
    }

    /// Returns the place of the instruction reached through these calls; `None` if it does not run exactly once.
    fn inside(&mut self, steps: &[(ComputationId, InstructionId)]) -> Result<Option<Place>, Error> {
        let mut place = self.own();
        for (computation, instruction) in steps {
            let called = match self.interpreter.instruction(place).opcode() {
                Opcode::Fusion | Opcode::Call => self.interpreter.origin(&scalar(place))?,
                _ => return Ok(None),
            };
            let Origin::Same(root) = called else {
                return Ok(None);
            };
            if self.interpreter.frames[root.place.frame].computation != *computation {
                return Ok(None);
            }
            place = root.place.beside(*instruction);
        }
        Ok(Some(place))
    }

    fn content(&mut self, relation: &Relation, number: usize) -> Content {
        let value = &relation.values()[number];
        let place = match &value.source {
            Source::Operand(operand) => {
                let own = self.own();
                self.interpreter.operand(own, *operand, &value.path, &[]).map(|x| Some(x.place))
            }
            Source::Name(_) => return Content::Unknown,
            Source::Inside { at, through } => {
                let steps = [&through[..], &[*at]].concat();
                self.inside(&steps)
            }
        };
        let Ok(Some(place)) = place else {
            return Content::Unknown;
        };
        if self.is_parameter(place) {
            return Content::Any;
        }
        let shape = self.interpreter.instruction(place).shape().at(&value.path);
        let sizes = shape.and_then(|shape| shape.as_array()?.fixed_sizes());
        let Some(sizes) = sizes.filter(|sizes| sizes.len() == value.index.len()) else {
            return Content::Unknown;
        };
        let range = |(sum, size): (&Sum, &i64)| {
            let own = relation.conditions().iter().filter(|condition| condition.sum() == sum);
            let range = relation.range(sum).intersect(Interval::of_size(*size));
            own.fold(range, |range, condition| range.intersect(condition.bounds()))
        };
        let ranges: Vec<Interval> = value.index.iter().zip(&sizes).map(range).collect();
        let count =
            ranges.iter().try_fold(1, |count: u64, range| count.checked_mul(range.count()?));
        if count.is_none_or(|count| count > ELEMENTS) {
            return Content::Unknown;
        }
        let (mut elements, mut is_any) = (Vec::new(), false);
        self.interpreter.meets_loop = false;
        for index in points(&ranges) {
            let path = value.path.clone();
            self.is_asked.set(false);
            match self.interpreter.value(&Element { place, path, index }) {
                Ok(element) => elements.push(element.min(value.clamp.hi()).max(value.clamp.lo())),
                Err(_) if self.is_asked.get() => is_any = true,
                Err(_) => return Content::Unknown,
            }
            if is_any && !elements.is_empty() {
                return Content::Unknown;
            }
        }
        if is_any {
            // The values passed on by a loop do not depend on its trip count.
            return match self.interpreter.meets_loop {
                true => Content::Unknown,
                false => Content::Any,
            };
        }
        parts(&value.index, &ranges, &elements).map_or(Content::Unknown, Content::Parts)
    }

    /// Returns whether an instruction only moves elements of a parameter.
    fn is_parameter(&self, place: Place) -> bool {
        let body = self.interpreter.body(place);
        let mut instruction = self.interpreter.instruction(place);
        loop {
            let operand = body.operands(instruction).next();
            match (instruction.opcode(), operand) {
                (Opcode::Parameter, _) => return place.frame == 0,
                (Opcode::Tuple, _) => return false,
                (Opcode::Convert, Some(operand)) => instruction = operand,
                (opcode, Some(operand)) if opcode.values() == Values::Moved => {
                    instruction = operand
                }
                _ => return false,
            }
        }
    }
}

impl Part {
    /// Restricts `access` to this part, with value `number` replaced; `None` if it is empty.
    fn of(
        &self,
        access: &Access,
        of_exceptions: bool,
        number: usize,
    ) -> Result<Option<Access>, NoDefinition> {
        let mut part = access.clone();
        let relation = match (&mut part.unless, of_exceptions) {
            (Some(exceptions), true) => exceptions,
            _ => &mut part.reads,
        };
        *relation = relation.without_value(number, &self.value)?;
        for (sum, bounds) in &self.conditions {
            let place = |index: Index| match index {
                Index::Value(other) if other > number && !of_exceptions => {
                    Some(Index::Value(other - 1).into())
                }
                other => Some(other.into()),
            };
            let sum = sum.replaced_or_refused(&place);
            let mut own = part.reads.conditions().iter().filter(|known| *known.sum() == sum);
            if own.any(|known| known.bounds().intersect(*bounds).is_empty()) {
                return Ok(None);
            }
            part.reads.within(sum, *bounds)?;
        }
        Ok(Some(part))
    }
}

/// Returns the points of a box, in row-major order.
fn points(ranges: &[Interval]) -> Vec<Vec<i64>> {
    ranges.iter().fold(vec![Vec::new()], |points, range| {
        let longer = |point: &Vec<i64>| {
            let point = point.clone();
            (range.lo()..=range.hi()).map(move |k| [&point[..], &[k]].concat())
        };
        points.iter().flat_map(longer).collect()
    })
}

/// Splits a box into parts in each of which the elements are a sum of the index: the whole box, or runs along the last
/// dimension that the elements depend on.
fn parts(index: &[Sum], ranges: &[Interval], elements: &[i64]) -> Option<Vec<Part>> {
    let sizes: Vec<usize> =
        ranges.iter().map(|range| (range.hi() - range.lo() + 1) as usize).collect();
    let strides: Vec<usize> = (0..sizes.len()).map(|k| sizes[k + 1..].iter().product()).collect();
    let digit = |position: usize, k: usize| position / strides[k] % sizes[k];
    let depends = |k: &usize| {
        let mut positions = (0..elements.len()).filter(|position| digit(*position, *k) > 0);
        positions.any(|position| elements[position] != elements[position - strides[*k]])
    };
    let own: Vec<usize> = (0..sizes.len()).filter(depends).collect();
    let sum = |constant: i64, slopes: &[(i64, usize)]| {
        let terms = slopes.iter().map(|(slope, k)| (index[*k].clone() + -ranges[*k].lo()) * *slope);
        terms.fold(Sum::from(constant), |sum, term| sum + term)
    };
    let slope = |k: &usize| Some((elements[strides[*k]].checked_sub(elements[0])?, *k));
    let slopes: Vec<(i64, usize)> = own.iter().map(slope).collect::<Option<_>>()?;
    let fits = |(position, element): (usize, &i64)| {
        let terms =
            slopes.iter().map(|(slope, k)| i128::from(*slope) * digit(position, *k) as i128);
        terms.sum::<i128>() + i128::from(elements[0]) == i128::from(*element)
    };
    if elements.iter().enumerate().all(fits) {
        return Some(vec![Part {
            conditions: Vec::new(),
            value: sum(*elements.first()?, &slopes),
        }]);
    }
    let (last, before) = own.split_last()?;
    let rows = (0..elements.len())
        .filter(|at| (0..sizes.len()).all(|k| before.contains(&k) || digit(*at, k) == 0));
    let mut parts = Vec::new();
    for row in rows {
        let value = |k: usize| elements[row + k * strides[*last]];
        let mut first = 0;
        while first < sizes[*last] {
            let mut end = first + 1;
            let slope = match end < sizes[*last] {
                true => value(end).checked_sub(value(first))?,
                false => 0,
            };
            while end < sizes[*last] && value(end).checked_sub(value(end - 1)) == Some(slope) {
                end += 1;
            }
            let at = |k: usize, digit: usize| ranges[k].lo() + digit as i64;
            let mut conditions: Vec<(Sum, Interval)> = Vec::new();
            for k in before {
                conditions.push((index[*k].clone(), Interval::point(at(*k, digit(row, *k)))));
            }
            let run = Interval::new(at(*last, first), at(*last, end - 1));
            conditions.push((index[*last].clone(), run));
            let constant = value(first).checked_sub(slope.checked_mul(first as i64)?)?;
            parts.push(Part { conditions, value: sum(constant, &[(slope, *last)]) });
            first = end;
        }
    }
    Some(parts)
}
