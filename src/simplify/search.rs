//! The search for the smallest way to write a value.
//!
//! For a sum, a quotient or a remainder the generators (`propose_*`) name rules and bindings that
//! may give a smaller form. The right side of the rule is evaluated to a form, recursively the
//! smallest one known for each part; if it is smaller, the kernel checks the instance, and the
//! choice is recorded. A generator never builds a form itself: what it proposes is a rule.

use super::engine::Engine;
use super::linear::{AtomId, Linear};
use super::store::{Definition, SumId};
use super::terms::Bindings;
use crate::rule::matching::{establishes, factor_of, integer, sum_of};
use crate::rule::{RuleId, Statement, Term};
use crate::saturate::{Form, FormRef, block_of, sum_operations};

/// What a rule instance rewrites.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    /// A sum.
    Sum(SumId),
    /// `of floordiv divisor`
    Quotient {
        /// Numerator.
        of: SumId,
        /// Divisor, at least 2.
        divisor: i64,
    },
    /// `of mod modulus`
    Remainder {
        /// What the remainder is taken of.
        of: SumId,
        /// Modulus, at least 2.
        modulus: i64,
    },
}

/// How deep the search goes, in forms inside forms.
#[derive(Clone, Copy, Debug)]
pub struct Depth {
    /// Below this depth no further alternatives are tried.
    pub alternatives: u32,
    /// Below this depth no terms are absorbed under quotients; absorption makes larger numerators.
    pub absorption: u32,
    /// Do rules fire in an e-graph afterwards?
    pub is_last: bool,
}

impl Depth {
    /// For every other pass, the first one included: nearly all is found here, at a fraction of the cost.
    pub const SHALLOW: Depth = Depth {
        alternatives: 2,
        absorption: 2,
        is_last: false,
    };
    /// For the passes between them, over results that are mostly short by then.
    pub const FULL: Depth = Depth {
        alternatives: 8,
        absorption: 4,
        is_last: true,
    };
}

impl Engine<'_> {
    /// The smallest form found for a sum.
    pub fn sum_form(&mut self, sum: &Linear, depth: u32) -> Option<FormRef> {
        if let Some(value) = sum.as_constant() {
            return Some(Form::constant(value));
        }
        let key = self.store.intern(sum);
        if let Some(form) = self.forms.sums.get(&key) {
            return Some(form.clone());
        }
        let mut parts = Vec::with_capacity(sum.terms().len());
        for &(atom, coefficient) in sum.terms() {
            parts.push((coefficient, self.atom_form(atom, depth)?));
        }
        let mut best = Form::sum(sum.constant, parts)?;
        let searchable = sum
            .terms()
            .iter()
            .any(|(atom, _)| self.store.quotient(*atom).is_some());
        let has_lattice = self.store.has_lattices() && self.store.lattices_of(sum).next().is_some();
        let shorter = best.ops > self.least_operations(sum) || has_lattice;
        if (searchable || has_lattice) && shorter && depth < self.reach.alternatives {
            self.forms.sums.insert(key, best.clone()); // what a search below may see of this sum
            self.propose_for_sum(sum, depth, &mut best);
            if has_lattice {
                self.propose_for_lattices(sum, depth, &mut best);
            }
        }
        self.forms.sums.insert(key, best.clone());
        Some(best)
    }

    /// A form that needs a floordiv or mod and mentions every variable of `sum` has at least so many
    /// operations: where one is known, the search is over.
    pub(super) fn least_operations(&self, sum: &Linear) -> u32 {
        self.store.support(sum).count_ones()
    }

    /// Operations of a sum of variables as it will be printed; `None` if it has other atoms.
    pub(super) fn affine_operations(&self, sum: &Linear) -> Option<u32> {
        self.store
            .is_affine(sum)
            .then(|| sum_operations(sum.constant, sum.terms().iter().map(|(_, c)| *c)))
    }

    fn atom_form(&mut self, atom: AtomId, depth: u32) -> Option<FormRef> {
        if let Some(form) = self.forms.atoms.get(&atom) {
            return Some(form.clone());
        }
        let form = match self.store.atom(atom).definition.clone() {
            Definition::Variable(id) => Form::variable(id, self.store.atom(atom).range),
            Definition::Quotient(numerator, divisor) => {
                // Not kept here: it may be the form of a quotient whose search is still on.
                return self.quotient_form(&numerator, divisor, depth);
            }
            Definition::Least(operands) => self.lattice_form(&operands, true, depth)?,
            Definition::Greatest(operands) => self.lattice_form(&operands, false, depth)?,
        };
        self.forms.atoms.insert(atom, form.clone());
        Some(form)
    }

    fn lattice_form(&mut self, operands: &[Linear], least: bool, depth: u32) -> Option<FormRef> {
        let parts: Option<Vec<_>> = operands
            .iter()
            .map(|x| self.sum_form(x, depth + 1))
            .collect();
        Some(Form::lattice(parts?, least))
    }

    /// The smallest form found for `of floordiv divisor`, with the numerator as given.
    pub fn quotient_form(&mut self, of: &Linear, divisor: i64, depth: u32) -> Option<FormRef> {
        let key = (self.store.intern(of), divisor);
        if let Some(form) = self.forms.quotients.get(&key) {
            return Some(form.clone());
        }
        let numerator = self.refined_form(of, key.0, depth)?;
        let mut best = Form::floordiv(numerator, divisor);
        self.forms.quotients.insert(key, best.clone());
        if best.ops > self.least_operations(of) && depth < self.reach.alternatives {
            self.propose_for_quotient(of, divisor, depth, &mut best);
        }
        self.forms.quotients.insert(key, best.clone());
        Some(best)
    }

    /// The smallest form found for `of mod modulus`.
    pub fn remainder_form(&mut self, of: &Linear, modulus: i64, depth: u32) -> Option<FormRef> {
        let key = (self.store.intern(of), modulus);
        if let Some(form) = self.forms.remainders.get(&key) {
            return Some(form.clone());
        }
        let inner = self.refined_form(of, key.0, depth)?;
        let mut best = Form::modulo(inner, modulus);
        self.forms.remainders.insert(key, best.clone());
        if let Some(block) = block_of(self.store.range(of), modulus) {
            let target = Target::Remainder { of: key.0, modulus };
            let bindings = Bindings::of(&[modulus, block], [of.clone()]);
            self.propose(
                &target,
                self.rules.known().mod_block,
                bindings,
                depth,
                &mut best,
            );
        } else if best.ops > self.least_operations(of) && depth < self.reach.alternatives {
            self.propose_for_remainder(of, modulus, depth, &mut best);
        }
        self.forms.remainders.insert(key, best.clone());
        Some(best)
    }

    /// The form of a sum one level down. Its range is a fact about the sum, often a better one than
    /// the sum's own terms give.
    fn refined_form(&mut self, sum: &Linear, id: SumId, depth: u32) -> Option<FormRef> {
        let form = self.sum_form(sum, depth + 1)?;
        self.note_range(sum, &form);
        self.store.refine(id, form.range);
        Some(form)
    }

    /// Evaluates a proposed instance; keeps its form if that is smaller and the instance holds.
    pub(super) fn propose(
        &mut self,
        target: &Target,
        rule: RuleId,
        bindings: Bindings,
        depth: u32,
        best: &mut FormRef,
    ) {
        let rules = self.rules;
        if rules.is_left_out(rule) || !self.spend() {
            return;
        }
        let Statement::Rewrite(_, rhs) = &rules.rule(rule).statement else {
            return;
        };
        let Some(form) = self.form_of(rhs, &bindings, depth) else {
            return;
        };
        if form.is_smaller_than(best) && self.holds(target, rule, &bindings) {
            self.note(rule, &bindings);
            *best = form;
        }
    }

    /// Is the left side of this instance the target, and is every side condition established?
    fn holds(&mut self, target: &Target, rule: RuleId, bindings: &Bindings) -> bool {
        let rules = self.rules;
        let rule = rules.rule(rule);
        let Statement::Rewrite(lhs, _) = &rule.statement else {
            return false;
        };
        let matches = match (target, lhs) {
            (Target::Sum(sum), _) => {
                self.linear_of_lhs(lhs, bindings).as_ref() == Some(self.store.sum(*sum))
            }
            (Target::Quotient { of, divisor }, Term::FloorDiv(x, c))
            | (
                Target::Remainder {
                    of,
                    modulus: divisor,
                },
                Term::Mod(x, c),
            ) => {
                integer(c, bindings, self) == Some(*divisor)
                    && self.linear_of_lhs(x, bindings).as_ref() == Some(self.store.sum(*of))
            }
            _ => false,
        };
        matches
            && rule
                .conditions
                .iter()
                .all(|condition| establishes(condition, bindings, self))
    }

    /// The value of a left side: as [`sum_of`], but a quotient that is an atom as it stands is that atom,
    /// normal form or not.
    fn linear_of_lhs(&mut self, term: &Term, bindings: &Bindings) -> Option<Linear> {
        match term {
            Term::Sum(terms) => {
                let mut total = Linear::default();
                for term in terms {
                    total.add(1, &self.linear_of_lhs(term, bindings)?)?;
                }
                Some(total)
            }
            Term::Product(x, y) => match integer(x, bindings, self) {
                Some(factor) => self.linear_of_lhs(y, bindings)?.scaled(factor),
                None => sum_of(term, bindings, self),
            },
            Term::FloorDiv(x, c) => {
                let (x, c) = (sum_of(x, bindings, self)?, integer(c, bindings, self)?);
                let atom = (c >= 1).then(|| self.store.existing_quotient(&x, c))?;
                Some(atom.map_or_else(|| self.divide(&x, c), Linear::atom))
            }
            _ => sum_of(term, bindings, self),
        }
    }

    /// The smallest form known for a term of a right side.
    fn form_of(&mut self, term: &Term, bindings: &Bindings, depth: u32) -> Option<FormRef> {
        match term {
            Term::FloorDiv(x, c) => {
                let (of, divisor) = (sum_of(x, bindings, self)?, integer(c, bindings, self)?);
                match of.as_constant() {
                    _ if divisor < 1 => None,
                    None if divisor > 1 => self.quotient_form(&of, divisor, depth),
                    _ => {
                        let quotient = self.divide(&of, divisor);
                        self.sum_form(&quotient, depth + 1)
                    }
                }
            }
            Term::Mod(x, c) => {
                let (of, modulus) = (sum_of(x, bindings, self)?, integer(c, bindings, self)?);
                match of.as_constant() {
                    _ if modulus < 1 => None,
                    None if modulus > 1 => self.remainder_form(&of, modulus, depth),
                    _ => {
                        let remainder = self.remainder(&of, modulus)?;
                        self.sum_form(&remainder, depth + 1)
                    }
                }
            }
            Term::Sum(terms) => {
                let (mut constant, mut parts) = (0i64, Vec::with_capacity(terms.len()));
                for term in terms {
                    let (factor, body) = factor_of(term, bindings, self)?;
                    match body {
                        None => constant = constant.checked_add(factor)?,
                        Some(body) => parts.push((factor, self.form_of(body, bindings, depth)?)),
                    }
                }
                Form::sum(constant, parts)
            }
            Term::Product(..) => {
                let (factor, body) = factor_of(term, bindings, self)?;
                match body {
                    None => Some(Form::constant(factor)),
                    Some(body) => Form::sum(0, [(factor, self.form_of(body, bindings, depth)?)]),
                }
            }
            Term::Min(x, y) | Term::Max(x, y) => {
                let mut parts = Vec::with_capacity(2);
                for operand in [x, y] {
                    let sum = sum_of(operand, bindings, self)?;
                    parts.push(self.sum_form(&sum, depth + 1)?);
                }
                Some(Form::lattice(parts, matches!(term, Term::Min(..))))
            }
            _ => {
                let sum = sum_of(term, bindings, self)?;
                self.sum_form(&sum, depth + 1)
            }
        }
    }
}
