//! A statement about integers as two maps over parameters. The prover of maps may decide it even if the prover of rules does not:
//! it handles common factors of sums, and values that depend only on remainders.

use affinor::expr::{
    Domain, End, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind, bounded,
};
use affinor::num::Interval;
use affinor::prove::{Budget, Fit, Verdict, equal_functions, fits};
use affinor::rule::{Condition, Relation, Rule, Slot, Statement, Term};

/// Returns whether a statement `lhs = rhs`, `lhs <= rhs` or `lhs < rhs` is proved as two maps, for all integers that satisfy its
/// conditions. Its divisors must be positive by intervals and signs there.
pub fn is_proved(rule: &Rule, budget: &Budget) -> bool {
    let Statement::Fact(facts) = &rule.statement else {
        return false;
    };
    let [fact] = &facts[..] else {
        return false;
    };
    let most = match fact.relation {
        Relation::Equal => {
            return maps(rule, fact).is_some_and(|[left, right]| {
                equal_functions(&left, &right, budget) == Ok(Verdict::Proved)
            });
        }
        Relation::LessEqual => 0,
        Relation::Less => -1,
    };
    let difference = maps(rule, fact).and_then(|[left, right]| {
        let difference = left.results().first()?.sub(right.results().first()?).ok()?;
        Some((left.domain().clone(), difference))
    });
    difference.is_some_and(|(domain, difference)| {
        fits(&domain, &[difference], [None, Some(most)], budget) == [Fit::Always]
    })
}

fn maps(rule: &Rule, fact: &Condition) -> Option<[IndexingMap; 2]> {
    let Condition { lhs, rhs, .. } = fact;
    let names = rule.constants.iter().chain(&rule.expressions);
    let variable =
        |name: &String| Variable::new(name.as_str(), VariableKind::Parameter, Interval::ALL);
    let mut domain = Domain::new(names.map(variable).collect());
    let read = |term: &Term| expr(term, rule.constants.len()).ok();
    for Condition { lhs, relation, rhs } in &rule.conditions {
        let (lhs, rhs) = (read(lhs)?, read(rhs)?);
        let rhs = match relation {
            Relation::Less => rhs.add(&Expr::constant(-1)).ok()?,
            Relation::Equal | Relation::LessEqual => rhs,
        };
        // Bounds the side that has variables, so that a single variable gets a bound of its own.
        let mut ends = vec![match lhs.as_constant() {
            Some(_) => bounded(&rhs, End::Lower, &lhs),
            None => bounded(&lhs, End::Upper, &rhs),
        }];
        if *relation == Relation::Equal {
            ends.push(bounded(&lhs, End::Lower, &rhs));
        }
        for end in ends {
            let (expr, bounds) = end.ok()?;
            domain.constrain(&expr, bounds);
        }
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

/// Returns the expression of a term; the variables for expressions come after those for constants.
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
