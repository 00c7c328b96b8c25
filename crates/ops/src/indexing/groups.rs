//! While with a known trip count: reads are followed through all iterations at once.
//!
//! The parts of the state form *groups* that depend on each other. A query is about elements of parts at given times; the reads
//! of each group in turn, users first, are followed to other groups and to the initial state of the loop. Laws, for a group and
//! an array `x` that its parts read:
//!
//! * if an iteration has the same reads from the group at all times, let `R(0)` be the reads of `x` by an iteration, and
//!   `R(m + 1)` its reads through `R(m)`. A part at time `T` reads `R(m)` of the iteration that ends at time `T - m`. Once
//!   `R(p + 1) = R(p)` for all parts, `R(m) = R(p)` for all later `m`;
//! * a group of a single part, in which each iteration overwrites a moving window, is read according to the law of
//!   `overwritten`.
//!
//! The reads of any other group are not followed. The condition is read at each time, by each part that the body does not pass
//! on.

use super::counted::{Counted, Maps, at_time, without_time};
use super::number_set::{NumberSet, reached};
use super::overwritten::{Overwritten, over_time};
use super::reads::OperandMap;
use super::times::Lost;
use super::together::{same, together, without_covered};
use affinor::expr::{Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::{Interval, PLUS_INFINITY};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Maximum number of parts of a group that is followed.
const MEMBERS: usize = 40;

/// Maximum number of iterations after which the reads through a group must be the same.
const ROUNDS: i64 = 8;

/// Maximum number of maps from one part to another.
const MAPS: usize = 64;

/// The reads of the state before the loop by each element of the result, by part; `None` if they are not followed.
pub(super) type Followed = Vec<Option<Maps>>;

/// Returns the reads of each part by the parts `outputs`, which the body does not pass on.
pub(super) fn followed(counted: &Counted<'_>, outputs: &[usize]) -> Vec<Followed> {
    let mut groups = Groups::new(counted);
    outputs.iter().map(|k| groups.of_output(*k)).collect()
}

/// Returns the reads by each part, after any number of iterations, of each part before the first iteration, without the reads
/// of the condition; the time is the last dimension.
pub(super) fn family(counted: &Counted<'_>) -> Vec<Followed> {
    let mut groups = Groups::new(counted);
    let count = counted.paths.len();
    let of = |part: usize| match over_time(&counted.sizes[part], counted.all_times(), 0) {
        Ok(own) => {
            let own = BTreeMap::from([(part, vec![OperandMap::exact(own)])]);
            groups.from(own, NumberSet::default())
        }
        Err(_) => vec![None; count],
    };
    (0..count).map(of).collect()
}

/// The reads through 0, 1, 2, .. iterations, by place of the member.
type Rounds = Vec<Vec<Maps>>;

/// A group and its reads computed so far.
struct Group {
    members: Vec<usize>,
    /// The reads of its parts from one another; `None` if they are not followed.
    inside: Option<Inside>,
}

enum Inside {
    /// The same reads at all times: maps from an element at a time to elements at the same time, by place of the member.
    Steady(Vec<Vec<(usize, OperandMap)>>),
    Overwritten(Overwritten),
}

/// For each part, the least part of its group; and these least parts in an order in which users come first.
struct Order {
    group: Vec<usize>,
    order: Vec<usize>,
}

fn order(reached: &[NumberSet]) -> Order {
    let count = reached.len();
    let mutual = |k: usize, other: usize| reached[k].contains(other) && reached[other].contains(k);
    let least = |k: usize| (0..k).find(|other| mutual(k, *other)).unwrap_or(k);
    let group: Vec<usize> = (0..count).map(least).collect();
    let mut order: Vec<usize> = (0..count).filter(|k| group[*k] == *k).collect();
    // A group that reaches another one reaches everything that it reaches, and more.
    order.sort_by_cached_key(|k| {
        let reach = (0..count).filter(|other| reached[*k].contains(*other));
        std::cmp::Reverse(reach.count())
    });
    Order { group, order }
}

/// A loop and its groups computed so far.
struct Groups<'c, 'a> {
    counted: &'c Counted<'a>,
    order: Order,
    reached: Vec<NumberSet>,
    groups: BTreeMap<usize, Rc<Group>>,
    /// The reads of an iteration between parts, with times.
    steps: BTreeMap<(usize, usize), Option<Rc<Maps>>>,
    /// By group and array: the reads through each number of iterations, by place of the member; the last entry holds for all
    /// later ones.
    rounds: BTreeMap<(usize, Target), Option<Rc<Rounds>>>,
}

/// An array that a group reads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    /// A part of another group.
    Part(usize),
    /// A part of the group, in the initial state of the loop.
    Start(usize),
}

impl<'c, 'a> Groups<'c, 'a> {
    fn new(counted: &'c Counted<'a>) -> Groups<'c, 'a> {
        let parts = 0..counted.paths.len();
        let direct: Vec<Vec<usize>> = parts.map(|k| counted.direct(k)).collect();
        let reached = reached(&direct);
        Groups {
            counted,
            order: order(&reached),
            groups: BTreeMap::new(),
            steps: BTreeMap::new(),
            rounds: BTreeMap::new(),
            reached,
        }
    }

    fn of_output(&mut self, output: usize) -> Followed {
        let mut open = NumberSet::default();
        match self.asked(output, &mut open) {
            Ok(pending) => self.from(pending, open),
            Err(Lost) => vec![None; self.counted.paths.len()],
        }
    }

    /// Returns the reads of the initial state by `pending`; reads of the parts `open` are not followed.
    fn from(&mut self, mut pending: BTreeMap<usize, Maps>, mut open: NumberSet) -> Followed {
        let count = self.counted.paths.len();
        let mut read = vec![Vec::new(); count];
        for group in self.order.order.clone() {
            let members = self.group(group).members.clone();
            let reads_of = |pending: &BTreeMap<usize, Maps>| {
                members.iter().any(|part| pending.contains_key(part))
            };
            if !reads_of(&pending) || open.contains(group) {
                continue;
            }
            if self.leave(group, &mut pending, &mut read).is_err() {
                open.extend(&self.reached[group]);
            }
        }
        (0..count)
            .zip(read)
            .map(|(part, maps)| (!open.contains(part)).then(|| self.united(maps)).flatten())
            .collect()
    }

    /// Merges the maps of a union.
    fn united(&self, maps: Maps) -> Option<Maps> {
        together(&self.counted.times, without_covered(maps)).ok()
    }

    /// Returns the read of the part after the last iteration, and the reads of the condition in all iterations.
    fn asked(
        &mut self,
        output: usize,
        open: &mut NumberSet,
    ) -> Result<BTreeMap<usize, Maps>, Lost> {
        let counted = self.counted;
        let (times, sizes) = (&counted.times, &counted.sizes[output]);
        let own = at_time(sizes, times.trips.count);
        let mut pending = BTreeMap::from([(output, vec![own])]);
        for (part, reads) in counted.of_condition.iter().enumerate() {
            match counted.conditional(output, reads)? {
                Some(maps) if maps.is_empty() => {}
                Some(maps) => pending.entry(part).or_default().extend(maps),
                None => open.extend(&self.reached[part]),
            }
        }
        Ok(pending)
    }

    /// Returns the group with this least part.
    fn group(&mut self, least: usize) -> Rc<Group> {
        if let Some(known) = self.groups.get(&least) {
            return known.clone();
        }
        let parts = 0..self.order.group.len();
        let members: Vec<usize> = parts.filter(|k| self.order.group[*k] == least).collect();
        let inside = match members[..] {
            [part] if self.counted.passed_on[part] => None,
            _ if members.len() > MEMBERS => None,
            _ => self.inside(&members),
        };
        let group = Rc::new(Group { members, inside });
        self.groups.insert(least, group.clone());
        group
    }

    fn inside(&mut self, members: &[usize]) -> Option<Inside> {
        let mut steady = Vec::new();
        let mut is_steady = true;
        for part in members {
            let mut edges = Vec::new();
            for (place, other) in members.iter().enumerate() {
                for map in self.step(*part, *other)?.iter() {
                    let still = self.at_all_times(*part, map);
                    is_steady &= still.is_some();
                    if !is_steady && members.len() > 1 {
                        return None;
                    }
                    edges.extend(still.map(|map| (place, map)));
                }
            }
            steady.push(edges);
        }
        if is_steady {
            return Some(Inside::Steady(steady));
        }
        let [part] = members else {
            return None;
        };
        let own = self.step(*part, *part)?;
        let sizes = &self.counted.sizes[*part];
        let overwritten = Overwritten::of(&self.counted.times, sizes, &own);
        overwritten.ok()?.map(Inside::Overwritten)
    }

    /// Returns the map of an iteration from an element at a time to elements at the same time, if it is the same at all times.
    fn at_all_times(&self, part: usize, map: &OperandMap) -> Option<OperandMap> {
        let counted = self.counted;
        let rank = counted.sizes[part].len();
        let time = VariableId(rank as u32);
        let (domain, mut results) = map.map.clone().into_parts();
        let is_timely = |expr: &Expr| expr.variables().contains(&time);
        results.pop();
        let is_still = domain.bounds(time) == Interval::new(1, counted.times.trips.count)
            && !domain.constraints().iter().any(|one| is_timely(&one.expr))
            && !map.runtime.iter().flat_map(|value| &value.index).any(is_timely)
            && !results.iter().any(is_timely);
        is_still.then_some(())?;
        results.push(Expr::variable(time));
        let mut variables = domain.variables().to_vec();
        let name = variables[rank].name.clone();
        variables[rank] = Variable::new(name, VariableKind::Dimension, counted.all_times());
        let mut every = Domain::new(variables);
        for constraint in domain.constraints() {
            every.constrain(&constraint.expr, constraint.bounds);
        }
        Some(OperandMap { map: IndexingMap::new(every, results), ..map.clone() })
    }

    /// Returns the reads of another part by an iteration.
    fn step(&mut self, part: usize, other: usize) -> Option<Rc<Maps>> {
        if let Some(known) = self.steps.get(&(part, other)) {
            return known.clone();
        }
        let made = self.counted.step(part, other).map(Rc::new);
        self.steps.insert((part, other), made.clone());
        made
    }

    /// Follows the reads of a group to other parts, and to the initial state.
    fn leave(
        &mut self,
        least: usize,
        pending: &mut BTreeMap<usize, Maps>,
        read: &mut [Maps],
    ) -> Result<(), Lost> {
        let group = self.group(least);
        if let [part] = group.members[..]
            && self.counted.passed_on[part]
        {
            let maps = pending.remove(&part).unwrap_or_default();
            let still = maps.iter().map(without_time);
            for map in still {
                read[part].extend(self.counted.times.tidied(&map)?);
            }
            return Ok(());
        }
        let inside = group.inside.as_ref().ok_or(Lost)?;
        let mut targets = BTreeSet::new();
        for part in &group.members {
            targets.insert(Target::Start(*part));
            let others = self.counted.direct(*part).into_iter();
            let others = others.filter(|other| self.order.group[*other] != least);
            targets.extend(others.map(Target::Part));
        }
        for target in targets {
            let mut found = Maps::new();
            for (place, part) in group.members.iter().enumerate() {
                let Some(asked) = pending.get(part) else {
                    continue;
                };
                let maps = match inside {
                    Inside::Steady(edges) => {
                        let rounds = self.rounds(least, &group.members, edges, target);
                        self.through(asked, *part, place, &rounds.ok_or(Lost)?)?
                    }
                    Inside::Overwritten(overwritten) => {
                        self.past(asked, *part, overwritten, target)?
                    }
                };
                found.extend(maps);
            }
            let found = together(&self.counted.times, without_covered(found))?;
            if found.len() > MAPS {
                return Err(Lost);
            }
            match target {
                Target::Part(part) => pending.entry(part).or_default().extend(found),
                Target::Start(part) => read[part].extend(found.iter().map(without_time)),
            }
        }
        Ok(())
    }

    /// Returns the reads of `target` by a part in one iteration; those of the initial state are all at time 0.
    fn of_target(&mut self, part: usize, target: Target) -> Option<Maps> {
        match target {
            Target::Part(other) => Some(self.step(part, other)?.to_vec()),
            Target::Start(other) if other == part => {
                let own = over_time(&self.counted.sizes[part], Interval::point(0), 0);
                Some(vec![OperandMap::exact(own.ok()?)])
            }
            Target::Start(_) => Some(Maps::new()),
        }
    }

    /// Returns the reads of `target` through 0, 1, 2, .. iterations.
    fn rounds(
        &mut self,
        least: usize,
        members: &[usize],
        edges: &[Vec<(usize, OperandMap)>],
        target: Target,
    ) -> Option<Rc<Rounds>> {
        if let Some(known) = self.rounds.get(&(least, target)) {
            return known.clone();
        }
        let first = members.iter().map(|part| self.of_target(*part, target));
        let first: Option<Vec<Maps>> = first.collect();
        let rounds = first.and_then(|first| self.repeated(first, edges)).map(Rc::new);
        self.rounds.insert((least, target), rounds.clone());
        rounds
    }

    fn repeated(&self, first: Vec<Maps>, edges: &[Vec<(usize, OperandMap)>]) -> Option<Rounds> {
        let times = &self.counted.times;
        let mut rounds = vec![first];
        for _ in 0..ROUNDS {
            let last = rounds.last()?;
            let mut next = Vec::new();
            for edges in edges {
                let mut maps = Maps::new();
                for (place, edge) in edges {
                    for map in &last[*place] {
                        maps.extend(times.then(edge, map).ok()?);
                    }
                }
                let maps = without_covered(maps);
                (maps.len() <= MAPS).then_some(())?;
                next.push(maps);
            }
            let mut pairs = last.iter().zip(&next);
            let is_same = pairs.all(|(last, next)| same(last, next));
            if is_same {
                return Some(rounds);
            }
            rounds.push(next);
        }
        // The loop has no more iterations than these.
        (times.trips.count < ROUNDS).then_some(rounds)
    }

    /// Returns the reads by `asked` of a member, through `rounds`.
    fn through(
        &self,
        asked: &[OperandMap],
        part: usize,
        place: usize,
        rounds: &[Vec<Maps>],
    ) -> Result<Maps, Lost> {
        let (times, sizes) = (&self.counted.times, &self.counted.sizes[part]);
        let own: Vec<&Maps> = rounds.iter().map(|round| &round[place]).collect();
        // All later entries are equal to this one.
        let mut last = own.len() - 1;
        while last > 0 && same(own[last - 1], own[last]) {
            last -= 1;
        }
        let mut found = Maps::new();
        for (round, maps) in (0..).zip(&own[..=last]) {
            let steps = match round == last as i64 {
                true => Interval::new(round, PLUS_INFINITY),
                false => Interval::point(round),
            };
            let back = OperandMap::exact(before(sizes, self.counted.all_times(), steps)?);
            for first in asked {
                let Some(first) = times.then(first, &back)? else {
                    continue;
                };
                for second in *maps {
                    found.extend(times.then(&first, second)?);
                }
            }
        }
        Ok(found)
    }

    /// Returns the reads by `asked` of a part that is overwritten in a moving window.
    fn past(
        &mut self,
        asked: &[OperandMap],
        part: usize,
        overwritten: &Overwritten,
        target: Target,
    ) -> Result<Maps, Lost> {
        let into = self.of_target(part, target).ok_or(Lost)?;
        let times = &self.counted.times;
        let (written, unwritten) = (overwritten.written()?, overwritten.unwritten()?);
        let mut found = Maps::new();
        for second in &into {
            let back = match overwritten.is_in_window(second) {
                true => &written,
                false => &unwritten,
            };
            for first in asked {
                for back in back {
                    if let Some(first) = times.then(first, back)? {
                        found.extend(times.then(&first, second)?);
                    }
                }
            }
        }
        Ok(found)
    }
}

/// Returns the map from an element at a time to the same element some iterations earlier.
fn before(sizes: &[i64], times: Interval, steps: Interval) -> Result<IndexingMap, ExprError> {
    let now = over_time(sizes, times, 0)?;
    let (domain, mut results) = now.into_parts();
    let mut variables = domain.variables().to_vec();
    let time = Expr::variable(VariableId(sizes.len() as u32));
    results.pop();
    if let Some(steps) = steps.as_point() {
        results.push(Expr::sum(-steps, [(1, time)])?);
        return Ok(IndexingMap::new(domain, results));
    }
    let earlier = Expr::variable(VariableId(variables.len() as u32));
    variables.push(Variable::new("s0", VariableKind::Range, times));
    let mut domain = Domain::new(variables);
    domain.constrain(&time.sub(&earlier)?, steps);
    results.push(earlier);
    Ok(IndexingMap::new(domain, results))
}
