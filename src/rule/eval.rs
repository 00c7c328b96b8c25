//! What a rule says of concrete integers: the meaning against which its use and its proof are tested.

use super::{Condition, Relation, Rule, Statement, Term};

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
    /// A divisor is below 1: the rule is ill-formed there.
    Undefined,
    /// A value is beyond 128 bits, so it was not found out.
    TooLarge,
}

/// Why a term has no value at a point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoValue {
    /// A divisor is below 1.
    Divisor,
    /// A value is beyond 128 bits.
    TooLarge,
    /// A variable has no value there, or the term is one of a hint: `lo` or `hi`.
    Missing,
}

impl std::error::Error for NoValue {}

impl std::fmt::Display for NoValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            NoValue::Divisor => "a divisor is below 1",
            NoValue::TooLarge => "a value is beyond 128 bits",
            NoValue::Missing => "a variable has no value",
        })
    }
}

impl Term {
    /// The value at a point.
    ///
    /// # Errors
    /// Why there is none.
    pub fn value(&self, point: &Point) -> Result<i128, NoValue> {
        let variable = |values: &[i64], slot: u8| {
            let value = values.get(slot as usize).ok_or(NoValue::Missing)?;
            Ok(i128::from(*value))
        };
        let pair = |x: &Term, y: &Term| Ok((x.value(point)?, y.value(point)?));
        let quotient = |x: &Term, divisor: &Term| {
            let (x, divisor) = pair(x, divisor)?;
            if divisor >= 1 {
                Ok((x, divisor))
            } else {
                Err(NoValue::Divisor)
            }
        };
        match self {
            Term::Integer(value) => Ok(i128::from(*value)),
            Term::Constant(slot) => variable(&point.constants, *slot),
            Term::Expression(slot) => variable(&point.expressions, *slot),
            Term::Sum(terms) => terms.iter().try_fold(0i128, |total, term| {
                total
                    .checked_add(term.value(point)?)
                    .ok_or(NoValue::TooLarge)
            }),
            Term::Product(x, y) => {
                let (x, y) = pair(x, y)?;
                x.checked_mul(y).ok_or(NoValue::TooLarge)
            }
            Term::FloorDiv(x, divisor) => quotient(x, divisor).map(|(x, d)| x.div_euclid(d)),
            Term::Mod(x, divisor) => quotient(x, divisor).map(|(x, d)| x.rem_euclid(d)),
            Term::Min(x, y) => pair(x, y).map(|(x, y)| x.min(y)),
            Term::Max(x, y) => pair(x, y).map(|(x, y)| x.max(y)),
            Term::Lo(_) | Term::Hi(_) => Err(NoValue::Missing),
        }
    }

    /// The value at a point, if there is one.
    #[must_use]
    pub fn eval(&self, point: &Point) -> Option<i128> {
        self.value(point).ok()
    }
}

impl Condition {
    /// Does it hold at a point? `None` where a side has no value.
    #[must_use]
    pub fn holds(&self, point: &Point) -> Option<bool> {
        self.truth(point).ok()
    }

    fn truth(&self, point: &Point) -> Result<bool, NoValue> {
        let (lhs, rhs) = (self.lhs.value(point)?, self.rhs.value(point)?);
        Ok(match self.relation {
            Relation::Equal => lhs == rhs,
            Relation::LessEqual => lhs <= rhs,
            Relation::Less => lhs < rhs,
        })
    }
}

impl Rule {
    /// The point at which each variable has the value that `value` gives its name; `None` if one has none.
    pub fn point(&self, value: impl Fn(&str) -> Option<i64>) -> Option<Point> {
        let values = |names: &[String]| -> Option<Vec<i64>> {
            names.iter().map(|name| value(name)).collect()
        };
        Some(Point {
            constants: values(&self.constants)?,
            expressions: values(&self.expressions)?,
        })
    }

    /// What the rule says at a point.
    ///
    /// The order of conditions has no part in it: a point lies outside if any condition has a value and does not
    /// hold there, and the rule is ill-formed where none does so and a divisor is below 1.
    #[must_use]
    pub fn truth(&self, point: &Point) -> Truth {
        let side = Conjunction::of(&self.conditions, point);
        match side.no_value {
            _ if side.fails => Truth::Outside,
            Some(reason) => reason.into(),
            None => match self.statement.truth(point) {
                Ok(true) => Truth::Holds,
                Ok(false) => Truth::Fails,
                Err(reason) => reason.into(),
            },
        }
    }
}

/// What is known of conditions that are to hold together.
struct Conjunction {
    /// Does one that has a value not hold?
    fails: bool,
    /// Why one has no value, if one has none. A value that was not found out comes before a divisor: the condition
    /// could fail.
    no_value: Option<NoValue>,
}

impl Conjunction {
    fn of(conditions: &[Condition], point: &Point) -> Conjunction {
        let mut all = Conjunction {
            fails: false,
            no_value: None,
        };
        for condition in conditions {
            match condition.truth(point) {
                Ok(holds) => all.fails |= !holds,
                Err(NoValue::Divisor) => {
                    all.no_value = all.no_value.or(Some(NoValue::Divisor));
                }
                Err(reason) => all.no_value = Some(reason),
            }
        }
        all
    }

    /// Its truth where every part must have a value, also where one that does not hold would decide.
    fn truth(&self) -> Result<bool, NoValue> {
        self.no_value.map_or(Ok(!self.fails), Err)
    }
}

impl Statement {
    fn truth(&self, point: &Point) -> Result<bool, NoValue> {
        let all = |conditions: &[Condition]| Conjunction::of(conditions, point).truth();
        match self {
            Statement::Rewrite(lhs, rhs) => Ok(lhs.value(point)? == rhs.value(point)?),
            Statement::Equivalence(lhs, rhs) => Ok(all(lhs)? == all(rhs)?),
            Statement::Fact(facts) => all(facts),
        }
    }
}

impl From<NoValue> for Truth {
    fn from(reason: NoValue) -> Truth {
        match reason {
            NoValue::Divisor => Truth::Undefined,
            NoValue::TooLarge | NoValue::Missing => Truth::TooLarge,
        }
    }
}
