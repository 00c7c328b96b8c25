//! Evaluates rules at concrete integers: the semantics against which tests check firings and proofs.

use super::{Condition, Rule, Slot, Statement, Term};

/// Integers for the variables of a rule, by slot.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Point {
    /// Values of the integer variables.
    pub constants: Vec<i64>,
    /// Values of the expression variables.
    pub expressions: Vec<i64>,
}

/// Integers for variables, by slot; `None` for a variable without a value.
pub trait Values {
    /// Returns the value of an integer variable.
    fn constant(&self, slot: Slot) -> Option<i64>;

    /// Returns the value of an expression variable.
    fn expression(&self, slot: Slot) -> Option<i64>;
}

impl Values for Point {
    fn constant(&self, slot: Slot) -> Option<i64> {
        self.constants.get(usize::from(slot)).copied()
    }

    fn expression(&self, slot: Slot) -> Option<i64> {
        self.expressions.get(usize::from(slot)).copied()
    }
}

/// The truth of a rule at a point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truth {
    /// The statement holds.
    Holds,
    /// The statement fails: its sides differ, or only one side of an equivalence is true.
    Fails,
    /// A side condition fails, so the rule makes no claim here.
    Outside,
    /// A divisor is below 1: the rule is ill-formed there.
    Undefined,
    /// A value exceeds 128 bits, so the truth is unknown.
    TooLarge,
}

/// The reason why a term has no value at a point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoValue {
    /// A divisor is below 1.
    Divisor,
    /// A value exceeds 128 bits.
    TooLarge,
    /// A variable is unbound, or the term is `lo` or `hi`, which occur only in hints.
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
    /// Evaluates the term at a point.
    ///
    /// # Errors
    /// The reason why it has no value.
    pub fn value(&self, point: &impl Values) -> Result<i128, NoValue> {
        let known = |value: Option<i64>| value.map(i128::from).ok_or(NoValue::Missing);
        let pair = |x: &Term, y: &Term| Ok((x.value(point)?, y.value(point)?));
        let quotient = |x: &Term, divisor: &Term| {
            let (x, divisor) = pair(x, divisor)?;
            if divisor >= 1 { Ok((x, divisor)) } else { Err(NoValue::Divisor) }
        };
        match self {
            Term::Integer(value) => Ok(i128::from(*value)),
            Term::Constant(slot) => known(point.constant(*slot)),
            Term::Expression(slot) => known(point.expression(*slot)),
            Term::Sum(terms) => terms.iter().try_fold(0i128, |total, term| {
                total.checked_add(term.value(point)?).ok_or(NoValue::TooLarge)
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

    /// Evaluates the term at a point; `None` if it has no value.
    #[must_use]
    pub fn eval(&self, point: &Point) -> Option<i128> {
        self.value(point).ok()
    }
}

impl Condition {
    /// Evaluates the condition at a point; `None` if a side has no value.
    #[must_use]
    pub fn holds(&self, point: &impl Values) -> Option<bool> {
        self.truth(point).ok()
    }

    fn truth(&self, point: &impl Values) -> Result<bool, NoValue> {
        let (lhs, rhs) = (self.lhs.value(point)?, self.rhs.value(point)?);
        Ok(self.relation.holds(lhs, rhs))
    }
}

impl Rule {
    /// Builds the point that maps each variable to `value` of its name; `None` if one of them has no value.
    pub fn point(&self, value: impl Fn(&str) -> Option<i64>) -> Option<Point> {
        let values = |names: &[String]| -> Option<Vec<i64>> {
            names.iter().map(|name| value(name)).collect()
        };
        Some(Point { constants: values(&self.constants)?, expressions: values(&self.expressions)? })
    }

    /// Evaluates the rule at a point.
    ///
    /// The order of conditions does not matter: a point is outside if any condition fails there, and the rule is
    /// ill-formed there if none fails and a divisor is below 1.
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

/// The state of a conjunction while its conditions are evaluated.
struct Conjunction {
    /// Whether a condition fails.
    fails: bool,
    /// The reason why a condition has no value. `TooLarge` takes precedence over `Divisor`: such a condition could fail.
    no_value: Option<NoValue>,
}

impl Conjunction {
    fn of(conditions: &[Condition], point: &Point) -> Conjunction {
        let mut all = Conjunction { fails: false, no_value: None };
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

    /// Returns the truth of a conjunction in which every part must have a value, even after one fails.
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
