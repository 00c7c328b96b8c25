//! Points found in the domain, and the generator of numbers for finding them.

use super::point::Point;
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};

/// Points of the domain, according to its known facts.
#[derive(Default)]
pub(super) struct Witnesses {
    pub points: Vec<Point>,
    /// Number of points tried so far.
    pub tried: u32,
    /// Whether the points were found, or rechecked, since the last fact was added.
    pub is_current: bool,
    numbers: Numbers,
}

/// A deterministic sequence of pseudorandom numbers.
#[derive(Default)]
pub struct Numbers(u64);

impl Numbers {
    /// Draws a number below `below`, which is positive.
    pub fn below(&mut self, below: i64) -> i64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as i64 % below
    }
}

impl Witnesses {
    /// Invalidates the points; must be called when a fact was added.
    pub fn forget(&mut self) {
        self.is_current = false;
    }

    /// Draws a number below `below`, which is positive.
    pub fn number(&mut self, below: i64) -> i64 {
        self.numbers.below(below)
    }

    /// Draws a value near an end of an interval.
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
