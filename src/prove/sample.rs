//! Sample points of a box that are likely to refute: corners, near-corners, and pseudorandom points with a fixed seed.

use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};

/// Maximum distance from the finite bound (or from 0) in an infinite interval.
const FAR: i64 = 1 << 20;

/// Maximum distances from the point nearest to 0, for some points: small counterexamples are better.
const NEAR: [i64; 3] = [8, 64, 1_024];

/// Returns up to `count` points of the box, deterministically; none if the box is empty.
pub fn points(bounds: &[Interval], count: u64) -> impl Iterator<Item = Vec<i64>> {
    let bounds = bounds.to_vec();
    let possible = bounds.iter().all(|interval| !interval.is_empty());
    let mut random = Random::default();
    (0..if possible { count } else { 0 }).map(move |step| {
        let one = step / 6 % bounds.len().max(1) as u64;
        let coordinate = |(index, interval): (u64, &Interval)| match (step, step % 6) {
            (0, _) => nearest_to_zero(*interval),
            (_, 1) => random.end(far(*interval), 0),
            (_, 2) => random.end(far(*interval), 3),
            // Only one variable differs, which shows its effect.
            (_, 3) if index != one => nearest_to_zero(*interval),
            (_, 4) => random.member(near(*interval, NEAR[usize::from(step % 9 > 2)])),
            (_, 5) => random.member(near(*interval, NEAR[2])),
            _ => random.member(far(*interval)),
        };
        (0u64..).zip(&bounds).map(coordinate).collect()
    })
}

/// Returns the member of an interval with the smallest magnitude; 0 if it is empty.
pub(super) fn nearest_to_zero(interval: Interval) -> i64 {
    if interval.is_empty() { 0 } else { 0i64.clamp(interval.lo(), interval.hi()) }
}

/// Returns the values at most `distance` away from the one nearest to 0.
pub(super) fn near(interval: Interval, distance: i64) -> Interval {
    let center = nearest_to_zero(interval);
    interval
        .intersect(Interval::new(center.saturating_sub(distance), center.saturating_add(distance)))
}

/// Returns the part of an interval that is sampled: all of it, if it is finite.
fn far(interval: Interval) -> Interval {
    match (interval.lo(), interval.hi()) {
        (MINUS_INFINITY, PLUS_INFINITY) => Interval::new(-FAR, FAR),
        (MINUS_INFINITY, hi) => Interval::new(hi.saturating_sub(FAR), hi),
        (lo, PLUS_INFINITY) => Interval::new(lo, lo.saturating_add(FAR)),
        _ => interval,
    }
}

/// The generator "splitmix64" (Steele, Lea, Flood 2014): small, and the same on every machine.
pub(super) struct Random(u64);

impl Default for Random {
    fn default() -> Random {
        Random(0x5DEE_CE66_D1CE_4E5B)
    }
}

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn member(&mut self, interval: Interval) -> i64 {
        let width = i128::from(interval.hi()) - i128::from(interval.lo()) + 1;
        let offset = i128::from(self.next()) % width;
        // Within the interval, so within 64 bits.
        i64::try_from(i128::from(interval.lo()) + offset).unwrap_or(interval.lo())
    }

    /// Returns one of the bounds, or a value up to `near` away from it.
    pub(super) fn end(&mut self, interval: Interval, near: u64) -> i64 {
        let choice = self.next();
        let offset = i64::try_from((choice >> 1) % (near + 1)).unwrap_or(0);
        if choice & 1 == 0 {
            interval.lo().saturating_add(offset).min(interval.hi())
        } else {
            interval.hi().saturating_sub(offset).max(interval.lo())
        }
    }
}
