//! The common part of two layouts: the longest R with `A(R(i)) = B(R(i)) = i`, the elements that may be moved as one
//! vector.
//!
//! Law: for layouts with few elements, the elements that both map to i are collected for each i, and R is searched among the
//! layouts of these. For other layouts, R follows the strides of B. The longer of the two is the answer.

use super::answer::{Made, Refusal};
use super::check::{Agreement, agree};
use super::compose::compose;
use super::flat::{Flat, leaves, size};
use super::ordered::{ordered, round_trip};
use crate::cute::layout::Layout;
use crate::cute::mode::Mode;
use affinor::prove::Budget;

/// Maximum number of elements along one leaf that are examined one by one.
const MOST_TRIED: i64 = 1 << 16;

/// Maximum number of steps of the search for the longest layout.
const MOST_STEPS: u32 = 1 << 20;

/// Returns the layout of the elements that are contiguous from offset 0 on in both layouts.
///
/// # Errors
/// [`Refusal::None`] for layouts with a swizzle or an offset.
pub fn max_common(one: &Layout, other: &Layout, budget: &Budget) -> Result<Made, Refusal> {
    for layout in [one, other] {
        if layout.swizzle().is_some() || layout.base() != 0 {
            let message = "`common` takes layouts without a swizzle and an offset";
            return Err(Refusal::Unknown(message.to_owned()));
        }
    }
    let elements = size(one)?.min(size(other)?);
    let mut kept: Vec<(i64, i64)> = Vec::new();
    let mut reached = 1_i64;
    for (size, stride) in leaves(&ordered(other)?) {
        let run = run(one, size, stride, reached, elements, budget)?;
        if run > 1 {
            kept.push((run, stride));
            reached = reached.checked_mul(run).ok_or(Refusal::Overflow)?;
        }
        if run < size {
            break;
        }
    }
    let along_strides = loop {
        let found = Layout::of_mode(Mode::of_leaves(&kept))?;
        match checked(one, other, found, budget)? {
            Some(made) => break made,
            // Modes of the second layout carry into each other in the first.
            None => kept.pop().ok_or(Refusal::Unknown("nothing is common".to_owned()))?,
        };
    };
    if elements > MOST_TRIED {
        return Ok(along_strides);
    }
    let at = both(one, other, elements)?;
    let found = Layout::of_mode(Mode::of_leaves(&Longest::of(&at)))?;
    match size(&found)? > size(&along_strides.layout)? {
        true => Ok(checked(one, other, found, budget)?.unwrap_or(along_strides)),
        false => Ok(along_strides),
    }
}

/// Returns, for each offset from 0 on as long as the list is not empty, the elements that both layouts map to it, in ascending
/// order.
fn both(one: &Layout, other: &Layout, elements: i64) -> Result<Vec<Vec<i64>>, Refusal> {
    let (one, other) = (Flat::of(one), Flat::of(other));
    let mut at = vec![Vec::new(); usize::try_from(elements).unwrap_or(0)];
    for element in 0..elements {
        let offset = one.offset(element)?;
        let place = usize::try_from(offset).ok().and_then(|offset| at.get_mut(offset));
        if let Some(place) = place
            && other.offset(element)? == offset
        {
            place.push(element);
        }
    }
    let end = at.iter().position(Vec::is_empty).unwrap_or(at.len());
    at.truncate(end);
    Ok(at)
}

/// A search for the longest layout whose value at each number is among the given elements. Cutting a leaf short may leave room
/// for longer leaves after it, and of several elements at one offset, a later one may extend further.
struct Longest<'a> {
    at: &'a [Vec<i64>],
    steps: u32,
    leaves: Vec<(i64, i64)>,
    length: usize,
}

impl Longest<'_> {
    /// Returns the leaves of the longest layout that was found.
    fn of(at: &[Vec<i64>]) -> Vec<(i64, i64)> {
        let mut search = Longest { at, steps: MOST_STEPS, leaves: Vec::new(), length: 1 };
        search.extend(&[0], &mut Vec::new());
        search.leaves
    }

    /// Spends this many steps, if they remain.
    fn spend(&mut self, steps: usize) -> bool {
        let left = u32::try_from(steps).ok().and_then(|steps| self.steps.checked_sub(steps));
        self.steps = left.unwrap_or(0);
        left.is_some()
    }

    /// Tries all leaves after those with these values.
    fn extend(&mut self, values: &[i64], leaves: &mut Vec<(i64, i64)>) {
        let unit = values.len();
        if unit > self.length {
            (self.length, self.leaves) = (unit, leaves.clone());
        }
        let at = self.at;
        for stride in at.get(unit).into_iter().flatten() {
            if !self.spend(unit) {
                return;
            }
            let mut all = values.to_vec();
            let mut count = 1;
            // Whole blocks, each offset by the stride from the previous one.
            while let Some(places) = at.get(unit * count..unit * (count + 1))
                && self.spend(unit)
            {
                let block: Vec<i64> = values.iter().map(|x| x + count as i64 * stride).collect();
                if !block.iter().zip(places).all(|(x, place)| place.binary_search(x).is_ok()) {
                    break;
                }
                all.extend(block);
                count += 1;
            }
            while count > 1 && self.length < at.len() && self.steps > 0 {
                leaves.push((count as i64, *stride));
                self.extend(&all[..unit * count], leaves);
                leaves.pop();
                count -= 1;
            }
        }
    }
}

/// Counts how many elements along a leaf, starting at element 0, are `apart` from each other in `layout`.
fn run(
    layout: &Layout,
    size: i64,
    stride: i64,
    apart: i64,
    elements: i64,
    budget: &Budget,
) -> Result<i64, Refusal> {
    if size == 1 {
        return Ok(1);
    }
    let inside = size.min((elements - 1) / stride + 1);
    let flat = Flat::of(layout);
    for number in 1..inside.min(MOST_TRIED) {
        let offset = flat.offset(number * stride)?;
        if apart.checked_mul(number) != Some(offset) {
            return Ok(number);
        }
    }
    if inside <= MOST_TRIED {
        return Ok(inside);
    }
    let leaf = Layout::of_mode(Mode::Leaf { size: inside, stride })?;
    match compose(layout, &leaf, budget) {
        Ok(made) => Ok(match leaves(&made.layout).first() {
            Some((run, step)) if *step == apart => *run,
            _ => MOST_TRIED,
        }),
        Err(Refusal::None(_)) => Ok(MOST_TRIED),
        Err(other) => Err(other),
    }
}

/// Returns the layout if both layouts map it to the numbers from 0 on.
fn checked(
    one: &Layout,
    other: &Layout,
    found: Layout,
    budget: &Budget,
) -> Result<Option<Made>, Refusal> {
    let count = size(&found)?;
    let along = Flat::of(&found);
    let mut basis = super::Basis::Proved;
    let mut claims = Vec::new();
    for layout in [one, other] {
        let flat = Flat::of(layout);
        let values = |i: i64| flat.offset(along.offset(i)?);
        let maps = || round_trip(&found, layout);
        match agree(count, values, Ok, maps, budget)? {
            Agreement::Equal(found, claim) => {
                basis = basis.min(found);
                claims.push(claim);
            }
            Agreement::Differ(_) => return Ok(None),
        }
    }
    Ok(Some(Made { claims, ..Made::new(found, basis) }))
}
