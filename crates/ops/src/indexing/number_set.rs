//! Sets of small numbers as bit sets, used for dependences between arrays of tuples.
//!
//! A union takes one step per 64 numbers, so that the dependences between a few thousand arrays are cheap to compute.

/// A set of numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct NumberSet {
    /// Bit `n % 64` of word `n / 64` is set iff `n` is in the set.
    words: Vec<u64>,
}

impl NumberSet {
    /// Adds `number`.
    pub(super) fn insert(&mut self, number: usize) {
        let word = number / 64;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (number % 64);
    }

    /// Adds all numbers of `other`.
    pub(super) fn extend(&mut self, other: &NumberSet) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (own, more) in self.words.iter_mut().zip(&other.words) {
            *own |= more;
        }
    }

    /// Returns the intersection of two sets.
    pub(super) fn common(&self, other: &NumberSet) -> NumberSet {
        let words = self.words.iter().zip(&other.words);
        NumberSet { words: words.map(|(own, other)| own & other).collect() }
    }

    /// Returns whether `number` is in the set.
    pub(super) fn contains(&self, number: usize) -> bool {
        let word = self.words.get(number / 64);
        word.is_some_and(|word| word >> (number % 64) & 1 == 1)
    }
}

impl FromIterator<usize> for NumberSet {
    fn from_iter<T: IntoIterator<Item = usize>>(numbers: T) -> NumberSet {
        let mut set = NumberSet::default();
        numbers.into_iter().for_each(|number| set.insert(number));
        set
    }
}

/// Returns, for each number, the set of itself and all numbers that it reaches in any number of steps, where one step leads
/// from `k` to the numbers of `direct[k]`.
pub(super) fn reached(direct: &[Vec<usize>]) -> Vec<NumberSet> {
    let own = direct.iter().enumerate();
    let own = own.map(|(k, further)| further.iter().copied().chain([k]).collect());
    let mut reached: Vec<NumberSet> = own.collect();
    // Warshall's algorithm: after turn `k`, paths may pass through the numbers up to `k`.
    for k in 0..reached.len() {
        let further = reached[k].clone();
        for set in reached.iter_mut().filter(|set| set.contains(k)) {
            set.extend(&further);
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_was_put_in() {
        let mut set: NumberSet = [3, 64, 200].into_iter().collect();
        set.extend(&[0, 64, 500].into_iter().collect());
        let found: Vec<usize> = (0..600).filter(|k| set.contains(*k)).collect();
        assert_eq!(found, [0, 3, 64, 200, 500]);
        let common = set.common(&[3, 4, 500, 501].into_iter().collect());
        let found: Vec<usize> = (0..600).filter(|k| common.contains(*k)).collect();
        assert_eq!(found, [3, 500]);
        assert!(!NumberSet::default().contains(0));
    }

    #[test]
    fn follows_steps_to_the_end() {
        #[track_caller]
        fn check(direct: &[&[usize]], expected: &[&[usize]]) {
            let direct: Vec<Vec<usize>> = direct.iter().map(|list| list.to_vec()).collect();
            let numbers = |set: &NumberSet| -> Vec<usize> {
                (0..direct.len()).filter(|k| set.contains(*k)).collect()
            };
            let found: Vec<Vec<usize>> = reached(&direct).iter().map(numbers).collect();
            assert_eq!(found, expected);
        }
        check(&[], &[]);
        check(&[&[], &[]], &[&[0], &[1]]);
        check(&[&[1], &[2], &[]], &[&[0, 1, 2], &[1, 2], &[2]]);
        check(&[&[2], &[0], &[1], &[3]], &[&[0, 1, 2], &[0, 1, 2], &[0, 1, 2], &[3]]);
    }
}
