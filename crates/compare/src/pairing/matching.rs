//! Finds classes for the values of a pair of computations.

use super::classes::Pairing;
use super::level::{Around, Class, Found, Level};
use super::values::Values;
use affinor::prove::Budget;
use affinor_hlo::module::{ComputationId, InstructionId};
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::{InstructionPlace, LoopCourse, Place, passed_on};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Maximum number of classes that a compared value depends on.
const NEAR: usize = 48;

/// Maximum number of candidates for one value.
const CANDIDATES: usize = 8;

/// The classes that a value depends on directly.
#[derive(Clone)]
struct Near {
    /// The classes; `None` if there are too many.
    classes: Option<Rc<BTreeSet<usize>>>,
    /// Whether a mixed value without a class is in between.
    is_mixed: bool,
}

/// The key for candidates of a class: the classes that a value depends on, and the number of its elements.
type Likeness = (Rc<BTreeSet<usize>>, i64);

impl Pairing<'_> {
    /// Adds a level for two computations, and returns its number; `None` if they cannot be compared.
    pub(super) fn opened(
        &mut self,
        computations: [ComputationId; 2],
        around: Option<Around>,
    ) -> Option<usize> {
        let mut loops = [BTreeMap::new(), BTreeMap::new()];
        let mut values = Vec::new();
        for (side, id) in computations.into_iter().enumerate() {
            let module = self.modules[side];
            for (at, instruction) in module[id].instructions() {
                if *instruction.opcode() == Opcode::While {
                    let body = &module[instruction.called("body").ok()?];
                    loops[side].insert(at, passed_on(body, instruction.shape()));
                }
            }
            let unchanged = |place: &Place| {
                let of_loop = loops[side].get(&place.0);
                of_loop.is_some_and(|parts| parts.contains(&place.1))
            };
            values.push(Values::of(module, id, &mut self.analyses[side], &unchanged)?);
        }
        let [old, new] = <[Values; 2]>::try_from(values).ok()?;
        self.levels.push(Level {
            computations,
            around,
            values: [old, new],
            classes: [BTreeMap::new(), BTreeMap::new()],
            loops,
        });
        Some(self.levels.len() - 1)
    }

    /// Returns the loops around a level, the outermost first.
    pub(super) fn courses(&self, level: usize, side: usize) -> Vec<&LoopCourse> {
        let mut courses = Vec::new();
        let mut around = self.levels[level].around.as_ref();
        while let Some(inside) = around {
            courses.push(&inside.courses[side]);
            around = self.levels[inside.level].around.as_ref();
        }
        courses.reverse();
        courses
    }

    /// Finds classes for the values of a level.
    pub(super) fn pair_values(&mut self, level: usize) {
        let mut near: [Vec<Near>; 2] = [Vec::new(), Vec::new()];
        self.update(level, 0, 0, &mut near[0]);
        // The reads of a value of each class, over the sizes of the class.
        let mut known: BTreeMap<Likeness, Vec<(Class, Found)>> = BTreeMap::new();
        let mut paired_loops = BTreeSet::new();
        for number in 0..self.levels[level].values[1].list.len() {
            let place = self.levels[level].values[1].list[number].place.clone();
            if self.levels[level].loops[1].contains_key(&place.0)
                && paired_loops.insert(place.0)
                && self.pair_loop(level, place.0)
            {
                self.update(level, 0, 0, &mut near[0]);
            }
            let own = self.near_of(level, 1, number, &near[1]);
            near[1].push(own.clone());
            let mut first = self.paired_by_values(level, number);
            if !self.levels[level].classes[1].contains_key(&place) {
                first = self.pair_value(level, number, own, &near[0], &mut known);
            }
            if let Some(first) = first {
                self.update(level, 0, first, &mut near[0]);
            }
            near[1][number] = self.near_of(level, 1, number, &near[1]);
        }
    }

    /// Finds the class of a value of the new module by its reads; also returns the number of the first value of the old module
    /// whose class is new, if there is one.
    fn pair_value(
        &mut self,
        level: usize,
        number: usize,
        own: Near,
        near: &[Near],
        known: &mut BTreeMap<Likeness, Vec<(Class, Found)>>,
    ) -> Option<usize> {
        let value = &self.levels[level].values[1].list[number];
        let (place, count) = (value.place.clone(), value.count()?);
        let likeness = (own.classes.filter(|_| own.is_mixed)?, count);
        let before = known.get(&likeness).map_or(&[][..], Vec::as_slice);
        let (first, of_class) = match self.class_among(level, &place, before) {
            Some(class) => (None, class),
            None => {
                let candidates = self.alike(level, number, near, &likeness);
                let (first, class, read) = self.paired(level, &place, &candidates)?;
                known.entry(likeness).or_default().push((class.clone(), read));
                (Some(first), class)
            }
        };
        self.levels[level].classes[1].insert(place, of_class);
        first
    }

    /// Finds the class of a value of the new module among the `classes` of its earlier values.
    fn class_among(
        &mut self,
        level: usize,
        place: &Place,
        classes: &[(Class, Found)],
    ) -> Option<Class> {
        let budget = self.without_solver();
        for (class, as_read) in classes.iter().take(CANDIDATES) {
            let read = self.read_at(level, 1, place, &class.sizes)?;
            if self.is_same(level, [(1, as_read), (1, &read)], &budget) {
                return Some(class.clone());
            }
        }
        None
    }

    /// Makes a class of a value of the new module and those candidates in the old one that are the same; returns the first of
    /// these, the class, and the reads.
    fn paired(
        &mut self,
        level: usize,
        place: &Place,
        candidates: &[usize],
    ) -> Option<(usize, Class, Found)> {
        let budget = self.without_solver();
        let mut found: Option<(usize, Class, Found)> = None;
        for candidate in candidates.iter().take(CANDIDATES) {
            let old = &self.levels[level].values[0].list[*candidate];
            let (at, own) = (old.place.clone(), old.sizes.clone());
            let sizes = match &found {
                Some((_, class, _)) => class.sizes.clone(),
                None => own?,
            };
            let Some(read) = self.read_at(level, 1, place, &sizes) else {
                return found;
            };
            let Some(old) = self.read_at(level, 0, &at, &sizes) else {
                continue;
            };
            if self.is_same(level, [(0, &old), (1, &read)], &budget) {
                let (first, class, read) = match found.take() {
                    Some((first, class, read)) => (first.min(*candidate), class, read),
                    None => (*candidate, self.new_class(sizes), read),
                };
                self.levels[level].classes[0].insert(at, class.clone());
                found = Some((first, class, read));
            }
        }
        found
    }

    /// Returns the values of the old module without a class that have this likeness, those with the same sizes first.
    fn alike(&self, level: usize, number: usize, near: &[Near], likeness: &Likeness) -> Vec<usize> {
        let values = &self.levels[level].values;
        let sizes = &values[1].list[number].sizes;
        let is_like = |number: &usize| {
            let (value, near) = (&values[0].list[*number], &near[*number]);
            near.is_mixed
                && near.classes.as_ref() == Some(&likeness.0)
                && value.count() == Some(likeness.1)
        };
        let mut found: Vec<usize> = (0..near.len()).filter(is_like).collect();
        found.sort_by_key(|number| values[0].list[*number].sizes != *sizes);
        found
    }

    /// Returns the budget for comparisons that may fail.
    pub(super) fn without_solver(&self) -> Budget {
        Budget { solver_steps: 0, ..self.budget.clone() }
    }

    /// Recomputes the dependences of the values from `first` on.
    fn update(&self, level: usize, side: usize, first: usize, near: &mut Vec<Near>) {
        near.truncate(first);
        for number in first..self.levels[level].values[side].list.len() {
            near.push(self.near_of(level, side, number, near));
        }
    }

    fn near_of(&self, level: usize, side: usize, number: usize, near: &[Near]) -> Near {
        let of = &self.levels[level];
        let value = &of.values[side].list[number];
        let of_class =
            |class| Near { classes: Some(Rc::new(BTreeSet::from([class]))), is_mixed: false };
        if let Some(class) = of.classes[side].get(&value.place) {
            return of_class(class.number);
        }
        if value.is_end {
            let unknown = Near { classes: None, is_mixed: false };
            return self.outside(level, side, &value.place).unwrap_or(unknown);
        }
        let mut is_mixed = value.is_mixed;
        let mut classes: Option<Rc<BTreeSet<usize>>> = None;
        for part in &value.made_of {
            let Some(part) = near.get(*part) else {
                continue;
            };
            is_mixed |= part.is_mixed;
            let Some(more) = &part.classes else {
                return Near { classes: None, is_mixed };
            };
            classes = Some(match classes {
                None => more.clone(),
                Some(known) if more.is_subset(&known) => known,
                Some(known) => Rc::new(known.union(more).copied().collect()),
            });
        }
        Near {
            classes: Some(classes.unwrap_or_default()).filter(|all| all.len() <= NEAR),
            is_mixed,
        }
    }

    /// Returns the dependences of a part of a loop's state that the loop passes on.
    fn outside(&self, level: usize, side: usize, place: &Place) -> Option<Near> {
        let around = self.levels[level].around.as_ref()?;
        let course = &around.courses[side];
        course.unchanged.contains(&place.1).then_some(())?;
        let outer = &self.modules[side][course.at.computation];
        let start = *outer[course.at.instruction].operands().first()?;
        let number =
            *self.levels[around.level].values[side].numbers.get(&(start, place.1.clone()))?;
        // Only the values that this one depends on are needed: few computations have loops, and those are nested.
        let mut needed = BTreeSet::from([number]);
        let mut pending = vec![number];
        let values = &self.levels[around.level].values[side].list;
        while let Some(next) = pending.pop() {
            let ends = self.levels[around.level].classes[side].contains_key(&values[next].place);
            for part in values[next].made_of.iter().filter(|_| !ends) {
                if needed.insert(*part) {
                    pending.push(*part);
                }
            }
        }
        let nothing = Near { classes: Some(Rc::default()), is_mixed: false };
        let mut near = vec![nothing; number + 1];
        for number in needed {
            near[number] = self.near_of(around.level, side, number, &near);
        }
        near.pop()
    }

    /// Returns the course of a loop of a level.
    pub(super) fn course(
        &self,
        level: usize,
        side: usize,
        instruction: InstructionId,
    ) -> Option<LoopCourse> {
        let at =
            InstructionPlace { computation: self.levels[level].computations[side], instruction };
        let interrupt = self.budget.interrupt.clone().unwrap_or_default();
        LoopCourse::of(self.modules[side], at, &interrupt)
    }
}
