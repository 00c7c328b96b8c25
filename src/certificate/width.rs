//! The number of bits that the integers of a step need.
//!
//! Law: at each point within the bounds of the variables, every part of the step's statement under its bindings is a signed
//! integer of that many bits, in any order of evaluating sums and products. Constraints of the domain are not used, so fewer
//! bits may suffice.

use super::{Claim, Instance};
use crate::expr::{Divisor, Domain, Expr, ExprKind};
use crate::num::Interval;
use crate::rule::{Rule, RuleSet, Statement, Term};
use rustc_hash::FxHashMap;

/// The bit widths of the steps over a domain.
pub(super) struct Widths<'a> {
    bounds: Vec<Interval>,
    known: FxHashMap<&'a Expr, Part>,
}

/// The range of a part, and the range of it and all its subterms.
#[derive(Clone, Copy)]
struct Part {
    values: Interval,
    all: Interval,
}

impl<'a> Widths<'a> {
    pub(super) fn new(domain: &Domain) -> Widths<'a> {
        Widths { bounds: domain.intervals().collect(), known: FxHashMap::default() }
    }

    /// Returns the bits of a step; `None` if its integers may be wider than 64, or it does not bind the variables of its rule.
    pub(super) fn of_step(&mut self, rule: &Rule, instance: &'a Instance) -> Option<u32> {
        if !instance.binds(rule) {
            return None;
        }
        let terms: Vec<&Term> = match &rule.statement {
            Statement::Rewrite(lhs, rhs) => vec![lhs, rhs],
            Statement::Equivalence(lhs, rhs) => {
                lhs.iter().chain(rhs).flat_map(|one| [&one.lhs, &one.rhs]).collect()
            }
            Statement::Fact(facts) => facts.iter().flat_map(|one| [&one.lhs, &one.rhs]).collect(),
        };
        let parts = terms.into_iter().map(|term| self.of_term(term, instance).all);
        bits(parts.fold(Interval::point(0), Interval::hull))
    }

    /// Computes a term as written: an expression would merge like terms, and so lose parts.
    fn of_term(&mut self, term: &Term, instance: &'a Instance) -> Part {
        let mut of = |term: &Term| self.of_term(term, instance);
        match term {
            Term::Integer(value) => Part::of(Interval::point(*value), []),
            Term::Constant(slot) => self.bound(instance.constants.get(*slot as usize)),
            Term::Expression(slot) => self.bound(instance.expressions.get(*slot as usize)),
            Term::Sum(terms) => {
                let parts: Vec<Part> = terms.iter().map(of).collect();
                sum(&parts)
            }
            Term::Product(x, y) => product(&[of(x), of(y)]),
            Term::FloorDiv(x, c) => divided(of(x), of(c), Interval::floordiv_by),
            Term::Mod(x, c) => divided(of(x), of(c), Interval::modulo_by),
            Term::Min(x, y) => extreme(&[of(x), of(y)], Interval::min),
            Term::Max(x, y) => extreme(&[of(x), of(y)], Interval::max),
            Term::Lo(_) | Term::Hi(_) => Part::of(Interval::ALL, []), // only in hints
        }
    }

    fn bound(&mut self, expr: Option<&'a Expr>) -> Part {
        expr.map_or(Part::of(Interval::ALL, []), |expr| self.of_expr(expr))
    }

    fn of_expr(&mut self, expr: &'a Expr) -> Part {
        if let Some(known) = self.known.get(expr) {
            return *known;
        }
        let part = match expr.kind() {
            ExprKind::Constant(value) => Part::of(Interval::point(*value), []),
            ExprKind::Variable(id) => {
                Part::of(self.bounds.get(id.index()).copied().unwrap_or(Interval::ALL), [])
            }
            ExprKind::Sum(terms) => {
                // A negative factor is written as a subtraction.
                let scaled = |by: i64, part: Part| {
                    let size = Part::of(magnitude(by), []);
                    let positive =
                        if by.unsigned_abs() == 1 { part } else { product(&[size, part]) };
                    if by < 0 { negated(positive) } else { positive }
                };
                let one = Part::of(Interval::point(1), []);
                let parts = terms.terms().iter().map(|(by, x)| scaled(*by, self.of_expr(x)));
                let mut parts: Vec<Part> = parts.collect();
                parts.push(scaled(terms.constant(), one));
                sum(&parts)
            }
            ExprKind::Product(list) => {
                let parts: Vec<Part> = list.iter().map(|x| self.of_expr(x)).collect();
                product(&parts)
            }
            ExprKind::FloorDiv(x, c) => {
                divided(self.of_expr(x), self.divisor(c), Interval::floordiv_by)
            }
            ExprKind::CeilDiv(x, c) => {
                divided(self.of_expr(x), self.divisor(c), Interval::ceildiv_by)
            }
            ExprKind::Mod(x, c) => divided(self.of_expr(x), self.divisor(c), Interval::modulo_by),
            ExprKind::Min(list) => {
                let parts: Vec<Part> = list.iter().map(|x| self.of_expr(x)).collect();
                extreme(&parts, Interval::min)
            }
            ExprKind::Max(list) => {
                let parts: Vec<Part> = list.iter().map(|x| self.of_expr(x)).collect();
                extreme(&parts, Interval::max)
            }
        };
        self.known.insert(expr, part);
        part
    }

    fn divisor(&mut self, divisor: &'a Divisor) -> Part {
        match divisor {
            Divisor::Integer(value) => Part::of(Interval::point(*value), []),
            Divisor::Named(expr) => self.of_expr(expr),
        }
    }
}

impl Claim {
    /// Returns the number of bits, including a sign, in which the integers of all its steps fit, at each point within the bounds
    /// of the variables; `None` if they are not known to fit in 64, or there are no steps.
    #[must_use]
    pub fn bits(&self, rules: &RuleSet) -> Option<u32> {
        let own = (&self.certificate.before, self.certificate.steps().collect::<Vec<_>>());
        let other = self.equal.iter().map(|other| (other.map(), other.steps().collect()));
        let mut most = None;
        for (map, steps) in std::iter::once(own).chain(other) {
            let mut widths = Widths::new(map.domain());
            for step in steps {
                let rule = rules.rule(rules.find(&step.rule)?);
                most = most.max(Some(widths.of_step(rule, step)?));
            }
        }
        most
    }
}

impl Part {
    /// Creates a part with these values; `from` has the ranges of its operands and of intermediate results.
    fn of(values: Interval, from: impl IntoIterator<Item = Interval>) -> Part {
        Part { values, all: from.into_iter().fold(values, Interval::hull) }
    }
}

/// Returns the absolute value of an integer.
fn magnitude(value: i64) -> Interval {
    value.checked_abs().map_or(Interval::ALL, Interval::point)
}

fn negated(part: Part) -> Part {
    Part::of(part.values.scale(-1), [part.all])
}

/// Returns a sum: in whatever order terms are added, partial sums are between the sum of all negative bounds and that of all
/// positive ones.
fn sum(parts: &[Part]) -> Part {
    folded(parts, 0, Interval::add)
}

/// Returns a product: the product of some factors is that of all factors with 1 in place of the others.
fn product(parts: &[Part]) -> Part {
    folded(parts, 1, Interval::multiply)
}

fn folded(parts: &[Part], neutral: i64, operation: fn(Interval, Interval) -> Interval) -> Part {
    let neutral = Interval::point(neutral);
    let total = parts.iter().fold(neutral, |total, part| operation(total, part.values));
    let partial = |total, part: &Part| operation(total, part.values.hull(neutral));
    let between = parts.iter().fold(neutral, partial);
    Part::of(total, parts.iter().map(|part| part.all).chain([between]))
}

fn divided(x: Part, by: Part, operation: fn(Interval, Interval) -> Interval) -> Part {
    Part::of(operation(x.values, by.values), [x.all, by.all])
}

fn extreme(parts: &[Part], operation: fn(Interval, Interval) -> Interval) -> Part {
    let values = parts.iter().map(|part| part.values).reduce(operation);
    Part::of(values.unwrap_or(Interval::EMPTY), parts.iter().map(|part| part.all))
}

/// Returns the number of bits of a signed integer that holds all values; `None` if 64 do not suffice.
fn bits(values: Interval) -> Option<u32> {
    values.is_bounded().then(|| 65 - values.reach().leading_zeros())
}
