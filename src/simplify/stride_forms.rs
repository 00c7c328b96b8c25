//! Forms of values in terms of sums whose remainder the domain states.
//!
//! Law: that of [`super::stride`], and `(f*x) floordiv (f*c)` is `x floordiv c`, `(f*x) mod (f*c)` is `f * (x mod c)`.

use super::digits::Digit;
use super::engine::Engine;
use super::linear::Linear;
use crate::rule::matching::Operator;
use crate::simplify::saturate::{Form, FormRef};

impl Engine<'_> {
    /// Returns the form of a sum that has multiples of quotients of such sums, rewritten without these.
    pub(super) fn strided_form(&mut self, sum: &Linear, depth: u32) -> Option<FormRef> {
        let (rest, parts) = self.store.strides.written(sum)?;
        if parts.is_empty() {
            return self.sum_form(&rest, depth);
        }
        let mut forms = Vec::with_capacity(rest.terms().len() + parts.len());
        for &(atom, coefficient) in rest.terms() {
            forms.push((coefficient, self.atom_form(atom, depth)?));
        }
        for part in parts {
            forms.push((
                part.coefficient,
                self.division_form(Operator::FloorDiv, &part.of, part.divisor, depth)?,
            ));
        }
        Form::sum(rest.constant, forms)
    }

    /// Returns the form of `of floordiv divisor` with both multiplied by the factor that makes such a sum appear.
    pub(super) fn strided_quotient(
        &mut self,
        of: &Linear,
        divisor: i64,
        depth: u32,
    ) -> Option<FormRef> {
        let factor = self.store.strides.missing(of)?;
        let (of, divisor) = (of.scaled(factor)?, divisor.checked_mul(factor)?);
        self.division_form(Operator::FloorDiv, &of, divisor, depth)
    }

    /// Writes a digit as a coefficient and a remainder in which such a sum appears, if the coefficient is a multiple of the
    /// required factor.
    pub(super) fn strided_digit(&mut self, digit: &Digit, depth: u32) -> Option<(i64, FormRef)> {
        let factor = self.store.strides.missing(&digit.of)?;
        let coefficient = digit.coefficient / factor;
        if coefficient.checked_mul(factor) != Some(digit.coefficient) {
            return None;
        }
        let (of, modulus) = (digit.of.scaled(factor)?, digit.modulus.checked_mul(factor)?);
        Some((coefficient, self.division_form(Operator::Mod, &of, modulus, depth)?))
    }
}
