//! Backtracking search for the bindings under which a left side equals a given term.
//!
//! A goal pairs a part of the pattern with the value it must have; pending goals form a list on the stack, and bindings
//! of one alternative are undone before the next. Operations come first, as they bind factors and variables; then known
//! summands are subtracted; then the integer is matched; the remainder is split by the rule's `split`.

use super::clause::{Clause, Left};
use super::matcher::Scheme;
use super::pattern::{Core, Integer, Pattern, Summand};
use super::{Bindings, Forms, Matcher, Number, Operation, Operator, Terms, sum_of};
use crate::num::{Interval, Sum};
use crate::rule::{Slot, Split};
use smallvec::SmallVec;
use std::ops::ControlFlow;
use std::rc::Rc;

/// Maximum number of goals per rule and term.
const MAX_GOALS: u32 = 600;

/// The required value of a left side.
pub enum Subject<'s, A> {
    /// An operation.
    Operation(Operator, &'s Operation<A>),
    /// A value, by its known forms.
    Forms(&'s Forms<A>),
}

/// A callback for each instance; returns whether to continue.
pub type Found<'f, T> = &'f mut dyn FnMut(&mut T, &Bindings<<T as Terms>::Atom>) -> ControlFlow<()>;

impl Matcher {
    /// Calls `found` with each binding of all variables under which the left side equals `subject`, until it breaks.
    pub fn search<T: Terms>(
        &self,
        terms: &mut T,
        subject: Subject<'_, T::Atom>,
        found: Found<'_, T>,
    ) {
        let mut search = Search::new(&self.scheme, terms, found);
        let _ = match subject {
            Subject::Forms(forms) => search.forms(&self.left, forms, None),
            Subject::Operation(operator, operation) => {
                search.operation(&self.left, operator, operation, None)
            }
        };
    }
}

pub(super) type Flow = ControlFlow<()>;

pub(super) const ON: Flow = ControlFlow::Continue(());

/// A condition that remains to be met.
pub(super) enum Goal<'m, A: Copy> {
    /// The summands in the set (one bit each) add up to the sum.
    Sum(&'m [Summand], u64, Sum<A>),
    /// The term equals this number.
    Integer(&'m Integer, Number),
    /// The patterns in the set match the operands in the set.
    Operands(Operator, (&'m [Pattern], u64), (Rc<[Forms<A>]>, u64)),
    /// The clauses match the statements in the set.
    Clauses(&'m [Clause], Left<'m, A>),
    /// The bounds of a clause equal these.
    Ends(&'m Clause, [i64; 2]),
}

/// A list of goals, the next one first.
pub(super) struct Goals<'g, 'm, A: Copy> {
    pub(super) goal: Goal<'m, A>,
    pub(super) next: Next<'g, 'm, A>,
}

pub(super) type Next<'g, 'm, A> = Option<&'g Goals<'g, 'm, A>>;

/// A trail entry: a binding to undo.
#[derive(Clone, Copy)]
pub(super) enum Bound {
    Constant(Slot),
    Expression(Slot),
    Pending,
}

pub(super) struct Search<'s, 'm, T: Terms> {
    pub(super) scheme: &'m Scheme,
    pub(super) terms: &'s mut T,
    goals: u32,
    pub(super) found: Found<'s, T>,
    pub(super) bindings: Bindings<T::Atom>,
    /// Unbound constants, one bit each.
    pub(super) open: u64,
    /// Terms with two or more open constants, with their values.
    pub(super) pending: SmallVec<[(&'m Integer, Number); 2]>,
    pub(super) trail: SmallVec<[Bound; 16]>,
    /// The number of open sums that are already split.
    solved: usize,
    /// The whole sum, if a split needs it.
    pub(super) whole: Option<Sum<T::Atom>>,
}

impl<'s, 'm, T: Terms> Search<'s, 'm, T> {
    pub(super) fn new(scheme: &'m Scheme, terms: &'s mut T, found: Found<'s, T>) -> Self {
        Search {
            scheme,
            terms,
            goals: MAX_GOALS,
            found,
            bindings: Bindings::none(scheme.constants, scheme.expressions),
            open: u64::MAX,
            pending: SmallVec::new(),
            trail: SmallVec::new(),
            solved: 0,
            whole: None,
        }
    }

    pub(super) fn solve(&mut self, goals: Next<'_, 'm, T::Atom>) -> Flow {
        let Some(goals) = goals else {
            return self.complete();
        };
        if self.goals == 0 {
            return ControlFlow::Break(());
        }
        self.goals -= 1;
        match &goals.goal {
            Goal::Integer(term, value) => self.integer(term, *value, goals.next),
            Goal::Sum(summands, left, sum) => self.sum(summands, *left, sum, goals.next),
            Goal::Operands(operator, patterns, (operands, left)) => {
                self.operands(*operator, *patterns, (operands, *left), goals.next)
            }
            Goal::Clauses(clauses, left) => self.clauses(clauses, *left, goals.next),
            Goal::Ends(clause, ends) => self.ends(clause, *ends, goals.next),
        }
    }

    /// Returns the current position of the trail.
    pub(super) fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Undoes the bindings made since `mark`.
    #[inline]
    pub(super) fn back(&mut self, mark: usize) {
        while self.trail.len() > mark {
            match self.trail.pop() {
                Some(Bound::Constant(slot)) => {
                    self.bindings.constants[usize::from(slot)] = None;
                    self.open |= 1 << slot;
                }
                Some(Bound::Expression(slot)) => {
                    self.bindings.expressions[usize::from(slot)] = None;
                }
                Some(Bound::Pending) => drop(self.pending.pop()),
                None => {}
            }
        }
    }

    /// Handles the end of the goal list: chooses values of the slots that are still open.
    fn complete(&mut self) -> Flow {
        let mark = self.mark();
        self.choose();
        let scheme: &'m Scheme = self.scheme;
        if let Some((summands, value)) = scheme.equations.get(self.solved) {
            let flow = match sum_of(value, &self.bindings, self.terms) {
                Some(sum) => {
                    self.solved += 1;
                    let flow = self.sum(summands, all_of(summands.len()), &sum, None);
                    self.solved -= 1;
                    flow
                }
                None => ON,
            };
            self.back(mark);
            return flow;
        }
        let pending = std::mem::take(&mut self.pending);
        let flow = self.complete_pending(&pending);
        self.back(mark);
        self.pending = pending;
        flow
    }

    /// Binds a variable to a value with these forms; `false` if it has another value.
    pub(super) fn bind(&mut self, slot: Slot, forms: &[Sum<T::Atom>]) -> bool {
        if let Some(known) = self.bindings.expression(slot) {
            return forms.contains(known);
        }
        let Some(form) = forms.first() else {
            return false;
        };
        let first_is_negative = || form.terms().first().is_some_and(|(_, c)| *c < 0);
        if self.scheme.splits.contains(&Split::Negative) && !first_is_negative() {
            return false;
        }
        // Prunes values that a condition excludes.
        let within = self.scheme.within.iter().find(|(of, _)| *of == slot);
        let within = within.map(|(_, [lo, hi])| Interval::new(*lo, *hi));
        if within.is_some_and(|bounds| !self.terms.is_within(form, bounds)) {
            return false;
        }
        self.bindings.set_expression(slot, form.clone());
        self.trail.push(Bound::Expression(slot));
        true
    }

    pub(super) fn forms(
        &mut self,
        pattern: &'m Pattern,
        forms: &[Sum<T::Atom>],
        next: Next<'_, 'm, T::Atom>,
    ) -> Flow {
        if let Some(slot) = pattern.as_variable() {
            let mark = self.mark();
            let flow = if self.bind(slot, forms) { self.solve(next) } else { ON };
            self.back(mark);
            return flow;
        }
        for form in forms {
            match pattern {
                Pattern::Sum(summands) => {
                    if next.is_none() && self.scheme.splits.contains(&Split::Outside) {
                        self.whole = Some(form.clone());
                    }
                    let all = all_of(summands.len());
                    self.sum(summands, all, form, next)?;
                }
                Pattern::Division(operator, ..) | Pattern::MinMax(operator, _) => {
                    let Some(atom) = form.as_atom() else { continue };
                    for operation in self.terms.operations(atom, *operator).iter() {
                        self.operation(pattern, *operator, operation, next)?;
                    }
                }
            }
        }
        ON
    }

    /// Matches a pattern with an operation.
    fn operation(
        &mut self,
        pattern: &'m Pattern,
        operator: Operator,
        operation: &Operation<T::Atom>,
        next: Next<'_, 'm, T::Atom>,
    ) -> Flow {
        match pattern {
            Pattern::Division(known, of, divisor) if *known == operator => {
                let Some(operand) = operation.operands.first() else {
                    return ON;
                };
                // The divisor comes first: it binds constants of the numerator.
                let mark = self.mark();
                let flow = match self.resolve(divisor, operation.divisor) {
                    true => self.forms(of, operand, next),
                    false => ON,
                };
                self.back(mark);
                flow
            }
            Pattern::MinMax(known, patterns) if *known == operator => {
                let operands = &operation.operands;
                let left = (operands, all_of(operands.len()));
                self.operands(operator, (patterns, all_of(patterns.len())), left, next)
            }
            _ => ON,
        }
    }

    pub(super) fn sum(
        &mut self,
        summands: &'m [Summand],
        left: u64,
        sum: &Sum<T::Atom>,
        next: Next<'_, 'm, T::Atom>,
    ) -> Flow {
        if left == 0 {
            return if sum.is_zero() { self.solve(next) } else { ON };
        }
        for index in bits(left) {
            let (slot, pattern) = match &summands[index].core {
                Core::Operation(pattern) => (None, pattern),
                Core::Defined(slot, pattern) if self.bindings.expression(*slot).is_none() => {
                    (Some(*slot), pattern)
                }
                _ => continue,
            };
            return self.operation_in((summands, left), index, (slot, pattern), sum, next);
        }
        if self.pending.is_empty() && self.scheme.chosen & self.open == 0 {
            return self.variables(summands, left, sum, next);
        }
        let mark = self.mark();
        self.choose();
        let flow = match self.settle(|_| true) {
            true => self.variables(summands, left, sum, next),
            false => ON,
        };
        self.back(mark);
        flow
    }

    /// Matches one summand with each operation of the sum in turn.
    fn operation_in(
        &mut self,
        (summands, left): (&'m [Summand], u64),
        index: usize,
        (slot, pattern): (Option<Slot>, &'m Pattern),
        sum: &Sum<T::Atom>,
        next: Next<'_, 'm, T::Atom>,
    ) -> Flow {
        let (Pattern::Division(operator, ..) | Pattern::MinMax(operator, _)) = pattern else {
            return ON;
        };
        let factor = &summands[index].factor;
        let is_known = factor.constants & self.open == 0;
        let known = is_known.then(|| factor.value(&self.bindings, self.terms));
        for &(term, coefficient) in sum.terms() {
            let Some((coefficient, atom)) = self.operation_at(term, coefficient, *operator) else {
                continue;
            };
            if known.is_some_and(|known| known != Some(coefficient)) {
                continue;
            }
            let operations = self.terms.operations(atom, *operator);
            let mark = self.mark();
            if let Some(slot) = slot {
                self.bindings.set_expression(slot, Sum::atom(atom));
                self.trail.push(Bound::Expression(slot));
            }
            let rest =
                Goals { goal: Goal::Sum(summands, left & !(1 << index), sum.without(term)), next };
            // The divisor first, if a factor may be a multiple of it.
            let goals = Goals { goal: Goal::Integer(factor, coefficient), next: Some(&rest) };
            let is_solvable = (factor.constants & self.open).count_ones() < 2;
            let goals = if is_solvable { &rest } else { &goals };
            let mut flow = ON;
            if !is_solvable || self.resolve(factor, coefficient) {
                // A quotient in a condition may be written in any way; in an operation of the left side it is the atom.
                let further = match (slot, operator) {
                    (Some(_), Operator::FloorDiv) => self.terms.further_quotients(atom).to_vec(),
                    _ => Vec::new(),
                };
                for operation in operations.iter().chain(&further) {
                    flow = self.operation(pattern, *operator, operation, Some(goals));
                    if flow.is_break() {
                        break;
                    }
                }
            }
            self.back(mark);
            flow?;
        }
        ON
    }

    /// Returns the operation that a term of a sum is a multiple of, with its factor.
    fn operation_at(
        &mut self,
        term: T::Atom,
        coefficient: i64,
        operator: Operator,
    ) -> Option<(Number, T::Atom)> {
        let coefficient = Number::Integer(coefficient);
        if self.terms.has_operation(term, operator) {
            return Some((coefficient, term));
        }
        let (cofactor, atom) = self.terms.factored(term)?;
        let is_meant = self.terms.has_operation(atom, operator);
        is_meant.then(|| Some((coefficient.times(cofactor, self.terms)?, atom)))?
    }
}

/// Returns the set of the first `count` numbers.
pub(super) fn all_of(count: usize) -> u64 {
    u64::MAX.checked_shr(64 - count as u32).unwrap_or(0)
}

/// Iterates over the members of a bit set.
pub(super) fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = set.trailing_zeros() as usize;
        set &= set.wrapping_sub(1);
        (next < 64).then_some(next)
    })
}
