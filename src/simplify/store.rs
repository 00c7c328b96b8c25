//! Atoms and sums of one map, with facts under its domain.
//!
//! Invariant: facts (ranges, digit views) hold for one domain; a store is never used for another. An atom's definition
//! uses only earlier atoms, so every recursion over definitions terminates.

use super::digits::DigitView;
use super::linear::{AtomId, Linear, SumId};
use super::parameters::Names;
use super::samples::Samples;
use super::stride::Strides;
use super::table::Table;
use crate::expr::VariableId;
use crate::num::polynomial::Monomial;
use crate::num::{Fuel, Interval};
use crate::rule::matching::{Number, Operator, Outline};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Maximum number of constraints that a sum is compared with.
const MAX_CONSTRAINED: usize = 8;

/// The definition of an atom.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Definition {
    Variable(VariableId),
    /// `numerator floordiv divisor`, to which no rule applies.
    Quotient(Linear, Number),
    /// The minimum of several sums, sorted.
    Least(Vec<Linear>),
    /// The maximum of several sums, sorted.
    Greatest(Vec<Linear>),
    /// The product of two or more other atoms, sorted.
    Product(Monomial<AtomId>),
}

impl Definition {
    /// Returns the operator; `None` for a variable or product.
    pub fn operator(&self) -> Option<Operator> {
        match self {
            Definition::Variable(_) | Definition::Product(_) => None,
            Definition::Quotient(..) => Some(Operator::FloorDiv),
            Definition::Least(_) => Some(Operator::Min),
            Definition::Greatest(_) => Some(Operator::Max),
        }
    }
}

/// An atom with facts about it.
#[derive(Clone, Debug)]
pub struct Atom {
    pub definition: Definition,
    /// An interval that contains all values in the domain.
    pub range: Interval,
    /// Variables it depends on, one bit for each (modulo 64): disjoint bits mean no common variable.
    pub support: u64,
    /// Size of its definition, to compare normal forms.
    pub weight: u32,
    /// Whether it depends on parameters alone.
    pub of_parameters: bool,
    /// Its values, if it depends on one variable of few values.
    pub(super) table: Option<Table>,
}

#[derive(Clone, Default)]
struct SumFacts {
    /// The range without facts about named sizes.
    range: Option<Interval>,
    /// The lower and the upper bound with facts about named sizes, computed on demand.
    ends: [Option<i64>; 2],
    /// The digit view, and the view by classes of numerators, computed on demand.
    digits: [Option<Rc<DigitView>>; 2],
}

/// The atoms and sums of one map under one domain.
#[derive(Clone)]
pub struct Store {
    atoms: Vec<Atom>,
    atom_ids: FxHashMap<Definition, AtomId>,
    /// The first quotient of each class of numerators modulo a divisor.
    classes: FxHashMap<(Linear, i64), AtomId>,
    /// Mins and maxes that are quotients of a min or max, with numerator and divisor of the first such quotient.
    divided_choices: FxHashMap<AtomId, (Linear, i64)>,
    sum_ids: FxHashMap<Linear, SumId>,
    sums: Vec<(Linear, SumFacts)>,
    /// Bounds from constraints of the domain on sums without constant.
    constrained: FxHashMap<Linear, Interval>,
    /// Facts about parameters, if any.
    pub(super) names: Option<Box<Names>>,
    /// Sums whose remainder the domain states.
    pub(super) strides: Strides,
    /// The values of atoms at points of the domain.
    pub(super) samples: Samples,
    /// Number of atoms that are mins or maxes.
    pub(super) mins_and_maxes: u32,
    /// The fuel for work on terms. Once it is spent, ranges are no longer refined but remain sound.
    pub(super) fuel: Fuel,
    /// Depth of nested case splits over operands of mins and maxes.
    pub(super) distinguished: u32,
}

impl Store {
    /// Creates a store for a domain whose variables have these bounds.
    pub fn new(bounds: &[Interval], fuel: &Fuel) -> Store {
        let mut store = Store {
            atoms: Vec::with_capacity(32),
            atom_ids: FxHashMap::default(),
            classes: FxHashMap::default(),
            divided_choices: FxHashMap::default(),
            sum_ids: FxHashMap::with_capacity_and_hasher(56, Default::default()),
            sums: Vec::with_capacity(64),
            constrained: FxHashMap::default(),
            names: None,
            strides: Strides::default(),
            samples: Samples::default(),
            mins_and_maxes: 0,
            fuel: fuel.clone(),
            distinguished: 0,
        };
        for (index, range) in (0u32..).zip(bounds) {
            store.add(Definition::Variable(VariableId(index)), *range);
        }
        store
    }

    /// Returns the sum of a variable: its atom, or its value if it has only one.
    pub fn variable(&self, id: VariableId) -> Linear {
        if let Some(multiple) = self.multiple_of(id) {
            return multiple;
        }
        match (self.atoms[id.index()].range.as_point(), self.strides.value_of(AtomId(id.0))) {
            (Some(value), _) => Linear::constant(value),
            (None, Some(value)) => value.clone(),
            (None, None) => Linear::atom(AtomId(id.0)),
        }
    }

    /// Returns the range of a variable.
    pub fn range_of_variable(&self, id: VariableId) -> Interval {
        self.atoms[id.index()].range
    }

    /// Returns the ranges of the variables.
    pub fn variables(&self) -> Vec<Interval> {
        let variables = self.atoms.iter();
        let variables =
            variables.take_while(|atom| matches!(atom.definition, Definition::Variable(_)));
        variables.map(|atom| atom.range).collect()
    }

    /// Returns an atom with its facts.
    pub fn atom(&self, id: AtomId) -> &Atom {
        &self.atoms[id.index()]
    }

    /// Returns numerator and divisor, if the atom is a quotient by an integer.
    pub fn quotient(&self, id: AtomId) -> Option<(&Linear, i64)> {
        match &self.atom(id).definition {
            Definition::Quotient(numerator, Number::Integer(divisor)) => {
                Some((numerator, *divisor))
            }
            _ => None,
        }
    }

    /// Returns numerator and divisor, if the atom is a quotient.
    pub fn division(&self, id: AtomId) -> Option<(Linear, Number)> {
        match &self.atom(id).definition {
            Definition::Quotient(numerator, divisor) => Some((numerator.clone(), *divisor)),
            _ => None,
        }
    }

    /// Returns whether an atom is a min or max.
    pub fn is_choice(&self, id: AtomId) -> bool {
        let operator = self.atom(id).definition.operator();
        matches!(operator, Some(Operator::Min | Operator::Max))
    }

    /// Returns whether a sum has only variables.
    pub fn is_affine(&self, sum: &Linear) -> bool {
        let mut terms = sum.terms().iter();
        terms.all(|(atom, _)| matches!(self.atom(*atom).definition, Definition::Variable(_)))
    }

    /// Iterates over the quotients among the terms of a sum, with their coefficients.
    pub fn quotients_of<'a>(&'a self, sum: &'a Linear) -> impl Iterator<Item = (AtomId, i64)> + 'a {
        sum.terms().iter().copied().filter(|(atom, _)| self.quotient(*atom).is_some())
    }

    /// Looks up the atom `numerator floordiv divisor`.
    pub fn existing_quotient(&self, numerator: &Linear, divisor: i64) -> Option<AtomId> {
        self.atom_ids
            .get(&Definition::Quotient(numerator.clone(), Number::Integer(divisor)))
            .copied()
    }

    /// Records that a min or max is `numerator floordiv divisor`.
    pub fn note_divided_choice(&mut self, atom: AtomId, numerator: &Linear, divisor: i64) {
        self.divided_choices.entry(atom).or_insert_with(|| (numerator.clone(), divisor));
    }

    /// Interns the atom `numerator floordiv divisor`.
    pub fn quotient_atom(&mut self, numerator: &Linear, divisor: Number) -> AtomId {
        let definition = Definition::Quotient(numerator.clone(), divisor);
        if let Some(id) = self.atom_ids.get(&definition) {
            return *id;
        }
        let range = match divisor {
            Number::Integer(divisor) => self.range(numerator).floordiv(divisor),
            Number::Named(name) => self.range_of_quotient(numerator, SumId(name.0)),
        };
        let id = self.add(definition, range);
        if let Number::Integer(divisor) = divisor {
            self.classes.entry((numerator.residue(divisor), divisor)).or_insert(id);
        }
        id
    }

    /// Splits a sum into a multiple of `divisor` and the numerator of an existing quotient by it; `None` if no numerator other
    /// than the sum exists.
    pub fn congruent(&self, sum: &Linear, divisor: i64) -> Option<(Linear, Linear)> {
        let known = self.classes.get(&(sum.residue(divisor), divisor))?;
        let (numerator, _) = self.quotient(*known)?;
        let multiple = sum.plus(-1, numerator)?.divided(divisor)?;
        (!multiple.is_zero()).then(|| (multiple, numerator.clone()))
    }

    /// Returns whether a quotient by `divisor` exists whose numerator differs from `sum` by a multiple of the divisor.
    pub fn is_known_class(&self, sum: &Linear, divisor: i64) -> bool {
        self.classes.contains_key(&(sum.residue(divisor), divisor))
    }

    /// Interns the minimum (or maximum) of `operands`, which are sorted and distinct.
    pub fn min_max_atom(&mut self, operands: Vec<Linear>, least: bool) -> AtomId {
        let join = if least { Interval::min } else { Interval::max };
        let range = operands.iter().map(|x| self.range(x)).reduce(join).unwrap_or(Interval::ALL);
        let definition =
            if least { Definition::Least(operands) } else { Definition::Greatest(operands) };
        if let Some(id) = self.atom_ids.get(&definition) {
            return *id;
        }
        self.mins_and_maxes += 1;
        self.add(definition, range)
    }

    /// Interns a sum.
    pub fn intern(&mut self, sum: &Linear) -> SumId {
        if let Some(id) = self.sum_ids.get(sum) {
            return *id;
        }
        let id = SumId(self.sums.len() as u32);
        self.sums.push((sum.clone(), SumFacts::default()));
        self.sum_ids.insert(sum.clone(), id);
        id
    }

    pub fn sum(&self, id: SumId) -> &Linear {
        &self.sums[id.0 as usize].0
    }

    /// Records that the domain bounds `sum` by `bounds` (`range-shift`).
    pub fn constrain(&mut self, sum: &Linear, bounds: Interval) {
        let Some(shift) = sum.constant.checked_neg() else {
            return;
        };
        let key = sum.with_constant(0);
        let bounds = bounds.add(Interval::point(shift));
        let merged = self.constrained.get(&key).map_or(bounds, |known| known.intersect(bounds));
        self.constrained.insert(key, merged);
        for (_, facts) in &mut self.sums {
            (facts.range, facts.ends) = (None, [None; 2]);
        }
    }

    /// Returns the sums that the domain bounds, without constants; none if there are too many.
    pub fn constrained_sums(&self) -> Vec<Linear> {
        if self.constrained.len() > MAX_CONSTRAINED {
            return Vec::new();
        }
        let mut sums: Vec<Linear> = self.constrained.keys().cloned().collect();
        sums.sort_unstable();
        sums
    }

    /// Returns whether the domain has constraints on sums, not just bounds of variables.
    pub fn has_constraints(&self) -> bool {
        !self.constrained.is_empty()
    }

    /// Returns an interval that contains all values of a sum: the intersection (`range-intersect`) of the interval sum
    /// of its terms, that of its digit view (`range-digits`), and the domain's constraint on it.
    pub fn range(&mut self, sum: &Linear) -> Interval {
        let (id, range) = self.unnamed_range(sum);
        match id.filter(|_| self.names.is_some()) {
            Some(id) => self.range_by_names(id, range),
            None => range,
        }
    }

    /// Returns the range of a sum without facts about named sizes, and the sum's number if these may tighten it.
    pub(super) fn unnamed_range(&mut self, sum: &Linear) -> (Option<SumId>, Interval) {
        if sum.terms().len() < 2 || (self.constrained.is_empty() && self.is_affine(sum)) {
            return (None, self.plain_range(sum));
        }
        let id = self.intern(sum);
        if let Some(range) = self.sums[id.0 as usize].1.range {
            return (Some(id), range);
        }
        let mut range = self.plain_range(sum);
        if self.fuel.spend(sum.terms().len() as u64).is_err() {
            return (None, range);
        }
        if self.quotients_of(sum).next().is_some() {
            let view = self.digits_of(id);
            if !view.digits.is_empty() {
                let mut by_digits = self.plain_range(&view.rest);
                for digit in &view.digits {
                    let of_digit = self.range(&digit.of).modulo(digit.modulus);
                    by_digits = by_digits.add(of_digit.scale(digit.coefficient));
                }
                range = range.intersect(by_digits);
            }
        }
        if !self.is_affine(sum)
            && let Some(exact) = self.range_by_values(sum)
        {
            range = range.intersect(exact);
        }
        if !self.constrained.is_empty() {
            range = range.intersect(self.constrained_range(sum));
        }
        if self.has_mins_or_maxes() {
            range = range.intersect(self.range_by_operands(sum));
        }
        self.sums[id.0 as usize].1.range = Some(range);
        (Some(id), range)
    }

    /// Returns the known bounds of a sum with facts about named sizes.
    pub(super) fn ends_of(&mut self, id: SumId) -> &mut [Option<i64>; 2] {
        &mut self.sums[id.0 as usize].1.ends
    }

    /// Returns the bounds from constraints on a sum, on its negation (`range-negate`), or on a sum from which it differs by fewer
    /// terms than it has (`range-sum`).
    fn constrained_range(&self, sum: &Linear) -> Interval {
        let shift = Interval::point(sum.constant);
        let terms = sum.with_constant(0);
        let direct = self.constrained.get(&terms).map(|known| known.add(shift));
        let negated = terms.scaled(-1).and_then(|minus| self.constrained.get(&minus));
        let negated = negated.map(|known| known.scale(-1).add(shift));
        let range = direct.unwrap_or(Interval::ALL).intersect(negated.unwrap_or(Interval::ALL));
        if self.constrained.len() > MAX_CONSTRAINED {
            return range;
        }
        let near = self.constrained.iter().flat_map(|near| [(near, 1), (near, -1)]);
        near.fold(range, |range, ((other, known), sign)| match sum.plus(-sign, other) {
            Some(rest) if other.terms().len() > 1 && rest.terms().len() < sum.terms().len() => {
                range.intersect(known.scale(sign).add(self.plain_range(&rest)))
            }
            _ => range,
        })
    }

    /// Records that all values of a sum are in `known`.
    pub fn refine(&mut self, id: SumId, known: Interval) {
        let (_, range) = self.unnamed_range(&self.sums[id.0 as usize].0.clone());
        let facts = &mut self.sums[id.0 as usize].1;
        facts.range = Some(range.intersect(known));
        let [lo, hi] = &mut facts.ends;
        *lo = lo.map(|lo| lo.max(known.lo()));
        *hi = hi.map(|hi| hi.min(known.hi()));
    }

    /// Returns the interval sum of the terms (`range-sum`, `range-scale`, `range-scale-negative`).
    pub fn plain_range(&self, sum: &Linear) -> Interval {
        sum.range(|atom| self.atom(atom).range)
    }

    pub fn digits(&mut self, sum: &Linear) -> Rc<DigitView> {
        let id = self.intern(sum);
        self.digits_of(id)
    }

    /// Returns the digit view of an interned sum.
    pub fn digits_of(&mut self, id: SumId) -> Rc<DigitView> {
        self.view_of(id, false)
    }

    /// Returns the digit view of an interned sum by classes of numerators, for forms and matching. A range derived from it would
    /// have to be recorded in certificates.
    pub fn digits_by_class(&mut self, id: SumId) -> Rc<DigitView> {
        self.view_of(id, true)
    }

    /// Returns the digit view in which mins and maxes noted as quotients count as such; `None` if the sum has none.
    pub fn digits_of_choices(&self, id: SumId) -> Option<DigitView> {
        let choice = |atom| self.divided_choices.get(&atom).map(|(of, divisor)| (of, *divisor));
        let mut terms = self.sum(id).terms().iter();
        terms.any(|(atom, _)| choice(*atom).is_some()).then(|| {
            let quotient = |atom| self.quotient(atom).or_else(|| choice(atom));
            DigitView::of(self.sum(id), quotient, false)
        })
    }

    fn view_of(&mut self, id: SumId, by_class: bool) -> Rc<DigitView> {
        let place = usize::from(by_class);
        if let Some(view) = &self.sums[id.0 as usize].1.digits[place] {
            return view.clone();
        }
        let view = DigitView::of(self.sum(id), |atom| self.quotient(atom), by_class);
        let view = Rc::new(view);
        self.sums[id.0 as usize].1.digits[place] = Some(view.clone());
        view
    }

    /// Returns the variables that a sum depends on, one bit for each (modulo 64).
    pub fn support(&self, sum: &Linear) -> u64 {
        sum.terms().iter().fold(0, |bits, (atom, _)| bits | self.atom(*atom).support)
    }

    /// Returns the outline of a sum, which excludes rules before they are matched.
    pub fn outline(&self, sum: &Linear) -> Outline {
        Outline::of(sum, |atom| match &self.atom(atom).definition {
            Definition::Variable(_) => None,
            other => Some(other.operator().map_or(0, |operator| 1 << operator as u8)),
        })
    }

    /// Returns the size of a sum with its definitions, to compare normal forms of one value.
    pub fn weight(&self, sum: &Linear) -> u32 {
        let terms = sum.terms().iter().map(|(atom, coefficient)| {
            self.atom(*atom).weight.saturating_add(u32::from(coefficient.unsigned_abs() != 1))
        });
        terms.fold(u32::from(sum.constant != 0), u32::saturating_add)
    }

    /// Looks up an atom.
    pub(super) fn existing(&self, definition: &Definition) -> Option<AtomId> {
        self.atom_ids.get(definition).copied()
    }

    /// Records that all values of an atom are in `known`.
    pub(super) fn refine_atom(&mut self, id: AtomId, known: Interval) {
        let range = &mut self.atoms[id.index()].range;
        *range = range.intersect(known);
    }

    pub(super) fn mark_of_parameters(&mut self, id: AtomId) {
        self.atoms[id.index()].of_parameters = true;
    }

    pub(super) fn add(&mut self, definition: Definition, range: Interval) -> AtomId {
        let (support, weight) = match &definition {
            Definition::Variable(id) => (1u64 << (id.0 % 64), 1),
            Definition::Quotient(numerator, _) => {
                (self.support(numerator), self.weight(numerator).saturating_add(2))
            }
            Definition::Least(operands) | Definition::Greatest(operands) => {
                operands.iter().fold((0, 1), |(bits, w), x| {
                    (bits | self.support(x), self.weight(x).saturating_add(w))
                })
            }
            Definition::Product(factors) => factors.0.iter().fold((0, 0), |(bits, w), factor| {
                let factor = self.atom(*factor);
                (bits | factor.support, factor.weight.saturating_add(w))
            }),
        };
        let of_parameters = self.names.is_some() && self.is_of_parameters(&definition);
        self.sample(&definition);
        let id = AtomId(self.atoms.len() as u32);
        let table = self.table_of(id, &definition, (range, weight));
        self.atoms.push(Atom {
            definition: definition.clone(),
            range,
            support,
            weight,
            of_parameters,
            table,
        });
        if let Some(exact) = self.range_of_choice(id) {
            self.atoms[id.index()].range = range.intersect(exact);
        }
        self.atom_ids.insert(definition, id);
        id
    }
}
