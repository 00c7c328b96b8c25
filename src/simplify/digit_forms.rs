//! Ways to write a digit beside a constant.
//!
//! Laws: `digit-factor` and `digit-mirror`.

use super::digits::Digit;
use super::engine::Engine;
use super::linear::Linear;
use crate::num;
use crate::rule::matching::Operator;
use crate::simplify::saturate::{Form, FormRef};

/// A multiple of a form, and the constant beside it.
type Written = (i64, (i64, FormRef));

impl Engine<'_> {
    /// Returns the smallest way to write a digit with the constant beside it.
    pub(super) fn written_digit(
        &mut self,
        digit: &Digit,
        constant: i64,
        depth: u32,
    ) -> Option<Written> {
        let Digit { coefficient, of, modulus } = digit;
        let form = self.division_form(Operator::Mod, of, *modulus, depth)?;
        let mut best = (constant, (*coefficient, form));
        if !self.store.strides.is_empty()
            && let Some(other) = self.strided_digit(digit, depth)
        {
            keep_smaller(&mut best, (constant, other));
        }
        let given = (constant, digit.clone());
        let size = size(&given);
        let mirrored = mirrored(&given);
        let each = [factored(&given), mirrored.as_ref().and_then(factored), mirrored];
        for other in each.into_iter().flatten().filter(|other| self::size(other) < size) {
            // Both are one sum by rules that have fired, on which a certificate rests.
            let sums = self.sum_of_digit(&other).zip(self.sum_of_digit(&given));
            if sums.is_none_or(|(x, y)| x != y) {
                continue;
            }
            let (constant, Digit { coefficient, of, modulus }) = other;
            if let Some(form) = self.division_form(Operator::Mod, &of, modulus, depth) {
                keep_smaller(&mut best, (constant, (coefficient, form)));
            }
        }
        Some(best)
    }

    /// Returns the sum of a digit and the constant beside it, in terms of normal quotients.
    fn sum_of_digit(&mut self, (constant, digit): &Beside) -> Option<Linear> {
        let remainder = self.remainder(&digit.of, digit.modulus)?;
        remainder.scaled(digit.coefficient)?.shifted(*constant)
    }
}

fn keep_smaller(best: &mut Written, other: Written) {
    let form = |(constant, part): &Written| Form::sum(*constant, [part.clone()]);
    if let (Some(x), Some(y)) = (form(&other), form(best))
        && x.is_smaller_than(&y)
    {
        *best = other;
    }
}

/// A digit, and the constant beside it.
pub(super) type Beside = (i64, Digit);

/// Estimates the number of operations of a digit and the constant beside it, without those inside its atoms.
fn size((constant, digit): &Beside) -> usize {
    let terms = digit.of.terms();
    let factors = terms.iter().filter(|(_, c)| !matches!(c, 1 | -1)).count();
    let is_negated = factors == 0 && terms.iter().all(|(_, c)| *c < 0);
    let ends = [digit.of.constant != 0, !matches!(digit.coefficient, 1 | -1), *constant != 0];
    factors + terms.len() + usize::from(is_negated) + ends.into_iter().filter(|x| *x).count()
}

/// Moves the coefficient of a digit into its remainder, with the constant beside it if that fits.
pub(super) fn factored((constant, digit): &Beside) -> Option<Beside> {
    let Digit { coefficient, of, modulus } = digit;
    let (sign, factor) = (coefficient.signum(), coefficient.checked_abs()?);
    let joined = constant.checked_mul(sign)?;
    let of = of.scaled(factor)?;
    let (constant, of) = match 0 < joined && joined < factor {
        true => (0, of.shifted(joined)?),
        false => (*constant, of),
    };
    Some((constant, Digit { coefficient: sign, of, modulus: modulus.checked_mul(factor)? }))
}

/// Counts a digit from its other end.
pub(super) fn mirrored((constant, digit): &Beside) -> Option<Beside> {
    let Digit { coefficient, of, modulus } = digit;
    let constant = constant.checked_add(coefficient.checked_mul(modulus - 1)?)?;
    let of = of.scaled(-1)?.shifted(-1)?;
    let of = of.with_constant(num::modulo(of.constant, *modulus));
    Some((constant, Digit { coefficient: coefficient.checked_neg()?, of, modulus: *modulus }))
}

#[cfg(test)]
mod tests {
    use crate::simplify::{Options, Simplifier};

    /// The answer for an expression in x of [0, 63] and y of [-3, 30].
    #[track_caller]
    fn check(given: &str, expected: &str) {
        let map = |expr: &str| format!("(x, y) -> ({expr}), domain: x in [0, 63], y in [-3, 30]");
        let simplifier = Simplifier::shipped().expect("the shipped rules");
        let given = map(given).parse().expect("a map");
        let outcome = simplifier.simplify(&given, &Options::default());
        assert_eq!(outcome.map.to_string(), map(expected));
    }

    #[test]
    fn factors_move_into_remainders_where_that_is_shorter() {
        check("(-x) mod 4 * 3", "x * -3 mod 12");
        check("(-x) mod 10 * 3 floordiv 5", "x * -3 mod 30 floordiv 5");
        check("(x * 3 + y * 2) mod 8 * 2 + 1", "(x * 6 + y * 4 + 1) mod 16");
        check("x mod 4 * 3", "x mod 4 * 3");
        check("(x + y) mod 8 * 2", "(x + y) mod 8 * 2");
    }

    #[test]
    fn remainders_are_counted_from_the_other_end_where_that_is_shorter() {
        check("11 - (x + 23) floordiv 2 mod 12", "(-x) floordiv 2 mod 12");
        check("7 - (x + 1) mod 8", "(-x + 6) mod 8");
        check("x mod 8 * -2 + 3", "x mod 8 * -2 + 3");
    }
}
