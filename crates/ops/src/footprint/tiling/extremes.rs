//! The minimum and maximum of an expression over some of its variables, as expressions over the others.
//!
//! Law: over the box of the local variables, restricted by constraints if `is_cut`, every value lies between the two, and
//! differs from the minimum by a multiple of the stride. Both are attained if no local variable occurs in two terms and
//! remainders do not wrap around.

use affinor::expr::{Divisor, Domain, Expr, ExprError, ExprKind, VariableId};
use affinor::num::gcd_wide;
use affinor::prove::ends_of;

/// The local variables, with their bounds.
pub(super) struct Locals<'a> {
    pub(super) domain: &'a Domain,
    pub(super) is_local: &'a dyn Fn(VariableId) -> bool,
    /// Whether constraints that relate one local variable to the non-local ones restrict it.
    pub(super) is_cut: bool,
}

/// Minimum or maximum.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Least,
    Greatest,
}

impl End {
    fn other(self) -> End {
        match self {
            End::Least => End::Greatest,
            End::Greatest => End::Least,
        }
    }
}

impl Locals<'_> {
    /// Returns whether `expr` has a local variable.
    pub(super) fn are_in(&self, expr: &Expr) -> bool {
        expr.variables().into_iter().any(|id| (self.is_local)(id))
    }

    /// Returns the minimum or maximum of `expr`.
    pub(super) fn extreme(&self, expr: &Expr, end: End) -> Result<Expr, ExprError> {
        if !self.are_in(expr) {
            return Ok(expr.clone());
        }
        let interval = || self.domain.range_of(expr);
        let of_interval = || {
            Expr::constant(match end {
                End::Least => interval().lo(),
                End::Greatest => interval().hi(),
            })
        };
        match expr.kind() {
            ExprKind::Variable(id) if self.is_cut => self.cut_off(*id, end),
            ExprKind::Constant(_) | ExprKind::Variable(_) => Ok(of_interval()),
            ExprKind::Mod(x, Divisor::Integer(c)) => match self.without_wrap(x, *c)? {
                Some(sum) => self.extreme(&sum, end),
                None if end == End::Greatest && self.is_cut => self.below_the_end(x, *c),
                None => Ok(of_interval()),
            },
            ExprKind::Sum(sum) => {
                let mut terms = Vec::new();
                for (coefficient, term) in sum.terms() {
                    let end = if *coefficient > 0 { end } else { end.other() };
                    terms.push((*coefficient, self.extreme(term, end)?));
                }
                Expr::sum(sum.constant(), terms)
            }
            // Division, min and max are monotone.
            ExprKind::FloorDiv(x, Divisor::Integer(c)) => match self.residue(x, *c) {
                // The values of `x` are congruent modulo `c`: the first one after its minimum, or the last one before its
                // maximum.
                Some(residue) => {
                    let multiple = self.extreme(x, end)?.sub(&Expr::constant(residue))?;
                    match end {
                        End::Least => multiple.ceildiv(*c),
                        End::Greatest => multiple.floordiv(*c),
                    }
                }
                None => self.extreme(x, end)?.floordiv(*c),
            },
            ExprKind::CeilDiv(x, Divisor::Integer(c)) => self.extreme(x, end)?.ceildiv(*c),
            ExprKind::Product(_)
            | ExprKind::FloorDiv(..)
            | ExprKind::CeilDiv(..)
            | ExprKind::Mod(..) => Ok(of_interval()),
            ExprKind::Min(list) => Expr::min(self.extremes(list, end)?),
            ExprKind::Max(list) => Expr::max(self.extremes(list, end)?),
        }
    }

    /// Returns the first or the last value of a local variable that its bounds and the constraints on it permit.
    fn cut_off(&self, id: VariableId, end: End) -> Result<Expr, ExprError> {
        let [lower, upper] = ends_of(self.domain, id, &|other| !(self.is_local)(other));
        match end {
            End::Least => Expr::max(lower),
            End::Greatest => Expr::min(upper),
        }
    }

    /// Writes `x mod c` as a remainder without local variables plus a term, if it never wraps around.
    ///
    /// Law: with `x = f + g`, where `f` is a multiple of a divisor `m` of `c` and `g` stays in one block `[m*q, m*q + m
    /// - 1]`, `x mod c = (f + m*q) mod c + g - m*q`.
    fn without_wrap(&self, x: &Expr, c: i64) -> Result<Option<Expr>, ExprError> {
        let ExprKind::Sum(sum) = x.kind() else {
            return Ok(None);
        };
        let (local, outer): (Vec<_>, Vec<_>) =
            sum.terms().iter().cloned().partition(|(_, term)| self.are_in(term));
        let common = outer.iter().fold(u128::from(c.unsigned_abs()), |common, (factor, _)| {
            gcd_wide(common, factor.unsigned_abs().into())
        });
        let Ok(common) = i64::try_from(common) else {
            return Ok(None);
        };
        let inside = Expr::sum(sum.constant(), local)?;
        let range = self.domain.range_of(&inside);
        let block = range.lo().div_euclid(common);
        if !range.is_bounded() || block != range.hi().div_euclid(common) {
            return Ok(None);
        }
        let Some(start) = block.checked_mul(common) else {
            return Ok(None);
        };
        let outer = Expr::sum(start, outer)?.modulo(c)?;
        Ok(Some(Expr::sum(0, [(1, outer), (1, inside)])?.sub(&Expr::constant(start))?))
    }

    /// Returns an upper bound of `x mod c` if constraints may cut off the values of `x`.
    ///
    /// Law: with `x = f + g`, where `f` is a multiple of `c` and `g >= 0`, `x mod c = g mod c <= min(g, c - 1)`.
    fn below_the_end(&self, x: &Expr, c: i64) -> Result<Expr, ExprError> {
        let most = Expr::constant(c - 1);
        let ExprKind::Sum(sum) = x.kind() else {
            return match self.domain.range_of(x).lo() >= 0 {
                true => Expr::min([self.extreme(x, End::Greatest)?, most]),
                false => Ok(most),
            };
        };
        let is_multiple = |(factor, term): &(i64, Expr)| factor % c == 0 && !self.are_in(term);
        let others = sum.terms().iter().filter(|term| !is_multiple(term)).cloned();
        let rest = Expr::sum(sum.constant(), others)?;
        match self.domain.range_of(&rest).lo() >= 0 {
            true => Expr::min([self.extreme(&rest, End::Greatest)?, most]),
            false => Ok(most),
        }
    }

    /// Returns the value of `x mod c` if a constraint determines it: one on `y mod c` where `y - x` or `y + x` is a constant
    /// modulo `c`.
    fn residue(&self, x: &Expr, c: i64) -> Option<i64> {
        self.domain.constraints().iter().find_map(|constraint| {
            let ExprKind::Mod(y, Divisor::Integer(modulus)) = constraint.expr.kind() else {
                return None;
            };
            let residue = constraint.bounds.as_point().filter(|_| *modulus == c)?;
            let number = |expr: Expr| match expr.kind() {
                ExprKind::Constant(value) => Some(*value),
                ExprKind::Sum(sum) => {
                    let mut factors = sum.terms().iter().map(|(factor, _)| factor);
                    factors.all(|factor| factor % c == 0).then_some(sum.constant())
                }
                _ => None,
            };
            let (less, more) = (y.sub(x).ok()?, y.add(x).ok()?);
            let residue = match (number(less), number(more)) {
                (Some(less), _) => i128::from(residue) - i128::from(less),
                (None, Some(more)) => i128::from(more) - i128::from(residue),
                (None, None) => return None,
            };
            i64::try_from(residue.rem_euclid(i128::from(c))).ok()
        })
    }

    fn extremes(&self, list: &[Expr], end: End) -> Result<Vec<Expr>, ExprError> {
        list.iter().map(|x| self.extreme(x, end)).collect()
    }

    /// Returns a common divisor of the distances of all values from the minimum: that of the coefficients of terms with local
    /// variables. Returns 0 if there are no such terms.
    pub(super) fn stride(&self, expr: &Expr) -> u64 {
        if !self.are_in(expr) {
            return 0;
        }
        let sum = match expr.kind() {
            ExprKind::Sum(sum) => sum,
            ExprKind::Mod(x, Divisor::Integer(c)) => {
                let sum = self.without_wrap(x, *c).ok().flatten();
                return sum.map_or(1, |sum| self.stride(&sum));
            }
            _ => return 1,
        };
        let strides = sum.terms().iter().map(|(coefficient, term)| {
            let factor = u128::from(coefficient.unsigned_abs());
            factor * u128::from(self.stride(term))
        });
        let stride = strides.fold(0_u128, gcd_wide);
        // Each coefficient fits, so the greatest common divisor of products of two usually does.
        u64::try_from(stride).unwrap_or(1)
    }
}
