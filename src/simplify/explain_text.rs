//! Sums and rule instances as text.

use super::constraint::Bound;
use super::engine::Engine;
use super::explain::Step;
use super::kernel::Bindings;
use super::linear::Linear;
use super::record::Target;
use super::store::{Definition, Store};
use crate::expr::{Expr, ExprError, VariableId};
use crate::interval::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use crate::map::{Constraint, Domain};
use crate::rule::{Condition, Relation, Rule, Term};
use crate::syntax::{Style, print_constraint, print_expr, print_interval, variable_names};
use std::sync::Arc;

/// Turns sums and rule instances into text.
pub struct Writer {
    names: Vec<Arc<str>>,
}

impl Writer {
    /// With the names of this domain.
    pub fn of(domain: &Domain) -> Writer {
        Writer {
            names: variable_names(domain),
        }
    }

    fn expr(&self, expr: Result<Expr, ExprError>) -> String {
        expr.map_or_else(
            |error| format!("({error})"),
            |expr| print_expr(&expr, &self.names, Style::Plain),
        )
    }

    pub fn sum(&self, store: &Store, sum: &Linear) -> String {
        self.expr(expr_of(store, sum))
    }

    pub fn bound(&self, store: &Store, bound: &Bound) -> String {
        match expr_of(store, &bound.sum) {
            Ok(expr) => {
                let constraint = Constraint {
                    expr,
                    bounds: bound.bounds,
                };
                print_constraint(&constraint, &self.names, Style::Plain)
            }
            Err(error) => format!("({error})"),
        }
    }

    pub fn target(&self, store: &Store, target: &Target) -> String {
        self.expr(match target {
            Target::Sum(sum) => expr_of(store, store.sum(*sum)),
            Target::Quotient { of, divisor } => {
                expr_of(store, store.sum(*of)).and_then(|x| x.floordiv(*divisor))
            }
            Target::Remainder { of, modulus } => {
                expr_of(store, store.sum(*of)).and_then(|x| x.modulo(*modulus))
            }
            Target::Lattice { of, least } => {
                let list: Result<Vec<_>, _> = of.iter().map(|x| expr_of(store, x)).collect();
                list.and_then(|list| {
                    if *least {
                        Expr::min(list)
                    } else {
                        Expr::max(list)
                    }
                })
            }
        })
    }

    pub fn term(&self, engine: &mut Engine<'_>, term: &Term, bindings: &Bindings) -> String {
        self.expr(written_term(engine, term, bindings))
    }

    pub fn step(
        &self,
        engine: &mut Engine<'_>,
        rule: &Rule,
        bindings: &Bindings,
        before: String,
        after: String,
    ) -> Step {
        let constants = rule.constants.iter().zip(&bindings.constants);
        let constants =
            constants.filter_map(|(name, value)| Some((name.clone(), value.as_ref()?.to_string())));
        let expressions = rule.expressions.iter().zip(&bindings.expressions);
        let expressions: Vec<_> = expressions
            .map(|(name, sum)| (name.clone(), self.sum(&engine.store, sum)))
            .collect();
        let bindings_text = expressions.into_iter().chain(constants).collect();
        let facts = rule
            .conditions
            .iter()
            .filter_map(|condition| self.fact(engine, condition, bindings))
            .collect();
        Step {
            rule: rule.name.clone(),
            bindings: bindings_text,
            facts,
            before,
            after,
        }
    }

    /// A condition on an expression, with the range that establishes it; conditions on integers alone
    /// are read off the bindings.
    fn fact(
        &self,
        engine: &mut Engine<'_>,
        condition: &Condition,
        bindings: &Bindings,
    ) -> Option<String> {
        let lhs = engine.linear_of(&condition.lhs, bindings)?;
        let rhs = engine.linear_of(&condition.rhs, bindings)?;
        if lhs.as_constant().is_some() && rhs.as_constant().is_some() {
            return None;
        }
        let relation = match condition.relation {
            Relation::Equal => "=",
            Relation::LessEqual => "<=",
            Relation::Less => "<",
        };
        let sides = (
            self.term(engine, &condition.lhs, bindings),
            self.term(engine, &condition.rhs, bindings),
        );
        let ranges: Vec<String> = [(&lhs, &sides.0), (&rhs, &sides.1)]
            .into_iter()
            .filter(|(sum, _)| sum.as_constant().is_none() && condition.relation != Relation::Equal)
            .map(|(sum, text)| format!("{text} in {}", range_text(engine.store.range(sum))))
            .collect();
        let stated = format!("{} {relation} {}", sides.0, sides.1);
        Some(if ranges.is_empty() {
            stated
        } else {
            format!("{stated}, as {}", ranges.join(", "))
        })
    }
}

fn range_text(range: Interval) -> String {
    match (range.lo(), range.hi()) {
        (MINUS_INFINITY, _) | (_, PLUS_INFINITY) => range.to_string(),
        _ => print_interval(range),
    }
}

/// A sum with its atoms written out.
fn expr_of(store: &Store, sum: &Linear) -> Result<Expr, ExprError> {
    let mut terms = Vec::with_capacity(sum.terms().len());
    for &(atom, coefficient) in sum.terms() {
        let list = |sums: &[Linear]| {
            sums.iter()
                .map(|x| expr_of(store, x))
                .collect::<Result<Vec<_>, _>>()
        };
        let expr = match &store.atom(atom).definition {
            Definition::Variable(VariableId(index)) => Expr::variable(VariableId(*index)),
            Definition::Quotient(of, divisor) => expr_of(store, of)?.floordiv(*divisor)?,
            Definition::Least(sums) => Expr::min(list(sums)?)?,
            Definition::Greatest(sums) => Expr::max(list(sums)?)?,
        };
        terms.push((coefficient, expr));
    }
    Expr::sum(sum.constant, terms)
}

/// A term of a rule as it is written, with its variables replaced.
fn written_term(
    engine: &mut Engine<'_>,
    term: &Term,
    bindings: &Bindings,
) -> Result<Expr, ExprError> {
    let constant = |engine: &mut Engine<'_>, term: &Term| {
        engine
            .constant_of(term, bindings)
            .ok_or(ExprError::Overflow)
    };
    Ok(match term {
        Term::Sum(terms) => {
            let terms: Result<Vec<_>, ExprError> = terms
                .iter()
                .map(|t| Ok((1, written_term(engine, t, bindings)?)))
                .collect();
            Expr::sum(0, terms?)?
        }
        Term::Product(x, y) => {
            let (x, y) = (
                written_term(engine, x, bindings)?,
                written_term(engine, y, bindings)?,
            );
            match (x.as_constant(), y.as_constant()) {
                (Some(factor), _) => y.scale(factor)?,
                (_, Some(factor)) => x.scale(factor)?,
                _ => return Err(ExprError::Overflow), // no instance multiplies two expressions
            }
        }
        Term::FloorDiv(x, c) => {
            written_term(engine, x, bindings)?.floordiv(constant(engine, c)?)?
        }
        Term::Mod(x, c) => written_term(engine, x, bindings)?.modulo(constant(engine, c)?)?,
        Term::Min(x, y) => Expr::min([
            written_term(engine, x, bindings)?,
            written_term(engine, y, bindings)?,
        ])?,
        Term::Max(x, y) => Expr::max([
            written_term(engine, x, bindings)?,
            written_term(engine, y, bindings)?,
        ])?,
        Term::Expression(slot) => match bindings.expression(*slot) {
            Some(sum) => expr_of(&engine.store, sum)?,
            None => return Err(ExprError::Overflow), // every instance binds its variables
        },
        Term::Integer(_) | Term::Constant(_) | Term::Lo(_) | Term::Hi(_) => {
            Expr::constant(constant(engine, term)?)
        }
    })
}
