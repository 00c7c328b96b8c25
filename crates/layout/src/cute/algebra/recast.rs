//! The same bytes as elements of another width: CuTe's `upcast` and `downcast`.
//!
//! Law, n narrow elements in a wide one: to wider elements, `R(y) = A(x) floordiv n` for each element x of A, where the digits of
//! y are those of x divided by how many steps of their leaf stay within one wide element; to narrower ones, `R(x, p) = n * A(x) +
//! p` for each part p below n; without a mode of stride 1 for p = 0 only. If a wide element contains narrow ones of several
//! modes, A denotes its merged leaves, or its leaves in the order of their strides: the same elements, numbered in another order.

use super::answer::{Made, Refusal};
use super::check::{Agreement, agree};
use super::flat::{Flat, leaves, merged, size};
use crate::cute::layout::Layout;
use crate::cute::mode::Mode;
use affinor::expr::{Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::Interval;
use affinor::prove::Budget;

/// Converts a layout in elements of `from` bits to a layout in elements of `to` bits.
///
/// # Errors
/// [`Refusal::None`] if neither width is a multiple of the other, or the elements do not form whole wide elements.
pub fn recast(layout: &Layout, from: i64, to: i64, budget: &Budget) -> Result<Made, Refusal> {
    if from < 1 || to < 1 || (from % to != 0 && to % from != 0) {
        let message = format!("{from} and {to} bits: one must be a multiple of the other");
        return Err(Refusal::None(message));
    }
    if layout.swizzle().is_some() || layout.base() != 0 {
        let message = "recast takes a layout without a swizzle and an offset";
        return Err(Refusal::Unknown(message.to_owned()));
    }
    match to >= from {
        true => upcast(layout, to / from, budget),
        false => downcast(layout, from / to, budget),
    }
}

/// Replaces the size and stride of each leaf; keeps the structure.
fn each(mode: &Mode, of: &mut impl FnMut(i64, i64) -> Option<(i64, i64)>) -> Option<Mode> {
    match mode {
        Mode::Leaf { size, stride } => {
            let (size, stride) = of(*size, *stride)?;
            Some(Mode::Leaf { size, stride })
        }
        Mode::Nested(modes) => {
            let modes = modes.iter().map(|mode| each(mode, of));
            Some(Mode::Nested(modes.collect::<Option<_>>()?))
        }
    }
}

fn changed(
    layout: &Layout,
    mut of: impl FnMut(i64, i64) -> Option<(i64, i64)>,
) -> Result<Layout, Refusal> {
    let modes = layout.modes().iter().map(|mode| each(mode, &mut of));
    let modes = modes.collect::<Option<Vec<Mode>>>();
    Ok(layout.with_modes(modes.ok_or(Refusal::Overflow)?, layout.is_single())?)
}

/// Returns the number of steps of a stride that stay within `n` narrow elements.
fn steps(stride: i64, n: i64) -> i64 {
    match stride {
        0 => 1,
        stride => (n / stride.saturating_abs()).max(1),
    }
}

/// Converts a layout with its modes; or, if wide elements span several modes, with these merged; or, if the modes are not
/// contiguous, with all leaves in the order of their strides.
fn upcast(layout: &Layout, n: i64, budget: &Budget) -> Result<Made, Refusal> {
    let refusal = match upcast_modes(layout, n, budget) {
        Err(Refusal::None(reason)) => Refusal::None(reason),
        found => return found,
    };
    let all = leaves(layout);
    let mut ascending = all.clone();
    // A leaf of stride 0 repeats all others.
    ascending
        .sort_by_key(|(_, stride)| if *stride == 0 { i64::MAX } else { stride.saturating_abs() });
    let ways = [
        (all.clone(), "modes are merged: wide elements lie across them"),
        (ascending, "modes are merged in the order of memory: wide elements lie across them"),
    ];
    for (leaves, note) in ways {
        let line = merged(&leaves)?;
        if line.len() >= all.len() {
            continue;
        }
        let line = Layout::of_mode(Mode::of_leaves(&line))?;
        match upcast_modes(&line, n, budget) {
            Ok(mut made) => {
                made.notes.push(note.to_owned());
                return Ok(made);
            }
            Err(Refusal::None(_)) => {}
            Err(other) => return Err(other),
        }
    }
    Err(refusal)
}

/// Returns the digit of a leaf, as a variable of its own.
fn digit(place: usize) -> Result<Expr, ExprError> {
    let number = u32::try_from(place).map_err(|_| ExprError::Overflow)?;
    Ok(Expr::variable(VariableId(number)))
}

/// Returns the offset for the given digits of leaves.
fn weighted(leaves: &[(i64, i64)], digits: &[Expr]) -> Result<Expr, ExprError> {
    Expr::sum(0, leaves.iter().zip(digits).map(|((_, stride), digit)| (*stride, digit.clone())))
}

/// Returns the map over digits below these sizes.
fn over(sizes: &[i64], result: Expr) -> IndexingMap {
    let digit = |(place, size): (usize, &i64)| {
        Variable::new(format!("d{place}"), VariableKind::Dimension, Interval::of_size(*size))
    };
    IndexingMap::new(Domain::new(sizes.iter().enumerate().map(digit).collect()), vec![result])
}

/// Checks whether the steps that stay within one wide element reach each part of it.
fn are_whole(leaves: &[(i64, i64)], n: i64) -> bool {
    let inside = leaves.iter().map(|(size, stride)| (stride.saturating_abs(), *size));
    let mut inside: Vec<(i64, i64)> =
        inside.filter(|(stride, size)| (1..n).contains(stride) && *size > 1).collect();
    inside.sort_unstable();
    let reached = inside.iter().try_fold(1_i64, |reached, (stride, size)| {
        // Several digits may reach the same part.
        let fits = *stride <= reached;
        fits.then(|| reached.max(size.min(&(n / stride)) * stride))
    });
    reached == Some(n)
}

fn upcast_modes(layout: &Layout, n: i64, budget: &Budget) -> Result<Made, Refusal> {
    for (size, stride) in leaves(layout) {
        let steps = steps(stride, n);
        if size > 1 && stride % n != 0 && n % stride != 0 {
            let message = format!("stride {stride} and {n} elements do not divide each other");
            return Err(Refusal::None(message));
        }
        if size > 1 && size % steps != 0 && steps % size != 0 {
            let message =
                format!("{size} elements at stride {stride} are not a multiple of {steps}");
            return Err(Refusal::None(message));
        }
    }
    let found = changed(layout, |size, stride| {
        let steps = if size == 1 { 1 } else { steps(stride, n) };
        let stride = match stride.checked_abs()? {
            0 => 0,
            apart if apart < n => stride.signum(),
            _ => stride / n,
        };
        // A leaf that ends within a wide element lies in a single wide element.
        Some(((size / steps).max(1), stride))
    })?;
    let (before, after) = (Flat::of(layout), Flat::of(&found));
    let (old, new) = (leaves(layout), leaves(&found));
    let values = |x: i64| Ok(before.offset(x)?.div_euclid(n));
    // The wide element that contains element x.
    let holder = |x: i64| -> Result<i64, Refusal> {
        let (mut rest, mut index, mut count) = (x, 0_i64, 1_i64);
        for ((size, _), (fewer, _)) in old.iter().zip(&new) {
            index += (rest % size) / (size / fewer) * count;
            (rest, count) = (rest / size, count * fewer);
        }
        after.offset(index)
    };
    let maps = || {
        let parts = old.iter().zip(&new);
        let kept =
            parts.enumerate().map(|(place, (leaf, wide))| digit(place)?.floordiv(leaf.0 / wide.0));
        let kept = kept.collect::<Result<Vec<_>, _>>()?;
        let sizes: Vec<i64> = old.iter().map(|(size, _)| *size).collect();
        let digits = (0..old.len()).map(digit).collect::<Result<Vec<_>, _>>()?;
        let narrow = weighted(&old, &digits)?;
        Ok((over(&sizes, narrow.floordiv(n)?), over(&sizes, weighted(&new, &kept)?)))
    };
    let maps = || maps().map_err(|_: ExprError| Refusal::Overflow);
    match agree(size(layout)?, values, holder, maps, budget)? {
        Agreement::Equal(basis, claim) => {
            let mut made = Made::shown_by(found, basis, claim);
            if !are_whole(&old, n) {
                let note = "wide elements have bits that no narrow one has";
                made.notes.push(note.to_owned());
            }
            Ok(made)
        }
        Agreement::Differ(place) => {
            Err(Refusal::None(format!("wide elements would be cut: {place}")))
        }
    }
}

fn downcast(layout: &Layout, n: i64, budget: &Budget) -> Result<Made, Refusal> {
    let old = leaves(layout);
    let units: Vec<usize> = (0..old.len()).filter(|place| old[*place].1 == 1).collect();
    let mut long = units.iter().copied().filter(|place| old[*place].0 > 1);
    let (first, second) = (long.next(), long.next());
    if second.is_some() && n > 1 {
        let message = "several modes have stride 1, so that elements meet";
        return Err(Refusal::None(message.to_owned()));
    }
    // The leaf that is split into parts; a leaf of one element at stride 1 can be split, too.
    let cut = first.or(units.first().copied());
    let mut place = 0;
    let found = changed(layout, |size, stride| {
        let is_cut = cut == Some(place);
        place += 1;
        match is_cut {
            true => Some((size.checked_mul(n)?, stride)),
            false => Some((size, stride.checked_mul(n)?)),
        }
    })?;
    let (before, after) = (Flat::of(layout), Flat::of(&found));
    // Element x of the answer: its digit along the split leaf contains the part.
    let values = |x: i64| -> Result<i64, Refusal> {
        let (mut rest, mut index, mut count, mut part) = (x, 0_i64, 1_i64, 0);
        for (place, leaf) in old.iter().enumerate() {
            let factor = if cut == Some(place) { n } else { 1 };
            let digit = rest % (leaf.0 * factor);
            index += digit / factor * count;
            part += digit % factor;
            (rest, count) = (rest / (leaf.0 * factor), count * leaf.0);
        }
        let offset = before.offset(index)?.checked_mul(n).ok_or(Refusal::Overflow)?;
        offset.checked_add(part).ok_or(Refusal::Overflow)
    };
    let maps = || {
        let new = leaves(&found);
        let sizes: Vec<i64> = new.iter().map(|(size, _)| *size).collect();
        let digits = (0..new.len()).map(digit).collect::<Result<Vec<_>, _>>()?;
        let mut elements = digits.clone();
        let mut terms = Vec::new();
        if let Some(cut) = cut {
            terms.push((1, digits[cut].modulo(n)?));
            elements[cut] = digits[cut].floordiv(n)?;
        }
        terms.push((n, weighted(&old, &elements)?));
        Ok((over(&sizes, Expr::sum(0, terms)?), over(&sizes, weighted(&new, &digits)?)))
    };
    let maps = || maps().map_err(|_: ExprError| Refusal::Overflow);
    let all = size(&found)?;
    match agree(all, values, |x| after.offset(x), maps, budget)? {
        Agreement::Equal(basis, claim) => {
            let mut made = Made::shown_by(found, basis, claim);
            if cut.is_none() && n > 1 {
                let note = "no mode has stride 1: only the first part of each element is in it";
                made.notes.push(note.to_owned());
            }
            Ok(made)
        }
        Agreement::Differ(place) => Err(Refusal::Unknown(format!("the layout differs {place}"))),
    }
}
