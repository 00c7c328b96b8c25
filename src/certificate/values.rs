//! Converts expressions and terms of rules to sums over atoms.
//!
//! Atoms are variables, quotients, mins and maxes of several sums; structurally equal atoms are one. Definitions are
//! expanded: `x mod c` is `x - c * (x floordiv c)`, `x ceildiv c` is `-((-x) floordiv c)`, min and max are associative,
//! commutative and idempotent.
//!
//! It holds the [`Fuel`] of the replay, which every loop of the replayer spends. Once it is spent, no term has a value
//! and intervals are unbounded, so every loop ends.

use super::sum::{AtomId, Sum};
use crate::expr::{Divisor, Expr, ExprKind, VariableId};
use crate::num::Fuel;
use crate::rule::Term;
use rustc_hash::FxHashMap;

/// An opaque term of a sum.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Atom {
    /// A variable of the map.
    Variable(VariableId),
    /// `sum floordiv divisor`, for a divisor of at least 2.
    Quotient(Sum, i64),
    /// The min (`true`) or max (`false`) of two or more sums, sorted and distinct.
    Extreme(bool, Vec<Sum>),
}

/// Why a term has no value as a sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoValue {
    /// A coefficient exceeds 128 bits, or a divisor 64.
    Overflow,
    /// A divisor is below 1 or no integer, or two sums are multiplied.
    NotAffine,
    /// The fuel is spent.
    Stopped,
}

/// The atoms of one certificate.
pub struct Values<'c> {
    fuel: Fuel,
    atoms: Vec<Atom>,
    sizes: Vec<u64>,
    /// By atom: magnitude of its numbers.
    weights: Vec<u64>,
    /// By atom: nesting depth of quotients whose numerators have a min or max.
    levels: Vec<u32>,
    ids: FxHashMap<Atom, AtomId>,
    /// Expressions read so far, by address; the references keep them alive.
    read: FxHashMap<usize, (&'c Expr, Sum)>,
}

impl<'c> Values<'c> {
    /// Creates an empty table.
    pub fn new(fuel: Fuel) -> Values<'c> {
        Values {
            fuel,
            atoms: Vec::new(),
            sizes: Vec::new(),
            weights: Vec::new(),
            levels: Vec::new(),
            ids: FxHashMap::default(),
            read: FxHashMap::default(),
        }
    }

    /// Spends one step per term visited; `None` if the fuel is spent.
    pub fn spend(&self, steps: usize) -> Option<()> {
        let steps = u64::try_from(steps).unwrap_or(u64::MAX);
        self.fuel.spend(steps).ok()
    }

    /// Iterates over the atoms in order of creation; each uses only earlier atoms.
    pub fn atoms(&self) -> impl Iterator<Item = (AtomId, &Atom)> {
        (0u32..).map(AtomId).zip(&self.atoms)
    }

    /// Iterates over the expressions read so far with their values, in no order.
    pub fn written(&self) -> impl Iterator<Item = (&'c Expr, &Sum)> {
        self.read.values().map(|(expr, sum)| (*expr, sum))
    }

    /// Returns the definition of an atom.
    pub fn atom(&self, id: AtomId) -> &Atom {
        &self.atoms[id.0 as usize]
    }

    /// Returns sum and divisor, if the atom is a quotient.
    pub fn quotient_of(&self, id: AtomId) -> Option<(&Sum, i64)> {
        match self.atom(id) {
            Atom::Quotient(of, divisor) => Some((of, *divisor)),
            _ => None,
        }
    }

    /// The total order of atoms in which equations are solved: large definitions first; among equally large ones, those
    /// with larger or negative numbers first, so that `max(4*d0, 4)` becomes 4 times `max(d0, 1)` and not the latter a
    /// fraction. Then quotients go before max and max before min: the simplifier distributes division over a min and
    /// has the min of a clamp outside.
    pub fn order(&self, id: AtomId) -> (u32, u64, u64, u8, AtomId) {
        let rank = match self.atom(id) {
            Atom::Variable(_) => 0,
            Atom::Extreme(true, _) => 1,
            Atom::Extreme(false, _) => 2,
            Atom::Quotient(..) => 3,
        };
        let index = id.0 as usize;
        let (level, size, weight) = (self.levels[index], self.sizes[index], self.weights[index]);
        (level, size, weight, rank, id)
    }

    /// Evaluates an expression.
    pub fn expr(&mut self, expr: &'c Expr) -> Result<Sum, NoValue> {
        if let Some((_, known)) = self.read.get(&expr.address()) {
            self.spend(1 + known.terms().len())
                .ok_or(NoValue::Stopped)?;
            return Ok(known.clone());
        }
        let value = match expr.kind() {
            ExprKind::Constant(value) => Sum::integer(i128::from(*value)),
            ExprKind::Variable(id) => self.variable(*id),
            ExprKind::Sum(sum) => {
                let mut parts = Vec::with_capacity(sum.terms().len());
                for (coefficient, x) in sum.terms() {
                    parts.push((i128::from(*coefficient), self.expr(x)?));
                }
                let total = Sum::linear(i128::from(sum.constant()), &parts);
                total.ok_or(NoValue::Overflow)?
            }
            ExprKind::FloorDiv(x, Divisor::Integer(c)) => {
                let x = self.expr(x)?;
                self.quotient(x, *c)
            }
            ExprKind::CeilDiv(x, Divisor::Integer(c)) => {
                let negated = add(&Sum::default(), -1, &self.expr(x)?)?;
                let quotient = self.quotient(negated, *c);
                add(&Sum::default(), -1, &quotient)?
            }
            ExprKind::Product(_)
            | ExprKind::FloorDiv(..)
            | ExprKind::CeilDiv(..)
            | ExprKind::Mod(_, Divisor::Named(_)) => return Err(NoValue::NotAffine),
            ExprKind::Mod(x, Divisor::Integer(c)) => {
                let x = self.expr(x)?;
                self.remainder(x, *c)?
            }
            ExprKind::Min(list) => {
                let list = list
                    .iter()
                    .map(|x| self.expr(x))
                    .collect::<Result<_, _>>()?;
                self.extreme(true, list)
            }
            ExprKind::Max(list) => {
                let list = list
                    .iter()
                    .map(|x| self.expr(x))
                    .collect::<Result<_, _>>()?;
                self.extreme(false, list)
            }
        };
        self.spend(1 + value.terms().len())
            .ok_or(NoValue::Stopped)?;
        self.read.insert(expr.address(), (expr, value.clone()));
        Ok(value)
    }

    /// Evaluates a term of a rule, with `constants` and `expressions` for its variables.
    pub fn term(
        &mut self,
        term: &Term,
        constants: &[i64],
        expressions: &[Sum],
    ) -> Result<Sum, NoValue> {
        let mut value = |term: &Term| {
            let value = self.term(term, constants, expressions)?;
            let spent = self.spend(1 + value.terms().len());
            spent.map(|()| value).ok_or(NoValue::Stopped)
        };
        match term {
            Term::Integer(value) => Ok(Sum::integer(i128::from(*value))),
            Term::Constant(slot) => {
                let value = constants.get(*slot as usize).ok_or(NoValue::NotAffine)?;
                Ok(Sum::integer(i128::from(*value)))
            }
            Term::Expression(slot) => {
                let value = expressions.get(*slot as usize);
                value.cloned().ok_or(NoValue::NotAffine)
            }
            Term::Sum(terms) => terms
                .iter()
                .try_fold(Sum::default(), |total, x| add(&total, 1, &value(x)?)),
            Term::Product(x, y) => {
                let (x, y) = (value(x)?, value(y)?);
                match (x.as_integer(), y.as_integer()) {
                    (Some(factor), _) => add(&Sum::default(), factor, &y),
                    (_, Some(factor)) => add(&Sum::default(), factor, &x),
                    _ => Err(NoValue::NotAffine),
                }
            }
            Term::FloorDiv(x, c) => {
                let (x, c) = (value(x)?, divisor(&value(c)?)?);
                Ok(self.quotient(x, c))
            }
            Term::Mod(x, c) => {
                let (x, c) = (value(x)?, divisor(&value(c)?)?);
                self.remainder(x, c)
            }
            Term::Min(x, y) => {
                let list = vec![value(x)?, value(y)?];
                Ok(self.extreme(true, list))
            }
            Term::Max(x, y) => {
                let list = vec![value(x)?, value(y)?];
                Ok(self.extreme(false, list))
            }
            Term::Lo(_) | Term::Hi(_) => Err(NoValue::NotAffine), // only in hints
        }
    }

    /// Returns the sum of one variable.
    pub fn variable(&mut self, id: VariableId) -> Sum {
        self.intern(Atom::Variable(id), 1)
    }

    /// `of floordiv divisor`
    pub fn quotient(&mut self, of: Sum, divisor: i64) -> Sum {
        if let Some(value) = of.as_integer() {
            return Sum::integer(value.div_euclid(i128::from(divisor)));
        }
        if divisor == 1 {
            return of;
        }
        let size = self.size(&of).saturating_add(2);
        self.intern(Atom::Quotient(of, divisor), size)
    }

    fn remainder(&mut self, of: Sum, modulus: i64) -> Result<Sum, NoValue> {
        let quotient = self.quotient(of.clone(), modulus);
        add(&of, -i128::from(modulus), &quotient)
    }

    /// Returns the minimum (or maximum) of a list.
    pub fn extreme(&mut self, least: bool, list: Vec<Sum>) -> Sum {
        let list = flattened(self, least, list);
        if let [only] = list.as_slice() {
            return only.clone();
        }
        // 0 counts as 1: moving out the common part can make an operand 0.
        let sizes = list.iter().map(|x| self.size(x).max(1));
        let size = sizes.fold(2, u64::saturating_add);
        self.intern(Atom::Extreme(least, list), size)
    }

    fn intern(&mut self, atom: Atom, size: u64) -> Sum {
        let next = AtomId(self.atoms.len() as u32);
        let id = *self.ids.entry(atom.clone()).or_insert(next);
        if id == next {
            self.levels.push(self.level(&atom));
            self.weights.push(self.weight(&atom));
            self.atoms.push(atom);
            self.sizes.push(size);
        }
        Sum::atom(id)
    }

    fn level(&self, atom: &Atom) -> u32 {
        let of_sum = |sum: &Sum| {
            let levels = sum
                .terms()
                .iter()
                .map(|(atom, _)| self.levels[atom.0 as usize]);
            levels.max().unwrap_or(0)
        };
        match atom {
            Atom::Variable(_) => 0,
            Atom::Quotient(of, _) => {
                let has_extreme = of
                    .terms()
                    .iter()
                    .any(|(atom, _)| matches!(self.atom(*atom), Atom::Extreme(..)));
                of_sum(of) + u32::from(has_extreme)
            }
            Atom::Extreme(_, list) => list.iter().map(of_sum).max().unwrap_or(0),
        }
    }

    fn weight(&self, atom: &Atom) -> u64 {
        let of_number = |number: i128| {
            let absolute = u64::try_from(number.unsigned_abs()).unwrap_or(u64::MAX);
            absolute
                .saturating_mul(2)
                .saturating_add(u64::from(number < 0))
        };
        let of_sum = |sum: &Sum| {
            let terms = sum.terms().iter().map(|(atom, coefficient)| {
                self.weights[atom.0 as usize].saturating_add(of_number(*coefficient))
            });
            terms.fold(of_number(sum.constant()), u64::saturating_add)
        };
        match atom {
            Atom::Variable(_) => 0,
            Atom::Quotient(of, divisor) => {
                of_sum(of).saturating_add(of_number(i128::from(*divisor)))
            }
            Atom::Extreme(_, list) => list.iter().map(of_sum).fold(0, u64::saturating_add),
        }
    }

    fn size(&self, sum: &Sum) -> u64 {
        let terms = sum.terms().iter().map(|(atom, coefficient)| {
            let factor = u64::from(coefficient.unsigned_abs() != 1);
            self.sizes[atom.0 as usize].saturating_add(factor)
        });
        terms.fold(u64::from(sum.constant() != 0), u64::saturating_add)
    }
}

/// Returns the operands of a min or max, with a nested min flattened, all integers merged, sorted and distinct.
pub fn flattened(values: &Values<'_>, least: bool, list: Vec<Sum>) -> Vec<Sum> {
    let mut flat: Vec<Sum> = Vec::with_capacity(list.len());
    for x in list {
        match x.as_atom().map(|atom| values.atom(atom)) {
            Some(Atom::Extreme(kind, inner)) if *kind == least => flat.extend_from_slice(inner),
            _ => flat.push(x),
        }
    }
    let integers = flat.iter().filter_map(Sum::as_integer);
    let integer = if least {
        integers.min()
    } else {
        integers.max()
    };
    flat.retain(|x| x.as_integer().is_none());
    flat.extend(integer.map(Sum::integer));
    flat.sort();
    flat.dedup();
    flat
}

fn add(x: &Sum, factor: i128, y: &Sum) -> Result<Sum, NoValue> {
    x.plus(factor, y).ok_or(NoValue::Overflow)
}

fn divisor(value: &Sum) -> Result<i64, NoValue> {
    match value.as_integer() {
        Some(value) if value >= 1 => i64::try_from(value).map_err(|_| NoValue::Overflow),
        _ => Err(NoValue::NotAffine),
    }
}
