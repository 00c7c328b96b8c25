//! Expressions as sums over atoms, in which every number has a position, so that it can be replaced by a constant.

use affinor::expr::{Expr, ExprKind, VariableId};
use affinor::num::floordiv;
use affinor::rule::Term;
use affinor::rule::matching::Operator;
use std::collections::BTreeMap;

/// `constant + coefficient * atom + ..`, sorted, without like terms.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Sum {
    /// The summand without an atom.
    pub constant: i64,
    /// The other summands, as coefficients and atoms.
    pub terms: Vec<(i64, Atom)>,
}

/// An atom of a sum.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Atom {
    /// A variable of the map, or a letter that represents a value.
    Letter(usize),
    /// An operation on sums; the divisor is 0 for min and max.
    Operation(Operator, Vec<Sum>, i64),
}

/// A number of a tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Number {
    /// Its value.
    pub value: i64,
    /// Whether it is a divisor.
    pub divides: bool,
}

impl Sum {
    /// Converts an expression over integers; `None` if it has a named size or a number overflows.
    pub fn of(expr: &Expr) -> Option<Sum> {
        let operation = |operator, operands: &[Expr], divisor| {
            let operands = operands.iter().map(Sum::of).collect::<Option<Vec<_>>>()?;
            Some(Sum::atom(Atom::Operation(operator, operands, divisor)))
        };
        match expr.kind() {
            ExprKind::Constant(value) => Some(Sum { constant: *value, terms: Vec::new() }),
            ExprKind::Variable(VariableId(id)) => {
                Some(Sum::atom(Atom::Letter(usize::try_from(*id).ok()?)))
            }
            ExprKind::Sum(sum) => {
                let mut all = Sum { constant: sum.constant(), terms: Vec::new() };
                for (factor, x) in sum.terms() {
                    all = all.plus(*factor, &Sum::of(x)?)?;
                }
                Some(all)
            }
            ExprKind::Product(_) => None,
            ExprKind::FloorDiv(x, divisor) => {
                operation(Operator::FloorDiv, std::slice::from_ref(x), divisor.as_integer()?)
            }
            ExprKind::Mod(x, divisor) => {
                operation(Operator::Mod, std::slice::from_ref(x), divisor.as_integer()?)
            }
            ExprKind::CeilDiv(x, divisor) => {
                let divisor = divisor.as_integer()?;
                let mut of = Sum::of(x)?;
                of.constant = of.constant.checked_add(divisor - 1)?;
                Some(Sum::atom(Atom::Operation(Operator::FloorDiv, vec![of], divisor)))
            }
            ExprKind::Min(operands) => operation(Operator::Min, operands, 0),
            ExprKind::Max(operands) => operation(Operator::Max, operands, 0),
        }
    }

    /// Returns the sum that consists of one atom.
    pub fn atom(atom: Atom) -> Sum {
        Sum { constant: 0, terms: vec![(1, atom)] }
    }

    /// Returns `self + factor * other`; `None` on overflow.
    pub fn plus(&self, factor: i64, other: &Sum) -> Option<Sum> {
        let mut terms: BTreeMap<&Atom, i64> = self.terms.iter().map(|(c, x)| (x, *c)).collect();
        for (c, x) in &other.terms {
            let known = terms.entry(x).or_default();
            *known = known.checked_add(c.checked_mul(factor)?)?;
        }
        Some(Sum {
            constant: self.constant.checked_add(other.constant.checked_mul(factor)?)?,
            terms: (terms.into_iter())
                .filter(|(_, c)| *c != 0)
                .map(|(x, c)| (c, x.clone()))
                .collect(),
        })
    }

    /// Evaluates the sum at a point; `None` on overflow.
    pub fn eval(&self, letters: &[i64]) -> Option<i64> {
        let mut total = self.constant;
        for (factor, atom) in &self.terms {
            let value = match atom {
                Atom::Letter(letter) => *letters.get(*letter)?,
                Atom::Operation(operator, operands, divisor) => {
                    let mut values = operands.iter().map(|operand| operand.eval(letters));
                    let first = values.next()??;
                    match operator {
                        Operator::FloorDiv => floordiv(first, *divisor),
                        Operator::Mod => affinor::num::modulo(first, *divisor),
                        Operator::Min => values.try_fold(first, |x, y| Some(x.min(y?)))?,
                        Operator::Max => values.try_fold(first, |x, y| Some(x.max(y?)))?,
                    }
                }
            };
            total = total.checked_add(factor.checked_mul(value)?)?;
        }
        Some(total)
    }

    /// Calls `each` on this sum and on those inside its operations, except inside operations for which `opaque` holds.
    pub fn visit<'s>(&'s self, opaque: &impl Fn(&Atom) -> bool, each: &mut impl FnMut(&'s Sum)) {
        each(self);
        for (_, atom) in &self.terms {
            if let Atom::Operation(_, operands, _) = atom
                && !opaque(atom)
            {
                for operand in operands {
                    operand.visit(opaque, each);
                }
            }
        }
    }

    /// Divides the sum by a common factor of all its summands.
    pub fn divided(&self, factor: i64) -> Sum {
        let terms = self.terms.iter();
        Sum {
            constant: self.constant / factor,
            terms: terms.map(|(times, atom)| (times / factor, atom.clone())).collect(),
        }
    }

    /// Returns whether `holds` is true of some atom, here or inside an operation.
    pub fn any(&self, holds: &impl Fn(&Atom) -> bool) -> bool {
        let mut found = false;
        self.visit(&|_| false, &mut |sum| {
            found |= sum.terms.iter().any(|(_, atom)| holds(atom));
        });
        found
    }

    /// Returns whether a letter occurs.
    pub fn has(&self, letter: usize) -> bool {
        self.any(&|atom| *atom == Atom::Letter(letter))
    }

    /// Returns the replaceable numbers, in the order in which [`Self::term`] visits them; factors 1 and -1 are not replaceable.
    pub fn numbers(&self) -> Vec<Number> {
        let mut found = Vec::new();
        self.term(&mut |number| {
            found.push(number);
            Term::Integer(number.value)
        });
        found
    }

    /// Converts the tree to a term, with each number replaced by the result of `of`; letters become expressions.
    pub fn term(&self, of: &mut impl FnMut(Number) -> Term) -> Term {
        let number = |value| Number { value, divides: false };
        let mut terms = Vec::with_capacity(self.terms.len() + 1);
        for (factor, atom) in &self.terms {
            let factor = match factor {
                1 => None,
                -1 => Some(Term::Integer(-1)),
                _ => Some(of(number(*factor))),
            };
            let atom = match atom {
                Atom::Letter(letter) => Term::Expression(*letter as u8),
                Atom::Operation(operator, operands, divisor) => {
                    let operands = operands.iter();
                    let mut operands: Vec<Term> = operands.map(|x| x.term(of)).collect();
                    let pair = match operator {
                        Operator::FloorDiv => Term::FloorDiv,
                        Operator::Mod => Term::Mod,
                        Operator::Min => Term::Min,
                        Operator::Max => Term::Max,
                    };
                    if *divisor != 0 {
                        operands.push(of(Number { value: *divisor, divides: true }));
                    }
                    let nested = operands.into_iter().reduce(|x, y| pair(Box::new(x), Box::new(y)));
                    nested.unwrap_or(Term::Integer(0))
                }
            };
            terms.push(match factor {
                None => atom,
                Some(factor) => product(factor, atom),
            });
        }
        if self.constant != 0 || terms.is_empty() {
            terms.push(of(number(self.constant)));
        }
        match terms.len() {
            1 => terms.swap_remove(0),
            _ => Term::Sum(terms),
        }
    }
}

/// Returns `x * y`, with at most one sign in front.
pub fn product(x: Term, y: Term) -> Term {
    match (&x, &y) {
        (Term::Integer(1), _) => y,
        (Term::Product(sign, x), _) if **sign == Term::Integer(-1) => {
            Term::Product(sign.clone(), Box::new(product((**x).clone(), y)))
        }
        _ => Term::Product(Box::new(x), Box::new(y)),
    }
}

impl Sum {
    /// Converts the sum to an expression over the variables.
    pub fn expr(&self) -> Option<Expr> {
        let mut terms = Vec::with_capacity(self.terms.len());
        for (factor, atom) in &self.terms {
            terms.push((*factor, atom.expr()?));
        }
        Expr::sum(self.constant, terms).ok()
    }
}

impl Atom {
    fn expr(&self) -> Option<Expr> {
        match self {
            Atom::Letter(letter) => Some(Expr::variable(VariableId(u32::try_from(*letter).ok()?))),
            Atom::Operation(operator, operands, divisor) => {
                let operands: Vec<Expr> = operands.iter().map(Sum::expr).collect::<Option<_>>()?;
                let first = operands.first()?;
                match operator {
                    Operator::FloorDiv => first.floordiv(*divisor),
                    Operator::Mod => first.modulo(*divisor),
                    Operator::Min => Expr::min(operands),
                    Operator::Max => Expr::max(operands),
                }
                .ok()
            }
        }
    }
}
