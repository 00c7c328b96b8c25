//! Numbered answers: `_1`, `_2`, .. are the answers of the session that are maps.

use affinor::expr::IndexingMap;
use std::collections::VecDeque;

/// The maximum number of answers that are kept; earlier ones are forgotten.
const MOST: usize = 1000;

/// The answers of a session that are maps, in order, numbered from 1.
#[derive(Clone, Debug, Default)]
pub struct Results {
    maps: VecDeque<IndexingMap>,
    forgotten: usize,
}

impl Results {
    /// Returns the number of the last answer; 0 if there are no answers.
    #[must_use]
    pub fn last_number(&self) -> usize {
        self.forgotten + self.maps.len()
    }

    /// Adds `map`, and returns its number.
    pub fn push(&mut self, map: IndexingMap) -> usize {
        self.maps.push_back(map);
        if self.maps.len() > MOST {
            self.maps.pop_front();
            self.forgotten += 1;
        }
        self.last_number()
    }

    /// Returns the map with this number.
    #[must_use]
    pub fn get(&self, number: usize) -> Option<&IndexingMap> {
        self.maps.get(number.checked_sub(self.forgotten + 1)?)
    }

    /// Forgets the answers with numbers above `number`.
    pub fn truncate(&mut self, number: usize) {
        self.maps.truncate(number.saturating_sub(self.forgotten));
    }

    /// Iterates over all answers in order; `None` if early ones were forgotten.
    #[must_use]
    pub fn all(&self) -> Option<impl Iterator<Item = &IndexingMap>> {
        (self.forgotten == 0).then(|| self.maps.iter())
    }
}

/// Returns the number in a name like `_7`.
pub fn number_of(name: &str) -> Option<usize> {
    let digits = name.strip_prefix('_')?;
    let all_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    all_digits.then(|| digits.parse().unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use affinor::text::parse_map;

    #[test]
    fn numbers_stay_when_early_answers_are_forgotten() {
        let map = parse_map("() -> ()").unwrap();
        let mut results = Results::default();
        for number in 1..=MOST + 3 {
            assert_eq!(results.push(map.clone()), number);
        }
        assert!(results.get(3).is_none() && results.get(0).is_none());
        assert!(results.get(4).is_some() && results.get(MOST + 3).is_some());
        assert!(results.get(MOST + 4).is_none() && results.all().is_none());
        results.truncate(MOST + 1);
        assert_eq!(results.last_number(), MOST + 1);
        assert_eq!(results.push(map), MOST + 2);
    }

    #[test]
    fn a_number_is_an_underscore_and_digits() {
        assert_eq!(number_of("_7"), Some(7));
        assert_eq!(number_of("_99999999999999999999999"), Some(usize::MAX));
        for other in ["_", "7", "_a", "_7a", "__7", "_+7"] {
            assert_eq!(number_of(other), None, "{other}");
        }
    }
}
