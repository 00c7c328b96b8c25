//! A rule, compiled for matching.

use super::Operator;
use super::choice::{BoundSlots, Choice, Plan};
use super::pattern::{Core, Pattern, Summand, pattern};
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY, Sum};
use crate::rule::{Condition, Relation, Rule, Slot, Split, Statement, Term};
use serde::{Deserialize, Serialize};

/// Maximum number of constants, and of expressions, in a rule: one bit for each.
const MAX_VARIABLES: usize = 64;

/// A compiled rewrite: its left side, and how open variables are chosen.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Matcher {
    pub(super) left: Pattern,
    pub(super) scheme: Scheme,
    /// Operations in the left side, one bit each.
    operators: u8,
    /// The outermost operations of the left side, or of its dividend.
    outer: u8,
}

/// The variables of a rule, and the ways to bind those that matching leaves open.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Scheme {
    pub(super) choices: Vec<(Slot, Choice)>,
    pub(super) splits: Vec<Split>,
    /// Constants that a condition bounds below by 1, one bit each.
    pub(super) positive: u64,
    /// Intervals that conditions give for expressions: the least and the greatest value.
    pub(super) within: Vec<(Slot, [i64; 2])>,
    /// Constants with a choice, one bit each.
    pub(super) chosen: u64,
    pub(super) constants: usize,
    pub(super) expressions: usize,
    /// Expression variables inside operations of the left side, one bit each.
    pub(super) inside: u64,
    /// Conditions that are tested once their variables are bound.
    pub(super) tests: Vec<Test>,
    /// Sums that the left side leaves open, each with the term that it equals.
    pub(super) equations: Vec<(Vec<Summand>, Term)>,
}

impl Scheme {
    /// Builds the scheme of a rule, given the slots that matching binds.
    ///
    /// # Errors
    /// The reason why it cannot be built, as a clause.
    pub(super) fn of(rule: &Rule, bound: BoundSlots) -> Result<Scheme, String> {
        if rule.constants.len().max(rule.expressions.len()) > MAX_VARIABLES {
            return Err(format!("it has more than {MAX_VARIABLES} constants, or expressions"));
        }
        let plan = Plan::of(rule, bound);
        if let Some(name) = plan.without_value(rule) {
            return Err(format!(
                "'{name}' is unbound: not in its left-hand side, `let` or an equation"
            ));
        }
        Ok(Scheme {
            chosen: bits(plan.choices.iter().map(|(slot, _)| *slot)),
            choices: plan.choices,
            equations: plan.equations,
            splits: rule.splits.clone(),
            positive: bits(rule.conditions.iter().filter_map(positive)),
            within: within(rule),
            constants: rule.constants.len(),
            expressions: rule.expressions.len(),
            inside: 0,
            tests: Test::all(rule),
        })
    }
}

/// A condition on expressions, with its variables. It is tested at sample points before the rest of the left side is matched.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Test {
    pub(super) condition: Condition,
    /// Its constants and expressions, one bit each.
    pub(super) constants: u64,
    pub(super) expressions: u64,
}

impl Test {
    fn all(rule: &Rule) -> Vec<Test> {
        let of = |condition: &Condition| {
            let (mut constants, mut expressions) = (0, 0);
            for side in condition.sides() {
                side.visit(&mut |part| match part {
                    Term::Constant(slot) => constants |= 1 << slot,
                    Term::Expression(slot) => expressions |= 1 << slot,
                    _ => {}
                });
            }
            Test { condition: condition.clone(), constants, expressions }
        };
        // A definition holds by matching.
        let defined = definitions(rule);
        let is_defined = |one: &Condition| {
            one.relation == Relation::Equal && defined.iter().any(|(_, x)| one.sides().contains(x))
        };
        let all = rule.conditions.iter().filter(|one| !is_defined(one)).map(of);
        all.filter(|test| test.expressions != 0).collect()
    }
}

/// The properties of a sum that decide whether a pattern can match at all.
#[derive(Clone, Copy, Debug)]
pub struct Outline {
    /// Number of terms.
    pub terms: usize,
    /// Number of terms that are operations, or products of them.
    pub operations: usize,
    /// The operations among the terms, one bit for each [`Operator`].
    pub operators: u8,
    /// Whether its constant is not 0.
    pub has_constant: bool,
}

impl Outline {
    /// Computes the outline of a sum; `operators` returns the operations that an atom equals, one bit each, and `None` for a
    /// variable.
    pub fn of<A: Copy + Ord>(sum: &Sum<A>, mut operators: impl FnMut(A) -> Option<u8>) -> Outline {
        let (mut all, mut operations) = (0, 0);
        for (atom, _) in sum.terms() {
            if let Some(own) = operators(*atom) {
                operations += 1;
                all |= own;
            }
        }
        let terms = sum.terms().len();
        Outline { terms, operations, operators: all, has_constant: sum.constant != 0 }
    }
}

impl Matcher {
    /// Compiles a rewrite.
    ///
    /// # Errors
    /// The reason why it cannot be matched, as a clause in lower case: it replaces no term, its left side is a bare variable, or
    /// a variable has no value.
    pub fn new(rule: &Rule) -> Result<Matcher, String> {
        let left = match &rule.statement {
            Statement::Rewrite(left, _) => left,
            Statement::Equivalence(..) => {
                return Err("it replaces comparisons, not terms".to_owned());
            }
            Statement::Fact(_) => return Err("it is a fact, not a rewrite".to_owned()),
        };
        if let Term::Integer(_) | Term::Constant(_) | Term::Expression(_) = left {
            return Err("its left-hand side matches any term".to_owned());
        }
        let defined = definitions(rule);
        let Some(left) = pattern(left, &defined) else {
            return Err("its left-hand side is not an index expression".to_owned());
        };
        let mut bound = BoundSlots::of(rule);
        // An operation may bind constants that an earlier factor needs.
        for _ in 0..2 {
            bound.read(&left);
        }
        let mut scheme = Scheme::of(rule, bound)?;
        scheme.inside = left.inside();
        let outer = match &left {
            Pattern::Division(_, of, _) => of.outer_operators(),
            left => left.outer_operators(),
        };
        Ok(Matcher { scheme, operators: left.operators(), outer, left })
    }

    /// Returns whether all operations of the left side are among these, one bit for each [`Operator`].
    #[must_use]
    pub fn needs_only(&self, operators: u8) -> bool {
        self.operators & !operators == 0
    }

    /// Returns whether a sum can match the left side or its dividend such that each part of the pattern is matched.
    #[must_use]
    pub fn has_room(&self, sum: &Outline) -> bool {
        let is_complete = self.summands().is_none_or(|(summands, is_divided)| {
            let is_letter = |one: &Summand| one.core == Core::One && one.factor.constants != 0;
            !is_divided || sum.has_constant || !summands.iter().any(is_letter)
        });
        is_complete && self.has_parts(sum)
    }

    /// Returns whether a sum has as many summands and operations as the left side or its dividend needs.
    #[must_use]
    pub fn has_parts(&self, sum: &Outline) -> bool {
        let (mut summands, mut operations) = (0, 0);
        let all = self.summands().map_or(&[][..], |(summands, _)| summands);
        // What an operation has may add terms, which the other summands then take.
        let is_inside = |one: &Summand| matches!(one.core, Core::Variable(slot) if self.scheme.inside & 1 << slot != 0);
        let adds = self.scheme.splits.contains(&Split::Residues) && all.iter().any(is_inside);
        for summand in all {
            match summand.core {
                Core::One => {}
                Core::Variable(_) if adds => {}
                Core::Variable(_) => summands += usize::from(!summand.factor.is_one()),
                Core::Operation(_) | Core::Defined(..) => operations += 1,
            }
        }
        summands + operations <= sum.terms + usize::from(sum.has_constant)
            && operations <= sum.operations
            && self.outer & !sum.operators == 0
    }

    /// Returns the summands of the left side or of its dividend, and whether it is the dividend.
    fn summands(&self) -> Option<(&[Summand], bool)> {
        let (left, is_divided) = match &self.left {
            Pattern::Division(_, of, _) => (&**of, true),
            left => (left, false),
        };
        match left {
            Pattern::Sum(summands) => Some((summands, is_divided)),
            _ => None,
        }
    }

    /// Returns the choices for open constants, in order of computation.
    #[must_use]
    pub fn choices(&self) -> &[(Slot, Choice)] {
        &self.scheme.choices
    }

    /// Returns the operation at the root of the left side; `None` if it is a sum.
    #[must_use]
    pub fn root(&self) -> Option<Operator> {
        match &self.left {
            Pattern::Sum(_) => None,
            Pattern::Division(operator, ..) | Pattern::MinMax(operator, _) => Some(*operator),
        }
    }
}

fn bits(slots: impl Iterator<Item = Slot>) -> u64 {
    slots.fold(0, |bits, slot| bits | 1 << slot)
}

/// Returns the constant that a condition bounds below by 1, if any.
fn positive(condition: &Condition) -> Option<Slot> {
    match (&condition.lhs, condition.relation, &condition.rhs) {
        (Term::Integer(1..), Relation::LessEqual, Term::Constant(slot))
        | (Term::Integer(0..), Relation::Less, Term::Constant(slot)) => Some(*slot),
        _ => None,
    }
}

/// Returns the interval of each expression that a condition compares with an integer.
fn within(rule: &Rule) -> Vec<(Slot, [i64; 2])> {
    let mut within: Vec<(Slot, Interval)> = Vec::new();
    for Condition { lhs, relation, rhs } in &rule.conditions {
        let strict = i64::from(*relation == Relation::Less);
        let (slot, bounds) = match (lhs, rhs) {
            (Term::Integer(lo), Term::Expression(slot)) if *relation != Relation::Equal => {
                (*slot, Interval::new(lo.saturating_add(strict), PLUS_INFINITY))
            }
            (Term::Expression(slot), Term::Integer(hi)) if *relation != Relation::Equal => {
                (*slot, Interval::new(MINUS_INFINITY, hi.saturating_sub(strict)))
            }
            _ => continue,
        };
        match within.iter_mut().find(|(known, _)| *known == slot) {
            Some((_, known)) => *known = known.intersect(bounds),
            None => within.push((slot, bounds)),
        }
    }
    let ends = |(slot, bounds): (Slot, Interval)| (slot, [bounds.lo(), bounds.hi()]);
    within.into_iter().map(ends).collect()
}

/// Returns the expressions of the left side that a condition defines by a division.
#[must_use]
pub fn definitions<'r>(rule: &'r Rule) -> Vec<(Slot, &'r Term)> {
    let Statement::Rewrite(left, _) = &rule.statement else {
        return Vec::new();
    };
    let in_left = |slot: Slot| left.any(|part| *part == Term::Expression(slot));
    let define = |condition: &'r Condition| {
        let Condition { lhs, relation, rhs } = condition;
        let (term, slot) = match (lhs, rhs) {
            (term @ (Term::FloorDiv(..) | Term::Mod(..)), Term::Expression(slot))
            | (Term::Expression(slot), term @ (Term::FloorDiv(..) | Term::Mod(..))) => {
                (term, *slot)
            }
            _ => return None,
        };
        (*relation == Relation::Equal && in_left(slot)).then_some((slot, term))
    };
    rule.conditions.iter().filter_map(define).collect()
}
