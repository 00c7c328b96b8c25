//! Questions about sets of elements: those that no access reads or writes, and those that are both read and written.

use super::bounded::declaration;
use super::line::{Line, Listed, about, unsupported};
use crate::seen::Access;
use crate::session::Session;
use crate::words::tuple;
use affinor::expr::{Domain, Expr, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::Interval;
use affinor::prove::Budget;
use affinor::text::{Error, Style, print_map};
use affinor_ops::footprint::image::{Points, points};
use std::collections::BTreeSet;

/// The maximum number of points whose elements are listed, of runs beside a box, and of runs of elements that are not read.
const LISTED: u64 = 1 << 16;
const FEW: usize = 6;
const SHOWN: usize = 8;

/// The maximum number of pairs of a read and a write that are compared one by one.
const MOST: usize = 6;

/// Returns the lines that compare an array with the elements of one that are accessed.
pub fn unused(
    session: &Session,
    accesses: &[Access],
    sizes: Option<&[String]>,
) -> Result<Vec<Line>, Error> {
    let mut lines = Vec::new();
    for access in accesses {
        let map = access.within.as_ref().map_or(&access.map, |(map, _)| map);
        let declared = declaration(session, access).map(|(_, sizes)| own(&sizes));
        let known = access.within.as_ref().map(|(_, sizes)| sizes.clone());
        let named = sizes.map(<[String]>::to_vec);
        let Some(whole) = named.or(known).or(declared).and_then(|sizes| whole(&sizes, map)) else {
            let message = format!("the sizes of `{}` are not known as numbers", access.array);
            let hint = "say them: `which elements of the 64 elements are never read?`, or declare the array";
            return Err(unsupported(message).hint(hint));
        };
        let mut after = "first: the array; only first: not accessed".to_owned();
        if access.is_bound {
            after.push_str("; others are accessed under a condition that is not known");
        }
        if accesses.len() > 1 {
            after.push_str("; each access is compared on its own");
        }
        lines.push(Line {
            about: Some(about(access)),
            line: format!("reads {} ; {}", text(&whole), text(map)),
            listed: Some(Listed::Unread(whole, map.clone())),
            after: Some(after),
            ..Line::default()
        });
    }
    Ok(lines)
}

/// Lists elements in runs; `None` if there are too many to enumerate, or nothing to add to the answer.
pub fn listed(of: &Listed, budget: &Budget) -> Option<String> {
    match of {
        Listed::Read(map) => {
            let elements = elements(map, budget)?;
            let runs = runs(&elements);
            let shown: Vec<String> = runs
                .iter()
                .map(|(lo, hi)| Some(format!("[{}, {}]", single(lo)?, single(hi)?)))
                .collect::<Option<_>>()?;
            (2..=FEW)
                .contains(&runs.len())
                .then(|| format!("these are {}: {} elements", shown.join(" and "), elements.len()))
        }
        Listed::Unread(whole, map) => {
            let (all, read) = (elements(whole, budget)?, elements(map, budget)?);
            let unread = all.difference(&read).cloned().collect();
            let runs = runs(&unread);
            let name = |element: &[i64]| {
                single(element).map_or_else(|| tuple(element), |only| only.to_string())
            };
            let shown = runs.iter().take(SHOWN).map(|(lo, hi)| match lo == hi {
                true => name(lo),
                false => format!("{} to {}", name(lo), name(hi)),
            });
            let shown: Vec<String> = shown.collect();
            let more = if runs.len() > SHOWN { ", .." } else { "" };
            (!shown.is_empty()).then(|| format!("not accessed: {}{more}", shown.join(", ")))
        }
    }
}

/// Returns the elements that a map reads; `None` if its points are too many, or depend on parameters.
fn elements(map: &IndexingMap, budget: &Budget) -> Option<BTreeSet<Vec<i64>>> {
    let count = points(map.domain(), budget).ok()?.number;
    let count = u64::try_from(count).ok().filter(|count| *count <= LISTED)?;
    let points = Points::new(map.domain(), count, budget).ok()?;
    points.map(|point| map.eval(&point.ok()?).ok()).collect()
}

/// Returns the first and last element of each run along the last dimension.
fn runs(elements: &BTreeSet<Vec<i64>>) -> Vec<(&[i64], &[i64])> {
    let mut runs: Vec<(&[i64], &[i64])> = Vec::new();
    for element in elements {
        match runs.last_mut() {
            Some((_, last)) if follows(last, element) => *last = element,
            _ => runs.push((element, element)),
        }
    }
    runs
}

fn single(element: &[i64]) -> Option<i64> {
    match element {
        [only] => Some(*only),
        _ => None,
    }
}

/// Returns whether an element is the next one along the last dimension.
fn follows(last: &[i64], next: &[i64]) -> bool {
    let (Some((at, row)), Some((to, next_row))) = (last.split_last(), next.split_last()) else {
        return false;
    };
    row == next_row && at.checked_add(1) == Some(*to)
}

fn own(sizes: &[&str]) -> Vec<String> {
    sizes.iter().map(|size| (*size).to_owned()).collect()
}

/// Returns the map that reads each element of an array once; `None` if a size is no number, or of another rank.
fn whole(sizes: &[String], map: &IndexingMap) -> Option<IndexingMap> {
    let sizes: Option<Vec<i64>> = sizes.iter().map(|size| size.parse().ok()).collect();
    let sizes = sizes.filter(|sizes| sizes.len() == map.results().len())?;
    let variables = sizes.iter().enumerate().map(|(at, size)| {
        Variable::new(format!("e{at}"), VariableKind::Dimension, Interval::of_size(*size))
    });
    let results = (0..sizes.len() as u32).map(|at| Expr::variable(VariableId(at))).collect();
    Some(IndexingMap::new(Domain::new(variables.collect()), results))
}

/// Returns the lines that compare the reads of each array with its writes.
pub fn overlap(accesses: &[Access]) -> Result<Vec<Line>, Error> {
    let mut lines = Vec::new();
    for read in accesses.iter().filter(|access| access.is_read) {
        let same = accesses.iter().filter(|access| access.is_written && access.array == read.array);
        lines.extend(same.map(|write| Line {
            about: Some(format!(
                "the elements of `{}` that are read, and that are written",
                read.array
            )),
            line: format!("reads {} ; {}", text(&read.map), text(&write.map)),
            ..Line::default()
        }));
    }
    match lines.len() {
        0 => Err(unsupported("the code reads and writes no array in common")
            .hint("two arrays overlap only if they share memory, which the code does not show")),
        1..=MOST => Ok(lines),
        count => Err(unsupported(format!("there are {count} pairs of a read and a write"))
            .hint("name the array in the question")),
    }
}

fn text(map: &IndexingMap) -> String {
    print_map(map, Style::Plain)
}
