//! Arrays whose reads depend on values, paired by these values.
//!
//! Law: arrays of the entries that are the same computation of the same elements have the same reads. An operation that chooses
//! elements by values chooses the same ones as another such operation if these values are the same; then their results have the
//! same reads if the arrays have from which it chooses. An offset is the same in both modules if it is an element at the same index
//! of arrays that are the same.

use super::classes::Pairing;
use super::level::Chosen;
use super::values::Value;
use crate::computed::{Computed, ReadAlike};
use affinor_hlo::module::{Instruction, InstructionId};
use affinor_hlo::opcode::{Opcode, Values};
use affinor_ops::indexing::{
    Exactness, InstructionPlace, OperandMap, Origin, Place, Reads, Scope, ValueSource,
};
use std::collections::BTreeMap;

/// Maximum number of candidates for one array.
const CANDIDATES: usize = 6;

/// Maximum number of copies that are followed to the source of an offset.
const COPIES: usize = 32;

impl<'m> Pairing<'m> {
    /// Also pairs arrays by their values, which `computed` compares: it must be of the same modules.
    #[must_use]
    pub fn with_values(mut self, computed: Computed<'m>) -> Pairing<'m> {
        self.chosen = Some(Chosen {
            computed,
            places: Default::default(),
            same: Default::default(),
            next: 0,
        });
        self
    }

    /// Collects the arrays of the entries whose values determine reads.
    pub(super) fn find_choosing(&mut self, level: usize) {
        if self.chosen.is_none() || self.levels[level].around.is_some() {
            return;
        }
        let mut places: [BTreeMap<Place, bool>; 2] = Default::default();
        for (side, found) in places.iter_mut().enumerate() {
            let computation = self.levels[level].computations[side];
            for (id, instruction) in self.modules[side][computation].instructions() {
                if *instruction.opcode() == Opcode::While {
                    continue;
                }
                let place = InstructionPlace { computation, instruction: id };
                let Ok(entries) = self.analyses[side].unsimplified(place) else {
                    continue;
                };
                for entry in entries.iter().filter(|entry| !is_exact(&entry.reads)) {
                    found.insert((id, entry.output.clone()), true);
                }
                for map in entries.iter().filter_map(|entry| entry.reads.maps()).flatten() {
                    for (place, is_needed) in self.offsets(side, id, map) {
                        *found.entry(place).or_default() |= is_needed;
                        if *instruction.opcode() == Opcode::Scatter {
                            let results = entries.iter().map(|entry| (id, entry.output.clone()));
                            found.extend(results.map(|result| (result, is_needed)));
                        }
                    }
                }
            }
        }
        if let Some(chosen) = &mut self.chosen {
            chosen.places = places;
        }
    }

    /// Returns the arrays of the entry that a map of this instruction has offsets from, and whether their origins are unknown.
    fn offsets(&mut self, side: usize, id: InstructionId, map: &OperandMap) -> Vec<(Place, bool)> {
        let computation = &self.modules[side][self.modules[side].entry()];
        let mut found = Vec::new();
        let mut map = map.clone();
        for runtime in &mut map.runtime {
            let ValueSource::Operand { operand, path } = &runtime.source else {
                return Vec::new();
            };
            let Some(instruction) = computation[id].operands().get(*operand).copied() else {
                return Vec::new();
            };
            found.push((instruction, path.clone()));
            let at = InstructionPlace { computation: self.modules[side].entry(), instruction };
            runtime.source =
                ValueSource::Instruction { at, through: Vec::new(), path: path.clone() };
        }
        let scope = Scope { side, module: self.modules[side], loops: &[] };
        let interrupt = self.budget.interrupt.clone().unwrap_or_default();
        let origins = self.origins.of_map(&scope, &map, self.simplify, &interrupt);
        let mut all = Vec::new();
        for (place, origin) in found.into_iter().zip(&origins) {
            all.extend(self.copied(side, place).into_iter().map(|place| (place, origin.is_none())));
        }
        all
    }

    /// Returns an array and those that its elements are copies of: a map may have offsets from any of these.
    fn copied(&self, side: usize, place: Place) -> Vec<Place> {
        let computation = &self.modules[side][self.modules[side].entry()];
        let mut found = vec![place];
        let mut next = 0;
        while next < found.len().min(COPIES) {
            let (id, path) = found[next].clone();
            let one = &computation[id];
            let operands = one.operands();
            match one.opcode() {
                Opcode::GetTupleElement => {
                    if let (Ok(index), Some(operand)) = (one.tuple_index(), operands.first()) {
                        found.push((*operand, [&[index], &path[..]].concat()));
                    }
                }
                Opcode::Tuple => {
                    if let Some((number, path)) = path.split_first()
                        && let Some(operand) = operands.get(*number)
                    {
                        found.push((*operand, path.to_vec()));
                    }
                }
                opcode if opcode.values() != Values::Made && one.parameter_number().is_none() => {
                    found.extend(operands.iter().map(|operand| (*operand, Vec::new())));
                }
                _ => {}
            }
            next += 1;
        }
        found
    }

    /// Pairs an array of the new module with those of the old module that have the same values, also if they have classes; returns
    /// the number of the first array of the old module whose class is new.
    pub(super) fn paired_by_values(&mut self, level: usize, number: usize) -> Option<usize> {
        self.levels[level].around.is_none().then_some(())?;
        let value = &self.levels[level].values[1].list[number];
        let (place, sizes) = (value.place.clone(), value.sizes.clone()?);
        let chosen = self.chosen.as_ref()?;
        let is_needed = *chosen.places[1].get(&place)?;
        let open = |(number, value): (usize, &Value)| {
            let own = chosen.places[0].get(&value.place)?;
            let is_open = (is_needed || *own) && value.sizes.as_ref() == Some(&sizes);
            is_open.then(|| (number, value.place.clone()))
        };
        let values = self.levels[level].values[0].list.iter().enumerate();
        let mut candidates: Vec<(usize, Place)> = values.filter_map(open).collect();
        let name = |side: usize, place: &Place| {
            let module = self.modules[side];
            module[module.entry()][place.0].name()
        };
        // Equal names are only a hint.
        candidates.sort_by_key(|(_, old)| name(0, old) != name(1, &place));
        let mut first: Option<usize> = None;
        for (number, old) in candidates.into_iter().take(CANDIDATES) {
            if self.fuel.spend(1).is_err() {
                break;
            }
            let chosen = self.chosen.as_mut()?;
            let is_same = chosen.computed.are_same([&old, &place]);
            if is_same {
                let known = chosen.same[0].get(&old).or_else(|| chosen.same[1].get(&place));
                let value = known.copied().unwrap_or(chosen.next);
                chosen.next += 1;
                chosen.same[0].insert(old.clone(), value);
                chosen.same[1].insert(place.clone(), value);
            }
            let classes = &self.levels[level].classes;
            let [of_old, of_new] = [classes[0].get(&old).cloned(), classes[1].get(&place).cloned()];
            let is_open = of_old.is_none() && of_new.is_none();
            if !(is_same || is_open && self.choose_alike(level, [&old, &place])) {
                continue;
            }
            if of_old.is_none() {
                first = Some(first.map_or(number, |first| first.min(number)));
            }
            let class = of_old.or(of_new).unwrap_or_else(|| self.new_class(sizes.clone()));
            let classes = &mut self.levels[level].classes;
            classes[0].entry(old).or_insert(class.clone());
            classes[1].entry(place.clone()).or_insert(class);
        }
        first
    }

    /// Returns whether two operations choose the same elements, of arrays with the same reads.
    fn choose_alike(&mut self, level: usize, places: [&Place; 2]) -> bool {
        let Some(chosen) = &mut self.chosen else {
            return false;
        };
        let ops =
            [0, 1].map(|side| &self.modules[side][self.modules[side].entry()][places[side].0]);
        let alike = match ops.map(Instruction::opcode) {
            [Opcode::Scatter, Opcode::Scatter] => chosen.computed.scattered_alike(places),
            [Opcode::SelectAndScatter, Opcode::SelectAndScatter] => {
                chosen.computed.selected_alike(places)
            }
            _ => None,
        };
        alike.is_some_and(|alike| alike.into_iter().all(|both| self.have_same_reads(level, both)))
    }

    fn have_same_reads(&mut self, level: usize, both: ReadAlike) -> bool {
        let ReadAlike { sizes, views } = both;
        let mut found = Vec::new();
        for (side, (place, maps)) in views.into_iter().enumerate() {
            found.extend(self.read_by(level, side, (&place, Reads::Maps(maps)), &sizes));
        }
        let budget = self.without_solver();
        match &found[..] {
            [old, new] => self.is_same(level, [(0, old), (1, new)], &budget),
            _ => false,
        }
    }

    /// Replaces the origins of runtime variables that are elements of arrays which are the same in both modules.
    pub(super) fn by_value(&self, side: usize, map: &OperandMap, origins: &mut [Option<Origin>]) {
        let Some(chosen) = &self.chosen else {
            return;
        };
        for (runtime, origin) in map.runtime.iter().zip(origins) {
            let ValueSource::Instruction { at, through, path } = &runtime.source else {
                continue;
            };
            let is_here = through.is_empty() && at.computation == self.modules[side].entry();
            let value = chosen.same[side].get(&(at.instruction, path.clone()));
            if let (true, Some(value)) = (is_here, value) {
                // Terms are numbered from 0.
                let number = usize::MAX - value;
                *origin = Some(Origin { number, index: runtime.index.clone() });
            }
        }
    }
}

fn is_exact(reads: &Reads) -> bool {
    let is_exact = |map: &OperandMap| map.exactness == Exactness::Exact;
    reads.maps().is_some_and(|maps| maps.iter().all(is_exact))
}
