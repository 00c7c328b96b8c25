//! Points of the domain that were found, and the numbers that are drawn to find some.

use super::point::Point;
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};

/// Points of the domain, as far as it is known.
#[derive(Default)]
pub(super) struct Witnesses {
    pub points: Vec<Point>,
    /// Number of points tried so far.
    pub tried: u32,
    /// Whether the points were found, or found again, since a fact was added.
    pub is_current: bool,
    numbers: Numbers,
}

/// A sequence of numbers, the same each time.
#[derive(Default)]
pub struct Numbers(u64);

impl Numbers {
    /// A number below `below`, which is positive.
    pub fn below(&mut self, below: i64) -> i64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as i64 % below
    }
}

impl Witnesses {
    /// To be called when a fact was added.
    pub fn forget(&mut self) {
        self.is_current = false;
    }

    /// A number below `below`, which is positive.
    pub fn number(&mut self, below: i64) -> i64 {
        self.numbers.below(below)
    }

    /// A value near an end of an interval.
    pub fn near(&mut self, bounds: Interval) -> i64 {
        let below = [2, 4, 8, 16, 64][self.tried as usize % 5];
        let number = self.number(below);
        match (bounds.lo(), bounds.hi()) {
            (MINUS_INFINITY, PLUS_INFINITY) => number - below / 2,
            (MINUS_INFINITY, hi) => hi.saturating_sub(number),
            (lo, hi) => lo.saturating_add(number).min(hi),
        }
    }
}
