//! The least and the greatest value of each result, with points that attain them.
//!
//! Law: each extreme is over all integer points of the domain. Quotients and minima become unknowns with the rows that define
//! them ([`lattice`]), so the bound is exact if the map has linear forms. The point is evaluated before it is reported.
//!
//! Unknowns that no definition or fact connects are independent: the extreme of a sum is the sum of the extremes of its groups.

use super::Budget;
use super::forms::{Definition, Forms};
use super::linear::{Linear, Unknown, value_of};
use super::residues::Residues;
use super::sides::Sides;
use super::tape::Tape;
use crate::expr::{Domain, Expr, IndexingMap};
use crate::num::lattice::{Optimum, Row, System};
use crate::num::{Fuel, Interval, MINUS_INFINITY, PLUS_INFINITY};

/// Fuel for all extremes of a map, in table entries.
const STEPS: u64 = 1 << 24;

/// Fuel for counting the points of a group by states.
const STATE_STEPS: u64 = 1 << 23;

/// Fuel for counting the points of a group one by one.
const COUNT_STEPS: u64 = 1 << 21;

/// An extreme of the values of a result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Extreme {
    /// The domain has no point.
    Empty,
    /// The extreme value, and a point that attains it.
    At(i64, Vec<i64>),
    /// The values are unbounded.
    Endless,
}

/// Finds the least and the greatest value of each result; `None` if unknown.
#[must_use]
pub fn extremes(map: &IndexingMap, budget: &Budget) -> Vec<[Option<Extreme>; 2]> {
    let narrow = |end: Option<Wide>| match end? {
        Wide::Empty => Some(Extreme::Empty),
        Wide::Endless => Some(Extreme::Endless),
        Wide::At(value, point) => finite(value).map(|value| Extreme::At(value, point)),
    };
    wide_extremes(map, budget).into_iter().map(|ends| ends.map(narrow)).collect()
}

/// Returns the number in 64 bits, excluding those that represent infinity.
pub(super) fn finite(value: i128) -> Option<i64> {
    let value = i64::try_from(value).ok()?;
    (value != MINUS_INFINITY && value != PLUS_INFINITY).then_some(value)
}

/// An extreme of values of any size.
pub(super) enum Wide {
    Empty,
    At(i128, Vec<i64>),
    Endless,
}

/// Like [`extremes`], for values of any size.
pub(super) fn wide_extremes(map: &IndexingMap, budget: &Budget) -> Vec<[Option<Wide>; 2]> {
    let results = map.results();
    if map.domain().is_known_empty() {
        return results.iter().map(|_| [Some(Wide::Empty), Some(Wide::Empty)]).collect();
    }
    let Some(mut lattice) = Lattice::of(map.domain(), budget) else {
        return results.iter().map(|_| [None, None]).collect();
    };
    // One by one, since a result that is not linear has no form.
    let forms: Vec<Option<Linear>> = results
        .iter()
        .map(|result| lattice.forms.of_tape(&Tape::new([result]))?.into_iter().next())
        .collect();
    lattice.group();
    let ends = |(result, form): (&Expr, &Option<Linear>)| {
        let Some(form) = form else {
            return by_residues(map.domain(), result, budget);
        };
        [false, true].map(|greatest| {
            let end = lattice.end(form, greatest)?;
            if let Wide::At(value, point) = &end
                && wide_value_at(map.domain(), result, point) != Some(*value)
            {
                return None;
            }
            Some(end)
        })
    };
    results.iter().zip(&forms).map(ends).collect()
}

/// Returns the extremes of an expression without a linear form, if its value depends only on the residues of its variables.
fn by_residues(domain: &Domain, expr: &Expr, budget: &Budget) -> [Option<Wide>; 2] {
    let residues = Residues::of(expr, budget.points).filter(|found| found.are_all_in(domain));
    let values = residues.and_then(|residues| {
        let values = residues.points(domain).map(|point| Some((expr.eval(&point).ok()?, point)));
        values.collect::<Option<Vec<_>>>()
    });
    let Some(values) = values else {
        return [None, None];
    };
    let least = values.iter().min_by_key(|(value, _)| *value);
    let greatest = values.iter().rev().max_by_key(|(value, _)| *value);
    [least, greatest].map(|end| end.map(|(value, point)| Wide::At((*value).into(), point.clone())))
}

/// Returns the value of an expression at a point of the domain; `None` outside it, or beyond 128 bits.
#[must_use]
pub fn wide_value_at(domain: &Domain, expr: &Expr, point: &[i64]) -> Option<i128> {
    let map = IndexingMap::new(domain.clone(), vec![expr.clone()]);
    let sides = Sides::new(&[&map]);
    let mut value = None;
    let mut runner = sides.runner();
    let at = sides.at(&mut runner, point, 0, |maps| {
        value = maps.inside(0).then(|| maps.results(0).next()).flatten();
    });
    at.ok().and(value)
}

/// Returns a point of `domain`; the inner `None` if the domain is empty, the outer if this is unknown.
pub(super) fn any_point(domain: &Domain, budget: &Budget) -> Option<Option<Vec<i64>>> {
    let lattice = Lattice::grouped(domain, budget)?;
    match lattice.end(&Linear::constant(0), false)? {
        Wide::At(_, point) => (domain.contains(&point) == Ok(true)).then_some(Some(point)),
        Wide::Empty => Some(None),
        Wide::Endless => None,
    }
}

/// Counts the points of `domain`; `None` if this exceeds the fuel, or there are infinitely many.
#[must_use]
pub fn count_points(domain: &Domain, budget: &Budget) -> Option<u128> {
    let lattice = Lattice::grouped(domain, budget)?;
    let mut total: Option<u128> = Some(1);
    for group in &lattice.groups {
        let counted = group.system.count(&lattice.fuel.share(STATE_STEPS));
        let counted = counted.and_then(|number| u128::try_from(number).ok());
        let counted = counted.or_else(|| {
            // Line by line, if few coordinates are in one row.
            let mut number: u128 = 0;
            let mut add = |_: &[i128], _: &[i128], more: i128| {
                number = number.checked_add(u128::try_from(more).ok()?)?;
                Some(())
            };
            let fuel = lattice.fuel.share(COUNT_STEPS);
            group.system.segments(&mut add, &fuel).map(|()| number)
        });
        match counted.filter(|_| group.is_complete) {
            // The domain is empty, whatever the other groups have.
            Some(0) => return Some(0),
            Some(number) => total = total.and_then(|total| total.checked_mul(number)),
            None => total = None,
        }
    }
    if lattice.is_empty { Some(0) } else { total }
}

/// Lists the points of `domain` in order, if it has at most `most`; `None` if it has more or they are not found within the fuel.
#[must_use]
pub fn list_points(domain: &Domain, most: u64, budget: &Budget) -> Option<Vec<Vec<i64>>> {
    let lattice = Lattice::grouped(domain, budget)?;
    if lattice.is_empty {
        return Some(Vec::new());
    }
    let most = usize::try_from(most).ok()?;
    let mut all: Vec<Vec<i64>> = vec![vec![0; lattice.places.len()]];
    for group in &lattice.groups {
        let mut own: Vec<Vec<i64>> = Vec::new();
        let mut add = |first: &[i128], step: &[i128], number: i128| {
            for times in 0..number {
                let value = |place: usize| -> Option<i64> {
                    let more = step.get(place).copied().unwrap_or(0).checked_mul(times)?;
                    i64::try_from(first[place].checked_add(more)?).ok()
                };
                own.push((0..first.len()).map(value).collect::<Option<_>>()?);
                if own.len() > most {
                    return None;
                }
            }
            Some(())
        };
        group.system.segments(&mut add, &lattice.fuel.share(COUNT_STEPS))?;
        if !group.is_complete || all.len().checked_mul(own.len())? > most {
            return None;
        }
        let both = all.iter().flat_map(|point| {
            own.iter().map(move |values| {
                let mut point = point.clone();
                for (unknown, value) in group.unknowns.iter().zip(values) {
                    point[unknown.index()] = *value;
                }
                point
            })
        });
        all = both.collect();
    }
    let mut points: Vec<Vec<i64>> = Vec::with_capacity(all.len());
    for values in &all {
        points.push(
            lattice
                .forms
                .variables()
                .iter()
                .map(|form| value_of(form, values))
                .collect::<Option<_>>()?,
        );
    }
    points.sort_unstable();
    Some(points)
}

/// The points of a domain as the integer points of systems.
struct Lattice {
    forms: Forms,
    groups: Vec<Group>,
    /// The group of each unknown, and its index there.
    places: Vec<(usize, usize)>,
    /// Whether a fact without unknowns is false.
    is_empty: bool,
    fuel: Fuel,
}

/// Unknowns that are connected by definitions and facts.
struct Group {
    unknowns: Vec<Unknown>,
    system: System,
    is_complete: bool,
}

impl Lattice {
    fn of(domain: &Domain, budget: &Budget) -> Option<Lattice> {
        Some(Lattice {
            forms: Forms::under(domain, budget.style(), budget)?,
            groups: Vec::new(),
            places: Vec::new(),
            is_empty: false,
            fuel: budget.fuel.clone().unwrap_or_else(|| budget.own_fuel(STEPS)),
        })
    }

    fn grouped(domain: &Domain, budget: &Budget) -> Option<Lattice> {
        let mut lattice = Lattice::of(domain, budget)?;
        lattice.group();
        Some(lattice)
    }

    /// Splits the unknowns into groups, and states their systems.
    fn group(&mut self) {
        let forms = &self.forms;
        let mut joined: Vec<usize> = forms.unknowns().map(Unknown::index).collect();
        for unknown in forms.unknowns() {
            for form in forms.definition(unknown).forms() {
                join(&mut joined, Some(unknown).into_iter().chain(used(form)));
            }
        }
        for (form, _) in forms.facts() {
            join(&mut joined, used(form));
        }
        let mut numbers: Vec<usize> = joined.clone();
        numbers.sort_unstable();
        numbers.dedup();
        let mut places = vec![(0, 0); joined.len()];
        for (group, number) in numbers.iter().enumerate() {
            let members = forms.unknowns().filter(|unknown| joined[unknown.index()] == *number);
            let unknowns: Vec<Unknown> = members.collect();
            for (place, unknown) in unknowns.iter().enumerate() {
                places[unknown.index()] = (group, place);
            }
            let system = System::new(unknowns.len());
            self.groups.push(Group { unknowns, system, is_complete: true });
        }
        self.places = places;
        for group in &mut self.groups {
            let complete = state(forms, &self.places, group);
            group.is_complete = complete.is_some();
        }
        for (form, bounds) in forms.facts() {
            match form.terms().first() {
                None => self.is_empty |= !bounds.contains(form.constant),
                Some((first, _)) => {
                    let group = &mut self.groups[self.places[first.index()].0];
                    let row = row(&group.system, &self.places, form, *bounds);
                    group.is_complete &= row.map(|row| group.system.require(row)).is_some();
                }
            }
        }
    }

    fn end(&self, form: &Linear, greatest: bool) -> Option<Wide> {
        if self.is_empty {
            return Some(Wide::Empty);
        }
        let sign = if greatest { -1 } else { 1 };
        let mut total = Some(i128::from(form.constant));
        let mut values: Vec<Option<i64>> = vec![None; self.places.len()];
        let mut is_endless = false;
        let mut is_known = true;
        for (number, group) in self.groups.iter().enumerate() {
            let mut sum = vec![0; group.unknowns.len()];
            for (unknown, factor) in form.terms() {
                let (group, place) = self.places[unknown.index()];
                if group == number {
                    sum[place] = i128::from(*factor) * sign;
                }
            }
            let found = match group.is_complete {
                true => group.system.least(&sum, &self.fuel),
                false => None,
            };
            match found {
                None => is_known = false,
                Some(Optimum::Empty) => return Some(Wide::Empty),
                Some(Optimum::Endless(_)) => is_endless = true,
                Some(Optimum::At(value, point)) => {
                    total = total.and_then(|total| total.checked_add(value * sign));
                    for (unknown, value) in group.unknowns.iter().zip(point) {
                        values[unknown.index()] = i64::try_from(value).ok();
                    }
                }
            }
        }
        if !is_known {
            return None;
        }
        if is_endless {
            return Some(Wide::Endless);
        }
        let coordinate = |form: &Linear| match form.terms().first() {
            None => Some(form.constant),
            Some((unknown, _)) => values[unknown.index()],
        };
        let point: Option<Vec<i64>> = self.forms.variables().iter().map(coordinate).collect();
        Some(Wide::At(total?, point?))
    }
}

fn used(form: &Linear) -> impl Iterator<Item = Unknown> {
    form.terms().iter().map(|(unknown, _)| *unknown)
}

/// Merges the group numbers of the unknowns to the least of them.
fn join(joined: &mut [usize], unknowns: impl Iterator<Item = Unknown>) {
    let numbers: Vec<usize> = unknowns.map(|unknown| joined[unknown.index()]).collect();
    let Some(least) = numbers.iter().min().copied() else {
        return;
    };
    for number in joined.iter_mut() {
        if numbers.contains(number) {
            *number = least;
        }
    }
}

fn row(system: &System, places: &[(usize, usize)], form: &Linear, bounds: Interval) -> Option<Row> {
    let terms: Vec<(usize, i64)> =
        form.terms().iter().map(|(unknown, factor)| (places[unknown.index()].1, *factor)).collect();
    let lo = (bounds.lo() != MINUS_INFINITY).then(|| bounds.lo());
    let hi = (bounds.hi() != PLUS_INFINITY).then(|| bounds.hi());
    system.row(&terms, form.constant, [lo, hi])
}

/// States bounds and definitions of the unknowns of a group; `None` on overflow.
fn state(forms: &Forms, places: &[(usize, usize)], group: &mut Group) -> Option<()> {
    for unknown in &group.unknowns {
        let own = Linear::atom(*unknown);
        let bounds = forms.bounds(*unknown);
        if bounds != Interval::ALL {
            let row = row(&group.system, places, &own, bounds)?;
            group.system.require(row);
        }
        match forms.definition(*unknown) {
            Definition::Variable(_) => {}
            Definition::Quotient { numerator, divisor } => {
                let remainder = numerator.plus(divisor.checked_neg()?, &own)?;
                let bounds = Interval::new(0, divisor - 1);
                let row = row(&group.system, places, &remainder, bounds)?;
                group.system.require(row);
            }
            Definition::Least(operands) => {
                let excess = operands.iter().map(|operand| operand.plus(-1, &own));
                let excess = excess.collect::<Option<Vec<Linear>>>()?;
                let at_least = |form: &Linear, least: i64| {
                    row(&group.system, places, form, Interval::new(least, PLUS_INFINITY))
                };
                let all: Vec<Row> =
                    excess.iter().map(|form| at_least(form, 0)).collect::<Option<_>>()?;
                // The first of the least operands is chosen, so that each point makes a unique choice.
                let mut choice = Vec::new();
                for (place, form) in excess.iter().enumerate() {
                    let mut list = vec![row(&group.system, places, form, Interval::point(0))?];
                    for earlier in &excess[..place] {
                        list.push(at_least(earlier, 1)?);
                    }
                    choice.push(list);
                }
                all.into_iter().for_each(|row| group.system.require(row));
                group.system.require_one(choice);
            }
        }
    }
    Some(())
}
