//! Intervals, boxes and large numbers in answers.

use super::output::{Object, Role, Text};
use super::words::count;
use crate::footprint::image::{Progression, Region};
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use serde_json::Value;

/// `[0, 8] step 4 x [1, 8], 24 elements`
pub(super) fn region_text(region: &Region) -> Text {
    let size = match region.size() {
        Some(size) => count(i128::try_from(size).unwrap_or(i128::MAX), "element"),
        None => "more than 2^128 elements".to_owned(),
    };
    if region.size() == Some(0) {
        return Text::of(Role::Faint, "nothing is read");
    }
    let dimensions: Vec<String> = region.progressions.iter().map(progression).collect();
    let dimensions = match dimensions.is_empty() {
        true => "a scalar".to_owned(),
        false => dimensions.join(" x "),
    };
    Text::of(Role::Formula, dimensions).plain(format!(", {size}"))
}

fn progression(values: &Progression) -> String {
    match values.step {
        1 => format!("[{}, {}]", values.first, values.last()),
        step => format!("[{}, {}] step {step}", values.first, values.last()),
    }
}

/// Adds `box`, a `[lo, hi]` for each dimension, `steps` and `size`.
pub(super) fn region_object(json: Object, region: &Region) -> Object {
    let interval = |values: &Progression| match values.count {
        0 => Value::from(vec![0, -1]),
        _ => Value::from(vec![values.first, values.last()]),
    };
    let boxes: Vec<Value> = region.progressions.iter().map(interval).collect();
    let steps: Vec<i64> = region
        .progressions
        .iter()
        .map(|values| values.step)
        .collect();
    json.with("box", boxes)
        .with("steps", steps)
        .with("size", region.size().map(number))
}

/// A number, as text where it is beyond 64 bits.
pub(super) fn number(number: u128) -> Value {
    u64::try_from(number).map_or_else(|_| Value::from(number.to_string()), Value::from)
}

/// `[lo, hi]`, where an infinite end is `null`; the empty interval has `lo > hi`.
pub fn pair(interval: Interval) -> Value {
    let lo = (interval.lo() != MINUS_INFINITY).then_some(interval.lo());
    let hi = (interval.hi() != PLUS_INFINITY).then_some(interval.hi());
    Value::from(vec![lo, hi])
}
