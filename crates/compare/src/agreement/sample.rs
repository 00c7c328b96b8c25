//! Searches sample points for elements on which maps and definition disagree.
//!
//! At each point both are evaluated in full, with the same made-up values of tensors. A difference is a proof; the absence of
//! differences is not.

use super::align::source_of;
use super::known_value::KnownValue;
use super::{Difference, Reader};
use affinor::expr::{VariableId, VariableKind};
use affinor::num::{Fuel, Interval};
use affinor::text::Error;
use affinor_definition::{Access, Certainty, Relation, Source, TuplePath, elements};
use affinor_ops::indexing::{Exactness, OperandMap};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Number of sample points, each with other values of tensors.
const POINTS: u64 = 6;

/// Maximum size of an output whose points are all sampled.
const FEW: i64 = 64;

/// The sizes of ranges for made-up values, which begin at -2: small ones, and some beyond most arrays.
const RANGES: [i64; 4] = [6, 12, 40, 300];

/// Maximum number of candidates, and of range values, at one point.
const STEPS: u64 = 20_000;

/// Finds a difference between `maps` and `accesses` at a sample point of an output of these sizes. An element that is only in
/// an upper bound does not count. Stops when the fuel is spent.
pub fn difference(
    sizes: &[i64],
    accesses: &[&Access],
    maps: &[OperandMap],
    fuel: &Fuel,
) -> Option<Difference> {
    let may_differ = maps.iter().any(|map| map.exactness == Exactness::Exact)
        || accesses.iter().any(|access| is_attained(access));
    if !may_differ || has_inner_values(accesses, maps) {
        return None;
    }
    at_points(sizes, has_values(accesses, maps), &mut |point, value| {
        difference_at(point, accesses, maps, value, fuel)
    })
}

/// Returns whether each element of the access is read for some values.
fn is_attained(access: &Access) -> bool {
    !matches!(access.certainty, Certainty::Bound { .. })
}

/// Finds an element that only one of two unions of maps reads, at a sample point of an output of these sizes; the result has
/// `true` if the first union reads it. Only exact maps count as readers.
pub fn change(
    sizes: &[i64],
    first: &[OperandMap],
    second: &[OperandMap],
    fuel: &Fuel,
) -> Option<(Difference, bool, Vec<KnownValue>)> {
    if has_inner_values(&[], first) || has_inner_values(&[], second) {
        return None;
    }
    let has_values = has_values(&[], first) || has_values(&[], second);
    at_points(sizes, has_values, &mut |point, value| {
        let union = |maps: &[OperandMap]| -> Option<BTreeSet<Vec<i64>>> {
            let sets = maps.iter().map(|map| read_by(map, point, value, fuel));
            let sets: Vec<_> = sets.collect::<Option<_>>()?;
            Some(sets.into_iter().flatten().collect())
        };
        let exact = |maps: &[OperandMap]| -> Vec<OperandMap> {
            let exact = maps.iter().filter(|map| map.exactness == Exactness::Exact);
            exact.cloned().collect()
        };
        for (reader, other, is_first) in [(first, second, true), (second, first, false)] {
            let (read, known) = (union(&exact(reader))?, union(other)?);
            if let Some(element) = read.difference(&known).next() {
                let values = values_at(point, [first, second], value, fuel);
                return Some((found(point, element, Reader::Map), is_first, values));
            }
        }
        None
    })
}

/// Returns the values that maps depend on at `point`, in order.
fn values_at(
    point: &[i64],
    sides: [&[OperandMap]; 2],
    value: &Values<'_>,
    fuel: &Fuel,
) -> Vec<KnownValue> {
    let all = || sides.into_iter().flatten();
    // A value is clamped to some of the intervals of its tensor, so clamping it to their hull first changes nothing.
    let clamp_of = |wanted: (&Source, &TuplePath)| {
        let runtime = all().flat_map(|map| &map.runtime);
        let own = runtime
            .filter(|runtime| source_of(&runtime.source) == (wanted.0.clone(), wanted.1.clone()));
        own.map(|runtime| runtime.clamp)
            .reduce(|one, other| Interval::new(one.lo().min(other.lo()), one.hi().max(other.hi())))
    };
    let seen = RefCell::new(BTreeMap::new());
    let recorded = |source: &Source, path: &TuplePath, index: &[i64]| {
        let raw = value(source, path, index);
        if let Source::Operand(operand) = source {
            let clamp = clamp_of((source, path)).unwrap_or(Interval::ALL);
            let known = raw.min(clamp.hi()).max(clamp.lo());
            seen.borrow_mut().insert((*operand, path.clone(), index.to_vec()), known);
        }
        raw
    };
    for map in all() {
        read_by(map, point, &recorded, fuel);
    }
    let values = seen.into_inner().into_iter();
    let known = |((operand, path, index), value)| KnownValue { operand, path, index, value };
    values.map(known).collect()
}

/// Made-up values of tensors.
type Values<'a> = dyn Fn(&Source, &TuplePath, &[i64]) -> i64 + 'a;

/// Returns the first result of `look` at sample points of an output of these sizes, with made-up values of tensors.
fn at_points<T>(
    sizes: &[i64],
    has_values: bool,
    look: &mut dyn FnMut(&[i64], &Values<'_>) -> Option<T>,
) -> Option<T> {
    if sizes.contains(&0) {
        return None;
    }
    let mut few = sizes.iter().copied();
    let count = few.try_fold(1_i64, i64::checked_mul).filter(|count| *count <= FEW);
    // If the reads depend on values, each point is tried with values of several magnitudes.
    let turns = match has_values {
        true => 6 * RANGES.len() as u64,
        false => 1,
    };
    let rounds = count.map_or(POINTS, |count| POINTS.max(turns * count.unsigned_abs()));
    (0..rounds).find_map(|round| {
        let (point, turn) = match count {
            Some(count) => (digits(round, sizes), round / count.unsigned_abs()),
            None => {
                let index = (0..).zip(sizes).map(|(k, size)| match round {
                    0 => 0,
                    1 => size - 1,
                    _ => made_up(round, &[k]).rem_euclid(*size),
                });
                (index.collect(), round)
            }
        };
        let value = |source: &Source, path: &TuplePath, index: &[i64]| {
            let place = [&[number_of(source)], index].concat();
            let path: i64 = path.iter().map(|part| *part as i64 + 1).sum();
            let range = RANGES[turn as usize % RANGES.len()];
            made_up(round + 7 * path.unsigned_abs(), &place).rem_euclid(range) - 2
        };
        look(&point, &value)
    })
}

fn difference_at(
    point: &[i64],
    accesses: &[&Access],
    maps: &[OperandMap],
    value: &Values<'_>,
    fuel: &Fuel,
) -> Option<Difference> {
    let mut defined = BTreeSet::new();
    let mut attained = BTreeSet::new();
    let mut lookup = |source: &Source, path: &TuplePath, index: &[i64]| {
        Ok::<_, Error>(value(source, path, index))
    };
    for access in accesses {
        let mut steps = STEPS;
        let own = elements(access, point, &mut lookup, &mut steps);
        fuel.spend(STEPS - steps).ok()?;
        let own = own.ok()?;
        if is_attained(access) {
            attained.extend(own.iter().cloned());
        }
        defined.extend(own);
    }
    let mut mapped = BTreeSet::new();
    for map in maps {
        let own = read_by(map, point, value, fuel)?;
        if map.exactness == Exactness::Exact
            && let Some(element) = own.difference(&defined).next()
        {
            return Some(found(point, element, Reader::Map));
        }
        mapped.extend(own);
    }
    let element = attained.difference(&mapped).next();
    element.map(|element| found(point, element, Reader::Definition))
}

fn found(output: &[i64], element: &[i64], read_by: Reader) -> Difference {
    Difference { output: output.to_vec(), element: element.to_vec(), read_by }
}

/// Returns the elements that a map reads at `point`; `None` if there are too many range values for the fuel, or on overflow.
fn read_by(
    map: &OperandMap,
    point: &[i64],
    value: &Values<'_>,
    fuel: &Fuel,
) -> Option<BTreeSet<Vec<i64>>> {
    let domain = map.map.domain();
    let mut found = BTreeSet::new();
    if domain.is_known_empty() {
        return Some(found);
    }
    let ranges: Vec<(i64, i64)> = domain
        .ids(VariableKind::Range)
        .map(|id| (domain.bounds(id).lo(), domain.bounds(id).hi()))
        .collect();
    let mut sizes = ranges.iter().map(|(lo, hi)| hi.checked_sub(*lo)?.checked_add(1));
    let count = sizes.try_fold(1_i64, |count, size: Option<i64>| count.checked_mul(size?))?;
    if count.unsigned_abs() > STEPS {
        return None;
    }
    fuel.spend(count.unsigned_abs() * (1 + map.map.results().len() as u64)).ok()?;
    let mut current: Vec<i64> = ranges.iter().map(|(lo, _)| *lo).collect();
    for _ in 0..count {
        let mut whole = [point, &current].concat();
        whole.resize(domain.variables().len(), 0);
        for runtime in &map.runtime {
            let index = runtime.index.iter().map(|x| x.eval(&whole).ok());
            let index: Vec<i64> = index.collect::<Option<_>>()?;
            let (source, path) = source_of(&runtime.source);
            let raw = value(&source, &path, &index);
            let VariableId(id) = runtime.variable;
            *whole.get_mut(id as usize)? = raw.min(runtime.clamp.hi()).max(runtime.clamp.lo());
        }
        if domain.contains(&whole).ok()? {
            found.insert(map.map.eval(&whole).ok()?);
        }
        for (value, (lo, hi)) in current.iter_mut().zip(&ranges).rev() {
            if *value < *hi {
                *value += 1;
                break;
            }
            *value = *lo;
        }
    }
    Some(found)
}

fn relations<'a>(accesses: &[&'a Access]) -> impl Iterator<Item = &'a Relation> {
    let each = accesses.iter();
    each.flat_map(|access| [&access.reads].into_iter().chain(&access.unless))
}

/// Returns whether the reads depend on values.
fn has_values(accesses: &[&Access], maps: &[OperandMap]) -> bool {
    relations(accesses).any(|relation| !relation.values().is_empty())
        || maps.iter().any(|map| !map.runtime.is_empty())
}

/// Returns whether the reads depend on values computed inside, or on others that cannot be chosen freely, since they depend
/// on each other and on the operands. A value clamped to a single number is that number.
fn has_inner_values(accesses: &[&Access], maps: &[OperandMap]) -> bool {
    let is_inside = |source: &Source, clamp: Interval| {
        matches!(source, Source::Inside { .. }) && clamp.as_point().is_none()
    };
    let mut of_maps = maps.iter().flat_map(|map| &map.runtime);
    let mut values = relations(accesses).flat_map(Relation::values);
    values.any(|value| !value.is_free || is_inside(&value.source, value.clamp))
        || of_maps.any(|runtime| is_inside(&source_of(&runtime.source).0, runtime.clamp))
}

/// Returns a number for a tensor. The reads must not depend on values computed inside, which share a number.
fn number_of(source: &Source) -> i64 {
    match source {
        Source::Operand(operand) => *operand as i64,
        Source::Inside { .. } | Source::Name(_) => -1,
    }
}

/// Returns the index of element `number` in row-major order, which wraps around at the end.
pub(crate) fn digits(number: u64, sizes: &[i64]) -> Vec<i64> {
    let mut rest = number as i64;
    let mut index: Vec<i64> = Vec::new();
    for size in sizes.iter().rev() {
        index.push(rest % size);
        rest /= size;
    }
    index.reverse();
    index
}

/// Returns a pseudorandom number that depends on the arguments alone.
fn made_up(seed: u64, place: &[i64]) -> i64 {
    let start = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5DEE_CE66_D1CE_4E5B;
    let mixed = place.iter().fold(start, |mixed, number| {
        let mixed = (mixed ^ number.unsigned_abs()).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed ^ (mixed >> 29)
    });
    (mixed >> 8) as i64
}
