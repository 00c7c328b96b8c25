//! Converts expressions to sums over atoms.
//!
//! Quotients are first kept raw: `x floordiv a floordiv b` becomes one raw quotient by `a * b`, `x mod c` becomes `x -
//! c * (x floordiv c)`, `ceildiv` becomes `floordiv` (`ceiling`), and like raw quotients cancel. The remaining ones are
//! normalized. So an index that is delinearized and linearized again cancels before any division rule sees it, whatever
//! the shared sum is.

use super::engine::Engine;
use super::journal::Side;
use super::linear::{AtomId, Linear};
use crate::expr::{Divisor, Expr, ExprKind, interval_by_operands};
use crate::num::Interval;
use crate::rule::matching::{Number, number_of};
use rustc_hash::FxHashMap;

/// Raw quotients are numbered from here, above every atom of the store.
const FIRST_RAW: u32 = 1 << 30;

/// Imports the expressions of one map.
#[derive(Clone, Default)]
pub struct Importer {
    raw: Vec<(Linear, Number)>,
    raw_ids: FxHashMap<(Linear, Number), AtomId>,
    done: FxHashMap<Expr, Linear>,
    /// Expressions without the parts that cannot matter; `None` where all of them may.
    pub(super) reduced: FxHashMap<Expr, Option<Expr>>,
    /// Intervals of expressions as given.
    ranges: FxHashMap<Expr, Interval>,
}

impl Importer {
    /// Returns the normal form of an expression; `None` if a coefficient overflows.
    pub fn import(&mut self, engine: &mut Engine<'_>, expr: &Expr) -> Option<Linear> {
        let sum = self.import_bounded(engine, expr)?;
        self.learn(engine, expr, &sum);
        Some(engine.without_choice(sum))
    }

    /// Returns the normal form of an expression whose bounds a constraint states.
    pub fn import_bounded(&mut self, engine: &mut Engine<'_>, expr: &Expr) -> Option<Linear> {
        if expr.is_symbolic() && engine.store.take_products() {
            self.done.clear(); // a raw quotient could not be a factor
        }
        let raw = self.read(engine, expr)?;
        self.lower(engine, &raw)
    }

    /// Adds the interval of an expression as written as a fact about its sum: the normal forms of quotients may be less precise.
    fn learn(&mut self, engine: &mut Engine<'_>, expr: &Expr, sum: &Linear) {
        if sum.as_constant().is_some() || engine.store.is_affine(sum) {
            return;
        }
        let given = self.range(engine, expr);
        let (_, known) = engine.store.unnamed_range(sum);
        if known.intersect(given) != known {
            engine.note_same(Side::Written(expr.clone()), Side::Sum(sum.clone()));
            let id = engine.store.intern(sum);
            engine.store.refine(id, given);
        }
    }

    /// Returns the interval of an expression as given; subterms may be shared.
    pub(super) fn range(&mut self, engine: &Engine<'_>, expr: &Expr) -> Interval {
        if let Some(known) = self.ranges.get(expr) {
            return *known;
        }
        let bounds = |id| engine.store.range_of_variable(id);
        let range = interval_by_operands(expr, &bounds, |x| self.range(engine, x));
        self.ranges.insert(expr.clone(), range);
        range
    }

    /// Reads the dividend of a quotient or remainder, and learns its interval as given.
    fn dividend(&mut self, engine: &mut Engine<'_>, x: &Expr) -> Option<Linear> {
        let raw = self.read(engine, x)?;
        if !self.is_raw_quotient(&raw) && raw.as_constant().is_none() {
            let sum = self.lower(engine, &raw)?;
            self.learn(engine, x, &sum);
        }
        Some(raw)
    }

    fn read(&mut self, engine: &mut Engine<'_>, expr: &Expr) -> Option<Linear> {
        if let Some(known) = self.done.get(expr) {
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
                let x = self.dividend(engine, x)?;
                let divisor = self.divisor(engine, divisor)?;
                self.raw_quotient(engine, &x, divisor)?
            }
            ExprKind::CeilDiv(x, divisor) => {
                let negated = self.read(engine, x)?.scaled(-1)?;
                let divisor = self.divisor(engine, divisor)?;
                self.raw_quotient(engine, &negated, divisor)?.scaled(-1)?
            }
            ExprKind::Product(factors) => {
                let mut product = Linear::constant(1);
                for factor in factors {
                    let factor = self.import(engine, factor)?;
                    product = engine.store.product(&product, &factor)?;
                }
                product
            }
            ExprKind::Mod(..) if engine.rules.remainder.is_none() => return None,
            ExprKind::Mod(x, modulus) => {
                if let Divisor::Integer(modulus) = modulus
                    && let Some(block) = self.range(engine, x).block(*modulus)
                    && let Ok(quotient) = x.floordiv(*modulus)
                {
                    let raw = self.read(engine, x)?;
                    let sum = self.lower(engine, &raw)?;
                    // A rule states this, if the normal form is also in one block.
                    let quotient = match engine.store.range(&sum).block(*modulus) {
                        Some(_) => Some(engine.divide(&sum, *modulus)),
                        None => engine.only_value(&quotient, block),
                    };
                    if let Some(quotient) = quotient {
                        return raw.plus(modulus.checked_neg()?, &quotient);
                    }
                }
                let x = self.dividend(engine, x)?;
                let modulus = self.divisor(engine, modulus)?;
                let quotient = self.raw_quotient(engine, &x, modulus)?;
                let x = if self.is_raw_quotient(&x) { x } else { self.lower(engine, &x)? };
                x.plus(-1, &modulus.scaled(&quotient, engine)?)?
            }
            ExprKind::Min(list) => self.read_min_max(engine, list, true)?,
            ExprKind::Max(list) => self.read_min_max(engine, list, false)?,
        };
        let sum = match self.range(engine, expr).as_point() {
            Some(value) if sum.as_constant().is_none() => {
                engine.only_value(expr, value).unwrap_or(sum)
            }
            _ => sum,
        };
        self.done.insert(expr.clone(), sum.clone());
        Some(sum)
    }

    fn read_min_max(
        &mut self,
        engine: &mut Engine<'_>,
        list: &[Expr],
        least: bool,
    ) -> Option<Linear> {
        let mut operands = Vec::with_capacity(list.len());
        for x in list {
            operands.push(self.import(engine, x)?);
        }
        engine.min_max(operands, least)
    }

    /// Converts a divisor: an integer, or a named number for a sum.
    pub(super) fn divisor(&mut self, engine: &mut Engine<'_>, divisor: &Divisor) -> Option<Number> {
        match divisor {
            Divisor::Integer(value) => Some(Number::Integer(*value)),
            Divisor::Named(expr) => {
                let sum = self.import(engine, expr)?;
                let number = number_of(&sum, engine)?;
                // In an empty domain, a divisor may be any integer.
                (!matches!(number, Number::Integer(..1))).then_some(number)
            }
        }
    }

    fn is_raw_quotient(&self, sum: &Linear) -> bool {
        sum.as_atom().is_some_and(|atom| atom.0 >= FIRST_RAW)
    }

    fn raw_quotient(
        &mut self,
        engine: &mut Engine<'_>,
        x: &Linear,
        divisor: Number,
    ) -> Option<Linear> {
        if engine.store.names.is_some() {
            return Some(engine.divide(x, divisor)); // a raw quotient could not be a factor
        }
        let inner = x.as_atom().filter(|atom| atom.0 >= FIRST_RAW);
        if let Some((of, inner_divisor)) =
            inner.map(|atom| self.raw[(atom.0 - FIRST_RAW) as usize].clone())
            && let Some(product) = inner_divisor.times(divisor, engine)
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

    fn raw_atom(&mut self, of: Linear, divisor: Number) -> Linear {
        let next = AtomId(FIRST_RAW + self.raw.len() as u32);
        let key = (of, divisor);
        let id = *self.raw_ids.entry(key.clone()).or_insert(next);
        if id == next {
            self.raw.push(key);
        }
        Linear::atom(id)
    }

    /// Normalizes the remaining raw quotients of a sum.
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
        engine.without_min_max_pairs(total)
    }
}
