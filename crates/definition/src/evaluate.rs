//! Enumerates the elements that an element of the result reads.
//!
//! Branches on the open index with the fewest candidates; candidates are the values that each condition permits by the
//! intervals of the other open indices. So every solution is found. Work is bounded by a number of steps, and an
//! incomplete search is an error.

use super::access::Access;
use super::relation::{Condition, Index, Relation, Source, Sum, TuplePath};
use affinor_maps::text::{Error, ErrorKind};
use std::collections::BTreeSet;

/// Looks up the element of a tensor, given the tensor, the part of it, and the index.
pub type Lookup<'a> = &'a mut dyn FnMut(&Source, &TuplePath, &[i64]) -> Result<i64, Error>;

/// Returns the elements that the element of the result at `d` reads through `access`. `steps` is the number of
/// candidates that may be tried, and is reduced by those tried.
///
/// # Errors
/// Kind `too-large` if the steps do not suffice, `overflow` for sums beyond 128 bits, and the errors of `lookup`.
pub fn elements(
    access: &Access,
    d: &[i64],
    lookup: Lookup<'_>,
    steps: &mut u64,
) -> Result<BTreeSet<Vec<i64>>, Error> {
    if let Some(other) = &access.unless
        && !solutions(other, d, lookup, steps, true)?.is_empty()
    {
        return Ok(BTreeSet::new());
    }
    solutions(&access.reads, d, lookup, steps, false)
}

/// Returns the elements of `relation` at `d`; at most one of them if `any`.
fn solutions(
    relation: &Relation,
    d: &[i64],
    lookup: Lookup<'_>,
    steps: &mut u64,
    any: bool,
) -> Result<BTreeSet<Vec<i64>>, Error> {
    let sizes = relation.operand().iter();
    let mut candidates: Vec<(i64, i64)> = sizes.map(|size| (0, size - 1)).collect();
    let loops = relation.loops().iter();
    candidates.extend(loops.map(|bounds| (bounds.lo(), bounds.hi())));
    let tried = candidates.len();
    let values = relation.values().iter();
    candidates.extend(values.map(|value| (value.clamp.lo(), value.clamp.hi())));
    let mut search = Search {
        relation,
        d,
        known: vec![None; candidates.len()],
        candidates,
        tried,
        lookup,
        steps,
        any,
        found: BTreeSet::new(),
    };
    search.run()?;
    Ok(search.found)
}

struct Search<'a> {
    relation: &'a Relation,
    d: &'a [i64],
    /// The known values of operand indices, then loop indices, then values.
    known: Vec<Option<i64>>,
    /// The interval of each of these.
    candidates: Vec<(i64, i64)>,
    /// The number of these that are indices.
    tried: usize,
    lookup: Lookup<'a>,
    steps: &'a mut u64,
    any: bool,
    found: BTreeSet<Vec<i64>>,
}

impl Search<'_> {
    /// Finds all solutions that extend the known indices.
    fn run(&mut self) -> Result<(), Error> {
        let looked_up = self.look_up()?;
        self.run_with_values()?;
        for value in looked_up {
            self.known[value] = None;
        }
        Ok(())
    }

    fn run_with_values(&mut self) -> Result<(), Error> {
        let rank = self.relation.operand().len();
        let element: Option<Vec<i64>> = self.known.iter().take(rank).copied().collect();
        if element.is_some_and(|element| self.found.contains(&element)) {
            return Ok(());
        }
        for condition in self.relation.conditions() {
            let (lo, hi) = self.range(condition.sum(), None)?;
            let bounds = condition.bounds();
            if hi < i128::from(bounds.lo()) || i128::from(bounds.hi()) < lo {
                return Ok(());
            }
        }
        let mut best: Option<(i128, i128, usize)> = None;
        for open in (0..self.tried).filter(|k| self.known[*k].is_none()) {
            let (lo, hi) = self.narrowed(open)?;
            if best.is_none_or(|(least, most, _)| hi - lo < most - least) {
                best = Some((lo, hi, open));
            }
        }
        let Some((lo, hi, open)) = best else {
            // All indices are known, and hence all values and sums, and all conditions hold.
            let element = self.known.iter().take(rank).copied().collect();
            self.found.extend::<Option<Vec<i64>>>(element);
            return Ok(());
        };
        for candidate in lo..=hi {
            *self.steps = self.steps.checked_sub(1).ok_or_else(|| {
                let message = "the elements read are more than may be listed";
                Error::without_span(ErrorKind::TooLarge, message)
            })?;
            self.known[open] = i64::try_from(candidate).ok();
            self.run()?;
            if self.any && !self.found.is_empty() {
                break;
            }
        }
        self.known[open] = None;
        Ok(())
    }

    /// Looks up every value whose index is known; returns their positions.
    fn look_up(&mut self) -> Result<Vec<usize>, Error> {
        let mut looked_up = Vec::new();
        for (number, value) in self.relation.values().iter().enumerate() {
            let place = self.tried + number;
            if self.known[place].is_some() {
                continue;
            }
            let ranges = value.index.iter().map(|sum| self.range(sum, None));
            let ranges: Vec<(i128, i128)> = ranges.collect::<Result<_, _>>()?;
            let points =
                ranges.into_iter().map(|(lo, hi)| i64::try_from(lo).ok().filter(|_| lo == hi));
            let index: Option<Vec<i64>> = points.collect();
            if let Some(index) = index {
                let element = (self.lookup)(&value.source, &value.path, &index)?;
                let forced = element.min(value.clamp.hi()).max(value.clamp.lo());
                self.known[place] = Some(forced);
                looked_up.push(place);
            }
        }
        Ok(looked_up)
    }

    /// Returns the candidates for an index, as narrowed by each condition separately.
    fn narrowed(&self, open: usize) -> Result<(i128, i128), Error> {
        let (lo, hi) = self.candidates[open];
        let mut candidates = (i128::from(lo), i128::from(hi));
        for condition in self.relation.conditions() {
            let own = condition.sum().terms().iter();
            let mut own = own.filter(|(_, index)| self.place(*index) == Some(open));
            if let Some((coefficient, _)) = own.next() {
                let rest = self.range(condition.sum(), Some(open))?;
                let (least, most) = solve(i128::from(*coefficient), rest, condition)?;
                candidates = (candidates.0.max(least), candidates.1.min(most));
            }
        }
        Ok(candidates)
    }

    /// Returns the minimum and maximum of `sum` over the open indices, except `but`.
    fn range(&self, sum: &Sum, but: Option<usize>) -> Result<(i128, i128), Error> {
        let mut range = (i128::from(sum.constant()), i128::from(sum.constant()));
        for (coefficient, index) in sum.terms() {
            let place = self.place(*index);
            if but.is_some() && place == but {
                continue;
            }
            let (lo, hi) = match (place, index) {
                (Some(place), _) => match self.known[place] {
                    Some(value) => (value, value),
                    None => self.candidates[place],
                },
                (None, Index::Output(dimension)) => {
                    let value = self.d.get(*dimension).copied().unwrap_or(0);
                    (value, value)
                }
                (None, _) => (0, 0),
            };
            let coefficient = i128::from(*coefficient);
            let ends = (coefficient * i128::from(lo), coefficient * i128::from(hi));
            range = (sum_of(range.0, ends.0.min(ends.1))?, sum_of(range.1, ends.0.max(ends.1))?);
        }
        Ok(range)
    }

    /// Returns the position of an index in `known`; `None` for an output index, which is given.
    fn place(&self, index: Index) -> Option<usize> {
        match index {
            Index::Output(_) => None,
            Index::Operand(dimension) => Some(dimension),
            Index::Loop(number) => Some(self.relation.operand().len() + number),
            Index::Value(number) => Some(self.tried + number),
        }
    }
}

/// Returns the minimum and maximum `x` with `coefficient * x + rest` in the condition's bounds for some value of `rest` in its
/// range.
fn solve(
    coefficient: i128,
    rest: (i128, i128),
    condition: &Condition,
) -> Result<(i128, i128), Error> {
    let bounds = condition.bounds();
    let below = |bound: i64, rest| i128::from(bound).checked_sub(rest).ok_or_else(too_wide);
    let (lo, hi) = (below(bounds.lo(), rest.1)?, below(bounds.hi(), rest.0)?);
    let (size, lo, hi) = match coefficient < 0 {
        true => (-coefficient, -hi, -lo),
        false => (coefficient, lo, hi),
    };
    // ceiling and floor of the quotients
    Ok((-(-lo).div_euclid(size), hi.div_euclid(size)))
}

fn sum_of(x: i128, y: i128) -> Result<i128, Error> {
    x.checked_add(y).ok_or_else(too_wide)
}

fn too_wide() -> Error {
    let message = "the op's indices give sums beyond 128 bits";
    Error::without_span(ErrorKind::Overflow, message)
}
