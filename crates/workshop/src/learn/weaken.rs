//! Reduces a statement that holds under all facts of an example to the conditions that it needs.

use super::tree::product;
use affinor::num::Fuel;
use affinor::prove::Budget;
use affinor::rule::verify::{Verdict, judge, soon_found};
use affinor::rule::{Condition, Point, Relation, Rule, Term, Truth};

/// Steps of fuel for one proof.
const PROOF: u64 = 500;

/// Maximum number of solver steps for such a proof: longer ones seldom finish.
const SOLVER_STEPS: u32 = 300_000;

/// Steps of fuel for one proof with the full solver budget.
const LONG_PROOF: u64 = 3_000;

/// Maximum number of solver steps with a product as a hint, since many products are tried.
const STEPS_WITH_PRODUCT: u32 = 200_000;

/// Maximum number of quotients whose products are tried.
const MAX_QUOTIENTS: usize = 3;

/// Maximum number of counterexamples to learn from.
const ROUNDS: usize = 12;

/// Returns the rule with only the conditions that it needs, dropping the others in order; `None` if the result is not proved.
pub fn weakened(rule: &Rule, budget: &Budget, fuel: &Fuel) -> Option<Rule> {
    let mut against: Vec<Point> = Vec::new();
    let limited =
        |steps: u32| Budget { solver_steps: budget.solver_steps.min(steps), ..budget.clone() };
    let short = &limited(SOLVER_STEPS);
    for _ in 0..ROUNDS {
        let weaker = dropped(rule, &mut against, fuel)?;
        fuel.spend(PROOF).ok()?;
        match judge(&weaker, short) {
            Verdict::Proved => return Some(relaxed(weaker, short, fuel)),
            Verdict::Unknown(_) => {
                let found = with_products(weaker.clone(), &limited(STEPS_WITH_PRODUCT), fuel);
                return found.or_else(|| {
                    // If only sign conditions are left, a long proof is worthwhile.
                    if !weaker.conditions.iter().all(is_sign) {
                        return None;
                    }
                    fuel.spend(LONG_PROOF).ok()?;
                    (judge(&weaker, budget) == Verdict::Proved).then_some(weaker)
                });
            }
            Verdict::Refuted(point) => {
                if against.contains(&point) {
                    return None;
                }
                against.push(point);
            }
        }
    }
    None
}

/// Weakens each condition of a proved rule by one, if the rule stays true.
fn relaxed(mut rule: Rule, budget: &Budget, fuel: &Fuel) -> Rule {
    for position in 0..rule.conditions.len() {
        let mut weaker = rule.clone();
        let Condition { lhs, relation, rhs } = &mut weaker.conditions[position];
        match (relation, lhs, rhs) {
            (relation @ Relation::Less, _, _) => *relation = Relation::LessEqual,
            (Relation::LessEqual, Term::Constant(_), rhs @ Term::Constant(_)) => {
                *rhs = Term::Sum(vec![rhs.clone(), Term::Integer(1)]);
            }
            _ => continue,
        }
        if fuel.spend(1).is_err() || soon_found(&weaker).is_some() {
            continue;
        }
        if fuel.spend(PROOF).is_ok() && judge(&weaker, budget) == Verdict::Proved {
            rule = weaker;
        }
    }
    while let Some(weaker) = joined(&rule).into_iter().find(|weaker| {
        let is_open = fuel.spend(1).is_ok() && soon_found(weaker).is_none();
        is_open && fuel.spend(PROOF).is_ok() && judge(weaker, budget) == Verdict::Proved
    }) {
        rule = weaker;
    }
    rule
}

/// For each pair of conditions `x <= m` and `m <= y`, returns the rule with `x <= y` in their place.
fn joined(rule: &Rule) -> Vec<Rule> {
    let conditions = &rule.conditions;
    let pairs = (0..conditions.len()).flat_map(|x| (0..conditions.len()).map(move |y| (x, y)));
    let joined = pairs.filter_map(|(x, y)| {
        let [below, above] = [x, y].map(|index| &conditions[index]);
        let compares = |one: &&Condition| one.relation != Relation::Equal;
        let is_pair = below.rhs == above.lhs
            && [below, above].iter().all(compares)
            && below.lhs.has_expression()
            && above.rhs.has_expression();
        if !is_pair {
            return None;
        }
        let mut joined = rule.clone();
        joined.conditions[x].rhs = above.rhs.clone();
        if above.relation == Relation::Less {
            joined.conditions[x].relation = Relation::Less;
        }
        joined.conditions.remove(y);
        Some(joined)
    });
    joined.collect()
}

/// Returns whether a condition only states the sign of a constant.
fn is_sign(condition: &Condition) -> bool {
    matches!(condition.lhs, Term::Integer(_)) && matches!(condition.rhs, Term::Constant(_))
}

/// Returns the case split at the threshold h of a condition `y < 2*h`.
fn case(condition: &Condition) -> Option<Condition> {
    match (&condition.lhs, condition.relation, &condition.rhs) {
        (Term::Expression(_), Relation::Less, Term::Product(two, h))
            if **two == Term::Integer(2) =>
        {
            Some(Condition { rhs: (**h).clone(), ..condition.clone() })
        }
        _ => None,
    }
}

/// Tries products with each constant, and with its negation, as a hint for the proof; then those with a quotient, and with a term
/// that is positive if the quotient is negative.
fn with_products(mut rule: Rule, budget: &Budget, fuel: &Fuel) -> Option<Rule> {
    rule.cases = rule.conditions.iter().filter_map(case).take(1).collect();
    for slot in 0..rule.constants.len() {
        let constant = Term::Constant(slot as u8);
        for factor in [constant.clone(), product(Term::Integer(-1), constant)] {
            fuel.spend(PROOF).ok()?;
            rule.multipliers = vec![factor];
            if judge(&rule, budget) == Verdict::Proved {
                return Some(rule);
            }
        }
    }
    let mut quotients: Vec<Term> = Vec::new();
    for term in rule.stated_terms() {
        term.visit(&mut |part| {
            if matches!(part, Term::FloorDiv(..)) && !quotients.contains(part) {
                quotients.push(part.clone());
            }
        });
    }
    for quotient in quotients.into_iter().take(MAX_QUOTIENTS) {
        fuel.spend(PROOF).ok()?;
        let minus = product(Term::Integer(-1), quotient.clone());
        rule.multipliers = vec![quotient, Term::Sum(vec![minus, Term::Integer(-1)])];
        if judge(&rule, budget) == Verdict::Proved {
            return Some(rule);
        }
    }
    None
}

/// Drops conditions from the front as long as no counterexample is found.
fn dropped(rule: &Rule, against: &mut Vec<Point>, fuel: &Fuel) -> Option<Rule> {
    let divisors: Vec<Term> = rule.stated_terms().flat_map(Term::divisors).collect();
    // Each constant in a divisor must keep its sign condition.
    let is_said = |Condition { lhs, rhs, relation }: &Condition| {
        (lhs, *relation) == (&Term::Integer(1), Relation::LessEqual)
            && matches!(rhs, Term::Constant(_))
            && divisors.iter().any(|divisor| divisor.any(|part| part == rhs))
    };
    let (said, mut kept): (Vec<Condition>, Vec<Condition>) =
        rule.conditions.iter().cloned().partition(is_said);
    let mut tried = rule.clone();
    let mut is_true_with = |conditions: &[&[Condition]]| -> Option<bool> {
        fuel.spend(2).ok()?;
        tried.conditions = conditions.concat();
        let is_wrong =
            |point: &Point| matches!(tried.truth(point), Truth::Fails | Truth::Undefined);
        if against.iter().any(is_wrong) {
            return Some(false);
        }
        let found = soon_found(&tried);
        let is_true = found.is_none();
        against.extend(found);
        Some(is_true)
    };
    // Tries to drop whole halves at once, since few conditions are needed.
    let mut ranges = vec![(0, kept.len())];
    while let Some((from, to)) = ranges.pop() {
        if from == to {
            continue;
        }
        if is_true_with(&[&kept[..from], &kept[to..], &said])? {
            kept.drain(from..to);
            // The ranges after it have moved.
            let by = to - from;
            ranges.iter_mut().for_each(|(from, to)| (*from, *to) = (*from - by, *to - by));
        } else if to - from > 1 {
            let middle = from.midpoint(to);
            ranges.push((middle, to));
            ranges.push((from, middle));
        }
    }
    kept.extend(said);
    Some(Rule { conditions: kept, ..rule.clone() })
}
