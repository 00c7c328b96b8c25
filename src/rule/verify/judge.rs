//! Judges a rule and each of its conditions.

use super::native;
use super::obligation::{of_condition, of_divisors, of_statement};
use super::search;
use crate::prove::products::{LinearProblem, Obligation, TooLarge, script};
use crate::prove::{Answers, Budget, TextAnswer, decide_text};
use crate::rule::{Point, Rule};

/// Limits on the work for one rule. In a budget, only the solver steps per script and the interrupt matter; a fixed number of
/// points is always tried.
pub const BUDGET: Budget = Budget {
    points: 0,
    samples: 0,
    forms: false,
    solver_steps: 20_000_000,
    interrupt: None,
    fuel: None,
    answers: Answers::NONE,
};

/// Whether a rule is true for all integers inside its conditions, with every divisor positive. A counterexample is a point at
/// which the conditions hold, and both sides differ or a divisor is below 1.
pub type Verdict = crate::prove::Verdict<Point, String>;

/// The effect of dropping a side condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    /// Without it the rule is false, at this point.
    Needed(Point),
    /// It follows from the others, or the rule is proved without it.
    Redundant,
    /// Neither is established.
    Open,
}

/// The result of checking a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// The verdict on the rule.
    pub verdict: Verdict,
    /// A point inside the conditions; `None` if none was found, so the rule may be vacuous.
    pub witness: Option<Point>,
    /// One entry per side condition.
    pub conditions: Vec<Condition>,
}

/// Judges a rule.
#[must_use]
pub fn judge(rule: &Rule, budget: &Budget) -> Verdict {
    // Refuting a false rule usually takes less time than failing to prove it.
    if let Some(point) = search::soon_found(rule) {
        return Verdict::Refuted(point);
    }
    let reason = match prove(rule, budget) {
        Ok(()) => return Verdict::Proved,
        Err(reason) => reason,
    };
    if let Some(point) = search::counterexample(rule) {
        return Verdict::Refuted(point);
    }
    // A model of the linear problem is not a counterexample; a model of the rule as stated is.
    match ask(rule, &native::script(rule), budget) {
        TextAnswer::Satisfiable(values) => {
            let point = values.and_then(|values| point(rule, &values));
            match point.filter(|point| search::is_wrong(rule.truth(point))) {
                Some(point) => Verdict::Refuted(search::smaller(rule, point, search::is_wrong)),
                None => {
                    Verdict::Unknown("the solver has a counterexample beyond 64 bits".to_owned())
                }
            }
        }
        // Not a proof: it would rest on Z3's theory of division, which no second solver confirms.
        TextAnswer::Unsatisfiable => {
            Verdict::Unknown(format!("{reason}; Z3 alone says that it holds as written"))
        }
        TextAnswer::Unknown(_) => Verdict::Unknown(reason),
    }
}

/// Returns whether it is certain that no point satisfies the conditions of a rule, so that it is vacuous. `false` if unknown.
#[must_use]
pub fn is_vacuous(rule: &Rule, budget: &Budget) -> bool {
    !rule.conditions.is_empty()
        && search::soon_inside(rule).is_none()
        && ask(rule, &native::conditions_script(rule), budget) == TextAnswer::Unsatisfiable
}

/// Judges a rule and each of its conditions.
#[must_use]
pub fn check(rule: &Rule, budget: &Budget) -> Report {
    let conditions = (0..rule.conditions.len()).map(|position| {
        let mut without = rule.clone();
        without.conditions.remove(position);
        // Most conditions are needed, and finding a counterexample is faster than failing to find a proof.
        if let Some(point) = search::counterexample(&without) {
            return Condition::Needed(point);
        }
        let follows = of_condition(rule, position)
            .is_some_and(|obligation| decide(obligation, budget).is_ok());
        match follows {
            true => Condition::Redundant,
            false => match judge(&without, budget) {
                Verdict::Proved => Condition::Redundant,
                Verdict::Refuted(point) => Condition::Needed(point),
                Verdict::Unknown(_) => Condition::Open,
            },
        }
    });
    Report {
        verdict: judge(rule, budget),
        witness: witness(rule, budget),
        conditions: conditions.collect(),
    }
}

/// Returns the scripts that prove a rule if all are `unsat`, each with the name of its claim.
///
/// # Errors
/// The reason why there are no scripts.
pub fn obligations(rule: &Rule) -> Result<Vec<(String, String)>, String> {
    let too_large = || TooLarge::Polynomial.to_string();
    let divisors = of_divisors(rule).ok_or_else(too_large)?;
    let statement = of_statement(rule).ok_or_else(too_large)?;
    let numbered = divisors.into_iter().enumerate();
    numbered
        .map(|(index, obligation)| (format!("divisor-{}", index + 1), obligation))
        .chain([("statement".to_owned(), statement)])
        .map(|(name, obligation)| {
            let problem = LinearProblem::new(obligation).map_err(|error| error.to_string())?;
            Ok((name, script(&problem)))
        })
        .collect()
}

fn prove(rule: &Rule, budget: &Budget) -> Result<(), String> {
    for (name, script) in obligations(rule)? {
        answer(&script, budget).map_err(|reason| format!("{name}: {reason}"))?;
    }
    Ok(())
}

fn decide(obligation: Obligation, budget: &Budget) -> Result<(), String> {
    let problem = LinearProblem::new(obligation).map_err(|error| error.to_string())?;
    answer(&script(&problem), budget)
}

fn answer(script: &str, budget: &Budget) -> Result<(), String> {
    match decide_text(script, &[], budget.solver_steps, budget.interrupt.as_ref()) {
        TextAnswer::Unsatisfiable => Ok(()),
        TextAnswer::Satisfiable(_) => {
            Err("the lemmas do not suffice for a proof, and no counterexample was found".to_owned())
        }
        TextAnswer::Unknown(reason) => Err(reason.to_string()),
    }
}

/// Finds a point inside the conditions.
fn witness(rule: &Rule, budget: &Budget) -> Option<Point> {
    if let Some(point) = search::inside(rule) {
        return Some(point);
    }
    match ask(rule, &native::conditions_script(rule), budget) {
        TextAnswer::Satisfiable(Some(values)) => {
            let point =
                point(rule, &values).filter(|point| search::is_inside(rule.truth(point)))?;
            Some(search::smaller(rule, point, search::is_inside))
        }
        _ => None,
    }
}

/// Queries the solver for values of the rule's variables.
fn ask(rule: &Rule, script: &str, budget: &Budget) -> TextAnswer {
    let names: Vec<String> = rule.variables().cloned().collect();
    let steps = budget.solver_steps / 4;
    decide_text(script, &names, steps, budget.interrupt.as_ref())
}

fn point(rule: &Rule, values: &[i64]) -> Option<Point> {
    let (constants, expressions) = values.split_at_checked(rule.constants.len())?;
    Some(Point { constants: constants.to_vec(), expressions: expressions.to_vec() })
}
