//! Two modules, the reads of their values from values of known classes, and the comparison of these reads.

use super::level::{Chosen, Class, Found, Level};
use crate::agreement::{Change, change};
use affinor::num::Fuel;
use affinor::prove::Budget;
use affinor_hlo::module::Module;
use affinor_ops::indexing::{
    Analysis, InstructionPlace, OperandMap, Origins, Place, Reads, Scope, Simplify, TuplePath,
    ValueSource, row_major,
};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of steps of one walk between arrays of known classes.
const STEPS: u64 = 200_000;

/// Maximum number of comparisons of arrays.
const COMPARISONS: u64 = 20_000;

/// Two modules without calls, and the classes of their values.
pub struct Pairing<'m> {
    pub(super) modules: [&'m Module; 2],
    pub(super) analyses: [Analysis<'m>; 2],
    pub(super) simplify: Simplify<'m>,
    pub(super) budget: Budget,
    pub(super) origins: Origins,
    pub(super) levels: Vec<Level>,
    /// The number of the next class.
    pub(super) next: usize,
    pub(super) fuel: Fuel,
    /// The comparison of values, if arrays are also paired by these.
    pub(super) chosen: Option<Chosen<'m>>,
}

impl<'m> Pairing<'m> {
    /// Pairs the values of two modules with inlined calls ([`Module::inlined`]); `analyses` are those of the modules.
    #[must_use]
    pub fn new(
        modules: [&'m Module; 2],
        analyses: [Analysis<'m>; 2],
        simplify: Simplify<'m>,
        budget: &Budget,
    ) -> Pairing<'m> {
        Pairing {
            modules,
            analyses,
            simplify,
            budget: budget.clone(),
            origins: Origins::default(),
            levels: Vec::new(),
            next: 0,
            fuel: budget.own_fuel(COMPARISONS),
            chosen: None,
        }
    }

    /// Returns the arrays of the result that have the same reads in both modules; the reads of the others may be the same or
    /// not.
    #[must_use]
    pub fn same_results(mut self) -> BTreeSet<TuplePath> {
        let entries = self.modules.map(Module::entry);
        let Some(level) = self.opened(entries, None) else {
            return BTreeSet::new();
        };
        self.pair_parameters(level);
        self.find_choosing(level);
        self.pair_values(level);
        let roots = self.modules.map(|module| &module[module.entry()]);
        let mut same = BTreeSet::new();
        for (path, array) in roots[0][roots[0].root()].shape().arrays() {
            let other = roots[1][roots[1].root()].shape().at(&path);
            let sizes = array.sizes();
            let is_alike = other
                .and_then(|other| other.as_array())
                .is_some_and(|other| other.sizes() == sizes);
            let Some(sizes) = sizes.filter(|_| is_alike) else {
                continue;
            };
            let places = roots.map(|computation| (computation.root(), path.clone()));
            let [old, new] = [0, 1].map(|side| self.read_at(level, side, &places[side], &sizes));
            if let (Some(old), Some(new)) = (old, new)
                && self.is_same(level, [(0, &old), (1, &new)], &self.budget.clone())
            {
                same.insert(path);
            }
        }
        same
    }

    /// Gives parameters with the same number and sizes the same class.
    fn pair_parameters(&mut self, level: usize) {
        let [old, new] = self.modules.map(|module| &module[module.entry()]);
        for (number, id) in old.parameters().iter().enumerate() {
            let Some(other) = new.parameters().get(number) else {
                continue;
            };
            for (path, array) in old[*id].shape().arrays() {
                let like = new[*other].shape().at(&path);
                let like = like.and_then(|shape| shape.as_array());
                let is_like = like.is_some_and(|like| like.sizes() == array.sizes());
                if let Some(sizes) = array.sizes().filter(|_| is_like) {
                    let class = self.new_class(sizes);
                    let level = &mut self.levels[level];
                    level.classes[0].insert((*id, path.clone()), class.clone());
                    level.classes[1].insert((*other, path), class);
                }
            }
        }
    }

    pub(super) fn new_class(&mut self, sizes: Vec<i64>) -> Class {
        self.next += 1;
        let number = self.next - 1;
        Class { number, sizes }
    }

    /// Returns the reads of an array, reshaped to these sizes, from arrays of known classes; `None` if it reads anything
    /// else, or if its reads are not known.
    pub(super) fn read_at(
        &mut self,
        level: usize,
        side: usize,
        place: &Place,
        sizes: &[i64],
    ) -> Option<Found> {
        let id = self.levels[level].computations[side];
        let shape = self.modules[side][id][place.0].shape().at(&place.1)?;
        let own = row_major(sizes, &shape.as_array()?.sizes()?)?;
        self.read_by(level, side, (place, Reads::exactly(own)), sizes)
    }

    /// Follows reads of an array, over these sizes, to arrays of known classes; `None` as for [`Pairing::read_at`].
    pub(super) fn read_by(
        &mut self,
        level: usize,
        side: usize,
        (place, own): (&Place, Reads),
        sizes: &[i64],
    ) -> Option<Found> {
        let mut found = Found::new();
        // The arrays still to follow, with the level of their computation.
        let mut pending = vec![(level, BTreeMap::from([(place.clone(), own)]))];
        while let Some((number, start)) = pending.pop() {
            let level = &self.levels[number];
            let id = level.computations[side];
            let computation = &self.modules[side][id];
            let is_class = |place: &Place| level.classes[side].contains_key(place);
            let stops = |place: &Place| is_class(place) || level.loops[side].contains_key(&place.0);
            let analysis = &mut self.analyses[side];
            let read = analysis.onward(id, sizes, start, &stops, STEPS).ok()??;
            let (mut here, mut outside) = (BTreeMap::new(), BTreeMap::new());
            for (place, reads) in read {
                let Reads::Maps(mut maps) = reads else {
                    return None;
                };
                if maps.is_empty() {
                    continue;
                }
                for runtime in maps.iter_mut().flat_map(|map| &mut map.runtime) {
                    if let ValueSource::Operand { operand, path } = &runtime.source {
                        let instruction = *computation.parameters().get(*operand)?;
                        runtime.source = ValueSource::Instruction {
                            at: InstructionPlace { computation: id, instruction },
                            through: Vec::new(),
                            path: path.clone(),
                        };
                    }
                }
                if let Some(class) = level.classes[side].get(&place) {
                    let of_place = computation[place.0].shape().at(&place.1)?;
                    let own = of_place.as_array()?.sizes()?;
                    if own != class.sizes {
                        maps = analysis.followed(&maps, &row_major(&own, &class.sizes)?)?;
                    }
                    let known = found.entry(class.number).or_default();
                    maps.retain(|map| !known.contains(map));
                    known.append(&mut maps);
                } else if let Some(unchanged) = level.loops[side].get(&place.0) {
                    unchanged.contains(&place.1).then_some(())?;
                    let start = *computation[place.0].operands().first()?;
                    add(&mut here, (start, place.1), maps);
                } else {
                    let around = level.around.as_ref()?;
                    let course = &around.courses[side];
                    course.unchanged.contains(&place.1).then_some(())?;
                    let outer = &self.modules[side][course.at.computation];
                    let start = *outer[course.at.instruction].operands().first()?;
                    add(&mut outside, (start, place.1), maps);
                }
            }
            let around = level.around.as_ref().map(|around| around.level);
            if !here.is_empty() {
                pending.push((number, here));
            }
            if let (Some(around), false) = (around, outside.is_empty()) {
                pending.push((around, outside));
            }
        }
        Some(found)
    }

    /// Returns whether both read the same elements of the arrays of each class; each side has the number of its module.
    pub(super) fn is_same(
        &mut self,
        level: usize,
        sides: [(usize, &Found); 2],
        budget: &Budget,
    ) -> bool {
        let classes = sides.iter().flat_map(|(_, found)| found.keys());
        let classes: BTreeSet<usize> = classes.copied().collect();
        let mut origins = std::mem::take(&mut self.origins);
        let interrupt = self.budget.interrupt.clone().unwrap_or_default();
        let is_same = classes.iter().all(|class| {
            let maps = sides.map(|(_, found)| found.get(class).map_or(&[][..], Vec::as_slice));
            let traced = [0, 1].map(|number| {
                let (side, _) = sides[number];
                let courses = self.courses(level, side);
                let scope = Scope { side, module: self.modules[side], loops: &courses };
                let simplify = self.simplify;
                let of_map = |map| {
                    let mut found = origins.of_map(&scope, map, simplify, &interrupt);
                    self.by_value(side, map, &mut found);
                    found
                };
                maps[number].iter().map(of_map).collect::<Vec<_>>()
            });
            self.fuel.spend(1).is_ok()
                && change((maps[0], &traced[0]), (maps[1], &traced[1]), budget) == Change::None
        });
        self.origins = origins;
        is_same
    }
}

/// Adds reads of an array.
fn add(start: &mut BTreeMap<Place, Reads>, place: Place, maps: Vec<OperandMap>) {
    match start.entry(place).or_insert(Reads::NOTHING) {
        Reads::Maps(known) => {
            for map in maps {
                if !known.contains(&map) {
                    known.push(map);
                }
            }
        }
        Reads::Unknown { .. } => {}
    }
}
