//! Recombines the remainders of a written sum: `x - c*(x floordiv c)` is read as `x mod c`, as if it were written so.
//!
//! Law: that of [`super::digits`]. So the answer does not depend on which of the two an input has.

use super::digits::DigitView;
use super::engine::Engine;
use super::linear::{AtomId, Linear};
use crate::expr::{Divisor, Expr, ExprKind};

/// Maximum number of distinct terms of a sum that is recombined.
const MAX_TERMS: usize = 64;

/// The terms of a written sum, numbered.
#[derive(Default)]
struct Terms {
    atoms: Vec<Expr>,
    /// The numerator and divisor of a quotient.
    quotients: Vec<Option<(Linear, i64)>>,
}

impl Engine<'_> {
    /// Returns a sum with its remainders recombined, if that saves operations.
    pub(super) fn recombined(&mut self, expr: &Expr) -> Option<Expr> {
        let remainder = self.rules.remainder?;
        if !has_multiple(expr, 1) {
            return None;
        }
        let mut terms = Terms::default();
        let sum = terms.read(expr)?;
        let view = DigitView::of(&sum, |atom| terms.quotient(atom), false);
        let mut parts = terms.written(&view.rest);
        for digit in &view.digits {
            let of = terms.expr(&digit.of)?;
            self.note_written(remainder, &[digit.modulus], &[&of]);
            if let ExprKind::FloorDiv(inner, Divisor::Integer(divisor)) = of.kind() {
                self.note_written(self.rules.nesting?, &[*divisor, digit.modulus], &[inner]);
            }
            parts.push((digit.coefficient, of.modulo(digit.modulus).ok()?));
        }
        let recombined = Expr::sum(view.rest.constant, parts).ok()?;
        (recombined.cost().ops < expr.cost().ops).then_some(recombined)
    }
}

/// Whether a sum has a multiple of a quotient by a factor of its divisor, with a term beside it.
fn has_multiple(expr: &Expr, times: i64) -> bool {
    let ExprKind::Sum(sum) = expr.kind() else { return false };
    sum.terms().iter().any(|(coefficient, term)| {
        let times = times.saturating_mul(*coefficient);
        match term.kind() {
            ExprKind::FloorDiv(_, Divisor::Integer(_)) => times != 1 && times != 0,
            _ => has_multiple(term, times),
        }
    })
}

impl Terms {
    /// Reads an expression as a sum of numbered terms; `None` if it has too many, or a coefficient overflows.
    fn read(&mut self, expr: &Expr) -> Option<Linear> {
        match expr.kind() {
            ExprKind::Constant(value) => Some(Linear::constant(*value)),
            ExprKind::Sum(sum) => {
                let mut all = Linear::constant(sum.constant());
                for (coefficient, term) in sum.terms() {
                    all.add(*coefficient, &self.read(term)?)?;
                }
                Some(all)
            }
            _ => self.atom(expr).map(Linear::atom),
        }
    }

    fn atom(&mut self, expr: &Expr) -> Option<AtomId> {
        let number = |index: usize| u32::try_from(index).ok().map(AtomId);
        if let Some(known) = self.atoms.iter().position(|known| known == expr) {
            return number(known);
        }
        let quotient = match expr.kind() {
            ExprKind::FloorDiv(of, Divisor::Integer(divisor)) => Some((self.read(of)?, *divisor)),
            _ => None,
        };
        self.atoms.push(expr.clone());
        self.quotients.push(quotient);
        let id = self.atoms.len() - 1;
        if id < MAX_TERMS { number(id) } else { None }
    }

    fn quotient(&self, atom: AtomId) -> Option<(&Linear, i64)> {
        let (numerator, divisor) = self.quotients.get(atom.index())?.as_ref()?;
        Some((numerator, *divisor))
    }

    fn written(&self, sum: &Linear) -> Vec<(i64, Expr)> {
        let terms = sum.terms().iter();
        terms.map(|(atom, coefficient)| (*coefficient, self.atoms[atom.index()].clone())).collect()
    }

    fn expr(&self, sum: &Linear) -> Option<Expr> {
        Expr::sum(sum.constant, self.written(sum)).ok()
    }
}
