//! Queries to the rules: does a rule permit this step?
//!
//! The engine plans steps over operands and bounds. A step is taken only if it is an instance of some rule, whatever
//! its name, whose conditions follow from ranges. Queries are written operation by operation, without normalization; a
//! part that the step does not change is one sum.

use super::engine::Engine;
use super::linear::{AtomId, Bindings, Linear};
use crate::num::Interval;
use crate::rule::RuleId;
use crate::rule::matching::{Number, Operation, Operator, Stated, Terms, establishes};
use std::ops::ControlFlow;
use std::rc::Rc;

/// Operations of a query are numbered from here, above all other atoms.
const FIRST_WRITTEN: u32 = 3 << 30;

/// The operations of a query.
#[derive(Default)]
pub struct Question {
    written: Vec<Written>,
}

struct Written {
    operator: Operator,
    operation: Rc<[Operation<AtomId>]>,
    /// The operators of this operation and its operands, one bit each.
    operators: u8,
}

/// The answer to a query: a rule and its bindings.
pub type Answer = (RuleId, Bindings);

impl Question {
    /// Returns the minimum (or maximum) of several operands; the operand itself if there is one.
    pub fn min_max(&mut self, least: bool, operands: impl IntoIterator<Item = Linear>) -> Linear {
        let mut operands: Vec<Linear> = operands.into_iter().collect();
        match operands.pop() {
            Some(only) if operands.is_empty() => only,
            last => {
                operands.extend(last);
                let operator = if least { Operator::Min } else { Operator::Max };
                self.write(operator, operands, 0)
            }
        }
    }

    /// `of floordiv divisor`
    pub fn quotient(&mut self, of: Linear, divisor: i64) -> Linear {
        self.write(Operator::FloorDiv, vec![of], divisor)
    }

    /// `of mod modulus`
    pub fn remainder(&mut self, of: Linear, modulus: i64) -> Linear {
        self.write(Operator::Mod, vec![of], modulus)
    }

    fn write(&mut self, operator: Operator, operands: Vec<Linear>, divisor: i64) -> Linear {
        let inside = operands.iter().fold(0, |all, x| all | self.operators(x));
        let operands = operands.into_iter().map(|x| Rc::from([x]));
        let operation =
            Operation { operands: operands.collect(), divisor: Number::Integer(divisor) };
        let atom = AtomId(FIRST_WRITTEN + self.written.len() as u32);
        self.written.push(Written {
            operator,
            operation: Rc::from([operation]),
            operators: inside | 1 << operator as u8,
        });
        Linear::atom(atom)
    }

    fn at(&self, atom: AtomId) -> Option<&Written> {
        let index = atom.0.checked_sub(FIRST_WRITTEN)?;
        self.written.get(index as usize)
    }

    /// Returns the query's operators in a sum, one bit each.
    fn operators(&self, sum: &Linear) -> u8 {
        let written = sum.terms().iter().filter_map(|(atom, _)| self.at(*atom));
        written.fold(0, |all, written| all | written.operators)
    }
}

/// Returns whether all atoms are those of the store.
fn is_plain(sum: &Linear) -> bool {
    let last = sum.terms().last();
    last.is_none_or(|(atom, _)| atom.0 < FIRST_WRITTEN)
}

/// A query, with facts about its sums.
struct Asked<'q, 'e, 'r> {
    question: &'q Question,
    engine: &'e mut Engine<'r>,
}

impl Terms for Asked<'_, '_, '_> {
    type Atom = AtomId;

    fn operations(&mut self, atom: AtomId, operator: Operator) -> Rc<[Operation<AtomId>]> {
        match self.question.at(atom) {
            Some(written) if written.operator == operator => written.operation.clone(),
            _ => Rc::from([]),
        }
    }

    fn range(&mut self, sum: &Linear) -> Interval {
        match is_plain(sum) {
            true => self.engine.store.range(sum),
            false => Interval::ALL,
        }
    }

    fn is_at_least(&mut self, sum: &Linear, bound: i64) -> bool {
        is_plain(sum) && self.engine.store.is_at_least(sum, bound)
    }

    fn is_at_most(&mut self, sum: &Linear, bound: i64) -> bool {
        is_plain(sum) && self.engine.store.is_at_most(sum, bound)
    }

    fn operation(
        &mut self,
        operator: Operator,
        operands: &[Linear],
        divisor: Number,
    ) -> Option<Linear> {
        // Operands are used as the query combines them: min and max are not normalized here.
        match divisor.is_positive(self) && operands.iter().all(is_plain) {
            true => self.engine.operation(operator, operands, divisor),
            false => None,
        }
    }
}

impl Engine<'_> {
    /// Returns whether a rule permits replacing `left` by `right`; records its instance if so.
    pub fn becomes(&mut self, question: &Question, left: Linear, right: Linear) -> bool {
        let stated = [Stated::term(left), Stated::term(right)];
        let answer = self.ask(question, [&stated[..1], &stated[1..]], false);
        answer.is_some_and(|(rule, bindings)| {
            self.note(rule, &bindings);
            true
        })
    }

    /// Finds an instance of a rule, equivalence or rewrite, with these two sides.
    pub fn ask(
        &mut self,
        question: &Question,
        stated: [&[Stated<AtomId>]; 2],
        is_equivalence: bool,
    ) -> Option<Answer> {
        let rules = self.rules;
        let operators = stated.map(|side| {
            let sums = side.iter().map(|stated| &stated.sum);
            sums.fold(0, |all, sum| all | question.operators(sum))
        });
        let mut asked = Asked { question, engine: self };
        for (id, sides) in rules.two_sided().at(operators, is_equivalence) {
            let conditions = &rules.rule(*id).conditions;
            let mut answer = None;
            sides.search(&mut asked, stated, &mut |asked, bindings| {
                let mut values = bindings.expressions.iter().flatten();
                if values.all(is_plain)
                    && conditions.iter().all(|condition| establishes(condition, bindings, asked))
                {
                    answer = Some((*id, bindings.clone()));
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            });
            if answer.is_some() {
                return answer;
            }
        }
        None
    }
}
