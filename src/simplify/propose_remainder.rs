//! Smaller forms of a remainder: coefficients reduced modulo the divisor, also inside quotients.

use super::engine::Engine;
use super::form::FormRef;
use super::kernel::Bindings;
use super::linear::{Linear, Terms};
use super::record::Target;
use crate::num;
use crate::rule::RuleId;
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
        let terms: Terms = sum
            .terms()
            .iter()
            .map(|(atom, c)| (*atom, self.of(*c, modulus)))
            .collect();
        Linear::new(self.of_constant(sum.constant, modulus), terms).unwrap_or_default()
    }
}

/// A rule instance that turns `of mod modulus` into `next mod modulus`.
struct Reduction {
    rule: RuleId,
    bindings: Bindings,
    next: Linear,
}

impl Engine<'_> {
    /// Proposes every smaller form of `of mod modulus` that the rules of `forms.rules` give.
    pub(super) fn propose_for_remainder(
        &mut self,
        of: &Linear,
        modulus: i64,
        depth: u32,
        best: &mut FormRef,
    ) {
        for residues in [Residues::Least, Residues::Signed] {
            let reduced = self.reduce(of, modulus, residues, depth, best);
            for turn in [1, -1] {
                // Another representative of the constant may be shorter with the other terms.
                let moved = modulus
                    .checked_mul(turn)
                    .and_then(|m| reduced.constant.checked_add(m));
                // Where a coefficient cannot be held, nothing was reduced: moving on would never end.
                let is_reduced = reduced.constant.unsigned_abs() < modulus.unsigned_abs();
                if let (Some(constant), true) = (moved, reduced.constant != 0 && is_reduced) {
                    self.propose_congruent(
                        of,
                        &reduced.with_constant(constant),
                        modulus,
                        depth,
                        best,
                    );
                }
            }
        }
        let _ = self.propose_relift(of, modulus, depth, best);
    }

    /// Reduces coefficients until nothing changes; proposes each intermediate remainder.
    fn reduce(
        &mut self,
        of: &Linear,
        modulus: i64,
        residues: Residues,
        depth: u32,
        best: &mut FormRef,
    ) -> Linear {
        let mut current = of.clone();
        self.propose_congruent(of, &residues.of_sum(of, modulus), modulus, depth, best);
        for _ in 0..8 {
            let Some(step) = self.reduction(&current, modulus, residues) else {
                break;
            };
            let target = Target::Remainder {
                of: current.clone(),
                modulus,
            };
            if current == *of {
                self.propose(&target, step.rule, step.bindings, depth, best);
            } else if let Some(mut form) = self.remainder_form(&current, modulus, depth) {
                self.propose(&target, step.rule, step.bindings, depth, &mut form);
            }
            current = step.next;
        }
        current
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
        if let Some(z) = of
            .plus(-1, x)
            .and_then(|difference| exact_quotient(&difference, modulus))
        {
            let target = Target::Remainder {
                of: of.clone(),
                modulus,
            };
            let bindings = Bindings::of(&[modulus], [x.clone(), z]);
            self.propose(&target, self.rules.known().mod_shift, bindings, depth, best);
        }
    }

    /// One reduction of `sum mod modulus`: of its own coefficients, or of those of the numerator of
    /// one of its quotients.
    fn reduction(&mut self, sum: &Linear, modulus: i64, residues: Residues) -> Option<Reduction> {
        let known = self.rules.known();
        let reduced = residues.of_sum(sum, modulus);
        if reduced != *sum {
            let z = exact_quotient(&sum.plus(-1, &reduced)?, modulus)?;
            let bindings = Bindings::of(&[modulus], [reduced.clone(), z]);
            return Some(Reduction {
                rule: known.mod_shift,
                bindings,
                next: reduced,
            });
        }
        let quotients: SmallVec<[_; 4]> = self.store.quotients_of(sum).collect();
        for (atom, r) in quotients {
            let (numerator, d) = self.store.quotient(atom).map(|(x, d)| (x.clone(), d))?;
            let e = modulus / num::gcd(modulus, r)?;
            let inner_modulus = d.checked_mul(e)?;
            let p = residues.of_sum(&numerator, inner_modulus);
            if p != numerator {
                let t = exact_quotient(&numerator.plus(-1, &p)?, inner_modulus)?;
                let rest = sum.without(atom);
                let next = rest.plus(r, &self.divide(&p, d))?;
                let j = r.checked_mul(e)? / modulus;
                let bindings = Bindings::of(&[r, d, e, modulus, j], [p, t, rest]);
                return Some(Reduction {
                    rule: known.mod_div_coef,
                    bindings,
                    next,
                });
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
            of: of.clone(),
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

/// `sum / divisor`, if every coefficient is a multiple.
fn exact_quotient(sum: &Linear, divisor: i64) -> Option<Linear> {
    let (multiples, rest) = sum.split_multiples(divisor);
    rest.is_zero().then_some(multiples)
}
