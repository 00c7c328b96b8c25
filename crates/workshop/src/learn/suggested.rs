//! Rules that enumeration suggests: true at sampled points, but unproved.

use super::assume::{Assumption, Letters, assumptions};
use super::enumerate::conjectures;
use super::inside::{holds_at, points_inside};
use super::settings::Settings;
use super::statement::statement;
use affinor::num::parallel::all_in_parallel;
use affinor::rule::{Condition, Point, Rule, Slot, Statement, Term};
use rustc_hash::FxHashSet;
use std::mem::discriminant;

/// Steps of fuel for the terms under one assumption.
const STEPS: u64 = 2_000_000;

/// Maximum number of operations of a term that defines an operation.
const DEFINING: usize = 3;

/// Minimum number of points: fewer distinguish too few terms.
const FEW: usize = 20;

/// Suggested rules, and the number of steps that finding them took.
pub type Suggested = (Vec<Rule>, u64);

/// Returns the candidates whose left side has `size` operations, those with the fewest assumptions and the shortest right side
/// first.
pub fn candidates(letters: Letters, size: usize, settings: &Settings<'_>) -> Suggested {
    let Settings { threads, seed, .. } = *settings;
    // For long terms and for many letters, there are too many combinations of assumptions.
    let most = match size <= 2 && letters.constants <= 2 {
        true => 2,
        false => 1,
    };
    let all = assumptions(letters, most);
    let answer = |assumed: Assumption| {
        let inside = |conditions: &[Condition]| {
            points_inside(&bare(letters, conditions.to_vec()), &[], seed).unwrap_or_default()
        };
        let rule = bare(letters, assumed.conditions.clone());
        let weaker: Vec<Vec<Point>> = assumed.weaker.iter().map(|weaker| inside(weaker)).collect();
        let own = settings.budget.own_fuel(STEPS);
        let points = inside(&assumed.conditions);
        let is_new = |rule: &Rule| !weaker.iter().any(|points| holds_at(rule, points));
        let conjectures = match points.len() {
            ..FEW => Vec::new(),
            _ => conjectures(letters, &points, size, &own),
        };
        let rules = conjectures.into_iter().filter_map(|conjecture| {
            let [left, right] = conjecture.sides;
            if !left.has_operation() {
                return None;
            }
            let mut rule = rule.clone();
            rule.statement = Statement::Rewrite(left, right);
            let compact = compact(&rule).filter(|_| is_new(&rule))?;
            Some((compact.conditions.len(), conjecture.size, compact))
        });
        let rules = rules.collect::<Vec<(usize, usize, Rule)>>();
        (rules, STEPS - own.left())
    };
    let (found, steps): (Vec<_>, Vec<u64>) =
        all_in_parallel(threads, all, &answer).into_iter().unzip();
    let mut found = found.concat();
    found.sort_by_key(|(conditions, size, _)| (*conditions, *size));
    let mut known = FxHashSet::default();
    let rules = found.into_iter().map(|(_, _, rule)| rule);
    let rules =
        rules.filter(|rule| known.insert(rule.write_statement() + &rule.write_conditions()));
    (rules.collect(), steps.iter().sum())
}

/// Returns definitions: an operation on letters expressed by other operations, the shortest for each operation.
pub fn definitions(letters: Letters, settings: &Settings<'_>) -> Suggested {
    let all = assumptions(letters, 0);
    let Some(assumed) = all.first() else {
        return (Vec::new(), 0);
    };
    let rule = bare(letters, assumed.conditions.clone());
    let points = points_inside(&rule, &[], settings.seed).unwrap_or_default();
    let mut found: Vec<Rule> = Vec::new();
    let mut steps = 0;
    for size in 2..=DEFINING {
        let own = settings.budget.own_fuel(STEPS);
        let all = conjectures(letters, &points, size, &own);
        steps += STEPS - own.left();
        for conjecture in all {
            let [term, operation] = conjecture.sides;
            let is_defined = |part: &Term| {
                let is_same = |known: &Term| discriminant(known) == discriminant(part);
                is_same(&operation) || found.iter().any(|rule| defines(rule, part))
            };
            let is_whole = operation.has_operation() && operation.operands().all(Term::is_variable);
            if is_whole && !term.any(is_defined) {
                let mut rule = rule.clone();
                rule.statement = Statement::Rewrite(operation, term);
                found.extend(compact(&rule));
            }
        }
    }
    (found, steps)
}

/// Returns whether a definition defines the operation at the root of a term.
fn defines(rule: &Rule, term: &Term) -> bool {
    match &rule.statement {
        Statement::Rewrite(operation, _) => discriminant(operation) == discriminant(term),
        _ => false,
    }
}

fn bare(letters: Letters, conditions: Vec<Condition>) -> Rule {
    let constants = vec![0; usize::from(letters.constants)];
    statement(&constants, usize::from(letters.expressions), conditions)
}

/// Renumbers the letters of a rule in order of occurrence. `None` if a condition is about an expression that the statement does
/// not have.
fn compact(rule: &Rule) -> Option<Rule> {
    let Statement::Rewrite(left, right) = &rule.statement else {
        return None;
    };
    let (mut constants, mut expressions): (Vec<Slot>, Vec<Slot>) = (Vec::new(), Vec::new());
    let mut see = |term: &Term| {
        term.visit(&mut |part| match part {
            Term::Constant(slot) if !constants.contains(slot) => constants.push(*slot),
            Term::Expression(slot) if !expressions.contains(slot) => expressions.push(*slot),
            _ => {}
        });
    };
    see(left);
    see(right);
    let has_other = |condition: &Condition| {
        let mut sides = condition.sides().into_iter();
        sides.any(|side| {
            side.any(|part| matches!(part, Term::Expression(slot) if !expressions.contains(slot)))
        })
    };
    if rule.conditions.iter().any(has_other) {
        return None;
    }
    let mut kept = rule.conditions.clone();
    // Constants of the remaining conditions get numbers, too; but a sign condition on a constant that does not occur is dropped.
    for condition in &kept {
        let is_sign = matches!(condition.lhs, Term::Integer(1));
        for side in condition.sides() {
            side.visit(&mut |part| {
                if let Term::Constant(slot) = part
                    && !is_sign
                    && !constants.contains(slot)
                {
                    constants.push(*slot);
                }
            });
        }
    }
    kept.retain(|condition| {
        condition.sides().iter().all(|side| {
            !side.any(|part| matches!(part, Term::Constant(slot) if !constants.contains(slot)))
        })
    });
    let to = |term: &Term| renumbered(term, &constants, &expressions);
    let conditions = kept.iter().map(|condition| Condition {
        lhs: to(&condition.lhs),
        relation: condition.relation,
        rhs: to(&condition.rhs),
    });
    let letters =
        Letters { constants: constants.len() as Slot, expressions: expressions.len() as Slot };
    Some(Rule {
        statement: Statement::Rewrite(to(left), to(right)),
        ..bare(letters, conditions.collect())
    })
}

fn renumbered(term: &Term, constants: &[Slot], expressions: &[Slot]) -> Term {
    let place = |known: &[Slot], slot: &Slot| {
        let place = known.iter().position(|one| one == slot);
        place.map_or(*slot, |place| place as Slot)
    };
    match term {
        Term::Constant(slot) => Term::Constant(place(constants, slot)),
        Term::Expression(slot) => Term::Expression(place(expressions, slot)),
        term => term
            .with_operands(|part| Some(renumbered(part, constants, expressions)))
            .unwrap_or_else(|| term.clone()),
    }
}
