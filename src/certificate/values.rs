//! Converts expressions and terms of rules to sums over atoms.
//!
//! Atoms are variables, quotients, mins and maxes of several sums, and products of atoms; structurally equal atoms are
//! one. Definitions are expanded: `x mod c` is `x - c * (x floordiv c)`, `x ceildiv c` is `-((-x) floordiv c)`, min and
//! max are associative, commutative and idempotent, products are multiplied out.
//!
//! A divisor that is not an integer is *admitted* once it is shown to be positive; a quotient by any other has no value.
//!
//! It holds the [`Fuel`] of the replay, which every loop of the replayer spends. Once it is spent, no term has a value and
//! intervals are unbounded, so every loop ends.

use super::sum::{AtomId, Sum};
use crate::expr::{Divisor, Expr, ExprKind, VariableId};
use crate::num::Fuel;
use crate::rule::Term;
use rustc_hash::{FxHashMap, FxHashSet};

/// An opaque term of a sum.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Atom {
    /// A variable of the map.
    Variable(VariableId),
    /// `sum floordiv divisor`, for a divisor that is an integer of at least 2, or has been admitted.
    Quotient(Sum, Sum),
    /// The product of two or more atoms, sorted, none of which is a product.
    Product(Vec<AtomId>),
    /// The min (`true`) or max (`false`) of two or more sums, sorted and distinct.
    Extreme(bool, Vec<Sum>),
}

/// The reason why a term has no value as a sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoValue {
    /// A coefficient exceeds 128 bits, or a divisor 64.
    Overflow,
    /// A divisor is below 1, or a variable of the rule is not bound.
    NotAffine,
    /// A divisor that is not an integer has not been admitted: [`Values::wanted`].
    Divisor,
    /// The fuel is spent.
    Stopped,
}

/// The values of the variables of a rule.
#[derive(Default)]
pub struct Bindings {
    /// By integer variable.
    pub constants: Vec<Sum>,
    /// By expression variable.
    pub expressions: Vec<Sum>,
}

/// The atoms of one certificate.
pub struct Values<'c> {
    fuel: Fuel,
    atoms: Vec<Atom>,
    sizes: Vec<u64>,
    /// The magnitude of each atom's numbers.
    weights: Vec<u64>,
    /// The nesting depth of quotients whose numerators have a min or max, for each atom.
    levels: Vec<u32>,
    ids: FxHashMap<Atom, AtomId>,
    /// Expressions read so far, by address; the references keep them alive.
    read: FxHashMap<usize, (&'c Expr, Sum)>,
    /// Divisors that are known to be positive, in addition to integers.
    admitted: FxHashSet<Sum>,
    /// The missing divisor that left the last term without a value.
    wanted: Option<Sum>,
    /// Whether each atom depends on parameters alone.
    of_parameters: Vec<bool>,
    /// The first parameter, if any.
    first_parameter: Option<VariableId>,
    /// Variables that are multiples of an integer of at least 2, with this integer and their quotients by it.
    multiples: Vec<(VariableId, i128, AtomId)>,
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
            admitted: FxHashSet::default(),
            wanted: None,
            of_parameters: Vec::new(),
            first_parameter: None,
            multiples: Vec::new(),
        }
    }

    /// Declares variables from this one on as parameters; must be called before any has a value.
    pub fn set_parameters(&mut self, first: Option<VariableId>) {
        self.first_parameter = first;
    }

    /// Returns whether there are parameters.
    pub fn has_parameters(&self) -> bool {
        self.first_parameter.is_some()
    }

    /// Returns whether the value of an atom depends on parameters alone.
    pub fn is_of_parameters(&self, id: AtomId) -> bool {
        self.of_parameters[id.0 as usize]
    }

    /// Discards the values of expressions, whose later values may differ.
    pub fn forget(&mut self) {
        self.read.clear();
    }

    /// Takes the missing divisor that left the last term without a value.
    pub fn wanted(&mut self) -> Option<Sum> {
        self.wanted.take()
    }

    /// Admits a divisor, which is at least 1 at every point of the domain.
    pub fn admit(&mut self, divisor: Sum) {
        self.admitted.insert(divisor);
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

    /// Returns numerator and divisor, if the atom is a quotient by an integer.
    pub fn integer_quotient_of(&self, id: AtomId) -> Option<(&Sum, i64)> {
        let (of, divisor) = self.quotient_of(id)?;
        Some((of, i64::try_from(divisor.as_integer()?).ok()?))
    }

    /// Returns numerator and divisor, if the atom is a quotient.
    pub fn quotient_of(&self, id: AtomId) -> Option<(&Sum, &Sum)> {
        match self.atom(id) {
            Atom::Quotient(of, divisor) => Some((of, divisor)),
            _ => None,
        }
    }

    /// Returns the total order of atoms in which equations are solved: large definitions first; among equally large ones, those
    /// with larger or negative numbers first, so that `max(4*d0, 4)` becomes 4 times `max(d0, 1)`, rather than `max(d0, 1)` a
    /// fraction. Quotients precede max, and max precedes min, since the simplifier distributes division over min and writes a
    /// clamp as a min of a max.
    pub fn order(&self, id: AtomId) -> (u32, u64, u64, u8, AtomId) {
        let rank = match self.atom(id) {
            Atom::Variable(_) => 0,
            Atom::Extreme(true, _) => 1,
            Atom::Extreme(false, _) => 2,
            Atom::Quotient(..) => 3,
            Atom::Product(_) => 4,
        };
        let index = id.0 as usize;
        let (level, size, weight) = (self.levels[index], self.sizes[index], self.weights[index]);
        (level, size, weight, rank, id)
    }

    /// Evaluates an expression.
    pub fn expr(&mut self, expr: &'c Expr) -> Result<Sum, NoValue> {
        if let Some((_, known)) = self.read.get(&expr.address()) {
            self.spend(1 + known.terms().len()).ok_or(NoValue::Stopped)?;
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
            ExprKind::Product(factors) => {
                let mut product = Sum::integer(1);
                for factor in factors {
                    let factor = self.expr(factor)?;
                    product = self.product(&product, &factor)?;
                }
                product
            }
            ExprKind::FloorDiv(x, by) => {
                let (x, by) = (self.expr(x)?, self.divisor(by)?);
                self.quotient(x, by)
            }
            ExprKind::CeilDiv(x, by) => {
                let negated = add(&Sum::default(), -1, &self.expr(x)?)?;
                let by = self.divisor(by)?;
                let quotient = self.quotient(negated, by);
                add(&Sum::default(), -1, &quotient)?
            }
            ExprKind::Mod(x, by) => {
                let (x, by) = (self.expr(x)?, self.divisor(by)?);
                self.remainder(x, by)?
            }
            ExprKind::Min(list) => {
                let list = list.iter().map(|x| self.expr(x)).collect::<Result<_, _>>()?;
                self.extreme(true, list)
            }
            ExprKind::Max(list) => {
                let list = list.iter().map(|x| self.expr(x)).collect::<Result<_, _>>()?;
                self.extreme(false, list)
            }
        };
        self.spend(1 + value.terms().len()).ok_or(NoValue::Stopped)?;
        self.read.insert(expr.address(), (expr, value.clone()));
        Ok(value)
    }

    /// Evaluates a term of a rule.
    pub fn term(&mut self, term: &Term, bindings: &Bindings) -> Result<Sum, NoValue> {
        let mut value = |term: &Term| {
            let value = self.term(term, bindings)?;
            let spent = self.spend(1 + value.terms().len());
            spent.map(|()| value).ok_or(NoValue::Stopped)
        };
        match term {
            Term::Integer(value) => Ok(Sum::integer(i128::from(*value))),
            Term::Constant(slot) => {
                let value = bindings.constants.get(*slot as usize);
                value.cloned().ok_or(NoValue::NotAffine)
            }
            Term::Expression(slot) => {
                let value = bindings.expressions.get(*slot as usize);
                value.cloned().ok_or(NoValue::NotAffine)
            }
            Term::Sum(terms) => {
                terms.iter().try_fold(Sum::default(), |total, x| add(&total, 1, &value(x)?))
            }
            Term::Product(x, y) => {
                let (x, y) = (value(x)?, value(y)?);
                self.product(&x, &y)
            }
            Term::FloorDiv(x, c) => {
                let (x, c) = (value(x)?, value(c)?);
                let c = self.positive(c)?;
                Ok(self.quotient(x, c))
            }
            Term::Mod(x, c) => {
                let (x, c) = (value(x)?, value(c)?);
                let c = self.positive(c)?;
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
        let multiple = self.multiples.iter().find(|(known, _, _)| *known == id);
        if let Some((_, of, quotient)) = multiple
            && let Some(sum) = Sum::atom(*quotient).scaled(*of)
        {
            return sum;
        }
        self.intern(Atom::Variable(id), 1)
    }

    /// From now on writes a variable that is a multiple of `of` as `of * (variable floordiv of)`, and returns the quotient;
    /// `None` if the variable already is written as a multiple.
    pub fn make_multiple(&mut self, id: VariableId, of: i64) -> Option<AtomId> {
        if self.multiples.iter().any(|(known, _, _)| *known == id) {
            return None;
        }
        let (variable, of) = (self.variable(id), i128::from(of));
        let quotient = self.quotient(variable, Sum::integer(of)).as_atom()?;
        self.multiples.push((id, of, quotient));
        Some(quotient)
    }

    /// Returns the quotient that a variable is written with, if it is a multiple.
    fn written_quotient(&self, of: &Sum, divisor: &Sum) -> Option<Sum> {
        let mut multiples = self.multiples.iter();
        let (_, _, quotient) = multiples.find(|(_, by, quotient)| {
            divisor.as_integer() == Some(*by)
                && Sum::atom(*quotient).scaled(*by).as_ref() == Some(of)
        })?;
        Some(Sum::atom(*quotient))
    }

    /// Returns `of floordiv divisor`, for a positive integer or an admitted divisor.
    pub fn quotient(&mut self, of: Sum, divisor: Sum) -> Sum {
        if let Some(divisor) = divisor.as_integer() {
            if let Some(value) = of.as_integer() {
                return Sum::integer(value.div_euclid(divisor));
            }
            if divisor == 1 {
                return of;
            }
        }
        if let Some(known) = self.written_quotient(&of, &divisor) {
            return known;
        }
        let sizes = self.size(&of).saturating_add(self.size(&divisor));
        self.intern(Atom::Quotient(of, divisor), sizes.saturating_add(1))
    }

    fn remainder(&mut self, of: Sum, modulus: Sum) -> Result<Sum, NoValue> {
        let quotient = self.quotient(of.clone(), modulus.clone());
        let multiple = self.product(&modulus, &quotient)?;
        add(&of, -1, &multiple)
    }

    fn divisor(&mut self, divisor: &'c Divisor) -> Result<Sum, NoValue> {
        match divisor {
            Divisor::Integer(value) => Ok(Sum::integer(i128::from(*value))),
            Divisor::Named(expr) => {
                let value = self.expr(expr)?;
                self.positive(value)
            }
        }
    }

    /// Returns the divisor if it is known to be positive.
    fn positive(&mut self, divisor: Sum) -> Result<Sum, NoValue> {
        match divisor.as_integer() {
            Some(value) if value > i128::from(i64::MAX) => Err(NoValue::Overflow),
            Some(value) if value >= 1 => Ok(divisor),
            Some(_) => Err(NoValue::NotAffine),
            None if self.admitted.contains(&divisor) => Ok(divisor),
            None => {
                self.wanted = Some(divisor);
                Err(NoValue::Divisor)
            }
        }
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

    pub(super) fn intern(&mut self, atom: Atom, size: u64) -> Sum {
        let next = AtomId(self.atoms.len() as u32);
        let id = *self.ids.entry(atom.clone()).or_insert(next);
        if id == next {
            self.levels.push(self.level(&atom));
            self.weights.push(self.weight(&atom));
            self.of_parameters.push(self.depends_on_parameters_alone(&atom));
            self.atoms.push(atom);
            self.sizes.push(size);
        }
        Sum::atom(id)
    }

    fn depends_on_parameters_alone(&self, atom: &Atom) -> bool {
        let is_own = |id: &AtomId| self.of_parameters[id.0 as usize];
        let of_sum = |sum: &Sum| sum.terms().iter().all(|(id, _)| is_own(id));
        self.has_parameters()
            && match atom {
                Atom::Variable(id) => self.first_parameter.is_some_and(|first| *id >= first),
                Atom::Quotient(of, divisor) => of_sum(of) && of_sum(divisor),
                Atom::Extreme(_, list) => list.iter().all(of_sum),
                Atom::Product(factors) => factors.iter().all(is_own),
            }
    }

    fn level(&self, atom: &Atom) -> u32 {
        let of_sum = |sum: &Sum| {
            let levels = sum.terms().iter().map(|(atom, _)| self.levels[atom.0 as usize]);
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
            Atom::Product(factors) => factors.iter().map(|x| self.levels[x.0 as usize]).sum(),
        }
    }

    fn weight(&self, atom: &Atom) -> u64 {
        let of_number = |number: i128| {
            let absolute = u64::try_from(number.unsigned_abs()).unwrap_or(u64::MAX);
            absolute.saturating_mul(2).saturating_add(u64::from(number < 0))
        };
        let of_sum = |sum: &Sum| {
            let terms = sum.terms().iter().map(|(atom, coefficient)| {
                self.weights[atom.0 as usize].saturating_add(of_number(*coefficient))
            });
            terms.fold(of_number(sum.constant()), u64::saturating_add)
        };
        match atom {
            Atom::Variable(_) => 0,
            Atom::Quotient(of, divisor) => of_sum(of).saturating_add(of_sum(divisor)),
            Atom::Extreme(_, list) => list.iter().map(of_sum).fold(0, u64::saturating_add),
            Atom::Product(factors) => {
                factors.iter().map(|x| self.weights[x.0 as usize]).fold(0, u64::saturating_add)
            }
        }
    }

    pub(super) fn size(&self, sum: &Sum) -> u64 {
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
    let integer = if least { integers.min() } else { integers.max() };
    flat.retain(|x| x.as_integer().is_none());
    flat.extend(integer.map(Sum::integer));
    flat.sort();
    flat.dedup();
    flat
}

fn add(x: &Sum, factor: i128, y: &Sum) -> Result<Sum, NoValue> {
    x.plus(factor, y).ok_or(NoValue::Overflow)
}
