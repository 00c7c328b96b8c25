//! Facts about parameters: named sizes.
//!
//! A parameter is an ordinary atom, and so is a product of atoms: a sum with integer coefficients over them is a polynomial.
//! Bounds of a variable in terms of parameters come from constraints of the domain; signs of polynomials follow from these
//! (`num/sign.rs`).

use super::linear::{AtomId, Linear, SumId};
use super::parameters::{Multiple, Names};
use super::samples::Samples;
use super::store::{Definition, Store};
use crate::expr::VariableId;
use crate::num::polynomial::{self, Monomial, Polynomial};
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY, Sum, floordiv, gcd};
use crate::rule::matching::{Name, Number};
use smallvec::SmallVec;

/// Maximum number of candidates for a factor of a named number.
const MAX_DIVISORS: usize = 24;

impl Store {
    /// Declares the variables with these numbers as parameters.
    pub fn name(&mut self, parameters: std::ops::Range<u32>) {
        for id in parameters.clone() {
            self.mark_of_parameters(AtomId(id));
        }
        self.names = Some(Box::new(Names { parameters, ..Names::default() }));
    }

    /// Enables products of atoms and quotients by atoms, as in maps with parameters; returns whether they were disabled.
    pub fn take_products(&mut self) -> bool {
        let is_new = self.names.is_none();
        if is_new {
            self.name(0..0);
        }
        is_new
    }

    /// Learns that a parameter is a multiple of a positive divisor: from now on it is written as the divisor times its quotient.
    pub fn make_multiple(&mut self, id: VariableId, of: &Linear) -> Option<()> {
        let parameter = AtomId(id.0);
        if self.multiple_of(id).is_some() {
            return None;
        }
        let divisor = match of.as_constant() {
            Some(divisor) => Number::Integer(divisor),
            None => Number::Named(Name(self.intern(of).0)),
        };
        let quotient = self.quotient_atom(&Linear::atom(parameter), divisor);
        let range = self.atom(parameter).range;
        let value = self.product(of, &Linear::atom(quotient))?;
        let whole = self.polynomial(&value);
        match divisor {
            Number::Integer(divisor) => self.refine_atom(quotient, range.ceildiv(divisor)),
            Number::Named(_) => {
                if range.lo() >= 1 {
                    self.refine_atom(quotient, Interval::new(1, PLUS_INFINITY));
                }
                let above = (range.lo() != MINUS_INFINITY)
                    .then(|| whole.shifted(range.lo().checked_neg()?));
                let below =
                    (range.hi() != PLUS_INFINITY).then(|| whole.scaled(-1)?.shifted(range.hi()));
                self.names.as_mut()?.facts.extend([above, below].into_iter().flatten().flatten());
            }
        }
        let terms = (whole.terms().to_vec(), whole.constant);
        let ([(product, factor)], 0) = (&*terms.0, terms.1) else { return None };
        let multiple =
            Multiple { parameter, quotient, factor: *factor, product: product.clone(), value };
        self.names.as_mut()?.multiples.push(multiple);
        Some(())
    }

    fn multiples(&self) -> impl DoubleEndedIterator<Item = &Multiple> {
        self.names.iter().flat_map(|names| &names.multiples)
    }

    /// Returns the value of a parameter that is written as a multiple of a quotient.
    pub(super) fn multiple_of(&self, id: VariableId) -> Option<Linear> {
        let known = self.multiples().find(|multiple| multiple.parameter.0 == id.0)?;
        Some(known.value.clone())
    }

    /// Returns whether this is the quotient of a parameter that is a multiple.
    pub(super) fn is_part_of_parameter(&self, atom: AtomId) -> bool {
        self.multiples().any(|multiple| multiple.quotient == atom)
    }

    /// Replaces multiples of quotients in a term by the parameters that equal them.
    pub(super) fn with_parameters(
        &self,
        (mut monomial, mut c): (Monomial<AtomId>, i64),
    ) -> (Monomial<AtomId>, i64) {
        for Multiple { parameter, factor, product, .. } in self.multiples().rev() {
            while c % factor == 0
                && let Some(others) = monomial.without(&product.0)
            {
                c /= factor;
                monomial = others.times(&Monomial(SmallVec::from_slice(&[*parameter])));
            }
        }
        (monomial, c)
    }

    /// Returns whether the definition depends on parameters alone.
    pub(super) fn is_of_parameters(&self, definition: &Definition) -> bool {
        let of = |sum: &Linear| {
            let mut terms = sum.terms().iter();
            terms.all(|(atom, _)| self.atom(*atom).of_parameters)
        };
        match definition {
            Definition::Variable(id) => {
                let names = self.names.as_ref();
                names.is_some_and(|names| names.parameters.contains(&id.0))
            }
            Definition::Quotient(x, Number::Integer(_)) => of(x),
            Definition::Quotient(x, Number::Named(name)) => of(x) && of(self.sum(SumId(name.0))),
            Definition::Least(operands) | Definition::Greatest(operands) => operands.iter().all(of),
            Definition::Product(factors) => {
                factors.0.iter().all(|atom| self.atom(*atom).of_parameters)
            }
        }
    }

    /// Learns bounds of variables, and facts about parameters, from a constraint of the domain.
    pub fn learn_names(&mut self, sum: &Linear, bounds: Interval) -> Option<()> {
        let names = self.names.as_mut()?;
        names.bounded.get_mut().clear();
        names.named_ends.clear();
        let terms = sum.terms().iter();
        let others = terms.filter(|(atom, _)| !self.atom(*atom).of_parameters);
        let others: Vec<(AtomId, i64)> = others.copied().collect();
        let (lo, hi) = (bounds.lo(), bounds.hi());
        // `lo <= sum <= hi`
        match others.as_slice() {
            [] => {
                let of = self.polynomial(sum);
                let above = (lo != MINUS_INFINITY).then(|| of.shifted(lo.checked_neg()?));
                let below = (hi != PLUS_INFINITY).then(|| of.scaled(-1)?.shifted(hi));
                let facts = [above.flatten(), below.flatten()];
                self.names.as_mut()?.facts.extend(facts.into_iter().flatten());
            }
            [(atom, 1 | -1)] if matches!(self.atom(*atom).definition, Definition::Variable(_)) => {
                let sign = sum.coefficient(*atom);
                // The variable is `sign * (sum - rest)`.
                let rest = self.polynomial(&sum.without(*atom)).scaled(-sign)?;
                let end = |end: i64, none: i64| match end == none {
                    true => None,
                    false => rest.shifted(sign.checked_mul(end)?),
                };
                let ends = [end(lo, MINUS_INFINITY), end(hi, PLUS_INFINITY)];
                let [lo, hi] = match sign {
                    1 => ends,
                    _ => {
                        let [hi, lo] = ends;
                        [lo, hi]
                    }
                };
                let known = self.names.as_mut()?.ends.entry(*atom).or_default();
                let [known_lo, known_hi] = known;
                *known_lo = known_lo.take().or(lo);
                *known_hi = known_hi.take().or(hi);
            }
            _ => {}
        }
        Some(())
    }

    /// Returns a sum as a polynomial over atoms, none of which is a product.
    pub fn polynomial(&self, sum: &Linear) -> Polynomial<AtomId> {
        let terms = sum.terms().iter();
        let terms = terms.map(|(atom, c)| (self.monomial(*atom), *c));
        // Distinct atoms are distinct monomials, so no coefficients are added.
        Sum::new(sum.constant, terms).unwrap_or_else(|| Sum::constant(sum.constant))
    }

    fn monomial(&self, atom: AtomId) -> Monomial<AtomId> {
        match &self.atom(atom).definition {
            Definition::Product(factors) => factors.clone(),
            _ => Monomial([atom].into_iter().collect()),
        }
    }

    /// Returns a polynomial as a sum over atoms and products of them.
    pub(super) fn linear(&mut self, of: &Polynomial<AtomId>) -> Option<Linear> {
        let mut terms = Vec::with_capacity(of.terms().len());
        for (monomial, c) in of.terms() {
            terms.push((self.product_atom(monomial), *c));
        }
        Linear::new(of.constant, terms)
    }

    fn product_atom(&mut self, monomial: &Monomial<AtomId>) -> AtomId {
        if let [only] = monomial.0.as_slice() {
            return *only;
        }
        let definition = Definition::Product(monomial.clone());
        if let Some(known) = self.existing(&definition) {
            return known;
        }
        let ranges = monomial.0.iter().map(|atom| self.atom(*atom).range);
        let range = ranges.reduce(Interval::multiply).unwrap_or(Interval::ALL);
        self.add(definition, range)
    }

    /// Multiplies two sums.
    pub fn product(&mut self, x: &Linear, y: &Linear) -> Option<Linear> {
        match (x.as_constant(), y.as_constant()) {
            (Some(factor), _) => y.scaled(factor),
            (_, Some(factor)) => x.scaled(factor),
            _ => {
                self.names.as_ref()?;
                let work = (x.terms().len() + 1) * (y.terms().len() + 1);
                self.fuel.spend(work as u64).ok()?;
                let product = polynomial::product(&self.polynomial(x), &self.polynomial(y))?;
                self.linear(&product)
            }
        }
    }

    /// Splits a sum into `factor * multiples + rest`, for a factor that is not constant.
    pub fn split(&mut self, sum: &Linear, factor: &Linear) -> Option<(Linear, Linear)> {
        self.fuel.spend(sum.terms().len() as u64).ok()?;
        if !self.may_have_multiple(sum, factor) {
            return Some((Linear::default(), sum.clone()));
        }
        if let (0, [(lead, c)]) = (factor.constant, factor.terms()) {
            return self.split_by_one(sum, *lead, *c);
        }
        let of = self.polynomial(sum);
        let (multiples, rest) = polynomial::divided(&of, &self.polynomial(factor))?;
        Some((self.linear(&multiples)?, self.linear(&rest)?))
    }

    /// Like [`Self::split`], for the factor `c * lead`: term by term, which is the common case.
    fn split_by_one(&mut self, sum: &Linear, lead: AtomId, c: i64) -> Option<(Linear, Linear)> {
        let (mut constant, mut multiples, mut rest) = (0, Vec::new(), Vec::new());
        for &(atom, coefficient) in sum.terms() {
            let is_multiple = coefficient.checked_rem(c) == Some(0);
            let quotient = match is_multiple {
                true => polynomial::without(self.factors(&atom), self.factors(&lead)),
                false => None,
            };
            match quotient {
                Some(quotient) if quotient.0.is_empty() => constant = coefficient / c,
                Some(quotient) => multiples.push((self.product_atom(&quotient), coefficient / c)),
                None => rest.push((atom, coefficient)),
            }
        }
        Some((Linear::new(constant, multiples)?, Linear::new(sum.constant, rest)?))
    }

    /// Returns whether the greatest term of a nonconstant sum may divide a term of another sum.
    fn may_have_multiple(&self, sum: &Linear, factor: &Linear) -> bool {
        let degree = |atom: AtomId| self.factors(&atom).len();
        let most = factor.terms().iter().map(|(atom, _)| degree(*atom)).max();
        // The greatest term is one of those of highest degree.
        let mut leads = factor.terms().iter();
        leads.any(|(lead, f)| {
            let lead = self.factors(lead);
            let mut terms = sum.terms().iter();
            Some(lead.len()) == most
                && terms.any(|(atom, c)| {
                    c.checked_rem(*f) == Some(0)
                        && polynomial::contains_all(self.factors(atom), lead)
                })
        })
    }

    /// Returns the factors of an atom that is a product, otherwise the atom.
    fn factors<'a>(&'a self, atom: &'a AtomId) -> &'a [AtomId] {
        match &self.atom(*atom).definition {
            Definition::Product(factors) => &factors.0,
            _ => std::slice::from_ref(atom),
        }
    }

    /// Returns an operation that is a factor of a product, and the product of the other factors.
    pub fn factored(&mut self, atom: AtomId) -> Option<(SumId, AtomId)> {
        let Definition::Product(factors) = &self.atom(atom).definition else {
            return None;
        };
        let is_operation = |atom: &&AtomId| self.atom(**atom).definition.operator().is_some();
        let operations = factors.0.iter().filter(is_operation);
        // Prefers an operation that depends on variables.
        let operation =
            operations.max_by_key(|atom| (!self.atom(**atom).of_parameters, **atom)).copied()?;
        let others = factors.without(&[operation])?;
        let others = Linear::atom(self.product_atom(&others));
        Some((self.intern(&others), operation))
    }

    /// Returns numbers that may divide a named number: products of its common factors, and the quotient by all of these. The one
    /// with the most factors comes first.
    pub fn divisors_of(&mut self, of: &Linear) -> Vec<Linear> {
        let of = self.polynomial(of);
        let mut content = of.constant;
        let mut common: Option<Monomial<AtomId>> =
            (of.constant != 0).then(|| Monomial(Default::default()));
        for (monomial, c) in of.terms() {
            content = gcd(content, *c).unwrap_or(1);
            common = Some(match common {
                None => monomial.clone(),
                Some(known) => {
                    let mut rest = monomial.0.clone();
                    let shared = known.0.iter().filter(|atom| {
                        let place = rest.iter().position(|other| other == *atom);
                        place.map(|place| rest.remove(place)).is_some()
                    });
                    Monomial(shared.copied().collect())
                }
            });
        }
        let mut divisors: Vec<Polynomial<AtomId>> = vec![Sum::constant(1)];
        let content = content.unsigned_abs();
        let factors = (2..=content.min(1 << 10)).filter(|factor| content.is_multiple_of(*factor));
        divisors.extend(factors.filter_map(|factor| i64::try_from(factor).ok()).map(Sum::constant));
        for atom in common.clone().into_iter().flat_map(|common| common.0) {
            for index in 0..divisors.len() {
                let next = polynomial::product(&divisors[index], &polynomial::atom(atom));
                if let Some(next) = next.filter(|next| !divisors.contains(next))
                    && divisors.len() < MAX_DIVISORS
                {
                    divisors.push(next);
                }
            }
        }
        // The quotient of a sum by all its common factors is a factor, too.
        let rest = common.zip(i64::try_from(content).ok()).and_then(|(common, content)| {
            let term = |(monomial, c): &(Monomial<AtomId>, i64)| {
                Some((monomial.without(&common.0)?, c.checked_div(content)?))
            };
            let mut terms = of.terms().iter().map(term).collect::<Option<Vec<_>>>()?;
            let constant = terms.iter().position(|(monomial, _)| monomial.is_one());
            let constant = constant.map_or(0, |place| terms.swap_remove(place).1);
            Sum::new(of.constant.checked_div(content)? + constant, terms)
        });
        let is_sum = |rest: &Polynomial<AtomId>| {
            rest.terms().len() + usize::from(rest.constant != 0) > 1 && !divisors.contains(rest)
        };
        if let Some(rest) = rest.filter(is_sum) {
            divisors.push(rest);
        }
        divisors.retain(|divisor| *divisor != Sum::constant(1) && *divisor != of);
        divisors.sort_by_key(|divisor| {
            let degree = divisor.terms().last().map_or(0, |(monomial, _)| monomial.0.len());
            std::cmp::Reverse((
                degree,
                divisor.terms().last().map_or(divisor.constant, |(_, c)| *c),
            ))
        });
        divisors.iter().filter_map(|divisor| self.linear(divisor)).collect()
    }

    /// Evaluates the next atom at the sample points.
    pub(super) fn sample(&mut self, definition: &Definition) {
        let mut samples = std::mem::take(&mut self.samples);
        let divisor = |samples: &Samples, divisor: Number, point| match divisor {
            Number::Integer(value) => Some(value),
            Number::Named(name) => samples.sum(self.sum(SumId(name.0)), point),
        };
        samples.add(|samples, point| match definition {
            Definition::Variable(_) => None,
            Definition::Quotient(x, by) => {
                let by = divisor(samples, *by, point).filter(|by| *by >= 1)?;
                Some(floordiv(samples.sum(x, point)?, by))
            }
            Definition::Least(list) => {
                let mut list = list.iter();
                list.try_fold(i64::MAX, |least, x| Some(least.min(samples.sum(x, point)?)))
            }
            Definition::Greatest(list) => {
                let mut list = list.iter();
                list.try_fold(i64::MIN, |most, x| Some(most.max(samples.sum(x, point)?)))
            }
            Definition::Product(factors) => samples.product(&factors.0, point),
        });
        self.samples = samples;
    }

    /// Returns a number as a sum.
    pub fn sum_of_number(&self, number: Number) -> Linear {
        match number {
            Number::Integer(value) => Linear::constant(value),
            Number::Named(Name(id)) => self.sum(SumId(id)).clone(),
        }
    }
}
