//! A loop with few iterations: reads are followed through the iterations one by one, from the last to the first.
//!
//! Law: the reads of the initial state by an element of a part after `t` iterations are: the element itself, if `t` is 0;
//! otherwise the reads of the body in iteration `t - 1`, each followed by the reads after `t - 1` iterations. The condition is
//! read in each state, by each part. Runtime variables of the body and the condition are replaced by their values if these
//! follow from the scalars known to `course`.
//!
//! The reads of one part are kept in few maps (`adjoined`), and reads of a part that an iteration leaves unchanged are passed
//! on as they are.

use super::adjoined::adjoined;
use super::builder::{identity, scalar};
use super::counted::{Counted, Maps};
use super::course::Course;
use super::fitted::fitted;
use super::groups::Followed;
use super::number::Number;
use super::number_set::{NumberSet, reached};
use super::reads::{OperandMap, Reads};
use super::times::Lost;
use affinor_hlo::module::ComputationId;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Maximum number of maps that are kept of the reads of one part.
const PENDING: usize = 256;

/// Maximum number of maps from one part to another.
const MAPS: usize = 64;

/// The reads of each part by a part of the result.
pub(super) struct Unrolled {
    pub(super) answer: Followed,
    /// The unions in which maps replaced others: the new union, and the one before.
    pub(super) equalities: Vec<(Maps, Maps)>,
}

/// Returns the reads of each part by the parts `outputs`.
pub(super) fn unrolled(counted: &Counted<'_>, course: &Course, outputs: &[usize]) -> Vec<Unrolled> {
    let parts = 0..counted.paths.len();
    let direct: Vec<Vec<usize>> = parts.map(|part| counted.direct(part)).collect();
    let mut iterations = Iterations {
        counted,
        course,
        reached: reached(&direct),
        direct,
        steps: BTreeMap::new(),
        equalities: Vec::new(),
    };
    let mut answers = Vec::new();
    for output in outputs {
        let answer = iterations.of(*output);
        let answer = answer.unwrap_or_else(|_| vec![None; counted.paths.len()]);
        let equalities = std::mem::take(&mut iterations.equalities);
        answers.push(Unrolled { answer, equalities });
    }
    answers
}

/// The reads of a part by an iteration.
enum Step {
    /// The part is unchanged.
    Same,
    /// The reads of other parts; `None` for reads that are not known.
    Reads(Vec<(usize, Option<Maps>)>),
}

struct Iterations<'c, 'a> {
    counted: &'c Counted<'a>,
    course: &'c Course,
    direct: Vec<Vec<usize>>,
    reached: Vec<NumberSet>,
    /// By part and iteration; under 0 for all iterations, if they have the same reads.
    steps: BTreeMap<(usize, usize), Rc<Step>>,
    /// As in [`Unrolled::equalities`].
    equalities: Vec<(Maps, Maps)>,
}

type Pending = BTreeMap<usize, Maps>;

impl Iterations<'_, '_> {
    fn of(&mut self, output: usize) -> Result<Followed, Lost> {
        let counted = self.counted;
        let mut open = NumberSet::default();
        let own = OperandMap::exact(identity(&counted.sizes[output]));
        let mut pending = Pending::from([(output, vec![own])]);
        for time in (0..=self.course.iterations()).rev() {
            self.decide(output, time, &mut pending, &mut open)?;
            if time > 0 {
                pending = self.before(time - 1, pending, &mut open)?;
            }
        }
        let mut answer = Followed::new();
        for part in 0..counted.paths.len() {
            let before = pending.remove(&part).filter(|_| !open.contains(part));
            let maps = fitted(&counted.times, before.clone().unwrap_or_default())?;
            let is_known = !open.contains(part) && maps.len() <= MAPS;
            self.united(&maps, before.unwrap_or_default());
            answer.push(is_known.then_some(maps));
        }
        Ok(answer)
    }

    /// Records that `maps` are the same union as `before`.
    fn united(&mut self, maps: &Maps, before: Maps) {
        if *maps != before {
            self.equalities.push((maps.clone(), before));
        }
    }

    /// Adds the reads of the condition in a state.
    fn decide(
        &mut self,
        output: usize,
        time: usize,
        pending: &mut Pending,
        open: &mut NumberSet,
    ) -> Result<(), Lost> {
        let counted = self.counted;
        let any = OperandMap::exact(scalar(&counted.sizes[output]));
        for (part, reads) in counted.of_condition.iter().enumerate() {
            let Reads::Maps(maps) = reads else {
                open.extend(&self.reached[part]);
                continue;
            };
            let mut found = Maps::new();
            for map in maps {
                for map in self.at(counted.condition, map, time)? {
                    found.extend(counted.times.then(&any, &map)?);
                }
            }
            self.ask(part, found, pending)?;
        }
        Ok(())
    }

    /// Returns the reads of the state before an iteration, given the `pending` reads of the state after it.
    fn before(
        &mut self,
        time: usize,
        pending: Pending,
        open: &mut NumberSet,
    ) -> Result<Pending, Lost> {
        let mut earlier = Pending::new();
        for (part, asked) in pending {
            let step = self.step(part, time)?;
            let Step::Reads(list) = &*step else {
                self.ask(part, asked, &mut earlier)?;
                continue;
            };
            for (other, maps) in list {
                let Some(maps) = maps else {
                    open.extend(&self.reached[*other]);
                    continue;
                };
                let mut found = Maps::new();
                for first in &asked {
                    for second in maps {
                        found.extend(self.counted.times.then(first, second)?);
                    }
                }
                self.ask(*other, found, &mut earlier)?;
            }
        }
        Ok(earlier)
    }

    /// Adds reads of a part.
    fn ask(&mut self, part: usize, maps: Maps, pending: &mut Pending) -> Result<(), Lost> {
        let known = pending.entry(part).or_default();
        if maps.is_empty() || *known == maps {
            return Ok(());
        }
        known.extend(maps);
        let before = known.clone();
        *known = adjoined(&self.counted.times, std::mem::take(known))?;
        self.united(known, before);
        (known.len() <= PENDING).then_some(()).ok_or(Lost)
    }

    /// Returns the reads of a part by the iteration that starts from state `time`.
    fn step(&mut self, part: usize, time: usize) -> Result<Rc<Step>, Lost> {
        let rows = &self.rows(time)[part];
        let is_timely = |other: &usize| {
            let maps = rows[*other].maps().unwrap_or_default();
            maps.iter().any(|map| !map.runtime.is_empty())
        };
        let is_timely =
            !self.counted.of_iterations.is_empty() || self.direct[part].iter().any(is_timely);
        let key = (part, if is_timely { time } else { 0 });
        if let Some(known) = self.steps.get(&key) {
            return Ok(known.clone());
        }
        let step = Rc::new(self.made(part, time)?);
        self.steps.insert(key, step.clone());
        Ok(step)
    }

    /// Returns the reads of the body, by part, in the iteration that starts from state `time`.
    fn rows(&self, time: usize) -> &[Vec<Reads>] {
        self.counted.of_iterations.get(time).map_or(self.counted.of_body, |rows| rows)
    }

    fn made(&mut self, part: usize, time: usize) -> Result<Step, Lost> {
        let counted = self.counted;
        if counted.passed_on[part] {
            return Ok(Step::Same);
        }
        let mut list = Vec::new();
        for other in &self.direct[part].clone() {
            let Reads::Maps(maps) = &self.rows(time)[part][*other] else {
                list.push((*other, None));
                continue;
            };
            let mut found = Maps::new();
            for map in maps {
                found.extend(self.at(counted.times.body, map, time)?);
            }
            let maps = adjoined(&counted.times, found.clone())?;
            self.united(&maps, found);
            list.push((*other, Some(maps)));
        }
        list.retain(|(_, maps)| maps.as_ref().is_none_or(|maps| !maps.is_empty()));
        let own = OperandMap::exact(identity(&counted.sizes[part]));
        Ok(match &list[..] {
            [(other, Some(maps))] if *other == part && maps[..] == [own] => Step::Same,
            _ => Step::Reads(list),
        })
    }

    /// Returns the map of a computation of the loop run on state `time`, with known values substituted.
    fn at(&self, computation: ComputationId, map: &OperandMap, time: usize) -> Result<Maps, Lost> {
        let times = &self.counted.times;
        let now = Number::constant(i64::try_from(time).map_err(|_| Lost)?);
        let mut scalars = times.trips.at(&now, map.map.domain().variables().len()).ok_or(Lost)?;
        scalars.numbers.extend(self.course.numbers(time));
        times.valued(computation, map, scalars)
    }
}
