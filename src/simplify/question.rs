//! Questions to the rules: is there one that says that this is that?
//!
//! The engine plans what shall become what, over operands and bounds. Whether that may be done is for the rules to say:
//! one of them, whatever it is called, must have what is planned as an instance, whose conditions follow from ranges.
//! What is asked is written down as it stands, operation by operation; a part in which nothing is done is one sum.

use super::engine::Engine;
use super::linear::{AtomId, Bindings, Linear};
use crate::num::Interval;
use crate::rule::RuleId;
use crate::rule::matching::{Operation, Operator, Stated, Terms, establishes};
use std::ops::ControlFlow;
use std::rc::Rc;

/// Operations that are written down for a question are numbered from here, above all other atoms.
const FIRST_WRITTEN: u32 = 3 << 30;

/// The operations of a question, as they are written down.
#[derive(Default)]
pub struct Question {
    written: Vec<Written>,
}

struct Written {
    operator: Operator,
    operation: Rc<[Operation<AtomId>]>,
    /// It, and those in it, one bit for each.
    operators: u8,
}

/// What the rules say to a question.
pub type Answer = (RuleId, Bindings);

impl Question {
    /// The least (or greatest) of several; the only one if there is one.
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
        let operation = Operation {
            operands: operands.collect(),
            divisor,
        };
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

    /// The operations that are written down in a sum, one bit for each.
    fn operators(&self, sum: &Linear) -> u8 {
        let written = sum.terms().iter().filter_map(|(atom, _)| self.at(*atom));
        written.fold(0, |all, written| all | written.operators)
    }
}

/// Are all of its atoms those of the store?
fn is_plain(sum: &Linear) -> bool {
    let last = sum.terms().last();
    last.is_none_or(|(atom, _)| atom.0 < FIRST_WRITTEN)
}

/// What is asked, and what is known of the sums in it.
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

    fn operation(
        &mut self,
        operator: Operator,
        operands: &[Linear],
        divisor: i64,
    ) -> Option<Linear> {
        // Operands are taken as they are put together in the question: no min or max is made of them here.
        match divisor >= 1 && operands.iter().all(is_plain) {
            true => self.engine.operation(operator, operands, divisor),
            false => None,
        }
    }
}

impl Engine<'_> {
    /// Does a rule say that `left` is `right`? It is noted if so.
    pub fn becomes(&mut self, question: &Question, left: Linear, right: Linear) -> bool {
        let stated = [Stated::term(left), Stated::term(right)];
        let answer = self.ask(question, [&stated[..1], &stated[1..]], false);
        answer.is_some_and(|(rule, bindings)| {
            self.note(rule, &bindings);
            true
        })
    }

    /// The instance of a rule by which the one side is the other, if there is one: of an equivalence or of a rewrite.
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
        let mut asked = Asked {
            question,
            engine: self,
        };
        for (id, sides) in rules.two_sided().at(operators, is_equivalence) {
            let conditions = &rules.rule(*id).conditions;
            let mut answer = None;
            sides.search(&mut asked, stated, &mut |asked, bindings| {
                let mut values = bindings.expressions.iter().flatten();
                if values.all(is_plain)
                    && conditions
                        .iter()
                        .all(|condition| establishes(condition, bindings, asked))
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
