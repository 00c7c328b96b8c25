//! Comparisons that bounds of single unknowns decide, without the solver.
//!
//! Laws: if each factor `x` of a product lies in `[l, h]` and `l >= 0`, the product lies between that of all `l` and that of all
//! `h`; a sum is at least the sum of the least values of its terms; `f >= 0` if `f - g` is at least 0 for a hypothesis `g >= 0`.

use crate::expr::End;
use crate::prove::products::{Atom, Monomial, Polynomial, Sign, Unknown};
use std::collections::BTreeMap;

/// Returns whether the hypotheses imply `f >= 0` by these laws.
pub fn is_natural(f: &Polynomial, hypotheses: &[Atom]) -> bool {
    let bounds = Bounds::of(hypotheses);
    let is_natural = |f: &Polynomial| bounds.least(f).is_some_and(|least| least >= 0);
    is_natural(f)
        || hypotheses
            .iter()
            .filter(|known| known.is == Sign::NotNegative)
            .filter_map(|known| f.plus(-1, &known.polynomial))
            .any(|rest| is_natural(&rest))
}

/// The bounds of unknowns that hypotheses of the form `c*x + d >= 0` state.
struct Bounds(BTreeMap<(Unknown, End), i128>);

impl Bounds {
    fn of(hypotheses: &[Atom]) -> Bounds {
        let mut bounds = BTreeMap::new();
        for (unknown, end, value) in hypotheses.iter().filter_map(bound) {
            let tightest = bounds.entry((unknown, end)).or_insert(value);
            *tightest = match end {
                End::Lower => value.max(*tightest),
                End::Upper => value.min(*tightest),
            };
        }
        Bounds(bounds)
    }

    /// Returns a lower bound of a polynomial; `None` if there is none or it exceeds 128 bits.
    fn least(&self, of: &Polynomial) -> Option<i128> {
        of.terms().iter().try_fold(of.constant, |sum, (monomial, c)| {
            let end = if *c > 0 { End::Lower } else { End::Upper };
            sum.checked_add(c.checked_mul(self.of_product(monomial, end)?)?)
        })
    }

    fn of_product(&self, product: &Monomial, end: End) -> Option<i128> {
        let bound = |unknown: &Unknown, end| self.0.get(&(*unknown, end)).copied();
        match product.unknowns() {
            [single] => bound(single, end),
            factors => factors.iter().try_fold(1i128, |product, factor| {
                bound(factor, End::Lower).filter(|least| *least >= 0)?;
                product.checked_mul(bound(factor, end)?)
            }),
        }
    }
}

/// Returns the bound that a hypothesis `c*x + d >= 0` states: `x >= -(d floordiv c)`, or `x <= d floordiv -c`.
fn bound(hypothesis: &Atom) -> Option<(Unknown, End, i128)> {
    let (Sign::NotNegative, [(monomial, c)]) = (hypothesis.is, hypothesis.polynomial.terms())
    else {
        return None;
    };
    let [unknown] = monomial.unknowns() else {
        return None;
    };
    let quotient = hypothesis.polynomial.constant.checked_div_euclid(c.checked_abs()?)?;
    match *c > 0 {
        true => Some((*unknown, End::Lower, quotient.checked_neg()?)),
        false => Some((*unknown, End::Upper, quotient)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A polynomial: its constant, and terms with their unknowns.
    type Terms<'t> = (i128, &'t [(i128, &'t [Unknown])]);

    fn polynomial((constant, terms): Terms<'_>) -> Polynomial {
        let mut sum = Polynomial::constant(constant);
        for (c, unknowns) in terms {
            let mut product = Polynomial::constant(1);
            for unknown in *unknowns {
                product = product.times(&Polynomial::unknown(*unknown)).expect("small");
            }
            sum = sum.plus(*c, &product).expect("small");
        }
        sum
    }

    /// Checks the claim, and an accepted one at all points of a box.
    #[track_caller]
    fn check(f: Terms<'_>, hypotheses: &[Terms<'_>], expected: bool) {
        let f = polynomial(f);
        let hypotheses: Vec<Polynomial> = hypotheses.iter().copied().map(polynomial).collect();
        let atoms: Vec<Atom> = hypotheses.iter().cloned().map(Atom::not_negative).collect();
        assert_eq!(is_natural(&f, &atoms), expected, "{f:?} under {hypotheses:?}");
        let is_natural = |f: &Polynomial, point: &[i128]| f.eval(point).expect("small") >= 0;
        let holds = (0..729i128).all(|number| {
            let point = [number % 9 - 4, number / 9 % 9 - 4, number / 81 - 4];
            !hypotheses.iter().all(|known| is_natural(known, &point)) || is_natural(&f, &point)
        });
        assert!(holds || !expected, "{f:?} under {hypotheses:?}");
    }

    #[test]
    fn accepted_comparisons_hold() {
        let (x, y): (&[Unknown], &[Unknown]) = (&[0], &[1]);
        let at_least = |c: i128| (-c, [(1, x)]);
        let natural: Terms = (0, &[(1, x)]);
        let positive: Terms = (-1, &[(1, y)]);
        let at_most_2: Terms = (2, &[(-1, y)]);
        // Single unknowns, with coefficients.
        check((0, &[(1, x)]), &[natural], true);
        check((-1, &[(1, x)]), &[natural], false);
        check((-2, &[(1, x)]), &[(-3, &[(2, x)])], true);
        check((-3, &[(1, x)]), &[(-3, &[(2, x)])], false);
        check((1, &[(-1, x)]), &[(3, &[(-2, x)])], true);
        check((0, &[(-1, x)]), &[(3, &[(-2, x)])], false);
        let (c, terms) = at_least(-3);
        check((7, &[(2, x)]), &[(c, &terms)], true);
        check((5, &[(2, x)]), &[(c, &terms)], false);
        // The tightest bound counts.
        check((-2, &[(1, x)]), &[natural, (-2, &[(1, x)]), (-1, &[(1, x)])], true);
        // Sums and products.
        check((-1, &[(1, x), (1, y)]), &[natural, positive], true);
        check((-1, &[(1, x), (-1, y)]), &[natural, positive], false);
        check((0, &[(3, &[0, 1]), (-1, y), (2, &[])]), &[natural, positive, at_most_2], true);
        check((4, &[(-1, &[1, 1])]), &[positive, at_most_2], true);
        check((3, &[(-1, &[1, 1])]), &[positive, at_most_2], false);
        // A factor that may be negative.
        check((9, &[(1, &[0, 1])]), &[positive, at_most_2], false);
        check((9, &[(1, &[1, 1])]), &[at_most_2, (4, &[(1, y)])], false);
        // A hypothesis and a rest.
        let less: Terms = (-1, &[(1, y), (-1, x)]);
        check((0, &[(1, y), (-1, x)]), &[less], true);
        check((-2, &[(1, y), (-1, x)]), &[less], false);
        check((-1, &[(2, y), (-1, x)]), &[less, positive], true);
        check((-1, &[(2, y), (-1, x)]), &[less], false);
    }

    #[test]
    fn equations_and_large_numbers_decide_nothing() {
        let x = Polynomial::unknown(0);
        assert!(!is_natural(&x, &[Atom::zero(x.clone())]));
        let large = Polynomial::unknown(0).shifted(-i128::MAX).expect("in range");
        let twice = x.scaled(2).expect("small");
        assert!(is_natural(&x, &[Atom::not_negative(large.clone())]));
        assert!(!is_natural(&twice, &[Atom::not_negative(large)]));
    }
}
