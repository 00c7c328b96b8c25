//! The cost of one access.

use affinor::text::{Error, ErrorKind};

/// The measure of cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// Number of segments touched.
    Transactions {
        /// Bytes per segment; segments begin at multiples of this size.
        bytes: i64,
    },
    /// The maximum number of distinct words in one bank.
    Banks {
        /// The number of banks.
        banks: i64,
        /// Bytes per word; word `w` is in bank `w mod banks`.
        bytes: i64,
    },
}

impl Measure {
    /// Checks the sizes.
    ///
    /// # Errors
    /// Kind `usage`, without a span, for invalid sizes.
    pub(super) fn check(self) -> Result<(), Error> {
        let (bytes, banks) = match self {
            Measure::Transactions { bytes } => (bytes, 1),
            Measure::Banks { banks, bytes } => (bytes, banks),
        };
        for (what, number, most) in [
            ("a segment or word has 1 to 1048576 bytes", bytes, 1 << 20),
            ("the number of banks is 1 to 4096", banks, 4_096),
        ] {
            from_one_to(most, number, what)?;
        }
        Ok(())
    }

    /// Returns the number of bits such that shifting all positions by a multiple of it preserves the cost: a segment, or a
    /// word, in which case the banks rotate.
    pub(super) fn bits(self) -> i64 {
        match self {
            Measure::Transactions { bytes } | Measure::Banks { bytes, .. } => 8 * bytes,
        }
    }
}

/// # Errors
/// Kind `usage`, without a span, for a number below 1 or above `most`.
pub(super) fn from_one_to(most: i64, number: i64, what: &str) -> Result<(), Error> {
    match (1..=most).contains(&number) {
        true => Ok(()),
        false => {
            let message = format!("{what}, not {number}");
            Err(Error::without_span(ErrorKind::Usage, message))
        }
    }
}

/// The memory that is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    /// Bits per element, and from one position to the next.
    pub element_bits: i64,
    /// Bytes from an aligned address to position 0.
    pub offset: i64,
    /// The measure of cost.
    pub measure: Measure,
}

impl Memory {
    pub(super) fn check(&self) -> Result<(), Error> {
        self.measure.check()?;
        if !(1..=65_536).contains(&self.element_bits) {
            let message = format!("an element has 1 to 65536 bits, found {}", self.element_bits);
            return Err(Error::without_span(ErrorKind::Usage, message));
        }
        if self.offset.checked_mul(8).is_none() {
            let message = "the offset does not fit in 64 bits";
            return Err(Error::without_span(ErrorKind::Overflow, message));
        }
        Ok(())
    }
}

/// Computes the cost of accesses one by one, reusing its buffers.
pub(super) struct Meter {
    measure: Measure,
    /// Bits per element.
    width: i128,
    /// Bits before position 0.
    offset: i128,
    /// Distinct words of each bank.
    banks: Vec<u64>,
}

impl Meter {
    pub(super) fn new(measure: Measure, width: i64, offset: i64) -> Meter {
        let banks = match measure {
            Measure::Transactions { .. } => 0,
            Measure::Banks { banks, .. } => banks,
        };
        Meter {
            measure,
            width: i128::from(width),
            offset: i128::from(offset),
            banks: vec![0; usize::try_from(banks).unwrap_or(0)],
        }
    }

    /// Returns the cost of an access to elements at these positions, and the ideal cost for its bytes or words.
    pub(super) fn cost(&mut self, positions: &mut Vec<i64>) -> (u64, u64) {
        positions.sort_unstable();
        positions.dedup();
        self.banks.fill(0);
        let unit = i128::from(self.measure.bits());
        let (mut units, mut bytes) = (0_u64, 0_u64);
        let mut seen: Option<(i128, i128)> = None;
        for position in positions.iter() {
            let start = i128::from(*position) * self.width + self.offset;
            let end = start + self.width - 1;
            // Positions are sorted, so units seen before are at or before the start.
            let [unit_from, byte_from] =
                [(unit, seen.map(|s| s.0)), (8, seen.map(|s| s.1))].map(|(size, last)| {
                    let first = start.div_euclid(size);
                    last.map_or(first, |last| first.max(last + 1))
                });
            let (unit_to, byte_to) = (end.div_euclid(unit), end.div_euclid(8));
            units += u64::try_from(unit_to - unit_from + 1).unwrap_or(0);
            bytes += u64::try_from(byte_to - byte_from + 1).unwrap_or(0);
            if let Measure::Banks { banks, .. } = self.measure {
                for word in unit_from..=unit_to {
                    let bank = usize::try_from(word.rem_euclid(i128::from(banks)));
                    if let Some(words) = bank.ok().and_then(|bank| self.banks.get_mut(bank)) {
                        *words += 1;
                    }
                }
            }
            seen = Some((unit_to, byte_to));
        }
        match self.measure {
            Measure::Transactions { bytes: size } => (units, bytes.div_ceil(size.unsigned_abs())),
            Measure::Banks { banks, .. } => {
                let most = self.banks.iter().copied().max().unwrap_or(0);
                (most, units.div_ceil(banks.unsigned_abs()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECTORS: Measure = Measure::Transactions { bytes: 32 };
    const BANKS: Measure = Measure::Banks { banks: 32, bytes: 4 };

    #[track_caller]
    fn check(
        measure: Measure,
        width: i64,
        offset: i64,
        positions: impl Iterator<Item = i64>,
        expected: (u64, u64),
    ) {
        let mut meter = Meter::new(measure, width, offset);
        let mut positions: Vec<i64> = positions.collect();
        assert_eq!(meter.cost(&mut positions), expected);
        positions.reverse();
        assert_eq!(meter.cost(&mut positions), expected, "a second time");
    }

    #[test]
    fn transactions_are_segments_that_are_touched() {
        check(SECTORS, 32, 0, 0..32, (4, 4));
        check(SECTORS, 32, 32, 0..32, (5, 4)); // one word off
        check(SECTORS, 32, 0, (0..32).map(|lane| lane * 2), (8, 4));
        check(SECTORS, 32, 0, (0..32).map(|lane| lane * 1000), (32, 4));
        check(SECTORS, 32, 0, (0..32).map(|_| 5), (1, 1));
        check(SECTORS, 32, 0, -1..1, (2, 1));
        check(SECTORS, 4, 0, 0..64, (1, 1));
        check(SECTORS, 4, 252, 0..2, (2, 1)); // the last half byte of a segment, and the first of the next
        check(SECTORS, 320, 0, 0..2, (3, 3));
        check(SECTORS, 32, 0, 0..0, (0, 0));
    }

    #[test]
    fn conflicts_are_words_of_one_bank() {
        check(BANKS, 32, 0, 0..32, (1, 1));
        check(BANKS, 32, 0, (0..32).map(|lane| lane * 32), (32, 1));
        check(BANKS, 32, 0, (0..32).map(|lane| lane * 33), (1, 1));
        check(BANKS, 32, 0, (0..32).map(|lane| lane * 2), (2, 1));
        check(BANKS, 32, 0, (0..32).map(|_| 7), (1, 1)); // all read the same word
        check(BANKS, 16, 0, 0..32, (1, 1)); // two elements in each word
        check(BANKS, 64, 0, 0..32, (2, 2));
        check(BANKS, 32, 0, [-32, 0, 31].into_iter(), (2, 1));
    }
}
