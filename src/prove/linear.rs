//! `constant + c1 * x1 + c2 * x2 + ...` over numbered unknowns, with checked coefficients.

/// Number of an unknown integer: a variable of the map, a quotient, or a minimum.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Unknown(pub(super) u32);

impl Unknown {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A linear form. Terms are sorted by unknown and no coefficient is 0, so equal forms are
/// equal values.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Linear {
    terms: Vec<(Unknown, i64)>,
    constant: i64,
}

impl Linear {
    pub(super) fn constant(constant: i64) -> Linear {
        Linear {
            terms: Vec::new(),
            constant,
        }
    }

    pub(super) fn unknown(unknown: Unknown) -> Linear {
        Linear {
            terms: vec![(unknown, 1)],
            constant: 0,
        }
    }

    /// `constant + terms`, with terms in increasing order of unknowns; zero coefficients vanish.
    pub(super) fn from_sorted(
        constant: i64,
        terms: impl IntoIterator<Item = (Unknown, i64)>,
    ) -> Linear {
        let terms: Vec<_> = terms.into_iter().filter(|(_, c)| *c != 0).collect();
        debug_assert!(terms.is_sorted_by_key(|(unknown, _)| *unknown));
        Linear { terms, constant }
    }

    pub(super) fn offset(&self) -> i64 {
        self.constant
    }

    pub(super) fn terms(&self) -> &[(Unknown, i64)] {
        &self.terms
    }

    pub(super) fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    pub(super) fn coefficient(&self, unknown: Unknown) -> i64 {
        self.terms
            .binary_search_by_key(&unknown, |(other, _)| *other)
            .map_or(0, |position| self.terms[position].1)
    }

    /// The value, from the values of all unknowns by number; `None` if it does not fit.
    pub(super) fn value(&self, values: &[i64]) -> Option<i64> {
        let mut total = i128::from(self.constant);
        for (unknown, coefficient) in &self.terms {
            let value = *values.get(unknown.index())?;
            total = total.checked_add(i128::from(*coefficient) * i128::from(value))?;
        }
        i64::try_from(total).ok()
    }

    /// All but the term of `unknown`.
    pub(super) fn without(&self, unknown: Unknown) -> Linear {
        let mut rest = self.clone();
        rest.terms.retain(|(other, _)| *other != unknown);
        rest
    }

    /// `self + factor * other`; `None` if a coefficient does not fit.
    pub(super) fn plus(&self, factor: i64, other: &Linear) -> Option<Linear> {
        let constant = factor
            .checked_mul(other.constant)?
            .checked_add(self.constant)?;
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut mine, mut theirs) = (self.terms.as_slice(), other.terms.as_slice());
        loop {
            let (unknown, coefficient) = match (mine.split_first(), theirs.split_first()) {
                (None, None) => return Some(Linear { terms, constant }),
                (Some((first, rest)), None) => {
                    mine = rest;
                    *first
                }
                (None, Some(((unknown, c), rest))) => {
                    theirs = rest;
                    (*unknown, factor.checked_mul(*c)?)
                }
                (Some(((x, c), my_rest)), Some(((y, d), their_rest))) => {
                    let scaled = factor.checked_mul(*d)?;
                    if x < y {
                        mine = my_rest;
                        (*x, *c)
                    } else if y < x {
                        theirs = their_rest;
                        (*y, scaled)
                    } else {
                        (mine, theirs) = (my_rest, their_rest);
                        (*x, c.checked_add(scaled)?)
                    }
                }
            };
            if coefficient != 0 {
                terms.push((unknown, coefficient));
            }
        }
    }

    /// `factor * self`; `None` if a coefficient does not fit.
    pub(super) fn times(&self, factor: i64) -> Option<Linear> {
        Linear::constant(0).plus(factor, self)
    }

    /// `self + offset`; `None` if the constant does not fit.
    pub(super) fn shifted(&self, offset: i64) -> Option<Linear> {
        let mut moved = self.clone();
        moved.constant = moved.constant.checked_add(offset)?;
        Some(moved)
    }
}
