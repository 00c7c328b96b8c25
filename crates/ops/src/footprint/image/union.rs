//! The union of several maps: one array, read for the elements of one output or of several.
//!
//! Law: as for one map. Few points are enumerated. Otherwise the elements are the union of the boxes that the maps read, by
//! inclusion and exclusion; reads for different outputs are distinct, reads for the same output only if that is proved; and an
//! element that two maps may both read is read at most as often as the sum of both.

use super::Basis;
use super::count::Count;
use super::points::{Stop, few_points};
use super::progression::Progression;
use super::region::{Region, region};
use super::reuse::{Reuse, Tally, reuse};
use affinor::expr::{Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::{Interrupt, Interval};
use affinor::prove::{Budget, Verdict, is_empty, reads_all};

/// Maximum number of points of all maps together that are enumerated.
const TRIED: u64 = 50_000;

/// Maximum number of boxes in a union, and of maps that are compared pairwise.
const TOGETHER: usize = 6;

/// Maximum number of unread boxes.
const UNREAD: usize = 6;

/// A map of a union.
#[derive(Clone, Debug)]
pub struct Member {
    /// The output that its dimensions index.
    pub output: usize,
    /// The map.
    pub map: IndexingMap,
}

/// Computes the reuse of `members` together.
///
/// # Errors
/// The errors of [`reuse`] and [`region`].
pub fn together(members: &[Member], budget: &Budget) -> Result<Reuse, Stop> {
    let members = without_repetition(members, budget);
    let members = members.as_slice();
    if let [only] = members {
        return reuse(&only.map, budget);
    }
    let points = members.iter().map(|member| few_points(member.map.domain(), budget));
    let points: Option<u64> = points.sum();
    if points.is_some_and(|points| points <= TRIED) {
        let mut tally = Tally::new();
        for member in members {
            tally.add(member.output, &member.map, TRIED, budget)?;
        }
        return Ok(tally.reuse());
    }
    let regions = members.iter().map(|member| region(&member.map, budget));
    let regions: Vec<Region> = regions.collect::<Result<_, _>>()?;
    let each = members.iter().map(|member| reuse(&member.map, budget));
    let each: Vec<Reuse> = each.collect::<Result<_, _>>()?;
    let disjoint = pairs(members.len()).all(|(i, j)| meet(&regions[i], &regions[j]).is_none());
    let total = |counts: &dyn Fn(&Reuse) -> Count, exact: bool| -> Result<Count, Stop> {
        let mut total = Count::proved(0);
        for count in each.iter().map(counts) {
            total.number = total.number.checked_add(count.number).ok_or(Stop::TooMany)?;
            total.basis = total.basis.max(count.basis);
        }
        Ok(if exact { total } else { Count::at_most(total.number) })
    };
    let greatest = match disjoint {
        true => {
            let exact = each.iter().map(|reuse| reuse.greatest);
            exact.max_by_key(|count| (count.number, count.basis)).unwrap_or(Count::NOTHING)
        }
        false => total(&|reuse| reuse.greatest, false)?,
    };
    let elements = match union_size(&regions) {
        Some(elements) => elements,
        None => total(&|reuse| reuse.elements, disjoint)?,
    };
    let separate = disjoint || are_separate(members, budget)?;
    Ok(Reuse { elements, reads: total(&|reuse| reuse.reads, separate)?, greatest })
}

/// Drops members that are proved to read, for each element of the output, only elements that another member reads.
fn without_repetition(members: &[Member], budget: &Budget) -> Vec<Member> {
    let mut kept: Vec<Member> = members.to_vec();
    let mut place = 0;
    while place < kept.len() && members.len() <= TOGETHER {
        let here = &kept[place];
        let holds = |(other, member): (usize, &Member)| {
            other != place
                && member.output == here.output
                && reads_all(&here.map, &member.map, budget)
        };
        if kept.iter().enumerate().any(holds) {
            kept.remove(place);
        } else {
            place += 1;
        }
    }
    kept
}

/// Returns the boxes of an array of these sizes (in elements) that are not read. The list is complete if the regions are exact
/// and have strides of 1. `None` if there are too many to be useful.
#[must_use]
pub fn unread(regions: &[Region], sizes: &[i64]) -> Option<Vec<Vec<Interval>>> {
    let whole: Vec<Interval> = sizes.iter().map(|size| Interval::of_size(*size)).collect();
    let mut left = match whole.iter().any(|side| side.is_empty()) {
        true => Vec::new(),
        false => vec![whole],
    };
    for region in regions {
        let sides = region.progressions.iter().map(|side| match side.count {
            0 => Interval::EMPTY,
            _ => Interval::new(side.first, side.last()),
        });
        let sides: Vec<Interval> = sides.collect();
        left = left.iter().flat_map(|free| without(free, &sides)).collect();
        if left.len() > 4 * UNREAD {
            return None;
        }
    }
    (left.len() <= UNREAD).then_some(left)
}

/// Returns the difference of the boxes `free` and `taken`: for each dimension, the parts before and after it.
fn without(free: &[Interval], taken: &[Interval]) -> Vec<Vec<Interval>> {
    let common: Vec<Interval> = free.iter().zip(taken).map(|(x, y)| x.intersect(*y)).collect();
    if common.iter().any(|side| side.is_empty()) {
        return vec![free.to_vec()];
    }
    let mut left = Vec::new();
    let mut inside = free.to_vec();
    for (place, common) in common.iter().enumerate() {
        let side = inside[place];
        // Both ends are inside `side`, so neither sum overflows if a piece is left.
        let before = Interval::new(side.lo(), common.lo().saturating_sub(1));
        let behind = Interval::new(common.hi().saturating_add(1), side.hi());
        for piece in [before, behind] {
            if !piece.is_empty() {
                let mut slab = inside.clone();
                slab[place] = piece;
                left.push(slab);
            }
        }
        inside[place] = *common;
    }
    left
}

/// Returns the number of elements of the union of regions, if all are exact.
fn union_size(regions: &[Region]) -> Option<Count> {
    if regions.len() > TOGETHER || !regions.iter().all(Region::is_exact) {
        return None;
    }
    let mut total = 0_i128;
    for choice in 1_u32..1 << regions.len() {
        let chosen = (0..regions.len()).filter(|place| choice >> place & 1 == 1);
        let mut common: Option<Vec<Progression>> = None;
        for region in chosen.map(|place| &regions[place]) {
            common = Some(match common {
                None => region.progressions.clone(),
                Some(common) => meet_of(&common, &region.progressions)?,
            });
        }
        let sides = common?;
        let size = Region { progressions: sides, basis: Basis::Proved }.size()?;
        let sign = if choice.count_ones() % 2 == 1 { 1 } else { -1 };
        total = total.checked_add(sign * i128::try_from(size).ok()?)?;
    }
    let basis = regions.iter().map(|region| region.basis).max()?;
    let number = u128::try_from(total).ok()?;
    Some(Count { number, basis })
}

fn meet_of(one: &[Progression], other: &[Progression]) -> Option<Vec<Progression>> {
    one.iter().zip(other).map(|(x, y)| x.meet(*y)).collect()
}

/// Returns the intersection of two regions, unless it is known to be empty.
fn meet(one: &Region, other: &Region) -> Option<Vec<Progression>> {
    let Some(common) = meet_of(&one.progressions, &other.progressions) else {
        return Some(Vec::new()); // too large to decide
    };
    let is_nothing = common.iter().any(|side| side.count == 0);
    (!is_nothing).then_some(common)
}

/// Returns whether no output element reads the same element through two of the maps.
fn are_separate(members: &[Member], budget: &Budget) -> Result<bool, Stop> {
    if members.len() > TOGETHER {
        return Ok(false);
    }
    for (i, j) in pairs(members.len()) {
        if members[i].output != members[j].output {
            continue;
        }
        let Ok(both) = same_read(&members[i].map, &members[j].map) else {
            return Ok(false);
        };
        if budget.interrupt.as_ref().is_some_and(Interrupt::is_triggered) {
            return Err(Stop::Interrupted);
        }
        if is_empty(&both, budget) != Verdict::Proved {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the points at which both maps, which have the same dimensions, read the same element.
fn same_read(one: &IndexingMap, other: &IndexingMap) -> Result<Domain, ExprError> {
    let dimensions = one.domain().count(VariableKind::Dimension);
    let ranges = |map: &IndexingMap| map.domain().variables()[dimensions..].to_vec();
    let (of_one, of_other) = (ranges(one), ranges(other));
    let mut variables = one.domain().variables()[..dimensions].to_vec();
    for (variable, there) in variables.iter_mut().zip(other.domain().variables()) {
        variable.bounds = variable.bounds.intersect(there.bounds);
    }
    let as_range = |v: &Variable| Variable::new(v.name.clone(), VariableKind::Range, v.bounds);
    variables.extend(of_one.iter().chain(&of_other).map(as_range));
    let place = |skipped: usize| {
        move |id: usize| {
            let own = if id < dimensions { id } else { id + skipped };
            Expr::variable(VariableId(own as u32))
        }
    };
    let places_of_one: Vec<Expr> = (0..dimensions + of_one.len()).map(place(0)).collect();
    let places_of_other: Vec<Expr> =
        (0..dimensions + of_other.len()).map(place(of_one.len())).collect();
    let mut both = Domain::new(variables);
    for (map, places) in [(one, &places_of_one), (other, &places_of_other)] {
        for constraint in map.domain().constraints() {
            both.constrain(&constraint.expr.substitute(places)?, constraint.bounds);
        }
    }
    for (x, y) in one.results().iter().zip(other.results()) {
        let difference = x.substitute(&places_of_one)?.sub(&y.substitute(&places_of_other)?)?;
        both.constrain(&difference, Interval::point(0));
    }
    Ok(both)
}

fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |j| (0..j).map(move |i| (i, j)))
}
