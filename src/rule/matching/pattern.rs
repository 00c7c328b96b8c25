//! Compiled left sides: operations, and sums as lists of summands.

use super::{Bindings, Number, Operator, Terms, number};
use crate::rule::{Slot, Term};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// A left side, or part of one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Pattern {
    /// A sum; a term that is not an operation is a sum of one summand.
    Sum(Vec<Summand>),
    /// `numerator floordiv divisor`, or `numerator mod divisor`.
    Division(Operator, Box<Pattern>, Integer),
    /// Min or max of two or more operands.
    MinMax(Operator, Vec<Pattern>),
}

/// `factor * core`
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Summand {
    pub factor: Integer,
    /// The multiplied part.
    pub core: Core,
}

/// A term without expressions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Integer {
    pub term: Term,
    /// Its constants, one bit each.
    pub constants: u64,
    /// If it is a product of a number and constants, as nearly all are: the number and the constants.
    product: Option<(i64, SmallVec<[Slot; 4]>)>,
}

impl Integer {
    pub fn new(term: Term) -> Integer {
        let mut constants = 0;
        term.visit(&mut |part| {
            if let Term::Constant(slot) = part {
                constants |= 1 << slot;
            }
        });
        let mut slots = SmallVec::new();
        let product = product_of(&term, &mut slots).map(|number| (number, slots));
        Integer { term, constants, product }
    }

    /// Returns whether it is the literal 1.
    pub fn is_one(&self) -> bool {
        matches!(&self.product, Some((1, slots)) if slots.is_empty())
    }

    /// Returns whether it is a product of constants: then the other factors determine an unknown factor.
    pub fn is_product(&self) -> bool {
        self.product.is_some()
    }

    /// Returns its value; `None` if it overflows, or has an unbound variable.
    #[inline]
    pub fn value<T: Terms>(&self, bindings: &Bindings<T::Atom>, terms: &mut T) -> Option<Number> {
        match &self.product {
            Some((value, slots)) => {
                let mut slots = slots.iter();
                slots.try_fold(Number::Integer(*value), |product, slot| {
                    product.times(bindings.constant(*slot)?, terms)
                })
            }
            None => number(&self.term, bindings, terms),
        }
    }

    /// Solves it for its only open constant.
    pub fn solution<T: Terms>(
        &self,
        slot: Slot,
        value: Number,
        bindings: &mut Bindings<T::Atom>,
        terms: &mut T,
    ) -> Option<Number> {
        if let Some((known, slots)) = &self.product
            && slots.iter().filter(|other| **other == slot).count() == 1
        {
            let mut others = slots.iter().filter(|other| **other != slot);
            let factor = others.try_fold(Number::Integer(*known), |product, other| {
                product.times(bindings.constant(*other)?, terms)
            })?;
            return value.exactly(factor, terms);
        }
        let mut at = |value: i64| {
            bindings.set_constant(slot, Number::Integer(value));
            let of = number(&self.term, bindings, terms);
            bindings.constants[usize::from(slot)] = None;
            of?.integer()
        };
        let value = value.integer()?;
        let rest = at(0).or_else(|| at(1))?;
        let factor = at(1)?.checked_sub(rest)?;
        let left = value.checked_sub(rest)?;
        let solution = left.checked_div(factor)?;
        // If the term is not affine in the constant, this is not a solution, and none is known.
        (at(solution)? == value).then_some(Number::Integer(solution))
    }
}

/// Returns the number that the constants of a product are multiplied by; adds the constants to `slots`.
fn product_of(term: &Term, slots: &mut SmallVec<[Slot; 4]>) -> Option<i64> {
    match term {
        Term::Integer(value) => Some(*value),
        Term::Constant(slot) => {
            slots.push(*slot);
            Some(1)
        }
        Term::Product(x, y) => product_of(x, slots)?.checked_mul(product_of(y, slots)?),
        _ => None,
    }
}

impl Pattern {
    /// Returns the operations in it, one bit each.
    pub fn operators(&self) -> u8 {
        let own = |operator: &Operator| 1u8 << (*operator as u8);
        match self {
            Pattern::Sum(summands) => summands.iter().fold(0, |all, one| match &one.core {
                Core::Operation(pattern) | Core::Defined(_, pattern) => all | pattern.operators(),
                Core::One | Core::Variable(_) => all,
            }),
            Pattern::Division(operator, of, _) => own(operator) | of.operators(),
            Pattern::MinMax(operator, operands) => {
                operands.iter().fold(own(operator), |all, x| all | x.operators())
            }
        }
    }

    /// Returns its outermost operations, one bit each.
    pub fn outer_operators(&self) -> u8 {
        let own = |operator: &Operator| 1u8 << (*operator as u8);
        match self {
            Pattern::Sum(summands) => summands.iter().fold(0, |all, one| match &one.core {
                Core::Operation(pattern) => all | pattern.outer_operators(),
                Core::Defined(..) | Core::One | Core::Variable(_) => all,
            }),
            Pattern::Division(operator, ..) | Pattern::MinMax(operator, _) => own(operator),
        }
    }

    /// Returns the expression variables inside its operations, one bit each.
    pub fn inside(&self) -> u64 {
        match self {
            Pattern::Sum(summands) => summands.iter().fold(0, |all, one| match &one.core {
                Core::Operation(pattern) => all | pattern.inside(),
                Core::Defined(..) | Core::One | Core::Variable(_) => all,
            }),
            Pattern::Division(_, of, _) => of.variables(),
            Pattern::MinMax(_, operands) => operands.iter().fold(0, |all, x| all | x.variables()),
        }
    }

    /// Returns all its expression variables, one bit each.
    fn variables(&self) -> u64 {
        match self {
            Pattern::Sum(summands) => summands.iter().fold(0, |all, one| match &one.core {
                Core::Operation(pattern) => all | pattern.variables(),
                Core::Defined(slot, _) | Core::Variable(slot) => all | 1 << slot,
                Core::One => all,
            }),
            Pattern::Division(_, of, _) => of.variables(),
            Pattern::MinMax(_, operands) => operands.iter().fold(0, |all, x| all | x.variables()),
        }
    }

    /// Returns whether it is a sum of several summands, one of which is this variable.
    pub fn takes_apart(&self, slot: Slot) -> bool {
        let is_it = |summand: &Summand| summand.core == Core::Variable(slot);
        match self {
            Pattern::Sum(summands) => summands.len() > 1 && summands.iter().any(is_it),
            _ => false,
        }
    }

    /// Returns the expression variable, if the pattern is only that.
    pub fn as_variable(&self) -> Option<Slot> {
        match self {
            Pattern::Sum(summands) => match summands.as_slice() {
                [one] if one.factor.is_one() => match one.core {
                    Core::Variable(slot) => Some(slot),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }
}

/// The multiplied part of a summand.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Core {
    /// 1: the summand is an integer.
    One,
    /// An expression variable.
    Variable(Slot),
    /// An expression variable that a condition defines as this operation.
    Defined(Slot, Pattern),
    Operation(Pattern),
}

/// Compiles a term. `defined` are the expression variables that a condition defines as an operation. `None` for a product of
/// expressions, a division by an expression, `lo` and `hi`, which no left side may contain.
pub fn pattern(term: &Term, defined: &[(Slot, &Term)]) -> Option<Pattern> {
    match term {
        Term::FloorDiv(x, c) | Term::Mod(x, c) => {
            let operator = match term {
                Term::FloorDiv(..) => Operator::FloorDiv,
                _ => Operator::Mod,
            };
            let is_integer = !c.has_expression();
            let x = pattern(x, defined)?;
            is_integer
                .then(|| Pattern::Division(operator, Box::new(x), Integer::new(Term::clone(c))))
        }
        Term::Min(..) | Term::Max(..) if term.has_expression() => {
            let operator = match term {
                Term::Min(..) => Operator::Min,
                _ => Operator::Max,
            };
            let mut operands = Vec::new();
            gather(term, operator, &mut operands);
            let operands = operands.into_iter().map(|x| pattern(x, defined));
            Some(Pattern::MinMax(operator, operands.collect::<Option<_>>()?))
        }
        _ => {
            let mut summands = Vec::new();
            summands_of(term, &Term::Integer(1), defined, &mut summands)?;
            Some(Pattern::Sum(summands))
        }
    }
}

/// Flattens nested min, or nested max.
fn gather<'t>(term: &'t Term, operator: Operator, operands: &mut Vec<&'t Term>) {
    match (term, operator) {
        (Term::Min(x, y), Operator::Min) | (Term::Max(x, y), Operator::Max) => {
            gather(x, operator, operands);
            gather(y, operator, operands);
        }
        _ => operands.push(term),
    }
}

fn summands_of(
    term: &Term,
    factor: &Term,
    defined: &[(Slot, &Term)],
    summands: &mut Vec<Summand>,
) -> Option<()> {
    let core = match term {
        Term::Sum(list) => {
            return list.iter().try_for_each(|x| summands_of(x, factor, defined, summands));
        }
        Term::Product(x, y) if !x.has_expression() && y.has_expression() => {
            return summands_of(y, &product(factor, x), defined, summands);
        }
        Term::Product(x, y) if x.has_expression() && !y.has_expression() => {
            return summands_of(x, &product(factor, y), defined, summands);
        }
        _ if !term.has_expression() => {
            let factor = product(factor, term);
            let core = Core::One;
            // Integers of a sum are combined.
            match summands.iter_mut().find(|known| known.core == core) {
                Some(known) => {
                    let both = vec![known.factor.term.clone(), factor];
                    known.factor = Integer::new(Term::Sum(both));
                }
                None => summands.push(Summand { factor: Integer::new(factor), core }),
            }
            return Some(());
        }
        Term::Expression(slot) => match defined.iter().find(|(known, _)| known == slot) {
            Some((_, term)) => {
                // A definition may mention other defined variables, but not itself.
                let others: Vec<(Slot, &Term)> =
                    defined.iter().filter(|(known, _)| known != slot).copied().collect();
                Core::Defined(*slot, pattern(term, &others)?)
            }
            None => Core::Variable(*slot),
        },
        Term::FloorDiv(..) | Term::Mod(..) | Term::Min(..) | Term::Max(..) => {
            Core::Operation(pattern(term, defined)?)
        }
        _ => return None,
    };
    summands.push(Summand { factor: Integer::new(factor.clone()), core });
    Some(())
}

fn product(x: &Term, y: &Term) -> Term {
    match (x, y) {
        (Term::Integer(1), y) => y.clone(),
        (x, Term::Integer(1)) => x.clone(),
        (Term::Integer(x), Term::Integer(y)) if x.checked_mul(*y).is_some() => Term::Integer(x * y),
        (x, y) => Term::Product(Box::new(x.clone()), Box::new(y.clone())),
    }
}
