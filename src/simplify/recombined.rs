//! Rewrites an expression to one spelling of its remainders, before anything is searched: `x - c*(x floordiv c)` becomes
//! `x mod c`, as if it were written so, and nested quotients become one.
//!
//! Laws: those of [`super::digits`], and [`super::program::REMAINDER`]. Each remainder is first taken apart, so the search starts
//! from the same expression for two inputs that differ only in this. Only the text counts: no bound or other fact is used, unlike
//! in the importer, whose sums depend on the expressions that it has seen.

use super::digits::{Digit, DigitView};
use super::engine::Engine;
use super::linear::{AtomId, Linear};
use crate::expr::{Divisor, Expr, ExprKind};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Maximum number of distinct terms of an expression that is rewritten.
const MAX_TERMS: usize = 128;

/// The terms of an expression, numbered.
#[derive(Default)]
struct Terms {
    atoms: Vec<Expr>,
    /// The numerator and divisor of a quotient.
    quotients: Vec<Option<(Linear, i64)>>,
    /// The parts before and after the rewriting: operations may be nested deeply.
    known: FxHashMap<Expr, Linear>,
    written: FxHashMap<Linear, Expr>,
}

impl Engine<'_> {
    /// Returns an expression with its remainders recombined; `None` if that changes nothing, or it has too many terms.
    pub(super) fn recombined(&mut self, expr: &Expr) -> Option<Expr> {
        self.rules.remainder.and(self.rules.nesting)?;
        if expr.cost().divmods == 0 {
            return None;
        }
        let mut terms = Terms::default();
        let sum = self.taken_apart(&mut terms, expr)?;
        let recombined = self.written(&mut terms, sum)?;
        (recombined != *expr).then_some(recombined)
    }

    /// Returns an expression as a sum of numbered terms, without remainders.
    fn taken_apart(&mut self, terms: &mut Terms, expr: &Expr) -> Option<Linear> {
        if let Some(known) = terms.known.get(expr) {
            return Some(known.clone());
        }
        let sum = self.taken_apart_once(terms, expr)?;
        if expr.cost().divmods > 0 {
            terms.known.insert(expr.clone(), sum.clone());
        }
        Some(sum)
    }

    fn taken_apart_once(&mut self, terms: &mut Terms, expr: &Expr) -> Option<Linear> {
        match expr.kind() {
            ExprKind::Constant(value) => Some(Linear::constant(*value)),
            ExprKind::Sum(sum) => {
                let mut all = Linear::constant(sum.constant());
                for (coefficient, term) in sum.terms() {
                    all.add(*coefficient, &self.taken_apart(terms, term)?)?;
                }
                Some(all)
            }
            ExprKind::Mod(x, Divisor::Integer(c)) => {
                self.note_written(self.rules.remainder?, &[*c], &[x]);
                let of = self.taken_apart(terms, x)?;
                let quotient = self.quotient(terms, of.clone(), *c)?;
                of.plus(c.checked_neg()?, &quotient)
            }
            ExprKind::FloorDiv(x, Divisor::Integer(c)) => {
                let of = self.taken_apart(terms, x)?;
                self.quotient(terms, of, *c)
            }
            ExprKind::Min(_) | ExprKind::Max(_) => {
                let parts: Option<Vec<Expr>> = expr
                    .operands()
                    .map(|operand| {
                        let sum = self.taken_apart(terms, operand)?;
                        self.written(terms, sum)
                    })
                    .collect();
                let mut parts = parts?.into_iter();
                let rebuilt =
                    expr.with_operands(|old| Ok(parts.next().unwrap_or_else(|| old.clone())));
                terms.number(rebuilt.ok()?, None)
            }
            _ => terms.number(expr.clone(), None),
        }
    }

    /// Returns the quotient of a sum by `c`.
    fn quotient(&mut self, terms: &mut Terms, of: Linear, c: i64) -> Option<Linear> {
        if let Some(value) = of.as_constant() {
            return Some(Linear::constant(crate::num::floordiv(value, c)));
        }
        if c == 1 {
            return Some(of);
        }
        if let Some(atom) = of.as_atom()
            && let ExprKind::FloorDiv(inner, Divisor::Integer(divisor)) = terms.expr(atom).kind()
        {
            self.note_written(self.rules.nesting?, &[*divisor, c], &[inner]);
            let (of, divisor) = terms.quotient(atom)?;
            return self.quotient(terms, of.clone(), divisor.checked_mul(c)?);
        }
        let known = terms.quotients.iter().position(|known| {
            known.as_ref().is_some_and(|(numerator, divisor)| *numerator == of && *divisor == c)
        });
        match known {
            Some(index) => terms.atom(index),
            None => {
                let written = self.written(terms, of.clone())?.floordiv(c).ok()?;
                terms.number(written, Some((of, c)))
            }
        }
    }

    /// Writes a sum with its remainders, in the shorter of two ways.
    fn written(&mut self, terms: &mut Terms, sum: Linear) -> Option<Expr> {
        if let Some(known) = terms.written.get(&sum) {
            return Some(known.clone());
        }
        let view = terms.view(&sum);
        let mut shorter = self.with_digits(terms, view)?;
        let whole = terms.without_whole(&sum);
        if !whole.digits.is_empty() {
            let mut both = terms.view(&whole.rest);
            both.digits.extend(whole.digits);
            let other = self.with_digits(terms, both)?;
            if other.cost().ops < shorter.cost().ops {
                shorter = other;
            }
        }
        terms.written.insert(sum, shorter.clone());
        Some(shorter)
    }

    fn with_digits(&mut self, terms: &mut Terms, view: DigitView) -> Option<Expr> {
        let mut parts = terms.parts(&view.rest);
        for Digit { coefficient, of, modulus } in view.digits {
            let of = self.written(terms, of)?;
            self.note_written(self.rules.remainder?, &[modulus], &[&of]);
            if let ExprKind::FloorDiv(inner, Divisor::Integer(divisor)) = of.kind() {
                self.note_written(self.rules.nesting?, &[*divisor, modulus], &[inner]);
            }
            parts.push((coefficient, of.modulo(modulus).ok()?));
        }
        Expr::sum(view.rest.constant, parts).ok()
    }
}

impl Terms {
    /// Numbers a term.
    fn number(&mut self, expr: Expr, quotient: Option<(Linear, i64)>) -> Option<Linear> {
        let known = self.atoms.iter().position(|known| *known == expr);
        let index = known.unwrap_or_else(|| {
            self.atoms.push(expr);
            self.quotients.push(quotient);
            self.atoms.len() - 1
        });
        self.atom(index)
    }

    fn atom(&self, index: usize) -> Option<Linear> {
        let id = u32::try_from(index).ok().filter(|_| index < MAX_TERMS)?;
        Some(Linear::atom(AtomId(id)))
    }

    fn expr(&self, atom: AtomId) -> &Expr {
        &self.atoms[atom.index()]
    }

    fn quotient(&self, atom: AtomId) -> Option<(&Linear, i64)> {
        let (numerator, divisor) = self.quotients.get(atom.index())?.as_ref()?;
        Some((numerator, *divisor))
    }

    fn view(&self, sum: &Linear) -> DigitView {
        DigitView::of(sum, |atom| self.quotient(atom), false)
    }

    fn parts(&self, sum: &Linear) -> Vec<(i64, Expr)> {
        let terms = sum.terms().iter();
        terms.map(|(atom, coefficient)| (*coefficient, self.expr(*atom).clone())).collect()
    }

    /// Takes from a sum the remainders whose quotient it has a multiple of that no other remainder needs. These come first,
    /// since others may need the same numerator.
    fn without_whole(&self, sum: &Linear) -> DigitView {
        let (mut sum, mut digits) = (sum.clone(), SmallVec::new());
        let is_single = |of: &Linear| of.terms().len() == 1;
        let quotients = sum.terms().iter().filter_map(|(atom, _)| {
            let (numerator, divisor) = self.quotient(*atom)?;
            Some((is_single(numerator), divisor, *atom))
        });
        let mut quotients: Vec<(bool, i64, AtomId)> = quotients.collect();
        quotients.sort_unstable();
        for &(_, divisor, atom) in &quotients {
            let Some((numerator, _)) = self.quotient(atom) else { continue };
            let finer = quotients.iter().rev().filter(|(_, finer, other)| {
                let of = self.quotient(*other).map(|(of, _)| of);
                *finer < divisor && divisor % finer == 0 && of == Some(numerator)
            });
            let finer = finer.map(|(_, finer, other)| (Linear::atom(*other), divisor / finer));
            for (of, modulus) in finer.chain([(numerator.clone(), divisor)]) {
                let taken = sum.coefficient(atom);
                let times = taken.checked_neg().map_or(0, |taken| taken / modulus);
                if times == 0 || taken % modulus != 0 {
                    continue;
                }
                let is_there = |(part, c): &(AtomId, i64)| {
                    let (wanted, there) = (c.saturating_mul(times), sum.coefficient(*part));
                    there.signum() == wanted.signum()
                        && there.unsigned_abs() >= wanted.unsigned_abs()
                };
                if is_single(&of) && !of.terms().iter().all(is_there) {
                    continue;
                }
                let rest = times.checked_neg().and_then(|minus| sum.plus(minus, &of));
                let rest = rest.map(|rest| rest.without(atom));
                if let Some(rest) = rest.filter(|rest| rest.terms().len() < sum.terms().len()) {
                    sum = rest;
                    digits.push(Digit { coefficient: times, of, modulus });
                }
            }
        }
        DigitView { rest: sum, digits }
    }
}

#[cfg(test)]
mod tests {
    use super::super::reduced::tests::check_rewrite;

    #[track_caller]
    fn check(given: &str, expected: Option<&str>) {
        let found = check_rewrite(|engine, expr| engine.recombined(expr), given, expected);
        if let Some(found) = found {
            check_rewrite(|engine, _| engine.recombined(&found), given, None);
        }
    }

    #[test]
    fn remainders_have_one_spelling() {
        check("x - x floordiv 4 * 4", Some("x mod 4"));
        check("y + (x + 1) * 3 - (x + 1) floordiv 4 * 12", Some("y + (x + 1) mod 4 * 3"));
        check("x floordiv 2 - x floordiv 8 * 4", Some("x floordiv 2 mod 4"));
        check("x floordiv 2 floordiv 3", Some("x floordiv 6"));
        check("(x - x floordiv 5 * 5) floordiv 2", Some("x mod 5 floordiv 2"));
        check("min(x - x floordiv 5 * 5, y)", Some("min(y, x mod 5)"));
        check("x - (x + 1) floordiv 4 * 4", Some("(x + 1) mod 4 - 1"));
        check("x - x floordiv 4 * 3", Some("x floordiv 4 + x mod 4"));
        check("x * 4 - x floordiv 5 * 15", Some("x + x mod 5 * 3"));
        check("y + x floordiv 2 * 3 - x floordiv 4 * 6", Some("y + x floordiv 2 mod 2 * 3"));
    }

    #[test]
    fn other_expressions_stay() {
        check("x mod 4", None);
        check("x floordiv 2 mod 4 * 3 + y", None);
        check("x - y floordiv 4 * 4", None);
        check("y + x floordiv 4 * 4", None);
        check("x * y", None);
    }

    /// Each level is written in two ways, but its parts only once.
    #[test]
    fn deeply_nested_remainders_are_written_once() {
        let nested = (0..60).fold("x".to_owned(), |of, level| {
            format!("({of} + {level}) mod {}", 1_000 - 7 * level)
        });
        check(&nested, None);
    }
}
