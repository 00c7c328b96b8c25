//! The same bytes as elements of another width, of layouts with named sizes: CuTe's `upcast` and `downcast`.
//!
//! Law: as of numbers. To wider elements, of n narrow ones each, the wide element at the digits of x, each divided by the steps
//! of its leaf that stay within a wide one, is `A(x) floordiv n`; to narrower ones, the part p of element x is `n * A(x) + p`.

use super::given::{Condition, Given};
use super::layout::{NamedLayout, map_of};
use super::proposal::{Proposed, Stop};
use super::size::Size;
use crate::cute::algebra::Refusal;

/// A leaf with a new size and stride, and the number of its steps that become one, or that one step becomes.
struct Changed {
    size: Size,
    stride: Size,
    steps: i64,
}

/// Converts a layout in elements of `from` bits to a layout in elements of `to` bits.
pub(super) fn recast_in(
    layout: &NamedLayout,
    [from, to]: [i64; 2],
    given: &Given,
) -> Result<Proposed, Stop> {
    if from < 1 || to < 1 || (from % to != 0 && to % from != 0) {
        let message = format!("{from} and {to} bits: one must be a multiple of the other");
        return Err(Refusal::None(message).into());
    }
    let leaves = layout.leaves();
    let is_wider = to >= from;
    let n = if is_wider { to / from } else { from / to };
    let changed = match is_wider {
        true => leaves.iter().map(|leaf| widened(leaf, n, given)).collect::<Result<Vec<_>, _>>()?,
        false => narrowed(&leaves, n)?,
    };
    let made = changed.iter().map(|one| (one.size.clone(), one.stride.clone()));
    let found = layout.with_leaves(made.collect());
    // Maps over the digits of the more numerous, narrow elements.
    let sum = |terms: Vec<String>| match terms.is_empty() {
        true => "0".to_owned(),
        false => terms.join(" + "),
    };
    let digits = || (0..leaves.len()).map(|place| format!("d{place}"));
    let fewer = |digit: String, steps: i64| format!("({digit} floordiv {steps})");
    let term = |digit: String, stride: &Size| format!("{digit} * ({})", stride.expression());
    let all = || digits().zip(leaves.iter().zip(&changed));
    let (sizes, values, holder): (Vec<Size>, String, String) = match is_wider {
        true => (
            leaves.iter().map(|(size, _)| size.clone()).collect(),
            format!("({}) floordiv {n}", sum(all().map(|(d, (old, _))| term(d, &old.1)).collect())),
            sum(all().map(|(d, (_, new))| term(fewer(d, new.steps), &new.stride)).collect()),
        ),
        false => {
            let whole = all().map(|(d, (old, new))| term(fewer(d, new.steps), &old.1));
            let parts = all().map(|(d, (_, new))| format!("{d} mod {}", new.steps));
            (
                changed.iter().map(|one| one.size.clone()).collect(),
                format!("({}) * {n} + {}", sum(whole.collect()), sum(parts.collect())),
                sum(all().map(|(d, (_, new))| term(d, &new.stride)).collect()),
            )
        }
    };
    let (names, conditions) = (layout.names(), given.constraints());
    let map = |result: &str| map_of(&names, &sizes, result, &conditions);
    let claims = vec![vec![(map(&values)?, map(&holder)?)]];
    Ok(Proposed { layout: found, claims, by_rule: Vec::new(), carries: Vec::new() })
}

/// Converts a leaf to wide elements.
fn widened((size, stride): &(Size, Size), n: i64, given: &Given) -> Result<Changed, Stop> {
    let wide = Size::number(n);
    if stride.is_zero() || size.is_one() {
        return Ok(Changed { size: size.clone(), stride: stride.clone(), steps: 1 });
    }
    if let Some(stride) = stride.over(&wide) {
        return Ok(Changed { size: size.clone(), stride, steps: 1 });
    }
    let shown = |size: &Size| given.restored(size).unwrap_or(size.clone());
    let steps = match stride.as_number() {
        Some(apart) if apart > 0 && n % apart == 0 => n / apart,
        Some(_) => {
            let message = format!("stride {stride} and {n} elements do not divide each other");
            return Err(Refusal::None(message).into());
        }
        None => {
            let message =
                format!("stride {} is not a multiple of {n} for all values", shown(stride));
            return Err(Stop::Lacks(message, vec![Condition::divides(&wide, stride)]));
        }
    };
    let within = Size::number(steps);
    match (size.over(&within), size.as_number()) {
        (Some(size), _) => Ok(Changed { size, stride: Size::number(1), steps }),
        // A leaf that ends within a wide element lies in a single wide element.
        (None, Some(count)) if steps % count == 0 => {
            Ok(Changed { size: Size::number(1), stride: Size::number(1), steps })
        }
        (None, Some(_)) => {
            let message =
                format!("{size} elements at stride {stride} are not a multiple of {steps}");
            Err(Refusal::None(message).into())
        }
        (None, None) => {
            let message =
                format!("{} elements are not a multiple of {steps} for all values", shown(size));
            Err(Stop::Lacks(message, vec![Condition::divides(&within, size)]))
        }
    }
}

/// Converts the leaves to narrow elements: those at stride 1 are split into parts.
fn narrowed(leaves: &[(Size, Size)], n: i64) -> Result<Vec<Changed>, Stop> {
    let units = leaves.iter().enumerate().filter(|(_, (_, stride))| stride.is_one());
    let units: Vec<(usize, bool)> = units.map(|(at, (size, _))| (at, size.is_one())).collect();
    let mut long = units.iter().filter(|(_, is_one)| !is_one).map(|(at, _)| *at);
    let (first, second) = (long.next(), long.next());
    if second.is_some() && n > 1 {
        let message = "several modes have stride 1, so that elements meet";
        return Err(Refusal::Unknown(message.to_owned()).into());
    }
    let cut = first.or(units.first().map(|(at, _)| *at));
    let by = Size::number(n);
    let changed = leaves.iter().enumerate().map(|(at, (size, stride))| {
        Some(match cut == Some(at) {
            true => Changed { size: size.times(&by)?, stride: stride.clone(), steps: n },
            false => Changed { size: size.clone(), stride: stride.times(&by)?, steps: 1 },
        })
    });
    changed.collect::<Option<_>>().ok_or_else(|| Refusal::Overflow.into())
}
