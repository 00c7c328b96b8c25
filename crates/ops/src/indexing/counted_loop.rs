//! The reads of a loop with a known trip count, together with those for an unknown trip count.
//!
//! Law: for each pair of arrays, the answer is exact if either of the two is; otherwise it is the one for an unknown trip
//! count. If its body makes choices (`choices`), the known trip count has precedence, since counters may decide them.

use super::choices::has_choices;
use super::counted::{Counted, Maps, at_time, without_time};
use super::course::{Course, State};
use super::groups::{Followed, family, followed};
use super::number_set::reached;
use super::op::{arrays, sizes_at};
use super::overwritten::over_time;
use super::passed_on::is_passed_on;
use super::reads::{Exactness, InstructionPlace, OperandMap, OperandReads, Reads, TuplePath};
use super::starts::starts;
use super::tidy::Tidy;
use super::times::{Lost, Times};
use super::together::without_covered;
use super::trips::{Starts, Trips, trips};
use super::unrolled::unrolled;
use affinor::expr::{Expr, VariableId};
use affinor::num::{Fuel, Interrupt, Interval};
use affinor_hlo::module::{ComputationId, Module};
use affinor_hlo::opcode::Opcode;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Maximum number of parts of the state of a loop that is followed.
const PARTS: usize = 512;

/// Maximum number of instructions of a body, counted in each iteration whose state is analysed.
const INSTRUCTIONS: usize = 4_096;

const TANGLED: &str = "its iterations are counted, but their reads of each other are not followed: more may be named than is read";

/// The input for following a loop.
pub(super) struct Given<'a> {
    pub(super) module: &'a Module,
    pub(super) tidy: Tidy<'a>,
    pub(super) interrupt: &'a Interrupt,
    /// The budget for one loop, in steps.
    pub(super) steps: u64,
    /// The known scalars of the parameter of a computation.
    pub(super) state: Option<&'a (ComputationId, State)>,
}

impl Given<'_> {
    /// Returns the number of states for which a body is analysed.
    fn most_states(&self, body: ComputationId) -> usize {
        INSTRUCTIONS / self.module[body].instructions().len().max(1)
    }
}

/// Returns the reads of a computation, also for known scalars of its parameter.
pub(super) type Reader<'r> =
    dyn FnMut(ComputationId, Option<&State>) -> Option<Arc<[OperandReads]>> + 'r;

/// Returns the reads of the loop at `place`, with those that can be followed through all iterations made exact.
pub(super) fn counted(
    given: &Given<'_>,
    place: InstructionPlace,
    reads: Arc<[OperandReads]>,
    of: &mut Reader<'_>,
) -> Arc<[OperandReads]> {
    let body = given.module[place.computation][place.instruction].called("body").ok();
    let inside = body.and_then(|body| of(body, None)).unwrap_or_default();
    let chooses = inside.iter().any(|entry| has_choices(&entry.reads));
    if !chooses && reads.iter().all(|entry| entry.reads.is_exact()) {
        return reads;
    }
    let found = with_counted(given, place, of, |counted| exact(counted, &reads, chooses));
    found.unwrap_or(reads)
}

/// Applies `work` to the loop at `place`, if its trip count is known.
fn with_counted<R>(
    given: &Given<'_>,
    place: InstructionPlace,
    of: &mut Reader<'_>,
    work: impl FnOnce(&Counted<'_>) -> R,
) -> Option<R> {
    let instruction = &given.module[place.computation][place.instruction];
    let state = instruction.shape();
    let (body, condition) =
        (instruction.called("body").ok()?, instruction.called("condition").ok()?);
    let state_of = |computation: ComputationId| {
        given.state.filter(|(of, _)| *of == computation).map(|(_, state)| state)
    };
    let starts = starts(given.module, place, state_of(place.computation), given.interrupt);
    let trips = turns(given, place, &starts)?;
    let paths: Vec<TuplePath> = arrays(state).into_iter().map(|(path, _)| path).collect();
    if paths.len() > PARTS {
        return None;
    }
    let sizes: Option<Vec<Vec<i64>>> = paths.iter().map(|path| sizes_at(state, path)).collect();
    let (in_body, in_condition) = (table(&of(body, None)?), table(&of(condition, None)?));
    let row = |known: &Table, output: &TuplePath| -> Vec<Reads> {
        let pair = |part: &TuplePath| (output.clone(), part.clone());
        let of = |part: &TuplePath| known.get(&pair(part)).cloned();
        paths.iter().map(|part| of(part).unwrap_or(Reads::NOTHING)).collect()
    };
    let rows =
        |known: &Table| -> Vec<Vec<Reads>> { paths.iter().map(|path| row(known, path)).collect() };
    let of_body = rows(&in_body);
    let mut of_iterations = Vec::new();
    // One level of loops: the states of several are multiplied.
    if given.state.is_none() && has_open_loops(given, body) {
        let course = Course::of(given.module, place, Some(&trips), &starts, given.interrupt);
        let states = course.iter().flat_map(Course::before_iterations);
        for state in states.take(given.most_states(body)) {
            of_iterations.push(rows(&table(&of(body, Some(state))?)));
        }
    }
    if i64::try_from(of_iterations.len()) != Ok(trips.count) {
        of_iterations.clear();
    }
    let is_passed_on = |path: &TuplePath| is_passed_on(&given.module[body], path);
    let counted = Counted {
        times: Times {
            module: given.module,
            body,
            tidy: given.tidy,
            interrupt: given.interrupt,
            fuel: Fuel::new(given.steps, given.interrupt),
            trips: &trips,
            starts: &starts,
            name: instruction.name(),
        },
        place,
        condition,
        sizes: &sizes?,
        of_body: &of_body,
        of_iterations: &of_iterations,
        of_condition: &row(&in_condition, &TuplePath::new()),
        passed_on: &paths.iter().map(is_passed_on).collect::<Vec<_>>(),
        paths: &paths,
    };
    Some(work(&counted))
}

/// Returns the trip count of a loop and its counters.
fn turns(given: &Given<'_>, place: InstructionPlace, starts: &Starts) -> Option<Trips> {
    let course = || Course::of(given.module, place, None, starts, given.interrupt)?.trips();
    trips(given.module, place, starts, given.interrupt).or_else(course)
}

/// Returns whether a computation has a loop whose trip count is not known for all states.
fn has_open_loops(given: &Given<'_>, computation: ComputationId) -> bool {
    given.module[computation].instructions().any(|(instruction, one)| {
        let place = InstructionPlace { computation, instruction };
        let starts = || starts(given.module, place, None, given.interrupt);
        *one.opcode() == Opcode::While && turns(given, place, &starts()).is_none()
    })
}

type Table = BTreeMap<(TuplePath, TuplePath), Reads>;

/// Returns the reads, keyed by part of the output and part of the operand.
fn table(list: &[OperandReads]) -> Table {
    let pair = |entry: &OperandReads| (entry.output.clone(), entry.operand_path.clone());
    list.iter().map(|entry| (pair(entry), entry.reads.clone())).collect()
}

/// Returns `reads` with those that can be followed made exact, and, if the body `chooses`, those that are exact already.
fn exact(counted: &Counted<'_>, reads: &[OperandReads], chooses: bool) -> Arc<[OperandReads]> {
    let number = |path: &TuplePath| counted.paths.iter().position(|other| other == path);
    let moves = |path: &TuplePath| number(path).is_some_and(|part| !counted.passed_on[part]);
    let open = |entry: &&OperandReads| !entry.reads.is_exact() || (chooses && moves(&entry.output));
    let outputs = reads.iter().filter(open);
    let mut outputs: Vec<usize> = outputs.filter_map(|entry| number(&entry.output)).collect();
    outputs.dedup();
    let answers = match counted.of_iterations.is_empty() {
        true => followed(counted, &outputs),
        false => vec![vec![None; counted.paths.len()]; outputs.len()],
    };
    let mut answers: BTreeMap<usize, Followed> = outputs.into_iter().zip(answers).collect();
    let better = |answers: &BTreeMap<usize, Followed>, entry: &OperandReads| {
        let answer = answers.get(&number(&entry.output)?)?;
        let maps = answer.get(number(&entry.operand_path)?)?;
        Some(Reads::union(maps.clone()?)).filter(Reads::is_exact)
    };
    let left = reads.iter().filter(open).filter(|entry| better(&answers, entry).is_none());
    let mut left: Vec<usize> = left.filter_map(|entry| number(&entry.output)).collect();
    left.dedup();
    if !left.is_empty()
        && let Some(course) = counted.course()
    {
        let unrolled = unrolled(counted, &course, &left);
        for (part, one_by_one) in left.into_iter().zip(unrolled) {
            let at_once = answers.remove(&part).unwrap_or_default();
            let is_exact = |maps: &Option<Maps>| {
                maps.as_ref().is_some_and(|maps| Reads::union(maps.iter().cloned()).is_exact())
            };
            let pairs = at_once.into_iter().zip(one_by_one.answer);
            let best = pairs.map(|(whole, each)| if is_exact(&whole) { whole } else { each });
            answers.insert(part, best.collect());
        }
    }
    let entries = reads.iter().map(|entry| match open(&entry).then(|| better(&answers, entry)) {
        None => entry.clone(),
        Some(Some(reads)) => OperandReads { reads, ..entry.clone() },
        Some(None) => {
            OperandReads { reads: tangled(&entry.reads, counted.times.name), ..entry.clone() }
        }
    });
    entries.collect()
}

/// Returns the same reads for an unknown trip count, with the reason why no better ones are known.
fn tangled(reads: &Reads, name: &str) -> Reads {
    let Reads::Maps(maps) = reads else {
        return reads.clone();
    };
    let reason: Arc<str> = format!("`{name}`: {TANGLED}").into();
    let exactness = |map: &OperandMap| match map.exactness {
        Exactness::Exact => Exactness::Exact,
        Exactness::AtMost { .. } => Exactness::AtMost { reason: reason.clone() },
    };
    Reads::union(maps.iter().map(|map| OperandMap { exactness: exactness(map), ..map.clone() }))
}

/// The claims on which the maps of a loop rest, for a proof by induction over the iterations.
pub struct LoopClaims {
    /// The body and the condition: their reads are taken as given.
    pub computations: [ComputationId; 2],
    /// Pairs of unions of maps that are to be proved equal. For each part: after no iteration, it reads itself; after one more
    /// iteration, it has the reads of the body, followed by the reads before. If iterations are followed one by one: the reads
    /// that were followed, and the fewer maps that replaced them.
    pub equalities: Vec<(Vec<OperandMap>, Vec<OperandMap>)>,
    /// By part of the output and of the operand: the equalities of all parts that are read on the way, and the resulting maps
    /// of the loop: those after the last iteration, and the reads of the condition.
    pub claims: BTreeMap<(TuplePath, TuplePath), (Vec<usize>, Vec<OperandMap>)>,
}

/// Returns the claims about the loop at `place`, if its trip count is known.
pub(super) fn loop_claims(
    given: &Given<'_>,
    place: InstructionPlace,
    of: &mut Reader<'_>,
) -> Option<LoopClaims> {
    with_counted(given, place, of, claims)
}

fn claims(counted: &Counted<'_>) -> LoopClaims {
    let family = family(counted);
    let parts = 0..counted.paths.len();
    let direct: Vec<Vec<usize>> = parts.clone().map(|part| counted.direct(part)).collect();
    let reached = reached(&direct);
    let deciding = counted.of_condition.iter().enumerate();
    let deciding: Vec<usize> =
        deciding.filter(|(_, reads)| **reads != Reads::NOTHING).map(|(part, _)| part).collect();
    let mut claims = LoopClaims {
        computations: [counted.times.body, counted.condition],
        equalities: Vec::new(),
        claims: BTreeMap::new(),
    };
    for start in parts.clone() {
        // The reads of each part by this part.
        let mut known = BTreeMap::new();
        for part in parts.clone().filter(|part| !counted.passed_on[*part]) {
            let pair = || -> Result<Option<[(Maps, Maps); 2]>, Lost> {
                let Some(own) = &family[part][start] else {
                    return Ok(None);
                };
                let before = before_any(counted, own, part, start)?;
                Ok(after_one(counted, own, part, start, &family)?.map(|after| [before, after]))
            };
            if let Ok(Some(pair)) = pair() {
                let first = claims.equalities.len();
                claims.equalities.extend(pair);
                known.insert(part, [first, first + 1]);
            }
        }
        for output in parts.clone().filter(|part| !counted.passed_on[*part]) {
            if family[output][start].is_none() {
                continue;
            }
            let mut needed = Vec::new();
            let on_the_way = |part: usize| {
                let mut from = [output].into_iter().chain(deciding.iter().copied());
                !counted.passed_on[part] && from.any(|from| reached[from].contains(part))
            };
            let all_known = parts.clone().filter(|part| on_the_way(*part)).all(|part| {
                needed.extend(known.get(&part).into_iter().flatten());
                known.contains_key(&part)
            });
            if !all_known {
                continue;
            }
            if let Ok(Some(maps)) = at_last(counted, output, start, &family) {
                let pair = (counted.paths[output].clone(), counted.paths[start].clone());
                claims.claims.insert(pair, (needed, maps));
            }
        }
    }
    // The reads of a body in a known state have no proof.
    if counted.of_iterations.is_empty() {
        claim_one_by_one(counted, &mut claims);
    }
    claims
}

/// Adds claims about the pairs that have none yet, following iterations one by one.
fn claim_one_by_one(counted: &Counted<'_>, claims: &mut LoopClaims) {
    let pair =
        |output: usize, part: usize| (counted.paths[output].clone(), counted.paths[part].clone());
    let parts = 0..counted.paths.len();
    let is_open = |output: &usize| {
        !counted.passed_on[*output]
            && parts.clone().any(|part| !claims.claims.contains_key(&pair(*output, part)))
    };
    let outputs: Vec<usize> = parts.clone().filter(is_open).collect();
    let Some(course) = counted.course().filter(|_| !outputs.is_empty()) else {
        return;
    };
    // The reads of an iteration are computed once, for the first part that needs them, so all equalities are required.
    let first = claims.equalities.len();
    for (output, unrolled) in outputs.iter().zip(unrolled(counted, &course, &outputs)) {
        claims.equalities.extend(unrolled.equalities);
        let needed: Vec<usize> = (first..claims.equalities.len()).collect();
        for (part, maps) in unrolled.answer.into_iter().enumerate() {
            if let Some(maps) = maps {
                let pair = pair(*output, part);
                claims.claims.entry(pair).or_insert_with(|| (needed.clone(), maps));
            }
        }
    }
}

/// Returns the maps, restricted to some times.
fn during(maps: &[OperandMap], rank: usize, times: Interval) -> Maps {
    let time = Expr::variable(VariableId(rank as u32));
    let during =
        |map: &OperandMap| OperandMap { map: map.map.restricted(&time, times), ..map.clone() };
    let maps = maps.iter().map(during);
    maps.filter(|map| !map.map.domain().is_known_empty()).collect()
}

/// Returns the claim after no iteration: a part reads itself.
fn before_any(
    counted: &Counted<'_>,
    own: &Maps,
    part: usize,
    start: usize,
) -> Result<(Maps, Maps), Lost> {
    let sizes = &counted.sizes[part];
    let itself = OperandMap::exact(over_time(sizes, Interval::point(0), 0)?);
    let itself = (part == start).then(|| without_time(&itself));
    Ok((during(own, sizes.len(), Interval::point(0)), itself.into_iter().collect()))
}

/// Returns the claim after one more iteration: the reads of the body, followed by the reads before.
fn after_one(
    counted: &Counted<'_>,
    own: &Maps,
    part: usize,
    start: usize,
    family: &[Followed],
) -> Result<Option<(Maps, Maps)>, Lost> {
    let mut through = Maps::new();
    for other in counted.direct(part) {
        let (Some(steps), Some(maps)) = (counted.step(part, other), &family[other][start]) else {
            return Ok(None);
        };
        for step in &steps {
            for map in maps {
                through.extend(counted.times.then(step, map)?);
            }
        }
    }
    let times = Interval::new(1, counted.times.trips.count);
    let own = during(own, counted.sizes[part].len(), times);
    Ok(Some((own, without_covered(through))))
}

/// Returns the maps after all iterations, with the reads of the condition.
fn at_last(
    counted: &Counted<'_>,
    output: usize,
    start: usize,
    family: &[Followed],
) -> Result<Option<Maps>, Lost> {
    let last = at_time(&counted.sizes[output], counted.times.trips.count);
    let mut asked = vec![(output, vec![last])];
    for (part, reads) in counted.of_condition.iter().enumerate() {
        let Some(maps) = counted.conditional(output, reads)? else {
            return Ok(None);
        };
        asked.push((part, maps));
    }
    let mut found = Maps::new();
    for (part, firsts) in asked.into_iter().filter(|(_, firsts)| !firsts.is_empty()) {
        let Some(maps) = &family[part][start] else {
            return Ok(None);
        };
        for first in &firsts {
            for map in maps {
                found.extend(counted.times.then(first, map)?);
            }
        }
    }
    Ok(Some(without_covered(found)))
}
