//! Checks that the rules of a file can be fired: every name is bound and used, every divisor is positive, every right
//! side is an index map.

use super::terms::Sorts;
use super::{Condition, Relation, Rule, Statement, Term};
use crate::text::{Error, ErrorKind};

/// Checks that a rule can be fired, or, for a law, that code can rely on it.
///
/// # Errors
/// [`ErrorKind::Rule`], without a position, if a name on the right is unbound, a divisor lacks a side condition that makes it
/// positive, or the right side is not an index map.
pub fn rule(rule: &Rule) -> Result<(), Error> {
    let refuse =
        |message: String, hint: &str| Err(Error::without_span(ErrorKind::Rule, message).hint(hint));
    if let Some(variable) = unbound(rule) {
        return refuse(
            format!("'{variable}' occurs only on the right-hand side of '{}'", rule.name),
            "use it on the left-hand side, or define it in `where` or `let`",
        );
    }
    values(rule)?;
    let positive = positive_terms(&rule.conditions);
    for term in rule.stated_terms() {
        let mut problem = None;
        term.visit(&mut |part| {
            if problem.is_none() {
                problem = part_problem(rule, part, &positive);
            }
        });
        if let Some((message, hint)) = problem {
            return refuse(format!("{message} in '{}'", rule.name), hint);
        }
    }
    Ok(())
}

/// Checks that `lo` and `hi`, which have no value, occur only in hints.
pub(super) fn values(rule: &Rule) -> Result<(), Error> {
    let cases = rule.cases.iter().flat_map(Condition::sides);
    let mut terms = rule.stated_terms().chain(&rule.multipliers).chain(cases);
    if terms.any(|term| term.any(|part| matches!(part, Term::Lo(_) | Term::Hi(_)))) {
        let message = "lo(..) and hi(..) are not allowed in a statement";
        return Err(Error::without_span(ErrorKind::Rule, message).hint("use them in `let`"));
    }
    Ok(())
}

/// Checks that a rule uses each name it declares.
pub(super) fn sorts(sorts: &Sorts, rule: &Rule) -> Result<(), Error> {
    let is_used = |name: &str| rule.variables().any(|known| known == name);
    match sorts.declared().find(|(name, _)| !is_used(name)) {
        None => Ok(()),
        Some((name, span)) => {
            let message = format!("'{name}' is declared but unused");
            Err(Error::new(ErrorKind::Rule, span.clone(), message).hint("leave it out"))
        }
    }
}

/// Returns an unbound variable of the right side, if any.
fn unbound(rule: &Rule) -> Option<&str> {
    let (mut bound, mut wanted) = (Vec::new(), Vec::new());
    let note = |list: &mut Vec<Term>, term: &Term| {
        term.visit(&mut |part| {
            if part.is_variable() {
                list.push(part.clone());
            }
        });
    };
    let note_all = |list: &mut Vec<Term>, conditions: &[Condition]| {
        let sides = conditions.iter().flat_map(Condition::sides);
        sides.for_each(|side| note(list, side));
    };
    match &rule.statement {
        Statement::Rewrite(lhs, rhs) => {
            note(&mut bound, lhs);
            note(&mut wanted, rhs);
        }
        Statement::Equivalence(lhs, rhs) => {
            note_all(&mut bound, lhs);
            note_all(&mut wanted, rhs);
        }
        Statement::Fact(_) => return None,
    }
    note_all(&mut bound, &rule.conditions);
    bound.extend(rule.witnesses.iter().map(|(slot, _)| Term::Constant(*slot)));
    let missing = wanted.iter().find(|variable| !bound.contains(variable));
    missing.map(|variable| rule.name_of(variable))
}

/// Returns the reason why a part of a term is not allowed in a rule.
fn part_problem(rule: &Rule, part: &Term, positive: &[&Term]) -> Option<(String, &'static str)> {
    let fires = !matches!(rule.statement, Statement::Fact(_));
    match part {
        Term::FloorDiv(_, divisor) | Term::Mod(_, divisor) => {
            if fires && divisor.has_expression() {
                return Some((
                    "an expression is a divisor".to_owned(),
                    "divisors of index maps are integers: declare a constant",
                ));
            }
            if !is_positive(divisor, positive) {
                let divisor = rule.write(divisor);
                return Some((
                    format!("missing side condition `{divisor} >= 1`"),
                    "add it to `where`, or conditions that each part is positive",
                ));
            }
            None
        }
        Term::Product(x, y) if fires && x.has_expression() && y.has_expression() => Some((
            format!("{} is a product of two expressions", rule.write(part)),
            "index maps multiply by integers only: declare a constant",
        )),
        _ => None,
    }
}

/// Returns the terms that the conditions bound below by 1: directly (`a >= 1`), or through such a term (`b >= a`).
fn positive_terms(conditions: &[Condition]) -> Vec<&Term> {
    let mut known: Vec<&Term> = Vec::new();
    loop {
        let says_so = |condition: &&Condition| {
            let lower = &condition.lhs;
            let is_lower_positive = match condition.relation {
                Relation::Equal => false,
                Relation::LessEqual => is_positive(lower, &known),
                Relation::Less => *lower == Term::Integer(0) || is_positive(lower, &known),
            };
            is_lower_positive && !known.contains(&&condition.rhs)
        };
        match conditions.iter().find(says_so) {
            Some(condition) => known.push(&condition.rhs),
            None => return known,
        }
    }
}

/// Returns whether a term is at least 1, given that those in `known` are.
fn is_positive(term: &Term, known: &[&Term]) -> bool {
    match term {
        _ if known.contains(&term) => true,
        Term::Integer(value) => *value >= 1,
        Term::Product(x, y) | Term::Min(x, y) => is_positive(x, known) && is_positive(y, known),
        Term::Sum(terms) => terms.iter().all(|term| is_positive(term, known)),
        _ => false,
    }
}
