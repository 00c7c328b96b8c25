//! Pseudorandom numbers that are the same in every run (xorshift).

use std::ops::RangeInclusive;

pub struct Random(u64);

impl Random {
    /// Creates a generator from a `seed` that is not 0.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// Draws a number in `range`, which is not empty.
    pub fn within(&mut self, range: RangeInclusive<i64>) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let count = range.end() - range.start() + 1;
        range.start() + (self.0 >> 11) as i64 % count
    }

    /// Draws a position in a sequence of `length`, which is at least 1.
    pub fn place(&mut self, length: usize) -> usize {
        self.within(0..=length as i64 - 1) as usize
    }
}
