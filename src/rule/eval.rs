//! What a rule says of concrete integers: the meaning against which its use is tested.

use super::{Condition, Relation, Statement, Term};

/// Integers for the variables of a rule, by slot.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Point {
    /// Values of the integer variables.
    pub constants: Vec<i64>,
    /// Values of the expression variables.
    pub expressions: Vec<i64>,
}

/// Whether a statement holds at a point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truth {
    /// It holds.
    Holds,
    /// It does not: both sides differ, or one side of an equivalence is true alone.
    Fails,
    /// A side condition does not hold there, so the rule says nothing.
    Outside,
    /// A divisor is not positive or a value is beyond 128 bits: the rule is ill-formed there.
    Undefined,
}

impl Term {
    /// The value at a point; `None` where a divisor is not positive, and for `lo` and `hi`.
    #[must_use]
    pub fn eval(&self, point: &Point) -> Option<i128> {
        match self {
            Term::Integer(value) => Some(i128::from(*value)),
            Term::Constant(slot) => point.constants.get(*slot as usize).map(|x| i128::from(*x)),
            Term::Expression(slot) => point
                .expressions
                .get(*slot as usize)
                .map(|x| i128::from(*x)),
            Term::Sum(terms) => terms
                .iter()
                .try_fold(0i128, |total, term| total.checked_add(term.eval(point)?)),
            Term::Product(x, y) => x.eval(point)?.checked_mul(y.eval(point)?),
            Term::FloorDiv(x, c) => {
                let (x, c) = (x.eval(point)?, c.eval(point)?);
                (c >= 1).then(|| x.div_euclid(c))
            }
            Term::Mod(x, c) => {
                let (x, c) = (x.eval(point)?, c.eval(point)?);
                (c >= 1).then(|| x.rem_euclid(c))
            }
            Term::Min(x, y) => Some(x.eval(point)?.min(y.eval(point)?)),
            Term::Max(x, y) => Some(x.eval(point)?.max(y.eval(point)?)),
            Term::Lo(_) | Term::Hi(_) => None,
        }
    }
}

impl Condition {
    /// Does it hold at a point? `None` where a side is undefined.
    #[must_use]
    pub fn holds(&self, point: &Point) -> Option<bool> {
        let (lhs, rhs) = (self.lhs.eval(point)?, self.rhs.eval(point)?);
        Some(match self.relation {
            Relation::Equal => lhs == rhs,
            Relation::LessEqual => lhs <= rhs,
            Relation::Less => lhs < rhs,
        })
    }
}

impl super::Rule {
    /// What the rule says at a point.
    #[must_use]
    pub fn truth(&self, point: &Point) -> Truth {
        for condition in &self.conditions {
            match condition.holds(point) {
                Some(true) => {}
                Some(false) => return Truth::Outside,
                None => return Truth::Undefined,
            }
        }
        let all = |conditions: &[Condition]| -> Option<bool> {
            conditions.iter().try_fold(true, |so_far, condition| {
                Some(condition.holds(point)? && so_far)
            })
        };
        let holds = match &self.statement {
            Statement::Rewrite(lhs, rhs) => {
                lhs.eval(point).zip(rhs.eval(point)).map(|(x, y)| x == y)
            }
            Statement::Equivalence(lhs, rhs) => all(lhs).zip(all(rhs)).map(|(x, y)| x == y),
            Statement::Fact(facts) => all(facts),
        };
        match holds {
            Some(true) => Truth::Holds,
            Some(false) => Truth::Fails,
            None => Truth::Undefined,
        }
    }
}
