//! Elimination over GF(2), where the vectors are the bits of machine words.
//!
//! Law: `rows` and `columns` span the same space; each has a highest bit of its own, and is the sum of the columns in its mask.

/// The echelon form of the columns of a matrix.
#[derive(Clone, Debug, Default)]
pub struct Elimination {
    /// `(vector, mask of columns)`, by falling highest bits.
    rows: Vec<(u64, u64)>,
    /// For each column that depends on those before it, a mask of columns with the sum 0.
    kernel: Vec<u64>,
}

impl Elimination {
    /// Eliminates; at most 64 columns are looked at.
    #[must_use]
    pub fn of(columns: &[u64]) -> Elimination {
        let mut all = Elimination::default();
        for (number, column) in columns.iter().take(64).enumerate() {
            let (rest, mask) = all.reduced(*column);
            let mask = mask ^ 1 << number;
            if rest == 0 {
                all.kernel.push(mask);
                continue;
            }
            let at = all.rows.partition_point(|(row, _)| *row > rest);
            all.rows.insert(at, (rest, mask));
        }
        all
    }

    /// The part of a vector outside the span of the columns, and the mask of the columns that were added.
    fn reduced(&self, vector: u64) -> (u64, u64) {
        self.rows.iter().fold((vector, 0), |(rest, mask), (row, of_row)| match rest ^ row < rest {
            true => (rest ^ row, mask ^ of_row),
            false => (rest, mask),
        })
    }

    /// The mask of columns whose sum is the vector, of independent columns only: earlier ones are taken first.
    #[must_use]
    pub fn solve(&self, vector: u64) -> Option<u64> {
        let (rest, mask) = self.reduced(vector);
        (rest == 0).then_some(mask)
    }

    /// As [`Elimination::solve`], where the part that no columns reach is left out. Linear in the vector.
    #[must_use]
    pub fn nearest(&self, vector: u64) -> u64 {
        self.reduced(vector).1
    }

    /// The number of independent columns.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.rows.len()
    }

    /// Masks of columns with the sum 0, a basis of all such; the highest column of each depends on earlier ones.
    #[must_use]
    pub fn kernel(&self) -> &[u64] {
        &self.kernel
    }
}
