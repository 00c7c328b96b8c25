//! Loops whose states have the same reads, by induction.
//!
//! Law: two loops have the same trip count, which is known before the program runs and does not depend on a parameter. Parts
//! of their states are in one group if their initial values have the same reads, and if their values after an iteration have
//! the same reads, where parts of the state count as the same if they are in one group. Then parts of a group have the same
//! reads after any number of iterations. Offsets that do not depend on parameters are the same if they have the same value in
//! each iteration.

use super::classes::Pairing;
use super::level::{Around, Class, Found};
use affinor_hlo::module::InstructionId;
use affinor_ops::indexing::Place;
use std::collections::{BTreeMap, BTreeSet};

/// A part of the state of one of two loops.
struct Part {
    side: usize,
    path: Vec<usize>,
    sizes: Vec<i64>,
    /// The group; `None` if the part's reads are not known.
    group: Option<usize>,
}

impl Pairing<'_> {
    /// Finds classes for the arrays that a loop of the new module produces. Returns `false` if it finds none.
    pub(super) fn pair_loop(&mut self, level: usize, new: InstructionId) -> bool {
        let Some(course) = self.course(level, 1, new) else {
            return false;
        };
        let loops: Vec<InstructionId> = self.levels[level].loops[0].keys().copied().collect();
        for old in loops {
            let is_paired = |place: &Place| place.0 == old;
            if self.levels[level].classes[0].keys().any(is_paired) {
                continue;
            }
            let Some(other) = self.course(level, 0, old) else {
                continue;
            };
            if other.trips() != course.trips() {
                continue;
            }
            let bodies = [other.body, course.body];
            let around = Around { level, courses: [other, course.clone()] };
            let Some(inside) = self.opened(bodies, Some(around)) else {
                continue;
            };
            let parts = self.grouped(level, inside, [old, new]);
            self.levels.truncate(inside);
            let mut is_found = false;
            let mut classes: BTreeMap<usize, Class> = BTreeMap::new();
            let of_side = |side: usize, group: usize| {
                parts.iter().any(|part| part.side == side && part.group == Some(group))
            };
            for part in &parts {
                let Some(group) = part.group else {
                    continue;
                };
                if !of_side(0, group) || !of_side(1, group) {
                    continue;
                }
                let class = match classes.get(&group) {
                    Some(class) => class.clone(),
                    None => self.new_class(part.sizes.clone()),
                };
                classes.insert(group, class.clone());
                let place = ([old, new][part.side], part.path.clone());
                self.levels[level].classes[part.side].insert(place, class);
                is_found = true;
            }
            if is_found {
                return true;
            }
        }
        false
    }

    /// Returns the parts of the states of two loops that are not passed on, in groups that the bodies preserve.
    fn grouped(&mut self, level: usize, inside: usize, loops: [InstructionId; 2]) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut starts: Vec<Option<Found>> = Vec::new();
        for side in [0, 1] {
            let id = self.levels[level].computations[side];
            let instruction = &self.modules[side][id][loops[side]];
            let Some(start) = instruction.operands().first().copied() else {
                continue;
            };
            for (path, array) in instruction.shape().arrays() {
                let unchanged = &self.levels[level].loops[side][&loops[side]];
                let Some(sizes) = array.sizes().filter(|_| !unchanged.contains(&path)) else {
                    continue;
                };
                starts.push(self.read_at(level, side, &(start, path.clone()), &sizes));
                parts.push(Part { side, path, sizes, group: Some(0) });
            }
        }
        self.split(level, &mut parts, &starts);
        // Each round that changes something makes more groups, or removes parts from them.
        loop {
            for side in [0, 1] {
                let id = self.levels[inside].computations[side];
                let state = self.modules[side][id].parameters().first().copied();
                let first = self.next;
                let own = parts.iter().filter(|part| part.side == side);
                let classes = own.filter_map(|part| {
                    let place = (state?, part.path.clone());
                    let class = Class { number: first + part.group?, sizes: part.sizes.clone() };
                    Some((place, class))
                });
                let classes: BTreeMap<Place, Class> = classes.collect();
                self.levels[inside].classes[side] = classes;
            }
            self.next += parts.len() + 1;
            self.pair_values(inside);
            let mut after = Vec::with_capacity(parts.len());
            for part in &parts {
                let id = self.levels[inside].computations[part.side];
                let root = self.modules[part.side][id].root();
                after.push(match part.group {
                    None => None,
                    Some(_) => {
                        let place = (root, part.path.clone());
                        self.read_at(inside, part.side, &place, &part.sizes)
                    }
                });
            }
            if !self.split(inside, &mut parts, &after) {
                return parts;
            }
        }
    }

    /// Splits groups so that their parts have the same reads; a part with unknown reads leaves its group. Returns `false` if
    /// nothing changes.
    fn split(&mut self, level: usize, parts: &mut [Part], reads: &[Option<Found>]) -> bool {
        let budget = self.without_solver();
        // The first part of each new group.
        let mut firsts: Vec<usize> = Vec::new();
        let mut groups = Vec::with_capacity(parts.len());
        for number in 0..parts.len() {
            let (Some(group), Some(read)) = (parts[number].group, &reads[number]) else {
                groups.push(None);
                continue;
            };
            let mut found = None;
            for (new, first) in firsts.iter().enumerate() {
                let (other, part) = (&parts[*first], &parts[number]);
                if other.group != Some(group) || other.sizes != part.sizes {
                    continue;
                }
                let Some(like) = &reads[*first] else {
                    continue;
                };
                let sides = [(other.side, like), (part.side, read)];
                let is_same = self.is_same(level, sides, &budget);
                if is_same {
                    found = Some(new);
                    break;
                }
            }
            groups.push(Some(found.unwrap_or_else(|| {
                firsts.push(number);
                firsts.len() - 1
            })));
        }
        let count = |groups: &mut dyn Iterator<Item = Option<usize>>| {
            let groups: Vec<Option<usize>> = groups.collect();
            let known: BTreeSet<usize> = groups.iter().flatten().copied().collect();
            (known.len(), groups.iter().flatten().count())
        };
        let before = count(&mut parts.iter().map(|part| part.group));
        let after = count(&mut groups.iter().copied());
        for (part, group) in parts.iter_mut().zip(groups) {
            part.group = group;
        }
        before != after
    }
}
