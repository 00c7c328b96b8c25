//! Infers the sorts of undeclared names.
//!
//! A name is a constant if it occurs where only a constant is allowed, and an expression otherwise. Only a constant is allowed
//!
//! - on the left of `let`,
//! - in a divisor,
//! - in a bound of a constraint that `<=>` replaces: at the ends of `l <= x <= u`, alone on one side of a comparison
//!   (unless it is on the right of `<=>`, and part of a longer term on its left),
//! - in a condition that defines constants with `=`, without floordiv, mod, min and max,
//! - as the left one of two factors neither of which is otherwise known to be a constant.

use super::terms::Sorts;
use super::{Condition, Relation, Rule, Statement, Term};
use rustc_hash::FxHashSet;

/// Returns the undeclared names of a rule that are constants, in the order of inference. `rule` was parsed with `known`
/// as constants, and every other undeclared name as an expression.
pub(super) fn constants(rule: &Rule, sorts: &Sorts, known: Vec<String>) -> Vec<String> {
    let mut found = Found { rule, sorts, names: known };
    let hints = rule.witnesses.iter().map(|(_, term)| term);
    let cases = rule.cases.iter().flat_map(Condition::sides);
    let terms: Vec<&Term> =
        rule.stated_terms().chain(hints).chain(&rule.multipliers).chain(cases).collect();
    for term in &terms {
        term.visit(&mut |part| {
            if let Term::FloorDiv(_, divisor) | Term::Mod(_, divisor) = part {
                found.all_of(divisor);
            }
        });
    }
    if let Statement::Equivalence(lhs, rhs) = &rule.statement {
        found.bounds(lhs, &[]);
        found.bounds(rhs, lhs);
    }
    // Each round finds a name, which bounds the number of rounds.
    loop {
        let before = found.names.len();
        for condition in &rule.conditions {
            found.defined(condition);
        }
        if found.names.len() == before {
            // Last, and one at a time: without other evidence, which factor is the constant is a guess.
            found.first_factor(&terms);
        }
        if found.names.len() == before {
            return found.names;
        }
    }
}

struct Found<'r> {
    rule: &'r Rule,
    sorts: &'r Sorts,
    names: Vec<String>,
}

impl Found<'_> {
    /// Marks all names in a term as constants.
    fn all_of(&mut self, term: &Term) {
        term.visit(&mut |part| {
            if let Some(name) = self.open(part) {
                self.names.push(name.to_owned());
            }
        });
    }

    /// Returns the name of an undeclared expression that is not known to be a constant.
    fn open(&self, part: &Term) -> Option<&str> {
        let Term::Expression(slot) = part else {
            return None;
        };
        let name = self.rule.expressions.get(*slot as usize)?;
        let is_open = !self.names.contains(name) && self.sorts.declared_sort(name).is_none();
        is_open.then_some(name)
    }

    /// Returns whether a term has a part that is not a constant.
    fn varies(&self, term: &Term) -> bool {
        term.any(|part| {
            matches!(part, Term::Expression(slot)
                if self.rule.expressions.get(*slot as usize).is_none_or(|name| !self.names.contains(name)))
        })
    }

    /// Infers `l` and `u` in `l <= x + y <= u`, `r` in `x mod c = r`, except names that `others` bound as part of a
    /// term.
    fn bounds(&mut self, constraints: &[Condition], others: &[Condition]) {
        let mut parts = FxHashSet::default();
        for side in others.iter().flat_map(Condition::sides) {
            side.visit(&mut |part| {
                if part != side {
                    parts.insert(part.clone());
                }
            });
        }
        let left: FxHashSet<&Term> = constraints.iter().map(|one| &one.lhs).collect();
        let right: FxHashSet<&Term> = constraints.iter().map(|one| &one.rhs).collect();
        let is_below = |term: &Term| left.contains(term);
        let is_above = |term: &Term| right.contains(term);
        for condition in constraints {
            let [lhs, rhs] = condition.sides();
            if is_below(rhs) {
                self.all_of(lhs);
            }
            if is_above(lhs) {
                self.all_of(rhs);
            }
        }
        for condition in constraints {
            for (bound, bounded) in
                [(&condition.lhs, &condition.rhs), (&condition.rhs, &condition.lhs)]
            {
                let is_name = |term: &Term| matches!(term, Term::Expression(_));
                let is_inside = is_below(bound) && is_above(bound) || parts.contains(bound);
                if is_name(bound) && !is_inside && !is_name(bounded) && self.varies(bounded) {
                    self.all_of(bound);
                }
            }
        }
    }

    /// Infers `t` in `t = g*d + 1` or `g*t = d + 1`, where g and d are constants.
    fn defined(&mut self, condition: &Condition) {
        if condition.relation != Relation::Equal {
            return;
        }
        for (known, term) in [(&condition.lhs, &condition.rhs), (&condition.rhs, &condition.lhs)] {
            if is_polynomial(known) && !self.varies(known) && is_polynomial(term) {
                self.all_of(term);
            }
        }
    }

    /// Infers the left factor of the first product of two varying terms.
    fn first_factor(&mut self, terms: &[&Term]) {
        let before = self.names.len();
        for term in terms {
            term.visit(&mut |part| {
                if let Term::Product(x, y) = part
                    && self.names.len() == before
                    && self.varies(x)
                    && self.varies(y)
                {
                    self.all_of(x);
                }
            });
        }
    }
}

fn is_polynomial(term: &Term) -> bool {
    !term.any(|part| {
        !matches!(
            part,
            Term::Integer(_)
                | Term::Constant(_)
                | Term::Expression(_)
                | Term::Sum(_)
                | Term::Product(..)
        )
    })
}
