//! The journal: every rule instance that the engine used, in order, for a certificate.
//!
//! It is kept only when a certificate is wanted, and nothing that is decided depends on it. What the
//! replayer does not need of it is cut away later.

use super::engine::Engine;
use super::linear::{AtomId, Linear};
use super::store::{Definition, Store};
use super::terms::Bindings;
use crate::certificate::Instance;
use crate::expr::{Expr, ExprError};
use crate::rule::{Rule, RuleId};
use crate::simplify::saturate::{Fired, FormRef};
use rustc_hash::FxHashMap;

/// Something that was used.
#[derive(Clone, Debug)]
pub enum Entry {
    /// An instance of a rule.
    Instance(RuleId, Box<Bindings>),
    /// An instance that fired in an e-graph.
    Fired(Fired),
    /// An instance of the rule by which the range of the second is one of the first.
    SameValue(RuleId, Side, Side),
}

/// A value in one of two ways to write it.
#[derive(Clone, Debug)]
pub enum Side {
    /// A sum over atoms.
    Sum(Linear),
    /// An expression as it stands.
    Written(Expr),
}

impl Engine<'_> {
    /// Counts an instance, and writes it into the journal.
    pub fn note(&mut self, rule: RuleId, bindings: &Bindings) {
        self.firings.count(rule);
        if let Some(journal) = &mut self.journal {
            journal.push(Entry::Instance(rule, Box::new(bindings.clone())));
        }
    }

    /// Writes into the journal that `of floordiv a floordiv b` is one quotient.
    pub fn note_nesting(&mut self, of: &Linear, a: i64, b: i64) {
        if let Some(journal) = &mut self.journal
            && let Some(law) = self.rules.nesting
        {
            journal.push(Entry::Instance(
                law,
                Box::new(Bindings::of(&[a, b], [of.clone()])),
            ));
        }
    }

    /// Writes an instance that fired in an e-graph into the journal.
    pub fn note_fired(&mut self, fired: Fired) {
        for (of, by) in &fired.ranges {
            if let (Ok(of), Ok(by)) = (of.to_expr(), by.to_expr()) {
                self.note_same(Side::Written(of), Side::Written(by));
            }
        }
        if let Some(journal) = &mut self.journal {
            journal.push(Entry::Fired(fired));
        }
    }

    /// Writes into the journal that the range of `form` is used for `sum`, if that says more.
    pub fn note_range(&mut self, sum: &Linear, form: &FormRef) {
        if self.journal.is_some() {
            let known = self.store.range(sum);
            let says_more = known.intersect(form.range) != known;
            if let (true, Ok(written)) = (says_more, form.to_expr()) {
                self.note_same(Side::Sum(sum.clone()), Side::Written(written));
            }
        }
    }

    /// Writes into the journal that two values are the same, and share their ranges.
    pub fn note_same(&mut self, of: Side, by: Side) {
        if let (Some(journal), Some(rule)) = (&mut self.journal, self.rules.equality) {
            journal.push(Entry::SameValue(rule, of, by));
        }
    }

    /// Adds the instances of the journal to `instances`. One that cannot be written down, because an
    /// expression would be too large, is left out: the replayer will say whether it is missing.
    pub fn write_journal(&mut self, instances: &mut Vec<Instance>) {
        let mut writer = Writer {
            store: &self.store,
            atoms: FxHashMap::default(),
        };
        for entry in self.journal.take().into_iter().flatten() {
            let instance = match entry {
                Entry::Instance(rule, bindings) => {
                    let expressions = bindings.expressions.iter().flatten();
                    let expressions = expressions.map(|x| writer.sum(x));
                    expressions
                        .collect::<Result<_, _>>()
                        .map(|expressions| Instance {
                            rule: self.rules.rule(rule).name.clone(),
                            constants: bindings.constants.iter().flatten().copied().collect(),
                            expressions,
                        })
                }
                Entry::Fired(fired) => written(self.rules.rule(fired.rule), &fired),
                Entry::SameValue(rule, of, by) => {
                    let sides = writer
                        .side(of)
                        .and_then(|of| Ok(vec![of, writer.side(by)?]));
                    sides.map(|expressions| Instance {
                        rule: self.rules.rule(rule).name.clone(),
                        constants: Vec::new(),
                        expressions,
                    })
                }
            };
            instances.extend(instance);
        }
    }
}

/// An instance that fired in an e-graph, as a step of a certificate.
fn written(rule: &Rule, fired: &Fired) -> Result<Instance, ExprError> {
    let expressions = fired.expressions.iter().map(|form| form.to_expr());
    Ok(Instance {
        rule: rule.name.clone(),
        constants: fired.constants.clone(),
        expressions: expressions.collect::<Result<_, _>>()?,
    })
}

/// Writes sums as expressions that share their parts.
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
            Definition::Quotient(of, divisor) => self.sum(of)?.floordiv(*divisor)?,
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
