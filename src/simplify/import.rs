//! From expressions to sums over atoms.
//!
//! Quotients are first kept raw: `x floordiv a floordiv b` becomes one raw quotient by `a * b`
//! (`quotient-nesting`), `x mod c` becomes `x - c * (x floordiv c)` (`mod-def`), `ceildiv` becomes
//! `floordiv` (`ceiling`), and like raw quotients cancel. What is left is normalised. So a delinearised index that is linearised again cancels
//! before any division rule looks at it, whatever the shared sum is.

use super::engine::Engine;
use super::kernel::Bindings;
use super::linear::{AtomId, Linear};
use super::record::{Firing, Node, Reason, Target};
use crate::expr::{Expr, ExprKind};
use egg::Id;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Raw quotients are numbered from here, above every atom of the store.
const FIRST_RAW: u32 = 1 << 30;

/// Reads the expressions of one map.
#[derive(Default)]
pub struct Importer {
    raw: Vec<(Linear, i64)>,
    raw_ids: FxHashMap<(Linear, i64), AtomId>,
    done: FxHashMap<usize, Linear>,
    nodes: FxHashMap<usize, Id>,
    made: Vec<Expr>,
}

impl Importer {
    /// The normal form of an expression; `None` if a coefficient overflows.
    pub fn import(&mut self, engine: &mut Engine<'_>, expr: &Expr) -> Option<Linear> {
        let raw = self.read(engine, expr)?;
        self.lower(engine, &raw)
    }

    fn read(&mut self, engine: &mut Engine<'_>, expr: &Expr) -> Option<Linear> {
        if let Some(known) = self.done.get(&expr.address()) {
            return Some(known.clone());
        }
        let sum = match expr.kind() {
            ExprKind::Constant(value) => Linear::constant(*value),
            ExprKind::Variable(id) => engine.store.variable(*id),
            ExprKind::Sum(sum) => {
                let mut total = Linear::constant(sum.constant());
                for (coefficient, term) in sum.terms() {
                    total = total.plus(*coefficient, &self.read(engine, term)?)?;
                }
                total
            }
            ExprKind::FloorDiv(x, divisor) => {
                let x = self.read(engine, x)?;
                self.raw_quotient(engine, &x, *divisor)?
            }
            ExprKind::CeilDiv(x, divisor) => {
                let negated = self.read(engine, x)?.scaled(-1)?;
                self.raw_quotient(engine, &negated, *divisor)?.scaled(-1)?
            }
            ExprKind::Mod(..) if engine.rules.is_left_out(engine.rules.known().mod_def) => {
                return None;
            }
            ExprKind::Mod(x, modulus) => {
                let x = self.read(engine, x)?;
                let quotient = self.raw_quotient(engine, &x, *modulus)?;
                let x = if self.is_raw_quotient(&x) {
                    x
                } else {
                    self.lower(engine, &x)?
                };
                if engine.store.has_lattices() {
                    let of = self.lower(engine, &x)?;
                    engine.note_remainder(&of, *modulus);
                }
                x.plus(modulus.checked_neg()?, &quotient)?
            }
            ExprKind::Min(list) => self.read_lattice(engine, list, true)?,
            ExprKind::Max(list) => self.read_lattice(engine, list, false)?,
        };
        self.done.insert(expr.address(), sum.clone());
        Some(sum)
    }

    fn read_lattice(
        &mut self,
        engine: &mut Engine<'_>,
        list: &[Expr],
        least: bool,
    ) -> Option<Linear> {
        let mut operands = Vec::with_capacity(list.len());
        for x in list {
            operands.push(self.import(engine, x)?);
        }
        engine.lattice(operands, least)
    }

    fn is_raw_quotient(&self, sum: &Linear) -> bool {
        sum.as_atom().is_some_and(|atom| atom.0 >= FIRST_RAW)
    }

    fn raw_quotient(
        &mut self,
        engine: &mut Engine<'_>,
        x: &Linear,
        divisor: i64,
    ) -> Option<Linear> {
        let inner = x.as_atom().filter(|atom| atom.0 >= FIRST_RAW);
        if let Some((of, inner_divisor)) =
            inner.map(|atom| self.raw[(atom.0 - FIRST_RAW) as usize].clone())
            && let Some(product) = inner_divisor.checked_mul(divisor)
        {
            engine.note_nesting(&of, inner_divisor, divisor);
            return Some(self.raw_atom(of, product));
        }
        let lowered = self.lower(engine, x)?;
        if lowered.as_constant().is_some() {
            return Some(engine.divide(&lowered, divisor));
        }
        Some(self.raw_atom(lowered, divisor))
    }

    fn raw_atom(&mut self, of: Linear, divisor: i64) -> Linear {
        let next = AtomId(FIRST_RAW + self.raw.len() as u32);
        let key = (of, divisor);
        let id = *self.raw_ids.entry(key.clone()).or_insert(next);
        if id == next {
            self.raw.push(key);
        }
        Linear::atom(id)
    }

    /// Normalises the raw quotients that are left in a sum.
    fn lower(&mut self, engine: &mut Engine<'_>, sum: &Linear) -> Option<Linear> {
        let mut total = Linear::constant(sum.constant);
        for &(atom, coefficient) in sum.terms() {
            if atom.0 >= FIRST_RAW {
                let (of, divisor) = self.raw[(atom.0 - FIRST_RAW) as usize].clone();
                total = total.plus(coefficient, &engine.divide(&of, divisor))?;
            } else {
                total = total.plus_atom(coefficient, atom)?;
            }
        }
        engine.without_lattice_pairs(total)
    }
}

impl Importer {
    /// The e-graph node of an expression as it is written, joined to its normal form by the rules that
    /// lead there: `x mod c` to `x - c * (x floordiv c)` by `mod-def`, a quotient by the division rules,
    /// a sum by the laws of sums.
    pub fn written(&mut self, engine: &mut Engine<'_>, expr: &Expr) -> Option<Id> {
        if let Some(known) = self.nodes.get(&expr.address()) {
            return Some(*known);
        }
        let sum = self.import(engine, expr)?;
        let normal = engine.record.sum(&mut engine.store, &sum);
        let id = match expr.kind() {
            ExprKind::Constant(_) | ExprKind::Variable(_) => normal,
            ExprKind::Sum(sum) => {
                let (mut coefficients, mut ids, mut pairs) =
                    (SmallVec::new(), SmallVec::new(), Vec::new());
                for (coefficient, term) in sum.terms() {
                    let (written, normal) = self.written_pair(engine, term)?;
                    coefficients.push(*coefficient);
                    ids.push(written);
                    pairs.push((written, normal));
                }
                let id = engine.record.egraph.add_uncanonical(Node::Sum(
                    sum.constant(),
                    coefficients,
                    ids,
                ));
                engine.record.union(id, normal, Reason::Sum(pairs));
                id
            }
            ExprKind::FloorDiv(x, divisor) => {
                let (written, _) = self.written_pair(engine, x)?;
                let id = engine
                    .record
                    .egraph
                    .add_uncanonical(Node::FloorDiv(*divisor, [written]));
                let x = self.import(engine, x)?;
                engine.node_of_quotient(&x, *divisor);
                let quotient = engine.divide(&x, *divisor);
                let reached = engine.record.sum(&mut engine.store, &quotient);
                engine.record.union(reached, normal, Reason::Cancellation);
                id
            }
            ExprKind::Mod(x, modulus) => {
                let (written, _) = self.written_pair(engine, x)?;
                let id = engine
                    .record
                    .egraph
                    .add_uncanonical(Node::Mod(*modulus, [written]));
                let x = self.import(engine, x)?;
                let reached = engine.define_remainder(&x, *modulus)?;
                engine.record.union(reached, normal, Reason::Cancellation);
                id
            }
            ExprKind::CeilDiv(x, divisor) => {
                let negated = x.scale(-1).ok()?.floordiv(*divisor).ok()?.scale(-1).ok()?;
                self.made.push(negated.clone()); // its address is a key for as long as it is alive
                self.written(engine, &negated)?
            }
            ExprKind::Min(list) | ExprKind::Max(list) => {
                let (mut ids, mut pairs) = (SmallVec::new(), Vec::new());
                let mut operands = Vec::with_capacity(list.len());
                for x in list {
                    let (written, normal) = self.written_pair(engine, x)?;
                    ids.push(written);
                    pairs.push((written, normal));
                    operands.push(self.import(engine, x)?);
                }
                operands.sort();
                operands.dedup();
                let least = matches!(expr.kind(), ExprKind::Min(_));
                let known = engine.lattices.get(&(least, operands));
                let firings = known
                    .map(|(_, firings)| firings.clone())
                    .unwrap_or_default();
                let id = engine.record.egraph.add_uncanonical(if least {
                    Node::Min(ids)
                } else {
                    Node::Max(ids)
                });
                let reason = Reason::Rules(firings, pairs);
                engine.record.union(id, normal, reason);
                id
            }
        };
        self.nodes.insert(expr.address(), id);
        Some(id)
    }

    fn written_pair(&mut self, engine: &mut Engine<'_>, expr: &Expr) -> Option<(Id, Id)> {
        let written = self.written(engine, expr)?;
        let sum = self.import(engine, expr)?;
        Some((written, engine.record.sum(&mut engine.store, &sum)))
    }
}

impl Engine<'_> {
    /// The node of a quotient, also when it is trivial.
    fn node_of_quotient(&mut self, of: &Linear, divisor: i64) -> Id {
        let of = self.store.intern(of);
        self.record
            .target(&mut self.store, &Target::Quotient { of, divisor })
    }

    /// Joins `of mod modulus` to its definition and that to its normal form, whose node is returned.
    fn define_remainder(&mut self, of: &Linear, modulus: i64) -> Option<Id> {
        let class = self.record.sum(&mut self.store, of);
        let quotient = self.node_of_quotient(of, modulus);
        let target = Target::Remainder {
            of: self.store.intern(of),
            modulus,
        };
        self.record.target(&mut self.store, &target);
        let (one, minus) = (1, modulus.checked_neg()?);
        let terms = (
            SmallVec::from_slice(&[one, minus]),
            SmallVec::from_slice(&[class, quotient]),
        );
        let definition = self
            .record
            .egraph
            .add_uncanonical(Node::Sum(0, terms.0, terms.1));
        let normal = self.remainder(of, modulus)?;
        let bindings = Bindings::of(&[modulus], [of.clone()]);
        let rule = self.rules.known().mod_def;
        self.record.firings.push(Firing {
            rule,
            bindings,
            target,
            result: None,
        });
        let value = self.divide(of, modulus);
        let value = self.record.sum(&mut self.store, &value);
        let reached = self.record.sum(&mut self.store, &normal);
        self.record
            .union(definition, reached, Reason::Sum(vec![(quotient, value)]));
        Some(reached)
    }
}
