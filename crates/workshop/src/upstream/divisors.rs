//! Divisors that a line does not state to be positive: rules require positive divisors, and each system defines division by
//! others.

use super::division::{Division, Kind, Sign, divided};
use super::lines::System;
use super::stated::{Claim, Stated, text_of};
use affinor::prove::Budget;
use affinor::rule::verify::{Verdict, inside, judge};
use affinor::rule::{Condition, Relation, Rule, Statement, Term};

/// Maximum number of combinations of signs of divisors.
const MAX_BRANCHES: usize = 9;

/// Adds to a claim the conditions that its divisors are positive, unless its own conditions imply them; also states the claim for
/// other divisors if its system defines division by them.
pub(super) fn with_assumed(claim: Claim, budget: &Budget) -> Stated {
    let Claim { rule, fits, system, division, has_ceildiv } = claim;
    let mut divisors: Vec<Term> = Vec::new();
    for term in rule.stated_terms() {
        collect(term, &mut divisors);
    }
    let by = division.filter(|by| system != System::Plain && *by != Division::Mixed);
    let mut variants = variants(&rule, &divisors, by, budget);
    let (rule, assumed) = match variants.is_empty() {
        true => (rule, Vec::new()),
        false => variants.remove(0),
    };
    Stated {
        rule,
        division,
        assumed,
        has_ceildiv,
        fits,
        below: variants.into_iter().map(|(rule, _)| rule).collect(),
    }
}

/// Returns the rule for each combination of signs of its divisors that its conditions allow, with the added conditions: positive
/// divisors first, if allowed. Returns only these if there are too many combinations, or if the system defines nothing for
/// others.
fn variants(
    rule: &Rule,
    divisors: &[Term],
    by: Option<Division>,
    budget: &Budget,
) -> Vec<(Rule, Vec<Condition>)> {
    let signs = match by {
        None => &[Sign::Positive][..],
        Some(Division::Euclidean) => &[Sign::Positive, Sign::Negative, Sign::Zero],
        Some(_) => &[Sign::Positive, Sign::Negative],
    };
    let mut branches: Vec<Vec<Sign>> = vec![Vec::new()];
    for (count, divisor) in divisors.iter().enumerate() {
        let mut longer = Vec::new();
        for branch in branches {
            let so_far = with_signs(rule, &divisors[..count], &branch, by);
            let known = so_far.as_ref().is_some_and(|(so_far, _)| {
                let known = &divisors[..count];
                let divisor = replaced(divisor, known, &branch, by);
                divisor.is_some_and(|divisor| implies(so_far, &divisor, budget))
            });
            match known {
                true => longer.push([&branch[..], &[Sign::Known]].concat()),
                false => {
                    longer.extend(signs.iter().map(|sign| [&branch[..], &[*sign]].concat()));
                }
            }
        }
        branches = longer;
        if branches.len() > MAX_BRANCHES {
            let all = vec![Sign::Positive; divisors.len()];
            return with_signs(rule, divisors, &all, by).into_iter().collect();
        }
    }
    let is_positive = |branch: &&Vec<Sign>| {
        let mut signs = branch.iter();
        signs.all(|sign| matches!(sign, Sign::Known | Sign::Positive))
    };
    let stated = |branch: &Vec<Sign>| with_signs(rule, divisors, branch, by);
    let (first, others): (Vec<_>, Vec<_>) = branches.iter().partition(is_positive);
    let mut all: Vec<(Rule, Vec<Condition>)> = first.into_iter().filter_map(stated).collect();
    // Signs that contradict the conditions state nothing.
    let others = others.into_iter().filter_map(stated);
    let mut others = others.filter(|(rule, _)| inside(rule).is_some()).peekable();
    if others.peek().is_some() {
        all.retain(|(rule, _)| inside(rule).is_some());
    }
    all.extend(others);
    all
}

/// Collects the distinct divisors of a term that are not positive literals, inner ones first.
fn collect(term: &Term, divisors: &mut Vec<Term>) {
    term.operands().for_each(|operand| collect(operand, divisors));
    if let Term::FloorDiv(_, divisor) | Term::Mod(_, divisor) = term
        && !matches!(**divisor, Term::Integer(1..))
        && !divisors.contains(divisor)
    {
        divisors.push((**divisor).clone());
    }
}

/// Returns whether a divisor is at least 1 under those conditions that contain no other divisor of unknown sign.
fn implies(rule: &Rule, divisor: &Term, budget: &Budget) -> bool {
    let positive =
        Condition { lhs: Term::Integer(1), relation: Relation::LessEqual, rhs: divisor.clone() };
    if rule.conditions.contains(&positive) {
        return true;
    }
    let question = Rule { statement: Statement::Fact(vec![positive]), ..rule.clone() };
    judge(&question, budget) == Verdict::Proved
}

/// Returns the rule for divisors of these signs, and the conditions that state the signs.
fn with_signs(
    rule: &Rule,
    divisors: &[Term],
    signs: &[Sign],
    by: Option<Division>,
) -> Option<(Rule, Vec<Condition>)> {
    let mut with = rule.clone();
    let each = |conditions: &mut Vec<Condition>| -> Option<()> {
        for condition in conditions {
            condition.lhs = replaced(&condition.lhs, divisors, signs, by)?;
            condition.rhs = replaced(&condition.rhs, divisors, signs, by)?;
        }
        Some(())
    };
    each(&mut with.conditions)?;
    match &mut with.statement {
        Statement::Rewrite(lhs, rhs) => {
            *lhs = replaced(lhs, divisors, signs, by)?;
            *rhs = replaced(rhs, divisors, signs, by)?;
        }
        Statement::Equivalence(lhs, rhs) => {
            each(lhs)?;
            each(rhs)?;
        }
        Statement::Fact(facts) => each(facts)?,
    }
    let mut added = Vec::new();
    for (divisor, sign) in divisors.iter().zip(signs) {
        let (lhs, relation, rhs) = match sign {
            Sign::Known => continue,
            Sign::Positive => (Term::Integer(1), Relation::LessEqual, divisor.clone()),
            Sign::Negative => (divisor.clone(), Relation::LessEqual, Term::Integer(-1)),
            Sign::Zero => (divisor.clone(), Relation::Equal, Term::Integer(0)),
        };
        // A divisor may itself contain divisions.
        let lhs = replaced(&lhs, divisors, signs, by)?;
        let rhs = replaced(&rhs, divisors, signs, by)?;
        let condition = Condition { lhs, relation, rhs };
        if !with.conditions.contains(&condition) {
            added.push(condition);
        }
    }
    with.conditions.extend(added.iter().cloned());
    with.text = text_of(&with);
    Some((with, added))
}

/// Replaces each division by one of these divisors according to the system's division for its sign.
fn replaced(term: &Term, divisors: &[Term], signs: &[Sign], by: Option<Division>) -> Option<Term> {
    let inner = term.with_operands(|operand| replaced(operand, divisors, signs, by))?;
    let sign_of = |divisor: &Term| {
        let mut known = divisors.iter().zip(signs);
        let known = known.find(|(known, _)| *known == divisor);
        known.map_or(Sign::Known, |(_, sign)| *sign)
    };
    let (kind, divisor, x, y) = match (term, &inner) {
        (Term::FloorDiv(_, divisor), Term::FloorDiv(x, y)) => (Kind::Quotient, divisor, x, y),
        (Term::Mod(_, divisor), Term::Mod(x, y)) => (Kind::Remainder, divisor, x, y),
        _ => return Some(inner),
    };
    match (sign_of(divisor), by) {
        (Sign::Known | Sign::Positive, _) | (_, None) => Some(inner),
        (sign, Some(by)) => divided(kind, x, y, sign, by),
    }
}
