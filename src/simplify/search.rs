//! Searches for the smallest form of a value.
//!
//! For a sum, a quotient or a remainder, rules that may give a smaller form are matched (`propose`). The right side of
//! an instance is evaluated to a form, recursively from the smallest known form of each part; the smallest of all is
//! kept.

use super::digits::DigitView;
use super::engine::Engine;
use super::linear::{AtomId, Bindings, Linear, SumId};
use super::propose::Target;
use super::store::Definition;
use crate::rule::Term;
use crate::rule::matching::{Number, Operator, Terms, factor_of, number, sum_of};
use crate::simplify::saturate::{Form, FormRef};

/// Maximum nesting of proposals, whose numerators might otherwise grow without end. A higher limit finds nothing more.
const MAX_PROPOSALS: u32 = 6;

/// Number of nested forms below which no alternatives are tried. A higher limit finds nothing more.
const MAX_DEPTH: u32 = 4;

impl Engine<'_> {
    /// Returns the smallest form found for a sum.
    pub fn sum_form(&mut self, sum: &Linear, depth: u32) -> Option<FormRef> {
        if let Some(value) = sum.as_constant() {
            return Some(Form::constant(value));
        }
        let key = self.store.intern(sum);
        if let Some(form) = self.forms.sums.get(&key) {
            return Some(form.clone());
        }
        if !self.store.is_affine(sum)
            && let Some(value) = self.without_choice(sum.clone()).as_constant()
        {
            return Some(Form::constant(value));
        }
        let mut parts = Vec::with_capacity(sum.terms().len());
        for &(atom, coefficient) in sum.terms() {
            parts.push((coefficient, self.atom_form(atom, depth)?));
        }
        let mut best = Form::sum(sum.constant, parts)?;
        if !self.store.strides.is_empty() {
            keep_smaller(&mut best, self.strided_form(sum, depth));
        }
        let mut is_least = self.store.is_affine(sum) || self.is_short(sum, &best);
        if !is_least && keep_smaller(&mut best, self.digit_form(key, depth)) {
            is_least = self.is_short(sum, &best);
        }
        if self.store.names.is_some() {
            keep_smaller(&mut best, self.named_form(sum, depth));
        }
        if !is_least && self.reaches(depth) {
            self.forms.sums.insert(key, best.clone()); // so that a nested search finds this sum
            match self.store.apart(sum) {
                Some(parts) => {
                    let forms: Option<Vec<_>> =
                        parts.iter().map(|part| Some((1, self.sum_form(part, depth)?))).collect();
                    keep_smaller(&mut best, forms.and_then(|forms| Form::sum(0, forms)));
                }
                None => self.propose(Target::Sum(key), depth, &mut best),
            }
        }
        if !is_least && let Some(view) = self.store.digits_of_choices(key) {
            keep_smaller(&mut best, self.form_of_view(&view, depth));
        }
        self.forms.sums.insert(key, best.clone());
        Some(best)
    }

    /// Returns whether a form of a sum that needs a floordiv or mod is proved to be smallest.
    fn is_short(&mut self, sum: &Linear, form: &FormRef) -> bool {
        form.ops <= self.least_operations(sum) || self.is_least(form)
    }

    /// Returns the form of the digit view of a sum, in which a numerator and its quotient are one remainder.
    fn digit_form(&mut self, sum: SumId, depth: u32) -> Option<FormRef> {
        let view = self.store.digits_by_class(sum);
        self.form_of_view(&view, depth)
    }

    fn form_of_view(&mut self, view: &DigitView, depth: u32) -> Option<FormRef> {
        if view.digits.is_empty() || !self.reaches(depth) {
            return None;
        }
        let mut parts = Vec::with_capacity(view.rest.terms().len() + view.digits.len());
        for &(atom, coefficient) in view.rest.terms() {
            parts.push((coefficient, self.atom_form(atom, depth)?));
        }
        let mut constant = view.rest.constant;
        for digit in &view.digits {
            self.note_digit(digit);
            let (rest, part) = self.written_digit(digit, constant, depth)?;
            constant = rest;
            parts.push(part);
        }
        Form::sum(constant, parts)
    }

    /// Returns whether alternatives may be tried at this depth.
    fn reaches(&self, depth: u32) -> bool {
        depth < MAX_DEPTH && self.proposals < MAX_PROPOSALS
    }

    /// Returns a lower bound on the operations of a form that needs a floordiv or mod and mentions every variable of `sum`: a
    /// form that meets it ends the search.
    pub(super) fn least_operations(&self, sum: &Linear) -> u32 {
        let variables = self.store.support(sum).count_ones();
        match self.store.names {
            Some(_) => variables.saturating_sub(1), // a divisor may be a variable itself
            None => variables,
        }
    }

    pub(super) fn atom_form(&mut self, atom: AtomId, depth: u32) -> Option<FormRef> {
        if let Some(form) = self.forms.atoms.get(&atom) {
            return Some(form.clone());
        }
        let form = match self.store.atom(atom).definition.clone() {
            Definition::Variable(id) => Form::variable(id, self.store.atom(atom).range),
            Definition::Quotient(numerator, divisor) => {
                // Not cached: it may be the form of a quotient whose search is still running.
                return self.division_form(Operator::FloorDiv, &numerator, divisor, depth);
            }
            Definition::Product(factors) => {
                let mut parts = Vec::with_capacity(factors.0.len());
                for factor in &factors.0 {
                    parts.push(self.atom_form(*factor, depth)?);
                }
                return Form::product(parts);
            }
            Definition::Least(operands) => self.min_max_form(&operands, true, depth)?,
            Definition::Greatest(operands) => self.min_max_form(&operands, false, depth)?,
        };
        self.forms.atoms.insert(atom, form.clone());
        Some(form)
    }

    fn min_max_form(&mut self, operands: &[Linear], least: bool, depth: u32) -> Option<FormRef> {
        let parts: Option<Vec<_>> = operands.iter().map(|x| self.sum_form(x, depth + 1)).collect();
        Some(Form::min_max(parts?, least))
    }

    /// Returns the smallest form found for `of floordiv divisor` or `of mod divisor`, with the numerator as given.
    pub fn division_form(
        &mut self,
        operator: Operator,
        of: &Linear,
        divisor: impl Into<Number>,
        depth: u32,
    ) -> Option<FormRef> {
        let divisor = divisor.into();
        let key = (operator, self.store.intern(of), divisor);
        if let Some(form) = self.forms.divisions.get(&key) {
            return Some(form.clone());
        }
        let inner = self.refined_form(of, key.1, depth)?;
        let mut best = self.divided_form(operator, inner, divisor, depth)?;
        if operator == Operator::FloorDiv
            && !self.store.strides.is_empty()
            && let Number::Integer(divisor) = divisor
        {
            keep_smaller(&mut best, self.strided_quotient(of, divisor, depth));
        }
        self.forms.divisions.insert(key, best.clone());
        if !self.is_short(of, &best) && self.reaches(depth) {
            self.propose(Target::Division(operator, key.1, divisor), depth, &mut best);
        }
        self.forms.divisions.insert(key, best.clone());
        Some(best)
    }

    /// Returns the form of a sum one level down. Its range becomes a fact about the sum, often tighter than the range of its
    /// terms.
    fn refined_form(&mut self, sum: &Linear, id: SumId, depth: u32) -> Option<FormRef> {
        let form = self.sum_form(sum, depth + 1)?;
        self.note_range(sum, &form);
        self.store.refine(id, form.range);
        Some(form)
    }

    /// Returns `factor * body`, or just the factor, with an integer factor extracted.
    fn multiple(
        &mut self,
        factor: Number,
        body: Option<&Term>,
        bindings: &Bindings,
        depth: u32,
    ) -> Option<(i64, FormRef)> {
        let body = match body {
            Some(body) => self.form_of(body, bindings, depth)?,
            None => Form::constant(1),
        };
        match factor {
            Number::Integer(factor) => Some((factor, body)),
            Number::Named(_) => {
                let factor = self.store.sum_of_number(factor);
                let factor = self.sum_form(&factor, depth + 1)?;
                Some((1, Form::product([factor, body])?))
            }
        }
    }

    /// Returns a quotient or remainder of a form.
    pub(super) fn divided_form(
        &mut self,
        operator: Operator,
        part: FormRef,
        divisor: Number,
        depth: u32,
    ) -> Option<FormRef> {
        Some(match (operator, divisor) {
            (Operator::FloorDiv, Number::Integer(divisor)) => Form::floordiv(part, divisor),
            (_, Number::Integer(modulus)) => Form::modulo(part, modulus),
            (_, Number::Named(_)) => {
                let divisor = self.store.sum_of_number(divisor);
                Form::divided(operator, part, self.sum_form(&divisor, depth + 1)?)
            }
        })
    }

    /// Returns the smallest form known for a term of a right side.
    pub(super) fn form_of(
        &mut self,
        term: &Term,
        bindings: &Bindings,
        depth: u32,
    ) -> Option<FormRef> {
        match term {
            Term::FloorDiv(x, c) | Term::Mod(x, c) => {
                let (of, divisor) = (sum_of(x, bindings, self)?, number(c, bindings, self)?);
                let operator = match term {
                    Term::FloorDiv(..) => Operator::FloorDiv,
                    _ => Operator::Mod,
                };
                match of.as_constant() {
                    _ if !divisor.is_positive(self) => None,
                    None if divisor != Number::ONE => {
                        self.division_form(operator, &of, divisor, depth)
                    }
                    _ => {
                        let value = self.operation(operator, &[of], divisor)?;
                        self.sum_form(&value, depth + 1)
                    }
                }
            }
            Term::Sum(terms) => {
                let (mut constant, mut parts) = (0i64, Vec::with_capacity(terms.len()));
                for term in terms {
                    let (factor, body) = factor_of(term, bindings, self)?;
                    match (factor, body) {
                        (Number::Integer(factor), None) => {
                            constant = constant.checked_add(factor)?;
                        }
                        _ => parts.push(self.multiple(factor, body, bindings, depth)?),
                    }
                }
                Form::sum(constant, parts)
            }
            Term::Product(..) => {
                let (factor, body) = factor_of(term, bindings, self)?;
                Form::sum(0, [self.multiple(factor, body, bindings, depth)?])
            }
            Term::Min(x, y) | Term::Max(x, y) => {
                let mut parts = Vec::with_capacity(2);
                for operand in [x, y] {
                    let sum = sum_of(operand, bindings, self)?;
                    parts.push(self.sum_form(&sum, depth + 1)?);
                }
                Some(Form::min_max(parts, matches!(term, Term::Min(..))))
            }
            _ => {
                let sum = sum_of(term, bindings, self)?;
                self.sum_form(&sum, depth + 1)
            }
        }
    }
}

/// Replaces the best form by another if that is smaller; returns whether it is.
fn keep_smaller(best: &mut FormRef, other: Option<FormRef>) -> bool {
    let smaller = other.filter(|form| form.is_smaller_than(best));
    smaller.map(|form| *best = form).is_some()
}
