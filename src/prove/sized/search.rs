//! Searches for points in terms of parameters, one of which attains the bound at each sample.
//!
//! Variables are placed one after the other. Partial points for which most samples still have an extreme point are followed
//! first.

use super::places::Outline;
use super::samples::{Sample, Samples};
use crate::expr::{Expr, IndexingMap, VariableId};
use crate::prove::Budget;
use std::collections::BTreeSet;

/// Maximum number of places tried in one search.
const TRIED: usize = 60_000;

/// Maximum number of places of a variable that are followed.
const FOLLOWED: usize = 10;

/// The points found so far, for a map with one result.
pub struct Search<'a> {
    map: &'a IndexingMap,
    budget: &'a Budget,
    outline: Outline,
    points: Vec<Vec<Expr>>,
    tried: usize,
    /// Whether points must be in the domain at all samples.
    always_inside: bool,
}

/// A partial point: some variables have places.
struct Partial {
    places: Vec<Expr>,
    is_open: Vec<bool>,
    /// For each sample, the extreme points that agree with these places; empty for a sample whose points are not listed.
    left: Vec<Vec<usize>>,
}

impl<'a> Search<'a> {
    pub fn new(map: &'a IndexingMap, budget: &'a Budget) -> Search<'a> {
        let outline = Outline::of(map);
        Search { map, budget, outline, points: Vec::new(), tried: 0, always_inside: true }
    }

    /// Searches for points until one of them attains the bound at each sample; returns whether this succeeded.
    pub fn cover(&mut self, samples: &Samples, always_inside: bool) -> bool {
        let list = &samples.list;
        let mut wanted: Vec<usize> = (0..list.len()).collect();
        self.points.clear();
        self.always_inside = always_inside;
        self.tried = 0;
        let ids = (0u32..).map(VariableId).take(self.map.domain().variables().len());
        let start = Partial {
            places: ids.clone().map(Expr::variable).collect(),
            is_open: ids.map(|id| !self.map.domain().is_parameter(id)).collect(),
            left: list.iter().map(|s| (0..s.all.as_ref().map_or(0, Vec::len)).collect()).collect(),
        };
        self.follow(&start, &mut wanted, list);
        wanted.is_empty()
    }

    /// Removes from `wanted` the samples for which a point is found.
    fn follow(&mut self, partial: &Partial, wanted: &mut Vec<usize>, list: &[Sample]) {
        if !partial.is_open.contains(&true) {
            let point = &partial.places;
            if self.always_inside && !list.iter().all(|sample| self.is_inside(point, sample)) {
                return;
            }
            let before = wanted.len();
            wanted.retain(|sample| !self.has_end(point, &list[*sample]));
            if wanted.len() < before {
                self.points.push(point.clone());
            }
            return;
        }
        for with_residues_of_turns in [false, true] {
            let Some(next) = self.next(partial, list, with_residues_of_turns) else {
                return;
            };
            self.follow_best(next, wanted, list);
            if wanted.is_empty() {
                return;
            }
        }
    }

    /// Places one more variable, in each way that differs at the samples.
    fn next(
        &mut self,
        partial: &Partial,
        list: &[Sample],
        with_residues_of_turns: bool,
    ) -> Option<Vec<Partial>> {
        let mut next: Vec<Partial> = Vec::new();
        for id in (0u32..).map(VariableId).take(partial.places.len()) {
            if !partial.is_open[id.index()] {
                continue;
            }
            let mut seen = BTreeSet::new();
            let (known, is_open) = (&partial.places, &partial.is_open);
            for place in self.outline.places(id, known, is_open, list, with_residues_of_turns) {
                self.tried += 1;
                let fuel = self.budget.fuel.as_ref()?;
                if self.tried > TRIED || fuel.spend(list.len() as u64).is_err() {
                    return None;
                }
                let values = list.iter().map(|sample| place.eval(&sample.point).ok());
                let values: Vec<Option<i64>> = values.collect();
                if seen.insert(values.clone()) {
                    next.push(partial.with(id, place, &values, list));
                }
            }
        }
        Some(next)
    }

    /// Follows the partial points for which most samples still have a point.
    fn follow_best(&mut self, mut next: Vec<Partial>, wanted: &mut Vec<usize>, list: &[Sample]) {
        for _ in 0..FOLLOWED {
            let hits = |partial: &Partial| {
                let reached = |sample: &&usize| {
                    list[**sample].all.is_none() || !partial.left[**sample].is_empty()
                };
                wanted.iter().filter(reached).count()
            };
            // The first of those with the most.
            let Some(best) = (0..next.len()).rev().max_by_key(|place| hits(&next[*place])) else {
                return;
            };
            if wanted.is_empty() || hits(&next[best]) == 0 {
                return;
            }
            let best = next.remove(best);
            self.follow(&best, wanted, list);
        }
    }

    fn is_inside(&self, point: &[Expr], sample: &Sample) -> bool {
        let values = point.iter().map(|place| place.eval(&sample.point).ok());
        let point = values.collect::<Option<Vec<i64>>>();
        point.is_some_and(|point| self.map.domain().contains(&point) == Ok(true))
    }

    fn has_end(&self, point: &[Expr], sample: &Sample) -> bool {
        let values = point.iter().map(|place| place.eval(&sample.point).ok());
        values.collect::<Option<Vec<i64>>>().is_some_and(|point| {
            self.map.domain().contains(&point) == Ok(true)
                && self.map.eval(&point).is_ok_and(|values| values == [sample.value])
        })
    }

    /// Returns the results at the points.
    pub fn values(&self) -> Option<Vec<Expr>> {
        let points = self.points.iter();
        points.map(|point| self.map.results()[0].substitute(point).ok()).collect()
    }

    /// Selects points one of which attains the bound at each sample, those for most samples first, then others.
    pub fn best(&self, samples: &Samples, most: usize) -> Vec<&[Expr]> {
        let mut wanted: Vec<&Sample> = samples.list.iter().collect();
        let mut rest: Vec<&Vec<Expr>> = self.points.iter().collect();
        let mut found = Vec::new();
        while !rest.is_empty() && !wanted.is_empty() && found.len() < most {
            let hits = |point: &Vec<Expr>| wanted.iter().filter(|s| self.has_end(point, s)).count();
            let best = (0..rest.len()).rev().max_by_key(|place| hits(rest[*place]));
            let point = rest.remove(best.unwrap_or(0));
            wanted.retain(|sample| !self.has_end(point, sample));
            found.push(point.as_slice());
        }
        found
    }
}

impl Partial {
    fn with(
        &self,
        id: VariableId,
        place: Expr,
        values: &[Option<i64>],
        list: &[Sample],
    ) -> Partial {
        let left = values.iter().zip(list).zip(&self.left);
        let left = left.map(|((value, sample), left)| {
            let all = sample.all.as_deref().unwrap_or_default();
            let is_there = |number: &&usize| Some(all[**number][id.index()]) == *value;
            left.iter().filter(is_there).copied().collect()
        });
        let left = left.collect();
        let (mut places, mut is_open) = (self.places.clone(), self.is_open.clone());
        places[id.index()] = place;
        is_open[id.index()] = false;
        Partial { places, is_open, left }
    }
}
