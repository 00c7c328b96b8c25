//! Smaller forms of a remainder: coefficients reduced modulo the divisor, also inside quotients.

use super::engine::Engine;
use super::linear::Linear;
use super::search::Target;
use super::terms::Bindings;
use crate::num;
use crate::rule::RuleId;
use crate::saturate::FormRef;
use smallvec::SmallVec;

/// Which representative of a residue class becomes a coefficient.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Residues {
    /// `[0, c)`, but -1 for c - 1.
    Least,
    /// Nearest to zero.
    Signed,
}

impl Residues {
    fn of(self, value: i64, modulus: i64) -> i64 {
        let least = num::modulo(value, modulus);
        let negative = match self {
            Residues::Least => least == modulus - 1 && modulus > 2,
            Residues::Signed => i128::from(least) * 2 > i128::from(modulus),
        };
        if negative { least - modulus } else { least }
    }

    /// Constants are reduced like coefficients, but stay positive among least residues.
    fn of_constant(self, value: i64, modulus: i64) -> i64 {
        match self {
            Residues::Least => num::modulo(value, modulus),
            Residues::Signed => self.of(value, modulus),
        }
    }

    fn of_sum(self, sum: &Linear, modulus: i64) -> Linear {
        let terms = sum.terms().iter();
        Linear::of_sorted(
            self.of_constant(sum.constant, modulus),
            terms.map(|(atom, c)| (*atom, self.of(*c, modulus))),
        )
    }
}

impl Engine<'_> {
    /// Proposes every smaller form of `of mod modulus` that the rules of `forms.rules` give.
    ///
    /// Congruent sums have one value, so they are searched from one of them: the one with least residues.
    /// From any other the search goes there and no further.
    pub(super) fn propose_for_remainder(
        &mut self,
        of: &Linear,
        modulus: i64,
        depth: u32,
        best: &mut FormRef,
    ) {
        let least = Residues::Least.of_sum(of, modulus);
        if least != *of {
            self.propose_congruent(of, &least, modulus, depth, best);
            return;
        }
        for residues in [Residues::Least, Residues::Signed] {
            let base = residues.of_sum(of, modulus);
            self.propose_shorter(of, &base, modulus, depth, best);
            for turn in [modulus, -modulus] {
                // Another representative of the constant may be shorter with the other terms.
                if base.constant != 0
                    && let Some(constant) = base.constant.checked_add(turn)
                {
                    let moved = base.with_constant(constant);
                    self.propose_shorter(of, &moved, modulus, depth, best);
                }
            }
            self.propose_reduction(of, &base, (modulus, residues), depth, best);
        }
        let _ = self.propose_relift(of, modulus, depth, best);
    }

    /// Proposes to reduce the coefficients inside a quotient of `base`, which is congruent to `of`.
    fn propose_reduction(
        &mut self,
        of: &Linear,
        base: &Linear,
        (modulus, residues): (i64, Residues),
        depth: u32,
        best: &mut FormRef,
    ) {
        let Some((rule, bindings)) = self.reduction(base, modulus, residues) else {
            return;
        };
        let target = Target::Remainder {
            of: self.store.intern(base),
            modulus,
        };
        let mut form = best.clone();
        self.propose(&target, rule, bindings, depth, &mut form);
        if form.is_smaller_than(best) {
            if base != of
                && let Some(bindings) = shift(of, base, modulus)
            {
                self.note(self.rules.known().mod_shift, &bindings);
            }
            *best = form;
        }
    }

    /// As [`Engine::propose_congruent`], unless `x` is a sum of variables that can be seen to be no shorter.
    fn propose_shorter(
        &mut self,
        of: &Linear,
        x: &Linear,
        modulus: i64,
        depth: u32,
        best: &mut FormRef,
    ) {
        let gains = |ops| ops + 1 < best.ops;
        if self.affine_operations(x).is_none_or(gains) {
            self.propose_congruent(of, x, modulus, depth, best);
        }
    }

    /// `(x + c*z) mod c => x mod c` for a given `x`.
    fn propose_congruent(
        &mut self,
        of: &Linear,
        x: &Linear,
        modulus: i64,
        depth: u32,
        best: &mut FormRef,
    ) {
        if x == of {
            return;
        }
        if let Some(bindings) = shift(of, x, modulus) {
            let target = Target::Remainder {
                of: self.store.intern(of),
                modulus,
            };
            self.propose(&target, self.rules.known().mod_shift, bindings, depth, best);
        }
    }

    /// The instance of `mod-div-coef` that reduces the numerator of the first quotient of a sum that can
    /// be reduced.
    fn reduction(
        &mut self,
        sum: &Linear,
        modulus: i64,
        residues: Residues,
    ) -> Option<(RuleId, Bindings)> {
        let quotients: SmallVec<[_; 4]> = self.store.quotients_of(sum).collect();
        for (atom, r) in quotients {
            let (numerator, d) = self.store.quotient(atom)?;
            let e = modulus / num::gcd(modulus, r)?;
            let inner_modulus = d.checked_mul(e)?;
            let p = residues.of_sum(numerator, inner_modulus);
            if p != *numerator {
                let t = exact_quotient(&numerator.plus(-1, &p)?, inner_modulus)?;
                let j = r.checked_mul(e)? / modulus;
                let bindings = Bindings::of(&[r, d, e, modulus, j], [p, t, sum.without(atom)]);
                return Some((self.rules.known().mod_div_coef, bindings));
            }
        }
        None
    }

    /// `(r*(p floordiv d) + j*p + c*w + z) mod c => (j*(p mod d) + z) mod c`, when c divides j*d + r.
    fn propose_relift(
        &mut self,
        of: &Linear,
        modulus: i64,
        depth: u32,
        best: &mut FormRef,
    ) -> Option<()> {
        let quotients: SmallVec<[_; 4]> = self.store.quotients_of(of).collect();
        let target = Target::Remainder {
            of: self.store.intern(of),
            modulus,
        };
        for (atom, r) in quotients {
            let (p, d) = self.store.quotient(atom).map(|(x, d)| (x.clone(), d))?;
            let mut multipliers: SmallVec<[i64; 8]> = SmallVec::from_slice(&[1, -1, 2, -2]);
            for (term, coefficient) in p.terms() {
                let here = of.coefficient(*term);
                if here != 0
                    && here % coefficient == 0
                    && !multipliers.contains(&(here / coefficient))
                {
                    multipliers.push(here / coefficient);
                }
            }
            for j in multipliers {
                let lifted = j.checked_mul(d)?.checked_add(r)?;
                if lifted % modulus != 0 {
                    continue;
                }
                let rest = of.without(atom).plus(j.checked_neg()?, &p)?;
                let z = Residues::Least.of_sum(&rest, modulus);
                if z.terms().len() >= of.terms().len() {
                    continue;
                }
                let w = exact_quotient(&rest.plus(-1, &z)?, modulus)?;
                let bindings =
                    Bindings::of(&[r, d, j, modulus, lifted / modulus], [p.clone(), w, z]);
                self.propose(
                    &target,
                    self.rules.known().mod_relift,
                    bindings,
                    depth + 1, // its right side is a remainder that may be lifted again, and again
                    best,
                );
            }
        }
        Some(())
    }
}

/// The bindings of `mod-shift` that turn `of mod modulus` into `x mod modulus`.
fn shift(of: &Linear, x: &Linear, modulus: i64) -> Option<Bindings> {
    let z = exact_quotient(&of.plus(-1, x)?, modulus)?;
    Some(Bindings::of(&[modulus], [x.clone(), z]))
}

/// `sum / divisor`, if every coefficient is a multiple.
fn exact_quotient(sum: &Linear, divisor: i64) -> Option<Linear> {
    let (multiples, rest) = sum.split_multiples(divisor);
    rest.is_zero().then_some(multiples)
}
