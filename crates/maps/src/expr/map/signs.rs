//! Lower bounds of expressions in a domain, by the signs of polynomials (`num::sign`).
//!
//! Law: at each point of the domain at which the divisors in the expression are positive, its value is at least the lower bound.
//! The known facts are the intervals of variables and of parts, bounds of variables in terms of parameters, and constraints on
//! parameters. The divisors in constraints are positive in the domain, as it contains no other points.

use super::Domain;
use crate::expr::{Divisor, Expr, ExprKind, VariableId};
use crate::num::polynomial::{self, Polynomial};
use crate::num::sign::{self, Atoms, Bounded};
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY, Sum};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Maximum size of an expression, and of all constraints together: beyond it no bound is computed.
const MAX_SIZE: u32 = 400;

type Atom = u32;

/// Returns a lower bound of the values of `expr` in a domain, or [`MINUS_INFINITY`].
pub(super) fn least(expr: &Expr, domain: &Domain) -> i64 {
    let constraints = domain.constraints().iter().map(|c| c.expr.size());
    let size = constraints.fold(expr.size(), u32::saturating_add);
    if size > MAX_SIZE {
        return MINUS_INFINITY;
    }
    let mut known = Known::of(domain);
    let polynomial = known.polynomial(expr);
    polynomial.map_or(MINUS_INFINITY, |polynomial| sign::least(&polynomial, &known))
}

/// The facts of a domain, in terms of atoms: variables, quotients, and minima and maxima.
struct Known<'d> {
    domain: &'d Domain,
    atoms: Vec<Rc<Bounded<Atom>>>,
    exprs: Vec<Expr>,
    numbers: FxHashMap<Expr, Atom>,
    facts: Vec<Polynomial<Atom>>,
}

impl<'d> Known<'d> {
    fn of(domain: &'d Domain) -> Known<'d> {
        let mut known = Known {
            domain,
            atoms: Vec::new(),
            exprs: Vec::new(),
            numbers: FxHashMap::default(),
            facts: Vec::new(),
        };
        // The variables come first, so that they have the same numbers as their atoms; their bounds are filled in below.
        for id in 0..domain.variables().len() as u32 {
            known.push(Expr::variable(VariableId(id)), Bounded::Parameter);
        }
        let mut ends = vec![[None, None]; domain.variables().len()];
        for constraint in domain.constraints() {
            let Some(polynomial) = known.polynomial(&constraint.expr) else {
                continue;
            };
            let (lo, hi) = (constraint.bounds.lo(), constraint.bounds.hi());
            let above = (lo != MINUS_INFINITY)
                .then(|| lo.checked_neg().and_then(|lo| polynomial.shifted(lo)));
            let below = (hi != PLUS_INFINITY)
                .then(|| polynomial.scaled(-1).and_then(|negated| negated.shifted(hi)));
            for natural in [above, below].into_iter().flatten().flatten() {
                known.learn(natural, &mut ends);
            }
        }
        for (atom, ends) in ends.into_iter().enumerate() {
            if !known.is_of_parameters(atom as Atom) {
                let [lo, hi] = ends;
                known.atoms[atom] = Rc::new(Bounded::Between(lo, hi));
            }
        }
        known
    }

    /// Records a nonnegative polynomial: as a fact about parameters, or as a bound of its only variable.
    fn learn(&mut self, natural: Polynomial<Atom>, ends: &mut [[Option<Polynomial<Atom>>; 2]]) {
        let atoms = natural.terms().iter().flat_map(|(monomial, _)| &monomial.0);
        let mut others: Vec<Atom> =
            atoms.copied().filter(|atom| !self.is_of_parameters(*atom)).collect();
        others.dedup();
        let [atom] = others[..] else {
            if others.is_empty() {
                self.facts.push(natural);
            }
            return;
        };
        let collected = polynomial::collected(&natural, atom);
        let Some((factor, rest)) = collected else {
            return;
        };
        // `v + rest >= 0` gives `v >= -rest`, and `-v + rest >= 0` gives `v <= rest`.
        let (end, bound) = match factor.as_constant() {
            Some(1) => (0, rest.scaled(-1)),
            Some(-1) => (1, Some(rest)),
            _ => return,
        };
        if let Some(ends) = ends.get_mut(atom as usize) {
            ends[end] = ends[end].take().or(bound);
        }
    }

    fn push(&mut self, expr: Expr, bounded: Bounded<Atom>) -> Atom {
        let atom = self.atoms.len() as Atom;
        self.atoms.push(Rc::new(bounded));
        self.exprs.push(expr.clone());
        self.numbers.insert(expr, atom);
        atom
    }

    /// Converts an expression to a polynomial; `None` if a number does not fit or the polynomial is too long.
    fn polynomial(&mut self, expr: &Expr) -> Option<Polynomial<Atom>> {
        if let Some(atom) = self.numbers.get(expr) {
            return Some(polynomial::atom(*atom));
        }
        match expr.kind() {
            ExprKind::Constant(value) => Some(Sum::constant(*value)),
            ExprKind::Variable(_) => None,
            ExprKind::Sum(sum) => {
                let mut total = Sum::constant(sum.constant());
                for (c, x) in sum.terms() {
                    total = total.plus(*c, &self.polynomial(x)?)?;
                }
                Some(total)
            }
            ExprKind::Product(factors) => {
                let mut total = Sum::constant(1);
                for x in factors {
                    total = polynomial::product(&total, &self.polynomial(x)?)?;
                }
                Some(total)
            }
            ExprKind::FloorDiv(x, divisor) => self.quotient(x, divisor),
            // `x ceildiv d = (x + d - 1) floordiv d`
            ExprKind::CeilDiv(x, divisor) => {
                let by = divisor.to_expr();
                let x = x.add(&by).and_then(|x| x.add(&Expr::constant(-1)));
                self.quotient(&x.ok()?, divisor)
            }
            // `x mod d = x - d*(x floordiv d)`
            ExprKind::Mod(x, divisor) => {
                let by = self.polynomial(&divisor.to_expr())?;
                let quotient = self.quotient(x, divisor)?;
                let multiple = polynomial::product(&by, &quotient)?;
                self.polynomial(x)?.plus(-1, &multiple)
            }
            ExprKind::Min(operands) | ExprKind::Max(operands) => {
                let is_min = matches!(expr.kind(), ExprKind::Min(_));
                let operands = operands.iter().map(|x| self.polynomial(x));
                let operands = operands.collect::<Option<Vec<_>>>()?;
                let chosen = Bounded::Chosen(is_min, operands);
                Some(polynomial::atom(self.push(expr.clone(), chosen)))
            }
        }
    }

    fn quotient(&mut self, x: &Expr, divisor: &Divisor) -> Option<Polynomial<Atom>> {
        let by = divisor.to_expr();
        let (numerator, divisor) = (self.polynomial(x)?, self.polynomial(&by)?);
        let quotient = x.floordiv_by(&by).ok()?;
        if let Some(value) = quotient.as_constant() {
            return Some(Sum::constant(value));
        }
        let known = self.numbers.get(&quotient).copied();
        let atom =
            known.unwrap_or_else(|| self.push(quotient, Bounded::Quotient(numerator, divisor)));
        Some(polynomial::atom(atom))
    }
}

impl Atoms for Known<'_> {
    type Atom = Atom;

    fn bounded(&self, atom: Atom) -> Rc<Bounded<Atom>> {
        self.atoms[atom as usize].clone()
    }

    fn interval(&self, atom: Atom) -> Interval {
        self.domain.interval(&self.exprs[atom as usize])
    }

    fn is_of_parameters(&self, atom: Atom) -> bool {
        let variables = self.exprs[atom as usize].variables();
        variables.iter().all(|id| self.domain.is_parameter(*id))
    }

    fn facts(&self) -> &[Polynomial<Atom>] {
        &self.facts
    }

    fn may_be_natural(&self, _: &Polynomial<Atom>) -> bool {
        true
    }
}
