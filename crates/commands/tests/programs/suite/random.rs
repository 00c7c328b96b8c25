//! Pseudorandom numbers that depend on the seed alone.

/// The generator `splitmix64`.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        scrambled(self.0)
    }

    /// Draws a number below `end`, which is positive.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Draws a number in `[lo, hi]`.
    pub fn within(&mut self, lo: i64, hi: i64) -> i64 {
        lo + (self.next() % (hi - lo + 1) as u64) as i64
    }

    /// Returns `true` with a probability of `share` percent.
    pub fn percent(&mut self, share: u64) -> bool {
        self.next() % 100 < share
    }

    pub fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    /// Draws a permutation of `0..count`.
    pub fn permutation(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for k in (1..count).rev() {
            order.swap(k, self.below(k + 1));
        }
        order
    }

    /// Draws a subset of `0..count`, in order.
    pub fn subset(&mut self, count: usize) -> Vec<usize> {
        (0..count).filter(|_| self.percent(45)).collect()
    }
}

/// Returns a number in which each bit of `x` changes about half of the bits.
fn scrambled(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Returns a small number determined by `parts`, like a hash.
pub fn made_up(parts: impl IntoIterator<Item = i64>) -> i64 {
    let mixed = parts
        .into_iter()
        .fold(17, |state: u64, part| scrambled(state ^ part as u64) ^ state.rotate_left(9));
    (mixed % 12) as i64 - 3
}
