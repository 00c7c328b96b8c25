//! Spaces of vectors over GF(2), each given by spanning vectors.
//!
//! Law: two spaces of the same dimension have a common complement: sums of pairs of vectors that extend their intersection to
//! each of them, and vectors that extend both to the whole space.

use super::elimination::Elimination;

/// Maximum number of vectors in one elimination.
const MOST: usize = 64;

/// Returns the vectors that are not sums of earlier ones.
pub(super) fn independent(vectors: impl IntoIterator<Item = u64>) -> Vec<u64> {
    outside(&[], vectors)
}

/// Returns the vectors outside the span of `space` and of those returned before.
pub(super) fn outside(space: &[u64], vectors: impl IntoIterator<Item = u64>) -> Vec<u64> {
    let mut all = space.to_vec();
    let mut taken = Vec::new();
    for vector in vectors {
        if Elimination::of(&all).solve(vector).is_none() {
            all.push(vector);
            taken.push(vector);
        }
    }
    taken
}

/// Returns the unit vectors.
pub(super) fn units(bits: usize) -> impl Iterator<Item = u64> {
    (0..bits).map(|bit| 1_u64 << bit)
}

/// Extends independent vectors to a space of at least `dimension` dimensions.
pub(super) fn enlarged(mut space: Vec<u64>, dimension: usize, bits: usize) -> Vec<u64> {
    let missing = dimension.saturating_sub(space.len());
    let more = outside(&space, units(bits));
    space.extend(more.into_iter().take(missing));
    space
}

/// Returns a largest space that intersects both in 0 alone; `None` if there are too many vectors.
pub(super) fn common_complement(one: &[u64], other: &[u64], bits: usize) -> Option<Vec<u64>> {
    let [one, other] = [one, other].map(|space| independent(space.iter().copied()));
    let dimension = one.len().max(other.len());
    let [one, other] = [one, other].map(|space| enlarged(space, dimension, bits));
    let both = [one.clone(), other.clone()].concat();
    if both.len() > MOST {
        return None;
    }
    let of_one = |mask: &u64| chosen(&one, mask & ((1 << one.len()) - 1));
    let shared: Vec<u64> = Elimination::of(&both).kernel().iter().map(of_one).collect();
    let pairs = outside(&shared, one.iter().copied()).into_iter();
    let pairs = pairs.zip(outside(&shared, other.iter().copied()));
    let mut found: Vec<u64> = pairs.map(|(x, y)| x ^ y).collect();
    found.extend(outside(&both, units(bits)));
    Some(found)
}

/// Returns the sum of the vectors in a mask.
pub(super) fn chosen(vectors: &[u64], mask: u64) -> u64 {
    let pairs = vectors.iter().enumerate().filter(|(bit, _)| mask >> bit & 1 == 1);
    pairs.fold(0, |sum, (_, vector)| sum ^ vector)
}

#[cfg(test)]
mod tests {
    use super::{common_complement, independent};
    use crate::linear::Elimination;

    #[test]
    fn complements_meet_both_spaces_in_zero_and_fill_the_rest() {
        let mut state = 7_u64;
        let mut next = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % bound
        };
        for _ in 0..500 {
            let bits = 1 + next(8) as usize;
            let mut space = || {
                let count = next(bits as u64 + 1);
                (0..count).map(|_| next(1 << bits)).collect::<Vec<u64>>()
            };
            let (one, other) = (space(), space());
            let found = common_complement(&one, &other, bits).expect("few vectors");
            let [one, other] = [one, other].map(independent);
            assert_eq!(found.len(), bits - one.len().max(other.len()));
            for space in [one, other] {
                let all = [space.clone(), found.clone()].concat();
                assert_eq!(Elimination::of(&all).rank(), all.len(), "{space:?} {found:?}");
            }
        }
    }
}
