//! Normal forms of quotients: fires the division rules in file order.
//!
//! A rule with left side `sum floordiv divisor` is matched against the digit view of the sum first, then against the
//! sum itself; the first rule whose conditions are established wins. Termination: the rules can cycle (`div-near` and
//! the digit view undo each other on `x mod 6 mod 4`). A quotient that recurs while it is being normalized is an atom
//! there, so a chain of divisions never repeats; its length is bounded, and a quotient at the bound is kept as an atom
//! and the outcome reports that the search was stopped.

use super::digits::Digit;
use super::division_rule::{DivisionRule, Divisor, Known, Numerator};
use super::engine::{Engine, TERMS_PER_STEP};
use super::linear::{AtomId, Bindings, Linear};
use crate::num;
use crate::rule::matching::{
    Matcher, Number, Operation, Operator, Subject, establishes, integer, nearest, number,
    splits_by_constraint, sum_of,
};
use crate::rule::{RuleId, Slot, Split, Statement, Term};
use smallvec::SmallVec;
use std::cell::OnceCell;
use std::ops::ControlFlow;
use std::rc::Rc;

/// Maximum depth of nested quotients that one normalization may build.
const MAX_NESTED_DIVISIONS: usize = 60;

/// Maximum number of quotients noted as equal to an atom.
const MAX_NOTED: usize = 2;

impl Engine<'_> {
    /// Returns the normal form of `sum floordiv divisor`, for a divisor of at least 1 (`quotient-one`).
    pub fn divide(&mut self, sum: &Linear, divisor: impl Into<Number>) -> Linear {
        let divisor = divisor.into();
        if divisor == Number::ONE {
            return sum.clone();
        }
        if let (Some(value), Number::Integer(divisor)) = (sum.as_constant(), divisor) {
            return Linear::constant(num::floordiv(value, divisor));
        }
        let key = (self.store.intern(sum), divisor);
        if let Some(known) = self.quotients.get(&key) {
            return known.clone();
        }
        // A quotient that recurs while it is being normalized is an atom: the rules cycle, so no simpler form is known.
        let returns = self.dividing.contains(&key);
        let is_deep = !returns && self.dividing.len() >= MAX_NESTED_DIVISIONS;
        if is_deep {
            self.stop("nested quotients");
        }
        // One step per four terms: each rule scans them several times.
        let work = sum.terms().len().div_ceil(4) * TERMS_PER_STEP;
        if returns || is_deep || !self.spend_terms(work) {
            return Linear::atom(self.store.quotient_atom(sum, divisor));
        }
        self.dividing.push(key);
        let rules = self.rules.division_rules();
        let subject = OnceCell::new();
        let mut fired =
            rules.iter().find_map(|rule| self.fire_division(rule, sum, divisor, &subject));
        if fired.is_none()
            && self.store.has_mins_or_maxes()
            && let Number::Integer(divisor) = divisor
        {
            fired = self.divide_min_max(sum, divisor);
            if let Some(choice) = fired.as_ref().and_then(Linear::as_atom) {
                self.store.note_divided_choice(choice, sum, divisor);
            }
        }
        self.dividing.pop();
        let normal = fired.unwrap_or_else(|| Linear::atom(self.store.quotient_atom(sum, divisor)));
        self.note_quotient(sum, divisor, &normal);
        self.quotients.insert(key, normal.clone());
        normal
    }

    /// Notes that the only quotient in the normal form of a quotient equals another one: a remainder is often smaller with
    /// the numerator as it was written.
    fn note_quotient(&mut self, sum: &Linear, divisor: Number, normal: &Linear) {
        let mut quotients = self.store.quotients_of(normal);
        let (Some((atom, sign @ (1 | -1))), None, Number::Integer(by)) =
            (quotients.next(), quotients.next(), divisor)
        else {
            return;
        };
        drop(quotients);
        let outside = normal.without(atom);
        let numerator = by.checked_neg().and_then(|factor| sum.plus(factor, &outside));
        // A subtracted quotient is one of the mirrored numerator.
        let mirrored = |x: Linear| Linear::constant(by - 1).plus(-1, &x);
        let Some(numerator) = (if sign == 1 { numerator } else { numerator.and_then(mirrored) })
        else {
            return;
        };
        if self.store.quotient(atom) == Some((&numerator, by)) {
            return;
        }
        let noted = self.noted.entry(atom).or_default();
        let operation = Operation { operands: Rc::from([Rc::from([numerator])]), divisor };
        if noted.len() < MAX_NOTED && !noted.contains(&operation) {
            noted.push(operation);
        }
    }

    /// Returns `numerator - divisor * (numerator floordiv divisor)` as a sum.
    pub fn remainder(&mut self, of: &Linear, modulus: impl Into<Number>) -> Option<Linear> {
        let modulus = modulus.into();
        let quotient = self.divide(of, modulus);
        of.plus(-1, &modulus.scaled(&quotient, self)?)
    }

    /// Tries the instances of one rule on `sum floordiv divisor`; returns the right side of the first that holds. The quotient in
    /// the matcher's form is created for the first rule that needs it.
    fn fire_division(
        &mut self,
        rule: &DivisionRule,
        sum: &Linear,
        divisor: Number,
        subject: &OnceCell<Operation<AtomId>>,
    ) -> Option<Linear> {
        let (Some(known), Number::Integer(by)) = (&rule.known, divisor) else {
            // Classes of numerators exist only for integer divisors.
            let splits = &self.rules.rule(rule.rule).splits;
            return match splits.as_slice() == [Split::Congruent] {
                true => None,
                false => self.fire_matched(rule.rule, &rule.matcher, sum, divisor, subject),
            };
        };
        let fired = self.fire_known(known, sum, by);
        // A quotient by a named size is found only by the general matcher.
        let is_open = fired.is_none()
            && self.store.names.is_some()
            && matches!(known.numerator, Numerator::Quotient { .. });
        match is_open {
            true => self.fire_matched(rule.rule, &rule.matcher, sum, divisor, subject),
            false => fired,
        }
    }

    fn fire_matched(
        &mut self,
        id: RuleId,
        matcher: &Matcher,
        sum: &Linear,
        divisor: Number,
        subject: &OnceCell<Operation<AtomId>>,
    ) -> Option<Linear> {
        if !matcher.has_parts(&self.store.outline(sum)) {
            return None;
        }
        let rule = self.rules.rule(id);
        let Statement::Rewrite(_, right) = &rule.statement else {
            return None;
        };
        let operation = subject
            .get_or_init(|| Operation { operands: Rc::from([Rc::from([sum.clone()])]), divisor });
        let mut result = None;
        let mut found = |engine: &mut Self, bindings: &Bindings| {
            let conditions = &mut rule.conditions.iter();
            if conditions.all(|condition| establishes(condition, bindings, engine))
                && let Some(value) = sum_of(right, bindings, engine)
            {
                engine.note(id, bindings);
                result = Some(value);
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        matcher.search(self, Subject::Operation(Operator::FloorDiv, operation), &mut found);
        result
    }

    fn fire_known(&mut self, rule: &Known, sum: &Linear, divisor: i64) -> Option<Linear> {
        match (rule.divisor, rule.numerator) {
            (Divisor::Literal(value), _) if value != divisor => None,
            (_, Numerator::Whole { x }) => {
                let asks = |split| rule.splits.contains(&split);
                let is_negative = || sum.terms().first().is_some_and(|(_, c)| *c < 0);
                let is_wanted = match asks(Split::Negative) {
                    true => is_negative(),
                    false => !asks(Split::Congruent),
                };
                if !is_wanted && !asks(Split::Congruent)
                    || rule.one_block && self.store.only_block(sum, divisor).is_none()
                {
                    return None;
                }
                let mut bindings = self.unbound(rule.rule);
                bindings.set_expression(x, sum.clone());
                self.bind_divisor(rule, &mut bindings, None, divisor)?;
                if !is_wanted && !self.leads_to_known(rule.rule, &bindings, divisor) {
                    return None;
                }
                self.use_division_rule(rule.rule, bindings, sum, divisor)
            }
            (_, Numerator::Quotient { x, a, y, sign }) => {
                let mut quotients = self.store.quotients_of(sum);
                let (atom, coefficient) = quotients.next()?;
                if coefficient != sign || quotients.next().is_some() {
                    return None;
                }
                drop(quotients);
                let (inner, inner_divisor) = self.store.quotient(atom)?;
                let mut bindings = self.unbound(rule.rule);
                bindings.set_expression(x, inner.clone());
                bindings.set_constant(a, inner_divisor.into());
                bindings.set_expression(y, sum.without(atom));
                self.fire_with(rule, bindings, None, sum, divisor)
            }
            (_, Numerator::Split { factor, x, y }) => {
                rule.splits.iter().find_map(|split| match split {
                    Split::Multiples => self.fire_multiples(rule, (factor, x, y), sum, divisor),
                    Split::Nearest if matches!(rule.divisor, Divisor::Product { .. }) => {
                        self.fire_nearest(rule, (factor, x, y), sum, divisor)
                    }
                    Split::Nearest | Split::NearestQuotients => {
                        let every = *split == Split::Nearest;
                        let (multiples, rest) = sum.split_by(divisor, |atom, c| {
                            match every || self.store.quotient(atom).is_some() {
                                true => nearest(c, divisor),
                                false => 0,
                            }
                        })?;
                        if multiples.terms().is_empty() {
                            return None;
                        }
                        let parts = (divisor, multiples, rest);
                        self.fire_split(rule, (factor, x, y), parts, sum, divisor)
                    }
                    Split::OneVariable => {
                        self.fire_one_variable(rule, (factor, x, y), sum, divisor)
                    }
                    Split::Congruent => {
                        let (multiples, rest) = self.store.congruent(sum, divisor)?;
                        let parts = (divisor, multiples, rest);
                        self.fire_split(rule, (factor, x, y), parts, sum, divisor)
                    }
                    Split::Constrained => {
                        let parts = splits_by_constraint(sum, divisor.into(), self);
                        parts.into_iter().find_map(|(multiples, rest)| {
                            let parts = (divisor, multiples, rest);
                            self.fire_split(rule, (factor, x, y), parts, sum, divisor)
                        })
                    }
                    _ => None, // left to rules that match the whole numerator or split sums
                })
            }
        }
    }

    /// Tries `factor * x + y` with all multiples of the factor in `x`, in the digit view, then in the sum.
    fn fire_multiples(
        &mut self,
        rule: &Known,
        slots: (Slot, Slot, Slot),
        sum: &Linear,
        divisor: i64,
    ) -> Option<Linear> {
        let id = self.store.intern(sum);
        let view = self.store.digits_by_class(id);
        let readings: [(&Linear, &[Digit]); 2] = [(&view.rest, &view.digits), (sum, &[])];
        // A view without digits equals the sum.
        for (base, digits) in &readings[usize::from(view.digits.is_empty())..] {
            let factors: SmallVec<[i64; 8]> = match rule.divisor {
                Divisor::Product { .. } => {
                    let coefficients = base.terms().iter().map(|(_, c)| *c);
                    let coefficients = coefficients.chain(digits.iter().map(|d| d.coefficient));
                    common_factors(coefficients, divisor)
                }
                _ => SmallVec::from_slice(&[divisor]),
            };
            for factor in factors {
                let (mut multiples, mut rest) = base.split_multiples(factor);
                let mut moved = !multiples.is_zero();
                for digit in *digits {
                    let expanded = self.remainder(&digit.of, digit.modulus)?;
                    if digit.coefficient % factor == 0 {
                        multiples = multiples.plus(digit.coefficient / factor, &expanded)?;
                        moved = true;
                    } else {
                        rest = rest.plus(digit.coefficient, &expanded)?;
                    }
                }
                // The digit view may move a constant back into a digit.
                let is_undone =
                    digits.is_empty() && multiples.terms().is_empty() && !view.digits.is_empty();
                if !moved || multiples.is_zero() || is_undone {
                    continue;
                }
                let fired = self.fire_split(rule, slots, (factor, multiples, rest), sum, divisor);
                if fired.is_some() {
                    return fired;
                }
            }
        }
        None
    }

    /// Tries `factor * x + y` with the nearest multiples of each common factor of the divisor and a coefficient.
    fn fire_nearest(
        &mut self,
        rule: &Known,
        slots: (Slot, Slot, Slot),
        sum: &Linear,
        divisor: i64,
    ) -> Option<Linear> {
        let factors = common_factors(sum.terms().iter().map(|(_, c)| *c), divisor);
        for factor in factors {
            let (multiples, rest) = sum.split_by(factor, |_, c| nearest(c, factor))?;
            if multiples.terms().is_empty() {
                continue;
            }
            let fired = self.fire_split(rule, slots, (factor, multiples, rest), sum, divisor);
            if fired.is_some() {
                return fired;
            }
        }
        None
    }

    /// Tries `factor * x + y` with `x` a multiple of one variable, rounded down or up.
    fn fire_one_variable(
        &mut self,
        rule: &Known,
        slots: (Slot, Slot, Slot),
        sum: &Linear,
        divisor: i64,
    ) -> Option<Linear> {
        for &(atom, coefficient) in sum.terms() {
            let range = self.store.atom(atom).range;
            if self.store.quotient(atom).is_some() || !range.is_bounded() {
                continue;
            }
            let width = i128::from(range.hi()) - i128::from(range.lo());
            let below = num::floordiv(coefficient, divisor);
            for times in [below, below.checked_add(1)?] {
                let left = i128::from(coefficient) - i128::from(times) * i128::from(divisor);
                if times == 0 || left.abs().saturating_mul(width) >= i128::from(divisor) {
                    continue;
                }
                let multiples = Linear::constant(0).plus_atom(times, atom)?;
                let rest = sum.plus_atom(times.checked_mul(divisor)?.checked_neg()?, atom)?;
                let fired = self.fire_split(rule, slots, (divisor, multiples, rest), sum, divisor);
                if fired.is_some() {
                    return fired;
                }
            }
        }
        None
    }

    fn fire_split(
        &mut self,
        rule: &Known,
        (factor_slot, x, y): (Slot, Slot, Slot),
        (factor, multiples, rest): (i64, Linear, Linear),
        sum: &Linear,
        divisor: i64,
    ) -> Option<Linear> {
        // Refused early: the rule's own conditions would refuse it once an instance is built.
        if rule.one_block && self.store.only_block(&rest, factor).is_none() {
            return None;
        }
        let mut bindings = self.unbound(rule.rule);
        bindings.set_constant(factor_slot, factor.into());
        bindings.set_expression(x, multiples);
        bindings.set_expression(y, rest);
        self.fire_with(rule, bindings, Some(factor), sum, divisor)
    }

    /// Empty bindings for a rule.
    fn unbound(&self, id: RuleId) -> Bindings {
        let rule = self.rules.rule(id);
        Bindings::none(rule.constants.len(), rule.expressions.len())
    }

    /// Returns whether all quotients by the same divisor on the right side of a rule occur already, up to a multiple of it.
    fn leads_to_known(&mut self, id: RuleId, bindings: &Bindings, divisor: i64) -> bool {
        let Statement::Rewrite(Term::FloorDiv(_, by), right) = &self.rules.rule(id).statement
        else {
            return false;
        };
        quotients_by(right, by).all(|numerator| {
            let sum = sum_of(numerator, bindings, self);
            sum.is_some_and(|sum| self.store.is_known_class(&sum, divisor))
        })
    }

    /// Completes the bindings (divisor, witnesses), then checks the rule's conditions.
    fn fire_with(
        &mut self,
        rule: &Known,
        mut bindings: Bindings,
        factor: Option<i64>,
        sum: &Linear,
        divisor: i64,
    ) -> Option<Linear> {
        self.bind_divisor(rule, &mut bindings, factor, divisor)?;
        self.use_division_rule(rule.rule, bindings, sum, divisor)
    }

    /// Binds the constants of the divisor, and the witnesses.
    fn bind_divisor(
        &mut self,
        rule: &Known,
        bindings: &mut Bindings,
        factor: Option<i64>,
        divisor: i64,
    ) -> Option<()> {
        match rule.divisor {
            Divisor::Constant(slot) => bindings.set_constant(slot, divisor.into()),
            Divisor::Product { other } => {
                bindings.set_constant(other, (divisor / factor?).into());
            }
            Divisor::Literal(_) => {}
        }
        for (slot, witness) in &self.rules.rule(rule.rule).witnesses {
            let value = number(witness, bindings, self)?;
            bindings.set_constant(*slot, value);
        }
        Some(())
    }

    /// Checks an instance of a division rule against `sum floordiv divisor` and its conditions; returns its right side if it
    /// holds.
    fn use_division_rule(
        &mut self,
        id: RuleId,
        bindings: Bindings,
        sum: &Linear,
        divisor: i64,
    ) -> Option<Linear> {
        let rule = self.rules.rule(id);
        let Statement::Rewrite(Term::FloorDiv(numerator, lhs_divisor), rhs) = &rule.statement
        else {
            return None;
        };
        // Most instances fail at a condition, so the left side is compared last.
        let holds = rule.conditions.iter().all(|condition| establishes(condition, &bindings, self))
            && integer(lhs_divisor, &bindings, self)? == divisor
            && sum_of(numerator, &bindings, self)? == *sum;
        if !holds {
            return None;
        }
        let result = sum_of(rhs, &bindings, self)?;
        self.is_by_class |= rule.splits.contains(&Split::Congruent);
        self.note(id, &bindings);
        Some(result)
    }
}

/// Returns the numerators of the quotients by `divisor` in a term.
fn quotients_by<'t>(term: &'t Term, divisor: &'t Term) -> impl Iterator<Item = &'t Term> {
    let mut left = vec![term];
    std::iter::from_fn(move || {
        while let Some(term) = left.pop() {
            left.extend(term.operands());
            if let Term::FloorDiv(numerator, by) = term
                && **by == *divisor
            {
                return Some(&**numerator);
            }
        }
        None
    })
}

/// Returns the common factors of a divisor and each coefficient, the largest first, without 1.
fn common_factors(coefficients: impl Iterator<Item = i64>, divisor: i64) -> SmallVec<[i64; 8]> {
    let common = coefficients.filter_map(|c| num::gcd(c, divisor));
    let mut factors: SmallVec<[i64; 8]> = common.filter(|factor| *factor > 1).collect();
    factors.sort_unstable_by(|x, y| y.cmp(x));
    factors.dedup();
    factors
}
