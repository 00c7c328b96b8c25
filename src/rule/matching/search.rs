//! Finds the values with which a left side is a given term.
//!
//! A goal is a part of the pattern and what it must be equal to; the goals that are left stand in a list on
//! the stack. Operations are looked for first, as they tell what their factors and variables are; then what is
//! known is subtracted; then the integer is taken; what is left is divided up as the rule's `split` says.

use super::choice::{affine, constants_of};
use super::pattern::{Core, Pattern, Summand};
use super::{Bindings, Forms, Matcher, Operation, Operator, Terms, integer};
use crate::rule::{Slot, Split, Term};
use crate::sum::Sum;
use smallvec::SmallVec;
use std::ops::ControlFlow;

/// Most goals that are looked at for one rule and one term.
const MAX_GOALS: u32 = 600;

/// The smaller of two factors that a divisor is taken apart into.
const SMALL_FACTORS: i64 = 1 << 10;

/// What a left side is to be.
pub enum Subject<'s, A> {
    /// An operation.
    Operation(Operator, &'s Operation<A>),
    /// A value, by the sums that it is.
    Forms(&'s Forms<A>),
}

/// Called for each instance; it says whether to look for more.
pub type Found<'f, T> = &'f mut dyn FnMut(&mut T, &Bindings<<T as Terms>::Atom>) -> ControlFlow<()>;

impl Matcher {
    /// Calls `found` with values for all variables with which the left side is `subject`, until it breaks.
    pub fn search<T: Terms>(
        &self,
        terms: &mut T,
        subject: Subject<'_, T::Atom>,
        found: Found<'_, T>,
    ) {
        let mut search = Search {
            matcher: self,
            terms,
            goals: MAX_GOALS,
            found,
        };
        let state = State {
            bindings: Bindings::none(self.constants, self.expressions),
            pending: SmallVec::new(),
        };
        let _ = match (&self.left, subject) {
            (left, Subject::Forms(forms)) => {
                let goal = Goal::Forms(left, forms.clone());
                search.solve(Some(&Goals { goal, next: None }), &state)
            }
            (left, Subject::Operation(operator, operation)) => {
                search.operation(left, operator, operation, None, &state)
            }
        };
    }
}

pub(super) type Flow = ControlFlow<()>;

pub(super) const ON: Flow = ControlFlow::Continue(());

/// What was bound so far.
#[derive(Clone)]
pub(super) struct State<'m, A: Copy> {
    pub(super) bindings: Bindings<A>,
    /// Terms of two or more open constants, with their values.
    pub(super) pending: SmallVec<[(&'m Term, i64); 2]>,
}

/// Something that has to hold.
pub(super) enum Goal<'m, A> {
    /// The pattern is one of these sums.
    Forms(&'m Pattern, Forms<A>),
    /// The summands add up to the sum.
    Sum(Summands<'m>, Sum<A>),
    /// The term is this integer.
    Integer(&'m Term, i64),
    /// The patterns are the operands of a min or max.
    Operands(
        Operator,
        SmallVec<[&'m Pattern; 4]>,
        SmallVec<[Forms<A>; 4]>,
    ),
}

pub(super) type Summands<'m> = SmallVec<[&'m Summand; 4]>;

/// Goals, the next one first.
pub(super) struct Goals<'g, 'm, A> {
    pub(super) goal: Goal<'m, A>,
    pub(super) next: Next<'g, 'm, A>,
}

pub(super) type Next<'g, 'm, A> = Option<&'g Goals<'g, 'm, A>>;

pub(super) struct Search<'s, 'm, T: Terms> {
    pub(super) matcher: &'m Matcher,
    pub(super) terms: &'s mut T,
    goals: u32,
    found: Found<'s, T>,
}

impl<'m, T: Terms> Search<'_, 'm, T> {
    pub(super) fn solve(
        &mut self,
        goals: Next<'_, 'm, T::Atom>,
        state: &State<'m, T::Atom>,
    ) -> Flow {
        let Some(goals) = goals else {
            return self.complete(state);
        };
        if self.goals == 0 {
            return ControlFlow::Break(());
        }
        self.goals -= 1;
        match &goals.goal {
            Goal::Integer(term, value) => match self.resolved(term, *value, state) {
                Some(state) => self.solve(goals.next, &state),
                None => ON,
            },
            Goal::Forms(pattern, forms) => self.forms(pattern, forms, goals.next, state),
            Goal::Sum(summands, sum) => self.sum(summands, sum, goals.next, state),
            Goal::Operands(operator, patterns, operands) => {
                self.operands(*operator, patterns, operands, goals.next, state)
            }
        }
    }

    /// All goals are reached: what is still open is chosen.
    fn complete(&mut self, state: &State<'m, T::Atom>) -> Flow {
        let mut state = self.chosen(state);
        while let Some((term, value)) = state.pending.pop() {
            match self.resolved(term, value, &state) {
                None => return ON,
                Some(next) if next.pending.len() > state.pending.len() => {
                    return self.factored(term, value, &state);
                }
                Some(next) => state = next,
            }
        }
        let state = self.chosen(&state);
        let bound = |state: &State<'m, T::Atom>| {
            state.bindings.constants.iter().all(Option::is_some)
                && state.bindings.expressions.iter().all(Option::is_some)
        };
        if bound(&state) {
            return (self.found)(self.terms, &state.bindings);
        }
        ON
    }

    /// `term = value`, where the term is a product of two open constants: the ways to factor the value.
    fn factored(&mut self, term: &Term, value: i64, state: &State<'m, T::Atom>) -> Flow {
        let Term::Product(x, y) = term else {
            return ON;
        };
        let (Term::Constant(x), Term::Constant(y)) = (&**x, &**y) else {
            return ON;
        };
        let Some(size) = value.checked_abs().filter(|size| *size > 0) else {
            return ON;
        };
        let small = (1..=SMALL_FACTORS).take_while(|factor| factor * factor <= size);
        let small: Vec<i64> = small.filter(|factor| size % factor == 0).collect();
        let large = small.iter().map(|factor| size / factor);
        let mut factors: Vec<i64> = small.iter().copied().chain(large).collect();
        factors.sort_unstable();
        factors.dedup();
        for factor in factors {
            let mut next = state.clone();
            next.bindings.set_constant(*x, factor * value.signum());
            next.bindings.set_constant(*y, size / factor);
            self.complete(&next)?;
        }
        ON
    }

    /// The state in which a term without expressions is `value`; `None` if it cannot be.
    pub(super) fn resolved(
        &mut self,
        term: &'m Term,
        value: i64,
        state: &State<'m, T::Atom>,
    ) -> Option<State<'m, T::Atom>> {
        // The common cases first.
        match term {
            Term::Integer(known) => return (*known == value).then(|| state.clone()),
            Term::Constant(slot) => {
                return match state.bindings.constant(*slot) {
                    Some(known) => (known == value).then(|| state.clone()),
                    None => Some(with(state, *slot, value)),
                };
            }
            _ => {}
        }
        let mut open = constants_of(term);
        open.retain(|slot| state.bindings.constant(*slot).is_none());
        let mut open = open.into_iter();
        match (open.next(), open.next()) {
            (None, _) => {
                let known = integer(term, &state.bindings, self.terms)?;
                (known == value).then(|| state.clone())
            }
            (Some(slot), None) => {
                let (factor, rest) = affine(term, slot)?;
                let factor = integer(&factor, &state.bindings, self.terms)?;
                let rest = integer(&rest, &state.bindings, self.terms)?;
                let left = value.checked_sub(rest)?;
                (left.checked_rem(factor)? == 0).then(|| with(state, slot, left / factor))
            }
            _ => {
                let mut state = state.clone();
                state.pending.push((term, value));
                Some(state)
            }
        }
    }

    /// With values for the constants that can be chosen by now.
    fn chosen(&mut self, state: &State<'m, T::Atom>) -> State<'m, T::Atom> {
        let mut state = state.clone();
        for (slot, choice) in &self.matcher.choices {
            if state.bindings.constant(*slot).is_none()
                && let Some(value) = choice.value(&state.bindings, self.terms)
            {
                state.bindings.set_constant(*slot, value);
            }
        }
        state
    }

    pub(super) fn bound(
        &mut self,
        slot: Slot,
        forms: &[Sum<T::Atom>],
        state: &State<'m, T::Atom>,
    ) -> Option<State<'m, T::Atom>> {
        if let Some(known) = state.bindings.expression(slot) {
            return forms.contains(known).then(|| state.clone());
        }
        let form = forms.first()?;
        let first_is_negative = || form.terms().first().is_some_and(|(_, c)| *c < 0);
        if self.matcher.splits == [Split::Negative] && !first_is_negative() {
            return None;
        }
        let mut state = state.clone();
        state.bindings.set_expression(slot, form.clone());
        Some(state)
    }

    fn forms(
        &mut self,
        pattern: &'m Pattern,
        forms: &Forms<T::Atom>,
        next: Next<'_, 'm, T::Atom>,
        state: &State<'m, T::Atom>,
    ) -> Flow {
        let summands = match pattern {
            Pattern::Sum(summands) => summands,
            Pattern::Division(operator, ..) | Pattern::Lattice(operator, _) => {
                for form in forms.iter() {
                    let Some(atom) = form.as_atom() else { continue };
                    for operation in self.terms.operations(atom, *operator) {
                        self.operation(pattern, *operator, &operation, next, state)?;
                    }
                }
                return ON;
            }
        };
        if let [
            Summand {
                factor: Term::Integer(1),
                core: Core::Variable(slot),
            },
        ] = summands.as_slice()
        {
            return match self.bound(*slot, forms, state) {
                Some(state) => self.solve(next, &state),
                None => ON,
            };
        }
        for form in forms.iter() {
            let goal = Goal::Sum(summands.iter().collect(), form.clone());
            self.solve(Some(&Goals { goal, next }), state)?;
        }
        ON
    }

    /// The pattern is this operation.
    fn operation(
        &mut self,
        pattern: &'m Pattern,
        operator: Operator,
        operation: &Operation<T::Atom>,
        next: Next<'_, 'm, T::Atom>,
        state: &State<'m, T::Atom>,
    ) -> Flow {
        match pattern {
            Pattern::Division(known, of, divisor) if *known == operator => {
                let Some(operand) = operation.operands.first() else {
                    return ON;
                };
                // A divisor tells constants that a numerator needs.
                let Some(state) = self.resolved(divisor, operation.divisor, state) else {
                    return ON;
                };
                let goal = Goal::Forms(of, operand.clone());
                self.solve(Some(&Goals { goal, next }), &state)
            }
            Pattern::Lattice(known, patterns) if *known == operator => {
                let operands = operation.operands.iter().cloned().collect();
                let goal = Goal::Operands(operator, patterns.iter().collect(), operands);
                self.solve(Some(&Goals { goal, next }), state)
            }
            _ => ON,
        }
    }

    fn operands(
        &mut self,
        operator: Operator,
        patterns: &[&'m Pattern],
        operands: &[Forms<T::Atom>],
        next: Next<'_, 'm, T::Atom>,
        state: &State<'m, T::Atom>,
    ) -> Flow {
        if patterns.is_empty() {
            return if operands.is_empty() {
                self.solve(next, state)
            } else {
                ON
            };
        }
        // A variable without a value takes what the others leave.
        let open = |pattern: &Pattern| match pattern {
            Pattern::Sum(summands) => match summands.as_slice() {
                [
                    Summand {
                        factor: Term::Integer(1),
                        core: Core::Variable(slot),
                    },
                ] => state.bindings.expression(*slot).is_none().then_some(*slot),
                _ => None,
            },
            _ => None,
        };
        let position = patterns.iter().position(|pattern| open(pattern).is_none());
        let position = position.unwrap_or(0);
        let others: SmallVec<[&'m Pattern; 4]> = without(patterns, position);
        if let (true, Some(slot)) = (others.is_empty(), open(patterns[position]))
            && operands.len() > 1
        {
            let firsts = operands.iter().filter_map(|forms| forms.first().cloned());
            let firsts: Vec<Sum<T::Atom>> = firsts.collect();
            let Some(whole) = self.terms.operation(operator, &firsts, 0) else {
                return ON;
            };
            return match self.bound(slot, &[whole], state) {
                Some(state) => self.solve(next, &state),
                None => ON,
            };
        }
        for (index, operand) in operands.iter().enumerate() {
            let rest = Goals {
                goal: Goal::Operands(operator, others.clone(), without(operands, index)),
                next,
            };
            let goal = Goal::Forms(patterns[position], operand.clone());
            let next = Some(&rest);
            self.solve(Some(&Goals { goal, next }), state)?;
        }
        ON
    }

    fn sum(
        &mut self,
        summands: &[&'m Summand],
        sum: &Sum<T::Atom>,
        next: Next<'_, 'm, T::Atom>,
        state: &State<'m, T::Atom>,
    ) -> Flow {
        if summands.is_empty() {
            return if sum.is_zero() {
                self.solve(next, state)
            } else {
                ON
            };
        }
        for (index, summand) in summands.iter().enumerate() {
            let (slot, pattern) = match &summand.core {
                Core::Operation(pattern) => (None, pattern),
                Core::Defined(slot, pattern) if state.bindings.expression(*slot).is_none() => {
                    (Some(*slot), pattern)
                }
                _ => continue,
            };
            let others = without(summands, index);
            return self.operation_in(summand, (slot, pattern), others, sum, next, state);
        }
        let state = self.chosen(state);
        for (index, summand) in summands.iter().enumerate() {
            if let Some(value) = self.known(summand, &state) {
                let Some(rest) = sum.plus(-1, &value) else {
                    return ON;
                };
                // What is known must be there.
                if !value.terms().is_empty() && rest.terms().len() >= sum.terms().len() {
                    return ON;
                }
                let goal = Goal::Sum(without(summands, index), rest);
                return self.solve(Some(&Goals { goal, next }), &state);
            }
        }
        if let Some(index) = summands.iter().position(|one| one.core == Core::One) {
            let goal = Goal::Sum(without(summands, index), sum.with_constant(0));
            let rest = Goals { goal, next };
            let goal = Goal::Integer(&summands[index].factor, sum.constant);
            let next = Some(&rest);
            return self.solve(Some(&Goals { goal, next }), &state);
        }
        self.split(summands, sum, next, &state)
    }

    /// One summand is an operation: each of those in the sum.
    fn operation_in(
        &mut self,
        summand: &'m Summand,
        (slot, pattern): (Option<Slot>, &'m Pattern),
        others: Summands<'m>,
        sum: &Sum<T::Atom>,
        next: Next<'_, 'm, T::Atom>,
        state: &State<'m, T::Atom>,
    ) -> Flow {
        let (Pattern::Division(operator, ..) | Pattern::Lattice(operator, _)) = pattern else {
            return ON;
        };
        for &(atom, coefficient) in sum.terms() {
            let operations = self.terms.operations(atom, *operator);
            if operations.is_empty() {
                continue;
            }
            let mut state = state.clone();
            if let Some(slot) = slot {
                state.bindings.set_expression(slot, Sum::atom(atom));
            }
            let rest = Goals {
                goal: Goal::Sum(others.clone(), sum.without(atom)),
                next,
            };
            for operation in operations {
                // The divisor first: a factor may be a multiple of it.
                let factor = Goals {
                    goal: Goal::Integer(&summand.factor, coefficient),
                    next: Some(&rest),
                };
                let is_known = integer(&summand.factor, &state.bindings, self.terms);
                if is_known.is_some_and(|known| known != coefficient) {
                    continue;
                }
                self.operation(pattern, *operator, &operation, Some(&factor), &state)?;
            }
        }
        ON
    }

    fn known(&mut self, summand: &Summand, state: &State<'m, T::Atom>) -> Option<Sum<T::Atom>> {
        let factor = |search: &mut Self| integer(&summand.factor, &state.bindings, search.terms);
        match &summand.core {
            Core::One => factor(self).map(Sum::constant),
            Core::Variable(slot) | Core::Defined(slot, _) => {
                let value = state.bindings.expression(*slot)?;
                value.scaled(factor(self)?)
            }
            Core::Operation(_) => None,
        }
    }
}

fn with<'m, A: Copy + Ord>(state: &State<'m, A>, slot: Slot, value: i64) -> State<'m, A> {
    let mut state = state.clone();
    state.bindings.set_constant(slot, value);
    state
}

pub(super) fn without<T: Clone, const N: usize>(list: &[T], index: usize) -> SmallVec<[T; N]>
where
    [T; N]: smallvec::Array<Item = T>,
{
    let others = list.iter().enumerate().filter(|(other, _)| *other != index);
    others.map(|(_, item)| item.clone()).collect()
}
