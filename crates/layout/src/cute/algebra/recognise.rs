//! Recognises the layout of a function of elements, if the function is a layout.
//!
//! Law: along one mode, a layout's function is a line up to its first break, which is at a divisor of the size; beyond it, steps
//! of that divisor are a layout again. So a few values determine the only candidate with the fewest leaves, and it is compared
//! with the function everywhere. A swizzle is its own inverse, so each swizzle is tried on the values.

use super::answer::{Basis, Made, Refusal};
use super::check::{Agreement, agree};
use super::flat::Flat;
use crate::cute::layout::Layout;
use crate::cute::mode::{Mode, Swizzle};
use affinor::expr::{IndexingMap, VariableKind};
use affinor::prove::Budget;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Largest factor that is searched for in a size.
const LARGEST_FACTOR: i64 = 1 << 20;

/// Highest bit of the values for which swizzles are searched.
const HIGHEST_BIT: u32 = 24;

/// Number of elements at which a candidate is tried before the full comparison.
const TRIED_FIRST: i64 = 64;

/// A function of element numbers, `i64::MAX` elements at most.
pub(super) type Values<'f> = dyn FnMut(i64) -> Result<i64, Refusal> + 'f;

/// Returns the divisors of a size, ascending; `Unknown` if a factor is too large to be found.
fn divisors(size: i64) -> Result<Vec<i64>, Refusal> {
    let mut divisors = vec![1_i64];
    let mut rest = size;
    let mut factor = 2;
    while rest > 1 {
        if factor > LARGEST_FACTOR {
            if rest > LARGEST_FACTOR * LARGEST_FACTOR {
                return Err(Refusal::Unknown(format!("size {size} has no small factors")));
            }
            factor = rest;
        } else if factor * factor > rest {
            factor = rest;
        }
        let known = divisors.len();
        let mut power = 1;
        while rest % factor == 0 {
            rest /= factor;
            power *= factor;
            for number in 0..known {
                divisors.push(divisors[number] * power);
            }
        }
        factor += 1;
    }
    divisors.sort_unstable();
    Ok(divisors)
}

/// The divisors of the sizes seen so far.
type Divisors = BTreeMap<i64, Vec<i64>>;

/// Determines the leaves along `step * i` for i below `size`, from the values at divisors.
fn line(
    size: i64,
    mut step: i64,
    zero: i64,
    values: &mut Values<'_>,
    seen: &mut Divisors,
) -> Result<Vec<(i64, i64)>, Refusal> {
    let mut leaves = Vec::new();
    let divisors = match seen.entry(size) {
        Entry::Occupied(known) => known.into_mut(),
        Entry::Vacant(place) => place.insert(divisors(size)?),
    };
    let mut rest = size;
    while rest > 1 {
        let mut at = |number: i64| -> Result<i64, Refusal> {
            let number = number.checked_mul(step).ok_or(Refusal::Overflow)?;
            values(number)?.checked_sub(zero).ok_or(Refusal::Overflow)
        };
        let stride = at(1)?;
        let mut run = rest;
        for divisor in divisors.iter() {
            let is_inside = *divisor > 1 && *divisor < rest && rest % divisor == 0;
            if is_inside && stride.checked_mul(*divisor) != Some(at(*divisor)?) {
                run = *divisor;
                break;
            }
        }
        leaves.push((run, stride));
        rest /= run;
        if rest > 1 {
            step = step.checked_mul(run).ok_or(Refusal::Overflow)?;
        }
    }
    Ok(leaves)
}

/// Returns the only layout over these sizes that may have these values, with its offset. Ignores the strides of `modes`.
fn propose(
    modes: &[Mode],
    values: &mut Values<'_>,
    seen: &mut Divisors,
) -> Result<(i64, Vec<Mode>), Refusal> {
    let zero = values(0)?;
    let mut step = 1_i64;
    let mut found = Vec::with_capacity(modes.len());
    for mode in modes {
        found.push(propose_mode(mode, &mut step, zero, values, seen)?);
    }
    Ok((zero, found))
}

fn propose_mode(
    mode: &Mode,
    step: &mut i64,
    zero: i64,
    values: &mut Values<'_>,
    seen: &mut Divisors,
) -> Result<Mode, Refusal> {
    match mode {
        Mode::Leaf { size, .. } => {
            let leaves = line(*size, *step, zero, values, seen)?;
            *step = step.checked_mul(*size).ok_or(Refusal::Overflow)?;
            Ok(Mode::of_leaves(&leaves))
        }
        Mode::Nested(modes) => {
            let modes = modes.iter().map(|mode| propose_mode(mode, step, zero, values, seen));
            Ok(Mode::Nested(modes.collect::<Result<_, _>>()?))
        }
    }
}

/// Returns the swizzles that can produce values below `2^top`, those of few bits first. The bits that are read are below `top`; a
/// swizzle to higher bits may write just above, where the layout before it has its carries.
fn swizzles(top: i32) -> impl Iterator<Item = Swizzle> {
    let shifts =
        move |bits: i32| (bits..=top).flat_map(move |apart| [(bits, apart), (bits, -apart)]);
    (1..=top).flat_map(shifts).flat_map(move |(bits, shift)| {
        let above = if shift > 0 { shift + bits } else { -shift };
        (0..=top - above).map(move |base| Swizzle { bits: bits as u32, base: base as u32, shift })
    })
}

/// A function, with the sizes of its domain.
pub(super) struct Target<'t> {
    /// The modes that the layout refines; their strides do not matter.
    pub(super) modes: &'t [Mode],
    pub(super) is_single: bool,
    pub(super) size: i64,
    /// The same function as a map of the modes.
    pub(super) map: &'t IndexingMap,
}

impl Target<'_> {
    /// Returns the layout without a swizzle that has these values.
    pub(super) fn plain(&self, values: &mut Values<'_>, budget: &Budget) -> Result<Made, Refusal> {
        let (base, modes) = propose(self.modes, values, &mut Divisors::new())?;
        self.checked(base, modes, None, values, budget)
    }

    /// Returns the layout that has these values under the swizzle with the fewest bits.
    pub(super) fn swizzled(
        &self,
        values: &mut Values<'_>,
        budget: &Budget,
    ) -> Result<Made, Refusal> {
        let mut known: BTreeMap<i64, i64> = BTreeMap::new();
        let mut values = |number: i64| -> Result<i64, Refusal> {
            if let Some(value) = known.get(&number) {
                return Ok(*value);
            }
            let value = values(number)?;
            known.insert(number, value);
            Ok(value)
        };
        let range = self.map.ranges().first().copied();
        let highest = range.filter(|range| range.is_bounded() && range.lo() >= 0);
        let bits = highest.map_or(HIGHEST_BIT, |range| 64 - range.hi().leading_zeros());
        let top = bits.min(HIGHEST_BIT) as i32;
        let fuel = budget.own_fuel(u64::MAX);
        let mut unknown = None;
        let mut seen = Divisors::new();
        for swizzle in swizzles(top) {
            fuel.check()?;
            let mut undone = |number: i64| values(number).map(|v| swizzle.of(v));
            let (zero, modes) = propose(self.modes, &mut undone, &mut seen)?;
            match self.checked(zero, modes, Some(swizzle), &mut values, budget) {
                Ok(made) => return Ok(made),
                Err(Refusal::None(_) | Refusal::Overflow) => {}
                Err(Refusal::Unknown(why)) => unknown = Some(why),
                Err(Refusal::Interrupted) => return Err(Refusal::Interrupted),
            }
        }
        match unknown {
            Some(why) => Err(Refusal::Unknown(why)),
            None if bits > HIGHEST_BIT => Err(Refusal::Unknown(format!(
                "swizzles of bits beyond {HIGHEST_BIT} are not tried"
            ))),
            None => Err(Refusal::None(format!("no layout under a swizzle of bits below {top}"))),
        }
    }

    fn checked(
        &self,
        base: i64,
        modes: Vec<Mode>,
        swizzle: Option<Swizzle>,
        values: &mut Values<'_>,
        budget: &Budget,
    ) -> Result<Made, Refusal> {
        let flat = Flat::of_parts(&modes, base, swizzle);
        let no_layout = |place: String| Refusal::None(format!("not a layout: {place}"));
        // Few elements spread over the whole range reject most candidates.
        let apart = (self.size / TRIED_FIRST).max(1) | 1;
        for number in (0..TRIED_FIRST).filter_map(|number| apart.checked_mul(number)) {
            let number = number % self.size;
            let (expected, found) = (values(number)?, flat.offset(number)?);
            if expected != found {
                return Err(no_layout(format!(
                    "at element {number} it is {expected}, and by its modes {found}"
                )));
            }
        }
        let layout = Layout::with_base(modes, self.is_single, base, swizzle)?;
        let maps = || Ok((self.map.clone(), layout.map().clone()));
        let found = agree(self.size, &mut *values, |i| flat.offset(i), maps, budget)?;
        match found {
            Agreement::Equal(basis, claim) => Ok(Made::shown_by(layout, basis, claim)),
            Agreement::Differ(place) => Err(no_layout(place)),
        }
    }
}

/// Returns the smallest layout whose function is a map of dimensions from 0 on, with a swizzle and an offset if needed.
///
/// # Errors
/// [`Refusal::None`] if the map is not a layout; [`Refusal::Unknown`] if this was not decided.
pub fn recognise(map: &IndexingMap, budget: &Budget) -> Result<Made, Refusal> {
    let domain = map.domain();
    let only = domain.variables().iter().all(|v| v.kind == VariableKind::Dimension);
    if !only || map.results().len() != 1 {
        let message = "a layout has dimensions only, and one result";
        return Err(Refusal::None(message.to_owned()));
    }
    if !domain.constraints().is_empty() || domain.is_known_empty() {
        return Err(Refusal::None("the domain of a layout is a box".to_owned()));
    }
    let mut sizes = Vec::new();
    for (variable, bounds) in domain.variables().iter().zip(domain.intervals()) {
        let size = bounds.hi().checked_add(1).filter(|_| bounds.is_bounded() && bounds.lo() == 0);
        let Some(size) = size else {
            let message = format!(
                "the indices of a layout are from 0 to an end, and {} is not",
                variable.name
            );
            return Err(Refusal::None(message));
        };
        sizes.push(size);
    }
    let modes: Vec<Mode> = sizes.iter().map(|size| Mode::Leaf { size: *size, stride: 0 }).collect();
    let size = sizes.iter().try_fold(1_i64, |all, size| all.checked_mul(*size));
    let size = size.ok_or(Refusal::Overflow)?;
    let mut point = vec![0_i64; sizes.len()];
    let mut values = |number: i64| -> Result<i64, Refusal> {
        let mut rest = number;
        for (place, size) in point.iter_mut().zip(&sizes) {
            *place = rest % size;
            rest /= size;
        }
        let value = map.eval(&point).map_err(|_| Refusal::Overflow)?;
        value.first().copied().ok_or(Refusal::Overflow)
    };
    if modes.len() == 1 {
        return recognise_line(size, &mut values, map, true, budget);
    }
    let target = Target { modes: &modes, is_single: false, size, map };
    match target.plain(&mut values, budget) {
        Err(Refusal::None(why)) => match target.swizzled(&mut values, budget) {
            Err(Refusal::None(also)) => Err(Refusal::None(format!("{why}; {also}"))),
            other => other,
        },
        other => other,
    }
}

/// Returns the layout of one dimension that has these values, with a swizzle only if requested; `map` is the same function.
pub(super) fn recognise_line(
    size: i64,
    values: &mut Values<'_>,
    map: &IndexingMap,
    with_swizzles: bool,
    budget: &Budget,
) -> Result<Made, Refusal> {
    if size == 1 {
        let base = values(0)?;
        let leaf = Mode::Leaf { size: 1, stride: 0 };
        let layout = Layout::with_base(vec![leaf], true, base, None)?;
        let claim = vec![(map.clone(), layout.line()?)];
        return Ok(Made::shown_by(layout, Basis::Counted, claim));
    }
    let modes = [Mode::Leaf { size, stride: 0 }];
    let target = Target { modes: &modes, is_single: true, size, map };
    let found = match target.plain(values, budget) {
        Err(Refusal::None(why)) if with_swizzles => match target.swizzled(values, budget) {
            Err(Refusal::None(also)) => Err(Refusal::None(format!("{why}; {also}"))),
            other => other,
        },
        other => other,
    };
    let mut made = found?;
    // `(2,4):(1,8)` rather than the one mode `((2,4)):((1,8))`
    if let [Mode::Nested(inner)] = made.layout.modes() {
        made.layout = made.layout.with_modes(inner.clone(), false)?;
    }
    Ok(made)
}
