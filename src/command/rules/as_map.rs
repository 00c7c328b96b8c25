//! A statement about integers as two maps over parameters, which the prover of maps may decide where that of rules does
//! not: it knows common factors of sums.

use crate::expr::{Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use crate::num::{Interval, MINUS_INFINITY};
use crate::prove::{Budget, Verdict, equal_functions};
use crate::rule::{Condition, Relation, Rule, Slot, Statement, Term};

/// Whether a statement `lhs = rhs` is proved as the equality of two maps, for all integers that meet its conditions. Its
/// divisors have to be positive by intervals and signs there.
pub fn is_proved(rule: &Rule, budget: &Budget) -> bool {
    maps(rule)
        .is_some_and(|[left, right]| equal_functions(&left, &right, budget) == Ok(Verdict::Proved))
}

fn maps(rule: &Rule) -> Option<[IndexingMap; 2]> {
    let Statement::Fact(facts) = &rule.statement else {
        return None;
    };
    let [
        Condition {
            lhs,
            relation: Relation::Equal,
            rhs,
        },
    ] = &facts[..]
    else {
        return None;
    };
    let names = rule.constants.iter().chain(&rule.expressions);
    let variable =
        |name: &String| Variable::new(name.as_str(), VariableKind::Parameter, Interval::ALL);
    let mut domain = Domain::new(names.map(variable).collect());
    let read = |term: &Term| expr(term, rule.constants.len()).ok();
    for condition in &rule.conditions {
        let difference = read(&condition.lhs)?.sub(&read(&condition.rhs)?).ok()?;
        let bounds = match condition.relation {
            Relation::Equal => Interval::point(0),
            Relation::LessEqual => Interval::new(MINUS_INFINITY, 0),
            Relation::Less => Interval::new(MINUS_INFINITY, -1),
        };
        domain.constrain(&difference, bounds);
    }
    let of = |result: Expr| {
        let is_defined = domain.unknown_divisor(&result).is_none();
        is_defined.then(|| IndexingMap::new(domain.clone(), vec![result]))
    };
    let mut constraints = domain.constraints().iter();
    if constraints.any(|c| domain.unknown_divisor(&c.expr).is_some()) {
        return None;
    }
    Some([of(read(lhs)?)?, of(read(rhs)?)?])
}

/// The expression of a term; the variables for expressions come after those for constants.
fn expr(term: &Term, constants: usize) -> Result<Expr, ExprError> {
    let of = |term: &Term| expr(term, constants);
    let variable =
        |slot: Slot, first: usize| Expr::variable(VariableId((first + usize::from(slot)) as u32));
    match term {
        Term::Integer(value) => Ok(Expr::constant(*value)),
        Term::Constant(slot) => Ok(variable(*slot, 0)),
        Term::Expression(slot) => Ok(variable(*slot, constants)),
        Term::Sum(terms) => {
            let terms = terms.iter().map(|term| Ok((1, of(term)?)));
            Expr::sum(0, terms.collect::<Result<Vec<_>, ExprError>>()?)
        }
        Term::Product(x, y) => of(x)?.times(&of(y)?),
        Term::FloorDiv(x, y) => of(x)?.floordiv_by(&of(y)?),
        Term::Mod(x, y) => of(x)?.modulo_by(&of(y)?),
        Term::Min(x, y) => Expr::min([of(x)?, of(y)?]),
        Term::Max(x, y) => Expr::max([of(x)?, of(y)?]),
        Term::Lo(_) | Term::Hi(_) => Err(ExprError::TooLarge), // only in hints
    }
}
