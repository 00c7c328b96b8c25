//! Compares reads at places that are known only at run time, by the values that determine the places.
//!
//! Law: the values of runtime variables are the same if they are elements at the same index of arrays that are the same. Values
//! in the entry are also compared as terms and expressions over elements of parameters (`runtime`).

use super::constant::Constant;
use super::frames::At;
use super::parts::{Listed, View};
use super::values::Computed;
use crate::agreement::{Change, change};
use affinor::expr::{Domain, Expr, IndexingMap, Variable, VariableId, VariableKind};
use affinor_ops::indexing::{
    InstructionPlace, OperandMap, RuntimeVariable, TuplePath, ValueSource, known_integer,
};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of iterations of a loop whose values are listed.
const RUNS: usize = 4_096;

/// An element of an array.
struct Element {
    at: At,
    index: Vec<Expr>,
}

impl Computed<'_> {
    /// Returns whether the maps of views of both sides have the same reads.
    pub(super) fn reads_same(&mut self, sides: [&[OperandMap]; 2]) -> bool {
        let [old, new] = sides;
        let has_values = |maps: &[OperandMap]| maps.iter().any(|map| !map.runtime.is_empty());
        if !has_values(old) && !has_values(new) {
            return change((old, &[]), (new, &[]), &self.budget) == Change::None;
        }
        let restored = [0, 1].map(|side| self.restored(side, sides[side]));
        if let [Some(old), Some(new)] = &restored
            && self.runtime.change([old, new], &self.budget) == Change::None
        {
            self.is_strict &= self.runtime.has_same_values([old, new]);
            return true;
        }
        let traced = self
            .traced(sides)
            .filter(|[old, new]| change((old, &[]), (new, &[]), &self.budget) == Change::None);
        let Some([old, new]) = traced else {
            return self.same_in_cells(sides);
        };
        let values = |maps: &[OperandMap]| -> BTreeSet<String> {
            let all = maps.iter().flat_map(|map| &map.runtime);
            all.map(|x| format!("{:?} {:?} {:?}", x.source, x.index, x.clamp)).collect()
        };
        self.is_strict &= values(&old) == values(&new);
        true
    }

    /// Returns the maps over the entry, if all their runtime variables are elements of arrays there.
    fn restored(&self, side: usize, maps: &[OperandMap]) -> Option<Vec<OperandMap>> {
        let restore = |runtime: &RuntimeVariable| {
            let at = self.source(side, &runtime.source)?;
            (at.frame == 0).then_some(())?;
            let (instruction, path) = at.place.clone();
            let source = match self.frames[side].instruction(&at).parameter_number() {
                Some(operand) => ValueSource::Operand { operand, path },
                None => {
                    let computation = self.frames[side].computation(0);
                    let at = InstructionPlace { computation, instruction };
                    ValueSource::Instruction { at, through: Vec::new(), path }
                }
            };
            Some(RuntimeVariable { source, ..runtime.clone() })
        };
        let of_map = |map: &OperandMap| {
            let runtime = map.runtime.iter().map(restore).collect::<Option<_>>()?;
            Some(OperandMap { runtime, ..map.clone() })
        };
        maps.iter().map(of_map).collect()
    }

    /// Returns the maps with runtime variables as elements of numbered operands; equal arrays of both sides have the same number.
    fn traced(&mut self, sides: [&[OperandMap]; 2]) -> Option<[Vec<OperandMap>; 2]> {
        let mut found: [Vec<Vec<Element>>; 2] = [Vec::new(), Vec::new()];
        let mut arrays: [Vec<At>; 2] = [Vec::new(), Vec::new()];
        for side in 0..2 {
            for map in sides[side] {
                let mut elements = Vec::with_capacity(map.runtime.len());
                for runtime in &map.runtime {
                    let element = self.element(side, map, runtime)?;
                    if !arrays[side].contains(&element.at) {
                        arrays[side].push(element.at.clone());
                    }
                    elements.push(element);
                }
                found[side].push(elements);
            }
        }
        let [old, new] = &arrays;
        // The arrays of the old side by number, then those of the new side; equal arrays get the least number.
        let mut numbers: Vec<usize> = (0..old.len() + new.len()).collect();
        for (k, other) in new.iter().enumerate() {
            for (number, one) in old.iter().enumerate() {
                let (a, b) = (numbers[number], numbers[old.len() + k]);
                if a != b && self.same_arrays([one, other]) {
                    let (least, most) = (a.min(b), a.max(b));
                    numbers.iter_mut().filter(|x| **x == most).for_each(|x| *x = least);
                }
            }
        }
        let mut first = 0;
        let mut of: [BTreeMap<&At, usize>; 2] = [BTreeMap::new(), BTreeMap::new()];
        for side in 0..2 {
            of[side].extend(arrays[side].iter().zip(numbers[first..].iter().copied()));
            first += arrays[side].len();
        }
        let renamed = |side: usize| {
            let mut maps = sides[side].to_vec();
            for (map, elements) in maps.iter_mut().zip(&found[side]) {
                for (runtime, element) in map.runtime.iter_mut().zip(elements) {
                    let operand = *of[side].get(&element.at)?;
                    runtime.source = ValueSource::Operand { operand, path: TuplePath::new() };
                    runtime.index.clone_from(&element.index);
                }
            }
            Some(maps)
        };
        Some([renamed(0)?, renamed(1)?])
    }

    fn same_arrays(&mut self, [one, other]: [&At; 2]) -> bool {
        let sizes = [(0, one), (1, other)].map(|(side, at)| {
            let shape = self.frames[side].instruction(at).shape().at(&at.place.1)?;
            shape.as_array()?.sizes()
        });
        let [Some(sizes), Some(others)] = sizes else {
            return false;
        };
        let known = [self.scalar(0, one), self.scalar(1, other)];
        if known[0].is_some() && known[0] == known[1] {
            return true;
        }
        sizes == others && self.whole(&sizes, [one.clone(), other.clone()]).is_same()
    }

    /// Returns the element that a runtime variable is a copy of, with a simplified index.
    fn element(
        &mut self,
        side: usize,
        map: &OperandMap,
        runtime: &RuntimeVariable,
    ) -> Option<Element> {
        let at = self.source(side, &runtime.source)?;
        let copied = self.copied(side, map, &at, &runtime.index);
        let (at, index) = copied.unwrap_or_else(|| (at, runtime.index.clone()));
        // All elements of an array with a single value are the same.
        let index = match self.scalar(side, &at) {
            Some(_) => Vec::new(),
            None => index,
        };
        let simple = (self.simplify)(&IndexingMap::new(map.map.domain().clone(), index));
        Some(Element { at, index: simple.results().to_vec() })
    }

    /// Returns the source of an element at an index over the variables of a map; `None` if there are several sources, or if it is
    /// unknown.
    fn copied(
        &mut self,
        side: usize,
        map: &OperandMap,
        at: &At,
        index: &[Expr],
    ) -> Option<(At, Vec<Expr>)> {
        let variables = map.map.domain().variables().iter().enumerate();
        let variables = variables.map(|(number, variable)| {
            variable.bounds.is_bounded().then_some(())?;
            let name = format!("d{number}");
            Some(Variable::new(name, VariableKind::Dimension, variable.bounds))
        });
        let variables: Vec<Variable> = variables.collect::<Option<_>>()?;
        let size = |variable: &Variable| variable.bounds.hi().checked_add(1);
        let sizes: Vec<i64> = variables.iter().map(size).collect::<Option<_>>()?;
        let mut domain = Domain::new(variables);
        for constraint in map.map.domain().constraints() {
            domain.constrain(&constraint.expr, constraint.bounds);
        }
        let map = OperandMap::exact(IndexingMap::new(domain, index.to_vec()));
        let leaves = self.leaves(side, &sizes, &View { at: at.clone(), maps: vec![map] }).ok()?;
        let [leaf] = leaves.as_slice() else {
            return None;
        };
        let [only] = leaf.maps.as_slice() else {
            return None;
        };
        let is_plain = |expr: &Expr| {
            expr.variables().iter().all(|VariableId(id)| (*id as usize) < sizes.len())
        };
        let results = only.map.results();
        let is_plain = only.runtime.is_empty()
            && only.map.domain().variables().len() == sizes.len()
            && results.iter().all(is_plain);
        is_plain.then(|| (leaf.at.clone(), results.to_vec()))
    }

    /// Returns the value of an integer, or its values in the iterations of the loop around it, if it does not depend on
    /// parameters.
    pub(super) fn listed(&mut self, side: usize, at: &At) -> Option<Listed> {
        let key = (side, at.clone());
        if let Some(known) = self.listed.get(&key) {
            return known.clone();
        }
        let found = self.list(side, at);
        self.listed.insert(key, found.clone());
        found
    }

    fn list(&self, side: usize, at: &At) -> Option<Listed> {
        let frames = &self.frames[side];
        let array = frames.instruction(at).shape().at(&at.place.1)?.as_array()?;
        let element_type = array.element_type();
        let is_whole = element_type.is_signed_integer() || element_type.is_unsigned_integer();
        (array.rank() == 0 && is_whole).then_some(())?;
        let interrupt = self.budget.interrupt.clone().unwrap_or_default();
        if frames.is_entry(at.frame) {
            let (instruction, path) = &at.place;
            let computation = frames.computation(at.frame);
            let place = InstructionPlace { computation, instruction: *instruction };
            let value = known_integer(frames.module, place, path, &[], &interrupt)?;
            return Some(Listed::Constant(Constant::integer(element_type, value)));
        }
        let state = frames.state(at.frame)?;
        let (pair, course) = state.course.as_ref()?;
        let is_body = course.body == frames.computation(at.frame);
        (is_body && course.trips() <= RUNS).then_some(())?;
        let values = course.integers(frames.module, at.place.0, &at.place.1, &[], &interrupt)?;
        let first = *values.first()?;
        Some(match values.iter().all(|value| *value == first) {
            true => Listed::Constant(Constant::integer(element_type, first)),
            false => Listed::Values(*pair, values),
        })
    }
}
