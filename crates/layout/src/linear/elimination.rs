//! Elimination over GF(2), with vectors as the bits of machine words.
//!
//! Law: `rows` and `columns` span the same space; each row has a highest bit of its own, and is the sum of the columns in its
//! mask.

/// The echelon form of the columns of a matrix.
#[derive(Clone, Debug, Default)]
pub struct Elimination {
    /// `(vector, mask of columns)`, by descending highest bits.
    rows: Vec<(u64, u64)>,
    /// For each column that depends on earlier ones, a mask of columns whose sum is 0.
    kernel: Vec<u64>,
}

impl Elimination {
    /// Eliminates the first 64 columns; ignores any others.
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

    /// Returns the part of a vector outside the span of the columns, and the mask of the columns that were added.
    fn reduced(&self, vector: u64) -> (u64, u64) {
        self.rows.iter().fold((vector, 0), |(rest, mask), (row, of_row)| match rest ^ row < rest {
            true => (rest ^ row, mask ^ of_row),
            false => (rest, mask),
        })
    }

    /// Returns the mask of columns whose sum is the vector; uses only independent columns, the earliest ones.
    #[must_use]
    pub fn solve(&self, vector: u64) -> Option<u64> {
        let (rest, mask) = self.reduced(vector);
        (rest == 0).then_some(mask)
    }

    /// Like [`Elimination::solve`], but ignores the part of the vector outside the span. Linear in the vector.
    #[must_use]
    pub fn nearest(&self, vector: u64) -> u64 {
        self.reduced(vector).1
    }

    /// Returns the number of independent columns.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.rows.len()
    }

    /// Returns a basis of all masks of columns whose sum is 0; the highest column of each depends on earlier ones.
    #[must_use]
    pub fn kernel(&self) -> &[u64] {
        &self.kernel
    }
}
