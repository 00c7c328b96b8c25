//! The journal: every rule instance that the engine used, in order, for a certificate.
//!
//! It is kept only if a certificate is requested, and no decision depends on it. Unneeded entries are removed later.

use super::linear::{AtomId, Bindings, Linear, SumId};
use super::program::Program;
use super::store::{Definition, Store};
use crate::certificate::Instance;
use crate::expr::{Expr, ExprError};
use crate::rule::RuleId;
use crate::rule::matching::Number;
use crate::simplify::saturate::Fired;
use rustc_hash::FxHashMap;

/// A journal entry.
#[derive(Clone, Debug)]
pub enum Entry {
    Instance(RuleId, Box<Bindings>),
    /// An instance at constants and expressions as written.
    Written(RuleId, Vec<i64>, Vec<Expr>),
    /// An instance that fired in an e-graph.
    Fired(Fired),
    /// An instance of the rule that makes the range of the second side a range of the first.
    SameValue(RuleId, Side, Side),
}

/// A value in one of two representations.
#[derive(Clone, Debug)]
pub enum Side {
    /// A sum over atoms.
    Sum(Linear),
    /// An expression.
    Written(Expr),
}

/// Converts a journal to instances. Drops instances whose expressions would be too large: the replayer decides whether they are
/// needed.
pub fn written(journal: Vec<Entry>, store: &Store, program: &Program) -> Vec<Instance> {
    let mut writer = Writer { store, atoms: FxHashMap::default() };
    let mut write = |entry| {
        let (rule, constants, expressions) = match entry {
            Entry::Instance(rule, bindings) => {
                let expressions = bindings.expressions.iter().flatten();
                let expressions: Result<_, _> = expressions.map(|x| writer.sum(x)).collect();
                let constants = bindings.constants.iter().flatten();
                let constants: Result<_, _> = constants.map(|x| writer.number(*x)).collect();
                (rule, constants?, expressions?)
            }
            Entry::Written(rule, constants, expressions) => {
                (rule, constants.into_iter().map(Expr::constant).collect(), expressions)
            }
            Entry::Fired(fired) => {
                let expressions = fired.expressions.iter().map(|form| form.to_expr());
                let expressions: Result<_, _> = expressions.collect();
                let constants = fired.constants.iter().map(|x| Expr::constant(*x));
                (fired.rule, constants.collect(), expressions?)
            }
            Entry::SameValue(rule, of, by) => {
                let sides = vec![writer.side(of)?, writer.side(by)?];
                (rule, Vec::new(), sides)
            }
        };
        Ok::<Instance, ExprError>(Instance {
            rule: program.rule(rule).name.clone(),
            constants,
            expressions,
        })
    };
    journal.into_iter().filter_map(|entry| write(entry).ok()).collect()
}

/// Converts sums to expressions that share subterms.
struct Writer<'s> {
    store: &'s Store,
    atoms: FxHashMap<AtomId, Expr>,
}

impl Writer<'_> {
    fn side(&mut self, side: Side) -> Result<Expr, ExprError> {
        match side {
            Side::Sum(sum) => self.sum(&sum),
            Side::Written(expr) => Ok(expr),
        }
    }

    fn number(&mut self, number: Number) -> Result<Expr, ExprError> {
        match number {
            Number::Integer(value) => Ok(Expr::constant(value)),
            Number::Named(name) => self.sum(self.store.sum(SumId(name.0))),
        }
    }

    fn sum(&mut self, sum: &Linear) -> Result<Expr, ExprError> {
        let mut terms = Vec::with_capacity(sum.terms().len());
        for &(atom, coefficient) in sum.terms() {
            terms.push((coefficient, self.atom(atom)?));
        }
        Expr::sum(sum.constant, terms)
    }

    fn atom(&mut self, atom: AtomId) -> Result<Expr, ExprError> {
        if let Some(known) = self.atoms.get(&atom) {
            return Ok(known.clone());
        }
        let store = self.store;
        let expr = match &store.atom(atom).definition {
            Definition::Variable(id) => Expr::variable(*id),
            Definition::Quotient(of, divisor) => {
                let divisor = self.number(*divisor)?;
                self.sum(of)?.floordiv_by(&divisor)?
            }
            Definition::Product(factors) => {
                let factors = factors.0.iter().map(|factor| self.atom(*factor));
                Expr::product(factors.collect::<Result<Vec<_>, _>>()?)?
            }
            Definition::Least(list) => Expr::min(self.list(list)?)?,
            Definition::Greatest(list) => Expr::max(self.list(list)?)?,
        };
        self.atoms.insert(atom, expr.clone());
        Ok(expr)
    }

    fn list(&mut self, list: &[Linear]) -> Result<Vec<Expr>, ExprError> {
        list.iter().map(|x| self.sum(x)).collect()
    }
}
