//! Proves by induction that loops compute the same.
//!
//! Law: parts of the states of two loops form a group if they are the same before the first iteration, and if the bodies preserve
//! this whenever the parts of each group are the same. If the conditions are then the same as well, or both loops have the same
//! trip count, the parts of a group are the same after any number of iterations, whether or not the trip count is known.

use super::frames::{At, Given, State};
use super::parts::LoopPair;
use super::values::Computed;
use super::verdict::{Verdict, only_difference, other_operation};
use affinor_hlo::element_type::ElementType;
use affinor_hlo::module::{ComputationId, InstructionId};
use affinor_ops::indexing::{InstructionPlace, LoopCourse, TuplePath};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A part of a state, with its type and sizes.
type Part = (TuplePath, ElementType, Vec<i64>);

/// Parts of both states that have equal values.
type Group = [Vec<Part>; 2];

/// One of two loops.
struct Loop {
    frame: usize,
    start: InstructionId,
    body: ComputationId,
    condition: ComputationId,
    unchanged: Rc<BTreeSet<TuplePath>>,
    course: Option<Rc<LoopCourse>>,
}

impl Computed<'_> {
    /// Compares parts of the results of two loops.
    pub(super) fn loops(&mut self, places: [&At; 2]) -> Verdict {
        let key = places.map(|at| (at.frame, at.place.0));
        let known = self.loops.get(&key).cloned();
        let pair = known.unwrap_or_else(|| {
            let found = Rc::new(self.pair(key));
            if self.deep.is_none() {
                self.loops.insert(key, found.clone());
            }
            found
        });
        let class = |side: usize| pair.classes[side].get(&places[side].place.1);
        let ops = [0, 1].map(|side| self.frames[side].instruction(places[side]));
        match (class(0), class(1)) {
            (Some(old), Some(new)) if old == new => Verdict::Same,
            _ => pair.reason.clone().unwrap_or_else(|| other_operation(ops)),
        }
    }

    fn pair(&mut self, loops: [(usize, InstructionId); 2]) -> LoopPair {
        let none = |reason: Option<Verdict>| LoopPair { classes: Default::default(), reason };
        let [Some(old), Some(new)] = [0, 1].map(|side| self.opened(side, loops[side])) else {
            return none(None);
        };
        let both = [old, new];
        let trips = both.each_ref().map(|of| of.course.as_ref().map(|course| course.trips()));
        let is_counted = trips[0].is_some() && trips[0] == trips[1];
        if let ([Some(old), Some(new)], false) = (trips, is_counted) {
            return none(Some(Verdict::open(format!(
                "a loop runs {old} times, and the other {new}"
            ))));
        }
        let mut unlike = None;
        let mut groups = self.before(&both, &mut unlike);
        let number = self.next;
        self.next += 1;
        let mut first = None;
        loop {
            let classes = self.numbered(&groups);
            let frames = |this: &mut Self, of: fn(&Loop) -> ComputationId| {
                [0, 1].map(|side| {
                    let Loop { frame, start, body, unchanged, course, .. } = &both[side];
                    let course = course.clone().filter(|_| is_counted);
                    let state = State {
                        frame: *frame,
                        start: *start,
                        body: *body,
                        unchanged: unchanged.clone(),
                        classes: classes[side].clone(),
                        course: course.map(|course| (number, course)),
                    };
                    this.frames[side].open(of(&both[side]), Given::State(state))
                })
            };
            if !is_counted {
                let inside = frames(self, |of| of.condition);
                let roots = self.roots(inside, [&TuplePath::new(); 2]);
                let verdict = self.whole(&[], roots);
                if !verdict.is_same() {
                    let is_first = first.is_none();
                    return none(Some(verdict).filter(|_| is_first));
                }
            }
            let inside = frames(self, |of| of.body);
            let mut failed = Vec::new();
            let mut compare = |this: &mut Self, parts: [&Part; 2]| {
                let roots = this.roots(inside, parts.map(|part| &part.0));
                let verdict = this.whole(&parts[0].2, roots);
                let is_same = verdict.is_same();
                if !is_same {
                    failed.push(verdict);
                }
                is_same
            };
            let after = self.refined(&groups, &mut compare);
            let what = only_difference(failed);
            let reason = first.get_or_insert(Some(what).filter(|what| !what.is_same())).clone();
            if after == groups {
                return LoopPair { classes, reason: reason.or(unlike) };
            }
            groups = after;
        }
    }

    /// Returns the places of parts of the results of two frames.
    fn roots(&self, frames: [usize; 2], paths: [&TuplePath; 2]) -> [At; 2] {
        [0, 1].map(|side| {
            let frame = frames[side];
            At { frame, place: (self.frames[side].body(frame).root(), paths[side].clone()) }
        })
    }

    fn opened(&mut self, side: usize, (frame, at): (usize, InstructionId)) -> Option<Loop> {
        let unchanged = self.frames[side].unchanged(frame, at)?;
        let frames = &self.frames[side];
        let instruction = &frames.body(frame)[at];
        let place = InstructionPlace { computation: frames.computation(frame), instruction: at };
        let interrupt = self.budget.interrupt.clone().unwrap_or_default();
        Some(Loop {
            frame,
            start: *instruction.operands().first()?,
            body: instruction.called("body").ok()?,
            condition: instruction.called("condition").ok()?,
            unchanged,
            course: LoopCourse::of(frames.module, place, &interrupt).map(Rc::new),
        })
    }

    /// Returns the parts of both states that are not passed on, in groups of parts that are the same before the first iteration.
    /// Sets `unlike` to the first verdict about parts at the same path that are not the same.
    fn before(&mut self, both: &[Loop; 2], unlike: &mut Option<Verdict>) -> Vec<Group> {
        let mut like: BTreeMap<String, Group> = BTreeMap::new();
        for (side, of) in both.iter().enumerate() {
            let shape = self.frames[side].body(of.frame)[of.start].shape();
            for (path, array) in shape.arrays() {
                if let Some(sizes) = array.sizes().filter(|_| !of.unchanged.contains(&path)) {
                    let text = format!("{} {sizes:?}", array.element_type().name());
                    let group = like.entry(text).or_default();
                    group[side].push((path, array.element_type(), sizes));
                }
            }
        }
        let groups: Vec<Group> = like.into_values().collect();
        let mut compare = |this: &mut Self, parts: [&Part; 2]| {
            let places = [0, 1].map(|side| At {
                frame: both[side].frame,
                place: (both[side].start, parts[side].0.clone()),
            });
            let verdict = this.whole(&parts[0].2, places);
            let is_same = verdict.is_same();
            if !is_same && parts[0].0 == parts[1].0 {
                // The difference is not confined to these parts of the loops.
                let reason = match verdict {
                    Verdict::Open(reason) => reason,
                    _ => "loops begin with other values".to_owned(),
                };
                unlike.get_or_insert(Verdict::Open(reason));
            }
            is_same
        };
        self.refined(&groups, &mut compare)
    }

    /// Splits groups so that all old parts of a group are the same as all its new parts. Parts without a partner are dropped.
    fn refined(
        &mut self,
        groups: &[Group],
        is_same: &mut dyn FnMut(&mut Self, [&Part; 2]) -> bool,
    ) -> Vec<Group> {
        let mut refined = Vec::new();
        for [old, new] in groups {
            let mut left = new.clone();
            let mut open = old.clone();
            while !open.is_empty() && !left.is_empty() {
                let one = open.remove(0);
                // Most parts keep their places.
                left.sort_by_key(|part| part.0 != one.0);
                let (same, others) =
                    left.into_iter().partition(|other| is_same(self, [&one, other]));
                let mut same: Vec<Part> = same;
                left = others;
                let Some(partner) = same.first().cloned() else {
                    continue;
                };
                let (mut alike, others): (Vec<Part>, Vec<Part>) =
                    open.into_iter().partition(|other| is_same(self, [other, &partner]));
                open = others;
                alike.push(one);
                alike.sort();
                same.sort();
                refined.push([alike, same]);
            }
        }
        refined.sort();
        refined
    }

    fn numbered(&mut self, groups: &[Group]) -> [Rc<BTreeMap<TuplePath, usize>>; 2] {
        let first = self.next;
        self.next += groups.len();
        [0, 1].map(|side| {
            let parts = (first..).zip(groups);
            let parts = parts.flat_map(|(number, group)| {
                group[side].iter().map(move |part| (part.0.clone(), number))
            });
            Rc::new(parts.collect())
        })
    }
}
