//! From a statement that holds under all facts of an example to the conditions that it needs.

use super::tree::product;
use affinor::num::Fuel;
use affinor::prove::Budget;
use affinor::rule::verify::{Verdict, judge, soon_found};
use affinor::rule::{Condition, Point, Relation, Rule, Term, Truth};

/// Steps of fuel for one proof.
const PROOF: u64 = 500;

/// Most solver steps for it: a proof that takes more than these seldom comes to an end.
const SOLVER_STEPS: u32 = 300_000;

/// Steps of fuel for one proof as long as the budget lets it be.
const LONG_PROOF: u64 = 3_000;

/// Most solver steps with a product as a hint, of which many are tried.
const STEPS_WITH_PRODUCT: u32 = 200_000;

/// Most quotients of which products are tried.
const MAX_QUOTIENTS: usize = 3;

/// Most counterexamples that are learnt from.
const ROUNDS: usize = 12;

/// A rule with only the conditions that it needs, dropped in their order, if it is proved then.
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
                    // Of what needs little, a long proof is worth while.
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

/// A proved rule with conditions that are one weaker, as far as it is true then.
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

/// The rule with `x <= y` for `x <= m` and `m <= y`, for each such pair of conditions.
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

/// Whether a condition says just that a constant is positive, or not negative.
fn is_sign(condition: &Condition) -> bool {
    matches!(condition.lhs, Term::Integer(_)) && matches!(condition.rhs, Term::Constant(_))
}

/// The case that a threshold h of `y < 2*h` makes.
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

/// Tries products with each constant, and with its negative, as a hint for the proof; then those with a quotient, and with
/// what is positive if that is negative.
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

/// Drops conditions as long as no counterexample is found, those in front first.
fn dropped(rule: &Rule, against: &mut Vec<Point>, fuel: &Fuel) -> Option<Rule> {
    let divisors: Vec<Term> = rule.stated_terms().flat_map(Term::divisors).collect();
    // It must be said of each constant that divides.
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
    // All of a half at once, if that may be: few are needed.
    let mut ranges = vec![(0, kept.len())];
    while let Some((from, to)) = ranges.pop() {
        if from == to {
            continue;
        }
        if is_true_with(&[&kept[..from], &kept[to..], &said])? {
            kept.drain(from..to);
            // Those behind have moved.
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
